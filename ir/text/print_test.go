package text

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/ir"
)

// TestPrintFunctionAlone prints functions without their module, whose loops and
// locations name nodes that name themselves: the numbers are those of the module.
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

// TestNodeWithoutNumber prints a node that no function and no named metadata
// reaches before it is printed: it gets the next number, and does not recur.
func TestNodeWithoutNumber(t *testing.T) {
	wordsOnce.Do(buildTables)
	m := read(t, "x", []byte("!a = !{!0}\n!0 = distinct !{!0}\n"))
	self := m.ReserveNode()
	m.DefineNode(self, ir.NodeTuple, false, []ir.Metadata{self, m.NewTuple(self)}, nil)
	if !m.IsDistinct(self) {
		t.Error("a node that names itself is not distinct")
	}
	w := printer{m: m}
	w.metadata(self)
	w.metadataNodes()
	if got, want := string(w.out), "!0\n!0 = distinct !{!0, !1}\n!1 = !{!0}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestWidthEndsType reads integer types that the next word follows without a blank.
func TestWidthEndsType(t *testing.T) {
	m := read(t, "x", []byte("define i1addrspace(1)* @f(i8zeroext %x, i32addrspace(3)*%y, i1addrspace(1)* %z) {\n  ret i1addrspace(1)* %z\n}\n"))
	want := "define ptr addrspace(1) @f(i8 zeroext %x, ptr addrspace(3) %y, ptr addrspace(1) %z) {\n  ret ptr addrspace(1) %z\n}\n"
	if got := string(PrintFunction(m.Function("f"))); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
