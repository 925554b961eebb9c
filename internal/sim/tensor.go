package sim

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// Tensor transfers (gfx12.5) copy a tile of a tensor in memory to LDS or back.
// Groups of SGPRs describe them. They ignore EXEC and execute immediately.
// Sources: AMD's CDNA 5 ISA, tensor data mover; LLVM, lowering of
// amdgpu.make_dma_descriptor; ROCm, amd_gfx1250_TDM.h and rocjitsu.

// tensorDims is the largest number of dimensions.
const tensorDims = 5

// tensorTile is a decoded transfer. Sizes and strides are in elements, and
// dimension 0 is contiguous.
type tensorTile struct {
	lds, barrier     uint32
	base             uint64
	size             uint32 // of an element in bytes
	arrives          bool   // at the barrier in LDS
	every, pad       uint64 // pad bytes of LDS follow each every bytes
	rank             int
	tensor           [tensorDims]uint64
	tile             [tensorDims]uint64
	stride           [tensorDims]uint64
	rows             []uint64 // gather mode: the numbers of the rows
	times            uint64   // iterations
	ldsStep, memStep uint64   // between iterations
}

// tensorOp holds the groups of SGPRs of an instruction as indices in wave.s; -1
// is a group of zeros.
type tensorOp struct {
	groups [4]int32
	store  bool
}

// tensorGroups lists the groups' fields.
var tensorGroups = [4]struct {
	field isa.Field
	first int // of the group's dwords in the descriptor
	n     int
}{{isa.FieldVaddr0, 0, 4}, {isa.FieldVaddr1, 4, 8}, {isa.FieldVaddr2, 12, 4}, {isa.FieldVaddr3, 16, 4}}

// prepareTensor prepares tensor_load_to_lds and tensor_store_from_lds.
func prepareTensor(d *Device, o *op) bool {
	t := o.in.Enc.Traits()
	if !t.Any(isa.TraitTensor) {
		return false
	}
	x := &tensorOp{groups: [4]int32{-1, -1, -1, -1}, store: t.Any(isa.TraitThstore)}
	ops := o.in.Enc.Operands()
	for i := range ops {
		for k := range tensorGroups {
			if ops[i].Field != tensorGroups[k].field {
				continue
			}
			switch r, ok := o.read(&ops[i], 0); {
			case ok && r.kind == inScalar:
				x.groups[k] = r.off
			case !ok || r.kind != inConst:
				return false
			}
		}
	}
	o.class = classVMEM
	o.run = func(w *wave, o *op) { w.tensorTransfer(x) }
	return true
}

// tensorBits reads n bits of a descriptor.
func tensorBits(d *[20]uint32, at, n int) uint64 {
	v := uint64(d[at/32]) >> (at % 32)
	if at/32+1 < len(d) {
		v |= uint64(d[at/32+1]) << 32 >> (at % 32)
	}
	if n > 32 && at%32 != 0 && at/32+2 < len(d) {
		v |= uint64(d[at/32+2]) << (64 - at%32)
	}
	return v & (1<<n - 1)
}

// Positions of the groups in a descriptor, in bits.
const (
	tensorGroup1 = 4 * 32
	tensorGroup2 = 12 * 32
	tensorGroup3 = 16 * 32
)

// decodeTensor decodes a descriptor. why names a reason for which it cannot be
// executed.
func decodeTensor(d *[20]uint32) (t tensorTile, why string) {
	g1 := func(at, n int) uint64 { return tensorBits(d, tensorGroup1+at, n) }
	g2 := func(at, n int) uint64 { return tensorBits(d, tensorGroup2+at, n) }
	g3 := func(at, n int) uint64 { return tensorBits(d, tensorGroup3+at, n) }
	gather, wide := d[0]>>31 != 0, d[0]>>30&1 != 0
	t = tensorTile{lds: d[1], base: tensorBits(d, 64, 57), size: 1 << g1(16, 2), arrives: g1(18, 1) != 0, barrier: uint32(g1(32, 16)) << 3, times: 1}
	if g1(20, 1) != 0 {
		t.every, t.pad = 4<<(g1(22, 3)+1), 4*(g1(25, 7)+1)
	}
	t.tensor = [tensorDims]uint64{g1(48, 32), g1(80, 32), g2(0, 32), g2(32, 32), g3(48, 32)}
	t.tile = [tensorDims]uint64{g1(112, 16), g1(128, 16), g1(144, 16), g2(112, 16), g3(80, 16)}
	t.stride = [tensorDims]uint64{1, g1(160, 48), g1(208, 48), g2(64, 48), g3(0, 48)}
	iterate := g1(19, 1) != 0
	switch {
	case gather:
		return t, t.gatherRows(d, wide)
	case iterate:
		t.ldsStep, t.memStep, t.times = t.tensor[3], t.stride[3], t.tile[3]+1
		t.tensor[3], t.stride[3], t.tile[3] = 0, 0, 0
	}
	for i, n := range t.tile {
		if n != 0 {
			t.rank = i + 1
		}
	}
	for _, n := range t.tile[:t.rank] {
		if n == 0 {
			return t, "a dimension of the tile that another one follows is 0"
		}
	}
	if iterate && t.rank > 0 && t.times > 1 && t.memStep != 0 && (t.rank == 1 || t.stride[t.rank-1] == 0 || t.memStep%t.stride[t.rank-1] != 0) {
		return t, "an iteration does not advance by whole steps of the last dimension"
	}
	return t, ""
}

// gatherRows decodes the numbers of the rows in gather mode: 8 dwords or 16
// words.
func (t *tensorTile) gatherRows(d *[20]uint32, wide bool) (why string) {
	n, most := t.tile[1], uint64(16)
	if wide {
		most = 8
	}
	if n == 0 || n > most || t.tile[0] == 0 {
		return fmt.Sprintf("%d rows of %d elements cannot be gathered", n, t.tile[0])
	}
	t.rank = 2
	width := 512 / int(most) / 2
	for i := range int(n) {
		t.rows = append(t.rows, tensorBits(d, tensorGroup2+i*width, width))
	}
	return ""
}

// tensorTransfer executes an instruction. A descriptor with a count of 0 has no
// effect.
func (w *wave) tensorTransfer(x *tensorOp) {
	var d [20]uint32
	for k, g := range tensorGroups {
		if at := x.groups[k]; at >= 0 {
			copy(d[g.first:][:g.n], w.s[at:])
		}
	}
	count := d[0] & 3
	if count == 0 {
		return
	}
	t, why := decodeTensor(&d)
	if count > 1 {
		why = fmt.Sprintf("count %d is reserved", count)
	}
	if why != "" {
		w.fail(device.FaultUnsupported, "tensor transfer: "+why)
		return
	}
	for i := uint64(0); i < t.times && w.fault == nil; i++ {
		w.tensorCopy(&t, x.store, i)
	}
	if w.transfers != nil {
		w.transfers.arrives = t.arrives
	}
	if p := w.group.ldsAt(uint64(t.barrier), 8); t.arrives && p != nil && w.fault == nil {
		store64(p, arriveLDS(load64(p), 1))
	}
}

// tensorCopy copies the elements of one iteration.
func (w *wave) tensorCopy(t *tensorTile, store bool, iteration uint64) {
	if t.rank == 0 {
		return
	}
	var at [tensorDims]uint64 // the element's place in the tile
	origin := uint64(0)       // of the last dimension
	if last := t.stride[t.rank-1]; last != 0 && iteration > 0 {
		origin = iteration * t.memStep / last
	}
	for n := iteration * t.ldsStep; w.fault == nil; n++ {
		inside, from := true, iteration*t.memStep
		for i := range t.rank {
			c := at[i]
			if t.rows != nil && i == 1 {
				c = t.rows[c]
			}
			from += c * t.stride[i]
			if i == t.rank-1 {
				c += origin
			}
			inside = inside && c < t.tensor[i]
		}
		w.tensorElement(t, store, n, t.base+from*uint64(t.size), inside)
		i := 0
		for ; i < t.rank; i++ {
			if at[i]++; at[i] < t.tile[i] {
				break
			}
			at[i] = 0
		}
		if i == t.rank {
			return
		}
	}
}

// tensorElement copies element n of LDS. An element outside of the tensor is
// loaded as 0 and not stored.
func (w *wave) tensorElement(t *tensorTile, store bool, n, addr uint64, inside bool) {
	size := uint64(t.size)
	off := n * size
	if t.pad != 0 && !store {
		off += off / t.every * t.pad
	}
	off += uint64(t.lds)
	if w.chk != nil {
		w.chk.tensor(w, store, off, addr, t.size, inside)
	}
	if store && !inside {
		return
	}
	var b [8]byte
	data := b[:size]
	var memory []byte
	if inside {
		r := w.region(addr, size)
		if r == nil {
			w.badAccess(map[bool]string{false: "tensor load", true: "tensor store"}[store], -1, addr, size)
			return
		}
		memory = r.Pages()[addr-r.Addr:][:size]
	}
	lds := w.group.lds
	fits := off+size <= uint64(len(lds))
	switch {
	case store:
		if fits {
			copy(data, lds[off:])
		}
		copy(memory, data)
	default:
		copy(data, memory)
		if fits {
			copy(lds[off:][:size], data)
		}
	}
}

// tensor records the accesses of an element of a tensor transfer.
func (c *waveCheck) tensor(w *wave, store bool, off, addr uint64, size uint32, inside bool) {
	memory, local := accessLoad, accessStore
	if store {
		memory, local = accessStore, accessLoad
	}
	a := memAccess{bytes: size, lanes: 1, addr: &c.addr, data: -1, result: -1}
	if inside {
		a.space, a.kind = spaceGlobal, memory
		c.addr[0] = addr
		c.notify(w, &a)
	}
	if inside || !store {
		a.space, a.kind = spaceLDS, local
		c.addr[0] = off
		c.notify(w, &a)
	}
}
