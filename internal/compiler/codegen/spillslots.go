package codegen

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// spillSlots assigns the same slots to spilled values that are never needed at
// the same time: lanes of VGPRs for scalar registers, private memory for vector
// registers. A value is needed from its store to its last reload; scalar ones
// on the linear edges, vector ones on the logical edges, since each lane has
// its own memory.
type spillSlots struct {
	f     *mir.Func
	words int
	in    []uint64 // sets of objects needed at the start, by block
	live  []uint64
	kinds [2][]uint64 // objects of vector registers, and of scalar registers
	meet  []uint64    // sets of objects needed at the same time, by object
}

// assignOffsets sets the offsets of objects that register allocation created,
// starting at 0 for each kind, and returns the size of each kind in bytes.
func (x *spillSlots) assignOffsets(f *mir.Func) (vector, scalar int64) {
	x.f, x.words = f, (len(f.Objects)+63)/64
	f.Guard.Room(8 * int64(x.words) * int64(max(len(f.Objects), f.NumBlocks())))
	x.in, x.live = zeroed(x.in, f.NumBlocks()*x.words), zeroed(x.live, x.words)
	x.meet = zeroed(x.meet, len(f.Objects)*x.words)
	any := false
	for k := range x.kinds {
		x.kinds[k] = zeroed(x.kinds[k], x.words)
	}
	for n := range f.Objects {
		if o := &f.Objects[n]; o.Spill {
			addBit(x.kinds[kindOf(o)], n)
			any = true
		}
	}
	if !any {
		return 0, 0
	}
	for changed := true; changed; {
		changed = false
		for n := len(f.Layout) - 1; n >= 0; n-- {
			changed = x.block(f.Layout[n], false) || changed
		}
	}
	for _, b := range f.Layout {
		x.block(b, true)
	}
	return x.placeKind(0), x.placeKind(1)
}

func kindOf(o *mir.FrameObject) int {
	if o.SGPR {
		return 1
	}
	return 0
}

func (x *spillSlots) objectSet(sets []uint64, n int) []uint64 { return sets[n*x.words : (n+1)*x.words] }

// block computes the objects needed at the start of a block, and reports
// whether the set changed. If note is set, it records the objects needed at the
// same time instead.
func (x *spillSlots) block(b mir.Block, note bool) (changed bool) {
	f := x.f
	clear(x.live)
	for k, succs := range [...][]mir.Block{f.Succs(b), f.LinearSuccs(b)} {
		for _, s := range succs {
			for w, bits := range x.objectSet(x.in, int(s)) {
				x.live[w] |= bits & x.kinds[k][w]
			}
		}
	}
	for i := f.Last(b); i != 0; i = f.Prev(i) {
		switch f.Op(i) {
		case mir.Reload:
			addBit(x.live, int(f.Use(i, 0).Frame()))
		case mir.Spill:
			o := int(f.Use(i, 0).Frame())
			if note {
				f.Guard.Check()
				each(x.live, func(n int) {
					addBit(x.objectSet(x.meet, o), n)
					addBit(x.objectSet(x.meet, n), o)
				})
			}
			dropBit(x.live, o)
		}
	}
	for w, bits := range x.objectSet(x.in, int(b)) {
		if bits != x.live[w] {
			x.objectSet(x.in, int(b))[w], changed = x.live[w], true
		}
	}
	return changed
}

// placeKind assigns to each object of a kind the first offset that is free of
// objects needed at the same time.
func (x *spillSlots) placeKind(kind int) (end int64) {
	f := x.f
	var near []mir.FrameObject
	for n := range f.Objects {
		o := &f.Objects[n]
		if !hasBit(x.kinds[kind], n) {
			continue
		}
		f.Guard.Check()
		near = near[:0]
		each(x.objectSet(x.meet, n), func(m int) {
			if m < n && hasBit(x.kinds[kind], m) {
				near = append(near, f.Objects[m])
			}
		})
		slices.SortFunc(near, func(p, q mir.FrameObject) int { return cmp.Compare(p.Offset, q.Offset) })
		at := int64(0)
		for _, y := range near {
			if y.Offset < at+int64(o.Size) {
				at = max(at, y.Offset+int64(y.Size))
			}
		}
		o.Offset = at
		end = max(end, at+int64(o.Size))
	}
	return end
}
