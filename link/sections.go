package link

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"strings"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

const (
	// maxAlign is the maximum alignment of a section, in bytes.
	maxAlign = 1 << 31
	// maxSecSize is the maximum size of a section without contents, in bytes.
	// It prevents overflow in sums of addresses.
	maxSecSize = 1 << 48
)

// load links an object: its sections, then its symbols.
func (l *linker) load(f *file) {
	l.objs = append(l.objs, f)
	if err := l.loadSections(f); err != nil {
		l.errs.addError(err)
		return
	}
	l.loadSymbols(f)
}

func (l *linker) loadSections(f *file) error {
	n := f.numSecs()
	f.base, f.first = len(l.index), secID(len(l.secs))
	tables, groups := 0, 0
	for i := range n {
		typ, id := f.typeOf(i), noContents
		switch typ {
		case co.SHT_RELA, co.SHT_REL:
			tables++
		case co.SHT_GROUP:
			groups++
		}
		if !ignored(typ) || typ == co.SHT_GROUP {
			id = secID(len(l.secs))
			h := f.header(i)
			l.secs = append(l.secs, section{file: f.index, out: -1, merge: -1})
			if err := l.loadSection(f, &l.secs[id], &h, i); err != nil {
				return err
			}
		}
		l.index = append(l.index, id)
	}
	f.end = secID(len(l.secs))
	for id := f.first; id < f.end && groups > 0; id++ {
		if l.secs[id].typ == co.SHT_GROUP {
			if err := l.loadGroup(f, id); err != nil {
				return err
			}
		}
	}
	for i := 1; i < n && tables > 0; i++ {
		if typ := f.typeOf(i); typ == co.SHT_RELA || typ == co.SHT_REL {
			h := f.header(i)
			if err := l.loadRelocations(f, &h, i); err != nil {
				return err
			}
		}
	}
	for id := f.first; id < f.end; id++ {
		if l.secs[id].kind == secRegular {
			if err := l.loadContents(f, &l.secs[id]); err != nil {
				return err
			}
		}
	}
	return nil
}

// ignored reports whether sections of a type have no contents of their own, or
// none that the linker preserves.
func ignored(t co.SectionType) bool {
	switch t {
	case co.SHT_NULL, co.SHT_SYMTAB, co.SHT_STRTAB, co.SHT_SYMTAB_SHNDX, co.SHT_RELA, co.SHT_REL, co.SHT_GROUP,
		co.SHT_LLVM_ADDRSIG, co.SHT_LLVM_DEPLIBS, co.SHT_LLVM_LINKER:
		return true
	}
	return false
}

// loadSection reads a section's header.
func (l *linker) loadSection(f *file, s *section, h *secHeader, i int) error {
	name, ok := stringAt(f.names, h.name)
	if !ok {
		return f.errorf(0, "the name of section %d lies outside the table of names, which has %d bytes", i, len(f.names))
	}
	s.name = view{f.blob, f.namesOff + h.name, uint32(len(name))}
	s.typ, s.size, s.entsize = h.typ, h.size, uint32(min(h.entsize, math.MaxUint32))
	s.flags, s.info, s.link = uint32(h.flags), h.info, h.link
	data, err := f.contents(h, i)
	if err != nil {
		return err
	}
	s.data = view{f.blob, uint32(h.off), uint32(len(data))}
	if h.typ == co.SHT_NOBITS {
		s.data.off = 0
	}
	if h.typ == co.SHT_GROUP {
		return nil
	}
	s.align = uint32(max(h.align, 1))
	switch {
	case h.flags>>32 != 0:
		return f.errorf(0, "section %s has unknown flags %#x", name, h.flags)
	case h.align > maxAlign || h.align&(h.align-1) != 0:
		return f.errorf(0, "section %s has the alignment %d, expected a power of two up to %d", name, h.align, uint64(maxAlign))
	case h.size > maxSecSize:
		return f.errorf(0, "section %s has %d bytes, more than %d", name, h.size, uint64(maxSecSize))
	}
	s.kind = secRegular
	if s.flags&shfExclude != 0 && !l.opt.Relocatable || string(name) == ".note.GNU-stack" ||
		l.opt.Strip != StripNone && isDebug(name) {
		s.kind = secDiscarded
	}
	return nil
}

// isDebug reports whether the section with a name holds debug information.
func isDebug(name []byte) bool {
	return bytes.HasPrefix(name, []byte(".debug")) || bytes.HasPrefix(name, []byte(".zdebug"))
}

// loadGroup links the members of a group in a ring, or discards them if an
// earlier object has a COMDAT group of the same name.
func (l *linker) loadGroup(f *file, id secID) error {
	words := l.bytes(l.secs[id].data)
	if len(words) < 4 || len(words)%4 != 0 {
		return f.errorf(0, "a section group has %d bytes, expected a multiple of 4", len(words))
	}
	signature, err := l.groupSignature(f, &l.secs[id])
	if err != nil {
		return err
	}
	discard := false
	if binary.LittleEndian.Uint32(words)&grpComdat != 0 {
		_, discard = l.comdats[string(signature)]
		if !discard {
			l.comdats[string(signature)] = struct{}{}
		}
	}
	var first, last secID
	for at := 4; at < len(words); at += 4 {
		i := binary.LittleEndian.Uint32(words[at:])
		if i == 0 || uint64(i) >= uint64(f.numSecs()) {
			return f.errorf(0, "a section group has section %d of %d as a member", i, f.numSecs())
		}
		member := l.secOf(f, int(i))
		s := &l.secs[member]
		if member == noContents {
			continue
		}
		if discard {
			s.kind = secDiscarded
		}
		if s.kind == secIgnored || discard || s.next != 0 {
			continue
		}
		if first == 0 {
			first = member
		} else {
			l.secs[last].next = member
		}
		last = member
	}
	if last != 0 {
		l.secs[last].next = first
	}
	if discard {
		l.secs[id].kind = secDiscarded
	}
	return nil
}

// groupSignature returns the name of the symbol that names a group.
func (l *linker) groupSignature(f *file, g *section) ([]byte, error) {
	if uint64(g.info) >= uint64(f.numSyms()) || int(g.link) != f.symtabIndex {
		return nil, f.errorf(0, "a section group is named by symbol %d of section %d", g.info, g.link)
	}
	raw, name, err := f.symbol(int(g.info))
	if err == nil && raw.typ() == co.STT_SECTION && int(raw.shndx) < f.numSecs() {
		name = l.bytes(l.secs[l.secOf(f, int(raw.shndx))].name)
	}
	return name, err
}

// loadRelocations attaches a relocation table to its section.
func (l *linker) loadRelocations(f *file, h *secHeader, i int) error {
	if uint64(h.info) >= uint64(f.numSecs()) || h.info == 0 {
		return f.errorf(0, "the relocations of section %d are for section %d of %d", i, h.info, f.numSecs())
	}
	to := &l.secs[l.secOf(f, int(h.info))]
	name := l.bytes(to.name)
	size := uint64(relaSize)
	if h.typ == co.SHT_REL {
		size = relSize
	}
	switch {
	case to.kind != secRegular || h.size == 0:
		return nil
	case h.entsize != size || h.size%size != 0:
		return f.errorf(0, "%d bytes of relocations for section %s, %d each, expected %d", h.size, name, h.entsize, size)
	case int(h.link) != f.symtabIndex:
		return f.errorf(0, "the relocations of section %s refer to the symbols of section %d, expected %d", name, h.link, f.symtabIndex)
	case to.rela.size != 0:
		return f.errorf(0, "section %s has two tables of relocations", name)
	}
	data, err := f.contents(h, i)
	if f.relBytes += len(data); f.relBytes > len(f.data) {
		return f.errorf(h.off, "the tables of relocations up to section %d have more bytes than the file: they overlap", i)
	}
	to.rela, to.rel = view{f.blob, uint32(h.off), uint32(len(data))}, h.typ == co.SHT_REL
	return err
}

// readAddends reads the addends of SHT_REL relocations from the section
// contents.
func (l *linker) readAddends(s *section) {
	rels, data := l.bytes(s.rela), l.bytes(s.data)
	relas := make([]byte, len(rels)/relSize*relaSize)
	for i := range len(rels) / relSize {
		r := readRel(rels[i*relSize:])
		r.addend, _ = r.typ.ImplicitAddend(data, r.off)
		r.encodeTo(relas[i*relaSize:])
	}
	s.rela = l.ownBytes(relas)
}

// loadContents checks a section's contents, and determines whether it is
// merged.
func (l *linker) loadContents(f *file, s *section) error {
	if s.flags&shfCompress != 0 {
		if err := l.decompress(f, s); err != nil {
			return err
		}
	}
	name := l.bytes(s.name)
	if s.typ == co.SHT_NOBITS && s.rela.size != 0 {
		return f.errorf(0, "section %s has relocations, but no contents (SHT_NOBITS)", name)
	}
	if s.rel {
		l.readAddends(s)
	}
	if !l.opt.Relocatable {
		s.flags &^= shfGroup
	}
	s.flags &^= shfInfoLink
	if s.flags&shfMerge == 0 || s.size == 0 || s.entsize == 0 || l.opt.Relocatable {
		return nil
	}
	switch {
	case s.flags&shfWrite != 0:
		return f.errorf(0, "section %s is writable and mergeable (SHF_MERGE)", name)
	case s.size%uint64(s.entsize) != 0:
		return f.errorf(0, "mergeable section %s has %d bytes, which is not a multiple of its entry size %d", name, s.size, s.entsize)
	case s.typ == co.SHT_NOBITS:
		return nil
	}
	s.kind = secMerge
	return nil
}

// Compression types of an Elf64_Chdr.
const (
	chdrSize = 24
	elfZlib  = 1

	// maxInflate is the maximum expansion factor of a section, in addition to
	// maxPadding. Debug information expands by a factor of less than 20.
	maxInflate = 64
)

// decompress replaces the contents of a compressed section.
func (l *linker) decompress(f *file, s *section) error {
	name, data := l.bytes(s.name), l.bytes(s.data)
	if len(data) < chdrSize {
		return f.errorf(0, "compressed section %s has %d bytes, less than its header", name, len(data))
	}
	typ, size, align := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint64(data[8:]), binary.LittleEndian.Uint64(data[16:])
	if typ != elfZlib {
		return f.errorf(0, "section %s is compressed with method %d; only 1 (zlib) is supported", name, typ)
	}
	if align > maxAlign || align&(align-1) != 0 {
		return f.errorf(0, "section %s has the alignment %d, expected a power of two", name, align)
	}
	z, err := zlib.NewReader(bytes.NewReader(data[chdrSize:]))
	if err != nil {
		return f.errorf(0, "compressed section %s: %v", name, err)
	}
	if size > math.MaxUint32 {
		return f.errorf(0, "compressed section %s would have %d bytes, more than 4 GiB", name, size)
	}
	if size > maxInflate*uint64(len(data))+maxPadding {
		return f.errorf(0, "compressed section %s cannot hold %d bytes", name, size)
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(z, int64(size)+1))
	switch {
	case err != nil:
		return f.errorf(0, "compressed section %s: %v", name, err)
	case uint64(n) != size:
		return f.errorf(0, "compressed section %s does not contain the %d bytes that its header specifies", name, size)
	}
	s.data, s.size, s.align = l.ownBytes(out.Bytes()), size, uint32(max(align, 1))
	s.flags &^= shfCompress
	return nil
}

// collectSections lists the sections in layout order: sections of common
// symbols, sections of the objects, the linker's own.
func (l *linker) collectSections() {
	l.placeCommons()
	for _, f := range l.objs {
		for id := f.first; id < f.end; id++ {
			if k := l.secs[id].kind; k == secRegular || k == secMerge {
				l.order = append(l.order, id)
			}
		}
	}
	l.prepareImage()
	l.layOutLDS()
	l.makeSynthetics()
}

// ownSection adds a section created by the linker.
func (l *linker) ownSection(name string, typ co.SectionType, flags, align, entsize uint32) secID {
	id := secID(len(l.secs))
	l.secs = append(l.secs, section{
		name: l.ownBytes([]byte(name)), typ: typ, flags: flags, align: align, entsize: entsize,
		file: -1, out: -1, merge: -1, kind: secSynth, live: true,
	})
	return id
}

// placeCommons creates a section in .bss for each common symbol, in the order
// of the objects' symbol tables.
func (l *linker) placeCommons() {
	for _, f := range l.objs {
		for _, id := range f.globals {
			s := &l.syms[id]
			if s.kind != symCommon {
				continue
			}
			sec := l.ownSection("COMMON", co.SHT_NOBITS, shfWrite|shfAlloc, uint32(s.value), 0)
			l.secs[sec].size, l.secs[sec].file = min(s.size, maxSecSize), s.file
			l.secs[sec].live = !l.opt.GCSections
			l.order = append(l.order, sec)
			s.kind, s.sec, s.value = symDefined, int32(sec), 0
			if s.typ == co.STT_COMMON {
				s.typ = co.STT_OBJECT
			}
		}
	}
}

// layOutLDS assigns offsets to the symbols in LDS.
func (l *linker) layOutLDS() {
	at, maxZero := uint64(0), uint64(1)
	var dynamic []*symbol
	for i := range l.syms {
		s := &l.syms[i]
		if s.kind != symDefined || !s.lds {
			continue
		}
		align := max(s.value, 1)
		if align&(align-1) != 0 || align > maxAlign || s.size > maxSecSize {
			l.errs.errorf("%s: the LDS symbol %s has the alignment %d and the size %d; expected a power of two, and less than %d",
				l.files[s.file].name, l.bytes(s.name), s.value, s.size, uint64(maxSecSize))
			return
		}
		s.sec = atAbs
		s.mergeVis(co.STV_HIDDEN) // otherwise a loader would treat it as a variable
		if s.size == 0 {
			dynamic, maxZero = append(dynamic, s), max(maxZero, align)
			continue
		}
		s.value = alignUp(at, align)
		if at = s.value + s.size; at > maxSecSize {
			l.errs.errorf("the LDS symbols have more than %d bytes in total", uint64(maxSecSize))
			return
		}
	}
	for _, s := range dynamic {
		s.value = alignUp(at, maxZero)
	}
}

// outputName returns the name of an input section's output section.
func outputName(name []byte) string {
	for _, p := range outputPrefixes {
		if len(name) >= len(p) && string(name[:len(p)]) == p && (len(name) == len(p) || name[len(p)] == '.') {
			return p
		}
	}
	if string(name) == "COMMON" {
		return ".bss"
	}
	return string(name)
}

// outputPrefixes lists the output sections that also contain input sections
// named PREFIX.SUFFIX.
var outputPrefixes = []string{
	".text", ".rodata", ".data.rel.ro", ".data", ".bss.rel.ro", ".bss",
	".init_array", ".fini_array", ".preinit_array", ".ctors", ".dtors",
	".ldata", ".lrodata", ".ltext", ".lbss",
	".gcc_except_table", ".tdata", ".tbss", ".ARM.exidx", ".ARM.extab",
}

// isCIdentifier reports whether a section's name has __start_ and __stop_
// symbols.
func isCIdentifier(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}
