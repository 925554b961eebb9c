package clrx

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// tables are the texts of operands and modifiers for patterns.
type tables struct {
	sources    []cell            // of one dword by number, and above it minus and abs()
	wide       []cell            // of two dwords by number
	masks      []cell            // lane masks by number
	groups     map[uint32][]cell // SGPRs by number, by their count
	vgprs      []cell            // by number, and above it their count - 1
	extended   []cell            // VGPRs by number, and above it sext(), minus and abs()
	products   []cell            // output modifiers, and above them clamp
	lanes      []cell            // DPP controls
	banks      []cell            // bank_mask
	rows       []cell            // row_mask
	offsets    [2][]cell         // offset0 and offset1
	selections [3][]cell         // dst_sel, src0_sel and src1_sel
	unused     []cell            // dst_unused
	formats    []cell            // of MTBUF
	modes      []cell            // offen and idxen; both need two registers
	components []cell            // dmask of an image
	targets    []cell            // of exports
	exports    []cell            // VGPRs by number, and above it whether they are enabled
	flags      map[string][]cell // by their names
	vcc        []cell
	vop3, sdwa cell
}

// listOf returns n cells with the texts that a function appends. Those for which
// it returns false are refused.
func listOf(n int, text func(dst []byte, i uint32) ([]byte, bool)) []cell {
	list := make([]cell, n)
	var buf [room]byte
	for i := range list {
		s, ok := text(buf[:0], uint32(i))
		if !ok || len(s) > maxCell {
			list[i].weight = weighRefused
			continue
		}
		list[i] = newCell(string(s))
	}
	return list
}

// newTables returns the tables of a printer.
func (p *Printer) newTables() *tables {
	a := p.arch
	t := &tables{vgprs: p.text.vgprs[:], flags: map[string][]cell{}, vcc: []cell{newCell("vcc")}, vop3: newCell(" vop3"), sdwa: newCell(" sdwa")}
	t.sources = listOf(1<<11, func(dst []byte, i uint32) ([]byte, bool) {
		num, mods := i&511, i>>9
		if isNumber(num) && mods != 0 || num == clrxsyntax.SrcLiteral {
			return dst, mods == 0
		}
		dst, ok := p.longSource(modified(dst, mods&1 != 0, mods&2 != 0, false), num, 1)
		return modifiedEnd(dst, mods&2 != 0, false), ok
	})
	t.wide = listOf(1<<9, func(dst []byte, i uint32) ([]byte, bool) {
		if i == clrxsyntax.SrcLiteral {
			return dst, true
		}
		return p.longSource(dst, i, 2)
	})
	for i := range t.sources {
		t.sources[i].weight += weighSource(uint32(i) & 511)
		if i>>9 != 0 {
			t.sources[i].weight += weighMark
		}
	}
	for i := range t.wide {
		t.wide[i].weight += weighSource(uint32(i))
	}
	t.masks = listOf(1<<9, func(dst []byte, i uint32) ([]byte, bool) {
		if i >= clrxsyntax.SrcInt {
			return dst, false
		}
		return p.vsreg(dst, i, 2)
	})
	for i := range t.masks {
		if i != clrxsyntax.SrcVCC {
			t.masks[i].weight += weighMark
		}
	}
	t.groups = map[uint32][]cell{1: t.sources[:1<<8]}
	for n := uint32(2); n <= 16; n *= 2 {
		t.groups[n] = listOf(1<<8, func(dst []byte, i uint32) ([]byte, bool) {
			if i == clrxsyntax.SrcLiteral {
				return dst, n == 2
			}
			return p.sreg(dst, i, n)
		})
		t.groups[n][clrxsyntax.SrcLiteral].weight += weighLiteral
	}
	t.products = listOf(1<<3, func(dst []byte, i uint32) ([]byte, bool) {
		if dst = multiplied(dst, i&3); i>>2 != 0 {
			dst = append(dst, " clamp"...)
		}
		return dst, true
	})
	for i := 1; i < len(t.products); i++ {
		t.products[i].weight = weighMark
	}
	t.formats = listOf(len(p.formats), func(dst []byte, i uint32) ([]byte, bool) {
		return append(dst, p.formats[i]...), p.formats[i] != "?"
	})
	t.modes = listOf(1<<2, func(dst []byte, i uint32) ([]byte, bool) {
		return append(dst, [...]string{"", " offen", " idxen", ""}[i]...), i != 3
	})
	t.components = listOf(1<<4, func(dst []byte, i uint32) ([]byte, bool) {
		if i > 1 {
			dst = p.number(append(dst, " dmask:"...), i)
		}
		return dst, i != 0
	})
	t.targets = listOf(len(p.targets), func(dst []byte, i uint32) ([]byte, bool) {
		return append(dst, p.targets[i]...), p.targets[i] != ""
	})
	t.exports = listOf(1<<9, func(dst []byte, i uint32) ([]byte, bool) {
		if i>>8 != 0 {
			return p.vector(dst, i&255, 1)
		}
		return append(dst, "off"...), i == 0
	})
	for i := range t.offsets {
		t.offsets[i] = p.numbered(" offset"+small(i)+":", 256, true)
	}
	if a >= clrxsyntax.GCN12 {
		p.extraTables(t)
	}
	return t
}

// weighSource returns the weight of a source.
func weighSource(num uint32) (w weight) {
	if num < countedScalars {
		w += weighScalar
	}
	if num < clrxsyntax.SrcVGPR {
		w += weighShort
	}
	switch num {
	case clrxsyntax.SrcLiteral:
		w += weighLiteral
	case clrxsyntax.SrcLDS:
		w += weighLDS
	}
	return w
}

// extraTables fills the tables for SDWA and DPP.
func (p *Printer) extraTables(t *tables) {
	t.extended = listOf(1<<11, func(dst []byte, i uint32) ([]byte, bool) {
		sext, neg, abs := i>>8&1 != 0, i>>9&1 != 0, i>>10&1 != 0
		dst, ok := p.vector(modified(dst, neg, abs, sext), i&255, 1)
		return modifiedEnd(dst, abs, sext), ok
	})
	for i := range t.extended {
		if i>>8&1 != 0 {
			t.extended[i].weight += weighMark
		}
	}
	for i, name := range [...]string{" dst_sel:", " src0_sel:", " src1_sel:"} {
		t.selections[i] = p.chosen(name, clrxsyntax.Selections, 8, clrxsyntax.SelectDword)
	}
	t.unused = p.chosen(" dst_unused:", clrxsyntax.Unused, 4, 0)
	t.lanes = listOf(len(p.lanes), func(dst []byte, i uint32) ([]byte, bool) {
		return append(dst, p.lanes[i]...), p.lanes[i] != ""
	})
	t.banks = p.numbered(" bank_mask:", 16, false)
	t.rows = p.numbered(" row_mask:", 16, false)
}

// numbered returns cells with a name and a number. With hidden, 0 has no text.
func (p *Printer) numbered(name string, n int, hidden bool) []cell {
	return listOf(n, func(dst []byte, i uint32) ([]byte, bool) {
		if hidden && i == 0 {
			return dst, true
		}
		return p.number(append(dst, name...), i), true
	})
}

// chosen returns cells with a name and a choice, which marks a text. The choice
// without a text is absent.
func (p *Printer) chosen(name string, c clrxsyntax.Choices, n int, absent uint32) []cell {
	list := listOf(n, func(dst []byte, i uint32) ([]byte, bool) {
		if i == absent {
			return dst, true
		}
		s := c.Name(p.arch, int(i))
		return append(append(dst, name...), s...), s != ""
	})
	for i := range list {
		if uint32(i) != absent {
			list[i].weight += weighMark
		}
	}
	return list
}

// flag returns cells by the bits of modifiers with names.
func (t *tables) flag(names ...string) []cell {
	all := ""
	for _, s := range names {
		all += s
	}
	list := t.flags[all]
	if list == nil {
		list = listOf(1<<len(names), func(dst []byte, i uint32) ([]byte, bool) {
			for k, s := range names {
				if i>>k&1 != 0 {
					dst = append(dst, s...)
				}
			}
			return dst, true
		})
		t.flags[all] = list
	}
	return list
}

// maxParts is the largest number of parts before or after a number.
const maxParts = 10

// builder builds a pattern.
type builder struct {
	pattern
	p    *Printer
	t    *tables
	r    *clrxsyntax.Row
	at   *places
	ok   bool // there is a pattern
	last int  // index of the last operand, -1 at first
}

// gap is a field of the bits of a table's index that are zero.
func gap(width uint8) isa.Place { return isa.Place{Shift: 64, Width: width} }

// part adds a part. Its table must have a cell for all values of the fields,
// which make up the index from its lowest bit on.
func (b *builder) part(table []cell, weigh weight, fields ...isa.Place) {
	x := part{table: table, weigh: weigh}
	at, n, end := 0, -1, -1
	for _, f := range fields {
		mask := uint16(1<<f.Width-1) << at
		switch {
		case f.Width == 0 || f.Shift == 64:
		case int(f.Shift) == end: // continues the last field
			x.index.masks[n] |= mask
		default:
			n++
			x.index.rotate[n], x.index.masks[n] = uint8(at-int(f.Shift))&63, mask
		}
		end = int(f.Shift + f.Width)
		at += int(f.Width)
	}
	if b.number.kind == noNumber {
		b.parts = append(b.parts, x)
	} else {
		b.tail = append(b.tail, x)
	}
}

// operand adds an operand, with a comma before it if it is not the first.
func (b *builder) operand(table []cell, weigh weight, fields ...isa.Place) {
	b.comma()
	b.last = len(b.parts)
	b.part(table, weigh, fields...)
}

// comma puts a comma after the last operand.
func (b *builder) comma() {
	if b.last >= 0 {
		b.parts[b.last].sep = len(separator)
	}
}

// hex adds a number as an operand.
func (b *builder) hex(at isa.Place) {
	b.comma()
	b.number = number{hexNumber, at}
}

// flags adds modifiers with names.
func (b *builder) flags(names []string, fields ...isa.Place) {
	for i := range fields {
		fields[i] = orGap(fields[i], 1)
	}
	b.part(b.t.flag(names...), 0, fields...)
}

// orGap returns a field, or a gap for one that does not exist.
func orGap(f isa.Place, width uint8) isa.Place {
	if f.Width == 0 {
		return gap(width)
	}
	return f
}

// zero requires that fields are zero.
func (b *builder) zero(fields ...isa.Place) {
	for _, f := range fields {
		b.mask |= field(f)
	}
}

// vgprs adds n VGPRs, one more if a bit is set.
func (b *builder) vgprs(n uint8, at isa.Place, more ...isa.Place) {
	if n == 0 || int(n)+len(more) > vgprCounts {
		b.ok = false
		return
	}
	b.operand(b.t.vgprs[int(n-1)<<8:], refusals, append([]isa.Place{at}, more...)...)
}

// sgprs adds a scalar operand of n dwords.
func (b *builder) sgprs(n uint8, at isa.Place) {
	b.operand(b.t.groups[uint32(n)], refusals|literals, at)
}

// address adds SGPRs whose number is a field without its lowest bits, which are
// zero.
func (b *builder) address(count uint8, low uint8, at isa.Place) {
	table := b.t.groups[uint32(count)]
	b.ok = b.ok && count > 1 && table != nil
	b.operand(table, refusals|literals, gap(low), at)
}

// patternKey is what the pattern of an instruction depends on.
type patternKey struct {
	form      isa.Form
	kind      kind
	at        *places
	mask, val uint64 // bits that no part of the text shows, without the opcode
	dst       uint8
	src       [3]uint8
	addr      uint8
	flags     clrxsyntax.Flags
	imm       clrxsyntax.Imm
	forced    bool
}

// firstExtra is the source that the first extra dword has.
const firstExtra = clrxsyntax.SrcSDWA

// patternSet holds the patterns while a printer is made.
type patternSet struct {
	p       *Printer
	t       *tables
	known   map[patternKey]*pattern
	weights map[*cell][]weight // of tables, by their first cells
	scratch [maxParts]part     // for the parts of a pattern
}

// of returns the pattern of an entry, which instructions of the same kind share,
// or nil. opcode has the bits by which the entry was found.
func (s *patternSet) of(e *entry, opcode uint64, dwords int) *pattern {
	r := e.row
	key := patternKey{
		r.Form, e.kind, e.at, e.mask &^ opcode, e.val &^ opcode, r.Dst, r.Src, r.Addr, r.Flags, r.Imm, r.Code3 == clrxsyntax.NoCode,
	}
	t, ok := s.known[key]
	if ok {
		return t
	}
	t = s.buildPattern(e, &key, 4*dwords, patternsOf[e.kind])
	if e.kind == kindShort && s.p.arch >= clrxsyntax.GCN12 && !r.Flags.Has(clrxsyntax.NoSdwa) && narrow(r) && r.Src[0] != 0 {
		t.extra = [2]*pattern{s.buildPattern(e, &key, 8, (*builder).sdwa), s.buildPattern(e, &key, 8, (*builder).dpp)}
	}
	s.known[key] = t
	return t
}

// buildPattern returns the pattern that a function builds, nil if there is none.
func (s *patternSet) buildPattern(e *entry, key *patternKey, size int, build func(*builder)) *pattern {
	if build == nil {
		return nil
	}
	b := builder{p: s.p, t: s.t, r: e.row, at: e.at, ok: true, last: -1}
	b.mask, b.val, b.refused, b.size = key.mask, key.val, unusual, size
	b.parts = s.scratch[:0]
	build(&b)
	if !b.ok {
		return nil
	}
	b.parts = slices.Clone(b.parts)
	b.checks = s.checks(slices.Concat(b.parts, b.tail))
	return &b.pattern
}

// checks returns the checks of parts that may have weights.
func (s *patternSet) checks(parts []part) (list []check) {
	for i := range parts {
		x := &parts[i]
		weights := s.weightsOf(x.table)
		all := weight(0)
		for _, w := range weights[:int(x.index.masks[0]|x.index.masks[1]|x.index.masks[2])+1] {
			all |= w
		}
		if weigh := all & x.weigh &^ marks &^ shorts; weigh != 0 {
			list = append(list, check{weights, x.index, weigh})
		}
	}
	return list
}

// weightsOf returns the weights of a table.
func (s *patternSet) weightsOf(table []cell) []weight {
	list := s.weights[&table[0]]
	if len(list) < len(table) {
		list = make([]weight, len(table))
		for i := range table {
			list[i] = table[i].weight
		}
		s.weights[&table[0]] = list
	}
	return list
}

// patternsOf lists the functions that build patterns.
var patternsOf = [...]func(*builder){
	kindScalar: (*builder).scalar,
	kindSOPK:   (*builder).sopk,
	kindSOPP:   (*builder).sopp,
	kindSMRD:   (*builder).scalarMemory,
	kindSMEM:   (*builder).scalarMemory,
	kindShort:  (*builder).short,
	kindLong:   (*builder).long,
	kindDS:     (*builder).ds,
	kindFlat:   (*builder).flat,
	kindBuffer: (*builder).buffer,
	kindImage:  (*builder).image,
	kindExport: (*builder).export,
}

func (b *builder) scalar() {
	b.refused &^= literals
	if b.r.Dst != 0 {
		b.sgprs(b.r.Dst, b.at.sdst)
	}
	for i, f := range [...]isa.Place{b.at.src0, b.at.src1} {
		if b.r.Src[i] != 0 {
			b.sgprs(b.r.Src[i], f)
		}
	}
	b.ok = b.ok && !b.r.Flags.Has(clrxsyntax.IndexMode)
}

func (b *builder) sopk() {
	switch b.r.Imm {
	case clrxsyntax.ImmNumber:
		b.sgprs(b.r.Dst, b.at.sdst)
		b.hex(b.at.simm16)
	case clrxsyntax.ImmHwreg, clrxsyntax.ImmHwregSrc:
		b.textless = true
		b.sgprs(b.r.Dst, b.at.sdst)
	case clrxsyntax.ImmHwreg32:
		b.textless, b.size = true, 8
	default:
		b.ok = false
	}
}

func (b *builder) sopp() {
	switch b.r.Imm {
	case clrxsyntax.ImmNumber:
		b.hex(b.at.simm16)
	case clrxsyntax.ImmNone:
	case clrxsyntax.ImmWait:
		b.textless = true
		b.mask |= uint64(^usedCounters(b.p.arch)&0xffff) << b.at.simm16.Shift
	default:
		b.ok = false
	}
}

// scalarMemory is for SMRD and SMEM with an offset that is a number.
func (b *builder) scalarMemory() {
	r, at := b.r, b.at
	if r.Flags.Has(clrxsyntax.NoOperands) {
		return
	}
	b.ok = !r.Flags.Has(clrxsyntax.Probe)
	if r.Dst != 0 {
		b.sgprs(r.Dst, at.sdst)
	}
	if r.Addr == 0 {
		return
	}
	b.address(r.Addr, 1, at.sbase)
	b.zero(at.soffset, at.soffsetEn, at.imm)
	b.val |= field(at.imm)
	b.hex(at.offset)
	b.flags([]string{" glc", " nv"}, at.glc, at.nv)
}

// shortResult adds the results of a short form.
func (b *builder) shortResult() {
	r := b.r
	switch {
	case r.Form == isa.VOPC:
		b.operand(b.t.vcc, 0)
	case r.Flags.Has(clrxsyntax.ScalarDst):
		b.ok = false
	default:
		b.vgprs(r.Dst, b.at.vdst)
	}
	if r.Flags.Has(clrxsyntax.CarryOut) {
		b.operand(b.t.vcc, 0)
	}
}

// carryIn adds the carry of a short form.
func (b *builder) carryIn() {
	if b.r.Flags.Has(clrxsyntax.CarryIn) {
		b.operand(b.t.vcc, 0)
	}
}

func (b *builder) short() {
	r := b.r
	b.refused &^= literals
	if r.Dst == 0 && r.Src[0] == 0 {
		return
	}
	b.shortResult()
	table := b.t.sources
	if r.Src[0] == 2 {
		table = b.t.wide
	}
	b.operand(table, refusals|literals, b.at.src0)
	if r.Src[1] != 0 {
		b.ok = b.ok && !r.Flags.Has(clrxsyntax.LaneSelect|clrxsyntax.MulConst|clrxsyntax.AddConst)
		b.vgprs(r.Src[1], b.at.src1)
		b.carryIn()
	}
}

// second returns the place of a field of an extra dword in both dwords.
func second(p isa.Place) isa.Place { return isa.Place{Shift: p.Shift + 32, Width: p.Width} }

// only requires that the bits of the second dword outside of a mask are zero.
func (b *builder) only(mask uint32) { b.mask |= uint64(^mask) << 32 }

func (b *builder) sdwa() {
	r, at := b.r, b.p.sext
	b.ok = r.Form != isa.VOPC || b.p.arch != clrxsyntax.GCN14
	b.only(b.p.sdwaBits(r, false) &^ uint32(field(at.src0S)|field(at.src1S)))
	b.shortResult()
	b.operand(b.t.extended, refusals|marks, second(at.src0), second(at.src0Sext), second(at.src0Neg), second(at.src0Abs))
	if r.Src[1] != 0 {
		b.operand(b.t.extended, refusals|marks, b.at.src1, second(at.src1Sext), second(at.src1Neg), second(at.src1Abs))
	}
	b.carryIn()
	b.part(b.t.products, 0, orGap(second(at.omod), 2), second(at.clamp))
	b.part(b.t.selections[0], refusals|marks, second(at.dstSel))
	b.part(b.t.unused, refusals|marks, second(at.dstUnused))
	b.part(b.t.selections[1], refusals|marks, second(at.src0Sel))
	if r.Src[1] != 0 {
		b.part(b.t.selections[2], refusals|marks, second(at.src1Sel))
	}
	b.lonely = &b.t.sdwa
}

func (b *builder) dpp() {
	r, at := b.r, b.p.dpp
	mask := fields(at.src0, at.dppCtrl, at.boundCtrl, at.bankMask, at.rowMask, at.src0Neg, at.src0Abs)
	b.shortResult()
	b.operand(b.t.extended, refusals, second(at.src0), gap(1), second(at.src0Neg), second(at.src0Abs))
	if r.Src[1] != 0 {
		mask |= fields(at.src1Neg, at.src1Abs)
		b.operand(b.t.extended, refusals, b.at.src1, gap(1), second(at.src1Neg), second(at.src1Abs))
	}
	b.carryIn()
	b.only(uint32(mask))
	b.part(b.t.lanes, refusals, second(at.dppCtrl))
	b.flags([]string{" bound_ctrl"}, second(at.boundCtrl))
	b.part(b.t.banks, 0, second(at.bankMask))
	b.part(b.t.rows, 0, second(at.rowMask))
}

func (b *builder) long() {
	r, at := b.r, b.at
	carry := r.Flags.Has(clrxsyntax.CarryOut)
	switch {
	case r.Form == isa.VOPC || r.Flags.Has(clrxsyntax.MaskDst):
		b.operand(b.t.masks, refusals|marks, at.vdst)
	case r.Flags.Has(clrxsyntax.ScalarDst):
		b.ok = false
	default:
		b.vgprs(r.Dst, at.vdst)
	}
	abs := at.abs
	if carry {
		b.operand(b.t.masks, refusals|marks, at.sdst)
		abs = isa.Place{}
	} else if b.p.arch == clrxsyntax.GCN14 {
		b.zero(at.opSel)
	}
	b.longSources(abs)
	if r.Flags.Has(clrxsyntax.CarryIn) {
		b.operand(b.t.masks, refusals|marks, at.src2)
	}
	clamp := at.clamp
	if carry && b.p.arch < clrxsyntax.GCN12 {
		clamp = isa.Place{}
	}
	b.part(b.t.products, marks, at.omod, clamp)
	if r.Code3 != clrxsyntax.NoCode || r.Flags.Has(clrxsyntax.ShowLong) {
		b.lonely = &b.t.vop3
	}
}

// longSources adds the sources of VOP3 with their modifiers. One of two dwords
// has none.
func (b *builder) longSources(abs isa.Place) {
	r, at := b.r, b.at
	b.ok = b.ok && !r.Flags.Has(clrxsyntax.LaneSelect) && !(r.Flags.Has(clrxsyntax.CarryIn) && r.Src[2] != 0)
	n := 0
	for i, f := range [...]isa.Place{at.src0, at.src1, at.src2} {
		if r.Src[i] == 0 {
			break
		}
		n++
		weigh := refusals | literals | marks | 3*weighScalar
		if i > 0 {
			weigh |= shorts
		}
		switch r.Src[i] {
		case 1:
			b.operand(b.t.sources, weigh, f, bit(at.neg, i), bit(abs, i))
		case 2:
			b.operand(b.t.wide, weigh, f)
			b.zero(bit(at.neg, i), bit(abs, i))
		default:
			b.ok = false
		}
	}
	for i := n; i < 3; i++ {
		b.zero(bit(at.neg, i), bit(abs, i))
	}
}

// bit returns the place of a bit of a field, of width 0 if the field has no such
// bit.
func bit(p isa.Place, i int) isa.Place {
	if i >= int(p.Width) {
		return isa.Place{}
	}
	return isa.Place{Shift: p.Shift + uint8(i), Width: 1}
}

func (b *builder) ds() {
	r, at := b.r, b.at
	if r.Dst != 0 {
		b.vgprs(r.Dst, at.vdst)
	}
	if r.Flags.Has(clrxsyntax.HasAddr) {
		b.vgprs(1, at.addr)
	}
	for i, f := range [...]isa.Place{at.data0, at.data1} {
		if r.Src[i] != 0 {
			b.vgprs(r.Src[i], f)
		}
	}
	if r.Flags.Has(clrxsyntax.TwoOffsets) {
		half := at.offset.Width / 2
		b.part(b.t.offsets[0], 0, isa.Place{Shift: at.offset.Shift, Width: half})
		b.part(b.t.offsets[1], 0, isa.Place{Shift: at.offset.Shift + half, Width: half})
	} else {
		b.number = number{offsetNumber, at.offset}
	}
	b.flags([]string{" gds"}, at.gds)
	if r.Flags.Has(clrxsyntax.GDSOnly) {
		b.zero(at.gds)
		b.val |= field(at.gds)
	}
}

func (b *builder) flat() {
	r, at := b.r, b.at
	b.ok = b.p.arch < clrxsyntax.GCN14 && r.Segment() == 0
	if r.Dst != 0 {
		b.vgprs(r.Dst, at.vdst, flatBit)
	}
	b.vgprs(2, at.vaddr)
	if r.Src[0] != 0 {
		b.vgprs(r.Src[0], at.vdata)
	}
	b.flags([]string{" glc", " slc"}, at.glc, at.slc)
	b.flags([]string{" tfe"}, flatBit)
}

func (b *builder) buffer() {
	r, at := b.r, b.at
	if r.Flags.Has(clrxsyntax.NoOperands) {
		return
	}
	b.ok = !r.Flags.Has(clrxsyntax.NoData)
	b.zero(at.addr64)
	b.vgprs(r.Dst, at.vdata, at.tfe)
	b.vgprs(1, at.vaddr)
	b.address(4, 2, at.srsrc)
	b.operand(b.t.sources, refusals|literals|weighLDS, at.soffset)
	b.part(b.t.modes, refusals, at.offen, at.idxen)
	b.number = number{offsetNumber, at.offset}
	b.flags([]string{" glc", " slc"}, at.glc, at.slc)
	b.flags([]string{" tfe"}, at.tfe)
	if r.Form == isa.MUBUF {
		b.flags([]string{" lds"}, at.lds)
	} else {
		b.part(b.t.formats, refusals, at.format)
	}
}

func (b *builder) image() {
	r, at := b.r, b.at
	b.counted = true
	b.zero(at.tfe, at.d16, at.r128, at.a16)
	count := isa.Place{Shift: countShift, Width: 2}
	if r.Flags.Has(clrxsyntax.Gather4) {
		b.operand(b.t.vgprs[3<<8:], refusals, at.vdata)
	} else {
		b.operand(b.t.vgprs, refusals, at.vdata, count)
	}
	b.vgprs(max(r.Addr, 4), at.vaddr)
	b.address(8, 2, at.srsrc)
	if r.Flags.Has(clrxsyntax.Sampler) {
		b.address(4, 2, at.ssamp)
	}
	b.part(b.t.components, refusals, at.dmask)
	b.flags([]string{" unorm", " glc", " slc"}, at.unorm, at.glc, at.slc)
	b.flags([]string{" lwe", " da"}, at.lwe, at.da)
	if r.Flags.Has(clrxsyntax.Store | clrxsyntax.Atomic) {
		b.zero(at.unorm)
		b.val |= field(at.unorm)
	}
}

func (b *builder) export() {
	at := b.at
	b.zero(at.compr)
	b.operand(b.t.targets, refusals, at.tgt)
	for i, f := range [...]isa.Place{at.src0, at.src1, at.src2, at.src3} {
		b.operand(b.t.exports, refusals, f, bit(at.en, i))
	}
	b.flags([]string{" done", " vm"}, at.done, at.vm)
}
