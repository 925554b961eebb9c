package target

import (
	"iter"
	"strconv"
)

// Version is an instruction set version: 9.0.10 for gfx90a. It is zero for the
// r600 architecture.
type Version struct {
	Major, Minor, Stepping uint8 // 9, 0, 10; the stepping is hexadecimal in names
}

// String returns the version in the form "9.0.10".
func (v Version) String() string {
	b := strconv.AppendUint(nil, uint64(v.Major), 10)
	b = strconv.AppendUint(append(b, '.'), uint64(v.Minor), 10)
	return string(strconv.AppendUint(append(b, '.'), uint64(v.Stepping), 10))
}

// appendName appends the processor name that corresponds to the version, such
// as "gfx90a". The stepping is hexadecimal.
func (v Version) appendName(b []byte) []byte {
	b = strconv.AppendUint(append(b, "gfx"...), uint64(v.Major), 10)
	b = strconv.AppendUint(b, uint64(v.Minor), 10)
	return strconv.AppendUint(b, uint64(v.Stepping), 16)
}

// Kind is the form in which a processor is built.
type Kind uint8

const (
	NoKind Kind = iota // a generic processor
	DGPU               // a discrete GPU
	APU                // a GPU in one package with CPU cores
)

var kindNames = [...]string{"", "dGPU", "APU"}

// String returns "dGPU" or "APU", "" for NoKind.
func (k Kind) String() string { return kindNames[k] }

// Processor is one row of the processor table. Processors are compared by
// pointer. Callers must not modify a Processor.
type Processor struct {
	Name    string     // LLVM's name, such as "gfx90a"
	Aliases []string   // other -mcpu names, such as "tahiti"
	Gen     Generation // generation
	Mach    uint8      // EF_AMDGPU_MACH number in e_flags of the ELF header, or 0
	Version Version    // instruction set version

	// Generic is the newest version (1 to 255) of a generic processor, whose
	// code runs on several processors. It is 0 for all others.
	Generic uint8
	// GenericName is the name of the generic processor whose code this one
	// runs, or "".
	GenericName string

	Kind     Kind     // form in which it is built
	Products []string // example products, from the user guides

	Default   FeatureSet // features that are on by default
	Supported FeatureSet // optional features that can be on or off
}

// Arch returns the architecture of the processor.
func (p *Processor) Arch() Arch {
	if p.Gen.Is(GFX6) {
		return AMDGCN
	}
	return R600Arch
}

// String returns the name of the processor.
func (p *Processor) String() string { return p.Name }

// Is reports whether the processor belongs to generation g or a descendant of
// it.
func (p *Processor) Is(g Generation) bool { return p.Gen.Is(g) }

// WaveSizes returns the wavefront sizes of the processor, the default first.
func (p *Processor) WaveSizes() []int {
	sizes := []int{(&Target{Features: p.Default}).WaveSize()}
	for f, n := range [...]int{FeatureWave32: 32, FeatureWave64: 64} {
		if n != 0 && n != sizes[0] && p.Supported.Has(Feature(f)) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// Processors returns all processors in the order of the user guides, from r600
// to the newest, followed by the generic ones. The caller must not modify the
// returned slice.
func Processors() []Processor { return processors[:] }

// Lookup returns the processor with a name or alternate name, or nil. Names are
// case-sensitive, as in LLVM.
func Lookup(name string) *Processor {
	for i := range processors {
		p := &processors[i]
		if p.Name == name {
			return p
		}
		for _, a := range p.Aliases {
			if a == name {
				return p
			}
		}
	}
	return nil
}

// LookupMach returns the processor with an EF_AMDGPU_MACH number, or nil.
func LookupMach(mach uint8) *Processor {
	for i := range processors {
		if processors[i].Mach == mach && mach != 0 {
			return &processors[i]
		}
	}
	return nil
}

// ParseProcessor returns the processor with a name or alternate name. The error
// for an unknown name suggests a similar name.
func ParseProcessor(name string) (*Processor, error) {
	return reader{"mcpu", name}.processor(0, len(name), NoArch)
}

// processor returns the processor named by text[off:end]. It must belong to the
// architecture arch unless arch is NoArch.
func (r reader) processor(off, end int, arch Arch) (*Processor, error) {
	name := r.text[off:end]
	p := Lookup(name)
	switch {
	case name == "":
		return nil, r.errorf(off, end, `expected a processor, such as "gfx900"`)
	case p == nil:
		return nil, r.errorf(off, end, "unknown processor %q%s", name, suggest(name, processorNames(arch)))
	case arch != NoArch && p.Arch() != arch:
		return nil, r.errorf(off, end, "processor %q is of architecture %s, not %s", name, p.Arch(), arch)
	}
	return p, nil
}

// processorNames iterates over the names and alternate names of the processors
// of an architecture, or of both for NoArch.
func processorNames(arch Arch) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range processors {
			p := &processors[i]
			if arch != NoArch && p.Arch() != arch {
				continue
			}
			if !yield(p.Name) {
				return
			}
			for _, a := range p.Aliases {
				if !yield(a) {
					return
				}
			}
		}
	}
}
