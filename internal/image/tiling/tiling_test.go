package tiling

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// setNamed returns the instruction set of a processor.
func setNamed(t testing.TB, name string) isa.Set {
	t.Helper()
	p := target.Lookup(name)
	if p == nil {
		t.Fatalf("no processor %s", name)
	}
	set, ok := isa.SetOf(p)
	if !ok {
		t.Fatalf("no instruction set of %s", name)
	}
	return set
}

// build returns the layout of a surface.
func build(t testing.TB, processor string, s Surface) *Layout {
	t.Helper()
	l, err := New(setNamed(t, processor), s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// memory lists processors, with a memory configuration other than ConfigOf's if
// it is not 0.
var memory = []struct {
	processor string
	addr      uint32
}{
	{"gfx602", 0},
	{"gfx701", 0},
	{"gfx802", 0},
	{"gfx900", 0},
	{"gfx902", 0},
	{"gfx909", 0},
	{"gfx1010", 0},
	{"gfx1012", 0},
	{"gfx1030", 0},
	{"gfx1033", 0x00000142},
	{"gfx1100", 0},
	{"gfx1102", 0x00000343},
	{"gfx1200", 0},
}

// configOf returns the memory configuration of a processor, or another address
// configuration if addr is not 0.
func configOf(processor string, addr uint32) Config {
	if addr != 0 {
		return Config{Addr: addr}
	}
	return *ConfigOf(target.Lookup(processor))
}

// depthOf returns the size of a level's third dimension.
func depthOf(s Surface, level uint32) uint32 {
	if s.Kind == Kind3D {
		return max(s.Depth>>level, 1)
	}
	return s.Depth
}

// eachTexel calls f for every texel and sample of a surface.
func eachTexel(s Surface, f func(x, y, z, sample, level uint32)) {
	for level := range max(s.Levels, 1) {
		for z := range depthOf(s, level) {
			for y := range max(s.Height>>level, 1) {
				for x := range max(s.Width>>level, 1) {
					for sample := range max(s.Samples, 1) {
						f(x, y, z, sample, level)
					}
				}
			}
		}
	}
}

// checkDistinct fails if two texels share bytes, if one is outside of the image,
// or if an offset is not a multiple of the element size.
func checkDistinct(t *testing.T, name string, s Surface, l *Layout) {
	t.Helper()
	used := make([]bool, l.Size()/uint64(s.Bytes))
	failed := false
	eachTexel(s, func(x, y, z, sample, level uint32) {
		at := l.Offset(x, y, z, sample, level)
		switch {
		case failed:
		case at%uint64(s.Bytes) != 0 || at+uint64(s.Bytes) > l.Size():
			failed = true
			t.Errorf("%s %+v: texel %d,%d,%d sample %d level %d at %d, size %d", name, s, x, y, z, sample, level, at, l.Size())
		case used[at/uint64(s.Bytes)]:
			failed = true
			t.Errorf("%s %+v: texel %d,%d,%d sample %d level %d at %d, like another one", name, s, x, y, z, sample, level, at)
		default:
			used[at/uint64(s.Bytes)] = true
		}
	})
}

// shapes lists sizes of images that cover more than one block, and levels in
// blocks of their own and in shared ones.
var shapes = []Surface{
	{Kind: Kind1D, Width: 1000, Height: 1, Depth: 3, Levels: 10},
	{Kind: Kind2D, Width: 150, Height: 90, Depth: 2, Levels: 1},
	{Kind: Kind2D, Width: 130, Height: 300, Depth: 2, Levels: 9},
	{Kind: Kind2D, Width: 70, Height: 40, Depth: 1, Levels: 1, Samples: 2},
	{Kind: Kind2D, Width: 70, Height: 40, Depth: 1, Levels: 1, Samples: 4},
	{Kind: Kind2D, Width: 40, Height: 70, Depth: 2, Levels: 1, Samples: 8},
	{Kind: Kind3D, Width: 40, Height: 36, Depth: 35, Levels: 1},
	{Kind: Kind3D, Width: 70, Height: 30, Depth: 20, Levels: 7},
	{Kind: Kind3D, Width: 10, Height: 12, Depth: 50, Levels: 6},
}

// TestDistinct builds images of every mode of every generation.
func TestDistinct(t *testing.T) {
	every := 4
	if testing.Short() {
		every = 12
	}
	for _, m := range memory {
		set, built := setNamed(t, m.processor), 0
		for mode := range uint8(33) {
			for i, s := range shapes {
				for b := range 5 {
					if (5*i+b+int(mode))%every != 0 {
						continue
					}
					s.Mode, s.Bytes, s.Config = mode, 1<<b, configOf(m.processor, m.addr)
					l, err := New(set, s)
					if err != nil {
						var e *Error
						if !errors.As(err, &e) || e.Mode != mode {
							t.Errorf("%s: %v is no *Error of the mode", m.processor, err)
						}
						continue
					}
					built++
					checkDistinct(t, m.processor, s, l)
				}
			}
		}
		if built < 10 {
			t.Errorf("%s: %d layouts", m.processor, built)
		}
		t.Logf("%s: %d layouts", m.processor, built)
	}
}

// rank returns the number of independent columns.
func rank(columns []uint32) (n int) {
	var basis [32]uint32
	for _, c := range columns {
		for c != 0 {
			top := bits.Len32(c) - 1
			if basis[top] == 0 {
				basis[top] = c
				n++
				break
			}
			c ^= basis[top]
		}
	}
	return n
}

// TestPatternsAreInvertible checks every row of patterns.tsv: the coordinates
// inside a block determine each other offset bit.
func TestPatternsAreInvertible(t *testing.T) {
	table, n := patterns.Get(), 0
	for k, nibbles := range table.patterns {
		var p pattern
		b := &patterned{builder: &builder{l: &Layout{}, elem: log2(uint32(k.bytes))}, modes: k.modes, oddHeight: k.modes == "12"}
		b.Samples = uint32(k.samples)
		order := k.mode & 3
		b.thick = k.kind == Kind3D && (order == orderS || order == orderD)
		if k.modes == "12" {
			b.thick = k.kind == Kind3D
		}
		b.l.block = table.fillPattern(&p, nibbles)
		b.setBlock()
		columns := append([]uint32{}, p.x[:b.l.wx]...)
		columns = append(columns, p.y[:b.l.wy]...)
		columns = append(columns, p.z[:b.l.wz]...)
		columns = append(columns, p.s[:log2(b.Samples)]...)
		if got, want := rank(columns), int(b.l.block)-int(b.elem); got != want || len(columns) != want {
			t.Errorf("%+v: %d columns of rank %d, want %d", k, len(columns), got, want)
		}
		n++
	}
	if n < 4789 {
		t.Errorf("%d patterns", n)
	}
}

// interleave returns x and y with alternating bits, x first.
func interleave(x, y uint32) (r uint32) {
	for i := range 16 {
		r |= x>>i&1<<(2*i) | y>>i&1<<(2*i+1)
	}
	return r
}

// TestFormulas compares layouts with formulas from the documents, over a block
// and a half in each direction.
func TestFormulas(t *testing.T) {
	tests := []struct {
		name, processor string
		s               Surface
		want            func(x, y, z uint32) uint32
	}{
		// Rows of 4 × 4 bytes, then the third row bit, columns of 4 and rows of 8.
		{"256B_D of 4 bytes on gfx12", "gfx1200", Surface{Mode: 1, Kind: Kind2D, Bytes: 4, Width: 20, Height: 20, Depth: 1},
			func(x, y, _ uint32) uint32 {
				return interleave(x%8, y%8)*4 + (x/8+y/8*3)*256
			}},
		{"256B_S of 1 byte on gfx9", "gfx900", Surface{Mode: 1, Kind: Kind2D, Bytes: 1, Width: 40, Height: 40, Depth: 1},
			func(x, y, _ uint32) uint32 { return x%16 + y%16*16 + (x/16+y/16*3)*256 }},
		{"256B_S of 16 bytes on gfx10", "gfx1010", Surface{Mode: 1, Kind: Kind2D, Bytes: 16, Width: 10, Height: 10, Depth: 1},
			func(x, y, _ uint32) uint32 { return x%4*64 + y%4*16 + (x/4+y/4*3)*256 }},
		{"4KB_Z of 8 bytes on gfx9", "gfx900", Surface{Mode: 4, Kind: Kind2D, Bytes: 8, Width: 50, Height: 40, Depth: 1},
			func(x, y, _ uint32) uint32 { return interleave(x%32, y%16)*8 + (x/32+y/16*2)*4096 }},
		{"64KB_2D of 4 bytes on gfx12", "gfx1200", Surface{Mode: 3, Kind: Kind2D, Bytes: 4, Width: 200, Height: 150, Depth: 1},
			func(x, y, _ uint32) uint32 {
				micro := interleave(x%8, y%8)
				macro := interleave(y/8%16, x/8%16)
				return micro*4 + macro*256 + (x/128+y/128*2)<<16
			}},
		// Two micro tiles of 8 by 8 per row, three rows per slice.
		{"1D of 2 bytes on gfx6", "gfx602", Surface{Mode: 13, Kind: Kind2D, Bytes: 2, Width: 16, Height: 20, Depth: 2},
			func(x, y, z uint32) uint32 { return interleave(x%8, y%8)*2 + (x/8+y/8*2)*128 + z*768 }},
		{"linear on gfx8", "gfx802", Surface{Mode: 8, Kind: Kind2D, Bytes: 4, Width: 17, Height: 4, Depth: 2},
			func(x, y, z uint32) uint32 { return x*4 + y*128 + z*512 }},
		{"linear on gfx9", "gfx900", Surface{Mode: 0, Kind: Kind3D, Bytes: 4, Width: 65, Height: 7, Depth: 3},
			func(x, y, z uint32) uint32 { return x*4 + y*512 + z*512*7 }},
		{"linear on gfx12", "gfx1200", Surface{Mode: 0, Kind: Kind2D, Bytes: 4, Width: 65, Height: 7, Depth: 1},
			func(x, y, _ uint32) uint32 { return x*4 + y*384 }},
		{"linear with a pitch on gfx11", "gfx1100", Surface{Mode: 0, Kind: Kind2D, Bytes: 4, Width: 65, Height: 7, Depth: 1, Pitch: 256},
			func(x, y, _ uint32) uint32 { return x*4 + y*1024 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.s.Config = configOf(test.processor, 0)
			l := build(t, test.processor, test.s)
			eachTexel(test.s, func(x, y, z, _, _ uint32) {
				if got, want := l.Offset(x, y, z, 0, 0), uint64(test.want(x, y, z)); got != want && !t.Failed() {
					t.Errorf("%d,%d,%d at %d, want %d", x, y, z, got, want)
				}
			})
		})
	}
}

// TestKnownOffsets compares layouts with values of AMD's AddrLib
// (testdata/addrlib.tsv).
func TestKnownOffsets(t *testing.T) {
	text, err := os.ReadFile("testdata/addrlib.tsv")
	if err != nil {
		t.Fatal(err)
	}
	surfaces := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		n := numbers(t, f[1])
		s := Surface{Mode: uint8(n[1]), Kind: Kind(n[2]), Bytes: uint8(n[3]), Width: uint32(n[4]), Height: uint32(n[5]),
			Depth: uint32(n[6]), Levels: uint32(n[7]), Samples: uint32(n[8]), Pitch: uint32(n[9]), Config: configOf(f[0], uint32(n[0]))}
		l := build(t, f[0], s)
		want := numbers(t, f[2])
		if got := []uint64{l.Size(), uint64(l.Alignment())}; want[0] != 0 && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s %+v: size and alignment %d, want %d", f[0], s, got, want)
		}
		for _, texel := range f[3:] {
			c := numbers(t, texel)
			if got := l.Offset(uint32(c[0]), uint32(c[1]), uint32(c[2]), uint32(c[3]), uint32(c[4])); got != c[5] {
				t.Errorf("%s %+v: texel %d at %d, want %d", f[0], s, c[:5], got, c[5])
			}
		}
		surfaces++
	}
	if surfaces < 700 {
		t.Errorf("%d surfaces", surfaces)
	}
}

// numbers parses numbers separated by spaces.
func numbers(t *testing.T, text string) (r []uint64) {
	for _, f := range strings.Fields(text) {
		n, err := strconv.ParseUint(f, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		r = append(r, n)
	}
	return r
}

// TestSwizzle checks that the swizzle of the base address is combined with the
// offset by exclusive or; before gfx9, the rotation of slices is added to it.
func TestSwizzle(t *testing.T) {
	tests := []struct {
		processor string
		mode      uint8
		swizzle   uint32
		slices    uint32 // with plain exclusive or
	}{
		{"gfx802", 14, 0x0d00, 1}, {"gfx802", 16, 0x4500, 5}, {"gfx602", 14, 0x1200, 1}, {"gfx900", 25, 0x3700, 5}, {"gfx900", 18, 0x3700, 5},
		{"gfx1010", 27, 0x0900, 5}, {"gfx1030", 24, 0x0300, 5}, {"gfx1100", 31, 0x1200, 5},
	}
	for _, test := range tests {
		s := Surface{Mode: test.mode, Kind: Kind2D, Bytes: 4, Width: 300, Height: 70, Depth: 5, Config: configOf(test.processor, 0)}
		if test.mode == 14 && test.processor == "gfx602" {
			s.Bytes = 1
		}
		plain := build(t, test.processor, s)
		s.Swizzle = test.swizzle
		l := build(t, test.processor, s)
		checkDistinct(t, test.processor, s, l)
		differs := false
		eachTexel(s, func(x, y, z, sample, level uint32) {
			want := plain.Offset(x, y, z, sample, level) ^ uint64(test.swizzle)
			if got := l.Offset(x, y, z, sample, level); got != want {
				differs = true
				if z < test.slices {
					t.Fatalf("%s mode %d: %d,%d,%d at %d, want %d", test.processor, test.mode, x, y, z, got, want)
				}
			}
		})
		if differs != (test.slices < s.Depth) {
			t.Errorf("%s mode %d: slices differ: %v", test.processor, test.mode, differs)
		}
	}
}

func TestConfigOf(t *testing.T) {
	for name, want := range map[string]uint32{"gfx600": 0x12010002, "gfx705": 0x22011003, "gfx810": 0x22011003, "gfx904": 0x2a114042,
		"gfx90a": 0x22014042, "gfx1013": 0x00100044, "gfx1035": 0x00000444, "gfx1151": 0x00000545, "gfx1201": 0} {
		if c := ConfigOf(target.Lookup(name)); c == nil || c.Addr != want {
			t.Errorf("%s: %+v, want %#x", name, c, want)
		}
	}
	if c := ConfigOf(target.Lookup("cypress")); c != nil {
		t.Errorf("cypress: %+v", c)
	}
}

func TestAccessors(t *testing.T) {
	l := build(t, "gfx900", Surface{Mode: 9, Kind: Kind2D, Bytes: 4, Width: 300, Height: 200, Depth: 3, Levels: 9, Config: Config{Addr: 0x2a114042}})
	w, h, d := l.Block()
	// Level 1 is below level 0, and the shared block beside level 2.
	got := fmt.Sprint(l.Size(), l.Alignment(), l.Pitch(), l.Rows(), l.SliceSize(), l.Levels(), w, h, d, l.LevelOffset(0), l.LevelOffset(1), l.LevelOffset(2))
	if want := "2359296 256 384 256 786432 9 128 128 1 0 393216 524288"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestErrors(t *testing.T) {
	base := Surface{Mode: 9, Kind: Kind2D, Bytes: 4, Width: 64, Height: 64, Depth: 1, Config: Config{Addr: 0x2a114042}}
	tests := []struct {
		processor string
		change    func(*Surface)
		want      string
	}{
		{"gfx900", func(s *Surface) { s.Kind = 0 }, "image of gfx900 with mode 9: unknown kind 0"},
		{"gfx900", func(s *Surface) { s.Bytes = 12 }, "12 bytes per element, expected 1, 2, 4, 8 or 16"},
		{"gfx900", func(s *Surface) { s.Width = 0 }, "size 0×64×1"},
		{"gfx900", func(s *Surface) { s.Kind = Kind1D }, "height 64 of a 1D image"},
		{"gfx900", func(s *Surface) { s.Samples = 3 }, "3 samples"},
		{"gfx900", func(s *Surface) { s.Samples, s.Levels = 2, 2 }, "expected a 2D image with one level"},
		{"gfx900", func(s *Surface) { s.Levels = 8 }, "8 levels, but the image has at most 7"},
		{"gfx900", func(s *Surface) { s.Levels, s.Pitch = 2, 128 }, "a pitch of 128 elements with 2 levels"},
		{"gfx900", func(s *Surface) { s.Pitch = 64 }, "pitch of 64 elements, expected a multiple of 128 from 128 on"},
		{"gfx900", func(s *Surface) { s.Mode = 12 }, "image of gfx900 with mode 12: reserved swizzle mode"},
		{"gfx900", func(s *Surface) { s.Mode = 33 }, "reserved swizzle mode"},
		{"gfx900", func(s *Surface) { s.Mode, s.Bytes = 11, 16 }, "rotated modes do not exist for elements of 16 bytes"},
		{"gfx900", func(s *Surface) { s.Mode, s.Levels = 1, 3 }, "blocks of 256 bytes have neither samples nor levels"},
		{"gfx900", func(s *Surface) { s.Mode, s.Samples = 0, 2 }, "2 samples of a linear image"},
		{"gfx900", func(s *Surface) { s.Mode, s.Bytes = 8, 16 }, "swizzle modes with Z have elements of up to 8 bytes"},
		{"gfx900", func(s *Surface) { s.Mode, s.Kind = 11, Kind3D }, "the mode does not exist for 3D images"},
		{"gfx900", func(s *Surface) { s.Mode, s.Kind, s.Depth, s.Levels = 10, Kind3D, 64, 2 }, "depth is the longest side"},
		{"gfx900", func(s *Surface) { s.Kind, s.Height = Kind1D, 1 }, "1D images are linear"},
		{"gfx900", func(s *Surface) { s.Config.Addr |= 8 }, "pipe interleave of 512 bytes, expected 256"},
		{"gfx1010", func(s *Surface) { s.Config.Addr = 0x4c }, "pipe interleave of 512 bytes, expected 256"},
		{"gfx1010", func(s *Surface) { s.Mode = 4 }, "reserved swizzle mode"},
		{"gfx1030", func(s *Surface) { s.Mode, s.Config.Addr = 27, 0x746 }, "no patterns for the memory configuration 0x746 (pipes and packers 67)"},
		{"gfx1100", func(s *Surface) { s.Config.Addr = 0x545 }, "the mode does not exist for images of kind 2D with 1 samples and 4 bytes per element"},
		{"gfx1200", func(s *Surface) { s.Mode = 8 }, "reserved swizzle mode"},
		{"gfx900", func(s *Surface) { s.Swizzle = 100 }, "swizzle 0x64, expected a multiple of 256"},
		{"gfx900", func(s *Surface) { s.Mode, s.Swizzle = 25, 1<<16 }, "swizzle 0x10000, expected less than the alignment 0x10000"},
		{"gfx900", func(s *Surface) { s.Swizzle = 256 }, "the mode has no swizzle of the base address"},
		{"gfx900", func(s *Surface) { s.Mode, s.Swizzle = 0, 256 }, "the mode has no swizzle"},
		{"gfx802", func(s *Surface) { s.Mode, s.Swizzle = 13, 256 }, "the mode has no swizzle"},
		{"gfx1200", func(s *Surface) { s.Mode, s.Swizzle = 3, 256 }, "the mode has no swizzle"},
		{"gfx802", func(s *Surface) { s.Mode = 32 }, "tile mode index above 31"},
		{"gfx802", func(s *Surface) { s.Mode, s.Pow2, s.Samples = 14, true, 2 }, "2 samples of an image whose size is a power of two"},
		{"gfx802", func(s *Surface) { s.Mode, s.Levels, s.Swizzle, s.Width, s.Height = 14, 5, 256, 600, 600 }, "a swizzle of the base address with a level of"},
		{"gfx802", func(s *Surface) { s.Mode, s.Config.Addr = 14, 8 }, "pipe interleave of 512 bytes and bank interleave of 1"},
		{"gfx802", func(s *Surface) { s.Mode, s.Bytes = 27, 16 }, "micro tile order 3 does not exist for elements of 16 bytes"},
		{"gfx802", func(s *Surface) { s.Mode, s.Samples = 13, 2 }, "2 samples in array mode 2"},
		{"gfx802", func(s *Surface) { s.Mode = 14; s.Config.TileModes[14] |= 31 << 6 }, "reserved pipe configuration 31"},
		{"gfx802", func(s *Surface) { s.Mode = 14; s.Config.TileModes[14] ^= (12 ^ 14) << 6 }, "has no known equation"},
		{"gfx802", func(s *Surface) { s.Mode = 14; s.Config.MacroModes[2] = 0x30 }, "2 banks with a macro tile aspect of 8"},
		{"gfx802", func(s *Surface) { s.Mode = 13; s.Config.TileModes[13] ^= (1 ^ 4) << 22 }, "thick micro tiles in a thin array mode"},
		{"gfx602", func(s *Surface) { s.Mode, s.Bytes = 16, 1 }, "the bank size does not fit elements of 1 bytes"},
		{"gfx942", func(*Surface) {}, "gfx942 has no layouts of images"},
		{"gfx1250", func(*Surface) {}, "gfx1250 has no layouts of images"},
	}
	for _, test := range tests {
		s := base
		if c := ConfigOf(target.Lookup(test.processor)); c != nil && c.TileModes != [32]uint32{} {
			s.Config = *c
		}
		test.change(&s)
		_, err := New(setNamed(t, test.processor), s)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %+v: error %v, want %q", test.processor, s, err, test.want)
		}
	}
}

// FuzzNew checks on arbitrary surfaces that New returns a layout or an error,
// and that two texels of a layout are inside the image and apart.
func FuzzNew(f *testing.F) {
	f.Add(uint8(3), uint8(9), uint8(2), uint8(4), uint32(100), uint32(50), uint32(3), uint32(3), uint32(1), uint32(0x2a114042), uint64(1234567))
	f.Add(uint8(8), uint8(27), uint8(2), uint8(1), uint32(1000), uint32(5), uint32(1), uint32(1), uint32(8), uint32(0x444), uint64(99))
	f.Add(uint8(12), uint8(7), uint8(3), uint8(16), uint32(40), uint32(50), uint32(300), uint32(8), uint32(1), uint32(0), uint64(7))
	f.Add(uint8(0), uint8(15), uint8(2), uint8(2), uint32(99), uint32(77), uint32(30), uint32(1), uint32(4), uint32(0), uint64(8))
	f.Fuzz(func(t *testing.T, who, mode, kind, bytes uint8, w, h, d, levels, samples, addr uint32, seed uint64) {
		s := Surface{Mode: mode, Kind: Kind(kind), Bytes: bytes, Width: w, Height: h, Depth: d, Levels: levels, Samples: samples}
		processor := memory[int(who)%len(memory)].processor
		s.Config = configOf(processor, addr)
		l, err := New(setNamed(t, processor), s)
		if err != nil {
			return
		}
		next := func(n uint32) uint32 {
			seed = seed*6364136223846793005 + 1442695040888963407
			return uint32(seed>>33) % n
		}
		var texels [2][5]uint32
		var offsets [2]uint64
		for i := range texels {
			level := next(l.Levels())
			c := [5]uint32{next(max(w>>level, 1)), next(max(h>>level, 1)), next(depthOf(s, level)), next(max(samples, 1)), level}
			texels[i], offsets[i] = c, l.Offset(c[0], c[1], c[2], c[3], c[4])
			if offsets[i]+uint64(bytes) > l.Size() {
				t.Errorf("%+v: texel %d at %d, size %d", s, c, offsets[i], l.Size())
			}
		}
		if texels[0] != texels[1] && offsets[0] == offsets[1] {
			t.Errorf("%+v: texels %d and %d at %d", s, texels[0], texels[1], offsets[0])
		}
	})
}

// BenchmarkOffset measures Offset on a tiled image.
func BenchmarkOffset(b *testing.B) {
	l := build(b, "gfx1030", Surface{Mode: 27, Kind: Kind2D, Bytes: 4, Width: 1024, Height: 1024, Depth: 4, Config: Config{Addr: 0x444}})
	sum, i := uint64(0), uint32(0)
	for b.Loop() {
		sum += l.Offset(i&1023, i>>3&1023, i&3, 0, 0)
		i++
	}
	if sum == 0 {
		b.Fatal("no offsets")
	}
}

// BenchmarkNew measures New.
func BenchmarkNew(b *testing.B) {
	set := setNamed(b, "gfx1030")
	for b.Loop() {
		if _, err := New(set, Surface{Mode: 27, Kind: Kind2D, Bytes: 4, Width: 1024, Height: 1024, Depth: 4, Config: Config{Addr: 0x444}}); err != nil {
			b.Fatal(err)
		}
	}
}
