package isa

// MaxSize is the size in bytes of the longest instruction: an image
// instruction with three dwords of further addresses.
const MaxSize = 20

// Inst is one instruction: an encoding and its words. It is a small value
// without pointers. Operands are read from the words through the encoding's
// layout.
type Inst struct {
	Words [MaxSize / 4]uint32 // the bytes of the instruction as little-endian dwords
	Enc   Enc                 // encoding: a row of the table
	Set   Set                 // instruction set
	Wave  uint8               // 32 or 64: decides the size of lane masks
	Size  uint8               // in bytes
	Banks VGPRBanks           // upper bits of the numbers of VGPRs, which are not in the words

	lay, ext uint8 // indices of the layouts of the native words and the variant's dword
}

// layout describes the fields of a form in one layout generation.
type layout struct {
	dwords      uint8
	mask, value uint32 // of the first dword
	pos         [numField]fieldPos
}

// fieldPos is the place of a field: bits shift to shift+width-1, counted from
// bit 0 of the first dword. No field crosses a dword. The bits of a strict
// field are 0 in an instruction that has nothing there.
type fieldPos struct {
	shift, width uint8
	strict       bool
}

// Match returns how a form is recognized in a set: the bits of mask in the first
// dword have the value. dwords is the size without literal, 0 for a form that
// the set does not have.
func (f Form) Match(s Set) (mask, value uint32, dwords int) {
	l := &layouts[layoutOf[f][sets[s].gen]]
	return l.mask, l.value, int(l.dwords)
}

// extForm holds the form of the dword that a variant adds after the native
// words, and the variant's size in that dword.
var extForm = [...]Form{DPP: DPP16, DPP8: DPP8LANES, SDWA: SDWAWORD, DPP64: DPP16, DPP864: DPP8LANES, DualX: 0, DualY: 0}

// layout returns the layout of an encoding's form in a set.
func (e Enc) layout(s Set) *layout { return &layouts[layoutOf[encs[e].form][sets[s].gen]] }

// ext returns the layout of the extra dword of a variant, or nil.
func (e Enc) ext(s Set) *layout {
	v := encs[e].vari
	if v == Native || v >= DualX {
		return nil
	}
	return &layouts[layoutOf[extForm[v]][sets[s].gen]]
}

// BaseDwords returns the size of the encoding in dwords, without a literal and
// without further image addresses.
func (e Enc) BaseDwords(s Set) int {
	n := int(e.layout(s).dwords)
	if e.ext(s) != nil {
		n++
	}
	return n
}

// fieldPlace returns the place of a field in the words of an encoding. In a
// variant the extra dword's fields hide the fields of the native words.
func (e Enc) fieldPlace(s Set, f Field) fieldPos {
	l := e.layout(s)
	if x := e.ext(s); x != nil {
		if p := x.pos[f]; p.width != 0 && (f != FieldSdst || encs[e].form == VOPC) && (f != FieldClamp && f != FieldOmod || encs[e].form != VOP3) {
			p.shift += l.dwords * 32
			return p
		}
	}
	return l.pos[f]
}

// setLayouts records the layouts of the encoding.
func (in *Inst) setLayouts() {
	row := &encs[in.Enc]
	g := sets[in.Set].gen
	in.lay, in.ext = layoutOf[row.form][g], 0
	if v := row.vari; v != Native && v < DualX {
		in.ext = layoutOf[extForm[v]][g]
	}
}

// Place is the place of a field in an instruction's words: Width bits from bit
// Shift on, counted from bit 0 of the first dword. Width is 0 for a field that
// the words do not have.
type Place struct {
	Shift, Width uint8 // bits
}

// bit returns the place of bit i, of width 0 where there is no such bit.
func (p Place) bit(i int) Place {
	if i >= int(p.Width) {
		return Place{}
	}
	return Place{p.Shift + uint8(i), 1}
}

// Place returns the place of a field that Field reads.
func (in *Inst) Place(f Field) Place {
	p := in.fieldPlace(f)
	return Place{p.shift, p.width}
}

// NativePlace returns the place of a field that NativeField reads.
func (in *Inst) NativePlace(f Field) Place {
	p := layouts[in.lay].pos[f]
	return Place{p.shift, p.width}
}

// Bits reads the bits at a place.
func (in *Inst) Bits(p Place) uint32 {
	return in.Words[p.Shift>>5] >> (p.Shift & 31) & (1<<p.Width - 1)
}

// fieldPlace returns the place of a field in the words; see Enc.fieldPlace.
func (in *Inst) fieldPlace(f Field) fieldPos {
	if in.ext == 0 {
		return layouts[in.lay].pos[f]
	}
	return in.Enc.fieldPlace(in.Set, f)
}

// HasField reports whether an instruction's words have a field.
func (in *Inst) HasField(f Field) bool { return in.fieldPlace(f).width != 0 }

// Field reads a field; a field that the words do not have is 0.
func (in *Inst) Field(f Field) uint32 { return in.fieldAt(in.fieldPlace(f)) }

// SetField writes a field, cut to its width. A field that the words do not
// have is left alone.
func (in *Inst) SetField(f Field, v uint32) { in.setFieldAt(in.fieldPlace(f), v) }

// NativeField reads a field of the native words even when a variant's extra
// dword hides it.
func (in *Inst) NativeField(f Field) uint32 { return in.fieldAt(layouts[in.lay].pos[f]) }

// SetNativeField writes a field of the native words.
func (in *Inst) SetNativeField(f Field, v uint32) { in.setFieldAt(layouts[in.lay].pos[f], v) }

func (in *Inst) fieldAt(p fieldPos) uint32 {
	return in.Words[p.shift>>5] >> (p.shift & 31) & (1<<p.width - 1)
}

func (in *Inst) setFieldAt(p fieldPos, v uint32) {
	m := uint32(1<<p.width-1) << (p.shift & 31)
	w := &in.Words[p.shift>>5]
	*w = *w&^m | v<<(p.shift&31)&m
}

// New returns an instruction of an encoding with all fields 0 but the form's
// own bits and the opcode.
func New(e Enc, s Set, wave int) Inst {
	in := Inst{Enc: e, Set: s, Wave: uint8(wave), Size: uint8(e.BaseDwords(s) * 4)}
	in.setLayouts()
	l := e.layout(s)
	in.Words[0] = l.value
	in.setCode()
	switch encs[e].vari {
	case DPP, DPP64:
		in.SetNativeField(FieldSrc0, srcDPP)
	case DPP8, DPP864:
		in.SetNativeField(FieldSrc0, srcDPP8)
	case SDWA:
		in.SetNativeField(FieldSrc0, srcSDWA)
	}
	return in
}

// setCode writes the opcode number into its field or fields.
func (in *Inst) setCode() {
	c := uint32(encs[in.Enc].code)
	l := in.Enc.layout(in.Set)
	switch {
	case encs[in.Enc].form == VOP3PX: // the opcodes of both halves
		in.Words[0] |= c >> l.pos[FieldOp].width << 16
		in.Words[2] = l.value
		in.setFieldAt(l.pos[FieldOp], c)
	case l.pos[FieldOpHi].width != 0:
		w := l.pos[FieldOp].width
		in.setFieldAt(l.pos[FieldOp], c)
		in.setFieldAt(l.pos[FieldOpHi], c>>w)
	default:
		in.setFieldAt(l.pos[FieldOp], c)
	}
	if encs[in.Enc].form == FLAT && l.pos[FieldSeg].width != 0 {
		in.setFieldAt(l.pos[FieldSeg], segment(encs[in.Enc].traits))
	}
}

// segment returns the value of a FLAT instruction's segment field.
func segment(t Traits) uint32 {
	switch {
	case t.Any(TraitScratch):
		return 1
	case t.Any(TraitGlobal):
		return 2
	}
	return 0
}

// The values of an 8- or 9-bit source that mean neither a register nor an
// inline constant, and the first VGPR.
const (
	srcSDWA    = 249 // an SDWA dword follows
	srcDPP     = 250 // a DPP16 dword follows
	srcDPP8    = 233 // a DPP8 dword follows
	srcDPP8FI  = 234 // the same with fetch-inactive
	srcLit64   = 254 // a 64-bit literal follows (gfx1250)
	srcLiteral = 255 // a 32-bit literal follows
	srcVGPR    = 256 // VGPR 0 in a 9-bit source
)

// LiteralSize returns the size in bytes of the literal after the words: 0, 4 or
// 8.
func (in *Inst) LiteralSize() int {
	if f := encs[in.Enc].form; f == MIMG {
		return 0
	}
	return int(in.Size) - in.Enc.BaseDwords(in.Set)*4
}

// LiteralPlace returns the place of the literal after the words, or of its
// first dword.
func (in *Inst) LiteralPlace() Place {
	return Place{uint8(in.Enc.BaseDwords(in.Set) * 32), 32}
}

// Literal returns the literal after the words, zero-extended.
func (in *Inst) Literal() uint64 {
	n := in.Enc.BaseDwords(in.Set)
	switch in.LiteralSize() {
	case 4:
		return uint64(in.Words[n])
	case 8:
		return uint64(in.Words[n]) | uint64(in.Words[n+1])<<32
	}
	return 0
}

// SetLiteral writes a literal of size bytes (4 or 8) after the words.
func (in *Inst) SetLiteral(v uint64, size int) {
	n := in.Enc.BaseDwords(in.Set)
	in.Words[n] = uint32(v)
	if size == 8 {
		in.Words[n+1] = uint32(v >> 32)
	}
	in.Size = uint8(n*4 + size)
}

// Encode appends the instruction's bytes in memory order.
func Encode(dst []byte, in *Inst) []byte {
	for i := range int(in.Size) / 4 {
		w := in.Words[i]
		dst = append(dst, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return dst
}

// StartsLonger reports whether an instruction may also be the first part of a
// longer one, so that its own words do not identify it: an instruction that
// loads the scales of a matrix instruction, or one without src0, a field in
// which other instructions announce a dword with DPP or SDWA fields.
func (in *Inst) StartsLonger() bool {
	e := &encs[in.Enc]
	switch e.form {
	case VOP3P:
		return !in.Enc.hasOperand(FieldVdst) || e.vari == Native && !in.Enc.hasOperand(FieldSrc0)
	case VOP1, VOP2, VOPC, VOP3:
		return e.vari == Native && !in.Enc.hasOperand(FieldSrc0)
	}
	return false
}
