package asm

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// names maps a word of the source to an instruction's name or a modifier, with
// two hash tables with open addressing.
type names struct {
	slots [nameSlots]uint16 // 1 + index of list
	list  []nameEntry

	modSlots [modSlots]uint8 // 1 + index of mods
	mods     []modRow
	no       [modSlots]bool // the slot's name has the prefix "no"
}

const (
	nameSlots = 1 << 14
	modSlots  = 1 << 9
)

// nameEntry is an instruction's name.
type nameEntry struct {
	text        string
	first, last isa.Enc // its encodings are [first, last); empty for an alias
}

// allNames holds the tables, which are built once.
var allNames = lazy.Value[*names]{Make: func() *names {
	n := new(names)
	var prev string
	for e := range isa.Enc(isa.NumEncs()) {
		text := e.Name()
		if text != prev {
			n.add(text, e)
			prev = text
		}
		n.list[len(n.list)-1].last = e + 1
	}
	for i := range aliases {
		if _, ok := n.find(aliases[i].name); !ok {
			n.add(aliases[i].name, 0)
		}
	}
	n.mods = modRows()
	for i := range n.mods {
		n.addModifier(i, n.mods[i].name, false)
		if n.mods[i].no {
			n.addModifier(i, "no"+n.mods[i].name, true)
		}
	}
	return n
}}

// hash returns the FNV-1a hash of s in lower case.
func hash[T string | []byte](s T) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i]|0x20)) * 16777619
	}
	return h ^ h>>15
}

func (n *names) add(text string, first isa.Enc) {
	n.list = append(n.list, nameEntry{text, first, first})
	i := hash(text) % nameSlots
	for n.slots[i] != 0 {
		i = (i + 1) % nameSlots
	}
	n.slots[i] = uint16(len(n.list))
}

// find returns the index of a name in list, ignoring case.
func (n *names) find(name string) (int, bool) { return lookup(n, name) }

func lookup[T string | []byte](n *names, name T) (int, bool) {
	for i := hash(name) % nameSlots; n.slots[i] != 0; i = (i + 1) % nameSlots {
		k := int(n.slots[i] - 1)
		if sameFold(name, n.list[k].text) {
			return k, true
		}
	}
	return 0, false
}

// sameFold reports whether a equals b, ignoring the case of a. b must be in
// lower case.
func sameFold[T string | []byte](a T, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		c := a[i]
		if c-'A' < 26 {
			c |= 0x20
		}
		if c != b[i] {
			return false
		}
	}
	return true
}

func (n *names) addModifier(row int, text string, no bool) {
	i := hash(text) % modSlots
	for n.modSlots[i] != 0 {
		i = (i + 1) % modSlots
	}
	n.modSlots[i] = uint8(row + 1)
	n.no[i] = no
}

// modifier returns the modifier of a name, nil if it does not exist.
func (n *names) modifier(name []byte) *modRow {
	for i := hash(name) % modSlots; n.modSlots[i] != 0; i = (i + 1) % modSlots {
		r := &n.mods[n.modSlots[i]-1]
		plain := name
		if n.no[i] {
			if len(name) < 2 || name[0] != 'n' || name[1] != 'o' {
				continue
			}
			plain = name[2:]
		}
		if string(plain) == r.name {
			return r
		}
	}
	return nil
}

// encoding is an encoding that a mnemonic's suffix selects.
type encoding uint8

const (
	encAny encoding = iota
	enc32
	enc64
	encSDWA
	encDPP
	enc64DPP
)

// suffixes lists the suffixes. A longer suffix precedes its own endings.
var suffixes = [...]struct {
	text string
	enc  encoding
	name string // LLVM's name of the variant
}{
	{"_e64_dpp", enc64DPP, "e64_dpp"},
	{"_e64", enc64, "e64"},
	{"_e32", enc32, "e32"},
	{"_dpp", encDPP, "dpp"},
	{"_sdwa", encSDWA, "sdwa"},
}

// cutSuffix removes the suffix of a mnemonic and returns the encoding that it
// selects.
func cutSuffix(name []byte) ([]byte, encoding) {
	n := len(name)
	if n < 5 {
		return name, encAny
	}
	switch name[n-1] | 0x20 {
	case '2', '4', 'p', 'a':
	default:
		return name, encAny
	}
	if name[n-4] != '_' && name[n-5] != '_' {
		return name, encAny
	}
	for i := range suffixes {
		s := &suffixes[i]
		if k := n - len(s.text); k > 0 && sameFold(name[k:], s.text) {
			return name[:k], s.enc
		}
	}
	return name, encAny
}

// String returns LLVM's name of the variant.
func (e encoding) String() string {
	for i := range suffixes {
		if suffixes[i].enc == e {
			return suffixes[i].name
		}
	}
	return ""
}
