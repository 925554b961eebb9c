package ireval

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

func (c *compiler) emitAlloca(v ir.Value) {
	f, m := c.f, c.mc.m
	count := f.Operand(v, 0)
	o := c.op(v, func(l *lane, o *op) {
		hi, size := bits.Mul64(o.imm, l.v[o.a])
		if l.t[o.a]&2 != 0 || hi != 0 {
			panic(ub("alloca with a poison or excessive count"))
		}
		l.v[o.dst], l.t[o.dst] = l.alloca(size, uint64(o.align), shClean|shUndef), 0
	})
	o.a, o.imm, o.align = c.slot(count), m.AllocSize(f.AllocatedType(v)), f.Align(v)
}

func (c *compiler) emitLoad(v ir.Value) {
	f, m := c.f, c.mc.m
	p := f.Operand(v, 0)
	lay := c.mc.stored(f.TypeOf(v))
	o := c.op(v, runLoad)
	o.a, o.align, o.space = c.slot(p), f.Align(v), m.AddrSpace(f.TypeOf(p))
	o.x = &extra{lay: lay, result: c.mc.loadCheck(f, v)}
	if len(lay.leaves) == 1 && lay.words == 1 && wholeBytes(lay) {
		o.run, o.words = runLoadWord, int32(lay.size)
	}
}

// wholeBytes reports whether a scalar has a size of 1, 2, 4 or 8 bytes.
func wholeBytes(lay *layout) bool { return int32(lay.size)*8 == lay.bits && lay.size&(lay.size-1) == 0 }

func runLoadWord(l *lane, o *op) {
	if addr := l.v[o.a]; l.t[o.a]&2 == 0 && addr&uint64(o.align-1) == 0 {
		a, at := l.resolve(o.space, addr)
		if x, ok := a.loadFast(at, o.words); ok {
			l.v[o.dst], l.t[o.dst] = x, 0
			if o.x.result != nil {
				o.x.result.apply(l, o.dst)
			}
			return
		}
	}
	runLoad(l, o)
}

func runLoad(l *lane, o *op) {
	if l.t[o.a]&2 != 0 {
		panic(ub("load from poison"))
	}
	lay := o.x.lay
	if lay.size > 0 {
		a, at := l.check(o.space, l.v[o.a], lay.size, o.align, shValid)
		a.loadLeaves(at, lay, l.v[o.dst:o.dst+lay.words], l.t[o.dst:o.dst+lay.words])
		for _, mark := range l.t[o.dst : o.dst+lay.words] {
			l.mc.unsure = l.mc.unsure || mark != 0
		}
	}
	o.x.result.apply(l, o.dst)
}

func (c *compiler) emitStore(v ir.Value) {
	f, m := c.f, c.mc.m
	x, p := f.Operand(v, 0), f.Operand(v, 1)
	lay := c.mc.stored(f.TypeOf(x))
	o := c.op(v, runStore)
	o.a, o.b, o.align, o.space = c.slot(p), c.slot(x), f.Align(v), m.AddrSpace(f.TypeOf(p))
	o.x = &extra{lay: lay}
	if len(lay.leaves) == 1 && lay.words == 1 && wholeBytes(lay) {
		o.run, o.words = runStoreWord, int32(lay.size)
	}
}

func runStoreWord(l *lane, o *op) {
	if addr := l.v[o.a]; l.t[o.a]&2 == 0 && l.t[o.b] == 0 && addr&uint64(o.align-1) == 0 {
		a, at := l.resolve(o.space, addr)
		if a.storeFast(at, o.words, l.v[o.b]) {
			return
		}
	}
	runStore(l, o)
}

func runStore(l *lane, o *op) {
	if l.t[o.a]&2 != 0 {
		panic(ub("store to poison"))
	}
	lay := o.x.lay
	if lay.size == 0 {
		return
	}
	a, at := l.check(o.space, l.v[o.a], lay.size, o.align, shValid|shWrite)
	a.storeLeaves(at, lay, l.v[o.b:o.b+lay.words], l.t[o.b:o.b+lay.words])
}

// gepIndex is a getelementptr index other than a constant struct index.
type gepIndex struct {
	slot, step, words, bits int32
	size                    uint64
}

func (c *compiler) emitGEP(v ir.Value) {
	f := c.f
	var ops []ir.Value
	for _, o := range f.Operands(v) {
		ops = append(ops, o.Value)
	}
	c.gep(v, f.TypeOf(v), f.GEPSource(v), f.Instr(v).Flags, ops, f.TypeOf)
}

func (c *compiler) gep(v ir.Value, t, source ir.Type, flags ir.Flags, ops []ir.Value, typeOf func(ir.Value) ir.Type) {
	m := c.mc.m
	x := &extra{}
	o := c.op(v, runGEP)
	o.x = x
	_, o.n = c.mc.layout(t).scalarOf()
	spec := m.Layout().Pointer(m.AddrSpace(t))
	o.bits, o.mask, o.flags = int32(spec.IndexBits), maskOf(int32(spec.IndexBits)), flags
	o.a = c.slot(ops[0])
	if m.IsVector(typeOf(ops[0])) {
		o.step[0] = 1
	}
	at := source
	for i, ix := range ops[1:] {
		it := typeOf(ix)
		if i > 0 && m.Kind(at) == ir.KindStruct {
			n := constIndex(m, ix)
			o.imm += m.FieldOffset(at, int(n))
			at = m.ElementType(at, n)
			continue
		}
		if i > 0 {
			at = m.ElementType(at, 0)
		}
		e, _ := c.mc.layout(it).scalarOf()
		g := gepIndex{slot: c.slot(ix), words: e.words, bits: e.bits, size: m.AllocSize(at)}
		if m.IsVector(it) {
			g.step = e.words
		}
		x.gep = append(x.gep, g)
	}
	if len(x.gep) == 1 && o.n == 1 && flags == 0 && x.gep[0].words == 1 {
		o.run = runGEPWord
	}
}

func constIndex(m *ir.Module, v ir.Value) uint64 {
	if m.IsVector(m.TypeOfConst(v)) {
		v = m.SplatValue(v)
	}
	n, _ := m.IntValue(v)
	return n
}

// runGEPWord is the fast path for the most frequent case.
func runGEPWord(l *lane, o *op) {
	g := &o.x.gep[0]
	p := l.v[o.a]
	off := uint64(sx(l.v[g.slot], g.bits))*g.size + o.imm
	l.v[o.dst], l.t[o.dst] = p&^o.mask|(p+off)&o.mask, l.t[o.a]|l.t[g.slot]
}

func runGEP(l *lane, o *op) {
	for i := range o.n {
		p, mark := l.v[o.a+i*o.step[0]], l.t[o.a+i*o.step[0]]
		off := uint64(0)
		for j := range o.x.gep {
			g := &o.x.gep[j]
			at := g.slot + i*g.step
			mark |= l.t[at]
			n := sx(l.v[at], min(g.bits, 64))
			if o.flags&(ir.NUSW|ir.InBounds) != 0 && !mulFits(n, g.size, o.bits) ||
				o.flags&ir.NUW != 0 && !mulFitsU(l.v[at], g.size, o.bits) {
				mark = poison
			}
			off += uint64(n) * g.size
		}
		off += o.imm
		r := (p + off) & o.mask
		base := p & o.mask
		if o.flags&(ir.NUSW|ir.InBounds) != 0 && sx(off&o.mask, o.bits) >= 0 == (r < base) && off&o.mask != 0 ||
			o.flags&ir.NUW != 0 && r < base {
			mark = poison
		}
		l.v[o.dst+i], l.t[o.dst+i] = p&^o.mask|r, mark
	}
}

func mulFits(n int64, size uint64, width int32) bool {
	hi, lo := bits.Mul64(uint64(max(n, -n)), size)
	return hi == 0 && lo>>(width-1) == 0
}

func mulFitsU(n, size uint64, width int32) bool {
	hi, lo := bits.Mul64(n&maskOf(width), size)
	return hi == 0 && lo&^maskOf(width) == 0
}

func (c *compiler) emitCmpXchg(v ir.Value) {
	f, m := c.f, c.mc.m
	p, x := f.Operand(v, 0), f.Operand(v, 1)
	o := c.op(v, func(l *lane, o *op) {
		if (l.t[o.a]|l.t[o.b]|l.t[o.c])&2 != 0 {
			panic(ub("cmpxchg with a poison operand"))
		}
		a, at := l.check(o.space, l.v[o.a], uint64(o.words), o.align, shValid|shWrite)
		old, mark := a.get(at, o.words)
		ok := old == l.v[o.b]
		if ok {
			a.put(at, o.words, l.v[o.c], l.t[o.c])
		}
		l.v[o.dst], l.t[o.dst] = old, mark
		l.v[o.dst+1], l.t[o.dst+1] = b2u(ok), mark|l.t[o.b]
	})
	lay := c.mc.layout(f.TypeOf(x))
	if lay.words > 1 {
		panic(c.mc.unsupported("cmpxchg of %d bits", lay.bits))
	}
	o.a, o.b, o.c = c.slot(p), c.slot(x), c.slot(f.Operand(v, 2))
	o.words, o.space, o.align = int32(lay.size), m.AddrSpace(f.TypeOf(p)), f.Align(v)
}

func (c *compiler) emitRMW(v ir.Value) {
	f, m := c.f, c.mc.m
	p, x := f.Operand(v, 0), f.Operand(v, 1)
	lay := c.mc.layout(f.TypeOf(x))
	e, n := lay.scalarOf()
	if e.words > 1 {
		panic(c.mc.unsupported("atomicrmw of %d bits", e.bits))
	}
	o := c.op(v, runRMW)
	o.a, o.b = c.slot(p), c.slot(x)
	o.n, o.words, o.space, o.align = n, e.bits/8, m.AddrSpace(f.TypeOf(p)), f.Align(v)
	o.bits, o.rbits, o.kind, o.mask, o.sub = e.bits, e.bits, e.kind, maskOf(e.bits), f.Instr(v).Sub
	if e.bits%8 != 0 {
		o.words = int32(e.size)
	}
}

func runRMW(l *lane, o *op) {
	if l.t[o.a]&2 != 0 {
		panic(ub("atomicrmw at poison"))
	}
	a, at := l.check(o.space, l.v[o.a], uint64(o.words*o.n), o.align, shValid|shWrite)
	for i := range o.n {
		old, mark := a.get(at, o.words)
		x, xm := l.v[o.b+i], l.t[o.b+i]
		r := rmw(ir.RMWOp(o.sub), o, old, x)
		switch k := ir.RMWOp(o.sub); {
		case k == ir.RMWXchg:
		case (k == ir.RMWFMax || k == ir.RMWFMin) && (isSNaN(o.kind, old) || isSNaN(o.kind, x)):
			xm |= mark | undef // quiet NaN or the other operand
		default:
			xm |= mark
		}
		a.put(at, o.words, r&o.mask, xm)
		l.v[o.dst+i], l.t[o.dst+i] = old, mark
		at += uint64(o.words)
	}
}

// rmw returns the new memory value of an atomic operation.
func rmw(k ir.RMWOp, o *op, x, y uint64) uint64 {
	pick := func(first bool) uint64 {
		if first {
			return x
		}
		return y
	}
	a, b := sx(x, o.bits), sx(y, o.bits)
	switch k {
	case ir.RMWXchg:
		return y
	case ir.RMWAdd:
		return x + y
	case ir.RMWSub:
		return x - y
	case ir.RMWAnd:
		return x & y
	case ir.RMWNand:
		return ^(x & y)
	case ir.RMWOr:
		return x | y
	case ir.RMWXor:
		return x ^ y
	case ir.RMWMax:
		return pick(a >= b)
	case ir.RMWMin:
		return pick(a <= b)
	case ir.RMWUMax:
		return pick(x >= y)
	case ir.RMWUMin:
		return pick(x <= y)
	case ir.RMWFAdd:
		return floatOps[ir.OpFAdd](o.kind, x, y, 0)
	case ir.RMWFSub:
		return floatOps[ir.OpFSub](o.kind, x, y, 0)
	case ir.RMWFMax, ir.RMWFMin, ir.RMWFMaximum, ir.RMWFMinimum:
		return minMax(k == ir.RMWFMax || k == ir.RMWFMaximum, k >= ir.RMWFMaximum)(o.kind, x, y, 0)
	}
	return rmwWrap(k, x, y)
}

func rmwWrap(k ir.RMWOp, x, y uint64) uint64 {
	switch {
	case k == ir.RMWUIncWrap && x >= y:
		return 0
	case k == ir.RMWUIncWrap:
		return x + 1
	case k == ir.RMWUDecWrap && (x == 0 || x > y):
		return y
	case k == ir.RMWUDecWrap:
		return x - 1
	case x >= y: // usub_cond, usub_sat
		return x - y
	case k == ir.RMWUSubSat:
		return 0
	}
	return x
}
