package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// findings collects what checks find in a dispatch.
type findings struct {
	mu sync.Mutex
	by map[findingKey]*foundAt
	// more counts findings of places that were beyond the limit.
	more uint64
}

// Limits of what a dispatch tells: of the places that are remembered, and of those handed out.
const (
	maxPlaces   = 4096
	maxFindings = 100
)

// findingKey tells findings apart: what happens again with the same key is counted.
type findingKey struct {
	check     Checks
	pc, other uint64
	kind      string
}

// foundAt is a finding and where it was met first: in the first group and wave that met it,
// whatever the order in which they ran.
type foundAt struct {
	Finding
	group uint64
}

// found is what a check tells of the instruction that runs.
type found struct {
	check Checks // one bit
	kind  string // tells apart what is found at the same place
	other uint64 // address of the other instruction, 0 for none
	lane  int    // -1: not of one lane
	addr  uint64 // of memory
	// text gives the message and, where something is to be said beside the other instruction's place
	// and text, what the other access was. It is called when the finding is new.
	text func() (message, other string)
}

// report notes a finding at the instruction that runs.
func (w *wave) report(f found) {
	l := w.group.launch
	c := &l.check.findings
	key := findingKey{f.check, w.address(w.at), f.other, f.kind}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.by[key]
	group := w.group.number()
	switch {
	case at == nil && len(c.by) >= maxPlaces:
		c.more++
		return
	case at == nil:
		if c.by == nil {
			c.by = map[findingKey]*foundAt{}
		}
		at = &foundAt{group: group}
		c.by[key] = at
	case group > at.group || group == at.group && w.index >= at.Wave:
		at.Count++
		return
	}
	n := at.Count
	at.Finding = Finding{Check: f.check, PC: key.pc, Group: w.group.id, Wave: w.index, Lane: f.lane, Addr: f.addr, Count: n + 1}
	at.group = group
	at.Message, at.Other = f.text()
	if f.other != 0 {
		at.Other = strings.TrimPrefix(at.Other+"; "+l.place(f.other), "; ")
	}
	if l.dev.opts.Finding == nil {
		l.endFrom(group)
	}
}

// number counts the groups of a dispatch.
func (g *group) number() uint64 {
	n := &g.launch.counts
	return uint64(g.id[0]) + n[0]*(uint64(g.id[1])+n[1]*uint64(g.id[2]))
}

// deliver hands out the findings, in the order of the instructions. Without someone to
// take them, the first one of the lowest group is the fault of the dispatch.
func (l *launch) deliver() {
	c := &l.check.findings
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []*foundAt
	var keys []findingKey
	for k := range c.by {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b findingKey) int {
		return cmp.Or(cmp.Compare(a.pc, b.pc), cmp.Compare(a.check, b.check), cmp.Compare(a.other, b.other), cmp.Compare(a.kind, b.kind))
	})
	for _, k := range keys {
		list = append(list, c.by[k])
	}
	if len(list) == 0 {
		return
	}
	out := l.dev.opts.Finding
	if out == nil {
		first := slices.MinFunc(list, func(a, b *foundAt) int { return cmp.Compare(a.group, b.group) })
		l.checkFault(&first.Finding, first.group)
		return
	}
	for _, f := range list[:min(len(list), maxFindings)] {
		l.locate(&f.Finding)
		out(&f.Finding)
	}
	if rest := len(list) - maxFindings; rest > 0 || c.more > 0 {
		f := list[len(list)-1].Finding
		l.locate(&f)
		f.Message = fmt.Sprintf("%d more places with findings are not told", max(rest, 0))
		if c.more > 0 {
			f.Message = fmt.Sprintf("%d places with findings and %d findings beyond are not told", max(rest, 0), c.more)
		}
		f.Other, f.Lane, f.Addr, f.Count = "", -1, 0, c.more+uint64(max(rest, 0))
		out(&f)
	}
}

// checkFault makes a finding the fault of the dispatch, unless there is one of this or
// a lower group.
func (l *launch) checkFault(f *Finding, group uint64) {
	msg := f.Check.String() + ": " + f.Message
	if f.Other != "" {
		msg += " (" + f.Other + ")"
	}
	l.report(&Fault{Kind: FaultCheck, Message: msg, PC: f.PC, Group: f.Group, Wave: f.Wave, Lane: f.Lane, Addr: f.Addr}, group)
}

// locate adds to a finding what can be said of its place.
func (l *launch) locate(f *Finding) {
	r := l.dev.Memory.Find(f.PC)
	if r == nil {
		return
	}
	if r.Symbol != nil {
		f.Where = r.Symbol(f.PC)
	}
	f.Text = l.dev.instructionText(r, f.PC, l.kernel.lanes)
	f.Source = r.source(f.PC)
}

// source gives the file and the line that the instruction at an address comes from, "" when that is
// not known.
func (r *Region) source(pc uint64) string {
	if r.Line == nil {
		return ""
	}
	if file, line := r.Line(pc); file != "" {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return ""
}

// place describes an instruction by its address: text, symbol and source line.
func (l *launch) place(pc uint64) string {
	f := Finding{PC: pc}
	l.locate(&f)
	s := fmt.Sprintf("%#x", pc)
	if f.Where != "" {
		s += " (" + f.Where + ")"
	}
	if f.Source != "" {
		s += " " + f.Source
	}
	if f.Text != "" {
		s += ": " + f.Text
	}
	return s
}

// checkNames are the names of checks in the order of their bits.
var checkNames = [...]string{"wait", "hazard", "race", "memory", "init", "barrier"}

// String names the checks of a set, such as "wait" or "wait,race".
func (c Checks) String() string {
	var names []string
	for i, n := range checkNames {
		if c>>i&1 != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}
