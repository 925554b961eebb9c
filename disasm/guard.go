package disasm

import "github.com/gfx-toolchain/gfx/isa"

// guard is the set of sources from which a VALU instruction may read a scalar
// value: a register or a literal. Assemblers reject an instruction that reads
// more of them than the constant bus transfers, so the text of a shape with
// several such sources is not valid for all values of its fields.
type guard uint8

const (
	guardVOP3     guard = 7      // bits 0 to 2: the sources of a 64-bit encoding, in the second dword
	guardSrc0     guard = 1 << 3 // the first source of a 32-bit encoding
	guardImplicit guard = 1 << 4 // VCC or M0 as an implicit operand
	guardEqual    guard = 1 << 5 // the sources have equal sizes, so that the same register is one value
	numGuards           = 1 << 5
)

// scalarBits lists the bits of the first and second dword that are 0 if a
// guard's source is not a VGPR. A bit that is always 0 represents the implicit
// source.
var scalarBits = [numGuards][2]uint32{
	3: {0, 1<<8 | 1<<17}, 5: {0, 1<<8 | 1<<26}, 6: {0, 1<<17 | 1<<26}, 7: {0, 1<<8 | 1<<17 | 1<<26},
	17: {bit29, 1 << 8}, 18: {bit29, 1 << 17}, 19: {bit29, 1<<8 | 1<<17}, 20: {bit29, 1 << 26},
	21: {bit29, 1<<8 | 1<<26}, 22: {bit29, 1<<17 | 1<<26}, 23: {bit29, 1<<8 | 1<<17 | 1<<26},
	24: {1<<8 | bit31, 0},
}

const (
	bit29 = 1 << 29 // of VOP3 and VOP3P
	bit31 = 1 << 31 // of VOP1, VOP2 and VOPC
)

// newGuard returns the guard of an instruction's shape, or 0 if the assembler
// accepts all values of the sources.
func newGuard(in *isa.Inst) (g guard) {
	f := in.Enc.Form()
	vop3 := f == isa.VOP3 || f == isa.VOP3P
	if !vop3 && f != isa.VOP1 && f != isa.VOP2 && f != isa.VOPC {
		return 0
	}
	for i, field := range [...]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2} {
		switch p := in.NativePlace(field); {
		case p.Width != 9 || !hasOperand(in, field):
		case vop3:
			g |= 1 << i
		case in.Enc.Variant() == isa.Native:
			g |= guardSrc0
		}
	}
	if in.Enc.Traits().Any(isa.TraitUseVcc | isa.TraitUseM0) {
		g |= guardImplicit
	}
	if scalarBits[g] == [2]uint32{} {
		return 0
	}
	if g&guardImplicit == 0 && sameSizes(in) {
		g |= guardEqual
	}
	return g
}

// sameSizes reports whether the sources of an instruction have equal sizes.
func sameSizes(in *isa.Inst) bool {
	size := uint8(0)
	ops := in.Enc.Operands()
	for i := range ops {
		switch ops[i].Field {
		case isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2:
			n := in.TupleDwords(&ops[i])
			if size != 0 && n != size {
				return false
			}
			size = n
		}
	}
	return true
}

func hasOperand(in *isa.Inst, f isa.Field) bool {
	ops := in.Enc.Operands()
	for i := range ops {
		if ops[i].Field == f {
			return true
		}
	}
	return false
}

// mayClash reports whether at least two of a guard's sources are not VGPRs.
func (g guard) mayClash(w *dwords) bool {
	m := &scalarBits[g&(numGuards-1)]
	x := ^w[0]&m[0] | ^w[1]&m[1]
	return x&(x-1) != 0
}

// scalars returns the number of scalar values that an instruction reads, and
// whether they are all different.
func (g guard) scalars(w *dwords) (n uint8, different bool) {
	var seen [4]uint32
	add := func(v uint32) {
		if g&guardEqual != 0 && (n > 0 && v == seen[0] || n > 1 && v == seen[1]) {
			return
		}
		if v < encInt0 || v >= encIntEnd && v < encFloat || v >= encFloatEnd && v < numVGPRs {
			seen[n] = v
			n++
		}
	}
	for i := range 3 {
		if g>>i&1 != 0 {
			add(w[1] >> (9 * i) & 511)
		}
	}
	if g&guardSrc0 != 0 {
		add(w[0] & 511)
	}
	different = true
	if g&guardImplicit != 0 {
		for _, v := range seen[:n] {
			different = different && (v < encVCC || v >= encTTMP && v < encM0)
		}
		n++
	}
	for i := range seen[:n] {
		for j := range seen[:i] {
			different = different && seen[i] != seen[j]
		}
	}
	return n, different
}
