#include "textflag.h"
#include "simd_amd64.h"

// Further 32-bit integer operations: fields, counts and bytes.

#define BFEI \
	VPAND Y15, Y1, Y1; \
	VPAND Y15, Y2, Y2; \
	VPSRAVD Y1, Y0, Y3; \
	VPSUBD Y2, Y15, Y4; \
	VPCMPEQD Y5, Y5, Y5; \
	VPSUBD Y5, Y4, Y4; \
	VPSLLVD Y4, Y3, Y3; \
	VPSRAVD Y4, Y3, Y3
TEXT ·simdBfeI32(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD3, BFEI)

#define BFM \
	VPAND Y15, Y0, Y0; \
	VPAND Y15, Y1, Y1; \
	VPCMPEQD Y4, Y4, Y4; \
	VPSLLVD Y0, Y4, Y3; \
	VPXOR Y4, Y3, Y3; \
	VPSLLVD Y1, Y3, Y3
TEXT ·simdBfm(SB), NOSPLIT, $0-56
	OP(PRE31, LOAD2, BFM)

#define XNOR VPXOR Y1, Y0, Y3; VPCMPEQD Y4, Y4, Y4; VPXOR Y4, Y3, Y3
TEXT ·simdXnor(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, XNOR)

// Nibble lookups. Y15 is the nibble mask, Y13 and Y12 are the tables for low and high nibbles.
#define PRENIBBLES(lo, hi) \
	CONST(0x0f0f0f0f); \
	VBROADCASTI128 lo, Y13; \
	VBROADCASTI128 hi, Y12

DATA nibbleOnes<>+0(SB)/8, $0x0302020102010100
DATA nibbleOnes<>+8(SB)/8, $0x0403030203020201
GLOBL nibbleOnes<>(SB), RODATA|NOPTR, $16
DATA nibbleBack<>+0(SB)/8, $0x0e060a020c040800
DATA nibbleBack<>+8(SB)/8, $0x0f070b030d050901
GLOBL nibbleBack<>(SB), RODATA|NOPTR, $16
DATA nibbleBackHigh<>+0(SB)/8, $0xe060a020c0408000
DATA nibbleBackHigh<>+8(SB)/8, $0xf070b030d0509010
GLOBL nibbleBackHigh<>(SB), RODATA|NOPTR, $16
DATA bytesBack<>+0(SB)/8, $0x0405060700010203
DATA bytesBack<>+8(SB)/8, $0x0c0d0e0f08090a0b
GLOBL bytesBack<>(SB), RODATA|NOPTR, $16

#define LOOKUP(x, lo, hi) \
	VPAND Y15, x, lo; \
	VPSRLD $4, x, hi; \
	VPAND Y15, hi, hi; \
	VPSHUFB lo, Y13, lo; \
	VPSHUFB hi, Y12, hi

// POPCOUNT counts the set bits of x in y: per byte, then per dword.
#define POPCOUNT(x, y) \
	LOOKUP(x, y, Y5); \
	VPADDB Y5, y, y; \
	VPSRLD $4, Y15, Y5; \
	VPSRLD $3, Y15, Y6; \
	VPAND Y6, Y15, Y6; \
	VPMADDUBSW Y6, y, y; \
	VPSRLW $8, Y6, Y6; \
	VPMADDWD Y6, y, y
#define PREONES PRENIBBLES(nibbleOnes<>(SB), nibbleOnes<>(SB))
#define BCNT POPCOUNT(Y0, Y3); VPADDD Y1, Y3, Y3
TEXT ·simdBcnt(SB), NOSPLIT, $0-56
	OP(PREONES, LOAD2, BCNT)

// Source 2 is the mask of the lanes below each lane.
#define MBCNT VPAND Y2, Y0, Y0; POPCOUNT(Y0, Y3); VPADDD Y1, Y3, Y3
TEXT ·simdMbcnt(SB), NOSPLIT, $0-56
	OP(PREONES, LOAD3, MBCNT)

#define PREBACK PRENIBBLES(nibbleBackHigh<>(SB), nibbleBack<>(SB)); VBROADCASTI128 bytesBack<>(SB), Y11
#define BFREV LOOKUP(Y0, Y3, Y4); VPOR Y4, Y3, Y3; VPSHUFB Y11, Y3, Y3
TEXT ·simdBfrev(SB), NOSPLIT, $0-56
	OP(PREBACK, LOAD1, BFREV)

// The leading one of x, which is not 0, is the exponent of x as a float. Lower bits are cleared so
// that the conversion does not round up. A number with the sign bit converts to a negative float.
#define LEADING(x, y) \
	VPSRLD $1, x, Y4; \
	VPANDN x, Y4, y; \
	VCVTDQ2PS y, y; \
	VPSRLD $23, y, y; \
	VPSUBUSW y, Y15, y
#define PRE158 CONST(158)
#define ZEROALL(x) VPXOR Y5, Y5, Y5; VPCMPEQD Y5, x, Y5; VPOR Y5, Y3, Y3
#define FFBHU LEADING(Y0, Y3); ZEROALL(Y0)
TEXT ·simdFfbhU32(SB), NOSPLIT, $0-56
	OP(PRE158, LOAD1, FFBHU)

#define FFBHI VPSRAD $31, Y0, Y1; VPXOR Y1, Y0, Y0; LEADING(Y0, Y3); ZEROALL(Y0)
TEXT ·simdFfbhI32(SB), NOSPLIT, $0-56
	OP(PRE158, LOAD1, FFBHI)

#define PRE127 CONST(127)
#define FFBL \
	VPXOR Y4, Y4, Y4; \
	VPSUBD Y0, Y4, Y1; \
	VPAND Y1, Y0, Y1; \
	VCVTDQ2PS Y1, Y3; \
	VPSLLD $1, Y3, Y3; \
	VPSRLD $24, Y3, Y3; \
	VPSUBD Y15, Y3, Y3; \
	ZEROALL(Y0)
TEXT ·simdFfblB32(SB), NOSPLIT, $0-56
	OP(PRE127, LOAD1, FFBL)

// Byte operations. A lane's byte is at offset 4·(lane&3) in each half of a register.
DATA laneBytes<>+0(SB)/8, $0x0404040400000000
DATA laneBytes<>+8(SB)/8, $0x0c0c0c0c08080808
GLOBL laneBytes<>(SB), RODATA|NOPTR, $16

// Selectors 0 to 3 select bytes of source 1, 4 to 7 bytes of source 0, and 8 to 11 the signs of
// words; the latter are left to the caller. 12 selects 0, higher values 255.
#define PREPERM \
	VBROADCASTI128 laneBytes<>(SB), Y15; \
	MOVL $0x03030303, R11; \
	VMOVD R11, X13; \
	VPBROADCASTD X13, Y13; \
	MOVL $0x0c0c0c0c, R11; \
	VMOVD R11, X12; \
	VPBROADCASTD X12, Y12; \
	MOVL $0x08080808, R11; \
	VMOVD R11, X11; \
	VPBROADCASTD X11, Y11
#define PERM \
	VPAND Y13, Y2, Y4; \
	VPOR Y15, Y4, Y4; \
	VPSHUFB Y4, Y1, Y3; \
	VPSHUFB Y4, Y0, Y5; \
	VPSLLW $5, Y2, Y4; \
	VPBLENDVB Y4, Y5, Y3, Y3; \
	VPMAXUB Y12, Y2, Y4; \
	VPCMPEQB Y4, Y2, Y4; \
	VPCMPEQB Y12, Y2, Y5; \
	VPANDN Y4, Y5, Y5; \
	VPOR Y4, Y3, Y3; \
	VPXOR Y4, Y3, Y3; \
	VPOR Y5, Y3, Y3; \
	VPMAXUB Y11, Y2, Y5; \
	VPCMPEQB Y5, Y2, Y5; \
	VPANDN Y5, Y4, Y5; \
	VPXOR Y6, Y6, Y6; \
	VPCMPEQD Y6, Y5, Y8; \
	VPCMPEQD Y6, Y6, Y6; \
	VPXOR Y6, Y8, Y8
TEXT ·simdPerm(SB), NOSPLIT, $0-56
	SPECIAL(PREPERM, LOAD3, PERM)

// The 32 bits of Y0:Y1 starting at a byte.
#define PRE3 CONST(3)
#define ALIGNBYTE \
	VPAND Y15, Y2, Y2; \
	VPSLLD $3, Y2, Y2; \
	VPSRLVD Y2, Y1, Y3; \
	VPCMPEQD Y4, Y4, Y4; \
	VPSRLD $27, Y4, Y4; \
	VPSUBD Y2, Y4, Y4; \
	VPADDD Y0, Y0, Y0; \
	VPSLLVD Y4, Y0, Y4; \
	VPOR Y4, Y3, Y3
TEXT ·simdAlignbyte(SB), NOSPLIT, $0-56
	OP(PRE3, LOAD3, ALIGNBYTE)

// Products.
#define MULHII \
	VPMULDQ Y1, Y0, Y3; \
	VPSRLQ $32, Y0, Y4; \
	VPSRLQ $32, Y1, Y5; \
	VPMULDQ Y5, Y4, Y4; \
	VPSRLQ $32, Y3, Y3; \
	VPBLENDD $0xaa, Y4, Y3, Y3
TEXT ·simdMulHiI32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MULHII)

#define EXTEND24 VPSLLD $8, Y0, Y0; VPSRAD $8, Y0, Y0; VPSLLD $8, Y1, Y1; VPSRAD $8, Y1, Y1
#define MULHII24 EXTEND24; MULHII
TEXT ·simdMulHiI24(SB), NOSPLIT, $0-56
	OP(NONE, LOAD2, MULHII24)

#define MULHIU24 VPAND Y15, Y0, Y0; VPAND Y15, Y1, Y1; MULHII
TEXT ·simdMulHiU24(SB), NOSPLIT, $0-56
	OP(PRE24, LOAD2, MULHIU24)

// The minimum, maximum and median of three.
#define MIN3I VPMINSD Y1, Y0, Y3; VPMINSD Y2, Y3, Y3
TEXT ·simdMin3I32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MIN3I)

#define MAX3I VPMAXSD Y1, Y0, Y3; VPMAXSD Y2, Y3, Y3
TEXT ·simdMax3I32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MAX3I)

#define MIN3U VPMINUD Y1, Y0, Y3; VPMINUD Y2, Y3, Y3
TEXT ·simdMin3U32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MIN3U)

#define MAX3U VPMAXUD Y1, Y0, Y3; VPMAXUD Y2, Y3, Y3
TEXT ·simdMax3U32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MAX3U)

#define MED3I VPMINSD Y1, Y0, Y3; VPMAXSD Y1, Y0, Y4; VPMINSD Y2, Y4, Y4; VPMAXSD Y4, Y3, Y3
TEXT ·simdMed3I32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MED3I)

#define MED3U VPMINUD Y1, Y0, Y3; VPMAXUD Y1, Y0, Y4; VPMINUD Y2, Y4, Y4; VPMAXUD Y4, Y3, Y3
TEXT ·simdMed3U32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MED3U)

#define MAXMINI VPMAXSD Y1, Y0, Y3; VPMINSD Y2, Y3, Y3
TEXT ·simdMaxminI32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MAXMINI)

#define MINMAXI VPMINSD Y1, Y0, Y3; VPMAXSD Y2, Y3, Y3
TEXT ·simdMinmaxI32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MINMAXI)

#define MAXMINU VPMAXUD Y1, Y0, Y3; VPMINUD Y2, Y3, Y3
TEXT ·simdMaxminU32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MAXMINU)

#define MINMAXU VPMINUD Y1, Y0, Y3; VPMAXUD Y2, Y3, Y3
TEXT ·simdMinmaxU32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, MINMAXU)

// Dot products. Bytes at even positions are shifted up; bytes at odd positions are already at the
// top of a word. The shifts determine the signedness of the sources.
#define DOT4(SHIFTA, SHIFTB) \
	VPSLLW $8, Y0, Y3; \
	SHIFTA $8, Y3, Y3; \
	VPSLLW $8, Y1, Y4; \
	SHIFTB $8, Y4, Y4; \
	VPMADDWD Y4, Y3, Y3; \
	SHIFTA $8, Y0, Y0; \
	SHIFTB $8, Y1, Y1; \
	VPMADDWD Y1, Y0, Y0; \
	VPADDD Y0, Y3, Y3; \
	VPADDD Y2, Y3, Y3
TEXT ·simdDot4I8(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, DOT4(VPSRAW, VPSRAW))

TEXT ·simdDot4U8(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, DOT4(VPSRLW, VPSRLW))

TEXT ·simdDot4I8U8(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, DOT4(VPSRAW, VPSRLW))

TEXT ·simdDot4U8I8(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, DOT4(VPSRLW, VPSRAW))

#define DOT2I VPMADDWD Y1, Y0, Y3; VPADDD Y2, Y3, Y3
TEXT ·simdDot2I16(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, DOT2I)

#define DOT2U \
	VPSRLD $16, Y0, Y3; \
	VPSRLD $16, Y1, Y4; \
	VPMULLD Y4, Y3, Y3; \
	VPAND Y15, Y0, Y0; \
	VPAND Y15, Y1, Y1; \
	VPMULLD Y1, Y0, Y0; \
	VPADDD Y0, Y3, Y3; \
	VPADDD Y2, Y3, Y3
#define PREWORD CONST(0xffff)
TEXT ·simdDot2U16(SB), NOSPLIT, $0-56
	OP(PREWORD, LOAD3, DOT2U)

// Sums of absolute differences.
#define BYTEDISTANCE VPSUBUSB Y1, Y0, Y3; VPSUBUSB Y0, Y1, Y4; VPOR Y4, Y3, Y3
#define BYTESUM \
	VPMADDUBSW Y15, Y3, Y3; \
	VPSRLW $8, Y15, Y4; \
	VPMADDWD Y4, Y3, Y3; \
	VPADDD Y2, Y3, Y3
#define SADU8 BYTEDISTANCE; BYTESUM
#define PREBYTES CONST(0x01010101)
TEXT ·simdSadU8(SB), NOSPLIT, $0-56
	OP(PREBYTES, LOAD3, SADU8)

// Bytes that are 0 in source 1 are ignored.
#define MSADU8 BYTEDISTANCE; VPXOR Y4, Y4, Y4; VPCMPEQB Y4, Y1, Y4; VPANDN Y3, Y4, Y3; BYTESUM
TEXT ·simdMsadU8(SB), NOSPLIT, $0-56
	OP(PREBYTES, LOAD3, MSADU8)

// Averages of bytes are rounded up, or down if source 2 selects it.
#define LERP VPAVGB Y1, Y0, Y3; VPXOR Y1, Y0, Y4; VPANDN Y4, Y2, Y4; VPAND Y15, Y4, Y4; VPSUBB Y4, Y3, Y3
TEXT ·simdLerp(SB), NOSPLIT, $0-56
	OP(PREBYTES, LOAD3, LERP)

#define SADU32 VPMAXUD Y1, Y0, Y3; VPMINUD Y1, Y0, Y4; VPSUBD Y4, Y3, Y3; VPADDD Y2, Y3, Y3
TEXT ·simdSadU32(SB), NOSPLIT, $0-56
	OP(NONE, LOAD3, SADU32)

#define SADU16 \
	VPMAXUW Y1, Y0, Y3; \
	VPMINUW Y1, Y0, Y4; \
	VPSUBW Y4, Y3, Y3; \
	VPSRLD $16, Y3, Y4; \
	VPADDD Y2, Y4, Y4; \
	VPAND Y15, Y3, Y3; \
	VPADDD Y4, Y3, Y3
TEXT ·simdSadU16(SB), NOSPLIT, $0-56
	OP(PREWORD, LOAD3, SADU16)
