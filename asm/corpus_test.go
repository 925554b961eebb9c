package asm

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/asmcore"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/target"
)

// recorder is a dialect that records the encoding of each instruction.
type recorder struct {
	*dialect
	out []outcome
}

// outcome is the result of assembling one line.
type outcome struct {
	bytes []byte
	err   string
}

func (r *recorder) Instruction(p *asmcore.Parser, start, end int) {
	n := len(p.Diagnostics())
	r.dialect.Instruction(p, start, end)
	o := outcome{bytes: bytes.Clone(p.Emitted())}
	if p.Failed() {
		o = outcome{err: "failed"}
		if l := p.Diagnostics(); len(l) > n {
			o.err = l[n].Message
		}
	}
	r.out = append(r.out, o)
}

// assembleLines assembles lines of one instruction each.
func assembleLines(t testing.TB, cpu, mattr string, lines []string) []outcome {
	t.Helper()
	tgt, err := target.New("amdgcn--", cpu, mattr)
	if err != nil {
		t.Fatal(err)
	}
	src := &diag.Source{Name: cpu, Text: []byte(strings.Join(lines, "\n") + "\n")}
	d, list := prepare(src, tgt)
	if d == nil {
		t.Fatal(list)
	}
	r := &recorder{dialect: d}
	p := asmcore.New(src, asmcore.Options{Dialect: r, Machine: machine(tgt, d.set), Limits: asmcore.Limits{Errors: 1 << 30}})
	d.start(p)
	p.Run()
	if len(r.out) != len(lines) {
		t.Fatalf("%s: %d lines assembled to %d instructions", cpu, len(lines), len(r.out))
	}
	return r.out
}

// attributesOf returns the processor and features of a corpus file.
func attributesOf(file string) (cpu, mattr string) {
	cpu, wave64 := corpus.Processor(file)
	if wave64 {
		mattr = "+wavefrontsize64"
	}
	return cpu, mattr
}

// firstWord returns the first word of a line.
func firstWord(line string) string {
	name, _, _ := strings.Cut(line, " ")
	return name
}

// TestCorpus assembles every instruction of the corpora and compares the bytes
// with LLVM's. The numbers of rows with known differences must match exactly.
func TestCorpus(t *testing.T) {
	files := corpus.Files(t, "isa/corpus/*.tsv.gz")
	gaps := corpus.Known(t, "testdata/corpus-gaps.tsv")
	bugs := corpus.LLVMBugs(t, "testdata/llvm-bugs.tsv")
	for _, file := range files {
		cpu, mattr := attributesOf(file)
		rows := corpus.Rows(t, file)
		bugs.Rows(corpus.Name(file), len(rows))
		lines := make([]string, len(rows))
		for i, r := range rows {
			lines[i] = r[1]
		}
		for i, o := range assembleLines(t, cpu, mattr, lines) {
			gaps.Row(corpus.Name(file))
			want := rows[i][2]
			if want == "=" {
				want = rows[i][0]
			}
			got := hex.EncodeToString(o.bytes)
			if o.err != "" {
				got = "!"
			}
			if got != want && bugs.Has(corpus.Name(file), rows[i][0]) {
				continue
			}
			if got != want {
				gaps.Add(corpus.Name(file), firstWord(lines[i]), fmt.Sprintf("%s: got %s %s, want %s", lines[i], got, o.err, want))
			}
		}
	}
	bugs.Report(t)
	gaps.Report(t)
}

// TestRejects assembles every text that LLVM rejects.
func TestRejects(t *testing.T) {
	files := corpus.Files(t, "isa/rejects/*.text.tsv.gz")
	gaps := corpus.Known(t, "testdata/reject-gaps.tsv")
	for _, file := range files {
		cpu, mattr := attributesOf(file)
		rows := corpus.Rows(t, file)
		lines := make([]string, len(rows))
		for i, r := range rows {
			lines[i] = r[0]
		}
		for i, o := range assembleLines(t, cpu, mattr, lines) {
			gaps.Row(corpus.Name(file))
			if o.err == "" {
				gaps.Add(corpus.Name(file), firstWord(lines[i]), fmt.Sprintf("%s: got %x, want an error: %s", lines[i], o.bytes, rows[i][1]))
			}
		}
	}
	gaps.Report(t)
}
