package amdgpu_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
)

// wrong are operations that a chipset does not have, with the error before the one
// that the operation could not be legalized. The operands of op have the types in
// args: %0, %1 and so on.
var wrong = []struct {
	edition, chipset, args, op, message string
}{
	{"22", "gfx803", "memref<4xf32>, i32", "amdgpu.raw_buffer_load %0[%1] : memref<4xf32>, i32 -> f32", "'amdgpu.raw_buffer_load' op raw buffer ops require GCN or higher"},
	{"22", "gfx942", "memref<4xf16>, i32", "amdgpu.raw_buffer_load %0[%1] : memref<4xf16>, i32 -> vector<3xf16>", "'amdgpu.raw_buffer_load' op Load or store of more than 32-bits that doesn't fit into words. Can't happen\n"},
	{"22", "gfx942", "memref<4xf32>, i32", "amdgpu.raw_buffer_load %0[%1] : memref<4xf32>, i32 -> vector<5xf32>", "'amdgpu.raw_buffer_load' op Total width of loads or stores must be no more than 128 bits, but we call for 160 bits. This should've been caught in validation"},
	{"19", "gfx942", "memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>, i32", "amdgpu.raw_buffer_load %0[%1] : memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>, i32 -> f32", errLayout},
	{"19", "gfx942", "memref<4xf32, #gpu.address_space<global>>, i32", "amdgpu.raw_buffer_load %0[%1] : memref<4xf32, #gpu.address_space<global>>, i32 -> f32", "conversion of memref memory space #gpu.address_space<global> to integer address space failed. Consider adding memory space conversions."},
	{"19", "gfx906", "f32, vector<4xf32>", "amdgpu.mfma %0 * %0 + %1 {m = 16 : i32, n = 16 : i32, k = 4 : i32, blocks = 1 : i32} blgp = none : f32, f32, vector<4xf32>", "'amdgpu.mfma' op MFMA only supported on gfx908+"},
	{"19", "gfx90a", "f64, vector<4xf64>", "amdgpu.mfma %0 * %0 + %1 {m = 16 : i32, n = 16 : i32, k = 4 : i32, blocks = 1 : i32, negateB} blgp = none : f64, f64, vector<4xf64>", "'amdgpu.mfma' op negation unsupported on older than gfx840"},
	{"22", "gfx90a", "f64, vector<4xf64>", "amdgpu.mfma 16x16x4 %0 * %0 + %1 {negateB} blgp = none : f64, f64, vector<4xf64>", "'amdgpu.mfma' op negation unsupported on older than gfx942"},
	{"22", "gfx942", "vector<32xf4E2M1FN>, vector<4xf32>", "amdgpu.mfma 16x16x128 %0 * %0 + %1 blgp = none : vector<32xf4E2M1FN>, vector<32xf4E2M1FN>, vector<4xf32>", "'amdgpu.mfma' op no intrinsic matching MFMA size on given chipset"},
	{"22", "gfx950", "vector<32xf4E2M1FN>, vector<4xf32>", "amdgpu.mfma 16x16x128 %0 * %0 + %1 {cbsz = 1 : i32, abid = 1 : i32} blgp = none : vector<32xf4E2M1FN>, vector<32xf4E2M1FN>, vector<4xf32>", "'amdgpu.mfma' op non-default abid, blgp, and cbsz aren't supported on MFMAs that can be scaled as those fields are used for type information"},
	{"22", "gfx942", "vector<32xf4E2M1FN>, vector<4xf32>, f8E8M0FNU", "amdgpu.scaled_mfma 16x16x128 (%2[0] * %0) * (%2[0] * %0) + %1 : f8E8M0FNU, vector<32xf4E2M1FN>, f8E8M0FNU, vector<32xf4E2M1FN>, vector<4xf32>", "'amdgpu.scaled_mfma' op scaled MFMA only supported on gfx908+"},
	{"22", "gfx90a", "vector<4xf16>, vector<8xf16>, vector<4xf32>, vector<4xi8>", "amdgpu.sparse_mfma 16x16x32 %0 * %1 + %2 sparse(%3 : vector<4xi8>) : vector<4xf16>, vector<8xf16>, vector<4xf32>", "'amdgpu.sparse_mfma' op sparse MFMA (smfmac) only supported on gfx942+"},
	{"22", "gfx942", "vector<8xf16>, vector<16xf16>, vector<4xf32>, vector<4xi8>", "amdgpu.sparse_mfma 16x16x64 %0 * %1 + %2 sparse(%3 : vector<4xi8>) : vector<8xf16>, vector<16xf16>, vector<4xf32>", "'amdgpu.sparse_mfma' op no intrinsic matching sparse MFMA on the given chipset"},
	{"19", "gfx1030", "vector<16xf16>, vector<8xf32>", "amdgpu.wmma %0 * %0 + %1 : vector<16xf16>, vector<16xf16>, vector<8xf32>", "'amdgpu.wmma' op WMMA only supported on gfx11"},
	{"22", "gfx1030", "vector<16xf16>, vector<8xf32>", "amdgpu.wmma 16x16x16 %0 * %0 + %1 : vector<16xf16>, vector<16xf16>, vector<8xf32>", "'amdgpu.wmma' op WMMA only supported on gfx11 and gfx12"},
	{"22", "gfx1100", "vector<16xf16>, vector<8xbf16>", "amdgpu.wmma 16x16x16 %0 * %0 + %1 : vector<16xf16>, vector<16xf16>, vector<8xbf16>", "'amdgpu.wmma' op no intrinsic matching WMMA on the given chipset"},
	{"22", "gfx1200", "vector<8xf16>, vector<8xf16>", "amdgpu.wmma 16x16x16 %0 * %0 + %1 {subwordOffset = 1 : i32} : vector<8xf16>, vector<8xf16>, vector<8xf16>", "'amdgpu.wmma' op subwordOffset not supported on gfx12+"},
	{"22", "gfx1200", "vector<64xf4E2M1FN>, vector<8xf32>, vector<4xf8E8M0FNU>", "amdgpu.scaled_wmma 16x16x128 (%2 * %0) * (%2 * %0) + %1 {a_first_scale_lane = 0 : i32, b_first_scale_lane = 0 : i32} : vector<4xf8E8M0FNU>, vector<64xf4E2M1FN>, vector<4xf8E8M0FNU>, vector<64xf4E2M1FN>, vector<8xf32>", "'amdgpu.scaled_wmma' op WMMA scale only supported on gfx1250+"},
	{"22", "gfx1250", "vector<64xf4E2M1FN>, vector<8xf32>, vector<4xf8E8M0FNU>, vector<8xf8E8M0FNU>", "amdgpu.scaled_wmma 16x16x128 (%2 * %0) * (%3 * %0) + %1 {a_first_scale_lane = 0 : i32, b_first_scale_lane = 0 : i32} : vector<4xf8E8M0FNU>, vector<64xf4E2M1FN>, vector<8xf8E8M0FNU>, vector<64xf4E2M1FN>, vector<8xf32>", "'amdgpu.scaled_wmma' op scaleA and scaleB must have equal vector length"},
	{"19", "gfx1200", "", "amdgpu.lds_barrier", "'amdgpu.lds_barrier' op don't know how to lower this for chipset major version12"},
	{"22", "gfx942", "", "amdgpu.memory_counter_wait tensor(1)", "'amdgpu.memory_counter_wait' op unsupported chipset"},
	{"22", "gfx90a", "f32", "amdgpu.packed_trunc_2xfp8 %0, undef into undef[word 0] : f32 to vector<4xf8E4M3FNUZ>", ""},
	{"22", "gfx90a", "f32, i32", "amdgpu.packed_stoch_round_fp8 %0 + %1 into undef[0] : f32 to vector<4xf8E4M3FNUZ>", ""},
	{"22", "gfx90a", "vector<4xf8E4M3FN>", "amdgpu.ext_packed_fp8 %0[0] : vector<4xf8E4M3FN> to f32", ""},
	{"22", "gfx942", "vector<4xf8E4M3FN>, f32", "amdgpu.scaled_ext_packed %0[0], %1 : vector<4xf8E4M3FN> to vector<2xf32>", ""},
	{"22", "gfx942", "vector<2xf32>, f32", "amdgpu.packed_scaled_trunc %0 into undef[0], %1 : vector<2xf32> to vector<4xf8E4M3FN>", ""},
	{"22", "gfx950", "vector<8xf8E4M3FN>, vector<4xf8E8M0FNU>", "amdgpu.scaled_ext_packed_matrix %0 scale(%1) blockSize(32) firstScaleLane(0) firstScaleByte(0) : vector<8xf8E4M3FN>, vector<4xf8E8M0FNU> -> vector<8xf32>", ""},
	{"22", "gfx942", "i32", "amdgpu.permlane_swap %0 16 : i32", "'amdgpu.permlane_swap' op permlane_swap is only supported on gfx950+"},
	{"22", "gfx1100", "memref<4xf32>, memref<4xf32, 3>, index", "amdgpu.gather_to_lds %0[%2], %1[%2] : f32, memref<4xf32>, memref<4xf32, 3>", "'amdgpu.gather_to_lds' op pre-gfx9 and post-gfx10 not supported"},
	{"22", "gfx942", "memref<4xf32>, memref<4xf32, 3>, index", "amdgpu.gather_to_lds %0[%2], %1[%2] : vector<4xf32>, memref<4xf32>, memref<4xf32, 3>", "'amdgpu.gather_to_lds' op Gather to LDS instructions with 12-byte and 16-byte load widths are only supported on gfx950"},
	{"22", "gfx942", "memref<64xf16, 3>, index", "amdgpu.transpose_load %0[%1] : memref<64xf16, 3> -> vector<4xf16>", "'amdgpu.transpose_load' op Non-gfx950 chipset not supported"},
	{"22", "gfx950", "memref<64xi4, 3>, index", "amdgpu.transpose_load %0[%1] : memref<64xi4, 3> -> vector<16xi4>", "'amdgpu.transpose_load' op Expect source memref to have at least 8 bits element size, got 4"},
	{"22", "gfx1200", "memref<4xi32, 1>, memref<4xi32, 3>, index", "amdgpu.make_dma_base %0[%2], %1[%2] : memref<4xi32, 1>, memref<4xi32, 3> -> !amdgpu.tdm_base<i32>", "'amdgpu.make_dma_base' op make_dma_base is only supported on gfx1250"},
	{"22", "gfx1200", "!amdgpu.tdm_base<i32>", "amdgpu.make_dma_descriptor %0 globalSize [64, 64] globalStride [64, 1] sharedSize [16, 32] : !amdgpu.tdm_base<i32> -> !amdgpu.tdm_descriptor", "'amdgpu.make_dma_descriptor' op make_dma_descriptor is only supported on gfx1250"},
}

const errLayout = "conversion to strided form failed either due to non-strided layout maps (which should have been normalized away) or other reasons"

// unlike are operations that mlir-opt does not refuse, but which it crashes on or leaves
// unfinished.
var unlike = []struct{ chipset, args, op string }{
	{"gfx942", "vector<2xi32>", "amdgpu.dpp %0 %0 row_mirror : vector<2xi32>"},
	{"gfx942", "i24", "amdgpu.dpp %0 %0 row_mirror : i24"},
	{"gfx942", "f32", "amdgpu.packed_trunc_2xfp8 %0, undef into undef[word 0] : f32 to vector<4xf8E4M3FN>"},
	{"gfx942", "vector<1x2xf8E4M3FNUZ>", "amdgpu.ext_packed_fp8 %0[0] : vector<1x2xf8E4M3FNUZ> to f32"},
}

// moduleOf returns a module with one operation.
func moduleOf(args, op string) string {
	text := "func.func @f("
	if args != "" {
		for i, t := range splitTypes(args) {
			if i > 0 {
				text += ", "
			}
			text += "%a" + string(rune('0'+i)) + ": " + t
			op = strings.ReplaceAll(op, "%"+string(rune('0'+i)), "%a"+string(rune('0'+i)))
		}
	}
	results := ""
	if _, t, ok := strings.Cut(op, ":"); ok && !strings.Contains(op, "gather_to_lds") && t != "" {
		results = "%r = "
	}
	return text + ") {\n  " + results + op + "\n  return\n}\n"
}

// splitTypes splits a list at the commas that are not within a type.
func splitTypes(list string) (types []string) {
	depth, start := 0, 0
	for i, c := range list {
		switch c {
		case '<', '(':
			depth++
		case '>', ')':
			if list[i-1] != '-' {
				depth--
			}
		case ',':
			if depth == 0 {
				types = append(types, strings.TrimSpace(list[start:i]))
				start = i + 1
			}
		}
	}
	return append(types, strings.TrimSpace(list[start:]))
}

// TestErrors checks the errors about operations that a chipset does not have, and
// with the oracle that they are mlir-opt's.
func TestErrors(t *testing.T) {
	for _, w := range wrong {
		name, _, _ := strings.Cut(w.op, " ")
		t.Run(w.edition+"/"+w.chipset+"/"+name, func(t *testing.T) {
			text := moduleOf(w.args, w.op)
			c := newContext(editions[w.edition])
			c.AllowUnregistered = true
			_, err := lowered(c, "in.mlir", []byte(text), "convert-amdgpu-to-rocdl{chipset="+w.chipset+"}")
			got := errorLines(err)
			want := "failed to legalize operation '" + name + "' that was explicitly marked illegal"
			if w.message != "" {
				want = w.message + "\n" + want
			}
			plain := positions.ReplaceAllString(got, "")
			if plain != want {
				t.Fatalf("%s\nerrors\n%s\nwant\n%s", text, plain, want)
			}
			opt := oracle.Tool(t, "mlir-opt-"+w.edition)
			_, stderr, _ := oracle.Run(t, []byte(text), time.Minute, opt, "--allow-unregistered-dialect", "--convert-amdgpu-to-rocdl=chipset="+w.chipset, "-")
			if theirs := oracleErrors(string(stderr)); theirs != got {
				t.Errorf("errors\n%s\nmlir-opt's\n%s", got, theirs)
			}
		})
	}
	for _, u := range unlike {
		text := moduleOf(u.args, u.op)
		_, err := lowered(newContext(editions["22"]), "in.mlir", []byte(text), "convert-amdgpu-to-rocdl{chipset="+u.chipset+"}")
		if got := errorLines(err); !strings.Contains(got, "2:8: failed to legalize operation") {
			t.Errorf("%s\n%s", text, got)
		}
	}
}

var positions = regexp.MustCompile(`(?m)^\d+:\d+: `)

// oracleErrors returns the errors of mlir-opt as "line:column: message".
func oracleErrors(stderr string) string {
	var list []string
	lines := strings.Split(stderr, "\n")
	for i, line := range lines {
		position, message, ok := strings.Cut(line, ": error: ")
		switch {
		case ok:
			position = strings.TrimPrefix(strings.TrimPrefix(position, "<stdin>:"), "<unknown>:")
			if position == "0" {
				position = "0:0"
			}
			if i+1 < len(lines) && lines[i+1] == "" {
				message += "\n" // a message that ends with a line
			}
			list = append(list, position+": "+message)
		case strings.HasPrefix(line, "error: "):
			list = append(list, "0:0: "+strings.TrimPrefix(line, "error: "))
		}
	}
	return strings.Join(list, "\n")
}
