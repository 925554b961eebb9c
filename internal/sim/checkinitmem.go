package sim

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Undefined values in memory. LDS and scratch memory are tracked. Global memory
// counts as defined because the host may have written it.

// pendingBits records undefined bits that a memory instruction loads into a
// register.
type pendingBits struct {
	r    reguse.Reg
	lane int
	bits uint32
	from origin
}

// isMemory reports whether an instruction reads or writes memory.
func isMemory(o *op) bool {
	switch o.class {
	case classVMEM, classOrdered, classSMEM:
		return true
	case classLDS:
		return o.ds == nil || o.ds.kind != dsNone || o.ds.gds || o.ds.gws != nil
	}
	return false
}

// memory checks the address of a memory instruction.
func (c *initCheck) memory(w *wave, o *op, uses []reguse.Use) {
	lanes := w.exec()
	if lanes == 0 && o.class != classSMEM {
		return
	}
	m0 := reguse.Scalar + reguse.Reg(reguse.M0Code(w.dev.set))
	for i := range uses {
		u := &uses[i]
		switch u.Role {
		case reguse.RoleAddr, reguse.RoleSBase, reguse.RoleSOffset:
		case reguse.RoleImplicit:
			if u.First != m0 || !addressesWithM0(o) {
				continue
			}
		default:
			continue
		}
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			if lane, ok := c.undefined(r, lanes); ok {
				c.found(w, r, lane, 0, "the address")
				c.define(r, ^uint64(0), ^uint32(0))
			}
		}
	}
	if m := o.mem; m != nil && m.buf != nil && m.buf.format && m.store {
		c.stored(w, &memAccess{kind: accessStore, bytes: 4, lanes: lanes, data: m.data, addr: &w.mem.addr})
	}
}

// addressesWithM0 reports whether M0 is part of an instruction's address or
// limits it.
func addressesWithM0(o *op) bool {
	if o.in.Enc.Form() == isa.LDSDIR {
		return true
	}
	if x := o.ds; x != nil {
		return x.m0 || x.addtid || x.uniform
	}
	return o.mem != nil && o.mem.lds
}

// loaded marks the results of a memory instruction as defined, except for the
// undefined bits it has loaded.
func (c *initCheck) loaded(w *wave, o *op, uses []reguse.Use) {
	mask, lanes := ^uint32(0), w.exec()
	if o.in.Enc.Form() == isa.LDSDIR {
		lanes = quadsOf(lanes) * 15
	}
	switch m, x := o.mem, o.ds; {
	case m != nil && m.d16 == 1 && !m.clear16, x != nil && x.keep != 0 && x.half == 0:
		mask = 0xffff
	case m != nil && m.d16 == 2 && !m.clear16, x != nil && x.keep != 0:
		mask = 0xffff0000
	}
	for i := range uses {
		u := &uses[i]
		if u.How&reguse.Write == 0 {
			continue
		}
		for r := u.First; r < u.First+reguse.Reg(u.N); r++ {
			c.define(r, lanes, mask)
		}
	}
	for i := len(c.pending) - 1; i >= 0; i-- { // the first entry determines the origin of a register's bits
		p := &c.pending[i]
		c.setUndefined(p.r, p.lane, p.bits|c.bits(p.r)[p.lane]&^mask, p.from)
	}
}

// access propagates defined bits between registers and memory.
func (c *initCheck) access(w *wave, a *memAccess) {
	switch a.space {
	case spaceLDS:
		c.move(w, a, originLDS, func(l int, i uint64) *byte {
			if at := a.addr[l] + i; at < uint64(len(c.group.lds)) {
				return &c.group.lds[at]
			}
			return nil
		})
	case spaceScratch:
		c.move(w, a, originScratch, func(l int, i uint64) *byte {
			off := a.addr[l] + i
			return c.scratchByte(off&^3*uint64(w.lanes) + uint64(l)*4 + off&3)
		})
	default:
		if r := w.group.launch.scratch; r != nil && holds(r, a.addr[bits.TrailingZeros64(a.lanes)&63]) {
			c.swizzled(w, a)
			return
		}
		c.stored(w, a)
	}
}

// swizzled propagates defined bits for an access to scratch memory with
// computed addresses.
func (c *initCheck) swizzled(w *wave, a *memAccess) {
	c.move(w, a, originScratch, func(l int, i uint64) *byte { return c.scratchByte(a.addr[l] + i - w.scratch.base) })
}

// scratchByte returns the defined bits of a byte of the wave's scratch memory,
// or nil if at is out of range.
func (c *initCheck) scratchByte(at uint64) *byte {
	if at >= uint64(len(c.scratch)) {
		return nil
	}
	return &c.scratch[at]
}

// move propagates defined bits between registers and memory. cell returns the
// defined bits of byte i of lane l's element.
func (c *initCheck) move(w *wave, a *memAccess, kind originKind, cell func(l int, i uint64) *byte) {
	size := min(uint64(a.bytes), 4)
	replaces := a.kind == accessAtomic && replacesValue(w)
	for d := range max(int(a.bytes)/4, 1) {
		shift := int32(d * w.lanes)
		for rest := a.lanes; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest) & 63
			data := uint32(0) // undefined bits of the register
			if a.kind != accessLoad && a.data >= 0 {
				data = c.vector(a.data+shift, l) >> a.shift
			}
			old := uint32(0)
			for i := range size {
				p := cell(l, uint64(d)*4+i)
				if p == nil {
					continue
				}
				old |= uint32(^*p) << (8 * i)
				switch b := byte(data >> (8 * i)); {
				case a.kind == accessStore || replaces:
					*p = ^b
				case a.kind == accessAtomic:
					*p &^= b
				}
			}
			if to := a.target(); old != 0 && to >= 0 {
				c.load(a, to+shift, l, old, origin{kind: kind, at: accessAddress(w, a, l) + uint32(d)*4}, w)
			}
		}
	}
}

// target returns the index in wave.v of the loaded value, or -1 for a store.
func (a *memAccess) target() int32 {
	switch a.kind {
	case accessLoad:
		return a.data
	case accessAtomic:
		return a.result
	}
	return -1
}

// accessAddress returns the address of a lane's access for reports.
func accessAddress(w *wave, a *memAccess, l int) uint32 {
	if a.space == spaceGlobal {
		off, _, _ := w.scratchPlace(a.addr[l])
		return uint32(off)
	}
	return uint32(a.addr[l])
}

// load records the undefined bits of a value loaded into a register.
func (c *initCheck) load(a *memAccess, to int32, l int, undefined uint32, from origin, w *wave) {
	if a.bytes < 4 {
		top := 8*a.bytes - 1
		if a.signed && undefined>>top&1 != 0 {
			undefined |= ^uint32(0) << top
		}
		if a.part {
			undefined &= 0xffff
		}
		undefined <<= a.shift
	}
	if int(to) >= len(c.v) {
		return
	}
	c.pending = append(c.pending, pendingBits{vectorReg(int(to)/w.lanes, c.wide), l, undefined, from})
}

// replacesValue reports whether the current atomic operation replaces the old
// value without using it as an operand.
func replacesValue(w *wave) bool {
	a := sem.AtomicOf(w.prog.ops[w.at].Load().in.Enc.Op())
	return a != nil && (a.Kind == sem.AtomicSwap || a.Kind == sem.AtomicCondXchg || a.CompareSwap())
}

// vector returns the undefined bits of one lane of the VGPR at index at of
// wave.v.
func (c *initCheck) vector(at int32, l int) uint32 {
	if int(at) >= len(c.v) { // a tuple may extend past the last register
		return 0
	}
	r := vectorReg(int(at)/c.lanes, c.wide)
	switch {
	case !c.dirty.has(r):
		return 0
	case c.fresh.has(r):
		return -uint32(c.first >> l & 1)
	}
	return c.v[int(at)+l]
}

// stored checks the data of a store to global memory. Only the first byte of an
// element is checked, because the bytes after it may be padding, such as the
// fourth component of a 3-component vector. Undefined bytes of scratch memory
// may be copied, because they may be padding between structure members.
func (c *initCheck) stored(w *wave, a *memAccess) {
	if a.kind == accessLoad || a.data < 0 || a.piece > 0 {
		return
	}
	r, undefined, lane := reguse.Scalar+reguse.Reg(a.data), uint32(0), -1
	if a.scalar {
		if a.data < int32(len(c.s)) {
			undefined = c.s[a.data]
		}
	} else {
		r = vectorReg(int(a.data)/w.lanes, c.wide)
		if !c.dirty.has(r) {
			return
		}
		for rest := a.lanes; rest != 0 && undefined == 0; rest &= rest - 1 {
			lane = bits.TrailingZeros64(rest) & 63
			undefined = c.vector(a.data, lane) >> a.shift & 0xff
		}
	}
	from := c.originOf(r)
	if undefined == 0 || from.kind == originScratch && !from.computed {
		return
	}
	what := "the stored value"
	if a.kind == accessAtomic {
		what = "the atomic operand"
	}
	c.found(w, r, lane, a.addr[max(lane, 0)], what)
	c.define(r, ^uint64(0), ^uint32(0))
}
