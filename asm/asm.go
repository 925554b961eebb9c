package asm

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/asmmachine"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Options configures an assembly.
type Options struct {
	// Target specifies the processor with its features, the operating system
	// and the code object version (COV, 2 to 6). It must not be nil.
	Target *target.Target

	// Open reads a file for .include and .incbin by its name in the source. If
	// it is nil, these directives are errors.
	Open func(name string) ([]byte, error)

	// Listing requests a listing, as llvm-mc -show-encoding prints it, instead
	// of an object.
	Listing bool

	// Stop is polled from time to time. If it returns true, the assembly ends
	// with the error "interrupted". A nil Stop never does.
	Stop func() bool

	// Defines lists symbols that are defined before the first line.
	Defines []Define

	// MaxOutput limits the bytes of all sections together, except those without
	// contents (.bss), or the bytes of the listing. The statement that exceeds
	// the limit is reported as an error. 0 means the default, 1 GiB; the
	// maximum is 4 GiB − 1.
	MaxOutput int64

	// MaxExpansion limits the bytes of text that macros, repetitions and
	// included files produce. Each call and each round count as 64 additional
	// bytes. 0 means the default, 64 MiB.
	MaxExpansion int64
}

// Define is a symbol and its value.
type Define struct {
	Name  string // symbol name
	Value int64  // absolute value
}

// Result is the output of an assembly.
type Result struct {
	Object  []byte // relocatable ELF object; nil with Options.Listing
	Listing []byte // nil without Options.Listing
}

// Assemble assembles a source. The list holds all errors and warnings in source
// order. The result is nil if the list contains an error.
//
// The source's text must not change until Assemble returns.
func Assemble(src *diag.Source, opt Options) (*Result, diag.List) {
	d, list := prepare(src, opt.Target)
	if d == nil {
		return nil, list
	}
	m := machine(opt.Target, d.set)
	d.machine = m
	p := asmcore.New(src, asmcore.Options{
		Dialect: d, Machine: m, Open: opt.Open, Stop: opt.Stop, List: opt.Listing, Defines: defines(opt.Defines),
		Limits: asmcore.Limits{Output: opt.MaxOutput, Expansion: opt.MaxExpansion},
	})
	d.start(p)
	p.Run()
	r := p.Finish()
	list = p.Diagnostics()
	switch {
	case list.HasErrors():
		return nil, list
	case opt.Listing:
		return &Result{Listing: p.Listing()}, list
	}
	return &Result{Object: r.Object().Bytes()}, list
}

func defines(in []Define) []asmcore.Define {
	out := make([]asmcore.Define, len(in))
	for i, d := range in {
		out[i] = asmcore.Define(d)
	}
	return out
}

// prepare returns the dialect of a target, or the error if the target is not
// supported.
func prepare(src *diag.Source, t *target.Target) (*dialect, diag.List) {
	set, ok := isa.SetOf(t.Processor)
	if !ok {
		var list diag.List
		list.Errorf(src, 0, 0, "unsupported processor %s: no assembler for its instruction set", t.Processor.Name)
		return nil, list
	}
	if t.COV < target.MinCOV || t.COV > target.MaxCOV {
		var list diag.List
		list.Errorf(src, 0, 0, "unsupported code object version %d: expected %d to %d", t.COV, target.MinCOV, target.MaxCOV)
		return nil, list
	}
	return newDialect(t, set), nil
}

// machine returns the target's parameters for the core.
func machine(t *target.Target, set isa.Set) *asmmachine.Machine {
	os := t.Triple.OS
	return &asmmachine.Machine{
		ELF: codeobject.Header{
			Class: codeobject.ELFCLASS64, OSABI: codeobject.OSABI(os.ELFOSABI()),
			ABIVersion: os.ELFABIVersion(t.COV), Type: codeobject.ET_REL,
			Machine: codeobject.EM_AMDGPU, Flags: t.EFlags(),
		},
		BranchOffset3F: hasBranchBug(set),
	}
}

// Inst assembles one instruction, such as "s_mov_b32 s0, 1", and appends its
// bytes to dst. Errors are of type diag.List.
func Inst(dst []byte, text string, t *target.Target) ([]byte, error) {
	src := &diag.Source{Name: "<instruction>", Text: []byte(text + "\n")}
	r, list := Assemble(src, Options{Target: t})
	if err := list.Err(); err != nil {
		return dst, err
	}
	o, err := codeobject.Read(r.Object)
	if err != nil {
		panic(fmt.Sprintf("BUG: the assembler's object cannot be read: %v", err))
	}
	return append(dst, o.Section(".text").Data...), nil
}
