package target

// Target is a target ID with the features in effect. It describes the machine
// to an assembler, disassembler or compiler. Processor is never nil.
type Target struct {
	ID
	Features FeatureSet // features in effect
	COV      int        // code object version, 2 to 6
}

// Has reports whether a feature is in effect.
func (t *Target) Has(f Feature) bool { return t.Features.Has(f) }

// WaveSize returns the number of work-items in a wave: 16, 32 or 64.
func (t *Target) WaveSize() int {
	switch {
	case t.Features.Has(FeatureWave64):
		return 64
	case t.Features.Has(FeatureWave32):
		return 32
	}
	return 16
}

// New returns the target for a triple, a processor and a list of features.
//
// The triple is LLVM's -triple ("" for "amdgcn-amd-amdhsa"). The processor is
// LLVM's -mcpu, a name or alternate name, optionally with the settings of a
// target ID ("gfx90a:xnack+"). If it is "", New uses LLVM's default processor
// for the triple, which has no ELF machine number.
//
// The features are LLVM's -mattr: names prefixed with + or - and separated by
// commas. The + is optional, and the last entry for a feature wins. Features
// that LLVM 22 accepts and this package does not track are ignored. Enabling a
// feature that the processor lacks is an error; disabling it is not. Errors are
// of type *Error.
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

// Target returns the target for an ID that names a processor, with features as
// in [New].
func (id ID) Target(mattr string) (*Target, error) {
	if id.Processor == nil {
		return nil, reader{"mcpu", ""}.errorf(0, 0, "target ID %s names no processor", id)
	}
	t := &Target{ID: id, Features: id.Processor.Default, COV: DefaultCOV}
	for _, f := range idFeatures {
		t.Features = t.Features.withSetting(f.feature, *f.setting(&id))
	}
	return t, t.applyAttributes(mattr)
}

// withSetting returns the set with f added if the setting is On, and removed if
// it is Off.
func (s FeatureSet) withSetting(f Feature, to Setting) FeatureSet {
	switch to {
	case On:
		return s.With(f)
	case Off:
		return s.Without(f)
	}
	return s
}
