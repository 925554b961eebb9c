package irtest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// Diff describes the first difference between two modules, or returns "" if
// they are equal except for numbering. The module's ID and the relative order
// of globals of different kinds are ignored.
func Diff(a, b *ir.Module) (difference string) {
	d := &differ{a: a, b: b, types: map[ir.Type]ir.Type{}, typesBack: map[ir.Type]ir.Type{}, consts: map[ir.Value]ir.Value{},
		nodes: map[ir.Metadata]ir.Metadata{}, nodesBack: map[ir.Metadata]ir.Metadata{}}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case found:
			difference = string(e)
		default:
			panic(e)
		}
	}()
	d.module()
	return ""
}

// found is the panic value for a difference.
type found string

// differ compares two modules. It maps the types, constants and nodes of one
// module to the other's.
type differ struct {
	a, b             *ir.Module
	types, typesBack map[ir.Type]ir.Type
	consts           map[ir.Value]ir.Value
	nodes, nodesBack map[ir.Metadata]ir.Metadata
	fa, fb           *ir.Function
	where            string
	locals           map[ir.Value]ir.Value
	bufferA, bufferB []ir.Attachment
}

func (d *differ) fail(format string, args ...any) {
	panic(found(d.where + ": " + fmt.Sprintf(format, args...)))
}

// same compares two values with ==.
func same[T comparable](d *differ, what string, a, b T) {
	if a != b {
		d.fail("%s: %v and %v", what, a, b)
	}
}

func (d *differ) module() {
	d.where = "module"
	same(d, "source_filename", d.a.SourceFile, d.b.SourceFile)
	same(d, "triple", d.a.Triple, d.b.Triple)
	same(d, "module asm", d.a.ModuleAsm, d.b.ModuleAsm)
	if !reflect.DeepEqual(d.a.Layout(), d.b.Layout()) {
		d.fail("data layouts: %v and %v", d.a.Layout(), d.b.Layout())
	}
	ga, gb := byKind(d.a), byKind(d.b)
	same(d, "number of globals", len(ga), len(gb))
	for i := range ga {
		same(d, "global", ga[i].Name(), gb[i].Name())
		same(d, "kind of global", ga[i].Kind, gb[i].Kind)
		d.consts[ga[i].Value()] = gb[i].Value()
	}
	for i := range ga {
		d.where = "@" + ga[i].Name()
		d.global(ga[i], gb[i])
	}
	d.where = "named metadata"
	same(d, "number", len(d.a.NamedMDs), len(d.b.NamedMDs))
	for i, n := range d.a.NamedMDs {
		d.where = "!" + n.Name
		same(d, "name", n.Name, d.b.NamedMDs[i].Name)
		d.metadataList(n.Ops, d.b.NamedMDs[i].Ops)
	}
}

// byKind returns the globals, variables first.
func byKind(m *ir.Module) []*ir.Global {
	list := slices.DeleteFunc(slices.Clone(m.Globals()), func(g *ir.Global) bool { return g == nil })
	slices.SortStableFunc(list, func(a, b *ir.Global) int { return int(a.Kind) - int(b.Kind) })
	return list
}

func (d *differ) global(a, b *ir.Global) {
	type plain struct {
		linkage                    ir.Linkage
		vis                        ir.Visibility
		dll                        ir.DLLStorage
		tls                        ir.ThreadLocal
		unnamed                    ir.UnnamedAddr
		dso, constant, extInit     bool
		sanitizer, model           uint8
		align, as                  uint32
		section, partition, comdat string
	}
	of := func(g *ir.Global) plain {
		p := plain{g.Linkage, g.Vis, g.DLL, g.TLS, g.Unnamed, g.DSOLocal, g.Constant, g.ExtInit, g.Sanitizer, g.CodeModel, g.Align,
			g.AddrSpace, g.Section, g.Partition, ""}
		if g.Comdat != nil {
			p.comdat = fmt.Sprint(g.Comdat.Name, g.Comdat.Selection)
		}
		return p
	}
	same(d, "properties", of(a), of(b))
	d.typ(a.Type, b.Type)
	d.value(a.Init, b.Init)
	d.attrSet(a.Attrs, b.Attrs)
	d.attachments(a.MD, b.MD)
	if a.Func != nil {
		d.function(a.Func, b.Func)
	}
}

// attachments compares lists of attachments. The order of different kinds is
// irrelevant.
func (d *differ) attachments(a, b []ir.Attachment) {
	same(d, "number of attachments", len(a), len(b))
	byKind := func(x, y ir.Attachment) int { return int(x.Kind) - int(y.Kind) }
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortStableFunc(a, byKind)
	slices.SortStableFunc(b, byKind)
	for i := range a {
		same(d, "kind of attachment", d.a.MDKindName(a[i].Kind), d.b.MDKindName(b[i].Kind))
		d.metadata(a[i].Node, b[i].Node)
	}
}

func (d *differ) attrSet(a, b ir.AttrSet) {
	as, bs := d.a.Attrs(a), d.b.Attrs(b)
	same(d, "number of attributes", len(as), len(bs))
	for i, x := range as {
		y := bs[i]
		same(d, "attribute", x.Kind, y.Kind)
		same(d, "attribute's value", x.Int, y.Int)
		same(d, "attribute's key", d.a.Str(x.Key), d.b.Str(y.Key))
		same(d, "attribute's text", d.a.Str(x.Str), d.b.Str(y.Str))
		d.typ(x.Type, y.Type)
	}
}

func (d *differ) attrList(a, b ir.AttrList) {
	as, bs := d.a.AttrSets(a), d.b.AttrSets(b)
	same(d, "attribute list", len(as), len(bs))
	for i := range as {
		d.attrSet(as[i], bs[i])
	}
}

func (d *differ) typ(a, b ir.Type) {
	if a == ir.NoType || b == ir.NoType {
		same(d, "type", a, b)
		return
	}
	if to, ok := d.types[a]; ok {
		same(d, "type", to, b)
		return
	}
	if _, ok := d.typesBack[b]; ok {
		d.fail("type %d corresponds to two types", b)
	}
	d.types[a], d.typesBack[b] = b, a
	x, y := d.a.TypeInfo(a), d.b.TypeInfo(b)
	same(d, "kind of type", x.Kind, y.Kind)
	same(d, "name of type", x.Name, y.Name)
	same(d, "type", [4]bool{x.Packed, x.Named, x.Opaque, x.VarArg}, [4]bool{y.Packed, y.Named, y.Opaque, y.VarArg})
	same(d, "number of elements", x.N, y.N)
	same(d, "integers of type", fmt.Sprint(x.Ints), fmt.Sprint(y.Ints))
	same(d, "number of parts of type", len(x.Elems), len(y.Elems))
	if x.Kind == ir.KindPtr {
		same(d, "address space", d.a.AddrSpace(a), d.b.AddrSpace(b))
	}
	d.typ(x.Elem, y.Elem)
	for i := range x.Elems {
		d.typ(x.Elems[i], y.Elems[i])
	}
}

func (d *differ) metadataList(a, b []ir.Metadata) {
	same(d, "number of metadata operands", len(a), len(b))
	old := d.where
	for i := range a {
		d.where = fmt.Sprintf("%s[%d]", old, i)
		d.metadata(a[i], b[i])
	}
	d.where = old
}

func (d *differ) metadata(a, b ir.Metadata) {
	if a == 0 || b == 0 {
		same(d, "metadata", a, b)
		return
	}
	if to, ok := d.nodes[a]; ok {
		same(d, "metadata", to, b)
		return
	}
	if _, ok := d.nodesBack[b]; ok {
		d.fail("metadata %d corresponds to two entries", b)
	}
	d.nodes[a], d.nodesBack[b] = b, a
	same(d, "metadata kind", d.a.NodeKind(a), d.b.NodeKind(b))
	same(d, "distinct", d.a.IsDistinct(a), d.b.IsDistinct(b))
	switch d.a.NodeKind(a) {
	case ir.NodeString:
		x, _ := d.a.MDString(a)
		y, _ := d.b.MDString(b)
		same(d, "metadata string", x, y)
	case ir.NodeValue:
		d.value(d.a.MDValue(a), d.b.MDValue(b))
	}
	same(d, "integers of metadata", fmt.Sprint(d.a.MDInts(a)), fmt.Sprint(d.b.MDInts(b)))
	old := d.where
	d.where += " > " + d.a.NodeKind(a).String()
	d.metadataList(d.a.MDOperands(a), d.b.MDOperands(b))
	d.where = old
}
