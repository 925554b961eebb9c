package simplify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDenormalOracle compares folding under functions' denormal modes with
// LLVM's.
func TestDenormalOracle(t *testing.T) {
	g := gen{rand.New(rand.NewPCG(5, 6))}
	modes := strings.Fields("ieee preserve-sign positive-zero dynamic")
	shapes := []string{"fadd T $, $", "fsub T $, $", "fmul T $, $", "fdiv T $, $", "fcmp olt T $, $", "fcmp une T $, $", "fneg T $",
		"call T @llvm.canonicalize.M(T $)", "call T @llvm.fma.M(T $, T $, T $)", "call T @llvm.floor.M(T $)", "call T @llvm.maxnum.M(T $, T $)"}
	denormal := map[string][]string{"float": {"0x3770000000000000", "0xB7E0000000000000", "0x380FFFFFC0000000", "0x3810000000000000", "0xB810000000000000"},
		"double": {"0x0000000000000001", "0x8008000000000000", "0x0010000000000000", "0x000FFFFFFFFFFFFF"}, "half": {"0xH0001", "0xH83FF", "0xH0400"}}
	var src strings.Builder
	src.WriteString(header)
	total := cases(t, 800)
	instrs := make([]string, total)
	for i := range total {
		typ := g.one([]string{"float", "double", "half"})
		s := strings.ReplaceAll(strings.ReplaceAll(g.one(shapes), "T", typ), "M", mangled(typ))
		for strings.Contains(s, "$") {
			x := g.one(denormal[typ])
			if g.IntN(3) == 0 {
				x = g.float(typ)
			}
			s = strings.Replace(s, "$", x, 1)
		}
		attr := fmt.Sprintf(`"denormal-fp-math"="%s,%s"`, g.one(modes), g.one(modes))
		if g.IntN(2) == 0 {
			attr += fmt.Sprintf(` "denormal-fp-math-f32"="%s,%s"`, g.one(modes), g.one(modes))
		}
		rt := typ
		if strings.HasPrefix(s, "fcmp") {
			rt = "i1"
		}
		instrs[i] = s + " ; " + attr
		fmt.Fprintf(&src, "define %s @f%d() %s {\n  %%r = %s\n  ret %s %%r\n}\n", rt, i, attr, s, rt)
	}
	for typ := range denormal {
		m := mangled(typ)
		fmt.Fprintf(&src, "declare %[1]s @llvm.canonicalize.%[2]s(%[1]s)\ndeclare %[1]s @llvm.fma.%[2]s(%[1]s, %[1]s, %[1]s)\ndeclare %[1]s @llvm.floor.%[2]s(%[1]s)\ndeclare %[1]s @llvm.maxnum.%[2]s(%[1]s, %[1]s)\n", typ, m)
	}
	stats, examples := map[string]int{}, map[string]string{}
	ours, theirs := compare(t, src.String())
	for i, instr := range instrs {
		verdict(ours[fmt.Sprint("f", i)], theirs[fmt.Sprint("f", i)], instr, stats, examples)
	}
	report(t, stats, examples)
}
