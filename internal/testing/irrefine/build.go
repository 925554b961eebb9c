package irrefine

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis/pattern"
	"github.com/gfx-toolchain/gfx/ir"
)

// Function creates a function that matches a rule's pattern. Its arguments are
// the variables in the order of their names. It returns nil if no constants
// satisfy the conditions.
func Function(c *pattern.Compiled, m *ir.Module, name string) *ir.Function {
	k := checker{c: c}
	k.infer()
	if !k.buildWidths(0) {
		return nil
	}
	b := builder{k: &k, m: m, made: make([]ir.Value, len(c.Nodes)), vars: make([]ir.Value, len(c.Names))}
	var params []ir.Type
	for _, i := range k.names() {
		if !isConst(c.Names[i]) {
			params = append(params, b.typeOf(len(c.Nodes)+i))
		}
	}
	b.f = m.AddFunction(name, m.FuncType(b.typeOf(int(c.From)), params, false), 0, ir.None)
	b.b = ir.NewBuilder(b.f, b.f.NewBlock())
	arg := 0
	for _, i := range k.names() {
		if isConst(c.Names[i]) {
			b.vars[i] = b.constant(len(c.Nodes)+i, k.env[i].bits)
		} else {
			b.vars[i] = b.prepared(i, b.f.Arg(arg))
			arg++
		}
	}
	b.b.Ret(b.node(int(c.From)))
	return b.f
}

// buildWidths searches for widths and constants that satisfy the conditions.
func (k *checker) buildWidths(i int) bool {
	if i == len(k.classes) {
		return k.castsFit() && k.constants(k.names())
	}
	cl := &k.class[k.classes[i]]
	widths := []int{8, 16, 32, 1}
	switch {
	case cl.isFloat:
		widths = []int{64}
	case cl.isBool:
		widths = []int{1}
	}
	for _, cl.width = range widths {
		if k.buildWidths(i + 1) {
			return true
		}
	}
	return false
}

// constants searches for values of the names that are constants.
func (k *checker) constants(names []int) bool {
	if len(names) == 0 {
		return k.holds(k.preds()[0])
	}
	i := names[0]
	if !isConst(k.c.Names[i]) {
		k.env[i] = value{bits: 1} // prepared handles the predicates for it
		return k.constants(names[1:])
	}
	cl := &k.class[k.find(len(k.c.Nodes)+i)]
	candidates := []uint64{6, 4, 2, 3, 5, 1, 7, 12, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0}
	for _, x := range candidates {
		k.env[i] = value{bits: x & mask(uint(cl.width))}
		if cl.isFloat {
			k.env[i] = value{bits: math.Float64bits(float64(x))}
		}
		if k.constants(names[1:]) {
			return true
		}
	}
	return false
}

// builder creates instructions for the nodes of a rule.
type builder struct {
	k    *checker
	m    *ir.Module
	f    *ir.Function
	b    *ir.Builder
	made []ir.Value // by node
	vars []ir.Value // by name
}

func (b *builder) typeOf(i int) ir.Type {
	if cl := b.k.class[b.k.find(i)]; !cl.isFloat {
		return b.m.IntType(cl.width)
	}
	return ir.Double
}

func (b *builder) constant(i int, bits uint64) ir.Value {
	if t := b.typeOf(i); t != ir.Double {
		return b.m.NewInt(t, bits)
	}
	return b.m.NewFloatBits(ir.Double, bits)
}

// prepared modifies an argument so that it satisfies the conditions on a
// variable.
func (b *builder) prepared(name int, arg ir.Value) ir.Value {
	for _, c := range b.k.c.Cond {
		n := &b.k.c.Nodes[c]
		if n.Kind != pattern.Func {
			continue
		}
		if kid := &b.k.c.Nodes[n.Kids[0]]; kid.Kind != pattern.Var || int(kid.Name) != name {
			continue
		}
		switch n.FuncName() {
		case "nonneg":
			arg = b.b.LShr(arg, b.m.NewInt(b.f.TypeOf(arg), 1))
		case "nonzero":
			arg = b.b.Or(arg, b.m.NewInt(b.f.TypeOf(arg), 1))
		case "defined":
			arg = b.b.Freeze(arg)
		}
	}
	return arg
}

func (b *builder) node(i int) ir.Value {
	if b.made[i] == ir.None {
		b.made[i] = b.make(i)
	}
	return b.made[i]
}

func (b *builder) make(i int) ir.Value {
	n := &b.k.c.Nodes[i]
	t := b.typeOf(i)
	switch n.Kind {
	case pattern.Var, pattern.Const:
		if l := b.k.labels[n.Name]; l >= 0 {
			return b.node(l)
		}
		return b.vars[n.Name]
	case pattern.Poison:
		return b.m.Poison(t)
	case pattern.Undef:
		return b.m.Undef(t)
	case pattern.Op:
		return b.operation(n, t)
	}
	e := evaluation{k: b.k, pred: b.k.preds()[0]}
	return b.constant(i, e.node(i).bits)
}

func (b *builder) operation(n *pattern.Node, t ir.Type) ir.Value {
	var ops []ir.Value
	for _, kid := range n.Kids {
		ops = append(ops, b.node(int(kid)))
	}
	if n.Op == ir.OpCall {
		v := b.b.Call(b.m.DeclareIntrinsic(n.Intr, t), ops...)
		b.f.Instr(v).Flags = n.Flags
		return v
	}
	v := b.b.Make(n.Op, t, ops...)
	in := b.f.Instr(v)
	in.Flags = n.Flags
	if n.Op == ir.OpICmp || n.Op == ir.OpFCmp {
		e := evaluation{k: b.k, pred: b.k.preds()[0]}
		if b.k.preds()[0] == ir.FCmpFalse {
			e.pred = ir.FCmpOGT
		}
		in.Sub = uint8(e.predOf(n))
	}
	return v
}
