#include "textflag.h"

// Functions of planes with AVX2. Bilinear filters take eight lanes at a time:
//
// func(b *planeBlend, u, v *float32, rows *Rows, exec uint64, n int) (left uint64)
//
// BX b, DI rows, SI u, DX v, R8 exec (shifted as lanes complete), R9 lanes, AX lane, R10 left (from
// the top), R12 the first row of the image, R11 the second one.

// FILL defines 32 bytes of one dword.
#define FILL(name, x) \
	DATA name<>+0(SB)/4, $x; \
	DATA name<>+4(SB)/4, $x; \
	DATA name<>+8(SB)/4, $x; \
	DATA name<>+12(SB)/4, $x; \
	DATA name<>+16(SB)/4, $x; \
	DATA name<>+20(SB)/4, $x; \
	DATA name<>+24(SB)/4, $x; \
	DATA name<>+28(SB)/4, $x; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

FILL(half, 0x80)
FILL(fraction, 0xff)
FILL(whole, 0x43800000)      // 256.0
FILL(top, 0x437f0000)        // 255.0
FILL(reciprocal, 0x3b808081) // 1 / 255
FILL(exponent, 0x7f800000)   // of a float
FILL(repeated, 0x4b008080)   // 0x808080 as a float
FILL(tiny, 0x28000000)       // 1 / 2^47
FILL(unit, 0x37800000)       // 1 / 2^16

DATA round<>+0(SB)/8, $0.5
GLOBL round<>(SB), RODATA|NOPTR, $8

// POSITION sets y to the distances of coordinates from the middle of the first texel in 1/256 of a
// texel, and inside to the lanes where a filter blends two texels of the image. Y9 is 0.5.
#define POSITION(coords, scale, limit, y, x, inside) \
	VBROADCASTSD scale(BX), Y8; \
	VCVTPS2PD (coords)(AX*4), Y6; \
	VCVTPS2PD 16(coords)(AX*4), Y7; \
	VFMADD213PD Y9, Y8, Y6; \
	VFMADD213PD Y9, Y8, Y7; \
	VCVTTPD2DQY Y6, x; \
	VCVTTPD2DQY Y7, X7; \
	VINSERTI128 $1, X7, y, y; \
	VPSUBD half<>(SB), y, y; \
	VPBROADCASTD limit(BX), Y8; \
	VPMINUD Y8, y, Y8; \
	VPCMPEQD Y8, y, inside

// BLEND filters with TEXELS, which finds the weights of the four texels in Y8 to Y11, multiplied by
// SCALE, and the offsets of the first one in the frame.
#define BLEND(SHIFT, SCALE, TEXELS) \
	MOVQ b+0(FP), BX; \
	MOVQ u+8(FP), SI; \
	MOVQ v+16(FP), DX; \
	MOVQ rows+24(FP), DI; \
	MOVQ exec+32(FP), R8; \
	MOVQ n+40(FP), R9; \
	MOVQ 24(BX), R12; \
	MOVQ 32(BX), R11; \
	ADDQ R12, R11; \
	XORL R10, R10; \
	XORL AX, AX; \
loop: \
	VBROADCASTSD round<>(SB), Y9; \
	POSITION(SI, 0, 16, Y0, X0, Y2); \
	POSITION(DX, 8, 20, Y1, X1, Y3); \
	VPAND Y3, Y2, Y2; \
	VMOVMSKPS Y2, R13; \
	MOVBLZX R8, CX; \
	ANDL CX, R13; \
	XORL R13, CX; \
	SHRQ $8, R10; \
	SHLQ $56, CX; \
	ORQ  CX, R10; \
	TESTL R13, R13; \
	JZ   next; \
	VPAND Y2, Y0, Y0; \
	VPAND Y2, Y1, Y1; \
	VPBROADCASTD 32(BX), Y6; \
	VPSRLD $8, Y0, Y4; \
	VPSLLD $SHIFT, Y4, Y4; \
	VPSRLD $8, Y1, Y5; \
	VPMULLD Y6, Y5, Y5; \
	VPADDD Y4, Y5, Y4; \
	VMOVDQU Y4, (SP); \
	VPAND fraction<>(SB), Y0, Y0; \
	VPAND fraction<>(SB), Y1, Y1; \
	VCVTDQ2PS Y0, Y2; \
	VCVTDQ2PS Y1, Y3; \
	VMOVUPS whole<>(SB), Y4; \
	VSUBPS Y2, Y4, Y0; \
	VSUBPS Y3, Y4, Y1; \
	VMULPS SCALE<>(SB), Y1, Y1; \
	VMULPS SCALE<>(SB), Y3, Y3; \
	VMULPS Y0, Y1, Y8; \
	VMULPS Y2, Y1, Y9; \
	VMULPS Y0, Y3, Y10; \
	VMULPS Y2, Y3, Y11; \
	TEXELS; \
next: \
	SHRQ $8, R8; \
	ADDQ $8, AX; \
	CMPQ AX, R9; \
	JLT  loop; \
	CMPQ R9, $32; \
	JNE  full; \
	SHRQ $32, R10; \
full: \
	MOVQ R10, left+48(FP); \
	VZEROUPPER; \
	RET

// PAIRS sets x to two adjacent texels of four bytes of lane i in row, and of the next lane.
#define PAIRS(row, i, x) \
	MOVL (4*i)(SP), R13; \
	MOVL (4*i+4)(SP), CX; \
	VMOVQ (row)(R13*1), x; \
	VMOVHPS (row)(CX*1), x, x

// COLUMNS sets left and right to the texels of a row.
#define COLUMNS(row, left, right) \
	PAIRS(row, 0, X0); \
	PAIRS(row, 4, X2); \
	PAIRS(row, 2, X1); \
	PAIRS(row, 6, X3); \
	VINSERTF128 $1, X2, Y0, Y0; \
	VINSERTF128 $1, X3, Y1, Y1; \
	VSHUFPS $0x88, Y1, Y0, left; \
	VSHUFPS $0xdd, Y1, Y0, right

// FIRSTBYTES begins the weighted sums of the components in Y2 and of their highest bits, ADDBYTES
// adds to them.
#define FIRSTBYTES(weight) \
	VCVTDQ2PS Y2, Y2; \
	VANDPS Y12, Y2, Y3; \
	VMULPS Y2, weight, Y0; \
	VMULPS Y3, weight, Y1
#define ADDBYTES(weight) \
	VCVTDQ2PS Y2, Y2; \
	VANDPS Y12, Y2, Y3; \
	VFMADD231PS Y2, weight, Y0; \
	VFMADD231PS Y3, weight, Y1

// QUOTIENTS writes the filtered component to a row: see scaleOctets. All sums before are exact.
#define QUOTIENTS(row) \
	VFMADD213PS Y1, Y14, Y0; \
	VMOVUPS Y0, (256*row)(DI)(AX*4)

// OCTET filters one of the first three components. The next one takes its place in the texels.
#define OCTET(row) \
	VPAND Y13, Y4, Y2; \
	FIRSTBYTES(Y8); \
	VPAND Y13, Y5, Y2; \
	ADDBYTES(Y9); \
	VPAND Y13, Y6, Y2; \
	ADDBYTES(Y10); \
	VPAND Y13, Y7, Y2; \
	ADDBYTES(Y11); \
	VPSRLD $8, Y4, Y4; \
	VPSRLD $8, Y5, Y5; \
	VPSRLD $8, Y6, Y6; \
	VPSRLD $8, Y7, Y7; \
	QUOTIENTS(row)

#define OCTETS \
	VMOVUPS fraction<>(SB), Y13; \
	VMOVUPS exponent<>(SB), Y12; \
	VMOVUPS repeated<>(SB), Y14; \
	COLUMNS(R12, Y4, Y5); \
	COLUMNS(R11, Y6, Y7); \
	OCTET(0); \
	OCTET(1); \
	OCTET(2); \
	VMOVDQA Y4, Y2; \
	FIRSTBYTES(Y8); \
	VMOVDQA Y5, Y2; \
	ADDBYTES(Y9); \
	VMOVDQA Y6, Y2; \
	ADDBYTES(Y10); \
	VMOVDQA Y7, Y2; \
	ADDBYTES(Y11); \
	QUOTIENTS(3)

// WEIGHT stores weights as doubles at an offset of the frame.
#define WEIGHT(y, x, at) \
	VCVTPS2PD x, Y0; \
	VMOVUPD Y0, at(SP); \
	VEXTRACTF128 $1, y, X0; \
	VCVTPS2PD X0, Y0; \
	VMOVUPD Y0, at+32(SP)

// ADDTEXEL adds a texel times the weight at an offset of the frame to Y1, with a rounding after
// each operation.
#define ADDTEXEL(texel, at) \
	VCVTPS2PD texel, Y2; \
	VBROADCASTSD at(SP), Y0; \
	VMULPD Y2, Y0, Y0; \
	VADDPD Y0, Y1, Y1

// TEXEL filters for lane i.
#define TEXEL(i, result) \
	MOVL (4*i)(SP), R13; \
	VXORPD Y1, Y1, Y1; \
	ADDTEXEL((R12)(R13*1), 32+8*i); \
	ADDTEXEL(16(R12)(R13*1), 96+8*i); \
	ADDTEXEL((R11)(R13*1), 160+8*i); \
	ADDTEXEL(16(R11)(R13*1), 224+8*i); \
	VCVTPD2PSY Y1, result

// QUAD filters for four lanes from lane i on.
#define QUAD(i) \
	TEXEL(i, X7); \
	TEXEL((i+1), X8); \
	TEXEL((i+2), X9); \
	TEXEL((i+3), X10); \
	VUNPCKLPS X8, X7, X0; \
	VUNPCKLPS X10, X9, X1; \
	VUNPCKHPS X8, X7, X2; \
	VUNPCKHPS X10, X9, X3; \
	VMOVLHPS X1, X0, X4; \
	VMOVHLPS X0, X1, X5; \
	VMOVUPS X4, (4*i)(DI)(AX*4); \
	VMOVUPS X5, (4*i+256)(DI)(AX*4); \
	VMOVLHPS X3, X2, X4; \
	VMOVHLPS X2, X3, X5; \
	VMOVUPS X4, (4*i+512)(DI)(AX*4); \
	VMOVUPS X5, (4*i+768)(DI)(AX*4)

#define FLOATS \
	WEIGHT(Y8, X8, 32); \
	WEIGHT(Y9, X9, 96); \
	WEIGHT(Y10, X10, 160); \
	WEIGHT(Y11, X11, 224); \
	QUAD(0); \
	QUAD(4)

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
TEXT ·blendOctets(SB), NOSPLIT, $32-56
	BLEND(2, tiny, OCTETS)

// func blendFloats(b *planeBlend, u, v *float32, rows *Rows, exec uint64, n int) (left uint64)
TEXT ·blendFloats(SB), NOSPLIT, $288-56
	BLEND(4, unit, FLOATS)

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
