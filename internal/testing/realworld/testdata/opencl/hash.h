// Kernels of a hash function: each work-item hashes a part of a message of its
// own length, or computes its HMAC with another part as the key.
#include "hashcat.h"

#define MESSAGE 80 // words

void part(global const u32 *message, u32 id, u32 *w)
{
	for (u32 i = 0; i < MESSAGE; i++)
		w[i] = i * 4 < id * 3 ? message[i + id] : 0;
	if (id * 3 % 4)
		w[id * 3 / 4] &= (1u << (8 * (id * 3 % 4))) - 1;
}

#define DIGEST(HASH, WORD, STATE) \
	kernel void HASH##_digest(global const u32 *message, global WORD *out) \
	{ \
		const u32 id = get_global_id(0); \
		u32 w[MESSAGE]; \
		part(message, id, w); \
		HASH##_ctx_t ctx; \
		HASH##_init(&ctx); \
		HASH##_update(&ctx, w, id * 3); \
		HASH##_final(&ctx); \
		for (u32 i = 0; i < STATE; i++) \
			out[id * STATE + i] = ctx.h[i]; \
	}

#define HMAC(HASH, WORD, STATE) \
	kernel void HASH##_hmac(global const u32 *message, global WORD *out) \
	{ \
		const u32 id = get_global_id(0); \
		u32 key[MESSAGE], w[MESSAGE]; \
		part(message + 7, id, key); \
		part(message, id, w); \
		HASH##_hmac_ctx_t ctx; \
		HASH##_hmac_init(&ctx, key, id * 3); \
		HASH##_hmac_update(&ctx, w, id * 3); \
		HASH##_hmac_final(&ctx); \
		for (u32 i = 0; i < STATE; i++) \
			out[id * STATE + i] = ctx.opad.h[i]; \
	}
