package inspect

import (
	"encoding/binary"
	"sync"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// scanner finds the registers of the instructions of one set. It caches the
// operand locations of the most common encodings, and the registers of
// instructions: five in six instructions of compiled code hit the cache.
type scanner struct {
	d     *isa.Decoder
	plans []plan // by encoding
	met   [1 << metBits]met
	long  [512]uint32 // by the top nine bits of the first dword: 0 once an instruction had one dword, else all ones
	sizes [512]uint8  // by the same bits: the dwords of the last instruction that differed from this
}

// met is a cached instruction with its registers. The words past its end are 0.
type met struct {
	words [metDwords]uint32
	facts facts
}

const (
	metBits   = 14
	metDwords = 3 // longer instructions are not cached
)

// facts holds an instruction's size in dwords, or 0 for an empty entry, and its
// registers, packed so that a met fills a quarter of a cache line.
type facts uint32

// The bit positions in facts.
const (
	factDwords = 0  // 2 bits
	factVCC    = 2  // 1 bit
	factFlat   = 3  // 1 bit: flat scratch
	factSGPRs  = 4  // 7 bits
	factAGPRs  = 11 // 9 bits
	factVGPRs  = 20 // 12 bits
)

func (f facts) bits(at, width int) int { return int(f >> at & (1<<width - 1)) }

func (f facts) dwords() int { return f.bits(factDwords, 2) }

// factsOf returns the registers of an instruction and its size in dwords.
func factsOf(u *use, dwords int) facts {
	f := facts(dwords<<factDwords | u.sgprs<<factSGPRs | u.agprs<<factAGPRs | u.vgprs<<factVGPRs)
	if u.vcc {
		f |= 1 << factVCC
	}
	if u.flatScratch {
		f |= 1 << factFlat
	}
	return f
}

// plan holds the operand locations of an encoding.
type plan struct {
	known, simple bool // simple: only the operands matter
	vcc           bool
	num           uint8
	operands      [4]planOperand
}

// planOperand is a register operand of a simple encoding.
type planOperand struct {
	place  isa.Place
	vector bool // a VGPR's number; else a scalar encoding, or from 256 a VGPR
	dwords uint8
}

// firstVGPR is the number of v0 in an operand of nine bits.
const firstVGPR = 256

// scanners keeps unused scanners, by set and by wave size.
var scanners [isa.NumSets][2]sync.Pool

// scannerFor returns a scanner for a processor's instructions, or nil if the
// processor has no instruction set here, and the function that releases the
// scanner.
func scannerFor(t *target.Target, wave int) (s *scanner, done func()) {
	set, ok := isa.SetOf(t.Processor)
	if !ok {
		return nil, func() {}
	}
	pool := &scanners[set][wave/64]
	s, ok = pool.Get().(*scanner)
	if !ok {
		s = newScanner(isa.NewDecoder(set, wave))
	}
	return s, func() { pool.Put(s) }
}

func newScanner(d *isa.Decoder) *scanner {
	s := &scanner{d: d, plans: make([]plan, isa.NumEncs())}
	for i := range s.long {
		s.long[i] = ^uint32(0)
	}
	return s
}

// registers returns the registers of the instructions of a piece of code.
func (s *scanner) registers(code []byte) (u use) {
	for len(code) >= 4*metDwords {
		w := [metDwords]uint32{binary.LittleEndian.Uint32(code), binary.LittleEndian.Uint32(code[4:]), binary.LittleEndian.Uint32(code[8:])}
		m := s.cacheEntry(w[0], w[1])
		n := s.expectedDwords(w[0])
		if !m.holds(&w, n) || m.facts.dwords() != n {
			code = code[s.unexpected(&u, m, &w, code):]
			continue
		}
		u.addFacts(m.facts)
		code = code[4*n:]
	}
	for len(code) >= 4 {
		code = code[s.decode(&u, code):]
	}
	return u
}

// expectedDwords guesses the size of an instruction in dwords from its first
// dword. With a guess that is nearly always right, the processor need not wait for
// one cache entry to find the next instruction.
func (s *scanner) expectedDwords(w0 uint32) int {
	n := int(s.sizes[w0>>23])
	if int32(w0) >= 0 { // VOP1, VOP2 or VOPC
		n = 1
		if src0 := w0 & 511; src0 == srcLiteral || src0-srcSDWA < 2 {
			n = 2
		}
	}
	return n
}

// Values of src0 that a second dword follows: SDWA or DPP, and a literal.
const (
	srcSDWA    = 249
	srcLiteral = 255
)

// unexpected counts the instruction at the beginning of code, which begins with
// the dwords w and has another size than expected or is not in its cache entry m,
// and returns its size in bytes.
func (s *scanner) unexpected(u *use, m *met, w *[metDwords]uint32, code []byte) int {
	n := m.facts.dwords()
	if n != 0 && m.holds(w, n) {
		u.addFacts(m.facts)
	} else {
		n = s.decode(u, code) / 4
	}
	s.sizes[w[0]>>23] = uint8(n)
	return 4 * n
}

// cacheEntry returns the cache entry of the instruction that begins with two
// dwords.
func (s *scanner) cacheEntry(w0, w1 uint32) *met {
	h := (w0*0x9e3779b1 ^ w1&s.long[w0>>23]) * 0x85ebca6b
	return &s.met[h>>(32-metBits)]
}

// holds reports whether a cache entry is for the instruction of n dwords, at most
// metDwords, at the beginning of w.
func (m *met) holds(w *[metDwords]uint32, n int) bool {
	mask := &metMasks[n&3]
	return (w[0]^m.words[0])|(w[1]&mask[1]^m.words[1])|(w[2]&mask[2]^m.words[2]) == 0
}

// metMasks selects the bits of the words that belong to an instruction, by its
// dwords.
var metMasks = [4][metDwords]uint32{1: {^uint32(0)}, 2: {^uint32(0), ^uint32(0)}, 3: {^uint32(0), ^uint32(0), ^uint32(0)}}

// addFacts counts the registers of an instruction.
func (u *use) addFacts(f facts) {
	u.vgprs = max(u.vgprs, f.bits(factVGPRs, 12))
	u.agprs = max(u.agprs, f.bits(factAGPRs, 9))
	u.sgprs = max(u.sgprs, f.bits(factSGPRs, 7))
	u.vcc = u.vcc || f.bits(factVCC, 1) != 0
	u.flatScratch = u.flatScratch || f.bits(factFlat, 1) != 0
	u.instructions++
}

// decode counts the instruction at the beginning of code, caches it, and
// returns its size in bytes.
func (s *scanner) decode(u *use, code []byte) int {
	in, n, err := s.d.Decode(code)
	if err != nil {
		u.undecodable++
		return 4
	}
	p := &s.plans[in.Enc]
	if !p.known {
		*p = makePlan(&in)
	}
	var own use
	if p.simple {
		own.addSimple(&in, p)
	} else {
		own.inst(&in)
	}
	dwords := n / 4
	if dwords > metDwords || in.StartsLonger() {
		u.addFacts(factsOf(&own, 0))
		return n
	}
	m := met{facts: factsOf(&own, dwords)}
	u.addFacts(m.facts)
	copy(m.words[:], in.Words[:dwords])
	if dwords == 1 {
		s.long[m.words[0]>>23] = 0
	}
	*s.cacheEntry(m.words[0], m.words[1]) = m
	return n
}

// simpleForms holds the forms whose encodings may be simple.
var simpleForms = lazy.Value[map[isa.Form]bool]{Make: func() map[isa.Form]bool {
	return map[isa.Form]bool{
		isa.SOP1: true, isa.SOP2: true, isa.SOPC: true, isa.SOPP: true, isa.VOP1: true, isa.VOP2: true, isa.VOPC: true, isa.VOP3: true, isa.VOP3P: true,
	}
}}

// makePlan computes the plan of an instruction's encoding.
func makePlan(in *isa.Inst) plan {
	p := plan{known: true}
	if !simpleForms.Get()[in.Enc.Form()] || in.Enc.Variant() != isa.Native {
		return p
	}
	p.vcc = in.Enc.Traits().Any(isa.TraitUseVcc | isa.TraitDefVcc)
	ops := in.Enc.Operands()
	for i := range ops {
		o := &ops[i]
		c := o.Class.Info()
		if o.Field == isa.FieldVcc {
			p.vcc = true
			continue
		}
		if c.Files == 0 {
			if o.Class == isa.ClassSdwam {
				return p
			}
			continue
		}
		place := in.Place(o.Field)
		if c.Files&isa.FileA != 0 || c.Flags&^(isa.NoM0|isa.NoExec|isa.NoNull|isa.NoExecHi|isa.Odd|isa.Mask) != 0 || c.Dwords == 0 && c.Flags&isa.Mask == 0 ||
			place.Width < 7 || place.Width > 9 || o.Type == isa.SplitBarrier || int(p.num) == len(p.operands) {
			return p
		}
		dwords := c.Dwords
		if c.Flags&isa.Mask != 0 {
			dwords = in.Wave / 32
		}
		p.operands[p.num] = planOperand{place, place.Width == 8 && c.Files != isa.FileS, dwords}
		p.num++
	}
	p.simple = true
	return p
}

// addSimple counts the registers of an instruction of a simple encoding.
func (u *use) addSimple(in *isa.Inst, p *plan) {
	u.vcc = u.vcc || p.vcc
	for i := range p.operands[:p.num] {
		o := &p.operands[i]
		v := in.Bits(o.place)
		switch {
		case o.vector:
			u.vgprs = max(u.vgprs, int(v)+int(o.dwords))
		case v >= firstVGPR:
			u.vgprs = max(u.vgprs, int(v-firstVGPR)+int(o.dwords))
		case v <= vccHi:
			if o.dwords > 1 { // tuples are aligned to their size, at most 4
				v &^= uint32(min(int(o.dwords)&^1, 4)) - 1
			}
			u.scalar(in, v, int(o.dwords))
		}
	}
}
