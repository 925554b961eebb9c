package prepare

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/simplify"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// memVectorizer merges accesses of adjacent memory into one access.
type memVectorizer struct {
	memSplitter // splits and assembles values
	alias       *analysis.Alias
	gfx12       bool
	noClobber   ir.MDKind

	refs    []memRef
	effects []memEffect // instructions of the current block that may read or write memory, in order
	bundle  []memRef

	graph   analysis.Graph
	tree    analysis.DomTree
	cycles  analysis.Loops
	uni     *analysis.Uniformity
	hasUni  bool
	same    []bool // by value: created after the analysis, and uniform
	changed bool
}

// memRef is a load or store that may become part of a merged access.
type memRef struct {
	v ir.Value
	// base is the pointer that the offset is relative to, or a null pointer for
	// constant addresses. It only identifies the group: a base that is itself a
	// merged load no longer exists, so baseOf computes it again before it
	// becomes an operand.
	base   ir.Value
	offset int64
	size   uint64
	order  int32 // position in the block
	space  uint32
	key    uint8 // accesses with different keys cannot be merged
}

func (r *memRef) end() int64 { return r.offset + int64(r.size) }

type memEffect struct {
	v     ir.Value // None after merging
	order int32
}

// mdNoClobber marks loads whose memory is not written between the kernel's
// start and the load.
const mdNoClobber = "amdgpu.noclobber"

// maxVectorized is the size in bytes of the largest access, a scalar load.
const maxVectorized = 64

// vectorizeMemory merges loads or stores of adjacent addresses in a block
// (LLVM's load-store-vectorizer), up to the sizes that the processor supports,
// or 16 dwords for scalar loads. A merged load is at the first of the loads, a
// merged store at the last of the stores. The pass should run after
// separate-const-offset-from-gep and early-cse, which express adjacent
// addresses as one pointer plus constants.
func vectorizeMemory(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[memVectorizer](ctx)
	x.f, x.M, x.F, x.Fold = f, f.Module(), f, simplify.Fold
	x.rules, x.gfx12 = memRulesOf(ctx, x.M), isGPU(ctx, target.GFX12)
	clear(x.same[:cap(x.same)])
	x.noClobber = x.M.MDKind(mdNoClobber)
	x.hasUni, x.changed, x.same = false, false, x.same[:0]
	if x.alias == nil {
		x.alias = analysis.NewAlias(f)
	} else {
		x.alias.Reset(f)
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for _, op := range [...]ir.Op{ir.OpLoad, ir.OpStore} {
			x.collect(b, op)
			if len(x.refs) > 1 {
				x.findUniform(ctx)
				x.groups(op)
			}
		}
	}
	return x.changed
}

// findUniform runs the uniformity analysis once.
func (x *memVectorizer) findUniform(ctx *opt.Context) {
	if x.hasUni {
		return
	}
	x.hasUni = true
	wave := 64
	if ctx.Target != nil {
		wave = ctx.Target.WaveSize()
	}
	x.graph.ResetCFG(x.f)
	x.tree.Reset(&x.graph)
	x.cycles.ResetCycles(&x.graph)
	if x.uni == nil {
		x.uni = analysis.NewUniformity(x.f, &x.tree, &x.cycles, wave)
	} else {
		x.uni.Reset(x.f, &x.tree, &x.cycles, wave)
	}
}

// collect finds the loads or stores of a block that may be merged, and all
// other memory accesses.
func (x *memVectorizer) collect(b ir.Block, op ir.Op) {
	f := x.f
	x.refs, x.effects = x.refs[:0], x.effects[:0]
	order := int32(0)
	for v := f.First(b); v != ir.None; v = f.Next(v) {
		order++
		switch o := f.Op(v); {
		case o == op && f.IsSimple(v):
			x.addRef(v, order)
			if op == ir.OpStore {
				x.effects = append(x.effects, memEffect{v, order})
			}
		case o == ir.OpLoad && op == ir.OpLoad && analysis.IsUnordered(f, v):
		case o == ir.OpLoad || o.IsCall() || analysis.MayWrite(f, v):
			if o.IsCall() && isHarmless(f, v) {
				continue
			}
			x.effects = append(x.effects, memEffect{v, order})
		}
	}
}

// isHarmless reports whether a call does not access memory and always returns.
func isHarmless(f *ir.Function, v ir.Value) bool {
	return !analysis.AccessesMemory(f, v) && analysis.CallHas(f, v, ir.AttrWillReturn) && !analysis.MayThrow(f, v)
}

// addRef records a load or store.
func (x *memVectorizer) addRef(v ir.Value, order int32) {
	f, m := x.f, x.M
	t := x.typeOf(v)
	elem := m.Scalar(t)
	bits := m.SizeInBits(elem)
	if m.IsAggregate(t) || m.Kind(elem) == ir.KindTarget || bits != 8 && bits != 16 && bits != 32 && bits != 64 || m.HasPadding(t) {
		return
	}
	r := memRef{v: v, size: m.StoreSize(t), order: order, space: x.space}
	if r.size >= maxVectorized || m.IsVector(t) && r.size%4 != 0 {
		return
	}
	r.base, r.offset = x.baseOf(v, r.space)
	if f.Attachment(v, ir.MDNonTemporal) != 0 {
		r.key |= 1
	}
	if f.Attachment(v, ir.MDInvariantLoad) != 0 {
		r.key |= 2
	}
	if f.Attachment(v, x.noClobber) != 0 {
		r.key |= 4
	}
	x.refs = append(x.refs, r)
}

// baseOf returns the base of an access and its offset from the base in bytes;
// the base of a constant LDS address is null.
func (x *memVectorizer) baseOf(v ir.Value, space uint32) (ir.Value, int64) {
	m := x.M
	base, offset := analysis.ConstantOffset(x.f, analysis.AccessPointer(x.f, v), false)
	if !base.IsConst() || m.ConstKindOf(base) != ir.ConstExpr || m.Const(base).Op != ir.OpIntToPtr || space != addrspace.Local {
		return base, offset
	}
	if n, ok := m.IntValue(m.ConstOperands(base)[0]); ok {
		return m.Zero(m.TypeOfConst(base)), offset + int64(n)
	}
	return base, offset
}

// groups searches x.refs for adjacent accesses.
func (x *memVectorizer) groups(op ir.Op) {
	slices.SortFunc(x.refs, func(a, b memRef) int {
		return cmp.Or(cmp.Compare(a.base, b.base), cmp.Compare(a.key, b.key), cmp.Compare(a.offset, b.offset), cmp.Compare(a.order, b.order))
	})
	for i := 0; i < len(x.refs); {
		if x.refs[i].v == ir.None {
			i++
			continue
		}
		x.findBundle(i)
		if !x.shrink(op) {
			i++
		}
	}
}

// findBundle fills x.bundle with consecutive accesses starting at number i, for
// each address the earliest one.
func (x *memVectorizer) findBundle(i int) {
	first := &x.refs[i]
	x.bundle = append(x.bundle[:0], *first)
	end := first.end()
	for j := i + 1; j < len(x.refs); j++ {
		r := &x.refs[j]
		if r.base != first.base || r.key != first.key || r.offset > end || r.end()-first.offset > maxVectorized {
			break
		}
		if r.v != ir.None && r.offset == end {
			x.bundle = append(x.bundle, *r)
			end = r.end()
		}
	}
}

// shrink removes accesses from the end of x.bundle until the rest can be
// merged, and merges them.
func (x *memVectorizer) shrink(op ir.Op) bool {
	for x.bundle = x.bundle[:min(len(x.bundle), maxBundle)]; len(x.bundle) > 1; x.bundle = x.bundle[:len(x.bundle)-1] {
		if !x.fits() || !x.canMove(op) {
			continue
		}
		x.changed = true
		if op == ir.OpLoad {
			x.mergeLoads()
		} else {
			x.mergeStores()
		}
		x.drop()
		return true
	}
	return false
}

// maxBundle is the maximum number of single-byte accesses that one access
// replaces: s_load_dwordx16.
const maxBundle = 64

// drop removes the merged accesses from x.refs.
func (x *memVectorizer) drop() {
	for i := range x.refs {
		for j := range x.bundle {
			if x.refs[i].v == x.bundle[j].v {
				x.refs[i].v = ir.None
			}
		}
	}
}

// bytes returns the size of the bundle.
func (x *memVectorizer) bytes() uint64 {
	return uint64(x.bundle[len(x.bundle)-1].end() - x.bundle[0].offset)
}

// bundleAlign returns the alignment of the first address that follows from all
// accesses.
func (x *memVectorizer) bundleAlign() uint64 {
	align := uint64(1)
	if first := &x.bundle[0]; first.base.IsConst() && first.space == addrspace.Local && x.M.IsZero(first.base) {
		align = uint64(analysis.AlignAt(16, uint64(first.offset)))
	}
	for i := range x.bundle {
		r := &x.bundle[i]
		align = max(align, uint64(analysis.AlignAt(x.f.Align(r.v), uint64(r.offset-x.bundle[0].offset))))
	}
	return align
}

// fits reports whether the processor supports the bundle as one access that is
// better than several.
func (x *memVectorizer) fits() bool {
	n, align, space := x.bytes(), x.bundleAlign(), x.bundle[0].space
	if n%4 != 0 {
		return false
	}
	for i := range x.bundle {
		r := &x.bundle[i]
		if r.size < 4 && align < 4 && (space == addrspace.Local || space == addrspace.Private) || !x.inDwords(r) {
			return false // parts of two dwords, or of one that may span two banks
		}
	}
	if x.isScalar() && (align >= 4 || !x.gfx12 || x.baseInDwords()) {
		return align >= 4 && (n == 4 || n == 8 || n == 16 || n == 32 || n == 64 || n == 12 && x.gfx12)
	}
	return n <= 16 && x.rules.widest(space, n, align, 4) == n
}

// inDwords reports whether an access of the bundle covers whole dwords of it,
// or a part of one.
func (x *memVectorizer) inDwords(r *memRef) bool {
	at := uint64(r.offset-x.bundle[0].offset) % 4
	return at+min(r.size, 4) <= 4
}

// baseInDwords reports whether the base of the bundle is a multiple of four, so
// that scalar loads of dwords can replace loads of parts of them. Other uniform
// bytes are loaded by vector instructions. From gfx12 on these have 12 bytes,
// more than the instructions that extract a byte.
func (x *memVectorizer) baseInDwords() bool {
	base, _ := x.baseOf(x.bundle[0].v, x.bundle[0].space)
	return analysis.PointerAlign(x.f, base) >= 4
}

// isScalar reports whether the loads of the bundle can be scalar loads: the
// address is uniform, and the memory is not written in the meantime.
func (x *memVectorizer) isScalar() bool {
	f := x.f
	for i := range x.bundle {
		r := &x.bundle[i]
		if f.Op(r.v) != ir.OpLoad || r.space != addrspace.Constant && (r.space != addrspace.Global || r.key&6 == 0) ||
			x.divergent(analysis.AccessPointer(f, r.v)) {
			return false
		}
	}
	return true
}

// divergent reports whether a value may differ between lanes.
func (x *memVectorizer) divergent(v ir.Value) bool {
	return x.uni.Divergent(v) && !(v.IsLocal() && int(v) < len(x.same) && x.same[v])
}

// keepUniform records that a replacement is uniform if the old value is.
func (x *memVectorizer) keepUniform(n, old ir.Value) {
	if !n.IsLocal() || x.divergent(old) {
		return
	}
	for int(n) >= len(x.same) {
		x.same = append(x.same, make([]bool, int(n)+1-len(x.same))...)
	}
	x.same[n] = true
}

// canMove reports whether the loads of the bundle can move to the first of
// them, or the stores to the last.
func (x *memVectorizer) canMove(op ir.Op) bool {
	lo, hi := x.bundle[0].order, x.bundle[0].order
	for i := range x.bundle {
		lo, hi = min(lo, x.bundle[i].order), max(hi, x.bundle[i].order)
	}
	from, _ := slices.BinarySearchFunc(x.effects, lo, func(e memEffect, order int32) int { return cmp.Compare(e.order, order) })
	for _, e := range x.effects[from:] {
		if e.order >= hi {
			break
		}
		if e.v == ir.None || x.isMember(e.v) {
			continue
		}
		if x.f.Op(e.v).IsCall() && !analysis.CallHas(x.f, e.v, ir.AttrWillReturn) {
			return false
		}
		for i := range x.bundle {
			r := &x.bundle[i]
			if passes := op == ir.OpLoad && r.order > e.order || op == ir.OpStore && r.order < e.order; passes && x.conflict(op, r, e.v) {
				return false
			}
		}
	}
	return true
}

func (x *memVectorizer) isMember(v ir.Value) bool {
	for i := range x.bundle {
		if x.bundle[i].v == v {
			return true
		}
	}
	return false
}

// conflict reports whether an access must not pass an instruction.
func (x *memVectorizer) conflict(op ir.Op, r *memRef, v ir.Value) bool {
	if op == ir.OpLoad && (r.key&2 != 0 || r.space == addrspace.Constant) {
		return false
	}
	at, _ := x.alias.LocationOf(r.v)
	effect := x.alias.ModRef(v, at)
	if op == ir.OpLoad {
		return effect&analysis.Mod != 0
	}
	return effect != analysis.NoModRef
}

// begin prepares for an access of the bundle's memory before an instruction.
func (x *memVectorizer) begin(before ir.Value) {
	f, m := x.f, x.M
	first := &x.bundle[0]
	x.v, x.space, x.align = before, first.space, x.bundleAlign()
	x.Before(before)
	t := f.TypeOf(analysis.AccessPointer(f, before))
	index := m.IntType(int(m.Layout().Pointer(first.space).IndexBits))
	base, offset := x.baseOf(first.v, first.space)
	switch {
	case base.IsConst() && m.IsZero(base) && first.space == addrspace.Local:
		x.ptr = m.Cast(ir.OpIntToPtr, m.NewInt(ir.I32, uint64(uint32(offset))), t)
	case offset == 0:
		x.ptr = base
	default:
		if x.ptr = x.pointerAt(before); x.ptr == ir.None {
			x.ptr = x.PtrAdd(base, m.NewSigned(index, offset), 0)
		}
	}
}

// pointerAt returns the first access's pointer to the start of the bundle, or
// None if it is not available before an instruction.
func (x *memVectorizer) pointerAt(before ir.Value) ir.Value {
	f := x.f
	p := analysis.AccessPointer(f, x.bundle[0].v)
	if !p.IsLocal() || f.Parent(p) != f.Parent(before) {
		return p // values used but not defined in the block are available at its start
	}
	for v := before; v != ir.None; v = f.Prev(v) {
		if v == p {
			return p
		}
	}
	return ir.None
}

// elementType returns the element type of the merged access.
func (x *memVectorizer) elementType() ir.Type {
	m := x.M
	elem, all64 := m.Scalar(x.typeOf(x.bundle[0].v)), true
	for i := range x.bundle {
		e := m.Scalar(x.typeOf(x.bundle[i].v))
		all64 = all64 && m.SizeInBits(e) == 64
		if e != elem {
			elem = ir.NoType
		}
	}
	switch {
	case elem != ir.NoType && m.SizeInBits(elem) >= 32:
		return elem
	case all64:
		return ir.I64
	}
	return ir.I32
}

// wholeType returns the type of the merged access.
func (x *memVectorizer) wholeType(elem ir.Type) ir.Type {
	n := x.bytes() / x.M.StoreSize(elem)
	if n == 1 {
		return elem
	}
	return x.M.VectorType(elem, n)
}

// extreme returns the first or last member of the bundle in block order.
func (x *memVectorizer) extreme(last bool) ir.Value {
	at := &x.bundle[0]
	for i := range x.bundle {
		if r := &x.bundle[i]; (r.order > at.order) == last && r.order != at.order {
			at = r
		}
	}
	return at.v
}

// share sets the metadata that all members have in common on the merged access.
func (x *memVectorizer) share(n ir.Value) {
	f := x.f
	for _, k := range [...]ir.MDKind{ir.MDInvariantLoad, ir.MDNonTemporal, ir.MDAliasScope, ir.MDNoAlias, ir.MDAccessGroup, ir.MDTBAA,
		ir.MDParallelLoopAccess, ir.MDNoAliasAddrSpace, x.noClobber} {
		md := f.Attachment(x.bundle[0].v, k)
		for i := range x.bundle {
			if f.Attachment(x.bundle[i].v, k) != md {
				md = 0
			}
		}
		if md != 0 {
			f.SetAttachment(n, k, md)
		}
	}
}

// mergeLoads merges the loads of the bundle.
func (x *memVectorizer) mergeLoads() {
	f, m := x.f, x.M
	x.begin(x.extreme(false))
	elem := x.elementType()
	whole := x.Load(x.wholeType(elem), x.ptr, uint32(x.align))
	x.share(whole)
	size := m.StoreSize(elem)
	at := uint64(0)
	for i := range x.bundle {
		v := x.bundle[i].v
		t := x.typeOf(v)
		part := x.partOf(whole, elem, size, t, at, x.bundle[i].size)
		at += x.bundle[i].size
		x.forward(v, part)
		x.keepUniform(part, v)
		if f.HasName(v) && part.IsLocal() && !f.HasName(part) {
			f.SetName(part, f.NameOf(v))
		}
		f.ReplaceUses(v, part)
	}
	for i := range x.bundle {
		f.Erase(x.bundle[i].v)
	}
}

// partOf extracts a value of type t at a byte offset from the loaded value.
func (x *memVectorizer) partOf(whole ir.Value, elem ir.Type, size uint64, t ir.Type, at, bytes uint64) ir.Value {
	m := x.M
	take := func(i uint64) ir.Value {
		if !m.IsVector(x.f.TypeOf(whole)) {
			return whole
		}
		return x.elementOf(whole, i)
	}
	x.elems = x.elems[:0]
	if n := x.bytes(); size == 4 && m.SizeInBits(m.Scalar(t)) == 64 && at%8 == 0 && n%8 == 0 && n > 8 {
		// the same registers as pairs
		whole, size = x.Cast(ir.OpBitCast, whole, m.VectorType(ir.I64, n/8), 0), 8
	}
	if m.SizeInBits(m.Scalar(t))/8 != size {
		x.words = x.words[:0]
		for i := at / 4; i < (at+bytes+3)/4; i++ {
			x.words = append(x.words, take(i))
		}
		if at%4 != 0 || bytes < 4 {
			return x.scalarAt(t, 8*(at%4))
		}
		return x.fromWords(t)
	}
	if !m.IsVector(t) {
		return x.Reinterpret(take(at/size), t)
	}
	for i := range m.NumElements(t) {
		x.elems = append(x.elems, x.Reinterpret(take(at/size+i), m.Scalar(t)))
	}
	return x.vectorOf(t, x.elems)
}

// mergeStores merges the stores of the bundle.
func (x *memVectorizer) mergeStores() {
	f, m := x.f, x.M
	last := x.extreme(true)
	x.begin(last)
	elem := x.elementType()
	x.words = x.words[:0]
	bit := uint64(0)
	for i := range x.bundle {
		v := f.Operand(x.bundle[i].v, 0)
		t := f.TypeOf(v)
		n := uint64(1)
		if m.IsVector(t) {
			n = m.NumElements(t)
		}
		for k := range n {
			e := v
			if m.IsVector(t) {
				e = x.elementOf(v, k)
			}
			if bits := m.SizeInBits(m.Scalar(t)); bits/8 == m.StoreSize(elem) {
				x.words = append(x.words, x.Reinterpret(e, elem))
			} else {
				x.putScalar(e, bit)
				bit += bits
				continue
			}
			bit += m.SizeInBits(m.Scalar(t))
		}
	}
	whole := x.words[0]
	if t := x.wholeType(elem); m.IsVector(t) {
		whole = x.vectorOf(t, x.words)
	}
	n := x.Store(whole, x.ptr, uint32(x.align))
	x.share(n)
	for i := range x.effects {
		if e := &x.effects[i]; e.v == last {
			e.v = n
		} else if x.isMember(e.v) {
			e.v = ir.None
		}
	}
	for i := range x.bundle {
		f.Erase(x.bundle[i].v)
	}
}
