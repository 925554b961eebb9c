package clrx

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/catalyst"
	disasm "github.com/gfx-toolchain/gfx/disasm/clrx"
	"github.com/gfx-toolchain/gfx/internal/testing/corpus"
)

// printed returns the text of code, with a blank between instructions and
// distances as branch targets.
func printed(t testing.TB, arch string, code []byte) (text string, list []string) {
	a, ok := catalyst.ParseArch(arch)
	if !ok {
		t.Fatalf("no architecture %s", arch)
	}
	p, err := disasm.NewPrinter(a, false)
	if err != nil {
		t.Fatal(err)
	}
	for len(code) > 0 {
		line, n := p.Inst(nil, code)
		text += "; " + string(line)
		list = append(list, string(line))
		code = code[n:]
	}
	return text[2:], list
}

// TestPrintedDiffers prints the instructions whose text CLRX's disassembler and
// assembler do not agree about: the text must assemble to the same bytes.
func TestPrintedDiffers(t *testing.T) {
	for _, file := range corpus.Files(t, "catalyst/insns-differ.tsv.gz") {
		byArch := map[string][][]byte{}
		for _, c := range corpus.Rows(t, file) {
			b, _ := hex.DecodeString(c[1])
			byArch[c[0]] = append(byArch[c[0]], b)
		}
		for arch, list := range byArch {
			for part := range slices.Chunk(list, 500) {
				testPrinted(t, arch, part)
			}
		}
	}
}

// testPrinted prints code and assembles the text to the same bytes.
func testPrinted(t *testing.T, arch string, list [][]byte) {
	var texts []string
	for _, b := range list {
		text, _ := printed(t, arch, b)
		texts = append(texts, text)
	}
	code, problems := assembleRows(t, arch, texts)
	bad := 0
	for i, b := range list {
		full := append(bytes.Clone(b), make([]byte, slot-len(b))...)
		if !bytes.Equal(code[i], full) {
			if bad++; bad <= 30 {
				t.Errorf("%s %x %q: %x %s", arch, b, texts[i], code[i], problems[i])
			}
		}
	}
	if bad > 0 {
		t.Errorf("%s: %d of %d differ", arch, bad, len(list))
	}
}

// TestPrintedRandom prints random words and assembles the text to the same
// bytes. Words are similar to instructions: few of their bits are set, and the
// first ones choose an encoding.
func TestPrintedRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tops := []uint32{0x00, 0x20, 0x7c, 0x7e, 0x80, 0xb0, 0xbe, 0xbf, 0xc0, 0xc4, 0xc8, 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd8, 0xdc, 0xe0, 0xe8, 0xf0, 0xf8}
	for _, arch := range []string{"GCN1.0", "GCN1.1", "GCN1.2", "GCN1.4"} {
		var list [][]byte
		for range 60000 {
			b := make([]byte, 12)
			for i := 0; i < 12; i += 4 {
				w := rng.Uint32() & rng.Uint32()
				if rng.IntN(3) == 0 {
					w &= rng.Uint32()
				}
				binary.LittleEndian.PutUint32(b[i:], w)
			}
			top := tops[rng.IntN(len(tops))]
			b[3] = b[3]&3 | byte(top)
			list = append(list, b)
		}
		for part := range slices.Chunk(list, 500) {
			testPrinted(t, arch, part)
		}
	}
}

// FuzzPrinted prints any bytes and assembles the text to the same bytes.
func FuzzPrinted(f *testing.F) {
	for _, w := range []uint64{0xbe800301, 0x7e0202ff, 0xd2060101, 0xd8000000, 0xe0301000, 0xf0000f00, 0xf800180f, 0xc0020000, 0xdc300000, 0xd38f4000} {
		for arch := range uint8(4) {
			f.Add(arch, binary.LittleEndian.AppendUint64(nil, w|0x0102030400000000))
		}
	}
	f.Fuzz(func(t *testing.T, arch uint8, code []byte) {
		code = code[:min(len(code), slot)&^3]
		if len(code) > 0 {
			testPrinted(t, []string{"GCN1.0", "GCN1.1", "GCN1.2", "GCN1.4"}[arch&3], [][]byte{code})
		}
	})
}
