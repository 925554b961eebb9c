package link

import (
	"cmp"
	"slices"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// segment is a program header and the output sections that it spans.
type segment struct {
	typ, flags  uint32
	align       uint64
	first, last int // indices in linker.outs, -1 for none
	headers     bool
	off, addr   uint64
	fileSize    uint64
	memSize     uint64
}

func (p *segment) addSections(outs []*outSection, i int) {
	if p.first < 0 {
		p.first = i
	}
	p.last = i
	p.align = max(p.align, outs[i].align)
}

// layOut assigns addresses and offsets to sections and segments.
func (l *linker) layOut() {
	l.sortSections()
	l.placeReserved()
	l.makeDynamic()
	l.makeSymTab()
	l.nameSections()
	if len(l.errs.list) > 0 {
		return
	}
	for _, out := range l.outs {
		l.placeInputs(out)
	}
	l.sortLinkOrdered()
	l.makeSegments()
	l.segRoom = len(l.segs)
	l.assignAddresses()
	l.removeEmptyLoads()
	l.assignOffsets()
	l.setSegments()
	l.linkSections()
	l.placeSymbols()
}

// nameSections builds .shstrtab.
func (l *linker) nameSections() {
	at := map[string]uint32{"": 0}
	size := uint32(1)
	for _, out := range l.outs {
		off, ok := at[out.name]
		if !ok {
			off = size
			at[out.name] = off
			size += uint32(len(out.name)) + 1
		}
		out.nameOff = off
	}
	l.secs[l.synth.shstrtab].size = uint64(size)
}

func loaded(out *outSection) bool {
	return out.flags&shfAlloc != 0 && (out.flags&shfTLS == 0 || out.typ != co.SHT_NOBITS)
}

// permissions returns the p_flags of a section.
func permissions(out *outSection) uint32 {
	p := uint32(pfR)
	if out.flags&shfWrite != 0 {
		p |= pfW
	}
	if out.flags&shfExec != 0 {
		p |= pfX
	}
	return p
}

// makeSegments builds the program headers. Each run of sections with the same
// permissions becomes one PT_LOAD. A run also ends after the sections that are
// protected after relocation, and after those without contents.
func (l *linker) makeSegments() {
	l.addSegment(ptPhdr, pfR, wordSize).headers = true
	load := l.addSegment(ptLoad, pfR, pageSize)
	load.headers = true
	at := len(l.segs) - 1
	var relro []segment
	inRelro := false
	for i, out := range l.outs {
		if !loaded(out) {
			continue
		}
		endsRelro := inRelro && !out.relro
		if out.relro {
			if !inRelro {
				relro = append(relro, segment{typ: ptGNURelro, flags: pfR, first: -1, last: -1})
			}
			relro[len(relro)-1].addSections(l.outs, i)
		}
		inRelro = out.relro
		load := &l.segs[at]
		flags := permissions(out)
		afterNobits := load.last >= 0 && l.outs[load.last].typ == co.SHT_NOBITS && out.typ != co.SHT_NOBITS
		if flags != load.flags || endsRelro || afterNobits {
			load = l.addSegment(ptLoad, flags, pageSize)
			at = len(l.segs) - 1
		}
		load.addSections(l.outs, i)
		out.segment = at
	}
	l.addSpecialSegments(relro)
	for i := range l.segs {
		if p := &l.segs[i]; p.typ == ptLoad && p.first >= 0 && !p.headers {
			l.outs[p.first].first = true
		}
	}
}

func (l *linker) addSegment(typ, flags uint32, align uint64) *segment {
	l.segs = append(l.segs, segment{typ: typ, flags: flags, align: align, first: -1, last: -1})
	return &l.segs[len(l.segs)-1]
}

// addSpecialSegments adds the segments other than PT_LOAD.
func (l *linker) addSpecialSegments(relro []segment) {
	tls := segment{typ: ptTLS, flags: pfR, first: -1, last: -1}
	for i, out := range l.outs {
		if out.flags&shfTLS != 0 {
			tls.addSections(l.outs, i)
		}
	}
	if tls.first >= 0 {
		l.segs = append(l.segs, tls)
	}
	dynamic := int(l.secs[l.synth.dynamic].out)
	l.addSegment(ptDynamic, permissions(l.outs[dynamic]), 0).addSections(l.outs, dynamic)
	for _, p := range relro {
		p.align = 1
		l.segs = append(l.segs, p)
	}
	l.addSegment(ptGNUStack, pfR|pfW, 0)
	var note *segment
	for i, out := range l.outs {
		switch {
		case out.typ != co.SHT_NOTE || out.flags&shfAlloc == 0:
			note = nil
			continue
		case note == nil || l.outs[note.last].align != out.align:
			note = l.addSegment(ptNote, pfR, 0)
		}
		note.addSections(l.outs, i)
	}
}

// headerSize returns the size of the headers at the start of the file. It
// includes segments that were removed because they are empty.
func (l *linker) headerSize() uint64 { return ehSize + phSize*uint64(l.segRoom) }

// assignAddresses lays out sections in memory. A segment begins in a new page,
// at the page offset where the previous one ended, so that the file needs no
// padding.
func (l *linker) assignAddresses() {
	dot := l.headerSize()
	tls := uint64(0) // end of the thread-local sections without contents
	for i, out := range l.outs {
		if out.flags&shfAlloc == 0 {
			l.placeInputs(out)
			continue
		}
		if out.first {
			dot = alignUp(dot, pageSize) + dot%pageSize
		}
		start := dot
		if !loaded(out) {
			start = max(dot, tls)
		}
		out.addr = alignUp(start, out.align)
		l.placeInputs(out)
		if !loaded(out) {
			tls = out.addr + out.size
			continue
		}
		dot = out.addr + out.size
		if int32(i) == l.secs[l.synth.relro].out {
			// The section fills its last page; the next segment begins in the
			// following one.
			out.size = alignUp(dot, pageSize) - out.addr
		}
		if dot > maxSecSize {
			l.errs.errorf("section %s ends at address %#x, above the limit %#x", out.name, dot, uint64(maxSecSize))
			return
		}
	}
}

// placeInputs lays out the inputs of an output section.
func (l *linker) placeInputs(out *outSection) {
	off := uint64(0)
	for _, id := range out.inputs {
		s := &l.secs[id]
		s.outOff = alignUp(off, uint64(s.align))
		off = s.outOff + s.size
		if off > 2*maxSecSize {
			l.errs.errorf("output section %s has more than %d bytes", out.name, uint64(maxSecSize))
			return
		}
	}
	out.size = off
}

// removeEmptyLoads removes PT_LOAD segments without sections.
func (l *linker) removeEmptyLoads() {
	kept := l.segs[:0]
	to := make([]int, len(l.segs))
	for i, p := range l.segs {
		to[i] = -1
		if p.typ == ptLoad && !p.headers {
			last := l.outs[p.last]
			if last.addr+last.size == l.outs[p.first].addr {
				continue
			}
		}
		to[i] = len(kept)
		kept = append(kept, p)
	}
	l.segs = kept
	for _, out := range l.outs {
		if out.segment >= 0 {
			out.segment = to[out.segment]
		}
	}
}

// assignOffsets lays out sections in the file. Sections in a segment have the
// same order as in memory; the others follow.
func (l *linker) assignOffsets() {
	off := l.headerSize()
	input := l.total
	for _, out := range l.outs {
		if out.flags&shfAlloc == 0 {
			continue
		}
		off = l.offsetOf(out, off)
		out.off = off
		if out.typ != co.SHT_NOBITS {
			off += out.size
		}
	}
	for _, out := range l.outs {
		if out.flags&shfAlloc == 0 {
			out.off = alignUp(off, out.align)
			off = out.off + out.size
		}
	}
	l.shOff = alignUp(off, wordSize)
	l.size = l.shOff + uint64(len(l.outs)+1)*shSize
	// The sizes of symbol and hash tables are bounded by a small multiple of
	// the input size.
	if limit := 16*input + maxPadding; l.size > limit || off > limit {
		l.errs.errorf("the output would have %d bytes for %d bytes of inputs: an alignment is too large, or a large section without contents precedes one with contents", l.size, input)
	}
}

// maxPadding is the maximum padding for alignment in the output, in bytes.
const maxPadding = 16 << 20

func (l *linker) offsetOf(out *outSection, off uint64) uint64 {
	if out.segment < 0 {
		if out.typ == co.SHT_NOBITS {
			return off
		}
		return alignUp(off, out.align)
	}
	p := &l.segs[out.segment]
	switch {
	case out.first:
		// the next offset congruent to the address
		return off + (out.addr-off)&(p.align-1)
	case out.typ == co.SHT_NOBITS:
		return off
	case p.headers:
		return out.addr
	}
	first := l.outs[p.first]
	return first.off + out.addr - first.addr
}

// setSegments fills in the program headers.
func (l *linker) setSegments() {
	for i := range l.segs {
		p := &l.segs[i]
		switch {
		case p.typ == ptPhdr:
			p.off, p.addr = ehSize, ehSize
			p.fileSize = l.headerSize() - ehSize
			p.memSize = p.fileSize
			continue
		case p.first < 0 && !p.headers:
			continue
		case p.first < 0:
			p.fileSize = l.headerSize()
			p.memSize = p.fileSize
			continue
		}
		if !p.headers {
			p.off, p.addr = l.outs[p.first].off, l.outs[p.first].addr
		}
		last := l.outs[p.last]
		p.fileSize = last.off - p.off
		if last.typ != co.SHT_NOBITS {
			p.fileSize += last.size
		}
		p.memSize = last.addr + last.size - p.addr
	}
}

// linkSections sets sh_link and sh_info of the linker's own tables.
func (l *linker) linkSections() {
	y := &l.synth
	out := func(id secID) *outSection {
		if id == 0 || l.secs[id].out < 0 {
			return &outSection{}
		}
		return l.outs[l.secs[id].out]
	}
	for _, link := range []struct{ from, to secID }{
		{y.dynsym, y.dynstr}, {y.gnuHash, y.dynsym}, {y.hash, y.dynsym}, {y.dynamic, y.dynstr},
		{y.rela, y.dynsym}, {y.symtab, y.strtab},
	} {
		out(link.from).link = out(link.to).index
	}
	out(y.dynsym).info = 1
	out(y.symtab).info = uint32(l.synth.table.locals + 1)
	l.linkOrdered()
}

// linkOrdered sets sh_link of sections that describe others (SHF_LINK_ORDER).
func (l *linker) linkOrdered() {
	for _, o := range l.outs {
		if o.flags&shfLinkOrder == 0 {
			continue
		}
		for _, id := range o.inputs {
			if to := l.describes(id); to != 0 && l.secs[to].out >= 0 {
				o.link = l.outs[l.secs[to].out].index
				break
			}
		}
	}
}

// describes returns the section that another one describes (SHF_LINK_ORDER), 0
// for none.
func (l *linker) describes(id secID) secID {
	s := &l.secs[id]
	if s.flags&shfLinkOrder == 0 || s.file < 0 || s.link == 0 || uint64(s.link) >= uint64(l.files[s.file].numSecs()) {
		return 0
	}
	return l.secOf(l.files[s.file], int(s.link))
}

// sortLinkOrdered sorts sections by the order of the sections that they
// describe.
func (l *linker) sortLinkOrdered() {
	for _, o := range l.outs {
		if o.flags&shfLinkOrder == 0 {
			continue
		}
		slices.SortStableFunc(o.inputs, func(a, b secID) int {
			x, y := l.describes(a), l.describes(b)
			switch {
			case x == 0 || y == 0:
				return btoi(x == 0) - btoi(y == 0)
			case l.secs[x].out != l.secs[y].out:
				return int(l.secs[x].out - l.secs[y].out)
			}
			return cmp.Compare(l.secs[x].outOff, l.secs[y].outOff)
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
