package linker

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
)

// mover copies globals of a source, and the entities they refer to, to the
// destination.
type mover struct {
	l        *Linker
	in       Source
	src, dst *ir.Module
	lazy     func(g *ir.Global) error // decides whether a referenced definition is linked; calls want

	types  *typeMap
	values [numContexts][]ir.Value // destination's values by source constant
	md     mdMap
	attrs  attrMap
	mapper ir.Mapper

	wanted map[*ir.Global]bool // source definitions to link
	list   []*ir.Global        // globals to move, the next one last
	tasks  []task              // definitions to fill in, the next one last
	bodies map[*ir.Global]bool // destination functions whose bodies are pending
	later  []task              // declarations whose metadata is pending

	blocks    map[*ir.Function][]ir.Block // destination's blocks by source function
	blockRefs []blockRef
	depth     int  // nesting depth of the current constant
	done      bool // moving is complete: missing globals are not linked
	err       error
}

// task is a global of the destination to be filled in from the source.
type task struct {
	to, from *ir.Global
	fill     func(mv *mover, t task)
	elems    []ir.Value // source elements to append
}

func newMover(l *Linker, in Source) *mover {
	mv := &mover{l: l, in: in, src: in.Module, dst: l.dst, attrs: newAttrMap(),
		wanted: map[*ir.Global]bool{}, bodies: map[*ir.Global]bool{}, blocks: map[*ir.Function][]ir.Block{}}
	mv.mapper = ir.Mapper{
		Const: func(v ir.Value) ir.Value {
			if to := mv.value(forUse, v); to != ir.None {
				return to
			}
			return mv.dst.Poison(ir.Ptr) // an error was recorded
		},
		Type:     func(t ir.Type) ir.Type { return mv.types.destType(t) },
		Metadata: mv.metadata,
		Attrs:    mv.attrList,
		Kind:     mv.kind,
		Scope:    func(s ir.SyncScope) ir.SyncScope { return mv.dst.SyncScope(mv.src.SyncScopeName(s)) },
		Tag:      func(tag uint32) uint32 { return mv.dst.BundleTag(mv.src.BundleTagName(tag)) },
	}
	mv.types = newTypeMap(l, mv.src)
	return mv
}

// failf records an error, which ends the link.
func (mv *mover) failf(format string, args ...any) {
	if mv.err == nil {
		mv.err = fmt.Errorf(format, args...)
	}
}

// want marks a definition of the source for linking.
func (mv *mover) want(g *ir.Global) {
	if !mv.wanted[g] {
		mv.wanted[g] = true
		mv.list = append(mv.list, g)
	}
}

// moveGlobals moves a list of globals and their dependencies.
func (mv *mover) moveGlobals(list []*ir.Global) error {
	mv.checkTarget()
	mv.mapTypes()
	for i := len(list) - 1; i >= 0; i-- {
		mv.want(list[i])
	}
	for len(mv.list) > 0 && mv.err == nil {
		g := mv.list[len(mv.list)-1]
		mv.list = mv.list[:len(mv.list)-1]
		if mv.mapped(forUse, g) == ir.None && mv.mapped(forAlias, g) == ir.None {
			mv.value(forUse, g.Value())
			mv.flush()
		}
		if mv.types.deep {
			mv.failf("types are nested more than %d deep, in %s", maxDepth, mv.src.ID)
		}
	}
	if mv.err != nil {
		return mv.err
	}
	mv.done = true
	for _, t := range mv.later {
		if mv.dst.Global(t.to.Name()) == t.to {
			t.to.MD = mv.attachments(t.from.MD)
		}
	}
	mv.linkNamed()
	mv.dst.ModuleAsm += mv.src.ModuleAsm
	mv.orderVariables()
	if mv.err == nil {
		mv.err = mv.linkFlags()
	}
	return mv.err
}

// mapped returns the value to which a global of the source is mapped, or None.
func (mv *mover) mapped(ctx int, g *ir.Global) ir.Value {
	if i := int(g.Value().Index()); i < len(mv.values[ctx]) {
		return mv.values[ctx][i]
	}
	return ir.None
}

// checkTarget adopts the data layout and triple of the source if the
// destination has none, and warns if they differ.
func (mv *mover) checkTarget() {
	src, dst := mv.src, mv.dst
	if dst.Layout().Text == "" {
		dst.SetLayout(src.Layout())
	}
	if dst.Triple == "" {
		dst.Triple = src.Triple
	}
	if s, d := src.Layout(), dst.Layout(); !s.Same(d) {
		mv.l.warnf("Linking two modules of different data layouts: '%s' is '%s' whereas '%s' is '%s'", src.ID, s.Text, dst.ID, d.Text)
	}
	if src.Triple != "" && normalTriple(src.Triple) != normalTriple(dst.Triple) {
		mv.l.warnf("Linking two modules of different target triples: '%s' is '%s' whereas '%s' is '%s'", src.ID, src.Triple, dst.ID, dst.Triple)
	}
}

// mapTypes maps the types of the source that already exist in the destination.
func (mv *mover) mapTypes() {
	for _, g := range mv.src.Globals() {
		if g == nil || g.Kind != ir.GlobalVar || g.Linkage != ir.Appending {
			continue
		}
		if d := mv.linkedTo(g); d != nil && d.Linkage == ir.Appending && mv.dst.Kind(d.Type) == ir.KindArray && mv.src.Kind(g.Type) == ir.KindArray {
			mv.types.mapType(mv.dst.ElementType(d.Type, 0), mv.src.ElementType(g.Type, 0))
		}
	}
	mv.types.byName()
}

// linkedTo returns the global of the destination with which g is linked, or
// nil.
func (mv *mover) linkedTo(g *ir.Global) *ir.Global {
	d := mv.sameName(g)
	if d != nil && d.Func != nil && d.Func.Intrinsic != ir.NoIntrinsic && g.Func != nil && d.Type != mv.types.destType(g.Type) {
		return nil
	}
	return d
}

// sameName returns the global of the destination with g's name, if both are
// visible to other modules.
func (mv *mover) sameName(g *ir.Global) *ir.Global {
	if g.Name() == "" || g.Linkage.IsLocal() {
		return nil
	}
	if d := mv.dst.Global(g.Name()); d != nil && !d.Linkage.IsLocal() {
		return d
	}
	return nil
}

// isDeclaration reports whether the destination only declares a global.
func (mv *mover) isDeclaration(d *ir.Global) bool { return d.IsDeclaration() && !mv.bodies[d] }

// shouldLink reports whether the source's definition of g is used. d is the
// global with which g is linked.
func (mv *mover) shouldLink(d, g *ir.Global) bool {
	if mv.wanted[g] || g.Linkage.IsLocal() {
		return true
	}
	if d != nil && d.Linkage != ir.AvailableExternally && !mv.isDeclaration(d) {
		return false
	}
	if mv.done || mv.lazy == nil || mv.in.isDeclaration(g) {
		return false
	}
	if err := mv.lazy(g); err != nil && mv.err == nil {
		mv.err = err
	}
	return mv.wanted[g]
}

// global returns the destination's value for a global of the source, and
// schedules its definition.
func (mv *mover) global(ctx int, g *ir.Global) ir.Value {
	v := mv.prototype(ctx, g)
	n := mv.dst.ConstGlobal(v)
	if v == ir.None || n == nil || mv.isFilled(n) {
		return v
	}
	if mv.mapped(numContexts-1-ctx, g) == v { // the other context handles it
		return v
	}
	if ctx == forAlias || mv.shouldLink(n, g) {
		mv.fill(n, g)
	}
	if n.Func != nil {
		mv.dropNoCallback(n.Func)
	}
	return v
}

// isFilled reports whether a global of the destination needs nothing from the
// source.
func (mv *mover) isFilled(n *ir.Global) bool {
	switch n.Kind {
	case ir.GlobalFunc:
		return !mv.isDeclaration(n)
	case ir.GlobalVar:
		return n.Init != ir.None || n.Linkage == ir.Appending
	}
	return n.Init != ir.None
}

// fill schedules the definition of a global of the destination.
func (mv *mover) fill(n, g *ir.Global) {
	t := task{to: n, from: g}
	switch g.Kind {
	case ir.GlobalFunc:
		if mv.in.File != nil {
			if err := mv.in.File.ReadBody(g.Func); err != nil && mv.err == nil {
				mv.err = err
			}
		}
		mv.bodies[n] = true
		t.fill = (*mover).fillFunction
	case ir.GlobalVar:
		t.fill = (*mover).fillVariable
	default:
		t.fill = (*mover).fillAlias
	}
	mv.l.origin[n] = mv.src.ID
	mv.tasks = append(mv.tasks, t)
}

// flush fills in all scheduled globals.
func (mv *mover) flush() {
	for len(mv.tasks) > 0 && mv.err == nil {
		t := mv.tasks[len(mv.tasks)-1]
		mv.tasks = mv.tasks[:len(mv.tasks)-1]
		t.fill(mv, t)
	}
	mv.resolveBlocks()
}

func (mv *mover) fillVariable(t task) {
	t.to.Init = mv.value(forUse, t.from.Init)
	t.to.MD = mv.attachments(t.from.MD)
}

func (mv *mover) fillAlias(t task) { t.to.Init = mv.value(forAlias, t.from.Init) }

// fillFunction copies the body of a function.
func (mv *mover) fillFunction(t task) {
	to, from := t.to.Func, t.from.Func
	for _, o := range [...]struct{ to, from *ir.Value }{
		{&to.Personality, &from.Personality}, {&to.Prefix, &from.Prefix}, {&to.Prologue, &from.Prologue},
	} {
		if *o.from != ir.None {
			*o.to = mv.value(forUse, *o.from)
		}
	}
	t.to.MD = mv.attachments(t.from.MD)
	delete(mv.bodies, t.to)
	mp := mv.mapper
	fresh := ir.NewMapper(from)
	mp.Values, mp.Blocks = fresh.Values, fresh.Blocks
	for i := range from.NumArgs() {
		mp.Values[from.Arg(i)] = to.Arg(i)
		if name := from.NameOf(from.Arg(i)); name != nil {
			to.SetName(to.Arg(i), name)
		}
	}
	to.CopyBody(from, &mp)
	mv.blocks[from] = mp.Blocks
	mv.dropNoCallback(to)
	from.Discard()
}

// orderVariables moves the variables that the source mentions after the others,
// in the source's order.
func (mv *mover) orderVariables() {
	for _, g := range mv.src.Globals() {
		if g == nil || g.Kind != ir.GlobalVar || g.Linkage == ir.Appending {
			continue
		}
		v := mv.value(forUse, g.Value())
		if v == ir.None {
			continue
		}
		if n := mv.dst.ConstGlobal(stripCasts(mv.dst, v)); n != nil && n.Kind == ir.GlobalVar {
			mv.dst.MoveToEnd(n)
		}
	}
}

// stripCasts returns a constant pointer without address space conversions.
func stripCasts(m *ir.Module, v ir.Value) ir.Value {
	for m.ConstKindOf(v) == ir.ConstExpr && m.Const(v).Op == ir.OpAddrSpaceCast {
		v = m.ConstOperands(v)[0]
	}
	return v
}
