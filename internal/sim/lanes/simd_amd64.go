package lanes

import "sync"

// HasSIMD reports whether the host supports the functions of simd_amd64.s. It
// is valid after findSIMD.
var HasSIMD bool

var detected sync.Once

// Detect detects the host's features. CPUID is slow in virtual machines, so
// only users of the simulator call it.
func Detect() { detected.Do(func() { HasSIMD = detectFeatures() }) }

// detectFeatures reports whether the host has AVX2, FMA and F16C, and an operating
// system that saves their registers. Source: Intel 64 and IA-32 Architectures
// Software Developer's Manual, volume 1, section 14.7, "Detection of AVX2".
func detectFeatures() bool {
	const (
		fma, osxsave, avx, f16c = 1 << 12, 1 << 27, 1 << 28, 1 << 29 // leaf 1, ECX
		avx2                    = 1 << 5                             // leaf 7, EBX
		xmm, ymm                = 1 << 1, 1 << 2                     // XCR0
	)
	last, _, _ := cpuid(0)
	_, _, c := cpuid(1)
	if last < 7 || ^c&(fma|osxsave|avx|f16c) != 0 || ^xgetbv()&(xmm|ymm) != 0 {
		return false
	}
	_, b, _ := cpuid(7)
	return b&avx2 != 0
}

// cpuid returns the registers of a leaf with subleaf 0.
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

// xgetbv returns XCR0, which lists the registers that the operating system
// saves.
func xgetbv() uint32

//go:noescape
func simdMov(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdNot(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAnd(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdOr(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdXor(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAdd(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSub(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSubrev(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulLo(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshlrev(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshrrev(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAshrrev(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAdd3(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshlAdd(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAddLshl(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshlOr(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAndOr(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdOr3(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdXor3(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdXad(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdBfi(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdBfeU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAlignbit(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulU24(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulI24(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadU24(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadI24(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulHiU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAddF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSubF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSubrevF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFmaF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMaxF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMinF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32I32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtF32U32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtI32F32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCvtU32F32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRcpF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSqrtF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdRsqF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpEqF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLgF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpOF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpUF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNgeF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNgtF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNleF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNltF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNeqF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNlgF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpEq(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNe(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeI32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeU32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCndmask(d, a, b *uint32, exec, in uint64, n int) (out uint64)

//go:noescape
func simdAddc(d, a, b *uint32, exec, in uint64, n int) (out uint64)

//go:noescape
func simdSubb(d, a, b *uint32, exec, in uint64, n int) (out uint64)

//go:noescape
func simdAddF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMulF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdFmaF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshlrev64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshrrev64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdAshrrev64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLshlAdd64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMadU64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdMov64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLtF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpEqF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLeF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGtF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpGeF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpLgF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpOF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpUF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNgeF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNgtF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNleF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNltF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNeqF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCmpNlgF64(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkAddU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkSubU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkMulLoU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkMinI16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkMaxI16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkMinU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkMaxU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdPkMadU16(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSpread(d *uint32, v uint32, n int)

//go:noescape
func simdBits(d, s *uint32, shift uint64, and, xor uint32, n int)

// Spread writes v to n lanes.
func Spread(d *uint32, v uint32, n int) {
	if HasSIMD {
		simdSpread(d, v, n)
		return
	}
	spreadAny(d, v, n)
}

// Bits computes d = s >> shift & and ^ xor for n lanes.
func Bits(d, s *uint32, shift uint8, and, xor uint32, n int) {
	if HasSIMD {
		simdBits(d, s, uint64(shift), and, xor, n)
		return
	}
	bitsOfAny(d, s, shift, and, xor, n)
}
