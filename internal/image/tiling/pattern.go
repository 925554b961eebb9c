package tiling

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Swizzle modes of gfx10 to gfx12 have a pattern: a list of the coordinate bits
// that make up each offset bit inside a block. Levels lie in reverse order, from
// the smallest to the largest; the smallest ones share one block.

//go:embed patterns.tsv
var patternText string

// A patternKey is a row of patterns.tsv for one memory configuration.
type patternKey struct {
	modes          string // set of modes: 10, 103, 11 or 12
	mode           uint8
	kind           Kind
	samples, bytes uint8
	config         string
}

// A patternTable is patterns.tsv in memory.
type patternTable struct {
	nibbles  []string // terms of four offset bits
	patterns map[patternKey]string
}

// patterns is the table, read on first use.
var patterns = lazy.Value[*patternTable]{Make: readPatterns}

// anyConfig is the configuration of patterns that do not depend on the memory.
const anyConfig = "*"

// readPatterns reads patterns.tsv.
func readPatterns() *patternTable {
	t := &patternTable{patterns: map[patternKey]string{}}
	for line := range strings.Lines(patternText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch f[0] {
		case "nibble":
			t.nibbles = append(t.nibbles, f[1])
		case "pattern":
			k := patternKey{modes: f[1], mode: number(f[2]), kind: Kind(number(f[3][:1])), samples: number(f[4]), bytes: number(f[5])}
			for _, c := range strings.Fields(f[6]) {
				config, nibbles, _ := strings.Cut(c, ":")
				k.config = config
				t.patterns[k] = nibbles
			}
		}
	}
	return t
}

// number returns the value of a decimal number of patterns.tsv.
func number(s string) uint8 {
	n, err := strconv.ParseUint(s, 10, 8)
	if err != nil {
		panic("BUG: patterns.tsv: " + err.Error())
	}
	return uint8(n)
}

// hasMode reports whether a set of modes has a mode.
func (t *patternTable) hasMode(modes string, mode uint8) bool {
	for k := range t.patterns {
		if k.modes == modes && k.mode == mode {
			return true
		}
	}
	return false
}

// fillPattern adds the terms of a row to p and returns the number of offset
// bits.
func (t *patternTable) fillPattern(p *pattern, nibbles string) (n uint8) {
	for i := 0; i < len(nibbles); i += 2 {
		for terms := range strings.FieldsSeq(t.nibbles[digit(nibbles[i])*62+digit(nibbles[i+1])]) {
			for ; len(terms) > 1; terms = terms[2:] {
				*p.bitOf(axis(terms[0]), digit(terms[1])) |= 1 << n
			}
			n++
		}
	}
	return n
}

// digit returns the value of a digit in base 62.
func digit(c byte) int {
	switch {
	case c >= 'a':
		return int(c-'a') + 10
	case c >= 'A':
		return int(c-'A') + 36
	}
	return int(c - '0')
}

// A patterned builds a layout with a pattern.
type patterned struct {
	*builder
	modes      string
	thick      bool
	shortTails []byte // orders in which the shared levels of small elements are smaller
	first1D    uint8  // first mode that no 1D image has
	oddHeight  bool   // an odd number of samples' bits halves the height first
}

// The set of modes of each scheme.

func buildGfx10(b *builder) error {
	p := patterned{builder: b, modes: "10", first1D: 32}
	if b.set.Has(isa.PropImageShortTails) {
		p.shortTails = []byte{orderZ}
	}
	return p.buildSwizzle(strconv.Itoa(int(b.Config.pipes())))
}

func buildGfx103(b *builder) error {
	p := patterned{builder: b, modes: "103", first1D: 32, shortTails: []byte{orderZ}}
	return p.buildSwizzle(fmt.Sprint(b.Config.pipes(), b.Config.packers()))
}

func buildGfx11(b *builder) error {
	p := patterned{builder: b, modes: "11", first1D: 28, shortTails: []byte{orderZ, orderR}}
	return p.buildSwizzle(fmt.Sprint(b.Config.pipes(), b.Config.packers()))
}

func buildGfx12(b *builder) error {
	p := patterned{builder: b, modes: "12", oddHeight: true}
	return p.buildSwizzle(anyConfig)
}

// buildSwizzle builds the layout for a memory configuration.
func (p *patterned) buildSwizzle(config string) error {
	if p.Mode == 0 {
		return buildLinearReverse(p.builder)
	}
	if p.Swizzle != 0 && !p.hasSwizzle() {
		return errSwizzle
	}
	if p.Config.interleave() != 8 && config != anyConfig {
		return fmt.Errorf("pipe interleave of %d bytes, expected 256", 1<<p.Config.interleave())
	}
	nibbles, err := p.findPattern(strings.ReplaceAll(config, " ", ""))
	if err != nil {
		return err
	}
	p.l.block = patterns.Get().fillPattern(&p.pattern, nibbles)
	p.setBlock()
	return p.placeLevels()
}

// hasSwizzle reports whether the mode has exclusive ors, on gfx10 and gfx11.
func (p *patterned) hasSwizzle() bool { return p.modes != "12" && p.Mode >= firstXor }

// firstXor is the first mode of gfx10 and gfx11 with exclusive ors.
const firstXor = 16

// first3D is the first mode of gfx12 that exists for 3D images only.
const first3D = 5

// findPattern returns the nibbles of the pattern of the surface and decides
// whether its blocks are thick.
func (p *patterned) findPattern(config string) (string, error) {
	t := patterns.Get()
	if !t.hasMode(p.modes, p.Mode) {
		return "", errReserved
	}
	k := patternKey{modes: p.modes, mode: p.Mode, kind: p.Kind, samples: uint8(p.Samples), bytes: p.Bytes, config: anyConfig}
	order := p.Mode & 3
	if p.modes == "12" {
		p.thick = p.Mode >= first3D
		if p.Kind == Kind1D || p.Kind == Kind3D && !p.thick && p.Mode != 1 {
			k.kind = Kind2D
		}
	} else {
		p.thick = p.Kind == Kind3D && (order == orderS || order == orderD)
		if p.Kind == Kind1D && (order == orderZ || order == orderR) && p.Mode < p.first1D {
			k.kind = Kind2D
		}
	}
	if found, ok := t.patterns[k]; ok {
		return found, nil
	}
	k.config = config
	if found, ok := t.patterns[k]; ok {
		return found, nil
	}
	for other := range t.patterns {
		if other.config = config; other == k {
			return "", fmt.Errorf("no patterns for the memory configuration %#x (pipes and packers %s)", p.Config.Addr, config)
		}
	}
	return "", fmt.Errorf("the mode does not exist for images of kind %s with %d samples and %d bytes per element", p.Kind, p.Samples, p.Bytes)
}

// setBlock computes the size of a block in elements.
func (p *patterned) setBlock() {
	l := p.l
	if p.thick {
		l.wx, l.wy, l.wz = thickSize(p.elem, l.block-10)
		return
	}
	samples := uint8(log2(p.Samples))
	n := l.block - uint8(p.elem) - samples
	l.wx = n / 2
	if samples&1 == 0 || l.block&1 != 0 || p.oddHeight {
		l.wx = (n + 1) / 2
	}
	l.wy = n - l.wx
}

// placeLevels places the levels of a tiled image.
func (p *patterned) placeLevels() error {
	l := p.l
	if err := p.setPitch(1 << l.wx); err != nil {
		return err
	}
	l.numberOfLevels, l.align = p.Levels, 1<<l.block
	l.rows = roundUp(p.Height, 1<<l.wy)
	first := p.firstInTail()
	blocks := uint64(0)
	if first < p.Levels {
		p.placeTail(first)
		blocks = 1
	}
	for i := int(first) - 1; i >= 0; i-- {
		w, h := (l.pitch>>l.wx)<<l.wx, p.Height
		if p.Levels > 1 {
			w, h = shiftUp(p.Width, uint32(i)), shiftUp(p.Height, uint32(i))
		}
		w, h = roundUp(w, 1<<l.wx)>>l.wx, roundUp(h, 1<<l.wy)>>l.wy
		l.levels[i] = level{base: blocks << l.block, row: uint64(w), flip: p.Swizzle}
		blocks += uint64(w) * uint64(h)
	}
	l.slice = blocks << l.block
	l.size = l.slice * uint64(roundUp(p.Depth, 1<<l.wz)>>l.wz)
	return nil
}

// firstInTail returns the first level that shares a block with the following
// ones, or the number of levels.
func (p *patterned) firstInTail() uint32 {
	if p.Levels == 1 || p.l.block == 8 {
		return p.Levels
	}
	limit := tailSize(p.l, p.thick)
	if slices.Contains(p.shortTails, p.Mode&3) && p.elem < 2 {
		limit.x >>= 1
		limit.y >>= 1 - p.elem
	}
	for i := range p.Levels {
		if shiftUp(p.Width, i) <= limit.x && shiftUp(p.Height, i) <= limit.y && p.Levels-i <= p.maxInTail() {
			return i
		}
	}
	return p.Levels
}

// maxInTail returns the largest number of levels that share a block.
func (p *patterned) maxInTail() uint32 {
	n := uint32(p.l.block)
	if p.thick {
		n -= (n - 8) / 3
	}
	if n <= 11 {
		return 1 + 1<<(n-9)
	}
	return n - 4
}

// placeTail places the levels that share a block. The offset of each one inside
// the block is a power of two, down to 2 KB, or a multiple of 256 bytes below;
// it is the position of a micro block of 256 bytes.
func (p *patterned) placeTail(first uint32) {
	for i := first; i < p.Levels; i++ {
		n := p.maxInTail() - 1 - (i - first)
		at := n << 8
		if n > 6 {
			at = 16 << n
		}
		x, y := evenBits(at>>9), evenBits(at>>8)
		if p.l.block&1 != 0 {
			x, y = y, x
			if p.elem&1 != 0 {
				x, y = x>>1, y<<1|x&1
			}
		}
		w, h := p.microSize()
		p.l.levels[i] = level{row: 1, x: x << w, y: y << h, flip: p.Swizzle}
	}
}

// evenBits returns bits 0, 2, 4 and so on of v as one number.
func evenBits(v uint32) (r uint32) {
	for i := range 6 {
		r |= v >> (2 * i) & 1 << i
	}
	return r
}

// microSize returns the logarithm of the width and the height of 256 bytes.
func (p *patterned) microSize() (w, h uint) {
	if p.thick {
		w = [...]uint{3, 2, 2, 2, 1}[p.elem]
		return w, [...]uint{2, 2, 2, 1, 1}[p.elem]
	}
	return 4 - p.elem/2, 4 - (p.elem+1)/2
}
