package isel_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/compile"
)

// registerKernel surrounds a body. %t is the lane's number, %n is 5, and %q is
// the address of the lane's number, initially 0.
const registerKernel = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %q = getelementptr i32, ptr addrspace(1) %p, i32 %t
  $B
  ret void
}
!0 = !{!"m0"}
!1 = !{!"exec"}
!2 = !{!"exec_lo"}
!3 = !{!"exec_hi"}
`

const storeV = "\n  store i32 %v, ptr addrspace(1) %q"

// registerCases lists bodies and the value that each lane stores, in waves of
// 64 or 32.
var registerCases = []struct {
	name, body string
	want       func(t, wave uint32) uint32
}{
	{"m0", `call void @llvm.write_register.i32(metadata !0, i32 %n)
  %v = call i32 @llvm.read_register.i32(metadata !0)` + storeV, func(_, _ uint32) uint32 { return 5 }},
	{"a constant in m0, volatile", `call void @llvm.write_register.i32(metadata !0, i32 123456)
  %v = call i32 @llvm.read_volatile_register.i32(metadata !0)` + storeV, func(_, _ uint32) uint32 { return 123456 }},
	{"exec", `%e = call i64 @llvm.read_register.i64(metadata !1)
  %h = lshr i64 %e, 32
  %h32 = trunc i64 %h to i32
  %l32 = trunc i64 %e to i32
  %v = and i32 %h32, %l32` + storeV, func(_, wave uint32) uint32 { return -(wave / 64) }},
	{"half of exec", `%v = call i32 @llvm.read_register.i32(metadata !3)` + storeV, func(_, wave uint32) uint32 { return -(wave / 64) }},
	{"fewer lanes", `store i32 1, ptr addrspace(1) %q
  call void @llvm.write_register.i32(metadata !2, i32 15)
  store i32 2, ptr addrspace(1) %q`, func(t, wave uint32) uint32 {
		if t%wave < 4 || t%wave >= 32 {
			return 2
		}
		return 1
	}},
	{"fewer lanes, from a number", `store i32 1, ptr addrspace(1) %q
  %w = zext i32 %n to i64
  %m = mul i64 %w, 4294967297
  call void @llvm.write_register.i64(metadata !1, i64 %m)
  store i32 2, ptr addrspace(1) %q`, func(t, _ uint32) uint32 { return 1 + 5>>(t%32)&1 }},
	{"assembly that reads m0", `%v = call i32 asm "v_mov_b32 $0, $1", "=v,{m0}"(i32 %n)` + storeV, func(_, _ uint32) uint32 { return 5 }},
	{"assembly that changes m0", `%m = call i32 asm "s_lshl_b32 m0, m0, 3", "={m0},0,~{scc}"(i32 %n)
  %v = add i32 %m, %t` + storeV, func(t, _ uint32) uint32 { return 40 + t }},
	{"assembly with all special registers", `%r = call { i32, i32, i32 } asm "s_add_u32 $0, $3, 1\0As_add_u32 $1, $4, 2\0As_add_u32 $2, $5, 3", "=&{m0},=&{vcc_hi},=&{s30},0,1,2,~{scc},~{vcc_lo},~{v0}"(i32 %n, i32 %n, i32 7)
  %a = extractvalue { i32, i32, i32 } %r, 0
  %b = extractvalue { i32, i32, i32 } %r, 1
  %c = extractvalue { i32, i32, i32 } %r, 2
  %b8 = shl i32 %b, 8
  %c16 = shl i32 %c, 16
  %ab = or i32 %a, %b8
  %v = or i32 %ab, %c16` + storeV, func(_, _ uint32) uint32 { return 6 | 7<<8 | 10<<16 }},
}

// TestRegisters runs reads and writes of registers, and inline assembly with
// special registers.
func TestRegisters(t *testing.T) {
	for _, x := range runMachines {
		mattr := ""
		if x.cpu >= "gfx1000" && x.cpu < "gfx2" {
			mattr = fmt.Sprintf("+wavefrontsize%d", x.wave)
		}
		for level := range 3 {
			for _, c := range registerCases {
				text := strings.Replace(registerKernel, "$B", c.body, 1)
				what := fmt.Sprintf("%s wave%d -O%d: %s", x.cpu, x.wave, level, c.name)
				o := compile.Options{CPU: x.cpu, Features: mattr, Level: level}
				checkLanes(t, what, text, o, func(lane uint32) uint32 { return c.want(lane, uint32(x.wave)) })
			}
		}
	}
}

// checkLanes compiles a module with registerKernel, runs it with n = 5, and
// checks the value that each lane stores.
func checkLanes(t *testing.T, what, text string, o compile.Options, want func(lane uint32) uint32) {
	t.Helper()
	o.Verify = true
	res, err := compile.Compile(context.Background(), []compile.Input{{Name: "r.ll", Data: []byte(text)}}, o)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	got, err := runTrap(res.Data, 5)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for lane := range uint32(64) {
		if n := binary.LittleEndian.Uint32(got[4*lane:]); n != want(lane) {
			t.Errorf("%s: lane %d stored %#x, want %#x", what, lane, n, want(lane))
			return
		}
	}
}

// onlyRead marks registers of TestRegisterNames that cannot be written.
const onlyRead = "read"

// TestRegisterNames checks register names: those that llc accepts compile,
// others are errors.
func TestRegisterNames(t *testing.T) {
	for _, x := range []struct {
		cpu, name string
		bits      int
		want      string // error message, or ""
	}{
		{"gfx900", "flat_scratch", 64, ""}, {"gfx803", "flat_scratch_lo", 32, ""}, {"gfx700", "flat_scratch_hi", 32, ""},
		{"gfx600", "flat_scratch", 64, `"flat_scratch" on gfx600`}, {"gfx1030", "flat_scratch", 64, onlyRead}, {"gfx1200", "flat_scratch_hi", 32, onlyRead},
		{"gfx1030", "flat_scratch", 32, "of 32 bits"},
		{"gfx900", "m0", 64, `of 64 bits of register "m0", which has 32`}, {"gfx900", "m0", 16, "of 16 bits"}, {"gfx900", "exec", 32, "of 32 bits"},
		{"gfx900", "vcc", 64, `of register "vcc"`}, {"gfx900", "s0", 32, `"s0"`}, {"gfx900", "v0", 32, `"v0"`}, {"gfx900", "", 32, `""`},
	} {
		for _, body := range []string{"%v = call i$ @llvm.read_register.i$(metadata !0)\n  store i$ %v, ptr addrspace(1) %p", "call void @llvm.write_register.i$(metadata !0, i$ 5)"} {
			text := fmt.Sprintf("define void @f(ptr addrspace(1) %%p) {\n  %s\n  ret void\n}\n!0 = !{!%q}\n", strings.ReplaceAll(body, "$", fmt.Sprint(x.bits)), x.name)
			_, err := compile.Compile(context.Background(), []compile.Input{{Name: "r.ll", Data: []byte(text)}}, compile.Options{CPU: x.cpu, Verify: true})
			if x.want == onlyRead {
				if err == nil == strings.Contains(body, "write") || err != nil && !strings.Contains(err.Error(), "on "+x.cpu) {
					t.Errorf("%s: %v\n%s", x.cpu, err, text)
				}
				continue
			}
			if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
				t.Errorf("%s: %v, want %q\n%s", x.cpu, err, x.want, text)
			}
		}
	}
}
