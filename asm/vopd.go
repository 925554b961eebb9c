package asm

import (
	"github.com/gfx-toolchain/gfx/internal/asmmatch"
)

// VOPD pairs: X :: Y.

// nextHalf reads :: and the mnemonic of a pair's second half.
func (d *dialect) nextHalf() bool {
	p, s := d.p, &d.stmt
	start := p.Pos
	p.Pos += 2
	at, end := p.Ident()
	switch {
	case at == end:
		p.Errorf(at, at+1, "expected a VOPDY instruction after ::")
		return false
	case !s.Mnemonic.Pairs:
		p.Errorf(start, start+2, "not a valid operand: %s cannot be the first half of a pair", s.Mnemonic.Text)
		return false
	case s.Second != nil:
		p.Errorf(start, start+2, "invalid operand for instruction: a pair has two halves")
		return false
	}
	id, ok := asmmatch.Lookup(d.words.names, p.Src[at:end])
	if !ok {
		p.Errorf(at, end, "invalid VOPDY instruction%s", d.suggest(p.Src[at:end]))
		return false
	}
	y := d.tab.Mnemonic(id, true)
	if y == nil {
		p.Errorf(at, end, "invalid VOPDY instruction: %s cannot be the second half of a pair on %s", d.words.names.Text(id), d.cpu())
		return false
	}
	s.Second, s.NumFirst, s.yStart, s.yEnd = y, s.NumOps, at, end
	return true
}
