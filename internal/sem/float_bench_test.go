package sem

import (
	"math/rand/v2"
	"testing"
)

// benchFloat runs an operation as the simulator does: lane by lane through a
// function value.
func benchFloat(b *testing.B, name string, m Mode) {
	var fn Func
	for _, rows := range tables() {
		for i := range rows {
			for _, n := range splitNames(rows[i].Name) {
				if n == name {
					fn = rows[i].Fn
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var s [3][64]uint64
	for i := range s {
		for l := range s[i] {
			s[i][l] = f32bits(float32(r.NormFloat64()))
		}
	}
	c := Ctx{Mode: m}
	var sum uint64
	b.ReportAllocs()
	for b.Loop() {
		for l := range 64 {
			sum += fn(&c, s[0][l], s[1][l], s[2][l])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/lane")
	_ = sum
}

func BenchmarkAddF32(b *testing.B)      { benchFloat(b, "v_add_f32", 0x3f0) }
func BenchmarkMulF32(b *testing.B)      { benchFloat(b, "v_mul_f32", 0x3f0) }
func BenchmarkFmaF32(b *testing.B)      { benchFloat(b, "v_fma_f32", 0x3f0) }
func BenchmarkFmaF32Flush(b *testing.B) { benchFloat(b, "v_fma_f32", 0x3c0) }
func BenchmarkFmaF32Exact(b *testing.B) { benchFloat(b, "v_fma_f32", 0x3ff) }
func BenchmarkMaxF32(b *testing.B)      { benchFloat(b, "v_max_f32", 0x3f0) }
func BenchmarkCmpF32(b *testing.B)      { benchFloat(b, "v_cmp_lt_f32", 0x3f0) }
func BenchmarkExpF32(b *testing.B)      { benchFloat(b, "v_exp_f32", 0x3f0) }
func BenchmarkCvtF16F32(b *testing.B)   { benchFloat(b, "v_cvt_f16_f32", 0x3f0) }
