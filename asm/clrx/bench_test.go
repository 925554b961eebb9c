package clrx_test

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm/clrx"
	"github.com/gfx-toolchain/gfx/diag"
)

// benchLines are lines of a typical kernel.
var benchLines = []string{
	"    s_load_dwordx4 s[4:7], s[2:3], 0x10",
	"    s_waitcnt lgkmcnt(0)",
	"    v_add_u32 v1, vcc, v2, v3",
	"    v_mad_f32 v4, v5, v6, -v7",
	"    buffer_load_dword v8, v9, s[4:7], 0 offen offset:16",
	"    v_cmp_lt_f32 vcc, v1, v2   # compare",
	"    s_and_b64 s[8:9], vcc, exec",
	"    v_mul_f32 v3, 0x3f490fdb, v3",
	"    ds_write_b32 v1, v2 offset:4",
	"    s_mov_b32 m0, 0x8000",
}

// BenchmarkAssemble reports the time per line of a source with instructions.
func BenchmarkAssemble(b *testing.B) {
	const lines = 30000
	var text strings.Builder
	text.WriteString(".amd\n.gpu Tonga\n.kernel k\n.config\n.dims x\n.text\n")
	for i := range lines {
		text.WriteString(benchLines[i%len(benchLines)])
		text.WriteByte('\n')
	}
	src := &diag.Source{Name: "x", Text: []byte(text.String())}
	b.ReportAllocs()
	for b.Loop() {
		if r, list := clrx.Assemble(src, clrx.Options{}); r == nil {
			b.Fatal(list)
		}
	}
	b.ReportMetric(float64(b.N*lines)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}
