package ir

import "slices"

// Scratch is memory in which bodies of functions are made, one after the other, so that a body takes what it needs and not what it
// grew through. The zero value is ready.
type Scratch struct {
	instrs []Instr
	pool   []Operand
	blocks []blockData
	names  []byte
	aux    []uint32
	atts   []attachment
}

// Borrow makes a function without a body grow its body in s, until Return. Nobody else may use s in the meantime.
func (f *Function) Borrow(s *Scratch) {
	f.instrs = append(s.instrs[:0], f.instrs...)
	f.pool = append(s.pool[:0], Operand{})
	f.blocks = append(s.blocks[:0], blockData{})
	f.names = append(s.names[:0], f.names...)
	f.aux, f.atts = s.aux[:0], s.atts[:0]
}

// Return takes what the function consists of out of s.
func (f *Function) Return(s *Scratch) {
	f.instrs, s.instrs = slices.Clone(f.instrs), f.instrs
	f.pool, s.pool = slices.Clone(f.pool), f.pool
	f.blocks, s.blocks = slices.Clone(f.blocks), f.blocks
	f.names, s.names = slices.Clone(f.names), f.names
	f.aux, s.aux = slices.Clone(f.aux), f.aux
	f.atts, s.atts = slices.Clone(f.atts), f.atts
}
