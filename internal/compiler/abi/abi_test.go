package abi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

func mustTarget(t *testing.T, cpu string) *target.Target {
	t.Helper()
	x, err := target.New("amdgcn-amd-amdhsa", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	return x
}

var inputNames = [NumInputs]string{"buffer", "dispatch_ptr", "queue_ptr", "kernarg", "dispatch_id", "flat_scratch", "private_size", "preload", "group_x", "group_y", "group_z",
	"wave_offset", "item_x", "item_y", "item_z", "implicitarg", "lds_id"}

// show formats an entry as text.
func show(e *Entry) string {
	var b strings.Builder
	for in, p := range e.At {
		if p.Reg == 0 {
			continue
		}
		name := "s"
		switch {
		case p.Reg >= 0x200:
			name = "v"
		case p.Reg >= 109:
			name = "x"
		}
		fmt.Fprintf(&b, " %s=%s%d", inputNames[in], name, p.Reg.Index())
		if p.Bits != 0 {
			fmt.Fprintf(&b, "[%d:%d]", p.Shift, p.Shift+p.Bits-1)
		}
	}
	return strings.TrimSpace(b.String())
}

const analyzeText = `
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.workitem.id.y()
declare i32 @llvm.amdgcn.workitem.id.z()
declare i32 @llvm.amdgcn.workgroup.id.x()
declare i32 @llvm.amdgcn.workgroup.id.z()
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
declare void @llvm.trap()
declare void @external()

define internal void @leaf() {
  %x = call i32 @llvm.amdgcn.workitem.id.y()
  %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
  ret void
}
define internal void @middle(i32 %n) {
  call void @leaf()
  call void @middle(i32 %n)
  %z = call i32 @llvm.amdgcn.workgroup.id.z()
  ret void
}
define amdgpu_kernel void @plain(ptr addrspace(1) %p) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  store i32 %x, ptr addrspace(1) %p
  ret void
}
define amdgpu_kernel void @calls() {
  call void @middle(i32 0)
  ret void
}
define amdgpu_kernel void @implicit() {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  ret void
}
define amdgpu_kernel void @unknown() #0 {
  call void @external()
  ret void
}
define amdgpu_kernel void @flat() {
  %a = alloca i32, addrspace(5)
  %f = addrspacecast ptr addrspace(5) %a to ptr
  store i32 0, ptr %f
  ret void
}
define amdgpu_kernel void @nothing() {
  ret void
}
define void @outside(ptr %f) {
  call void %f()
  ret void
}
attributes #0 = { "amdgpu-no-queue-ptr" "amdgpu-no-workitem-id-z" "amdgpu-no-dispatch-id" "amdgpu-no-workgroup-id-y" "amdgpu-no-lds-kernel-id" }
`

// TestAnalyze compares the locations of function inputs with the registers that
// LLVM's code for the same functions reads.
func TestAnalyze(t *testing.T) {
	tests := []struct{ cpu, fn, want string }{
		{"gfx900", "plain", "kernarg=s0 group_x=s2 item_x=v0"},
		{"gfx90a", "plain", "kernarg=s0 group_x=s2 item_x=v0[0:9]"},
		{"gfx1100", "plain", "kernarg=s0 group_x=s15 item_x=v0[0:9]"},
		{"gfx1200", "plain", "kernarg=s0 group_x=x117 item_x=v0[0:9]"},
		{"gfx900", "leaf", "dispatch_ptr=s4 item_y=v31[10:19]"},
		{"gfx900", "middle", "dispatch_ptr=s4 group_z=s14 item_y=v31[10:19]"},
		{"gfx1200", "middle", "dispatch_ptr=s4 group_z=x115[16:31] item_y=v31[10:19]"},
		{"gfx803", "middle", "buffer=s0 dispatch_ptr=s4 group_z=s14 item_y=v31[10:19]"},
		{"gfx803", "calls", "buffer=s0 dispatch_ptr=s4 group_z=s6 wave_offset=s7 item_y=v1"},
		{"gfx900", "calls", "dispatch_ptr=s0 flat_scratch=s2 group_z=s4 wave_offset=s5 item_y=v1"},
		{"gfx90a", "calls", "dispatch_ptr=s0 flat_scratch=s2 group_z=s4 wave_offset=s5 item_y=v0[10:19]"},
		{"gfx942", "calls", "dispatch_ptr=s0 group_z=s2 item_y=v0[10:19]"},
		{"gfx1030", "implicit", "kernarg=s0"},
		{"gfx1030", "unknown", "dispatch_ptr=s0 kernarg=s2 flat_scratch=s4 group_x=s6 group_z=s7 wave_offset=s8 item_x=v0 item_y=v1"},
		{"gfx700", "flat", "buffer=s0 kernarg=s4 flat_scratch=s6 wave_offset=s8"},
		{"gfx600", "flat", "buffer=s0 kernarg=s4 wave_offset=s6"},
		{"gfx900", "flat", "flat_scratch=s0 wave_offset=s2"},
		{"gfx1100", "nothing", ""},
		{"gfx900", "outside", "dispatch_ptr=s4 queue_ptr=s6 dispatch_id=s10 group_x=s12 group_y=s13 group_z=s14 item_x=v31[0:9] item_y=v31[10:19] item_z=v31[20:29] implicitarg=s8 lds_id=s15"},
	}
	for _, x := range tests {
		m, err := text.Parse("a.ll", []byte(analyzeText))
		if err != nil {
			t.Fatal(err)
		}
		a := Analyze(m, mustTarget(t, x.cpu))
		if got := show(a.Entry(m.Function(x.fn))); got != x.want {
			t.Errorf("%s, %s: %s; want %s", x.cpu, x.fn, got, x.want)
		}
	}
}

// TestDescriptorBits checks the kernel descriptor bits that inputs set.
func TestDescriptorBits(t *testing.T) {
	m, err := text.Parse("a.ll", []byte(analyzeText))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		cpu, fn      string
		scratch      bool
		user, inputs int
		rsrc2, props uint32
	}{
		{"gfx900", "plain", false, 2, 3, 2<<1 | 1<<7, 8},
		{"gfx900", "plain", true, 4, 6, 1 | 4<<1 | 1<<7, 8 | 32},
		{"gfx803", "plain", true, 6, 8, 1 | 6<<1 | 1<<7, 8 | 1},
		{"gfx1100", "plain", true, 15, 16, 1 | 15<<1 | 1<<7, 8},
		{"gfx1100", "nothing", false, 16, 16, 16 << 1, 0},
		{"gfx942", "unknown", true, 4, 6, 1 | 4<<1 | 1<<7 | 1<<9 | 1<<11, 2 | 8},
	} {
		e := Analyze(m, mustTarget(t, x.cpu)).Entry(m.Function(x.fn)).WithScratch(x.scratch)
		if e.UserSGPRs() != x.user || e.InputSGPRs() != x.inputs || e.PgmRsrc2() != x.rsrc2 || uint32(e.CodeProperties()) != x.props {
			t.Errorf("%s, %s: %d user SGPRs, %d with the others, %#x, %#x", x.cpu, x.fn, e.UserSGPRs(), e.InputSGPRs(), e.PgmRsrc2(), e.CodeProperties())
		}
	}
}
