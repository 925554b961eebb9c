target triple = "amdgcn-amd-amdhsa"

; A write with a variable index to a vector of 32 dwords beside its old value and other values, with the 64 VGPRs that
; groups of 1,024 work-items have.
define amdgpu_kernel void @test0(ptr addrspace(1) %out, i32 %x1, ptr addrspace(1) %mix, ptr addrspace(1) %in) "amdgpu-flat-work-group-size"="1,1024" {
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %m = getelementptr [64 x i8], ptr addrspace(1) %mix, i32 %id
  %n = getelementptr [64 x i8], ptr addrspace(1) %in, i32 %id
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %a = load volatile <16 x i32>, ptr addrspace(1) %m, align 4
  %b = load volatile <16 x i32>, ptr addrspace(1) %n, align 4
  %v = shufflevector <16 x i32> %a, <16 x i32> %b, <32 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %w = load volatile <16 x i32>, ptr addrspace(1) %m, align 4
  %x = load volatile i32, ptr addrspace(1) %n, align 4
  %i = and i32 %x1, 31
  %r = insertelement <32 x i32> %v, i32 %x, i32 %i
  %s = xor <32 x i32> %r, %v
  %s0 = shufflevector <32 x i32> %s, <32 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %s1 = shufflevector <32 x i32> %s, <32 x i32> poison, <16 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
  %t = add <16 x i32> %s0, %s1
  %u = add <16 x i32> %t, %w
  store <16 x i32> %u, ptr addrspace(1) %o, align 4
  ret void
}

; Two writes to a vector with the same index: the old values have later uses, but there is no room for them.
define amdgpu_kernel void @test1(ptr addrspace(1) %out, ptr addrspace(1) %mix) "amdgpu-flat-work-group-size"="1,1024" {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %m = getelementptr [64 x i8], ptr addrspace(1) %mix, i32 %id
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %end = load i32, ptr addrspace(1) %m
  br label %loop

loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nuw nsw i32 %n, 1
  %c = icmp ult i32 %next, 20
  br i1 %c, label %loop, label %done

done:
  %h = lshr i32 %n, 2
  %i = and i32 %h, 15
  %v = insertelement <16 x i64> zeroinitializer, i64 7, i32 %i
  %e = and i32 %end, 7
  %x = extractelement <16 x i64> %v, i32 4
  %y = extractelement <16 x i64> %v, i32 %e
  store i64 %x, ptr addrspace(1) %o
  %o1 = getelementptr i64, ptr addrspace(1) %o, i32 1
  store i64 %y, ptr addrspace(1) %o1
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
