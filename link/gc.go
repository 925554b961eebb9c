package link

import (
	"bytes"
	"strings"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// marker finds the sections that are reachable from the roots.
type marker struct {
	l          *linker
	queue      []secID
	dependents map[secID][]secID  // SHF_LINK_ORDER sections, by the section they describe
	named      map[string][]secID // sections whose names have __start_ and __stop_ symbols
}

// markLive marks the live sections. Without GCSections, all sections are live.
// With it, sections are live if exported symbols, symbols named in the options
// or retained sections reach them. Sections that are not loaded are live, and
// reach nothing.
func (l *linker) markLive() {
	if !l.opt.GCSections {
		for _, id := range l.order {
			l.secs[id].live = true
		}
		return
	}
	m := marker{l: l, dependents: map[secID][]secID{}, named: map[string][]secID{}}
	for _, id := range l.order {
		m.addRoot(id)
	}
	for i := range l.syms {
		if s := &l.syms[i]; s.exported() {
			m.markSymbol(s)
		}
	}
	for _, name := range l.opt.Undefined {
		m.markName(name)
	}
	m.markName(l.opt.Entry)
	for len(m.queue) > 0 {
		id := m.queue[len(m.queue)-1]
		m.queue = m.queue[:len(m.queue)-1]
		m.follow(id)
	}
}

// markName marks the definition of the symbol with a name.
func (m *marker) markName(name string) {
	if id := m.l.findSymbol(name); id != 0 && name != "" {
		m.markSymbol(&m.l.syms[id])
	}
}

// addRoot marks a section that must be retained.
func (m *marker) addRoot(id secID) {
	s := &m.l.secs[id]
	if to := m.l.describes(id); to != 0 {
		m.dependents[to] = append(m.dependents[to], id)
		return
	}
	name := string(m.l.bytes(s.name))
	switch {
	case s.flags&shfAlloc == 0:
		if s.next == 0 {
			s.live = true
		}
	case name == ".eh_frame":
		s.live = true // it describes code and retains none
	case s.flags&shfRetain != 0 || mustStay(s, name):
		m.mark(id)
	case isCIdentifier(name):
		m.named[name] = append(m.named[name], id)
	}
}

// mustStay reports whether a loader requires the section.
func mustStay(s *section, name string) bool {
	switch s.typ {
	case co.SHT_INIT_ARRAY, co.SHT_FINI_ARRAY, co.SHT_PREINIT_ARRAY:
		return true
	case co.SHT_NOTE:
		return s.next == 0
	}
	for _, p := range []string{".ctors", ".dtors", ".init", ".fini", ".jcr"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// mark marks a section and its group.
func (m *marker) mark(id secID) {
	for s := &m.l.secs[id]; !s.live && (s.kind == secRegular || s.kind == secMerge || s.kind == secSynth); s = &m.l.secs[id] {
		s.live = true
		m.queue = append(m.queue, id)
		if s.next != 0 {
			id = s.next
		}
	}
}

// markAt marks the section contents at an offset: a piece of a mergeable
// section.
func (m *marker) markAt(id secID, off uint64) {
	s := &m.l.secs[id]
	if s.kind == secMerge {
		if p := m.l.synth.inputs[s.merge].at(off, s.size); p != nil {
			p.live = true
		}
	}
	m.mark(id)
}

func (m *marker) markSymbol(s *symbol) {
	s.needed = true
	switch {
	case s.kind == symDefined && s.sec > 0:
		m.markAt(secID(s.sec), s.value)
	case s.kind == symUndefined && len(m.named) > 0:
		for _, prefix := range []string{"__start_", "__stop_"} {
			if name, ok := bytes.CutPrefix(m.l.bytes(s.name), []byte(prefix)); ok {
				for _, id := range m.named[string(name)] {
					m.mark(id)
				}
			}
		}
	}
}

// follow marks the sections that a section refers to.
func (m *marker) follow(id secID) {
	s := &m.l.secs[id]
	for _, dep := range m.dependents[id] {
		m.mark(dep)
	}
	if s.rela.size == 0 {
		return
	}
	relas := m.l.bytes(s.rela)
	f := m.l.files[s.file]
	for at := 0; at < len(relas); at += relaSize {
		r := readRela(relas[at:])
		switch {
		case int(r.sym) >= f.numSyms(): // reported when it is scanned
		case int(r.sym) >= f.firstGlobal:
			m.markSymbol(&m.l.syms[f.globals[int(r.sym)-f.firstGlobal]])
		default:
			raw := readSym(f.symtab[int(r.sym)*symSize:])
			off := raw.value
			if raw.typ() == co.STT_SECTION {
				off += uint64(r.addend)
			}
			if in, err := f.sectionOf(&raw, int(r.sym)); err == nil && in > 0 {
				m.markAt(m.l.secOf(f, in), off)
			}
		}
	}
}
