package disasm_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/oracle"
	"github.com/gfx-toolchain/gfx/target"
)

// blocks gives the lines of a text from one that begins with first to the next
// that begins with last.
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

// codeObjects gives every n-th code object of the corpus of kernels.
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
		if exit != 0 {
			t.Fatalf("%s: llvm-objdump: %s", file, errs)
		}
		want := blocks(string(theirs), ".amdhsa_kernel", ".end_amdhsa_kernel")
		got := blocks(disassemble(t, obj), ".amdhsa_kernel", ".end_amdhsa_kernel")
		got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, ".amdhsa_user_sgpr_count ") })
		if len(want) == 0 || strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nllvm-objdump:\n%s", file, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		kernels++
	}
	t.Logf("%d code objects", kernels)
}

// TestDescriptorsAssemble assembles the directives that stand for the kernel
// descriptors of code objects; the descriptors are the same but for where the
// code is.
func TestDescriptorsAssemble(t *testing.T) {
	for _, file := range codeObjects(t, 5) {
		obj, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, line := range blocks(disassemble(t, obj), ".amdhsa_kernel", ".end_amdhsa_kernel") {
			if name, ok := strings.CutPrefix(line, ".amdhsa_kernel "); ok {
				text += ".text\n" + name + ":\ns_endpgm\n.rodata\n.p2align 6\n"
			}
			text += line + "\n"
		}
		compareDescriptors(t, file, obj, text)
	}
}

func compareDescriptors(t *testing.T, file string, obj []byte, text string) {
	o, err := codeobject.Read(obj)
	if err != nil {
		t.Fatal(err)
	}
	h, err := o.Target()
	if err != nil {
		t.Fatal(err)
	}
	features := ""
	if h.XNACK != target.Unsupported {
		features = "-xnack" // no XNACK mask is reserved in the text, but its SGPRs are counted
	}
	tgt, err := target.New(h.Triple.String(), h.Processor.Name, features)
	if err != nil {
		t.Fatal(err)
	}
	if !tgt.Processor.Is(target.GFX10_1) && tgt.Has(target.FeatureArchitectedFlatScratch) {
		return // no directive says that the flat scratch base, which is counted, takes no SGPRs of its own
	}
	tgt.COV = h.COV
	again, found := asm.Assemble(&asm.Source{Name: file, Text: []byte(text)}, asm.Options{Target: tgt})
	if found.HasErrors() {
		t.Fatalf("%v\n%s", found, text)
	}
	o2, err := codeobject.Read(again.Object)
	if err != nil {
		t.Fatal(err)
	}
	want, err := o.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	got, err := o2.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	if len(want) != len(got) {
		t.Fatalf("%s: %d kernels, assembled again %d", file, len(want), len(got))
	}
	for i := range want {
		got[i].Descriptor.KernelCodeEntryByteOffset = want[i].Descriptor.KernelCodeEntryByteOffset
		if *got[i].Descriptor != *want[i].Descriptor {
			t.Errorf("%s: %s: %+v, assembled again %+v", file, want[i].Name, *want[i].Descriptor, *got[i].Descriptor)
		}
	}
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

// TestKernelCode disassembles an amd_kernel_code_t as its directive, and
// assembles that again.
func TestKernelCode(t *testing.T) {
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	tgt.COV = 2
	assemble := func(text string) []byte {
		t.Helper()
		result, found := asm.Assemble(&asm.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: tgt})
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
	again := assemble(".hsa_code_object_version 2,1\n.hsa_code_object_isa 9,0,0,\"AMD\",\"AMDGPU\"\n.amdgpu_hsa_kernel k\n.p2align 8\n" + text)
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
