package codegen

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Options are settings of the pipeline.
type Options struct {
	Level      int       // of optimization, from 0; those above 2 are the same as 2
	Verify     bool      // check the function after each pass, and what register allocation did
	PrintAfter []string  // passes after which the function is printed to Output; "all" names all
	StopAfter  string    // the pass after which the function is printed to Output and left
	Output     io.Writer // may be called by several workers, one function in a call
}

// Limits are how many registers of each file a function may use. 0 is what the target has.
type Limits struct {
	SGPRs, VGPRs, AGPRs int
}

// Job is a function to be compiled, and what is known about it.
type Job struct {
	F      *mir.Func // as selection leaves it (mir.StageSelected)
	Target *target.Target
	Kernel bool
	Entry  *abi.Entry // where the function finds what it is given
	Limits Limits

	// Clobbers gives the registers that a call of a function may change, nil when that is what the calling convention says. It is nil when
	// that is so for all functions.
	Clobbers func(function string) *RegSet
	// Called is set when Result.Clobbers is asked for, for other functions; Options.StopAfter then only ends what is printed.
	Called bool
}

// pass is one step of the pipeline.
type pass struct {
	name  string
	run   func(p *Pipeline) error
	from  isa.Gen   // the first generation that it runs for
	level int       // the lowest level of optimization that it runs at
	stage mir.Stage // the stage of the function behind it
}

// passes are all steps, in their order. What must stand before what is said in the test.
var passes = [...]pass{
	{name: "peephole", run: (*Pipeline).peephole, level: 1, stage: mir.StageSelected},
	{name: "control-flow", run: (*Pipeline).controlFlow, stage: mir.StageLinearized},
	{name: "schedule", run: (*Pipeline).schedule, level: 1, stage: mir.StageLinearized},
	{name: "split-parts", run: (*Pipeline).splitParts, level: 1, stage: mir.StageLinearized},
	{name: "spill", run: (*Pipeline).spill, stage: mir.StageLinearized},
	{name: "regalloc", run: (*Pipeline).regalloc, stage: mir.StageAllocated},
	{name: "lower-copies", run: (*Pipeline).lowerCopies, stage: mir.StageAllocated},
	{name: "frame", run: (*Pipeline).finishFrame, stage: mir.StageAllocated},
	{name: "jumps", run: (*Pipeline).jumps, level: 1, stage: mir.StageAllocated},
	{name: "traps", run: (*Pipeline).traps, stage: mir.StageAllocated},
	{name: "memory-model", run: (*Pipeline).memory, stage: mir.StageAllocated},
	{name: "waits", run: (*Pipeline).waits, stage: mir.StageAllocated},
	{name: "indexing", run: (*Pipeline).indexing, stage: mir.StageFinal},
	{name: "dual", run: (*Pipeline).dual, from: isa.Gen11, level: 1, stage: mir.StageFinal},
	{name: "hazards", run: (*Pipeline).hazards, stage: mir.StageFinal},
	{name: "clauses", run: (*Pipeline).clauses, from: isa.Gen10, level: 1, stage: mir.StageFinal},
	{name: "delays", run: (*Pipeline).delays, from: isa.Gen11, level: 1, stage: mir.StageFinal},
	{name: "layout", run: (*Pipeline).layout, stage: mir.StageFinal},
}

// firstAllocation is the pass from which on the pipeline is run again when register allocation finds no place.
const firstAllocation = "spill"

// PassNames gives the names of all passes in their order.
func PassNames() []string {
	names := make([]string, len(passes))
	for i := range passes {
		names[i] = passes[i].name
	}
	return names
}

// Pipeline takes one function after the other through all passes in the same memory. It serves one goroutine.
type Pipeline struct {
	Options Options

	job       *Job
	f         *mir.Func
	entry     *abi.Entry
	tries     int
	hard      regLimits // what there is
	limits    regLimits // what is used in this try
	selected  mir.Func  // as it came, but for edges that were split
	snapshot  mir.Func  // before register allocation, for another try
	resources Resources
	code      *Code
	stopped   bool   // behind Options.StopAfter
	written   RegSet // what the function writes, and what it calls changes

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
	same       []mir.Reg // by register: what is in its place
	spillMore  regLimits // by file: how often spilling was not enough
	spillFrom  int       // what it begins with, which tests change
	copies     copyLowering
	waiting    waitInsertion
	threading  jumpThreading
	trapping   trapInsertion
	delaying   delayInsertion
	pairing    dualPairing
	layouter   layout
}

// Result is what comes out of the pipeline, valid until the next run.
type Result struct {
	Code      *Code      // nil when the pipeline was stopped before
	Entry     *abi.Entry // that of the job, or another one when it turned out that scratch memory is needed or not
	Resources Resources
	Clobbers  *RegSet // what a call of the function changes, nil when that was not asked for
}

// Run takes a function through the pipeline. An error says what is not supported; a function that breaks the
// rules is an error when Options.Verify is set.
func (p *Pipeline) Run(job *Job) (Result, error) {
	p.job, p.f, p.entry, p.tries = job, job.F, job.Entry, 0
	p.resources, p.code, p.stopped, p.written = Resources{}, nil, false, RegSet{}
	p.hard = hardLimits(job)
	p.selected.CopyFrom(p.f)
	for n := 0; n < len(passes); n++ {
		x := &passes[n]
		if x.name == firstAllocation && p.tries == 0 {
			p.snapshot.CopyFrom(p.f)
		}
		if p.f.M.Set.Gen() < x.from || p.Options.Level < x.level {
			continue
		}
		p.f.Guard.Check()
		err := x.run(p)
		var full *errNoRegisters
		if errors.As(err, &full) && p.widen(full.file) {
			p.tries++
			p.f.CopyFrom(&p.snapshot)
			n = slices.IndexFunc(passes[:], func(x pass) bool { return x.name == firstAllocation }) - 1
			continue
		}
		var edges errSplitEdges
		if errors.As(err, &edges) && p.split(edges) {
			p.tries, n = 0, -1
			continue
		}
		if full != nil {
			err = errors.New(err.Error()) // now, as long as the function is there
		}
		if err == nil {
			err = p.after(x)
		}
		switch {
		case p.stopped && err != nil:
			return Result{}, nil
		case err != nil:
			return Result{}, err
		case p.Options.StopAfter == x.name && !p.stopped:
			if err := p.print(x); err != nil || !job.Called {
				return Result{}, err
			}
			p.stopped = true
		}
	}
	p.resources.count(p.f, job.Target.Limits().AddressableSGPRs)
	if p.stopped {
		p.code = nil
	}
	r := Result{Code: p.code, Entry: p.entry, Resources: p.resources}
	if job.Called {
		r.Clobbers = p.clobbered()
	}
	return r, nil
}

// split makes the function as it was selected again, with blocks on edges, and reports whether there are such edges.
func (p *Pipeline) split(edges []edge) (any bool) {
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

// keepExitPhis gives a new block between two others phis for the scalar registers that phis of the second one take from the first one:
// where the edge leaves a loop, what lanes take out of it from different iterations is put together by the phis right behind it.
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

// after checks and prints what a pass made.
func (p *Pipeline) after(x *pass) error {
	if !p.stopped && (slices.Contains(p.Options.PrintAfter, x.name) || slices.Contains(p.Options.PrintAfter, "all")) {
		if err := p.print(x); err != nil {
			return err
		}
	}
	if !p.Options.Verify {
		return nil
	}
	if errs := p.f.Verify(x.stage); len(errs) > 0 {
		return fmt.Errorf("BUG: codegen: after %s: %w", x.name, errs[0])
	}
	return nil
}

// print writes the function to the output.
func (p *Pipeline) print(x *pass) error {
	if p.Options.Output == nil {
		return nil
	}
	text := fmt.Appendf(nil, "; %s after %s\n", p.f.Name, x.name)
	_, err := p.Options.Output.Write(p.f.AppendText(text))
	return err
}

func (p *Pipeline) peephole() error {
	p.cleaning.run(p.f)
	return nil
}

func (p *Pipeline) controlFlow() error {
	p.flow.run(p.f)
	return nil
}

func (p *Pipeline) schedule() error {
	l := p.job.Target.Limits()
	p.scheduling.run(p.f, &l, l.WavesPerEU)
	return nil
}

func (p *Pipeline) splitParts() error {
	p.splitting.run(p.f, &p.scheduling.live) // scheduling leaves the ends of blocks as they are
	return nil
}

func (p *Pipeline) indexing() error {
	indexing(p.f)
	return nil
}

func (p *Pipeline) hazards() error { return p.hazard.run(p.f, p.job.Kernel) }

func (p *Pipeline) memory() error {
	t := p.job.Target
	p.model.run(p.f, memoryModes{CU: t.Has(target.FeatureCUMode), TgSplit: t.Has(target.FeatureTgSplit)})
	return nil
}

func (p *Pipeline) regalloc() error {
	p.allocator.keep, p.allocator.clobbers = p.frame.keep, p.clobbers
	if err := p.allocator.run(p.f, p.limits); err != nil {
		return err
	}
	if p.Options.Verify {
		if errs := checkRegs(&p.allocator); len(errs) > 0 {
			return fmt.Errorf("BUG: codegen: register allocation: %w", errs[0])
		}
	}
	p.allocator.dropPhis()
	return nil
}

func (p *Pipeline) lowerCopies() error {
	p.copies.run(p.f)
	return nil
}

func (p *Pipeline) waits() error {
	p.waiting.run(p.f, p.job.Kernel)
	return nil
}

func (p *Pipeline) jumps() error {
	p.threading.run(p.f)
	return nil
}

func (p *Pipeline) traps() error {
	p.trapping.run(p.f)
	return nil
}

func (p *Pipeline) dual() error {
	p.pairing.run(p.f)
	return nil
}

func (p *Pipeline) clauses() error {
	insertClauses(p.f)
	return nil
}

func (p *Pipeline) delays() error {
	p.delaying.run(p.f)
	return nil
}

func (p *Pipeline) layout() (err error) {
	p.layouter.target = p.job.Target
	p.code, err = p.layouter.run(p.f)
	return err
}
