package target

// Arch is the architecture of a triple.
type Arch uint8

// Architectures of AMD GPUs in LLVM.
const (
	NoArch Arch = iota
	R600Arch
	AMDGCN
)

var archNames = [...]string{NoArch: "", R600Arch: "r600", AMDGCN: "amdgcn"}

// String returns the architecture's name in a triple, "" for NoArch.
func (a Arch) String() string { return archNames[a] }

// Generation is a group of processors with one instruction encoding.
// Generations form a DAG through Parent: a generation inherits the properties
// that it does not define.
type Generation uint8

// Generations of r600, each before the generations that inherit from it. The
// instruction set documents have these names.
const (
	NoGeneration Generation = iota
	R600
	R700
	Evergreen
	NorthernIslands

	numR600 = iota // number of these values
)

//go:generate go run ../internal/cmd/isagen -dir ../isa/table -generations -out generation_gen.go

// The ancestors of each generation as a bit mask: its own bit and its parent's
// mask.
const (
	maskR600            = 1 << R600
	maskR700            = 1<<R700 | maskR600
	maskEvergreen       = 1<<Evergreen | maskR700
	maskNorthernIslands = 1<<NorthernIslands | maskEvergreen
)

// generationRow is a generation. The rows of amdgcn are generated from
// isa/table/sets.tsv.
type generationRow struct {
	name   string
	parent Generation
	mask   uint32
}

var r600Generations = [numR600]generationRow{
	R600:            {"r600", NoGeneration, maskR600},
	R700:            {"r700", R600, maskR700},
	Evergreen:       {"evergreen", R700, maskEvergreen},
	NorthernIslands: {"northern-islands", Evergreen, maskNorthernIslands},
}

// series holds the names of the groups of processors in the user guides, or
// AMD's names of the architectures.
var series = [numGenerations]string{
	R600:            "Radeon HD 2000/3000 Series (R600)",
	R700:            "Radeon HD 4000 Series (R700)",
	Evergreen:       "Radeon HD 5000 Series (Evergreen)",
	NorthernIslands: "Radeon HD 6000 Series (Northern Islands)",
	GFX6:            "GCN GFX6 (Southern Islands (SI))",
	GFX7:            "GCN GFX7 (Sea Islands (CI))",
	GFX8:            "GCN GFX8 (Volcanic Islands (VI))",
	GFX9:            "GCN GFX9 (Vega)",
	GFX90A:          "CDNA 2",
	GFX940:          "CDNA 3",
	GFX950:          "CDNA 4",
	GFX10_1:         "GFX10.1 (RDNA 1)",
	GFX10_3:         "GFX10.3 (RDNA 2)",
	GFX11:           "GFX11 (RDNA 3)",
	GFX11_5:         "GFX11.5 (RDNA 3.5)",
	GFX12:           "GFX12 (RDNA 4)",
	GFX12_5:         "GFX12.5",
}

// row returns the row of a generation.
func (g Generation) row() *generationRow {
	if n := int(g) - numR600; n >= 0 {
		return &amdgcnGenerations[n]
	}
	return &r600Generations[g]
}

// String returns the name of the generation, such as "gfx10.3".
func (g Generation) String() string { return g.row().name }

// Series returns the name that the user guides or AMD use for the group of
// processors, such as "GFX10.3 (RDNA 2)".
func (g Generation) Series() string { return series[g] }

// Parent returns the generation that g extends, or NoGeneration.
func (g Generation) Parent() Generation { return g.row().parent }

// Is reports whether g is a or descends from it: GFX11.Is(GFX10_3) and
// GFX940.Is(GFX9), but not GFX10_1.Is(GFX90A).
func (g Generation) Is(a Generation) bool { return g.row().mask>>a&1 != 0 }

// Major returns the major number of the generation's ISA version, 6 to 12, or 0
// for the r600 architecture.
func (g Generation) Major() int {
	for m := len(majors) - 1; m >= 0; m-- {
		if g.Is(majors[m]) {
			return m + 6
		}
	}
	return 0
}

// majors holds the first generation of each major version, from 6 on.
var majors = [...]Generation{GFX6, GFX7, GFX8, GFX9, GFX10_1, GFX11, GFX12}
