// Package translate turns modules of MLIR's dialects llvm and rocdl into LLVM IR.
//
// Each operation becomes an instruction, a constant, a global or a call of an
// intrinsic; see the table of operations in ops.go and the arguments of
// intrinsics in intrinsics.txt. The meaning is MLIR's: LLVM IR Target in
// https://mlir.llvm.org/docs/TargetLLVMIR/, with the attributes of the dialect
// rocdl on functions and operations. Scalable vectors and debug information are
// not translated: the former are refused, the latter is dropped.
package translate

import (
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// Module translates the operations within o, a builtin.module or a gpu.module,
// whose operations must be valid by Context.Verify. The error is a diag.List. The
// result may break LLVM's own rules where MLIR's verifier does not know them; see Check.
func Module(c *mlir.Context, o *mlir.Op) (*ir.Module, error) {
	t := newTranslator(c)
	if err := attempt(func() { t.module(o) }); err != nil {
		return nil, err
	}
	return t.m, nil
}

// attempt calls f and returns the error with which it refuses an operation, a diag.List.
func attempt(f func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case diag.List:
			err = e
		default:
			panic(e)
		}
	}()
	f()
	return nil
}

// lastMark is the number of what has been translated last: the globals of a module, or a function.
var lastMark atomic.Uint64

func newTranslator(c *mlir.Context) *translator {
	return &translator{
		c: c, m: ir.NewModule("LLVMDialectModule"), rows: operations.From(makeOperations),
		types: map[*mlir.Type]ir.Type{}, flags: map[*mlir.Attr]ir.Flags{}, nodes: map[string]ir.Metadata{},
		callees: map[callee]*ir.Function{}, plain: map[string]*opRow{}, lists: map[*mlir.Attr]ir.Metadata{}, mark: lastMark.Add(1),
	}
}

// A translator holds the state of one translation.
type translator struct {
	c       *mlir.Context
	m       *ir.Module
	rows    map[string]*opRow
	types   map[*mlir.Type]ir.Type
	flags   map[*mlir.Attr]ir.Flags
	lists   map[*mlir.Attr]ir.Metadata // lists of scopes, groups and tags
	nodes   map[string]ir.Metadata     // by the spelling of their attributes
	callees map[callee]*ir.Function
	plain   map[string]*opRow // of intrinsics without a row in the table

	op     *mlir.Op // that is translated
	f      *ir.Function
	b      ir.Builder
	mark   uint64 // the upper half of the marks of values that have been translated; the lower half is the translation
	blocks map[*mlir.Block]ir.Block
	ops    []ir.Value // operands of a call, reused
	params []ir.Type  // types of the operands of a call, reused
	jumps  []jump
	pieces map[string]ir.Block // blocks that blockaddress means, by their tags
	later  []laterAddress
}

// refuse ends the translation with an error about the current operation.
func (t *translator) refuse(format string, args ...any) {
	panic(t.c.OpDiagnostics(t.op, mlir.OpErrorf(format, args...)))
}

// operand returns the translation of an operand.
func (t *translator) operand(o *mlir.Op, i int) ir.Value {
	if i >= len(o.Operands) {
		t.refuse("has too few operands")
	}
	return t.value(o.Operands[i].Value)
}

func (t *translator) value(v *mlir.Value) ir.Value {
	if v.Mark>>32 != t.mark {
		t.refuse("uses a value that has no translation")
	}
	return ir.Value(uint32(v.Mark))
}

// setValue records the translation of a value.
func (t *translator) setValue(v *mlir.Value, to ir.Value) { v.Mark = t.mark<<32 | uint64(to) }

// resultType returns the type of the only result, or void without results.
func (t *translator) resultType(o *mlir.Op) ir.Type {
	switch len(o.Results) {
	case 0:
		return ir.Void
	case 1:
		return t.typeOf(o.Results[0].Type)
	}
	t.refuse("has more than one result")
	return ir.NoType
}

// theType returns the type of the only result, which must exist.
func (t *translator) theType(o *mlir.Op) ir.Type {
	if len(o.Results) != 1 {
		t.refuse("has %d results", len(o.Results))
	}
	return t.typeOf(o.Results[0].Type)
}

// text returns a string attribute, or "" if it is missing.
func (t *translator) text(o *mlir.Op, name string) string {
	if a := o.Attr(name); a != nil && a.Kind == mlir.StringAttr {
		return a.Text
	}
	return ""
}

// number returns an integer attribute, or 0 if it is missing.
func (t *translator) number(o *mlir.Op, name string) int64 {
	if a := o.Attr(name); a != nil && a.Kind == mlir.IntegerAttr {
		return a.Int
	}
	return 0
}

// truth reports whether a unit attribute is there, or a bool is true.
func truth(o *mlir.Op, name string) bool {
	a := o.Attr(name)
	return a != nil && (a.Kind != mlir.IntegerAttr || a.Int != 0)
}

// alignment returns an alignment in bytes, 0 if it is missing.
func (t *translator) alignment(o *mlir.Op) uint32 {
	n := t.number(o, "alignment")
	if n < 0 || n > 1<<32 || n&(n-1) != 0 {
		t.refuse("has an alignment that is no power of two up to 2^32")
	}
	return uint32(n)
}

// ints returns the elements of a dense array of integers.
func ints(a *mlir.Attr) []int64 {
	if a == nil || a.Kind != mlir.DenseArrayAttr {
		return nil
	}
	return a.Int64s()
}

// list returns the elements of an array attribute.
func list(a *mlir.Attr) []*mlir.Attr {
	if a == nil || a.Kind != mlir.ArrayAttr {
		return nil
	}
	return a.List
}

// OnlyGPUModule returns the gpu.module within a builtin.module that has no functions
// of its own and no further gpu.module, or the operation itself.
func OnlyGPUModule(top *mlir.Op) *mlir.Op {
	var only *mlir.Op
	for o := range top.Body(0).Ops {
		switch o.Name {
		case "gpu.module":
			if only != nil {
				return top
			}
			only = o
		case "llvm.func", "func.func":
			return top
		}
	}
	if only == nil {
		return top
	}
	return only
}
