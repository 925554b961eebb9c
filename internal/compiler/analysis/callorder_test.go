package analysis

import "testing"

// TestCallOrder numbers functions of which some are mutually recursive.
func TestCallOrder(t *testing.T) {
	m := parse(t, `
define void @top() {
  call void @one()
  call void @self()
  ret void
}
define void @self() {
  call void @self()
  call void @leaf()
  ret void
}
define void @one() {
  call void @two()
  ret void
}
define void @two() {
  call void @one()
  call void @leaf()
  ret void
}
define void @leaf() {
  ret void
}
`)
	order := CallOrder(m)
	n := func(name string) int { return order[m.Function(name)] }
	if n("one") != n("two") || n("leaf") >= n("two") || n("two") >= n("top") || n("leaf") >= n("self") || n("self") >= n("top") || n("self") == n("one") {
		t.Errorf("top %d, self %d, one %d, two %d, leaf %d", n("top"), n("self"), n("one"), n("two"), n("leaf"))
	}
}
