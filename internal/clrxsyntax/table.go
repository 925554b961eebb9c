package clrxsyntax

import (
	"slices"

	"github.com/gfx-toolchain/gfx/isa"
)

// Table holds the instructions of an architecture.
type Table struct {
	Arch  Arch
	Rows  []Row
	names map[string]int32            // names and other accepted names: index in Rows
	codes [isa.VOP3INTERP + 1][]int16 // by form and opcode: index in Rows, -1 for none
	flat  [3][]int16                  // by segment and opcode
	Place [isa.VOP3INTERP + 1]Places  // by form; of DPP16 and SDWAWORD in the extra dword
}

// Places are the places of the fields of a form; the width of one that the form
// does not have is 0.
type Places [isa.FieldHigh + 1]isa.Place

// Named returns the instruction with a name, or nil. Names are in lower case.
func (t *Table) Named(name []byte) *Row {
	if i, ok := t.names[string(name)]; ok {
		return &t.Rows[i]
	}
	return nil
}

// Names calls f for each accepted name.
func (t *Table) Names(f func(name string, r *Row)) {
	for n, i := range t.names {
		f(n, &t.Rows[i])
	}
}

// Coded returns the instruction with an opcode of a form, or nil. VOP3 also
// has the opcodes of the long forms of VOP1, VOP2 and VOPC.
func (t *Table) Coded(f isa.Form, code uint32) *Row {
	if l := t.codes[f]; code < uint32(len(l)) && l[code] >= 0 {
		return &t.Rows[l[code]]
	}
	return nil
}

// Segment returns the instruction of a segment of FLAT (0 flat, 1 scratch,
// 2 global) with an opcode, or nil.
func (t *Table) Segment(seg, code uint32) *Row {
	if seg > 2 {
		return nil
	}
	if l := t.flat[seg]; code < uint32(len(l)) && l[code] >= 0 {
		return &t.Rows[l[code]]
	}
	return nil
}

func newTable(a Arch) *Table {
	const most = 1280 // more than an architecture has
	t := &Table{Arch: a, names: make(map[string]int32, most), Rows: make([]Row, 0, most)}
	set := a.Set()
	for e := range isa.Enc(isa.NumEncs()) {
		switch {
		case !e.Sets().Has(set) || accumulates(e):
		case e.Variant() == isa.Native:
			t.addEnc(e)
		case e.Form() == isa.VOP2 || e.Form() == isa.VOPC: // together they have all fields
			t.extraPlaces(e)
		}
	}
	t.addExtra()
	t.long()
	t.addAliases()
	t.index()
	return t
}

// accumulates reports whether an encoding has operands in AGPRs only.
func accumulates(e isa.Enc) bool {
	for _, o := range e.Operands() {
		if o.Class.Info().Files == isa.FileA {
			return true
		}
	}
	return false
}

// addEnc adds an encoding of package isa, or its operands to the row that
// already has its name.
func (t *Table) addEnc(e isa.Enc) {
	name := printedName(t.Arch, e.Name())
	if dropped(t.Arch, name) {
		return
	}
	t.places(e)
	i, ok := t.names[name]
	if !ok {
		i = int32(len(t.Rows))
		t.names[name] = i
		t.Rows = append(t.Rows, Row{Name: name, Form: e.Form(), Code: uint16(e.Code()), Code3: NoCode})
	}
	r := &t.Rows[i]
	switch {
	case e.Form() == r.Form || !ok:
		r.operands(e)
	case e.Form() == isa.VOP3 || e.Form() == isa.VOP3INTERP:
		r.Code3 = uint16(e.Code())
	default: // the short form after the long one
		long := r.Code
		*r = Row{Name: name, Form: e.Form(), Code: uint16(e.Code()), Code3: long}
		r.operands(e)
	}
}

// operands adds the operands of an encoding to a row.
func (r *Row) operands(e isa.Enc) {
	traits := e.Traits()
	if traits.Any(isa.TraitLds) && r.Dst != 0 {
		return
	}
	r.Flags |= formFlags(e)
	ops := e.Operands()
	for i := range ops {
		r.operand(e, &ops[i], i == len(ops)-1)
	}
	r.finishOperands(e)
}

// finishOperands corrects a row in ways that follow from its form.
func (r *Row) finishOperands(e isa.Enc) {
	switch r.Form {
	case isa.MUBUF:
		switch {
		case len(e.Operands()) == 0:
			r.Flags |= NoOperands
		case r.Dst != 0:
			r.Flags &^= NoData
		}
	case isa.SMEM, isa.SMRD:
		if len(e.Operands()) == 0 {
			r.Flags |= NoOperands
		}
	case isa.DS:
		if r.Flags.Has(GDSOnly) || len(e.Operands()) == 0 {
			r.Flags |= HasAddr // ds_nop and the operations on semaphores have one in CLRX
		}
	case isa.MIMG:
		r.Addr, r.Most = addressRegs(r.Name)
	case isa.VOPC:
		r.Src[1] = r.Src[0] // also where the second source is a class of numbers
	case isa.VOP3:
		if slices.Contains(showLong, r.Name) {
			r.Flags |= ShowLong
		}
		if r.Flags.Has(MaskDst) {
			r.Src[1] = r.Src[0]
		}
	}
}

// formFlags returns the flags that follow from traits and from the name.
func formFlags(e isa.Enc) (f Flags) {
	t := e.Traits()
	switch e.Form() {
	case isa.DS:
		if t.Any(isa.TraitGws) {
			f |= GDSOnly
		}
	case isa.MUBUF:
		f |= NoData
		f |= accessFlags(e)
	case isa.MTBUF, isa.MIMG, isa.FLAT, isa.SMEM:
		f |= accessFlags(e)
	case isa.VOP3P:
		if t.Any(isa.TraitNegLo) {
			f |= Packed
		}
	}
	if t.Any(isa.TraitGather4) {
		f |= Gather4
	}
	if t.Any(isa.TraitGlobal) {
		f |= Global
	}
	if t.Any(isa.TraitScratch) {
		f |= Scratch
	}
	return f
}

// accessFlags returns the flags of an access to memory.
func accessFlags(e isa.Enc) Flags {
	t := e.Traits()
	switch m := e.Op().Memory(); {
	case m.Access == isa.AccessAtomic:
		return Atomic
	case m.Access == isa.AccessStore, t.Any(isa.TraitStore) && !t.Any(isa.TraitLoad):
		return Store
	}
	return 0
}

// operand adds an operand to a row. last reports whether it is the last one of
// its encoding.
func (r *Row) operand(e isa.Enc, o *isa.OperandInfo, last bool) {
	c := o.Class.Info()
	dw := c.Dwords
	switch o.Field {
	case isa.FieldVdst, isa.FieldSdst, isa.FieldSdata, isa.FieldVdata:
		if r.Imm == ImmHwreg {
			r.Imm = ImmHwregSrc
		}
		r.result(e, o, max(dw, 1))
	case isa.FieldSrc0:
		r.source(0, o)
	case isa.FieldSrc1:
		r.source(1, o)
	case isa.FieldSrc2:
		if c.Flags&isa.Mask != 0 {
			r.Flags |= CarryIn
			return
		}
		r.source(2, o)
	case isa.FieldData0:
		r.Src[0] = dw
	case isa.FieldData1:
		r.Src[1] = dw
	case isa.FieldAddr:
		if e.Form() == isa.DS {
			r.Flags |= HasAddr
		}
	case isa.FieldOffset0:
		r.Flags |= TwoOffsets
	case isa.FieldSbase:
		r.Addr = dw
	case isa.FieldSsamp:
		r.Flags |= Sampler
	case isa.FieldImm:
		switch {
		case e.Form() == isa.SOPK:
			r.Imm = ImmHwreg32
		case last:
			r.Flags |= AddConst | NoSdwa
		default:
			r.Flags |= MulConst | NoSdwa
		}
	case isa.FieldSimm16:
		r.Imm = immediates[o.Class]
	case isa.FieldVcc:
		switch {
		case e.Form() == isa.VOPC:
			r.Flags |= MaskDst
		case r.Src[0] == 0:
			r.Flags |= CarryOut
		default:
			r.Flags |= CarryIn
		}
	}
}

// immediates lists the kinds of immediates by class.
var immediates = [...]Imm{
	isa.ClassBr:      ImmBranch,
	isa.ClassEndpgm:  ImmNone,
	isa.ClassGpridx:  ImmNumber,
	isa.ClassHwreg:   ImmHwreg,
	isa.ClassImm16:   ImmNumber,
	isa.ClassSendmsg: ImmMessage,
	isa.ClassU16:     ImmNumber,
	isa.ClassWaitcnt: ImmWait,
}

// result adds a result or memory data.
func (r *Row) result(e isa.Enc, o *isa.OperandInfo, dw uint8) {
	c := o.Class.Info()
	switch e.Form() {
	case isa.FLAT:
		if o.Field == isa.FieldVdata {
			r.Src[0] = dw
			return
		}
	case isa.SMEM:
		if o.Field == isa.FieldSdata && c.Files == 0 {
			r.Flags |= Probe
		}
	case isa.VOP3:
		switch {
		case o.Field == isa.FieldSdst:
			r.Flags |= CarryOut
			return
		case c.Flags&isa.Mask != 0:
			r.Flags |= MaskDst
			dw = 2
		}
	}
	r.Dst = dw
	if c.Files == isa.FileS && (e.Form() == isa.VOP1 || e.Form() == isa.VOP2 || e.Form() == isa.VOP3) {
		r.Flags |= ScalarDst | NoSdwa
	}
}

// source adds source i.
func (r *Row) source(i int, o *isa.OperandInfo) {
	c := o.Class.Info()
	r.Src[i] = max(c.Dwords, 1)
	switch o.Type.Base() {
	case isa.F16:
		r.Float[i] = Half
	case isa.F64:
		r.Float[i] = Double
	}
	if o.Type.Base() != isa.F64 && c.Dwords == 2 {
		r.Float[i] = Double
	}
	switch {
	case o.Class == isa.ClassSlot:
		r.Flags |= ParamSlot
	case o.Class == isa.ClassGpridx:
		r.Flags |= IndexMode
	case r.Form == isa.VOP2 && i == 1 && c.Files == isa.FileS:
		r.Flags |= LaneSelect | NoSdwa
	case r.Form == isa.VOP3INTERP && i == 1:
		r.Flags |= Interp2
	}
}

// long sets the opcodes of the long forms of vector instructions: at a fixed
// distance from the short ones.
func (t *Table) long() {
	at := map[isa.Form]uint16{isa.VOPC: 0, isa.VOP2: 0x100, isa.VOP1: 0x140}
	if t.Arch < GCN12 {
		at[isa.VOP1] = 0x180
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if d, ok := at[r.Form]; ok && !r.Flags.Has(MulConst|AddConst) && r.Code3 == NoCode {
			r.Code3 = r.Code + d
		}
	}
}

// index fills the lists by opcode.
func (t *Table) index() {
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Form == isa.FLAT {
			put(&t.flat[r.Segment()], r.Code, i)
			continue
		}
		put(&t.codes[r.Form], r.Code, i)
		if r.Code3 != NoCode {
			put(&t.codes[isa.VOP3], r.Code3, i)
		}
		if r.Form == isa.VOP3INTERP {
			put(&t.codes[isa.VOP3], r.Code, i)
		}
	}
}

// Segment returns the segment of a FLAT instruction: 0 flat, 1 scratch, 2 global.
func (r *Row) Segment() uint32 {
	switch {
	case r.Flags.Has(Scratch):
		return 1
	case r.Flags.Has(Global):
		return 2
	}
	return 0
}

// put sets an entry of a list by opcode, unless an instruction has it already.
func put(l *[]int16, code uint16, i int) {
	for len(*l) <= int(code) {
		*l = append(*l, -1)
	}
	if (*l)[code] < 0 {
		(*l)[code] = int16(i)
	}
}

// places records the places of the fields of an encoding's form.
func (t *Table) places(e isa.Enc) {
	p := &t.Place[e.Form()]
	if p[isa.FieldOp].Width != 0 {
		return
	}
	in := isa.New(e, t.Arch.Set(), 64)
	for f := range p {
		p[f] = in.NativePlace(isa.Field(f))
	}
}

// extraForms are the forms of the dword that a variant has after the native
// words.
var extraForms = [...]isa.Form{isa.DPP: isa.DPP16, isa.SDWA: isa.SDWAWORD}

// extraPlaces records the places of the fields of a variant's extra dword.
func (t *Table) extraPlaces(e isa.Enc) {
	in := isa.New(e, t.Arch.Set(), 64)
	p := &t.Place[extraForms[e.Variant()]]
	for f := range p {
		if x := in.Place(isa.Field(f)); x.Shift >= 32 {
			x.Shift -= 32
			p[f] = x
		}
	}
}
