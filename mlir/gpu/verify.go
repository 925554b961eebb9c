package gpu

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

var (
	floatReductions   = [...]string{"minnumf", "maxnumf", "minimumf", "maximumf"}
	integerReductions = [...]string{"minsi", "minui", "maxsi", "maxui", "and", "or", "xor"}
)

// verifyReduction checks that a reduction is defined for a type.
func verifyReduction(a *mlir.Attr, elem, t *mlir.Type) error {
	if elem.Kind != mlir.FloatKind && slices.Contains(floatReductions[:], a.Text) ||
		elem.Kind != mlir.IntegerKind && slices.Contains(integerReductions[:], a.Text) {
		return mlir.PlainErrorf("`%s` reduction operation is not compatible with type '%s'", a.Text, t)
	}
	return nil
}

func verifyAllReduce(_ *mlir.Context, o *mlir.Op) error {
	op, body := o.Attr("op"), o.Regions[0]
	if (len(body.Blocks) == 0) != (op != nil) {
		return mlir.PlainErrorf("expected either an op attribute or a non-empty body")
	}
	t := o.Result(0).Type
	if op != nil {
		return verifyReduction(op, t, t)
	}
	args := body.Entry().Args
	if len(args) != 2 {
		return mlir.PlainErrorf("expected two region arguments")
	}
	for _, v := range args {
		if v.Type != t {
			return mlir.PlainErrorf("incorrect region argument type")
		}
	}
	return verifyYields(body, t)
}

func verifyYields(body *mlir.Region, t *mlir.Type) error {
	yields := 0
	for _, b := range body.Blocks {
		last := b.Last()
		if last == nil || last.Name != "gpu.yield" {
			continue
		}
		if len(last.Operands) != 1 {
			return mlir.PlainErrorf("expected one gpu.yield operand")
		}
		if last.Operand(0).Type != t {
			return mlir.PlainErrorf("incorrect gpu.yield type")
		}
		yields++
	}
	if yields == 0 {
		return mlir.PlainErrorf("expected gpu.yield op in region")
	}
	return nil
}

func verifySubgroupReduce(c *mlir.Context, o *mlir.Op) error {
	t := o.Result(0).Type
	if t.IsScalable() {
		return errors.New("is not compatible with scalable vector types")
	}
	if err := verifyReduction(o.Attr("op"), t.ElementOrSelf(), t); err != nil || c.Edition == mlir.Edition19 {
		return err
	}
	size, stride := o.Attr("cluster_size"), o.Attr("cluster_stride")
	if size != nil && !isPowerOfTwo(size.Int) {
		return fmt.Errorf("cluster size %d is not a power of two", uint32(size.Int))
	}
	if stride == nil {
		return nil
	}
	if stride.Int != 1 && size == nil {
		return errors.New("cluster stride can only be specified if cluster size is specified")
	}
	if !isPowerOfTwo(stride.Int) {
		return fmt.Errorf("cluster stride %d is not a power of two", uint32(stride.Int))
	}
	return nil
}

func isPowerOfTwo(n int64) bool { return bits.OnesCount32(uint32(n)) == 1 }

// verifyAttributions checks the memory space of buffers of a function or launch.
func verifyAttributions(values []*mlir.Value, space string) error {
	for _, v := range values {
		if v.Type.Kind != mlir.MemRefKind {
			return errors.New("expected memref type in attribution")
		}
		a := v.Type.Space
		if a != nil && a.Kind == mlir.EnumAttr && a.Enum.Dialect == "gpu" && a.Text != space {
			return fmt.Errorf("expected memory space %s in attribution", space)
		}
	}
	return nil
}

func verifyBuffers(o *mlir.Op, n int) error {
	workgroup, private := attributions(o, n)
	if err := verifyAttributions(workgroup, "workgroup"); err != nil {
		return err
	}
	return verifyAttributions(private, "private")
}

func verifyFunc(_ *mlir.Context, o *mlir.Op) error {
	t := o.Attr("function_type").Type
	if o.Attr("gpu.kernel") != nil && len(t.Outs) > 0 {
		return errors.New("expected void return type for kernel function")
	}
	entry := o.Regions[0].Entry()
	if entry == nil {
		return errors.New("expected body with at least one block")
	}
	least := len(t.Ins)
	if a := o.Attr("workgroup_attributions"); a != nil {
		least += int(a.Int)
	}
	if len(entry.Args) < least {
		return fmt.Errorf("expected at least %d arguments to body region", least)
	}
	for i, u := range t.Ins {
		if v := entry.Args[i].Type; v != u {
			return fmt.Errorf("expected body region argument #%d to be of type '%s', got '%s'", i, u, v)
		}
	}
	return verifyBuffers(o, len(t.Ins))
}

func verifyLaunch(_ *mlir.Context, o *mlir.Op) error {
	n := launchArgs(o)
	if n == plainArgs && len(o.Named("clusterSizeX"))+len(o.Named("clusterSizeY"))+len(o.Named("clusterSizeZ")) > 0 {
		return errors.New("cluster size must be all present")
	}
	return nil
}

func verifyLaunchBody(_ *mlir.Context, o *mlir.Op) error {
	entry := o.Regions[0].Entry()
	if entry == nil {
		return nil
	}
	least := plainArgs
	if a := o.Attr("workgroup_attributions"); a != nil {
		least += int(a.Int)
	}
	if len(entry.Args) < least {
		return errors.New("unexpected number of region arguments")
	}
	if err := verifyBuffers(o, launchArgs(o)); err != nil {
		return err
	}
	for _, b := range o.Regions[0].Blocks {
		last := b.Last()
		if last != nil && len(last.Successors) == 0 && last.Name != "gpu.terminator" {
			return mlir.ErrorAt(last, mlir.PlainErrorf("expected 'gpu.terminator' or a terminator with successors"))
		}
	}
	return nil
}

func verifyLaunchFunc(_ *mlir.Context, o *mlir.Op) error {
	module := o.Parent()
	for module != nil && module.Name != "builtin.module" {
		module = module.Parent()
	}
	if module == nil {
		return errors.New("expected to belong to a module")
	}
	if a := module.Attr("gpu.container_module"); a == nil || a.Kind != mlir.UnitAttr {
		return errors.New("expected the closest surrounding module to have the 'gpu.container_module' attribute")
	}
	x := o.Named("clusterSizeX")
	if len(x) == 0 {
		return nil
	}
	for _, name := range [...]string{"clusterSizeY", "clusterSizeZ"} {
		if v := o.Named(name); len(v) > 0 && v[0].Type != x[0].Type {
			return errors.New("expects types of the cluster dimensions must be the same")
		}
	}
	return nil
}

func verifyMemcpy(_ *mlir.Context, o *mlir.Op) error {
	dst, src := o.Named("dst")[0].Type, o.Named("src")[0].Type
	if dst.ElementOrSelf() != src.ElementOrSelf() {
		return errors.New("arguments have incompatible element type")
	}
	if !mlir.CompatibleShape(dst, src) {
		return errors.New("arguments have incompatible shape")
	}
	return nil
}

func verifyReturn(_ *mlir.Context, o *mlir.Op) error {
	f := o.Parent()
	for f != nil && f.Name != "gpu.func" {
		f = f.Parent()
	}
	if f == nil {
		return nil
	}
	outs := f.Attr("function_type").Type.Outs
	if len(outs) != len(o.Operands) {
		return fmt.Errorf("expected %d result operands", len(outs))
	}
	for i, t := range outs {
		if u := o.Operand(i).Type; u != t {
			return fmt.Errorf("unexpected type `'%s'' for operand #%d", u, i)
		}
	}
	return nil
}

// verifyDynamicMemory checks the type, of bytes in LDS whose number is known when the kernel runs.
func verifyDynamicMemory(_ *mlir.Context, o *mlir.Op) error {
	t := o.Result(0).Type
	if a := t.Space; a == nil || a.Kind != mlir.EnumAttr || a.Enum.Dialect != "gpu" || a.Text != "workgroup" {
		return errors.New("address space must be address_space<workgroup>")
	}
	if t.HasStaticShape() {
		return errors.New("result memref type must be memref<?xi8, #gpu.address_space<workgroup>>")
	}
	return nil
}

func verifyRotate(_ *mlir.Context, o *mlir.Op) error {
	offset, width := o.Attr("offset"), o.Attr("width")
	if uint32(offset.Int) >= uint32(width.Int) {
		return fmt.Errorf("offset must be in the range [0, %d)", uint32(width.Int))
	}
	return nil
}

// verifyAlloc compares the numbers of sizes and symbols with the type.
func verifyAlloc(c *mlir.Context, o *mlir.Op) error {
	t := o.Result(0).Type
	sizes := 0
	for _, n := range t.Shape {
		if n == mlir.Dynamic {
			sizes++
		}
	}
	if got := o.CountNamed("dynamicSizes"); got != sizes {
		if c.Edition == mlir.Edition19 {
			return errors.New("dimension operand count does not equal memref dynamic dimension count")
		}
		return fmt.Errorf("incorrect number of dynamic sizes, has %d, expected %d", got, sizes)
	}
	if o.CountNamed("symbolOperands") != mlir.LayoutSymbols(t) {
		return errors.New("symbol operand count does not equal memref symbol count")
	}
	return nil
}

// verifyBroadcast checks that a lane is named where one is chosen.
func verifyBroadcast(_ *mlir.Context, o *mlir.Op) error {
	switch isSpecific, has := o.Attr("broadcast_type").Text == "specific_lane", o.CountNamed("lane") > 0; {
	case isSpecific && !has:
		return errors.New("lane must be specified for `specific_lane` broadcast")
	case has && !isSpecific:
		return errors.New("lane can only be specified for `specific_lane` broadcast")
	}
	return nil
}
