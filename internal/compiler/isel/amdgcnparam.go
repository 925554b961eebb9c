package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Loads of parameters from LDS, and direct loads. They write all lanes of a quad
// with an active lane, and interpolations read the lanes of their quad, active
// or not. So the loads execute in whole quad mode, and their results are in
// registers of the whole-wave pool. LLVM's si-wqm does the same.
//
// Package prepare moves the loads of a block together, and each one to the block
// of the instructions that read other lanes. Those read the pool. All other
// instructions read a copy of the active lanes.

// quadLoad is a load that writes whole quads.
type quadLoad struct {
	v     ir.Value
	reg   mir.Reg     // the copy of the active lanes
	saved mir.Reg     // the active lanes
	save  mir.Instr   // the first instruction: saves the active lanes
	widen mir.Instr   // activates quads
	load  mir.Instr   // writes the pool
	end   mir.Instr   // restores the active lanes
	out   mir.Instr   // copies the result
	place mir.Operand // the register of the pool
}

// Values of fields that wait for nothing.
const (
	noWaitExport = 7  // waitexp
	noWaitVdst   = 15 // waitvdst
	noWaitVsrc   = 1  // waitvsrc
)

// ldsParam selects lds.param.load.
func (s *Selector) ldsParam(v ir.Value, _ *intrinsicRow) {
	s.quadLoad(v, mir.DsParamLoad, 2, mir.Imm(s.constArg(v, 1)), mir.Imm(s.constArg(v, 0)))
}

// ldsDirect selects lds.direct.load.
func (s *Selector) ldsDirect(v ir.Value, _ *intrinsicRow) { s.quadLoad(v, mir.DsDirectLoad, 0) }

// quadLoad emits a load in whole quad mode. In a region of whole wave mode, all
// lanes are already active. at is the argument for M0.
func (s *Selector) quadLoad(v ir.Value, op mir.Op, at int, fields ...mir.Operand) {
	place := mir.Phys(mir.WholeWavePool, 1)
	inside := s.whole.first != ir.None
	if inside {
		place = mir.R(s.regOf(v))
	}
	operands := append([]mir.Operand{place}, fields...)
	operands = append(operands, mir.Imm(noWaitVdst))
	if s.set.Has(isa.PropSplitWaits) {
		operands = append(operands, mir.Imm(noWaitVsrc))
	}
	operands = append(operands, s.paramsAt(v, at))
	if inside {
		s.putInstr(op, 1, operands...)
		return
	}
	q := quadLoad{v: v, reg: s.regOf(v), saved: s.newS(s.out.M.MaskDwords())}
	q.save = s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, mir.R(q.saved), s.exec())
	q.widen = s.putInstr(s.byWave(mir.SWqmB32, mir.SWqmB64), 2, s.exec(), mir.R(s.newSCC()), s.exec())
	q.load = s.putInstr(op, 1, operands...)
	q.end = s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, s.exec(), mir.R(q.saved))
	q.out = s.putInstr(mir.Copy, 1, mir.R(q.reg), place)
	for _, i := range [...]mir.Instr{q.save, q.widen, q.load, q.end, q.out} {
		s.markWhole(i)
	}
	s.whole.quads = append(s.whole.quads, q)
}

func (s *Selector) markWhole(i mir.Instr) {
	s.out.SetFlags(i, s.out.Flags(i)|mir.WholeWave|mir.NoReorder)
}

// placeQuads assigns registers of the pool to the results of loads, and removes
// unneeded copies and changes of EXEC.
func (s *Selector) placeQuads() {
	if len(s.whole.quads) == 0 || s.err != nil {
		return
	}
	p := quadPlaces{s: s, f: s.out, loads: map[mir.Instr]*quadLoad{}, results: map[mir.Reg]*quadLoad{},
		starts: map[mir.Instr]bool{}, last: map[mir.Reg]mir.Instr{}}
	for n := range s.whole.quads {
		q := &s.whole.quads[n]
		p.loads[q.load], p.results[q.reg] = q, q
		p.starts[q.save], p.starts[q.widen] = true, true
	}
	for b := mir.Block(1); int(b) < p.f.NumBlocks(); b++ {
		p.block(b)
	}
	s.whole.kept = p.end
	p.removeCopies()
	for b := mir.Block(1); int(b) < p.f.NumBlocks(); b++ {
		p.joinLoads(b)
	}
}

// quadPlaces assigns places to the results of loads.
type quadPlaces struct {
	s       *Selector
	f       *mir.Func
	loads   map[mir.Instr]*quadLoad
	results map[mir.Reg]*quadLoad // those whose load has been visited in the current block have a place
	starts  map[mir.Instr]bool    // the instructions that activate quads
	last    map[mir.Reg]mir.Instr // by result: the last instruction of the block that reads the pool
	busy    [mir.WholeWaveSize]bool
	end     int // number of registers in use
}

// block assigns places in a block. They are free after the last interpolation.
func (p *quadPlaces) block(b mir.Block) {
	f := p.f
	p.eachRead(b, func(i mir.Instr, o *mir.Operand) { p.last[o.Reg()] = i })
	clear(p.busy[:])
	for k := range min(p.s.whole.kept, len(p.busy)) {
		p.busy[k] = true
	}
	for i := f.First(b); i != 0; i = f.Next(i) {
		if q := p.loads[i]; q != nil {
			p.assign(q)
		}
		p.replaceReads(i)
	}
}

// assign assigns a place to a result.
func (p *quadPlaces) assign(q *quadLoad) {
	for at := range p.busy {
		if p.busy[at] {
			continue
		}
		p.busy[at] = p.last[q.reg] != 0
		p.end = max(p.end, at+1)
		q.place = mir.Phys(mir.WholeWavePool+mir.Reg(at), 1)
		p.f.Defs(q.load)[0] = q.place
		*p.f.Use(q.out, 0) = q.place
		return
	}
	p.s.unsupported(q.v, "%v with more registers than available", p.s.f.CalledIntrinsic(q.v))
}

// eachRead calls do for the operands of a block that read lanes of a result.
func (p *quadPlaces) eachRead(b mir.Block, do func(mir.Instr, *mir.Operand)) {
	for i := p.f.First(b); i != 0; i = p.f.Next(i) {
		p.readsOf(i, do)
	}
}

// readsOf calls do for the operands of an instruction that read other lanes of
// a result in the same block.
func (p *quadPlaces) readsOf(i mir.Instr, do func(mir.Instr, *mir.Operand)) {
	if !readsQuads(p.f, i) {
		return
	}
	for n := range p.f.Uses(i) {
		o := p.f.Use(i, n)
		if q := p.results[o.Reg()]; o.Kind == mir.KindReg && q != nil && p.f.Parent(q.load) == p.f.Parent(i) {
			do(i, o)
		}
	}
}

// readsQuads reports whether an instruction reads lanes that EXEC does not
// select.
func readsQuads(f *mir.Func, i mir.Instr) bool {
	return f.Info(i).Form == isa.VINTERP || f.Op(i) == mir.VReadlaneB32
}

func (p *quadPlaces) replaceReads(i mir.Instr) {
	p.readsOf(i, func(_ mir.Instr, o *mir.Operand) {
		q := p.results[o.Reg()]
		if p.last[q.reg] == i && q.place.Kind == mir.KindReg {
			p.busy[q.place.Reg()-mir.WholeWavePool] = false
		}
		flags := o.Flags
		*o = q.place
		o.Flags = flags
		p.s.markWhole(i)
	})
}

// removeCopies removes the copies of results that only interpolations read.
func (p *quadPlaces) removeCopies() {
	f := p.f
	used := map[mir.Reg]bool{}
	for b := mir.Block(1); int(b) < f.NumBlocks(); b++ {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Uses(i) {
				used[o.Reg()] = true
			}
		}
	}
	for n := range p.s.whole.quads {
		if q := &p.s.whole.quads[n]; !used[q.reg] {
			f.Erase(q.out)
			q.out = 0
		}
	}
}

// joinLoads keeps quads active between loads with only moves to M0 in between.
func (p *quadPlaces) joinLoads(b mir.Block) {
	f := p.f
	var before *quadLoad
	var at mir.Operand // M0's value of the loads
	for i := f.First(b); i != 0; {
		next := f.Next(i)
		q := p.loads[i]
		switch {
		case setsM0(f, i) && before != nil && *f.Use(i, 0) == at:
			f.Erase(i)
		case setsM0(f, i):
			at = *f.Use(i, 0)
		case q != nil && before != nil:
			f.Erase(before.end)
			f.Erase(q.save)
			f.Erase(q.widen)
			*f.Use(q.end, 0) = mir.R(before.saved)
			q.saved = before.saved
			before = q
		case q != nil:
			before = q
		case before != nil && i != before.end && !p.starts[i]:
			before = nil
		}
		i = next
	}
}

// setsM0 reports whether an instruction sets M0 from a register or constant.
func setsM0(f *mir.Func, i mir.Instr) bool {
	return f.Op(i) == mir.SMovB32 && f.Defs(i)[0].Reg() == mir.M0
}
