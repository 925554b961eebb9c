package asmcore

import "github.com/gfx-toolchain/gfx/codeobject"

// A Section is a section of the object.
type Section struct {
	Name    string
	Type    codeobject.SectionType
	Flags   codeobject.SectionFlags
	EntSize int64
	Align   int64 // bytes; at least 1
	Group   *Symbol
	Comdat  bool
	Link    *Symbol // of SHF_LINK_ORDER
	Unique  uint32  // number of ,unique,N; noUnique for none

	subs   []*stream // ascending by number; subs[0] has the lowest
	symbol *Symbol   // its section symbol
	inUse  bool      // it is part of the object
	index  uint32    // in the object
	size   int64     // after the layout
}

const noUnique = ^uint32(0)

// stream is a subsection: bytes, with fragments between them.
type stream struct {
	section *Section
	number  int64 // of the subsection
	data    []byte
	frags   []frag
	fixups  []fixup
	base    int64 // its address in the section, from the layout
}

// sections is the section table of a Parser.
type sections struct {
	byKey    map[sectionKey]*Section
	used     []*Section     // in the order of first use
	stack    []sectionState // of .pushsection
	previous *stream
}

type sectionState struct{ cur, previous *stream }

// nobits reports whether the section has no bytes in the file.
func (s *Section) nobits() bool { return s.Type == codeobject.SHT_NOBITS }

// Code reports whether the section holds instructions.
func (s *Section) Code() bool { return s.Flags&codeobject.SHF_EXECINSTR != 0 }

func (p *Parser) initSections(sourceSize int) {
	p.byKey = make(map[sectionKey]*Section)
	text := p.predefinedSection(".text")
	text.Align = 4
	p.switchQuietly(text.subs[0])
	// A line of source assembles to five or six bytes of code on average.
	p.cur.data = make([]byte, 0, min(sourceSize/5+64, 64<<20))
}

// addSection adds a section with one empty subsection 0.
func (p *Parser) addSection(s Section) *Section {
	sec := new(Section)
	*sec = s
	sec.subs = []*stream{{section: sec}}
	return sec
}

// CurrentSection returns the section that receives the output.
func (p *Parser) CurrentSection() *Section { return p.cur.section }
