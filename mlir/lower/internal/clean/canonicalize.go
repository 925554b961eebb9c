package clean

import (
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// Canonicalize folds operations whose operands are constants or that return an operand, moves
// constants to the start of the function and to the right of commutative operations, removes operations and
// blocks that are never executed or without use, and joins blocks.
func Canonicalize(c *mlir.Context, o *mlir.Op) {
	cz := &canonicalizer{c: c, folders: folders(), constants: map[constantKey]*mlir.Op{}}
	for changed, rounds := true, 0; changed && rounds < maxRounds; rounds++ {
		clear(cz.constants)
		changed = cz.region(o)
	}
}

// maxRounds is the limit of passes over the operations, MLIR's.
const maxRounds = 10

type canonicalizer struct {
	c         *mlir.Context
	folders   map[string]folder
	constants map[constantKey]*mlir.Op
}

// A constantKey identifies a constant in a block.
type constantKey struct {
	block *mlir.Block
	name  string
	value *mlir.Attr
}

// region simplifies the operations within o once, and reports whether any has
// changed.
func (cz *canonicalizer) region(o *mlir.Op) (changed bool) {
	for _, r := range o.Regions {
		for i := 0; i < len(r.Blocks); i++ {
			for p := range r.Blocks[i].Ops {
				changed = cz.region(p) || changed
				if p.Block != nil {
					changed = cz.simplify(p) || changed
				}
			}
		}
		changed = simplifyBlocks(r) || changed
	}
	return changed
}

// simplify simplifies one operation, which may disappear.
func (cz *canonicalizer) simplify(o *mlir.Op) bool {
	if IsDead(o) {
		o.Erase()
		return true
	}
	if isConstant(o) {
		return cz.hoist(o)
	}
	swapped := constantRight(o)
	if run := structures(o.Name); run != nil && run(cz.c, o) {
		return true
	}
	folder := cz.folders[o.Name]
	if folder == nil || len(o.Results) != 1 {
		return swapped
	}
	f := &fold{c: cz.c, o: o, args: make([]*mlir.Attr, len(o.Operands))}
	for i, u := range o.Operands {
		f.args[i] = constantOf(u.Value)
	}
	v, a := folder(f)
	switch {
	case v != nil && v != o.Result(0) && v.Type == o.Result(0).Type:
		o.Replace(v)
		return true
	case a != nil:
		o.Replace(cz.constant(o, a))
		return true
	}
	return swapped
}

func isConstant(o *mlir.Op) bool {
	return o.Def != nil && o.Def.Has(mlir.ConstantLike) && len(o.Results) == 1 && o.Attr("value") != nil && len(o.Operands) == 0
}

// constantRight moves a constant left operand of a commutative operation to the right.
func constantRight(o *mlir.Op) bool {
	if !isCommutative(o) || constantOf(o.Operand(0)) == nil || constantOf(o.Operand(1)) != nil {
		return false
	}
	x, y := o.Operand(0), o.Operand(1)
	o.Operands[0].Set(y)
	o.Operands[1].Set(x)
	return true
}

// home returns the block in which the constants for an operation are: the entry of
// the innermost isolated operation around it.
func home(o *mlir.Op) *mlir.Block {
	b := o.Block
	for b.Region != nil && b.Region.Parent != nil {
		p := b.Region.Parent
		if p.Def == nil || p.Def.Has(mlir.IsolatedFromAbove) || p.Block == nil {
			return b.Region.Entry()
		}
		b = p.Block
	}
	return b
}

// hoist moves a constant to the start of its home, or replaces it by an equal one there.
func (cz *canonicalizer) hoist(o *mlir.Op) bool {
	b := home(o)
	key := constantKey{b, o.Name, o.Attr("value")}
	known := cz.constants[key]
	switch {
	case known == o:
		return false
	case known != nil && known.Result(0).Type == o.Result(0).Type:
		o.Replace(known.Result(0))
		return true
	}
	cz.constants[key] = o
	if o.Block == b && constantsBefore(o) {
		return false
	}
	o.Unlink()
	insertFirst(b, o)
	return true
}

// constantsBefore reports whether only constants precede o in its block.
func constantsBefore(o *mlir.Op) bool {
	for p := o.Prev(); p != nil; p = p.Prev() {
		if !isConstant(p) {
			return false
		}
	}
	return true
}

func insertFirst(b *mlir.Block, o *mlir.Op) {
	if first := b.First(); first != nil {
		o.InsertBefore(first)
		return
	}
	b.Append(o)
}

// constantNames are the operations that create constants in dialects of their own.
var constantNames = [...]struct{ dialect, name string }{
	{"index", "index.constant"}, {"llvm", "llvm.mlir.constant"}, {"rocdl", "llvm.mlir.constant"},
}

// constant returns a constant for the result of o.
func (cz *canonicalizer) constant(o *mlir.Op, a *mlir.Attr) *mlir.Value {
	name := "arith.constant"
	for _, n := range constantNames {
		if n.dialect == o.DialectName() {
			name = n.name
		}
	}
	b := home(o)
	key := constantKey{b, name, a}
	t := o.Result(0).Type
	if known := cz.constants[key]; known != nil && known.Result(0).Type == t {
		return known.Result(0)
	}
	n := cz.c.NewOp(mlir.OpState{Name: name, Types: []*mlir.Type{t}, Attrs: []mlir.NamedAttr{{Name: "value", Attr: a}}})
	insertFirst(b, n)
	cz.constants[key] = n
	return n.Result(0)
}

// structures returns the function that simplifies control flow, or an access to a buffer, or nil. It reports whether it replaced the operation.
func structures(name string) func(*mlir.Context, *mlir.Op) bool {
	switch name {
	case "scf.if":
		return ifConstant
	case "scf.for":
		return forConstant
	case "cf.cond_br":
		return branchConstant
	}
	if strings.HasPrefix(name, "amdgpu.raw_buffer_") {
		return outOfRange
	}
	return nil
}

// ifConstant replaces scf.if by the operations of the region that is executed.
func ifConstant(_ *mlir.Context, o *mlir.Op) bool {
	a := constantOf(o.Operand(0))
	if a == nil {
		return false
	}
	taken := o.Regions[0]
	if a.Int == 0 {
		taken = o.Regions[1]
	}
	if len(taken.Blocks) == 0 {
		o.Erase()
		return true
	}
	inlineBefore(o, taken.Entry())
	return true
}

// inlineBefore moves the operations of a block with a yield before o and replaces
// o by the values that it yields.
func inlineBefore(o *mlir.Op, b *mlir.Block) {
	yield := b.Last()
	var values []*mlir.Value
	for _, u := range yield.Operands {
		values = append(values, u.Value)
	}
	yield.Erase()
	for p := range b.Ops {
		p.Unlink()
		p.InsertBefore(o)
	}
	o.Replace(values...)
}

// forConstant replaces scf.for with constant bounds that is executed never or once.
func forConstant(_ *mlir.Context, o *mlir.Op) bool {
	var bounds [3]int64
	for i := range bounds {
		a := constantOf(o.Operand(i))
		if a == nil || a.Kind != mlir.IntegerAttr || a.Big != nil {
			return false
		}
		bounds[i] = a.Int
	}
	lower, upper, step := bounds[0], bounds[1], bounds[2]
	if o.Attr("unsignedCmp") != nil || step <= 0 {
		return false
	}
	inits := make([]*mlir.Value, 0, len(o.Results))
	for _, u := range o.Operands[3:] {
		inits = append(inits, u.Value)
	}
	if lower >= upper {
		o.Replace(inits...)
		return true
	}
	if next := lower + step; next < upper && next > lower {
		return false
	}
	body := o.Body(0)
	body.Args[0].ReplaceUses(o.Operand(0))
	for i, v := range inits {
		body.Args[i+1].ReplaceUses(v)
	}
	inlineBefore(o, body)
	return true
}

// branchConstant replaces cf.cond_br with a constant condition, or whose targets are the same, by cf.br.
func branchConstant(c *mlir.Context, o *mlir.Op) bool {
	a := constantOf(o.Operand(0))
	yes, no := o.Named("trueDestOperands"), o.Named("falseDestOperands")
	taken, args := 0, yes
	switch {
	case a != nil && a.Int == 0:
		taken, args = 1, no
	case a == nil && (o.Successors[0].Block != o.Successors[1].Block || !slices.Equal(yes, no)):
		return false
	}
	c.Before(o).From(o).Create(mlir.OpState{Name: "cf.br", Operands: args, Successors: []mlir.Successor{o.Successors[taken]}})
	o.Erase()
	return true
}
