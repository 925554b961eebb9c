package inspect

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/link"
)

const plainBody = "v_mov_b32 v0, 0"

const plainDirectives = ".amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 16\n"

// A findingCase is an object with errors, and the codes of the expected
// findings.
type findingCase struct {
	name, cpu        string
	body, directives string
	edits            []string // pairs: text and its replacement
	link             bool
	patch            func(t *testing.T, b []byte)
	want             []string
}

// replace replaces bytes by others of the same length, everywhere.
func replace(old, by string) func(*testing.T, []byte) {
	return func(t *testing.T, b []byte) {
		t.Helper()
		if len(old) != len(by) || !bytes.Contains(b, []byte(old)) {
			t.Fatalf("%q is not there, or %q is of another length", old, by)
		}
		copy(b, bytes.ReplaceAll(bytes.Clone(b), []byte(old), []byte(by)))
	}
}

// patchDescriptor changes the bytes of the kernel descriptor.
func patchDescriptor(change func(d []byte)) func(*testing.T, []byte) {
	return func(t *testing.T, b []byte) {
		t.Helper()
		o, err := codeobject.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		kernels, err := o.Kernels()
		if err != nil || len(kernels) == 0 {
			t.Fatalf("%d kernels, %v", len(kernels), err)
		}
		change(b[kernels[0].Off:][:codeobject.KernelDescriptorSize])
	}
}

// patchAt writes bytes at an offset in the file.
func patchAt(at int, by ...byte) func(*testing.T, []byte) {
	return func(_ *testing.T, b []byte) { copy(b[at:], by) }
}

func patchSection(name string, at int, by ...byte) func(*testing.T, []byte) {
	return func(t *testing.T, b []byte) {
		t.Helper()
		o, err := codeobject.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		copy(b[int(o.Section(name).Offset)+at:], by)
	}
}

const gfx90aDirectives = ".amdhsa_next_free_vgpr 16\n.amdhsa_next_free_sgpr 16\n.amdhsa_accum_offset 8\n"

var findingCases = []findingCase{
	{name: "nothing"},
	{name: "nothing, linked", link: true},
	{name: "nothing, gfx90a", cpu: "gfx90a", directives: gfx90aDirectives},
	{name: "nothing, gfx1100", cpu: "gfx1100", edits: []string{".wavefront_size: 64", ".wavefront_size: 32"}},
	{name: "vgprs of metadata", edits: []string{".vgpr_count: 4", ".vgpr_count: 9"}, want: []string{"vgpr-metadata"}},
	{name: "sgprs of metadata", edits: []string{".sgpr_count: 16", ".sgpr_count: 30"}, want: []string{"sgpr-metadata"}},
	{name: "sgprs from gfx10", cpu: "gfx1030", edits: []string{".sgpr_count: 16", ".sgpr_count: 108", ".wavefront_size: 64", ".wavefront_size: 32"}},
	{name: "agprs of metadata", cpu: "gfx90a", directives: gfx90aDirectives,
		edits: []string{".vgpr_count: 4", ".vgpr_count: 16\n    .agpr_count: 9"}, want: []string{"agpr-metadata"}},
	{name: "vgprs of code", body: "v_mov_b32 v8, 0", want: []string{"vgpr-code"}},
	{name: "last vgpr of code", body: "v_mov_b32 v7, 0"},
	{name: "vgprs of code in AGPRs", cpu: "gfx90a", directives: gfx90aDirectives, body: "v_mov_b32 v8, 0", want: []string{"vgpr-code"}},
	{name: "agprs of code", cpu: "gfx90a", directives: gfx90aDirectives, body: "v_accvgpr_write_b32 a8, v0", want: []string{"agpr-code"}},
	{name: "last agpr of code", cpu: "gfx90a", directives: gfx90aDirectives, body: "v_accvgpr_write_b32 a7, v0"},
	{name: "sgprs of code", body: "s_mov_b64 s[32:33], 0", want: []string{"sgpr-code"}},
	{name: "sgprs and vcc", cpu: "gfx700", body: "s_mov_b32 s15, 0\nv_cmp_eq_u32 vcc, v0, v1", directives: plainDirectives +
		".amdhsa_reserve_vcc 0\n.amdhsa_reserve_flat_scratch 0", want: []string{"sgpr-special"}},
	{name: "sgprs without vcc", cpu: "gfx700", body: "s_mov_b32 s15, 0", directives: plainDirectives +
		".amdhsa_reserve_vcc 0\n.amdhsa_reserve_flat_scratch 0"},
	{name: "no instruction", body: ".long 0xffffffff", want: []string{"code-undecodable"}},
	{name: "LDS", directives: plainDirectives + ".amdhsa_group_segment_fixed_size 64", want: []string{"lds-size"}},
	{name: "scratch", directives: plainDirectives + ".amdhsa_private_segment_fixed_size 64", want: []string{"scratch-size"}},
	{name: "kernarg", edits: []string{".kernarg_segment_size: 16", ".kernarg_segment_size: 24"}, want: []string{"kernarg-size"}},
	{name: "argument beyond", edits: []string{".offset: 8, .size: 4", ".offset: 14, .size: 4"}, want: []string{"argument-outside"}},
	{name: "arguments overlap", edits: []string{".offset: 8, .size: 4", ".offset: 4, .size: 4"}, want: []string{"argument-overlap"}},
	{name: "wave size", edits: []string{".wavefront_size: 64", ".wavefront_size: 32"}, want: []string{"wave-size"}},
	{name: "dynamic stack", edits: []string{".sgpr_count: 16", ".sgpr_count: 16\n    .uses_dynamic_stack: true"}, want: []string{"dynamic-stack"}},
	{name: "WGP mode", cpu: "gfx1030", edits: []string{".wavefront_size: 64", ".wavefront_size: 32\n    .workgroup_processor_mode: 0"}, want: []string{"wgp-mode"}},
	{name: "target", patch: replace("gfx900", "gfx906"), want: []string{"metadata-target"}},
	{name: "other symbol", edits: []string{".symbol: k.kd", ".symbol: j.kd"}, want: []string{"descriptor-missing", "metadata-missing"}},
	{name: "two with one symbol", edits: []string{".end_amdgpu_metadata", `  - {.name: l, .symbol: k.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0,
     .wavefront_size: 64, .sgpr_count: 1, .vgpr_count: 1, .max_flat_workgroup_size: 1}
.end_amdgpu_metadata`}, want: []string{"metadata-twice"}},
	{name: "value of metadata", patch: replace("by_value", "by_valux"), want: []string{"metadata-invalid"}},
	{name: "no target", edits: []string{"amdhsa.target: 'amdgcn-amd-amdhsa--CPU'\n", ""}, want: []string{"metadata-odd"}},
	{name: "reserved bits", patch: patchDescriptor(func(d []byte) { d[30] = 1 }), want: []string{"descriptor-invalid"}},
	{name: "descriptor's alignment", edits: []string{".p2align 6\n.amdhsa", ".p2align 6\n.long 0\n.amdhsa"}, want: []string{"descriptor-alignment"}},
	{name: "entry's alignment", edits: []string{".p2align 8\n", ".p2align 8\ns_nop 0\n"}, want: []string{"entry-alignment"}},
	{name: "entry in the descriptor", link: true, patch: patchDescriptor(func(d []byte) { clear(d[16:24]) }), want: []string{"entry-alignment", "entry-outside"}},
	{name: "entry nowhere", link: true, patch: patchDescriptor(func(d []byte) { d[20] = 0x7f }), want: []string{"entry-outside"}},
	{name: "entry within", link: true, body: strings.Repeat("s_nop 0\n", 100), patch: patchDescriptor(func(d []byte) { d[17]++ }), want: []string{"entry-symbol"}},
	{name: "too many registers", directives: ".amdhsa_next_free_vgpr 256\n.amdhsa_next_free_sgpr 16\n",
		edits: []string{".max_flat_workgroup_size: 256", ".max_flat_workgroup_size: 1024"}, want: []string{"work-group-resources"}},
	{name: "MessagePack", patch: patchSection(".note", 20, 0xc1), want: []string{"bad-metadata"}},
	{name: "notes", patch: patchSection(".note", 4, 0xff, 0xff, 0xff, 0x7f), want: []string{"bad-metadata", "bad-notes"}},
	{name: "machine", patch: patchAt(48, 0xfe), want: []string{"bad-target"}},
	{name: "no machine", patch: patchAt(48, 0, 0), want: []string{"no-processor"}},
}

// build returns the object of a case.
func (c *findingCase) build(t *testing.T) []byte {
	t.Helper()
	if c.cpu == "" {
		c.cpu = "gfx900"
	}
	if c.body == "" {
		c.body = plainBody
	}
	if c.directives == "" {
		c.directives = plainDirectives
	}
	text := kernelText(c.body, c.directives)
	for i := 0; i < len(c.edits); i += 2 {
		if !strings.Contains(text, c.edits[i]) {
			t.Fatalf("%q is not in the text", c.edits[i])
		}
		text = strings.ReplaceAll(text, c.edits[i], c.edits[i+1])
	}
	data := assemble(t, c.cpu, text)
	if c.link {
		data = linkObject(t, data)
	}
	if c.patch != nil {
		data = bytes.Clone(data)
		c.patch(t, data)
	}
	return data
}

// codesOf returns the codes of findings, sorted and unique.
func codesOf(list []Finding) []string {
	var codes []string
	for i := range list {
		codes = append(codes, list[i].Code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestFindingCodes runs the cases of each kind of finding, and fails for a kind
// without a case.
func TestFindingCodes(t *testing.T) {
	t.Run("findings", TestFindings)
	t.Run("overlap", TestOverlappingCode)
	t.Run("descriptor", TestBadDescriptor)
	t.Run("atomics", TestBadAtomics)
	t.Run("bundles", TestBundleErrors)
	for _, c := range FindingCodes() {
		if !found[c.Code] {
			t.Errorf("no test has found %s", c.Code)
		}
	}
}

// TestBadDescriptor inspects an object whose descriptor's symbol is past the
// end of its section.
func TestBadDescriptor(t *testing.T) {
	data := (&findingCase{}).build(t)
	o, err := codeobject.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	table := o.Section(".symtab")
	for i, s := range o.Symbols {
		if s.Name == "k.kd" {
			data[int(table.Offset)+(i+1)*int(table.EntSize)+8] = 0x40 // st_value
		}
	}
	r, err := Object(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := codesOf(r.Findings); !slices.Equal(got, []string{"bad-descriptor"}) {
		t.Errorf("found %v", got)
	}
	found["bad-descriptor"] = true
}

// TestBadAtomics inspects an object with a broken list of atomic accesses.
func TestBadAtomics(t *testing.T) {
	r, err := Object(assemble(t, "gfx900", "s_endpgm\n.section .gfx.atomics,\"\",@progbits\n.byte 1, 2, 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Code != "bad-atomics" || !strings.Contains(r.Findings[0].Message, "expected 8 bytes of an address, 3 remain") {
		t.Errorf("found %v", r.Findings)
	}
	found["bad-atomics"] = true
}

// found collects the codes that tests have found.
var found = map[string]bool{}

func TestFindings(t *testing.T) {
	for i := range findingCases {
		c := &findingCases[i]
		t.Run(c.name, func(t *testing.T) {
			r, err := Object(c.build(t))
			if err != nil {
				t.Fatal(err)
			}
			if got := codesOf(r.Findings); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
				for i := range r.Findings {
					t.Log(r.Findings[i].String())
				}
			}
			for _, code := range c.want {
				found[code] = true
			}
			checkFindings(t, r.Findings)
		})
	}
}

// checkFindings checks the properties of every finding.
func checkFindings(t *testing.T, list []Finding) {
	t.Helper()
	for i := range list {
		f := &list[i]
		known := slices.ContainsFunc(FindingCodes(), func(c FindingCode) bool { return c.Code == f.Code && c.Severity == f.Severity })
		if !known || f.Message == "" || strings.Contains(f.Message, "%!") || strings.Contains(f.String(), "\n") {
			t.Errorf("finding %q", f.String())
		}
	}
}

// TestOverlappingCode checks that kernels with overlapping code do not make a
// small file slow.
func TestOverlappingCode(t *testing.T) {
	var text strings.Builder
	text.WriteString(".text\n")
	const n = 16
	for i := range n {
		fmt.Fprintf(&text, ".p2align 8\n.type k%d,@function\nk%[1]d:\ns_nop 0\n", i)
	}
	text.WriteString(strings.Repeat("s_nop 0\n", 20000))
	for i := range n {
		fmt.Fprintf(&text, ".size k%d, .-k%[1]d\n", i)
	}
	text.WriteString(".rodata\n")
	for i := range n {
		fmt.Fprintf(&text, ".amdhsa_kernel k%d\n.amdhsa_next_free_vgpr 8\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n", i)
	}
	r, err := Object(assemble(t, "gfx900", text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := codesOf(r.Findings); !slices.Equal(got, []string{"code-overlap"}) {
		t.Errorf("found %v", got)
	}
	found["code-overlap"] = true
}

// linkObject links one object.
func linkObject(t testing.TB, data []byte) []byte {
	t.Helper()
	out, err := link.Link([]link.Input{{Name: "test.o", Data: data}}, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
