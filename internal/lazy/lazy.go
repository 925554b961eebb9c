// Package lazy has values that are worked out when they are first asked for.
//
// A table in a package variable that is a map, or the result of a call, costs
// every process its making, whatever the process is asked to do. One in a Value
// costs nothing until it is used: the variable is plain data of the program.
package lazy

import "sync"

// Value is a value that Make makes, once. It is for package variables; goroutines
// may share it.
type Value[T any] struct {
	Make func() T

	once  sync.Once
	value T
}

// Get gives the value.
func (v *Value[T]) Get() T {
	v.once.Do(v.set)
	return v.value
}

func (v *Value[T]) set() { v.value = v.Make() }

// From gives the value, which f makes: for tables with functions that use the table
// themselves, in whose declaration Make would be a cycle.
func (v *Value[T]) From(f func() T) T {
	v.once.Do(func() { v.value = f() })
	return v.value
}
