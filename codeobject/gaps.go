package codeobject

import (
	"bytes"
	"cmp"
	"slices"
)

// span is the range [start, end) of the file.
type span struct{ start, end uint64 }

// gaps records the parts of the file outside the headers, tables and sections.
func (r *reader) gaps() error {
	var at uint64 // end of the covered range
	for _, s := range r.spans() {
		if s.start > at {
			r.gap(at, s.start)
		}
		at = max(at, s.end)
	}
	r.gap(at, uint64(len(r.data)))
	return nil
}

// spans returns the ranges of the headers, tables and sections, sorted by
// start.
func (r *reader) spans() []span {
	o, c := r.o, r.class
	list := make([]span, 0, len(o.Sections)+3)
	add := func(off, size uint64) {
		if size > 0 {
			list = append(list, span{off, off + size})
		}
	}
	add(0, c.ehSize())
	add(o.PhOff, uint64(len(o.Segments))*c.phSize())
	add(o.ShOff, uint64(o.sectionHeaders())*c.shSize())
	for _, s := range o.Sections {
		add(s.Offset, uint64(len(s.Data)))
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	return list
}

// gap keeps the bytes from start to end unless they are written anyway.
func (r *reader) gap(start, end uint64) {
	b := r.data[start:end:end]
	zeros := len(bytes.TrimRight(b, "\x00")) == 0
	if len(b) > 0 && (!zeros || end == uint64(len(r.data))) {
		r.o.Gaps = append(r.o.Gaps, Gap{start, b})
	}
}
