package linker

import "github.com/gfx-toolchain/gfx/ir"

// prototype returns the destination's global for g: an existing one, or a new
// one without initializer or body. The value is converted if the address spaces
// differ. It returns None if g is not linked.
func (mv *mover) prototype(ctx int, g *ir.Global) ir.Value {
	d := mv.linkedTo(g)
	should := mv.shouldLink(d, g)
	if should {
		for c := range numContexts {
			if v := mv.mapped(c, g); v != ir.None {
				return v
			}
		}
	} else if ctx == forAlias {
		d = nil
	}
	if g.Linkage == ir.Appending || d != nil && d.Linkage == ir.Appending {
		return mv.appending(d, g)
	}
	if d != nil && !should && !mv.isExact(d, g) {
		return mv.inAddrSpace(d, g.AddrSpace)
	}
	if mv.done {
		return ir.None
	}
	define := should || ctx == forAlias
	n := mv.newGlobal(d, g, define)
	if n.Func != nil && n.Func.Intrinsic != ir.NoIntrinsic {
		if to := mv.remangle(n); to != n {
			return to.Value()
		}
	}
	if should || ctx != forAlias {
		mv.forceName(n, g.Name())
	}
	if define && g.Comdat != nil {
		n.Comdat = mv.comdat(g.Comdat)
	}
	if !should && ctx == forAlias {
		setLinkage(n, ir.Internal)
	}
	return n.Value()
}

// isExact reports whether the source has an unused strong definition of a
// function that the destination declares. The declaration is then created again
// because the definition may have weaker attributes.
func (mv *mover) isExact(d, g *ir.Global) bool {
	if mv.done || g.Func == nil || g.Linkage != ir.External || mv.in.isDeclaration(g) || !mv.isDeclaration(d) {
		return false
	}
	return !mv.src.HasAttr(mv.src.AttrsAt(g.Func.Attributes, ir.AttrFunction), ir.AttrNoBuiltin)
}

// inAddrSpace returns a global of the destination as a pointer to an address
// space.
func (mv *mover) inAddrSpace(d *ir.Global, space uint32) ir.Value {
	if d.AddrSpace == space {
		return d.Value()
	}
	return mv.dst.NewExpr(ir.OpAddrSpaceCast, mv.dst.PtrType(space), 0, d.Value())
}

// newGlobal creates a global of the destination for g. It replaces the uses of
// d unless d is nil.
func (mv *mover) newGlobal(d, g *ir.Global, define bool) *ir.Global {
	name, linkage := g.Name(), ir.External
	if define {
		linkage = g.Linkage
	} else if g.Linkage == ir.ExternWeak {
		linkage = ir.ExternWeak
	}
	value := ir.None
	switch {
	case d != nil:
		value = mv.replaced(d, g, linkage.IsLocal())
	case name != "" && mv.dst.Global(name) != nil:
		name = mv.l.unique(name)
	}
	n := mv.makeGlobal(g, define, name, value)
	setLinkage(n, linkage)
	if len(g.MD) > 0 && (mv.in.isDeclaration(g) || g.Kind == ir.GlobalVar && !define) {
		mv.later = append(mv.later, task{to: n, from: g})
	}
	if d != nil && value == ir.None {
		mv.dst.ResolveAs(d.Value(), mv.inAddrSpace(n, d.AddrSpace))
	}
	return n
}

// replaced removes a global of the destination that g replaces. It returns the
// value for the new global, or None if that needs a value of its own. LLVM
// keeps the old global temporarily under other names, which affects numbering.
func (mv *mover) replaced(d, g *ir.Global, local bool) ir.Value {
	mv.l.unique(g.Name())
	if !local {
		mv.l.unique(g.Name())
	}
	delete(mv.l.origin, d)
	if d.Func != nil && !d.IsDeclaration() {
		mv.dst.DropBlockAddresses(d.Value())
	}
	mv.dst.RemoveGlobal(d)
	if d.AddrSpace != g.AddrSpace {
		return ir.None
	}
	return d.Value()
}

// makeGlobal creates a global with all properties except linkage, COMDAT and
// content.
func (mv *mover) makeGlobal(g *ir.Global, define bool, name string, value ir.Value) *ir.Global {
	t, kind := mv.types.destType(g.Type), g.Kind
	plain := false // declaration for an alias
	if !define && (kind == ir.GlobalAlias || kind == ir.GlobalIFunc) {
		kind, plain = ir.GlobalVar, true
		if mv.src.Kind(g.Type) == ir.KindFunc {
			kind = ir.GlobalFunc
		}
	}
	var n *ir.Global
	if kind == ir.GlobalFunc {
		n = mv.dst.AddFunction(name, t, g.AddrSpace, value).Global
	} else {
		n = mv.dst.NewGlobal(kind, name, t, g.AddrSpace, value)
	}
	n.TLS = g.TLS
	if plain {
		return n
	}
	n.Vis, n.DLL, n.Unnamed, n.DSOLocal = g.Vis, g.DLL, g.Unnamed, g.DSOLocal
	n.Constant, n.ExtInit, n.Sanitizer, n.CodeModel, n.Align = g.Constant, g.ExtInit, g.Sanitizer, g.CodeModel, g.Align
	n.Section, n.Partition, n.Attrs = g.Section, g.Partition, mv.attrSet(g.Attrs)
	if f := g.Func; f != nil {
		n.Func.CC, n.Func.Attributes, n.Func.GC = f.CC, mv.attrList(f.Attributes), f.GC
	}
	return n
}

// forceName sets the name of an externally visible global to its name in the
// source. A local global with the same name is renamed.
func (mv *mover) forceName(n *ir.Global, name string) {
	if n.Linkage.IsLocal() || n.Name() == name {
		return
	}
	if other := mv.dst.Global(name); other != nil {
		mv.rename(other, mv.l.unique(name))
	}
	mv.rename(n, name)
}

func (mv *mover) rename(g *ir.Global, name string) {
	mv.dst.Rename(g, name)
	if g.Func != nil {
		g.Func.Intrinsic = ir.LookupIntrinsic(name)
	}
}

// remangle returns the intrinsic function whose name matches the types, which
// may have been renamed.
func (mv *mover) remangle(n *ir.Global) *ir.Global {
	id := n.Func.Intrinsic
	over, ok := mv.dst.MatchIntrinsic(id, n.Type)
	if !ok || mv.dst.IntrinsicName(id, over...) == n.Name() {
		return n
	}
	attrs := n.Func.Attributes
	mv.dst.RemoveGlobal(n)
	f := mv.dst.DeclareIntrinsic(id, over...)
	f.Attributes = attrs
	return f.Global
}

// comdat returns the destination's COMDAT for c.
func (mv *mover) comdat(c *ir.Comdat) *ir.Comdat {
	d := mv.l.comdats[c.Name]
	if d == nil {
		d = &ir.Comdat{Name: c.Name}
		mv.l.comdats[c.Name], mv.l.comdatFrom[c.Name] = d, mv.src.ID
		mv.dst.Comdats = append(mv.dst.Comdats, d)
	}
	d.Selection = c.Selection
	return d
}
