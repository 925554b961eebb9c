package catalyst

import "testing"

func TestSamplerMode(t *testing.T) {
	for m, want := range map[SamplerMode]string{
		37: "normalized, clamp to edge, linear", 0x16: "in texels, clamp, nearest", 0x10: "in texels, none, nearest",
		0x29: "normalized, mirrored, linear", 0x13: "normalized, repeat, nearest", 0: "unknown", 0x1b: "unknown", 0x31: "unknown",
	} {
		if m.String() != want {
			t.Errorf("%#x is %q, want %q", uint32(m), m, want)
		}
		known := want != "unknown"
		if err := m.Check(); (err == nil) != known {
			t.Errorf("%#x: error %v", uint32(m), err)
		}
		if n := NewSamplerMode(m.Normalized(), m.Addressing(), m.Linear()); known && n != m {
			t.Errorf("%#x comes back as %#x", uint32(m), uint32(n))
		}
	}
}

func TestMeaning(t *testing.T) {
	if s := PtrResourceTable.Meaning(); s != "address of the descriptors of readable images" {
		t.Error(s)
	}
	for _, c := range []DataClass{15, 32, 1000} {
		if s := c.Meaning(); s != "" {
			t.Errorf("%v: %q", c, s)
		}
	}
}
