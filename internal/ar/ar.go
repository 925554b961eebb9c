// Package ar reads archives of object files in GNU and BSD format, including
// GNU's thin archives.
//
// Source: System V ABI, "Archive File"; the long names and thin archives of GNU
// ar; the long names of BSD ar.
package ar

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The magic strings of archives. A thin archive only lists the names of its
// members, which are separate files.
const (
	Magic     = "!<arch>\n"
	ThinMagic = "!<thin>\n"
)

// The layout of a member header, in bytes.
const (
	header  = 60
	nameLen = 16
	sizeAt  = 48
	sizeLen = 10
	trailer = "`\n"
	bsdName = "#1/" // precedes the length of a name stored at the start of the member's data
)

// Limits on the data read in addition to the members' contents. They keep a
// corrupt size field from causing a large allocation.
const (
	maxNames   = 64 << 20 // size of the long-name table in bytes
	maxBSDName = 64 << 10 // length of a BSD name in bytes
)

// Member describes one file in an archive.
type Member struct {
	Name   string // for a thin archive, a path relative to the archive's directory
	Offset uint64 // of the first data byte in the archive; in a thin archive, of the end of the header
	Size   uint64 // in bytes; in a thin archive, the file's size when it was added
	Thin   bool   // the data is in a separate file
	Data   []byte // set by Members, nil if Thin
}

// Error describes a malformed archive and the offset of the fault.
type Error struct {
	Offset  int
	Message string
}

func (e *Error) Error() string { return e.Message }

func errorf(off int64, format string, args ...any) error {
	return &Error{int(off), fmt.Sprintf(format, args...)}
}

// Is reports whether data is a regular or thin archive.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(Magic)) || bytes.HasPrefix(data, []byte(ThinMagic))
}

// Members returns the files in the archive, without symbol and name tables. The
// archive must begin with Magic or ThinMagic. On error, Members also returns
// the members that precede the error; the error is an *Error.
func Members(data []byte) ([]Member, error) {
	list, err := Scan(bytes.NewReader(data), int64(len(data)))
	for i := range list {
		if m := &list[i]; !m.Thin {
			m.Data = data[m.Offset:][:m.Size:m.Size]
		}
	}
	return list, err
}

// Scan is like Members for an archive that is not in memory. It reads only
// headers and names. Errors from r are returned unchanged.
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

// scanner holds the state of reading one archive.
type scanner struct {
	r     io.ReaderAt
	size  int64
	thin  bool
	names []byte // the long-name table
	buf   [header]byte
}

// read reads n bytes at off, which must lie inside the archive. A result no
// longer than a header is valid until the next call.
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

// member reads the member whose header is at the given offset, and returns the
// offset of the next header. Symbol and name tables have an empty name.
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
		return m, 0, errorf(at+sizeAt, "a member's size is not a decimal number: %q", digits)
	}
	short := string(bytes.TrimRight(h[:nameLen], " "))
	table := short == "/" || short == "//" || short == "/SYM64/"
	m = Member{Offset: uint64(at + header), Size: size, Thin: s.thin && !table}
	next = at + header
	if !m.Thin {
		if size > uint64(s.size-next) {
			return m, 0, errorf(at, "a member of %d bytes extends past the end of the archive, which has %d bytes", size, s.size)
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

// name sets the member's name. A BSD name precedes the member's data.
func (s *scanner) name(m *Member, short string, at int64) error {
	if length, ok := strings.CutPrefix(short, bsdName); ok {
		n, err := strconv.ParseUint(length, 10, 31)
		if err != nil || n > m.Size || n > maxBSDName || m.Thin {
			return errorf(at, "invalid length of a member's name: %q", short)
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
