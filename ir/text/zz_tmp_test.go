package text

import (
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	name := os.Getenv("ZZ")
	if name == "" {
		t.Skip()
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m, list := Parse("<stdin>", src)
	list.Print(os.Stderr, false)
	if m == nil {
		t.Fail()
		return
	}
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			if err := g.Func.CheckLinks(); err != nil {
				t.Error(g.Name(), err)
			}
		}
	}
	os.WriteFile(os.Getenv("ZZOUT"), Print(m), 0o666)
}
