package compile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/verify"
)

// checked is a kernel for passes that break it.
const checked = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
entry:
  %a = load volatile i32, ptr addrspace(1) %p
  %c = icmp eq i32 %a, %n
  br i1 %c, label %then, label %end
then:
  %b = load volatile i32, ptr addrspace(1) %p
  %s = add i32 %a, %b
  store volatile i32 %s, ptr addrspace(1) %p
  br label %end
end:
  store volatile i32 %n, ptr addrspace(1) %p
  ret void
}
`

// find returns the last instruction of an operation.
func find(f *ir.Function, op ir.Op) (found ir.Value) {
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) == op {
				found = v
			}
		}
	}
	return found
}

// breaks lists ways in which a pass may break a function, with the expected
// messages.
var breaks = []struct {
	name, want string
	do         func(f *ir.Function)
}{
	{"erased operand", "BUG: erased instruction becomes an operand", func(f *ir.Function) {
		b := ir.NewBuilder(f, f.Entry())
		b.Before(f.Terminator(f.Entry()))
		v := b.Make(ir.OpFreeze, ir.I32, f.Module().NewInt(ir.I32, 1))
		f.Erase(v)
		f.SetOperand(find(f, ir.OpStore), 0, v)
	}},
	{"unlinked operand", "not embedded in a basic block", func(f *ir.Function) {
		f.SetOperand(find(f, ir.OpStore), 0, f.NewInstr(ir.OpFreeze, ir.I32, f.Module().NewInt(ir.I32, 1)))
	}},
	{"value of another function", "index out of range", func(f *ir.Function) {
		f.SetOperand(find(f, ir.OpStore), 0, ir.Value(f.NumValues()+5))
	}},
	{"null operand", "Instruction has null operand!", func(f *ir.Function) {
		f.SetOperand(find(f, ir.OpStore), 0, ir.None)
	}},
	{"removed block", "Referring to a basic block that is not in the function!", func(f *ir.Function) {
		f.SetOperand(f.Terminator(f.Entry()), 1, f.DetachedBlock().Value())
	}},
	{"undefined on a path", "Instruction does not dominate all uses!", func(f *ir.Function) {
		f.SetOperand(find(f, ir.OpStore), 0, find(f, ir.OpAdd))
	}},
	{"use before definition", "Instruction does not dominate all uses!", func(f *ir.Function) {
		v := find(f, ir.OpAdd)
		f.SetOperand(f.Prev(v), 0, f.Module().Poison(f.TypeOf(f.Operand(f.Prev(v), 0))))
		f.MoveBefore(v, f.Prev(v))
	}},
	{"pointer of the wrong type", "Store operand must be a pointer.: 'i32'", func(f *ir.Function) {
		f.SetOperand(find(f, ir.OpStore), 1, f.Operand(find(f, ir.OpStore), 0))
	}},
	{"operands of two types", "Both operands to a binary operator are not of the same type!", func(f *ir.Function) {
		f.SetOperand(find(f, ir.OpAdd), 1, f.Module().NewInt(ir.I64, 1))
	}},
	{"result of the wrong type", "Both operands to a binary operator are not of the same type!", func(f *ir.Function) {
		f.Instr(find(f, ir.OpLoad)).Type = ir.I64
	}},
	{"condition of the wrong type", "Branch condition is not 'i1' type!", func(f *ir.Function) {
		f.SetOperand(f.Terminator(f.Entry()), 0, f.Module().NewInt(ir.I32, 1))
	}},
	{"no terminator", "does not have terminator!", func(f *ir.Function) {
		f.Erase(f.Terminator(f.LastBlock()))
	}},
}

// breakPass makes a pass break functions in its last run on each.
func breakPass(t *testing.T, name string, do func(f *ir.Function)) {
	p := opt.FindPass(prepare.AllPasses(), name)
	right := *p
	t.Cleanup(func() { *p = right })
	p.Function = func(ctx *opt.Context, f *ir.Function) bool {
		right.Function(ctx, f)
		do(f)
		return true
	}
}

// TestBrokenPass breaks code in each way. The error of the compilation names
// the pass, at all levels, and the result has no code.
func TestBrokenPass(t *testing.T) {
	for _, x := range breaks {
		for level := range 3 {
			t.Run(fmt.Sprintf("%s/O%d", x.name, level), func(t *testing.T) {
				breakPass(t, "amdgpu-whole-wave", x.do)
				r, err := Compile(context.Background(), []Input{{Name: "k.ll", Data: []byte(checked)}}, Options{CPU: "gfx900", Level: level})
				if r != nil || err == nil {
					t.Fatalf("the broken code was compiled: %v", err)
				}
				if text := err.Error(); !strings.HasPrefix(text, "BUG in pass 'amdgpu-whole-wave' on function 'k': ") || !strings.Contains(text, x.want) {
					t.Errorf("error %q", text)
				}
			})
		}
	}
}

// TestBrokenEarly breaks code in an early pass so that later passes may fail.
// The error names the first pass.
func TestBrokenEarly(t *testing.T) {
	for _, x := range breaks {
		t.Run(x.name, func(t *testing.T) {
			breakPass(t, "lower-invoke", x.do)
			_, err := Compile(context.Background(), []Input{{Name: "k.ll", Data: []byte(checked)}}, Options{CPU: "gfx900"})
			if err == nil || !strings.HasPrefix(err.Error(), "BUG in pass 'lower-invoke' on function 'k': ") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestBrokenModule passes the code of a broken pass to Module, which cannot
// compile again.
func TestBrokenModule(t *testing.T) {
	breakPass(t, "dce", breaks[3].do)
	o := Options{CPU: "gfx900", Level: 1}
	m, err := readModules([]Input{{Name: "k.ll", Data: []byte(checked)}}, &o, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Module(context.Background(), m, o)
	var broken *BrokenError
	if r != nil || !errors.As(err, &broken) || !strings.HasPrefix(err.Error(), "BUG in a pass before selection on function 'k': ") {
		t.Errorf("error %v", err)
	}
}

// TestVerifyEach compiles code that once violated rules between passes although
// the result was correct.
func TestVerifyEach(t *testing.T) {
	wide := func(n int) string {
		return fmt.Sprintf(`define amdgpu_kernel void @k(ptr addrspace(1) %%out, ptr addrspace(1) %%in) "amdgpu-flat-work-group-size"="1,64" {
  %%v = load <%d x i32>, ptr addrspace(1) %%in
  call void asm sideeffect "s_nop 0", ""()
  store <%[1]d x i32> %%v, ptr addrspace(1) %%out
  ret void
}`, n)
	}
	for _, x := range []struct{ name, src, err string }{
		{"alloca of the size of an argument", `define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) {
  %a = alloca i32, i32 %n, align 4, addrspace(5)
  %b = alloca i32, align 4, addrspace(5)
  store volatile i32 %n, ptr addrspace(5) %a, align 4
  store volatile i32 %n, ptr addrspace(5) %b, align 4
  %v = load volatile i32, ptr addrspace(5) %a, align 4
  store i32 %v, ptr addrspace(1) %out
  ret void
}`, ""},
		{"constant pointers of 32 bits", `target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:32:32-p5:32:32-i64:64-A5"
define amdgpu_kernel void @k(ptr addrspace(1) %out, ptr addrspace(4) %in) {
  %v = load i32, ptr addrspace(4) %in
  store i32 %v, ptr addrspace(1) %out
  ret void
}`, ""},
		{"256 dwords", wide(256), ""},
		{"300 dwords", wide(300), ""},
		{"too many dwords", wide(9000), "value of type '<9000 x i32>' is too large: at most 4096 elements or dwords are supported"},
	} {
		for _, level := range []int{0, 2} {
			t.Run(fmt.Sprintf("%s/O%d", x.name, level), func(t *testing.T) {
				_, err := Compile(context.Background(), []Input{{Name: "k.ll", Data: []byte(x.src)}}, Options{CPU: "gfx900", Level: level, Verify: true})
				if x.err == "" && err != nil || x.err != "" && (err == nil || !strings.Contains(err.Error(), x.err)) {
					t.Errorf("error %v, want %q", err, x.err)
				}
			})
		}
	}
}

// BenchmarkOperandCheck compares the time of the check before selection with
// the whole compilation of the shared kernels.
func BenchmarkOperandCheck(b *testing.B) {
	files, _ := filepath.Glob(filepath.Join(oracle.Shared(b, "kernels/ll/gfx900"), "*.ll"))
	var compiling, checking time.Duration
	for b.Loop() {
		for _, path := range files {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			o := Options{CPU: "gfx900", Level: 2, Workers: 1}
			in := []Input{{Name: path, Data: data}}
			start := time.Now()
			if _, err := Compile(context.Background(), in, o); err != nil {
				b.Fatal(err)
			}
			compiling += time.Since(start)
			s, err := readSource(context.Background(), in, &o, nil)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := prepareModule(s); err != nil {
				b.Fatal(err)
			}
			start = time.Now()
			c := verify.NewOperandChecker(s.m)
			for _, g := range s.m.Globals() {
				if g != nil && g.Func != nil {
					c.Function(g.Func)
				}
			}
			checking += time.Since(start)
		}
	}
	b.ReportMetric(100*float64(checking)/float64(compiling), "%-of-compile")
}
