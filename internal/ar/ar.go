// Package ar reads archives of object files, in GNU's and in BSD's format, and
// GNU's thin archives.
//
// Source: System V ABI, Archive File; the long names and thin archives of GNU's ar,
// the long names of BSD's.
package ar

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// What archives begin with; a thin archive only names its members, which are
// other files.
const (
	Magic     = "!<arch>\n"
	ThinMagic = "!<thin>\n"
)

// The header of a member.
const (
	header  = 60
	nameLen = 16
	sizeAt  = 48
	sizeLen = 10
	trailer = "`\n"
	bsdName = "#1/" // the name is the first bytes of the member, this many
)

// Limits of what is read beside the members' own bytes, so that no number in an
// archive is a reason to read much of it.
const (
	maxNames   = 64 << 20 // bytes of the table of long names
	maxBSDName = 64 << 10 // bytes of a name
)

// Member is a file in an archive.
type Member struct {
	Name   string // in a thin archive a path, relative to the archive's folder
	Offset uint64 // of its first byte in the archive; in a thin archive of its header's end
	Size   uint64 // bytes; in a thin archive those that the file had
	Thin   bool   // the bytes are in a file of their own
	Data   []byte // set by Members, nil if Thin
}

// Error is what is wrong with an archive, and where.
type Error struct {
	Offset  int
	Message string
}

func (e *Error) Error() string { return e.Message }

func errorf(off int64, format string, args ...any) error {
	return &Error{int(off), fmt.Sprintf(format, args...)}
}

// Is reports whether a file is an archive, regular or thin.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(Magic)) || bytes.HasPrefix(data, []byte(ThinMagic))
}

// Members lists the files of an archive without symbol and name tables. The
// archive must begin with Magic or ThinMagic. The members that precede an error are
// returned with it; the error is an *Error.
func Members(data []byte) ([]Member, error) {
	list, err := Scan(bytes.NewReader(data), int64(len(data)))
	for i := range list {
		if m := &list[i]; !m.Thin {
			m.Data = data[m.Offset:][:m.Size:m.Size]
		}
	}
	return list, err
}

// Scan is Members for an archive that is not in memory: it reads headers and names
// alone. An error of r is returned as it is.
func Scan(r io.ReaderAt, size int64) (list []Member, err error) {
	s := scanner{r: r, size: size}
	magic, err := s.read(0, min(size, int64(len(Magic))))
	if err != nil {
		return nil, err
	}
	s.thin = string(magic) == ThinMagic
	for at := int64(len(Magic)); at < size; {
		m, next, err := s.member(at)
		if err != nil {
			return list, err
		}
		if m.Name != "" && !strings.HasPrefix(m.Name, "__.SYMDEF") { // BSD's symbol table
			list = append(list, m)
		}
		at = next
	}
	return list, nil
}

// scanner reads an archive.
type scanner struct {
	r     io.ReaderAt
	size  int64
	thin  bool
	names []byte // the table of long names
	buf   [header]byte
}

// read reads bytes that are inside the archive. What it returns stays until the
// next call if it is no longer than a header.
func (s *scanner) read(off, n int64) ([]byte, error) {
	b := s.buf[:]
	if n > header {
		b = make([]byte, n)
	}
	if got, err := s.r.ReadAt(b[:n], off); int64(got) < n {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b[:n], nil
}

// member reads the member whose header is at an offset, and returns where the next
// one begins. A table has no name.
func (s *scanner) member(at int64) (m Member, next int64, err error) {
	if s.size-at < header {
		return m, 0, errorf(at, "the archive ends within a member's header of %d bytes", header)
	}
	h, err := s.read(at, header)
	if err != nil {
		return m, 0, err
	}
	if string(h[header-len(trailer):]) != trailer {
		return m, 0, errorf(at, "a member's header does not end in a grave accent and a line feed")
	}
	digits := h[sizeAt : sizeAt+sizeLen]
	size, err := strconv.ParseUint(string(bytes.TrimRight(digits, " ")), 10, 48)
	if err != nil {
		return m, 0, errorf(at+sizeAt, "a member's size is no decimal number: %q", digits)
	}
	short := string(bytes.TrimRight(h[:nameLen], " "))
	table := short == "/" || short == "//" || short == "/SYM64/"
	m = Member{Offset: uint64(at + header), Size: size, Thin: s.thin && !table}
	next = at + header
	if !m.Thin {
		if size > uint64(s.size-next) {
			return m, 0, errorf(at, "a member of %d bytes reaches beyond the end of the archive, which has %d bytes", size, s.size)
		}
		next += int64(size + size&1)
	}
	switch {
	case short == "//":
		if size > maxNames {
			return m, 0, errorf(at, "a table of long names of %d bytes, more than %d", size, maxNames)
		}
		names, err := s.read(int64(m.Offset), int64(size))
		s.names = bytes.Clone(names)
		return m, next, err
	case table:
		return m, next, nil
	}
	return m, next, s.name(&m, short, at)
}

// name sets a member's name. In BSD's format the member's bytes begin with it.
func (s *scanner) name(m *Member, short string, at int64) error {
	if length, ok := strings.CutPrefix(short, bsdName); ok {
		n, err := strconv.ParseUint(length, 10, 31)
		if err != nil || n > m.Size || n > maxBSDName || m.Thin {
			return errorf(at, "the length of a member's name is wrong: %q", short)
		}
		text, err := s.read(int64(m.Offset), int64(n))
		m.Name = string(bytes.TrimRight(text, "\x00"))
		m.Offset, m.Size = m.Offset+n, m.Size-n
		return err
	}
	if len(short) < 2 || short[0] != '/' {
		m.Name = strings.TrimSuffix(short, "/")
		return nil
	}
	if s.thin && strings.Contains(short, ":") {
		return errorf(at, "a member %q of an archive inside the thin archive is not supported; add that archive's members instead", short)
	}
	off, err := strconv.ParseUint(short[1:], 10, 31)
	if err != nil || off >= uint64(len(s.names)) {
		return errorf(at, "a member's name %q lies outside the table of long names, which has %d bytes", short, len(s.names))
	}
	long, _, _ := bytes.Cut(s.names[off:], []byte("\n"))
	m.Name = string(bytes.TrimSuffix(long, []byte("/")))
	return nil
}
