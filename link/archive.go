package link

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

const (
	arMagic     = "!<arch>\n"
	thinMagic   = "!<thin>\n"
	arHeader    = 60
	arNameLen   = 16
	arSizeAt    = 48
	arSizeLen   = 10
	arEnd       = "`\n"
	elfMagic    = "\x7fELF"
	bitcode     = "BC\xc0\xde"
	bitcodeWrap = "\xde\xc0\x17\x0b"
)

// member is a file in an archive.
type member struct {
	name string
	off  uint64 // of its data in the archive
	data []byte
}

// isArchive reports whether a file is an archive, regular or thin.
func isArchive(data []byte) bool {
	return bytes.HasPrefix(data, []byte(arMagic)) || bytes.HasPrefix(data, []byte(thinMagic))
}

// members lists the files of an archive in GNU's or BSD's format, without
// symbol and name tables.
func members(name string, data []byte) ([]member, error) {
	fail := func(off int, format string, args ...any) error {
		return &FormatError{name, uint64(off), fmt.Sprintf(format, args...)}
	}
	if bytes.HasPrefix(data, []byte(thinMagic)) {
		return nil, fail(0, "a thin archive, whose members are other files, is not supported; link its members, or make a regular archive (ar rc)")
	}
	var out []member
	var names []byte
	for at := len(arMagic); at < len(data); {
		if len(data)-at < arHeader {
			return nil, fail(at, "the archive ends within a member's header of %d bytes", arHeader)
		}
		h := data[at : at+arHeader]
		if string(h[arHeader-2:]) != arEnd {
			return nil, fail(at, "a member's header does not end in a grave accent and a line feed")
		}
		size, err := strconv.ParseUint(string(bytes.TrimRight(h[arSizeAt:arSizeAt+arSizeLen], " ")), 10, 48)
		if err != nil {
			return nil, fail(at+arSizeAt, "a member's size is no decimal number: %q", h[arSizeAt:arSizeAt+arSizeLen])
		}
		body := at + arHeader
		if size > uint64(len(data)-body) {
			return nil, fail(at, "a member of %d bytes reaches beyond the end of the archive, which has %d bytes", size, len(data))
		}
		m := member{off: uint64(body), data: data[body : body+int(size) : body+int(size)]}
		at = body + int(size) + int(size&1)
		short := string(bytes.TrimRight(h[:arNameLen], " "))
		switch short {
		case "/", "/SYM64/":
			continue
		case "//":
			names = m.data
			continue
		}
		if m.name, m.data, err = memberName(short, names, m.data); err != nil {
			return nil, fail(body-arHeader, "%v", err)
		}
		if !strings.HasPrefix(m.name, "__.SYMDEF") { // BSD's symbol table
			out = append(out, m)
		}
	}
	return out, nil
}

// memberName gives a member's name and its data, which begins with the name in
// BSD's format.
func memberName(short string, names, data []byte) (string, []byte, error) {
	if length, ok := bytes.CutPrefix([]byte(short), []byte("#1/")); ok {
		n, err := strconv.ParseUint(string(length), 10, 31)
		if err != nil || n > uint64(len(data)) {
			return "", nil, fmt.Errorf("the length of a member's name is wrong: %q", short)
		}
		return string(bytes.TrimRight(data[:n], "\x00")), data[n:], nil
	}
	if len(short) < 2 || short[0] != '/' {
		if n := len(short); n > 0 && short[n-1] == '/' {
			short = short[:n-1]
		}
		return short, data, nil
	}
	off, err := strconv.ParseUint(short[1:], 10, 31)
	if err != nil || off >= uint64(len(names)) {
		return "", nil, fmt.Errorf("a member's name %q lies outside the table of long names, which has %d bytes", short, len(names))
	}
	long := names[off:]
	if end := bytes.IndexByte(long, '\n'); end >= 0 {
		long = long[:end]
	}
	return string(bytes.TrimSuffix(long, []byte("/"))), data, nil
}
