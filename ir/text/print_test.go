package text

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// TestPrintFunctionAlone prints functions without their module. Their loops and
// locations refer to self-referential nodes. The numbers must be the module's.
func TestPrintFunctionAlone(t *testing.T) {
	src := `define void @before() {
  ret void, !x !1
}

define void @loop() {
  br label %1

1:                                                ; preds = %1, %0
  br label %1, !llvm.loop !0
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
`
	m := read(t, "x", []byte(src))
	whole := string(Print(m))
	got := string(PrintFunction(m.Function("loop")))
	if !strings.Contains(got, "!llvm.loop !1\n") || !strings.Contains(whole, got) {
		t.Errorf("got\n%sof\n%s", got, whole)
	}
}

// TestNodeWithoutNumber prints a node that is not reachable from a function or
// named metadata. It must get the next number without infinite recursion.
func TestNodeWithoutNumber(t *testing.T) {
	wordsOnce.Do(buildTables)
	m := read(t, "x", []byte("!a = !{!0}\n!0 = distinct !{!0}\n"))
	self := m.ReserveNode()
	m.DefineNode(self, ir.NodeTuple, false, []ir.Metadata{self, m.NewTuple(self)}, nil)
	if !m.IsDistinct(self) {
		t.Error("a self-referential node is not distinct")
	}
	w := printer{m: m}
	w.metadata(self)
	w.metadataNodes()
	if got, want := string(w.out), "!0\n!0 = distinct !{!0, !1}\n!1 = !{!0}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWidthEndsType parses integer types followed by a word without a space.
func TestWidthEndsType(t *testing.T) {
	m := read(t, "x", []byte("define i1addrspace(1)* @f(i8zeroext %x, i32addrspace(3)*%y, i1addrspace(1)* %z) {\n  ret i1addrspace(1)* %z\n}\n"))
	want := "define ptr addrspace(1) @f(i8 zeroext %x, ptr addrspace(3) %y, ptr addrspace(1) %z) {\n  ret ptr addrspace(1) %z\n}\n"
	if got := string(PrintFunction(m.Function("f"))); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
