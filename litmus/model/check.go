package model

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/litmus"
)

// PositionError is an error of a test that only its execution shows.
type PositionError struct {
	At      litmus.Span // the statement
	Message string      // the violated rule
}

// Error returns the message, without the position.
func (e *PositionError) Error() string { return e.Message }

// maxSteps is the number of combinations of the threads' executions, of candidate
// executions and of their coherence orders after which Check stops.
const maxSteps = 1 << 18

// Result holds the allowed outcomes of a test.
type Result struct {
	// Racy is the pair of statements of a data race, as text; "" for a test without.
	// A racy test allows all outcomes, and Outcomes is empty.
	Racy string
	// Outcomes are the allowed final values, in the order of litmus.Test.Outcome,
	// sorted.
	Outcomes [][]int32
	// Candidates is the number of candidate executions that were examined.
	Candidates int

	test *litmus.Test
}

// Allows reports whether the model allows an outcome.
func (r *Result) Allows(values []int32) bool {
	if r.Racy != "" {
		return true
	}
	_, found := slices.BinarySearchFunc(r.Outcomes, values, slices.Compare[[]int32])
	return found
}

// Verdict returns the value of the test's quantified condition.
func (r *Result) Verdict() litmus.Verdict {
	if r.Racy != "" {
		return litmus.Racy
	}
	n := 0
	for _, o := range r.Outcomes {
		if r.test.Satisfied(o) {
			n++
		}
	}
	holds := n > 0
	switch r.test.Kind {
	case litmus.NotExists:
		holds = n == 0
	case litmus.ForAll:
		holds = n == len(r.Outcomes)
	}
	if holds {
		return litmus.Holds
	}
	return litmus.Fails
}

// Check returns the allowed outcomes of a test. The error is a *PositionError, or
// reports that the test is too large.
func Check(t *litmus.Test) (*Result, error) {
	values, err := writtenValues(t)
	if err != nil {
		return nil, err
	}
	c := &checker{test: t, result: &Result{test: t}, terms: t.Outcome(), outcomes: map[string][]int32{}}
	c.first, c.elements = t.Elements()
	for i := range t.Threads {
		list, err := traces(t, i, values)
		if err != nil {
			return nil, err
		}
		c.traces = append(c.traces, list)
	}
	c.chosen = make([]*trace, len(t.Threads))
	c.prepareValues(values.domain())
	c.chooseTrace(0)
	if c.err != nil {
		return nil, c.err
	}
	if c.result.Racy == "" {
		for _, o := range c.outcomes {
			c.result.Outcomes = append(c.result.Outcomes, o)
		}
		slices.SortFunc(c.result.Outcomes, slices.Compare[[]int32])
	}
	return c.result, nil
}

// A checker enumerates candidate executions.
type checker struct {
	test     *litmus.Test
	first    []int // first element of each variable
	elements int
	terms    []litmus.Term
	traces   [][]trace
	chosen   []*trace   // of each thread
	later    []valueSet // values that the threads from a number on can write
	steps    int        // combinations, candidates and orders that were examined
	result   *Result
	outcomes map[string][]int32
	err      error
}

// step counts a step, and reports whether another one is permitted.
func (c *checker) step() bool {
	if c.steps++; c.steps > maxSteps && c.err == nil {
		c.err = &limitError{fmt.Sprintf("deciding the test takes more than %d steps", maxSteps)}
	}
	return c.err == nil
}

// done reports whether the enumeration can stop.
func (c *checker) done() bool { return c.err != nil || c.result.Racy != "" }

// chooseTrace selects a trace for a thread and the ones after it.
func (c *checker) chooseTrace(thread int) {
	if thread == len(c.traces) {
		c.explore()
		return
	}
	for i := range c.traces[thread] {
		if c.done() {
			return
		}
		if !c.step() {
			return
		}
		c.chosen[thread] = &c.traces[thread][i]
		if c.possible(thread) {
			c.chooseTrace(thread + 1)
		}
	}
}

// possible reports whether each value that the traces up to a thread's read is
// written by one of them, or can be written by a later thread.
func (c *checker) possible(thread int) bool {
	for t := range thread + 1 {
		for i, need := range c.chosen[t].reads {
			for u := range thread + 1 {
				need &^= c.chosen[u].writes[i]
			}
			if need&^c.later[thread+1][i] != 0 {
				return false
			}
		}
	}
	return true
}

// A valueSet holds the possible values of each element, as bits for their indices in
// the element's domain.
type valueSet []uint32

// valueBit returns the bit of a value. A value outside of the domain needs too long a
// chain of writes to be read by another thread, so that its bit does not matter.
func valueBit(domain []int32, v int32) uint32 { return 1 << max(slices.Index(domain, v), 0) }

// prepareValues computes the sets of values that traces read and write.
func (c *checker) prepareValues(domain [][]int32) {
	c.later = make([]valueSet, len(c.traces)+1)
	c.later[len(c.traces)] = make(valueSet, c.elements)
	for i := range c.elements {
		c.later[len(c.traces)][i] = 1 // the initial value
	}
	for t := len(c.traces) - 1; t >= 0; t-- {
		c.later[t] = slices.Clone(c.later[t+1])
		for k := range c.traces[t] {
			x := &c.traces[t][k]
			x.reads, x.writes = make(valueSet, c.elements), make(valueSet, c.elements)
			for i := range x.events {
				e := &x.events[i]
				if e.read {
					x.reads[e.location] |= valueBit(domain[e.location], e.rv)
				}
				if e.write {
					x.writes[e.location] |= valueBit(domain[e.location], e.wv)
				}
			}
			for i := range x.writes {
				c.later[t][i] |= x.writes[i]
			}
		}
	}
}

// explore enumerates the executions with the chosen traces.
func (c *checker) explore() {
	x := c.newExecution()
	if c.err != nil || x == nil {
		return
	}
	x.chooseSource(0)
}

// newExecution returns the events of the chosen traces, or nil if a load reads a
// value that no store writes.
func (c *checker) newExecution() *execution {
	n := c.elements
	for _, t := range c.chosen {
		n += len(t.events)
	}
	if n > maxEvents {
		c.err = &limitError{fmt.Sprintf("an execution has more than %d events", maxEvents)}
		return nil
	}
	x := &execution{c: c, events: make([]event, 0, n), source: make([]int, n)}
	for i := range c.test.Variables {
		v := &c.test.Variables[i]
		for j, value := range v.Init {
			x.events = append(x.events, event{thread: -1, write: true, location: c.first[i] + j, space: v.Space, wv: value})
		}
	}
	for _, t := range c.chosen {
		base := len(x.events)
		x.events = append(x.events, t.events...)
		for i := range t.events {
			x.events[base+i].deps <<= base
		}
	}
	for i := range x.events {
		if x.events[i].read {
			x.reads = append(x.reads, i)
			if x.sourcesOf(i) == 0 {
				return nil
			}
		}
	}
	return x
}

// record adds the outcome of the chosen traces with the last write of each element.
func (x *execution) record(last []int) {
	c := x.c
	values := make([]int32, 0, len(c.terms))
	for _, t := range c.terms {
		if t.Thread >= 0 {
			values = append(values, c.chosen[t.Thread].registers[t.Register])
		} else {
			values = append(values, x.events[last[c.first[t.Variable]+t.Element]].wv)
		}
	}
	key := fmt.Sprint(values)
	if _, ok := c.outcomes[key]; !ok {
		c.outcomes[key] = values
	}
}
