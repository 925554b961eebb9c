#include "textflag.h"

// func simdGather(d, lo, hi *uint32, exec uint64, n int, base, limit uint64, host unsafe.Pointer) (left uint64)
//
// Y10 and Y11 hold base, Y12 the limit, Y13 the sign bits, Y14 the bit of each lane, Y15 the
// low dword of base with its sign bit flipped.
TEXT ·simdGather(SB), NOSPLIT, $0-72
	MOVQ d+0(FP), DI
	MOVQ lo+8(FP), SI
	MOVQ hi+16(FP), DX
	MOVQ exec+24(FP), R8
	MOVQ n+32(FP), R9
	MOVQ base+40(FP), R11
	MOVQ host+56(FP), R12
	VMOVD R11, X10
	VPBROADCASTD X10, Y10
	SHRQ $32, R11
	VMOVD R11, X11
	VPBROADCASTD X11, Y11
	MOVQ limit+48(FP), R11
	VMOVD R11, X12
	VPBROADCASTD X12, Y12
	MOVL $0x80000000, R11
	VMOVD R11, X13
	VPBROADCASTD X13, Y13
	VMOVDQU laneBits<>(SB), Y14
	VPXOR Y13, Y10, Y15
	XORL R10, R10
	XORL AX, AX
lanes:
	VMOVDQU (SI)(AX*4), Y0
	VMOVDQU (DX)(AX*4), Y1
	VPXOR Y13, Y0, Y3
	VPCMPGTD Y3, Y15, Y3 // a borrow
	VPSUBD Y10, Y0, Y2   // the offset
	VPADDD Y3, Y1, Y1
	VPCMPEQD Y11, Y1, Y4 // its high dword is 0
	VPMINUD Y12, Y2, Y5
	VPCMPEQD Y5, Y2, Y5 // within the limit
	VPAND Y5, Y4, Y4
	VPSLLD $30, Y2, Y6 // aligned
	VPXOR Y5, Y5, Y5
	VPCMPEQD Y5, Y6, Y6
	VPAND Y6, Y4, Y4
	VMOVD R8, X6
	VPBROADCASTD X6, Y6
	VPAND Y14, Y6, Y6
	VPCMPEQD Y14, Y6, Y6 // active
	VPANDN Y6, Y4, Y5
	VMOVMSKPS Y5, R13
	SHLQ $56, R13
	SHRQ $8, R10
	ORQ  R13, R10
	VPAND Y6, Y4, Y4
	VMOVDQU (DI)(AX*4), Y7
	VPGATHERDD Y4, (R12)(Y2*1), Y7
	VMOVDQU Y7, (DI)(AX*4)
	SHRQ $8, R8
	ADDQ $8, AX
	CMPQ AX, R9
	JLT  lanes
	CMPQ R9, $32
	JNE  full
	SHRQ $32, R10
full:
	MOVQ R10, left+64(FP)
	VZEROUPPER
	RET

// func simdScatter(d, lo, hi *uint32, exec uint64, n int, base, limit uint64, host unsafe.Pointer) (left uint64)
TEXT ·simdScatter(SB), NOSPLIT, $32-72
	MOVQ d+0(FP), DI
	MOVQ lo+8(FP), SI
	MOVQ hi+16(FP), DX
	MOVQ exec+24(FP), R8
	MOVQ n+32(FP), R9
	MOVQ base+40(FP), R11
	MOVQ host+56(FP), R12
	VMOVD R11, X10
	VPBROADCASTD X10, Y10
	SHRQ $32, R11
	VMOVD R11, X11
	VPBROADCASTD X11, Y11
	MOVQ limit+48(FP), R11
	VMOVD R11, X12
	VPBROADCASTD X12, Y12
	MOVL $0x80000000, R11
	VMOVD R11, X13
	VPBROADCASTD X13, Y13
	VMOVDQU laneBits<>(SB), Y14
	VPXOR Y13, Y10, Y15
	XORL R10, R10
	XORL AX, AX
lanes:
	VMOVDQU (SI)(AX*4), Y0
	VMOVDQU (DX)(AX*4), Y1
	VPXOR Y13, Y0, Y3
	VPCMPGTD Y3, Y15, Y3 // a borrow
	VPSUBD Y10, Y0, Y2   // the offset
	VPADDD Y3, Y1, Y1
	VPCMPEQD Y11, Y1, Y4 // its high dword is 0
	VPMINUD Y12, Y2, Y5
	VPCMPEQD Y5, Y2, Y5 // within the limit
	VPAND Y5, Y4, Y4
	VPSLLD $30, Y2, Y6 // aligned
	VPXOR Y5, Y5, Y5
	VPCMPEQD Y5, Y6, Y6
	VPAND Y6, Y4, Y4
	VMOVD R8, X6
	VPBROADCASTD X6, Y6
	VPAND Y14, Y6, Y6
	VPCMPEQD Y14, Y6, Y6 // active
	VPANDN Y6, Y4, Y5
	VMOVMSKPS Y5, R13
	SHLQ $56, R13
	SHRQ $8, R10
	ORQ  R13, R10
	VPAND Y6, Y4, Y4
	VMOVMSKPS Y4, BX
	VMOVDQU Y2, 0(SP)
	LEAQ (DI)(AX*4), R13
	BTL $0, BX
	JCC s0
	MOVL 0(SP), R14
	MOVL 0(R13), CX
	MOVL CX, (R12)(R14*1)
s0:
	BTL $1, BX
	JCC s1
	MOVL 4(SP), R14
	MOVL 4(R13), CX
	MOVL CX, (R12)(R14*1)
s1:
	BTL $2, BX
	JCC s2
	MOVL 8(SP), R14
	MOVL 8(R13), CX
	MOVL CX, (R12)(R14*1)
s2:
	BTL $3, BX
	JCC s3
	MOVL 12(SP), R14
	MOVL 12(R13), CX
	MOVL CX, (R12)(R14*1)
s3:
	BTL $4, BX
	JCC s4
	MOVL 16(SP), R14
	MOVL 16(R13), CX
	MOVL CX, (R12)(R14*1)
s4:
	BTL $5, BX
	JCC s5
	MOVL 20(SP), R14
	MOVL 20(R13), CX
	MOVL CX, (R12)(R14*1)
s5:
	BTL $6, BX
	JCC s6
	MOVL 24(SP), R14
	MOVL 24(R13), CX
	MOVL CX, (R12)(R14*1)
s6:
	BTL $7, BX
	JCC s7
	MOVL 28(SP), R14
	MOVL 28(R13), CX
	MOVL CX, (R12)(R14*1)
s7:
	SHRQ $8, R8
	ADDQ $8, AX
	CMPQ AX, R9
	JLT  lanes
	CMPQ R9, $32
	JNE  full
	SHRQ $32, R10
full:
	MOVQ R10, left+64(FP)
	VZEROUPPER
	RET

DATA laneBits<>+0(SB)/4, $1
DATA laneBits<>+4(SB)/4, $2
DATA laneBits<>+8(SB)/4, $4
DATA laneBits<>+12(SB)/4, $8
DATA laneBits<>+16(SB)/4, $16
DATA laneBits<>+20(SB)/4, $32
DATA laneBits<>+24(SB)/4, $64
DATA laneBits<>+28(SB)/4, $128
GLOBL laneBits<>(SB), RODATA|NOPTR, $32
