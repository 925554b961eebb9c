// Package vector converts dialect vector: to the LLVM dialect, and transfers between
// memory and vectors of several dimensions to loops.
package vector

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// Options select how vectors are converted.
type Options struct {
	Narrow      bool // lanes are compared with bounds as i32
	Reassociate bool // floats are added and multiplied in any order
}

// ToLLVM converts the operations of dialect vector. Some become operations of
// other dialects, among them arith.
func ToLLVM() []tollvm.Row { return ToLLVMWith(Options{}) }

// ToLLVMWith is ToLLVM with options.
func ToLLVMWith(options Options) []tollvm.Row {
	var list []tollvm.Row
	for _, rules := range [...][]rule{memoryRules, elementRules, shapeRules, arithmeticRules, maskRules, maskedRules, contractRules} {
		for _, r := range rules {
			list = append(list, tollvm.Row{Op: "vector." + r.op, Run: r.with(options)})
		}
	}
	return list
}

// A rule converts an operation of dialect vector.
type rule struct {
	op  string
	run func(l lowering, o *mlir.Op) error
}

// maxElements is the limit of a vector that is converted, and of the products of a contraction.
const maxElements = 1 << 20

// with returns the function of a row: it runs the rule if all types can be converted. Vectors
// whose length is scalable are left alone.
func (r rule) with(options Options) func(*tollvm.Lowering, *mlir.Op, string) error {
	return func(l *tollvm.Lowering, o *mlir.Op, _ string) (err error) {
		for _, u := range o.Operands {
			if err := fits(l, u.Value.Type); err != nil {
				return err
			}
		}
		for _, v := range o.Results {
			if err := fits(l, v.Type); err != nil {
				return err
			}
		}
		// Attributes that select parts outside the types are found where the parts are taken.
		defer func() {
			if recover() != nil {
				err = mlir.OpErrorf("has attributes that do not fit its types")
			}
		}()
		return r.run(lowering{l, options}, o)
	}
}

func fits(l *tollvm.Lowering, t *mlir.Type) error {
	if t.IsScalable() || l.Convert(t) == nil {
		return rewrite.ErrNoMatch
	}
	elements := int64(1)
	for _, n := range t.Shape {
		if t.Kind == mlir.VectorKind && n > maxElements/elements {
			return mlir.OpErrorf("has a vector of more than %d elements", maxElements)
		}
		elements *= max(n, 1)
	}
	return nil
}
