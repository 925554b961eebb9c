package mir

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/isa"
)

// Stage selects the rules that Verify checks.
type Stage uint8

const (
	StageSelected   Stage = iota // virtual registers in SSA form, logical control flow only
	StageLinearized              // SSA form with linear control flow and EXEC
	StageAllocated               // physical registers; pseudo operations remain
	StageFinal                   // only processor instructions and branches
)

// Violation is a violation of the rules of a stage. Its message names the
// function, block and instruction.
type Violation struct {
	Instr   Instr // 0 if the violation concerns a block
	message string
}

func (x *Violation) Error() string { return x.message }

// Verify checks the function against the rules of a stage. It returns nil if
// the function is valid. The errors are Violations.
func (f *Func) Verify(stage Stage) []error {
	var errs []error
	for _, x := range f.Check(stage) {
		errs = append(errs, x)
	}
	return errs
}

// Check checks the function against the rules of a stage. It returns nil if the
// function is valid.
func (f *Func) Check(stage Stage) []*Violation {
	v := &verifier{f: f, stage: stage}
	v.graphs()
	for _, b := range f.Layout {
		v.block(b)
	}
	return v.errs
}

type verifier struct {
	f     *Func
	stage Stage
	errs  []*Violation
	b     Block
	i     Instr

	logical, linear *analysis.DomTree
	place           []int32 // position of each instruction in its block
	defs            []Instr // definition of each virtual register, by index
}

// laidOut holds the pseudo operations that become instructions during code
// layout.
var laidOut = [firstMachineOp]bool{Asm: true, Br: true, BrSCC: true, BrExecZ: true, BrExecNZ: true, BrVCCZ: true, Exit: true, End: true, Unreachable: true}

const maxErrors = 100

func (v *verifier) errorf(format string, args ...any) {
	if len(v.errs) == maxErrors {
		return
	}
	where := fmt.Sprintf("@%s, bb%d", v.f.Name, v.b)
	if v.i != 0 {
		where += fmt.Sprintf(", %q", v.f.AppendInstr(nil, v.i))
	}
	v.errs = append(v.errs, &Violation{v.i, where + ": " + fmt.Sprintf(format, args...)})
}

// graphs builds the dominator trees and collects register definitions.
func (v *verifier) graphs() {
	f := v.f
	v.defs = make([]Instr, f.NumVirtual())
	v.place = make([]int32, f.NumInstrs())
	if len(f.Layout) == 0 {
		v.errorf("the function has no blocks")
		return
	}
	tree := func(succs func(Block) []Block) *analysis.DomTree {
		return analysis.NewDomTree(analysis.NewGraph(f.NumBlocks()-1, uint32(f.Layout[0]), func(n uint32, to []uint32) []uint32 {
			for _, s := range succs(Block(n)) {
				to = append(to, uint32(s))
			}
			return to
		}))
	}
	v.logical = tree(f.Succs)
	if v.stage >= StageLinearized {
		v.linear = tree(f.LinearSuccs)
	}
	for _, b := range f.Layout {
		n := int32(0)
		for i := f.First(b); i != 0; i = f.Next(i) {
			n++
			v.place[i] = n
			v.b, v.i = b, i
			v.noteDefs(i)
		}
	}
}

func (v *verifier) noteDefs(i Instr) {
	for _, o := range v.f.Defs(i) {
		r := o.Reg()
		switch {
		case !r.IsVirtual():
		case r.Index() >= len(v.defs):
			v.errorf("unknown virtual register %d", r.Index())
		case v.defs[r.Index()] != 0 && v.stage < StageAllocated:
			v.errorf("%%%d has more than one definition", r.Index())
		default:
			v.defs[r.Index()] = i
		}
	}
}

func (v *verifier) block(b Block) {
	f := v.f
	v.b, v.i = b, 0
	v.edges(b)
	if f.Last(b) == 0 || !f.IsTerminator(f.Last(b)) {
		v.errorf("the block does not end with a terminator")
	}
	phis, ended := true, false
	for i := f.First(b); i != 0; i = f.Next(i) {
		v.i = i
		op := f.Op(i)
		if op.IsPhi() && !phis {
			v.errorf("the phi follows other instructions")
		}
		phis = phis && op.IsPhi()
		if ended && !f.IsTerminator(i) {
			v.errorf("the instruction follows a terminator")
		}
		ended = f.IsTerminator(i)
		v.instr(i)
	}
}

// edges checks that each edge is recorded at both ends.
func (v *verifier) edges(b Block) {
	f := v.f
	for _, e := range [...]struct {
		succs func(Block) []Block
		preds func(Block) []Block
		name  string
	}{{f.Succs, f.Preds, "logical"}, {f.LinearSuccs, f.LinearPreds, "linear"}} {
		for _, s := range e.succs(b) {
			if count(e.succs(b), s) != count(e.preds(s), b) {
				v.errorf("the %s edge to bb%d does not match its list of predecessors", e.name, s)
			}
		}
		for _, p := range e.preds(b) {
			if count(e.succs(p), b) == 0 {
				v.errorf("the %s edge from bb%d does not match its list of successors", e.name, p)
			}
		}
	}
}

func count(list []Block, b Block) (n int) {
	for _, x := range list {
		if x == b {
			n++
		}
	}
	return n
}

func (v *verifier) instr(i Instr) {
	f := v.f
	for n := range f.Operands(i) {
		v.operand(i, n)
	}
	if op := f.Op(i); op.IsPseudo() {
		v.pseudo(i, op)
	} else {
		v.machine(i)
	}
	v.targets(i)
}

// targets checks that an instruction's branch targets are successors.
func (v *verifier) targets(i Instr) {
	f := v.f
	if f.Op(i).IsPhi() || !f.IsTerminator(i) {
		return
	}
	succs := f.Succs
	if v.stage >= StageLinearized {
		succs = f.LinearSuccs
	}
	for _, o := range f.Uses(i) {
		if o.Kind == KindBlock && count(succs(v.b), o.Block()) == 0 {
			v.errorf("bb%d is not a successor", o.Block())
		}
	}
}

// operand checks the register of an operand.
func (v *verifier) operand(i Instr, n int) {
	f := v.f
	o := &f.Operands(i)[n]
	r := o.Reg()
	def := n < len(f.Defs(i))
	switch {
	case o.Kind != KindReg:
		if def {
			v.errorf("result %d is not a register", n)
		}
		return
	case r == NoReg:
		v.errorf("operand %d is register 0", n)
		return
	case !r.IsVirtual():
		return
	case v.stage >= StageAllocated:
		v.errorf("%%%d remains after register allocation", r.Index())
		return
	}
	size := f.Dwords(r)
	if f.vregs[r.Index()].file == FileNone || size == 0 {
		v.errorf("%%%d has no class", r.Index())
		return
	}
	if def && (o.Sub != 0 || o.N != 0) || int(o.Sub)+int(o.N) > size {
		v.errorf("%%%d has %d dwords", r.Index(), size)
	}
	if !def && o.Flags&Undef == 0 {
		v.dominance(i, n, r)
	}
}

// dominance checks that a register's definition dominates a use.
func (v *verifier) dominance(i Instr, n int, r Reg) {
	f := v.f
	d := v.defs[r.Index()]
	if d == 0 {
		v.errorf("%%%d is not defined", r.Index())
		return
	}
	from, to := f.Parent(d), v.b
	if f.Op(i).IsPhi() {
		k := n - len(f.Defs(i))
		if k+1 >= len(f.Uses(i)) {
			return
		}
		to = f.Use(i, k+1).Block()
	} else if from == to {
		if v.place[d] >= v.place[i] {
			v.errorf("%%%d is used before it is defined", r.Index())
		}
		return
	}
	tree := v.logical
	if file := f.File(r); v.linear != nil && file != FileV && file != FileA {
		tree = v.linear
	}
	if !tree.Dominates(uint32(from), uint32(to)) {
		v.errorf("the definition of %%%d does not dominate the use", r.Index())
	}
}

// pseudoShape holds the number of results and sources of each pseudo operation,
// -1 for any number.
var pseudoShape = [firstMachineOp][2]int{
	Phi: {1, -1}, LinearPhi: {1, -1}, Copy: {-1, -1}, Vector: {1, -1}, Undefined: {-1, 0}, LogicalEnd: {0, 0},
	Br: {0, 1}, BrSCC: {0, 3}, BrMask: {0, 3}, BrExecZ: {0, 2}, BrExecNZ: {0, 2}, BrVCCZ: {0, 3}, Return: {0, -1}, Exit: {0, -1}, End: {0, -1},
	Unreachable: {0, 0}, Call: {-1, -1}, Spill: {0, 2}, Reload: {1, 1}, Fence: {0, 0}, GlobalAddr: {2, 1}, IndexRead: {2, 3}, IndexWrite: {2, 4}, Asm: {-1, -1}, Trap: {0, -1},
}

// blockOperands holds the sources of each pseudo operation that are blocks, as
// a bit set.
var blockOperands = [firstMachineOp]uint8{Br: 1, BrSCC: 6, BrMask: 6, BrExecZ: 3, BrExecNZ: 3, BrVCCZ: 6}

func (v *verifier) pseudo(i Instr, op Op) {
	f := v.f
	defs, uses := f.Defs(i), f.Uses(i)
	shape := pseudoShape[op]
	if shape[0] >= 0 && len(defs) != shape[0] || shape[1] >= 0 && len(uses) != shape[1] {
		v.errorf("%v has %d results and %d sources", op, len(defs), len(uses))
		return
	}
	for n := range uses {
		if blockOperands[op]>>min(n, 7)&1 != 0 && uses[n].Kind != KindBlock {
			v.errorf("source %d is not a block", n)
		}
	}
	switch op {
	case Phi, LinearPhi:
		v.phi(op, uses)
	case Copy:
		v.copies(defs, uses)
	case Vector:
		v.vector(&defs[0], uses)
	}
	if v.stage == StageFinal && !laidOut[op] {
		v.errorf("pseudo operation %v remains in the final code", op)
	}
}

// phi checks that the phi has one value for each predecessor.
func (v *verifier) phi(op Op, uses []Operand) {
	f := v.f
	preds := f.Preds(v.b)
	if op == LinearPhi {
		preds = f.LinearPreds(v.b)
	}
	if len(uses) != 2*len(preds) {
		v.errorf("%d sources for %d predecessors", len(uses)/2, len(preds))
		return
	}
	for n := 1; n < len(uses); n += 2 {
		if uses[n].Kind != KindBlock || count(preds, uses[n].Block()) == 0 {
			v.errorf("source %d is not a predecessor", n)
		}
	}
}

func (v *verifier) copies(defs, uses []Operand) {
	if len(defs) != len(uses) {
		v.errorf("%d results, %d sources", len(defs), len(uses))
		return
	}
	for n := range defs {
		if uses[n].Kind == KindReg && v.f.OperandDwords(&defs[n]) != v.f.OperandDwords(&uses[n]) {
			v.errorf("source %d and its result differ in size", n)
		}
	}
}

// vector checks that the sources are as large as the result; a constant is one
// dword.
func (v *verifier) vector(def *Operand, uses []Operand) {
	n := 0
	for k := range uses {
		if uses[k].Kind == KindReg {
			n += v.f.OperandDwords(&uses[k])
		} else {
			n++
		}
	}
	if n != v.f.OperandDwords(def) {
		v.errorf("the parts have %d dwords, the result %d", n, v.f.OperandDwords(def))
	}
}

// machine checks a processor instruction.
func (v *verifier) machine(i Instr) {
	f := v.f
	x := f.Info(i)
	defs, uses := f.Defs(i), f.Uses(i)
	if len(x.Encs) == 0 {
		v.errorf("%v does not support the instruction", f.M.Set)
		return
	}
	slots := x.Slots
	if s := f.extraSlot(i); s != nil {
		v.slot(s, &uses[len(uses)-1], len(uses)-1)
		uses = uses[:len(uses)-1]
	}
	if len(defs) == x.Defs+1 && x.Return != isa.NoEnc {
		defs = defs[1:]
	}
	if len(defs) != x.Defs || !x.takesUses(len(uses)) {
		v.errorf("%d results and %d sources, want %d and %d", len(defs), len(uses), x.Defs, len(slots)-x.Defs)
		return
	}
	for n := range defs {
		v.slot(&slots[n], &defs[n], n)
	}
	for n := range uses {
		v.slot(f.SlotOf(i, len(f.Defs(i))+n), &uses[n], n)
	}
	v.constants(i, x)
}

// slot checks that an operand fits its slot.
func (v *verifier) slot(s *Slot, o *Operand, n int) {
	f := v.f
	switch {
	case o.Kind == KindNone && s.Optional:
	case s.Kind == SlotTarget:
		if o.Kind != KindBlock {
			v.errorf("operand %d is not a block", n)
		}
	case s.takesM0() && o.Kind == KindReg:
		if o.Reg() != M0 {
			v.errorf("operand %d must be m0 or a constant", n)
		}
	case s.Kind == SlotImm:
		if o.Kind != KindImm && o.Kind != KindFrame && o.Kind != KindSymbol {
			v.errorf("operand %d is not a constant", n)
		}
	case o.Kind == KindReg:
		v.register(s, o, n)
	case s.Kind == SlotSource && (s.Files&isa.FileC != 0 || s.Optional) && (o.Kind == KindImm || o.Kind == KindSymbol || o.Kind == KindFrame):
	default:
		v.errorf("operand %d is invalid for the instruction", n)
	}
	if s.Tied && v.stage >= StageAllocated && o.Reg() != f.Def(v.i, 0) {
		v.errorf("operand %d must be in the register of the result to which it is tied", n)
	}
}

func (v *verifier) register(s *Slot, o *Operand, n int) {
	f := v.f
	file := f.File(o.Reg())
	size := f.OperandDwords(o)
	if s.Kind == SlotFixed {
		fits := o.Reg() == s.Reg
		if o.IsVirtual() {
			fits = file == s.Reg.physFile()
		}
		if !fits || size != int(s.Dwords) {
			v.errorf("operand %d must be %s", n, appendPhys(nil, s.Reg, int(s.Dwords)))
		}
		return
	}
	if file.files()&s.Files == 0 {
		v.errorf("operand %d is in file %v", n, file)
	}
	if s.Field == isa.FieldVdata && f.Info(v.i).hasStatus(f.Mods(v.i)) {
		size--
	}
	if s.Dwords != 0 && size != int(s.Dwords) {
		v.errorf("operand %d has %d dwords, want %d", n, size, s.Dwords)
	}
}

// constants checks the number of scalar registers and literals that a vector
// instruction reads: one before gfx10; two from gfx10 on, at most one of them a
// literal. Before gfx10, VOP3 cannot encode a literal. The check assumes the
// short encoding if one exists. Source: AMD's ISA documents, "Constant bus
// limitations".
func (v *verifier) constants(i Instr, x *OpInfo) {
	f := v.f
	if x.Unit != UnitVALU && x.Unit != UnitMatrix {
		return
	}
	var regs [8]Reg
	n := 0
	literals := map[int64]bool{}
	for k, o := range f.Uses(i) {
		if x.Defs+k >= len(x.Slots) { // the old value
			break
		}
		s := &x.Slots[x.Defs+k]
		switch {
		case o.Reg() == M0 && f.Op(i) == VWritelaneB32: // does not count
		case o.Kind == KindReg && f.File(o.Reg()) == FileS && s.Kind != SlotFixed && s.Kind != SlotTarget:
			if r := o.Reg() + Reg(o.Sub)<<16; !containsReg(regs[:n], r) && n < len(regs) && o.Reg() != Null {
				regs[n] = r
				n++
			}
		case s.Kind == SlotSource && o.Kind == KindSymbol, s.Kind == SlotSource && o.Kind == KindImm && !IsInline(f.M.Set, s.Type, o.Imm):
			literals[o.Imm] = true
		}
	}
	limit := 1
	if f.M.Set.Has(isa.PropBus2) {
		limit = 2
	}
	if n+len(literals) > limit || len(literals) > 1 {
		v.errorf("%d scalar registers and %d literals exceed the limit of %d", n, len(literals), limit)
	}
	if len(literals) > 0 && x.Form >= isa.VOP3 && x.Short == isa.NoEnc && !f.M.Set.Has(isa.PropVop3Literal) {
		v.errorf("the instruction does not support literals")
	}
}

func containsReg(list []Reg, r Reg) bool {
	for _, x := range list {
		if x == r {
			return true
		}
	}
	return false
}
