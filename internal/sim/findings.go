package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/gfx-toolchain/gfx/device"
)

// findings collects the findings of a dispatch.
type findings struct {
	mu sync.Mutex
	by map[findingKey]*foundAt
	// more counts findings at locations beyond the limit.
	more uint64
}

// Limits per dispatch: recorded locations and delivered findings.
const (
	maxPlaces   = 4096
	maxFindings = 100
)

// findingKey identifies a finding. Findings with the same key are counted.
type findingKey struct {
	check     device.Checks
	pc, other uint64
	kind      string
}

// foundAt is a finding with its first occurrence: in the lowest group and wave,
// independent of execution order.
type foundAt struct {
	device.Finding
	group uint64
}

// found describes a problem found at the current instruction.
type found struct {
	check device.Checks // exactly one bit
	kind  string        // distinguishes findings at the same instruction
	other uint64        // address of the other instruction; 0 for none
	lane  int           // -1 if the finding does not concern one lane
	addr  uint64        // memory address
	// text returns the message and, if the other instruction's location and
	// text are not sufficient, a description of the other access. It is called
	// only for new findings.
	text func() (message, other string)
}

// report records a finding at the current instruction.
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
	at.Finding = device.Finding{Check: f.check, PC: key.pc, Group: w.group.id, Wave: w.index, Lane: f.lane, Addr: f.addr, Count: n + 1}
	at.group = group
	at.Message, at.Other = f.text()
	if f.other != 0 {
		at.Other = strings.TrimPrefix(at.Other+"; "+l.describePlace(f.other), "; ")
	}
	if l.dev.opts.Finding == nil {
		l.endFrom(group)
	}
}

// number returns the group's number in dispatch order.
func (g *group) number() uint64 {
	n := &g.launch.counts
	return uint64(g.id[0]) + n[0]*(uint64(g.id[1])+n[1]*uint64(g.id[2]))
}

// deliver delivers the findings in code order. If Options.Finding is nil, the
// first finding of the lowest group becomes the dispatch's fault.
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
		f.Message = fmt.Sprintf("%d more locations with findings are not reported", max(rest, 0))
		if c.more > 0 {
			f.Message = fmt.Sprintf("%d locations with findings and %d further findings are not reported", max(rest, 0), c.more)
		}
		f.Other, f.Lane, f.Addr, f.Count = "", -1, 0, c.more+uint64(max(rest, 0))
		out(&f)
	}
}

// checkFault reports a finding as the fault of the dispatch, unless this group
// or a lower one has already faulted.
func (l *launch) checkFault(f *device.Finding, group uint64) {
	msg := f.Check.String() + ": " + f.Message
	if f.Other != "" {
		msg += " (" + f.Other + ")"
	}
	l.report(&device.Fault{Kind: device.FaultCheck, Message: msg, PC: f.PC, Group: f.Group, Wave: f.Wave, Lane: f.Lane, Addr: f.Addr}, group)
}

// locate adds the symbol, instruction text and source line to a finding.
func (l *launch) locate(f *device.Finding) {
	r := l.dev.Memory.Find(f.PC)
	if r == nil {
		return
	}
	if r.Symbol != nil {
		f.Where = r.Symbol(f.PC)
	}
	f.Text = l.dev.instructionText(r, f.PC, l.kernel.lanes)
	f.Source = sourceOf(r, f.PC)
}

// sourceOf returns the source file and line of the instruction at pc, or "" if
// they are unknown.
func sourceOf(r *device.Region, pc uint64) string {
	if r.Line == nil {
		return ""
	}
	if file, line := r.Line(pc); file != "" {
		return fmt.Sprintf("%s:%d", file, line)
	}
	return ""
}

// describePlace describes the instruction at pc: text, symbol and source line.
func (l *launch) describePlace(pc uint64) string {
	f := device.Finding{PC: pc}
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
