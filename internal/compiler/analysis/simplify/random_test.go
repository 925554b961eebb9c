package simplify

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/ireval"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// exprGen generates random functions of few instructions whose operands often
// repeat.
type exprGen struct {
	gen
	body  strings.Builder
	n     int
	vals  map[string][]string // by type
	decls map[string]bool
}

var (
	binaryOps = []string{"add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "udiv", "urem", "sdiv", "srem",
		"add nsw", "add nuw", "sub nuw", "sub nsw", "mul nuw", "mul nsw", "shl nuw", "shl nsw", "lshr exact", "ashr exact", "udiv exact"}
	intCalls   = []string{"smax", "smin", "umax", "umin", "uadd.sat", "usub.sat"}
	floatOps   = []string{"fadd", "fsub", "fmul", "fdiv", "fadd nsz", "fsub nnan", "fmul nnan nsz", "fdiv nnan", "fsub nsz", "fadd reassoc nsz", "fsub reassoc nsz"}
	floatCalls = []string{"minnum", "maxnum", "copysign", "minimum"}
	unaryCalls = []string{"fabs", "floor", "trunc"}
)

func (g *exprGen) operand(t string) string {
	if vals := g.vals[t]; len(vals) > 0 && g.IntN(3) == 0 {
		return vals[len(vals)-1]
	}
	if vals := g.vals[t]; len(vals) > 0 && g.IntN(4) != 0 {
		return vals[g.IntN(len(vals))]
	}
	for {
		if v := g.value(t); v != "poison" && v != "undef" {
			return v
		}
	}
}

func (g *exprGen) emit(t, format string, args ...any) {
	v := fmt.Sprintf("%%v%d", g.n)
	g.n++
	fmt.Fprintf(&g.body, "  %s = %s\n", v, fmt.Sprintf(format, args...))
	g.vals[t] = append(g.vals[t], v)
}

func (g *exprGen) call(t, name string, n int) {
	params := strings.TrimSuffix(strings.Repeat(t+", ", n), ", ")
	g.decls[fmt.Sprintf("declare %s @llvm.%s.%s(%s)", t, name, mangled(t), params)] = true
	var args []string
	for range n {
		args = append(args, t+" "+g.operand(t))
	}
	g.emit(t, "call %s @llvm.%s.%s(%s)", t, name, mangled(t), strings.Join(args, ", "))
}

// step emits one instruction.
func (g *exprGen) step() {
	switch g.IntN(12) {
	case 0, 1, 2, 3:
		g.emit("i8", "%s i8 %s, %s", g.one(binaryOps), g.operand("i8"), g.operand("i8"))
	case 4:
		g.call("i8", g.one(intCalls), 2)
	case 5:
		g.emit("i1", "icmp %s i8 %s, %s", g.one(intPreds), g.operand("i8"), g.operand("i8"))
	case 6:
		g.emit("i1", "%s i1 %s, %s", g.one([]string{"and", "or", "xor"}), g.operand("i1"), g.operand("i1"))
	case 7:
		t := g.one([]string{"i8", "i1", "float"})
		g.emit(t, "select i1 %s, %s %s, %s %s", g.operand("i1"), t, g.operand(t), t, g.operand(t))
	case 8:
		g.emit("float", "%s float %s, %s", g.one(floatOps), g.operand("float"), g.operand("float"))
	case 9:
		switch g.IntN(3) {
		case 0:
			g.emit("float", "fneg float %s", g.operand("float"))
		case 1:
			g.call("float", g.one(unaryCalls), 1)
		default:
			g.call("float", g.one(floatCalls), 2)
		}
	case 10:
		g.emit("i1", "fcmp %s float %s, %s", g.one(floatPreds), g.operand("float"), g.operand("float"))
	case 11:
		switch g.IntN(4) {
		case 0:
			g.emit("i16", "%s i8 %s to i16", g.one([]string{"zext", "sext"}), g.operand("i8"))
		case 1:
			g.emit("i8", "trunc i16 %s to i8", g.operand("i16"))
		case 2:
			g.emit("i8", "zext i1 %s to i8", g.operand("i1"))
		default:
			g.emit("i1", "xor i1 %s, true", g.operand("i1"))
		}
	}
}

// function returns a function that returns its last value.
func (g *exprGen) function(name string) string {
	g.body.Reset()
	g.n = 0
	g.vals = map[string][]string{"i8": {"%x", "%y"}, "i1": {"%c", "%d"}, "float": {"%f", "%g"}, "i16": {"%w"}}
	for range 1 + g.IntN(4) {
		g.step()
	}
	last := fmt.Sprintf("%%v%d", g.n-1)
	for t, vals := range g.vals {
		if vals[len(vals)-1] == last {
			return fmt.Sprintf("define %s @%s(i8 %%x, i8 %%y, i1 %%c, i1 %%d, float %%f, float %%g, i16 %%w) {\n%s  ret %s %s\n}\n", t, name, g.body.String(), t, last)
		}
	}
	panic("no last value")
}

// TestRandomExpressions simplifies random functions. Their results must not
// change, and LLVM must not simplify them much further.
func TestRandomExpressions(t *testing.T) {
	g := &exprGen{gen: gen{rand.New(rand.NewPCG(3, 4))}, decls: map[string]bool{}}
	total := cases(t, 1500)
	missed := map[string]int{}
	same, more, less := 0, 0, 0
	for done := 0; done < total; done += 1500 {
		n := min(1500, total-done)
		var src strings.Builder
		src.WriteString(header)
		texts := make([]string, n)
		for i := range n {
			texts[i] = g.function(fmt.Sprint("f", i))
			src.WriteString(texts[i])
		}
		for d := range g.decls {
			src.WriteString(d + "\n")
		}
		checkMeaning(t, g.gen, src.String(), n, texts)
		ours, theirs := compare(t, src.String())
		for i := range n {
			name := fmt.Sprint("f", i)
			switch a, b := strings.Count(ours[name], "\n"), strings.Count(theirs[name], "\n"); {
			case a == b:
				same++
			case a < b:
				more++
			default:
				less++
				missed[strings.TrimSpace(texts[i][strings.Index(texts[i], "{"):])]++
			}
		}
	}
	t.Logf("%d as LLVM, %d simpler than LLVM, %d that LLVM simplifies further", same, more, less)
	if less*20 > total {
		t.Errorf("LLVM simplifies %d of %d further", less, total)
	}
	if testing.Verbose() {
		var list []string
		for s := range missed {
			list = append(list, s)
		}
		sort.Slice(list, func(i, j int) bool { return len(list[i]) < len(list[j]) })
		for _, s := range list[:min(len(list), 40)] {
			t.Log(s)
		}
	}
}

// checkMeaning evaluates functions before and after simplification with random
// arguments.
func checkMeaning(t *testing.T, g gen, src string, n int, texts []string) {
	t.Helper()
	before, after := machine1(t, src, false), machine1(t, src, true)
	var room [7]ireval.Value
	for i := range n {
		name := fmt.Sprint("f", i)
		for range 12 {
			args := []uint64{g.special(8), g.special(8), g.Uint64() & 1, g.Uint64() & 1, g.specialFloat(), g.specialFloat(), g.special(16)}
			for j, a := range args {
				room[j] = ireval.Value{Words: []uint64{a}, Taint: []uint8{0}}
			}
			want, err := before.Call(name, room[:]...)
			if err != nil || want.Taint[0] != 0 {
				continue
			}
			got, err := after.Call(name, room[:]...)
			if signalingMinimum(texts[i]) {
				break
			}
			if err != nil || got.Taint[0] != 0 || got.Words[0] != want.Words[0] && !bothNaN(texts[i], got.Words[0], want.Words[0]) {
				t.Errorf("%x: %v %v, was %v\n%s", args, got, err, want, texts[i])
				break
			}
		}
	}
}

// signalingMinimum reports whether a function may take the minimum of a
// signaling NaN, whose result is disputed.
func signalingMinimum(fn string) bool {
	return strings.Contains(fn, "num.f32") && strings.Contains(fn, "0x7FF4")
}

func bothNaN(fn string, a, b uint64) bool {
	f := &formats[ir.Float]
	if !strings.HasPrefix(fn, "define float") {
		return false
	}
	return f.isNaN(a) && f.isNaN(b) || strings.Contains(fn, "nsz") && f.isZero(a) && f.isZero(b) || strings.Contains(fn, "reassoc")
}

func (g gen) special(width uint) uint64 {
	list := []uint64{0, 1, 2, 3, 7, 8, 127, 128, 255, 254, 1 << (width - 1), g.Uint64()}
	return list[g.IntN(len(list))] & lowMask(width)
}

func (g gen) specialFloat() uint64 {
	f := &formats[ir.Float]
	list := []uint64{0, f.sign(), f.one(), f.one() | f.sign(), f.inf(), f.inf() | f.sign(), f.nan(), g.Uint64() & 0xffffffff, 0x40000000}
	return list[g.IntN(len(list))]
}

func machine1(t *testing.T, src string, simplified bool) *ireval.Machine {
	t.Helper()
	m, errs := text.Parse("test.ll", []byte(src))
	if errs != nil {
		t.Fatal(errs)
	}
	if simplified {
		simplifyModule(m)
	}
	mc, err := ireval.New(m, ireval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return mc
}
