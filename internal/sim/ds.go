package sim

import (
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// LDS and GDS instructions. Sources: AMD's ISA documents, "Data share operations"
// and "LDS & GDS instructions"; CLRX, GcnInstrsDs, for gfx8.

// dsInfo describes a DS instruction.
type dsInfo struct {
	run     func(w *wave, o *op)
	off     [2]uint32 // byte offset of each element's address
	mask    uint32    // address mask: gfx8 aligns elements by clearing low bits
	bytes   uint8     // size of an element in memory
	dwords  uint8     // registers per element
	count   uint8     // elements per lane: 1 or 2
	kind    dsKind
	up      uint8  // left shift that sign-extends a small element, together with an arithmetic right shift
	half    uint8  // 16 if the element is in the high half of its register
	keep    uint32 // bits of a destination register to preserve
	gds     bool
	plain   bool // the instruction loads, stores or modifies elements in the active lanes and does nothing else
	single  bool // GDS: only the first active lane participates
	addtid  bool // the address is computed from M0 and the lane number
	m0      bool // M0 limits the LDS size
	rtn     bool
	uniform bool // one access for all lanes, at an address in M0
	order   *orderedInfo
	gws     func(w *wave, o *op, r *gwsResource, value uint32)
	src2    bool // the second operand is in memory
	stack   *stackInfo
	fn      func(c *sem.Ctx, old, data, data2 uint64) uint64
	from    *[64]uint8 // ds_swizzle: source lane of each lane
}

// dsKind classifies the memory access of an instruction.
type dsKind uint8

const (
	dsNone dsKind = iota // none: lanes exchange registers
	dsRead
	dsWrite
	dsAtomic
	dsStack // of a traversal; the instruction reports its accesses
)

// prepareDS prepares an instruction of the DS format.
func prepareDS(d *Device, o *op) bool {
	o.class = classLDS
	in := &o.in
	x := &dsInfo{mask: ^uint32(0), count: 1}
	o.ds = x
	if !o.bindDS() {
		return false
	}
	t := in.Enc.Traits()
	x.gds = in.Field(isa.FieldGds) != 0 || t.Any(isa.TraitGdsonly)
	x.single = x.gds && in.Set.Has(isa.PropGdsSingle)
	x.m0 = in.Set.Has(isa.PropLdsM0)
	x.off[0] = in.Field(isa.FieldOffset)
	ok := false
	if f := dsSpecials.Get()[in.Enc.Name()]; f != nil {
		ok = f(o, x)
	} else if row := sem.AtomicOf(in.Enc.Op()); row != nil {
		ok = x.atomic(in, row)
		x.plain = true
	} else {
		ok = x.access(in)
		x.plain = true
	}
	o.run = runDS
	switch {
	case x.gds:
		o.run = runGDS
	case !in.Set.Has(isa.PropLdsOffset) && x.kind != dsNone && x.off != [2]uint32{}:
		o.run = runDSUnsigned
	}
	return ok
}

// runDSUnsigned executes an LDS instruction with an offset on gfx6, where a
// negative address register is out of range even if the sum is not. Source:
// LLVM, hasUsableDSOffset.
func runDSUnsigned(w *wave, o *op) {
	x, exec, outside := o.ds, w.exec(), uint64(0)
	addr := w.register(o.src[0].off, 0)
	for _, l := range w.active() {
		if addr[l&63]>>31 != 0 {
			outside |= 1 << l
		}
	}
	if w.chk != nil && outside != 0 {
		w.chk.dsOutside(w, o, outside)
	}
	w.setMask(sExec, exec&^outside)
	runDS(w, o)
	w.setMask(sExec, exec)
	if x.kind != dsRead && !x.rtn {
		return
	}
	for i := range int(x.count * x.dwords) {
		d := w.register(o.dst.off, i)
		for m := outside; m != 0; m &= m - 1 {
			d[bits.TrailingZeros64(m)&63] = 0
		}
	}
}

// bindDS binds the operands: the destination, the address in source 0 and the
// data in sources 1 and 2.
func (o *op) bindDS() bool {
	ops := o.in.Enc.Operands()
	for i := range ops {
		p := &ops[i]
		var to *operand
		switch p.Field {
		case isa.FieldVdst:
			to = &o.dst
		case isa.FieldAddr:
			to = &o.src[0]
		case isa.FieldData0:
			to = &o.src[1]
		case isa.FieldData1:
			to = &o.src[2]
		default:
			continue
		}
		r, ok := o.read(p, sem.B32)
		if !ok || r.kind != inVGPR {
			return false
		}
		*to = r
	}
	return true
}

// access initializes x for a read or write. It returns false if the instruction
// is neither.
func (x *dsInfo) access(in *isa.Inst) bool {
	m := in.Enc.Op().Memory()
	switch m.Access {
	case isa.AccessLoad:
		x.kind = dsRead
	case isa.AccessStore:
		x.kind = dsWrite
	default:
		return false
	}
	half := m.D16 || m.Hi
	if m.Bytes > 16 || half && m.Bytes > 2 {
		return false
	}
	x.count, x.addtid = m.Count, m.AddTID
	x.bytes, x.dwords = m.Bytes, max(m.Bytes/4, 1)
	if m.Signed {
		x.up = 32 - 8*m.Bytes
	}
	switch {
	case m.Hi:
		x.half, x.keep = 16, 0xffff
	case m.D16:
		x.keep = 0xffff0000
	}
	x.offsets(in, m.Stride64)
	x.align(in.Set)
	x.run = dsAccesses.Get()[dsShape{x.kind, x.bytes, x.count, x.addtid, x.kind == dsRead && x.keep != 0}]
	return x.run != nil
}

// offsets decodes the offsets of an instruction with two addresses.
func (x *dsInfo) offsets(in *isa.Inst, stride64 bool) {
	if x.count == 2 {
		stride := uint32(x.bytes)
		if stride64 {
			stride *= 64
		}
		x.off = [2]uint32{in.Field(isa.FieldOffset0) * stride, in.Field(isa.FieldOffset1) * stride}
	}
}

// align sets the alignment of reads and writes. gfx8 aligns addresses to the
// element size, with three dwords aligned like four. Later processors accept
// any address because HSA enables unaligned LDS access.
func (x *dsInfo) align(s isa.Set) {
	if s.Has(isa.PropLdsUnaligned) {
		return
	}
	x.mask = -uint32(x.bytes)
	if x.bytes == 12 {
		x.mask = ^uint32(15)
	}
}

// dsShape identifies the implementation of a read or write.
type dsShape struct {
	kind   dsKind
	bytes  uint8
	count  uint8
	addtid bool
	half   bool // the destination is half of a register
}

var dsAccesses = lazy.Value[map[dsShape]func(w *wave, o *op)]{Make: func() map[dsShape]func(w *wave, o *op) {
	return map[dsShape]func(w *wave, o *op){
		{dsRead, 1, 1, false, false}:   runDSRead8,
		{dsRead, 1, 1, false, true}:    runDSReadHalf,
		{dsRead, 2, 1, false, false}:   runDSRead16,
		{dsRead, 2, 1, false, true}:    runDSReadHalf,
		{dsRead, 4, 1, false, false}:   runDSRead32,
		{dsRead, 8, 1, false, false}:   runDSRead64,
		{dsRead, 12, 1, false, false}:  runDSRead96,
		{dsRead, 16, 1, false, false}:  runDSRead128,
		{dsRead, 4, 2, false, false}:   runDSRead2,
		{dsRead, 8, 2, false, false}:   runDSRead2x64,
		{dsRead, 4, 1, true, false}:    runDSReadThread,
		{dsWrite, 1, 1, false, false}:  runDSWrite8,
		{dsWrite, 2, 1, false, false}:  runDSWrite16,
		{dsWrite, 4, 1, false, false}:  runDSWrite32,
		{dsWrite, 8, 1, false, false}:  runDSWrite64,
		{dsWrite, 12, 1, false, false}: runDSWrite96,
		{dsWrite, 16, 1, false, false}: runDSWrite128,
		{dsWrite, 4, 2, false, false}:  runDSWrite2,
		{dsWrite, 8, 2, false, false}:  runDSWrite2x64,
		{dsWrite, 4, 1, true, false}:   runDSWriteThread,
	}
}}

// dsSpecials lists the instructions that do more than load, store or modify
// elements. Their operands are bound before the call.
var dsSpecials = lazy.Value[map[string]func(o *op, x *dsInfo) bool]{Make: func() map[string]func(o *op, x *dsInfo) bool {
	specials := map[string]func(o *op, x *dsInfo) bool{
		"ds_append":                          prepareAppend(runAppend),
		"ds_consume":                         prepareAppend(runConsume),
		"ds_ordered_count":                   prepareOrdered,
		"ds_add_gs_reg_rtn":                  prepareGSReg(false),
		"ds_sub_gs_reg_rtn":                  prepareGSReg(true),
		"ds_nop":                             dsLanes(nothing),
		"ds_swizzle_b32":                     prepareSwizzle,
		"ds_permute_b32":                     dsLanes(runPermute),
		"ds_bpermute_b32":                    dsLanes(runBpermute),
		"ds_read_b64_tr_b4":                  prepareTranspose(4, 8),
		"ds_read_b96_tr_b6":                  prepareTranspose(6, 12),
		"ds_read_b64_tr_b8":                  prepareTranspose(8, 8),
		"ds_read_b64_tr_b16":                 prepareTranspose(16, 8),
		"ds_load_tr4_b64":                    prepareTransposedDS(4),
		"ds_load_tr6_b96":                    prepareTransposedDS(6),
		"ds_load_tr8_b64":                    prepareTransposedDS(8),
		"ds_load_tr16_b128":                  prepareTransposedDS(16),
		"ds_bpermute_fi_b32":                 dsLanes(runBpermuteAll),
		"ds_write_src2_b32":                  writeSrc2(4),
		"ds_write_src2_b64":                  writeSrc2(8),
		"ds_atomic_async_barrier_arrive_b64": prepareArrive(false),
		"ds_atomic_barrier_arrive_rtn_b64":   prepareArrive(true),
		"ds_bvh_stack_rtn_b32":               prepareStack(4, 1),
		"ds_bvh_stack_push4_pop1_rtn_b32":    prepareStack(4, 1),
		"ds_bvh_stack_push8_pop1_rtn_b32":    prepareStack(8, 1),
		"ds_bvh_stack_push8_pop2_rtn_b64":    prepareStack(8, 2),
	}
	for name, f := range gwsRows.Get() {
		specials[name] = prepareGWS(f)
	}
	return specials
}}

// dsLanes prepares an instruction that does not access memory.
func dsLanes(f func(w *wave, o *op)) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.gds = false
		x.run = f
		return true
	}
}

// runDS executes an instruction that accesses LDS or no memory.
func runDS(w *wave, o *op) {
	if w.chk != nil {
		w.chk.ds(w, o)
	}
	o.ds.run(w, o)
}

// share returns the start and the accessible size in bytes of an instruction's
// memory. Reads past the end return 0, writes are dropped.
func (w *wave) share(x *dsInfo) (p unsafe.Pointer, size uint32) {
	if x.gds {
		return w.globalShare()
	}
	size = uint32(len(w.group.lds))
	if x.m0 {
		size = min(size, w.m0())
	}
	return unsafe.Pointer(&w.group.ldsMem[0]), size
}

// room returns the number of valid addresses for an element of the given size
// in a memory of size bytes.
func room(size, bytes uint32) uint32 {
	if size < bytes {
		return 0
	}
	return size - bytes + 1
}

// misalignedLDS ends the wave with an alignment fault for an atomic.
func (w *wave) misalignedLDS(o *op, lane int, addr uint32) {
	where := "LDS"
	if o.ds.gds {
		where = "GDS"
	}
	w.failAt(device.FaultAlignment, withNumber(o.in.Enc.Name()+" at "+where+" address", uint64(addr)), lane, uint64(addr))
}
