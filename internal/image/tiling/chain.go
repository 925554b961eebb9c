package tiling

import (
	"fmt"
	"math/bits"
)

// Levels of gfx6 to gfx8. Each level is an image of its own with all slices, and
// they follow each other from the first to the last. Sizes are powers of two.
// A level that is smaller than a macro tile has micro tiles in rows. Sources: AMD's
// AddrLib (ComputeMipLevel, ComputeSurfaceMipLevelTileMode), and Mesa
// (gfx6_compute_level) for the offsets.

// Array modes of micro tiles in rows.
const (
	arrayThin  = 2
	arrayThick = 3
)

// buildChain builds an image of several levels, or of one level that is padded
// like these.
func (t *tiler) buildChain() error {
	if t.Samples > 1 {
		return fmt.Errorf("%d samples of an image whose size is a power of two", t.Samples)
	}
	l := t.l
	l.chain = make([]*Layout, t.Levels)
	at := uint64(0)
	for i := range t.Levels {
		s := t.levelSurface(i)
		if i > 0 {
			s.Width = powerOfTwo(l.chain[0].pitch >> i)
		}
		sub, err := t.buildLevel(s, i)
		if err != nil {
			return err
		}
		at = (at + uint64(sub.align) - 1) &^ (uint64(sub.align) - 1)
		l.levels[i].base = at
		at += sub.size
		l.chain[i] = sub
	}
	first := l.chain[0]
	l.block, l.wx, l.wy, l.wz, l.linear = first.block, first.wx, first.wy, first.wz, first.linear
	l.slice, l.align, l.pitch, l.rows = first.slice, first.align, first.pitch, first.rows
	l.size, l.numberOfLevels = at, t.Levels
	return nil
}

// levelSurface returns the description of a level as an image of its own, whose
// width is the one of level 0.
func (t *tiler) levelSurface(i uint32) Surface {
	s := t.Surface
	s.Levels, s.Pitch, s.Pow2 = 1, 0, false
	s.Width = powerOfTwo(s.Width)
	if rows := max(t.TexelRows, t.Height); rows > t.Height {
		const blockRows = 4
		s.Height = (max(rows>>i, 1) + blockRows - 1) / blockRows
	} else {
		s.Height = max(rows>>i, 1)
	}
	s.Height = powerOfTwo(s.Height)
	if s.Kind == Kind3D {
		s.Depth = max(s.Depth>>i, 1)
	}
	s.Depth = powerOfTwo(s.Depth)
	return s
}

// buildLevel builds the layout of a level.
func (t *tiler) buildLevel(s Surface, i uint32) (*Layout, error) {
	sub := tiler{builder: &builder{Surface: s, set: t.set, elem: t.elem, l: &Layout{}}, level: i}
	sub.readMode()
	if i > 0 {
		if err := sub.reduceMode(); err != nil {
			return nil, err
		}
	}
	if err := sub.buildImage(); err != nil {
		return nil, err
	}
	sub.l.finishTables(&sub.pattern)
	return sub.l, nil
}

// reduceMode replaces the array mode of a level that does not fill a macro tile.
func (t *tiler) reduceMode() error {
	a := arrayModes[t.mode.array]
	if t.mode.array < arrayThin {
		return nil
	}
	if t.Depth < 1<<a.thick {
		return fmt.Errorf("a level of %d slices in an array mode with thick micro tiles", t.Depth)
	}
	if a.macro == 0 {
		return nil
	}
	if int(t.mode.pipeConfig) >= len(pipeBits) {
		return fmt.Errorf("reserved pipe configuration %d", t.mode.pipeConfig)
	}
	m := t.mode.bank
	width := uint32(8) << m.width << t.countPipes() << m.aspect
	height := uint32(8) << m.height << m.banks >> m.aspect
	tile := min(uint32(64)<<t.elem<<a.thick, t.mode.split)
	small := a.thick == 0 && (tile<<m.width<<t.countPipes()<<m.aspect < linearRow || tile<<m.width<<m.height < linearRow)
	if t.Width >= width && t.Height >= height && !small {
		return nil
	}
	if t.Swizzle != 0 {
		return fmt.Errorf("a swizzle of the base address with a level of %d by %d elements, less than a macro tile of %d by %d", t.Width, t.Height, width, height)
	}
	t.mode.array = arrayThin
	if a.thick > 0 {
		t.mode.array = arrayThick
	}
	return nil
}

// powerOfTwo returns the least power of two that is n or more, at least 1.
func powerOfTwo(n uint32) uint32 { return 1 << bits.Len32(max(n, 1)-1) }
