package prepare

import "github.com/gfx-toolchain/gfx/ir"

// replaceFunction replaces a function by one with another type. moveBody copies
// the body, if the function has one, from the old function to the new one.
func replaceFunction(m *ir.Module, g *ir.Global, t ir.Type, attrs ir.AttrList, moveBody func(f, old *ir.Function)) {
	old := g.Func
	f := m.AddFunction("", t, g.AddrSpace, ir.None)
	f.CC, f.GC, f.Personality, f.Prefix, f.Prologue = old.CC, old.GC, old.Personality, old.Prefix, old.Prologue
	f.Attributes = attrs
	made := f.Global
	if !old.IsDeclaration() {
		moveBody(f, old)
	}
	g.Func, g.Type, f.Global = f, made.Type, g
	made.Func = nil
	m.RemoveGlobal(made)
}

// callWith inserts a copy of a call with another function type, other arguments
// and attributes. It keeps the operands after the arguments.
func callWith(b *ir.Builder, call ir.Value, t ir.Type, args []ir.Value, attrs ir.AttrList) ir.Value {
	f := b.F
	before := len(f.Args(call))
	bundles := append([]ir.Bundle(nil), f.Bundles(call)...)
	for i := range bundles {
		bundles[i].First += uint32(len(args) - before)
	}
	for _, o := range f.Operands(call)[before:] {
		args = append(args, o.Value)
	}
	n := b.Make(ir.OpCall, f.Module().TypeInfo(t).Elem, args...)
	in, old := f.Instr(n), f.Instr(call)
	in.Flags, in.X, in.Y = old.Flags, uint32(t), old.Y
	f.SetTailKind(n, f.TailKind(call))
	f.SetBundles(n, bundles)
	f.SetCallAttrs(n, attrs)
	f.CopyAttachments(n, call)
	return n
}
