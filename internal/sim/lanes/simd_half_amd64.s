#include "textflag.h"
#include "go_asm.h"
#include "simd_amd64.h"
#include "simd_trans_amd64.h"

// 16-bit floats with F16C, computed as 32-bit floats. The high half of sources and results is zero.
// The host preserves their denormals in all modes.

// WIDER converts eight f16 in dwords to floats. NARROWER rounds Y3 to f16 and leaves NaNs to the
// caller.
#define WIDER(y, x) VEXTRACTI128 $1, y, X4; VPACKUSDW X4, x, x; VCVTPH2PS x, y
#define LOADH1 LOAD1; WIDER(Y0, X0)
#define LOADH2 LOAD2; WIDER(Y0, X0); WIDER(Y1, X1)
#define LOADH3 LOAD3; WIDER(Y0, X0); WIDER(Y1, X1); WIDER(Y2, X2)
#define NARROWER VCMPPS $3, Y3, Y3, Y8; ROUNDHALF
#define ROUNDHALF VCVTPS2PH $0, Y3, X3; VPMOVZXWD X3, Y3

// A sum or product rounded to f32, with more than twice the bits of f16, rounds to f16 like the
// exact result. The same applies to quotients and roots.
#define ADD VADDPS Y1, Y0, Y3; NARROWER
TEXT ·simdAddF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH2, ADD)

#define SUB VSUBPS Y1, Y0, Y3; NARROWER
TEXT ·simdSubF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH2, SUB)

#define SUBREV VSUBPS Y0, Y1, Y3; NARROWER
TEXT ·simdSubrevF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH2, SUBREV)

#define MUL VMULPS Y1, Y0, Y3; NARROWER
TEXT ·simdMulF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH2, MUL)

// FUSE computes s = p·b+c. An inexact result is rounded to odd, so that it rounds to f16 like the
// exact result. The product is exact; t is the rounding error of the sum.
#define FUSE(p, b, c, s, t, u) \
	VMULPS b, p, p; \
	VADDPS c, p, s; \
	VSUBPS p, s, t; \
	VSUBPS t, s, u; \
	VSUBPS u, p, u; \
	VSUBPS t, c, t; \
	VADDPS t, u, t; \
	VXORPS u, u, u; \
	VCMPPS $0x0c, u, t, u; \
	VXORPS s, t, t; \
	VPSRAD $31, t, t; \
	VPAND u, t, t; \
	VPADDD t, s, s; \
	VPSRLD $31, u, u; \
	VPOR u, s, s
#define FMA FUSE(Y0, Y1, Y2, Y3, Y4, Y5); NARROWER
TEXT ·simdFmaF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH3, FMA)

// Rounding.
#define TRUNC VROUNDPS $3, Y0, Y3; NARROWER
TEXT ·simdTruncF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH1, TRUNC)

#define CEIL VROUNDPS $2, Y0, Y3; NARROWER
TEXT ·simdCeilF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH1, CEIL)

#define FLOOR VROUNDPS $1, Y0, Y3; NARROWER
TEXT ·simdFloorF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH1, FLOOR)

#define RNDNE VROUNDPS $0, Y0, Y3; NARROWER
TEXT ·simdRndneF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH1, RNDNE)

#define PREBELOW1 CONST(0x3f7fe000)
#define FRACT VROUNDPS $1, Y0, Y3; VSUBPS Y3, Y0, Y3; VMINPS Y3, Y15, Y3; NARROWER
TEXT ·simdFractF16(SB), NOSPLIT, $0-56
	SPECIAL(PREBELOW1, LOADH1, FRACT)

// Reciprocals, roots, powers, logarithms and trigonometric functions.
#define RCP VDIVPS Y0, Y15, Y3; NARROWER
TEXT ·simdRcpF16(SB), NOSPLIT, $0-56
	SPECIAL(PREONE, LOADH1, RCP)

#define SQRT VSQRTPS Y0, Y3; NARROWER
TEXT ·simdSqrtF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADH1, SQRT)

#define RSQ VSQRTPS Y0, Y3; VDIVPS Y3, Y15, Y3; NARROWER
TEXT ·simdRsqF16(SB), NOSPLIT, $0-56
	SPECIAL(PREONE, LOADH1, RSQ)

#define EXPH EXP(NARROWHALVES); ROUNDHALF
TEXT ·simdExpF16(SB), NOSPLIT, $0-56
	SPECIAL(PREEXP, LOADH1, EXPH)

#define LOGH LOG(NARROWHALVES); ROUNDHALF
TEXT ·simdLogF16(SB), NOSPLIT, $0-56
	SPECIAL(PRELOG, LOADH1, LOGH)

#define SINH SIN(NARROWHALVES); ROUNDHALF
TEXT ·simdSinF16(SB), NOSPLIT, $0-56
	SPECIAL(PRESIN, LOADH1, SINH)

#define COSH COS(NARROWHALVES); ROUNDHALF
TEXT ·simdCosF16(SB), NOSPLIT, $0-56
	SPECIAL(PRESIN, LOADH1, COSH)

// A power of two in the range of f16 keeps the product exact.
#define PRELDEXP SPREAD(100, X15, Y15); SPREAD(-100, X13, Y13); SPREAD(127, X12, Y12)
#define LDEXP \
	WIDER(Y0, X0); \
	VPSLLD $16, Y1, Y1; \
	VPSRAD $16, Y1, Y1; \
	VPMINSD Y15, Y1, Y1; \
	VPMAXSD Y13, Y1, Y1; \
	VPADDD Y12, Y1, Y1; \
	VPSLLD $23, Y1, Y1; \
	VMULPS Y1, Y0, Y3; \
	NARROWER
TEXT ·simdLdexpF16(SB), NOSPLIT, $0-56
	SPECIAL(PRELDEXP, LOAD2, LDEXP)

// The quotient with the sign of its operands. Numbers that are not normal, with exponent 0 or 31,
// are left to the caller.
#define PREFIXUP SPREAD(0x7c00, X15, Y15); SPREAD(0x7fff, X13, Y13)
#define ABNORMALHALF(x, y) VPAND Y15, x, y; VPCMPEQD Y15, y, Y5; VPOR Y5, Y8, Y8; VPCMPEQD Y6, y, Y5; VPOR Y5, Y8, Y8
#define DIVFIXUP \
	VPXOR Y6, Y6, Y6; \
	VPAND Y15, Y0, Y8; \
	VPCMPEQD Y15, Y8, Y8; \
	ABNORMALHALF(Y1, Y4); \
	ABNORMALHALF(Y2, Y4); \
	VPAND Y13, Y0, Y3; \
	VPXOR Y1, Y2, Y2; \
	VPANDN Y2, Y13, Y2; \
	VPOR Y2, Y3, Y3
TEXT ·simdDivFixupF16(SB), NOSPLIT, $0-56
	SPECIAL(PREFIXUP, LOAD3, DIVFIXUP)

// Conversions.
#define CVTHF VMOVAPS Y0, Y3; NARROWER
TEXT ·simdCvtF16F32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD1, CVTHF)

#define CVTFH VMOVAPS Y0, Y3
TEXT ·simdCvtF32F16(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOADH1, CVTFH)

#define CVTPKRTZ \
	VCMPPS $3, Y1, Y0, Y8; \
	VCVTPS2PH $3, Y0, X3; \
	VCVTPS2PH $3, Y1, X4; \
	VPMOVZXWD X3, Y3; \
	VPMOVZXWD X4, Y4; \
	VPSLLD $16, Y4, Y4; \
	VPOR Y4, Y3, Y3
TEXT ·simdCvtPkrtz(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD2, CVTPKRTZ)

#define CVTHU VCVTDQ2PS Y0, Y3; ROUNDHALF
TEXT ·simdCvtF16U16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD1, CVTHU)

#define CVTHI VPSLLD $16, Y0, Y0; VPSRAD $16, Y0, Y0; CVTHU
TEXT ·simdCvtF16I16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD1, CVTHI)

// Infinities and NaNs convert to the smallest integer and are left to the caller.
#define PRECVTUH CONST(0x80000000); SPREAD(0xffff, X13, Y13)
#define CVTUH VCVTTPS2DQ Y0, Y3; VPCMPEQD Y15, Y3, Y8; VPXOR Y4, Y4, Y4; VPMAXSD Y4, Y3, Y3; VPMINSD Y13, Y3, Y3
TEXT ·simdCvtU16F16(SB), NOSPLIT, $0-56
	SPECIAL(PRECVTUH, LOADH1, CVTUH)

#define PRECVTIH CONST(0x80000000); SPREAD(0x7fff, X13, Y13); SPREAD(-0x8000, X12, Y12)
#define CVTIH VCVTTPS2DQ Y0, Y3; VPCMPEQD Y15, Y3, Y8; VPMAXSD Y12, Y3, Y3; VPMINSD Y13, Y3, Y3; VPSLLD $16, Y3, Y3; VPSRLD $16, Y3, Y3
TEXT ·simdCvtI16F16(SB), NOSPLIT, $0-56
	SPECIAL(PRECVTIH, LOADH1, CVTIH)

#define PACKF16 VPSLLD $16, Y1, Y1; VPOR Y1, Y0, Y3
TEXT ·simdPackF16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PACKF16)

// Comparisons.
#define COMPAREHALF(PRED) \
	ARGS; \
loop: \
	LOADH2; \
	VCMPPS PRED, Y1, Y0, Y3; \
	VMOVMSKPS Y3, R12; \
	MOVBLZX R8, R13; \
	ANDL R13, R12; \
	SHLQ $56, R12; \
	SHRQ $8, R10; \
	ORQ  R12, R10; \
	NEXT; \
	ALIGNLEFT; \
	RET

TEXT ·simdCmpLtF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x11)

TEXT ·simdCmpEqF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x00)

TEXT ·simdCmpLeF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x12)

TEXT ·simdCmpGtF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x1e)

TEXT ·simdCmpGeF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x1d)

TEXT ·simdCmpLgF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x0c)

TEXT ·simdCmpOF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x07)

TEXT ·simdCmpUF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x03)

TEXT ·simdCmpNgeF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x19)

TEXT ·simdCmpNgtF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x1a)

TEXT ·simdCmpNleF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x16)

TEXT ·simdCmpNltF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x15)

TEXT ·simdCmpNeqF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x04)

TEXT ·simdCmpNlgF16(SB), NOSPLIT, $0-56
	COMPAREHALF($0x08)

// Minimum and maximum, also of pairs, on words in float order. Y15 holds infinity in each word; Y8
// marks the lanes with a NaN.
#define PREINF CONST(0x7c007c00)
#define ORDER(x) VPSRAW $15, x, Y4; VPSRLW $1, Y4, Y4; VPXOR Y4, x, x
#define NANS(x, y) VPSLLW $1, x, y; VPSRLW $1, y, y; VPCMPGTW Y15, y, y
#define LEAVENANS VPXOR Y5, Y5, Y5; VPCMPEQD Y5, Y8, Y8; VPCMPEQD Y5, Y5, Y5; VPXOR Y5, Y8, Y8
#define ORDER2 NANS(Y0, Y8); NANS(Y1, Y4); VPOR Y4, Y8, Y8; LEAVENANS; ORDER(Y0); ORDER(Y1)
#define ORDER3 NANS(Y0, Y8); NANS(Y1, Y4); VPOR Y4, Y8, Y8; NANS(Y2, Y4); VPOR Y4, Y8, Y8; LEAVENANS; ORDER(Y0); ORDER(Y1); ORDER(Y2)

#define MIN ORDER2; VPMINSW Y1, Y0, Y3; ORDER(Y3)
TEXT ·simdMinF16(SB), NOSPLIT, $0-56
	SPECIAL(PREINF, LOAD2, MIN)

#define MAX ORDER2; VPMAXSW Y1, Y0, Y3; ORDER(Y3)
TEXT ·simdMaxF16(SB), NOSPLIT, $0-56
	SPECIAL(PREINF, LOAD2, MAX)

#define MIN3 ORDER3; VPMINSW Y1, Y0, Y3; VPMINSW Y2, Y3, Y3; ORDER(Y3)
TEXT ·simdMin3F16(SB), NOSPLIT, $0-56
	SPECIAL(PREINF, LOAD3, MIN3)

#define MAX3 ORDER3; VPMAXSW Y1, Y0, Y3; VPMAXSW Y2, Y3, Y3; ORDER(Y3)
TEXT ·simdMax3F16(SB), NOSPLIT, $0-56
	SPECIAL(PREINF, LOAD3, MAX3)

#define MED3 ORDER3; VPMINSW Y1, Y0, Y3; VPMAXSW Y1, Y0, Y4; VPMINSW Y2, Y4, Y4; VPMAXSW Y4, Y3, Y3; ORDER(Y3)
TEXT ·simdMed3F16(SB), NOSPLIT, $0-56
	SPECIAL(PREINF, LOAD3, MED3)

// Pairs: the halves of lanes 0 to 3 form eight floats, the halves of lanes 4 to 7 another eight.
// The result is in Y6 and Y7.
#define LOADPAIR(p, lo, hi) VCVTPH2PS (p)(AX*4), lo; VCVTPH2PS 16(p)(AX*4), hi
#define LOADPAIRS2 LOADPAIR(SI, Y0, Y1); LOADPAIR(DX, Y2, Y3)
#define LOADPAIRS3 LOADPAIRS2; LOADPAIR(CX, Y4, Y5)
#define NARROWPAIR \
	VCMPPS $3, Y6, Y6, Y8; \
	VCMPPS $3, Y7, Y7, Y9; \
	VSHUFPS $0x88, Y9, Y8, Y10; \
	VSHUFPS $0xdd, Y9, Y8, Y8; \
	VPOR Y10, Y8, Y8; \
	VPERMQ $0xd8, Y8, Y8; \
	VCVTPS2PH $0, Y6, X3; \
	VCVTPS2PH $0, Y7, X4; \
	VINSERTI128 $1, X4, Y3, Y3

#define PKADD VADDPS Y2, Y0, Y6; VADDPS Y3, Y1, Y7; NARROWPAIR
TEXT ·simdPkAddF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADPAIRS2, PKADD)

#define PKMUL VMULPS Y2, Y0, Y6; VMULPS Y3, Y1, Y7; NARROWPAIR
TEXT ·simdPkMulF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADPAIRS2, PKMUL)

#define PKFMA FUSE(Y0, Y2, Y4, Y6, Y8, Y9); FUSE(Y1, Y3, Y5, Y7, Y8, Y9); NARROWPAIR
TEXT ·simdPkFmaF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOADPAIRS3, PKFMA)

// The dot product of pairs up to gfx10: two fused f32 steps.
#define LOWS(y, x, z, xz) VPSLLD $16, y, z; VPSRLD $16, z, z; VEXTRACTI128 $1, z, X4; VPACKUSDW X4, xz, xz; VCVTPH2PS xz, z
#define HIGHS(y, x) VPSRLD $16, y, y; WIDER(y, x)
#define DOT2 \
	LOWS(Y0, X0, Y5, X5); \
	LOWS(Y1, X1, Y6, X6); \
	VFMADD231PS Y6, Y5, Y2; \
	HIGHS(Y0, X0); \
	HIGHS(Y1, X1); \
	VMOVAPS Y2, Y3; \
	VFMADD231PS Y1, Y0, Y3
TEXT ·simdDot2F32F16(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD3, DOT2)

// Products and sums of f32 with an f16 result. FUSEWIDE is FUSE for doubles. It truncates the
// odd-rounded doubles to the bits of an f32 in the same way. Y13 is the mask of the truncated bits.
#define PREMIX SPREAD64(0x1fffffff, X13, Y13)
#define FUSEWIDE(p, b, c, s, t, u) \
	VMULPD b, p, p; \
	VADDPD c, p, s; \
	VSUBPD p, s, t; \
	VSUBPD t, s, u; \
	VSUBPD u, p, u; \
	VSUBPD t, c, t; \
	VADDPD t, u, t; \
	VXORPD u, u, u; \
	VCMPPD $0x0c, u, t, u; \
	VXORPD s, t, t; \
	VPXOR b, b, b; \
	VPCMPGTQ t, b, t; \
	VPAND u, t, t; \
	VPADDQ t, s, s; \
	VPSRLQ $63, u, u; \
	VPOR u, s, s; \
	VPAND Y13, s, t; \
	VPADDQ Y13, t, t; \
	VPOR t, s, s; \
	VPANDN s, Y13, s
#define FMAMIX \
	VEXTRACTF128 $1, Y0, X4; \
	VEXTRACTF128 $1, Y1, X5; \
	VEXTRACTF128 $1, Y2, X6; \
	VCVTPS2PD X0, Y0; \
	VCVTPS2PD X1, Y1; \
	VCVTPS2PD X2, Y2; \
	VCVTPS2PD X4, Y4; \
	VCVTPS2PD X5, Y5; \
	VCVTPS2PD X6, Y6; \
	FUSEWIDE(Y0, Y1, Y2, Y3, Y8, Y9); \
	FUSEWIDE(Y4, Y5, Y6, Y7, Y8, Y9); \
	VCVTPD2PSY Y3, X3; \
	VCVTPD2PSY Y7, X7; \
	VINSERTF128 $1, X7, Y3, Y3; \
	NARROWER
TEXT ·simdFmaMixF16(SB), NOSPLIT, $0-56
	SPECIAL(PREMIX, LOAD3, FMAMIX)

#define MADMIX VMULPS Y1, Y0, Y3; VADDPS Y2, Y3, Y3; NARROWER
TEXT ·simdMadMixF16(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD3, MADMIX)
