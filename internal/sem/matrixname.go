package sem

import (
	"strconv"
	"strings"
)

// isMatrixName reports whether the instruction of the given name may have a
// matrix operation.
func isMatrixName(name string) bool {
	return strings.HasPrefix(name, "v_mfma_") || strings.HasPrefix(name, "v_smfmac_") ||
		strings.HasPrefix(name, "v_wmma_") || strings.HasPrefix(name, "v_swmmac_")
}

// parseMatrix parses the name of a matrix instruction: the type of D, M×N×K,
// the number of blocks and the types of A and B, such as
// v_mfma_f32_32x32x4_2b_f16, v_mfma_f32_32x32x4bf16_1k (gfx90a),
// v_smfmac_f32_16x16x64_bf8_fp8, v_mfma_scale_f32_16x16x128_f8f6f4,
// v_wmma_i32_16x16x16_iu8, v_swmmac_f32_16x16x32_f16, v_wmma_f32_32x16x128_f4
// and v_wmma_bf16f32_16x16x32_bf16, whose C is f32. It returns nil for any other
// name.
func parseMatrix(name string) *Matrix {
	family, rest, _ := strings.Cut(strings.TrimPrefix(name, "v_"), "_")
	m := &Matrix{Name: name, Blocks: 1, Sparse: family == "smfmac" || family == "swmmac", Wave: family == "wmma" || family == "swmmac"}
	if family != "mfma" && !m.Sparse && !m.Wave {
		return nil
	}
	rest = m.cutScale(rest)
	dst, rest, _ := strings.Cut(rest, "_")
	m.D = matrixTypeNamed(strings.TrimSuffix(dst, "f32"))
	if m.C = m.D; m.D == MatrixNone {
		m.D = matrixTypeNamed(dst)
		m.C = m.D
	} else if strings.HasSuffix(dst, "f32") {
		m.C = MatrixF32
	}
	shape, types, spaced := strings.Cut(rest, "_")
	if tail := shape[shapeLen(shape):]; tail != "" { // before gfx942, the type immediately follows K
		shape, types, spaced = strings.TrimSuffix(shape, tail), strings.Trim(tail+"_"+types, "_"), false
	}
	if !m.parseShape(shape) {
		return nil
	}
	if n, after, ok := strings.Cut(types, "b_"); ok && spaced {
		if blocks, err := strconv.Atoi(n); err == nil {
			m.Blocks, types = blocks, after
		}
	}
	oneK := strings.HasSuffix(types, "_1k")
	types = strings.TrimSuffix(types, "_1k")
	ta, tb, two := strings.Cut(types, "_")
	if !two {
		tb = ta
	}
	m.A, m.B = matrixTypeNamed(ta), matrixTypeNamed(tb)
	if m.A == MatrixNone || m.B == MatrixNone || m.D == MatrixNone {
		return nil
	}
	m.mixed = m.A == MatrixF8F6F4 || m.A == MatrixFP4
	if !spaced && !m.Wave {
		m.Pairs = m.A == MatrixBF16 && !oneK
		m.Blocks = 64 * m.oldOperandBits() / (m.M * m.K * m.A.Bits())
	}
	return m
}

// cutScale removes "scale_" and "scale16_" from the beginning of a name.
func (m *Matrix) cutScale(name string) string {
	for prefix, block := range map[string]int{"scale_": 32, "scale16_": 16} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			m.Scaled, m.ScaleBlock = true, block
			return rest
		}
	}
	return name
}

// oldOperandBits returns the number of bits of A per lane in the instructions
// of gfx908 and gfx90a, whose names do not include the number of blocks.
func (m *Matrix) oldOperandBits() int {
	if m.A == MatrixF16 || m.A == MatrixF64 || m.A == MatrixBF16 && !m.Pairs {
		return 64
	}
	return 32
}

// shapeLen returns the length of the leading digits and 'x' of a part of a
// name, without an 'x' that begins a type (xf32).
func shapeLen(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "0123456789x"))
	return len(strings.TrimRight(s[:n], "x"))
}

func (m *Matrix) parseShape(s string) bool {
	dims := strings.Split(s, "x")
	if len(dims) != 3 {
		return false
	}
	for i, p := range []*int{&m.M, &m.N, &m.K} {
		n, err := strconv.Atoi(dims[i])
		if err != nil {
			return false
		}
		*p = n
	}
	return true
}

// matrixTypeNamed returns the type of a name, or MatrixNone.
func matrixTypeNamed(name string) MatrixType {
	if name == "f4" {
		return MatrixFP4
	}
	for t := range matrixTypes {
		if matrixTypes[t].name == name {
			return MatrixType(t)
		}
	}
	return MatrixNone
}
