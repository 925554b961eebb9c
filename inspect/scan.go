package inspect

import (
	"sync"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// scanner finds the registers that the instructions of one set name. For the
// most common encodings it remembers where their operands stand.
type scanner struct {
	d     *isa.Decoder
	plans []plan // by encoding
}

// plan is what is known of an encoding.
type plan struct {
	known, simple bool // simple: the operands are all there is to see to
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

// scanners keeps scanners that are not in use, by set and by wave size.
var scanners [isa.NumSets][2]sync.Pool

// scannerFor gives a scanner for a processor's instructions, nil when it has none
// here, and what gives it back.
func scannerFor(t *target.Target, wave int) (s *scanner, done func()) {
	set, ok := isa.SetOf(t.Processor)
	if !ok {
		return nil, func() {}
	}
	pool := &scanners[set][wave/64]
	s, ok = pool.Get().(*scanner)
	if !ok {
		s = &scanner{d: isa.NewDecoder(set, wave), plans: make([]plan, isa.NumEncs())}
	}
	return s, func() { pool.Put(s) }
}

// registers gives what the instructions of a piece of code name.
func (s *scanner) registers(code []byte) (u use) {
	for len(code) >= 4 {
		in, n, err := s.d.Decode(code)
		if err != nil {
			u.undecodable++
			code = code[4:]
			continue
		}
		p := &s.plans[in.Enc]
		if !p.known {
			*p = makePlan(&in)
		}
		if p.simple {
			u.addSimple(&in, p)
		} else {
			u.add(&in)
		}
		u.instructions++
		code = code[n:]
	}
	return u
}

// simpleForms are the forms whose encodings may be simple.
var simpleForms = lazy.Value[map[isa.Form]bool]{Make: func() map[isa.Form]bool {
	return map[isa.Form]bool{
		isa.SOP1: true, isa.SOP2: true, isa.SOPC: true, isa.SOPP: true, isa.VOP1: true, isa.VOP2: true, isa.VOPC: true, isa.VOP3: true, isa.VOP3P: true,
	}
}}

// makePlan works out the plan of an instruction's encoding.
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
			if o.dwords > 1 { // tuples begin at a multiple of their size, 4 at most
				v &^= uint32(min(int(o.dwords)&^1, 4)) - 1
			}
			u.scalar(in, v, int(o.dwords))
		}
	}
}
