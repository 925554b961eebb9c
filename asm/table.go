package asm

import (
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/isa"
)

// A table holds the assembler's view of the instructions of one set for one
// choice of wave sizes. The entry of a mnemonic is built on first use.
type table struct {
	names  *names
	set    isa.Set
	waves  waveMask
	only64 []uint16 // names that select the VOP3 encoding of another one, and accept no suffix
	means  []uint16 // by index of names.list: the name after resolving aliases

	first, second []atomic.Pointer[mnemonic] // second: as the second half of a VOPD pair
}

// waveMask is a set of wave sizes.
type waveMask uint8

const (
	wave32 waveMask = 1 << iota
	wave64
)

// size returns a wave size for encodings that depend on one.
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

// tableOf returns the table of a set.
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

// wideAliases are the gfx9 names of additions with carry. The assembler also
// accepts them before gfx8, but only for the VOP3 encodings.
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

// mnemonic returns the entry of a name, nil if the set has no such instruction.
// y selects the second half of a VOPD pair.
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

// mnemonic is the entry of a name in a table.
type mnemonic struct {
	text     string
	cands    []cand
	special  []specialFunc // by operand
	operMods []opMods      // by operand: modifiers that some encoding accepts
	mods     modMask       // modifiers that some encoding accepts
	cpolKind isa.CPolKind
	nsa      bool // the second operand may be a list of registers
	hasOff   bool // off is accepted for an operand
	swizzle  bool // offset may be swizzle(…)
	pairs    bool // may be the first half of a VOPD pair
	sampler  bool // an image instruction with a sampler
}

// builders holds builders for reuse: each has room for candidates.
var builders = sync.Pool{New: func() any { return new(builder) }}

// build builds a mnemonic's entry.
func (t *table) build(id int, y bool) *mnemonic {
	entry := &t.names.list[id]
	m := &mnemonic{text: entry.text}
	b := builders.Get().(*builder)
	b.t, b.m, b.set, b.cands = t, m, t.set, b.cands[:0]
	for e := entry.first; e < entry.last; e++ {
		if e.Sets().Has(t.set) && (e.Variant() == isa.DualY) == y && t.waves.has(e.Traits()) {
			b.enc = e
			b.build()
		}
	}
	m.order(b.cands)
	builders.Put(b)
	for i := range m.cands {
		m.merge(&m.cands[i])
	}
	return m
}

// has reports whether an encoding exists for one of the wave sizes.
func (w waveMask) has(tr isa.Traits) bool {
	switch {
	case tr.Any(isa.TraitW32):
		return w&wave32 != 0
	case tr.Any(isa.TraitW64):
		return w&wave64 != 0
	}
	return true
}

// order sorts the candidates by LLVM's assembler variants, in the order in
// which LLVM tries them.
func (m *mnemonic) order(cands []cand) {
	m.cands = make([]cand, 0, len(cands))
	late, isLate := isa.VOPD, vopd3First.has(m.text)
	for v := variantDefault; v <= variantVOP3DPP; v++ {
		for i := range cands {
			if cands[i].variant == v && !(isLate && cands[i].form == late) {
				m.cands = append(m.cands, cands[i])
			}
		}
	}
	for i := range cands {
		if isLate && cands[i].form == late {
			m.cands = append(m.cands, cands[i])
		}
	}
}

// merge records the operands and modifiers that a candidate accepts.
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
