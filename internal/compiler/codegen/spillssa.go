package codegen

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
)

// spillSSA rewrites each use of a value with several names to the reaching
// name. It reconstructs SSA form, with phis where different names meet. (M.
// Braun et al., "Simple and Efficient Construction of Static Single Assignment
// Form", 2013.)
type spillSSA struct {
	s      *spiller
	f      *mir.Func
	origin []int32             // by register: the value that it names, 0 if that has no other names
	last   map[nameKey]mir.Reg // name of a value at the end of a block that defines one
	begin  map[nameKey]mir.Reg // name of a value at the start of a block
	same   map[mir.Reg]mir.Reg // replacements of names
	phis   []mir.Instr         // created phis; 0 for redundant ones
	now    map[int32]mir.Reg   // names in the current block
}

type nameKey struct {
	b mir.Block
	v int32
}

func (x *spillSSA) restoreSSA(s *spiller) {
	if len(s.reloads) == 0 {
		return
	}
	f := s.f
	*x = spillSSA{s: s, f: f, origin: zeroed(x.origin, f.NumVirtual()), last: map[nameKey]mir.Reg{}, begin: map[nameKey]mir.Reg{},
		same: map[mir.Reg]mir.Reg{}, phis: x.phis[:0], now: map[int32]mir.Reg{}}
	for _, r := range s.reloads {
		x.origin[r.to.Index()] = r.v
		x.origin[r.v] = r.v
	}
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for _, o := range f.Defs(i) {
				if v := x.valueOf(&o); v != 0 {
					x.last[nameKey{b, v}] = o.Reg()
				}
			}
		}
	}
	for _, b := range f.Layout {
		x.block(b)
	}
	x.simplify()
	x.dropUnused()
}

// dropUnused removes original definitions of rematerialized constants that are
// unused.
func (x *spillSSA) dropUnused() {
	f := x.f
	used := make([]bool, len(x.origin))
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for n := range f.Uses(i) {
				if o := f.Use(i, n); o.IsVirtual() && o.Reg().Index() < len(used) {
					used[o.Reg().Index()] = true
				}
			}
		}
	}
	for v, again := range x.s.again {
		if again && x.s.spilled[v] && !used[v] {
			f.Erase(f.DefOf(mir.Virtual(v)))
		}
	}
}

// valueOf returns the value that an operand names, 0 for all others.
func (x *spillSSA) valueOf(o *mir.Operand) int32 {
	if r := o.Reg(); o.IsVirtual() && r.Index() < len(x.origin) {
		return x.origin[r.Index()]
	}
	return 0
}

func (x *spillSSA) block(b mir.Block) {
	f := x.f
	clear(x.now)
	for i := f.First(b); i != 0; i = f.Next(i) {
		phi := f.Op(i).IsPhi()
		for n := range len(f.Uses(i)) {
			o := *f.Use(i, n)
			v := x.valueOf(&o)
			if v == 0 || o.Flags&mir.Undef != 0 {
				continue
			}
			var r mir.Reg
			if phi {
				r = x.atEnd(f.Use(i, n+1).Block(), v)
			} else {
				r = x.here(b, v)
			}
			*f.Use(i, n) = rename(o, r)
		}
		for n := range f.Defs(i) {
			o := &f.Defs(i)[n]
			if v := x.valueOf(o); v != 0 {
				x.now[v] = o.Reg()
			}
		}
	}
}

// rename returns the same part of another register.
func rename(o mir.Operand, r mir.Reg) mir.Operand {
	to := mir.Part(r, int(o.Sub), int(o.N))
	to.Flags = o.Flags
	return to
}

// here returns the name of a value in the current block.
func (x *spillSSA) here(b mir.Block, v int32) mir.Reg {
	if r, ok := x.now[v]; ok {
		return r
	}
	r := x.atStart(b, v)
	x.now[v] = r
	return r
}

func (x *spillSSA) atEnd(b mir.Block, v int32) mir.Reg {
	if r, ok := x.last[nameKey{b, v}]; ok {
		return r
	}
	return x.atStart(b, v)
}

// atStart returns the name of a value at the start of a block.
func (x *spillSSA) atStart(b mir.Block, v int32) mir.Reg {
	key := nameKey{b, v}
	if r, ok := x.begin[key]; ok {
		return r
	}
	f := x.f
	preds := x.s.preds(b)
	switch len(preds) {
	case 0:
		panic(fmt.Sprintf("BUG: codegen: %%%d has no reaching definition in bb%d of %s", v, b, f.Name))
	case 1:
		r := x.atEnd(preds[0], v)
		x.begin[key] = r
		return r
	}
	r := f.NewReg(x.s.file, x.s.dwords(v))
	x.begin[key] = r
	operands := []mir.Operand{mir.R(r)}
	for _, p := range preds {
		operands = append(operands, mir.R(x.atEnd(p, v)), mir.Target(p))
	}
	op := mir.LinearPhi
	if x.s.isVector() {
		op = mir.Phi
	}
	i := f.NewInstr(op, 1, operands...)
	f.Prepend(b, i)
	x.phis = append(x.phis, i)
	return r
}

// replacement returns the replacement of a name.
func (x *spillSSA) replacement(r mir.Reg) mir.Reg {
	for {
		to, ok := x.same[r]
		if !ok {
			return r
		}
		r = to
	}
}

// simplify removes phis that have only one value.
func (x *spillSSA) simplify() {
	f := x.f
	for again := true; again; {
		again = false
		for n, i := range x.phis {
			if i == 0 {
				continue
			}
			if r := x.only(i); r != mir.NoReg {
				x.same[f.Def(i, 0)] = r
				f.Erase(i)
				x.phis[n], again = 0, true
			}
		}
	}
	if len(x.same) == 0 {
		return
	}
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			for n := range f.Uses(i) {
				if o := f.Use(i, n); o.IsVirtual() {
					if r := x.replacement(o.Reg()); r != o.Reg() {
						*o = rename(*o, r)
					}
				}
			}
		}
	}
}

// only returns the single register that all sources of a phi share, or NoReg.
func (x *spillSSA) only(i mir.Instr) (only mir.Reg) {
	f := x.f
	self := f.Def(i, 0)
	uses := f.Uses(i)
	for n := 0; n < len(uses); n += 2 {
		switch r := x.replacement(uses[n].Reg()); {
		case r == self, r == only:
		case only != mir.NoReg:
			return mir.NoReg
		default:
			only = r
		}
	}
	return only
}
