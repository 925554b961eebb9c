package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// Maximum sizes in bytes of memory intrinsics that are expanded to
// straight-line code.
const (
	maxStraight     = 1024
	maxStraightMove = 256 // all loads precede all stores
)

// memLowering expands the memory intrinsics to loads, stores and loops.
type memLowering struct {
	emitter
	ctx *opt.Context
	f   *ir.Function

	calls []ir.Value

	// intrinsic of the current call
	id       ir.Intrinsic
	dst, src memPointer
	size     ir.Value
	value    ir.Value // memset: the byte or pattern
	volatile bool
	element  uint64 // bytes of an atomically accessed element, otherwise 0
	scope    ir.Metadata
	noAlias  ir.Metadata
	loaded   []ir.Value
}

type memPointer struct {
	ptr   ir.Value
	space uint32
	align uint32 // in bytes
}

// lowerMemIntrinsics expands llvm.memcpy, memmove and memset, including the
// .inline and element-wise atomic forms, and llvm.experimental.memset.pattern.
// Known small sizes become loads and stores of the widest type that alignment
// and address space permit; other sizes become loops.
func lowerMemIntrinsics(ctx *opt.Context, f *ir.Function) bool {
	l := opt.Scratch[memLowering](ctx)
	l.ctx, l.f, l.M, l.F = ctx, f, f.Module(), f
	l.calls = l.calls[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if _, ok := memIntrinsics.Get()[f.CalledIntrinsic(v)]; ok && f.Op(v) == ir.OpCall {
				l.calls = append(l.calls, v)
			}
		}
	}
	for _, v := range l.calls {
		l.lower(v)
	}
	return len(l.calls) > 0
}

type memForm uint8

const (
	memCopy memForm = iota
	memMove
	memSet
	memPattern
)

type memIntrinsic struct {
	form   memForm
	atomic bool
}

// memIntrinsics describes the intrinsics, and whether they access elements
// atomically.
var memIntrinsics = lazy.Value[map[ir.Intrinsic]memIntrinsic]{Make: func() map[ir.Intrinsic]memIntrinsic {
	return map[ir.Intrinsic]memIntrinsic{
		ir.IntrMemcpy: {memCopy, false}, ir.IntrMemcpyInline: {memCopy, false}, ir.IntrMemcpyElementUnorderedAtomic: {memCopy, true},
		ir.IntrMemmove: {memMove, false}, ir.IntrMemmoveElementUnorderedAtomic: {memMove, true},
		ir.IntrMemset: {memSet, false}, ir.IntrMemsetInline: {memSet, false}, ir.IntrMemsetElementUnorderedAtomic: {memSet, true},
		ir.IntrExperimentalMemsetPattern: {memPattern, false},
	}
}}

// pointerArg describes pointer argument i of a call.
func (l *memLowering) pointerArg(call ir.Value, i int) memPointer {
	f, m := l.f, l.M
	p := memPointer{ptr: f.Operand(call, i), align: 1}
	p.space = m.AddrSpace(f.TypeOf(p.ptr))
	if a, ok := m.Attr(m.AttrsAt(f.CallAttrs(call), ir.AttrParams+i), ir.AttrAlign); ok {
		p.align = uint32(min(a.Int, 1<<31))
	}
	return p
}

func (l *memLowering) lower(call ir.Value) {
	f := l.f
	l.id = f.CalledIntrinsic(call)
	form := memIntrinsics.Get()[l.id]
	l.dst, l.src, l.value = l.pointerArg(call, 0), memPointer{}, ir.None
	l.size = f.Operand(call, 2)
	if form.form <= memMove {
		l.src = l.pointerArg(call, 1)
	} else {
		l.value = f.Operand(call, 1)
	}
	flag, _ := l.M.IntValue(f.Operand(call, 3))
	l.volatile, l.element = !form.atomic && flag != 0, 0
	if form.atomic {
		l.element = flag
	}
	l.scope, l.noAlias = f.Attachment(call, ir.MDAliasScope), f.Attachment(call, ir.MDNoAlias)
	l.Before(call)
	l.widenSize()
	switch n, known := l.M.IntValue(l.size); {
	case form.form == memPattern:
		l.pattern(call)
	case known && n <= maxStraight && !(form.form == memMove && n > maxStraightMove):
		l.straight(form.form, 0, n)
	case form.form == memMove && l.mayOverlap():
		l.move(call)
	default:
		l.forward(call)
	}
	f.Erase(call)
}

// widenSize zero-extends the size to the width of the pointers' offsets, which
// are signed.
func (l *memLowering) widenSize() {
	dl := l.M.Layout()
	n := dl.Pointer(l.dst.space).IndexBits
	if l.src.ptr != ir.None {
		n = max(n, dl.Pointer(l.src.space).IndexBits)
	}
	if bits := uint32(l.M.IntBits(l.f.TypeOf(l.size))); bits < n {
		l.size = l.FoldCast(ir.OpZExt, l.size, l.M.IntType(int(n)))
	}
}

// width returns the size in bytes of the next access at an offset with known
// low bits, if left bytes remain.
func (l *memLowering) width(offset, left uint64) uint64 {
	if l.element != 0 {
		return l.element
	}
	w := accessBytes(l.ctx, l.dst.space, analysis.AlignAt(l.dst.align, offset))
	if l.src.ptr != ir.None {
		w = min(w, accessBytes(l.ctx, l.src.space, analysis.AlignAt(l.src.align, offset)))
	}
	for w > left {
		w /= 2
	}
	return w
}

// accessType returns the type of an access of 1, 2, 4, 8 or 16 bytes.
func (l *memLowering) accessType(w uint64) ir.Type {
	if w == 16 && l.element == 0 {
		return l.M.VectorType(ir.I32, 4)
	}
	return l.M.IntType(int(8 * w))
}

// address returns a pointer offset bytes after p.
func (l *memLowering) address(p ir.Value, offset ir.Value) ir.Value {
	if c, ok := l.M.IntValue(offset); ok && c == 0 {
		return p
	}
	return l.PtrAdd(p, offset, ir.InBounds|ir.NUSW)
}

// access finishes a load or store of w bytes.
func (l *memLowering) access(v ir.Value, p memPointer, w uint64, low uint64) ir.Value {
	mi := ir.MemInfo{Align: min(analysis.AlignAt(p.align, low), 1<<31), Volatile: l.volatile}
	if l.element != 0 {
		mi.Ordering, mi.Scope = ir.Unordered, ir.System
		mi.Align = max(mi.Align, uint32(w))
	}
	l.f.SetMemInfo(v, mi)
	if l.scope != 0 {
		l.f.SetAttachment(v, ir.MDAliasScope, l.scope)
	}
	if l.noAlias != 0 {
		l.f.SetAttachment(v, ir.MDNoAlias, l.noAlias)
	}
	return v
}

// load returns w bytes at an offset. low has the offset's low bits, which
// determine the alignment. For memset it returns the value to store.
func (l *memLowering) load(offset ir.Value, w, low uint64) ir.Value {
	if l.src.ptr == ir.None {
		return l.filled(w)
	}
	v := l.Make(ir.OpLoad, l.accessType(w), l.address(l.src.ptr, offset))
	return l.access(v, l.src, w, low)
}

// filled returns a value of w equal bytes.
func (l *memLowering) filled(w uint64) ir.Value {
	if w == 16 && l.element == 0 {
		return l.Splat(l.SplatByte(l.value, 4), 4)
	}
	return l.SplatByte(l.value, w)
}

func (l *memLowering) store(v, offset ir.Value, w, low uint64) {
	s := l.Make(ir.OpStore, ir.Void, v, l.address(l.dst.ptr, offset))
	l.access(s, l.dst, w, low)
}

func (l *memLowering) constant(n uint64) ir.Value { return l.M.NewInt(l.f.TypeOf(l.size), n) }

// straight accesses the bytes of an offset range, excluding its end.
func (l *memLowering) straight(form memForm, from, to uint64) {
	l.loaded = l.loaded[:0]
	if form == memMove {
		for o := from; o < to; {
			w := l.width(o, to-o)
			l.loaded = append(l.loaded, l.load(l.constant(o), w, o))
			o += w
		}
	}
	i := 0
	for o := from; o < to; i++ {
		w := l.width(o, to-o)
		if form == memMove {
			l.store(l.loaded[i], l.constant(o), w, o)
		} else {
			l.store(l.load(l.constant(o), w, o), l.constant(o), w, o)
		}
		o += w
	}
}

// split moves the call and all instructions after it to a new block and returns
// the block. New instructions are inserted at the end of the block before.
func (l *memLowering) split(call ir.Value) ir.Block {
	f := l.f
	before := f.Parent(call)
	rest := f.SplitBlock(call)
	loc := l.Loc
	f.Erase(f.Terminator(before))
	l.AtEnd(before)
	l.Loc = loc
	return rest
}

// newBlock creates a block before another one.
func (l *memLowering) newBlock(before ir.Block, name string) ir.Block {
	b := l.f.NewBlockAfter(l.f.PrevBlock(before))
	l.f.SetName(b.Value(), []byte(name))
	return b
}

// loopWidth returns the bytes per iteration, and the size rounded down to full
// iterations.
func (l *memLowering) loopWidth() (w uint64, rounded ir.Value) {
	if l.element != 0 {
		return l.element, l.size
	}
	w = l.width(0, 16)
	return w, l.FoldBinary(ir.OpAnd, l.size, l.M.NewSigned(l.f.TypeOf(l.size), -int64(w)))
}

// forward copies or fills with a loop.
func (l *memLowering) forward(call ir.Value) {
	rest := l.split(call)
	w, rounded := l.loopWidth()
	l.copyUp(rest, l.constant(0), rounded, w)
	if n, known := l.M.IntValue(l.size); known {
		l.straight(memCopy, n&^(w-1), n)
	} else if w > 1 && l.element == 0 {
		l.copyUp(rest, rounded, l.size, 1)
	}
	l.Br(rest)
}

// copyUp emits a loop over ascending offsets in an offset range, excluding its
// end, with step w, and continues after it.
func (l *memLowering) copyUp(rest ir.Block, from, to ir.Value, w uint64) {
	l.rounds(rest, from, to, func(i ir.Value) ir.Value {
		l.store(l.load(i, w, w), i, w, w)
		return l.FoldBinary(ir.OpAdd, i, l.constant(w))
	})
}

// copyDown is copyUp with descending offsets.
func (l *memLowering) copyDown(rest ir.Block, from, to ir.Value, w uint64) {
	l.rounds(rest, to, from, func(i ir.Value) ir.Value {
		i = l.FoldBinary(ir.OpSub, i, l.constant(w))
		l.store(l.load(i, w, w), i, w, w)
		return i
	})
}

// rounds emits a loop from one value to another, which body advances; no
// iteration is executed if they are equal.
func (l *memLowering) rounds(rest ir.Block, from, to ir.Value, body func(i ir.Value) ir.Value) {
	if from == to {
		return
	}
	before := l.Block()
	loop, after := l.newBlock(rest, "mem.loop"), l.newBlock(rest, "mem.done")
	if from.IsConst() && to.IsConst() {
		l.Br(loop)
	} else {
		l.CondBr(l.Compare(ir.ICmpNE, from, to), loop, after)
	}
	l.AtEnd(loop)
	i := l.Phi(l.f.TypeOf(l.size))
	next := body(i)
	l.f.AddIncoming(i, from, before)
	l.f.AddIncoming(i, next, loop)
	l.CondBr(l.Compare(ir.ICmpNE, next, to), loop, after)
	l.AtEnd(after)
}

// mayOverlap reports whether source and destination may overlap: pointers to
// different address spaces do not.
func (l *memLowering) mayOverlap() bool {
	a, b := l.dst.space, l.src.space
	global := func(as uint32) bool {
		return as == addrspace.Global || as == addrspace.Constant || as == addrspace.Flat || as > 5
	}
	return a == b || a == addrspace.Flat || b == addrspace.Flat || global(a) && global(b)
}

// move copies from the start or from the end, depending on the order of source
// and destination.
func (l *memLowering) move(call ir.Value) {
	rest := l.split(call)
	src, dst := l.src.ptr, l.dst.ptr
	if l.src.space != l.dst.space {
		src, dst = l.FoldCast(ir.OpAddrSpaceCast, src, ir.Ptr), l.FoldCast(ir.OpAddrSpaceCast, dst, ir.Ptr)
	}
	w, rounded := l.loopWidth()
	up, down := l.newBlock(rest, "move.up"), l.newBlock(rest, "move.down")
	l.CondBr(l.Compare(ir.ICmpULT, src, dst), down, up)
	l.AtEnd(down)
	if l.element == 0 && w > 1 {
		l.copyDown(rest, rounded, l.size, 1)
	}
	l.copyDown(rest, l.constant(0), rounded, w)
	l.Br(rest)
	l.AtEnd(up)
	l.copyUp(rest, l.constant(0), rounded, w)
	if l.element == 0 && w > 1 {
		l.copyUp(rest, rounded, l.size, 1)
	}
	l.Br(rest)
}

// pattern stores a value repeatedly at consecutive addresses.
func (l *memLowering) pattern(call ir.Value) {
	f, m := l.f, l.M
	t := f.TypeOf(l.value)
	step := m.AllocSize(t)
	low := step & -step
	storeOne := func(i ir.Value) {
		p := l.GEP(t, ir.InBounds|ir.NUSW, l.dst.ptr, i)
		v := l.Make(ir.OpStore, ir.Void, l.value, p)
		l.access(v, l.dst, step, low)
	}
	if n, known := m.IntValue(l.size); known && n <= maxStraight && n*step <= maxStraight {
		for i := range n {
			storeOne(l.constant(i))
		}
		return
	}
	rest := l.split(call)
	l.rounds(rest, l.constant(0), l.size, func(i ir.Value) ir.Value {
		storeOne(i)
		return l.FoldBinary(ir.OpAdd, i, l.constant(1))
	})
	l.Br(rest)
}
