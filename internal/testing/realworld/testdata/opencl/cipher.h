// Kernels of a block cipher: each work-item makes a key schedule of its own
// and encrypts or decrypts a block. SCHEDULE is the schedule's size in words,
// SET_KEY and CRYPT are calls that use key, ks (and sk), in and out.
#include "hashcat.h"

#define KERNEL(NAME, SCHEDULE, SET_KEY, CRYPT) \
	kernel void NAME(global const u32 *data, global u32 *result) \
	{ \
		const u32 id = get_global_id(0); \
		u32 key[8], in[4], out[4], sk[4], ks[SCHEDULE]; \
		for (u32 i = 0; i < 8; i++) \
			key[i] = data[8 * id + i]; \
		for (u32 i = 0; i < 4; i++) \
			in[i] = data[4 * id + i + 1]; \
		SET_KEY; \
		CRYPT; \
		for (u32 i = 0; i < 4; i++) \
			result[4 * id + i] = out[i]; \
	}
