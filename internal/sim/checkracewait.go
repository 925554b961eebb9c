package sim

import (
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// repeats reports whether an instruction polls an address: it loads repeatedly
// from the same address until the value changes. Such a load is in a loop that
// has no other memory access and does not modify the address, or is the first
// attempt before such a loop. Only atomic and volatile loads are compiled this
// way, because others would not be repeated.
func (w *wave) repeats(o *op) bool {
	switch atomic.LoadUint32(&o.facts.repeats) {
	case 1:
		return false
	case 2:
		return true
	}
	known := uint32(1)
	if w.prog.waitLoop(w.at, o) || w.prog.triesFirst(o) {
		known = 2
	}
	atomic.StoreUint32(&o.facts.repeats, known)
	return known == 2
}

// maxWaitLoop is the maximum number of instructions to search for a loop.
// maxFirstTry is the maximum distance of the first attempt before it.
const (
	maxWaitLoop = 1024
	maxFirstTry = 16
)

// triesFirst reports whether a loop after the load polls the same address.
func (p *program) triesFirst(o *op) bool {
	i := o.next
	for range maxFirstTry {
		x := p.opAt(i)
		if x == nil || x.facts.sync == syncMemory && !sameAddressing(o, x) || writesAny(x, addressOf(o)) {
			return false
		}
		if x.facts.sync == syncMemory {
			return p.waitLoop(i, x)
		}
		i = x.next
	}
	return false
}

// sameAddressing reports whether two instructions have the same opcode and the
// same address computation.
func sameAddressing(a, b *op) bool {
	switch {
	case a.in.Enc != b.in.Enc:
		return false
	case a.ds != nil && b.ds != nil:
		return a.ds.off == b.ds.off && a.src[0].off == b.src[0].off
	case a.mem != nil && b.mem != nil && a.mem.buf == nil && b.mem.buf == nil:
		return a.mem.offset == b.mem.offset && a.mem.vaddr == b.mem.vaddr && a.mem.saddr == b.mem.saddr
	}
	return false
}

// addressOf returns the registers of an instruction's address.
func addressOf(o *op) []reguse.Use {
	var list []reguse.Use
	for _, u := range o.facts.uses {
		switch u.Role {
		case reguse.RoleAddr, reguse.RoleSBase, reguse.RoleSOffset:
			list = append(list, u)
		}
	}
	return list
}

// waitLoop reports whether the load at index at polls in a loop. Unoptimized
// code keeps the address in scratch memory, where changes to it are not
// tracked.
func (p *program) waitLoop(at int32, o *op) bool {
	loop := p.loopThrough(at)
	address := addressOf(o)
	spills, moved := false, false
	for _, i := range loop {
		x := p.opAt(i)
		switch {
		case x == o, !isMemory(x), x.in.Enc.Kinds().Any(isa.KindCache):
		case isSpill(x):
			spills = true
		default:
			return false
		}
		moved = moved || writesAny(x, address)
	}
	return loop != nil && (spills || !moved)
}

// loopThrough returns the instructions on the shortest path from the
// instruction at index at back to itself. It returns nil if there is no path or
// the path is too long.
func (p *program) loopThrough(at int32) []int32 {
	from := map[int32]int32{} // predecessor on the path
	for queue := []int32{at}; len(queue) > 0 && len(from) < maxWaitLoop; queue = queue[1:] {
		i := queue[0]
		for _, to := range p.successors(i) {
			if _, seen := from[to]; seen {
				continue
			}
			from[to] = i
			if to == at {
				loop := []int32{at}
				for i := from[at]; i != at; i = from[i] {
					loop = append(loop, i)
				}
				return loop
			}
			queue = append(queue, to)
		}
	}
	return nil
}

// successors returns the indices of the instructions that may follow
// instruction i. It returns none if they are unknown, and at calls and
// barriers.
func (p *program) successors(i int32) []int32 {
	o := p.opAt(i)
	if o == nil {
		return nil
	}
	switch o.flow {
	case flowJump:
		return []int32{o.next + o.imm}
	case flowBranch:
		return []int32{o.next, o.next + o.imm}
	case flowUnknown:
		return nil
	}
	return []int32{o.next}
}

// isSpill reports whether an instruction accesses scratch memory on behalf of
// the compiler. These are scratch instructions, instructions that use the
// resource in s[0:3], where kernels receive the scratch resource, and flat
// instructions, which unoptimized code uses for its variables (and for all
// global memory before gfx9).
func isSpill(o *op) bool {
	m := o.mem
	if m == nil || m.atomic != nil || m.lds {
		return false
	}
	return m.segment == segScratch || m.segment == segFlat && o.in.Set.Has(isa.PropFlatOffset) || o.in.Enc.Form() == isa.MUBUF && m.buf != nil && m.buf.rsrc == 0
}

// opAt returns the op at index i, or nil past the end.
func (p *program) opAt(i int32) *op {
	if uint32(i) >= uint32(len(p.ops)) {
		return nil
	}
	if o := p.ops[i].Load(); o != nil {
		return o
	}
	return p.decode(int(i))
}

// writesAny reports whether an instruction writes any of the given registers.
func writesAny(o *op, regs []reguse.Use) bool {
	for i := range o.facts.uses {
		u := &o.facts.uses[i]
		if u.How&reguse.Write == 0 {
			continue
		}
		for k := range regs {
			if _, ok := u.Overlaps(regs[k].First, int(regs[k].N)); ok {
				return true
			}
		}
	}
	return false
}
