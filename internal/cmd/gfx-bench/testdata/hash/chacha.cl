// ChaCha20: ten double rounds, unrolled.
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define Q(a, b, c, d)                                                                                                                        \
    a += b, d = __builtin_rotateleft32(d ^ a, 16u), c += d, b = __builtin_rotateleft32(b ^ c, 12u), a += b, d = __builtin_rotateleft32(d ^ a, 8u), c += d, b = __builtin_rotateleft32(b ^ c, 7u)

kernel void chacha(global uint *out, global const uint *key) {
    uint i = GLOBAL_ID, in[16], x[16];
    for (int t = 0; t < 16; t++)
        in[t] = key[t];
    in[12] += i;
    for (int t = 0; t < 16; t++)
        x[t] = in[t];
#pragma unroll
    for (int r = 0; r < 10; r++) {
        Q(x[0], x[4], x[8], x[12]);
        Q(x[1], x[5], x[9], x[13]);
        Q(x[2], x[6], x[10], x[14]);
        Q(x[3], x[7], x[11], x[15]);
        Q(x[0], x[5], x[10], x[15]);
        Q(x[1], x[6], x[11], x[12]);
        Q(x[2], x[7], x[8], x[13]);
        Q(x[3], x[4], x[9], x[14]);
    }
    for (int t = 0; t < 16; t++)
        out[16 * i + t] = x[t] + in[t];
}
