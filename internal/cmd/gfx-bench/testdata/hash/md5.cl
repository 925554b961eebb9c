// MD5 of one block a work-item; the additive constants come from a generator.
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
constant uchar rot[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

kernel void md5(global uint *state, global const uint *block) {
    uint i = GLOBAL_ID, m[16], k = 0xd76aa478;
    for (int t = 0; t < 16; t++)
        m[t] = block[16 * i + t];
    uint a = state[4 * i], b = state[4 * i + 1], c = state[4 * i + 2], d = state[4 * i + 3];
#pragma unroll
    for (int t = 0; t < 64; t++) {
        uint f, g;
        if (t < 16) {
            f = (b & c) | (~b & d);
            g = t;
        } else if (t < 32) {
            f = (d & b) | (~d & c);
            g = (5 * t + 1) % 16;
        } else if (t < 48) {
            f = b ^ c ^ d;
            g = (3 * t + 5) % 16;
        } else {
            f = c ^ (b | ~d);
            g = 7 * t % 16;
        }
        f += a + k + m[g];
        k = k * 1664525 + 1013904223;
        a = d;
        d = c;
        c = b;
        b += __builtin_rotateleft32(f, (uint)rot[t / 16 * 4 + t % 4]);
    }
    state[4 * i] += a;
    state[4 * i + 1] += b;
    state[4 * i + 2] += c;
    state[4 * i + 3] += d;
}
