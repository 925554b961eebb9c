package target

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Setting is the state of a feature in a target ID.
type Setting uint8

const (
	Unsupported Setting = iota // the processor does not have the feature
	Any                        // the code runs whether the feature is on or off
	Off                        // the code requires that the feature is off
	On                         // the code requires that the feature is on
)

var settingNames = [...]string{"unsupported", "any", "off", "on"}

// String returns "unsupported", "any", "off" or "on".
func (s Setting) String() string { return settingNames[s] }

// OnOrAny reports whether code with this setting must work with the feature on.
func (s Setting) OnOrAny() bool { return s == On || s == Any }

// ID is a target ID: the target that code is compiled for, which determines the
// devices that can run it.
//
// Code object versions format IDs differently. V4 and later distinguish three
// states and omit a feature that is Any:
// "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-". V3 distinguishes two states and
// omits a feature that is Off; Any counts as On:
// "amdgcn-amd-amdhsa--gfx906+xnack+sram-ecc". V2 has separate names for
// processors with XNACK: "amdgcn-amd-amdhsa--gfx901" is gfx900 with XNACK.
type ID struct {
	Triple         Triple     // architecture, vendor and operating system
	Processor      *Processor // nil if none is named
	XNACK, SRAMECC Setting    // replay of faulting memory instructions, and ECC of on-chip memory
}

// Code object versions.
const (
	MinCOV     = 2
	MaxCOV     = 6
	DefaultCOV = 6 // LLVM 22's default
)

// NewID returns the target ID of code that runs on a processor with any
// settings of its features.
func NewID(t Triple, p *Processor) ID {
	id := ID{Triple: t, Processor: p}
	for _, f := range idFeatures {
		if p != nil && p.Default.Has(f.support) {
			*f.setting(&id) = Any
		}
	}
	return id
}

// idFeature describes a feature that is part of target IDs.
type idFeature struct {
	feature, support Feature
	v3name           string
	setting          func(*ID) *Setting
}

// idFeatures lists the features in V4's canonical order, by name. V3 uses the
// reverse.
var idFeatures = [...]idFeature{
	{FeatureSRAMECC, FeatureSRAMECCSupport, "sram-ecc", func(id *ID) *Setting { return &id.SRAMECC }},
	{FeatureXNACK, FeatureXNACKSupport, "xnack", func(id *ID) *Setting { return &id.XNACK }},
}

// String returns the target ID in the canonical form of code objects V4 and
// later.
func (id ID) String() string {
	return string(id.appendSettings(id.appendName(id.appendTriple(nil))))
}

// appendName appends the name of the processor. A processor that only
// represents an instruction set version is named after the version, as in LLVM.
func (id ID) appendName(b []byte) []byte {
	p := id.Processor
	switch {
	case p == nil:
		return b
	case p.Mach == 0:
		return p.Version.appendName(b)
	}
	return append(b, p.Name...)
}

// appendSettings appends only the settings, as in ":sramecc+:xnack-".
func (id ID) appendSettings(b []byte) []byte {
	if id.Triple.OS != AMDHSA {
		return b
	}
	for _, f := range idFeatures {
		switch *f.setting(&id) {
		case On:
			b = append(append(append(b, ':'), f.feature.String()...), '+')
		case Off:
			b = append(append(append(b, ':'), f.feature.String()...), '-')
		}
	}
	return b
}

func (id ID) appendTriple(b []byte) []byte {
	for _, part := range id.Triple.parts() {
		b = append(append(b, part...), '-')
	}
	return b
}

// Format returns the target ID in the form of code object version cov (2 to 6).
// It returns an error if the version cannot express the ID: V2 supports only
// processors up to gfx906.
func (id ID) Format(cov int) (string, error) {
	switch {
	case cov < MinCOV || cov > MaxCOV:
		return "", covError(cov)
	case cov >= 4:
		return id.String(), nil
	case cov == 2:
		name, err := id.v2Name()
		return string(id.appendTriple(nil)) + name, err
	}
	b := id.appendName(id.appendTriple(nil))
	if id.Triple.OS != AMDHSA {
		return string(b), nil
	}
	for i := len(idFeatures) - 1; i >= 0; i-- {
		if f := &idFeatures[i]; f.setting(&id).OnOrAny() {
			b = append(append(b, '+'), f.v3name...)
		}
	}
	return string(b), nil
}

func covError(cov int) error {
	return fmt.Errorf("code object version %d: expected %d to %d", cov, MinCOV, MaxCOV)
}

// ParseID parses a target ID in the form of code object version cov (2 to 6):
// "<arch>-<vendor>-<os>-<environment>-<processor><features>". The features may
// be in any order, and the processor may have its alternate name.
func ParseID(text string, cov int) (ID, error) {
	r := reader{"target ID", text}
	if cov < MinCOV || cov > MaxCOV {
		return ID{}, covError(cov)
	}
	t, off, err := r.idTriple()
	if err != nil {
		return ID{}, err
	}
	end := off + strings.IndexAny(text[off:]+":", ":+")
	if cov == 2 {
		return r.idV2(t, off, len(text))
	}
	p, err := r.processor(off, end, t.Arch)
	if err != nil {
		return ID{}, err
	}
	if p.Mach == 0 {
		return ID{}, r.errorf(off, end, "processor %q names no hardware: expected one such as \"gfx900\"", p.Name)
	}
	id := NewID(t, p)
	if end < len(text) && t.OS != AMDHSA {
		return id, r.errorf(end, len(text), "%q: only target IDs for amdhsa have feature settings", text[end:])
	}
	if cov == 3 {
		return id, r.settingsV3(&id, end)
	}
	return id, r.settings(&id, end)
}

// ParseProcessorID parses a processor with V4 settings, as in "gfx90a:xnack+",
// and returns the target ID for the triple t. This is the form of clang's
// --offload-arch. The processor may have its alternate name.
func ParseProcessorID(t Triple, text string) (ID, error) {
	r := reader{"mcpu", text}
	end := strings.IndexByte(text+":", ':')
	p, err := r.processor(0, end, t.Arch)
	if err != nil {
		return ID{}, err
	}
	id := NewID(t, p)
	return id, r.settings(&id, end)
}

// idTriple parses the four components before the processor, and returns the
// offset of the processor.
func (r reader) idTriple() (Triple, int, error) {
	var parts [numParts]string
	rest := r.text
	for i := range parts {
		part, after, ok := strings.Cut(rest, "-")
		if !ok {
			return Triple{}, 0, r.missingParts(i + 1)
		}
		parts[i], rest = part, after
	}
	if !isArch(parts[archPart]) {
		return Triple{}, 0, r.unknownArch()
	}
	t, err := r.triple(parts[:])
	return t, len(r.text) - len(rest), err
}

func (r reader) missingParts(n int) error {
	hint := ""
	i := strings.LastIndexByte(r.text, '-')
	if name, _, _ := strings.Cut(r.text[i+1:], ":"); n == numParts && Lookup(name) != nil {
		hint = fmt.Sprintf("; the environment may be empty: %q", r.text[:i]+"-"+r.text[i:])
	}
	return r.errorf(0, len(r.text), "target ID has %d of %d parts: expected <arch>-<vendor>-<os>-<environment>-<processor>%s",
		n, numParts+1, hint)
}

// settings parses settings such as ":sramecc+:xnack-" from off to the end.
func (r reader) settings(id *ID, off int) error {
	var seen FeatureSet
	for off < len(r.text) {
		if r.text[off] == '+' {
			return r.errorf(off, len(r.text), "%q is the form of code object V3: expected \":<feature>+\" or \":<feature>-\"", r.text[off:])
		}
		off++
		end := off + strings.IndexByte(r.text[off:]+":", ':')
		name := r.text[off:end]
		bare := strings.TrimRight(name, "+-")
		if len(bare) != len(name)-1 {
			return r.errorf(off, end, "expected a feature and one sign, such as \"xnack+\" or \"xnack-\", not %q", name)
		}
		setting := Off
		if name[len(bare)] == '+' {
			setting = On
		}
		if err := r.setFeature(id, &seen, off, end-1, setting); err != nil {
			return err
		}
		off = end
	}
	return nil
}

// settingsV3 parses settings such as "+xnack+sram-ecc" from off to the end.
func (r reader) settingsV3(id *ID, off int) error {
	if id.Triple.OS == AMDHSA {
		id.settleAny(Off)
	}
	var seen FeatureSet
	for off < len(r.text) {
		if r.text[off] == ':' {
			return r.errorf(off, len(r.text), "%q is the form of code objects V4 and later: expected \"+<feature>\"", r.text[off:])
		}
		off++
		end := off + strings.IndexAny(r.text[off:]+"+", ":+")
		if err := r.setFeature(id, &seen, off, end, On); err != nil {
			return err
		}
		off = end
	}
	return nil
}

// settleAny replaces settings that are Any.
func (id *ID) settleAny(to Setting) {
	for _, f := range idFeatures {
		if s := f.setting(id); *s == Any {
			*s = to
		}
	}
}

// setFeature changes the setting of the feature named by text[off:end].
func (r reader) setFeature(id *ID, seen *FeatureSet, off, end int, s Setting) error {
	name := r.text[off:end]
	f, known := LookupFeature(name)
	i := slices.IndexFunc(idFeatures[:], func(x idFeature) bool { return x.feature == f })
	switch {
	case !known && slices.Contains(otherFeatures[:], name), known && i < 0:
		return r.errorf(off, end, "feature %q is not part of a target ID: expected \"sramecc\" or \"xnack\"", name)
	case !known:
		return r.errorf(off, end, "unknown feature %q%s", name,
			cmp.Or(suggest(name, values([]string{"sramecc", "xnack"})), `; expected "sramecc" or "xnack"`))
	case seen.Has(f):
		return r.errorf(off, end, "duplicate feature %q", name)
	}
	setting := idFeatures[i].setting(id)
	if *setting == Unsupported {
		return r.errorf(off, end, "processor %s does not support %s", id.Processor.Name, f)
	}
	*seen = seen.With(f)
	*setting = s
	return nil
}

// Runs returns nil if code compiled for id runs on a device with the ID dev,
// whose features are On or Off. Otherwise the error reports the mismatch, a
// different processor or setting. Code for a generic processor runs on the
// processors whose GenericName is its name.
func (id ID) Runs(dev ID) error {
	switch {
	case id.Processor == nil || dev.Processor == nil:
		return fmt.Errorf("target ID %s or %s names no processor", id, dev)
	case id.Processor != dev.Processor && id.Processor.Name != dev.Processor.GenericName:
		return fmt.Errorf("code for %s does not run on %s", id.Processor.Name, dev.Processor.Name)
	}
	for _, f := range idFeatures {
		code, has := *f.setting(&id), *f.setting(&dev)
		if (code == On || code == Off) && code != has {
			return fmt.Errorf("code that needs %s %s does not run where it is %s", f.feature, code, has)
		}
	}
	return nil
}
