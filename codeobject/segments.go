package codeobject

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// segmentReader reconstructs the sections of an object without section headers
// from its program headers and its dynamic segment, which are a dynamic
// loader's view of the file: the tables in the dynamic segment, the notes, and
// the rest of each PT_LOAD segment.
//
// Sources: gABI, chapter Dynamic Linking; LLVM's ELF.h (createFakeSections) for
// the names of the sections that represent segments.
type segmentReader struct {
	*reader
	loads   []int // indices of the nonempty PT_LOAD segments, by address
	tables  []*Section
	dynamic map[dynTag]dynEntry // of the dynamic segment, nil if it does not exist
	dynsym  *Section            // nil if it does not exist
	links   []sectionLink
	relro   map[uint64]uint64 // PT_GNU_RELRO: maps the end to the first address
}

// sectionLink is an sh_link between sections without indices.
type sectionLink struct{ from, to *Section }

func (v *segmentReader) link(from, to *Section) { v.links = append(v.links, sectionLink{from, to}) }

// segmentSections reconstructs the sections of an object without section
// headers.
func (r *reader) segmentSections() error {
	if len(r.o.Sections) > 0 || len(r.o.Segments) == 0 || r.o.Type == ET_REL {
		return nil
	}
	r.o.FromSegments = true
	v := &segmentReader{reader: r}
	for _, step := range []func() error{v.findLoads, v.findRelro, v.noteTables, v.dynamicTables} {
		if err := step(); err != nil {
			return err
		}
	}
	v.number(append(v.pieces(), v.tables...))
	return nil
}

// headerOffset returns the file offset of a program header.
func (r *reader) headerOffset(i int) uint64 { return r.o.PhOff + uint64(i)*r.class.phSize() }

// findLoads finds the PT_LOAD segments, and checks that they are sorted by
// address.
func (v *segmentReader) findLoads() error {
	end := uint64(0)
	for i := range v.o.Segments {
		s := &v.o.Segments[i]
		if s.Type != PT_LOAD || s.MemSize == 0 {
			continue
		}
		switch {
		case s.FileSize > s.MemSize:
			return formatErrorf(v.headerOffset(i), "segment %d has %d bytes in the file, more than the %d in memory", i, s.FileSize, s.MemSize)
		case s.VAddr+s.MemSize < s.VAddr || s.VAddr < end:
			return formatErrorf(v.headerOffset(i), "segment %d at %#x overlaps the one before, or is not in order", i, s.VAddr)
		}
		end = s.VAddr + s.MemSize
		v.loads = append(v.loads, i)
	}
	return nil
}

// noteTables adds the notes.
func (v *segmentReader) noteTables() error {
	total := uint64(0)
	for i := range v.o.Segments {
		s := &v.o.Segments[i]
		if s.Type != PT_NOTE {
			continue
		}
		if total += s.FileSize; total > uint64(len(v.data)) {
			return formatErrorf(v.headerOffset(i), "the note segments up to segment %d have more bytes than the file: they overlap", i)
		}
		v.addTable(&Section{Name: ".note", Type: SHT_NOTE, Flags: SHF_ALLOC, Addr: s.VAddr, Offset: s.Offset, Size: s.FileSize, Align: s.Align})
	}
	return nil
}

// addTable adds a table whose bytes are in the file.
func (v *segmentReader) addTable(s *Section) {
	s.Data = v.data[s.Offset:][:s.Size:s.Size]
	v.tables = append(v.tables, s)
}

// placeTable adds a table at the address of a dynamic entry. Its name in
// messages is what.
func (v *segmentReader) placeTable(s *Section, e dynEntry, what string) error {
	b, off, err := v.rest(e, what)
	if err != nil {
		return err
	}
	if s.Size > uint64(len(b)) {
		return formatErrorf(e.at, "%s: %d bytes at address %#x reach beyond the segment", what, s.Size, e.value)
	}
	s.Flags, s.Addr, s.Offset = SHF_ALLOC, e.value, off
	v.addTable(s)
	return nil
}

// rest returns the bytes of the file from an address to the end of its segment,
// and their offset.
func (v *segmentReader) rest(e dynEntry, what string) ([]byte, uint64, error) {
	i := sort.Search(len(v.loads), func(i int) bool { return v.o.Segments[v.loads[i]].VAddr > e.value }) - 1
	if i >= 0 {
		if s := &v.o.Segments[v.loads[i]]; e.value-s.VAddr <= s.FileSize {
			off := e.value - s.VAddr
			return v.data[s.Offset+off : s.Offset+s.FileSize], s.Offset + off, nil
		}
	}
	return nil, 0, formatErrorf(e.at, "%s: the file has no bytes of address %#x", what, e.value)
}

// pieces returns sections for the parts of the loaded segments outside headers
// and tables.
func (v *segmentReader) pieces() []*Section {
	covered := v.coveredAddresses()
	var list []*Section
	for _, index := range v.loads {
		s := &v.o.Segments[index]
		at, end := s.VAddr, s.VAddr+s.FileSize
		for ; len(covered) > 0 && covered[0].start < end; covered = covered[1:] {
			if c := covered[0]; c.start > at {
				list = append(list, v.piece(index, at, c.start))
			}
			at = max(at, min(covered[0].end, end))
		}
		if at < end {
			list = append(list, v.piece(index, at, end))
		}
		if s.MemSize > s.FileSize {
			list = append(list, v.piece(index, end, s.VAddr+s.MemSize))
		}
	}
	return list
}

// coveredAddresses returns the addresses of the ELF header, the program headers
// and the tables, sorted by start.
func (v *segmentReader) coveredAddresses() []span {
	var list []span
	if len(v.loads) > 0 {
		if s := &v.o.Segments[v.loads[0]]; s.Offset == 0 {
			list = append(list, span{s.VAddr, s.VAddr + v.class.ehSize()},
				span{s.VAddr + v.o.PhOff, s.VAddr + v.o.PhOff + uint64(len(v.o.Segments))*v.class.phSize()})
		}
	}
	for _, s := range v.tables {
		list = append(list, span{s.Addr, s.Addr + s.Size})
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return list
}

// relroPadding is ld.lld's name for the zeros between read-only relocated data
// and the next page.
const relroPadding = ".relro_padding"

// piece returns a section for a segment's addresses from start to end, which
// must be all in the file or all beyond its bytes.
func (v *segmentReader) piece(segment int, start, end uint64) *Section {
	s := &v.o.Segments[segment]
	p := &Section{
		Name: fmt.Sprintf("PT_LOAD#%d", segment), Type: SHT_PROGBITS, Flags: SHF_ALLOC,
		Addr: start, Size: end - start, Align: max(1, min(start&-start, s.Align)),
	}
	if s.Flags&PF_X != 0 {
		p.Flags |= SHF_EXECINSTR
	}
	if s.Flags&PF_W != 0 {
		p.Flags |= SHF_WRITE
	}
	if start-s.VAddr < s.FileSize {
		p.Offset = s.Offset + start - s.VAddr
		p.Data = v.data[p.Offset:][:p.Size:p.Size]
		return p
	}
	p.Type, p.Offset = SHT_NOBITS, s.Offset+s.FileSize
	if first, ok := v.relro[end]; ok && first <= start {
		p.Name = relroPadding
	}
	return p
}

// findRelro records the ends of the PT_GNU_RELRO segments, with their first
// addresses.
func (v *segmentReader) findRelro() error {
	v.relro = make(map[uint64]uint64)
	for i := range v.o.Segments {
		if s := &v.o.Segments[i]; s.Type == PT_GNU_RELRO {
			v.relro[s.VAddr+s.MemSize] = s.VAddr
		}
	}
	return nil
}

// number sorts the list of sections by address, and fills in the fields that
// refer to indices.
func (v *segmentReader) number(list []*Section) {
	slices.SortStableFunc(list, func(a, b *Section) int { return cmp.Compare(a.Addr, b.Addr) })
	v.o.Sections = append([]*Section{{}}, list...)
	index := make(map[*Section]uint32, len(list))
	for i, s := range v.o.Sections {
		index[s] = uint32(i)
	}
	for _, l := range v.links {
		l.from.Link = index[l.to]
	}
}

// segmentSection returns the section that represents the segment of a symbol's
// address: the section that contains the address, or else the one before it.
func (r *reader) segmentSection(addr uint64, symbol int, off uint64) (SectionIndex, error) {
	if r.placed == nil {
		for i, s := range r.o.Sections {
			if s.Flags&SHF_ALLOC != 0 && s.Size > 0 {
				r.placed = append(r.placed, i)
			}
		}
	}
	i := sort.Search(len(r.placed), func(i int) bool { return r.o.Sections[r.placed[i]].Addr > addr })
	if i == 0 {
		return 0, formatErrorf(off, "symbol %d at %#x is in no segment", symbol, addr)
	}
	return SectionIndex(r.placed[i-1]), nil
}
