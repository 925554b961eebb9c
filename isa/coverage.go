package isa

// Coverage counts the instructions of an instruction set in the table.
// Instructions are counted by name; an instruction counts as decoded if the
// words of a plain example of each of its encodings decode to the same
// instruction.
type Coverage struct {
	Set          string `json:"set"`          // name of the instruction set
	Instructions int    `json:"instructions"` // names in the table
	Encodings    int    `json:"encodings"`    // rows of the table
	Decoded      int    `json:"decoded"`      // names that count as decoded
}

// CoverageOf counts the instructions of a set. If each is not nil, CoverageOf
// calls it with the example of every encoding that decodes and that assemblers
// accept, so that a caller can count further properties.
func CoverageOf(s Set, each func(name string, in *Inst)) Coverage {
	c := Coverage{Set: s.String()}
	failed := map[string]bool{}
	for _, wave := range s.WaveSizes() {
		d := NewDecoder(s, wave)
		for e := range Enc(len(encs)) {
			in, ok := Sample(e, s, wave)
			if !ok {
				continue
			}
			c.Encodings++
			name := e.Name()
			out, _, err := d.Decode(append(Encode(nil, &in), make([]byte, 8)...))
			got := out.Enc
			if err == nil && e.Variant() == DualY {
				got = out.DualY()
			}
			good := err == nil && got.Name() == name
			failed[name] = failed[name] || !good
			if each != nil && good && e.Assembled(s) {
				each(name, &in)
			}
		}
	}
	c.Instructions = len(failed)
	for _, f := range failed {
		if !f {
			c.Decoded++
		}
	}
	return c
}

// Assembled reports whether assemblers accept an encoding of a set. Some
// encodings share their row with other sets and are known to decoders alone:
// AGPRs as data of memory instructions, and DPP with a 64-bit source, on sets
// without them. Source: LLVM 22.1's assembler and disassembler.
func (e Enc) Assembled(s Set) bool {
	for i := range e.Operands() {
		o := &e.Operands()[i]
		c := &classInfos[o.Class]
		switch f := encs[e].form; {
		case c.Files == FileA && (f == FLAT || f == DS || f == MUBUF || f == MTBUF || f == MIMG) && !s.Has(PropAccData),
			encs[e].vari == DPP && o.Field == FieldSrc0 && c.Dwords == 2 && !s.Has(PropDpp64):
			return false
		}
	}
	return true
}

// WaveSizes returns the wave sizes of a set's processors.
func (s Set) WaveSizes() []int {
	switch {
	case !s.Has(PropWave32):
		return []int{64}
	case !s.Has(PropWave64):
		return []int{32}
	}
	return []int{32, 64}
}
