#include "hash.h"
#include "inc_hash_md4.cl"
#include "inc_hash_sha224.cl"
#include "inc_hash_ripemd160.cl"

DIGEST(md4, u32, 4)
DIGEST(sha224, u32, 7)
DIGEST(ripemd160, u32, 5)
