package verify

import (
	"strconv"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// name returns a local value as it is written.
func (c *checker) name(v ir.Value) string { return text.LocalName(c.f, v) }

// constName returns the text of a constant if it is short.
func (c *checker) constName(v ir.Value) string {
	if g := c.m.ConstGlobal(v); g != nil {
		return "@" + g.Name()
	}
	if n, ok := c.m.SignedValue(v); ok {
		return strconv.FormatInt(n, 10)
	}
	return "a constant of type " + c.typ(c.m.TypeOfConst(v))
}

// recoveredFrames checks that each llvm.localrecover index is within the
// arguments of llvm.localescape in the named function.
func (c *checker) recoveredFrames() {
	recover := c.m.Function("llvm.localrecover")
	if recover == nil {
		return
	}
	type frame struct{ escaped, wanted uint64 }
	frames := map[*ir.Function]*frame{}
	at := func(f *ir.Function) *frame {
		if frames[f] == nil {
			frames[f] = &frame{}
		}
		return frames[f]
	}
	for _, g := range c.m.Globals() {
		if g == nil || g.Func == nil {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				switch f.CalledIntrinsic(v) {
				case ir.IntrLocalescape:
					at(f).escaped = uint64(len(f.Args(v)))
				case ir.IntrLocalrecover:
					if to := c.m.ConstGlobal(c.stripCasts(f.Args(v)[0].Value)); to != nil && to.Func != nil {
						n, _ := c.m.IntValue(f.Args(v)[2].Value)
						at(to.Func).wanted = max(at(to.Func).wanted, n+1)
					}
				}
			}
		}
	}
	for _, g := range c.m.Globals() {
		if g == nil || g.Func == nil || frames[g.Func] == nil {
			continue
		}
		if fr := frames[g.Func]; fr.wanted > fr.escaped {
			c.addViolation(Violation{Function: g.Func, Message: "all indices passed to llvm.localrecover must be less than the number of " +
				"arguments passed to llvm.localescape in the parent function"})
		}
	}
}
