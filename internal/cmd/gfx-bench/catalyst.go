package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The speeds of the CLRX assembler 0.1.9 and its disassembler for GCN 1.2, in
// instructions per second of processor time, from the shared corpus. The
// programs cannot be installed here, so they are no sides of a comparison.
const (
	clrxAssembles    = 1.5e6
	clrxDisassembles = 12e6
)

// clrxInstructions is the number of instructions that those speeds are of.
const clrxInstructions = 300_000

// catalyst measures assembling a source in the CLRX assembler's language, and
// disassembling the binary.
func (b *bench) catalyst() (bool, error) {
	source, binary := filepath.Join(b.dir, "catalyst.s"), filepath.Join(b.dir, "catalyst.bin")
	lines, err := b.writeCatalyst(source)
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

// writeCatalyst writes a source with a kernel of the corpus's GCN 1.2
// instructions, in an order that is the same on every run. It returns their
// number.
func (b *bench) writeCatalyst(path string) (lines int, err error) {
	texts, err := catalystTexts(filepath.Join(filepath.Dir(filepath.Dir(b.corpora)), "catalyst/insns.tsv.gz"))
	if err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(f)
	w.WriteString(".amd\n.gpu Tonga\n.kernel all\n.config\n.dims x\n.text\n")
	random := rand.New(rand.NewPCG(1, 2))
	for lines < clrxInstructions {
		random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		for _, text := range texts[:min(len(texts), clrxInstructions-lines)] {
			w.WriteString("    " + text + "\n")
			lines++
		}
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return lines, f.Close()
}

// catalystTexts returns the GCN 1.2 instructions of the corpus.
func catalystTexts(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, missingError(err.Error())
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var texts []string
	rows := bufio.NewScanner(unzipped)
	for rows.Scan() {
		if columns := strings.Split(rows.Text(), "\t"); len(columns) > 2 && columns[0] == "GCN1.2" {
			texts = append(texts, columns[2])
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s: no instructions of GCN 1.2", path)
	}
	return texts, rows.Err()
}
