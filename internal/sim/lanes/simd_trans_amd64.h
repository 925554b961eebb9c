// Powers, logarithms and trigonometric functions as defined by package sem, computed in doubles. Eight
// lanes are two registers of four. DX is the address of the coefficients.

#define PRETRANS MOVQ ·simdTransTable(SB), DX
#define COEFF(field, i) (field+32*i)(DX)

// WIDEN converts the floats of x to doubles in lo and hi.
#define WIDEN(x, xlo, lo, xhi, hi) \
	VEXTRACTF128 $1, x, xhi; \
	VCVTPS2PD xlo, lo; \
	VCVTPS2PD xhi, hi

// STEP is a step of Horner's scheme: p = p·x + c in both halves.
#define STEP(c, x0, x1, p0, p1) \
	VMOVUPD c, Y9; \
	VFMADD213PD Y9, x0, p0; \
	VFMADD213PD Y9, x1, p1

// NARROW rounds the doubles in lo and hi to floats in y.
#define NARROW(lo, xlo, hi, xhi, y) \
	VCVTPD2PSY lo, xlo; \
	VCVTPD2PSY hi, xhi; \
	VINSERTF128 $1, xhi, lo, y

// ODD rounds the doubles in x to odd with the precision of a float, so that they round to f16 like
// the original doubles.
#define ODDHALVES VMOVUPD simdTrans_cut(DX), Y9; ODD(Y6, Y4); ODD(Y7, Y5)
#define ODD(x, t) VPAND Y9, x, t; VPADDQ Y9, t, t; VPOR t, x, x; VPANDN x, Y9, x
#define NARROWFLOATS NARROW(Y6, X6, Y7, X7, Y3)
#define NARROWHALVES ODDHALVES; NARROWFLOATS

// 2^x for x = n + f, where f is exact as a float. Only NaNs are left to the caller.
#define PREEXP \
	PRETRANS; \
	VBROADCASTSS simdTrans_limit(DX), Y15; \
	VBROADCASTSS simdTrans_limit+4(DX), Y13
#define EXP(NARROWED) \
	VCMPPS $3, Y0, Y0, Y8; \
	VMINPS Y15, Y0, Y0; \
	VMAXPS Y13, Y0, Y0; \
	VROUNDPS $0, Y0, Y1; \
	VSUBPS Y1, Y0, Y2; \
	VCVTPS2DQ Y1, Y1; \
	WIDEN(Y2, X2, Y4, X5, Y5); \
	VMOVUPD COEFF(simdTrans_exp2, 10), Y6; \
	VMOVAPD Y6, Y7; \
	STEP(COEFF(simdTrans_exp2, 9), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 8), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 7), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 6), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 5), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 4), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 3), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 2), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 1), Y4, Y5, Y6, Y7); \
	STEP(COEFF(simdTrans_exp2, 0), Y4, Y5, Y6, Y7); \
	VEXTRACTI128 $1, Y1, X2; \
	VPMOVSXDQ X1, Y1; \
	VPMOVSXDQ X2, Y2; \
	VPSLLQ $52, Y1, Y1; \
	VPSLLQ $52, Y2, Y2; \
	VPADDQ Y1, Y6, Y6; \
	VPADDQ Y2, Y7, Y7; \
	NARROWED

// log2(x) for x = m·2^e, m in [√½, √2). Negative numbers and numbers that are not normal are left
// to the caller.
#define PRELOG \
	PRETRANS; \
	VPBROADCASTD simdTrans_root(DX), Y15; \
	VMOVUPD simdTrans_one(DX), Y13
#define LOG(NARROWED) \
	ABNORMAL(Y0, Y8); \
	VPOR Y0, Y8, Y8; \
	VPSUBD Y15, Y0, Y1; \
	VPSRAD $23, Y1, Y1; \
	VPSLLD $23, Y1, Y2; \
	VPSUBD Y2, Y0, Y2; \
	WIDEN(Y2, X2, Y4, X5, Y5); \
	VSUBPD Y13, Y4, Y6; \
	VSUBPD Y13, Y5, Y7; \
	VADDPD Y13, Y4, Y4; \
	VADDPD Y13, Y5, Y5; \
	VDIVPD Y4, Y6, Y4; \
	VDIVPD Y5, Y7, Y5; \
	VMULPD Y4, Y4, Y10; \
	VMULPD Y5, Y5, Y11; \
	VMOVUPD COEFF(simdTrans_log2, 7), Y6; \
	VMOVAPD Y6, Y7; \
	STEP(COEFF(simdTrans_log2, 6), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_log2, 5), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_log2, 4), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_log2, 3), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_log2, 2), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_log2, 1), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_log2, 0), Y10, Y11, Y6, Y7); \
	VEXTRACTI128 $1, Y1, X2; \
	VCVTDQ2PD X1, Y1; \
	VCVTDQ2PD X2, Y2; \
	VFMADD213PD Y1, Y4, Y6; \
	VFMADD213PD Y2, Y5, Y7; \
	NARROWED

// The sine of Y1 quarter turns and a remainder Y2, both exact as floats. NaNs and arguments that
// gfx8 does not support are left to the caller. Sine and cosine are computed for all lanes; odd
// quarters select the cosine.
#define PRESIN \
	PRETRANS; \
	VBROADCASTSS simdTrans_turns(DX), Y15; \
	VBROADCASTSS simdTrans_turns+4(DX), Y13; \
	VBROADCASTSS simdTrans_turns+8(DX), Y12
#define REDUCE \
	VPSLLD $1, Y0, Y1; \
	VPSRLD $1, Y1, Y1; \
	VCMPPS $0x16, Y15, Y1, Y8; \
	VROUNDPS $3, Y0, Y1; \
	VSUBPS Y1, Y0, Y2; \
	VMULPS Y13, Y2, Y1; \
	VROUNDPS $0, Y1, Y1; \
	VFNMADD231PS Y12, Y1, Y2; \
	VCVTPS2DQ Y1, Y1
#define QUARTERSINE(NARROWED) \
	WIDEN(Y2, X2, Y4, X5, Y5); \
	VMULPD Y4, Y4, Y10; \
	VMULPD Y5, Y5, Y11; \
	VMOVUPD COEFF(simdTrans_sin, 6), Y6; \
	VMOVAPD Y6, Y7; \
	STEP(COEFF(simdTrans_sin, 5), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_sin, 4), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_sin, 3), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_sin, 2), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_sin, 1), Y10, Y11, Y6, Y7); \
	STEP(COEFF(simdTrans_sin, 0), Y10, Y11, Y6, Y7); \
	VMULPD Y4, Y6, Y6; \
	VMULPD Y5, Y7, Y7; \
	VMOVUPD COEFF(simdTrans_cos, 7), Y4; \
	VMOVAPD Y4, Y5; \
	STEP(COEFF(simdTrans_cos, 6), Y10, Y11, Y4, Y5); \
	STEP(COEFF(simdTrans_cos, 5), Y10, Y11, Y4, Y5); \
	STEP(COEFF(simdTrans_cos, 4), Y10, Y11, Y4, Y5); \
	STEP(COEFF(simdTrans_cos, 3), Y10, Y11, Y4, Y5); \
	STEP(COEFF(simdTrans_cos, 2), Y10, Y11, Y4, Y5); \
	STEP(COEFF(simdTrans_cos, 1), Y10, Y11, Y4, Y5); \
	STEP(COEFF(simdTrans_cos, 0), Y10, Y11, Y4, Y5); \
	VPSLLD $31, Y1, Y2; \
	VEXTRACTI128 $1, Y2, X9; \
	VPMOVSXDQ X2, Y2; \
	VPMOVSXDQ X9, Y9; \
	VBLENDVPD Y2, Y4, Y6, Y6; \
	VBLENDVPD Y9, Y5, Y7, Y7; \
	NARROWED; \
	VPSRLD $1, Y1, Y1; \
	VPSLLD $31, Y1, Y1; \
	VXORPS Y1, Y3, Y3; \
	VXORPS Y4, Y4, Y4; \
	VADDPS Y4, Y3, Y3

// The sine of a zero is the same zero.
#define SIN(NARROWED) \
	REDUCE; \
	QUARTERSINE(NARROWED); \
	VCMPPS $0, Y4, Y0, Y4; \
	VPSRLD $31, Y0, Y0; \
	VPSLLD $31, Y0, Y0; \
	VBLENDVPS Y4, Y0, Y3, Y3

#define COS(NARROWED) \
	REDUCE; \
	VPCMPEQD Y4, Y4, Y4; \
	VPSUBD Y4, Y1, Y1; \
	QUARTERSINE(NARROWED)
