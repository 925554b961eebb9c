package linker

import (
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// TestMergeAttributes checks the attributes of library functions against clang
// 22's rules.
func TestMergeAttributes(t *testing.T) {
	for _, c := range []struct{ own, unit, want [][2]string }{
		{nil, [][2]string{{"target-cpu", "gfx900"}, {"other", "1"}}, [][2]string{{"target-cpu", "gfx900"}}},
		{[][2]string{{"target-cpu", "gfx803"}, {"other", "2"}}, [][2]string{{"target-cpu", "gfx900"}}, [][2]string{{"target-cpu", "gfx900"}, {"other", "2"}}},
		{
			[][2]string{{"target-features", "+gfx10-insts,-dpp"}},
			[][2]string{{"target-features", "+dpp,+ci-insts"}},
			[][2]string{{"target-features", "+ci-insts,+gfx10-insts,-dpp"}},
		},
		{nil, [][2]string{{"denormal-fp-math-f32", "preserve-sign,preserve-sign"}}, [][2]string{{"denormal-fp-math-f32", "preserve-sign,preserve-sign"}}},
		{[][2]string{{"denormal-fp-math-f32", "dynamic,dynamic"}}, nil, nil},
		{[][2]string{{"denormal-fp-math-f32", "ieee,ieee"}}, [][2]string{{"denormal-fp-math-f32", "preserve-sign,preserve-sign"}}, [][2]string{{"denormal-fp-math-f32", "ieee,ieee"}}},
		{nil, [][2]string{{"denormal-fp-math", "preserve-sign,preserve-sign"}}, nil},
		{[][2]string{{"frame-pointer", "none"}}, [][2]string{{"frame-pointer", "all"}}, [][2]string{{"frame-pointer", "all"}}},
	} {
		m := ir.NewModule("m")
		set := func(list [][2]string) ir.AttrSet {
			var attrs []ir.Attr
			for _, kv := range list {
				attrs = append(attrs, m.NewStringAttr(kv[0], kv[1]))
			}
			return m.AttrSet(attrs)
		}
		if got := mergeAttributes(m, set(c.own), set(c.unit)); got != set(c.want) {
			t.Errorf("%v with %v: %v, want %v", c.own, c.unit, m.Attrs(got), c.want)
		}
	}
}
