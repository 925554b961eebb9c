package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// together creates a cross-lane operation of a kernel's work-items. It is
// allowed only where all work-items are active.
func (b *body) together(depth int) {
	if depth > 0 || !b.f.CC.IsKernel() || b.returns {
		return
	}
	m := b.m
	x := b.pick(ir.I32)
	switch b.IntN(5) {
	case 0:
		b.add(b.call(ir.IntrAMDGCNReadfirstlane, []ir.Type{ir.I32}, x))
	case 1:
		b.add(b.call(ir.IntrAMDGCNReadlane, []ir.Type{ir.I32}, x, m.NewInt(ir.I32, uint64(b.IntN(lanes)))))
	case 2:
		b.add(b.call(ir.IntrAMDGCNBallot, []ir.Type{ir.I64}, b.cond()))
	case 3: // quad_perm
		k := func(t ir.Type, n uint64) ir.Value { return m.NewInt(t, n) }
		b.add(b.call(ir.IntrAMDGCNUpdateDpp, []ir.Type{ir.I32}, b.pick(ir.I32), x, k(ir.I32, uint64(b.IntN(256))), k(ir.I32, 15),
			k(ir.I32, 15), k(ir.I1, 1)))
	case 4:
		b.exchange(x)
	}
}

// exchange passes a value to another work-item through LDS.
func (b *body) exchange(x ir.Value) {
	m := b.m
	name := "exchange." + b.f.Name()
	g := m.Global(name)
	if g == nil {
		g = m.NewGlobal(ir.GlobalVar, name, m.ArrayType(ir.I32, lanes), 3, ir.None)
		g.Init, g.Align, g.Linkage = m.Poison(g.Type), 4, ir.Internal
	}
	id := b.call(ir.IntrAMDGCNWorkitemIdX, nil)
	at := func(i ir.Value) ir.Value { return b.b.GEP(ir.I32, 0, g.Value(), i) }
	b.call(ir.IntrAMDGCNSBarrier, nil)
	b.b.Store(x, at(id), 4)
	b.call(ir.IntrAMDGCNSBarrier, nil)
	other := b.b.Xor(id, m.NewInt(ir.I32, uint64(1+b.IntN(lanes-1))))
	b.add(b.b.Load(ir.I32, at(other), 4))
}

// earlyReturn creates an additional return.
func (b *body) earlyReturn() {
	out, on := b.f.NewBlock(), b.f.NewBlock()
	b.returns = true
	b.b.CondBr(b.cond(), out, on)
	b.b.AtEnd(out)
	if t := b.f.ReturnType(); t == ir.Void {
		b.b.Ret(ir.None)
	} else {
		b.b.Ret(b.pick(t))
	}
	b.b.AtEnd(on)
}
