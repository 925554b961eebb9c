; Rare intrinsics. The module has no data layout.
; processors: gfx803 gfx900 gfx90a gfx1030 gfx1100 gfx1200 gfx1250
target triple = "amdgcn-amd-amdhsa"

@data = internal addrspace(4) constant [8 x i32] [i32 8, i32 20, i32 -4, i32 12, i32 111, i32 222, i32 333, i32 444]

define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(8) %rsrc) { ; 16 bytes
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %id, 512
  %in = getelementptr i8, ptr addrspace(1) %p, i32 %at
  %out = getelementptr i8, ptr addrspace(1) %in, i32 128
  %w = load i32, ptr addrspace(1) %in
  %l = load i64, ptr addrspace(1) %in

  ; exponents of 16 bits
  %small = and i32 %w, 15
  %less = sub i32 %small, 7
  %e = trunc i32 %less to i16
  %m = lshr i32 %w, 9
  %fb = or i32 %m, 1065353216
  %f = bitcast i32 %fb to float
  %pow = call float @llvm.powi.f32.i16(float %f, i16 %e)
  %pow2 = call float @llvm.powi.f32.i16(float %f, i16 5)
  %pow3 = fadd float %pow, %pow2
  %r0 = bitcast float %pow3 to i32
  %r1 = add i32 %r0, 128
  %r2 = lshr i32 %r1, 8
  store i32 %r2, ptr addrspace(1) %out

  ; masks of pointers
  %o1 = getelementptr i8, ptr addrspace(1) %out, i32 16
  %q1 = inttoptr i64 %l to ptr addrspace(1)
  %m1 = call ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1) %q1, i64 -4081)
  store ptr addrspace(1) %m1, ptr addrspace(1) %o1
  %o2 = getelementptr i8, ptr addrspace(1) %out, i32 24
  %q3 = inttoptr i32 %w to ptr addrspace(3)
  %m3 = call ptr addrspace(3) @llvm.ptrmask.p3.i32(ptr addrspace(3) %q3, i32 -32)
  store ptr addrspace(3) %m3, ptr addrspace(1) %o2
  %o3 = getelementptr i8, ptr addrspace(1) %out, i32 32
  %short = trunc i64 %l to i48
  %m8 = call ptr addrspace(8) @llvm.ptrmask.p8.i48(ptr addrspace(8) %rsrc, i48 %short)
  store ptr addrspace(8) %m8, ptr addrspace(1) %o3

  ; a table of offsets
  %o4 = getelementptr i8, ptr addrspace(1) %out, i32 48
  %k = and i32 %w, 3
  %off = mul i32 %k, 4
  %flat = addrspacecast ptr addrspace(4) @data to ptr
  %rel = call ptr @llvm.load.relative.i32(ptr %flat, i32 %off)
  %v = load i32, ptr %rel
  store i32 %v, ptr addrspace(1) %o4
  %o5 = getelementptr i8, ptr addrspace(1) %out, i32 52
  %off64 = zext i32 %off to i64
  %rel64 = call ptr @llvm.load.relative.i64(ptr %flat, i64 %off64)
  %v64 = load i32, ptr %rel64
  store i32 %v64, ptr addrspace(1) %o5

  ; types, exceptions
  %o6 = getelementptr i8, ptr addrspace(1) %out, i32 56
  %is = call i1 @llvm.type.test(ptr null, metadata !"a")
  %type = call i32 @llvm.eh.typeid.for.p0(ptr null)
  %set = call i32 @llvm.eh.sjlj.setjmp(ptr null)
  %is32 = zext i1 %is to i32
  %sum0 = shl i32 %is32, 8
  %sum1 = shl i32 %type, 4
  %sum2 = add i32 %sum0, %sum1
  %sum = add i32 %sum2, %set
  store i32 %sum, ptr addrspace(1) %o6
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
declare float @llvm.powi.f32.i16(float, i16)
declare ptr addrspace(1) @llvm.ptrmask.p1.i64(ptr addrspace(1), i64)
declare ptr addrspace(3) @llvm.ptrmask.p3.i32(ptr addrspace(3), i32)
declare ptr addrspace(8) @llvm.ptrmask.p8.i48(ptr addrspace(8), i48)
declare ptr @llvm.load.relative.i32(ptr, i32)
declare ptr @llvm.load.relative.i64(ptr, i64)
declare i1 @llvm.type.test(ptr, metadata)
declare i32 @llvm.eh.typeid.for.p0(ptr)
declare i32 @llvm.eh.sjlj.setjmp(ptr)
