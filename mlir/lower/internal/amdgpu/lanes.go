package amdgpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// dppControls are the bits that select a permutation, by its case in the
// enumeration. Shifts of rows have the distance added.
var dppControls = [...]int64{
	0: 0,                         // quad_perm
	1: 0x100, 2: 0x110, 3: 0x120, // row_shl, row_shr, row_ror
	4: 0x130, 5: 0x138, 6: 0x13c, 7: 0x134, // wave_shl, wave_shr, wave_ror, wave_rol
	8: 0x140, 9: 0x141, // row_mirror, row_half_mirror
	10: 0x142, 11: 0x143, // row_bcast_15, row_bcast_31
}

// dppControl returns the control of an operation.
func dppControl(o *mlir.Op) int64 {
	control := dppControls[o.Attr("kind").Int]
	switch a := o.Attr("permArgument"); {
	case a == nil:
	case a.Kind == mlir.ArrayAttr:
		for i, e := range a.List {
			control |= e.Int << (2 * i)
		}
	case a.Kind == mlir.IntegerAttr:
		control += a.Int
	}
	return control
}

// dpp converts a permutation within rows of lanes. Values of less than 32 bits are
// moved as words.
func dpp(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	c := l.Context
	src, old := l.Value(one(o, "src")), l.Value(one(o, "old"))
	t := src.Type
	bits := t.BitWidth()
	if bits != 32 && bits != 64 && (bits == 0 || 32%bits != 0) {
		return rewrite.ErrNoMatch
	}
	moved := t
	if bits < 32 {
		src, old = spread(l, src), spread(l, old)
		moved = c.Integer(32)
	}
	v := l.Emit("rocdl.update.dpp", moved, tollvm.Values(old, src), number(l, "dppCtrl", dppControl(o)),
		number(l, "rowMask", intAttr(o, "row_mask")), number(l, "bankMask", intAttr(o, "bank_mask")),
		flag(l, "boundCtrl", intAttr(o, "bound_ctrl") != 0))
	if bits < 32 {
		v = bitcast(l, resized(l, v, bits), t)
	}
	l.Replace(o, v)
	return nil
}

// spread returns a word with v in its low bits; the others are undefined.
func spread(l *tollvm.Lowering, v *mlir.Value) *mlir.Value {
	bits := v.Type.BitWidth()
	i := l.Context.Integer(bits)
	word := insert(l, undef(l, l.Context.Vector(i, int64(32/bits))), bitcast(l, v, i), 0)
	return bitcast(l, word, l.Context.Integer(32))
}

// words returns a value as words; the last one is filled up with zeros.
func words(l *tollvm.Lowering, v *mlir.Value) []*mlir.Value {
	c := l.Context
	n := bitsOf(v.Type)
	count := (n + 31) / 32
	if n%32 != 0 {
		v = resized(l, bitcast(l, v, c.Integer(n)), 32*count)
	}
	if count == 1 {
		return tollvm.Values(bitcast(l, v, c.Integer(32)))
	}
	v = bitcast(l, v, c.Vector(c.Integer(32), int64(count)))
	list := make([]*mlir.Value, count)
	for i := range list {
		list[i] = extract(l, v, int64(i))
	}
	return list
}

// joined returns a value of a type made of words.
func joined(l *tollvm.Lowering, list []*mlir.Value, t *mlir.Type) *mlir.Value {
	c := l.Context
	v := list[0]
	if len(list) > 1 {
		v = l.Poison(c.Vector(c.Integer(32), int64(len(list))))
		for i, w := range list {
			v = insert(l, v, w, int64(i))
		}
	}
	if n := bitsOf(t); n%32 != 0 {
		v = resized(l, bitcast(l, v, c.Integer(32*len(list))), n)
	}
	return bitcast(l, v, t)
}

// bitsOf returns the width of a number or vector in bits.
func bitsOf(t *mlir.Type) int {
	if t.Kind == mlir.VectorKind {
		return t.Elem.BitWidth() * int(t.NumElements())
	}
	return t.BitWidth()
}

// eachWord replaces an operation by another one for each word of its operand.
func eachWord(l *tollvm.Lowering, o *mlir.Op, f func(*mlir.Value) *mlir.Value) error {
	v := l.Value(one(o, "src"))
	if bitsOf(v.Type) == 0 || v.Type.IsScalable() {
		return rewrite.ErrNoMatch
	}
	list := words(l, v)
	for i, w := range list {
		list[i] = f(w)
	}
	l.Replace(o, joined(l, list, v.Type))
	return nil
}

// swizzle converts an exchange of lanes by masks.
func swizzle(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	mask := intAttr(o, "and_mask") | intAttr(o, "or_mask")<<5 | intAttr(o, "xor_mask")<<10
	return eachWord(l, o, func(w *mlir.Value) *mlir.Value {
		return l.Emit("rocdl.ds_swizzle", w.Type, tollvm.Values(w, l.I32(mask)))
	})
}

// permlaneSwap converts an exchange of rows of 16 or 32 lanes. The instruction
// exchanges rows of two registers, which are the same here, and returns both; the one
// that differs from the operand has the other row.
func permlaneSwap(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	if !l.Chipset.AtLeast(gfx950) {
		return mlir.OpErrorf("permlane_swap is only supported on gfx950+")
	}
	op := "rocdl.permlane16.swap"
	if intAttr(o, "row_length") == 32 {
		op = "rocdl.permlane32.swap"
	}
	fi, bound := flag(l, "fi", intAttr(o, "fetch_inactive") != 0), flag(l, "boundControl", intAttr(o, "bound_ctrl") != 0)
	return eachWord(l, o, func(w *mlir.Value) *mlir.Value {
		pair := l.Emit(op, llvm.StructType(l.Context, w.Type, w.Type), tollvm.Values(w, w), fi, bound)
		first, second := l.Extract(pair, w.Type, 0), l.Extract(pair, w.Type, 1)
		same := l.Emit("llvm.icmp", l.Context.Integer(1), tollvm.Values(first, w), tollvm.Named("predicate", l.Context.I64Attr(0)))
		return l.Emit("llvm.select", w.Type, tollvm.Values(same, second, first))
	})
}
