package codeobject

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// TestMetadataShared converts the metadata of the corpora from MessagePack to
// structs, to YAML and back.
func TestMetadataShared(t *testing.T) {
	kernels, args := 0, 0
	for _, file := range sharedObjects(t) {
		o := readShared(t, file)
		desc := metadataDesc(t, o)
		m, err := ReadMetadata(desc)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if !bytes.Equal(m.AppendMsgpack(nil), desc) {
			t.Errorf("%s: reading and writing changes the metadata", file)
		}
		text, err := m.AppendYAML(nil)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if back, err := ReadMetadataYAML(string(text)); err != nil || !bytes.Equal(back.AppendMsgpack(nil), desc) {
			t.Errorf("%s: by way of YAML the metadata change: %v", file, err)
		}
		h, err := o.Target()
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range m.Verify(h.COV) {
			t.Errorf("%s: %v", file, err)
		}
		if len(m.Unknown) > 0 || m.Target != h.ID.String() {
			t.Errorf("%s: unknown keys %v, target %s of %s", file, m.Unknown, m.Target, h.ID)
		}
		kernels += len(m.Kernels)
		for i := range m.Kernels {
			k := &m.Kernels[i]
			args += len(k.Args)
			if len(k.Unknown) > 0 || k.VGPRCount == 0 || k.WavefrontSize < 32 {
				t.Errorf("%s: kernel %+v", file, k)
			}
		}
	}
	if kernels < 300 || args < 1000 {
		t.Errorf("%d kernels with %d arguments", kernels, args)
	}
}

// TestMetadataV2Clang decodes and encodes the metadata of objects that clang 14
// compiles for V2 and V3.
func TestMetadataV2Clang(t *testing.T) {
	clang := oracle.Tool(t, "clang-14")
	src := oracle.Shared(t, "kernels/src")
	for i, name := range []string{"vecadd", "reduce_lds", "transpose", "scan_blocks", "struct_by_value", "sha256"} {
		for _, cov := range []int{2, 3} {
			cpu := []string{"gfx900", "gfx803", "gfx906"}[i%3]
			out := filepath.Join(t.TempDir(), "x.o")
			if _, errs, exit := oracle.Run(t, nil, 30*time.Second, clang, "-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-nogpulib",
				"-Xclang", "-finclude-default-header", "-O1", "-mcpu="+cpu, fmt.Sprint("-mcode-object-version=", cov), "-c", filepath.Join(src, name+".cl"), "-o", out); exit != 0 {
				t.Errorf("%s: %s", name, errs)
				continue
			}
			o := readShared(t, out)
			if data, err := os.ReadFile(out); err != nil || !bytes.Equal(o.Bytes(), data) {
				t.Errorf("%s: reading and writing changes it", name)
			}
			if cov == 3 {
				desc := metadataDesc(t, o)
				m, err := ReadMetadata(desc)
				if err != nil || !bytes.Equal(m.AppendMsgpack(nil), desc) {
					t.Errorf("%s: %v", name, err)
					continue
				}
				for _, err := range m.Verify(3) {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			checkV2(t, name, o)
		}
	}
}

func checkV2(t *testing.T, name string, o *Object) {
	t.Helper()
	notes, err := o.Notes()
	if err != nil {
		t.Fatal(err)
	}
	if sec := o.Section(".note"); !bytes.Equal(AppendNotes(nil, notes), sec.Data) {
		t.Errorf("%s: reading and writing changes the notes", name)
	}
	found := 0
	for _, n := range notes {
		switch {
		case n.Is(NoteOwnerV2, NT_AMD_HSA_METADATA):
			m, err := ReadMetadataV2(n.NoteText())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			text, err := m.AppendYAML(nil)
			if err != nil || !bytes.Equal(text, n.Desc) {
				t.Errorf("%s: %v: metadata were\n%s\nare\n%s", name, err, n.Desc, text)
			}
			for _, err := range m.Verify() {
				t.Errorf("%s: %v", name, err)
			}
			found += len(m.Kernels)
		case n.Is(NoteOwnerV2, NT_AMD_HSA_ISA_VERSION):
			v, err := ReadISAVersion(n.Desc)
			if err != nil || v.Vendor != "AMD" || v.Architecture != "AMDGPU" || !bytes.Equal(v.Append(nil), n.Desc) {
				t.Errorf("%s: %v %v", name, v, err)
			}
		case n.Is(NoteOwnerV2, NT_AMD_HSA_CODE_OBJECT_VERSION):
			if v, err := ReadCodeObjectVersion(n.Desc); err != nil || v.Major != 2 {
				t.Errorf("%s: %v %v", name, v, err)
			}
		}
	}
	if found == 0 {
		t.Errorf("%s: no kernel in the metadata of %d notes", name, len(notes))
	}
}

// goodKernel is a kernel's metadata, without its list item's dash.
const goodKernel = `.name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
`

func metadataText(kernel string) string {
	return "amdhsa.version:\n  - 1\n  - 2\namdhsa.target: amdgcn-amd-amdhsa--gfx900\namdhsa.kernels:\n  - " + kernel
}

// verifyCases lists modifications of valid metadata with the error of Verify.
// LLVM also rejects them unless lax is set.
var verifyCases = []struct {
	text, want string
	lax        bool
}{
	{metadataText(goodKernel), "", false},
	{metadataText(goodKernel + "    .x.y: [1, {a: 2}]\n    .kind: init\n"), "", false},
	{metadataText(goodKernel + "    .args:\n"), "", false},
	{metadataText(strings.Replace(goodKernel, ".name: k\n", ".name: 5\n", 1)), "amdhsa.kernels[0].name: is an integer, 5, expected a string", false},
	{metadataText(strings.Replace(goodKernel, "    .sgpr_count: 8\n", "", 1)), "amdhsa.kernels[0].sgpr_count: is required and missing", false},
	{metadataText(strings.Replace(goodKernel, "    .symbol: k.kd\n", "", 1)), "amdhsa.kernels[0].symbol: is required and missing", false},
	{metadataText(strings.Replace(goodKernel, "size: 8", "size: x", 1)), "amdhsa.kernels[0].kernarg_segment_size: is a string, expected an integer that is not negative", false},
	{metadataText(strings.Replace(goodKernel, "size: 8", "size: -8", 1)), "amdhsa.kernels[0].kernarg_segment_size: is an integer, -8, expected", true},
	{metadataText(strings.Replace(goodKernel, "align: 8", "align: 12", 1)), "amdhsa.kernels[0].kernarg_segment_align: is 12, expected a power of two", true},
	{metadataText(goodKernel + "    .language: Go\n"), `amdhsa.kernels[0].language: is "Go", expected one of OpenCL C,`, false},
	{metadataText(goodKernel + "    .language_version: [2]\n"), "amdhsa.kernels[0].language_version: has 1 elements, expected 2", false},
	{metadataText(goodKernel + "    .language_version: [2, a]\n"), "amdhsa.kernels[0].language_version[1]: is a string, expected an integer that is not negative", false},
	{metadataText(goodKernel + "    .reqd_workgroup_size: [64, 64, 1]\n"), "amdhsa.kernels[0].reqd_workgroup_size: is larger than the largest work-group, which has 256", true},
	{metadataText(goodKernel + "    .reqd_workgroup_size: [64, 0, 1]\n"), "amdhsa.kernels[0].reqd_workgroup_size: mixes 0", true},
	{metadataText(goodKernel + "    .args: 5\n"), "amdhsa.kernels[0].args: is an integer, 5, expected an array of maps", false},
	{metadataText(goodKernel + "    .args:\n      - {.size: 4, .offset: 0, .value_kind: by_value}\n      - {.size: 4, .offset: 4, .value_kind: by_name}\n"),
		`amdhsa.kernels[0].args[1].value_kind: is "by_name", expected one of by_value,`, false},
	{metadataText(goodKernel + "    .args:\n      - {.size: 4, .value_kind: by_value}\n"), "amdhsa.kernels[0].args[0].offset: is required and missing", false},
	{metadataText(goodKernel + "    .args:\n      - {.size: 4, .offset: 0, .value_kind: by_value, .is_const: 1}\n"), "amdhsa.kernels[0].args[0].is_const: is an integer, 1, expected a boolean", false},
	{metadataText(goodKernel + "    .args:\n      - {.size: 4, .offset: 0, .value_kind: image, .access: none}\n"), `amdhsa.kernels[0].args[0].access: is "none"`, false},
	{metadataText(goodKernel + "    .uses_dynamic_stack: 1\n"), "amdhsa.kernels[0].uses_dynamic_stack: is an integer, 1, expected a boolean", false},
	{strings.Replace(metadataText(goodKernel), "  - 1\n  - 2\n", "  - 1\n", 1), "amdhsa.version: has 1 elements, expected 2", false},
	{strings.Replace(metadataText(goodKernel), "  - 1\n  - 2\n", "  - 1\n  - 0\n", 1), "amdhsa.version: is 1.0, expected 1.2 for code object V6", true},
	{"amdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--gfx900\n", "amdhsa.kernels: is required and missing", false},
	{"amdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--gfx900\namdhsa.printf: [1]\namdhsa.kernels: []\n", "amdhsa.printf[0]: is an integer, 1, expected a string", false},
	{"amdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--gfx900\namdhsa.kernels: [5]\n", "amdhsa.kernels[0]: is an integer, 5, expected a map", false},
}

// TestMetadataVerify checks the errors of Verify, and compares with LLVM's
// assembler which metadata are valid.
func TestMetadataVerify(t *testing.T) {
	for i, test := range verifyCases {
		n, err := ReadYAML(test.text)
		if err != nil {
			t.Errorf("case %d: %v", i, err)
			continue
		}
		m, err := DecodeMetadata(&n)
		if err != nil {
			t.Errorf("case %d: %v", i, err)
			continue
		}
		errs := m.Verify(6)
		switch {
		case test.want == "" && errs != nil, test.want != "" && len(errs) != 1:
			t.Errorf("case %d: %v, want %q", i, errs, test.want)
			continue
		case test.want != "" && !strings.HasPrefix(errs[0].Error(), test.want):
			t.Errorf("case %d: %v, want %q", i, errs, test.want)
		}
		var me *MetadataError
		if test.want != "" && (!errors.As(errs[0], &me) || n.At(me.Path) == nil || me.Lax != test.lax) {
			t.Errorf("case %d: %#v", i, errs[0])
		}
		n.Sort()
		if !bytes.Equal(m.AppendMsgpack(nil), n.AppendMsgpack(nil)) {
			t.Errorf("case %d: decoding changes the metadata", i)
		}
	}
	mc := oracle.Tool(t, "llvm-mc-22")
	for i, test := range verifyCases {
		src := "\t.amdgpu_metadata\n---\n" + test.text + "\n...\n\t.end_amdgpu_metadata\n"
		out := filepath.Join(t.TempDir(), "x.o")
		_, errs, exit := oracle.Run(t, []byte(src), 10*time.Second, mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx900", "-filetype=obj", "-o", out)
		if bad := test.want != "" && !test.lax; bad != (exit != 0) {
			t.Errorf("case %d: LLVM: %d %s\n%s", i, exit, errs, test.text)
			continue
		}
		if exit == 0 {
			m, err := ReadMetadataYAML(test.text)
			if theirs := metadataDesc(t, readShared(t, out)); err != nil || !bytes.Equal(m.AppendMsgpack(nil), theirs) {
				t.Errorf("case %d: %v\nours   %q\nLLVM's %q", i, err, m.AppendMsgpack(nil), theirs)
			}
		}
	}
}

func TestMetadataPath(t *testing.T) {
	n, err := ReadYAML(metadataText(goodKernel + "    .args:\n      - {.size: 4, .offset: 0, .value_kind: by_value}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"amdhsa.version[1]":                      "2",
		"amdhsa.kernels[0].name":                 "k",
		"amdhsa.kernels[0].args[0].value_kind":   "by_value",
		"amdhsa.kernels[0].args[0].value_kind.x": "by_value",
	} {
		if got := n.At(path); got.text(false) != want {
			t.Errorf("%s is %s, want %s", path, got.text(false), want)
		}
	}
	if n.At("amdhsa.kernels[0].args[7].x").Kind != NodeArray || n.At("nothing") != &n || n.At("") != &n {
		t.Error("missing paths")
	}
}

func TestMetadataV2Errors(t *testing.T) {
	const good = "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: '5'\n    SymbolName: 0x10\n    CodeProps: {KernargSegmentSize: 8, GroupSegmentFixedSize: 0, PrivateSegmentFixedSize: 0, KernargSegmentAlign: 8, WavefrontSize: 64}\n"
	for _, test := range []struct{ text, want string }{
		{good, ""},
		{good + "    x.y: 5\n", ""},
		{good + "    Colour: 5\n", "Kernels[0].Colour: is an unknown key"},
		{good + "    Args: [ {Size: 4, Align: 3, ValueKind: ByValue} ]\n", "Kernels[0].Args[0].Align: is 3, expected a power of two"},
		{good + "    Args: [ {Size: 4, Align: 4, ValueKind: by_value} ]\n", `Kernels[0].Args[0].ValueKind: is "by_value"`},
		{good + "    Attrs: {ReqdWorkGroupSize: [1, 2]}\n", "Kernels[0].Attrs.ReqdWorkGroupSize: has 2 elements, expected 3"},
		{good + "    Language: 7\n", `Kernels[0].Language: is "7", expected one of`},
		{strings.Replace(good, "WavefrontSize: 64", "Wave: 64", 1), "Kernels[0].CodeProps.WavefrontSize: is required and missing"},
		{strings.Replace(good, "Size: 8,", "Size: many,", 1), "Kernels[0].CodeProps.KernargSegmentSize: is a string, expected an integer"},
	} {
		m, err := ReadMetadataV2(test.text)
		if err != nil {
			t.Fatal(err)
		}
		errs := m.Verify()
		if test.want == "" && errs != nil || test.want != "" && (len(errs) == 0 || !strings.HasPrefix(errs[0].Error(), test.want)) {
			t.Errorf("%v, want %q", errs, test.want)
		}
		if m.Kernels[0].Name != "5" || m.Kernels[0].SymbolName != "0x10" {
			t.Errorf("names %q %q", m.Kernels[0].Name, m.Kernels[0].SymbolName)
		}
	}
	if _, err := ReadMetadataV2("- 1"); err == nil || err.Error() != "metadata are an array, expected a map" {
		t.Error(err)
	}
}

// v2Docs are metadata of V2 with every key and with names that need quotes.
var v2Docs = []string{
	"Version: [1, 0]\n",
	"Version: [ 1, 0 ]\nPrintf:\n  - '1:1:4:%d\\n'\n  - \"2:1:8:%g\\n\"\nKernels: []\n",
	`Version: [1, 0]
Kernels:
  - Name: "5"
    SymbolName: 'a/b@kd'
    Language: OpenCL C
    LanguageVersion: [2, 0]
    Attrs: {ReqdWorkGroupSize: [1, 2, 4], WorkGroupSizeHint: [8, 16, 32], VecTypeHint: int, RuntimeHandle: h}
    Args:
      - {Name: a, TypeName: 'char*', Size: 8, Align: 8, ValueKind: GlobalBuffer, ValueType: I8, AddrSpaceQual: Global, AccQual: Default, ActualAccQual: ReadOnly, IsConst: true, IsRestrict: true, IsVolatile: true, IsPipe: true}
      - {Size: 0x10, Align: 4, ValueKind: DynamicSharedPointer, PointeeAlign: 16, AddrSpaceQual: Local, IsConst: false}
    CodeProps: {KernargSegmentSize: 24, GroupSegmentFixedSize: 24, PrivateSegmentFixedSize: 16, KernargSegmentAlign: 16, WavefrontSize: 64, NumSGPRs: 8, NumVGPRs: 4, MaxFlatWorkGroupSize: 256, IsDynamicCallStack: true, IsXNACKEnabled: true, NumSpilledSGPRs: 1, NumSpilledVGPRs: 2}
    DebugProps: {DebuggerABIVersion: [1, 0], ReservedNumVGPRs: 4, ReservedFirstVGPR: 11, PrivateSegmentBufferSGPR: 0, WavefrontPrivateSegmentOffsetSGPR: 11}
`,
	"Version: [1, 0]\nKernels:\n  - Name: 1e5\n    SymbolName: 'true'\n    Args:\n      - {Name: '~', TypeName: 'it''s', Size: 1, Align: 1, ValueKind: ByValue}\n      - {Name: \"a\\tb\", TypeName: \"\\u20ac\", Size: 1, Align: 1, ValueKind: ByValue}\n",
}

// TestMetadataV2LLVM compares the text of V2 with LLVM 14's.
func TestMetadataV2LLVM(t *testing.T) {
	mc := oracle.Tool(t, "llvm-mc-14")
	for _, doc := range v2Docs {
		out := filepath.Join(t.TempDir(), "x.o")
		src := ".amd_amdgpu_hsa_metadata\n" + doc + ".end_amd_amdgpu_hsa_metadata\n"
		if _, errs, exit := oracle.Run(t, []byte(src), 10*time.Second, mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx900",
			"--amdhsa-code-object-version=2", "-filetype=obj", "-o", out); exit != 0 {
			t.Errorf("LLVM rejects %s%s", doc, errs)
			continue
		}
		n, err := readShared(t, out).findNote(NoteOwnerV2, NT_AMD_HSA_METADATA)
		if err != nil || n == nil {
			t.Errorf("no metadata: %v", err)
			continue
		}
		for _, text := range []string{doc, n.NoteText()} {
			m, err := ReadMetadataV2(text)
			if err != nil {
				t.Errorf("%v: %s", err, text)
				continue
			}
			if errs := m.Verify(); errs != nil && text == doc {
				t.Errorf("%v: %s", errs, text)
			}
			m.Canonical()
			if ours, err := m.AppendYAML(nil); err != nil || string(ours) != n.NoteText() {
				t.Errorf("%v\nours\n%s\nLLVM's\n%s", err, ours, n.NoteText())
			}
		}
	}
}

func FuzzMetadata(f *testing.F) {
	for _, test := range verifyCases {
		if n, err := ReadYAML(test.text); err == nil {
			f.Add(n.AppendMsgpack(nil), test.text)
		}
	}
	f.Fuzz(func(t *testing.T, desc []byte, text string) {
		if n, err := ReadMsgpack(desc); err == nil {
			if m, err := DecodeMetadata(&n); err == nil {
				m.Verify(0)
				n.Sort()
				if b := m.AppendMsgpack(nil); !bytes.Equal(b, n.AppendMsgpack(nil)) {
					t.Fatalf("decoding changes the metadata:\n%q\n%q", b, n.AppendMsgpack(nil))
				}
			}
		}
		m, err := ReadMetadataV2(text)
		if err != nil {
			return
		}
		m.Verify()
		if len(desc) > 0 && desc[0]&1 == 0 {
			m.Canonical()
		}
		one, err := m.AppendYAML(nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadMetadataV2(string(one))
		if err != nil {
			if strings.Contains(err.Error(), "duplicate key") {
				return // keys that differed only in their text
			}
			t.Fatalf("%v\n%s", err, one)
		}
		if two, err := back.AppendYAML(nil); err != nil || !bytes.Equal(one, two) {
			t.Fatalf("%v: once\n%s\ntwice\n%s", err, one, two)
		}
	})
}
