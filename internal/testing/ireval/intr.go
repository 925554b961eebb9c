package ireval

import (
	"math"

	"github.com/gfx-toolchain/gfx/ir"
)

// emitIntrinsic compiles a call of an intrinsic function.
func (c *compiler) emitIntrinsic(v ir.Value, id ir.Intrinsic) {
	f := c.f
	t := f.TypeOf(v)
	args := f.Args(v)
	ops := make([]ir.Value, 0, 3)
	for _, a := range args[:min(3, len(args))] {
		ops = append(ops, a.Value)
	}
	defer c.resultCheck(v)
	if k, ok := intIntrinsics[id]; ok {
		o := c.elements(v, t, ops...)
		o.f = k.fast
		if o.x != nil {
			o.x.bins = k.wide
		}
		return
	}
	if k, ok := floatIntrinsics[id]; ok {
		o := c.elements(v, t, ops...)
		if c.mc.opts.Rough && roughIntrinsics[id] {
			k = rough(k)
		}
		if c.mc.opts.SplitMulAdd && id == ir.IntrFmuladd && c.f.Module().Scalar(t) == ir.Float {
			k = mulAdd
		}
		if c.mc.opts.MedianOfNumbers && id == ir.IntrAMDGCNFmed3 {
			k = medianOf(minMax(false, false))
		}
		if c.mc.opts.SmallAngles && (id == ir.IntrAMDGCNSin || id == ir.IntrAMDGCNCos) {
			k = smallAngles(k)
		}
		o.f, o.flags = withFlags(k), f.Instr(v).Flags
		return
	}
	if k, ok := mixedIntrinsics[id]; ok {
		o := c.elements(v, t, ops...)
		o.f, o.flags = k, f.Instr(v).Flags
		if len(ops) > 1 {
			e, _ := c.mc.layout(f.TypeOf(ops[1])).scalarOf()
			o.words = e.bits
		}
		if o.x != nil && (id == ir.IntrFptosiSat || id == ir.IntrFptouiSat) {
			o.x.bins = toIntSat(id == ir.IntrFptosiSat).wide
		}
		return
	}
	c.emitOther(v, id, ops)
}

// resultCheck adds the guarantees of a call's result attributes.
func (c *compiler) resultCheck(v ir.Value) {
	f := c.f
	k := c.mc.attrCheck(f.CallAttrs(v), ir.AttrResult, f.TypeOf(v))
	if k == nil {
		k = c.mc.attrCheck(f.CalledFunction(v).Attributes, ir.AttrResult, f.TypeOf(v))
	}
	if k == nil {
		return
	}
	o := c.op(v, func(l *lane, o *op) { o.x.result.apply(l, o.dst) })
	o.x = &extra{result: k}
}

// emitOther compiles intrinsics that are not elementwise.
func (c *compiler) emitOther(v ir.Value, id ir.Intrinsic, ops []ir.Value) {
	if _, ok := overflowIntrinsics[id]; ok {
		c.emitOverflow(v, id, ops)
		return
	}
	if _, ok := reduceOps[id]; ok {
		lay := c.mc.layout(c.f.TypeOf(ops[0]))
		if lay.elem.words > 1 {
			panic(c.mc.unsupported("reduction of wide integers"))
		}
		o := c.op(v, runReduce)
		o.a, o.n, o.bits, o.mask = c.slot(ops[0]), lay.n, lay.elem.bits, maskOf(lay.elem.bits)
		o.x = &extra{intr: id}
		return
	}
	if e := otherIntrinsics[id]; e != nil {
		e(c, v, ops)
		return
	}
	if e := gpuIntrinsics[id]; e != nil {
		e(c, v, ops)
		return
	}
	panic(c.mc.unsupported("%s", id))
}

func (c *compiler) emitOverflow(v ir.Value, id ir.Intrinsic, ops []ir.Value) {
	f := c.f
	k := overflowIntrinsics[id]
	lay := c.mc.layout(f.TypeOf(v))
	t := f.TypeOf(ops[0])
	o := c.elements(v, t, ops...)
	o.f = intOps[k.op].fast
	if o.x != nil {
		o.x.bins = intOps[k.op].wide
	}
	o = c.elements(v, t, ops...)
	o.dst += lay.at[1]
	o.mask, o.rbits, o.words = 1, 1, 1
	o.f = k.over.fast
	if o.x != nil {
		o.x.bins = k.over.wide
	}
}

// ignored compiles intrinsics without an effect.
func ignored(c *compiler, v ir.Value, ops []ir.Value) {}

// firstOperand compiles intrinsics that return their first operand.
func firstOperand(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.op(v, runCopy)
	o.a, o.words = c.slot(ops[0]), c.mc.layout(c.f.TypeOf(v)).words
}

// constWord returns an emitter for the constant x.
func constWord(x uint64) func(c *compiler, v ir.Value, ops []ir.Value) {
	return func(c *compiler, v ir.Value, ops []ir.Value) {
		o := c.op(v, func(l *lane, o *op) { l.v[o.dst], l.t[o.dst] = o.imm, 0 })
		o.imm = x
	}
}

var otherIntrinsics map[ir.Intrinsic]func(c *compiler, v ir.Value, ops []ir.Value)

func init() {
	otherIntrinsics = map[ir.Intrinsic]func(c *compiler, v ir.Value, ops []ir.Value){
		ir.IntrAssume: emitAssume, ir.IntrExpect: firstOperand, ir.IntrExpectWithProbability: firstOperand, ir.IntrSsaCopy: firstOperand,
		ir.IntrLaunderInvariantGroup: firstOperand, ir.IntrStripInvariantGroup: firstOperand,
		ir.IntrLifetimeStart: emitLifetime(shClean | shUndef), ir.IntrLifetimeEnd: emitLifetime(shValid | shPoison),
		ir.IntrMemcpy: emitMemcpy, ir.IntrMemmove: emitMemcpy, ir.IntrMemcpyInline: emitMemcpy, ir.IntrMemset: emitMemset,
		ir.IntrExperimentalNoaliasScopeDecl: ignored, ir.IntrDonothing: ignored, ir.IntrSideeffect: ignored,
		ir.IntrInvariantEnd: ignored, ir.IntrPrefetch: ignored, ir.IntrPseudoprobe: ignored,
		ir.IntrInvariantStart: constWord(0), ir.IntrIsConstant: constWord(0), ir.IntrObjectsize: emitObjectSize,
		ir.IntrTrap: emitTrap, ir.IntrDebugtrap: emitTrap, ir.IntrUbsantrap: emitTrap,
		ir.IntrFrexp: emitFrexp, ir.IntrPtrmask: emitPtrMask, ir.IntrStacksave: emitStackSave, ir.IntrStackrestore: emitStackRestore,
		ir.IntrReadRegister: emitReadRegister, ir.IntrThreadlocalAddress: firstOperand,
	}
}

func emitAssume(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.op(v, func(l *lane, o *op) {
		if l.t[o.a]&2 != 0 || l.v[o.a] == 0 && l.t[o.a] == 0 {
			panic(ub("violated assume"))
		}
	})
	o.a = c.slot(ops[0])
}

func emitTrap(c *compiler, v ir.Value, ops []ir.Value) {
	c.op(v, func(l *lane, o *op) { panic(&Error{Kind: Trap, Message: "trap"}) })
}

// emitLifetime sets the state of the alloca that is the last operand.
func emitLifetime(state byte) func(c *compiler, v ir.Value, ops []ir.Value) {
	return func(c *compiler, v ir.Value, ops []ir.Value) {
		f, m := c.f, c.mc.m
		p := ops[len(ops)-1]
		if f.Op(p) != ir.OpAlloca {
			return
		}
		o := c.op(v, func(l *lane, o *op) {
			if l.t[o.a]&2 == 0 {
				l.stack.mark(l.v[o.a]&lowHalf, o.imm, state)
			}
		})
		o.a, o.imm = c.slot(p), m.AllocSize(f.AllocatedType(p))
		if n, ok := m.IntValue(f.Operand(p, 0)); ok {
			o.imm *= n
		}
	}
}

func emitMemcpy(c *compiler, v ir.Value, ops []ir.Value) {
	f, m := c.f, c.mc.m
	o := c.op(v, func(l *lane, o *op) {
		if l.t[o.c]&2 != 0 || l.v[o.c] != 0 && (l.t[o.a]|l.t[o.b])&2 != 0 {
			panic(ub("memcpy with poison"))
		}
		l.checkAlign(o, 0, l.v[o.a])
		l.checkAlign(o, 1, l.v[o.b])
		l.checkOverlap(o)
		l.copyBytes(o.space, l.v[o.a], uint32(o.bits), l.v[o.b], l.v[o.c])
	})
	o.a, o.b, o.c = c.slot(ops[0]), c.slot(ops[1]), c.slot(ops[2])
	o.space, o.bits = m.AddrSpace(f.TypeOf(ops[0])), int32(m.AddrSpace(f.TypeOf(ops[1])))
	o.words = int32(b2u(f.CalledIntrinsic(v) != ir.IntrMemmove))
	o.x = &extra{args: []arg{c.alignOf(v, 0), c.alignOf(v, 1)}}
}

// alignOf returns the alignment that a call guarantees for an argument, in
// slot.
func (c *compiler) alignOf(v ir.Value, i int) arg {
	m := c.mc.m
	a, ok := m.Attr(m.AttrsAt(c.f.CallAttrs(v), ir.AttrParams+i), ir.AttrAlign)
	if !ok {
		return arg{1, 0}
	}
	return arg{int32(a.Int), 0}
}

func (l *lane) checkAlign(o *op, i int, addr uint64) {
	if a := uint64(o.x.args[i].slot); l.v[o.c] != 0 && addr&(a-1) != 0 {
		panic(ub("address 0x%x is not aligned to %d", addr, a))
	}
}

// checkOverlap fails if the ranges of a memcpy overlap without being equal.
func (l *lane) checkOverlap(o *op) {
	to, from, n := l.v[o.a], l.v[o.b], l.v[o.c]
	if o.words == 0 || o.space != uint32(o.bits) || to == from {
		return
	}
	if to < from+n && from < to+n {
		panic(ub("memcpy ranges overlap"))
	}
}

func emitMemset(c *compiler, v ir.Value, ops []ir.Value) {
	f, m := c.f, c.mc.m
	o := c.op(v, func(l *lane, o *op) {
		n := l.v[o.c]
		if l.t[o.c]&2 != 0 || n != 0 && l.t[o.a]&2 != 0 {
			panic(ub("memset with poison"))
		}
		if n == 0 {
			return
		}
		l.checkAlign(o, 0, l.v[o.a])
		a, at := l.check(o.space, l.v[o.a], n, 1, shValid|shWrite)
		for i := range n {
			a.put(at+i, 1, l.v[o.b], l.t[o.b])
		}
	})
	o.a, o.b, o.c = c.slot(ops[0]), c.slot(ops[1]), c.slot(ops[2])
	o.space = m.AddrSpace(f.TypeOf(ops[0]))
	o.x = &extra{args: []arg{c.alignOf(v, 0)}}
}

// emitObjectSize returns the result for an unknown size.
func emitObjectSize(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.op(v, func(l *lane, o *op) {
		l.v[o.dst], l.t[o.dst] = o.mask, 0
		if l.v[o.b] != 0 {
			l.v[o.dst] = 0
		}
	})
	o.b, o.mask = c.slot(ops[1]), maskOf(c.mc.layout(c.f.TypeOf(v)).bits)
}

// emitFrexp computes a struct of significand and exponent.
func emitFrexp(c *compiler, v ir.Value, ops []ir.Value) {
	f := c.f
	lay := c.mc.layout(f.TypeOf(v))
	o := c.elements(v, f.TypeOf(ops[0]), ops[0])
	o.f = withFlags(float1(func(x float64) float64 {
		if math.IsInf(x, 0) || x != x {
			return x
		}
		m, _ := math.Frexp(x)
		return m
	}))
	o = c.elements(v, f.TypeOf(ops[0]), ops[0])
	e, _ := lay.fields[1].scalarOf()
	o.dst += lay.at[1]
	o.f, o.mask, o.rbits = frexpExp, maskOf(e.bits), e.bits
}

func emitPtrMask(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.elements(v, c.f.TypeOf(v), ops...)
	spec := c.mc.m.Layout().Pointer(c.mc.m.AddrSpace(c.f.TypeOf(v)))
	o.imm = ^maskOf(int32(spec.IndexBits)) & (1<<62 - 1)
	o.f = func(o *op, x, y, _ uint64) (uint64, uint8) { return x & (y | o.imm), 0 }
}

func emitStackSave(c *compiler, v ir.Value, ops []ir.Value) {
	c.op(v, func(l *lane, o *op) { l.v[o.dst], l.t[o.dst] = l.stack.top, 0 })
}

func emitStackRestore(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.op(v, func(l *lane, o *op) {
		if l.t[o.a]&2 != 0 || l.v[o.a] > l.stack.top {
			panic(ub("stackrestore without a matching stacksave"))
		}
		l.stack.release(l.v[o.a])
	})
	o.a = c.slot(ops[0])
}

// emitReadRegister returns exec: the lanes that execute the read together.
func emitReadRegister(c *compiler, v ir.Value, ops []ir.Value) {
	m := c.mc.m
	md := ops[0].Metadata()
	name, _ := m.MDString(m.MDOperands(md)[0])
	shift := uint64(0)
	switch name {
	case "exec", "exec_lo":
	case "exec_hi":
		shift = 32
	default:
		panic(c.mc.unsupported("register %s", name))
	}
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		for _, l := range lanes {
			l.v[o.dst], l.t[o.dst] = activeMask(lanes)>>o.imm&o.mask, 0
		}
	})
	o.imm, o.mask = shift, maskOf(c.mc.layout(c.f.TypeOf(v)).bits)
}

// cross adds an operation that lanes execute together.
func (c *compiler) cross(v ir.Value, f func(w *wave, lanes []*lane, o *op)) *op {
	o := c.op(v, func(l *lane, o *op) { l.state = waiting })
	o.x = &extra{cross: f}
	return o
}

func activeMask(lanes []*lane) (m uint64) {
	for _, l := range lanes {
		m |= 1 << l.index
	}
	return m
}
