package linker_test

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/ir/linker"
	"github.com/gfx-toolchain/gfx/ir/text"
)

func Example() {
	l := linker.New("all")
	for i, src := range []string{
		"declare i32 @f()\ndefine i32 @main() {\n  %r = call i32 @f()\n  ret i32 %r\n}\n",
		"define i32 @f() {\n  ret i32 1\n}\ndefine void @unused() {\n  ret void\n}\n",
	} {
		m, list := text.Parse("in.ll", []byte(src))
		if err := list.Err(); err != nil {
			fmt.Println(err)
			return
		}
		// the whole first module; from the second, only the first one's
		// requirements
		opt := linker.Options{OnlyNeeded: i > 0, Internalize: i > 0}
		if err := l.Link(linker.Source{Module: m}, opt); err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, g := range l.Module().Globals() {
		if g != nil {
			fmt.Println(g.Linkage, g.Name())
		}
	}
	// Output:
	// external main
	// internal f
}
