package asm_test

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/target"
)

// BenchmarkAssemble assembles every eighth text of a corpus, with the tables
// built before.
func BenchmarkAssemble(b *testing.B) {
	for _, cpu := range []string{"gfx803", "gfx942", "gfx1100", "gfx1200"} {
		b.Run(cpu, func(b *testing.B) {
			tgt, err := target.New("amdgcn--", cpu, "")
			if err != nil {
				b.Fatal(err)
			}
			var lines []string
			for _, file := range corpus.Files(b, "isa/corpus/"+cpu+".tsv.gz") {
				for i, row := range corpus.Rows(b, file) {
					if i%8 == 0 {
						lines = append(lines, row[1])
					}
				}
			}
			encode := asm.Encoder(tgt)
			texts := make([][]byte, len(lines))
			for i, line := range lines {
				texts[i] = []byte(line)
			}
			b.SetBytes(int64(len(strings.Join(lines, "\n"))))
			b.ReportAllocs()
			pass := func() {
				for _, text := range texts {
					encode(text)
				}
			}
			pass()
			for b.Loop() {
				pass()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(texts)), "ns/instruction")
		})
	}
}
