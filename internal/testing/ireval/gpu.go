package ireval

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

type emitter = func(c *compiler, v ir.Value, ops []ir.Value)

// gpuIntrinsics holds the AMDGPU intrinsics that are not elementwise.
var gpuIntrinsics map[ir.Intrinsic]emitter

func init() {
	gpuIntrinsics = map[ir.Intrinsic]emitter{
		ir.IntrAMDGCNWorkitemIdX: perLane(func(l *lane) uint64 { return uint64(l.ids[0]) }),
		ir.IntrAMDGCNWorkitemIdY: perLane(func(l *lane) uint64 { return uint64(l.ids[1]) }),
		ir.IntrAMDGCNWorkitemIdZ: perLane(func(l *lane) uint64 { return uint64(l.ids[2]) }),

		ir.IntrAMDGCNWorkgroupIdX: perLane(func(l *lane) uint64 { return uint64(l.group.id[0]) }),
		ir.IntrAMDGCNWorkgroupIdY: perLane(func(l *lane) uint64 { return uint64(l.group.id[1]) }),
		ir.IntrAMDGCNWorkgroupIdZ: perLane(func(l *lane) uint64 { return uint64(l.group.id[2]) }),

		ir.IntrAMDGCNImplicitargPtr:    perLane(func(l *lane) uint64 { return l.group.disp().implicit }),
		ir.IntrAMDGCNKernargSegmentPtr: perLane(func(l *lane) uint64 { return l.group.disp().kernarg }),
		ir.IntrAMDGCNDispatchPtr:       perLane(func(l *lane) uint64 { return l.group.disp().packet }),
		ir.IntrAMDGCNWavefrontsize:     perLane(func(l *lane) uint64 { return uint64(l.wave.size) }),

		ir.IntrAMDGCNSBarrier:    func(c *compiler, v ir.Value, _ []ir.Value) { c.op(v, func(l *lane, o *op) { l.state = atBarrier }) },
		ir.IntrAMDGCNWaveBarrier: ignored, ir.IntrAMDGCNSWaitcnt: ignored, ir.IntrAMDGCNSchedBarrier: ignored,
		ir.IntrAMDGCNSSleep: ignored, ir.IntrAMDGCNSSetprio: ignored,

		ir.IntrAMDGCNIsShared:  inAperture(ldsAperture),
		ir.IntrAMDGCNIsPrivate: inAperture(stackAperture),

		ir.IntrAMDGCNMbcntLo: mbcnt(0), ir.IntrAMDGCNMbcntHi: mbcnt(32),
		ir.IntrAMDGCNReadfirstlane: emitReadFirst, ir.IntrAMDGCNReadlane: emitReadLane,
		ir.IntrAMDGCNDsBpermute: emitBpermute, ir.IntrAMDGCNDsPermute: emitPermute, ir.IntrAMDGCNDsSwizzle: emitSwizzle,
		ir.IntrAMDGCNUpdateDpp: emitUpdateDPP, ir.IntrAMDGCNPermlane16: permlane(0), ir.IntrAMDGCNPermlanex16: permlane(16),
		ir.IntrAMDGCNBallot: emitBallot, ir.IntrAMDGCNIcmp: emitLaneCompare, ir.IntrAMDGCNFcmp: emitLaneCompare,
		ir.IntrAMDGCNWqmVote: firstOperand, ir.IntrAMDGCNWwm: firstOperand, ir.IntrAMDGCNStrictWwm: firstOperand,

		ir.IntrAMDGCNMfmaF3232x32x2f32: emitMFMA32,
		ir.IntrAMDGCNDivScale:          emitDivScale, ir.IntrAMDGCNDivFmas: emitDivFmas,
	}
	for id := range dotProducts {
		gpuIntrinsics[id] = emitDot
	}
	for id, f := range gpuWords {
		mixedIntrinsics[id] = func(o *op, x, y, z uint64) (uint64, uint8) { return f(x, y, z), 0 }
	}
}

// perLane returns an emitter for a per-lane number.
func perLane(f func(l *lane) uint64) emitter {
	return func(c *compiler, v ir.Value, _ []ir.Value) {
		c.op(v, func(l *lane, o *op) { l.v[o.dst], l.t[o.dst] = f(l), 0 })
	}
}

func inAperture(base uint64) emitter {
	return func(c *compiler, v ir.Value, ops []ir.Value) {
		o := c.op(v, func(l *lane, o *op) {
			l.v[o.dst], l.t[o.dst] = b2u(l.v[o.a]&^lowHalf == base), l.t[o.a]
		})
		o.a = c.slot(ops[0])
	}
}

// mbcnt counts the mask bits below the lane.
func mbcnt(first int) emitter {
	return func(c *compiler, v ir.Value, ops []ir.Value) {
		o := c.op(v, func(l *lane, o *op) {
			below := min(max(l.index-first, 0), 32)
			n := bits.OnesCount64(l.v[o.a] & (1<<below - 1))
			l.v[o.dst], l.t[o.dst] = (uint64(n)+l.v[o.b])&lowHalf, l.t[o.a]|l.t[o.b]
		})
		o.a, o.b = c.slot(ops[0]), c.slot(ops[1])
	}
}

// shared holds the values of all lanes of a set at one slot, and the lanes in
// the set.
type shared struct {
	v    [64]uint64
	t    [64]uint8
	live [64]bool
}

func gather(lanes []*lane, at int32) (s shared) {
	for _, l := range lanes {
		s.v[l.index], s.t[l.index], s.live[l.index] = l.v[at], l.t[at], true
	}
	return s
}

// send sets a lane's result to lane from's value, or to 0 if that lane is not
// in the set.
func (s *shared) send(l *lane, o *op, from int) {
	l.v[o.dst], l.t[o.dst] = s.v[from], s.t[from]
	if !s.live[from] {
		l.v[o.dst], l.t[o.dst] = 0, 0
	}
}

// single rejects values of more than one word.
func (c *compiler) single(v ir.Value) {
	if c.mc.layout(c.f.TypeOf(v)).words != 1 {
		panic(c.mc.unsupported("cross-lane operation on values of more than 64 bits"))
	}
}

func emitReadFirst(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		first := lanes[0]
		for _, l := range lanes {
			copy(l.v[o.dst:o.dst+o.words], first.v[o.a:o.a+o.words])
			copy(l.t[o.dst:o.dst+o.words], first.t[o.a:o.a+o.words])
		}
	})
	o.a, o.words = c.slot(ops[0]), c.mc.layout(c.f.TypeOf(v)).words
}

func emitReadLane(c *compiler, v ir.Value, ops []ir.Value) {
	c.single(v)
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		s := gather(lanes, o.a)
		for _, l := range lanes {
			mark := l.t[o.b]
			s.send(l, o, int(l.v[o.b])&(w.size-1))
			l.t[o.dst] |= mark
		}
	})
	o.a, o.b = c.slot(ops[0]), c.slot(ops[1])
}

func emitBpermute(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		s := gather(lanes, o.b)
		for _, l := range lanes {
			s.send(l, o, int(l.v[o.a]/4)&(w.size-1))
			l.t[o.dst] |= l.t[o.a]
		}
	})
	o.a, o.b = c.slot(ops[0]), c.slot(ops[1])
}

func emitPermute(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		var s shared
		for _, l := range lanes { // the last lane wins
			to := int(l.v[o.a]/4) & (w.size - 1)
			s.v[to], s.t[to], s.live[to] = l.v[o.b], l.t[o.b], true
		}
		for _, l := range lanes {
			s.send(l, o, l.index)
		}
	})
	o.a, o.b = c.slot(ops[0]), c.slot(ops[1])
}

// emitSwizzle permutes lanes in groups of four or 32 by a pattern.
func emitSwizzle(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		s := gather(lanes, o.a)
		for _, l := range lanes {
			from := l.index&^31 | (l.index&31&int(o.imm) | int(o.imm>>5)&31) ^ int(o.imm>>10)&31
			if o.imm&0x8000 != 0 {
				from = l.index&^3 | int(o.imm>>(2*(l.index&3)))&3
			}
			s.send(l, o, from)
		}
	})
	o.a = c.slot(ops[0])
	o.imm, _ = c.mc.m.IntValue(ops[1])
}

// dppSource returns the source lane of lane i under a DPP control, or -1 for
// none.
func dppSource(ctrl, i, size int) int {
	row, in, n := i&^15, i&15, ctrl&15
	inRow := func(j int) int {
		if j < 0 || j > 15 {
			return -1
		}
		return row | j
	}
	switch {
	case ctrl < 0x100: // quad_perm
		return i&^3 | ctrl>>(2*(i&3))&3
	case ctrl < 0x110: // row_shl
		return inRow(in + n)
	case ctrl < 0x120: // row_shr
		return inRow(in - n)
	case ctrl < 0x130: // row_ror
		return row | (in-n)&15
	case ctrl == 0x130: // wave_shl
		return lessThan(i+1, size)
	case ctrl == 0x134: // wave_rol
		return (i + 1) % size
	case ctrl == 0x138: // wave_shr
		return i - 1
	case ctrl == 0x13c: // wave_ror
		return (i + size - 1) % size
	case ctrl == 0x140: // row_mirror
		return row | 15 - in
	case ctrl == 0x141: // row_half_mirror
		return i&^7 | 7 - i&7
	case ctrl == 0x142: // row_bcast:15
		return row - 1
	case ctrl == 0x143: // row_bcast:31
		return i&^31 - 1
	case ctrl >= 0x150 && ctrl < 0x160: // row_share, row_newbcast
		return row | n
	case ctrl >= 0x160 && ctrl < 0x170: // row_xmask
		return row | in ^ n
	}
	panic(&Error{Kind: Unsupported, Message: "DPP control"})
}

func lessThan(i, n int) int {
	if i < n {
		return i
	}
	return -1
}

func emitUpdateDPP(c *compiler, v ir.Value, ops []ir.Value) {
	c.single(v)
	m := c.mc.m
	args := c.f.Args(v)
	imm := func(i int) int {
		n, _ := m.IntValue(args[i].Value)
		return int(n)
	}
	ctrl, rows, banks, bound := imm(2), imm(3), imm(4), imm(5) != 0
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		s := gather(lanes, o.b)
		for _, l := range lanes {
			from := dppSource(ctrl, l.index, w.size)
			enabled := rows>>(l.index/16)&1 != 0 && banks>>(l.index%16/4)&1 != 0
			valid := from >= 0 && s.live[from]
			switch {
			case !enabled, !valid && !bound:
				l.v[o.dst], l.t[o.dst] = l.v[o.a], l.t[o.a]
			case !valid:
				l.v[o.dst], l.t[o.dst] = 0, 0
			default:
				s.send(l, o, from)
			}
		}
	})
	o.a, o.b = c.slot(ops[0]), c.slot(ops[1])
}

// permlane reads a lane in the same row, or in the other row of 32 lanes,
// selected by lane numbers in two words.
func permlane(other int) emitter {
	return func(c *compiler, v ir.Value, _ []ir.Value) {
		c.single(v)
		args := c.f.Args(v)
		bound, _ := c.mc.m.IntValue(args[5].Value)
		fetch, _ := c.mc.m.IntValue(args[4].Value)
		high := c.slot(args[3].Value)
		o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
			s := gather(lanes, o.b)
			for _, l := range lanes {
				in := l.index & 15
				sel := l.v[o.c]&lowHalf | l.v[high]<<32
				from := l.index&^15 ^ other | int(sel>>(4*in))&15
				switch {
				case s.live[from] || fetch != 0 && bound != 0:
					s.send(l, o, from)
				case bound != 0:
					l.v[o.dst], l.t[o.dst] = 0, 0
				default:
					l.v[o.dst], l.t[o.dst] = l.v[o.a], l.t[o.a]
				}
			}
		})
		o.a, o.b, o.c = c.slot(args[0].Value), c.slot(args[1].Value), c.slot(args[2].Value)
	}
}

func emitBallot(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		mask, mark := uint64(0), uint8(0)
		for _, l := range lanes {
			mask |= l.v[o.a] & 1 << l.index
			mark |= l.t[o.a]
		}
		for _, l := range lanes {
			l.v[o.dst], l.t[o.dst] = mask&o.mask, mark
		}
	})
	o.a, o.mask = c.slot(ops[0]), maskOf(c.mc.layout(c.f.TypeOf(v)).bits)
}

// emitLaneCompare computes a mask of the lanes for which a comparison holds.
func emitLaneCompare(c *compiler, v ir.Value, ops []ir.Value) {
	lay := c.mc.layout(c.f.TypeOf(ops[0]))
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		mask, mark := uint64(0), uint8(0)
		for _, l := range lanes {
			r := uint64(0)
			if ir.Pred(o.sub) >= ir.ICmpEQ {
				r, _ = compareFast(o, l.v[o.a], l.v[o.b], 0)
			} else {
				r, _ = fcmp(o, l.v[o.a], l.v[o.b], 0)
			}
			mask |= r << l.index
			mark |= l.t[o.a] | l.t[o.b]
		}
		for _, l := range lanes {
			l.v[o.dst], l.t[o.dst] = mask&o.mask, mark
		}
	})
	pred, _ := c.mc.m.IntValue(ops[2])
	o.a, o.b, o.sub, o.bits, o.kind = c.slot(ops[0]), c.slot(ops[1]), uint8(pred), lay.bits, lay.kind
	o.mask = maskOf(c.mc.layout(c.f.TypeOf(v)).bits)
}

// emitMFMA32 computes the product of a 32x2 and a 2x32 matrix plus a 32x32
// matrix.
func emitMFMA32(c *compiler, v ir.Value, ops []ir.Value) {
	o := c.cross(v, func(w *wave, lanes []*lane, o *op) {
		if len(lanes) != 64 {
			panic(w.mc.unsupported("mfma in a partially active wave"))
		}
		a, b := gather(lanes, o.a), gather(lanes, o.b)
		f := func(x uint64) float64 { return value(ir.KindFloat, x) }
		for _, l := range lanes {
			j, half := l.index%32, l.index/32
			for r := range int32(16) {
				i := int(8*(r/4)+r%4) + 4*half
				sum := l.v[o.c+r]
				for k := range 2 {
					sum = fma(ir.KindFloat, f(a.v[i+32*k]), f(b.v[j+32*k]), f(sum))
				}
				l.v[o.dst+r], l.t[o.dst+r] = sum, l.t[o.c+r]
			}
		}
	})
	o.a, o.b, o.c = c.slot(ops[0]), c.slot(ops[1]), c.slot(ops[2])
}

func bytesOf(x uint64) [4]uint64 {
	return [4]uint64{x & 255, x >> 8 & 255, x >> 16 & 255, x >> 24 & 255}
}

func absDiff(x, y uint64) uint64 { return max(x, y) - min(x, y) }

// sad adds the absolute differences of bytes to z. With masked, it skips bytes
// for which y is 0.
func sad(x, y, z uint64, masked bool) uint64 {
	a, b := bytesOf(x), bytesOf(y)
	for i := range a {
		if !masked || b[i] != 0 {
			z += absDiff(a[i], b[i])
		}
	}
	return z
}

// dotProducts lists the intrinsics that add the products of parts of two words
// to a third, with the width of a part. The fourth operand specifies whether
// the sum saturates.
var dotProducts = map[ir.Intrinsic]struct {
	bits   int
	signed bool
}{
	ir.IntrAMDGCNUdot2: {16, false}, ir.IntrAMDGCNSdot2: {16, true},
	ir.IntrAMDGCNUdot4: {8, false}, ir.IntrAMDGCNSdot4: {8, true},
	ir.IntrAMDGCNUdot8: {4, false}, ir.IntrAMDGCNSdot8: {4, true},
}

// parts splits the words of a value. Vectors of 16-bit elements use one word
// per element.
func parts(words []uint64, bits int, signed bool) (out []int64) {
	each := 32 / len(words)
	for _, w := range words {
		for at := 0; at < each; at += bits {
			x := w >> at & (1<<bits - 1)
			if signed {
				out = append(out, sx(x, int32(bits)))
			} else {
				out = append(out, int64(x))
			}
		}
	}
	return out
}

func emitDot(c *compiler, v ir.Value, ops []ir.Value) {
	k := dotProducts[c.f.CalledIntrinsic(v)]
	saturate, _ := c.mc.m.IntValue(c.f.Args(v)[3].Value)
	words := c.mc.layout(c.f.TypeOf(ops[0])).words
	o := c.op(v, func(l *lane, o *op) {
		a, b := parts(l.v[o.a:o.a+o.words], k.bits, k.signed), parts(l.v[o.b:o.b+o.words], k.bits, k.signed)
		sum, low, high := int64(l.v[o.c]), int64(0), int64(math.MaxUint32)
		if k.signed {
			sum, low, high = sx(l.v[o.c], 32), math.MinInt32, math.MaxInt32
		}
		mark := l.t[o.c]
		for i := range a {
			sum += a[i] * b[i]
		}
		for i := range o.words {
			mark |= l.t[o.a+i] | l.t[o.b+i]
		}
		if saturate != 0 {
			sum = max(low, min(sum, high))
		}
		l.v[o.dst], l.t[o.dst] = uint64(sum)&lowHalf, mark
	})
	o.a, o.b, o.c, o.words = c.slot(ops[0]), c.slot(ops[1]), c.slot(ops[2]), words
}

// permByte selects a byte of x:y.
func permByte(x, y, sel uint64) uint64 {
	both := x<<32 | y
	switch {
	case sel < 8:
		return both >> (8 * sel) & 255
	case sel < 12: // sign of a 16-bit half
		return -(both >> (16*(sel-8) + 15) & 1) & 255
	case sel == 12:
		return 0
	}
	return 255
}

func bitField(x, y, z uint64, signed bool) uint64 {
	off, width := y&31, z&31
	switch {
	case width == 0:
		return 0
	case off+width >= 32:
		width = 32 - off
	}
	x = x >> off & (1<<width - 1)
	if signed {
		return uint64(sx(x, int32(width)))
	}
	return x
}

// gpuWords lists operations on 32-bit words.
var gpuWords = map[ir.Intrinsic]func(x, y, z uint64) uint64{
	ir.IntrAMDGCNUbfe: func(x, y, z uint64) uint64 { return bitField(x, y, z, false) },
	ir.IntrAMDGCNSbfe: func(x, y, z uint64) uint64 { return bitField(x, y, z, true) },

	ir.IntrAMDGCNSadU8:   func(x, y, z uint64) uint64 { return sad(x, y, z, false) },
	ir.IntrAMDGCNSadHiU8: func(x, y, z uint64) uint64 { return sad(x, y, 0, false)<<16 + z },
	ir.IntrAMDGCNMsadU8:  func(x, y, z uint64) uint64 { return sad(x, y, z, true) },
	ir.IntrAMDGCNSadU16:  func(x, y, z uint64) uint64 { return absDiff(x&0xffff, y&0xffff) + absDiff(x>>16, y>>16) + z },

	ir.IntrAMDGCNLerp: func(x, y, z uint64) (r uint64) {
		a, b, c := bytesOf(x), bytesOf(y), bytesOf(z)
		for i := range a {
			r |= (a[i] + b[i] + c[i]&1) >> 1 << (8 * i)
		}
		return r
	},
	ir.IntrAMDGCNPerm: func(x, y, z uint64) (r uint64) {
		for i, s := range bytesOf(z) {
			r |= permByte(x, y, s) << (8 * i)
		}
		return r
	},
	ir.IntrAMDGCNAlignbyte: func(x, y, z uint64) uint64 { return (x<<32 | y) >> (8 * (z & 3)) },

	ir.IntrAMDGCNMulI24: func(x, y, _ uint64) uint64 { return uint64(sx(x&0xffffff, 24) * sx(y&0xffffff, 24)) },
	ir.IntrAMDGCNMulU24: func(x, y, _ uint64) uint64 { return x & 0xffffff * (y & 0xffffff) },

	ir.IntrAMDGCNTrigPreop: trigPreop,
	ir.IntrAMDGCNSffbh:     signBits,
}

// twoOverPi holds the first 1201 fractional bits of 2/π.
var twoOverPi = func() *big.Int {
	const prec = 1400
	// Machin's formula: π/4 = 4 arctan(1/5) - arctan(1/239).
	atan := func(n int64) *big.Int {
		one := new(big.Int).Lsh(big.NewInt(1), prec)
		sum, term := new(big.Int), new(big.Int).Div(one, big.NewInt(n))
		for k := int64(1); term.Sign() != 0; k += 2 {
			t := new(big.Int).Div(term, big.NewInt(k))
			if k%4 == 1 {
				sum.Add(sum, t)
			} else {
				sum.Sub(sum, t)
			}
			term.Div(term, big.NewInt(n*n))
		}
		return sum
	}
	pi := new(big.Int).Mul(atan(5), big.NewInt(4))
	pi.Sub(pi, atan(239)).Lsh(pi, 2)
	return new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1), prec+1201+1), pi)
}()

// trigPreop returns 53 bits of 2/π for argument reduction (ISA documents,
// V_TRIG_PREOP_F64).
func trigPreop(x, y, _ uint64) uint64 {
	expo := int(x >> 52 & 0x7ff)
	shift := int(y&31) * 53
	if expo > 1077 {
		shift += expo - 1077
	}
	n := new(big.Int).Lsh(twoOverPi, uint(shift))
	n.Rsh(n, 1201-53)
	n.And(n, new(big.Int).SetUint64(1<<53-1))
	scale := -53 - shift
	if expo >= 1968 {
		scale += 128
	}
	return math.Float64bits(math.Ldexp(float64(n.Uint64()), scale))
}
