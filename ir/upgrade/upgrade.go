package upgrade

import (
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Module upgrades a module that has been read as a whole. Its warnings tell what was dropped; an error, what cannot be upgraded.
func Module(m *ir.Module) (warnings []string, err error) {
	u := &upgrader{m: m}
	moduleFlags(m)
	u.expandConstants()
	u.intrinsics()
	u.debugInfo()
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && g.Func.Entry() != 0 {
			u.body(g.Func)
		}
	}
	return u.warnings, u.err
}

type upgrader struct {
	m        *ir.Module
	err      error
	warnings []string
	loops    map[ir.Metadata]ir.Metadata // metadata of loops without locations, by what it was
	// calls of the functions that are upgraded, by the callee
	calls map[ir.Value][]call
}

// call is a call of an intrinsic function.
type call struct {
	f *ir.Function
	v ir.Value
}

// intrinsics upgrades the declarations of intrinsic functions and their calls.
func (u *upgrader) intrinsics() {
	var old []*ir.Function
	for _, g := range u.m.Globals() {
		if g != nil && g.Func != nil && strings.HasPrefix(g.Name(), "llvm.") {
			old = append(old, g.Func)
		}
	}
	u.collectCalls(old)
	for _, f := range old {
		if !u.upgradeByRule(f) {
			u.remangle(f)
		}
	}
}

// collectCalls finds the calls of functions that have a rule or are not named as they should be.
func (u *upgrader) collectCalls(old []*ir.Function) {
	u.calls = map[ir.Value][]call{}
	for _, f := range old {
		if u.needsUpgrade(f) {
			u.calls[f.Value()] = nil
		}
	}
	if len(u.calls) == 0 {
		return
	}
	for _, g := range u.m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if !f.Op(v).IsCall() {
					continue
				}
				callee := f.Callee(v)
				if list, ok := u.calls[callee]; ok {
					u.calls[callee] = append(list, call{f, v})
				}
			}
		}
	}
}

func (u *upgrader) needsUpgrade(f *ir.Function) bool {
	if findRule(f.Name()) != nil {
		return true
	}
	over, ok := u.m.MatchIntrinsic(f.Intrinsic, f.Global.Type)
	return ok && u.m.IntrinsicName(f.Intrinsic, over...) != f.Name()
}

func (u *upgrader) upgradeByRule(f *ir.Function) bool {
	r := findRule(f.Name())
	return r != nil && r.apply(u, f, r)
}

// remangle gives an intrinsic function the name that its types make, and the attributes that LLVM 22 gives it.
func (u *upgrader) remangle(f *ir.Function) {
	if f.Intrinsic == ir.NoIntrinsic {
		return
	}
	over, ok := u.m.MatchIntrinsic(f.Intrinsic, f.Global.Type)
	if !ok {
		return
	}
	if name := u.m.IntrinsicName(f.Intrinsic, over...); name != f.Name() {
		to := u.declare(f.Intrinsic, over...)
		u.redirect(f, to)
		return
	}
	f.Attributes = u.m.IntrinsicAttrs(f.Intrinsic)
}

// declare gives an intrinsic function behind all others, or where it is already.
func (u *upgrader) declare(id ir.Intrinsic, over ...ir.Type) *ir.Function {
	f := u.m.DeclareIntrinsic(id, over...)
	f.Attributes = u.m.IntrinsicAttrs(id)
	return f
}

// redirect makes the calls of a function call another one of the same type, and removes the first.
func (u *upgrader) redirect(f, to *ir.Function) {
	for _, c := range u.calls[f.Value()] {
		c.f.SetOperand(c.v, c.f.NumOperands(c.v)-1, to.Value())
	}
	u.remove(f)
}

// remove takes a function without calls out of the module.
func (u *upgrader) remove(f *ir.Function) { u.m.RemoveGlobal(f.Global) }

// each runs rewrite on every call of a function and removes the function. rewrite makes what stands for the call before it and gives
// its value, None when it has none.
func (u *upgrader) each(f *ir.Function, rewrite func(b *ir.Builder, c call) ir.Value) bool {
	for _, c := range u.calls[f.Value()] {
		b := ir.NewBuilder(c.f, c.f.Parent(c.v))
		b.Before(c.v)
		v := rewrite(b, c)
		if c.f.HasUses(c.v) || c.f.FirstRecordUse(c.v) != 0 {
			if v == ir.None {
				v = u.m.Poison(c.f.TypeOf(c.v))
			}
			c.f.ReplaceUses(c.v, v)
		}
		c.f.Erase(c.v)
	}
	u.remove(f)
	return true
}

// arg gives argument i of a call.
func (c call) arg(i int) ir.Value { return c.f.Args(c.v)[i].Value }

// newCall makes a call of another intrinsic function in place of c, with its name, attributes of the function, and those of the
// arguments that keep says (-1: none).
func (u *upgrader) newCall(b *ir.Builder, c call, to *ir.Function, keep []int, args ...ir.Value) ir.Value {
	v := b.Call(to, args...)
	if name := c.f.NameOf(c.v); name != nil {
		c.f.SetName(v, name)
		c.f.SetName(c.v, nil)
	}
	if keep != nil {
		old := c.f.CallAttrs(c.v)
		sets := []ir.AttrSet{u.m.AttrsAt(old, ir.AttrFunction), u.m.AttrsAt(old, ir.AttrResult)}
		for _, i := range keep {
			s := ir.AttrSet(0)
			if i >= 0 {
				s = u.m.AttrsAt(old, ir.AttrParams+i)
			}
			sets = append(sets, s)
		}
		c.f.SetCallAttrs(v, u.m.AttrList(sets))
	}
	return v
}
