package mir

import (
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// lifter converts decoded instructions to machine IR, to be encoded again.
type lifter struct {
	f   *Func
	in  *isa.Inst
	x   *OpInfo
	why string // reason why the instruction cannot be lifted
}

var opOfEnc = func() map[isa.Enc]Op {
	m := map[isa.Enc]Op{}
	for op := firstMachineOp; op < NumOps; op++ {
		for s := range isa.Set(isa.NumSets) {
			for _, e := range op.encodings(s) {
				m[e] = op
			}
		}
	}
	return m
}()

func (l *lifter) lift() Instr {
	in := l.in
	op := opOfEnc[in.Enc]
	if op == OpNone || !l.f.M.Has(op) {
		l.why = "unknown operation"
		return 0
	}
	l.x = l.f.M.Info(op)
	if l.x.Traits.Any(isa.TraitF8f6f4) {
		l.why = "operands of several sizes"
		return 0
	}
	known := append([]isa.Enc{l.x.Return, l.x.Short, l.x.SDWA, l.x.DPP, l.x.DPP8, l.x.DPP64}, l.x.Encs...)
	if !slices.Contains(known, in.Enc) {
		l.why = "an unused encoding"
		return 0
	}
	if l.x.IsImage() {
		return l.liftImage(op)
	}
	if in.Enc.Image().Kind == isa.ImageRay {
		return l.liftRay(op)
	}
	var ops []Operand
	defs := l.x.Defs
	if in.Enc == l.x.Return && l.returnsOld() {
		old := isa.FieldVdata
		if in.Enc.Form() == isa.FLAT {
			old = isa.FieldVdst
		}
		ops = append(ops, l.field(old, nil))
		defs++
	}
	for n := range l.x.Slots {
		ops = append(ops, l.slot(&l.x.Slots[n]))
	}
	for n := range l.x.Slots {
		if l.x.Slots[n].Tied {
			ops[n+len(ops)-len(l.x.Slots)] = ops[0]
		}
	}
	i := l.f.NewInstr(op, defs, ops...)
	l.f.SetMods(i, l.mods())
	l.f.SetExt(i, l.ext())
	return i
}

// liftImage lifts an image instruction.
func (l *lifter) liftImage(op Op) Instr {
	in := l.in
	data := Phys(VGPR(int(in.Field(isa.FieldVdata))), in.ImageData())
	rsrc, samp := isa.FieldSrsrc, isa.FieldSsamp
	if in.Enc.Form() != isa.MIMG {
		rsrc, samp = isa.FieldRsrc, isa.FieldSamp
	}
	for _, o := range in.Enc.Operands() {
		if o.Field == isa.FieldVdata && in.Operand(&o).Kind == isa.AGPRValue {
			l.why = "AGPRs"
			return 0
		}
	}
	shape := in.Enc.Image()
	defs, old := 0, None
	var ops []Operand
	switch {
	case shape.Kind == isa.ImageStore || shape.Kind == isa.ImageAtomic && !l.returnsOld():
		old = data
	case shape.Kind == isa.ImageAtomic:
		defs, old, ops = 1, data, append(ops, data)
	default:
		defs, ops = 1, append(ops, data)
	}
	sampler := None
	if slices.ContainsFunc(in.Enc.Operands(), func(o isa.OperandInfo) bool { return o.Field == samp }) {
		sampler = l.field(samp, nil)
	}
	flags := int64(0)
	for n, f := range imageFields {
		if in.HasField(f) && in.Field(f) != 0 {
			flags |= 1 << n
		}
	}
	dim := int64(0)
	if in.Set.Has(isa.PropImageDim) {
		dim = int64(in.Field(isa.FieldDim))
	} else if in.Field(isa.FieldDa) != 0 {
		dim = 5
	}
	ops = append(ops, l.field(rsrc, nil), sampler, Imm(int64(in.Field(isa.FieldDmask))), Imm(dim), Imm(flags), old)
	a := in.ImageAddress()
	for k := range a.N {
		ops = append(ops, Phys(VGPR(int(a.Regs[k])), int(a.Dwords[k])))
	}
	if a.N == 2 && a.Regs[1] == a.Regs[0]+1 && in.Enc.Form() == isa.MIMG {
		l.why = "separate registers that follow each other"
	}
	i := l.f.NewInstr(op, defs, ops...)
	l.f.SetMods(i, l.mods())
	return i
}

// liftRay lifts a ray tracing instruction.
func (l *lifter) liftRay(op Op) Instr {
	in := l.in
	a := in.ImageAddress()
	rsrc, defs := isa.FieldSrsrc, 1
	var parts []Operand
	for k := range a.N {
		parts = append(parts, Phys(VGPR(int(a.Regs[k])), int(a.Dwords[k])))
	}
	ops := []Operand{Phys(VGPR(int(in.Field(isa.FieldVdata))), int(l.x.Slots[l.x.Defs-1].Dwords))}
	switch {
	case in.Enc.Form() == isa.MIMG && a.N > 1:
		l.why = "separate registers of a ray"
		return 0
	case in.Enc.MovesRay():
		if a.Regs[3] != a.Regs[2]+3 {
			l.why = "separate registers of a ray"
			return 0
		}
		rsrc, defs = isa.FieldRsrc, 2
		moved := Phys(VGPR(int(a.Regs[2])), 6)
		ops = append([]Operand{moved}, ops...)
		parts = []Operand{parts[0], parts[1], moved, parts[4]}
	case in.Enc.Form() != isa.MIMG:
		rsrc = isa.FieldRsrc
		if a.N == 4 { // a16
			parts = append(parts, None)
		}
	}
	ops = append(append(ops, parts...), l.field(rsrc, nil))
	i := l.f.NewInstr(op, defs, ops...)
	l.f.SetMods(i, l.mods())
	l.f.SetExt(i, l.ext())
	return i
}

// returnsOld reports whether an atomic operation returns the old value.
func (l *lifter) returnsOld() bool {
	if l.in.HasField(isa.FieldGlc) {
		return l.in.Field(isa.FieldGlc) != 0
	}
	return l.in.CPol()&1 != 0
}

func (l *lifter) slot(s *Slot) Operand {
	in := l.in
	form := in.Enc.Form()
	buffer := form == isa.MUBUF || form == isa.MTBUF
	switch {
	case s.Kind == SlotFixed:
		return Phys(s.Reg, int(s.Dwords))
	case s.Tied:
		return None
	case s.Kind == SlotTarget:
		in.SetField(isa.FieldSimm16, 0) // the branch distance is set when the code is laid out
		return None
	case form == isa.FLAT && s.Field == isa.FieldVaddr:
		if n := in.FlatAddress().VDwords; n > 0 {
			return Phys(VGPR(int(in.Field(isa.FieldVaddr))), n)
		}
		return None
	case form == isa.FLAT && s.Field == isa.FieldSaddr:
		if n := in.FlatAddress().SDwords; n > 0 {
			return l.scalar(in.Field(isa.FieldSaddr), n)
		}
		return None
	case buffer && s.Field == isa.FieldVaddr:
		if n := in.Field(isa.FieldOffen) + in.Field(isa.FieldIdxen) + 2*in.Field(isa.FieldAddr64); n > 0 {
			return Phys(VGPR(int(in.Field(isa.FieldVaddr))), int(n))
		}
		return None
	case buffer && s.Field == isa.FieldSrsrc:
		return l.scalar(in.BufferResource(), 4)
	case buffer && s.Field == isa.FieldSoffset:
		return l.value(in.Operand(&isa.OperandInfo{Field: s.Field, Class: isa.ClassS1, Type: isa.I32}), isa.I32)
	case (form == isa.SMEM || form == isa.SMRD) && s.Field == isa.FieldSoffset:
		if o := in.ScalarOffset(); o.Reg && (!in.Set.Has(isa.PropNull) || o.SReg != noSAddr(in.Set)) {
			return l.scalar(o.SReg, 1)
		}
		return None
	case s.Kind == SlotImm:
		return Imm(l.imm(s, form))
	case form == isa.VIMAGE && s.Optional && !slices.ContainsFunc(in.Enc.Operands(), func(o isa.OperandInfo) bool { return o.Field == s.Field }):
		return None
	}
	return l.field(s.Field, s)
}

func (l *lifter) imm(s *Slot, form isa.Form) int64 {
	in := l.in
	switch {
	case s.Field == isa.FieldSdata:
		return int64(in.Field(isa.FieldSdata))
	case form == isa.SMEM || form == isa.SMRD:
		o := in.ScalarOffset()
		if o.Literal {
			return int64(in.Literal()) * 4
		}
		if o.Imm && o.Reg && o.Offset == 0 && in.Set.Gen() < isa.Gen10 {
			l.why = "a scalar offset with constant 0"
		}
		if in.Set.Gen() <= isa.Gen7 {
			return int64(o.Offset) * 4
		}
		if !o.Imm {
			return 0
		}
		return int64(o.Offset)
	case form == isa.FLAT:
		return int64(in.FlatOffset())
	case form == isa.MUBUF, form == isa.MTBUF:
		return int64(in.BufferOffset())
	case s.Field == isa.FieldOffset0:
		return int64(in.Field(isa.FieldOffset0) | in.Field(isa.FieldOffset1)<<8)
	case s.Field == isa.FieldImm:
		return int64(in.Literal())
	case s.Field == isa.FieldDone:
		flags := int64(0)
		for f, bit := range map[isa.Field]int64{isa.FieldDone: ExportDone, isa.FieldVm: ExportValidMask, isa.FieldCompr: ExportCompressed, isa.FieldRowEn: ExportRow} {
			if in.HasField(f) && in.Field(f) != 0 {
				flags |= bit
			}
		}
		return flags
	}
	return int64(in.Field(s.Field))
}

// field returns the operand of a field, or VCC if the encoding lacks the field.
func (l *lifter) field(field isa.Field, s *Slot) Operand {
	for _, o := range l.in.Enc.Operands() {
		if o.Class == isa.ClassSdwam && (field == isa.FieldVdst || field == isa.FieldSdst) {
			if l.in.HasField(isa.FieldSd) && l.in.Field(isa.FieldSd) != 0 {
				return l.scalar(l.in.Field(isa.FieldSdst), l.f.M.MaskDwords())
			}
			return Phys(VCC, l.f.M.MaskDwords())
		}
		if o.Field == field {
			return l.value(l.in.Operand(&o), o.Type)
		}
	}
	if s != nil && s.Class&isa.Mask != 0 {
		return Phys(VCC, int(s.Dwords))
	}
	l.why = fmt.Sprintf("no field %v", field)
	return None
}

func (l *lifter) value(v isa.Value, t isa.Type) Operand {
	n := max(int(v.Dwords), 1)
	if v.Half == 2 {
		l.why = "the high half of a register"
	}
	switch v.Kind {
	case isa.VGPRValue:
		return Phys(VGPR(int(v.Num)), n)
	case isa.AGPRValue:
		return Phys(AGPR(int(v.Num)), n)
	case isa.ScalarReg:
		return l.scalar(uint32(v.Num), n)
	case isa.InlineInt:
		return Imm(int64(isa.InlineIntValue(v.Num)))
	case isa.InlineFP:
		if strings.HasPrefix(l.in.Enc.Name(), "v_pk_fmac_f16") { // with SDWA; uses the type of the other encodings
			l.why = "an unused source"
		}
		return Imm(int64(isa.InlineFloat(int(v.Num), floatType(t))))
	case isa.Literal32:
		lit := int64(l.in.Literal())
		if t.Base() == isa.F64 {
			lit <<= 32
		}
		if t.InlineOnly() {
			l.why = "an unused source"
		}
		if IsInline(l.in.Set, t, lit) {
			l.why = "a literal that could be inline"
		}
		return Imm(lit)
	}
	l.why = "an unused source"
	return None
}

// floatType returns the type whose bit pattern an inline float operand has.
func floatType(t isa.Type) isa.Type {
	switch b := t.Base(); b {
	case isa.F16, isa.BF16, isa.F64:
		return b
	case isa.V2F16, isa.V2F16Splat:
		return isa.F16
	case isa.V2BF16:
		return isa.BF16
	case isa.I64:
		return isa.F64
	}
	return isa.F32
}

func (l *lifter) scalar(code uint32, n int) Operand {
	r := SGPR0 + Reg(code)
	if l.in.Set.Gen() >= isa.Gen11 {
		switch code {
		case 124:
			r = Null
		case 125:
			r = M0
		}
	}
	return Phys(r, n)
}

func (l *lifter) mods() (m Mods) {
	in := l.in
	switch l.x.Unit {
	case UnitSMEM, UnitVMEM, UnitFlat, UnitDS, UnitOther:
		m = Mods(in.CPol())
		for mod, f := range map[Mods]isa.Field{Offen: isa.FieldOffen, Idxen: isa.FieldIdxen, Addr64: isa.FieldAddr64, GDS: isa.FieldGds, TFE: isa.FieldTfe} {
			m |= mod * Mods(in.Field(f))
		}
		if in.Enc.HasFormat() {
			m |= Mods(in.Field(isa.FieldFormat)) << FormatShift
		}
		return m
	case UnitMatrix:
		if l.x.Traits.Any(isa.TraitMai) {
			return Matrix(in.Field(isa.FieldCbsz), in.Field(isa.FieldAbid), in.Field(isa.FieldBlgp))
		}
	}
	if in.Enc.Form() == isa.VOP3P {
		return Neg0*Mods(in.Field(isa.FieldNeg)) | Abs0*Mods(in.Field(isa.FieldNegHi)) | OpSel0*Mods(in.Field(isa.FieldOpSel)) |
			OpSelHi0*Mods(in.OpSelHi()) | Clamp*Mods(in.Field(isa.FieldClamp))
	}
	if v := in.Enc.Variant(); v == isa.DPP || v == isa.SDWA {
		for n, f := range extraMods {
			m |= Neg0<<n*Mods(in.Field(f[0])) | Abs0<<n*Mods(in.Field(f[1]))
		}
	} else {
		m = Neg0*Mods(in.Field(isa.FieldNeg)) | Abs0*Mods(in.Field(isa.FieldAbs)) | OpSel0*Mods(in.Field(isa.FieldOpSel))
	}
	if in.Clamps() {
		m |= Clamp
	}
	return m | OMod2*Mods(in.Field(isa.FieldOmod))
}

func (l *lifter) ext() Ext {
	in := l.in
	switch in.Enc.Variant() {
	case isa.DPP, isa.DPP64:
		return DPP{uint16(in.Field(isa.FieldDppCtrl)), uint8(in.Field(isa.FieldRowMask)), uint8(in.Field(isa.FieldBankMask)),
			in.Field(isa.FieldBoundCtrl) != 0, in.FetchInactive() != 0}.Ext()
	case isa.DPP8:
		return DPP8Ext(in.Field(isa.FieldDpp8), in.FetchInactive() != 0)
	case isa.SDWA:
		return SDWA{uint8(in.Field(isa.FieldDstSel)), uint8(in.Field(isa.FieldDstUnused)),
			[2]uint8{uint8(in.Field(isa.FieldSrc0Sel)), uint8(in.Field(isa.FieldSrc1Sel))},
			[2]bool{in.Field(isa.FieldSrc0Sext) != 0, in.Field(isa.FieldSrc1Sext) != 0}}.Ext()
	}
	return 0
}

// leftOut holds the reasons for skipping corpus rows.
var leftOut = []string{"unknown operation", "an unused encoding", "the high half of a register", "an unused source",
	"operands of several sizes", "AGPRs", "separate registers that follow each other", "separate registers of a ray", "a literal that could be inline", "a scalar offset with constant 0"}

// TestEncode decodes the instructions of the corpora, converts them to machine
// IR and encodes that. The result must have the same bytes. If its encoding is
// shorter, it must convert to the same machine IR.
func TestEncode(t *testing.T) {
	for _, path := range corpus.Files(t, "isa/corpus/*.tsv.gz") {
		cpu, wave64 := corpus.Processor(path)
		p := target.Lookup(cpu)
		s, ok := isa.SetOf(p)
		if !ok {
			t.Fatalf("%s: no instruction set", path)
		}
		wave := s.WaveSizes()[0]
		if wave64 {
			wave = 64
		}
		t.Run(corpus.Name(path), func(t *testing.T) {
			t.Parallel()
			encodeRows(t, MachineOf(s, wave), corpus.Rows(t, path))
		})
	}
}

func encodeRows(t *testing.T, m *Machine, rows [][]string) {
	d := isa.NewDecoder(m.Set, m.Wave)
	f := NewFunc("f", m)
	done, skipped := 0, map[string]int{}
	for _, row := range rows {
		if row[2] != "=" {
			continue
		}
		raw, err := hex.DecodeString(row[0])
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := d.Decode(raw)
		if err != nil {
			continue
		}
		f.Reset("f", m)
		l := lifter{f: f, in: &in}
		i := l.lift()
		if l.why != "" {
			if skipped[l.why]++; !slices.Contains(leftOut, l.why) {
				t.Errorf("%s: %s", row[1], l.why)
			}
			continue
		}
		done++
		if why := sameAgain(f, i, &in); why != "" {
			t.Errorf("%s %s: %s: %s", row[0], row[1], f.AppendInstr(nil, i), why)
		}
	}
	if os.Getenv("GFX_VERBOSE") != "" {
		t.Log(done, "compared, left out:", skipped)
	}
	if done < len(rows)/3 {
		t.Errorf("only %d of %d rows compared", done, len(rows))
	}
}

// sameAgain encodes an instruction and describes how the result differs from
// the original.
func sameAgain(f *Func, i Instr, in *isa.Inst) string {
	got, err := f.Encode(i)
	if err != nil {
		return err.Error()
	}
	if got.Enc == in.Enc && got.Words == in.Words && got.Size == in.Size {
		return ""
	}
	l := lifter{f: f, in: &got}
	again := l.lift()
	if l.why != "" {
		return l.why
	}
	a, b := string(f.AppendInstr(nil, i)), string(f.AppendInstr(nil, again))
	switch {
	case a != b:
		return "encoded as " + b
	case got.Size > in.Size:
		return fmt.Sprintf("encoded in %d bytes", got.Size)
	case got.Size == in.Size && !strings.Contains(a, "v_") && got.Enc == in.Enc:
		return fmt.Sprintf("different words: %x", got.Words)
	}
	return ""
}
