#include "textflag.h"
#include "simd_amd64.h"

// Source and result modifiers, and lane permutations.

// func simdMerge(d, s *uint32, exec, shift uint64, keep uint32, n int)
TEXT ·simdMerge(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ exec+16(FP), R8
	VMOVQ shift+24(FP), X1
	MOVL keep+32(FP), AX
	VMOVD AX, X2
	VPBROADCASTD X2, Y2
	MOVQ n+40(FP), R9
	XORL AX, AX
	VMOVDQU ·laneBits(SB), Y14
loop:
	VMOVDQU (DI)(AX*4), Y0
	VMOVDQU (SI)(AX*4), Y3
	VPSLLD X1, Y3, Y3
	VPAND  Y2, Y0, Y0
	VPANDN Y3, Y2, Y3
	VPOR   Y0, Y3, Y3
	MOVBLZX R8, R13
	STORE
	NEXT
	VZEROUPPER
	RET

// func simdField(d, s *uint32, left, right uint64, n int)
TEXT ·simdField(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	VMOVQ left+16(FP), X1
	VMOVQ right+24(FP), X2
	MOVQ n+32(FP), CX
each:
	VMOVDQU (SI), Y0
	VPSLLD X1, Y0, Y0
	VPSRLD X2, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGT  each
	VZEROUPPER
	RET

// func simdSignedField(d, s *uint32, left, right uint64, n int)
TEXT ·simdSignedField(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	VMOVQ left+16(FP), X1
	VMOVQ right+24(FP), X2
	MOVQ n+32(FP), CX
each:
	VMOVDQU (SI), Y0
	VPSLLD X1, Y0, Y0
	VPSRAD X2, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGT  each
	VZEROUPPER
	RET

// func simdPairs(d, s *uint32, lo, hi uint64, sign uint32, n int)
TEXT ·simdPairs(SB), NOSPLIT, $0-48
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	VMOVQ lo+16(FP), X1
	VMOVQ hi+24(FP), X2
	MOVL sign+32(FP), AX
	VMOVD AX, X3
	VPBROADCASTD X3, Y3
	MOVQ n+40(FP), CX
each:
	VMOVDQU (SI), Y0
	VPSRLD X1, Y0, Y4
	VPSRLD X2, Y0, Y5
	VPSLLD $16, Y5, Y5
	VPBLENDW $0xaa, Y5, Y4, Y4
	VPXOR Y3, Y4, Y4
	VMOVDQU Y4, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGT  each
	VZEROUPPER
	RET

// func simdPermute(d, s, from *uint32, valid uint64, n int)
TEXT ·simdPermute(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	MOVQ from+16(FP), DX
	MOVQ valid+24(FP), R8
	MOVQ n+32(FP), R9
	XORL AX, AX
	VMOVDQU ·laneBits(SB), Y14
loop:
	VMOVQ R8, X1
	VPBROADCASTB X1, Y1
	VPAND Y14, Y1, Y1
	VPCMPEQD Y14, Y1, Y1
	VMOVDQU (DX)(AX*4), Y2
	VPXOR Y0, Y0, Y0
	VPGATHERDD Y1, (SI)(Y2*4), Y0
	VMOVDQU Y0, (DI)(AX*4)
	NEXT
	VZEROUPPER
	RET

// Output modifiers. A clamped NaN is 0 or left to the caller.
#define PRECLAMP VXORPS Y13, Y13, Y13; CONST(0x3f800000)
#define CLAMP VMAXPS Y13, Y0, Y3; VMINPS Y15, Y3, Y3
TEXT ·simdClamp(SB), NOSPLIT, $0-56
	OP(PRECLAMP, LOAD1, CLAMP)

#define CLAMPNUMBER VCMPPS $3, Y0, Y0, Y8; CLAMP
TEXT ·simdClampNumber(SB), NOSPLIT, $0-56
	SPECIAL(PRECLAMP, LOAD1, CLAMPNUMBER)

// A zero loses its sign, as do flushed denormals.
#define OMOD VMULPS Y1, Y0, Y3; VXORPS Y4, Y4, Y4; VCMPPS $0, Y4, Y0, Y5; VANDNPS Y3, Y5, Y3
TEXT ·simdOMod(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD2, OMOD)
