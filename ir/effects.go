package ir

import (
	"errors"
	"strings"
)

// MemoryEffects is the value of the attribute memory in LLVM's encoding: two
// bits (1 read, 2 write) for each location.
type MemoryEffects uint16

// Locations of MemoryEffects. The bits of location i start at bit 2*i.
const (
	ArgMem = iota
	InaccessibleMem
	ErrnoMem
	OtherMem // all other memory
	TargetMem0
	TargetMem1

	numMemLocations
)

// Effects on all locations.
const (
	MemoryNone  MemoryEffects = 0
	MemoryRead  MemoryEffects = 0x555
	MemoryWrite MemoryEffects = 0xaaa
	MemoryAny   MemoryEffects = 0xfff
)

var memLocationNames = [numMemLocations]string{"argmem", "inaccessiblemem", "errnomem", "", "target_mem0", "target_mem1"}

var memAccessNames = [4]string{"none", "read", "write", "readwrite"}

// At returns the access to a location: 1 read, 2 write.
func (e MemoryEffects) At(location int) uint8 { return uint8(e >> (2 * location) & 3) }

// With returns e with the access to a location replaced.
func (e MemoryEffects) With(location int, access uint8) MemoryEffects {
	return e&^(3<<(2*location)) | MemoryEffects(access)<<(2*location)
}

// Reads reports whether e allows reads from any location.
func (e MemoryEffects) Reads() bool { return e&MemoryRead != 0 }

// Writes reports whether e allows writes to any location.
func (e MemoryEffects) Writes() bool { return e&MemoryWrite != 0 }

// String returns the text between the parentheses of memory().
func (e MemoryEffects) String() string {
	e &= MemoryAny
	other := e.At(OtherMem)
	all := MemoryEffects(0)
	for i := range numMemLocations {
		all = all.With(i, other)
	}
	var parts []string
	if other != 0 || e == all {
		parts = append(parts, memAccessNames[other])
	}
	for i, name := range memLocationNames {
		if a := e.At(i); a != other {
			parts = append(parts, name+": "+memAccessNames[a])
		}
	}
	return strings.Join(parts, ", ")
}

func index(names []string, s string) int {
	for i, n := range names {
		if n == s && n != "" {
			return i
		}
	}
	return -1
}

// ParseMemoryEffects parses the text between the parentheses of memory().
func ParseMemoryEffects(s string) (MemoryEffects, error) {
	e := MemoryNone
	for i, part := range strings.Split(s, ",") {
		location, access, named := strings.Cut(part, ":")
		if !named {
			access = location
		}
		a := index(memAccessNames[:], strings.TrimSpace(access))
		l := index(memLocationNames[:], strings.TrimSpace(location))
		switch {
		case named && l < 0 || !named && a < 0:
			return 0, errors.New("expected memory location (argmem, inaccessiblemem, errnomem, target_mem0, target_mem1) or access kind (none, read, write, readwrite)")
		case a < 0:
			return 0, errors.New("expected access kind (none, read, write, readwrite)")
		case named:
			e = e.With(l, uint8(a))
		case i > 0:
			return 0, errors.New("default access kind must be specified first")
		default:
			for l := range numMemLocations {
				e = e.With(l, uint8(a))
			}
		}
	}
	return e, nil
}

// Captures is the value of the attribute captures in LLVM's encoding. The low 4
// bits are the Capture… components captured through the result, the next 4 bits
// the components captured otherwise.
type Captures uint8

// Components of a pointer that may be captured.
const (
	CaptureNull           = 1 // whether it is null
	CaptureAddress        = 3 // its address
	CaptureReadProvenance = 4 // the right to read through it
	CaptureProvenance     = 12

	CapturesNone Captures = 0
	CapturesAll  Captures = 0xff
)

// Result returns the components captured through the result.
func (c Captures) Result() uint8 { return uint8(c & 15) }

// Other returns the components captured otherwise.
func (c Captures) Other() uint8 { return uint8(c >> 4) }

func componentString(c uint8) string {
	var parts []string
	switch {
	case c&CaptureAddress == CaptureNull:
		parts = append(parts, "address_is_null")
	case c&CaptureAddress != 0:
		parts = append(parts, "address")
	}
	switch {
	case c&CaptureProvenance == CaptureReadProvenance:
		parts = append(parts, "read_provenance")
	case c&CaptureProvenance != 0:
		parts = append(parts, "provenance")
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// String returns the text between the parentheses of captures().
func (c Captures) String() string {
	result, other := c.Result(), c.Other()
	switch {
	case result == other:
		return componentString(other)
	case other == 0:
		return "ret: " + componentString(result)
	}
	return componentString(other) + ", ret: " + componentString(result)
}

// captureWords is indexed by capture components.
var captureWords = [...]string{0: "none", CaptureNull: "address_is_null", CaptureAddress: "address",
	CaptureReadProvenance: "read_provenance", CaptureProvenance: "provenance"}

// ParseCaptures parses the text between the parentheses of captures().
func ParseCaptures(s string) (Captures, error) {
	var sets [2]uint8 // other, result
	var seen [2]bool
	at, none := 0, false
	for _, part := range strings.Split(s, ",") {
		word := strings.TrimSpace(part)
		if rest, ok := strings.CutPrefix(word, "ret"); ok {
			rest, colon := strings.CutPrefix(strings.TrimSpace(rest), ":")
			if !colon {
				return 0, errors.New("expected ':'")
			}
			if at == 1 {
				return 0, errors.New("duplicate 'ret' location")
			}
			at, none, word = 1, false, strings.TrimSpace(rest)
		}
		c := index(captureWords[:], word)
		if c < 0 {
			return 0, errors.New("expected one of 'none', 'address', 'address_is_null', 'provenance' or 'read_provenance'")
		}
		if seen[at] && (none || c == 0) {
			return 0, errors.New("cannot use 'none' with other component")
		}
		sets[at], seen[at], none = sets[at]|uint8(c), true, c == 0
	}
	if !seen[1] {
		sets[1] = sets[0]
	}
	return Captures(sets[0]<<4 | sets[1]), nil
}

// FPClass is a set of floating-point classes: the value of nofpclass and the
// operand of llvm.is.fpclass.
type FPClass uint16

// fpClassNames lists the keywords of nofpclass in the order in which they are
// printed.
var fpClassNames = [...]struct {
	mask FPClass
	name string
}{
	{0x3ff, "all"}, {0x003, "nan"}, {0x001, "snan"}, {0x002, "qnan"}, {0x204, "inf"}, {0x004, "ninf"}, {0x200, "pinf"},
	{0x060, "zero"}, {0x020, "nzero"}, {0x040, "pzero"}, {0x090, "sub"}, {0x010, "nsub"}, {0x080, "psub"},
	{0x108, "norm"}, {0x008, "nnorm"}, {0x100, "pnorm"},
}

// String returns the text between the parentheses of nofpclass().
func (c FPClass) String() string {
	var parts []string
	for _, row := range fpClassNames {
		if c&row.mask == row.mask {
			parts = append(parts, row.name)
			c &^= row.mask
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, " ")
}

// ParseFPClass parses the text between the parentheses of nofpclass().
func ParseFPClass(s string) (FPClass, error) {
	c := FPClass(0)
	for _, word := range strings.Fields(s) {
		n := FPClass(0)
		for _, row := range fpClassNames {
			if row.name == word {
				n = row.mask
			}
		}
		if n == 0 {
			return 0, errors.New("expected nofpclass test mask")
		}
		c |= n
	}
	if c == 0 {
		return 0, errors.New("expected nofpclass test mask")
	}
	return c, nil
}

// AllocKind is the value of the attribute allockind.
type AllocKind uint8

var allocKindNames = [...]string{"alloc", "realloc", "free", "uninitialized", "zeroed", "aligned"}

// String returns the comma-separated words of allockind.
func (k AllocKind) String() string {
	var parts []string
	for i, name := range allocKindNames {
		if k>>i&1 != 0 {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ",")
}

// ParseAllocKind parses the words of allockind.
func ParseAllocKind(s string) (AllocKind, error) {
	k := AllocKind(0)
	for _, word := range strings.Split(s, ",") {
		i := index(allocKindNames[:], word)
		if i < 0 {
			return 0, errors.New("unknown allockind " + word)
		}
		k |= 1 << i
	}
	return k, nil
}
