#include "cipher.h"
#include "inc_cipher_camellia.cl"
#include "inc_cipher_kuznyechik.cl"
#include "inc_cipher_serpent.cl"
#include "inc_cipher_twofish.cl"

#define CIPHER(NAME, SCHEDULE) \
	KERNEL(NAME##_encrypt_block, SCHEDULE, NAME##_set_key(ks, key), NAME##_encrypt(ks, in, out)) \
	KERNEL(NAME##_decrypt_block, SCHEDULE, NAME##_set_key(ks, key), NAME##_decrypt(ks, in, out))
#define TWOFISH(NAME) \
	KERNEL(NAME##_encrypt_block, 40, NAME##_set_key(sk, ks, key), NAME##_encrypt(sk, ks, in, out)) \
	KERNEL(NAME##_decrypt_block, 40, NAME##_set_key(sk, ks, key), NAME##_decrypt(sk, ks, in, out))

CIPHER(camellia256, 68)
CIPHER(kuznyechik, 40)
CIPHER(serpent128, 140)
CIPHER(serpent256, 140)
TWOFISH(twofish128)
TWOFISH(twofish256)
