package linker

import (
	"cmp"
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
)

// chooseComdats decides which COMDATs of the source to use, and drops the
// destination's COMDATs that they replace.
func (r *resolver) chooseComdats() error {
	replaced := map[*ir.Comdat]bool{}
	for _, c := range r.src.Comdats {
		d := r.l.comdats[c.Name]
		if d == nil {
			r.chosen[c] = takeNew
			continue
		}
		from, err := r.chooseComdat(d, c)
		if err != nil {
			return err
		}
		r.chosen[c] = from
		if from == takeNew {
			replaced[d] = true
		}
	}
	if len(replaced) > 0 {
		r.dropComdats(replaced)
	}
	return nil
}

// chooseComdat chooses between two COMDATs with the same name (LangRef,
// "Comdats").
func (r *resolver) chooseComdat(d, c *ir.Comdat) (choice, error) {
	fail := func(what string) (choice, error) {
		return takeOld, fmt.Errorf("linking COMDATs named '%s': %s, in %s and %s", c.Name, what, cmp.Or(r.l.comdatFrom[c.Name], r.dst.ID), r.src.ID)
	}
	kind := d.Selection
	mixes := func(s ir.ComdatSelection) bool { return s == ir.ComdatAny || s == ir.ComdatLargest }
	switch {
	case mixes(d.Selection) && mixes(c.Selection):
		kind = max(d.Selection, c.Selection)
	case d.Selection != c.Selection:
		return fail("invalid selection kinds")
	}
	switch kind {
	case ir.ComdatAny:
		return takeOld, nil
	case ir.ComdatNoDeduplicate:
		return takeBoth, nil
	}
	dg, what := comdatLeader(r.dst, c.Name)
	if what != "" {
		return fail(what)
	}
	sg, what := comdatLeader(r.src, c.Name)
	if what != "" {
		return fail(what)
	}
	oldSize, newSize := r.dst.AllocSize(dg.Type), r.src.AllocSize(sg.Type)
	switch {
	case kind == ir.ComdatLargest && newSize > oldSize:
		return takeNew, nil
	case kind == ir.ComdatSameSize && newSize != oldSize:
		return fail("SameSize violated")
	case kind == ir.ComdatExactMatch && !sameConst(r.dst, dg.Init, r.src, sg.Init):
		return fail("ExactMatch violated")
	}
	return takeOld, nil
}

// comdatLeader returns the variable after which a COMDAT is named, or an error
// message if it does not exist.
func comdatLeader(m *ir.Module, name string) (*ir.Global, string) {
	g := m.Global(name)
	if g != nil && g.Kind == ir.GlobalAlias {
		if g = baseGlobal(m, g.Init); g == nil {
			return nil, "COMDAT key involves incomputable alias size"
		}
	}
	if g == nil || g.Kind != ir.GlobalVar {
		return nil, "GlobalVariable required for data dependent selection"
	}
	return g, ""
}

// sameConst reports whether constants of two modules are equal. As in LLVM,
// constants that refer to globals are never equal, because the globals of two
// modules differ.
func sameConst(m *ir.Module, v ir.Value, n *ir.Module, w ir.Value) bool {
	if v == ir.None || w == ir.None {
		return v == w
	}
	c, d := m.Const(v), n.Const(w)
	if c.Kind != d.Kind || !sameType(m, c.Type, n, d.Type) {
		return false
	}
	switch c.Kind {
	case ir.ConstInt, ir.ConstFloat:
		return c.Bits() == d.Bits()
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison:
		return true
	case ir.ConstData:
		return string(m.ConstBytes(v)) == string(n.ConstBytes(w))
	case ir.ConstWide:
		a, b := m.Words(v), n.Words(w)
		for i := range a {
			if a[i] != b[i] {
				return false
			}
		}
		return true
	case ir.ConstAggregate:
		a, b := m.ConstOperands(v), n.ConstOperands(w)
		for i := range a {
			if !sameConst(m, a[i], n, b[i]) {
				return false
			}
		}
		return true
	}
	return false
}

func sameType(m *ir.Module, t ir.Type, n *ir.Module, u ir.Type) bool {
	a, b := m.TypeInfo(t), n.TypeInfo(u)
	if a.Kind != b.Kind || a.N != b.N || len(a.Elems) != len(b.Elems) || a.Packed != b.Packed || a.Named || b.Named {
		return false
	}
	for i := range a.Elems {
		if !sameType(m, a.Elems[i], n, b.Elems[i]) {
			return false
		}
	}
	return a.Elem == b.Elem || sameType(m, a.Elem, n, b.Elem)
}

// losePrivate changes the linkage of private members of unused source COMDATs
// to available_externally, except for aliasees.
func (r *resolver) losePrivate() {
	aliased := map[*ir.Global]bool{}
	for _, g := range r.src.Globals() {
		if g != nil && g.Kind == ir.GlobalAlias {
			aliased[baseOf(r.src, g)] = true
		}
	}
	for _, g := range r.src.Globals() {
		if g == nil || g.Comdat == nil || g.Linkage != ir.Private || aliased[g] {
			continue
		}
		if from, ok := r.chosen[g.Comdat]; ok && from == takeOld {
			setLinkage(g, ir.AvailableExternally)
			g.Comdat = nil
		}
	}
}

// dropComdats removes the definitions in replaced COMDATs from the destination.
// Unused globals are removed, the others become declarations.
func (r *resolver) dropComdats(replaced map[*ir.Comdat]bool) {
	var drop []*ir.Global
	for _, kind := range [...]ir.GlobalKind{ir.GlobalAlias, ir.GlobalVar, ir.GlobalFunc} {
		for _, g := range r.dst.Globals() {
			if g != nil && g.Kind == kind && replaced[comdatOf(r.dst, g)] {
				drop = append(drop, g)
			}
		}
	}
	uses := map[*ir.Global]int{}
	for _, g := range r.dst.Globals() {
		eachReference(r.dst, g, func(to *ir.Global) { uses[to]++ })
	}
	for _, g := range drop {
		delete(r.l.origin, g)
		if uses[g] == 0 {
			eachReference(r.dst, g, func(to *ir.Global) { uses[to]-- })
			r.dst.RemoveGlobal(g)
			continue
		}
		switch g.Kind {
		case ir.GlobalFunc:
			r.dst.DropBlockAddresses(g.Value())
			g.Func.Discard()
			g.Linkage, g.Comdat = ir.External, nil
		case ir.GlobalVar:
			eachReference(r.dst, g, func(to *ir.Global) { uses[to]-- })
			g.Init, g.Comdat = ir.None, nil
		default:
			r.declareAlias(g)
		}
	}
}

// eachReference calls f once for each global to which the content of g refers.
func eachReference(m *ir.Module, g *ir.Global, f func(*ir.Global)) {
	if g == nil {
		return
	}
	seen := map[ir.Value]bool{}
	var stack []ir.Value
	push := func(v ir.Value) {
		if v.IsConst() && !seen[v] {
			seen[v] = true
			stack = append(stack, v)
		}
	}
	push(g.Init)
	if fn := g.Func; fn != nil {
		push(fn.Personality)
		push(fn.Prefix)
		push(fn.Prologue)
		for b := fn.Entry(); b != 0; b = fn.NextBlock(b) {
			for v := fn.First(b); v != ir.None; v = fn.Next(v) {
				for _, o := range fn.Operands(v) {
					push(o.Value)
				}
			}
		}
	}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if to := m.ConstGlobal(v); to != nil {
			f(to)
		}
		for _, o := range m.ConstOperands(v) {
			push(o)
		}
	}
}

// declareAlias replaces an alias by a declaration.
func (r *resolver) declareAlias(g *ir.Global) {
	name, value := g.Name(), g.Value()
	r.dst.RemoveGlobal(g)
	if r.dst.Kind(g.Type) == ir.KindFunc {
		r.dst.AddFunction(name, g.Type, g.AddrSpace, value)
		return
	}
	r.dst.NewGlobal(ir.GlobalVar, name, g.Type, g.AddrSpace, value)
}
