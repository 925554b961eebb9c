package clrx

import (
	"github.com/gfx-toolchain/gfx/internal/clrxsyntax"
	"github.com/gfx-toolchain/gfx/isa"
)

// vector is a vector instruction that is being assembled.
type vector struct {
	r       *clrxsyntax.Row
	dst     regs
	carry   regs // second result
	carryIn regs // lane mask as the last source
	src     [3]operand
	n       int // number of sources
	mods    vectorMods
}

// vectorInst assembles VOP1, VOP2, VOPC, VOP3 and VOP3P.
func (p *parser) vectorInst(r *clrxsyntax.Row) {
	x := vector{r: r}
	good, read := p.vectorOperands(&x)
	if !read {
		return
	}
	modsAt := p.skipTo()
	if !p.vectorModifiers(&x) {
		return
	}
	if !good {
		return
	}
	p.sourceModifiers(&x)
	p.noteResult(x.dst)
	p.noteResult(x.carry)
	p.encodeVector(&x, modsAt)
}

// vectorOperands reads the operands of a vector instruction. read is false if
// the rest of the statement is of no use.
func (p *parser) vectorOperands(x *vector) (good, read bool) {
	r := x.r
	good = true
	if r.Dst == 0 && r.Src[0] == 0 {
		return true, true
	}
	var ok bool
	switch {
	case r.Form == isa.VOPC || r.Flags.Has(clrxsyntax.MaskDst):
		x.dst, ok = p.scalarReg(2, unitedBy4)
	case r.Flags.Has(clrxsyntax.ScalarDst):
		x.dst, ok = p.scalarReg(int(r.Dst), aligned)
	default:
		x.dst, ok = p.vectorReg(int(r.Dst))
	}
	good = good && ok
	if r.Flags.Has(clrxsyntax.CarryOut) {
		if !p.comma() {
			return false, false
		}
		x.carry, ok = p.scalarReg(2, unitedBy4)
		good = good && ok
	}
	for i, dwords := range r.Src {
		if dwords == 0 {
			break
		}
		if i == 1 && r.Flags.Has(clrxsyntax.MulConst) {
			if !p.comma() {
				return false, false
			}
			good = p.vectorConst(r) && good
		}
		if !p.comma() {
			return false, false
		}
		x.src[i], ok = p.vectorSource(r, i)
		good = good && ok
		x.n++
	}
	if r.Flags.Has(clrxsyntax.AddConst) {
		if !p.comma() {
			return false, false
		}
		good = p.vectorConst(r) && good
	}
	if r.Flags.Has(clrxsyntax.CarryIn) {
		if !p.comma() {
			return false, false
		}
		x.carryIn, ok = p.scalarReg(2, unitedBy4)
		good = good && ok
	}
	return good, true
}

// vectorConst reads the literal of madmk and madak.
func (p *parser) vectorConst(r *clrxsyntax.Row) bool {
	at := p.skipTo()
	_, ok := p.constantSource(at, &sourceRules{forced: true, dwords: 1, float: r.Float[0]})
	return ok
}

// vectorSource reads source i.
func (p *parser) vectorSource(r *clrxsyntax.Row, i int) (o operand, ok bool) {
	rules := sourceRules{
		regs: anyScalar | anyVector | anySource, dwords: int(r.Src[i]), align: unitedBy4, float: r.Float[i],
		only: r.Form == isa.VOP3 || r.Form == isa.VOP3P, mods: r.Form != isa.VOP3P && !r.Flags.Has(clrxsyntax.MulConst|clrxsyntax.AddConst),
	}
	if r.Flags.Has(clrxsyntax.MulConst|clrxsyntax.AddConst) && i == 1 {
		rules.regs = anyVector
		at := p.skipTo()
		r, found, ok := p.registers(anyVector)
		if ok && !found {
			p.wrongOperand(at, "a vector register")
		}
		if !ok || !found {
			return o, false
		}
		return p.registerSource(at, r, &rules)
	}
	return p.modifiedSource(&rules)
}

// modifiedSource reads a source with its modifiers: -x, abs(x), |x|, sext(x).
func (p *parser) modifiedSource(rules *sourceRules) (o operand, ok bool) {
	if !rules.mods {
		return p.readSource(rules)
	}
	start := p.skipTo()
	neg := false
	if p.byteAt(p.pos) == '-' {
		p.pos++
		p.skipSpace()
		neg = p.modifiable()
		if !neg {
			p.pos = start
			return p.readSource(rules)
		}
	}
	o, ok = p.wrappedSource(rules)
	o.neg = o.neg != neg
	return o, ok
}

// modifiable reports whether the operand at the cursor is one for modifiers, so
// that a minus sign before it is no part of a number.
func (p *parser) modifiable() bool {
	start := p.pos
	defer func() { p.pos = start }()
	c := p.byteAt(p.pos)
	if c == '|' || p.keyword("abs") > 0 || p.keyword("sext") > 0 || p.keyword("neg") > 0 {
		return true
	}
	if c == '(' || isDigit(c) {
		return false
	}
	name := p.scopedName()
	p.pos = start
	if len(name) == 0 {
		return false
	}
	if low := p.lower(name); low != nil {
		if _, ok := p.isa.special[string(low)]; ok {
			return true
		}
		file := 1
		if len(low) > 4 && string(low[:4]) == "ttmp" || string(low) == "ttmp" {
			file = 4
		} else if low[0] != 'v' && low[0] != 's' {
			file = 0
		}
		if file > 0 && len(low) == file && p.byteAt(start+file) == '[' {
			return true
		}
		if file > 0 && len(low) > file && allDigits(low[file:]) {
			return true
		}
	}
	_, _, ok := p.registerSymbol(name)
	return ok
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// maxSourceDepth limits how deep modifiers of a source can be nested.
const maxSourceDepth = 8

// wrappedSource reads a source in abs(…), |…|, sext(…) or neg(…), or a plain one.
func (p *parser) wrappedSource(rules *sourceRules) (o operand, ok bool) {
	p.skipSpace()
	end := byte(')')
	var neg, abs, sext bool
	switch {
	case p.byteAt(p.pos) == '|':
		p.pos++
		end, abs = '|', true
	case p.wrapper("abs"):
		abs = true
	case p.wrapper("sext"):
		sext = true
	case p.wrapper("neg"):
		neg = true
	default:
		return p.readSource(rules)
	}
	if rules.depth++; rules.depth > maxSourceDepth {
		p.errorAt(p.pos, "more than %d nested modifiers of an operand", maxSourceDepth)
		return o, false
	}
	if p.skipSpace(); p.byteAt(p.pos) == '-' && end != '|' {
		o, ok = p.modifiedSource(rules)
	} else {
		o, ok = p.wrappedSource(rules)
	}
	if !ok {
		return o, false
	}
	if !p.accept(end) {
		p.errorAt(p.pos, "expected '%c' after the operand", end)
		return o, false
	}
	o.neg, o.abs, o.sext = o.neg != neg, o.abs || abs, o.sext || sext
	return o, true
}

// wrapper reads the name of a modifier of a source and its parenthesis.
func (p *parser) wrapper(name string) bool {
	n := p.keyword(name)
	if n == 0 {
		return false
	}
	save := p.pos
	p.pos += n
	if p.accept('(') {
		return true
	}
	p.pos = save
	return false
}

// vectorMods are the modifiers of a vector instruction.
type vectorMods struct {
	clamp, vop3, sdwa, dpp bool
	bound, high            bool
	omod                   int
	hasOmod                bool
	sel                    [3]int // dst, src0, src1
	unused                 int
	ctrl                   int
	hasCtrl                bool
	bank, row              int
	masks                  [3]int // neg, abs, sext
	hasMask                [3]bool
	lists                  [4]int // op_sel, op_sel_hi, neg_lo, neg_hi
	hasList                [4]bool
	used                   modUse
}

// modUse is a set of groups of modifiers.
type modUse uint8

const (
	useSdwa modUse = 1 << iota // selections
	useDpp                     // lane controls and masks
)

// The lists of VOP3 and VOP3P.
const (
	listOpSel = iota
	listOpSelHi
	listNegLo
	listNegHi
)

// vectorModifiers reads the modifiers of a vector instruction, up to the end of
// the statement. It returns false after an error.
func (p *parser) vectorModifiers(x *vector) bool {
	m := &x.mods
	m.sel = [3]int{clrxsyntax.SelectDword, clrxsyntax.SelectDword, clrxsyntax.SelectDword}
	m.ctrl, m.bank, m.row = 0xe4, 15, 15
	return p.modifiers(func(at int, name []byte) (ok, known bool) { return p.vectorModifier(x, at, name) })
}

// vectorModifier reads the modifier with a name that begins at a column.
func (p *parser) vectorModifier(x *vector, at int, name []byte) (ok, known bool) {
	m := &x.mods
	form := x.r.Form
	long := form != isa.VOP3P && !x.r.Flags.Has(clrxsyntax.MulConst|clrxsyntax.AddConst) && x.r.Dst|x.r.Src[0] != 0
	switch string(name) {
	case "vop3":
		if !x.r.Flags.Has(clrxsyntax.MulConst | clrxsyntax.AddConst) {
			return p.flagValue(&m.vop3), true
		}
	case "clamp":
		if long || form == isa.VOP3P {
			return p.flagValue(&m.clamp), true
		}
	case "mul", "div", "omod":
		if long {
			return p.outputModifier(m, at, name[0]), true
		}
	case "high":
		if form == isa.VOP3INTERP || form == isa.VINTRP {
			return p.flagValue(&m.high), true
		}
	case "neg", "abs", "sext":
		if long {
			return p.maskModifier(x, name[0]), true
		}
	case "op_sel", "op_sel_hi", "neg_lo", "neg_hi":
		return p.listModifier(x, name)
	}
	if !p.hasExtra(x.r) {
		return false, false
	}
	return p.extraModifier(m, at, name)
}

// hasExtra reports whether an instruction can have an SDWA or DPP dword.
func (p *parser) hasExtra(r *clrxsyntax.Row) bool {
	switch r.Form {
	case isa.VOP1, isa.VOP2, isa.VOPC:
		return p.isa.arch >= clrxsyntax.GCN12 && !r.Flags.Has(clrxsyntax.MulConst|clrxsyntax.AddConst) && r.Src[0] != 0
	}
	return false
}

// outputModifier reads the value of mul, div or omod.
func (p *parser) outputModifier(m *vectorMods, at int, kind byte) bool {
	if !p.colon() {
		return false
	}
	var v int
	switch kind {
	case 'o':
		var ok bool
		if v, ok = p.smallValue(2); !ok {
			return false
		}
	default:
		p.skipSpace()
		start := p.pos
		n, ok := p.required()
		if !ok {
			return false
		}
		switch {
		case kind == 'm' && n == 1, kind == 'd' && n == 1:
		case kind == 'm' && n == 2:
			v = 1
		case kind == 'm' && n == 4:
			v = 2
		case kind == 'd' && n == 2:
			v = 3
		default:
			p.errorIn(at, p.pos, "unknown modifier '%s'", p.src[at:max(p.pos, start)])
			return false
		}
	}
	if m.hasOmod {
		p.warnAt(at, "the output modifier is given twice")
	}
	m.omod, m.hasOmod = v, true
	return true
}

// maskModifier reads the value of neg, abs or sext: a bit for each source.
func (p *parser) maskModifier(x *vector, kind byte) bool {
	if !p.colon() {
		return false
	}
	i, n := 0, x.n
	switch kind {
	case 'a':
		i = 1
	case 's':
		i, n = 2, min(n, 2)
	}
	v, ok := p.bitList(n)
	x.mods.masks[i], x.mods.hasMask[i] = v, true
	return ok
}

// listModifier reads op_sel, op_sel_hi, neg_lo or neg_hi.
func (p *parser) listModifier(x *vector, name []byte) (ok, known bool) {
	i, n := listOpSel, x.n
	switch string(name) {
	case "op_sel_hi":
		i = listOpSelHi
	case "neg_lo":
		i = listNegLo
	case "neg_hi":
		i = listNegHi
	}
	switch {
	case x.r.Form == isa.VOP3P:
	case p.isa.arch != clrxsyntax.GCN14 || i != listOpSel || x.r.Flags.Has(clrxsyntax.MulConst|clrxsyntax.AddConst):
		return false, false
	case x.r.Form == isa.VINTRP, x.r.Form == isa.VOP3INTERP:
		n = 3
		if x.r.Flags.Has(clrxsyntax.Interp2) {
			n = 4
		}
	default:
		n++
	}
	if !p.colon() {
		return false, true
	}
	v, ok := p.bitList(n)
	if x.r.Form != isa.VOP3P { // the result is in bit 3
		v = v&(1<<(n-1)-1) | v>>(n-1)<<3
	}
	x.mods.lists[i], x.mods.hasList[i] = v, true
	return ok, true
}

// extraModifier reads a modifier of SDWA or DPP.
func (p *parser) extraModifier(m *vectorMods, at int, name []byte) (ok, known bool) {
	switch string(name) {
	case "sdwa":
		return p.flagValue(&m.sdwa), true
	case "dpp":
		return p.flagValue(&m.dpp), true
	case "dst_sel":
		return p.selection(m, &m.sel[0], clrxsyntax.Selections), true
	case "src0_sel":
		return p.selection(m, &m.sel[1], clrxsyntax.Selections), true
	case "src1_sel":
		return p.selection(m, &m.sel[2], clrxsyntax.Selections), true
	case "dst_unused":
		return p.selection(m, &m.unused, clrxsyntax.Unused), true
	case "bank_mask":
		return p.laneMask(m, &m.bank), true
	case "row_mask":
		return p.laneMask(m, &m.row), true
	case "bound_ctrl":
		return p.boundControl(m), true
	case "quad_perm":
		return p.quadPerm(m, at), true
	}
	for i := range clrxsyntax.LaneControls {
		c := &clrxsyntax.LaneControls[i]
		if string(name) == c.Name || string(name) == c.Print {
			return p.laneControl(m, at, i, string(name) == c.Print), true
		}
	}
	return false, false
}

// selection reads the value of a modifier of SDWA.
func (p *parser) selection(m *vectorMods, v *int, list clrxsyntax.Choices) bool {
	m.used |= useSdwa
	if !p.colon() {
		return false
	}
	at := p.skipTo()
	if p.accept('@') {
		n, ok := p.smallValue(3)
		*v = n
		return ok
	}
	n, ok := list.Value(p.isa.arch, p.lower(p.name()))
	if !ok {
		p.errorIn(at, max(p.pos, at+1), "unknown selection '%s'", p.src[at:p.pos])
		return false
	}
	*v = n
	return true
}

// laneMask reads the value of bank_mask or row_mask.
func (p *parser) laneMask(m *vectorMods, v *int) bool {
	m.used |= useDpp
	if !p.colon() {
		return false
	}
	n, ok := p.smallValue(4)
	*v = n
	return ok
}

// boundControl reads bound_ctrl, which :0 turns on, too. A second value turns it
// off or on.
func (p *parser) boundControl(m *vectorMods) bool {
	m.used |= useDpp
	m.bound = true
	if p.peek() != ':' {
		return true
	}
	p.pos++
	at := p.skipTo()
	v, ok := p.required()
	if !ok {
		return false
	}
	if v > 1 {
		p.errorIn(at, p.pos, "bound_ctrl is 0 or 1")
		return false
	}
	if p.peek() != ':' {
		return true
	}
	p.pos++
	v, ok = p.required()
	m.bound = v != 0
	return ok
}

// setControl sets the lane control.
func (p *parser) setControl(m *vectorMods, at, v int) {
	if m.hasCtrl {
		p.warnAt(at, "the lane control is given twice")
	}
	m.ctrl, m.hasCtrl = v, true
	m.used |= useDpp
}

// quadPerm reads quad_perm:[0,1,2,3].
func (p *parser) quadPerm(m *vectorMods, at int) bool {
	if !p.colon() {
		return false
	}
	if !p.accept('[') {
		p.errorAt(p.pos, "expected '[' before the lanes")
		return false
	}
	ctrl := 0
	for i := range 4 {
		if i > 0 && !p.comma() {
			return false
		}
		v, ok := p.smallValue(2)
		if !ok {
			return false
		}
		ctrl |= v << (2 * i)
	}
	if !p.accept(']') {
		p.errorAt(p.pos, "expected ']' at the end of the lanes")
		return false
	}
	p.setControl(m, at, ctrl)
	return true
}

// laneControl reads the number of lane control i. With whole, the name already
// has it.
func (p *parser) laneControl(m *vectorMods, at, i int, whole bool) bool {
	c := &clrxsyntax.LaneControls[i]
	if whole || c.Last == 0 {
		p.setControl(m, at, c.Ctrl)
		return true
	}
	optional := c.First == 1 && c.Last == 1
	if optional && p.peek() != ':' {
		p.setControl(m, at, c.Ctrl)
		return true
	}
	if !p.colon() {
		return false
	}
	start := p.skipTo()
	v, ok := p.required()
	if !ok {
		return false
	}
	for ; i < len(clrxsyntax.LaneControls); i++ {
		d := &clrxsyntax.LaneControls[i]
		if d.Name == c.Name && v >= uint64(d.First) && v <= uint64(d.Last) {
			p.setControl(m, at, d.Ctrl+int(v)-d.First)
			return true
		}
	}
	p.errorIn(start, p.pos, "number of lanes is out of range")
	if optional {
		p.pos = start
	}
	return false
}

// sourceModifiers applies the modifiers neg, abs and sext to the sources.
func (p *parser) sourceModifiers(x *vector) {
	m := &x.mods
	for i := range x.n {
		o := &x.src[i]
		if m.hasMask[0] {
			o.neg = m.masks[0]>>i&1 != 0
		}
		if m.hasMask[1] {
			o.abs = m.masks[1]>>i&1 != 0
		}
		if m.hasMask[2] {
			o.sext = m.masks[2]>>i&1 != 0
		}
		if o.sext {
			m.used |= useSdwa
		}
	}
}

// encodeVector chooses the form of a vector instruction and emits it. modsAt is
// the column of the modifiers.
func (p *parser) encodeVector(x *vector, modsAt int) {
	r, m := x.r, &x.mods
	sdwa, dpp := m.sdwa || m.used&useSdwa != 0, m.dpp || m.used&useDpp != 0
	if sdwa && dpp || (sdwa || dpp) && (m.vop3 || m.hasList[listOpSel]) ||
		(dpp || sdwa && p.isa.arch < clrxsyntax.GCN14) && m.omod != 0 || dpp && m.clamp {
		p.errorAt(modsAt, "the modifiers belong to different encodings")
		return
	}
	if !p.checkScalars(x) {
		return
	}
	switch {
	case r.Form == isa.VOP3P:
		p.encodePacked(x)
	case sdwa:
		p.encodeSdwa(x)
	case dpp:
		p.encodeDpp(x)
	case r.Form == isa.VOP3 || p.needsLong(x):
		p.encodeLong(x)
	default:
		p.encodeShort(x)
	}
}

// countedScalars is the number of scalar registers that count as SGPRs: up to
// VCC.
const countedScalars = 108

// checkScalars reports an error if a vector instruction reads more than one
// scalar register or literal.
func (p *parser) checkScalars(x *vector) bool {
	if x.r.Flags.Has(clrxsyntax.MulConst|clrxsyntax.AddConst) || x.r.Flags.Has(clrxsyntax.LaneSelect) && x.src[0].r.isVector() {
		return true
	}
	n, last := 0, -1
	if p.isa.literal.has {
		n++
	}
	for i := range x.n {
		if o := &x.src[i]; o.num < countedScalars && o.num != last {
			n++
			last = o.num
		}
	}
	if n > 1 {
		p.errorAt(p.isa.at, "the instruction reads more than one scalar register or literal")
		return false
	}
	return true
}

// needsLong reports whether the operands or modifiers need VOP3.
func (p *parser) needsLong(x *vector) bool {
	r, m := x.r, &x.mods
	if r.Flags.Has(clrxsyntax.MulConst | clrxsyntax.AddConst) {
		return false
	}
	if m.vop3 || m.clamp || m.omod != 0 || m.hasList[listOpSel] {
		return true
	}
	for i := range x.n {
		if o := &x.src[i]; o.neg || o.abs {
			return true
		}
	}
	if x.n > 1 && x.src[1].r.isVector() == r.Flags.Has(clrxsyntax.LaneSelect) {
		return true
	}
	return r.Form == isa.VOPC && x.dst.first != clrxsyntax.SrcVCC ||
		r.Flags.Has(clrxsyntax.CarryOut) && x.carry.first != clrxsyntax.SrcVCC ||
		r.Flags.Has(clrxsyntax.CarryIn) && x.carryIn.first != clrxsyntax.SrcVCC
}

// encodeShort emits VOP1, VOP2 or VOPC.
func (p *parser) encodeShort(x *vector) {
	e := p.encode(x.r.Form, x.r.Code)
	if x.r.Form != isa.VOPC {
		e.setField(isa.FieldVdst, x.dst.first)
	}
	if x.n > 0 {
		e.setField(isa.FieldSrc0, x.src[0].num)
	}
	if x.n > 1 {
		e.setField(isa.FieldSrc1, x.src[1].num)
	}
	p.emitInst(&e, 1)
}

// encodeLong emits VOP3.
func (p *parser) encodeLong(x *vector) {
	r, m := x.r, &x.mods
	code := r.Code3
	if r.Form == isa.VOP3 {
		code = r.Code
	}
	switch {
	case code == clrxsyntax.NoCode:
		p.errorAt(p.isa.at, "the instruction has no long form")
		return
	case p.isa.literal.has:
		p.errorAt(p.isa.at, "a literal is not possible with these operands and modifiers")
		return
	}
	e := p.encode(isa.VOP3, code)
	e.setField(isa.FieldVdst, x.dst.first)
	neg, abs := 0, 0
	for i, f := range [...]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2} {
		if i >= x.n {
			break
		}
		o := &x.src[i]
		e.setField(f, o.num)
		if o.neg {
			neg |= 1 << i
		}
		if o.abs {
			abs |= 1 << i
		}
	}
	if r.Flags.Has(clrxsyntax.CarryIn) {
		e.setField(isa.FieldSrc2, x.carryIn.first)
	}
	e.setField(isa.FieldNeg, neg)
	e.setField(isa.FieldOmod, m.omod)
	if r.Flags.Has(clrxsyntax.CarryOut) {
		if abs != 0 || m.clamp && p.isa.arch < clrxsyntax.GCN12 {
			p.errorAt(p.isa.at, "abs and clamp are not possible with a second result")
			return
		}
		e.setField(isa.FieldSdst, x.carry.first)
	} else {
		e.setField(isa.FieldAbs, abs)
		e.setField(isa.FieldOpSel, m.lists[listOpSel])
	}
	e.setBool(isa.FieldClamp, m.clamp)
	p.emitInst(&e, 2)
}

// encodePacked emits VOP3P.
func (p *parser) encodePacked(x *vector) {
	m := &x.mods
	e := p.encode(isa.VOP3P, x.r.Code)
	e.setField(isa.FieldVdst, x.dst.first)
	for i, f := range [...]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2} {
		if i < x.n {
			e.setField(f, x.src[i].num)
		}
	}
	hi := 7
	if m.hasList[listOpSelHi] {
		hi = m.lists[listOpSelHi]
	}
	e.setField(isa.FieldOpSel, m.lists[listOpSel])
	e.setField(isa.FieldOpSelHi, hi)
	e.setField(isa.FieldOpSelHi2, hi>>2)
	e.setField(isa.FieldNeg, m.lists[listNegLo])
	e.setField(isa.FieldNegHi, m.lists[listNegHi])
	e.setBool(isa.FieldClamp, m.clamp)
	p.emitInst(&e, 2)
}

// extraForm returns the native words of an instruction with an extra dword, and
// an empty extra dword. ok is false after an error.
func (p *parser) extraForm(x *vector, src0 int, form isa.Form) (e, w encoded, ok bool) {
	r := x.r
	scalars := form == isa.SDWAWORD && p.isa.arch == clrxsyntax.GCN14
	good := r.Dst < 2 && r.Src[0] < 2 && r.Src[1] < 2 && !r.Flags.Has(clrxsyntax.NoSdwa) && !p.isa.literal.has
	for i := range x.n {
		o := &x.src[i]
		good = good && (o.r.isVector() || scalars && o.num < clrxsyntax.SrcVGPR)
	}
	if r.Form == isa.VOPC && x.dst.first != clrxsyntax.SrcVCC && !scalars ||
		r.Flags.Has(clrxsyntax.CarryOut) && x.carry.first != clrxsyntax.SrcVCC ||
		r.Flags.Has(clrxsyntax.CarryIn) && x.carryIn.first != clrxsyntax.SrcVCC {
		good = false
	}
	if !good {
		p.errorAt(p.isa.at, "SDWA and DPP are not possible with these operands")
		return e, w, false
	}
	e = p.encode(r.Form, r.Code)
	if r.Form != isa.VOPC {
		e.setField(isa.FieldVdst, x.dst.first)
	}
	e.setField(isa.FieldSrc0, src0)
	if x.n > 1 {
		e.setField(isa.FieldSrc1, x.src[1].num)
	}
	w.place = &p.isa.table.Place[form]
	w.setField(isa.FieldSrc0, x.src[0].num)
	return e, w, true
}

// extraMods sets neg and abs of the sources in an extra dword.
func (w *encoded) extraMods(x *vector) {
	w.setBool(isa.FieldSrc0Neg, x.src[0].neg)
	w.setBool(isa.FieldSrc0Abs, x.src[0].abs)
	w.setBool(isa.FieldSrc1Neg, x.src[1].neg)
	w.setBool(isa.FieldSrc1Abs, x.src[1].abs)
}

// emitExtra emits an instruction and its extra dword.
func (p *parser) emitExtra(e, w *encoded) {
	e.w |= w.w << 32
	p.emitInst(e, 2)
}

// encodeSdwa emits an instruction with an SDWA dword.
func (p *parser) encodeSdwa(x *vector) {
	e, w, ok := p.extraForm(x, clrxsyntax.SrcSDWA, isa.SDWAWORD)
	if !ok {
		return
	}
	m := &x.mods
	if x.r.Form == isa.VOPC && p.isa.arch == clrxsyntax.GCN14 {
		if x.dst.first != clrxsyntax.SrcVCC {
			w.setField(isa.FieldSd, 1)
			w.setField(isa.FieldSdst, x.dst.first)
		}
	} else {
		w.setField(isa.FieldDstSel, m.sel[0])
		w.setField(isa.FieldDstUnused, m.unused)
		w.setField(isa.FieldOmod, m.omod)
		w.setBool(isa.FieldClamp, m.clamp)
	}
	w.setField(isa.FieldSrc0Sel, m.sel[1])
	w.setBool(isa.FieldSrc0Sext, x.src[0].sext)
	w.setBool(isa.FieldSrc0S, !x.src[0].r.isVector())
	if x.n > 1 {
		w.setField(isa.FieldSrc1Sel, m.sel[2])
		w.setBool(isa.FieldSrc1Sext, x.src[1].sext)
		w.setBool(isa.FieldSrc1S, !x.src[1].r.isVector())
	}
	w.extraMods(x)
	p.emitExtra(&e, &w)
}

// encodeDpp emits an instruction with a DPP dword.
func (p *parser) encodeDpp(x *vector) {
	e, w, ok := p.extraForm(x, clrxsyntax.SrcDPP, isa.DPP16)
	if !ok {
		return
	}
	m := &x.mods
	w.setField(isa.FieldDppCtrl, m.ctrl)
	w.setBool(isa.FieldBoundCtrl, m.bound)
	w.setField(isa.FieldBankMask, m.bank)
	w.setField(isa.FieldRowMask, m.row)
	w.extraMods(x)
	p.emitExtra(&e, &w)
}
