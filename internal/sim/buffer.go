package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/isa"
)

// MUBUF and MTBUF instructions. Source: AMD's ISA documents, "Vector memory
// buffer instructions".

// bufferInfo holds the additional operands of a buffer instruction.
type bufferInfo struct {
	rsrc      int32   // index of the resource descriptor in wave.s
	soff      operand // scalar offset
	index     int32   // position in wave.v of the VGPR with the index; negative if absent
	off       int32   // position in wave.v of the VGPR with the offset; negative if absent
	large     bool    // the resource has 57-bit addresses
	mask      uint64  // bits of an address
	addr64    bool    // a pair of VGPRs is added to the resource's base, without a range check
	rules     bufferRules
	format    bool // the access converts data
	unaligned bool // the hardware accepts unaligned addresses
	formats   *image.Formats
	typed     *image.Format
	comps     uint8 // components of a converted access
	packed    bool  // two 16-bit components per register
	regs      uint8 // number of data registers
}

// prepareBuffer prepares a MUBUF or MTBUF instruction.
func prepareBuffer(d *Device, o *op) bool {
	o.class = classVMEM
	in := &o.in
	if in.Enc.Kinds().Any(isa.KindCache) {
		o.run = runCacheOp
		return true
	}
	n := in.Enc.Op().Memory()
	if n.Space == isa.NoSpace {
		return false
	}
	m := d.newMemInfo(&n, in)
	o.mem, o.class = m, m.class()
	if n.Access == isa.AccessAtomic && !m.bindAtomic(in) || !o.bindMemData() || !o.bindBuffer(d) {
		return false
	}
	b := m.buf
	m.tfe = in.Field(isa.FieldTfe) != 0 && !m.store && !m.lds
	o.run, m.slow = runGlobal, bufferLanes
	switch {
	case n.Format:
		o.bindFormat(d, &n)
		m.slow = formatLanes
	case m.atomic != nil, m.lds, m.tfe:
	case b.addr64 && m.low != 0:
	case b.addr64:
		o.chooseGlobal()
	case b.index < 0:
		o.run = runBuffer
		if m.low == 0 {
			m.chooseMover()
		}
	}
	return true
}

// bindBuffer binds the address operands.
func (o *op) bindBuffer(d *Device) bool {
	in, m := &o.in, o.mem
	b := &bufferInfo{rsrc: int32(in.BufferResource() &^ 3), index: -1, off: -1, rules: rulesOf(in.Set), regs: max(m.bytes/4, 1), mask: 1<<48 - 1}
	if b.large = in.Set.Has(isa.PropRsrcLarge); b.large {
		b.mask = largeAddress
	}
	m.buf = b
	m.offset = in.BufferOffset()
	p := &isa.OperandInfo{Field: isa.FieldSoffset, Class: isa.ClassS1, Type: isa.I32}
	soff, ok := o.operandOf(in, p, in.Operand(p), 0)
	if !ok || soff.kind != inScalar && soff.kind != inConst {
		return false
	}
	b.soff = soff
	b.unaligned = in.Set.Has(isa.PropBufferUnaligned)
	if !b.unaligned && m.atomic == nil && m.bytes > 0 {
		m.low = min(m.bytes, 4) - 1
	}
	v := int32(in.AddressVGPR()) * int32(in.Wave)
	if in.Field(isa.FieldIdxen) != 0 {
		b.index = v
		v += int32(in.Wave)
	}
	if in.Field(isa.FieldOffen) != 0 {
		b.off = v
	}
	if b.addr64 = in.Field(isa.FieldAddr64) != 0; b.addr64 {
		m.vaddr, m.vdwords = v, 2
	}
	return true
}

// runBuffer executes a load or store without format conversion or index.
func runBuffer(w *wave, o *op) {
	exec := w.exec()
	if exec == 0 {
		return
	}
	m := o.mem
	if w.privateLanes(m, exec) {
		return
	}
	if w.chk == nil && w.linearLanes(m, exec) {
		return
	}
	m.slow(w, m, exec)
}

// linearLanes executes an unindexed access to a linear buffer. It returns false
// if the access is of another kind or partly out of range.
func (w *wave) linearLanes(m *memInfo, lanes uint64) bool {
	r := w.resource(m)
	if r.element != 0 || r.tid || r.base >= 1<<48-1<<32 {
		return false
	}
	end := r.end(uint32(min(m.bytes, 4)))
	if m.buf.off >= 0 && m.quick() {
		return w.linearQuick(m, &r, end, lanes)
	}
	list := w.laneList(lanes)
	imm, far := uint32(m.offset), uint32(m.offset)
	a := &w.mem.addr
	if m.buf.off < 0 {
		for _, l := range list {
			a[l&63] = (r.base + uint64(imm)) &^ uint64(m.low)
		}
	} else {
		v := w.register(m.buf.off, 0)
		far = 0
		for _, l := range list {
			off := v[l&63] + imm
			far = max(far, off)
			a[l&63] = (r.base + uint64(off)) &^ uint64(m.low)
		}
	}
	if uint64(far)+uint64(m.bytes) > end {
		return false
	}
	m.access(w, m, lanes, w.lanesAt(m.data))
	return true
}

// linearQuick implements linearLanes for offsets in VGPRs. An access that is
// out of range or outside the first lane's region takes the slow path.
func (w *wave) linearQuick(m *memInfo, r *resource, end uint64, lanes uint64) bool {
	imm := uint64(uint32(m.offset))
	lo := &w.v[m.buf.off]
	addr := r.base + imm
	reg := w.region(addr+uint64(*lane(lo, bits.TrailingZeros64(lanes)&63)), uint64(m.bytes))
	if reg == nil || end < uint64(m.bytes) || r.base < reg.Addr || len(reg.Pages()) > quickLimit {
		return false
	}
	limit := min(uint64(len(reg.Pages())), r.base-reg.Addr+end) - uint64(m.bytes)
	host := unsafe.Pointer(unsafe.SliceData(reg.Pages()))
	left := lanes
	switch {
	case m.mover != nil:
		left = m.mover(&w.v[m.data], lo, &zeros[0], lanes, w.lanes, reg.Addr-addr, limit, host)
	case lanes == w.all:
		done := m.wide(&w.v[m.data], lo, &zeros[0], w.lanes, reg.Addr-addr, limit, host)
		left = lanes >> done << done
	}
	if left != 0 {
		m.slow(w, m, left)
	}
	return true
}

// bufferLanes executes an access without format conversion.
func bufferLanes(w *wave, m *memInfo, lanes uint64) {
	r := w.resource(m)
	n, size := 1, uint32(m.bytes)
	if m.atomic == nil && m.bytes > 4 {
		n, size = int(m.bytes)/4, 4
	}
	d := w.lanesAt(m.data)
	if m.lds {
		d = w.mem.stage[:]
		if m.store {
			w.ldsToStage(m, lanes)
		}
	}
	whole := w.bufferMove(m, &r, lanes, n, size, d)
	switch {
	case w.fault != nil:
	case m.lds && !m.store:
		w.stageToLDS(m, lanes, whole)
	case m.tfe:
		w.clearStatus(m, lanes)
	}
}

// clearStatus clears the TFE status in the register after the data. An access
// to an unmapped page would have faulted, so the status is always 0.
func (w *wave) clearStatus(m *memInfo, lanes uint64) {
	d := w.register(m.data, int(m.buf.regs))
	for ; lanes != 0; lanes &= lanes - 1 {
		d[bits.TrailingZeros64(lanes)&63] = 0
	}
}

// bufferMove transfers n parts of size bytes per lane between memory and the
// registers at d. Each part is range-checked separately. It returns the lanes
// whose parts are all in range.
func (w *wave) bufferMove(m *memInfo, r *resource, lanes uint64, n int, size uint32, d []uint32) (whole uint64) {
	whole, some := w.bufferAddresses(m, r, lanes, n, size)
	if r.element != 0 && m.bytes > 4 && m.atomic == nil {
		w.swizzledMove(m, r, lanes, d)
		return whole
	}
	if w.chk != nil {
		w.chk.buffer(w, m, whole, some, n)
	}
	if out := lanes &^ whole; out != 0 && !m.store {
		w.clearOutside(m, out, n, d)
	}
	if whole != 0 {
		m.access(w, m, whole, d)
	}
	if some &^= whole; some == 0 || n == 1 {
		return whole
	}
	part := m.part()
	for i := range n {
		in := uint64(0)
		for rest := some; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest) & 63
			if int(w.mem.room[l]) > i {
				in |= 1 << l
			}
		}
		if in != 0 {
			part.access(w, part, in, d[i*w.lanes:])
		}
		for l := range w.mem.addr {
			w.mem.addr[l] += 4
		}
	}
	return whole
}

// clearOutside writes zeros to the result registers of out-of-range parts.
func (w *wave) clearOutside(m *memInfo, lanes uint64, n int, d []uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		l := bits.TrailingZeros64(lanes) & 63
		switch {
		case m.atomic != nil:
			w.setOld(m, l, 0)
		case m.bytes < 4:
			m.writeSubword(&d[l], 0)
		default:
			for i := int(w.mem.room[l]) * int(m.bytes) / (4 * n); i < int(m.bytes)/4; i++ {
				d[i*w.lanes+l] = 0
			}
		}
	}
}

// swizzledMove transfers data to or from a swizzled buffer, one dword at a
// time.
func (w *wave) swizzledMove(m *memInfo, r *resource, lanes uint64, d []uint32) {
	part := m.part()
	for i := range int(m.bytes) / 4 {
		in := uint64(0)
		for rest := lanes; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest) & 63
			index, off := w.mem.index[l], w.mem.off[l]+uint32(i)*4
			at := r.byteOffset(index, off)
			w.mem.addr[l] = w.aligned(m, r.base+at)
			switch {
			case m.buf.format && w.mem.room[l] > 0 || !m.buf.format && r.room(m.buf, r.checked(index, l), off, at, 1, 4) > 0:
				in |= 1 << l
			case !m.store:
				d[i*w.lanes+l] = 0
			}
		}
		if w.chk != nil {
			w.chk.piece(w, m, in, i)
		}
		if in != 0 {
			part.access(w, part, in, d[i*w.lanes:])
		}
	}
}

// privateBuffer caches the resource descriptor of the wave's scratch memory.
type privateBuffer struct {
	rsrc  [4]uint32
	known bool
}

// privateLanes executes an access to the wave's own scratch memory through its
// private segment buffer. It returns false for any other resource. The code may
// have added the wave's offset to the resource's base. A stack pointer in the
// scalar offset applies to all lanes together.
func (w *wave) privateLanes(m *memInfo, exec uint64) bool {
	p := &w.mem.priv
	if !p.known {
		p.rsrc, p.known = w.group.launch.scratchResource(), true
	}
	b := m.buf
	s := (*[4]uint32)(w.s[b.rsrc:])
	if s[3] != p.rsrc[3] || s[2] != p.rsrc[2] || (s[1]^p.rsrc[1])>>16 != 0 || p.rsrc[3] == 0 {
		return false
	}
	base := uint64(s[0]) | uint64(s[1]&0xffff)<<32 + uint64(uint32(w.scalar(&b.soff))) - w.scratch.base
	lanes := uint64(w.lanes)
	if base&(lanes*4-1) != 0 || base > uint64(w.scratch.size)*lanes {
		return false
	}
	first := uint32(base / lanes)
	if b.off < 0 {
		off := first + uint32(m.offset)
		if exec == w.all && w.chk == nil && w.scratchLine(m, off, w.scratch.base) {
			return true
		}
		for l := range w.mem.off {
			w.mem.off[l] = off
		}
	} else {
		v := w.register(b.off, 0)
		for l := range w.lanes {
			off := uint64(v[l&63]+uint32(m.offset)) + uint64(first)
			w.mem.off[l&63] = uint32(min(off, 1<<32-1))
		}
	}
	w.scratchLanes(m, exec, w.scratch.base)
	return true
}
