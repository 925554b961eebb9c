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
  %a = ptrtoint ptr addrspace(1) @table to i16
  %b = ptrtoint ptr addrspace(1) @table to i8
  %h0 = insertelement <2 x i16> poison, i16 %a, i32 0
  %h = insertelement <2 x i16> %h0, i16 %a, i32 1
  %c0 = insertelement <4 x i8> zeroinitializer, i8 %b, i32 1
  %c = insertelement <4 x i8> %c0, i8 %b, i32 3
  %dh = sub <2 x i16> <i16 7, i16 ptrtoint (ptr addrspace(1) @table to i16)>, %h
  %dc = sub <4 x i8> <i8 1, i8 ptrtoint (ptr addrspace(1) @table to i8), i8 3, i8 ptrtoint (ptr addrspace(1) @table to i8)>, %c
  %o = extractelement <2 x i16> %dh, i32 1
  store i16 %o, ptr addrspace(1) %p
  %q = getelementptr double, ptr addrspace(1) %p, i32 1
  store <4 x i8> %dc, ptr addrspace(1) %q
  ret void
}
