package codegen

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Options holds the settings of the pipeline.
type Options struct {
	Level      int       // optimization level from 0 on; levels above 2 are equivalent to 2
	Verify     bool      // verify the function after each pass, and check register allocation
	PrintAfter []string  // passes after which the function is printed to Output; "all" selects all
	StopAfter  string    // pass after which the pipeline stops and returns the function's text
	Output     io.Writer // may be used by several goroutines; each write holds one function
}

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
	// Called requests Result.Clobbers, for callers. Options.StopAfter then only
	// ends the output.
	Called bool

	resume *resumed // set by ReadJob: the pass at which the job continues, and the state after it
}

// pass is one step of the pipeline.
type pass struct {
	name  string
	run   func(p *Pipeline) error
	sets  isa.SetMask // sets that need it, 0 for all
	level int         // lowest optimization level that enables it
	stage mir.Stage   // stage of the function after it
}

// passes lists the pipeline in execution order; TestPassOrder checks the
// constraints.
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
	{name: "dual", run: (*Pipeline).dual, sets: isa.PropVopd, level: 1, stage: mir.StageFinal},
	{name: "hazards", run: (*Pipeline).hazards, stage: mir.StageFinal},
	{name: "clauses", run: (*Pipeline).clauses, sets: isa.PropClause, level: 1, stage: mir.StageFinal},
	{name: "delays", run: (*Pipeline).delays, sets: isa.PropDelayAlu, level: 1, stage: mir.StageFinal},
	{name: "layout", run: (*Pipeline).layout, stage: mir.StageFinal},
}

// firstAllocation is the pass from which the pipeline restarts if register
// allocation fails.
const firstAllocation = "spill"

// framePass is the pass that lays out the frame.
const framePass = "frame"

// lastRetry is the last pass that may fail and restart the pipeline.
const lastRetry = "regalloc"

// Selection is the name of instruction selection, which precedes the passes.
const Selection = "isel"

// indexOf returns the index of a pass, or -1.
func indexOf(name string) int {
	return slices.IndexFunc(passes[:], func(x pass) bool { return x.name == name })
}

// PassNames returns the names of all passes in execution order.
func PassNames() []string {
	names := make([]string, len(passes))
	for i := range passes {
		names[i] = passes[i].name
	}
	return names
}

// Pipeline runs functions through all passes, reusing its memory. It is for one
// goroutine.
type Pipeline struct {
	Options Options

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
	text      []byte // after Options.StopAfter: the function
	first     int    // index of the first pass to run
	scheduled bool   // schedule ran: scheduling.live is valid
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
	trapping   trapInsertion
	delaying   delayInsertion
	pairing    dualPairing
	layouter   layout
}

// Result is the result of the pipeline, valid until the next run.
type Result struct {
	Text      []byte     // after Options.StopAfter, otherwise nil; remains valid
	Code      *Code      // nil if the pipeline stopped early
	Entry     *abi.Entry // the job's entry, or another one if the need for scratch memory changed
	Resources Resources
	Clobbers  *RegSet // registers that a call of the function clobbers, nil unless requested
}

// Run runs a function through the pipeline. It returns an error for unsupported
// constructs and, if Options.Verify is set, for functions that violate the
// rules of a stage.
//
// With Options.StopAfter, Result.Text is the function after that pass, in the
// attempt in which register allocation succeeds. Later errors are ignored.
func (p *Pipeline) Run(job *Job) (r Result, err error) {
	p.begin(job)
	err = p.runPasses()
	switch {
	case p.text != nil:
		r.Text, err = p.text, nil
		if !job.Called || p.code == nil {
			return r, nil
		}
		p.code = nil
	case err != nil:
		return r, err
	}
	p.resources.count(p.f, job.Target.Limits().AddressableSGPRs)
	r.Code, r.Entry, r.Resources = p.code, p.entry, p.resources
	if job.Called {
		r.Clobbers = p.clobbered()
	}
	return r, nil
}

// begin prepares the pipeline for a job.
func (p *Pipeline) begin(job *Job) {
	p.job, p.f, p.entry, p.tries, p.first = job, job.F, job.Entry, 0, 0
	p.resources, p.code, p.text, p.written, p.scheduled = Resources{}, nil, nil, RegSet{}, false
	p.hard = hardLimits(job)
	p.selected.CopyFrom(p.f)
	if r := job.resume; r != nil {
		p.first = r.after + 1
		p.restore(r)
	}
}

// runPasses runs all passes, restarting from earlier ones where register
// allocation requires it.
func (p *Pipeline) runPasses() error {
	for n := p.first; n < len(passes); n++ {
		x := &passes[n]
		if x.name == firstAllocation && p.tries == 0 {
			p.snapshot.CopyFrom(p.f)
		}
		if p.enabled(x) {
			p.f.Guard.Check()
			err := x.run(p)
			if restart := p.retry(err); restart >= 0 {
				n = restart - 1
				continue
			}
			if err == nil {
				err = p.after(x)
			}
			if err != nil {
				return p.final(err)
			}
		}
		if p.Options.StopAfter == x.name {
			p.text = p.appendText(nil, x)
		}
		if p.text != nil && !p.job.Called && n >= indexOf(lastRetry) {
			return nil
		}
	}
	return nil
}

// enabled reports whether a pass runs for the processor and the optimization
// level.
func (p *Pipeline) enabled(x *pass) bool {
	return (x.sets == 0 || p.f.M.Set.Has(x.sets)) && p.Options.Level >= x.level
}

// retry restores the function for another attempt after the error of a pass,
// and returns the index of the pass from which the pipeline restarts, or -1.
func (p *Pipeline) retry(err error) int {
	var full *errNoRegisters
	var edges errSplitEdges
	switch {
	case err == nil:
	case errors.As(err, &full) && p.first <= indexOf(firstAllocation) && p.widen(full.file):
		p.tries++
		p.f.CopyFrom(&p.snapshot)
		return indexOf(firstAllocation)
	case errors.As(err, &edges) && (p.first == 0 || passes[p.first-1].stage == mir.StageSelected) && p.split(edges):
		p.tries = 0
		return p.first
	}
	return -1
}

// final returns the error that ends the pipeline. Its message does not refer to
// the function, which is about to be reused.
func (p *Pipeline) final(err error) error {
	var full *errNoRegisters
	var edges errSplitEdges
	switch {
	case errors.As(err, &full):
		return errors.New(err.Error())
	case errors.As(err, &edges) && p.first > 0:
		return fmt.Errorf("function %s: register allocation needs a block on the edge from bb%d to bb%d, which only passes before control-flow can handle: start after an earlier pass",
			p.f.Name, edges[0].from, edges[0].to)
	}
	return err
}

// split restores the function as selected, with blocks on edges, and reports
// whether it split any edge.
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

// after verifies and prints the result of a pass.
func (p *Pipeline) after(x *pass) error {
	if p.text == nil && p.Options.Output != nil && (slices.Contains(p.Options.PrintAfter, x.name) || slices.Contains(p.Options.PrintAfter, "all")) {
		if _, err := p.Options.Output.Write(p.appendText(nil, x)); err != nil {
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

// appendText appends the function after a pass as text.
func (p *Pipeline) appendText(dst []byte, x *pass) []byte {
	dst = fmt.Appendf(dst, "; %s after %s\n", p.f.Name, x.name)
	return p.f.AppendText(dst, p.properties(x)...)
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
	p.scheduled = true
	return nil
}

func (p *Pipeline) splitParts() error {
	if !p.scheduled {
		p.scheduling.live.run(p.f)
	}
	p.splitting.run(p.f, &p.scheduling.live) // scheduling preserves the ends of blocks
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
