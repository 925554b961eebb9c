package ir

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Guard lets the work on a module be interrupted, and bounds the memory that bodies of functions grow into. Several goroutines may
// use it. A nil *Guard does neither.
type Guard struct {
	stop  atomic.Bool
	grown atomic.Int64 // bytes of instructions and operands
	limit int64
}

// Interrupted is what Check panics with. Whoever calls Stop recovers it.
type Interrupted struct{}

// Error returns the reason.
func (Interrupted) Error() string { return "interrupted" }

// NewGuard returns a guard that lets instructions, operands and tables take so many bytes, 0 for any number.
func NewGuard(limit int64) *Guard { return &Guard{limit: limit} }

// Limit returns how many bytes the guard allows, 0 for any number.
func (g *Guard) Limit() int64 {
	if g == nil {
		return 0
	}
	return g.limit
}

// Stop makes every later Check panic.
func (g *Guard) Stop() { g.stop.Store(true) }

// Stopped reports whether Stop was called.
func (g *Guard) Stopped() bool { return g != nil && g.stop.Load() }

// Check panics with Interrupted after Stop. It costs a load: loops whose length the input decides call it.
func (g *Guard) Check() {
	if g.Stopped() {
		panic(Interrupted{})
	}
}

// Room panics with an error that has a method LimitError when a table of so many bytes is larger than the limit.
func (g *Guard) Room(bytes int64) {
	if g != nil && g.limit > 0 && (bytes > g.limit || bytes < 0) {
		panic(&GrowthError{Limit: g.limit})
	}
}

// GrowthError reports code that outgrows the limit of a guard.
type GrowthError struct {
	Function *Function // nil when it is not known
	Limit    int64     // in bytes
}

func (e *GrowthError) Error() string { return e.LimitError() }

// LimitError tells limits from other errors.
func (e *GrowthError) LimitError() string {
	return fmt.Sprintf("the code is too large: it expands to more than %d MiB", e.Limit>>20)
}

// take notes that the body of a function has grown.
func (g *Guard) take(f *Function, bytes int64) {
	if g != nil && g.grown.Add(bytes) > g.limit && g.limit > 0 {
		panic(&GrowthError{f, g.limit})
	}
}

// SetGuard lets a guard watch the module. Nobody else may use the module meanwhile.
func (m *Module) SetGuard(g *Guard) {
	m.guard = g
	m.Measure()
}

// Guard returns the guard of the module, which may be nil.
func (m *Module) Guard() *Guard { return m.guard }

// Bytes returns what the bodies of the functions take.
func (m *Module) Bytes() (n int64) {
	for _, g := range m.globals {
		if g != nil && g.Func != nil {
			n += int64(cap(g.Func.instrs))*instrBytes + int64(cap(g.Func.pool))*operandBytes
		}
	}
	return n
}

// Measure tells the guard what the bodies take now: functions that were erased or compacted give their memory back.
func (m *Module) Measure() {
	if m.guard != nil {
		m.guard.grown.Store(m.Bytes())
	}
}

const (
	instrBytes   = int64(unsafe.Sizeof(Instr{}))
	operandBytes = int64(unsafe.Sizeof(Operand{}))
)

// addInstr appends an instruction.
func (f *Function) addInstr(in Instr) {
	if n := cap(f.instrs); len(f.instrs) == n {
		f.instrs = slices.Grow(f.instrs, 1)
		f.m.guard.take(f, int64(cap(f.instrs)-n)*instrBytes)
	}
	f.instrs = append(f.instrs, in)
}

// growPool makes room for n more operands.
func (f *Function) growPool(n int) {
	old := cap(f.pool)
	f.pool = slices.Grow(f.pool, n)
	f.m.guard.take(f, int64(cap(f.pool)-old)*operandBytes)
}
