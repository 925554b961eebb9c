package isa

// A plan holds the scalar encodings that the fields of an encoding accept on a
// set. It is computed once, so that decoding need not examine the operands'
// classes, and agrees with Inst.checkOperands and Inst.selected.
type plan struct {
	first, num uint16 // range in decodeTable.checks
	simple     bool   // the checks are all there is to see to
	choose     bool   // and Inst.selected
	whole      bool   // and Inst.checkWhole
}

// scalarCheck is a field that may hold a scalar encoding.
type scalarCheck struct {
	pos    fieldPos
	shift  uint8 // the encoding is the field shifted to the left by this
	dwords uint8 // index in decodeTable.scalars
}

// The kinds of a scalar encoding.
const (
	scalarBad uint8 = iota
	scalarOK
	scalarLiteral
	scalarLiteral64
)

// planForms are the forms whose encodings can have a simple plan.
var planForms = [numForm]bool{
	SOP1: true, SOP2: true, SOPC: true, SOPK: true, SOPP: true, SMEM: true, DS: true, FLAT: true,
	VOP1: true, VOP2: true, VOPC: true, VOP3: true, VOP3P: true,
}

// choosing are the traits by which Inst.selected chooses between encodings.
const choosing = TraitW32 | TraitW64 | TraitRet | TraitNoret | TraitLds | TraitF8f6f4 | TraitTensor | TraitScales

// makePlan works out the plan of an encoding.
func (t *decodeTable) makePlan(e Enc, s Set) {
	row := &encs[e]
	p := &t.plans[e]
	p.first = uint16(len(t.checks))
	if !planForms[row.form] || row.traits.Any(choosing) && row.form != FLAT {
		return
	}
	in := New(e, s, 32)
	ops := e.Operands()
	for i := range ops {
		o := &ops[i]
		c := &classInfos[o.Class]
		pos := in.fieldPlace(o.Field)
		switch {
		case o.Field == FieldImm, o.Class == ClassSdwam, c.Files&FileA != 0, c.Flags&Mask != 0, o.Type == SplitBarrier, o.Class == ClassM0,
			c.Flags&Lo128 != 0 && c.Flags&Half == 0 && o.Field == FieldVdst, row.vari == SDWA && pos.width == 8:
			return
		case c.Files == FileV && in.HasField(FieldAcc) && o.Field != FieldAddr && o.Field != FieldVaddr:
			return
		case !o.isValue() || pos.width == 0 || pos.width == 8 && c.Files != FileS:
			continue
		}
		t.checks = append(t.checks, scalarCheck{pos, scalarShift(o.Field, pos.width), c.Dwords})
	}
	p.num = uint16(len(t.checks)) - p.first
	p.simple, p.choose, p.whole = true, row.form == FLAT, e.canBeWhole(s)
}

// makeScalars tabulates the kinds of scalar encodings for each size of operand.
func (t *decodeTable) makeScalars(s Set) {
	in := Inst{Set: s, Wave: 64}
	o := OperandInfo{Class: ClassS1, Type: I32}
	for dw := range t.scalars {
		for v := range t.scalars[dw] {
			k := scalarOK
			switch in.scalar(uint16(v), uint8(dw), &o).Kind {
			case NoValue:
				k = scalarBad
			case Literal32:
				k = scalarLiteral
			case Literal64:
				k = scalarLiteral64
			}
			t.scalars[dw][v] = k
		}
	}
}

// runPlan checks an instruction by its plan. It returns the results of
// Inst.checkOperands.
func (t *decodeTable) runPlan(p *plan, in *Inst) (more int, err error) {
	if p.choose && !in.selected() || p.whole && !in.checkWhole() {
		return 0, ErrBadField
	}
	for i := range t.checks[p.first : p.first+p.num] {
		c := &t.checks[int(p.first)+i]
		v := in.fieldAt(c.pos) << c.shift
		if v >= srcVGPR {
			continue
		}
		switch t.scalars[c.dwords][v] {
		case scalarBad:
			return 0, ErrBadField
		case scalarLiteral:
			more = max(more, 1)
		case scalarLiteral64:
			more = 2
		}
	}
	return more, nil
}

// plainClass reports whether a class is of whole vector registers without
// restrictions.
func plainClass(c *ClassInfo) bool { return c.Files&FileV != 0 && c.Flags == 0 }

// PlainVGPR reads an operand that is nothing but a VGPR or tuple of VGPRs that
// its class takes. It is Operand's and Takes' answer for the most common case;
// ok is false when they must be asked.
func (in *Inst) PlainVGPR(o *OperandInfo) (n, dwords uint16, ok bool) {
	c := &classInfos[o.Class]
	if !plainClass(c) || in.ext != 0 {
		return 0, 0, false
	}
	p := layouts[in.lay].pos[o.Field]
	v := in.fieldAt(p)
	switch encs[in.Enc].form {
	case VOP1, VOP2, VOPC, VOP3, VOP3P:
		if p.width == 9 {
			if v < srcVGPR {
				return 0, 0, false
			}
			v -= srcVGPR
		} else if p.width != 8 {
			return 0, 0, false
		}
	default:
		return 0, 0, false
	}
	if c.Dwords > 1 && v&1 != 0 && in.Set.Has(PropEvenTuples) {
		return 0, 0, false
	}
	n = uint16(v)
	if in.Banks != 0 {
		n += in.bank(in.Enc, o)
	}
	return n, uint16(c.Dwords), true
}

// AllVGPRs reports whether an operand of this encoding takes every VGPR, or
// tuple of VGPRs from any register on, in a field of 8 or 9 bits. Halves of
// VGPRs below 128 have the half in bit 7.
func (in *Inst) AllVGPRs(o *OperandInfo) bool {
	c := &classInfos[o.Class]
	p := in.fieldPlace(o.Field)
	return c.Files&FileV != 0 && (c.Flags&^(Half|Odd) == 0 || c.Flags&^Odd == Half|Lo128) &&
		(p.width == 9 || p.width == 8 && c.Files&(FileS|FileC) == 0 || p.width == 8 && encs[in.Enc].vari != Native) &&
		(c.Dwords == 1 || !in.Set.Has(PropEvenTuples))
}

// TupleDwords returns the size in dwords of the registers that an operand takes.
func (in *Inst) TupleDwords(o *OperandInfo) uint8 { return in.regDwords(o) }

// TupleScale returns by how many bits the field of a tuple of scalar registers is
// shortened: the number of the first register is the field shifted to the left.
func (in *Inst) TupleScale(o *OperandInfo) uint8 {
	return scalarShift(o.Field, in.fieldPlace(o.Field).width)
}
