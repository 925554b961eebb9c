package codegen

import "github.com/gfx-toolchain/gfx/internal/compiler/mir"

// counterState holds the outstanding events of one counter within a block.
//
// The position of an event is the number of definitely counted events up to it.
// An event that may not be counted has the position of its predecessor.
// Registers therefore need no update when later events are issued.
type counterState struct {
	pos   []uint32  // by physical register: position of the event that writes it, or 0
	list  []mir.Reg // registers with a position
	sure  uint32    // number of definitely counted events
	done  uint32    // events up to this position are complete
	count int       // maximum number of outstanding events
	kinds eventKind
}

// counterStart is the state of a counter at the start of a block.
type counterStart struct {
	list  []waitReg
	count int
	kinds eventKind
}

// waitReg is a register that an outstanding event writes.
type waitReg struct {
	reg   mir.Reg
	after uint8 // number of definitely counted events after it
}

// firstPosition is the initial position, which exceeds any count.
const firstPosition = 256

func (s *counterState) clear() {
	for _, r := range s.list {
		s.pos[r] = 0
	}
	s.list = s.list[:0]
	s.sure, s.done, s.count, s.kinds = firstPosition, 0, 0, 0
}

func (s *counterState) load(from *counterStart) {
	s.clear()
	s.count, s.kinds = from.count, from.kinds
	for _, x := range from.list {
		s.setPosition(x.reg, s.sure-uint32(x.after))
	}
}

func (s *counterState) setPosition(r mir.Reg, pos uint32) {
	if s.pos == nil {
		s.pos = make([]uint32, mir.NumPhys)
	}
	if s.pos[r] == 0 {
		s.list = append(s.list, r)
	}
	s.pos[r] = pos
}

// after returns the number of events definitely counted after the one that
// writes a register; false if that is not outstanding.
func (s *counterState) after(r mir.Reg) (int, bool) {
	if len(s.list) == 0 || s.pos[r] <= s.done {
		return 0, false
	}
	return int(s.sure - s.pos[r]), true
}

// event starts an event and returns its position.
func (s *counterState) event(kind eventKind, limit int) uint32 {
	s.count = min(s.count+1, limit+1)
	s.kinds |= kind
	if kind&flatKind == 0 {
		s.sure++
	}
	return s.sure
}

// wait records that at most n events are outstanding.
func (s *counterState) wait(n int) {
	s.count = min(s.count, n)
	if n > 0 {
		s.done = max(s.done, s.sure-uint32(n))
		return
	}
	s.done = s.sure
	s.sure++ // so that later events follow the completed ones
	s.kinds = 0
}

// merge adds the outstanding events at the end of a block to the start of
// another one, and reports whether the state grew. A count that grows again is
// set to the maximum. index is scratch memory, all 0.
func (to *counterStart) merge(from *counterState, limit int, again bool, index []uint32) (changed bool) {
	for k, x := range to.list {
		index[x.reg] = uint32(k) + 1
	}
	for _, r := range from.list {
		n, pending := from.after(r)
		if !pending {
			continue
		}
		x := waitReg{r, uint8(min(n, limit))}
		k := index[r]
		switch {
		case k == 0:
			to.list = append(to.list, x)
			changed = true
		case x.after < to.list[k-1].after:
			to.list[k-1], changed = x, true
		}
	}
	for _, x := range to.list {
		index[x.reg] = 0
	}
	if from.count > to.count {
		if to.count = from.count; again {
			to.count = limit + 1
		}
		changed = true
	}
	if to.kinds|from.kinds != to.kinds {
		to.kinds |= from.kinds
		changed = true
	}
	return changed
}
