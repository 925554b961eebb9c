package hazard

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// TestHazardsGFX125 checks sequences of instructions. Each line may end with the
// hazards that its instruction has, with the number of missing v_nop. Source:
// LLVM, as observed.
func TestHazardsGFX125(t *testing.T) {
	const (
		f16    = "v_wmma_f32_16x16x32_f16 v[16:23], v[0:7], v[8:15], v[16:23]"
		iu8    = "v_wmma_i32_16x16x64_iu8 v[16:23], v[0:7], v[8:15], v[16:23]"
		f32    = "v_wmma_f32_16x16x4_f32 v[16:23], v[0:1], v[8:9], v[16:23]"
		sparse = "v_swmmac_f32_16x16x64_f16 v[24:31], v[0:7], v[8:23], v32"
		slow   = "v_swmmac_i32_16x16x128_iu8 v[24:31], v[0:7], v[8:23], v[32:33]"
	)
	for _, c := range []string{
		f16 + "\nv_mov_b32 v40, v16 // WMMACoexecutionHazard 4",
		f16 + "\nv_mov_b32 v16, v40 // WMMACoexecutionHazard 4",
		f16 + "\nv_mov_b32 v7, v40 // WMMACoexecutionHazard 4",
		f16 + "\nv_mov_b32 v40, v7",
		f16 + "\nv_rcp_f32 v40, v16",
		f16 + "\nv_rcp_f32 v40, v16\nv_mov_b32 v1, v40 // VALUTransCoexecutionHazard 1 WMMACoexecutionHazard 3",
		f16 + "\nv_nop\nv_nop\nv_nop\nv_nop\nv_mov_b32 v40, v16",
		f16 + "\nv_nop\nv_nop\ns_nop 7\nv_nop\nv_mov_b32 v40, v16 // WMMACoexecutionHazard 1",
		f16 + "\nglobal_store_b32 v[50:51], v16, off",
		f16 + "\n" + f16,
		f16 + "\nv_wmma_f32_16x16x32_f16 v[24:31], v[16:23], v[8:15], v[24:31] // WMMACoexecutionHazard 5",
		f16 + "\nv_wmma_f32_16x16x4_f32 v[24:31], v[16:17], v[8:9], v[24:31]",
		iu8 + "\nv_mov_b32 v40, v16 // WMMACoexecutionHazard 8",
		iu8 + "\nv_wmma_f32_16x16x32_f16 v[24:31], v[0:7], v[16:23], v[24:31] // WMMACoexecutionHazard 9",
		iu8 + "\nv_wmma_f32_16x16x32_f16 v[24:31], v[0:7], v[40:47], v[24:31]\nv_add_f32 v8, v24, v25 // WMMACoexecutionHazard 7",
		f32 + "\nv_mov_b32 v40, v16",
		sparse + "\nv_mov_b32 v32, v40 // WMMACoexecutionHazard 2",
		sparse + "\nv_swmmac_f32_16x16x64_f16 v[40:47], v[0:7], v[8:23], v24 // WMMACoexecutionHazard 3",
		slow + "\nv_mov_b32 v40, v24 // WMMACoexecutionHazard 4",
		"v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[0:7]\nv_mov_b32 v40, v0 // WMMACoexecutionHazard 8",
		"v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:15], v[24:31], v[0:7] matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4\nv_mov_b32 v40, v0 // WMMACoexecutionHazard 4",
		"v_rcp_f32 v0, v1\nv_mov_b32 v1, v2 // VALUTransCoexecutionHazard 1",
		"v_rcp_f32 v0, v1\nv_mov_b32 v0, v2 // VALUTransCoexecutionHazard 1",
		"v_rcp_f32 v0, v1\nv_mov_b32 v2, v1",
		"v_rcp_f32 v0, v1\nv_rcp_f32 v2, v0\nv_mov_b32 v1, v3",
		"v_rcp_f32 v0, v1\nglobal_store_b32 v[2:3], v0, off\nv_mov_b32 v1, v7 // VALUTransCoexecutionHazard 1",
		"v_cmpx_eq_u32 v0, v1\nv_permlane16_b32 v0, v1, s0, s1",
		"s_getreg_b32 s0, hwreg(HW_REG_WAVE_STATUS) // GetRegWaitIdle 0\ns_getreg_b32 s0, hwreg(HW_REG_WAVE_MODE)",
		"s_wait_alu 0\ns_getreg_b32 s0, hwreg(HW_REG_WAVE_EXCP_FLAG_USER)",
		"v_nop\nds_atomic_async_barrier_arrive_b64 v0 // AsyncBarrierArriveHazard 0\nv_nop // AsyncBarrierArriveHazard 0\nv_nop",
		"s_wait_alu 0xffe3\nds_atomic_async_barrier_arrive_b64 v0\ns_wait_alu 0xffe3\nv_nop",
		"s_mov_b32 s102, 1\ns_nop 5\ns_mov_b32 s0, src_flat_scratch_base_lo // ScratchBaseForwardingHazard 0 ScratchBaseForwardingHazard 0",
		"s_mov_b32 s102, 1\ns_nop 8\ns_mov_b32 s0, src_flat_scratch_base_lo // ScratchBaseForwardingHazard 0 ScratchBaseForwardingHazard 0",
		"s_mov_b32 s102, 1\ns_nop 9\ns_mov_b32 s0, src_flat_scratch_base_lo",
	} {
		checkSequence(t, c)
	}
}

func checkSequence(t *testing.T, text string) {
	t.Helper()
	tgt, err := target.New("amdgcn-amd-amdhsa", "gfx1250", "")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	x := Checker{Report: func(f *Found) { found = append(found, fmt.Sprint(f.Name, " ", f.Missing)) }}
	x.Reset(isa.GFX1250, 32)
	for n, line := range strings.Split(text, "\n") {
		line, want, _ := strings.Cut(line, " // ")
		code, err := asm.Inst(nil, line, tgt)
		if err != nil {
			t.Fatal(line, err)
		}
		in, _, err := isa.NewDecoder(isa.GFX1250, 32).Decode(code)
		if err != nil {
			t.Fatal(line, err)
		}
		found = found[:0]
		uses := reguse.Of(&in)
		f := FactsOf(&in, uses)
		x.Check(uint64(n)+1, &f, uses)
		slices.Sort(found)
		if got := strings.Join(found, " "); got != want {
			t.Errorf("%s\n%s: hazards %q, want %q", text, line, got, want)
		}
		x.Enter(uint64(n)+1, &f, uses)
	}
}
