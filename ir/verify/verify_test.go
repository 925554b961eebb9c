package verify

import (
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/ir/text"
)

const toolTime = time.Minute

// TestRight checks that valid modules have no violations, in gfx and in LLVM.
func TestRight(t *testing.T) {
	as := oracle.Tool(t, "llvm-as-22")
	for _, f := range rightModules(t) {
		m, list := text.Parse(f.Name, f.Data)
		if list.HasErrors() {
			t.Errorf("%v", list)
			continue
		}
		for _, v := range Module(m) {
			t.Errorf("%s: %s", f.Name, v.String())
		}
		for _, g := range m.Globals() {
			if g != nil && g.Func != nil {
				for _, v := range Function(g.Func) {
					t.Errorf("%s, alone: %s", f.Name, v.String())
				}
			}
		}
		if v, why := theirs(t, as, f.Data); v != accepted {
			t.Errorf("%s: LLVM: %v: %s", f.Name, v, why)
		}
	}
}

// TestPlainLocation reads a module without a debug info version whose location
// is not a DILocation. The location must be dropped like all other debug
// information, with and without other attachments.
func TestPlainLocation(t *testing.T) {
	for _, attached := range []string{"!dbg !0", "!dbg !0, !a !0"} {
		m, list := text.Parse("x", []byte("define void @f() {\n  ret void, "+attached+"\n}\n!0 = !{}\n"))
		if list.HasErrors() {
			t.Fatal(list)
		}
		if dropped, wrong := AfterReading(m); len(dropped)+len(wrong) > 0 {
			t.Errorf("%s: %v %v", attached, dropped, wrong)
		}
	}
}
