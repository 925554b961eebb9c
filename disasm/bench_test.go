package disasm

import (
	"encoding/hex"
	"io"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
)

// benchCode returns the bytes of a processor's corpus rows whose text assembles
// to them, one instruction each, and the processor's decoder.
func benchCode(b *testing.B, cpu string) (list [][]byte, d *isa.Decoder) {
	file := corpus.Files(b, "isa/corpus/"+cpu+".tsv.gz")[0]
	for _, c := range corpus.Rows(b, file) {
		if c[2] == "=" {
			code, _ := hex.DecodeString(c[0])
			list = append(list, append(code, make([]byte, isa.MaxSize)...))
		}
	}
	return list, decoderOf(b, file)
}

func BenchmarkInst(b *testing.B) {
	for _, cpu := range []string{"gfx900", "gfx1100"} {
		b.Run(cpu, func(b *testing.B) {
			list, d := benchCode(b, cpu)
			var buf []byte
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				in, _, err := d.Decode(list[i%len(list)])
				if err == nil {
					buf = Inst(buf[:0], &in)
				}
			}
			io.Discard.Write(buf)
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	list, d := benchCode(b, "gfx900")
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		d.Decode(list[i%len(list)])
	}
}
