package isa

// expTargets lists the targets of exp: a name that is followed by an index when
// there is more than one. The sets have them all; every set has those whose
// index is below common.
// Source: LLVM, AMDGPUBaseInfo.cpp, namespace Exp.
var expTargets = [...]struct {
	name   string
	first  uint32
	count  uint32
	sets   SetMask
	common uint32
}{
	{"mrt", 0, 8, onAll, 0},
	{"mrtz", 8, 1, onAll, 0},
	{"null", 9, 1, onBeforeGFX11, 0},
	{"pos", 12, 5, SinceGFX1010, 4},
	{"prim", 20, 1, SinceGFX1010, 0},
	{"dual_src_blend", 21, 2, SinceGFX1100, 0},
	{"param", 32, 32, onBeforeGFX11, 0},
}

// ExpTargetByName returns the number of an export target such as mrt0 or null.
func ExpTargetByName(s Set, name []byte) (v uint32, st Status) {
	for i := range expTargets {
		t := &expTargets[i]
		rest, ok := cut(name, t.name)
		if !ok {
			continue
		}
		n := uint32(0)
		if t.count > 1 {
			if n, ok = parseDec(rest, t.count-1); !ok || len(rest) > 1 && rest[0] == '0' {
				continue
			}
		} else if len(rest) != 0 {
			continue
		}
		if n >= t.common && !t.sets.Has(s) {
			return 0, NotSupported
		}
		return t.first + n, Found
	}
	return 0, Unknown
}

// AppendExpTarget appends the name of a target (6 bits), or invalid_target_10.
func AppendExpTarget(dst []byte, s Set, v uint32) []byte {
	v &= 63
	for i := range expTargets {
		t := &expTargets[i]
		if v < t.first || v >= t.first+t.count {
			continue
		}
		n := v - t.first
		if n >= t.common && !t.sets.Has(s) {
			break
		}
		dst = append(dst, t.name...)
		if t.count > 1 {
			dst = appendDec(dst, n)
		}
		return dst
	}
	return appendDec(append(dst, "invalid_target_"...), v)
}

// interpSlots lists the slots of v_interp_mov_f32 by value.
var interpSlots = []string{"p10", "p20", "p0"}

// InterpSlotByName returns the value of p10, p20 or p0.
func InterpSlotByName(name []byte) (v uint32, st Status) { return indexOf(interpSlots, name) }

// AppendInterpSlot appends p10, p20, p0 or invalid_param_3.
func AppendInterpSlot(dst []byte, v uint32) []byte {
	if v < uint32(len(interpSlots)) {
		return append(dst, interpSlots[v]...)
	}
	return appendDec(append(dst, "invalid_param_"...), v)
}

const interpChannels = "xyzw"

// InterpAttrByName takes attr12.x apart: the attribute (0 to 32, as LLVM's
// assembler has it) and the channel (0 to 3).
func InterpAttrByName(name []byte) (attr, channel uint32, problem string) {
	num, ok := cut(name, "attr")
	if !ok {
		return 0, 0, "invalid interpolation attribute"
	}
	dot := len(num) - 2
	ch := -1
	if dot >= 0 && num[dot] == '.' {
		for i := range interpChannels {
			if interpChannels[i] == num[dot+1] {
				ch = i
			}
		}
	}
	if ch < 0 {
		return 0, 0, "invalid or missing interpolation attribute channel"
	}
	attr, ok = parseDec(num[:dot], 255)
	switch {
	case !ok:
		return 0, 0, "invalid or missing interpolation attribute number"
	case attr > 32:
		return 0, 0, "out of bounds interpolation attribute number"
	}
	return attr, uint32(ch), ""
}

// AppendInterpAttr appends attr12.x.
func AppendInterpAttr(dst []byte, attr, channel uint32) []byte {
	dst = appendDec(append(dst, "attr"...), attr)
	return append(dst, '.', interpChannels[channel&3])
}
