; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

%node = type { i32, ptr }

@t = internal global [2 x [2 x i16]] [[2 x i16] [i16 1, i16 2], [2 x i16] [i16 3, i16 4]]
@s = internal global { i32, ptr } { i32 7, ptr getelementptr (i16, ptr @t, i32 1) }
@lds = internal addrspace(3) global [0 x i8] undef
@big = internal global i128 123456789012345678901234567890
@half = internal global half 0xH3E00

declare i32 @variadic(i32, ...)

define { i32, float } @arith(i32 %0, i32 %1, float %2, float %3, i64 %4, ptr %5, <4 x i32> %6, i1 %7) {
  %9 = add nuw nsw i32 %0, %1
  %10 = sub nsw i32 %9, %1
  %11 = mul nuw i32 %10, %1
  %12 = udiv exact i32 %11, %1
  %13 = sdiv i32 %12, %1
  %14 = urem i32 %13, %1
  %15 = srem i32 %14, %1
  %16 = and i32 %15, %1
  %17 = or disjoint i32 %16, %1
  %18 = xor i32 %17, %1
  %19 = shl i32 %18, %1
  %20 = lshr exact i32 %19, %1
  %21 = ashr i32 %20, %1
  %22 = fadd nnan ninf contract float %2, %3
  %23 = fsub float %22, %3
  %24 = fmul fast float %23, %3
  %25 = fdiv float %24, %3
  %26 = frem float %25, %3
  %27 = fneg float %26
  %28 = trunc nsw i64 %4 to i32
  %29 = zext nneg i32 %0 to i64
  %30 = sext i32 %0 to i64
  %31 = fptosi float %2 to i32
  %32 = fptoui float %2 to i32
  %33 = sitofp i32 %0 to float
  %34 = uitofp nneg i32 %0 to float
  %35 = fpext float %2 to double
  %36 = fptrunc double %35 to float
  %37 = ptrtoint ptr %5 to i64
  %38 = inttoptr i64 %4 to ptr
  %39 = bitcast i32 %0 to float
  %40 = addrspacecast ptr %5 to ptr addrspace(1)
  %41 = icmp ult i32 %0, %1
  %42 = fcmp nnan ogt float %2, %3
  %43 = select i1 %41, i32 %0, i32 %21
  %44 = freeze i32 %43
  %45 = shufflevector <4 x i32> %6, <4 x i32> %6, <4 x i32> <i32 0, i32 poison, i32 5, i32 2>
  %46 = extractelement <4 x i32> %45, i32 %0
  %47 = alloca float, i32 %0, align 16, addrspace(5)
  %48 = getelementptr inbounds nuw [4 x i32], ptr %5, i64 %4, i32 3
  store volatile i32 %44, ptr %48, align 4
  store atomic float %27, ptr %5 syncscope("workgroup") release, align 4
  %49 = cmpxchg weak volatile ptr %5, i32 %0, i32 %1 syncscope("agent") acq_rel monotonic, align 8
  %50 = extractvalue { i32, i1 } %49, 0
  %51 = atomicrmw volatile uinc_wrap ptr %5, i32 %50 seq_cst, align 4
  %52 = call i32 (i32, ...) @variadic(i32 %0, float %2)
  %53 = call i32 %5(i32 %51)
  %54 = insertvalue { i32, float } poison, i32 %53, 0
  %55 = insertvalue { i32, float } %54, float %36, 1
  store <4 x i32> <i32 1, i32 2, i32 3, i32 4>, ptr %5, align 16
  store <2 x half> splat (half 0xH3800), ptr %5, align 4
  store [2 x i8] c"ab", ptr %5, align 1
  store { i32, float } { i32 1, float 2.000000e+00 }, ptr %5, align 4
  %56 = va_arg ptr %5, i32
  %57 = call i32 asm sideeffect "v_mov_b32 $0, $1", "=v,v"(i32 %56)
  fence syncscope("agent") acquire
  %58 = insertelement <4 x i32> %6, i32 %57, i32 %0
  store <4 x i32> %58, ptr %5, align 4
  store %node zeroinitializer, ptr %5, align 8
  ret { i32, float } %55
}

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
