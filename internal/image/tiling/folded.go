package tiling

import "fmt"

// Swizzle modes of gfx9. A micro block is 256 bytes of a thin image (2D images,
// and 3D images with display modes) or 1 KB of a thick one. Micro blocks are in
// Morton order inside blocks of 4 or 64 KB. Modes with T and X fold the offset
// bits that follow the ones of pipes and banks into these; X modes use bits of
// the whole image, T modes only bits of the block.

// The orders of elements, which are the low two bits of the mode except for the
// linear mode.
const (
	orderZ = iota // interleaved coordinates
	orderS        // rows of 16 bytes
	orderD        // rows for display
	orderR        // columns for rotated display; on gfx10 and gfx11, for rendering
	orderLinear
)

// A swizzle is the meaning of a swizzle mode of gfx9 to gfx11.
type swizzle struct {
	order uint8 // order of the elements
	block uint8 // log2 of the bytes per block, 0 for reserved modes
	fold  byte  // T, X or 0
}

// foldedModes lists the swizzle modes of gfx9 by number.
var foldedModes = [32]swizzle{
	{orderLinear, 8, 0}, {orderS, 8, 0}, {orderD, 8, 0}, {orderR, 8, 0},
	{orderZ, 12, 0}, {orderS, 12, 0}, {orderD, 12, 0}, {orderR, 12, 0},
	{orderZ, 16, 0}, {orderS, 16, 0}, {orderD, 16, 0}, {orderR, 16, 0},
	{}, {}, {}, {},
	{orderZ, 16, 'T'}, {orderS, 16, 'T'}, {orderD, 16, 'T'}, {orderR, 16, 'T'},
	{orderZ, 12, 'X'}, {orderS, 12, 'X'}, {orderD, 12, 'X'}, {orderR, 12, 'X'},
	{orderZ, 16, 'X'}, {orderS, 16, 'X'}, {orderD, 16, 'X'}, {orderR, 16, 'X'},
}

// thinMicro lists the bits of the coordinates inside a micro block of a thin
// image, from the lowest offset bit on, for elements of 1 to 16 bytes.
var thinMicro = [...][5]string{
	orderS: {"x0x1x2x3y0y1y2y3", "x0x1x2y0y1y2x3", "x0x1y0y1y2x2", "x0y0y1x1x2", "y0y1x0x1"},
	orderD: {"x0x1x2y1y0y2x3y3", "x0x1x2y0y1y2x3", "x0x1y0x2y1y2", "x0y0x1x2y1", "x0y0x1y1"},
	orderR: {"y0y1y2x1x0x2x3y3", "y0y1y2x0x1x2x3", "y0y1x0y2x1x2", "y0x0y1x1x2", ""},
	orderZ: {"x0y0x1y1x2y2", "x0y0x1y1x2y2x3", "x0y0x1y1", "x0y0x1y1x2", "x0y0x1y1"},
}

// thickMicro is the same for the 1 KB blocks of a thick image.
var thickMicro = [...][5]string{
	orderS: {"x0x1x2x3y0y1z0z1z2y2", "x0x1x2y0y1z0z1z2y2", "x0x1y0y1z0z1y2x2", "x0y0y1z0z1x1x2", "y0y1z0z1x0x1"},
	orderZ: {"x0y0x1y1z0z1x2z2y2x3", "x0y0x1y1z0z1z2y2x2", "x0y0x1z0y1z1y2x2", "x0y0z0x1z1y1x2", "x0y0z0z1y1x1"},
}

// foldedBits is the number of offset bits that are computed before folding.
const foldedBits = 32

// buildFolded builds the layouts of gfx9.
func buildFolded(b *builder) error {
	if int(b.Mode) >= len(foldedModes) || foldedModes[b.Mode].block == 0 {
		return errReserved
	}
	f := folder{builder: b, swizzle: foldedModes[b.Mode]}
	if f.order == orderLinear {
		return buildLinearChain(b)
	}
	f.thick = b.Kind == Kind3D && (f.order == orderZ || f.order == orderS)
	if err := f.checkMode(); err != nil {
		return err
	}
	f.pipes = min(uint(f.block)-8, b.Config.pipes()+b.Config.engines())
	f.banks = min(uint(f.block)-8-f.pipes, b.Config.banks())
	f.fillPattern()
	f.setBlock()
	return f.placeLevels()
}

// A folder builds a tiled layout of gfx9.
type folder struct {
	*builder
	swizzle
	thick        bool
	pipes, banks uint // number of offset bits from bit 8 on
}

// checkMode reports combinations that the hardware does not have.
func (f *folder) checkMode() error {
	switch {
	case f.Swizzle != 0 && f.fold == 0:
		return errSwizzle
	case f.Config.interleave() != 8:
		return fmt.Errorf("pipe interleave of %d bytes, expected 256", 1<<f.Config.interleave())
	case f.Kind == Kind1D:
		return fmt.Errorf("1D images are linear")
	case f.Kind == Kind3D && (f.order == orderR || f.block == 8):
		return fmt.Errorf("the mode does not exist for 3D images")
	case f.order == orderR && f.elem == 4:
		return fmt.Errorf("rotated modes do not exist for elements of 16 bytes")
	case f.block == 8 && (f.Samples > 1 || f.Levels > 1):
		return fmt.Errorf("blocks of 256 bytes have neither samples nor levels")
	case f.Kind == Kind3D && f.order == orderD && f.Levels > 1 && f.Depth >= f.Width && f.Depth >= f.Height:
		return fmt.Errorf("the mode does not support levels of 3D images whose depth is the longest side")
	case f.order == orderZ && f.Kind == Kind2D && (f.elem == 4 || f.Samples > 1 && f.elem > 2):
		return fmt.Errorf("swizzle modes with Z have elements of up to 8 bytes, with samples up to 4")
	}
	return nil
}

// fillPattern computes the pattern.
func (f *folder) fillPattern() {
	samples := log2(f.Samples)
	at := f.elem
	if f.order == orderZ {
		for i := range samples {
			f.pattern.s[i] = 1 << (at + i)
		}
		at += samples
	}
	f.placeCoordinates(at)
	top := uint(f.block) - samples
	inside := uint32(1)<<f.block - 1
	if f.order != orderZ && f.fold != 'X' {
		inside = 1<<top - 1
	}
	if f.fold != 'X' {
		f.pattern.applyAll(func(v uint32) uint32 { return v & inside })
	}
	if f.order != orderZ {
		for i := range samples {
			f.pattern.s[i] = 1 << (top + i)
		}
	}
	if f.fold != 0 {
		f.pattern.applyAll(f.foldOffset)
	}
	if f.fold == 'X' && !f.thick && f.Samples == 1 {
		f.rotateSlices()
	}
	f.pattern.applyAll(func(v uint32) uint32 { return v & (1<<f.block - 1) })
}

// placeCoordinates assigns an offset bit to each bit of x, y and z, from bit at on.
func (f *folder) placeCoordinates(at uint) {
	order := f.order
	if f.Kind == Kind3D && !f.thick {
		order = orderS
	}
	micro, axes := thinMicro[order][f.elem], "yx"
	if f.thick {
		micro, axes = thickMicro[order][f.elem], "zyx"
	}
	if order == orderZ && !f.thick && f.elem != 0 && f.elem != 2 {
		axes = nextAxes(micro)
	}
	next := map[byte]int{'x': 0, 'y': 0, 'z': 0}
	for i := 0; at < foldedBits; i++ {
		a := axes[max(0, i-len(micro)/2)%len(axes)]
		bit := next[a]
		if 2*i < len(micro) {
			a, bit = micro[2*i], int(micro[2*i+1]-'0')
		}
		next[a]++
		if p := f.pattern.bitOf(axis(a), bit); p != nil {
			*p = 1 << at
		}
		at++
	}
}

// nextAxes returns the order in which x and y alternate after a micro block in
// plain Morton order.
func nextAxes(micro string) string {
	if micro[len(micro)-2] == 'x' {
		return "yx"
	}
	return "xy"
}

// foldOffset folds the bits after the pipe bits into these, and the bits after
// the bank bits into the bank bits.
func (f *folder) foldOffset(v uint32) uint32 {
	low, v := v&0xff, v>>8
	fold := foldPairs
	if f.thick {
		fold = foldTriples
	}
	pipe := fold(v, f.pipes)
	v >>= f.pipes
	bank := fold(v, f.banks)
	v = v>>f.banks<<f.banks | bank
	return low | (v<<f.pipes|pipe)<<8
}

// foldPairs returns n bits: bit i of v and its mirror image among the n
// following bits.
func foldPairs(v uint32, n uint) (r uint32) {
	for i := range n {
		r |= (v>>i ^ v>>(2*n-1-i)) & 1 << i
	}
	return r
}

// foldTriples is foldPairs for three dimensions: the mirror images are pairs of
// bits.
func foldTriples(v uint32, n uint) (r uint32) {
	for i := range n {
		m := n + 2*(n-1-i)
		r |= (v>>i ^ v>>m ^ v>>(m+1)) & 1 << i
	}
	return r
}

// rotateSlices adds the bits of the slice, in reverse order, to the pipe bits
// and then to the bank bits.
func (f *folder) rotateSlices() {
	for i := range f.pipes {
		f.pattern.z[i] ^= 1 << (8 + f.pipes - 1 - i)
	}
	for i := range f.banks {
		f.pattern.z[f.pipes+i] ^= 1 << (8 + f.pipes + f.banks - 1 - i)
	}
}

// setBlock computes the size of a block in elements.
func (f *folder) setBlock() {
	l := f.l
	l.block = f.block
	if f.thick {
		n := uint8(f.block) - 10
		l.wx, l.wy, l.wz = thickSize(f.elem, n)
		return
	}
	n := f.block - 8
	l.wx = uint8(4-f.elem/2) + n/2
	l.wy = uint8(4-(f.elem+1)/2) + n - n/2
	s := uint8(log2(f.Samples))
	l.wx -= s - s/2
	l.wy -= s / 2
}

// thickSize returns the size of a block of 2^(10+n) bytes of a thick image.
func thickSize(elem uint, n uint8) (x, y, z uint8) {
	sizes := [...][3]uint8{{4, 3, 3}, {3, 3, 3}, {3, 3, 2}, {3, 2, 2}, {2, 2, 2}}[elem]
	rest := n % 3
	return sizes[0] + n/3, sizes[1] + n/3 + rest/2, sizes[2] + n/3 + (rest+1)/2
}

// A size is a size in elements or blocks.
type size struct{ x, y, z uint32 }

// tailSize returns the largest level that shares a block with the following
// ones, in elements.
func tailSize(l *Layout, thick bool) size {
	t := size{1 << l.wx, 1 << l.wy, 1 << l.wz}
	switch {
	case !thick:
		t.x >>= 1
	case l.block%3 == 0:
		t.y >>= 1
	case l.block%3 == 1:
		t.x >>= 1
	default:
		t.z >>= 1
	}
	return t
}

// placeLevels places the levels. They form one picture: level 1 is below or
// beside level 0, level 2 on the other side of level 1, and so on. All levels
// from the first one that fits in half a block share a block.
func (f *folder) placeLevels() error {
	l := f.l
	if err := f.setPitch(1 << l.wx); err != nil {
		return err
	}
	l.numberOfLevels, l.align = f.Levels, linearRow
	if f.fold != 0 {
		l.align = 1 << l.block
	}
	l.rows = roundUp(f.Height, 1<<l.wy)
	slices := roundUp(f.Depth, 1<<l.wz)
	blocks := size{l.pitch >> l.wx, l.rows >> l.wy, 1}
	if f.thick {
		blocks.z = slices >> l.wz
	}
	chain := f.chainSize(blocks)
	l.slice = uint64(chain.x) * uint64(chain.y) << l.block
	l.size = l.slice * uint64(slices>>l.wz)
	for i := range f.Levels {
		at, tail := f.startOf(i, blocks)
		l.levels[i] = level{
			base: (uint64(at.z)*uint64(chain.x)*uint64(chain.y) + uint64(at.y)*uint64(chain.x) + uint64(at.x)) << l.block,
			row:  uint64(chain.x),
			flip: tail ^ f.Swizzle,
		}
	}
	return nil
}

// firstInTail returns the first level that shares a block with the following
// ones, or the number of levels.
func (f *folder) firstInTail() uint32 {
	t := tailSize(f.l, f.thick)
	s := size{f.Width, f.Height, 1}
	if f.Kind == Kind3D {
		s.z = f.Depth
	}
	for i := range f.Levels {
		if s.x <= t.x && s.y <= t.y && (!f.thick || s.z <= t.z) {
			return i
		}
		s.x = max(roundUp(s.x, 1<<f.l.wx)>>1, 1)
		s.y = max(roundUp(s.y, 1<<f.l.wy)>>1, 1)
		if f.thick {
			s.z = roundUp(s.z, 1<<f.l.wz)
		}
		s.z = max(s.z>>1, 1)
	}
	return f.Levels
}

// chainSize returns the size of the picture of all levels in blocks, for level 0
// of a size in blocks.
func (f *folder) chainSize(blocks size) size {
	if f.Levels == 1 {
		return blocks
	}
	last := min(f.firstInTail(), f.Levels-1)
	if last == 0 {
		return blocks
	}
	extra := func(n uint32) uint32 {
		n = halfUp(n)
		if n == 1 && last > 2 {
			n++
		}
		return n
	}
	if majorAxis(blocks, f.thick) == axisY {
		blocks.x += extra(blocks.x)
	} else {
		blocks.y += extra(blocks.y)
	}
	return blocks
}

// majorAxis returns the longest axis of level 0, in blocks.
func majorAxis(blocks size, thick bool) axis {
	a, longest := axisX, blocks.x
	if blocks.x < blocks.y {
		a, longest = axisY, blocks.y
	}
	if thick && longest < blocks.z {
		return axisZ
	}
	return a
}

// startOf returns the position of a level in the picture of levels, in blocks,
// and its offset bits if it shares a block.
func (f *folder) startOf(lvl uint32, blocks size) (at size, tail uint32) {
	if f.Levels == 1 {
		return at, 0
	}
	if f.firstInTail() == 0 {
		return at, tailOffset(lvl, f.l.block)
	}
	major := majorAxis(blocks, f.thick)
	for i := uint32(1); i <= lvl; i++ {
		switch odd := i == 1 || i == 3; {
		case odd && major == axisY, !odd && major == axisX:
			at.x += blocks.x
		case odd, major == axisY:
			at.y += blocks.y
		default:
			at.z += blocks.z
		}
		if f.endsInTail(blocks) {
			return at, tailOffset(lvl-i, f.l.block)
		}
		blocks = size{halfUp(blocks.x), halfUp(blocks.y), halfUp(blocks.z)}
	}
	return at, 0
}

// endsInTail reports whether the level after one of a size in blocks shares a
// block.
func (f *folder) endsInTail(blocks size) bool {
	limit := size{1, 2, 1 << 31}
	if f.thick {
		limit = [3]size{{2, 1, 2}, {1, 2, 2}, {2, 2, 1}}[f.block%3]
	}
	return blocks.x <= limit.x && blocks.y <= limit.y && blocks.z <= limit.z
}

// tailSteps lists the positions of levels in a shared block, in units of 256
// bytes, from a block of 1 MB on; smaller blocks begin later in the list.
var tailSteps = [...]uint32{2048, 1024, 512, 256, 128, 64, 32, 16, 8, 6, 5, 4, 3, 2, 1, 0}

// tailOffset returns the offset of the nth level inside a shared block.
func tailOffset(n uint32, block uint8) uint32 { return tailSteps[min(n+20-uint32(block), 15)] << 8 }
