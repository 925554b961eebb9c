package ireval

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir/text"
)

func machine(t *testing.T, src string) *Machine {
	t.Helper()
	m, errs := text.Parse("test.ll", []byte(src))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	mc, err := New(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return mc
}

func TestCall(t *testing.T) {
	mc := machine(t, `
@tab = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define i32 @sum(i32 %n) {
entry:
  %p = alloca i32
  store i32 0, ptr %p
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %m = and i32 %i, 3
  %e = getelementptr [4 x i32], ptr @tab, i32 0, i32 %m
  %x = load i32, ptr %e
  %s = load i32, ptr %p
  %s2 = add i32 %s, %x
  store i32 %s2, ptr %p
  %next = add nuw i32 %i, 1
  %c = icmp ult i32 %next, %n
  br i1 %c, label %loop, label %done
done:
  %r = load i32, ptr %p
  %f = call i32 @fact(i32 %r)
  ret i32 %f
}
define i32 @fact(i32 %n) {
  %z = icmp eq i32 %n, 0
  br i1 %z, label %a, label %b
a:
  ret i32 1
b:
  %m = sub i32 %n, 1
  %r = call i32 @fact(i32 %m)
  %x = mul i32 %r, %n
  ret i32 %x
}
define i128 @wide(i128 %x, i65 %y) {
  %z = zext i65 %y to i128
  %p = mul i128 %x, %z
  %q = udiv i128 %p, 7
  %b = bitcast i128 %q to <16 x i8>
  %s = shufflevector <16 x i8> %b, <16 x i8> poison, <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  %r = bitcast <16 x i8> %s to i128
  %t = call i128 @llvm.bswap.i128(i128 %r)
  ret i128 %t
}
declare i128 @llvm.bswap.i128(i128)
define i32 @oob(i64 %i) {
  %e = getelementptr i32, ptr @tab, i64 %i
  %x = load i32, ptr %e
  ret i32 %x
}
`)
	r, err := mc.Call("sum", Value{Words: []uint64{4}, Taint: []uint8{0}})
	if err != nil || r.Words[0] != 3628800 {
		t.Errorf("%v %v", r, err)
	}
	r, err = mc.Call("wide", Value{Words: []uint64{14, 7}, Taint: []uint8{0, 0}}, Value{Words: []uint64{3, 1}, Taint: []uint8{0, 0}})
	if err != nil || r.Words[0] != 6 || r.Words[1] != 5 {
		t.Errorf("%v %v", r, err)
	}
	_, err = mc.Call("oob", Value{Words: []uint64{4}, Taint: []uint8{0}})
	if !ErrKind(err, UB) {
		t.Errorf("%v", err)
	}
	t.Log(err)
}
