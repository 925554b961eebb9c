package compile

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/linker"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/dialects"
	"github.com/gfx-toolchain/gfx/mlir/lower"
	"github.com/gfx-toolchain/gfx/mlir/translate"
)

// readMLIR reads modules of MLIR, lowers them and translates them to LLVM IR: all
// gpu.modules of the text, or if it has none its functions.
func readMLIR(in *Input, o *Options) (*ir.Module, error) {
	c, top, err := parseMLIR(in, o)
	if err != nil {
		return nil, err
	}
	modules := lower.KernelModules(top)
	if o.CPU == "" {
		o.CPU = chipOf(modules)
	}
	if lower.IsForeign(modules) {
		if o.CPU == "" {
			return nil, ErrNoProcessor
		}
		lowering := lower.Options{Chipset: o.CPU, IndexBits: o.MLIR.IndexBits, BarePointers: o.MLIR.BarePointers}
		if err := lower.ToLLVM(c, top, lowering); err != nil {
			return nil, err
		}
		modules = lower.KernelModules(top) // kernels of gpu.launch are there now, too
	}
	if err := distinctSymbols(c, modules); err != nil {
		return nil, err
	}
	var all *ir.Module
	for _, module := range modules {
		markKernels(c, module)
		m, err := translate.Module(c, module)
		if err == nil {
			err = setLayout(m)
		}
		if err == nil {
			err = translate.Check(c, module, m)
		}
		switch {
		case err != nil:
			return nil, err
		case all == nil:
			all = m
			continue
		}
		if err := linker.Into(all).Link(linker.Source{Module: m}, linker.Options{}); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	all.ID = in.Name
	return all, nil
}

// parseMLIR reads and verifies the text of an input.
func parseMLIR(in *Input, o *Options) (*mlir.Context, *mlir.Op, error) {
	c := mlir.NewContext(o.MLIR.Edition, dialects.All()...)
	top, err := c.Parse(in.Name, in.Data)
	if err == nil {
		err = c.Verify(top)
	}
	return c, top, err
}

// distinctSymbols returns an error if two modules define the same symbol.
func distinctSymbols(c *mlir.Context, modules []*mlir.Op) error {
	var all diag.List
	known := map[string]bool{}
	for _, module := range modules {
		for o := range module.Body(0).Ops {
			name := o.Attr("sym_name")
			if name == nil || !definesSymbol(o) {
				continue
			}
			if known[name.Text] {
				all = append(all, c.OpDiagnostics(o, mlir.OpErrorf("redefinition of symbol named '%s', which another gpu.module defines", name.Text))...)
			}
			known[name.Text] = true
		}
	}
	return all.Err()
}

// definesSymbol reports whether a function or a variable is defined, and visible to
// other modules.
func definesSymbol(o *mlir.Op) bool {
	switch linkage := o.Attr("linkage"); {
	case linkage != nil && (linkage.Text == "internal" || linkage.Text == "private"):
		return false
	case len(o.Regions) > 0 && len(o.Regions[0].Blocks) > 0:
		return true
	}
	return o.Attr("value") != nil
}

// markKernels adds the attribute of kernels in the dialect rocdl to kernels of gpu.
func markKernels(c *mlir.Context, module *mlir.Op) {
	for o := range module.Body(0).Ops {
		if o.Name == "llvm.func" && o.Attr("gpu.kernel") != nil && o.Attr("rocdl.kernel") == nil {
			o.SetAttr("rocdl.kernel", c.Unit())
		}
	}
}

// chipOf returns the processor that the first module with one names, or "".
func chipOf(modules []*mlir.Op) string {
	for _, module := range modules {
		if chip := chipOfModule(module); chip != "" {
			return chip
		}
	}
	return ""
}

// chipOfModule returns the processor in the targets of a module, or of its functions.
func chipOfModule(module *mlir.Op) string {
	if targets := module.Attr("targets"); targets != nil {
		for _, t := range targets.List {
			if chip := translate.TargetChip(t); chip != "" {
				return chip
			}
		}
	}
	for o := range module.Body(0).Ops {
		if cpu := o.Attr("target_cpu"); cpu != nil && cpu.Kind == mlir.StringAttr {
			return cpu.Text
		}
	}
	return ""
}

// placeInMLIR returns the location of a function in the text of an input.
func placeInMLIR(in *Input, o *Options, function string) (*diag.Source, int, int) {
	c, top, err := parseMLIR(in, o)
	if err != nil {
		return nil, 0, 0
	}
	for _, module := range lower.KernelModules(top) {
		for p := range module.Body(0).Ops {
			if name := p.Attr("sym_name"); name != nil && name.Text == function {
				d := c.OpDiagnostics(p, mlir.OpErrorf(""))[0]
				return d.Source, d.Off, d.End
			}
		}
	}
	return nil, 0, 0
}
