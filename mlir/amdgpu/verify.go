package amdgpu

import (
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
)

// operand returns the type of the first operand of a name, or nil.
func operand(o *mlir.Op, name string) *mlir.Type { return o.NamedType(name) }

// intOr returns the value of an integer attribute, or a default.
func intOr(o *mlir.Op, name string, otherwise int64) int64 {
	if a := o.Attr(name); a != nil && a.Kind == mlir.IntegerAttr {
		return a.Int
	}
	return otherwise
}

// elements returns the number of elements of a vector and their type; a scalar
// is one element.
func elements(t *mlir.Type) (int64, *mlir.Type) {
	if t.Kind == mlir.VectorKind {
		return t.NumElements(), t.Elem
	}
	return 1, t
}

// isSpace reports whether a memory space is a case of an enumeration, such as
// #gpu.address_space<workgroup>.
func isSpace(a *mlir.Attr, dialect, word string) bool {
	return a != nil && a.Kind == mlir.EnumAttr && a.Enum.Dialect == dialect && a.Enum.Mnemonic == "address_space" && a.Text == word
}

// isIntSpace reports whether a memory space is one of some numbers. The default
// space is 0.
func isIntSpace(a *mlir.Attr, numbers ...int64) bool {
	if a == nil {
		return slices.Contains(numbers, 0)
	}
	return a.Kind == mlir.IntegerAttr && slices.Contains(numbers, a.Int)
}

func isGlobal(a *mlir.Attr) bool {
	return isIntSpace(a, 0, 1) || isSpace(a, "gpu", "global")
}

func isWorkgroup(a *mlir.Attr) bool {
	return a != nil && isIntSpace(a, 3) || isSpace(a, "gpu", "workgroup")
}

func isFatBuffer(a *mlir.Attr) bool {
	return a != nil && isIntSpace(a, 7) || isSpace(a, "amdgpu", "fat_raw_buffer")
}

func sameExisting(_ *mlir.Context, o *mlir.Op) error {
	if t := operand(o, "existing"); t != nil && t != o.Result(0).Type {
		return mlir.OpErrorf("existing values must have same type as result")
	}
	return nil
}

func verifyBuffer(_ *mlir.Context, o *mlir.Op) error {
	m := operand(o, "memref")
	if !isGlobal(m.Space) {
		return mlir.OpErrorf("Buffer ops must operate on a memref in global memory")
	}
	if n := o.CountNamed("indices"); n != len(m.Shape) {
		return mlir.OpErrorf("Expected %d indices to memref", len(m.Shape))
	}
	return nil
}

func isOneOf(t *mlir.Type, formats ...*mlir.FloatFormat) bool {
	return t.Kind == mlir.FloatKind && slices.Contains(formats, t.Float)
}

func isF8(t *mlir.Type) bool {
	return isOneOf(t, &mlir.Float8E5M2FNUZ, &mlir.Float8E4M3FNUZ, &mlir.Float8E5M2, &mlir.Float8E4M3FN)
}

func verifyWMMA(c *mlir.Context, o *mlir.Op) error {
	_, a := elements(operand(o, "sourceA"))
	_, b := elements(operand(o, "sourceB"))
	_, d := elements(operand(o, "destC"))
	if c.Edition == mlir.Edition19 {
		source := isOneOf(a, &mlir.Float16, &mlir.BFloat16)
		return floatRules(source, d.Kind == mlir.FloatKind)
	}
	la, _ := elements(operand(o, "sourceA"))
	lb, _ := elements(operand(o, "sourceB"))
	if la != lb {
		return mlir.OpErrorf("source vectors have different lengths: %d vs. %d", la, lb)
	}
	if a != b && !(isF8(a) && isF8(b)) {
		return mlir.OpErrorf("source element types must match (except for fp8/bf8) but have %s and %s", a, b)
	}
	if d.Kind == mlir.FloatKind {
		for _, name := range [...]string{"unsignedA", "unsignedB"} {
			if o.Attr(name) != nil {
				return mlir.OpErrorf("unsigned flags are not supported for float types")
			}
		}
	}
	if err := floatRules(a.Kind == mlir.FloatKind, d.Kind == mlir.FloatKind); err != nil {
		return err
	}
	if d.Kind == mlir.FloatKind && o.Attr("clamp") != nil {
		return mlir.OpErrorf("clamp flag is not supported for float types")
	}
	return nil
}

func floatRules(source, dest bool) error {
	switch {
	case dest && !source:
		return mlir.OpErrorf("Expected float sources with float destination")
	case !dest && source:
		return mlir.OpErrorf("Expected int sources with int destination")
	}
	return nil
}

// waveSize is the number of lanes of a wave on processors with MFMA.
const waveSize = 64

// smallFormats are the floats of up to 8 bits that MFMA has; edition 19 has the first four.
var smallFormats = [...]*mlir.FloatFormat{&mlir.Float8E5M2FNUZ, &mlir.Float8E4M3FNUZ, &mlir.Float8E5M2, &mlir.Float8E4M3FN,
	&mlir.Float6E2M3FN, &mlir.Float6E3M2FN, &mlir.Float4E2M1FN}

// smallFloats returns the floats of up to 8 bits that MFMA has in an edition, and the
// words for them in errors.
func smallFloats(c *mlir.Context) (formats []*mlir.FloatFormat, adjective string) {
	if c.Edition == mlir.Edition19 {
		return smallFormats[:4], "f8"
	}
	return smallFormats[:], "small-float"
}

// verifySources checks that both factors have the same type, or both small floats.
func verifySources(c *mlir.Context, ta, tb *mlir.Type) error {
	formats, adjective := smallFloats(c)
	la, a := elements(ta)
	lb, b := elements(tb)
	small := isOneOf(a, formats...)
	switch {
	case small && !isOneOf(b, formats...) && c.Edition == mlir.Edition19:
		return mlir.OpErrorf("expected both source operands to have f8 elements")
	case small && !isOneOf(b, formats...):
		return mlir.OpErrorf("expected both source operands to have small-float elements if one does")
	case small && la != lb:
		return mlir.OpErrorf("expected both %s source vectors to have the same length", adjective)
	case !small && ta != tb:
		return mlir.OpErrorf("expected both non-%s source operand types to match exactly", adjective)
	}
	return nil
}

func verifyMFMA(c *mlir.Context, o *mlir.Op) error {
	ta, tb := operand(o, "sourceA"), operand(o, "sourceB")
	la, a := elements(ta)
	ld, d := elements(operand(o, "destC"))
	if err := verifySources(c, ta, tb); err != nil {
		return err
	}
	if a.IsInteger(32) || a.IsInteger(64) {
		la *= int64(a.Width / 8)
	}
	m, n, k, blocks := intOr(o, "m", 0), intOr(o, "n", 0), intOr(o, "k", 0), intOr(o, "blocks", 1)
	if want := m * k * blocks / waveSize; la != want {
		return mlir.OpErrorf("expected %d source values for this operation but got %d", want, la)
	}
	if want := m * n * blocks / waveSize; ld != want {
		return mlir.OpErrorf("expected %d result values for this operation but got %d", want, ld)
	}
	double := isOneOf(d, &mlir.Float64)
	cbsz := intOr(o, "cbsz", 0)
	switch {
	case double && intOr(o, "blgp", 0) != 0, double && o.Attr("blgp") != nil && o.Attr("blgp").Int != 0:
		return mlir.OpErrorf("double-precision ops do not support permuting lanes of B")
	case double && cbsz != 0:
		return mlir.OpErrorf("double-precision ops do not support permuting lanes of A")
	case uint64(uint32(intOr(o, "abid", 0))) >= uint64(1)<<uint32(cbsz&63):
		return mlir.OpErrorf("block ID for permuting A (abid) must be below 2 ** cbsz")
	}
	for _, name := range [...]string{"negateA", "negateB", "negateC"} {
		if o.Attr(name) != nil && !double {
			return mlir.OpErrorf("negation flags only available for double-precision operations")
		}
	}
	return nil
}

func verifyScaledMFMA(_ *mlir.Context, o *mlir.Op) error {
	la, _ := elements(operand(o, "sourceA"))
	ld, _ := elements(operand(o, "destC"))
	m, n, k := intOr(o, "m", 0), intOr(o, "n", 0), intOr(o, "k", 0)
	if want := m * k / waveSize; la != want {
		return mlir.OpErrorf("expected %d source values for this operation but got %d", want, la)
	}
	if want := m * n / waveSize; ld != want {
		return mlir.OpErrorf("expected %d result values for this operation but got %d", want, ld)
	}
	return nil
}

func verifySparseMFMA(_ *mlir.Context, o *mlir.Op) error {
	ls, s := elements(operand(o, "sourceA"))
	ld, d := elements(operand(o, "sourceB"))
	if 2*ls != ld {
		return mlir.OpErrorf("expected dense source operand to have exactly double the number of elements of the sparse source operand")
	}
	if s != d && !(isF8(s) && isF8(d)) {
		return mlir.OpErrorf("expected source operands to have the same element type")
	}
	want, what := "vector<4xi8>", "16-bit"
	if s.BitWidth() == 8 {
		want, what = "vector<2xi16>", "8-bit"
	}
	if x := operand(o, "sparseIdx"); x != nil && x.String() != want {
		return mlir.OpErrorf("expected %s sparse indices for %s source data, but got '%s'", want, what, x)
	}
	m, n, k := intOr(o, "m", 0), intOr(o, "n", 0), intOr(o, "k", 0)
	if got := m * k / 2 / waveSize; ls != got {
		return mlir.OpErrorf("expected %d source values for this operation but got %d", got, ls)
	}
	lc, _ := elements(operand(o, "destC"))
	if got := m * n / waveSize; lc != got {
		return mlir.OpErrorf("expected %d result values for this operation but got %d", got, lc)
	}
	return nil
}

func verifyDPP(_ *mlir.Context, o *mlir.Op) error {
	if t := operand(o, "src"); t.BitWidth() > 64 {
		return mlir.OpErrorf("integer and floating point types larger than 64 bits are not supported")
	}
	arg, kind := o.Attr("permArgument"), o.Attr("kind")
	switch kind.Text {
	case "quad_perm":
		if arg == nil || arg.Kind != mlir.ArrayAttr || len(arg.List) != 4 {
			return mlir.OpErrorf("quad_perm attribute must have exactly 4 elements")
		}
		for _, e := range arg.List {
			if e.Kind == mlir.IntegerAttr && (e.Int < 0 || e.Int > 3) {
				return mlir.OpErrorf("Each element of quad_perm must be in the range [0, 3]")
			}
		}
	case "row_shl", "row_shr", "row_ror":
		if arg == nil {
			return mlir.OpErrorf("Attribute '%s' value not specified", kind.Text)
		}
		if arg.Kind == mlir.IntegerAttr && (arg.Int < 1 || arg.Int > 15) {
			return mlir.OpErrorf("Attribute value must be between 1 and 15")
		}
	default:
		if arg != nil && arg.Kind != mlir.UnitAttr {
			return mlir.OpErrorf("Expected unit attribute for permArgument, but found non-trivial argument")
		}
	}
	return nil
}

func verifyPermlaneSwap(_ *mlir.Context, o *mlir.Op) error {
	if n := intOr(o, "row_length", 0); n != 16 && n != 32 {
		return mlir.OpErrorf("row_length attribute must either be 16 or 32.")
	}
	return nil
}

// fatBufferType returns the type of a memref cast to a fat raw buffer. Without
// its offset, an identity layout is dropped as well.
func fatBufferType(c *mlir.Context, source *mlir.Type, resetOffset bool) *mlir.Type {
	space := c.EnumAttr(c.Enum("amdgpu", "address_space"), 0)
	layout := source.Layout
	if resetOffset && layout != nil {
		strides, offset, ok := mlir.StridesAndOffset(source)
		if ok && offset != 0 || ok && layout.Kind == mlir.StridedLayoutAttr {
			layout = c.StridedLayout(strides, 0)
			if slices.Equal(strides, mlir.IdentityStrides(source.Shape)) {
				layout = nil
			}
		}
	}
	return c.MemRefType(source.Shape, source.Elem, layout, space)
}

func inferFatBuffer(c *mlir.Context, s *mlir.OpState) ([]*mlir.Type, error) {
	return []*mlir.Type{fatBufferType(c, s.Operands[0].Type, s.Attr("resetOffset") != nil)}, nil
}

func verifyFatBuffer(c *mlir.Context, o *mlir.Op) error {
	want := fatBufferType(c, o.Operand(0).Type, o.Attr("resetOffset") != nil)
	if got := o.Result(0).Type; got != want {
		return mlir.OpErrorf("expected result type to be '%s' but got '%s'", want, got)
	}
	return nil
}

// typeBits returns the size of a scalar or vector in bits.
func typeBits(t *mlir.Type) int64 {
	n, e := elements(t)
	return n * int64(e.BitWidth())
}

func verifyGather(_ *mlir.Context, o *mlir.Op) error {
	src, dst := operand(o, "src"), operand(o, "dst")
	transfer := o.Attr("transferType").Type
	switch bits := typeBits(transfer); bits {
	case 8, 16, 32, 96, 128:
	default:
		return mlir.OpErrorf("Transfering type size must be 8, 16, 32, 96 or 128 bits")
	}
	if !isGlobal(src.Space) && !isFatBuffer(src.Space) {
		return mlir.OpErrorf("source memory address space must be global or fat raw buffer")
	}
	if !isWorkgroup(dst.Space) {
		return mlir.OpErrorf("destination memory address space must be Workgroup")
	}
	if _, e := elements(transfer); src.Elem != dst.Elem || e != src.Elem {
		return mlir.OpErrorf("source and destination element types must match")
	}
	return nil
}

func verifyTransposeLoad(_ *mlir.Context, o *mlir.Op) error {
	src := operand(o, "src")
	if !isWorkgroup(src.Space) {
		return mlir.OpErrorf("source memory address space must be Workgroup")
	}
	lengths := map[int]int64{4: 16, 6: 16, 8: 8, 16: 4}
	bits := src.Elem.BitWidth()
	want, ok := lengths[bits]
	if !ok {
		return mlir.OpErrorf("Unsupported element type size for transpose load: %d bits", bits)
	}
	if n, _ := elements(o.Result(0).Type); n != want {
		return mlir.OpErrorf("Transferring type size mismatch: expected num of elements: %d", want)
	}
	return nil
}

func verifyDMABase(_ *mlir.Context, o *mlir.Op) error {
	global, lds := operand(o, "global"), operand(o, "lds")
	if !isWorkgroup(lds.Space) {
		return mlir.OpErrorf("lds memref must have workgroup address space attribute.")
	}
	if !isGlobal(global.Space) {
		return mlir.OpErrorf("global memref must have global address space attribute.")
	}
	switch bits := global.Elem.BitWidth(); bits {
	case 8, 16, 32, 64:
		return nil
	default:
		return mlir.OpErrorf("element type must be 1, 2, 4, or 8 bytes long but type was %d bits long.", bits)
	}
}
