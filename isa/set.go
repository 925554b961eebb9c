package isa

import "github.com/gfx-toolchain/gfx/target"

// Set is an instruction set: the processors that have the same instructions
// with the same encodings share one.
type Set uint8

// Gen is a layout generation: the sets of one generation place the fields of
// instruction words alike (isa/table/forms.tsv).
type Gen uint8

// setInfo is a row of sets.tsv.
type setInfo struct {
	name   string
	parent Set
	gen    Gen
	procs  []string
}

// SetOf returns the instruction set of a processor; ok is false for a processor
// that has none here (the r600 family).
func SetOf(p *target.Processor) (s Set, ok bool) {
	for i := range sets {
		for _, name := range sets[i].procs {
			if name == p.Name {
				return Set(i), true
			}
		}
	}
	return 0, false
}

// String returns the name of the set's first processor, such as "gfx900".
func (s Set) String() string { return sets[s].name }

// Gen returns the layout generation of the set.
func (s Set) Gen() Gen { return sets[s].gen }

// Has reports whether the set is in a mask, such as PropVopd: the sets with a
// property.
func (s Set) Has(m SetMask) bool { return m.Has(s) }

// SetMask is a set of instruction sets, one bit each.
type SetMask uint32

// Has reports whether the mask holds a set.
func (m SetMask) Has(s Set) bool { return m>>(s&31)&1 != 0 }
