package inspect

import (
	"cmp"
	"slices"
	"sort"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// lookups holds tables for many kernels, built on first use, so that no kernel
// searches all symbols, sections or relocations.
type lookups struct {
	byAddr    map[place][]*codeobject.Symbol // symbols of code
	addrs     []place                        // of all symbols, sorted
	placed    []int                          // sections with bytes at addresses, sorted by address
	relocs    map[place]relocTarget          // of type REL64, which fill descriptors
	described map[place]*Descriptor          // by blocks of a descriptor's size
	decoded   map[place]use
	budget    int // bytes of code that may still be decoded
}

// relocTarget is the target of a relocation.
type relocTarget struct {
	symbol *codeobject.Symbol
	addend int64
}

// noteCode records a symbol that may be a kernel's code.
func (b *builder) noteCode(s *codeobject.Symbol) {
	if s.Name != "" && (s.Type == codeobject.STT_FUNC || s.Type == codeobject.STT_NOTYPE) {
		p := place{s.Section, s.Value}
		b.byAddr[p] = append(b.byAddr[p], s)
	}
}

// toNextSymbol returns the number of bytes from a place to the next symbol, at
// most rest.
func (b *builder) toNextSymbol(at place, rest uint64) uint64 {
	if b.addrs == nil {
		for _, list := range [][]codeobject.Symbol{b.o.Symbols, b.o.DynSymbols} {
			for i := range list {
				if s := &list[i]; s.Name != "" {
					b.addrs = append(b.addrs, place{s.Section, s.Value})
				}
			}
		}
		slices.SortFunc(b.addrs, comparePlaces)
	}
	i := sort.Search(len(b.addrs), func(i int) bool { return comparePlaces(b.addrs[i], at) > 0 })
	if i < len(b.addrs) && b.addrs[i].section == at.section {
		return min(rest, b.addrs[i].addr-at.addr)
	}
	return rest
}

func comparePlaces(x, y place) int {
	return cmp.Or(cmp.Compare(x.section, y.section), cmp.Compare(x.addr, y.addr))
}

// sectionAt returns the section at an address of the loaded object, or 0 if the
// address is in no section.
func (b *builder) sectionAt(addr uint64) codeobject.SectionIndex {
	if b.placed == nil {
		b.placed = []int{}
		for i, s := range b.o.Sections {
			if s.Flags&codeobject.SHF_ALLOC != 0 && s.Type != codeobject.SHT_NOBITS && s.Size > 0 {
				b.placed = append(b.placed, i)
			}
		}
		slices.SortStableFunc(b.placed, func(x, y int) int { return cmp.Compare(b.o.Sections[x].Addr, b.o.Sections[y].Addr) })
	}
	i := sort.Search(len(b.placed), func(i int) bool { return b.o.Sections[b.placed[i]].Addr > addr }) - 1
	if i < 0 {
		return 0
	}
	if s := b.o.Sections[b.placed[i]]; addr-s.Addr >= s.Size {
		return 0
	}
	return codeobject.SectionIndex(b.placed[i])
}

// entryRelocs returns the relocations that may apply to the entry of a
// descriptor.
func (b *builder) entryRelocs() map[place]relocTarget {
	if b.relocs != nil {
		return b.relocs
	}
	b.relocs = make(map[place]relocTarget)
	for _, sec := range b.o.Sections {
		for i := range sec.Relocs {
			r := &sec.Relocs[i]
			if r.Type != codeobject.R_AMDGPU_REL64 {
				continue
			}
			if s := b.relocSymbol(sec, r); s != nil {
				b.relocs[place{codeobject.SectionIndex(sec.Info), r.Offset}] = relocTarget{s, r.Addend}
			}
		}
	}
	return b.relocs
}

// decode returns the registers of the code at a place. Kernels with overlapping
// code could make a small file slow: ok is false if more than twice the file's
// size has been decoded.
func (b *builder) decode(s *scanner, at place, code []byte) (u use, ok bool) {
	if u, ok = b.decoded[at]; ok {
		return u, true
	}
	if b.decoded == nil {
		b.decoded = make(map[place]use)
		b.budget = 2 * b.r.Header.Size
	}
	if len(code) > b.budget {
		return u, false
	}
	b.budget -= len(code)
	u = s.registers(code)
	b.decoded[at] = u
	return u, true
}
