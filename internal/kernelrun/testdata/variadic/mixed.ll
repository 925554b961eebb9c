target triple = "amdgcn-amd-amdhsa"
%pair = type { i8, i64 }

declare void @llvm.va_start.p5(ptr addrspace(5))
declare void @llvm.va_copy.p5(ptr addrspace(5), ptr addrspace(5))
declare void @llvm.va_end.p5(ptr addrspace(5))

; the address of the next argument, of which the list then has one less
define hidden ptr @next(ptr addrspace(5) %list, i32 %size) noinline {
  %at = load ptr, ptr addrspace(5) %list
  %to = getelementptr i8, ptr %at, i32 %size
  store ptr %to, ptr addrspace(5) %list
  ret ptr %at
}

; i16, double, i64, a pair, a pair by its address, <3 x float>, i1
define hidden i64 @mix(i64 %first, i16 signext %second, ...) noinline {
  %list = alloca ptr, addrspace(5)
  call void @llvm.va_start.p5(ptr addrspace(5) %list)
  %p1 = call ptr @next(ptr addrspace(5) %list, i32 4)
  %x1 = load i16, ptr %p1, align 4
  %w1 = sext i16 %x1 to i64
  %p2 = call ptr @next(ptr addrspace(5) %list, i32 8)
  %x2 = load double, ptr %p2, align 4
  %w2 = fptosi double %x2 to i64
  %p3 = call ptr @next(ptr addrspace(5) %list, i32 8)
  %w3 = load i64, ptr %p3, align 4
  %p4 = call ptr @next(ptr addrspace(5) %list, i32 16)
  %q4 = getelementptr %pair, ptr %p4, i32 0, i32 1
  %w4 = load i64, ptr %q4, align 4
  %p5 = call ptr @next(ptr addrspace(5) %list, i32 16)
  %q5 = getelementptr %pair, ptr %p5, i32 0, i32 1
  %w5 = load i64, ptr %q5, align 4
  %p6 = call ptr @next(ptr addrspace(5) %list, i32 16)
  %x6 = load <3 x float>, ptr %p6, align 4
  %e6 = extractelement <3 x float> %x6, i32 2
  %w6 = fptosi float %e6 to i64
  %p7 = call ptr @next(ptr addrspace(5) %list, i32 4)
  %x7 = load i1, ptr %p7, align 4
  %w7 = zext i1 %x7 to i64
  call void @llvm.va_end.p5(ptr addrspace(5) %list)
  %w0 = sext i16 %second to i64
  %s0 = add i64 %first, %w0
  %m1 = mul i64 %s0, 31
  %s1 = add i64 %m1, %w1
  %m2 = mul i64 %s1, 31
  %s2 = add i64 %m2, %w2
  %m3 = mul i64 %s2, 31
  %s3 = add i64 %m3, %w3
  %m4 = mul i64 %s3, 31
  %s4 = add i64 %m4, %w4
  %m5 = mul i64 %s4, 31
  %s5 = add i64 %m5, %w5
  %m6 = mul i64 %s5, 31
  %s6 = add i64 %m6, %w6
  %m7 = mul i64 %s6, 31
  %s7 = add i64 %m7, %w7
  ret i64 %s7
}

; the second argument minus the first, by two lists, or %n without arguments
define hidden i64 @difference(i64 %n, ...) noinline {
entry:
  %list = alloca ptr, addrspace(5)
  %copy = alloca ptr, addrspace(5)
  %empty = icmp ne i64 %n, 0
  br i1 %empty, label %none, label %two
two:
  call void @llvm.va_start.p5(ptr addrspace(5) %list)
  %p1 = call ptr @next(ptr addrspace(5) %list, i32 4)
  %x = load i32, ptr %p1
  call void @llvm.va_copy.p5(ptr addrspace(5) %copy, ptr addrspace(5) %list)
  call void @llvm.va_end.p5(ptr addrspace(5) %list)
  %p2 = call ptr @next(ptr addrspace(5) %copy, i32 4)
  %y = load i32, ptr %p2
  call void @llvm.va_end.p5(ptr addrspace(5) %copy)
  %d = sub i32 %y, %x
  %e = sext i32 %d to i64
  ret i64 %e
none:
  ret i64 %n
}

define amdgpu_kernel void @k(ptr addrspace(1) %out, i64 %a, i32 %b, i32 %which) {
  %s = trunc i32 %b to i16
  %d = sitofp i32 %b to double
  %pair = insertvalue %pair { i8 7, i64 0 }, i64 %a, 1
  %mem = alloca %pair, align 8, addrspace(5)
  %half = lshr i64 %a, 1
  %other = insertvalue %pair { i8 9, i64 0 }, i64 %half, 1
  store %pair %other, ptr addrspace(5) %mem
  %f = sitofp i32 %b to float
  %v = insertelement <3 x float> <float 1.0, float 2.0, float 0.0>, float %f, i32 2
  %c = icmp sgt i32 %b, 0
  %r0 = call i64 (i64, i16, ...) @mix(i64 %a, i16 signext %s, i16 %s, double %d, i64 %a, %pair %pair, ptr addrspace(5) byval(%pair) align 8 %mem, <3 x float> %v, i1 %c)
  store i64 %r0, ptr addrspace(1) %out
  %zero = icmp eq i32 %which, 0
  %fn = select i1 %zero, ptr @difference, ptr @missing
  %r1 = tail call i64 (i64, ...) %fn(i64 0, i32 %b, i32 1000)
  %o1 = getelementptr i64, ptr addrspace(1) %out, i32 1
  store i64 %r1, ptr addrspace(1) %o1
  %r2 = call i64 (i64, ...) @difference(i64 %a)
  %o2 = getelementptr i64, ptr addrspace(1) %out, i32 2
  store i64 %r2, ptr addrspace(1) %o2
  ret void
}

define hidden i64 @missing(i64 %n, ...) noinline {
  ret i64 -1
}
