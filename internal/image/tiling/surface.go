package tiling

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/isa"
)

// Kind is the number of dimensions of an image.
type Kind uint8

const (
	Kind1D Kind = 1 + iota // 1D images and arrays of them
	Kind2D                 // 2D images, cubes and arrays of them
	Kind3D                 // 3D images
)

// String returns "1D", "2D" or "3D".
func (k Kind) String() string {
	if k < Kind1D || k > Kind3D {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return fmt.Sprintf("%dD", uint8(k))
}

// Surface describes an image. Sizes are in elements: for block-compressed
// formats, an element is a block.
type Surface struct {
	Mode    uint8  // swizzle mode of gfx9 and later, tile mode index of gfx6 to gfx8
	Kind    Kind   // dimensions
	Bytes   uint8  // bytes per element: 1, 2, 4, 8 or 16
	Width   uint32 // elements per row, at least 1
	Height  uint32 // rows, at least 1
	Depth   uint32 // depth of a 3D image, layers of others; at least 1
	Levels  uint32 // mip levels; 0 is 1
	Samples uint32 // samples per texel: 1, 2, 4 or 8; 0 is 1
	Pitch   uint32 // elements from row to row of an image with one level; 0 is the smallest possible number
	Block   uint8  // texels on the longest side of an element, a power of two; 0 is 1
	Pow2    bool   // sizes are padded to powers of two, as with several levels; before gfx9

	TexelRows uint32 // rows of texels if elements are blocks of 4 rows; 0 if they are not
	Swizzle   uint32 // bits of the base address below Layout.Alignment that select pipe and bank: a multiple of 256
	Config    Config // memory configuration of the processor
}

// Limits of the hardware, over all generations.
const (
	maxSize   = 1 << 16
	maxLevels = 32 // size of tables; an image has at most 17
)

// An Error reports a surface that has no layout.
type Error struct {
	Set    isa.Set
	Mode   uint8
	Reason string
}

// Error returns the message: instruction set, mode and reason.
func (e *Error) Error() string {
	return fmt.Sprintf("image of %s with mode %d: %s", e.Set, e.Mode, e.Reason)
}

// A scheme builds the layouts of some instruction sets.
type scheme struct {
	sets  isa.SetMask
	build func(*builder) error
}

// schemes lists the schemes; the sets are disjoint.
var schemes = [...]scheme{
	{isa.PropImageTiles, buildTiled},
	{isa.PropImageFold, buildFolded},
	{isa.PropImageModes10, buildGfx10},
	{isa.PropImageModes103, buildGfx103},
	{isa.PropImageModes11, buildGfx11},
	{isa.PropImageModes12, buildGfx12},
}

// New returns the layout of a surface on an instruction set. The error is an
// *Error.
func New(set isa.Set, s Surface) (*Layout, error) {
	s.Levels, s.Samples = max(s.Levels, 1), max(s.Samples, 1)
	b := &builder{Surface: s, set: set, elem: uint(bits.TrailingZeros8(s.Bytes)), l: &Layout{}}
	err := b.checkSurface()
	if err == nil {
		err = b.buildLayout()
	}
	if err != nil {
		return nil, &Error{Set: set, Mode: s.Mode, Reason: err.Error()}
	}
	b.l.finishTables(&b.pattern)
	if b.Swizzle >= b.l.align {
		return nil, &Error{Set: set, Mode: s.Mode, Reason: fmt.Sprintf("swizzle %#x, expected less than the alignment %#x", b.Swizzle, b.l.align)}
	}
	return b.l, nil
}

// errReserved is the reason for modes without a meaning.
var errReserved = errors.New("reserved swizzle mode")

// errSwizzle is the reason for a swizzle in modes without exclusive ors.
var errSwizzle = errors.New("the mode has no swizzle of the base address")

// A builder holds the state of New.
type builder struct {
	Surface
	set     isa.Set
	elem    uint // log2 of the bytes per element
	l       *Layout
	pattern pattern
}

// buildLayout calls the scheme of the instruction set.
func (b *builder) buildLayout() error {
	for _, s := range schemes {
		if b.set.Has(s.sets) {
			return s.build(b)
		}
	}
	return fmt.Errorf("%s has no layouts of images", b.set)
}

// checkSurface reports values outside of the ranges that all schemes share.
func (b *builder) checkSurface() error {
	switch {
	case b.Kind < Kind1D || b.Kind > Kind3D:
		return fmt.Errorf("unknown %s", b.Kind)
	case b.Bytes == 0 || b.Bytes > 16 || b.Bytes&(b.Bytes-1) != 0:
		return fmt.Errorf("%d bytes per element, expected 1, 2, 4, 8 or 16", b.Bytes)
	case b.Width-1 >= maxSize || b.Height-1 >= maxSize || b.Depth-1 >= maxSize:
		return fmt.Errorf("size %d×%d×%d, expected 1 to %d in each dimension", b.Width, b.Height, b.Depth, maxSize)
	case b.Kind == Kind1D && b.Height != 1:
		return fmt.Errorf("height %d of a 1D image", b.Height)
	case b.Samples > 8 || b.Samples&(b.Samples-1) != 0:
		return fmt.Errorf("%d samples, expected 1, 2, 4 or 8", b.Samples)
	case b.Samples > 1 && (b.Kind != Kind2D || b.Levels > 1):
		return fmt.Errorf("%d samples of an image of kind %s with %d levels, expected a 2D image with one level", b.Samples, b.Kind, b.Levels)
	case b.Levels > uint32(bits.Len32(b.longestSide()))+b.extraLevels():
		return fmt.Errorf("%d levels, but the image has at most %d", b.Levels, uint32(bits.Len32(b.longestSide()))+b.extraLevels())
	case b.Swizzle%256 != 0:
		return fmt.Errorf("swizzle %#x, expected a multiple of 256", b.Swizzle)
	case b.Pitch != 0 && b.Levels > 1:
		return fmt.Errorf("a pitch of %d elements with %d levels", b.Pitch, b.Levels)
	}
	return nil
}

// extraLevels returns the number of levels that an image has because its
// elements are blocks of texels.
func (b *builder) extraLevels() uint32 { return uint32(bits.Len8(max(b.Block, 1))) - 1 }

// longestSide returns the size that determines the number of levels.
func (b *builder) longestSide() uint32 {
	if b.Kind == Kind3D {
		return max(b.Width, b.Height, b.Depth)
	}
	return max(b.Width, b.Height)
}

// setPitch stores the pitch in elements: the requested one, or the width rounded
// up to a multiple of align, a power of two.
func (b *builder) setPitch(align uint32) error {
	b.l.pitch = roundUp(b.Width, align)
	if b.Pitch == 0 {
		return nil
	}
	if b.Pitch < b.l.pitch || b.Pitch%align != 0 {
		return fmt.Errorf("pitch of %d elements, expected a multiple of %d from %d on", b.Pitch, align, b.l.pitch)
	}
	b.l.pitch = b.Pitch
	return nil
}

// roundUp rounds n up to a multiple of align, a power of two.
func roundUp(n, align uint32) uint32 { return (n + align - 1) &^ (align - 1) }

// halfUp returns half of n, rounded up.
func halfUp(n uint32) uint32 { return n>>1 + n&1 }

// shiftUp returns n/2^by, rounded up: the size of mip level by.
func shiftUp(n, by uint32) uint32 { return (n + 1<<by - 1) >> by }

// log2 returns the logarithm of a power of two.
func log2(n uint32) uint { return uint(bits.TrailingZeros32(n)) }
