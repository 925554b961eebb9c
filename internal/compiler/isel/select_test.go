package isel_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/isel"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// selectCase is the body of a kernel, with the strings that the selected
// machine IR must contain and must not contain. White space is collapsed, and
// registers are replaced by R.
type selectCase struct {
	name, cpu, attrs, body string
	want, not              []string
}

// selectBegin starts all kernels: %x, %y and %w are divergent, %z is uniform,
// %l is an LDS address.
const selectBegin = `define amdgpu_kernel void @k() $A {
  %k = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %p = load ptr addrspace(1), ptr addrspace(4) %k
  %z = load i32, ptr addrspace(4) %k
  %l = load ptr addrspace(3), ptr addrspace(4) %k
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %px = getelementptr i32, ptr addrspace(1) %p, i32 %id
  %x = load volatile i32, ptr addrspace(1) %px
  %y = load volatile i32, ptr addrspace(1) %px
  %w = load volatile i32, ptr addrspace(1) %px
  $B
  ret void
}
`

const selectMetadata = `!0 = !{i32 64, i32 4, i32 1}
!1 = !{i32 32, i32 4, i32 1}
!2 = !{!"flat_scratch_lo"}
!3 = !{!"flat_scratch_hi"}
@ext = external addrspace(1) global i32
`

const storeR = "\n  store volatile i32 %r, ptr addrspace(1) %p"

var selectCases = []selectCase{
	{name: "barrier of a single wave", cpu: "gfx900", attrs: `"amdgpu-flat-work-group-size"="1,64"`, body: "call void @llvm.amdgcn.s.barrier()",
		want: []string{"p_fence"}, not: []string{"s_barrier"}},
	{name: "barrier of two waves", cpu: "gfx1100", attrs: `"amdgpu-flat-work-group-size"="1,64"`, body: "call void @llvm.amdgcn.s.barrier()",
		want: []string{"s_barrier"}},
	{name: "barrier of any number of waves", cpu: "gfx900", body: "call void @llvm.amdgcn.s.barrier()", want: []string{"s_barrier"}},
	{name: "selection between a condition and false", cpu: "gfx950", body: `%a = icmp sgt i32 %x, 7
  %b = icmp sgt i32 %y, %z
  %c = select i1 %a, i1 %b, i1 false
  %r = zext i1 %c to i32` + storeR, want: []string{"s_and_b64 R, R"}, not: []string{"s_or_b64", "s_and_not1_b64"}},
	{name: "selection between true and a condition", cpu: "gfx950", body: `%a = icmp sgt i32 %x, 7
  %b = icmp sgt i32 %y, %z
  %c = select i1 %a, i1 true, i1 %b
  %r = zext i1 %c to i32` + storeR, want: []string{"s_or_b64 R, R"}, not: []string{"s_and_b64", "s_and_not1_b64"}},
	{name: "selection between false and a condition", cpu: "gfx1100", body: `%a = icmp sgt i32 %x, 7
  %b = icmp sgt i32 %y, %z
  %c = select i1 %a, i1 false, i1 %b
  %r = zext i1 %c to i32` + storeR, want: []string{"s_and_not1_b32 R, R"}, not: []string{"s_or_b32", "s_and_b32"}},
	{name: "selection between a condition and true", cpu: "gfx1100", body: `%a = icmp sgt i32 %x, 7
  %b = icmp sgt i32 %y, %z
  %c = select i1 %a, i1 %b, i1 true
  %r = zext i1 %c to i32` + storeR, want: []string{"s_or_not1_b32 R, R"}, not: []string{"s_and_not1_b32", "s_and_b32"}},
	{name: "upper half of a signed product", cpu: "gfx900", body: `%a = sext i32 %x to i64
  %b = sext i32 %y to i64
  %m = mul i64 %a, %b
  %h = lshr i64 %m, 32
  %r = trunc i64 %h to i32` + storeR, want: []string{"v_mul_hi_i32"}, not: []string{"v_mul_lo_u32", "v_mul_hi_u32"}},
	{name: "signed product", cpu: "gfx900", body: `%a = sext i32 %x to i64
  %m = mul i64 %a, -5
  store volatile i64 %m, ptr addrspace(1) %p`, want: []string{"v_mad_co_i64_i32 R, -5, 0"}, not: []string{"v_mul_lo_u32", "v_mul_hi"}},
	{name: "signed product without an instruction for it", cpu: "gfx600", body: `%a = sext i32 %x to i64
  %m = mul i64 %a, -5
  store volatile i64 %m, ptr addrspace(1) %p`, want: []string{"v_mul_lo_u32", "v_mul_hi_i32"}},
	{name: "signed scalar product", cpu: "gfx900", body: `%a = sext i32 %z to i64
  %m = mul i64 %a, -5
  store volatile i64 %m, ptr addrspace(1) %p`, want: []string{"s_mul_i32", "s_mul_hi_i32"}, not: []string{"s_mul_hi_u32"}},
	{name: "flat address of a private variable", cpu: "gfx900", body: `%v = alloca [64 x i32], addrspace(5)
  %e = getelementptr [64 x i32], ptr addrspace(5) %v, i32 0, i32 %id
  %q = addrspacecast ptr addrspace(5) %e to ptr
  store volatile ptr %q, ptr addrspace(1) %p`, not: []string{"v_cndmask", "v_cmp"}},
	{name: "flat address in an LDS variable", cpu: "gfx900", body: `%e = getelementptr inbounds i32, ptr addrspace(3) null, i32 %id
  %q = addrspacecast ptr addrspace(3) %e to ptr
  store volatile ptr %q, ptr addrspace(1) %p`, not: []string{"v_cndmask", "v_cmp"}},
	{name: "flat address of an unknown address in LDS", cpu: "gfx900", body: `%e = getelementptr i32, ptr addrspace(3) %l, i32 %id
  %q = addrspacecast ptr addrspace(3) %e to ptr
  store volatile ptr %q, ptr addrspace(1) %p`, want: []string{"v_cmp_ne_u32", "v_cndmask_b32"}},
	{name: "constant buffer offset too large to encode", cpu: "gfx900", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %r = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %b, i32 5000, i32 0, i32 0)` + storeR, want: []string{"v_mov_b32 4096", ", 904"}},
	{name: "negative offset of a buffer", cpu: "gfx900", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %r = call i32 @llvm.amdgcn.raw.buffer.load.i32(<4 x i32> %b, i32 -8, i32 0, i32 0)` + storeR, want: []string{"v_mov_b32 -8"}},
	{name: "offset of a scalar buffer load", cpu: "gfx900", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %r = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %b, i32 20, i32 0)` + storeR, want: []string{"s_buffer_load_b32 R, none, 20"}},
	{name: "large offset of a scalar buffer load", cpu: "gfx900", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %r = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %b, i32 2097152, i32 0)` + storeR, want: []string{"s_mov_b32 0x200000", "s_buffer_load_b32 R, R, 0"}},
	{name: "sum as the offset of a scalar buffer load", cpu: "gfx900", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %o = add i32 %z, 40
  %r = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %b, i32 %o, i32 0)` + storeR, want: []string{"s_buffer_load_b32 R, R, 40"}},
	{name: "offset too large for gfx7", cpu: "gfx700", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %r = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %b, i32 18, i32 0)` + storeR, want: []string{"s_mov_b32 18", "s_buffer_load_b32 R, R, 0"}},
	{name: "offset too large for gfx6", cpu: "gfx600", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %r = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %b, i32 1024, i32 0)` + storeR, want: []string{"s_mov_b32 1024", "s_buffer_load_b32 R, R, 0"}},
	{name: "offset that gfx12 can encode", cpu: "gfx1200", body: `%b = load <4 x i32>, ptr addrspace(4) %k
  %r = call i32 @llvm.amdgcn.s.buffer.load.i32(<4 x i32> %b, i32 4194304, i32 0)` + storeR, want: []string{"s_buffer_load_b32 R, none, 0x400000"}},
	{name: "value and lane in two scalar registers", cpu: "gfx900", body: `%n = load volatile i32, ptr addrspace(4) %k
  %v = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)
  %r = call i32 @llvm.amdgcn.writelane.i32(i32 %v, i32 %z, i32 %y)` + storeR, want: []string{"m0 = s_mov_b32 R", "v_writelane_b32 R, m0, R"}},
	{name: "value and lane in two parts of a scalar register", cpu: "gfx900", body: `%v = load <2 x i32>, ptr addrspace(4) %k
  %a = extractelement <2 x i32> %v, i32 0
  %b = extractelement <2 x i32> %v, i32 1
  %r = call i32 @llvm.amdgcn.writelane.i32(i32 %a, i32 %b, i32 %y)` + storeR, want: []string{"v_writelane_b32 R, m0, R"}},
	{name: "vector of which only the second half is defined", cpu: "gfx900", body: `%h = trunc i32 %x to i16
  %v = insertelement <2 x i16> poison, i16 %h, i32 1
  %r = bitcast <2 x i16> %v to i32` + storeR, want: []string{"v_lshlrev_b32 16, R"}, not: []string{"p_undef"}},
	{name: "phi before a whole wave region", cpu: "gfx900", body: `%c = icmp eq i32 %z, 0
  br i1 %c, label %a, label %b
a:
  br label %e
b:
  br label %e
e:
  %i = phi i32 [ 1, %a ], [ 2, %b ]
  %s = call i32 @llvm.amdgcn.set.inactive.i32(i32 %x, i32 %i)
  %r = call i32 @llvm.amdgcn.strict.wwm.i32(i32 %s)` + storeR, want: []string{"= p_phi"}},
	{name: "bit field in scalar registers", cpu: "gfx900", body: `%r = call i32 @llvm.amdgcn.sbfe.i32(i32 %z, i32 3, i32 7)` + storeR, want: []string{"s_bfe_i32 R, 0x70003"}},
	{name: "bit field of variable width in scalar registers", cpu: "gfx900", body: `%r = call i32 @llvm.amdgcn.ubfe.i32(i32 %z, i32 3, i32 %z)` + storeR,
		want: []string{"s_lshl_b32 R, 16", "s_and_b32 R, 0x1f0000", "s_bfe_u32 R, R"}},
	{name: "equality of buffer resources", cpu: "gfx900", body: `%b = load ptr addrspace(8), ptr addrspace(4) %k
  %c = load volatile ptr addrspace(8), ptr addrspace(1) %p
  %d = icmp ne ptr addrspace(8) %b, %c
  %r = zext i1 %d to i32` + storeR, want: []string{"v_cmp_ne_u64", "s_or_b64"}},
	{name: "element past the end", cpu: "gfx900", body: `%v = load <2 x i16>, ptr addrspace(1) %px
  %e = extractelement <2 x i16> %v, i32 2
  %r = zext i16 %e to i32` + storeR, want: []string{"p_undef"}},
	{name: "element of a loaded vector that is replaced", cpu: "gfx900", body: `%v = load <4 x i16>, ptr addrspace(1) %px
  %h = trunc i32 %x to i16
  %ww = insertelement <4 x i16> %v, i16 %h, i32 1
  store volatile <4 x i16> %ww, ptr addrspace(1) %p`, want: []string{"v_lshl_or_b32"}},
	{name: "dword of a loaded vector that is replaced", cpu: "gfx900", body: `%v = load <4 x i32>, ptr addrspace(1) %px
  %ww = insertelement <4 x i32> %v, i32 %x, i32 1
  store volatile <4 x i32> %ww, ptr addrspace(1) %p`, want: []string{"p_vector R, R, R, R"}},
	{name: "vector of which one dword is defined", cpu: "gfx900", body: `%ww = insertelement <4 x i32> poison, i32 %x, i32 1
  store volatile <4 x i32> %ww, ptr addrspace(1) %p`, want: []string{"p_undef", "p_vector R, R, R, R"}},
	{name: "upper half of a vector that is defined", cpu: "gfx900", body: `%h = trunc i32 %x to i16
  %ww = insertelement <4 x i16> poison, i16 %h, i32 1
  store volatile <4 x i16> %ww, ptr addrspace(1) %p`, want: []string{"v_lshlrev_b32 16, R", "p_undef"}},
	{name: "barriers with a known address", cpu: "gfx1200", body: `call void @llvm.amdgcn.s.barrier.init(ptr addrspace(3) inttoptr (i32 16 to ptr addrspace(3)), i32 12)
  call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) inttoptr (i32 16 to ptr addrspace(3)), i32 %z)
  %a = call i32 @llvm.amdgcn.s.get.named.barrier.state(ptr addrspace(3) inttoptr (i32 16 to ptr addrspace(3)))
  %b = call i32 @llvm.amdgcn.s.get.barrier.state(i32 3)
  %r = add i32 %a, %b` + storeR, want: []string{"0xc0001", "s_barrier_init", "s_lshl_b32 R, 16", "s_or_b32 R, 1", "s_barrier_signal", "s_get_barrier_state 3"}},
	{name: "barrier of a known number of waves", cpu: "gfx1200", body: `call void @llvm.amdgcn.s.barrier.signal.var(ptr addrspace(3) %l, i32 3)`,
		want: []string{"s_lshr_b32 R, 4", "s_and_b32 R, 63", "s_or_b32 R, 0x30000", "s_barrier_signal"}},
	{name: "state of a barrier of a negative number", cpu: "gfx1200", body: `%r = call i32 @llvm.amdgcn.s.get.barrier.state(i32 -3)` + storeR, want: []string{"s_get_barrier_state -3"}},
	{name: "offset of an index that may wrap", cpu: "gfx900", body: `%a = add i32 %x, 4
  %b = sext i32 %a to i64
  %c = getelementptr i32, ptr addrspace(1) %p, i64 %b
  %r = load i32, ptr addrspace(1) %c` + storeR, want: []string{"v_add_nc_u32 4, R"}, not: []string{"none, 16"}},
	{name: "offset of an index that does not wrap", cpu: "gfx900", body: `%a = add nsw i32 %x, 4
  %b = sext i32 %a to i64
  %c = getelementptr i32, ptr addrspace(1) %p, i64 %b
  %r = load i32, ptr addrspace(1) %c` + storeR, want: []string{"none, 16 mem(4,4,1,load)"}, not: []string{"v_add"}},
	{name: "scalar load at the largest offset", cpu: "gfx900", body: `%q = getelementptr i8, ptr addrspace(4) %k, i64 1048568
  %r = load i32, ptr addrspace(4) %q` + storeR, want: []string{"s_load_b32 R, none, 0xffff8"}},
	{name: "scalar load past the largest offset", cpu: "gfx900", body: `%q = getelementptr i8, ptr addrspace(4) %k, i64 1048576
  %r = load i32, ptr addrspace(4) %q` + storeR, want: []string{"0x100000", "s_add_co_ci_u32"}, not: []string{"none, 0x100000"}},
	{name: "scalar load at a negative offset", cpu: "gfx900", body: `%q = getelementptr i8, ptr addrspace(4) %k, i64 -8
  %r = load i32, ptr addrspace(4) %q` + storeR, want: []string{"s_add_co_ci_u32"}, not: []string{"none, -8"}},
	{name: "packed minimum", cpu: "gfx900", body: `%a = bitcast i32 %x to <2 x i16>
  %b = bitcast i32 %y to <2 x i16>
  %c = call <2 x i16> @llvm.smin.v2i16(<2 x i16> %a, <2 x i16> %b)
  %r = bitcast <2 x i16> %c to i32` + storeR, want: []string{"v_pk_min_i16 R, R op_sel_hi(0,1)"}},
	{name: "counter in the global data share", cpu: "gfx900", body: `%g = inttoptr i32 %z to ptr addrspace(2)
  %r = call i32 @llvm.amdgcn.ds.append.p2(ptr addrspace(2) %g, i1 false)` + storeR, want: []string{"ds_append 0, m0 gds"}},
	{name: "counter in LDS", cpu: "gfx900", body: `%r = call i32 @llvm.amdgcn.ds.append.p3(ptr addrspace(3) %l, i1 false)` + storeR, want: []string{"ds_append 0, m0 mem"}},
	{name: "global wave sync of a known resource", cpu: "gfx900", body: `call void @llvm.amdgcn.ds.gws.barrier(i32 %z, i32 7)`, want: []string{"m0 = s_mov_b32 0 ds_gws_barrier R, 7, m0 gds"}},
	{name: "global wave sync of a computed resource", cpu: "gfx900", body: `call void @llvm.amdgcn.ds.gws.barrier(i32 %z, i32 %z)`, want: []string{"s_lshl_b32 R, 16 m0 = s_mov_b32 R ds_gws_barrier R, 0, m0 gds"}},
	{name: "wave in the work-group", cpu: "gfx1200", body: `%r = call i32 @llvm.amdgcn.wave.id()` + storeR, want: []string{"s_bfe_u32 ttmp8, 0x50019"}},
	{name: "uniform bit field", cpu: "gfx900", body: `%r = call i32 @llvm.amdgcn.ubfe.i32(i32 %z, i32 %z, i32 %z)` + storeR, want: []string{"s_and_b32 R, 31", "s_lshl_b32 R, 16", "s_and_b32 R, 0x1f0000", "s_bfe_u32 R, R"}},
	{name: "halves of the address of flat scratch", cpu: "gfx900", body: `%a = call i32 @llvm.read_register.i32(metadata !2)
  %b = call i32 @llvm.read_register.i32(metadata !3)
  %r = sub i32 %a, %b` + storeR, want: []string{"R = s_mov_b32 s102 R = s_mov_b32 s103"}},
	{name: "address from the global offset table", cpu: "gfx900", body: `store volatile i32 %y, ptr addrspace(1) @ext`, want: []string{"s_load_b64 R, none, 0 mem(8,8,4,load,invariant) R = v_mov_b32 0 global_store_b32"}},
	{name: "nontemporal access", cpu: "gfx900", body: `%r = load i32, ptr addrspace(1) %p, !nontemporal !{i32 1}` + storeR, want: []string{"mem(4,4,1,load,nontemporal)"}},
	{name: "byte swap", cpu: "gfx900", body: `%a = shl i32 %x, 24
  %b0 = shl i32 %x, 8
  %b = and i32 %b0, 16711680
  %c0 = lshr i32 %x, 8
  %c = and i32 %c0, 65280
  %d = lshr i32 %x, 24
  %ab = or i32 %a, %b
  %cd = or i32 %c, %d
  %r = or i32 %ab, %cd` + storeR, want: []string{"s_mov_b32 0x10203 R = v_perm_b32 0, R, R"}, not: []string{"v_lsh", "v_or", "v_and"}},
	{name: "bytes of two values", cpu: "gfx900", body: `%a = and i32 %x, 255
  %b = shl i32 %a, 24
  %c = lshr i32 %y, 8
  %r = or i32 %b, %c` + storeR, want: []string{"s_mov_b32 0x4030201 R = v_perm_b32 R, R, R"}, not: []string{"v_lsh", "v_or", "v_and"}},
	{name: "bytes of three values: of two of them", cpu: "gfx900", body: `%a = shl i32 %x, 24
  %b0 = and i32 %y, 255
  %b = shl i32 %b0, 8
  %c = and i32 %w, 255
  %ab = or i32 %a, %b
  %r = or i32 %ab, %c` + storeR, want: []string{"s_mov_b32 0x40c000c R = v_perm_b32 R, R, R", "v_and_or_b32 R, R, R"}},
	{name: "unaligned bytes", cpu: "gfx900", body: `%a = shl i32 %x, 24
  %b0 = and i32 %x, 127
  %b = shl i32 %b0, 8
  %c = lshr i32 %x, 24
  %ab = or i32 %a, %b
  %r = or i32 %ab, %c` + storeR, not: []string{"v_perm"}},
	{name: "swapped bytes", cpu: "gfx900", body: `%a = shl i32 %x, 8
  %b0 = and i32 %x, 65280
  %b = lshr i32 %y, 24
  %ab = or i32 %a, %b0
  %r = or i32 %ab, %b` + storeR, not: []string{"v_perm"}},
	{name: "bytes with other uses", cpu: "gfx900", body: `%a = and i32 %x, 255
  %b = shl i32 %a, 24
  %c = lshr i32 %y, 8
  store volatile i32 %b, ptr addrspace(1) %p
  %r = or i32 %b, %c` + storeR, not: []string{"v_perm"}},
	{name: "bytes of small integers, and zero", cpu: "gfx900", body: `%i = load volatile i8, ptr addrspace(1) %px
  %j = load volatile i8, ptr addrspace(1) %px
  %a = zext i8 %i to i32
  %b0 = zext i8 %j to i32
  %b = shl i32 %b0, 16
  %r = or i32 %a, %b` + storeR, want: []string{"s_mov_b32 0xc040c00 R = v_perm_b32 R, R, R"}},
	{name: "upper half of a product", cpu: "gfx900", body: `%a = zext i32 %x to i64
  %b = zext i32 %y to i64
  %m = mul i64 %a, %b
  %h = lshr i64 %m, 32
  %r = trunc i64 %h to i32` + storeR, want: []string{"v_mul_hi_u32 R, R"}, not: []string{"v_mad_co_u64", "v_mul_lo"}},
	{name: "both halves of a product", cpu: "gfx900", body: `%a = zext i32 %x to i64
  %b = zext i32 %y to i64
  %m = mul i64 %a, %b
  %h = lshr i64 %m, 32
  %g = xor i64 %h, %m
  %r = trunc i64 %g to i32` + storeR, want: []string{"v_mad_co_u64_u32 R, R, 0"}, not: []string{"v_mul_hi"}},
	{name: "product minus part of its lower half", cpu: "gfx900", body: `%a = zext i32 %x to i64
  %b = zext i32 %y to i64
  %m = mul i64 %a, %b
  %h = lshr i64 %m, 31
  %r = trunc i64 %h to i32` + storeR, want: []string{"v_mad_co_u64_u32 R, R, 0"}, not: []string{"v_mul_hi"}},
	{name: "product with a number that ends in 1", cpu: "gfx900", body: `%q = load volatile i64, ptr addrspace(1) %px
  %m = mul i64 %q, 30064771073
  store volatile i64 %m, ptr addrspace(1) %p`, want: []string{"v_mul_lo_u32 R, 7", "v_add_nc_u32"}, not: []string{"v_mad_co_u64"}},
	{name: "product with 2**32+1", cpu: "gfx900", body: `%q = load volatile i64, ptr addrspace(1) %px
  %m = mul i64 %q, 4294967297
  store volatile i64 %m, ptr addrspace(1) %p`, want: []string{"v_add_nc_u32"}, not: []string{"v_mad_co_u64", "v_mul"}},
	{name: "literal that the encoding does not support", cpu: "gfx900", body: `%f = bitcast i32 %x to float
  %g = bitcast i32 %y to float
  %m = call float @llvm.fma.f32(float %f, float 0x40091EB860000000, float %g)
  store volatile float %m, ptr addrspace(1) %p`, want: []string{"s_mov_b32 0x4048f5c3", "v_fma_f32"}, not: []string{"v_mov_b32 0x4048f5c3"}},
	{name: "literal and a scalar register where only one is allowed", cpu: "gfx900", body: `%f = bitcast i32 %x to float
  %g = bitcast i32 %z to float
  %m = call float @llvm.fma.f32(float %g, float 0x40091EB860000000, float %f)
  store volatile float %m, ptr addrspace(1) %p`, want: []string{"v_mov_b32 0x4048f5c3", "v_fma_f32"}},
	{name: "product of 24 bits in an address", cpu: "gfx900", body: `%i = and i32 %x, 65535
  %q = getelementptr [3 x i32], ptr addrspace(3) %l, i32 %i
  store volatile i32 %y, ptr addrspace(3) %q`, want: []string{"v_mad_u32_u24 R, 12, R"}, not: []string{"v_mul_lo"}},
	{name: "product of more bits in an address", cpu: "gfx900", body: `%q = getelementptr [3 x i32], ptr addrspace(3) %l, i32 %x
  store volatile i32 %y, ptr addrspace(3) %q`, want: []string{"v_mul_lo_u32"}, not: []string{"u24"}},
	{name: "offset that is a product of 24 bits", cpu: "gfx900", body: `%i = and i32 %x, 65535
  %i64 = zext i32 %i to i64
  %q = getelementptr [3 x i32], ptr addrspace(1) %p, i64 %i64
  store volatile i32 %y, ptr addrspace(1) %q`, want: []string{"v_mul_u32_u24 12, R"}, not: []string{"v_mul_lo"}},
	{name: "address in the LDS for two other blocks", cpu: "gfx900", body: `%q0 = getelementptr i8, ptr addrspace(3) %l, i32 %x
  %q = getelementptr [9 x i32], ptr addrspace(3) %q0, i32 %y
  %c = icmp eq i32 %x, %y
  br i1 %c, label %a, label %b
a:
  store volatile i32 %y, ptr addrspace(3) %q
  br label %e
b:
  %q1 = getelementptr i8, ptr addrspace(3) %q, i32 8
  store volatile i32 %x, ptr addrspace(3) %q1
  br label %e
e:`, want: []string{"ds_store_b32 R, 8, R"}, not: []string{"v_mul_lo_u32 *2"}},
	{name: "second work-group ID without the third", cpu: "gfx1200", body: `%r = call i32 @llvm.amdgcn.workgroup.id.y()` + storeR,
		want: []string{"p_copy ttmp7"}, not: []string{"s_and_b32"}},
	{name: "second and third work-group ID", cpu: "gfx1200", body: `%a = call i32 @llvm.amdgcn.workgroup.id.y()
  %b = call i32 @llvm.amdgcn.workgroup.id.z()
  %r = sub i32 %a, %b` + storeR, want: []string{"s_and_b32 R, 0xffff", "s_lshr_b32 R, 16"}},
	{name: "fields of the cluster's registers", cpu: "gfx1250", body: `%a = call i32 @llvm.amdgcn.cluster.workgroup.id.x()
  %b = call i32 @llvm.amdgcn.cluster.workgroup.id.y()
  %c = call i32 @llvm.amdgcn.cluster.id.y()
  %d = sub i32 %a, %b
  %r = sub i32 %d, %c` + storeR, want: []string{"s_and_b32 ttmp6, 15", "s_bfe_u32 ttmp6, 0x40004", "p_copy ttmp7"}},
	{name: "scalar loads of 8 and 16 bits", cpu: "gfx1200", body: `%q = getelementptr i8, ptr addrspace(4) %k, i32 6
  %a = load i16, ptr addrspace(4) %q, align 2
  %b = load i8, ptr addrspace(4) %q
  %c = zext i16 %a to i32
  %d = zext i8 %b to i32
  %r = sub i32 %c, %d` + storeR, want: []string{"s_load_u16 R, none, 6", "s_load_u8 R, none, 6"}, not: []string{"s_and_b32", "s_load_b32 *2"}},
	{name: "sign-extending scalar loads", cpu: "gfx1200", body: `%q = getelementptr i8, ptr addrspace(4) %k, i32 6
  %a = load i16, ptr addrspace(4) %q, align 2
  %b = load i8, ptr addrspace(4) %q
  %c = sext i16 %a to i32
  %d = sext i8 %b to i32
  %r = sub i32 %c, %d` + storeR, want: []string{"s_load_i16 R, none, 6", "s_load_i8 R, none, 6"}, not: []string{"s_sext"}},
	{name: "scalar load of 16 bits that is extended in both ways", cpu: "gfx1200", body: `%a = load i16, ptr addrspace(4) %k, align 2
  %c = sext i16 %a to i32
  %d = zext i16 %a to i32
  %r = sub i32 %c, %d` + storeR, want: []string{"s_load_u16", "s_sext_i32_i16"}, not: []string{"s_and_b32"}},
	{name: "scalar load at an address that is computed", cpu: "gfx1200", body: `%q = getelementptr i8, ptr addrspace(4) %k, i32 %z
  %b = load i8, ptr addrspace(4) %q
  %r = zext i8 %b to i32` + storeR, want: []string{"s_load_u8"}, not: []string{"global_load_u8"}},
	{name: "load of 16 bits without alignment", cpu: "gfx1200", body: `%q = getelementptr i8, ptr addrspace(4) %k, i32 %z
  %a = load i16, ptr addrspace(4) %q, align 1
  %r = zext i16 %a to i32` + storeR, not: []string{"s_load_u16"}},
	{name: "bit of a scalar", cpu: "gfx900", body: `%b = and i32 %z, 1048576
  %c = icmp eq i32 %b, 0
  %r = select i1 %c, i32 %x, i32 %y` + storeR, want: []string{"s_bitcmp0_b32 R, 20", "s_cselect_b64 -1, 0"}, not: []string{"s_and_b32", "s_cmp"}},
	{name: "high bit of a scalar of 64 bits", cpu: "gfx900", body: `%q = load i64, ptr addrspace(4) %k
  %b = and i64 %q, 4398046511104
  %c = icmp ne i64 %b, 0
  %r = select i1 %c, i32 %x, i32 %y` + storeR, want: []string{"s_bitcmp1_b32 R, 10"}, not: []string{"s_and_b64", "s_cmp"}},
	{name: "bits of a scalar that another instruction uses", cpu: "gfx900", body: `%b = and i32 %z, 1048576
  %c = icmp eq i32 %b, 0
  %r = select i1 %c, i32 %b, i32 7` + storeR, want: []string{"s_cmp_eq_u32"}, not: []string{"s_bitcmp"}},
	{name: "several bits of a scalar", cpu: "gfx900", body: `%b = and i32 %z, 3
  %c = icmp eq i32 %b, 0
  %r = select i1 %c, i32 %x, i32 7` + storeR, want: []string{"s_cmp_eq_u32"}, not: []string{"s_bitcmp"}},
	{name: "field of a scalar", cpu: "gfx900", body: `%b = lshr i32 %z, 14
  %r = and i32 %b, 16383` + storeR, want: []string{"s_bfe_u32 R, 0xe000e"}, not: []string{"s_lshr_b32", "s_and_b32"}},
	{name: "field of a vector register", cpu: "gfx900", body: `%b = lshr i32 %x, 14
  %r = and i32 %b, 16383` + storeR, want: []string{"v_bfe_u32 R, 14, 14"}, not: []string{"v_lshrrev_b32", "v_and_b32"}},
	{name: "mask with a gap", cpu: "gfx900", body: `%b = lshr i32 %x, 14
  %r = and i32 %b, 16381` + storeR, want: []string{"v_lshrrev_b32", "v_and_b32"}, not: []string{"v_bfe_u32"}},
	{name: "mask of more bits than remain", cpu: "gfx900", body: `%b = lshr i32 %x, 14
  %r = and i32 %b, 524287` + storeR, not: []string{"v_bfe_u32"}},
	{name: "scalar condition of two selections", cpu: "gfx900", body: `%c = icmp eq i32 %z, 0
  %s = select i1 %c, i32 %x, i32 %y
  %t = select i1 %c, i32 %y, i32 %w
  %r = sub i32 %s, %t` + storeR, want: []string{"s_cselect_b64 -1, 0"}, not: []string{"s_cselect_b64 *2"}},
	{name: "highest element of a dword", cpu: "gfx900", body: `%q = load <2 x i16>, ptr addrspace(4) %k
  %e = extractelement <2 x i16> %q, i32 1
  %r = zext i16 %e to i32` + storeR, want: []string{"s_lshr_b32 R, 16"}, not: []string{"s_and_b32"}},
	{name: "truncation of bits that are known", cpu: "gfx900", body: `%q = lshr i32 %z, 16
  %e = trunc i32 %q to i16
  %r = zext i16 %e to i32` + storeR, want: []string{"s_lshr_b32 R, 16"}, not: []string{"s_and_b32"}},
	{name: "truncation of a known sign", cpu: "gfx900", body: `%q = ashr i32 %x, 16
  %e = trunc i32 %q to i16
  %r = sext i16 %e to i32` + storeR, want: []string{"v_ashrrev_i32 16"}, not: []string{"v_bfe_i32"}},
	{name: "truncation of a frozen value", cpu: "gfx900", body: `%o = add nuw i32 %z, 65536
  %q = lshr exact i32 %o, 16
  %g = freeze i32 %q
  %e = trunc i32 %g to i16
  %r = zext i16 %e to i32` + storeR, want: []string{"s_and_b32"}},
	{name: "truncation of other bits", cpu: "gfx900", body: `%q = lshr i32 %z, 15
  %e = trunc i32 %q to i16
  %r = zext i16 %e to i32` + storeR, want: []string{"s_and_b32"}},
	{name: "sum of two scalars and a vector register", cpu: "gfx900", body: `%s = mul i32 %z, %z
  %t = add i32 %x, %z
  %r = add i32 %t, %s` + storeR, want: []string{"s_add_co_i32", "v_add_nc_u32"}, not: []string{"v_add3_u32"}},
	{name: "sum of two scalars and a vector register in one instruction", cpu: "gfx1030", body: `%s = mul i32 %z, %z
  %t = add i32 %x, %z
  %r = add i32 %t, %s` + storeR, want: []string{"v_add3_u32"}, not: []string{"s_add_co_i32"}},
	{name: "exclusive or of two scalars and a vector register", cpu: "gfx803", body: `%s = mul i32 %z, %z
  %t = xor i32 %x, %z
  %r = xor i32 %s, %t` + storeR, want: []string{"s_xor_b32", "v_xor_b32"}, not: []string{"v_xor_b32 *2"}},
	{name: "sum of a scalar and two vector registers", cpu: "gfx900", body: `%t = add i32 %x, %y
  %r = add i32 %t, %z` + storeR, want: []string{"v_add3_u32"}, not: []string{"s_add_co_i32"}},
	{name: "lower element of a dword", cpu: "gfx900", body: `%q = load <4 x i8>, ptr addrspace(4) %k
  %e = extractelement <4 x i8> %q, i32 2
  %r = zext i8 %e to i32` + storeR, want: []string{"s_and_b32"}},
	{name: "condition or false", cpu: "gfx900", body: `%c = icmp eq i32 %x, %y
  %d = icmp eq i32 %x, %w
  %s = select i1 %c, i1 %d, i1 false
  %r = zext i1 %s to i32` + storeR, want: []string{"s_and_b64"}, not: []string{"s_and_not1_b64", "s_or_b64"}},
	{name: "true or condition", cpu: "gfx900", body: `%c = icmp eq i32 %x, %y
  %d = icmp eq i32 %x, %w
  %s = select i1 %c, i1 true, i1 %d
  %r = zext i1 %s to i32` + storeR, want: []string{"s_or_b64"}, not: []string{"s_and_not1_b64", "s_and_b64"}},
	{name: "condition or true", cpu: "gfx900", body: `%c = icmp eq i32 %x, %y
  %d = icmp eq i32 %x, %w
  %s = select i1 %c, i1 %d, i1 true
  %r = zext i1 %s to i32` + storeR, want: []string{"s_or_not1_b64"}, not: []string{"s_and_not1_b64", "s_and_b64"}},
	{name: "false or condition", cpu: "gfx900", body: `%c = icmp eq i32 %x, %y
  %d = icmp eq i32 %x, %w
  %s = select i1 %c, i1 false, i1 %d
  %r = zext i1 %s to i32` + storeR, want: []string{"s_and_not1_b64"}, not: []string{"s_or_b64", "s_and_b64"}},
	{name: "work-item IDs of whole waves", cpu: "gfx900", attrs: `!reqd_work_group_size !0`, body: `%r = call i32 @llvm.amdgcn.workitem.id.y()` + storeR,
		want: []string{"v_readfirstlane_b32"}},
	{name: "work-item IDs of parts of waves", cpu: "gfx900", attrs: `!reqd_work_group_size !1`, body: `%r = call i32 @llvm.amdgcn.workitem.id.y()` + storeR,
		not: []string{"v_readfirstlane_b32"}},
}

// TestSelect selects small kernels.
func TestSelect(t *testing.T) {
	for i := range selectCases {
		c := &selectCases[i]
		code := selected(t, c)
		got := strings.Join(strings.Fields(registers.ReplaceAllString(code, "R")), " ")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", c.name, want, code)
			}
		}
		for _, not := range c.not {
			if not, twice := strings.CutSuffix(not, " *2"); strings.Contains(got, not) && (!twice || strings.Count(got, not) > 1) {
				t.Errorf("%s: %q is in\n%s", c.name, not, code)
			}
		}
	}
}

var registers = regexp.MustCompile(`%\d+(:\w+)?(\[[0-9:]+\])?`)

// selected returns the machine IR of a case.
func selected(t *testing.T, c *selectCase) string {
	t.Helper()
	src := header + strings.NewReplacer("$A", c.attrs, "$B", c.body).Replace(selectBegin) + selectMetadata
	mod, errs := text.Parse("x.ll", []byte(src))
	if len(errs) > 0 {
		t.Fatalf("%s: %v", c.name, errs)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	set, _ := isa.SetOf(tgt.Processor)
	f, out := mod.Function("k"), mir.NewFunc("k", mir.MachineOf(set, tgt.WaveSize()))
	var s isel.Selector
	if err := s.Select(f, isel.Env{Target: tgt, Entry: abi.Analyze(mod, tgt).Entry(f)}, out); err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	if errs := out.Verify(mir.StageSelected); len(errs) > 0 {
		t.Fatalf("%s: %v", c.name, errs[0])
	}
	return string(out.AppendText(nil))
}
