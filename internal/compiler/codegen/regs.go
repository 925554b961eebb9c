package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// margins holds, for each further attempt, the number of registers by which the
// spill limit is below the limit of register allocation: tuples may not fit
// although enough registers are free. After the last margin, everything is
// spilled.
var margins = [...]int{0, 2, 4, 8, 16, 24, 32}

// spillAll is the attempt at which no value stays in a register between two
// instructions.
const spillAll = len(margins)

// Spill reduces the function's register pressure to the limits, and plans the
// frame's registers.
func (p *Passes) Spill() error {
	if p.tries == 0 {
		p.snapshot.CopyFrom(p.f)
		p.saved = true
	}
	p.planned = true
	x := &p.frame
	p.dropSinglePhis()
	x.changed = p.callClobbers()
	x.plan(p.f, p.entry, p.job.Target, 0)
	p.spiller.keep, p.spiller.clobbers = x.keep, p.clobbers
	if p.tries == 0 {
		if x.calls || !x.entry.Kernel { // the calling convention's minimum
			p.hard[mir.FileS], p.hard[mir.FileV] = max(p.hard[mir.FileS], leastForCalls), max(p.hard[mir.FileV], leastForCalls, p.leastForValues())
		}
		p.chooseLimits()
		p.spillMore = regLimits{mir.FileS: p.spillFrom, mir.FileV: p.spillFrom}
	}
	need := p.pressure.max
	pool := wholeWavePool(p.f)
	limitV := p.spillLimit(mir.FileV) - pool
	if !x.entry.Kernel {
		limitV -= 64 / p.f.M.Wave // for the scalar registers that it saves
	}
	limitS := p.spillLimit(mir.FileS) - x.keptScalars(need[mir.FileV] > limitV)
	if need[mir.FileS] > limitS || x.calls || p.spillMore[mir.FileS] > 0 {
		if err := p.spillFile(mir.FileS, limitS, 0); err != nil {
			return err
		}
	}
	_, scalar := p.slots.assignOffsets(p.f)
	lanes := int(scalar) / 4
	limitV -= (lanes + p.f.M.Wave - 1) / p.f.M.Wave
	if need[mir.FileV] > limitV || x.calls || p.spillMore[mir.FileV] > 0 {
		if err := p.spillFile(mir.FileV, limitV, 1); err != nil {
			return err
		}
	}
	p.slots.assignOffsets(p.f)
	x.plan(p.f, p.entry, p.job.Target, min(need[mir.FileV], limitV))
	moveInputs(p.f, p.job.Entry, x.entry)
	return p.placePool(pool)
}

// spillFile spills values of one file. slack is the number of registers that
// must be free at calls.
func (p *Passes) spillFile(file mir.File, limit, slack int) error {
	p.spiller.all = p.spillMore[file] == spillAll
	return p.spiller.spillFile(p.f, file, limit, slack+p.margin(file))
}

// margin returns the number of registers to leave free at this attempt.
func (p *Passes) margin(file mir.File) int {
	if p.spillMore[file] == spillAll {
		return 0
	}
	return margins[p.spillMore[file]]
}

// spillLimit returns the number of registers to which this attempt reduces the
// pressure.
func (p *Passes) spillLimit(file mir.File) int {
	return max(p.hard[file]-p.margin(file), p.hard[file]/2)
}

// leastForCalls is the minimum number of registers of each file for functions
// and their callers, which all waves of the largest work-groups can have.
const leastForCalls = 64

// leastForValues returns the number of VGPRs that the values passed and returned
// by calls need, and some for their computation, if it is more than leastForCalls.
func (p *Passes) leastForValues() (n int) {
	f := p.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) != mir.Call && f.Op(i) != mir.Return && f.Op(i) != mir.Exit {
				continue
			}
			for _, o := range f.Operands(i) {
				if r := o.Reg(); r.IsPhys() && f.File(r) == mir.FileV && r.Index() >= leastForCalls-16 {
					n = max(n, r.Index()+16)
				}
			}
		}
	}
	return n
}

// keptScalars returns the number of scalar registers that the frame reserves,
// including those needed if vector registers are spilled.
func (x *frame) keptScalars(spills bool) (n int) {
	for _, k := range x.keep {
		if k.reg < mir.VGPR0 {
			n += k.n
		}
	}
	if spills && !x.scratch { // the resource or a base, and registers for far addresses
		n += 4
	}
	if spills && x.temp == mir.NoReg {
		n += 2
	}
	return n
}

// Frame inserts the frame's code, and records the properties needed by
// callers and descriptors.
func (p *Passes) Frame() error {
	p.needPlan()
	p.planned, p.framed = false, true
	x := &p.frame
	p.resources.noteCalls(p.f)
	x.accumAt, x.accumEnd = p.freeAGPRs()
	if err := CheckFrame(p.job.Target, p.f.Name, x.objectBytes()); err != nil {
		return err
	}
	x.finish()
	p.written.addAll(&x.changed)
	p.noteWrites()
	p.entry = x.entry
	r := &p.resources
	r.ScratchBytes, r.DynamicStack = uint64(x.stackBytes()), x.dynamic
	for _, o := range p.f.Objects[1:] {
		switch {
		case o.Out:
			r.CallArgBytes = max(r.CallArgBytes, o.Size)
		case o.Spill && o.SGPR:
			r.SpilledSGPRs += int(o.Size / 4)
		case o.Spill:
			r.SpilledVGPRs += int(o.Size / 4)
		}
	}
	return nil
}

// countInputs adds the registers of a kernel's inputs, which the hardware
// writes even if the code does not read them.
func (p *Passes) countInputs() {
	if r := &p.resources; p.entry.Kernel {
		r.SGPRs, r.VGPRs = max(r.SGPRs, p.entry.InputSGPRs()), max(r.VGPRs, p.entry.InputVGPRs())
	}
}

// freeAGPRs returns the range of AGPRs for spilled registers: those that the
// function does not use, calls preserve, and do not reduce occupancy.
func (p *Passes) freeAGPRs() (from, to int) {
	l := p.job.Target.Limits()
	if l.AGPRs == 0 {
		return 0, 0
	}
	var used Resources
	used.count(p.f, l.AddressableSGPRs)
	all := l.AddressableVGPRs
	if n := p.job.Limits.VGPRs; n > 0 {
		all = min(all, n)
	}
	from, to = used.AGPRs, min(l.AGPRs, all)
	if l.UnifiedVGPRs {
		to = min(to, all-(used.VGPRs+4)&^3)
	}
	kernel, calls := p.frame.entry.Kernel, p.frame.calls
	switch {
	case !kernel && calls:
		return 0, 0
	case !kernel:
		to = min(to, firstPreservedAGPR)
	case calls:
		from = max(from, firstPreservedAGPR)
	}
	return from, to
}

// firstPreservedAGPR is the first AGPR that calls preserve.
const firstPreservedAGPR = 32

// noteCalls records the functions that the function calls.
func (r *Resources) noteCalls(f *mir.Func) {
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) != mir.Call {
				continue
			}
			to := f.Use(i, 0)
			if to.Kind != mir.KindSymbol {
				r.HasCalls = true
			} else if name := f.Symbols[to.Symbol()]; !slices.Contains(r.Callees, name) {
				r.Callees = append(r.Callees, name)
			}
		}
	}
}

// moveInputs adapts a kernel selected for one entry to another one. Adding or
// removing scratch memory moves other inputs to different registers. Selection
// copies the inputs in the first block.
func moveInputs(f *mir.Func, from, to *abi.Entry) {
	if from == to {
		return
	}
	moved := map[mir.Reg]mir.Reg{}
	if from.Shader != nil {
		for k := range from.Shader.SGPRs {
			moved[from.ArgumentReg(mir.SGPR(k))] = to.ArgumentReg(mir.SGPR(k))
		}
	}
	for in := range abi.NumInputs {
		p, q := from.At[in], to.At[in]
		for k := range mir.Reg(p.Dwords) {
			if q.Reg != mir.NoReg {
				moved[p.Reg+k] = q.Reg + k
			}
		}
	}
	for i := f.First(f.Layout[0]); i != 0; i = f.Next(i) {
		uses := f.Uses(i)
		if f.Op(i) != mir.Copy {
			continue
		}
		for n := range uses {
			if r, ok := moved[uses[n].Reg()]; ok && uses[n].Reg().IsPhys() {
				uses[n] = mir.Phys(r, int(uses[n].N))
			}
		}
	}
}

// dropSinglePhis removes phis with one source, and replaces their uses by the
// source.
func (p *Passes) dropSinglePhis() {
	f := p.f
	p.same = zeroed(p.same, f.NumVirtual())
	any := false
	for _, b := range f.Layout {
		for i := f.First(b); i != 0 && f.Op(i).IsPhi(); {
			next := f.Next(i)
			if src := *f.Use(i, 0); len(f.Uses(i)) == 2 && src.IsVirtual() && src.N == 0 && src.Flags&mir.Undef == 0 && f.File(src.Reg()) == f.File(f.Def(i, 0)) {
				p.same[f.Def(i, 0).Index()] = src.Reg()
				any = true
				f.Erase(i)
			}
			i = next
		}
	}
	if !any {
		return
	}
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for n := range f.Uses(i) {
				for o := f.Use(i, n); o.IsVirtual() && p.same[o.Reg().Index()] != mir.NoReg; {
					*o = rename(*o, p.same[o.Reg().Index()])
				}
			}
		}
	}
}
