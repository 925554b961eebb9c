package compile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/target"
)

// Shaders run inside a kernel. It fills the registers as the driver and the
// hardware would, and stores the shader's results, which are the inputs of the
// code that follows the shader.

const (
	inputSGPRs  = 16
	inputVGPRs  = 8
	outputAt    = 16384 // bytes: the results of each lane, then the scalar ones
	outputVGPRs = 4
	outputSGPRs = 8
	outputEnd   = outputAt + 256*outputVGPRs + 4*(outputSGPRs+2)
)

// shaderCode is the code of a shader: it is entered at an offset.
type shaderCode struct {
	bytes []byte
	entry uint64
}

// codeOf returns the code up to the end of a shader in an object.
func codeOf(t *testing.T, object []byte, name string) shaderCode {
	t.Helper()
	o, err := codeobject.Read(object)
	if err != nil {
		t.Fatal(err)
	}
	text := o.Section(".text")
	for _, s := range o.Symbols {
		if s.Name == name {
			at := s.Value - text.Addr
			return shaderCode{text.Data[:at+s.Size], at}
		}
	}
	t.Fatalf("no symbol %s", name)
	return shaderCode{}
}

// shaderRun is a shader with the register in which it expects the offset of the
// wave's scratch memory.
type shaderRun struct {
	cpu, name string
	code      shaderCode
	offset    int // number of arguments in SGPRs
	lanes     int // active at the entry
	options   device.Options
	setup     string // instructions at the end
}

// text returns the kernel.
func (r *shaderRun) text() string {
	var b strings.Builder
	old := r.cpu == "gfx900"
	flat := old || r.cpu == "gfx1030" // the shader sets FLAT_SCRATCH
	wave := 32
	if old {
		wave = 64
	}
	fmt.Fprintf(&b, "\t.amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n\t.data\n\t.p2align 4\ngit:\n\t.zero 64\n\t.text\n\t.globl k\n\t.p2align 8\n\t.type k,@function\nk:\n", r.cpu)
	mask := "s_mov_b32 exec_lo"
	if old {
		mask = "s_mov_b64 exec"
	}
	fmt.Fprintf(&b, "s_load_dwordx2 s[90:91], s[0:1], 0x0\ns_mov_b32 s92, s2\ns_mov_b32 s93, s3\ns_mov_b32 s94, s5\nv_lshlrev_b32_e32 v60, 2, v0\ns_waitcnt lgkmcnt(0)\n")
	b.WriteString("s_getpc_b64 s[62:63]\ns_add_u32 s62, s62, git@rel32@lo+4\ns_addc_u32 s63, s63, git@rel32@hi+12\n")
	if flat {
		b.WriteString("v_mov_b32_e32 v61, 0\nv_mov_b32_e32 v62, s92\nv_mov_b32_e32 v63, s93\nglobal_store_dwordx2 v61, v[62:63], s[62:63] offset:16\ns_waitcnt vmcnt(0)\n")
		if !old {
			b.WriteString("s_waitcnt_vscnt null, 0x0\n")
		}
	}
	for k := range inputVGPRs {
		fmt.Fprintf(&b, "v_add_u32_e32 v61, %d, v60\nglobal_load_dword v%d, v61, s[90:91]\n", 256+256*k, k)
	}
	fmt.Fprintf(&b, "s_load_dwordx16 s[0:15], s[90:91], 0x0\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_mov_b32 s0, s62\n")
	if flat {
		fmt.Fprintf(&b, "s_mov_b32 s%d, s94\n", r.offset)
	}
	fmt.Fprintf(&b, r.setup+"%s, %#x\ns_branch entry\n\t.p2align 8\n", mask, uint64(1)<<r.lanes-1)
	for at := uint64(0); at < uint64(len(r.code.bytes)); at += 4 {
		if at == r.code.entry {
			b.WriteString("entry:\n")
		}
		fmt.Fprintf(&b, "\t.long %#x\n", binary.LittleEndian.Uint32(r.code.bytes[at:]))
	}
	if r.code.entry == uint64(len(r.code.bytes)) {
		b.WriteString("entry:\n")
	}
	save := "s_mov_b32 s92, exec_lo\ns_mov_b32 s93, exec_hi\n"
	fmt.Fprintf(&b, "%s%s, -1\nv_mbcnt_lo_u32_b32 v60, -1, 0\n", save, mask)
	if old {
		b.WriteString("v_mbcnt_hi_u32_b32 v60, -1, v60\n")
	}
	b.WriteString("v_lshlrev_b32_e32 v60, 2, v60\n")
	for k := range outputVGPRs {
		fmt.Fprintf(&b, "v_add_u32_e32 v61, %d, v60\nglobal_store_dword v61, v%d, s[90:91]\n", outputAt+256*k, k)
	}
	for k := range outputSGPRs + 2 {
		s := k
		if k >= outputSGPRs {
			s = 92 + k - outputSGPRs
		}
		fmt.Fprintf(&b, "v_mov_b32_e32 v61, %d\nv_mov_b32_e32 v62, s%d\nglobal_store_dword v61, v62, s[90:91]\n", outputAt+256*outputVGPRs+4*k, s)
	}
	b.WriteString("s_endpgm\n.Lend:\n\t.size k, .Lend-k\n\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel k\n\t.amdhsa_group_segment_fixed_size 1024\n\t.amdhsa_private_segment_fixed_size 1024\n" +
		"\t.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\t.amdhsa_next_free_vgpr 128\n\t.amdhsa_next_free_sgpr 96\n")
	if flat {
		b.WriteString("\t.amdhsa_user_sgpr_flat_scratch_init 1\n\t.amdhsa_system_sgpr_private_segment_wavefront_offset 1\n")
	} else {
		b.WriteString("\t.amdhsa_enable_private_segment 1\n")
	}
	if !old {
		fmt.Fprintf(&b, "\t.amdhsa_wavefront_size32 1\n")
	}
	b.WriteString("\t.end_amdhsa_kernel\n")
	text := strings.Replace(b.String(), "\t.rodata\n", "\t.section .rodata,\"a\",@progbits\n", 1)
	fmt.Fprintf(&b, "%d", wave)
	if !old {
		text = strings.ReplaceAll(text, "v_add_u32_e32", "v_add_nc_u32_e32")
	}
	if r.cpu == "gfx1200" {
		text = strings.NewReplacer("s_waitcnt vmcnt(0) lgkmcnt(0)", "s_wait_loadcnt 0x0\ns_wait_kmcnt 0x0", "s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0",
			"s_getpc_b64 s[62:63]\n", "s_getpc_b64 s[62:63]\n", "s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0").Replace(text)
	}
	return text + fmt.Sprintf(`	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 1024
    .wavefront_size: %d
    .sgpr_count: 100
    .vgpr_count: 128
    .max_flat_workgroup_size: 64
    .args:
      - .size: 8
        .offset: 0
        .value_kind: global_buffer
        .address_space: global
...
	.end_amdgpu_metadata
`, wave)
}

// inputWord returns the contents of the buffer with the inputs.
func inputWord(at int) uint32 {
	if at < 64 {
		return uint32(at)*3 + 1
	}
	return uint32(at-64)%64*7 + uint32(at-64)/64*1000
}

// run runs the shader and returns the buffer.
func (r *shaderRun) run(t *testing.T) []byte {
	t.Helper()
	text := r.text()
	id, err := target.New("amdgcn-amd-amdhsa", r.cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	o, list := asm.Assemble(&diag.Source{Name: "k.s", Text: []byte(text)}, asm.Options{Target: id})
	if list.HasErrors() {
		t.Fatalf("%v in\n%s", list.Err(), text)
	}
	code, err := link.Link([]link.Input{{Name: "k.o", Data: o.Object}}, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var data []byte
	for at := range outputEnd / 4 {
		data = binary.LittleEndian.AppendUint32(data, inputWord(at))
	}
	lanes := uint32(32)
	if r.cpu == "gfx900" {
		lanes = 64
	}
	man := &manifest.Manifest{Name: r.name, Buffers: []manifest.Buffer{{Name: "b", Type: manifest.LookupType("u32"), Count: outputEnd / 4, Fill: manifest.Fill{Kind: manifest.FillValues, Values: data}}},
		Dispatches: []manifest.Dispatch{{Kernel: "k", Dims: 1, Grid: [3]uint32{lanes, 1, 1}, Group: [3]uint16{uint16(lanes), 1, 1}, Args: []manifest.Arg{{Kind: manifest.ArgBuffer}}}}}
	open := func(string) (io.ReadCloser, error) { return nil, errors.New("no files") }
	got, err := kernelrun.Run(context.Background(), r.name, code, man, open, kernelrun.Options{Simulator: r.options})
	if err != nil {
		t.Fatalf("%s, %s: %v\n%s", r.cpu, r.name, err, text)
	}
	return got.Contents[0]
}

// results are the registers and active lanes after a shader.
type results struct {
	v    [outputVGPRs][64]uint32
	s    [outputSGPRs]uint32
	exec uint64
}

func resultsOf(data []byte) (r results) {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(data[outputAt+at:]) }
	for k := range r.v {
		for lane := range r.v[k] {
			r.v[k][lane] = word(256*k + 4*lane)
		}
	}
	for k := range r.s {
		r.s[k] = word(256*outputVGPRs + 4*k)
	}
	r.exec = uint64(word(256*outputVGPRs+4*outputSGPRs)) | uint64(word(256*outputVGPRs+4*outputSGPRs+4))<<32
	return r
}

const runTriple = "target triple = \"amdgcn-amd-amdpal\"\n"

// compilePAL returns the linked code of shaders.
func compilePAL(t *testing.T, cpu, source string, level int) []byte {
	t.Helper()
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "s.ll", Data: []byte(runTriple + source)}}, compile.Options{CPU: cpu, Level: level, Verify: true})
	if err != nil {
		t.Fatalf("%s -O%d: %v", cpu, level, err)
	}
	return res.Data
}

var runProcessors = []string{"gfx900", "gfx1030", "gfx1100", "gfx1200"}

// runCase is a shader @f with the registers that must be equal to llc's.
type runCase struct {
	name, source string
	offset       int
	vgprs, sgprs int // results
	lanes        int
	llc          bool // its code has no relocations
}

var runCases = []runCase{
	{name: "arguments", offset: 4, vgprs: 2, sgprs: 5, lanes: 20, llc: true, source: `define amdgpu_cs {<2 x i32>, float, i64, <2 x half>, i32} @f(i32 inreg %p, i32 inreg %x, i64 inreg %y, float %a, <2 x i32> %b, i64 %c, <2 x half> %h) {
  %i = add i32 %x, 5
  %v0 = insertelement <2 x i32> poison, i32 %i, i32 0
  %b1 = extractelement <2 x i32> %b, i32 1
  %v1 = insertelement <2 x i32> %v0, i32 %b1, i32 1
  %z = add i64 %y, %c
  %g = bitcast float %a to i32
  %g2 = add i32 %g, %b1
  %gf = bitcast i32 %g2 to float
  %r0 = insertvalue {<2 x i32>, float, i64, <2 x half>, i32} poison, <2 x i32> %v1, 0
  %r1 = insertvalue {<2 x i32>, float, i64, <2 x half>, i32} %r0, float %gf, 1
  %r2 = insertvalue {<2 x i32>, float, i64, <2 x half>, i32} %r1, i64 %z, 2
  %r3 = insertvalue {<2 x i32>, float, i64, <2 x half>, i32} %r2, <2 x half> %h, 3
  %r4 = insertvalue {<2 x i32>, float, i64, <2 x half>, i32} %r3, i32 %x, 4
  ret {<2 x i32>, float, i64, <2 x half>, i32} %r4
}`},
	{name: "scratch", offset: 3, vgprs: 1, sgprs: 1, lanes: 32, source: `define amdgpu_gfx i32 @twice(i32 %x) noinline {
  %p = alloca [8 x i32], addrspace(5)
  %i = and i32 %x, 7
  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i
  store volatile i32 %x, ptr addrspace(5) %q
  %l = load volatile i32, ptr addrspace(5) %q
  %s = add i32 %l, %x
  ret i32 %s
}
define amdgpu_cs {float, i32} @f(i32 inreg %git, i32 inreg %x, i32 inreg %y, i32 %a, i32 %b) {
  %p = alloca [16 x i32], addrspace(5)
  %i = and i32 %a, 15
  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i
  store volatile i32 %b, ptr addrspace(5) %q
  %l = load volatile i32, ptr addrspace(5) %q
  %t = call amdgpu_gfx i32 @twice(i32 %l)
  %l2 = load volatile i32, ptr addrspace(5) %q
  %s = add i32 %l2, %t
  %s2 = add i32 %s, %x
  %fl = bitcast i32 %s2 to float
  %r0 = insertvalue {float, i32} poison, float %fl, 0
  %r1 = insertvalue {float, i32} %r0, i32 %y, 1
  ret {float, i32} %r1
}`},
	{name: "lds", offset: 1, vgprs: 1, lanes: 32, source: `@lds = addrspace(3) global [64 x i32] poison
define amdgpu_cs float @f(i32 inreg %git, i32 %a, i32 %b) {
  %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
  %q = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %l
  store i32 %b, ptr addrspace(3) %q
  call void @llvm.amdgcn.s.barrier()
  %o = xor i32 %l, 1
  %p = getelementptr [64 x i32], ptr addrspace(3) @lds, i32 0, i32 %o
  %v = load i32, ptr addrspace(3) %p
  %r = bitcast i32 %v to float
  ret float %r
}`},
	{name: "loop", offset: 2, vgprs: 1, lanes: 13, llc: true, source: `define amdgpu_cs float @f(i32 inreg %git, i32 inreg %n, i32 %a) {
entry:
  %m = and i32 %a, 31
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %s = phi i32 [ %n, %entry ], [ %t, %loop ]
  %u = mul i32 %s, 3
  %t = add i32 %u, %i
  %j = add i32 %i, 1
  %c = icmp ult i32 %i, %m
  br i1 %c, label %loop, label %end
end:
  %r = bitcast i32 %t to float
  ret float %r
}`},
	{name: "kill", offset: 1, vgprs: 2, lanes: 30, llc: true, source: `define amdgpu_ps <2 x float> @f(i32 inreg %git, <2 x i32> %ij, i32 %z) #0 {
  %a = extractelement <2 x i32> %ij, i32 0
  %c = icmp ugt i32 %a, 40
  call void @llvm.amdgcn.kill(i1 %c)
  %d = icmp ult i32 %a, 100
  br i1 %d, label %t, label %e
t:
  %k = icmp ne i32 %a, 63
  call void @llvm.amdgcn.kill(i1 %k)
  br label %e
e:
  %x = phi i32 [ 3, %t ], [ 4, %0 ]
  %y = add i32 %x, %a
  %f = bitcast i32 %y to float
  %g = bitcast i32 %x to float
  %r0 = insertelement <2 x float> poison, float %f, i32 0
  %r1 = insertelement <2 x float> %r0, float %g, i32 1
  ret <2 x float> %r1
}
attributes #0 = { "InitialPSInputAddr"="3" }`},
}

// TestChainsRun runs a shader and two chain functions, the last of which exports
// its arguments and ends.
func TestChainsRun(t *testing.T) {
	const source = `declare void @llvm.amdgcn.cs.chain.iN(ptr, iN, {i32, i64} inreg, {i32, <2 x float>}, i32 immarg, ...)
define PRESERVE void @last(i32 inreg %a, i64 inreg %b, i32 %x, <2 x float> %y) {
  %p = alloca [4 x i32], addrspace(5)
  %i = and i32 %x, 3
  %q = getelementptr i32, ptr addrspace(5) %p, i32 %i
  store volatile i32 %x, ptr addrspace(5) %q
  %l = load volatile i32, ptr addrspace(5) %q
  %bt = trunc i64 %b to i32
  %s = add i32 %l, %bt
  %f0 = bitcast i32 %s to float
  %f1 = extractelement <2 x float> %y, i32 1
  %f2 = bitcast i32 %a to float
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %f0, float %f1, float %f2, float 2.0, i1 true, i1 true)
  ret void
}
define amdgpu_cs_chain void @middle(i32 inreg %a, i64 inreg %b, i32 %x, <2 x float> %y) {
  %c = icmp eq i32 %a, 12345
  br i1 %c, label %stop, label %go
stop:
  ret void
go:
  %a2 = add i32 %a, 1
  %b2 = add i64 %b, 4294967296
  %x2 = mul i32 %x, 3
  %s0 = insertvalue {i32, i64} poison, i32 %a2, 0
  %s1 = insertvalue {i32, i64} %s0, i64 %b2, 1
  %v0 = insertvalue {i32, <2 x float>} poison, i32 %x2, 0
  %v1 = insertvalue {i32, <2 x float>} %v0, <2 x float> %y, 1
  call void (ptr, iN, {i32, i64}, {i32, <2 x float>}, i32, ...) @llvm.amdgcn.cs.chain.iN(ptr @last, iN 255, {i32, i64} inreg %s1, {i32, <2 x float>} %v1, i32 0)
  unreachable
}
define amdgpu_cs void @f(i32 inreg %git, i32 inreg %a, i32 %x, i32 %y) {
  %f = bitcast i32 %y to float
  %p0 = insertelement <2 x float> zeroinitializer, float %f, i32 1
  %w = zext i32 %a to i64
  %s0 = insertvalue {i32, i64} poison, i32 %a, 0
  %s1 = insertvalue {i32, i64} %s0, i64 %w, 1
  %v0 = insertvalue {i32, <2 x float>} poison, i32 %x, 0
  %v1 = insertvalue {i32, <2 x float>} %v0, <2 x float> %p0, 1
  call void (ptr, iN, {i32, i64}, {i32, <2 x float>}, i32, ...) @llvm.amdgcn.cs.chain.iN(ptr @middle, iN 4095, {i32, i64} inreg %s1, {i32, <2 x float>} %v1, i32 0)
  unreachable
}`
	for _, cpu := range runProcessors {
		for _, preserve := range []string{"amdgpu_cs_chain", "amdgpu_cs_chain_preserve"} {
			for _, level := range []int{0, 2} {
				bits := "i32"
				if cpu == "gfx900" {
					bits = "i64"
				}
				text := strings.NewReplacer("iN", bits, "PRESERVE", preserve).Replace(source)
				var list []device.Export
				r := shaderRun{cpu: cpu, name: "chain", code: codeOf(t, compilePAL(t, cpu, text, level), "f"), offset: 2, lanes: 24,
					options: device.Options{Export: func(e *device.Export) { list = append(list, *e) }}}
				r.run(t)
				if len(list) != 1 || list[0].Exec != 255 {
					t.Fatalf("%s -O%d: %d exports %+v", cpu, level, len(list), list)
				}
				for lane := range 8 {
					a, x, y := inputWord(1), inputWord(64+lane), inputWord(128+lane)
					for k, want := range []uint32{3*x + a, y, a + 1} {
						if got := list[0].Data[k][lane]; got != want {
							t.Errorf("%s -O%d, %s: component %d of lane %d is %d, want %d", cpu, level, preserve, k, lane, got, want)
						}
					}
				}
			}
		}
	}
}

// TestShadersRun runs shaders on four generations and compares the results with
// llc's code, or with numbers.
func TestShadersRun(t *testing.T) {
	for _, cpu := range runProcessors {
		for _, c := range runCases {
			var want *results
			if c.llc {
				want = llcResults(t, cpu, &c)
			}
			for _, level := range []int{0, 2} {
				r := shaderRun{cpu: cpu, name: c.name, code: codeOf(t, compilePAL(t, cpu, c.source, level), "f"), offset: c.offset, lanes: c.lanes}
				got := resultsOf(r.run(t))
				if want == nil {
					want = new(results)
					want.exec = 1<<c.lanes - 1
					for lane := range c.lanes {
						want.v[0][lane] = wantLane(c.name, lane)
					}
					if c.sgprs > 0 {
						want.s[0] = inputWord(2)
					}
				}
				compareResults(t, fmt.Sprintf("%s -O%d: %s", cpu, level, c.name), &c, &got, want)
			}
		}
	}
}

// wantLane returns the result of a lane.
func wantLane(name string, lane int) uint32 {
	in := func(v, lane int) uint32 { return inputWord(64 + 64*v + lane) }
	if name == "lds" {
		return in(1, lane^1)
	}
	return 3*in(1, lane) + inputWord(1)
}

// llcResults runs llc's code for a shader.
func llcResults(t *testing.T, cpu string, c *runCase) *results {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.ll"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(in, []byte(runTriple+c.source), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := oracle.Run(t, nil, time.Minute, oracle.Tool(t, "llc-22"), "-mcpu="+cpu, "-filetype=obj", "-o", out, in); code != 0 {
		t.Fatalf("llc: %s", stderr)
	}
	object, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	r := shaderRun{cpu: cpu, name: c.name, code: codeOf(t, object, "f"), offset: c.offset, lanes: c.lanes}
	x := resultsOf(r.run(t))
	return &x
}

func compareResults(t *testing.T, what string, c *runCase, got, want *results) {
	t.Helper()
	if got.exec != want.exec {
		t.Errorf("%s: lanes %#x, want %#x", what, got.exec, want.exec)
	}
	for k := range c.vgprs {
		for lane := range 64 {
			if want.exec>>lane&1 != 0 && got.v[k][lane] != want.v[k][lane] {
				t.Errorf("%s: v%d of lane %d is %#x, want %#x", what, k, lane, got.v[k][lane], want.v[k][lane])
				break
			}
		}
	}
	if !slices.Equal(got.s[:c.sgprs], want.s[:c.sgprs]) {
		t.Errorf("%s: scalar results %#x, want %#x", what, got.s[:c.sgprs], want.s[:c.sgprs])
	}
}

// TestPixelExports runs pixel shaders that export a color: of the lanes that
// remain, or nothing if none remains.
func TestPixelExports(t *testing.T) {
	const source = `define amdgpu_ps void @f(i32 inreg %git, <2 x i32> %ij) #0 {
  %a = extractelement <2 x i32> %ij, i32 0
  %c = icmp ugt i32 %a, LIMIT
  call void @llvm.amdgcn.kill(i1 %c)
  %f = bitcast i32 %a to float
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %f, float 1.0, float %f, float 2.0, i1 true, i1 true)
  ret void
}
attributes #0 = { "InitialPSInputAddr"="3" }`
	for _, cpu := range runProcessors {
		for _, limit := range []uint32{40, 100000} {
			for _, level := range []int{0, 2} {
				var list []device.Export
				code := codeOf(t, compilePAL(t, cpu, strings.ReplaceAll(source, "LIMIT", fmt.Sprint(limit)), level), "f")
				r := shaderRun{cpu: cpu, name: "export", code: code, offset: 1, lanes: 24, options: device.Options{Export: func(e *device.Export) { list = append(list, *e) }}}
				r.run(t)
				exec := uint64(0)
				for lane := range 24 {
					if inputWord(64+lane) > limit {
						exec |= 1 << lane
					}
				}
				if len(list) != 1 || !list[0].Done || list[0].Exec != exec || (list[0].Enabled != 0) != (exec != 0) {
					t.Fatalf("%s -O%d, limit %d: %+v, want one export of lanes %#x", cpu, level, limit, list, exec)
				}
				for lane := range 24 {
					if exec>>lane&1 != 0 && (list[0].Data[0][lane] != inputWord(64+lane) || list[0].Data[1][lane] != 0x3f800000) {
						t.Errorf("%s -O%d: lane %d exports %#x", cpu, level, lane, list[0].Data[0][lane])
					}
				}
			}
		}
	}
}
