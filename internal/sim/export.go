package sim

import (
	"math/bits"
	"sync"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Exports. They read VGPRs of the active lanes and change nothing in the wave.
// An export with an empty EXEC executes, too: a pixel shader's last export
// reports a mask without pixels.

// exportInfo describes an export instruction.
type exportInfo struct {
	device.Export          // the properties that the instruction determines
	from          [4]int32 // indices in wave.v of the components' lane 0
	shift         [4]uint8 // 16 for a component in the high half
}

// exportState holds the record that a launch passes to the device's sink.
type exportState struct {
	mu     sync.Mutex
	record device.Export
}

// prepareExport prepares exp.
func prepareExport(d *Device, o *op) bool {
	in := &o.in
	flag := func(f isa.Field) bool { return in.HasField(f) && in.Field(f) != 0 }
	x := &exportInfo{}
	x.Target, x.Enabled = uint8(in.Field(isa.FieldTgt)), uint8(in.Field(isa.FieldEn))
	x.Name = string(isa.AppendExpTarget(nil, in.Set, uint32(x.Target)))
	x.Compressed, x.Done, x.ValidMask, x.HasRow = flag(isa.FieldCompr), flag(isa.FieldDone), flag(isa.FieldVm), flag(isa.FieldRowEn)
	sources := [4]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc3}
	for i, f := range sources {
		if x.Compressed {
			f, x.shift[i] = sources[i/2], uint8(i%2*16)
		}
		x.from[i] = int32(in.Field(f)) * int32(in.Wave)
	}
	o.class, o.export, o.run = classOther, x, runExport
	return true
}

// runExport passes an export to the device's sink.
func runExport(w *wave, o *op) {
	sink := w.dev.opts.Export
	w.exports++
	if sink == nil {
		return
	}
	l := w.group.launch
	l.export.mu.Lock()
	defer l.export.mu.Unlock()
	r := &l.export.record
	*r = o.export.Export
	r.Dispatch, r.Group, r.Wave, r.Index = l.disp.ID, w.group.id, w.index, w.exports-1
	r.PC, r.Lanes, r.Exec = w.address(w.at), w.lanes, w.exec()
	if r.HasRow {
		r.Row = w.m0()
	}
	for i := range r.Data {
		if r.Enabled>>i&1 != 0 {
			w.exportComponent(o.export, i, r)
		}
	}
	sink(r)
}

// exportComponent copies a component of the active lanes.
func (w *wave) exportComponent(x *exportInfo, i int, r *device.Export) {
	v := w.register(x.from[i], 0)
	mask := ^uint32(0)
	if x.Compressed {
		mask = 0xffff
	}
	for m := r.Exec; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		r.Data[i][l] = v[l] >> x.shift[i] & mask
	}
}

// exported reports undefined values that an instruction exports.
func (c *initCheck) exported(w *wave, uses []reguse.Use) {
	m0 := reguse.Scalar + reguse.Reg(reguse.M0Code(w.dev.set))
	for i := range uses {
		u := &uses[i]
		if u.Role != reguse.RoleData && u.First != m0 {
			continue
		}
		if lane, ok := c.undefined(u.First, w.exec()); ok {
			what := "the exported value"
			if u.First == m0 {
				what = "the row of the export"
			}
			c.found(w, u.First, lane, 0, what)
			c.define(u.First, w.all, ^uint32(0))
		}
	}
}
