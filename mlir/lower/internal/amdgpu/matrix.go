package amdgpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// A chipSet is a set of generations of chipsets that have an operation.
type chipSet uint8

// The generations. Each set of gfx9 includes the later ones of gfx9, as chipsets do.
const (
	anyMFMA  chipSet = 1 << iota // gfx908
	since90a                     // gfx90a
	since940                     // gfx942, and gfx940 in edition 19
	since950                     // gfx950
	rdna3                        // gfx11
	rdna4                        // gfx12.0
	only1250                     // gfx1250
)

// generations returns the sets that a chipset belongs to.
func generations(l *tollvm.Lowering) (set chipSet) {
	c := l.Chipset
	switch {
	case c.Major == 11:
		return rdna3
	case c.Major == 12 && (c.Minor == 0 || edition19(l)):
		return rdna4
	case c == gfx1250:
		return only1250
	}
	for _, g := range [...]struct {
		from tollvm.Chipset
		set  chipSet
	}{{gfx908, anyMFMA}, {gfx90a, since90a}, {firstFNUZ(l), since940}, {gfx950, since950}} {
		if c.Major == 9 && c.AtLeast(g.from) {
			set |= g.set
		}
	}
	return set
}

// firstFNUZ returns the first chipset with 8-bit floats.
func firstFNUZ(l *tollvm.Lowering) tollvm.Chipset {
	if edition19(l) {
		return gfx940
	}
	return gfx942
}

// A product is an instruction that multiplies matrices and adds another one: m
// rows, n columns, k products for each element, in a number of blocks.
type product struct {
	m, n, k, blocks int64
	a, b, c         string // types of elements; fp8 and bf8 are the chipset's 8-bit floats
	on              chipSet
	op              string // in dialect rocdl
}

// findProduct returns the operation of the row that matches, or "".
func findProduct(rows []product, want product) string {
	for i := range rows {
		r := &rows[i]
		if r.k == want.k && r.m == want.m && r.n == want.n && r.blocks == want.blocks && r.on&want.on != 0 &&
			r.a == want.a && r.b == want.b && r.c == want.c {
			return r.op
		}
	}
	return ""
}

// wanted returns the row that an operation needs.
func wanted(l *tollvm.Lowering, o *mlir.Op) product {
	return product{
		m: intAttr(o, "m"), n: intAttr(o, "n"), k: intAttr(o, "k"), blocks: 1,
		a: matrixElem(l, o.NamedType("sourceA")), b: matrixElem(l, o.NamedType("sourceB")), c: elemName(o.NamedType("destC")),
		on: generations(l),
	}
}

// matrixElem returns the name of the elements of a matrix. 8-bit floats of another
// kind than the chipset's have their own.
func matrixElem(l *tollvm.Lowering, t *mlir.Type) string {
	if name := smallFloat(l, t); name != "" {
		return name
	}
	return elemName(t)
}

// smallFloat returns fp8 or bf8 for the 8-bit floats that the chipset has, "" for other types.
func smallFloat(l *tollvm.Lowering, t *mlir.Type) string {
	return smallFloatOn(l.Context.Edition, l.Chipset, t)
}

// smallFloatOn returns fp8 or bf8 for the 8-bit floats that a chipset has, "" for other
// types: FNUZ formats on gfx942, the formats of OCP from gfx950 and gfx12 on.
func smallFloatOn(e mlir.Edition, chip tollvm.Chipset, t *mlir.Type) string {
	name := t.ElementOrSelf().String()
	fnuz, ocp := hasFNUZ(e, chip), hasOCP(e, chip)
	switch {
	case fnuz && name == "f8E4M3FNUZ", ocp && name == "f8E4M3FN":
		return "fp8"
	case fnuz && name == "f8E5M2FNUZ", ocp && name == "f8E5M2":
		return "bf8"
	}
	return ""
}

func hasFNUZ(e mlir.Edition, chip tollvm.Chipset) bool {
	if e == mlir.Edition19 {
		return chip.Major == 9 && chip.AtLeast(gfx940)
	}
	return chip == gfx942
}

func hasOCP(e mlir.Edition, chip tollvm.Chipset) bool {
	return e != mlir.Edition19 && (chip.Major == 9 && chip.AtLeast(gfx950) || chip.Major >= 12)
}

// mfmaRows are the operations of amdgpu.mfma.
var mfmaRows = []product{
	{32, 32, 1, 2, "f32", "f32", "f32", anyMFMA, "mfma.f32.32x32x1f32"},
	{16, 16, 1, 4, "f32", "f32", "f32", anyMFMA, "mfma.f32.16x16x1f32"},
	{4, 4, 1, 16, "f32", "f32", "f32", anyMFMA, "mfma.f32.4x4x1f32"},
	{32, 32, 2, 1, "f32", "f32", "f32", anyMFMA, "mfma.f32.32x32x2f32"},
	{16, 16, 4, 1, "f32", "f32", "f32", anyMFMA, "mfma.f32.16x16x4f32"},
	{32, 32, 4, 2, "f16", "f16", "f32", anyMFMA, "mfma.f32.32x32x4f16"},
	{16, 16, 4, 4, "f16", "f16", "f32", anyMFMA, "mfma.f32.16x16x4f16"},
	{4, 4, 4, 16, "f16", "f16", "f32", anyMFMA, "mfma.f32.4x4x4f16"},
	{32, 32, 8, 1, "f16", "f16", "f32", anyMFMA, "mfma.f32.32x32x8f16"},
	{16, 16, 16, 1, "f16", "f16", "f32", anyMFMA, "mfma.f32.16x16x16f16"},
	{32, 32, 16, 1, "f16", "f16", "f32", since950, "mfma.f32.32x32x16.f16"},
	{16, 16, 32, 1, "f16", "f16", "f32", since950, "mfma.f32.16x16x32.f16"},
	{32, 32, 16, 1, "bf16", "bf16", "f32", since950, "mfma.f32.32x32x16.bf16"},
	{16, 16, 32, 1, "bf16", "bf16", "f32", since950, "mfma.f32.16x16x32.bf16"},
	{32, 32, 4, 2, "bf16", "bf16", "f32", since90a, "mfma.f32.32x32x4bf16.1k"},
	{16, 16, 4, 4, "bf16", "bf16", "f32", since90a, "mfma.f32.16x16x4bf16.1k"},
	{4, 4, 4, 16, "bf16", "bf16", "f32", since90a, "mfma.f32.4x4x4bf16.1k"},
	{32, 32, 8, 1, "bf16", "bf16", "f32", since90a, "mfma.f32.32x32x8bf16.1k"},
	{16, 16, 16, 1, "bf16", "bf16", "f32", since90a, "mfma.f32.16x16x16bf16.1k"},
	{32, 32, 2, 2, "bf16", "bf16", "f32", anyMFMA, "mfma.f32.32x32x2bf16"},
	{16, 16, 2, 4, "bf16", "bf16", "f32", anyMFMA, "mfma.f32.16x16x2bf16"},
	{4, 4, 2, 16, "bf16", "bf16", "f32", anyMFMA, "mfma.f32.4x4x2bf16"},
	{32, 32, 4, 1, "bf16", "bf16", "f32", anyMFMA, "mfma.f32.32x32x4bf16"},
	{16, 16, 8, 1, "bf16", "bf16", "f32", anyMFMA, "mfma.f32.16x16x8bf16"},
	{32, 32, 4, 2, "i8", "i8", "i32", anyMFMA, "mfma.i32.32x32x4i8"},
	{16, 16, 4, 4, "i8", "i8", "i32", anyMFMA, "mfma.i32.16x16x4i8"},
	{4, 4, 4, 16, "i8", "i8", "i32", anyMFMA, "mfma.i32.4x4x4i8"},
	{32, 32, 8, 1, "i8", "i8", "i32", anyMFMA, "mfma.i32.32x32x8i8"},
	{16, 16, 16, 1, "i8", "i8", "i32", anyMFMA, "mfma.i32.16x16x16i8"},
	{32, 32, 16, 1, "i8", "i8", "i32", since940, "mfma.i32.32x32x16.i8"},
	{16, 16, 32, 1, "i8", "i8", "i32", since940, "mfma.i32.16x16x32.i8"},
	{32, 32, 32, 1, "i8", "i8", "i32", since950, "mfma.i32.32x32x32.i8"},
	{16, 16, 64, 1, "i8", "i8", "i32", since950, "mfma.i32.16x16x64.i8"},
	{16, 16, 4, 1, "f64", "f64", "f64", since90a, "mfma.f64.16x16x4f64"},
	{4, 4, 4, 4, "f64", "f64", "f64", since90a, "mfma.f64.4x4x4f64"},
	{16, 16, 32, 1, "bf8", "bf8", "f32", since940, "mfma.f32.16x16x32.bf8.bf8"},
	{16, 16, 32, 1, "bf8", "fp8", "f32", since940, "mfma.f32.16x16x32.bf8.fp8"},
	{16, 16, 32, 1, "fp8", "bf8", "f32", since940, "mfma.f32.16x16x32.fp8.bf8"},
	{16, 16, 32, 1, "fp8", "fp8", "f32", since940, "mfma.f32.16x16x32.fp8.fp8"},
	{32, 32, 16, 1, "bf8", "bf8", "f32", since940, "mfma.f32.32x32x16.bf8.bf8"},
	{32, 32, 16, 1, "bf8", "fp8", "f32", since940, "mfma.f32.32x32x16.bf8.fp8"},
	{32, 32, 16, 1, "fp8", "bf8", "f32", since940, "mfma.f32.32x32x16.fp8.bf8"},
	{32, 32, 16, 1, "fp8", "fp8", "f32", since940, "mfma.f32.32x32x16.fp8.fp8"},
}

// xf32Rows are the operations of amdgpu.mfma with reduced precision.
var xf32Rows = []product{
	{32, 32, 4, 1, "f32", "f32", "f32", since940, "mfma.f32.32x32x4.xf32"},
	{16, 16, 8, 1, "f32", "f32", "f32", since940, "mfma.f32.16x16x8.xf32"},
}

// scaledRows are the sizes of products of small floats with scales. The types of
// elements are operands.
var scaledRows = []product{
	{32, 32, 64, 1, "", "", "f32", since950, "mfma.scale.f32.32x32x64.f8f6f4"},
	{16, 16, 128, 1, "", "", "f32", since950, "mfma.scale.f32.16x16x128.f8f6f4"},
}

// sparseRows are the operations of amdgpu.sparse_mfma.
var sparseRows = []product{
	{16, 16, 32, 1, "f16", "f16", "f32", since940, "smfmac.f32.16x16x32.f16"},
	{16, 16, 32, 1, "bf16", "bf16", "f32", since940, "smfmac.f32.16x16x32.bf16"},
	{16, 16, 64, 1, "f16", "f16", "f32", since950, "smfmac.f32.16x16x64.f16"},
	{16, 16, 64, 1, "bf16", "bf16", "f32", since950, "smfmac.f32.16x16x64.bf16"},
	{16, 16, 64, 1, "i8", "i8", "i32", since940, "smfmac.i32.16x16x64.i8"},
	{16, 16, 64, 1, "fp8", "fp8", "f32", since940, "smfmac.f32.16x16x64.fp8.fp8"},
	{16, 16, 64, 1, "fp8", "bf8", "f32", since940, "smfmac.f32.16x16x64.fp8.bf8"},
	{16, 16, 64, 1, "bf8", "fp8", "f32", since940, "smfmac.f32.16x16x64.bf8.fp8"},
	{16, 16, 64, 1, "bf8", "bf8", "f32", since940, "smfmac.f32.16x16x64.bf8.bf8"},
	{16, 16, 128, 1, "i8", "i8", "i32", since950, "smfmac.i32.16x16x128.i8"},
	{16, 16, 128, 1, "fp8", "fp8", "f32", since950, "smfmac.f32.16x16x128.fp8.fp8"},
	{16, 16, 128, 1, "fp8", "bf8", "f32", since950, "smfmac.f32.16x16x128.fp8.bf8"},
	{16, 16, 128, 1, "bf8", "fp8", "f32", since950, "smfmac.f32.16x16x128.bf8.fp8"},
	{16, 16, 128, 1, "bf8", "bf8", "f32", since950, "smfmac.f32.16x16x128.bf8.bf8"},
	{32, 32, 16, 1, "f16", "f16", "f32", since940, "smfmac.f32.32x32x16.f16"},
	{32, 32, 16, 1, "bf16", "bf16", "f32", since940, "smfmac.f32.32x32x16.bf16"},
	{32, 32, 32, 1, "f16", "f16", "f32", since950, "smfmac.f32.32x32x32.f16"},
	{32, 32, 32, 1, "bf16", "bf16", "f32", since950, "smfmac.f32.32x32x32.bf16"},
	{32, 32, 32, 1, "i8", "i8", "i32", since940, "smfmac.i32.32x32x32.i8"},
	{32, 32, 32, 1, "fp8", "fp8", "f32", since940, "smfmac.f32.32x32x32.fp8.fp8"},
	{32, 32, 32, 1, "fp8", "bf8", "f32", since940, "smfmac.f32.32x32x32.fp8.bf8"},
	{32, 32, 32, 1, "bf8", "fp8", "f32", since940, "smfmac.f32.32x32x32.bf8.fp8"},
	{32, 32, 32, 1, "bf8", "bf8", "f32", since940, "smfmac.f32.32x32x32.bf8.bf8"},
	{32, 32, 64, 1, "i8", "i8", "i32", since950, "smfmac.i32.32x32x64.i8"},
	{32, 32, 64, 1, "fp8", "fp8", "f32", since950, "smfmac.f32.32x32x64.fp8.fp8"},
	{32, 32, 64, 1, "fp8", "bf8", "f32", since950, "smfmac.f32.32x32x64.fp8.bf8"},
	{32, 32, 64, 1, "bf8", "fp8", "f32", since950, "smfmac.f32.32x32x64.bf8.fp8"},
	{32, 32, 64, 1, "bf8", "bf8", "f32", since950, "smfmac.f32.32x32x64.bf8.bf8"},
}

// wmmaRows are the operations of amdgpu.wmma.
var wmmaRows = []product{
	{16, 16, 16, 1, "f16", "f16", "f32", rdna3 | rdna4, "wmma.f32.16x16x16.f16"},
	{16, 16, 16, 1, "bf16", "bf16", "f32", rdna3 | rdna4, "wmma.f32.16x16x16.bf16"},
	{16, 16, 16, 1, "f16", "f16", "f16", rdna3 | rdna4, "wmma.f16.16x16x16.f16"},
	{16, 16, 16, 1, "bf16", "bf16", "bf16", rdna3 | rdna4, "wmma.bf16.16x16x16.bf16"},
	{16, 16, 16, 1, "i8", "i8", "i32", rdna3 | rdna4, "wmma.i32.16x16x16.iu8"},
	{16, 16, 16, 1, "i4", "i4", "i32", rdna3 | rdna4, "wmma.i32.16x16x16.iu4"},
	{16, 16, 16, 1, "fp8", "fp8", "f32", rdna4, "wmma.f32.16x16x16.fp8_fp8"},
	{16, 16, 16, 1, "fp8", "bf8", "f32", rdna4, "wmma.f32.16x16x16.fp8_bf8"},
	{16, 16, 16, 1, "bf8", "bf8", "f32", rdna4, "wmma.f32.16x16x16.bf8_bf8"},
	{16, 16, 16, 1, "bf8", "fp8", "f32", rdna4, "wmma.f32.16x16x16.bf8_fp8"},
	{16, 16, 32, 1, "i4", "i4", "i32", rdna4, "wmma.i32.16x16x32.iu4"},
	{16, 16, 4, 1, "f32", "f32", "f32", only1250, "wmma.f32.16x16x4.f32"},
	{16, 16, 32, 1, "f16", "f16", "f32", only1250, "wmma.f32.16x16x32.f16"},
	{16, 16, 32, 1, "bf16", "bf16", "f32", only1250, "wmma.f32.16x16x32.bf16"},
	{16, 16, 32, 1, "f16", "f16", "f16", only1250, "wmma.f16.16x16x32.f16"},
	{16, 16, 32, 1, "bf16", "bf16", "bf16", only1250, "wmma.bf16.16x16x32.bf16"},
	{16, 16, 64, 1, "fp8", "fp8", "f32", only1250, "wmma.f32.16x16x64.fp8_fp8"},
	{16, 16, 64, 1, "fp8", "bf8", "f32", only1250, "wmma.f32.16x16x64.fp8_bf8"},
	{16, 16, 64, 1, "bf8", "fp8", "f32", only1250, "wmma.f32.16x16x64.bf8_fp8"},
	{16, 16, 64, 1, "bf8", "bf8", "f32", only1250, "wmma.f32.16x16x64.bf8_bf8"},
	{16, 16, 64, 1, "fp8", "fp8", "f16", only1250, "wmma.f16.16x16x64.fp8_fp8"},
	{16, 16, 64, 1, "fp8", "bf8", "f16", only1250, "wmma.f16.16x16x64.fp8_bf8"},
	{16, 16, 64, 1, "bf8", "fp8", "f16", only1250, "wmma.f16.16x16x64.bf8_fp8"},
	{16, 16, 64, 1, "bf8", "bf8", "f16", only1250, "wmma.f16.16x16x64.bf8_bf8"},
	{16, 16, 64, 1, "i8", "i8", "i32", only1250, "wmma.i32.16x16x64.iu8"},
	{16, 16, 128, 1, "fp8", "fp8", "f32", only1250, "wmma.f32.16x16x128.fp8_fp8"},
	{16, 16, 128, 1, "fp8", "bf8", "f32", only1250, "wmma.f32.16x16x128.fp8_bf8"},
	{16, 16, 128, 1, "bf8", "fp8", "f32", only1250, "wmma.f32.16x16x128.bf8_fp8"},
	{16, 16, 128, 1, "bf8", "bf8", "f32", only1250, "wmma.f32.16x16x128.bf8_bf8"},
	{16, 16, 128, 1, "fp8", "fp8", "f16", only1250, "wmma.f16.16x16x128.fp8_fp8"},
	{16, 16, 128, 1, "fp8", "bf8", "f16", only1250, "wmma.f16.16x16x128.fp8_bf8"},
	{16, 16, 128, 1, "bf8", "fp8", "f16", only1250, "wmma.f16.16x16x128.bf8_fp8"},
	{16, 16, 128, 1, "bf8", "bf8", "f16", only1250, "wmma.f16.16x16x128.bf8_bf8"},
}

// scaledWMMARows are the operations of amdgpu.scaled_wmma; a is the number of scales.
var scaledWMMARows = []product{
	{16, 16, 128, 1, "4", "4", "f32", only1250, "wmma.scale.f32.16x16x128.f8f6f4"},
	{16, 16, 128, 1, "8", "8", "f32", only1250, "wmma.scale16.f32.16x16x128.f8f6f4"},
	{32, 16, 128, 1, "4", "4", "f32", only1250, "wmma.scale.f32.32x16x128.f4"},
	{32, 16, 128, 1, "8", "8", "f32", only1250, "wmma.scale16.f32.32x16x128.f4"},
}

// smallFormats are the codes of the formats of small floats.
var smallFormats = [...]string{"f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"}

// smallFormat returns the code of a format, and -1 for other types.
func smallFormat(t *mlir.Type) int64 {
	name := t.ElementOrSelf().String()
	for i, f := range smallFormats {
		if f == name {
			return int64(i)
		}
	}
	return -1
}
