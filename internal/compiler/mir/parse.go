package mir

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
)

// Parse reads a function in the format of [Func.AppendText] without properties.
// name is the file name for diagnostics. Debug locations and the instructions
// of the IR are not part of the text.
func Parse(name string, src []byte) (*Func, error) {
	list, err := ParseFile(&diag.Source{Name: name, Text: src}, 0, nil)
	switch {
	case err != nil:
		return nil, err
	case len(list) > 1:
		return nil, list[1].Errorf(0, "expected one function")
	}
	return list[0].F, nil
}

// Parsed is a function from text.
type Parsed struct {
	F          *Func
	Properties []Property
	src        *diag.Source
	off        int   // of the function
	at         []int // offsets of instructions, by index
}

// Errorf returns an error with the position of an instruction, or of the
// function if i is 0.
func (x *Parsed) Errorf(i Instr, format string, args ...any) error {
	if i != 0 && int(i) < len(x.at) {
		return errorAt(x.src, x.at[i], format, args...)
	}
	return errorAt(x.src, x.off, format, args...)
}

// PropertyErrorf returns an error with the position of a property.
func (x *Parsed) PropertyErrorf(p *Property, format string, args ...any) error {
	return errorAt(x.src, p.off, format, args...)
}

func errorAt(src *diag.Source, off int, format string, args ...any) error {
	var list diag.List
	list.Errorf(src, off, off, format, args...)
	return list
}

// Property returns the property with a name, or nil.
func (x *Parsed) Property(name string) *Property {
	for i := range x.Properties {
		if x.Properties[i].Name == name {
			return &x.Properties[i]
		}
	}
	return nil
}

// ParseFile reads functions in the format of [Func.AppendText] from a source,
// starting at an offset. properties lists the names of properties that they may
// have. The error is a diag.List.
func ParseFile(src *diag.Source, off int, properties []string) ([]*Parsed, error) {
	p := &parser{src: src, next: off, properties: properties}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.list, nil
}

// StartsFunction reports whether a line of text is the start of a function.
func StartsFunction(line []byte) bool { return bytes.HasPrefix(line, []byte("func @")) }

// Limits on the sizes that a text may request.
const maxParsedNumber = 1 << 16 // of blocks, registers and objects

type parser struct {
	src        *diag.Source
	properties []string
	list       []*Parsed // all functions, the current one last
	next       int       // offset of the next line
	off        int       // offset of the rest of the line
	end        int       // offset of the line's end
	f          *Func
	at         Block
	seen       map[Block]bool
	refs       map[Block]int // offset of the first reference
	orders     []predOrder
}

// predOrder is the order of a block's predecessors.
type predOrder struct {
	of     Block
	linear bool
	list   []Block
	off    int
}

// parseError carries a diagnostic to ParseFile as a panic value.
type parseError struct{ err error }

func (p *parser) fail(format string, args ...any) {
	panic(parseError{errorAt(p.src, p.off, format, args...)})
}

func (p *parser) parse() (err error) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case parseError:
			err = x.err
		default:
			panic(x)
		}
	}()
	for p.next < len(p.src.Text) {
		p.off, p.end = p.next, len(p.src.Text)
		if n := bytes.IndexByte(p.src.Text[p.next:], '\n'); n >= 0 {
			p.end = p.next + n
		}
		p.next = p.end + 1
		p.end = p.off + codeLength(p.src.Text[p.off:p.end])
		p.line()
	}
	if p.f == nil {
		p.fail("expected 'func @name set wave'")
	}
	p.finish()
	return nil
}

// codeLength returns the length of a line without its comment.
func codeLength(line []byte) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == ';' && !quoted:
			return i
		}
	}
	return len(line)
}

// finish completes the current function.
func (p *parser) finish() {
	p.checkBlocks()
	for _, x := range p.orders {
		b := &p.f.blocks[x.of]
		preds := &b.preds
		if x.linear {
			preds = &b.linearPreds
		}
		if !slices.Equal(slices.Sorted(slices.Values(*preds)), slices.Sorted(slices.Values(x.list))) {
			p.off = x.off
			p.fail("the predecessors of bb%d do not match the edges to it", x.of)
		}
		copy(*preds, x.list)
	}
}

// checkBlocks reports blocks that are referenced but not defined.
func (p *parser) checkBlocks() {
	for b := 1; b < p.f.NumBlocks(); b++ {
		if at, used := p.refs[Block(b)]; used && !p.seen[Block(b)] {
			p.off = at
			p.fail("undefined block bb%d", b)
		}
	}
}

func (p *parser) line() {
	p.space()
	if p.off == p.end {
		return
	}
	word := p.peekWord()
	switch {
	case p.f == nil || word == "func":
		p.header()
	case word == "object" && p.at == 0:
		p.object()
	case word == "jumps" && p.at == 0:
		p.jumps()
	case p.at == 0 && slices.Contains(p.properties, word):
		p.property()
	case strings.HasPrefix(word, "bb") && p.after(word, ":"):
		p.block()
	case p.at == 0:
		p.fail("expected a block such as 'bb1:'")
	default:
		p.instr()
	}
	if p.space(); p.off != p.end {
		p.fail("expected end of line")
	}
}

func (p *parser) space() {
	for p.off < p.end && (p.src.Text[p.off] == ' ' || p.src.Text[p.off] == '\t' || p.src.Text[p.off] == '\r') {
		p.off++
	}
}

// isWord reports whether c can be part of a word: a name, a number or a
// register.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.%@$-", c) >= 0
}

func (p *parser) peekWord() string {
	p.space()
	i := p.off
	for i < p.end && isWord(p.src.Text[i]) {
		i++
	}
	return string(p.src.Text[p.off:i])
}

// after reports whether s follows the next word.
func (p *parser) after(word, s string) bool {
	return bytes.HasPrefix(p.src.Text[p.off+len(word):p.end], []byte(s))
}

func (p *parser) word() string {
	w := p.peekWord()
	p.off += len(w)
	return w
}

func (p *parser) accept(s string) bool {
	p.space()
	if bytes.HasPrefix(p.src.Text[p.off:p.end], []byte(s)) {
		p.off += len(s)
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.fail("expected '%s'", s)
	}
}

// number reads a number and checks it against a limit.
func (p *parser) number(limit int64) int64 {
	p.space()
	at := p.off
	n, err := strconv.ParseUint(p.word(), 0, 64)
	if err != nil || limit >= 0 && n > uint64(limit) {
		p.off = at
		p.fail("expected a number from 0 to %d", uint64(limit))
	}
	return int64(n)
}

// prefixed reads a word that consists of a prefix and a number, such as bb5 or
// object1.
func (p *parser) prefixed(prefix string) int {
	p.space()
	at := p.off
	n, err := strconv.ParseUint(strings.TrimPrefix(p.word(), prefix), 10, 32)
	if err != nil || n == 0 || n > maxParsedNumber {
		p.off = at
		p.fail("expected %s followed by a positive number", prefix)
	}
	return int(n)
}

func (p *parser) header() {
	if p.f != nil {
		p.finish()
	}
	x := &Parsed{src: p.src, off: p.off}
	p.expect("func")
	p.expect("@")
	name := p.name()
	for _, other := range p.list {
		if other.F.Name == name {
			p.off = x.off
			p.fail("redefinition of function @%s", name)
		}
	}
	set, ok := setByName(p.peekWord())
	if !ok {
		p.fail("unknown instruction set %q", p.peekWord())
	}
	p.word()
	wave, ok := map[string]int{"wave32": 32, "wave64": 64}[p.peekWord()]
	if !ok || !slices.Contains(set.WaveSizes(), wave) {
		p.fail("%v does not support %q", set, p.peekWord())
	}
	p.word()
	p.f = NewFunc(name, MachineOf(set, wave))
	p.at, p.seen, p.refs, p.orders = 0, map[Block]bool{}, map[Block]int{}, nil
	x.F = p.f
	p.list = append(p.list, x)
}

// name reads a name, which may be in quotes.
func (p *parser) name() string {
	if !p.hasQuote() {
		return p.word()
	}
	quoted, err := strconv.QuotedPrefix(string(p.src.Text[p.off:p.end]))
	if err != nil {
		p.fail("expected a name in quotes")
	}
	p.off += len(quoted)
	name, err := strconv.Unquote(quoted)
	if err != nil {
		p.fail("expected a name in quotes")
	}
	return name
}

// hasQuote reports whether the next character is a quotation mark.
func (p *parser) hasQuote() bool { return p.off < p.end && p.src.Text[p.off] == '"' }

func (p *parser) property() {
	x := Property{off: p.off}
	x.Name = p.word()
	for p.space(); p.off < p.end; p.space() {
		at := p.off
		x.Values = append(x.Values, p.name())
		if p.off == at {
			p.fail("expected a name or a number")
		}
	}
	last := p.list[len(p.list)-1]
	if last.Property(x.Name) != nil {
		p.off = x.off
		p.fail("redefinition of '%s'", x.Name)
	}
	last.Properties = append(last.Properties, x)
}

func (p *parser) jumps() {
	p.word()
	for p.accept("@") {
		p.f.Jumps = append(p.f.Jumps, p.name())
	}
}

func (p *parser) object() {
	p.word()
	if n := p.number(maxParsedNumber); int(n) != len(p.f.Objects) {
		p.fail("object numbers start at 1")
	}
	var o FrameObject
	p.expect("size")
	o.Size = uint64(p.number(1 << 62))
	p.expect("align")
	o.Align = uint32(p.number(1 << 31))
	o.Spill = p.accept("spill")
	o.SGPR = p.accept("sgpr")
	o.Out = p.accept("out")
	o.End = p.accept("end")
	if o.In = p.accept("in"); o.In || p.accept("at") {
		o.Offset = p.signed()
	}
	p.f.NewObject(o)
}

// blockRef reads a reference to a block, which may be defined later.
func (p *parser) blockRef() Block {
	p.space()
	at := p.off
	n := p.prefixed("bb")
	if _, used := p.refs[Block(n)]; !used {
		p.refs[Block(n)] = at
	}
	for p.f.NumBlocks() <= n {
		p.f.newBlock()
	}
	return Block(n)
}

func (p *parser) block() {
	b := p.blockRef()
	if p.seen[b] {
		p.fail("redefinition of block bb%d", b)
	}
	p.seen[b] = true
	p.expect(":")
	p.at = b
	p.f.Layout = append(p.f.Layout, b)
	if p.accept("depth") {
		p.f.SetLoopDepth(b, int(p.number(255)))
	}
	kind := BlockKind(0)
	if p.accept("loop") {
		kind = LoopHeader
	}
	if p.peekWord() == "linear" && !p.after("linear", " to") && !p.after("linear", " from") {
		p.word()
		kind |= Linear
	}
	p.f.SetKind(b, kind)
	if p.accept("to") {
		p.edges(func(to Block) { p.f.AddEdge(b, to) })
	}
	if p.accept("linear to") {
		p.edges(func(to Block) { p.f.AddLinearEdge(b, to) })
	}
	for n, what := range [...]string{"from", "linear from"} {
		if at := p.off; p.accept(what) {
			x := predOrder{of: b, linear: n == 1, off: at}
			p.edges(func(from Block) { x.list = append(x.list, from) })
			p.orders = append(p.orders, x)
		}
	}
}

func (p *parser) edges(add func(Block)) {
	for {
		add(p.blockRef())
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) instr() {
	var ops []Operand
	defs := 0
	start := p.off
	if p.hasResults() {
		for {
			ops = append(ops, p.result())
			if defs++; !p.accept(",") {
				break
			}
		}
		p.expect("=")
	}
	p.space()
	at := p.off
	op := OpByName(p.word())
	if op == OpNone || !p.f.M.Has(op) {
		p.off = at
		p.fail("%v does not support operation %q", p.f.M.Set, p.peekWord())
	}
	for more := p.startsOperand(); more; more = p.accept(",") {
		ops = append(ops, p.operand())
	}
	if len(ops) > MaxOperands {
		p.off = start
		p.fail("an instruction has at most %d operands", MaxOperands)
	}
	i := p.f.NewInstr(op, defs, ops...)
	p.mods(i)
	p.f.Append(p.at, i)
	x := p.list[len(p.list)-1]
	for len(x.at) <= int(i) {
		x.at = append(x.at, start)
	}
}

// hasResults reports whether the line has a '=' that follows results.
func (p *parser) hasResults() bool {
	before, _, _ := bytes.Cut(p.src.Text[p.off:p.end], []byte{'"'})
	return bytes.Contains(before, []byte(" = "))
}

// startsOperand reports whether the next word is an operand, not a modifier.
func (p *parser) startsOperand() bool {
	p.space()
	if p.off == p.end {
		return false
	}
	w := p.peekWord()
	if w == "" || p.after(w, "(") || p.after(w, ":") && w[0] != '%' {
		return false
	}
	return !slices.Contains(flagNames[:], w) && !isModName(w)
}

func isModName(w string) bool {
	for _, x := range modNames {
		if x.name == w {
			return true
		}
	}
	for _, x := range memoryModNames {
		if x.name == w {
			return true
		}
	}
	return false
}

func (p *parser) operandFlags() (flags OperandFlags) {
	for {
		n := slices.Index(operandFlagNames[:], p.peekWord())
		if n < 0 {
			return flags
		}
		p.word()
		flags |= 1 << n
	}
}

// result reads a result: %1:v2, or a physical register.
func (p *parser) result() Operand {
	flags := p.operandFlags()
	w := p.peekWord()
	if !strings.HasPrefix(w, "%") {
		o := p.physical()
		o.Flags = flags
		return o
	}
	r := p.virtualReg()
	p.expect(":")
	p.class(r)
	o := R(r)
	o.Flags = flags
	return o
}

// class reads the class of a virtual register.
func (p *parser) class(r Reg) {
	at := p.off
	file, dwords, mask := parseClass(p.word())
	v := &p.f.vregs[r.Index()]
	if file == FileNone || v.file != FileNone && (v.file != file || int(v.dwords) != dwords) {
		p.off = at
		p.fail("expected a class such as v1, s2, a4, m2 or scc, the same everywhere")
	}
	v.file, v.dwords, v.mask = file, uint8(dwords), mask
}

func parseClass(w string) (file File, dwords int, mask bool) {
	if w == "scc" {
		return FileSCC, 1, false
	}
	if w == "m1" || w == "m2" {
		return FileS, int(w[1] - '0'), true
	}
	for _, f := range [...]File{FileS, FileV, FileA} {
		if rest, ok := strings.CutPrefix(w, f.String()); ok {
			if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= MaxDwords {
				return f, n, false
			}
		}
	}
	return FileNone, 0, false
}

func (p *parser) virtualReg() Reg {
	n := p.prefixed("%")
	for p.f.NumVirtual() <= n {
		p.f.vregs = append(p.f.vregs, vreg{})
	}
	return Virtual(n)
}

func (p *parser) operand() Operand {
	flags := p.operandFlags()
	o := p.plainOperand()
	o.Flags = flags
	return o
}

func (p *parser) plainOperand() Operand {
	w := p.peekWord()
	switch {
	case w == "none":
		p.word()
		return None
	case strings.HasPrefix(w, "%"):
		return p.virtualUse()
	case strings.HasPrefix(w, "bb"):
		return Target(p.blockRef())
	case strings.HasPrefix(w, "@"):
		return p.symbol()
	case strings.HasPrefix(w, "object"):
		return p.frame()
	case w != "" && (w[0] == '-' || w[0] >= '0' && w[0] <= '9'):
		return p.imm()
	}
	return p.physical()
}

func (p *parser) virtualUse() Operand {
	r := p.virtualReg()
	if p.off < p.end && p.src.Text[p.off] == ':' {
		p.off++
		p.class(r)
	}
	if !p.accept("[") {
		return R(r)
	}
	first := p.number(MaxDwords - 1)
	last := first
	if p.accept(":") {
		last = p.number(MaxDwords - 1)
	}
	p.expect("]")
	if last < first {
		p.fail("the last dword precedes the first one")
	}
	return Part(r, int(first), int(last-first+1))
}

func (p *parser) imm() Operand {
	at := p.off
	w := p.word()
	if n, err := strconv.ParseInt(w, 0, 64); err == nil {
		return Imm(n)
	}
	n, err := strconv.ParseUint(w, 0, 64)
	if err != nil {
		p.off = at
		p.fail("expected a 64-bit number")
	}
	return Imm(int64(n))
}

// addend reads +n of a sum.
func (p *parser) addend() int64 {
	if p.accept("+") {
		return p.number(1 << 62)
	}
	return 0
}

// signed reads a number that may have a sign, or nothing as 0.
func (p *parser) signed() int64 {
	at := p.off
	negative := p.accept("-")
	if !negative && !p.accept("+") && (p.off == p.end || p.src.Text[p.off] < '0' || p.src.Text[p.off] > '9') {
		return 0
	}
	i := p.off
	for i < p.end && p.src.Text[i] >= '0' && p.src.Text[i] <= '9' {
		i++
	}
	n, err := strconv.ParseInt(string(p.src.Text[p.off:i]), 10, 64)
	if err != nil {
		p.off = at
		p.fail("expected a 64-bit number")
	}
	p.off = i
	if negative {
		n = -n
	}
	return n
}

// symbol reads @name+8.abs32_lo. The name may itself contain dots and minus
// signs.
func (p *parser) symbol() Operand {
	if p.accept("@"); p.hasQuote() {
		name := p.name()
		addend := p.signed()
		p.expect(".")
		return SymbolAddr(p.f.Symbol(name), p.half(), addend)
	}
	w := p.word()
	addend := int64(0)
	if p.accept("+") {
		rest := p.word()
		n, half, ok := strings.Cut(rest, ".")
		x, err := strconv.ParseInt(n, 10, 64)
		if !ok || err != nil {
			p.fail("expected an addend and a part of the address")
		}
		addend, w = x, w+"."+half
	}
	dot := strings.LastIndexByte(w, '.')
	half := -1
	if dot > 0 {
		half = slices.Index(symbolHalves[:], w[dot+1:])
	}
	if half < 0 {
		p.fail("expected a symbol such as @name.abs32_lo")
	}
	name := w[:dot]
	if minus := strings.LastIndexByte(name, '-'); minus > 0 && addend == 0 {
		if x, err := strconv.ParseInt(name[minus:], 10, 64); err == nil {
			name, addend = name[:minus], x
		}
	}
	return SymbolAddr(p.f.Symbol(name), SymbolHalf(half), addend)
}

// half reads the name of a part of a symbol's address.
func (p *parser) half() SymbolHalf {
	n := slices.Index(symbolHalves[:], p.peekWord())
	if n < 0 {
		p.fail("expected a part of the address such as abs32_lo")
	}
	p.word()
	return SymbolHalf(n)
}

func (p *parser) frame() Operand {
	w := p.word()
	name, minus, negative := strings.Cut(w, "-")
	n, err := strconv.Atoi(strings.TrimPrefix(name, "object"))
	if err != nil || n < 1 || n >= len(p.f.Objects) {
		p.fail("unknown frame object %q", name)
	}
	addend := p.addend()
	if negative {
		x, err := strconv.ParseInt(minus, 10, 64)
		if err != nil {
			p.fail("expected an addend")
		}
		addend = -x
	}
	return FrameAddr(Frame(n), addend)
}

// physical reads a physical register or a tuple of them.
func (p *parser) physical() Operand {
	p.space()
	at := p.off
	w := p.word()
	for i := range specialRegs {
		if x := &specialRegs[i]; x.name == w && (w != "null" || x.dwords == 1) {
			return Phys(x.reg, x.dwords)
		}
	}
	n := strings.IndexAny(w, "0123456789")
	letters, first := w, int64(-1)
	if n > 0 {
		letters = w[:n]
		first, _ = strconv.ParseInt(w[n:], 10, 32)
	}
	last := first
	if n < 0 && p.accept("[") {
		first = p.number(MaxVGPRs)
		p.expect(":")
		last = p.number(MaxVGPRs)
		p.expect("]")
	}
	base, limit := physBase(letters)
	if base == NoReg || first < 0 || last < first || last >= limit || last-first >= MaxDwords {
		p.off = at
		p.fail("expected an operand")
	}
	return Phys(base+Reg(first), int(last-first+1))
}

func physBase(letters string) (Reg, int64) {
	switch letters {
	case "s":
		return SGPR0, 106
	case "ttmp":
		return TTMP0, 16
	case "v":
		return VGPR0, MaxVGPRs
	case "a":
		return AGPR0, MaxVGPRs
	}
	return NoReg, 0
}

// mods reads the modifiers that follow the operands.
func (p *parser) mods(i Instr) {
	in := &p.f.instrs[i]
	for p.space(); p.off < p.end; p.space() {
		at := p.off
		w := p.word()
		switch {
		case w == "dpp" || w == "dpp8" || w == "sdwa":
			in.ext = p.ext(w)
		case w == "mem":
			p.mem(i)
		case w == "base":
			p.base(i)
		case p.plainMod(in, w), p.listMod(in, w):
		default:
			p.off = at
			p.fail("expected a modifier")
		}
	}
}

// plainMod reads a modifier that is a name, or a name and a number.
func (p *parser) plainMod(in *instr, w string) bool {
	if n := slices.Index(flagNames[:], w); n >= 0 {
		in.flags |= 1 << n
		return true
	}
	switch w {
	case "mods":
		p.expect(":")
		in.mods = Mods(p.number(1<<32 - 1))
		return true
	case "format":
		p.expect(":")
		in.mods |= Mods(p.number(int64(FormatBits>>FormatShift))) << FormatShift
		return true
	case "cpol":
		p.expect(":")
		in.mods |= Mods(p.number(int64(CPolBits)))
		return true
	case "mul", "div":
		p.expect(":")
		w = fmt.Sprintf("%s:%d", w, p.number(4))
	}
	for _, x := range modNames {
		if x.name == w {
			in.mods |= x.bits
			return true
		}
	}
	for _, x := range memoryModNames {
		if x.name == w {
			in.mods |= x.bits
			return true
		}
	}
	return false
}

// listMod reads a modifier with a list of operand numbers.
func (p *parser) listMod(in *instr, w string) bool {
	for _, x := range modBits {
		if x.name != w {
			continue
		}
		p.expect("(")
		for {
			in.mods |= x.first << p.number(int64(x.n-1))
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		return true
	}
	return false
}

// numbers reads a list of n numbers in parentheses.
func (p *parser) numbers(n int, limit int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		p.expect([2]string{"(", ","}[min(i, 1)])
		list[i] = p.number(limit)
	}
	p.expect(")")
	return list
}

func (p *parser) ext(kind string) Ext {
	switch kind {
	case "dpp":
		x := p.numbers(5, 0x1ff)
		return DPP{uint16(x[0]), uint8(x[1] & 15), uint8(x[2] & 15), x[3] != 0, x[4] != 0}.Ext()
	case "dpp8":
		x := p.numbers(2, 1<<24-1)
		return DPP8Ext(uint32(x[0]), x[1] != 0)
	}
	x := p.numbers(6, 7)
	return SDWA{uint8(x[0]), uint8(x[1] & 3), [2]uint8{uint8(x[2]), uint8(x[4])}, [2]bool{x[3] != 0, x[5] != 0}}.Ext()
}

func (p *parser) mem(i Instr) {
	p.expect("(")
	m := Mem{Size: uint64(p.number(1 << 62))}
	p.expect(",")
	m.Align = uint32(p.number(1 << 31))
	p.expect(",")
	m.AddrSpace = uint8(p.number(255))
	for p.accept(",") {
		if o := orderingByName(p.peekWord()); o != ir.NotAtomic {
			p.word()
			p.expect(",")
			m.Ordering, m.Scope = o, ir.SyncScope(p.number(1<<16-1))
			break
		}
		n := slices.Index(memFlagNames[:], p.peekWord())
		if n < 0 {
			p.fail("expected load, store or another property of an access")
		}
		p.word()
		m.Flags |= 1 << n
	}
	p.expect(")")
	p.f.SetMem(i, m)
}

// base reads the base address of an access: its number, and the offset from it.
func (p *parser) base(i Instr) {
	m := p.f.Mem(i)
	if m == nil {
		p.fail("expected mem(…) before base(…)")
	}
	p.expect("(")
	n := p.signed()
	if n <= 0 || n > math.MaxUint32 {
		p.fail("expected a positive number of 32 bits")
	}
	m.Value, m.Offset = ir.Value(n), p.signed()
	p.expect(")")
}

// orderingByName returns the ordering of a keyword, NotAtomic for any other
// word.
func orderingByName(word string) ir.Ordering {
	for _, o := range [...]ir.Ordering{ir.Unordered, ir.Monotonic, ir.Acquire, ir.Release, ir.AcqRel, ir.SeqCst} {
		if o.String() == word {
			return o
		}
	}
	return ir.NotAtomic
}
