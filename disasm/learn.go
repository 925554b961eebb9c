package disasm

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/gfx-toolchain/gfx/isa"
)

// learn decodes and prints an instruction, and caches its pieces. exact is as
// in append; an instruction whose text assembles to other bytes has no pieces.
func (t *texts) learn(dst, src []byte, words *dwords) (text []byte, n int, exact bool, err error) {
	if w, n := t.wholeOf(src, words); w != nil {
		return append(dst, w.text...), n, w.exact, nil
	}
	in, n, err := t.d.Decode(src)
	if err != nil {
		return dst, n, true, err
	}
	clear(in.Words[n/4:])
	if w := t.whole[in.Words]; w != nil {
		return append(dst, w.text...), n, w.exact, nil
	}
	p := newPrinter(&in)
	g := &t.groups[words[0]>>23]
	t.rec.pieces = t.rec.pieces[:0]
	if p.memorable(t.encode != nil) && t.cells <= maxCells && t.alike(g, words) < maxAlike {
		p.rec = &t.rec
	}
	start := len(dst)
	dst = p.inst(dst)
	exact = sameBytes(t.encode, dst[start:], src[:n])
	if !exact || !t.inPieces(&in, dst, start) {
		t.keepWhole(&in, dst[start:], exact)
	}
	return dst, n, exact, nil
}

// inPieces caches the pieces of an instruction's text, which begins at start.
// It reports whether the next similar instruction can be printed from them.
func (t *texts) inPieces(in *isa.Inst, dst []byte, start int) bool {
	if n := len(t.rec.pieces); n == 0 || n > maxPieces || len(dst)-start > maxText {
		return false
	}
	if t.encode != nil && bytes.Contains(dst[start:], ldsDirect) {
		return false // the sources that may be scalar vary between instructions
	}
	return t.remember(in, dst, start)
}

// wholeText is the text of an instruction without pieces.
type wholeText struct {
	text  string
	exact bool  // as in texts.append
	size  uint8 // of the instruction in bytes; 0: its words alone do not determine it
}

// wholeWords are the words of an instruction, 0 past its end.
type wholeWords [isa.MaxSize / 4]uint32

// keepWhole caches an instruction's text by its words.
func (t *texts) keepWhole(in *isa.Inst, text []byte, exact bool) {
	if len(t.whole) < maxWhole && len(text) <= maxText {
		w := &wholeText{text: string(text), exact: exact}
		t.whole[in.Words] = w
		if in.Size <= maxSize && !in.StartsLonger() {
			w.size = in.Size
			t.wholeSizes[in.Words[0]>>23] |= 1 << (in.Size / 4)
		}
	}
}

// wholeOf returns the text of the instruction that src begins with and its size
// in bytes, without decoding it; nil if the text is not cached.
func (t *texts) wholeOf(src []byte, words *dwords) (w *wholeText, n int) {
	sizes := t.wholeSizes[words[0]>>23]
	var key wholeWords
	for i := range maxSize / 4 {
		key[i] = words[i]
		if n = 4 * (i + 1); sizes>>(i+1)&1 == 0 || n > len(src) {
			continue
		}
		if w = t.whole[key]; w != nil && int(w.size) == n {
			return w, n
		}
	}
	return nil, 0
}

var ldsDirect = []byte("lds_direct")

// memorable reports whether the pieces of an instruction's text depend only on
// their own fields and on pieceKey. With encoded, this must also be true for
// whether an assembler accepts the text.
func (p *printer) memorable(encoded bool) bool {
	in := p.in
	switch {
	case encoded && (relatedForms[in.Enc.Form()] || p.traits.Any(isa.TraitNullresult) || p.selectsLane() || p.selectsHalves()):
		return false
	case in.Size > maxSize, in.LiteralSize() > 4, p.operandIn(isa.FieldImm) != nil: // a mandatory literal may also be a source
		return false
	case in.StartsLonger():
		return false
	}
	return !p.traits.Any(isa.TraitTensor) // the number of descriptors
}

// selectsLane reports whether an instruction is v_writelane_b32 with the 32-bit
// encoding on gfx6 and gfx7, where both sources may be scalar registers.
func (p *printer) selectsLane() bool {
	if p.in.Enc.Form() != isa.VOP2 || p.in.Enc.Variant() != isa.Native || len(p.ops) < 3 {
		return false
	}
	o := &p.ops[2]
	return p.in.Place(o.Field).Width == 8 && o.Class.Info().Files&isa.FileS != 0
}

// selectsHalves reports whether an instruction's sources are pairs of floats on
// gfx12.5. op_sel must select the first float of a pair in SGPRs.
func (p *printer) selectsHalves() bool {
	return p.in.Enc.Form() == isa.VOP3P && p.in.Set.Has(isa.PropPkPairs) && p.operandIn(isa.FieldSrc0).Type.Base() == isa.V2F32
}

// relatedForms are the forms whose operands the assembler compares with each
// other: matrix instructions, whose result must not partially overlap the third
// source.
var relatedForms = [256]bool{isa.MAI: true, isa.VOP3PX: true}

// remember adds the pieces of an instruction's text, which begins at start, to
// the tables, and its shape to its group unless it is present. It returns false
// if no shape is valid for the next similar instruction.
func (t *texts) remember(in *isa.Inst, text []byte, start int) bool {
	pieces := t.rec.pieces
	for i := range pieces {
		p := &pieces[i]
		p.table = t.tableOf(p)
		t.putText(p.table, p.index(in), text[p.start:p.end])
	}
	s := newShape(in, pieces)
	if in.LiteralSize() != 0 && s.mask[in.LiteralPlace().Shift>>5] != 0 {
		return false // the literal is not in any piece
	}
	g := &t.groups[in.Words[0]>>23]
	if old := t.findShape(g, &s); old != nil {
		k, different := old.guard.scalars((*dwords)(in.Words[:]))
		if different {
			old.scalars = max(old.scalars, k)
		}
		return k <= old.scalars
	}
	if len(t.shapes) < maxShapes && len(t.leads) < maxLeads && t.addSteps(&s, in, text, start) {
		if t.encode != nil {
			s.guard, s.scalars = newGuard(in), 1
		}
		t.shapes = append(t.shapes, s)
		t.addShape(g, uint32(len(t.shapes)-1))
		k, _ := s.guard.scalars((*dwords)(in.Words[:]))
		return k <= s.scalars
	}
	return false
}

// tableOf returns the table of a piece.
func (t *texts) tableOf(p *piece) uint16 {
	i, ok := t.keys[p.key]
	if !ok {
		i = uint16(len(t.tables))
		t.tables = append(t.tables, table{})
		t.plain = append(t.plain, p.key.plain)
		t.tables[i].grow(4)
		t.keys[p.key] = i
	}
	return i
}

// putText adds a text to a table unless it is plain.
func (t *texts) putText(table uint16, v uint32, text []byte) {
	var room [plainMax]byte
	tab := &t.tables[table]
	if _, ok := t.plain[table].putPlain(room[:], v); ok || tab.findText(v) != nil {
		return
	}
	if 2*int(tab.num) >= len(tab.cells) {
		tab.grow(2 * len(tab.cells))
	}
	c := t.cell(text)
	c.v = v
	tab.insert(c)
	t.cells++
}

// cell returns a cell with a text.
func (t *texts) cell(text []byte) (c cell) {
	if len(text) > maxCell {
		binary.LittleEndian.PutUint32(c.text[:], uint32(len(t.long)))
		t.long = append(t.long, string(text))
		c.n = cellLong
		return c
	}
	copy(c.text[:], text)
	c.n = uint8(len(text) + 1)
	return c
}

// grow resizes a table to n cells, a power of two.
func (t *table) grow(n int) {
	old := t.cells
	t.num = 0
	t.cells, t.shift = make([]cell, n), uint8(33-bits.Len(uint(n)))
	for i := range old {
		if old[i].n != 0 {
			t.insert(old[i])
		}
	}
}

// insert adds a cell whose value is not in the table.
func (t *table) insert(c cell) {
	i := hash(c.v) >> (t.shift & 31)
	for t.cells[i&uint32(len(t.cells)-1)].n != 0 {
		i++
	}
	t.cells[i&uint32(len(t.cells)-1)] = c
	t.num++
}

// newShape returns a shape that compares the bits that do not belong to any
// piece of an instruction's text.
func newShape(in *isa.Inst, pieces []piece) (s shape) {
	s.size, s.enc = in.Size, in.Enc
	for i := range in.Size / 4 {
		s.mask[i] = ^uint32(0)
	}
	for i := range pieces {
		for _, f := range pieces[i].fields() {
			s.mask[f.Shift>>5] &^= (1<<f.Width - 1) << (f.Shift & 31)
		}
	}
	for i := range s.mask {
		s.val[i] = in.Words[i] & s.mask[i]
	}
	return s
}

// addSteps sets the text of a shape from an instruction's text, which begins at
// start. It returns false if no space is left.
func (t *texts) addSteps(s *shape, in *isa.Inst, text []byte, start int) bool {
	pieces := t.rec.pieces
	s.num, s.more = uint8(len(pieces)), uint32(len(t.steps))
	s.head, s.tail = t.cell(text[start:pieces[0].start]), t.lead(text[pieces[len(pieces)-1].end:])
	for i := range pieces {
		p := &pieces[i]
		st := step{table: p.table, first: newBitField(p.places[0])}
		if i > 0 {
			st.lead = t.lead(text[pieces[i-1].end:p.start])
		}
		var ok bool
		if st.others, ok = t.otherFields(p); !ok {
			t.steps = t.steps[:s.more]
			return false
		}
		st.quick = t.quickOf(p, st.lead)
		if i < len(s.steps) {
			s.steps[i] = st
		} else {
			t.steps = append(t.steps, st)
		}
	}
	t.setQuiet(s, in)
	return true
}

// quickOf returns the index of the quick table for a piece after a lead, or 0
// if the piece has too many values.
func (t *texts) quickOf(p *piece, lead uint16) uint16 {
	if p.places[0].Width > quickBits {
		return 0
	}
	k := quickKey{plain: p.key.plain, lead: lead, width: p.key.width}
	if !k.plain.any() {
		k.table = p.table
	}
	i, ok := t.quickAt[k]
	if !ok && len(t.quick) < maxQuicks {
		i = uint16(len(t.quick))
		t.quick = append(t.quick, make([]quickCell, 1<<min(p.key.width, quickBits)))
		t.quickAt[k] = i
	}
	return i
}

// lead returns the index of a text in t.leads, to which it adds the text if
// necessary.
func (t *texts) lead(text []byte) uint16 {
	i, ok := t.leadAt[string(text)]
	if !ok {
		i = uint16(len(t.leads))
		t.leads = append(t.leads, t.cell(text))
		t.leadAt[string(text)] = i
	}
	return i
}

// otherFields returns the index of a piece's further fields in t.others.
func (t *texts) otherFields(p *piece) (i uint8, ok bool) {
	var f otherFields
	at := p.places[0].Width
	for _, place := range p.places[1:p.num] {
		f.fields[f.num], f.at[f.num] = newBitField(place), at
		f.num++
		at += place.Width
	}
	n := slices.Index(t.others, f)
	if n < 0 {
		n = len(t.others)
		if n > 255 {
			return 0, false
		}
		t.others = append(t.others, f)
	}
	return uint8(n), true
}

// setQuiet finds the last steps with no text in an instruction and whose fields
// are 0.
func (t *texts) setQuiet(s *shape, in *isa.Inst) {
	s.quiet = s.num
	for i := int(s.num) - 1; i > 0; i-- {
		p := &t.rec.pieces[i]
		if p.start != p.end || t.stepAt(s, i).lead != 0 || p.index(in) != 0 {
			return
		}
		s.quiet = uint8(i)
		for _, f := range p.fields() {
			s.quietMask[f.Shift>>5] |= (1<<f.Width - 1) << (f.Shift & 31)
		}
	}
}

// alike returns the number of shapes with the hash of an instruction.
func (t *texts) alike(g *group, words *dwords) (n int) {
	if g.num == 0 {
		return 0
	}
	for i := g.slots[g.slot(words[0], words[1])]; i != 0; i = t.shapes[i].next {
		n++
	}
	return n
}

// findShape returns the shape of the group that equals another one, or nil.
func (t *texts) findShape(g *group, s *shape) *shape {
	if g.num == 0 {
		return nil
	}
	for i := g.slots[g.slot(s.val[0], s.val[1])]; i != 0; i = t.shapes[i].next {
		if x := &t.shapes[i]; x.mask == s.mask && x.val == s.val && x.enc == s.enc {
			return x
		}
	}
	return nil
}

// addShape adds a shape to the group. If necessary, it enlarges the group or
// reduces the bits that it compares.
func (t *texts) addShape(g *group, i uint32) {
	s := &t.shapes[i]
	if m := [2]uint32{g.mask[0] & s.mask[0], g.mask[1] & s.mask[1]}; m != g.mask || g.num >= len(g.slots) {
		n := max(4, len(g.slots))
		if g.num >= n {
			n *= 2
		}
		old := g.slots
		g.mask, g.slots, g.shift = m, make([]uint32, n), uint8(33-bits.Len(uint(n)))
		for _, k := range old {
			for k != 0 {
				next := t.shapes[k].next
				t.insert(g, k)
				k = next
			}
		}
	}
	g.num++
	t.insert(g, i)
}

// insert adds a shape to its list.
func (t *texts) insert(g *group, i uint32) {
	s := &t.shapes[i]
	at := &g.slots[g.slot(s.val[0], s.val[1])]
	for *at != 0 && t.shapes[*at].compared() >= s.compared() {
		at = &t.shapes[*at].next
	}
	s.next, *at = *at, i
}

// compared returns the number of bits that a shape compares.
func (s *shape) compared() (n int) {
	for _, m := range s.mask {
		n += bits.OnesCount32(m)
	}
	return n
}
