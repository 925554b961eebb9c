package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// maskedExpander expands masked memory intrinsics to accesses of single
// elements, with branches around them.
type maskedExpander struct {
	emitter
	f *ir.Function
}

// maskedForm describes a masked intrinsic.
type maskedForm struct {
	load   bool
	spread bool // each element has a separate address
	dense  bool // selected elements are consecutive in memory
}

var maskedIntrinsics = lazy.Value[map[ir.Intrinsic]maskedForm]{Make: func() map[ir.Intrinsic]maskedForm {
	return map[ir.Intrinsic]maskedForm{
		ir.IntrMaskedLoad: {load: true}, ir.IntrMaskedStore: {},
		ir.IntrMaskedGather: {load: true, spread: true}, ir.IntrMaskedScatter: {spread: true},
		ir.IntrMaskedExpandload: {load: true, dense: true}, ir.IntrMaskedCompressstore: {dense: true},
	}
}}

// scalarizeMasked expands the masked loads and stores of a function.
func scalarizeMasked(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[maskedExpander](ctx)
	x.f, x.F, x.M = f, f, f.Module()
	var list []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			id := f.CalledIntrinsic(v)
			if _, ok := maskedIntrinsics.Get()[id]; ok || id == ir.IntrExperimentalVectorCompress {
				list = append(list, v)
			}
		}
	}
	for _, v := range list {
		if f.CalledIntrinsic(v) == ir.IntrExperimentalVectorCompress {
			x.compress(v)
		} else {
			x.expand(v)
		}
	}
	return len(list) > 0
}

// sizeOf returns the distance in bytes between the elements of a vector. Elements
// that do not consist of whole bytes are accessed as in an array, as in LLVM, unless
// a constant mask selects all of them.
func (x *maskedExpander) sizeOf(elem ir.Type) uint64 {
	if bits := x.M.SizeInBits(elem); bits%8 == 0 {
		return bits / 8 // vector elements have no padding
	}
	return x.M.AllocSize(elem)
}

// compress expands llvm.experimental.vector.compress through memory: each element
// is stored after the selected ones, or past the end if it is not selected.
func (x *maskedExpander) compress(v ir.Value) {
	f, m := x.f, x.M
	from, mask, rest := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	t := f.TypeOf(v)
	elem, n := m.Scalar(t), m.NumElements(t)
	b := ir.NewBuilder(f, f.Entry())
	b.Before(f.FirstNonPhi(f.Entry()))
	array := b.Alloca(m.ArrayType(elem, n+1), 0)
	x.Before(v)
	place := func(at ir.Value) ir.Value { return x.GEP(elem, 0, array, at) }
	if rest != m.Poison(t) && rest != m.Undef(t) {
		for i := range n {
			at := m.NewInt(ir.I32, i)
			x.Store(x.elementOf(rest, at), place(at), 0)
		}
	}
	next := m.NewInt(ir.I32, 0)
	for i := range n {
		at := m.NewInt(ir.I32, i)
		bit := x.elementOf(mask, at)
		x.Store(x.elementOf(from, at), place(x.Choose(bit, next, m.NewInt(ir.I32, n))), 0)
		next = x.Op(ir.OpAdd, next, x.FoldCast(ir.OpZExt, bit, ir.I32))
	}
	sum := m.Poison(t)
	for i := range n {
		at := m.NewInt(ir.I32, i)
		sum = x.InsertElement(sum, x.Load(elem, place(at), 0), at)
	}
	x.replace(v, sum)
	f.Erase(v)
}

// maskedCall is the current call.
type maskedCall struct {
	maskedForm
	v, value, ptr, mask ir.Value // value: the stored value, or the value of elements not loaded
	t, elem             ir.Type
	align               uint32
	sum                 ir.Value // result of a load so far
}

func (x *maskedExpander) expand(v ir.Value) {
	f, m := x.f, x.M
	c := maskedCall{maskedForm: maskedIntrinsics.Get()[f.CalledIntrinsic(v)], v: v}
	at := 0
	if c.load {
		c.ptr, c.mask, c.value = f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
	} else {
		c.value, c.ptr, c.mask = f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
		at = 1
	}
	c.t = f.TypeOf(c.value)
	c.elem = m.Scalar(c.t)
	c.align = 1
	if a, ok := m.Attr(m.AttrsAt(f.CallAttrs(v), ir.AttrParams+at), ir.AttrAlign); ok {
		c.align = uint32(min(a.Int, 1<<31))
	}
	c.sum = c.value
	x.Before(v)
	if !c.spread && (!c.dense || x.allOnes(c.mask)) && x.sameAll(&c) {
		f.Erase(v)
		return
	}
	for i := range m.NumElements(c.t) {
		x.element(&c, i)
	}
	if c.load {
		x.replace(v, c.sum)
	}
	f.Erase(v)
}

// allOnes reports whether a mask selects all elements.
func (x *maskedExpander) allOnes(mask ir.Value) bool {
	bit, ok := x.M.IntValue(x.splatOf(mask))
	return ok && bit == 1
}

// splatOf returns the common value of a constant vector's elements, or None if
// they differ.
func (x *maskedExpander) splatOf(v ir.Value) ir.Value {
	if !v.IsConst() {
		return ir.None
	}
	return x.M.SplatValue(v)
}

// sameAll accesses the whole vector, or nothing, if all elements of a constant
// mask are equal.
func (x *maskedExpander) sameAll(c *maskedCall) bool {
	bit, ok := x.M.IntValue(x.splatOf(c.mask))
	switch {
	case !ok:
		return false
	case bit == 0 && c.load:
		x.replace(c.v, c.value)
	case bit == 0:
	case c.load:
		x.replace(c.v, x.Load(c.t, c.ptr, c.align))
	default:
		x.Store(c.value, c.ptr, c.align)
	}
	return true
}

// element accesses one element if the mask selects it.
func (x *maskedExpander) element(c *maskedCall, i uint64) {
	f, m := x.f, x.M
	at := m.NewInt(ir.I32, i)
	bit := x.elementOf(c.mask, at)
	known, ok := m.IntValue(bit)
	if ok && known == 0 {
		return
	}
	if ok {
		x.accessElement(c, i, at)
		return
	}
	head := f.Parent(c.v)
	tail := f.SplitBlock(c.v)
	then := f.NewBlockAfter(head)
	f.Erase(f.Terminator(head))
	x.AtEnd(head)
	x.CondBr(bit, then, tail)
	x.AtEnd(then)
	before, ptr := c.sum, c.ptr
	x.accessElement(c, i, at)
	x.Br(tail)
	x.Before(c.v)
	c.sum = x.join(before, c.sum, head, then)
	c.ptr = x.join(ptr, c.ptr, head, then)
}

// join emits a phi of the values from two blocks.
func (x *maskedExpander) join(a, b ir.Value, from, then ir.Block) ir.Value {
	if a == b {
		return a
	}
	p := x.f.NewInstr(ir.OpPhi, x.f.TypeOf(a))
	x.f.Prepend(x.Block(), p)
	x.f.AddIncoming(p, a, from)
	x.f.AddIncoming(p, b, then)
	return p
}

// elementOf extracts an element of a vector.
func (x *maskedExpander) elementOf(v, at ir.Value) ir.Value {
	if v.IsConst() {
		return x.M.ExtractElementConst(v, at)
	}
	return x.ExtractElement(v, at)
}

// accessElement loads or stores element i.
func (x *maskedExpander) accessElement(c *maskedCall, i uint64, at ir.Value) {
	size := x.sizeOf(c.elem)
	p, align := c.ptr, c.align
	switch {
	case c.spread:
		p = x.elementOf(c.ptr, at)
	case c.dense:
		align = analysis.AlignAt(align, size)
		c.ptr = x.offsetPtr(c.ptr, size)
	default:
		p, align = x.offsetPtr(p, i*size), analysis.AlignAt(align, i*size)
	}
	if c.load {
		c.sum = x.InsertElement(c.sum, x.Load(c.elem, p, align), at)
	} else {
		x.Store(x.elementOf(c.value, at), p, align)
	}
}
