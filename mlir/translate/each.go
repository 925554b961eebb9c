package translate

import (
	"slices"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// Each reads, checks, changes and translates a large module of several functions, one function
// after the other, with less time and memory than mlir's ParsePart and Verify, process,
// Module on OnlyGPUModule, and Check. process is as in mlir.Each, nil for none. The result is nil
// if all is to be done in this ordinary way: see mlir.Context.ParseEach.
func Each(c *mlir.Context, src *diag.Source, part mlir.Part, process func(*mlir.Context, *mlir.Op) error) *ir.Module {
	e := &eachFunction{t: newTranslator(c)}
	each := mlir.Each{Process: process, Then: e.define}
	if process == nil {
		each.Begin = e.declare
	} else {
		each.Then = e.declareAndDefine
	}
	top := c.ParseEach(src, part, each)
	if top == nil || !e.finish(OnlyGPUModule(top), process != nil) {
		return nil
	}
	return e.t.m
}

// eachFunction translates a module by functions.
type eachFunction struct {
	t      *translator
	within string // the name of the operation whose functions are translated
	number int    // of functions
}

// declare declares all symbols of a module.
func (e *eachFunction) declare(module *mlir.Op) bool {
	return attempt(func() { e.t.declareAll(OnlyGPUModule(module)) }) == nil
}

// define translates the only function in a module, which has been declared.
func (e *eachFunction) define(c *mlir.Context, _, module *mlir.Op) bool {
	return attempt(func() {
		f := mlir.OnlyFunction(module)
		if !e.isWithin(f.Parent()) {
			e.t.refuse("is in another module")
		}
		e.t.eachOp(f.Block, e.t.define)
		e.number++
	}) == nil
}

// declareAndDefine translates a changed function with the variables that belong to it.
func (e *eachFunction) declareAndDefine(c *mlir.Context, declaration, module *mlir.Op) bool {
	o := mlir.OnlyFunction(module)
	for p := range o.Block.Ops {
		if p != o && p.Name != "llvm.mlir.global" {
			return false // such declarations precede all functions of the module
		}
	}
	return attempt(func() {
		if e.number == 0 {
			e.t.moduleAttrs(o.Parent())
		}
		e.t.eachOp(o.Block, e.t.declare)
	}) == nil && e.define(c, declaration, module)
}

// isWithin reports whether o is an operation of the name of the one around the first function.
func (e *eachFunction) isWithin(o *mlir.Op) bool {
	if e.number == 0 {
		e.within = o.Name
	}
	return o.Name == e.within
}

// finish translates the rest of a module and reports whether the result is valid.
func (e *eachFunction) finish(o *mlir.Op, changed bool) bool {
	t := e.t
	if !e.isWithin(o) {
		return false
	}
	for p := range o.Body(0).Ops {
		if changed && t.m.Global(t.text(p, "sym_name")) == nil && p.Name != "gpu.module_end" {
			return false // it had to be declared before the functions
		}
	}
	return attempt(func() {
		if changed {
			e.intrinsicsLast(o)
		} else {
			t.eachOp(o.Body(0), t.define)
		}
		t.resolveAddresses()
		t.lastFlag()
	}) == nil && Check(t.c, o, t.m) == nil
}

// intrinsicsLast moves all but the symbols of the module after these, as if the symbols had been
// declared first.
func (e *eachFunction) intrinsicsLast(o *mlir.Op) {
	symbols := map[string]bool{}
	for p := range o.Body(0).Ops {
		symbols[e.t.text(p, "sym_name")] = true
	}
	for _, g := range slices.Clone(e.t.m.Globals()) {
		if g != nil && !symbols[g.Name()] {
			e.t.m.MoveToEnd(g)
		}
	}
}
