package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Module upgrades a module that has been read completely. The warnings list the
// dropped items; the error names an item that cannot be upgraded.
func Module(m *ir.Module) (warnings []string, err error) {
	u := New(m)
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			u.Function(g.Func)
		}
	}
	return u.Finish()
}

// Upgrader upgrades a module whose functions are read one after another.
type Upgrader struct {
	m        *ir.Module
	warnings []string
	old      map[ir.Value]*upgrade // upgrades of calls by old function
	order    []*ir.Function        // old functions

	strip    bool   // debug information has another version and is removed
	stripped bool   // debug information was removed
	version  uint64 // debug info version

	// State of the module's tables, up to the last check.
	sets     int
	strictfp bool
	oldAttrs bool        // a set contains attributes to upgrade
	present  ir.Metadata // an access tag known to be in the current form

	heapAlloc ir.MDKind // "heapallocsite" of a stripped module, which LLVM treats as debug information

	loops map[ir.Metadata]ir.Metadata // loop metadata without locations, by original node
	exprs expander
}

// upgrade describes the upgrade of an old function.
type upgrade struct {
	call func(c call) // upgrades a call
	keep bool         // the function is kept because it still has uses
}

// call is a call of an intrinsic function.
type call struct {
	f *ir.Function
	v ir.Value
}

// New upgrades everything outside function bodies: module flags, attributes of
// functions, declarations of intrinsic functions. All globals and metadata of
// the module must exist; function bodies may be missing.
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

// Function upgrades the body of a function that has just been read.
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

// Finish removes entities that are unused after all functions have been read.
// The warnings list the dropped items; the error names an item that cannot be
// upgraded.
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

// intrinsics determines the upgrades for calls of intrinsic functions.
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

// remangle renames an intrinsic function according to its types, and sets LLVM
// 22's attributes.
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

// declare returns an intrinsic function, which it declares after all others if
// it does not exist.
func (u *Upgrader) declare(id ir.Intrinsic, over ...ir.Type) *ir.Function {
	name := u.m.IntrinsicName(id, over...)
	if f := u.m.Function(name); f != nil && f.Global.Type != u.m.IntrinsicType(id, over...) {
		u.m.Rename(f.Global, name+".old") // has the name of the current form
	}
	f := u.m.DeclareIntrinsic(id, over...)
	f.Attributes = u.m.IntrinsicAttrs(id, f.Global.Type)
	return f
}

// redirect returns a function that replaces the callee of a call. to must have
// the same type.
func redirect(to *ir.Function) func(c call) {
	return func(c call) { c.f.SetOperand(c.v, c.f.NumOperands(c.v)-1, to.Value()) }
}

// replace returns a function that replaces calls by the result of rewrite.
// rewrite inserts the replacement before the call and returns its value, or
// None if it has none.
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

// arg returns argument i of a call.
func (c call) arg(i int) ir.Value { return c.f.Args(c.v)[i].Value }

// newCall creates a call of another intrinsic function in place of c. It keeps
// the name and the function attributes of c, and the attributes of the
// arguments listed in keep (-1: none).
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
