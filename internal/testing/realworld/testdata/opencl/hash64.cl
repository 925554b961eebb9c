#include "hash.h"
#include "inc_hash_sha384.cl"
#include "inc_hash_sha512.cl"
#include "inc_hash_blake2b.cl"

DIGEST(sha384, u64, 6)
DIGEST(sha512, u64, 8)
DIGEST(blake2b, u64, 8)
