package compile

import (
	"encoding/binary"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// listsXNACK reports whether LLVM writes .amdhsa_reserve_xnack_mask.
func (k *kernel) listsXNACK() bool { return k.target.XNACK != target.Unsupported && k.target.COV <= 5 }

// variable writes a variable with its initializer.
func (w *textWriter) variable(c *chunk) {
	s := w.p.symbols[c.symbol]
	name := quoted(s.name)
	w.printf("\t.type\t%s,@object\n", name)
	w.linkage(s)
	w.align(c.align)
	w.printf("%s:\n", name)
	sec := w.p.sections[c.section]
	if sec.typ == codeobject.SHT_NOBITS {
		w.printf("\t.zero\t%d\n", c.to-c.from)
	} else {
		w.data(sec, c.from, c.to)
	}
	w.printf("\t.size\t%s, %d\n", name, c.to-c.from)
}

// data writes a part of a section.
func (w *textWriter) data(sec *section, from, to uint64) {
	first, _ := slices.BinarySearchFunc(sec.relocs, from, func(r reloc, at uint64) int { return int(int64(r.offset) - int64(at)) })
	for _, r := range sec.relocs[first:] {
		if r.offset >= to {
			break
		}
		w.bytes(sec.data[from:r.offset])
		directive, size := ".quad", uint64(8)
		if r.typ == codeobject.R_AMDGPU_ABS32 || r.typ == codeobject.R_AMDGPU_REL32 {
			directive, size = ".long", 4
		}
		w.printf("\t%s\t%s", directive, quoted(w.p.symbols[r.symbol].name))
		if r.typ == codeobject.R_AMDGPU_REL32 || r.typ == codeobject.R_AMDGPU_REL64 {
			w.printf("-.")
		}
		if r.addend != 0 {
			w.printf("%+d", r.addend)
		}
		w.printf("\n")
		from = r.offset + size
	}
	w.bytes(sec.data[from:to])
}

// bytes writes bytes: runs of zeros, else eight at a time.
func (w *textWriter) bytes(b []byte) {
	for len(b) > 0 {
		n := 0
		for n < len(b) && b[n] == 0 {
			n++
		}
		switch {
		case n >= 8 || n == len(b):
			w.printf("\t.zero\t%d\n", n)
			b = b[n:]
		case len(b) >= 8:
			w.printf("\t.quad\t%#x\n", binary.LittleEndian.Uint64(b))
			b = b[8:]
		default:
			w.printf("\t.byte\t%d\n", b[0])
			b = b[1:]
		}
	}
}

// common writes a variable that the linker places.
func (w *textWriter) common(c *chunk) {
	s := w.p.symbols[c.symbol]
	if s.special == codeobject.SHN_AMDGPU_LDS {
		w.printf("\t.amdgpu_lds %s, %d, %d\n", quoted(s.name), s.size, c.align)
		return
	}
	w.printf("\t.type\t%s,@object\n\t.comm\t%s,%d,%d\n", quoted(s.name), quoted(s.name), s.size, log2(c.align))
}
