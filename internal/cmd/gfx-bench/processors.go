package main

import (
	"fmt"
	"math"
	"path/filepath"
	"time"
)

// wantRatio is the largest time of an instruction, and of a compilation,
// relative to the processor that it is compared with.
const wantRatio = 1.3

// newer lists processors with the older ones that they are compared with, and
// the IR that both are compiled from.
var newer = []struct{ cpu, base, ir, baseIR string }{
	{"gfx700", "gfx900", "gfx900", "gfx900"},
	{"gfx950", "gfx900", "gfx90a", "gfx900"},
	{"gfx1150", "gfx1100", "gfx1030", "gfx1030"},
	{"gfx1200", "gfx1100", "gfx1030", "gfx1030"},
	{"gfx1250", "gfx1100", "gfx1030", "gfx1030"},
}

// compiledCode is the code of a kernel for a processor: the best times of its
// compilation and of its instructions.
type compiledCode struct {
	cpu, file, code string
	compile         time.Duration
	instruction     float64 // ns
}

// newerProcessors compares processors pairwise: the times of a simulated
// instruction and of compiling the compute-bound shared kernels. The runs of a
// pair alternate.
func (b *bench) newerProcessors(shared string) (bool, error) {
	reached := true
	fmt.Printf("\n%d compute-bound kernels, geometric means of the ratios to an older processor; at most %.1f\n%-9s %-9s %12s %12s\n", len(heavy), wantRatio, "", "", "instruction", "compilation")
	for _, p := range newer {
		var simulate, compile float64
		for _, k := range heavy {
			pair := [2]compiledCode{{cpu: p.cpu, file: p.ir}, {cpu: p.base, file: p.baseIR}}
			if err := b.comparePair(shared, k, pair[:]); err != nil {
				return false, err
			}
			simulate += math.Log(pair[0].instruction / pair[1].instruction)
			compile += math.Log(pair[0].compile.Seconds() / pair[1].compile.Seconds())
		}
		n := float64(len(heavy))
		simulate, compile = math.Exp(simulate/n), math.Exp(compile/n)
		ok := simulate <= wantRatio && compile <= wantRatio
		fmt.Printf("%-9s %-9s %11.2fx %11.2fx%s\n", p.cpu, p.base, simulate, compile, missed("ratio", !ok))
		reached = reached && ok
	}
	return reached, nil
}

// comparePair measures a kernel on the processors of a pair. The field file of
// each holds the folder of its IR at first.
func (b *bench) comparePair(shared, kernel string, pair []compiledCode) error {
	for i := range pair {
		c := &pair[i]
		file, err := b.retarget(filepath.Join(shared, "kernels/ll", c.file, kernel+".ll"))
		if err != nil {
			return err
		}
		c.file, c.code = file, filepath.Join(b.dir, c.cpu+".hsaco")
	}
	for range 5 * b.runs {
		for i := range pair {
			if err := b.compileTimed(&pair[i]); err != nil {
				return err
			}
		}
	}
	manifest := filepath.Join(shared, "kernels/manifests", kernel+".json")
	for range b.runs {
		for i := range pair {
			c := &pair[i]
			s, err := b.simulate(c.code, manifest, 1, 10)
			if err != nil {
				return err
			}
			if t := float64(s.best.Nanoseconds()) / float64(s.instructions()); c.instruction == 0 || t < c.instruction {
				c.instruction = t
			}
		}
	}
	return nil
}

// compileTimed compiles the code and keeps the least time.
func (b *bench) compileTimed(c *compiledCode) error {
	got, err := run("", false, b.gfx, "compile", "-O2", "--mcpu="+c.cpu, "-o", c.code, c.file)
	if err == nil && (c.compile == 0 || got.wall < c.compile) {
		c.compile = got.wall
	}
	return err
}
