package sim

import (
	"strings"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/isa/reguse"
)

// repeats reports whether an instruction loads from the same address again and again until the value is another
// one: it stands in a loop that does nothing else to memory and leaves its address alone, or is the
// first try before such a loop. Only atomic and volatile loads are so, as nobody would repeat others.
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

// maxWaitLoop is how many instructions are looked at to find a loop, maxFirstTry how far before it the first
// try stands.
const (
	maxWaitLoop = 1024
	maxFirstTry = 16
)

// triesFirst reports whether a loop behind a load waits at the same address.
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

// sameAddressing reports whether two instructions are the same and compute their addresses alike.
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

// addressOf gives the registers of an instruction's address.
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

// waitLoop reports whether a load at an index waits in a loop. Code that is not optimised keeps the
// address in scratch memory: there it is not known whether it stays the same.
func (p *program) waitLoop(at int32, o *op) bool {
	loop := p.loopThrough(at)
	address := addressOf(o)
	spills, moved := false, false
	for _, i := range loop {
		x := p.opAt(i)
		switch {
		case x == o, !isMemory(x), isCacheOp(x.in.Enc.Name()):
		case isSpill(x):
			spills = true
		default:
			return false
		}
		moved = moved || writesAny(x, address)
	}
	return loop != nil && (spills || !moved)
}

// loopThrough gives the instructions of the shortest way from one at an index back to it, nil when there is
// none that is not too long.
func (p *program) loopThrough(at int32) []int32 {
	from := map[int32]int32{} // where the way to an instruction comes from
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

// successors gives the indices where the program may go on behind an instruction; none when that is not
// known, at calls and barriers.
func (p *program) successors(i int32) []int32 {
	o := p.opAt(i)
	if o == nil {
		return nil
	}
	name := o.in.Enc.Name()
	switch {
	case o.class == classBranch && name == "s_branch":
		return []int32{o.next + o.imm}
	case o.class == classBranch && strings.HasPrefix(name, "s_cbranch_") && o.nsrc == 0:
		return []int32{o.next, o.next + o.imm}
	case o.class == classBranch, name == "s_barrier":
		return nil
	}
	return []int32{o.next}
}

// isSpill reports whether an instruction moves data to or from scratch memory for the compiler: with a
// scratch instruction, or the resource in s[0:3] where kernels get that of scratch memory, or a flat one,
// as code that is not optimised reaches its variables (before gfx9 all global memory).
func isSpill(o *op) bool {
	m := o.mem
	if m == nil || m.atomic != nil || m.lds {
		return false
	}
	return m.segment == segScratch || m.segment == segFlat && o.in.Set.Gen() >= isa.Gen9 || o.in.Enc.Form() == isa.MUBUF && m.buf != nil && m.buf.rsrc == 0
}

// opAt gives the op at an index, nil behind the end.
func (p *program) opAt(i int32) *op {
	if uint32(i) >= uint32(len(p.ops)) {
		return nil
	}
	if o := p.ops[i].Load(); o != nil {
		return o
	}
	return p.decode(int(i))
}

// writesAny reports whether an instruction writes one of some registers.
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
