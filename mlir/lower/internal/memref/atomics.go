package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	ops "github.com/gfx-toolchain/gfx/mlir/memref"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// An atomicKind is a case of arith.AtomicRMWKind.
type atomicKind struct {
	word   string
	llvm   string // the operation of llvm.atomicrmw, or ""
	from22 bool   // edition 19 does not have the operation
	// make computes the new value, where MLIR expands the operation.
	make func(b *mlir.Builder, old, v *mlir.Value, more ...mlir.NamedAttr) *mlir.Value
}

func atomicKinds() []atomicKind {
	return []atomicKind{
		{word: "addf", llvm: "fadd"},
		{word: "addi", llvm: "add"},
		{word: "andi", llvm: "_and"},
		{word: "assign", llvm: "xchg"},
		{word: "maximumf", llvm: "fmaximum", from22: true, make: arith.NewMaximumf},
		{word: "maxnumf", llvm: "fmax", make: arith.NewMaxnumf},
		{word: "maxs", llvm: "max"},
		{word: "maxu", llvm: "umax"},
		{word: "minimumf", llvm: "fminimum", from22: true, make: arith.NewMinimumf},
		{word: "minnumf", llvm: "fmin", make: arith.NewMinnumf},
		{word: "mins", llvm: "min"},
		{word: "minu", llvm: "umin"},
		{word: "ori", llvm: "_or"},
		{word: "xori", llvm: "_xor"},
	}
}

// kindOf returns the kind of memref.atomic_rmw, or nil for one that no conversion has.
func kindOf(c *mlir.Context, o *mlir.Op) *atomicKind {
	word := c.Enum("arith", "AtomicRMWKind").Spelling(o.Attr("kind").Int)
	for _, k := range atomicKinds() {
		if k.word == word {
			return &k
		}
	}
	return nil
}

// atomic converts memref.atomic_rmw. What llvm.atomicrmw cannot do becomes a loop, as by
// memref-expand; edition 19 of MLIR takes fmax for maximumf instead, which
// treats NaN differently.
func atomic(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	switch k := kindOf(l.Context, o); {
	case k == nil:
		return rewrite.ErrNoMatch
	case k.from22 && l.Context.Edition == mlir.Edition19:
		genericAtomic(l.Builder, o, k)
	default:
		p := l.MemRefOperand(o, 1).WrappingElement(indices(l, o, 2))
		l.Replace(o, llvm.NewAtomicrmw(l.Builder, p, l.Operand(o, 0), k.llvm, "acq_rel"))
	}
	return nil
}

// genericAtomic replaces memref.atomic_rmw by memref.generic_atomic_rmw, which
// computes the new value by an operation of dialect arith.
func genericAtomic(b *mlir.Builder, o *mlir.Op, k *atomicKind) {
	body := &mlir.Region{}
	block := body.AddBlock()
	old := block.AddArg(o.Operand(0).Type)
	inner := b.Context.AtEnd(block).From(o)
	ops.NewAtomicYield(inner, k.make(inner, old, o.Operand(0)))
	o.Replace(ops.NewGenericAtomicRmw(b, o.Operand(1), o.Named("indices"), body))
}

// Expand replaces memref.atomic_rmw within o by memref.generic_atomic_rmw where
// edition 19 of LLVM's dialect has no operation, and memref.reshape to a known rank by
// memref.reinterpret_cast.
func Expand(c *mlir.Context, o *mlir.Op) {
	var list []*mlir.Op
	o.Walk(func(p *mlir.Op) bool {
		if p.Name == "memref.atomic_rmw" || p.Name == "memref.reshape" {
			list = append(list, p)
		}
		return true
	})
	for _, p := range list {
		b := c.Before(p).From(p)
		switch p.Name {
		case "memref.reshape":
			expandReshape(b, p)
		case "memref.atomic_rmw":
			if k := kindOf(c, p); k != nil && k.make != nil && c.Edition == mlir.Edition19 {
				genericAtomic(b, p, k)
			}
		}
	}
}

// genericLoop converts memref.generic_atomic_rmw to a loop that ends when
// llvm.cmpxchg succeeds. Floats are compared as integers.
func genericLoop(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	before := o.Block
	if parent := before.Region.Parent; parent == nil || parent.Def == nil || parent.Def.Has(mlir.SingleBlock) {
		return rewrite.ErrNoMatch
	}
	t := l.Convert(o.Result(0).Type)
	bits := t
	if t.Kind == mlir.FloatKind {
		bits = l.Context.Integer(t.BitWidth())
	}
	if w := bits.BitWidth(); w < 8 || w&(w-1) != 0 {
		return mlir.OpErrorf("has elements of type '%s', which are not compared and exchanged", t)
	}
	p := l.MemRefOperand(o, 0).WrappingElement(indices(l, o, 1))
	first := l.Emit("llvm.load", bits, tollvm.Values(p))
	after := before.SplitBefore(o)
	loop := before.AddAfter()
	expected := loop.AddArg(bits)
	l.MoveToEnd(before)
	branch(l, loop, first)

	l.MoveToEnd(loop)
	body := o.Body(0)
	l.ReplaceValue(body.Args[0], bitcast(l, expected, t))
	yield := body.Last()
	replacement := yield.Operand(0)
	yield.Erase()
	loop.MoveOps(body)
	l.MoveToEnd(loop)
	replacement = bitcast(l, l.Value(replacement), bits)
	pair := llvm.NewCmpxchg(l.Builder, p, expected, replacement, "acq_rel", "monotonic")
	loaded := l.Extract(pair, bits, 0)
	llvm.NewCondBr(l.Builder, l.Extract(pair, l.Context.Integer(1), 1), nil, tollvm.Values(loaded), after, loop)
	l.MoveBefore(o)
	l.Replace(o, bitcast(l, loaded, t))
	return nil
}

// bitcast returns the bits of a value as a type of the same size.
func bitcast(l *tollvm.Lowering, v *mlir.Value, t *mlir.Type) *mlir.Value {
	if v.Type == t {
		return v
	}
	return llvm.NewBitcast(l.Builder, t, v)
}

// branch creates llvm.br.
func branch(l *tollvm.Lowering, to *mlir.Block, args ...*mlir.Value) {
	llvm.NewBr(l.Builder, args, to)
}
