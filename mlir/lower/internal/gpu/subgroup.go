package gpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// intrinsic creates a call of one of LLVM's functions for AMD's processors.
func intrinsic(l *tollvm.Lowering, name string, t *mlir.Type, args ...*mlir.Value) *mlir.Value {
	attrs := []mlir.NamedAttr{tollvm.Named("intrin", l.Context.String("llvm.amdgcn."+name))}
	if l.Context.Edition != mlir.Edition19 {
		attrs = append(attrs, tollvm.Named("operandSegmentSizes", l.Context.DenseI32Array(int64(len(args)), 0)),
			tollvm.Named("op_bundle_sizes", l.Context.DenseI32Array()))
	}
	return l.Emit("llvm.call_intrinsic", t, args, attrs...)
}

// waveLanes returns the size of a wave as an i32.
func waveLanes(l *tollvm.Lowering) *mlir.Value {
	if l.Chipset.Major < 10 {
		return l.I32(64)
	}
	return intrinsic(l, "wavefrontsize", l.Context.Integer(32))
}

// subgroupID converts gpu.subgroup_id: the number of the lane's work-item in its work-group, divided by
// the size of a wave. It is the same for all lanes.
func subgroupID(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	x, y, z := dim(l, "gpu.thread_id", 0), dim(l, "gpu.thread_id", 1), dim(l, "gpu.thread_id", 2)
	row := l.Binary("llvm.add", l.Binary("llvm.mul", z, dim(l, "gpu.block_dim", 1)), y)
	item := l.Binary("llvm.add", l.Binary("llvm.mul", row, dim(l, "gpu.block_dim", 0)), x)
	id := l.Binary("llvm.udiv", item, waveLanes(l))
	l.Replace(o, toIndex(l, intrinsic(l, "readfirstlane", id.Type, id)))
	return nil
}

// subgroupCount converts gpu.num_subgroups: the number of a work-group's waves.
func subgroupCount(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	area := l.Binary("llvm.mul", dim(l, "gpu.block_dim", 0), dim(l, "gpu.block_dim", 1))
	items := l.Binary("llvm.mul", area, dim(l, "gpu.block_dim", 2))
	lanes := waveLanes(l)
	up := l.Binary("llvm.add", items, l.Binary("llvm.sub", lanes, l.I32(1)))
	l.Replace(o, toIndex(l, l.Binary("llvm.udiv", up, lanes)))
	return nil
}

// dim returns a number of the work-item or work-group in one dimension as an i32.
func dim(l *tollvm.Lowering, op string, dimension int64) *mlir.Value {
	v := l.Emit(op, l.Context.Index(), nil, tollvm.Named("dimension", dimensionAttr(l.Context, dimension)))
	return l.Emit("arith.index_cast", l.Context.Integer(32), tollvm.Values(v))
}

func dimensionAttr(c *mlir.Context, dimension int64) *mlir.Attr {
	return c.EnumAttr(c.Enum("gpu", "dim"), dimension)
}

// rotate converts gpu.rotate: lane i of a group of width lanes reads from lane i + offset of the group,
// where lanes after the last one are the first ones. Only the group at lane 0 has a valid result.
func rotate(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	offset, width := o.Attr("offset").Int, o.Attr("width").Int
	if width > permuteLanes(l) {
		return mlir.OpErrorf("rotates %d lanes, which a wave of the processor does not exchange", width)
	}
	self, below := lane(l), l.I32(width-1)
	at := l.Binary("llvm.and", l.Binary("llvm.add", self, l.I32(offset)), below)
	source := l.Binary("llvm.or", at, l.Binary("llvm.and", self, l.I32(-width)))
	address := l.Binary("llvm.shl", source, l.I32(2))
	v := throughWords(l, l.Operand(o, 0), func(word *mlir.Value) *mlir.Value {
		return l.Emit("rocdl.ds_bpermute", word.Type, tollvm.Values(address, word))
	})
	const less = 6 // unsigned
	valid := l.Emit("llvm.icmp", l.Context.Integer(1), tollvm.Values(self, l.I32(width)),
		tollvm.Named("predicate", l.Context.I64Attr(less)))
	l.Replace(o, v, valid)
	return nil
}

// permuteLanes returns the number of lanes among which ds_bpermute exchanges values: gfx10 and gfx11 have two
// groups in a wave of 64 lanes, and waves of later processors have 32 lanes, or 64 of gfx12.
func permuteLanes(l *tollvm.Lowering) int64 {
	if major := l.Chipset.Major; major == 10 || major == 11 {
		return 32
	}
	return 64
}

// A waveReduction converts a gpu.subgroup_reduce.
type waveReduction struct {
	*tollvm.Lowering
	op   string     // of arith
	t    *mlir.Type // of the value
	size int64      // lanes of a cluster, 0 for the whole wave
	step int64      // from one lane of a cluster to the next
}

// subgroupReduce converts gpu.subgroup_reduce: all lanes of a wave take part, of which those that are not active
// have the value that changes no result. After n exchanges at growing distances, 2ⁿ lanes have their result.
func subgroupReduce(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	r := waveReduction{Lowering: l, t: o.Result(0).Type, step: 1}
	r.op = combination(o.Attr("op").Text, r.t.ElementOrSelf())
	neutral := tollvm.Neutral(l.Context, o.Attr("op").Text, r.t)
	if t := l.Convert(r.t); t != r.t || r.op == "" || neutral == nil {
		return rewrite.ErrNoMatch
	}
	if a := o.Attr("cluster_size"); a != nil {
		r.size, r.step = a.Int, o.Attr("cluster_stride").Int
	}
	if r.size*r.step > 64 {
		return mlir.OpErrorf("cluster size %d with stride %d is greater than subgroup size 64", r.size, r.step)
	}
	v := r.eachWord(tollvm.Values(l.Value(o.Operand(0)), l.Constant(r.t, neutral)), func(words []*mlir.Value) *mlir.Value {
		return intrinsic(l, "set.inactive", words[0].Type, words...)
	})
	v = r.reduce(v)
	l.Replace(o, r.eachWord(tollvm.Values(v), func(words []*mlir.Value) *mlir.Value {
		return intrinsic(l, "strict.wwm", words[0].Type, words...)
	}))
	return nil
}

// reduce combines the lanes of each cluster.
func (r *waveReduction) reduce(v *mlir.Value) *mlir.Value {
	end := r.size * r.step
	if r.size == 0 {
		end = 64
	}
	for distance := r.step; distance < min(end, 32); distance *= 2 {
		v = r.combine(v, r.exchange(v, distance))
	}
	switch {
	case r.size == 0:
		return r.wholeWave(v)
	case end == 64 && r.size > 1:
		return r.halves(v)
	}
	return v
}

func (r *waveReduction) combine(x, y *mlir.Value) *mlir.Value {
	return r.Emit(r.op, r.t, tollvm.Values(x, y))
}

// eachWord applies move to the words of 32 bits of several values of one type, and puts the
// results together.
func (r *waveReduction) eachWord(values []*mlir.Value, move func(words []*mlir.Value) *mlir.Value) *mlir.Value {
	return throughWordsOf(r.Lowering, values, move)
}

// Controls of DPP that exchange values at a distance: by a permutation within four lanes, or by reading lanes of half
// a row or a row in reverse order.
const (
	swapOne    = 1 | 0<<2 | 3<<4 | 2<<6
	swapTwo    = 2 | 3<<2 | 0<<4 | 1<<6
	mirrorHalf = 0x141
	rotateRow8 = 0x128
)

// Modes of ds_swizzle: the bits of a lane's number that are kept, and those that are inverted.
const (
	swizzleKeep   = 31
	swizzleInvert = 10 // first bit
)

// exchange returns the value of the lane at a distance below 32, or one with the same value: lanes of a
// cluster at less than the distance have the same value already.
func (r *waveReduction) exchange(v *mlir.Value, distance int64) *mlir.Value {
	control := int64(-1)
	switch {
	case r.Chipset.Major < 8: // without DPP
	case distance == 1:
		control = swapOne
	case distance == 2:
		control = swapTwo
	case distance == 4 && r.step == 1:
		control = mirrorHalf
	case distance == 8:
		control = rotateRow8
	case distance == 16 && r.Chipset.Major >= 10:
		return r.eachWord(tollvm.Values(v), r.otherRow)
	}
	return r.eachWord(tollvm.Values(v), func(words []*mlir.Value) *mlir.Value {
		w := words[0]
		if control < 0 {
			return r.Emit("rocdl.ds_swizzle", w.Type, tollvm.Values(w, r.I32(swizzleKeep|distance<<swizzleInvert)))
		}
		all, no := r.I32(15), r.Int(r.Context.Integer(1), 0)
		return intrinsic(r.Lowering, "update.dpp", w.Type, w, w, r.I32(control), all, all, no)
	})
}

// otherRow exchanges the values of two rows of 16 lanes.
func (r *waveReduction) otherRow(words []*mlir.Value) *mlir.Value {
	w, no := words[0], r.Int(r.Context.Integer(1), 0)
	return intrinsic(r.Lowering, "permlanex16", w.Type, w, w, r.I32(0x76543210), r.I32(-0x1234568), no, no)
}

// lane returns the value of a lane.
func (r *waveReduction) lane(v, lane *mlir.Value) *mlir.Value {
	return r.eachWord(tollvm.Values(v), func(words []*mlir.Value) *mlir.Value {
		return intrinsic(r.Lowering, "readlane", words[0].Type, words[0], lane)
	})
}

// wholeWave combines the results of 32 lanes each, of which a wave has one or two.
func (r *waveReduction) wholeWave(v *mlir.Value) *mlir.Value {
	first := r.lane(v, r.I32(0))
	if r.Chipset.Major < 10 {
		return r.combine(first, r.lane(v, r.I32(32)))
	}
	lanes := waveLanes(r.Lowering)
	both := r.combine(first, r.lane(v, r.Binary("llvm.sub", lanes, r.I32(32))))
	const equal = 0
	one := r.Emit("llvm.icmp", r.Context.Integer(1), tollvm.Values(lanes, r.I32(32)), tollvm.Named("predicate", r.Context.I64Attr(equal)))
	return r.Emit("llvm.select", r.t, tollvm.Values(one, first, both))
}

// halves combines the halves of a wave of 64 lanes for each of the clusters, whose lanes alternate.
func (r *waveReduction) halves(v *mlir.Value) *mlir.Value {
	var whole, own *mlir.Value
	if r.step > 1 {
		own = r.Binary("llvm.and", lane(r.Lowering), r.I32(r.step-1))
	}
	for i := range r.step {
		sum := r.combine(r.lane(v, r.I32(i)), r.lane(v, r.I32(32+i)))
		if i == 0 {
			whole = sum
			continue
		}
		const equal = 0
		is := r.Emit("llvm.icmp", r.Context.Integer(1), tollvm.Values(own, r.I32(i)), tollvm.Named("predicate", r.Context.I64Attr(equal)))
		whole = r.Emit("llvm.select", r.t, tollvm.Values(is, sum, whole))
	}
	return whole
}
