package isa

import (
	"iter"
	"sort"
	"strings"
)

// Operation is an operation with several names: its instruction has different
// names on different sets, or LLVM's assembler accepts other names. It is a row
// of isa/table/names.tsv.
type Operation uint16

// OperationName is a name of an operation.
type OperationName struct {
	Name    string  // without an encoding suffix
	Sets    SetMask // sets whose instruction of the name performs the operation
	Aliases SetMask // sets whose instruction has another name, for which LLVM's assembler accepts this one
}

// Operations returns the operations with several names.
func Operations() iter.Seq[Operation] {
	return func(yield func(Operation) bool) {
		for o := range operations {
			if !yield(Operation(o)) {
				return
			}
		}
	}
}

// OperationNamed returns the operation that has a name first in its row; ok is
// false if there is none.
func OperationNamed(name string) (o Operation, ok bool) {
	i, ok := sort.Find(len(operations), func(i int) int { return strings.Compare(name, operations[i][0].Name) })
	return Operation(i), ok
}

// Names returns the names of an operation, first the one that names it. The
// caller must not modify the slice.
func (o Operation) Names() []OperationName { return operations[o] }

// On returns the name of the instruction that performs an operation on a set,
// or "".
func (o Operation) On(s Set) string {
	for _, n := range operations[o] {
		if n.Sets.Has(s) {
			return n.Name
		}
	}
	return ""
}

// NameOn returns the name on a set of the instruction that performs the
// operation of another set's instruction, or "" if the set has no such
// instruction. An instruction that is not in isa/table/names.tsv has the same
// name on all sets.
func NameOn(s Set, name string, other Set) string {
	for o := range Operations() {
		if o.On(other) == name {
			return o.On(s)
		}
	}
	return name
}
