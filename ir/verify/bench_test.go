package verify

import (
	"testing"
)

func BenchmarkOCML(b *testing.B) {
	m := readBitcode(b, "ocml.bc")
	n := 0
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil {
			n += g.Func.NumValues()
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if found := Module(m); len(found) > 0 {
			b.Fatal(found[0].String())
		}
	}
	b.ReportMetric(float64(n), "values")
}
