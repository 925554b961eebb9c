package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Module upgrades a module that has been read as a whole. Its warnings tell what was dropped; an error, what cannot be upgraded.
func Module(m *ir.Module) (warnings []string, err error) {
	u := New(m)
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			u.Function(g.Func)
		}
	}
	return u.Finish()
}

// Upgrader upgrades a module whose functions are read one after the other.
type Upgrader struct {
	m        *ir.Module
	warnings []string
	old      map[ir.Value]*upgrade // what is done with calls, by the old function
	order    []*ir.Function        // the old functions

	strip    bool   // debug information is removed, for it is of another version
	stripped bool   // there was some
	version  uint64 // of the debug information

	// What is in the module, as far as it was looked at.
	sets     int
	strictfp bool
	oldAttrs bool        // a set has attributes to upgrade
	present  ir.Metadata // a node of an access that is of the present form

	heapAlloc ir.MDKind // "heapallocsite", which LLVM has among debug information; of a module that is stripped

	loops map[ir.Metadata]ir.Metadata // metadata of loops without locations, by what it was
	exprs expander
}

// upgrade is what is done with an old function.
type upgrade struct {
	call func(c call) // upgrades a call
	keep bool         // the function stays, for something uses it
}

// call is a call of an intrinsic function.
type call struct {
	f *ir.Function
	v ir.Value
}

// New upgrades what does not stand in functions: flags of the module, attributes of functions, declarations of intrinsic functions. All globals
// and metadata of the module must be there, bodies of functions need not be.
func New(m *ir.Module) *Upgrader {
	u := &Upgrader{m: m, exprs: expander{m: m}}
	moduleFlags(m)
	u.findDebugVersion()
	u.intrinsics()
	u.look()
	for _, g := range m.Globals() {
		if g == nil {
			continue
		}
		if u.strip {
			u.stripGlobal(g)
		}
		u.exprs.initializer(g)
		u.globalAttrs(g)
	}
	return u
}

// Function upgrades the body of a function, which has just been read.
func (u *Upgrader) Function(f *ir.Function) {
	if f.Entry() == 0 {
		return
	}
	u.exprs.function(f)
	if len(u.old) > 0 {
		u.calls(f)
	}
	u.body(f)
}

// Finish removes what no function needs any more when all have been read. Its warnings tell what was dropped; an error,
// what cannot be upgraded.
func (u *Upgrader) Finish() (warnings []string, err error) {
	for _, f := range u.order {
		if !u.old[f.Value()].keep {
			u.m.RemoveGlobal(f.Global)
		}
	}
	u.order = nil
	if u.stripped && u.version != 0 {
		u.warnings = append(u.warnings, fmt.Sprintf("ignoring debug info with an invalid version (%d)", u.version))
	}
	return u.warnings, u.exprs.err
}

// intrinsics notes how calls of the intrinsic functions are upgraded.
func (u *Upgrader) intrinsics() {
	u.old = map[ir.Value]*upgrade{}
	for _, g := range slices.Clone(u.m.Globals()) {
		if g == nil || g.Func == nil || !strings.HasPrefix(g.Name(), "llvm.") {
			continue
		}
		if rewrite := u.byRule(g.Func); rewrite != nil {
			u.old[g.Value()] = &upgrade{call: rewrite}
			u.order = append(u.order, g.Func)
		}
	}
}

func (u *Upgrader) byRule(f *ir.Function) func(c call) {
	if r := findRule(f.Name()); r != nil {
		if rewrite := r.apply(u, f, r); rewrite != nil {
			return rewrite
		}
	}
	return u.remangle(f)
}

// remangle gives an intrinsic function the name that its types make, and the attributes that LLVM 22 gives it.
func (u *Upgrader) remangle(f *ir.Function) func(c call) {
	if f.Intrinsic == ir.NoIntrinsic {
		return nil
	}
	over, ok := u.m.MatchIntrinsic(f.Intrinsic, f.Global.Type)
	if !ok {
		return nil
	}
	if name := u.m.IntrinsicName(f.Intrinsic, over...); name != f.Name() {
		return redirect(u.declare(f.Intrinsic, over...))
	}
	f.Attributes = u.m.IntrinsicAttrs(f.Intrinsic, f.Global.Type)
	return nil
}

// declare gives an intrinsic function behind all others, or where it is already.
func (u *Upgrader) declare(id ir.Intrinsic, over ...ir.Type) *ir.Function {
	name := u.m.IntrinsicName(id, over...)
	if f := u.m.Function(name); f != nil && f.Global.Type != u.m.IntrinsicType(id, over...) {
		u.m.Rename(f.Global, name+".old") // it has the name of the present form
	}
	f := u.m.DeclareIntrinsic(id, over...)
	f.Attributes = u.m.IntrinsicAttrs(id, f.Global.Type)
	return f
}

// redirect makes calls call another function of the same type.
func redirect(to *ir.Function) func(c call) {
	return func(c call) { c.f.SetOperand(c.v, c.f.NumOperands(c.v)-1, to.Value()) }
}

// replace upgrades calls by what rewrite makes: it makes what stands for the call before it and gives its value, None when it
// has none.
func (u *Upgrader) replace(rewrite func(b *ir.Builder, c call) ir.Value) func(c call) {
	return func(c call) {
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
}

// arg gives argument i of a call.
func (c call) arg(i int) ir.Value { return c.f.Args(c.v)[i].Value }

// newCall makes a call of another intrinsic function in place of c, with its name, attributes of the function, and those of the
// arguments that keep says (-1: none).
func (u *Upgrader) newCall(b *ir.Builder, c call, to *ir.Function, keep []int, args ...ir.Value) ir.Value {
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
