// Package lazy provides values that are computed on first use.
//
// A package variable that holds a map or the result of a call is initialized in
// every process, even if it is never used. A Value is plain data of the program
// and is free until its first use.
package lazy

import "sync"

// Value is computed once, by Make. It is intended for package variables and may
// be shared by goroutines.
type Value[T any] struct {
	Make func() T

	once  sync.Once
	value T
}

// Get returns the value.
func (v *Value[T]) Get() T {
	v.once.Do(v.makeValue)
	return v.value
}

func (v *Value[T]) makeValue() { v.value = v.Make() }

// From returns the value, computed by f. It is for tables whose functions use
// the table, where declaring Make would be an initialization cycle.
func (v *Value[T]) From(f func() T) T {
	v.once.Do(func() { v.value = f() })
	return v.value
}
