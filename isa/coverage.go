package isa

// Coverage counts what the table has of an instruction set. Instructions are
// counted by name; an instruction counts as decoded when the words of a plain
// example of each of its encodings are read back as the same instruction.
type Coverage struct {
	Set          string `json:"set"`
	Instructions int    `json:"instructions"` // names in the table
	Encodings    int    `json:"encodings"`    // rows of the table
	Decoded      int    `json:"decoded"`
	Semantics    int    `json:"semantics"` // names that state what the instruction computes
}

// CoverageOf counts what the table has of a set. It calls each, unless that is
// nil, with the example of every encoding that is decoded, so that a caller can
// count what else works for it.
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
			if each != nil && good {
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

// WaveSizes gives the wave sizes of a set's processors.
func (s Set) WaveSizes() []int {
	switch g := sets[s].gen; {
	case g < Gen10:
		return []int{64}
	case g == Gen1250:
		return []int{32}
	}
	return []int{32, 64}
}
