package clrx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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

// TestInstructionRejects checks the place of the first error and the number of
// errors of the instructions that CLRX refuses.
func TestInstructionRejects(t *testing.T) {
	for _, file := range corpus.Files(t, "catalyst/rejects.tsv") {
		for _, c := range plainRows(t, file) {
			text := strings.NewReplacer(`\n`, "\n", `\\`, `\`).Replace(c[5])
			if !strings.Contains(text, ".text\n") || c[1] != "6" {
				continue
			}
			device := strings.TrimPrefix(strings.Fields(c[0])[0], "--gpu-type=")
			src := &diag.Source{Name: "reject.s", Text: []byte(text)}
			_, list := AssembleBinary(src, Options{Device: catalyst.LookupDevice(device)})
			n, first := 0, ""
			for _, d := range list {
				if d.Severity != diag.Error {
					continue
				}
				if n++; n == 1 {
					line := bytes.Count(src.Text[:d.Off], []byte("\n")) + 1
					column := d.Off - bytes.LastIndexByte(src.Text[:d.Off], '\n')
					first = decimal(line) + ":" + decimal(column) + " " + d.Message
				}
			}
			if !strings.HasPrefix(first, c[1]+":"+c[2]+" ") || decimal(n) != c[3] {
				t.Errorf("%q: %d errors, first %s; want %s at %s:%s (%s)", text, n, first, c[3], c[1], c[2], c[4])
			}
		}
	}
}

// plainRows reads a table without its header line.
func plainRows(t *testing.T, file string) (rows [][]string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}

// TestInstructionSources assembles the sources about instructions and real
// kernels, and compares the binaries.
func TestInstructionSources(t *testing.T) {
	for _, file := range corpus.Files(t, "catalyst/expected.tsv") {
		dir := filepath.Join(filepath.Dir(file), "src")
		for _, c := range plainRows(t, file) {
			if !strings.HasPrefix(c[0], "isa-") && !strings.HasPrefix(c[0], "k-") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, c[0]))
			if err != nil {
				t.Fatal(err)
			}
			opt := Options{}
			for _, o := range strings.Fields(c[1]) {
				name, value, _ := strings.Cut(o, "=")
				switch name {
				case "--gpu-type":
					opt.Device = catalyst.LookupDevice(value)
				case "--arch":
					a, _ := catalyst.ParseArch(value)
					opt.Device = a.Lowest()
				case "--64bit":
					opt.Wide = true
				case "--driver-version":
					n, _ := strconv.Atoi(value)
					opt.DriverVersion = uint32(n)
				default:
					t.Fatalf("option %s", o)
				}
			}
			b, list := AssembleBinary(&diag.Source{Name: c[0], Text: text}, opt)
			if c[2] == "!" != (b == nil) {
				t.Errorf("%s %s: %v", c[0], c[1], list)
				continue
			}
			if b == nil {
				continue
			}
			out, err := b.Bytes()
			if err != nil {
				t.Errorf("%s %s: %v", c[0], c[1], err)
			}
			if sum := sha256.Sum256(out); hex.EncodeToString(sum[:]) != c[2] {
				t.Errorf("%s %s: the binary differs", c[0], c[1])
			}
		}
	}
}

// TestInstructionAccepted checks the warnings about instructions that CLRX
// accepts.
func TestInstructionAccepted(t *testing.T) {
	for _, file := range corpus.Files(t, "catalyst/accepted.tsv") {
		for _, c := range plainRows(t, file) {
			text := strings.NewReplacer(`\n`, "\n", `\\`, `\`).Replace(c[4])
			if !strings.Contains(text, ".text\n") {
				continue
			}
			device := strings.TrimPrefix(strings.Fields(c[0])[0], "--gpu-type=")
			src := &diag.Source{Name: "accepted.s", Text: []byte(text)}
			b, list := AssembleBinary(src, Options{Device: catalyst.LookupDevice(device)})
			want := ""
			if c[1] == "warned" {
				want = c[2] + ":" + c[3]
			}
			got := ""
			for _, d := range list {
				line := bytes.Count(src.Text[:d.Off], []byte("\n")) + 1
				got = decimal(line) + ":" + decimal(d.Off-bytes.LastIndexByte(src.Text[:d.Off], '\n'))
				break
			}
			if b == nil || got != want {
				t.Errorf("%q: %v at %s, want warning at %q", text, list, got, want)
			}
		}
	}
}
