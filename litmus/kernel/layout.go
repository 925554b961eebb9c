package kernel

import (
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
	agents []int // agent of each group, numbered in the order of first use
	locals [][]int
	memory []memory // of each variable
	// Number of the first element of each variable, among the variables of its memory.
	element  []int
	elements [numMemories]int
	register []int // number of the first register of each thread
	results  int   // registers of all threads
}

// A place is where a thread runs: group of the test, wave of the group, lane of the
// instance.
type place struct{ group, wave, lane int }

// A memory is where variables are.
type memory uint8

// The memories. A global variable is in fine-grained memory if the test has several agents and
// accesses the variable by an atomic operation of system scope, which needs such memory.
const (
	coarse memory = iota
	fine
	local
	numMemories
)

// arguments are the names of the kernel's arguments for global variables.
var arguments = [...]string{coarse: "%mem", fine: "%fine"}

// memoryOf returns the memory of a variable.
func (l *layout) memoryOf(t *litmus.Test, variable int) memory {
	isSystem := func(s *litmus.Statement) bool { return s.Ordering != litmus.Plain && s.Scope == litmus.System }
	switch {
	case t.Variables[variable].Space == litmus.Local:
		return local
	case slices.Max(l.agents) > 0 && slices.ContainsFunc(t.Threads, func(th litmus.Thread) bool { return accesses(th.Body, variable, isSystem) }):
		return fine
	}
	return coarse
}

// newLayout returns the mapping.
func newLayout(t *litmus.Test) *layout {
	l := &layout{lanes: 1}
	var groups, agents []int
	l.groups, groups = t.Places()
	waves := make([][]int, l.groups) // numbers of the waves in the test
	lanes := map[place]int{}
	l.first, l.locals, l.agents = make([]int, l.groups), make([][]int, l.groups), make([]int, l.groups)
	for i := range t.Threads {
		th := &t.Threads[i]
		if !slices.Contains(agents, th.Agent) {
			agents = append(agents, th.Agent)
		}
		g := groups[i]
		l.agents[g] = slices.Index(agents, th.Agent)
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
		m := l.memoryOf(t, i)
		l.memory = append(l.memory, m)
		l.element = append(l.element, l.elements[m])
		l.elements[m] += len(t.Variables[i].Init)
		if m == local {
			g := groups[userOf(t, i)]
			l.locals[g] = append(l.locals[g], i)
		}
	}
	return l
}

// userOf returns a thread that accesses a local variable.
func userOf(t *litmus.Test, variable int) int {
	all := func(*litmus.Statement) bool { return true }
	return slices.IndexFunc(t.Threads, func(th litmus.Thread) bool { return accesses(th.Body, variable, all) })
}

// accesses reports whether statements have an access to a variable that some rule selects.
func accesses(list []litmus.Statement, variable int, selected func(s *litmus.Statement) bool) bool {
	for i := range list {
		s := &list[i]
		if s.Accesses() && s.Variable == variable && selected(s) || accesses(s.Then, variable, selected) || accesses(s.Else, variable, selected) {
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
