package kernel

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/litmus"
)

// A layout maps the threads of a test to work-groups, waves and lanes. Work-group
// number n of the grid executes group n % groups of the test. A wave executes one
// instance of the test per lanes adjacent lanes.
type layout struct {
	groups int
	waves  int // of a work-group
	lanes  int // of an instance in a wave
	places []place
	first  []int // thread with the first place of each group
	locals [][]int
	// Number of the first element of each variable, among the variables of its space.
	element  []int
	elements [2]int // number of elements in each space
	register []int  // number of the first register of each thread
	results  int    // registers of all threads
}

// A place is where a thread runs: group of the test, wave of the group, lane of the
// instance.
type place struct{ group, wave, lane int }

// newLayout returns the mapping. The error names a limit that the test exceeds.
func newLayout(t *litmus.Test) (*layout, error) {
	l := &layout{lanes: 1}
	var groups []int
	l.groups, groups = t.Places()
	waves := make([][]int, l.groups) // numbers of the waves in the test
	lanes := map[place]int{}
	l.first, l.locals = make([]int, l.groups), make([][]int, l.groups)
	for i := range t.Threads {
		th := &t.Threads[i]
		if th.Agent != t.Threads[0].Agent {
			return nil, fmt.Errorf("test %s has threads on several agents, which one dispatch cannot run", t.Name)
		}
		g := groups[i]
		w := slices.Index(waves[g], th.Wave)
		if w < 0 {
			w = len(waves[g])
			waves[g] = append(waves[g], th.Wave)
		}
		wave := place{g, w, 0}
		p := place{g, w, lanes[wave]}
		lanes[wave]++
		l.waves, l.lanes = max(l.waves, w+1), max(l.lanes, p.lane+1)
		if p.wave == 0 && p.lane == 0 {
			l.first[g] = i
		}
		l.places = append(l.places, p)
		l.register = append(l.register, l.results)
		l.results += len(th.Registers)
	}
	for i := range t.Variables {
		v := &t.Variables[i]
		l.element = append(l.element, l.elements[v.Space])
		l.elements[v.Space] += len(v.Init)
		if v.Space == litmus.Local {
			g := groups[userOf(t, i)]
			l.locals[g] = append(l.locals[g], i)
		}
	}
	return l, nil
}

// userOf returns a thread that accesses a local variable.
func userOf(t *litmus.Test, variable int) int {
	return slices.IndexFunc(t.Threads, func(th litmus.Thread) bool { return uses(th.Body, variable) })
}

// uses reports whether statements access a variable.
func uses(list []litmus.Statement, variable int) bool {
	for i := range list {
		s := &list[i]
		if s.Accesses() && s.Variable == variable || uses(s.Then, variable) || uses(s.Else, variable) {
			return true
		}
	}
	return false
}

// phases returns a thread's statements between its barriers.
func phases(th *litmus.Thread) (list [][]litmus.Statement) {
	start := 0
	for i := range th.Body {
		if th.Body[i].Action == litmus.Barrier {
			list = append(list, th.Body[start:i])
			start = i + 1
		}
	}
	return append(list, th.Body[start:])
}
