package prepare

import (
	"cmp"
	"math"
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// lowerSwitch converts every switch to a balanced tree of comparisons (LLVM's
// lower-switch). Adjacent cases with the same destination form one range. Known
// facts about the value (unreachable default, bits known to be zero) save
// comparisons.
func lowerSwitch(_ *opt.Context, f *ir.Function) bool {
	var l *switchLowering
	stop := f.LastBlock()
	for b := f.Entry(); b != 0; {
		next := f.NextBlock(b)
		if t := f.Terminator(b); t != ir.None && f.Op(t) == ir.OpSwitch {
			if l == nil {
				l = &switchLowering{f: f, m: f.Module()}
			}
			l.lower(t)
		}
		if b == stop {
			break
		}
		b = next
	}
	if l == nil {
		return false
	}
	for _, b := range l.dead {
		opt.EraseDeadBlock(f, b)
	}
	return true
}

// caseRange is a signed inclusive range of switch values with one destination.
type caseRange struct {
	low, high int64
	to        ir.Block
}

type switchLowering struct {
	f       *ir.Function
	m       *ir.Module
	cases   []caseRange
	gaps    []caseRange // ranges without possible values; to is 0
	indices []int
	dead    []ir.Block // defaults without remaining predecessors

	// value of the current switch
	value ir.Value
	name  []byte
	t     ir.Type
	orig  ir.Block
	def   ir.Block
	loc   ir.Metadata
}

func (l *switchLowering) lower(sw ir.Value) {
	f := l.f
	l.value, l.orig, l.loc = f.Operand(sw, 0), f.Parent(sw), f.Instr(sw).Loc
	l.t = f.TypeOf(l.value)
	oldDefault := f.Operand(sw, 1).Block()
	l.def = oldDefault
	if l.orig != f.Entry() && f.FirstPred(l.orig) == 0 {
		return // LLVM deletes it; here another pass removes unreachable code
	}
	to := ir.Block(0)
	if bits := l.m.IntBits(l.t); bits > 64 {
		to = l.chain(sw)
	} else {
		to = l.tree(sw, bits)
	}
	f.Erase(sw)
	l.builder(l.orig).Br(to)
	if f.FirstPred(oldDefault) == 0 && oldDefault != f.Entry() && !slices.Contains(l.dead, oldDefault) {
		l.dead = append(l.dead, oldDefault)
	}
}

func (l *switchLowering) builder(b ir.Block) *ir.Builder {
	bd := ir.NewBuilder(l.f, b)
	bd.Loc = l.loc
	return bd
}

// tree lowers a switch of at most 64 bits and returns the block to branch to.
func (l *switchLowering) tree(sw ir.Value, bits int) ir.Block {
	simple := l.clusters(sw)
	if len(l.cases) == 0 {
		l.fixPhis(l.def, l.orig, math.MaxUint64)
		return l.def
	}
	low, high := l.cases[0].low, l.cases[len(l.cases)-1].high
	unreachable := l.isUnreachable(l.def)
	if !unreachable {
		lo, hi := analysis.SignedRange(l.f, l.value)
		low, high = min(lo, low), max(hi, high)
		unreachable = uint64(high)-uint64(low) == uint64(simple-1)
	}
	l.gaps = l.gaps[:0]
	if unreachable {
		for range l.f.NumCases(sw) + 1 - simple {
			l.f.RemovePhiBlock(l.def, l.orig)
		}
		l.findGaps(bits)
		if len(l.cases) == 0 {
			l.fixPhis(l.def, l.orig, math.MaxUint64)
			return l.def
		}
	}
	to := l.convert(l.cases, low, high, l.orig)
	if to != l.def {
		l.fixPhis(l.def, 0, math.MaxUint64)
	}
	return to
}

// isUnreachable reports whether a block contains only unreachable.
func (l *switchLowering) isUnreachable(b ir.Block) bool {
	return l.f.Op(l.f.FirstNonPhi(b)) == ir.OpUnreachable
}

// clusters collects the cases that do not branch to the default, sorted and
// merged. It returns their number before merging.
func (l *switchLowering) clusters(sw ir.Value) int {
	l.cases = l.cases[:0]
	for i := range l.f.NumCases(sw) {
		c, to := l.f.CaseOf(sw, i)
		if to != l.def {
			x, _ := l.m.SignedValue(c)
			l.cases = append(l.cases, caseRange{x, x, to})
		}
	}
	slices.SortFunc(l.cases, func(a, b caseRange) int { return cmp.Compare(a.low, b.low) })
	simple, n := len(l.cases), 0
	for i, c := range l.cases {
		if i > 0 && l.cases[n-1].to == c.to && l.cases[n-1].high+1 == c.low {
			l.cases[n-1].high = c.high
			continue
		}
		l.cases[n] = c
		n++
	}
	l.cases = l.cases[:n]
	return simple
}

// findGaps collects the values that are not cases, because the default is
// unreachable, and turns the most frequent destination into the default.
func (l *switchLowering) findGaps(bits int) {
	top := int64(1)<<(bits-1) - 1
	next, open := -top-1, true
	popularity := map[ir.Block]uint64{}
	best, popular := uint64(0), ir.Block(0)
	for _, c := range l.cases {
		if c.low > next {
			l.gaps = append(l.gaps, caseRange{low: next, high: c.low - 1})
		}
		if open = c.high != top; open {
			next = c.high + 1
		}
		n := popularity[c.to] + uint64(c.high) - uint64(c.low) + 1
		popularity[c.to] = n
		if n > best {
			best, popular = n, c.to
		}
	}
	if open {
		l.gaps = append(l.gaps, caseRange{low: next, high: top})
	}
	l.def = popular
	l.cases = slices.DeleteFunc(l.cases, func(c caseRange) bool { return c.to == popular })
}

// isGap reports whether the value is never in a range.
func (l *switchLowering) isGap(low, high int64) bool {
	for _, g := range l.gaps {
		if g.low <= low && high <= g.high {
			return true
		}
	}
	return false
}

// convert emits the comparisons for some cases and returns their first block.
// The value is known to be from low to high.
func (l *switchLowering) convert(cases []caseRange, low, high int64, pred ir.Block) ir.Block {
	if len(cases) == 1 {
		if c := cases[0]; c.low == low && c.high == high {
			l.fixPhis(c.to, pred, uint64(high)-uint64(low))
			return c.to
		}
		return l.leaf(cases[0], low, high)
	}
	mid := len(cases) / 2
	pivot, left := cases[mid].low, cases[mid-1].high
	upper := pivot - 1
	if left+1 <= pivot-1 && l.isGap(left+1, pivot-1) {
		upper = left
	}
	f := l.f
	node := f.DetachedBlock()
	yes := l.convert(cases[:mid], low, upper, node)
	no := l.convert(cases[mid:], pivot, high, node)
	f.PlaceBlock(node)
	f.MoveBlockAfter(node, l.orig)
	f.SetName(node.Value(), []byte("NodeBlock"))
	b := l.builder(node)
	cond := b.Compare(ir.ICmpSLT, l.value, l.m.NewSigned(l.t, pivot))
	f.SetName(cond, []byte("Pivot"))
	b.CondBr(cond, yes, no)
	return node
}

// leaf emits the block that decides between one range and the default.
func (l *switchLowering) leaf(c caseRange, low, high int64) ir.Block {
	f := l.f
	leaf := f.NewBlockAfter(l.orig)
	f.SetName(leaf.Value(), []byte("LeafBlock"))
	b := l.builder(leaf)
	cond := l.inRange(b, c, low, high)
	f.SetName(cond, []byte("SwitchLeaf"))
	b.CondBr(cond, c.to, l.def)
	for v := f.First(l.def); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
		f.AddIncoming(v, f.PhiValue(v, l.orig), leaf)
	}
	for v := f.First(c.to); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
		for range uint64(c.high) - uint64(c.low) {
			removeIncoming(f, v, f.PhiIndex(v, l.orig))
		}
		f.SetOperand(v, 2*f.PhiIndex(v, l.orig)+1, leaf.Value())
	}
	return leaf
}

// inRange compares the value, which is from low to high, with a range.
func (l *switchLowering) inRange(b *ir.Builder, c caseRange, low, high int64) ir.Value {
	lo, hi := l.m.NewSigned(l.t, c.low), l.m.NewSigned(l.t, c.high)
	switch {
	case c.low == c.high:
		return b.Compare(ir.ICmpEQ, l.value, lo)
	case c.low == low:
		return b.Compare(ir.ICmpSLE, l.value, hi)
	case c.high == high:
		return b.Compare(ir.ICmpSGE, l.value, lo)
	case c.low == 0:
		return b.Compare(ir.ICmpULE, l.value, hi)
	}
	off := b.Add(l.value, l.m.NewSigned(l.t, -c.low))
	if l.value.IsLocal() {
		l.name = append(append(l.name[:0], l.f.NameOf(l.value)...), ".off"...)
		l.f.SetName(off, l.name)
	}
	return b.Compare(ir.ICmpULE, off, l.m.NewSigned(l.t, c.high-c.low))
}

// fixPhis changes the first incoming block from the switch to from, unless from
// is 0, and removes up to merged other incoming values from the switch.
func (l *switchLowering) fixPhis(b, from ir.Block, merged uint64) {
	f := l.f
	for v := f.First(b); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
		left := merged
		kept := from == 0
		l.indices = l.indices[:0]
		for i := range f.NumIncoming(v) {
			if _, p := f.Incoming(v, i); p != l.orig {
				continue
			}
			switch {
			case !kept:
				f.SetOperand(v, 2*i+1, from.Value())
				kept = true
			case left > 0:
				l.indices = append(l.indices, i)
				left--
			}
		}
		for _, i := range slices.Backward(l.indices) {
			removeIncoming(f, v, i)
		}
	}
}

// removeIncoming removes an incoming value of a phi. The last one takes its
// position, as in LLVM.
func removeIncoming(f *ir.Function, phi ir.Value, i int) {
	last := f.NumIncoming(phi) - 1
	if i != last {
		x, b := f.Incoming(phi, last)
		f.SetOperand(phi, 2*i, x)
		f.SetOperand(phi, 2*i+1, b.Value())
	}
	f.RemoveOperands(phi, 2*last, 2)
}

// chain lowers a switch of more than 64 bits to a sequence of comparisons.
func (l *switchLowering) chain(sw ir.Value) ir.Block {
	f := l.f
	next := l.def
	for i := f.NumCases(sw) - 1; i >= 0; i-- {
		c, to := f.CaseOf(sw, i)
		leaf := f.NewBlockAfter(l.orig)
		f.SetName(leaf.Value(), []byte("LeafBlock"))
		b := l.builder(leaf)
		b.CondBr(b.Compare(ir.ICmpEQ, l.value, c), to, next)
		for v := f.First(to); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
			f.SetOperand(v, 2*f.PhiIndex(v, l.orig)+1, leaf.Value())
		}
		if next == l.def {
			l.fixPhis(l.def, leaf, 0)
		}
		next = leaf
	}
	return next
}
