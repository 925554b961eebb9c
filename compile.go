package gfx

import (
	"context"
	"errors"
	"fmt"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/compile"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/inspect"
	"github.com/gfx-toolchain/gfx/link"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/target"
)

// Optimization is a level of optimization.
type Optimization uint8

const (
	OptimizeDefault Optimization = iota // the same as Optimize2
	Optimize0                           // -O0: only the passes that code generation needs
	Optimize1                           // -O1
	Optimize2                           // -O2
	Optimize3                           // -O3, the same as Optimize2
)

// Format is the kind of output that Compile makes.
type Format uint8

const (
	FormatCodeObject Format = iota // a linked code object, as Device.Load takes it
	FormatObject                   // a relocatable object, as Link takes it
	FormatAssembly                 // assembler text, as Assemble takes it
)

// CompileOptions are the settings of Compile. The zero value compiles for the
// processor that the source names, with optimization, to a code object.
type CompileOptions struct {
	// Target is the target to compile for; "" for the one that the source names: the
	// attribute "target-cpu" of functions in LLVM IR, .amdgcn_target in assembler text.
	Target string
	// Features are features of the processor in the form of LLVM's -mattr, such as
	// "+wavefrontsize64,-cumode".
	Features string
	// CodeObjectVersion is 2 to 6; 0 for the version that the source names, or else 6.
	CodeObjectVersion int
	// Optimization is the level of optimization, for other languages than assembler text.
	Optimization Optimization
	// Format is the kind of output. FormatAssembly is not for assembler text.
	Format Format
	// Language is the language of the source.
	Language Language
	// MLIREdition is the version of LLVM whose syntax and rules apply to MLIR: 19 or 22;
	// 0 for 22.
	MLIREdition int
	// MLIRBarePointers passes memrefs with static shapes to kernels of MLIR as plain pointers
	// instead of descriptors.
	MLIRBarePointers bool
	// DeviceLibraries is a folder with ROCm's device libraries (ocml.bc, ockl.bc,
	// opencl.bc), whose functions are linked where LLVM IR or MLIR calls them; "" for none.
	DeviceLibraries string
	// Cache is a folder that keeps compiled code for later calls, up to 4 GiB; ""
	// for none. A folder that cannot be read or written is not an error.
	Cache string
	// Workers is how many functions are compiled at the same time; 0 for one per
	// processor of the host.
	Workers int
	// Warn is called for each warning, in the caller's goroutine; nil ignores warnings.
	Warn func(*Diagnostic)
}

// Compile compiles LLVM IR, MLIR or assembler text. The caller owns the result.
//
// The error is Diagnostics for mistakes in the source, a *TargetError, an
// *fs.PathError, ErrInternal, or the context's error.
func Compile(ctx context.Context, src Source, o CompileOptions) ([]byte, error) {
	data, err := src.load()
	if err != nil {
		return nil, err
	}
	switch {
	case o.Optimization > Optimize3:
		return nil, fmt.Errorf("optimization %d: expected OptimizeDefault to Optimize3", o.Optimization)
	case o.Format > FormatAssembly:
		return nil, fmt.Errorf("format %d: expected FormatCodeObject to FormatAssembly", o.Format)
	case o.Language > LanguageMLIR:
		return nil, fmt.Errorf("language %d: expected LanguageAuto to LanguageMLIR", o.Language)
	}
	o.Language = languageOf(o.Language, src.Name, data)
	if o.Language == LanguageAssembly {
		return compileAssembly(ctx, Source{src.Name, data}, o)
	}
	return compileIR(ctx, Source{src.Name, data}, o)
}

// formats are the compiler's own formats.
var formats = [...]compile.Format{FormatCodeObject: compile.Linked, FormatObject: compile.Object, FormatAssembly: compile.Assembly}

// levels are the compiler's own levels.
var levels = [...]int{OptimizeDefault: 2, Optimize0: 0, Optimize1: 1, Optimize2: 2, Optimize3: 3}

// editionOf returns the edition of MLIR with a number; 0 is the newest.
func editionOf(n int) (e mlir.Edition, ok bool) {
	switch n {
	case 0, 22:
		return mlir.Edition22, true
	case 19:
		return mlir.Edition19, true
	}
	return 0, false
}

// compileIR compiles LLVM IR or MLIR.
func compileIR(ctx context.Context, src Source, o CompileOptions) ([]byte, error) {
	edition, ok := editionOf(o.MLIREdition)
	if !ok {
		return nil, fmt.Errorf("MLIR edition %d: expected 19 or 22", o.MLIREdition)
	}
	if o.Target != "" { // otherwise an error would be about the module
		if _, err := parseTarget(o.Target, o.Features, o.CodeObjectVersion); err != nil {
			return nil, err
		}
	}
	triple, processor := splitTarget(o.Target)
	r, err := compile.Compile(ctx, []compile.Input{{Name: diagSource(src.Name, nil).Name, Data: src.Data, MLIR: o.Language == LanguageMLIR}}, compile.Options{
		Triple: triple, CPU: processor, Features: o.Features, COV: o.CodeObjectVersion, Level: levels[o.Optimization], Format: formats[o.Format],
		Workers: o.Workers, DeviceLibs: o.DeviceLibraries, Cache: o.Cache, MLIR: compile.MLIROptions{Edition: edition, BarePointers: o.MLIRBarePointers},
	})
	if err != nil {
		return nil, publicError(err, o.Target)
	}
	if o.Warn != nil {
		for _, w := range r.Report.Warnings {
			o.Warn(&Diagnostic{Source: src.Name, Severity: SeverityWarning, Message: w})
		}
	}
	return r.Data, nil
}

func compileAssembly(ctx context.Context, src Source, o CompileOptions) ([]byte, error) {
	if o.Format == FormatAssembly {
		return nil, errors.New("FormatAssembly: the source is assembler text already")
	}
	object, err := Assemble(ctx, src, AssembleOptions{Target: o.Target, Features: o.Features, CodeObjectVersion: o.CodeObjectVersion, Warn: o.Warn})
	if err != nil || o.Format == FormatObject {
		return object, err
	}
	return Link(ctx, []Source{{src.Name, object}}, LinkOptions{})
}

// AssembleOptions are the settings of Assemble. The zero value assembles for the
// target that the source names.
type AssembleOptions struct {
	// Target is the target to assemble for; "" for the one that .amdgcn_target in the
	// source names.
	Target string
	// Features are features of the processor in the form of LLVM's -mattr.
	Features string
	// CodeObjectVersion is 2 to 6; 0 for the version that the source names, or else 6.
	CodeObjectVersion int
	// Open reads a file that .include or .incbin names; nil refuses both.
	Open func(name string) ([]byte, error)
	// Warn is called for each warning, in the caller's goroutine; nil ignores warnings.
	Warn func(*Diagnostic)
}

// Assemble assembles a text of LLVM's assembler language into a relocatable object.
// The caller owns the result.
//
// The error is Diagnostics for mistakes in the text, a *TargetError, an
// *fs.PathError, or the context's error.
func Assemble(ctx context.Context, src Source, o AssembleOptions) ([]byte, error) {
	text, err := src.load()
	if err != nil {
		return nil, err
	}
	t, err := assemblyTarget(text, o)
	if err != nil {
		return nil, err
	}
	stop := func() bool { return ctx.Err() != nil }
	r, found := asm.Assemble(diagSource(src.Name, text), asm.Options{Target: t, Open: o.Open, Stop: stop})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if found.HasErrors() {
		return nil, newDiagnostics(found)
	}
	warn(o.Warn, found)
	return r.Object, nil
}

// CatalystOptions are the settings of AssembleCatalyst. The zero value assembles
// for the device that the source names, CapeVerde if it names none.
type CatalystOptions struct {
	// Device is the device to assemble for until the source selects another one,
	// such as "Pitcairn"; "" for CapeVerde.
	Device string
	// Wide selects 64-bit addresses until the source chooses.
	Wide bool
	// DriverVersion is the version of the driver, major * 100 + minor, unless the
	// source names one.
	DriverVersion uint32
	// Open reads a file that .include or .incbin names; nil refuses both.
	Open func(name string) ([]byte, error)
	// Warn is called for each warning, in the caller's goroutine; nil ignores warnings.
	Warn func(*Diagnostic)
}

// AssembleCatalyst assembles a text of the CLRX assembler's language into a binary
// for OpenCL 1.2 of the AMD Catalyst driver. The caller owns the result.
//
// The error is Diagnostics for mistakes in the text, a *TargetError, an
// *fs.PathError, or the context's error.
func AssembleCatalyst(ctx context.Context, src Source, o CatalystOptions) ([]byte, error) {
	text, err := src.load()
	if err != nil {
		return nil, err
	}
	opt := clrx.Options{Wide: o.Wide, DriverVersion: o.DriverVersion, Open: o.Open, Stop: func() bool { return ctx.Err() != nil }}
	if o.Device != "" {
		if opt.Device = catalyst.LookupDevice(o.Device); opt.Device == nil {
			return nil, &TargetError{o.Device, "not a device of the AMD Catalyst driver", nil}
		}
	}
	r, found := clrx.Assemble(diagSource(src.Name, text), opt)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if found.HasErrors() {
		return nil, newDiagnostics(found)
	}
	warn(o.Warn, found)
	return r.Binary, nil
}

// assemblyTarget returns the target of the options, or else the one that a text
// names.
func assemblyTarget(text []byte, o AssembleOptions) (*target.Target, error) {
	version, err := codeObjectVersion(o.CodeObjectVersion)
	if err != nil {
		return nil, err
	}
	id, named, ok := asm.SourceTarget(text, version)
	if o.CodeObjectVersion != 0 || !ok {
		named = version
	}
	switch {
	case o.Target != "":
		return parseTarget(o.Target, o.Features, named)
	case !ok:
		return nil, &TargetError{"", "neither the options nor .amdgcn_target in the source name one", nil}
	}
	t, err := id.Target(o.Features)
	if err != nil {
		return nil, publicError(err, id.String())
	}
	t.COV = named
	return t, nil
}

// codeObjectVersion returns the version of some options, the newest one for 0.
func codeObjectVersion(v int) (int, error) {
	switch {
	case v == 0:
		return target.DefaultCOV, nil
	case v < target.MinCOV || v > target.MaxCOV:
		return 0, fmt.Errorf("code object version %d: expected %d to %d", v, target.MinCOV, target.MaxCOV)
	}
	return v, nil
}

// LinkOptions are the settings of Link. The zero value makes a code object and
// refuses undefined symbols.
type LinkOptions struct {
	Relocatable    bool // the output is one relocatable object
	GCSections     bool // leave out sections that no exported symbol reaches
	AllowUndefined bool // leave undefined symbols to the loader
}

// Link links relocatable objects and archives, in order, into a code object. The
// caller owns the result, which is the same for the same inputs.
//
// The error is Diagnostics with one entry per mistake, or the context's error.
func Link(ctx context.Context, objects []Source, o LinkOptions) ([]byte, error) {
	inputs := make([]link.Input, len(objects))
	for i, src := range objects {
		inputs[i] = link.Input{Name: src.Name, Data: src.Data}
	}
	out, err := link.LinkContext(ctx, inputs, link.Options{Relocatable: o.Relocatable, GCSections: o.GCSections, AllowUndefined: o.AllowUndefined})
	return out, publicError(err, "")
}

// DisassembleOptions are the settings of Disassemble. The zero value takes the
// target from the object.
type DisassembleOptions struct {
	// Target is the target to disassemble for; "" for the one that the object names.
	Target string
	// Features are features of the processor in the form of LLVM's -mattr, if Target
	// is not "".
	Features string
}

// Disassemble returns an object or code object as assembler text, which Assemble
// turns into the same code and data. The caller owns the text.
//
// The error is ErrFormat, a *TargetError, or the context's error.
func Disassemble(ctx context.Context, object []byte, o DisassembleOptions) ([]byte, error) {
	opt := disasm.Options{Encoder: asm.Encoder}
	if o.Target != "" {
		t, err := parseTarget(o.Target, o.Features, 0)
		if err != nil {
			return nil, err
		}
		opt.Target = t
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &contextWriter{ctx: ctx}
	if err := disasm.Object(w, object, opt); err != nil {
		return nil, publicError(err, o.Target)
	}
	return w.text, nil
}

// contextWriter collects text, and ends the work of the function that writes it when the
// context ends.
type contextWriter struct {
	ctx  context.Context
	text []byte
}

func (w *contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	w.text = append(w.text, p...)
	return len(p), nil
}

// Inspect returns a report on an object or code object: its target, its kernels
// with registers, memory, arguments and occupancy, and inconsistencies.
// The caller must not modify the object as long as it uses the report.
// Package inspect has more, such as offload bundles and archives.
//
// The error is ErrFormat or the context's error.
func Inspect(ctx context.Context, object []byte) (*inspect.Report, error) {
	r, err := inspect.ObjectContext(ctx, object)
	return r, publicError(err, "")
}
