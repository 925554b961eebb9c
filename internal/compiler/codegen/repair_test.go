package codegen

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// valueGen fills random control flow with uniform values, lane masks and
// conditions. Blocks set and read variables, in SSA form with a phi wherever
// edges meet or leave a loop. Package analysis determines the uniform ones from
// the same function in IR.
type valueGen struct {
	rng   *rand.Rand
	f     *mir.Func // its blocks contain only flowGen's branches and their conditions
	graph *analysis.Graph
	dom   *analysis.DomTree
	loops *analysis.Loops
	u     *analysis.Uniformity
	fn    *ir.Function

	values map[string]ir.Value

	begins [][]sval // by block, variable
	ends   [][]sval
	sets   [][]sset
	branch []int // by block: the variable that controls its uniform branch, or -1
	undef  mir.Reg
	regs   map[string]mir.Reg
	conds  map[string]mir.Reg
}

// sval is a value of a variable: a constant, undefined, or an SSA value with an
// IR name.
type sval struct {
	name  string // "undef", a number or %name
	block mir.Block
}

// sset describes how a block sets a variable.
type sset struct {
	kind  int
	other int
	k     int
	at    mir.Block // block of the condition
	x     sval      // operand of the condition
}

const (
	setNot = iota
	setConst
	setAdd
	setCopy
	setSelect
)

const numInts, numMasks = 4, 3

func (g *valueGen) needsPhi(b mir.Block) bool {
	preds := g.f.Preds(b)
	if len(preds) > 1 {
		return true
	}
	for _, p := range preds {
		if l := g.loops.Of(uint32(p)); l != 0 && !g.loops.Contains(l, uint32(b)) {
			return true
		}
	}
	return false
}

// plan chooses the operations on uniform variables in each block, and returns
// them as IR.
func (g *valueGen) plan() string {
	f := g.f
	n := f.NumBlocks()
	g.begins, g.ends, g.sets, g.branch = make([][]sval, n), make([][]sval, n), make([][]sset, n), make([]int, n)
	for _, b := range g.graph.RPO() {
		g.planBlock(mir.Block(b))
	}
	var out strings.Builder
	out.WriteString("target triple = \"amdgcn-amd-amdhsa\"\ndeclare i32 @llvm.amdgcn.workitem.id.x()\ndefine amdgpu_kernel void @f(i32 %arg) {\n")
	for _, b := range f.Layout {
		g.writeBlock(&out, b)
	}
	out.WriteString("}\n")
	return out.String()
}

func (g *valueGen) planBlock(b mir.Block) {
	f := g.f
	g.begins[b], g.ends[b], g.sets[b] = make([]sval, numInts), make([]sval, numInts), make([]sset, numInts)
	for v := range numInts {
		switch {
		case b == f.Layout[0]:
			g.begins[b][v] = sval{name: fmt.Sprint(v + 1), block: b}
			if v == 0 {
				g.begins[b][v].name = "undef"
			}
		case g.needsPhi(b):
			g.begins[b][v] = sval{fmt.Sprintf("%%p%d.%d", b, v), b}
		default:
			g.begins[b][v] = g.ends[f.Preds(b)[0]][v]
		}
	}
	for v := range numInts {
		s := sset{kind: max(0, g.rng.IntN(9)-4), other: 1 + g.rng.IntN(numInts-1), k: g.rng.IntN(8)}
		g.ends[b][v] = g.begins[b][v]
		switch s.kind {
		case setConst:
			g.ends[b][v] = sval{fmt.Sprint(s.k), b}
		case setAdd:
			g.ends[b][v] = sval{fmt.Sprintf("%%a%d.%d", b, v), b}
		case setCopy:
			if v == 0 { // the variable that may be undefined
				g.ends[b][v] = sval{"undef", b}
				break
			}
			g.ends[b][v] = g.begins[b][s.other]
		case setSelect:
			s.at, s.x = g.conditionPlace(b, s.other)
			g.ends[b][v] = sval{fmt.Sprintf("%%s%d.%d", b, v), b}
		}
		g.sets[b][v] = s
	}
	g.branch[b] = -1
	if g.rng.IntN(2) == 0 {
		g.branch[b] = 1 + g.rng.IntN(numInts-1)
	}
}

// conditionPlace chooses a block in the same loop that dominates b, and a
// variable's value there.
func (g *valueGen) conditionPlace(b mir.Block, v int) (mir.Block, sval) {
	at := b
	for g.rng.IntN(3) > 0 {
		d := g.dom.IDom(uint32(at))
		if d == 0 || g.loops.Of(d) != g.loops.Of(uint32(b)) {
			break
		}
		at = mir.Block(d)
	}
	return at, g.begins[at][v]
}

func (g *valueGen) writeBlock(out *strings.Builder, b mir.Block) {
	f := g.f
	fmt.Fprintf(out, "b%d:\n", b)
	for v := range numInts {
		if x := g.begins[b][v]; x.block == b && strings.HasPrefix(x.name, "%p") {
			fmt.Fprintf(out, "  %s = phi i32 ", x.name)
			for n, p := range f.Preds(b) {
				fmt.Fprintf(out, "%s[ %s, %%b%d ]", strings.Repeat(", ", min(n, 1)), g.ends[p][v].name, p)
			}
			out.WriteString("\n")
		}
	}
	if b == f.Layout[0] {
		out.WriteString("  %id = call i32 @llvm.amdgcn.workitem.id.x()\n")
	}
	for v := range numInts {
		switch s := g.sets[b][v]; s.kind {
		case setAdd:
			fmt.Fprintf(out, "  %s = add i32 %s, %d\n", g.ends[b][v].name, g.begins[b][v].name, s.k)
		case setSelect:
			fmt.Fprintf(out, "  %%c%d.%d = icmp ult i32 %s, %d\n", b, v, s.x.name, s.k)
			fmt.Fprintf(out, "  %s = select i1 %%c%d.%d, i32 %d, i32 %d\n", g.ends[b][v].name, b, v, s.k+3, s.k+5)
		}
	}
	uses := f.Uses(f.Last(b))
	switch f.Op(f.Last(b)) {
	case mir.End:
		out.WriteString("  ret void\n")
	case mir.Br:
		fmt.Fprintf(out, "  br label %%b%d\n", uses[0].Block())
	default:
		on := "%id"
		if f.Op(f.Last(b)) == mir.BrSCC {
			on = "%arg"
			if v := g.branch[b]; v >= 0 {
				on = g.begins[b][v].name
			}
		}
		fmt.Fprintf(out, "  %%br%d = icmp ult i32 %s, 3\n  br i1 %%br%d, label %%b%d, label %%b%d\n", b, on, b, uses[1].Block(), uses[2].Block())
	}
}

// uniform reports whether a value is uniform.
func (g *valueGen) uniform(x sval) bool {
	if !strings.HasPrefix(x.name, "%") {
		return true
	}
	if v, ok := g.values[x.name]; ok {
		return !g.u.Divergent(v)
	}
	panic("no value " + x.name)
}

// fill emits the machine instructions of the plan.
func (g *valueGen) fill(t *testing.T, src string) {
	f := g.f
	m, errs := text.Parse("flow.ll", []byte(src))
	if len(errs) > 0 {
		t.Fatalf("%v\n%s", errs, src)
	}
	g.fn = m.Function("f")
	graph := analysis.CFG(g.fn)
	g.u = &analysis.Uniformity{ByWaves: true}
	g.u.Reset(g.fn, analysis.NewDomTree(graph), analysis.NewCycles(graph), 64)
	g.values = map[string]ir.Value{}
	for b := g.fn.Entry(); b != 0; b = g.fn.NextBlock(b) {
		for v := g.fn.First(b); v != ir.None; v = g.fn.Next(v) {
			g.values["%"+string(g.fn.NameOf(v))] = v
		}
	}
	g.regs, g.conds = map[string]mir.Reg{}, map[string]mir.Reg{}
	g.undef = f.NewReg(mir.FileS, 1)
	for _, b := range g.graph.RPO() {
		g.makePhis(mir.Block(b))
	}
	for _, b := range g.graph.RPO() {
		g.fillBlock(mir.Block(b))
	}
	for _, b := range g.graph.RPO() {
		g.fillPhis(mir.Block(b))
	}
	entry := f.Layout[0]
	f.Prepend(entry, f.NewInstr(mir.Undefined, 1, mir.R(g.undef)))
	g.masks()
}

func (g *valueGen) makePhis(b mir.Block) {
	for v := numInts - 1; v >= 0; v-- {
		x := g.begins[b][v]
		if x.block == b && strings.HasPrefix(x.name, "%p") && g.uniform(x) {
			r := g.f.NewReg(mir.FileS, 1)
			g.regs[x.name] = r
			g.f.Prepend(b, g.f.NewInstr(mir.Phi, 1, mir.R(r)))
		}
	}
}

// operand returns the operand of a uniform value.
func (g *valueGen) operand(x sval) mir.Operand {
	if x.name == "undef" {
		return mir.R(g.undef)
	}
	var k int64
	if n, _ := fmt.Sscan(x.name, &k); n == 1 {
		return mir.Imm(k)
	}
	r, ok := g.regs[x.name]
	if !ok {
		panic("no register for " + x.name)
	}
	return mir.R(r)
}

// compare emits the condition "value < k" in a block, or returns the existing
// one.
func (g *valueGen) compare(at mir.Block, x sval, k int, put func(b mir.Block, i mir.Instr)) mir.Operand {
	f := g.f
	key := fmt.Sprint(at, x.name, k)
	r, ok := g.conds[key]
	if !ok || g.rng.IntN(2) == 0 {
		r = f.NewReg(mir.FileSCC, 1)
		if g.rng.IntN(3) == 0 { // from more than a comparison
			put(at, f.NewInstr(mir.SAddCoU32, 2, mir.R(f.NewReg(mir.FileS, 1)), mir.R(r), g.operand(x), mir.Imm(int64(k))))
		} else {
			put(at, f.NewInstr(mir.SCmpLtU32, 1, mir.R(r), g.operand(x), mir.Imm(int64(k))))
		}
		g.conds[key] = r
	}
	return mir.R(r)
}

func (g *valueGen) fillBlock(b mir.Block) {
	f := g.f
	put := func(b mir.Block, i mir.Instr) { f.InsertBefore(i, f.FirstTerminator(b)) }
	last := f.Last(b)
	if v := g.branch[b]; v >= 0 && f.Op(last) == mir.BrSCC {
		if g.uniform(g.begins[b][v]) {
			c := g.compare(b, g.begins[b][v], 3, put)
			*f.Use(last, 0) = c
		} else {
			f.SetOp(last, mir.BrMask)
			m := mir.R(f.NewMask())
			x := mir.R(f.Def(g.marker(b), 0))
			put(b, f.NewInstr(mir.VCmpLtF32, 1, m, x, x))
			*f.Use(last, 0) = m
		}
	}
	for v := range numInts {
		s := g.sets[b][v]
		old := g.begins[b][v]
		if s.kind == setAdd && g.uniform(old) {
			r := f.NewReg(mir.FileS, 1)
			g.regs[g.ends[b][v].name] = r
			put(b, f.NewInstr(mir.SAddCoU32, 2, mir.R(r), mir.R(f.NewReg(mir.FileSCC, 1)), g.operand(old), mir.Imm(int64(s.k))))
		}
		if s.kind == setSelect && g.uniform(s.x) && g.uniform(g.ends[b][v]) {
			r := f.NewReg(mir.FileS, 1)
			g.regs[g.ends[b][v].name] = r
			c := g.compare(s.at, s.x, s.k, put)
			put(b, f.NewInstr(mir.SCselectB32, 1, mir.R(r), mir.Imm(int64(s.k+3)), mir.Imm(int64(s.k+5)), c))
		}
	}
	for v := range numInts {
		for _, x := range []sval{g.begins[b][v], g.ends[b][v]} {
			if g.rng.IntN(3) == 0 && g.uniform(x) {
				put(b, f.NewInstr(mir.VMovB32, 1, mir.R(f.NewReg(mir.FileV, 1)), g.operand(x)))
			}
		}
	}
}

// marker returns the instruction that identifies a block in traces.
func (g *valueGen) marker(b mir.Block) mir.Instr {
	i := g.f.First(b)
	for g.f.Op(i) != mir.VMovB32 {
		i = g.f.Next(i)
	}
	return i
}

func (g *valueGen) fillPhis(b mir.Block) {
	f := g.f
	for v := range numInts {
		x := g.begins[b][v]
		if x.block != b || !strings.HasPrefix(x.name, "%p") || !g.uniform(x) {
			continue
		}
		i := f.DefOf(g.regs[x.name])
		operands := []mir.Operand{mir.R(g.regs[x.name])}
		for _, p := range f.Preds(b) {
			operands = append(operands, g.operand(g.ends[p][v]), mir.Target(p))
		}
		f.SetOperands(i, 1, operands...)
	}
}

// masks adds the lane mask variables. The last one is initially undefined.
func (g *valueGen) masks() {
	f := g.f
	begins, ends := make([][]mir.Operand, f.NumBlocks()), make([][]mir.Operand, f.NumBlocks())
	phis := map[mir.Instr]int{}
	for _, n := range g.graph.RPO() {
		b := mir.Block(n)
		begins[b], ends[b] = make([]mir.Operand, numMasks), make([]mir.Operand, numMasks)
		for v := range numMasks {
			switch {
			case b == f.Layout[0]:
				begins[b][v] = mir.Imm(-int64(v & 1))
			case g.needsPhi(b):
				begins[b][v] = mir.R(f.NewMask())
				i := f.NewInstr(mir.Phi, 1, begins[b][v])
				f.Prepend(b, i)
				phis[i] = v
			default:
				begins[b][v] = ends[f.Preds(b)[0]][v]
			}
		}
		if b == f.Layout[0] {
			u := f.NewMask()
			f.Prepend(b, f.NewInstr(mir.Undefined, 1, mir.R(u)))
			begins[b][numMasks-1] = mir.R(u)
		}
		copy(ends[b], begins[b])
		for v := range numMasks {
			ends[b][v] = g.mask(b, v, begins[b])
		}
		g.readMasks(b, begins[b], ends[b])
	}
	for i, v := range phis {
		operands := []mir.Operand{mir.R(f.Def(i, 0))}
		for _, p := range f.Preds(f.Parent(i)) {
			operands = append(operands, ends[p][v], mir.Target(p))
		}
		f.SetOperands(i, 1, operands...)
	}
}

// mask sets a mask variable in a block.
func (g *valueGen) mask(b mir.Block, v int, now []mir.Operand) mir.Operand {
	f := g.f
	m := mir.R(f.NewMask())
	at := f.FirstTerminator(b)
	x := mir.R(f.Def(g.marker(b), 0))
	switch g.rng.IntN(10) {
	case 0, 1:
		f.InsertBefore(f.NewInstr(mir.VCmpLtF32, 1, m, x, x), at)
		return m
	case 2:
		return mir.Imm(0)
	case 3:
		return mir.Imm(-1)
	case 4:
		return now[g.rng.IntN(numMasks-1)]
	case 5:
		f.InsertBefore(f.NewInstr(mir.SAndB64, 2, m, mir.R(f.NewReg(mir.FileSCC, 1)), now[0], now[1]), at)
		return m
	case 6:
		c := mir.R(f.NewReg(mir.FileSCC, 1))
		f.InsertBefore(f.NewInstr(mir.SCmpEqU32, 1, c, mir.Imm(0), mir.Imm(0)), at)
		f.InsertBefore(f.NewInstr(mir.SCselectB64, 1, m, mir.Imm(-1), mir.Imm(0), c), at)
		return m
	}
	return now[v]
}

func (g *valueGen) readMasks(b mir.Block, begins, ends []mir.Operand) {
	f := g.f
	at := f.FirstTerminator(b)
	for v := range numMasks {
		for _, m := range []mir.Operand{begins[v], ends[v]} {
			if g.rng.IntN(3) == 0 && m.Kind == mir.KindReg {
				f.InsertBefore(f.NewInstr(mir.VCndmaskB32, 1, mir.R(f.NewReg(mir.FileV, 1)), mir.Imm(0), mir.Imm(1), m), at)
			}
		}
	}
	last := f.Last(b)
	if m := ends[g.rng.IntN(numMasks-1)]; f.Op(last) == mir.BrMask && g.rng.IntN(2) == 0 && m.Kind == mir.KindReg {
		*f.Use(last, 0) = m
	}
}

func randomValues(t *testing.T, seed uint64, m *mir.Machine) *mir.Func {
	f := randomFlow(seed, m)
	g := valueGen{rng: rand.New(rand.NewPCG(seed, 4)), f: f}
	g.graph = analysis.NewGraph(f.NumBlocks()-1, uint32(f.Layout[0]), func(n uint32, to []uint32) []uint32 {
		for _, s := range f.Succs(mir.Block(n)) {
			to = append(to, uint32(s))
		}
		return to
	})
	g.dom = analysis.NewDomTree(g.graph)
	g.loops = analysis.NewLoops(g.dom)
	if len(g.graph.RPO()) != len(f.Layout) {
		return nil
	}
	g.fill(t, g.plan())
	return f
}

// valueRun executes a function: one lane along the logical edges, or a wave
// along the linear ones.
type valueRun struct {
	f      *mir.Func
	seed   uint64
	linear bool
	exec   uint64
	scc    mir.Reg // virtual register held in the condition code
	regs   []valueBits
	visits [16][]int
	traces [16][]traceEvent
	from   mir.Block
	wrong  string
}

// valueBits is the value of a register, or unknown.
type valueBits struct {
	x     uint64
	undef bool
}

// traceEvent is an event that a lane observes; an undefined value matches any
// value.
type traceEvent struct {
	b   mir.Block
	i   mir.Reg
	val valueBits
}

func newValueRun(f *mir.Func, seed, exec uint64, linear bool) *valueRun {
	r := &valueRun{f: f, seed: seed, exec: exec, linear: linear, regs: make([]valueBits, f.NumVirtual())}
	for n := range r.visits {
		r.visits[n] = make([]int, f.NumBlocks())
	}
	return r
}

func (r *valueRun) value(o *mir.Operand) valueBits {
	switch {
	case o.Kind == mir.KindImm:
		return valueBits{x: uint64(o.Imm)}
	case o.Reg() == mir.Exec:
		return valueBits{x: r.exec}
	case o.Flags&mir.Undef != 0:
		return valueBits{0xdeadbeef12345678 * (r.seed | 1), true}
	case r.f.File(o.Reg()) == mir.FileSCC:
		if r.linear && r.scc != o.Reg() {
			r.wrong = fmt.Sprintf("the condition code is not %%%d", o.Reg().Index())
		}
		x := r.regs[o.Reg().Index()]
		return x
	}
	return r.regs[o.Reg().Index()]
}

func (r *valueRun) set(i mir.Instr, x valueBits) {
	for n, o := range r.f.Defs(i) {
		switch {
		case o.Reg() == mir.Exec:
			r.exec = x.x
		case r.f.File(o.Reg()) == mir.FileSCC:
			r.scc = o.Reg()
			r.regs[o.Reg().Index()] = x
			if n == 1 { // for a single lane, any fixed value is consistent
				r.regs[o.Reg().Index()].x &= 1
			}
		default:
			r.regs[o.Reg().Index()] = x
		}
	}
}

// see records an event for each active lane.
func (r *valueRun) see(b mir.Block, i mir.Instr, val func(lane int) valueBits) {
	for lane := range r.traces {
		if r.exec>>lane&1 != 0 {
			r.traces[lane] = append(r.traces[lane], traceEvent{b, r.f.Def(i, 0), val(lane)})
		}
	}
}

func boolBits(x bool) (v valueBits) {
	if x {
		v.x = 1
	}
	return v
}

// vector executes a vector instruction.
func (r *valueRun) vector(b mir.Block, i mir.Instr) {
	uses := r.f.Uses(i)
	switch r.f.Op(i) {
	case mir.VMovB32:
		if uses[0].IsImm(int64(b)) && uses[0].Kind == mir.KindImm {
			for lane := range r.visits {
				if r.exec>>lane&1 != 0 {
					r.visits[lane][b]++
				}
			}
		}
		x := r.value(&uses[0])
		r.see(b, i, func(int) valueBits { return valueBits{x.x & 0xffffffff, x.undef} })
	case mir.VCndmaskB32:
		x := r.value(&uses[2])
		r.see(b, i, func(lane int) valueBits { return valueBits{x.x >> lane & 1, x.undef} })
	case mir.VCmpLtF32:
		x := uint64(0)
		for lane := range r.visits {
			if r.exec>>lane&1 != 0 && outcome(r.seed+uint64(r.f.Def(i, 0).Index())*77, b, lane, r.visits[lane][b]) {
				x |= 1 << lane
			}
		}
		r.set(i, valueBits{x: x})
	}
}

// scalarOps implements the scalar operations that the tests use.
var scalarOps = map[mir.Op]func(x, y uint64) uint64{
	mir.SMovB64: func(x, y uint64) uint64 { return x }, mir.SMovB32: func(x, y uint64) uint64 { return x },
	mir.Copy:    func(x, y uint64) uint64 { return x },
	mir.SAndB64: func(x, y uint64) uint64 { return x & y }, mir.SAndNot1B64: func(x, y uint64) uint64 { return x &^ y },
	mir.SOrB64: func(x, y uint64) uint64 { return x | y }, mir.SOrNot1B64: func(x, y uint64) uint64 { return x | ^y },
	mir.SNotB64:   func(x, y uint64) uint64 { return ^x },
	mir.SAddCoU32: func(x, y uint64) uint64 { return uint64(uint32(x + y)) },
	mir.SCmpEqU32: func(x, y uint64) uint64 { return boolBits(uint32(x) == uint32(y)).x },
	mir.SCmpLtU32: func(x, y uint64) uint64 { return boolBits(uint32(x) < uint32(y)).x },
	mir.SCmpLgU32: func(x, y uint64) uint64 { return boolBits(uint32(x) != uint32(y)).x },
}

// instr executes an instruction and returns the next block, 0 if it does not
// branch.
func (r *valueRun) instr(t *testing.T, b mir.Block, i mir.Instr) (to mir.Block) {
	f := r.f
	uses := f.Uses(i)
	pick := func(yes bool) mir.Block {
		if yes {
			return uses[len(uses)-2].Block()
		}
		return uses[len(uses)-1].Block()
	}
	switch op := f.Op(i); op {
	case mir.VMovB32, mir.VCndmaskB32, mir.VCmpLtF32:
		r.vector(b, i)
	case mir.SCselectB64, mir.SCselectB32:
		c, x := r.value(&uses[2]), r.value(&uses[1])
		if c.x != 0 {
			x = r.value(&uses[0])
		}
		r.set(i, valueBits{x.x, x.undef || c.undef})
	case mir.SAndSaveexecB64, mir.SAndNot0SaveexecB64:
		old, x := r.exec, r.value(&uses[0])
		if op == mir.SAndNot0SaveexecB64 {
			x.x = ^x.x
		}
		r.exec &= x.x
		r.set(i, valueBits{x: old})
	case mir.Undefined:
		r.set(i, valueBits{0x1234abcd1234abcd, true})
	case mir.Br:
		return uses[0].Block()
	case mir.BrSCC:
		x := r.value(&uses[0])
		if x.undef && !r.linear {
			t.Fatalf("%s on an undefined value", f.AppendInstr(nil, i))
		}
		return pick(x.x != 0)
	case mir.BrMask:
		return pick(r.value(&uses[0]).x&r.exec != 0)
	case mir.BrExecZ:
		return pick(r.exec == 0)
	case mir.BrExecNZ:
		return pick(r.exec != 0)
	case mir.LogicalEnd, mir.End:
	default:
		fn := scalarOps[op]
		if fn == nil {
			t.Fatalf("%s in the result", f.AppendInstr(nil, i))
		}
		x, y := r.value(&uses[0]), valueBits{}
		if len(uses) > 1 {
			y = r.value(&uses[1])
		}
		r.set(i, valueBits{fn(x.x, y.x), x.undef || y.undef})
	}
	return 0
}

// phis executes the phis of a block in parallel.
func (r *valueRun) phis(b mir.Block) {
	f := r.f
	values := map[mir.Reg]valueBits{}
	for i := f.First(b); i != 0 && f.Op(i).IsPhi(); i = f.Next(i) {
		uses := f.Uses(i)
		for n := 0; n < len(uses); n += 2 {
			if uses[n+1].Block() == r.from {
				values[f.Def(i, 0)] = r.value(&uses[n])
			}
		}
	}
	for reg, x := range values {
		r.regs[reg.Index()] = x
	}
	r.scc = mir.NoReg
}

func (r *valueRun) run(t *testing.T, limit int) bool {
	f := r.f
	for b, steps := f.Layout[0], 0; b != 0; steps++ {
		if steps > limit {
			return false
		}
		r.phis(b)
		to := mir.Block(0)
		for i := f.First(b); i != 0; i = f.Next(i) {
			if !f.Op(i).IsPhi() {
				to = r.instr(t, b, i)
			}
		}
		r.from, b = b, to
	}
	return true
}

// sameTrace compares a lane's trace with the expected one.
func sameTrace(got, want []traceEvent) string {
	for n, w := range want {
		if n >= len(got) {
			return fmt.Sprintf("nothing, want bb%d %%%d = %#x", w.b, w.i.Index(), w.val.x)
		}
		if g := got[n]; g.b != w.b || g.i != w.i || g.val.x != w.val.x && !w.val.undef {
			return fmt.Sprintf("bb%d %%%d = %#x, want bb%d %%%d = %#x", g.b, g.i.Index(), g.val.x, w.b, w.i.Index(), w.val.x)
		}
	}
	if len(got) > len(want) {
		return "more than it had to"
	}
	return ""
}

// keepVector keeps vector instructions, which lanes observe, unchanged and in
// order.
func keepVector(f *mir.Func) {
	for _, b := range f.Layout {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if f.Info(i).Unit == mir.UnitVALU {
				f.SetFlags(i, mir.NoReorder)
			}
		}
	}
}

// rareFlow lists seeds of functions in which definitions of scalar registers do
// not dominate their uses on linear edges.
var rareFlow = []uint64{4799, 19125}

// TestControlFlow linearizes random functions with uniform values, lane masks
// and conditions, and executes them. Every lane must observe the same blocks
// and values as on its own. Some functions are cleaned up before and scheduled
// afterwards.
func TestControlFlow(t *testing.T) {
	m := mir.MachineOf(isa.GFX900, 64)
	const lanes = 16
	ran := 0
	var c controlFlow
	clean, order := new(peephole), new(scheduler)
	tgt, err := target.New("", "gfx900", "")
	if err != nil {
		t.Fatal(err)
	}
	limits := tgt.Limits()
	count := tries(700)
	for n := range uint64(count) {
		seed := n
		if n < uint64(len(rareFlow)) {
			seed = rareFlow[n]
		}
		f := randomValues(t, seed, m)
		if f == nil {
			continue
		}
		if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
			t.Fatalf("seed %d: the generator produced %v\n%s", seed, errs[0], f.AppendText(nil))
		}
		var want [lanes][]traceEvent
		ends := true
		for lane := 0; lane < lanes && ends; lane++ {
			r := newValueRun(f, seed, 1<<lane, false)
			ends = r.run(t, maxSteps)
			want[lane] = r.traces[lane]
		}
		if !ends {
			continue
		}
		ran++
		before := f.AppendText(nil)
		if seed%2 == 0 {
			keepVector(f)
			clean.cleanFunction(f)
			if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
				t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, f.AppendText(nil))
			}
		}
		c.lowerControlFlow(f)
		if seed%4 == 0 {
			order.scheduleFunction(f, &limits, limits.WavesPerEU)
		}
		if errs := f.Verify(mir.StageLinearized); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, f.AppendText(nil))
		}
		r := newValueRun(f, seed, 1<<lanes-1, true)
		if !r.run(t, maxSteps*64) || r.wrong != "" {
			t.Fatalf("seed %d: the wave does not terminate, or fails: %s\n%s\nafter:\n%s", seed, r.wrong, before, f.AppendText(nil))
		}
		for lane := range lanes {
			if diff := sameTrace(r.traces[lane], want[lane]); diff != "" {
				t.Fatalf("seed %d: lane %d saw %s\n%s\nafter:\n%s", seed, lane, diff, before, f.AppendText(nil))
			}
		}
	}
	if ran*8 < count {
		t.Errorf("only %d of the functions terminate", ran)
	}
}
