package codegen

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// Dual issue: pairs of vector ALU instructions (VOPD), from gfx11 on in wave32.
// Both read their sources before either writes its result. The first
// instruction has the flag mir.Dual, and the second one follows it; later
// passes treat the pair as one instruction.
//
// Sources: RDNA 3 ISA, "VOPD"; LLVM, GCNVOPDUtils.cpp, for the definition of a
// scalar source.

// dualEncs holds the encodings of an operation in each half of a pair, or
// NoEnc.
type dualEncs struct{ x, y isa.Enc }

// dualTables caches dualEncs by set and operation, one in each half of a
// number; 0 means not yet computed.
var dualTables [isa.NumSets]struct {
	once sync.Once
	encs []atomic.Uint32
}

// dualOf returns the dual-issue encodings of an operation.
func dualOf(m *mir.Machine, op mir.Op) dualEncs {
	t := &dualTables[m.Set]
	t.once.Do(func() { t.encs = make([]atomic.Uint32, mir.NumOps) })
	n := t.encs[op].Load()
	if n == 0 {
		d := lookUpDual(m, op)
		n = uint32(d.x) | uint32(d.y)<<16
		t.encs[op].Store(n)
	}
	return dualEncs{isa.Enc(n), isa.Enc(n >> 16)}
}

func lookUpDual(m *mir.Machine, op mir.Op) dualEncs {
	d := dualEncs{isa.NoEnc, isa.NoEnc}
	info := m.Info(op)
	if len(info.Encs) == 0 || op.IsPseudo() {
		return d
	}
	short := info.Short
	if short == isa.NoEnc {
		short = info.Encs[0]
	}
	for _, e := range pairEncs.Get() {
		switch {
		case e.Op().Base() != short.Op() || !e.Sets().Has(m.Set):
		case e.Variant() == isa.DualX:
			d.x = e
		default:
			d.y = e
		}
	}
	return d
}

// pairEncs lists the halves of pairs, except those that multiply by a number:
// their second register is read like an addend, for which other banks apply.
var pairEncs = lazy.Value[[]isa.Enc]{Make: func() (list []isa.Enc) {
	for e := range isa.Enc(isa.NumEncs()) {
		if e.Form() == isa.VOPD && !multipliesNumber(e) {
			list = append(list, e)
		}
	}
	return list
}}

// multipliesNumber reports whether a source follows a number.
func multipliesNumber(e isa.Enc) bool {
	list := e.Operands()
	k := slices.IndexFunc(list, func(o isa.OperandInfo) bool { return o.Field == isa.FieldImm })
	return k >= 0 && k < len(list)-1
}

// dualPairing forms pairs in functions.
type dualPairing struct{ f *mir.Func }

// dualWindow is the number of instructions after another one among which its
// partner is searched.
const dualWindow = 4

func (p *dualPairing) pairInstructions(f *mir.Func) {
	if !f.M.Set.Has(isa.PropVopd) || f.M.Wave != 32 {
		return
	}
	p.f = f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if p.pairs(i) && p.partner(i) {
				i = f.Next(i)
			}
		}
	}
}

// pairs reports whether an instruction can be in a pair.
func (p *dualPairing) pairs(i mir.Instr) bool {
	for _, o := range p.f.Uses(i) {
		if o.Kind != mir.KindReg && o.Kind != mir.KindImm {
			return false
		}
	}
	if p.f.Mods(i) != 0 || p.f.Ext(i) != 0 {
		return false
	}
	d := dualOf(p.f.M, p.f.Op(i))
	return d.x != isa.NoEnc || d.y != isa.NoEnc
}

// partner searches for the second instruction of a pair and moves it there.
func (p *dualPairing) partner(i mir.Instr) bool {
	f := p.f
	j := f.Next(i)
	for n := 0; n < dualWindow && j != 0; n++ {
		if !movable(f, j) {
			return false
		}
		if p.pairs(j) && p.free(i, j) {
			if p.fitPair(i, j) {
				if f.Next(i) != j {
					f.Unlink(j)
					f.InsertAfter(j, i)
				}
				f.SetFlags(i, f.Flags(i)|mir.Dual)
				return true
			}
		}
		j = f.Next(j)
	}
	return false
}

// fitPair reports whether two instructions can form a pair. It exchanges their
// sources if that avoids a conflict of banks.
func (p *dualPairing) fitPair(i, j mir.Instr) bool {
	for _, swapped := range [...]mir.Instr{0, j, i, j} { // the last one has both exchanged
		if swapped != 0 && !p.swapSources(swapped) {
			continue
		}
		if _, ok := encodePair(p.f, i, j); ok {
			return true
		}
	}
	return false
}

// swapSources exchanges the first two sources of an instruction if they are
// vector registers and the result stays the same.
func (p *dualPairing) swapSources(i mir.Instr) bool {
	f := p.f
	if op := f.Op(i); !op.Commutes() && !accumulates(op) {
		return false
	}
	uses := f.Uses(i)
	for _, o := range uses[:2] {
		if o.Kind != mir.KindReg || f.File(o.Reg()) != mir.FileV {
			return false
		}
	}
	uses[0], uses[1] = uses[1], uses[0]
	return true
}

// movable reports whether instructions can be moved across i, which requires a
// plain ALU instruction that does not write EXEC.
func movable(f *mir.Func, i mir.Instr) bool {
	x := f.Info(i)
	if x.Unit != mir.UnitVALU && (x.Unit != mir.UnitSALU || x.Form == isa.SOPP) || x.Flags&(mir.Terminator|mir.Effects|mir.WritesExec) != 0 || f.Op(i).IsPseudo() {
		return false
	}
	for _, o := range f.Defs(i) {
		if o.Reg() == mir.Exec || o.Reg() == mir.M0 {
			return false
		}
	}
	for _, o := range f.Uses(i) {
		if o.Reg() == mir.M0 { // M0 may index registers
			return false
		}
	}
	return !x.Traits.Any(isa.TraitDefMode)
}

// free reports whether j can be moved up to i and issued together with it.
func (p *dualPairing) free(i, j mir.Instr) bool {
	f := p.f
	d := f.Defs(i)[0]
	for _, o := range f.Operands(j) {
		if o.Reg() == d.Reg() {
			return false
		}
	}
	for k := f.Next(i); k != j; k = f.Next(k) {
		if touches(f, k, f.Defs(j)[0]) {
			return false
		}
		for _, o := range f.Defs(k) {
			if touches(f, j, o) {
				return false
			}
		}
	}
	return true
}

// encodePair returns the encoding of a pair in either order, or false if the
// operands do not fit.
func encodePair(f *mir.Func, i, j mir.Instr) (isa.Inst, bool) {
	a, errA := f.Encode(i)
	b, errB := f.Encode(j)
	if errA != nil || errB != nil || !shortForm(&a) || !shortForm(&b) || !banks(f, i, j, &a, &b) || !scalars(&a, &b) || !sameBanks(&a, &b) {
		return isa.Inst{}, false
	}
	x, y := dualOf(f.M, f.Op(i)), dualOf(f.M, f.Op(j))
	switch {
	case x.x != isa.NoEnc && y.y != isa.NoEnc:
		return dualInst(f, x.x, y.y, &a, &b), true
	case y.x != isa.NoEnc && x.y != isa.NoEnc:
		return dualInst(f, y.x, x.y, &b, &a), true
	}
	return isa.Inst{}, false
}

func shortForm(in *isa.Inst) bool {
	return (in.Enc.Form() == isa.VOP1 || in.Enc.Form() == isa.VOP2) && in.Enc.Variant() == isa.Native
}

// banks reports whether results and sources are in different register banks, as
// far as the processor requires it.
func banks(f *mir.Func, i, j mir.Instr, a, b *isa.Inst) bool {
	if (a.Field(isa.FieldVdst)^b.Field(isa.FieldVdst))&1 == 0 {
		return false
	}
	moves := f.M.Set.Has(isa.PropDualMov) && f.Op(i) == mir.VMovB32 && f.Op(j) == mir.VMovB32
	const vgpr = 256
	if s, t := a.Field(isa.FieldSrc0), b.Field(isa.FieldSrc0); !moves && s >= vgpr && t >= vgpr && conflict(f, s, t) {
		return false
	}
	return a.Enc.Form() != isa.VOP2 || b.Enc.Form() != isa.VOP2 || !conflict(f, a.Field(isa.FieldSrc1), b.Field(isa.FieldSrc1))
}

// conflict reports whether two registers cannot be read at once: registers of the
// same bank, except one register if the processor allows it.
func conflict(f *mir.Func, r, s uint32) bool {
	return (r^s)&3 == 0 && (r != s || !f.M.Set.Has(isa.PropDualSame))
}

// sameBanks reports whether no group of operands needs different banks, of those
// that s_set_vgpr_msb selects.
func sameBanks(a, b *isa.Inst) bool {
	change := a.Banks ^ b.Banks
	return change == 0 || change&a.BankedOperands()&b.BankedOperands() == 0
}

// scalars reports whether the pair reads at most two scalar registers and
// literals, and at most one literal.
func scalars(a, b *isa.Inst) bool {
	var list [4]uint32
	n, literals := 0, 0
	note := func(code uint32) {
		for _, c := range list[:n] {
			if c == code {
				return
			}
		}
		list[n] = code
		n++
	}
	for _, in := range [...]*isa.Inst{a, b} {
		if s := in.Field(isa.FieldSrc0); s < 128 {
			note(s)
		}
		if in.Enc.Traits().Any(isa.TraitUseVcc) {
			note(uint32(mir.VCC - mir.SGPR0))
		}
		if in.LiteralSize() > 0 {
			literals = 1
		}
	}
	if a.LiteralSize() > 0 && b.LiteralSize() > 0 && a.Literal() != b.Literal() {
		return false
	}
	return n+literals <= 2
}

// dualInst combines two instructions.
func dualInst(f *mir.Func, x, y isa.Enc, a, b *isa.Inst) isa.Inst {
	in := isa.New(x, f.M.Set, f.M.Wave)
	in.SetField(isa.FieldOpY, uint32(y.Code()))
	in.SetField(isa.FieldVdstX, a.Field(isa.FieldVdst))
	in.SetField(isa.FieldVdstY, b.Field(isa.FieldVdst)>>1)
	in.SetField(isa.FieldSrc0X, a.Field(isa.FieldSrc0))
	in.SetField(isa.FieldSrc0Y, b.Field(isa.FieldSrc0))
	if a.Enc.Form() == isa.VOP2 {
		in.SetField(isa.FieldSrc1X, a.Field(isa.FieldSrc1))
	}
	if b.Enc.Form() == isa.VOP2 {
		in.SetField(isa.FieldSrc1Y, b.Field(isa.FieldSrc1))
	}
	in.Banks = a.Banks | b.Banks
	for _, half := range [...]*isa.Inst{a, b} {
		if half.LiteralSize() > 0 {
			in.SetLiteral(half.Literal(), 4)
		}
	}
	return in
}

// isDual reports whether an instruction is the first one of a pair.
func isDual(f *mir.Func, i mir.Instr) bool { return f.Flags(i)&mir.Dual != 0 }

// encodeAny encodes an instruction, or the pair that begins with it.
func encodeAny(f *mir.Func, i mir.Instr) (isa.Inst, error) {
	if !isDual(f, i) {
		return f.Encode(i)
	}
	in, ok := encodePair(f, i, f.Next(i))
	if !ok {
		panic("BUG: codegen: instructions cannot form a pair")
	}
	return in, nil
}

// nextWhole returns the instruction that follows i, or the pair that begins
// with i.
func nextWhole(f *mir.Func, i mir.Instr) mir.Instr {
	if isDual(f, i) {
		i = f.Next(i)
	}
	return f.Next(i)
}
