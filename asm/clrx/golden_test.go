package clrx_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/filetest"
)

// TestGolden assembles the sources of testdata. The file "in" of an archive has
// sources, separated by lines of dashes; other files are for .include and
// .incbin. "want" has the findings and contents of each source.
func TestGolden(t *testing.T) {
	filetest.Archives(t, "testdata/*.txtar", func(_ *testing.T, _ filetest.Settings, in map[string]string) map[string]string {
		var out strings.Builder
		for i, text := range strings.Split(in["in"], "\n----\n") {
			if i > 0 {
				out.WriteString("----\n")
			}
			opt := clrx.Options{
				Print:        func(text string) { fmt.Fprintf(&out, "print: %s\n", text) },
				IncludePaths: []string{"folder"},
				Open: func(name string) ([]byte, error) {
					if text, ok := in[name]; ok {
						return []byte(text), nil
					}
					return nil, fs.ErrNotExist
				},
				MaxExpansion: 1 << 20, MaxOutput: 1 << 20,
				ForceSymbols: true,
			}
			b, list := clrx.AssembleBinary(&diag.Source{Name: "in", Text: []byte(text + "\n")}, opt)
			for _, d := range list {
				out.WriteString(d.Error())
				out.WriteByte('\n')
				if d.Source == nil {
					continue
				}
				for s, n := d.Source, 0; s.From != nil && n < 3; s, n = s.From, n+1 {
					line, col := s.From.Position(s.FromOff)
					fmt.Fprintf(&out, "\t%d:%d: %s\n", line, col, s.Why)
				}
			}
			if b != nil {
				printBinary(&out, b)
			}
		}
		return map[string]string{"want": out.String()}
	})
}

// printBinary prints the contents of a binary.
func printBinary(w *strings.Builder, b *catalyst.Binary) {
	fmt.Fprintf(w, "data %x\n", b.GlobalData)
	printOthers(w, b.Sections, b.Symbols)
	for _, k := range b.Kernels {
		fmt.Fprintf(w, "kernel %s code %x\n", k.Name, k.Code)
		if k.DataGiven {
			fmt.Fprintf(w, "  data %x\n", k.Data)
		}
		if k.Config != nil {
			fmt.Fprintf(w, "  config %+v\n", *k.Config)
		}
		for _, n := range k.Notes {
			fmt.Fprintf(w, "  note %d %x\n", n.Type, n.Desc)
		}
		if k.Metadata != nil || k.Header != nil {
			fmt.Fprintf(w, "  metadata %q header %x\n", k.Metadata, k.Header)
		}
		printOthers(w, k.Sections, k.Symbols)
	}
}

func printOthers(w *strings.Builder, sections []catalyst.Section, symbols []catalyst.Symbol) {
	for _, s := range sections {
		fmt.Fprintf(w, "  section %s %v %v align %d size %d %x\n", s.Name, s.Type, s.Flags, s.Align, s.Size, s.Data)
	}
	for _, s := range symbols {
		fmt.Fprintf(w, "  symbol %s section %d bind %v value 0x%x size %d\n", s.Name, s.Section, s.Bind, s.Value, s.Size)
	}
}
