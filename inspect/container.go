package inspect

import (
	"bytes"
	"debug/elf"
	"debug/pe"
	"fmt"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// The sections of the host's files that hold offload bundles. A PE file has eight
// letters for a name.
const (
	fatbinSection   = ".hip_fatbin"
	fatbinSectionPE = ".hip_fat"
)

// part is a place in a file.
type part struct{ offset, size uint64 }

// cut gives the bytes of a part.
func (p part) cut(data []byte) ([]byte, error) {
	if p.offset > uint64(len(data)) || p.size > uint64(len(data))-p.offset {
		return nil, &codeobject.FormatError{Offset: p.offset, Problem: fmt.Sprintf("a section with offload bundles, of %d bytes, reaches beyond the end at %d", p.size, len(data))}
	}
	return data[p.offset:][:p.size], nil
}

// elf reads the offload bundles of an ELF file of the host; found tells whether
// there is a place for some.
func (r *reader) elf(data []byte, member string) (found bool, err error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return false, fmt.Errorf("ELF file of another machine: %w", err)
	}
	for _, s := range f.Sections {
		if s.Name != fatbinSection && !strings.HasPrefix(s.Name, fatbinSection+".") || s.Type == elf.SHT_NOBITS {
			continue
		}
		bundles, err := part{s.Offset, s.FileSize}.cut(data)
		if err != nil {
			return true, err
		}
		found = true
		r.bundles(bundles, s.Offset, member)
	}
	return found, nil
}

// pe reads the offload bundles of a PE file.
func (r *reader) pe(data []byte, member string) (found bool, err error) {
	f, err := pe.NewFile(bytes.NewReader(data))
	if err != nil {
		return false, fmt.Errorf("PE file: %w", err)
	}
	for _, s := range f.Sections {
		if s.Name != fatbinSection && s.Name != fatbinSectionPE {
			continue
		}
		size := uint64(s.Size)
		if s.VirtualSize > 0 {
			size = min(size, uint64(s.VirtualSize)) // the rest is padding
		}
		bundles, err := part{uint64(s.Offset), size}.cut(data)
		if err != nil {
			return true, err
		}
		found = true
		r.bundles(bundles, uint64(s.Offset), member)
	}
	return found, nil
}

// Archives. Source: System V ABI, Archive File; GNU's and BSD's long names.
const (
	archiveMagic = "!<arch>\n"
	arHead       = 60
	arNameSize   = 16
	arSizeAt     = 48
	arSizeEnd    = 58
	arEnd        = "`\n"
	arBSDName    = "#1/" // the name is the first bytes of the member, this many
)

// archive reads the members of an archive.
func (r *reader) archive(data []byte) error {
	longNames := ""
	for at := len(archiveMagic); at < len(data); {
		if len(data)-at < arHead || string(data[at+arSizeEnd:at+arHead]) != arEnd {
			return formatErrorf(at, "the archive has no member header here")
		}
		head := string(data[at : at+arHead])
		size, err := strconv.ParseUint(strings.TrimRight(head[arSizeAt:arSizeEnd], " "), 10, 40)
		if err != nil || size > uint64(len(data)-at-arHead) {
			return formatErrorf(at+arSizeAt, "the archive's member has a size of %q, there are %d bytes", head[arSizeAt:arSizeEnd], len(data)-at-arHead)
		}
		body := data[at+arHead:][:size:size]
		name := strings.TrimRight(head[:arNameSize], " ")
		switch {
		case name == "//":
			longNames = string(body)
		case name == "/" || name == "/SYM64/" || strings.HasPrefix(name, "__.SYMDEF"):
		default:
			if name, body, err = memberName(name, longNames, body); err != nil {
				return formatErrorf(at, "%v", err)
			}
			r.member(name, body)
		}
		at += arHead + int(size+size&1)
	}
	return nil
}

// memberName gives a member's name and its bytes without that.
func memberName(name, longNames string, body []byte) (string, []byte, error) {
	if digits, ok := strings.CutPrefix(name, arBSDName); ok {
		n, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || n > uint64(len(body)) {
			return "", nil, fmt.Errorf("the archive's member has a name of %q bytes, there are %d", digits, len(body))
		}
		return strings.TrimRight(string(body[:n]), "\x00"), body[n:], nil
	}
	if digits, ok := strings.CutPrefix(name, "/"); ok {
		n, err := strconv.ParseUint(digits, 10, 32)
		if err != nil || n > uint64(len(longNames)) {
			return "", nil, fmt.Errorf("the archive's member has its name at %q, the names have %d bytes", digits, len(longNames))
		}
		long, _, _ := strings.Cut(longNames[n:], "\n")
		return strings.TrimSuffix(long, "/"), body, nil
	}
	return strings.TrimSuffix(name, "/"), body, nil
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
