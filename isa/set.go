package isa

import "github.com/gfx-toolchain/gfx/target"

// Set is an instruction set: the processors that have the same instructions
// with the same encodings share one.
type Set uint8

// The instruction sets, named after the first processor of each. The order is
// the one in which the table's inheritance runs: a set comes after its parent.
const (
	GFX600 Set = iota
	GFX700
	GFX803
	GFX810
	GFX900
	GFX904
	GFX906
	GFX908
	GFX9Generic
	GFX90A
	GFX942
	GFX950
	GFX9_4Generic
	GFX1010
	GFX1012
	GFX1013
	GFX1030
	GFX1100
	GFX1150
	GFX1200
	GFX1250
	GFX1251
	NumSets = iota
)

// Gen is a layout generation: the sets of one generation place the fields of
// instruction words alike (isa/table/forms.tsv).
type Gen uint8

const (
	Gen6 Gen = iota
	Gen7
	Gen8
	Gen9
	Gen90A
	Gen940
	Gen10
	Gen11
	Gen12
	Gen1250
	NumGens = iota
)

// sets is the one table of what a set is: its name in isa/table, its parent,
// its layout generation, and the processors that have it.
var sets = [NumSets]struct {
	name   string
	parent Set
	gen    Gen
	procs  []string
}{
	GFX600:        {"gfx600", GFX600, Gen6, []string{"gfx600", "gfx601", "gfx602"}},
	GFX700:        {"gfx700", GFX600, Gen7, []string{"gfx700", "gfx701", "gfx702", "gfx703", "gfx704", "gfx705"}},
	GFX803:        {"gfx803", GFX700, Gen8, []string{"gfx801", "gfx802", "gfx803", "gfx805"}},
	GFX810:        {"gfx810", GFX803, Gen8, []string{"gfx810"}},
	GFX900:        {"gfx900", GFX803, Gen9, []string{"gfx900", "gfx902", "gfx909", "gfx90c"}},
	GFX904:        {"gfx904", GFX900, Gen9, []string{"gfx904"}},
	GFX906:        {"gfx906", GFX904, Gen9, []string{"gfx906"}},
	GFX908:        {"gfx908", GFX906, Gen9, []string{"gfx908"}},
	GFX9Generic:   {"gfx9-generic", GFX900, Gen9, []string{"gfx9-generic"}},
	GFX90A:        {"gfx90a", GFX908, Gen90A, []string{"gfx90a"}},
	GFX942:        {"gfx942", GFX90A, Gen940, []string{"gfx940", "gfx941", "gfx942"}},
	GFX950:        {"gfx950", GFX942, Gen940, []string{"gfx950"}},
	GFX9_4Generic: {"gfx9-4-generic", GFX942, Gen940, []string{"gfx9-4-generic"}},
	GFX1010:       {"gfx1010", GFX900, Gen10, []string{"gfx1010", "gfx10-1-generic"}},
	GFX1012:       {"gfx1012", GFX1010, Gen10, []string{"gfx1011", "gfx1012"}},
	GFX1013:       {"gfx1013", GFX1010, Gen10, []string{"gfx1013"}},
	GFX1030:       {"gfx1030", GFX1012, Gen10, []string{"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036", "gfx10-3-generic"}},
	GFX1100:       {"gfx1100", GFX1030, Gen11, []string{"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx11-generic"}},
	GFX1150:       {"gfx1150", GFX1100, Gen11, []string{"gfx1150", "gfx1151", "gfx1152", "gfx1153"}},
	GFX1200:       {"gfx1200", GFX1150, Gen12, []string{"gfx1200", "gfx1201", "gfx12-generic"}},
	GFX1250:       {"gfx1250", GFX1200, Gen1250, []string{"gfx1250"}},
	GFX1251:       {"gfx1251", GFX1250, Gen1250, []string{"gfx1251"}},
}

// SetOf gives the instruction set of a processor; ok is false for a processor
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

// String gives the name of the set's first processor, such as "gfx900".
func (s Set) String() string { return sets[s].name }

// Gen gives the layout generation of the set.
func (s Set) Gen() Gen { return sets[s].gen }

// SetMask is a set of instruction sets, one bit each.
type SetMask uint32

// Has reports whether the mask holds a set.
func (m SetMask) Has(s Set) bool { return m>>s&1 != 0 }
