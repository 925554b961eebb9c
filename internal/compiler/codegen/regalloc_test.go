package codegen

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// tries returns the number of random functions for a test: GFX_CODEGEN_TRIES,
// or the given default.
func tries(few int) int {
	if n, err := strconv.Atoi(os.Getenv("GFX_CODEGEN_TRIES")); err == nil {
		return n
	}
	return few
}

// mirGen generates random functions in SSA form with identical logical and
// linear control flow.
type mirGen struct {
	rng  *rand.Rand
	f    *mir.Func
	dom  *analysis.DomTree
	vals map[mir.Block][]mir.Reg
	b    mir.Block
	phis []mir.Instr
}

func newMIRGen(seed uint64, m *mir.Machine) *mirGen {
	return &mirGen{rng: rand.New(rand.NewPCG(seed, 1)), f: mir.NewFunc("f", m), vals: map[mir.Block][]mir.Reg{}}
}

func (g *mirGen) generate() *mir.Func {
	g.shape(1 + g.rng.IntN(8))
	for _, b := range g.f.Layout {
		g.b = b
		g.body()
	}
	for _, i := range g.phis {
		g.fillPhi(i)
	}
	return g.f
}

// shape generates blocks and edges: every block continues to the next one, and
// some also to another one.
func (g *mirGen) shape(n int) {
	f := g.f
	for range n {
		f.NewBlock()
	}
	edge := func(from, to mir.Block) {
		f.AddEdge(from, to)
		f.AddLinearEdge(from, to)
	}
	for k := range n - 1 {
		b := f.Layout[k]
		edge(b, f.Layout[k+1])
		switch g.rng.IntN(4) {
		case 0:
			if k+2 < n {
				edge(b, f.Layout[k+2+g.rng.IntN(n-k-2)])
			}
		case 1:
			if k > 0 {
				edge(b, f.Layout[1+g.rng.IntN(k)])
			}
		}
	}
	g.dom = analysis.NewDomTree(analysis.NewGraph(f.NumBlocks()-1, 1, func(n uint32, to []uint32) []uint32 {
		for _, s := range f.Succs(mir.Block(n)) {
			to = append(to, uint32(s))
		}
		return to
	}))
}

func (g *mirGen) emit(op mir.Op, defs int, operands ...mir.Operand) mir.Instr {
	i := g.f.NewInstr(op, defs, operands...)
	g.f.Append(g.b, i)
	for _, o := range g.f.Defs(i) {
		if o.IsVirtual() && g.f.File(o.Reg()) != mir.FileSCC {
			g.vals[g.b] = append(g.vals[g.b], o.Reg())
		}
	}
	return i
}

func (g *mirGen) reg(file mir.File, n int) mir.Operand { return mir.R(g.f.NewReg(file, n)) }

// value returns a value that is available at the end of a block, or defines one
// in the current block.
func (g *mirGen) value(b mir.Block, file mir.File, n int) (mir.Operand, bool) {
	var fits []mir.Operand
	for at := uint32(b); at != 0; at = g.dom.IDom(at) {
		for _, r := range g.vals[mir.Block(at)] {
			switch size := g.f.Dwords(r); {
			case g.f.File(r) != file:
			case size == n:
				fits = append(fits, mir.R(r))
			case size > n && n == 1:
				fits = append(fits, mir.Part(r, g.rng.IntN(size), 1))
			}
		}
	}
	if len(fits) == 0 {
		return mir.Operand{}, false
	}
	return fits[g.rng.IntN(len(fits))], true
}

// use returns a value for an instruction of the current block.
func (g *mirGen) use(file mir.File, n int) mir.Operand {
	if o, ok := g.value(g.b, file, n); ok {
		return o
	}
	d := g.reg(file, n)
	switch {
	case n > 1:
		parts := []mir.Operand{d}
		for range n {
			parts = append(parts, g.use(file, 1))
		}
		g.emit(mir.Vector, 1, parts...)
	case file == mir.FileV:
		g.emit(mir.VMovB32, 1, d, mir.Imm(1))
	default:
		g.emit(mir.SMovB32, 1, d, mir.Imm(1))
	}
	return d
}

// whole returns a value that is not part of another one.
func (g *mirGen) whole(file mir.File, n int) mir.Operand {
	for range 20 {
		if o := g.use(file, n); o.N == 0 {
			return o
		}
	}
	d := g.reg(file, n)
	g.emit(mir.Copy, 1, d, g.use(file, n))
	return d
}

func (g *mirGen) body() {
	f := g.f
	if g.b == f.Layout[0] {
		a, b := g.reg(mir.FileS, 2), g.reg(mir.FileV, 1)
		g.emit(mir.Copy, 2, a, b, mir.Phys(mir.SGPR(4), 2), mir.Phys(mir.VGPR(0), 1))
	}
	if len(f.Preds(g.b)) > 1 {
		for range g.rng.IntN(4) {
			file, n := mir.FileV, 1+g.rng.IntN(3)
			if g.rng.IntN(3) == 0 {
				file = mir.FileS
			}
			g.phis = append(g.phis, g.emit(mir.Phi, 1, g.reg(file, n)))
		}
	}
	for range g.rng.IntN(25) {
		g.instr()
	}
	g.emit(mir.GlobalStoreB64, 0, g.use(mir.FileV, 2), mir.None, mir.Imm(0), g.use(mir.FileV, 2))
	switch succs := f.Succs(g.b); len(succs) {
	case 0:
		g.emit(mir.End, 0)
	case 1:
		g.emit(mir.Br, 0, mir.Target(succs[0]))
	default:
		c := g.reg(mir.FileSCC, 1)
		g.emit(mir.SCmpEqU32, 1, c, g.use(mir.FileS, 1), mir.Imm(3))
		g.emit(mir.BrSCC, 0, c, mir.Target(succs[1]), mir.Target(succs[0]))
	}
}

func (g *mirGen) instr() {
	v, s := mir.FileV, mir.FileS
	mask := g.f.M.MaskDwords()
	switch g.rng.IntN(12) {
	case 0:
		g.emit(mir.VMovB32, 1, g.reg(v, 1), mir.Imm(7))
	case 1:
		g.emit(mir.VAddF32, 1, g.reg(v, 1), g.use(v, 1), g.use(v, 1))
	case 2:
		g.emit(mir.VFmaF32, 1, g.reg(v, 1), g.use(v, 1), g.use(v, 1), g.use(v, 1))
	case 3:
		g.emit(mir.VFmacF32, 1, g.reg(v, 1), g.use(v, 1), g.use(v, 1), g.use(v, 1))
	case 4:
		g.emit(mir.VCmpLtF32, 1, g.reg(s, mask), g.use(v, 1), g.use(v, 1))
	case 5:
		g.emit(mir.VCndmaskB32, 1, g.reg(v, 1), g.use(v, 1), g.use(v, 1), g.use(s, mask))
	case 6:
		g.emit(mir.GlobalLoadB128, 1, g.reg(v, 4), g.use(v, 2), mir.None, mir.Imm(16))
	case 7:
		g.emit(mir.Vector, 1, g.reg(v, 3), g.use(v, 1), mir.Imm(5), g.use(v, 1))
	case 8:
		g.emit(mir.SAddCoU32, 2, g.reg(s, 1), g.reg(mir.FileSCC, 1), g.use(s, 1), g.use(s, 1))
	case 9:
		g.emit(mir.SLoadB128, 1, g.reg(s, 4), g.use(s, 2), mir.None, mir.Imm(0))
	case 10:
		g.emit(mir.VDivFmasF32, 1, g.reg(v, 1), g.use(v, 1), g.use(v, 1), g.use(v, 1), g.whole(s, mask))
	default:
		g.emit(mir.Copy, 2, g.reg(v, 1), g.reg(v, 1), g.use(v, 1), g.use(v, 1))
	}
}

func (g *mirGen) fillPhi(i mir.Instr) {
	f := g.f
	d := f.Defs(i)[0]
	ops := []mir.Operand{d}
	for _, p := range f.Preds(f.Parent(i)) {
		o, ok := g.value(p, f.File(d.Reg()), f.Dwords(d.Reg()))
		if !ok {
			o = d
			o.Flags = mir.Undef
		}
		ops = append(ops, o, mir.Target(p))
	}
	f.SetOperands(i, 1, ops...)
}

// pressure returns the maximum number of live registers of a file, between
// instructions and at an instruction's results.
func pressure(f *mir.Func, file mir.File) (most int) {
	var l liveness
	l.computeLiveness(f)
	size := func(set []uint64) (n int) {
		each(set, func(v int) {
			if r := mir.Virtual(v); f.File(r) == file {
				n += f.Dwords(r)
			}
		})
		return n
	}
	for _, b := range f.Layout {
		live := append([]uint64(nil), l.blockSet(l.out, b)...)
		for i := f.Last(b); i != 0; i = f.Prev(i) {
			most = max(most, size(live))
			dead := 0
			for _, o := range f.Defs(i) {
				if r := o.Reg(); o.IsVirtual() && f.File(r) == file && !hasBit(live, r.Index()) {
					dead += f.Dwords(r)
				}
			}
			most = max(most, size(live)+dead)
			for _, o := range f.Defs(i) {
				if o.IsVirtual() {
					dropBit(live, o.Reg().Index())
				}
			}
			for _, o := range f.Uses(i) {
				if o.IsVirtual() && !f.Op(i).IsPhi() && o.Flags&mir.Undef == 0 {
					addBit(live, o.Reg().Index())
				}
			}
		}
		most = max(most, size(live))
	}
	return most
}

// TestRegAllocRandom allocates the registers of random functions within minimal
// limits, and checks the results.
func TestRegAllocRandom(t *testing.T) {
	count := tries(150)
	machines := []*mir.Machine{mir.MachineOf(isa.GFX1030, 32), mir.MachineOf(isa.GFX90A, 64)}
	a := new(allocator)
	used, needed := 0, 0
	for seed := range uint64(count) {
		m := machines[seed%2]
		if errs := newMIRGen(seed, m).generate().Verify(mir.StageLinearized); len(errs) > 0 {
			t.Fatalf("seed %d: the generator produced %v", seed, errs)
		}
		limits := regLimits{mir.FileS: 6, mir.FileV: 6}
		for {
			f := newMIRGen(seed, m).generate()
			before := f.AppendText(nil)
			err := a.allocateRegisters(f, limits)
			var full *errNoRegisters
			if errors.As(err, &full) && limits[full.file] < 250 {
				limits[full.file]++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, before)
			}
			if errs := checkRegs(a); len(errs) > 0 {
				t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, f.AppendText(nil))
			}
			a.dropPhis()
			if errs := f.Verify(mir.StageAllocated); len(errs) > 0 {
				t.Fatalf("seed %d: %v\n%s", seed, errs[0], f.AppendText(nil))
			}
			used += limits[mir.FileV]
			needed += max(pressure(newMIRGen(seed, m).generate(), mir.FileV), 6)
			break
		}
	}
	if used*100 > needed*115 {
		t.Errorf("%d vector registers, but at most %d are live", used, needed)
	}
	t.Logf("%d vector registers for %d", used, needed)
}

// crowdedEdge is a function in which the results of phis do not fit beside the
// values that another successor of their predecessor needs, although the values
// of each block fit.
const crowdedEdge = `func @f gfx900 wave64
bb1: to bb2, bb3 linear to bb2, bb3
  %1:s1 = s_mov_b32 1
  %2:s1 = s_mov_b32 2
  %3:s1 = s_mov_b32 3
  %4:s1 = s_mov_b32 4
  %5:scc = s_cmp_eq_u32 %1, 0
  p_br_scc kill %5, bb3, bb2
bb2: to bb3 linear to bb3
  %6:s1, dead %7:scc = s_add_co_u32 kill %1, kill %2
  %8:s1, dead %9:scc = s_add_co_u32 kill %3, kill %4
  p_br bb3
bb3:
  %10:s1 = p_phi 5, bb1, %6, bb2
  %11:s1 = p_phi 6, bb1, %8, bb2
  %12:s1 = p_phi 7, bb1, 9, bb2
  %13:s1, dead %14:scc = s_add_co_u32 kill %10, kill %11
  %15:s1, dead %16:scc = s_add_co_u32 kill %13, kill %12
  p_end
`

func TestCrowdedEdge(t *testing.T) {
	f, err := mir.Parse("crowded", []byte(crowdedEdge))
	if err != nil {
		t.Fatal(err)
	}
	a := new(allocator)
	if err := a.allocateRegisters(f, regLimits{mir.FileS: 6}); err != nil {
		t.Fatal(err)
	}
	if errs := checkRegs(a); len(errs) > 0 {
		t.Fatalf("%v\n%s", errs[0], f.AppendText(nil))
	}
	if n := len(f.Layout); n != 4 {
		t.Errorf("%d blocks: the edge is not split\n%s", n, f.AppendText(nil))
	}
}
