package prepare

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// Attributes of kernels: the size of their LDS variables and the alignment of
// the dynamic LDS, in bytes.
const (
	attrLDSSize    = "amdgpu-lds-size"
	attrDynamicLDS = "amdgpu-dynamic-lds"
)

// ldsVariable is a variable in LDS.
type ldsVariable struct {
	g       *ir.Global
	size    uint64
	align   uint64
	named   uint64 // number of named barriers, which occupy no LDS memory
	dynamic bool   // dynamic LDS, whose size the dispatch specifies
	shared  bool   // used by functions other than kernels: same address in all kernels
	fixed   bool   // address specified by the module
	users   []bool // by function number: it refers to the variable
	offset  uint64
	scope   ir.Metadata
}

// ldsLowering assigns addresses to the variables in LDS.
type ldsLowering struct {
	ctx     *opt.Context
	m       *ir.Module
	g       analysis.CallGraph
	vars    []ldsVariable
	byValue map[ir.Value]int // index of a variable
	consts  map[ir.Value][]int
	mapper  constMapper
	objects analysis.ObjectFinder

	reaches [][]bool // by kernel: functions that may be executed
	sharedN uint64   // size of the shared variables in bytes
	common  uint64   // start of dynamic LDS for functions other than kernels
	size    []uint64 // by function number: static LDS size of a kernel in bytes
	start   []uint64 // start of a kernel's own variables
}

// lowerModuleLDS assigns fixed addresses to the variables in LDS. Variables
// used by functions other than kernels have the same address in all kernels;
// each kernel's own variables follow. Dynamic LDS starts after the last
// variable. Uses become constants, the variables are removed, and kernels get
// the attribute amdgpu-lds-size. LLVM's amdgpu-lower-module-lds uses tables for
// functions that several kernels call; here these functions use common
// addresses.
func lowerModuleLDS(ctx *opt.Context, m *ir.Module) bool {
	if ctx.Target == nil && !strings.HasPrefix(m.Triple, "amdgcn") {
		return false
	}
	l := opt.Scratch[ldsLowering](ctx)
	l.ctx, l.m = ctx, m
	l.collect()
	if len(l.vars) == 0 {
		return false
	}
	l.g.Reset(m)
	l.findUsers()
	l.findReached()
	l.placeVariables()
	l.makeScopes()
	for i, f := range l.g.Funcs {
		if !f.IsDeclaration() {
			l.annotate(f)
			l.rewrite(i, f)
		}
	}
	l.rewriteInitializers()
	for i := range l.vars {
		m.RemoveGlobal(l.vars[i].g)
	}
	return true
}

// collect collects the variables.
func (l *ldsLowering) collect() {
	m := l.m
	l.vars = l.vars[:0]
	l.byValue, l.consts = map[ir.Value]int{}, map[ir.Value][]int{}
	for _, g := range m.Globals() {
		if g == nil || g.Kind != ir.GlobalVar || g.AddrSpace != addrspace.Local {
			continue
		}
		if k := ir.ConstUndef; g.Init != ir.None {
			if k = m.ConstKindOf(g.Init); k != ir.ConstUndef && k != ir.ConstPoison {
				opt.Refuse(nil, ir.None, "initializer of LDS variable @"+g.Name())
			}
		}
		v := ldsVariable{g: g, align: uint64(g.Align)}
		if m.IsSized(g.Type) {
			v.size = m.AllocSize(g.Type)
			v.align = max(v.align, uint64(m.ABIAlign(g.Type)))
		}
		v.align = max(v.align, 1)
		if isNamedBarrier(m, g.Type) {
			v.named, v.size = v.size/namedBarrierSize, 0
		}
		v.dynamic = v.named == 0 && v.size == 0 && g.Init == ir.None
		if !v.dynamic {
			v.align = max(v.align, niceLDSAlign(v.size))
		}
		for _, a := range g.MD {
			if a.Kind == ir.MDAbsoluteSymbol {
				if at, ok := m.MDInt(m.MDOperands(a.Node)[0]); ok {
					v.fixed, v.offset = true, at
				}
			}
		}
		l.byValue[g.Value()] = len(l.vars)
		l.vars = append(l.vars, v)
	}
}

// niceLDSAlign returns an alignment that permits wide accesses to a variable of
// a given size.
func niceLDSAlign(size uint64) uint64 {
	switch {
	case size > 8:
		return 16
	case size > 4:
		return 8
	case size > 2:
		return 4
	case size > 1:
		return 2
	}
	return 1
}

// variablesOf returns the variables that a constant refers to.
func (l *ldsLowering) variablesOf(v ir.Value) []int {
	if i, ok := l.byValue[v]; ok {
		return []int{i}
	}
	if list, ok := l.consts[v]; ok {
		return list
	}
	var list []int
	l.consts[v] = nil
	operands := l.m.ConstOperands(v)
	if g := l.m.ConstGlobal(v); g != nil {
		if operands = nil; g.Kind == ir.GlobalAlias {
			operands = []ir.Value{g.Init}
		}
	}
	for _, o := range operands {
		for _, i := range l.variablesOf(o) {
			if !slices.Contains(list, i) {
				list = append(list, i)
			}
		}
	}
	l.consts[v] = list
	return list
}

// findUsers finds the functions that use each variable.
func (l *ldsLowering) findUsers() {
	for i := range l.vars {
		l.vars[i].users = make([]bool, len(l.g.Funcs))
	}
	for id, f := range l.g.Funcs {
		for b := f.Entry(); b != 0; b = f.NextBlock(b) {
			for v := f.First(b); v != ir.None; v = f.Next(v) {
				for _, o := range f.Operands(v) {
					if o.Value.IsConst() {
						for _, i := range l.variablesOf(o.Value) {
							l.vars[i].users[id] = true
							l.vars[i].shared = l.vars[i].shared || !isProgram(f)
						}
					}
				}
			}
		}
	}
	for _, g := range l.m.Globals() {
		if g == nil || g.Kind != ir.GlobalVar || g.Init == ir.None || usedLists.Get()[g.Name()] {
			continue
		}
		for _, i := range l.variablesOf(g.Init) { // any function may read it
			l.vars[i].shared = true
		}
	}
}

// usedLists lists the variables that only keep others alive.
var usedLists = lazy.Value[map[string]bool]{Make: func() map[string]bool { return map[string]bool{"llvm.used": true, "llvm.compiler.used": true} }}

// findReached finds the functions that each kernel may execute: called
// functions and, if there is an indirect call, all functions whose addresses
// are taken.
func (l *ldsLowering) findReached() {
	g := &l.g
	opaque := make([]bool, len(g.Funcs))
	for id, f := range g.Funcs {
		opaque[id] = callsUnknown(f)
	}
	l.reaches = make([][]bool, len(g.Funcs))
	for id, f := range g.Funcs {
		if !isProgram(f) || f.IsDeclaration() {
			continue
		}
		seen := make([]bool, len(g.Funcs))
		work := []int32{int32(id)}
		seen[id] = true
		visit := func(to int32) {
			if !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
		for unknown := false; len(work) > 0; {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			for _, to := range g.Calls[g.Start[n]:g.Start[n+1]] {
				visit(to)
			}
			if opaque[n] && !unknown {
				unknown = true
				for to, f := range g.Funcs {
					if !isProgram(f) && (g.Referenced[to] || !f.Linkage.IsLocal() || addressTaken(f, g, int32(to))) {
						visit(int32(to))
					}
				}
			}
		}
		l.reaches[id] = seen
	}
}

// isProgram reports whether a function has its own LDS: it is a kernel, a shader
// or a chain function, which no function calls.
func isProgram(f *ir.Function) bool { return f.CC.IsKernel() || f.CC.IsShader() }

// addressTaken reports whether a function has uses other than calls.
func addressTaken(_ *ir.Function, g *analysis.CallGraph, id int32) bool {
	calls := int32(0)
	for _, to := range g.Calls {
		if to == id {
			calls++
		}
	}
	return g.Uses[id] > calls
}

// callsUnknown reports whether a function calls a function outside the module.
func callsUnknown(f *ir.Function) bool {
	m := f.Module()
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if !f.Op(v).IsCall() || f.CalledIntrinsic(v) != ir.NoIntrinsic {
				continue
			}
			if c := f.Callee(v); c.IsConst() && m.ConstKindOf(c) == ir.ConstAsm {
				continue
			}
			if callee := f.CalledFunction(v); callee == nil || callee.IsDeclaration() {
				return true
			}
		}
	}
	return false
}

// placeVariables assigns offsets to the shared variables and computes the LDS
// size of each kernel.
func (l *ldsLowering) placeVariables() {
	g := &l.g
	order := l.order()
	floor := l.floor()
	l.sharedN = floor
	for _, i := range order {
		if v := &l.vars[i]; v.shared && !v.dynamic && !v.fixed {
			v.offset = alignUp(l.sharedN, v.align)
			l.sharedN = v.offset + v.size
		}
	}
	l.size, l.start = make([]uint64, len(g.Funcs)), make([]uint64, len(g.Funcs))
	l.common = 0
	dynAlign := make([]uint64, len(g.Funcs))
	var together []int // kernels with functions that use dynamic LDS
	for id := range g.Funcs {
		if l.reaches[id] == nil {
			continue
		}
		inFunctions := false
		l.start[id] = floor
		for i := range l.vars {
			v := &l.vars[i]
			switch {
			case v.named > 0 || !l.mayUse(v, id):
			case v.dynamic:
				dynAlign[id] = max(dynAlign[id], v.align)
				inFunctions = inFunctions || v.shared
			case v.shared && !v.fixed:
				l.start[id] = l.sharedN
			}
		}
		size := l.start[id]
		for _, i := range order {
			if v := &l.vars[i]; v.users[id] && !v.shared && !v.dynamic && !v.fixed {
				size = alignUp(size, v.align) + v.size
			}
		}
		l.size[id] = size
		if dynAlign[id] > 0 {
			l.size[id] = alignUp(size, dynAlign[id])
		}
		if inFunctions {
			together = append(together, id)
			l.common = max(l.common, l.size[id])
		}
	}
	for _, i := range order {
		if v := &l.vars[i]; v.dynamic && v.shared {
			l.common = alignUp(l.common, v.align)
		}
	}
	for _, id := range together {
		l.size[id] = l.common
	}
	l.setAttributes(dynAlign)
}

// mayUse reports whether a variable may be used while a kernel runs.
func (l *ldsLowering) mayUse(v *ldsVariable, kernel int) bool {
	if v.users[kernel] {
		return true
	}
	if !v.shared {
		return false
	}
	named := false
	for id, used := range v.users {
		if used && l.reaches[kernel][id] {
			return true
		}
		named = named || used
	}
	return !named // used only by initializers
}

// order returns the indices of the variables other than barriers, by descending
// alignment.
func (l *ldsLowering) order() []int {
	var order []int
	for i := range l.vars {
		if l.vars[i].named == 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &l.vars[a], &l.vars[b]
		return cmp.Or(cmp.Compare(y.align, x.align), cmp.Compare(y.size, x.size))
	})
	return order
}

// floor returns the first byte that is free in all kernels: after variables
// with addresses specified by the module, and after the LDS that kernels
// already use.
func (l *ldsLowering) floor() uint64 {
	floor := uint64(0)
	for i := range l.vars {
		if v := &l.vars[i]; v.fixed && v.named == 0 {
			floor = max(floor, v.offset+v.size)
		}
	}
	for _, f := range l.g.Funcs {
		if isProgram(f) {
			s, _, _ := strings.Cut(opt.StringAttr(f, attrLDSSize), ",")
			n, _ := strconv.ParseUint(s, 10, 32)
			floor = max(floor, n)
		}
	}
	return floor
}

// setAttributes records the LDS requirements in the kernels and checks them
// against the available LDS.
func (l *ldsLowering) setAttributes(dynAlign []uint64) {
	m := l.m
	limit := uint64(1<<32 - 1)
	if l.ctx.Target != nil {
		limit = uint64(l.ctx.Target.Limits().LDS)
	}
	for id, f := range l.g.Funcs {
		if l.reaches[id] == nil {
			continue
		}
		if l.size[id] > limit {
			opt.Refuse(f, ir.None, fmt.Sprintf("kernel @%s with %d bytes of LDS (at most %d)", f.Name(), l.size[id], limit))
		}
		set := m.AttrsAt(f.Attributes, ir.AttrFunction)
		set = m.AddAttr(set, m.NewStringAttr(attrLDSSize, strconv.FormatUint(l.size[id], 10)))
		if dynAlign[id] > 0 {
			set = m.AddAttr(set, m.NewStringAttr(attrDynamicLDS, strconv.FormatUint(dynAlign[id], 10)))
		}
		f.Attributes = m.WithAttrsAt(f.Attributes, ir.AttrFunction, set)
	}
}

// maxLDSScopes bounds the number of variables that get alias scopes.
const maxLDSScopes = 32

// makeScopes creates an alias scope for each variable; all dynamic LDS shares
// one.
func (l *ldsLowering) makeScopes() {
	if len(l.vars) < 2 || len(l.vars) > maxLDSScopes {
		return
	}
	m := l.m
	domain := emit.NewSelfNode(m, m.NewMDString("LDS"))
	dynamic := ir.Metadata(0)
	for i := range l.vars {
		v := &l.vars[i]
		if !v.dynamic || dynamic == 0 {
			v.scope = emit.NewSelfNode(m, domain, m.NewMDString(v.g.Name()))
		}
		if v.dynamic {
			if dynamic == 0 {
				dynamic = v.scope
			}
			v.scope = dynamic
		}
	}
}

// annotate adds alias scopes to accesses whose variables are known.
func (l *ldsLowering) annotate(f *ir.Function) {
	if l.vars[0].scope == 0 {
		return
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch f.Op(v) {
			case ir.OpLoad, ir.OpStore, ir.OpAtomicRMW, ir.OpCmpXchg:
				l.annotateAccess(f, v)
			}
		}
	}
}

func (l *ldsLowering) annotateAccess(f *ir.Function, v ir.Value) {
	m := l.m
	l.objects.Objects = l.objects.Objects[:0]
	if !l.objects.Find(f, analysis.AccessPointer(f, v)) {
		return
	}
	var own, others []ir.Metadata
	for _, o := range l.objects.Objects {
		i, ok := l.byValue[o]
		if !ok {
			return
		}
		if s := l.vars[i].scope; !slices.Contains(own, s) {
			own = append(own, s)
		}
	}
	for i := range l.vars {
		if s := l.vars[i].scope; !slices.Contains(own, s) && !slices.Contains(others, s) {
			others = append(others, s)
		}
	}
	f.SetAttachment(v, ir.MDAliasScope, emit.Concatenate(m, f.Attachment(v, ir.MDAliasScope), m.NewTuple(own...)))
	if len(others) > 0 {
		f.SetAttachment(v, ir.MDNoAlias, emit.Concatenate(m, f.Attachment(v, ir.MDNoAlias), m.NewTuple(others...)))
	}
}

// setPlaces enters the addresses of variables for a function in the mapper, or
// the common addresses for -1.
func (l *ldsLowering) setPlaces(id int) {
	m := l.m
	l.mapper.reset(m)
	if l.mapper.f = nil; len(l.g.Funcs) > 0 {
		l.mapper.f = l.g.Funcs[max(id, 0)]
	}
	at := uint64(0)
	kernel := id >= 0 && l.reaches[id] != nil
	if kernel {
		at = l.start[id]
	}
	for _, i := range l.order() {
		v := &l.vars[i]
		offset := v.offset
		switch {
		case v.fixed || v.shared && !v.dynamic:
		case v.dynamic && kernel:
			offset = l.size[id]
		case v.dynamic:
			offset = l.common
		case kernel && v.users[id]:
			offset = alignUp(at, v.align)
			at = offset + v.size
		}
		l.setPlace(v, offset)
	}
	l.setBarriers(id)
	for _, g := range m.Globals() {
		if g != nil && g.Kind == ir.GlobalAlias && len(l.variablesOf(g.Value())) > 0 {
			l.mapper.new[g.Value()] = l.mapper.mapped(g.Init)
		}
	}
}

// setPlace enters the address of a variable in the mapper.
func (l *ldsLowering) setPlace(v *ldsVariable, at uint64) {
	l.mapper.new[v.g.Value()] = l.m.Cast(ir.OpIntToPtr, l.m.NewInt(ir.I32, at), l.m.TypeOfConst(v.g.Value()))
}

// rewrite replaces the variables in a function by their addresses.
func (l *ldsLowering) rewrite(id int, f *ir.Function) {
	uses := false
	for i := range l.vars {
		uses = uses || l.vars[i].users[id]
	}
	if !uses {
		return
	}
	l.setPlaces(id)
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			for i := range f.NumOperands(v) {
				if o := f.Operand(v, i); o.IsConst() {
					if n := l.mapper.mapped(o); n != o {
						f.SetOperand(v, i, n)
					}
				}
			}
		}
	}
}

// rewriteInitializers replaces the variables in initializers by their
// addresses, and removes them from the lists of used variables.
func (l *ldsLowering) rewriteInitializers() {
	m := l.m
	l.setPlaces(-1)
	for _, g := range slices.Clone(m.Globals()) {
		switch {
		case g == nil || g.Init == ir.None || len(l.variablesOf(g.Init)) == 0:
		case usedLists.Get()[g.Name()]:
			l.shorten(g)
		case g.Kind == ir.GlobalAlias:
			m.RemoveGlobal(g)
		default:
			g.Init = l.mapper.mapped(g.Init)
		}
	}
}

// shorten removes the variables from a list of used variables.
func (l *ldsLowering) shorten(g *ir.Global) {
	m := l.m
	var keep []ir.Value
	for _, v := range m.ConstOperands(g.Init) {
		if len(l.variablesOf(v)) == 0 {
			keep = append(keep, v)
		}
	}
	if len(keep) == 0 {
		m.RemoveGlobal(g)
		return
	}
	g.Type = m.ArrayType(m.TypeOfConst(keep[0]), uint64(len(keep)))
	g.Init = m.NewAggregate(g.Type, keep)
}
