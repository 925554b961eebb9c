package tollvm

import "github.com/gfx-toolchain/gfx/mlir"

// functionConstants are the constants at the start of a function.
type functionConstants struct {
	entry  *mlir.Block // the function's first block
	last   *mlir.Op    // constant
	values map[constantKey]*mlir.Value
}

type constantKey struct {
	t *mlir.Type
	a *mlir.Attr
}

// get returns the constant of a type and attribute in the function that begins
// with a block.
func (f *functionConstants) get(c *mlir.Context, entry *mlir.Block, t *mlir.Type, a *mlir.Attr) *mlir.Value {
	if f.entry != entry {
		*f = functionConstants{entry: entry, values: map[constantKey]*mlir.Value{}}
	}
	key := constantKey{t, a}
	if v := f.values[key]; v != nil {
		return v
	}
	b := c.AtEnd(entry)
	b.MoveToStart(entry)
	if f.last != nil && f.last.Next() != nil {
		b.MoveBefore(f.last.Next())
	}
	f.last = b.Create(mlir.OpState{Name: "llvm.mlir.constant", Types: []*mlir.Type{t}, Attrs: []mlir.NamedAttr{Named("value", a)}})
	f.values[key] = f.last.Result(0)
	return f.last.Result(0)
}

// entryOf returns the first block of the function around a block, or nil outside of
// functions.
func entryOf(b *mlir.Block) *mlir.Block {
	for b != nil && b.Region != nil && b.Region.Parent != nil {
		o := b.Region.Parent
		if o.Def != nil && o.Def.Has(mlir.IsolatedFromAbove) {
			if !o.Def.Has(mlir.FunctionOp) {
				return nil
			}
			return b.Region.Entry()
		}
		b = o.Block
	}
	return nil
}
