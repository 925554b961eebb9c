package opt

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// mem2reg promotes allocas in the entry block that are only loaded and stored
// as a whole (R. Cytron et al., "Efficiently Computing Static Single Assignment
// Form and the Control Dependence Graph", 1991, with phis only where the
// variable is live). The phis, their order and omissions are the same as in
// LLVM's PromoteMemoryToRegister, but nonnull metadata of loads does not become
// an assumption.
func mem2reg(ctx *Context, f *ir.Function) bool {
	p := Scratch[promoter](ctx)
	var c *cfg
	changed := false
	for {
		p.allocas = p.allocas[:0]
		for v := f.First(f.Entry()); v != ir.None; v = f.Next(v) {
			if f.Op(v) == ir.OpAlloca && isPromotable(f, v) {
				p.allocas = append(p.allocas, v)
			}
		}
		if len(p.allocas) == 0 {
			return changed
		}
		if c == nil {
			c = cfgOf(ctx, f)
		}
		p.promoteAllocas(f, c)
		changed = true
	}
}

// PromoteMemory promotes an alloca, which must be promotable: only loaded and
// stored as a whole, in its own type.
func PromoteMemory(ctx *Context, f *ir.Function, a ir.Value) {
	p := Scratch[promoter](ctx)
	p.allocas = append(p.allocas[:0], a)
	p.promoteAllocas(f, cfgOf(ctx, f))
}

// isPromotable reports whether an alloca (or the first element of an array) is
// only loaded and stored as a whole, in its own type.
func isPromotable(f *ir.Function, a ir.Value) bool {
	t := f.AllocatedType(a)
	for u := f.FirstUse(a); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		switch f.Op(user) {
		case ir.OpLoad:
			if f.IsVolatile(user) || f.Instr(user).Type != t {
				return false
			}
		case ir.OpStore:
			if f.UseIndex(u) != 1 || f.IsVolatile(user) || f.TypeOf(f.Operand(user, 0)) != t {
				return false
			}
		case ir.OpCall:
			if !analysis.IsLifetime(f, user) && !isDroppable(f, user) {
				return false
			}
		case ir.OpGetElementPtr:
			if !hasZeroIndices(f, user) || !onlyMarkers(f, user, true) {
				return false
			}
		case ir.OpBitCast, ir.OpAddrSpaceCast:
			if !onlyMarkers(f, user, f.Op(user) == ir.OpBitCast) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isDroppable reports whether a call is only a hint that may be dropped.
func isDroppable(f *ir.Function, v ir.Value) bool {
	id := f.CalledIntrinsic(v)
	return id == ir.IntrAssume || id == ir.IntrPseudoprobe
}

// hasZeroIndices reports whether a getelementptr returns its base.
func hasZeroIndices(f *ir.Function, v ir.Value) bool {
	for _, o := range f.Operands(v)[1:] {
		if !o.Value.IsConst() || !f.Module().IsZero(o.Value) {
			return false
		}
	}
	return true
}

// onlyMarkers reports whether a pointer is used only by lifetime markers, and
// by assumptions if these are allowed.
func onlyMarkers(f *ir.Function, v ir.Value, assumes bool) bool {
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		if !analysis.IsLifetime(f, user) && !(assumes && f.Op(user) == ir.OpCall && isDroppable(f, user)) {
			return false
		}
	}
	return true
}

// dropMarkers removes uses of a promotable alloca other than loads and stores.
func dropMarkers(f *ir.Function, a ir.Value) {
	for u := f.FirstUse(a); u != 0; {
		user := f.User(u)
		next := f.NextUse(u)
		switch op := f.Op(user); {
		case op == ir.OpLoad || op == ir.OpStore:
		case op == ir.OpCall && isDroppable(f, user):
			dropUse(f, u)
		case op == ir.OpCall:
			// a marker may use the alloca only once
			f.Erase(user)
		default:
			dropMarkers(f, user)
			f.Erase(user)
		}
		u = next
	}
}

// dropUse removes a value from an assumption, whose bundle is then ignored.
func dropUse(f *ir.Function, u ir.Use) {
	user, i := f.User(u), uint32(f.UseIndex(u))
	m := f.Module()
	bundles := f.Bundles(user)
	for k := range bundles {
		if b := bundles[k]; i >= b.First && i < b.First+b.N {
			changed := append([]ir.Bundle(nil), bundles...)
			changed[k].Tag = m.BundleTag("ignore")
			f.SetBundles(user, changed)
			break
		}
	}
	if i == 0 && f.TypeOf(f.Operand(user, 0)) == ir.I1 {
		f.SetUse(u, m.NewBool(true))
		return
	}
	f.SetUse(u, m.Poison(f.TypeOf(f.Operand(user, int(i)))))
}

// promoter promotes allocas. Slices indexed by value or block have the initial
// number of the function's values and blocks.
type promoter struct {
	f *ir.Function
	c *cfg

	allocas []ir.Value // remaining allocas; phis refer to them by index
	numbers []int32    // by value: an alloca's index in allocas plus one
	order   []uint32   // by value: position in the block

	// round of the current alloca
	round      uint32
	defs, uses []uint32 // blocks with stores and with loads, possibly repeated
	onlyStore  ir.Value
	onlyBlock  ir.Block // the only block with uses, 0 if several
	firstStore []blockMark
	firstLoad  []blockMark
	live       []uint32 // by block: round in which the alloca is live at its start
	stores     []ir.Value
	records    []ir.Value // debug records that use the alloca
	isLive     func(uint32) bool

	// iterated frontiers for all allocas that need phis
	idf     analysis.Frontiers
	joins   []uint32 // blocks that need phis
	base    ir.Value // first phi
	phis    []phiOf  // by number minus base
	values  []ir.Value
	locs    []ir.Metadata
	undo    []undone
	work    []renameWork
	visited []bool
	debug   [][]ir.Value // by alloca: its debug records
	name    []byte
}

// blockMark is the position of an event in a block, valid in one round.
type blockMark struct{ round, order uint32 }

// phiOf is a phi inserted for an alloca.
type phiOf struct {
	phi    ir.Value
	alloca int32
}

// promoteAllocas promotes p.allocas.
func (p *promoter) promoteAllocas(f *ir.Function, c *cfg) {
	p.f, p.c = f, c
	n := f.NumBlocks()
	p.numbers, p.order = Sized(p.numbers, f.NumValues()), Sized(p.order, f.NumValues())
	p.firstStore, p.firstLoad = Sized(p.firstStore, n), Sized(p.firstLoad, n)
	p.live, p.visited, p.round = Sized(p.live, n), Sized(p.visited, n), 0
	p.phis, p.base = p.phis[:0], ir.Value(f.NumValues())
	p.idf.Reset(&c.dom)
	if p.isLive == nil {
		p.isLive = func(b uint32) bool { return p.live[b] == p.round }
	}
	p.numberInstrs()
	for i := 0; i < len(p.allocas); i++ {
		if p.promoteAlone(p.allocas[i]) {
			// the last one takes its position, as in LLVM, whose order of phis
			// depends on it
			last := len(p.allocas) - 1
			p.allocas[i] = p.allocas[last]
			p.allocas = p.allocas[:last]
			i--
			continue
		}
		p.placePhis(i)
	}
	if len(p.allocas) > 0 {
		p.rename()
		p.finish()
	}
}

// numberInstrs records the order of loads and stores in their blocks.
func (p *promoter) numberInstrs() {
	f := p.f
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		n := uint32(0)
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if op := f.Op(v); op == ir.OpLoad || op == ir.OpStore {
				n++
				p.order[v] = n
			}
		}
	}
}

// promoteAlone promotes an alloca that needs no phis.
func (p *promoter) promoteAlone(a ir.Value) bool {
	f := p.f
	dropMarkers(f, a)
	if !f.HasUses(a) {
		f.Erase(a)
		return true
	}
	p.analyse(a)
	if len(p.defs) == 1 && p.forwardSingleStore(a) {
		return true
	}
	return p.onlyBlock != 0 && p.forwardInBlock(a)
}

// analyse collects the loads and stores of an alloca.
func (p *promoter) analyse(a ir.Value) {
	f := p.f
	p.round++
	p.defs, p.uses, p.stores = p.defs[:0], p.uses[:0], p.stores[:0]
	p.onlyStore, p.onlyBlock = ir.None, f.Parent(f.User(f.FirstUse(a)))
	for u := f.FirstUse(a); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		b := f.Parent(user)
		first := &p.firstLoad[b]
		if f.Op(user) == ir.OpStore {
			p.defs = append(p.defs, uint32(b))
			p.stores = append(p.stores, user)
			p.onlyStore = user
			first = &p.firstStore[b]
		} else {
			p.uses = append(p.uses, uint32(b))
		}
		if first.round != p.round || p.order[user] < first.order {
			*first = blockMark{p.round, p.order[user]}
		}
		if b != p.onlyBlock {
			p.onlyBlock = 0
		}
	}
	p.collectRecords(a)
}

// forwardSingleStore replaces the loads that the only store dominates by the
// stored value, and reports whether these were all loads.
func (p *promoter) forwardSingleStore(a ir.Value) bool {
	f, store := p.f, p.onlyStore
	v := f.Operand(store, 0)
	// a load that the store does not dominate returns undef, which may become v
	// only if v is not poison
	must := v.IsLocal() && f.Op(v) != ir.OpArg || !analysis.NotPoison(f, v)
	p.uses = p.uses[:0]
	for u := f.FirstUse(a); u != 0; {
		load := f.User(u)
		u = f.NextUse(u)
		if load == store {
			continue
		}
		if must && !p.before(store, load) {
			p.uses = append(p.uses, uint32(f.Parent(load)))
			continue
		}
		if v == load { // in unreachable code
			v = f.Module().Poison(f.TypeOf(v))
		}
		p.replaceLoad(load, v)
	}
	if len(p.uses) > 0 {
		return false
	}
	p.recordStore(store, p.records)
	p.eraseRecords()
	f.Erase(store)
	f.Erase(a)
	return true
}

// before reports whether a store is always executed before a load.
func (p *promoter) before(store, load ir.Value) bool {
	sb, lb := p.f.Parent(store), p.f.Parent(load)
	if sb == lb {
		return p.order[store] < p.order[load]
	}
	return p.c.dom.Dominates(uint32(sb), uint32(lb))
}

// forwardInBlock promotes an alloca that is used in a single block, unless it
// is loaded before it is stored.
func (p *promoter) forwardInBlock(a ir.Value) bool {
	f := p.f
	// stores are mostly in reverse order
	sortByOrder(p.stores, p.order)
	for u := f.FirstUse(a); u != 0; {
		load := f.User(u)
		u = f.NextUse(u)
		if f.Op(load) != ir.OpLoad {
			continue
		}
		i := storeBefore(p.stores, p.order, p.order[load])
		v := ir.None
		switch {
		case i >= 0:
			v = f.Operand(p.stores[i], 0)
		case len(p.stores) > 0:
			return false
		default:
			v = f.Module().Undef(f.Instr(load).Type)
		}
		if v == load {
			v = f.Module().Poison(f.Instr(load).Type)
		}
		p.replaceLoad(load, v)
	}
	for u := f.FirstUse(a); u != 0; u = f.FirstUse(a) {
		store := f.User(u)
		p.recordStore(store, p.records)
		f.Erase(store)
	}
	p.eraseRecords()
	f.Erase(a)
	return true
}

// sortByOrder sorts instructions of a block. They are few, or almost in reverse
// order.
func sortByOrder(list []ir.Value, order []uint32) {
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	for i := 1; i < len(list); i++ {
		for j := i; j > 0 && order[list[j]] < order[list[j-1]]; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// storeBefore returns the index of the last store of a sorted list that
// precedes a position, or -1.
func storeBefore(stores []ir.Value, order []uint32, at uint32) int {
	lo, hi := 0, len(stores)
	for lo < hi {
		if mid := (lo + hi) / 2; order[stores[mid]] < at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// replaceLoad replaces a load by v.
func (p *promoter) replaceLoad(load, v ir.Value) {
	f := p.f
	m := f.Module()
	if analysis.IsUndef(f, v) && f.Attachment(load, ir.MDNoUndef) != 0 {
		// undefined behaviour inside a block is represented by a store to
		// poison
		s := f.NewInstr(ir.OpStore, ir.Void, m.NewBool(true), m.Poison(ir.Ptr))
		f.SetMemInfo(s, ir.MemInfo{Align: 1})
		f.InsertBefore(s, load)
	}
	if f.HasUses(load) || f.FirstRecordUse(load) != 0 {
		f.ReplaceUses(load, v)
	}
	f.Erase(load)
}
