// XTEA: 32 cycles, unrolled.
#define GLOBAL_ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
kernel void xtea(global uint2 *data, constant uint *key) {
    uint i = GLOBAL_ID, sum = 0, k[4];
    for (int j = 0; j < 4; j++)
        k[j] = key[j];
    uint2 v = data[i];
#pragma unroll
    for (int r = 0; r < 32; r++) {
        v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + k[sum & 3]);
        sum += 0x9e3779b9;
        v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + k[sum >> 11 & 3]);
    }
    data[i] = v;
}
