package sim

import (
	"unsafe"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Scalar memory instructions. Source: AMD's ISA documents, "Scalar memory
// operations".

// smemSpecials lists the scalar memory instructions that do not access memory.
var smemSpecials = lazy.Value[map[string]func(w *wave, o *op)]{Make: func() map[string]func(w *wave, o *op) {
	return map[string]func(w *wave, o *op){
		"s_memtime":                 runMemtime,
		"s_memrealtime":             func(w *wave, o *op) { w.setPair(o.mem.data, now()) },
		"s_get_waveid_in_workgroup": func(w *wave, o *op) { w.s[o.mem.data] = uint32(w.index) },
	}
}}

// prepareSMEM prepares a scalar memory instruction (SMEM, or SMRD on gfx6 and
// gfx7). Caches are not simulated.
func prepareSMEM(d *Device, o *op) bool {
	o.class = classSMEM
	in := &o.in
	switch {
	case in.Enc.Kinds().Any(isa.KindCache):
		o.run = runCacheOp
		return true
	case in.Enc.Traits().Any(isa.TraitPrefetch):
		o.run = nothing
		return true
	}
	m := &memInfo{data: sTrash, saddr: -1}
	o.mem = m
	if i := reguse.FindOperand(in, isa.FieldSdst); i != nil {
		m.data = o.scalarDst(i).off
	} else if i := reguse.FindOperand(in, isa.FieldSdata); i != nil {
		m.data = int32(in.Operand(i).Num)
	}
	if f := smemSpecials.Get()[in.Enc.Name()]; f != nil {
		o.run = f
		return true
	}
	n := in.Enc.Op().Memory()
	if n.Space == isa.NoSpace {
		return false
	}
	m.bytes, m.store, m.signed = n.Bytes, n.Access == isa.AccessStore, n.Signed
	m.low = 3
	if n.Access == isa.AccessLoad && n.Bytes < 4 {
		m.low = n.Bytes - 1
	}
	m.vaddr = int32(in.Field(isa.FieldSbase)) << 1
	m.bindScalarOffset(in)
	switch {
	case n.Access == isa.AccessAtomic:
		m.buffer = n.Space == isa.SpaceScalarBuffer
		o.run = runScalarAtomic
		ok := m.bindAtomic(in)
		m.ret = in.CPol()&isa.CPolGLC != 0 // the bit exists in both encodings
		return ok
	case n.Space == isa.SpaceScalarBuffer && !m.store:
		o.run = runScalarBufferLoad
	case n.Space == isa.SpaceScalarBuffer:
		o.run = runScalarBufferStore
	case m.store:
		o.run = runScalarStore
	default:
		o.run = runScalarLoad
	}
	if n.Space == isa.SpaceScalarScratch {
		m.segment = segScratch
	}
	return true
}

// bindScalarOffset decodes the offset: a constant, a register or both. The low
// bits of each part are ignored: two, or fewer for elements of less than a
// dword. Constants of gfx6 and gfx7 are in dwords.
func (m *memInfo) bindScalarOffset(in *isa.Inst) {
	off := in.ScalarOffset()
	switch {
	case off.Literal:
		m.far = in.Literal() << 2
	case off.Imm && in.Set.Has(isa.PropByteOffset):
		m.offset = off.Offset &^ int32(m.low)
	case off.Imm:
		m.offset = off.Offset << 2
	}
	if off.Reg && int(off.SReg) != reguse.NullCode(in.Set) {
		m.saddr = int32(off.SReg)
	}
	if in.CPol()&isa.CPolScale != 0 {
		m.scale = m.bytes
	}
}

// pair reads two scalar registers.
func (w *wave) pair(at int32) uint64 { return uint64(w.s[at]) | uint64(w.s[at+1])<<32 }

func (w *wave) setPair(at int32, v uint64) { w.s[at], w.s[at+1] = uint32(v), uint32(v>>32) }

func runMemtime(w *wave, o *op) { w.setPair(o.mem.data, cycles()) }

// scalarOffset returns the sum of the offsets.
func (w *wave) scalarOffset(m *memInfo) uint64 {
	off := uint64(int64(m.offset)) + m.far
	if m.saddr >= 0 {
		if m.segment == segScratch { // in units of 64 bytes
			return off + uint64(w.s[m.saddr])<<6
		}
		off += uint64(w.s[m.saddr]) * uint64(max(m.scale, 1)) &^ uint64(m.low)
	}
	return off
}

// scalarAddress returns the address of a scalar access, with its low bits
// cleared.
func (w *wave) scalarAddress(m *memInfo) uint64 {
	return w.pair(m.vaddr)&^uint64(m.low) + w.scalarOffset(m)
}

func runScalarLoad(w *wave, o *op) {
	m := o.mem
	addr := w.scalarAddress(m)
	w.loadScalars(m, addr, uint64(m.bytes))
}

// loadScalars loads memory into scalar registers.
func (w *wave) loadScalars(m *memInfo, addr, bytes uint64) bool {
	if w.chk != nil {
		w.chk.scalar(w, m, addr, bytes)
	}
	r := w.region(addr, bytes)
	if r == nil {
		w.badAccess("scalar load", -1, addr, bytes)
		return false
	}
	p := hostAt(r, addr)
	if bytes < 4 {
		w.s[m.data] = m.small(p)
		return true
	}
	d := w.s[m.data : m.data+int32(bytes/4)]
	if len(d) == 1 {
		d[0] = load32(p)
		return true
	}
	for i := 0; i+1 < len(d); i += 2 {
		v := load64(p)
		d[i], d[i+1] = uint32(v), uint32(v>>32)
		p = unsafe.Add(p, 8)
	}
	if n := len(d); n&1 != 0 {
		d[n-1] = load32(p)
	}
	return true
}

// small loads an element of less than a dword.
func (m *memInfo) small(p unsafe.Pointer) (v uint32) {
	switch m.bytes {
	case 1:
		m.writeSubword(&v, load8(p))
	default:
		m.writeSubword(&v, load16(p))
	}
	return v
}

func runScalarStore(w *wave, o *op) {
	m := o.mem
	w.storeScalars(m, w.scalarAddress(m), int32(m.bytes)/4)
}

// storeScalars stores n scalar registers.
func (w *wave) storeScalars(m *memInfo, addr uint64, n int32) {
	if n == 0 {
		return
	}
	if w.chk != nil {
		w.chk.scalar(w, m, addr, uint64(n)*4)
	}
	r := w.region(addr, uint64(n)*4)
	if r == nil {
		w.badAccess("scalar store", -1, addr, uint64(n)*4)
		return
	}
	p := hostAt(r, addr)
	for i := int32(0); i < n; i++ {
		store32(unsafe.Add(p, i*4), w.s[m.data+i])
	}
	fence(&w.counts.word)
}

// scalarBuffer returns the address of an access through a buffer resource and
// the number of its dwords that are in range.
func (w *wave) scalarBuffer(m *memInfo) (addr uint64, dwords uint64) {
	r := (*[4]uint32)(w.s[m.vaddr&^3:])
	base, size, stride := uint64(r[0])|uint64(r[1]&0xffff)<<32, uint64(r[2]), uint64(r[1]>>16&0x3fff)
	if w.dev.set.Has(isa.PropRsrcLarge) {
		base, size, stride = largeBase(r), largeSize(r), uint64(r[3]>>largeStride&0x3fff)
	}
	if stride != 0 && w.dev.set.Gen() != isa.Gen8 {
		size *= stride
	}
	off := w.scalarOffset(m)
	switch {
	case off >= size:
	case m.bytes >= 4:
		dwords = min((size-off)/4, uint64(m.bytes/4))
	case size-off >= uint64(m.bytes):
		dwords = 1
	}
	return base&^uint64(m.low) + off, dwords
}

func runScalarBufferLoad(w *wave, o *op) {
	m := o.mem
	addr, n := w.scalarBuffer(m)
	dwords := max(m.bytes/4, 1)
	if n == uint64(dwords) {
		w.loadScalars(m, addr, uint64(m.bytes))
		return
	}
	d := w.s[m.data : m.data+int32(dwords)]
	clear(d[n:])
	if w.chk != nil && n > 0 {
		w.chk.scalar(w, m, addr, n*4)
	}
	for i := range d[:n] {
		r := w.region(addr+uint64(i)*4, 4)
		if r == nil {
			w.badAccess("scalar load", -1, addr+uint64(i)*4, 4)
			return
		}
		d[i] = load32(hostAt(r, addr+uint64(i)*4))
	}
}

func runScalarBufferStore(w *wave, o *op) {
	addr, n := w.scalarBuffer(o.mem)
	w.storeScalars(o.mem, addr, int32(n))
}

// runScalarAtomic executes an atomic whose result replaces its data registers.
func runScalarAtomic(w *wave, o *op) {
	m := o.mem
	addr := w.scalarAddress(m)
	d := w.s[m.data:][:4]
	if m.buffer {
		var n uint64
		if addr, n = w.scalarBuffer(m); n < uint64(m.bytes/4) {
			if m.ret {
				clear(d[:m.bytes/4])
			}
			return
		}
	}
	size := uint64(m.bytes)
	if w.chk != nil {
		w.chk.scalar(w, m, addr, size)
	}
	r := w.region(addr, size)
	switch {
	case r == nil:
		w.badAccess("scalar atomic", -1, addr, size)
		return
	case addr&(size-1) != 0:
		w.misaligned(m, -1, addr)
		return
	}
	w.mem.ctx = sem.Ctx{Mode: w.memoryMode(m), Set: w.ctx.Set}
	data, data2 := m.atomicData(d, 0, 1)
	old := w.rmw(m, hostAt(r, addr), data, data2)
	if m.ret {
		d[0] = uint32(old)
		if size == 8 {
			d[1] = uint32(old >> 32)
		}
	}
}
