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
	switch mi.Ordering {
	case ir.Release, ir.AcqRel:
		x.fence(ir.Release, mi.Scope)
	case ir.SeqCst:
		x.fence(ir.SeqCst, mi.Scope)
	}
}

// fenceAfter orders an atomic access before the following accesses.
func (x *fatPointers) fenceAfter(mi ir.MemInfo) {
	switch mi.Ordering {
	case ir.Acquire, ir.AcqRel, ir.SeqCst:
		x.fence(ir.Acquire, mi.Scope)
	}
}

func (x *fatPointers) fence(o ir.Ordering, scope ir.SyncScope) {
	x.f.SetMemInfo(x.Make(ir.OpFence, ir.Void), ir.MemInfo{Ordering: o, Scope: scope})
}

// fatPolicy holds the bits of the cache policy of a generation: for loads of a
// work-group, an agent and the system, likewise for stores and for other atomic
// operations, and for non-temporal accesses (LLVM, SICacheControl).
type fatPolicy struct {
	since                 target.Generation
	load, store, rmw      [3]uint64
	nonTemporal, volatile uint64
}

// Bits of the cache policy.
const (
	policyGLC = 1
	policySLC = 2
	policyDLC = 4
	policySC1 = 16
)

// fatPolicies lists the policies; the last matching row applies.
var fatPolicies = [...]fatPolicy{
	{since: target.GFX6, load: [3]uint64{policyGLC, policyGLC, policyGLC}, nonTemporal: policyGLC | policySLC, volatile: policyGLC},
	{since: target.GFX940, load: [3]uint64{policyGLC, policySC1, policyGLC | policySC1}, store: [3]uint64{policyGLC, policySC1, policyGLC | policySC1},
		rmw: [3]uint64{0, 0, policySC1}, nonTemporal: policySLC, volatile: policyGLC | policySC1},
	{since: target.GFX10_1, load: [3]uint64{policyGLC, policyGLC | policyDLC, policyGLC | policyDLC}, nonTemporal: policySLC, volatile: policyGLC | policyDLC},
	{since: target.GFX11, load: [3]uint64{policyGLC, policyGLC, policyGLC}, nonTemporal: policySLC, volatile: policyGLC},
	{since: target.GFX12, load: [3]uint64{1 << 3, 2 << 3, 3 << 3}, store: [3]uint64{1 << 3, 2 << 3, 3 << 3}, rmw: [3]uint64{1 << 3, 2 << 3, 3 << 3},
		nonTemporal: 1, volatile: 3 << 3},
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
		bits = by[scopeIndex(mi.Scope)]
	}
	if mi.Volatile && op != ir.OpAtomicRMW && op != ir.OpCmpXchg {
		bits |= row.volatile
	}
	if f.Attachment(v, ir.MDNonTemporal) != 0 {
		bits |= row.nonTemporal
	}
	return m.NewInt(ir.I32, bits)
}

// scopeIndex returns the place of a scope in a fatPolicy.
func scopeIndex(s ir.SyncScope) int {
	switch s {
	case ir.System, ir.SystemOneAS:
		return 2
	case ir.Agent, ir.AgentOneAS:
		return 1
	}
	return 0
}
