// Package gpu converts dialect gpu to the dialects llvm and rocdl.
package gpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// ToROCDL converts the operations of dialect gpu within a gpu.module.
func ToROCDL() []tollvm.Row {
	return []tollvm.Row{
		{Op: "gpu.func", Run: function},
		{Op: "gpu.return", To: "llvm.return", Run: returns},
		{Op: "gpu.barrier", To: "rocdl.barrier", Run: barrier},
		{Op: "gpu.thread_id", To: "rocdl.workitem.id.", Run: id},
		{Op: "gpu.block_id", To: "rocdl.workgroup.id.", Run: id},
		{Op: "gpu.block_dim", To: "rocdl.workgroup.dim.", Run: id},
		{Op: "gpu.grid_dim", To: "rocdl.grid.dim.", Run: id},
		{Op: "gpu.cluster_id", To: "rocdl.cluster.id.", Run: id},
		{Op: "gpu.global_id", Run: globalID},
		{Op: "gpu.lane_id", Run: laneIndex},
		{Op: "gpu.subgroup_size", To: "rocdl.wavefrontsize", Run: waveSize},
		{Op: "gpu.shuffle", Run: shuffle},
		{Op: "gpu.rotate", Run: rotate},
		{Op: "gpu.subgroup_id", Run: subgroupID},
		{Op: "gpu.num_subgroups", Run: subgroupCount},
		{Op: "gpu.subgroup_reduce", Run: subgroupReduce},
		{Op: "gpu.subgroup_broadcast", Run: broadcast},
		{Op: "gpu.dynamic_shared_memory", Run: dynamicMemory},
	}
}

// A dimension is an id or a size that the hardware or the dispatch packet has for each of three
// dimensions.
type dimension struct {
	known  string // the attribute of a function that bounds it
	isSize bool   // sizes begin with 1, ids with 0
}

func dimensionOf(op string) dimension {
	switch op {
	case "gpu.thread_id":
		return dimension{"known_block_size", false}
	case "gpu.block_id":
		return dimension{"known_grid_size", false}
	case "gpu.block_dim":
		return dimension{"known_block_size", true}
	case "gpu.grid_dim":
		return dimension{"known_grid_size", true}
	}
	return dimension{}
}

// letters are the dimensions in the order of gpu.dim.
const letters = "xyz"

// id converts an id or size of one dimension.
func id(l *tollvm.Lowering, o *mlir.Op, to string) error {
	dim := int(o.Attr("dimension").Int)
	v := l.Emit(to+letters[dim:dim+1], l.Context.Integer(32), nil, rangeAttr(l.Context, o, dim)...)
	l.Replace(o, toIndex(l, v))
	return nil
}

// toIndex extends a value of type i32 to the type that replaces index.
func toIndex(l *tollvm.Lowering, v *mlir.Value) *mlir.Value {
	switch {
	case l.IndexBits > 32:
		return l.Emit("llvm.sext", l.Index(), tollvm.Values(v))
	case l.IndexBits < 32:
		return l.Emit("llvm.trunc", l.Index(), tollvm.Values(v))
	}
	return v
}

// rangeAttr returns the attribute of the values that an id or size can have, if
// its bound is known.
func rangeAttr(c *mlir.Context, o *mlir.Op, dim int) []mlir.NamedAttr {
	d := dimensionOf(o.Name)
	bound, ok := int64(0), false
	if a := o.Attr("upper_bound"); a != nil {
		bound, ok = a.Int, true
	} else {
		bound, ok = knownSize(o, d.known, dim)
	}
	if !ok {
		return nil
	}
	low, high := int64(0), bound
	if d.isSize {
		low, high = 1, bound+1
	}
	if c.Edition == mlir.Edition19 {
		return []mlir.NamedAttr{tollvm.Named("range", c.DenseI32Array(low, high))}
	}
	return []mlir.NamedAttr{tollvm.Named("range", constantRange(c, low, high))}
}

// constantRange returns the attribute #llvm.constant_range<i32, low, high>.
func constantRange(c *mlir.Context, low, high int64) *mlir.Attr {
	i32 := mlir.Param{Kind: mlir.TypeParam, Type: c.Integer(32)}
	return c.DialectAttr("llvm", "constant_range", i32, mlir.Param{Kind: mlir.IntParam, Int: low}, mlir.Param{Kind: mlir.IntParam, Int: high})
}

// knownSize returns a size that an attribute of the function around o specifies. The function may have been
// converted already.
func knownSize(o *mlir.Op, attr string, dim int) (size int64, ok bool) {
	if attr == "" {
		return 0, false
	}
	for p := o.Parent(); p != nil; p = p.Parent() {
		for _, name := range [...]string{attr, "gpu." + attr} {
			if a := p.Attr(name); a != nil && a.Kind == mlir.DenseArrayAttr {
				return a.Int64s()[dim], true
			}
		}
	}
	return 0, false
}

// globalID computes block_id * block_dim + thread_id.
func globalID(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	dim := []mlir.NamedAttr{tollvm.Named("dimension", o.Attr("dimension"))}
	index := l.Context.Index()
	emit := func(name string, operands ...*mlir.Value) *mlir.Value {
		if len(operands) > 0 {
			return l.Emit(name, index, operands)
		}
		return l.Emit(name, index, nil, dim...)
	}
	block := emit("gpu.block_id")
	size := emit("gpu.block_dim")
	first := emit("arith.muli", block, size)
	sum := emit("arith.addi", emit("gpu.thread_id"), first)
	l.Replace(o, l.Value(sum))
	return nil
}

func barrier(l *tollvm.Lowering, o *mlir.Op, to string) error {
	l.EmitVoid(to, nil)
	o.Erase()
	return nil
}

// lane computes the number of the lane in its wave: the lanes below it are counted.
func lane(l *tollvm.Lowering) *mlir.Value {
	i32 := l.Context.Integer(32)
	zero := l.I32(0)
	all := l.I32(-1)
	low := l.Emit("rocdl.mbcnt.lo", i32, tollvm.Values(all, zero), laneRange(l.Context, 32)...)
	return l.Emit("rocdl.mbcnt.hi", i32, tollvm.Values(all, low), laneRange(l.Context, 64)...)
}

func laneRange(c *mlir.Context, below int64) []mlir.NamedAttr {
	if c.Edition == mlir.Edition19 {
		return nil
	}
	dict := c.Dict(tollvm.Named("llvm.noundef", c.Unit()), tollvm.Named("llvm.range", constantRange(c, 0, below)))
	return []mlir.NamedAttr{tollvm.Named("res_attrs", c.Array(dict))}
}

func laneIndex(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	l.Replace(o, toIndex(l, lane(l)))
	return nil
}

// waveSize converts the size of a wave, of which an upper bound may be known: waves
// have 64 lanes before gfx10, and 32 or 64 since.
func waveSize(l *tollvm.Lowering, o *mlir.Op, to string) error {
	if l.Context.Edition == mlir.Edition19 {
		return rewrite.ErrNoMatch
	}
	var attrs []mlir.NamedAttr
	if a := o.Attr("upper_bound"); a != nil {
		low := int64(64)
		if l.Chipset.Major >= 10 {
			low = 32
		}
		attrs = append(attrs, tollvm.Named("range", constantRange(l.Context, low, a.Int+1)))
	}
	l.Replace(o, toIndex(l, l.Emit(to, l.Context.Integer(32), nil, attrs...)))
	return nil
}

// broadcast converts gpu.subgroup_broadcast: all lanes get the value of the first
// active lane, or of a lane that is the same for all.
func broadcast(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := l.Convert(o.Operand(0).Type)
	if t == nil || !isBits(t) {
		return rewrite.ErrNoMatch
	}
	l.Replace(o, throughWords(l, l.Operand(o, 0), func(word *mlir.Value) *mlir.Value {
		if len(o.Operands) > 1 {
			return l.Emit("rocdl.readlane", word.Type, tollvm.Values(word, l.Operand(o, 1)))
		}
		return l.Emit("rocdl.readfirstlane", word.Type, tollvm.Values(word))
	}))
	return nil
}

// isBits reports whether an LLVM type is a scalar or a fixed vector of integers or floats.
func isBits(t *mlir.Type) bool {
	elem := t.ElementOrSelf()
	return !t.IsScalable() && (elem.Kind == mlir.IntegerKind || elem.Kind == mlir.FloatKind)
}
