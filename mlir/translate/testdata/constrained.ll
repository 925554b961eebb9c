; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

define void @f(double %0, i32 %1, <2 x double> %2) {
  %4 = call float @llvm.experimental.constrained.fptrunc.f32.f64(double %0, metadata !"round.towardzero", metadata !"fpexcept.ignore") #1
  %5 = call <2 x float> @llvm.experimental.constrained.fptrunc.v2f32.v2f64(<2 x double> %2, metadata !"round.tonearestaway", metadata !"fpexcept.strict") #1
  %6 = call double @llvm.experimental.constrained.fpext.f64.f32(float %4, metadata !"fpexcept.maytrap") #1
  %7 = call float @llvm.experimental.constrained.sitofp.f32.i32(i32 %1, metadata !"round.upward", metadata !"fpexcept.ignore") #1
  %8 = call float @llvm.experimental.constrained.uitofp.f32.i32(i32 %1, metadata !"round.downward", metadata !"fpexcept.ignore") #1
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite)
declare float @llvm.experimental.constrained.fptrunc.f32.f64(double, metadata, metadata) #0

; Function Attrs: nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite)
declare <2 x float> @llvm.experimental.constrained.fptrunc.v2f32.v2f64(<2 x double>, metadata, metadata) #0

; Function Attrs: nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite)
declare double @llvm.experimental.constrained.fpext.f64.f32(float, metadata) #0

; Function Attrs: nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite)
declare float @llvm.experimental.constrained.sitofp.f32.i32(i32, metadata, metadata) #0

; Function Attrs: nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite)
declare float @llvm.experimental.constrained.uitofp.f32.i32(i32, metadata, metadata) #0

attributes #0 = { nocallback nofree nosync nounwind strictfp willreturn memory(inaccessiblemem: readwrite) }
attributes #1 = { strictfp }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
