package compile_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// bareKernels are kernels whose inputs are compared with llc's.
var bareKernels = []string{`define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %x) ATTRS {
  %a = alloca [4 x i32], addrspace(5)
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %i = and i32 %y, 3
  %q = getelementptr i32, ptr addrspace(5) %a, i32 %i
  store volatile i32 %x, ptr addrspace(5) %q
  %v = load volatile i32, ptr addrspace(5) %a
  store i32 %v, ptr addrspace(1) %p
  ret void
}`, `@lds = internal addrspace(3) global [300 x i32] poison
define amdgpu_kernel void @k() ATTRS {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %x
  store volatile i32 %x, ptr addrspace(3) %q
  ret void
}`, `define void @f() noinline ATTRS {
  call void @llvm.amdgcn.s.sleep(i32 1)
  ret void
}
define amdgpu_kernel void @k() ATTRS {
  ret void
}`, `define amdgpu_ps float @k(float %x, i32 inreg %n) ATTRS {
  %i = sitofp i32 %n to float
  %s = fadd float %i, %x
  ret float %s
}`, `define amdgpu_vs void @k(i32 inreg %n) ATTRS {
  ret void
}`}

// bareAttributes are attributes that change the inputs.
var bareAttributes = []string{"", `"amdgpu-no-dispatch-ptr" "amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id"`,
	`"amdgpu-no-queue-ptr" "amdgpu-no-workgroup-id-x" "amdgpu-no-workgroup-id-z" "amdgpu-no-cluster-id-z" "amdgpu-no-implicitarg-ptr"`,
	`"amdgpu-no-workgroup-id-z"`}

// Bits of PGM_RSRC1 and PGM_RSRC2 that depend on the registers of the code and
// on the IDs of work-items that it uses.
const (
	rsrc1Counts = 1<<10 - 1
	rsrc2IDs    = 3 << 11
)

var llcConfig = regexp.MustCompile(`\.long\s+(\d+)`)

// llcRegisters returns the contents of llc's .AMDGPU.config.
func llcRegisters(t *testing.T, triple, cpu, text string) (list []uint32) {
	t.Helper()
	cmd := exec.Command(oracle.Tool(t, "llc-22"), "-mtriple="+triple, "-mcpu="+cpu, "-o", "-")
	cmd.Stdin = strings.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s, %s: %v\n%s\n%s", triple, cpu, err, stderr.Bytes(), text)
	}
	for _, m := range llcConfig.FindAllSubmatch(out, -1) {
		var n uint32
		fmt.Sscan(string(m[1]), &n)
		list = append(list, n)
	}
	return list
}

// TestConfig compares the registers in .AMDGPU.config with llc's.
func TestConfig(t *testing.T) {
	for _, cpu := range []string{"gfx601", "gfx803", "gfx900", "gfx1030", "gfx1100", "gfx1200"} {
		for n, text := range bareKernels {
			for _, attrs := range bareAttributes {
				for _, triple := range []string{"amdgcn--", "amdgcn-mesa-mesa3d"} {
					mesa := triple != "amdgcn--"
					if mesa && n >= 3 {
						continue
					}
					source := strings.ReplaceAll(text, "ATTRS", attrs)
					want := llcRegisters(t, triple, cpu, source)
					res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}},
						compile.Options{CPU: cpu, Triple: triple, Level: 2, Verify: true, Format: compile.Object})
					if err != nil {
						t.Fatalf("%s, %s: %v\n%s", triple, cpu, err, source)
					}
					o, err := codeobject.Read(res.Data)
					if err != nil {
						t.Fatal(err)
					}
					data := o.Section(".AMDGPU.config").Data
					if len(data) != 4*len(want) {
						t.Fatalf("%s, %s: %d bytes, want %d registers\n%s", triple, cpu, len(data), len(want), source)
					}
					for i, x := range want {
						got := binary.LittleEndian.Uint32(data[4*i:])
						mask := uint32(0)
						if i%2 == 1 {
							switch want[i-1] {
							case 0xb848, 0xb028, 0xb128:
								mask = rsrc1Counts
							case 0xb84c:
								if mask = rsrc2IDs; mesa {
									mask = 1<<15 - 2
								}
							case 0xb860: // the size of the frame differs
								mask = 3 << 12
							}
						}
						if got&^mask != x&^mask {
							t.Errorf("%s, %s: word %d is %#x, want %#x\n%s", triple, cpu, i, got, x, source)
						}
					}
				}
			}
		}
	}
}

// bareRun is a kernel that writes where its arguments are.
const bareRun = `define amdgpu_kernel void @f() ATTRS {
  %s = alloca [4 x i32], addrspace(5)
  %k = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %y = call i32 @llvm.amdgcn.workgroup.id.y()
  %i = and i32 %id, 3
  %q = getelementptr i32, ptr addrspace(5) %s, i32 %i
  store volatile i32 %id, ptr addrspace(5) %q
  %l = load volatile i32, ptr addrspace(5) %q
  %m = shl i32 %y, 8
  %v = or i32 %l, %m
  %p = addrspacecast ptr addrspace(4) %k to ptr
  %g = addrspacecast ptr %p to ptr addrspace(1)
  %a = getelementptr i8, ptr addrspace(1) %g, i32 16384
  %at = getelementptr i32, ptr addrspace(1) %a, i32 %id
  store i32 %v, ptr addrspace(1) %at
  ret void
}`

// TestBareKernelsRun runs kernels for amdpal, which find their inputs where their
// attributes place them.
func TestBareKernelsRun(t *testing.T) {
	for _, cpu := range []string{"gfx900", "gfx1030"} {
		for _, c := range []struct {
			attrs       string
			kernarg, y  int
			offset      int
			description string
		}{
			{"", 4, 9, 11, "all inputs"},
			{`"amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id"`, 2, 5, 7, "dispatch pointer"},
			{`"amdgpu-no-queue-ptr" "amdgpu-no-dispatch-id" "amdgpu-no-workgroup-id-z" "amdgpu-no-cluster-id-z"`, 2, 5, 6, "no Z"},
		} {
			for _, level := range []int{0, 2} {
				code := codeOf(t, compilePAL(t, cpu, strings.ReplaceAll(bareRun, "ATTRS", c.attrs), level), "f")
				r := shaderRun{cpu: cpu, name: c.description, code: code, offset: c.offset, lanes: 32,
					setup: fmt.Sprintf("v_mbcnt_lo_u32_b32 v0, -1, 0\ns_mov_b64 s[%d:%d], s[90:91]\ns_mov_b32 s%d, 77\ns_add_u32 s0, s0, 16\n", c.kernarg, c.kernarg+1, c.y)}
				data := r.run(t)
				for lane := range 32 {
					if got, want := binary.LittleEndian.Uint32(data[outputAt+4*lane:]), uint32(77<<8|lane); got != want {
						t.Errorf("%s -O%d, %s: lane %d has %#x, want %#x", cpu, level, c.description, lane, got, want)
					}
				}
			}
		}
	}
}

// TestScratchOfOldShaders checks that the scratch descriptor, in s[0:3], does not
// replace inputs that the prologue needs.
func TestScratchOfOldShaders(t *testing.T) {
	const source = runTriple + `define amdgpu_cs void @f(i32 inreg %x, i32 %i, ptr addrspace(1) %p) {
  %a = alloca [4 x i32], addrspace(5)
  %q = getelementptr i32, ptr addrspace(5) %a, i32 %i
  store volatile i32 %x, ptr addrspace(5) %q
  %v = load volatile i32, ptr addrspace(5) %a
  store i32 %v, ptr addrspace(1) %p
  ret void
}`
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "s.ll", Data: []byte(source)}}, compile.Options{CPU: "gfx803", Level: 2, Verify: true, Format: compile.Assembly})
	if err != nil {
		t.Fatal(err)
	}
	const want = "s_mov_b32 s4, s0\n\ts_mov_b32 s5, s1\n\ts_getpc_b64 s[0:1]\n\ts_mov_b32 s0, s4\n\ts_load_dwordx4 s[0:3], s[0:1], 0x10\n\ts_waitcnt lgkmcnt(0)\n\ts_add_u32 s0, s0, s5\n"
	if !strings.Contains(string(res.Data), want) {
		t.Errorf("got\n%s", res.Data)
	}
}

// TestBareImplicitArgs passes the implicit arguments of a kernel without a
// descriptor, which follow the explicit ones and the 36 bytes before them.
func TestBareImplicitArgs(t *testing.T) {
	const source = `target triple = "amdgcn--"
define void @f(ptr addrspace(1) %p) noinline {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  store volatile ptr addrspace(4) %i, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  call void @f(ptr addrspace(1) %p)
  ret void
}`
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: "gfx900", Level: 2, Verify: true, Format: compile.Assembly})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`s_add_u32 s\d+, s4, 44\n`).Match(res.Data) {
		t.Errorf("got\n%s", res.Data)
	}
}

// TestHSAOnly refuses the inputs that only HSA runtimes have, as llc does.
func TestHSAOnly(t *testing.T) {
	for _, name := range []string{"dispatch.ptr", "queue.ptr"} {
		for _, triple := range []string{"amdgcn-amd-amdpal", "amdgcn--"} {
			source := "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  %d = call ptr addrspace(4) @llvm.amdgcn." + name + "()\n  store ptr addrspace(4) %d, ptr addrspace(1) %p\n  ret void\n}\n"
			_, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(source)}}, compile.Options{CPU: "gfx900", Triple: triple})
			if err == nil || !strings.Contains(err.Error(), "k.ll:2:3: error: function @k: llvm.amdgcn."+name+" without an HSA runtime") {
				t.Errorf("%s, %s: %v", triple, name, err)
			}
		}
	}
	const text = "define amdgpu_kernel void @k() {\n  ret void\n}\n"
	o := compile.Options{CPU: "gfx900", Triple: "amdgcn-amd-amdpal", StopAfter: "isel"}
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "k.ll", Data: []byte(text)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	o.StopAfter, o.StartAfter = "", "isel"
	if _, err = compile.Compile(context.Background(), []compile.Input{{Name: "k.mir", Data: res.Data}}, o); err == nil || !strings.Contains(err.Error(), "a kernel with a descriptor") {
		t.Errorf("%v", err)
	}
}
