package sim

import (
	"strconv"
	"strings"
)

// element is what the end of a memory instruction's name tells of its data.
type element struct {
	bytes  uint8 // size in memory, 64 at most
	signed bool
}

// elements are the names of element types, old and new.
var elements = map[string]element{
	"byte": {1, false}, "ubyte": {1, false}, "sbyte": {1, true}, "b8": {1, false}, "u8": {1, false}, "i8": {1, true},
	"short": {2, false}, "ushort": {2, false}, "sshort": {2, true}, "b16": {2, false}, "u16": {2, false}, "i16": {2, true},
	"dword": {4, false}, "b32": {4, false}, "b64": {8, false}, "b96": {12, false},
	"b128": {16, false}, "b256": {32, false}, "b512": {64, false},
}

// memName is a memory instruction's name taken apart.
type memName struct {
	space string // flat, global, scratch, buffer, tbuffer, s, s_buffer, s_scratch
	verb  string // load, store, atomic
	element
	format bool
	comps  uint8 // components of a format
	d16    bool
	hi     bool
	lds    bool
	addtid bool
}

// memSpaces begin names; longer ones first.
var memSpaces = []string{"s_buffer", "s_scratch", "s", "flat", "global", "scratch", "buffer", "tbuffer"}

// parseMemName takes a name such as global_load_d16_hi_u8 or
// tbuffer_store_format_d16_xy apart; ok is false for what is neither load, store
// nor atomic.
func parseMemName(name string) (n memName, ok bool) {
	for _, s := range memSpaces {
		if rest, cut := strings.CutPrefix(name, s+"_"); cut {
			n.space = s
			name = rest
			break
		}
	}
	words := strings.Split(name, "_")
	n.verb = words[0]
	switch n.verb {
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
	return n, n.bytes > 0 || n.comps > 0
}

// take reads one word of a name.
func (n *memName) take(word string) bool {
	e, isElement := elements[word]
	count, isCount := strings.CutPrefix(word, "dwordx")
	switch {
	case isElement:
		n.element = e
	case isCount:
		c, err := strconv.Atoi(count)
		n.bytes = uint8(c * 4)
		return err == nil && c <= 16
	case word == "d16":
		n.d16 = true
	case word == "hi":
		n.hi = true
	case word == "lds":
		n.lds = true
	case word == "addtid":
		n.addtid = true
	case word == "format":
		n.format = true
	case strings.HasPrefix("xyzw", word):
		n.comps = uint8(len(word))
	default:
		return false
	}
	return true
}
