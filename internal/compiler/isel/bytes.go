package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
)

// byteOf is the source of a byte in a dword: byte n of a value, or 0 without
// one.
type byteOf struct {
	v ir.Value
	n int8
}

// zeroByte selects 0 in V_PERM_B32 (AMD's ISA documents, "V_PERM_B32").
const zeroByte = 0x0c

// minPermuted is the minimum number of IR operations that one byte permutation
// must replace. Other fused operations are as good for fewer.
const minPermuted = 4

// permute selects a value that is composed of bytes of one or two values, such
// as a byte swap, as one permutation.
func (s *Selector) permute(v ir.Value) bool {
	if s.f.Op(v) != ir.OpOr || s.f.TypeOf(v) != ir.I32 || !s.out.M.Has(mir.VPermB32) {
		return false
	}
	saved := 0
	from := s.bytesOf(v, true, &saved)
	if saved < minPermuted {
		return false
	}
	x, y, selector := ir.None, ir.None, int64(0)
	for k, b := range from {
		code := int64(b.n)
		switch {
		case b.v == ir.None:
			code = zeroByte
		case x == ir.None || b.v == x:
			x = b.v
		case y == ir.None || b.v == y:
			y = b.v
			code += 4 // the first source holds the high bytes
		default:
			return false
		}
		selector |= code << (8 * k)
	}
	if x == ir.None {
		return false
	}
	high := mir.Imm(0)
	if y != ir.None {
		high = s.use(y)
	}
	s.valu(mir.VPermB32, mir.R(s.regOf(v)), high, s.use(x), mir.Imm(selector))
	return true
}

// bytesOf returns the sources of a value's bytes. The value has at most 32
// bits. It adds to saved the number of operations without other uses that
// become unnecessary.
func (s *Selector) bytesOf(v ir.Value, top bool, saved *int) (out [4]byteOf) {
	f := s.f
	if top || v.IsLocal() && f.TypeOf(v) == ir.I32 && f.HasOneUse(v) && s.vals[v].bank == bankV {
		before := *saved
		*saved++
		if out, ok := s.bytesOfOp(v, saved); ok {
			return out
		}
		*saved = before
	}
	for k := range out {
		out[k] = byteOf{v, int8(k)}
	}
	return out
}

// bytesOfOp returns the sources of the bytes in the result of an operation that
// only moves bytes.
func (s *Selector) bytesOfOp(v ir.Value, saved *int) (out [4]byteOf, ok bool) {
	f := s.f
	n, known := uint64(0), false
	if len(f.Operands(v)) == 2 {
		n, known = s.intValue(f.Operand(v, 1))
	}
	switch op := f.Op(v); {
	case op == ir.OpOr && !known:
		x, y := s.bytesOf(f.Operand(v, 0), false, saved), s.bytesOf(f.Operand(v, 1), false, saved)
		for k := range out {
			if out[k] = x[k]; x[k].v == ir.None {
				out[k] = y[k]
			} else if y[k].v != ir.None {
				return out, false
			}
		}
		return out, true
	case op == ir.OpShl && known && n%8 == 0 && n < 32:
		x := s.bytesOf(f.Operand(v, 0), false, saved)
		copy(out[n/8:], x[:])
		return out, true
	case op == ir.OpLShr && known && n%8 == 0 && n < 32:
		x := s.bytesOf(f.Operand(v, 0), false, saved)
		copy(out[:], x[n/8:])
		return out, true
	case op == ir.OpAnd && known:
		x := s.bytesOf(f.Operand(v, 0), false, saved)
		for k := range out {
			switch n >> (8 * k) & 0xff {
			case 0xff:
				out[k] = x[k]
			case 0:
			default:
				return out, false
			}
		}
		return out, true
	case op == ir.OpZExt && s.m.IntBits(f.TypeOf(f.Operand(v, 0)))%8 == 0:
		x := f.Operand(v, 0)
		for k := range s.m.IntBits(f.TypeOf(x)) / 8 {
			out[k] = byteOf{x, int8(k)}
		}
		return out, true
	}
	return out, false
}
