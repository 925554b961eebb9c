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

// aliasTally counts our answers against LLVM's.
type aliasTally struct {
	queries, noAlias, noAliasBoth, better int
	modref, none, noneBoth, noneOwn       int
}

// llvmAnswers holds LLVM's answers for a function in aa-eval's query order.
type llvmAnswers struct {
	name  string
	lines []string
}

func aliasAnswers(t *testing.T, src []byte) []llvmAnswers {
	t.Helper()
	out := optPrint(t, src, "aa-eval", "-print-all-alias-modref-info", "-evaluate-aa-metadata", "-mtriple=amdgcn-amd-amdhsa")
	var list []llvmAnswers
	for _, part := range strings.Split("\n"+out, "\nFunction: ")[1:] {
		name, part, _ := strings.Cut(part, ": ")
		var lines []string
		for _, line := range strings.Split(part, "\n") {
			if strings.HasPrefix(line, "=====") {
				break
			}
			if strings.HasPrefix(line, "  ") && strings.Contains(line, ":") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		list = append(list, llvmAnswers{name, lines})
	}
	return list
}

// aliasQueries repeats aa-eval's queries in its order.
func aliasQueries(f *ir.Function, alias func(what string, x, y Location), modref func(call ir.Value, l Location)) {
	type access struct {
		ptr ir.Value
		t   ir.Type
	}
	a := NewAlias(f)
	var pointers []access
	var loads, stores, calls []ir.Value
	add := func(p access) {
		for _, q := range pointers {
			if p == q {
				return
			}
		}
		pointers = append(pointers, p)
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch f.Op(v) {
			case ir.OpLoad:
				add(access{f.Operand(v, 0), f.TypeOf(v)})
				loads = append(loads, v)
			case ir.OpStore:
				add(access{f.Operand(v, 1), f.TypeOf(f.Operand(v, 0))})
				stores = append(stores, v)
			case ir.OpCall:
				calls = append(calls, v)
			}
		}
	}
	m := f.Module()
	at := func(p access) Location { return Location{Ptr: p.ptr, Size: m.StoreSize(p.t)} }
	for i, p := range pointers {
		for _, q := range pointers[:i] {
			alias("pointers", at(p), at(q))
		}
	}
	of := func(v ir.Value) Location { l, _ := a.LocationOf(v); return l }
	for _, l := range loads {
		for _, s := range stores {
			alias("load, store", of(l), of(s))
		}
	}
	for i, s := range stores {
		for _, r := range stores[:i] {
			alias("stores", of(s), of(r))
		}
	}
	for _, c := range calls {
		for _, p := range pointers {
			modref(c, at(p))
		}
	}
}

// checkAlias compares the answers for all pairs of accesses of a module with
// LLVM's. Neither side may report NoAlias where the other reports an overlap.
func checkAlias(t *testing.T, m *ir.Module, src []byte, tally *aliasTally) {
	t.Helper()
	answers := aliasAnswers(t, src)
	for _, f := range definitions(m) {
		if len(answers) == 0 || answers[0].name != f.Name() { // aa-eval skips functions marked optnone
			continue
		}
		a, lines, at := NewAlias(f), answers[0].lines, 0
		answers = answers[1:]
		next := func() string {
			if at >= len(lines) {
				t.Fatalf("%s: LLVM answers only %d queries", f.Name(), at)
			}
			at++
			return lines[at-1]
		}
		aliasQueries(f, func(what string, x, y Location) {
			line := next()
			word, _, _ := strings.Cut(line, " ")
			word, _, _ = strings.Cut(word, ":")
			got := a.Alias(x, y)
			tally.countAlias(got, word)
			if got == NoAlias && (word == "MustAlias" || word == "PartialAlias") || got >= PartialAlias && word == "NoAlias" && !constantSpaces(f, x, y) {
				t.Errorf("%s: %s: %v, but %s", f.Name(), what, got, line)
			}
			if os.Getenv("GFX_ALIAS_PRINT") != "" && got != MayAlias != (word != "MayAlias") {
				t.Logf("%s: %s: %v, but %s", f.Name(), what, got, line)
			}
		}, func(call ir.Value, l Location) {
			line := next()
			got := a.ModRef(call, l)
			none := strings.HasPrefix(line, "NoModRef:")
			tally.modref++
			if none {
				tally.none++
				if got == NoModRef {
					tally.noneBoth++
				}
			}
			if got == NoModRef && !none {
				tally.noneOwn++
			}
			if os.Getenv("GFX_ALIAS_PRINT") != "" && none && got != NoModRef {
				t.Logf("%s: %d, but %s", f.Name(), got, line)
			}
		})
	}
	if len(answers) != 0 {
		t.Fatalf("LLVM speaks of function %q", answers[0].name)
	}
}

func constantSpaces(f *ir.Function, x, y Location) bool {
	m := f.Module()
	return isConstantSpace(m.AddrSpace(f.TypeOf(x.Ptr))) && isConstantSpace(m.AddrSpace(f.TypeOf(y.Ptr)))
}

func (c *aliasTally) countAlias(got AliasResult, llvm string) {
	c.queries++
	if llvm == "NoAlias" {
		c.noAlias++
		if got == NoAlias {
			c.noAliasBoth++
		}
	} else if got == NoAlias {
		c.better++
	}
}

func (c *aliasTally) String() string {
	return fmt.Sprintf("%d queries: %d of LLVM's %d NoAlias, %d of our own; %d effects of calls: %d of LLVM's %d NoModRef, %d of our own",
		c.queries, c.noAliasBoth, c.noAlias, c.better, c.modref, c.noneBoth, c.none, c.noneOwn)
}

func TestSharedAliasAgainstLLVM(t *testing.T) {
	tally := &aliasTally{}
	for i, path := range sharedModules(t, "kernels/ll/gfx900", "kernels/ll-O0/gfx900") {
		if i%10 != 0 && os.Getenv("GFX_SUITE_TRIES") == "" || strings.Contains(path, "aes128") {
			continue
		}
		m, src := readModule(t, path)
		checkAlias(t, m, src, tally)
	}
	t.Log(tally)
	if tally.noAliasBoth*100 < tally.noAlias*97 || tally.noneBoth*100 < tally.none*97 || tally.noneOwn != 0 {
		t.Errorf("not as LLVM: %v", tally)
	}
}

// TestAddressSpacesAgainstLLVM compares every pair of address spaces with LLVM.
func TestAddressSpacesAgainstLLVM(t *testing.T) {
	var s bytes.Buffer
	s.WriteString("target triple = \"amdgcn-amd-amdhsa\"\n")
	for x := range 12 {
		for y := range 12 {
			fmt.Fprintf(&s, "define void @f%d_%d(ptr addrspace(%d) %%a, ptr addrspace(%d) %%b) {\n", x, y, x, y)
			fmt.Fprintf(&s, "  %%x = load i32, ptr addrspace(%d) %%a\n  %%y = load i32, ptr addrspace(%d) %%b\n  ret void\n}\n", x, y)
		}
	}
	tally := &aliasTally{}
	checkAlias(t, parse(t, s.String()), s.Bytes(), tally)
	if tally.noAlias != tally.noAliasBoth || tally.better != 0 {
		t.Error(tally)
	}
}

// addressGen writes random index arithmetic and pointers that use it.
type addressGen struct {
	strings.Builder
	r    *rand.Rand
	n    int
	ints map[int][]string // by width
	ptrs map[int][]string // by address space
}

// newAddressGen starts a function with pointers into @g (4096 bytes, address
// space 3) and a flat argument.
func newAddressGen(r *rand.Rand) *addressGen {
	g := &addressGen{r: r, ints: map[int][]string{16: {"%x", "%y"}}, ptrs: map[int][]string{0: {"%p", "%p"}, 3: {"@g"}}}
	g.WriteString("target datalayout = \"e-p:64:64-p3:32:32-i64:64\"\n@g = addrspace(3) global [4096 x i8] poison, align 16\n")
	g.WriteString("define void @f(i16 %x, i16 %y, i1 %c, ptr %p, ptr %q) {\nentry:\n")
	return g
}

func (g *addressGen) pick(w int) string {
	if list := g.ints[w]; len(list) > 0 && g.r.IntN(4) > 0 {
		return list[g.r.IntN(len(list))]
	}
	return fmt.Sprint([]int{0, 1, 2, 3, 4, 8, 12, -1, -4, 20}[g.r.IntN(10)])
}

func (g *addressGen) pointer(as int) string { return g.ptrs[as][g.r.IntN(len(g.ptrs[as]))] }

// emit writes count instructions.
func (g *addressGen) emit(count int) {
	r := g.r
	flags := func() string { return []string{"", " nuw", " nsw", " nuw nsw"}[r.IntN(4)] }
	for range count {
		v := fmt.Sprintf("%%v%d", g.n)
		g.n++
		w := []int{16, 32, 64}[r.IntN(3)]
		switch r.IntN(8) {
		case 0, 1:
			fmt.Fprintf(g, "  %s = %s%s i%d %s, %s\n", v, []string{"add", "sub", "mul", "shl"}[r.IntN(4)], flags(), w, g.pick(w), g.pick(w))
		case 2:
			fmt.Fprintf(g, "  %s = %s i%d %s, %s\n", v, []string{"and", "xor", "or", "srem", "lshr"}[r.IntN(5)], w, g.pick(w), g.pick(w))
		case 3:
			from := 16
			if w = []int{32, 64}[r.IntN(2)]; w == 64 && r.IntN(2) == 0 && len(g.ints[32]) > 0 {
				from = 32
			}
			fmt.Fprintf(g, "  %s = %s i%d %s to i%d\n", v, []string{"sext", "zext"}[r.IntN(2)], from, g.pick(from), w)
		case 4:
			as := []int{0, 3}[r.IntN(2)]
			fmt.Fprintf(g, "  %s = select i1 %%c, %s %s, %s %s\n", v, pointerText[as], g.pointer(as), pointerText[as], g.pointer(as))
			g.ptrs[as] = append(g.ptrs[as], v)
			continue
		default:
			as := []int{0, 3}[r.IntN(2)]
			t := []string{"i8", "i16", "i32", "{ i32, i64 }", "[3 x i32]"}[r.IntN(5)]
			fmt.Fprintf(g, "  %s = getelementptr%s %s, %s %s, i%d %s\n", v, []string{"", " inbounds", " nusw", " inbounds nuw"}[r.IntN(4)], t,
				pointerText[as], g.pointer(as), w, g.pick(w))
			g.ptrs[as] = append(g.ptrs[as], v)
			continue
		}
		g.ints[w] = append(g.ints[w], v)
	}
}

var pointerText = map[int]string{0: "ptr", 3: "ptr addrspace(3)"}

// randomAddresses returns a function with a loop whose phis include pointers.
func randomAddresses(r *rand.Rand, n int) string {
	g := newAddressGen(r)
	g.emit(n / 2)
	g.WriteString("  br label %loop\nloop:\n  %i = phi i16 [ 0, %entry ], [ %next, %loop ]\n")
	// The names of the last values are not known yet.
	first := map[string]string{"%m": g.pointer(0), "%k": g.pointer(0), "%l": g.pointer(3)}
	at := g.Len()
	g.ints[16] = append(g.ints[16], "%i", "%i")
	g.ptrs[0], g.ptrs[3] = append(g.ptrs[0], "%m", "%k", "%m"), append(g.ptrs[3], "%l")
	g.emit(n)
	var phis strings.Builder
	for _, name := range []string{"%m", "%k", "%l"} {
		as := map[string]int{"%l": 3}[name]
		fmt.Fprintf(&phis, "  %s = phi %s [ %s, %%entry ], [ %s, %%loop ]\n", name, pointerText[as], first[name], g.pointer(as))
	}
	text := g.String()
	return text[:at] + phis.String() + text[at:] + "  %next = add i16 %i, 1\n  br i1 %c, label %loop, label %out\nout:\n  ret void\n}\n"
}

// address evaluates a pointer.
func address(f *ir.Function, v ir.Value, vals []number) number {
	m := f.Module()
	if f.Op(v) == ir.OpSelect {
		if vals[f.Operand(v, 0)].x != 0 {
			return pointerValue(f, f.Operand(v, 1), vals)
		}
		return pointerValue(f, f.Operand(v, 2), vals)
	}
	base, i := pointerValue(f, f.Operand(v, 0), vals), operandsOf(f, v, vals)[1]
	if base.poison || i.poison {
		return poisonNumber
	}
	index := i.signed() << (64 - base.w) >> (64 - base.w)
	offset := index * int64(m.AllocSize(f.GEPSource(v)))
	if flags := f.Instr(v).Flags; flags != 0 {
		sum := int64(base.x) + offset
		if index != i.signed() || max(index, -index) > 1<<40 || index == -1<<63 || sum < 0 || base.w == 32 && (offset != int64(int32(offset)) || sum >= 1<<32) {
			return poisonNumber
		}
		if flags&ir.InBounds != 0 && base.w == 32 && (sum < 1<<20 || sum > 1<<20+4096) || flags&ir.NUW != 0 && offset < 0 {
			return poisonNumber
		}
	}
	return num(base.x+uint64(offset), base.w)
}

func pointerValue(f *ir.Function, v ir.Value, vals []number) number {
	if v.IsConst() {
		return num(1<<20, 32)
	}
	return vals[v]
}

// TestAliasHolds evaluates random addresses for many inputs and checks every
// alias result against them, within one iteration of a loop and across
// iterations.
func TestAliasHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	var counts [2][4]int
	for range tries(t, 60) {
		src := randomAddresses(r, 20)
		f := parse(t, src).Global("f").Func
		var ptrs []ir.Value
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				if f.Module().IsPtr(f.TypeOf(v)) {
					ptrs = append(ptrs, v)
				}
			}
		}
		samples := evaluateAddresses(r, f, ptrs)
		a := NewAlias(f)
		for i, p := range ptrs {
			for j, q := range ptrs[:i] {
				if f.TypeOf(p) != f.TypeOf(q) {
					continue
				}
				x, y := Location{Ptr: p, Size: 1 << r.IntN(5)}, Location{Ptr: q, Size: 1 << r.IntN(5)}
				same, across := a.Alias(x, y), a.AliasAcross(x, y)
				counts[0][same]++
				counts[1][across]++
				for _, rounds := range samples {
					for k := range rounds {
						for l := range rounds {
							if k == l && contradicts(same, rounds[k][i], x.Size, rounds[l][j], y.Size) || contradicts(across, rounds[k][i], x.Size, rounds[l][j], y.Size) {
								t.Fatalf("%s, %d bytes, and %s, %d bytes: %v, across iterations %v, but addresses are %#x and %#x\n%s",
									f.NameOf(p), x.Size, f.NameOf(q), y.Size, same, across, rounds[k][i].x, rounds[l][j].x, src)
							}
						}
					}
				}
			}
		}
	}
	for _, c := range counts {
		if c[NoAlias] == 0 || c[MustAlias] == 0 || c[PartialAlias] == 0 || c[MayAlias] == 0 {
			t.Errorf("answers: %v", counts)
		}
	}
}

// contradicts reports whether two concrete addresses contradict an alias
// result.
func contradicts(r AliasResult, x number, xs uint64, y number, ys uint64) bool {
	if x.poison || y.poison {
		return false
	}
	mask := lowMask(x.w)
	overlap := (x.x-y.x)&mask < ys || (y.x-x.x)&mask < xs
	return r == NoAlias && overlap || r == PartialAlias && !overlap || r == MustAlias && x.x != y.x
}

// evaluateAddresses returns the addresses of the pointers for several inputs
// and, for each input, several loop iterations.
func evaluateAddresses(r *rand.Rand, f *ir.Function, ptrs []ir.Value) (samples [][][]number) {
	for range 60 {
		vals := make([]number, f.NumValues())
		vals[f.Arg(0)], vals[f.Arg(1)], vals[f.Arg(2)] = num(r.Uint64()>>r.IntN(64), 16), num(r.Uint64()>>r.IntN(64), 16), num(r.Uint64(), 1)
		vals[f.Arg(3)] = num(1<<40, 64)
		loop := f.NextBlock(f.Entry())
		evaluateBlock(f, f.Entry(), 0, vals)
		var rounds [][]number
		from := f.Entry()
		for range 4 {
			evaluateBlock(f, loop, from, vals)
			from = loop
			round := make([]number, len(ptrs))
			for i, p := range ptrs {
				round[i] = vals[p]
			}
			rounds = append(rounds, round)
		}
		samples = append(samples, rounds)
	}
	return samples
}

// evaluateBlock computes the values of block b when it is entered from another
// block.
func evaluateBlock(f *ir.Function, b, from ir.Block, vals []number) {
	phis := map[ir.Value]number{}
	for v := f.First(b); v != f.Terminator(b); v = f.Next(v) {
		switch {
		case f.Op(v) == ir.OpPhi:
			in := f.PhiValue(v, from)
			if f.Module().IsPtr(f.TypeOf(v)) {
				phis[v] = pointerValue(f, in, vals)
			} else if x, ok := f.Module().IntValue(in); ok {
				phis[v] = num(x, f.Module().IntBits(f.TypeOf(v)))
			} else {
				phis[v] = vals[in]
			}
			continue
		case phis != nil:
			for phi, x := range phis {
				vals[phi] = x
			}
			phis = nil
		}
		if f.Module().IsPtr(f.TypeOf(v)) {
			vals[v] = address(f, v, vals)
		} else {
			vals[v] = evalInt(f, v, operandsOf(f, v, vals))
		}
	}
}

// TestAliasOfObjects checks results that depend only on objects and metadata.
func TestAliasOfObjects(t *testing.T) {
	src := `target datalayout = "e-p:64:64-p3:32:32-p4:64:64-p5:32:32-i64:64-A5"
target triple = "amdgcn-amd-amdhsa"
@a = addrspace(1) global i32 0
@b = addrspace(1) global i64 0
@c = addrspace(4) constant [4 x i32] zeroinitializer
declare void @use(ptr addrspace(5))
declare void @look(ptr addrspace(5) captures(none) readonly) memory(argmem: read)
declare noalias ptr @new() 
define ptr @f(ptr noalias %n, ptr %p, ptr byval(i64) %v, ptr addrspace(1) %q, i1 %k) {
  %kept = alloca i32, addrspace(5)
  %given = alloca i32, addrspace(5)
  %seen = alloca i32, addrspace(5)
  call void @use(ptr addrspace(5) %given)
  call void @look(ptr addrspace(5) %seen)
  %fresh = call ptr @new()
  %loaded = load ptr addrspace(5), ptr addrspace(1) %q
  %x0 = load i32, ptr addrspace(5) %loaded
  %sel = select i1 %k, ptr addrspace(5) %kept, ptr addrspace(5) %seen
  store i32 0, ptr addrspace(5) %sel
  store i32 0, ptr addrspace(5) %kept
  store i32 0, ptr addrspace(5) %given
  store i32 0, ptr addrspace(5) %seen
  store i32 0, ptr %n
  store i32 0, ptr %p
  store i32 0, ptr %v
  store i32 0, ptr %fresh
  store i32 0, ptr addrspace(1) @a
  store i64 0, ptr addrspace(1) @b
  store i64 0, ptr addrspace(1) %q
  %l = load i32, ptr addrspace(4) @c
  call void @use(ptr addrspace(5) %given)
  call void @look(ptr addrspace(5) %seen)
  ret ptr %fresh
}
define void @loop(ptr %base, ptr noalias %other, i1 %c) {
entry:
  %end = getelementptr i8, ptr %base, i64 64
  br label %l
l:
  %i = phi ptr [ %base, %entry ], [ %next, %l ]
  %j = phi ptr [ %end, %entry ], [ %i, %l ]
  %k = phi ptr [ %other, %entry ], [ %nextk, %l ]
  store i32 0, ptr %i
  store i32 0, ptr %j
  store i32 0, ptr %k
  store i32 1, ptr %base
  %next = getelementptr inbounds i32, ptr %i, i64 1
  %nextk = getelementptr inbounds i32, ptr %k, i64 1
  store i32 0, ptr %next
  br i1 %c, label %l, label %out
out:
  ret void
}
define void @tags(ptr %p, ptr %q) {
  store i32 0, ptr %p, !tbaa !0
  store float 0.0, ptr %q, !tbaa !1
  %s = load i32, ptr %q, !tbaa !2
  %t = load float, ptr %q, !tbaa !3
  %u = load i32, ptr %p, !alias.scope !10
  store i32 1, ptr %q, !noalias !10
  store i32 2, ptr %q, !noalias !11
  ret void
}
!0 = !{!4, !4, i64 0}
!1 = !{!5, !5, i64 0}
!2 = !{!7, !4, i64 0}
!3 = !{!7, !5, i64 4}
!4 = !{!"int", !6, i64 0}
!5 = !{!"float", !6, i64 0}
!6 = !{!"char", !8, i64 0}
!7 = !{!"s", !4, i64 0, !5, i64 4}
!8 = !{!"root"}
!9 = distinct !{!9, !12}
!10 = !{!9}
!11 = !{!13}
!12 = distinct !{!12}
!13 = distinct !{!13, !12}
`
	tally := &aliasTally{}
	checkAlias(t, parse(t, src), []byte(src), tally)
	if tally.noAlias != tally.noAliasBoth || tally.none != tally.noneBoth || tally.noneOwn != 0 {
		t.Errorf("not as LLVM: %v", tally)
	}
}

func TestAliasAcross(t *testing.T) {
	f := parse(t, `
define void @f(ptr %p, ptr noalias %q, i64 %n, i1 %c) {
entry:
  %fixed = getelementptr i32, ptr %p, i64 %n
  %after = getelementptr i32, ptr %fixed, i64 1
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %a = getelementptr inbounds i32, ptr %p, i64 %i
  %b = getelementptr inbounds i32, ptr %p, i64 %next
  %o = getelementptr inbounds i32, ptr %q, i64 %i
  %low = and i64 %i, 7
  %d = getelementptr i32, ptr %p, i64 %low
  %e = getelementptr i32, ptr %p, i64 8
  br i1 %c, label %loop, label %out
out:
  ret void
}`).Global("f").Func
	v := values(f)
	a := NewAlias(f)
	for _, c := range []struct {
		x, y         string
		same, across AliasResult
	}{
		{"a", "b", NoAlias, MayAlias}, {"a", "a", MustAlias, MayAlias}, {"a", "o", NoAlias, NoAlias},
		{"fixed", "after", NoAlias, NoAlias}, {"fixed", "fixed", MustAlias, MustAlias}, {"d", "e", NoAlias, NoAlias}, {"d", "d", MustAlias, MayAlias},
	} {
		x, y := Location{Ptr: v[c.x], Size: 4}, Location{Ptr: v[c.y], Size: 4}
		if r := a.Alias(x, y); r != c.same {
			t.Errorf("%s and %s: %v, want %v", c.x, c.y, r, c.same)
		}
		if r := a.AliasAcross(x, y); r != c.across {
			t.Errorf("%s and %s across iterations: %v, want %v", c.x, c.y, r, c.across)
		}
	}
}
