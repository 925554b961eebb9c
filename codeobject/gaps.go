package codeobject

import (
	"bytes"
	"cmp"
	"slices"
)

// span is a range of the file, from start up to and without end.
type span struct{ start, end uint64 }

// gaps notes what of the file lies outside of the headers, tables and sections.
func (r *reader) gaps() error {
	var at uint64 // up to here the file is covered
	for _, s := range r.spans() {
		if s.start > at {
			r.gap(at, s.start)
		}
		at = max(at, s.end)
	}
	r.gap(at, uint64(len(r.data)))
	return nil
}

// spans gives what the headers, tables and sections cover, by start.
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

// gap keeps the bytes from start to end unless writing gives them anyway.
func (r *reader) gap(start, end uint64) {
	b := r.data[start:end:end]
	zeros := len(bytes.TrimRight(b, "\x00")) == 0
	if len(b) > 0 && (!zeros || end == uint64(len(r.data))) {
		r.o.Gaps = append(r.o.Gaps, Gap{start, b})
	}
}
