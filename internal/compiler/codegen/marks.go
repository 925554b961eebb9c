package codegen

import (
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Marks of atomic accesses and of fences, which the code object lists for the
// simulator's race check. The memory model's pass removes fences and notes each
// one in the flags of the next instruction that accesses memory, is a barrier or
// ends the block: between the two, nothing depends on the fence, and later passes
// neither remove that instruction nor move it across accesses.

// Flags of instructions that follow a fence.
const (
	fullFence = mir.FenceRelease | mir.FenceAcquire | mir.FenceAgent
	anyFence  = fullFence | mir.FenceCluster
)

// markScopes maps the scopes of accesses and fences to the scopes of marks.
var markScopes = [...]codeobject.AtomicScope{scopeThread: codeobject.AtomicWavefront, scopeWave: codeobject.AtomicWavefront,
	scopeGroup: codeobject.AtomicWorkgroup, scopeCluster: codeobject.AtomicCluster, scopeAgent: codeobject.AtomicAgent, scopeSystem: codeobject.AtomicSystem}

// markOrderings maps the orderings of accesses to the orderings of marks.
var markOrderings = [...]codeobject.AtomicOrdering{ir.Unordered: codeobject.AtomicUnordered, ir.Monotonic: codeobject.AtomicMonotonic,
	ir.Acquire: codeobject.AtomicAcquire, ir.Release: codeobject.AtomicRelease, ir.AcqRel: codeobject.AtomicAcqRel, ir.SeqCst: codeobject.AtomicSeqCst}

func markScope(s ir.SyncScope) codeobject.AtomicScope {
	if int(s) < len(scopes) {
		return markScopes[scopes[s].scope]
	}
	return codeobject.AtomicSystem
}

// fenceFlags returns the flags of a fence, 0 for one within a wave.
func fenceFlags(m *mir.Mem) (flags mir.Flags) {
	scope, o := markScope(m.Scope), markOrderings[m.Ordering]
	if scope == codeobject.AtomicWavefront {
		return 0
	}
	if o.Releases() {
		flags |= mir.FenceRelease
	}
	if o.Acquires() {
		flags |= mir.FenceAcquire
	}
	switch {
	case scope >= codeobject.AtomicAgent:
		flags |= mir.FenceAgent
	case scope == codeobject.AtomicCluster:
		flags |= mir.FenceCluster
	}
	return flags
}

// noteFence notes a fence that is about to be removed in the instruction before
// which it takes effect.
func noteFence(f *mir.Func, i mir.Instr, m *mir.Mem) {
	flags := f.Flags(i)&anyFence | fenceFlags(m)
	at := f.Next(i)
	for f.Next(at) != 0 && !keepsFence(f, at) {
		at = f.Next(at)
	}
	f.SetFlags(at, f.Flags(at)|flags)
}

// keepsFence reports whether an instruction can hold the flags of a fence: another
// fence, an access, a barrier, or the end of the block.
func keepsFence(f *mir.Func, i mir.Instr) bool {
	op := f.Op(i)
	x := f.Info(i)
	if op.IsPseudo() && op != mir.Fence && op != mir.Call && op != mir.Asm {
		return x.Flags&mir.Terminator != 0
	}
	return x.Flags&(mir.Terminator|mir.MayLoad|mir.MayStore|mir.Effects) != 0
}

// isFence reports whether the source requests a wait or a cache operation, with
// which programs order accesses as well.
func isFence(f *mir.Func, i mir.Instr) bool {
	x := f.Info(i)
	return len(x.Encs) > 0 && x.Encs[0].Kinds().Any(fenceKinds)
}

const fenceKinds = isa.KindWait | isa.KindCache

// markInstr records the fence before an instruction, and the instruction if it
// implements an atomic access.
func (l *layout) markInstr(i mir.Instr) {
	flags := l.f.Flags(i)
	if flags&anyFence != 0 {
		l.markFence(flags)
	}
	m := l.f.Mem(i)
	switch {
	case m == nil || l.f.Op(i).IsPseudo():
	case m.Ordering != ir.NotAtomic:
		l.mark(codeobject.AtomicMark{Kind: codeobject.AtomicAccess, Ordering: markOrderings[m.Ordering], Scope: markScope(m.Scope)})
	case m.Flags&mir.MemVolatile != 0:
		l.mark(codeobject.AtomicMark{Kind: codeobject.AtomicVolatile, Ordering: codeobject.AtomicMonotonic, Scope: codeobject.AtomicSystem})
	}
}

// mark records a mark at the current end of the code.
func (l *layout) mark(m codeobject.AtomicMark) {
	m.Offset = uint32(len(l.code.Bytes))
	l.code.Marks = append(l.code.Marks, m)
}

func (l *layout) markFence(flags mir.Flags) {
	m := codeobject.AtomicMark{Kind: codeobject.AtomicFence, Ordering: codeobject.AtomicAcquire, Scope: codeobject.AtomicWorkgroup}
	switch flags & (mir.FenceRelease | mir.FenceAcquire) {
	case mir.FenceRelease:
		m.Ordering = codeobject.AtomicRelease
	case mir.FenceRelease | mir.FenceAcquire:
		m.Ordering = codeobject.AtomicAcqRel
	}
	switch {
	case flags&mir.FenceAgent != 0:
		m.Scope = codeobject.AtomicAgent
	case flags&mir.FenceCluster != 0:
		m.Scope = codeobject.AtomicCluster
	}
	l.mark(m)
}

// markAsm records the marks of the code of inline assembly that follows: its
// accesses may be of any kind, and there may be a fence before each of them.
func (l *layout) markAsm(code []byte) {
	d := isa.NewDecoder(l.f.M.Set, l.f.M.Wave)
	for at := 0; at < len(code); {
		in, n, err := d.Decode(code[at:])
		if err != nil {
			at += 4 // data between instructions
			continue
		}
		offset := uint32(len(l.code.Bytes) + at)
		access := in.Enc.Traits().Any(isa.TraitLoad | isa.TraitStore)
		if access || in.Enc.Kinds().Any(fenceKinds) {
			l.code.Marks = append(l.code.Marks, codeobject.AtomicMark{Offset: offset, Kind: codeobject.AtomicFence, Ordering: codeobject.AtomicAcqRel, Scope: codeobject.AtomicAgent})
		}
		if access {
			l.code.Marks = append(l.code.Marks, codeobject.AtomicMark{Offset: offset, Kind: codeobject.AtomicVolatile, Ordering: codeobject.AtomicMonotonic, Scope: codeobject.AtomicSystem})
		}
		at += n
	}
}
