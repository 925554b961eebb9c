package prepare

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/target"
)

// LegalPart is the kind of pass that legalizes a construct.
type LegalPart uint8

const (
	LegalValues  LegalPart = iota // types and operations: integers, vectors, aggregates, generic intrinsics
	LegalFloats                   // floating-point operations
	LegalMemory                   // sizes and alignments of accesses, atomic operations
	LegalControl                  // the control flow graph
)

// LegalError is a construct that instruction selection does not support.
type LegalError struct {
	Part      LegalPart
	Function  *ir.Function
	Value     ir.Value // the instruction, or None if it concerns the function
	Line      uint64   // source line from debug information, or 0
	Construct string
}

func (e *LegalError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "function '%s'", e.Function.Name())
	if e.Line != 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	fmt.Fprintf(&b, ": %s", e.Construct)
	if e.Value != ir.None && e.Function.HasName(e.Value) {
		fmt.Fprintf(&b, " (%s)", text.LocalName(e.Function, e.Value))
	}
	return b.String()
}

// legality checks functions.
type legality struct {
	m    *ir.Module
	f    *ir.Function
	t    *target.Target
	errs []error
}

// LegalErrors returns the constructs in a module's functions that instruction
// selection does not support. t is the processor; nil means that constructs
// must be legal for all processors. Each error is a *LegalError.
func LegalErrors(m *ir.Module, t *target.Target) []error {
	c := legality{m: m, t: t}
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && g.Func.Entry() != 0 {
			c.function(g.Func)
		}
	}
	return c.errs
}

// is reports whether the processor is known and of generation g or a successor.
func (c *legality) is(g target.Generation) bool { return c.t != nil && c.t.Processor.Is(g) }

func (c *legality) report(part LegalPart, v ir.Value, format string, args ...any) {
	e := &LegalError{Part: part, Function: c.f, Value: v, Construct: fmt.Sprintf(format, args...)}
	if v != ir.None {
		if loc := c.f.Instr(v).Loc; loc != 0 {
			e.Line = c.m.MDFieldInt(loc, "line")
		}
	}
	c.errs = append(c.errs, e)
}

// reportType reports an instruction with its operation and a type.
func (c *legality) reportType(part LegalPart, v ir.Value, t ir.Type) {
	c.report(part, v, "%s of %s", c.f.Op(v), c.typeName(t))
}

func (c *legality) typeName(t ir.Type) string { return string(text.TypeString(c.m, t)) }

func (c *legality) function(f *ir.Function) {
	c.f = f
	c.signature(f)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if check := checkTable[f.Op(v)]; check != nil {
				check(c, v)
			} else if !neverWrong[f.Op(v)] {
				c.reportType(LegalControl, v, f.TypeOf(v))
			}
		}
	}
	if problem := illegalControl(f); problem != "" {
		c.report(LegalControl, ir.None, "%s", problem)
	}
}

// signature checks the types of parameters and result. It skips the parameters
// of kernels, which are not used.
func (c *legality) signature(f *ir.Function) {
	if f.CC.IsEntry() {
		return
	}
	for i := range f.NumArgs() {
		if t := f.TypeOf(f.Arg(i)); !c.isValue(t) {
			c.report(LegalValues, ir.None, "parameter of type %s", c.typeName(t))
		}
	}
	t := f.ReturnType()
	if c.m.IsAggregate(t) && c.m.Kind(t) == ir.KindStruct {
		for i := range c.m.NumElements(t) {
			if e := c.m.ElementType(t, i); !c.isValue(e) {
				c.report(LegalValues, ir.None, "result with an element of type %s", c.typeName(e))
			}
		}
	} else if t != ir.Void && !c.isValue(t) {
		c.report(LegalValues, ir.None, "result of type %s", c.typeName(t))
	}
}

// neverWrong lists the operations that need no check.
var neverWrong = [ir.NumOps]bool{
	ir.OpRet: true, ir.OpBr: true, ir.OpUnreachable: true, ir.OpFence: true, ir.OpInsertValue: true,
}

// checkTable holds the check of each operation.
var checkTable = [ir.NumOps]func(c *legality, v ir.Value){
	ir.OpAdd: checkArith, ir.OpSub: checkArith, ir.OpMul: checkArith, ir.OpShl: checkArith, ir.OpLShr: checkArith, ir.OpAShr: checkArith,
	ir.OpAnd: checkLogic, ir.OpOr: checkLogic, ir.OpXor: checkLogic,
	ir.OpUDiv: checkNever, ir.OpSDiv: checkNever, ir.OpURem: checkNever, ir.OpSRem: checkNever,
	ir.OpFAdd: checkFloat, ir.OpFSub: checkFloat, ir.OpFMul: checkFloat, ir.OpFNeg: checkFloat,
	ir.OpFDiv: checkNeverFloat, ir.OpFRem: checkNeverFloat,
	ir.OpICmp: checkICmp, ir.OpFCmp: checkFCmp,
	ir.OpSelect: checkMoved, ir.OpPhi: checkMoved, ir.OpFreeze: checkMoved,
	ir.OpLoad: checkAccess, ir.OpStore: checkAccess, ir.OpAtomicRMW: checkAtomic, ir.OpCmpXchg: checkAtomic,
	ir.OpTrunc: checkTrunc, ir.OpZExt: checkExt, ir.OpSExt: checkExt,
	ir.OpFPToUI: checkFromFloat, ir.OpFPToSI: checkFromFloat, ir.OpUIToFP: checkToFloat, ir.OpSIToFP: checkToFloat,
	ir.OpFPTrunc: checkFloatCast, ir.OpFPExt: checkFloatCast, ir.OpPtrToInt: checkPointerCast, ir.OpPtrToAddr: checkPointerCast,
	ir.OpIntToPtr: checkPointerCast, ir.OpAddrSpaceCast: checkScalar, ir.OpBitCast: checkBitCast, ir.OpGetElementPtr: checkGEP,
	ir.OpAlloca:         checkAlloca,
	ir.OpExtractElement: checkElement, ir.OpInsertElement: checkElement, ir.OpExtractValue: checkExtractValue, ir.OpCall: checkCall,
}

// isPair reports whether a type is a pair with packed instructions.
func (c *legality) isPair(t ir.Type) bool {
	elem := c.m.Scalar(t)
	return c.is(target.GFX9) && c.m.IsVector(t) && c.m.NumElements(t) == 2 && (elem == ir.Half || elem == ir.I16)
}

// isValue reports whether values of a type may be moved, stored and passed to
// calls: scalars that fit into registers, and vectors of them.
func (c *legality) isValue(t ir.Type) bool {
	if c.m.IsVector(t) {
		elem := c.m.Scalar(t)
		return c.isScalar(elem) && elem != ir.I1 && elem != ir.I8
	}
	return c.isScalar(t)
}

func (c *legality) isScalar(t ir.Type) bool {
	switch t {
	case ir.I1, ir.I8, ir.I16, ir.I32, ir.I64, ir.Half, ir.BFloat, ir.Float, ir.Double:
		return true
	}
	return c.m.IsPtr(t)
}

// checkNever rejects operations that are always expanded.
func checkNever(c *legality, v ir.Value) { c.reportType(LegalValues, v, c.f.TypeOf(v)) }

func checkNeverFloat(c *legality, v ir.Value) {
	part := LegalFloats
	if c.m.IsVector(c.f.TypeOf(v)) {
		part = LegalValues
	}
	c.reportType(part, v, c.f.TypeOf(v))
}

func checkArith(c *legality, v ir.Value) {
	if t := c.f.TypeOf(v); t != ir.I32 && t != ir.I64 && !c.isPair(t) {
		c.reportType(LegalValues, v, t)
	}
}

func checkLogic(c *legality, v ir.Value) {
	if c.f.TypeOf(v) != ir.I1 {
		checkArith(c, v)
	}
}

// isFloat reports whether arithmetic on a type is supported.
func (c *legality) isFloat(t ir.Type) bool {
	return t == ir.Float || t == ir.Double || t == ir.Half && (c.t == nil || c.is(target.GFX8)) || c.isPair(t) && c.m.Scalar(t) == ir.Half
}

// floatPart returns the part that is responsible for an illegal floating-point
// type.
func (c *legality) floatPart(t ir.Type) LegalPart {
	if c.m.IsVector(t) {
		return LegalValues
	}
	return LegalFloats
}

func checkFloat(c *legality, v ir.Value) {
	if t := c.f.TypeOf(v); !c.isFloat(t) {
		c.reportType(c.floatPart(t), v, t)
	}
}

// checkICmp checks comparisons. Pointers of more than 64 bits support only
// equality.
func checkICmp(c *legality, v ir.Value) {
	t := c.f.TypeOf(c.f.Operand(v, 0))
	if wide := c.m.SizeInBits(t) > 64; t != ir.I32 && t != ir.I64 && !(c.m.IsPtr(t) && (!wide || c.f.Pred(v).IsEquality())) {
		c.reportType(LegalValues, v, t)
	}
}

func checkFCmp(c *legality, v ir.Value) {
	if t := c.f.TypeOf(c.f.Operand(v, 0)); c.m.IsVector(t) || !c.isFloat(t) {
		c.reportType(c.floatPart(t), v, t)
	}
}

// checkMoved checks phi, select and freeze.
func checkMoved(c *legality, v ir.Value) {
	f := c.f
	t := f.TypeOf(v)
	if !c.isValue(t) || f.Op(v) == ir.OpFreeze && c.m.IsVector(t) && !c.isPair(t) {
		c.reportType(LegalValues, v, t)
	}
	if f.Op(v) == ir.OpSelect && c.m.IsVector(f.TypeOf(f.Operand(v, 0))) {
		c.report(LegalValues, v, "select with a vector condition")
	}
}

func checkScalar(c *legality, v ir.Value) {
	if t := c.f.TypeOf(v); !c.isScalar(t) {
		c.reportType(LegalValues, v, t)
	}
}

func checkTrunc(c *legality, v ir.Value) {
	f := c.f
	from, to := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	if from != ir.I32 && from != ir.I64 || to != ir.I1 && to != ir.I8 && to != ir.I16 && to != ir.I32 {
		c.report(LegalValues, v, "trunc from %s to %s", c.typeName(from), c.typeName(to))
	}
}

func checkExt(c *legality, v ir.Value) {
	f := c.f
	from, to := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	ok := from == ir.I1 || from == ir.I8 || from == ir.I16 || from == ir.I32
	if to != ir.I32 && to != ir.I64 || !ok {
		c.report(LegalValues, v, "%s from %s to %s", f.Op(v), c.typeName(from), c.typeName(to))
	}
}

func checkFromFloat(c *legality, v ir.Value) {
	f := c.f
	from, to := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	if to != ir.I32 || !c.isConverted(from) {
		part := LegalValues
		if to == ir.I64 || to == ir.I32 {
			part = LegalFloats
		}
		c.report(part, v, "%s from %s to %s", f.Op(v), c.typeName(from), c.typeName(to))
	}
}

// isConverted reports whether conversions between a floating-point type and i32
// or other types are supported; half has them on all processors.
func (c *legality) isConverted(t ir.Type) bool {
	return t == ir.Half || t == ir.Float || t == ir.Double
}

func checkToFloat(c *legality, v ir.Value) {
	f := c.f
	from, to := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	if from != ir.I32 && from != ir.I1 || !c.isConverted(to) {
		part := LegalValues
		if from == ir.I64 || from == ir.I32 {
			part = LegalFloats
		}
		c.report(part, v, "%s from %s to %s", f.Op(v), c.typeName(from), c.typeName(to))
	}
}

func checkFloatCast(c *legality, v ir.Value) {
	f := c.f
	from, to := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	if !c.isConverted(from) || !c.isConverted(to) {
		c.report(c.floatPart(to), v, "%s from %s to %s", f.Op(v), c.typeName(from), c.typeName(to))
	}
}

// checkPointerCast checks conversions between pointers and integers of the same
// width.
func checkPointerCast(c *legality, v ir.Value) {
	f, m := c.f, c.m
	p, n := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	if f.Op(v) == ir.OpIntToPtr {
		p, n = n, p
	}
	if !m.IsPtr(p) || n != ir.I32 && n != ir.I64 && !isLongPtr(m, p) || m.SizeInBits(p) != m.SizeInBits(n) {
		c.report(LegalValues, v, "%s between %s and %s", f.Op(v), c.typeName(p), c.typeName(n))
	}
}

func checkBitCast(c *legality, v ir.Value) {
	f, m := c.f, c.m
	from, to := f.TypeOf(f.Operand(v, 0)), f.TypeOf(v)
	half := func(t ir.Type) bool { return t == ir.I16 || t == ir.Half || t == ir.BFloat }
	long := func(t ir.Type) bool { return m.IntBits(t) > wordBits && m.IntBits(t)%wordBits == 0 } // of a long pointer
	if from == to || long(from) && isWordType(m, to) || long(to) && isWordType(m, from) || half(from) && half(to) || isWordType(m, from) && isWordType(m, to) {
		return
	}
	if m.IsVector(from) && m.IsVector(to) && m.NumElements(from) == m.NumElements(to) && half(m.Scalar(from)) && half(m.Scalar(to)) {
		return
	}
	c.report(LegalValues, v, "bitcast from %s to %s", c.typeName(from), c.typeName(to))
}

func checkGEP(c *legality, v ir.Value) {
	f := c.f
	if c.m.IsVector(f.TypeOf(v)) {
		c.reportType(LegalValues, v, f.TypeOf(v))
		return
	}
	for _, o := range f.Operands(v)[1:] {
		if t := f.TypeOf(o.Value); t != ir.I32 && t != ir.I64 {
			c.report(LegalValues, v, "getelementptr with an index of %s", c.typeName(t))
		}
	}
}

func checkElement(c *legality, v ir.Value) {
	f := c.f
	t := f.TypeOf(f.Operand(v, 0))
	bits := c.m.SizeInBits(c.m.Scalar(t))
	if _, ok := c.m.IntValue(f.Operand(v, f.NumOperands(v)-1)); !ok && (bits != 32 && bits != 64 || c.m.SizeInBits(t) > maxIndexed) {
		c.report(LegalValues, v, "%s with a variable index", f.Op(v))
	}
}

func checkExtractValue(c *legality, v ir.Value) {
	f := c.f
	if agg := f.Operand(v, 0); !agg.IsLocal() || f.Op(agg) != ir.OpCall && f.Op(agg) != ir.OpCmpXchg || len(f.Indices(v)) != 1 {
		c.report(LegalValues, v, "extractvalue of a value that is not a call result")
	}
}
