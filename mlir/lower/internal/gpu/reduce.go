package gpu

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	ariths "github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/cf"
	gpus "github.com/gfx-toolchain/gfx/mlir/gpu"
	memrefs "github.com/gfx-toolchain/gfx/mlir/memref"
)

// groupLanes is the number of lanes that a reduction combines by shuffles, whatever the
// size of a wave.
const groupLanes = 32

// ExpandReductions replaces each gpu.all_reduce in the functions of a gpu.module by
// shuffles within groups of 32 lanes and memory shared by the work-group, as MLIR does: a
// reduction has at most 32 groups. MLIR's shuffles are wrong where a group has neither one lane nor
// a power of two. A reduction in another place remains.
func ExpandReductions(c *mlir.Context, module *mlir.Op) {
	var list []*mlir.Op
	module.Walk(func(o *mlir.Op) bool {
		if o.Name == "gpu.all_reduce" {
			list = append(list, o)
		}
		return true
	})
	for _, o := range list {
		f := functionAround(o)
		if f == nil || o.Block.Region != f.Regions[0] {
			continue
		}
		r := &reducer{Builder: c.Before(o), o: o, t: o.Result(0).Type}
		if r.canCombine() {
			r.From(o)
			r.expand(f)
		}
	}
}

// functionAround returns the gpu.func around an operation, or nil.
func functionAround(o *mlir.Op) *mlir.Op {
	for p := o.Parent(); p != nil; p = p.Parent() {
		if p.Name == "gpu.func" {
			return p
		}
	}
	return nil
}

// A reducer expands a gpu.all_reduce. Operations are added at the end of the builder's block.
type reducer struct {
	*mlir.Builder
	o *mlir.Op
	t *mlir.Type // of the value
}

// combinations are the operations of arith for integers and floats.
var combinations = [...]struct{ op, integer, float string }{
	{"add", "arith.addi", "arith.addf"},
	{"and", "arith.andi", ""},
	{"maximumf", "", "arith.maximumf"},
	{"maxnumf", "", "arith.maxnumf"},
	{"maxsi", "arith.maxsi", ""},
	{"maxui", "arith.maxui", ""},
	{"minimumf", "", "arith.minimumf"},
	{"minnumf", "", "arith.minnumf"},
	{"minsi", "arith.minsi", ""},
	{"minui", "arith.minui", ""},
	{"mul", "arith.muli", "arith.mulf"},
	{"or", "arith.ori", ""},
	{"xor", "arith.xori", ""},
}

// combination returns the operation that combines two values of type t, or "".
func combination(op string, t *mlir.Type) string {
	for _, c := range combinations {
		switch {
		case c.op != op:
		case t.Kind == mlir.FloatKind:
			return c.float
		default:
			return c.integer
		}
	}
	return ""
}

// canCombine reports whether the reduction names an operation of its type, or has a body
// of one block.
func (r *reducer) canCombine() bool {
	if a := r.o.Attr("op"); a != nil {
		return combination(a.Text, r.t) != ""
	}
	blocks := r.o.Regions[0].Blocks
	return len(blocks) == 1 && len(blocks[0].Args) == 2 && blocks[0].Terminator() != nil
}

// combine computes the reduction of two values.
func (r *reducer) combine(x, y *mlir.Value) *mlir.Value {
	if a := r.o.Attr("op"); a != nil {
		return r.Create(mlir.OpState{
			Name: combination(a.Text, r.t), Operands: []*mlir.Value{x, y}, Types: []*mlir.Type{r.t},
		}).Result(0)
	}
	body := r.o.Regions[0].Blocks[0]
	values := map[*mlir.Value]*mlir.Value{body.Args[0]: x, body.Args[1]: y}
	for p := range body.Ops {
		if p.Name != "gpu.yield" {
			r.Block().Append(r.Context.Clone(p, values, map[*mlir.Block]*mlir.Block{}))
			continue
		}
		v := p.Operand(0)
		if copied := values[v]; copied != nil {
			v = copied
		}
		return v
	}
	return x
}

func (r *reducer) i32(v int64) *mlir.Value {
	return ariths.NewConstant(r.Builder, r.Context.I32Attr(v))
}

// branch continues in one of two new blocks, and then in a third one, to which it
// passes the value that they compute if there is one.
func (r *reducer) branch(condition *mlir.Value, yes, no func() *mlir.Value) *mlir.Value {
	first := r.Block().AddAfter()
	second := first.AddAfter()
	rest := second.AddAfter()
	cf.NewCondBr(r.Builder, condition, nil, nil, first, second)
	r.MoveToEnd(first)
	v := yes()
	cf.NewBr(r.Builder, optional(v), rest)
	r.MoveToEnd(second)
	w := no()
	cf.NewBr(r.Builder, optional(w), rest)
	r.MoveToEnd(rest)
	if v == nil {
		return nil
	}
	return rest.AddArg(v.Type)
}

func optional(v *mlir.Value) []*mlir.Value {
	if v == nil {
		return nil
	}
	return []*mlir.Value{v}
}

// invocation returns a number of the function's invocation as an i32.
func (r *reducer) invocation(index *mlir.Value) *mlir.Value {
	return ariths.NewIndexCast(r.Builder, r.Context.Integer(32), index)
}

// expand reduces each group of lanes, and stores the results; the first lanes reduce those, and all
// lanes load the result.
func (r *reducer) expand(f *mlir.Op) {
	if isInLoop(r.o.Block) {
		gpus.NewBarrier(r.Builder) // until all lanes have the result of the last iteration
	}
	after := r.o.Block.SplitBefore(r.o)
	r.MoveToEnd(r.o.Block.Region.Blocks[slices.Index(r.o.Block.Region.Blocks, after)-1])
	b := r.Builder
	shared := r.addShared(f)
	var sizes, ids [3]*mlir.Value
	for i, dim := range [...]string{"x", "y", "z"} {
		sizes[i] = r.invocation(gpus.NewBlockDim(b, dim))
	}
	for i, dim := range [...]string{"x", "y", "z"} {
		ids[i] = r.invocation(gpus.NewThreadId(b, dim))
	}
	row := ariths.NewAddi(b, ariths.NewMuli(b, ids[2], sizes[1]), ids[1])
	id := ariths.NewAddi(b, ariths.NewMuli(b, row, sizes[0]), ids[0])
	count := ariths.NewMuli(b, ariths.NewMuli(b, sizes[0], sizes[1]), sizes[2])
	lane := ariths.NewAndi(b, id, r.i32(groupLanes-1))
	isFirst := ariths.NewCmpi(b, lane, r.i32(0), "eq")
	active := ariths.NewSubi(b, count, ariths.NewSubi(b, id, lane))
	v := r.reduceGroup(lane, active, r.o.Operand(0))

	index := r.Context.Index()
	r.branch(isFirst, func() *mlir.Value {
		group := ariths.NewDivsi(b, id, r.i32(groupLanes))
		memrefs.NewStore(b, v, shared, []*mlir.Value{ariths.NewIndexCast(b, index, group)})
		return nil
	}, func() *mlir.Value { return nil })
	gpus.NewBarrier(b)
	groups := ariths.NewDivsi(b, ariths.NewAddi(b, count, r.i32(groupLanes-1)), r.i32(groupLanes))
	zero := ariths.NewConstant(b, r.Context.IndexAttr(0))
	r.branch(ariths.NewCmpi(b, id, groups, "slt"), func() *mlir.Value {
		v := r.reduceGroup(id, groups, memrefs.NewLoad(b, shared, []*mlir.Value{ariths.NewIndexCast(b, index, id)}))
		return r.branch(ariths.NewCmpi(b, id, r.i32(0), "eq"), func() *mlir.Value {
			memrefs.NewStore(b, v, shared, []*mlir.Value{zero})
			return nil
		}, func() *mlir.Value { return nil })
	}, func() *mlir.Value { return nil })
	gpus.NewBarrier(b)
	v = memrefs.NewLoad(b, shared, []*mlir.Value{zero})
	r.Block().MoveOps(after)
	after.Erase()
	r.o.Replace(v)
}

// isInLoop reports whether a block can be executed again.
func isInLoop(b *mlir.Block) bool {
	seen := map[*mlir.Block]bool{}
	todo := []*mlir.Block{b}
	for len(todo) > 0 {
		last := todo[len(todo)-1].Terminator()
		todo = todo[:len(todo)-1]
		if last == nil {
			continue
		}
		for _, s := range last.Successors {
			if s.Block == b {
				return true
			}
			if !seen[s.Block] {
				seen[s.Block] = true
				todo = append(todo, s.Block)
			}
		}
	}
	return false
}

// reduceGroup combines the values of a group's lanes by exchanges at distances of 1,
// 2, 4, 8 and 16. Where fewer lanes are active, which are the first ones, only the values of active ones are
// combined, and the result is the first lane's.
func (r *reducer) reduceGroup(lane, active, v *mlir.Value) *mlir.Value {
	b, whole := r.Builder, r.i32(groupLanes)
	return r.branch(ariths.NewCmpi(b, active, whole, "slt"), func() *mlir.Value {
		v := v
		for distance := int64(1); distance < groupLanes; distance *= 2 {
			d := r.i32(distance)
			other := gpus.NewShuffle(b, v, d, whole, "xor").Result(0)
			isActive := ariths.NewCmpi(b, ariths.NewXori(b, lane, d), active, "slt")
			v = r.branch(isActive, func() *mlir.Value { return r.combine(v, other) }, func() *mlir.Value { return v })
		}
		return v
	}, func() *mlir.Value {
		v := v
		for distance := int64(1); distance < groupLanes; distance *= 2 {
			v = r.combine(v, gpus.NewShuffle(b, v, r.i32(distance), whole, "xor").Result(0))
		}
		return v
	})
}

// addShared adds a workgroup attribution of one element for each group to a function.
func (r *reducer) addShared(f *mlir.Op) *mlir.Value {
	c := r.Context
	e := c.Enum("gpu", "address_space")
	space, _ := e.Case("workgroup")
	entry := f.Regions[0].Entry()
	count := int64(0)
	if a := f.Attr("workgroup_attributions"); a != nil {
		count = a.Int
	}
	v := entry.AddArg(c.MemRefType([]int64{groupLanes}, r.t, nil, c.EnumAttr(e, space)))
	at := len(f.Attr("function_type").Type.Ins) + int(count)
	entry.Args = slices.Insert(entry.Args[:len(entry.Args)-1], at, v)
	for i, a := range entry.Args {
		a.Index = i
	}
	f.SetAttr("workgroup_attributions", c.I64Attr(count+1))
	if a := f.Attr("workgroup_attrib_attrs"); a != nil {
		f.SetAttr("workgroup_attrib_attrs", c.Array(append(slices.Clone(a.List), c.Dict())...))
	}
	return v
}
