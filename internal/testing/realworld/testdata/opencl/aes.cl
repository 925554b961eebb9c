#include "cipher.h"
#include "inc_cipher_aes.cl"

#define CIPHER(NAME) \
	KERNEL(NAME##_encrypt_block, 60, NAME##_set_encrypt_key(ks, key, te0, te1, te2, te3), \
		NAME##_encrypt(ks, in, out, te0, te1, te2, te3, te4)) \
	KERNEL(NAME##_decrypt_block, 60, NAME##_set_decrypt_key(ks, key, te0, te1, te2, te3, td0, td1, td2, td3), \
		NAME##_decrypt(ks, in, out, td0, td1, td2, td3, td4))

CIPHER(AES128)
CIPHER(AES192)
CIPHER(AES256)
