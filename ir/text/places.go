package text

import (
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/ir"
)

// Places records the locations of a module's parts in its text. Parts that an
// upgrade of an old form created have no location.
type Places struct {
	Source *diag.Source // text to which the offsets of the methods refer

	// offsets plus one, 0 for none
	globals []uint32 // indexed by constant number
	nodes   []uint32 // indexed by node number
	named   map[string]uint32
	bodies  map[*ir.Function]*bodyPlaces
}

// bodyPlaces holds the locations of a function's values and blocks.
type bodyPlaces struct{ values, blocks []uint32 }

// ParsePlaces is like Parse, but also returns the locations.
func ParsePlaces(name string, src []byte) (*ir.Module, *Places, diag.List) {
	pl := &Places{}
	m, list := Read(name, src, Options{Places: pl})
	return m, pl, list
}

func (pl *Places) init(source *diag.Source) {
	*pl = Places{Source: source, named: map[string]uint32{}, bodies: map[*ir.Function]*bodyPlaces{}}
}

// note records an offset.
func note(list []uint32, i uint32, off int) []uint32 {
	if n := int(i) + 1; n > len(list) {
		list = append(list, make([]uint32, n-len(list))...)
	}
	list[i] = uint32(off) + 1
	return list
}

func at(list []uint32, i uint32) (off int, ok bool) {
	if i < uint32(len(list)) && list[i] != 0 {
		return int(list[i]) - 1, true
	}
	return 0, false
}

// value records the start of an instruction, record or block of a function. It
// has no effect if pl is nil.
func (pl *Places) value(f *ir.Function, v ir.Value, off int) {
	if pl == nil {
		return
	}
	b := pl.bodies[f]
	if b == nil {
		b = &bodyPlaces{}
		pl.bodies[f] = b
	}
	if v.IsBlock() {
		b.blocks = note(b.blocks, v.Index(), off)
	} else {
		b.values = note(b.values, v.Index(), off)
	}
}

func (pl *Places) global(v ir.Value, off int) {
	if pl != nil {
		pl.globals = note(pl.globals, v.Index(), off)
	}
}

func (pl *Places) node(md ir.Metadata, off int) {
	if pl != nil {
		pl.nodes = note(pl.nodes, uint32(md), off)
	}
}

func (pl *Places) namedMetadata(name string, off int) {
	if pl != nil {
		pl.named[name] = uint32(off) + 1
	}
}

// Value returns the offset of an instruction, debug record, argument or block
// of a function, or else the offset of the function.
func (pl *Places) Value(f *ir.Function, v ir.Value) (off int, ok bool) {
	if b := pl.bodies[f]; b != nil {
		list := b.values
		if v.IsBlock() {
			list = b.blocks
		}
		if off, ok := at(list, v.Index()); ok && v != ir.None {
			return off, true
		}
	}
	return pl.Global(f.Global)
}

// Global returns the offset of a global's name in its definition.
func (pl *Places) Global(g *ir.Global) (off int, ok bool) { return at(pl.globals, g.Value().Index()) }

// Node returns the offset of a numbered metadata node.
func (pl *Places) Node(md ir.Metadata) (off int, ok bool) { return at(pl.nodes, uint32(md)) }

// NamedMetadata returns the offset of !name = ….
func (pl *Places) NamedMetadata(name string) (off int, ok bool) {
	off = int(pl.named[name])
	return off - 1, off != 0
}
