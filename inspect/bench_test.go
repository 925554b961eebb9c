package inspect

import (
	"testing"
)

// BenchmarkFatBinary inspects a bundle of 50 MB.
func BenchmarkFatBinary(b *testing.B) {
	entries := generatedEntries(b, 8, 1<<18)
	size := 0
	for _, e := range entries {
		size += len(e.data)
	}
	all := entries
	for size < 50<<20 {
		for _, e := range entries[1:] {
			all = append(all, e)
			size += len(e.data)
		}
	}
	data := plainBundle(4096, all...)
	b.SetBytes(int64(len(data)))
	b.ResetTimer()
	for b.Loop() {
		f, err := Read(data)
		if err != nil {
			b.Fatal(err)
		}
		f.Inspect()
		for i := range f.Entries {
			if e := &f.Entries[i]; e.Format == FormatObject && (len(e.Object.Kernels) != 1 || len(e.Object.Findings) != 0) {
				b.Fatalf("%s: %d kernels, findings %v", e.ID, len(e.Object.Kernels), e.Object.Findings)
			}
		}
	}
}
