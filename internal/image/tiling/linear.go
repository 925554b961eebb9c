package tiling

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/isa"
)

// Linear images have elements as blocks. From gfx9 on, rows are multiples of 256
// bytes.

// linearRow is the alignment of a linear row in bytes.
const linearRow = 256

// startLinear fills the parts that all linear layouts share.
func (b *builder) startLinear() error {
	if b.Swizzle != 0 {
		return errSwizzle
	}
	if b.Samples > 1 {
		return fmt.Errorf("%d samples of a linear image", b.Samples)
	}
	b.l.block, b.l.numberOfLevels, b.l.linear = uint8(b.elem), b.Levels, true
	b.l.rows, b.l.align = b.Height, linearRow
	return nil
}

// buildLinearChain builds the linear layout of gfx9: all levels have the pitch
// of level 0 and follow each other from the first to the last.
func buildLinearChain(b *builder) error {
	if err := b.startLinear(); err != nil {
		return err
	}
	if err := b.setPitch(linearRow >> b.elem); err != nil {
		return err
	}
	rows, height := uint64(0), b.Height
	for i := range b.Levels {
		b.l.levels[i] = level{base: rows * uint64(b.l.pitch) << b.elem, row: uint64(b.l.pitch)}
		rows += uint64(height)
		height = halfUp(height)
	}
	b.l.slice = rows * uint64(b.l.pitch) << b.elem
	b.l.size = b.l.slice * uint64(b.Depth)
	return nil
}

// buildLinearReverse builds the linear layout of gfx10 and later: each level has
// a pitch of its own, and they follow each other from the last to the first.
func buildLinearReverse(b *builder) error {
	if err := b.startLinear(); err != nil {
		return err
	}
	align := uint32(linearRow)
	short := b.set.Has(isa.PropImageShortRows)
	if short {
		align = linearRow / 2
	}
	if err := b.setPitch(align >> b.elem); err != nil {
		return err
	}
	at := uint64(0)
	for i := int(b.Levels) - 1; i >= 0; i-- {
		pitch := b.l.pitch
		if b.Levels > 1 {
			pitch = roundUp(shiftUp(b.Width, uint32(i)), align>>b.elem)
		}
		b.l.levels[i] = level{base: at, row: uint64(pitch)}
		if short && (i > 0 || b.Depth > 1 || b.Kind == Kind3D) {
			pitch = roundUp(pitch, linearRow>>b.elem)
		}
		at += uint64(pitch) * uint64(shiftUp(b.Height, uint32(i))) << b.elem
	}
	b.l.slice = at
	b.l.size = at * uint64(b.Depth)
	return nil
}
