package codegen

import "github.com/gfx-toolchain/gfx/codegen/mir"

// counterState is what is under way of one counter while a block is walked.
//
// The position of an event is the number of those up to it that surely count; one that may not count has the position of
// the one before. So nothing has to be done to a register when later events come.
type counterState struct {
	pos   []uint32  // by physical register: that of the event that writes it, 0 for none
	list  []mir.Reg // the registers that have one
	sure  uint32    // events that surely count
	done  uint32    // positions up to this one have ended
	count int       // events under way at most
	kinds eventKind
}

// counterStart is the same at the start of a block.
type counterStart struct {
	list  []waitReg
	count int
	kinds eventKind
}

// waitReg is a register that an event under way writes.
type waitReg struct {
	reg    mir.Reg
	behind uint8 // events that surely came behind it
}

// farBehind is where positions begin: more than any count.
const farBehind = 256

func (s *counterState) clear() {
	for _, r := range s.list {
		s.pos[r] = 0
	}
	s.list = s.list[:0]
	s.sure, s.done, s.count, s.kinds = farBehind, 0, 0, 0
}

func (s *counterState) load(from *counterStart) {
	s.clear()
	s.count, s.kinds = from.count, from.kinds
	for _, x := range from.list {
		s.set(x.reg, s.sure-uint32(x.behind))
	}
}

func (s *counterState) set(r mir.Reg, pos uint32) {
	if s.pos == nil {
		s.pos = make([]uint32, mir.NumPhys)
	}
	if s.pos[r] == 0 {
		s.list = append(s.list, r)
	}
	s.pos[r] = pos
}

// behind gives how many events surely came behind the one that writes a register; false when none is under way.
func (s *counterState) behind(r mir.Reg) (int, bool) {
	if len(s.list) == 0 || s.pos[r] <= s.done {
		return 0, false
	}
	return int(s.sure - s.pos[r]), true
}

// event begins one, and gives its position.
func (s *counterState) event(kind eventKind, limit int) uint32 {
	s.count = min(s.count+1, limit+1)
	s.kinds |= kind
	if kind&kindFlat == 0 {
		s.sure++
	}
	return s.sure
}

// wait notes that at most n events are under way.
func (s *counterState) wait(n int) {
	s.count = min(s.count, n)
	if n > 0 {
		s.done = max(s.done, s.sure-uint32(n))
		return
	}
	s.done = s.sure
	s.sure++ // so that what comes is behind that
	s.kinds = 0
}

// merge adds what is under way at the end of a block to the start of another one, and reports whether that is more than before. When a
// count grows again it is taken for the largest. index is scratch memory, all 0.
func (to *counterStart) merge(from *counterState, limit int, again bool, index []uint32) (changed bool) {
	for k, x := range to.list {
		index[x.reg] = uint32(k) + 1
	}
	for _, r := range from.list {
		n, pending := from.behind(r)
		if !pending {
			continue
		}
		x := waitReg{r, uint8(min(n, limit))}
		k := index[r]
		switch {
		case k == 0:
			to.list = append(to.list, x)
			changed = true
		case x.behind < to.list[k-1].behind:
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
