package compile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/linker"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/ir/verify"
	"github.com/gfx-toolchain/gfx/link"
)

// Format is the format of the output.
type Format uint8

const (
	Linked   Format = iota // a code object for an HSA loader
	Object                 // a relocatable object
	Assembly               // assembler text
)

// Options are the settings of a compilation. The zero value produces a linked
// code object for the processor in the attributes of the module's functions,
// without optimization.
type Options struct {
	Triple   string // "" for the module's
	CPU      string // processor, "" for the functions' target-cpu
	Features string // in the syntax of LLVM's -mattr
	COV      int    // code object version, 2 to 6; 0 for the module flags' version, or the newest
	Level    int    // of optimization, 0 to MaxLevel
	Format   Format // kind of the output
	Workers  int    // functions compiled in parallel; 0 for the number of host processors

	// DeviceLibs is a folder with the device libraries of ROCm (opencl.bc,
	// ocml.bc, ockl.bc). Required functions are linked; the controls
	// (oclc_*.bc) are generated, not read. "" for none.
	DeviceLibs string

	// Cache is the folder of the cache of results, up to 4 GiB. The least
	// recently used results are removed first. An unreadable or read-only
	// folder is not an error. "" for none.
	Cache string

	// Verify verifies IR and machine IR after every pass.
	Verify bool
	// PrintAfter names passes after which functions are printed to Output; "all"
	// names all passes.
	PrintAfter []string
	// StopAfter names the pass on machine IR, or selection ("isel"), after which
	// the compilation stops. Result.Data is then text for StartAfter.
	StopAfter string
	// StartAfter names the pass on machine IR, or selection, after which the
	// compilation starts. The only input is machine IR after that pass: the
	// result of StopAfter, or functions that PrintAfter printed.
	StartAfter string
	Output     io.Writer // receives the functions of PrintAfter, which requires it
}

// MaxLevel is the highest level of optimization. It equals level 2.
const MaxLevel = 3

// Input is a module of LLVM IR, as text or bitcode.
type Input struct {
	Name string // for messages
	Data []byte // text or bitcode; must not change during the compilation
}

// Result is the result of a compilation.
type Result struct {
	Data   []byte  // in the Format of the options; after StopAfter the module and the functions as text
	Report *Report // description of the compiled functions
	Cached bool    // the result is from the cache
}

// Compile compiles modules of LLVM IR, linked into one, to one code object. The
// error is a list of errors and unsupported constructs with their locations
// where these are known; errors.As extracts its elements. When ctx is
// cancelled, Compile stops at once and returns ctx's error.
func Compile(ctx context.Context, inputs []Input, o Options) (r *Result, err error) {
	defer catch(ctx, &err)
	key := ""
	if o.cacheable() {
		key = cacheKey(inputs, &o)
		if r := cached(o.Cache, key); r != nil {
			return r, nil
		}
	}
	guard, stop := stopper(ctx, 0)
	defer stop()
	if o.StartAfter != "" {
		return compileMachine(ctx, inputs, o, guard)
	}
	m, err := read(inputs, &o, guard)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for i := range inputs {
		n += int64(len(inputs[i].Data))
	}
	r, err = compile(ctx, m, o, n, nil)
	if err == nil && key != "" {
		store(o.Cache, key, r)
	}
	var list Errors
	switch {
	case isBroken(err) && !o.Verify:
		err = blame(ctx, inputs, o, err)
	case errors.As(err, &list):
		err = locate(list, inputs, guard)
	}
	return r, err
}

// Module compiles a module and modifies it. When ctx is cancelled, Module stops
// at once and returns ctx's error.
func Module(ctx context.Context, m *ir.Module, o Options) (r *Result, err error) {
	defer catch(ctx, &err)
	if o.StartAfter != "" {
		return nil, errors.New("a module contains no machine code to start with")
	}
	return compile(ctx, m, o, m.Bytes(), nil)
}

// compile compiles a module whose inputs have input bytes. start holds machine
// IR for its functions, nil for none.
func compile(ctx context.Context, m *ir.Module, o Options, input int64, start *machineFile) (*Result, error) {
	if o.Level < 0 || o.Level > MaxLevel {
		return nil, fmt.Errorf("optimization level %d: expected 0 to %d", o.Level, MaxLevel)
	}
	if o.StopAfter != "" && !KnownPass(o.StopAfter, true) {
		return nil, fmt.Errorf("unknown pass %q", o.StopAfter)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	t, err := targetOf(m, &o)
	if err != nil {
		return nil, err
	}
	defer watch(ctx, m)()
	s := &session{ctx: ctx, m: m, o: &o, t: t, printer: &printer{w: o.Output}, input: input, start: start}
	if err := s.run(); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	out := &Result{Report: s.report()}
	if o.StopAfter != "" {
		out.Data = s.machineText()
		return out, nil
	}
	if out.Data, err = s.finish(); err != nil {
		return nil, cmp.Or(ctx.Err(), err)
	}
	return out, nil
}

// finish lays the program out and writes it.
func (s *session) finish() ([]byte, error) {
	p, err := s.program()
	if err != nil {
		return nil, err
	}
	if s.o.Format == Assembly {
		return p.assembly()
	}
	obj, err := s.object(p)
	if err != nil {
		return nil, err
	}
	if s.o.Format == Object {
		return obj, nil
	}
	data, err := link.LinkContext(s.ctx, []link.Input{{Name: s.m.ID, Data: obj}}, link.Options{})
	if err != nil {
		err = s.hint(err)
	}
	return data, err
}

// hint adds the location of missing functions to an error of the linker.
func (s *session) hint(err error) error {
	if s.o.DeviceLibs != "" {
		return err
	}
	for _, g := range s.m.Globals() {
		if g != nil && g.Func != nil && g.IsDeclaration() && linker.IsDeviceLibName(g.Name()) && strings.Contains(err.Error(), "undefined symbol: "+g.Name()+" ") {
			return fmt.Errorf("%w\nnote: %s may be a function of ROCm's device libraries, which --device-lib-path=folder links", err, g.Name())
		}
	}
	return err
}

// object builds the object of a program. If the module has module-level
// assembly, the assembler builds the whole object, so that both parts see each
// other's symbols.
func (s *session) object(p *program) ([]byte, error) {
	if s.m.ModuleAsm == "" {
		return p.object(), nil
	}
	text, err := p.assembly()
	if err != nil {
		return nil, err
	}
	r, list := asm.Assemble(&diag.Source{Name: "module asm", Text: text}, asm.Options{Target: s.t, MaxOutput: int64(p.limit), Stop: s.m.Guard().Stopped})
	if list.HasErrors() {
		return nil, list.Err()
	}
	return r.Object, nil
}

// read reads the inputs and links them, unless the guard stops it.
func read(inputs []Input, o *Options, guard *ir.Guard) (*ir.Module, error) {
	if len(inputs) == 0 {
		return nil, errors.New("nothing to compile")
	}
	var l *linker.Linker
	var m *ir.Module
	for i := range inputs {
		next, err := readOne(&inputs[i], guard)
		if err != nil {
			return nil, err
		}
		if err := setLayout(next); err != nil {
			return nil, err
		}
		switch {
		case i == 0:
			m = next
			continue
		case l == nil:
			l = linker.Into(m)
		}
		if err := l.Link(linker.Source{Module: next}, linker.Options{}); err != nil {
			return nil, err
		}
	}
	if o.DeviceLibs != "" {
		t, err := targetOf(m, o)
		if err != nil {
			return nil, err
		}
		libs := linker.DeviceLibs{Path: o.DeviceLibs, MakeControls: true, Target: t, ABI: 100 * t.COV}
		if _, err := libs.Link(m); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// readOne reads one module and checks it.
func readOne(in *Input, guard *ir.Guard) (*ir.Module, error) {
	var m *ir.Module
	var err error
	var places *text.Places
	if bitcode.IsBitcode(in.Data) {
		m, err = bitcode.Read(in.Data, bitcode.Options{Name: in.Name, Guard: guard})
	} else {
		var list diag.List
		if m, list = text.Read(in.Name, in.Data, text.Options{Guard: guard}); list.HasErrors() {
			return nil, list.Err()
		}
	}
	if err != nil {
		return nil, err
	}
	if _, wrong := verify.AfterReading(m); len(wrong) > 0 {
		if !bitcode.IsBitcode(in.Data) {
			places = &text.Places{}
			m, _ = text.Read(in.Name, in.Data, text.Options{Guard: guard, Places: places})
			_, wrong = verify.AfterReading(m)
		}
		return nil, verify.Diagnostics(m, wrong, places).Err()
	}
	return m, nil
}

// PassNames returns the names of selection and of the passes on machine IR, for
// Options.StopAfter and Options.StartAfter.
func PassNames() []string { return pipeline.MachineNames() }

// KnownPass reports whether functions can be printed after a pass. With
// machine, only selection and the passes on machine IR count.
func KnownPass(name string, machine bool) bool {
	if machine {
		return slices.Contains(pipeline.MachineNames(), name)
	}
	return name == "all" || slices.Contains(pipeline.Names(), name)
}
