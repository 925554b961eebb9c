package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// Parameters of vertices in LDS. A pixel shader's wave finds P0 of the first
// vertex, and the differences P10 and P20 of the others to it, for each
// attribute, primitive and channel. M0 locates them: bits 15:0 are the address
// of the first attribute, and bit 16+i is set if quad i+1 begins a new
// primitive. An attribute has 12 dwords for each primitive of the wave.
// Sources: RDNA 3 ISA, "LDS Parameter Loads"; CLRX, GcnInstrsVintrp.

// paramSlot is a parameter of an attribute.
type paramSlot uint8

const (
	slotP10 paramSlot = iota // values of v_interp_mov_f32's source
	slotP20
	slotP0
	slotNone
)

// paramDwords is the number of dwords of an attribute for each primitive.
const paramDwords = 12

// paramInfo describes an instruction that reads parameters.
type paramInfo struct {
	attr, channel uint32
	pairs         bool      // P0 and P10 of a channel are neighbors, as before gfx11
	slot          paramSlot // of v_interp_mov_f32
}

// dword returns the index of a parameter in its attribute's dwords.
func (x *paramInfo) dword(s paramSlot) uint32 {
	switch {
	case s == slotP20:
		return 8 + x.channel
	case x.pairs && s == slotP10:
		return 2*x.channel + 1
	case x.pairs:
		return 2 * x.channel
	case s == slotP10:
		return 4 + x.channel
	}
	return x.channel
}

// paramAlign returns the required alignment of the address in M0.
func (x *paramInfo) paramAlign() uint32 {
	if x.pairs {
		return 4
	}
	return 128
}

// quadsOf returns the quads with active lanes, as the bits of their lanes 0.
func quadsOf(exec uint64) uint64 {
	exec |= exec >> 1
	return (exec | exec>>2) & 0x1111111111111111
}

// paramAddresses sets w.tmp[3] to the address of the attribute for each quad's
// primitive. It returns false after a fault.
func (w *wave) paramAddresses(x *paramInfo, exec uint64) bool {
	m0 := w.m0()
	at, starts := m0&0xffff, m0>>16&(1<<(w.lanes/4-1)-1)
	if exec != 0 && at&(x.paramAlign()-1) != 0 {
		w.failAt(device.FaultAlignment, withNumber("parameters at LDS address", uint64(at)), -1, uint64(at))
		return false
	}
	prims := uint32(bits.OnesCount32(starts)) + 1
	at += 4 * paramDwords * x.attr * prims
	for q := range w.lanes / 4 {
		if q > 0 && starts>>(q-1)&1 != 0 {
			at += 4 * paramDwords
		}
		w.tmp[3][q] = at
	}
	return true
}

// readParam reads a parameter for each quad with active lanes into all its
// lanes. paramAddresses must have been called.
func (w *wave) readParam(x *paramInfo, s paramSlot, exec uint64, out *[64]uint32) {
	for m := quadsOf(exec); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 60
		v := w.paramWord(w.tmp[3][l/4] + 4*x.dword(s))
		out[l], out[l+1], out[l+2], out[l+3] = v, v, v, v
	}
}

// paramWord reads a dword of LDS. It returns 0 outside the work-group's
// allocation.
func (w *wave) paramWord(at uint32) uint32 {
	if w.chk != nil {
		w.chk.ldsWord(w, at, 4)
	}
	if p := w.group.ldsAt(uint64(at), 4); p != nil {
		return load32(p)
	}
	return 0
}

// prepareParamMove prepares v_interp_mov_f32.
func prepareParamMove(o *op) bool {
	p := o.param
	p.slot = paramSlot(o.in.Field(isa.FieldSrc0))
	o.nsrc = 0
	if p.slot > slotP0 {
		p.slot = slotP0 // reserved
	}
	o.run = runParamMove
	return true
}

func runParamMove(w *wave, o *op) {
	exec := w.exec()
	if !w.paramAddresses(o.param, exec) {
		return
	}
	var v [64]uint32
	w.readParam(o.param, o.param.slot, exec, &v)
	copy(w.out[:], v[:w.lanes])
	w.finish(o, exec)
}

// runParamLoad writes P0, P10, P20 and 0 to the lanes of each quad that has an
// active lane.
func runParamLoad(w *wave, o *op) {
	exec := w.exec()
	if !w.paramAddresses(o.param, exec) {
		return
	}
	d := w.register(o.dst.off, 0)
	for m := quadsOf(exec); m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 60
		at := w.tmp[3][l/4]
		for i, s := range [...]paramSlot{slotP0, slotP10, slotP20} {
			d[l+i] = w.paramWord(at + 4*o.param.dword(s))
		}
		d[l+3] = 0
	}
}
