package asm

import (
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/asmmachine"
	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// dialect implements LLVM's AMDGPU assembly for asmcore.
type dialect struct {
	p       *asmcore.Parser
	target  *target.Target
	machine *asmmachine.Machine
	dirName string // the directive being read
	set     isa.Set
	words   *words
	tab     *asmmatch.Table
	match   *asmmatch.Matcher
	ident   [256]bool // bytes that are allowed in an identifier

	// Properties of the instruction set, for the hot paths.
	numSGPRs int
	th       bool // cache policies have a temporal hint and a scope
	xnack    bool // the processor supports XNACK
	relax    bool // branches may need padding

	stmt instruction
	pal  palMetadata
	counts
	text []byte // of the listing
}

// newDialect returns the dialect of a target.
func newDialect(t *target.Target, set isa.Set) *dialect {
	d := &dialect{
		target: t, set: set, words: allWords.Get(),
		numSGPRs: set.NumSGPRs(),
		th:       set.Has(isa.PropCpolTh),
		xnack:    t.Has(target.FeatureXNACKSupport),
	}
	d.match = asmmatch.New(t, set, d)
	d.tab = d.words.names.Table(set, asmmatch.WavesOf(t))
	for c := range 256 {
		b := byte(c)
		d.ident[c] = isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b == '.'
	}
	for _, c := range []byte(syntax.IdentMore) {
		d.ident[c] = true
	}
	d.relax = hasBranchBug(set)
	return d
}

// hasBranchBug reports whether the set has the hardware bug of branches with
// offset 0x3f.
func hasBranchBug(s isa.Set) bool {
	return s == isa.GFX1010 || s == isa.GFX1012 || s == isa.GFX1013
}

// syntax holds the lexical rules of LLVM's AMDGPU assembly.
var syntax = asmcore.Syntax{Comment: ';', IdentStart: "$", IdentMore: "$@?", HashComment: true}

func (d *dialect) Syntax() asmcore.Syntax { return syntax }

// Instruction parses and emits one instruction.
func (d *dialect) Instruction(p *asmcore.Parser, start, end int) {
	d.p = p
	s := &d.stmt
	s.start, s.end = start, end
	if !d.findMnemonic(p.Src[start:end]) {
		return
	}
	s.Reset()
	if !d.operands() {
		return
	}
	if c, ok := d.match.Assemble(&s.Statement); ok {
		d.emitCode(c)
	}
}

// findMnemonic finds the instruction of a mnemonic.
func (d *dialect) findMnemonic(name []byte) bool {
	s := &d.stmt
	base, forced := cutSuffix(name)
	id, ok := asmmatch.Lookup(d.words.names, base)
	if !ok {
		return d.unknown(name, base)
	}
	m := d.tab.Mnemonic(id, false)
	if m == nil {
		return d.notHere(base, id)
	}
	s.Mnemonic, s.Encoding, s.Wide = m, forced, false
	if d.tab.IsWide(id) {
		if forced != asmmatch.EncAny && forced != asmmatch.Enc64 {
			d.OperandError(-1, "operands are not valid for %s: %s has the e64 encoding only", d.cpu(), d.words.names.Text(id))
			return false
		}
		s.Encoding, s.Wide = asmmatch.Enc64, true
	}
	if forced == asmmatch.EncAny || m.HasEncoding(forced) {
		return true
	}
	return d.noVariant(forced)
}

// emitCode appends the words, the literal and the fixups of an instruction.
func (d *dialect) emitCode(c *asmmatch.Code) {
	p := d.p
	for _, w := range c.Words[:c.Dwords] {
		p.Emit32(w)
	}
	switch c.LiteralSize {
	case 4:
		p.Emit32(uint32(c.Literal))
	case 8:
		p.Emit64(c.Literal)
	}
	if c.Expr >= 0 {
		d.emitFixup(c)
	}
	if p.IsListing() {
		d.list(c)
	}
}

// emitFixup emits the fixup of the operand that is an expression.
func (d *dialect) emitFixup(c *asmmatch.Code) {
	p, v, pos := d.p, d.stmt.exprs[c.Expr], int(d.stmt.Ops[c.Expr].Pos)
	if c.LiteralSize == 0 {
		p.EmitFixup(0, asmmachine.FixupBranch, v, pos)
		if d.relax && c.Form == isa.SOPP {
			p.EmitRelaxable()
		}
		return
	}
	kind := asmcore.FixupData4
	if c.LiteralSize == 8 {
		kind = asmcore.FixupData8
	}
	if asmmachine.NeedsPCRel(p, v) {
		kind += asmcore.FixupPCRel1 - asmcore.FixupData1
	}
	p.EmitFixup(int(c.Dwords)*4, kind, v, pos)
}

// Placeholders for an expression while an instruction is printed.
const (
	listLiteral = 0x5eedbed5
	listBranch  = 0x3039
)

// list appends the instruction to the listing, in its canonical text.
func (d *dialect) list(c *asmmatch.Code) {
	in := d.match.Inst()
	in.Size = c.Dwords * 4
	lit, mark := c.Literal, ""
	if c.Expr >= 0 {
		if c.LiteralSize == 0 {
			in.Words[0] = in.Words[0]&^0xffff | listBranch
			mark = "12345"
		} else {
			lit, mark = listLiteral, "0x5eedbed5"
		}
	}
	if c.LiteralSize != 0 {
		in.SetLiteral(lit, int(c.LiteralSize))
	}
	d.text = disasm.Inst(d.text[:0], &in)
	if mark != "" {
		d.putExpr(mark, d.stmt.exprs[c.Expr])
	}
	d.p.ListInstruction(d.text)
}

// putExpr replaces the last occurrence of a placeholder by the text of an
// expression.
func (d *dialect) putExpr(mark string, v asmcore.Value) {
	text := d.text
	for i := len(text) - len(mark); i >= 0; i-- {
		if string(text[i:i+len(mark)]) == mark {
			tail := string(text[i+len(mark):])
			d.text = append(d.p.ListExpr(text[:i], v), tail...)
			return
		}
	}
}

// Directive handles AMDGPU's directives.
func (d *dialect) Directive(p *asmcore.Parser, name []byte, start int) bool {
	d.p = p
	return d.directive(name, start)
}

// Primary handles the names in expressions that are not symbols.
func (d *dialect) Primary(p *asmcore.Parser, start, end int) (asmcore.Value, bool) {
	name := p.Src[start:end]
	switch name[0] {
	case 'm', 'o':
		for fn, n := range callNames[:callOr+1] {
			if string(name) == n && p.Peek() == '(' {
				v, _ := readCall(p, uint16(fn))
				return v, true
			}
		}
	case 'U':
		if v, st := isa.VersionByName(name); st == isa.Found && p.Lookup(name) == nil {
			return asmcore.NewConst(int64(v)), true
		}
	case '.':
		d.syncCounts(p)
	}
	return asmcore.Value{}, false
}

// Call evaluates a function.
func (d *dialect) Call(fn uint16, args []int64) (int64, string) { return d.evalCall(fn, args) }

// CallName returns the name of a function.
func (d *dialect) CallName(fn uint16) string { return callNames[fn] }

// Label has no effect.
func (d *dialect) Label(*asmcore.Parser, *asmcore.Symbol) {}

// Finish emits everything that depends on the whole source.
func (d *dialect) Finish(p *asmcore.Parser) {
	d.p = p
	d.finishPAL()
}

// textRange returns the range in the text of operand i, or of the mnemonic if
// the instruction has no operand i.
func (d *dialect) textRange(i int) (off, end int) {
	s := &d.stmt
	if i < 0 || i >= s.NumOps {
		return s.start, s.end
	}
	return int(s.Ops[i].Pos), int(s.Ops[i].End)
}

// OperandError implements reporter.
func (d *dialect) OperandError(i int, format string, args ...any) {
	off, end := d.textRange(i)
	d.p.Errorf(off, end, format, args...)
}

// OperandWarning implements reporter.
func (d *dialect) OperandWarning(i int, format string, args ...any) {
	off, end := d.textRange(i)
	d.p.Warnf(off, end, format, args...)
}

// ModifierError implements reporter.
func (d *dialect) ModifierError(id asmmatch.Modifier, format string, args ...any) {
	m := &d.stmt.Mods
	if !m.Seen.Has(id) {
		d.OperandError(-1, format, args...)
		return
	}
	pos := int(m.Pos[id])
	end := pos
	for d.ident[d.p.Src[end]] {
		end++
	}
	d.p.Errorf(pos, end, format, args...)
}

// cpu returns the name of the processor, for messages.
func (d *dialect) cpu() string { return d.target.Processor.Name }
