package codegen

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// Cells of the memory model's tables, for mutation tests. A test compiles code
// without one of them and checks that another test notices. It passes the
// cells in the context of a compilation:
//
//	cells := new(codegen.MemoryCells)
//	ctx := codegen.WithMemoryCells(context.Background(), cells)
//	compile.Compile(ctx, inputs, options) // cells.List() then returns the used ones
//	for _, c := range cells.List() {
//		ctx := codegen.WithMemoryCells(context.Background(), &codegen.MemoryCells{Without: c})
//		compile.Compile(ctx, inputs, options) // the code lacks this cell's effect
//	}
//
// Options of a product never remove a cell, and the compilation's cache does not
// know cells: mutation tests leave Options.Cache empty.

// MemoryCell names one effect of a row of the memory model's tables.
type MemoryCell struct {
	Table  string // generation and mode, such as "gfx10 WGP"
	Op     string // "load", "store", "atomicrmw" or "fence"
	Scope  string // "singlethread" to "system"; of volatile and nontemporal accesses "singlethread"
	Place  string // relative to the operation: "on", "before" or "after"
	Effect string // bit of the cache policy, counter that is waited for, or cache instruction
}

// String returns the parts of the cell, separated by "/".
func (c MemoryCell) String() string {
	return strings.Join([]string{c.Table, c.Op, c.Scope, c.Place, c.Effect}, "/")
}

// cellOp is the kind of operation of a row.
type cellOp uint8

const (
	opLoad cellOp = iota
	opStore
	opRMW
	opFence
)

// String returns the operation's name in LLVM IR.
func (o cellOp) String() string { return [...]string{"load", "store", "atomicrmw", "fence"}[o] }

// cellPlace is the place of an effect, relative to the operation.
type cellPlace uint8

const (
	cellOn cellPlace = iota
	cellBefore
	cellAfter
)

// with returns the cell of an effect in the row c.
func (c MemoryCell) with(p cellPlace, effect string) MemoryCell {
	c.Place, c.Effect = [...]string{"on", "before", "after"}[p], effect
	return c
}

// MemoryCells collects the cells that compilations use, and removes one of them
// from the code. It may be used by several goroutines.
type MemoryCells struct {
	Without MemoryCell // the removed cell; none if empty

	mu   sync.Mutex
	used map[MemoryCell]bool
}

// List returns the cells used so far, in order.
func (m *MemoryCells) List() []MemoryCell {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]MemoryCell, 0, len(m.used))
	for c := range m.used {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b MemoryCell) int { return cmp.Compare(a.String(), b.String()) })
	return list
}

// has records a cell and reports whether the code has it.
func (m *MemoryCells) has(c MemoryCell) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used == nil {
		m.used = map[MemoryCell]bool{}
	}
	m.used[c] = true
	return c != m.Without
}

// policy returns a cache policy without the removed cell.
func (m *MemoryCells) policy(row MemoryCell, s isa.Set, c isa.CPol) isa.CPol {
	for i := range policyCells {
		x := &policyCells[i]
		if c&x.bits != 0 && s.Has(isa.PropCpolTh) == x.hints && !m.has(row.with(cellOn, x.name)) {
			c &^= x.bits
		}
	}
	return c
}

// policyCells lists the parts of cache policies.
var policyCells = [...]struct {
	bits  isa.CPol
	hints bool // of sets with temporal hints
	name  string
}{
	{isa.CPolGLC, false, "glc"}, {isa.CPolSLC, false, "slc"}, {isa.CPolDLC, false, "dlc"}, {isa.CPolSCC, false, "sc1"},
	{isa.CPolTH, true, "th"}, {isa.CPolScope, true, "scope"},
}

// waits removes the removed cell from waits.
func (m *MemoryCells) waits(row MemoryCell, s isa.Set, w *waitcnt.Limits, place cellPlace) {
	for c := range w {
		if w[c] != waitcnt.None && !m.has(row.with(place, waitcnt.Name(s, waitcnt.Counter(c)))) {
			w[c] = waitcnt.None
		}
	}
}

// name returns the cell's name of a cache instruction.
func (c cacheOp) name() string { return c.op.String() }

// cellsKey is the key of MemoryCells in a context.
type cellsKey struct{}

// WithMemoryCells returns a context for compilations that use cells.
func WithMemoryCells(ctx context.Context, cells *MemoryCells) context.Context {
	return context.WithValue(ctx, cellsKey{}, cells)
}

// MemoryCellsOf returns the cells of a context, or nil.
func MemoryCellsOf(ctx context.Context) *MemoryCells {
	cells, _ := ctx.Value(cellsKey{}).(*MemoryCells)
	return cells
}
