package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// s_delay_alu tells the hardware, from gfx11 on, which of the last instructions the next vector ALU instruction
// depends on, so that another wave gets the unit until the result is there. It is a hint: what is not said is
// waited for all the same.
//
// Sources: RDNA 3 ISA, "s_delay_alu"; LLVM, AMDGPUInsertDelayAlu.cpp and SISchedule.td, for latencies.

// aluKind is the kind of an instruction whose result may be waited for.
type aluKind uint8

const (
	aluNone aluKind = iota
	aluVector
	aluTrans
	aluScalar
)

// Cycles until a result can be used, and how far back an instruction can be named.
var (
	aluLatency = [...]uint32{aluVector: 5, aluTrans: 10, aluScalar: 2}
	aluReach   = [...]uint32{aluVector: 4, aluTrans: 3, aluScalar: 3}
)

// Codes of s_delay_alu: of the nearest instruction of a kind, counted from there.
var aluCode = [...]int64{aluVector: 1, aluTrans: 5, aluScalar: 9}

const (
	delaySkipShift   = 4
	delaySecondShift = 7
	maxDelaySkip     = 5
)

// aluResult is what is known about a register.
type aluResult struct {
	kind  aluKind
	seq   uint32 // number of the instruction among those of its kind
	ready uint32 // cycle
	valus uint32 // vector ALU instructions before
}

// delayInsertion inserts s_delay_alu into one function after the other.
type delayInsertion struct {
	f       *mir.Func
	results [mir.NumPhys]aluResult
	now     uint32
	seq     [aluScalar + 1]uint32
	last    mir.Instr // the last s_delay_alu that has room for another one, 0 for none
	skip    int       // instructions behind it
	uses    []mir.Operand
}

// longAgo is more than any latency.
const longAgo = 1000

// run inserts s_delay_alu into a function without other passes to come but layout.
func (p *delayInsertion) run(f *mir.Func) {
	if f.M.Set.Gen() < isa.Gen11 {
		return
	}
	p.f = f
	var before mir.Block
	for _, b := range f.Layout {
		if preds := f.LinearPreds(b); len(preds) != 1 || preds[0] != before {
			p.forget()
		}
		p.last = 0
		for i := f.First(b); i != 0; i = nextWhole(f, i) {
			p.instr(i)
		}
		before = b
	}
	p.forget()
}

// forget lets all results be there.
func (p *delayInsertion) forget() { p.now += longAgo }

// instr looks at one instruction.
func (p *delayInsertion) instr(i mir.Instr) {
	f := p.f
	x := f.Info(i)
	kind := aluKindOf(x)
	switch {
	case x.Unit >= mir.UnitVMEM && kind == aluNone, f.Op(i) == mir.SWaitAlu: // waits for vector results itself
		p.forget()
	case kind == aluNone:
	default:
		if code, second := p.depends(i); code != 0 && kind != aluScalar {
			p.delay(i, code, second)
		}
	}
	p.skip++
	if kind != aluNone {
		p.define(i, kind)
	}
	p.now++
}

// define notes the results of an instruction.
func (p *delayInsertion) define(i mir.Instr, kind aluKind) {
	p.seq[kind]++
	p.note(i, kind)
	if isDual(p.f, i) {
		p.note(p.f.Next(i), kind)
	}
}

func (p *delayInsertion) note(i mir.Instr, kind aluKind) {
	for _, o := range p.f.Defs(i) {
		if r := o.Reg(); r.IsPhys() && r != mir.Exec {
			for k := range max(int(o.N), 1) {
				p.results[r+mir.Reg(k)] = aluResult{kind, p.seq[kind], p.now + aluLatency[kind], p.seq[aluVector]}
			}
		}
	}
}

func aluKindOf(x *mir.OpInfo) aluKind {
	switch {
	case x.Unit == mir.UnitVALU && x.Traits.Any(isa.TraitTrans):
		return aluTrans
	case x.Unit == mir.UnitVALU || x.Unit == mir.UnitMatrix:
		return aluVector
	case x.Unit == mir.UnitSALU && x.Form != isa.SOPP:
		return aluScalar
	}
	return aluNone
}

// depends gives the codes of what an instruction depends on, 0 for nothing. A vector result that comes from before a transcendental one that
// is waited for is there by then.
func (p *delayInsertion) depends(i mir.Instr) (code, second int64) {
	var near [aluScalar + 1]uint32 // how far back, 0 for nothing; cycles that are left for scalar ones
	transValus := uint32(0)
	uses := p.f.Uses(i)
	if isDual(p.f, i) {
		p.uses = append(append(p.uses[:0], uses...), p.f.Uses(p.f.Next(i))...)
		uses = p.uses
	}
	for _, o := range uses {
		r := o.Reg()
		if !r.IsPhys() {
			continue
		}
		for k := range max(int(o.N), 1) {
			x := &p.results[r+mir.Reg(k)]
			if x.kind == aluNone || x.ready <= p.now {
				continue
			}
			back := p.seq[x.kind] - x.seq + 1
			if x.kind == aluScalar {
				back = min(x.ready-p.now, aluReach[aluScalar])
			}
			if back <= aluReach[x.kind] && (near[x.kind] == 0 || (back < near[x.kind]) == (x.kind != aluScalar)) {
				near[x.kind] = back
				if x.kind == aluTrans {
					transValus = p.seq[aluVector] - x.valus
				}
			}
			x.kind = aluNone // whoever comes behind need not wait again
		}
	}
	if near[aluTrans] != 0 && near[aluVector] > transValus {
		near[aluVector] = 0
	}
	for _, kind := range [...]aluKind{aluTrans, aluVector, aluScalar} {
		if near[kind] == 0 {
			continue
		}
		c := aluCode[kind] + int64(near[kind]) - 1
		if code == 0 {
			code = c
		} else if second == 0 {
			second = c
		}
	}
	return code, second
}

// delay says what an instruction depends on: in the last s_delay_alu when there is room, or in a new one.
func (p *delayInsertion) delay(i mir.Instr, code, second int64) {
	f := p.f
	if second == 0 && p.last != 0 && p.skip <= maxDelaySkip {
		o := f.Use(p.last, 0)
		o.Imm |= int64(p.skip)<<delaySkipShift | code<<delaySecondShift
		p.last = 0
		return
	}
	d := f.NewInstr(mir.SDelayAlu, 0, mir.Imm(code|second<<delaySecondShift))
	f.SetLoc(d, f.Loc(i))
	f.InsertBefore(d, i)
	if p.last, p.skip = d, 0; second != 0 {
		p.last = 0
	}
}
