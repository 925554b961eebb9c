package lanes

import "github.com/gfx-toolchain/gfx/internal/sem"

// simdTrans holds constants for the functions of simd_trans_amd64.s: the
// coefficients of package sem, broadcast to all lanes, and others.
type simdTrans struct {
	exp2  [11][4]float64
	log2  [8][4]float64
	sin   [7][4]float64
	cos   [8][4]float64
	one   [4]float64
	cut   [4]uint64  // mask of the bits that a double has in excess of a float
	limit [2]float32 // largest and smallest exponent of 2
	turns [3]float32 // largest angle, quarters per turn, and a quarter turn
	root  uint32     // √½ as f32 bits
}

// simdTransTable is initialized with implTable.
//
//lint:ignore U1000 used in assembly
var simdTransTable *simdTrans

func makeSIMDTrans() *simdTrans {
	t := &simdTrans{
		one:   [...]float64{1, 1, 1, 1},
		cut:   [...]uint64{1<<29 - 1, 1<<29 - 1, 1<<29 - 1, 1<<29 - 1},
		limit: [...]float32{200, -200},
		turns: [...]float32{256, 4, 0.25},
		root:  0x3f3504f3,
	}
	c := sem.TransCoefficients()
	fill := func(d [][4]float64, s []float64) {
		for i, v := range s {
			d[i] = [...]float64{v, v, v, v}
		}
	}
	fill(t.exp2[:], c.Exp2[:])
	fill(t.log2[:], c.Log2[:])
	fill(t.sin[:], c.Sin[:])
	fill(t.cos[:], c.Cos[:])
	return t
}

//go:noescape
func simdExpF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdLogF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdSinF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)

//go:noescape
func simdCosF32(d, a, b, c *uint32, exec uint64, n int) (left uint64)
