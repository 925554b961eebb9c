package codegen

import (
	"context"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// acquireLoad returns the operations of an acquire load of global memory at agent scope, with cells.
func acquireLoad(cells *MemoryCells) (ops []mir.Op, policy isa.CPol) {
	return acquireLoadOf(mir.MachineOf(isa.GFX900, 64), 1, cells)
}

func acquireLoadOf(machine *mir.Machine, space uint8, cells *MemoryCells) (ops []mir.Op, policy isa.CPol) {
	f := mir.NewFunc("f", machine)
	b := f.NewBlock()
	i := f.NewInstr(mir.GlobalLoadB32, 1, mir.Phys(mir.VGPR(0), 1))
	f.SetMem(i, mir.Mem{Size: 4, Align: 4, AddrSpace: space, Flags: mir.MemLoad, Ordering: ir.Acquire, Scope: ir.Agent})
	f.Append(b, i)
	f.Append(b, f.NewInstr(mir.End, 0))
	p := memoryModel{cells: cells}
	p.orderAccesses(f, memoryModes{})
	for k := f.First(b); k != 0; k = f.Next(k) {
		ops = append(ops, f.Op(k))
	}
	return ops, f.Mods(i).CPol()
}

func TestMemoryCells(t *testing.T) {
	all := new(MemoryCells)
	ctx := WithMemoryCells(context.Background(), all)
	if MemoryCellsOf(ctx) != all || MemoryCellsOf(context.Background()) != nil {
		t.Fatal("the context does not hold the cells")
	}
	acquireLoad(all)
	var names []string
	for _, c := range all.List() {
		names = append(names, c.String())
	}
	want := []string{"gfx7-9/load/agent/after/buffer_wbinvl1_vol", "gfx7-9/load/agent/after/vmcnt", "gfx7-9/load/agent/on/glc"}
	if !slices.Equal(names, want) {
		t.Fatalf("got %q, want %q", names, want)
	}
	for i, c := range all.List() {
		ops, policy := acquireLoad(&MemoryCells{Without: c})
		wait, drop := slices.Contains(ops, mir.SWaitcnt), slices.Contains(ops, mir.BufferWbinvl1Vol)
		if drop != (i != 0) || wait != (i != 1) || (policy != 0) != (i != 2) {
			t.Errorf("without %v: %v, cache policy %#x", c, ops, policy)
		}
	}
}

// TestSharedScratch loads from private memory, which other lanes of gfx12.5 reach by flat addresses, and
// of other processors do not.
func TestSharedScratch(t *testing.T) {
	for _, c := range []struct {
		machine *mir.Machine
		policy  bool
	}{{mir.MachineOf(isa.GFX1250, 32), true}, {mir.MachineOf(isa.GFX1200, 32), false}} {
		if _, policy := acquireLoadOf(c.machine, 5, nil); (policy&isa.CPolScope != 0) != c.policy {
			t.Errorf("the cache policy is %#x", policy)
		}
	}
}

// TestMemoryTablesComplete checks that each generation of the code generator has tables.
func TestMemoryTablesComplete(t *testing.T) {
	for g, x := range memoryTables {
		if g >= int(isa.Gen6) && (x.one == nil || x.several == nil || x.one.name == "" || x.several.name == "") {
			t.Errorf("generation %d has no table", g)
		}
	}
}
