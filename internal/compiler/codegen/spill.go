package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// Spilling on SSA form: values that do not fit in the registers of a file are
// kept in the frame; scalar ones in lanes of VGPRs.
//
// Blocks are visited in order, with the set of values in registers. If there is
// no room for another value, the value whose next use is farthest away is
// spilled (L. Belady's rule); a use after a loop is farther away than any use
// in the loop. A reloaded value gets a new name, with phis where names meet. It
// is stored once, after its definition, so that it is available on all paths to
// a reload; constants are rematerialized instead. The values in registers at
// the start of a block follow from those at the ends of its predecessors; at a
// loop header they are those that the loop uses first. (M. Braun, S. Hack,
// "Register Spilling and Live-Range Splitting for SSA-Form Programs", 2009.)
//
// Vector registers follow the logical edges, so that stores and reloads execute
// with the right lanes active.
type spiller struct {
	f        *mir.Func
	file     mir.File
	limit    int        // registers that may be in use
	slack    int        // registers that must be free at calls
	all      bool       // no value stays in a register between two instructions: the last resort
	keep     []regRange // registers reserved throughout the function
	clobbers func(call mir.Instr) RegSet
	live     liveness

	entry, exit [][]int32   // by block: the values in registers at its start and end
	done        []bool      // by block: whether it has been visited
	first       [][]useDist // by block: next-use distances of the values live at its start, by value
	most        []int32     // by block: maximum number of registers that its values need
	length      []int32     // by block: number of instructions

	after    []int32 // by value: next-use distance after the current block
	uses     []int32 // by value: its next use in the current block, or 0
	list     []blockUse
	w        []int32 // values in registers
	in       []bool  // by value: in a register
	size     int     // total size of the values in registers
	phys     []int32 // by instruction of the block: number of physical registers in use before it
	pinned   []bool  // by value: used by the current instruction
	pins     []int32
	count    []int32 // by value: number of predecessors that have it in registers
	spilled  []bool  // by value: reloaded from the frame
	again    []bool  // by value: rematerialized instead
	reloads  []reload
	object   []mir.Frame // by value
	ssa      spillSSA
	overfull *errNoRegisters
}

// useDist is the next-use distance of a value, in instructions.
type useDist struct{ v, dist int32 }

// blockUse is a use in the current block.
type blockUse struct{ pos, next int32 }

// reload is the point where a value is reloaded.
type reload struct {
	v  int32
	to mir.Reg
	i  mir.Instr
}

const (
	loopDistance = 1 << 16 // added to a distance on leaving a loop
	never        = 1 << 30
)

// spillFile spills values of one file so that at most limit registers are in
// use at a time.
func (s *spiller) spillFile(f *mir.Func, file mir.File, limit, slack int) error {
	s.f, s.file, s.limit, s.slack, s.overfull = f, file, limit, slack, nil
	s.demotePhis()
	s.live.computeLiveness(f)
	s.reset()
	s.distances()
	for _, b := range f.Layout {
		s.block(b)
	}
	if s.overfull != nil {
		return s.overfull
	}
	s.store()
	s.ssa.restoreSSA(s)
	return nil
}

func (s *spiller) reset() {
	f := s.f
	n := f.NumVirtual()
	s.entry, s.exit, s.first = resized(s.entry, f.NumBlocks()), resized(s.exit, f.NumBlocks()), resized(s.first, f.NumBlocks())
	s.done, s.most, s.length = zeroed(s.done, f.NumBlocks()), zeroed(s.most, f.NumBlocks()), zeroed(s.length, f.NumBlocks())
	s.after, s.uses, s.in, s.pinned = zeroed(s.after, n), zeroed(s.uses, n), zeroed(s.in, n), zeroed(s.pinned, n)
	s.count, s.spilled, s.again, s.object = zeroed(s.count, n), zeroed(s.spilled, n), zeroed(s.again, n), zeroed(s.object, n)
	s.reloads, s.w, s.size = s.reloads[:0], s.w[:0], 0
	for v := 1; v < n; v++ {
		s.again[v] = f.File(mir.Virtual(v)) == s.file && isCheap(f, f.DefOf(mir.Virtual(v)))
	}
}

// isCheap reports whether an instruction only loads a constant.
func isCheap(f *mir.Func, i mir.Instr) bool {
	if i == 0 || f.Parent(i) == 0 {
		return false
	}
	switch f.Op(i) {
	case mir.Undefined:
		return len(f.Defs(i)) == 1
	case mir.SMovB32, mir.VMovB32, mir.SMovB64:
		return f.Use(i, 0).Kind != mir.KindReg && f.Ext(i) == 0
	}
	return false
}

// value returns the number of an operand's value if it belongs to the current
// file and is not new, otherwise 0.
func (s *spiller) value(o *mir.Operand) int32 {
	if !o.IsVirtual() || o.Flags&mir.Undef != 0 || s.f.File(o.Reg()) != s.file || o.Reg().Index() >= len(s.in) {
		return 0
	}
	return int32(o.Reg().Index())
}

func (s *spiller) dwords(v int32) int { return s.f.Dwords(mir.Virtual(int(v))) }

func (s *spiller) isVector() bool { return s.file == mir.FileV || s.file == mir.FileA }

func (s *spiller) preds(b mir.Block) []mir.Block {
	if s.isVector() {
		return s.f.Preds(b)
	}
	return s.f.LinearPreds(b)
}

func (s *spiller) succs(b mir.Block) []mir.Block {
	if s.isVector() {
		return s.f.Succs(b)
	}
	return s.f.LinearSuccs(b)
}

// distances computes the next-use distances at the starts of blocks.
func (s *spiller) distances() {
	for _, b := range s.f.Layout {
		s.ownDistances(b)
	}
	for changed := true; changed; {
		changed = false
		for _, b := range slices.Backward(s.f.Layout) {
			if s.blockDistances(b) {
				changed = true
			}
		}
	}
}

// ownDistances computes the distances of a block's own uses, and the number of
// registers that its values need.
func (s *spiller) ownDistances(b mir.Block) {
	f := s.f
	pos := int32(0)
	for i := f.First(b); i != 0; i = f.Next(i) {
		pos++
	}
	s.length[b] = pos
	live := s.live.work
	copy(live, s.live.blockSet(s.live.out, b))
	now := 0
	each(live, func(v int) { now += s.sizeIf(v) })
	most := now
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		pos--
		for n := range f.Defs(i) {
			if v := s.value(&f.Defs(i)[n]); v != 0 && hasBit(live, int(v)) {
				dropBit(live, int(v))
				now -= s.dwords(v)
			}
		}
		if f.Op(i).IsPhi() {
			continue
		}
		for n := range f.Uses(i) {
			if v := s.value(f.Use(i, n)); v != 0 {
				s.uses[v] = pos + 1
				if !hasBit(live, int(v)) {
					addBit(live, int(v))
					now += s.dwords(v)
				}
			}
		}
		most = max(most, now)
	}
	s.most[b] = int32(most)
	each(s.live.blockSet(s.live.in, b), func(v int) {
		if f.File(mir.Virtual(v)) == s.file {
			dist := int32(never)
			if s.uses[v] != 0 {
				dist = s.uses[v] - 1
			}
			s.first[b] = append(s.first[b], useDist{int32(v), dist})
		}
	})
	s.clearUses(b)
}

// blockDistances computes the distances at the start of a block of uses after
// it, and reports whether any decreased.
func (s *spiller) blockDistances(b mir.Block) (changed bool) {
	s.distancesAfter(b)
	for n := range s.first[b] {
		x := &s.first[b][n]
		if x.dist < s.length[b] {
			continue // used in the block itself
		}
		if d := min(s.after[x.v]+s.length[b], never); d < x.dist {
			x.dist, changed = d, true
		}
	}
	return changed
}

// clearUses discards the uses of a block.
func (s *spiller) clearUses(b mir.Block) {
	for i := s.f.First(b); i != 0; i = s.f.Next(i) {
		for n := range s.f.Uses(i) {
			if v := s.value(s.f.Use(i, n)); v != 0 {
				s.uses[v] = 0
			}
		}
	}
}

func (s *spiller) sizeIf(v int) int {
	if r := mir.Virtual(v); s.f.File(r) == s.file {
		return s.f.Dwords(r)
	}
	return 0
}

// distancesAfter sets the distances of the next uses after a block.
func (s *spiller) distancesAfter(b mir.Block) {
	f := s.f
	for _, t := range s.succs(b) {
		for _, x := range s.first[t] {
			s.after[x.v] = never
		}
	}
	for _, t := range s.succs(b) {
		extra := int32(max(f.LoopDepth(b)-f.LoopDepth(t), 0)) * loopDistance
		for _, x := range s.first[t] {
			s.after[x.v] = min(s.after[x.v], x.dist+extra)
		}
		s.eachPhiSource(b, t, func(v int32) { s.after[v] = 0 })
	}
}

// eachPhiSource calls do with the values that phis of a block take from a
// predecessor.
func (s *spiller) eachPhiSource(p, b mir.Block, do func(v int32)) {
	f := s.f
	for i := f.First(b); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		uses := f.Uses(i)
		for n := 0; n < len(uses); n += 2 {
			if uses[n+1].Block() == p && f.File(f.Def(i, 0)) == s.file {
				if v := s.value(&uses[n]); v != 0 {
					do(v)
				}
			}
		}
	}
}

// block spills in one block.
func (s *spiller) block(b mir.Block) {
	f := s.f
	s.enter(b)
	s.distancesAfter(b)
	s.findUses(b)
	end, ended := s.endOf(b), false
	pos := int32(0)
	for i := f.First(b); i != 0; i = f.Next(i) {
		if i == end {
			s.requireAtEnd(b, i, pos)
			ended = true
		}
		if !f.Op(i).IsPhi() {
			s.instr(b, i, pos)
		}
		for s.all && !ended && len(s.w) > 0 {
			s.out(0)
		}
		pos++
	}
	out := s.live.blockSet(s.live.out, b)
	for _, v := range s.w {
		if hasBit(out, int(v)) {
			s.exit[b] = append(s.exit[b], v)
		}
		s.in[v] = false
	}
	s.w, s.size = s.w[:0], 0
	if s.all { // bringParts has replaced uses
		clear(s.uses)
	}
	s.clearUses(b)
	s.done[b] = true
}

// endOf returns the insertion point for reloads at the end of a block: vector
// registers are reloaded while the lanes are active.
func (s *spiller) endOf(b mir.Block) mir.Instr {
	f := s.f
	at := f.FirstTerminator(b)
	if !s.isVector() {
		return at
	}
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		if f.Op(i) == mir.LogicalEnd {
			return i
		}
	}
	return at
}

// findUses records the uses of values in a block, and the number of physical
// registers in use.
func (s *spiller) findUses(b mir.Block) {
	f := s.f
	s.list = append(s.list[:0], blockUse{})
	n := int32(0)
	for i := f.First(b); i != 0; i = f.Next(i) {
		n++
	}
	s.phys = zeroed(s.phys, int(n)+1)
	var busy map[mir.Reg]bool
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		n--
		for _, o := range f.Defs(i) {
			s.eachPhys(&o, func(r mir.Reg) { delete(busy, r) })
		}
		for k := range f.Uses(i) {
			o := f.Use(i, k)
			if v := s.value(o); v != 0 && !f.Op(i).IsPhi() {
				s.list = append(s.list, blockUse{n, s.uses[v]})
				s.uses[v] = int32(len(s.list) - 1)
			}
			s.eachPhys(o, func(r mir.Reg) {
				if busy == nil {
					busy = map[mir.Reg]bool{}
				}
				busy[r] = true
			})
		}
		s.phys[n] = int32(len(busy))
	}
}

// eachPhys calls do with the physical registers of an operand that count
// against the limit.
func (s *spiller) eachPhys(o *mir.Operand, do func(r mir.Reg)) {
	r := o.Reg()
	if !r.IsPhys() || s.f.File(r) != s.file || s.file == mir.FileS && r >= mir.VCC-4 {
		return
	}
	for k := range mir.Reg(max(int(o.N), 1)) {
		do(r + k)
	}
}

// nextUse returns the distance of a value's next use, starting at an
// instruction of the block.
func (s *spiller) nextUse(v, pos int32) int32 {
	for s.uses[v] != 0 && s.list[s.uses[v]].pos < pos {
		s.uses[v] = s.list[s.uses[v]].next
	}
	if u := s.uses[v]; u != 0 {
		return s.list[u].pos - pos
	}
	return s.nextAfterBlock(v, pos)
}

func (s *spiller) nextAfterBlock(v, pos int32) int32 {
	return min(s.after[v]+int32(len(s.phys))-pos, never)
}

// instr reloads the values that an instruction uses, and makes room for its
// results.
func (s *spiller) instr(b mir.Block, i mir.Instr, pos int32) {
	f := s.f
	if s.all {
		s.bringParts(i)
	}
	f.Guard.Check()
	for n := range f.Uses(i) {
		if v := s.value(f.Use(i, n)); v != 0 {
			s.pin(v)
		}
	}
	for _, v := range s.pins {
		s.bring(v, i)
	}
	defs, early := 0, false
	for n := range f.Defs(i) {
		o := &f.Defs(i)[n]
		if v := s.value(o); v != 0 {
			defs += s.dwords(v)
			early = early || o.Flags&mir.Early != 0
		}
	}
	room := s.limit - int(max(s.phys[pos], s.phys[pos+1])) // for values live across the instruction
	replaced := int32(0)                                   // ends here although it has later uses
	if v, beside := s.besideTied(b, i, pos, defs); beside && defs > 0 {
		if v != 0 && !early && s.pinnedSize()+defs > room {
			replaced = v
		} else {
			early = true
		}
	}
	if early {
		s.evict(room-defs, pos, i)
	} else {
		s.evict(room, pos, 0)
		s.evict(s.limit-int(s.phys[pos]), pos, i) // sources may share the place of physical results,
		room = s.limit - int(s.phys[pos+1])       // and results the place of physical sources
	}
	s.unpin()
	s.forget(b, pos+1)
	if replaced != 0 {
		s.out(slices.Index(s.w, replaced))
	}
	s.evict(room-defs, pos+1, i)
	if f.Op(i) == mir.Call {
		s.evictForCall(i, pos+1)
	}
	for n := range f.Defs(i) {
		if v := s.value(&f.Defs(i)[n]); v != 0 {
			s.addToSet(v)
		}
	}
	s.forget(b, pos+1)
}

// besideTied reports whether the first result of an instruction is tied to a
// source and cannot be in its place, so that it needs a place beside the
// sources: a source's place is available if the source is a whole value of the
// results' size and ends here. It returns a source that only has to end here, or
// 0.
func (s *spiller) besideTied(b mir.Block, i mir.Instr, pos int32, defs int) (v int32, beside bool) {
	f := s.f
	first := len(f.Defs(i))
	for n := range f.Uses(i) {
		if x := f.SlotOf(i, first+n); x == nil || !x.Tied {
			continue
		}
		o := f.Use(i, n)
		v := s.value(o)
		if v == 0 || o.N != 0 || s.dwords(v) != defs {
			return 0, true
		}
		return v, !s.endsAt(b, v, pos)
	}
	return 0, false
}

// pinnedSize returns the number of registers of the current instruction's
// sources.
func (s *spiller) pinnedSize() (n int) {
	for _, v := range s.pins {
		n += s.dwords(v)
	}
	return n
}

// endsAt reports whether an instruction of the block is the last use of a
// value that it uses.
func (s *spiller) endsAt(b mir.Block, v, pos int32) bool {
	u := s.uses[v]
	for u != 0 && s.list[u].pos <= pos {
		u = s.list[u].next
	}
	return u == 0 && !hasBit(s.live.blockSet(s.live.out, b), int(v))
}

func (s *spiller) pin(v int32) {
	if !s.pinned[v] {
		s.pinned[v] = true
		s.pins = append(s.pins, v)
	}
}

func (s *spiller) unpin() {
	for _, v := range s.pins {
		s.pinned[v] = false
	}
	s.pins = s.pins[:0]
}

func (s *spiller) addToSet(v int32) {
	if !s.in[v] {
		s.in[v] = true
		s.w = append(s.w, v)
		s.size += s.dwords(v)
	}
}

// forget removes from the set the values that are not used at or after an
// instruction.
func (s *spiller) forget(b mir.Block, pos int32) {
	out := s.live.blockSet(s.live.out, b)
	s.w = slices.DeleteFunc(s.w, func(v int32) bool {
		if hasBit(out, int(v)) {
			return false
		}
		if s.nextUse(v, pos); s.uses[v] != 0 {
			return false
		}
		s.in[v] = false
		s.size -= s.dwords(v)
		return true
	})
}

// bring reloads a value before an instruction unless it is in a register.
func (s *spiller) bring(v int32, at mir.Instr) {
	if s.in[v] {
		return
	}
	s.addToSet(v)
	s.reload(v, at)
}

// bringParts reloads the parts of spilled tuples that an instruction uses into
// separate registers.
func (s *spiller) bringParts(i mir.Instr) {
	f := s.f
	for n := range f.Uses(i) {
		o := *f.Use(i, n)
		v := s.value(&o)
		if v == 0 || o.N == 0 || s.in[v] || s.again[v] {
			continue
		}
		r := f.NewReg(s.file, int(o.N))
		f.InsertBefore(f.NewInstr(mir.Reload, 1, mir.R(r), mir.FrameAddr(s.slot(v), 4*int64(o.Sub))), i)
		part := mir.R(r)
		part.Flags = o.Flags
		*f.Use(i, n) = part
	}
}

// reload creates a new name of a value before an instruction.
func (s *spiller) reload(v int32, at mir.Instr) {
	f := s.f
	s.spilled[v] = true
	r := f.NewReg(s.file, s.dwords(v))
	var i mir.Instr
	if s.again[v] {
		from := f.DefOf(mir.Virtual(int(v)))
		operands := slices.Clone(f.Operands(from))
		operands[0] = mir.R(r)
		i = f.NewInstr(f.Op(from), 1, operands...)
		f.SetMods(i, f.Mods(from))
		f.CopyInfo(i, from)
	} else {
		i = f.NewInstr(mir.Reload, 1, mir.R(r), mir.FrameAddr(s.slot(v), 0))
	}
	f.InsertBefore(i, at)
	s.reloads = append(s.reloads, reload{v, r, i})
}

// slot returns the frame object of a value.
func (s *spiller) slot(v int32) mir.Frame {
	if s.object[v] == 0 {
		s.object[v] = s.f.NewObject(mir.FrameObject{Size: uint64(4 * s.dwords(v)), Align: 4, Spill: true, SGPR: s.file == mir.FileS})
	}
	return s.object[v]
}

// evict removes the values with the farthest uses from registers until the rest
// fits the limit. If the values of instruction i alone exceed the limit,
// eviction fails, unless i is 0.
func (s *spiller) evict(limit int, pos int32, i mir.Instr) {
	for s.size > limit {
		worst, far := -1, int32(-1)
		for n, v := range s.w {
			if d := s.nextUse(v, pos); !s.pinned[v] && d > far {
				worst, far = n, d
			}
		}
		if worst < 0 {
			if s.overfull == nil && i != 0 {
				s.overfull = &errNoRegisters{s.file, s.f, i}
			}
			return
		}
		s.out(worst)
	}
}

// out removes one value from registers.
func (s *spiller) out(n int) {
	v := s.w[n]
	s.in[v] = false
	s.size -= s.dwords(v)
	s.w[n] = s.w[len(s.w)-1]
	s.w = s.w[:len(s.w)-1]
}

// requireAtEnd reloads values at the end of a block: sources of phis, values
// that visited successors expect, and values used by the instructions after at.
func (s *spiller) requireAtEnd(b mir.Block, at mir.Instr, pos int32) {
	f := s.f
	for _, t := range s.succs(b) {
		s.eachPhiSource(b, t, s.pin)
		if s.done[t] || t == b {
			for _, v := range s.entry[t] {
				if !s.isPhi(t, v) {
					s.pin(v)
				}
			}
		}
	}
	for i := at; i != 0; i = f.Next(i) {
		for n := range f.Uses(i) {
			if v := s.value(f.Use(i, n)); v != 0 && s.definedBefore(v, b, at) {
				s.pin(v)
			}
		}
	}
	for _, v := range s.pins {
		s.bring(v, at)
	}
	extra := 0
	for _, t := range s.succs(b) {
		if len(s.succs(b)) > 1 && (s.done[t] || t == b) {
			extra = max(extra, s.phiSize(t))
		}
	}
	s.evict(s.limit-extra-int(s.phys[pos]), pos, 0) // if several successors need many values, lower limits help
	s.unpin()
}

// phiSize returns the number of registers for the results of a block's phis. If
// a block branches both back to it and elsewhere, they are needed in addition
// to the other successor's values.
func (s *spiller) phiSize(b mir.Block) (n int) {
	f := s.f
	for i := f.First(b); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		if v := s.value(&f.Defs(i)[0]); v != 0 {
			n += s.dwords(v)
		}
	}
	return n
}

// definedBefore reports whether a value is defined before an instruction at the
// end of a block.
func (s *spiller) definedBefore(v int32, b mir.Block, at mir.Instr) bool {
	d := s.f.DefOf(mir.Virtual(int(v)))
	if s.f.Parent(d) != b {
		return true
	}
	for i := at; i != 0; i = s.f.Next(i) {
		if i == d {
			return false
		}
	}
	return true
}

// isPhi reports whether a value is the result of a phi in a block.
func (s *spiller) isPhi(b mir.Block, v int32) bool {
	d := s.f.DefOf(mir.Virtual(int(v)))
	return s.f.Parent(d) == b && s.f.Op(d).IsPhi()
}

// store stores reloaded values after their definitions.
func (s *spiller) store() {
	f := s.f
	for v, o := range s.object {
		if o == 0 {
			continue
		}
		r := mir.Virtual(v)
		i := f.NewInstr(mir.Spill, 0, mir.FrameAddr(o, 0), mir.R(r))
		d := f.DefOf(r)
		if f.Op(d).IsPhi() {
			d = s.afterPhis(d)
		}
		f.InsertAfter(i, d)
	}
}

// afterPhis returns the instruction after which results of phis can be stored:
// the last phi, or the instruction that sets EXEC for the block.
func (s *spiller) afterPhis(d mir.Instr) mir.Instr {
	f := s.f
	for f.Op(f.Next(d)).IsPhi() {
		d = f.Next(d)
	}
	for i := f.Next(d); i != 0 && s.isVector() && f.Info(i).Unit == mir.UnitSALU && f.Flags(i)&mir.WholeWave == 0 && !f.IsTerminator(i); i = f.Next(i) {
		if f.Info(i).Flags&mir.WritesExec != 0 || slices.ContainsFunc(f.Defs(i), func(o mir.Operand) bool { return o.Reg() == mir.Exec }) {
			d = i
		}
	}
	return d
}
