package verify

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// floatRules adds the rules of constrained floating-point, matrix and some
// vector operations.
func floatRules(rules *ruleTable) {
	rules.addRules([]ruleOf{
		{ir.IntrMatrixMultiply, (*checker).matrixMultiply}, {ir.IntrMatrixTranspose, (*checker).matrixTranspose},
		{ir.IntrMatrixColumnMajorLoad, (*checker).matrixLoad}, {ir.IntrMatrixColumnMajorStore, (*checker).matrixStore},
		{ir.IntrVectorSpliceLeft, (*checker).spliceLeft}, {ir.IntrVectorSpliceRight, (*checker).spliceRight},
		{ir.IntrVectorPartialReduceFadd, (*checker).partialReduce},
	})
	for id := ir.IntrExperimentalConstrainedAcos; strings.HasPrefix(id.String(), "llvm.experimental.constrained."); id++ {
		rules[id] = (*checker).constrained
	}
}

// exceptionModes lists the exception behaviours of constrained operations.
var exceptionModes = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"fpexcept.ignore": true, "fpexcept.maytrap": true, "fpexcept.strict": true}
}}

// constrained checks a constrained floating-point operation: its metadata
// arguments and the types of conversions.
func (c *checker) constrained(s *callSite) string {
	var words []string
	for i := range s.args {
		if c.argType(s, i) == ir.MD {
			word, _ := c.m.MDString(c.metadataArg(s, i))
			words = append(words, word)
		}
	}
	switch id := s.callee.Intrinsic; id {
	case ir.IntrExperimentalConstrainedFcmp, ir.IntrExperimentalConstrainedFcmps:
		if len(words) > 0 && !isFloatPredicate(words[0]) {
			return "invalid predicate for constrained FP comparison intrinsic"
		}
		words = words[min(1, len(words)):]
	case ir.IntrExperimentalConstrainedFptosi, ir.IntrExperimentalConstrainedFptoui:
		if message := c.constrainedCast(s, "floating point", "an integer"); message != "" {
			return message
		}
	case ir.IntrExperimentalConstrainedSitofp, ir.IntrExperimentalConstrainedUitofp:
		if message := c.constrainedCast(s, "integer", "a floating point"); message != "" {
			return message
		}
	case ir.IntrExperimentalConstrainedFptrunc, ir.IntrExperimentalConstrainedFpext:
		if message := c.constrainedWidth(s, id == ir.IntrExperimentalConstrainedFptrunc); message != "" {
			return message
		}
	case ir.IntrExperimentalConstrainedLrint, ir.IntrExperimentalConstrainedLlrint, ir.IntrExperimentalConstrainedLround,
		ir.IntrExperimentalConstrainedLlround:
		if c.m.IsVector(c.argType(s, 0)) || c.m.IsVector(s.fn.Elem) {
			return "Intrinsic does not support vectors"
		}
	}
	switch n := len(words); {
	case n == 0 || n > 2:
		return "invalid arguments for constrained FP intrinsic"
	case !exceptionModes.Get()[words[n-1]]:
		return "invalid exception behavior argument"
	case n == 2 && !roundingModes.Get()[words[0]]:
		return "invalid rounding mode argument"
	}
	return ""
}

func isFloatPredicate(word string) bool {
	for p := ir.FCmpOEQ; p <= ir.FCmpUNE; p++ {
		if p.String() == word {
			return true
		}
	}
	return false
}

// constrainedCast checks the types of a conversion between integers and floating-point numbers.
func (c *checker) constrainedCast(s *callSite, from, to string) string {
	a, r := c.argType(s, 0), s.fn.Elem
	isFloat := from == "floating point"
	switch {
	case c.m.IsFloatOrFloatVector(a) != isFloat:
		return c.found("Intrinsic first argument must be "+from, a)
	case c.m.IsVector(a) != c.m.IsVector(r):
		return c.found("Intrinsic first argument and result disagree on vector use", a, r)
	case c.m.IsIntOrIntVector(r) != isFloat:
		return c.found("Intrinsic result must be "+to, r)
	case c.lanes(a) != c.lanes(r):
		return c.found("Intrinsic first argument and result vector lengths must be equal", a, r)
	}
	return ""
}

// constrainedWidth checks the types of a conversion between floating-point types.
func (c *checker) constrainedWidth(s *callSite, shrinks bool) string {
	a, r := c.argType(s, 0), s.fn.Elem
	switch from, to := c.m.ScalarBits(a), c.m.ScalarBits(r); {
	case !c.m.IsFloatOrFloatVector(a):
		return c.found("Intrinsic first argument must be FP or FP vector", a)
	case !c.m.IsFloatOrFloatVector(r):
		return c.found("Intrinsic result must be FP or FP vector", r)
	case c.m.IsVector(a) != c.m.IsVector(r):
		return c.found("Intrinsic first argument and result disagree on vector use", a, r)
	case c.lanes(a) != c.lanes(r):
		return c.found("Intrinsic first argument and result vector lengths must be equal", a, r)
	case shrinks && from <= to:
		return c.found("Intrinsic first argument's type must be larger than result type", a, r)
	case !shrinks && from >= to:
		return c.found("Intrinsic first argument's type must be smaller than result type", a, r)
	}
	return ""
}

func (c *checker) spliceLeft(s *callSite) string {
	if n, ok := c.constArg(s, 2); ok && n >= c.lanes(s.fn.Elem) {
		return "The splice index exceeds the range [0, VL-1] where VL is the known minimum number of elements in the vector."
	}
	return ""
}

func (c *checker) spliceRight(s *callSite) string {
	if n, ok := c.constArg(s, 2); ok && n > c.lanes(s.fn.Elem) {
		return "The splice index exceeds the range [0, VL] where VL is the known minimum number of elements in the vector."
	}
	return ""
}

// matrixShape holds the types that the rules of matrix operations compare.
type matrixShape struct {
	result, first, second ir.Type // second and first may be NoType
	rows, columns         uint64
	stride                uint64
	hasStride             bool
}

func (c *checker) matrixOp(x *matrixShape) string {
	elem := c.m.Scalar(x.result)
	switch {
	case !c.m.IsInt(elem) && !c.m.IsFloat(elem):
		return c.found("Result type must be an integer or floating-point type!", x.result)
	case x.first != ir.NoType && c.m.Scalar(x.first) != elem:
		return c.found("Vector element type mismatch of the result and first operand vector!", x.result, x.first)
	case x.second != ir.NoType && c.m.Scalar(x.second) != elem:
		return c.found("Vector element type mismatch of the result and second operand vector!", x.result, x.second)
	case c.lanes(x.result) != x.rows*x.columns:
		return c.found("Result of a matrix operation does not fit in the returned vector!", x.result)
	case x.hasStride && x.stride < x.rows:
		return "Stride must be greater or equal than the number of rows!"
	}
	return ""
}

func (c *checker) matrixMultiply(s *callSite) string {
	rows, _ := c.constArg(s, 2)
	inner, _ := c.constArg(s, 3)
	columns, ok := c.constArg(s, 4)
	a, b := c.argType(s, 0), c.argType(s, 1)
	switch {
	case !ok:
		return ""
	case c.lanes(a) != rows*inner:
		return c.found("First argument of a matrix operation does not match specified shape!", a)
	case c.lanes(b) != inner*columns:
		return c.found("Second argument of a matrix operation does not match specified shape!", b)
	}
	return c.matrixOp(&matrixShape{result: s.fn.Elem, first: a, second: b, rows: rows, columns: columns})
}

func (c *checker) matrixTranspose(s *callSite) string {
	rows, _ := c.constArg(s, 1)
	columns, _ := c.constArg(s, 2)
	return c.matrixOp(&matrixShape{result: s.fn.Elem, first: c.argType(s, 0), rows: rows, columns: columns})
}

func (c *checker) matrixLoad(s *callSite) string {
	stride, known := c.constArg(s, 1)
	rows, _ := c.constArg(s, 3)
	columns, _ := c.constArg(s, 4)
	return c.matrixOp(&matrixShape{result: s.fn.Elem, rows: rows, columns: columns, stride: stride, hasStride: known})
}

func (c *checker) matrixStore(s *callSite) string {
	stride, known := c.constArg(s, 2)
	rows, _ := c.constArg(s, 4)
	columns, _ := c.constArg(s, 5)
	t := c.argType(s, 0)
	return c.matrixOp(&matrixShape{result: t, first: t, rows: rows, columns: columns, stride: stride, hasStride: known})
}
