package ireval

import (
	"math"
	"sort"

	"github.com/gfx-toolchain/gfx/ir"
)

func (c *compiler) emitArith(v ir.Value) {
	f, m := c.f, c.mc.m
	in := f.Instr(v)
	t := f.TypeOf(v)
	ops := make([]ir.Value, 0, 2)
	for _, o := range f.Operands(v) {
		ops = append(ops, o.Value)
	}
	o := c.elements(v, t, ops...)
	o.flags = in.Flags
	if m.IsFloatOrFloatVector(t) {
		o.f = withFlags(floatOps[in.Op])
		if o.flags&(ir.NoNaNs|ir.NoInfs) == 0 && o.n == 1 && o.kind == ir.KindFloat && fast32[in.Op] != nil {
			o.run = fast32[in.Op]
		}
		return
	}
	i := intOps[in.Op]
	o.f = i.fast
	if o.x != nil {
		o.x.bins = i.wide
	}
	switch in.Op {
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem:
		o.imm = dividesUB
	}
	if o.x == nil && o.n == 1 && in.Flags == 0 && fastInt[in.Op] != nil {
		o.run = fastInt[in.Op]
	}
}

// binFast returns a single-word operation without flags.
func binFast(f func(x, y uint64) uint64) func(l *lane, o *op) {
	return func(l *lane, o *op) {
		l.v[o.dst] = f(l.v[o.a], l.v[o.b]) & o.mask
		l.t[o.dst] = l.t[o.a] | l.t[o.b]
	}
}

// fastInt and fast32 are fast paths for the most frequent operations.
var fastInt = map[ir.Op]func(l *lane, o *op){
	ir.OpAdd: func(l *lane, o *op) {
		l.v[o.dst] = (l.v[o.a] + l.v[o.b]) & o.mask
		l.t[o.dst] = l.t[o.a] | l.t[o.b]
	},
	ir.OpSub: binFast(func(x, y uint64) uint64 { return x - y }),
	ir.OpMul: binFast(func(x, y uint64) uint64 { return x * y }),
	ir.OpAnd: binFast(func(x, y uint64) uint64 { return x & y }),
	ir.OpOr:  binFast(func(x, y uint64) uint64 { return x | y }),
	ir.OpXor: binFast(func(x, y uint64) uint64 { return x ^ y }),
}

func bin32(f func(x, y float32) float32) func(l *lane, o *op) {
	return func(l *lane, o *op) {
		r := f(math.Float32frombits(uint32(l.v[o.a])), math.Float32frombits(uint32(l.v[o.b])))
		b := uint64(math.Float32bits(r))
		if r != r {
			b = quietNaN[ir.KindFloat]
		}
		l.v[o.dst], l.t[o.dst] = b, l.t[o.a]|l.t[o.b]
	}
}

var fast32 = map[ir.Op]func(l *lane, o *op){
	ir.OpFAdd: bin32(func(x, y float32) float32 { return x + y }),
	ir.OpFSub: bin32(func(x, y float32) float32 { return x - y }),
	ir.OpFMul: bin32(func(x, y float32) float32 { return x * y }),
	ir.OpFDiv: bin32(func(x, y float32) float32 { return x / y }),
}

func (c *compiler) emitICmp(v ir.Value) {
	f := c.f
	o := c.elements(v, f.TypeOf(v), f.Operand(v, 0), f.Operand(v, 1))
	o.sub, o.flags, o.f = f.Instr(v).Sub, f.Instr(v).Flags, compareFast
	if o.x != nil {
		o.x.bins = compareWide
	}
}

func (c *compiler) emitFCmp(v ir.Value) {
	f := c.f
	o := c.elements(v, f.TypeOf(v), f.Operand(v, 0), f.Operand(v, 1))
	o.sub, o.flags, o.f = f.Instr(v).Sub, f.Instr(v).Flags, fcmp
}

// emitSelect copies one of two values, element by element if the condition is a
// vector.
func (c *compiler) emitSelect(v ir.Value) {
	f, m := c.f, c.mc.m
	cond := f.Operand(v, 0)
	lay := c.mc.layout(f.TypeOf(v))
	o := c.op(v, runSelect)
	o.a, o.b, o.c = c.slot(cond), c.slot(f.Operand(v, 1)), c.slot(f.Operand(v, 2))
	o.words = lay.words
	if m.IsVector(f.TypeOf(cond)) {
		o.n, o.words, o.step[0] = lay.n, lay.elem.words, 1
	}
	if fl := f.Instr(v).Flags & (ir.NoNaNs | ir.NoInfs); fl != 0 {
		if e, n := lay.scalarOf(); e.kind != ir.KindArray && e.kind != ir.KindStruct {
			p := c.op(v, runFastCheck)
			p.n, p.kind, p.flags = n, e.kind, fl
		}
	}
}

// runFastCheck turns results that nnan or ninf exclude into poison.
func runFastCheck(l *lane, o *op) {
	for i := o.dst; i < o.dst+o.n; i++ {
		if breaks(o.flags, value(o.kind, l.v[i])) {
			l.t[i] = poison
		}
	}
}

func runSelect(l *lane, o *op) {
	cond, at := o.a, int32(0)
	for range o.n {
		from := o.c
		if l.v[cond]&1 != 0 {
			from = o.b
		}
		mark := l.t[cond]
		for w := at; w < at+o.words; w++ {
			l.v[o.dst+w], l.t[o.dst+w] = l.v[from+w], l.t[from+w]|mark
		}
		at += o.words
		cond += o.step[0]
	}
}

func (c *compiler) emitFreeze(v ir.Value) {
	o := c.op(v, func(l *lane, o *op) {
		for w := range o.words {
			l.v[o.dst+w] = l.v[o.a+w]
			if l.t[o.a+w]&2 != 0 {
				l.v[o.dst+w] = l.mc.undefWord(o.x.widths[w])
			}
			l.t[o.dst+w] = 0
		}
	})
	lay := c.mc.layout(c.f.TypeOf(v))
	o.a, o.words = c.slot(c.f.Operand(v, 0)), lay.words
	o.x = &extra{widths: lay.widths()}
}

func (c *compiler) emitExtractElement(v ir.Value) {
	f := c.f
	lay := c.mc.layout(f.TypeOf(f.Operand(v, 0)))
	ix := c.mc.layout(f.TypeOf(f.Operand(v, 1)))
	o := c.op(v, func(l *lane, o *op) {
		i, ok := l.element(o.b, o.step[0], o.n)
		for w := range o.words {
			if !ok {
				l.v[o.dst+w], l.t[o.dst+w] = 0, poison
				continue
			}
			l.v[o.dst+w], l.t[o.dst+w] = l.v[o.a+i*o.words+w], l.t[o.a+i*o.words+w]|l.t[o.b]
		}
	})
	o.a, o.b, o.n, o.words, o.step[0] = c.slot(f.Operand(v, 0)), c.slot(f.Operand(v, 1)), lay.n, lay.elem.words, ix.words
}

// element reads an element index. It returns false if the index is out of range
// or poison.
func (l *lane) element(at, words, n int32) (int32, bool) {
	for w := int32(1); w < words; w++ {
		if l.v[at+w] != 0 {
			return 0, false
		}
	}
	return int32(l.v[at]), l.t[at]&2 == 0 && l.v[at] < uint64(n)
}

func (c *compiler) emitInsertElement(v ir.Value) {
	f := c.f
	lay := c.mc.layout(f.TypeOf(v))
	ix := c.mc.layout(f.TypeOf(f.Operand(v, 2)))
	o := c.op(v, func(l *lane, o *op) {
		i, ok := l.element(o.c, o.step[0], o.n)
		for w := range o.n * o.words {
			l.v[o.dst+w], l.t[o.dst+w] = l.v[o.a+w], l.t[o.a+w]|l.t[o.c]
			if !ok {
				l.t[o.dst+w] = poison
			}
		}
		if ok {
			for w := range o.words {
				l.v[o.dst+i*o.words+w], l.t[o.dst+i*o.words+w] = l.v[o.b+w], l.t[o.b+w]|l.t[o.c]
			}
		}
	})
	o.a, o.b, o.c = c.slot(f.Operand(v, 0)), c.slot(f.Operand(v, 1)), c.slot(f.Operand(v, 2))
	o.n, o.words, o.step[0] = lay.n, lay.elem.words, ix.words
}

func (c *compiler) emitShuffle(v ir.Value) {
	f := c.f
	lay := c.mc.layout(f.TypeOf(f.Operand(v, 0)))
	o := c.op(v, func(l *lane, o *op) {
		to := o.dst
		for _, i := range o.x.mask {
			from := o.a
			if int32(i) >= o.n && i != ir.PoisonElement {
				from, i = o.b, i-uint32(o.n)
			}
			for w := range o.words {
				if i == ir.PoisonElement {
					l.v[to], l.t[to] = 0, poison
				} else {
					at := from + int32(i)*o.words + w
					l.v[to], l.t[to] = l.v[at], l.t[at]
				}
				to++
			}
		}
	})
	o.x = &extra{mask: append([]uint32(nil), f.Mask(v)...)}
	o.a, o.b, o.n, o.words = c.slot(f.Operand(v, 0)), c.slot(f.Operand(v, 1)), lay.n, lay.elem.words
}

func runCopy(l *lane, o *op) {
	copy(l.v[o.dst:o.dst+o.words], l.v[o.a:o.a+o.words])
	copy(l.t[o.dst:o.dst+o.words], l.t[o.a:o.a+o.words])
}

func (c *compiler) emitExtractValue(v ir.Value) {
	f := c.f
	part, at := c.mc.layout(f.TypeOf(f.Operand(v, 0))).part(f.Indices(v))
	o := c.op(v, runCopy)
	o.a, o.words = c.slot(f.Operand(v, 0))+at, part.words
}

func (c *compiler) emitInsertValue(v ir.Value) {
	f := c.f
	lay := c.mc.layout(f.TypeOf(v))
	part, at := lay.part(f.Indices(v))
	o := c.op(v, runCopy)
	o.a, o.words = c.slot(f.Operand(v, 0)), lay.words
	o = c.op(v, runCopy)
	o.a, o.words = c.slot(f.Operand(v, 1)), part.words
	o.dst += at
}

// Control flow.

func (c *compiler) emitRet(v ir.Value) {
	o := c.op(v, func(l *lane, o *op) { l.leave(o.a, o.words) })
	if c.f.NumOperands(v) > 0 {
		x := c.f.Operand(v, 0)
		o.a, o.words = c.slot(x), c.mc.layout(c.f.TypeOf(x)).words
	}
}

// edge creates the edge between two blocks.
func (c *compiler) edge(from, to ir.Block) edge {
	e := edge{target: to}
	f := c.f
	for v := f.First(to); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
		x := f.PhiValue(v, from)
		words := c.mc.layout(f.TypeOf(v)).words
		if x == ir.None {
			panic(c.mc.unsupported("phi has no value for a predecessor"))
		}
		if src := c.slot(x); src != c.slots[v] {
			e.moves = append(e.moves, move{c.slots[v], src, words})
			e.words += words
		}
	}
	return e
}

func (l *lane) follow(e *edge) {
	l.pc = e.pc
	if e.loop > 0 {
		l.trips[l.trip+e.loop-1] = 0
	} else if e.loop < 0 {
		l.trips[l.trip-e.loop-1]++
	}
	if len(e.moves) == 1 {
		m := &e.moves[0]
		copy(l.v[m.dst:m.dst+m.words], l.v[m.src:m.src+m.words])
		copy(l.t[m.dst:m.dst+m.words], l.t[m.src:m.src+m.words])
		return
	}
	if len(e.moves) == 0 {
		return
	}
	if int(e.words) > len(l.move) {
		l.move, l.moveT = make([]uint64, e.words), make([]uint8, e.words)
	}
	at := int32(0)
	for i := range e.moves {
		m := &e.moves[i]
		for w := range m.words {
			l.move[at], l.moveT[at] = l.v[m.src+w], l.t[m.src+w]
			at++
		}
	}
	at = 0
	for i := range e.moves {
		m := &e.moves[i]
		for w := range m.words {
			l.v[m.dst+w], l.t[m.dst+w] = l.move[at], l.moveT[at]
			at++
		}
	}
}

func (c *compiler) emitBr(v ir.Value) {
	f := c.f
	b := f.Parent(v)
	if f.NumOperands(v) == 1 {
		o := c.op(v, func(l *lane, o *op) { l.follow(&o.x.edges[0]) })
		o.x = &extra{edges: []edge{c.edge(b, f.Operand(v, 0).Block())}}
		return
	}
	o := c.op(v, func(l *lane, o *op) {
		if l.t[o.a]&2 != 0 {
			panic(ub("branch on poison"))
		}
		l.follow(&o.x.edges[1-l.v[o.a]&1])
	})
	o.a = c.slot(f.Operand(v, 0))
	x := &extra{edges: []edge{c.edge(b, f.Operand(v, 1).Block()), c.edge(b, f.Operand(v, 2).Block())}}
	o.x = x
}

func (c *compiler) emitSwitch(v ir.Value) {
	f := c.f
	b := f.Parent(v)
	o := c.op(v, runSwitch)
	o.a, o.words = c.slot(f.Operand(v, 0)), c.mc.layout(f.TypeOf(f.Operand(v, 0))).words
	x := &extra{edges: []edge{c.edge(b, f.Operand(v, 1).Block())}}
	for i := range f.NumCases(v) {
		k, to := f.CaseOf(v, i)
		x.cases = append(x.cases, switchCase{c.mc.m.Words(k), int32(len(x.edges))})
		x.edges = append(x.edges, c.edge(b, to))
	}
	sort.SliceStable(x.cases, func(i, j int) bool { return compareWords(x.cases[i].words, x.cases[j].words) < 0 })
	o.x = x
}

func compareWords(a, b []uint64) int {
	for i := len(a) - 1; i >= 0; i-- {
		if a[i] != b[i] {
			if a[i] < b[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

func runSwitch(l *lane, o *op) {
	if l.t[o.a]&2 != 0 {
		panic(ub("switch on poison"))
	}
	x := l.v[o.a : o.a+o.words]
	cases := o.x.cases
	i := sort.Search(len(cases), func(i int) bool { return compareWords(cases[i].words, x) >= 0 })
	if i < len(cases) && compareWords(cases[i].words, x) == 0 {
		l.follow(&o.x.edges[cases[i].edge])
		return
	}
	l.follow(&o.x.edges[0])
}

// emitIndirect compiles indirectbr. The address of a block is its function's
// address plus the block number.
func (c *compiler) emitIndirect(v ir.Value) {
	f := c.f
	o := c.op(v, func(l *lane, o *op) {
		e, ok := o.x.blocks[l.v[o.a]]
		if l.t[o.a]&2 != 0 || !ok {
			panic(ub("indirectbr to an address that is not in its destination list"))
		}
		l.follow(&o.x.edges[e])
	})
	x := &extra{blocks: map[uint64]int32{}}
	o.a, o.x = c.slot(f.Operand(v, 0)), x
	for _, s := range f.Successors(f.Parent(v)) {
		to := s.Value.Block()
		x.blocks[c.mc.addrOf(f.Global)+uint64(to)] = int32(len(x.edges))
		x.edges = append(x.edges, c.edge(f.Parent(v), to))
	}
}
