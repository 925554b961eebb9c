package inspect

import (
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// TestScannerRemembers compares the registers of code with the results of a
// scanner that has cached most of the instructions. The code consists of rows
// of the corpora in random order, some with changed bits.
func TestScannerRemembers(t *testing.T) {
	for _, file := range corpus.Files(t, "isa/corpus/*.tsv.gz") {
		t.Run(corpus.Name(file), func(t *testing.T) {
			cpu, wave64 := corpus.Processor(file)
			set, _ := isa.SetOf(target.Lookup(cpu))
			wave := set.WaveSizes()[0]
			if wave64 {
				wave = 64
			}
			d := isa.NewDecoder(set, wave)
			s := newScanner(d)
			random := rand.New(rand.NewPCG(1, 2))
			rows := corpus.Rows(t, file)
			for range 300 {
				var code []byte
				for range 100 {
					row, err := hex.DecodeString(rows[random.IntN(min(len(rows), 3000))][0])
					if err != nil {
						t.Fatal(err)
					}
					if random.IntN(8) == 0 {
						i := random.IntN(len(row) * 8)
						row[i/8] ^= 1 << (i % 8)
					}
					code = append(code, row...)
				}
				for range 4 {
					piece := code[:random.IntN(len(code)/4+1)*4]
					if got, want := s.registers(piece), plainRegisters(d, piece); got != want {
						t.Fatalf("%x: %+v, without memory %+v", piece, got, want)
					}
				}
			}
			if met := slices.IndexFunc(s.met[:], func(m met) bool { return m.facts != 0 }); met < 0 {
				t.Error("nothing is remembered")
			}
		})
	}
}

// plainRegisters is scanner.registers without plans and cache.
func plainRegisters(d *isa.Decoder, code []byte) (u use) {
	for len(code) >= 4 {
		in, n, err := d.Decode(code)
		if err != nil {
			u.undecodable++
			n = 4
		} else {
			u.inst(&in)
			u.instructions++
		}
		code = code[n:]
	}
	return u
}
