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
	b.createInstr(ir.OpRet, ir.Void, noTid)
}

// br: block, or block if true, block if false, condition.
func (b *body) br() {
	yes := b.target(b.pop())
	if !b.more() {
		b.push(yes)
		b.createInstr(ir.OpBr, ir.Void, noTid)
		return
	}
	no := b.target(b.pop())
	b.pushTyped(ir.I1, noTid)
	b.push(yes)
	b.push(no)
	b.createInstr(ir.OpBr, ir.Void, noTid)
}

// switchRanges marks a switch record with case ranges, in the upper half of its
// first operand. LLVM 3.2 and 3.3 write such records.
const switchRanges = 0x4b5

// maxRangeWords limits the cases that the ranges of one file expand to, in
// 64-bit words. A few bytes can specify any number of cases.
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
		b.fail("condition of switch is not an integer")
	}
	b.pushTyped(t, tid)
	b.push(b.target(b.pop()))
	for b.more() {
		id := b.pop()
		if id >= uint64(len(b.values)) || b.values[id].t != t || !b.isNumber(b.values[id].v) {
			b.fail("case of switch is not an integer constant of the condition's type")
		}
		b.push(b.values[id].v)
		b.push(b.target(b.pop()))
	}
	b.createInstr(ir.OpSwitch, ir.Void, noTid)
}

// switchWithRanges: type, value, default block, number of cases, then for each
// case the number of its items, the items and the block. An item is a flag and
// a single number, or a flag and the lowest and the highest number of a range.
func (b *body) switchWithRanges() {
	b.need(5, "switch with ranges")
	t, tid := b.popType()
	if !b.m.IsInt(t) {
		b.fail("condition of switch is not an integer")
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
	b.createInstr(ir.OpSwitch, ir.Void, noTid)
}

// count reads the number of items that follow. Each item has at least one
// operand.
func (b *body) count() uint64 {
	n := b.pop()
	if n > uint64(len(b.rec)-b.at) {
		b.fail("record has only %d of %d operands left", len(b.rec)-b.at, n)
	}
	return n
}

// caseNumber reads an integer of type t as words, lowest first. Multiple words
// are preceded by their number.
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

// useRange counts words of cases against the limit.
func (b *body) useRange(words int) {
	if b.rangeLen += words; b.rangeLen > maxRangeWords {
		b.fail("case ranges of switches expand to more than %d cases", maxRangeWords)
	}
}

// rangeOf appends the integers from low to high, compared as unsigned.
func (b *body) rangeOf(cases []ir.Value, t ir.Type, low, high []uint64) []ir.Value {
	n := slices.Clone(low)
	for !lessWords(high, n) {
		b.useRange(len(n))
		cases = append(cases, b.m.NewWide(t, n))
		if slices.Equal(n, high) {
			break // the next number would overflow to zero
		}
		for i := range n {
			if n[i]++; n[i] != 0 {
				break
			}
		}
	}
	return cases
}

// lessWords compares unsigned integers with the same number of words, lowest
// first.
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
	b.createInstr(ir.OpIndirectBr, ir.Void, noTid)
}

func (b *body) resume() {
	b.pushPair()
	b.createInstr(ir.OpResume, ir.Void, noTid)
}

// landingPad: type, is cleanup, number of clauses, then kinds and values.
func (b *body) landingPad() {
	t, tid := b.popType()
	b.clauses(t, tid)
}

// landingPadOld is like landingPad, with the personality after the type.
func (b *body) landingPadOld() {
	t, tid := b.popType()
	b.pushPair()
	if !b.ops[0].IsConst() {
		b.fail("personality is not a constant")
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
			b.fail("kind of landingpad clause does not match its type")
		}
	}
	in := b.createInstr(ir.OpLandingPad, t, tid)
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
	b.createInstr(ir.OpCleanupRet, ir.Void, noTid)
}

// catchRet: pad, block.
func (b *body) catchRet() {
	b.pushTyped(ir.Token, noTid)
	b.push(b.target(b.pop()))
	b.createInstr(ir.OpCatchRet, ir.Void, noTid)
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
	in := b.createInstr(ir.OpCatchSwitch, ir.Token, b.virtualType(ir.Token, noTid))
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
	b.createInstr(op, ir.Token, b.virtualType(ir.Token, noTid))
}
