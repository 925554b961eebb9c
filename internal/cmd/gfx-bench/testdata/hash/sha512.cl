// The rounds of SHA-512 with constants made by a generator instead of the table, unrolled.
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
static ulong ror(ulong x, ulong n) { return __builtin_rotateleft64(x, 64 - n); }

kernel void sha512(global ulong *state, global const ulong *block) {
    uint i = GLOBAL_ID;
    ulong w[80], s[8], k = 0x428a2f98d728ae22;
    for (int t = 0; t < 16; t++)
        w[t] = block[16 * i + t];
#pragma unroll
    for (int t = 16; t < 80; t++)
        w[t] = w[t - 16] + w[t - 7] + (ror(w[t - 15], 1) ^ ror(w[t - 15], 8) ^ w[t - 15] >> 7) +
               (ror(w[t - 2], 19) ^ ror(w[t - 2], 61) ^ w[t - 2] >> 6);
    for (int t = 0; t < 8; t++)
        s[t] = state[8 * i + t];
#pragma unroll
    for (int t = 0; t < 80; t++) {
        ulong e = s[4], a = s[0];
        ulong t1 = s[7] + (ror(e, 14) ^ ror(e, 18) ^ ror(e, 41)) + ((e & s[5]) ^ (~e & s[6])) + k + w[t];
        ulong t2 = (ror(a, 28) ^ ror(a, 34) ^ ror(a, 39)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        k = k * 6364136223846793005 + 1442695040888963407;
        for (int j = 7; j > 0; j--)
            s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int t = 0; t < 8; t++)
        state[8 * i + t] += s[t];
}
