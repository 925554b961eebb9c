package opt

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/gfx-toolchain/gfx/internal/oracle"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// canonical prints a module without the names of local values and comments.
func canonical(m *ir.Module) string {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		f := g.Func
		for i := range f.NumArgs() {
			f.SetName(f.Arg(i), nil)
		}
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			f.SetName(b.Value(), nil)
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				f.SetName(v, nil)
			}
		}
	}
	m.ID, m.SourceFile = "", ""
	lines := strings.Split(string(text.Print(m)), "\n")
	for i, l := range lines {
		if at := strings.Index(l, " ; preds"); at >= 0 {
			l = strings.TrimRight(l[:at], " ")
		}
		lines[i] = l
	}
	return strings.Join(lines, "\n")
}

// optOutput gives what opt-22 makes of a module.
func optOutput(t *testing.T, passes, src string, args ...string) *ir.Module {
	t.Helper()
	tool := oracle.Tool(t, "opt-22")
	args = append([]string{"-S", "-passes=" + passes, "-o", "-", "-"}, args...)
	out, errs, exit := oracle.Run(t, []byte(src), time.Minute, tool, args...)
	if exit != 0 {
		t.Fatalf("opt-22: %s", errs)
	}
	return parse(t, "opt-22", string(out))
}

// sameFixtures are passes whose fixtures with names that begin with "same" come out as with opt-22, names of local values aside.
var sameFixtures = []struct{ pass, args string }{
	{"lower-switch", ""},
}

func TestSameAsLLVM(t *testing.T) {
	for _, row := range sameFixtures {
		paths, _ := filepath.Glob("testdata/" + row.pass + "/same*.txtar")
		if len(paths) == 0 {
			t.Errorf("no fixtures of %s", row.pass)
		}
		for _, path := range paths {
			t.Run(row.pass+"/"+filepath.Base(path), func(t *testing.T) {
				a, err := txtar.ParseFile(path)
				if err != nil {
					t.Fatal(err)
				}
				src := string(a.Files[0].Data)
				m := parse(t, "in.ll", src)
				run(t, row.pass, m)
				want := canonical(optOutput(t, row.pass, src, strings.Fields(row.args)...))
				if diff := cmp.Diff(want, canonical(m)); diff != "" {
					t.Errorf("-LLVM +gfx\n%s", diff)
				}
			})
		}
	}
}
