package clrx

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

const benchInstructions = 300_000

// benchCode returns code of an architecture with benchInstructions
// instructions, in a random order as in a program: branches that repeat in a
// sorted list would be predicted.
func benchCode(b *testing.B, arch string) (code []byte) {
	var list [][]byte
	for _, c := range corpus.Rows(b, corpus.Files(b, "catalyst/insns.tsv.gz")[0]) {
		if c[0] == arch {
			inst, _ := hex.DecodeString(c[1])
			list = append(list, inst)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range benchInstructions {
		if i%len(list) == 0 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		code = append(code, list[i%len(list)]...)
	}
	return code
}

func BenchmarkInst(b *testing.B) {
	for _, arch := range []string{"GCN1.0", "GCN1.2", "GCN1.4"} {
		b.Run(arch, func(b *testing.B) {
			code := benchCode(b, arch)
			p := printerOf(b, arch)
			var buf []byte
			b.ReportAllocs()
			b.ResetTimer()
			for i := 0; i < b.N; {
				for at := 0; at < len(code) && i < b.N; i++ {
					text, n := p.Inst(buf[:0], code[at:])
					buf, at = text, at+n
				}
			}
		})
	}
}

// BenchmarkCode prints a block of code. Its time is per instruction.
func BenchmarkCode(b *testing.B) {
	for _, arch := range []string{"GCN1.0", "GCN1.2", "GCN1.4"} {
		b.Run(arch, func(b *testing.B) {
			code := benchCode(b, arch)
			p := printerOf(b, arch)
			b.ResetTimer()
			for i := 0; i < b.N; i += benchInstructions {
				p.pieces(code, CodeOptions{Indent: "        "}, func([]byte) {})
			}
		})
	}
}
