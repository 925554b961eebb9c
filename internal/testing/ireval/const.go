package ireval

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/ir"
)

// constant writes the words of a constant.
func (mc *Machine) constant(v ir.Value, words []uint64, marks []uint8) {
	m := mc.m
	lay := mc.layout(m.TypeOfConst(v))
	switch c := m.Const(v); c.Kind {
	case ir.ConstInt, ir.ConstFloat:
		words[0] = c.Bits()
	case ir.ConstWide:
		copy(words, m.Words(v))
	case ir.ConstZero:
	case ir.ConstUndef, ir.ConstPoison:
		mark := uint8(undef)
		if c.Kind == ir.ConstPoison {
			mark = poison
		}
		for i, n := range lay.widths() {
			marks[i] = mark
			if mark == undef {
				words[i] = mc.undefWord(n)
			}
		}
	case ir.ConstData:
		size := int(lay.elem.bits / 8)
		data := m.ConstBytes(v)
		for i := range lay.words {
			var b [8]byte
			copy(b[:], data[int(i)*size:][:size])
			words[i] = binary.LittleEndian.Uint64(b[:])
		}
	case ir.ConstAggregate:
		at := int32(0)
		for _, e := range m.ConstOperands(v) {
			mc.constant(e, words[at:], marks[at:])
			at += mc.layout(m.TypeOfConst(e)).words
		}
	case ir.ConstGlobal:
		words[0] = mc.addrOf(m.ConstGlobal(v))
	case ir.ConstBlockAddress:
		words[0] = mc.addrOf(m.ConstGlobal(m.ConstOperands(v)[0])) + uint64(m.ConstBlock(v))
	case ir.ConstDSOLocalEquivalent, ir.ConstNoCFI:
		mc.constant(m.ConstOperands(v)[0], words, marks)
	case ir.ConstExpr:
		mc.constExpr(v, lay, words, marks)
	default:
		panic(mc.unsupported("constant of kind %d", c.Kind))
	}
}

// constExpr evaluates a constant expression like the equivalent instruction.
func (mc *Machine) constExpr(v ir.Value, lay *layout, words []uint64, marks []uint8) {
	m := mc.m
	k := m.Const(v)
	c := &compiler{mc: mc, fn: &cfunc{}, consts: map[ir.Value]int32{}}
	ops := m.ConstOperands(v)
	for _, o := range ops {
		c.constSlot(o)
	}
	dst := int32(len(c.fn.consts))
	c.fn.words = dst + lay.words
	c.slots = []int32{dst}
	t := m.TypeOfConst(v)
	switch {
	case k.Op == ir.OpGetElementPtr:
		source, flags, ops, _, _ := m.GEPExpr(v)
		c.gep(ir.None, t, source, flags, ops, m.TypeOfConst)
	case k.Op.IsCast():
		c.cast(ir.None, k.Op, k.Flags, ops[0], m.TypeOfConst(ops[0]), t)
	case intOps[k.Op].fast != nil && lay.words == 1:
		o := c.op(ir.None, runElements)
		o.f, o.flags, o.bits, o.mask = intOps[k.Op].fast, k.Flags, lay.bits, maskOf(lay.bits)
		o.a, o.b = c.constSlot(ops[0]), c.constSlot(ops[1])
		o.c = o.a
	default:
		panic(mc.unsupported("constant expression %s", k.Op))
	}
	l := mc.newLane(&group{})
	l.enter(c.fn, 0, 0)
	for i := range c.fn.code {
		c.fn.code[i].run(l, &c.fn.code[i])
	}
	copy(words, l.v[dst:dst+lay.words])
	copy(marks, l.t[dst:dst+lay.words])
}
