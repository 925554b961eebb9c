; as LLVM 6 to 14 print it: typed pointers, attributes without types, old names
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5"
target triple = "amdgcn-amd-amdhsa"

%struct.S = type { i32, i8 addrspace(1)*, %struct.S* }
%struct.unused = type { i32 }
%fn = type void (i32, i8*)*

@g = internal addrspace(3) global [4 x i32] undef, align 4
@p = global i32* getelementptr inbounds ([4 x i32], [4 x i32]* addrspacecast ([4 x i32] addrspace(3)* @g to [4 x i32]*), i64 0, i64 1)
@fp = global void (i32, i8*)* @callee
@s = global %struct.S { i32 1, i8 addrspace(1)* null, %struct.S* @s }
@cast = global i8* bitcast (%struct.S* @s to i8*)
@a = alias i8, bitcast (%struct.S* @s to i8*)

define void @k(i32 addrspace(1)* nocapture %out, %struct.S* byval(%struct.S) %s, float addrspace(1)* readonly %in) #0 {
entry:
  %a = alloca %struct.S, align 8, addrspace(5)
  %b = bitcast %struct.S addrspace(5)* %a to i8 addrspace(5)*
  call void @llvm.lifetime.start.p5i8(i64 24, i8 addrspace(5)* nonnull %b) #1
  call void @llvm.memcpy.p5i8.p0i8.i64(i8 addrspace(5)* nonnull %b, i8* bitcast (%struct.S* @s to i8*), i64 24, i32 8, i1 false)
  call void @llvm.memset.p5i8.i64(i8 addrspace(5)* align 4 %b, i8 0, i64 4, i1 false)
  %id = tail call i32 @llvm.amdgcn.workitem.id.x() #1, !range !1
  %idx = sext i32 %id to i64
  %gep = getelementptr inbounds i32, i32 addrspace(1)* %out, i64 %idx
  %v = load i32, i32 addrspace(1)* %gep, align 4, !tbaa !2
  %f = getelementptr inbounds %struct.S, %struct.S* %s, i64 0, i32 0
  store i32 %v, i32* %f
  %fnp = load void (i32, i8*)*, void (i32, i8*)** @fp
  call void %fnp(i32 %v, i8* null)
  %c = call i32 (i8*, ...) @printf(i8* null, i32 %v)
  %x = call i32 @llvm.amdgcn.atomic.inc.i32.p1i32(i32 addrspace(1)* %out, i32 42, i32 2, i32 0, i1 false)
  call void @sret(%struct.S* sret(%struct.S) null, %struct.S* byval(%struct.S) align 4 %s)
  call void @llvm.lifetime.end.p5i8(i64 24, i8 addrspace(5)* nonnull %b) #1
  ret void
}

declare void @callee(i32, i8*)
declare i32 @printf(i8* nocapture readonly, ...)
declare void @sret(%struct.S* sret(%struct.S), %struct.S* byval(%struct.S))
declare void @llvm.lifetime.start.p5i8(i64, i8 addrspace(5)* nocapture) #2
declare void @llvm.lifetime.end.p5i8(i64, i8 addrspace(5)* nocapture) #2
declare void @llvm.memcpy.p5i8.p0i8.i64(i8 addrspace(5)* nocapture writeonly, i8* nocapture readonly, i64, i32, i1) #2
declare void @llvm.memset.p5i8.i64(i8 addrspace(5)* nocapture writeonly, i8, i64, i1) #2
declare i32 @llvm.amdgcn.workitem.id.x() #3
declare i32 @llvm.amdgcn.atomic.inc.i32.p1i32(i32 addrspace(1)* nocapture, i32, i32, i32, i1) #2

attributes #0 = { convergent nounwind "target-cpu"="gfx900" }
attributes #1 = { nounwind }
attributes #2 = { argmemonly nounwind }
attributes #3 = { nounwind readnone speculatable }

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"PIC Level", i32 2}
!1 = !{i32 0, i32 1024}
!2 = !{!"int", !3}
!3 = !{!"omnipotent char", !4}
!4 = !{!"Simple C/C++ TBAA"}
