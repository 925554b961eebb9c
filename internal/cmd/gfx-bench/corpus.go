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

// corpusTexts returns the instructions of a processor's corpus whose text
// assembles to their bytes.
func corpusTexts(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var texts []string
	rows := bufio.NewScanner(unzipped)
	for rows.Scan() {
		columns := strings.Split(rows.Text(), "\t")
		if len(columns) == 3 && columns[2] == "=" {
			texts = append(texts, columns[1])
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s: no instructions found", path)
	}
	return texts, rows.Err()
}

// writeSource writes an assembler file of the corpus's instructions. It repeats
// them until there are enough lines, each time in another order that is the
// same on every run. It returns the number of lines.
func (b *bench) writeSource(cpu, path string) (lines int, err error) {
	texts, err := corpusTexts(filepath.Join(b.corpora, cpu+".tsv.gz"))
	if err != nil {
		return 0, err
	}
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(f)
	random := rand.New(rand.NewPCG(1, 2))
	for lines < b.lines {
		random.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		for _, text := range texts {
			w.WriteByte('\t')
			w.WriteString(text)
			w.WriteByte('\n')
		}
		lines += len(texts)
	}
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return lines, f.Close()
}
