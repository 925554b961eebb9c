target triple = "amdgcn-amd-amdhsa"

@var1 = addrspace(1) constant [64 x i8] c"\E8\03>nl+(\E3\BADQ!H:L\A2\92\7F\F2\FA\A0\DFdSE\F2\A6\DE\18Y\C9\AE[\E6\B0\E6a-|s\BB\\\899\EDE\0Dc\8E\1D$\D6\95\DB\A3\96} \98r#7Z\D8", align 8

declare double @llvm.copysign.f64(double, double) #0

define amdgpu_kernel void @test0(ptr addrspace(1) %out.0, ptr addrspace(3) %local.128, ptr addrspace(4) %table.8, ptr addrspace(1) %sum.8) {
entry:
  %0 = call i32 @llvm.amdgcn.workitem.id.x()
  %1 = zext i32 %0 to i64
  %2 = mul i64 %1, 64
  %3 = getelementptr inbounds i8, ptr addrspace(1) %out.0, i64 %2
  store i64 -1275806544763329905, ptr addrspace(3) null, align 8
  %4 = and i32 %0, 1
  %5 = zext i32 %4 to i64
  %6 = mul i64 %5, 4
  %7 = getelementptr inbounds i8, ptr addrspace(1) @var1, i64 %6
  %8 = getelementptr i8, ptr addrspace(1) %7, i64 8
  %9 = load <2 x float>, ptr addrspace(1) %8, align 4
  %10 = select <2 x i1> zeroinitializer, <2 x float> splat (float 1.000000e+00), <2 x float> %9
  %11 = getelementptr i8, ptr addrspace(4) %table.8, i64 82
  %12 = load half, ptr addrspace(4) %11, align 1
  %13 = extractelement <2 x float> %9, i32 0
  %14 = call i64 @llvm.fptoui.sat.i64.f32(float %13)
  %15 = ashr i64 %14, 4
  %16 = load <2 x i32>, ptr addrspace(3) null, align 1
  %17 = sub <2 x i32> zeroinitializer, %16
  %18 = getelementptr i8, ptr addrspace(1) %sum.8, i64 120
  %19 = atomicrmw umin ptr addrspace(1) %18, i32 0 syncscope("agent") seq_cst, align 4
  %20 = fmul half %12, 0xHBC00
  %21 = getelementptr inbounds i16, ptr addrspace(4) %table.8, i64 0
  %22 = fpext half %12 to double
  %23 = call double @llvm.copysign.f64(double %22, double 0.000000e+00)
  %24 = getelementptr i8, ptr addrspace(1) %3, i32 0
  store i8 1, ptr addrspace(1) %3, align 1
  br label %25

25:                                               ; preds = %25, %entry
  %26 = phi i32 [ 0, %entry ], [ %34, %25 ]
  %27 = phi double [ 3.175000e+01, %entry ], [ %23, %25 ]
  %28 = icmp ule i16 0, 0
  %29 = select i1 %28, half %20, half 0xH0000
  %30 = getelementptr i8, ptr addrspace(1) %sum.8, i64 176
  %31 = and i32 %26, 1
  %32 = uitofp i32 %31 to double
  %33 = atomicrmw fadd ptr addrspace(1) %30, double %32 syncscope("agent") acquire, align 8
  %34 = add i32 %26, 1
  %35 = icmp ult i32 %34, 1
  br i1 %35, label %25, label %36

36:                                               ; preds = %25
  %37 = or i64 0, %15
  %38 = or i32 %26, 1327799140
  %39 = icmp uge i32 %38, 1327799140
  %40 = select i1 %39, i32 %26, i32 undef
  %41 = and i32 %40, 15
  %42 = getelementptr inbounds i32, ptr addrspace(1) %3, i32 %41
  %43 = load i32, ptr addrspace(1) %42, align 4
  %44 = bitcast i64 %37 to double
  %45 = select i1 false, double 1.000000e+00, double %44
  %46 = extractelement <2 x i32> %17, i32 1
  %47 = sext i32 %46 to i64
  %48 = mul i64 %47, 1099511628211
  %49 = add i64 %48, 0
  %50 = mul i64 %49, 1099511628211
  %51 = add i64 %50, 0
  %52 = mul i64 %51, 1099511628211
  %53 = add i64 %52, 0
  %54 = mul i64 %53, 1099511628211
  %55 = add i64 %54, 0
  %56 = fcmp uno half %29, %29
  %57 = select i1 %56, half 0xH3C00, half %29
  %58 = bitcast half %57 to i16
  %59 = zext i16 %58 to i64
  %60 = mul i64 %55, 1099511628211
  %61 = add i64 %60, %59
  %62 = mul i64 %61, 1099511628211
  %63 = add i64 %62, 0
  %64 = mul i64 %63, 1099511628211
  %65 = add i64 %64, 0
  %66 = mul i64 %65, 1099511628211
  %67 = add i64 %66, 0
  %68 = mul i64 %67, 1099511628211
  %69 = add i64 %68, 0
  %70 = mul i64 %69, 1099511628211
  %71 = add i64 %70, 0
  %72 = mul i64 %71, 1099511628211
  %73 = add i64 %72, 0
  %74 = mul i64 %73, 1099511628211
  %75 = add i64 %74, 0
  %76 = zext i32 %43 to i64
  %77 = mul i64 %75, 1099511628211
  %78 = add i64 %77, %76
  %79 = select i1 false, double 1.000000e+00, double %27
  %80 = bitcast double %79 to i64
  %81 = mul i64 %78, 1099511628211
  %82 = add i64 %81, %80
  %83 = mul i64 %82, 1099511628211
  %84 = add i64 %83, 0
  %85 = mul i64 %84, 1099511628211
  %86 = add i64 %85, 0
  %87 = mul i64 %86, 1099511628211
  %88 = add i64 %87, 0
  %89 = mul i64 %88, 1099511628211
  %90 = add i64 %89, 0
  %91 = mul i64 %90, 1099511628211
  %92 = add i64 %91, 0
  %93 = mul i64 %92, 1099511628211
  %94 = add i64 %93, 0
  %95 = mul i64 %94, 1099511628211
  %96 = add i64 %95, 0
  %97 = mul i64 %96, 1099511628211
  %98 = mul i64 %97, 1099511628211
  %99 = add i64 %98, 0
  %100 = select i1 false, double 1.000000e+00, double %45
  %101 = bitcast double %45 to i64
  %102 = mul i64 %99, 1099511628211
  %103 = add i64 %99, %101
  %104 = mul i64 %103, 1099511628211
  %105 = add i64 %104, 0
  %106 = mul i64 %105, 1099511628211
  %107 = add i64 %106, 0
  %108 = mul i64 %107, 1099511628211
  %109 = add i64 %108, 0
  %110 = getelementptr i8, ptr addrspace(1) %out.0, i64 %2
  store i64 %109, ptr addrspace(1) %110, align 8
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

declare i64 @llvm.fptoui.sat.i64.f32(float) #0

attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
