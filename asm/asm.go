package asm

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/diag"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Options says how a source is assembled.
type Options struct {
	// Target is the processor, with its features, the operating system and the
	// code object version (COV, 2 to 6). It must not be nil.
	Target *target.Target

	// Open reads a file for .include and .incbin, by its name in the source. It
	// is nil when no file may be read.
	Open func(name string) ([]byte, error)

	// Listing asks for a listing, as llvm-mc -show-encoding prints it, in the
	// place of an object.
	Listing bool

	// Stop says from time to time whether to end with the error "interrupted"; nil
	// never does.
	Stop func() bool

	// Defines are symbols with a value, as if set before the first line.
	Defines []Define

	// MaxOutput is how many bytes all sections together may have, those without
	// contents (.bss) aside, or the listing. What makes it larger is an error at
	// its place in the source. 0 is the default, 1 GiB; the most is 4 GiB − 1.
	MaxOutput int64

	// MaxExpansion is how many bytes of text macros, repetitions and included
	// files may make, each call and round counted as 64 bytes more. 0 is the
	// default, 64 MiB.
	MaxExpansion int64
}

// Define is a symbol with a value.
type Define struct {
	Name  string
	Value int64
}

// Result is what a source was assembled to.
type Result struct {
	Object  []byte // a relocatable ELF object; nil with Options.Listing
	Listing []byte // the listing; nil without Options.Listing
}

// Source is a text with a name for messages.
type Source = diag.Source

// Diagnostics are what was found in a source.
type Diagnostics = diag.List

// Assemble assembles a source. The list holds all that was found in the source,
// in its order, warnings as well; the result is nil when the list has an error.
//
// The source's text must not change until Assemble returns.
func Assemble(src *Source, opt Options) (*Result, Diagnostics) {
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

// prepare makes the dialect of a target, or says why there is none.
func prepare(src *diag.Source, t *target.Target) (*dialect, diag.List) {
	set, ok := isa.SetOf(t.Processor)
	if !ok {
		var list diag.List
		list.Errorf(src, 0, 0, "there is no assembler for %s: its instruction set is not known", t.Processor.Name)
		return nil, list
	}
	if t.COV < target.MinCOV || t.COV > target.MaxCOV {
		var list diag.List
		list.Errorf(src, 0, 0, "there is no code object version %d: expected %d to %d", t.COV, target.MinCOV, target.MaxCOV)
		return nil, list
	}
	return newDialect(t, set), nil
}

// machine gives what the core has to know of a target.
func machine(t *target.Target, set isa.Set) *asmcore.AMDGPU {
	os := t.Triple.OS
	return &asmcore.AMDGPU{
		ELF: codeobject.Header{
			Class: codeobject.ELFCLASS64, OSABI: codeobject.OSABI(os.ELFOSABI()),
			ABIVersion: os.ELFABIVersion(t.COV), Type: codeobject.ET_REL,
			Machine: codeobject.EM_AMDGPU, Flags: t.EFlags(),
		},
		BranchOffset3F: hasBranchBug(set),
	}
}

// Inst assembles one instruction, such as "s_mov_b32 s0, 1", and appends its
// bytes to dst. An error is of type diag.List.
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
