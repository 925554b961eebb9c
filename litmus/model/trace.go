package model

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/litmus"
)

// An event is an access, a fence or a barrier of an execution.
type event struct {
	thread      int // -1 for initial values
	at          *litmus.Statement
	read, write bool
	fence       bool
	barrier     int // number of the barrier in its thread, from 1; 0 for other events
	location    int // number of the element, -1 for none
	space       litmus.Space
	rv, wv      int32 // read and written value
	ordering    litmus.Ordering
	scope       litmus.Scope
	oneAS       bool
	deps        uint64 // earlier events of the thread on which the event depends, by index
}

func (e *event) atomic() bool { return e.ordering != litmus.Plain }

// A trace is one execution of a thread alone, for some values of its loads.
type trace struct {
	events        []event
	registers     []int32
	reads, writes valueSet // values that the events read and write
}

// limits of an exploration.
const (
	maxEvents = 64      // of an execution, with initial values
	maxValues = 32      // of a location
	maxTraces = 1 << 13 // of a thread
	maxWork   = 1 << 16 // executions of threads, in all rounds
)

// A limitError reports that a test is too large to decide.
type limitError struct{ message string }

func (e *limitError) Error() string { return e.message }

// A tracer enumerates the traces of a thread.
type tracer struct {
	test      *litmus.Test
	thread    int
	first     []int     // first element of each variable
	initial   []int32   // initial values of the elements
	others    [][]int32 // values of each element that other threads write
	work      *int      // executions of threads so far
	registers []int32
	taint     []uint64 // loads on which each register depends
	control   uint64   // loads on which the execution of writes depends, for the current branch
	events    []event
	barriers  int
	found     []trace
	err       error
}

// traces returns the executions of a thread in which each load returns a value that
// another thread writes, the thread's last value, or the initial value.
func traces(t *litmus.Test, thread int, w *written) ([]trace, error) {
	n := len(t.Threads[thread].Registers)
	first, _ := t.Elements()
	x := &tracer{test: t, thread: thread, work: &w.work, first: first, initial: w.initial, others: w.others(thread), registers: make([]int32, n), taint: make([]uint64, n)}
	x.sequence(t.Threads[thread].Body, x.finish)
	return x.found, x.err
}

// finish records the current trace.
func (x *tracer) finish() {
	if *x.work++; *x.work > maxWork {
		x.err = &limitError{fmt.Sprintf("the threads have more than %d executions", maxWork)}
		return
	}
	if len(x.found) == maxTraces {
		x.err = &limitError{fmt.Sprintf("thread %s has more than %d executions", x.test.Threads[x.thread].Name, maxTraces)}
		return
	}
	x.found = append(x.found, trace{events: slices.Clone(x.events), registers: slices.Clone(x.registers)})
}

func (x *tracer) fail(s *litmus.Statement, format string, args ...any) {
	if x.err == nil {
		x.err = &PositionError{s.At, fmt.Sprintf(format, args...)}
	}
}

func (x *tracer) leaf(e *litmus.Expr) int32 { return x.registers[e.Register] }

// eval returns the value of an expression, and the loads on which it depends.
func (x *tracer) eval(e *litmus.Expr) (v int32, deps uint64) {
	v = e.Eval(x.leaf)
	e.Walk(func(r *litmus.Expr) {
		if r.Op == litmus.OpRegister && x.taint[r.Register] != 0 && x.sensitive(e, r.Register, v) {
			deps |= x.taint[r.Register]
		}
	})
	return v, deps
}

// samples are values for which an expression is evaluated to see whether it depends
// on a register.
var samples = [...]int32{0, 1, 2, 3, 4, 7, 42, 1 << 16, -1, -2, -1 << 31}

// sensitive reports whether an expression changes with a register.
func (x *tracer) sensitive(e *litmus.Expr, register int, v int32) bool {
	old := x.registers[register]
	defer func() { x.registers[register] = old }()
	for _, s := range samples {
		x.registers[register] = s
		if e.Eval(x.leaf) != v {
			return true
		}
	}
	return false
}

// sequence executes statements and then the rest of the thread.
func (x *tracer) sequence(list []litmus.Statement, rest func()) {
	if x.err != nil {
		return
	}
	if len(list) == 0 {
		rest()
		return
	}
	s, next := &list[0], func() { x.sequence(list[1:], rest) }
	switch s.Action {
	case litmus.Assign:
		v, deps := x.eval(s.Value)
		x.assign(s.Dest, v, deps, next)
	case litmus.If:
		x.branch(s, next)
	case litmus.Fence, litmus.Barrier:
		e := event{fence: s.Action == litmus.Fence, location: -1}
		if !e.fence {
			x.barriers++
			defer func() { x.barriers-- }()
			e.barrier = x.barriers
		}
		x.emit(s, e, next)
	default:
		x.access(s, next)
	}
}

// assign executes the rest with a new value of a register.
func (x *tracer) assign(r int, v int32, deps uint64, next func()) {
	if r < 0 {
		next()
		return
	}
	old, taint := x.registers[r], x.taint[r]
	x.registers[r], x.taint[r] = v, deps
	next()
	x.registers[r], x.taint[r] = old, taint
}

// emit executes the rest after an event.
func (x *tracer) emit(s *litmus.Statement, e event, next func()) {
	if len(x.events) == maxEvents {
		x.fail(s, "more than %d events in a thread", maxEvents)
		return
	}
	e.thread, e.at, e.ordering, e.scope, e.oneAS = x.thread, s, s.Ordering, s.Scope, s.OneAS
	x.events = append(x.events, e)
	next()
	x.events = x.events[:len(x.events)-1]
}

// branch executes a conditional statement. Writes depend on the condition if the
// other branch does not write to their variable.
func (x *tracer) branch(s *litmus.Statement, next func()) {
	v, deps := x.eval(s.Value)
	taken, other := s.Then, s.Else
	if v == 0 {
		taken, other = s.Else, s.Then
	}
	old := x.control
	if !sameWrites(taken, other) {
		x.control |= deps
	}
	x.sequence(taken, func() {
		inside := x.control
		x.control = old
		next()
		x.control = inside
	})
	x.control = old
}

// sameWrites reports whether two branches write to a common variable, so that a
// compiler may move a write before the branch.
func sameWrites(a, b []litmus.Statement) bool {
	written := map[int]bool{}
	collectWrites(a, func(v int) { written[v] = true })
	common := false
	collectWrites(b, func(v int) { common = common || written[v] })
	return common
}

func collectWrites(list []litmus.Statement, f func(variable int)) {
	for i := range list {
		s := &list[i]
		if s.Accesses() && s.Action != litmus.Load {
			f(s.Variable)
		}
		collectWrites(s.Then, f)
		collectWrites(s.Else, f)
	}
}

// access executes a memory access for each value that it can read.
func (x *tracer) access(s *litmus.Statement, next func()) {
	v := &x.test.Variables[s.Variable]
	e := event{location: x.first[s.Variable], space: v.Space}
	if s.Index != nil {
		index, deps := x.eval(s.Index)
		if index < 0 || int(index) >= len(v.Init) {
			x.fail(s, "variable %s has no element %d", v.Name, index)
			return
		}
		e.location += int(index)
		e.deps |= deps
	}
	if s.Action == litmus.Store {
		value, deps := x.eval(s.Value)
		e.write, e.wv, e.deps = true, value, e.deps|deps|x.control
		x.emit(s, e, next)
		return
	}
	for _, value := range x.readable(e.location) {
		x.readValue(s, e, value, next)
	}
}

// readable returns the values that a load can return.
func (x *tracer) readable(location int) []int32 {
	own := x.initial[location]
	for i := len(x.events) - 1; i >= 0; i-- {
		if e := &x.events[i]; e.write && e.location == location {
			own = e.wv
			break
		}
	}
	if slices.Contains(x.others[location], own) {
		return x.others[location]
	}
	return append([]int32{own}, x.others[location]...)
}

// readValue executes an access that reads a value.
func (x *tracer) readValue(s *litmus.Statement, e event, value int32, next func()) {
	e.read, e.rv = true, value
	failed := false
	switch s.Action {
	case litmus.RMW:
		operand, deps := x.eval(s.Value)
		e.write, e.wv, e.deps = true, s.Op.Result(value, operand), e.deps|deps|x.control
	case litmus.CmpXchg:
		expected, deps := x.eval(s.Expected)
		desired, more := x.eval(s.Value)
		e.deps |= deps
		if failed = value != expected; !failed {
			e.write, e.wv, e.deps = true, desired, e.deps|more|x.control
		}
	}
	self := uint64(1) << len(x.events)
	emit := func() { x.emit(s, e, func() { x.assign(s.Dest, value, self, next) }) }
	if !failed {
		emit()
		return
	}
	x.emitFailed(s, e, value, self, next)
}

// emitFailed executes the rest after a failed cmpxchg: a load whose ordering is the
// operation's without release.
func (x *tracer) emitFailed(s *litmus.Statement, e event, value int32, self uint64, next func()) {
	x.emit(s, e, func() {
		last := &x.events[len(x.events)-1]
		last.ordering = FailureOrdering(s.Ordering)
		x.assign(s.Dest, value, self, next)
	})
}

// FailureOrdering returns the ordering of a failed cmpxchg: the strongest one that
// LLVM allows for the ordering of the successful operation.
func FailureOrdering(o litmus.Ordering) litmus.Ordering {
	switch o {
	case litmus.AcqRel:
		return litmus.Acquire
	case litmus.Release:
		return litmus.Monotonic
	}
	return o
}

// written holds the values that elements can have.
type written struct {
	initial []int32
	by      [][][]int32 // values that each thread writes to each element
	work    int         // executions of threads that were examined
}

// others returns the values that threads other than one write.
func (w *written) others(thread int) [][]int32 {
	list := make([][]int32, len(w.initial))
	for t := range w.by {
		for i := range list {
			if t != thread {
				list[i] = union(list[i], w.by[t][i])
			}
		}
	}
	return list
}

// domain returns all values of each element, the initial one first.
func (w *written) domain() [][]int32 {
	list := w.others(-1)
	for i, v := range w.initial {
		list[i] = union([]int32{v}, list[i])
	}
	return list
}

// union adds values to a list.
func union(list, more []int32) []int32 {
	for _, v := range more {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// addWrites adds the values that traces of a thread write, and reports whether a
// value is new.
func (w *written) addWrites(thread int, list []trace) bool {
	changed := false
	for k := range list {
		for j := range list[k].events {
			e := &list[k].events[j]
			if e.write && !slices.Contains(w.by[thread][e.location], e.wv) {
				w.by[thread][e.location] = append(w.by[thread][e.location], e.wv)
				changed = true
			}
		}
	}
	return changed
}

// writtenValues returns the values that elements can have, by iteration: every
// round adds the values that threads write after reading values of the round before.
// Without values out of thin air, a value needs at most as many rounds as the test
// has writes.
func writtenValues(t *litmus.Test) (*written, error) {
	w := &written{}
	for i := range t.Variables {
		w.initial = append(w.initial, t.Variables[i].Init...)
	}
	rounds := 1
	for i := range t.Threads {
		w.by = append(w.by, make([][]int32, len(w.initial)))
		collectWrites(t.Threads[i].Body, func(int) { rounds++ })
	}
	for changed := true; changed && rounds > 0; rounds-- {
		changed = false
		found := make([][]trace, len(t.Threads)) // with the values of the round before
		for i := range t.Threads {
			var err error
			if found[i], err = traces(t, i, w); err != nil {
				return nil, err
			}
		}
		for i, list := range found {
			changed = w.addWrites(i, list) || changed
		}
		for _, list := range w.domain() {
			if len(list) > maxValues {
				return nil, &limitError{fmt.Sprintf("a variable has more than %d possible values", maxValues)}
			}
		}
	}
	return w, nil
}
