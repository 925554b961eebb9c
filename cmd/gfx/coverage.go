package main

import (
	"fmt"
	"io"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// coverage is how much of a processor's instruction set works. Instructions
// are counted by name.
type coverage struct {
	Processor string `json:"processor"`
	isa.Coverage
	Encoded int `json:"encoded"` // instructions whose decoded text the assembler takes
}

// coverageOf counts for a processor with an instruction set.
func coverageOf(p *target.Processor, set isa.Set) coverage {
	failed := map[string]bool{}
	targets := map[uint8]*target.Target{}
	var text, bytes []byte
	each := func(name string, in *isa.Inst) {
		t := targets[in.Wave]
		if t == nil {
			t, _ = target.New("amdgcn-amd-amdhsa", p.Name, waveFeature(set, in.Wave))
			targets[in.Wave] = t
		}
		text = disasm.Inst(text[:0], in)
		var err error
		bytes, err = asm.Inst(bytes[:0], string(text), t)
		failed[name] = failed[name] || err != nil
	}
	c := coverage{Processor: p.Name, Coverage: isa.CoverageOf(set, each)}
	for _, f := range failed {
		if !f {
			c.Encoded++
		}
	}
	return c
}

// waveFeature gives the -mattr that chooses a wave size where there is a choice.
func waveFeature(s isa.Set, wave uint8) string {
	if len(s.WaveSizes()) < 2 {
		return ""
	}
	return fmt.Sprintf("+wavefrontsize%d", wave)
}

// coverageView gives the function that prints the coverage of one processor,
// or of all that have an instruction set in the table.
func coverageView(name string, asJSON bool) (func(io.Writer) error, error) {
	var all []coverage
	bySet := map[string]coverage{} // processors with one instruction set have the same counts
	for i := range target.Processors() {
		p := &target.Processors()[i]
		if name != "" && p != target.Lookup(name) {
			continue
		}
		set, ok := isa.SetOf(p)
		if !ok {
			continue
		}
		c, known := bySet[set.String()]
		if !known {
			c = coverageOf(p, set)
			bySet[set.String()] = c
		}
		c.Processor = p.Name
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no instruction set of processor %q in the table; gfx targets lists the processors", name)
	}
	if asJSON {
		return func(w io.Writer) error { return printJSON(w, all) }, nil
	}
	return func(w io.Writer) error {
		fmt.Fprintln(w, "| processor | instructions | encodings | decoded | encoded | with semantics |")
		fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|")
		for _, c := range all {
			fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d |\n", c.Processor, c.Instructions, c.Encodings, c.Decoded, c.Encoded, c.Semantics)
		}
		return nil
	}, nil
}
