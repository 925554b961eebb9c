package bitcode

import "github.com/gfx-toolchain/gfx/ir"

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

// switchRanges marks a record of switch with ranges of cases, in the upper half of its first operand. LLVM 3.3 wrote it for a while.
const switchRanges = 0x4b5

// switchOp: type, value, default block, then numbers of constants (never relative) and blocks.
func (b *body) switchOp() {
	b.need(3, "switch")
	if b.rec[0]>>16 == switchRanges {
		b.fail("switch with ranges of cases, a form that no released LLVM writes")
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
