package litmus

import (
	"slices"

	"github.com/gfx-toolchain/gfx/diag"
)

// A tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokenEnd   tokenKind = iota
	tokenWord            // letters, digits and "_", not starting with a digit
	tokenDigit           // a number
	tokenMark            // an operator or a bracket
)

// A token is a range of the text.
type token struct {
	kind tokenKind
	at   Span
	text string
}

// marks lists the operators and brackets; a longer one precedes its prefixes.
var marks = [...]string{"||", "&&", "==", "!=", "<=", ">=", "~", "<", ">", "+", "-", "|", "^", "&", "!", "=", ",", ".", "(", ")", "[", "]", "{", "}"}

// A scanner splits a text into tokens.
type scanner struct {
	src *diag.Source
	off int
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';' }

// skipSpace moves to the next token: past white space, semicolons and comments.
func (s *scanner) skipSpace() {
	text := s.src.Text
	for s.off < len(text) {
		switch {
		case isSpace(text[s.off]):
			s.off++
		case text[s.off] == '/' && s.off+1 < len(text) && text[s.off+1] == '/':
			for s.off < len(text) && text[s.off] != '\n' {
				s.off++
			}
		default:
			return
		}
	}
}

// token returns the next token. A character that starts no token is a mark.
func (s *scanner) token() token {
	s.skipSpace()
	if s.off == len(s.src.Text) {
		return token{tokenEnd, Span{s.off, s.off}, ""}
	}
	start, rest := s.off, s.src.Text[s.off:]
	kind, n := tokenMark, 1
	inWord := func(c byte) bool { return !isLetter(c) && !isDigit(c) }
	switch c := rest[0]; {
	case isLetter(c), isDigit(c):
		if kind = tokenWord; isDigit(c) {
			kind = tokenDigit
		}
		if n = slices.IndexFunc(rest, inWord); n < 0 {
			n = len(rest)
		}
	default:
		for _, m := range marks {
			if len(m) <= len(rest) && m == string(rest[:len(m)]) {
				n = len(m)
				break
			}
		}
	}
	s.off += n
	return token{kind, Span{start, s.off}, string(rest[:n])}
}

// name returns the name of a test: all up to the next white space.
func (s *scanner) name() token {
	s.skipSpace()
	start := s.off
	for s.off < len(s.src.Text) && !isSpace(s.src.Text[s.off]) {
		s.off++
	}
	return token{tokenWord, Span{start, s.off}, string(s.src.Text[start:s.off])}
}
