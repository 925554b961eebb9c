package codegen

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// enter chooses the values in registers at the start of a block.
func (s *spiller) enter(b mir.Block) {
	f := s.f
	for i := f.First(b); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		if v := s.value(&f.Defs(i)[0]); v != 0 {
			s.addToSet(v)
		}
	}
	header := false
	walked := 0
	for _, p := range s.preds(b) {
		if !s.done[p] {
			header = true
			continue
		}
		walked++
		for _, v := range s.exit[p] {
			s.count[v]++
		}
	}
	order := slices.Clone(s.first[b])
	slices.SortStableFunc(order, func(x, y useDist) int { return cmp.Compare(x.dist, y.dist) })
	switch {
	case s.all:
	case header:
		s.enterLoop(b, order)
	default:
		s.enterJoin(b, order, walked)
	}
	for _, p := range s.preds(b) {
		for _, v := range s.exit[p] {
			s.count[v] = 0
		}
	}
	s.entry[b] = append(s.entry[b][:0], s.w...)
	s.couple(b)
}

// canEnter reports whether a value may be in a register at the start of a block:
// each predecessor has it there, or can reload it at its end without affecting
// other successors.
func (s *spiller) canEnter(b mir.Block, v int32) bool {
	for _, p := range s.preds(b) {
		if s.done[p] && len(s.succs(p)) > 1 && !slices.Contains(s.exit[p], v) {
			return false
		}
	}
	return true
}

// enterJoin chooses the values that all predecessors have in registers, then
// those that some have.
func (s *spiller) enterJoin(b mir.Block, order []useDist, preds int) {
	for _, all := range [...]bool{true, false} {
		for _, x := range order {
			n := int(s.count[x.v])
			if n == 0 || (n == preds) != all || s.size+s.dwords(x.v) > s.limit {
				continue
			}
			if all || s.canEnter(b, x.v) {
				s.addToSet(x.v)
			}
		}
	}
}

// enterLoop chooses the values that the loop uses, in order of their next use,
// then others as far as the loop leaves room.
func (s *spiller) enterLoop(b mir.Block, order []useDist) {
	through, limit := 0, s.limit
	for _, p := range s.preds(b) {
		if !s.done[p] && len(s.succs(p)) > 1 {
			limit = s.limit - s.phiSize(b)
		}
	}
	for _, x := range order {
		if x.dist >= loopDistance {
			through += s.dwords(x.v)
		}
	}
	room := limit - (s.loopNeeds(b) - through)
	for _, x := range order {
		n := s.dwords(x.v)
		if s.size+n > limit || !s.canEnter(b, x.v) {
			continue
		}
		if x.dist >= loopDistance {
			if n > room || s.count[x.v] == 0 {
				continue
			}
			room -= n
		}
		s.addToSet(x.v)
	}
}

// loopNeeds returns the maximum number of registers that the values of a loop
// need. Its blocks follow its header.
func (s *spiller) loopNeeds(head mir.Block) int {
	f := s.f
	most := int32(0)
	for _, b := range f.Layout[slices.Index(f.Layout, head):] {
		if f.LoopDepth(b) < f.LoopDepth(head) {
			break
		}
		most = max(most, s.most[b])
	}
	return int(most)
}

// couple reloads values at the ends of predecessors that do not have them in
// registers.
func (s *spiller) couple(b mir.Block) {
	for _, p := range s.preds(b) {
		if !s.done[p] {
			continue
		}
		for _, v := range s.entry[b] {
			if !s.isPhi(b, v) && !slices.Contains(s.exit[p], v) {
				s.reload(v, s.endOf(p))
				s.exit[p] = append(s.exit[p], v)
			}
		}
	}
}

// evictForCall reduces the values live across a call to those that fit in the
// registers that it preserves.
func (s *spiller) evictForCall(i mir.Instr, pos int32) {
	taken := s.clobbers(i)
	for _, k := range s.keep {
		for n := range k.n {
			taken.addRegister(k.reg + mir.Reg(n))
		}
	}
	for !s.fitsCall(taken) {
		worst, far := -1, int32(-1)
		for n, v := range s.w {
			d := s.nextUse(v, pos)
			if s.file == mir.FileV && s.dwords(v) > 8 { // more than the convention preserves contiguously
				d = never
			}
			if d > far {
				worst, far = n, d
			}
		}
		if worst < 0 {
			return
		}
		s.out(worst)
	}
}

// fitsCall reports whether the values in registers fit in places that are not
// taken.
func (s *spiller) fitsCall(taken RegSet) bool {
	sizes := make([]int, 0, len(s.w)+s.slack)
	for _, v := range s.w {
		sizes = append(sizes, s.dwords(v))
	}
	for range s.slack {
		sizes = append(sizes, 1)
	}
	slices.SortFunc(sizes, func(x, y int) int { return y - x })
	for _, r := range [...]mir.Reg{abi.StackPointer, abi.FramePointer, abi.BasePointer} {
		taken.addRegister(r)
	}
	for _, n := range sizes {
		at := s.firstPlace(n, &taken)
		if at < 0 {
			return false
		}
		for k := range n {
			taken.addRegister(base(s.file) + mir.Reg(at+k))
		}
	}
	return true
}

// firstPlace returns the first of n registers that are not taken, or -1.
func (s *spiller) firstPlace(n int, taken *RegSet) int {
	a := allocator{f: s.f}
	align := a.align(s.file, n)
	for at := 0; at+n <= s.limit; at += align {
		if !taken.hasAny(s.file, at, n) {
			return at
		}
	}
	return -1
}

// demotePhis turns phis into memory accesses, in blocks with more phis than
// registers or in all: each predecessor stores its value to an object, and the
// block loads it.
func (s *spiller) demotePhis() {
	f := s.f
	for _, b := range f.Layout {
		size := 0
		for i := f.First(b); i != 0 && f.Op(i).IsPhi(); {
			next := f.Next(i)
			if r := f.Def(i, 0); f.File(r) == s.file {
				if size += f.Dwords(r); size > s.limit*3/4 || s.all {
					s.demotePhi(b, i)
				}
			}
			i = next
		}
	}
}

func (s *spiller) demotePhi(b mir.Block, phi mir.Instr) {
	f := s.f
	r := f.Def(phi, 0)
	o := f.NewObject(mir.FrameObject{Size: uint64(4 * f.Dwords(r)), Align: 4, Spill: true, SGPR: s.file == mir.FileS})
	uses := slices.Clone(f.Uses(phi))
	for n := 0; n < len(uses); n += 2 {
		if uses[n].Flags&mir.Undef != 0 {
			continue
		}
		src, p := uses[n], uses[n+1].Block()
		if at := s.endOf(p); src.IsVirtual() && src.N == 0 {
			f.InsertBefore(f.NewInstr(mir.Spill, 0, mir.FrameAddr(o, 0), src), at)
		} else {
			t := mir.R(f.NewReg(s.file, f.Dwords(r)))
			f.InsertBefore(f.NewInstr(mir.Copy, 1, t, src), at)
			f.InsertBefore(f.NewInstr(mir.Spill, 0, mir.FrameAddr(o, 0), t), at)
		}
	}
	f.InsertAfter(f.NewInstr(mir.Reload, 1, mir.R(r), mir.FrameAddr(o, 0)), s.afterPhis(phi))
	f.Erase(phi)
}
