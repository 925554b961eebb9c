package mlir

import (
	"github.com/gfx-toolchain/gfx/diag"
)

// Verify checks an operation with all that is within it by MLIR's rules. The
// error is a diag.List whose messages are worded as MLIR's; the source is the
// text that the context has read last.
func (c *Context) Verify(o *Op) error {
	v := newVerifier(c)
	if c.copies == nil {
		c.symbols = map[*Op]map[string]*Op{}
		defer func() { c.symbols = nil }()
	}
	v.isolated(o)
	return v.diags.Err()
}

func newVerifier(c *Context) *verifier { return &verifier{c: c, trees: map[*Region]*domTree{}} }

// A verifier collects diagnostics.
type verifier struct {
	quiet bool          // only whether there is an error is of interest
	done  map[*Op]*head // functions that have been checked
	c     *Context
	trees map[*Region]*domTree
	diags diag.List
}

// currentOperation begins the note that quotes an operation with an error.
const currentOperation = "see current operation: "

// report records an error at an operation, with the operation as a note.
func (v *verifier) report(o *Op, message string) bool {
	if v.quiet {
		return false
	}
	d := diag.Diagnostic{Source: v.c.source, Off: int(o.pos), End: int(o.pos), Message: message}
	v.diags = append(v.diags, d)
	v.diags = append(v.diags, note(v.c.source, o.pos, currentOperation+v.c.genericText(o)))
	return false
}

// genericText returns an operation in generic form, as notes quote it.
func (c *Context) genericText(o *Op) string {
	root := o
	for p := root.Parent(); p != nil && (root.Def == nil || !root.Def.Has(IsolatedFromAbove)); p = root.Parent() {
		root = p
	}
	p := newPrinter(c, PrintOptions{Generic: true})
	n := p.newNamer()
	n.op(root)
	n.within(root, 1)
	p.fullOp(o)
	return string(p.buf)
}

func (v *verifier) opError(o *Op, err error) bool {
	if e, ok := err.(*OpError); ok {
		o, err = e.Op, e.Err
	}
	if e, ok := err.(PlainError); ok {
		return v.report(o, string(e))
	}
	return v.report(o, "'"+o.Name+"' op "+err.Error())
}

// isolated checks an operation and the isolated operations within it. Like MLIR,
// it continues with the next isolated operation after an error in one.
func (v *verifier) isolated(o *Op) bool {
	var inner []*Op
	if !v.operation(o, &inner) {
		return false
	}
	return v.all(inner) && v.onExit(o) && v.dominance(o)
}

// all checks isolated operations.
func (v *verifier) all(list []*Op) bool {
	if len(list) > 1 && !v.quiet && v.c.divided() && v.allDivided(list) {
		return true
	}
	ok := true
	for _, o := range list {
		ok = v.isolated(o) && ok
	}
	return ok
}

// operation checks an operation and those within it that are not isolated;
// isolated ones are left for later.
func (v *verifier) operation(o *Op, inner *[]*Op) bool {
	if o.Def == nil {
		if !v.unregistered(o) {
			return false
		}
	} else if err := o.Def.verifyRow(v.c, o); err != nil {
		return v.opError(o, err)
	}
	for _, r := range o.Regions {
		if hasEntryPredecessor(r) {
			return v.report(o, "entry block of region may not have predecessors")
		}
		for _, b := range r.Blocks {
			if !v.block(o, b, inner) {
				return false
			}
		}
	}
	return true
}

// hasEntryPredecessor reports whether a block of a region branches to its entry.
func hasEntryPredecessor(r *Region) bool {
	for _, b := range r.Blocks {
		if b.last == nil {
			continue
		}
		for _, s := range b.last.Successors {
			if s.Block == r.Blocks[0] {
				return true
			}
		}
	}
	return false
}

func (v *verifier) unregistered(o *Op) bool {
	if v.c.AllowUnregistered {
		return true
	}
	dialect := o.DialectName()
	if v.c.dialects[dialect] != nil {
		return v.report(o, "unregistered operation '"+o.Name+"' found in dialect ('"+dialect+"') that does not allow unknown operations")
	}
	return v.report(o, "'"+o.Name+"' op created with unregistered dialect. If this is intended, use the option --allow-unregistered-dialect")
}

// needsNoTerminator reports whether a block of an operation may end without one.
func needsNoTerminator(o *Op, b *Block) bool {
	if len(b.Region.Blocks) != 1 {
		return false
	}
	return o.Def == nil || o.Def.Has(NoTerminator)
}

func (v *verifier) block(parent *Op, b *Block, inner *[]*Op) bool {
	if b.last == nil {
		return needsNoTerminator(parent, b) || v.report(parent, "empty block: expect at least a terminator")
	}
	for o := b.first; o != nil; o = o.next {
		if len(o.Successors) > 0 && o != b.last {
			return v.report(o, "operation with block successors must terminate its parent block")
		}
		if o.Def != nil && o.Def.Has(IsolatedFromAbove) && len(o.Regions) > 0 {
			if v.done[o] == nil && !v.c.bodiless[o] {
				*inner = append(*inner, o)
			}
			continue
		}
		if !v.operation(o, inner) || !v.onExit(o) {
			return false
		}
	}
	for _, s := range b.last.Successors {
		if s.Block.Region != b.Region {
			return v.report(b.last, "branching to block of a different region")
		}
	}
	if needsNoTerminator(parent, b) || b.last.Def == nil || b.last.Def.Has(Terminator) {
		return true
	}
	return v.report(b.last, "block with no terminator, has "+v.c.genericText(b.last))
}

// onExit checks what concerns the regions of an operation as a whole.
func (v *verifier) onExit(o *Op) bool {
	if o.Def == nil || len(o.Regions) == 0 {
		return true
	}
	if at, err := o.Def.verifyRegionTraits(o); err != nil {
		if at == nil {
			at = o
		}
		return v.opError(at, err)
	}
	if f := o.Def.Hooks.VerifyRegions; f != nil {
		if err := f(v.c, o); err != nil {
			return v.opError(o, err)
		}
	}
	return true
}

// dominance checks that definitions precede uses in the regions of o, up to
// isolated operations within.
func (v *verifier) dominance(o *Op) bool {
	for _, r := range o.Regions {
		if len(r.Blocks) == 0 {
			continue
		}
		dom := v.dominators(r)
		for _, b := range r.Blocks {
			if !dom.reachable(b) {
				continue
			}
			for p := b.first; p != nil; p = p.next {
				if !v.operands(dom, p) {
					return false
				}
				if p.Def != nil && p.Def.Has(IsolatedFromAbove) {
					continue
				}
				if !v.dominance(p) {
					return false
				}
			}
		}
	}
	return true
}

func (v *verifier) operands(dom *domTree, o *Op) bool {
	for i, u := range o.Operands {
		if dom.defines(u.Value, o) {
			continue
		}
		var w writer
		w.str("operand #")
		w.int(int64(i))
		w.str(" does not dominate this use")
		v.report(o, string(w.buf))
		if d := u.Value.Op; d != nil {
			v.diags = append(v.diags, note(v.c.source, d.pos, "operand defined here (op in the same block)"))
		}
		return false
	}
	return true
}

// A domTree holds the immediate dominators of the blocks of a region.
type domTree struct {
	tree   func(*Region) *domTree // of an outer region
	region *Region
	order  map[*Block]int // position in reverse post order; nil for a single block
	idom   []int
}

// dominators returns the dominators of a region's blocks, computed once.
func (v *verifier) dominators(r *Region) *domTree {
	d := v.trees[r]
	if d == nil {
		d = dominators(r)
		d.tree = v.dominators
		v.trees[r] = d
	}
	return d
}

// dominators computes the dominators of a region's blocks.
func dominators(r *Region) *domTree {
	d := &domTree{region: r}
	if len(r.Blocks) == 1 {
		return d
	}
	post := postOrder(r)
	d.order = make(map[*Block]int, len(post))
	for i, b := range post {
		d.order[b] = len(post) - 1 - i
	}
	preds := make([][]int, len(post))
	for _, b := range post {
		if b.last == nil {
			continue
		}
		for _, s := range b.last.Successors {
			if to, ok := d.order[s.Block]; ok {
				preds[to] = append(preds[to], d.order[b])
			}
		}
	}
	d.idom = make([]int, len(post))
	for i := range d.idom {
		d.idom[i] = -1
	}
	d.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i := 1; i < len(post); i++ {
			best := -1
			for _, p := range preds[i] {
				if d.idom[p] < 0 {
					continue
				}
				if best < 0 {
					best = p
				} else {
					best = d.meet(best, p)
				}
			}
			if best != d.idom[i] {
				d.idom[i], changed = best, true
			}
		}
	}
	return d
}

// postOrder returns the blocks that the entry reaches, successors first.
func postOrder(r *Region) []*Block {
	type frame struct {
		b    *Block
		next int
	}
	seen := map[*Block]bool{r.Blocks[0]: true}
	stack := []frame{{r.Blocks[0], 0}}
	var post []*Block
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.b.last == nil || f.next == len(f.b.last.Successors) {
			post = append(post, f.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := f.b.last.Successors[f.next].Block
		f.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, frame{s, 0})
		}
	}
	return post
}

func (d *domTree) meet(a, b int) int {
	for a != b {
		for a > b {
			a = d.idom[a]
		}
		for b > a {
			b = d.idom[b]
		}
	}
	return a
}

func (d *domTree) reachable(b *Block) bool {
	if d.order == nil {
		return true
	}
	_, ok := d.order[b]
	return ok
}

// dominates reports whether control reaches b only through a.
func (d *domTree) dominates(a, b *Block) bool {
	if a == b || d.order == nil {
		return a == b
	}
	to, ok := d.order[a]
	at, ok2 := d.order[b]
	if !ok || !ok2 {
		return !ok2
	}
	for at > to {
		at = d.idom[at]
	}
	return at == to
}

// defines reports whether a value is defined before an operation uses it. The
// operation is in the tree's region; values of outer regions have been checked
// there.
func (d *domTree) defines(v *Value, user *Op) bool {
	b := v.ParentBlock()
	if b == nil {
		return false
	}
	if b == user.Block {
		return v.Op == nil || b.Region.isGraph() || v.Op != user && v.Op.IsBefore(user)
	}
	if b.Region == d.region {
		return d.dominates(b, user.Block)
	}
	// An outer region: the operation there that contains the user must follow.
	for o := user.Parent(); o != nil; o = o.Parent() {
		if o.Block == nil {
			return false
		}
		if o.Block.Region != b.Region {
			continue
		}
		if o.Block == b {
			return v.Op == nil || b.Region.isGraph() || v.Op.IsBefore(o)
		}
		return d.tree(b.Region).dominates(b, o.Block)
	}
	return false
}

// isGraph reports whether the operations of a region need no order. An unknown operation's single
// block may be such a region.
func (r *Region) isGraph() bool {
	switch {
	case r.Parent == nil:
		return false
	case r.Parent.Def == nil:
		return len(r.Blocks) == 1
	}
	return r.Parent.Def.Has(GraphRegion)
}

// OpDiagnostics returns an error at an operation as MLIR words it, with a note
// that quotes the operation.
func (c *Context) OpDiagnostics(o *Op, err error) diag.List {
	v := &verifier{c: c}
	v.opError(o, err)
	return v.diags
}
