// Package amdgpu converts dialect amdgpu to rocdl and LLVM operations, and holds
// the passes that prepare modules for it.
//
// Edition 19 computes addresses of buffers as edition 22 does, in bytes from the
// first element, and as its document specifies.
package amdgpu

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// The chipsets from which operations exist.
var (
	gfx908  = tollvm.Chipset{Major: 9, Stepping: 8}
	gfx90a  = tollvm.Chipset{Major: 9, Stepping: 10}
	gfx940  = tollvm.Chipset{Major: 9, Minor: 4}
	gfx942  = tollvm.Chipset{Major: 9, Minor: 4, Stepping: 2}
	gfx950  = tollvm.Chipset{Major: 9, Minor: 5}
	gfx1250 = tollvm.Chipset{Major: 12, Minor: 5}
)

// A rule converts an operation whose operands and results have LLVM types.
type rule = func(l *tollvm.Lowering, o *mlir.Op, to string) error

// ToROCDL converts all operations of dialect amdgpu.
func ToROCDL() []tollvm.Row {
	rows := []tollvm.Row{
		{Op: "amdgpu.dpp", Run: dpp},
		{Op: "amdgpu.ext_packed_fp8", Run: extPacked},
		{Op: "amdgpu.fat_raw_buffer_cast", Run: fatBuffer},
		{Op: "amdgpu.gather_to_lds", Run: gather},
		{Op: "amdgpu.lds_barrier", Run: ldsBarrier},
		{Op: "amdgpu.make_dma_base", Run: dmaBase},
		{Op: "amdgpu.make_dma_descriptor", Run: dmaDescriptor},
		{Op: "amdgpu.make_gather_dma_base", Run: dmaBase},
		{Op: "amdgpu.make_gather_dma_descriptor", Run: dmaDescriptor},
		{Op: "amdgpu.memory_counter_wait", Run: counterWait},
		{Op: "amdgpu.mfma", Run: mfma},
		{Op: "amdgpu.packed_scaled_trunc", Run: scaledTrunc},
		{Op: "amdgpu.packed_stoch_round_fp8", Run: stochRound},
		{Op: "amdgpu.packed_trunc_2xfp8", Run: truncPacked},
		{Op: "amdgpu.permlane_swap", Run: permlaneSwap},
		{Op: "amdgpu.raw_buffer_atomic_cmpswap", To: "rocdl.raw.ptr.buffer.atomic.cmpswap", Run: buffer},
		{Op: "amdgpu.raw_buffer_atomic_fadd", To: "rocdl.raw.ptr.buffer.atomic.fadd", Run: buffer},
		{Op: "amdgpu.raw_buffer_atomic_fmax", To: "rocdl.raw.ptr.buffer.atomic.fmax", Run: buffer},
		{Op: "amdgpu.raw_buffer_atomic_smax", To: "rocdl.raw.ptr.buffer.atomic.smax", Run: buffer},
		{Op: "amdgpu.raw_buffer_atomic_umin", To: "rocdl.raw.ptr.buffer.atomic.umin", Run: buffer},
		{Op: "amdgpu.raw_buffer_load", To: "rocdl.raw.ptr.buffer.load", Run: buffer},
		{Op: "amdgpu.raw_buffer_store", To: "rocdl.raw.ptr.buffer.store", Run: buffer},
		{Op: "amdgpu.scaled_ext_packed", Run: scaledExt},
		{Op: "amdgpu.scaled_ext_packed_matrix", Run: scaledExtMatrix},
		{Op: "amdgpu.scaled_mfma", Run: scaledMFMA},
		{Op: "amdgpu.scaled_wmma", Run: scaledWMMA},
		{Op: "amdgpu.sched_barrier", Run: schedBarrier},
		{Op: "amdgpu.sparse_mfma", Run: sparseMFMA},
		{Op: "amdgpu.swizzle_bitmode", Run: swizzle},
		{Op: "amdgpu.tensor_load_to_lds", To: "rocdl.tensor.load.to.lds", Run: tensorCopy},
		{Op: "amdgpu.tensor_store_from_lds", To: "rocdl.tensor.store.from.lds", Run: tensorCopy},
		{Op: "amdgpu.transpose_load", Run: transposeLoad},
		{Op: "amdgpu.wmma", Run: wmma},
	}
	for i := range rows {
		rows[i].Run = typed(rows[i].Run)
	}
	return rows
}

// errLayout is reported, without a position, for a memref that has no descriptor.
const errLayout = "conversion to strided form failed either due to non-strided layout maps (which should have been normalized away) or other reasons"

// errSpace is reported, without a position, for a memory space that has no number.
const errSpace = "conversion of memref memory space %s to integer address space failed. Consider adding memory space conversions."

// typed returns a rule that fails where an operand or result has no LLVM type.
func typed(run rule) rule {
	return func(l *tollvm.Lowering, o *mlir.Op, to string) error {
		for _, u := range o.Operands {
			if err := convertible(l, u.Value.Type); err != nil {
				return err
			}
		}
		for _, r := range o.Results {
			if err := convertible(l, r.Type); err != nil {
				return err
			}
		}
		return run(l, o, to)
	}
}

// convertible returns an error if a type has no LLVM type.
func convertible(l *tollvm.Lowering, t *mlir.Type) error {
	if l.Convert(t) != nil || t.IsDialect("amdgpu", "tdm_descriptor") {
		return nil
	}
	if t.Kind == mlir.MemRefKind {
		if _, _, ok := mlir.StridesAndOffset(t); !ok {
			return diag.List{{Message: errLayout}}
		}
		if _, ok := l.Space(t); !ok {
			return diag.List{{Message: fmt.Sprintf(errSpace, t.Space)}}
		}
	}
	return rewrite.ErrNoMatch
}

// edition19 reports whether a lowering follows edition 19.
func edition19(l *tollvm.Lowering) bool { return l.Context.Edition == mlir.Edition19 }

// Types converts the types of dialect amdgpu, and in edition 19 bf16, to LLVM
// types. It returns nil for other types.
func Types(c *mlir.Context) func(t *mlir.Type) *mlir.Type {
	return func(t *mlir.Type) *mlir.Type {
		switch {
		case t.IsDialect("amdgpu", "tdm_base"), t.IsDialect("amdgpu", "tdm_gather_base"):
			return c.Vector(c.Integer(32), 4)
		case t.Kind == mlir.FloatKind && t.Float.Name == "bf16" && c.Edition == mlir.Edition19:
			return c.Integer(16)
		}
		return nil
	}
}

// one returns the only operand of a name, or nil if there is none.
func one(o *mlir.Op, name string) *mlir.Value {
	if list := o.Named(name); len(list) > 0 {
		return list[0]
	}
	return nil
}

// values returns operands in the types that replace theirs.
func values(l *tollvm.Lowering, list []*mlir.Value) []*mlir.Value {
	converted := make([]*mlir.Value, len(list))
	for i, v := range list {
		converted[i] = l.Value(v)
	}
	return converted
}

// intAttr returns the value of an integer attribute, and 0 if it is missing.
func intAttr(o *mlir.Op, name string) int64 {
	if a := o.Attr(name); a != nil {
		return a.Int
	}
	return 0
}

// elemName returns the name of a type's elements: "f32", "i8" whatever the sign.
func elemName(t *mlir.Type) string {
	e := t.ElementOrSelf()
	if e.Kind == mlir.IntegerKind {
		return intNames[min(e.Width, len(intNames)-1)]
	}
	return e.String()
}

// intNames are the names of integers that operations on matrices know.
var intNames = [...]string{4: "i4", 8: "i8", 16: "i16", 32: "i32", 64: "i64", 65: ""}

// bitcast creates llvm.bitcast unless v has the type already.
func bitcast(l *tollvm.Lowering, v *mlir.Value, t *mlir.Type) *mlir.Value {
	if v.Type == t {
		return v
	}
	return l.Emit("llvm.bitcast", t, tollvm.Values(v))
}

// flag returns an attribute of type i1.
func flag(l *tollvm.Lowering, name string, v bool) mlir.NamedAttr {
	return tollvm.Named(name, l.Context.Bool(v))
}

// number returns an attribute of type i32.
func number(l *tollvm.Lowering, name string, v int64) mlir.NamedAttr {
	return tollvm.Named(name, l.Context.I32Attr(v))
}
