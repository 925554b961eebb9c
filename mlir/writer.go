package mlir

import (
	"strconv"
)

// A writer appends text to a buffer.
type writer struct {
	ctx      *Context
	buf      []byte
	aliases  map[*Attr]string // the attributes with aliases, or nil
	collect  *collector       // finds attributes that get aliases, or nil
	deferred bool             // a location after an operation is written, whose aliases may be defined after the module
	recorder *recorder        // of the text of a function, or nil
	numbers  map[*Attr]int64  // of distinct attributes of a printed module

	draftType Type // of which the context wants the unique one
	draftAttr Attr

	exprName func(e *Expr) // writes dimensions and symbols of expressions, or nil for d0 and s0
}

func (w *writer) reset()        { w.buf = w.buf[:0] }
func (w *writer) str(s string)  { w.buf = append(w.buf, s...) }
func (w *writer) byte(b byte)   { w.buf = append(w.buf, b) }
func (w *writer) int(v int64)   { w.buf = strconv.AppendInt(w.buf, v, 10) }
func (w *writer) uint(v uint64) { w.buf = strconv.AppendUint(w.buf, v, 10) }

// quoted writes a string in double quotes. Bytes that are no printable ASCII
// characters are written as two hexadecimal digits after a backslash.
func (w *writer) quoted(s string) {
	w.byte('"')
	w.escaped(s)
	w.byte('"')
}

func (w *writer) escaped(s string) {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		b := s[i]
		switch {
		case b == '\\':
			w.str(`\\`)
		case b < ' ' || b > '~' || b == '"':
			w.buf = append(w.buf, '\\', digits[b>>4], digits[b&15])
		default:
			w.byte(b)
		}
	}
}

// isNameByte reports whether b may occur in a bare identifier: a letter or an
// underscore, and after the first byte a digit, "$" or "." as well.
func isNameByte(b byte, first bool) bool {
	switch {
	case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '_':
		return true
	case first:
		return false
	}
	return b >= '0' && b <= '9' || b == '$' || b == '.'
}

func isBareIdentifier(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i], i == 0) {
			return false
		}
	}
	return s != ""
}

// keywordOrString writes s, in quotes if it is no bare identifier.
func (w *writer) keywordOrString(s string) {
	if isBareIdentifier(s) {
		w.str(s)
		return
	}
	w.quoted(s)
}

// symbol writes a reference to a symbol.
func (w *writer) symbol(name string) {
	w.byte('@')
	w.keywordOrString(name)
}

// distinctNumber returns the number of a distinct attribute. In a module they are
// numbered in the order in which they are printed.
func (w *writer) distinctNumber(a *Attr) int64 {
	if w.aliases == nil || w.collect != nil {
		return a.Int
	}
	if w.recorder != nil {
		w.recorder.unfit = true
	}
	if w.numbers == nil {
		w.numbers = map[*Attr]int64{}
	}
	n, ok := w.numbers[a]
	if !ok {
		n = int64(len(w.numbers))
		w.numbers[a] = n
	}
	return n
}
