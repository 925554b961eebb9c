package asmcore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"golang.org/x/tools/txtar"
)

// FuzzAssemble parses arbitrary text. The parser must not panic, hang or use
// much memory, and its output must be readable.
func FuzzAssemble(f *testing.F) {
	for _, pattern := range []string{"testdata/object/*.txtar", "testdata/errors/*.txtar", "testdata/list/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal("no seeds", err)
		}
		for _, file := range files {
			a, err := txtar.ParseFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, file := range a.Files {
				if file.Name != "in.s" {
					continue
				}
				f.Add(string(file.Data))
				for part := range strings.SplitSeq(string(file.Data), "\n.text\n") {
					f.Add(part)
				}
			}
		}
	}
	limits := asmcore.Limits{Expansion: 1 << 16, Output: 1 << 20, Errors: 50}
	open := func(name string) ([]byte, error) {
		if len(name)%2 == 0 {
			return nil, os.ErrNotExist
		}
		return []byte(".byte 1\n.include \"a\"\n"), nil
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<16 {
			return
		}
		watchdog := time.AfterFunc(10*time.Second, func() { panic("the assembler hangs") })
		defer watchdog.Stop()
		for _, list := range []bool{false, true} {
			o, p := assemble(t, src, asmcore.Options{Limits: limits, Machine: &gfx1010, Open: open, List: list})
			if n := len(p.Diagnostics()); n > limits.Errors+64 {
				t.Errorf("%d messages", n)
			}
			for _, d := range p.Diagnostics() {
				if d.Source != nil && (d.Off < 0 || d.Off > len(d.Source.Text)+1) {
					t.Errorf("message outside its text: %v", d)
				}
			}
			if o == nil || hasTables(p) {
				continue
			}
			if _, err := codeobject.Read(o.Bytes()); err != nil {
				t.Fatalf("the object cannot be read: %v", err)
			}
		}
	})
}

// hasTables reports whether a source declares its own sections as symbol tables
// or relocations although they are not.
func hasTables(p *asmcore.Parser) bool {
	for _, typ := range p.SectionTypes() {
		switch typ {
		case codeobject.SHT_SYMTAB, codeobject.SHT_DYNSYM, codeobject.SHT_RELA, codeobject.SHT_SYMTAB_SHNDX:
			return true
		}
	}
	return false
}
