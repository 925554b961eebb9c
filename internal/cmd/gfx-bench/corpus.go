package main

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// corpusTexts returns the texts that text finds in the rows of a corpus, by
// their columns.
func corpusTexts(path string, text func(columns []string) (string, bool)) ([]string, error) {
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
		if t, ok := text(strings.Split(rows.Text(), "\t")); ok {
			texts = append(texts, t)
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s: no instructions found", path)
	}
	return texts, rows.Err()
}

// exactText returns the instruction of a row whose text assembles to its bytes.
func exactText(columns []string) (string, bool) {
	if len(columns) == 3 && columns[2] == "=" {
		return columns[1], true
	}
	return "", false
}

// writeTexts writes an assembler file of a head and instructions. It repeats the
// instructions until there are atLeast, each time in another order that is the
// same on every run. It returns their number.
func writeTexts(path, head string, texts []string, atLeast int) (lines int, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	w := bufio.NewWriter(f)
	w.WriteString(head)
	random := rand.New(rand.NewPCG(1, 2))
	for lines < atLeast {
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
