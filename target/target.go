package target

// Target is a target ID with the features in effect: all that an assembler, a
// disassembler or a compiler needs to know about the machine. Processor is
// never nil.
type Target struct {
	ID
	Features FeatureSet
	COV      int // code object version, 2 to 6
}

// Has reports whether a feature is in effect.
func (t *Target) Has(f Feature) bool { return t.Features.Has(f) }

// WaveSize gives the number of work-items in a wave: 16, 32 or 64.
func (t *Target) WaveSize() int {
	switch {
	case t.Features.Has(FeatureWave64):
		return 64
	case t.Features.Has(FeatureWave32):
		return 32
	}
	return 16
}

// New gives the target for a triple, a processor and a list of features.
//
// The triple is LLVM's -triple ("" for "amdgcn-amd-amdhsa"). The processor is
// LLVM's -mcpu, a name or alternate name, with the settings of a target ID if
// wanted ("gfx90a:xnack+"); "" is the processor that LLVM takes for the triple,
// one without an ELF machine number. The features are LLVM's -mattr: names
// with + or - before them (+ may be left out), separated by commas, the last
// of several for one feature standing. Features that LLVM 22 knows and this
// package does not track are accepted; switching on what the processor lacks
// is an error, switching it off is none. Errors are of type *Error.
func New(triple, cpu, mattr string) (*Target, error) {
	t := HSA
	if triple != "" {
		var err error
		if t, err = ParseTriple(triple); err != nil {
			return nil, err
		}
	}
	if cpu == "" {
		cpu = defaultProcessor(t)
	}
	id, err := ParseProcessorID(t, cpu)
	if err != nil {
		return nil, err
	}
	return id.Target(mattr)
}

func defaultProcessor(t Triple) string {
	switch {
	case t.Arch == R600Arch:
		return "r600"
	case t.OS == AMDHSA:
		return "generic-hsa"
	}
	return "generic"
}

// Target gives the target for an ID that names a processor, with features as
// New takes them.
func (id ID) Target(mattr string) (*Target, error) {
	if id.Processor == nil {
		return nil, reader{"mcpu", ""}.errorf(0, 0, "target ID %s names no processor", id)
	}
	t := &Target{ID: id, Features: id.Processor.Default, COV: DefaultCOV}
	for _, f := range idFeatures {
		t.Features = t.Features.put(f.feature, *f.setting(&id))
	}
	return t, t.apply(mattr)
}

// put gives the set with f when the setting is On, without it when it is Off.
func (s FeatureSet) put(f Feature, to Setting) FeatureSet {
	switch to {
	case On:
		return s.With(f)
	case Off:
		return s.Without(f)
	}
	return s
}
