package link

import (
	"bytes"
	"sort"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// piece is a string or an entry of a mergeable input section.
type piece struct {
	in    uint32 // offset in the section
	entry uint32 // 1 + index in the merged section's entries, 0 before merging
	hash  uint32
	live  bool
}

// mergeInput is a mergeable input section divided into pieces.
type mergeInput struct {
	sec    secID
	merged int32 // index in synthetics.merged, -1 for none
	pieces []piece
}

// mergeShards is the number of parts of a merged section. An entry's hash
// selects its part, as in ld.lld, which builds the parts in parallel.
const (
	mergeShards     = 32
	mergeShardShift = 31 - 5
)

// mergedSection holds the distinct pieces of its input sections.
type mergedSection struct {
	sec     secID // its entry among the input sections
	typ     co.SectionType
	flags   uint32
	entsize uint32
	align   uint32
	inputs  []int32

	entries []mergeEntry
	table   []uint32 // 1 + index in entries
	shard   [mergeShards]uint64
}

type mergeEntry struct {
	data []byte
	off  uint64 // within the shard
	hash uint32
}

// split splits a mergeable section into zero-terminated strings or entries of a
// fixed size. It reports whether the section can be split.
func (l *linker) split(id secID) bool {
	s := &l.secs[id]
	data := l.bytes(s.data)
	live := s.flags&shfAlloc == 0 || !l.opt.GCSections
	in := mergeInput{sec: id, merged: -1}
	pieces := l.synth.pieces
	first := len(pieces)
	size := int(s.entsize)
	for at := 0; at < len(data); {
		n, hashed := size, size
		if s.flags&shfStrings != 0 {
			n = stringSize(data[at:], size)
			if n < 0 {
				l.errs.errorf("%s: unterminated string at %#x", l.placeIn(s, 0), at)
				return false
			}
			hashed = n - size
		}
		pieces = append(pieces, piece{in: uint32(at), hash: uint32(xxh3(data[at:at+hashed])) >> 1, live: live})
		at += n
	}
	l.synth.pieces, in.pieces = pieces, pieces[first:len(pieces):len(pieces)]
	s.merge = int32(len(l.synth.inputs))
	l.synth.inputs = append(l.synth.inputs, in)
	return true
}

// stringSize returns the size in bytes of a string of char-byte characters,
// including its terminator, or -1 if it has no terminator.
func stringSize(b []byte, char int) int {
	if char == 1 {
		if n := bytes.IndexByte(b, 0); n >= 0 {
			return n + 1
		}
		return -1
	}
	for at := 0; at+char <= len(b); at += char {
		if allZero(b[at : at+char]) {
			return at + char
		}
	}
	return -1
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// at returns the piece that contains an offset, nil if the offset is out of
// range.
func (m *mergeInput) at(off uint64, size uint64) *piece {
	if off >= size {
		return nil
	}
	i := sort.Search(len(m.pieces), func(i int) bool { return uint64(m.pieces[i].in) > off })
	return &m.pieces[i-1]
}

// mergeInto adds a mergeable section to a compatible merged section of the
// output section, or to a new one, and returns it. Strings with different
// alignments are not merged.
func (l *linker) mergeInto(out *outSection, id secID) {
	s := &l.secs[id]
	in := s.merge
	for _, m := range out.merged {
		ms := &l.synth.merged[m]
		if ms.flags == s.flags && ms.entsize == s.entsize && (ms.align == s.align || s.flags&shfStrings == 0) {
			ms.inputs = append(ms.inputs, in)
			ms.align = max(ms.align, s.align)
			l.synth.inputs[in].merged = m
			return
		}
	}
	m := int32(len(l.synth.merged))
	own := l.ownSection("", s.typ, s.flags, s.align, s.entsize)
	s = &l.secs[id]
	l.secs[own].name = s.name
	l.secs[own].kind, l.secs[own].merge = secMerged, m
	l.synth.merged = append(l.synth.merged, mergedSection{
		sec: own, typ: l.secs[own].typ, flags: l.secs[own].flags, entsize: l.secs[own].entsize, align: l.secs[own].align, inputs: []int32{in}})
	l.synth.inputs[in].merged = m
	out.merged = append(out.merged, m)
	out.inputs = append(out.inputs, own)
}

// merge computes the entries of a merged section and their offsets.
func (l *linker) merge(m *mergedSection) {
	total := 0
	for _, i := range m.inputs {
		total += len(l.synth.inputs[i].pieces)
	}
	size := 16
	for size < 2*total {
		size *= 2
	}
	m.table = make([]uint32, size)
	for _, i := range m.inputs {
		in := &l.synth.inputs[i]
		data := l.bytes(l.secs[in.sec].data)
		for k := range in.pieces {
			p := &in.pieces[k]
			if !p.live {
				continue
			}
			end := len(data)
			if k+1 < len(in.pieces) {
				end = int(in.pieces[k+1].in)
			}
			p.entry = m.addEntry(data[p.in:end], p.hash)
		}
	}
	off := uint64(0)
	for i := range m.shard {
		if n := m.shard[i]; n > 0 {
			off = alignUp(off, uint64(m.align))
			m.shard[i] = off
			off += n
		}
	}
	s := &l.secs[m.sec]
	s.size, s.align = off, m.align
	m.table = nil
}

// addEntry returns 1 + the index of an entry, adding the entry if necessary.
func (m *mergedSection) addEntry(data []byte, hash uint32) uint32 {
	mask := uint32(len(m.table) - 1)
	i := hash & mask
	for ; m.table[i] != 0; i = (i + 1) & mask {
		if e := &m.entries[m.table[i]-1]; e.hash == hash && bytes.Equal(e.data, data) {
			return m.table[i]
		}
	}
	shard := &m.shard[hash>>mergeShardShift]
	off := alignUp(*shard, uint64(m.align))
	*shard = off + uint64(len(data))
	m.entries = append(m.entries, mergeEntry{data, off, hash})
	m.table[i] = uint32(len(m.entries))
	return m.table[i]
}

// entryOffset returns an entry's offset in the merged section.
func (m *mergedSection) entryOffset(entry uint32) uint64 {
	e := &m.entries[entry-1]
	return m.shard[e.hash>>mergeShardShift] + e.off
}

// mergedOffset maps an offset in a mergeable input section to its merged
// section. It reports false if the offset is out of range or the piece is not
// live.
func (l *linker) mergedOffset(s *section, off uint64) (sec secID, at uint64, ok bool) {
	in := &l.synth.inputs[s.merge]
	p := in.at(off, s.size)
	if p == nil || p.entry == 0 {
		return 0, 0, false
	}
	m := &l.synth.merged[in.merged]
	return m.sec, m.entryOffset(p.entry) + off - uint64(p.in), true
}

// write writes a merged section.
func (m *mergedSection) write(buf []byte) {
	for i := range m.entries {
		e := &m.entries[i]
		copy(buf[m.shard[e.hash>>mergeShardShift]+e.off:], e.data)
	}
}
