package inspect

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/ar"
)

// The sections of the host's files that hold offload bundles. A PE file has eight
// letters for a name.
const (
	fatbinSection   = ".hip_fatbin"
	fatbinSectionPE = ".hip_fat"
)

// part is a section of a host's file.
type part struct {
	name         string
	offset, size uint64
}

// sectionBundles reads the bundles of the sections that are asked for; found tells
// whether there is one.
func (r *reader) sectionBundles(data []byte, sections []part, member string, want func(name string) bool) (found bool, err error) {
	left := uint64(len(data)) // sections that overlap could make a small file take long
	for _, s := range sections {
		if !want(s.name) {
			continue
		}
		found = true
		if s.offset > uint64(len(data)) || s.size > uint64(len(data))-s.offset {
			return true, formatErrorf(int(min(s.offset, uint64(len(data)))), "section %s of %d bytes at %#x reaches beyond the end at %d", s.name, s.size, s.offset, len(data))
		}
		if s.size > left {
			return true, formatErrorf(int(s.offset), "section %s overlaps others with offload bundles", s.name)
		}
		left -= s.size
		r.bundles(data[s.offset:][:s.size], s.offset, member)
	}
	return found, nil
}

// elf reads the offload bundles of an ELF file of the host.
func (r *reader) elf(data []byte, member string) (found bool, err error) {
	sections, err := elfSections(data)
	if err != nil {
		return false, err
	}
	return r.sectionBundles(data, sections, member, func(name string) bool {
		return name == fatbinSection || strings.HasPrefix(name, fatbinSection+".")
	})
}

// Places in the headers of ELF files of 64 bits. Source: System V ABI, Object
// Files.
const (
	elfHead     = 64
	elfShOff    = 40
	elfShNum    = 60
	elfShStrNdx = 62
	elfSection  = 64 // size of a section header, and places in it:
	elfShType   = 4
	elfShOffset = 24
	elfShSize   = 32
	elfShLink   = 40
	elfXIndex   = 0xffff // the index is in the first section header
)

// elfSections gives the sections with contents of an ELF file of the host. Those
// whose names are not there have none.
func elfSections(data []byte) ([]part, error) {
	if len(data) < elfHead || data[4] != byte(codeobject.ELFCLASS64) || data[5] != 1 {
		return nil, formatErrorf(4, "an ELF file of another machine, which is not of 64 bits and little endian")
	}
	off := binary.LittleEndian.Uint64(data[elfShOff:])
	if off == 0 {
		return nil, nil
	}
	if off > uint64(len(data)) || len(data)-int(off) < elfSection {
		return nil, formatErrorf(elfShOff, "the section header table at %#x is beyond the end at %d", off, len(data))
	}
	table := data[off:]
	num, names := uint64(binary.LittleEndian.Uint16(data[elfShNum:])), uint64(binary.LittleEndian.Uint16(data[elfShStrNdx:]))
	if num == 0 {
		num = binary.LittleEndian.Uint64(table[elfShSize:])
	}
	if names == elfXIndex {
		names = uint64(binary.LittleEndian.Uint32(table[elfShLink:]))
	}
	if num > uint64(len(table)/elfSection) {
		return nil, formatErrorf(elfShNum, "%d section headers reach beyond the end at %d", num, len(data))
	}
	at := func(i uint64) (offset, size uint64) {
		h := table[i*elfSection:]
		return binary.LittleEndian.Uint64(h[elfShOffset:]), binary.LittleEndian.Uint64(h[elfShSize:])
	}
	var text []byte
	if names < num {
		if o, n := at(names); o <= uint64(len(data)) {
			text = data[o:][:min(n, uint64(len(data))-o)]
		}
	}
	var list []part
	for i := range num {
		h := table[i*elfSection:]
		if t := codeobject.SectionType(binary.LittleEndian.Uint32(h[elfShType:])); t == codeobject.SHT_NULL || t == codeobject.SHT_NOBITS {
			continue
		}
		if n := binary.LittleEndian.Uint32(h); uint64(n) < uint64(len(text)) && bytes.HasPrefix(text[n:], []byte(fatbinSection)) {
			name, _, _ := bytes.Cut(text[n:], []byte{0})
			o, size := at(i)
			list = append(list, part{string(name[:min(len(name), maxNameLen)]), o, size})
		}
	}
	return list, nil
}

// Places in PE files. Source: Microsoft, PE Format.
const (
	peAt          = 0x3c // of the place of the signature
	peSignature   = "PE\x00\x00"
	peHead        = 24 // with the signature
	peNumSections = 6
	peOptional    = 20 // size of the optional header, which stands before the sections
	peSection     = 40 // size of a section header, and places in it:
	peVirtualSize = 8
	peSize        = 16
	peOffset      = 20
)

// pe reads the offload bundles of a PE file.
func (r *reader) pe(data []byte, member string) (found bool, err error) {
	if len(data) < peAt+4 {
		return false, formatErrorf(0, "the PE file ends in its header")
	}
	head := uint64(binary.LittleEndian.Uint32(data[peAt:]))
	if head > uint64(len(data)) || len(data)-int(head) < peHead || string(data[head:][:4]) != peSignature {
		return false, formatErrorf(peAt, "no PE signature at %#x", head)
	}
	num := int(binary.LittleEndian.Uint16(data[head+peNumSections:]))
	at := int(head) + peHead + int(binary.LittleEndian.Uint16(data[head+peOptional:]))
	if at > len(data) || num > (len(data)-at)/peSection {
		return false, formatErrorf(int(head)+peNumSections, "%d section headers reach beyond the end at %d", num, len(data))
	}
	var list []part
	for i := range num {
		h := data[at+i*peSection:]
		name, _, _ := strings.Cut(string(h[:8]), "\x00")
		size := binary.LittleEndian.Uint32(h[peSize:])
		if n := binary.LittleEndian.Uint32(h[peVirtualSize:]); n > 0 {
			size = min(size, n) // the rest is padding
		}
		list = append(list, part{name, uint64(binary.LittleEndian.Uint32(h[peOffset:])), uint64(size)})
	}
	return r.sectionBundles(data, list, member, func(name string) bool { return name == fatbinSectionPE })
}

// archive reads the members of an archive.
func (r *reader) archive(data []byte) error {
	list, err := ar.Members(data)
	for _, m := range list {
		r.member(m.Name, m.Data)
	}
	var bad *ar.Error
	if errors.As(err, &bad) {
		return formatErrorf(bad.Offset, "%s", bad.Message)
	}
	return nil
}

// member reads a member of an archive.
func (r *reader) member(name string, data []byte) {
	var err error
	switch format := formatOf(data); format {
	case FormatObject:
		r.f.Entries = append(r.f.Entries, Entry{Member: name, Size: uint64(len(data)), Format: format, Data: data})
	case FormatBundle, FormatCompressed:
		r.bundles(data, 0, name)
	case FormatHost:
		_, err = r.elf(data, name)
	case FormatHostPE:
		_, err = r.pe(data, name)
	}
	if err != nil {
		r.addf(0, name, "%v", err)
	}
}
