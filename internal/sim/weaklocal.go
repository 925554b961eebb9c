package sim

import (
	"math/bits"
	"slices"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
)

// weakLocal is an instruction that accesses LDS after its issue, with the values that its
// registers had then.
type weakLocal struct {
	op      *op
	at      int32 // index of the instruction
	m0      uint32
	ctx     sem.Ctx
	sources []savedRegister
}

// savedRegister is a VGPR with the value at issue or, while the instruction is
// performed, the current value.
type savedRegister struct {
	at int32
	v  [64]uint32
}

// issueLocal makes an LDS instruction outstanding.
func (x *weakWave) issueLocal(p *weakOp, o *op) {
	w, k := x.wave, &p.local
	if p.late = true; w.chk != nil && o.ds != nil { // others are checked when they are performed
		w.chk.ds(w, o)
	}
	k.op, k.at, k.m0, k.ctx = o, w.at, w.m0(), w.ctx
	k.sources = k.sources[:0]
	for _, r := range p.facts.sources {
		for i := range int32(r.n) {
			at := r.at + i*int32(w.lanes)
			k.sources = append(k.sources, savedRegister{at: at})
			copy(k.sources[len(k.sources)-1].v[:w.lanes], w.v[at:])
		}
	}
	p.Left = 1
	if x.locals = append(x.locals, p); len(x.locals) == 1 {
		x.sched.locals = append(x.sched.locals, w)
	}
	x.cur = nil
	x.begin(p)
}

// lanesInLDS returns the lanes of a FLAT instruction that access LDS. It computes their
// addresses.
func (w *wave) lanesInLDS(m *memInfo) (in uint64) {
	lanes := w.exec()
	w.globalAddresses(m, lanes)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		if w.mem.addr[l]>>32 == device.GroupAperture>>32 {
			in |= 1 << l
		}
	}
	return in
}

// performLocals performs all LDS instructions of a wave.
func (x *weakWave) performLocals(w *wave) {
	for len(x.locals) > 0 && w.stop != faulted {
		x.performLocal(w)
	}
}

// performLocal performs the first LDS instruction of a wave.
func (x *weakWave) performLocal(w *wave) {
	p := x.locals[0]
	if x.locals = append(x.locals[:0], x.locals[1:]...); len(x.locals) == 0 {
		x.sched.removeLocal(w)
	}
	k := &p.local
	at, m0, exec, ctx := w.at, w.m0(), w.exec(), w.ctx
	p.saveResults(w)
	k.swap(w)
	w.at, w.ctx = k.at, k.ctx
	w.setM0(k.m0)
	w.setMask(sExec, p.lanes)
	if k.op.ds != nil {
		k.op.ds.run(w, k.op)
	} else {
		p.facts.run(w, k.op)
	}
	p.takeResults(w)
	slices.Reverse(k.sources) // a register may be listed twice
	k.swap(w)
	w.at, w.ctx = at, ctx
	w.setM0(m0)
	w.setMask(sExec, exec)
	if p.Left--; p.Left == 0 {
		x.OperationDone()
	}
}

// swap exchanges the values of the source registers with the saved ones.
func (k *weakLocal) swap(w *wave) {
	for i := range k.sources {
		s := &k.sources[i]
		reg := w.v[s.at:][:w.lanes]
		for l, v := range reg {
			reg[l], s.v[l] = s.v[l], v
		}
	}
}

// setM0 writes M0.
func (w *wave) setM0(v uint32) { w.s[reguse.M0Code(w.dev.set)] = v }

// removeLocal removes a wave whose LDS instructions have all been performed.
func (s *weakSched) removeLocal(w *wave) {
	for i, x := range s.locals {
		if x == w {
			last := len(s.locals) - 1
			s.locals[i] = s.locals[last]
			s.locals = s.locals[:last]
			return
		}
	}
}
