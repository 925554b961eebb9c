package codegen

import "github.com/gfx-toolchain/gfx/internal/compiler/mir"

// waveVar is a variable of the wave that several blocks define and use. resolve
// converts it to SSA form on the linear edges. (M. Braun et al., "Simple and
// Efficient Construction of Static Single Assignment Form", 2013; here all
// edges are known, so phis are only created where two definitions meet or a
// loop begins.)
type waveVar struct {
	f       *mir.Func
	file    mir.File
	dwords  int
	initial mir.Operand // its value before any definition
	defs    map[mir.Block]mir.Operand
	begins  map[mir.Block]mir.Operand
	uses    []varUse
	phis    []mir.Instr        // created by resolve, 0 for redundant ones
	reached map[mir.Block]bool // blocks at whose start the value may differ from the initial one
}

// varUse is a source that reads the variable at the start of a block.
type varUse struct {
	b mir.Block
	i mir.Instr
	n int
}

func newWaveVar(f *mir.Func, file mir.File, dwords int, initial mir.Operand) waveVar {
	return waveVar{f: f, file: file, dwords: dwords, initial: initial, defs: map[mir.Block]mir.Operand{}, begins: map[mir.Block]mir.Operand{}}
}

// define sets the variable at the end of a block.
func (v *waveVar) define(b mir.Block, o mir.Operand) { v.defs[b] = o }

// use sets source n of an instruction to the variable at the start of the
// instruction's block.
func (v *waveVar) use(b mir.Block, i mir.Instr, n int) { v.uses = append(v.uses, varUse{b, i, n}) }

// resolve fills in the sources, and creates phis where needed.
func (v *waveVar) resolve() {
	v.reach()
	for _, u := range v.uses {
		o := v.begin(u.b)
		*v.f.Use(u.i, u.n) = o
	}
	for again := true; again; {
		again = false
		for n, i := range v.phis {
			if o, ok := v.same(i); i != 0 && ok {
				v.replace(v.f.Def(i, 0), o)
				v.f.Erase(i)
				v.phis[n] = 0
				again = true
			}
		}
	}
}

// reach finds the blocks that a definition reaches: no phi is needed elsewhere.
func (v *waveVar) reach() {
	v.reached = map[mir.Block]bool{}
	var list []mir.Block
	for b, o := range v.defs {
		if o != v.initial {
			list = append(list, b)
		}
	}
	for len(list) > 0 {
		b := list[len(list)-1]
		list = list[:len(list)-1]
		for _, s := range v.f.LinearSuccs(b) {
			if v.reached[s] {
				continue
			}
			v.reached[s] = true
			if _, ok := v.defs[s]; !ok {
				list = append(list, s)
			}
		}
	}
}

// same returns the only value of a phi besides its own.
func (v *waveVar) same(phi mir.Instr) (o mir.Operand, ok bool) {
	if phi == 0 {
		return o, false
	}
	f := v.f
	uses := f.Uses(phi)
	for n := 0; n < len(uses); n += 2 {
		switch x := uses[n]; {
		case x.Reg() == f.Def(phi, 0), ok && x == o:
		case ok:
			return o, false
		default:
			o, ok = x, true
		}
	}
	return o, ok
}

// replace replaces a phi's value wherever the variable is used.
func (v *waveVar) replace(phi mir.Reg, o mir.Operand) {
	f := v.f
	for _, u := range v.uses {
		if x := f.Use(u.i, u.n); x.Reg() == phi {
			*x = o
		}
	}
	for _, i := range v.phis {
		if i == 0 {
			continue
		}
		uses := f.Uses(i)
		for n := 0; n < len(uses); n += 2 {
			if uses[n].Reg() == phi {
				uses[n] = o
			}
		}
	}
}

// end returns the value at the end of a block.
func (v *waveVar) end(b mir.Block) mir.Operand {
	if o, ok := v.defs[b]; ok {
		return o
	}
	return v.begin(b)
}

// begin returns the value at the start of a block.
func (v *waveVar) begin(b mir.Block) mir.Operand {
	if o, ok := v.begins[b]; ok {
		return o
	}
	f := v.f
	preds := f.LinearPreds(b)
	if len(preds) == 0 || !v.reached[b] {
		return v.initial
	}
	if len(preds) == 1 {
		o := v.end(preds[0])
		v.begins[b] = o
		return o
	}
	phi := mir.R(f.NewReg(v.file, v.dwords))
	v.begins[b] = phi
	operands := []mir.Operand{phi}
	for _, p := range preds {
		operands = append(operands, v.end(p), mir.Target(p))
	}
	i := f.NewInstr(mir.LinearPhi, 1, operands...)
	f.Prepend(b, i)
	v.phis = append(v.phis, i)
	return phi
}
