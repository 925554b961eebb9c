package gpu

import (
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
	bits := bitWidth(v.Type)
	whole := v
	integer := l.Context.Integer(bits)
	if v.Type != integer {
		whole = l.Emit("llvm.bitcast", integer, tollvm.Values(v))
	}
	i32 := l.Context.Integer(32)
	switch {
	case bits == 32:
		whole = move(whole)
	case bits < 32:
		whole = l.Emit("llvm.trunc", integer, tollvm.Values(move(l.Emit("llvm.zext", i32, tollvm.Values(whole)))))
	default:
		whole = throughManyWords(l, whole, bits, move)
	}
	if v.Type != integer {
		whole = l.Emit("llvm.bitcast", v.Type, tollvm.Values(whole))
	}
	return whole
}

func throughManyWords(l *tollvm.Lowering, v *mlir.Value, bits int, move func(*mlir.Value) *mlir.Value) *mlir.Value {
	i32 := l.Context.Integer(32)
	padded := (bits + 31) / 32 * 32
	wide := l.Context.Integer(padded)
	if padded > bits {
		v = l.Emit("llvm.zext", wide, tollvm.Values(v))
	}
	var words []*mlir.Value
	for at := 0; at < padded; at += 32 {
		word := v
		if at > 0 {
			word = l.Binary("llvm.lshr", v, l.Int(wide, int64(at)))
		}
		words = append(words, move(l.Emit("llvm.trunc", i32, tollvm.Values(word))))
	}
	var whole *mlir.Value
	for i, word := range words {
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
