package ireval

import (
	"strings"
	"testing"
)

// TestErrors runs functions that fail.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		want string
		body string
	}{
		{UB, "division by zero", "%x = udiv i32 1, %z\n ret i32 %x"},
		{UB, "division overflow", "%x = sdiv i8 -128, -1\n %y = zext i8 %x to i32\n ret i32 %y"},
		{UB, "division by poison", "%p = shl i32 1, 32\n %x = udiv i32 1, %p\n ret i32 %x"},
		{UB, "branch on poison", "%p = add nuw i8 255, 1\n %c = icmp eq i8 %p, 0\n br i1 %c, label %a, label %a\na:\n ret i32 0"},
		{UB, "switch on poison", "switch i32 poison, label %a []\na:\n ret i32 0"},
		{UB, "unreachable", "unreachable"},
		{UB, "not in an object", "%p = alloca i32\n %q = getelementptr i32, ptr %p, i32 1\n %x = load i32, ptr %q\n ret i32 %x"},
		{UB, "outside the memory", "%x = load i32, ptr null\n ret i32 %x"},
		{UB, "not aligned", "%p = alloca [8 x i8], align 4\n %q = getelementptr i8, ptr %p, i32 2\n store i32 0, ptr %q, align 4\n ret i32 0"},
		{UB, "not aligned to 8", "%p = alloca i64, align 4\n store i64 0, ptr %p, align 8\n ret i32 0"},
		{UB, "constant or dead", "store i32 0, ptr @const\n ret i32 0"},
		{UB, "not in an object", "%p = call ptr @dangling()\n %x = load i32, ptr %p\n ret i32 %x"},
		{UB, "noundef", "%x = call i32 @id(i32 poison)\n ret i32 %x"},
		{UB, "assume", "call void @llvm.assume(i1 false)\n ret i32 0"},
		{UB, "different function type", "%x = call i32 @id(i64 1)\n ret i32 %x"},
		{UB, "which is not a function", "%x = call i32 null()\n ret i32 %x"},
		{UB, "overlap", "%p = alloca i64\n store i64 0, ptr %p\n %q = getelementptr i8, ptr %p, i32 1\n" +
			"call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr %q, i64 4, i1 false)\n ret i32 0"},
		{Trap, "trap", "call void @llvm.trap()\n ret i32 0"},
		{Budget, "steps", "br label %a\na:\n br label %a"},
		{Budget, "call depth", "%x = call i32 @forever()\n ret i32 %x"},
		{Unsupported, "only declared", "%x = call i32 @other()\n ret i32 %x"},
		{Unsupported, "inline assembly", "call void asm \"nop\", \"\"()\n ret i32 0"},
	} {
		mc := machine(t, `
@const = constant i32 1
define i32 @id(i32 noundef %x) {
  ret i32 %x
}
define ptr @dangling() {
  %p = alloca i32
  store i32 0, ptr %p
  ret ptr %p
}
define i32 @forever() {
  %x = call i32 @forever()
  ret i32 %x
}
declare void @llvm.assume(i1)
declare void @llvm.trap()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @other()
define i32 @f(i32 %z) {
`+c.body+"\n}\n")
		mc.steps = 100000
		_, err := mc.Call("f", Value{Words: []uint64{0}, Taint: []uint8{0}})
		if err == nil || !ErrKind(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot %v, want %v with %q", c.body, err, c.kind, c.want)
		}
	}
}

// TestPoison runs functions with marked results, and functions whose results
// are unmarked although intermediate values are marked.
func TestPoison(t *testing.T) {
	for _, c := range []struct {
		body  string
		taint uint8
		want  uint64
	}{
		{"%x = add nsw i32 2147483647, 1\n ret i32 %x", poison, 0},
		{"%p = alloca i32\n %x = load i32, ptr %p\n ret i32 %x", undef, 0},
		{"%x = select i1 true, i32 5, i32 poison\n ret i32 %x", 0, 5},
		{"%x = freeze i32 poison\n %y = sub i32 %x, %x\n ret i32 %y", 0, 0},
		{"%x = insertelement <2 x i32> poison, i32 7, i32 1\n %y = extractelement <2 x i32> %x, i32 1\n ret i32 %y", 0, 7},
		{"%x = insertelement <2 x i32> poison, i32 7, i32 1\n %y = extractelement <2 x i32> %x, i32 0\n ret i32 %y", poison, 0},
		{"%x = lshr exact i32 3, 1\n ret i32 %x", poison, 0},
		{"%x = or disjoint i32 3, 1\n ret i32 %x", poison, 0},
		{"%x = trunc nuw i32 300 to i8\n %y = zext i8 %x to i32\n ret i32 %y", poison, 0},
		{"%x = fptosi float 0x47EFFFFFE0000000 to i32\n ret i32 %x", poison, 0},
		{"%x = fadd nnan float 0x7FF8000000000000, 1.0\n %y = bitcast float %x to i32\n ret i32 %y", poison, 0},
		{"%p = alloca i32\n store i32 poison, ptr %p\n store i16 1, ptr %p\n %x = load i16, ptr %p\n %y = zext i16 %x to i32\n ret i32 %y", 0, 1},
		{"%p = alloca i32\n store i32 poison, ptr %p\n store i16 1, ptr %p\n %x = load i32, ptr %p\n ret i32 %x", poison, 0},
	} {
		r, err := machine(t, "define i32 @f() {\n"+c.body+"\n}\n").Call("f")
		if err != nil || r.Taint[0] != c.taint || c.taint == 0 && r.Words[0] != c.want {
			t.Errorf("%s\ngot %v, %v", c.body, r, err)
		}
	}
}

// TestConvergence checks which lanes execute an operation together.
func TestConvergence(t *testing.T) {
	mc := machine(t, `
target datalayout = "e-p3:32:32-p5:32:32-A5"
target triple = "amdgcn-amd-amdhsa"
declare i32 @llvm.amdgcn.workitem.id.x()
declare i64 @llvm.amdgcn.ballot.i64(i1)
declare void @llvm.amdgcn.s.barrier()
@lds = internal addrspace(3) global [8 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %low = icmp ult i32 %id, 3
  br i1 %low, label %then, label %join
then:
  %a = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  br label %join
join:
  %b = phi i64 [ %a, %then ], [ 0, %entry ]
  br label %loop
loop:
  %i = phi i32 [ 0, %join ], [ %i2, %loop ]
  %sum = phi i64 [ 0, %join ], [ %sum2, %loop ]
  %c = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %sum1 = mul i64 %sum, 256
  %sum2 = add i64 %sum1, %c
  %i2 = add i32 %i, 1
  %more = icmp ule i32 %i2, %id
  br i1 %more, label %loop, label %done
done:
  %d = call i64 @llvm.amdgcn.ballot.i64(i1 true)
  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %id
  store i32 %id, ptr addrspace(3) %p
  call void @llvm.amdgcn.s.barrier()
  %rev = sub i32 3, %id
  %q = getelementptr i32, ptr addrspace(3) @lds, i32 %rev
  %e = load i32, ptr addrspace(3) %q
  %e64 = zext i32 %e to i64
  %o = mul i32 %id, 32
  %o0 = getelementptr i8, ptr addrspace(1) %out, i32 %o
  store i64 %b, ptr addrspace(1) %o0
  %o1 = getelementptr i8, ptr addrspace(1) %o0, i32 8
  store i64 %sum2, ptr addrspace(1) %o1
  %o2 = getelementptr i8, ptr addrspace(1) %o0, i32 16
  store i64 %d, ptr addrspace(1) %o2
  %o3 = getelementptr i8, ptr addrspace(1) %o0, i32 24
  store i64 %e64, ptr addrspace(1) %o3
  ret void
}
`)
	out, _ := mc.Alloc(128, 16)
	var b [8]byte
	for i := range b {
		b[i] = byte(out >> (8 * i))
	}
	d := &Dispatch{Kernel: "k", Dims: 1, Grid: [3]uint32{4, 1, 1}, Group: [3]uint16{4, 1, 1}, Args: []KernelArg{{Data: b[:]}}}
	if err := mc.Dispatch(d); err != nil {
		t.Fatal(err)
	}
	want := [4][4]uint64{{7, 0xf, 0xf, 3}, {7, 0xf0e, 0xf, 2}, {7, 0xf0e0c, 0xf, 1}, {0, 0xf0e0c08, 0xf, 0}}
	data := mc.Bytes(out, 128)
	for i := range 4 {
		for j := range 4 {
			x := uint64(0)
			for k := range 8 {
				x |= uint64(data[32*i+8*j+k]) << (8 * k)
			}
			if x != want[i][j] {
				t.Errorf("lane %d, word %d: got %#x, want %#x", i, j, x, want[i][j])
			}
		}
	}
}
