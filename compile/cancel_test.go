//go:build unix

package compile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/ir/bitcode"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// longBlock returns a kernel with one block of 5 n instructions.
func longBlock(n int) string {
	var b strings.Builder
	b.WriteString(amdhsa + "define amdgpu_kernel void @long(ptr addrspace(1) %p) {\n  %x0 = load i32, ptr addrspace(1) %p\n")
	for i := range n {
		fmt.Fprintf(&b, "  %%a%d = getelementptr i32, ptr addrspace(1) %%p, i32 %%x%d\n  %%b%d = load i32, ptr addrspace(1) %%a%d\n", i, i, i, i)
		fmt.Fprintf(&b, "  %%c%d = mul i32 %%b%d, %%x%d\n  %%x%d = add i32 %%c%d, %d\n  store i32 %%c%d, ptr addrspace(1) %%a%d\n", i, i, i/2, i+1, i, i, i, i)
	}
	b.WriteString("  ret void\n}\n")
	return b.String()
}

// manyLoops returns a kernel with n loops.
func manyLoops(n int) string {
	var b strings.Builder
	b.WriteString(amdhsa + "declare i32 @llvm.amdgcn.workitem.id.x()\ndefine amdgpu_kernel void @blocks(ptr addrspace(1) %p) {\n  %id = call i32 @llvm.amdgcn.workitem.id.x()\n  br label %l0\n")
	for i := range n {
		fmt.Fprintf(&b, "l%d:\n  %%i%d = phi i32 [ %%id, %%%s ], [ %%j%d, %%l%d ]\n", i, i, from(i), i, i)
		fmt.Fprintf(&b, "  %%a%d = getelementptr i32, ptr addrspace(1) %%p, i32 %%i%d\n  %%v%d = load i32, ptr addrspace(1) %%a%d\n", i, i, i, i)
		fmt.Fprintf(&b, "  %%j%d = add i32 %%v%d, %d\n  %%c%d = icmp ult i32 %%j%d, 99\n  br i1 %%c%d, label %%l%d, label %%l%d\n", i, i, i, i, i, i, i, i+1)
	}
	fmt.Fprintf(&b, "l%d:\n  ret void\n}\n", n)
	return b.String()
}

func from(i int) string {
	if i == 0 {
		return "0"
	}
	return fmt.Sprintf("l%d", i-1)
}

// manyFunctions returns a module with n small functions.
func manyFunctions(n int) string {
	var b strings.Builder
	b.WriteString(amdhsa)
	for i := range n {
		fmt.Fprintf(&b, "define i32 @f%d(i32 %%x, ptr addrspace(1) %%p) {\n  %%a = add i32 %%x, %d\n  store i32 %%a, ptr addrspace(1) %%p, !x !%d\n  %%b = mul i32 %%a, %%x\n  ret i32 %%b\n}\n", i, i, i)
	}
	for i := range n {
		fmt.Fprintf(&b, "!%d = !{!\"text %d\", i32 %d}\n", i, i, i)
	}
	return b.String()
}

// manyVariables returns a module with n variables with initializers.
func manyVariables(n int) string {
	var b strings.Builder
	b.WriteString(amdhsa)
	for i := range n {
		fmt.Fprintf(&b, "@g%d = addrspace(1) global [4 x { i32, ptr addrspace(1) }] [", i)
		for j := range 4 {
			fmt.Fprintf(&b, "%s{ i32, ptr addrspace(1) } { i32 %d, ptr addrspace(1) @g%d }", []string{"", ", "}[min(j, 1)], i+j, (i*7+j)%n)
		}
		b.WriteString("]\n")
	}
	return b.String()
}

func moduleAsm(n int) string {
	return amdhsa + strings.Repeat("module asm \"  .long 1, 2, 3, 4\"\n", n)
}

func inlineAsm(n int) string {
	return amdhsa + "define void @f() {\n  call void asm sideeffect \"" + strings.Repeat("v_add_f32 v0, v1, v2\\0A", n) + "\", \"~{v0}\"()\n  ret void\n}\n"
}

// cancelled lists inputs that each keep another part of the compiler busy.
var cancelled = []struct {
	name    string
	src     func(n int) string
	n       int
	bitcode bool
}{
	{"long block", longBlock, 3000, false},
	{"loops", manyLoops, 2000, true},
	{"functions", manyFunctions, 5000, false},
	{"variables", manyVariables, 20000, false},
	{"variables as bitcode", manyVariables, 20000, true},
	{"module asm", moduleAsm, 200000, false},
	{"inline asm", inlineAsm, 100000, false},
	{"large vectors", func(n int) string {
		return fmt.Sprintf("%sdefine <%[2]d x i32> @f(<%[2]d x i32> %%a, <%[2]d x i32> %%b) {\n  %%c = udiv <%[2]d x i32> %%a, %%b\n  ret <%[2]d x i32> %%c\n}\n", amdhsa, n)
	}, 2000, false},
}

// maxLate is the maximum processor time of a compilation after its context is
// cancelled: 100 ms, and an allowance for the garbage collector and other
// tests.
const maxLate = 400 * time.Millisecond

// TestCancel cancels compilations at different times.
func TestCancel(t *testing.T) {
	for _, in := range cancelled {
		data := []byte(in.src(in.n))
		if in.bitcode {
			m, list := text.Parse("a.ll", data)
			check(t, list.Err())
			var err error
			data, err = bitcode.Encode(m)
			check(t, err)
		}
		begin := time.Now()
		result := cancelAt(t, in.name, data, time.Hour, nil)
		whole := min(time.Since(begin), 3*time.Second)
		for i := range time.Duration(8) {
			cancelAt(t, in.name, data, whole*(2*i+1)/16, result)
		}
	}
}

// cancelAt cancels a compilation after some time, unless it has ended, and
// returns its error. result is the error without cancellation, which a
// compilation that has almost ended may return as well.
func cancelAt(t *testing.T, name string, data []byte, after time.Duration, result error) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	at := make(chan time.Duration, 1)
	timer := time.AfterFunc(after, func() {
		at <- processorTime()
		cancel()
	})
	_, err := Compile(ctx, []Input{{Name: "a.ll", Data: data}}, Options{CPU: "gfx900", Level: 2, Workers: 1})
	end := processorTime()
	if timer.Stop() || err == nil || result != nil && err.Error() == result.Error() {
		return err
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%s, after %v: %v", name, after, err)
	}
	if late := end - <-at; late > maxLate {
		t.Errorf("%s: cancelled after %v, it takes %v of processor time to end", name, after, late)
	}
	return err
}

// processorTime returns the processor time that the process has used so far.
func processorTime() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
