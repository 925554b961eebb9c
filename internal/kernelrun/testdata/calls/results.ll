; Results that do not fit in registers.
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare i32 @llvm.amdgcn.workitem.id.x()

define internal void @put(ptr addrspace(1) %out, i32 %slot, i32 %v) alwaysinline {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %at = shl i32 %x, 4
  %i = add i32 %at, %slot
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %i
  store i32 %v, ptr addrspace(1) %p
  ret void
}

%big = type { [20 x i32], i8, <16 x i16>, i1, i64, double }

define internal <33 x i32> @vector(i32 %a, i32 %b) noinline memory(none) {
  %v = insertelement <33 x i32> zeroinitializer, i32 %a, i32 32
  %w = insertelement <33 x i32> %v, i32 %b, i32 0
  ret <33 x i32> %w
}

define internal %big @struct(i32 %a, i1 %c) noinline {
  %a8 = trunc i32 %a to i8
  %a16 = trunc i32 %a to i16
  %a64 = zext i32 %a to i64
  %s0 = insertvalue %big zeroinitializer, i32 %a, 0, 19
  %s1 = insertvalue %big %s0, i8 %a8, 1
  %h = insertelement <16 x i16> zeroinitializer, i16 %a16, i32 15
  %s2 = insertvalue %big %s1, <16 x i16> %h, 2
  %s3 = insertvalue %big %s2, i1 %c, 3
  %s4 = insertvalue %big %s3, i64 %a64, 4
  ret %big %s4
}

define internal i1088 @wide(i32 %a) noinline {
  %z = zext i32 %a to i1088
  %s = shl i1088 %z, 1030
  %t = or i1088 %s, %z
  ret i1088 %t
}

define internal <64 x i8> @bytes(i8 %a) noinline {
  %v = insertelement <64 x i8> zeroinitializer, i8 %a, i32 63
  %w = insertelement <64 x i8> %v, i8 3, i32 1
  ret <64 x i8> %w
}

define internal <40 x i1> @bits(i1 %a) noinline {
  %v = insertelement <40 x i1> zeroinitializer, i1 %a, i32 39
  %w = insertelement <40 x i1> %v, i1 true, i32 0
  ret <40 x i1> %w
}

; A function that returns the result of a call.
define internal <33 x i32> @again(i32 %a) noinline {
  %r = call <33 x i32> @vector(i32 %a, i32 5)
  %e = extractelement <33 x i32> %r, i32 0
  %f = mul i32 %e, 100
  %s = insertelement <33 x i32> %r, i32 %f, i32 1
  ret <33 x i32> %s
}

define amdgpu_kernel void @test_vector(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %r = call <33 x i32> @vector(i32 %x, i32 9)
  %s = call <33 x i32> @again(i32 %x)
  %a = extractelement <33 x i32> %r, i32 32
  %b = extractelement <33 x i32> %r, i32 0
  %c = extractelement <33 x i32> %s, i32 1
  %i = and i32 %x, 1
  %d = extractelement <33 x i32> %s, i32 %i
  call void @put(ptr addrspace(1) %out, i32 0, i32 %a)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %b)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %c)
  call void @put(ptr addrspace(1) %out, i32 3, i32 %d)
  ret void
}

define amdgpu_kernel void @test_struct(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %n = add i32 %x, 70000
  %odd = trunc i32 %x to i1
  %s = call %big @struct(i32 %n, i1 %odd)
  %a = extractvalue %big %s, 0, 19
  %b = extractvalue %big %s, 1
  %h = extractvalue %big %s, 2
  %c = extractvalue %big %s, 3
  %d = extractvalue %big %s, 4
  %b32 = zext i8 %b to i32
  %e = extractelement <16 x i16> %h, i32 15
  %e32 = zext i16 %e to i32
  %c32 = zext i1 %c to i32
  %d32 = trunc i64 %d to i32
  call void @put(ptr addrspace(1) %out, i32 0, i32 %a)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %b32)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %e32)
  call void @put(ptr addrspace(1) %out, i32 3, i32 %c32)
  call void @put(ptr addrspace(1) %out, i32 4, i32 %d32)
  ret void
}

define amdgpu_kernel void @test_small(ptr addrspace(1) %in, ptr addrspace(1) %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %x8 = trunc i32 %x to i8
  %x1 = trunc i32 %x to i1
  %w = call i1088 @wide(i32 %x)
  %b = call <64 x i8> @bytes(i8 %x8)
  %v = call <40 x i1> @bits(i1 %x1)
  %ws = lshr i1088 %w, 1028
  %w32 = trunc i1088 %ws to i32
  %wl = trunc i1088 %w to i32
  %b0 = extractelement <64 x i8> %b, i32 63
  %b1 = extractelement <64 x i8> %b, i32 1
  %bs = add i8 %b0, %b1
  %b32 = zext i8 %bs to i32
  %vi = bitcast <40 x i1> %v to i40
  %vs = lshr i40 %vi, 35
  %v32 = trunc i40 %vs to i32
  call void @put(ptr addrspace(1) %out, i32 0, i32 %w32)
  call void @put(ptr addrspace(1) %out, i32 1, i32 %wl)
  call void @put(ptr addrspace(1) %out, i32 2, i32 %b32)
  call void @put(ptr addrspace(1) %out, i32 3, i32 %v32)
  ret void
}

; In a loop, through a pointer, in divergent control flow.
define amdgpu_kernel void @test_pointer(ptr addrspace(1) %in, ptr addrspace(1) %out) {
entry:
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %x, 2
  %f = select i1 %c, ptr @again, ptr @other
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %head ]
  %s = phi i32 [ 0, %entry ], [ %s1, %head ]
  %r = call <33 x i32> %f(i32 %i)
  %e = extractelement <33 x i32> %r, i32 32
  %k = extractelement <33 x i32> %r, i32 1
  %s7 = mul i32 %s, 7
  %s2 = add i32 %s7, %e
  %s1 = add i32 %s2, %k
  %i1 = add i32 %i, 1
  %again = icmp ult i32 %i1, 5
  br i1 %again, label %head, label %end
end:
  call void @put(ptr addrspace(1) %out, i32 0, i32 %s1)
  ret void
}

define internal <33 x i32> @other(i32 %a) noinline {
  %v = insertelement <33 x i32> zeroinitializer, i32 %a, i32 1
  ret <33 x i32> %v
}
