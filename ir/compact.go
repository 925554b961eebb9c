package ir

// Compact renumbers the values and blocks of a function in the order of the text, without the holes that erased ones
// left, and gives memory back. It gives the new numbers by the old ones (None or 0 for what is gone). All numbers that are kept elsewhere
// are wrong afterwards; addresses of blocks in constants are mended by the caller, which the module's lock
// would need: so Compact leaves block numbers alone when fixedBlocks is set.
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

// copyBlockNumbers gives f the blocks of another function, empty, with the same numbers.
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

// Discard takes the body away: the function becomes a declaration.
func (f *Function) Discard() {
	f.instrs = f.instrs[:1+f.nArgs]
	for i := 1; i <= f.nArgs; i++ {
		f.instrs[i].firstUse = 0
	}
	f.pool, f.blocks, f.entry, f.last = nil, nil, 0, 0
	f.freeOps = [maxFreeOps + 1]uint32{}
	f.aux, f.atts, f.bundles, f.recordUses, f.holes = nil, nil, nil, nil, 0
}

// A GlobalUse is a place that uses a global or another constant.
type GlobalUse struct {
	Func *Function // nil for a use by Global's initializer
	Use  Use       // operand in Func's body; 0 for personality, prefix or prologue data of Func
	From *Global   // whose initializer it is
}

// GlobalUses collects the direct uses of constants for which want is true, in instructions and initializers, in the order of the
// module. Uses within other constants are not looked for: want may ask [Module.Reaches].
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

// Reaches reports whether a constant is target or has it as an operand, however deep.
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

// DropBlockAddresses makes the addresses of blocks of a function, whose body goes, the number 1 as a pointer, as LLVM does.
func (m *Module) DropBlockAddresses(fn Value) {
	for i := range m.consts.all.n {
		if c := m.consts.all.at(i); c.Kind == ConstBlockAddress && (*m.consts.ops.at(c.a))[0] == fn {
			m.ResolveAs(constValue(i), m.NewExpr(OpIntToPtr, c.Type, 0, m.NewInt(I32, 1)))
		}
	}
}
