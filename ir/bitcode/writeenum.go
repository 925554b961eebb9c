package bitcode

import (
	"cmp"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// numbers assigns numbers in order of insertion. K is a small number of package
// ir.
type numbers[K ~uint16 | ~uint32] struct {
	list []K
	of   []uint32 // number plus one, indexed by K
}

// assignNumber assigns a number to k, and reports whether k is new.
func (n *numbers[K]) assignNumber(k K) bool {
	if int(k) >= len(n.of) {
		n.of = append(n.of, make([]uint32, int(k)+1-len(n.of)+len(n.of)/4)...)
	}
	if n.of[k] != 0 {
		return false
	}
	n.list = append(n.list, k)
	n.of[k] = uint32(len(n.list))
	return true
}

// sort renumbers the entries in the order of their values.
func (n *numbers[K]) sort() {
	slices.Sort(n.list)
	for i, k := range n.list {
		n.of[k] = uint32(i + 1)
	}
}

// number returns the number of k. ok is false if it has none.
func (n *numbers[K]) number(k K) (x uint32, ok bool) {
	if int(k) >= len(n.of) || n.of[k] == 0 {
		return 0, false
	}
	return n.of[k] - 1, true
}

// textTable numbers texts from 1 in order of insertion.
type textTable struct {
	list []string
	of   map[string]uint64
}

// addText returns the number of a text, or 0 for "".
func (t *textTable) addText(s string) uint64 {
	if s == "" {
		return 0
	}
	if n := t.of[s]; n != 0 {
		return n
	}
	if t.of == nil {
		t.of = map[string]uint64{}
	}
	t.list = append(t.list, s)
	t.of[s] = uint64(len(t.list))
	return t.of[s]
}

// attrGroupKey is an attribute set at one place of a list.
type attrGroupKey struct {
	place int
	set   ir.AttrSet
}

// enumeration holds the numbers of a module's entities, which are assigned
// before writing starts.
type enumeration struct {
	typeIDs numbers[ir.Type]

	lists    numbers[ir.AttrList]
	groups   []attrGroupKey
	groupIDs map[attrGroupKey]uint64 // numbered from 1

	byKind   [ir.GlobalIFunc + 1][]*ir.Global
	defined  []*ir.Function // functions with bodies
	comdatID map[*ir.Comdat]uint64
	comdatOf []*ir.Comdat
	sections textTable
	gcNames  textTable

	valueOf    []uint32   // number plus one, by Index of globals and constants
	consts     []constUse // constants of the module, which follow the globals
	nGlobals   int
	constsSeen numbers[ir.Value] // by Index: constants whose types have numbers
	stack      []ir.Value

	md        mdNumbers
	kinds     numbers[ir.MDKind]
	bundles   numbers[uint32]
	scopes    numbers[ir.SyncScope]
	addressed map[*ir.Function][]*ir.Function // functions that use block addresses of another function
	blocksOf  map[*ir.Function][]uint32       // see blockID
	addresses map[ir.Value]bool               // constants searched for block addresses in the current function; nil if unused
}

// constUse is a constant and its use count.
type constUse struct {
	v     ir.Value
	count uint32
}

// enumerate numbers all entities except the values of functions.
func (w *moduleWriter) enumerate() {
	w.scopes.assignNumber(ir.SingleThread)
	w.scopes.assignNumber(ir.System)
	for _, g := range w.m.Globals() {
		if g != nil {
			w.byKind[g.Kind] = append(w.byKind[g.Kind], g)
		}
	}
	for _, list := range w.byKind {
		for _, g := range list {
			w.nGlobals++
			w.setValue(g.Value(), w.nGlobals)
		}
	}
	w.m.BlockAddresses(0, func(ir.Value, ir.Block) { w.addresses = map[ir.Value]bool{} })
	for _, list := range w.byKind {
		for _, g := range list {
			w.enumGlobal(g)
			w.enumInits(g)
		}
	}
	for _, n := range w.m.NamedMDs {
		for _, md := range n.Ops {
			w.enumMetadata(md)
		}
	}
	for _, f := range w.defined {
		w.enumBody(f)
	}
	w.kinds.sort() // attachments are printed in the order of their kinds
	w.numberMetadata()
	w.sortConsts(w.consts, w.nGlobals)
}

// enumGlobal numbers the entities other than constants to which a global
// refers.
func (w *moduleWriter) enumGlobal(g *ir.Global) {
	w.enumType(g.Type)
	w.enumType(w.m.TypeOfConst(g.Value()))
	w.sections.addText(g.Section)
	if c := g.Comdat; c != nil && w.comdatID[c] == 0 {
		if w.comdatID == nil {
			w.comdatID = map[*ir.Comdat]uint64{}
		}
		w.comdatOf = append(w.comdatOf, c)
		w.comdatID[c] = uint64(len(w.comdatOf))
	}
	if g.Kind == ir.GlobalVar && g.Attrs != 0 {
		w.enumAttrs(w.m.AttrList([]ir.AttrSet{ir.AttrFunction: g.Attrs}))
	}
	for _, a := range g.MD {
		w.kinds.assignNumber(a.Kind)
		w.enumMetadata(a.Node)
	}
	if f := g.Func; f != nil {
		w.gcNames.addText(f.GC)
		w.enumAttrs(f.Attributes)
		if f.Entry() != 0 {
			w.defined = append(w.defined, f)
		}
	}
}

// enumInits numbers the constants to which a global refers.
func (w *moduleWriter) enumInits(g *ir.Global) {
	w.enumConst(g.Init)
	if f := g.Func; f != nil {
		w.enumConst(f.Personality)
		w.enumConst(f.Prefix)
		w.enumConst(f.Prologue)
	}
}

// enumType numbers a type after its component types.
func (w *moduleWriter) enumType(t ir.Type) {
	if _, ok := w.typeIDs.number(t); ok || t == ir.NoType {
		return
	}
	info := w.m.TypeInfo(t)
	if info.Elem != ir.NoType {
		w.enumType(info.Elem)
	}
	for _, e := range info.Elems {
		w.enumType(e)
	}
	w.typeIDs.assignNumber(t)
}

// enumAttrs numbers an attribute list and its sets.
func (w *moduleWriter) enumAttrs(l ir.AttrList) {
	if l == 0 || !w.lists.assignNumber(l) {
		return
	}
	for place, set := range w.m.AttrSets(l) {
		key := attrGroupKey{place, set}
		if set == 0 || w.groupIDs[key] != 0 {
			continue
		}
		if w.groupIDs == nil {
			w.groupIDs = map[attrGroupKey]uint64{}
		}
		w.groups = append(w.groups, key)
		w.groupIDs[key] = uint64(len(w.groups))
		for _, a := range w.m.Attrs(set) {
			w.enumType(a.Type)
		}
	}
}

// setValue sets the number plus one of a global or constant.
func (w *moduleWriter) setValue(v ir.Value, n int) {
	i := int(v.Index())
	if i >= len(w.valueOf) {
		w.valueOf = append(w.valueOf, make([]uint32, max(i+1, w.m.NumConsts())-len(w.valueOf))...)
	}
	w.valueOf[i] = uint32(n)
}

// valueNumber returns the number plus one of a global or constant, or 0 if it
// has none.
func (w *moduleWriter) valueNumber(v ir.Value) int {
	if i := int(v.Index()); i < len(w.valueOf) && w.valueOf[i] != 0 {
		return int(w.valueOf[i])
	}
	if g := w.m.ConstGlobal(v); g != nil && g.Value() != v {
		return w.valueNumber(g.Value()) // a resolved forward reference: see ir.Module.ResolveAs
	}
	return 0
}

// enumConst numbers a constant and its operands among the module's values. None
// is ignored.
func (w *moduleWriter) enumConst(v ir.Value) {
	if v != ir.None {
		w.consts = w.addConst(w.consts, w.nGlobals, v)
	}
}

// addConst adds a constant and its operands to list unless they already have
// numbers. Entries have numbers from first on. addConst counts the uses of
// entries.
func (w *moduleWriter) addConst(list []constUse, first int, v ir.Value) []constUse {
	w.stack = append(w.stack[:0], v)
	for len(w.stack) > 0 {
		v := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		n := w.valueNumber(v)
		if n == 0 {
			w.enumConstType(v)
			list = append(list, constUse{v: v})
			n = first + len(list)
			w.setValue(v, n)
			w.stack = append(w.stack, w.m.ConstOperands(v)...)
		}
		if n > first {
			list[n-first-1].count++
		}
	}
	return list
}

// sortConsts sorts constants by type, integers first and frequent constants
// before rare ones, and assigns numbers from first on.
func (w *moduleWriter) sortConsts(list []constUse, first int) {
	rank := func(u *constUse) int {
		t := w.m.TypeOfConst(u.v)
		if w.m.IsInt(t) {
			return int(w.typeID(t))
		}
		return len(w.typeIDs.list) + int(w.typeID(t))
	}
	slices.SortStableFunc(list, func(a, b constUse) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.count, a.count))
	})
	for i := range list {
		w.setValue(list[i].v, first+i+1)
	}
}

// enumConstTypes numbers the types of a constant and of its operands.
func (w *moduleWriter) enumConstTypes(v ir.Value) {
	if !w.constsSeen.assignNumber(ir.Value(v.Index())) {
		return
	}
	w.enumConstType(v)
	for _, o := range w.m.ConstOperands(v) {
		w.enumConstTypes(o)
	}
}

// enumConstType numbers the types that the record of a constant contains.
func (w *moduleWriter) enumConstType(v ir.Value) {
	c := w.m.Const(v)
	w.enumType(c.Type)
	switch c.Kind {
	case ir.ConstNone:
		w.fail("undefined constant")
	case ir.ConstAsm:
		w.enumType(w.m.Asm(v).Type)
	case ir.ConstExpr:
		if c.Op == ir.OpGetElementPtr {
			source, _, _, _, _ := w.m.GEPExpr(v)
			w.enumType(source)
		}
	}
}

// enumBody numbers the types, attributes and metadata of a body.
func (w *moduleWriter) enumBody(f *ir.Function) {
	w.f = f
	clear(w.addresses)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for r := f.FirstRecord(v); r != ir.None; r = f.NextRecord(r) {
				w.enumRecord(r)
			}
			w.enumInstr(v)
		}
	}
	w.f = nil
}

func (w *moduleWriter) enumInstr(v ir.Value) {
	f := w.f
	in := f.Instr(v)
	w.enumType(in.Type)
	for _, o := range f.Operands(v) {
		w.enumOperand(o.Value)
	}
	switch op := in.Op; {
	case op == ir.OpAlloca:
		w.enumType(f.AllocatedType(v))
	case op == ir.OpGetElementPtr:
		w.enumType(f.GEPSource(v))
	case op == ir.OpShuffleVector:
		w.enumConstTypes(w.maskConst(v))
	case op.IsCall():
		w.enumType(f.CallType(v))
		w.enumAttrs(f.CallAttrs(v))
		for _, b := range f.Bundles(v) {
			w.bundles.assignNumber(b.Tag)
		}
	case op == ir.OpLoad || op == ir.OpStore || op == ir.OpFence || op == ir.OpCmpXchg || op == ir.OpAtomicRMW:
		w.scopes.assignNumber(f.MemInfo(v).Scope)
	}
	if in.Loc != 0 {
		w.enumLocation(in.Loc)
	}
	if f.HasAttachments(v) {
		w.atts = f.Attachments(v, w.atts[:0])
		for _, a := range w.atts {
			w.kinds.assignNumber(a.Kind)
			w.enumMetadata(a.Node)
		}
	}
}

// enumOperand numbers the entities to which an operand refers.
func (w *moduleWriter) enumOperand(v ir.Value) {
	switch {
	case v == ir.None:
		w.fail("undefined operand")
	case v.IsConst():
		w.enumConstTypes(v)
		w.noteAddresses(v)
	case v.IsMetadata():
		w.enumMetadata(v.Metadata())
	case v.IsLocal():
		w.enumType(w.f.TypeOf(v))
		if w.f.Op(v) == ir.OpLocalMetadata {
			w.enumLocal(w.f.Operands(v), w.f.Instr(v).Sub != 0)
		}
	}
}

// enumLocal numbers the constants in local metadata, which are metadata of the
// module.
func (w *moduleWriter) enumLocal(ops []ir.Operand, list bool) {
	w.enumType(ir.MD)
	for _, o := range ops {
		switch v := o.Value; {
		case v.IsConst():
			w.enumMetadata(w.m.NewMDValue(v))
		case v.IsMetadata():
			w.enumMetadata(v.Metadata())
		case v.IsLocal():
			w.enumType(w.f.TypeOf(v))
		default:
			w.fail("local metadata refers to an undefined value")
		}
	}
}

// enumRecord numbers the entities to which a debug record refers.
func (w *moduleWriter) enumRecord(r ir.Value) {
	f := w.f
	in := f.Instr(r)
	w.enumMetadata(in.Loc)
	w.enumMetadata(ir.Metadata(in.X))
	if in.Op == ir.OpDbgLabel {
		return
	}
	w.enumMetadata(ir.Metadata(in.Y))
	if in.Op == ir.OpDbgAssign {
		id, expr := f.AssignRecord(r)
		w.enumMetadata(id)
		w.enumMetadata(expr)
	}
	ops := f.Operands(r)
	if in.Op == ir.OpDbgValue && in.Sub == 0 && ops[0].Value.IsConst() {
		w.enumConstTypes(ops[0].Value)
		w.noteAddresses(ops[0].Value)
		return
	}
	w.enumLocal(ops, in.Sub != 0)
}

// enumLocation numbers the operands of a location. The location itself is a
// record in the function block unless it is distinct.
func (w *moduleWriter) enumLocation(loc ir.Metadata) {
	if w.m.NodeKind(loc) != ir.NodeLocation {
		w.fail("debug location is not a DILocation")
	}
	if w.m.IsDistinct(loc) {
		w.kinds.assignNumber(ir.MDDbg)
		w.enumMetadata(loc)
		return
	}
	for _, op := range w.m.MDOperands(loc) {
		w.enumMetadata(op)
	}
}

// noteAddresses records the other functions whose block addresses the current
// function uses.
func (w *moduleWriter) noteAddresses(v ir.Value) {
	if w.addresses == nil || w.addresses[v] {
		return
	}
	w.addresses[v] = true
	if w.m.ConstKindOf(v) == ir.ConstBlockAddress {
		g := w.m.ConstGlobal(w.m.ConstOperands(v)[0])
		if g == nil || g.Func == nil {
			w.fail("block address refers to a value that is not a function")
		}
		if users := w.addressed[g.Func]; g.Func != w.f && !slices.Contains(users, w.f) {
			if w.addressed == nil {
				w.addressed = map[*ir.Function][]*ir.Function{}
			}
			w.addressed[g.Func] = append(users, w.f)
		}
		return
	}
	for _, o := range w.m.ConstOperands(v) {
		w.noteAddresses(o)
	}
}

// bundleNames returns the operand bundle tags in numeric order.
func (w *moduleWriter) bundleNames() (names []string) {
	for _, tag := range w.bundles.list {
		names = append(names, w.m.BundleTagName(tag))
	}
	return names
}

// fixedScopes is the number of synchronization scopes in files without a table
// of names: singlethread and system.
const fixedScopes = 2

// scopeNames returns the synchronization scopes in numeric order.
func (w *moduleWriter) scopeNames() (names []string) {
	for _, s := range w.scopes.list {
		names = append(names, w.m.SyncScopeName(s))
	}
	return names
}

// typeID returns the number of a type.
func (w *moduleWriter) typeID(t ir.Type) uint64 {
	n, ok := w.typeIDs.number(t)
	if !ok {
		panic("BUG: type has no number")
	}
	return uint64(n)
}

// constID returns the number of a constant or global.
func (w *moduleWriter) constID(v ir.Value) uint64 {
	n := w.valueNumber(v)
	if n == 0 || !v.IsConst() {
		panic("BUG: constant has no number")
	}
	return uint64(n - 1)
}

// optionalConst returns the number of a constant plus one, or 0 for None.
func (w *moduleWriter) optionalConst(v ir.Value) uint64 {
	if v == ir.None {
		return 0
	}
	return w.constID(v) + 1
}

// attrsID returns the number of an attribute list plus one, or 0 for the empty
// list.
func (w *moduleWriter) attrsID(l ir.AttrList) uint64 {
	if l == 0 {
		return 0
	}
	n, _ := w.lists.number(l)
	return uint64(n) + 1
}
