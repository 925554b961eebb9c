package opt

import (
	"testing"

	"github.com/gfx-toolchain/gfx/internal/filetest"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// parse reads a module.
func parse(t testing.TB, name, src string) *ir.Module {
	t.Helper()
	m, errs := text.Parse(name, []byte(src))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return m
}

// pipeline reads a pipeline.
func pipeline(t testing.TB, passes string) Pipeline {
	t.Helper()
	p, err := ParsePipeline(passes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkModule checks what must hold after each pass.
func checkModule(m *ir.Module) error {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			if err := g.Func.CheckLinks(); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs passes on a module, checking it after each.
func run(t testing.TB, passes string, m *ir.Module) {
	t.Helper()
	ctx := &Context{VerifyEach: checkModule, VerifyFunction: (*ir.Function).CheckLinks}
	if err := pipeline(t, passes).Run(ctx, m); err != nil {
		if e, ok := err.(*Error); ok && e.Stack != nil {
			t.Logf("%s", e.Stack)
		}
		t.Fatal(err)
	}
}

// TestPasses runs the fixtures of all passes: testdata/<pass>/*.txtar have in.ll, and want.ll that the pass makes of it. The variable
// "passes" names another pipeline than the folder.
func TestPasses(t *testing.T) {
	for _, pass := range foldersOf(t, "testdata") {
		t.Run(pass, func(t *testing.T) {
			filetest.Archives(t, "testdata/"+pass+"/*.txtar", func(t *testing.T, set filetest.Settings, in map[string]string) map[string]string {
				passes := pass
				if set["passes"] != "" {
					passes = set["passes"]
				}
				m := parse(t, "in.ll", in["in.ll"])
				run(t, passes, m)
				return map[string]string{"want.ll": string(text.Print(m))}
			})
		})
	}
}
