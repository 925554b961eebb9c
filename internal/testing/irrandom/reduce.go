package irrandom

import (
	"slices"
	"time"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
)

// Reduce minimizes a module that reproduces a failure. It removes functions,
// branches and instructions as long as fails reports that the module still
// fails. fails may modify the module, and must return false for a module that
// fails for another reason. Reduce returns the text of the reduced module after
// at most limit.
func Reduce(src []byte, limit time.Duration, fails func(m *ir.Module) bool) []byte {
	r := &reducer{src: src, fails: fails, end: time.Now().Add(limit)}
	for {
		size := len(r.src)
		r.rounds(functionEdits)
		r.rounds(branchEdits)
		r.rounds(mergeEdits)
		r.rounds(instrEdits)
		r.rounds(argumentEdits)
		if len(r.src) >= size || time.Now().After(r.end) {
			return r.src
		}
	}
}

type reducer struct {
	src   []byte
	fails func(m *ir.Module) bool
	end   time.Time
}

// edit is a modification of a module. The edits of a list are applied in
// sequence.
type edit func()

// parse returns a fresh copy of the module.
func (r *reducer) parse() *ir.Module {
	m, errs := text.Parse("reduce.ll", r.src)
	if errs.HasErrors() {
		return nil
	}
	return m
}

// rounds tries to apply many of the edits at once, then fewer.
func (r *reducer) rounds(edits func(m *ir.Module) []edit) {
	m := r.parse()
	if m == nil {
		return
	}
	for chunk := len(edits(m)); chunk > 0; chunk /= 2 {
		for at := 0; ; {
			if time.Now().After(r.end) {
				return
			}
			m := r.parse()
			list := edits(m)
			if at >= len(list) {
				break
			}
			for _, e := range list[at:min(at+chunk, len(list))] {
				e()
			}
			if !r.keep(m) {
				at += chunk
			}
		}
	}
}

// keep adopts a modified module if it still fails.
func (r *reducer) keep(m *ir.Module) bool {
	for _, g := range m.Globals() {
		if g != nil && g.Func != nil && !g.IsDeclaration() {
			dropUnreachable(g.Func)
		}
	}
	src := text.Print(m)
	again, errs := text.Parse("reduce.ll", src)
	if errs.HasErrors() || len(src) >= len(r.src) || !r.fails(again) {
		return false
	}
	r.src = src
	return true
}

// usedGlobals returns the constants that functions or variables refer to.
func usedGlobals(m *ir.Module) map[ir.Value]bool {
	used := map[ir.Value]bool{}
	var note func(v ir.Value) bool
	note = func(v ir.Value) bool {
		if !used[v] {
			used[v] = true
			for _, o := range m.ConstOperands(v) {
				note(o)
			}
		}
		return false
	}
	m.GlobalUses(note)
	return used
}

// functionEdits removes functions and variables. Their uses become poison.
func functionEdits(m *ir.Module) (list []edit) {
	used := usedGlobals(m)
	for _, g := range m.Globals() {
		if g == nil {
			continue
		}
		list = append(list, func() {
			if g.Func != nil && !g.IsDeclaration() {
				g.Func.Discard()
			}
			if !used[g.Value()] {
				m.RemoveGlobal(g)
			}
		})
	}
	return list
}

// argumentEdits removes kernel parameters and attributes. Uses of the
// parameters become zero.
func argumentEdits(m *ir.Module) (list []edit) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() || !g.Func.CC.IsKernel() {
			continue
		}
		for i := g.Func.NumArgs() - 1; i >= 0; i-- {
			if at := ir.AttrParams + i; m.AttrsAt(g.Func.Attributes, at) != 0 {
				list = append(list, func() { g.Func.Attributes = m.WithAttrsAt(g.Func.Attributes, at, 0) })
			}
			list = append(list, func() { dropArgument(g, i) })
		}
		if m.AttrsAt(g.Func.Attributes, ir.AttrFunction) != 0 {
			list = append(list, func() { g.Func.Attributes = m.WithAttrsAt(g.Func.Attributes, ir.AttrFunction, 0) })
		}
	}
	return list
}

// dropArgument replaces a function by a function without one parameter. The
// caller must remove the last of several parameters first to keep the indices
// valid.
func dropArgument(g *ir.Global, drop int) {
	m, old := g.Module(), g.Func
	info := m.TypeInfo(g.Type)
	params := slices.Delete(slices.Clone(info.Elems), drop, drop+1)
	f := m.AddFunction("", m.FuncType(info.Elem, params, false), g.AddrSpace, ir.None)
	f.CC = old.CC
	mp := ir.NewMapper(old)
	sets := []ir.AttrSet{m.AttrsAt(old.Attributes, ir.AttrFunction), m.AttrsAt(old.Attributes, ir.AttrResult)}
	for i := range old.NumArgs() {
		a := old.Arg(i)
		if i == drop {
			mp.Values[a] = m.Zero(old.TypeOf(a))
			continue
		}
		mp.Values[a] = f.Arg(len(sets) - ir.AttrParams)
		f.SetName(mp.Values[a], old.NameOf(a))
		sets = append(sets, m.AttrsAt(old.Attributes, ir.AttrParams+i))
	}
	f.Attributes = m.AttrList(sets)
	f.CopyBody(old, mp)
	made := f.Global
	g.Func, g.Type, f.Global = f, made.Type, g
	made.Func = nil
	m.RemoveGlobal(made)
}

// eachInstr calls do for every instruction of every function.
func eachInstr(m *ir.Module, do func(f *ir.Function, v ir.Value)) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; {
				next := f.Next(v)
				do(f, v)
				v = next
			}
		}
	}
}

// branchEdits turns conditional branches and switches into unconditional
// branches.
func branchEdits(m *ir.Module) (list []edit) {
	eachInstr(m, func(f *ir.Function, v ir.Value) {
		op := f.Op(v)
		if op != ir.OpBr && op != ir.OpSwitch || f.NumOperands(v) == 1 {
			return
		}
		for _, s := range f.Successors(f.Parent(v)) {
			if s.Value.IsBlock() {
				to := s.Value.Block()
				list = append(list, func() { goTo(f, v, to) })
			}
		}
	})
	return list
}

// goTo replaces a terminator by an unconditional branch to one of its
// successors.
func goTo(f *ir.Function, v ir.Value, to ir.Block) {
	b := f.Parent(v)
	if b == 0 || f.Terminator(b) != v {
		return
	}
	kept := false
	for _, s := range append([]ir.Operand(nil), f.Successors(b)...) {
		if !s.Value.IsBlock() {
			continue
		}
		if t := s.Value.Block(); t == to && !kept {
			kept = true
		} else {
			f.RemovePhiBlock(t, b)
		}
	}
	f.Erase(v)
	ir.NewBuilder(f, b).Br(to)
}

// dropUnreachable erases unreachable blocks.
func dropUnreachable(f *ir.Function) {
	live := map[ir.Block]bool{f.Entry(): true}
	stack := []ir.Block{f.Entry()}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range f.Successors(b) {
			if s.Value.IsBlock() && !live[s.Value.Block()] {
				live[s.Value.Block()] = true
				stack = append(stack, s.Value.Block())
			}
		}
	}
	var dead []ir.Block
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		if !live[b] {
			dead = append(dead, b)
		}
	}
	for _, b := range dead {
		for _, s := range f.Successors(b) {
			if s.Value.IsBlock() && live[s.Value.Block()] {
				f.RemovePhiBlock(s.Value.Block(), b)
			}
		}
	}
	for _, b := range dead {
		f.ClearBlock(b)
	}
	for _, b := range dead {
		f.EraseBlock(b)
	}
}

// mergeEdits merges blocks into their only predecessor if that has no other
// successor.
func mergeEdits(m *ir.Module) (list []edit) {
	for _, g := range m.Globals() {
		if g == nil || g.Func == nil || g.IsDeclaration() {
			continue
		}
		f := g.Func
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			list = append(list, func() { merge(f, b) })
		}
	}
	return list
}

func merge(f *ir.Function, b ir.Block) {
	if !f.IsBlockAlive(b) || b == f.Entry() {
		return
	}
	p := f.SinglePred(b)
	if p == 0 || p == b || f.NumOperands(f.Terminator(p)) != 1 {
		return
	}
	f.Erase(f.Terminator(p))
	for v := f.First(b); v != ir.None; v = f.First(b) {
		f.Unlink(v)
		if f.Op(v) != ir.OpPhi {
			f.Append(p, v)
			continue
		}
		x, _ := f.Incoming(v, 0)
		f.ReplaceUses(v, x)
		f.Erase(v)
	}
	for _, s := range f.Successors(p) {
		if s.Value.IsBlock() {
			f.ReplacePhiBlock(s.Value.Block(), b, p)
		}
	}
	f.EraseBlock(b)
}

// instrEdits removes instructions. Their uses become zero, or an operand of the
// same type.
func instrEdits(m *ir.Module) (list []edit) {
	eachInstr(m, func(f *ir.Function, v ir.Value) {
		if f.Op(v).IsTerminator() {
			return
		}
		t := f.TypeOf(v)
		if t == ir.Void || !f.HasUses(v) {
			list = append(list, func() { f.Erase(v) })
			return
		}
		list = append(list, func() {
			f.ReplaceUses(v, m.Zero(t))
			f.Erase(v)
		})
		for _, o := range f.Operands(v) {
			if x := o.Value; x != v && (x.IsLocal() || x.IsConst()) && f.TypeOf(x) == t && f.Op(v) != ir.OpPhi {
				list = append(list, func() {
					if f.Op(v) != ir.OpNone && f.Op(x) != ir.OpNone || x.IsConst() {
						f.ReplaceUses(v, x)
					}
				})
			}
		}
	})
	return list
}
