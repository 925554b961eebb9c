package prepare

import (
	"strings"
	"testing"
)

// illegalBodies lists unsupported instructions and the results of LegalErrors
// for gfx900. The function has parameters %i of i32, %l of i64, %b of i1, %f of
// float, %h of half, %v of <4 x i32>, %p of ptr and %s of i16.
var illegalBodies = []struct{ body, want string }{
	{"%x = add i16 %s, 1", "add of i16"},
	{"%x = add i1 %b, true", "add of i1"},
	{"%x = add <4 x i32> %v, %v", "add of <4 x i32>"},
	{"%x = udiv i32 %i, 3", "udiv of i32"},
	{"%x = icmp eq i16 %s, 1", "icmp of i16"},
	{"%x = icmp ult ptr addrspace(8) null, null", "icmp of ptr addrspace(8)"},
	{"%x = fdiv float %f, %f", "fdiv of float"},
	{"%x = zext i32 %i to i48", "zext from i32 to i48"},
	{"%x = trunc i64 %l to i24", "trunc from i64 to i24"},
	{"%x = fptosi float %f to i64", "fptosi from float to i64"},
	{"%x = fptosi float %f to i8", "fptosi from float to i8"},
	{"%x = inttoptr i32 %i to ptr", "inttoptr between ptr and i32"},
	{"%x = inttoptr i64 7 to ptr addrspace(8)", "inttoptr between ptr addrspace(8) and i64"},
	{"%x = bitcast i32 %i to <4 x i8>", "bitcast from i32 to <4 x i8>"},
	{"%x = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 1>", "shufflevector of <2 x i32>"},
	{"%x = insertvalue {i32, i32} poison, i32 %i, 0\n%y = extractvalue {i32, i32} %x, 0", "extractvalue of a value that is not a call result"},
	{"%x = select <4 x i1> zeroinitializer, <4 x i32> %v, <4 x i32> %v", "select with a vector condition"},
	{"%x = load i24, ptr %p, align 4", "load of i24"},
	{"%x = load {i32, i32}, ptr %p, align 4", "load of { i32, i32 }"},
	{"store i1 %b, ptr %p, align 4", "store of i1"},
	{"%x = load <8 x i32>, ptr %p, align 4", "load of 32 bytes"},
	{"%x = getelementptr i8, ptr %p, i16 %s", "getelementptr with an index of i16"},
	{"%x = call i32 @llvm.fshl.i32(i32 %i, i32 %i, i32 %i)", "llvm.fshl of i32"},
	{"%x = call i64 @llvm.umin.i64(i64 %l, i64 %l)", "llvm.umin of i64"},
	{"%x = call {i32, i1} @llvm.uadd.with.overflow.i32(i32 %i, i32 %i)", "llvm.uadd.with.overflow of i32"},
	{"%x = call <4 x i32> @llvm.umin.v4i32(<4 x i32> %v, <4 x i32> %v)", "llvm.umin of <4 x i32>"},
	{"%x = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %v)", "llvm.vector.reduce.add"},
	{"call void @llvm.assume(i1 %b)", "llvm.assume"},
	{"%x = call float @llvm.sin.f32(float %f)", "llvm.sin of float"},
	{"%x = fadd <4 x float> zeroinitializer, zeroinitializer", "fadd of <4 x float>"},
	{"%x = fadd bfloat zeroinitializer, zeroinitializer", "fadd of bfloat"},
	{"%x = fdiv <2 x float> zeroinitializer, zeroinitializer", "fdiv of <2 x float>"},
	{"%x = fcmp oeq <2 x float> zeroinitializer, zeroinitializer", "fcmp of <2 x float>"},
	{"%x = fcmp oeq bfloat zeroinitializer, zeroinitializer", "fcmp of bfloat"},
	{"%x = freeze <4 x i32> %v", "freeze of <4 x i32>"},
	{"%x = freeze i24 7", "freeze of i24"},
	{"%x = addrspacecast <2 x ptr> zeroinitializer to <2 x ptr addrspace(1)>", "addrspacecast of <2 x ptr addrspace(1)>"},
	{"%x = uitofp i64 %l to float", "uitofp from i64 to float"},
	{"%x = uitofp i16 %s to float", "uitofp from i16 to float"},
	{"%x = fpext bfloat zeroinitializer to float", "fpext from bfloat to float"},
	{"%x = getelementptr i8, <2 x ptr> zeroinitializer, i32 %i", "getelementptr of <2 x ptr>"},
	{"%x = extractelement <4 x i16> zeroinitializer, i32 %i", "extractelement with a variable index"},
	{"%x = insertelement <64 x i32> zeroinitializer, i32 1, i32 %i", "insertelement with a variable index"},
	{"%x = atomicrmw add ptr %p, i16 1 monotonic", "atomicrmw of i16"},
	{"%x = alloca i32, i32 %i, addrspace(5)", "alloca outside of the frame"},
	{"call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %p, i64 %l, i1 false)", "llvm.memcpy"},
	{"switch i32 %i, label %end [ i32 1, label %end ]", "switch"},
}

const illegalHead = `
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i64 @llvm.umin.i64(i64, i64)
declare {i32, i1} @llvm.uadd.with.overflow.i32(i32, i32)
declare <4 x i32> @llvm.umin.v4i32(<4 x i32>, <4 x i32>)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare void @llvm.assume(i1)
declare float @llvm.sin.f32(float)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @f(i32 %i, i64 %l, i1 %b, float %f, half %h, <4 x i32> %v, ptr %p, i16 %s) {
entry:
`

// TestLegalErrors checks the error for each unsupported instruction, and that
// supported instructions have none.
func TestLegalErrors(t *testing.T) {
	tgt := processor(t, "gfx900")
	for _, c := range []struct{ head, want string }{
		{"define { i32, i24 } @f() {", "result with an element of type i24"}, {"define i128 @f() {", "result of type i128"}, {"define void @f(i24 %x) {", "parameter of type i24"},
	} {
		if errs := LegalErrors(parse(t, "legal.ll", gpuHead+c.head+"\nunreachable\n}\n"), tgt); len(errs) == 0 || !strings.Contains(errs[0].Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.head, errs, c.want)
		}
	}
	check := func(body string) []error {
		if !strings.HasPrefix(body, "switch") {
			body += "\nbr label %end"
		}
		return LegalErrors(parse(t, "legal.ll", gpuHead+illegalHead+body+"\nend:\nret void\n}\n"), tgt)
	}
	for _, c := range illegalBodies {
		errs := check(c.body)
		if len(errs) == 0 {
			t.Errorf("no error for %s", c.body)
			continue
		}
		if got := errs[0].Error(); !strings.Contains(got, "function 'f': "+c.want) {
			t.Errorf("%s: %s, expected %s", c.body, got, c.want)
		}
	}
	for _, body := range []string{
		"%x = add i32 %i, %i", "%x = load <4 x half>, ptr %p, align 8", "%x = zext i16 %s to i32", "%x = bitcast i64 %l to <2 x i32>",
		"%x = load <2 x half>, ptr %p, align 4\n%y = fadd <2 x half> %x, %x", "%x = trunc i32 %i to i1", "%x = fneg half %h",
	} {
		if errs := check(body); len(errs) > 0 {
			t.Errorf("%s: %v", body, errs[0])
		}
	}
	errs := LegalErrors(parse(t, "sig.ll", gpuHead+"define [2 x i32] @g({i8, i8} %x, <2 x i8> %y, i24 %z) {\nret [2 x i32] zeroinitializer\n}\n"), tgt)
	if len(errs) != 4 {
		t.Errorf("signature: %v", errs)
	}
}
