package text

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// wantErrors matches the expected errors of a text: ; ERROR "regexp" on the
// line of the error. gfx reports all of them, LLVM only the first.
var wantErrors = regexp.MustCompile("; ERROR(-GFX)? (\"[^\"]*\"|`[^`]*`)")

type wanted struct {
	line    int
	re      *regexp.Regexp
	gfxOnly bool
}

func wantedErrors(t *testing.T, text []byte) (list []wanted) {
	t.Helper()
	for i, line := range strings.Split(string(text), "\n") {
		for _, m := range wantErrors.FindAllStringSubmatch(line, -1) {
			s, err := strconv.Unquote(m[2])
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			list = append(list, wanted{i + 1, regexp.MustCompile(s), m[1] != ""})
		}
	}
	return list
}

// TestErrors parses invalid texts and checks the errors and their lines.
func TestErrors(t *testing.T) {
	archive := errorCases(t)
	for _, file := range archive.Files {
		t.Run(file.Name, func(t *testing.T) {
			want := wantedErrors(t, file.Data)
			_, list := Parse(file.Name, file.Data)
			for _, d := range list {
				line := 1
				if d.Source != nil {
					line, _ = d.Source.Position(d.Off)
				}
				found := false
				for i, w := range want {
					if w.line == line && w.re.MatchString(d.Message) {
						want = append(want[:i], want[i+1:]...)
						found = true
						break
					}
				}
				if !found {
					t.Errorf("unexpected: %v", d)
				}
			}
			for _, w := range want {
				t.Errorf("line %d: no error matches %q", w.line, w.re)
			}
		})
	}
}

func errorCases(t *testing.T) *txtar.Archive {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/errors.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) < 190 {
		t.Errorf("%d cases", len(archive.Files))
	}
	return archive
}

var llvmError = regexp.MustCompile(`<stdin>:(\d+):\d+: error: `)

// TestErrorsLLVM checks that LLVM rejects the same texts at the line of one
// of the errors.
func TestErrorsLLVM(t *testing.T) {
	as := oracle.Tool(t, "llvm-as-22")
	for _, file := range errorCases(t).Files {
		t.Run(file.Name, func(t *testing.T) {
			want := wantedErrors(t, file.Data)
			_, errs, exit := oracle.Run(t, file.Data, toolTime, as, "-o", os.DevNull)
			if len(want) > 0 && want[0].gfxOnly {
				return
			}
			m := llvmError.FindSubmatch(errs)
			if exit == 0 || m == nil {
				t.Fatalf("llvm-as-22 reports no error: %s", bytes.TrimSpace(errs))
			}
			line, _ := strconv.Atoi(string(m[1]))
			for _, w := range want {
				if w.line == line || w.line+1 == line { // LLVM may report the following token
					return
				}
			}
			t.Errorf("llvm-as-22 has the error elsewhere: %s", errs)
		})
	}
}
