package ireval

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// emitCall compiles a call or invoke. An invoke always continues at its normal
// destination.
func (c *compiler) emitCall(v ir.Value) {
	f, m := c.f, c.mc.m
	callee := f.Callee(v)
	id := f.CalledIntrinsic(v)
	switch fn := f.CalledFunction(v); {
	case id != ir.NoIntrinsic:
		c.emitIntrinsic(v, id)
	case m.Asm(callee) != nil:
		c.emitAsm(v, m.Asm(callee))
	default:
		c.emitPlainCall(v, fn, callee)
	}
	if f.Op(v) == ir.OpInvoke {
		o := c.op(v, func(l *lane, o *op) { l.follow(&o.x.edges[0]) })
		o.x = &extra{edges: []edge{c.edge(f.Parent(v), f.CallSuccessors(v)[0].Value.Block())}}
	}
}

func (c *compiler) emitPlainCall(v ir.Value, fn *ir.Function, callee ir.Value) {
	f := c.f
	x := &extra{fn: fn, fnType: f.CallType(v)}
	x.result = c.mc.attrCheck(f.CallAttrs(v), ir.AttrResult, f.TypeOf(v))
	var checks []*check
	for i, a := range f.Args(v) {
		t := f.TypeOf(a.Value)
		x.args = append(x.args, arg{c.slot(a.Value), c.mc.layout(t).words})
		checks = append(checks, c.mc.attrCheck(f.CallAttrs(v), ir.AttrParams+i, t))
	}
	for i, k := range checks {
		if k != nil && k.noUndef {
			o := c.op(v, func(l *lane, o *op) { o.x.result.apply(l, o.a) })
			only := &check{words: k.words, noUndef: true}
			o.a, o.x = x.args[i].slot, &extra{result: only}
		}
	}
	o := c.op(v, runCall)
	o.x = x
	if fn == nil {
		o.a = c.slot(callee)
	}
}

func runCall(l *lane, o *op) {
	fn := o.x.fn
	if fn == nil {
		if l.t[o.a]&2 != 0 {
			panic(ub("call of a poison function pointer"))
		}
		fn = l.mc.function(l.v[o.a])
	}
	t := l.mc.m.TypeInfo(fn.Global.Type)
	switch {
	case t.VarArg:
		panic(l.mc.unsupported("call of a variadic function"))
	case fn.Global.Type != o.x.fnType && !(l.mc.opts.LoosePointers && l.mc.fits(t, o.x.fnType)):
		panic(ub("call of @%s with a different function type", fn.Name()))
	}
	l.call(l.mc.compiled(fn), o, o.x.args)
}

// emitAsm compiles inline assembly. It supports only empty assembly that
// returns its operand, as in the device library.
func (c *compiler) emitAsm(v ir.Value, a *ir.InlineAsm) {
	args := c.f.Args(v)
	if len(a.Asm) > 0 && a.Asm[0] != ';' || len(args) > 1 {
		panic(c.mc.unsupported("inline assembly %q", a.Asm))
	}
	if lay := c.mc.layout(c.f.TypeOf(v)); len(args) == 1 && lay.words > 0 {
		o := c.op(v, runCopy)
		o.a, o.words = c.slot(args[0].Value), lay.words
	}
}

// Call runs a function on one lane and returns its result.
func (mc *Machine) Call(name string, args ...Value) (out Value, err error) {
	g := &group{}
	l := mc.newLane(g)
	mc.current(l)
	defer mc.recover(&err)
	f := mc.m.Function(name)
	if f == nil {
		return out, mc.unsupported("module has no function @%s", name)
	}
	fn := mc.compiled(f)
	w := &wave{mc: mc, lanes: []*lane{l}, size: 1}
	l.wave, g.waves = w, []*wave{w}
	g.prepare(mc, &dispatched{fn: fn})
	l.start(fn)
	for i, a := range args {
		p := &fn.params[i]
		copy(l.v[p.slot:p.slot+p.words], a.Words)
		copy(l.t[p.slot:p.slot+p.words], a.Taint)
	}
	for l.state != finished {
		l.run(1 << 20)
		if l.state == waiting {
			w.together()
		}
		if l.state == atBarrier {
			l.state = running
		}
	}
	return l.out, nil
}

// fits reports whether two function types are equal except for address spaces.
func (mc *Machine) fits(t *ir.TypeInfo, other ir.Type) bool {
	m := mc.m
	o := m.TypeInfo(other)
	same := func(a, b ir.Type) bool { return a == b || m.IsPtr(a) && m.IsPtr(b) }
	if len(t.Elems) != len(o.Elems) || o.VarArg || !same(t.Elem, o.Elem) {
		return false
	}
	for i := range t.Elems {
		if !same(t.Elems[i], o.Elems[i]) {
			return false
		}
	}
	return true
}
