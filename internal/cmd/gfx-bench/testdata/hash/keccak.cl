// Keccak-f[1600], 24 rounds unrolled; the round constants come from a generator.
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
kernel void keccak(global ulong *state) {
    uint i = GLOBAL_ID;
    ulong a[25], b[25], c[5], rc = 1;
    for (int t = 0; t < 25; t++)
        a[t] = state[25 * i + t];
#pragma unroll
    for (int r = 0; r < 24; r++) {
        for (int x = 0; x < 5; x++)
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
        for (int t = 0; t < 25; t++)
            a[t] ^= c[(t + 4) % 5] ^ __builtin_rotateleft64(c[(t + 1) % 5], 1ul);
        int x = 1, y = 0;
        b[0] = a[0];
#pragma unroll
        for (int t = 0; t < 24; t++) {
            int ny = (2 * x + 3 * y) % 5;
            b[y + 5 * ny] = __builtin_rotateleft64(a[x + 5 * y], (ulong)((t + 1) * (t + 2) / 2 % 64));
            x = y;
            y = ny;
        }
#pragma unroll
        for (int t = 0; t < 25; t++)
            a[t] = b[t] ^ (~b[t / 5 * 5 + (t + 1) % 5] & b[t / 5 * 5 + (t + 2) % 5]);
        a[0] ^= rc;
        rc = __builtin_rotateleft64(rc, 1ul) ^ (rc >> 57) * 0x71;
    }
    for (int t = 0; t < 25; t++)
        state[25 * i + t] = a[t];
}
