package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// node is a JSON value with its position.
type node struct {
	kind     byte   // node kind
	off, end int    // position in the text
	text     string // string value, the digits of a number, or true or false
	members  []member
	elems    []node
}

type member struct {
	name     string
	off, end int // position of the name
	value    node
}

// Node kinds.
const (
	kindNull   = 'n'
	kindBool   = 'b'
	kindNumber = '0'
	kindString = '"'
	kindList   = '['
	kindObject = '{'
)

var kindNames = lazy.Value[map[byte]string]{Make: func() map[byte]string {
	return map[byte]string{
		kindNull: "null", kindBool: "true or false", kindNumber: "a number",
		kindString: "a string", kindList: "a list", kindObject: "an object",
	}
}}

// maxDepth limits the nesting of lists and objects. A manifest requires 6
// levels.
const maxDepth = 20

// parseJSON parses a JSON text. The error is a diagnostic.
func parseJSON(src *diag.Source) (node, error) {
	var all json.RawMessage
	if err := json.Unmarshal(src.Text, &all); err != nil {
		return node{}, syntaxError(src, err)
	}
	p := parser{src: src, dec: json.NewDecoder(bytes.NewReader(src.Text))}
	p.dec.UseNumber()
	return p.value(0)
}

// syntaxError returns a diagnostic for an error of encoding/json.
func syntaxError(src *diag.Source, err error) error {
	off, message := len(src.Text), strings.TrimPrefix(err.Error(), "json: ")
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset > 0 {
		off = int(syntax.Offset) - 1
	}
	if strings.HasPrefix(message, "unexpected end") {
		off, message = len(src.Text), "unexpected end of the JSON text"
	}
	return diag.Diagnostic{Source: src, Off: off, End: off, Message: message}
}

// parser builds nodes from valid JSON text.
type parser struct {
	src *diag.Source
	dec *json.Decoder
}

// token reads a token and returns its position.
func (p *parser) token() (tok json.Token, off, end int, err error) {
	from := int(p.dec.InputOffset())
	tok, err = p.dec.Token()
	end = int(p.dec.InputOffset())
	between := p.src.Text[from:end]
	off = from + len(between) - len(bytes.TrimLeft(between, " \t\r\n,:"))
	return tok, off, end, err
}

func (p *parser) value(depth int) (node, error) {
	tok, off, end, err := p.token()
	if err != nil {
		return node{}, syntaxError(p.src, err)
	}
	n := node{off: off, end: end}
	switch tok := tok.(type) {
	case nil:
		n.kind = kindNull
	case bool:
		n.kind, n.text = kindBool, fmt.Sprint(tok)
	case json.Number:
		n.kind, n.text = kindNumber, tok.String()
	case string:
		n.kind, n.text = kindString, tok
	case json.Delim:
		if depth == maxDepth {
			return n, diag.Diagnostic{Source: p.src, Off: off, End: end, Message: fmt.Sprintf("lists and objects lie in each other more than %d deep", maxDepth)}
		}
		if n.kind = byte(tok); n.kind == kindList {
			err = p.list(&n, depth)
		} else {
			err = p.object(&n, depth)
		}
	}
	return n, err
}

func (p *parser) list(n *node, depth int) error {
	for p.dec.More() {
		elem, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		n.elems = append(n.elems, elem)
	}
	return p.close(n)
}

func (p *parser) object(n *node, depth int) error {
	for p.dec.More() {
		tok, off, end, err := p.token()
		if err != nil {
			return syntaxError(p.src, err)
		}
		m := member{off: off, end: end}
		m.name, _ = tok.(string)
		if m.value, err = p.value(depth + 1); err != nil {
			return err
		}
		n.members = append(n.members, m)
	}
	return p.close(n)
}

// close reads the closing bracket.
func (p *parser) close(n *node) error {
	if _, _, _, err := p.token(); err != nil {
		return syntaxError(p.src, err)
	}
	return nil
}
