package image

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"
)

// TestBPTC compares all texels of blocks of all modes and partitions with
// another decoder: exactly for BC7, and within one step of the eight bits that it has
// for BC6.
func TestBPTC(t *testing.T) {
	data, err := os.ReadFile("testdata/bptc.tsv")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]int{}
	fine := 0 // components of BC6 that eight bits do not cut
	for line := range strings.Lines(string(data)) {
		words := strings.Fields(line)
		if strings.HasPrefix(line, "#") || len(words) != 3 {
			continue
		}
		block, err1 := hex.DecodeString(words[1])
		want, err2 := hex.DecodeString(words[2])
		if err1 != nil || err2 != nil {
			t.Fatal(line)
		}
		blocks[words[0]]++
		num := map[string]Number{"BC7": Unorm, "BC6U": Unorm, "BC6S": Float}[words[0]]
		f := testFormat(t, words[0][:3], num)
		var raw Raw
		for i := range raw {
			raw[i] = binary.LittleEndian.Uint32(block[4*i:])
		}
		comps := len(want) / 16
		for i := range uint32(16) {
			c := f.texelOf(&raw, i%4, i/4)
			for k, v := range want[int(i)*comps:][:comps] {
				x := float64(math.Float32frombits(c[k]))
				if words[0] == "BC7" {
					if c[k] != math.Float32bits(float32(float64(v)/255)) {
						t.Fatalf("%s %s: component %d of texel %d is %v, want %d", words[0], words[1], k, i, x*255, v)
					}
					continue
				}
				if x > 0 && x < 1 {
					fine++
				}
				// The other decoder does not round when it interpolates; TestBC6Exact checks that.
				if got := math.Floor(min(max(x, 0), 1) * 255); math.Abs(got-float64(v)) > 1 {
					t.Fatalf("%s %s: component %d of texel %d is %v (%v), want %d", words[0], words[1], k, i, got, x, v)
				}
			}
		}
	}
	f := testFormat(t, "BC7", Unorm)
	if c := f.texelOf(&Raw{0x100, 1, 2, 3}, 1, 1); c != (Texel{}) {
		t.Errorf("a reserved block is %v", c)
	}
	if blocks["BC7"] != 320 || blocks["BC6U"] != 385 || blocks["BC6S"] != 64 || fine < 4000 {
		t.Errorf("blocks %v, %d components", blocks, fine)
	}
}

// TestBC6Exact checks blocks with one subset, of mode 3 (two endpoints of ten
// bits) and mode 11 (twelve bits, and a difference of eight). Their interpolation
// follows from the specification with exact arithmetic.
func TestBC6Exact(t *testing.T) {
	for _, signed := range []bool{false, true} {
		f := testFormat(t, "BC6", map[bool]Number{false: Unorm, true: Float}[signed])
		for a := int64(0); a < 4096; a += 61 {
			for d := int64(-128); d < 128; d += 23 {
				checkBC6(t, f, signed, a&1023, (a&1023+5*d)&1023, 10, 3|uint64(a&1023)<<5|uint64((a&1023+5*d)&1023)<<35)
				checkBC6(t, f, signed, a, (a+d)&4095, 12, 11|uint64(a&1023)<<5|uint64(d&255)<<35|uint64(a>>11)<<43|uint64(a>>10&1)<<44)
			}
		}
	}
}

// checkBC6 compares red of a block with the low bits lo whose texel i has index
// i with the interpolation of two endpoints of some bits.
func checkBC6(t *testing.T, f *Format, signed bool, a, b int64, bits uint, lo uint64) {
	t.Helper()
	v := new(big.Int).SetUint64(lo)
	for i := range uint(16) {
		at := 65 + 4*i - 1 // the first index lacks a bit
		if i == 0 {
			at = 65
		}
		v.Or(v, new(big.Int).Lsh(big.NewInt(int64(i)), at))
	}
	var raw Raw
	for i := range raw {
		raw[i] = uint32(new(big.Int).And(new(big.Int).Rsh(v, uint(32*i)), big.NewInt(math.MaxUint32)).Uint64())
	}
	weights := [16]int64{0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64}
	for i := range uint32(16) {
		want := exactBC6(a, b, weights[i], bits, signed)
		if c := f.texelOf(&raw, i%4, i/4); c[0] != UnpackHalf(uint32(want)) || c[3] != one {
			t.Fatalf("signed %v, endpoints %d and %d of %d bits: texel %d is %#x, want the half %#x", signed, a, b, bits, i, c, want)
		}
	}
}

// exactBC6 interpolates two endpoints with rational numbers.
func exactBC6(a, b, w int64, bits uint, signed bool) uint16 {
	top := int64(1) << bits
	expand := func(v int64) int64 {
		sign := int64(1)
		if signed && v >= top/2 {
			v -= top
		}
		if v < 0 {
			sign, v = -1, -v
		}
		switch {
		case v == 0:
			return 0
		case signed && v >= top/2-1:
			return sign * 0x7fff
		case signed:
			return sign * ((v*0x8000 + 0x4000) / (top / 2))
		case v == top-1:
			return 0xffff
		}
		return (v*0x10000 + 0x8000) / top
	}
	sum := big.NewRat(expand(a)*(64-w)+expand(b)*w+32, 64)
	v := new(big.Int).Div(sum.Num(), sum.Denom()).Int64() // rounded down
	switch {
	case !signed:
		return uint16(v * 31 / 64)
	case v < 0:
		return 0x8000 | uint16(-v*31/32)
	}
	return uint16(v * 31 / 32)
}
