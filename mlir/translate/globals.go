package translate

import (
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/mlir"
)

// module translates the operations of a module.
func (t *translator) module(o *mlir.Op) {
	t.declareAll(o)
	t.eachOp(o.Body(0), t.define)
	t.resolveAddresses()
	t.lastFlag()
}

// declareAll declares the symbols of a module.
func (t *translator) declareAll(o *mlir.Op) {
	t.op = o
	if o.Name != "builtin.module" && o.Name != "gpu.module" {
		t.refuse("is no module")
	}
	b := o.Body(0)
	if b == nil {
		t.refuse("has more than one block")
	}
	t.moduleAttrs(o)
	t.eachOp(b, t.declare)
}

func (t *translator) declare(o *mlir.Op, row *opRow) {
	if row.declare != nil {
		row.declare(t, o)
	}
}

func (t *translator) define(o *mlir.Op, row *opRow) {
	if row.define != nil {
		row.define(t, o)
	}
}

// eachOp calls f for the operations of a module.
func (t *translator) eachOp(b *mlir.Block, f func(o *mlir.Op, row *opRow)) {
	for p := range b.Ops {
		t.op = p
		if p.Name == "gpu.module_end" {
			continue
		}
		row := t.rows[p.Name]
		if row == nil || row.declare == nil && row.define == nil {
			t.refuse("cannot be translated to LLVM IR in a module")
		}
		f(p, row)
	}
}

func (t *translator) moduleAttrs(o *mlir.Op) {
	if s := t.text(o, "llvm.data_layout"); s != "" {
		layout, err := ir.ParseDataLayout(s)
		if err != nil {
			t.refuse("has a wrong data layout: %v", err)
		}
		t.m.SetLayout(layout)
	}
	t.m.Triple = t.text(o, "llvm.target_triple")
	for _, line := range list(o.Attr("llvm.module_asm")) {
		t.m.ModuleAsm += line.Text + "\n"
	}
	for _, n := range [...][2]string{{"llvm.ident", "llvm.ident"}, {"llvm.commandline", "llvm.commandline"}} {
		if a := o.Attr(n[0]); a != nil && a.Kind == mlir.StringAttr {
			t.addNamed(n[1], t.m.NewTuple(t.m.NewMDString(a.Text)))
		}
	}
	for _, a := range list(o.Attr("llvm.dependent_libraries")) {
		t.addNamed("llvm.dependent-libraries", t.m.NewTuple(t.m.NewMDString(a.Text)))
	}
}

func (t *translator) addNamed(name string, node ir.Metadata) {
	n := t.m.AddNamedMetadata(name)
	n.Ops = append(n.Ops, node)
}

const moduleFlags = "llvm.module.flags"

// flagBehaviors are the behaviours of module flags by LLVM's numbers, from 1.
var flagBehaviors = [...]string{"error", "warning", "require", "override", "append", "append_unique", "max", "min"}

func defineModuleFlags(t *translator, o *mlir.Op) {
	for _, a := range list(o.Attr("flags")) {
		f := parts(body(a.String()))
		if len(f) != 3 {
			t.refuse("has the flag %s, which is wrong", a)
		}
		n, ok := integer(f[2])
		behavior := slices.Index(flagBehaviors[:], f[0])
		if behavior < 0 || !ok && f[2][0] != '"' {
			t.refuse("has the flag %s, which has no translation", a)
		}
		value := t.m.NewMDString(unquote(f[2]))
		if ok {
			value = t.intNode(ir.I32, n)
		}
		t.addNamed(moduleFlags, t.m.NewTuple(t.intNode(ir.I32, int64(behavior)+1), t.m.NewMDString(unquote(f[1])), value))
	}
}

// lastFlag adds the version of debug information, as MLIR's translation does for
// each module.
func (t *translator) lastFlag() {
	t.addNamed(moduleFlags, t.m.NewTuple(t.intNode(ir.I32, 2), t.m.NewMDString("Debug Info Version"), t.intNode(ir.I32, 3)))
}

func defineLinkerOptions(t *translator, o *mlir.Op) {
	var ops []ir.Metadata
	for _, a := range list(o.Attr("options")) {
		ops = append(ops, t.m.NewMDString(a.Text))
	}
	t.addNamed("llvm.linker.options", t.m.NewTuple(ops...))
}

// linkages are the linkages by MLIR's words.
var linkages = [...]string{ir.External: "external", ir.AvailableExternally: "available_externally", ir.LinkOnceAny: "linkonce",
	ir.LinkOnceODR: "linkonce_odr", ir.WeakAny: "weak", ir.WeakODR: "weak_odr", ir.Appending: "appending", ir.Internal: "internal",
	ir.Private: "private", ir.ExternWeak: "extern_weak", ir.Common: "common"}

// properties sets what globals and functions have in common.
func (t *translator) properties(g *ir.Global, o *mlir.Op) {
	if g.Name() != t.text(o, "sym_name") {
		t.refuse("has a name that another global has")
	}
	if a := o.Attr("linkage"); a != nil {
		n := slices.Index(linkages[:], word(a))
		if n < 0 {
			t.refuse("has the linkage %s, which LLVM IR does not have", a)
		}
		g.Linkage = ir.Linkage(n)
	}
	g.Vis = ir.Visibility(t.number(o, "visibility_") % 3)
	g.Unnamed = ir.UnnamedAddr(t.number(o, "unnamed_addr") % 3)
	g.Section = t.text(o, "section")
	g.Align = t.alignment(o)
	g.DSOLocal = truth(o, "dso_local") || g.ImpliesDSOLocal()
	if truth(o, "thread_local_") {
		g.TLS = ir.GeneralDynamic
	}
	if a := o.Attr("comdat"); a != nil {
		if len(a.List) != 1 || t.m.Comdat(a.List[0].Text) == nil {
			t.refuse("refers to the comdat %s, which does not exist", a)
		}
		g.Comdat = t.m.Comdat(a.List[0].Text)
	}
}

func declareComdats(t *translator, o *mlir.Op) {
	if len(o.Regions) == 0 || o.Body(0) == nil {
		return
	}
	for p := range o.Body(0).Ops {
		if p.Name == "llvm.comdat_selector" && t.m.Comdat(t.text(p, "sym_name")) == nil {
			selection := ir.ComdatSelection(t.number(p, "comdat") % 5)
			t.m.Comdats = append(t.m.Comdats, &ir.Comdat{Name: t.text(p, "sym_name"), Selection: selection})
		}
	}
}

// typeAttr returns the type in an attribute.
func (t *translator) typeAttr(o *mlir.Op, name string) ir.Type {
	a := o.Attr(name)
	if a == nil || a.Kind != mlir.TypeAttr {
		t.refuse("has no type '%s'", name)
	}
	return t.typeOf(a.Type)
}

// space returns an address space.
func (t *translator) space(o *mlir.Op, name string) uint32 {
	n := t.number(o, name)
	if n < 0 || n >= 1<<24 {
		t.refuse("has an address space that LLVM IR does not have")
	}
	return uint32(n)
}

func declareGlobal(t *translator, o *mlir.Op) {
	g := t.m.NewGlobal(ir.GlobalVar, t.text(o, "sym_name"), t.typeAttr(o, "global_type"), t.space(o, "addr_space"), ir.None)
	t.properties(g, o)
	g.Constant = truth(o, "constant")
	g.ExtInit = truth(o, "externally_initialized")
	var attrs []ir.Attr
	for _, a := range list(o.Attr("target_specific_attrs")) {
		if pair := list(a); len(pair) == 2 {
			attrs = append(attrs, t.m.NewStringAttr(pair[0].Text, pair[1].Text))
		} else {
			attrs = append(attrs, t.m.NewStringAttr(a.Text, ""))
		}
	}
	g.Attrs = t.m.AttrSet(attrs)
}

func defineGlobal(t *translator, o *mlir.Op) {
	g := t.m.Global(t.text(o, "sym_name"))
	switch a := o.Attr("value"); {
	case a != nil:
		g.Init = t.constant(g.Type, a)
	case len(o.Regions) > 0 && len(o.Regions[0].Blocks) > 0:
		g.Init = t.initializer(o)
		if t.m.TypeOfConst(g.Init) != g.Type {
			t.refuse("has an initializer of another type")
		}
	case g.Linkage != ir.External && g.Linkage != ir.ExternWeak:
		g.Init = t.m.Undef(g.Type)
	}
}

func declareAlias(t *translator, o *mlir.Op) {
	space := uint32(0)
	if b := o.Body(0); b != nil && b.Last() != nil && len(b.Last().Operands) == 1 {
		space = t.m.AddrSpace(t.typeOf(b.Last().Operand(0).Type))
	}
	t.properties(t.m.NewGlobal(ir.GlobalAlias, t.text(o, "sym_name"), t.typeAttr(o, "alias_type"), space, ir.None), o)
}

func defineAlias(t *translator, o *mlir.Op) {
	t.m.Global(t.text(o, "sym_name")).Init = t.initializer(o)
}

func declareIFunc(t *translator, o *mlir.Op) {
	t.properties(t.m.NewGlobal(ir.GlobalIFunc, t.text(o, "sym_name"), t.typeAttr(o, "i_func_type"), t.space(o, "address_space"), ir.None), o)
}

func defineIFunc(t *translator, o *mlir.Op) {
	t.m.Global(t.text(o, "sym_name")).Init = t.address(o.Attr("resolver"))
}

func defineCtors(t *translator, o *mlir.Op) { t.structors(o, "llvm.global_ctors", "ctors") }

func defineDtors(t *translator, o *mlir.Op) { t.structors(o, "llvm.global_dtors", "dtors") }

// structors defines the array with the functions that run before or after all others.
func (t *translator) structors(o *mlir.Op, name, attr string) {
	m := t.m
	functions, priorities, data := list(o.Attr(attr)), list(o.Attr("priorities")), list(o.Attr("data"))
	if len(functions) == 0 {
		return
	}
	if len(priorities) != len(functions) || data != nil && len(data) != len(functions) {
		t.refuse("has lists of different lengths")
	}
	u := m.StructType([]ir.Type{ir.I32, ir.Ptr, ir.Ptr}, false)
	entries := make([]ir.Value, len(functions))
	for i := range functions {
		of := m.Zero(ir.Ptr)
		if data != nil && data[i].Kind == mlir.SymbolRefAttr {
			of = t.address(data[i])
		}
		entries[i] = m.NewAggregate(u, []ir.Value{m.NewSigned(ir.I32, priorities[i].Int), t.address(functions[i]), of})
	}
	all := m.ArrayType(u, uint64(len(entries)))
	g := m.NewGlobal(ir.GlobalVar, name, all, 0, ir.None)
	g.Linkage, g.Init = ir.Appending, m.NewAggregate(all, entries)
}
