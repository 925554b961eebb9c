package opt

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// cseTable finds entries by an instruction that is equal in the table's sense.
// Entries are removed in reverse order of insertion.
type cseTable struct {
	f       *ir.Function
	equal   func(f *ir.Function, a, b ir.Value) bool
	slots   []int32 // by hash, 1 + first entry
	entries []cseEntry
}

type cseEntry struct {
	hash  uint32
	next  int32    // 1 + next entry in the same slot
	key   ir.Value // instruction
	value ir.Value // equal value
	gen   uint32   // memory generation
}

func (t *cseTable) reset(f *ir.Function, equal func(f *ir.Function, a, b ir.Value) bool) {
	n := 64
	for n < f.NumValues() {
		n *= 2
	}
	t.f, t.equal = f, equal
	t.slots = Sized(t.slots, n)
	t.entries = t.entries[:0]
}

// findEntry returns the last entry for an instruction, or nil. The entry is
// valid until the next one is added.
func (t *cseTable) findEntry(v ir.Value) *cseEntry {
	h := t.hash(v)
	for i := t.slots[h&uint32(len(t.slots)-1)]; i != 0; i = t.entries[i-1].next {
		e := &t.entries[i-1]
		if e.hash == h && e.key != ir.None && t.equal(t.f, e.key, v) {
			return e
		}
	}
	return nil
}

func (t *cseTable) addEntry(key, value ir.Value, gen uint32) {
	h := t.hash(key)
	slot := &t.slots[h&uint32(len(t.slots)-1)]
	t.entries = append(t.entries, cseEntry{h, *slot, key, value, gen})
	*slot = int32(len(t.entries))
}

// forget removes the entry of an erased instruction.
func (t *cseTable) forget(key ir.Value) {
	for i := range slices.Backward(t.entries) {
		if t.entries[i].key == key {
			t.entries[i].key = ir.None
			return
		}
	}
}

// leave removes all entries but the first n.
func (t *cseTable) leave(n int) {
	for i := len(t.entries) - 1; i >= n; i-- {
		e := &t.entries[i]
		t.slots[e.hash&uint32(len(t.slots)-1)] = e.next
	}
	t.entries = t.entries[:n]
}

// address returns the pointer of a load or store.
func address(f *ir.Function, v ir.Value) ir.Value {
	if f.Op(v) == ir.OpStore {
		return f.Operand(v, 1)
	}
	return f.Operand(v, 0)
}

func equalAddrs(f *ir.Function, a, b ir.Value) bool { return address(f, a) == address(f, b) }

// isExpr reports whether an instruction's result depends only on its operands.
func isExpr(f *ir.Function, v ir.Value) bool {
	op := f.Op(v)
	switch op {
	case ir.OpICmp, ir.OpFCmp, ir.OpSelect, ir.OpGetElementPtr, ir.OpExtractElement, ir.OpInsertElement, ir.OpShuffleVector,
		ir.OpExtractValue, ir.OpInsertValue, ir.OpFreeze:
		return true
	case ir.OpCall:
		return f.TypeOf(v) != ir.Void && f.TypeOf(v) != ir.Token && !analysis.HasSideEffects(f, v) && !analysis.MayRead(f, v) && len(f.Bundles(v)) == 0
	}
	return op.IsBinary() || op.IsUnary() || op.IsCast()
}

func mixHash(h, x uint32) uint32 {
	h = (h ^ x) * 0x9e3779b1
	return h ^ h>>15
}

// hash returns equal numbers for equal instructions.
func (t *cseTable) hash(v ir.Value) uint32 {
	f := t.f
	in := f.Instr(v)
	if in.Op == ir.OpLoad || in.Op == ir.OpStore {
		return mixHash(1, uint32(address(f, v)))
	}
	h := mixHash(uint32(in.Op), uint32(in.Type))
	ops := f.Operands(v)
	sum := uint32(0) // independent of the operand order
	for i, o := range ops {
		if i < 2 && exchangeable(f, v) {
			sum += mixHash(7, uint32(o.Value))
		} else {
			h = mixHash(h, uint32(o.Value))
		}
	}
	return mixHash(h, sum)
}

// exchangeable reports whether the first two operands may be exchanged, with
// the predicate of a comparison swapped.
func exchangeable(f *ir.Function, v ir.Value) bool {
	switch op := f.Op(v); op {
	case ir.OpICmp, ir.OpFCmp:
		return true
	case ir.OpCall:
		switch f.CalledIntrinsic(v) {
		case ir.IntrSmax, ir.IntrSmin, ir.IntrUmax, ir.IntrUmin, ir.IntrUaddSat, ir.IntrSaddSat, ir.IntrUaddWithOverflow, ir.IntrSaddWithOverflow,
			ir.IntrUmulWithOverflow, ir.IntrSmulWithOverflow, ir.IntrMinnum, ir.IntrMaxnum, ir.IntrMinimum, ir.IntrMaximum,
			ir.IntrMinimumnum, ir.IntrMaximumnum, ir.IntrFma, ir.IntrFmuladd, ir.IntrAMDGCNMulU24, ir.IntrAMDGCNMulI24:
			return true
		}
		return false
	default:
		return op.Commutes()
	}
}

// equalExprs reports whether two instructions compute the same; flags may differ.
func equalExprs(f *ir.Function, a, b ir.Value) bool {
	x, y := f.Instr(a), f.Instr(b)
	if x.Op != y.Op || x.Type != y.Type {
		return false
	}
	switch x.Op {
	case ir.OpGetElementPtr:
		if x.X != y.X {
			return false
		}
	case ir.OpShuffleVector, ir.OpExtractValue, ir.OpInsertValue:
		if !slices.Equal(f.Indices(a), f.Indices(b)) {
			return false
		}
	case ir.OpCall:
		if !equalCalls(f, a, b) {
			return false
		}
	}
	if (x.Op == ir.OpICmp || x.Op == ir.OpFCmp) && x.Sub != y.Sub {
		return ir.Pred(x.Sub).Swapped() == ir.Pred(y.Sub) && equalOps(f, a, b, true)
	}
	return equalOps(f, a, b, false) || exchangeable(f, a) && x.Op != ir.OpICmp && x.Op != ir.OpFCmp && equalOps(f, a, b, true) ||
		(x.Op == ir.OpICmp || x.Op == ir.OpFCmp) && ir.Pred(x.Sub).Swapped() == ir.Pred(y.Sub) && equalOps(f, a, b, true)
}

// equalCalls reports whether calls with equal operands are equal: their
// attributes must match, and their blocks too if they are convergent.
func equalCalls(f *ir.Function, a, b ir.Value) bool {
	x, y := f.Instr(a), f.Instr(b)
	if x.X != y.X || x.Y != y.Y || len(f.Bundles(a))+len(f.Bundles(b)) != 0 {
		return false
	}
	return f.Parent(a) == f.Parent(b) || !analysis.CallHas(f, a, ir.AttrConvergent)
}

// equalOps compares operands, optionally with the first two of one instruction
// exchanged.
func equalOps(f *ir.Function, a, b ir.Value, exchanged bool) bool {
	x, y := f.Operands(a), f.Operands(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		j := i
		if exchanged && i < 2 {
			j = 1 - i
		}
		if x[i].Value != y[j].Value {
			return false
		}
	}
	return true
}
