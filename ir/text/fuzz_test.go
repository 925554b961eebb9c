package text

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzParse parses arbitrary text. The reader must not crash, hang or use much
// memory. A text that it accepts must be unchanged after printing and parsing
// again.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/llvm/*.ll"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	if archive, err := txtar.ParseFile("testdata/errors.txtar"); err == nil {
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		m, list := Parse("fuzz.ll", src)
		if p := newParser("fuzz.ll", src, Options{}); p.tryParallel(2) {
			p.finish()
			if p.list.HasErrors() != list.HasErrors() {
				t.Fatalf("errors when read in two steps: %v, sequentially: %v", p.list, list)
			}
			if m != nil && !bytes.Equal(Print(p.m), Print(m)) {
				t.Fatal("the module differs when read in two steps")
			}
		}
		if list.HasErrors() {
			if m != nil {
				t.Fatal("got both a module and errors")
			}
			list.Print(&bytes.Buffer{}, false)
			return
		}
		for _, g := range m.Globals() {
			if g != nil && g.Func != nil {
				if err := g.Func.CheckLinks(); err != nil {
					t.Fatal(err)
				}
			}
		}
		once := Print(m)
		again, list := Parse("fuzz.ll", once)
		if list.HasErrors() {
			t.Fatalf("the printed module has errors: %v\n%s", list, once)
		}
		if twice := Print(again); !bytes.Equal(once, twice) {
			t.Fatalf("the text differs after printing again:\n%s\n---\n%s", once, twice)
		}
	})
}
