package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Long branches. Every few KiB, the code has a place for jumps, which the code
// itself skips. A long branch hops from one place to the next, and needs no
// register.

const (
	// sureReach is the maximum distance in bytes between a branch and its block
	// before jumps are inserted: 128 KiB minus space for jumps.
	sureReach = 96 << 10
	// farSpacing is the minimum distance in bytes between places for jumps.
	farSpacing = 24 << 10
	// pcUsers is the number of instructions after s_getpc_b64 whose distance
	// from it is fixed: the sign extension of the high half, two additions, a
	// wait before each of them, and one more.
	pcUsers = 7
)

// farBranches holds the places for jumps.
type farBranches struct {
	places []farPlace
	jumps  []farJump
	hold   int // remaining instructions before which no place is allowed
}

// farPlace is a place for jumps.
type farPlace struct {
	at    uint32 // offset in the code without jumps
	jumps []uint32
}

// farJump is a jump to a block at a place.
type farJump struct {
	branch
	place int
}

func (x *farBranches) reset() { x.places, x.jumps, x.hold = x.places[:0], x.jumps[:0], 0 }

// note records an instruction, before which a place may be created. Places are
// not allowed in clauses and between s_getpc_b64 and its uses.
func (x *farBranches) note(f *mir.Func, i mir.Instr, at uint32) {
	last := uint32(0)
	if n := len(x.places); n > 0 {
		last = x.places[n-1].at
	}
	if x.hold == 0 && at >= last+farSpacing {
		x.places = append(x.places, farPlace{at: at})
	}
	x.hold = max(x.hold-1, 0)
	switch f.Op(i) {
	case mir.SGetpcB64:
		x.hold = pcUsers
	case mir.SClause:
		x.hold = max(x.hold, int(f.Use(i, 0).Imm&63)+1)
	}
}

// insertJumps assigns intermediate jumps to long branches, and inserts the
// jumps in the code.
func (l *layout) insertJumps() {
	x := &l.far
	for n := range l.branches {
		b := &l.branches[n]
		b.by = x.route(b.at, l.starts[b.to], b.to)
	}
	if len(x.jumps) == 0 {
		return
	}
	for n := 0; n < len(x.jumps); n++ { // route adds more
		j := &x.jumps[n]
		by := x.route(x.places[j.place].at, l.starts[j.to], j.to)
		x.jumps[n].by = by
	}
	l.moveCode()
}

// route returns one more than the number of the first jump that a branch takes,
// or 0 if it reaches its block.
func (x *farBranches) route(from, target uint32, to mir.Block) uint32 {
	if distance := int64(target) - int64(from); distance <= sureReach && distance >= -sureReach {
		return 0
	}
	n, _ := slices.BinarySearchFunc(x.places, int64(from), func(p farPlace, at int64) int { return compare(int64(p.at), at) })
	best := -1
	if target > from {
		for ; n < len(x.places) && x.places[n].at <= from+sureReach; n++ {
			if x.places[n].at > from {
				best = n
			}
		}
	} else {
		for n--; n >= 0 && int64(x.places[n].at) >= int64(from)-sureReach; n-- {
			best = n
		}
	}
	if best < 0 {
		return 0 // no place exists because one instruction or clause is too large
	}
	p := &x.places[best]
	for _, k := range p.jumps {
		if x.jumps[k].to == to {
			return k + 1
		}
	}
	p.jumps = append(p.jumps, uint32(len(x.jumps)))
	x.jumps = append(x.jumps, farJump{branch: branch{to: to}, place: best})
	return uint32(len(x.jumps))
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// moveCode makes room for the jumps and writes them.
func (l *layout) moveCode() {
	x := &l.far
	f := l.f
	op := f.M.Info(mir.SBranch).Encs[0]
	in := isa.New(op, f.M.Set, f.M.Wave)
	old := slices.Clone(l.code.Bytes)
	out := l.code.Bytes[:0]
	done := uint32(0)
	moved := make([]uint32, len(x.places)) // displacement after each place
	for n := range x.places {
		p := &x.places[n]
		out = append(out, old[done:p.at]...)
		done = p.at
		if len(p.jumps) > 0 {
			over := len(out)
			out = isa.Encode(out, &in)
			for _, k := range p.jumps {
				x.jumps[k].at = uint32(len(out))
				out = isa.Encode(out, &in)
			}
			out[over], out[over+1] = byte(len(p.jumps)), byte(len(p.jumps)>>8)
		}
		moved[n] = uint32(len(out)) - p.at
	}
	l.code.Bytes = append(out, old[done:]...)
	move := func(at uint32) uint32 {
		n, found := slices.BinarySearchFunc(x.places, int64(at), func(p farPlace, at int64) int { return compare(int64(p.at), at) })
		if found {
			return at + moved[n]
		}
		if n == 0 {
			return at
		}
		return at + moved[n-1]
	}
	for n := range l.starts {
		l.starts[n] = move(l.starts[n])
	}
	for n := range l.branches {
		l.branches[n].at = move(l.branches[n].at)
	}
	for n := range l.code.Fixups {
		l.code.Fixups[n].Offset = move(l.code.Fixups[n].Offset)
	}
	for n := range l.code.Marks {
		l.code.Marks[n].Offset = move(l.code.Marks[n].Offset)
	}
	for n := range x.jumps {
		l.branches = append(l.branches, x.jumps[n].branch)
	}
}
