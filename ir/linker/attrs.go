package linker

import "github.com/gfx-toolchain/gfx/ir"

// attrMap maps attributes of the source to the destination's. Entries are the
// number plus one; 0 is not mapped yet.
type attrMap struct {
	sets  map[ir.AttrSet]ir.AttrSet
	lists map[ir.AttrList]ir.AttrList
}

func newAttrMap() attrMap {
	return attrMap{map[ir.AttrSet]ir.AttrSet{}, map[ir.AttrList]ir.AttrList{}}
}

func (mv *mover) attrSet(s ir.AttrSet) ir.AttrSet {
	if s == 0 {
		return 0
	}
	if to, ok := mv.attrs.sets[s]; ok {
		return to
	}
	own := mv.src.Attrs(s)
	to := make([]ir.Attr, len(own))
	for i, a := range own {
		if a.Type != ir.NoType {
			a.Type = mv.types.destType(a.Type)
		}
		a.Key, a.Str = mv.dst.String(mv.src.Str(a.Key)), mv.dst.String(mv.src.Str(a.Str))
		to[i] = a
	}
	n := mv.dst.AttrSet(to)
	mv.attrs.sets[s] = n
	return n
}

func (mv *mover) attrList(l ir.AttrList) ir.AttrList {
	if l == 0 {
		return 0
	}
	if to, ok := mv.attrs.lists[l]; ok {
		return to
	}
	sets := mv.src.AttrSets(l)
	to := make([]ir.AttrSet, len(sets))
	for i, s := range sets {
		to[i] = mv.attrSet(s)
	}
	n := mv.dst.AttrList(to)
	mv.attrs.lists[l] = n
	return n
}

// dropNoCallback removes the attribute nocallback from a function that is not
// an intrinsic, and from the calls in its body. The attribute promises that the
// function does not call back into its own module, but linking adds code to the
// module.
func (mv *mover) dropNoCallback(f *ir.Function) {
	m := mv.dst
	without := func(l ir.AttrList) ir.AttrList {
		s := m.AttrsAt(l, ir.AttrFunction)
		if !m.HasAttr(s, ir.AttrNoCallback) {
			return l
		}
		return m.WithAttrsAt(l, ir.AttrFunction, m.RemoveAttr(s, ir.AttrNoCallback))
	}
	if f.Intrinsic == ir.NoIntrinsic {
		f.Attributes = without(f.Attributes)
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) != ir.OpCall {
				continue
			}
			if l := f.CallAttrs(v); l != 0 {
				if to := without(l); to != l {
					f.SetCallAttrs(v, to)
				}
			}
		}
	}
}
