#include "hash.h"
#include "inc_hash_md5.cl"
#include "inc_hash_sha256.cl"
#include "inc_hash_sha512.cl"

HMAC(md5, u32, 4)
HMAC(sha256, u32, 8)
HMAC(sha512, u64, 8)
