package codeobject

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// YAMLOptions controls how a document is written.
type YAMLOptions struct {
	// Hex writes unsigned integers in hexadecimal, as in PAL metadata.
	Hex bool
	// Untagged omits the tags that specify the kind of a scalar, as in metadata
	// of V2, whose reader knows the kinds.
	Untagged bool
}

// AppendYAML appends the node as a YAML document in LLVM's format for metadata,
// from "---" to "..." and a newline. Maps are written in their order; LLVM
// sorts them (Sort). It returns an error for binary data, which cannot be
// written as YAML.
func (n *Node) AppendYAML(b []byte, opts YAMLOptions) ([]byte, error) {
	w := yamlWriter{out: append(b, "---"...), opts: opts}
	if n.blockContainer() {
		w.block(n, 0, false)
	} else {
		w.newLine(0)
		w.flow(n)
	}
	w.out = append(w.out, "\n...\n"...)
	return w.out, w.err
}

type yamlWriter struct {
	out  []byte
	opts YAMLOptions
	err  error
}

// blockContainer reports whether the node is written on lines of its own.
func (n *Node) blockContainer() bool { return !n.Scalar() && len(n.Items) > 0 && !n.Flow }

func (w *yamlWriter) newLine(col int) {
	w.out = append(w.out, '\n')
	for range col {
		w.out = append(w.out, ' ')
	}
}

// keyWidth is the column to which values are padded.
const keyWidth = 16

// block writes a nonempty array or map whose items begin in column col. If
// inline is set, the first item begins at the current position.
func (w *yamlWriter) block(n *Node, col int, inline bool) {
	for i := range n.Len() {
		if i > 0 || !inline {
			w.newLine(col)
		}
		if n.Kind == NodeArray {
			w.out = append(w.out, "- "...)
			w.item(&n.Items[i], col, true)
			continue
		}
		key, value := n.Pair(i)
		text := key.text(w.opts.Hex)
		w.quoted(text, quoting(text, false))
		w.out = append(w.out, ':')
		if !value.blockContainer() {
			pad := max(keyWidth-len(text), 1)
			w.out = append(w.out, strings.Repeat(" ", pad)...)
		}
		w.item(value, col, false)
	}
}

func (w *yamlWriter) item(n *Node, col int, inline bool) {
	if n.blockContainer() {
		w.block(n, col+2, inline)
		return
	}
	w.flow(n)
}

// flow writes a node on the same line.
func (w *yamlWriter) flow(n *Node) {
	switch {
	case n.Kind == NodeMap:
		w.out = append(w.out, "{}"...)
	case n.Kind == NodeArray && !n.Flow:
		w.out = append(w.out, "[]"...)
	case n.Kind == NodeArray:
		w.out = append(w.out, "[ "...)
		for i := range n.Items {
			if i > 0 {
				w.out = append(w.out, ", "...)
			}
			w.flow(&n.Items[i])
		}
		w.out = append(w.out, " ]"...)
	default:
		w.scalar(n)
	}
}

func (w *yamlWriter) scalar(n *Node) {
	if n.Kind == NodeBinary {
		if w.err == nil {
			w.err = fmt.Errorf("binary data of %d bytes cannot be written as YAML", len(n.Str))
		}
		return
	}
	text := n.text(w.opts.Hex)
	if tag := n.yamlTag(text); tag != "" && !w.opts.Untagged {
		w.out = append(append(w.out, tag...), ' ')
	}
	quote := quoteNone
	switch n.Kind {
	case NodeNil:
		quote = quoteSingle
	case NodeString:
		quote = quoting(text, true)
	}
	w.quoted(text, quote)
}

// text returns a scalar in LLVM's format.
func (n *Node) text(hex bool) string {
	switch n.Kind {
	case NodeBool:
		return strconv.FormatBool(n.Bool())
	case NodeInt:
		return strconv.FormatInt(int64(n.bits), 10)
	case NodeUint:
		if hex && n.bits != 0 { // C's %#llx has no prefix for 0
			return "0x" + strconv.FormatUint(n.bits, 16)
		}
		return strconv.FormatUint(n.bits, 10)
	case NodeFloat:
		return floatText(n.Float())
	}
	return n.Str
}

// yamlTag returns the tag that preserves a scalar's kind if its text looks like
// another kind.
func (n *Node) yamlTag(text string) string {
	if n.Kind == NodeNil {
		return "!nil"
	}
	if text == "" {
		return "!str" // LLVM would read it as a number
	}
	k := scalarFromText(text).Kind
	integer := func(k NodeKind) bool { return k == NodeInt || k == NodeUint }
	if k == n.Kind || integer(k) && integer(n.Kind) {
		return ""
	}
	switch n.Kind {
	case NodeInt, NodeUint:
		return "!int"
	case NodeBool:
		return "!bool"
	case NodeFloat:
		return "!float"
	}
	return "!str"
}

// yamlQuote is the quoting style of a scalar.
type yamlQuote uint8

const (
	quoteNone yamlQuote = iota
	quoteSingle
	quoteDouble
)

// quoting returns LLVM's quotes for a string. isString requests quotes for a
// text that would otherwise be read as another kind.
func quoting(s string, isString bool) yamlQuote {
	if s == "" {
		return quoteSingle
	}
	q := quoteNone
	if isSpace(s[0]) || isSpace(s[len(s)-1]) || strings.IndexByte("-?:\\,[]{}#&*!|>'\"%@`", s[0]) >= 0 {
		q = quoteSingle
	}
	if isString && (isYAMLBool(s) || isYAMLNull(s) || isYAMLNumber(s)) {
		q = quoteSingle
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-^., \t", c) >= 0:
		case c < ' ' || c >= 0x7f:
			return quoteDouble
		default:
			q = quoteSingle
		}
	}
	return q
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\n\v\f\r", c) >= 0 }

func (w *yamlWriter) quoted(s string, q yamlQuote) {
	switch q {
	case quoteNone:
		w.out = append(w.out, s...)
	case quoteSingle:
		w.out = append(w.out, '\'')
		w.out = append(w.out, strings.ReplaceAll(s, "'", "''")...)
		w.out = append(w.out, '\'')
	case quoteDouble:
		w.out = append(w.out, '"')
		for _, r := range s {
			w.escaped(r)
		}
		w.out = append(w.out, '"')
	}
}

// yamlEscapes lists the characters with a single-letter escape.
var yamlEscapes = lazy.Value[map[rune]byte]{Make: func() map[rune]byte {
	return map[rune]byte{'\\': '\\', '"': '"', 0: '0', '\a': 'a', '\b': 'b', '\t': 't', '\n': 'n', '\v': 'v',
		'\f': 'f', '\r': 'r', 0x1b: 'e', 0x85: 'N', 0xa0: '_', 0x2028: 'L', 0x2029: 'P'}
}}

func (w *yamlWriter) escaped(r rune) {
	letter, short := yamlEscapes.Get()[r]
	switch {
	case short:
		w.out = append(w.out, '\\', letter)
	case r >= ' ' && r < 0x7f, r > 0x7f && unicode.IsPrint(r):
		w.out = utf8.AppendRune(w.out, r)
	case r <= 0xff:
		w.out = fmt.Appendf(w.out, "\\x%02X", r)
	case r <= 0xffff:
		w.out = fmt.Appendf(w.out, "\\u%04X", r)
	default:
		w.out = fmt.Appendf(w.out, "\\U%08X", r)
	}
}
