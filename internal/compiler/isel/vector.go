package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

var packedTable = [ir.NumOps]mir.Op{
	ir.OpAdd: mir.VPkAddU16, ir.OpSub: mir.VPkSubI16, ir.OpMul: mir.VPkMulLoU16,
	ir.OpShl: mir.VPkLshlrevB16, ir.OpLShr: mir.VPkLshrrevB16, ir.OpAShr: mir.VPkAshrrevI16,
}

// packedInteger selects an operation on two i16, and logic on vectors of any
// type, which operates on dwords.
func (s *Selector) packedInteger(v ir.Value) {
	f := s.f
	op := f.Op(v)
	x, y := f.Operand(v, 0), f.Operand(v, 1)
	dst := s.regOf(v)
	if op == ir.OpAnd || op == ir.OpOr || op == ir.OpXor {
		a, b := s.use(x), s.use(y)
		parts := []mir.Operand{mir.R(dst)}
		for k := range s.out.Dwords(dst) {
			parts = append(parts, s.logic(op, s.half(a, k), s.half(b, k)))
		}
		s.tuple(parts)
		return
	}
	machine := packedTable[op]
	if machine == mir.OpNone || s.out.Dwords(dst) != 1 || s.m.ScalarBits(f.TypeOf(v)) != 16 {
		s.unsupported(v, "%v of a vector", op)
		return
	}
	a, b := s.use(x), s.use(y)
	if op == ir.OpShl || op == ir.OpLShr || op == ir.OpAShr {
		a, b = b, a
	}
	s.valuMods(machine, mir.OpSelHiAll, mir.R(dst), a, b)
}

// extractElement selects an element that is smaller than a dword.
func (s *Selector) extractElement(v ir.Value) {
	f := s.f
	x := f.Operand(v, 0)
	n, ok := s.intValue(f.Operand(v, 1))
	bits := int(s.m.SizeInBits(f.TypeOf(v)))
	switch {
	case s.isBool(f.TypeOf(v)):
		s.unsupported(v, "extractelement of i1")
		return
	case !ok:
		s.indexRead(v)
		return
	}
	dst := s.regOf(v)
	if n >= s.m.NumElements(f.TypeOf(x)) {
		s.putInstr(mir.Undefined, 1, mir.R(dst))
		return
	}
	at := int(n) * bits
	o := s.use(x)
	if at%32 == 0 {
		s.putInstr(mir.Copy, 1, mir.R(dst), s.inBank(v, s.part(o, at/32, s.out.Dwords(dst)), s.out.Dwords(dst)))
		return
	}
	o = s.half(o, at/32)
	if s.vals[v].bank == bankS {
		s.salu(mir.SLshrB32, dst, s.asReg(o, mir.FileS, 1), mir.Imm(int64(at%32)))
		return
	}
	s.valu(mir.VLshrrevB32, mir.R(dst), mir.Imm(int64(at%32)), o)
}

// element is the source of a vector's element: a value, or an element of a
// vector that is not built by insertelement in this function.
type element struct {
	v     ir.Value // None if undefined
	from  ir.Value // the vector
	index int
}

// elements returns the sources of a vector's elements, looking through
// insertelement.
func (s *Selector) elements(v ir.Value, out []element) {
	f := s.f
	switch {
	case v.IsConst() && s.isUndef(v):
		return
	case v.IsConst():
		for i := range out {
			out[i] = element{v: s.m.Element(v, uint64(i))}
		}
		return
	case f.Op(v) == ir.OpInsertElement && s.constIndex(f.Operand(v, 2)):
		s.elements(f.Operand(v, 0), out)
		if n, _ := s.intValue(f.Operand(v, 2)); n < uint64(len(out)) {
			out[n] = element{v: f.Operand(v, 1)}
		}
		return
	}
	for i := range out {
		out[i] = element{from: v, index: i}
	}
}

func (s *Selector) constIndex(v ir.Value) bool {
	_, ok := s.intValue(v)
	return ok
}

func (s *Selector) isUndef(v ir.Value) bool {
	k := s.m.ConstKindOf(v)
	return k == ir.ConstUndef || k == ir.ConstPoison
}

// insertElement selects a chain of insertelement at once.
func (s *Selector) insertElement(v ir.Value) {
	if !s.constIndex(s.f.Operand(v, 2)) {
		s.indexWrite(v)
		return
	}
	t := s.f.TypeOf(v)
	elems := make([]element, s.m.NumElements(t))
	s.elements(v, elems)
	bits := int(s.m.SizeInBits(s.m.Scalar(t)))
	if bits == 1 {
		s.unsupported(v, "vector of i1")
		return
	}
	dst := s.regOf(v)
	parts := []mir.Operand{mir.R(dst)}
	if from := s.sameVector(elems); from != ir.None {
		s.tuple(append(parts, s.inBank(v, s.use(from), s.out.Dwords(dst))))
		return
	}
	if bits >= 32 {
		for i := range elems {
			for k := range bits / 32 {
				parts = append(parts, s.inBank(v, s.elementDword(v, &elems[i], k, bits/32), 1))
			}
		}
		s.tuple(parts)
		return
	}
	per := 32 / bits
	for i := 0; i < len(elems); i += per {
		parts = append(parts, s.packDword(v, elems[i:min(i+per, len(elems))], bits))
	}
	s.tuple(parts)
}

// sameVector returns a vector that consists of the elements, or None.
func (s *Selector) sameVector(elems []element) ir.Value {
	from := ir.None
	for i := range elems {
		e := elems[i]
		if e.v.IsLocal() {
			e = s.elementOf(e.v)
		}
		if i == 0 {
			from = e.from
		}
		if e.from == ir.None || e.from != from || e.index != i {
			return ir.None
		}
	}
	if s.m.NumElements(s.typeOf(from)) != uint64(len(elems)) {
		return ir.None
	}
	return from
}

// elementDword returns dword k of an element of n dwords.
func (s *Selector) elementDword(v ir.Value, e *element, k, n int) mir.Operand {
	switch {
	case e.v != ir.None:
		return s.half(s.use(e.v), k)
	case e.from != ir.None:
		return s.half(s.use(e.from), e.index*n+k)
	}
	return s.undefined(v)
}

func (s *Selector) undefined(v ir.Value) mir.Operand {
	d := mir.R(s.out.NewReg(s.vals[v].bank.file(), 1))
	s.putInstr(mir.Undefined, 1, d)
	return d
}

// packDword packs elements of 8 or 16 bits into a dword.
func (s *Selector) packDword(v ir.Value, elems []element, bits int) mir.Operand {
	if o, ok := s.wholeDword(elems, bits); ok {
		return s.inBank(v, o, 1)
	}
	var sum mir.Operand
	made := false
	for i := range elems {
		e := &elems[i]
		if e.v == ir.None && e.from == ir.None {
			continue
		}
		o := s.inBank(v, s.narrowElement(e, bits), 1)
		switch {
		case !made && i == 0:
			if o.Kind == mir.KindImm {
				sum, made = mir.Imm(o.Imm&(1<<bits-1)), true
				continue
			}
			if s.onlyUndef(elems[1:]) {
				return o
			}
			sum, made = s.narrow(v, o, bits), true
		case !made:
			sum, made = s.shiftedUp(v, o, i*bits), true
		default:
			sum = s.orShifted(v, sum, o, i*bits, i == len(elems)-1, bits)
		}
	}
	if !made {
		return s.undefined(v)
	}
	return sum
}

func (s *Selector) onlyUndef(elems []element) bool {
	for i := range elems {
		if elems[i].v != ir.None || elems[i].from != ir.None {
			return false
		}
	}
	return true
}

// wholeDword returns a dword of another vector with the same elements in the
// same positions.
func (s *Selector) wholeDword(elems []element, bits int) (mir.Operand, bool) {
	first := elems[0]
	per := 32 / bits
	if first.from == ir.None || first.index%per != 0 {
		return mir.None, false
	}
	for i := range elems {
		e := &elems[i]
		if e.v != ir.None || e.from != ir.None && (e.from != first.from || e.index != first.index+i) {
			return mir.None, false
		}
	}
	return s.half(s.use(first.from), first.index/per), true
}

// narrowElement returns a register whose low bits are an element.
func (s *Selector) narrowElement(e *element, bits int) mir.Operand {
	if e.v != ir.None {
		return s.use(e.v)
	}
	o := s.half(s.use(e.from), e.index*bits/32)
	at := e.index * bits % 32
	if at == 0 {
		return o
	}
	if s.isVGPR(&o) {
		d := mir.R(s.newV(1))
		s.valu(mir.VLshrrevB32, d, mir.Imm(int64(at)), o)
		return d
	}
	d := s.newS(1)
	s.salu(mir.SLshrB32, d, o, mir.Imm(int64(at)))
	return mir.R(d)
}

// narrow clears the bits above an element.
func (s *Selector) narrow(v ir.Value, o mir.Operand, bits int) mir.Operand {
	d := mir.R(s.out.NewReg(s.vals[v].bank.file(), 1))
	if s.vals[v].bank == bankS {
		s.salu(mir.SAndB32, d.Reg(), o, mir.Imm(1<<bits-1))
	} else {
		s.valu(mir.VAndB32, d, mir.Imm(1<<bits-1), o)
	}
	return d
}

func (s *Selector) shiftedUp(v ir.Value, o mir.Operand, by int) mir.Operand {
	d := mir.R(s.out.NewReg(s.vals[v].bank.file(), 1))
	if s.vals[v].bank == bankS {
		s.salu(mir.SLshlB32, d.Reg(), o, mir.Imm(int64(by)))
	} else {
		s.valu(mir.VLshlrevB32, d, mir.Imm(int64(by)), o)
	}
	return d
}

// orShifted inserts an element above others. It clears the bits above the
// element unless the element is the last one.
func (s *Selector) orShifted(v ir.Value, sum, o mir.Operand, by int, last bool, bits int) mir.Operand {
	if !last {
		if o.Kind == mir.KindImm {
			o = mir.Imm(o.Imm & (1<<bits - 1))
		} else {
			o = s.narrow(v, o, bits)
		}
	}
	d := mir.R(s.out.NewReg(s.vals[v].bank.file(), 1))
	if s.vals[v].bank == bankS {
		up := s.shiftedUp(v, s.asReg(o, mir.FileS, 1), by)
		s.salu(mir.SOrB32, d.Reg(), sum, up)
		return d
	}
	if s.out.M.Has(mir.VLshlOrB32) {
		s.valu(mir.VLshlOrB32, d, o, mir.Imm(int64(by)), sum)
		return d
	}
	s.valu(mir.VOrB32, d, s.shiftedUp(v, s.asReg(o, mir.FileV, 1), by), sum)
	return d
}
