package sim

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// Direct loads from LDS: the source lds_direct of vector operations before gfx11, and
// lds_direct_load.

// ldsDirectTypes lists the data types of M0[18:16] with their sizes in bytes
// and signedness. A size of 0 marks a reserved type.
var ldsDirectTypes = [8]struct {
	bytes  uint8
	signed bool
}{0: {bytes: 1}, 1: {bytes: 2}, 2: {bytes: 4}, 4: {bytes: 1, signed: true}, 5: {bytes: 2, signed: true}}

// directValue reads the value at LDS address M0[15:0]. Source: AMD's ISA documents, "LDS Direct
// Read".
func (w *wave) directValue() uint32 {
	m0 := w.m0()
	a, t := m0&0xffff, ldsDirectTypes[m0>>16&7]
	switch {
	case t.bytes == 0:
		w.fail(device.FaultIllegal, fmt.Sprintf("lds_direct: data type %d in M0 is reserved", m0>>16&7))
		return 0
	case a&3 != 0:
		w.failAt(device.FaultAlignment, withNumber("lds_direct at LDS address", uint64(a)), -1, uint64(a))
		return 0
	}
	if w.chk != nil {
		w.chk.ldsWord(w, a, uint32(t.bytes))
	}
	p, size := w.share(&dsInfo{})
	if a >= room(size, uint32(t.bytes)) {
		return 0
	}
	v := uint32(0)
	for i := range uint32(t.bytes) {
		v |= uint32(*byteAt(p, a+i)) << (8 * i)
	}
	up := 32 - 8*uint32(t.bytes)
	if t.signed {
		return uint32(int32(v<<up) >> up)
	}
	return v
}

// prepareLDSDirect prepares lds_direct_load and lds_param_load.
func prepareLDSDirect(d *Device, o *op) bool {
	if !o.bindDS() {
		return false
	}
	o.class, o.run = classLDS, runLDSDirectLoad
	if o.in.Enc.Kinds().Any(isa.KindParam) {
		o.param = &paramInfo{attr: o.in.Field(isa.FieldAttr), channel: o.in.Field(isa.FieldAttrchan)}
		o.run = runParamLoad
	}
	return true
}

// runLDSDirectLoad writes all four lanes of a quad if any of them is active.
func runLDSDirectLoad(w *wave, o *op) {
	v := w.directValue()
	d := w.register(o.dst.off, 0)
	for m := quadsOf(w.exec()) * 15; m != 0; m &= m - 1 {
		d[bits.TrailingZeros64(m)&63] = v
	}
}
