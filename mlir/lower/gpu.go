package lower

import (
	"slices"
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

// gpuOptions are the options of convert-gpu-to-rocdl.
var gpuOptions = []rewrite.Option{
	chipsetOption, indexBitwidth, bareCalls,
	{Name: "runtime", Default: "unknown", Help: "unknown, HIP or OpenCL: how gpu.printf prints"},
	{Name: "device-libraries", Default: "true",
		Help: "call ROCm's device library for functions and sizes that code generation has, as MLIR does"},
	{Name: "allowed-dialects", Help: "the other dialects that are converted, all if empty"},
}

// A companion is a dialect that convert-gpu-to-rocdl converts besides its own.
type companion struct {
	dialect string
	only22  bool
	rows    func(*mlir.Context) []tollvm.Row
}

// companions are the dialects that convert-gpu-to-rocdl converts besides gpu and
// amdgpu; index, math and ub only in edition 22.
var companions = [...]companion{
	{"arith", false, func(*mlir.Context) []tollvm.Row { return arith.ToLLVM() }},
	{"cf", false, func(*mlir.Context) []tollvm.Row { return control.CF() }},
	{"func", false, func(*mlir.Context) []tollvm.Row { return control.Func() }},
	{"index", true, func(*mlir.Context) []tollvm.Row { return arith.IndexToLLVM() }},
	{"math", true, arith.MathToLLVM},
	{"memref", false, func(*mlir.Context) []tollvm.Row { return memref.ToLLVM() }},
	{"ub", true, func(*mlir.Context) []tollvm.Row { return arith.UBToLLVM() }},
	{"vector", false, func(*mlir.Context) []tollvm.Row { return vector.ToLLVM() }},
}

// convertGPU converts a gpu.module with the operations of other dialects that
// MLIR's pass converts, too.
func convertGPU(r *rewrite.Run) error {
	chip, err := chipset(r)
	if err != nil {
		return err
	}
	runtime := r.Text("runtime")
	if runtime != "unknown" && runtime != "HIP" && runtime != "OpenCL" {
		return mlir.PlainErrorf("runtime is unknown, HIP or OpenCL, not %q", runtime)
	}
	o := options(r)
	o.BarePointers, o.GPU, o.Chipset = r.Bool("use-bare-ptr-memref-call-conv"), true, chip
	lists, err := companionRows(r)
	if err != nil {
		return err
	}
	lists = append(lists, arith.MathToROCDL(r.Context), amdgpu.ToROCDL(), gpu.ToROCDL(), gpu.Printf(runtime))
	if !r.Bool("device-libraries") {
		lists = append(lists, arith.MathForKernels(r.Context), gpu.Dispatch())
	}
	gpu.SetDataLayout(r.Context, r.Op)
	control.RequestWrappers(r.Context, r.Op)
	if r.Context.Edition == mlir.Edition19 { // bf16 becomes i16
		if err := arith.Expand(r.Context, r.Op, arith.ExpandOptions{BF16: true, OnlyFormats: true}); err != nil {
			return err
		}
	}
	clean.RemoveDead(r.Op)
	gpu.ExpandReductions(r.Context, r.Op)
	l := tollvm.New(r.Context, o, lists...)
	l.Extra = amdgpu.Types(r.Context)
	isGPU := rewrite.InDialect("gpu", "amdgpu")
	l.Illegal = func(name string) bool { return isGPU(name) && name != "gpu.module" && name != "gpu.module_end" }
	return l.ConvertAll(r.Op)
}

// companionRows returns the rows of the companions that the option allowed-dialects
// names, or of all.
func companionRows(r *rewrite.Run) (lists [][]tollvm.Row, err error) {
	var allowed []string
	if text := r.Text("allowed-dialects"); text != "" {
		allowed = strings.Split(text, ",")
	}
	for _, name := range allowed {
		if !slices.ContainsFunc(companions[:], func(c companion) bool { return c.dialect == name }) {
			return nil, r.Context.OpDiagnostics(r.Op, mlir.PlainErrorf("dialect does not implement ConvertToLLVMPatternInterface: %s", name))
		}
	}
	for _, c := range companions {
		if r.Context.Edition == mlir.Edition19 && c.only22 || allowed != nil && !slices.Contains(allowed, c.dialect) {
			continue
		}
		lists = append(lists, c.rows(r.Context))
	}
	return lists, nil
}
