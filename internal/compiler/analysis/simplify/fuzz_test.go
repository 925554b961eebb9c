package simplify

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// FuzzInstr simplifies all input that parses: simplification must not panic and
// must preserve types.
func FuzzInstr(f *testing.F) {
	for _, c := range ptrCases {
		rt := ptrResult(c)
		f.Add(header + ptrGlobals + "define " + rt + " @f() {\n  %r = " + c + "\n  ret " + rt + " %r\n}\n")
	}
	f.Add(`define <2 x i33> @f(<2 x i33> %x, i1 %c) {
  %a = add nuw <2 x i33> %x, <i33 -1, i33 undef>
  %b = select i1 %c, <2 x i33> %a, <2 x i33> poison
  %d = lshr exact <2 x i33> %b, splat (i33 33)
  %e = call <2 x i33> @llvm.fshl.v2i33(<2 x i33> splat (i33 5), <2 x i33> <i33 1, i33 undef>, <2 x i33> splat (i33 -1))
  %g = xor <2 x i33> %d, %e
  ret <2 x i33> %g
}
declare <2 x i33> @llvm.fshl.v2i33(<2 x i33>, <2 x i33>, <2 x i33>)
`)
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<14 {
			return
		}
		m, errs := text.Parse("fuzz.ll", []byte(src))
		if len(errs) > 0 || m == nil {
			return
		}
		for _, g := range m.Globals() {
			if g == nil || g.Func == nil {
				continue
			}
			fn := g.Func
			for b := fn.Entry(); b != 0; b = fn.NextBlock(b) {
				for v := fn.First(b); v != ir.None; v = fn.Next(v) {
					if r := Instr(fn, v); r != ir.None && fn.TypeOf(r) != fn.TypeOf(v) {
						t.Fatalf("%s became %s", text.TypeString(m, fn.TypeOf(v)), text.TypeString(m, fn.TypeOf(r)))
					}
				}
			}
		}
	})
}
