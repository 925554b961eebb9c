package amdgpu

import "github.com/gfx-toolchain/gfx/mlir"

// verifyScaledMatrix checks which bytes of the scales are used.
func verifyScaledMatrix(_ *mlir.Context, o *mlir.Op) error {
	block, lane, first := intOr(o, "blockSize", 0), intOr(o, "firstScaleLane", 0), intOr(o, "firstScaleByte", 0)
	switch wide := operand(o, "source").Elem.BitWidth() == 8; {
	case !wide && block == 16 && first > 1:
		return mlir.OpErrorf("blockSize of 16 can only have firstScaleByte be 0 or 1 for f4 and f6.")
	case !wide && block == 32 && first != 0 && first != 2:
		return mlir.OpErrorf("blockSize of 32 can only have firstScaleByte be 0 or 2 for f4 and f6.")
	case wide && block == 16 && !(lane == 0 && first == 0 || lane == 16 && first == 2):
		return mlir.OpErrorf("blockSize of 16 can only have (firstScaleLane, firstScaleByte) be (0, 0) or (16, 2) for f8.")
	}
	return nil
}

// scaledShapes are the lengths of the vectors of a scaled_wmma by m.
var scaledShapes = [...]struct {
	m, a, b, dest int64
	name          string
}{{16, 64, 64, 8, "16x16x128"}, {32, 128, 64, 16, "32x16x128"}}

func verifyScaledWMMA(_ *mlir.Context, o *mlir.Op) error {
	la, a := elements(operand(o, "sourceA"))
	lb, b := elements(operand(o, "sourceB"))
	ld, _ := elements(operand(o, "destC"))
	for _, s := range scaledShapes {
		if s.m != intOr(o, "m", 0) {
			continue
		}
		switch {
		case ld != s.dest:
			return mlir.OpErrorf("expected output vector of length %d but got %d", s.dest, ld)
		case s.m == 32 && !isOneOf(a, &mlir.Float4E2M1FN) && !isOneOf(b, &mlir.Float4E2M1FN):
			return mlir.OpErrorf("%s only supports fp4 element types", s.name)
		case la != s.a:
			return mlir.OpErrorf("for %s, sourceA must have %d elements but got %d", s.name, s.a, la)
		case lb != s.b:
			return mlir.OpErrorf("for %s, sourceB must have %d elements but got %d", s.name, s.b, lb)
		case s.m == 32 && intOr(o, "a_first_scale_lane", 0) != 0:
			return mlir.OpErrorf("for %s, a_first_scale_lane must be 0", s.name)
		}
	}
	_, sa := elements(operand(o, "scaleA"))
	_, sb := elements(operand(o, "scaleB"))
	if isScale(a, sa, sb) && isScale(b, sb, sa) {
		return nil
	}
	return mlir.OpErrorf("invalid combination of matrix and scale types: sourceA='%s', scaleA='%s', sourceB='%s', scaleB='%s'", a, sa, b, sb)
}

// isScale reports whether a type can be the scale of a matrix, given the scale of the
// other one: f8E8M0FNU for both, or f8E4M3FN for a matrix of f4E2M1FN.
func isScale(matrix, scale, other *mlir.Type) bool {
	small := isOneOf(matrix, &mlir.Float4E2M1FN)
	if isOneOf(scale, &mlir.Float8E4M3FN) {
		return small
	}
	return isOneOf(other, &mlir.Float8E8M0FNU) || !small
}
