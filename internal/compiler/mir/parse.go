package mir

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
)

// Parse reads a function in the format of [Func.AppendText]. name is the file
// name for diagnostics. IR values of memory accesses and debug locations are
// not part of the text.
func Parse(name string, src []byte) (*Func, error) {
	p := &parser{src: &diag.Source{Name: name, Text: src}}
	defer func() { p.f = nil }()
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.f, nil
}

// Limits on the sizes that a text may request.
const (
	maxParsedNumber = 1 << 16 // of blocks, registers and objects
	maxTuple        = 32
)

type parser struct {
	src  *diag.Source
	off  int // offset of the rest of the line
	end  int // offset of the line's end
	f    *Func
	at   Block
	seen map[Block]bool
}

// parseError carries a diagnostic to Parse as a panic value.
type parseError struct{ err diag.List }

func (p *parser) fail(format string, args ...any) {
	var list diag.List
	list.Errorf(p.src, p.off, p.off, format, args...)
	panic(parseError{list})
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
	p.seen = map[Block]bool{}
	for next := 0; next < len(p.src.Text); {
		p.off, p.end = next, len(p.src.Text)
		if n := bytes.IndexByte(p.src.Text[next:], '\n'); n >= 0 {
			p.end = next + n
		}
		next = p.end + 1
		if c := bytes.IndexByte(p.src.Text[p.off:p.end], ';'); c >= 0 {
			p.end = p.off + c
		}
		p.line()
	}
	if p.f == nil {
		p.fail("expected 'func @name set wave'")
	}
	p.checkBlocks()
	return nil
}

// checkBlocks reports blocks that are referenced but not defined.
func (p *parser) checkBlocks() {
	for b := 1; b < p.f.NumBlocks(); b++ {
		if !p.seen[Block(b)] {
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
	case p.f == nil:
		p.header()
	case word == "object":
		p.object()
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
	p.expect("func")
	p.expect("@")
	name := p.word()
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
}

func (p *parser) object() {
	p.word()
	if n := p.number(maxParsedNumber); int(n) != len(p.f.Objects) {
		p.fail("object numbers start at 1")
	}
	var o FrameObject
	p.expect("size")
	o.Size = uint64(p.number(1 << 40))
	p.expect("align")
	o.Align = uint32(p.number(1 << 30))
	o.Spill = p.accept("spill")
	o.SGPR = p.accept("sgpr")
	o.Out = p.accept("out")
	if o.In = p.accept("in"); o.In {
		o.Offset = int64(p.number(1 << 30))
	}
	p.f.NewObject(o)
}

// blockRef reads a reference to a block, which may be defined later.
func (p *parser) blockRef() Block {
	n := p.prefixed("bb")
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
	if p.peekWord() == "linear" && !p.after("linear", " to") {
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
}

// hasResults reports whether the line has a '=' that follows results.
func (p *parser) hasResults() bool {
	return bytes.Contains(p.src.Text[p.off:p.end], []byte(" = "))
}

// startsOperand reports whether the next word is an operand, not a modifier.
func (p *parser) startsOperand() bool {
	p.space()
	if p.off == p.end {
		return false
	}
	w := p.peekWord()
	if p.after(w, "(") || p.after(w, ":") {
		return false
	}
	return w != "" && !slices.Contains(flagNames[:], w) && !isModName(w)
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
	at := p.off
	file, dwords, mask := parseClass(p.word())
	v := &p.f.vregs[r.Index()]
	if file == FileNone || v.file != FileNone && (v.file != file || int(v.dwords) != dwords) {
		p.off = at
		p.fail("expected a class such as v1, s2, a4, m2 or scc, the same in every definition of the register")
	}
	v.file, v.dwords, v.mask = file, uint8(dwords), mask
	o := R(r)
	o.Flags = flags
	return o
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
			if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= maxTuple {
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
	if !p.accept("[") {
		return R(r)
	}
	first := p.number(maxTuple - 1)
	last := first
	if p.accept(":") {
		last = p.number(maxTuple - 1)
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

// addend reads +n or -n of a sum.
func (p *parser) addend() int64 {
	if p.accept("+") {
		return p.number(1 << 62)
	}
	return 0
}

// symbol reads @name+8.abs32_lo. The name may itself contain dots and minus
// signs.
func (p *parser) symbol() Operand {
	w := strings.TrimPrefix(p.word(), "@")
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
	if base == NoReg || first < 0 || last < first || last >= limit || last-first >= maxTuple {
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
