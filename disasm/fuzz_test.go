package disasm

import (
	"bytes"
	"io"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// fuzzDecoders returns a decoder for every instruction set and wave size.
func fuzzDecoders() (list []*isa.Decoder) {
	for s := range isa.Set(isa.NumSets) {
		list = append(list, isa.NewDecoder(s, 64))
		if s.Gen() >= isa.Gen10 {
			list = append(list, isa.NewDecoder(s, 32))
		}
	}
	return list
}

// FuzzDecode decodes arbitrary words. An instruction that decodes must print
// and encode, and decode to the same instruction again.
func FuzzDecode(f *testing.F) {
	decoders := fuzzDecoders()
	for _, word := range []string{"\x00\x00\x81\xbf", "\xf9\x00\x00\x7e\x00\x00\x00\x00", "\xff\x00\x00\x7e\x01\x02\x03\x04",
		"\x00\x00\x00\xd2\x00\x00\x00\x00", "\x00\x00\x00\xe0\x00\x00\x00\x00", "\x00\x00\x00\xf0\x00\x00\x00\x00\x00\x00\x00\x00"} {
		f.Add([]byte(word))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, d := range decoders {
			in, n, err := d.Decode(src)
			if err != nil {
				continue
			}
			if n <= 0 || n > len(src) || n > isa.MaxSize || n%4 != 0 {
				t.Fatalf("%x: size %d", src, n)
			}
			text := Inst(nil, &in)
			code := isa.Encode(nil, &in)
			again, m, err := d.Decode(code)
			if err != nil || m != n {
				t.Fatalf("%x (%s): encoded as %x: %d, %v", src[:n], text, code, m, err)
			}
			if got := Inst(nil, &again); !bytes.Equal(got, text) {
				t.Fatalf("%x: %s, encoded as %x: %s", src[:n], text, code, got)
			}
		}
	})
}

// FuzzTexts compares cached texts with the output of a decoder and printer
// without a cache. The first byte selects the decoder.
func FuzzTexts(f *testing.F) {
	decoders := fuzzDecoders()
	f.Add([]byte("\x10\x00\x00\x81\xbf\x00\x00\x81\xbf\x01\x02\x03\x7e\xf9\x00\x00\x7e\x00\x00\x00\x00\xf9\x02\x00\x7e\x00\x00\x00\x00"))
	f.Add([]byte("\x20\xff\x00\x00\x7e\x01\x02\x03\x04\xff\x00\x02\x7e\x01\x02\x03\x04\xff\x00\x04\x7e\x01\x02\x03\x04"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) == 0 {
			return
		}
		d := decoders[int(src[0])%len(decoders)]
		x := newTexts(d)
		for range 2 {
			for code := src[1:]; len(code) > 0; {
				code = code[compareTexts(t, x, d, code):]
			}
		}
	})
}

// FuzzHex parses arbitrary text as hexadecimal bytes.
func FuzzHex(f *testing.F) {
	f.Add("c0,06,00,00\n0xc0 0x06 0x00 0x00\nc0060000c0060000 # note\n")
	f.Add("zz\n[0x7f]\n0xc006000")
	tgt, err := target.New("amdgcn--", "gfx900", "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		Hex(io.Discard, &diag.Source{Name: "fuzz", Text: []byte(text)}, Options{Target: tgt})
	})
}
