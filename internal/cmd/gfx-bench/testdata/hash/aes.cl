// AES-128 encryption with tables that the caller passes: ten rounds, unrolled.
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define T(n, x) table[256 * n + ((x) >> (24 - 8 * n) & 255)]

kernel void aes(global uint *data, constant uint *table, constant uint *key) {
    uint i = GLOBAL_ID, s[4], t[4];
    for (int j = 0; j < 4; j++)
        s[j] = data[4 * i + j] ^ key[j];
#pragma unroll
    for (int r = 1; r < 10; r++) {
        for (int j = 0; j < 4; j++)
            t[j] = T(0, s[j]) ^ T(1, s[(j + 1) % 4]) ^ T(2, s[(j + 2) % 4]) ^ T(3, s[(j + 3) % 4]) ^ key[4 * r + j];
        for (int j = 0; j < 4; j++)
            s[j] = t[j];
    }
    for (int j = 0; j < 4; j++)
        data[4 * i + j] = ((T(0, s[j]) & 0xff000000) | (T(1, s[(j + 1) % 4]) & 0xff0000) | (T(2, s[(j + 2) % 4]) & 0xff00) |
                           (T(3, s[(j + 3) % 4]) & 0xff)) ^ key[40 + j];
}
