package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// rowInstr is the state of emitting the instruction of a row of intrinsics.tsv.
type rowInstr struct {
	v     ir.Value // the call
	r     *intrinsicRow
	info  *mir.OpInfo
	dword int // dword of the value if each dword has its own instruction; otherwise -1
	store [16]mir.Operand
	uses  []mir.Operand
	mods  mir.Mods
	ext   mir.Ext
	early bool
	old   mir.Operand // old value of the result with DPP
}

// slotTakes reports whether an operand may be a register of a file.
func slotTakes(x *mir.Slot, file mir.File) bool {
	switch file {
	case mir.FileV:
		return x.Files&isa.FileV != 0
	case mir.FileA:
		return x.Files&isa.FileA != 0
	}
	return x.Files&isa.FileS != 0
}

// rowOp selects a call with one operation.
func (s *Selector) rowOp(v ir.Value, r *intrinsicRow) {
	in := rowInstr{v: v, r: r, dword: -1}
	s.rowOperands(&in)
	if s.err != nil {
		return
	}
	var room [4]mir.Operand
	results := s.results(v, in.info, room[:0])
	if t := s.f.TypeOf(v); len(results) == 1 && !s.resultFits(t, results[0].Reg(), in.info) {
		s.unsupported(v, "%v with a result of this type", r.id)
		return
	}
	s.putRow(&in, results)
	s.defineParts(v, results)
}

// resultFits reports whether an operation's result has the size of a call's
// type, for rows without a type.
func (s *Selector) resultFits(t ir.Type, dst mir.Reg, info *mir.OpInfo) bool {
	if info.Defs == 0 || info.Slots[0].Class&isa.Mask != 0 || !slotTakes(&info.Slots[0], mir.FileV) {
		return true
	}
	n := int(info.Slots[0].Dwords)
	return !s.isBool(t) && (n == 0 || s.out.Dwords(dst) == n)
}

// rowLanes selects a call with one operation for each dword of its value.
func (s *Selector) rowLanes(v ir.Value, r *intrinsicRow) {
	dst := s.regOf(v)
	n := s.out.Dwords(dst)
	file := s.out.File(dst)
	if s.isBool(s.f.TypeOf(v)) {
		s.unsupported(v, "%v of i1", r.id)
		return
	}
	parts := []mir.Operand{mir.R(dst)}
	for k := range n {
		in := rowInstr{v: v, r: r, dword: k}
		s.rowOperands(&in)
		if s.err != nil {
			return
		}
		d := mir.R(dst)
		if n > 1 {
			d = mir.R(s.out.NewReg(file, 1))
			parts = append(parts, d)
		}
		s.writeLaneLimit(&in)
		s.putRow(&in, []mir.Operand{d})
	}
	if n > 1 {
		s.putInstr(mir.Vector, 1, parts...)
	}
}

// writeLaneLimit moves the lane of v_writelane to M0 if the value is in another
// scalar register. Before gfx10 the instruction can read only one scalar
// register, and M0 does not count (LLVM, SIInstrInfo.cpp, verifyInstruction).
func (s *Selector) writeLaneLimit(in *rowInstr) {
	if in.r.op == mir.VWritelaneB32 && !s.set.Has(isa.PropBus2) && in.uses[0].Kind == mir.KindReg && in.uses[1].Kind == mir.KindReg &&
		(in.uses[0].Reg() != in.uses[1].Reg() || in.uses[0].Sub != in.uses[1].Sub) {
		in.uses[1] = s.inM0(in.uses[1])
	}
}

// putRow emits the instruction of a row with its results.
func (s *Selector) putRow(in *rowInstr, results []mir.Operand) mir.Instr {
	defs := append(make([]mir.Operand, 0, 16), results...)
	var toA mir.Operand
	if in.info.Defs > 0 && !slotTakes(&in.info.Slots[0], mir.FileV) && slotTakes(&in.info.Slots[0], mir.FileA) && len(defs) > 0 {
		toA = defs[0]
		defs[0] = mir.R(s.out.NewReg(mir.FileA, s.out.Dwords(toA.Reg())))
	}
	for len(defs) < in.info.Defs {
		defs = append(defs, s.deadResult(&in.info.Slots[len(defs)]))
	}
	if in.early {
		defs[0].Flags |= mir.Early
	}
	switch in.info.Unit {
	case mir.UnitVALU, mir.UnitMatrix:
		s.fit(in.r.op, in.mods, in.uses)
	case mir.UnitSALU:
		s.oneLiteral(in.r.op, in.uses)
	}
	n := len(defs)
	defs = append(defs, in.uses...)
	if in.old.Kind != mir.KindNone {
		defs = append(defs, in.old)
	}
	i := s.putInstr(in.r.op, n, defs...)
	s.out.SetMods(i, in.mods)
	s.out.SetExt(i, in.ext)
	if in.info.Unit == mir.UnitSALU && s.callHasEffects(in.v) {
		s.out.SetFlags(i, s.out.Flags(i)|mir.NoReorder)
	}
	if toA.Kind != mir.KindNone {
		s.putInstr(mir.Copy, 1, toA, defs[0])
	}
	return i
}

// deadResult returns a register for an unused result.
func (s *Selector) deadResult(x *mir.Slot) mir.Operand {
	switch {
	case x.Kind == mir.SlotFixed && x.Reg == mir.SCC:
		return mir.R(s.newSCC())
	case x.Class&isa.Mask != 0:
		return mir.R(s.out.NewMask())
	case slotTakes(x, mir.FileV):
		return mir.R(s.newV(int(max(x.Dwords, 1))))
	case slotTakes(x, mir.FileA):
		return mir.R(s.out.NewReg(mir.FileA, int(max(x.Dwords, 1))))
	}
	return mir.R(s.newS(int(max(x.Dwords, 1))))
}

// results returns registers for a call's value, one for each field of a struct.
func (s *Selector) results(v ir.Value, info *mir.OpInfo, room []mir.Operand) []mir.Operand {
	t := s.f.TypeOf(v)
	switch {
	case t == ir.Void:
		return room
	case s.m.Kind(t) != ir.KindStruct:
		return append(room, mir.R(s.regOf(v)))
	}
	for n := range s.m.TypeInfo(t).Elems {
		room = append(room, s.deadResult(&info.Slots[n]))
	}
	return room
}

// defineParts defines the used fields of a struct.
func (s *Selector) defineParts(v ir.Value, results []mir.Operand) {
	if t := s.f.TypeOf(v); t == ir.Void || s.m.Kind(t) != ir.KindStruct {
		return
	}
	for n, o := range results {
		s.definePart(v, uint32(n), o)
	}
}

// rowOperands fills in the sources and modifiers of a row's instruction.
func (s *Selector) rowOperands(in *rowInstr) {
	in.info = s.out.M.Info(in.r.op)
	in.uses = in.store[:0]
	if in.info.Form == isa.VOP3P && !in.info.Traits.Any(isa.TraitMai) {
		in.mods = in.info.OpSelHi()
	}
	for k := range in.r.operands { // these determine the sources of the instruction
		if o := &in.r.operands[k]; o.kind == modDPP || o.kind == modDPP8 {
			s.rowMod(in, o)
		}
	}
	for k := range in.r.operands {
		o := &in.r.operands[k]
		switch {
		case o.kind == modDPP || o.kind == modDPP8:
		case o.kind >= modNeg0:
			s.rowMod(in, o)
		case o.kind == argOld:
			in.old = s.laneKept(in, int(o.n))
		default:
			s.rowSource(in, o)
		}
		if s.err != nil {
			return
		}
	}
	s.formatSizes(in)
	slots := in.info.Slots[in.info.Defs:]
	for len(in.uses) < len(slots) {
		x := &slots[len(in.uses)]
		switch {
		case x.Kind == mir.SlotFixed && x.Reg == mir.M0:
			in.uses = append(in.uses, s.ldsLimit())
		case x.Kind == mir.SlotFixed && x.Reg == mir.SCC:
			in.uses = append(in.uses, s.constSCC())
		default:
			panic("BUG: isel: row of " + in.r.id.String() + " has too few operands")
		}
	}
}

// constSCC returns a scalar condition code with an arbitrary value.
func (s *Selector) constSCC() mir.Operand {
	c := mir.R(s.newSCC())
	s.putInstr(mir.SCmpEqU32, 1, c, mir.Imm(0), mir.Imm(0))
	return c
}

// rowSource adds the source or the address parts for a row's operand.
func (s *Selector) rowSource(in *rowInstr, o *rowOperand) {
	slots := in.info.Slots[in.info.Defs:]
	k := len(in.uses)
	switch o.kind {
	case argImm:
		n := int64(o.n)
		if o.isArg {
			n = s.constArg(in.v, int(o.n))
		}
		in.uses = append(in.uses, mir.Imm(n))
	case argM0:
		in.uses = append(in.uses, s.inM0(s.scalar(s.arg(in.v, int(o.n)))))
	case argDS:
		m := s.memAddress(in.v, s.arg(in.v, int(o.n)))
		in.uses = append(in.uses, m.operands...)
	case argGlobal, argAtomicGlobal:
		p := s.arg(in.v, int(o.n))
		m := s.memAddress(in.v, p)
		path := pathFlat
		if in.info.Traits.Any(isa.TraitGlobal) {
			path = pathGlobal
		}
		if m.path != path {
			s.unsupported(in.v, "%v with a pointer of address space %d", in.r.id, s.m.AddrSpace(s.typeOf(p)))
			return
		}
		in.uses = append(in.uses, m.operands...)
		if o.kind == argAtomicGlobal {
			in.mods |= s.returnBit()
		}
	default:
		in.uses = append(in.uses, s.rowValue(in, s.arg(in.v, int(o.n)), &slots[k], k))
	}
}

// rowValue returns an argument as source k of a row's instruction.
func (s *Selector) rowValue(in *rowInstr, x ir.Value, slot *mir.Slot, k int) mir.Operand {
	n := int(max(slot.Dwords, 1))
	switch {
	case slot.Class&isa.Mask != 0 || slot.Kind == mir.SlotFixed && slot.Reg == mir.VCC:
		return s.maskReg(x)
	case slot.Tied:
		return s.tiedSource(in.piece(s, x), x)
	case isScalarSlot(slot):
		o := in.piece(s, x)
		if o.Kind == mir.KindReg && s.out.File(o.Reg()) == mir.FileV {
			return s.firstLane(o)
		}
		if o.Kind != mir.KindReg && (slot.Kind == mir.SlotReg || slot.Files&isa.FileC == 0 || !s.scalarConstant(in, slot, o.Imm)) {
			return s.asReg(o, mir.FileS, n)
		}
		return o
	case !slotTakes(slot, mir.FileV):
		if o := s.use(x); o.Kind != mir.KindReg && slot.Files&isa.FileC != 0 && mir.IsInline(s.out.M.Set, slot.Type, o.Imm) {
			return o
		}
		a := mir.R(s.out.NewReg(mir.FileA, n))
		s.putInstr(mir.Copy, 1, a, s.vgpr(x))
		return a
	}
	return s.rowVector(in, x, slot, k)
}

// scalarConstant reports whether a scalar source can be a constant: an inline
// one or, in scalar instructions, a 32-bit literal.
func (s *Selector) scalarConstant(in *rowInstr, slot *mir.Slot, n int64) bool {
	if mir.IsInline(s.out.M.Set, slot.Type, n) {
		return true
	}
	return in.info.Unit == mir.UnitSALU && (slot.Dwords == 1 || uint64(n)>>32 == 0)
}

// rowVector returns an argument as a source that may be a vector register. It
// folds negation and absolute value into modifiers.
func (s *Selector) rowVector(in *rowInstr, x ir.Value, slot *mir.Slot, k int) mir.Operand {
	o := mir.None
	kind := s.floatKind(s.typeOf(x))
	if packed := in.info.Form == isa.VOP3P; in.dword < 0 && kind != notFloat && (kind == v2f16) == packed && in.takesNeg(slot) {
		var m mir.Mods
		o, m = s.floatSource(x, kind)
		in.mods ^= m & mir.Neg0 << k
		in.mods |= m & mir.Abs0 << k
	} else {
		o = in.piece(s, x)
	}
	switch {
	case o.Kind == mir.KindReg:
		if in.ext != 0 || in.info.Form == isa.VOP3PX || in.info.Unit == mir.UnitDS || slot.Kind == mir.SlotReg && slot.Files&isa.FileS == 0 {
			return s.asReg(o, mir.FileV, s.out.OperandDwords(&o))
		}
	case in.ext != 0 || in.info.Form == isa.VOP3PX || in.info.Unit >= mir.UnitSMEM || slot.Files&isa.FileC == 0 || slot.Dwords > 2:
		return s.asReg(o, mir.FileV, int(max(slot.Dwords, 1)))
	}
	return o
}

// takesNeg reports whether a source supports neg and abs.
func (in *rowInstr) takesNeg(slot *mir.Slot) bool {
	if in.info.Traits.Any(isa.TraitVop3b) {
		return false
	}
	for _, o := range in.info.Encs[0].Operands() {
		if o.Field == slot.Field {
			return o.Neg
		}
	}
	return false
}

// piece returns an argument, or the dword of it that the instruction operates
// on.
func (in *rowInstr) piece(s *Selector, x ir.Value) mir.Operand {
	o := s.use(x)
	if in.dword < 0 || s.typeOf(x) != s.f.TypeOf(in.v) {
		return o
	}
	return s.half(o, in.dword)
}

// tiedSource returns a source whose registers the result replaces, in vector
// registers. An undef source has an arbitrary value.
func (s *Selector) tiedSource(o mir.Operand, x ir.Value) mir.Operand {
	n := s.dwords(s.typeOf(x))
	if o.Kind == mir.KindReg {
		n = s.out.OperandDwords(&o)
	}
	if x.IsConst() && s.isUndef(x) {
		d := mir.R(s.newV(n))
		s.putInstr(mir.Undefined, 1, d)
		d.Flags |= mir.Undef
		return d
	}
	return s.asReg(o, mir.FileV, n)
}

// laneKept returns the value that DPP leaves in lanes without a source lane.
func (s *Selector) laneKept(in *rowInstr, n int) mir.Operand {
	x := s.arg(in.v, n)
	o := in.piece(s, x)
	if o.Kind == mir.KindReg {
		return s.asReg(o, mir.FileV, 1)
	}
	return s.tiedSource(o, x)
}

// modBits holds the bit of each one-bit modifier.
var modBits = [...]mir.Mods{modNeg0: mir.Neg0, modNeg1: mir.Neg0 << 1, modNeg2: mir.Neg0 << 2, modOpSel0: mir.OpSel0, modOpSel1: mir.OpSel0 << 1,
	modOpSel2: mir.OpSel0 << 2, modOpSel3: mir.OpSel0 << 3, modClamp: mir.Clamp}

// rowMod adds a modifier.
func (s *Selector) rowMod(in *rowInstr, o *rowOperand) {
	n := int64(o.n)
	if o.isArg {
		n = s.constArg(in.v, int(o.n))
	}
	switch x := mir.Mods(uint32(n)); o.kind {
	case modByteIn:
		in.mods |= x & 1 * mir.OpSel0
		in.mods |= x >> 1 & 1 * (mir.OpSel0 << 1)
	case modByteSel:
		in.mods |= byteSel(uint32(n))
	case modScaleSel:
		in.mods |= x & 15 * mir.OpSel0
	case modByteOut:
		in.mods |= x & 3 * (mir.OpSel0 << 2)
	case modBitOp3:
		in.mods |= mir.BitOp3(uint8(n))
	case modCBSZ:
		in.mods |= mir.Matrix(uint32(n), 0, 0)
	case modABID:
		in.mods |= mir.Matrix(0, uint32(n), 0)
	case modBLGP:
		in.mods |= mir.Matrix(0, 0, uint32(n))
	case modNegPk0, modNegPk1:
		in.mods |= x & 1 * (mir.Neg0 | mir.Abs0) << (o.kind - modNegPk0)
	case modC:
		in.mods |= x&1*(mir.Neg0<<2) | x>>1&1*(mir.Abs0<<2)
	case modAFmt, modBFmt, modAScale, modBScale, modAScaleFmt, modBScaleFmt, modAReuse, modBReuse:
		in.mods |= in.info.WaveMatrix(matrixFields[o.kind-modAFmt], uint32(n))
	case modCPol:
		in.mods |= s.bufferPolicy(n)
	case modDPP:
		in.ext = s.dpp(in.v, int(o.n))
	case modDPP8:
		in.ext = mir.DPP8Ext(uint32(n), false)
	case modEarly:
		in.early = true
	case modRDNA, modE5M3:
	case modTied: // the result replaces source 2, and preserves one half of its registers
		in.old = s.asReg(in.uses[2], mir.FileV, s.out.Dwords(s.regOf(in.v)))
		in.uses[2] = in.old
	default:
		in.mods |= modBits[o.kind] * (x & 1)
	}
}

// matrixFields holds the fields of the modifiers from modAFmt on.
var matrixFields = [...]isa.Field{isa.FieldMatrixAFmt, isa.FieldMatrixBFmt, isa.FieldMatrixAScale, isa.FieldMatrixBScale,
	isa.FieldMatrixAScaleFmt, isa.FieldMatrixBScaleFmt, isa.FieldMatrixAReuse, isa.FieldMatrixBReuse}

// formatDwords holds the sizes of a matrix of 16 rows and 128 columns by format.
var formatDwords = [...]int{16, 16, 12, 12, 8}

// formatSizes reduces matrices A and B of v_wmma to the sizes of their formats.
// The vectors of a program may be larger.
func (s *Selector) formatSizes(in *rowInstr) {
	if s.err != nil || !in.info.Traits.Any(isa.TraitF8f6f4) {
		return
	}
	for k, f := range [...]isa.Field{isa.FieldMatrixAFmt, isa.FieldMatrixBFmt} {
		o := &in.uses[k]
		format := in.info.WaveMatrixOf(f, in.mods)
		switch {
		case int(format) >= len(formatDwords):
			s.unsupported(in.v, "%v with the matrix format %d", in.r.id, format)
		case s.out.OperandDwords(o) < formatDwords[format]:
			s.unsupported(in.v, "%v with %d dwords of a matrix of format %d", in.r.id, s.out.OperandDwords(o), format)
		default:
			*o = s.part(*o, 0, formatDwords[format])
		}
	}
}

// byteSel returns the bits of byte_sel in op_sel, the high bit first.
func byteSel(n uint32) mir.Mods {
	return mir.Mods(n>>1&1)*mir.OpSel0 | mir.Mods(n&1)*(mir.OpSel0<<1)
}

// dpp returns the DPP dword of a call. Its arguments from n on are the control,
// the row and bank masks, and bound_ctrl.
func (s *Selector) dpp(v ir.Value, n int) mir.Ext {
	return mir.DPP{Ctrl: uint16(s.constArg(v, n)), RowMask: uint8(s.constArg(v, n+1)), BankMask: uint8(s.constArg(v, n+2)),
		BoundCtrl: s.flagArg(v, n+3) != 0}.Ext()
}

// inM0 moves an operand to M0.
func (s *Selector) inM0(o mir.Operand) mir.Operand {
	if o.Kind == mir.KindReg {
		o = s.asReg(o, mir.FileS, 1)
	}
	s.putInstr(mir.SMovB32, 1, mir.Phys(mir.M0, 1), o)
	return mir.Phys(mir.M0, 1)
}
