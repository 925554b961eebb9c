package bitcode

import "github.com/gfx-toolchain/gfx/ir"

// linkages maps the numbers in records to linkages. Unknown numbers are
// external.
var linkages = [...]ir.Linkage{1: ir.WeakAny, 2: ir.Appending, 3: ir.Internal, 4: ir.LinkOnceAny, 7: ir.ExternWeak, 8: ir.Common,
	9: ir.Private, 10: ir.WeakODR, 11: ir.LinkOnceODR, 12: ir.AvailableExternally, 13: ir.Private, 14: ir.Private,
	16: ir.WeakAny, 17: ir.WeakODR, 18: ir.LinkOnceAny, 19: ir.LinkOnceODR}

// Old linkages with additional meaning.
const (
	oldDLLImport = 5
	oldDLLExport = 6
)

// oldComdat lists the linkages that, in files before LLVM 3.5, imply a COMDAT
// with the global's name.
var oldComdat = [...]bool{1: true, 4: true, 10: true, 11: true}

// optional returns operand i of the record, or 0 if it does not exist.
func (r *reader) optional(i int) uint64 {
	if i < len(r.rec) {
		return r.rec[i]
	}
	return 0
}

// alignment decodes an alignment stored as log2 plus one.
func (r *reader) alignment(x uint64) uint32 {
	if x > 33 {
		r.fail("invalid alignment of 2^%d bytes", x-1)
	}
	if x == 0 {
		return 0
	}
	return 1 << min(x-1, 31)
}

// tableEntry returns entry n of a table numbered from 1, or "" for 0.
func (r *reader) tableEntry(table []string, n uint64, what string) string {
	if n == 0 {
		return ""
	}
	if n > uint64(len(table)) {
		r.fail("reference to %s %d, but only %d exist", what, n, len(table))
	}
	return table[n-1]
}

// strtabText returns a range of the string table.
func (r *reader) strtabText(offset, size uint64) string {
	n := uint64(len(r.strtab))
	if offset > n || size > n-offset {
		r.fail("name at offset %d with %d bytes exceeds the string table of %d bytes", offset, size, n)
	}
	return string(r.strtab[offset : offset+size])
}

// cutName removes the name's string table range from the start of the record
// and returns the name. Records before version 2 do not have it.
func (r *reader) cutName() string {
	if !r.useStrtab {
		return ""
	}
	r.need(2, "global")
	name := r.strtabText(r.rec[0], r.rec[1])
	r.rec = r.rec[2:]
	return name
}

func (r *reader) readComdat() {
	buffer := r.rec
	defer func() { r.rec = buffer }()
	name := r.cutName()
	r.need(1, "COMDAT")
	if !r.useStrtab {
		r.need(2, "COMDAT")
		if r.rec[1] > uint64(len(r.rec)-2) {
			r.fail("COMDAT name of %d characters is truncated", r.rec[1])
		}
		name = r.text(2)[:r.rec[1]]
	}
	c := r.comdatNamed(name)
	if k := r.rec[0]; k >= 1 && k <= 5 {
		c.Selection = ir.ComdatSelection(k - 1)
	}
	r.comdats = append(r.comdats, c)
}

func (r *reader) linkage(x uint64) ir.Linkage {
	if x < uint64(len(linkages)) {
		return linkages[x]
	}
	return ir.External
}

// common sets the properties common to all kinds of globals: the linkage, and
// the visibility, storage class and so on at the given record indices. A
// negative index means the record does not have the property.
func (r *reader) common(g *ir.Global, linkage uint64, vis, dll, unnamed, dso int) {
	g.Linkage = r.linkage(linkage)
	if !g.Linkage.IsLocal() {
		if v := r.optional(vis); v <= uint64(ir.Protected) {
			g.Vis = ir.Visibility(v)
		}
		switch d := r.optional(dll); {
		case dll < len(r.rec) && d <= uint64(ir.DLLExport):
			g.DLL = ir.DLLStorage(d)
		case dll >= len(r.rec) && linkage == oldDLLImport:
			g.DLL = ir.DLLImport
		case dll >= len(r.rec) && linkage == oldDLLExport:
			g.DLL = ir.DLLExport
		}
	}
	switch r.optional(unnamed) {
	case 1:
		g.Unnamed = ir.GlobalUnnamedAddr
	case 2:
		g.Unnamed = ir.LocalUnnamedAddr
	}
	g.DSOLocal = r.optional(dso) == 1 || g.ImpliesDSOLocal()
}

func (r *reader) threadLocal(x uint64) ir.ThreadLocal {
	if x > uint64(ir.LocalExec) {
		return ir.GeneralDynamic
	}
	return ir.ThreadLocal(x)
}

// comdat sets the COMDAT of a global from the operand at index place.
func (r *reader) comdat(g *ir.Global, place int, linkage uint64) {
	if place >= len(r.rec) {
		if linkage < uint64(len(oldComdat)) && oldComdat[linkage] {
			if r.implicitComdat == nil {
				r.implicitComdat = map[*ir.Global]bool{}
			}
			r.implicitComdat[g] = true
		}
		return
	}
	if n := r.rec[place]; n > uint64(len(r.comdats)) {
		r.fail("reference to COMDAT %d, but only %d exist", n, len(r.comdats))
	} else if n != 0 {
		g.Comdat = r.comdats[n-1]
	}
}

// partition sets the partition of a global from the string table range at index
// place.
func (r *reader) partition(g *ir.Global, place int) {
	if place+1 < len(r.rec) {
		g.Partition = r.strtabText(r.rec[place], r.rec[place+1])
	}
}

// valueType returns the value type of a global and its address space. Old
// records contain a pointer type.
func (r *reader) valueType(explicit bool, addrSpace uint64) (t ir.Type, tid, as uint32) {
	t, tid = r.typ(r.rec[0]), uint32(r.rec[0])
	if explicit {
		return t, tid, r.addrSpace(addrSpace)
	}
	if !r.m.IsPtr(t) {
		r.fail("type in an old global record is not a pointer")
	}
	as = r.m.AddrSpace(t)
	t, tid = r.pointee(tid, "global")
	return t, tid, as
}

func (r *reader) addGlobalValue(g *ir.Global, tid uint32) {
	t := r.m.TypeOfConst(g.Value())
	r.values = append(r.values, value{g.Value(), t, r.virtualType(t, tid)})
}

// readGlobalVar: [name] type, constant|explicit type|address space,
// initializer, linkage, alignment, section, visibility, thread local,
// unnamed_addr, externally_initialized, storage class, COMDAT, attributes,
// dso_local, partition (2), sanitizers, code model.
func (r *reader) readGlobalVar() {
	buffer := r.rec
	defer func() { r.rec = buffer }()
	name := r.cutName()
	r.need(6, "global variable")
	t, tid, as := r.valueType(r.rec[1]&2 != 0, r.rec[1]>>2)
	if k := r.m.Kind(t); k <= ir.KindToken || k == ir.KindFunc {
		r.fail("global variable @%s has a type that cannot be stored", name)
	}
	g := r.m.NewGlobal(ir.GlobalVar, name, t, as, ir.None)
	g.Constant = r.rec[1]&1 != 0
	g.Align = r.alignment(r.rec[4])
	g.Section = r.tableEntry(r.sections, r.rec[5], "section")
	r.common(g, r.rec[3], 6, 10, 8, 13)
	g.TLS = r.threadLocal(r.optional(7))
	g.ExtInit = r.optional(9) != 0
	r.comdat(g, 11, r.rec[3])
	if a := r.optional(12); a != 0 {
		g.Attrs = r.m.AttrsAt(r.attrListAt(a).list, ir.AttrFunction)
	}
	r.partition(g, 14)
	g.Sanitizer = uint8(r.optional(16))
	if g.CodeModel = uint8(r.optional(17)); r.optional(17) > 5 {
		r.fail("unknown code model %d", r.optional(17))
	}
	r.addGlobalValue(g, tid)
	if r.rec[2] != 0 {
		r.inits = append(r.inits, initRef{g, initValue, r.rec[2] - 1})
	}
}

// readFunction: [name] type, calling convention, is declaration, linkage,
// attributes, alignment, section, visibility, GC, unnamed_addr, prologue,
// storage class, COMDAT, prefix, personality, dso_local, address space,
// partition (2).
func (r *reader) readFunction() {
	buffer := r.rec
	defer func() { r.rec = buffer }()
	name := r.cutName()
	r.need(8, "function")
	t, tid := r.typ(r.rec[0]), uint32(r.rec[0])
	if r.m.IsPtr(t) {
		t, tid = r.pointee(tid, "function")
	}
	if r.m.Kind(t) != ir.KindFunc {
		r.fail("type of function @%s is not a function type", name)
	}
	as := r.m.Layout().ProgramAddrSpace
	if len(r.rec) > 16 {
		as = r.addrSpace(r.rec[16])
	}
	fn := r.m.AddFunction(name, t, as, ir.None)
	g := fn.Global
	if r.rec[1] > uint64(ir.MaxCallConv) {
		r.fail("invalid calling convention %d", r.rec[1])
	}
	fn.CC = ir.CallConv(r.rec[1])
	r.common(g, r.rec[3], 7, 11, 9, 15)
	fn.Attributes = r.attrsFor(r.rec[4], func(param int) (ir.Type, uint32) { return r.pointee(r.sub(tid, param+1), "attribute") })
	g.Align = r.alignment(r.rec[5])
	g.Section = r.tableEntry(r.sections, r.rec[6], "section")
	fn.GC = r.tableEntry(r.gcNames, r.optional(8), "garbage collector")
	r.comdat(g, 12, r.rec[3])
	r.partition(g, 17)
	r.addGlobalValue(g, tid)
	for _, ref := range []struct {
		place int
		what  initKind
	}{{10, initPrologue}, {13, initPrefix}, {14, initPersonality}} {
		if n := r.optional(ref.place); n != 0 {
			r.inits = append(r.inits, initRef{g, ref.what, n - 1})
		}
	}
	if r.md.funcTid == nil {
		r.md.funcTid = map[*ir.Function]uint32{}
	}
	r.md.funcTid[fn] = tid
	if r.rec[2] == 0 {
		r.defined = append(r.defined, fn)
	}
}

// readIndirect: [name] type, address space (new records), target, linkage,
// visibility, then for aliases storage class, thread local, unnamed_addr;
// dso_local, partition (2).
func (r *reader) readIndirect(kind ir.GlobalKind, explicit bool) {
	buffer := r.rec
	defer func() { r.rec = buffer }()
	name := r.cutName()
	r.need(3, "alias")
	at := 1
	if explicit {
		r.need(4, "alias")
		at = 2
	}
	t, tid, as := r.valueType(explicit, r.optional(1))
	g := r.m.NewGlobal(kind, name, t, as, ir.None)
	linkage, dso := r.rec[at+1], at+3
	if kind == ir.GlobalAlias {
		dso = at + 6
		r.common(g, linkage, at+2, at+3, at+5, dso)
		g.TLS = r.threadLocal(r.optional(at + 4))
	} else {
		r.common(g, linkage, at+2, len(r.rec), len(r.rec), dso)
	}
	r.partition(g, dso+1)
	r.addGlobalValue(g, tid)
	r.inits = append(r.inits, initRef{g, initValue, r.rec[at]})
}

// initRef is a reference from a global to a constant that is not known yet.
type initRef struct {
	g    *ir.Global
	what initKind
	id   uint64
}

type initKind uint8

const (
	initValue initKind = iota
	initPrologue
	initPrefix
	initPersonality
)

// resolveInits sets the initializers and other constants of globals.
func (r *reader) resolveInits() {
	for _, ref := range r.inits {
		if ref.id >= uint64(len(r.values)) {
			r.fail("@%s: reference to value %d, but only %d exist", ref.g.Name(), ref.id, len(r.values))
		}
		v := r.values[ref.id]
		if !v.v.IsConst() {
			r.fail("@%s: value %d is not a constant", ref.g.Name(), ref.id)
		}
		if ref.what == initValue && ref.g.Kind == ir.GlobalVar && v.t != ref.g.Type {
			r.fail("@%s: initializer does not match the type of the variable", ref.g.Name())
		}
		switch ref.what {
		case initValue:
			ref.g.Init = v.v
		case initPrologue:
			ref.g.Func.Prologue = v.v
		case initPrefix:
			ref.g.Func.Prefix = v.v
		case initPersonality:
			ref.g.Func.Personality = v.v
		}
	}
	r.inits = nil
}
