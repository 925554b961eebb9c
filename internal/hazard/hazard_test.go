package hazard

import (
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// TestMatrixPasses compares passes with CDNA 3 ISA and LLVM's SISchedule.td.
func TestMatrixPasses(t *testing.T) {
	for _, c := range []struct {
		cpu, text string
		want      uint8
	}{
		{"gfx908", "v_mfma_f32_4x4x1f32 a[0:3], v0, v0, a[0:3]", 2},
		{"gfx908", "v_mfma_f32_16x16x16f16 a[0:3], v[0:1], v[0:1], a[0:3]", 8},
		{"gfx908", "v_mfma_i32_32x32x8i8 a[0:15], v0, v0, a[0:15]", 16},
		{"gfx90a", "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], v[0:1]", 4},
		{"gfx90a", "v_mfma_f64_16x16x4f64 v[0:7], v[8:9], v[10:11], v[0:7]", 16},
		{"gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[0:3]", 8},
		{"gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]", 4},
		{"gfx942", "v_mfma_f32_16x16x4_f32 v[0:3], v4, v6, v[0:3]", 8},
		{"gfx942", "v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], v[0:3]", 4},
		{"gfx942", "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]", 8},
		{"gfx942", "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[32:33], v[34:35], v[0:31]", 16},
		{"gfx942", "v_mfma_f32_32x32x2_f32 v[0:15], v16, v18, v[0:15]", 16},
		{"gfx942", "v_mfma_f32_32x32x4_xf32 v[0:15], v[16:17], v[18:19], v[0:15]", 8},
		{"gfx942", "v_mfma_i32_16x16x32_i8 v[0:3], v[4:5], v[6:7], v[0:3]", 4},
		{"gfx942", "v_smfmac_f32_16x16x32_f16 v[0:3], v[4:5], v[6:9], v10", 4},
		{"gfx942", "v_smfmac_f32_32x32x16_f16 v[0:15], v[16:17], v[18:21], v22", 8},
	} {
		tgt, err := target.New("amdgcn-amd-amdhsa", c.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		code, err := asm.Inst(nil, c.text, tgt)
		if err != nil {
			t.Fatal(err)
		}
		set, _ := isa.SetOf(tgt.Processor)
		in, _, err := isa.NewDecoder(set, 64).Decode(code)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := matrixPasses(&in); got != c.want {
			t.Errorf("%s %s: %d passes, want %d", c.cpu, c.text, got, c.want)
		}
	}
}

// TestHazardRows checks that the classes of every row occur.
func TestHazardRows(t *testing.T) {
	have := hzReadsZ | hzNSA | hzNSAOffset // depend on operands and offsets
	for e := range isa.Enc(isa.NumEncs()) {
		for set := range isa.Set(isa.NumSets) {
			if in, ok := isa.Sample(e, set, 64); ok && set.Gen() >= isa.Gen8 {
				f := FactsOf(&in, reguse.Of(&in))
				have |= f.class
			}
		}
	}
	for i := range rows.Get() {
		r := &rows.Get()[i]
		if r.prod == 0 || r.cons == 0 || r.states == 0 || r.wr.how != 0 != (r.rd.how != 0) {
			t.Errorf("%s: incomplete", r.name)
		}
		if miss := (r.prod | r.cons | r.not | r.until) &^ have; miss != 0 {
			t.Errorf("%s: no instruction has the classes %#x", r.name, miss)
		}
	}
}
