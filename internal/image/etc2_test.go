package image

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestETC2 compares all texels of random blocks with another decoder.
func TestETC2(t *testing.T) {
	data, err := os.ReadFile("testdata/etc2.tsv")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]int{}
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "#") || len(words) != 3 {
			continue
		}
		blocks[words[0]]++
		name, signed := strings.CutSuffix(words[0], "_SNORM")
		num := Unorm
		if signed {
			num = Snorm
		}
		block, err := hex.DecodeString(words[1])
		if err != nil {
			t.Fatal(line)
		}
		f := testFormat(t, name, num)
		if len(block) != int(f.Bytes) {
			t.Fatalf("%s has %d bytes", name, f.Bytes)
		}
		var raw Raw
		for i := range len(block) / 4 {
			raw[i] = binary.LittleEndian.Uint32(block[4*i:])
		}
		if colors := strings.Contains(name, "RGB"); colors {
			checkColors(t, f, &raw, words[2])
		} else {
			checkElevenBits(t, f, &raw, words[2])
		}
	}
	for _, n := range []string{"ETC2_RGB", "ETC2_RGBA1", "ETC2_RGBA", "ETC2_R", "ETC2_RG", "ETC2_R_SNORM", "ETC2_RG_SNORM"} {
		if blocks[n] < 16 {
			t.Errorf("%s: %d blocks", n, blocks[n])
		}
	}
}

// checkColors compares the texels of a block with components of 8 bits.
func checkColors(t *testing.T, f *Format, raw *Raw, text string) {
	t.Helper()
	want, err := hex.DecodeString(text)
	if err != nil || len(want) != 64 {
		t.Fatal(text)
	}
	for i, v := range want {
		c := f.texelOf(raw, uint32(i/4%4), uint32(i/16))
		if c[i%4] != math.Float32bits(float32(float64(v)/255)) {
			t.Fatalf("%v %x: component %d of texel %d is %v, want %d", f, raw, i%4, i/4, math.Float32frombits(c[i%4])*255, v)
		}
	}
}

// checkElevenBits compares the texels of a block with components of 11 bits.
func checkElevenBits(t *testing.T, f *Format, raw *Raw, text string) {
	t.Helper()
	want := strings.Split(text, ",")
	n, top := len(want)/16, 2047.
	if f.Num == Snorm {
		top = 1023
	}
	for i, s := range want {
		v, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(text)
		}
		texel := i / n
		c := f.texelOf(raw, uint32(texel%4), uint32(texel/4))
		if c[i%n] != math.Float32bits(float32(float64(v)/top)) {
			t.Fatalf("%v %x: component %d of texel %d is %v, want %d", f, raw, i%n, texel, float64(math.Float32frombits(c[i%n]))*top, v)
		}
	}
}
