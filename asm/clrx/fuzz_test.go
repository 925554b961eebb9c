package clrx_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
)

// FuzzAssemble assembles arbitrary text. The assembler must not panic, its
// errors must be in the text, and a binary with kernels must be readable. The
// limits are small because a few bytes of source can request much output.
func FuzzAssemble(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, in, _ := strings.Cut(string(text), "-- in --\n")
		in, _, _ = strings.Cut(in, "\n-- ")
		for _, source := range strings.Split(in, "\n----\n") {
			f.Add(source)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := &diag.Source{Name: "x", Text: []byte(text)}
		opt := clrx.Options{
			MaxOutput: 1 << 16, MaxExpansion: 1 << 14, ForceSymbols: true,
			Open: func(name string) ([]byte, error) {
				if name == "x" {
					return src.Text, nil
				}
				return nil, errors.New("no such file")
			},
		}
		b, list := clrx.AssembleBinary(src, opt)
		for _, d := range list {
			if d.Source != nil && (d.Off < 0 || d.End < d.Off || d.End > len(d.Source.Text)) {
				t.Fatalf("place %d to %d outside of the text: %v", d.Off, d.End, d)
			}
		}
		if (b == nil) != list.HasErrors() {
			t.Fatalf("result %v with %v", b, list)
		}
		if b == nil {
			return
		}
		data, err := b.Bytes()
		if err != nil || len(b.Kernels) == 0 {
			return // a file without kernels has lost its data
		}
		if _, err := catalyst.Read(data); err != nil {
			t.Fatalf("the binary cannot be read: %v", err)
		}
	})
}
