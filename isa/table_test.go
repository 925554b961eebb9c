package isa

import "testing"

// TestEncsNamed compares it with a look at all encodings.
func TestEncsNamed(t *testing.T) {
	for e := Enc(0); int(e) < NumEncs(); {
		name := e.Name()
		first, end := EncsNamed(name)
		if first != e || end <= e {
			t.Fatalf("%s: from %d to %d, want from %d on", name, first, end, e)
		}
		for ; e < end; e++ {
			if e.Name() != name {
				t.Fatalf("encoding %d is %s, which is among those of %s", e, e.Name(), name)
			}
		}
	}
	for _, name := range []string{"", "v_dual_", "zzz"} {
		if first, end := EncsNamed(name); first != end {
			t.Errorf("%q: from %d to %d", name, first, end)
		}
	}
}
