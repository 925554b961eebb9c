package ir

// Compact renumbers the values and blocks of a function in textual order,
// without the holes that erased entries left, and frees memory. It returns the
// new numbers by old number; None and 0 mark erased entries. All numbers stored
// elsewhere become invalid. Updating block addresses in constants would need
// the module's lock and is left to the caller. With fixedBlocks, Compact keeps
// the block numbers.
func (f *Function) Compact(fixedBlocks bool) (values []Value, blocks []Block) {
	mp := NewMapper(f)
	if f.entry == 0 {
		return mp.Values, mp.Blocks
	}
	to := &Function{Global: f.Global, nArgs: f.nArgs}
	to.instrs = make([]Instr, 1+f.nArgs, len(f.instrs)-f.holes+1)
	copy(to.instrs, f.instrs[:1+f.nArgs])
	for i := 1; i <= f.nArgs; i++ {
		a := &to.instrs[i]
		a.firstUse = 0
		mp.Values[i] = Value(i)
		if name := f.NameOf(Value(i)); name != nil {
			to.SetName(Value(i), name)
		}
	}
	to.startBody()
	to.pool = make([]Operand, 1, len(f.pool))
	if fixedBlocks {
		to.copyBlockNumbers(f)
		for b := range mp.Blocks {
			mp.Blocks[b] = Block(b)
		}
		to.copyInto(f, mp)
	} else {
		to.CopyBody(f, mp)
	}
	f.instrs, f.pool, f.blocks, f.entry, f.last = to.instrs, to.pool, to.blocks, to.entry, to.last
	f.freeOps, f.names, f.aux, f.atts, f.bundles = to.freeOps, to.names, to.aux, to.atts, to.bundles
	f.recordUses, f.holes = to.recordUses, 0
	return mp.Values, mp.Blocks
}

// copyBlockNumbers creates in f an empty block for each block of another
// function, with the same numbers.
func (f *Function) copyBlockNumbers(from *Function) {
	f.blocks = append(f.blocks[:0], from.blocks...)
	f.entry, f.last = from.entry, from.last
	for i := range f.blocks {
		d := &f.blocks[i]
		d.first, d.last, d.firstUse, d.name = None, None, 0, 0
		if name := from.NameOf(Block(i).Value()); name != nil {
			f.SetName(Block(i).Value(), name)
		}
	}
}

// Discard removes the body: the function becomes a declaration.
func (f *Function) Discard() {
	f.instrs = f.instrs[:1+f.nArgs]
	for i := 1; i <= f.nArgs; i++ {
		f.instrs[i].firstUse = 0
	}
	f.pool, f.blocks, f.entry, f.last = nil, nil, 0, 0
	f.freeOps = [maxFreeOps + 1]uint32{}
	f.aux, f.atts, f.bundles, f.recordUses, f.holes = nil, nil, nil, nil, 0
}

// A GlobalUse is a use of a global or another constant.
type GlobalUse struct {
	Func *Function // nil for a use by From's initializer
	Use  Use       // operand in Func's body; 0 for Func's personality, prefix or prologue data
	From *Global   // global whose initializer contains the use
}

// GlobalUses returns the direct uses, in instructions and initializers, of
// constants for which want returns true. Uses are in module order. GlobalUses
// does not search the operands of constants; want may call [Module.Reaches].
func (m *Module) GlobalUses(want func(Value) bool) []GlobalUse {
	var uses []GlobalUse
	for _, g := range m.globals {
		if g == nil {
			continue
		}
		if g.Init != None && want(g.Init) {
			uses = append(uses, GlobalUse{From: g})
		}
		if g.Func != nil {
			uses = g.Func.constUses(uses, want)
		}
	}
	return uses
}

func (f *Function) constUses(uses []GlobalUse, want func(Value) bool) []GlobalUse {
	for _, v := range []Value{f.Personality, f.Prefix, f.Prologue} {
		if v != None && want(v) {
			uses = append(uses, GlobalUse{Func: f})
		}
	}
	for b := f.entry; b != 0; b = f.blocks[b].next {
		for v := f.First(b); v != None; v = f.Next(v) {
			for i, o := range f.Operands(v) {
				if o.Value.IsConst() && want(o.Value) {
					uses = append(uses, GlobalUse{Func: f, Use: f.UseOf(v, i)})
				}
			}
		}
	}
	return uses
}

// Reaches reports whether v is target or has it as a direct or indirect
// operand.
func (m *Module) Reaches(v, target Value) bool {
	if v == target {
		return true
	}
	for _, o := range m.ConstOperands(v) {
		if m.Reaches(o, target) {
			return true
		}
	}
	return false
}

// DropBlockAddresses replaces the block addresses of fn, whose body is about to
// be removed, by inttoptr of 1, as LLVM does.
func (m *Module) DropBlockAddresses(fn Value) {
	for i := range m.consts.all.n {
		if c := m.consts.all.at(i); c.Kind == ConstBlockAddress && (*m.consts.ops.at(c.a))[0] == fn {
			m.ResolveAs(constValue(i), m.NewExpr(OpIntToPtr, c.Type, 0, m.NewInt(I32, 1)))
		}
	}
}
