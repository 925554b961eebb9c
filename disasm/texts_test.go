package disasm

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestTexts compares cached texts with the output of a decoder and printer
// without a cache, on all corpora and on words mutated from them by changing
// bits and exchanging dwords.
func TestTexts(t *testing.T) {
	for _, file := range corpus.Files(t, "isa/corpus/*.tsv.gz") {
		t.Run(corpus.Name(file), func(t *testing.T) {
			var list [][]byte
			for _, c := range corpus.Rows(t, file) {
				code, err := hex.DecodeString(c[0])
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, code)
			}
			d := decoderOf(t, file)
			x := newTexts(d)
			random := rand.New(rand.NewPCG(1, 2))
			for range 3 {
				random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				for i, code := range list {
					compareTexts(t, x, d, code)
					compareTexts(t, x, d, mutate(random, code, list[(i+1)%len(list)]))
				}
			}
		})
	}
}

// mutate changes some bits of code, or exchanges a dword with another's.
func mutate(random *rand.Rand, code, other []byte) []byte {
	code = append([]byte(nil), code...)
	if random.IntN(8) == 0 && len(code) >= 8 && len(other) >= 8 {
		copy(code[4:8], other[4:8])
	}
	for range 1 + random.IntN(3) {
		i := random.IntN(len(code) * 8)
		code[i/8] ^= 1 << (i % 8)
	}
	return append(code, make([]byte, random.IntN(3)*4)...)
}

// compareTexts compares the texts of an instruction and returns its size.
func compareTexts(t *testing.T, x *texts, d *isa.Decoder, code []byte) int {
	t.Helper()
	var words dwords
	words.load(code)
	got, n, _, err := x.append(nil, code, &words)
	in, wantN, wantErr := d.Decode(code)
	want := ""
	if wantErr == nil {
		want = string(Inst(nil, &in))
	}
	if string(got) != want || n != wantN || err != wantErr {
		t.Errorf("%x: %q, %d bytes, %v; without memory %q, %d bytes, %v", code, got, n, err, want, wantN, wantErr)
	}
	return n
}

// TestStartsLonger checks the first words of each row: if they are an
// instruction and the row is a longer one, StartsLonger must report it.
func TestStartsLonger(t *testing.T) {
	found := 0
	for _, file := range corpus.Files(t, "isa/corpus/*.tsv.gz") {
		d := decoderOf(t, file)
		for _, c := range corpus.Rows(t, file) {
			code, err := hex.DecodeString(c[0])
			if err != nil {
				t.Fatal(err)
			}
			_, size, err := d.Decode(code)
			for n := 4; err == nil && n < size; n += 4 {
				in, k, err := d.Decode(code[:n])
				if err != nil || k != n {
					continue
				}
				found++
				if !in.StartsLonger() {
					t.Errorf("%s: %x begins with %s of %d bytes, which does not start a longer one", corpus.Name(file), code, in.Enc.Name(), n)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no instruction starts a longer one")
	}
}
