package target

import (
	"iter"
	"slices"
	"strings"
)

// features holds the state of applying a feature list.
type features struct {
	reader
	t     *Target
	waves FeatureSet // requested wavefront sizes
}

// applyAttributes applies an -mattr list to the target.
func (t *Target) applyAttributes(mattr string) error {
	f := features{reader: reader{"mattr", mattr}, t: t}
	for off := 0; off <= len(mattr); {
		end := off + strings.IndexByte(mattr[off:]+",", ',')
		if err := f.item(off, end); err != nil {
			return err
		}
		off = end + 1
	}
	f.chooseWave()
	return nil
}

// item applies the item text[off:end], such as "+xnack".
func (f *features) item(off, end int) error {
	for off < end && f.text[off] == ' ' {
		off++
	}
	item := strings.ToLower(strings.TrimRight(f.text[off:end], " "))
	name := strings.TrimLeft(item, "+-")
	sign := item[:len(item)-len(name)]
	switch {
	case item == "":
		return nil
	case len(sign) > 1 || name == "":
		return f.errorf(off, end, "expected a feature with one sign, such as \"+xnack\", not %q", f.text[off:end])
	}
	feature, known := LookupFeature(name)
	switch {
	case known:
		return f.setFeature(feature, sign != "-", off, end)
	case name == "code-object-v3": // LLVM 7 to 10 used this name to choose between versions 2 and 3
		f.t.COV = 3
		if sign == "-" {
			f.t.COV = 2
		}
		return nil
	case slices.Contains(otherFeatures[:], name):
		return nil
	}
	return f.errorf(off, end, "unknown feature %q%s", name, suggest(name, allFeatureNames))
}

// setFeature enables or disables a feature.
func (f *features) setFeature(x Feature, on bool, off, end int) error {
	p := f.t.Processor
	if optionalFeatures.Has(x) && !p.Supported.Has(x) {
		switch {
		case on && !p.Default.Has(x):
			return f.errorf(off, end, "processor %s does not support %s", p.Name, x)
		case !on && p.Default.Has(x) && !waveFeatures.Has(x):
			return f.errorf(off, end, "processor %s requires %s", p.Name, x)
		}
		return nil
	}
	to := Off
	if on {
		to = On
	}
	if waveFeatures.Has(x) {
		f.waves = f.waves.withSetting(x, to)
		return nil
	}
	f.t.Features = f.t.Features.withSetting(x, to)
	for _, idf := range idFeatures {
		if idf.feature == x {
			*idf.setting(&f.t.ID) = to
		}
	}
	return nil
}

// chooseWave selects the wavefront size: the requested one or, if both are
// requested, the default one with the assembler forms of both.
func (f *features) chooseWave() {
	switch f.waves.Len() {
	case 1:
		f.t.Features = f.t.Features&^waveFeatures | f.waves
	case 2:
		f.t.Features = f.t.Features.With(FeaturePermissiveWaveSize)
	}
}

// allFeatureNames iterates over the names that -mattr accepts.
var allFeatureNames iter.Seq[string] = func(yield func(string) bool) {
	for _, names := range [...][]string{featureNames[:], otherFeatures[:]} {
		for _, n := range names {
			if !yield(n) {
				return
			}
		}
	}
}
