package ireval

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// op is an operation of a compiled function. Its operands are word indices in
// the frame.
type op struct {
	run     func(l *lane, o *op)
	f       func(o *op, x, y, z uint64) (uint64, uint8)
	mask    uint64 // mask of a result element
	imm     uint64
	dst     int32
	a, b, c int32
	n       int32    // number of elements
	step    [3]int32 // distance in words between elements of a, b, c; 0 if all elements share one
	bits    int32    // width of an element of a
	rbits   int32    // width of a result element
	words   int32
	flags   ir.Flags
	sub     uint8
	kind    ir.TypeKind // kind of an element of a
	space   uint32
	align   uint32
	v       ir.Value
	x       *extra
}

// extra holds the data that only a few operations need.
type extra struct {
	lay, src *layout
	bins     func(o *op, x, y, z *bigInt) (*bigInt, uint8)
	edges    []edge
	cases    []switchCase
	args     []arg
	fn       *ir.Function // callee
	fnType   ir.Type
	gep      []gepIndex
	widths   []int32  // width of each word
	mask     []uint32 // shufflevector
	cross    func(w *wave, lanes []*lane, o *op)
	result   *check
	blocks   map[uint64]int32 // indirectbr: edges by address
	intr     ir.Intrinsic
}

// arg is an operand of a call.
type arg struct{ slot, words int32 }

type move struct{ dst, src, words int32 }

// edge is a branch to a block with the values for its phis.
type edge struct {
	pc     int32
	moves  []move
	words  int32 // total of all moves; with several moves, all sources are read before writing
	target ir.Block
	loop   int32 // n: enters the loop of depth n-1; -n: starts its next iteration
}

type switchCase struct {
	words []uint64
	edge  int32
}

type param struct {
	slot, words int32
	byVal       uint64 // size in bytes
	align       uint64
	space       uint32
	check       *check
}

// cfunc is a compiled function.
type cfunc struct {
	f          *ir.Function
	code       []op
	words      int32
	consts     []uint64 // initial words of the frame
	constMarks []uint8
	params     []param
	result     *check
	order      []int32   // position of each op in the convergence order
	blocks     []int32   // block of each op
	loops      [][]int32 // headers of the loops around each block, outermost first
	depth      int32     // depth of the deepest loop
}

type compiler struct {
	mc     *Machine
	f      *ir.Function
	fn     *cfunc
	slots  []int32 // slots of local values
	consts map[ir.Value]int32
	starts []int32 // first op of each block
	live   []bool  // reachable blocks
}

// compiled returns the compiled form of a function.
func (mc *Machine) compiled(f *ir.Function) *cfunc {
	if fn := mc.funcs[f.Global]; fn != nil {
		return fn
	}
	if f.IsDeclaration() {
		panic(mc.unsupported("call of @%s, which is only declared", f.Name()))
	}
	c := &compiler{mc: mc, f: f, fn: &cfunc{f: f}, consts: map[ir.Value]int32{}}
	c.assign()
	c.emitBlocks()
	c.findOrder()
	mc.funcs[f.Global] = c.fn
	return c.fn
}

// assign assigns slots to all constants and values of the function, constants
// first.
func (c *compiler) assign() {
	f := c.f
	c.slots = make([]int32, f.NumValues())
	c.live = c.reachable()
	live := c.live
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !live[b] {
			continue
		}
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for _, o := range f.Operands(v) {
				if o.Value.IsConst() {
					c.constSlot(o.Value)
				}
			}
		}
	}
	at := int32(len(c.fn.consts))
	place := func(t ir.Type) int32 {
		s := at
		at += c.mc.layout(t).words
		if at > maxWords {
			panic(c.mc.unsupported("function with values of more than %d words", maxWords))
		}
		return s
	}
	for i := range f.NumArgs() {
		v := f.Arg(i)
		t := f.TypeOf(v)
		c.slots[v] = place(t)
		c.fn.params = append(c.fn.params, c.param(i, t))
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !live[b] {
			continue
		}
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			c.slots[v] = place(f.TypeOf(v))
		}
	}
	c.fn.words = at
	c.fn.result = c.mc.attrCheck(f.Attributes, ir.AttrResult, f.ReturnType())
}

func (c *compiler) reachable() []bool {
	f := c.f
	live := make([]bool, f.NumBlocks())
	stack := []ir.Block{f.Entry()}
	live[f.Entry()] = true
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range f.Successors(b) {
			if s.Value.IsBlock() && !live[s.Value.Block()] {
				live[s.Value.Block()] = true
				stack = append(stack, s.Value.Block())
			}
		}
	}
	return live
}

// constSlot returns the slot of a constant, and allocates it if necessary.
func (c *compiler) constSlot(v ir.Value) int32 {
	if s, ok := c.consts[v]; ok {
		return s
	}
	m := c.mc.m
	s := int32(len(c.fn.consts))
	c.consts[v] = s
	if m.Asm(v) != nil || m.Kind(m.TypeOfConst(v)) == ir.KindToken {
		return s
	}
	if g := m.ConstGlobal(v); g != nil && g.Kind == ir.GlobalFunc && g.Func.Intrinsic != ir.NoIntrinsic {
		return s
	}
	n := c.mc.layout(m.TypeOfConst(v)).words
	words, marks := make([]uint64, n), make([]uint8, n)
	c.mc.constant(v, words, marks)
	c.fn.consts = append(c.fn.consts, words...)
	c.fn.constMarks = append(c.fn.constMarks, marks...)
	return s
}

// slot returns the slot of an operand.
func (c *compiler) slot(v ir.Value) int32 {
	switch {
	case v.IsConst():
		return c.constSlot(v)
	case v.IsLocal():
		return c.slots[v]
	}
	return 0
}

func (c *compiler) param(i int, t ir.Type) param {
	f, m := c.f, c.mc.m
	p := param{slot: c.slots[f.Arg(i)], words: c.mc.layout(t).words}
	attrs := m.AttrsAt(f.Attributes, ir.AttrParams+i)
	p.check = c.mc.attrCheck(f.Attributes, ir.AttrParams+i, t)
	if a, ok := m.Attr(attrs, ir.AttrByVal); ok && !f.CC.IsKernel() {
		p.byVal = m.AllocSize(a.Type)
		p.space = m.AddrSpace(t)
		p.align = uint64(m.ABIAlign(a.Type))
		if al, ok := m.Attr(attrs, ir.AttrAlign); ok {
			p.align = max(p.align, al.Int)
		}
	}
	return p
}

// emitBlocks compiles all reachable blocks.
func (c *compiler) emitBlocks() {
	f := c.f
	live := c.live
	c.starts = make([]int32, f.NumBlocks())
	c.fn.code = make([]op, 0, f.NumValues()+f.NumValues()/8)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !live[b] {
			continue
		}
		c.starts[b] = int32(len(c.fn.code))
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) != ir.OpPhi {
				c.emitSafely(v)
			}
		}
	}
	for i := range c.fn.code {
		if x := c.fn.code[i].x; x != nil {
			for j := range x.edges {
				x.edges[j].pc = c.starts[x.edges[j].target]
			}
		}
	}
}

// emitSafely compiles an instruction. An unsupported instruction fails when it
// is executed.
func (c *compiler) emitSafely(v ir.Value) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			o := c.op(v, func(l *lane, o *op) { panic(&Error{Kind: e.Kind, Message: e.Message}) })
			o.v = v
		default:
			panic(e)
		}
	}()
	c.emit(v)
}

// op adds an operation.
func (c *compiler) op(v ir.Value, run func(l *lane, o *op)) *op {
	c.fn.code = append(c.fn.code, op{run: run, v: v, dst: c.slots[v], n: 1})
	return &c.fn.code[len(c.fn.code)-1]
}

// emitters holds the compilers of instructions by operation.
var emitters [ir.NumOps]func(c *compiler, v ir.Value)

func init() {
	for op := range ir.NumOps {
		switch {
		case op.IsBinary() || op.IsUnary():
			emitters[op] = (*compiler).emitArith
		case op.IsCast():
			emitters[op] = (*compiler).emitCast
		}
	}
	for op, f := range map[ir.Op]func(c *compiler, v ir.Value){
		ir.OpRet: (*compiler).emitRet, ir.OpBr: (*compiler).emitBr, ir.OpSwitch: (*compiler).emitSwitch,
		ir.OpIndirectBr: (*compiler).emitIndirect, ir.OpInvoke: (*compiler).emitCall,
		ir.OpUnreachable: func(c *compiler, v ir.Value) {
			c.op(v, func(l *lane, o *op) { panic(ub("unreachable executed")) })
		},
		ir.OpAlloca: (*compiler).emitAlloca, ir.OpLoad: (*compiler).emitLoad, ir.OpStore: (*compiler).emitStore,
		ir.OpGetElementPtr: (*compiler).emitGEP, ir.OpFence: func(c *compiler, v ir.Value) {},
		ir.OpCmpXchg: (*compiler).emitCmpXchg, ir.OpAtomicRMW: (*compiler).emitRMW,
		ir.OpICmp: (*compiler).emitICmp, ir.OpFCmp: (*compiler).emitFCmp, ir.OpCall: (*compiler).emitCall,
		ir.OpSelect: (*compiler).emitSelect, ir.OpFreeze: (*compiler).emitFreeze,
		ir.OpExtractElement: (*compiler).emitExtractElement, ir.OpInsertElement: (*compiler).emitInsertElement,
		ir.OpShuffleVector: (*compiler).emitShuffle, ir.OpExtractValue: (*compiler).emitExtractValue,
		ir.OpInsertValue: (*compiler).emitInsertValue,
	} {
		emitters[op] = f
	}
}

func (c *compiler) emit(v ir.Value) {
	if e := emitters[c.f.Op(v)]; e != nil {
		e(c, v)
		return
	}
	panic(c.mc.unsupported("%s", c.f.Op(v)))
}

// elements adds an elementwise operation on up to three operands.
func (c *compiler) elements(v ir.Value, t ir.Type, ops ...ir.Value) *op {
	o := c.op(v, runElements)
	c.setElements(o, t, ops...)
	return o
}

func (c *compiler) setElements(o *op, t ir.Type, ops ...ir.Value) {
	re, n := c.mc.layout(t).scalarOf()
	o.n, o.rbits, o.words = n, re.bits, re.words
	o.mask = maskOf(re.bits)
	places := [3]*int32{&o.a, &o.b, &o.c}
	wide := re.words > 1
	for i, v := range ops {
		lay := c.mc.layout(c.f.TypeOf(v))
		e, _ := lay.scalarOf()
		*places[i] = c.slot(v)
		if lay.kind == ir.KindVector {
			o.step[i] = e.words
		}
		if i == 0 {
			o.bits, o.kind = e.bits, e.kind
		}
		wide = wide || e.words > 1
	}
	for i := len(ops); i < 3; i++ {
		*places[i], o.step[i] = o.a, o.step[0]
	}
	if wide {
		o.run = runWide
		o.x = &extra{}
		c.wideSizes(o, ops)
	}
}

// wideSizes records the widths of the operands for runWide.
func (c *compiler) wideSizes(o *op, ops []ir.Value) {
	for _, v := range ops {
		e, _ := c.mc.layout(c.f.TypeOf(v)).scalarOf()
		o.x.args = append(o.x.args, arg{0, e.words})
	}
}

func maskOf(bits int32) uint64 {
	if bits >= 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// runElements executes an operation on elements of at most 64 bits.
func runElements(l *lane, o *op) {
	v, t := l.v, l.t
	a, b, c := o.a, o.b, o.c
	for i := range o.n {
		mark := t[a] | t[b] | t[c]
		if mark&2 != 0 && o.imm&needsAll == 0 {
			v[o.dst+i], t[o.dst+i] = 0, poison
			if o.imm&dividesUB != 0 && t[b]&2 != 0 {
				panic(ub("division by poison"))
			}
		} else {
			r, p := o.f(o, v[a], v[b], v[c])
			v[o.dst+i], t[o.dst+i] = r&o.mask, p|mark
		}
		a, b, c = a+o.step[0], b+o.step[1], c+o.step[2]
	}
}

// Bits of op.imm for elementwise operations.
const (
	dividesUB = 1 << 62 // a poison divisor is undefined behaviour
	needsAll  = 1 << 63 // f is called for poison as well
)

// runWide executes an operation on elements of any width.
func runWide(l *lane, o *op) {
	if o.x.bins == nil {
		panic(l.mc.unsupported("operation on wide values"))
	}
	v, t := l.v, l.t
	at := [3]int32{o.a, o.b, o.c}
	for i := range o.n {
		var in [3]*bigInt
		mark := uint8(0)
		for j, a := range o.x.args {
			in[j] = bigOf(v[at[j] : at[j]+a.words])
			mark |= t[at[j]]
			if j == 1 && o.imm&dividesUB != 0 && t[at[j]]&2 != 0 {
				panic(ub("division by poison"))
			}
			at[j] += o.step[j]
		}
		to := o.dst + i*o.words
		if mark&2 == 0 {
			r, p := o.x.bins(o, in[0], in[1], in[2])
			putBig(v[to:to+o.words], r, o.rbits)
			mark |= p
		}
		for w := range o.words {
			t[to+w] = mark
		}
	}
}
