package disasm

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// decoderOf returns the decoder of a corpus file.
func decoderOf(t testing.TB, file string) *isa.Decoder {
	t.Helper()
	cpu, wave64 := corpus.Processor(file)
	set, ok := isa.SetOf(target.Lookup(cpu))
	if !ok {
		t.Fatalf("no instruction set for %s", cpu)
	}
	wave := 64
	if set.Gen() >= isa.Gen10 && !wave64 {
		wave = 32
	}
	return isa.NewDecoder(set, wave)
}

// TestCorpus disassembles every row of the shared corpora. The numbers of rows
// with known differences must match exactly.
func TestCorpus(t *testing.T) {
	files := corpus.Files(t, "isa/corpus/*.tsv.gz")
	gaps := corpus.Known(t, "testdata/corpus-gaps.tsv")
	bugs := llvmErrors(t)
	for _, file := range files {
		d := decoderOf(t, file)
		var buf []byte
		listed := 0
		rows := corpus.Rows(t, file)
		for _, c := range rows {
			gaps.Row(corpus.Name(file))
			src, err := hex.DecodeString(c[0])
			if err != nil {
				t.Fatal(err)
			}
			in, n, err := d.Decode(src)
			got := ""
			if err == nil {
				buf = Inst(buf[:0], &in)
				got = string(buf)
			} else {
				got = "error: " + err.Error()
			}
			if got != c[1] || n != len(src) {
				if _, ok := bugs[corpus.Name(file)+" "+c[0]]; ok {
					bugs[corpus.Name(file)+" "+c[0]] = true
					listed++
					continue
				}
				name, _, _ := strings.Cut(c[1], " ")
				gaps.Add(corpus.Name(file), name, fmt.Sprintf("%s\n got  %s (%d)\n want %s", c[0], got, n, c[1]))
			}
		}
		if listed*1000 > len(rows) {
			t.Errorf("%s: %d of %d rows are listed as LLVM's errors, more than 1 in 1000", file, listed, len(rows))
		}
	}
	for row, met := range bugs {
		if !met {
			t.Errorf("%s is listed as an error of LLVM's, but does not differ", row)
		}
	}
	gaps.Report(t)
}

// TestRejects decodes words that LLVM does not decode.
func TestRejects(t *testing.T) {
	files := corpus.Files(t, "isa/rejects/*.bytes.tsv.gz")
	gaps := corpus.Known(t, "testdata/reject-gaps.tsv")
	for _, file := range files {
		d := decoderOf(t, file)
		for _, c := range corpus.Rows(t, file) {
			gaps.Row(corpus.Name(file))
			src, err := hex.DecodeString(c[0])
			if err != nil {
				t.Fatal(err)
			}
			if in, _, err := d.Decode(src); err == nil {
				gaps.Add(corpus.Name(file), c[1], fmt.Sprintf("%s: got %s, want an error (%s)", c[0], Inst(nil, &in), c[2]))
			}
		}
	}
	gaps.Report(t)
}
