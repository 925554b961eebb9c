package asm

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/isa"
)

// modRow is a name of a modifier.
type modRow struct {
	name string
	id   asmmatch.Modifier
	arg  uint8 // for read
	no   bool  // may have the prefix "no"
	read func(d *dialect, r *modRow, start int) (int64, bool)
}

// modRows lists the names of modifiers, from isa's tables where they exist.
func modRows() []modRow {
	rows := []modRow{
		{"offset", asmmatch.ModOffset, 0, false, readOffset},
		{"inst_offset", asmmatch.ModOffset, 0, false, readInt},
		{"dim", asmmatch.ModDim, 0, false, readDim},
		{"format", asmmatch.ModFormat, 0, false, readFormat},
		{"dfmt", asmmatch.ModFormat, 0, false, readSplitFormat},
		{"nfmt", asmmatch.ModFormat, 1, false, readSplitFormat},
		{"mul", asmmatch.ModOMod, 0, false, readOMod},
		{"div", asmmatch.ModOMod, 0, false, readOMod},
		{"op_sel", asmmatch.ModOpSel, 0, false, readBits},
		{"op_sel_hi", asmmatch.ModOpSelHi, 0, false, readBits},
		{"neg_lo", asmmatch.ModNegLo, 0, false, readBits},
		{"neg_hi", asmmatch.ModNegHi, 0, false, readBits},
		{"neg", asmmatch.ModBLGP, 0, false, readNeg},
		{"quad_perm", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_shl", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_shr", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_ror", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"wave_shl", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"wave_rol", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"wave_shr", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"wave_ror", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_mirror", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_half_mirror", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_bcast", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_newbcast", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_share", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"row_xmask", asmmatch.ModDPPCtrl, 0, false, readDPPCtrl},
		{"dpp8", asmmatch.ModDPP8, 0, false, readDPP8},
		{"dst_sel", asmmatch.ModDstSel, 0, false, readSel},
		{"src0_sel", asmmatch.ModSrc0Sel, 0, false, readSel},
		{"src1_sel", asmmatch.ModSrc1Sel, 0, false, readSel},
		{"dst_unused", asmmatch.ModDstUnused, 0, false, readSel},
		{"th", asmmatch.ModCPol, 0, false, readTH},
		{"scope", asmmatch.ModCPol, 0, false, readScope},
	}
	for _, n := range []string{"glc", "slc", "dlc", "scc", "sc0", "sc1", "nt", "nv", "scale_offset"} {
		rows = append(rows, modRow{n, asmmatch.ModCPol, 0, true, readCPol})
	}
	for f, id := range flagMods {
		name := isa.Flag(f).String()
		_, clear, _ := isa.FlagByName([]byte("no" + name))
		rows = append(rows, modRow{name, id, 0, clear, readFlag})
	}
	for m, id := range numberMods {
		read := readNumber
		if isa.Modifier(m) == isa.ModBoundCtrl {
			read = readBoundCtrl
		}
		rows = append(rows, modRow{isa.Modifier(m).String(), id, uint8(m), false, read})
	}
	for m, id := range matrixMods {
		rows = append(rows, modRow{isa.MatrixModifier(m).String(), id, uint8(m), false, readMatrix})
	}
	return rows
}

// flagMods, numberMods and matrixMods list the modifiers of isa's tables.
var flagMods = [...]asmmatch.Modifier{
	isa.FlagOffen: asmmatch.ModOffen, isa.FlagIdxen: asmmatch.ModIdxen, isa.FlagAddr64: asmmatch.ModAddr64, isa.FlagLDS: asmmatch.ModLDS,
	isa.FlagTFE: asmmatch.ModTFE, isa.FlagLWE: asmmatch.ModLWE, isa.FlagD16: asmmatch.ModD16, isa.FlagUnorm: asmmatch.ModUnorm, isa.FlagDA: asmmatch.ModDA,
	isa.FlagR128: asmmatch.ModR128, isa.FlagA16: asmmatch.ModA16, isa.FlagGDS: asmmatch.ModGDS, isa.FlagClamp: asmmatch.ModClamp, isa.FlagHigh: asmmatch.ModHigh,
	isa.FlagCompr: asmmatch.ModCompr, isa.FlagVM: asmmatch.ModVM, isa.FlagDone: asmmatch.ModDone, isa.FlagRowEn: asmmatch.ModRowEn,
	isa.FlagMatrixAReuse: asmmatch.ModMatrixAReuse, isa.FlagMatrixBReuse: asmmatch.ModMatrixBReuse,
}

var numberMods = [...]asmmatch.Modifier{
	isa.ModDMask: asmmatch.ModDMask, isa.ModOffset0: asmmatch.ModOffset0, isa.ModOffset1: asmmatch.ModOffset1, isa.ModRowMask: asmmatch.ModRowMask,
	isa.ModBankMask: asmmatch.ModBankMask, isa.ModBoundCtrl: asmmatch.ModBoundCtrl, isa.ModFI: asmmatch.ModFI, isa.ModCBSZ: asmmatch.ModCBSZ,
	isa.ModABID: asmmatch.ModABID, isa.ModBLGP: asmmatch.ModBLGP, isa.ModIndexKey: asmmatch.ModIndexKey, isa.ModWaitVDst: asmmatch.ModWaitVDst,
	isa.ModWaitVAVDst: asmmatch.ModWaitVAVDst, isa.ModWaitVMVSrc: asmmatch.ModWaitVMVSrc, isa.ModWaitExp: asmmatch.ModWaitExp,
	isa.ModByteSel: asmmatch.ModByteSel, isa.ModBitOp3: asmmatch.ModBitOp3, isa.ModScaleSel: asmmatch.ModScaleSel,
}

var matrixMods = [...]asmmatch.Modifier{
	isa.MatrixAFmt: asmmatch.ModMatrixAFmt, isa.MatrixBFmt: asmmatch.ModMatrixBFmt, isa.MatrixAScale: asmmatch.ModMatrixAScale,
	isa.MatrixBScale: asmmatch.ModMatrixBScale, isa.MatrixAScaleFmt: asmmatch.ModMatrixAScaleFmt, isa.MatrixBScaleFmt: asmmatch.ModMatrixBScaleFmt,
}

// modifier reads the modifier named Src[start:end], with the cursor after the
// name. done is false if the name is not a modifier here.
func (d *dialect) modifier(r *modRow, start, end int) (done, ok bool) {
	p := d.p
	s := &d.stmt
	if !d.takesModifier(r.id) {
		return false, true
	}
	if r.name == "scc" {
		if _, _, st := isa.CPolByName(d.set, s.Mnemonic.CPolKind, p.Src[start:end]); st != isa.Found {
			return false, true // the register
		}
	}
	clear := end-start == len(r.name)+2
	v, ok := r.read(d, r, start)
	if !ok {
		return true, false
	}
	b := r.id.Bit()
	if s.Mods.Seen&b != 0 && r.id != asmmatch.ModCPol && !(r.id == asmmatch.ModFormat && r.arg < 2) {
		p.Errorf(start, p.Pos, "duplicate %s modifier", r.name)
		return true, false
	}
	if s.Mods.Seen&b == 0 {
		s.Mods.Pos[r.id] = int32(start)
	}
	s.Mods.Seen |= b
	if clear {
		v = 0
	} else {
		s.Mods.On |= b
	}
	s.Mods.Val[r.id] = int32(v)
	return true, true
}

// takesModifier reports whether some encoding of the instruction accepts a
// modifier.
func (d *dialect) takesModifier(id asmmatch.Modifier) bool {
	s := &d.stmt
	return s.Mnemonic.Mods&id.Bit() != 0 || s.Second != nil && s.Second.Mods&id.Bit() != 0
}

// badModifier reports a word with a colon that is not a modifier of the
// instruction.
func (d *dialect) badModifier(start, end int) bool {
	name := d.p.Src[start:end]
	if d.words.modifier(name) != nil {
		d.p.Errorf(start, end, "not a valid operand: %s does not accept modifier %s on %s",
			d.mnemonicText(), name, d.target.Processor.Name)
	} else {
		d.p.Errorf(start, end, "not a valid operand: unknown modifier %s", printable(name))
	}
	return false
}

// colon reads the colon after a modifier's name.
func (d *dialect) colon() bool { return d.close(':', "expected a colon") }

func readFlag(_ *dialect, _ *modRow, _ int) (int64, bool) { return 1, true }

func readInt(d *dialect, _ *modRow, _ int) (int64, bool) {
	if !d.colon() {
		return 0, false
	}
	v, ok := d.quickInt()
	if ok {
		return v, true
	}
	v, ok = d.abs("")
	if v != int64(int32(v)) {
		v = math.MinInt32 // out of range of every modifier
	}
	return v, ok
}

// quickInt reads a plain number with up to 8 digits that ends at a blank, a
// comma or the end of the line.
func (d *dialect) quickInt() (int64, bool) {
	p := d.p
	src, i := p.Src, p.Pos
	v := uint32(0)
	if src[i] == '0' && src[i+1] == 'x' {
		first := i + 2
		for i = first; hexDigit(src[i]) < 16 && i < first+7; i++ {
			v = v<<4 | uint32(hexDigit(src[i]))
		}
		if i == first {
			return 0, false
		}
	} else {
		first := i
		for ; isDigit(src[i]) && i < first+8; i++ {
			v = v*10 + uint32(src[i]-'0')
		}
		if i == first || src[first] == '0' && i != first+1 {
			return 0, false
		}
	}
	switch src[i] {
	case ' ':
		if c := src[i+1]; c|0x20 < 'a' && !isDigit(c) && c != '/' && c != ';' {
			return 0, false
		}
	case '\n', ',', ']':
	default:
		return 0, false
	}
	p.Pos = i
	return int64(v), true
}

func readNumber(d *dialect, r *modRow, start int) (int64, bool) {
	v, ok := readInt(d, r, start)
	if !ok {
		return 0, false
	}
	if m := isa.Modifier(r.arg); !m.Fits(v) && !(v == -1 && signedMods.Has(r.id)) {
		d.p.Errorf(start, d.p.Pos, "invalid %s value", r.name)
		return 0, false
	}
	return v, true
}

// signedMods are the masks for which LLVM also accepts -1.
const signedMods = asmmatch.ModifierSet(1<<asmmatch.ModDMask | 1<<asmmatch.ModRowMask | 1<<asmmatch.ModBankMask)

func readBoundCtrl(d *dialect, r *modRow, start int) (int64, bool) {
	v, ok := readInt(d, r, start)
	if !ok {
		return 0, false
	}
	bit, st := isa.DPPBoundCtrl(d.set, v)
	if st != isa.Found {
		d.p.Errorf(start, d.p.Pos, "invalid bound_ctrl value: expected 0 or 1")
		return 0, false
	}
	return int64(bit), true
}

func readOMod(d *dialect, r *modRow, start int) (int64, bool) {
	v, ok := readInt(d, r, start)
	if !ok {
		return 0, false
	}
	m, st := isa.OModByName([]byte(r.name), v)
	if st != isa.Found {
		d.p.Errorf(start, d.p.Pos, "invalid %s value: expected mul:1, mul:2, mul:4, div:1 or div:2", r.name)
		return 0, false
	}
	return int64(m), true
}

// readBits reads [0,1,…], up to four bits.
func readBits(d *dialect, r *modRow, _ int) (int64, bool) {
	p := d.p
	if !d.colon() || !d.close('[', "expected a left square bracket") {
		return 0, false
	}
	v := int64(0)
	for i := 0; ; i++ {
		p.SkipSpace()
		at := p.Pos
		b, ok := d.small()
		if !ok {
			return 0, false
		}
		if b != 0 && b != 1 {
			p.Errorf(at, p.Pos, "invalid %s value: expected 0 or 1", r.name)
			return 0, false
		}
		v |= b << i
		if p.Accept(']') {
			return v, true
		}
		if i == 3 {
			return 0, d.close(']', "expected a closing square bracket")
		}
		if !d.close(',', "expected a comma") {
			return 0, false
		}
	}
}

// small reads a number in a list.
func (d *dialect) small() (int64, bool) {
	if v, ok := d.quickInt(); ok {
		return v, true
	}
	return d.abs("")
}

func readNeg(d *dialect, r *modRow, start int) (int64, bool) {
	d.stmt.Mods.NegBLGP = true
	return readBits(d, r, start)
}

func readDPP8(d *dialect, _ *modRow, _ int) (int64, bool) {
	var lanes [8]int64
	if !d.colon() || !d.lanes(lanes[:], 7, "expected a 3-bit value") {
		return 0, false
	}
	v, _ := isa.EncodeDPP8(lanes)
	return int64(v), true
}

// lanes reads a list of lane numbers in square brackets.
func (d *dialect) lanes(to []int64, most int64, problem string) bool {
	p := d.p
	if !d.close('[', "expected an opening square bracket") {
		return false
	}
	for i := range to {
		if i > 0 && !d.close(',', "expected a comma") {
			return false
		}
		p.SkipSpace()
		at := p.Pos
		v, ok := d.small()
		if !ok {
			return false
		}
		if v < 0 || v > most {
			p.Errorf(at, p.Pos, "%s", problem)
			return false
		}
		to[i] = v
	}
	return d.close(']', "expected a closing square bracket")
}

func readDPPCtrl(d *dialect, r *modRow, start int) (int64, bool) {
	p := d.p
	name := []byte(r.name)
	number, list := isa.DPPCtrlTakesArg(name)
	arg, ok := int64(0), true
	if list || number {
		if ok = d.colon(); !ok {
			return 0, false
		}
	}
	p.SkipSpace()
	at := p.Pos
	if list {
		var lanes [4]int64
		if !d.lanes(lanes[:], 3, "expected a 2-bit value") {
			return 0, false
		}
		v, _ := isa.EncodeQuadPerm(lanes)
		return int64(v), true
	}
	if number {
		if arg, ok = d.small(); !ok {
			return 0, false
		}
	}
	v, st := isa.DPPCtrlByName(d.set, name, arg)
	switch st {
	case isa.BadValue:
		p.Errorf(at, p.Pos, "invalid %s value", r.name)
	case isa.NotSupported:
		p.Errorf(start, p.Pos, "not a valid operand: %s is not supported on %s", r.name, d.target.Processor.Name)
	}
	return int64(v), st == isa.Found
}

// value reads the name or number after a modifier's colon. For a number the
// returned name is empty.
func (d *dialect) value(most int64, what string) (name []byte, n int64, at int, ok bool) {
	p := d.p
	if !d.colon() {
		return nil, 0, 0, false
	}
	start, end := p.Ident()
	if start != end {
		return p.Src[start:end], 0, start, true
	}
	if !isDigit(p.Src[start]) && p.Src[start] != '-' && p.Src[start] != '(' {
		p.Errorf(start, start+1, "expected an identifier or a number: a value of %s", what)
		return nil, 0, start, false
	}
	n, ok = d.abs("")
	if ok && (n < 0 || n > most) {
		p.Errorf(start, p.Pos, "invalid %s value: expected a number from 0 to %d", what, most)
		ok = false
	}
	return nil, n, start, ok
}

func readSel(d *dialect, r *modRow, _ int) (int64, bool) {
	byName, most := isa.SDWASelByName, int64(isa.SDWASelDWord)
	if r.id == asmmatch.ModDstUnused {
		byName, most = isa.SDWAUnusedByName, isa.SDWAUnusedPreserve
	}
	return d.namedValue(byName, most, r.name)
}

// namedValue reads one of a modifier's named values, or its number.
func (d *dialect) namedValue(byName func([]byte) (uint32, isa.Status), most int64, what string) (int64, bool) {
	name, n, at, ok := d.value(most, what)
	if !ok || name == nil {
		return n, ok
	}
	v, st := byName(name)
	if st != isa.Found {
		d.p.Errorf(at, d.p.Pos, "invalid %s value", what)
		return 0, false
	}
	return int64(v), true
}

func readMatrix(d *dialect, r *modRow, _ int) (int64, bool) {
	m := isa.MatrixModifier(r.arg)
	name, n, at, ok := d.value(int64(m.NumValues()-1), r.name)
	if !ok || name == nil {
		return n, ok
	}
	v, st := isa.MatrixValueByName(m, name)
	if st != isa.Found {
		d.p.Errorf(at, d.p.Pos, "invalid %s value", r.name)
		return 0, false
	}
	return int64(v), true
}

// readDim reads dim:SQ_RSRC_IMG_2D, dim:2D …. The digit of 1D belongs to the
// name only if it follows immediately.
func readDim(d *dialect, _ *modRow, _ int) (int64, bool) {
	p := d.p
	if !d.colon() {
		return 0, false
	}
	p.SkipSpace()
	start := p.Pos
	end := start
	for d.ident[p.Src[end]] {
		end++
	}
	v, st := isa.DimByName(p.Src[start:end])
	if st != isa.Found {
		p.Errorf(start, max(end, start+1), "invalid dim value")
		return 0, false
	}
	p.Pos = end
	return int64(v), true
}
