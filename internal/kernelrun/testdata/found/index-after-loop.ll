target triple = "amdgcn-amd-amdhsa"

; Lanes leave the loop in different iterations through different exits, so the element index is divergent although the
; operands of its phi are uniform.
define amdgpu_kernel void @test0(ptr addrspace(1) %out, i32 %x1, ptr addrspace(1) %mix) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %o = getelementptr [64 x i8], ptr addrspace(1) %out, i32 %id
  %p = getelementptr [64 x i8], ptr addrspace(1) %mix, i32 %id
  %x = load i32, ptr addrspace(1) %p
  %s = and i32 %x1, 3
  br label %head

head:
  %n = phi i32 [ %n1, %body ], [ 0, %entry ], [ %n1, %rest ]
  %c = icmp eq i32 %n, 3
  br i1 %c, label %done, label %body

body:
  %n1 = add i32 %n, 1
  %bit = lshr i32 %x, %n
  %d = trunc i32 %bit to i1
  br i1 %d, label %head, label %rest

rest:
  %e = icmp eq i32 %n1, 3
  br i1 %e, label %done, label %head

done:
  %k = phi i32 [ %s, %head ], [ 4, %rest ]
  %v = insertelement <5 x i64> <i64 1, i64 2, i64 3, i64 4, i64 5>, i64 9, i32 %k
  %w = extractelement <5 x i64> %v, i32 4
  store i64 %w, ptr addrspace(1) %o
  ret void
}
