package device

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Limits of a Search.
const (
	// MaxDeviations is the maximum of SearchOptions.Deviations.
	MaxDeviations = 100
	// MaxSchedules is the maximum of SearchOptions.Schedules.
	MaxSchedules = 1 << 30
	// MaxDecisions is the maximum number of decisions of a schedule. A program with more has no end, or
	// is too large for a search.
	MaxDecisions = 1 << 20
	// maxAlternatives is the maximum number of alternatives of a decision.
	maxAlternatives = 1 << 16
)

// Deviation is a decision of a schedule that differs from the default.
type Deviation struct {
	Decision uint32 // number of the decision in the schedule, from 0
	Choice   uint16 // number of the alternative, from 1; 0 is the default
}

// Schedule is an order of the events of dispatches with MemoryWeak: the decisions that deviate from
// the default, in ascending order.
type Schedule []Deviation

// String returns the schedule in the form that ParseSchedule accepts: DECISION:CHOICE, separated by
// commas, or "default" for one without deviations.
func (s Schedule) String() string {
	if len(s) == 0 {
		return defaultSchedule
	}
	parts := make([]string, len(s))
	for i, d := range s {
		parts[i] = fmt.Sprintf("%d:%d", d.Decision, d.Choice)
	}
	return strings.Join(parts, ",")
}

const defaultSchedule = "default"

// ParseSchedule returns the schedule that a text such as "12:1,40:2" describes. The error names the part
// that is invalid.
func ParseSchedule(text string) (Schedule, error) {
	if text == defaultSchedule {
		return Schedule{}, nil
	}
	list := Schedule{}
	for part := range strings.SplitSeq(text, ",") {
		left, right, _ := strings.Cut(part, ":")
		decision, err := strconv.ParseUint(left, 10, 32)
		choice, err2 := strconv.ParseUint(right, 10, 16)
		switch {
		case err != nil || err2 != nil || choice == 0 || decision >= MaxDecisions:
			return nil, fmt.Errorf("%q: expected DECISION:CHOICE, such as 12:1", part)
		case len(list) > 0 && uint32(decision) <= list[len(list)-1].Decision:
			return nil, fmt.Errorf("%q: expected a decision after number %d", part, list[len(list)-1].Decision)
		case len(list) == MaxDeviations:
			return nil, fmt.Errorf("%q: more than %d deviations", part, MaxDeviations)
		}
		list = append(list, Deviation{uint32(decision), uint16(choice)})
	}
	return list, nil
}

// SearchOptions are the bounds of a Search.
type SearchOptions struct {
	// Deviations is the maximum number of deviations of a schedule, 0 to MaxDeviations.
	Deviations int
	// Schedules is the maximum number of schedules, 1 to MaxSchedules; 0 means MaxSchedules. A schedule
	// to be run takes 16 bytes of memory.
	Schedules int
}

// Search enumerates the schedules of a small program that runs with MemoryWeak. In place of random
// events, each dispatch follows the current schedule: at every decision the simulator takes the
// alternative with number 0, the default, unless the schedule has a deviation there. A search runs each
// schedule with up to a number of deviations exactly once, those with fewer deviations first:
//
//	s := device.NewSearch(device.SearchOptions{Deviations: 2})
//	for s.Advance() {
//		// fill the buffers, run the dispatches, look at the results
//	}
//
// The program must be the same for each schedule: same contents and addresses of buffers, same
// dispatches one after another. The methods are safe for concurrent use.
type Search struct {
	mu        sync.Mutex
	options   SearchOptions
	fixed     bool         // the only schedule is given
	nodes     []searchNode // schedules in the order in which they run
	at        int          // current one; -1 before the first
	current   Schedule
	deviation int    // deviations of current that have been made
	decisions uint32 // of current, so far
	cut       bool   // a schedule within the bound was left out
	more      bool   // there are schedules beyond the bound
	err       error
}

// searchNode is a schedule: the parent's, with one more deviation. The first one has none.
type searchNode struct {
	parent   int32
	decision uint32
	choice   uint16
	level    uint16 // number of deviations
}

// NewSearch returns a search. Bounds out of range become the nearest valid ones.
func NewSearch(o SearchOptions) *Search {
	o.Deviations = min(max(o.Deviations, 0), MaxDeviations)
	if o.Schedules <= 0 || o.Schedules > MaxSchedules {
		o.Schedules = MaxSchedules
	}
	return &Search{options: o, nodes: make([]searchNode, 1), at: -1}
}

// NewReplay returns a search that consists of one schedule.
func NewReplay(schedule Schedule) *Search {
	s := NewSearch(SearchOptions{Schedules: 1})
	s.fixed, s.current = true, schedule
	return s
}

// Advance selects the next schedule, the first one at first. It returns false at the end of the search, or
// after an error; see Err.
func (s *Search) Advance() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at >= 0 && s.deviation < len(s.current) && s.err == nil {
		s.err = fmt.Errorf("schedule %v: the program has %d decisions", s.current, s.decisions)
	}
	if s.err != nil || s.at+1 >= len(s.nodes) {
		return false
	}
	s.at++
	s.decisions, s.deviation = 0, 0
	if s.fixed {
		return true
	}
	s.current = make(Schedule, s.nodes[s.at].level)
	for i, n := len(s.current), s.nodes[s.at]; i > 0; n = s.nodes[n.parent] {
		i--
		s.current[i] = Deviation{n.decision, n.choice}
	}
	return true
}

// DecideStep returns the alternative that the current schedule takes at its next decision, 0 to n-1. It
// is for devices, which call it for each decision of a dispatch. Without alternatives (n is 1) there is no
// decision. After an error, or before the first call of Advance, the alternative is 0.
func (s *Search) DecideStep(n int) int {
	if n <= 1 {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.decisions
	switch {
	case s.err != nil || s.at < 0:
		return 0
	case at == MaxDecisions:
		s.err = fmt.Errorf("more than %d decisions: the program makes no progress, or is too large for a search", MaxDecisions)
		return 0
	case n > maxAlternatives:
		s.err = fmt.Errorf("a decision with %d alternatives: the program is too large for a search", n)
		return 0
	}
	s.decisions++
	if s.deviation < len(s.current) {
		d := s.current[s.deviation]
		switch {
		case d.Decision > at:
			return 0
		case int(d.Choice) >= n:
			s.err = fmt.Errorf("schedule %v: decision %d has the alternatives 0 to %d", s.current, at, n-1)
			return 0
		}
		s.deviation++
		return int(d.Choice)
	}
	s.branch(at, n)
	return 0
}

// branch adds the schedules that deviate from the current one at a decision.
func (s *Search) branch(at uint32, n int) {
	level := s.nodes[s.at].level
	switch room := s.options.Schedules - len(s.nodes); {
	case s.fixed || int(level) == s.options.Deviations:
		s.more = true
		return
	case n-1 > room:
		s.cut = true
		n = room + 1
	}
	for c := 1; c < n; c++ {
		s.nodes = append(s.nodes, searchNode{int32(s.at), at, uint16(c), level + 1})
	}
}

// Schedule returns the current schedule, valid after Advance has returned true.
func (s *Search) Schedule() Schedule {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Progress is how far a search has got.
type Progress struct {
	Schedules  int // schedules that have been run or are being run
	Deviations int // of the last of them
	// Exhausted is set if each schedule within the bound on deviations has been run or is being run.
	Exhausted bool
	// Complete is set if, in addition, no schedule has more deviations.
	Complete bool
}

// String describes the progress in a few words.
func (p Progress) String() string {
	text := fmt.Sprintf("%d schedules", p.Schedules)
	if p.Schedules == 1 {
		text = "1 schedule"
	}
	switch {
	case p.Complete:
		return text + ", all that exist"
	case p.Exhausted:
		return text + fmt.Sprintf(", all with at most %d deviations", p.Deviations)
	case p.Deviations == 0:
		return text + ", not all"
	}
	return text + fmt.Sprintf(", all with at most %d deviations and some with %d", p.Deviations-1, p.Deviations)
}

// Progress returns how far the search has got.
func (s *Search) Progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Progress{Schedules: s.at + 1}
	if s.at >= 0 {
		p.Deviations = int(s.nodes[s.at].level)
		p.Exhausted = !s.fixed && !s.cut && s.at+1 == len(s.nodes) && s.err == nil
		p.Complete = p.Exhausted && !s.more
	}
	return p
}

// Err returns why the search has ended early: a schedule does not suit the program, or makes no progress.
// Dispatches then end with a fault.
func (s *Search) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
