package opt

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// slice is a use of an alloca's bytes from begin up to but excluding end.
type slice struct {
	begin, end uint64
	use        ir.Use // use of the pointer, 0 if the slice is dead
	split      bool   // splittable
}

// compareSlices orders slices by their start; unsplittable ones precede
// splittable ones, and longer ones precede shorter ones.
func compareSlices(a, b slice) int {
	if c := cmp.Compare(a.begin, b.begin); c != 0 {
		return c
	}
	if a.split != b.split {
		if a.split {
			return 1
		}
		return -1
	}
	return cmp.Compare(b.end, a.end)
}

// pointerUse is a pending use of a pointer into the alloca.
type pointerUse struct {
	use    ir.Use
	offset int64
}

// slicer finds the slices of an alloca.
type slicer struct {
	f    *ir.Function
	m    *ir.Module
	size uint64

	slices    []slice
	dead      []ir.Value // instructions without effect
	deadUses  []ir.Use   // operands that can be poison
	droppable []ir.Use   // uses by assumptions
	work      []pointerUse
	transfers []transfer
	folded    []ir.Value // phis and selects that always equal the pointer
	visited   []ir.Value
	pending   []ir.Value
	crossed   []bool // by byte: a use covers both it and the byte before
}

// transfer is a memcpy or memmove with slice number slice as one side.
type transfer struct {
	v     ir.Value
	slice int
}

// buildSlices finds the slices of an alloca. It returns false if a use of the
// pointer cannot be followed.
func (s *slicer) buildSlices(f *ir.Function, a ir.Value, size uint64) bool {
	s.f, s.m, s.size = f, f.Module(), size
	s.slices, s.dead, s.deadUses, s.droppable = s.slices[:0], s.dead[:0], s.deadUses[:0], s.droppable[:0]
	s.transfers, s.work, s.folded = s.transfers[:0], s.work[:0], s.folded[:0]
	s.push(a, 0)
	for len(s.work) > 0 {
		w := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		if !s.visitUse(w.use, w.offset) {
			return false
		}
	}
	s.slices = slices.DeleteFunc(s.slices, func(x slice) bool { return x.use == 0 })
	s.keepWhole()
	slices.SortStableFunc(s.slices, compareSlices)
	return true
}

// maxCrossed is the maximum size in bytes of an alloca for which crossed is
// computed.
const maxCrossed = 1024

// keepWhole makes integer loads and stores unsplittable unless no other use
// crosses their start and end (for a large alloca: unless they cover all of
// it). Other uses inside them are no reason to split.
func (s *slicer) keepWhole() {
	if s.size <= maxCrossed {
		s.crossed = Sized(s.crossed, int(s.size)+1)
		for _, x := range s.slices {
			for i := x.begin + 1; i < x.end; i++ {
				s.crossed[i] = true
			}
		}
	}
	for i := range s.slices {
		x := &s.slices[i]
		if op := s.f.Op(s.f.User(x.use)); !x.split || op != ir.OpLoad && op != ir.OpStore {
			continue
		}
		if s.size <= maxCrossed {
			x.split = !s.crossed[x.begin] && !s.crossed[x.end]
		} else {
			x.split = x.begin == 0 && x.end == s.size
		}
	}
}

// push records the uses of a pointer at an offset.
func (s *slicer) push(p ir.Value, offset int64) {
	for u := s.f.FirstUse(p); u != 0; u = s.f.NextUse(u) {
		s.work = append(s.work, pointerUse{u, offset})
	}
}

// visitUse examines one use of a pointer.
func (s *slicer) visitUse(u ir.Use, offset int64) bool {
	f := s.f
	v := f.User(u)
	switch f.Op(v) {
	case ir.OpBitCast, ir.OpAddrSpaceCast:
		if s.m.IsVector(f.TypeOf(v)) {
			return false
		}
		s.follow(v, offset)
	case ir.OpGetElementPtr:
		n, ok := gepOffset(f, v)
		if !f.HasUses(v) {
			s.dead = append(s.dead, v)
			return true
		}
		if !ok || f.UseIndex(u) != 0 {
			return false
		}
		bits := s.m.Layout().Pointer(s.m.AddrSpace(f.TypeOf(v))).IndexBits
		s.follow(v, signExtend(offset+n, bits))
	case ir.OpLoad:
		size := s.m.StoreSize(f.TypeOf(v))
		s.access(u, v, offset, size, f.TypeOf(v))
	case ir.OpStore:
		return s.store(u, v, offset)
	case ir.OpPhi, ir.OpSelect:
		return s.choice(u, v, offset)
	case ir.OpCall:
		return s.call(u, v, offset)
	default:
		return false
	}
	return true
}

// follow continues with the uses of a derived pointer.
func (s *slicer) follow(v ir.Value, offset int64) {
	if !s.f.HasUses(v) {
		s.dead = append(s.dead, v)
		return
	}
	s.push(v, offset)
}

// access records a load or store of a type.
func (s *slicer) access(u ir.Use, v ir.Value, offset int64, size uint64, t ir.Type) {
	split := s.m.IsInt(t) && s.f.IsSimple(v) && s.m.SizeInBits(t) == size*8
	s.insert(u, v, offset, size, split)
}

// insert records a use of bytes; a use outside the alloca is dead.
func (s *slicer) insert(u ir.Use, v ir.Value, offset int64, size uint64, split bool) {
	if size == 0 || offset < 0 || uint64(offset) >= s.size {
		s.dead = append(s.dead, v)
		return
	}
	end := uint64(offset) + size
	if end > s.size || end < size {
		end = s.size
	}
	s.slices = append(s.slices, slice{uint64(offset), end, u, split})
}

func (s *slicer) store(u ir.Use, v ir.Value, offset int64) bool {
	f := s.f
	if f.UseIndex(u) == 0 {
		return false // the pointer itself is stored
	}
	t := f.TypeOf(f.Operand(v, 0))
	size := s.m.StoreSize(t)
	if offset < 0 || size > s.size || uint64(offset) > s.size-size {
		s.dead = append(s.dead, v) // undefined behaviour
		return true
	}
	s.access(u, v, offset, size, t)
	return true
}

// call records the use by an intrinsic call.
func (s *slicer) call(u ir.Use, v ir.Value, offset int64) bool {
	f := s.f
	switch f.CalledIntrinsic(v) {
	case ir.IntrMemset, ir.IntrMemsetInline:
		return s.memset(u, v, offset)
	case ir.IntrMemcpy, ir.IntrMemcpyInline, ir.IntrMemmove:
		return s.transfer(u, v, offset)
	case ir.IntrLifetimeStart, ir.IntrLifetimeEnd:
		s.insert(u, v, 0, s.size, true)
		return true
	case ir.IntrAssume, ir.IntrPseudoprobe:
		s.droppable = append(s.droppable, u)
		return true
	}
	return false
}

// Arguments of llvm.memcpy, llvm.memmove and llvm.memset.
const (
	memDest = iota
	memSource
	memLength
	memVolatileArg
)

// memLengthOf returns the length of a memory intrinsic if it is constant.
func memLengthOf(f *ir.Function, v ir.Value) (uint64, bool) {
	n := f.Operand(v, memLength)
	if !n.IsConst() {
		return 0, false
	}
	return f.Module().IntValue(n)
}

func isVolatileMem(f *ir.Function, v ir.Value) bool {
	return !f.Module().IsZero(f.Operand(v, memVolatileArg))
}

func (s *slicer) memset(u ir.Use, v ir.Value, offset int64) bool {
	n, known := memLengthOf(s.f, v)
	if known && n == 0 || offset < 0 || uint64(offset) >= s.size {
		s.dead = append(s.dead, v)
		return true
	}
	if !known {
		n = s.size - uint64(offset)
	}
	s.insert(u, v, offset, n, known && !isVolatileMem(s.f, v))
	return true
}

// transfer records one side of a memcpy or memmove.
func (s *slicer) transfer(u ir.Use, v ir.Value, offset int64) bool {
	f := s.f
	n, known := memLengthOf(f, v)
	if known && n == 0 || slices.Contains(s.dead, v) {
		if known && n == 0 {
			s.dead = append(s.dead, v)
		}
		return true
	}
	i := slices.IndexFunc(s.transfers, func(t transfer) bool { return t.v == v })
	if offset < 0 || uint64(offset) >= s.size {
		if i >= 0 {
			s.slices[s.transfers[i].slice].use = 0
		}
		s.dead = append(s.dead, v)
		return true
	}
	if !known {
		n = s.size - uint64(offset)
	}
	if f.Operand(v, memDest) == f.Operand(v, memSource) {
		if !isVolatileMem(f, v) {
			s.dead = append(s.dead, v)
			return true
		}
		s.insert(u, v, offset, n, false)
		return true
	}
	if i < 0 {
		s.transfers = append(s.transfers, transfer{v, len(s.slices)})
		s.insert(u, v, offset, n, known && !isVolatileMem(f, v))
		return true
	}
	// Both sides are in this alloca.
	other := &s.slices[s.transfers[i].slice]
	if !isVolatileMem(f, v) && other.begin == uint64(offset) {
		other.use = 0
		s.dead = append(s.dead, v)
		return true
	}
	other.split = false
	s.insert(u, v, offset, n, false)
	return true
}

// choice records a phi or select of pointers. It can be kept if it is used only
// by loads and stores without offset.
func (s *slicer) choice(u ir.Use, v ir.Value, offset int64) bool {
	f := s.f
	if !f.HasUses(v) {
		s.dead = append(s.dead, v)
		return true
	}
	if f.Op(v) == ir.OpSelect && f.UseIndex(u) == 0 {
		return false
	}
	if same := sameChoice(f, v); same != ir.None {
		if same == f.Operand(f.User(u), f.UseIndex(u)) {
			if !slices.Contains(s.folded, v) { // several operands may lead here
				s.folded = append(s.folded, v)
				s.push(v, offset)
			}
		} else {
			s.deadUses = append(s.deadUses, u)
		}
		return true
	}
	size, ok := s.choiceSize(v)
	if !ok {
		return false
	}
	if offset < 0 || uint64(offset) >= s.size {
		s.deadUses = append(s.deadUses, u)
		return true
	}
	s.insert(u, v, offset, size, false)
	return true
}

// sameChoice returns the only possible value of a phi or select, or None.
func sameChoice(f *ir.Function, v ir.Value) ir.Value {
	if f.Op(v) == ir.OpSelect {
		c, x, y := f.Operand(v, 0), f.Operand(v, 1), f.Operand(v, 2)
		if x == y {
			return x
		}
		if c.IsConst() && f.TypeOf(c) == ir.I1 {
			if n, ok := f.Module().IntValue(c); ok && n != 0 {
				return x
			} else if ok {
				return y
			}
		}
		return ir.None
	}
	common := ir.None
	for i := range f.NumIncoming(v) {
		x, _ := f.Incoming(v, i)
		switch {
		case x == v || x == common:
		case common != ir.None:
			return ir.None
		default:
			common = x
		}
	}
	return common
}

// choiceSize returns the maximum number of bytes accessed through a phi or
// select. ok is false if it has uses other than loads and stores.
func (s *slicer) choiceSize(root ir.Value) (size uint64, ok bool) {
	f := s.f
	s.visited = append(s.visited[:0], root)
	s.pending = append(s.pending[:0], root)
	for len(s.pending) > 0 {
		p := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		for u := f.FirstUse(p); u != 0; u = f.NextUse(u) {
			v := f.User(u)
			switch f.Op(v) {
			case ir.OpLoad:
				size = max(size, s.m.StoreSize(f.TypeOf(v)))
			case ir.OpStore:
				if f.UseIndex(u) == 0 {
					return 0, false
				}
				size = max(size, s.m.StoreSize(f.TypeOf(f.Operand(v, 0))))
			case ir.OpGetElementPtr, ir.OpBitCast, ir.OpAddrSpaceCast, ir.OpPhi, ir.OpSelect:
				if f.Op(v) == ir.OpGetElementPtr && !hasZeroIndices(f, v) || s.m.IsVector(f.TypeOf(v)) {
					return 0, false
				}
				if !slices.Contains(s.visited, v) {
					s.visited = append(s.visited, v)
					s.pending = append(s.pending, v)
				}
			default:
				return 0, false
			}
		}
	}
	return size, true
}

// partition is a part of an alloca that cannot be split further. Slices lo up
// to but excluding hi start in it; tails are slices that start earlier and
// extend into it.
type partition struct {
	begin, end uint64
	lo, hi     int
	tails      []int
}

// partitions calls do for the partitions of the slices in order.
func (s *slicer) partitions(do func(p *partition)) {
	var p partition
	list := s.slices
	for {
		p.tails = slices.DeleteFunc(p.tails, func(i int) bool { return list[i].end <= p.end })
		for i := p.lo; i < p.hi; i++ {
			if list[i].split && list[i].end > p.end {
				p.tails = append(p.tails, i)
			}
		}
		p.lo = p.hi
		if !s.nextPartition(&p) {
			return
		}
		do(&p)
	}
}

// nextPartition forms the partition after the end of p; slices from p.lo on
// remain.
func (s *slicer) nextPartition(p *partition) bool {
	list := s.slices
	last := uint64(0)
	for _, i := range p.tails {
		last = max(last, list[i].end)
	}
	switch {
	case p.lo == len(list) && len(p.tails) == 0:
		return false
	case p.lo == len(list):
		p.begin, p.end = p.end, last
		return true
	case len(p.tails) > 0 && list[p.lo].begin != p.end && !list[p.lo].split:
		// Only tails up to the next slice.
		p.begin, p.end = p.end, min(last, list[p.lo].begin)
		return true
	case len(p.tails) > 0:
		p.begin = p.end
	default:
		p.begin = list[p.lo].begin
	}
	p.end = list[p.lo].end
	p.hi++
	if !list[p.lo].split {
		for p.hi < len(list) && list[p.hi].begin < p.end {
			if !list[p.hi].split {
				p.end = max(p.end, list[p.hi].end)
			}
			p.hi++
		}
		return true
	}
	for p.hi < len(list) && list[p.hi].begin < p.end && list[p.hi].split {
		p.end = max(p.end, list[p.hi].end)
		p.hi++
	}
	if p.hi < len(list) && list[p.hi].begin < p.end {
		p.end = list[p.hi].begin
	}
	return true
}
