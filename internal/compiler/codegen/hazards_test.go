package codegen

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/hazard"
	"github.com/gfx-toolchain/gfx/isa"
)

// machineCode generates random instructions with few different physical
// registers.
type machineCode struct {
	rng   *rand.Rand
	m     *mir.Machine
	units map[mir.Unit][]mir.Op
}

// hazardSets lists the sets and wave sizes of the tests.
var hazardSets = []struct {
	set  isa.Set
	wave int
}{{isa.GFX600, 64}, {isa.GFX803, 64}, {isa.GFX900, 64}, {isa.GFX908, 64}, {isa.GFX90A, 64}, {isa.GFX942, 64}, {isa.GFX950, 64},
	{isa.GFX1010, 32}, {isa.GFX1010, 64}, {isa.GFX1030, 32}, {isa.GFX1100, 32}, {isa.GFX1100, 64}, {isa.GFX1200, 32}, {isa.GFX1200, 64}, {isa.GFX1250, 32}}

func newMachineCode(seed uint64, m *mir.Machine) *machineCode {
	g := &machineCode{rng: rand.New(rand.NewPCG(seed, 7)), m: m, units: map[mir.Unit][]mir.Op{}}
	jumps := map[mir.Op]bool{mir.SSetpcB64: true, mir.SSwappcB64: true, mir.SGetpcB64: true, mir.SEndpgm: true, mir.STrap: true}
	for op := range mir.Op(mir.NumOps) {
		if x := m.Info(op); !op.IsPseudo() && m.Has(op) && x.Flags&mir.Terminator == 0 && !jumps[op] {
			g.units[x.Unit] = append(g.units[x.Unit], op)
		}
	}
	return g
}

// instr appends a random instruction to a block.
func (g *machineCode) instr(f *mir.Func, b mir.Block) {
	for {
		ops := g.units[[]mir.Unit{mir.UnitSALU, mir.UnitVALU, mir.UnitVALU, mir.UnitVALU, mir.UnitMatrix, mir.UnitMatrix, mir.UnitSMEM, mir.UnitVMEM, mir.UnitDS, mir.UnitFlat}[g.rng.IntN(10)]]
		if len(ops) == 0 {
			continue
		}
		op := ops[g.rng.IntN(len(ops))]
		x := g.m.Info(op)
		operands := make([]mir.Operand, len(x.Slots))
		for k := range x.Slots {
			if s := &x.Slots[k]; s.Tied {
				operands[k] = operands[0]
			} else {
				operands[k] = g.operand(s)
			}
		}
		i := f.NewInstr(op, x.Defs, operands...)
		if g.rng.IntN(4) == 0 && x.DPP != isa.NoEnc {
			f.SetExt(i, mir.DPP{Ctrl: 1, RowMask: 15, BankMask: 15}.Ext())
		} else if g.rng.IntN(4) == 0 && x.SDWA != isa.NoEnc {
			f.SetExt(i, mir.SDWA{DstSel: uint8(g.rng.IntN(7)), DstUnused: 2, SrcSel: [2]uint8{6, 6}}.Ext())
		}
		if _, err := f.Encode(i); err == nil {
			f.Append(b, i)
			return
		}
		f.Erase(i)
	}
}

// operand generates an operand for a slot.
func (g *machineCode) operand(s *mir.Slot) mir.Operand {
	n := max(int(s.Dwords), 1)
	switch {
	case s.Kind == mir.SlotFixed:
		return mir.Phys(s.Reg, n)
	case s.Optional && g.rng.IntN(2) == 0:
		return mir.None
	case s.Kind == mir.SlotImm:
		return mir.Imm(int64(g.rng.IntN(2)))
	case s.Files == 0 || s.Files&isa.FileC != 0 && g.rng.IntN(8) == 0:
		return mir.Imm(int64(g.rng.IntN(4)))
	}
	align := 1
	switch {
	case s.Files&isa.FileV != 0 && (s.Files&isa.FileS == 0 || g.rng.IntN(2) == 0):
		if n > 1 {
			align = 2
		}
		return mir.Phys(mir.VGPR(g.rng.IntN(12)/align*align), n)
	case s.Files&isa.FileA != 0 && s.Files&isa.FileS == 0:
		return mir.Phys(mir.AGPR(g.rng.IntN(12)&^1), n)
	case s.Files&isa.FileS == 0:
		return mir.Imm(0)
	}
	if n > 1 {
		align = min(n, 4)
	}
	switch special := g.rng.IntN(8); {
	case special == 0 && n <= 2:
		return mir.Phys(mir.VCC, n)
	case special == 1 && n == g.m.MaskDwords():
		return mir.Phys(mir.Exec, n)
	case special == 2 && n == 1:
		return mir.Phys(mir.M0, 1)
	}
	return mir.Phys(mir.SGPR(g.rng.IntN(8)/align*align), n)
}

// function generates a function with several blocks.
func (g *machineCode) function() *mir.Func {
	f := mir.NewFunc("f", g.m)
	blocks := make([]mir.Block, 1+g.rng.IntN(6))
	for k := range blocks {
		blocks[k] = f.NewBlock()
	}
	for k, b := range blocks {
		for range g.rng.IntN(9) {
			g.instr(f, b)
		}
		if k == len(blocks)-1 {
			f.Append(b, f.NewInstr(mir.End, 0))
			break
		}
		next := blocks[k+1]
		other := blocks[g.rng.IntN(len(blocks))]
		switch g.rng.IntN(4) {
		case 0:
			f.Append(b, f.NewInstr(mir.Br, 0, mir.Target(next)))
			other = next
		case 1:
			f.Append(b, f.NewInstr(mir.BrSCC, 0, mir.Phys(mir.SCC, 1), mir.Target(other), mir.Target(next)))
		case 2:
			f.Append(b, f.NewInstr(mir.BrExecZ, 0, mir.Target(other), mir.Target(next)))
		default:
			f.Append(b, f.NewInstr(mir.BrVCCZ, 0, mir.Phys(mir.VCC, g.m.MaskDwords()), mir.Target(other), mir.Target(next)))
		}
		f.AddLinearEdge(b, next)
		if other != next {
			f.AddLinearEdge(b, other)
		}
	}
	return f
}

// walkHazards follows paths through a function and returns the first hazard
// that the simulator's check would report.
func walkHazards(f *mir.Func, rng *rand.Rand) (what string, count int) {
	var c hazard.Checker
	var s hazard.State
	var p hazardInsertion
	p.f, p.kernel = f, true
	at := ""
	c.Report = func(x *hazard.Found) {
		if count++; what == "" {
			what = fmt.Sprintf("%s: %s (with %d)", at, x.Message(), x.Other-1)
		}
	}
	for range 8 {
		c.Reset(f.M.Set, f.M.Wave)
		s.Reset(f.M.Set, f.M.Wave)
		b := f.Layout[0]
		for range 30 {
			for i := f.First(b); i != 0; i = nextWhole(f, i) {
				n, err := p.entry(i)
				if err != nil {
					return err.Error(), 1
				}
				e := &p.entries[n]
				at = fmt.Sprintf("%d: %s", n, f.AppendInstr(nil, i))
				c.Check(uint64(n)+1, &e.facts, p.usesOf(e))
				s.Step(&c, uint64(n)+1, &e.facts, p.usesOf(e))
				c.Enter(uint64(n)+1, &e.facts, p.usesOf(e))
			}
			next := f.LinearSuccs(b)
			if len(next) == 0 {
				break
			}
			b = next[rng.IntN(len(next))]
		}
		if what != "" {
			break
		}
	}
	return what, count
}

// TestHazards generates random functions. Hazards on paths through them must
// disappear.
func TestHazards(t *testing.T) {
	for _, x := range hazardSets {
		t.Run(fmt.Sprintf("%v_w%d", x.set, x.wave), func(t *testing.T) {
			m := mir.MachineOf(x.set, x.wave)
			var p hazardInsertion
			before, added, total := 0, 0, 0
			for seed := range uint64(tries(40)) {
				g := newMachineCode(seed, m)
				f := g.function()
				if what, _ := walkHazards(f, g.rng); what != "" {
					before++
				}
				n := f.NumInstrs()
				if err := p.resolveHazards(f, true); err != nil {
					t.Fatal(err)
				}
				added += f.NumInstrs() - n
				total += n
				if what, _ := walkHazards(f, g.rng); what != "" {
					t.Fatalf("seed %d: %s\n%s", seed, what, f.AppendText(nil))
				}
			}
			t.Logf("%d functions with hazards, %d instructions added to %d", before, added, total)
			if before == 0 && x.set != isa.GFX1200 && x.set != isa.GFX1030 {
				t.Error("no hazard at all")
			}
		})
	}
}

// large generates a function of about n instructions.
func (g *machineCode) large(n int) *mir.Func {
	f := mir.NewFunc("f", g.m)
	b := f.NewBlock()
	for k := range n {
		if g.instr(f, b); k%20 != 19 {
			continue
		}
		next := f.NewBlock()
		f.Append(b, f.NewInstr(mir.BrSCC, 0, mir.Phys(mir.SCC, 1), mir.Target(b), mir.Target(next)))
		f.AddLinearEdge(b, b)
		f.AddLinearEdge(b, next)
		b = next
	}
	f.Append(b, f.NewInstr(mir.End, 0))
	return f
}
