package bitcode

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// ret: [value].
func (b *body) ret() {
	if b.more() {
		b.pushPair()
	}
	b.add(ir.OpRet, ir.Void, noTid)
}

// br: block, or block if true, block if false, condition.
func (b *body) br() {
	yes := b.target(b.pop())
	if !b.more() {
		b.push(yes)
		b.add(ir.OpBr, ir.Void, noTid)
		return
	}
	no := b.target(b.pop())
	b.pushTyped(ir.I1, noTid)
	b.push(yes)
	b.push(no)
	b.add(ir.OpBr, ir.Void, noTid)
}

// switchRanges marks a record of switch with ranges of cases, in the upper half
// of its first operand. LLVM 3.2 and 3.3 write it.
const switchRanges = 0x4b5

// maxRangeWords bounds the cases that the ranges of one file become, in words of
// 64 bits, since few bytes specify any number of them.
const maxRangeWords = 1 << 20

// switchOp: type, value, default block, then numbers of constants (never relative) and blocks.
func (b *body) switchOp() {
	b.need(3, "switch")
	if b.rec[0]>>16 == switchRanges {
		b.pop()
		b.switchWithRanges()
		return
	}
	t, tid := b.popType()
	if !b.m.IsInt(t) {
		b.fail("switch on a value that is no integer")
	}
	b.pushTyped(t, tid)
	b.push(b.target(b.pop()))
	for b.more() {
		id := b.pop()
		if id >= uint64(len(b.values)) || b.values[id].t != t || !b.isNumber(b.values[id].v) {
			b.fail("switch with a case that is no number of its type")
		}
		b.push(b.values[id].v)
		b.push(b.target(b.pop()))
	}
	b.add(ir.OpSwitch, ir.Void, noTid)
}

// switchWithRanges: type, value, default block, number of cases, then for each
// case the number of its items, the items and the block. An item is a flag for a
// single number and that number, or the lowest and the highest one.
func (b *body) switchWithRanges() {
	b.need(5, "switch with ranges")
	t, tid := b.popType()
	if !b.m.IsInt(t) {
		b.fail("switch on a value that is no integer")
	}
	b.pushTyped(t, tid)
	b.push(b.target(b.pop()))
	var cases []ir.Value
	for range b.count() {
		cases = cases[:0]
		for range b.count() {
			single := b.pop() != 0
			low := b.caseNumber(t)
			high := low
			if !single {
				high = b.caseNumber(t)
			}
			cases = b.rangeOf(cases, t, low, high)
		}
		to := b.target(b.pop())
		for _, v := range cases {
			b.push(v)
			b.push(to)
		}
	}
	b.add(ir.OpSwitch, ir.Void, noTid)
}

// count takes the number of things that follow, each of one operand at least.
func (b *body) count() uint64 {
	n := b.pop()
	if n > uint64(len(b.rec)-b.at) {
		b.fail("%d operands are left of %d", len(b.rec)-b.at, n)
	}
	return n
}

// caseNumber takes an integer of type t as words, lowest first. Before more than
// one word stands their number.
func (b *body) caseNumber(t ir.Type) []uint64 {
	bits := b.m.IntBits(t)
	given := uint64(1)
	if bits > 64 {
		given = b.count()
	}
	need := (bits + 63) / 64
	b.useRange(need)
	words := make([]uint64, max(need, int(given)))
	for i := range given {
		words[i] = rotated(b.pop())
	}
	words = words[:need]
	if bits%64 != 0 {
		words[len(words)-1] &= 1<<(bits%64) - 1
	}
	return words
}

// useRange counts words of cases.
func (b *body) useRange(words int) {
	if b.rangeLen += words; b.rangeLen > maxRangeWords {
		b.fail("the ranges of switches have more than %d cases", maxRangeWords)
	}
}

// rangeOf appends the integers from low to high, compared as unsigned ones.
func (b *body) rangeOf(cases []ir.Value, t ir.Type, low, high []uint64) []ir.Value {
	n := slices.Clone(low)
	for !lessWords(high, n) {
		b.useRange(len(n))
		cases = append(cases, b.m.NewWide(t, n))
		if slices.Equal(n, high) {
			break // the next may be zero
		}
		for i := range n {
			if n[i]++; n[i] != 0 {
				break
			}
		}
	}
	return cases
}

// lessWords compares unsigned integers of the same number of words, lowest first.
func lessWords(x, y []uint64) bool {
	for i := len(x) - 1; i >= 0; i-- {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return false
}

func (b *body) isNumber(v ir.Value) bool {
	k := b.m.ConstKindOf(v)
	return k == ir.ConstInt || k == ir.ConstWide
}

// indirectBr: type, address, blocks.
func (b *body) indirectBr() {
	b.pushTyped(b.popType())
	for b.more() {
		b.push(b.target(b.pop()))
	}
	b.add(ir.OpIndirectBr, ir.Void, noTid)
}

func (b *body) resume() {
	b.pushPair()
	b.add(ir.OpResume, ir.Void, noTid)
}

// landingPad: type, is cleanup, number of clauses, then kinds and values.
func (b *body) landingPad() {
	t, tid := b.popType()
	b.clauses(t, tid)
}

// landingPadOld has the personality behind the type.
func (b *body) landingPadOld() {
	t, tid := b.popType()
	b.pushPair()
	if !b.ops[0].IsConst() {
		b.fail("a personality that is no constant")
	}
	b.f.Personality = b.ops[0]
	b.ops, b.fwd, b.late = b.ops[:0], b.fwd[:0], false
	b.clauses(t, tid)
}

func (b *body) clauses(t ir.Type, tid uint32) {
	cleanup := b.pop() != 0
	for range b.pop() {
		filter := b.pop() != 0
		if ct, _ := b.pushPair(); filter != (b.m.Kind(ct) == ir.KindArray) {
			b.fail("a clause of landingpad of another kind than its type says")
		}
	}
	in := b.add(ir.OpLandingPad, t, tid)
	if cleanup {
		in.Flags = ir.Cleanup
	}
}

// cleanupRet: pad [, block].
func (b *body) cleanupRet() {
	b.pushTyped(ir.Token, noTid)
	if b.more() {
		b.push(b.target(b.pop()))
	}
	b.add(ir.OpCleanupRet, ir.Void, noTid)
}

// catchRet: pad, block.
func (b *body) catchRet() {
	b.pushTyped(ir.Token, noTid)
	b.push(b.target(b.pop()))
	b.add(ir.OpCatchRet, ir.Void, noTid)
}

// catchSwitch: parent, number of handlers, handlers [, unwind block].
func (b *body) catchSwitch() {
	b.pushTyped(ir.Token, noTid)
	n := b.pop()
	for range n {
		b.push(b.target(b.pop()))
	}
	unwind := b.more()
	if unwind {
		b.push(b.target(b.pop()))
		b.moveOp(len(b.ops)-1, 1)
	}
	in := b.add(ir.OpCatchSwitch, ir.Token, b.virtualType(ir.Token, noTid))
	if unwind {
		in.X = 1
	}
}

// pad: parent, number of arguments, arguments.
func (b *body) pad(op ir.Op) {
	b.pushTyped(ir.Token, noTid)
	for range b.pop() {
		b.pushPair()
	}
	b.add(op, ir.Token, b.virtualType(ir.Token, noTid))
}
