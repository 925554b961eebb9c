package codegen

import (
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/target"
)

// Limits holds the maximum number of registers of each file that a function may
// use. 0 selects the target's limit.
type Limits struct {
	SGPRs, VGPRs, AGPRs int
}

// Job describes a function to compile.
type Job struct {
	F      *mir.Func // as produced by selection (mir.StageSelected)
	Target *target.Target
	Kernel bool
	Entry  *abi.Entry // locations of the function's inputs
	Limits Limits

	// Clobbers returns the registers that a call of a function may clobber, or
	// nil for the set of the calling convention. If Clobbers is nil, all calls
	// use the set of the calling convention.
	Clobbers func(function string) *RegSet
	// Called requests Result.Clobbers, for callers.
	Called bool

	resume *resumed // set by ReadJob: the state after the pass at which the job continues
}

// Passes holds the passes on machine IR, each a method, with the state of the
// current function. It reuses its memory for the next function and is for one
// goroutine. Package pipeline determines the order of the passes and drives
// them: Begin, the passes with Retry after an error, Result.
type Passes struct {
	Verify bool         // check register allocation
	Cells  *MemoryCells // of the memory model's tables, for mutation tests; nil for none

	job       *Job
	f         *mir.Func
	entry     *abi.Entry
	tries     int
	hard      regLimits // registers available
	limits    regLimits // limits of this attempt
	selected  mir.Func  // the input, with split edges
	snapshot  mir.Func  // before register allocation, for another attempt
	resources Resources
	code      *Code
	scheduled bool   // Schedule ran: scheduling.live is valid
	saved     bool   // Spill ran: snapshot is valid
	planned   bool   // frame is valid: after Spill, until Frame
	framed    bool   // after Frame
	written   RegSet // registers written by the function or clobbered by its callees

	cleaning   peephole
	flow       controlFlow
	model      memoryModel
	scheduling scheduler
	splitting  partSplitting
	hazard     hazardInsertion
	allocator  allocator
	pressure   regPressure
	frame      frame
	spiller    spiller
	slots      spillSlots
	same       []mir.Reg // by register: its replacement
	spillMore  regLimits // by file: number of attempts at which spilling was insufficient
	spillFrom  int       // initial value of spillMore, set by tests
	copies     copyLowering
	waiting    waitInsertion
	threading  jumpThreading
	shortening formShortening
	trapping   trapInsertion
	delaying   delayInsertion
	pairing    dualPairing
	banking    bankInsertion
	layouter   layout
}

// Result is the result of all passes, valid until the next Begin.
type Result struct {
	Code      *Code      // nil if Layout did not run
	Entry     *abi.Entry // the job's entry, or another one if the need for scratch memory changed
	Resources Resources
	Clobbers  *RegSet // registers that a call of the function clobbers, nil unless requested
}

// Begin starts the passes on the function of a job.
func (p *Passes) Begin(job *Job) {
	p.job, p.f, p.entry, p.tries = job, job.F, job.Entry, 0
	p.resources, p.code, p.written = Resources{}, nil, RegSet{}
	p.scheduled, p.saved, p.planned, p.framed = false, false, false, false
	p.hard = hardLimits(job)
	p.selected.CopyFrom(p.f)
	p.restore(job.resume)
}

// Result returns the result of the passes that ran since Begin.
func (p *Passes) Result() Result {
	p.countInputs()
	p.resources.count(p.f, p.job.Target.Limits().AddressableSGPRs)
	r := Result{Code: p.code, Entry: p.entry, Resources: p.resources}
	if p.job.Called {
		r.Clobbers = p.clobbered()
	}
	return r
}

// Restart is the point from which a driver repeats the passes after an error.
type Restart uint8

const (
	NoRestart    Restart = iota // the error is final
	RestartSpill                // the passes from Spill on are repeated
	RestartFirst                // the passes since Begin are repeated
)

// Retry restores the function for another attempt after the error of a pass, if
// another attempt may succeed.
func (p *Passes) Retry(err error) Restart {
	var full *errNoRegisters
	var edges errSplitEdges
	switch {
	case errors.As(err, &full) && p.saved && p.widen(full.file):
		p.tries++
		p.f.CopyFrom(&p.snapshot)
		p.planned = false
		return RestartSpill
	case errors.As(err, &edges) && !p.isLinear() && p.split(edges):
		p.tries, p.planned = 0, false
		return RestartFirst
	}
	return NoRestart
}

// isLinear reports whether the passes began with linearized control flow.
func (p *Passes) isLinear() bool {
	return p.job.resume != nil && p.job.resume.stage >= mir.StageLinearized
}

// Final returns the error that ends the passes. Its message does not refer to
// the function, which is about to be reused.
func (p *Passes) Final(err error) error {
	var full *errNoRegisters
	var edges errSplitEdges
	switch {
	case errors.As(err, &full):
		return errors.New(err.Error())
	case errors.As(err, &edges) && p.isLinear():
		return fmt.Errorf("function %s: register allocation needs a block on the edge from bb%d to bb%d, which only passes before control-flow can handle: start after an earlier pass",
			p.f.Name, edges[0].from, edges[0].to)
	}
	return err
}

// Func returns the current function.
func (p *Passes) Func() *mir.Func { return p.f }

// split restores the function as selected, with blocks on edges, and reports
// whether it split any edge.
func (p *Passes) split(edges []edge) (any bool) {
	f := p.f
	f.CopyFrom(&p.selected)
	for _, x := range edges {
		if int(max(x.from, x.to)) >= f.NumBlocks() {
			continue
		}
		if e := f.SplitEdge(x.from, x.to); e != 0 {
			keepExitPhis(f, x.from, e, x.to)
			any = true
		}
	}
	p.selected.CopyFrom(f)
	return any
}

// keepExitPhis adds phis to a new block between two others, for scalar
// registers that phis of the second block take from the first one. On an edge
// that leaves a loop, values of lanes from different iterations are merged by
// the phis that directly follow the loop.
func keepExitPhis(f *mir.Func, from, e, to mir.Block) {
	for i := f.First(to); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		result := f.Def(i, 0)
		if f.File(result) != mir.FileS {
			continue
		}
		r := f.NewReg(mir.FileS, f.Dwords(result))
		if f.IsMask(result) {
			r = f.NewMask()
		}
		for n := 0; n < len(f.Uses(i)); n += 2 {
			if f.Use(i, n+1).Block() != e {
				continue
			}
			source := *f.Use(i, n)
			f.Prepend(e, f.NewInstr(mir.Phi, 1, mir.R(r), source, mir.Target(from)))
			*f.Use(i, n) = mir.R(r)
		}
	}
}

// AppendText appends the current function, after a pass, as text from which
// ReadJob restores the job.
func (p *Passes) AppendText(dst []byte, after string) []byte {
	return appendJob(dst, p.f, after, p.properties())
}

// Peephole simplifies the selected code, and hoists loop invariants.
func (p *Passes) Peephole() error {
	p.cleaning.cleanFunction(p.f)
	return nil
}

// ControlFlow replaces divergent branches by changes of EXEC.
func (p *Passes) ControlFlow() error {
	p.flow.lowerControlFlow(p.f)
	return nil
}

// Schedule moves loads up and orders the other instructions.
func (p *Passes) Schedule() error {
	l := p.job.Target.Limits()
	p.scheduling.scheduleFunction(p.f, &l, l.WavesPerEU)
	p.scheduled = true
	return nil
}

// SplitParts ends the live ranges of tuples of which only single dwords are read.
func (p *Passes) SplitParts() error {
	if !p.scheduled {
		p.scheduling.live.computeLiveness(p.f)
	}
	p.splitting.splitTuples(p.f, &p.scheduling.live) // scheduling preserves the ends of blocks
	return nil
}

// Indexing lowers accesses of registers by an index.
func (p *Passes) Indexing() error {
	indexing(p.f)
	return nil
}

// Hazards inserts the instructions that the hardware requires between others.
func (p *Passes) Hazards() error { return p.hazard.resolveHazards(p.f, p.job.Kernel) }

// MemoryModel lowers memory orderings to cache policies, cache instructions and waits.
func (p *Passes) MemoryModel() error {
	t := p.job.Target
	p.model.cells = p.Cells
	p.model.orderAccesses(p.f, memoryModes{CU: t.Has(target.FeatureCUMode), TgSplit: t.Has(target.FeatureTgSplit)})
	return nil
}

// Regalloc assigns registers. Retry handles its errors.
func (p *Passes) Regalloc() error {
	p.needPlan()
	p.allocator.keep, p.allocator.clobbers = p.frame.keep, p.clobbers
	if err := p.allocator.allocateRegisters(p.f, p.limits); err != nil {
		return err
	}
	if p.Verify {
		if errs := checkRegs(&p.allocator); len(errs) > 0 {
			return fmt.Errorf("BUG: codegen: register allocation: %w", errs[0])
		}
	}
	p.allocator.dropPhis()
	return nil
}

// LowerCopies lowers parallel copies and tuples to moves.
func (p *Passes) LowerCopies() error {
	p.copies.lowerCopies(p.f)
	return nil
}

// Waits inserts waits for the results of memory instructions.
func (p *Passes) Waits() error {
	p.waiting.insertWaits(p.f, p.job.Kernel)
	return nil
}

// Jumps removes unneeded jumps, blocks and values.
func (p *Passes) Jumps() error {
	p.threading.threadJumps(p.f)
	return nil
}

// Shorten replaces multiply-adds by shorter instructions.
func (p *Passes) Shorten() error {
	p.shortening.shortenForms(p.f)
	return nil
}

// Traps lowers traps.
func (p *Passes) Traps() error {
	p.trapping.lowerTraps(p.f)
	return nil
}

// Dual forms pairs of vector instructions.
func (p *Passes) Dual() error {
	p.pairing.pairInstructions(p.f)
	return nil
}

// Banks selects the banks of VGPRs.
func (p *Passes) Banks() error { return p.banking.selectBanks(p.f) }

// Clauses marks sequences of memory instructions.
func (p *Passes) Clauses() error {
	insertClauses(p.f)
	return nil
}

// Delays declares dependencies of instructions.
func (p *Passes) Delays() error {
	p.delaying.insertDelays(p.f)
	return nil
}

// Layout encodes the function.
func (p *Passes) Layout() (err error) {
	p.layouter.target = p.job.Target
	p.layouter.entry = p.entry
	p.code, err = p.layouter.layOut(p.f)
	return err
}
