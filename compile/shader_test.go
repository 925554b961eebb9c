package compile

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

const triplePAL = "target triple = \"amdgcn-amd-amdpal\"\n"

// compileShaders compiles a module for amdpal.
func compileShaders(t *testing.T, cpu, source string, level int, format Format) []byte {
	t.Helper()
	r, err := Compile(context.Background(), []Input{{Name: "s.ll", Data: []byte(triplePAL + source)}}, Options{CPU: cpu, Level: level, Format: format, Verify: true})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	return r.Data
}

// llcShaders returns llc's text for a module, or false if llc fails.
func llcShaders(t *testing.T, cpu, source string) (string, bool) {
	t.Helper()
	out, _, code := oracle.Run(t, []byte(triplePAL+source), time.Minute, oracle.Tool(t, "llc-22"), "-mcpu="+cpu, "-o", "-")
	return string(out), code == 0
}

// codeNumbers matches the numbers of registers and bytes of scratch memory that
// depend on the code, in both formats.
var codeNumbers = regexp.MustCompile(`(_memory_size: |gpr_count: +|stack_size: |size_in_bytes: |,0x100000(?:2[1-9a-e]|4[4-9a]),)(?:0x[0-9a-f]+|0\b)|((?:COMPUTE_PGM_RSRC1\)': |0x2e12,)0x[0-9a-f]+)[0-9a-f]{3}\b`)

// metadataText returns the text from PAL's metadata on.
func metadataText(text string) string {
	for _, start := range []string{"\t.amdgpu_pal_metadata", "\t.amd_amdgpu_pal_metadata"} {
		if at := strings.Index(text, start); at >= 0 {
			return codeNumbers.ReplaceAllString(strings.TrimSpace(text[at:]), "${1}${2}N")
		}
	}
	return ""
}

// frontEnd returns metadata of a module in one of PAL's formats: a document with
// a version, or registers.
func frontEnd(version int) string {
	if version < 0 {
		return "!amdgpu.pal.metadata = !{!0}\n!0 = !{i32 11788, i32 5, i32 268435482, i32 7, i32 11787, i32 256}\n"
	}
	doc := codeobject.MapNode()
	doc.Set("amdpal.version", codeobject.ArrayNode(codeobject.UintNode(uint64(version/10)), codeobject.UintNode(uint64(version%10))))
	pipeline := codeobject.MapNode()
	pipeline.Set(".api", codeobject.StringNode("Vulkan"))
	registers := codeobject.MapNode()
	if version < 30 {
		registers.Items = append(registers.Items, codeobject.UintNode(0x2c0b), codeobject.UintNode(1<<30), codeobject.UintNode(0xa191), codeobject.UintNode(3))
	}
	pipeline.Set(".registers", registers)
	doc.Set("amdpal.pipelines", codeobject.ArrayNode(pipeline))
	var text strings.Builder
	for _, b := range doc.AppendMsgpack(nil) {
		fmt.Fprintf(&text, "\\%02X", b)
	}
	return "!amdgpu.pal.metadata.msgpack = !{!0}\n!0 = !{!\"" + text.String() + "\"}\n"
}

// TestPALMetadataLikeLLC compares the metadata of shaders with llc's, in all
// formats.
func TestPALMetadataLikeLLC(t *testing.T) {
	source, err := os.ReadFile("testdata/shaders.ll")
	if err != nil {
		t.Fatal(err)
	}
	for _, cpu := range []string{"gfx600", "gfx700", "gfx801", "gfx900", "gfx1010", "gfx1030", "gfx1100", "gfx1200"} {
		for _, version := range []int{-1, 0, 21, 30, 36} {
			text := string(source)
			if version != 0 {
				text += frontEnd(version)
			}
			want, ok := llcShaders(t, cpu, text)
			if !ok {
				t.Fatalf("%s: llc failed", cpu)
			}
			got := string(compileShaders(t, cpu, text, 2, Assembly))
			if diff := cmp.Diff(strings.Split(metadataText(want), "\n"), strings.Split(metadataText(got), "\n")); diff != "" {
				t.Errorf("%s, version %d (-llc +gfx):\n%s", cpu, version, diff)
			}
		}
	}
}

// TestPALObject compares the text of a code object with the object: assembled,
// the text has the same code and notes.
func TestPALObject(t *testing.T) {
	source, err := os.ReadFile("testdata/shaders.ll")
	if err != nil {
		t.Fatal(err)
	}
	for _, cpu := range []string{"gfx900", "gfx1100"} {
		for _, version := range []int{-1, 36} {
			text := string(source) + frontEnd(version)
			object := readObject(t, compileShaders(t, cpu, text, 1, Object))
			file := filepath.Join(t.TempDir(), "a.s")
			if err := os.WriteFile(file, compileShaders(t, cpu, text, 1, Assembly), 0o666); err != nil {
				t.Fatal(err)
			}
			out, stderr, code := oracle.Run(t, nil, time.Minute, oracle.Tool(t, "llvm-mc-22"), "-triple=amdgcn-amd-amdpal", "-mcpu="+cpu, "-filetype=obj", "-o", "-", file)
			if code != 0 {
				t.Fatalf("llvm-mc: %s", stderr)
			}
			assembled := readObject(t, out)
			if !bytes.Equal(sectionData(t, object, ".text"), sectionData(t, assembled, ".text")) {
				t.Errorf("%s: the code differs", cpu)
			}
			if object.Header.OSABI != codeobject.ELFOSABI_AMDGPU_PAL {
				t.Errorf("%s: OS ABI %v", cpu, object.Header.OSABI)
			}
			want, got := palNote(t, assembled), palNote(t, object)
			if len(want) == 0 || !bytes.Equal(want, got) {
				t.Errorf("%s, version %d: metadata\n%q, assembled\n%q", cpu, version, got, want)
			}
		}
	}
}

func readObject(t *testing.T, data []byte) *codeobject.Object {
	t.Helper()
	o, err := codeobject.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func sectionData(t *testing.T, o *codeobject.Object, name string) []byte {
	t.Helper()
	for _, s := range o.Sections {
		if s.Name == name {
			return s.Data
		}
	}
	t.Fatalf("no section %s", name)
	return nil
}

// palNote returns the description of the note with PAL's metadata.
func palNote(t *testing.T, o *codeobject.Object) []byte {
	t.Helper()
	notes, err := codeobject.ReadNotes(sectionData(t, o, ".note"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notes {
		if n.Is(codeobject.NoteOwner, codeobject.NT_AMDGPU_METADATA) || n.Is(codeobject.NoteOwnerV2, codeobject.NT_AMD_PAL_METADATA) {
			return n.Desc
		}
	}
	return nil
}

// TestPALMetadataErrors compiles modules with invalid metadata, and kernels.
func TestPALMetadataErrors(t *testing.T) {
	for _, c := range []struct{ triple, source, want string }{
		{"amdgcn-amd-amdpal", "define amdgpu_cs void @f() { ret void }\n!amdgpu.pal.metadata.msgpack = !{!0}\n!0 = !{!\"\\C1\"}", "metadata !amdgpu.pal.metadata.msgpack: "},
		{"amdgcn-amd-amdpal", "define amdgpu_cs void @f() { ret void }\n!amdgpu.pal.metadata.msgpack = !{!0}\n!0 = !{!\"\\90\"}", "instead of a map"},
		{"amdgcn-amd-amdpal", "define amdgpu_cs void @f() { ret void }\n!amdgpu.pal.metadata.msgpack = !{!0}\n!0 = !{!\"\\81\\B0amdpal.pipelines\\01\"}", "expected an array"},
		{"amdgcn-amd-amdhsa", "define amdgpu_ps void @f() { ret void }", "the calling convention amdgpu_ps is not supported for amdhsa"},
		{"amdgcn-mesa-mesa3d", "define amdgpu_cs void @f() { ret void }", "the calling convention amdgpu_cs is not supported for mesa3d"},
		{"amdgcn-amd-amdpal", "define amdgpu_cs [50 x i32] @f([50 x i32] %x) { ret [50 x i32] %x }", "a result of 50 scalar registers is more than 44"},
		{"amdgcn-amd-amdpal", "define amdgpu_cs void @f([50 x i32] inreg %x) { ret void }", "arguments that need more than 44 SGPRs or 136 VGPRs"},
	} {
		_, err := Compile(context.Background(), []Input{{Name: "s.ll", Data: []byte("target triple = \"" + c.triple + "\"\n" + c.source)}}, Options{CPU: "gfx900"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.source, err, c.want)
		}
	}
}

// TestSampleHelpers checks that helper lanes compute the coordinates of samples
// with implicit derivatives, in pixel shaders only.
func TestSampleHelpers(t *testing.T) {
	const source = `define amdgpu_CC <4 x float> @f(<8 x i32> inreg %rsrc, <4 x i32> inreg %samp, <2 x float> %c) {
  %a = extractelement <2 x float> %c, i32 0
  %b = extractelement <2 x float> %c, i32 1
  %t = call <4 x float> @llvm.amdgcn.image.sample.OP2d.v4f32.f32(i32 15, float %b, float %a, <8 x i32> %rsrc, <4 x i32> %samp, i1 false, i32 0, i32 0)
  ret <4 x float> %t
}`
	for _, c := range []struct {
		cc, op string
		want   bool
	}{{"ps", "", true}, {"ps", "lz.", false}, {"cs", "", false}} {
		text := string(compileShaders(t, "gfx1100", strings.NewReplacer("CC", c.cc, "OP", c.op).Replace(source), 2, Assembly))
		if got := strings.Contains(text, "s_wqm_b32 exec_lo, exec_lo"); got != c.want {
			t.Errorf("amdgpu_%s, sample.%s: helper lanes %t, want %t:\n%s", c.cc, c.op, got, c.want, text)
		}
	}
}

// TestShaderText stops after a pass, and starts again from the text, which is
// refused.
func TestShaderText(t *testing.T) {
	for _, cc := range []string{"amdgpu_cs", "amdgpu_cs_chain"} {
		source := triplePAL + "define " + cc + " void @f(i32 inreg %a) { ret void }"
		r, err := Compile(context.Background(), []Input{{Name: "s.ll", Data: []byte(source)}}, Options{CPU: "gfx1100", StopAfter: "isel"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = Compile(context.Background(), []Input{{Name: "s.mir", Data: r.Data}}, Options{CPU: "gfx1100", StartAfter: "isel"})
		if err == nil || !strings.Contains(err.Error(), "expected a function or a kernel with a descriptor") {
			t.Errorf("%s: %v", cc, err)
		}
	}
}

// TestShaderPrologues checks instructions that llc also emits: the scratch
// descriptor of an unknown system and in a table at a known address, and a chain call
// with dynamic VGPRs.
func TestShaderPrologues(t *testing.T) {
	const scratch = "define amdgpu_cs void @f(i32 inreg %x, i32 %i) #0 {\n  %p = alloca [16 x i32], addrspace(5)\n  %q = getelementptr [16 x i32], ptr addrspace(5) %p, i32 0, i32 %i\n" +
		"  store volatile i32 %x, ptr addrspace(5) %q\n  ret void\n}\nattributes #0 = { \"amdgpu-git-ptr-high\"=\"0x1234\" }\n"
	const chain = "define amdgpu_cs_chain void @f(i32 inreg %n, i32 inreg %m, ptr inreg %p, ptr inreg %q, i32 %v) \"amdgpu-dynamic-vgpr-block-size\"=\"16\" {\n" +
		"  call void (ptr, i32, i32, i32, i32, ...) @llvm.amdgcn.cs.chain.i32(ptr %p, i32 -1, i32 inreg %m, i32 %v, i32 1, i32 %n, i32 %m, ptr %q)\n  unreachable\n}\n"
	for _, c := range []struct {
		cpu, triple, source string
		want                []string
	}{
		{"gfx700", "amdgcn--", scratch, []string{"SCRATCH_RSRC_DWORD0@abs32@lo", "SCRATCH_RSRC_DWORD1@abs32@lo", "0xe8f000"}},
		{"gfx801", "amdgcn--", scratch, []string{"SCRATCH_RSRC_DWORD0@abs32@lo", "0xe80000"}},
		{"gfx1030", "amdgcn--", scratch, []string{"SCRATCH_RSRC_DWORD0@abs32@lo", "0xffff", "hwreg(HW_REG_FLAT_SCR_LO)"}},
		{"gfx801", "amdgcn-amd-amdpal", scratch, []string{", 0x1234\n", "s_load_dwordx4 s[0:3], s[0:1], 0x10"}},
		{"gfx1200", "amdgcn-amd-amdpal", chain, []string{"s_alloc_vgpr s", "s_cselect_b32 s", "s_cselect_b64 s", "s_mov_b32 exec_lo, s", "s_setpc_b64 s"}},
	} {
		r, err := Compile(context.Background(), []Input{{Name: "s.ll", Data: []byte("target triple = \"" + c.triple + "\"\n" + c.source)}}, Options{CPU: c.cpu, Level: 2, Format: Assembly, Verify: true})
		if err != nil {
			t.Errorf("%s: %v", c.cpu, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(string(r.Data), want) {
				t.Errorf("%s, %s: no %q in\n%s", c.cpu, c.triple, want, r.Data)
			}
		}
	}
}

// TestGraphicsAperture casts private pointers in a graphics function. Before
// gfx9, the aperture is in the queue, which such a function cannot find.
func TestGraphicsAperture(t *testing.T) {
	const source = "target triple = \"amdgcn-amd-amdhsa\"\n" +
		"define amdgpu_gfx ptr @f(ptr addrspace(5) %p) {\n  %q = addrspacecast ptr addrspace(5) %p to ptr\n  ret ptr %q\n}\n"
	for cpu, want := range map[string]string{"gfx703": "which amdgpu_gfx functions would have to read from the queue", "gfx803": "which amdgpu_gfx functions", "gfx900": ""} {
		_, err := Compile(context.Background(), []Input{{Name: "s.ll", Data: []byte(source)}}, Options{CPU: cpu})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", cpu, err)
		}
	}
}

// TestChainRefusals compiles calls of chain functions that the processor lacks.
func TestChainRefusals(t *testing.T) {
	for _, c := range []struct{ cpu, mask, flags, want string }{
		{"gfx803", "i64", "i32 0", "cs.chain before gfx9"},
		{"gfx1100", "i64", "i32 0", "with a mask for another wave size"},
		{"gfx1100", "i32", "i32 1, i32 %m, i32 %m, ptr %p", "with dynamic VGPRs before gfx12"},
	} {
		source := triplePAL + "define amdgpu_cs_chain void @f(ptr inreg %p, i32 inreg %m, i32 %v) {\n  call void (ptr, MASK, i32, i32, i32, ...) @llvm.amdgcn.cs.chain.MASK(ptr %p, MASK -1, i32 inreg %m, i32 %v, FLAGS)\n  unreachable\n}\n"
		source = strings.NewReplacer("MASK", c.mask, "FLAGS", c.flags).Replace(source)
		_, err := Compile(context.Background(), []Input{{Name: "s.ll", Data: []byte(source)}}, Options{CPU: c.cpu})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.cpu, err, c.want)
		}
	}
}

// TestChainPreserves checks that a function stores and loads a VGPR above its
// arguments that it must preserve.
func TestChainPreserves(t *testing.T) {
	const source = triplePAL + "define amdgpu_cs_chain_preserve void @f(ptr inreg %p, i32 inreg %m, i32 %v) {\n  call void asm sideeffect \"; v60\", \"~{v60}\"()\n" +
		"  call void (ptr, i32, i32, i32, i32, ...) @llvm.amdgcn.cs.chain.i32(ptr %p, i32 -1, i32 inreg %m, i32 %v, i32 0)\n  unreachable\n}\n"
	text := string(compileShaders(t, "gfx1100", source, 2, Assembly))
	store, load := strings.Index(text, "scratch_store_b32 off, v60"), strings.Index(text, "scratch_load_b32 v60")
	if store < 0 || load < store {
		t.Errorf("v60 is not preserved:\n%s", text)
	}
}
