package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Reporter receives the problems of an instruction.
type Reporter interface {
	// OperandError reports an error at operand i, or at the mnemonic if the
	// instruction has no operand i.
	OperandError(i int, format string, args ...any)
	// OperandWarning reports a warning at operand i.
	OperandWarning(i int, format string, args ...any)
	// ModifierError reports an error at a modifier, or at the mnemonic if the
	// instruction does not have the modifier.
	ModifierError(id Modifier, format string, args ...any)
}

// Matcher matches and encodes the instructions of one target. It is not safe
// for concurrent use.
type Matcher struct {
	target *target.Target
	set    isa.Set
	waves  Waves
	report Reporter

	// Properties of the instruction set, for the hot paths.
	m0, null   uint16 // codes; null is noCode if absent
	has64      bool   // 64-bit literals exist
	alignVGPRs bool   // tuples of VGPRs begin at even numbers
	th         bool   // cache policies have a temporal hint and a scope
	packedD16  bool
	hasG16     bool

	stmt *Statement
	cur  *candidate
	enc  encoder
}

const noCode = 0xffff

// New returns the matcher of a target.
func New(t *target.Target, set isa.Set, report Reporter) *Matcher {
	m := &Matcher{
		target: t, set: set, waves: WavesOf(t), report: report,
		m0: 124, null: noCode,
		has64:      set.Has(isa.PropLiteral64),
		alignVGPRs: set.Has(isa.PropEvenTuples),
		th:         set.Has(isa.PropCpolTh),
		packedD16:  set.Has(isa.PropPackedD16),
		hasG16:     set.Has(isa.PropG16),
	}
	if r, st := isa.RegByName(set, []byte("m0")); st == isa.Found {
		m.m0 = uint16(r.Code)
	}
	if r, st := isa.RegByName(set, []byte("null")); st == isa.Found {
		m.null = uint16(r.Code)
	}
	return m
}

// WavesOf returns the wave sizes whose forms the assembler accepts.
func WavesOf(t *target.Target) Waves {
	switch {
	case t.Has(target.FeaturePermissiveWaveSize):
		return Wave32 | Wave64
	case t.WaveSize() == 32:
		return Wave32
	}
	return Wave64
}

// TakesLit64 reports whether 64-bit literals exist.
func (m *Matcher) TakesLit64() bool { return m.has64 }

// Code is the encoding of an instruction.
type Code struct {
	Form        isa.Form
	Words       [8]uint32
	Dwords      uint8
	Literal     uint64 // the literal after the words
	LiteralSize uint8  // in bytes, 0 for none
	Expr        int8   // the operand that is an expression, -1 for none
}

// Assemble encodes an instruction. If no encoding fits the operands, or if the
// instruction breaks a rule, it reports the first problem and returns false.
// The code is valid until the next call.
func (m *Matcher) Assemble(s *Statement) (*Code, bool) {
	m.stmt = s
	e := &m.enc
	if s.Second != nil {
		return &e.Code, m.assemblePair()
	}
	ops := s.Ops[:s.NumOps]
	c := m.findCandidate(s.Mnemonic, ops, s.Encoding)
	switch {
	case c == nil:
		m.explainMismatch(ops)
		return nil, false
	case s.Wide && (ops[3].Kind != KindReg || ops[3].File != isa.FileV):
		return nil, m.errorAt(3, "operands are not valid for %s: expected VGPR", m.cpu())
	}
	m.encodeCandidate(c, ops)
	m.encodeModifiers(c, ops)
	if c.export {
		m.encodeExport(ops)
	}
	return &e.Code, c.rules == 0 || m.checkRules(c, ops)
}

// Inst returns the instruction encoded so far.
func (m *Matcher) Inst() isa.Inst {
	in := isa.New(m.cur.enc, m.set, m.waves.size())
	copy(in.Words[:], m.enc.Words[:])
	return in
}

// cpu returns the name of the processor, for messages.
func (m *Matcher) cpu() string { return m.target.Processor.Name }

// errorAt reports an error at operand i, or at the mnemonic if i < 0. It returns
// false.
func (m *Matcher) errorAt(i int, format string, args ...any) bool {
	m.report.OperandError(i, format, args...)
	return false
}

// errorAtModifier reports an error at a modifier. It returns false.
func (m *Matcher) errorAtModifier(id Modifier, format string, args ...any) bool {
	m.report.ModifierError(id, format, args...)
	return false
}
