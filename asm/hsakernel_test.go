package asm_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/target"
)

// kernelText is a source of consecutive kernel descriptors with the same number
// of lines each.
type kernelText struct {
	lines [][]string
}

// add adds a kernel with the given and all mandatory directives.
func (k *kernelText) add(tgt *target.Target, directives ...string) {
	has := func(name string) bool {
		return slices.ContainsFunc(directives, func(d string) bool { return strings.HasPrefix(d, name+" ") })
	}
	for f := range codeobject.DescriptorFields(tgt) {
		if f.Required() && !has(f.Directive) {
			v := 8
			if f.Unit == codeobject.UnitVGPRs && has(".amdhsa_accum_offset") {
				v = 256
			}
			directives = append(directives, fmt.Sprint(f.Directive, " ", v))
		}
	}
	lines := append([]string{fmt.Sprint(".amdhsa_kernel k", len(k.lines))}, directives...)
	k.lines = append(k.lines, append(lines, ".end_amdhsa_kernel"))
}

// text returns the selected kernels and the lines at which they begin.
func (k *kernelText) text(which func(i int) bool) (text []byte, starts []int) {
	n := 0
	var b []byte
	for i, lines := range k.lines {
		starts = append(starts, n)
		if which(i) {
			b = append(b, strings.Join(lines, "\n")+"\n"...)
			n += len(lines)
		}
	}
	return append(b, "later = 1\nlater5 = 5\nlater8 = 8\n"...), starts
}

// refused returns the kernels that messages refer to.
func (k *kernelText) refused(messages string, starts []int) map[int]string {
	bad := map[int]string{}
	for _, m := range regexp.MustCompile(`(?m)^[^:\n]*:(\d+):\d+: error: (.*)`).FindAllStringSubmatch(messages, -1) {
		line, _ := strconv.Atoi(m[1])
		i, _ := slices.BinarySearch(starts, line) // omitted kernels begin where the next one does
		i--
		if bad[i] == "" {
			bad[i] = m[2]
		}
	}
	return bad
}

// kernelValues lists values for directives: numbers, and a symbol that is
// defined later.
var kernelValues = []string{"0", "1", "2", "3", "4", "7", "8", "15", "16", "17", "32", "63", "64", "102", "103", "104", "105",
	"255", "256", "257", "511", "512", "513", "1025", "-1", "0x100000000", "0x7fffffffffffffff", "later", "later8", "later5", "1+1"}

// kernelCombos lists directives that depend on each other.
var kernelCombos = [][]string{
	{".amdhsa_next_free_vgpr 8", ".amdhsa_next_free_vgpr 8"},
	{".amdhsa_ieee_mode 0", ".amdhsa_dx10_clamp 0", ".amdhsa_float_denorm_mode_16_64 0"},
	{".amdhsa_user_sgpr_count 1", ".amdhsa_user_sgpr_dispatch_ptr 1"},
	{".amdhsa_user_sgpr_count 5", ".amdhsa_user_sgpr_dispatch_ptr 1"},
	{".amdhsa_wavefront_size32 1", ".amdhsa_shared_vgpr_count 1"},
	{".amdhsa_wavefront_size32 0", ".amdhsa_shared_vgpr_count 1"},
	{".amdhsa_wavefront_size32 0", ".amdhsa_next_free_vgpr 101"},
	{".amdhsa_wavefront_size32 1", ".amdhsa_next_free_vgpr 101"},
	{".amdhsa_wavefront_size32 0", ".amdhsa_next_free_vgpr later5"},
	{".amdhsa_shared_vgpr_count 15", ".amdhsa_next_free_vgpr 256", ".amdhsa_wavefront_size32 0"},
	{".amdhsa_kernarg_size 8", ".amdhsa_user_sgpr_kernarg_preload_length 2"},
	{".amdhsa_kernarg_size 8", ".amdhsa_user_sgpr_kernarg_preload_length 2", ".amdhsa_user_sgpr_kernarg_preload_offset 1"},
	{".amdhsa_user_sgpr_kernarg_preload_length 14", ".amdhsa_user_sgpr_kernarg_segment_ptr 1", ".amdhsa_next_free_sgpr 1"},
	{".amdhsa_user_sgpr_kernarg_preload_length 16", ".amdhsa_user_sgpr_kernarg_segment_ptr 1", ".amdhsa_next_free_sgpr 1"},
	{".amdhsa_accum_offset 16", ".amdhsa_next_free_vgpr 12"},
	{".amdhsa_accum_offset 16", ".amdhsa_next_free_vgpr 13"},
	{".amdhsa_accum_offset later8", ".amdhsa_next_free_vgpr 1"},
	{".amdhsa_reserve_vcc 0", ".amdhsa_next_free_sgpr 100"},
	{".amdhsa_reserve_vcc 0", ".amdhsa_reserve_flat_scratch 0", ".amdhsa_next_free_sgpr 101"},
	{".amdhsa_reserve_vcc later", ".amdhsa_next_free_sgpr 6"},
	{".amdhsa_reserve_flat_scratch 0", ".amdhsa_next_free_sgpr 24"},
	{".amdhsa_reserve_xnack_mask 0", ".amdhsa_next_free_sgpr 24"},
	{".amdhsa_reserve_xnack_mask 1", ".amdhsa_next_free_sgpr 24"},
	{".amdhsa_no_such 1"},
	{".amdhsa_ieee_mode"},
	{".amdhsa_ieee_mode 1 1"},
	{"s_nop 0"},
	{".amdhsa_group_segment_fixed_size nowhere"},
	{".amdhsa_private_segment_fixed_size nowhere+4"},
	{".amdhsa_kernarg_size nowhere"},
	{".amdhsa_user_sgpr_dispatch_ptr nowhere"},
}

// TestKernelDirectives tests every directive of .amdhsa_kernel with values in
// and out of range. It compares the rejected kernels and the objects with
// LLVM's.
func TestKernelDirectives(t *testing.T) {
	compared, refused := 0, 0
	count := func(a, b int) { compared, refused = compared+a, refused+b }
	for _, name := range []string{"gfx600", "gfx700", "gfx802", "gfx803", "gfx900", "gfx900 +xnack", "gfx90a", "gfx90a -xnack", "gfx90a +tgsplit", "gfx942",
		"gfx1010", "gfx1030 +wavefrontsize64", "gfx1030 +cumode", "gfx1100", "gfx1150 +wavefrontsize64", "gfx1200", "gfx1250", "gfx9-generic"} {
		cpu, mattr, _ := strings.Cut(name, " ")
		tgt, err := target.New("amdgcn-amd-amdhsa", cpu, mattr)
		if err != nil {
			t.Fatal(err)
		}
		var k kernelText
		for _, combo := range kernelCombos {
			k.add(tgt, combo...)
		}
		var seen []string
		for _, f := range codeobject.AllDescriptorFields() {
			if f.Directive == "" || slices.Contains(seen, f.Directive) {
				continue
			}
			seen = append(seen, f.Directive)
			for _, v := range kernelValues {
				k.add(tgt, f.Directive+" "+v)
			}
			if len(k.lines) > 500 { // LLVM reports at most 1000 errors
				count(k.compare(t, tgt, mattr))
				k.lines = nil
			}
		}
		count(k.compare(t, tgt, mattr))
	}
	t.Logf("%d descriptors are the same, both reject %d", compared, refused)
}

// compare assembles the kernels with gfx and with LLVM. Errors in values that
// become known late are reported only without other errors. Further rounds
// therefore omit the kernels that were rejected before.
func (k *kernelText) compare(t *testing.T, tgt *target.Target, mattr string) (same, refused int) {
	t.Helper()
	name := tgt.Processor.Name + mattr
	ours, theirs := map[int]string{}, map[int]string{}
	for n := -1; n < len(ours)+len(theirs); {
		n = len(ours) + len(theirs)
		text, starts := k.text(func(i int) bool { return theirs[i] == "" })
		_, messages := llvmAssemble(t, tgt, mattr, text)
		maps.Copy(theirs, k.refused(messages, starts))
		text, starts = k.text(func(i int) bool { return ours[i] == "" })
		_, list := asm.Assemble(&diag.Source{Name: name, Text: text}, asm.Options{Target: tgt})
		maps.Copy(ours, k.refused(list.Error(), starts))
	}
	for i := range k.lines {
		if (ours[i] == "") != (theirs[i] == "") && !differsOnPurpose(k.lines[i], ours[i]) {
			t.Errorf("%s: %s: rejected by gfx: %q, by LLVM: %q", name, k.lines[i], ours[i], theirs[i])
		}
	}
	good, _ := k.text(func(i int) bool { return ours[i] == "" && theirs[i] == "" })
	compareObjects(t, name, tgt, mattr, good)
	return len(k.lines) - len(theirs), len(theirs)
}

// differsOnPurpose reports whether gfx rejects a kernel on purpose that LLVM 22
// accepts: values that do not fit, whose bits LLVM writes into the neighbouring
// fields (late values and named barriers), numbers of user SGPRs that LLVM
// truncates to 32 bits, and late settings of XNACK, which LLVM does not check.
func differsOnPurpose(lines []string, ours string) bool {
	has := func(part string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, part) })
	}
	return strings.Contains(ours, "value out of range") && (has(" later") || has(".amdhsa_named_barrier_count")) ||
		strings.Contains(ours, "accum_offset should be in range") && has(".amdhsa_accum_offset later") ||
		strings.Contains(ours, "resolvable") && has(".amdhsa_reserve_xnack_mask later") ||
		strings.Contains(ours, "too many user SGPRs") && has(".amdhsa_user_sgpr_count 0x100000000")
}

// TestGranulatedSGPRs sets bits that .amdhsa_next_free_sgpr leaves 0 on gfx10.
func TestGranulatedSGPRs(t *testing.T) {
	for _, c := range []struct{ cpu, line, want string }{
		{"gfx1030", ".amdhsa_granulated_wavefront_sgpr_count 3", ""},
		{"gfx1100", ".amdhsa_granulated_wavefront_sgpr_count 15", ""},
		{"gfx1030", ".amdhsa_granulated_wavefront_sgpr_count 16", "value out of range"},
		{"gfx1030", ".amdhsa_granulated_wavefront_sgpr_count -1", "value out of range"},
		{"gfx1030", ".amdhsa_granulated_wavefront_sgpr_count unknown", "expected absolute expression"},
		{"gfx1030", ".amdhsa_granulated_wavefront_sgpr_count 1\n.amdhsa_granulated_wavefront_sgpr_count 1", "cannot be repeated"},
		{"gfx900", ".amdhsa_granulated_wavefront_sgpr_count 3", "requires gfx10+"},
	} {
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		text := ".rodata\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.amdhsa_next_free_sgpr 1\n" + c.line + "\n.end_amdhsa_kernel\n"
		result, found := asm.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: tgt})
		if c.want != "" {
			if err := found.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v, want %q", c.cpu, c.line, err, c.want)
			}
			continue
		}
		if found.HasErrors() {
			t.Errorf("%s: %v", c.cpu, found)
			continue
		}
		o, err := codeobject.Read(result.Object)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := o.Kernels()
		if err != nil {
			t.Fatal(err)
		}
		f, _ := codeobject.LookupDescriptorField(tgt, ".amdhsa_next_free_sgpr")
		if got := fmt.Sprint(f.Bits(kernels[0].Descriptor)); !strings.HasSuffix(c.line, " "+got) {
			t.Errorf("%s, %s: the bits are %s", c.cpu, c.line, got)
		}
	}
}
