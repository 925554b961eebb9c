package mlir

// A tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokEOF       tokenKind = iota
	tokError               // reported already
	tokBare                // a bare identifier or keyword
	tokAt                  // @name or @"name"
	tokHash                // #name
	tokBang                // !name
	tokPercent             // %name
	tokCaret               // ^name
	tokInt                 // decimal or hexadecimal digits
	tokFloat               // 1.5e3
	tokString              // "text"
	tokArrow               // ->
	tokColons              // ::
	tokEllipsis            // ...
	tokFileBegin           // {-#
	tokFileEnd             // #-}
	tokPunct               // any other character, which is the token's first byte
)

// A token is a piece of the text.
type token struct {
	kind       tokenKind
	start, end int32
}

// A class of a byte.
const (
	letterByte = 1 << iota // a letter or "_"
	digitByte
	nameByte   // may follow in a bare identifier
	suffixByte // may follow in a name after "%", "#", "!" or "^"
	blankByte
)

var byteClass = [256]uint8{
	' ': blankByte, '\t': blankByte, '\n': blankByte, '\r': blankByte,
	'$': nameByte | suffixByte, '.': nameByte | suffixByte, '-': suffixByte, '_': letterByte | nameByte | suffixByte,
	'0': digits, '1': digits, '2': digits, '3': digits, '4': digits, '5': digits, '6': digits, '7': digits, '8': digits, '9': digits,
	'a': letters, 'b': letters, 'c': letters, 'd': letters, 'e': letters, 'f': letters, 'g': letters, 'h': letters, 'i': letters,
	'j': letters, 'k': letters, 'l': letters, 'm': letters, 'n': letters, 'o': letters, 'p': letters, 'q': letters, 'r': letters,
	's': letters, 't': letters, 'u': letters, 'v': letters, 'w': letters, 'x': letters, 'y': letters, 'z': letters,
	'A': letters, 'B': letters, 'C': letters, 'D': letters, 'E': letters, 'F': letters, 'G': letters, 'H': letters, 'I': letters,
	'J': letters, 'K': letters, 'L': letters, 'M': letters, 'N': letters, 'O': letters, 'P': letters, 'Q': letters, 'R': letters,
	'S': letters, 'T': letters, 'U': letters, 'V': letters, 'W': letters, 'X': letters, 'Y': letters, 'Z': letters,
}

const (
	digits  = digitByte | nameByte | suffixByte
	letters = letterByte | nameByte | suffixByte
)

// next reads the next token into p.tok.
func (p *Parser) next() {
	p.lastEnd = p.tok.end
	p.tok = p.lex(p.tok.end)
}

// run returns the end of the bytes of a class from i on.
func (p *Parser) run(i int32, class uint8) int32 {
	s := p.text
	for int(i) < len(s) && byteClass[s[i]]&class != 0 {
		i++
	}
	return i
}

// lex returns the token at or after i.
func (p *Parser) lex(i int32) token {
	s := p.text
	for {
		i = p.run(i, blankByte)
		if int(i)+1 < len(s) && s[i] == '/' && s[i+1] == '/' {
			for int(i) < len(s) && s[i] != '\n' {
				i++
			}
			continue
		}
		break
	}
	if int(i) >= len(s) {
		return token{tokEOF, i, i}
	}
	b := s[i]
	switch {
	case byteClass[b]&letterByte != 0:
		return token{tokBare, i, p.run(i+1, nameByte)}
	case b == '%':
		return p.lexName(i, tokPercent, "expected valid SSA name")
	case byteClass[b]&digitByte != 0:
		return p.lexNumber(i)
	}
	switch b {
	case '@':
		return p.lexSymbol(i)
	case '"':
		return p.lexString(i, i)
	case '^':
		return p.lexName(i, tokCaret, "invalid block name")
	case '#':
		if p.at(i+1) == '-' && p.at(i+2) == '}' {
			return token{tokFileEnd, i, i + 3}
		}
		return p.lexName(i, tokHash, "invalid attribute name")
	case '!':
		return p.lexName(i, tokBang, "invalid type identifier")
	case '-':
		if p.at(i+1) == '>' {
			return token{tokArrow, i, i + 2}
		}
		return token{tokPunct, i, i + 1}
	case ':':
		if p.at(i+1) == ':' {
			return token{tokColons, i, i + 2}
		}
		return token{tokPunct, i, i + 1}
	case '.':
		if p.at(i+1) == '.' && p.at(i+2) == '.' {
			return token{tokEllipsis, i, i + 3}
		}
		return p.lexError(i+1, "expected three consecutive dots for an ellipsis")
	case '{':
		if p.at(i+1) == '-' && p.at(i+2) == '#' {
			return token{tokFileBegin, i, i + 3}
		}
		return token{tokPunct, i, i + 1}
	case ',', '(', ')', '}', '[', ']', '<', '>', '=', '+', '*', '?', '|', '/':
		return token{tokPunct, i, i + 1}
	}
	return p.lexError(i, "unexpected character")
}

// at returns a byte of the text, or 0 after its end.
func (p *Parser) at(i int32) byte {
	if int(i) < len(p.text) {
		return p.text[i]
	}
	return 0
}

func (p *Parser) lexError(i int32, message string) token {
	p.report(i, message)
	return token{tokError, i, int32(len(p.text))}
}

// lexName reads a name after a sign: digits alone, or a letter or one of "_$.-"
// and more of them and digits.
func (p *Parser) lexName(i int32, kind tokenKind, message string) token {
	if b := p.at(i + 1); byteClass[b]&digitByte != 0 {
		return token{kind, i, p.run(i+1, digitByte)}
	} else if byteClass[b]&suffixByte == 0 {
		return p.lexError(i, message)
	}
	return token{kind, i, p.run(i+1, suffixByte)}
}

func (p *Parser) lexSymbol(i int32) token {
	switch b := p.at(i + 1); {
	case b == '"':
		t := p.lexString(i, i+1)
		if t.kind == tokString {
			t.kind = tokAt
		}
		return t
	case byteClass[b]&letterByte != 0:
		return token{tokAt, i, p.run(i+1, nameByte)}
	}
	return p.lexError(i, "@ identifier expected to start with letter or '_'")
}

// lexString reads a string whose opening quote is at open.
func (p *Parser) lexString(start, open int32) token {
	s := p.text
	for i := open + 1; int(i) < len(s); i++ {
		switch s[i] {
		case '"':
			return token{tokString, start, i + 1}
		case '\n', '\v', '\f':
			return p.lexError(i, "expected '\"' in string literal")
		case '\\':
			switch c := p.at(i + 1); {
			case c == '"' || c == '\\' || c == 'n' || c == 't':
				i++
			case isHexDigit(c) && isHexDigit(p.at(i+2)):
				i += 2
			default:
				return p.lexError(i+1, "unknown escape in string literal")
			}
		}
	}
	return p.lexError(int32(len(s)), "expected '\"' in string literal")
}

func isHexDigit(b byte) bool {
	return byteClass[b]&digitByte != 0 || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

// lexNumber limits the digits of a number, since the time to convert them grows with
// the square.
func (p *Parser) lexNumber(i int32) token {
	t := p.lexDigits(i)
	if t.end-t.start > maxDigits {
		return p.lexError(i, "a number has more than 65536 digits")
	}
	return t
}

func (p *Parser) lexDigits(i int32) token {
	if p.text[i] == '0' && p.at(i+1) == 'x' && isHexDigit(p.at(i+2)) {
		end := i + 3
		for isHexDigit(p.at(end)) {
			end++
		}
		return token{tokInt, i, end}
	}
	end := p.run(i, digitByte)
	if p.at(end) != '.' {
		return token{tokInt, i, end}
	}
	end = p.run(end+1, digitByte)
	if e := p.at(end); e == 'e' || e == 'E' {
		k := end + 1
		if s := p.at(k); s == '+' || s == '-' {
			k++
		}
		if byteClass[p.at(k)]&digitByte != 0 {
			end = p.run(k, digitByte)
		}
	}
	return token{tokFloat, i, end}
}

// unquoted returns the bytes that a string in quotes means.
func unquoted(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && s[i] != '\\'
	}
	if plain {
		return s[1 : len(s)-1]
	}
	var out []byte
	for i := 1; i < len(s)-1; i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		i++
		switch s[i] {
		case '"', '\\':
			out = append(out, s[i])
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		default:
			out = append(out, hexDigit(s[i])<<4|hexDigit(s[i+1]))
			i++
		}
	}
	return string(out)
}

func hexDigit(b byte) byte {
	switch {
	case b <= '9':
		return b - '0'
	case b >= 'a':
		return b - 'a' + 10
	}
	return b - 'A' + 10
}
