package codeobject

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// amdgcnTargets returns every amdgcn processor, including its other wavefront
// sizes and modes.
func amdgcnTargets(t *testing.T) (list []*target.Target, mattrs []string) {
	t.Helper()
	for _, p := range target.Processors() {
		if p.Arch() != target.AMDGCN || p.Mach == 0 {
			continue
		}
		for _, mattr := range []string{"", "+wavefrontsize64", "+cumode", "+tgsplit"} {
			tg, err := target.New("amdgcn-amd-amdhsa", p.Name, mattr)
			if err == nil && (mattr == "" || tg.Features != p.Default) {
				list, mattrs = append(list, tg), append(mattrs, mattr)
			}
		}
	}
	return list, mattrs
}

// kdCase is a kernel with one directive.
type kdCase struct {
	directive string
	value     uint32
}

func kdCases(t *target.Target) (cases []kdCase) {
	seen := make(map[kdCase]bool)
	for _, row := range AllDescriptorFields() {
		if row.Directive == "" {
			continue
		}
		f, _ := LookupDescriptorField(t, row.Directive)
		values := []uint32{0, 1, f.Max()}
		switch f.Unit {
		case UnitBytes:
			values = []uint32{0, 1, 4096}
		case UnitVGPRs:
			values = []uint32{1, 9, 25, 130, 256}
		case UnitSGPRs:
			values = []uint32{1, 9, 33, 88}
		case UnitAccumOffset:
			values = []uint32{4, 12, 256}
		case UnitDwords:
			values = []uint32{0, 1, 5}
		}
		if f.Name == "USER_SGPR_COUNT" {
			values = []uint32{0, 1, 13, 16}
		}
		for _, v := range values {
			if c := (kdCase{row.Directive, v}); !seen[c] {
				seen[c] = true
				cases = append(cases, c)
			}
		}
	}
	return cases
}

// text returns the kernel as assembly text of lines lines.
func (c kdCase) text(t *target.Target, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".amdhsa_kernel %s\n%s %d\n", name, c.directive, c.value)
	for f := range DescriptorFields(t) {
		if f.initial == defaultRequired && f.Directive != c.directive {
			v := 8
			switch {
			case f.Unit == UnitAccumOffset:
				v = 4
			case f.Unit == UnitVGPRs && c.directive == ".amdhsa_accum_offset":
				v = 256
			}
			fmt.Fprintf(&b, "%s %d\n", f.Directive, v)
		}
	}
	b.WriteString(".end_amdhsa_kernel\n")
	return b.String()
}

// descriptor returns this package's descriptor of the kernel.
func (c kdCase) descriptor(t *target.Target) (KernelDescriptor, error) {
	d := NewKernelDescriptor(t)
	vgprs, sgprs := 8, 8
	reserve := map[string]bool{".amdhsa_reserve_flat_scratch": true} // also on gfx6, which has no directive
	for f := range DescriptorFields(t) {
		if f.Word == NoWord {
			reserve[f.Directive] = f.DefaultFor(t) == 1
		}
	}
	f, _ := LookupDescriptorField(t, c.directive)
	switch {
	case f.Unit == UnitVGPRs:
		vgprs = int(c.value)
	case f.Unit == UnitSGPRs:
		sgprs = int(c.value)
	case f.Word == NoWord:
		reserve[c.directive] = c.value == 1
	case f.Unit == UnitAccumOffset:
		vgprs = 256
		if err := f.SetCount(&d, t, int(c.value)); err != nil {
			return d, err
		}
	default:
		f.SetBits(&d, c.value)
	}
	users, _ := LookupDescriptorField(t, "USER_SGPR_COUNT")
	if f != users {
		users.SetBits(&d, uint32(d.UserSGPRs(t)))
	}
	v, _ := LookupDescriptorField(t, "GRANULATED_WORKITEM_VGPR_COUNT")
	if err := v.SetCount(&d, t, vgprs); err != nil {
		return d, err
	}
	return d, d.SetSGPRs(t, sgprs, reserve[".amdhsa_reserve_vcc"], reserve[".amdhsa_reserve_flat_scratch"], reserve[".amdhsa_reserve_xnack_mask"])
}

// TestDescriptorLLVM compares the table with LLVM's assembler: the directives
// of every processor, and the bytes that each of them generates.
func TestDescriptorLLVM(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-22")
	targets, mattrs := amdgcnTargets(t)
	compared := 0
	for i, tg := range targets {
		if p := tg.Processor.Name; p == "gfx940" || p == "gfx941" {
			continue // LLVM 22 no longer supports them
		}
		name := tg.Processor.Name + mattrs[i]
		var good, bad strings.Builder
		var kept []kdCase
		var refused []string
		for _, c := range kdCases(tg) {
			if _, missing := LookupDescriptorField(tg, c.directive); missing != "" {
				bad.WriteString(c.text(tg, "k"))
				refused = append(refused, c.directive+": "+missing)
				continue
			}
			if c.directive == ".amdhsa_reserve_xnack_mask" && (c.value == 1) != tg.XNACK.OnOrAny() {
				continue
			}
			good.WriteString(c.text(tg, fmt.Sprint("k", len(kept))))
			kept = append(kept, c)
		}
		args := []string{"-triple=amdgcn-amd-amdhsa", "-mcpu=" + tg.Processor.Name, "-mattr=" + mattrs[i]}
		out := filepath.Join(t.TempDir(), "x.o")
		if _, errs, exit := oracle.Run(t, []byte(".section .rodata\n"+good.String()), 20*time.Second, mc, append(args, "-filetype=obj", "-o", out)...); exit != 0 {
			t.Errorf("%s: LLVM rejects:\n%s", name, errs)
			continue
		}
		compared += compareDescriptors(t, name, tg, out, kept)
		_, errs, _ := oracle.Run(t, []byte(bad.String()), 20*time.Second, mc, args...)
		if n := len(regexp.MustCompile(`error: (directive|\.amdhsa)`).FindAll(errs, -1)); n != len(refused) {
			t.Errorf("%s: LLVM rejects %d directives, we %d:\n%s\n%s", name, n, len(refused), errs, strings.Join(refused, "\n"))
		}
	}
	t.Logf("%d descriptors for %d targets", compared, len(targets))
}

func compareDescriptors(t *testing.T, name string, tg *target.Target, file string, cases []kdCase) int {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	ro := o.Section(".rodata")
	if ro == nil || len(ro.Data) != len(cases)*KernelDescriptorSize {
		t.Fatalf("%s: .rodata is %v", name, ro)
	}
	for i, c := range cases {
		theirs := ro.Data[i*KernelDescriptorSize:][:KernelDescriptorSize]
		d, err := c.descriptor(tg)
		if err != nil {
			t.Errorf("%s: %v: %v", name, c, err)
			continue
		}
		if ours := d.Append(nil); !bytes.Equal(ours, theirs) {
			t.Errorf("%s: %v:\nours   %x\nLLVM's %x", name, c, ours, theirs)
		}
	}
	return len(cases)
}

// TestDescriptorShared decodes every kernel descriptor of the corpora.
func TestDescriptorShared(t *testing.T) {
	n := 0
	for _, file := range sharedObjects(t) {
		o := readShared(t, file)
		h, err := o.Target()
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		tg, err := h.ID.Target("")
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := o.Kernels()
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		image := o.Bytes()
		for _, k := range kernels {
			d := k.Descriptor
			if !bytes.Equal(d.Append(nil), image[k.Off:][:KernelDescriptorSize]) {
				t.Errorf("%s: %s: decoding and encoding changes it", file, k.Name)
			}
			for _, err := range d.Check(tg) {
				t.Errorf("%s: %s: %v", file, k.Name, err)
			}
			if d.KernelCodeEntryByteOffset == 0 || (int64(k.Address)+d.KernelCodeEntryByteOffset)%256 != 0 {
				t.Errorf("%s: %s: entry at %#x", file, k.Name, int64(k.Address)+d.KernelCodeEntryByteOffset)
			}
			n++
		}
	}
	if n < 300 {
		t.Errorf("%d kernel descriptors", n)
	}
}

func TestDescriptorCheck(t *testing.T) {
	gfx900, _ := target.New("", "gfx900", "")
	gfx90a, _ := target.New("", "gfx90a", "")
	gfx1100, _ := target.New("", "gfx1100", "")
	r600, _ := target.New("r600", "cayman", "")
	for _, test := range []struct {
		t      *target.Target
		change func(*KernelDescriptor)
		want   string
	}{
		{gfx900, func(d *KernelDescriptor) { d.Reserved0[3] = 1 }, "bits 127:96: reserved bits are set"},
		{gfx900, func(d *KernelDescriptor) { d.Reserved1[0] = 1 }, "bits 351:192: reserved bits are set"},
		{gfx900, func(d *KernelDescriptor) { d.Reserved3[0] = 1 }, "bits 511:480: reserved bits are set"},
		{gfx900, func(d *KernelDescriptor) { d.ComputePgmRsrc3 = 6 }, "bits 354:353: reserved bits of compute_pgm_rsrc3 are set, must be 0 on gfx900"},
		{gfx900, func(d *KernelDescriptor) { d.ComputePgmRsrc1 |= 1 << 31 }, "bit 415: reserved bits of compute_pgm_rsrc1"},
		{gfx900, func(d *KernelDescriptor) { d.ComputePgmRsrc1 |= 2 << 10 }, "bits 395:394: PRIORITY is 2, must be 0 in a code object"},
		{gfx900, func(d *KernelDescriptor) { d.ComputePgmRsrc2 |= 1 << 15 }, "GRANULATED_LDS_SIZE is 1, must be 0"},
		{gfx900, func(d *KernelDescriptor) { d.KernelCodeProperties = 8 }, "bits 421:417: USER_SGPR_COUNT is 0, but the enabled user data needs 2"},
		{gfx900, func(d *KernelDescriptor) { d.ComputePgmRsrc2 |= 17 << 1 }, "USER_SGPR_COUNT is 17, gfx900 has at most 16"},
		{gfx900, func(d *KernelDescriptor) { d.ComputePgmRsrc2 |= 3 << 11 }, "ENABLE_VGPR_WORKITEM_ID is 3, which is undefined"},
		{gfx900, func(d *KernelDescriptor) { d.KernargPreload = 1 }, "bit 464: reserved bits of kernarg_preload"},
		{gfx900, func(d *KernelDescriptor) { d.GroupSegmentFixedSize = 65537 }, "bits 31:0: 65537 bytes of LDS"},
		{gfx90a, func(d *KernelDescriptor) { d.KernargPreload = 1 }, "USER_SGPR_COUNT is 0, but the enabled user data needs 1"},
		{gfx90a, func(d *KernelDescriptor) { d.ComputePgmRsrc3 |= 2 }, "bits 357:352: ACCUM_OFFSET is 12, the kernel has 8 VGPRs"},
		{gfx1100, func(d *KernelDescriptor) { d.ComputePgmRsrc1 |= 63 }, "512 VGPRs, a work-item on gfx1100 can have 256"},
		{r600, func(*KernelDescriptor) {}, "processor cayman has no kernel descriptors"},
	} {
		d := NewKernelDescriptor(test.t)
		if errs := d.Check(test.t); test.t != r600 && errs != nil {
			t.Errorf("%s: %v", test.t.Processor, errs)
		}
		test.change(&d)
		if errs := d.Check(test.t); len(errs) != 1 || !strings.Contains(errs[0].Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.t.Processor, errs, test.want)
		}
	}
}

// TestDescriptorTable checks that no bit is in two fields of one target, and
// that names are complete.
func TestDescriptorTable(t *testing.T) {
	targets, _ := amdgcnTargets(t)
	for _, tg := range targets {
		var used [len(wordRows)]uint32
		names := make(map[string]bool)
		for f := range DescriptorFields(tg) {
			if used[f.Word]&f.Mask() != 0 && f.Word != NoWord {
				t.Errorf("%s: the bits of %s are used twice", tg.Processor, f.Name)
			}
			used[f.Word] |= f.Mask()
			if names[f.Name] {
				t.Errorf("%s: %s is a duplicate", tg.Processor, f.Name)
			}
			names[f.Name] = true
			if n := len(f.Values); n > 0 && n != 1<<f.Width && f.Word != NoWord {
				t.Errorf("%s has %d meanings for %d bits", f.Name, n, f.Width)
			}
		}
	}
	for _, gen := range []target.Generation{gfx7, gfx8, gfx9, gfx90a, gfx10, gfx11, gfx12, gfx12_5} {
		if generationNames.Get()[gen] == "" {
			t.Errorf("%s has no name", gen)
		}
	}
	if f, missing := LookupDescriptorField(targets[0], "NO_SUCH"); f != nil || missing != "" {
		t.Error("an unknown name is found")
	}
	if f, _ := LookupDescriptorField(targets[0], "FLOAT_ROUND_MODE_32"); f.Meaning(3) != "towards zero" || f.Meaning(4) != "" {
		t.Error("meanings")
	}
}

func TestDescriptorCounts(t *testing.T) {
	for _, test := range []struct {
		cpu, field  string
		count, bits int // bits -1 for an error
		back        int
	}{
		{"gfx900", "GRANULATED_WORKITEM_VGPR_COUNT", 0, 0, 4},
		{"gfx900", "GRANULATED_WORKITEM_VGPR_COUNT", 5, 1, 8},
		{"gfx900", "GRANULATED_WORKITEM_VGPR_COUNT", 256, 63, 256},
		{"gfx900", "GRANULATED_WORKITEM_VGPR_COUNT", 257, -1, 0},
		{"gfx90a", "GRANULATED_WORKITEM_VGPR_COUNT", 512, 63, 512},
		{"gfx1030", "GRANULATED_WORKITEM_VGPR_COUNT", 9, 1, 16},
		{"gfx1250", "GRANULATED_WORKITEM_VGPR_COUNT", 1024, 63, 1024},
		{"gfx90a", "ACCUM_OFFSET", 256, 63, 256},
		{"gfx90a", "ACCUM_OFFSET", 260, -1, 0},
		{"gfx600", "GRANULATED_LDS_SIZE", 257, 2, 512},
		{"gfx900", "GRANULATED_LDS_SIZE", 513, 2, 1024},
		{"gfx1250", "GRANULATED_LDS_SIZE", 2048, 1, 2048},
		{"gfx1100", "INST_PREF_SIZE", 129, 2, 256},
		{"gfx900", "GROUP_SEGMENT_FIXED_SIZE", -1, -1, 0},
	} {
		tg, err := target.New("", test.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		f, missing := LookupDescriptorField(tg, test.field)
		if missing != "" {
			t.Fatal(missing)
		}
		d := NewKernelDescriptor(tg)
		err = f.SetCount(&d, tg, test.count)
		if test.bits < 0 {
			if err == nil {
				t.Errorf("%s %s %d: no error", test.cpu, test.field, test.count)
			}
			continue
		}
		if err != nil || int(f.Bits(&d)) != test.bits || f.Count(&d, tg) != test.back {
			t.Errorf("%s %s %d: %v, bits %d, back %d", test.cpu, test.field, test.count, err, f.Bits(&d), f.Count(&d, tg))
		}
	}
}

func FuzzDescriptor(f *testing.F) {
	f.Add(make([]byte, KernelDescriptorSize), uint8(0))
	for i, p := range []string{"gfx600", "gfx90a", "gfx1030", "gfx1250"} {
		tg, err := target.New("", p, "")
		if err != nil {
			f.Fatal(err)
		}
		d := NewKernelDescriptor(tg)
		f.Add(d.Append(nil), uint8(i*9))
	}
	procs := target.Processors()
	f.Fuzz(func(t *testing.T, b []byte, cpu uint8) {
		d, err := DecodeKernelDescriptor(b)
		if err != nil {
			if len(b) == KernelDescriptorSize {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(d.Append(nil), b) {
			t.Fatal("decoding and encoding changes it")
		}
		tg, err := target.New("", procs[int(cpu)%len(procs)].Name, "")
		if err != nil {
			return // r600
		}
		d.Check(tg)
		for field := range DescriptorFields(tg) {
			before := d
			field.SetBits(&d, field.Bits(&d))
			if n := field.Count(&d, tg); n >= 0 {
				if err := field.SetCount(&d, tg, n); err != nil {
					t.Fatal(strconv.Quote(field.Name), err)
				}
			}
			if d != before {
				t.Fatalf("setting %s to itself changes the descriptor", field.Name)
			}
		}
	})
}
