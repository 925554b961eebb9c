package inspect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/ar"
)

// The sections of host files that hold offload bundles. Section names of a PE
// file have at most eight letters.
const (
	fatbinSection   = ".hip_fatbin"
	fatbinSectionPE = ".hip_fat"

	offloadSectionPE = ".llvm.of" // truncated .llvm.offloading
)

// offloadSections lists the sections that hold LLVM's offload binaries: in
// objects, and in clang's linked output.
var offloadSections = [...]string{".llvm.offloading", ".llvm.rodata.offloading"}

// container is a file, or a file inside one, with its location.
type container struct {
	view
	base   uint64 // of the view, in the file or in the member
	member string // "" for the file itself
	depth  int    // nesting depth
}

// Limits of nested files.
const (
	maxDepth       = 4
	maxSections    = 1 << 20  // sections read of an ELF file
	maxNameTable   = 64 << 20 // bytes of the section names of an ELF file
	maxSectionName = 1 << 10
)

// contents reads the contents of a container; found reports whether it has any.
// It returns an error of the container as a whole; others are findings.
func (r *reader) contents(c container, format Format) (found bool, err error) {
	switch format {
	case FormatArchive, FormatThinArchive:
		return true, r.archive(c)
	case FormatBundle, FormatCompressed, FormatOffload:
		r.bundles(c)
		return true, nil
	case FormatHost:
		return r.elf(c)
	case FormatHostPE:
		return r.pe(c)
	}
	return false, nil
}

// addEntry adds an entry of a bundle, and the contents of an entry that is an
// archive or a bundle itself.
func (r *reader) addEntry(e Entry, depth int) {
	e.Format = e.data.format()
	r.f.Entries = append(r.f.Entries, e)
	switch e.Format {
	case FormatArchive, FormatBundle, FormatCompressed, FormatOffload:
		r.member(inside(e.Member, e.ID), e.data, depth+1)
	}
}

// inside returns the name of a file in a member, in the syntax of linkers.
func inside(member, name string) string {
	if member == "" {
		return name
	}
	return member + "(" + name + ")"
}

// part is a section of a host file.
type part struct {
	name         string
	offset, size uint64
}

// sectionBundles reads the bundles of sections; found reports whether any
// section may have bundles.
func (r *reader) sectionBundles(c container, sections []part) (found bool, err error) {
	left := c.size // bounds the time for overlapping sections in a small file
	for _, s := range sections {
		found = true
		if s.offset > c.size || s.size > c.size-s.offset {
			return true, formatErrorf(min(s.offset, c.size), "section %s of %d bytes at %#x reaches beyond the end at %d", s.name, s.size, s.offset, c.size)
		}
		if s.size > left {
			return true, formatErrorf(s.offset, "section %s overlaps others with offload bundles", s.name)
		}
		left -= s.size
		data := c.sub(s.offset, s.size)
		if id, ok := strings.CutPrefix(s.name, bundleMagic); ok { // a part of a bundle, stored in an object by clang-offload-bundler
			r.f.Bundles = append(r.f.Bundles, Bundle{Member: c.member, Offset: c.base + s.offset, Size: s.size})
			r.addEntry(Entry{ID: id, Bundle: len(r.f.Bundles), Member: c.member, Offset: c.base + s.offset, Size: s.size, data: data}, c.depth)
			continue
		}
		r.bundles(container{data, c.base + s.offset, c.member, c.depth})
	}
	return found, nil
}

// holdsBundles reports whether a section of this name holds offload bundles or
// offload binaries.
func holdsBundles(name string) bool {
	return name == fatbinSection || strings.HasPrefix(name, fatbinSection+".") || slices.Contains(offloadSections[:], name) || strings.HasPrefix(name, bundleMagic)
}

// elf reads the offload bundles of an ELF file of the host.
func (r *reader) elf(c container) (found bool, err error) {
	sections, err := elfSections(c.view)
	if err != nil {
		return false, err
	}
	return r.sectionBundles(c, sections)
}

// Offsets in the headers of 64-bit ELF files. Source: System V ABI, Object
// Files.
const (
	elfHead     = 64
	elfShOff    = 40
	elfShNum    = 60
	elfShStrNdx = 62
	elfSection  = 64 // size of a section header, and offsets in it:
	elfShType   = 4
	elfShOffset = 24
	elfShSize   = 32
	elfShLink   = 40
	elfXIndex   = 0xffff // the index is in the first section header
)

// elfSections returns the sections of an ELF file of the host that hold bundles.
func elfSections(v view) (list []part, _ error) {
	head := v.bytes(0, elfHead)
	if len(head) < elfHead || head[4] != byte(codeobject.ELFCLASS64) || head[5] != 1 {
		return nil, formatErrorf(4, "an ELF file of another machine, which is not of 64 bits and little endian")
	}
	off := binary.LittleEndian.Uint64(head[elfShOff:])
	if off == 0 {
		return nil, nil
	}
	if off > v.size || v.size-off < elfSection {
		return nil, formatErrorf(elfShOff, "the section header table at %#x is beyond the end at %d", off, v.size)
	}
	num, names := uint64(binary.LittleEndian.Uint16(head[elfShNum:])), uint64(binary.LittleEndian.Uint16(head[elfShStrNdx:]))
	first := v.bytes(off, elfSection)
	if num == 0 {
		num = binary.LittleEndian.Uint64(first[elfShSize:])
	}
	if names == elfXIndex {
		names = uint64(binary.LittleEndian.Uint32(first[elfShLink:]))
	}
	if num > (v.size-off)/elfSection || num > maxSections {
		return nil, formatErrorf(elfShNum, "%d section headers reach beyond the end at %d, or are more than %d", num, v.size, maxSections)
	}
	place := func(row []byte) part {
		return part{offset: binary.LittleEndian.Uint64(row[elfShOffset:]), size: binary.LittleEndian.Uint64(row[elfShSize:])}
	}
	var text []byte
	if names < num {
		p := place(v.bytes(off+names*elfSection, elfSection))
		if p.size > maxNameTable {
			return nil, formatErrorf(off+names*elfSection+elfShSize, "the section names have %d bytes, more than %d", p.size, maxNameTable)
		}
		text = v.bytes(p.offset, p.size)
	}
	v.rows(off, num, elfSection, func(_ uint64, row []byte) {
		if t := codeobject.SectionType(binary.LittleEndian.Uint32(row[elfShType:])); t == codeobject.SHT_NULL || t == codeobject.SHT_NOBITS {
			return
		}
		if n := binary.LittleEndian.Uint32(row); uint64(n) < uint64(len(text)) {
			name, _, _ := bytes.Cut(text[n:min(len(text), int(n)+maxSectionName)], []byte{0})
			if p := place(row); holdsBundles(string(name)) {
				p.name = string(name)
				list = append(list, p)
			}
		}
	})
	return list, nil
}

// Offsets in PE files. Source: Microsoft, PE Format.
const (
	peAt          = 0x3c // of the offset of the signature
	peSignature   = "PE\x00\x00"
	peHead        = 24 // with the signature
	peNumSections = 6
	peOptional    = 20 // size of the optional header, which precedes the sections
	peSection     = 40 // size of a section header, and offsets in it:
	peVirtualSize = 8
	peSize        = 16
	peOffset      = 20
)

// pe reads the offload bundles of a PE file.
func (r *reader) pe(c container) (found bool, err error) {
	start := c.bytes(0, peAt+4)
	if len(start) < peAt+4 {
		return false, formatErrorf(0, "the PE file ends in its header")
	}
	at := uint64(binary.LittleEndian.Uint32(start[peAt:]))
	head := c.bytes(at, peHead)
	if len(head) < peHead || string(head[:4]) != peSignature {
		return false, formatErrorf(peAt, "no PE signature at %#x", at)
	}
	num := uint64(binary.LittleEndian.Uint16(head[peNumSections:]))
	table := at + peHead + uint64(binary.LittleEndian.Uint16(head[peOptional:]))
	if table > c.size || num > (c.size-table)/peSection {
		return false, formatErrorf(at+peNumSections, "%d section headers reach beyond the end at %d", num, c.size)
	}
	var list []part
	c.rows(table, num, peSection, func(_ uint64, row []byte) {
		name, _, _ := strings.Cut(string(row[:8]), "\x00")
		if name != fatbinSectionPE && name != offloadSectionPE {
			return
		}
		size := binary.LittleEndian.Uint32(row[peSize:])
		if n := binary.LittleEndian.Uint32(row[peVirtualSize:]); n > 0 {
			size = min(size, n) // the rest is padding
		}
		list = append(list, part{name, uint64(binary.LittleEndian.Uint32(row[peOffset:])), uint64(size)})
	})
	return r.sectionBundles(c, list)
}

// archive reads the members of an archive.
func (r *reader) archive(c container) error {
	list, err := ar.Scan(c, int64(c.size))
	for i := range list {
		m := &list[i]
		name := inside(c.member, m.Name)
		if !m.Thin {
			r.member(name, c.sub(m.Offset, m.Size), c.depth+1)
		} else if v, err := r.thinMember(m, c.depth); err != nil {
			r.addf(m.Offset, name, "%v", err)
		} else {
			r.member(name, v, c.depth+1)
		}
	}
	var bad *ar.Error
	if errors.As(err, &bad) {
		if c.member == "" {
			return formatErrorf(bad.Offset, "%s", bad.Message)
		}
		r.addf(uint64(bad.Offset), c.member, "%s", bad.Message)
		return nil
	}
	return err
}

// thinMember opens the file of a thin archive's member. Only the inspected
// archive itself may refer to files.
func (r *reader) thinMember(m *ar.Member, depth int) (view, error) {
	if r.open == nil || depth > 0 {
		return view{}, fmt.Errorf("the member is in another file, which is not read")
	}
	file, size, err := r.open(m.Name)
	if err != nil {
		return view{}, err
	}
	return view{r: file, size: uint64(size), fail: &r.fail}, nil
}

// member reads a member of an archive, or the contents of an entry of a bundle.
func (r *reader) member(name string, v view, depth int) {
	format := v.format()
	if format == FormatObject || format == FormatBitcode {
		r.f.Entries = append(r.f.Entries, Entry{Member: name, Size: v.size, Format: format, data: v})
		return
	}
	if depth > maxDepth {
		r.addf(0, name, "archives and bundles are nested more than %d deep", maxDepth)
		return
	}
	if _, err := r.contents(container{view: v, member: name, depth: depth}, format); err != nil {
		r.addf(0, name, "%v", err)
	}
}
