package cycle

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// An access is a load or a store on the cycle.
type access struct {
	thread   int
	write    bool
	variable int
	value    int32 // stored value, or the loaded one if the cycle occurs
}

// A shape is a cycle without orderings: the accesses in order. Adjacent ones are in
// one thread with different variables, or in different threads with the same variable.
type shape struct {
	accesses  []access
	threads   int
	variables int
	last      []int32 // value of the last store of each variable
	writes    []int   // number of stores of each variable
}

// maxWrites is the maximum number of stores of a variable. The last value of the
// variable determines the order of two stores, but not of three.
const maxWrites = 2

// newShape returns a random cycle through some threads.
func newShape(r *rand.Rand, threads int) *shape {
	for {
		s := &shape{threads: threads}
		double := 0
		for t := range threads {
			n := 1
			if t < 2 || r.IntN(3) > 0 {
				n = 2
				double++
			}
			for range n {
				s.accesses = append(s.accesses, access{thread: t, write: r.IntN(2) == 0})
			}
		}
		if !s.connected() {
			continue
		}
		if s.number(double); slices.Max(s.writes) <= maxWrites {
			return s
		}
	}
}

// connected reports whether no two loads in different threads are adjacent.
func (s *shape) connected() bool {
	for i := range s.accesses {
		a, b := &s.accesses[i], s.next(i)
		if a.thread != b.thread && !a.write && !b.write {
			return false
		}
	}
	return true
}

// next returns the access after number i.
func (s *shape) next(i int) *access { return &s.accesses[(i+1)%len(s.accesses)] }

// number assigns variables and values. Variable 0 is the one of the first thread's
// first access, to which the cycle returns.
func (s *shape) number(variables int) {
	s.variables = variables
	s.last, s.writes = make([]int32, variables), make([]int, variables)
	// Each thread with two accesses starts another variable with its second one.
	start, v := 1, 0
	for k := range s.accesses {
		i := (start + k) % len(s.accesses)
		a := &s.accesses[i]
		a.variable = v % variables
		if a.write {
			s.last[a.variable]++
			s.writes[a.variable]++
		}
		a.value = s.last[a.variable]
		if b := s.next(i); a.thread == b.thread {
			v++
		}
	}
}

// name returns the relations of the cycle in order, such as "PodWW-Rfe-PodRR-Fre".
func (s *shape) name() string {
	var words []string
	for i := range s.accesses {
		a, b := &s.accesses[i], s.next(i)
		words = append(words, relation(a, b))
	}
	return strings.Join(words, "-")
}

// relation returns the name of the relation between two adjacent accesses.
func relation(a, b *access) string {
	switch {
	case a.thread == b.thread:
		return "Pod" + letter(a) + letter(b)
	case !a.write:
		return "Fre"
	case b.write:
		return "Coe"
	}
	return "Rfe"
}

func letter(a *access) string {
	if a.write {
		return "W"
	}
	return "R"
}
