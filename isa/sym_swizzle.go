package isa

import "math/bits"

// SwizzleMode is a form of the 16-bit offset of ds_swizzle_b32.
type SwizzleMode uint8

// Forms of swizzle(…), with LLVM's names in upper case: swizzle(QUAD_PERM, 0,
// 1, 2, 3).
const (
	SwizzleQuadPerm SwizzleMode = iota
	SwizzleBitmaskPerm
	SwizzleSwap
	SwizzleReverse
	SwizzleBroadcast
	SwizzleFFT
	SwizzleRotate
)

// Encodings of the modes. QUAD_PERM: two bits per lane below 0x8000.
// BITMASK_PERM (SWAP, REVERSE and BROADCAST are special cases): below 0x8000,
// and-mask in bits 4:0, or-mask in 9:5, xor-mask in 14:10. ROTATE: direction in
// bit 10, size in 9:5. FFT: swizzle in 4:0.
const (
	swizzleQuad   = 0x8000
	swizzleRotate = 0xc000
	swizzleFFT    = 0xe000
	swizzleMask   = 0x1f // of each field of BITMASK_PERM; also the largest lane
)

// swizzleModes lists the names. Source: LLVM, SIDefines.h and AMDGPUAsmUtils.cpp,
// namespace Swizzle.
var swizzleModes = []symRow{
	{"QUAD_PERM", uint32(SwizzleQuadPerm), onAll},
	{"BITMASK_PERM", uint32(SwizzleBitmaskPerm), onAll},
	{"SWAP", uint32(SwizzleSwap), onAll},
	{"REVERSE", uint32(SwizzleReverse), onAll},
	{"BROADCAST", uint32(SwizzleBroadcast), onAll},
	{"FFT", uint32(SwizzleFFT), SinceGFX900},
	{"ROTATE", uint32(SwizzleRotate), SinceGFX900},
}

// swizzleArg is the range of a mode's argument.
type swizzleArg struct {
	min, max int64
	problem  string
	pow2     bool // must be a power of two
}

const (
	quadProblem  = "expected a 2-bit lane id"
	groupProblem = "group size must be in the interval [2,32]"
	pow2Problem  = "group size must be a power of two"
)

// swizzleArgs lists the numeric arguments of the modes. The lane of BROADCAST
// must also be below the group size, which has the same message.
var swizzleArgs = [...][]swizzleArg{
	SwizzleQuadPerm: {{0, 3, quadProblem, false}, {0, 3, quadProblem, false},
		{0, 3, quadProblem, false}, {0, 3, quadProblem, false}},
	SwizzleBitmaskPerm: nil,
	SwizzleSwap:        {{1, 16, "group size must be in the interval [1,16]", true}},
	SwizzleReverse:     {{2, 32, groupProblem, true}},
	SwizzleBroadcast: {{2, 32, groupProblem, true},
		{0, 31, "lane id must be in the interval [0,group size - 1]", false}},
	SwizzleFFT: {{0, 31, "FFT swizzle must be in the interval [0,31]", false}},
	SwizzleRotate: {{0, 1, "direction must be 0 (left) or 1 (right)", false},
		{0, 31, "number of threads to rotate must be in the interval [0,31]", false}},
}

// SwizzleByName returns the mode of a name such as QUAD_PERM.
func SwizzleByName(s Set, name []byte) (m SwizzleMode, st Status) {
	v, st := symByName(swizzleModes, s, name)
	return SwizzleMode(v), st
}

// Args returns the number of numeric arguments. BITMASK_PERM has none: its
// argument is a string, for EncodeSwizzleMask.
func (m SwizzleMode) Args() int { return len(swizzleArgs[m]) }

// CheckSwizzleArg describes the error in argument i of a mode. args holds the
// arguments up to i.
func CheckSwizzleArg(m SwizzleMode, args []int64, i int) (problem string) {
	a, v := &swizzleArgs[m][i], args[i]
	if v < a.min || v > a.max || m == SwizzleBroadcast && i == 1 && v >= args[0] {
		return a.problem
	}
	if a.pow2 && v&(v-1) != 0 {
		return pow2Problem
	}
	return ""
}

// EncodeSwizzle returns the offset of a mode with checked arguments.
func EncodeSwizzle(m SwizzleMode, args []int64) uint32 {
	a := func(i int) uint32 { return uint32(args[i]) }
	switch m {
	case SwizzleQuadPerm:
		return swizzleQuad | a(0) | a(1)<<2 | a(2)<<4 | a(3)<<6
	case SwizzleSwap:
		return bitmaskPerm(swizzleMask, 0, a(0))
	case SwizzleReverse:
		return bitmaskPerm(swizzleMask, 0, a(0)-1)
	case SwizzleBroadcast:
		return bitmaskPerm(swizzleMask-a(0)+1, a(1), 0)
	case SwizzleFFT:
		return swizzleFFT | a(0)
	case SwizzleRotate:
		return swizzleRotate | a(0)<<10 | a(1)<<5
	}
	panic("BUG: EncodeSwizzle of a mode without numeric arguments")
}

func bitmaskPerm(and, or, xor uint32) uint32 { return and | or<<5 | xor<<10 }

// EncodeSwizzleMask returns the offset of BITMASK_PERM. The mask has one
// character for each of 5 bits, the highest first: 0, 1, p (keep), i (invert).
func EncodeSwizzleMask(mask []byte) (v uint32, problem string) {
	if len(mask) != 5 {
		return 0, "expected a 5-character mask"
	}
	var and, or, xor uint32
	for i, c := range mask {
		bit := uint32(16) >> i
		switch c {
		case '0':
		case '1':
			or |= bit
		case 'p':
			and |= bit
		case 'i':
			and |= bit
			xor |= bit
		default:
			return 0, "invalid mask"
		}
	}
	return bitmaskPerm(and, or, xor), ""
}

// AppendSwizzle appends " offset:swizzle(SWAP,1)" or, for a value that is no
// mode's, " offset:33024"; nothing for 0.
func AppendSwizzle(dst []byte, s Set, v uint32) []byte {
	if v == 0 {
		return dst
	}
	dst = append(dst, " offset:"...)
	if v < swizzleQuad {
		return appendBitmaskPerm(dst, v)
	}
	switch {
	case v >= swizzleRotate && !SinceGFX900.Has(s), v >= swizzleQuad+0x100 && v < swizzleRotate:
		return appendDec(dst, v)
	case v >= swizzleFFT:
		return appendSwizzleArgs(dst, SwizzleFFT, v&31)
	case v >= swizzleRotate:
		return appendSwizzleArgs(dst, SwizzleRotate, v>>10&1, v>>5&31)
	}
	return appendSwizzleArgs(dst, SwizzleQuadPerm, v&3, v>>2&3, v>>4&3, v>>6&3)
}

// appendBitmaskPerm prefers the names of special cases to a mask.
func appendBitmaskPerm(dst []byte, v uint32) []byte {
	and, or, xor := v&31, v>>5&31, v>>10&31
	group := swizzleMask - and + 1
	switch {
	case and == swizzleMask && or == 0 && bits.OnesCount32(xor) == 1:
		return appendSwizzleArgs(dst, SwizzleSwap, xor)
	case and == swizzleMask && or == 0 && xor > 0 && xor&(xor+1) == 0:
		return appendSwizzleArgs(dst, SwizzleReverse, xor+1)
	case group > 1 && group&(group-1) == 0 && or < group && xor == 0:
		return appendSwizzleArgs(dst, SwizzleBroadcast, group, or)
	}
	zero := or ^ xor         // the result for a lane number of all zeroes
	ones := (and | or) ^ xor // the result for a lane number of all ones
	dst = append(dst, `swizzle(BITMASK_PERM,"`...)
	for bit := uint32(16); bit != 0; bit >>= 1 {
		dst = append(dst, "01pi"[maskChar(zero&bit != 0, ones&bit != 0)])
	}
	return append(dst, `")`...)
}

// maskChar returns the index in "01pi" of a bit that maps 0 to zero and 1 to one.
func maskChar(zero, one bool) int {
	switch {
	case zero && one:
		return 1
	case one:
		return 2
	case zero:
		return 3
	}
	return 0
}

func appendSwizzleArgs(dst []byte, m SwizzleMode, args ...uint32) []byte {
	dst = append(append(dst, "swizzle("...), swizzleModes[m].name...)
	for _, a := range args {
		dst = appendDec(append(dst, ','), a)
	}
	return append(dst, ')')
}
