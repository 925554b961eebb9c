#include "textflag.h"

// Operations on whole registers with AVX2 and FMA: eight lanes at a time.
//
// func(d, a, b, c *uint32, exec uint64, n int) (left uint64)
//
// DI d, SI a, DX b, CX c, R8 exec (shifted as lanes are done), R9 lanes, AX lane,
// R10 left (from the top), R13 lanes of these eight to write. A body finds its sources in Y0,
// Y1 and Y2 and leaves its result in Y3; Y4 to Y9 are free. Y14 holds the bit of each
// lane, Y15 what PRE puts there.

DATA laneBits<>+0(SB)/4, $1
DATA laneBits<>+4(SB)/4, $2
DATA laneBits<>+8(SB)/4, $4
DATA laneBits<>+12(SB)/4, $8
DATA laneBits<>+16(SB)/4, $16
DATA laneBits<>+20(SB)/4, $32
DATA laneBits<>+24(SB)/4, $64
DATA laneBits<>+28(SB)/4, $128
GLOBL laneBits<>(SB), RODATA|NOPTR, $32

DATA hostMode<>+0(SB)/4, $0x1f80
GLOBL hostMode<>(SB), RODATA|NOPTR, $4
DATA flushMode<>+0(SB)/4, $0x9fc0
GLOBL flushMode<>(SB), RODATA|NOPTR, $4

#define ARGS \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ c+24(FP), CX; \
	MOVQ exec+32(FP), R8; \
	MOVQ n+40(FP), R9; \
	XORL R10, R10; \
	XORL AX, AX; \
	VMOVDQU laneBits<>(SB), Y14

#define LOAD1 VMOVDQU (SI)(AX*4), Y0
#define LOAD2 LOAD1; VMOVDQU (DX)(AX*4), Y1
#define LOAD3 LOAD2; VMOVDQU (CX)(AX*4), Y2

// STORE writes Y3 to the lanes in R13.
#define STORE \
	CMPL R13, $255; \
	JNE  part; \
	VMOVDQU Y3, (DI)(AX*4); \
	JMP  done; \
part: \
	VMOVD R13, X4; \
	VPBROADCASTD X4, Y4; \
	VPAND Y14, Y4, Y4; \
	VPCMPEQD Y14, Y4, Y4; \
	VMOVDQU (DI)(AX*4), Y5; \
	VBLENDVPS Y4, Y3, Y5, Y5; \
	VMOVDQU Y5, (DI)(AX*4); \
done:

#define NEXT \
	SHRQ $8, R8; \
	ADDQ $8, AX; \
	CMPQ AX, R9; \
	JLT  loop

#define ALIGNLEFT \
	CMPQ R9, $32; \
	JNE  full; \
	SHRQ $32, R10; \
full: \
	MOVQ R10, left+48(FP); \
	VZEROUPPER

// OP is an operation that computes every lane.
#define OP(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
loop: \
	LOAD; \
	BODY; \
	MOVBLZX R8, R13; \
	STORE; \
	NEXT; \
	MOVQ $0, left+48(FP); \
	VZEROUPPER; \
	RET

// LEAVE keeps the lanes of mask Y8 from being written, and notes those of EXEC.
#define LEAVE \
	VMOVMSKPS Y8, R12; \
	MOVBLZX R8, R13; \
	ANDL R13, R12; \
	XORL R12, R13; \
	SHLQ $56, R12; \
	SHRQ $8, R10; \
	ORQ  R12, R10

// FLOAT is an operation whose lanes with a NaN are left. Bit 8 of n flushes denormals.
#define FLOAT(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR flushMode<>(SB); \
loop: \
	LOAD; \
	BODY; \
	VCMPPS $3, Y3, Y3, Y8; \
	LEAVE; \
	STORE; \
	NEXT; \
	BTQ  $8, BX; \
	JCC  host; \
	LDMXCSR hostMode<>(SB); \
host: \
	ALIGNLEFT; \
	RET

// SPECIAL is an operation that sets Y8 itself to the lanes that it leaves.
#define SPECIAL(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR flushMode<>(SB); \
loop: \
	LOAD; \
	BODY; \
	LEAVE; \
	STORE; \
	NEXT; \
	BTQ  $8, BX; \
	JCC  host; \
	LDMXCSR hostMode<>(SB); \
host: \
	ALIGNLEFT; \
	RET

// COMPARE gives the bits of Y3 in left, of the lanes of EXEC.
#define COMPARE(PRE, BODY) \
	ARGS; \
	PRE; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR flushMode<>(SB); \
loop: \
	LOAD2; \
	BODY; \
	VMOVMSKPS Y3, R12; \
	MOVBLZX R8, R13; \
	ANDL R13, R12; \
	SHLQ $56, R12; \
	SHRQ $8, R10; \
	ORQ  R12, R10; \
	NEXT; \
	BTQ  $8, BX; \
	JCC  host; \
	LDMXCSR hostMode<>(SB); \
host: \
	ALIGNLEFT; \
	RET

// Operations with lane masks.
//
// func(d, a, b *uint32, exec, in uint64, n int) (out uint64)
//
// R11 is the mask that goes in. A body leaves its result in Y3 and the lanes of the mask that
// comes out in Y8; Y6 has the lanes of the mask that goes in.
#define MASKED(BODY) \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ exec+24(FP), R8; \
	MOVQ in+32(FP), R11; \
	MOVQ n+40(FP), R9; \
	XORL R10, R10; \
	XORL AX, AX; \
	VMOVDQU laneBits<>(SB), Y14; \
	MOVL $0x80000000, R12; \
	VMOVD R12, X15; \
	VPBROADCASTD X15, Y15; \
	VPXOR Y8, Y8, Y8; \
loop: \
	LOAD2; \
	VMOVD R11, X6; \
	VPBROADCASTD X6, Y6; \
	VPAND Y14, Y6, Y6; \
	VPCMPEQD Y14, Y6, Y6; \
	BODY; \
	VMOVMSKPS Y8, R12; \
	MOVBLZX R8, R13; \
	ANDL R13, R12; \
	SHLQ $56, R12; \
	SHRQ $8, R10; \
	ORQ  R12, R10; \
	STORE; \
	SHRQ $8, R11; \
	NEXT; \
	ALIGNLEFT; \
	RET

// Operations of 64 bits: the high dwords are n lanes behind the low ones, R14 is their index.
// SPLIT makes of eight lanes' dwords two registers of quadwords (lanes 0, 1, 4, 5 and 2, 3, 6,
// 7), JOIN the reverse. A body finds its sources in Y0:Y1, Y2:Y3 and Y4:Y5 and leaves its
// result in Y6:Y7; 32-bit sources are extended with zeros.
#define SPLIT(p, lo, hi) \
	VMOVDQU (p)(AX*4), Y8; \
	VMOVDQU (p)(R14*4), Y9; \
	VPUNPCKLDQ Y9, Y8, lo; \
	VPUNPCKHDQ Y9, Y8, hi
#define EXTEND(p, lo, hi) \
	VMOVDQU (p)(AX*4), Y8; \
	VPXOR Y9, Y9, Y9; \
	VPUNPCKLDQ Y9, Y8, lo; \
	VPUNPCKHDQ Y9, Y8, hi
#define LOADA SPLIT(SI, Y0, Y1)
#define LOADAB LOADA; SPLIT(DX, Y2, Y3)
#define LOADABC LOADAB; SPLIT(CX, Y4, Y5)
#define LOADSB EXTEND(SI, Y0, Y1); SPLIT(DX, Y2, Y3)
#define LOADASC LOADA; EXTEND(DX, Y2, Y3); SPLIT(CX, Y4, Y5)
#define LOADSS EXTEND(SI, Y0, Y1); EXTEND(DX, Y2, Y3); SPLIT(CX, Y4, Y5)
#define JOIN VSHUFPS $0x88, Y7, Y6, Y3; VSHUFPS $0xdd, Y7, Y6, Y10

// STORE64 writes Y3 and Y10 to the lanes in R13.
#define STORE64 \
	CMPL R13, $255; \
	JNE  part; \
	VMOVDQU Y3, (DI)(AX*4); \
	VMOVDQU Y10, (DI)(R14*4); \
	JMP  done; \
part: \
	VMOVD R13, X4; \
	VPBROADCASTD X4, Y4; \
	VPAND Y14, Y4, Y4; \
	VPCMPEQD Y14, Y4, Y4; \
	VMOVDQU (DI)(AX*4), Y5; \
	VBLENDVPS Y4, Y3, Y5, Y5; \
	VMOVDQU Y5, (DI)(AX*4); \
	VMOVDQU (DI)(R14*4), Y5; \
	VBLENDVPS Y4, Y10, Y5, Y5; \
	VMOVDQU Y5, (DI)(R14*4); \
done:

#define OP64(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
loop: \
	LEAQ (AX)(R9*1), R14; \
	LOAD; \
	BODY; \
	JOIN; \
	MOVBLZX R8, R13; \
	STORE64; \
	NEXT; \
	MOVQ $0, left+48(FP); \
	VZEROUPPER; \
	RET

// FLOAT64 leaves the lanes whose result is a NaN.
#define FLOAT64(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR flushMode<>(SB); \
loop: \
	LEAQ (AX)(R9*1), R14; \
	LOAD; \
	BODY; \
	VCMPPD $3, Y6, Y6, Y8; \
	VCMPPD $3, Y7, Y7, Y9; \
	VSHUFPS $0x88, Y9, Y8, Y8; \
	JOIN; \
	LEAVE; \
	STORE64; \
	NEXT; \
	BTQ  $8, BX; \
	JCC  host; \
	LDMXCSR hostMode<>(SB); \
host: \
	ALIGNLEFT; \
	RET

// COMPARE64 compares doubles with a predicate of VCMPPD.
#define COMPARE64(PRED) \
	ARGS; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR flushMode<>(SB); \
loop: \
	LEAQ (AX)(R9*1), R14; \
	LOADAB; \
	VCMPPD PRED, Y2, Y0, Y6; \
	VCMPPD PRED, Y3, Y1, Y7; \
	JOIN; \
	VMOVMSKPS Y3, R12; \
	MOVBLZX R8, R13; \
	ANDL R13, R12; \
	SHLQ $56, R12; \
	SHRQ $8, R10; \
	ORQ  R12, R10; \
	NEXT; \
	BTQ  $8, BX; \
	JCC  host; \
	LDMXCSR hostMode<>(SB); \
host: \
	ALIGNLEFT; \
	RET

// CONST64 puts a quadword into every lane of Y15.
#define CONST64(x) \
	MOVQ $x, R11; \
	VMOVQ R11, X15; \
	VPBROADCASTQ X15, Y15
#define PRE63 CONST64(63)
#define PRE7 CONST64(7)

#define NONE

// CONST puts a dword into every lane of Y15.
#define CONST(x) \
	MOVL $x, R11; \
	VMOVD R11, X15; \
	VPBROADCASTD X15, Y15
#define PRE31 CONST(31)
#define PRESIGN CONST(0x80000000)
#define PRE24 CONST(0xffffff)
#define PREONE CONST(0x3f800000)
#define PRE16 CONST(0x47800000)

// Integers.
#define MOV VMOVDQA Y0, Y3
TEXT ·simdMov(SB), NOSPLIT, $0-56
	OP(NONE, LOAD1, MOV)

#define NOT VPCMPEQD Y4, Y4, Y4; VPXOR Y4, Y0, Y3
TEXT ·simdNot(SB), NOSPLIT, $0-56
	OP(NONE, LOAD1, NOT)

#define AND VPAND Y1, Y0, Y3
TEXT ·simdAnd(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, AND)

#define OR VPOR Y1, Y0, Y3
TEXT ·simdOr(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, OR)

#define XOR VPXOR Y1, Y0, Y3
TEXT ·simdXor(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, XOR)

#define ADD VPADDD Y1, Y0, Y3
TEXT ·simdAdd(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, ADD)

#define SUB VPSUBD Y1, Y0, Y3
TEXT ·simdSub(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, SUB)

#define SUBREV VPSUBD Y0, Y1, Y3
TEXT ·simdSubrev(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, SUBREV)

#define MULLO VPMULLD Y1, Y0, Y3
TEXT ·simdMulLo(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MULLO)

#define LSHLREV VPAND Y15, Y0, Y0; VPSLLVD Y0, Y1, Y3
TEXT ·simdLshlrev(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD2, LSHLREV)

#define LSHRREV VPAND Y15, Y0, Y0; VPSRLVD Y0, Y1, Y3
TEXT ·simdLshrrev(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD2, LSHRREV)

#define ASHRREV VPAND Y15, Y0, Y0; VPSRAVD Y0, Y1, Y3
TEXT ·simdAshrrev(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD2, ASHRREV)

#define MINI VPMINSD Y1, Y0, Y3
TEXT ·simdMinI32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MINI)

#define MAXI VPMAXSD Y1, Y0, Y3
TEXT ·simdMaxI32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MAXI)

#define MINU VPMINUD Y1, Y0, Y3
TEXT ·simdMinU32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MINU)

#define MAXU VPMAXUD Y1, Y0, Y3
TEXT ·simdMaxU32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MAXU)

#define ADD3 VPADDD Y1, Y0, Y3; VPADDD Y2, Y3, Y3
TEXT ·simdAdd3(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, ADD3)

#define LSHLADD VPAND Y15, Y1, Y1; VPSLLVD Y1, Y0, Y3; VPADDD Y2, Y3, Y3
TEXT ·simdLshlAdd(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD3, LSHLADD)

#define ADDLSHL VPADDD Y1, Y0, Y0; VPAND Y15, Y2, Y2; VPSLLVD Y2, Y0, Y3
TEXT ·simdAddLshl(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD3, ADDLSHL)

#define LSHLOR VPAND Y15, Y1, Y1; VPSLLVD Y1, Y0, Y3; VPOR Y2, Y3, Y3
TEXT ·simdLshlOr(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD3, LSHLOR)

#define ANDOR VPAND Y1, Y0, Y3; VPOR Y2, Y3, Y3
TEXT ·simdAndOr(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, ANDOR)

#define OR3 VPOR Y1, Y0, Y3; VPOR Y2, Y3, Y3
TEXT ·simdOr3(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, OR3)

#define XOR3 VPXOR Y1, Y0, Y3; VPXOR Y2, Y3, Y3
TEXT ·simdXor3(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, XOR3)

#define XAD VPXOR Y1, Y0, Y3; VPADDD Y2, Y3, Y3
TEXT ·simdXad(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, XAD)

#define BFI VPAND Y1, Y0, Y3; VPANDN Y2, Y0, Y4; VPOR Y4, Y3, Y3
TEXT ·simdBfi(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, BFI)

#define BFEU \
	VPAND Y15, Y1, Y1; \
	VPAND Y15, Y2, Y2; \
	VPSRLVD Y1, Y0, Y3; \
	VPCMPEQD Y4, Y4, Y4; \
	VPSLLVD Y2, Y4, Y4; \
	VPANDN Y3, Y4, Y3
TEXT ·simdBfeU32(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD3, BFEU)

// The 32 bits of Y0:Y1 from bit Y2 on: shifts by 32 give 0.
#define ALIGNBIT \
	VPAND Y15, Y2, Y2; \
	VPSRLVD Y2, Y1, Y3; \
	VPSUBD Y2, Y15, Y4; \
	VPADDD Y0, Y0, Y0; \
	VPSLLVD Y4, Y0, Y4; \
	VPOR Y4, Y3, Y3
TEXT ·simdAlignbit(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD3, ALIGNBIT)

#define MULU24 VPAND Y15, Y0, Y0; VPAND Y15, Y1, Y1; VPMULLD Y1, Y0, Y3
TEXT ·simdMulU24(SB), NOSPLIT, $0-56
	OP(PRE24, LOAD2, MULU24)

#define MULI24 VPSLLD $8, Y0, Y0; VPSRAD $8, Y0, Y0; VPSLLD $8, Y1, Y1; VPSRAD $8, Y1, Y1; VPMULLD Y1, Y0, Y3
TEXT ·simdMulI24(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MULI24)

#define MADU24 MULU24; VPADDD Y2, Y3, Y3
TEXT ·simdMadU24(SB), NOSPLIT, $0-56
	OP(PRE24, LOAD3, MADU24)

#define MADI24 MULI24; VPADDD Y2, Y3, Y3
TEXT ·simdMadI24(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MADI24)

#define MULHIU \
	VPMULUDQ Y1, Y0, Y3; \
	VPSRLQ $32, Y0, Y4; \
	VPSRLQ $32, Y1, Y5; \
	VPMULUDQ Y5, Y4, Y4; \
	VPSRLQ $32, Y3, Y3; \
	VPBLENDD $0xaa, Y4, Y3, Y3
TEXT ·simdMulHiU32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MULHIU)


// Floats.
#define ADDF VADDPS Y1, Y0, Y3
TEXT ·simdAddF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD2, ADDF)

#define SUBF VSUBPS Y1, Y0, Y3
TEXT ·simdSubF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD2, SUBF)

#define SUBREVF VSUBPS Y0, Y1, Y3
TEXT ·simdSubrevF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD2, SUBREVF)

#define MULF VMULPS Y1, Y0, Y3
TEXT ·simdMulF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD2, MULF)

#define FMAF VMOVDQA Y2, Y3; VFMADD231PS Y1, Y0, Y3
TEXT ·simdFmaF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD3, FMAF)

#define MADF VMULPS Y1, Y0, Y3; VADDPS Y2, Y3, Y3
TEXT ·simdMadF32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD3, MADF)

// DENORMAL adds the lanes of Y8 whose result is denormal: twice its bits, less one, are below 1<<24.
#define DENORMAL \
	VPCMPEQD Y9, Y9, Y9; \
	VPADDD Y3, Y3, Y4; \
	VPADDD Y9, Y4, Y4; \
	VPSRLD $24, Y4, Y4; \
	VPXOR Y5, Y5, Y5; \
	VPCMPEQD Y5, Y4, Y4; \
	VPOR Y4, Y8, Y8
// Of two equal values, which may be zeros of both signs, the larger has the bits of both and
// the smaller those of either.
#define MAXF VMAXPS Y1, Y0, Y3; VCMPPS $0, Y1, Y0, Y4; VPAND Y1, Y0, Y5; VBLENDVPS Y4, Y5, Y3, Y3; VCMPPS $3, Y1, Y0, Y8; DENORMAL
TEXT ·simdMaxF32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD2, MAXF)

#define MINF VMINPS Y1, Y0, Y3; VCMPPS $0, Y1, Y0, Y4; VPOR Y1, Y0, Y5; VBLENDVPS Y4, Y5, Y3, Y3; VCMPPS $3, Y1, Y0, Y8; DENORMAL
TEXT ·simdMinF32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD2, MINF)


// Conversions.
#define CVTFI VCVTDQ2PS Y0, Y3
TEXT ·simdCvtF32I32(SB), NOSPLIT, $0-56
	FLOAT(NONE, LOAD1, CVTFI)

#define CVTFU \
	VPSRLD $16, Y0, Y3; \
	VCVTDQ2PS Y3, Y3; \
	VMULPS Y15, Y3, Y3; \
	VPSLLD $16, Y0, Y4; \
	VPSRLD $16, Y4, Y4; \
	VCVTDQ2PS Y4, Y4; \
	VADDPS Y4, Y3, Y3
TEXT ·simdCvtF32U32(SB), NOSPLIT, $0-56
	FLOAT(PRE16, LOAD1, CVTFU)

// Out of range gives the smallest integer: those lanes are left.
#define CVTIF VCVTTPS2DQ Y0, Y3; VPCMPEQD Y15, Y3, Y8
TEXT ·simdCvtI32F32(SB), NOSPLIT, $0-56
	SPECIAL(PRESIGN, LOAD1, CVTIF)

#define CVTUF VCVTTPS2DQ Y0, Y3; VPOR Y0, Y3, Y8
TEXT ·simdCvtU32F32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD1, CVTUF)


// What is not a normal number, in source Y0 or in result Y3, is left: its exponent, less one
// (as an unsigned number of 8 bits), is above 253.
#define ABNORMAL(x, y) \
	VPSLLD $1, x, y; \
	VPSRLD $24, y, y; \
	VPCMPEQD Y9, Y9, Y9; \
	VPADDD Y9, y, y; \
	VPSLLD $24, y, y; \
	VPSRLD $24, y, y; \
	VPSRLD $24, Y9, Y7; \
	VPADDD Y9, Y7, Y7; \
	VPADDD Y9, Y7, Y7; \
	VPCMPGTD Y7, y, y
#define RCP VDIVPS Y0, Y15, Y3; ABNORMAL(Y0, Y8); ABNORMAL(Y3, Y6); VPOR Y6, Y8, Y8
TEXT ·simdRcpF32(SB), NOSPLIT, $0-56
	SPECIAL(PREONE, LOAD1, RCP)

#define SQRT VSQRTPS Y0, Y3; ABNORMAL(Y0, Y8); VPOR Y0, Y8, Y8
TEXT ·simdSqrtF32(SB), NOSPLIT, $0-56
	SPECIAL(NONE, LOAD1, SQRT)

#define PREONE64 \
	MOVQ $0x3ff0000000000000, R11; \
	VMOVQ R11, X15; \
	VPBROADCASTQ X15, Y15
#define RSQ \
	VCVTPS2PD X0, Y3; \
	VEXTRACTF128 $1, Y0, X4; \
	VCVTPS2PD X4, Y4; \
	VSQRTPD Y3, Y3; \
	VSQRTPD Y4, Y4; \
	VDIVPD Y3, Y15, Y3; \
	VDIVPD Y4, Y15, Y4; \
	VCVTPD2PSY Y3, X3; \
	VCVTPD2PSY Y4, X4; \
	VINSERTF128 $1, X4, Y3, Y3; \
	ABNORMAL(Y0, Y8); \
	VPOR Y0, Y8, Y8
TEXT ·simdRsqF32(SB), NOSPLIT, $0-56
	SPECIAL(PREONE64, LOAD1, RSQ)


// Comparisons of floats.
#define CMPLTF VCMPPS $0x11, Y1, Y0, Y3
TEXT ·simdCmpLtF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPLTF)

#define CMPEQF VCMPPS $0x00, Y1, Y0, Y3
TEXT ·simdCmpEqF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPEQF)

#define CMPLEF VCMPPS $0x12, Y1, Y0, Y3
TEXT ·simdCmpLeF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPLEF)

#define CMPGTF VCMPPS $0x1e, Y1, Y0, Y3
TEXT ·simdCmpGtF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPGTF)

#define CMPGEF VCMPPS $0x1d, Y1, Y0, Y3
TEXT ·simdCmpGeF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPGEF)

#define CMPLGF VCMPPS $0x0c, Y1, Y0, Y3
TEXT ·simdCmpLgF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPLGF)

#define CMPOF VCMPPS $0x07, Y1, Y0, Y3
TEXT ·simdCmpOF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPOF)

#define CMPUF VCMPPS $0x03, Y1, Y0, Y3
TEXT ·simdCmpUF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPUF)

#define CMPNGEF VCMPPS $0x19, Y1, Y0, Y3
TEXT ·simdCmpNgeF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPNGEF)

#define CMPNGTF VCMPPS $0x1a, Y1, Y0, Y3
TEXT ·simdCmpNgtF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPNGTF)

#define CMPNLEF VCMPPS $0x16, Y1, Y0, Y3
TEXT ·simdCmpNleF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPNLEF)

#define CMPNLTF VCMPPS $0x15, Y1, Y0, Y3
TEXT ·simdCmpNltF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPNLTF)

#define CMPNEQF VCMPPS $0x04, Y1, Y0, Y3
TEXT ·simdCmpNeqF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPNEQF)

#define CMPNLGF VCMPPS $0x08, Y1, Y0, Y3
TEXT ·simdCmpNlgF32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPNLGF)


// Comparisons of integers.
#define INVERT VPCMPEQD Y4, Y4, Y4; VPXOR Y4, Y3, Y3
#define CMPEQ VPCMPEQD Y1, Y0, Y3
TEXT ·simdCmpEq(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPEQ)

#define CMPNE CMPEQ; INVERT
TEXT ·simdCmpNe(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPNE)

#define CMPGTI VPCMPGTD Y1, Y0, Y3
TEXT ·simdCmpGtI32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPGTI)

#define CMPLTI VPCMPGTD Y0, Y1, Y3
TEXT ·simdCmpLtI32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPLTI)

#define CMPLEI CMPGTI; INVERT
TEXT ·simdCmpLeI32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPLEI)

#define CMPGEI CMPLTI; INVERT
TEXT ·simdCmpGeI32(SB), NOSPLIT, $0-56
	COMPARE(NONE, CMPGEI)

#define FLIP VPXOR Y15, Y0, Y0; VPXOR Y15, Y1, Y1
#define CMPGTU FLIP; CMPGTI
TEXT ·simdCmpGtU32(SB), NOSPLIT, $0-56
	COMPARE(PRESIGN, CMPGTU)

#define CMPLTU FLIP; CMPLTI
TEXT ·simdCmpLtU32(SB), NOSPLIT, $0-56
	COMPARE(PRESIGN, CMPLTU)

#define CMPLEU FLIP; CMPLEI
TEXT ·simdCmpLeU32(SB), NOSPLIT, $0-56
	COMPARE(PRESIGN, CMPLEU)

#define CMPGEU FLIP; CMPGEI
TEXT ·simdCmpGeU32(SB), NOSPLIT, $0-56
	COMPARE(PRESIGN, CMPGEU)


// func simdSpread(d *uint32, v uint32, n int)
TEXT ·simdSpread(SB), NOSPLIT, $0-24
	MOVQ d+0(FP), DI
	MOVQ n+16(FP), CX
	MOVL v+8(FP), AX
	VMOVD AX, X0
	VPBROADCASTD X0, Y0
spread:
	VMOVDQU Y0, (DI)
	ADDQ $32, DI
	SUBQ $8, CX
	JGT  spread
	VZEROUPPER
	RET

// func simdBits(d, s *uint32, shift uint64, and, xor uint32, n int)
TEXT ·simdBits(SB), NOSPLIT, $0-40
	MOVQ d+0(FP), DI
	MOVQ s+8(FP), SI
	VMOVQ shift+16(FP), X3
	MOVL and+24(FP), AX
	VMOVD AX, X1
	VPBROADCASTD X1, Y1
	MOVL xor+28(FP), AX
	VMOVD AX, X2
	VPBROADCASTD X2, Y2
	MOVQ n+32(FP), CX
each:
	VMOVDQU (SI), Y0
	VPSRLD X3, Y0, Y0
	VPAND Y1, Y0, Y0
	VPXOR Y2, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	SUBQ $8, CX
	JGT  each
	VZEROUPPER
	RET

#define CNDMASK VBLENDVPS Y6, Y1, Y0, Y3
TEXT ·simdCndmask(SB), NOSPLIT, $0-56
	MASKED(CNDMASK)

// A sum carries when it is below a source, or equal to it with a carry in.
#define ADDC \
	VPADDD Y1, Y0, Y3; \
	VPXOR Y15, Y0, Y4; \
	VPXOR Y15, Y3, Y5; \
	VPCMPGTD Y5, Y4, Y8; \
	VPCMPEQD Y7, Y7, Y7; \
	VPCMPEQD Y7, Y3, Y7; \
	VPAND Y6, Y7, Y7; \
	VPOR Y7, Y8, Y8; \
	VPSUBD Y6, Y3, Y3
TEXT ·simdAddc(SB), NOSPLIT, $0-56
	MASKED(ADDC)

// A difference borrows when its first source is below the second, or equal to it with
// a borrow in.
#define SUBB \
	VPXOR Y15, Y0, Y4; \
	VPXOR Y15, Y1, Y5; \
	VPCMPGTD Y4, Y5, Y8; \
	VPCMPEQD Y1, Y0, Y7; \
	VPAND Y6, Y7, Y7; \
	VPOR Y7, Y8, Y8; \
	VPSUBD Y1, Y0, Y3; \
	VPADDD Y6, Y3, Y3
TEXT ·simdSubb(SB), NOSPLIT, $0-56
	MASKED(SUBB)


// Doubles and quadwords.
#define ADDD VADDPD Y2, Y0, Y6; VADDPD Y3, Y1, Y7
TEXT ·simdAddF64(SB), NOSPLIT, $0-56
	FLOAT64(NONE, LOADAB, ADDD)

#define MULD VMULPD Y2, Y0, Y6; VMULPD Y3, Y1, Y7
TEXT ·simdMulF64(SB), NOSPLIT, $0-56
	FLOAT64(NONE, LOADAB, MULD)

#define FMAD VMOVDQA Y4, Y6; VMOVDQA Y5, Y7; VFMADD231PD Y2, Y0, Y6; VFMADD231PD Y3, Y1, Y7
TEXT ·simdFmaF64(SB), NOSPLIT, $0-56
	FLOAT64(NONE, LOADABC, FMAD)

#define LSHLREV64 VPAND Y15, Y0, Y0; VPAND Y15, Y1, Y1; VPSLLVQ Y0, Y2, Y6; VPSLLVQ Y1, Y3, Y7
TEXT ·simdLshlrev64(SB), NOSPLIT, $0-56
	OP64(PRE63, LOADSB, LSHLREV64)

#define LSHRREV64 VPAND Y15, Y0, Y0; VPAND Y15, Y1, Y1; VPSRLVQ Y0, Y2, Y6; VPSRLVQ Y1, Y3, Y7
TEXT ·simdLshrrev64(SB), NOSPLIT, $0-56
	OP64(PRE63, LOADSB, LSHRREV64)

// Shifted logically, with the sign's bits put above: those of 0 or of ^0 shifted alike.
#define ASHRREV64 \
	VPAND Y15, Y0, Y0; \
	VPAND Y15, Y1, Y1; \
	VPXOR Y9, Y9, Y9; \
	VPCMPGTQ Y2, Y9, Y4; \
	VPCMPGTQ Y3, Y9, Y5; \
	VPXOR Y4, Y2, Y2; \
	VPXOR Y5, Y3, Y3; \
	VPSRLVQ Y0, Y2, Y6; \
	VPSRLVQ Y1, Y3, Y7; \
	VPXOR Y4, Y6, Y6; \
	VPXOR Y5, Y7, Y7
TEXT ·simdAshrrev64(SB), NOSPLIT, $0-56
	OP64(PRE63, LOADSB, ASHRREV64)

#define LSHLADD64 VPAND Y15, Y2, Y2; VPAND Y15, Y3, Y3; VPSLLVQ Y2, Y0, Y6; VPSLLVQ Y3, Y1, Y7; VPADDQ Y4, Y6, Y6; VPADDQ Y5, Y7, Y7
TEXT ·simdLshlAdd64(SB), NOSPLIT, $0-56
	OP64(PRE7, LOADASC, LSHLADD64)

// The sum of v_mad_u64_u32 carries when it is below the addend; left has the carries.
TEXT ·simdMadU64(SB), NOSPLIT, $0-56
	ARGS
	CONST64(0x8000000000000000)
loop:
	LEAQ (AX)(R9*1), R14
	LOADSS
	VPMULUDQ Y2, Y0, Y6
	VPMULUDQ Y3, Y1, Y7
	VPADDQ Y4, Y6, Y6
	VPADDQ Y5, Y7, Y7
	VPXOR Y15, Y4, Y4
	VPXOR Y15, Y5, Y5
	VPXOR Y15, Y6, Y8
	VPXOR Y15, Y7, Y9
	VPCMPGTQ Y8, Y4, Y8
	VPCMPGTQ Y9, Y5, Y9
	VSHUFPS $0x88, Y9, Y8, Y8
	JOIN
	VMOVMSKPS Y8, R12
	MOVBLZX R8, R13
	ANDL R13, R12
	SHLQ $56, R12
	SHRQ $8, R10
	ORQ  R12, R10
	STORE64
	NEXT
	ALIGNLEFT
	RET

#define MOV64 VMOVDQA Y0, Y6; VMOVDQA Y1, Y7
TEXT ·simdMov64(SB), NOSPLIT, $0-56
	OP64(NONE, LOADA, MOV64)

TEXT ·simdCmpLtF64(SB), NOSPLIT, $0-56
	COMPARE64($0x11)

TEXT ·simdCmpEqF64(SB), NOSPLIT, $0-56
	COMPARE64($0x00)

TEXT ·simdCmpLeF64(SB), NOSPLIT, $0-56
	COMPARE64($0x12)

TEXT ·simdCmpGtF64(SB), NOSPLIT, $0-56
	COMPARE64($0x1e)

TEXT ·simdCmpGeF64(SB), NOSPLIT, $0-56
	COMPARE64($0x1d)

TEXT ·simdCmpLgF64(SB), NOSPLIT, $0-56
	COMPARE64($0x0c)

TEXT ·simdCmpOF64(SB), NOSPLIT, $0-56
	COMPARE64($0x07)

TEXT ·simdCmpUF64(SB), NOSPLIT, $0-56
	COMPARE64($0x03)

TEXT ·simdCmpNgeF64(SB), NOSPLIT, $0-56
	COMPARE64($0x19)

TEXT ·simdCmpNgtF64(SB), NOSPLIT, $0-56
	COMPARE64($0x1a)

TEXT ·simdCmpNleF64(SB), NOSPLIT, $0-56
	COMPARE64($0x16)

TEXT ·simdCmpNltF64(SB), NOSPLIT, $0-56
	COMPARE64($0x15)

TEXT ·simdCmpNeqF64(SB), NOSPLIT, $0-56
	COMPARE64($0x04)

TEXT ·simdCmpNlgF64(SB), NOSPLIT, $0-56
	COMPARE64($0x08)

// Pairs of 16-bit integers.
#define PKADDU16 VPADDW Y1, Y0, Y3
TEXT ·simdPkAddU16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PKADDU16)

#define PKSUBU16 VPSUBW Y1, Y0, Y3
TEXT ·simdPkSubU16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PKSUBU16)

#define PKMULLOU16 VPMULLW Y1, Y0, Y3
TEXT ·simdPkMulLoU16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PKMULLOU16)

#define PKMINI16 VPMINSW Y1, Y0, Y3
TEXT ·simdPkMinI16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PKMINI16)

#define PKMAXI16 VPMAXSW Y1, Y0, Y3
TEXT ·simdPkMaxI16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PKMAXI16)

#define PKMINU16 VPMINUW Y1, Y0, Y3
TEXT ·simdPkMinU16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PKMINU16)

#define PKMAXU16 VPMAXUW Y1, Y0, Y3
TEXT ·simdPkMaxU16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, PKMAXU16)

#define PKMADU16 VPMULLW Y1, Y0, Y3; VPADDW Y2, Y3, Y3
TEXT ·simdPkMadU16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, PKMADU16)
