package isel

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// putInstr emits an instruction at the insertion point.
func (s *Selector) putInstr(op mir.Op, defs int, operands ...mir.Operand) mir.Instr {
	i := s.out.NewInstr(op, defs, operands...)
	s.out.SetLoc(i, s.loc)
	if s.anchor != 0 {
		s.out.InsertBefore(i, s.anchor)
	} else {
		s.out.Append(s.block, i)
	}
	return i
}

func (s *Selector) newS(n int) mir.Reg { return s.out.NewReg(mir.FileS, n) }
func (s *Selector) newV(n int) mir.Reg { return s.out.NewReg(mir.FileV, n) }
func (s *Selector) newSCC() mir.Reg    { return s.out.NewReg(mir.FileSCC, 1) }

// salu emits a scalar instruction with one result, and a dead condition code if
// the operation writes it.
func (s *Selector) salu(op mir.Op, dst mir.Reg, uses ...mir.Operand) mir.Instr {
	operands := []mir.Operand{mir.R(dst)}
	if s.out.M.Info(op).Defs == 2 {
		operands = append(operands, mir.R(s.newSCC()))
	}
	defs := len(operands)
	return s.putInstr(op, defs, append(operands, s.oneLiteral(op, uses)...)...)
}

// oneLiteral moves all literals but one of a scalar instruction to registers of
// the required sizes. The instruction can encode one 32-bit literal.
func (s *Selector) oneLiteral(op mir.Op, uses []mir.Operand) []mir.Operand {
	info := s.out.M.Info(op)
	found := false
	var first mir.Operand
	for n := range uses {
		o := &uses[n]
		size, t := max(int(info.Slots[info.Defs+n].Dwords), 1), isa.I32
		if size == 2 {
			t = isa.I64
		}
		if o.Kind != mir.KindSymbol && (o.Kind != mir.KindImm || mir.IsInline(s.out.M.Set, t, o.Imm)) {
			continue
		}
		if found && *o != first || size == 2 && o.Kind == mir.KindImm && !s.isLiteral64(o.Imm) {
			*o = s.asReg(*o, mir.FileS, size)
			continue
		}
		found, first = true, *o
	}
	return uses
}

// valu emits a vector instruction and legalizes its sources.
func (s *Selector) valu(op mir.Op, dst mir.Operand, uses ...mir.Operand) mir.Instr {
	return s.valuMods(op, 0, dst, uses...)
}

// valuMods is like valu with modifiers.
func (s *Selector) valuMods(op mir.Op, mods mir.Mods, dst mir.Operand, uses ...mir.Operand) mir.Instr {
	info := s.out.M.Info(op)
	if len(info.Encs) == 0 {
		s.unsupported(s.current, "%v on %v", op, s.out.M.Set)
		return 0
	}
	operands := []mir.Operand{dst}
	for len(operands) < info.Defs {
		operands = append(operands, mir.R(s.out.NewMask()))
	}
	defs := len(operands)
	s.fit(op, mods, uses)
	i := s.putInstr(op, defs, append(operands, uses...)...)
	s.out.SetMods(i, mods)
	return i
}

// fit legalizes the sources of a vector instruction. The number of scalar
// registers and literals is limited (AMD's ISA documents, "Constant bus
// limitations"), and some sources must be vector registers. Copies are inserted
// at the insertion point.
func (s *Selector) fit(op mir.Op, mods mir.Mods, uses []mir.Operand) {
	info := s.out.M.Info(op)
	slots := info.Slots[info.Defs:]
	s.commute(op, mods, slots, uses)
	b := constantBus{room: 1}
	switch {
	case info.Unit == mir.UnitMatrix:
		b.room = 0
	case s.set.Has(isa.PropBus2):
		b.room = 2
	}
	for k := range slots { // masks and carries first, because they must be scalar registers
		if o := uses[k]; slots[k].Kind != mir.SlotFixed && slots[k].Files&isa.FileV == 0 && s.isSGPR(&o) {
			b.addOperand(o)
		}
	}
	for k := range slots {
		slot, o := &slots[k], &uses[k]
		switch {
		case slot.Kind == mir.SlotFixed || slot.Kind == mir.SlotImm || slot.Files&isa.FileV == 0 || s.isVGPR(o):
		case s.isSGPR(o):
			if slot.Files&isa.FileS == 0 || !b.has(*o) && b.full() {
				s.toVector(o)
			} else {
				b.addOperand(*o)
			}
		case o.Kind == mir.KindImm && slot.Kind == mir.SlotSource && slot.Files&isa.FileC != 0 && mir.IsInline(s.out.M.Set, slot.Type, o.Imm):
		case slot.Kind == mir.SlotSource && slot.Dwords == 1 && b.literals == 0 && b.n < b.room && s.literalFits(info, mods, slots, uses, k):
			b.literals++
		case o.Kind == mir.KindImm && slot.Kind == mir.SlotSource && slot.Dwords == 1 && slot.Files&isa.FileS != 0 && !b.full():
			*o = s.asReg(*o, mir.FileS, 1)
			b.addOperand(*o)
		default:
			*o = s.asReg(*o, mir.FileV, max(int(slot.Dwords), 1))
		}
	}
}

// constantBus records the scalar registers and literals that a vector
// instruction reads.
type constantBus struct {
	regs        [4]mir.Operand
	n, literals int
	room        int // limit of the number it may read
}

func (b *constantBus) full() bool { return b.n+b.literals >= b.room || b.n == len(b.regs) }

func (b *constantBus) has(o mir.Operand) bool {
	for _, x := range b.regs[:b.n] {
		if x.Reg() == o.Reg() && x.Sub == o.Sub && x.N == o.N {
			return true
		}
	}
	return false
}

func (b *constantBus) addOperand(o mir.Operand) {
	if !b.has(o) {
		b.regs[b.n] = o
		b.n++
	}
}

// literalFits reports whether source k of a vector instruction can be a
// literal. Before gfx10 only the short encodings support one, as their first
// source and without modifiers.
func (s *Selector) literalFits(info *mir.OpInfo, mods mir.Mods, slots []mir.Slot, uses []mir.Operand, k int) bool {
	switch {
	case info.Unit == mir.UnitMatrix:
		return false
	case s.set.Has(isa.PropVop3Literal):
		return true
	case info.Form == isa.VOP3P || info.Short == isa.NoEnc || info.Defs != 1 || mods != 0 || k != 0 || slots[0].Tied:
		return false
	case info.Slots[0].Files&isa.FileV == 0:
		return false // the short encoding requires the mask in VCC, which register allocation does not guarantee
	}
	for n := 1; n < len(uses); n++ {
		if slots[n].Files&isa.FileV == 0 || !s.isVGPR(&uses[n]) {
			return false
		}
	}
	return true
}

// commute swaps the sources of a commutative operation if only the second one
// is not a vector register.
func (s *Selector) commute(op mir.Op, mods mir.Mods, slots []mir.Slot, uses []mir.Operand) {
	if len(uses) < 2 || mods != 0 || !op.Commutes() || s.isVGPR(&uses[1]) || !s.isVGPR(&uses[0]) {
		return
	}
	if slots[0].Type == slots[1].Type {
		uses[0], uses[1] = uses[1], uses[0]
	}
}

func (s *Selector) isVGPR(o *mir.Operand) bool {
	return o.Kind == mir.KindReg && s.out.File(o.Reg()) == mir.FileV
}

func (s *Selector) isSGPR(o *mir.Operand) bool {
	return o.Kind == mir.KindReg && s.out.File(o.Reg()) == mir.FileS
}

// toVector copies a scalar operand to vector registers.
func (s *Selector) toVector(o *mir.Operand) {
	n := s.out.OperandDwords(o)
	d := s.newV(n)
	if n == 1 {
		s.putInstr(mir.VMovB32, 1, mir.R(d), *o)
	} else {
		s.putInstr(mir.Copy, 1, mir.R(d), *o)
	}
	*o = mir.R(d)
}

// asReg moves an operand to registers of a file, unless it is already there.
func (s *Selector) asReg(o mir.Operand, file mir.File, n int) mir.Operand {
	if o.Kind == mir.KindReg {
		if s.out.File(o.Reg()) == file {
			return o
		}
		if file == mir.FileV {
			s.toVector(&o)
			return o
		}
		return s.firstLane(o)
	}
	mov := mir.VMovB32
	if file == mir.FileS {
		mov = mir.SMovB32
	}
	if n == 1 {
		d := s.out.NewReg(file, 1)
		s.putInstr(mov, 1, mir.R(d), low(o))
		return mir.R(d)
	}
	if file == mir.FileS && n == 2 && o.Kind == mir.KindImm && s.isLiteral64(o.Imm) {
		d := s.out.NewReg(file, n)
		s.putInstr(mir.SMovB64, 1, mir.R(d), o)
		return mir.R(d)
	}
	parts := []mir.Operand{mir.R(s.out.NewReg(file, n))}
	for k := range n {
		p := mir.Imm(0)
		if k < 2 {
			p = s.half(o, k)
		}
		d := s.out.NewReg(file, 1)
		s.putInstr(mov, 1, mir.R(d), p)
		parts = append(parts, mir.R(d))
	}
	s.putInstr(mir.Vector, 1, parts...)
	return parts[0]
}

// low returns the low 32 bits of a constant in the form that instructions use.
func low(o mir.Operand) mir.Operand {
	if o.Kind == mir.KindImm {
		o.Imm = int64(int32(o.Imm))
	}
	return o
}

// half returns dword k of an operand.
func (s *Selector) half(o mir.Operand, k int) mir.Operand {
	switch {
	case o.Kind == mir.KindImm:
		return mir.Imm(int64(int32(o.Imm >> (32 * k))))
	case o.Kind != mir.KindReg:
		if k > 0 {
			return mir.Imm(0)
		}
		return o
	case s.out.OperandDwords(&o) == 1 && k == 0:
		return o
	case !o.IsVirtual():
		return mir.Phys(o.Reg()+mir.Reg(k), 1)
	}
	return mir.Part(o.Reg(), int(o.Sub)+k, 1)
}

// firstLane moves a vector operand to scalar registers, reading the first
// active lane.
func (s *Selector) firstLane(o mir.Operand) mir.Operand {
	n := s.out.OperandDwords(&o)
	if n == 1 {
		d := s.newS(1)
		s.putInstr(mir.VReadfirstlaneB32, 1, mir.R(d), o)
		return mir.R(d)
	}
	parts := []mir.Operand{mir.R(s.newS(n))}
	for k := range n {
		d := s.newS(1)
		s.putInstr(mir.VReadfirstlaneB32, 1, mir.R(d), s.half(o, k))
		parts = append(parts, mir.R(d))
	}
	s.putInstr(mir.Vector, 1, parts...)
	return parts[0]
}

// use returns a value other than i1 as an operand: a constant, or its registers
// in any bank.
func (s *Selector) use(v ir.Value) mir.Operand {
	of, sub := s.root(v)
	if !of.IsLocal() {
		o := s.constant(of)
		if o.Kind != mir.KindReg && sub == 0 && s.dwords(s.typeOf(of)) <= 2 {
			return o
		}
		return s.part(o, sub, s.dwords(s.typeOf(v)))
	}
	r := s.regOf(of)
	n := s.dwords(s.f.TypeOf(v))
	if sub == 0 && s.out.Dwords(r) == n {
		return mir.R(r)
	}
	return mir.Part(r, sub, n)
}

// part returns dwords of an operand.
func (s *Selector) part(o mir.Operand, sub, n int) mir.Operand {
	if o.Kind == mir.KindReg {
		if s.out.OperandDwords(&o) == n {
			return o
		}
		return mir.Part(o.Reg(), int(o.Sub)+sub, n)
	}
	if n == 1 {
		return s.half(o, sub)
	}
	return mir.Imm(o.Imm >> (32 * sub))
}

func (s *Selector) typeOf(v ir.Value) ir.Type {
	if v.IsConst() {
		return s.m.TypeOfConst(v)
	}
	return s.f.TypeOf(v)
}

// scalar returns a uniform value as a constant or in scalar registers.
func (s *Selector) scalar(v ir.Value) mir.Operand {
	o := s.use(v)
	if o.Kind == mir.KindReg && s.out.File(o.Reg()) == mir.FileV {
		return s.firstLane(o)
	}
	return o
}

// sgpr returns a uniform value in scalar registers.
func (s *Selector) sgpr(v ir.Value) mir.Operand {
	return s.asReg(s.scalar(v), mir.FileS, s.dwords(s.typeOf(v)))
}

// vgpr returns a value in vector registers.
func (s *Selector) vgpr(v ir.Value) mir.Operand {
	if v.IsConst() && s.m.IsVector(s.m.TypeOfConst(v)) && s.dwords(s.m.TypeOfConst(v)) > 2 {
		words := make([]uint32, s.dwords(s.m.TypeOfConst(v)))
		if s.constantWords(v, s.m.TypeOfConst(v), words, 0) {
			return s.wordsIn(mir.FileV, words)
		}
	}
	return s.asReg(s.use(v), mir.FileV, s.dwords(s.typeOf(v)))
}

// constant returns a constant as an operand: its bits, or a register that holds
// them.
func (s *Selector) constant(v ir.Value) mir.Operand {
	t := s.m.TypeOfConst(v)
	if n, ok := s.m.IntValue(v); ok {
		return mir.Imm(signExtend(n, s.m.IntBits(t)))
	}
	if n, ok := s.m.FloatBits(v); ok {
		return mir.Imm(int64(n))
	}
	switch s.m.ConstKindOf(v) {
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison:
		if s.dwords(t) <= 2 {
			return mir.Imm(0)
		}
		return s.constantVector(v)
	case ir.ConstData, ir.ConstAggregate:
		return s.constantVector(v)
	case ir.ConstGlobal:
		return s.globalAddress(v)
	case ir.ConstExpr:
		return s.constantExpr(v)
	}
	s.unsupported(s.current, "constant of kind %d", s.m.ConstKindOf(v))
	return mir.Imm(0)
}

func signExtend(n uint64, bits int) int64 {
	if bits == 0 || bits >= 64 {
		return int64(n)
	}
	return int64(n<<(64-bits)) >> (64 - bits)
}

// constantVector moves a constant vector to scalar registers, from which
// instructions copy the parts that they need.
func (s *Selector) constantVector(v ir.Value) mir.Operand {
	t := s.m.TypeOfConst(v)
	n := s.dwords(t)
	words := make([]uint32, n)
	if !s.constantWords(v, t, words, 0) {
		return s.addressVector(v, t, n)
	}
	if n == 1 {
		return mir.Imm(int64(int32(words[0])))
	}
	if n == 2 {
		return mir.Imm(int64(uint64(words[0]) | uint64(words[1])<<32))
	}
	return s.wordsIn(mir.FileS, words)
}

// addressVector builds a constant vector of n dwords with elements that are or
// depend on addresses in scalar registers.
func (s *Selector) addressVector(v ir.Value, t ir.Type, n int) mir.Operand {
	bits := int(s.m.SizeInBits(s.m.Scalar(t)))
	if bits%32 != 0 && 32%bits != 0 {
		s.unsupported(s.current, "constant vector of %d-bit addresses", bits)
		return mir.Imm(0)
	}
	words := make([]mir.Operand, n)
	for i := range int(s.m.NumElements(t)) {
		o, at := s.constant(s.m.Element(v, uint64(i))), i*bits
		if bits < 32 {
			words[at/32] = s.insertBits(words[at/32], o, at%32, bits)
			continue
		}
		for k := range bits / 32 {
			words[at/32+k] = s.asReg(s.half(o, k), mir.FileS, 1)
		}
	}
	if n == 1 {
		return words[0]
	}
	d := mir.R(s.newS(n))
	s.putInstr(mir.Vector, 1, append([]mir.Operand{d}, words...)...)
	return d
}

// insertBits returns word with bits of o inserted at a position, from which on
// word is zero. For position 0, word is ignored.
func (s *Selector) insertBits(word, o mir.Operand, at, bits int) mir.Operand {
	d := s.newS(1)
	s.salu(mir.SAndB32, d, s.asReg(s.half(o, 0), mir.FileS, 1), mir.Imm(1<<bits-1))
	if at == 0 {
		return mir.R(d)
	}
	shifted, joined := s.newS(1), s.newS(1)
	s.salu(mir.SLshlB32, shifted, mir.R(d), mir.Imm(int64(at)))
	s.salu(mir.SOrB32, joined, word, mir.R(shifted))
	return mir.R(joined)
}

// wordsIn moves dwords to registers of a file, each distinct value once.
func (s *Selector) wordsIn(file mir.File, words []uint32) mir.Operand {
	mov := mir.VMovB32
	if file == mir.FileS {
		mov = mir.SMovB32
	}
	parts := []mir.Operand{mir.R(s.out.NewReg(file, len(words)))}
	for k, w := range words {
		if at := slices.Index(words, w); at < k {
			parts = append(parts, parts[1+at])
			continue
		}
		d := s.out.NewReg(file, 1)
		s.putInstr(mov, 1, mir.R(d), mir.Imm(int64(int32(w))))
		parts = append(parts, mir.R(d))
	}
	s.putInstr(mir.Vector, 1, parts...)
	return parts[0]
}

// constantWords writes the bits of a constant to dwords, starting at a bit.
func (s *Selector) constantWords(v ir.Value, t ir.Type, words []uint32, at int) bool {
	if s.m.IsVector(t) {
		elem := s.m.Scalar(t)
		bits := int(s.m.SizeInBits(elem))
		for i := range s.m.NumElements(t) {
			if !s.constantWords(s.m.Element(v, i), elem, words, at+int(i)*bits) {
				return false
			}
		}
		return true
	}
	var n uint64
	if x, ok := s.m.IntValue(v); ok {
		n = x
	} else if x, ok := s.m.FloatBits(v); ok {
		n = x
	} else if k := s.m.ConstKindOf(v); k != ir.ConstZero && k != ir.ConstUndef && k != ir.ConstPoison {
		return false
	}
	bits := int(s.m.SizeInBits(t))
	for bits > 0 {
		room := min(32-at%32, bits)
		words[at/32] |= uint32(n&(1<<room-1)) << (at % 32)
		n >>= room
		at, bits = at+room, bits-room
	}
	return true
}
