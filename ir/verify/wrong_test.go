package verify

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// expectation matches the expected violations in a text.
var expectation = regexp.MustCompile(`; (WRONG|DEBUG)(-ANYWHERE)? "([^"]*)"`)

type expected struct {
	line     int // 0 for anywhere
	debug    bool
	message  string
	anywhere bool
}

func expectations(src string) (list []expected) {
	for i, line := range strings.Split(src, "\n") {
		for _, m := range expectation.FindAllStringSubmatch(line, -1) {
			list = append(list, expected{line: i + 1, debug: m[1] == "DEBUG", message: m[3], anywhere: m[2] != ""})
		}
	}
	return list
}

func wrongModules(t *testing.T) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/wrong.txtar")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range archive.Files {
		n += len(expectations(string(f.Data)))
	}
	if n < 120 {
		t.Errorf("only %d violations", n)
	}
	return archive.Files
}

// take removes the expectation that a violation fulfils.
func take(list []expected, d diag.Diagnostic, debug bool) ([]expected, bool) {
	line := 0
	if d.Source != nil {
		line, _ = d.Source.Position(d.Off)
	}
	for i, e := range list {
		if e.debug == debug && strings.Contains(d.Message, e.message) && (e.anywhere || e.line == line) {
			return append(list[:i:i], list[i+1:]...), true
		}
	}
	return list, false
}

// TestWrong checks that testdata/wrong.txtar has exactly the expected
// violations at the expected lines.
func TestWrong(t *testing.T) {
	for _, f := range wrongModules(t) {
		t.Run(f.Name, func(t *testing.T) {
			m, places, list := text.ParsePlaces(f.Name, f.Data)
			if list.HasErrors() {
				t.Fatal(list.Err())
			}
			want := expectations(string(f.Data))
			found := Module(m)
			for i, d := range Diagnostics(m, found, places) {
				ok := false
				if want, ok = take(want, d, found[i].DebugInfo); !ok {
					t.Errorf("unexpected: %v", d)
				}
			}
			for _, e := range want {
				t.Errorf("line %d: no violation with %q", e.line, e.message)
			}
		})
	}
}

// TestWrongLLVM checks that LLVM reports the same messages for the same
// modules.
func TestWrongLLVM(t *testing.T) {
	as := oracle.Tool(t, "llvm-as-22")
	for _, f := range wrongModules(t) {
		t.Run(f.Name, func(t *testing.T) {
			want := expectations(string(f.Data))
			verdict, why := theirs(t, as, f.Data)
			if mine, _ := ours(f.Name, f.Data); mine != verdict || mine == accepted {
				t.Errorf("%v, LLVM: %v: %s", mine, verdict, why)
			}
			for _, e := range want {
				if !strings.Contains(why, e.message) {
					t.Errorf("line %d: LLVM does not report %s: %s", e.line, strconv.Quote(e.message), why)
				}
			}
		})
	}
}
