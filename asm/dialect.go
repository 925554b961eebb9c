package asm

import (
	"slices"

	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// dialect implements LLVM's AMDGPU assembly for asmcore.
type dialect struct {
	p       *asmcore.Parser
	target  *target.Target
	machine *asmcore.AMDGPU
	dirName string // the directive being read
	set     isa.Set
	waves   waveMask
	tab     *table
	names   *names
	ident   [256]bool // bytes that are allowed in an identifier

	// Properties of the instruction set, for the hot paths.
	numSGPRs   int
	m0, null   uint16 // codes; null is noCode if absent
	has64      bool   // 64-bit literals exist
	alignVGPRs bool   // tuples of VGPRs begin at even numbers
	gfx12      bool
	packedD16  bool
	hasG16     bool
	xnack      bool // the processor supports XNACK
	relax      bool // branches may need padding

	stmt statement
	enc  encoder
	cur  *cand
	pal  palMetadata
	counts
	text []byte // of the listing
}

const noCode = 0xffff

// newDialect returns the dialect of a target.
func newDialect(t *target.Target, set isa.Set) *dialect {
	g := set.Gen()
	d := &dialect{
		target: t, set: set, waves: wavesOf(t), names: allNames.Get(),
		numSGPRs: g.NumSGPRs(), m0: 124, null: noCode,
		has64:      g >= isa.Gen1250,
		alignVGPRs: g == isa.Gen90A || g == isa.Gen940 || g == isa.Gen1250,
		gfx12:      g >= isa.Gen12,
		packedD16:  set == isa.GFX810 || g >= isa.Gen9,
		hasG16:     g >= isa.Gen10,
		xnack:      t.Has(target.FeatureXNACKSupport),
	}
	if r, st := isa.RegByName(set, []byte("m0")); st == isa.Found {
		d.m0 = uint16(r.Code)
	}
	if r, st := isa.RegByName(set, []byte("null")); st == isa.Found {
		d.null = uint16(r.Code)
	}
	d.tab = tableOf(set, d.waves)
	for c := range 256 {
		b := byte(c)
		d.ident[c] = isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b == '.'
	}
	for _, c := range []byte(asmcore.AMDGPUSyntax.IdentMore) {
		d.ident[c] = true
	}
	d.relax = hasBranchBug(set)
	return d
}

// wavesOf returns the wave sizes whose forms the assembler accepts.
func wavesOf(t *target.Target) waveMask {
	switch {
	case t.Has(target.FeaturePermissiveWaveSize):
		return wave32 | wave64
	case t.WaveSize() == 32:
		return wave32
	}
	return wave64
}

// hasBranchBug reports whether the set has the hardware bug of branches with
// offset 0x3f.
func hasBranchBug(s isa.Set) bool {
	return s == isa.GFX1010 || s == isa.GFX1012 || s == isa.GFX1013
}

func (d *dialect) Syntax() asmcore.Syntax { return asmcore.AMDGPUSyntax }

// Instruction parses and emits one instruction.
func (d *dialect) Instruction(p *asmcore.Parser, start, end int) {
	d.p = p
	s := &d.stmt
	s.start, s.end = start, end
	if !d.findMnemonic(p.Src[start:end]) {
		return
	}
	s.n, s.y = 0, nil
	m := &s.mods
	m.seen, m.on, m.cpol, m.cpolSeen, m.th, m.neg = 0, 0, 0, 0, isa.TH{}, false
	if !d.operands() {
		return
	}
	if s.y != nil {
		if d.pair() {
			d.emit(d.cur)
		}
		return
	}
	ops := s.ops[:s.n]
	c := d.match(s.m, ops, s.forced)
	if s.wide && c != nil && (ops[3].kind != opReg || ops[3].file != isa.FileV) {
		d.at(3, "operands are not valid for %s: expected VGPR", d.cpu())
		return
	}
	if c == nil {
		d.explain(ops)
		return
	}
	d.cur = c
	d.encode(c, ops)
	d.encodeModifiers(c, ops)
	if c.export {
		d.encodeExport(ops)
	}
	if c.rules == 0 || d.check(c, ops) {
		d.emit(c)
	}
}

// findMnemonic finds the instruction of a mnemonic.
func (d *dialect) findMnemonic(name []byte) bool {
	s := &d.stmt
	base, forced := cutSuffix(name)
	id, ok := lookup(d.names, base)
	if !ok {
		return d.unknown(name, base)
	}
	m := d.tab.mnemonic(id, false)
	if m == nil {
		return d.notHere(base, id)
	}
	s.m, s.forced, s.wide = m, forced, false
	if len(d.tab.only64) != 0 && slices.Contains(d.tab.only64, uint16(id)) {
		if forced != encAny && forced != enc64 {
			return d.at(-1, "operands are not valid for %s: %s has the e64 encoding only", d.cpu(), d.names.list[id].text)
		}
		s.forced, s.wide = enc64, true
	}
	if forced == encAny {
		return true
	}
	for i := range m.cands {
		if allowed[forced]>>m.cands[i].variant&1 != 0 {
			return true
		}
	}
	return d.noVariant(forced)
}

// emit appends the words, the literal and the fixups of an instruction.
func (d *dialect) emit(c *cand) {
	p, e := d.p, &d.enc
	for _, w := range e.words[:e.dwords] {
		p.Emit32(w)
	}
	switch e.litSize {
	case 4:
		p.Emit32(uint32(e.lit))
	case 8:
		p.Emit64(e.lit)
	}
	if e.expr >= 0 {
		d.emitFixup(c)
	}
	if p.IsListing() {
		d.list(c)
	}
}

// emitFixup emits the fixup of the operand that is an expression.
func (d *dialect) emitFixup(c *cand) {
	p, e := d.p, &d.enc
	o := &d.stmt.ops[e.expr]
	if e.litSize == 0 {
		p.EmitFixup(0, asmcore.FixupBranch, o.expr, int(o.pos))
		if d.relax && c.form == isa.SOPP {
			p.EmitRelaxable()
		}
		return
	}
	kind := asmcore.FixupData4
	if e.litSize == 8 {
		kind = asmcore.FixupData8
	}
	if p.NeedsPCRel(o.expr) {
		kind += asmcore.FixupPCRel1 - asmcore.FixupData1
	}
	p.EmitFixup(int(e.dwords)*4, kind, o.expr, int(o.pos))
}

// Placeholders for an expression while an instruction is printed.
const (
	listLiteral = 0x5eedbed5
	listBranch  = 0x3039
)

// inst returns the words encoded so far as an instruction, for writing fields
// whose place depends on the encoding.
func (d *dialect) inst(enc isa.Enc) isa.Inst {
	in := isa.New(enc, d.set, d.waves.size())
	copy(in.Words[:], d.enc.words[:])
	return in
}

// list appends the instruction to the listing, in its canonical text.
func (d *dialect) list(c *cand) {
	e := &d.enc
	in := d.inst(c.enc)
	in.Size = e.dwords * 4
	lit, mark := e.lit, ""
	if e.expr >= 0 {
		if e.litSize == 0 {
			in.Words[0] = in.Words[0]&^0xffff | listBranch
			mark = "12345"
		} else {
			lit, mark = listLiteral, "0x5eedbed5"
		}
	}
	if e.litSize != 0 {
		in.SetLiteral(lit, int(e.litSize))
	}
	d.text = disasm.Inst(d.text[:0], &in)
	if mark != "" {
		d.putExpr(mark, d.stmt.ops[e.expr].expr)
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
