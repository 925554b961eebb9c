// Package ar reads archives of object files, in GNU's and in BSD's format.
//
// Source: System V ABI, Archive File; the long names of GNU's and BSD's ar.
package ar

import (
	"bytes"
	"fmt"
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

// Member is a file in an archive.
type Member struct {
	Name   string
	Offset uint64 // of its header's end in the archive
	Data   []byte
}

// Error is what is wrong with an archive, and where.
type Error struct {
	Offset  int
	Message string
}

func (e *Error) Error() string { return e.Message }

func errorf(off int, format string, args ...any) error {
	return &Error{off, fmt.Sprintf(format, args...)}
}

// Is reports whether a file is an archive, regular or thin.
func Is(data []byte) bool {
	return bytes.HasPrefix(data, []byte(Magic)) || bytes.HasPrefix(data, []byte(ThinMagic))
}

// Members lists the files of an archive, which must begin with Magic, without
// symbol and name tables. What was read before an error comes with it; the error is an
// *Error.
func Members(data []byte) (list []Member, err error) {
	if bytes.HasPrefix(data, []byte(ThinMagic)) {
		return nil, errorf(0, "a thin archive, whose members are other files, is not supported; link its members, or make a regular archive (ar rc)")
	}
	var names []byte
	for at := len(Magic); at < len(data); {
		short, body, err := readMember(data, at)
		if err != nil {
			return list, err
		}
		m := Member{Offset: uint64(at + header), Data: body}
		switch {
		case short == "//":
			names = body
		case short == "/" || short == "/SYM64/":
		default:
			if m.Name, m.Data, err = memberName(short, names, body); err != nil {
				return list, errorf(at, "%v", err)
			}
			if !strings.HasPrefix(m.Name, "__.SYMDEF") { // BSD's symbol table
				list = append(list, m)
			}
		}
		at += header + len(body) + len(body)&1
	}
	return list, nil
}

// readMember reads a member's header: its name as it stands there, and its bytes.
func readMember(data []byte, at int) (short string, body []byte, err error) {
	if len(data)-at < header {
		return "", nil, errorf(at, "the archive ends within a member's header of %d bytes", header)
	}
	h := data[at : at+header]
	if string(h[header-len(trailer):]) != trailer {
		return "", nil, errorf(at, "a member's header does not end in a grave accent and a line feed")
	}
	digits := h[sizeAt : sizeAt+sizeLen]
	size, err := strconv.ParseUint(string(bytes.TrimRight(digits, " ")), 10, 48)
	if err != nil {
		return "", nil, errorf(at+sizeAt, "a member's size is no decimal number: %q", digits)
	}
	rest := data[at+header:]
	if size > uint64(len(rest)) {
		return "", nil, errorf(at, "a member of %d bytes reaches beyond the end of the archive, which has %d bytes", size, len(data))
	}
	return string(bytes.TrimRight(h[:nameLen], " ")), rest[:size:size], nil
}

// memberName gives a member's name and its data, which begins with the name in
// BSD's format.
func memberName(short string, names, data []byte) (string, []byte, error) {
	if length, ok := strings.CutPrefix(short, bsdName); ok {
		n, err := strconv.ParseUint(length, 10, 31)
		if err != nil || n > uint64(len(data)) {
			return "", nil, fmt.Errorf("the length of a member's name is wrong: %q", short)
		}
		return string(bytes.TrimRight(data[:n], "\x00")), data[n:], nil
	}
	if len(short) < 2 || short[0] != '/' {
		return strings.TrimSuffix(short, "/"), data, nil
	}
	off, err := strconv.ParseUint(short[1:], 10, 31)
	if err != nil || off >= uint64(len(names)) {
		return "", nil, fmt.Errorf("a member's name %q lies outside the table of long names, which has %d bytes", short, len(names))
	}
	long, _, _ := bytes.Cut(names[off:], []byte("\n"))
	return string(bytes.TrimSuffix(long, []byte("/"))), data, nil
}
