package ir

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Guard interrupts the work on a module and bounds the memory of function
// bodies. Several goroutines may use it. A nil *Guard has no effect.
type Guard struct {
	stop  atomic.Bool
	grown atomic.Int64 // bytes of instructions and operands
	limit int64
}

// Interrupted is the value with which Check panics. The caller of Stop must
// recover it.
type Interrupted struct{}

// Error returns the message "interrupted".
func (Interrupted) Error() string { return "interrupted" }

// NewGuard returns a guard that limits instructions, operands and tables to
// limit bytes; 0 means no limit.
func NewGuard(limit int64) *Guard { return &Guard{limit: limit} }

// Limit returns the limit in bytes, 0 for none.
func (g *Guard) Limit() int64 {
	if g == nil {
		return 0
	}
	return g.limit
}

// Stop causes later calls of Check to panic.
func (g *Guard) Stop() { g.stop.Store(true) }

// Stopped reports whether Stop was called.
func (g *Guard) Stopped() bool { return g != nil && g.stop.Load() }

// Check panics with Interrupted after Stop. It costs one load. Loops whose
// length depends on the input call it.
func (g *Guard) Check() {
	if g.Stopped() {
		panic(Interrupted{})
	}
}

// Room panics if a table of the given size exceeds the limit. The panic value
// is an error with a method LimitError.
func (g *Guard) Room(bytes int64) {
	if g != nil && g.limit > 0 && (bytes > g.limit || bytes < 0) {
		panic(&GrowthError{Limit: g.limit})
	}
}

// GrowthError reports a function body that exceeds the limit of a guard.
type GrowthError struct {
	Function *Function // nil if unknown
	Limit    int64     // in bytes
}

// Error returns the limit that was exceeded.
func (e *GrowthError) Error() string { return e.LimitError() }

// LimitError returns the limit that was exceeded. It distinguishes limits from
// other errors.
func (e *GrowthError) LimitError() string {
	return fmt.Sprintf("the code is too large: it expands to more than %d MiB", e.Limit>>20)
}

// recordGrowth records the growth of a function body.
func (g *Guard) recordGrowth(f *Function, bytes int64) {
	if g != nil && g.grown.Add(bytes) > g.limit && g.limit > 0 {
		panic(&GrowthError{f, g.limit})
	}
}

// SetGuard attaches a guard to the module. It needs exclusive access to the
// module.
func (m *Module) SetGuard(g *Guard) {
	m.guard = g
	m.Measure()
}

// Guard returns the guard of the module, or nil.
func (m *Module) Guard() *Guard { return m.guard }

// Bytes returns the size of all function bodies.
func (m *Module) Bytes() (n int64) {
	for _, g := range m.globals {
		if g != nil && g.Func != nil {
			n += int64(cap(g.Func.instrs))*instrBytes + int64(cap(g.Func.pool))*operandBytes
		}
	}
	return n
}

// Measure updates the guard with the current size of the bodies, so that erased
// and compacted functions release their share of the limit.
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
		f.m.guard.recordGrowth(f, int64(cap(f.instrs)-n)*instrBytes)
	}
	f.instrs = append(f.instrs, in)
}

// Expect reserves space for about as many more instructions and operands, which saves time.
func (f *Function) Expect(instrs, operands int) {
	f.startBody()
	n := cap(f.instrs)
	f.instrs = slices.Grow(f.instrs, instrs)
	f.m.guard.recordGrowth(f, int64(cap(f.instrs)-n)*instrBytes)
	f.growPool(operands)
}

// growPool reserves space for n more operands.
func (f *Function) growPool(n int) {
	old := cap(f.pool)
	f.pool = slices.Grow(f.pool, n)
	f.m.guard.recordGrowth(f, int64(cap(f.pool)-old)*operandBytes)
}
