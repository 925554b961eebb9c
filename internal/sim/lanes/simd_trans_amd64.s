#include "textflag.h"
#include "go_asm.h"
#include "simd_amd64.h"
#include "simd_trans_amd64.h"

// Powers, logarithms and trigonometric functions of f32.

TEXT ·simdExpF32(SB), NOSPLIT, $0-56
	SPECIAL(PREEXP, LOAD1, EXP(NARROWFLOATS))

TEXT ·simdLogF32(SB), NOSPLIT, $0-56
	SPECIAL(PRELOG, LOAD1, LOG(NARROWFLOATS))

TEXT ·simdSinF32(SB), NOSPLIT, $0-56
	SPECIAL(PRESIN, LOAD1, SIN(NARROWFLOATS))

TEXT ·simdCosF32(SB), NOSPLIT, $0-56
	SPECIAL(PRESIN, LOAD1, COS(NARROWFLOATS))
