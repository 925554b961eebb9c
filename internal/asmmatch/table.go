package asmmatch

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/isa"
)

// A table holds the assembler's view of the instructions of one set for one
// choice of wave sizes. The entry of a mnemonic is built on first use.
type Table struct {
	names  *Names
	set    isa.Set
	waves  Waves
	only64 []uint16 // names that select the VOP3 encoding of another one, and accept no suffix
	means  []uint16 // by index of names.list: the name of the instruction that it denotes

	first, second []atomic.Pointer[Mnemonic] // second: as the second half of a VOPD pair
}

// Waves is a set of wave sizes.
type Waves uint8

const (
	Wave32 Waves = 1 << iota
	Wave64
)

// size returns a wave size for encodings that depend on one.
func (w Waves) size() int {
	if w&Wave32 != 0 {
		return 32
	}
	return 64
}

// tableSlot is a table that is built on first use.
type tableSlot struct {
	once sync.Once
	t    *Table
}

// Table returns the table of a set.
func (n *Names) Table(s isa.Set, w Waves) *Table {
	slot := &n.tables[s][w]
	slot.once.Do(func() { slot.t = newTable(n, s, w) })
	return slot.t
}

func newTable(n *Names, s isa.Set, w Waves) *Table {
	t := &Table{
		names: n, set: s, waves: w,
		means:  make([]uint16, len(n.list)),
		first:  make([]atomic.Pointer[Mnemonic], len(n.list)),
		second: make([]atomic.Pointer[Mnemonic], len(n.list)),
	}
	for i := range t.means {
		t.means[i] = uint16(i)
	}
	for o := range isa.Operations() {
		t.addAliases(o)
	}
	return t
}

// addAliases maps the names that are accepted for an operation's instruction.
func (t *Table) addAliases(o isa.Operation) {
	name := o.On(t.set)
	for _, x := range o.Names() {
		if !x.Aliases.Has(t.set) {
			continue
		}
		from, _ := t.names.findName(x.Name)
		to, _ := t.names.findName(name)
		t.means[from] = uint16(to)
		if isCarry(x.Name) {
			t.only64 = append(t.only64, uint16(from))
		}
	}
}

// isCarry reports whether a name is the gfx9 name of an addition with carry. The
// assembler also accepts it before gfx8, but only for the VOP3 encoding.
func isCarry(name string) bool {
	first, end := isa.EncsNamed(name)
	return first < end && first.Kinds().Any(isa.KindCarry)
}

// hasName reports whether the set has a name.
func (t *Table) hasName(id int) bool {
	e := &t.names.list[id]
	for i := e.first; i < e.last; i++ {
		if i.Sets().Has(t.set) {
			return true
		}
	}
	return false
}

// Accepts reports whether the set has a name or the instruction that it is an
// alias of.
func (t *Table) Accepts(id int) bool { return t.hasName(int(t.means[id])) }

// IsWide reports whether a name selects the VOP3 encoding of another
// instruction and accepts no suffix.
func (t *Table) IsWide(id int) bool {
	return len(t.only64) != 0 && slices.Contains(t.only64, uint16(id))
}

// Mnemonic returns the entry of a name, nil if the set has no such instruction.
// y selects the second half of a VOPD pair.
func (t *Table) Mnemonic(id int, y bool) *Mnemonic {
	id = int(t.means[id])
	slot := &t.first[id]
	if y {
		slot = &t.second[id]
	}
	m := slot.Load()
	if m == nil {
		m = t.buildMnemonic(id, y)
		slot.Store(m)
	}
	if len(m.cands) == 0 {
		return nil
	}
	return m
}

// Mnemonic is the entry of a name in a table.
type Mnemonic struct {
	Text     string
	cands    []candidate
	Syntaxes []Syntax      // by operand
	operMods []OperandMods // by operand: modifiers that some encoding accepts
	Mods     ModifierSet   // modifiers that some encoding accepts
	CPolKind isa.CPolKind
	NSA      bool // the second operand may be a list of registers
	HasOff   bool // off is accepted for an operand
	Swizzle  bool // offset may be swizzle(…)
	Pairs    bool // may be the first half of a VOPD pair
	sampler  bool // an image instruction with a sampler
}

// builders holds builders for reuse: each has room for candidates.
var builders = sync.Pool{New: func() any { return new(builder) }}

// buildMnemonic builds a mnemonic's entry.
func (t *Table) buildMnemonic(id int, y bool) *Mnemonic {
	entry := &t.names.list[id]
	m := &Mnemonic{Text: entry.text}
	b := builders.Get().(*builder)
	b.t, b.m, b.set, b.cands = t, m, t.set, b.cands[:0]
	for e := entry.first; e < entry.last; e++ {
		if e.Sets().Has(t.set) && (e.Variant() == isa.DualY) == y && t.waves.has(e.Traits()) {
			b.enc = e
			b.buildCandidates()
		}
	}
	m.sortCandidates(b.cands)
	builders.Put(b)
	for i := range m.cands {
		m.mergeAccepted(&m.cands[i])
	}
	return m
}

// has reports whether an encoding exists for one of the wave sizes.
func (w Waves) has(tr isa.Traits) bool {
	switch {
	case tr.Any(isa.TraitW32):
		return w&Wave32 != 0
	case tr.Any(isa.TraitW64):
		return w&Wave64 != 0
	}
	return true
}

// sortCandidates sorts the candidates by LLVM's assembler variants, in the order in
// which LLVM tries them.
func (m *Mnemonic) sortCandidates(cands []candidate) {
	m.cands = make([]candidate, 0, len(cands))
	late, isLate := isa.VOPD, len(cands) > 0 && beginsVOPD3(cands[0].enc)
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

// mergeAccepted records the operands and modifiers that a candidate accepts.
func (m *Mnemonic) mergeAccepted(c *candidate) {
	m.Mods |= c.mods | c.need
	m.HasOff = m.HasOff || c.hasOff
	m.NSA = m.NSA || c.nsa
	m.Pairs = m.Pairs || c.pair
	for i := range c.specs {
		s := &c.specs[i]
		if i == len(m.Syntaxes) {
			m.Syntaxes = append(m.Syntaxes, s.syntax)
			m.operMods = append(m.operMods, 0)
		}
		m.operMods[i] |= s.mods
	}
}

// TakesMods reports whether some encoding accepts one of the modifiers mods at
// operand i.
func (m *Mnemonic) TakesMods(i int, mods OperandMods) bool {
	return i < len(m.operMods) && m.operMods[i]&mods != 0
}

// HasEncoding reports whether the instruction has an encoding that the text
// selects.
func (m *Mnemonic) HasEncoding(e Encoding) bool {
	for i := range m.cands {
		if allowed[e]>>m.cands[i].variant&1 != 0 {
			return true
		}
	}
	return false
}

// Form returns the form of the first candidate.
func (m *Mnemonic) Form() isa.Form { return m.cands[0].form }
