package sem

import (
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
)

// matTestSets lists the sets whose matrix instructions have semantics.
var matTestSets = []isa.Set{isa.GFX908, isa.GFX90A, isa.GFX942, isa.GFX950, isa.GFX1100}

// matEncs calls f for every matrix encoding of a set.
func matEncs(set isa.Set, f func(e isa.Enc, lanes int)) {
	for e := range isa.Enc(isa.NumEncs()) {
		n := e.Name()
		if !e.Sets().Has(set) || !strings.HasPrefix(n, "v_mfma") && !strings.HasPrefix(n, "v_smfmac") &&
			!strings.HasPrefix(n, "v_wmma") && !strings.HasPrefix(n, "v_swmmac") || strings.Contains(n, "_ld_scale") {
			continue
		}
		lanes := 64
		if e.Traits().Any(isa.TraitW32) {
			lanes = 32
		}
		f(e, lanes)
	}
}

// matEncNames returns the names of the matrix instructions of a set.
func matEncNames(set isa.Set) (names []string) {
	matEncs(set, func(e isa.Enc, _ int) { names = append(names, e.Name()) })
	return names
}

// TestMatrixComplete checks that every matrix instruction has semantics, with
// operands of the sizes in the instruction table.
func TestMatrixComplete(t *testing.T) {
	want := map[isa.Set]int{isa.GFX908: 20, isa.GFX90A: 27, isa.GFX942: 46, isa.GFX950: 68, isa.GFX1100: 6, isa.GFX1200: 22, isa.GFX1250: 65, isa.GFX1251: 65}
	for _, set := range append(matTestSets, isa.GFX1200, isa.GFX1250, isa.GFX1251) {
		names := map[isa.Op]bool{}
		matEncs(set, func(e isa.Enc, lanes int) {
			names[e.Op()] = true
			m := MatrixOf(e.Op())
			if m == nil {
				t.Errorf("%s: %s has no semantics", set, e.Name())
				return
			}
			r, ok := matFitting(m, e).Regs(set, lanes)
			if !ok {
				t.Errorf("%s: %s: no operands with %d lanes", set, m.Name, lanes)
				return
			}
			sizes := map[isa.Field]int{isa.FieldVdst: r.Dst, isa.FieldSrc0: r.A, isa.FieldSrc1: r.B, isa.FieldSrc2: r.Acc, isa.FieldIdx: r.Index}
			if m.Sparse && m.Wave {
				sizes[isa.FieldSrc2] = r.Index
			}
			if m.Sparse && m.C != m.D { // D is in a part of C's registers
				sizes[isa.FieldVdst] = r.Acc
			}
			found := 0
			for _, o := range e.Operands() {
				n, ok := sizes[o.Field]
				if ok {
					found++
				}
				if ok && n != int(o.Class.Info().Dwords) {
					t.Errorf("%s: %s %s: %d dwords, the table has %d", set, m.Name, o.Field, n, o.Class.Info().Dwords)
				}
			}
			if found != 4 {
				t.Errorf("%s: %s: %d operands found", set, m.Name, found)
			}
		})
		if len(names) != want[set] {
			t.Errorf("%s has %d matrix instructions, expected %d", set, len(names), want[set])
		}
	}
}

// matFitting returns the instruction with types of the sizes of an encoding's
// operands.
func matFitting(m *Matrix, e isa.Enc) *Matrix {
	types := map[uint8]uint8{8: 0, 6: 2, 4: 4} // dwords to CBSZ or BLGP
	if m.Wave {
		types = map[uint8]uint8{16: 0, 12: 2, 8: 4}
	}
	var sel [2]uint8
	for _, o := range e.Operands() {
		switch o.Field {
		case isa.FieldSrc0:
			sel[0] = types[o.Class.Info().Dwords]
		case isa.FieldSrc1:
			sel[1] = types[o.Class.Info().Dwords]
		}
	}
	return m.WithFormats(sel[0], sel[1])
}

// TestMatrixNone checks that other instructions, instructions of sets without
// semantics, and nonexistent sizes have none.
func TestMatrixNone(t *testing.T) {
	for e := range isa.Enc(isa.NumEncs()) {
		switch n := e.Name(); n {
		case "v_mfma_ld_scale_b32", "v_wmma_ld_scale_paired_b32", "v_wmma_ld_scale16_paired_b64", "v_dot2_f32_f16", "v_accvgpr_write_b32":
			if MatrixOf(e.Op()) != nil {
				t.Errorf("%s has semantics", n)
			}
		case "v_wmma_f32_16x16x16_f16":
			if _, ok := MatrixOf(e.Op()).Regs(isa.GFX1250, 64); ok {
				t.Errorf("%s has operands on gfx1250 with 64 lanes", n)
			}
		case "v_wmma_f32_16x16x32_f16":
			if _, ok := MatrixOf(e.Op()).Regs(isa.GFX1200, 32); ok {
				t.Errorf("%s has operands on gfx1200", n)
			}
		case "v_mfma_f32_32x32x1f32":
			if _, ok := MatrixOf(e.Op()).Regs(isa.GFX908, 32); ok {
				t.Errorf("%s has operands with 32 lanes", n)
			}
		}
	}
}

// TestMatrixShapes compares the shapes in the names with AMD's matrix
// instruction calculator: name, M, N, K, blocks, A, B, D.
func TestMatrixShapes(t *testing.T) {
	rows := `v_mfma_f32_32x32x1f32 32 32 1 2 f32 f32 f32
v_mfma_f32_16x16x1f32 16 16 1 4 f32 f32 f32
v_mfma_f32_4x4x1f32 4 4 1 16 f32 f32 f32
v_mfma_f32_32x32x2f32 32 32 2 1 f32 f32 f32
v_mfma_f32_16x16x4f32 16 16 4 1 f32 f32 f32
v_mfma_f32_32x32x4f16 32 32 4 2 f16 f16 f32
v_mfma_f32_16x16x4f16 16 16 4 4 f16 f16 f32
v_mfma_f32_4x4x4f16 4 4 4 16 f16 f16 f32
v_mfma_f32_32x32x8f16 32 32 8 1 f16 f16 f32
v_mfma_f32_16x16x16f16 16 16 16 1 f16 f16 f32
v_mfma_i32_32x32x4i8 32 32 4 2 i8 i8 i32
v_mfma_i32_16x16x4i8 16 16 4 4 i8 i8 i32
v_mfma_i32_4x4x4i8 4 4 4 16 i8 i8 i32
v_mfma_i32_32x32x8i8 32 32 8 1 i8 i8 i32
v_mfma_i32_16x16x16i8 16 16 16 1 i8 i8 i32
v_mfma_f32_32x32x2bf16 32 32 2 2 bf16 bf16 f32
v_mfma_f32_16x16x2bf16 16 16 2 4 bf16 bf16 f32
v_mfma_f32_4x4x2bf16 4 4 2 16 bf16 bf16 f32
v_mfma_f32_32x32x4bf16 32 32 4 1 bf16 bf16 f32
v_mfma_f32_16x16x8bf16 16 16 8 1 bf16 bf16 f32
v_mfma_f32_32x32x4bf16_1k 32 32 4 2 bf16 bf16 f32
v_mfma_f32_16x16x4bf16_1k 16 16 4 4 bf16 bf16 f32
v_mfma_f32_4x4x4bf16_1k 4 4 4 16 bf16 bf16 f32
v_mfma_f32_32x32x8bf16_1k 32 32 8 1 bf16 bf16 f32
v_mfma_f32_16x16x16bf16_1k 16 16 16 1 bf16 bf16 f32
v_mfma_f64_16x16x4f64 16 16 4 1 f64 f64 f64
v_mfma_f64_4x4x4f64 4 4 4 4 f64 f64 f64
v_mfma_f32_32x32x1_2b_f32 32 32 1 2 f32 f32 f32
v_mfma_f32_4x4x4_16b_f16 4 4 4 16 f16 f16 f32
v_mfma_f32_32x32x8_bf16 32 32 8 1 bf16 bf16 f32
v_mfma_f32_16x16x4_4b_bf16 16 16 4 4 bf16 bf16 f32
v_mfma_f32_16x16x8_xf32 16 16 8 1 xf32 xf32 f32
v_mfma_f64_4x4x4_4b_f64 4 4 4 4 f64 f64 f64
v_mfma_i32_16x16x32_i8 16 16 32 1 i8 i8 i32
v_mfma_f32_16x16x32_bf8_fp8 16 16 32 1 bf8 fp8 f32
v_smfmac_f32_32x32x16_bf16 32 32 16 1 bf16 bf16 f32
v_smfmac_i32_16x16x64_i8 16 16 64 1 i8 i8 i32
v_smfmac_f32_32x32x32_fp8_bf8 32 32 32 1 fp8 bf8 f32
v_mfma_f32_16x16x32_f16 16 16 32 1 f16 f16 f32
v_mfma_f32_32x32x16_bf16 32 32 16 1 bf16 bf16 f32
v_mfma_i32_32x32x32_i8 32 32 32 1 i8 i8 i32
v_mfma_f32_32x32x64_f8f6f4 32 32 64 1 f8f6f4 f8f6f4 f32
v_mfma_scale_f32_16x16x128_f8f6f4 16 16 128 1 f8f6f4 f8f6f4 f32
v_smfmac_f32_16x16x128_bf8_fp8 16 16 128 1 bf8 fp8 f32
v_wmma_f32_16x16x16_bf16 16 16 16 1 bf16 bf16 f32
v_wmma_bf16_16x16x16_bf16 16 16 16 1 bf16 bf16 bf16
v_wmma_i32_16x16x16_iu4 16 16 16 1 iu4 iu4 i32
v_wmma_i32_16x16x32_iu4 16 16 32 1 iu4 iu4 i32
v_wmma_f32_16x16x16_fp8_bf8 16 16 16 1 fp8 bf8 f32
v_swmmac_bf16_16x16x32_bf16 16 16 32 1 bf16 bf16 bf16
v_swmmac_f32_16x16x32_bf8_fp8 16 16 32 1 bf8 fp8 f32
v_swmmac_i32_16x16x64_iu4 16 16 64 1 iu4 iu4 i32
v_wmma_f32_16x16x4_f32 16 16 4 1 f32 f32 f32
v_wmma_bf16f32_16x16x32_bf16 16 16 32 1 bf16 bf16 bf16
v_swmmac_bf16f32_16x16x64_bf16 16 16 64 1 bf16 bf16 bf16
v_wmma_f16_16x16x128_fp8_bf8 16 16 128 1 fp8 bf8 f16
v_wmma_scale16_f32_16x16x128_f8f6f4 16 16 128 1 f8f6f4 f8f6f4 f32
v_wmma_scale_f32_32x16x128_f4 32 16 128 1 fp4 fp4 f32`
	for _, row := range strings.Split(rows, "\n") {
		name, want, _ := strings.Cut(row, " ")
		m := matNamed(t, name)
		if got := matShape(m); got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
		if m.Scaled != strings.Contains(name, "scale") {
			t.Errorf("%s: scaled %t", name, m.Scaled)
		}
		if m.Sparse != (strings.Contains(name, "smfmac") || strings.Contains(name, "swmmac")) || m.Wave != (strings.Contains(name, "wmma") || strings.Contains(name, "swmmac")) {
			t.Errorf("%s: sparse %t, wave %t", name, m.Sparse, m.Wave)
		}
	}
}

func FuzzMatrixName(f *testing.F) {
	for _, n := range []string{"v_mfma_f32_32x32x4_2b_f16", "v_mfma_f32_32x32x4bf16_1k", "v_smfmac_f32_16x16x64_bf8_fp8", "v_wmma_i32_16x16x16_iu8", "v_mfma_f32_16x16x8_xf32"} {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, name string) { parseMatrix(name) })
}
