// The rounds of BLAKE2s, with message words in an order of their own.
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define G(a, b, c, d, x, y)                                                                                                                  \
    a += b + x, d = __builtin_rotateleft32(d ^ a, 16u), c += d, b = __builtin_rotateleft32(b ^ c, 20u), a += b + y, d = __builtin_rotateleft32(d ^ a, 24u), c += d, b = __builtin_rotateleft32(b ^ c, 25u)

kernel void blake2s(global uint *state, global const uint *block) {
    uint i = GLOBAL_ID, m[16], v[16];
    for (int t = 0; t < 16; t++)
        m[t] = block[16 * i + t], v[t] = state[16 * i + t];
#pragma unroll
    for (int r = 0; r < 10; r++) {
#define M(n) m[((n) * (2 * r + 1) + 3 * r) % 16]
        G(v[0], v[4], v[8], v[12], M(0), M(1));
        G(v[1], v[5], v[9], v[13], M(2), M(3));
        G(v[2], v[6], v[10], v[14], M(4), M(5));
        G(v[3], v[7], v[11], v[15], M(6), M(7));
        G(v[0], v[5], v[10], v[15], M(8), M(9));
        G(v[1], v[6], v[11], v[12], M(10), M(11));
        G(v[2], v[7], v[8], v[13], M(12), M(13));
        G(v[3], v[4], v[9], v[14], M(14), M(15));
    }
    for (int t = 0; t < 16; t++)
        state[16 * i + t] ^= v[t];
}
