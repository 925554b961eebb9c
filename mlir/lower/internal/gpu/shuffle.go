package gpu

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// shuffle converts gpu.shuffle: it computes the lane to read, which is the lane
// itself where the source is outside of the group of width lanes, and reads words of 32 bits with
// ds_bpermute.
func shuffle(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := l.Convert(o.Operand(0).Type)
	if t == nil || t.Kind == mlir.DialectKind {
		return rewrite.ErrNoMatch
	}
	mode := o.Attr("mode").Text
	if l.Context.Edition == mlir.Edition19 && (mode == "up" || mode == "down") {
		return rewrite.ErrNoMatch
	}
	source, valid := sourceLane(l, mode, l.Operand(o, 1), l.Operand(o, 2))
	address := l.Binary("llvm.shl", source, l.I32(2))
	l.Replace(o, throughWords(l, l.Operand(o, 0), func(word *mlir.Value) *mlir.Value {
		return l.Emit("rocdl.ds_bpermute", word.Type, tollvm.Values(address, word))
	}), valid)
	return nil
}

// sourceLane returns the lane from which a shuffle reads, and whether it is in the group.
func sourceLane(l *tollvm.Lowering, mode string, offset, width *mlir.Value) (source, valid *mlir.Value) {
	self := lane(l)
	negated := l.Binary("llvm.sub", l.I32(0), width)
	end := l.Binary("llvm.and", l.Binary("llvm.add", self, width), negated)
	wanted := offset
	switch mode {
	case "up":
		wanted = l.Binary("llvm.sub", self, offset)
	case "down":
		wanted = l.Binary("llvm.add", self, offset)
	case "xor":
		wanted = l.Binary("llvm.xor", self, offset)
	}
	bit := l.Context.Integer(1)
	const less = 2 // signed, as MLIR compares
	valid = l.Emit("llvm.icmp", bit, tollvm.Values(wanted, end), tollvm.Named("predicate", l.Context.I64Attr(less)))
	return l.Emit("llvm.select", wanted.Type, tollvm.Values(valid, wanted, self)), valid
}

// bitWidth returns the size of a scalar or vector of one dimension in bits.
func bitWidth(t *mlir.Type) int {
	if t.Kind == mlir.VectorKind {
		return t.Elem.BitWidth() * int(t.NumElements())
	}
	return t.BitWidth()
}

// throughWords applies move to each word of 32 bits of a value and puts the results together.
func throughWords(l *tollvm.Lowering, v *mlir.Value, move func(*mlir.Value) *mlir.Value) *mlir.Value {
	return throughWordsOf(l, tollvm.Values(v), func(words []*mlir.Value) *mlir.Value { return move(words[0]) })
}

// throughWordsOf applies move to the words of 32 bits of several values of one type, one word of each at a
// time, and puts the results together.
func throughWordsOf(l *tollvm.Lowering, values []*mlir.Value, move func(words []*mlir.Value) *mlir.Value) *mlir.Value {
	t := values[0].Type
	bits := bitWidth(t)
	integer := l.Context.Integer(bits)
	whole := slices.Clone(values)
	if t != integer {
		whole = each(values, func(v *mlir.Value) *mlir.Value { return l.Emit("llvm.bitcast", integer, tollvm.Values(v)) })
	}
	i32 := l.Context.Integer(32)
	var moved *mlir.Value
	switch {
	case bits == 32:
		moved = move(whole)
	case bits < 32:
		words := each(whole, func(v *mlir.Value) *mlir.Value { return l.Emit("llvm.zext", i32, tollvm.Values(v)) })
		moved = l.Emit("llvm.trunc", integer, tollvm.Values(move(words)))
	default:
		moved = throughManyWords(l, whole, bits, move)
	}
	if t != integer {
		moved = l.Emit("llvm.bitcast", t, tollvm.Values(moved))
	}
	return moved
}

// each applies f to all values of a list.
func each(values []*mlir.Value, f func(*mlir.Value) *mlir.Value) []*mlir.Value {
	list := make([]*mlir.Value, len(values))
	for i, v := range values {
		list[i] = f(v)
	}
	return list
}

func throughManyWords(l *tollvm.Lowering, values []*mlir.Value, bits int, move func([]*mlir.Value) *mlir.Value) *mlir.Value {
	i32 := l.Context.Integer(32)
	padded := (bits + 31) / 32 * 32
	wide := l.Context.Integer(padded)
	if padded > bits {
		values = each(values, func(v *mlir.Value) *mlir.Value { return l.Emit("llvm.zext", wide, tollvm.Values(v)) })
	}
	var moved []*mlir.Value
	for at := 0; at < padded; at += 32 {
		moved = append(moved, move(each(values, func(v *mlir.Value) *mlir.Value {
			if at > 0 {
				v = l.Binary("llvm.lshr", v, l.Int(wide, int64(at)))
			}
			return l.Emit("llvm.trunc", i32, tollvm.Values(v))
		})))
	}
	var whole *mlir.Value
	for i, word := range moved {
		word = l.Emit("llvm.zext", wide, tollvm.Values(word))
		if i == 0 {
			whole = word
			continue
		}
		whole = l.Binary("llvm.or", l.Binary("llvm.shl", word, l.Int(wide, int64(32*i))), whole)
	}
	if padded > bits {
		whole = l.Emit("llvm.trunc", l.Context.Integer(bits), tollvm.Values(whole))
	}
	return whole
}
