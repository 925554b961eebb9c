package compile

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/pipeline"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
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

	// MLIR holds the settings for inputs in MLIR.
	MLIR MLIROptions

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

// MLIROptions are the settings for inputs in MLIR. The zero value reads the syntax of
// LLVM 22 and passes memrefs to kernels as descriptors.
type MLIROptions struct {
	Edition      mlir.Edition // version of LLVM whose syntax and rules apply
	IndexBits    int          // width of index in bits, 32 or 64; 0 for 64
	BarePointers bool         // memref arguments are plain pointers; their shapes must be static
}

// Input is a module of LLVM IR, as text or bitcode, or a text of MLIR.
type Input struct {
	Name string // for messages
	Data []byte // text or bitcode; must not change during the compilation

	// MLIR reports that the input is MLIR. If the text
	// contains gpu.modules, these are compiled, without the operations beside them.
	MLIR bool
}

// Result is the result of a compilation.
type Result struct {
	Data   []byte  // in the Format of the options; after StopAfter the module and the functions as text
	Report *Report // description of the compiled functions
	Cached bool    // the result is from the cache
}

// Compile compiles modules of LLVM IR or MLIR, linked into one, to one code object. The
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
	s, err := readSource(ctx, inputs, &o, guard)
	if err != nil {
		return nil, err
	}
	r, err = s.compile()
	if err == nil && key != "" {
		store(o.Cache, key, r)
	}
	var list Errors
	switch {
	case isBroken(err) && !o.Verify:
		err = blame(ctx, inputs, o, err)
	case errors.As(err, &list) && s.start != nil:
		err = s.start.locate(list)
	case errors.As(err, &list):
		err = locate(list, inputs, &o, guard)
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
	s, err := newSource(ctx, m, &o, m.Bytes())
	if err != nil {
		return nil, err
	}
	return s.compile()
}

// compile performs the steps after reading, and stops when the source's context
// is cancelled.
func (s *source) compile() (*Result, error) {
	defer watch(s.ctx, s.m)()
	r, err := s.performSteps()
	if err != nil {
		return nil, cmp.Or(s.ctx.Err(), err)
	}
	return r, nil
}

// performSteps performs the steps after reading.
func (s *source) performSteps() (*Result, error) {
	p, err := prepareModule(s)
	if err != nil {
		return nil, err
	}
	c, err := compileFunctions(p)
	if err != nil {
		return nil, err
	}
	r := &Result{Report: c.report()}
	if s.o.StopAfter != "" {
		r.Data = c.machineText()
		return r, nil
	}
	l, err := layOutProgram(c)
	if err != nil {
		return nil, err
	}
	r.Data, err = linkProgram(c, l)
	return r, err
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
