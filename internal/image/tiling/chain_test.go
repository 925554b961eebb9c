package tiling

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestChain checks offsets of levels before gfx9 that follow from the rules: powers
// of two, levels after each other with all slices, micro tiles below the size
// of a macro tile.
func TestChain(t *testing.T) {
	for _, x := range []struct {
		name string
		s    Surface
		at   []uint64 // offsets of the levels
		rows []uint64 // bytes from row to row, of a linear image
		size uint64
	}{
		// 32×8, 16×2 with 32 texels a row, 8×1 with 64.
		{"linear", Surface{Mode: 8, Kind: Kind2D, Bytes: 4, Width: 17, Height: 5, Depth: 1, Levels: 3}, []uint64{0, 1024, 1280}, []uint64{128, 128, 256}, 1536},
		// 4 slices of 32×8, 16×2 …
		{"linear array", Surface{Mode: 8, Kind: Kind2D, Bytes: 4, Width: 17, Height: 5, Depth: 3, Levels: 2}, []uint64{0, 4096}, []uint64{128, 128}, 5120},
		// The depth of a 3D image shrinks.
		{"linear 3D", Surface{Mode: 8, Kind: Kind3D, Bytes: 4, Width: 17, Height: 5, Depth: 3, Levels: 2}, []uint64{0, 4096}, []uint64{128, 128}, 4096 + 256},
		// One level that is padded as if there were others.
		{"padded", Surface{Mode: 8, Kind: Kind2D, Bytes: 4, Width: 17, Height: 5, Depth: 3, Pow2: true}, []uint64{0}, []uint64{128}, 4096},
		// Blocks of four rows: 17 rows of texels are 5 of blocks, then 8, 4, 2 are 2, 1, 1.
		{"blocks", Surface{Mode: 8, Kind: Kind2D, Bytes: 16, Width: 8, Height: 5, TexelRows: 17, Block: 4, Depth: 1, Levels: 4}, []uint64{0, 1024, 2048, 3072},
			[]uint64{128, 512, 1024, 1024}, 4096},
		// The width is half of the padded one, the height is padded itself: 64×64 texels, 32×16, 16×8, 8×4.
		{"micro tiles", Surface{Mode: 13, Kind: Kind2D, Bytes: 4, Width: 40, Height: 33, Depth: 1, Levels: 4}, []uint64{0, 16384, 18432, 18944}, nil, 19200},
	} {
		l := build(t, "gfx802", withConfig(x.s, "gfx802"))
		for i, want := range x.at {
			if got := l.LevelOffset(uint32(i)); got != want {
				t.Errorf("%s: level %d at %d, want %d", x.name, i, got, want)
			}
			if got := l.Offset(0, 0, 0, 0, uint32(i)); got != want {
				t.Errorf("%s: the first texel of level %d at %d, want %d", x.name, i, got, want)
			}
		}
		for i, want := range x.rows {
			if got := l.RowBytes(uint32(i)); got != want || !l.Linear() {
				t.Errorf("%s: %d bytes from row to row of level %d, want %d", x.name, got, i, want)
			}
		}
		if l.Size() != x.size || l.Levels() != max(x.s.Levels, 1) {
			t.Errorf("%s: size %d, want %d, %d levels", x.name, l.Size(), x.size, l.Levels())
		}
	}
	// A macro tile of gfx802's mode 14 has 64 by 64 elements of 4 bytes or more.
	l := build(t, "gfx802", withConfig(Surface{Mode: 14, Kind: Kind2D, Bytes: 4, Width: 512, Height: 512, Depth: 2, Levels: 10}, "gfx802"))
	micro := false
	for level := range l.Levels() {
		width, height, _ := l.chain[level].Block()
		if size := uint32(512) >> level; width == 8 && height == 8 {
			micro = true
			w, h, _ := l.Block()
			if size >= w && size >= h {
				t.Errorf("level %d of %d texels has micro tiles, but macro tiles have %d×%d", level, size, w, h)
			}
		} else if micro || size < width || size < height {
			t.Errorf("level %d of %d texels has macro tiles of %d×%d", level, size, width, height)
		}
		if got, want := l.LevelSlice(level), l.chain[level].SliceSize(); got != want {
			t.Errorf("slices of level %d are %d bytes apart, want %d", level, got, want)
		}
	}
	if !micro {
		t.Error("no level has micro tiles")
	}
	if _, err := New(setNamed(t, "gfx602"), withConfig(Surface{Mode: 20, Kind: Kind3D, Bytes: 4, Width: 64, Height: 64, Depth: 8, Levels: 4}, "gfx602")); err == nil {
		t.Error("no error for a level with fewer slices than a thick micro tile")
	}
}

// withConfig returns a surface with a processor's memory configuration.
func withConfig(s Surface, processor string) Surface {
	s.Config = configOf(processor, 0)
	return s
}

// TestLevelsOfAddrLib compares the levels of images before gfx9 with AddrLib's:
// padded sizes, and the offsets that follow from sizes and alignments.
func TestLevelsOfAddrLib(t *testing.T) {
	text, err := os.ReadFile("testdata/levels.tsv")
	if err != nil {
		t.Fatal(err)
	}
	images, small := 0, 0
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(columns) < 3 {
			continue
		}
		var s Surface
		if _, err := fmt.Sscan(columns[1], &s.Mode, &s.Kind, &s.Bytes, &s.Width, &s.Height, &s.Depth, &s.Levels); err != nil {
			t.Fatal(line, err)
		}
		l := build(t, columns[0], withConfig(s, columns[0]))
		at, largest := uint64(0), uint64(0)
		for i, column := range columns[2:] {
			var pitch, rows uint32
			var size, align uint64
			if _, err := fmt.Sscan(column, &pitch, &rows, &size, &align); err != nil {
				t.Fatal(line, err)
			}
			at = (at + align - 1) / align * align
			sub := l.chain[i]
			if sub.Pitch() != pitch || sub.Rows() != rows || sub.Size() != size || l.LevelOffset(uint32(i)) != at {
				t.Fatalf("%s, level %d: %d×%d elements, %d bytes at %d, want %d×%d, %d bytes at %d", columns[:2], i, sub.Pitch(), sub.Rows(), sub.Size(),
					l.LevelOffset(uint32(i)), pitch, rows, size, at)
			}
			if align < largest {
				small++
			}
			largest = max(largest, align)
			at += size
		}
		if l.Size() != at || uint64(l.Alignment()) != largest {
			t.Fatalf("%s: size %d, alignment %d, want %d and %d", columns[:2], l.Size(), l.Alignment(), at, largest)
		}
		images++
	}
	if images < 250 || small < 100 {
		t.Errorf("%d images, %d levels with micro tiles after macro tiles", images, small)
	}
}
