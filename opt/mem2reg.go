package opt

import (
	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/ir"
)

// mem2reg makes values of allocas in the entry block that are only loaded and stored as a whole (R. Cytron et al., "Efficiently Computing Static
// Single Assignment Form and the Control Dependence Graph", 1991, with phis only where the variable is
// live). Phis, their order and what is left out are as in LLVM's PromoteMemoryToRegister; metadata nonnull of loads becomes no assumption.
func mem2reg(ctx *Context, f *ir.Function) bool {
	p := scratchOf[promoter](ctx)
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
		p.run(f, c)
		changed = true
	}
}

// isPromotable reports whether an alloca (of an array its first element) is only loaded and stored as a whole, in its own type.
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
			if !isLifetime(f, user) && !isDroppable(f, user) {
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

// isDroppable reports whether a call only says something that may be forgotten.
func isDroppable(f *ir.Function, v ir.Value) bool {
	id := f.CalledIntrinsic(v)
	return id == ir.IntrAssume || id == ir.IntrPseudoprobe
}

// hasZeroIndices reports whether a getelementptr gives its base.
func hasZeroIndices(f *ir.Function, v ir.Value) bool {
	for _, o := range f.Operands(v)[1:] {
		if !o.Value.IsConst() || !f.Module().IsZero(o.Value) {
			return false
		}
	}
	return true
}

// onlyMarkers reports whether a pointer is only used by lifetime markers, and assumptions if these are allowed.
func onlyMarkers(f *ir.Function, v ir.Value, assumes bool) bool {
	for u := f.FirstUse(v); u != 0; u = f.NextUse(u) {
		user := f.User(u)
		if !isLifetime(f, user) && !(assumes && f.Op(user) == ir.OpCall && isDroppable(f, user)) {
			return false
		}
	}
	return true
}

// dropMarkers removes what uses a promotable alloca without loading or storing it.
func dropMarkers(f *ir.Function, a ir.Value) {
	for u := f.FirstUse(a); u != 0; {
		user := f.User(u)
		next := f.NextUse(u)
		switch op := f.Op(user); {
		case op == ir.OpLoad || op == ir.OpStore:
		case op == ir.OpCall && isDroppable(f, user):
			dropUse(f, u)
		case op == ir.OpCall:
			// a marker may use the alloca once only
			f.Erase(user)
		default:
			dropMarkers(f, user)
			f.Erase(user)
		}
		u = next
	}
}

// dropUse takes a value out of an assumption: its bundle is ignored then.
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

// promoter promotes allocas. Slices indexed by value or block are as long as the function had values and blocks at the start.
type promoter struct {
	f *ir.Function
	c *cfg

	allocas []ir.Value // those still to do; phis know them by their number in it
	numbers []int32    // by value: an alloca's number in allocas plus one
	order   []uint32   // by value: place in the block

	// of the alloca at hand
	round      uint32
	defs, uses []uint32 // blocks that store, blocks that load (may have several times the same one)
	onlyStore  ir.Value
	onlyBlock  ir.Block // 0 if there are several
	firstStore []blockMark
	firstLoad  []blockMark
	live       []uint32 // by block: round in which the alloca is live at its begin
	stores     []ir.Value
	records    []ir.Value // debug records that use it
	isLive     func(uint32) bool

	// of all allocas that need phis
	idf     analysis.Frontiers
	joins   []uint32 // where phis go
	base    ir.Value // the first phi
	phis    []phiOf  // by number minus base
	values  []ir.Value
	locs    []ir.Metadata
	undo    []undone
	work    []renameWork
	visited []bool
	debug   [][]ir.Value // by alloca: its debug records
	name    []byte
}

// blockMark is where in a block something stands first, good in one round.
type blockMark struct{ round, order uint32 }

// phiOf is a phi that was made for an alloca.
type phiOf struct {
	phi    ir.Value
	alloca int32
}

// run promotes p.allocas.
func (p *promoter) run(f *ir.Function, c *cfg) {
	p.f, p.c = f, c
	n := f.NumBlocks()
	p.numbers, p.order = sized(p.numbers, f.NumValues()), sized(p.order, f.NumValues())
	p.firstStore, p.firstLoad = sized(p.firstStore, n), sized(p.firstLoad, n)
	p.live, p.visited, p.round = sized(p.live, n), sized(p.visited, n), 0
	p.phis, p.base = p.phis[:0], ir.Value(f.NumValues())
	p.idf.Reset(&c.dom)
	if p.isLive == nil {
		p.isLive = func(b uint32) bool { return p.live[b] == p.round }
	}
	p.numberInstrs()
	for i := 0; i < len(p.allocas); i++ {
		if p.promoteAlone(p.allocas[i]) {
			// the last one takes its place, as in LLVM, whose order of phis depends on it
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

// numberInstrs notes the order of loads and stores in their blocks.
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

// promoteAlone promotes an alloca if that needs no phis.
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

// analyse notes where an alloca is loaded and stored.
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

// forwardSingleStore gives the value of the only store to the loads that it dominates, and reports whether these were all.
func (p *promoter) forwardSingleStore(a ir.Value) bool {
	f, store := p.f, p.onlyStore
	v := f.Operand(store, 0)
	// a load that the store does not dominate gives undef, which may become v only if v is not poison
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

// before reports whether a store is always carried out before a load.
func (p *promoter) before(store, load ir.Value) bool {
	sb, lb := p.f.Parent(store), p.f.Parent(load)
	if sb == lb {
		return p.order[store] < p.order[load]
	}
	return p.c.dom.Dominates(uint32(sb), uint32(lb))
}

// forwardInBlock promotes an alloca that is used in one block only, unless it is loaded before it is stored.
func (p *promoter) forwardInBlock(a ir.Value) bool {
	f := p.f
	// stores come in the reverse of their order mostly
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

// sortByOrder sorts instructions of a block. They are few, or nearly sorted the other way round.
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

// storeBefore gives the index of the last store of a sorted list that stands before a place, -1 when there is none.
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

// replaceLoad makes v what a load gives.
func (p *promoter) replaceLoad(load, v ir.Value) {
	f := p.f
	m := f.Module()
	if isUndef(f, v) && f.Attachment(load, ir.MDNoUndef) != 0 {
		// undefined behaviour in the middle of a block is a store to poison
		s := f.NewInstr(ir.OpStore, ir.Void, m.NewBool(true), m.Poison(ir.Ptr))
		f.SetMemInfo(s, ir.MemInfo{Align: 1})
		f.InsertBefore(s, load)
	}
	if f.HasUses(load) || f.FirstRecordUse(load) != 0 {
		f.ReplaceUses(load, v)
	}
	f.Erase(load)
}
