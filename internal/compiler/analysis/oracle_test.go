package analysis

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// tries returns the number of random modules of a test: n, times
// GFX_SUITE_TRIES if that is set.
func tries(t *testing.T, n int) int {
	t.Helper()
	if s := os.Getenv("GFX_SUITE_TRIES"); s != "" {
		k, err := strconv.Atoi(s)
		if err != nil || k < 1 {
			t.Fatalf("invalid GFX_SUITE_TRIES=%s: want a positive number", s)
		}
		return k * n
	}
	return n
}

// sharedModules returns the paths of the shared kernels in some folders.
func sharedModules(t testing.TB, folders ...string) (paths []string) {
	t.Helper()
	for _, dir := range folders {
		list, err := filepath.Glob(filepath.Join(oracle.Shared(t, dir), "*.ll"))
		if err != nil || len(list) == 0 {
			t.Fatalf("no modules in %s: %v", dir, err)
		}
		paths = append(paths, list...)
	}
	return paths
}

func readModule(t testing.TB, path string) (*ir.Module, []byte) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, diags := text.Parse(filepath.Base(path), src)
	if m == nil {
		t.Fatal(diags)
	}
	return m, src
}

// optPrint returns the output of LLVM's printing passes.
func optPrint(t *testing.T, src []byte, passes string, args ...string) string {
	t.Helper()
	args = append([]string{"-disable-output", "-passes=" + passes}, args...)
	out, errs, exit := oracle.Run(t, src, time.Minute, oracle.Tool(t, "opt-22"), args...)
	if exit != 0 {
		t.Fatalf("opt: %s\n%.20000s", errs, src)
	}
	return string(out) + string(errs)
}

// shapes returns a module of functions with random edges whose blocks bN are in
// random order, with b0 as the entry.
func shapes(r *rand.Rand, functions int) []byte {
	var s bytes.Buffer
	for k := range functions {
		fmt.Fprintf(&s, "define void @f%d(i1 %%c, i32 %%x) {\n", k)
		n := 2 + r.IntN(14)
		order := r.Perm(n - 1)
		for at := range n {
			i := 0
			if at > 0 {
				i = order[at-1] + 1
			}
			near := func() int { return min(max(i-3+r.IntN(7), 1), n-1) }
			fmt.Fprintf(&s, "b%d:\n", i)
			switch r.IntN(8) {
			case 0:
				s.WriteString("  ret void\n")
			case 1, 2:
				fmt.Fprintf(&s, "  br label %%b%d\n", near())
			case 3:
				fmt.Fprintf(&s, "  switch i32 %%x, label %%b%d [ i32 0, label %%b%d i32 1, label %%b%d ]\n", near(), near(), 1+r.IntN(n-1))
			default:
				fmt.Fprintf(&s, "  br i1 %%c, label %%b%d, label %%b%d\n", near(), near())
			}
		}
		s.WriteString("}\n")
	}
	return s.Bytes()
}

// blockNames returns the blocks of a function by name: "%name", or a number if
// unnamed.
func blockNames(f *ir.Function) map[string]uint32 {
	names := map[string]uint32{}
	n := 0
	for i := range f.NumArgs() {
		if !f.HasName(f.Arg(i)) {
			n++
		}
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if name := f.NameOf(b.Value()); name != nil {
			names["%"+string(name)] = uint32(b)
		} else {
			names["%"+strconv.Itoa(n)] = uint32(b)
			n++
		}
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.TypeOf(v) != ir.Void && !f.HasName(v) {
				n++
			}
		}
	}
	return names
}

// sections splits a printer's output by function: the text after each line that
// begins with head, in the order of the functions that have a body.
func sections(out, head string) []string {
	var list []string
	for i, part := range strings.Split("\n"+out, "\n"+head) {
		if i > 0 {
			_, rest, _ := strings.Cut(part, "\n")
			list = append(list, rest)
		}
	}
	return list
}

// definitions returns the functions of a module that have a body, in order.
func definitions(m *ir.Module) (list []*ir.Function) {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() {
			list = append(list, g.Func)
		}
	}
	return list
}

// parseTree reads a printed tree: the immediate dominator of each block.
func parseTree(s string, names map[string]uint32) map[uint32]uint32 {
	idom := map[uint32]uint32{}
	path := make([]uint32, 1000)
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "Roots:") {
			break
		}
		var depth int
		if n, _ := fmt.Sscanf(line, "[%d]", &depth); n != 1 {
			continue
		}
		node := uint32(0)
		if f := strings.Fields(line); strings.HasPrefix(f[1], "%") {
			node = names[f[1]]
		}
		path[depth] = node
		if depth > 1 {
			idom[node] = path[depth-1]
		}
	}
	return idom
}

func checkTree(t *testing.T, what string, d *DomTree, want map[uint32]uint32) {
	t.Helper()
	for _, n := range d.PreOrder() {
		if p, ok := want[n]; d.IDom(n) != p || !ok && n != d.Graph().Entry() {
			t.Errorf("%s: IDom(%d) is %d, want %d (LLVM: %v)", what, n, d.IDom(n), p, ok)
		}
		delete(want, n)
	}
	if len(want) != 0 {
		t.Errorf("%s: not in the tree: %v", what, want)
	}
}

// loopLine describes a loop in a comparable form.
func loopLine(header uint32, depth int, entries, blocks []uint32) string {
	entries, blocks = slices.Sorted(slices.Values(entries)), slices.Sorted(slices.Values(blocks))
	return fmt.Sprintf("header %d depth %d entries %v blocks %v", header, depth, entries, blocks)
}

func loopLines(l *Loops) []string {
	var lines []string
	for i := uint32(1); i <= uint32(l.N()); i++ {
		lines = append(lines, loopLine(l.Header(i), l.Depth(i), l.Entries(i), l.Blocks(i)))
	}
	slices.Sort(lines)
	return lines
}

func parseLoops(s string, names map[string]uint32) []string {
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(strings.TrimPrefix(line, "Parallel "), "Loop at depth ")
		if !ok {
			if line != "" && !strings.HasPrefix(line, "Loop") {
				break
			}
			continue
		}
		depthText, rest, _ := strings.Cut(rest, " containing: ")
		depth, _ := strconv.Atoi(depthText)
		var header uint32
		var blocks []uint32
		for _, b := range strings.Split(rest, ",") {
			name, marks, _ := strings.Cut(b, "<")
			blocks = append(blocks, names[name])
			if strings.Contains(marks, "header") {
				header = names[name]
			}
		}
		lines = append(lines, loopLine(header, depth, []uint32{header}, blocks))
	}
	slices.Sort(lines)
	return lines
}

func parseCycles(s string, names map[string]uint32) []string {
	var lines []string
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, "depth=")
		if !ok {
			break
		}
		depthText, rest, _ := strings.Cut(rest, ": entries(")
		depth, _ := strconv.Atoi(depthText)
		first, others, _ := strings.Cut(rest, ")")
		var entries []uint32
		for _, name := range strings.Fields(first) {
			entries = append(entries, names["%"+strings.TrimPrefix(name, "%")])
		}
		blocks := slices.Clone(entries)
		for _, name := range strings.Fields(others) {
			blocks = append(blocks, names["%"+strings.TrimPrefix(name, "%")])
		}
		lines = append(lines, loopLine(entries[0], depth, entries, blocks))
	}
	slices.Sort(lines)
	return lines
}

// checkShapes compares the trees and loops of all functions of a module with
// LLVM's.
func checkShapes(t *testing.T, m *ir.Module, src []byte) (functions int) {
	t.Helper()
	out := optPrint(t, src, "function(print<domtree>,print<postdomtree>,print<loops>,print<cycles>)")
	doms := sections(out, "DominatorTree for function: ")
	posts := sections(out, "PostDominatorTree for function: ")
	loops := sections(out, "Loop info for function '")
	cycles := sections(out, "CycleInfo for function: ")
	g, d, p, l, c := &Graph{}, &DomTree{}, &DomTree{}, &Loops{}, &Loops{}
	for i, f := range definitions(m) {
		functions++
		names := blockNames(f)
		g.ResetCFG(f)
		d.Reset(g)
		p.ResetPost(g)
		checkTree(t, f.Name()+" dominators", d, parseTree(doms[i], names))
		checkTree(t, f.Name()+" post-dominators", p, parseTree(posts[i], names))
		l.Reset(d)
		c.ResetCycles(g)
		if got, want := loopLines(l), parseLoops(loops[i], names); !slices.Equal(got, want) {
			t.Errorf("%s: loops are\n%s\nLLVM has\n%s", f.Name(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if got, want := loopLines(c), parseCycles(cycles[i], names); !slices.Equal(got, want) {
			t.Errorf("%s: cycles are\n%s\nLLVM has\n%s", f.Name(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	return functions
}

func TestShapesAgainstLLVM(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range tries(t, 4) {
		src := shapes(r, 60)
		if checkShapes(t, parse(t, string(src)), src); t.Failed() {
			t.Fatalf("%s", src)
		}
	}
}

func TestSharedShapesAgainstLLVM(t *testing.T) {
	paths := sharedModules(t, "kernels/ll/gfx900", "kernels/ll-O0/gfx900")
	functions := 0
	for i, path := range paths {
		if i%4 != 0 && os.Getenv("GFX_SUITE_TRIES") == "" {
			continue
		}
		m, src := readModule(t, path)
		functions += checkShapes(t, m, src)
	}
	t.Logf("%d functions", functions)
}
