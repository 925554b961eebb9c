package main

import (
	"fmt"
	"slices"
)

// codeKey identifies an opcode number of a set. Forms whose words begin alike
// and have the number in the same bits share their numbers, and so do the
// variants of a form.
type codeKey struct {
	match string
	bits  [2]int
	part  string
	set   string
	code  int
}

// codeParts lists the traits and variants that are a part of the opcode: the
// segment of a FLAT instruction, and the half of a VOPD pair.
var codeParts = []string{"global", "scratch", "DualX", "DualY"}

// checkCodes checks that no two instructions have one opcode number on a set.
// Rows of one instruction may share a number.
func (t *table) checkCodes() error {
	first := map[codeKey]*row{}
	for i := range t.rows {
		r := &t.rows[i]
		for _, s := range t.sets {
			code, ok := r.codes[s.name]
			if !ok || code < 0 {
				continue
			}
			k := t.codeKey(r, &s, code)
			switch f := first[k]; {
			case f == nil:
				first[k] = r
			case f.name != r.name:
				return fmt.Errorf("%s: %s has the opcode number %#x on %s, but %s: %s has it, too", r.where, r.name, code, s.name, f.where, f.name)
			}
		}
	}
	return nil
}

// codeKey returns the key of a row's opcode number on a set.
func (t *table) codeKey(r *row, s *set, code int) codeKey {
	k := codeKey{set: s.name, code: code}
	for _, l := range t.layouts {
		if l.form == r.form && slices.Contains(l.gens, s.gen) {
			k.match, k.bits = l.match, l.fields["op"]
		}
	}
	for _, p := range codeParts {
		if r.vari == p || slices.Contains(r.traits, p) {
			k.part = p
		}
	}
	return k
}
