package upgrade

import "github.com/gfx-toolchain/gfx/ir"

// Structors adds the third field, null, to the elements of llvm.global_ctors
// and llvm.global_dtors of a bitcode file of LLVM 3.4 or earlier. As in LLVM,
// the variable keeps only its linkage and becomes the last one. In text, the
// verifiers of gfx and LLVM reject this form.
func Structors(m *ir.Module) {
	for _, name := range [...]string{"llvm.global_ctors", "llvm.global_dtors"} {
		if g := m.Global(name); g != nil && g.Kind == ir.GlobalVar && g.Init != ir.None {
			upgradeStructors(m, g)
		}
	}
}

func upgradeStructors(m *ir.Module, g *ir.Global) {
	array := m.TypeInfo(g.Type)
	if array.Kind != ir.KindArray {
		return
	}
	pair := m.TypeInfo(array.Elem)
	if pair.Kind != ir.KindStruct || len(pair.Elems) != 2 {
		return
	}
	data := m.PtrType(0)
	triple := m.StructType([]ir.Type{pair.Elems[0], pair.Elems[1], data}, false)
	var elems []ir.Value
	for i := range uint64(len(m.ConstOperands(g.Init))) {
		e := m.Element(g.Init, i)
		elems = append(elems, m.NewAggregate(triple, []ir.Value{m.Element(e, 0), m.Element(e, 1), m.Zero(data)}))
	}
	g.Type = m.ArrayType(triple, uint64(len(elems)))
	g.Init = m.NewAggregate(g.Type, elems)
	g.Constant, g.Align, g.Section = false, 0, ""
	m.MoveToEnd(g)
}
