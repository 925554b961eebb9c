package asmcore

// RawString skips blanks and reads a string in double quotes. The range is the
// raw text between the quotes. Without a string, ok is false and the cursor
// stays there.
func (p *Parser) RawString() (start, end int, ok bool) {
	p.SkipSpace()
	open := p.Pos
	if p.Src[open] != '"' {
		return open, open, false
	}
	i, last := open+1, len(p.Src)-1
	for i < last && p.Src[i] != '"' {
		if p.Src[i] == '\\' {
			i++
		}
		i++
	}
	if i >= last {
		p.Errorf(open, open+1, "unterminated string constant")
		p.Pos = last
		return open, open, false
	}
	p.Pos = i + 1
	return open + 1, i, true
}

// String skips blanks and reads a string in double quotes with its escapes
// decoded: \b \f \n \r \t \" \\, up to three octal digits, and \x with any
// number of hexadecimal digits. The result is valid until the next call. ok is
// false without a valid string; Failed then reports whether String reported an
// error.
func (p *Parser) String() (text []byte, ok bool) {
	start, end, ok := p.RawString()
	if !ok {
		return nil, false
	}
	out := p.scratch[:0]
	for i := start; i < end; i++ {
		c := p.Src[i]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		var problem string
		c, i, problem = p.escape(i+1, end)
		if problem != "" {
			p.Errorf(start-1, end, "%s", problem)
			return nil, false
		}
		out = append(out, c)
	}
	p.scratch = out
	return out, true
}

// escape decodes the escape sequence after a backslash, at i. It returns the
// byte and the index of the sequence's last character.
func (p *Parser) escape(i, end int) (c byte, last int, problem string) {
	if i >= end {
		return 0, i, "unexpected backslash at end of string"
	}
	c = p.Src[i]
	switch {
	case c|0x20 == 'x':
		v, n := 0, i+1
		for ; n < end && digitValue(p.Src[n]) < 16; n++ {
			v = v<<4 | int(digitValue(p.Src[n]))
		}
		if n == i+1 {
			return 0, i, "invalid hexadecimal escape sequence"
		}
		return byte(v), n - 1, ""
	case c-'0' <= 7:
		v, n := 0, i
		for ; n < end && n < i+3 && p.Src[n]-'0' <= 7; n++ {
			v = v<<3 | int(p.Src[n]-'0')
		}
		if v > 255 {
			return 0, i, "invalid octal escape sequence (out of range)"
		}
		return byte(v), n - 1, ""
	}
	switch c {
	case 'b':
		return '\b', i, ""
	case 'f':
		return '\f', i, ""
	case 'n':
		return '\n', i, ""
	case 'r':
		return '\r', i, ""
	case 't':
		return '\t', i, ""
	case '"', '\\':
		return c, i, ""
	}
	return 0, i, "invalid escape sequence (unrecognized character)"
}

// Name skips blanks and reads a symbol's name: an identifier, a string in
// double quotes, or an identifier after '$' or '@'. Without a name, it returns
// nil and leaves the cursor there.
func (p *Parser) Name() []byte {
	if start, end := p.Ident(); end > start {
		return p.Src[start:end]
	}
	c := p.Src[p.Pos]
	if c == '"' {
		start, end, ok := p.RawString()
		if !ok {
			return nil
		}
		return p.Src[start:end]
	}
	if c != '$' && c != '@' {
		return nil
	}
	start, i := p.Pos, p.Pos+1
	if p.class[p.Src[i]]&(classIdentStart|classDigit) == 0 {
		return nil
	}
	for p.class[p.Src[i]]&classIdent != 0 {
		i++
	}
	p.Pos = i
	return p.Src[start:i]
}
