#include "textflag.h"

// Loads and stores of 8 and 16 bytes for all lanes, four at a time. Lane l's element is at host +
// (hi<<32|lo) - base. The loop ends at the first four lanes with an offset above limit.
//
// DI d, SI lo, DX hi, R9 lanes, R8 bytes of a register, R10 base, R11 limit, R12 host, AX lane. BX,
// CX, R13 and R14 hold offsets, then addresses.

#define ARGS \
	MOVQ d+0(FP), DI; \
	MOVQ lo+8(FP), SI; \
	MOVQ hi+16(FP), DX; \
	MOVQ n+24(FP), R9; \
	MOVQ base+32(FP), R10; \
	MOVQ limit+40(FP), R11; \
	MOVQ host+48(FP), R12; \
	LEAQ (R9*4), R8; \
	XORL AX, AX

#define OFFSET(l, r) \
	MOVL l*4(SI)(AX*4), r; \
	MOVL l*4(DX)(AX*4), R15; \
	SHLQ $32, R15; \
	ORQ  R15, r; \
	SUBQ R10, r; \
	CMPQ r, R11; \
	JHI  done

#define ADDRESSES \
	OFFSET(0, BX); \
	OFFSET(1, CX); \
	OFFSET(2, R13); \
	OFFSET(3, R14); \
	LEAQ (DI)(AX*4), R15

#define NEXT \
	ADDQ $4, AX; \
	CMPQ AX, R9; \
	JLT  lanes; \
done: \
	MOVQ AX, ret+56(FP); \
	RET

// TRANSPOSE turns X0 to X3 into rows X4, X6, X5 and X7.
#define TRANSPOSE \
	MOVAPS X0, X8; \
	UNPCKLPS X1, X0; \
	UNPCKHPS X1, X8; \
	MOVAPS X2, X9; \
	UNPCKLPS X3, X2; \
	UNPCKHPS X3, X9; \
	MOVAPS X0, X4; \
	MOVLHPS X2, X4; \
	MOVHLPS X0, X2; \
	MOVAPS X2, X6; \
	MOVAPS X8, X5; \
	MOVLHPS X9, X5; \
	MOVHLPS X8, X9; \
	MOVAPS X9, X7

// func simdLoad128(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int
TEXT ·simdLoad128(SB), NOSPLIT, $0-64
	ARGS
lanes:
	ADDRESSES
	MOVUPS (R12)(BX*1), X0
	MOVUPS (R12)(CX*1), X1
	MOVUPS (R12)(R13*1), X2
	MOVUPS (R12)(R14*1), X3
	TRANSPOSE
	MOVUPS X4, (R15)
	MOVUPS X6, (R15)(R8*1)
	LEAQ   (R15)(R8*2), R15
	MOVUPS X5, (R15)
	MOVUPS X7, (R15)(R8*1)
	NEXT

// func simdStore128(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int
TEXT ·simdStore128(SB), NOSPLIT, $0-64
	ARGS
lanes:
	ADDRESSES
	MOVUPS (R15), X0
	MOVUPS (R15)(R8*1), X1
	LEAQ   (R15)(R8*2), R15
	MOVUPS (R15), X2
	MOVUPS (R15)(R8*1), X3
	TRANSPOSE
	MOVUPS X4, (R12)(BX*1)
	MOVUPS X6, (R12)(CX*1)
	MOVUPS X5, (R12)(R13*1)
	MOVUPS X7, (R12)(R14*1)
	NEXT

// func simdLoad64(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int
TEXT ·simdLoad64(SB), NOSPLIT, $0-64
	ARGS
lanes:
	ADDRESSES
	MOVSD  (R12)(BX*1), X0
	MOVHPS (R12)(CX*1), X0
	MOVSD  (R12)(R13*1), X1
	MOVHPS (R12)(R14*1), X1
	MOVAPS X0, X2
	SHUFPS $0x88, X1, X0
	SHUFPS $0xdd, X1, X2
	MOVUPS X0, (R15)
	MOVUPS X2, (R15)(R8*1)
	NEXT

// func simdStore64(d, lo, hi *uint32, n int, base, limit uint64, host unsafe.Pointer) int
TEXT ·simdStore64(SB), NOSPLIT, $0-64
	ARGS
lanes:
	ADDRESSES
	MOVUPS (R15), X0
	MOVUPS (R15)(R8*1), X1
	MOVAPS X0, X2
	UNPCKLPS X1, X0
	UNPCKHPS X1, X2
	MOVLPS X0, (R12)(BX*1)
	MOVHPS X0, (R12)(CX*1)
	MOVLPS X2, (R12)(R13*1)
	MOVHPS X2, (R12)(R14*1)
	NEXT
