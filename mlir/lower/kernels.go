package lower

import (
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/amdgpu"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/arith"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/clean"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/control"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/gpu"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/memref"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/vector"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// Options select the processor and the calling convention of ToLLVM.
type Options struct {
	Chipset      string // "gfx942", also a generic processor: "gfx9-generic"
	IndexBits    int    // width of index in bits, 0 for 64
	BarePointers bool   // memref arguments are plain pointers; their shapes must be static
}

// ToLLVM converts a module to the dialects llvm and rocdl in one pipeline. If it
// contains gpu.modules, their contents are converted, and the code around them, which the
// host executes, remains; the body of a gpu.launch becomes a kernel in a gpu.module of its
// own. Functions of math and sizes of the grid do without ROCm's device library where code
// generation or the dispatch packet has them. The error is a diag.List that names an
// operation that cannot be converted.
func ToLLVM(c *mlir.Context, module *mlir.Op, o Options) error {
	chipset, err := tollvm.ParseChipset(leastProcessor(o.Chipset))
	if err != nil {
		return err
	}
	if gpu.HasLaunch(module) {
		gpu.SinkConstants(c, module)
		if err := gpu.Outline(c, module, true); err != nil {
			return err
		}
	}
	options := tollvm.Options{IndexBits: o.IndexBits, BarePointers: o.BarePointers, Chipset: chipset, GPU: true, CheckWide: true}
	for _, m := range KernelModules(module) {
		if err := convertKernels(c, m, options); err != nil {
			return err
		}
	}
	return nil
}

// generics are the oldest processors of the generic ones.
var generics = [...]struct{ generic, oldest string }{
	{"gfx9-generic", "gfx900"}, {"gfx9-4-generic", "gfx940"}, {"gfx10-1-generic", "gfx1010"}, {"gfx10-3-generic", "gfx1030"},
	{"gfx11-generic", "gfx1100"}, {"gfx12-generic", "gfx1200"},
}

// leastProcessor returns the processor whose instructions a generic one has, or
// name itself.
func leastProcessor(name string) string {
	for _, g := range generics {
		if g.generic == name {
			return g.oldest
		}
	}
	return name
}

// KernelModules returns the gpu.modules within a module, which ToLLVM converts, or the
// module itself if there is none.
func KernelModules(module *mlir.Op) (list []*mlir.Op) {
	for o := range module.Body(0).Ops {
		if o.Name == "gpu.module" {
			list = append(list, o)
		}
	}
	if list == nil {
		return []*mlir.Op{module}
	}
	return list
}

func convertKernels(c *mlir.Context, m *mlir.Op, o tollvm.Options) error {
	gpu.SetDataLayout(c, m)
	if err := prepareKernels(c, m, o.Chipset); err != nil {
		return err
	}
	l := tollvm.New(c, o, control.CF(), control.Func(), arith.MathForKernels(c), arith.ToLLVM(), arith.TruncationForKernels(), arith.Divisions(),
		arith.IndexToLLVM(), arith.UBToLLVM(), memref.ToLLVM(), vector.ToLLVM(), amdgpu.ToROCDL(), gpu.ToROCDL(), gpu.Dispatch())
	l.Extra = amdgpu.Types(c)
	l.Illegal = isForeign
	l.OneOfEach = true
	if err := l.ConvertAll(m); err != nil {
		return err
	}
	rewrite.ReconcileCasts(m)
	return firstForeign(c, m)
}

// prepareKernels replaces operations by simpler ones that the conversion to LLVM has rows for.
func prepareKernels(c *mlir.Context, m *mlir.Op, chipset tollvm.Chipset) error {
	amdgpu.EmulateAtomics(c, m, chipset)
	amdgpu.ConvertFloats(c, m, amdgpu.FloatOptions{Chipset: chipset})
	memref.Expand(c, m)
	vector.LowerMasks(c, m, vector.MaskAccesses|vector.MaskCombinations)
	for _, step := range [...]func(*mlir.Context, *mlir.Op) error{
		vector.KernelsToSCF, vector.UnrollAccesses, memref.ExpandMetadata, control.LowerAffine, control.SCFToCF,
	} {
		if err := step(c, m); err != nil {
			return err
		}
	}
	clean.RemoveDead(m)
	gpu.ExpandReductions(c, m)
	return nil
}

// IsForeign reports whether an operation in one of the modules belongs to another dialect
// than llvm and rocdl, so that ToLLVM is needed.
func IsForeign(modules []*mlir.Op) bool {
	for _, m := range modules {
		if !m.Walk(func(o *mlir.Op) bool { return !isForeign(o.Name) && o.Name != rewrite.CastName }) {
			return true
		}
	}
	return false
}

// isForeign reports whether an operation belongs neither to LLVM's dialects nor to the
// modules around them.
func isForeign(name string) bool {
	switch dialect, _, _ := strings.Cut(name, "."); dialect {
	case "llvm", "rocdl", "builtin":
		return false
	}
	return name != "gpu.module" && name != "gpu.module_end"
}

// firstForeign returns the error of the first cast that remains, for which a type
// has no conversion.
func firstForeign(c *mlir.Context, m *mlir.Op) (err error) {
	m.Walk(func(o *mlir.Op) bool {
		if o.Name == rewrite.CastName {
			err = c.OpDiagnostics(o, mlir.OpErrorf("converts '%s' to '%s', which LLVM does not have", o.Operand(0).Type, o.Result(0).Type))
		}
		return err == nil
	})
	return err
}
