package main

import (
	"fmt"
	"path/filepath"
)

// The speeds of the CLRX assembler 0.1.9 and its disassembler for GCN 1.2, in
// instructions per second of processor time, from the shared corpus. The
// programs cannot be installed here, so they are no sides of a comparison.
const (
	clrxAssembles    = 1.5e6
	clrxDisassembles = 12e6
)

// clrxInstructions is the least number of instructions of the source.
const clrxInstructions = 300_000

// catalyst measures assembling a source in the CLRX assembler's language, and
// disassembling the binary.
func (b *bench) catalyst() (bool, error) {
	source, binary := filepath.Join(b.dir, "catalyst.s"), filepath.Join(b.dir, "catalyst.bin")
	texts, err := corpusTexts(filepath.Join(b.corpora, "../../catalyst/insns.tsv.gz"), gcn12Text)
	if err != nil {
		return false, err
	}
	lines, err := writeTexts(source, ".amd\n.gpu Tonga\n.kernel all\n.config\n.dims x\n.text\n", texts, clrxInstructions)
	if err != nil {
		return false, err
	}
	as := &side{name: "gfx as", command: []string{b.gfx, "as", "--format=amd", "-o", binary, source}}
	dis := &side{name: "gfx dis", output: filepath.Join(b.dir, "catalyst.txt"), command: []string{b.gfx, "dis", binary}}
	if err := compareTimes(3*b.runs, as); err != nil {
		return false, err
	}
	if err := compareTimes(3*b.runs, dis); err != nil {
		return false, err
	}
	fmt.Printf("\nCatalyst, %d instructions of GCN 1.2, processor time of whole processes\n%-12s %10s %16s %16s\n", lines, "", "gfx", "", "required")
	reached := true
	for _, job := range []struct {
		name string
		side *side
		want float64
	}{{"assemble", as, clrxAssembles}, {"disassemble", dis, clrxDisassembles}} {
		speed := float64(lines) / job.side.best.cpu.Seconds()
		fmt.Printf("%-12s %7.1f ms %7.2f Mlines/s %7.2f Mlines/s%s\n", job.name, job.side.best.cpu.Seconds()*1e3, speed/1e6, job.want/1e6, missed("speed", speed < job.want))
		reached = reached && speed >= job.want
	}
	return reached, nil
}

// gcn12Text returns the CLRX text of a row for GCN 1.2.
func gcn12Text(columns []string) (string, bool) {
	if len(columns) > 2 && columns[0] == "GCN1.2" {
		return columns[2], true
	}
	return "", false
}
