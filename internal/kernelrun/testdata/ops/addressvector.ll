; Constant vectors of addresses.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@table = addrspace(1) constant [4 x i32] [i32 11, i32 22, i32 33, i32 44]

declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @test_pointers(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %i = and i32 %x, 1
  %e = extractelement <2 x ptr addrspace(1)> <ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @table, i64 8), ptr addrspace(1) @table>, i32 %i
  %v = load i32, ptr addrspace(1) %e
  %at = shl i32 %x, 3
  %p = getelementptr double, ptr addrspace(1) %out, i32 %at
  store i32 %v, ptr addrspace(1) %p
  %q = getelementptr double, ptr addrspace(1) %p, i32 1
  %d = sub <2 x i32> <i32 ptrtoint (ptr addrspace(1) @table to i32), i32 5>, <i32 ptrtoint (ptr addrspace(1) @table to i32), i32 9>
  store <2 x i32> %d, ptr addrspace(1) %q
  ret void
}

define amdgpu_kernel void @test_bytes(ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 3
  %p = getelementptr double, ptr addrspace(1) %out, i32 %at
  %q = getelementptr double, ptr addrspace(1) %p, i32 1
  store volatile <2 x i16> <i16 7, i16 ptrtoint (ptr addrspace(1) @table to i16)>, ptr addrspace(1) %p
  store volatile <4 x i8> <i8 1, i8 ptrtoint (ptr addrspace(1) @table to i8), i8 3, i8 ptrtoint (ptr addrspace(1) @table to i8)>, ptr addrspace(1) %q
  %h = load volatile <2 x i16>, ptr addrspace(1) %p
  %b = load volatile <4 x i8>, ptr addrspace(1) %q
  %a16 = ptrtoint ptr addrspace(1) @table to i16
  %a8 = ptrtoint ptr addrspace(1) @table to i8
  %h1 = extractelement <2 x i16> %h, i32 1
  %h2 = sub i16 %h1, %a16
  %h3 = insertelement <2 x i16> %h, i16 %h2, i32 1
  %b1 = extractelement <4 x i8> %b, i32 1
  %b2 = sub i8 %b1, %a8
  %b3 = insertelement <4 x i8> %b, i8 %b2, i32 1
  %b4 = extractelement <4 x i8> %b, i32 3
  %b5 = sub i8 %b4, %a8
  %b6 = insertelement <4 x i8> %b3, i8 %b5, i32 3
  store <2 x i16> %h3, ptr addrspace(1) %p
  store <4 x i8> %b6, ptr addrspace(1) %q
  ret void
}
