// Package clrx writes GCN 1.0 to 1.4 instructions and AMD Catalyst binaries in
// the syntax of the CLRX assembler.
//
// The text assembles back to the same bytes: words that are no instruction, or
// have bits set that the syntax cannot express, become .int.
package clrx

import (
	"encoding/binary"
	"fmt"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Printer writes instructions of one architecture. It is safe for concurrent
// use.
type Printer struct {
	arch  clrxsyntax.Arch
	table *clrxsyntax.Table
	pad   int // column of the operands; 0: one blank after the mnemonic
	place *[isa.VOP3INTERP + 1]clrxsyntax.Places

	tops    [512]uint8 // index of a decode by the top nine bits of the first dword
	decodes []decode
	likely  [512][2]uint8 // sizes in bytes by the top nine bits, and whether source 0 has a dword
	scalars [256]cell     // scalar operands of one dword
	pairs   [256]cell     // of two dwords
	text    *numbers
	at      [isa.VOP3INTERP + 1]*places
	sext    *places // of the SDWA dword
	dpp     *places // of the DPP dword
	lanes   [0x200]string
	formats [128]string
	targets [64]string
}

// decode leads from the top bits of the first dword to an entry.
type decode struct {
	entries  []entry
	patterns []*pattern // by the same index
	op       isa.Place
	seg      isa.Place // FLAT: the segment, whose value is in the upper bits of the index
	dwords   int
}

// entry is an instruction in one form.
type entry struct {
	row    *clrxsyntax.Row
	mask   uint64 // bits that no part of the text shows
	val    uint64 // their values
	at     *places
	name   [nameSize]byte // mnemonic and the blanks after it
	length uint8          // of the name
	kind   kind
}

// nameSize is the size of the longest mnemonic and the blank after it:
// tbuffer_store_format_d16_xyzw has 29 bytes.
const nameSize = 30

// inst is an instruction that is being printed.
type inst struct {
	w     uint64 // the first two dwords
	next  uint32 // the dword after the native words
	has   bool   // there is such a dword
	more  bool   // the instruction has that dword
	label func(dst []byte, distance int) []byte
	*entry
}

// bits reads a field.
func (x *inst) bits(p isa.Place) uint32 { return uint32(x.w>>p.Shift) & (1<<p.Width - 1) }

var printers [4][2]lazy.Value[*Printer]

// NewPrinter returns the printer of an architecture. With aligned, operands
// begin in column 16 if the mnemonic leaves room. GCN 1.5 is an error.
func NewPrinter(a catalyst.Arch, aligned bool) (*Printer, error) {
	arch, ok := clrxsyntax.ArchOf(a)
	if !ok {
		return nil, fmt.Errorf("clrx: no instructions of %v", a)
	}
	i := 0
	if aligned {
		i = 1
	}
	return printers[arch][i].From(func() *Printer { return newPrinter(arch, 16*i) }), nil
}

func newPrinter(a clrxsyntax.Arch, pad int) *Printer {
	t := clrxsyntax.TableOf(a)
	p := &Printer{arch: a, table: t, pad: pad, place: &t.Place}
	p.text = numberTexts.Get()
	p.names()
	p.sext, p.dpp = newPlaces(&t.Place[isa.SDWAWORD]), newPlaces(&t.Place[isa.DPP16])
	p.decodes = []decode{{dwords: 1}}
	for i := range p.likely {
		p.likely[i] = [2]uint8{4, 4}
	}
	set := &patternSet{p: p, t: p.newTables(), known: map[patternKey]*pattern{}, weights: map[*cell][]weight{}}
	for _, f := range [...]isa.Form{
		isa.SOP2, isa.SOPK, isa.SOP1, isa.SOPC, isa.SOPP, isa.SMRD, isa.SMEM, isa.VOP2, isa.VOP1, isa.VOPC, isa.VOP3,
		isa.VOP3P, isa.VINTRP, isa.DS, isa.FLAT, isa.MUBUF, isa.MTBUF, isa.MIMG, isa.EXP,
	} {
		p.addForm(f, set)
	}
	return p
}

// Inst appends the text of the instruction at the start of src and returns its
// size in bytes. The text of a branch holds the distance to its target. src must
// not be empty; its last bytes become .byte if they are no dword.
func (p *Printer) Inst(dst, src []byte) (text []byte, size int) {
	dst, n, _ := p.inst(dst, src, nil)
	return dst, n
}

// inst appends an instruction and reports whether it is one. label appends a
// branch target by its distance from the instruction.
func (p *Printer) inst(dst, src []byte, label func(dst []byte, distance int) []byte) (text []byte, size int, ok bool) {
	if len(src) >= 12 {
		dst = withRoom(dst)
		w := binary.LittleEndian.Uint64(src)
		d := &p.decodes[p.tops[uint32(w)>>23]]
		if t := d.patternOf(w); t != nil && !t.textless {
			if out, sum := t.append(dst, &d.entries[d.code(w)], w); sum&(t.refused|literals) == 0 {
				return out, t.size, true
			}
		}
	}
	return p.operandwise(dst, src, label)
}

// size returns the size of the instruction at the start of src, and a size that
// is known sooner and likely the same. size is 0 if only printing the instruction
// shows it.
func (p *Printer) size(src []byte) (size, likely int) {
	if len(src) < 12 {
		return 0, -1
	}
	w := binary.LittleEndian.Uint64(src)
	top := uint32(w) >> 23
	likely = int(p.likely[top][(248-uint32(uint8(w)))>>31])
	if t := p.decodes[p.tops[top]].patternOf(w); t != nil {
		return t.sizeOf(w), likely
	}
	return 0, likely
}

// code returns the index of an instruction.
func (d *decode) code(w uint64) uint32 {
	return uint32(w>>(d.op.Shift&63))&(1<<d.op.Width-1) | uint32(w>>(d.seg.Shift&63))&(1<<d.seg.Width-1)<<d.op.Width
}

// entryOf returns the entry of an instruction by its two dwords, nil for words
// that are none, and the number of its dwords without a literal.
func (p *Printer) entryOf(w uint64) (e *entry, dwords int) {
	d := &p.decodes[p.tops[uint32(w)>>23]]
	if code := d.code(w); code < uint32(len(d.entries)) {
		if e = &d.entries[code]; e.row != nil && w&e.mask == e.val {
			return e, d.dwords
		}
	}
	return nil, d.dwords
}

// operandwise appends an instruction operand by operand.
func (p *Printer) operandwise(dst, src []byte, label func(dst []byte, distance int) []byte) (text []byte, size int, ok bool) {
	dst = withRoom(dst)
	if len(src) < 4 {
		dst, size = p.tail(dst, src)
		return dst, size, false
	}
	var x inst
	x.load(src)
	e, dwords := p.entryOf(x.w)
	size = 4 * dwords
	if e == nil || len(src) < size {
		return p.word(dst, uint32(x.w)), 4, false
	}
	if dwords == 1 {
		x.next, x.has = uint32(x.w>>32), len(src) >= 8
	} else if len(src) >= 12 {
		x.next, x.has = binary.LittleEndian.Uint32(src[8:]), true
	}
	x.entry, x.label = e, label
	if out, ok := p.operands(append(dst, e.name[:e.length]...), &x); ok {
		if x.more {
			size += 4
		}
		return out, size, true
	}
	return p.word(dst, uint32(x.w)), 4, false
}

// load reads the dwords of a short source.
func (x *inst) load(src []byte) {
	x.w = uint64(binary.LittleEndian.Uint32(src))
	if len(src) >= 8 {
		x.w |= uint64(binary.LittleEndian.Uint32(src[4:])) << 32
	}
}

// word appends a dword that is no instruction.
func (p *Printer) word(dst []byte, w uint32) []byte {
	dst = p.pseudo(dst, ".int")
	return appendHex8(dst, w)
}

// tail appends the last bytes of a source.
func (p *Printer) tail(dst, src []byte) ([]byte, int) {
	dst = p.pseudo(dst, ".byte")
	for i, b := range src {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = appendHex(dst, uint64(b))
	}
	return dst, len(src)
}

// pseudo appends a pseudo-operation and the blanks after it.
func (p *Printer) pseudo(dst []byte, name string) []byte {
	return append(dst, p.padded(name)...)
}

// padded returns a mnemonic with the blanks after it.
func (p *Printer) padded(name string) string {
	const blanks = "                "
	return name + blanks[:max(p.pad-len(name), 1)]
}

// names fills the lists of names.
func (p *Printer) names() {
	a := p.arch
	for i := range a.NumSGPRs() {
		p.scalars[i] = newCell("s" + small(i))
	}
	for i := 0; i+1 < a.NumSGPRs(); i++ {
		if i&1 == 0 { // CLRX refuses others
			p.pairs[i] = newCell("s[" + small(i) + ":" + small(i+1) + "]")
		}
	}
	first, count := a.TTMPs()
	for i := range count {
		p.scalars[first+i] = newCell("ttmp" + small(i))
		if i+1 < count {
			p.pairs[first+i] = newCell("ttmp[" + small(i) + ":" + small(i+1) + "]")
		}
	}
	a.Specials(func(s *clrxsyntax.Special) {
		if s.Dwords == 2 {
			p.pairs[s.Num] = newCell(s.Name)
		} else {
			p.scalars[s.Num] = newCell(s.Name)
		}
	})
	p.pairs[clrxsyntax.SrcM0] = p.scalars[clrxsyntax.SrcM0] // accepted for any size
	both := func(i int, name string) {
		p.scalars[i] = newCell(name)
		p.pairs[i] = p.scalars[i]
	}
	a.Sources(func(s *clrxsyntax.Special) {
		if p.scalars[s.Num].n == 0 {
			both(s.Num, s.Name)
		}
	})
	for i := clrxsyntax.SrcInt; i < clrxsyntax.SrcIntEnd; i++ {
		if i <= clrxsyntax.SrcIntMax {
			both(i, small(i-clrxsyntax.SrcInt))
		} else {
			both(i, "-"+small(i-clrxsyntax.SrcIntMax))
		}
	}
	for i, f := range clrxsyntax.Floats {
		if i < 8 || a >= clrxsyntax.GCN12 {
			both(clrxsyntax.SrcFloat+i, f)
		}
	}
	p.modifierNames()
}

// modifierNames fills the lists of names of modifiers.
func (p *Printer) modifierNames() {
	for i := range p.lanes {
		if i < 256 {
			p.lanes[i] = " quad_perm:[" + small(i&3) + "," + small(i>>2&3) + "," + small(i>>4&3) + "," + small(i>>6&3) + "]"
		} else if s := clrxsyntax.LaneText(i); s != "" {
			p.lanes[i] = " " + s
		}
	}
	for i := range p.formats {
		d := clrxsyntax.DataFormats.Name(p.arch, i&15)
		n := clrxsyntax.NumFormats.Name(p.arch, i>>4)
		switch {
		case d == "":
			p.formats[i] = "?"
		case i == clrxsyntax.DefaultDataFormat:
		case i>>4 == 0:
			p.formats[i] = " format:[" + d + "]"
		case i&15 == clrxsyntax.DefaultDataFormat:
			p.formats[i] = " format:[" + n + "]"
		default:
			p.formats[i] = " format:[" + d + "," + n + "]"
		}
	}
	for i := range p.targets {
		p.targets[i] = clrxsyntax.TargetName(i)
	}
}
