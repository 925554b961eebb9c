package reguse

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// Element describes the data element of a memory instruction, as specified by
// the end of its name.
type Element struct {
	Bytes  uint8 // size in memory, at most 64
	Signed bool
}

// Elements maps the names of element types, old and new.
var Elements = lazy.Value[map[string]Element]{Make: func() map[string]Element {
	return map[string]Element{
		"byte": {1, false}, "ubyte": {1, false}, "sbyte": {1, true}, "b8": {1, false}, "u8": {1, false}, "i8": {1, true},
		"short": {2, false}, "ushort": {2, false}, "sshort": {2, true}, "b16": {2, false}, "u16": {2, false}, "i16": {2, true},
		"dword": {4, false}, "b32": {4, false}, "b64": {8, false}, "b96": {12, false},
		"b128": {16, false}, "b256": {32, false}, "b512": {64, false},
	}
}}

// MemName is a parsed memory instruction name.
type MemName struct {
	Space string // flat, global, scratch, buffer, tbuffer, s, s_buffer, s_scratch
	Verb  string // load, store, atomic
	Element
	Format bool
	Comps  uint8 // number of components of a format
	D16    bool
	Hi     bool
	LDS    bool
	AddTID bool
}

// memSpaces lists the name prefixes. Longer prefixes precede their own
// prefixes.
var memSpaces = []string{"s_buffer", "s_scratch", "s", "flat", "global", "scratch", "buffer", "tbuffer"}

// ParseMemName parses a name such as global_load_d16_hi_u8 or
// tbuffer_store_format_d16_xy. ok is false if the instruction is not a load,
// store or atomic.
func ParseMemName(name string) (n MemName, ok bool) {
	for _, s := range memSpaces {
		if rest, cut := strings.CutPrefix(name, s+"_"); cut {
			n.Space = s
			name = rest
			break
		}
	}
	words := strings.Split(name, "_")
	n.Verb = words[0]
	switch n.Verb {
	case "atomic":
		return n, true
	case "load", "store":
	default:
		return n, false
	}
	for _, word := range words[1:] {
		if !n.take(word) {
			return n, false
		}
	}
	return n, n.Bytes > 0 || n.Comps > 0
}

// take parses one word of a name.
func (n *MemName) take(word string) bool {
	e, isElement := Elements.Get()[word]
	count, isCount := strings.CutPrefix(word, "dwordx")
	switch {
	case isElement:
		n.Element = e
	case isCount:
		c, err := strconv.Atoi(count)
		n.Bytes = uint8(c * 4)
		return err == nil && c <= 16
	case word == "d16":
		n.D16 = true
	case word == "hi":
		n.Hi = true
	case word == "lds":
		n.LDS = true
	case word == "addtid":
		n.AddTID = true
	case word == "format":
		n.Format = true
	case strings.HasPrefix("xyzw", word):
		n.Comps = uint8(len(word))
	default:
		return false
	}
	return true
}
