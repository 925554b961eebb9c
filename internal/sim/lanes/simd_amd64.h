// Operations on whole registers with AVX2 and FMA: eight lanes at a time.
//
// func(d, a, b, c *uint32, exec uint64, n int) (left uint64)
//
// DI d, SI a, DX b, CX c, R8 exec (shifted as lanes complete), R9 lanes, AX lane, R10 left (from
// the top), R13 lanes of the current eight to write. A body has its sources in Y0, Y1 and Y2 and
// its result in Y3; Y4 to Y9 are free. Y14 holds the bit of each lane, Y15 the value set by PRE.
// Lanes in left are computed by the caller.

#define ARGS \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ c+24(FP), CX; \
	MOVQ exec+32(FP), R8; \
	MOVQ n+40(FP), R9; \
	XORL R10, R10; \
	XORL AX, AX; \
	VMOVDQU ·laneBits(SB), Y14

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

// FULL continues at fast if all lanes are active, and at loop otherwise.
#define FULL \
	CMPL R8, $-1; \
	JNE  loop; \
	CMPQ R9, $32; \
	JEQ  fast; \
	CMPQ R8, $-1; \
	JNE  loop

// EIGHT writes Y3 to eight active lanes and goes on with the next ones at fast.
#define EIGHT \
	VMOVDQU Y3, (DI)(AX*4); \
	ADDQ $8, AX; \
	CMPQ AX, R9; \
	JLT  fast

// OP is an operation that computes every lane.
#define OP(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	FULL; \
fast: \
	LOAD; \
	BODY; \
	EIGHT; \
	JMP  end; \
loop: \
	LOAD; \
	BODY; \
	MOVBLZX R8, R13; \
	STORE; \
	NEXT; \
end: \
	MOVQ $0, left+48(FP); \
	VZEROUPPER; \
	RET

// LEAVE removes the lanes of mask Y8 from the lanes to write and adds the active ones to left.
#define LEAVE \
	VMOVMSKPS Y8, R12; \
	MOVBLZX R8, R13; \
	ANDL R13, R12; \
	XORL R12, R13; \
	SHLQ $56, R12; \
	SHRQ $8, R10; \
	ORQ  R12, R10

// MODE flushes denormals if bit 8 of n is set, which is in BX from then on. HOST restores the
// host's mode.
#define MODE \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  mode; \
	LDMXCSR ·flushMode(SB); \
mode:

#define HOST \
	BTQ  $8, BX; \
	JCC  host; \
	LDMXCSR ·hostMode(SB); \
host:

// LEAVING is an operation that leaves the lanes of Y8 to the caller. While all lanes are active and
// none is left, it takes the short way. At the first eight lanes with one to leave, it computes
// these again with the others.
#define LEAVING(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	MODE; \
	FULL; \
fast: \
	LOAD; \
	BODY; \
	VMOVMSKPS Y8, R12; \
	TESTL R12, R12; \
	JNE  loop; \
	EIGHT; \
	JMP  end; \
loop: \
	LOAD; \
	BODY; \
	LEAVE; \
	STORE; \
	NEXT; \
end: \
	HOST; \
	ALIGNLEFT; \
	RET

// SPECIAL is an operation that sets Y8 to the lanes that it leaves to the caller.
#define SPECIAL(PRE, LOAD, BODY) LEAVING(PRE, LOAD, BODY)

// FLOAT is an operation that leaves lanes with a NaN to the caller.
#define CHECKED(BODY) BODY; VCMPPS $3, Y3, Y3, Y8
#define FLOAT(PRE, LOAD, BODY) LEAVING(PRE, LOAD, CHECKED(BODY))

// COMPARE returns the bits of Y3 in left, for the lanes of EXEC.
#define COMPARE(PRE, BODY) \
	ARGS; \
	PRE; \
	MODE; \
loop: \
	LOAD2; \
	BODY; \
	VMOVMSKPS Y3, R12; \
	SHLQ $56, R12; \
	SHRQ $8, R10; \
	ORQ  R12, R10; \
	ADDQ $8, AX; \
	CMPQ AX, R9; \
	JLT  loop; \
	HOST; \
	CMPQ R9, $32; \
	JNE  full; \
	SHRQ $32, R10; \
full: \
	ANDQ R8, R10; \
	MOVQ R10, left+48(FP); \
	VZEROUPPER; \
	RET

// Operations with lane masks.
//
// func(d, a, b *uint32, exec, in uint64, n int) (out uint64)
//
// R11 is the mask input. A body has the lanes of the mask input in Y6, its result in Y3 and the
// lanes of the mask output in Y8.
#define MASK(BODY) \
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
	SHRQ $8, R11

#define MASKED(BODY) \
	MOVQ d+0(FP), DI; \
	MOVQ a+8(FP), SI; \
	MOVQ b+16(FP), DX; \
	MOVQ exec+24(FP), R8; \
	MOVQ in+32(FP), R11; \
	MOVQ n+40(FP), R9; \
	XORL R10, R10; \
	XORL AX, AX; \
	VMOVDQU ·laneBits(SB), Y14; \
	MOVL $0x80000000, R12; \
	VMOVD R12, X15; \
	VPBROADCASTD X15, Y15; \
	VPXOR Y8, Y8, Y8; \
	FULL; \
fast: \
	MASK(BODY); \
	EIGHT; \
	JMP  end; \
loop: \
	MASK(BODY); \
	STORE; \
	NEXT; \
end: \
	ALIGNLEFT; \
	RET

// 64-bit operations. The high dwords follow the low ones after n lanes; R14 is their index. SPLIT
// converts the dwords of eight lanes to two registers of quadwords (lanes 0, 1, 4, 5 and 2, 3, 6,
// 7). JOIN is the inverse. A body has its sources in Y0:Y1, Y2:Y3 and Y4:Y5 and its result in
// Y6:Y7; 32-bit sources are zero-extended.
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

// FLOAT64 leaves the lanes with a NaN result to the caller.
#define FLOAT64(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR ·flushMode(SB); \
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
	LDMXCSR ·hostMode(SB); \
host: \
	ALIGNLEFT; \
	RET

// SPECIAL64 leaves the lanes of Y8, which are dwords, to the caller.
#define SPECIAL64(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR ·flushMode(SB); \
loop: \
	LEAQ (AX)(R9*1), R14; \
	LOAD; \
	BODY; \
	JOIN; \
	LEAVE; \
	STORE64; \
	NEXT; \
	BTQ  $8, BX; \
	JCC  host; \
	LDMXCSR ·hostMode(SB); \
host: \
	ALIGNLEFT; \
	RET

// COMPAREWIDE returns the bits of the quadwords in Y6 and Y7 in left, for the lanes of EXEC.
#define COMPAREWIDE(PRE, LOAD, BODY) \
	ARGS; \
	PRE; \
	MOVQ R9, BX; \
	BTRQ $8, R9; \
	JCC  loop; \
	LDMXCSR ·flushMode(SB); \
loop: \
	LEAQ (AX)(R9*1), R14; \
	LOAD; \
	BODY; \
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
	LDMXCSR ·hostMode(SB); \
host: \
	ALIGNLEFT; \
	RET

// COMPARE64 compares doubles with a predicate of VCMPPD.
#define CMPPD(PRED) VCMPPD PRED, Y2, Y0, Y6; VCMPPD PRED, Y3, Y1, Y7
#define COMPARE64(PRED) COMPAREWIDE(NONE, LOADAB, CMPPD(PRED))

// CONST64 broadcasts a quadword to Y15.
#define CONST64(x) \
	MOVQ $x, R11; \
	VMOVQ R11, X15; \
	VPBROADCASTQ X15, Y15
#define PRE63 CONST64(63)
#define PRE7 CONST64(7)

#define NONE

// CONST broadcasts a dword to Y15.
#define CONST(x) \
	MOVL $x, R11; \
	VMOVD R11, X15; \
	VPBROADCASTD X15, Y15
#define PRE31 CONST(31)
#define PRESIGN CONST(0x80000000)
#define PRE24 CONST(0xffffff)
#define PREONE CONST(0x3f800000)
#define PRE16 CONST(0x47800000)


// Numbers that are not normal, in source Y0 or result Y3, are left to the caller. Their exponent
// minus one, as an unsigned 8-bit number, exceeds 253.
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

// ORDERF converts floats to integers with the same order. It is its own inverse.
#define ORDERF(x) VPSRAD $31, x, Y4; VPSRLD $1, Y4, Y4; VPXOR Y4, x, x

// DENORMAL adds lanes with a denormal result to Y8: twice its bits, minus one, is below 1<<24.
#define DENORMAL \
	VPCMPEQD Y9, Y9, Y9; \
	VPADDD Y3, Y3, Y4; \
	VPADDD Y9, Y4, Y4; \
	VPSRLD $24, Y4, Y4; \
	VPXOR Y5, Y5, Y5; \
	VPCMPEQD Y5, Y4, Y4; \
	VPOR Y4, Y8, Y8

// SPREAD broadcasts a dword to y.
#define SPREAD(x, xlow, y) MOVL $x, R11; VMOVD R11, xlow; VPBROADCASTD xlow, y

// SPREAD64 broadcasts a quadword to y.
#define SPREAD64(x, xlow, y) MOVQ $x, R11; VMOVQ R11, xlow; VPBROADCASTQ xlow, y
