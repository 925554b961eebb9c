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

// Generations, each before the generations that inherit from it. The names of
// amdgcn generations are the major and minor numbers of the instruction set
// version; the older ones are the names of the instruction set documents.
const (
	NoGeneration Generation = iota
	R600
	R700
	Evergreen
	NorthernIslands
	GFX6
	GFX7
	GFX8
	GFX9
	GFX90A
	GFX940 // gfx940, gfx941, gfx942
	GFX950
	GFX10_1
	GFX10_3
	GFX11
	GFX11_5
	GFX12
	GFX12_5

	numGenerations = iota // number of Generation values, including NoGeneration
)

// The ancestors of each generation as a bit mask: its own bit and its parent's
// mask.
const (
	maskR600            = 1 << R600
	maskR700            = 1<<R700 | maskR600
	maskEvergreen       = 1<<Evergreen | maskR700
	maskNorthernIslands = 1<<NorthernIslands | maskEvergreen
	maskGFX6            = 1 << GFX6
	maskGFX7            = 1<<GFX7 | maskGFX6
	maskGFX8            = 1<<GFX8 | maskGFX7
	maskGFX9            = 1<<GFX9 | maskGFX8
	maskGFX90A          = 1<<GFX90A | maskGFX9
	maskGFX940          = 1<<GFX940 | maskGFX90A
	maskGFX950          = 1<<GFX950 | maskGFX940
	maskGFX10_1         = 1<<GFX10_1 | maskGFX9
	maskGFX10_3         = 1<<GFX10_3 | maskGFX10_1
	maskGFX11           = 1<<GFX11 | maskGFX10_3
	maskGFX11_5         = 1<<GFX11_5 | maskGFX11
	maskGFX12           = 1<<GFX12 | maskGFX11_5
	maskGFX12_5         = 1<<GFX12_5 | maskGFX12
)

// generationRow holds the properties common to the processors of a generation.
type generationRow struct {
	name   string
	series string // the group's name in the user guides, or AMD's name of the architecture
	parent Generation
	mask   uint32
}

var generations = [numGenerations]generationRow{
	R600:            {"r600", "Radeon HD 2000/3000 Series (R600)", NoGeneration, maskR600},
	R700:            {"r700", "Radeon HD 4000 Series (R700)", R600, maskR700},
	Evergreen:       {"evergreen", "Radeon HD 5000 Series (Evergreen)", R700, maskEvergreen},
	NorthernIslands: {"northern-islands", "Radeon HD 6000 Series (Northern Islands)", Evergreen, maskNorthernIslands},
	GFX6:            {"gfx6", "GCN GFX6 (Southern Islands (SI))", NoGeneration, maskGFX6},
	GFX7:            {"gfx7", "GCN GFX7 (Sea Islands (CI))", GFX6, maskGFX7},
	GFX8:            {"gfx8", "GCN GFX8 (Volcanic Islands (VI))", GFX7, maskGFX8},
	GFX9:            {"gfx9", "GCN GFX9 (Vega)", GFX8, maskGFX9},
	GFX90A:          {"gfx90a", "CDNA 2", GFX9, maskGFX90A},
	GFX940:          {"gfx940", "CDNA 3", GFX90A, maskGFX940},
	GFX950:          {"gfx950", "CDNA 4", GFX940, maskGFX950},
	GFX10_1:         {"gfx10.1", "GFX10.1 (RDNA 1)", GFX9, maskGFX10_1},
	GFX10_3:         {"gfx10.3", "GFX10.3 (RDNA 2)", GFX10_1, maskGFX10_3},
	GFX11:           {"gfx11", "GFX11 (RDNA 3)", GFX10_3, maskGFX11},
	GFX11_5:         {"gfx11.5", "GFX11.5 (RDNA 3.5)", GFX11, maskGFX11_5},
	GFX12:           {"gfx12", "GFX12 (RDNA 4)", GFX11_5, maskGFX12},
	GFX12_5:         {"gfx12.5", "GFX12.5", GFX12, maskGFX12_5},
}

// String returns the name of the generation, such as "gfx10.3".
func (g Generation) String() string { return generations[g].name }

// Series returns the name that the user guides or AMD use for the group of
// processors, such as "GFX10.3 (RDNA 2)".
func (g Generation) Series() string { return generations[g].series }

// Parent returns the generation that g extends, or NoGeneration.
func (g Generation) Parent() Generation { return generations[g].parent }

// Is reports whether g is a or descends from it: GFX11.Is(GFX10_3) and
// GFX940.Is(GFX9), but not GFX10_1.Is(GFX90A).
func (g Generation) Is(a Generation) bool { return generations[g].mask>>a&1 != 0 }

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
