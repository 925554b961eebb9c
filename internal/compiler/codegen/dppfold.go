package codegen

import (
	"math"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// dppFold is an operation that can move its first source between lanes itself.
type dppFold struct {
	op       mir.Op
	identity int64 // the first source for which the result is the second one
	has      bool  // there is such a source
}

// dppFolds lists operations whose first two sources can be exchanged.
var dppFolds = [...]dppFold{
	{mir.VAddNcU32, 0, true}, {mir.VOrB32, 0, true}, {mir.VXorB32, 0, true}, {mir.VAndB32, -1, true},
	{mir.VMaxU32, 0, true}, {mir.VMinU32, -1, true}, {mir.VMaxI32, math.MinInt32, true}, {mir.VMinI32, math.MaxInt32, true},
	{op: mir.VAddF32}, {op: mir.VMulF32}, {op: mir.VMaxNumF32}, {op: mir.VMinNumF32},
}

// maxDPPDistance is the maximum number of instructions between a move and its
// user.
const maxDPPDistance = 64

// foldMoves lets the only user of a move between lanes do the move itself.
func (p *peephole) foldMoves() {
	f := p.f
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; {
			next := f.Next(i)
			if f.Op(i) == mir.VMovB32 && f.Ext(i).Kind() == mir.ExtDPP && f.Mods(i) == 0 && f.Flags(i) == 0 {
				p.foldMove(i)
			}
			i = next
		}
	}
}

// foldMove folds a move between lanes into its user, if possible.
func (p *peephole) foldMove(i mir.Instr) {
	f := p.f
	moved, from := f.Def(i, 0), *f.Use(i, 0)
	if !moved.IsVirtual() || p.uses[moved.Index()] != 1 || !p.isVector(&from) {
		return
	}
	user := p.userInBlock(i, moved)
	if user == 0 || f.Ext(user) != 0 || f.Mods(user) != 0 || f.Flags(user) != 0 || len(f.Uses(user)) != 2 || f.Info(user).DPP == isa.NoEnc {
		return
	}
	other := *f.Use(user, 0)
	if other.IsVirtual() && other.Reg() == moved {
		other = *f.Use(user, 1)
	}
	if !p.isVector(&other) {
		return
	}
	for k := range dppFolds {
		if fold := &dppFolds[k]; fold.op == f.Op(user) {
			p.foldInto(user, i, fold, from, other)
			return
		}
	}
}

// isVector reports whether an operand is a whole dword in a VGPR.
func (p *peephole) isVector(o *mir.Operand) bool {
	return o.IsVirtual() && o.Flags&mir.Undef == 0 && p.f.File(o.Reg()) == mir.FileV && p.f.OperandDwords(o) == 1
}

// userInBlock returns the user of a register in the rest of the block of its
// definition, or 0 if the active lanes may be different there.
func (p *peephole) userInBlock(i mir.Instr, r mir.Reg) mir.Instr {
	f := p.f
	k := f.Next(i)
	for range maxDPPDistance {
		if k == 0 || f.Info(k).Flags&mir.WritesExec != 0 || f.Op(k) == mir.Asm || f.Flags(k)&mir.WholeWave != 0 {
			return 0
		}
		for _, o := range f.Uses(k) {
			if o.IsVirtual() && o.Reg() == r {
				return k
			}
		}
		k = f.Next(k)
	}
	return 0
}

// foldInto folds a move into its user, if the result is the same in the lanes
// to which nothing is moved: they must have the identity, so that the result is
// the other source.
func (p *peephole) foldInto(user, move mir.Instr, fold *dppFold, from, other mir.Operand) {
	f := p.f
	d := f.Ext(move).DPP()
	operands := []mir.Operand{f.Defs(user)[0], from, other}
	if !d.BoundCtrl || d.RowMask != 15 || d.BankMask != 15 {
		if !fold.has || len(f.Uses(move)) != 2 || !p.isConstant(f.Use(move, 1), fold.identity) || f.Dwords(other.Reg()) != 1 {
			return
		}
		operands = append(operands, other)
		p.uses[other.Reg().Index()]++
	}
	f.SetOperands(user, 1, operands...)
	f.SetExt(user, f.Ext(move))
	p.uses[from.Reg().Index()]++
	p.uses[f.Def(move, 0).Index()]--
	p.erase(move)
}

// isConstant reports whether an operand is a register with a 32-bit constant.
func (p *peephole) isConstant(o *mir.Operand, imm int64) bool {
	f := p.f
	if !o.IsVirtual() || o.Flags&mir.Undef != 0 {
		return false
	}
	d := f.DefOf(o.Reg())
	return d != 0 && f.Op(d) == mir.VMovB32 && f.Ext(d) == 0 && f.Use(d, 0).Kind == mir.KindImm && int32(f.Use(d, 0).Imm) == int32(imm)
}
