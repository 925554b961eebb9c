package link

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/target"
)

// Fields of e_flags of code objects V4 and later.
const (
	efMach     = 0xff
	efXNACK    = 0x300
	efSRAMECC  = 0xc00
	efGeneric  = 0xff000000
	abiV4      = 2 // e_ident[EI_ABIVERSION]
	abiV6      = 4
	anyXNACK   = 0x100
	anySRAMECC = 0x400
)

// checkHeaders checks that the objects are compatible: the same operating
// system, ABI version and processor, and no conflicting features. It merges
// their e_flags into the e_flags of the first object.
//
// Source: User Guide for AMDGPU Backend, "Header" (e_flags of V3, V4 and V6).
func (l *linker) checkHeaders() {
	first := l.objs[0]
	merged := first.flags
	setter := map[uint32]*file{} // object that set each feature
	for _, f := range l.objs[1:] {
		mismatch := func(what string, with *file, a, b any) {
			l.errs.errorf("the objects are for different %s: %s has %v, %s has %v", what, with.name, a, f.name, b)
		}
		switch {
		case f.osABI != first.osABI:
			mismatch("operating systems (ELF OS ABI)", first, first.osABI, f.osABI)
		case f.abiVersion != first.abiVersion:
			mismatch("code object versions (ELF ABI version)", first, first.abiVersion, f.abiVersion)
		case f.flags&efMach != merged&efMach:
			mismatch("processors", first, machName(first.flags), machName(f.flags))
		case first.abiVersion < abiV4 || first.abiVersion > abiV6:
			if f.flags != merged {
				mismatch("features (e_flags)", first, hex(first.flags), hex(f.flags))
			}
		case first.abiVersion == abiV6 && f.flags&efGeneric != merged&efGeneric:
			mismatch("generic versions", first, first.flags>>24, f.flags>>24)
		default:
			for _, feature := range features {
				with, ok := mergeFeature(&merged, f, feature.mask, feature.any, setter)
				if with == nil {
					with = first
				}
				if !ok {
					mismatch(feature.name+" settings", with, feature.setting(with.flags), feature.setting(f.flags))
				}
			}
		}
	}
	first.flags = merged
}

// feature is a two-bit field of e_flags: 0 unsupported, 1 any, 2 off, 3 on.
type feature struct {
	name      string
	mask, any uint32
}

var features = [...]feature{{"xnack", efXNACK, anyXNACK}, {"sramecc", efSRAMECC, anySRAMECC}}

func (f feature) setting(flags uint32) string {
	return [...]string{"unsupported", "any", "off", "on"}[flags&f.mask/f.any]
}

// mergeFeature merges one field; "on" and "off" override "any". It returns the
// object that set the feature before, nil for the first.
func mergeFeature(merged *uint32, f *file, mask, unset uint32, setter map[uint32]*file) (*file, bool) {
	have, other := *merged&mask, f.flags&mask
	switch {
	case have == other:
	case have == 0 || other == 0 || have != unset && other != unset:
		return setter[mask], false
	case have == unset:
		*merged = *merged&^mask | other
		setter[mask] = f
	}
	return setter[mask], true
}

func hex(v uint32) string { return fmt.Sprintf("%#x", v) }

// machName returns the processor name for e_flags.
func machName(flags uint32) string {
	if p := target.LookupMach(uint8(flags & efMach)); p != nil {
		return p.Name
	}
	return fmt.Sprintf("the unknown machine %#x", flags&efMach)
}
