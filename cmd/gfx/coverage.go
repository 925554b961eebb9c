package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

//go:generate go test . -run ^TestCoverageInStatus$ -update

// coverage counts the supported instructions of a processor's instruction set,
// by name.
type coverage struct {
	Processor string `json:"processor"`
	isa.Coverage
	Encoded   int       `json:"encoded"`   // instructions whose decoded text the assembler accepts
	Simulated bool      `json:"simulated"` // whether the processor is simulated; otherwise the fields below are 0
	Semantics int       `json:"semantics"` // instructions that the simulator runs
	LeftOut   []leftOut `json:"leftOut"`   // instructions that the simulator excludes on purpose
	Missing   []string  `json:"missing"`   // all other instructions without semantics
}

// leftOut lists the instructions that one rule excludes from the simulator.
type leftOut struct {
	Rule  string   `json:"rule"`
	Names []string `json:"names"`
}

// counter counts the supported instruction names of an instruction set.
type counter struct {
	processor string
	set       isa.Set
	targets   map[uint8]*target.Target // by wave size
	unencoded map[string]bool          // by name: whether an encoding fails
	unsim     map[string]bool
	rules     map[string]string // by name
	text      []byte
	bytes     []byte
}

// each counts one encoding.
func (c *counter) each(name string, in *isa.Inst) {
	t := c.targets[in.Wave]
	if t == nil {
		t, _ = target.New("amdgcn-amd-amdhsa", c.processor, waveFeature(c.set, in.Wave))
		c.targets[in.Wave] = t
	}
	c.text = disasm.Inst(c.text[:0], in)
	var err error
	c.bytes, err = asm.Inst(c.bytes[:0], string(c.text), t)
	c.unencoded[name] = c.unencoded[name] || err != nil
	if sim.Supports(c.set) {
		c.unsim[name] = c.unsim[name] || !sim.Simulated(in)
		if r := sim.LeftOut(in.Enc); r != "" {
			c.rules[name] = r
		}
	}
}

// coverageOf returns the counts of a processor with an instruction set.
func coverageOf(p *target.Processor, set isa.Set) coverage {
	n := counter{processor: p.Name, set: set, targets: map[uint8]*target.Target{}, unencoded: map[string]bool{}, unsim: map[string]bool{}, rules: map[string]string{}}
	c := coverage{Processor: p.Name, Coverage: isa.CoverageOf(set, n.each), Simulated: sim.Supports(set), LeftOut: []leftOut{}, Missing: []string{}}
	for _, failed := range n.unencoded {
		if !failed {
			c.Encoded++
		}
	}
	byRule := map[string][]string{}
	for name, failed := range n.unsim {
		switch rule := n.rules[name]; {
		case !failed:
			c.Semantics++
		case rule != "":
			byRule[rule] = append(byRule[rule], name)
		default:
			c.Missing = append(c.Missing, name)
		}
	}
	slices.Sort(c.Missing)
	for rule, names := range byRule {
		slices.Sort(names)
		c.LeftOut = append(c.LeftOut, leftOut{rule, names})
	}
	slices.SortFunc(c.LeftOut, func(a, b leftOut) int { return strings.Compare(a.Rule, b.Rule) })
	return c
}

// waveFeature returns the -mattr value that selects a wave size, or "" if the
// instruction set has only one.
func waveFeature(s isa.Set, wave uint8) string {
	if len(s.WaveSizes()) < 2 {
		return ""
	}
	return fmt.Sprintf("+wavefrontsize%d", wave)
}

// coverageView returns the function that prints the coverage of one processor,
// or of all that have an instruction set in the table.
func coverageView(name string, asJSON bool) (func(io.Writer) error, error) {
	all := coverageOfAll(name)
	if len(all) == 0 {
		return nil, fmt.Errorf("no instruction set of processor %q in the table; gfx targets lists the processors", name)
	}
	if asJSON {
		return func(w io.Writer) error { return printJSON(w, all) }, nil
	}
	return func(w io.Writer) error {
		fmt.Fprintln(w, "| processor | instructions | encodings | decoded | encoded | with semantics | left out | missing |")
		fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---:|")
		for i := range all {
			all[i].printRow(w)
		}
		if name != "" {
			all[0].printNames(w)
		}
		return nil
	}, nil
}

// coverageOfAll returns the counts of one processor, or of all when the name is
// "".
func coverageOfAll(name string) []coverage {
	var all []coverage
	bySet := map[isa.Set]coverage{} // processors with one instruction set have the same counts
	for i := range target.Processors() {
		p := &target.Processors()[i]
		if name != "" && p != target.Lookup(name) {
			continue
		}
		set, ok := isa.SetOf(p)
		if !ok {
			continue
		}
		c, known := bySet[set]
		if !known {
			c = coverageOf(p, set)
			bySet[set] = c
		}
		c.Processor = p.Name
		all = append(all, c)
	}
	return all
}

// printRow prints a row of the table.
func (c *coverage) printRow(w io.Writer) {
	fmt.Fprintf(w, "| %s | %d | %d | %d | %d |", c.Processor, c.Instructions, c.Encodings, c.Decoded, c.Encoded)
	if !c.Simulated {
		fmt.Fprintln(w, " not simulated | | |")
		return
	}
	n := 0
	for _, l := range c.LeftOut {
		n += len(l.Names)
	}
	fmt.Fprintf(w, " %d | %d | %d |\n", c.Semantics, n, len(c.Missing))
}

// printNames lists the instructions without semantics.
func (c *coverage) printNames(w io.Writer) {
	list := func(title string, names []string) {
		if len(names) > 0 {
			fmt.Fprintf(w, "\n%s:\n  %s\n", title, strings.Join(names, "\n  "))
		}
	}
	for _, l := range c.LeftOut {
		list("left out: "+l.Rule, l.Names)
	}
	list("missing", c.Missing)
}
