package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// memLimits holds the ranges of constant offsets in memory instructions, in
// bytes (AMD's ISA documents, "Memory instructions").
type memLimits struct {
	globalMin, globalMax int64
	flatMax              int64
	scratchMax           int64
	bufferMax            int64
	scalarMax            int64
}

func memLimitsOf(s isa.Set) memLimits {
	switch g := s.Gen(); {
	case !s.Has(isa.PropByteOffset):
		return memLimits{bufferMax: 4095, scalarMax: 1020}
	case !s.Has(isa.PropFlatOffset):
		return memLimits{bufferMax: 4095, scalarMax: 1<<20 - 1}
	case !s.Has(isa.PropNull):
		return memLimits{-4096, 4095, 4095, 4095, 4095, 1<<20 - 1}
	case g == isa.Gen10:
		return memLimits{-2048, 2047, 0, 2047, 4095, 1<<20 - 1} // flat offsets are broken on the first processors
	case g == isa.Gen11:
		return memLimits{-4096, 4095, 4095, 4095, 4095, 1<<20 - 1}
	}
	return memLimits{-1 << 23, 1<<23 - 1, 1<<23 - 1, 1<<23 - 1, 1<<23 - 1, 1<<23 - 1}
}

// term is an index in an address times its size in bytes. ext is the extension
// of the index to the width of the address.
type term struct {
	v     ir.Value
	scale int64
	ext   extension
}

type extension uint8

const (
	extNone extension = iota
	extSigned
	extUnsigned
)

// address is a pointer decomposed into a base, terms and a constant.
type address struct {
	base   ir.Value // None for a constant address
	offset int64
	terms  []term
	wide   bool // 64-bit address
}

// address decomposes a pointer.
func (s *Selector) address(p ir.Value) address {
	a := address{base: p, wide: s.dwords(s.typeOf(p)) == 2}
	for s.peel(&a) {
	}
	return a
}

// peel moves one operation from the base of an address to its terms and
// constant.
func (s *Selector) peel(a *address) bool {
	f := s.f
	v := a.base
	if v.IsConst() {
		return s.peelConst(a)
	}
	if !v.IsLocal() {
		return false
	}
	switch f.Op(v) {
	case ir.OpGetElementPtr:
		if !a.wide && s.isShared(v) {
			return false
		}
		ops := f.Operands(v)
		index := make([]ir.Value, len(ops)-1)
		for n := range index {
			index[n] = ops[n+1].Value
		}
		a.base = ops[0].Value
		s.addIndexes(a, f.GEPSource(v), index)
		return true
	case ir.OpBitCast, ir.OpFreeze, ir.OpAddrSpaceCast:
		x := f.Operand(v, 0)
		if s.m.IsPtr(f.TypeOf(x)) && a.wide && s.dwords(f.TypeOf(x)) == 2 {
			a.base = x
			return true
		}
	case ir.OpIntToPtr:
		x := f.Operand(v, 0)
		if x.IsLocal() && s.dwords(f.TypeOf(x)) == s.dwords(f.TypeOf(v)) && f.Op(x) == ir.OpAdd {
			if n, ok := s.intValue(f.Operand(x, 1)); ok {
				a.base = f.Operand(x, 0)
				a.offset += signExtend(n, s.m.IntBits(f.TypeOf(x)))
				return true
			}
		}
	}
	return false
}

// isShared reports whether a 32-bit address takes several vector operations and
// is used in other blocks. Such an address is computed once.
func (s *Selector) isShared(v ir.Value) bool {
	f := s.f
	if s.bank(v) != bankV || f.HasOneUse(v) || !s.current.IsLocal() || f.Parent(v) == f.Parent(s.current) {
		return false
	}
	terms := 0
	for _, o := range f.Operands(v) {
		if s.bank(o.Value) == bankV {
			terms++
		}
	}
	return terms > 1
}

func (s *Selector) peelConst(a *address) bool {
	m := s.m
	if n, ok := m.IntValue(a.base); ok {
		a.offset += signExtend(n, m.IntBits(m.TypeOfConst(a.base)))
		a.base = ir.None
		return false
	}
	if m.ConstKindOf(a.base) != ir.ConstExpr {
		return false
	}
	c := m.Const(a.base)
	switch c.Op {
	case ir.OpGetElementPtr:
		source, _, ops, _, _ := m.GEPExpr(a.base)
		a.base = ops[0]
		s.addIndexes(a, source, ops[1:])
		return true
	case ir.OpIntToPtr:
		a.base = m.ConstOperands(a.base)[0]
		return true
	}
	return false
}

// addIndexes adds the indexes of a getelementptr.
func (s *Selector) addIndexes(a *address, t ir.Type, indexes []ir.Value) {
	m := s.m
	for n, x := range indexes {
		if n > 0 && m.Kind(t) == ir.KindStruct {
			i, _ := m.IntValue(x)
			a.offset += int64(m.FieldOffset(t, int(i)))
			t = m.ElementType(t, i)
			continue
		}
		if n > 0 {
			t = m.ElementType(t, 0)
		}
		s.addIndex(a, x, int64(m.AllocSize(t)))
	}
}

// addIndex adds an index of elements of a given size, and splits off its
// constant part.
func (s *Selector) addIndex(a *address, x ir.Value, size int64) {
	f := s.f
	bits := s.m.IntBits(s.typeOf(x))
	if n, ok := s.intValue(x); ok {
		a.offset += signExtend(n, bits) * size
		return
	}
	full := bits == 64 || !a.wide
	if x.IsLocal() && full {
		switch op := f.Op(x); op {
		case ir.OpAdd, ir.OpOr:
			if n, ok := s.intValue(f.Operand(x, 1)); ok && (op == ir.OpAdd || f.Instr(x).Flags&ir.Disjoint != 0) {
				a.offset += signExtend(n, bits) * size
				s.addIndex(a, f.Operand(x, 0), size)
				return
			}
		case ir.OpShl:
			if n, ok := s.intValue(f.Operand(x, 1)); ok && n < 16 {
				s.addIndex(a, f.Operand(x, 0), size<<n)
				return
			}
		case ir.OpZExt, ir.OpSExt:
			if in := f.Operand(x, 0); s.m.IntBits(f.TypeOf(in)) == 32 && a.wide {
				e := extSigned
				if op == ir.OpZExt {
					e = extUnsigned
				}
				s.addNarrow(a, in, size, e, f.Instr(x).Flags)
				return
			}
		case ir.OpAShr:
			if in, ok := s.signedLow(x); ok && a.wide {
				a.terms = append(a.terms, term{in, size, extSigned})
				return
			}
		}
	}
	e := extNone
	if a.wide && bits == 32 {
		e = extSigned
	}
	a.terms = append(a.terms, term{x, size, e})
}

// addNarrow adds an extended 32-bit index. It splits off the constant of a sum
// that does not wrap.
func (s *Selector) addNarrow(a *address, x ir.Value, size int64, e extension, flags ir.Flags) {
	f := s.f
	if x.IsLocal() && f.Op(x) == ir.OpAdd {
		wraps := ir.NSW
		if e == extUnsigned {
			wraps = ir.NUW
		}
		if n, ok := s.intValue(f.Operand(x, 1)); ok && f.Instr(x).Flags&wraps != 0 {
			if e == extSigned {
				n = uint64(signExtend(n, 32))
			}
			a.offset += int64(n) * size
			s.addNarrow(a, f.Operand(x, 0), size, e, 0)
			return
		}
	}
	switch {
	case e == extSigned && analysis.KnownBits(f, x).NonNegative():
		e = extUnsigned
	case flags&ir.NNeg != 0 && s.set.Has(isa.PropOffsetSigned):
		e = extSigned // of a number that is not negative
	case flags&ir.NNeg != 0:
		e = extUnsigned
	}
	a.terms = append(a.terms, term{x, size, e})
}

// signedLow returns x for ashr (shl x, 32), 32, which sign-extends the low half
// of x. The caller uses the result's low dword.
func (s *Selector) signedLow(v ir.Value) (ir.Value, bool) {
	f := s.f
	n, ok := s.intValue(f.Operand(v, 1))
	in := f.Operand(v, 0)
	if !ok || n != 32 || !in.IsLocal() || f.Op(in) != ir.OpShl {
		return v, false
	}
	if k, ok := s.intValue(f.Operand(in, 1)); !ok || k != 32 {
		return v, false
	}
	return f.Operand(in, 0), true
}

// uniformTerm reports whether a term is uniform and in scalar registers.
func (s *Selector) uniformTerm(t *term) bool { return s.bank(t.v) != bankV }

// index32 returns the low dword of a term's index.
func (s *Selector) index32(t *term) mir.Operand { return s.half(s.use(t.v), 0) }

// scaledScalar returns a uniform term in scalar registers, n dwords wide.
func (s *Selector) scaledScalar(t *term, n int) mir.Operand {
	x := s.scalar(t.v)
	if n == 1 {
		return s.scaledScalar32(s.half(x, 0), t.scale)
	}
	if t.ext == extNone {
		if t.scale == 1 {
			return x
		}
		d := mir.R(s.newS(2))
		if t.scale&(t.scale-1) == 0 {
			s.salu(mir.SLshlB64, d.Reg(), x, mir.Imm(log2(t.scale)))
			return d
		}
		return s.scaledWide(x, t.scale)
	}
	x = s.half(x, 0)
	d := mir.R(s.newS(2))
	hi := mir.Imm(0)
	if t.ext == extSigned {
		h := s.newS(1)
		s.salu(mir.SAshrI32, h, x, mir.Imm(31))
		hi = mir.R(h)
	}
	s.putInstr(mir.Vector, 1, d, x, hi)
	if t.scale == 1 {
		return d
	}
	if t.scale&(t.scale-1) == 0 {
		e := mir.R(s.newS(2))
		s.salu(mir.SLshlB64, e.Reg(), d, mir.Imm(log2(t.scale)))
		return e
	}
	return s.scaledWide(d, t.scale)
}

// scaledWide multiplies a 64-bit scalar by a 32-bit constant.
func (s *Selector) scaledWide(x mir.Operand, scale int64) mir.Operand {
	d := mir.R(s.newS(2))
	if s.out.M.Has(mir.SMulU64) {
		s.salu(mir.SMulU64, d.Reg(), x, s.asReg(mir.Imm(scale), mir.FileS, 2))
		return d
	}
	if s.out.M.Has(mir.SMulHiU32) {
		s.multiplyScalar64(d, x, s.asReg(mir.Imm(scale), mir.FileS, 2), true, scale>>32 != 0)
		return d
	}
	v := mir.R(s.newV(2))
	s.multiplyParts(v, x, mir.Imm(scale), true, scale>>32 != 0)
	return s.firstLane(v)
}

func (s *Selector) scaledScalar32(x mir.Operand, scale int64) mir.Operand {
	if scale == 1 {
		return x
	}
	d := s.newS(1)
	if scale&(scale-1) == 0 && scale > 0 {
		s.salu(mir.SLshlB32, d, x, mir.Imm(log2(scale)))
	} else {
		s.salu(mir.SMulI32, d, x, mir.Imm(int64(int32(scale))))
	}
	return mir.R(d)
}

func log2(n int64) int64 {
	k := int64(0)
	for n > 1 {
		n, k = n>>1, k+1
	}
	return k
}

// addTerm32 returns acc plus a term in vector registers, 32 bits wide. acc may
// be None. A 24-bit product is faster, and the same instruction adds it.
func (s *Selector) addTerm32(acc mir.Operand, t *term) mir.Operand {
	x := s.index32(t)
	if t.scale <= 0 || t.scale >= 1<<24 || t.scale&(t.scale-1) == 0 || !s.isVGPR(&x) || analysis.KnownBits(s.f, t.v).Max() >= 1<<24 {
		return s.addScaled32(acc, x, t.scale)
	}
	d := mir.R(s.newV(1))
	if acc == mir.None {
		s.valu(mir.VMulU32U24, d, mir.Imm(t.scale), x)
	} else {
		s.valu(mir.VMadU32U24, d, x, mir.Imm(t.scale), acc)
	}
	return d
}

// addScaled32 returns acc + x*scale in vector registers, 32 bits wide. acc may
// be None.
func (s *Selector) addScaled32(acc, x mir.Operand, scale int64) mir.Operand {
	d := mir.R(s.newV(1))
	add := s.without(mir.VAddNcU32, mir.VAddCoU32)
	power := scale > 0 && scale&(scale-1) == 0
	switch {
	case scale == 1 && acc == mir.None:
		return x
	case scale == 1:
		s.valu(add, d, acc, x)
	case power && acc == mir.None:
		s.valu(mir.VLshlrevB32, d, mir.Imm(log2(scale)), x)
	case power && s.out.M.Has(mir.VLshlAddU32):
		s.valu(mir.VLshlAddU32, d, x, mir.Imm(log2(scale)), acc)
	case power:
		e := mir.R(s.newV(1))
		s.valu(mir.VLshlrevB32, e, mir.Imm(log2(scale)), x)
		s.valu(add, d, acc, e)
	case acc != mir.None && s.out.M.Has(mir.VMadU32):
		s.valu(mir.VMadU32, d, x, mir.Imm(int64(int32(scale))), acc)
	default:
		s.valu(mir.VMulLoU32, d, x, mir.Imm(int64(int32(scale))))
		if acc != mir.None {
			e := mir.R(s.newV(1))
			s.valu(add, e, acc, d)
			return e
		}
	}
	return d
}

// sum32 returns the sum of base, terms and offset of a 32-bit address as a
// scalar or vector operand or a constant. It adds uniform values in scalar
// registers.
func (s *Selector) sum32(base mir.Operand, terms []term, offset int64) mir.Operand {
	uniform := base
	vector := mir.None
	if s.isVGPR(&base) || base.Kind == mir.KindFrame {
		uniform, vector = mir.None, base
	}
	for n := range terms {
		if t := &terms[n]; s.uniformTerm(t) {
			uniform = s.addScalar32(uniform, s.scaledScalar(t, 1))
		}
	}
	if offset != 0 {
		uniform = s.addScalar32(uniform, mir.Imm(int64(int32(offset))))
	}
	if vector.Kind == mir.KindFrame {
		if uniform.Kind == mir.KindImm {
			vector.Imm += uniform.Imm
			uniform = mir.None
		}
		vector = s.asReg(vector, mir.FileV, 1)
	}
	if uniform != mir.None && vector != mir.None {
		vector = s.addScaled32(vector, uniform, 1)
		uniform = mir.None
	}
	for n := range terms {
		t := &terms[n]
		if s.uniformTerm(t) {
			continue
		}
		if vector == mir.None {
			vector, uniform = uniform, mir.None
		}
		vector = s.addTerm32(vector, t)
	}
	switch {
	case vector != mir.None:
		return vector
	case uniform != mir.None:
		return uniform
	}
	return mir.Imm(0)
}

func (s *Selector) addScalar32(a, b mir.Operand) mir.Operand {
	switch {
	case a == mir.None:
		return b
	case a.Kind == mir.KindImm && b.Kind == mir.KindImm:
		return mir.Imm(int64(int32(a.Imm + b.Imm)))
	case b.IsImm(0):
		return a
	case a.IsImm(0):
		return b
	}
	d := s.newS(1)
	s.salu(mir.SAddCoI32, d, a, b)
	return mir.R(d)
}

// sumUniform returns the sum of the base, the uniform terms and the offset of a
// 64-bit address in scalar registers.
func (s *Selector) sumUniform(base mir.Operand, terms []term, offset int64) mir.Operand {
	acc := base
	add := func(o mir.Operand) {
		if acc.IsImm(0) {
			acc = o
			return
		}
		d := s.newS(2)
		s.addScalar64(ir.OpAdd, d, s.wideAddend(acc), s.wideAddend(o))
		acc = mir.R(d)
	}
	for n := range terms {
		if t := &terms[n]; s.uniformTerm(t) {
			add(s.scaledScalar(t, 2))
		}
	}
	if offset != 0 {
		add(mir.Imm(offset))
	}
	return acc
}

// wideAddend moves constants that no literal can represent to registers.
func (s *Selector) wideAddend(o mir.Operand) mir.Operand {
	if o.Kind == mir.KindImm && s.out.M.Has(mir.SAddNcU64) && !s.isLiteral64(o.Imm) {
		return s.asReg(o, mir.FileS, 2)
	}
	return o
}

// addTerms64 adds the divergent terms of a 64-bit address to acc.
func (s *Selector) addTerms64(acc mir.Operand, terms []term) mir.Operand {
	for n := range terms {
		if t := &terms[n]; !s.uniformTerm(t) {
			acc = s.addTerm64(acc, t)
		}
	}
	return acc
}

func (s *Selector) addTerm64(acc mir.Operand, t *term) mir.Operand {
	d := mir.R(s.newV(2))
	if t.ext != extNone && s.out.M.Has(mir.VMadCoU64U32) && t.scale == int64(int32(t.scale)) && (t.ext == extSigned || t.scale >= 0) {
		op := s.without(mir.VMadNcU64U32, mir.VMadCoU64U32)
		if t.ext == extSigned {
			op = s.without(mir.VMadNcI64I32, mir.VMadCoI64I32)
		}
		s.madWide(op, d, s.index32(t), mir.Imm(t.scale), acc)
		return d
	}
	x := s.use(t.v)
	if t.ext != extNone {
		x = s.widened(s.half(x, 0), t.ext)
	}
	if t.scale&(t.scale-1) != 0 || t.scale <= 0 {
		y := mir.R(s.newV(2))
		s.multiplyParts(y, x, mir.Imm(t.scale), true, t.scale>>32 != 0)
		s.addVector64(ir.OpAdd, d, y, acc)
		return d
	}
	if k := log2(t.scale); k > 0 {
		if k <= 4 && s.out.M.Has(mir.VLshlAddU64) {
			s.valu(mir.VLshlAddU64, d, x, mir.Imm(k), acc)
			return d
		}
		y := mir.R(s.newV(2))
		if s.out.M.Has(mir.VLshlrevB64) {
			s.valu(mir.VLshlrevB64, y, mir.Imm(k), x)
		} else {
			s.valu(mir.VLshlB64, y, x, mir.Imm(k))
		}
		x = y
	}
	s.addVector64(ir.OpAdd, d, x, acc)
	return d
}

// madWide emits a 32-bit multiplication with a 64-bit addend. gfx11 writes the
// result before it has read all sources.
func (s *Selector) madWide(op mir.Op, dst, x, y, acc mir.Operand) {
	if s.set.Gen() == isa.Gen11 {
		dst.Flags |= mir.Early
	}
	s.valu(op, dst, x, y, acc)
}

// widened extends 32 bits to 64 in vector registers.
func (s *Selector) widened(x mir.Operand, e extension) mir.Operand {
	d := mir.R(s.newV(2))
	hi := mir.Imm(0)
	if e == extSigned {
		hi = mir.R(s.newV(1))
		s.valu(mir.VAshrrevI32, hi, mir.Imm(31), x)
	}
	s.putInstr(mir.Vector, 1, d, s.asReg(x, mir.FileV, 1), hi)
	return d
}

// offset32 reports whether the sum of an address's divergent terms is a number
// that an offset in a vector register can hold: an unsigned one of 32 bits, or
// of 31 if offsets are signed.
func (s *Selector) offset32(terms []term) bool {
	total, limit := uint64(0), uint64(1<<32-1)
	if s.set.Has(isa.PropOffsetSigned) {
		limit = 1<<31 - 1
	}
	for n := range terms {
		t := &terms[n]
		if s.uniformTerm(t) {
			continue
		}
		if t.ext != extUnsigned || t.scale <= 0 {
			return false
		}
		_, hi := analysis.UnsignedRange(s.f, t.v)
		if hi > 1<<32-1 {
			hi = 1<<32 - 1
		}
		if total += hi * uint64(t.scale); total > limit || hi > limit/uint64(t.scale) {
			return false
		}
	}
	return true
}

// pointer selects a getelementptr whose result is needed in registers.
func (s *Selector) pointer(v ir.Value) {
	a := s.address(v)
	dst := s.regOf(v)
	var o mir.Operand
	if !a.wide {
		o = s.sum32(s.base32(&a), a.terms, a.offset)
	} else {
		o = s.wholeAddress(&a)
	}
	s.putInstr(mir.Copy, 1, mir.R(dst), s.copySource(v, o))
}

// copySource moves a non-constant operand to the bank of a value.
func (s *Selector) copySource(v ir.Value, o mir.Operand) mir.Operand {
	n := s.out.Dwords(s.vals[v].reg)
	if o.Kind == mir.KindReg || n > 1 || o.Kind == mir.KindFrame {
		return s.asReg(o, s.vals[v].bank.file(), n)
	}
	return o
}

// base32 returns the base of a 32-bit address as an operand.
func (s *Selector) base32(a *address) mir.Operand {
	if a.base == ir.None {
		return mir.None
	}
	if o, ok := s.frameObject(a.base); ok {
		return o
	}
	return s.use(a.base)
}

// wholeAddress returns a 64-bit address in registers.
func (s *Selector) wholeAddress(a *address) mir.Operand {
	base := mir.Imm(0)
	if a.base != ir.None {
		base = s.use(a.base)
	}
	if !s.isVGPR(&base) {
		return s.addTerms64(s.sumUniform(base, a.terms, a.offset), a.terms)
	}
	if u := s.sumUniform(mir.Imm(0), a.terms, a.offset); !u.IsImm(0) {
		d := mir.R(s.newV(2))
		s.addVector64(ir.OpAdd, d, u, base)
		base = d
	}
	return s.addTerms64(base, a.terms)
}
