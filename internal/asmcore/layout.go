package asmcore

import "fmt"

// maxLayouts bounds the rounds of the layout. Padding and LEB128 numbers only
// grow, but a .fill or .org whose size depends on itself may never settle. The
// layout always has minLayouts rounds; further rounds are possible until all
// rounds together have visited maxVisits fragments.
const (
	maxLayouts = 200
	minLayouts = 8
	maxVisits  = 1 << 25
)

// layout computes the sizes of all fragments and the addresses of all streams.
func (p *Parser) layout() bool {
	p.laidOut = true
	frags := 0
	for _, sec := range p.used {
		for _, s := range sec.subs {
			frags += len(s.frags)
		}
	}
	for round := 0; ; round++ {
		changed := false
		for _, sec := range p.used {
			changed = p.layoutSection(sec) || changed
		}
		if !changed {
			return p.layoutErrors()
		}
		if round == maxLayouts || round >= minLayouts && frags > maxVisits/round {
			p.errorEnd("layout does not converge: a .fill, .org or alignment depends on its own size")
			return false
		}
	}
}

// layoutSection assigns addresses and sizes to the parts of a section, and
// reports whether any has changed.
func (p *Parser) layoutSection(sec *Section) (changed bool) {
	addr := int64(0)
	for _, s := range sec.subs {
		changed = changed || s.base != addr
		s.base = addr
		before := int64(0)
		for i := range s.frags {
			f := &s.frags[i]
			changed = changed || f.before != before
			f.before = before
			size, _ := p.fragSize(s, f)
			changed = changed || f.size != size
			f.size = size
			before += size
		}
		addr += int64(len(s.data)) + before
	}
	changed = changed || sec.size != addr
	sec.size = addr
	return changed
}

// fragSize returns the size of a fragment in the current layout, or the reason
// why it has none.
func (p *Parser) fragSize(s *stream, f *frag) (size int64, problem string) {
	addr := s.base + f.before + int64(f.at)
	switch f.kind {
	case fragAlign, fragCode:
		size = -addr & (f.a - 1)
		if f.b > 0 && size > f.b {
			size = 0
		}
		if w := int64(f.width); f.kind == fragAlign && size%w != 0 {
			problem = fmt.Sprintf("value size %d of the alignment is not a divisor of the padding size %d", w, size)
		}
		return size, problem
	case fragFill:
		return p.fillSize(f)
	case fragOrg:
		return p.orgSize(s, f, addr)
	case fragULEB, fragSLEB:
		return p.lebSize(f)
	case fragRelax:
		return p.relaxSize(s, f), ""
	}
	panic("BUG: unknown kind of fragment")
}

func (p *Parser) fillSize(f *frag) (int64, string) {
	e := evaluator{p: p, know: knowLayout, inSet: true}
	n, ok := e.constant(f.v)
	switch {
	case !ok:
		return 0, or(e.problem, "expected assembly-time absolute expression")
	case n < 0:
		return 0, "invalid number of bytes"
	case n > maxAddress/max(f.b, 1):
		return 0, fmt.Sprintf("fill of %d times %d bytes is too large", n, f.b)
	}
	return n * f.b, ""
}

// maxAddress is the exclusive limit of the size of a section without contents.
const maxAddress = 1 << 48

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// orgSize returns the distance from addr to the offset of a .org.
func (p *Parser) orgSize(s *stream, f *frag, addr int64) (int64, string) {
	e := evaluator{p: p, know: knowLayout}
	v, ok := e.value(f.v)
	if !ok || v.sub != nil || v.spec != 0 {
		return 0, or(e.problem, "expected assembly-time absolute expression")
	}
	target := v.c
	if v.add != nil {
		at, ok := p.spotOf(v.add)
		if !ok || at.stream.section != s.section {
			return 0, "expected absolute expression"
		}
		target += at.address()
	}
	if target < addr || target-addr > maxAddress {
		return 0, fmt.Sprintf("invalid .org offset '%d' (at offset '%d')", target, addr)
	}
	return target - addr, ""
}

// lebSize returns the size of a LEB128 number; it never shrinks.
func (p *Parser) lebSize(f *frag) (int64, string) {
	e := evaluator{p: p, know: knowLayout, inSet: true}
	c, ok := e.constant(f.v)
	if !ok {
		name := ".uleb128"
		if f.kind == fragSLEB {
			name = ".sleb128"
		}
		return f.size, or(e.problem, name+" expression is not absolute")
	}
	var buf [10]byte
	return max(f.size, int64(len(appendLEB(buf[:0], f.kind, c)))), ""
}

// relaxSize returns the padding after a relaxable instruction; it never
// shrinks.
func (p *Parser) relaxSize(s *stream, f *frag) int64 {
	fix := &s.fixups[f.a]
	value, _, resolved := p.fixupValue(s, fix, s.base+f.before+int64(fix.off))
	return max(f.size, int64(p.machine.Relax(fix.kind, value, resolved)))
}

// layoutErrors reports the errors of fragments and exceeded output limits. It
// returns false if there are any.
func (p *Parser) layoutErrors() bool {
	good := true
	room := p.opts.Limits.Output
	for _, sec := range p.used {
		limit := room
		if sec.nobits() {
			limit = maxAddress
		}
		for _, s := range sec.subs {
			for i := range s.frags {
				f := &s.frags[i]
				if _, problem := p.fragSize(s, f); problem != "" {
					p.errorAt(f.pos, "%s", problem)
					good = false
				}
				if s.base+f.before+int64(f.at)+f.size > limit {
					p.tooLargeAt(sec, f.pos, limit)
					return false
				}
			}
		}
		switch {
		case sec.size > limit:
			p.tooLargeAt(sec, place{}, limit)
			return false
		case !sec.nobits():
			room -= sec.size
		}
	}
	return good
}

// tooLargeAt reports that a section is too large: at the statement that exceeds
// the limit, or at the end of the source if that is not known.
func (p *Parser) tooLargeAt(sec *Section, at place, limit int64) {
	const format = "section '%s' makes the output larger than %d bytes"
	if at.src == 0 {
		p.errorEnd(format, sec.Name, limit)
		return
	}
	p.errorAt(at, format, sec.Name, limit)
}

// contents returns the bytes of a section after layout and fixups.
func (p *Parser) contents(sec *Section) []byte {
	if len(sec.subs) == 1 && len(sec.subs[0].frags) == 0 {
		return sec.subs[0].data
	}
	out := make([]byte, 0, sec.size)
	for _, s := range sec.subs {
		from := 0
		for i := range s.frags {
			f := &s.frags[i]
			out = append(out, s.data[from:f.at]...)
			from = f.at
			out = p.appendFrag(out, s, f)
		}
		out = append(out, s.data[from:]...)
	}
	if int64(len(out)) != sec.size {
		panic("BUG: section " + sec.Name + " does not have the size of its layout")
	}
	return out
}

// appendFrag appends the bytes of a fragment.
func (p *Parser) appendFrag(dst []byte, s *stream, f *frag) []byte {
	switch f.kind {
	case fragAlign:
		return appendPattern(dst, f.size/int64(f.width), int64(f.width), f.v.Const)
	case fragCode, fragRelax:
		return p.machine.Nops(dst, int(f.size))
	case fragFill:
		return appendPattern(dst, f.size/f.b, f.b, f.a)
	case fragOrg:
		return appendPattern(dst, f.size, 1, f.a)
	case fragULEB, fragSLEB:
		e := evaluator{p: p, know: knowLayout, inSet: true}
		c, _ := e.constant(f.v)
		return appendPaddedLEB(dst, f.kind, c, int(f.size))
	}
	panic("BUG: unknown kind of fragment")
}

// appendPaddedLEB appends a LEB128 number in exactly size bytes.
func appendPaddedLEB(dst []byte, kind fragKind, c int64, size int) []byte {
	from := len(dst)
	dst = appendLEB(dst, kind, c)
	if len(dst)-from == size {
		return dst
	}
	pad := byte(0)
	if kind == fragSLEB && c < 0 {
		pad = 0x7f
	}
	dst[len(dst)-1] |= 0x80
	for len(dst)-from < size-1 {
		dst = append(dst, pad|0x80)
	}
	return append(dst, pad)
}

// blank reports whether a section without contents consists of zeros.
func blank(sec *Section) bool {
	for _, s := range sec.subs {
		for _, b := range s.data {
			if b != 0 {
				return false
			}
		}
		for i := range s.frags {
			f := &s.frags[i]
			switch f.kind {
			case fragFill, fragOrg:
				if f.a != 0 && f.size > 0 {
					return false
				}
			case fragAlign:
				if f.v.Const != 0 && f.size > 0 {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}
