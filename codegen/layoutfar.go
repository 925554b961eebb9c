package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Branches that do not reach. Every few KiB of code there is a place where jumps can stand, which the code itself jumps
// over; a branch over a long distance goes from one such place to the next. That needs no register.

const (
	// sureReach is how far apart, before jumps are put between, a branch and its block may be: 128 KiB less room for jumps.
	sureReach = 96 << 10
	// farSpacing is how far apart the places for jumps are at least.
	farSpacing = 24 << 10
	// pcUsers is how many instructions behind s_getpc_b64 have to stay where they are from there: the sign of the high half,
	// two additions, a wait before each of them and one more.
	pcUsers = 7
)

// farBranches is what is known about places for jumps.
type farBranches struct {
	places []farPlace
	jumps  []farJump
	hold   int // instructions yet before which no place may be
}

// farPlace is a place for jumps.
type farPlace struct {
	at    uint32 // in the code without jumps
	jumps []uint32
}

// farJump is a jump to a block at a place.
type farJump struct {
	branch
	place int
}

func (x *farBranches) reset() { x.places, x.jumps, x.hold = x.places[:0], x.jumps[:0], 0 }

// note sees an instruction, before which there may be a place: not in a clause, and not where addresses are made
// of the program counter.
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

// insertJumps gives branches over long distances jumps to take, and puts those into the code.
func (l *layout) insertJumps() {
	x := &l.far
	for n := range l.branches {
		b := &l.branches[n]
		b.by = x.route(b.at, l.starts[b.to], b.to)
	}
	if len(x.jumps) == 0 {
		return
	}
	for n := 0; n < len(x.jumps); n++ { // which adds more
		j := &x.jumps[n]
		by := x.route(x.places[j.place].at, l.starts[j.to], j.to)
		x.jumps[n].by = by
	}
	l.moveCode()
}

// route gives one more than the number of the jump that a branch takes first, 0 when it reaches its block.
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
		return 0 // one instruction, or clause, of this size: there is none
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
	moved := make([]uint32, len(x.places)) // by how much, behind each place
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
	for n := range x.jumps {
		l.branches = append(l.branches, x.jumps[n].branch)
	}
}
