package asm

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/isa"
)

// instruction is a parsed instruction and its places in the text.
type instruction struct {
	asmmatch.Statement
	exprs [asmmatch.MaxOperands]asmcore.Value // of the operands of KindExpr

	start, end   int // of the mnemonic
	yStart, yEnd int // of the second half's mnemonic
}

// addOperand appends an operand. If there are too many, it reports an error and
// returns nil.
func (d *dialect) addOperand(kind asmmatch.Kind, pos int) *asmmatch.Operand {
	s := &d.stmt
	if s.NumOps == asmmatch.MaxOperands {
		d.p.Errorf(pos, pos+1, "too many operands for instruction")
		return nil
	}
	o := &s.Ops[s.NumOps]
	s.NumOps++
	*o = asmmatch.Operand{Kind: kind, Pos: int32(pos)}
	return o
}

// operands reads the operands and modifiers up to the end of the statement.
func (d *dialect) operands() bool {
	p := d.p
	for !p.AtEnd() {
		if !d.operand() {
			return false
		}
		p.Accept(',')
	}
	return true
}

// operand reads one operand or modifier. The cursor is at its first byte.
func (d *dialect) operand() bool {
	p, s := d.p, &d.stmt
	c := p.Src[p.Pos]
	if c == '@' {
		p.Pos++
		start, end := p.Ident()
		p.Errorf(start, max(end, start+1), "invalid variant '%s': a symbol must precede the @", printable(p.Src[start:end]))
		return false
	}
	if s.NumOps < len(s.Mnemonic.Syntaxes) && s.Mnemonic.Syntaxes[s.NumOps] != asmmatch.SyntaxPlain && s.Second == nil {
		if done, ok := specialReaders[s.Mnemonic.Syntaxes[s.NumOps]](d); done {
			return ok
		}
	}
	switch {
	case c == 'v' || c == 's':
		if d.plainRegister(c) {
			return true
		}
		return d.word()
	case isDigit(c):
		return d.number()
	case c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c == '.':
		return d.word()
	}
	switch c {
	case '[':
		return d.bracket()
	case '|':
		return d.modified()
	case '-':
		return d.minus()
	case ':':
		if p.Src[p.Pos+1] == ':' {
			return d.nextHalf()
		}
	}
	return d.immediate()
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// plainRegister reads v1, s1, v[1:2] or s[1:2], the common case. It returns
// false without moving the cursor for anything else.
func (d *dialect) plainRegister(c byte) bool {
	p := d.p
	src, start := p.Src, p.Pos
	i := start + 1
	if src[i] == '[' {
		return d.plainTuple(c)
	}
	n := uint32(0)
	for ; isDigit(src[i]) && n < 1000; i++ {
		n = n*10 + uint32(src[i]-'0')
	}
	if i == start+1 || d.ident[src[i]] || src[i] == '[' {
		return false
	}
	limit := uint32(d.numSGPRs)
	file := isa.FileS
	if c == 'v' {
		limit, file = 256, isa.FileV
	}
	if n >= limit || d.stmt.NumOps == asmmatch.MaxOperands {
		return false
	}
	d.used(file, n, 1)
	o := &d.stmt.Ops[d.stmt.NumOps]
	d.stmt.NumOps++
	*o = asmmatch.Operand{Kind: asmmatch.KindReg, File: file, Dwords: 1, Reg: uint16(n), Pos: int32(start), End: int32(i)}
	p.Pos = i
	return true
}

// plainTuple reads v[1:2] or s[1:2].
func (d *dialect) plainTuple(c byte) bool {
	p := d.p
	src, start := p.Src, p.Pos
	i := start + 2
	lo, hi := uint32(0), uint32(0)
	for ; isDigit(src[i]) && lo < 1000; i++ {
		lo = lo*10 + uint32(src[i]-'0')
	}
	if src[i] != ':' || i == start+2 {
		return false
	}
	first := i + 1
	for i++; isDigit(src[i]) && hi < 1000; i++ {
		hi = hi*10 + uint32(src[i]-'0')
	}
	// A number with a leading 0 is octal.
	if src[i] != ']' || i == first || hi < lo || hi > 255 || src[start+2] == '0' && src[start+3] != ':' || src[first] == '0' && i != first+1 {
		return false
	}
	kind, file := isa.RegSGPR, isa.FileS
	if c == 'v' {
		kind, file = isa.RegVGPR, isa.FileV
	}
	if d.stmt.NumOps == asmmatch.MaxOperands || !d.goodTuple(kind, lo, hi-lo+1) {
		return false
	}
	d.used(file, lo, hi-lo+1)
	o := &d.stmt.Ops[d.stmt.NumOps]
	d.stmt.NumOps++
	*o = asmmatch.Operand{Kind: asmmatch.KindReg, File: file, Dwords: uint8(hi - lo + 1), Reg: uint16(lo), Pos: int32(start), End: int32(i + 1)}
	p.Pos = i + 1
	return true
}

// goodTuple is a fast isa.CheckRegs for the sizes that are valid in all files.
func (d *dialect) goodTuple(k isa.RegKind, lo, n uint32) bool {
	const sizes = 1<<1 | 1<<2 | 1<<3 | 1<<4 | 1<<5 | 1<<6 | 1<<7 | 1<<8 | 1<<16
	if n > 16 || sizes>>n&1 == 0 {
		return isa.CheckRegs(d.set, k, lo, n) == ""
	}
	if k == isa.RegVGPR {
		return lo+n <= 256
	}
	align := n
	if n > 2 {
		align = 4
	}
	return lo&(align-1) == 0 && lo+n <= uint32(d.numSGPRs)
}

// word reads an operand or modifier that begins with a letter.
func (d *dialect) word() bool {
	p := d.p
	start, end := p.Ident()
	if start == end {
		return d.immediate()
	}
	name := p.Src[start:end]
	if r := d.words.modifier(name); r != nil && (r.id != asmmatch.ModA16 || d.stmt.NumOps > 0) {
		if done, ok := d.modifier(r, start, end); done {
			return ok
		}
		if (r.id == asmmatch.ModA16 || r.id == asmmatch.ModR128) && d.stmt.Mnemonic.Form() == isa.MIMG && d.stmt.NumOps > 1 {
			p.Errorf(start, end, "%s modifier is not supported on %s", name, d.cpu())
			return false
		}
	}
	switch next := p.Peek(); {
	case next == '(':
		if m := wordMods(name); m != 0 {
			p.Pos = start
			return d.modified()
		}
	case next == ':' && p.Src[p.Pos+1] != ':':
		return d.badModifier(start, end)
	}
	if done, ok := d.register(start, end); done {
		return ok
	}
	if string(name) == "off" && d.stmt.Mnemonic.HasOff {
		o := d.addOperand(asmmatch.KindOff, start)
		if o == nil {
			return false
		}
		o.End = int32(end)
		p.Pos = end
		return true
	}
	p.Pos = start
	return d.immediate()
}

// wordMods returns the modifier that is written as a function called name.
func wordMods(name []byte) asmmatch.OperandMods {
	switch string(name) {
	case "neg":
		return asmmatch.Neg
	case "abs":
		return asmmatch.Abs
	case "sext":
		return asmmatch.Sext
	case "lit":
		return asmmatch.Lit
	case "lit64":
		return asmmatch.Lit64
	}
	return 0
}

// bracket reads a list of registers. From gfx10 on, an image instruction may
// have a list of addresses.
func (d *dialect) bracket() bool {
	if d.stmt.Mnemonic.NSA && d.stmt.NumOps == 1 {
		return d.addressList()
	}
	return d.registerList()
}

// minus reads -1, -1.0, -v0, -|x|, -abs(x).
func (d *dialect) minus() bool {
	p := d.p
	start := p.Pos
	p.Pos++
	c := p.Peek()
	signed := c == '|' || d.atRegister() || d.atAbs()
	p.Pos = start
	switch {
	case c == '-' && d.takesMods(asmmatch.NegAbs):
		p.Errorf(start, start+2, "invalid syntax, expected 'neg' modifier")
		return false
	case signed:
		return d.modified()
	}
	return d.immediate()
}

// atAbs reports whether the cursor is at abs.
func (d *dialect) atAbs() bool {
	p := d.p
	pos := p.Pos
	start, end := p.Ident()
	p.Pos = pos
	return string(p.Src[start:end]) == "abs"
}

// takesMods reports whether some encoding of the instruction accepts modifiers
// at the current operand.
func (d *dialect) takesMods(m asmmatch.OperandMods) bool {
	mn, n := d.position()
	return mn.TakesMods(n, m)
}

// position returns the mnemonic that the current operand belongs to, and the
// operand's index.
func (d *dialect) position() (*asmmatch.Mnemonic, int) {
	if s := &d.stmt; s.Second != nil {
		return s.Second, s.NumOps - s.NumFirst
	}
	return d.stmt.Mnemonic, d.stmt.NumOps
}

// modified reads an operand with modifiers: -, neg(, abs(, lit( and |, or sext(.
func (d *dialect) modified() bool {
	p := d.p
	start := p.Pos
	first, _ := d.openWord()
	p.Pos = start
	need := asmmatch.NegAbs
	if first == asmmatch.Sext {
		need = asmmatch.Sext
	}
	if first&asmmatch.AnyLit == 0 && !d.takesMods(need) {
		p.Errorf(start, start+1, "not a valid operand: the instruction does not accept %s here", modsText(need))
		return false
	}
	mods, open, ok := d.openMods(need)
	if !ok {
		return false
	}
	bars := p.Peek() == '|'
	if bars {
		if mods&asmmatch.Abs != 0 || first == asmmatch.Sext {
			p.Errorf(p.Pos, p.Pos+1, "expected register or immediate")
			return false
		}
		p.Pos++
		mods |= asmmatch.Abs
	}
	o := d.inner(bars)
	if o == nil || bars && !d.close('|', "expected vertical bar") {
		return false
	}
	for ; open > 0; open-- {
		if !d.close(')', "expected closing parentheses") {
			return false
		}
	}
	o.Pos, o.End = int32(start), int32(p.Pos)
	return d.applyMods(o, mods)
}

// modsText describes modifiers for a message.
func modsText(m asmmatch.OperandMods) string {
	if m == asmmatch.Sext {
		return "sext"
	}
	return "neg or abs"
}

// openMods reads the minus and the opening words of modifiers. open is the
// number of parentheses to close.
func (d *dialect) openMods(allowed asmmatch.OperandMods) (mods asmmatch.OperandMods, open int, ok bool) {
	p := d.p
	if allowed == asmmatch.NegAbs && p.Accept('-') {
		mods = asmmatch.Neg
	}
	for {
		p.SkipSpace()
		at := p.Pos
		w, is := d.openWord()
		if !is {
			p.Pos = at
			return mods, open, true
		}
		before := mods &^ asmmatch.Neg // allowed outside
		if w == asmmatch.Neg {
			before = mods
		}
		if w&(allowed|asmmatch.AnyLit) == 0 || before != 0 && !(w&asmmatch.AnyLit != 0 && before&asmmatch.AnyLit == 0) {
			p.Errorf(at, p.Pos, "expected register or immediate")
			return 0, 0, false
		}
		if w == asmmatch.Lit64 && !d.match.TakesLit64() {
			if d.takesMods(asmmatch.NegAbs) {
				p.Errorf(at, p.Pos, "lit64 is not supported on %s", d.target.Processor.Name)
				return 0, 0, false
			}
			w = asmmatch.Lit // LLVM does not check where modifiers are not allowed
		}
		mods |= w
		open++
	}
}

// close reads a closing character.
func (d *dialect) close(c byte, problem string) bool {
	p := d.p
	if p.Accept(c) {
		return true
	}
	p.Errorf(p.Pos, p.Pos+1, "%s", problem)
	return false
}

// openWord reads neg(, abs(, sext(, lit( or lit64(.
func (d *dialect) openWord() (asmmatch.OperandMods, bool) {
	p := d.p
	start, end := p.Ident()
	if start == end {
		return 0, false
	}
	w := wordMods(p.Src[start:end])
	if w == 0 || !p.Accept('(') {
		return 0, false
	}
	return w, true
}

// inner reads the register or immediate inside modifiers, optionally between
// bars.
func (d *dialect) inner(bars bool) *asmmatch.Operand {
	p := d.p
	n := d.stmt.NumOps
	p.SkipSpace()
	start := p.Pos
	ok := false
	switch {
	case !d.atRegister():
		if bars {
			ok = d.barred()
		} else {
			ok = d.immediate()
		}
	case p.Src[start] == '[':
		ok = d.registerList()
	default:
		s, e := p.Ident()
		_, ok = d.register(s, e)
	}
	if !ok {
		return nil
	}
	return &d.stmt.Ops[n]
}

// applyMods applies modifiers to an operand.
func (d *dialect) applyMods(o *asmmatch.Operand, mods asmmatch.OperandMods) bool {
	if o.Kind == asmmatch.KindExpr {
		d.p.Errorf(int(o.Pos), int(o.End), "expected an absolute expression")
		return false
	}
	if mods&asmmatch.AnyLit != 0 && o.Kind == asmmatch.KindReg {
		d.p.Errorf(int(o.Pos), int(o.End), "expected immediate with lit modifier")
		return false
	}
	o.Mods |= mods
	return true
}

// barred reads the immediate between two bars. A bar ends the expression; LLVM
// accepts a primary expression there, optionally with a sign.
func (d *dialect) barred() bool {
	p := d.p
	start := p.Pos
	if w, is := d.openWord(); is && w&asmmatch.AnyLit != 0 {
		p.Pos = start
		return d.literalInBars()
	}
	p.Pos = start
	if d.real(start) || p.Failed() {
		return !p.Failed()
	}
	end := start
	for p.Src[end] != '\n' && p.Src[end] != '|' {
		end++
	}
	// The core reads a copy that ends at the bar.
	src := p.Src
	part := append(append([]byte(nil), src[start:end]...), '\n')
	p.Src, p.Pos = part, 0
	v, ok := p.Expr()
	at := start + p.Pos
	p.Src, p.Pos = src, at
	return ok && d.addValue(v, start)
}

// literalInBars reads lit(x), or lit64(x), between two bars.
func (d *dialect) literalInBars() bool {
	n := d.stmt.NumOps
	_, open, ok := d.openMods(0)
	if !ok || !d.immediate() {
		return false
	}
	for ; open > 0; open-- {
		if !d.close(')', "expected closing parentheses") {
			return false
		}
	}
	return n < d.stmt.NumOps // LLVM ignores lit here
}

// number reads a number, the common case of an immediate: decimal or
// hexadecimal digits that end the operand.
func (d *dialect) number() bool {
	p := d.p
	src, start := p.Src, p.Pos
	i := start
	v := uint64(0)
	if src[i] == '0' && src[i+1] == 'x' {
		i += 2
		for ; i < start+18; i++ {
			n := hexDigit(src[i])
			if n > 15 {
				break
			}
			v = v<<4 | uint64(n)
		}
		if i == start+2 {
			return d.immediate()
		}
	} else {
		for ; isDigit(src[i]) && i < start+18; i++ {
			v = v*10 + uint64(src[i]-'0')
		}
		if src[start] == '0' && i > start+1 {
			return d.immediate()
		}
	}
	switch src[i] {
	case ',', '\n', ')', ']':
	case ' ':
		if c := src[i+1]; !isDigit(c) && c|0x20 < 'a' && c != '[' && c != '\n' && c != ';' && c != '/' {
			return d.immediate()
		}
	default:
		return d.immediate()
	}
	if d.stmt.NumOps == asmmatch.MaxOperands {
		return d.immediate()
	}
	o := &d.stmt.Ops[d.stmt.NumOps]
	d.stmt.NumOps++
	*o = asmmatch.Operand{Kind: asmmatch.KindInt, Val: int64(v), Pos: int32(start), End: int32(i)}
	p.Pos = i
	return true
}

func hexDigit(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

// immediate reads a number or an expression.
func (d *dialect) immediate() bool {
	p := d.p
	p.SkipSpace()
	start := p.Pos
	if d.real(start) {
		return true
	}
	if p.Failed() {
		return false
	}
	v, ok := p.Expr()
	return ok && d.addValue(v, start)
}

// addValue adds the operand of an expression that begins at start.
func (d *dialect) addValue(v asmcore.Value, start int) bool {
	o := d.addOperand(asmmatch.KindInt, start)
	if o == nil {
		return false
	}
	o.End = int32(d.p.Pos)
	if v.IsConst() {
		o.Val = v.Const
		return true
	}
	o.Kind, d.stmt.exprs[d.stmt.NumOps-1] = asmmatch.KindExpr, v
	return true
}

// real reads a floating-point number with an optional minus.
func (d *dialect) real(start int) bool {
	p := d.p
	i := start
	if p.Src[i] == '-' {
		i++
		for p.Src[i] == ' ' || p.Src[i] == '\t' {
			i++
		}
	}
	if !isDigit(p.Src[i]) && !(p.Src[i] == '.' && isDigit(p.Src[i+1])) || !looksReal(p.Src, i) {
		return false
	}
	mark := p.Mark()
	p.Pos = i
	n := p.Number()
	if n.Kind != asmcore.Real {
		if !p.Failed() {
			p.Reset(mark)
		}
		return false
	}
	f, _ := p.RealValue(n, 64) // overflow yields infinity
	o := d.addOperand(asmmatch.KindReal, start)
	if o == nil {
		return false
	}
	o.Val, o.End = int64(math.Float64bits(f)), int32(p.Pos)
	if i != start {
		o.Val ^= -1 << 63
	}
	return true
}

// looksReal reports whether the digits at i begin a floating-point number.
func looksReal(src []byte, i int) bool {
	if src[i] == '0' && src[i+1]|0x20 == 'x' {
		for i += 2; hexDigit(src[i]) < 16; i++ {
		}
		return src[i] == '.' || src[i]|0x20 == 'p'
	}
	for isDigit(src[i]) {
		i++
	}
	return src[i] == '.' || src[i]|0x20 == 'e'
}
