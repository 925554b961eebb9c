package asmmatch

import (
	"github.com/gfx-toolchain/gfx/isa"
)

// Names maps the mnemonics of a dialect to instructions, with a hash table with
// open addressing, and holds the tables of the instruction sets.
type Names struct {
	slots  [nameSlots]uint16 // 1 + index of list
	list   []nameEntry
	tables [isa.NumSets][4]tableSlot // by choice of wave sizes
}

const nameSlots = 1 << 14

// nameEntry is an instruction's name.
type nameEntry struct {
	text        string
	first, last isa.Enc // its encodings are [first, last); empty for an alias
}

// NewNames returns the names of the instruction table and LLVM's aliases.
func NewNames() *Names {
	n := new(Names)
	var prev string
	for e := range isa.Enc(isa.NumEncs()) {
		text := e.Name()
		if text != prev {
			n.addName(text, e)
			prev = text
		}
		n.list[len(n.list)-1].last = e + 1
	}
	for o := range isa.Operations() {
		for _, x := range o.Names() {
			if _, ok := n.findName(x.Name); !ok {
				n.addName(x.Name, 0)
			}
		}
	}
	return n
}

// Hash returns the FNV-1a hash of s in lower case.
func Hash[T string | []byte](s T) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint32(s[i]|0x20)) * 16777619
	}
	return h ^ h>>15
}

func (n *Names) addName(text string, first isa.Enc) {
	n.list = append(n.list, nameEntry{text, first, first})
	i := Hash(text) % nameSlots
	for n.slots[i] != 0 {
		i = (i + 1) % nameSlots
	}
	n.slots[i] = uint16(len(n.list))
}

// findName returns the number of a name, ignoring case.
func (n *Names) findName(name string) (int, bool) { return Lookup(n, name) }

// Lookup returns the number of a name, ignoring case.
func Lookup[T string | []byte](n *Names, name T) (int, bool) {
	for i := Hash(name) % nameSlots; n.slots[i] != 0; i = (i + 1) % nameSlots {
		k := int(n.slots[i] - 1)
		if EqualFold(name, n.list[k].text) {
			return k, true
		}
	}
	return 0, false
}

// EqualFold reports whether a equals b, ignoring the case of a. b must be in
// lower case.
func EqualFold[T string | []byte](a T, b string) bool {
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

// HasIn reports whether a set has a name.
func (n *Names) HasIn(id int, s isa.Set) bool {
	for e := n.list[id].first; e < n.list[id].last; e++ {
		if e.Sets().Has(s) {
			return true
		}
	}
	return false
}

// Text returns the text of a name.
func (n *Names) Text(id int) string { return n.list[id].text }

// Len returns the number of names. They are numbered from 0 on.
func (n *Names) Len() int { return len(n.list) }
