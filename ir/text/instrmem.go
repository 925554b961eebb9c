package text

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// align parses align n.
func (p *parser) align() uint32 {
	p.scanToken()
	return uint32(min(p.alignValue(), 1<<31))
}

// alloca parses alloca inalloca T, T n, align a, addrspace(s).
func (p *parser) alloca() ir.Value {
	p.scanToken()
	mi := ir.MemInfo{}
	mi.InAlloca = p.acceptWord2("inalloca")
	mi.SwiftErr = p.acceptWord2("swifterror")
	off := p.from
	t := p.typ("expected type")
	typeEnd := p.prevEnd
	size := p.m.NewInt(ir.I32, 1)
	as := uint32(0) // 0 as in LLVM, regardless of the data layout's alloca address space
	for p.accept(tComma) {
		switch {
		case p.tok == tMDName:
		case p.isWord(kwAlign):
			mi.Align = p.align()
			continue
		case p.isWord(kwAddrSpace):
			as = p.addrSpace()
			continue
		default:
			off := p.from
			v, st := p.typedValue()
			if !p.m.IsInt(st) {
				failAt(off, p.prevEnd, "element count must have integer type")
			}
			size = v
			continue
		}
		break
	}
	switch {
	case !p.m.IsFirstClass(t) && p.m.Kind(t) != ir.KindStruct:
		failAt(off, typeEnd, "invalid type for alloca")
	case mi.Align == 0 && !p.m.IsSized(t):
		failAt(off, typeEnd, "Cannot allocate unsized type")
	case mi.Align == 0:
		mi.Align = p.m.PrefAlign(t)
	}
	v := p.make(ir.OpAlloca, p.m.PtrType(as), size)
	p.fn.f.Instr(v).X = uint32(t)
	p.fn.f.SetMemInfo(v, mi)
	return v
}

// acceptWord2 accepts a word that is a keyword only in attributes.
func (p *parser) acceptWord2(word string) bool {
	if p.tok == tWord && string(p.text()) == word {
		p.scanToken()
		return true
	}
	return false
}

// scope parses syncscope("name").
func (p *parser) scope() ir.SyncScope {
	if !p.acceptWord(kwSyncScope) {
		if p.acceptWord(kwSingleThread) { // LLVM 4 and earlier
			return ir.SingleThread
		}
		return ir.System
	}
	p.expect(tLParen, "expected '(' in syncscope")
	name := string(p.str())
	p.expect(tRParen, "expected ')' in syncscope")
	return p.m.SyncScope(name)
}

// ordering parses an ordering.
func (p *parser) ordering() ir.Ordering {
	o := ir.NotAtomic
	switch p.kw {
	case kwUnordered:
		o = ir.Unordered
	case kwMonotonic:
		o = ir.Monotonic
	case kwAcquire:
		o = ir.Acquire
	case kwRelease:
		o = ir.Release
	case kwAcqRel:
		o = ir.AcqRel
	case kwSeqCst:
		o = ir.SeqCst
	}
	if p.tok != tWord || o == ir.NotAtomic {
		p.fail("expected ordering on atomic instruction")
	}
	p.scanToken()
	return o
}

// alignSuffix parses , align n after a memory access.
func (p *parser) alignSuffix() uint32 {
	if p.tok == tComma {
		if n, _, end := p.numberAfter(" align "); end != 0 && bits.OnesCount64(n) == 1 {
			p.skipTo(end)
			return uint32(n)
		}
	}
	if !p.accept(tComma) || p.tok == tMDName {
		return 0
	}
	if !p.isWord(kwAlign) {
		p.fail("expected metadata or 'align'")
	}
	return p.align()
}

// load parses load atomic volatile T, T a scope ordering, align n.
func (p *parser) load() ir.Value {
	p.scanToken()
	mi := ir.MemInfo{Scope: ir.System}
	atomic := p.acceptWord(kwAtomic)
	mi.Volatile = p.acceptWord(kwVolatile)
	off := p.from
	t := p.typ("expected type")
	p.expect(tComma, "expected comma after load's type")
	at := p.from
	a, at_ := p.typedValue()
	if atomic {
		mi.Scope, mi.Ordering = p.scope(), p.ordering()
	}
	mi.Align = p.alignSuffix()
	switch {
	case p.m.Kind(at_) != ir.KindPtr || !p.m.IsFirstClass(t):
		failAt(at, p.prevEnd, "load operand must be a pointer to a first class type")
	case atomic && mi.Align == 0:
		failAt(off, p.prevEnd, "atomic load must have explicit non-zero alignment")
	case mi.Ordering == ir.Release || mi.Ordering == ir.AcqRel:
		failAt(off, p.prevEnd, "atomic load cannot use Release ordering")
	case !p.m.IsSized(t):
		failAt(off, p.prevEnd, "loading unsized types is not allowed")
	}
	if mi.Align == 0 {
		mi.Align = p.m.ABIAlign(t)
	}
	v := p.make(ir.OpLoad, t, a)
	p.fn.f.SetMemInfo(v, mi)
	return v
}

// store parses store atomic volatile T v, T a scope ordering, align n.
func (p *parser) store() ir.Value {
	p.scanToken()
	mi := ir.MemInfo{Scope: ir.System}
	atomic := p.acceptWord(kwAtomic)
	mi.Volatile = p.acceptWord(kwVolatile)
	off := p.from
	x, t := p.typedValue()
	p.expect(tComma, "expected ',' after store operand")
	at := p.from
	a, at_ := p.typedValue()
	if atomic {
		mi.Scope, mi.Ordering = p.scope(), p.ordering()
	}
	mi.Align = p.alignSuffix()
	switch {
	case p.m.Kind(at_) != ir.KindPtr:
		failAt(at, p.prevEnd, "store operand must be a pointer")
	case !p.m.IsFirstClass(t):
		failAt(off, p.prevEnd, "store operand must be a first class value")
	case atomic && mi.Align == 0:
		failAt(off, p.prevEnd, "atomic store must have explicit non-zero alignment")
	case mi.Ordering == ir.Acquire || mi.Ordering == ir.AcqRel:
		failAt(off, p.prevEnd, "atomic store cannot use Acquire ordering")
	case !p.m.IsSized(t):
		failAt(off, p.prevEnd, "storing unsized types is not allowed")
	}
	if mi.Align == 0 {
		mi.Align = p.m.ABIAlign(t)
	}
	v := p.make(ir.OpStore, ir.Void, x, a)
	p.fn.f.SetMemInfo(v, mi)
	return v
}

// gepFlags parses inbounds, nusw and nuw.
func (p *parser) gepFlags() (f ir.Flags) {
	for {
		switch {
		case p.acceptWord(kwInBounds):
			f |= ir.InBounds | ir.NUSW
		case p.acceptWord(kwNUSW):
			f |= ir.NUSW
		case p.acceptWord(kwNUW):
			f |= ir.NUW
		default:
			return f
		}
	}
}

// gep parses getelementptr flags T, T a, T i ….
func (p *parser) gep() ir.Value {
	p.scanToken()
	flags := p.gepFlags()
	source := p.typ("expected type")
	p.expect(tComma, "expected comma after getelementptr's type")
	off := p.from
	base := len(p.scratch.values)
	a, t := p.typedValue()
	p.scratch.values = append(p.scratch.values, a)
	for p.accept(tComma) {
		if p.tok == tMDName {
			break
		}
		i, it := p.typedValue()
		if p.m.IsVector(it) && !p.m.IsVector(t) {
			t = p.m.VectorType(t, p.m.NumElements(it))
		}
		p.scratch.values = append(p.scratch.values, i)
	}
	ops := p.scratch.values[base:]
	p.scratch.values = p.scratch.values[:base]
	p.checkGEP(source, ops, off, p.fn.f.TypeOf)
	v := p.make(ir.OpGetElementPtr, t, ops...)
	in := p.fn.f.Instr(v)
	in.X, in.Flags = uint32(source), flags
	return v
}

// fence parses fence scope ordering.
func (p *parser) fence() ir.Value {
	off := p.from
	p.scanToken()
	mi := ir.MemInfo{Scope: p.scope()}
	mi.Ordering = p.ordering()
	switch mi.Ordering {
	case ir.Unordered:
		failAt(off, p.prevEnd, "fence cannot be unordered")
	case ir.Monotonic:
		failAt(off, p.prevEnd, "fence cannot be monotonic")
	}
	v := p.make(ir.OpFence, ir.Void)
	p.fn.f.SetMemInfo(v, mi)
	return v
}

// cmpXchg parses cmpxchg weak volatile T a, T c, T n scope ordering ordering,
// align n.
func (p *parser) cmpXchg() ir.Value {
	p.scanToken()
	mi := ir.MemInfo{}
	mi.Weak = p.acceptWord(kwWeak)
	mi.Volatile = p.acceptWord(kwVolatile)
	off := p.from
	a, at := p.typedValue()
	p.expect(tComma, "expected ',' after cmpxchg address")
	c, ct := p.typedValue()
	p.expect(tComma, "expected ',' after cmpxchg cmp operand")
	n, nt := p.typedValue()
	mi.Scope = p.scope()
	mi.Ordering, mi.Failure = p.ordering(), p.ordering()
	mi.Align = p.alignSuffix()
	switch {
	case mi.Ordering == ir.Unordered:
		failAt(off, p.prevEnd, "invalid cmpxchg success ordering")
	case mi.Failure == ir.Unordered || mi.Failure == ir.Release || mi.Failure == ir.AcqRel:
		failAt(off, p.prevEnd, "invalid cmpxchg failure ordering")
	case p.m.Kind(at) != ir.KindPtr:
		failAt(off, p.prevEnd, "cmpxchg operand must be a pointer")
	case ct != nt:
		failAt(off, p.prevEnd, "compare value and new value type do not match")
	case !p.m.IsFirstClass(nt):
		failAt(off, p.prevEnd, "cmpxchg operand must be a first class value")
	}
	if mi.Align == 0 {
		mi.Align = p.naturalAlign(nt)
	}
	v := p.make(ir.OpCmpXchg, p.m.StructType([]ir.Type{ct, ir.I1}, false), a, c, n)
	p.fn.f.SetMemInfo(v, mi)
	return v
}

// naturalAlign returns the default alignment of an atomic operation: its size.
func (p *parser) naturalAlign(t ir.Type) uint32 {
	if !p.m.IsSized(t) {
		p.fail("atomic operation on a type without a size")
	}
	n := p.m.StoreSize(t)
	align := uint32(1)
	for uint64(align) < n && align < 1<<31 {
		align *= 2
	}
	return align
}

// atomicRMW parses atomicrmw volatile op T a, T v scope ordering, align n.
func (p *parser) atomicRMW() ir.Value {
	p.scanToken()
	mi := ir.MemInfo{}
	mi.Volatile = p.acceptWord(kwVolatile)
	if p.tok != tWord || dict.rmws[p.kw] == 0 {
		p.fail("expected binary operation in atomicrmw")
	}
	rmw := ir.RMWOp(dict.rmws[p.kw] - 1)
	p.scanToken()
	off := p.from
	a, at := p.typedValue()
	p.expect(tComma, "expected ',' after atomicrmw address")
	x, t := p.typedValue()
	mi.Scope, mi.Ordering = p.scope(), p.ordering()
	mi.Align = p.alignSuffix()
	switch {
	case mi.Ordering == ir.Unordered:
		failAt(off, p.prevEnd, "atomicrmw cannot be unordered")
	case p.m.Kind(at) != ir.KindPtr:
		failAt(off, p.prevEnd, "atomicrmw operand must be a pointer")
	}
	p.checkRMW(rmw, t, off)
	if mi.Align == 0 {
		mi.Align = p.naturalAlign(t)
	}
	v := p.make(ir.OpAtomicRMW, t, a, x)
	p.fn.f.Instr(v).Sub = uint8(rmw)
	p.fn.f.SetMemInfo(v, mi)
	return v
}

// checkRMW reports an operand type that the operation does not allow.
func (p *parser) checkRMW(rmw ir.RMWOp, t ir.Type, off int) {
	isInt, isFP := p.m.IsInt(t), p.m.IsFloat(t)
	switch {
	case rmw == ir.RMWXchg:
		if !isInt && !isFP && p.m.Kind(t) != ir.KindPtr {
			failAt(off, p.prevEnd, "atomicrmw xchg operand must be an integer, floating point, or pointer type")
		}
	case rmw.IsFloat():
		if !p.m.IsFloatOrFloatVector(t) {
			failAt(off, p.prevEnd, "atomicrmw %s operand must be a floating point type", rmw)
		}
	case !isInt:
		failAt(off, p.prevEnd, "atomicrmw %s operand must be an integer", rmw)
	}
	if n := p.m.PrimitiveBits(t); p.m.Kind(t) != ir.KindPtr && (n < 8 || n&(n-1) != 0) {
		failAt(off, p.prevEnd, "atomicrmw operand must be power-of-two byte-sized integer")
	}
}
