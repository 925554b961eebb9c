#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
__device__ int cnt;
__device__ float helper(float a){ return __builtin_sqrtf(a); }
extern "C" __global__ void k(float*a,int n){ __shared__ float t[256]; int i=__builtin_amdgcn_workitem_id_x(); t[i]=helper(a[i]); __builtin_amdgcn_s_barrier(); if(i<n) a[i]=t[255-i]; __atomic_fetch_add(&cnt,1,0); }
