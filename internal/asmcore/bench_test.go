package asmcore_test

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
)

// null is a dialect whose instructions take no operands and occupy one word. A
// benchmark of it measures the overhead of the core.
type null struct{ toy }

func (*null) Instruction(p *asmcore.Parser, start, end int) {
	p.Pos = end
	for !p.AtEnd() {
		p.Pos++
	}
	p.Emit32(nop)
}

func benchSource(b *testing.B, line string, dialect func() asmcore.Dialect) {
	const lines = 100000
	text := []byte(strings.Repeat(line, lines))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		p := asmcore.New(&diag.Source{Name: "x.s", Text: text}, asmcore.Options{Dialect: dialect(), Machine: &gfx900})
		p.Run()
		if p.Finish() == nil {
			b.Fatal(p.Diagnostics())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines/float64(strings.Count(line, "\n")), "ns/line")
}

func nullDialect() asmcore.Dialect { return new(null) }
func toyDialect() asmcore.Dialect  { return new(toy) }

func BenchmarkStatement(b *testing.B) { benchSource(b, "\ts_nop_0\n", nullDialect) }
func BenchmarkOperands(b *testing.B)  { benchSource(b, "\tv_add_f32_e32 v0, v1, v2\n", nullDialect) }
func BenchmarkComment(b *testing.B)   { benchSource(b, "\ts_nop_0 // 0000: BF800000\n", nullDialect) }
func BenchmarkLong(b *testing.B)      { benchSource(b, "\t.long 0x12345678, 5\n", nullDialect) }
func BenchmarkBranch(b *testing.B)    { benchSource(b, "1:\ts_branch 1b\n", toyDialect) }
func BenchmarkExpression(b *testing.B) {
	benchSource(b, "\t.long 1+2*3, (4-5)<<6\n", nullDialect)
}
