package prepare

import (
	"fmt"
	"strings"
	"testing"
)

// vectorPairs are bodies of functions on two vectors %x, %y of four i32 (and
// %f, %g of four floats) that compute %r: the expected code, and the same with
// intrinsics that the evaluator does not support.
var vectorPairs = []struct{ name, want, got string }{
	{"interleave", "%lo = shufflevector <4 x i32> %x, <4 x i32> %y, <4 x i32> <i32 0, i32 4, i32 1, i32 5>\n%hi = shufflevector <4 x i32> %x, <4 x i32> %y, <4 x i32> <i32 2, i32 6, i32 3, i32 7>\n%m = mul <4 x i32> %hi, splat (i32 3)\n%r = xor <4 x i32> %lo, %m",
		"%i = call <8 x i32> @llvm.vector.interleave2.v8i32(<4 x i32> %x, <4 x i32> %y)\n%lo = call <4 x i32> @llvm.vector.extract.v4i32.v8i32(<8 x i32> %i, i64 0)\n%hi = call <4 x i32> @llvm.vector.extract.v4i32.v8i32(<8 x i32> %i, i64 4)\n%m = mul <4 x i32> %hi, splat (i32 3)\n%r = xor <4 x i32> %lo, %m"},
	{"deinterleave", "%r = shufflevector <4 x i32> %x, <4 x i32> %x, <4 x i32> <i32 1, i32 3, i32 0, i32 2>",
		"%d = call {<2 x i32>, <2 x i32>} @llvm.vector.deinterleave2.v4i32(<4 x i32> %x)\n%e = extractvalue {<2 x i32>, <2 x i32>} %d, 0\n%o = extractvalue {<2 x i32>, <2 x i32>} %d, 1\n%r = shufflevector <2 x i32> %o, <2 x i32> %e, <4 x i32> <i32 0, i32 1, i32 2, i32 3>"},
	{"insert", "%r = shufflevector <4 x i32> %x, <4 x i32> %y, <4 x i32> <i32 0, i32 1, i32 4, i32 5>",
		"%p = shufflevector <4 x i32> %y, <4 x i32> poison, <2 x i32> <i32 0, i32 1>\n%r = call <4 x i32> @llvm.vector.insert.v4i32.v2i32(<4 x i32> %x, <2 x i32> %p, i64 2)"},
	{"left", "%r = shufflevector <4 x i32> %x, <4 x i32> %y, <4 x i32> <i32 1, i32 2, i32 3, i32 4>", "%r = call <4 x i32> @llvm.vector.splice.left.v4i32(<4 x i32> %x, <4 x i32> %y, i32 1)"},
	{"right", "%r = shufflevector <4 x i32> %x, <4 x i32> %y, <4 x i32> <i32 3, i32 4, i32 5, i32 6>", "%r = call <4 x i32> @llvm.vector.splice.right.v4i32(<4 x i32> %x, <4 x i32> %y, i32 1)"},
	{"step", "%r = add <4 x i32> %x, <i32 0, i32 1, i32 2, i32 3>", "%s = call <4 x i32> @llvm.stepvector.v4i32()\n%r = add <4 x i32> %x, %s"},
	{"lanes", "%b = extractelement <4 x i32> %x, i32 0\n%b1 = lshr i32 %b, 1\n%e = extractelement <4 x i32> %y, i32 0\n%bs = insertelement <4 x i32> poison, i32 %b1, i32 0\n%bv = shufflevector <4 x i32> %bs, <4 x i32> poison, <4 x i32> zeroinitializer\n%bi = add <4 x i32> %bv, <i32 0, i32 1, i32 2, i32 3>\n%es = insertelement <4 x i32> poison, i32 %e, i32 0\n%ev = shufflevector <4 x i32> %es, <4 x i32> poison, <4 x i32> zeroinitializer\n%c = icmp ult <4 x i32> %bi, %ev\n%r = select <4 x i1> %c, <4 x i32> %x, <4 x i32> %y",
		"%b = extractelement <4 x i32> %x, i32 0\n%b1 = lshr i32 %b, 1\n%e = extractelement <4 x i32> %y, i32 0\n%c = call <4 x i1> @llvm.get.active.lane.mask.v4i1.i32(i32 %b1, i32 %e)\n%r = select <4 x i1> %c, <4 x i32> %x, <4 x i32> %y"},
	{"partial", "%lo = shufflevector <4 x i32> %x, <4 x i32> %y, <2 x i32> <i32 0, i32 1>\n%hi = shufflevector <4 x i32> %x, <4 x i32> %y, <2 x i32> <i32 2, i32 3>\n%s = add <2 x i32> %lo, %hi\n%yl = shufflevector <4 x i32> %y, <4 x i32> %y, <2 x i32> <i32 0, i32 1>\n%t = add <2 x i32> %s, %yl\n%r = shufflevector <2 x i32> %t, <2 x i32> %t, <4 x i32> <i32 0, i32 1, i32 2, i32 3>",
		"%yl = shufflevector <4 x i32> %y, <4 x i32> %y, <2 x i32> <i32 0, i32 1>\n%t = call <2 x i32> @llvm.vector.partial.reduce.add.v2i32.v4i32(<2 x i32> %yl, <4 x i32> %x)\n%r = shufflevector <2 x i32> %t, <2 x i32> %t, <4 x i32> <i32 0, i32 1, i32 2, i32 3>"},
	{"fadd", "%e0 = extractelement <4 x float> %f, i32 0\n%e1 = extractelement <4 x float> %f, i32 1\n%e2 = extractelement <4 x float> %f, i32 2\n%e3 = extractelement <4 x float> %f, i32 3\n%s0 = fadd float 1.5, %e0\n%s1 = fadd float %s0, %e1\n%s2 = fadd float %s1, %e2\n%s3 = fadd float %s2, %e3\n%b = bitcast float %s3 to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2",
		"%s = call float @llvm.vector.reduce.fadd.v4f32(float 1.5, <4 x float> %f)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2"},
	{"overflow", "%a = add <4 x i32> %x, %y\n%c = icmp ult <4 x i32> %a, %x\n%z = zext <4 x i1> %c to <4 x i32>\n%r = xor <4 x i32> %a, %z",
		"%p = call {<4 x i32>, <4 x i1>} @llvm.uadd.with.overflow.v4i32(<4 x i32> %x, <4 x i32> %y)\n%a = extractvalue {<4 x i32>, <4 x i1>} %p, 0\n%c = extractvalue {<4 x i32>, <4 x i1>} %p, 1\n%z = zext <4 x i1> %c to <4 x i32>\n%r = xor <4 x i32> %a, %z"},
	{"gather", "%m = icmp slt <4 x i32> %x, %y\n%s = shufflevector <4 x i32> %x, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>\n%r = select <4 x i1> %m, <4 x i32> %s, <4 x i32> %y",
		slot + "%p = getelementptr i32, ptr addrspace(5) %s, <4 x i64> <i64 3, i64 2, i64 1, i64 0>\n%m = icmp slt <4 x i32> %x, %y\n%r = call <4 x i32> @llvm.masked.gather.v4i32.v4p5(<4 x ptr addrspace(5)> align 4 %p, <4 x i1> %m, <4 x i32> %y)"},
	{"scatter", "%m = icmp slt <4 x i32> %x, %y\n%v = shufflevector <4 x i32> %y, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>\n%k = shufflevector <4 x i1> %m, <4 x i1> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>\n%r = select <4 x i1> %k, <4 x i32> %v, <4 x i32> %x",
		slot + "%p = getelementptr i32, ptr addrspace(5) %s, <4 x i64> <i64 3, i64 2, i64 1, i64 0>\n%m = icmp slt <4 x i32> %x, %y\ncall void @llvm.masked.scatter.v4i32.v4p5(<4 x i32> %y, <4 x ptr addrspace(5)> align 4 %p, <4 x i1> %m)\n%r = load <4 x i32>, ptr addrspace(5) %s"},
	{"expand", expandWant + "%r = insertelement <4 x i32> %r2, i32 %v3, i32 3", slot + "%m = icmp slt <4 x i32> %x, %y\n%r = call <4 x i32> @llvm.masked.expandload.v4i32.p5(ptr addrspace(5) align 4 %s, <4 x i1> %m, <4 x i32> %y)"},
	{"known mask", "%r = shufflevector <4 x i32> %x, <4 x i32> %y, <4 x i32> <i32 0, i32 5, i32 2, i32 7>",
		slot + "%r = call <4 x i32> @llvm.masked.load.v4i32.p5(ptr addrspace(5) align 4 %s, <4 x i1> <i1 true, i1 false, i1 true, i1 false>, <4 x i32> %y)"},
	{"whole mask", "%r = add <4 x i32> %x, %y",
		slot + "%l = call <4 x i32> @llvm.masked.load.v4i32.p5(ptr addrspace(5) align 4 %s, <4 x i1> splat (i1 true), <4 x i32> poison)\n%n = call <4 x i32> @llvm.masked.load.v4i32.p5(ptr addrspace(5) align 4 %s, <4 x i1> zeroinitializer, <4 x i32> %y)\n%r = add <4 x i32> %l, %n"},
	{"ptrmask", "%e = extractelement <4 x i32> %x, i32 0\n%k = and i32 %e, -16\n%r = insertelement <4 x i32> %y, i32 %k, i32 0",
		"%e = extractelement <4 x i32> %x, i32 0\n%p = inttoptr i32 %e to ptr addrspace(3)\n%pm = call ptr addrspace(3) @llvm.ptrmask.p3.i32(ptr addrspace(3) %p, i32 -16)\n%k = ptrtoint ptr addrspace(3) %pm to i32\n%r = insertelement <4 x i32> %y, i32 %k, i32 0"},
	{"vp add", "%m = icmp slt <4 x i32> %x, %y\n%k = and <4 x i1> %m, <i1 true, i1 true, i1 true, i1 false>\n%a = add <4 x i32> %x, %y\n%r = select <4 x i1> %k, <4 x i32> %a, <4 x i32> %y",
		"%m = icmp slt <4 x i32> %x, %y\n%a = call <4 x i32> @llvm.vp.add.v4i32(<4 x i32> %x, <4 x i32> %y, <4 x i1> %m, i32 3)\n%r = call <4 x i32> @llvm.vp.merge.v4i32(<4 x i1> %m, <4 x i32> %a, <4 x i32> %y, i32 3)"},
	{"vp udiv", "%z = lshr <4 x i32> %y, splat (i32 30)\n%m = icmp ne <4 x i32> %z, zeroinitializer\n%d = select <4 x i1> %m, <4 x i32> %z, <4 x i32> splat (i32 1)\n%u = udiv <4 x i32> %x, %d\n%r = select <4 x i1> %m, <4 x i32> %u, <4 x i32> %y",
		"%z = lshr <4 x i32> %y, splat (i32 30)\n%m = call <4 x i1> @llvm.vp.icmp.v4i32(<4 x i32> %z, <4 x i32> zeroinitializer, metadata !\"ne\", <4 x i1> splat (i1 true), i32 4)\n%u = call <4 x i32> @llvm.vp.udiv.v4i32(<4 x i32> %x, <4 x i32> %z, <4 x i1> %m, i32 9)\n%r = call <4 x i32> @llvm.vp.select.v4i32(<4 x i1> %m, <4 x i32> %u, <4 x i32> %y, i32 4)"},
	{"vp functions", "%a = call <4 x i32> @llvm.abs.v4i32(<4 x i32> %x, i1 false)\n%t = trunc <4 x i32> %a to <4 x i16>\n%s = sext <4 x i16> %t to <4 x i32>\n%n = fneg <4 x float> %f\n%b = bitcast <4 x float> %n to <4 x i32>\n%r = xor <4 x i32> %s, %b",
		"%a = call <4 x i32> @llvm.vp.abs.v4i32(<4 x i32> %x, i1 false, <4 x i1> splat (i1 true), i32 4)\n%t = call <4 x i16> @llvm.vp.trunc.v4i16.v4i32(<4 x i32> %a, <4 x i1> splat (i1 true), i32 4)\n%s = call <4 x i32> @llvm.vp.sext.v4i32.v4i16(<4 x i16> %t, <4 x i1> splat (i1 true), i32 4)\n%n = call <4 x float> @llvm.vp.fneg.v4f32(<4 x float> %f, <4 x i1> splat (i1 true), i32 4)\n%b = bitcast <4 x float> %n to <4 x i32>\n%r = xor <4 x i32> %s, %b"},
	{"vp reduce", vpReduced("icmp slt <4 x i32> %x, %y", map[string]string{"add": "0", "mul": "1", "smax": "-2147483648", "umin": "-1"}),
		vpReducing("icmp slt <4 x i32> %x, %y", "add", "mul", "smax", "umin")},
	{"vp fadd", "%e0 = extractelement <4 x float> %f, i32 0\n%e2 = extractelement <4 x float> %f, i32 2\n%e3 = extractelement <4 x float> %f, i32 3\n%s0 = fadd float 1.5, %e0\n%s2 = fadd float %s0, %e2\n%s = fadd float %s2, %e3\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2", "%s = call float @llvm.vp.reduce.fadd.v4f32(float 1.5, <4 x float> %f, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, i32 4)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2"},
	{"vp fmul", "%e0 = extractelement <4 x float> %f, i32 0\n%e2 = extractelement <4 x float> %f, i32 2\n%e3 = extractelement <4 x float> %f, i32 3\n%s0 = fmul float 1.5, %e0\n%s2 = fmul float %s0, %e2\n%s = fmul float %s2, %e3\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2", "%s = call float @llvm.vp.reduce.fmul.v4f32(float 1.5, <4 x float> %f, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, i32 4)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2"},
	{"vp fmax", "%e0 = extractelement <4 x float> %f, i32 0\n%e2 = extractelement <4 x float> %f, i32 2\n%e3 = extractelement <4 x float> %f, i32 3\n%s0 = call float @llvm.maxnum.f32(float 1.5, float %e0)\n%s2 = call float @llvm.maxnum.f32(float %s0, float %e2)\n%s = call float @llvm.maxnum.f32(float %s2, float %e3)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2", "%s = call float @llvm.vp.reduce.fmax.v4f32(float 1.5, <4 x float> %f, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, i32 4)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2"},
	{"vp fmin", "%e0 = extractelement <4 x float> %f, i32 0\n%e2 = extractelement <4 x float> %f, i32 2\n%e3 = extractelement <4 x float> %f, i32 3\n%s0 = call float @llvm.minnum.f32(float 1.5, float %e0)\n%s2 = call float @llvm.minnum.f32(float %s0, float %e2)\n%s = call float @llvm.minnum.f32(float %s2, float %e3)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2", "%s = call float @llvm.vp.reduce.fmin.v4f32(float 1.5, <4 x float> %f, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, i32 4)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2"},
	{"vp fmaximum", "%e0 = extractelement <4 x float> %f, i32 0\n%e2 = extractelement <4 x float> %f, i32 2\n%e3 = extractelement <4 x float> %f, i32 3\n%s0 = call float @llvm.maximum.f32(float 1.5, float %e0)\n%s2 = call float @llvm.maximum.f32(float %s0, float %e2)\n%s = call float @llvm.maximum.f32(float %s2, float %e3)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2", "%s = call float @llvm.vp.reduce.fmaximum.v4f32(float 1.5, <4 x float> %f, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, i32 4)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2"},
	{"vp fminimum", "%e0 = extractelement <4 x float> %f, i32 0\n%e2 = extractelement <4 x float> %f, i32 2\n%e3 = extractelement <4 x float> %f, i32 3\n%s0 = call float @llvm.minimum.f32(float 1.5, float %e0)\n%s2 = call float @llvm.minimum.f32(float %s0, float %e2)\n%s = call float @llvm.minimum.f32(float %s2, float %e3)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2", "%s = call float @llvm.vp.reduce.fminimum.v4f32(float 1.5, <4 x float> %f, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, i32 4)\n%b = bitcast float %s to i32\n%r = insertelement <4 x i32> %y, i32 %b, i32 2"},
	{"vp memory", "%m = icmp slt <4 x i32> %x, %y\n%k = and <4 x i1> %m, <i1 true, i1 true, i1 false, i1 false>\n%l = select <4 x i1> %k, <4 x i32> %x, <4 x i32> %y\n%s = shufflevector <4 x i32> %l, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>\n%r = select <4 x i1> %m, <4 x i32> %s, <4 x i32> %y",
		slot + "%m = icmp slt <4 x i32> %x, %y\n%v = call <4 x i32> @llvm.vp.load.v4i32.p5(ptr addrspace(5) align 4 %s, <4 x i1> %m, i32 2)\n%l = call <4 x i32> @llvm.vp.merge.v4i32(<4 x i1> %m, <4 x i32> %v, <4 x i32> %y, i32 2)\ncall void @llvm.vp.store.v4i32.p5(<4 x i32> %l, ptr addrspace(5) align 4 %s, <4 x i1> splat (i1 true), i32 4)\n%p = getelementptr i32, ptr addrspace(5) %s, <4 x i64> <i64 3, i64 2, i64 1, i64 0>\n%g = call <4 x i32> @llvm.vp.gather.v4i32.v4p5(<4 x ptr addrspace(5)> align 4 %p, <4 x i1> %m, i32 4)\n%r = call <4 x i32> @llvm.vp.select.v4i32(<4 x i1> %m, <4 x i32> %g, <4 x i32> %y, i32 4)"},
}

// vpReducing reduces the elements of %x that a mask and a length of 3 select, for
// each kind and start value %y, and puts the results into %r.
func vpReducing(mask string, kinds ...string) string {
	text := "%m = " + mask + "\n%r0 = bitcast <4 x i32> %y to <4 x i32>\n"
	for i, k := range kinds {
		text += fmt.Sprintf("%%e%d = extractelement <4 x i32> %%y, i32 %[1]d\n%%s%[1]d = call i32 @llvm.vp.reduce.%[2]s.v4i32(i32 %%e%[1]d, <4 x i32> %%x, <4 x i1> %%m, i32 3)\n%%r%[3]d = insertelement <4 x i32> %%r%[1]d, i32 %%s%[1]d, i32 %[1]d\n", i, k, i+1)
	}
	return text + fmt.Sprintf("%%r = bitcast <4 x i32> %%r%d to <4 x i32>", len(kinds))
}

// vpReduced is vpReducing with plain operations on elements, given the neutral
// elements by kind.
func vpReduced(mask string, neutral map[string]string) string {
	text := "%m = " + mask + "\n%r0 = bitcast <4 x i32> %y to <4 x i32>\n"
	for i, k := range []string{"add", "mul", "smax", "umin"} {
		text += fmt.Sprintf("%%a%d_0 = extractelement <4 x i32> %%y, i32 %[1]d\n", i)
		for l := range 3 {
			text += fmt.Sprintf("%%x%d_%d = extractelement <4 x i32> %%x, i32 %[2]d\n%%m%[1]d_%[2]d = extractelement <4 x i1> %%m, i32 %[2]d\n%%v%[1]d_%[2]d = select i1 %%m%[1]d_%[2]d, i32 %%x%[1]d_%[2]d, i32 %[3]s\n", i, l, neutral[k])
			op := k + " i32 %%a%d_%d, %%v%[1]d_%[2]d"
			if k != "add" && k != "mul" {
				op = "call i32 @llvm." + k + ".i32(i32 %%a%d_%d, i32 %%v%[1]d_%[2]d)"
			}
			text += fmt.Sprintf("%%a%d_%d = "+strings.ReplaceAll(strings.ReplaceAll(op, "%[1]d", "%[3]d"), "%[2]d", "%[4]d"), i, l+1, i, l) + "\n"
		}
		text += fmt.Sprintf("%%r%d = insertelement <4 x i32> %%r%d, i32 %%a%[2]d_3, i32 %[2]d\n", i+1, i)
	}
	return text + "%r = bitcast <4 x i32> %r4 to <4 x i32>"
}

const slot = "%s = alloca <4 x i32>, addrspace(5)\nstore <4 x i32> %x, ptr addrspace(5) %s\n"

const expandWant = `%m = icmp slt <4 x i32> %x, %y
%m0 = extractelement <4 x i1> %m, i32 0
%m1 = extractelement <4 x i1> %m, i32 1
%m2 = extractelement <4 x i1> %m, i32 2
%m3 = extractelement <4 x i1> %m, i32 3
%i1 = zext i1 %m0 to i32
%z1 = zext i1 %m1 to i32
%i2 = add i32 %i1, %z1
%z2 = zext i1 %m2 to i32
%i3 = add i32 %i2, %z2
%x0 = extractelement <4 x i32> %x, i32 0
%x1 = extractelement <4 x i32> %x, i32 %i1
%x2 = extractelement <4 x i32> %x, i32 %i2
%x3 = extractelement <4 x i32> %x, i32 %i3
%y0 = extractelement <4 x i32> %y, i32 0
%y1 = extractelement <4 x i32> %y, i32 1
%y2 = extractelement <4 x i32> %y, i32 2
%y3 = extractelement <4 x i32> %y, i32 3
%v0 = select i1 %m0, i32 %x0, i32 %y0
%v1 = select i1 %m1, i32 %x1, i32 %y1
%v2 = select i1 %m2, i32 %x2, i32 %y2
%v3 = select i1 %m3, i32 %x3, i32 %y3
%r0 = insertelement <4 x i32> poison, i32 %v0, i32 0
%r1 = insertelement <4 x i32> %r0, i32 %v1, i32 1
%r2 = insertelement <4 x i32> %r1, i32 %v2, i32 2
`

const vectorDecls = `
declare <8 x i32> @llvm.vector.interleave2.v8i32(<4 x i32>, <4 x i32>)
declare <4 x i32> @llvm.vector.extract.v4i32.v8i32(<8 x i32>, i64)
declare {<2 x i32>, <2 x i32>} @llvm.vector.deinterleave2.v4i32(<4 x i32>)
declare <4 x i32> @llvm.vector.insert.v4i32.v2i32(<4 x i32>, <2 x i32>, i64)
declare <4 x i32> @llvm.vector.splice.left.v4i32(<4 x i32>, <4 x i32>, i32)
declare <4 x i32> @llvm.vector.splice.right.v4i32(<4 x i32>, <4 x i32>, i32)
declare <4 x i32> @llvm.stepvector.v4i32()
declare <4 x i1> @llvm.get.active.lane.mask.v4i1.i32(i32, i32)
declare <2 x i32> @llvm.vector.partial.reduce.add.v2i32.v4i32(<2 x i32>, <4 x i32>)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare {<4 x i32>, <4 x i1>} @llvm.uadd.with.overflow.v4i32(<4 x i32>, <4 x i32>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p5(<4 x ptr addrspace(5)>, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p5(<4 x i32>, <4 x ptr addrspace(5)>, <4 x i1>)
declare <4 x i32> @llvm.masked.expandload.v4i32.p5(ptr addrspace(5), <4 x i1>, <4 x i32>)
declare <4 x i32> @llvm.masked.load.v4i32.p5(ptr addrspace(5), <4 x i1>, <4 x i32>)
declare ptr addrspace(3) @llvm.ptrmask.p3.i32(ptr addrspace(3), i32)
declare <4 x i32> @llvm.vp.add.v4i32(<4 x i32>, <4 x i32>, <4 x i1>, i32)
declare <4 x i32> @llvm.vp.udiv.v4i32(<4 x i32>, <4 x i32>, <4 x i1>, i32)
declare <4 x i32> @llvm.vp.merge.v4i32(<4 x i1>, <4 x i32>, <4 x i32>, i32)
declare <4 x i32> @llvm.vp.select.v4i32(<4 x i1>, <4 x i32>, <4 x i32>, i32)
declare <4 x i1> @llvm.vp.icmp.v4i32(<4 x i32>, <4 x i32>, metadata, <4 x i1>, i32)
declare <4 x i32> @llvm.vp.abs.v4i32(<4 x i32>, i1, <4 x i1>, i32)
declare <4 x i16> @llvm.vp.trunc.v4i16.v4i32(<4 x i32>, <4 x i1>, i32)
declare <4 x i32> @llvm.vp.sext.v4i32.v4i16(<4 x i16>, <4 x i1>, i32)
declare <4 x float> @llvm.vp.fneg.v4f32(<4 x float>, <4 x i1>, i32)
declare i32 @llvm.vp.reduce.add.v4i32(i32, <4 x i32>, <4 x i1>, i32)
declare i32 @llvm.vp.reduce.mul.v4i32(i32, <4 x i32>, <4 x i1>, i32)
declare i32 @llvm.vp.reduce.smax.v4i32(i32, <4 x i32>, <4 x i1>, i32)
declare i32 @llvm.vp.reduce.umin.v4i32(i32, <4 x i32>, <4 x i1>, i32)
declare float @llvm.vp.reduce.fadd.v4f32(float, <4 x float>, <4 x i1>, i32)
declare float @llvm.vp.reduce.fmul.v4f32(float, <4 x float>, <4 x i1>, i32)
declare float @llvm.vp.reduce.fmax.v4f32(float, <4 x float>, <4 x i1>, i32)
declare float @llvm.vp.reduce.fmin.v4f32(float, <4 x float>, <4 x i1>, i32)
declare float @llvm.vp.reduce.fmaximum.v4f32(float, <4 x float>, <4 x i1>, i32)
declare float @llvm.vp.reduce.fminimum.v4f32(float, <4 x float>, <4 x i1>, i32)
declare <4 x i32> @llvm.vp.load.v4i32.p5(ptr addrspace(5), <4 x i1>, i32)
declare void @llvm.vp.store.v4i32.p5(<4 x i32>, ptr addrspace(5), <4 x i1>, i32)
declare <4 x i32> @llvm.vp.gather.v4i32.v4p5(<4 x ptr addrspace(5)>, <4 x i1>, i32)
`

// vectorDeclsBefore holds the declarations of intrinsics that the evaluator knows.
const vectorDeclsBefore = `
declare <4 x i32> @llvm.abs.v4i32(<4 x i32>, i1)
declare i32 @llvm.smax.i32(i32, i32)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.minnum.f32(float, float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.minimum.f32(float, float)
declare i32 @llvm.umin.i32(i32, i32)
`

// TestLegalVectors legalizes the vector intrinsics.
func TestLegalVectors(t *testing.T) {
	var want, got strings.Builder
	for _, p := range vectorPairs {
		head := "define i64 @" + strings.ReplaceAll(p.name, " ", "_") + `(i64 %w0, i64 %w1, i64 %w2, i64 %w3) {
%x0v = insertelement <2 x i64> poison, i64 %w0, i32 0
%x1v = insertelement <2 x i64> %x0v, i64 %w1, i32 1
%x = bitcast <2 x i64> %x1v to <4 x i32>
%y0v = insertelement <2 x i64> poison, i64 %w2, i32 0
%y1v = insertelement <2 x i64> %y0v, i64 %w3, i32 1
%y = bitcast <2 x i64> %y1v to <4 x i32>
%fi = ashr <4 x i32> %x, splat (i32 20)
%f = sitofp <4 x i32> %fi to <4 x float>
`
		tail := "\n%q = bitcast <4 x i32> %r to <2 x i64>\n%q0 = extractelement <2 x i64> %q, i32 0\n%q1 = extractelement <2 x i64> %q, i32 1\n%q2 = mul i64 %q1, 3\n%q3 = xor i64 %q0, %q2\nret i64 %q3\n}\n"
		want.WriteString(head + p.want + tail)
		got.WriteString(head + p.got + tail)
	}
	before := parse(t, "want.ll", gpuHead+vectorDeclsBefore+want.String())
	after := parse(t, "got.ll", gpuHead+vectorDecls+got.String())
	tgt := processor(t, "gfx90a")
	if err := runLegal(legalPasses, tgt, after); err != nil {
		t.Fatal(err)
	}
	if err := illegal(after, legalPasses, tgt); err != nil {
		t.Error(err)
	}
	sameCalls(t, before, after)
}
