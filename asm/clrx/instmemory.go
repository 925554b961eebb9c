package clrx

import (
	"bytes"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// dsInst assembles DS.
func (p *parser) dsInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	good, first := true, true
	reg := func(f isa.Field, n uint8) bool {
		if n == 0 {
			return true
		}
		if !first && !p.comma() {
			return false
		}
		first = false
		v, ok := p.vectorReg(int(n))
		e.setField(f, v.first)
		if f == isa.FieldVdst {
			p.noteResult(v)
		}
		good = good && ok
		return true
	}
	addr := uint8(0)
	if r.Flags.Has(clrxsyntax.HasAddr) {
		addr = 1
	}
	if !reg(isa.FieldVdst, r.Dst) || !reg(isa.FieldAddr, addr) || !reg(isa.FieldData0, r.Src[0]) || !reg(isa.FieldData1, r.Src[1]) {
		return
	}
	at := p.skipTo()
	gds, ok := p.dsModifiers(r, &e)
	if !ok || !good {
		return
	}
	if r.Flags.Has(clrxsyntax.GDSOnly) && !gds {
		p.errorAt(at, "the instruction needs gds")
		return
	}
	e.setBool(isa.FieldGds, gds)
	p.emitInst(&e, 2)
}

// offsetModifier is a modifier with an offset.
type offsetModifier struct {
	name  string
	field lateField
	to    isa.Field
}

// dsOffsets are the offsets of DS: one, or two.
var dsOffsets = [2][]offsetModifier{
	{{"offset", lateOffset16, isa.FieldOffset}},
	{{"offset0", lateOffset0, isa.FieldOffset0}, {"offset1", lateOffset1, isa.FieldOffset1}},
}

// dsModifiers reads the modifiers of DS.
func (p *parser) dsModifiers(r *clrxsyntax.Row, e *encoded) (gds, ok bool) {
	offsets := dsOffsets[0]
	if r.Flags.Has(clrxsyntax.TwoOffsets) {
		offsets = dsOffsets[1]
	}
	var seen [2]bool
	ok = p.modifiers(func(at int, name []byte) (ok, known bool) {
		if string(name) == "gds" {
			return p.flagValue(&gds), true
		}
		for i := range offsets {
			if o := &offsets[i]; string(name) == o.name {
				return p.offsetValue(at, o, e, &seen[i]), true
			}
		}
		return false, false
	})
	return gds, ok
}

// offsetValue reads the value of an offset whose name begins at a column. A
// second one replaces the first, with a warning.
func (p *parser) offsetValue(at int, o *offsetModifier, e *encoded, seen *bool) bool {
	if !p.colon() {
		return false
	}
	if *seen {
		p.warnAt(at, "%s is given twice", o.name)
		x := e.place[o.to]
		e.w &^= (1<<x.Width - 1) << x.Shift
		late := p.isa.late[:0]
		for _, u := range p.isa.late {
			if u.field != o.field {
				late = append(late, u)
			}
		}
		p.isa.late = late
	}
	*seen = true
	v, ok := p.fieldValue(o.field, "an offset")
	e.setField(o.to, v)
	return ok
}

// memoryFlag is a modifier that is on or off.
type memoryFlag struct {
	name        string
	field       isa.Field
	first, last clrxsyntax.Arch
	forms       uint32 // bit set of forms
}

const (
	mubuf = 1 << isa.MUBUF
	mtbuf = 1 << isa.MTBUF
	mimg  = 1 << isa.MIMG
)

// memoryFlags lists the modifiers of buffer and image instructions that have no
// value other than on and off.
var memoryFlags = []memoryFlag{
	{"offen", isa.FieldOffen, clrxsyntax.GCN10, clrxsyntax.GCN14, mubuf | mtbuf},
	{"idxen", isa.FieldIdxen, clrxsyntax.GCN10, clrxsyntax.GCN14, mubuf | mtbuf},
	{"addr64", isa.FieldAddr64, clrxsyntax.GCN10, clrxsyntax.GCN11, mubuf | mtbuf},
	{"glc", isa.FieldGlc, clrxsyntax.GCN10, clrxsyntax.GCN14, mubuf | mtbuf | mimg},
	{"slc", isa.FieldSlc, clrxsyntax.GCN10, clrxsyntax.GCN14, mubuf | mtbuf | mimg},
	{"tfe", isa.FieldTfe, clrxsyntax.GCN10, clrxsyntax.GCN14, mubuf | mtbuf | mimg},
	{"lds", isa.FieldLds, clrxsyntax.GCN10, clrxsyntax.GCN14, mubuf},
	{"unorm", isa.FieldUnorm, clrxsyntax.GCN10, clrxsyntax.GCN14, mimg},
	{"r128", isa.FieldR128, clrxsyntax.GCN10, clrxsyntax.GCN12, mimg},
	{"a16", isa.FieldA16, clrxsyntax.GCN14, clrxsyntax.GCN14, mimg},
	{"lwe", isa.FieldLwe, clrxsyntax.GCN10, clrxsyntax.GCN14, mimg},
	{"da", isa.FieldDa, clrxsyntax.GCN10, clrxsyntax.GCN14, mimg},
	{"d16", isa.FieldD16, clrxsyntax.GCN12, clrxsyntax.GCN14, mimg},
}

// flagNamed returns the index of a modifier of a form, -1 for none.
func (p *parser) flagNamed(f isa.Form, name []byte) int {
	for i := range memoryFlags {
		m := &memoryFlags[i]
		if m.name == string(name) && m.forms>>f&1 != 0 && p.isa.arch >= m.first && p.isa.arch <= m.last {
			return i
		}
	}
	return -1
}

// memoryFlagsOf sets the fields of a set of memoryFlags.
func (e *encoded) memoryFlagsOf(on uint32) {
	for i := range memoryFlags {
		e.setBool(memoryFlags[i].field, on>>i&1 != 0)
	}
}

// isOn reports whether the modifier with a field is on.
func isOn(on uint32, f isa.Field) bool {
	for i := range memoryFlags {
		if memoryFlags[i].field == f && on>>i&1 != 0 {
			return true
		}
	}
	return false
}

// setOn turns modifier i on or off.
func setOn(on uint32, i int, value bool) uint32 {
	if value {
		return on | 1<<i
	}
	return on &^ (1 << i)
}

// placed is a range of registers and its column.
type placed struct {
	regs
	at, end int
}

// laterVector reads VGPRs whose number depends on modifiers.
func (p *parser) laterVector() (r placed, ok bool) {
	r.at = p.skipTo()
	var found bool
	r.regs, found, ok = p.registers(anyVector)
	r.end = p.pos
	if ok && !found {
		p.wrongOperand(r.at, "a vector register")
		return r, false
	}
	return r, ok
}

// laterCount reports an error unless a range has a number of registers.
func (p *parser) laterCount(r placed, fewest, most int) bool {
	if n := r.count(); n < fewest || n > most {
		if fewest == most {
			p.errorIn(r.at, r.end, "expected %s, found %d", registerCount(fewest), n)
		} else {
			p.errorIn(r.at, r.end, "expected %d to %d registers, found %d", fewest, most, n)
		}
		return false
	}
	return true
}

// bufferOffset is the offset of buffer instructions.
var bufferOffset = offsetModifier{"offset", lateOffset12, isa.FieldOffset}

// bufferInst assembles MUBUF and MTBUF.
func (p *parser) bufferInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	if r.Flags.Has(clrxsyntax.NoOperands) {
		if p.finish() {
			p.emitInst(&e, 2)
		}
		return
	}
	good, ok := true, true
	var data, addr placed
	hasAddr := false
	if !r.Flags.Has(clrxsyntax.NoData) {
		data, ok = p.laterVector()
		good = good && ok
		if !p.comma() {
			return
		}
		addr, hasAddr, ok = p.bufferAddress()
		good = good && ok
		if hasAddr && !p.comma() {
			return
		}
	}
	rsrc, ok := p.scalarReg(4, aligned)
	e.setField(isa.FieldSrsrc, rsrc.first>>2)
	good = good && ok
	if !p.comma() {
		return
	}
	rules := sourceRules{regs: anyScalar | anySource, dwords: 1, only: true}
	o, ok := p.readSource(&rules)
	e.setField(isa.FieldSoffset, o.num)
	good = good && ok
	on, ok := p.bufferModifiers(r, &e)
	if !good || !p.checkBuffer(r, on, data, addr, hasAddr) || !ok {
		return
	}
	e.memoryFlagsOf(on)
	if !r.Flags.Has(clrxsyntax.NoData) {
		e.setField(isa.FieldVdata, data.first)
		if writesData(r, isOn(on, isa.FieldGlc)) {
			p.noteResult(data.regs)
		}
		if hasAddr {
			e.setField(isa.FieldVaddr, addr.first)
		}
	}
	p.emitInst(&e, 2)
}

// writesData reports whether a memory instruction writes its data registers: a
// load, or an atomic that returns the old value.
func writesData(r *clrxsyntax.Row, glc bool) bool {
	return !r.Flags.Has(clrxsyntax.Store) && (glc || !r.Flags.Has(clrxsyntax.Atomic))
}

// bufferAddress reads the address of a buffer instruction, which can be left
// out.
func (p *parser) bufferAddress() (r placed, found, ok bool) {
	r.at = p.skipTo()
	r.regs, found, ok = p.registers(anyVector)
	r.end = p.pos
	return r, found, ok
}

// checkBuffer checks the registers of a buffer instruction.
func (p *parser) checkBuffer(r *clrxsyntax.Row, on uint32, data, addr placed, hasAddr bool) bool {
	offen, idxen, addr64 := isOn(on, isa.FieldOffen), isOn(on, isa.FieldIdxen), isOn(on, isa.FieldAddr64)
	if addr64 && (offen || idxen) {
		p.errorAt(p.isa.at, "addr64 excludes offen and idxen")
		return false
	}
	if r.Flags.Has(clrxsyntax.NoData) {
		return true
	}
	n := int(r.Dst)
	if isOn(on, isa.FieldTfe) {
		n++
	}
	if !p.laterCount(data, n, n) {
		return false
	}
	if !hasAddr {
		if offen || idxen || addr64 {
			p.errorAt(addr.at, "offen, idxen and addr64 need an address")
			return false
		}
		return true
	}
	n = 1
	if addr64 || offen && idxen {
		n = 2
	}
	return p.laterCount(addr, n, n)
}

// bufferModifiers reads the modifiers of buffer instructions.
func (p *parser) bufferModifiers(r *clrxsyntax.Row, e *encoded) (on uint32, ok bool) {
	var seen, hasFormat bool
	format := clrxsyntax.DefaultDataFormat
	ok = p.modifiers(func(at int, name []byte) (ok, known bool) {
		switch i := p.flagNamed(r.Form, name); {
		case i >= 0:
			v := false
			ok = p.flagValue(&v)
			on = setOn(on, i, v)
		case string(name) == "offset":
			ok = p.offsetValue(at, &bufferOffset, e, &seen)
		case string(name) == "format" && r.Form == isa.MTBUF:
			if hasFormat {
				p.warnAt(at, "format is given twice")
			}
			format, ok = p.bufferFormat(at)
			hasFormat = true
		default:
			return false, false
		}
		return ok, true
	})
	if r.Form == isa.MTBUF {
		e.setField(isa.FieldFormat, format)
	}
	return on, ok
}

// bufferFormat reads format:[8_8,uint]: a data format, a number format, or both.
// The modifier begins at a column.
func (p *parser) bufferFormat(modifier int) (v int, ok bool) {
	v = clrxsyntax.DefaultDataFormat
	if !p.colon() {
		return v, false
	}
	if !p.accept('[') {
		p.errorIn(modifier, p.pos, "expected '[' before the format")
		return v, false
	}
	data, isData, ok := p.formatPart(true)
	if !ok {
		return v, false
	}
	if isData {
		v = data
	} else {
		v |= data << 4
	}
	if isData && p.accept(',') {
		n, _, ok := p.formatPart(false)
		if !ok {
			return v, false
		}
		v |= n << 4
	}
	if !p.accept(']') {
		p.errorAt(p.pos, "expected ']' at the end of the format")
		return v, false
	}
	return v, true
}

// formatPart reads the name or number of a data format or, unless it must be
// one, a number format.
func (p *parser) formatPart(data bool) (v int, isData, ok bool) {
	at := p.skipTo()
	if p.accept('@') {
		bits := uint(3)
		if data {
			bits = 4
		}
		v, ok = p.smallValue(bits)
		return v, data, ok
	}
	for p.pos < p.end && isNameByte(p.src[p.pos]) {
		p.pos++
	}
	name := p.lower(p.src[at:p.pos])
	if data {
		if v, ok = clrxsyntax.DataFormats.Value(p.isa.arch, bytes.TrimPrefix(name, []byte(clrxsyntax.DataFormatPrefix))); ok {
			return v, true, true
		}
	}
	if v, ok = clrxsyntax.NumFormats.Value(p.isa.arch, bytes.TrimPrefix(name, []byte(clrxsyntax.NumFormatPrefix))); ok {
		return v, false, true
	}
	p.errorIn(at, max(p.pos, at+1), "unknown format '%s'", p.src[at:p.pos])
	for p.pos < p.end && p.src[p.pos] != ']' {
		p.pos++
	}
	p.accept(']')
	return 0, false, false
}

// imageInst assembles MIMG.
func (p *parser) imageInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	data, good := p.laterVector()
	if !p.comma() {
		return
	}
	addr, ok := p.vectorRegs(int(r.Addr), int(r.Most))
	good = good && ok
	if !p.comma() {
		return
	}
	rsrc := placed{at: p.skipTo()}
	var found bool
	rsrc.regs, found, ok = p.registers(anyScalar)
	rsrc.end = p.pos
	if ok && !found {
		p.wrongOperand(rsrc.at, "a scalar register")
	}
	good = good && ok && found
	if r.Flags.Has(clrxsyntax.Sampler) {
		if !p.comma() {
			return
		}
		samp, ok := p.scalarReg(4, aligned)
		e.setField(isa.FieldSsamp, samp.first>>2)
		good = good && ok
	}
	on, dmask, ok := p.imageModifiers(r)
	if !ok || !good || !p.checkImage(r, on, dmask, data, rsrc) {
		return
	}
	e.memoryFlagsOf(on)
	if writesData(r, isOn(on, isa.FieldGlc)) {
		p.noteResult(data.regs)
	}
	e.setField(isa.FieldDmask, dmask)
	e.setField(isa.FieldVdata, data.first)
	e.setField(isa.FieldVaddr, addr.first)
	e.setField(isa.FieldSrsrc, rsrc.first>>2)
	p.emitInst(&e, 2)
}

// checkImage checks the registers of an image instruction.
func (p *parser) checkImage(r *clrxsyntax.Row, on uint32, dmask int, data, rsrc placed) bool {
	n := bits.OnesCount(uint(dmask))
	if r.Flags.Has(clrxsyntax.Gather4) {
		n = 4
	}
	if isOn(on, isa.FieldD16) && p.isa.arch == clrxsyntax.GCN14 {
		n = (n + 1) / 2
	}
	if isOn(on, isa.FieldTfe) {
		n++
	}
	if !p.laterCount(data, n, n) {
		return false
	}
	n = 8
	if isOn(on, isa.FieldR128) {
		n = 4
	}
	if !p.laterCount(rsrc, n, n) {
		return false
	}
	if rsrc.first&3 != 0 {
		p.errorIn(rsrc.at, rsrc.end, "a range of %d scalar registers cannot begin there", n)
		return false
	}
	if r.Flags.Has(clrxsyntax.Store|clrxsyntax.Atomic) && !isOn(on, isa.FieldUnorm) {
		p.errorAt(p.isa.at, "image stores and atomics need unorm")
		return false
	}
	return true
}

// imageModifiers reads the modifiers of MIMG.
func (p *parser) imageModifiers(r *clrxsyntax.Row) (on uint32, dmask int, ok bool) {
	dmask = 1
	seen := false
	ok = p.modifiers(func(at int, name []byte) (ok, known bool) {
		switch i := p.flagNamed(r.Form, name); {
		case i >= 0:
			v := false
			ok = p.flagValue(&v)
			on = setOn(on, i, v)
		case string(name) == "dmask":
			if seen {
				p.warnAt(at, "dmask is given twice")
			}
			seen = true
			dmask, ok = p.componentMask()
		default:
			return false, false
		}
		return ok, true
	})
	return on, dmask, ok
}

// componentMask reads the value of dmask: 1 to 15.
func (p *parser) componentMask() (v int, ok bool) {
	if !p.colon() {
		return 1, false
	}
	at := p.skipTo()
	n, ok := p.required()
	if !ok {
		return 1, false
	}
	if n == 0 || n > 15 {
		p.errorIn(at, p.pos, "dmask is out of range: expected 1 to 15")
		return 1, false
	}
	return int(n), true
}

// flatInst assembles FLAT.
func (p *parser) flatInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	seg := int(r.Segment())
	e.setField(isa.FieldSeg, seg)
	good := true
	var dst, data placed
	var ok, saved bool
	if r.Dst != 0 && !p.withoutResult(r, seg) {
		dst, ok = p.laterVector()
		saved = true
		good = good && ok
		if !p.comma() {
			return
		}
	}
	result := good
	addr, addrOff, ok := p.flatAddress(seg)
	if seg == 0 {
		ok = ok && p.laterCount(addr, 2, 2)
	}
	good = good && ok
	if r.Src[0] != 0 {
		if !p.comma() {
			return
		}
		data, ok = p.laterVector()
		good = good && ok
	}
	saddr := regs{first: 127}
	off := true
	if seg != 0 {
		if !p.comma() {
			return
		}
		saddr, off, ok = p.flatScalar(seg)
		good = good && ok
	}
	tfe, ok := p.flatModifiers(&e, seg)
	if saved && result && !p.laterCount(dst, int(r.Dst)+tfe, int(r.Dst)+tfe) || !ok || !good ||
		!p.checkFlat(r, seg, data, addr, addrOff, off) {
		return
	}
	if glc := e.place[isa.FieldGlc]; saved && writesData(r, e.w>>glc.Shift&1 != 0) {
		p.noteResult(dst.regs)
	}
	e.setField(isa.FieldVdst, dst.first)
	e.setField(isa.FieldVdata, data.first)
	e.setField(isa.FieldVaddr, addr.first)
	if seg != 0 {
		e.setField(isa.FieldSaddr, saddr.first)
	}
	p.emitInst(&e, 2)
}

// withoutResult reports whether the result of an atomic is left out: the
// statement has one operand less.
func (p *parser) withoutResult(r *clrxsyntax.Row, seg int) bool {
	if r.Src[0] == 0 {
		return false
	}
	want, n, depth := 2, 0, 0
	if seg != 0 {
		want = 3
	}
	for _, c := range p.src[p.pos:p.end] {
		switch c {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth == 0 {
				n++
			}
		}
	}
	return n < want
}

// flatAddress reads the address of a flat instruction in VGPRs, or off.
func (p *parser) flatAddress(seg int) (r placed, off, ok bool) {
	if n := p.offKeyword(); n && seg == 1 {
		return r, true, true
	}
	r, ok = p.laterVector()
	return r, false, ok
}

// offKeyword reads the word off.
func (p *parser) offKeyword() bool {
	p.skipSpace()
	n := p.keyword("off")
	p.pos += n
	return n > 0
}

// flatScalar reads the address of a flat instruction in SGPRs, or off.
func (p *parser) flatScalar(seg int) (r regs, off, ok bool) {
	if p.offKeyword() {
		return regs{first: 127}, true, true
	}
	r, ok = p.scalarReg(seg, aligned)
	return r, false, ok
}

// checkFlat checks the registers of a flat instruction.
func (p *parser) checkFlat(r *clrxsyntax.Row, seg int, data, addr placed, addrOff, off bool) bool {
	n := 2
	if seg == 1 || seg == 2 && !off {
		n = 1
	}
	switch {
	case addrOff && off:
		p.errorAt(p.isa.at, "the instruction needs an address")
		return false
	case seg == 1 && !addrOff && !off:
		p.errorIn(addr.at, addr.end, "scratch instructions have one address")
		return false
	case !addrOff && !p.laterCount(addr, n, n):
		return false
	}
	return r.Src[0] == 0 || p.laterCount(data, int(r.Src[0]), int(r.Src[0]))
}

// flatOffsets are the offsets of flat instructions in the flat segment and in
// the others.
var flatOffsets = [2]offsetModifier{
	{"inst_offset", lateFlat12, isa.FieldOffset},
	{"inst_offset", lateFlat13, isa.FieldOffset},
}

// flatBit is the field that is tfe on GCN 1.1 and 1.2, and nv on GCN 1.4.
const flatBit = 55

// flatModifiers reads the modifiers of a flat instruction.
func (p *parser) flatModifiers(e *encoded, seg int) (tfe int, ok bool) {
	var seen, glc, slc, lds, last bool
	lastName := "tfe"
	if p.isa.arch == clrxsyntax.GCN14 {
		lastName = "nv"
	}
	offset := flatOffsets[min(seg, 1)]
	ok = p.modifiers(func(at int, name []byte) (ok, known bool) {
		switch s := string(name); {
		case s == "glc":
			ok = p.flagValue(&glc)
		case s == "slc":
			ok = p.flagValue(&slc)
		case s == lastName:
			ok = p.flagValue(&last)
		case s == "lds" && p.isa.arch == clrxsyntax.GCN14:
			ok = p.flagValue(&lds)
			if lds && seg == 0 {
				p.errorIn(at, p.pos, "lds is not possible in the flat segment")
				ok = false
			}
		case s == offset.name && p.isa.arch == clrxsyntax.GCN14:
			ok = p.offsetValue(at, &offset, e, &seen)
		default:
			return false, false
		}
		return ok, true
	})
	e.setBool(isa.FieldGlc, glc)
	e.setBool(isa.FieldSlc, slc)
	e.setBool(isa.FieldLds, lds)
	if last {
		e.w |= 1 << flatBit
		if lastName == "tfe" {
			tfe = 1
		}
	}
	return tfe, ok
}

// exportInst assembles EXP.
func (p *parser) exportInst(r *clrxsyntax.Row) {
	e := p.encode(r.Form, r.Code)
	target, good := p.exportTarget()
	e.setField(isa.FieldTgt, target)
	var src [4]placed
	en := 0
	for i := range src {
		if !p.comma() {
			return
		}
		if p.offKeyword() {
			continue
		}
		var ok bool
		src[i], ok = p.laterVector()
		good = good && ok && p.laterCount(src[i], 1, 1)
		en |= 1 << i
	}
	var done, compr, vm bool
	for !p.atEnd() {
		at := p.pos
		ok := true
		switch string(p.lower(p.name())) {
		case "done":
			ok = p.flagValue(&done)
		case "compr":
			ok = p.flagValue(&compr)
		case "vm":
			ok = p.flagValue(&vm)
		default:
			p.unknownModifier(at)
			ok = false
		}
		good = good && ok
	}
	if !good {
		return
	}
	if compr {
		if !p.compress(&src, en) {
			return
		}
	}
	for i, f := range [...]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc3} {
		e.setField(f, src[i].first)
	}
	e.setField(isa.FieldEn, en)
	e.setBool(isa.FieldDone, done)
	e.setBool(isa.FieldCompr, compr)
	e.setBool(isa.FieldVm, vm)
	p.emitInst(&e, 2)
}

// compress moves the registers of a compressed export to its first two sources:
// each is given twice.
func (p *parser) compress(src *[4]placed, en int) bool {
	for i := range 2 {
		a, b := src[2*i], src[2*i+1]
		pair := en >> (2 * i) & 3
		switch {
		case pair == 3 && a.first != b.first:
			p.errorIn(b.at, b.end, "a compressed export has the same register twice")
			return false
		case pair == 2:
			a = b
		}
		src[i] = a
	}
	src[2], src[3] = placed{}, placed{}
	return true
}

// exportTarget reads the target of an export.
func (p *parser) exportTarget() (v int, ok bool) {
	at := p.skipTo()
	name := string(p.lower(p.name()))
	for _, t := range clrxsyntax.Targets {
		if t.Count == 1 && t.Name == name {
			return t.First, true
		}
	}
	for _, t := range clrxsyntax.Targets {
		n := len(t.Name)
		if t.Count == 1 || len(name) <= n || len(name) > n+2 || name[:n] != t.Name || !allDigits([]byte(name[n:])) {
			continue
		}
		num := 0
		for _, c := range name[n:] {
			num = num*10 + int(c-'0')
		}
		if num >= t.Count {
			p.errorIn(at, p.pos, "export target is out of range: the last one is %s%d", t.Name, t.Count-1)
			return 0, false
		}
		return t.First + num, true
	}
	p.errorIn(at, max(p.pos, at+1), "unknown export target '%s'", p.src[at:p.pos])
	return 0, false
}
