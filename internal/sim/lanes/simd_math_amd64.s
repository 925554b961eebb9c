#include "textflag.h"
#include "simd_amd64.h"

// 32-bit floats: rounding, decomposition, selection and division.

#define TRUNC VROUNDPS $3, Y0, Y3
TEXT ·simdTruncF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD1, TRUNC)

#define CEIL VROUNDPS $2, Y0, Y3
TEXT ·simdCeilF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD1, CEIL)

#define FLOOR VROUNDPS $1, Y0, Y3
TEXT ·simdFloorF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD1, FLOOR)

#define RNDNE VROUNDPS $0, Y0, Y3
TEXT ·simdRndneF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD1, RNDNE)

// At most the number before 1. A NaN is preserved because it is the second operand of the minimum.
#define PREBELOW1 CONST(0x3f7fffff)
#define FRACT VROUNDPS $1, Y0, Y3; VSUBPS Y3, Y0, Y3; VMINPS Y3, Y15, Y3
TEXT ·simdFractF32(SB), NOSPLIT, $0-56
	FLOAT(PREBELOW1, LOAD1, FRACT)

// Zeros are unchanged and have exponent 0. Other numbers that are not normal are left to the
// caller.
#define ZEROSTAYS \
	ABNORMAL(Y0, Y8); \
	VPADDD Y0, Y0, Y4; \
	VPXOR Y5, Y5, Y5; \
	VPCMPEQD Y5, Y4, Y4; \
	VPANDN Y8, Y4, Y8
#define PREMANT CONST(0x807fffff); MOVL $0x3f000000, R11; VMOVD R11, X13; VPBROADCASTD X13, Y13
#define FREXPMANT \
	ZEROSTAYS; \
	VPAND Y15, Y0, Y3; \
	VPANDN Y13, Y4, Y4; \
	VPOR Y4, Y3, Y3
TEXT ·simdFrexpMantF32(SB), NOSPLIT, $0-56
	SPECIAL(PREMANT, LOAD1, FREXPMANT)

#define PRE126 CONST(126)
#define FREXPEXP \
	ZEROSTAYS; \
	VPSLLD $1, Y0, Y3; \
	VPSRLD $24, Y3, Y3; \
	VPSUBD Y15, Y3, Y3; \
	VPANDN Y3, Y4, Y3
TEXT ·simdFrexpExpF32(SB), NOSPLIT, $0-56
	SPECIAL(PRE126, LOAD1, FREXPEXP)

// A double can represent any float times a power of two that does not underflow or overflow, so the
// result is rounded once.
#define PRELDEXP CONST(400); MOVL $-400, R11; VMOVD R11, X13; VPBROADCASTD X13, Y13; MOVL $1023, R11; VMOVD R11, X12; VPBROADCASTD X12, Y12
#define LDEXP \
	VPMINSD Y15, Y1, Y1; \
	VPMAXSD Y13, Y1, Y1; \
	VPADDD Y12, Y1, Y1; \
	VEXTRACTI128 $1, Y1, X2; \
	VPMOVZXDQ X1, Y1; \
	VPMOVZXDQ X2, Y2; \
	VPSLLQ $52, Y1, Y1; \
	VPSLLQ $52, Y2, Y2; \
	VCVTPS2PD X0, Y4; \
	VEXTRACTF128 $1, Y0, X5; \
	VCVTPS2PD X5, Y5; \
	VMULPD Y1, Y4, Y4; \
	VMULPD Y2, Y5, Y5; \
	VCVTPD2PSY Y4, X4; \
	VCVTPD2PSY Y5, X5; \
	VINSERTF128 $1, X5, Y4, Y3
TEXT ·simdLdexpF32(SB), NOSPLIT, $0-56
	FLOAT(PRELDEXP, LOAD2, LDEXP)

// Selection among three: integers in float order. NaNs and denormal results are left to the caller.
#define ORDER3 \
	VCMPPS $3, Y1, Y0, Y8; \
	VCMPPS $3, Y2, Y2, Y4; \
	VPOR Y4, Y8, Y8; \
	ORDERF(Y0); \
	ORDERF(Y1); \
	ORDERF(Y2)

#define MIN3 ORDER3; VPMINSD Y1, Y0, Y3; VPMINSD Y2, Y3, Y3; ORDERF(Y3); DENORMAL
TEXT ·simdMin3F32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD3, MIN3)

#define MAX3 ORDER3; VPMAXSD Y1, Y0, Y3; VPMAXSD Y2, Y3, Y3; ORDERF(Y3); DENORMAL
TEXT ·simdMax3F32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD3, MAX3)

#define MED3 ORDER3; VPMINSD Y1, Y0, Y3; VPMAXSD Y1, Y0, Y4; VPMINSD Y2, Y4, Y4; VPMAXSD Y4, Y3, Y3; ORDERF(Y3); DENORMAL
TEXT ·simdMed3F32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD3, MED3)

#define MINMAX ORDER3; VPMINSD Y1, Y0, Y3; VPMAXSD Y2, Y3, Y3; ORDERF(Y3); DENORMAL
TEXT ·simdMinmaxF32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD3, MINMAX)

#define MAXMIN ORDER3; VPMAXSD Y1, Y0, Y3; VPMINSD Y2, Y3, Y3; ORDERF(Y3); DENORMAL
TEXT ·simdMaxminF32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD3, MAXMIN)

// v_cmp_class numbers the classes 0 and 1 for NaNs, 6 to 9 for positive numbers, and 11 minus these
// for negative numbers. Y15 is the largest number, Y13 the largest signaling NaN, Y12 the largest
// denormal.
#define PRECLASS \
	CONST(0x7f7fffff); \
	MOVL $0x7fbfffff, R11; \
	VMOVD R11, X13; \
	VPBROADCASTD X13, Y13; \
	VPCMPEQD Y12, Y12, Y12; \
	VPSRLD $9, Y12, Y12; \
	MOVL $6, R11; \
	VMOVD R11, X11; \
	VPBROADCASTD X11, Y11
#define CLASS \
	VPSLLD $1, Y0, Y2; \
	VPSRLD $1, Y2, Y2; \
	VPXOR Y4, Y4, Y4; \
	VPCMPGTD Y4, Y2, Y5; \
	VPSUBD Y5, Y11, Y3; \
	VPCMPGTD Y12, Y2, Y5; \
	VPSUBD Y5, Y3, Y3; \
	VPCMPGTD Y15, Y2, Y5; \
	VPSUBD Y5, Y3, Y3; \
	VPSRAD $31, Y0, Y5; \
	VPADDD Y11, Y11, Y6; \
	VPAND Y5, Y6, Y6; \
	VPXOR Y5, Y3, Y3; \
	VPADDD Y6, Y3, Y3; \
	VPCMPGTD Y13, Y2, Y5; \
	VPSUBD Y5, Y4, Y5; \
	VCMPPS $3, Y0, Y0, Y6; \
	VPBLENDVB Y6, Y5, Y3, Y3; \
	VPSRLVD Y3, Y1, Y3; \
	VPSLLD $31, Y3, Y3
TEXT ·simdClassF32(SB), NOSPLIT, $0-56
	COMPARE(PRECLASS, CLASS)

// Conversions.
#define UBYTE0 VPAND Y15, Y0, Y0; VCVTDQ2PS Y0, Y3
#define PREBYTE CONST(0xff)
TEXT ·simdCvtF32Ubyte0(SB), NOSPLIT, $0-56
	OP(PREBYTE, LOAD1, UBYTE0)

#define UBYTE1 VPSRLD $8, Y0, Y0; UBYTE0
TEXT ·simdCvtF32Ubyte1(SB), NOSPLIT, $0-56
	OP(PREBYTE, LOAD1, UBYTE1)

#define UBYTE2 VPSRLD $16, Y0, Y0; UBYTE0
TEXT ·simdCvtF32Ubyte2(SB), NOSPLIT, $0-56
	OP(PREBYTE, LOAD1, UBYTE2)

#define UBYTE3 VPSRLD $24, Y0, Y0; VCVTDQ2PS Y0, Y3
TEXT ·simdCvtF32Ubyte3(SB), NOSPLIT, $0-56
	OP(NONE, LOAD1, UBYTE3)

// Division steps without scaling, for normal numbers with exponents that are close to each other
// and not close to 0. Y1 is the denominator, Y2 the numerator, and Y4 and Y5 are their exponents.
#define EXPONENT(x, e) VPSLLD $1, x, e; VPSRLD $24, e, e
#define PRESCALE SPREAD(1, X15, Y15); SPREAD(252, X13, Y13); SPREAD(25, X12, Y12); SPREAD(95, X11, Y11)
#define DIVSCALE \
	EXPONENT(Y1, Y4); \
	EXPONENT(Y2, Y5); \
	VPCMPGTD Y4, Y15, Y8; \
	VPCMPGTD Y13, Y4, Y6; \
	VPOR Y6, Y8, Y8; \
	VPCMPGTD Y5, Y12, Y6; \
	VPOR Y6, Y8, Y8; \
	VPSUBD Y4, Y5, Y6; \
	VPABSD Y6, Y6; \
	VPCMPGTD Y11, Y6, Y6; \
	VPOR Y6, Y8, Y8; \
	VMOVDQA Y0, Y3; \
	ABNORMAL(Y0, Y6); \
	VPOR Y6, Y8, Y8; \
	ABNORMAL(Y2, Y6); \
	VPOR Y6, Y8, Y8
TEXT ·simdDivScaleF32(SB), NOSPLIT, $0-56
	SPECIAL(PRESCALE, LOAD3, DIVSCALE)

// The multiply-add that ends a division preserves denormal sources in all modes.
TEXT ·simdDivFmasF32(SB), NOSPLIT, $0-56
	ARGS
	MOVQ R9, BX
	BTRQ $8, R9
	JCC  loop
	LDMXCSR ·flushOutMode(SB)
loop:
	LOAD3
	VMOVDQA Y2, Y3
	VFMADD231PS Y1, Y0, Y3
	VCMPPS $3, Y3, Y3, Y8
	LEAVE
	STORE
	NEXT
	BTQ  $8, BX
	JCC  host
	LDMXCSR ·hostMode(SB)
host:
	ALIGNLEFT
	RET

// The quotient with the sign of its operands. Numbers that are not normal or too small are left to
// the caller.
#define PREFIXUP SPREAD(150, X15, Y15)
#define DIVFIXUP \
	EXPONENT(Y1, Y4); \
	EXPONENT(Y2, Y5); \
	VPSUBD Y5, Y4, Y4; \
	VPCMPGTD Y15, Y4, Y8; \
	ABNORMAL(Y1, Y6); \
	VPOR Y6, Y8, Y8; \
	ABNORMAL(Y2, Y6); \
	VPOR Y6, Y8, Y8; \
	EXPONENT(Y0, Y4); \
	VPSRLD $24, Y9, Y5; \
	VPCMPEQD Y5, Y4, Y4; \
	VPOR Y4, Y8, Y8; \
	VPXOR Y1, Y2, Y2; \
	VPSRLD $31, Y2, Y2; \
	VPSLLD $31, Y2, Y2; \
	VPSLLD $1, Y0, Y0; \
	VPSRLD $1, Y0, Y0; \
	VPOR Y2, Y0, Y3
TEXT ·simdDivFixupF32(SB), NOSPLIT, $0-56
	SPECIAL(PREFIXUP, LOAD3, DIVFIXUP)
