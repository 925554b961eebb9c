package asm

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/asmmatch"
	"github.com/gfx-toolchain/gfx/isa"
)

// Diagnoses of mnemonics that do not exist. Valid instructions never reach this
// code.

// printable returns text for a message, cut at 40 bytes.
func printable(b []byte) string {
	s := []byte(b[:min(len(b), 40):min(len(b), 40)])
	out := make([]byte, len(s))
	for i, c := range s {
		if c < ' ' || c >= 0x7f {
			c = '?'
		}
		out[i] = c
	}
	return string(out)
}

// mnemonicText returns the mnemonic as written.
func (d *dialect) mnemonicText() string { return printable(d.p.Src[d.stmt.start:d.stmt.end]) }

// unknown reports a mnemonic that no processor has.
func (d *dialect) unknown(name, base []byte) bool {
	s := &d.stmt
	d.p.Errorf(s.start, s.end, "invalid instruction '%s'%s", printable(name), d.suggest(base))
	return false
}

// notHere reports an instruction that only other processors have.
func (d *dialect) notHere(base []byte, id int) bool {
	s := &d.stmt
	if asmmatch.WavesOf(d.target) == asmmatch.Wave64 && d.set.Has(isa.PropWave32) && d.words.names.Table(d.set, asmmatch.Wave32).Mnemonic(id, false) != nil {
		d.p.Errorf(s.start, s.end, "instruction requires wavesize=32")
		return false
	}
	d.p.Errorf(s.start, s.end, "instruction not supported on %s: %s", d.cpu(), d.whoHas(id))
	return false
}

// whoHas lists the processors that have an instruction.
func (d *dialect) whoHas(id int) string {
	var with []string
	for s := range isa.Set(isa.NumSets) {
		if d.words.names.HasIn(id, s) {
			with = append(with, s.String())
		}
	}
	if len(with) == 0 {
		return d.words.names.Text(id) + " is an alias that only other processors have"
	}
	if len(with) > 4 {
		with = append(with[:2:2], "…", with[len(with)-1])
	}
	return d.words.names.Text(id) + " is supported on " + strings.Join(with, ", ")
}

// noVariant reports a suffix that the instruction has no encoding for.
func (d *dialect) noVariant(forced asmmatch.Encoding) bool {
	s := &d.stmt
	d.p.Errorf(s.start, s.end, "%s variant of this instruction is not supported on %s", variantName(forced), d.cpu())
	return false
}

// suggest returns "; did you mean …?" with the processor's mnemonic nearest to
// a misspelt one, or "" if none is near.
func (d *dialect) suggest(name []byte) string {
	text := strings.ToLower(string(name))
	best, dist := "", min(len(text)/3, 3)+1
	row := make([]int, len(text)+1)
	for id := range d.words.names.Len() {
		known := d.words.names.Text(id)
		if abs(len(known)-len(text)) >= dist || !d.tab.Accepts(id) {
			continue
		}
		if n := distance(text, known, row, dist); n < dist {
			best, dist = known, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// distance returns the edit distance of two words, or a number of at least
// limit.
func distance(a, b string, row []int, limit int) int {
	for i := range row {
		row[i] = i
	}
	for j := 1; j <= len(b); j++ {
		diag, least := row[0], j
		row[0] = j
		for i := 1; i <= len(a); i++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost = 1 + min(diag, row[i-1], row[i])
			}
			diag, row[i] = row[i], cost
			least = min(least, cost)
		}
		if least >= limit {
			return limit
		}
	}
	return row[len(a)]
}
