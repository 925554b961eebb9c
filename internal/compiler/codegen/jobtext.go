package codegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// The text of a function after a pass. Its properties hold the facts that later
// passes need besides the function:
//
//	after regalloc                                  ; the last pass
//	entry kernel scratch kernarg_segment_ptr        ; the contents of registers at the start
//	limits s102 v64 a0                              ; registers that the function may use, 0 for the target's limit
//	allocate s40 v24 a0                             ; registers for register allocation, after spilling
//	frame scratch calls base s33 spare s16          ; the frame's registers, after spilling
//	resources scratch 16 spilled s0 v4 calls f g    ; after frame layout

// Properties lists the names of the properties.
var Properties = []string{propAfter, propEntry, propLimits, propAllocate, propFrame, propResources}

const (
	propAfter     = "after"
	propEntry     = "entry"
	propLimits    = "limits"
	propAllocate  = "allocate"
	propFrame     = "frame"
	propResources = "resources"
)

// Words of the properties that occur more than once.
const (
	wordKernel  = "kernel"
	wordScratch = "scratch"
	wordFlat    = "flat_private"
	wordCalls   = "calls"
	wordDynamic = "dynamic"

	wordDynamicVGPRs = "dynamic_vgprs"
)

// appendJob appends the text of a function after a pass, with properties.
func appendJob(dst []byte, f *mir.Func, after string, properties []mir.Property) []byte {
	dst = fmt.Appendf(dst, "; %s after %s\n", f.Name, after)
	return f.AppendText(dst, append([]mir.Property{{Name: propAfter, Values: []string{after}}}, properties...)...)
}

func (j *Job) properties(e *abi.Entry) []mir.Property {
	list := []mir.Property{{Name: propEntry}, {Name: propLimits}}
	add := func(on bool, name string) {
		if on {
			list[0].Values = append(list[0].Values, name)
		}
	}
	add(j.Kernel, wordKernel)
	add(e.Convention != abi.Compute, e.Convention.String())
	if e.Dynamic > 0 {
		list[0].Values = append(list[0].Values, wordDynamicVGPRs, strconv.Itoa(e.Dynamic))
	}
	add(e.Scratch, wordScratch)
	add(e.FlatPrivate, wordFlat)
	for in := range abi.NumInputs {
		add(e.Inputs.Has(in), in.String())
		if in == abi.KernargPreload && e.Preload() > 0 {
			add(true, strconv.Itoa(e.Preload()))
		}
	}
	list[1].Values = registerWords(j.Limits.SGPRs, j.Limits.VGPRs, j.Limits.AGPRs)
	return list
}

// registerWords returns words such as s40 for the numbers of registers.
func registerWords(sgprs, vgprs, agprs int) []string {
	return []string{"s" + strconv.Itoa(sgprs), "v" + strconv.Itoa(vgprs), "a" + strconv.Itoa(agprs)}
}

// properties returns the properties of the current function.
func (p *Passes) properties() []mir.Property {
	switch {
	case p.framed:
		return append(p.job.properties(p.entry), mir.Property{Name: propResources, Values: p.resources.words()})
	case p.planned:
		return append(p.job.properties(p.frame.entry),
			mir.Property{Name: propAllocate, Values: registerWords(p.limits[mir.FileS], p.limits[mir.FileV], p.limits[mir.FileA])},
			mir.Property{Name: propFrame, Values: p.frame.words()})
	}
	return p.job.properties(p.entry)
}

// words returns the values of the property frame.
func (x *frame) words() (list []string) {
	for _, w := range [...]struct {
		on   bool
		name string
	}{{x.scratch, wordScratch}, {x.calls, wordCalls}, {x.dynamic, wordDynamic}, {x.framePtr, "pointer"}} {
		if w.on {
			list = append(list, w.name)
		}
	}
	if x.realign != 0 {
		list = append(list, "realign", strconv.FormatInt(x.realign, 10))
	}
	for _, r := range x.named() {
		if *r.reg != mir.NoReg {
			list = append(list, r.name, r.reg.String())
		}
	}
	for _, r := range x.lanes {
		list = append(list, "lanes", r.String())
	}
	return list
}

// namedReg is a register of the frame with the word that precedes it in text.
type namedReg struct {
	name string
	reg  *mir.Reg
}

func (x *frame) named() [4]namedReg {
	return [...]namedReg{{"base", &x.base}, {"spare", &x.spare}, {"temp", &x.temp}, {"pool", &x.pool}}
}

// words returns the values of the property resources. Registers follow from the
// code.
func (r *Resources) words() (list []string) {
	number := func(name string, n uint64) {
		if n != 0 {
			list = append(list, name, strconv.FormatUint(n, 10))
		}
	}
	number(wordScratch, r.ScratchBytes)
	number("arguments", r.CallArgBytes)
	number("spilled_sgprs", uint64(r.SpilledSGPRs))
	number("spilled_vgprs", uint64(r.SpilledVGPRs))
	if r.DynamicStack {
		list = append(list, wordDynamic)
	}
	if r.HasCalls {
		list = append(list, "indirect_calls")
	}
	for _, name := range r.Callees {
		list = append(list, wordCalls, name)
	}
	return list
}

// resumed holds the state after the pass at which a job continues.
type resumed struct {
	stage     mir.Stage
	limits    regLimits // for register allocation, all 0 if unknown
	frame     frame
	planned   bool // frame is set
	resources Resources
	framed    bool // resources is set
}

// ReadJob returns the job that continues after a pass from a function's text.
// stage is the stage of functions after that pass. Missing properties have the
// values of a function without inputs. The error has a position.
func ReadJob(t *target.Target, text *mir.Parsed, after string, stage mir.Stage) (*Job, error) {
	r := jobReader{text: text, job: &Job{F: text.F, Target: t, resume: &resumed{stage: stage}}, target: t}
	set, _ := isa.SetOf(t.Processor)
	if m := text.F.M; m.Set != set || m.Wave != t.WaveSize() {
		return nil, text.Errorf(0, "function @%s: code for %v with wave%d, but the target is %s with wave%d", text.F.Name, m.Set, m.Wave, t.Processor, t.WaveSize())
	}
	if x := text.Property(propAfter); x != nil && !slices.Equal(x.Values, []string{after}) {
		return nil, text.PropertyErrorf(x, "function @%s: machine IR after %s, expected machine IR after %s", text.F.Name, strings.Join(x.Values, " "), after)
	}
	if errs := text.F.Check(stage); len(errs) > 0 {
		return nil, text.Errorf(errs[0].Instr, "%v", errs[0])
	}
	for _, read := range [...]func(){r.entry, r.limits, r.frame, r.resources} {
		if read(); r.err != nil {
			return nil, r.err
		}
	}
	return r.job, nil
}

// Callees returns the names of the functions that the job's function calls, ""
// for unknown ones.
func (j *Job) Callees() []string {
	r := Resources{}
	if j.resume != nil {
		r = j.resume.resources
	}
	r.noteCalls(j.F)
	list := append(r.Callees, j.F.Jumps...)
	if r.HasCalls {
		list = append(list, "")
	}
	return list
}

// jobReader reads the properties of a function.
type jobReader struct {
	text   *mir.Parsed
	job    *Job
	target *target.Target
	at     *mir.Property // the current property
	rest   []string      // its remaining values
	err    error         // the first error
}

// start begins to read a property and reports whether it exists.
func (r *jobReader) start(name string) bool {
	if r.at = r.text.Property(name); r.at == nil {
		return false
	}
	r.rest = r.at.Values
	return true
}

// more reports whether the property has another value.
func (r *jobReader) more() bool { return r.err == nil && len(r.rest) > 0 }

// word returns the next value, "" at the end.
func (r *jobReader) word() string {
	if len(r.rest) == 0 {
		return ""
	}
	w := r.rest[0]
	r.rest = r.rest[1:]
	return w
}

func (r *jobReader) fail(word, expected string) {
	if r.err == nil {
		r.err = r.text.PropertyErrorf(r.at, "property '%s': %q: expected %s", r.at.Name, word, expected)
	}
}

func (r *jobReader) number() uint64 {
	w := r.word()
	n, err := strconv.ParseUint(w, 10, 62)
	if err != nil {
		r.fail(w, "a number")
	}
	return n
}

func (r *jobReader) register() mir.Reg {
	w := r.word()
	reg := mir.RegByName(w)
	if reg == mir.NoReg {
		r.fail(w, "a register such as s33 or v40")
	}
	return reg
}

// registers reads numbers of registers such as s102 v64.
func (r *jobReader) registers() (n regLimits) {
	for r.more() {
		w := r.word()
		letters := min(len(w), 1)
		k, err := strconv.Atoi(w[letters:])
		file := slices.Index([]string{"s", "v", "a"}, w[:letters])
		if err != nil || file < 0 || k < 0 || k > mir.MaxVGPRs {
			r.fail(w, "a number of registers such as s102, v64 or a0")
			break
		}
		n[[...]mir.File{mir.FileS, mir.FileV, mir.FileA}[file]] = k
	}
	return n
}

func (r *jobReader) entry() {
	var in abi.Inputs
	scratch, flat, preload := false, false, uint64(0)
	convention, dynamic := abi.Compute, uint64(0)
	for r.start(propEntry); r.more(); {
		switch w := r.word(); w {
		case wordKernel:
			r.job.Kernel = true
		case wordScratch:
			scratch = true
		case wordFlat:
			flat = true
		case wordDynamicVGPRs:
			dynamic = r.number()
		default:
			if c, ok := abi.ConventionByName(w); ok {
				convention = c
				continue
			}
			x, ok := abi.InputByName(w)
			if !ok {
				r.fail(w, "kernel, graphics, scratch, flat_private or an input such as kernarg_segment_ptr")
			}
			if x == abi.KernargPreload {
				preload = r.number()
				continue
			}
			in |= 1 << x
		}
	}
	if !convention.HasCaller() || r.job.Kernel && !abi.HasDescriptors(r.target) {
		r.fail(convention.String(), "a function or a kernel with a descriptor: the text does not contain the registers of a shader's arguments")
		return
	}
	if r.job.Kernel {
		r.job.Entry = abi.NewKernelEntry(r.target, in, scratch, flat)
		r.job.Entry.Dynamic = int(dynamic)
		if most := r.job.Entry.FreeUserSGPRs(); preload > uint64(most) {
			r.fail(strconv.FormatUint(preload, 10), fmt.Sprintf("at most %d dwords of %s", most, abi.KernargPreload))
			return
		}
		r.job.Entry = r.job.Entry.WithPreload(int(preload))
		return
	}
	r.job.Entry = abi.CalleePlaces(r.target, in)
	r.job.Entry.FlatPrivate, r.job.Entry.Convention = flat, convention
}

func (r *jobReader) limits() {
	r.start(propLimits)
	n := r.registers()
	r.job.Limits = Limits{SGPRs: n[mir.FileS], VGPRs: n[mir.FileV], AGPRs: n[mir.FileA]}
	if r.start(propAllocate) {
		r.job.resume.limits = r.registers()
		r.job.resume.limits[mir.FileSCC] = 1
	}
}

func (r *jobReader) frame() {
	if !r.start(propFrame) {
		return
	}
	x := &r.job.resume.frame
	r.job.resume.planned = true
	x.spare = firstSpare
	for r.more() {
		switch w := r.word(); w {
		case wordScratch:
			x.scratch = true
		case wordCalls:
			x.calls = true
		case wordDynamic:
			x.dynamic = true
		case "pointer":
			x.framePtr = true
		case "realign":
			x.realign = int64(r.number())
		case "lanes":
			x.lanes = append(x.lanes, r.register())
		default:
			list := x.named()
			n := slices.IndexFunc(list[:], func(y namedReg) bool { return y.name == w })
			if n < 0 {
				r.fail(w, "scratch, calls, dynamic, pointer, realign, lanes, base, spare, temp or pool")
				return
			}
			*list[n].reg = r.register()
		}
	}
}

func (r *jobReader) resources() {
	x := &r.job.resume.resources
	for r.job.resume.framed = r.start(propResources); r.more(); {
		switch w := r.word(); w {
		case wordScratch:
			x.ScratchBytes = r.number()
		case "arguments":
			x.CallArgBytes = r.number()
		case "spilled_sgprs":
			x.SpilledSGPRs = int(r.number())
		case "spilled_vgprs":
			x.SpilledVGPRs = int(r.number())
		case wordDynamic:
			x.DynamicStack = true
		case "indirect_calls":
			x.HasCalls = true
		case wordCalls:
			x.Callees = append(x.Callees, r.word())
		default:
			r.fail(w, "scratch, arguments, spilled_sgprs, spilled_vgprs, dynamic, indirect_calls or calls")
		}
	}
}

// restore sets the state after the pass at which a job continues.
func (p *Passes) restore(r *resumed) {
	switch {
	case r == nil:
	case r.framed:
		p.framed, p.resources = true, r.resources
	case r.planned:
		p.planFrame(r)
	}
}

// needPlan plans the frame if Spill did not run, as for a function without
// spills.
func (p *Passes) needPlan() {
	switch {
	case p.planned:
	case p.job.resume == nil:
		p.planFrame(&resumed{})
	default:
		p.planFrame(p.job.resume)
	}
}

// planFrame plans the frame. The text's registers of the frame and its limits of
// register allocation, if any, replace the planned ones.
func (p *Passes) planFrame(r *resumed) {
	p.planned = true
	x := &p.frame
	x.changed = p.callClobbers()
	x.plan(p.f, p.entry, p.job.Target, 0)
	if p.limits = p.hard; r.limits[mir.FileSCC] != 0 {
		p.limits = r.limits
	}
	if !r.planned {
		return
	}
	from := &r.frame
	x.scratch, x.calls, x.dynamic, x.framePtr, x.realign = from.scratch, from.calls, from.dynamic, from.framePtr, from.realign
	x.base, x.spare, x.temp, x.pool = from.base, from.spare, from.temp, from.pool
	x.entry = p.entry
	x.lanes, x.keep = append(x.lanes[:0], from.lanes...), x.keep[:0]
	x.reserve()
}
