package analysis

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// waveSizes lists the wave sizes of the processors that tests use.
var waveSizes = map[string]int{"gfx900": 64, "gfx90a": 64, "gfx1030": 32}

// verdicts parses LLVM's results for a function: its divergent arguments, and
// whether each instruction, in order, is divergent.
func verdicts(s string) (args []string, divergent []bool, uniform bool) {
	inBlocks := false
	for _, line := range strings.Split(s, "\n") {
		rest, isDivergent := strings.CutPrefix(line, "  DIVERGENT: ")
		switch {
		case line == "ALL VALUES UNIFORM":
			uniform = true
		case strings.HasPrefix(line, "BLOCK"):
			inBlocks = true
		case isDivergent && !inBlocks:
			args = append(args, rest[strings.LastIndexByte(rest, ' ')+1:])
		case isDivergent:
			divergent = append(divergent, true)
		case strings.HasPrefix(line, "               "):
			divergent = append(divergent, false)
		}
	}
	return args, divergent, uniform
}

// checkUniformity compares the verdicts for all values of a module with LLVM's.
func checkUniformity(t *testing.T, m *ir.Module, src []byte, cpu string, args ...string) (values, different int) {
	t.Helper()
	out := optPrint(t, src, "print<uniformity>", append(args, "-mtriple=amdgcn", "-mcpu="+cpu)...)
	parts := sections(out, "UniformityInfo for function '")
	g, d, c, u := &Graph{}, &DomTree{}, &Loops{}, &Uniformity{}
	u.sync.asLLVM = true
	functions := definitions(m)
	if len(parts) != len(functions) {
		t.Fatalf("LLVM speaks of %d functions, there are %d", len(parts), len(functions))
	}
	for at, f := range functions {
		part := parts[at]
		g.ResetCFG(f)
		d.Reset(g)
		c.ResetCycles(g)
		u.Reset(f, d, c, waveSizes[cpu])
		divArgs, want, uniform := verdicts(part)
		n := 0
		for i := range f.NumArgs() {
			if u.Divergent(f.Arg(i)) {
				n++
			}
		}
		if n != len(divArgs) {
			t.Errorf("%s: %d divergent arguments, want %v (LLVM)", f.Name(), n, divArgs)
			different++
		}
		i := 0
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if i >= len(want) && !uniform {
					t.Fatalf("%s: too few results from LLVM:\n%s", f.Name(), part)
				}
				if !uniform || i < len(want) {
					values++
					if got := u.Divergent(v); got != want[i] {
						different++
						t.Errorf("%s %s: instruction %d (%s %%%s) divergent %v, want %v (LLVM)", cpu, f.Name(), i, f.Op(v), f.NameOf(v), got, want[i])
					}
				} else if u.Divergent(v) {
					values++
					different++
					t.Errorf("%s: instruction %d (%s %%%s) is divergent, all are uniform in LLVM", f.Name(), i, f.Op(v), f.NameOf(v))
				}
				i++
			}
		}
		if i != len(want) && !uniform {
			t.Fatalf("%s: LLVM speaks of %d instructions, there are %d\n%s", f.Name(), len(want), i, part)
		}
	}
	return values, different
}

func TestSharedUniformityAgainstLLVM(t *testing.T) {
	values := 0
	for i, path := range sharedModules(t, "kernels/ll/gfx900", "kernels/ll/gfx90a", "kernels/ll/gfx1030", "kernels/ll-O0/gfx900") {
		if i%8 != 0 && os.Getenv("GFX_SUITE_TRIES") == "" {
			continue
		}
		cpu := "gfx900"
		for name := range waveSizes {
			if strings.Contains(path, name) {
				cpu = name
			}
		}
		m, src := readModule(t, path)
		n, _ := checkUniformity(t, m, src, cpu)
		values += n
	}
	t.Logf("%d values", values)
}

// divergentShapes is like shapes, with added phis, uses, and divergent and
// uniform conditions.
func divergentShapes(r *rand.Rand, functions int) []byte {
	var s bytes.Buffer
	s.WriteString("target triple = \"amdgcn-amd-amdhsa\"\ndeclare i32 @llvm.amdgcn.workitem.id.x()\n")
	for k := range functions {
		writeDivergentShape(&s, r, k)
	}
	return s.Bytes()
}

// randomEdges returns random edges between n blocks; none leads to the first
// block.
func randomEdges(r *rand.Rand, n int) (succs, preds [][]int) {
	succs, preds = make([][]int, n), make([][]int, n)
	for i := range n {
		near := func() int { return min(max(i-3+r.IntN(7), 1), n-1) }
		for range []int{0, 1, 2, 2, 2, 2, 3}[r.IntN(7)] {
			succs[i] = append(succs[i], near())
		}
		if i == 0 && len(succs[i]) == 0 {
			succs[i] = []int{1}
		}
		for _, to := range succs[i] {
			preds[to] = append(preds[to], i)
		}
	}
	return succs, preds
}

func writeDivergentShape(s *bytes.Buffer, r *rand.Rand, k int) {
	n := 3 + r.IntN(10)
	succs, preds := randomEdges(r, n)
	fmt.Fprintf(s, "define amdgpu_kernel void @f%d(i32 %%x, ptr addrspace(1) %%p) {\n", k)
	// A value of block b may be used only in b and in phis. Values of
	// dominating blocks are found by name.
	succText := make([][]uint32, n+1)
	for i, list := range succs {
		for _, to := range list {
			succText[i+1] = append(succText[i+1], uint32(to+1))
		}
	}
	d := NewDomTree(graphOf(succText))
	pick := func(b int) string { // a value that is available in block b
		for range 5 {
			if x := r.IntN(n); x != b && d.Contains(uint32(b+1)) && d.Dominates(uint32(x+1), uint32(b+1)) {
				return fmt.Sprintf("%%v%d", x)
			}
		}
		return []string{"%x", "7", "%x", "undef"}[r.IntN(4)]
	}
	for i := range n {
		fmt.Fprintf(s, "b%d:\n", i)
		if i == 0 {
			s.WriteString("  %id = call i32 @llvm.amdgcn.workitem.id.x()\n  %div = icmp eq i32 %id, 3\n  %uni = icmp eq i32 %x, 3\n")
		}
		base := pick(i)
		if len(preds[i]) > 0 && r.IntN(3) > 0 {
			writeRandomPhi(s, r, i, preds[i], pick)
			base = fmt.Sprintf("%%phi%d", i)
		}
		fmt.Fprintf(s, "  %%v%d = add i32 %s, %s\n", i, base, pick(i))
		fmt.Fprintf(s, "  %%c%d = icmp eq i32 %%v%d, %d\n", i, i, i)
		cond := []string{"%div", "%uni", "%uni", fmt.Sprintf("%%c%d", i)}[r.IntN(4)]
		switch list := succs[i]; len(list) {
		case 0:
			s.WriteString("  ret void\n")
		case 1:
			fmt.Fprintf(s, "  br label %%b%d\n", list[0])
		case 2:
			fmt.Fprintf(s, "  br i1 %s, label %%b%d, label %%b%d\n", cond, list[0], list[1])
		default:
			fmt.Fprintf(s, "  switch i32 %s, label %%b%d [ i32 0, label %%b%d i32 1, label %%b%d ]\n", []string{"%id", "%x"}[r.IntN(2)], list[0], list[1], list[2])
		}
	}
	s.WriteString("}\n")
}

func writeRandomPhi(s *bytes.Buffer, r *rand.Rand, i int, preds []int, pick func(b int) string) {
	fmt.Fprintf(s, "  %%phi%d = phi i32 ", i)
	seen := map[int]string{}
	for j, p := range preds {
		if seen[p] == "" {
			seen[p] = pick(p)
			if r.IntN(2) == 0 {
				seen[p] = fmt.Sprintf("%%v%d", p)
			}
		}
		if j > 0 {
			s.WriteString(", ")
		}
		fmt.Fprintf(s, "[ %s, %%b%d ]", seen[p], p)
	}
	s.WriteString("\n")
}

func TestUniformityAgainstLLVM(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range tries(t, 4) {
		src := divergentShapes(r, 80)
		if checkUniformity(t, parse(t, string(src)), src, "gfx900"); t.Failed() {
			t.Fatalf("%s", src)
		}
	}
}

// TestDivergenceSources compares work-group sizes, calling conventions, inline
// assembly and registers with LLVM.
func TestDivergenceSources(t *testing.T) {
	m, src := readModule(t, "testdata/divergence.ll")
	for cpu := range waveSizes {
		checkUniformity(t, m, src, cpu, "-disable-verify")
	}
}

// TestUniformityOfUses checks uses after a loop that lanes leave at different
// times, and values created after the analysis.
func TestUniformityOfUses(t *testing.T) {
	f := parse(t, `
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @f(i32 %n, ptr addrspace(1) %p) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %c = icmp ult i32 %i, %id
  br i1 %c, label %loop, label %out
out:
  %use = add i32 %next, %n
  ret void
}`).Global("f").Func
	v := values(f)
	g := CFG(f)
	cycles := NewCycles(g)
	u := NewUniformity(f, NewDomTree(g), cycles, 64)
	for name, want := range map[string]bool{"id": true, "i": false, "next": false, "c": true, "use": true, "n": false} {
		if u.Divergent(v[name]) != want {
			t.Errorf("%s: divergent is not %v", name, want)
		}
	}
	if !u.DivergentUse(f.UseOf(v["use"], 0)) || u.DivergentUse(f.UseOf(v["use"], 1)) || u.DivergentUse(f.UseOf(v["c"], 0)) {
		t.Error("only the use of next after the loop is divergent")
	}
	if !u.DivergentExit(1) || !u.DivergentBranch(v["loop"].Block()) || u.DivergentBranch(v["out"].Block()) {
		t.Error("only the loop has a divergent branch and exit")
	}
	b := f.NewBlock()
	if n := f.NewInstr(ir.OpAdd, ir.I32, v["n"], v["n"]); !u.Divergent(n) || !u.DivergentBranch(b) {
		t.Error("a value created after the analysis is uniform")
	}
}

// TestUniformityOfExitsAfterHeader checks a cycle whose header sends some lanes
// into another iteration and others on to an exit: they leave it in different
// iterations.
func TestUniformityOfExitsAfterHeader(t *testing.T) {
	f := parse(t, `
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @f(i1 %uniform, ptr addrspace(1) %p) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %again ]
  %next = add i32 %i, 1
  %c = icmp ult i32 %i, %id
  br i1 %c, label %again, label %after
after:
  br i1 %uniform, label %again, label %out
again:
  br label %loop
out:
  %use = add i32 %i, 1
  ret void
}`).Global("f").Func
	v := values(f)
	g := CFG(f)
	u := NewUniformity(f, NewDomTree(g), NewCycles(g), 64)
	if u.Divergent(v["i"]) || !u.Divergent(v["use"]) || !u.DivergentExit(1) {
		t.Errorf("divergent: i %v, its use after the loop %v; exit %v", u.Divergent(v["i"]), u.Divergent(v["use"]), u.DivergentExit(1))
	}
}

// TestUniformityOfUndefForWaves checks a phi that some lanes reach with undef:
// it is divergent for a wave, which reads a value from any of its lanes.
func TestUniformityOfUndefForWaves(t *testing.T) {
	f := parse(t, `
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @f(i32 %n) {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %c = icmp ult i32 %id, 3
  br i1 %c, label %some, label %join
some:
  br label %join
join:
  %x = phi i32 [ undef, %entry ], [ %n, %some ]
  ret void
}`).Global("f").Func
	x := values(f)["x"]
	g := CFG(f)
	for _, byWaves := range []bool{false, true} {
		u := &Uniformity{ByWaves: byWaves}
		u.Reset(f, NewDomTree(g), NewCycles(g), 64)
		if u.Divergent(x) != byWaves {
			t.Errorf("by waves %v: divergent %v", byWaves, !byWaves)
		}
	}
}
