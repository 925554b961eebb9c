package isa

import (
	"testing"

	"github.com/gfx-toolchain/gfx/target"
)

// TestSetsFitGenerations compares sets.tsv with the generations of package
// target: a set has one generation, which descends from its parent's, and every
// amdgcn processor with a number in the ELF header has a set.
func TestSetsFitGenerations(t *testing.T) {
	gen := func(s Set) target.Generation { return target.Lookup(s.String()).Gen }
	for s := range Set(NumSets) {
		for _, name := range sets[s].procs {
			p := target.Lookup(name)
			if p == nil {
				t.Errorf("%v: package target has no processor %s", s, name)
			} else if p.Gen != gen(s) {
				t.Errorf("%v: %s is of generation %v, %v of %v", s, name, p.Gen, s, gen(s))
			}
		}
		if parent := sets[s].parent; !gen(s).Is(gen(parent)) {
			t.Errorf("%v: generation %v does not descend from %v of the parent %v", s, gen(s), gen(parent), parent)
		}
	}
	for i := range target.Processors() {
		p := &target.Processors()[i]
		if _, ok := SetOf(p); ok != (p.Arch() == target.AMDGCN && p.Mach != 0) {
			t.Errorf("%s: has an instruction set: %v", p.Name, ok)
		}
	}
}

// TestSince checks that the mask of a set holds the set and its descendants.
func TestSince(t *testing.T) {
	for _, tt := range []struct {
		mask     SetMask
		has, not []Set
	}{
		{SinceGFX900, []Set{GFX900, GFX908, GFX950, GFX1010, GFX1251}, []Set{GFX600, GFX803, GFX810}},
		{SinceGFX90A, []Set{GFX90A, GFX942, GFX950, GFX9_4Generic}, []Set{GFX908, GFX1010, GFX1250}},
		{SinceGFX1010, []Set{GFX1010, GFX1013, GFX1030, GFX1250}, []Set{GFX90A, GFX950}},
		{PropSdwa, []Set{GFX803, GFX942, GFX1030}, []Set{GFX700, GFX1100, GFX1250}},
		{PropEvenTuples, []Set{GFX950, GFX1251}, []Set{GFX908, GFX1200}},
	} {
		for _, s := range tt.has {
			if !s.Has(tt.mask) {
				t.Errorf("%#x does not hold %v", tt.mask, s)
			}
		}
		for _, s := range tt.not {
			if s.Has(tt.mask) {
				t.Errorf("%#x holds %v", tt.mask, s)
			}
		}
	}
}
