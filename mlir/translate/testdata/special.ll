; ModuleID = 'LLVMDialectModule'
source_filename = "LLVMDialectModule"

define void @f(i32 %0, ptr %1, <4 x i1> %2, <4 x float> %3, <4 x ptr> %4) {
  %6 = call i64 @__ockl_get_local_size(i32 0)
  %7 = call i64 @__ockl_get_num_groups(i32 1)
  %8 = trunc nuw nsw i64 %7 to i32
  %9 = call range(i32 0, 64) i32 @llvm.amdgcn.workitem.id.x()
  %10 = call range(i64 1, 64) i64 @__ockl_get_local_size(i32 0)
  %11 = trunc nuw nsw i64 %10 to i32
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %12 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 8 %1, <4 x i1> %2, <4 x float> %3), !nontemporal !1
  %13 = call <4 x float> @llvm.masked.load.v4f32.p0(ptr align 8 %1, <4 x i1> %2, <4 x float> poison)
  call void @llvm.masked.store.v4f32.p0(<4 x float> %3, ptr align 8 %1, <4 x i1> %2)
  %14 = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 8 %4, <4 x i1> %2, <4 x float> poison)
  call void @llvm.masked.scatter.v4f32.v4p0(<4 x float> %3, <4 x ptr> align 8 %4, <4 x i1> %2)
  ret void
}

declare i64 @__ockl_get_local_size(i32)

declare i64 @__ockl_get_num_groups(i32)

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #0

; Function Attrs: convergent nocallback nofree nounwind willreturn
declare void @llvm.amdgcn.s.barrier() #1

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <4 x float> @llvm.masked.load.v4f32.p0(ptr captures(none), <4 x i1>, <4 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v4f32.p0(<4 x float>, ptr captures(none), <4 x i1>) #3

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(read)
declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, <4 x i1>, <4 x float>) #4

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(write)
declare void @llvm.masked.scatter.v4f32.v4p0(<4 x float>, <4 x ptr>, <4 x i1>) #5

attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { convergent nocallback nofree nounwind willreturn }
attributes #2 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #3 = { nocallback nofree nosync nounwind willreturn memory(argmem: write) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(read) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(write) }

!llvm.module.flags = !{!0}

!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{i32 1}
