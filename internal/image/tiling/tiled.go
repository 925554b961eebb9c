package tiling

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/isa"
)

// Tile modes of gfx6 to gfx8. A micro tile has 8 by 8 elements, in thick modes
// of 4 or 8 slices. In 1D modes, micro tiles lie in rows. In 2D and 3D modes
// (macro tiles), the offset bits after bit 8 are the pipe and the bank, which
// are exclusive ors of bits of the tile's position; every slice starts at
// another bank. A micro tile with more bytes than the tile split continues in
// another plane of the slice.

// A tileMode is a tile mode register in readable form.
type tileMode struct {
	array      uint8 // one of the array modes
	micro      uint8 // one of the micro tile orders
	pipeConfig uint8
	split      uint32 // bytes of a micro tile in one plane
	bank       bankMode
}

// A bankMode is the shape of a macro tile.
type bankMode struct {
	width, height uint8 // log2 of micro tiles with the same bank
	aspect        uint8 // log2 of the macro tile's width-to-height factor
	banks         uint8 // log2
}

// The micro tile orders of gfx7 and gfx8; the last one of gfx6 has the number 3.
const (
	microDisplay = iota
	microThin
	microDepth
	microRotated
	microThick
)

// An arrayMode is the meaning of the field ARRAY_MODE.
type arrayMode struct {
	thick uint8 // log2 of the slices in a micro tile
	macro uint8 // 0 for 1D, 2 or 3: the kind of rotation of slices; 1: none
	prt   bool  // the tile's position counts inside of its macro tile only
}

// arrayModes lists the array modes from 2 on; 0 and 1 are linear.
var arrayModes = [16]arrayMode{
	2: {}, 3: {thick: 2},
	4: {macro: 2}, 5: {macro: 1, prt: true}, 6: {macro: 1}, 7: {thick: 2, macro: 2}, 8: {thick: 3, macro: 2},
	9: {thick: 2, macro: 1, prt: true}, 10: {thick: 2, macro: 1}, 11: {macro: 1}, 12: {macro: 3}, 13: {thick: 2, macro: 3},
	14: {thick: 3, macro: 3}, 15: {thick: 2, macro: 1},
}

// splitRotates lists the array modes whose planes start at other banks.
const splitRotates = 1<<4 | 1<<12 | 1<<6 | 1<<11

// pipeBits lists the terms of the pipe bits per pipe configuration. AddrLib has
// no third bit for configuration 8. Bit 3 of a coordinate is the lowest bit of a micro tile's position.
var pipeBits = [...]string{
	0: "x3y3",
	4: "x4y3 x3y4", 5: "x3y3x4 x4y4", 6: "x3y3x4 x4y5", 7: "x3y3x5 x5y5",
	9: "x4y3x5 x3y4 x4y5", 10: "x4y3x5 x3y4 x5y5", 11: "x3y3x4 x5y4 x4y5", 12: "x3y3x4 x4y4 x5y5",
	13: "x3y3x4 x4y6 x5y5", 14: "x3y3x5 x6y5 x5y6",
	16: "x4y3 x3y4 x5y6 x6y5", 17: "x3y3x4 x4y4 x5y6 x6y5",
}

// bankBits lists the terms of the bank bits per logarithm of the number of
// banks. Bit 0 of a coordinate is the lowest bit of the position of micro tiles
// with the same bank.
var bankBits = [...]string{1: "x0y0", 2: "x0y1 x1y0", 3: "x0y2 x1y1y2 x2y0", 4: "x0y3 x1y2y3 x2y1 x3y0"}

// microOrder lists the element bits of a thin micro tile by order and element
// size.
var microOrder = [...][5]string{
	microDisplay: {"x0x1x2y1y0y2", "x0x1x2y0y1y2", "x0x1y0x2y1y2", "x0y0x1x2y1y2", "y0x0x1x2y1y2"},
	microThin:    {"x0y0x1y1x2y2", "x0y0x1y1x2y2", "x0y0x1y1x2y2", "x0y0x1y1x2y2", "x0y0x1y1x2y2"},
	microDepth:   {"x0y0x1y1x2y2", "x0y0x1y1x2y2", "x0y0x1y1x2y2", "x0y0x1y1x2y2", "x0y0x1y1x2y2"},
	microRotated: {"y0y1y2x1x0x2", "y0y1y2x0x1x2", "y0y1x0y2x1x2", "y0x0y1x1x2y2", ""},
	microThick:   {"x0y0x1y1z0z1x2y2", "x0y0x1y1z0z1x2y2", "x0y0x1z0y1z1x2y2", "x0y0z0x1y1z1x2y2", "x0y0z0x1y1z1x2y2"},
}

// A tiler builds a layout of gfx6 to gfx8.
type tiler struct {
	*builder
	mode  tileMode
	array arrayMode
	micro uint // log2 of the bytes of a micro tile in one plane
	plane uint // log2 of the number of planes
	pipes uint // log2 of the number of pipes
	level uint32
}

// buildTiled builds the layouts of gfx6 to gfx8.
func buildTiled(b *builder) error {
	if int(b.Mode) >= len(b.Config.TileModes) {
		return fmt.Errorf("tile mode index above %d", len(b.Config.TileModes)-1)
	}
	t := tiler{builder: b}
	if b.Levels > 1 || b.Pow2 {
		return t.buildChain()
	}
	t.readMode()
	return t.buildImage()
}

// buildImage builds the layout of an image with one level.
func (t *tiler) buildImage() error {
	if t.mode.array < arrayThin {
		return t.buildLinear()
	}
	t.array = arrayModes[t.mode.array]
	if err := t.checkMode(); err != nil {
		return err
	}
	t.l.wz = t.array.thick
	t.l.numberOfLevels = 1
	t.setMicro()
	if t.array.macro == 0 {
		return t.placeMicroTiles()
	}
	return t.placeMacroTiles()
}

// readMode reads the tile mode registers of the surface.
func (t *tiler) readMode() {
	r := t.Config.TileModes[t.Mode]
	field := func(r uint32, at, width uint) uint8 { return uint8(r >> at & (1<<width - 1)) }
	t.mode = tileMode{array: field(r, 2, 4), pipeConfig: field(r, 6, 5), split: 64 << field(r, 11, 3)}
	if !t.set.Has(isa.PropImageMacroModes) {
		t.mode.micro = field(r, 0, 2)
		if t.mode.micro == microRotated {
			t.mode.micro = microThick
		}
		t.mode.bank = bankMode{width: field(r, 14, 2), height: field(r, 16, 2), aspect: field(r, 18, 2), banks: field(r, 20, 2) + 1}
		return
	}
	t.mode.micro = field(r, 22, 3)
	tile := uint32(64) << t.elem << arrayModes[t.mode.array].thick
	if t.mode.micro != microDepth {
		t.mode.split = max(256, tile<<field(r, 25, 2))
	}
	t.mode.split = min(t.mode.split, t.Config.rowSize())
	index := log2(min(t.mode.split, tile*t.Samples) / 64)
	if a := t.mode.array; a == 5 || a == 6 || a == 9 || a == 10 || a == 11 || a == 15 {
		index += 8
	}
	m := t.Config.MacroModes[index&15]
	t.mode.bank = bankMode{width: field(m, 0, 2), height: field(m, 2, 2), aspect: field(m, 4, 2), banks: field(m, 6, 2) + 1}
}

// checkMode reports combinations that the hardware does not have.
func (t *tiler) checkMode() error {
	m := &t.mode
	switch {
	case t.Swizzle != 0 && t.array.macro == 0:
		return errSwizzle
	case t.Config.interleave() != 8 || t.Config.bankInterleave() != 0:
		return fmt.Errorf("pipe interleave of %d bytes and bank interleave of %d, expected 256 and 1",
			1<<t.Config.interleave(), 1<<t.Config.bankInterleave())
	case int(m.micro) >= len(microOrder) || microOrder[m.micro][t.elem] == "":
		return fmt.Errorf("micro tile order %d does not exist for elements of %d bytes", m.micro, t.Bytes)
	case m.micro == microThick && t.array.thick == 0:
		return fmt.Errorf("thick micro tiles in a thin array mode")
	case t.array.thick != 0 && t.Samples > 1 || t.array.macro == 0 && t.Samples > 1:
		return fmt.Errorf("%d samples in array mode %d", t.Samples, m.array)
	case t.array.macro != 0 && (int(m.pipeConfig) >= len(pipeBits) || pipeBits[m.pipeConfig] == ""):
		return fmt.Errorf("reserved pipe configuration %d", m.pipeConfig)
	case t.array.macro != 0 && (m.pipeConfig == 7 || m.pipeConfig == 14) && m.bank.width == 0:
		// AddrLib's equation places two micro tiles at one address.
		return fmt.Errorf("pipe configuration %d with a bank width of 1 has no known equation", m.pipeConfig)
	case t.array.macro != 0 && m.bank.aspect > m.bank.banks:
		return fmt.Errorf("%d banks with a macro tile aspect of %d", 1<<m.bank.banks, 1<<m.bank.aspect)
	}
	return nil
}

// buildLinear builds a linear layout: rows are multiples of 64 bytes and 8
// elements.
func (t *tiler) buildLinear() error {
	if err := t.startLinear(); err != nil {
		return err
	}
	align := uint32(1)
	if t.mode.array == 1 {
		align = max(8, uint32(64)>>t.elem)
	}
	if err := t.setPitch(align); err != nil {
		return err
	}
	if t.mode.array == 1 && t.Pitch == 0 {
		elements := uint32(64)
		if t.level > 0 {
			elements = max(elements, linearRow>>t.elem)
		}
		for t.l.pitch*t.Height%elements != 0 {
			t.l.pitch += align
		}
	}
	t.l.levels[0].row = uint64(t.l.pitch)
	t.l.slice = uint64(t.l.pitch) * uint64(t.Height) << t.elem
	t.l.size = t.l.slice * uint64(t.Depth)
	return nil
}

// setMicro computes the element bits of a micro tile and its planes.
func (t *tiler) setMicro() {
	samples := log2(t.Samples)
	bytes := t.elem + 6 + uint(t.array.thick) + samples
	at, sample := t.elem, bytes-samples
	if t.mode.micro == microDepth {
		sample = at
		at += samples
	}
	for i := range samples {
		t.pattern.s[i] = 1 << (sample + i)
	}
	order := microOrder[t.mode.micro][t.elem]
	for ; order != ""; order = order[2:] {
		*t.pattern.bitOf(axis(order[0]), digit(order[1])) = 1 << at
		at++
	}
	for i := range uint(t.array.thick) {
		if t.pattern.z[i] == 0 {
			t.pattern.z[i] = 1 << at
			at++
		}
	}
	t.micro = bytes
	if split := log2(t.mode.split); t.array.macro != 0 && t.array.thick == 0 && bytes > split {
		t.micro, t.plane = split, bytes-split
	}
}

// placeMicroTiles places the tiles of a 1D mode. Slices are multiples of 256
// bytes.
func (t *tiler) placeMicroTiles() error {
	l := t.l
	l.block, l.wx, l.wy, l.align = uint8(t.micro), 3, 3, 256
	if err := t.setPitch(8); err != nil {
		return err
	}
	l.rows = roundUp(t.Height, 8)
	bytes := func() uint64 { return uint64(l.pitch) * uint64(l.rows) << t.elem << t.array.thick }
	for t.Pitch == 0 && bytes()%256 != 0 {
		l.pitch += 8
	}
	l.slice = bytes()
	l.levels[0].row = uint64(l.pitch >> 3)
	l.size = l.slice * uint64(roundUp(t.Depth, 1<<l.wz)>>l.wz)
	return nil
}

// placeMacroTiles places the tiles of a 2D or 3D mode.
func (t *tiler) placeMacroTiles() error {
	l, m := t.l, t.mode.bank
	t.pipes = t.countPipes()
	inTile := t.micro + uint(m.width) + uint(m.height)
	if inTile < 8 {
		return fmt.Errorf("%d bytes of a macro tile per bank, expected at least 256: the bank size does not fit elements of %d bytes",
			1<<inTile, t.Bytes)
	}
	l.block = uint8(inTile + t.pipes + uint(m.banks))
	l.wx = 3 + m.width + uint8(t.pipes) + m.aspect
	l.wy = 3 + m.height + m.banks - m.aspect
	if err := t.setPitch(1 << l.wx); err != nil {
		return err
	}
	l.rows, l.align = roundUp(t.Height, 1<<l.wy), 1<<l.block
	row := uint64(l.pitch >> l.wx)
	plane := row * uint64(l.rows>>l.wy) << l.block
	l.levels[0].row = row
	l.slice = plane << t.plane
	l.size = l.slice * uint64(roundUp(t.Depth, 1<<l.wz)>>l.wz)
	t.splitPlanes(plane)
	t.placeInBank()
	t.pattern.rotation = t.rotateSlice
	return nil
}

// countPipes returns the logarithm of the number of pipes.
func (t *tiler) countPipes() uint {
	return uint(strings.Count(pipeBits[t.mode.pipeConfig], " ")) + 1
}

// splitPlanes computes the offsets of planes of a size in bytes: the bits of a
// micro tile beyond the tile split are the number of a plane.
func (t *tiler) splitPlanes(plane uint64) {
	if t.plane == 0 {
		return
	}
	for s := range t.l.planes {
		v := uint32(0)
		for i, bit := range t.pattern.s {
			v |= uint32(s) >> i & 1 * bit
		}
		t.l.planes[s] = uint64(v>>t.micro) * plane
	}
	for i := range t.l.tile {
		v := uint32(0)
		for bit := range 3 {
			v |= uint32(i)>>bit&1*t.pattern.x[bit] | uint32(i)>>(3+bit)&1*t.pattern.y[bit]
		}
		t.l.tile[i] = uint64(v>>t.micro) * plane
	}
}

// placeInBank completes the pattern: the offset in a micro tile, the position
// of the micro tile among the ones in the same bank, pipe and bank.
func (t *tiler) placeInBank() {
	t.pattern.applyAll(func(v uint32) uint32 {
		n := v >> t.micro
		v = t.skipBank(v & (1<<t.micro - 1))
		if splitRotates>>t.mode.array&1 != 0 {
			v |= t.toBank(n ^ n&1<<t.mode.bank.banks>>1)
		}
		return v
	})
	m := t.mode.bank
	for i := range uint(m.width) {
		t.pattern.x[3+t.pipes+i] ^= t.skipBank(1 << (t.micro + i))
	}
	for i := range uint(m.height) {
		t.pattern.y[3+i] ^= t.skipBank(1 << (t.micro + uint(m.width) + i))
	}
	t.addTerms(pipeBits[t.mode.pipeConfig], 8, 0, 0)
	t.addTerms(bankBits[m.banks], 8+t.pipes, 3+int(m.width)+int(t.pipes), 3+int(m.height))
}

// skipBank moves the bits of an offset inside a bank to their place in a block:
// the pipe and the bank follow the low eight bits.
func (t *tiler) skipBank(v uint32) uint32 {
	return v&0xff | v>>8<<(8+t.pipes+uint(t.mode.bank.banks))
}

// toBank returns the offset bits of a bank; bits beyond the number of banks do
// not count.
func (t *tiler) toBank(n uint32) uint32 {
	return n & (1<<t.mode.bank.banks - 1) << (8 + t.pipes)
}

// addTerms adds lists of coordinate bits, separated by spaces, to the offset bits
// from bit at on. The bits of x and y count from the given ones.
func (t *tiler) addTerms(lists string, at uint, x, y int) {
	for terms := range strings.FieldsSeq(lists) {
		for ; terms != ""; terms = terms[2:] {
			a, bit, end := axis(terms[0]), digit(terms[1])+x, t.l.wx
			if a == axisY {
				bit, end = digit(terms[1])+y, t.l.wy
			}
			if p := t.pattern.bitOf(a, bit); p != nil && !(t.array.prt && bit >= int(end)) {
				*p ^= 1 << at
			}
		}
		at++
	}
}

// rotateSlice returns the bits of pipe and bank that a slice toggles. The
// rotation is added to the swizzle of the base address.
func (t *tiler) rotateSlice(z uint32) uint32 {
	pipe, bank := t.Swizzle>>8, t.Swizzle>>(8+t.pipes)
	z >>= t.array.thick
	step := uint32(max(1, 1<<t.pipes>>1-1))
	switch t.array.macro {
	case 2:
		bank += z * (1<<t.mode.bank.banks>>1 - 1)
	case 3:
		bank += z * step >> t.pipes
		pipe += z * step
	}
	return t.toBank(bank) | pipe&(1<<t.pipes-1)<<8
}
