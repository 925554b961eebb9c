package lower

import (
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/amdgpu"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// chipsetOption is an option of the passes for AMD GPUs.
var chipsetOption = rewrite.Option{Name: "chipset", Default: "gfx000", Help: "the processor: gfx90a"}

// chipset returns the option of that name.
func chipset(r *rewrite.Run) (tollvm.Chipset, error) {
	c, err := tollvm.ParseChipset(r.Text("chipset"))
	if err != nil {
		return c, diag.List{{Message: err.Error()}}
	}
	return c, nil
}

func emulateAtomics(r *rewrite.Run) error {
	chip, err := chipset(r)
	if err != nil {
		return err
	}
	amdgpu.EmulateAtomics(r.Context, r.Op, chip)
	return nil
}

func convertAMDGPU(r *rewrite.Run) error {
	chip, err := chipset(r)
	if err != nil {
		return err
	}
	o := tollvm.Options{Chipset: chip, GPU: r.Context.Edition != mlir.Edition19}
	l := tollvm.New(r.Context, o, amdgpu.ToROCDL())
	l.Extra = amdgpu.Types(r.Context)
	l.Illegal = rewrite.InDialect("amdgpu")
	return l.ConvertAll(r.Op)
}

func foldViews(r *rewrite.Run) error {
	amdgpu.FoldViews(r.Context, r.Op)
	return nil
}

func unmaskLoads(r *rewrite.Run) error {
	amdgpu.UnmaskLoads(r.Context, r.Op)
	return nil
}

func resolveMetadata(r *rewrite.Run) error {
	amdgpu.ResolveMetadata(r.Context, r.Op)
	return nil
}

func convertFloats(r *rewrite.Run) error {
	chip, err := chipset(r)
	if err != nil {
		return err
	}
	amdgpu.ConvertFloats(r.Context, r.Op, amdgpu.FloatOptions{Chipset: chip,
		Saturate: r.Bool("saturate-fp8-truncf"), RoundToZero: r.Bool("allow-packed-f16-round-to-zero")})
	return nil
}
