package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// fatPiece is a part of an access that one instruction performs.
type fatPiece struct{ at, bytes uint64 }

// fatPieces splits an access of some bytes into the largest ones with natural
// alignment.
func (x *fatPointers) fatPieces(bytes uint64, align uint32) (list []fatPiece) {
	has12 := isGPU(x.ctx, target.GFX7)
	for at := uint64(0); at < bytes; {
		for _, w := range [...]uint64{16, 12, 8, 4, 2, 1} {
			if w <= bytes-at && uint64(analysis.AlignAt(align, at)) >= min(w, 4) && (w != 12 || has12) {
				list = append(list, fatPiece{at, w})
				at += w
				break
			}
		}
	}
	return list
}

// typeOf returns the type of a piece.
func (x *fatPointers) typeOf(bytes uint64) ir.Type {
	if bytes > 4 {
		return x.M.VectorType(ir.I32, bytes/4)
	}
	return x.M.IntType(int(8 * bytes))
}

// offsetBy returns the offset of a part of an access.
func (x *fatPointers) offsetBy(p fatParts, by uint64) ir.Value {
	return x.Op(ir.OpAdd, p.offset, x.M.NewInt(ir.I32, by))
}

func fatLoad(x *fatPointers, v ir.Value) bool {
	f, m := x.f, x.M
	from, t := f.Operand(v, 0), f.TypeOf(v)
	switch {
	case !isFat(m, f.TypeOf(from)): // of a pointer to a buffer
		offset := x.accessLike(x.Make(ir.OpLoad, ir.I32, from), v, 0)
		return x.setParts(v, x.accessLike(x.Make(ir.OpLoad, m.PtrType(addrspace.Resource), x.offsetPtr(from, 4)), v, 4), offset)
	case m.IsAggregate(t):
		return false
	case isFat(m, t):
		resource, offset := x.fromInt(x.loadParts(v, x.AddressInt(t)))
		return x.setParts(v, resource, offset)
	}
	return x.replace(v, x.loadParts(v, t))
}

// loadParts loads a value of type t in pieces.
func (x *fatPointers) loadParts(v ir.Value, t ir.Type) ir.Value {
	f, m := x.f, x.M
	p := x.split(f.Operand(v, 0))
	mi := f.MemInfo(v)
	x.fenceBefore(mi)
	id := ir.Intrinsic(ir.IntrAMDGCNRawPtrBufferLoad)
	if mi.Volatile || mi.Ordering > ir.Unordered {
		id = ir.IntrAMDGCNRawPtrAtomicBufferLoad
	}
	bytes := m.StoreSize(t)
	list := x.fatPieces(bytes, mi.Align)
	var parts []ir.Value
	for _, c := range list {
		parts = append(parts, x.Call(m.DeclareIntrinsic(id, x.typeOf(c.bytes)), p.resource, x.offsetBy(p, c.at), m.Zero(ir.I32), x.policy(v, ir.OpLoad)))
	}
	x.fenceAfter(mi)
	if m.SizeInBits(t) == 8*bytes && inDwords(list) {
		return x.Reinterpret(x.joinDwords(list, parts), t)
	}
	whole := m.IntType(int(8 * bytes))
	sum := m.Zero(whole)
	for i, c := range list {
		sum = x.Op(ir.OpOr, sum, x.PlaceInt(x.Reinterpret(parts[i], m.IntType(int(8*c.bytes))), whole, c.at))
	}
	return x.Reinterpret(x.FoldCast(ir.OpTrunc, sum, m.IntType(int(m.SizeInBits(t)))), t)
}

// inDwords reports whether an access consists of whole dwords, or of a single
// piece.
func inDwords(list []fatPiece) bool {
	for _, c := range list {
		if len(list) > 1 && c.bytes%4 != 0 {
			return false
		}
	}
	return true
}

// joinDwords builds a vector of dwords from its parts. A single piece stays as
// it is.
func (x *fatPointers) joinDwords(list []fatPiece, parts []ir.Value) ir.Value {
	if len(list) == 1 {
		return parts[0]
	}
	last := list[len(list)-1]
	sum := x.M.Poison(x.M.VectorType(ir.I32, (last.at+last.bytes)/4))
	for i, c := range list {
		sum = x.InsertElements(sum, parts[i], c.at/4)
	}
	return sum
}

func fatStore(x *fatPointers, v ir.Value) bool {
	f, m := x.f, x.M
	val, to := f.Operand(v, 0), f.Operand(v, 1)
	switch t := f.TypeOf(val); {
	case !isFat(m, f.TypeOf(to)): // of a pointer to a buffer
		p := x.split(val)
		x.accessLike(x.Make(ir.OpStore, ir.Void, p.offset, to), v, 0)
		x.accessLike(x.Make(ir.OpStore, ir.Void, p.resource, x.offsetPtr(to, 4)), v, 4)
		return true
	case m.IsAggregate(t):
		return false
	case isFat(m, t):
		val = x.toInt(val)
	}
	x.storeParts(v, val)
	return true
}

// storeParts stores a value in pieces.
func (x *fatPointers) storeParts(v, val ir.Value) {
	f, m := x.f, x.M
	p := x.split(f.Operand(v, 1))
	mi := f.MemInfo(v)
	x.fenceBefore(mi)
	t := f.TypeOf(val)
	bytes := m.StoreSize(t)
	list := x.fatPieces(bytes, mi.Align)
	dwords := m.SizeInBits(t) == 8*bytes && inDwords(list)
	switch {
	case !dwords:
		val = x.FoldCast(ir.OpZExt, x.Reinterpret(val, m.IntType(int(m.SizeInBits(t)))), m.IntType(int(8*bytes)))
	case len(list) > 1:
		val = x.Reinterpret(val, m.VectorType(ir.I32, bytes/4))
	}
	for _, c := range list {
		part := val
		switch {
		case len(list) > 1 && dwords:
			part = x.ExtractElements(val, c.at/4, (c.at+c.bytes)/4)
		case len(list) > 1:
			part = x.ExtractInt(val, m.IntType(int(8*c.bytes)), c.at)
		}
		to := x.typeOf(c.bytes)
		x.Call(m.DeclareIntrinsic(ir.IntrAMDGCNRawPtrBufferStore, to), x.Reinterpret(part, to), p.resource, x.offsetBy(p, c.at), m.Zero(ir.I32), x.policy(v, ir.OpStore))
	}
	x.fenceAfter(mi)
}

// fatAtomics holds the intrinsics of atomic operations on buffers. The others
// have been expanded.
var fatAtomics = lazy.Value[map[ir.RMWOp]ir.Intrinsic]{Make: func() map[ir.RMWOp]ir.Intrinsic {
	return map[ir.RMWOp]ir.Intrinsic{
		ir.RMWXchg: ir.IntrAMDGCNRawPtrBufferAtomicSwap, ir.RMWAdd: ir.IntrAMDGCNRawPtrBufferAtomicAdd, ir.RMWSub: ir.IntrAMDGCNRawPtrBufferAtomicSub,
		ir.RMWAnd: ir.IntrAMDGCNRawPtrBufferAtomicAnd, ir.RMWOr: ir.IntrAMDGCNRawPtrBufferAtomicOr, ir.RMWXor: ir.IntrAMDGCNRawPtrBufferAtomicXor,
		ir.RMWMax: ir.IntrAMDGCNRawPtrBufferAtomicSmax, ir.RMWMin: ir.IntrAMDGCNRawPtrBufferAtomicSmin,
		ir.RMWUMax: ir.IntrAMDGCNRawPtrBufferAtomicUmax, ir.RMWUMin: ir.IntrAMDGCNRawPtrBufferAtomicUmin,
		ir.RMWUIncWrap: ir.IntrAMDGCNRawPtrBufferAtomicInc, ir.RMWUDecWrap: ir.IntrAMDGCNRawPtrBufferAtomicDec,
		ir.RMWFAdd: ir.IntrAMDGCNRawPtrBufferAtomicFadd, ir.RMWFMax: ir.IntrAMDGCNRawPtrBufferAtomicFmax, ir.RMWFMin: ir.IntrAMDGCNRawPtrBufferAtomicFmin,
		ir.RMWUSubCond: ir.IntrAMDGCNRawPtrBufferAtomicCondSubU32, ir.RMWUSubSat: ir.IntrAMDGCNRawPtrBufferAtomicSubClampU32,
	}
}}

func fatAtomic(x *fatPointers, v ir.Value) bool {
	f, m := x.f, x.M
	p, val, mi := f.Operand(v, 0), f.Operand(v, 1), f.MemInfo(v)
	id, ok := fatAtomics.Get()[f.RMWOp(v)]
	if !ok || !isFat(m, f.TypeOf(p)) {
		return false
	}
	t := f.TypeOf(val)
	if f.RMWOp(v) == ir.RMWXchg {
		val = x.Reinterpret(val, m.IntType(int(m.SizeInBits(t))))
	}
	at := x.split(p)
	x.fenceBefore(mi)
	old := x.Call(m.DeclareIntrinsic(id, f.TypeOf(val)), val, at.resource, at.offset, m.Zero(ir.I32), x.policy(v, ir.OpAtomicRMW))
	x.fenceAfter(mi)
	if !f.HasUses(v) {
		return true
	}
	return x.replace(v, x.Reinterpret(old, t))
}

func fatCompareSwap(x *fatPointers, v ir.Value) bool {
	f, m := x.f, x.M
	p, mi := f.Operand(v, 0), f.MemInfo(v)
	if !isFat(m, f.TypeOf(p)) {
		return false
	}
	t := f.TypeOf(f.Operand(v, 1))
	n := m.IntType(int(m.SizeInBits(t)))
	want, val := x.Reinterpret(f.Operand(v, 1), n), x.Reinterpret(f.Operand(v, 2), n)
	at := x.split(p)
	x.fenceBefore(mi)
	old := x.Call(m.DeclareIntrinsic(ir.IntrAMDGCNRawPtrBufferAtomicCmpswap, n), val, want, at.resource, at.offset, m.Zero(ir.I32), x.policy(v, ir.OpCmpXchg))
	x.fenceAfter(mi)
	same := x.Compare(ir.ICmpEQ, old, want)
	return x.replace(v, x.InsertValue(x.InsertValue(m.Poison(f.TypeOf(v)), x.Reinterpret(old, t), 0), same, 1))
}

// fenceBefore orders the preceding accesses before an atomic access.
func (x *fatPointers) fenceBefore(mi ir.MemInfo) {
	switch analysis.Ordering(mi) {
	case ir.Release, ir.AcqRel, ir.SeqCst:
		x.fence(ir.Release, mi.Scope)
	}
}

// fenceAfter orders an atomic access before the following accesses.
func (x *fatPointers) fenceAfter(mi ir.MemInfo) {
	switch analysis.Ordering(mi) {
	case ir.Acquire, ir.AcqRel, ir.SeqCst:
		x.fence(ir.Acquire, mi.Scope)
	}
}

func (x *fatPointers) fence(o ir.Ordering, scope ir.SyncScope) {
	x.f.SetMemInfo(x.Make(ir.OpFence, ir.Void), ir.MemInfo{Ordering: o, Scope: scope})
}

// fatPolicy holds the bits of the cache policy of a generation: for loads of a
// work-group on one compute unit and on several, of an agent and of the system,
// likewise for stores and for other atomic operations, and for non-temporal
// loads and stores (LLVM, SICacheControl). The memory model adds the
// bits of volatile accesses.
type fatPolicy struct {
	since                   target.Generation
	load, store, rmw        [4]uint64
	streamLoad, streamStore uint64
	lastUse                 uint64
}

// Bits of the cache policy.
const (
	policyGLC = 1
	policySLC = 2
	policyDLC = 4
	policySC1 = 16

	policyVolatile = 1 << 31 // for the memory model; not part of the instruction
)

// fatPolicies lists the policies; the last matching row applies.
var fatPolicies = [...]fatPolicy{
	{since: target.GFX6, load: [4]uint64{0, policyGLC, policyGLC, policyGLC}, streamLoad: policyGLC | policySLC, streamStore: policyGLC | policySLC},
	{since: target.GFX940, load: [4]uint64{policyGLC, policyGLC, policySC1, policyGLC | policySC1}, store: [4]uint64{policyGLC, policyGLC, policySC1, policyGLC | policySC1},
		rmw: [4]uint64{0, 0, 0, policySC1}, streamLoad: policySLC, streamStore: policySLC},
	{since: target.GFX10_1, load: [4]uint64{0, policyGLC, policyGLC | policyDLC, policyGLC | policyDLC}, streamLoad: policySLC, streamStore: policyGLC | policySLC},
	{since: target.GFX11, load: [4]uint64{0, policyGLC, policyGLC, policyGLC}, streamLoad: policySLC | policyDLC, streamStore: policyGLC | policySLC | policyDLC},
	{since: target.GFX12, load: [4]uint64{0, 1 << 3, 2 << 3, 3 << 3}, store: [4]uint64{0, 1 << 3, 2 << 3, 3 << 3}, rmw: [4]uint64{0, 1 << 3, 2 << 3, 3 << 3},
		streamLoad: 1, streamStore: 1, lastUse: 3},
}

// policy returns the cache policy of an access.
func (x *fatPointers) policy(v ir.Value, op ir.Op) ir.Value {
	f, m := x.f, x.M
	var row *fatPolicy
	for i := range fatPolicies {
		if isGPU(x.ctx, fatPolicies[i].since) {
			row = &fatPolicies[i]
		}
	}
	mi, bits := f.MemInfo(v), uint64(0)
	if mi.Ordering > ir.Unordered {
		by := row.rmw
		switch op {
		case ir.OpLoad:
			by = row.load
		case ir.OpStore:
			by = row.store
		}
		if n := x.scopeIndex(mi.Scope); n >= 0 {
			bits = by[n]
		}
	}
	if mi.Volatile && op != ir.OpAtomicRMW && op != ir.OpCmpXchg {
		bits |= policyVolatile
	}
	switch {
	case op == ir.OpLoad && row.lastUse != 0 && f.Attachment(v, m.MDKind("amdgpu.last.use")) != 0:
		bits |= row.lastUse
	case f.Attachment(v, ir.MDNonTemporal) == 0 || mi.Volatile && row.lastUse == 0:
	case op == ir.OpLoad:
		bits |= row.streamLoad
	default:
		bits |= row.streamStore
	}
	return m.NewInt(ir.I32, bits)
}

// scopeIndex returns the place of a scope in a fatPolicy, or -1 for a wave.
func (x *fatPointers) scopeIndex(s ir.SyncScope) int {
	t := x.ctx.Target
	switch s {
	case ir.System, ir.SystemOneAS:
		return 3
	case ir.Agent, ir.AgentOneAS:
		return 2
	case ir.Cluster, ir.ClusterOneAS:
		if isGPU(x.ctx, target.GFX12_5) {
			return 1
		}
		return 2
	case ir.Workgroup, ir.WorkgroupOneAS:
		if t != nil && (t.Has(target.FeatureTgSplit) || isGPU(x.ctx, target.GFX10_1) && !t.Has(target.FeatureCUMode)) {
			return 1
		}
		return 0
	}
	return -1
}
