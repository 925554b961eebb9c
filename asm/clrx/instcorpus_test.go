package clrx

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// slot is the distance of the instructions in the tests of rows.
const slot = 32

// assembleRows assembles texts at a distance of a slot, and returns the bytes of
// each, nil for one with an error, and the errors.
func assembleRows(t testing.TB, arch string, texts []string) (code [][]byte, problems []string) {
	a, ok := catalyst.ParseArch(arch)
	if !ok {
		t.Fatalf("no architecture %s", arch)
	}
	var b strings.Builder
	b.WriteString(".amd\n.kernel k\n.config\n.dims x\n.text; first:\n")
	const head = 5
	for i, s := range texts {
		fmt.Fprintf(&b, ". = first+%d; %s\n", i*slot, s)
	}
	fmt.Fprintf(&b, ". = first+%d\n", len(texts)*slot)
	src := &diag.Source{Name: "rows.s", Text: []byte(b.String())}
	p := newParser(src, Options{Device: a.Lowest()})
	p.runSource()
	problems = make([]string, len(texts))
	code = make([][]byte, len(texts))
	for _, d := range p.list {
		if d.Severity != diag.Error {
			continue
		}
		line := bytes.Count(src.Text[:d.Off], []byte("\n"))
		if line >= head && problems[line-head] == "" {
			problems[line-head] = d.Message
		}
	}
	data := p.sections[p.kernels[0].code].data
	for i := range texts {
		if problems[i] == "" {
			code[i] = data[i*slot : (i+1)*slot]
		}
	}
	return code, problems
}

// testRows assembles the texts in a column and compares them with the bytes in
// another one.
func testRows(t *testing.T, pattern string, text, want int) {
	bad := 0
	for _, file := range corpus.Files(t, pattern) {
		byArch := map[string][][]string{}
		for _, c := range corpus.Rows(t, file) {
			byArch[c[0]] = append(byArch[c[0]], c)
		}
		for arch, rows := range byArch {
			for len(rows) > 0 {
				n := min(len(rows), 500)
				var texts []string
				for _, c := range rows[:n] {
					texts = append(texts, c[text])
				}
				code, problems := assembleRows(t, arch, texts)
				for i, c := range rows[:n] {
					b, _ := hex.DecodeString(c[want])
					full := append(b, make([]byte, slot-len(b))...)
					if !bytes.Equal(code[i], full) {
						if bad++; bad <= 50 {
							t.Errorf("%s %q: %x %s, want %s", arch, c[text], code[i], problems[i], c[want])
						}
					}
				}
				rows = rows[n:]
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d rows differ", bad)
	}
}

// TestInstructionRows assembles the texts of CLRX's disassembler.
func TestInstructionRows(t *testing.T) { testRows(t, "catalyst/insns.tsv.gz", 2, 1) }

// TestFormRows assembles the operand forms that CLRX accepts.
func TestFormRows(t *testing.T) { testRows(t, "catalyst/forms.tsv.gz", 1, 2) }
