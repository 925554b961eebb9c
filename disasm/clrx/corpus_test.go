package clrx

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// printerOf returns the printer of an architecture by its name.
func printerOf(t testing.TB, arch string) *Printer {
	a, ok := catalyst.ParseArch(arch)
	if !ok {
		t.Fatalf("no architecture %s", arch)
	}
	p, err := NewPrinter(a, false)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// distances are the distances of branches to negative addresses, which CLRX's
// disassembler prints without their sign.
var distances = regexp.MustCompile(`\.\+18\d{18}`)

// negative returns such a distance with its sign.
func negative(s string) string {
	v, _ := strconv.ParseUint(s[2:], 10, 64)
	return "." + strconv.FormatInt(int64(v), 10)
}

// TestInstructions compares the text of instructions whose text CLRX assembles
// back to the same bytes.
func TestInstructions(t *testing.T) {
	bad := 0
	for _, file := range corpus.Files(t, "catalyst/insns.tsv.gz") {
		for _, c := range corpus.Rows(t, file) {
			code, err := hex.DecodeString(c[1])
			if err != nil {
				t.Fatal(err)
			}
			got, n := printerOf(t, c[0]).Inst(nil, code)
			c[2] = distances.ReplaceAllStringFunc(c[2], negative)
			if string(got) != c[2] || n != len(code) {
				if bad++; bad <= 500 {
					t.Errorf("%s %s: %q, %d bytes, want %q", c[0], c[1], got, n, c[2])
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d rows differ", bad)
	}
}

// unlike describes texts of CLRX's disassembler that its assembler refuses or
// assembles to other bytes, where a printer's text differs: m0 as a pair of
// registers, an SDWA dword that selects nothing in an instruction with one
// source, instructions with the opcode of another one.
func unlike(want, got string) bool {
	return strings.ReplaceAll(want, "&ill!", "") == got || want == "?" || want+" sdwa" == got
}

// TestForms compares the text of the bytes of operand forms, as CLRX's
// assembler encodes them, with its disassembler's.
func TestForms(t *testing.T) {
	bad := 0
	for _, file := range corpus.Files(t, "catalyst/forms.tsv.gz") {
		for _, c := range corpus.Rows(t, file) {
			code, err := hex.DecodeString(c[2])
			if err != nil {
				t.Fatal(err)
			}
			got, n := printerOf(t, c[0]).Inst(nil, code)
			if string(got) != c[3] && !unlike(c[3], string(got)) || n != len(code) && c[3] != "?" {
				if bad++; bad <= 50 {
					t.Errorf("%s %s: %q, %d bytes, want %q", c[0], c[2], got, n, c[3])
				}
			}
		}
	}
	if bad > 0 {
		t.Errorf("%d rows differ", bad)
	}
}
