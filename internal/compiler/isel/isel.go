package isel

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Env holds the context of selecting a function.
type Env struct {
	Target       *target.Target
	ABI          *abi.Module
	Entry        *abi.Entry
	ImplicitArgs int64 // offset of a kernel's implicit arguments in the kernarg segment, in bytes
	Optimized    bool  // calls that never run have been removed
}

// Unsupported is the error for a construct that cannot be selected.
type Unsupported struct {
	Construct string
	Function  string
	Value     ir.Value    // the instruction
	Loc       ir.Metadata // its debug location, or 0

	Impossible bool // the processor does not support it
}

// Error returns a message that names the construct and the function.
func (e *Unsupported) Error() string {
	if e.Impossible {
		return fmt.Sprintf("function @%s: %s", e.Function, e.Construct)
	}
	return fmt.Sprintf("function @%s: not supported by code generation yet: %s", e.Function, e.Construct)
}

// Selector selects functions one after another, reusing its memory. The zero
// value is ready for use.
type Selector struct {
	env Env
	m   *ir.Module
	f   *ir.Function
	out *mir.Func
	set isa.Set
	err error

	graph   *analysis.Graph
	dom     *analysis.DomTree
	cycles  *analysis.Loops
	uniform *analysis.Uniformity
	alias   *analysis.Alias

	sig     *abi.Signature // nil for a kernel
	vals    []value        // by local value
	blocks  []mir.Block    // by IR block
	tails   []ir.Value     // by IR block: the tail call that ends it, or None
	phis    []mir.Instr    // by value: the machine phi, or 0
	inputs  []input
	mem     memLimits
	block   mir.Block // current block
	anchor  mir.Instr // instructions are inserted before it, or appended to the block if it is 0
	loc     uint32
	current ir.Value
	frames  map[ir.Value]mir.Frame // frame objects of static allocas
	leaves  map[leafKey]mir.Reg    // parts of aggregates
	swapped []ir.Value             // addresses of compare-and-swap instructions, sorted
	old     mir.Reg                // old value returned by the current atomic instruction
	whole   wholeWave
}

// value is the selection state of an IR value.
type value struct {
	reg    mir.Reg // NoReg until the value is used
	bank   bank
	wanted bool
	mask   mir.Reg // an i1 in the scalar condition code as a lane mask; NoReg until it is used
}

// input is a register that the function receives at its entry.
type input struct {
	what abi.Input
	reg  mir.Reg
	part int // number of the dword of abi.KernargPreload
}

// Select selects a function into out, which must be empty. The error is an
// *Unsupported.
func (s *Selector) Select(f *ir.Function, env Env, out *mir.Func) error {
	s.env, s.m, s.f, s.out, s.err = env, f.Module(), f, out, nil
	s.set = out.M.Set
	s.inputs = s.inputs[:0]
	s.vals = zeroed(s.vals, f.NumValues())
	s.phis = zeroed(s.phis, f.NumValues())
	s.frames, s.leaves = map[ir.Value]mir.Frame{}, map[leafKey]mir.Reg{}
	s.mem = memLimitsOf(s.set)
	s.sig, s.whole = nil, wholeWave{input: ir.None}
	if !f.CC.IsKernel() && (!env.Entry.Kernel || env.Entry.Shader != nil) {
		s.sig = s.signature(ir.None)
	}
	s.analyse()
	s.findBanks()
	s.findSwaps()
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
		s.placeQuads()
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

// unsupported records that a construct cannot be selected. The first one is
// reported.
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

// impossible records that the target does not support a construct.
func (s *Selector) impossible(v ir.Value, format string, args ...any) {
	if s.err == nil {
		s.unsupported(v, format, args...)
		s.err.(*Unsupported).Impossible = true
	}
}

// makeBlocks creates the blocks and logical edges.
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

// makePhis creates a machine phi for each used IR phi. Its sources are filled
// in when the predecessors are visited.
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

// selectBlock selects the needed instructions of a block, the last one first.
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

// begun moves the insertion point before all instructions emitted in the block,
// after phi last.
func (s *Selector) begun(last mir.Instr) {
	if last == 0 {
		s.anchor = s.out.First(s.block)
	} else {
		s.anchor = s.out.Next(last)
	}
}

// phiSources sets the sources of phis in the successors of a block.
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

// phiSource returns an operand with the file and size of a phi, defined at the
// end of the current block.
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

// undefinedSource returns an undefined source for a phi. It must not be a
// constant: where lanes join from two sides, the phi's only other value is
// uniform, and the wave must preserve it when it arrives from the undefined
// side.
func (s *Selector) undefinedSource(phi mir.Instr) mir.Operand {
	r := s.out.Def(phi, 0)
	d := mir.R(s.out.NewReg(s.out.File(r), s.out.Dwords(r)))
	if s.out.IsMask(r) {
		d = mir.R(s.out.NewMask())
	}
	s.putInstr(mir.Undefined, 1, d)
	return d
}

// hasEffects reports whether an instruction has side effects.
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
