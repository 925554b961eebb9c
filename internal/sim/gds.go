package sim

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/gfx-toolchain/gfx/isa"
)

// globalState holds a dispatch's GDS and GWS state other than memory.
// launch.gdsMu guards it.
type globalState struct {
	sync  [numGWS]gwsResource
	regs  [16]uint64 // registers of ds_add_gs_reg_rtn and gfx11's ds_ordered_count
	order orderState
	// version counts the completed GDS and GWS instructions. idle holds, per
	// worker, one plus the version at which all its groups were waiting for
	// others.
	version atomic.Uint64
	idle    []atomic.Uint64
}

// runGDS executes an instruction on GDS or GWS, which all work-groups of the
// dispatch share. Since gfx11 only the first active lane participates.
func runGDS(w *wave, o *op) {
	l := w.group.launch
	l.gdsMu.Lock()
	defer l.gdsMu.Unlock()
	exec := w.exec()
	if o.ds.single && exec&(exec-1) != 0 {
		w.setMask(sExec, exec&-exec)
		defer w.setMask(sExec, exec)
	}
	o.ds.run(w, o)
	if w.stop != parked {
		l.global.version.Add(1)
	}
}

// gdsMemory returns the GDS memory, allocating it on first use.
func (l *launch) gdsMemory() []byte {
	if l.gds == nil {
		l.gds = make([]byte, maxGDS)
		copy(l.gds, l.disp.GDS)
	}
	return l.gds
}

// globalShare returns the part of GDS selected by M0: base in the high half,
// size in the low half.
func (w *wave) globalShare() (p unsafe.Pointer, size uint32) {
	gds := w.group.launch.gdsMemory()
	base := w.m0() >> 16
	size = min(w.m0()&0xffff, uint32(len(gds))-base)
	return unsafe.Pointer(&gds[base]), size
}

// prepareAppend prepares ds_append and ds_consume, which add the number of
// active lanes to a counter or subtract it.
func prepareAppend(run func(w *wave, o *op)) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.kind, x.bytes, x.uniform, x.rtn = dsAtomic, 4, true, true
		x.single, x.m0 = false, false // all lanes count; M0 holds the address
		x.run = run
		return true
	}
}

func runAppend(w *wave, o *op) {
	n := bits.OnesCount64(w.exec())
	w.count(o, func(old uint32) uint32 { return old + uint32(n) })
}

func runConsume(w *wave, o *op) {
	n := bits.OnesCount64(w.exec())
	w.count(o, func(old uint32) uint32 { return old - uint32(n) })
}

// uniformAddress returns the address of an instruction without an address VGPR.
// It is M0's low half plus the offset for LDS, and the offset for GDS, whose
// base M0 also specifies.
func (w *wave) uniformAddress(x *dsInfo) uint32 {
	if x.gds {
		return x.off[0]
	}
	return w.m0()&0xffff + x.off[0]
}

// count replaces a dword by f of its value and writes the old value to all
// lanes.
func (w *wave) count(o *op, f func(old uint32) uint32) {
	x := o.ds
	p, size := w.share(x)
	a := w.uniformAddress(x)
	if a&3 != 0 {
		w.misalignedLDS(o, -1, a)
		return
	}
	old := uint32(0)
	if a < room(size, 4) {
		q := dword(p, a)
		old = *q
		*q = f(old)
	}
	w.spreadResult(o, 0, old)
}

// spreadResult writes v to register i of the destination in all active lanes.
func (w *wave) spreadResult(o *op, i int, v uint32) {
	d := w.register(o.dst.off, i)
	for m := w.exec(); m != 0; m &= m - 1 {
		d[bits.TrailingZeros64(m)&63] = v
	}
}

// firstLane returns the first active lane, or 0 if no lane is active.
func (w *wave) firstLane() int {
	return bits.TrailingZeros64(w.exec()) & 63 % w.lanes
}

// prepareGSReg prepares ds_add_gs_reg_rtn and ds_sub_gs_reg_rtn (gfx11).
// Registers 0 to 7 have 32 bits, 8 to 15 have 64.
func prepareGSReg(sub bool) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.run = runAddGSReg
		if sub {
			x.run = runSubGSReg
		}
		return true
	}
}

func runAddGSReg(w *wave, o *op) { w.addGSReg(o, uint64(w.register(o.src[1].off, 0)[w.firstLane()])) }

func runSubGSReg(w *wave, o *op) {
	w.addGSReg(o, -uint64(w.register(o.src[1].off, 0)[w.firstLane()]))
}

func (w *wave) addGSReg(o *op, v uint64) {
	if w.exec() == 0 {
		return
	}
	i := o.ds.off[0] >> 2 & 15
	r := &w.group.launch.global.regs[i]
	w.spreadResult(o, 0, uint32(*r))
	if i >= 8 {
		w.spreadResult(o, 1, uint32(*r>>32))
		*r += v
		return
	}
	*r = uint64(uint32(*r + v))
}

// orderState is the progress of ds_ordered_count. Waves proceed in the order of
// the IDs in M0.
type orderState struct {
	next [64]uint32     // by counter: number of the wave that may proceed; the low bits are its ID
	done map[uint32]int // how many waves of an ID have signaled completion
}

// orderedInfo is the decoded offset field of ds_ordered_count.
type orderedInfo struct {
	index         uint32 // counter number
	swap          bool   // swap instead of add
	release, done bool
	dwords        int
	idBits        uint32
	regs          bool // the counters are in registers (gfx11)
}

// prepareOrdered prepares ds_ordered_count. Sources: LLVM, SIISelLowering.cpp,
// amdgcn_ds_ordered_add; RDNA 3 ISA, "Ordered Count".
func prepareOrdered(o *op, x *dsInfo) bool {
	off := x.off[0]
	r := &orderedInfo{index: off >> 2 & 63, release: off>>8&1 != 0, done: off>>9&1 != 0, dwords: 1, idBits: 16}
	if o.in.Set.Gen() == isa.Gen10 {
		r.dwords = int(off>>14&3) + 1
	}
	if o.in.Set.Has(isa.PropGdsSingle) {
		r.idBits, r.regs = 13, true
		r.index &= 15
	}
	r.swap = off>>12&3 == 1
	x.kind, x.bytes, x.order = dsAtomic, 4, r
	x.run = runOrdered
	return off>>12&3 < 2 // 2 is reserved; 3, wrap, uses limit registers that no program sets
}

func runOrdered(w *wave, o *op) {
	r := o.ds.order
	s := &w.group.launch.global.order
	id := w.m0() & (1<<r.idBits - 1)
	next := &s.next[r.index]
	for s.done[*next&(1<<r.idBits-1)] > int(*next>>r.idBits) {
		*next++
	}
	if *next&(1<<r.idBits-1) != id {
		w.repeat(o)
		return
	}
	w.countOrdered(o, r)
	if r.release || r.done {
		*next++
	}
	if r.done {
		if s.done == nil {
			s.done = map[uint32]int{}
		}
		s.done[id]++
	}
}

// countOrdered adds the first lanes' values to counters, or swaps them. Before
// gfx11 all lanes receive the one old value.
func (w *wave) countOrdered(o *op, r *orderedInfo) {
	src, d := w.register(o.src[0].off, 0), w.register(o.dst.off, 0)
	exec := w.exec()
	n := 0
	for m := exec; m != 0 && n < r.dwords; m &= m - 1 {
		l := bits.TrailingZeros64(m) & 63
		d[l] = w.orderedOp(r, n, src[l])
		n++
	}
	if r.dwords == 1 && exec != 0 {
		w.spreadResult(o, 0, d[w.firstLane()])
	}
}

// orderedOp performs the operation on an instruction's counter i and returns
// the old value.
func (w *wave) orderedOp(r *orderedInfo, i int, v uint32) (old uint32) {
	l := w.group.launch
	if r.regs {
		reg := &l.global.regs[r.index]
		old = uint32(*reg)
		switch {
		case r.swap:
			*reg = uint64(v)
		case r.index >= 8:
			*reg += uint64(v)
		default:
			*reg = uint64(old + v)
		}
		return old
	}
	a := w.m0()>>16&^3 + r.index*4 + uint32(i)*4
	gds := l.gdsMemory()
	if a >= room(uint32(len(gds)), 4) {
		return 0
	}
	q := dword(unsafe.Pointer(&gds[0]), a)
	old = *q
	if *q = old + v; r.swap {
		*q = v
	}
	return old
}

// repeat yields to other waves and executes the instruction again later.
func (w *wave) repeat(o *op) {
	w.counts.classes[o.class]--
	w.pc = w.at
	w.stop = parked
}
