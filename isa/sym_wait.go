package isa

// WaitCounter is a counter of s_waitcnt.
type WaitCounter uint8

// Counters of s_waitcnt: vector memory, exports and GDS, and LDS, GDS, scalar
// memory and messages.
const (
	VMCnt WaitCounter = iota
	ExpCnt
	LGKMCnt
	numWaitCounters = iota
)

var waitNames = [numWaitCounters]string{VMCnt: "vmcnt", ExpCnt: "expcnt", LGKMCnt: "lgkmcnt"}

// waitField is the place of a counter in simm16: width bits at shift, and its
// higher bits, if any, hiWidth bits at hiShift.
type waitField struct{ shift, width, hiShift, hiWidth uint8 }

// waitLayouts holds the fields of s_waitcnt, the first row
// that has the set applies. Source: LLVM, AMDGPUBaseInfo.cpp, getVmcntBitShiftLo and after.
var waitLayouts = [...]struct {
	sets   SetMask
	fields [numWaitCounters]waitField
}{
	{SinceGFX1100, [...]waitField{VMCnt: {10, 6, 0, 0}, ExpCnt: {0, 3, 0, 0}, LGKMCnt: {4, 6, 0, 0}}},
	{SinceGFX1010, [...]waitField{VMCnt: {0, 4, 14, 2}, ExpCnt: {4, 3, 0, 0}, LGKMCnt: {8, 6, 0, 0}}},
	{SinceGFX900, [...]waitField{VMCnt: {0, 4, 14, 2}, ExpCnt: {4, 3, 0, 0}, LGKMCnt: {8, 4, 0, 0}}},
	{SinceGFX600, [...]waitField{VMCnt: {0, 4, 0, 0}, ExpCnt: {4, 3, 0, 0}, LGKMCnt: {8, 4, 0, 0}}},
}

func waitLayout(s Set) *[numWaitCounters]waitField {
	for i := range waitLayouts {
		if waitLayouts[i].sets.Has(s) {
			return &waitLayouts[i].fields
		}
	}
	panic("BUG: no s_waitcnt layout for " + s.String())
}

func (f *waitField) max() uint32 { return 1<<(f.width+f.hiWidth) - 1 }

func (f *waitField) extract(v uint32) uint32 {
	return v>>f.shift&(1<<f.width-1) | v>>f.hiShift&(1<<f.hiWidth-1)<<f.width
}

func (f *waitField) with(v, count uint32) uint32 {
	lo, hi := uint32(1<<f.width-1), uint32(1<<f.hiWidth-1)
	v = v&^(lo<<f.shift) | count&lo<<f.shift
	return v&^(hi<<f.hiShift) | count>>f.width&hi<<f.hiShift
}

// WaitcntByName looks up a counter. sat reports that the name ends in _sat: a
// count that is too large becomes the largest one.
func WaitcntByName(name []byte) (c WaitCounter, sat bool, st Status) {
	for i, n := range waitNames {
		if rest, ok := cut(name, n); ok {
			if len(rest) == 0 || string(rest) == "_sat" {
				return WaitCounter(i), len(rest) != 0, Found
			}
		}
	}
	return 0, false, Unknown
}

// WaitcntMax returns the largest count, which means not to wait.
func WaitcntMax(s Set, c WaitCounter) uint32 { return waitLayout(s)[c].max() }

// WaitcntDefault returns the operand that waits for nothing: all counters at
// their largest, the unused bits 0. s_waitcnt with counters starts from it.
func WaitcntDefault(s Set) uint32 {
	v, l := uint32(0), waitLayout(s)
	for c := range l {
		v = l[c].with(v, l[c].max())
	}
	return v
}

// EncodeWaitcnt sets a counter in an operand. Without sat, BadValue means that
// the count is too large or negative.
func EncodeWaitcnt(s Set, v uint32, c WaitCounter, count int64, sat bool) (uint32, Status) {
	f := &waitLayout(s)[c]
	if count < 0 || count > int64(f.max()) {
		if !sat {
			return v, BadValue
		}
		count = int64(f.max())
	}
	return f.with(v, uint32(count)), Found
}

// DecodeWaitcnt returns a counter's value in an operand.
func DecodeWaitcnt(s Set, v uint32, c WaitCounter) uint32 { return waitLayout(s)[c].extract(v) }

// AppendWaitcnt appends vmcnt(0) expcnt(0) lgkmcnt(0), without the counters
// that do not wait; with all of them when none waits. Unused bits are ignored.
func AppendWaitcnt(dst []byte, s Set, v uint32) []byte {
	l := waitLayout(s)
	all := true
	for c := range l {
		all = all && l[c].extract(v) == l[c].max()
	}
	sep := false
	for c := range l {
		count := l[c].extract(v)
		if count == l[c].max() && !all {
			continue
		}
		if sep {
			dst = append(dst, ' ')
		}
		sep = true
		dst = append(append(dst, waitNames[c]...), '(')
		dst = append(appendDec(dst, count), ')')
	}
	return dst
}

// depCtrFields lists the fields of s_waitcnt_depctr (s_wait_alu from gfx12 on)
// in the order of the text. A field's default, not to wait, is its largest
// value. Source: LLVM, AMDGPUAsmUtils.cpp, namespace DepCtr.
var depCtrFields = [...]struct {
	name         string
	shift, width uint8
	sets         SetMask
}{
	{"depctr_hold_cnt", 7, 1, SinceGFX1030},
	{"depctr_sa_sdst", 0, 1, onAll},
	{"depctr_va_vdst", 12, 4, onAll},
	{"depctr_va_sdst", 9, 3, onAll},
	{"depctr_va_ssrc", 8, 1, onAll},
	{"depctr_va_vcc", 1, 1, onAll},
	{"depctr_vm_vsrc", 2, 3, onAll},
}

// DepCtrDefault returns the operand in which no field waits; unused bits are 0.
func DepCtrDefault(s Set) uint32 {
	v := uint32(0)
	for i := range depCtrFields {
		if f := &depCtrFields[i]; f.sets.Has(s) {
			v |= (1<<f.width - 1) << f.shift
		}
	}
	return v
}

// EncodeDepCtr sets a field of an operand that began as DepCtrDefault. used
// holds the bits of the fields given so far. The status is Found, Unknown,
// NotSupported, Duplicate or BadValue.
func EncodeDepCtr(s Set, v uint32, name []byte, count int64, used *uint32) (uint32, Status) {
	for i := range depCtrFields {
		f := &depCtrFields[i]
		if string(name) != f.name {
			continue
		}
		mask := uint32(1<<f.width-1) << f.shift
		switch {
		case !f.sets.Has(s):
			return v, NotSupported
		case *used&mask != 0:
			return v, Duplicate
		case count < 0 || count > 1<<f.width-1:
			return v, BadValue
		}
		*used |= mask
		return v&^mask | uint32(count)<<f.shift, Found
	}
	return v, Unknown
}

// AppendDepCtr appends the fields that wait, all of them when none waits; a
// value with unused bits set is a hexadecimal number.
func AppendDepCtr(dst []byte, s Set, v uint32) []byte {
	def := DepCtrDefault(s)
	if v&^def != 0 {
		return appendHex(dst, v)
	}
	sep := false
	for i := range depCtrFields {
		f := &depCtrFields[i]
		mask := uint32(1<<f.width - 1)
		if !f.sets.Has(s) || v>>f.shift&mask == mask && v != def {
			continue
		}
		if sep {
			dst = append(dst, ' ')
		}
		sep = true
		dst = append(append(dst, f.name...), '(')
		dst = append(appendDec(dst, v>>f.shift&mask), ')')
	}
	return dst
}

// DelayField is a field of s_delay_alu.
type DelayField uint8

var (
	delayInstIDs = []string{
		"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4",
		"TRANS32_DEP_1", "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1",
		"SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3",
	}
	delaySkips = []string{"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"}

	// delayFields lists the fields in the order of the text.
	// Source: LLVM, AMDGPUInstPrinter.cpp, printSDelayALU.
	delayFields = [...]struct {
		name         string
		shift, width uint8
		values       *[]string
		bad          string
	}{
		{"instid0", 0, 4, &delayInstIDs, "/* invalid instid value */"},
		{"instskip", 4, 3, &delaySkips, "/* invalid instskip value */"},
		{"instid1", 7, 4, &delayInstIDs, "/* invalid instid value */"},
	}
)

// DelayFieldByName looks up instid0, instskip or instid1.
func DelayFieldByName(name []byte) (DelayField, Status) {
	for i := range delayFields {
		if string(name) == delayFields[i].name {
			return DelayField(i), Found
		}
	}
	return 0, Unknown
}

// DelayValueByName returns a field's value, shifted to its place in simm16; the
// operand is the bitwise or of its fields.
func DelayValueByName(f DelayField, name []byte) (uint32, Status) {
	v, st := indexOf(*delayFields[f].values, name)
	return v << delayFields[f].shift, st
}

// AppendDelayALU appends instid0(VALU_DEP_1) | instskip(NEXT) | …, without the
// fields that are 0; 0 when all are. Unused bits are ignored.
func AppendDelayALU(dst []byte, v uint32) []byte {
	start := len(dst)
	for i := range delayFields {
		f := &delayFields[i]
		n := v >> f.shift & (1<<f.width - 1)
		if n == 0 {
			continue
		}
		if len(dst) != start {
			dst = append(dst, " | "...)
		}
		dst = append(append(dst, f.name...), '(')
		if int(n) < len(*f.values) {
			dst = append(dst, (*f.values)[n]...)
		} else {
			dst = append(dst, f.bad...)
		}
		dst = append(dst, ')')
	}
	if len(dst) == start {
		dst = append(dst, '0')
	}
	return dst
}

// gprIdxNames lists the modes of s_set_gpr_idx_on and s_set_gpr_idx_mode by bit.
var gprIdxNames = []string{"SRC0", "SRC1", "SRC2", "DST"}

// GprIdxByName returns a mode's bit; LLVM refuses one that is given twice.
func GprIdxByName(name []byte) (bit uint32, st Status) {
	i, st := indexOf(gprIdxNames, name)
	return 1 << i, st
}

// AppendGprIdx appends gpr_idx(SRC0,DST), or a hexadecimal number when bits
// without name are set.
func AppendGprIdx(dst []byte, v uint32) []byte {
	if v > 15 {
		return appendHex(dst, v)
	}
	dst = append(dst, "gpr_idx("...)
	sep := false
	for i, n := range gprIdxNames {
		if v>>i&1 == 0 {
			continue
		}
		if sep {
			dst = append(dst, ',')
		}
		sep = true
		dst = append(dst, n...)
	}
	return append(dst, ')')
}

// Bits of the operand of s_version: the version in bits 7:0 and three flags.
// The assembler defines the names as symbols of these values.
// Source: LLVM, AMDGPUAsmUtils.cpp, namespace UCVersion.
var (
	versionNames = []symRow{
		{"UC_VERSION_GFX7", 0, onAll},
		{"UC_VERSION_GFX10", 4, onAll},
		{"UC_VERSION_GFX11", 6, onAll},
		{"UC_VERSION_GFX12", 9, onAll},
	}
	versionFlags = []symRow{
		{"UC_VERSION_W64_BIT", 0x2000, onAll},
		{"UC_VERSION_W32_BIT", 0x4000, onAll},
		{"UC_VERSION_MDP_BIT", 0x8000, onAll},
	}
)

// VersionByName returns the value of a symbol of s_version's operand.
func VersionByName(name []byte) (v uint32, st Status) {
	if v, st = symByName(versionNames, GFX1010, name); st == Found {
		return v, st
	}
	return symByName(versionFlags, GFX1010, name)
}

// AppendVersion appends the operand of s_version as the disassembler prints it:
// (UC_VERSION_GFX11|UC_VERSION_W64_BIT)|UC_VERSION_W32_BIT, a version without
// name as a decimal number, and a value with unused bits in hexadecimal.
func AppendVersion(dst []byte, v uint32) []byte {
	flags := 0
	for i := range versionFlags {
		if v&versionFlags[i].value != 0 {
			flags++
		}
	}
	if v&0x1f00 != 0 {
		return appendHex(dst, v)
	}
	for i := 1; i < flags; i++ {
		dst = append(dst, '(')
	}
	if name := symName(versionNames, GFX1010, v&0xff); name != "" {
		dst = append(dst, name...)
	} else {
		dst = appendDec(dst, v&0xff)
	}
	for i := range versionFlags {
		if v&versionFlags[i].value == 0 {
			continue
		}
		dst = append(append(dst, '|'), versionFlags[i].name...)
		if flags--; flags > 0 {
			dst = append(dst, ')')
		}
	}
	return dst
}
