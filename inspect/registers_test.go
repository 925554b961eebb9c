package inspect

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// textRegister matches the registers in an instruction's text: v5, s[4:7], vcc.
var textRegister = regexp.MustCompile(`(?:^|[ ,\-|(\[])([vsa])(?:(\d+)|\[(\d+):(\d+)\])`)

// a16 is a modifier of image instructions that looks like a register.
var a16 = regexp.MustCompile(` a16\b`)

var vccText = regexp.MustCompile(`\bvcc(_lo|_hi)?\b`)

func textUse(text string) (u use) {
	_, operands, _ := strings.Cut(text, " ")
	if strings.HasPrefix(text, "image_") {
		operands = a16.ReplaceAllString(operands, "")
	}
	for _, m := range textRegister.FindAllStringSubmatch(" "+strings.ReplaceAll(operands, ", ", ",  "), -1) {
		last := m[2]
		if last == "" {
			last = m[4]
		}
		n, _ := strconv.Atoi(last)
		switch m[1] {
		case "v":
			u.vgprs = max(u.vgprs, n+1)
		case "a":
			u.agprs = max(u.agprs, n+1)
		case "s":
			u.sgprs = max(u.sgprs, n+1)
		}
	}
	u.vcc = vccText.MatchString(operands) && !strings.Contains(operands, "depctr")
	return u
}

// TestRegistersAgainstText compares the registers of every instruction of the
// corpora with the registers in its text.
func TestRegistersAgainstText(t *testing.T) {
	rows, scanned := 0, 0
	for _, file := range corpus.Files(t, "isa/corpus/*.tsv.gz") {
		cpu, wave64 := corpus.Processor(file)
		s, ok := isa.SetOf(target.Lookup(cpu))
		if !ok {
			t.Fatalf("no instruction set of %s", cpu)
		}
		wave := s.WaveSizes()[0]
		if wave64 {
			wave = 64
		}
		d := isa.NewDecoder(s, wave)
		scan := newScanner(d)
		bad := 0
		for _, row := range corpus.Rows(t, file) {
			code, err := hex.DecodeString(row[0])
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			in, _, err := d.Decode(code)
			if err != nil {
				continue
			}
			rows++
			var got use
			got.inst(&in)
			if all := scan.registers(code); all.undecodable == 0 && all.instructions == 1 {
				all.instructions = 0
				if all != got {
					t.Errorf("%s: %s: the scanner has %+v, the instruction %+v", corpus.Name(file), row[0], all, got)
				}
				scanned++
			}
			text := string(disasm.Inst(nil, &in))
			want := textUse(text)
			if strings.Contains(text, " r128") {
				got.sgprs, want.sgprs = 0, 0 // the text shows twice as many as the instruction reads
			}
			if strings.Contains(text, "_barrier_") || strings.HasPrefix(text, "s_wakeup_barrier") {
				continue // LLVM shows an SGPR for a barrier's number, which is a constant or m0
			}
			want.sgprs = min(want.sgprs, s.NumSGPRs()) // the following numbers have other names
			if got.vgprs != want.vgprs || got.agprs != want.agprs || got.sgprs != want.sgprs || want.vcc && !got.vcc {
				if bad++; bad <= 10 {
					t.Errorf("%s: %s %s: v %d, a %d, s %d, vcc %v; the text has v %d, a %d, s %d, vcc %v", corpus.Name(file), row[0], text,
						got.vgprs, got.agprs, got.sgprs, got.vcc, want.vgprs, want.agprs, want.sgprs, want.vcc)
				}
			}
		}
		if bad > 0 {
			t.Errorf("%s: %d rows differ", file, bad)
		}
	}
	if rows < 100_000 || scanned < rows/2 {
		t.Errorf("only %d rows, %d by the scanner", rows, scanned)
	}
}
