package codegen

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// flowGen generates random reducible control flow: regions of blocks and loops,
// with branches to any later part of the region and out of loops. Each block
// has an instruction that identifies it in a trace, and one that computes its
// condition.
type flowGen struct {
	rng *rand.Rand
	f   *mir.Func
}

func (g *flowGen) newBlock() mir.Block {
	b := g.f.NewBlock()
	g.f.Append(b, g.f.NewInstr(mir.VMovB32, 1, mir.R(g.f.NewReg(mir.FileV, 1)), mir.Imm(int64(b))))
	return b
}

// region generates n consecutive parts. The last one branches to blocks in
// after, preferably the first.
func (g *flowGen) region(n, depth int, after []mir.Block) (entry mir.Block) {
	entries := make([]mir.Block, n)
	for i := range entries {
		entries[i] = g.newBlock()
	}
	for i, b := range entries {
		later := append(slices.Clone(entries[i+1:]), after...)
		if depth > 0 && g.rng.IntN(3) == 0 {
			latch := g.newBlock()
			inner := g.region(1+g.rng.IntN(3), depth-1, append([]mir.Block{latch}, later...))
			g.end(b, inner, inner)
			if g.rng.IntN(4) == 0 {
				g.end(latch, b, b) // left only by breaks, or endless: then the step limit ends the test
			} else {
				g.branch(latch, mir.BrMask, b, later[0])
			}
			continue
		}
		g.end(b, later[0], later[g.rng.IntN(len(later))])
	}
	return entries[0]
}

func (g *flowGen) end(b, first, other mir.Block) {
	if first == other {
		g.f.Append(b, g.f.NewInstr(mir.Br, 0, mir.Target(first)))
		g.f.AddEdge(b, first)
		return
	}
	op := mir.BrMask
	if g.rng.IntN(3) == 0 {
		op = mir.BrSCC
	}
	g.branch(b, op, first, other)
}

func (g *flowGen) branch(b mir.Block, op mir.Op, yes, no mir.Block) {
	f := g.f
	var c mir.Operand
	if op == mir.BrMask {
		c = mir.R(f.NewReg(mir.FileS, f.M.MaskDwords()))
		v := f.Def(f.First(b), 0)
		f.Append(b, f.NewInstr(mir.VCmpLtF32, 1, c, mir.R(v), mir.R(v)))
	} else {
		c = mir.R(f.NewReg(mir.FileSCC, 1))
		f.Append(b, f.NewInstr(mir.SCmpEqU32, 1, c, mir.Imm(0), mir.Imm(0)))
	}
	if g.rng.IntN(2) == 0 {
		yes, no = no, yes
	}
	f.Append(b, f.NewInstr(op, 0, c, mir.Target(yes), mir.Target(no)))
	f.AddEdge(b, yes)
	f.AddEdge(b, no)
}

func randomFlow(seed uint64, m *mir.Machine) *mir.Func {
	g := &flowGen{rng: rand.New(rand.NewPCG(seed, 3)), f: mir.NewFunc("f", m)}
	exit := mir.Block(0)
	entry := g.newBlock()
	exit = g.newBlock()
	g.f.Append(exit, g.f.NewInstr(mir.End, 0))
	first := g.region(1+g.rng.IntN(5), 2, []mir.Block{exit})
	g.end(entry, first, first)
	return g.f
}

// outcome decides a branch: of a lane at its nth visit of a block, or of the
// wave.
func outcome(seed uint64, b mir.Block, lane, visit int) bool {
	x := seed*0x9e3779b97f4a7c15 ^ uint64(b)*0xbf58476d1ce4e5b9 ^ uint64(lane)*0x94d049bb133111eb ^ uint64(visit)*0xd6e8feb86659fd93
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 32
	return x%3 == 0
}

const maxSteps = 3000

// laneTrace returns the blocks that a lane visits, nil if it does not
// terminate.
func laneTrace(f *mir.Func, seed uint64, lane int) []mir.Block {
	visits := make([]int, f.NumBlocks())
	var trace []mir.Block
	for b := f.Layout[0]; ; {
		if len(trace) == maxSteps {
			return nil
		}
		trace = append(trace, b)
		visits[b]++
		last := f.Last(b)
		uses := f.Uses(last)
		switch f.Op(last) {
		case mir.End:
			return trace
		case mir.Br:
			b = uses[0].Block()
		default:
			on := outcome(seed, b, lane, visits[b])
			if f.Op(last) == mir.BrSCC {
				on = outcome(seed, b, -1, 0)
			}
			if on {
				b = uses[1].Block()
			} else {
				b = uses[2].Block()
			}
		}
	}
}

// waveRun executes a linearized function.
type waveRun struct {
	f      *mir.Func
	seed   uint64
	exec   uint64
	scc    bool
	regs   map[mir.Reg]uint64
	traces [][]mir.Block
	visits []map[mir.Block]int
	from   mir.Block
	empty  int // logical blocks executed without active lanes
}

func (w *waveRun) value(o *mir.Operand) uint64 {
	switch {
	case o.Kind == mir.KindImm:
		return uint64(o.Imm)
	case o.Reg() == mir.Exec:
		return w.exec
	}
	return w.regs[o.Reg()]
}

func (w *waveRun) set(o mir.Operand, x uint64) {
	if o.Reg() == mir.Exec {
		w.exec = x
	} else {
		w.regs[o.Reg()] = x
	}
}

// instr executes an instruction and returns the next block, 0 if it does not
// branch.
func (w *waveRun) instr(t *testing.T, b mir.Block, i mir.Instr) (to mir.Block) {
	f := w.f
	uses := f.Uses(i)
	pick := func(yes bool) mir.Block {
		if yes {
			return uses[len(uses)-2].Block()
		}
		return uses[len(uses)-1].Block()
	}
	switch f.Op(i) {
	case mir.VMovB32:
		if w.exec == 0 {
			w.empty++
		}
		for lane := range w.traces {
			if w.exec>>lane&1 != 0 {
				w.traces[lane] = append(w.traces[lane], b)
				w.visits[lane][b]++
			}
		}
	case mir.VCmpLtF32:
		x := uint64(0)
		for lane := range w.traces {
			if w.exec>>lane&1 != 0 && outcome(w.seed, b, lane, w.visits[lane][b]) {
				x |= 1 << lane
			}
		}
		w.set(f.Defs(i)[0], x)
	case mir.SCmpEqU32:
		w.scc = outcome(w.seed, b, -1, 0)
	case mir.SAndSaveexecB64, mir.SAndNot0SaveexecB64:
		old, x := w.exec, w.value(&uses[0])
		if f.Op(i) == mir.SAndNot0SaveexecB64 {
			x = ^x
		}
		w.exec &= x
		w.set(f.Defs(i)[0], old)
	case mir.SMovB64, mir.Copy:
		w.set(f.Defs(i)[0], w.value(&uses[0]))
	case mir.SAndB64:
		w.set(f.Defs(i)[0], w.value(&uses[0])&w.value(&uses[1]))
	case mir.SAndNot1B64:
		w.set(f.Defs(i)[0], w.value(&uses[0])&^w.value(&uses[1]))
	case mir.SOrB64:
		w.set(f.Defs(i)[0], w.value(&uses[0])|w.value(&uses[1]))
	case mir.SCselectB64:
		x := w.value(&uses[1])
		if w.scc {
			x = w.value(&uses[0])
		}
		w.set(f.Defs(i)[0], x)
	case mir.Br:
		return uses[0].Block()
	case mir.BrSCC:
		return pick(w.scc)
	case mir.BrExecZ:
		return pick(w.exec == 0)
	case mir.BrExecNZ:
		return pick(w.exec != 0)
	case mir.LogicalEnd, mir.End:
	default:
		t.Fatalf("%s in the result", f.AppendInstr(nil, i))
	}
	return 0
}

// phis executes the phis of a block in parallel.
func (w *waveRun) phis(b mir.Block) {
	f := w.f
	values := map[mir.Reg]uint64{}
	for i := f.First(b); i != 0 && f.Op(i) == mir.LinearPhi; i = f.Next(i) {
		uses := f.Uses(i)
		for n := 0; n < len(uses); n += 2 {
			if uses[n+1].Block() == w.from {
				values[f.Def(i, 0)] = w.value(&uses[n])
			}
		}
	}
	for r, x := range values {
		w.regs[r] = x
	}
}

func (w *waveRun) run(t *testing.T) bool {
	f := w.f
	for b, steps := f.Layout[0], 0; b != 0; steps++ {
		if steps > maxSteps*64 {
			return false
		}
		w.phis(b)
		to := mir.Block(0)
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Op(i) != mir.LinearPhi {
				to = w.instr(t, b, i)
			}
		}
		w.from, b = b, to
	}
	return true
}

// TestLinearize linearizes random control flow and executes it. Every lane must
// visit the same blocks as on its own.
func TestLinearize(t *testing.T) {
	m := mir.MachineOf(isa.GFX900, 64)
	const lanes = 16
	ran := 0
	var l linearizer
	for seed := range uint64(tries(2000)) {
		f := randomFlow(seed, m)
		if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
			t.Fatalf("seed %d: the generator produced %v", seed, errs[0])
		}
		var want [][]mir.Block
		ends := true
		for lane := range lanes {
			want = append(want, laneTrace(f, seed, lane))
			ends = ends && want[lane] != nil
		}
		if !ends {
			continue
		}
		ran++
		before := f.AppendText(nil)
		l.linearizeFunction(f)
		if errs := f.Verify(mir.StageLinearized); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, f.AppendText(nil))
		}
		w := waveRun{f: f, seed: seed, exec: 1<<lanes - 1, regs: map[mir.Reg]uint64{}, traces: make([][]mir.Block, lanes)}
		for range lanes {
			w.visits = append(w.visits, map[mir.Block]int{})
		}
		if !w.run(t) {
			t.Fatalf("seed %d: the wave does not terminate\n%s\nafter:\n%s", seed, before, f.AppendText(nil))
		}
		for lane := range lanes {
			if !slices.Equal(w.traces[lane], want[lane]) {
				t.Fatalf("seed %d: lane %d saw %v, want %v\n%s\nafter:\n%s", seed, lane, w.traces[lane], want[lane], before, f.AppendText(nil))
			}
		}
		if w.empty > 0 {
			t.Fatalf("seed %d: %d blocks ran without active lanes\n%s\nafter:\n%s", seed, w.empty, before, f.AppendText(nil))
		}
	}
	if ran < 500 {
		t.Errorf("only %d of the functions terminate", ran)
	}
}
