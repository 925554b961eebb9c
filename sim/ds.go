package sim

import (
	"strings"
	"unsafe"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/isa/reguse"
	"github.com/gfx-toolchain/gfx/isa/sem"
)

// LDS and GDS instructions. Sources: AMD's ISA documents, "Data share operations"
// and "LDS & GDS instructions"; CLRX, GcnInstrsDs, for gfx8.

// dsInfo is what a DS instruction does.
type dsInfo struct {
	run     func(w *wave, o *op)
	off     [2]uint32 // of each element's address, in bytes
	mask    uint32    // of addresses: on gfx8 elements are aligned by ignoring low bits
	bytes   uint8     // size of an element in memory
	dwords  uint8     // registers of an element
	count   uint8     // elements of a lane: 1 or 2
	kind    dsKind
	up      uint8  // how far a small element is shifted up, to extend its sign
	half    uint8  // 16 for the high half of a register
	keep    uint32 // bits of a destination register that stay
	gds     bool
	single  bool // GDS: only the first lane counts
	addtid  bool // the address is made of M0 and the lane's number
	m0      bool // M0 limits LDS
	rtn     bool
	uniform bool // one access for all lanes, at an address that M0 tells
	order   *orderedInfo
	gws     func(w *wave, o *op, r *gwsResource, value uint32)
	src2    bool // the second operand is in memory
	fn      func(c *sem.Ctx, old, data, data2 uint64) uint64
	from    *[64]uint8 // ds_swizzle: source lane of each lane
}

// dsKind says what an instruction does to memory.
type dsKind uint8

const (
	dsNone dsKind = iota // nothing: lanes exchange registers
	dsRead
	dsWrite
	dsAtomic
)

// prepareDS makes an instruction of form DS.
func prepareDS(d *Device, o *op) bool {
	o.class = classLDS
	in := &o.in
	x := &dsInfo{mask: ^uint32(0), count: 1}
	o.ds = x
	if !o.bindDS() {
		return false
	}
	g := in.Set.Gen()
	t := in.Enc.Traits()
	x.gds = in.Field(isa.FieldGds) != 0 || t.Any(isa.TraitGdsonly)
	x.single = x.gds && g >= isa.Gen11
	x.m0 = g < isa.Gen9
	x.off[0] = in.Field(isa.FieldOffset)
	name := strings.TrimPrefix(in.Enc.Name(), "ds_")
	ok := false
	if f := dsSpecials.Get()[name]; f != nil {
		ok = f(o, x)
	} else if row := sem.AtomicOf(in.Enc.Op()); row != nil {
		ok = x.atomic(in, row)
	} else {
		ok = x.access(in, name)
	}
	o.run = runDS
	if x.gds {
		o.run = runGDS
	}
	return ok
}

// bindDS finds the operands: the destination, the address in source 0, data in sources 1
// and 2.
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

// dsVerbs are the beginnings of reads and writes; longer ones first.
var dsVerbs = []struct {
	word   string
	kind   dsKind
	count  uint8
	stride uint32 // of the offsets, in elements
}{
	{"read2st64_", dsRead, 2, 64}, {"read2_", dsRead, 2, 1}, {"read_", dsRead, 1, 0},
	{"load_2addr_stride64_", dsRead, 2, 64}, {"load_2addr_", dsRead, 2, 1}, {"load_", dsRead, 1, 0},
	{"write2st64_", dsWrite, 2, 64}, {"write2_", dsWrite, 2, 1}, {"write_", dsWrite, 1, 0},
	{"store_2addr_stride64_", dsWrite, 2, 64}, {"store_2addr_", dsWrite, 2, 1}, {"store_", dsWrite, 1, 0},
}

// access makes a read or a write of its name without ds_.
func (x *dsInfo) access(in *isa.Inst, name string) bool {
	var rest string
	for i := range dsVerbs {
		v := &dsVerbs[i]
		if after, ok := strings.CutPrefix(name, v.word); ok {
			rest, x.kind, x.count = after, v.kind, v.count
			if !x.element(&rest) {
				return false
			}
			x.offsets(in, v.stride)
			break
		}
	}
	if rest != "" || x.kind == dsNone {
		return false
	}
	x.align(in.Set)
	x.run = dsAccesses.Get()[dsShape{x.kind, x.bytes, x.count, x.addtid, x.kind == dsRead && x.keep != 0}]
	return x.run != nil
}

// element reads the end of a name: addtid_, the type of an element, and which half of a
// register takes it.
func (x *dsInfo) element(rest *string) bool {
	*rest, x.addtid = strings.CutPrefix(*rest, "addtid_")
	var high, d16 bool
	*rest, high = strings.CutSuffix(*rest, "_d16_hi")
	*rest, d16 = strings.CutSuffix(*rest, "_d16")
	e, ok := reguse.Elements.Get()[*rest]
	if !ok || e.Bytes > 16 || (high || d16) && e.Bytes > 2 {
		return false
	}
	*rest = ""
	x.bytes, x.dwords = e.Bytes, max(e.Bytes/4, 1)
	if e.Signed {
		x.up = 32 - 8*e.Bytes
	}
	switch {
	case high:
		x.half, x.keep = 16, 0xffff
	case d16:
		x.keep = 0xffff0000
	}
	return true
}

// offsets reads the two offsets of an instruction with two addresses.
func (x *dsInfo) offsets(in *isa.Inst, stride uint32) {
	if x.count == 2 {
		stride *= uint32(x.bytes)
		x.off = [2]uint32{in.Field(isa.FieldOffset0) * stride, in.Field(isa.FieldOffset1) * stride}
	}
}

// align sets how reads and writes are aligned: on gfx8 to the element, where three dwords count
// as four; later ones may be at any address, since HSA has LDS in unaligned mode.
func (x *dsInfo) align(s isa.Set) {
	if s.Gen() >= isa.Gen9 {
		return
	}
	x.mask = -uint32(x.bytes)
	if x.bytes == 12 {
		x.mask = ^uint32(15)
	}
}

// dsShape is what chooses how a read or write runs.
type dsShape struct {
	kind   dsKind
	bytes  uint8
	count  uint8
	addtid bool
	half   bool // into half of a register
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

// dsSpecials are the instructions whose names say nothing of an element; they get
// the op with its operands bound.
var dsSpecials = lazy.Value[map[string]func(o *op, x *dsInfo) bool]{Make: func() map[string]func(o *op, x *dsInfo) bool {
	specials := map[string]func(o *op, x *dsInfo) bool{
		"append":         prepareAppend(runAppend),
		"consume":        prepareAppend(runConsume),
		"ordered_count":  prepareOrdered,
		"add_gs_reg_rtn": prepareGSReg(false),
		"sub_gs_reg_rtn": prepareGSReg(true),
		"nop":            dsLanes(nothing),
		"swizzle_b32":    prepareSwizzle,
		"permute_b32":    dsLanes(runPermute),
		"bpermute_b32":   dsLanes(runBpermute),
		"write_src2_b32": writeSrc2(4),
		"write_src2_b64": writeSrc2(8),
	}
	for name, f := range gwsRows.Get() {
		specials[name] = prepareGWS(f)
	}
	return specials
}}

// dsLanes makes an instruction that does not touch memory.
func dsLanes(f func(w *wave, o *op)) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		x.gds = false
		x.run = f
		return true
	}
}

// runDS runs an instruction on LDS, or one that touches no memory.
func runDS(w *wave, o *op) {
	if w.chk != nil {
		w.chk.ds(w, o)
	}
	o.ds.run(w, o)
}

// share gives the memory of an instruction: where it starts and how many bytes may
// be touched. What lies behind reads as 0 and is not written.
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

// room gives how many addresses an element of some bytes may have in memory of
// a size.
func room(size, bytes uint32) uint32 {
	if size < bytes {
		return 0
	}
	return size - bytes + 1
}

// misalignedLDS ends the wave at an atomic whose address is no multiple of its size.
func (w *wave) misalignedLDS(o *op, lane int, addr uint32) {
	where := "LDS"
	if o.ds.gds {
		where = "GDS"
	}
	w.failAt(FaultAlignment, withNumber(o.in.Enc.Name()+" at "+where+" address", uint64(addr)), lane, uint64(addr))
}
