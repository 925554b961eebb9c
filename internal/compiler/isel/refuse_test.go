package isel_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// refusals lists kernel bodies that cannot be selected, and their error
// messages. Earlier passes expand most of the constructs.
var refusals = []struct{ cpu, body, want string }{
	{"gfx900", `%r = udiv i32 %x, %y` + storeR, "instruction udiv"},
	{"gfx900", `%a = trunc i32 %x to i1
  %b = add i1 %a, %a
  %r = zext i1 %b to i32` + storeR, "add of i1"},
	{"gfx900", `%a = zext i32 %x to i128
  %b = add i128 %a, 7
  %r = trunc i128 %b to i32` + storeR, "add of i128"},
	{"gfx900", `%a = load i64, ptr addrspace(1) %px
  %b = uitofp i64 %a to float
  %r = bitcast float %b to i32` + storeR, "uitofp of i64"},
	{"gfx900", `%a = bitcast i32 %x to float
  %b = fptoui float %a to i64
  %r = trunc i64 %b to i32` + storeR, "fptoui"},
	{"gfx900", `%a = load <2 x float>, ptr addrspace(1) %px
  %b = fadd <2 x float> %a, %a
  store <2 x float> %b, ptr addrspace(1) %p`, "fadd of a vector"},
	{"gfx900", `%a = load <2 x float>, ptr addrspace(1) %px
  %b = fneg <2 x float> %a
  store <2 x float> %b, ptr addrspace(1) %p`, "sign of a vector"},
	{"gfx900", `%a = load <2 x i32>, ptr addrspace(1) %px
  %b = add <2 x i32> %a, %a
  store <2 x i32> %b, ptr addrspace(1) %p`, "add of a vector"},
	{"gfx900", `%a = load <2 x i16>, ptr addrspace(1) %px
  %b = icmp eq <2 x i16> %a, %a
  %c = extractelement <2 x i1> %b, i32 0
  %r = zext i1 %c to i32` + storeR, "i1"},
	{"gfx900", `%a = load <8 x i32>, ptr addrspace(1) %px
  %r = extractelement <8 x i32> %a, i32 0` + storeR, "load of 32 bytes"},
	{"gfx900", `store <8 x i32> zeroinitializer, ptr addrspace(1) %px`, "store of 32 bytes"},
	{"gfx900", `%a = atomicrmw add ptr addrspace(1) %px, i16 1 monotonic`, "atomicrmw add of 2 bytes in this address space"},
	{"gfx900", `%r = load i32, ptr addrspace(9) poison` + storeR, "load in address space 9"},
	{"gfx900", `%r = load volatile i32, ptr addrspace(2) null` + storeR, "load in address space 2"},
	{"gfx900", `store i32 0, ptr addrspace(8) poison`, "store in address space 8"},
	{"gfx601", `%f = load ptr, ptr addrspace(1) %px
  %r = load i32, ptr %f` + storeR, "load through a generic pointer of unknown address space: gfx601 has no FLAT instructions"},
	{"gfx601", `%f = load ptr, ptr addrspace(1) %px
  %r = atomicrmw add ptr %f, i32 1 monotonic` + storeR, "atomicrmw through a generic pointer of unknown address space: gfx601 has no FLAT instructions"},
	{"gfx900", `%a = cmpxchg ptr addrspace(1) %px, i16 1, i16 2 monotonic monotonic`, "cmpxchg of 2 bytes"},
	{"gfx900", `%r = load i32, ptr addrspace(3) @lds` + storeR, "LDS variable @lds without an address"},
	{"gfx900", `%a = inttoptr i32 %x to ptr addrspace(5)
  %f = addrspacecast ptr addrspace(5) %a to ptr
  call void %f()`, "call of a divergent function pointer"},
	{"gfx900", `call void (i32, ...) @variadic(i32 1, i32 2)`, "functions with a variable number of arguments are not supported"},
	{"gfx900", `%a = call double @llvm.pow.f64(double 1.0, double 2.0)
  store double %a, ptr addrspace(1) %p`, "intrinsic @llvm.pow.f64"},
	{"gfx900", `%b = trunc i32 %x to i1
  %c = call i1 @llvm.amdgcn.set.inactive.i1(i1 %b, i1 false)
  %r = zext i1 %c to i32` + storeR, "llvm.amdgcn.set.inactive of i1"},
	{"gfx900", `%b = trunc i32 %x to i1
  %c = call i1 @llvm.amdgcn.readfirstlane.i1(i1 %b)
  %r = zext i1 %c to i32` + storeR, "llvm.amdgcn.readfirstlane of i1"},
	{"gfx900", `%r = call i32 @llvm.amdgcn.reloc.constant(metadata !"x")` + storeR, "llvm.amdgcn.reloc.constant"},
	{"gfx900", `%b = call i1 @llvm.amdgcn.inverse.ballot.i32(i32 %z)
  %r = zext i1 %b to i32` + storeR, "llvm.amdgcn.inverse.ballot of 32 bits with waves of 64"},
	{"gfx900", `%r = call i32 @llvm.amdgcn.ds.ordered.add(ptr addrspace(2) null, i32 1, i32 0, i32 0, i1 false, i32 4096, i1 true, i1 false)` + storeR, "llvm.amdgcn.ds.ordered.add with the index 4096"},
	{"gfx1010", `%r = call i32 @llvm.amdgcn.ds.ordered.add(ptr addrspace(2) null, i32 1, i32 0, i32 0, i1 false, i32 1, i1 true, i1 false)` + storeR, "llvm.amdgcn.ds.ordered.add of 0 dwords"},
	{"gfx900", `%r = call i32 @llvm.amdgcn.ds.ordered.add(ptr addrspace(2) null, i32 1, i32 0, i32 0, i1 false, i32 1, i1 false, i1 true)` + storeR,
		"llvm.amdgcn.ds.ordered.add with wave_done but without wave_release"},
	{"gfx900", `%r = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) null, i32 0, i32 %x, i32 0)` + storeR, "llvm.amdgcn.raw.ptr.buffer.load with a divergent scalar offset"},
	{"gfx900", `%b = load <4 x i32>, ptr addrspace(1) %px
  %r = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %b, i32 0, i32 0)` + storeR, "llvm.amdgcn.s.buffer.load with a divergent resource"},
	{"gfx900", `call void asm sideeffect "", "{v[7:8]}"(i32 %x)`, "inline assembly with an argument and a register of different sizes"},
	{"gfx900", `%r = call i32 @llvm.read_register.i32(metadata !{!"exec"})` + storeR, "llvm.read_register of 32 bits of register \"exec\", which has 64"},
	{"gfx900", `call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) null, ptr addrspace(3) %l, i32 12, i32 0, i32 0, i32 0, i32 0)`, "llvm.amdgcn.raw.ptr.buffer.load.lds of 12 bytes on gfx900"},
	{"gfx900", `%r = call i32 @llvm.amdgcn.ds.append.p1(ptr addrspace(1) %p, i1 false)` + storeR, "llvm.amdgcn.ds.append in address space 1"},
	{"gfx1250", `%r = call i32 @llvm.amdgcn.global.load.tr.b128.i32(ptr addrspace(1) %p)` + storeR, "llvm.amdgcn.global.load.tr.b128 with a result of this type"},
	{"gfx1250", `%b = call i1 @llvm.amdgcn.ds.load.tr8.b64.i1(ptr addrspace(3) %l)
  %r = zext i1 %b to i32` + storeR, "llvm.amdgcn.ds.load.tr8.b64 with a result of this type"},
	{"gfx900", `%b = call i16 @llvm.amdgcn.ballot.i16(i1 true)
  %r = zext i16 %b to i32` + storeR, "llvm.amdgcn.ballot of 16 bits"},
	{"gfx900", `%v = call <4 x float> @llvm.amdgcn.image.load.2d.v4f32.i32.v8i32(i32 15, i32 %x, i32 %x, <8 x i32> zeroinitializer, i32 1, i32 0)
  %f = extractelement <4 x float> %v, i32 0
  %r = bitcast float %f to i32` + storeR, "llvm.amdgcn.image.load.2d with a result that is not a struct"},
	{"gfx900", `%v = call { float, i32 } @llvm.amdgcn.image.load.2d.sl_f32i32s.i32.v8i32(i32 1, i32 %x, i32 %x, <8 x i32> zeroinitializer, i32 0, i32 0)
  %r = extractvalue { float, i32 } %v, 1` + storeR, "llvm.amdgcn.image.load.2d with a struct as result"},
	{"gfx1030", `%f = call float @llvm.amdgcn.image.load.2d.f32.i32.v4i32(i32 1, i32 %x, i32 %x, <4 x i32> zeroinitializer, i32 0, i32 0)
  %r = bitcast float %f to i32` + storeR, "llvm.amdgcn.image.load.2d with a resource or sampler of 4 dwords"},
	{"gfx1200", `call void @llvm.amdgcn.ds.gws.init(i32 1, i32 2)`, "llvm.amdgcn.ds.gws.init"},
	{"gfx950", `call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %p, ptr addrspace(3) %l, i32 4, i32 100000, i32 0)`, "llvm.amdgcn.global.load.lds with an offset of"},
}

// refusedModule declares the symbols that the bodies use.
const refusedModule = "@lds = addrspace(3) global i32 poison\ndeclare void @variadic(i32, ...)\n"

func TestRefused(t *testing.T) {
	for _, c := range refusals {
		src := header + refusedModule + strings.NewReplacer("$A", "", "$B", c.body).Replace(selectBegin)
		mod, errs := text.Parse("x.ll", []byte(src))
		if len(errs) > 0 {
			t.Errorf("%v\n%s", errs, c.body)
			continue
		}
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		tgt.COV = target.DefaultCOV
		set, _ := isa.SetOf(tgt.Processor)
		f, out := mod.Function("k"), mir.NewFunc("k", mir.MachineOf(set, tgt.WaveSize()))
		var s isel.Selector
		entries := abi.Analyze(mod, tgt)
		err = s.Select(f, isel.Env{Target: tgt, Entry: entries.Entry(f), ABI: entries}, out)
		var u *isel.Unsupported
		if !errors.As(err, &u) || !strings.Contains(u.Construct, c.want) || u.Function != "k" {
			t.Errorf("%v, want %q\n%s", err, c.want, c.body)
		}
	}
}
