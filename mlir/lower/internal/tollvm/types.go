package tollvm

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
)

// Options select how types and functions are converted.
type Options struct {
	IndexBits    int     // width of index in bits; 0 for 64
	BarePointers bool    // memref arguments of functions are pointers
	Chipset      Chipset // zero where a pass does not depend on it
	GPU          bool    // the address spaces of the gpu dialect are converted
	// CheckWide lets the resources of gfx12.5's buffers select how offsets are compared with their sizes. MLIR leaves the
	// field at 0, for buffers with a stride, where all accesses to one without are outside.
	CheckWide bool
}

// Types converts types to the LLVM dialect.
type Types struct {
	Options
	// Extra converts types of a dialect before the general rules are tried, or
	// returns nil. It may be nil.
	Extra func(t *mlir.Type) *mlir.Type

	ctx   *mlir.Context
	known map[*mlir.Type]*mlir.Type
}

// NewTypes returns a converter.
func NewTypes(c *mlir.Context, o Options) *Types {
	if o.IndexBits == 0 {
		o.IndexBits = 64
	}
	return &Types{Options: o, ctx: c, known: map[*mlir.Type]*mlir.Type{}}
}

// Convert returns the LLVM type that replaces t, or nil if there is none.
func (ts *Types) Convert(t *mlir.Type) *mlir.Type {
	if to, ok := ts.known[t]; ok {
		return to
	}
	to := ts.convert(t)
	ts.known[t] = to
	return to
}

func (ts *Types) convert(t *mlir.Type) *mlir.Type {
	if ts.Extra != nil {
		if to := ts.Extra(t); to != nil {
			return to
		}
	}
	switch t.Kind {
	case mlir.IndexKind:
		return ts.Index()
	case mlir.IntegerKind:
		return ts.ctx.Integer(t.Width) // whatever the sign
	case mlir.FloatKind:
		return ts.float(t)
	case mlir.ComplexKind:
		return ts.list(t.Elem, t.Elem)
	case mlir.VectorKind:
		return ts.vector(t)
	case mlir.MemRefKind:
		return ts.memref(t)
	case mlir.UnrankedMemRefKind:
		return ts.unranked(t)
	case mlir.FunctionKind:
		return llvm.PointerType(ts.ctx, 0)
	case mlir.DialectKind:
		if t.Dialect == "llvm" {
			return t
		}
	}
	return nil
}

// Index returns the type that replaces index.
func (ts *Types) Index() *mlir.Type { return ts.ctx.Integer(ts.IndexBits) }

// float converts floats that LLVM does not have to integers.
func (ts *Types) float(t *mlir.Type) *mlir.Type {
	if t.Float.LLVM() {
		return t
	}
	if t.Float.Bits <= 8 {
		return ts.ctx.Integer(t.Float.Bits)
	}
	return nil
}

// list returns a structure of converted types, or nil.
func (ts *Types) list(types ...*mlir.Type) *mlir.Type {
	members := make([]*mlir.Type, len(types))
	for i, t := range types {
		if members[i] = ts.Convert(t); members[i] == nil {
			return nil
		}
	}
	return llvm.StructType(ts.ctx, members...)
}

// vector converts a vector to arrays of vectors of one dimension.
func (ts *Types) vector(t *mlir.Type) *mlir.Type {
	elem := ts.Convert(t.Elem)
	if elem == nil {
		return nil
	}
	if len(t.Shape) == 0 {
		return ts.ctx.Vector(elem, 1)
	}
	last := len(t.Shape) - 1
	var scalable []bool
	if t.Scalable != nil {
		for _, s := range t.Scalable[:last] {
			if s {
				return nil
			}
		}
		scalable = t.Scalable[last:]
	}
	to := ts.ctx.VectorType(t.Shape[last:], scalable, elem)
	for i := last - 1; i >= 0; i-- {
		to = llvm.ArrayType(ts.ctx, t.Shape[i], to)
	}
	return to
}

// memref returns the type of a memref's descriptor: pointer, aligned pointer,
// offset, and the sizes and strides if there are dimensions.
func (ts *Types) memref(t *mlir.Type) *mlir.Type {
	space, ok := ts.Space(t)
	if _, _, strided := mlir.StridesAndOffset(t); !ok || !strided || ts.Convert(t.Elem) == nil {
		return nil
	}
	ptr := llvm.PointerType(ts.ctx, space)
	members := []*mlir.Type{ptr, ptr, ts.Index()}
	if n := int64(len(t.Shape)); n > 0 {
		dims := llvm.ArrayType(ts.ctx, n, ts.Index())
		members = append(members, dims, dims)
	}
	return llvm.StructType(ts.ctx, members...)
}

// unranked returns the type of the descriptor of a memref of any rank: the rank and a
// pointer to the descriptor of a memref of that rank, which is in address space 0
// wherever the elements are.
func (ts *Types) unranked(t *mlir.Type) *mlir.Type {
	if _, ok := ts.Space(t); !ok || ts.Convert(t.Elem) == nil {
		return nil
	}
	return llvm.StructType(ts.ctx, ts.Index(), ts.PlainPointer())
}

// PlainPointer returns the type of pointers in address space 0.
func (ts *Types) PlainPointer() *mlir.Type { return llvm.PointerType(ts.ctx, 0) }

// spaces are LLVM's numbers of the address spaces that dialects name.
var spaces = [...]struct {
	dialect, word string
	number        int64
}{
	{"gpu", "global", 1}, {"gpu", "workgroup", 3}, {"gpu", "private", 5},
	{"amdgpu", "fat_raw_buffer", 7}, {"amdgpu", "buffer_rsrc", 8}, {"amdgpu", "fat_structured_buffer", 9},
}

// Space returns the number of a memref's address space.
func (ts *Types) Space(t *mlir.Type) (number int64, ok bool) {
	switch a := t.Space; {
	case a == nil:
		return 0, true
	case a.Kind == mlir.IntegerAttr:
		return a.Int, true
	default:
		for _, s := range spaces {
			if a.Enum != nil && a.Enum.Dialect == s.dialect && a.Text == s.word && (s.dialect != "gpu" || ts.GPU) {
				return s.number, true
			}
		}
		return 0, false
	}
}
