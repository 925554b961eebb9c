package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// s_delay_alu, from gfx11 on, declares which of the preceding instructions the
// next vector ALU instructions depend on, so that another wave uses the unit
// until the results are available. It is a hint: the hardware waits for
// undeclared dependencies as well.
//
// Sources: RDNA 3 ISA, "s_delay_alu"; LLVM, AMDGPUInsertDelayAlu.cpp and
// SISchedule.td, for latencies.

// aluKind is the kind of an instruction whose result may be waited for.
type aluKind uint8

const (
	aluNone aluKind = iota
	aluVector
	aluTrans
	aluScalar
)

// Latencies of results in cycles, and maximum distances at which s_delay_alu
// can refer to an instruction.
var (
	aluLatency = [...]uint32{aluVector: 5, aluTrans: 10, aluScalar: 2}
	aluReach   = [...]uint32{aluVector: 4, aluTrans: 3, aluScalar: 3}
)

// aluCode holds the codes of s_delay_alu for the nearest instruction of a kind;
// farther ones follow.
var aluCode = [...]int64{aluVector: 1, aluTrans: 5, aluScalar: 9}

const (
	delaySkipShift   = 4
	delaySecondShift = 7
	maxDelaySkip     = 5
)

// aluResult describes the instruction that last wrote a register.
type aluResult struct {
	kind  aluKind
	seq   uint32 // sequence number among the instructions of its kind
	ready uint32 // cycle in which the result is available
	valus uint32 // number of vector ALU instructions up to it
}

// delayInsertion inserts s_delay_alu in functions.
type delayInsertion struct {
	f       *mir.Func
	results [mir.NumPhys]aluResult
	now     uint32
	seq     [aluScalar + 1]uint32
	last    mir.Instr // last s_delay_alu with room for a second dependency, or 0
	skip    int       // instructions after it
	uses    []mir.Operand
}

// longAgo exceeds any latency.
const longAgo = 1000

// insertDelays inserts s_delay_alu in a function. Only layout may follow.
func (p *delayInsertion) insertDelays(f *mir.Func) {
	if !f.M.Set.Has(isa.PropDelayAlu) {
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

// forget makes all results available.
func (p *delayInsertion) forget() { p.now += longAgo }

// instr processes one instruction.
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

// define records the results of an instruction.
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

// depends returns the codes of an instruction's dependencies, 0 for none. A
// vector result that precedes an awaited transcendental one is available by
// then.
func (p *delayInsertion) depends(i mir.Instr) (code, second int64) {
	var near [aluScalar + 1]uint32 // distance of each kind, 0 for none; for aluScalar, the remaining cycles
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
			x.kind = aluNone // later instructions need not wait again
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

// delay declares the dependencies of an instruction, in the last s_delay_alu if
// it has room, otherwise in a new one.
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
