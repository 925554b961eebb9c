package isa

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Errors of decoding.
var (
	ErrTruncated     = errors.New("isa: instruction is cut short")
	ErrUnknownOpcode = errors.New("isa: unknown opcode")
	ErrBadField      = errors.New("isa: a field has a value that no operand has")
)

// Decoder decodes the instructions of one instruction set and wave size. It
// is safe for concurrent use.
type Decoder struct {
	set     Set
	wave    uint8
	lenient bool // bits that hardware ignores may have any value
	tab     *decodeTable
}

// NewDecoder returns a decoder; wave is 32 or 64.
func NewDecoder(s Set, wave int) *Decoder {
	return &Decoder{set: s, wave: uint8(wave), tab: decodeTableOf(s)}
}

// Set returns the instruction set that the decoder is for.
func (d *Decoder) Set() Set { return d.set }

// decodeTable leads from the first dword to the encodings that may match it.
type decodeTable struct {
	forms [512][3]Form                         // by the top nine bits of the first dword, most specific first
	num   [512]uint8                           // how many forms a prefix has
	first [numForm][]Enc                       // by form: keyed by opcode, variant and segment
	next  [len(encs)]Enc                       // other encodings with the same key
	fixed [len(encs)]atomic.Pointer[fixedBits] // made when an encoding is first met

	plans   [len(encs)]plan
	checks  []scalarCheck
	scalars [33][256]uint8 // properties by size in dwords and scalar encoding
}

var decodeTables [NumSets]lazy.Value[*decodeTable]

func decodeTableOf(s Set) *decodeTable {
	return decodeTables[s].From(func() *decodeTable { return newDecodeTable(s) })
}

// key returns the index of an encoding in the table of its form.
func key(code uint32, v Variant, seg uint32) uint32 { return code<<5 | uint32(v)<<2 | seg }

func newDecodeTable(s Set) *decodeTable {
	t := &decodeTable{}
	g := sets[s].gen
	for bits := 40; bits > 0; bits-- { // most specific first
		for f := range Form(numForm) {
			l := &layouts[layoutOf[f][g]]
			if l.dwords == 0 || l.mask == 0 || matchBits(f, l) != bits {
				continue
			}
			for p := range uint32(512) {
				if p<<23&l.mask == l.value && t.num[p] < 3 {
					t.forms[p][t.num[p]] = f
					t.num[p]++
				}
			}
		}
	}
	for f := range t.first {
		l := &layouts[layoutOf[f][g]]
		n := max(int(l.pos[FieldOp].width)+int(l.pos[FieldOpHi].width), int(l.pos[FieldOpY].width))
		t.first[f] = make([]Enc, key(1<<n, 0, 0))
		for i := range t.first[f] {
			t.first[f][i] = NoEnc
		}
	}
	for i := len(encs) - 1; i >= 0; i-- {
		e := &encs[i]
		if !e.sets.Has(s) {
			continue
		}
		code := uint32(e.code)
		if e.form == VOP3PX { // all first halves of a second one have the same key
			code &= 1<<layouts[layoutOf[VOP3PX][g]].pos[FieldOp].width - 1
		}
		k := key(code, e.vari, segmentOf(e))
		t.next[i] = t.first[e.form][k]
		t.first[e.form][k] = Enc(i)
		t.makePlan(Enc(i), s)
	}
	t.makeScalars(s)
	return t
}

// fixedOf returns the fixed bits of an encoding.
func (t *decodeTable) fixedOf(e Enc, s Set) *fixedBits {
	f := t.fixed[e].Load()
	if f == nil {
		f = e.fixedBits(s)
		t.fixed[e].Store(f)
	}
	return f
}

func segmentOf(e *encRow) uint32 {
	if e.form != FLAT {
		return 0
	}
	return segment(e.traits)
}

// matchBits returns the number of bits a form's match looks at. VOP3PX also has the
// match of its second half.
func matchBits(f Form, l *layout) int {
	n := popcount(l.mask)
	if f == VOP3PX {
		n += 8
	}
	return n
}

func popcount(x uint32) (n int) {
	for ; x != 0; x &= x - 1 {
		n++
	}
	return n
}

// Decode decodes the instruction at the start of src and returns its size in
// bytes. With an error n is the number of bytes to skip: 4, or fewer at the end
// of src.
func (d *Decoder) Decode(src []byte) (in Inst, n int, err error) {
	if len(src) < 4 {
		return in, len(src), ErrTruncated
	}
	in.Set, in.Wave = d.set, d.wave
	w0 := binary.LittleEndian.Uint32(src)
	p := w0 >> 23
	err = ErrUnknownOpcode
	for _, f := range d.tab.forms[p][:d.tab.num[p]] {
		l := &layouts[layoutOf[f][sets[d.set].gen]]
		size := int(l.dwords) * 4
		if len(src) < size {
			err = ErrTruncated
			continue
		}
		for i := range size / 4 {
			in.Words[i] = binary.LittleEndian.Uint32(src[i*4:])
		}
		e := d.decodeForm(&in, f, l, src)
		if e == nil {
			return in, int(in.Size), nil
		}
		if err == ErrUnknownOpcode || e == ErrBadField {
			err = e
		}
	}
	return Inst{}, 4, err
}

// decodeForm decodes words that have the shape of a form.
func (d *Decoder) decodeForm(in *Inst, f Form, l *layout, src []byte) error {
	code := in.fieldAt(l.pos[FieldOp])
	seg := uint32(0)
	switch {
	case f == VOP3PX:
		if in.Words[2]&l.mask != l.value {
			return ErrUnknownOpcode
		}
	case l.pos[FieldOpHi].width != 0:
		code |= in.fieldAt(l.pos[FieldOpHi]) << l.pos[FieldOp].width
	case f == FLAT && !(d.lenient && sets[d.set].gen == Gen8):
		seg = in.fieldAt(l.pos[FieldSeg])
	}
	v := d.variant(in, f, l)
	err := d.decodeKey(in, f, key(code, v, seg), src)
	if err != nil && v != Native && v < DualX { // the instruction may have no src0
		in.Words[l.dwords] = 0
		if d.decodeKey(in, f, key(code, Native, seg), src) == nil {
			return nil
		}
	}
	return err
}

// decodeKey decodes words as one of the encodings with a key.
func (d *Decoder) decodeKey(in *Inst, f Form, k uint32, src []byte) error {
	err := ErrUnknownOpcode
	for e := d.tab.first[f][k]; e != NoEnc; e = d.tab.next[e] {
		if f == VOP3PX && !in.hasFirstHalf(e) {
			continue
		}
		in.Enc = e
		var err2 error
		if d.lenient {
			err2 = d.finishIgnoring(in, src)
		} else {
			err2 = d.finish(in, src)
		}
		if err2 == nil {
			return nil
		}
		if err == ErrUnknownOpcode {
			err = err2
		}
	}
	return err
}

// hasFirstHalf reports whether the words have the opcode of the first half of a
// VOP3PX encoding, the upper part of its code.
func (in *Inst) hasFirstHalf(e Enc) bool {
	width := e.layout(in.Set).pos[FieldOp].width
	return in.Words[0]>>16&(1<<width-1) == uint32(encs[e].code)>>width
}

// variant returns the variant that src0 announces: whether a dword with DPP or
// SDWA fields follows.
func (d *Decoder) variant(in *Inst, f Form, l *layout) Variant {
	switch f {
	case VOPD, VOPD3:
		return DualX
	case VOP1, VOP2, VOPC:
		if !d.set.Has(PropDpp) {
			return Native
		}
		switch src := in.fieldAt(l.pos[FieldSrc0]); {
		case src == srcDPP:
			return DPP
		case src == srcSDWA && d.set.Has(PropSdwa):
			return SDWA
		case (src == srcDPP8 || src == srcDPP8FI) && d.set.Has(PropDpp8):
			return DPP8
		}
	case VOP3, VOP3P:
		if !d.set.Has(PropVop3Dpp) {
			return Native
		}
		switch in.fieldAt(l.pos[FieldSrc0]) {
		case srcDPP:
			return DPP64
		case srcDPP8, srcDPP8FI:
			return DPP864
		}
	}
	return Native
}

// finish reads the dwords after the native words and checks all fields.
func (d *Decoder) finish(in *Inst, src []byte) error {
	in.setLayouts()
	n := int(layouts[in.lay].dwords)
	if in.ext != 0 {
		n++
	}
	if len(src) < n*4 {
		return ErrTruncated
	}
	if in.ext != 0 {
		in.Words[n-1] = binary.LittleEndian.Uint32(src[n*4-4:])
	}
	in.Size = uint8(n * 4)
	fixed := d.tab.fixedOf(in.Enc, d.set)
	for i, m := range fixed.zero {
		if in.Words[i]&m|^in.Words[i]&fixed.one[i] != 0 {
			return ErrBadField
		}
	}
	more, err := d.checkFields(in)
	if err != nil {
		return err
	}
	if len(src) < (n+more)*4 {
		return ErrTruncated
	}
	for i := range more {
		in.Words[n+i] = binary.LittleEndian.Uint32(src[(n+i)*4:])
	}
	in.Size += uint8(more * 4)
	return nil
}

// checkFields checks the fields by the encoding's plan, or operand by operand.
func (d *Decoder) checkFields(in *Inst) (more int, err error) {
	if p := &d.tab.plans[in.Enc]; p.simple {
		return d.tab.runPlan(p, in)
	}
	if !in.selected() {
		return 0, ErrBadField
	}
	return in.checkOperands()
}
