#include "textflag.h"

// Functions of planes with AVX2. Bilinear filters take four lanes at a time:
//
// func(b *planeBlend, u, v *float32, rows *Rows, exec uint64, n int) (left uint64)
//
// DI rows, SI u, DX v, R8 exec (shifted as lanes complete), R9 lanes, AX lane, R10 left (from the
// top), R12 the first row of the image, R11 the second one. Y15 and Y14 hold the scales of the
// coordinates, Y13 and Y12 their limits. The frame holds the weights of the four texels for the
// four lanes, and the pitch four times.

DATA middle<>+0(SB)/8, $128.0
DATA middle<>+8(SB)/8, $128.0
DATA middle<>+16(SB)/8, $128.0
DATA middle<>+24(SB)/8, $128.0
GLOBL middle<>(SB), RODATA|NOPTR, $32

DATA round<>+0(SB)/8, $0.5
DATA round<>+8(SB)/8, $0.5
DATA round<>+16(SB)/8, $0.5
DATA round<>+24(SB)/8, $0.5
GLOBL round<>(SB), RODATA|NOPTR, $32

DATA unit<>+0(SB)/8, $0.0000152587890625 // 1 / 65536
DATA unit<>+8(SB)/8, $0.0000152587890625
DATA unit<>+16(SB)/8, $0.0000152587890625
DATA unit<>+24(SB)/8, $0.0000152587890625
GLOBL unit<>(SB), RODATA|NOPTR, $32

DATA fraction<>+0(SB)/8, $0x000000ff000000ff
DATA fraction<>+8(SB)/8, $0x000000ff000000ff
GLOBL fraction<>(SB), RODATA|NOPTR, $16

DATA half<>+0(SB)/8, $0x0000008000000080
DATA half<>+8(SB)/8, $0x0000008000000080
GLOBL half<>(SB), RODATA|NOPTR, $16

DATA whole<>+0(SB)/8, $0x0000010000000100
DATA whole<>+8(SB)/8, $0x0000010000000100
GLOBL whole<>(SB), RODATA|NOPTR, $16

DATA top<>+0(SB)/8, $0x437f0000437f0000 // 255.0
DATA top<>+8(SB)/8, $0x437f0000437f0000
DATA top<>+16(SB)/8, $0x437f0000437f0000
DATA top<>+24(SB)/8, $0x437f0000437f0000
GLOBL top<>(SB), RODATA|NOPTR, $32

DATA reciprocal<>+0(SB)/8, $0x3b8080813b808081 // 1 / 255
DATA reciprocal<>+8(SB)/8, $0x3b8080813b808081
DATA reciprocal<>+16(SB)/8, $0x3b8080813b808081
DATA reciprocal<>+24(SB)/8, $0x3b8080813b808081
GLOBL reciprocal<>(SB), RODATA|NOPTR, $32

// WEIGHT stores the products of the weights x and y at an offset of the frame.
#define WEIGHT(x, y, at) \
	VPMULLD x, y, X7; \
	VCVTDQ2PD X7, Y7; \
	VMOVUPD Y7, at(SP)

// OCTETS sets Y2 to Y5 to the four texels at R13, which have four components of 8 bits. The
// quotient of a component and 255 is the rounded product with the reciprocal, corrected by its
// remainder.
#define OCTETS \
	VPMOVZXBD (R12)(R13*1), Y0; \
	VPMOVZXBD (R11)(R13*1), Y1; \
	VCVTDQ2PS Y0, Y0; \
	VCVTDQ2PS Y1, Y1; \
	VMULPS reciprocal<>(SB), Y0, Y2; \
	VMULPS reciprocal<>(SB), Y1, Y3; \
	VFNMADD231PS Y11, Y2, Y0; \
	VFNMADD231PS Y11, Y3, Y1; \
	VFMADD231PS reciprocal<>(SB), Y0, Y2; \
	VFMADD231PS reciprocal<>(SB), Y1, Y3; \
	VEXTRACTF128 $1, Y2, X0; \
	VEXTRACTF128 $1, Y3, X1; \
	VCVTPS2PD X3, Y4; \
	VCVTPS2PD X1, Y5; \
	VCVTPS2PD X2, Y2; \
	VCVTPS2PD X0, Y3

// FLOATS is OCTETS for four floats.
#define FLOATS \
	VCVTPS2PD (R12)(R13*1), Y2; \
	VCVTPS2PD 16(R12)(R13*1), Y3; \
	VCVTPS2PD (R11)(R13*1), Y4; \
	VCVTPS2PD 16(R11)(R13*1), Y5

// SUM sets Y1 to the weighted sum of the texels, whose products and sums are exact.
#define SUM(at) \
	VBROADCASTSD at(SP), Y0; \
	VMULPD Y2, Y0, Y1; \
	VBROADCASTSD at+32(SP), Y0; \
	VFMADD231PD Y3, Y0, Y1; \
	VBROADCASTSD at+64(SP), Y0; \
	VFMADD231PD Y4, Y0, Y1; \
	VBROADCASTSD at+96(SP), Y0; \
	VFMADD231PD Y5, Y0, Y1

// ADDTEXEL adds a texel times the weight at an offset of the frame to Y1.
#define ADDTEXEL(texel, at) \
	VBROADCASTSD at(SP), Y0; \
	VMULPD texel, Y0, Y0; \
	VADDPD Y0, Y1, Y1

// ROUNDED is SUM with a rounding after each operation.
#define ROUNDED(at) \
	VXORPD Y1, Y1, Y1; \
	ADDTEXEL(Y2, at); \
	ADDTEXEL(Y3, at+32); \
	ADDTEXEL(Y4, at+64); \
	ADDTEXEL(Y5, at+96)

// TEXEL filters for the lane with the weights at an offset of the frame.
#define TEXEL(FETCH, ADD, at, result) \
	FETCH; \
	ADD(at); \
	VMULPD unit<>(SB), Y1, Y1; \
	VCVTPD2PSY Y1, result

#define BLEND(FETCH, ADD, SHIFT) \
	MOVQ b+0(FP), BX; \
	MOVQ u+8(FP), SI; \
	MOVQ v+16(FP), DX; \
	MOVQ rows+24(FP), DI; \
	MOVQ exec+32(FP), R8; \
	MOVQ n+40(FP), R9; \
	VBROADCASTSD 0(BX), Y15; \
	VBROADCASTSD 8(BX), Y14; \
	VBROADCASTSD 16(BX), Y13; \
	VBROADCASTSD 24(BX), Y12; \
	MOVQ 32(BX), R12; \
	MOVQ 40(BX), R11; \
	VMOVD R11, X0; \
	VPBROADCASTD X0, X0; \
	VMOVDQU X0, 128(SP); \
	ADDQ R12, R11; \
	XORL R10, R10; \
	XORL AX, AX; \
loop: \
	MOVL R8, R13; \
	XORL CX, CX; \
	ANDL $15, R13; \
	JZ   next; \
	VCVTPS2PD (SI)(AX*4), Y0; \
	VMULPD Y15, Y0, Y0; \
	VCVTPS2PD (DX)(AX*4), Y1; \
	VMULPD Y14, Y1, Y1; \
	VMOVUPD middle<>(SB), Y11; \
	VCMPPD $0x1d, Y11, Y0, Y2; \
	VCMPPD $0x11, Y13, Y0, Y3; \
	VANDPD Y3, Y2, Y2; \
	VCMPPD $0x1d, Y11, Y1, Y3; \
	VANDPD Y3, Y2, Y2; \
	VCMPPD $0x11, Y12, Y1, Y3; \
	VANDPD Y3, Y2, Y2; \
	VMOVMSKPD Y2, CX; \
	NOTL CX; \
	ANDL R13, CX; \
	CMPL CX, R13; \
	JEQ  next; \
	VBLENDVPD Y2, Y0, Y11, Y0; \
	VBLENDVPD Y2, Y1, Y11, Y1; \
	VADDPD round<>(SB), Y0, Y0; \
	VADDPD round<>(SB), Y1, Y1; \
	VCVTTPD2DQY Y0, X0; \
	VCVTTPD2DQY Y1, X1; \
	VPSUBD half<>(SB), X0, X0; \
	VPSUBD half<>(SB), X1, X1; \
	VPAND fraction<>(SB), X0, X2; \
	VPAND fraction<>(SB), X1, X3; \
	VMOVDQU whole<>(SB), X6; \
	VPSUBD X2, X6, X4; \
	VPSUBD X3, X6, X5; \
	WEIGHT(X4, X5, 0); \
	WEIGHT(X2, X5, 32); \
	WEIGHT(X4, X3, 64); \
	WEIGHT(X2, X3, 96); \
	VPSRLD $8, X0, X0; \
	VPSLLD $SHIFT, X0, X0; \
	VPSRLD $8, X1, X1; \
	VPMULLD 128(SP), X1, X1; \
	VPADDD X0, X1, X6; \
	VMOVUPS top<>(SB), Y11; \
	VMOVD X6, R13; \
	TEXEL(FETCH, ADD, 0, X7); \
	VPEXTRD $1, X6, R13; \
	TEXEL(FETCH, ADD, 8, X8); \
	VPEXTRD $2, X6, R13; \
	TEXEL(FETCH, ADD, 16, X9); \
	VPEXTRD $3, X6, R13; \
	TEXEL(FETCH, ADD, 24, X10); \
	VUNPCKLPS X8, X7, X0; \
	VUNPCKLPS X10, X9, X1; \
	VUNPCKHPS X8, X7, X2; \
	VUNPCKHPS X10, X9, X3; \
	VMOVLHPS X1, X0, X4; \
	VMOVHLPS X0, X1, X5; \
	VMOVUPS X4, 0(DI)(AX*4); \
	VMOVUPS X5, 256(DI)(AX*4); \
	VMOVLHPS X3, X2, X4; \
	VMOVHLPS X2, X3, X5; \
	VMOVUPS X4, 512(DI)(AX*4); \
	VMOVUPS X5, 768(DI)(AX*4); \
next: \
	SHRQ $4, R10; \
	SHLQ $60, CX; \
	ORQ  CX, R10; \
	SHRQ $4, R8; \
	ADDQ $4, AX; \
	CMPQ AX, R9; \
	JLT  loop; \
	CMPQ R9, $32; \
	JNE  full; \
	SHRQ $32, R10; \
full: \
	MOVQ R10, left+48(FP); \
	VZEROUPPER; \
	RET

// Conversions of a component in eight lanes at a time.
//
// DI destination, SI source, R9 lanes, AX lane.
#define EACH(BODY) \
	XORL AX, AX; \
lanes: \
	BODY; \
	VMOVDQU Y0, (DI)(AX*4); \
	ADDQ $8, AX; \
	CMPQ AX, R9; \
	JLT  lanes; \
	VZEROUPPER; \
	RET

#define ARGS \
	MOVQ d+0(FP), DI; \
	MOVQ s+8(FP), SI

#define SHIFTS \
	VMOVQ left+16(FP), X14; \
	VMOVQ right+24(FP), X15; \
	MOVQ n+32(FP), R9

// func blendOctets(b *planeBlend, u, v *float32, rows *Rows, exec uint64, n int) (left uint64)
TEXT ·blendOctets(SB), NOSPLIT, $144-56
	BLEND(OCTETS, SUM, 2)

// func blendFloats(b *planeBlend, u, v *float32, rows *Rows, exec uint64, n int) (left uint64)
TEXT ·blendFloats(SB), NOSPLIT, $144-56
	BLEND(FLOATS, ROUNDED, 4)

// func locateLanes(p *planeBounds, x, y *uint32, at *int32, n int) (in uint64)
TEXT ·locateLanes(SB), NOSPLIT, $0-48
	MOVQ p+0(FP), BX
	MOVQ x+8(FP), SI
	MOVQ y+16(FP), DX
	MOVQ at+24(FP), DI
	MOVQ n+32(FP), R9
	VPBROADCASTD 0(BX), Y15
	VPBROADCASTD 4(BX), Y14
	VPBROADCASTD 8(BX), Y13
	VPBROADCASTD 12(BX), Y12
	XORL R10, R10
	XORL AX, AX
lanes:
	VMOVDQU (SI)(AX*4), Y0
	VMOVDQU (DX)(AX*4), Y1
	VPMINUD Y15, Y0, Y2
	VPMINUD Y14, Y1, Y3
	VPCMPEQD Y2, Y0, Y2
	VPCMPEQD Y3, Y1, Y3
	VPAND Y2, Y3, Y3
	VMOVMSKPS Y3, R13
	SHLQ $56, R13
	SHRQ $8, R10
	ORQ  R13, R10
	VPMULLD Y13, Y0, Y0
	VPMULLD Y12, Y1, Y1
	VPADDD Y0, Y1, Y0
	VMOVDQU Y0, (DI)(AX*4)
	ADDQ $8, AX
	CMPQ AX, R9
	JLT  lanes
	CMPQ R9, $32
	JNE  full
	SHRQ $32, R10
full:
	MOVQ R10, in+40(FP)
	VZEROUPPER
	RET

#define UNSIGNED \
	VMOVDQU (SI)(AX*4), Y0; \
	VPSLLD X14, Y0, Y0; \
	VPSRLD X15, Y0, Y0

// func unsignedLanes(d, s *uint32, left, right uint64, n int)
TEXT ·unsignedLanes(SB), NOSPLIT, $0-40
	ARGS
	SHIFTS
	EACH(UNSIGNED)

#define SIGNED \
	VMOVDQU (SI)(AX*4), Y0; \
	VPSLLD X14, Y0, Y0; \
	VPSRAD X15, Y0, Y0

// func signedLanes(d, s *uint32, left, right uint64, n int)
TEXT ·signedLanes(SB), NOSPLIT, $0-40
	ARGS
	SHIFTS
	EACH(SIGNED)

// The quotient by 255 is the rounded product with the reciprocal, corrected by its remainder.
#define QUOTIENT \
	UNSIGNED; \
	VCVTDQ2PS Y0, Y1; \
	VMULPS Y12, Y1, Y0; \
	VFNMADD231PS Y11, Y0, Y1; \
	VFMADD231PS Y12, Y1, Y0

// func quotientLanes(d, s *uint32, left, right uint64, n int)
TEXT ·quotientLanes(SB), NOSPLIT, $0-40
	ARGS
	SHIFTS
	VMOVUPS top<>(SB), Y11
	VMOVUPS reciprocal<>(SB), Y12
	EACH(QUOTIENT)

#define PLACE \
	VMOVDQU (SI)(AX*4), Y0; \
	VPSLLD X15, Y0, Y0; \
	VPSRLD X14, Y0, Y0; \
	VPOR (DI)(AX*4), Y0, Y0

// func placeLanes(d, s *uint32, left, right uint64, n int)
TEXT ·placeLanes(SB), NOSPLIT, $0-40
	ARGS
	SHIFTS
	EACH(PLACE)

#define BYTES \
	VMOVUPS (SI)(AX*4), Y0; \
	VMAXPS Y10, Y0, Y0; \
	VMINPS Y13, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VCVTPS2PD X0, Y2; \
	VCVTPS2PD X1, Y3; \
	VMULPD Y11, Y2, Y2; \
	VMULPD Y11, Y3, Y3; \
	VCVTPD2DQY Y2, X2; \
	VCVTPD2DQY Y3, X3; \
	VINSERTI128 $1, X3, Y2, Y0; \
	VPSLLD X15, Y0, Y0; \
	VPSRLD X14, Y0, Y0; \
	VPOR (DI)(AX*4), Y0, Y0

// func byteLanes(d, s *uint32, left, right uint64, n int)
TEXT ·byteLanes(SB), NOSPLIT, $0-40
	ARGS
	SHIFTS
	VXORPS Y10, Y10, Y10
	MOVL $0x3f800000, BX
	VMOVD BX, X13
	VPBROADCASTD X13, Y13
	MOVQ $0x406fe00000000000, BX
	VMOVQ BX, X11
	VPBROADCASTQ X11, Y11
	EACH(BYTES)
