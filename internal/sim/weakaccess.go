package sim

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/weakmem"
	"github.com/gfx-toolchain/gfx/isa"
)

// weakPart is an access of a weak operation: one element per lane, or a number
// of scalar registers.
type weakPart struct {
	m     *memInfo
	lanes uint64
	to    int32       // index in wave.v, or in wave.s for scalar loads
	first int         // index in weakOp.reqs of the first request
	low   [64]uint8   // offset of each lane's element in its line
	req   [64]uint16  // its request
	next  [64]uint16  // the request of the following line, if it contains part of the element
	rmw   *weakModify // of an atomic
	words int32       // of a scalar load
	whole bool        // all elements are aligned dwords
}

// weakModify holds the operands and results of an atomic.
type weakModify struct {
	wave *wave
	part *weakPart
	ctx  sem.Ctx
	data [2][64]uint64
	old  [64]uint64
}

// weakDwords holds a load and a store of one dword.
var weakDwords = [2]memInfo{{bytes: 4, weak: true, access: weakAccess}, {bytes: 4, weak: true, store: true, access: weakAccess}}

// lineAt returns the memory of a line.
func lineAt(r *device.Region, line uint64) *weakmem.Line {
	return (*weakmem.Line)(hostAt(r, line))
}

// request returns the index of the request for a line, and makes it if the
// access has none.
func (x *weakWave) request(t *weakPart, line uint64, r *device.Region, k weakmem.Kind) uint16 {
	slot := &x.slots[line/weakmem.LineSize%64]
	if slot.access == x.access && slot.line == line {
		return slot.req
	}
	p := x.cur
	if slot.access == x.access { // another line uses the slot
		for i := t.first; i < len(p.reqs); i++ {
			if p.reqs[i].Line == line {
				return uint16(i)
			}
		}
	}
	q := x.sched.newRequest()
	q.Line, q.Memory, q.Kind, q.Policy, q.Op = line, lineAt(r, line), k, p.facts.policy[k], &p.Operation
	if r.FineGrained {
		q.Policy = x.sched.rules.Fine(q.Policy)
	}
	p.Left++
	p.reqs = append(p.reqs, q)
	*slot = weakSlot{line, x.access, uint16(len(p.reqs) - 1)}
	return slot.req
}

// newPart adds an access to the instruction that is being issued.
func (x *weakWave) newPart(m *memInfo, lanes uint64) *weakPart {
	t := x.sched.newPart()
	t.m, t.lanes, t.first, t.rmw, t.words = m, lanes, len(x.cur.reqs), nil, 0
	x.access++
	x.cur.parts = append(x.cur.parts, t)
	return t
}

// weakAccess loads or stores one element per lane at the addresses in
// w.mem.addr. Loads to other places than registers are performed at once.
func weakAccess(w *wave, m *memInfo, lanes uint64, d []uint32) {
	x, kind := w.weak, weakmem.Kind(m.direction())
	t := x.newPart(m, lanes)
	size := uint64(m.bytes)
	mask := uint64(1)<<size - 1
	var r *device.Region
	var base, room uint64 // of r
	var q *weakmem.Request
	last, index, odd := ^uint64(0), uint16(0), uint64(0) // line and index of q
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		addr := w.mem.addr[l]
		if r == nil || addr-base > room {
			if r = w.region(addr, size); r == nil {
				w.badAccess(m.verb(), l, addr, size)
				return
			}
			base, room = r.Addr, uint64(len(r.Pages()))-size
		}
		line, low := addr&^(weakmem.LineSize-1), addr&(weakmem.LineSize-1)
		if line != last {
			last, index = line, x.request(t, line, r, kind)
			q = x.cur.reqs[index]
		}
		t.low[l], t.req[l] = uint8(low), index
		odd |= low
		q.Mask |= mask << low
		if low+size > weakmem.LineSize {
			t.next[l] = x.request(t, line+weakmem.LineSize, r, kind)
			n := x.cur.reqs[t.next[l]]
			n.Mask |= mask >> (weakmem.LineSize - low)
			if m.store {
				var b [16]byte
				m.pack(&b, d, l, w.lanes)
				k := copy(q.Data[low:], b[:size])
				copy(n.Data[:], b[k:size])
			}
			continue
		}
		if m.store {
			m.save(unsafe.Pointer(&q.Data[low]), d[l:], w.lanes)
		}
	}
	x.send(t)
	t.whole = odd&3 == 0
	if m.store {
		x.dropPart()
		return
	}
	if at := (uintptr(unsafe.Pointer(&d[0])) - uintptr(unsafe.Pointer(w.v))) / 4; at < uintptr(len(w.v)) {
		t.to = int32(at)
		return
	}
	x.finish(t)
	t.load(w, x.cur, d)
	x.dropPart()
}

// dropPart removes the last access, which has no results to write later.
func (x *weakWave) dropPart() {
	last := len(x.cur.parts) - 1
	x.sched.freePart(x.cur.parts[last])
	x.cur.parts = x.cur.parts[:last]
}

// send issues the requests of an access.
func (x *weakWave) send(t *weakPart) {
	for _, q := range x.cur.reqs[t.first:] {
		x.sched.mem.IssueVector(x.cu, q)
	}
}

// finish performs the requests of an access at once.
func (x *weakWave) finish(t *weakPart) {
	for _, q := range x.cur.reqs[t.first:] {
		x.sched.mem.Finish(q)
	}
}

// write writes the results of an access to registers.
func (t *weakPart) write(w *wave, p *weakOp) {
	switch {
	case t.words > 0:
		t.loadScalars(w, p)
	case t.rmw != nil:
		for rest := t.lanes; t.m.ret && rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest) & 63
			w.setOld(t.m, l, t.rmw.old[l])
		}
	default:
		t.load(w, p, w.v[t.to:])
	}
}

// load moves the data of a load to registers at d.
func (t *weakPart) load(w *wave, p *weakOp, d []uint32) {
	m := t.m
	size := int(m.bytes)
	if size == 4 && t.whole {
		t.loadDwords(p, d)
		return
	}
	for rest := t.lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		low, q := int(t.low[l]), p.reqs[t.req[l]]
		if low+size <= weakmem.LineSize {
			m.load(unsafe.Pointer(&q.Data[low&(weakmem.LineSize-1)]), d[l:], w.lanes)
			continue
		}
		var b [16]byte
		k := copy(b[:size], q.Data[low:])
		copy(b[k:size], p.reqs[t.next[l]].Data[:])
		m.unpack(&b, d, l, w.lanes)
	}
}

// loadDwords is load for dwords that are within lines.
func (t *weakPart) loadDwords(p *weakOp, d []uint32) {
	to := (*[64]uint32)(d)
	var q *weakmem.Request
	last := ^uint16(0)
	for rest := t.lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		if t.req[l] != last {
			last = t.req[l]
			q = p.reqs[last]
		}
		to[l] = binary.LittleEndian.Uint32(q.Data[t.low[l]&(weakmem.LineSize-4):])
	}
}

// weakAtomics issues an atomic for each lane at its address in w.mem.addr.
func weakAtomics(w *wave, m *memInfo, lanes uint64, d []uint32) {
	x := w.weak
	t := x.newPart(m, lanes)
	t.rmw = x.sched.newModify()
	t.rmw.wave, t.rmw.part, t.rmw.ctx = w, t, sem.Ctx{Mode: w.memoryMode(m), Set: w.ctx.Set}
	size := uint64(m.bytes)
	var r *device.Region
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		addr := w.mem.addr[l]
		if r == nil || addr-r.Addr > uint64(len(r.Pages()))-size {
			if r = w.region(addr, size); r == nil {
				w.badAccess("atomic", l, addr, size)
				return
			}
		}
		if addr&(size-1) != 0 {
			w.misaligned(m, l, addr)
			return
		}
		low := addr & (weakmem.LineSize - 1)
		t.low[l] = uint8(low)
		q := x.cur.reqs[x.request(t, addr-low, r, weakmem.Modify)]
		q.Lanes |= 1 << l
		q.Mask |= (1<<size - 1) << low
		q.Modify = t.rmw
		t.rmw.data[0][l], t.rmw.data[1][l] = m.atomicData(d, l, w.lanes)
	}
	x.send(t)
}

// ModifyLine performs the atomics of a line's lanes.
func (a *weakModify) ModifyLine(r *weakmem.Request, line *weakmem.Line, _ bool) uint64 {
	w, m := a.wave, a.part.m
	w.mem.ctx = a.ctx
	for rest := r.Lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		a.old[l] = w.rmw(m, unsafe.Pointer(&line[a.part.low[l]&(weakmem.LineSize-1)]), a.data[0][l], a.data[1][l])
	}
	return r.Mask
}

// bindWeakScalar selects how a scalar memory instruction accesses memory. Loads
// have requests.
func (o *op) bindWeakScalar() {
	n := o.in.Enc.Op().Memory()
	switch {
	case o.in.Enc.Kinds().Any(isa.KindCache):
	case n.Space == isa.NoSpace:
		o.findResults()
	case n.Access == isa.AccessLoad && n.Space == isa.SpaceScalarBuffer:
		o.weak.run = runWeakBufferLoad
	case n.Access == isa.AccessLoad:
		o.weak.run = runWeakScalarLoad
	default:
		o.weak.direct = true
		o.findResults()
	}
}

func runWeakScalarLoad(w *wave, o *op) {
	m := o.mem
	w.weakScalars(m, w.scalarAddress(m), uint64(m.bytes))
}

func runWeakBufferLoad(w *wave, o *op) {
	m := o.mem
	addr, n := w.scalarBuffer(m)
	dwords := max(m.bytes/4, 1)
	bytes := uint64(m.bytes)
	if n < uint64(dwords) {
		bytes = n * 4
	}
	w.weakScalars(m, addr, bytes)
}

// weakScalars issues the load of scalar registers. Those past the given number
// of bytes become 0.
func (w *wave) weakScalars(m *memInfo, addr, size uint64) {
	x := w.weak
	if w.chk != nil && size > 0 {
		w.chk.scalar(w, m, addr, size)
	}
	t := x.newPart(m, 0)
	t.to, t.words, t.low[0] = m.data, max(int32(m.bytes)/4, 1), uint8(addr&(weakmem.LineSize-1))
	for at := addr; at < addr+size; at += 4 {
		part := min(4, size)
		r := w.region(at, part)
		if r == nil {
			w.badAccess("scalar load", -1, at, part)
			return
		}
		low := at & (weakmem.LineSize - 1)
		q := x.cur.reqs[x.request(t, at-low, r, weakmem.Load)]
		q.Mask |= (1<<part - 1) << low
	}
	t.lanes = size
	for _, q := range x.cur.reqs[t.first:] {
		q.Constant = w.isArgument(addr, size)
		x.sched.mem.IssueScalar(x.cu, q)
	}
}

// loadScalars writes the result of a scalar load, whose number of bytes is in
// t.lanes.
func (t *weakPart) loadScalars(w *wave, p *weakOp) {
	d, low, left := w.s[t.to:][:t.words], uint64(t.low[0]), int(t.lanes)
	clear(d)
	for i, q := range p.reqs[t.first:] {
		if i > 0 {
			low = 0
		}
		for ; low < weakmem.LineSize && left > 0; low, left = low+4, left-4 {
			v := unsafe.Pointer(&q.Data[low])
			if t.m.bytes < 4 {
				d[0] = t.m.small(v)
			} else {
				d[0] = load32(v)
			}
			d = d[1:]
		}
	}
}
