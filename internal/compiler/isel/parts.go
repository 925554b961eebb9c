package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// A struct or array has no registers of its own. Instead, its leaves do: the
// scalars and vectors in it, in order. extractvalue, a call or a return creates
// a leaf's register when it uses the leaf, and the instruction that defines the
// aggregate defines all created ones.

// leafKey identifies a leaf of an aggregate.
type leafKey struct {
	v    ir.Value
	leaf int
}

// leafReg returns the register of a leaf of a type, and marks the leaf as
// wanted.
func (s *Selector) leafReg(v ir.Value, leaf int, t ir.Type) mir.Reg {
	s.vals[v].wanted = true
	k := leafKey{v, leaf}
	r, ok := s.leaves[k]
	switch {
	case ok:
	case s.isBool(t):
		r = s.out.NewMask()
		s.leaves[k] = r
	default:
		r = s.newV(s.dwords(t))
		s.leaves[k] = r
	}
	return r
}

// leafCount returns the number of leaves of a type.
func (s *Selector) leafCount(t ir.Type) int {
	switch s.m.Kind(t) {
	case ir.KindStruct, ir.KindArray:
		n := 0
		for i := range s.m.NumElements(t) {
			n += s.leafCount(s.m.ElementType(t, i))
		}
		return n
	}
	return 1
}

// leafAt returns the number of the first leaf at a path, and the type at the
// path.
func (s *Selector) leafAt(t ir.Type, path []uint32) (leaf int, at ir.Type) {
	for _, i := range path {
		for k := range uint64(i) {
			leaf += s.leafCount(s.m.ElementType(t, k))
		}
		t = s.m.ElementType(t, uint64(i))
	}
	return leaf, t
}

// leafSource returns the source of an aggregate's leaf: a separate value, found
// through insertvalue, or a leaf of an instruction's result.
func (s *Selector) leafSource(v ir.Value, leaf int, t ir.Type) (of ir.Value, n int, own bool) {
	f := s.f
	for v.IsLocal() {
		switch f.Op(v) {
		case ir.OpInsertValue:
			agg, x := f.Operand(v, 0), f.Operand(v, 1)
			first, at := s.leafAt(f.TypeOf(v), f.Indices(v))
			if n := s.leafCount(at); leaf < first || leaf >= first+n {
				v = agg
				continue
			}
			if leaf -= first; !s.m.IsAggregate(at) {
				return x, 0, true
			}
			v = x
		case ir.OpExtractValue:
			first, _ := s.leafAt(s.typeOf(f.Operand(v, 0)), f.Indices(v))
			v, leaf = f.Operand(v, 0), leaf+first
		case ir.OpFreeze:
			v = f.Operand(v, 0)
		default:
			return v, leaf, false
		}
	}
	return s.constantLeaf(v, leaf), 0, true
}

// constantLeaf returns a leaf of a constant.
func (s *Selector) constantLeaf(v ir.Value, leaf int) ir.Value {
	for {
		t := s.m.TypeOfConst(v)
		if !s.m.IsAggregate(t) {
			return v
		}
		for i := range s.m.NumElements(t) {
			n := s.leafCount(s.m.ElementType(t, i))
			if leaf < n {
				v = s.m.Element(v, i)
				break
			}
			leaf -= n
		}
	}
}

// extracted returns the leaf that an extractvalue selects.
func (s *Selector) extracted(v ir.Value) (of ir.Value, leaf int, own bool) {
	f := s.f
	x := f.Operand(v, 0)
	first, t := s.leafAt(s.typeOf(x), f.Indices(v))
	return s.leafSource(x, first, t)
}

// extractValue selects an extractvalue of a separate value or of a leaf in
// another bank. The leaf of a call's result already has the right register.
func (s *Selector) extractValue(v ir.Value) {
	of, _, own := s.extracted(v)
	switch {
	case !own:
	case s.isBool(s.f.TypeOf(v)):
		s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), s.asReg(s.mask(of), mir.FileS, s.out.M.MaskDwords()))
	default:
		s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), s.vgpr(of))
	}
}

// leafOperand returns dword k of a leaf of an aggregate, or of a value that is
// not an aggregate if leaf is 0.
func (s *Selector) leafOperand(v ir.Value, leaf, k int, t ir.Type) mir.Operand {
	if s.m.IsAggregate(s.typeOf(v)) {
		of, n, own := s.leafSource(v, leaf, t)
		if !own {
			return s.dwordOf(mir.R(s.leafReg(of, n, t)), k, t)
		}
		v = of
	}
	if s.isBool(t) {
		return s.dwordOf(s.mask(v), 0, t)
	}
	return s.half(s.use(v), k)
}

// dwordOf returns a dword of a leaf; an i1 becomes 0 or 1.
func (s *Selector) dwordOf(o mir.Operand, k int, t ir.Type) mir.Operand {
	if !s.isBool(t) {
		return s.half(o, k)
	}
	if o.Kind == mir.KindImm {
		return mir.Imm(o.Imm & 1)
	}
	d := mir.R(s.newV(1))
	s.valu(mir.VCndmaskB32, d, mir.Imm(0), mir.Imm(1), o)
	return d
}

// definePart defines a leaf of an aggregate, if it is wanted, as an operand.
func (s *Selector) definePart(v ir.Value, leaf uint32, o mir.Operand) {
	if r, ok := s.leaves[leafKey{v, int(leaf)}]; ok {
		s.putInstr(mir.Copy, 1, mir.R(r), o)
	}
}

// partWanted reports whether a leaf of an aggregate is wanted.
func (s *Selector) partWanted(v ir.Value, leaf int) bool {
	_, ok := s.leaves[leafKey{v, leaf}]
	return ok
}

// swapResults defines the parts of a cmpxchg result: the old value, and whether
// it equals the compared value.
func (s *Selector) swapResults(v, cmp ir.Value) {
	s.definePart(v, 0, mir.R(s.old))
	if !s.partWanted(v, 1) {
		return
	}
	op := mir.VCmpEqU32
	if s.out.Dwords(s.old) == 2 {
		op = mir.VCmpEqU64
	}
	s.valu(op, mir.R(s.leaves[leafKey{v, 1}]), s.use(cmp), mir.R(s.old))
}
