package verify

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
)

// castRule describes the type restrictions of a conversion, and the messages
// for violations.
type castRule struct {
	from, to                    func(m *ir.Module, t ir.Type) bool
	wrongFrom, wrongTo          string
	shape                       string // only one is a vector
	lanes                       string // vectors of different lengths
	grows, shrinks              bool   // the result must be wider, or narrower
	width                       string
	shapeFirst, differentSpaces bool
}

var castRules = [ir.NumOps]castRule{
	ir.OpTrunc: {from: (*ir.Module).IsIntOrIntVector, to: (*ir.Module).IsIntOrIntVector, wrongFrom: "Trunc only operates on integer",
		wrongTo: "Trunc only produces integer", shape: "trunc source and destination must both be a vector or neither",
		shrinks: true, width: "DestTy too big for Trunc"},
	ir.OpZExt: {from: (*ir.Module).IsIntOrIntVector, to: (*ir.Module).IsIntOrIntVector, wrongFrom: "ZExt only operates on integer",
		wrongTo: "ZExt only produces an integer", shape: "zext source and destination must both be a vector or neither",
		grows: true, width: "Type too small for ZExt"},
	ir.OpSExt: {from: (*ir.Module).IsIntOrIntVector, to: (*ir.Module).IsIntOrIntVector, wrongFrom: "SExt only operates on integer",
		wrongTo: "SExt only produces an integer", shape: "sext source and destination must both be a vector or neither",
		grows: true, width: "Type too small for SExt"},
	ir.OpFPTrunc: {from: (*ir.Module).IsFloatOrFloatVector, to: (*ir.Module).IsFloatOrFloatVector, wrongFrom: "FPTrunc only operates on FP",
		wrongTo: "FPTrunc only produces an FP", shape: "fptrunc source and destination must both be a vector or neither",
		shrinks: true, width: "DestTy too big for FPTrunc"},
	ir.OpFPExt: {from: (*ir.Module).IsFloatOrFloatVector, to: (*ir.Module).IsFloatOrFloatVector, wrongFrom: "FPExt only operates on FP",
		wrongTo: "FPExt only produces an FP", shape: "fpext source and destination must both be a vector or neither",
		grows: true, width: "DestTy too small for FPExt"},
	ir.OpUIToFP: {from: (*ir.Module).IsIntOrIntVector, to: (*ir.Module).IsFloatOrFloatVector, shapeFirst: true,
		wrongFrom: "UIToFP source must be integer or integer vector", wrongTo: "UIToFP result must be FP or FP vector",
		shape: "UIToFP source and dest must both be vector or scalar", lanes: "UIToFP source and dest vector length mismatch"},
	ir.OpSIToFP: {from: (*ir.Module).IsIntOrIntVector, to: (*ir.Module).IsFloatOrFloatVector, shapeFirst: true,
		wrongFrom: "SIToFP source must be integer or integer vector", wrongTo: "SIToFP result must be FP or FP vector",
		shape: "SIToFP source and dest must both be vector or scalar", lanes: "SIToFP source and dest vector length mismatch"},
	ir.OpFPToUI: {from: (*ir.Module).IsFloatOrFloatVector, to: (*ir.Module).IsIntOrIntVector, shapeFirst: true,
		wrongFrom: "FPToUI source must be FP or FP vector", wrongTo: "FPToUI result must be integer or integer vector",
		shape: "FPToUI source and dest must both be vector or scalar", lanes: "FPToUI source and dest vector length mismatch"},
	ir.OpFPToSI: {from: (*ir.Module).IsFloatOrFloatVector, to: (*ir.Module).IsIntOrIntVector, shapeFirst: true,
		wrongFrom: "FPToSI source must be FP or FP vector", wrongTo: "FPToSI result must be integer or integer vector",
		shape: "FPToSI source and dest must both be vector or scalar", lanes: "FPToSI source and dest vector length mismatch"},
	ir.OpPtrToInt: {from: (*ir.Module).IsPtrOrPtrVector, to: (*ir.Module).IsIntOrIntVector, wrongFrom: "PtrToInt source must be pointer",
		wrongTo: "PtrToInt result must be integral", shape: "PtrToInt type mismatch", lanes: "PtrToInt Vector width mismatch"},
	ir.OpPtrToAddr: {from: (*ir.Module).IsPtrOrPtrVector, to: (*ir.Module).IsIntOrIntVector, wrongFrom: "PtrToAddr source must be pointer",
		wrongTo: "PtrToAddr result must be integral", shape: "PtrToAddr type mismatch", lanes: "PtrToAddr vector length mismatch"},
	ir.OpIntToPtr: {from: (*ir.Module).IsIntOrIntVector, to: (*ir.Module).IsPtrOrPtrVector, wrongFrom: "IntToPtr source must be an integral",
		wrongTo: "IntToPtr result must be a pointer", shape: "IntToPtr type mismatch", lanes: "IntToPtr Vector width mismatch"},
	ir.OpAddrSpaceCast: {from: (*ir.Module).IsPtrOrPtrVector, to: (*ir.Module).IsPtrOrPtrVector, differentSpaces: true,
		wrongFrom: "AddrSpaceCast source must be a pointer", wrongTo: "AddrSpaceCast result must be a pointer",
		shape: "AddrSpaceCast vector pointer number of elements mismatch", lanes: "AddrSpaceCast vector pointer number of elements mismatch"},
}

func (c *checker) cast(v ir.Value) string {
	in := c.f.Instr(v)
	return c.castTypes(in.Op, c.opType(v, 0), in.Type)
}

// castTypes checks the types of a conversion.
func (c *checker) castTypes(op ir.Op, from, to ir.Type) string {
	m := c.m
	if ir.CastIsValid(m, op, from, to) && op != ir.OpPtrToAddr {
		return ""
	}
	if op == ir.OpBitCast {
		return c.found("Invalid bitcast", from, to)
	}
	r := &castRules[op]
	fl, tl := c.lanes(from), c.lanes(to)
	message := ""
	switch {
	case r.shapeFirst && (fl == 0) != (tl == 0):
		message = r.shape
	case !r.from(m, from):
		message = r.wrongFrom
	case !r.to(m, to):
		message = r.wrongTo
	case r.differentSpaces && m.AddrSpace(from) == m.AddrSpace(to):
		message = "AddrSpaceCast must be between different address spaces"
	case (fl == 0) != (tl == 0):
		message = r.shape
	case fl != tl && r.lanes != "":
		message = r.lanes
	case r.grows && m.ScalarBits(from) >= m.ScalarBits(to) || r.shrinks && m.ScalarBits(from) <= m.ScalarBits(to):
		message = r.width
	case fl != tl:
		message = r.shape
	case op == ir.OpPtrToAddr && uint32(m.ScalarBits(to)) != m.Layout().Pointer(m.AddrSpace(from)).IndexBits:
		message = "PtrToAddr result must be address width"
	}
	if message == "" {
		return ""
	}
	return c.found(message, from, to)
}

func (c *checker) fneg(v ir.Value) string {
	t := c.f.Instr(v).Type
	switch {
	case t != c.opType(v, 0):
		return c.found("Unary operators must have same type for operands and result!", c.opType(v, 0), t)
	case !c.m.IsFloatOrFloatVector(t):
		return c.found("FNeg operator only works with float types!", t)
	}
	return ""
}

func (c *checker) binary(v ir.Value) string {
	in := c.f.Instr(v)
	ops := c.f.Operands(v)
	a, b := c.typeOf(ops[0].Value), c.typeOf(ops[1].Value)
	if a != b {
		return c.found("Both operands to a binary operator are not of the same type!", a, b)
	}
	kind, same := "Integer arithmetic operators only work with integral types!", "Integer arithmetic operators must have same type for operands and result!"
	ok := (*ir.Module).IsIntOrIntVector
	switch op := in.Op; {
	case op.IsFloatOp():
		kind, same = "Floating-point arithmetic operators only work with floating-point types!", "Floating-point arithmetic operators must have same type for operands and result!"
		ok = (*ir.Module).IsFloatOrFloatVector
	case op == ir.OpAnd || op == ir.OpOr || op == ir.OpXor:
		kind, same = "Logical operators only work with integral types!", "Logical operators must have same type for operands and result!"
	case op == ir.OpShl || op == ir.OpLShr || op == ir.OpAShr:
		kind, same = "Shifts only work with integral types!", "Shift return type must be same as operands!"
	}
	switch {
	case in.Type != ir.I32 && !ok(c.m, in.Type):
		return c.found(kind, in.Type)
	case in.Type != a:
		return c.found(same, a, in.Type)
	case in.Type == ir.I32 && in.Op.IsFloatOp():
		return c.found(kind, in.Type)
	}
	return ""
}

func (c *checker) icmp(v ir.Value) string {
	a, b := c.opType(v, 0), c.opType(v, 1)
	switch p := c.f.Pred(v); {
	case a != b:
		return c.found("Both operands to ICmp instruction are not of the same type!", a, b)
	case !c.m.IsIntOrIntVector(a) && !c.m.IsPtrOrPtrVector(a):
		return c.found("Invalid operand types for ICmp instruction", a)
	case p < ir.ICmpEQ || p > ir.ICmpSLE:
		return "Invalid predicate in ICmp instruction!"
	}
	return c.comparison(v, a)
}

func (c *checker) fcmp(v ir.Value) string {
	a, b := c.opType(v, 0), c.opType(v, 1)
	switch {
	case a != b:
		return c.found("Both operands to FCmp instruction are not of the same type!", a, b)
	case !c.m.IsFloatOrFloatVector(a):
		return c.found("Invalid operand types for FCmp instruction", a)
	case c.f.Pred(v) > ir.FCmpTrue:
		return "Invalid predicate in FCmp instruction!"
	}
	return c.comparison(v, a)
}

// comparison checks the result type of a comparison.
func (c *checker) comparison(v ir.Value, t ir.Type) string {
	got := c.f.Instr(v).Type
	if c.m.Scalar(got) != ir.I1 || c.lanes(got) != c.lanes(t) {
		return c.found("Comparison has a result of a wrong type", t, got)
	}
	return ""
}

func (c *checker) phi(v ir.Value) string {
	t := c.f.Instr(v).Type
	if prev := c.f.Prev(v); prev != ir.None && c.f.Op(prev) != ir.OpPhi {
		return "PHI nodes not grouped at top of basic block!"
	}
	if t == ir.Token {
		return "PHI nodes cannot have token type!"
	}
	for i, o := range c.f.Operands(v) {
		if i%2 == 0 && c.typeOf(o.Value) != t {
			return c.found("PHI node operands are not the same type as the result!", c.typeOf(o.Value), t)
		}
	}
	return ""
}

func (c *checker) select_(v ir.Value) string {
	cond, a, b, t := c.opType(v, 0), c.opType(v, 1), c.opType(v, 2), c.f.Instr(v).Type
	const message = "Invalid operands for select instruction!"
	switch {
	case a != b:
		return c.found(message, a, b)
	case a == ir.Token:
		return message + ": select values cannot have token type"
	case c.m.Scalar(cond) != ir.I1:
		return c.found(message, cond)
	case cond != ir.I1 && c.lanes(cond) != c.lanes(a):
		return c.found(message+": selected values for vector select must be vectors of the condition's length", cond, a)
	case t != a:
		return c.found("Select values must have same type as select instruction!", a, t)
	}
	return ""
}

func (c *checker) freeze(v ir.Value) string {
	if a, t := c.opType(v, 0), c.f.Instr(v).Type; a != t {
		return c.found("Freeze must have the same type as its operand", a, t)
	}
	return ""
}

func (c *checker) vaArg(v ir.Value) string {
	if t := c.opType(v, 0); !c.m.IsPtr(t) {
		return c.found("va_arg operand must be a pointer", t)
	}
	return ""
}

func (c *checker) extractElement(v ir.Value) string {
	vec, index := c.opType(v, 0), c.opType(v, 1)
	if !c.m.IsVector(vec) || !c.m.IsInt(index) || c.m.Scalar(vec) != c.f.Instr(v).Type {
		return c.found("Invalid extractelement operands!", vec, index)
	}
	return ""
}

func (c *checker) insertElement(v ir.Value) string {
	vec, elem, index := c.opType(v, 0), c.opType(v, 1), c.opType(v, 2)
	if !c.m.IsVector(vec) || !c.m.IsInt(index) || c.m.Scalar(vec) != elem || c.f.Instr(v).Type != vec {
		return c.found("Invalid insertelement operands!", vec, elem, index)
	}
	return ""
}

func (c *checker) shuffle(v ir.Value) string {
	a, b, t := c.opType(v, 0), c.opType(v, 1), c.f.Instr(v).Type
	mask := c.f.Mask(v)
	if !c.m.IsVector(a) || a != b || c.m.Scalar(t) != c.m.Scalar(a) || c.lanes(t) != uint64(len(mask)) {
		return c.found("Invalid shufflevector operands!", a, b, t)
	}
	limit := 2 * c.lanes(a)
	for _, i := range mask {
		if i != ir.PoisonElement && uint64(i) >= limit {
			return fmt.Sprintf("Invalid shufflevector operands!: mask names element %d of %d", i, limit)
		}
	}
	return ""
}

// pathType returns the type of the element at the given indices, or NoType if
// it does not exist.
func (c *checker) pathType(t ir.Type, path []uint32) ir.Type {
	for _, i := range path {
		info := c.m.TypeInfo(t)
		if info.Kind != ir.KindStruct && info.Kind != ir.KindArray || uint64(i) >= c.m.NumElements(t) {
			return ir.NoType
		}
		t = c.m.ElementType(t, uint64(i))
	}
	return t
}

func (c *checker) extractValue(v ir.Value) string {
	t := c.opType(v, 0)
	if got := c.pathType(t, c.f.Indices(v)); got == ir.NoType || got != c.f.Instr(v).Type {
		return c.found("Invalid ExtractValueInst operands!", t)
	}
	return ""
}

func (c *checker) insertValue(v ir.Value) string {
	t, elem := c.opType(v, 0), c.opType(v, 1)
	if want := c.pathType(t, c.f.Indices(v)); want == ir.NoType || want != elem || t != c.f.Instr(v).Type {
		return c.found("Invalid InsertValueInst operands!", t, elem)
	}
	return ""
}

func (c *checker) gep(v ir.Value) string {
	m, in := c.m, c.f.Instr(v)
	source, ops := c.f.GEPSource(v), c.f.Operands(v)
	base := c.typeOf(ops[0].Value)
	switch {
	case !m.IsPtrOrPtrVector(base):
		return c.found("GEP base pointer is not a vector or a vector of pointers", base)
	case !m.IsSized(source):
		return c.found("GEP into unsized type!", source)
	}
	lanes := c.lanes(base)
	for _, o := range ops[1:] {
		t := c.typeOf(o.Value)
		if !m.IsIntOrIntVector(t) {
			return c.found("GEP indexes must be integers", t)
		}
		if n := c.lanes(t); n != 0 && lanes == 0 {
			lanes = n
		}
	}
	if !c.indexes(source, ops[1:]) {
		return c.found("Invalid indices for GEP pointer type!", source)
	}
	width := c.lanes(in.Type)
	switch {
	case !m.IsPtr(m.Scalar(in.Type)) || width != lanes && (width == 0 || lanes == 0):
		return c.found("GEP is not of right type for indices!", in.Type)
	case c.lanes(base) != 0 && width != c.lanes(base):
		return c.found("Vector GEP result width doesn't match operand's", base, in.Type)
	case m.AddrSpace(in.Type) != m.AddrSpace(base):
		return c.found("GEP address space doesn't match type", base, in.Type)
	}
	for _, o := range ops[1:] {
		if n := c.lanes(c.typeOf(o.Value)); n != 0 && n != width {
			return c.found("Invalid GEP index vector width", c.typeOf(o.Value))
		}
	}
	return ""
}

// indexes reports whether getelementptr indices are valid for type t.
func (c *checker) indexes(t ir.Type, list []ir.Operand) bool {
	if len(list) == 0 {
		return true
	}
	for _, o := range list[1:] {
		info := c.m.TypeInfo(t)
		switch info.Kind {
		case ir.KindArray, ir.KindVector:
			t = info.Elem
		case ir.KindStruct:
			n, ok := c.fieldIndex(o.Value)
			if !ok || n >= uint64(len(info.Elems)) {
				return false
			}
			t = info.Elems[n]
		default:
			return false
		}
	}
	return true
}

// fieldIndex returns the field that a struct index selects. The index is a
// constant i32 or a splat.
func (c *checker) fieldIndex(v ir.Value) (uint64, bool) {
	if !v.IsConst() || c.m.Scalar(c.m.TypeOfConst(v)) != ir.I32 {
		return 0, false
	}
	if c.m.IsVector(c.m.TypeOfConst(v)) {
		if v = c.m.SplatValue(v); v == ir.None {
			return 0, false
		}
	}
	return c.m.IntValue(v)
}
