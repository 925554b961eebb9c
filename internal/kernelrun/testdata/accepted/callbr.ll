; Inline assembly that jumps to blocks.
target triple = "amdgcn-amd-amdhsa"

; Uniform, in a divergent branch, with results that both destinations use.
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %arg) { ; 4 bytes
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %id, 512
  %in = getelementptr i8, ptr addrspace(1) %p, i32 %at
  %n = load i32, ptr addrspace(1) %in
  %low = and i32 %arg, 1
  %x = callbr i32 asm "s_add_u32 $0, $1, 5\0As_cmp_eq_u32 $2, 0\0As_cbranch_scc1 ${3:l}", "=&s,s,s,!i,~{scc}"(i32 %arg, i32 %low)
          to label %odd [label %even]
odd:
  %x1 = mul i32 %x, 3
  br label %next
even:
  %x2 = add i32 %x, %n
  br label %next
next:
  %v = phi i32 [ %x1, %odd ], [ %x2, %even ]
  store i32 %v, ptr addrspace(1) %in
  %some = icmp slt i32 %n, 0
  br i1 %some, label %inner, label %end
inner:
  %w = and i32 %arg, 2
  %y = callbr i32 asm sideeffect "v_xor_b32 $0, 7, $1\0As_cmp_eq_u32 $2, 0\0As_cbranch_scc1 ${3:l}\0As_cmp_eq_u32 $2, 2\0As_cbranch_scc1 ${4:l}\0A; $$", "=&v,v,s,!i,!i,~{scc}"(i32 %n, i32 %w)
          to label %neither [label %zero, label %two]
neither:
  br label %end
zero:
  br label %end
two:
  %y2 = add i32 %y, 1
  br label %end
end:
  %r = phi i32 [ 0, %next ], [ 1, %neither ], [ %y, %zero ], [ %y2, %two ]
  %out = getelementptr i8, ptr addrspace(1) %in, i32 4
  store i32 %r, ptr addrspace(1) %out
  ret void
}

; A loop whose latch is in assembly.
define amdgpu_kernel void @loop(ptr addrspace(1) %p, i32 %arg) { ; 4 bytes
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %at = mul i32 %id, 512
  %in = getelementptr i8, ptr addrspace(1) %p, i32 %at
  %count = and i32 %arg, 15
  br label %body
body:
  %i = phi i32 [ %count, %0 ], [ %j, %body ]
  %sum = phi i32 [ %id, %0 ], [ %more, %body ]
  %scaled = mul i32 %sum, 5
  %more = add i32 %scaled, %i
  %j = callbr i32 asm sideeffect "s_sub_u32 $0, $1, 1\0As_cbranch_scc0 ${2:l}", "=s,s,!i,~{scc}"(i32 %i)
          to label %done [label %body]
done:
  store i32 %more, ptr addrspace(1) %in
  ret void
}

declare i32 @llvm.amdgcn.workitem.id.x()
