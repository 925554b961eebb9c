package codeobject

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// TextError is an error in a text with its location.
type TextError struct {
	Offset       int    // in bytes
	Line, Column int    // from 1; the column in bytes
	Problem      string // the violated rule
}

// Error returns the line, the column and the problem.
func (e *TextError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Problem) }

// ReadYAML reads a YAML document like LLVM reads metadata. A tag (!int, !str,
// !bool, !float, !nil) determines the kind of a scalar; without one its text
// does, quoted or not. An empty value is an empty array. (Unlike in LLVM, an
// empty string stays a string and does not become 0.0.) Maps keep their order
// and must not have duplicate keys; aliases are not supported. Errors are of
// type *TextError.
func ReadYAML(text string) (Node, error) {
	r := yamlReader{text: text}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return Node{}, r.syntaxError(err)
	}
	if len(doc.Content) != 1 {
		return Node{}, r.errorAt(0, "expected a YAML document, found nothing")
	}
	r.findLines()
	return r.node(doc.Content[0], 0)
}

type yamlReader struct {
	text  string
	lines []int // offsets of the lines

	// the last requested position; the next one usually follows it
	line, column, off int
}

func (r *yamlReader) findLines() {
	r.lines = append(r.lines, 0)
	for i := range len(r.text) {
		if r.text[i] == '\n' {
			r.lines = append(r.lines, i+1)
		}
	}
}

// offset returns the byte offset of a node; the library counts characters.
func (r *yamlReader) offset(line, column int) int {
	if line < 1 || line > len(r.lines) {
		return len(r.text)
	}
	if line != r.line || column < r.column {
		r.line, r.column, r.off = line, 1, r.lines[line-1]
	}
	for ; r.column < column && r.off < len(r.text); r.column++ {
		_, size := utf8.DecodeRuneInString(r.text[r.off:])
		r.off += size
	}
	return r.off
}

func (r *yamlReader) errorAt(off int, format string, args ...any) error {
	return textErrorf(r.text, off, format, args...)
}

func textErrorf(text string, off int, format string, args ...any) error {
	off = min(max(off, 0), len(text))
	before := text[:off]
	return &TextError{
		Offset: off, Line: strings.Count(before, "\n") + 1, Column: off - strings.LastIndexByte(before, '\n'),
		Problem: fmt.Sprintf(format, args...),
	}
}

var yamlErrorLine = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`^yaml: (?:line (\d+): )?`) }}

// syntaxError converts the library's error to a TextError with its line.
func (r *yamlReader) syntaxError(err error) error {
	text := err.Error()
	m := yamlErrorLine.Get().FindStringSubmatch(text)
	off := 0
	if m != nil {
		text = text[len(m[0]):]
		if line, err := strconv.Atoi(m[1]); err == nil {
			r.findLines()
			off = r.offset(line, 1)
		}
	}
	return r.errorAt(off, "not valid YAML: %s", text)
}

func (r *yamlReader) node(y *yaml.Node, depth int) (Node, error) {
	off := r.offset(y.Line, y.Column)
	if depth > maxNodeDepth {
		return Node{}, r.errorAt(off, "YAML nodes are nested more than %d deep", maxNodeDepth)
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n, err := r.scalar(y, off)
		n.Off = off
		return n, err
	case yaml.SequenceNode, yaml.MappingNode:
		return r.items(y, off, depth)
	}
	return Node{}, r.errorAt(off, "aliases are not supported")
}

func (r *yamlReader) items(y *yaml.Node, off, depth int) (Node, error) {
	n := Node{Kind: NodeArray, Off: off}
	if y.Kind == yaml.MappingNode {
		n.Kind = NodeMap
	}
	for i, c := range y.Content {
		item, err := r.node(c, depth+1)
		if err != nil {
			return n, err
		}
		if n.Kind == NodeMap && i%2 == 0 {
			if !item.Scalar() {
				return n, r.errorAt(item.Off, "a key is %s, expected a scalar", item.Kind)
			}
			at := item.Off
			item = scalarFromText(c.Value)
			item.Off, item.Str = at, c.Value
		}
		n.Items = append(n.Items, item)
	}
	if n.Kind == NodeMap {
		if at := n.duplicateKey(); at >= 0 {
			return n, r.errorAt(at, "duplicate key in a map")
		}
	}
	return n, nil
}

// yamlTagKinds lists the tags that LLVM supports. A tag on a value of another
// kind is an error.
var yamlTagKinds = lazy.Value[map[string]NodeKind]{Make: func() map[string]NodeKind {
	return map[string]NodeKind{"!int": NodeInt, "!nil": NodeNil, "!bool": NodeBool, "!float": NodeFloat, "!str": NodeString}
}}

func (r *yamlReader) scalar(y *yaml.Node, off int) (n Node, err error) {
	if y.Style&yaml.TaggedStyle == 0 || y.Tag == "!!str" {
		if y.Style == 0 && y.Value == "" {
			return ArrayNode(), nil // as in LLVM
		}
		n = scalarFromText(y.Value)
		n.Str = y.Value
		return n, nil
	}
	kind, ok := yamlTagKinds.Get()[y.Tag]
	if !ok {
		return n, r.errorAt(off, "unknown tag %s, expected !int, !str, !bool, !float or !nil", y.Tag)
	}
	switch kind {
	case NodeInt:
		n, ok = intFromText(y.Value)
	case NodeBool:
		var v bool
		v, ok = parseYAMLBool(y.Value)
		n = BoolNode(v)
	case NodeFloat:
		var v float64
		v, ok = floatFromText(y.Value)
		n = textFloat(v)
	case NodeNil:
		return NilNode(), nil
	case NodeString:
		return StringNode(y.Value), nil
	}
	if !ok {
		return n, r.errorAt(off, "%q is not %s", y.Value, kind)
	}
	n.Str = y.Value
	return n, nil
}
