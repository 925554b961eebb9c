package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// aggSplitter replaces operations on structs and arrays by operations on their
// elements. An aggregate is a list of leaves: nested elements that are not
// structs or arrays.
type aggSplitter struct {
	emitter
	f      *ir.Function
	at     []uint32 // by value: index of its leaves plus one, or 0
	leaves []ir.Value
	phis   []ir.Value
	old    []ir.Value // instructions to erase
	made   []ir.Value // extractvalue instructions that may be unused
	layout map[ir.Type][]aggLeaf
	graph  analysis.Graph
}

// aggLeaf is a leaf of a type.
type aggLeaf struct {
	t      ir.Type
	offset uint64 // in bytes
	path   []uint32
}

// splitAggregates splits loads, stores, phis, selects and freezes of aggregates
// into operations on their elements. Operations that inherently have aggregate
// operands or results (calls, ret, cmpxchg) are surrounded by insertvalue and
// extractvalue.
func splitAggregates(ctx *opt.Context, f *ir.Function) bool {
	x := opt.Scratch[aggSplitter](ctx)
	x.f, x.F, x.M = f, f, f.Module()
	if !x.hasWork() {
		return false
	}
	x.layout = map[ir.Type][]aggLeaf{}
	x.at, x.leaves = opt.Sized(x.at, f.NumValues()), x.leaves[:0]
	x.phis, x.old, x.made = x.phis[:0], x.old[:0], x.made[:0]
	x.graph.ResetCFG(f)
	definitionsFirst(f, &x.graph, x.block)
	x.fillPhis()
	eraseAll(f, x.old)
	for _, v := range x.made {
		if !f.HasUses(v) && f.FirstRecordUse(v) == 0 {
			f.Erase(v)
		}
	}
	return true
}

// hasWork reports whether an operation on aggregates must be split.
func (x *aggSplitter) hasWork() bool {
	f := x.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			switch f.Op(v) {
			case ir.OpLoad, ir.OpPhi, ir.OpSelect, ir.OpFreeze, ir.OpInsertValue:
				if x.M.IsAggregate(f.TypeOf(v)) {
					return true
				}
			case ir.OpExtractValue:
				if f.Operand(v, 0).IsConst() {
					return true
				}
			case ir.OpStore:
				if x.M.IsAggregate(f.TypeOf(f.Operand(v, 0))) {
					return true
				}
			}
		}
	}
	return false
}

// leavesOf returns the leaves of a type.
func (x *aggSplitter) leavesOf(t ir.Type) []aggLeaf {
	list, known := x.layout[t]
	if !known {
		list = x.addLeaves(nil, aggLeaf{t: t})
		x.layout[t] = list
	}
	return list
}

func (x *aggSplitter) addLeaves(list []aggLeaf, l aggLeaf) []aggLeaf {
	m := x.M
	if !m.IsAggregate(l.t) {
		return append(list, l)
	}
	info := m.TypeInfo(l.t)
	for i := range m.NumElements(l.t) {
		e := m.ElementType(l.t, i)
		offset := i * m.AllocSize(e)
		if info.Kind == ir.KindStruct {
			offset = m.FieldOffset(l.t, int(i))
		}
		path := append(append([]uint32(nil), l.path...), uint32(i))
		list = x.addLeaves(list, aggLeaf{e, l.offset + offset, path})
	}
	return list
}

// leavesAt returns the first leaf of a part of an aggregate, and the number of
// its leaves.
func (x *aggSplitter) leavesAt(t ir.Type, indices []uint32) (at, n int) {
	for _, i := range indices {
		for j := range uint64(i) {
			at += len(x.leavesOf(x.M.ElementType(t, j)))
		}
		t = x.M.ElementType(t, uint64(i))
	}
	return at, len(x.leavesOf(t))
}

// parts returns the leaves of a value.
func (x *aggSplitter) parts(v ir.Value) []ir.Value {
	t := x.f.TypeOf(v)
	switch {
	case !x.M.IsAggregate(t):
		return []ir.Value{v}
	case v.IsConst():
		return x.constParts(nil, v, t)
	}
	list := x.leavesOf(t)
	if x.at[v] == 0 && x.f.Op(v) == ir.OpArg {
		x.extractAll(v)
	}
	if x.at[v] == 0 { // in unreachable code
		out := make([]ir.Value, len(list))
		for i, l := range list {
			out[i] = x.M.Poison(l.t)
		}
		return out
	}
	at := x.at[v] - 1
	return x.leaves[at : at+uint32(len(list)) : at+uint32(len(list))]
}

// constParts appends the leaves of a constant.
func (x *aggSplitter) constParts(to []ir.Value, v ir.Value, t ir.Type) []ir.Value {
	if !x.M.IsAggregate(t) {
		return append(to, v)
	}
	for i := range x.M.NumElements(t) {
		to = x.constParts(to, x.M.Element(v, i), x.M.ElementType(t, i))
	}
	return to
}

// extractAll extracts the leaves of a value that is kept, at its definition.
func (x *aggSplitter) extractAll(v ir.Value) {
	f := x.f
	saved := x.Builder
	switch {
	case f.Op(v) == ir.OpArg:
		x.Before(f.FirstNonPhi(f.Entry()))
		x.Loc = 0
	case f.Op(v).IsTerminator():
		return // its users extract the leaves that they need
	default:
		x.Before(f.Next(v))
	}
	var out []ir.Value
	for _, l := range x.leavesOf(f.TypeOf(v)) {
		out = append(out, x.ExtractValue(v, l.path...))
	}
	x.Builder = saved
	x.made = append(x.made, out...)
	x.setLeaves(v, out)
}

// setLeaves records the leaves of a value.
func (x *aggSplitter) setLeaves(v ir.Value, parts []ir.Value) {
	x.at[v] = uint32(len(x.leaves)) + 1
	x.leaves = append(x.leaves, parts...)
}

// whole builds an aggregate from its leaves.
func (x *aggSplitter) whole(t ir.Type, parts []ir.Value) ir.Value {
	v := x.M.Poison(t)
	for i, l := range x.leavesOf(t) {
		if !parts[i].IsConst() || x.M.ConstKindOf(parts[i]) != ir.ConstPoison {
			v = x.InsertValue(v, parts[i], l.path...)
		}
	}
	return v
}

func (x *aggSplitter) block(b ir.Block) {
	f := x.f
	for v := f.First(b); v != ir.None; {
		next := f.Next(v)
		if int(v) < len(x.at) {
			x.instr(v)
		}
		v = next
	}
}

// splitOps holds the functions that split instructions; they return false if
// the instruction is kept.
var splitOps = [ir.NumOps]func(x *aggSplitter, v ir.Value) bool{
	ir.OpLoad: splitLoad, ir.OpStore: splitStore, ir.OpPhi: splitPhi, ir.OpSelect: splitSelect, ir.OpFreeze: splitFreeze,
	ir.OpExtractValue: splitExtract, ir.OpInsertValue: splitInsert,
}

func (x *aggSplitter) instr(v ir.Value) {
	f, m := x.f, x.M
	concerned := m.IsAggregate(f.TypeOf(v))
	for _, o := range f.Operands(v) {
		concerned = concerned || !o.Value.IsBlock() && !o.Value.IsMetadata() && m.IsAggregate(f.TypeOf(o.Value))
	}
	if !concerned {
		return
	}
	x.Before(v)
	if do := splitOps[f.Op(v)]; do != nil {
		if do(x, v) {
			x.old = append(x.old, v)
		}
		return
	}
	for i, o := range f.Operands(v) {
		t := f.TypeOf(o.Value)
		if o.Value.IsLocal() && m.IsAggregate(t) && f.Op(o.Value) != ir.OpArg && splitOps[f.Op(o.Value)] != nil {
			f.SetOperand(v, i, x.whole(t, x.parts(o.Value)))
		}
	}
	if m.IsAggregate(f.TypeOf(v)) && f.Op(v) != ir.OpLandingPad {
		x.extractAll(v)
	}
}

func splitLoad(x *aggSplitter, v ir.Value) bool {
	f := x.f
	p := f.Operand(v, 0)
	var out []ir.Value
	for _, l := range x.leavesOf(f.TypeOf(v)) {
		out = append(out, x.accessLike(x.Make(ir.OpLoad, l.t, x.offsetPtr(p, l.offset)), v, l.offset))
	}
	x.setLeaves(v, out)
	return true
}

func splitStore(x *aggSplitter, v ir.Value) bool {
	f := x.f
	p := f.Operand(v, 1)
	parts := x.parts(f.Operand(v, 0))
	for i, l := range x.leavesOf(f.TypeOf(f.Operand(v, 0))) {
		x.accessLike(x.Make(ir.OpStore, ir.Void, parts[i], x.offsetPtr(p, l.offset)), v, l.offset)
	}
	return true
}

func splitPhi(x *aggSplitter, v ir.Value) bool {
	var out []ir.Value
	for _, l := range x.leavesOf(x.f.TypeOf(v)) {
		out = append(out, x.Phi(l.t))
	}
	x.setLeaves(v, out)
	x.phis = append(x.phis, v)
	return true
}

// fillPhis adds the incoming values of the phis of leaves.
func (x *aggSplitter) fillPhis() {
	f := x.f
	for _, v := range x.phis {
		for i := range f.NumIncoming(v) {
			in, b := f.Incoming(v, i)
			x.Before(f.Terminator(b))
			for j, p := range x.parts(in) {
				f.AddIncoming(x.parts(v)[j], p, b)
			}
		}
	}
}

func splitSelect(x *aggSplitter, v ir.Value) bool {
	f := x.f
	a, b := x.parts(f.Operand(v, 1)), x.parts(f.Operand(v, 2))
	out := make([]ir.Value, len(a))
	for i := range a {
		out[i] = x.Choose(f.Operand(v, 0), a[i], b[i])
	}
	x.setLeaves(v, out)
	return true
}

func splitFreeze(x *aggSplitter, v ir.Value) bool {
	var out []ir.Value
	for _, p := range x.parts(x.f.Operand(v, 0)) {
		out = append(out, x.Freeze(p))
	}
	x.setLeaves(v, out)
	return true
}

func splitExtract(x *aggSplitter, v ir.Value) bool {
	f := x.f
	agg := f.Operand(v, 0)
	if agg.IsLocal() && x.f.Op(agg).IsTerminator() {
		return false
	}
	at, n := x.leavesAt(f.TypeOf(agg), f.Indices(v))
	parts := x.parts(agg)[at : at+n]
	if x.M.IsAggregate(f.TypeOf(v)) {
		x.setLeaves(v, parts)
		return true
	}
	return x.replace(v, parts[0])
}

func splitInsert(x *aggSplitter, v ir.Value) bool {
	f := x.f
	agg := f.Operand(v, 0)
	out := append([]ir.Value(nil), x.parts(agg)...)
	at, n := x.leavesAt(f.TypeOf(agg), f.Indices(v))
	copy(out[at:at+n], x.parts(f.Operand(v, 1)))
	x.setLeaves(v, out)
	return true
}
