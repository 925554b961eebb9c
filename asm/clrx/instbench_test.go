package clrx

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// BenchmarkInstructions assembles 300,000 lines of GCN 1.2 instructions.
func BenchmarkInstructions(b *testing.B) {
	var text strings.Builder
	text.WriteString(".amd\n.gpu Tonga\n.kernel k\n.config\n.dims x\n.text\n")
	n := 0
	for n < 300_000 {
		for _, c := range corpus.Rows(b, corpus.Files(b, "catalyst/insns.tsv.gz")[0]) {
			if c[0] != "GCN1.2" || n == 300_000 || strings.Contains(c[2], " .") {
				continue
			}
			if _, err := hex.DecodeString(c[1]); err != nil {
				b.Fatal(err)
			}
			text.WriteString(c[2] + "\n")
			n++
		}
	}
	src := &diag.Source{Name: "bench.s", Text: []byte(text.String())}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if r, list := AssembleBinary(src, Options{Device: catalyst.LookupDevice("Tonga")}); r == nil {
			b.Fatal(list[0])
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}
