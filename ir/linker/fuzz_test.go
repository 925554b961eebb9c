package linker

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/ir/text"
)

// FuzzLink links two modules with arbitrary options. It must not crash, bodies
// must be consistent, and the printed result must parse again.
func FuzzLink(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		last := ""
		for i, file := range a.Files {
			if strings.HasSuffix(file.Name, ".b.ll") {
				f.Add(last, string(file.Data), byte(i))
			}
			last = string(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, a, b string, bits byte) {
		l := New("fuzz")
		for i, src := range []string{a, b} {
			m, list := text.Parse("m.ll", []byte(src))
			if list.HasErrors() {
				return
			}
			opt := Options{}
			if i == 0 && bits&8 != 0 {
				l = Into(m)
				continue
			}
			if i > 0 {
				opt = Options{OnlyNeeded: bits&1 != 0, Internalize: bits&2 != 0, Override: bits&4 != 0}
			}
			if err := l.Link(Source{Module: m}, opt); err != nil {
				return
			}
		}
		checkLinks(t, l.Module())
		out := text.Print(l.Module())
		if _, list := text.Parse("linked.ll", out); list.HasErrors() {
			t.Fatalf("the linked module has errors: %v\n%s", list, out)
		}
	})
}
