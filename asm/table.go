package asm

import (
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/isa"
)

// A table holds what the assembler knows of the instructions of one set with
// one choice of wave sizes. A mnemonic's part is made when it is first met.
type table struct {
	names  *names
	set    isa.Set
	waves  waveMask
	only64 []uint16 // names that mean the VOP3 encoding of another one, and take no suffix
	means  []uint16 // by index of names.list: what a name means, through its alias

	first, second []atomic.Pointer[mnemonic] // second: the second half of a VOPD pair
}

// waveMask is a set of wave sizes.
type waveMask uint8

const (
	wave32 waveMask = 1 << iota
	wave64
)

// size gives the wave size for encodings that have a place for one only.
func (w waveMask) size() int {
	if w&wave32 != 0 {
		return 32
	}
	return 64
}

// tables holds one table for each set and choice of wave sizes.
var tables [isa.NumSets][4]struct {
	once sync.Once
	t    *table
}

// tableOf gives the table of a set.
func tableOf(s isa.Set, w waveMask) *table {
	slot := &tables[s][w]
	slot.once.Do(func() { slot.t = newTable(s, w) })
	return slot.t
}

func newTable(s isa.Set, w waveMask) *table {
	n := allNames.Get()
	t := &table{
		names: n, set: s, waves: w,
		means:  make([]uint16, len(n.list)),
		first:  make([]atomic.Pointer[mnemonic], len(n.list)),
		second: make([]atomic.Pointer[mnemonic], len(n.list)),
	}
	for i := range t.means {
		t.means[i] = uint16(i)
	}
	for i := range aliases {
		a := &aliases[i]
		if !a.sets.Has(s) {
			continue
		}
		from, _ := n.find(a.name)
		if to, ok := n.find(a.means); ok && t.has(to) {
			t.means[from] = uint16(to)
			if wideAliases.has(a.name) && s.Gen() <= isa.Gen7 {
				t.only64 = append(t.only64, uint16(from))
			}
		}
	}
	return t
}

// wideAliases are the names of gfx9 for the additions with carry, which the
// assembler takes before gfx8 as well, but for the VOP3 encodings only.
var wideAliases = nameSet{"v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32"}

// has reports whether the set has a name.
func (t *table) has(id int) bool {
	e := &t.names.list[id]
	for i := e.first; i < e.last; i++ {
		if i.Sets().Has(t.set) {
			return true
		}
	}
	return false
}

// mnemonic gives what the set knows of a name, nil when it has no such
// instruction. y asks for the second half of a VOPD pair.
func (t *table) mnemonic(id int, y bool) *mnemonic {
	id = int(t.means[id])
	slot := &t.first[id]
	if y {
		slot = &t.second[id]
	}
	m := slot.Load()
	if m == nil {
		m = t.build(id, y)
		slot.Store(m)
	}
	if len(m.cands) == 0 {
		return nil
	}
	return m
}

// mnemonic is what a table knows of a name.
type mnemonic struct {
	text     string
	cands    []cand
	special  []specialFunc // by operand
	operMods []opMods      // by operand: modifiers that some encoding takes
	mods     modMask       // modifiers that some encoding takes
	cpolKind isa.CPolKind
	nsa      bool // the second operand may be a list of registers
	hasOff   bool // off may stand for an operand
	swizzle  bool // offset may be swizzle(…)
	pairs    bool // may be the first half of a VOPD pair
	sampler  bool // an image instruction with a sampler
}

// build makes a mnemonic.
func (t *table) build(id int, y bool) *mnemonic {
	entry := &t.names.list[id]
	m := &mnemonic{text: entry.text}
	for e := entry.first; e < entry.last; e++ {
		if !e.Sets().Has(t.set) || (e.Variant() == isa.DualY) != y || !t.waves.has(e.Traits()) {
			continue
		}
		b := builder{t: t, m: m, enc: e, set: t.set}
		b.build()
	}
	m.order()
	for i := range m.cands {
		m.merge(&m.cands[i])
	}
	return m
}

// has reports whether one of the wave sizes has an encoding.
func (w waveMask) has(tr isa.Traits) bool {
	switch {
	case tr.Any(isa.TraitW32):
		return w&wave32 != 0
	case tr.Any(isa.TraitW64):
		return w&wave64 != 0
	}
	return true
}

// order sorts the candidates by LLVM's assembler variants, the order in which
// it tries them.
func (m *mnemonic) order() {
	sorted := make([]cand, 0, len(m.cands))
	late, isLate := isa.VOPD, vopd3First.has(m.text)
	for v := variantDefault; v <= variantVOP3DPP; v++ {
		for i := range m.cands {
			if m.cands[i].variant == v && !(isLate && m.cands[i].form == late) {
				sorted = append(sorted, m.cands[i])
			}
		}
	}
	for i := range m.cands {
		if isLate && m.cands[i].form == late {
			sorted = append(sorted, m.cands[i])
		}
	}
	m.cands = sorted
}

// merge notes what a candidate takes.
func (m *mnemonic) merge(c *cand) {
	m.mods |= c.mods | c.need
	m.hasOff = m.hasOff || c.hasOff
	m.nsa = m.nsa || c.nsa
	m.pairs = m.pairs || c.pair
	for i := range c.specs {
		s := &c.specs[i]
		if i == len(m.special) {
			m.special = append(m.special, s.read)
			m.operMods = append(m.operMods, 0)
		}
		m.operMods[i] |= s.mods
	}
}
