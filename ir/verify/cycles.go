package verify

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// cycle is a cycle of the control flow graph with its nested cycles. It may
// have several entries (LLVM, "Cycle Terminology").
type cycle struct {
	parent    *cycle
	header    ir.Block // 0 for the root
	reducible bool
	blocks    map[ir.Block]bool
	inner     []*cycle
}

func (y *cycle) contains(b ir.Block) bool { return y.header == 0 || y.blocks[b] }

// innermost returns the innermost cycle that contains a block, or nil.
func (y *cycle) innermost(b ir.Block) *cycle {
	for _, in := range y.inner {
		if in.blocks[b] {
			if deeper := in.innermost(b); deeper != nil {
				return deeper
			}
			return in
		}
	}
	return nil
}

// findCycles finds the cycles: the strongly connected components and,
// recursively, the components that remain without each header.
func findCycles(c *checker) *cycle {
	root := &cycle{}
	all := map[ir.Block]bool{}
	order := map[ir.Block]int{}
	for i, n := range c.dom.Graph().RPO() {
		all[ir.Block(n)], order[ir.Block(n)] = true, i
	}
	c.splitCycles(root, all, order)
	return root
}

// splitCycles finds the cycles in a set of blocks.
func (c *checker) splitCycles(parent *cycle, in map[ir.Block]bool, order map[ir.Block]int) {
	s := components{c: c, in: in, index: map[ir.Block]int{}, low: map[ir.Block]int{}, onStack: map[ir.Block]bool{}}
	for _, n := range c.dom.Graph().RPO() {
		if b := ir.Block(n); in[b] && s.index[b] == 0 {
			s.visitComponent(b)
		}
	}
	for _, part := range s.parts {
		y := &cycle{parent: parent, blocks: map[ir.Block]bool{}, reducible: true}
		for _, b := range part {
			y.blocks[b] = true
			if y.header == 0 || order[b] < order[y.header] {
				y.header = b
			}
		}
		rest := map[ir.Block]bool{}
		for _, b := range part {
			if b == y.header {
				continue
			}
			rest[b] = true
			for u := c.f.FirstPred(b); u != 0; u = c.f.NextUse(u) {
				if p := c.f.PredOf(u); !y.blocks[p] && c.reachable(p) {
					y.reducible = false
				}
			}
		}
		parent.inner = append(parent.inner, y)
		c.splitCycles(y, rest, order)
	}
}

// components finds strongly connected components that contain an edge, without
// recursion (Tarjan, 1972).
type components struct {
	c          *checker
	in         map[ir.Block]bool
	index, low map[ir.Block]int
	onStack    map[ir.Block]bool
	stack      []ir.Block
	n          int
	parts      [][]ir.Block
}

// frame is a block whose successors are being visited.
type frame struct {
	b     ir.Block
	succs []ir.Operand
}

func (s *components) enter(b ir.Block) frame {
	s.n++
	s.index[b], s.low[b] = s.n, s.n
	s.stack = append(s.stack, b)
	s.onStack[b] = true
	return frame{b, s.c.f.Successors(b)}
}

func (s *components) visitComponent(root ir.Block) {
	work := []frame{s.enter(root)}
	for len(work) > 0 {
		at := &work[len(work)-1]
		if len(at.succs) == 0 {
			s.leave(at.b)
			b := at.b
			if work = work[:len(work)-1]; len(work) > 0 {
				up := work[len(work)-1].b
				s.low[up] = min(s.low[up], s.low[b])
			}
			continue
		}
		o := at.succs[0].Value
		at.succs = at.succs[1:]
		if !o.IsBlock() || !s.in[o.Block()] {
			continue
		}
		to := o.Block()
		switch {
		case s.index[to] == 0:
			work = append(work, s.enter(to))
		case s.onStack[to]:
			s.low[at.b] = min(s.low[at.b], s.index[to])
		}
	}
}

// leave pops a component off the stack if b is its first block.
func (s *components) leave(b ir.Block) {
	if s.low[b] != s.index[b] {
		return
	}
	at := len(s.stack) - 1
	for s.stack[at] != b {
		at--
	}
	part := append([]ir.Block(nil), s.stack[at:]...)
	for _, p := range part {
		s.onStack[p] = false
	}
	s.stack = s.stack[:at]
	if len(part) > 1 || s.goesTo(b, b) {
		s.parts = append(s.parts, part)
	}
}

func (s *components) goesTo(from, to ir.Block) bool {
	for _, o := range s.c.f.Successors(from) {
		if o.Value == to.Value() {
			return true
		}
	}
	return false
}
