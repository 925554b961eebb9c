package amdgpu

import (
	"math/bits"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// A group collects the words of a part of a descriptor of the tensor data mover.
// Words are nil as long as all of their bits are 0.
type group struct {
	l     *tollvm.Lowering
	words []*mlir.Value
}

// put sets the bits of the group from a position on, within one word.
func (g *group) put(v *mlir.Value, at int) {
	l := g.l
	if shift := at % 32; shift != 0 {
		v = l.Binary("llvm.shl", v, l.I32(int64(shift)))
	}
	w := &g.words[at/32]
	if *w != nil {
		v = l.Binary("llvm.or", *w, v, tollvm.Named("isDisjoint", l.Context.Unit()))
	}
	*w = v
}

// vector returns the words of the group.
func (g *group) vector() *mlir.Value {
	l := g.l
	v := l.Poison(l.Context.Vector(l.Context.Integer(32), int64(len(g.words))))
	for i, w := range g.words {
		if w == nil {
			w = l.I32(0)
		}
		v = insert(l, v, w, int64(i))
	}
	return v
}

// Fields of a base.
const (
	baseValid      = 0
	baseGather     = 30 // set to gather rows
	baseLong       = 31 // indices of rows have 32 bits
	baseLDS        = 32
	baseGlobal     = 64
	baseGlobalHigh = 96 // the upper 25 bits
	baseType       = 126
	globalHighMask = 1<<25 - 1
	tensorType     = 2
)

// dmaBase converts the addresses between which the tensor data mover copies.
func dmaBase(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if !l.Chipset.AtLeast(gfx1250) {
		return mlir.OpErrorf("make_dma_base is only supported on gfx1250")
	}
	c := l.Context
	i32, i64 := c.Integer(32), c.Integer(64)
	g := group{l, make([]*mlir.Value, 4)}
	g.put(l.I32(1), baseValid)
	if t := o.Result(0).Type; t.Mnemonic == "tdm_gather_base" {
		g.put(l.I32(1), baseGather)
		if t.Params[1].Type.BitWidth() == 32 {
			g.put(l.I32(1), baseLong)
		}
	}
	lds := element(l, one(o, "lds"), o.Named("lds_indices"))
	global := element(l, one(o, "global"), o.Named("global_indices"))
	g.put(l.Emit("llvm.ptrtoint", i32, tollvm.Values(lds)), baseLDS)
	address := l.Emit("llvm.ptrtoint", i64, tollvm.Values(global))
	g.put(resized(l, address, 32), baseGlobal)
	high := resized(l, l.Binary("llvm.lshr", address, l.Int(i64, 32)), 32)
	g.put(l.Binary("llvm.and", high, l.I32(globalHighMask)), baseGlobalHigh)
	g.put(l.I32(tensorType), baseType)
	l.Replace(o, g.vector())
	return nil
}

// Fields of the second part of a descriptor.
const (
	tdmMask         = 0
	tdmDataSize     = 16
	tdmBarrier      = 18
	tdmIterate      = 19
	tdmPad          = 20
	tdmEarlyTimeout = 21
	tdmPadInterval  = 22
	tdmPadAmount    = 25
	tdmBarrierLDS   = 32 // the address in units of 8 bytes, 16 bits
	tdmDim0         = 48
	tdmDim1         = 80
	tdmTile0        = 112
	tdmTile1        = 128 // the number of rows if rows are gathered
	tdmTile2        = 144
	tdmStride0      = 160
	tdmStride1      = 208
)

// Fields of the third part, and of the fourth.
const (
	tdmDim2      = 0
	tdmDim3      = 32  // or the increment of the address in LDS
	tdmStride2   = 64  // or the increment of the global address
	tdmTile3     = 112 // mlir-opt puts dimension 2 there again
	tdmStride3   = 0
	tdmDim4      = 48
	tdmTile4     = 80
	strideMask   = 1<<48 - 1
	barrierMask  = 1<<16 - 1
	barrierShift = 3
)

// A descriptor is the conversion of a make_dma_descriptor or
// make_gather_dma_descriptor.
type descriptor struct {
	l      *tollvm.Lowering
	o      *mlir.Op
	gather bool
}

// dmaDescriptor converts the description of a copy to four vectors.
func dmaDescriptor(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if !l.Chipset.AtLeast(gfx1250) {
		return mlir.OpErrorf("make_dma_descriptor is only supported on gfx1250")
	}
	d := descriptor{l, o, o.Name == "amdgpu.make_gather_dma_descriptor"}
	parts := tollvm.Values(l.Value(one(o, "base")), d.second())
	switch {
	case d.gather:
		parts = append(parts, d.rows(0), d.rows(1))
	case one(o, "lds_increment") == nil && len(o.Attr("global_static_sizes").Int64s()) <= 2:
		v := l.Context.Vector(l.Context.Integer(32), 4)
		parts = append(parts, zero(l, v), zero(l, v))
	default:
		parts = append(parts, d.third(), d.fourth())
	}
	l.Replace(o, l.CastMany(parts, o.Result(0).Type)[0])
	return nil
}

// operand returns an operand in its LLVM type, or nil.
func (d *descriptor) operand(name string) *mlir.Value {
	if v := one(d.o, name); v != nil {
		return d.l.Value(v)
	}
	return nil
}

// size returns element i from the end of a list of constants and operands, whose
// names begin with prefix; it is nil if the list is shorter. Constants have the given width.
func (d *descriptor) size(prefix, what string, i, width int) *mlir.Value {
	list := mixedOf(d.o, prefix+"_static_"+what, prefix+"_dynamic_"+what)
	at := len(list.static) - 1 - i
	if at < 0 {
		return nil
	}
	if v := list.value(at); v != nil {
		return resized(d.l, d.l.Value(v), width)
	}
	return d.l.Int(d.l.Context.Integer(width), list.static[at])
}

// dim sets a size of the tensor, which is in the upper half of a word and the lower half of the next.
func (d *descriptor) dim(g *group, i, at int) {
	v := d.size("global", "sizes", i, 32)
	if v == nil {
		return
	}
	g.put(v, at)
	g.put(d.l.Binary("llvm.lshr", v, d.l.I32(16)), at+16)
}

// tile sets a size of the tile that is copied.
func (d *descriptor) tile(g *group, i, at int) {
	if v := d.size("shared", "sizes", i, 32); v != nil {
		g.put(v, at)
	}
}

// stride sets a stride of 48 bits.
func (d *descriptor) stride(g *group, i, at int) {
	l := d.l
	v := d.size("global", "strides", i+1, 64) // the innermost one is 1
	if v == nil {
		return
	}
	i64 := l.Context.Integer(64)
	v = l.Binary("llvm.and", l.Int(i64, strideMask), v)
	g.put(resized(l, v, 32), at)
	low := 32 - at%32
	g.put(resized(l, l.Binary("llvm.lshr", v, l.Int(i64, int64(low))), 32), at+low)
}

func (d *descriptor) second() *mlir.Value {
	l := d.l
	g := group{l, make([]*mlir.Value, 8)}
	mask := d.operand("workgroup_mask")
	if mask != nil {
		g.put(resized(l, bitcast(l, mask, l.Context.Integer(16)), 32), tdmMask)
	}
	width := one(d.o, "base").Type.Params[0].Type.BitWidth()
	g.put(l.I32(int64(bits.TrailingZeros(uint(width/8)))), tdmDataSize)
	barrier := one(d.o, "atomic_barrier_address")
	pad := d.operand("pad_amount")
	for _, f := range []struct {
		on bool
		at int
	}{{barrier != nil, tdmBarrier}, {one(d.o, "global_increment") != nil, tdmIterate}, {pad != nil, tdmPad}, {mask != nil, tdmEarlyTimeout}} {
		if f.on {
			g.put(l.I32(1), f.at)
		}
	}
	if pad != nil {
		power := l.Emit("llvm.intr.cttz", pad.Type, tollvm.Values(d.operand("pad_interval")), flag(l, "is_zero_poison", false))
		g.put(l.Binary("llvm.sub", power, l.I32(1)), tdmPadInterval)
		g.put(l.Binary("llvm.sub", pad, l.I32(1)), tdmPadAmount)
	}
	if barrier != nil {
		p := l.Emit("llvm.ptrtoint", l.Context.Integer(32), tollvm.Values(element(l, barrier, d.o.Named("atomic_barrier_indices"))))
		g.put(l.Binary("llvm.and", l.Binary("llvm.lshr", p, l.I32(barrierShift)), l.I32(barrierMask)), tdmBarrierLDS)
	}
	d.dim(&g, 0, tdmDim0)
	d.dim(&g, 1, tdmDim1)
	d.tile(&g, 0, tdmTile0)
	d.stride(&g, 0, tdmStride0)
	if d.gather {
		g.put(l.I32(one(d.o, "indices").Type.NumElements()), tdmTile1)
		return g.vector()
	}
	d.tile(&g, 1, tdmTile1)
	d.tile(&g, 2, tdmTile2)
	d.stride(&g, 1, tdmStride1)
	return g.vector()
}

func (d *descriptor) third() *mlir.Value {
	l := d.l
	g := group{l, make([]*mlir.Value, 4)}
	d.dimWord(&g, 2, tdmDim2)
	if v := d.operand("lds_increment"); v != nil {
		g.put(v, tdmDim3)
	} else {
		d.dimWord(&g, 3, tdmDim3)
	}
	if v := d.operand("global_increment"); v != nil {
		v = resized(l, v, 64)
		g.put(resized(l, v, 32), tdmStride2)
		high := resized(l, l.Binary("llvm.lshr", v, l.Int(v.Type, 32)), 32)
		g.put(l.Binary("llvm.and", high, l.I32(barrierMask)), tdmStride2+32)
	} else {
		d.stride(&g, 2, tdmStride2)
	}
	if v := d.operand("iteration_count"); v != nil {
		g.put(l.Binary("llvm.sub", resized(l, v, 32), l.I32(1)), tdmTile3)
	} else {
		d.tile(&g, 3, tdmTile3)
	}
	return g.vector()
}

// dimWord sets a size of the tensor that is a word.
func (d *descriptor) dimWord(g *group, i, at int) {
	if v := d.size("global", "sizes", i, 32); v != nil {
		g.put(v, at)
	}
}

func (d *descriptor) fourth() *mlir.Value {
	g := group{d.l, make([]*mlir.Value, 4)}
	d.stride(&g, 3, tdmStride3)
	d.dim(&g, 4, tdmDim4)
	d.tile(&g, 4, tdmTile4)
	return g.vector()
}

// rows returns a half of the indices of rows: 4 words, of 16-bit indices two in each.
func (d *descriptor) rows(part int) *mlir.Value {
	l := d.l
	v := d.operand("indices")
	width := v.Type.Elem.BitWidth()
	each := 32 / width
	all := make([]int64, v.Type.NumElements())
	for i := range all {
		all[i] = int64(i)
	}
	list := all[min(part*4*each, len(all)):min((part+1)*4*each, len(all))]
	into := l.Poison(l.Context.Vector(l.Context.Integer(32), 4))
	n := int64(0)
	for chunk := range slices.Chunk(list, each) {
		g := group{l, make([]*mlir.Value, 1)}
		for i, index := range chunk {
			g.put(resized(l, extract(l, v, index), 32), i*width)
		}
		into = insert(l, into, g.words[0], n)
		n++
	}
	return into
}

// tensorCopy converts a copy by the tensor data mover.
func tensorCopy(l *tollvm.Lowering, o *mlir.Op, to string) error {
	i32 := l.Context.Integer(32)
	v4, v8 := l.Context.Vector(i32, 4), l.Context.Vector(i32, 8)
	l.EmitVoid(to, l.CastMany(tollvm.Values(o.Operand(0)), v4, v8, v4, v4), number(l, "cachePolicy", 0))
	o.Erase()
	return nil
}
