"builtin.module"() ({
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, function_type = !llvm.func<void (f64, i32, vector<2xf64>)>, linkage = #llvm.linkage<external>, sym_name = "f", visibility_ = 0 : i64}> ({
  ^bb0(%a: f64, %i: i32, %v: vector<2xf64>):
    %0 = "llvm.intr.experimental.constrained.fptrunc"(%a) <{fpExceptionBehavior = 0 : i64, roundingmode = 0 : i64}> : (f64) -> f32
    %1 = "llvm.intr.experimental.constrained.fptrunc"(%v) <{fpExceptionBehavior = 2 : i64, roundingmode = 4 : i64}> : (vector<2xf64>) -> vector<2xf32>
    %2 = "llvm.intr.experimental.constrained.fpext"(%0) <{fpExceptionBehavior = 1 : i64}> : (f32) -> f64
    %3 = "llvm.intr.experimental.constrained.sitofp"(%i) <{fpExceptionBehavior = 0 : i64, roundingmode = 2 : i64}> : (i32) -> f32
    %4 = "llvm.intr.experimental.constrained.uitofp"(%i) <{fpExceptionBehavior = 0 : i64, roundingmode = 3 : i64}> : (i32) -> f32
    "llvm.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
