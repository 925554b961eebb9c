package sim

import "github.com/gfx-toolchain/gfx/isa/sem"

// simdTrans holds what the functions of simd_trans_amd64.s need in memory: the
// coefficients of isa/sem, in every lane, and other constants.
type simdTrans struct {
	exp2  [11][4]float64
	log2  [8][4]float64
	sin   [7][4]float64
	cos   [8][4]float64
	one   [4]float64
	cut   [4]uint64  // the bits that a double has more than a float
	limit [2]float32 // the largest and smallest power of 2
	turns [3]float32 // the largest angle, quarters of a turn, and a quarter
	root  uint32     // √½ as a float
}

// simdTransTable is made with simdTable.
//
//lint:ignore U1000 its users are in assembly
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
