package linker

import "github.com/gfx-toolchain/gfx/ir"

// maxElements limits the number of elements of a variable with appending
// linkage, which a short text can specify to be very large.
const maxElements = 1 << 24

// appending links a variable with appending linkage. New elements follow the
// existing ones.
func (mv *mover) appending(d, g *ir.Global) ir.Value {
	if g.Kind != ir.GlobalVar || d != nil && d.Kind != ir.GlobalVar {
		mv.failf("linking globals named '%s': can only link appending global with another appending global, in %s and %s",
			g.Name(), mv.l.from(d), mv.src.ID)
		return ir.None
	}
	defined := d != nil && !d.IsDeclaration()
	if defined && !mv.in.isDeclaration(g) {
		if what := appendingMismatch(d, g); what != "" {
			mv.failf("linking globals named '%s': %s, in %s and %s", g.Name(), what, mv.l.from(d), mv.src.ID)
			return ir.None
		}
	}
	if mv.in.isDeclaration(g) {
		if d == nil {
			return ir.None
		}
		return d.Value()
	}
	if mv.src.Kind(g.Type) != ir.KindArray {
		mv.failf("linking globals named '%s': appending variable is not an array, in %s", g.Name(), mv.src.ID)
		return ir.None
	}
	total := mv.src.NumElements(g.Type)
	if defined {
		total += mv.dst.NumElements(d.Type)
	}
	if total > maxElements {
		mv.failf("linking globals named '%s': %d elements, at most %d can be appended, in %s", g.Name(), total, maxElements, mv.src.ID)
		return ir.None
	}
	elem, elems := mv.newElements(g)
	n := uint64(len(elems))
	if defined {
		if mv.dst.ElementType(d.Type, 0) != elem {
			mv.failf("linking globals named '%s': appending variables with different element types, in %s and %s",
				g.Name(), mv.l.from(d), mv.src.ID)
			return ir.None
		}
		n += mv.dst.NumElements(d.Type)
	}
	t := mv.dst.ArrayType(elem, n)
	to := d
	if d == nil || d.AddrSpace != g.AddrSpace {
		to = mv.newGlobal(d, g, true)
	} else {
		mv.l.unique(g.Name())
	}
	to.Type, to.Linkage, to.Align, to.Section, to.Unnamed = t, g.Linkage, g.Align, g.Section, g.Unnamed
	to.Constant, to.Vis, to.TLS, to.DSOLocal, to.DLL = g.Constant, g.Vis, g.TLS, g.DSOLocal, g.DLL
	mv.l.origin[to] = mv.src.ID
	mv.tasks = append(mv.tasks, task{to: to, from: g, elems: elems, fill: (*mover).fillAppending})
	return to.Value()
}

// appendingMismatch describes why two appending variables are incompatible.
func appendingMismatch(d, g *ir.Global) string {
	switch {
	case g.Linkage != ir.Appending || d.Linkage != ir.Appending:
		return "can only link appending global with another appending global"
	case d.Constant != g.Constant:
		return "appending variables linked with different const'ness"
	case d.Align != g.Align:
		return "appending variables with different alignment need to be linked"
	case d.Vis != g.Vis:
		return "appending variables with different visibility need to be linked"
	case (d.Unnamed == ir.GlobalUnnamedAddr) != (g.Unnamed == ir.GlobalUnnamedAddr):
		return "appending variables with different unnamed_addr need to be linked"
	case d.Section != g.Section:
		return "appending variables with different section name need to be linked"
	case d.AddrSpace != g.AddrSpace:
		return "appending variables with different address spaces need to be linked"
	}
	return ""
}

// newElements returns the element type of an appending variable and the
// elements to link. It omits a constructor whose associated global is not
// linked.
func (mv *mover) newElements(g *ir.Global) (elem ir.Type, elems []ir.Value) {
	src := mv.src
	elem = mv.types.destType(src.ElementType(g.Type, 0))
	n := src.NumElements(g.Type)
	structors := (g.Name() == "llvm.global_ctors" || g.Name() == "llvm.global_dtors") && mv.dst.NumElements(elem) == 3
	for i := range n {
		e := src.Element(g.Init, i)
		if structors {
			if key := src.ConstGlobal(stripCasts(src, src.Element(e, 2))); key != nil && !mv.shouldLink(mv.linkedTo(key), key) {
				continue
			}
		}
		elems = append(elems, e)
	}
	return elem, elems
}

func (mv *mover) fillAppending(t task) {
	var all []ir.Value
	if old := t.to.Init; old != ir.None {
		for i := range mv.dst.NumElements(mv.dst.TypeOfConst(old)) {
			all = append(all, mv.dst.Element(old, i))
		}
	}
	for _, e := range t.elems {
		v := mv.value(forUse, e)
		if v == ir.None {
			return
		}
		all = append(all, v)
	}
	t.to.Init = mv.dst.NewAggregate(t.to.Type, all)
}
