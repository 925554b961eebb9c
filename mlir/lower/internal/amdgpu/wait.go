package amdgpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// Barriers in assembly, for chipsets whose barriers make the compiler wait for global
// memory as well.
const (
	asmBarrier     = ";;;WARNING: BREAKS DEBUG WATCHES\ns_barrier"
	asmWaitBarrier = ";;;WARNING: BREAKS DEBUG WATCHES\ns_waitcnt lgkmcnt(0)\ns_barrier"
)

// inlineAsm creates assembly without operands.
func inlineAsm(l *tollvm.Lowering, text string) {
	c := l.Context
	l.EmitVoid("llvm.inline_asm", nil, tollvm.Named("asm_string", c.String(text)), tollvm.Named("constraints", c.String("")),
		tollvm.Named("has_side_effects", c.Unit()), tollvm.Named("asm_dialect", c.I64Attr(0)))
}

// ldsBarrier converts a barrier that waits for LDS alone.
func ldsBarrier(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if edition19(l) {
		if err := ldsBarrier19(l); err != nil {
			return err
		}
	} else {
		fencedBarrier(l)
	}
	o.Erase()
	return nil
}

// The bits of s_waitcnt that wait for LDS, 0 after this mask.
const (
	ldsCounter9  = 0x1f << 8
	ldsCounter10 = 0x3f << 8
)

func ldsBarrier19(l *tollvm.Lowering) error {
	c := l.Chipset
	switch {
	case !c.AtLeast(gfx90a) || c.Major == 11:
		inlineAsm(l, asmWaitBarrier)
		return nil
	case c.Major > 11:
		return mlir.OpErrorf("don't know how to lower this for chipset major version%d", c.Major)
	}
	mask := int64(ldsCounter10)
	if c.Major == 9 {
		mask = ldsCounter9
	}
	l.EmitVoid("rocdl.waitcnt", nil, number(l, "bitfield", ^mask))
	l.EmitVoid("rocdl.s.barrier", nil)
	return nil
}

// The orderings of a fence.
const (
	acquire = 4
	release = 5
)

func fencedBarrier(l *tollvm.Lowering) {
	fence(l, release)
	switch {
	case !l.Chipset.AtLeast(gfx90a):
		inlineAsm(l, asmBarrier)
	case l.Chipset.Major < 12:
		l.EmitVoid("rocdl.s.barrier", nil)
	default:
		l.EmitVoid("rocdl.s.barrier.signal", nil, number(l, "id", -1))
		l.EmitVoid("rocdl.s.barrier.wait", nil, tollvm.Named("id", l.Context.IntAttr(l.Context.Integer(16), -1)))
	}
	fence(l, acquire)
}

// fence creates a fence of a work-group that orders accesses to LDS alone.
func fence(l *tollvm.Lowering, ordering int64) {
	c := l.Context
	local := c.DialectAttr("llvm", "mmra_tag", mlir.Param{Kind: mlir.AttrParam, Attr: c.String("amdgpu-synchronize-as")},
		mlir.Param{Kind: mlir.AttrParam, Attr: c.String("local")})
	l.EmitVoid("llvm.fence", nil, tollvm.Named("ordering", c.I64Attr(ordering)),
		tollvm.Named("syncscope", c.String("workgroup")), tollvm.Named("llvm.mmra", local))
}

// schedBarrier converts a barrier of the compiler's scheduler.
func schedBarrier(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	l.EmitVoid("rocdl.sched.barrier", nil, number(l, "mask", o.Attr("opts").Int))
	o.Erase()
	return nil
}

// counters are the counters for which chipsets from gfx12 on wait one by one.
var counters = [...][2]string{
	{"ds", "rocdl.s.wait.dscnt"}, {"load", "rocdl.s.wait.loadcnt"}, {"store", "rocdl.s.wait.storecnt"},
	{"exp", "rocdl.s.wait.expcnt"}, {"tensor", "rocdl.s.wait.tensorcnt"},
}

// counterWait converts a wait for counters of memory operations.
func counterWait(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if l.Chipset.Major >= 12 {
		for _, c := range counters {
			if a := o.Attr(c[0]); a != nil {
				l.EmitVoid(c[1], nil, tollvm.Named("count", l.Context.IntAttr(l.Context.Integer(16), a.Int)))
			}
		}
		o.Erase()
		return nil
	}
	if o.Attr("tensor") != nil {
		return mlir.OpErrorf("unsupported chipset")
	}
	vm := uint32(noWait)
	load, store := o.Attr("load"), o.Attr("store")
	switch {
	case load != nil && store != nil:
		vm = uint32(load.Int) + uint32(store.Int)
	case load != nil:
		vm = uint32(load.Int)
	case store != nil:
		vm = uint32(store.Int)
	}
	l.EmitVoid("rocdl.s.waitcnt", nil, number(l, "bitfield", encodeWait(l.Chipset, vm, waitCount(o, "exp"), waitCount(o, "ds"))))
	o.Erase()
	return nil
}

// noWait is a count larger than any counter.
const noWait = 1024

func waitCount(o *mlir.Op, name string) uint32 {
	if a := o.Attr(name); a != nil {
		return uint32(a.Int)
	}
	return noWait
}

// A counterField is a part of the operand of s_waitcnt.
type counterField struct{ shift, bits int }

// waitFields are the places of the counters in the operand of s_waitcnt: vmcnt in
// two parts, expcnt, and lgkmcnt.
func waitFields(c tollvm.Chipset) (vm, high, exp, lgkm counterField) {
	switch {
	case c.Major >= 11:
		return counterField{10, 6}, counterField{}, counterField{0, 3}, counterField{4, 6}
	case c.Major == 10:
		return counterField{0, 4}, counterField{14, 2}, counterField{4, 3}, counterField{8, 6}
	case c.Major == 9:
		return counterField{0, 4}, counterField{14, 2}, counterField{4, 3}, counterField{8, 4}
	}
	return counterField{0, 4}, counterField{}, counterField{4, 3}, counterField{8, 4}
}

// encodeWait returns the operand of s_waitcnt for counts, which are limited to
// what the chipset has.
func encodeWait(c tollvm.Chipset, vm, exp, lgkm uint32) int64 {
	low, high, e, k := waitFields(c)
	vm = min(vm, 1<<(low.bits+high.bits)-1)
	exp = min(exp, 1<<e.bits-1)
	lgkm = min(lgkm, 1<<k.bits-1)
	return int64(vm&(1<<low.bits-1))<<low.shift | int64(vm>>low.bits)<<high.shift | int64(exp)<<e.shift | int64(lgkm)<<k.shift
}
