package clrx

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	disasm "github.com/gfx-toolchain/gfx/disasm/clrx"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// TestBinariesReassemble writes each binary as text, in each style that it has,
// and assembles the text to the same file.
func TestBinariesReassemble(t *testing.T) {
	configs := 0
	files := corpus.Files(t, "catalyst/bin/*.bin")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, style := range []disasm.Style{disasm.Auto, disasm.Config, disasm.Notes} {
			b, err := catalyst.Read(data)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			err = disasm.Binary(&text, b, disasm.BinaryOptions{Style: style, Words: style == disasm.Notes})
			if err != nil {
				if style != disasm.Config {
					t.Errorf("%s: style %d: %v", filepath.Base(file), style, err)
				}
				continue
			}
			if style == disasm.Config {
				configs++
			}
			got, list := reassemble(text.Bytes(), disasm.HasSymbols(b))
			if !bytes.Equal(got, data) {
				t.Errorf("%s: style %d: other bytes; %v\n%.400s", filepath.Base(file), style, list, text.Bytes())
			}
		}
	}
	t.Logf("%d of %d binaries in configuration style", configs, len(files))
}

// reassemble assembles the text of a binary.
func reassemble(text []byte, symbols bool) ([]byte, diag.List) {
	b, list := AssembleBinary(&diag.Source{Name: "text.s", Text: text}, Options{ForceSymbols: symbols})
	if b == nil {
		return nil, list
	}
	out, err := b.Bytes()
	if err != nil {
		list = append(list, diag.Diagnostic{Message: err.Error()})
	}
	return out, list
}

// FuzzBinaryText reads any file as a binary. Its text, if there is one, assembles
// to the bytes of the model.
func FuzzBinaryText(f *testing.F) {
	for _, text := range []string{
		".amd\n.kernel k\n.config\n.dims x\n.arg a, float*, global\n.text\ns_endpgm\n",
		".amd\n.gpu Tonga\n.globaldata\n.int 5\n.kernel k\n.header\n.fill 32\n.metadata\n.ascii \"x\"\n.uav\n.entry 1, 2, 3, 4\n.text\ns_nop 1\n",
	} {
		if b, _ := AssembleBinary(&diag.Source{Text: []byte(text)}, Options{}); b != nil {
			data, err := b.Bytes()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := catalyst.Read(data)
		if err != nil {
			return
		}
		want, err := b.Bytes()
		if err != nil {
			return
		}
		var text bytes.Buffer
		if disasm.Binary(&text, b, disasm.BinaryOptions{}) != nil {
			return
		}
		got, list := reassemble(text.Bytes(), disasm.HasSymbols(b))
		if !bytes.Equal(got, want) {
			t.Errorf("other bytes: %v\n%s", list, text.Bytes())
		}
	})
}
