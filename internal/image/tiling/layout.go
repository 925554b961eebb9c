package tiling

// A Layout is the placement of an image's texels. It is immutable and may be
// shared by goroutines.
type Layout struct {
	x, y   [2][256]uint32  // offset bits that the low and the high byte of a coordinate toggle
	z      [rotated]uint32 // offset bits that the low bits of z toggle
	s      [8]uint32       // offset bits that a sample toggles
	planes [8]uint64       // offset of a sample's plane
	tile   [64]uint64      // offset of the plane of an element in a micro tile of 8 by 8
	levels [maxLevels]level

	block          uint8 // log2 of the bytes per block
	wx, wy, wz     uint8 // log2 of the block's size in elements
	slice          uint64
	size           uint64
	align          uint32
	pitch, rows    uint32
	numberOfLevels uint32
	linear         bool
	chain          []*Layout // levels as images of their own, before gfx9
}

// rotated is the number of slices after which the offset bits inside a block
// repeat.
const rotated = 1 << 11

// A level is the placement of a mip level inside a slice of blocks.
type level struct {
	base uint64 // bytes from the start of the slice
	row  uint64 // blocks per row of blocks
	x, y uint32 // position in a block of several levels, in elements
	flip uint32 // position in a block of several levels, as offset bits
}

// Offset returns the offset in bytes of a texel from the base address of the
// image. z is the depth of a 3D image, or a layer. Coordinates are in elements of
// the level, and must lie inside of it.
func (l *Layout) Offset(x, y, z, sample, level uint32) uint64 {
	v := &l.levels[level&(maxLevels-1)]
	if l.chain != nil {
		return v.base + l.chain[level].Offset(x, y, z, sample, 0)
	}
	px, py := x+v.x, y+v.y
	in := l.x[0][uint8(px)] ^ l.x[1][uint8(px>>8)] ^ l.y[0][uint8(py)] ^ l.y[1][uint8(py>>8)] ^
		l.z[z%rotated] ^ l.s[sample&7] ^ v.flip
	blocks := uint64(y>>(l.wy&31))*v.row + uint64(x>>(l.wx&31))
	return uint64(z>>(l.wz&31))*l.slice + v.base + l.planes[sample&7] + l.tile[y&7<<3|x&7] + blocks<<(l.block&63) + uint64(in)
}

// Size returns the number of bytes of the image.
func (l *Layout) Size() uint64 { return l.size }

// Alignment returns the alignment of the base address in bytes.
func (l *Layout) Alignment() uint32 { return l.align }

// Pitch returns the number of elements from row to row of level 0, including
// padding.
func (l *Layout) Pitch() uint32 { return l.pitch }

// Rows returns the number of rows of level 0, including padding.
func (l *Layout) Rows() uint32 { return l.rows }

// SliceSize returns the bytes between layers, or between as many slices of a 3D
// image as Block returns.
func (l *Layout) SliceSize() uint64 { return l.slice }

// LevelSlice is SliceSize for a level.
func (l *Layout) LevelSlice(level uint32) uint64 {
	if l.chain != nil {
		return l.chain[level].slice
	}
	return l.slice
}

// LevelOffset returns the offset in bytes of a level's first block from the
// start of its slice. Several small levels can share a block.
func (l *Layout) LevelOffset(level uint32) uint64 { return l.levels[level&(maxLevels-1)].base }

// Linear reports whether rows of elements follow each other.
func (l *Layout) Linear() bool { return l.linear }

// RowBytes returns the bytes from row to row of a level of a linear image.
func (l *Layout) RowBytes(level uint32) uint64 {
	if l.chain != nil {
		return l.chain[level].RowBytes(0)
	}
	return l.levels[level&(maxLevels-1)].row << (l.block & 63)
}

// Levels returns the number of mip levels.
func (l *Layout) Levels() uint32 { return l.numberOfLevels }

// Block returns the size of a block in elements.
func (l *Layout) Block() (width, height, depth uint32) { return 1 << l.wx, 1 << l.wy, 1 << l.wz }

// A pattern holds, for each bit of each coordinate, the offset bits that it
// toggles.
type pattern struct {
	x, y, z  [16]uint32
	s        [3]uint32
	rotation func(z uint32) uint32 // further bits that a slice toggles, or nil
}

// An axis selects a coordinate in a pattern.
type axis byte

const (
	axisX axis = 'x'
	axisY axis = 'y'
	axisZ axis = 'z'
	axisS axis = 's'
)

// bitOf returns the entry of a bit of a coordinate, nil for bits that no
// coordinate has.
func (p *pattern) bitOf(a axis, bit int) *uint32 {
	var of []uint32
	switch a {
	case axisX:
		of = p.x[:]
	case axisY:
		of = p.y[:]
	case axisZ:
		of = p.z[:]
	case axisS:
		of = p.s[:]
	}
	if bit >= len(of) {
		return nil
	}
	return &of[bit]
}

// applyAll replaces every entry by f of it.
func (p *pattern) applyAll(f func(uint32) uint32) {
	for _, of := range [][]uint32{p.x[:], p.y[:], p.z[:], p.s[:]} {
		for i := range of {
			of[i] = f(of[i])
		}
	}
}

// finishTables fills the tables of a layout from its pattern.
func (l *Layout) finishTables(p *pattern) {
	if l.linear || l.chain != nil {
		return // no bit of a coordinate is in a block
	}
	for i := range 2 {
		fillTable(l.x[i][:], p.x[8*i:8*i+8])
		fillTable(l.y[i][:], p.y[8*i:8*i+8])
	}
	fillTable(l.s[:], p.s[:])
	if p.rotation != nil {
		for z := range uint32(rotated) {
			l.z[z] = p.rotation(z)
		}
	}
	low := log2(rotated)
	turned := l.z
	fillTable(l.z[:], p.z[:low])
	for z := range l.z {
		l.z[z] ^= turned[z]
	}
	for _, high := range p.z[low:] {
		if high != 0 {
			panic("BUG: a bit of the slice beyond the table")
		}
	}
}

// fillTable computes the exclusive ors of the selected entries of bits, for all
// selections.
func fillTable(table, bits []uint32) {
	table[0] = 0
	for i, b := range bits {
		for j := range 1 << i {
			table[1<<i|j] = table[j] ^ b
		}
	}
}
