package text

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// TestGuard parses texts, sequentially and in parallel, with a stopped guard.
func TestGuard(t *testing.T) {
	for _, src := range []string{
		"@a = global i32 1\n",
		"define void @f() {\n  ret void\n}\n",
		strings.Repeat("; a long text\n", minParallel/8) + "define void @f() {\n  ret void\n}\ndefine void @g() {\n  ret void\n}\n",
	} {
		guard := ir.NewGuard(0)
		if _, list := Read("a.ll", []byte(src), Options{Guard: guard}); list.HasErrors() {
			t.Fatal(list)
		}
		guard.Stop()
		func() {
			defer func() {
				if _, ok := recover().(ir.Interrupted); !ok {
					t.Errorf("%.40s: not interrupted", src)
				}
			}()
			Read("a.ll", []byte(src), Options{Guard: guard})
		}()
	}
}
