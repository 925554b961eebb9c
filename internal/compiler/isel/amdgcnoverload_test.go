package isel_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Texts of overloadBodies.
const (
	storeParts = "  %v = extractvalue { $T, i32 } %s, 0\n  %st = extractvalue { $T, i32 } %s, 1\n  %p2 = getelementptr i8, ptr addrspace(1) %out, i32 16\n" +
		"  store i32 %st, ptr addrspace(1) %p2, align 4\n  store $T %v, ptr addrspace(1) %out, align 16"
	loadParts = "%s = call { $T, i32 } @llvm.amdgcn.raw.ptr.buffer.load.sl_$Si32s(ptr addrspace(8) %urp, i32 %own, i32 0, i32 0)\n" + storeParts
	flag      = "%f = icmp sgt i32 %x, 5\n  "
	storeFlag = "\n  %r = select i1 %g, i32 7, i32 9\n  store i32 %r, ptr addrspace(1) %out, align 16"
)

// overloadBodies lists calls with types that selection does not have rows for,
// in the form of loopBodies. A store of i1 writes a byte, as an ordinary store
// does; llc writes two.
var overloadBodies = []struct {
	sets isa.SetMask // 0 for all
	loopBody
}{
	{^isa.PropAccData &^ isa.SinceGFX1200, loopBody{"i8 i16 half i32 float <3xi32> <4xi32>", loadParts, ""}},
	{^isa.PropAccData &^ isa.SinceGFX1200 & isa.SinceGFX700, loopBody{"i64 <2xi32>", loadParts, ""}}, // on gfx6, llc loads four dwords instead of the status
	{^isa.PropAccData &^ isa.SinceGFX1200, loopBody{"i32 <2xfloat> <4xi32>",
		"%s = call { $T, i32 } @llvm.amdgcn.struct.ptr.buffer.load.format.sl_$Si32s(ptr addrspace(8) %urp, i32 %own, i32 0, i32 %soff, i32 0)\n" + storeParts, ""}},
	{0, loopBody{"i32", flag + "%g = call i1 @llvm.amdgcn.readlane.i1(i1 %f, i32 5)" + storeFlag, ""}},
	{0, loopBody{"i32", flag + "%g = call i1 @llvm.amdgcn.readfirstlane.i1(i1 %f)" + storeFlag, ""}},
	{0, loopBody{"i32", flag + "%w = icmp sgt i32 %same, 5\n  %g = call i1 @llvm.amdgcn.writelane.i1(i1 %w, i32 5, i1 %f)" + storeFlag, ""}},
	{isa.SinceGFX803, loopBody{"i32", flag + "%g = call i1 @llvm.amdgcn.update.dpp.i1(i1 true, i1 %f, i32 273, i32 15, i32 15, i1 false)" + storeFlag, ""}},
	{isa.SinceGFX1010, loopBody{"i32", flag + "%g = call i1 @llvm.amdgcn.mov.dpp8.i1(i1 %f, i32 342391)" + storeFlag, ""}},
	{isa.SinceGFX1010, loopBody{"i32", flag + "%g = call i1 @llvm.amdgcn.permlane16.i1(i1 %f, i1 %f, i32 1985229328, i32 19088743, i1 false, i1 false)" + storeFlag, ""}},
	{isa.SinceGFX1010, loopBody{"i32", flag + "%g = call i1 @llvm.amdgcn.permlanex16.i1(i1 %f, i1 %f, i32 1985229328, i32 19088743, i1 false, i1 false)" + storeFlag, ""}},
	{isa.SinceGFX1100, loopBody{"i32", flag + "%g = call i1 @llvm.amdgcn.permlane64.i1(i1 %f)" + storeFlag, ""}},
	{0, loopBody{"i32", "%g = call i1 @llvm.amdgcn.raw.ptr.buffer.load.i1(ptr addrspace(8) %urp, i32 %own, i32 0, i32 0)" + storeFlag, ""}},
	{0, loopBody{"i32", flag + "call void @llvm.amdgcn.raw.ptr.buffer.store.i1(i1 %f, ptr addrspace(8) %urp, i32 %own, i32 0, i32 0)",
		flag + "%z = zext i1 %f to i8\n  call void @llvm.amdgcn.raw.ptr.buffer.store.i8(i8 %z, ptr addrspace(8) %urp, i32 %own, i32 0, i32 0)"}},
	{0, loopBody{"i32", flag + "call void @llvm.amdgcn.struct.ptr.buffer.store.i1(i1 %f, ptr addrspace(8) %urp, i32 0, i32 %own, i32 0, i32 0)",
		flag + "%z = zext i1 %f to i8\n  call void @llvm.amdgcn.struct.ptr.buffer.store.i8(i8 %z, ptr addrspace(8) %urp, i32 0, i32 %own, i32 0, i32 0)"}},
	{isa.SinceGFX803, loopBody{"half", "%r = call $T @llvm.amdgcn.rsq.clamp.$S($T %x)", ""}},
	{isa.SinceGFX803, loopBody{"half", "%z = fsub $T %x, %x\n  %r = call $T @llvm.amdgcn.rsq.clamp.$S($T %z)", ""}},
	{0, loopBody{"<3xi32> <3xfloat>", "%r = call $T @llvm.amdgcn.s.buffer.load.$S(<4 x i32> %urs, i32 %n4, i32 0)", ""}},
	{0, loopBody{"<3xi32>", "%r = call $T @llvm.amdgcn.s.buffer.load.$S(<4 x i32> %urs, i32 4, i32 0)", ""}},
	{0, loopBody{"half", "%y = fneg half %x\n  %r0 = call i$W @llvm.amdgcn.fcmp.i$W.$S(half %x, half %y, i32 2)\n  store i$W %r0, ptr addrspace(1) %out", ""}},
	{0, loopBody{"i16", "%y = trunc i32 %tid to i16\n  %r0 = call i$W @llvm.amdgcn.icmp.i$W.$S(i16 %x, i16 %y, i32 38)\n  store i$W %r0, ptr addrspace(1) %out", ""}},
	{0, loopBody{"i16", "%y = trunc i32 %tid to i16\n  %r0 = call i$W @llvm.amdgcn.icmp.i$W.$S(i16 %x, i16 %y, i32 34)\n  store i$W %r0, ptr addrspace(1) %out", ""}},
	{isa.SinceGFX803, loopBody{"ptr", "%r = call $T @llvm.amdgcn.wave.reduce.umax.p0($T %x, i32 0)", ""}},
	{isa.SinceGFX803, loopBody{"ptr", "%r = call $T @llvm.amdgcn.wave.reduce.add.p0($T %x, i32 0)", ""}},
}

// overloadCases returns the kernels of overloadBodies for a machine.
func overloadCases(m *mir.Machine, other bool) []rowCase {
	var bodies []loopBody
	for _, b := range overloadBodies {
		if b.sets == 0 || m.Set.Has(b.sets) {
			bodies = append(bodies, b.loopBody)
		}
	}
	return bodyCases(m, bodies, other)
}

// TestOverloadsRun runs calls of overloadBodies on the simulator. The results are
// the ones of llc's code.
func TestOverloadsRun(t *testing.T) {
	oldest := []runMachine{{"gfx600", 64, false}, {"gfx700", 64, true}, {"gfx1200", 32, true}, {"gfx1100", 32, true}}
	for _, x := range append(oldest, runMachines...) {
		if x.quick || os.Getenv(intrinsicsEnv) != "" {
			t.Run(fmt.Sprintf("%s-wave%d", x.cpu, x.wave), func(t *testing.T) { runLoops(t, x.cpu, x.cpu, x.wave, overloadCases) })
		}
	}
}
