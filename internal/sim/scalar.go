package sim

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// prepareScalar prepares a SOP1, SOP2, SOPC or SOPK instruction.
func prepareScalar(d *Device, o *op) bool {
	o.class = classSALU
	e := o.in.Enc
	if f := specials.From(makeSpecials)[e.Name()]; f != nil {
		return f(d, o)
	}
	if x := sem.ExecOp(e.Op()); x != nil {
		return o.bindExecOp(x)
	}
	row := sem.Of(e.Op())
	if row == nil {
		return false
	}
	o.setRow(row)
	if !o.bindScalar(e) {
		return false
	}
	t := e.Traits()
	if t.Any(isa.TraitUseScc) {
		o.flags |= flagUsesSCC
	}
	if t.Any(isa.TraitDefScc) {
		o.flags |= flagDefsSCC
	}
	if slices.Contains(row.Sig.Src[:], sem.F16) {
		o.fn = onLowHalves(row.Sig.Src, o.fn)
	}
	switch {
	case row.Flag != nil:
		o.run = runScalarFlag
	case o.dtype == sem.Bool:
		o.run = runScalarCompare
	default:
		o.run = runScalar
	}
	return true
}

// onLowHalves returns an operation that ignores the high halves of the registers
// with its sources of half precision.
func onLowHalves(types [3]sem.Type, fn sem.Func) sem.Func {
	var masks [3]uint64
	for i, t := range types {
		if masks[i] = 1<<64 - 1; t == sem.F16 {
			masks[i] = 1<<16 - 1
		}
	}
	return func(c *sem.Ctx, s0, s1, s2 uint64) uint64 { return fn(c, s0&masks[0], s1&masks[1], s2&masks[2]) }
}

// bindScalar binds the operands of a scalar instruction. A SOPK destination is
// also a source if the operation has one more source than the instruction.
func (o *op) bindScalar(e isa.Enc) bool {
	in := &o.in
	ops := e.Operands()
	for i := range ops {
		p := &ops[i]
		switch p.Field {
		case isa.FieldSdst:
			if e.Form() == isa.SOPK && o.dtype == sem.Bool || o.dtype == sem.None { // s_cmpk compares the register
				if !o.addScalar(p) {
					return false
				}
				continue
			}
			o.dst = o.scalarDst(p)
		case isa.FieldSimm16:
			o.src[o.nsrc] = operand{kind: inConst, val: uint64(in.Field(isa.FieldSimm16))}
			o.nsrc++
		case isa.FieldImm:
			o.src[o.nsrc] = operand{kind: inConst, val: in.Literal()}
			o.nsrc++
		case isa.FieldSrc0, isa.FieldSrc1:
			if !o.addScalar(p) {
				return false
			}
		}
	}
	if n := int(o.nsrc); n < 3 && o.row.Sig.Src[n] != sem.None && o.dst.kind == inScalar {
		o.src[n] = o.dst
		o.nsrc++
	}
	return true
}

func (o *op) addScalar(p *isa.OperandInfo) bool {
	if int(o.nsrc) == len(o.src) {
		return false
	}
	r, ok := o.read(p, o.srcType(int(o.nsrc)))
	if !ok {
		return false
	}
	o.src[o.nsrc] = r
	o.nsrc++
	return true
}

// scalarDst returns the destination for a scalar operand. Writes to null go to
// an unused element of wave.s.
func (o *op) scalarDst(p *isa.OperandInfo) operand {
	v := o.in.Operand(p)
	r := operand{kind: inScalar, off: int32(v.Num), dwords: max(v.Dwords, 1)}
	if int(v.Num) == reguse.NullCode(o.in.Set) || v.Kind != isa.ScalarReg || v.Num >= 128 {
		r.off = sTrash
	}
	return r
}

func runScalar(w *wave, o *op) {
	w.setScalar(&o.dst, o.fn(&w.ctx, w.scalar(&o.src[0]), w.scalar(&o.src[1]), w.scalar(&o.src[2])))
}

func runScalarFlag(w *wave, o *op) {
	r, f := o.flag(&w.ctx, w.scalar(&o.src[0]), w.scalar(&o.src[1]), w.scalar(&o.src[2]), w.scc)
	if o.flags&flagDefsSCC != 0 {
		w.scc = f
	}
	if o.dst.kind == inScalar {
		w.setScalar(&o.dst, r)
	}
}

func runScalarCompare(w *wave, o *op) {
	w.scc = o.fn(&w.ctx, w.scalar(&o.src[0]), w.scalar(&o.src[1]), 0)&1 != 0
}

// bindExecOp binds s_*_saveexec and s_*_wrexec.
func (o *op) bindExecOp(x *sem.ExecRow) bool {
	o.exec = x
	o.run = runExecOp
	return o.bindPlain()
}

func runExecOp(w *wave, o *op) {
	old := uint64(w.s[sExec]) | uint64(w.s[sExec+1])<<32
	if o.exec.Bits == 32 {
		old &= 0xffffffff
	}
	v := o.exec.Fn(old, w.scalar(&o.src[0]))
	w.s[sExec] = uint32(v)
	if o.exec.Bits == 64 {
		w.s[sExec+1] = uint32(v >> 32)
	}
	w.scc = v != 0
	if !o.exec.Write {
		v = old
	}
	w.setScalar(&o.dst, v)
}
