package isel

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/analysis"
	"github.com/gfx-toolchain/gfx/codegen/abi"
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Env is what selection knows besides the function.
type Env struct {
	Target       *target.Target
	ABI          *abi.Module
	Entry        *abi.Entry
	ImplicitArgs int64 // of a kernel: where the implicit arguments begin in the kernarg segment, in bytes
}

// Unsupported is the error for a construct that selection does not know.
type Unsupported struct {
	Construct string
	Function  string
	Value     ir.Value    // the instruction
	Loc       ir.Metadata // its debug location, 0 when it has none
}

// Error names the construct and the function.
func (e *Unsupported) Error() string {
	return fmt.Sprintf("function @%s: not supported by code generation yet: %s", e.Function, e.Construct)
}

// Selector selects one function after the other in the same memory. Its zero value is ready for use.
type Selector struct {
	env Env
	m   *ir.Module
	f   *ir.Function
	out *mir.Func
	gen isa.Gen
	err error

	graph   *analysis.Graph
	dom     *analysis.DomTree
	cycles  *analysis.Loops
	uniform *analysis.Uniformity
	alias   *analysis.Alias

	sig     *abi.Signature // of a function, nil for a kernel
	vals    []value        // by local value
	blocks  []mir.Block    // by block of the IR
	tails   []ir.Value     // by block of the IR: the tail call that it ends in, None for none
	phis    []mir.Instr    // by value: the phi of the machine, 0 for none
	inputs  []input
	mem     memLimits
	block   mir.Block // at hand
	anchor  mir.Instr // what is made goes before it, at the end of the block when it is 0
	loc     uint32
	current ir.Value
	frames  map[ir.Value]mir.Frame // objects of static allocas
	leaves  map[leafKey]mir.Reg    // parts of aggregates
	old     mir.Reg                // what the atomic instruction at hand gives
	whole   wholeWave
}

// value is what is known of a value of the IR.
type value struct {
	reg    mir.Reg // NoReg as long as nobody asked for it
	bank   bank
	wanted bool
}

// input is a register that the function finds filled at its start.
type input struct {
	what abi.Input
	reg  mir.Reg
}

// Select selects a function into out, which must be empty. The error is an *Unsupported.
func (s *Selector) Select(f *ir.Function, env Env, out *mir.Func) error {
	s.env, s.m, s.f, s.out, s.err = env, f.Module(), f, out, nil
	s.gen = out.M.Set.Gen()
	s.inputs = s.inputs[:0]
	s.vals = zeroed(s.vals, f.NumValues())
	s.phis = zeroed(s.phis, f.NumValues())
	s.frames, s.leaves = map[ir.Value]mir.Frame{}, map[leafKey]mir.Reg{}
	s.mem = memLimitsOf(s.gen)
	s.sig, s.whole = nil, wholeWave{}
	if !env.Entry.Kernel && !f.CC.IsKernel() {
		s.sig = s.signature(ir.None)
	}
	s.analyse()
	s.findBanks()
	s.findTails()
	s.makeBlocks()
	s.makePhis()
	rpo := s.graph.RPO()
	for n := len(rpo) - 1; n >= 0 && s.err == nil; n-- {
		if s.blocks[rpo[n]] != 0 {
			s.selectBlock(ir.Block(rpo[n]))
		}
	}
	if s.err == nil {
		s.begin()
		s.placeWhole()
	}
	return s.err
}

func zeroed[T any](old []T, n int) []T {
	if cap(old) < n {
		return make([]T, n)
	}
	old = old[:n]
	clear(old)
	return old
}

func (s *Selector) analyse() {
	f := s.f
	if s.graph == nil {
		s.graph = analysis.CFG(f)
		s.dom = analysis.NewDomTree(s.graph)
		s.cycles = analysis.NewCycles(s.graph)
		s.uniform = &analysis.Uniformity{ByWaves: true}
		s.uniform.Reset(f, s.dom, s.cycles, s.out.M.Wave)
		s.alias = analysis.NewAlias(f)
		return
	}
	s.graph.ResetCFG(f)
	s.dom.Reset(s.graph)
	s.cycles = analysis.NewCycles(s.graph)
	s.uniform.Reset(f, s.dom, s.cycles, s.out.M.Wave)
	s.alias.Reset(f)
}

// unsupported notes that a construct cannot be selected; the first one counts.
func (s *Selector) unsupported(v ir.Value, format string, args ...any) {
	if s.err != nil {
		return
	}
	e := &Unsupported{Construct: fmt.Sprintf(format, args...), Function: s.f.Name(), Value: v}
	if v.IsLocal() && v != ir.None {
		e.Loc = s.f.Instr(v).Loc
	}
	s.err = e
}

// makeBlocks makes the blocks and logical edges.
func (s *Selector) makeBlocks() {
	s.blocks = zeroed(s.blocks, s.f.NumBlocks()+1)
	for _, b := range s.graph.RPO() {
		if !s.unreached(ir.Block(b)) {
			s.blocks[b] = s.out.NewBlock()
		}
	}
	for _, b := range s.graph.RPO() {
		for n, to := range s.f.Successors(ir.Block(b)) {
			if s.tails[b] != ir.None {
				break
			}
			if n == 0 || to.Value != s.f.Successors(ir.Block(b))[0].Value {
				s.out.AddEdge(s.blocks[b], s.blocks[to.Value.Block()])
			}
		}
	}
}

// makePhis makes a phi for each one of the IR that is used. Its sources are filled in when the blocks are walked from which they come.
func (s *Selector) makePhis() {
	f := s.f
	for _, b := range s.graph.RPO() {
		for v := f.First(ir.Block(b)); s.blocks[b] != 0 && v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
			if !f.HasUses(v) {
				continue
			}
			preds := s.out.Preds(s.blocks[b])
			ops := make([]mir.Operand, 1+2*len(preds))
			ops[0] = mir.R(s.regOf(v))
			for n, p := range preds {
				ops[1+2*n] = mir.Imm(0)
				ops[2+2*n] = mir.Target(p)
			}
			s.phis[v] = s.out.NewInstr(mir.Phi, 1, ops...)
			s.out.Append(s.blocks[b], s.phis[v])
		}
	}
}

// selectBlock selects the instructions of a block that are needed, the last one first.
func (s *Selector) selectBlock(b ir.Block) {
	f := s.f
	s.block, s.anchor = s.blocks[b], 0
	lastPhi := s.out.Last(s.block)
	tail := s.tails[b]
	if tail != ir.None {
		s.loc, s.current = uint32(f.Instr(tail).Loc), tail
		s.jump(tail)
	} else {
		s.terminator(b)
		s.begun(lastPhi)
		s.phiSources(b)
	}
	for v := f.Prev(f.Terminator(b)); v != ir.None && s.err == nil; v = f.Prev(v) {
		if f.Op(v) == ir.OpPhi {
			break
		}
		if v != tail && (s.vals[v].wanted || s.hasEffects(v)) {
			s.begun(lastPhi)
			s.loc, s.current = uint32(f.Instr(v).Loc), v
			s.instr(v)
		}
		if v == s.whole.first {
			s.begun(lastPhi)
			s.beginWhole()
		}
	}
}

// begun moves the place of what is made next before all that was made in the block, which has phis up to last.
func (s *Selector) begun(last mir.Instr) {
	if last == 0 {
		s.anchor = s.out.First(s.block)
	} else {
		s.anchor = s.out.Next(last)
	}
}

// phiSources gives the phis of the successors of a block their values.
func (s *Selector) phiSources(b ir.Block) {
	f := s.f
	for n, to := range f.Successors(b) {
		succ := to.Value.Block()
		if n > 0 && to.Value == f.Successors(b)[0].Value {
			continue
		}
		for v := f.First(succ); v != ir.None && f.Op(v) == ir.OpPhi; v = f.Next(v) {
			if s.phis[v] == 0 {
				continue
			}
			o := s.phiSource(v, f.PhiValue(v, b))
			uses := s.out.Uses(s.phis[v])
			for k := 1; k < len(uses); k += 2 {
				if uses[k].Block() == s.block {
					uses[k-1] = o
				}
			}
		}
	}
}

// phiSource gives an operand of the file and size of a phi, made at the end of the block at hand.
func (s *Selector) phiSource(phi, v ir.Value) mir.Operand {
	t := s.f.TypeOf(phi)
	switch {
	case s.isUndef(v):
		return s.undefinedSource(s.phis[phi])
	case s.m.IntBits(t) == 1 && s.vals[phi].bank == bankV:
		return s.asReg(s.mask(v), mir.FileS, s.out.M.MaskDwords())
	case s.m.IntBits(t) == 1:
		return s.asReg(s.boolInt(v), mir.FileS, 1)
	case s.vals[phi].bank == bankV:
		return s.vgpr(v)
	}
	return s.asReg(s.scalar(v), mir.FileS, s.dwords(t))
}

// undefinedSource gives a source of a phi whose value does not matter. It must not become a number: where lanes come from two sides, the
// only value that a phi has besides undef is uniform, and the wave keeps it when it comes from the other side.
func (s *Selector) undefinedSource(phi mir.Instr) mir.Operand {
	r := s.out.Def(phi, 0)
	d := mir.R(s.out.NewReg(s.out.File(r), s.out.Dwords(r)))
	if s.out.IsMask(r) {
		d = mir.R(s.out.NewMask())
	}
	s.put(mir.Undefined, 1, d)
	return d
}

// hasEffects reports whether an instruction does more than to give a value that is not used.
func (s *Selector) hasEffects(v ir.Value) bool {
	f := s.f
	switch f.Op(v) {
	case ir.OpStore, ir.OpFence, ir.OpCmpXchg, ir.OpAtomicRMW:
		return true
	case ir.OpLoad:
		return !f.IsSimple(v)
	case ir.OpCall:
		return s.callHasEffects(v)
	}
	return false
}
