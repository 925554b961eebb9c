#include "hash.h"
#include "inc_hash_md5.cl"
#include "inc_hash_sha1.cl"
#include "inc_hash_sha256.cl"

DIGEST(md5, u32, 4)
DIGEST(sha1, u32, 5)
DIGEST(sha256, u32, 8)
