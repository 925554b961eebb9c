package disasm_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// blocks returns the groups of lines of a text from one that begins with first
// to the next that begins with last.
func blocks(text, first, last string) (list []string) {
	inside := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		inside = inside || strings.HasPrefix(trimmed, first)
		if inside {
			list = append(list, trimmed)
		}
		inside = inside && !strings.HasPrefix(trimmed, last)
	}
	return list
}

func disassemble(t *testing.T, obj []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := disasm.Object(&out, obj, disasm.Options{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// codeObjects returns every n-th code object of the corpus of kernels.
func codeObjects(t *testing.T, n int) (list []string) {
	files, err := filepath.Glob(oracle.Shared(t, "kernels") + "/hsaco*/*/*.hsaco")
	if err != nil || len(files) == 0 {
		t.Fatalf("no code objects: %v", err)
	}
	for i := 0; i < len(files); i += n {
		list = append(list, files[i])
	}
	return list
}

// differs reports whether llvm-objdump writes a directive in a form that its
// own assembler rejects or assembles to another descriptor; see
// TestDescriptorSGPRs.
func differs(line string) bool {
	name, _, _ := strings.Cut(line, " ")
	return slices.Contains([]string{".amdhsa_user_sgpr_count", ".amdhsa_next_free_sgpr", ".amdhsa_reserve_vcc", ".amdhsa_reserve_flat_scratch", ".amdhsa_reserve_xnack_mask"}, name)
}

// TestDescriptors compares the directives of kernel descriptors with
// llvm-objdump's.
func TestDescriptors(t *testing.T) {
	objdump := oracle.Tool(t, "llvm-objdump-22")
	kernels := 0
	for _, file := range codeObjects(t, 7) {
		obj, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		theirs, errs, exit := oracle.Run(t, nil, time.Minute, objdump, "-D", "-j", ".rodata", file)
		if strings.Contains(string(errs), "not yet supported for subtarget") {
			continue // gfx6 and gfx7
		}
		want := blocks(string(theirs), ".amdhsa_kernel", ".end_amdhsa_kernel")
		got := blocks(disassemble(t, obj), ".amdhsa_kernel", ".end_amdhsa_kernel")
		if exit != 0 && len(want) == 0 {
			t.Fatalf("%s: llvm-objdump: %s", file, errs)
		}
		got, want = slices.DeleteFunc(got, differs), slices.DeleteFunc(want, differs)
		if len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nllvm-objdump:\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		kernels++
	}
	t.Logf("%d code objects", kernels)
}

// TestDescriptorSGPRs checks the SGPR directives of descriptors for which
// llvm-objdump's are wrong. They must reproduce the descriptors.
func TestDescriptorSGPRs(t *testing.T) {
	for _, c := range []struct {
		cpu    string
		blocks uint32 // GRANULATED_WAVEFRONT_SGPR_COUNT
		want   string // next_free_sgpr, reserve_vcc, reserve_flat_scratch, reserve_xnack_mask
	}{
		{"gfx900:xnack-", 12, "102 0 0 0"}, // 104, two more than the program can address
		{"gfx900:xnack-", 11, "96 0 0 0"},
		{"gfx900", 1, "12 0 0 1"}, // the assembler reserves the XNACK mask
		{"gfx900:xnack+", 0, "4 0 0 1"},
		{"gfx90a:xnack+", 13, "102 0 0 1"},
		{"gfx801:xnack+", 3, "28 0 0 1"},
		{"gfx601", 12, "100 0  "},
		{"gfx942", 2, "18 0  1"},
		{"gfx1030", 3, "32 0 0 0"},
	} {
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		d := codeobject.NewKernelDescriptor(tgt)
		f, _ := codeobject.LookupDescriptorField(tgt, "GRANULATED_WAVEFRONT_SGPR_COUNT")
		f.SetBits(&d, c.blocks)
		text := disassemble(t, assembleRaw(t, tgt, &d))
		got := ""
		for i, name := range []string{"next_free_sgpr", "reserve_vcc", "reserve_flat_scratch", "reserve_xnack_mask"} {
			_, value, _ := strings.Cut(text, ".amdhsa_"+name+" ")
			value, _, _ = strings.Cut(value, "\n")
			got += strings.Repeat(" ", min(i, 1)) + value
		}
		if got != c.want {
			t.Errorf("%s, %d: %q, want %q\n%s", c.cpu, c.blocks, got, c.want, text)
		}
		if again := reassembled(t, text); again != d {
			t.Errorf("%s, %d: %+v, assembled again %+v\n%s", c.cpu, c.blocks, d, again, text)
		}
	}
}

// TestDescriptorAsData disassembles descriptors that no directives can produce.
// They must be written as data and be reproduced.
func TestDescriptorAsData(t *testing.T) {
	for _, change := range []func(d *codeobject.KernelDescriptor){
		func(d *codeobject.KernelDescriptor) { d.Reserved0[1] = 1 },
		func(d *codeobject.KernelDescriptor) { d.ComputePgmRsrc1 |= 1 << 10 }, // PRIORITY
		func(d *codeobject.KernelDescriptor) { d.ComputePgmRsrc3 |= 1 << 31 }, // IMAGE_OP, without a directive
	} {
		tgt, err := target.New("amdgcn-amd-amdhsa", "gfx1100", "")
		if err != nil {
			t.Fatal(err)
		}
		d := codeobject.NewKernelDescriptor(tgt)
		change(&d)
		text := disassemble(t, assembleRaw(t, tgt, &d))
		if strings.Contains(text, ".amdhsa_kernel") {
			t.Errorf("%+v is written as directives:\n%s", d, text)
		}
		if again := reassembled(t, text); again != d {
			t.Errorf("%+v, assembled again %+v\n%s", d, again, text)
		}
	}
}

// assembleRaw returns an object with a kernel with the given descriptor.
func assembleRaw(t *testing.T, tgt *target.Target, d *codeobject.KernelDescriptor) []byte {
	t.Helper()
	text := ".text\nk:\ns_endpgm\n.section .rodata,\"a\"\n.p2align 6\n.type k.kd,@object\nk.kd:\n"
	for _, b := range d.Append(nil) {
		text += fmt.Sprintf(".byte %d\n", b)
	}
	result, found := asm.Assemble(&diag.Source{Name: "raw.s", Text: []byte(text)}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatalf("%v\n%s", found, text)
	}
	return result.Object
}

// reassembled assembles a text that names its target, and returns its kernel's
// descriptor.
func reassembled(t *testing.T, text string) codeobject.KernelDescriptor {
	t.Helper()
	id, version, ok := asm.SourceTarget([]byte(text), 0)
	if !ok {
		t.Fatalf("no target in\n%s", text)
	}
	tgt, err := id.Target("")
	if err != nil {
		t.Fatal(err)
	}
	tgt.COV = version
	result, found := asm.Assemble(&diag.Source{Name: "again.s", Text: []byte(text)}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatalf("%v\n%s", found, text)
	}
	o, err := codeobject.Read(result.Object)
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := o.Kernels()
	if err != nil || len(kernels) != 1 {
		t.Fatalf("%d kernels, %v\n%s", len(kernels), err, text)
	}
	d := *kernels[0].Descriptor
	d.KernelCodeEntryByteOffset = 0 // the addend of its relocation
	return d
}

const kernelCodeV2 = `
.hsa_code_object_version 2,1
.hsa_code_object_isa 9,0,0,"AMD","AMDGPU"
.text
.p2align 8
.amdgpu_hsa_kernel k
k:
	.amd_kernel_code_t
		enable_sgpr_kernarg_segment_ptr = 1
		compute_pgm_rsrc1_vgprs = 5
		kernarg_segment_byte_size = 24
		wavefront_sgpr_count = 12
		is_ptr64 = 1
	.end_amd_kernel_code_t
	s_nop 0
	s_endpgm
`

// TestKernelCode disassembles an amd_kernel_code_t to its directive, and
// assembles the directive again.
func TestKernelCode(t *testing.T) {
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	tgt.COV = 2
	assemble := func(text string) []byte {
		t.Helper()
		result, found := asm.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: tgt})
		if found.HasErrors() {
			t.Fatalf("%v\n%s", found, text)
		}
		return result.Object
	}
	first := assemble(kernelCodeV2)
	text := disassemble(t, first)
	for _, want := range []string{"granulated_workitem_vgpr_count = 5\n", "kernarg_segment_byte_size = 24\n", "\ts_nop 0", "\ts_endpgm"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	again := assemble(".amdgpu_hsa_kernel k\n" + text)
	if a, b := textSection(t, first), textSection(t, again); !bytes.Equal(a, b) {
		t.Errorf("%x\nassembled again\n%x\n%s", a, b, text)
	}
}

func textSection(t *testing.T, obj []byte) []byte {
	o, err := codeobject.Read(obj)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range o.Sections {
		if s.Name == ".text" {
			return s.Data
		}
	}
	t.Fatal("no .text")
	return nil
}
