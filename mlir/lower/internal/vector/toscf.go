package vector

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/arith"
	"github.com/gfx-toolchain/gfx/mlir/memref"
	"github.com/gfx-toolchain/gfx/mlir/scf"
)

// ToSCF replaces transfers within o of vectors with more dimensions than rank by transfers
// of their parts, and transfers of one dimension that is not contiguous in memory by loops
// over elements. Transfers of tensors and scalable vectors remain, and those with a
// mask whose dimensions are not the vector's.
func ToSCF(c *mlir.Context, o *mlir.Op, rank int) error { return toSCF(c, o, rank, false) }

// KernelsToSCF is ToSCF for transfers of rows in kernels. Those with masks do not remain.
func KernelsToSCF(c *mlir.Context, o *mlir.Op) error {
	sortTransfers(c, o)
	return toSCF(c, o, 1, true)
}

func toSCF(c *mlir.Context, o *mlir.Op, rank int, sorted bool) error {
	var list []*mlir.Op
	o.Walk(func(p *mlir.Op) bool {
		if p.Name == "vector.transfer_read" || p.Name == "vector.transfer_write" {
			list = append(list, p)
		}
		return true
	})
	for _, p := range list {
		if err := expandTransfer(c, p, rank, sorted); err != nil {
			return c.OpDiagnostics(p, err)
		}
	}
	return nil
}

// maxTransfers is the limit of transfers that one is replaced by.
const maxTransfers = 1 << 16

func expandTransfer(c *mlir.Context, o *mlir.Op, rank int, sorted bool) (err error) {
	defer func() {
		if recover() != nil {
			err = mlir.OpErrorf("has attributes that do not fit its types")
		}
	}()
	t := transferOf(o)
	if t.memref().Kind != mlir.MemRefKind || t.vector.IsScalable() || t.vector.Elem != t.memref().Elem {
		return nil
	}
	parts := int64(1)
	for _, n := range t.vector.Shape[:max(len(t.vector.Shape), 1)-1] {
		if n > maxTransfers/parts {
			return mlir.OpErrorf("has a vector of more than %d rows", maxTransfers)
		}
		parts *= n
	}
	e := expansion{Builder: c.Before(o).From(o), read: len(o.Results) > 0, rank: rank, sorted: sorted}
	s := section{transfer: t, base: o.Operand(t.base), lanes: t.order}
	for i := range t.memref().Shape {
		s.indices = append(s.indices, o.Operand(t.base+1+i))
	}
	if t.mask > 0 {
		s.mask = o.Operand(t.mask)
	}
	if e.read {
		e.padding = o.Operand(t.pad)
	} else {
		s.value = o.Operand(0)
	}
	if !e.changes(&s) {
		return nil
	}
	v := e.transfer(&s)
	if e.read {
		o.Replace(v)
	} else {
		o.Erase()
	}
	return nil
}

// A section is the part of a transfer that is not done yet.
type section struct {
	transfer
	base, mask, value *mlir.Value // mask: nil for none; value: of a write
	indices           []*mlir.Value
	lanes             *mlir.AffineMap
}

// An expansion creates the operations for a transfer.
type expansion struct {
	*mlir.Builder
	read    bool
	rank    int
	padding *mlir.Value // of a read
	sorted  bool        // masks are taken apart wherever their dimensions are the vector's
}

// changes reports whether a section is not yet one that remains.
func (e *expansion) changes(s *section) bool {
	s.order = s.lanes
	n := len(s.vector.Shape)
	plain := s.isLastDims()
	switch {
	case n == 0:
		return false
	case n > max(e.rank, 1):
		return s.mask == nil || plain || e.sorted && isAscending(s.lanes)
	default:
		return n == 1 && !plain
	}
}

// transfer creates a section's operations, and returns the vector of a read.
func (e *expansion) transfer(s *section) *mlir.Value {
	switch {
	case !e.changes(s):
		return e.plain(s)
	case len(s.vector.Shape) == 1:
		return e.elements(s)
	}
	return e.parts(s)
}

// plain creates a transfer.
func (e *expansion) plain(s *section) *mlir.Value {
	c := e.Context
	bounds := make([]*mlir.Attr, len(s.vector.Shape))
	for i := range bounds {
		bounds[i] = c.Bool(s.isInBounds(i))
	}
	segments := []int64{1, int64(len(s.indices)), 1, 0}
	operands := append([]*mlir.Value{s.base}, s.indices...)
	state := mlir.OpState{Name: s.o.Name}
	if e.read {
		operands = append(operands, e.padding)
		state.Types = []*mlir.Type{s.vector}
	} else {
		operands = append([]*mlir.Value{s.value}, operands...)
		segments = []int64{1, 1, int64(len(s.indices)), 0}
	}
	if s.mask != nil {
		operands, segments[3] = append(operands, s.mask), 1
	}
	state.Operands = operands
	state.Attrs = []mlir.NamedAttr{
		{Name: "permutation_map", Attr: c.MapAttr(s.lanes)},
		{Name: "in_bounds", Attr: c.Array(bounds...)},
		{Name: "operandSegmentSizes", Attr: c.DenseI32Array(segments...)},
	}
	o := e.Create(state)
	if e.read {
		return o.Result(0)
	}
	return nil
}

// index creates a constant.
func (e *expansion) index(n int64) *mlir.Value {
	return arith.NewConstant(e.Builder, e.Context.IndexAttr(n))
}

// moved returns the indices of the part of a section at a position of its first dimension, and the
// condition that the part is within the memref, or nil if it is.
func (e *expansion) moved(s *section, at *mlir.Value) (indices []*mlir.Value, within *mlir.Value) {
	first := s.lanes.Results[0]
	if first.Kind != mlir.DimExpr {
		return s.indices, nil
	}
	d := int(first.Value)
	indices = slices.Clone(s.indices)
	indices[d] = arith.NewAddi(e.Builder, indices[d], at)
	if !s.isInBounds(0) {
		within = arith.NewCmpi(e.Builder, memref.NewDim(e.Builder, s.base, e.index(int64(d))), indices[d], "sgt")
	}
	return indices, within
}

// splat returns the padding as a vector.
func (e *expansion) splat(t *mlir.Type) *mlir.Value {
	return e.Create(mlir.OpState{Name: "vector.broadcast", Types: []*mlir.Type{t}, Operands: []*mlir.Value{e.padding}}).Result(0)
}

// position returns the attribute of a position of vector.extract and vector.insert.
func (e *expansion) position(at int64) []mlir.NamedAttr {
	return []mlir.NamedAttr{{Name: "static_position", Attr: e.Context.DenseI64Array(at)}}
}

func (e *expansion) extract(v *mlir.Value, at int64) *mlir.Value {
	t := e.Context.Vector(v.Type.Elem, v.Type.Shape[1:]...)
	return e.Create(mlir.OpState{Name: "vector.extract", Types: []*mlir.Type{t}, Operands: []*mlir.Value{v}, Attrs: e.position(at)}).Result(0)
}

// parts creates the transfers of the parts of a section along its first dimension.
func (e *expansion) parts(s *section) *mlir.Value {
	var v *mlir.Value
	if e.read {
		v = e.splat(s.vector)
	}
	for i := range s.vector.Shape[0] {
		indices, within := e.moved(s, e.index(i))
		v = e.when(within, v, func() *mlir.Value {
			p := e.transfer(e.part(s, indices, i))
			if !e.read {
				return nil
			}
			return e.Create(mlir.OpState{Name: "vector.insert", Types: []*mlir.Type{v.Type},
				Operands: []*mlir.Value{p, v}, Attrs: e.position(i)}).Result(0)
		})
	}
	return v
}

// part returns the section of one position of the first dimension.
func (e *expansion) part(s *section, indices []*mlir.Value, i int64) *section {
	p := *s
	p.indices = indices
	p.vector = e.Context.Vector(s.vector.Elem, s.vector.Shape[1:]...)
	p.lanes = &mlir.AffineMap{Dims: s.lanes.Dims, Symbols: s.lanes.Symbols, Results: s.lanes.Results[1:]}
	p.inBounds = s.inBounds[min(1, len(s.inBounds)):]
	if s.mask != nil {
		p.mask = e.extract(s.mask, i)
	}
	if s.value != nil {
		p.value = e.extract(s.value, i)
	}
	return &p
}

// when creates what f does, within scf.if unless the condition is nil, and returns f's
// value, or otherwise the one given.
func (e *expansion) when(condition, otherwise *mlir.Value, f func() *mlir.Value) *mlir.Value {
	if condition == nil {
		return f()
	}
	var types []*mlir.Type
	if e.read {
		types = []*mlir.Type{otherwise.Type}
	}
	then, last := &mlir.Region{}, &mlir.Region{}
	o := scf.NewIf(e.Builder, types, condition, then, last)
	outer := *e.Builder
	e.MoveToEnd(then.AddBlock())
	e.yield(f())
	if e.read {
		e.MoveToEnd(last.AddBlock())
		e.yield(otherwise)
	}
	*e.Builder = outer
	if !e.read {
		return nil
	}
	return o.Result(0)
}

// yield ends a block with the vector of a read.
func (e *expansion) yield(v *mlir.Value) {
	var list []*mlir.Value
	if e.read {
		list = append(list, v)
	}
	scf.NewYield(e.Builder, list)
}

// elements creates a loop over the elements of a section of one dimension.
func (e *expansion) elements(s *section) *mlir.Value {
	var start []*mlir.Value
	var types []*mlir.Type
	if e.read {
		start, types = append(start, e.splat(s.vector)), append(types, s.vector)
	}
	body := &mlir.Region{}
	block := body.AddBlock()
	at := block.AddArg(e.Context.Index())
	var v *mlir.Value
	if e.read {
		v = block.AddArg(s.vector)
	}
	zero, end, one := e.index(0), e.index(s.vector.Shape[0]), e.index(1)
	loop := scf.NewFor(e.Builder, types, zero, end, one, start, body)
	outer := *e.Builder
	e.MoveToEnd(block)
	indices, within := e.moved(s, at)
	if s.mask != nil {
		lane := e.element("vector.extract", s.mask.Type.Elem, at, s.mask)
		if within != nil {
			lane = arith.NewAndi(e.Builder, within, lane)
		}
		within = lane
	}
	e.yield(e.when(within, v, func() *mlir.Value {
		if e.read {
			x := memref.NewLoad(e.Builder, s.base, indices)
			return e.element("vector.insert", s.vector, at, x, v)
		}
		memref.NewStore(e.Builder, e.element("vector.extract", s.vector.Elem, at, s.value), s.base, indices)
		return nil
	}))
	*e.Builder = outer
	if !e.read {
		return nil
	}
	return loop.Result(0)
}

// element creates vector.extract or vector.insert at a dynamic position. Edition 19 converts
// extractelement and insertelement alone.
func (e *expansion) element(name string, t *mlir.Type, at *mlir.Value, operands ...*mlir.Value) *mlir.Value {
	state := mlir.OpState{Name: name, Types: []*mlir.Type{t}, Operands: append(operands, at), Attrs: e.position(mlir.Dynamic)}
	if e.Context.Edition == mlir.Edition19 {
		state.Name, state.Attrs = name+"element", nil
	}
	return e.Create(state).Result(0)
}
