package codegen

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/hazard"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Hazards: this pass inserts wait states and other instructions between
// instructions that must not follow each other too closely. Package hazard
// defines the rules on encoded instructions.
//
// At the start of a block, each path to it is a separate history, as far back
// as hazards reach. Blocks later in the layout are examined before insertion,
// which is conservative: insertion only makes paths longer. Some hazards of
// gfx10.1 and gfx11 have unlimited reach; their state is computed by a
// data-flow analysis over all blocks beforehand.

// callStates is the number of wait states of a call or return instruction.
const callStates = 1

// maxPaths is the maximum number of separate histories at the start of a block.
const maxPaths = 16

// hazardInsertion resolves the hazards of functions.
type hazardInsertion struct {
	f         *mir.Func
	collector reguse.Collector
	in        isa.Inst
	reach     hazard.Reach
	kernel    bool

	entries []hazardEntry
	uses    []reguse.Use
	seq     []uint32   // entries in block order
	blocks  []blockSeq // by block
	paths   [maxPaths]hazard.Checker
	report  func(*hazard.Found)
	n       int      // number of histories in use
	onPath  []uint8  // by block
	path    []uint32 // entries of a path, backwards
	steps   int
	many    bool            // more than maxPaths paths
	states  []*hazard.State // by block in the layout: state at its end
	seen    []bool
	state   hazard.State
	missing int // wait states
	nops    int // v_nop
	vdst    int // limit of the field of an LDS-direct instruction
	cures   uint32
}

// hazardEntry holds the hazard-relevant properties of an instruction.
type hazardEntry struct {
	facts       hazard.Facts
	first, last uint32 // range of its registers in uses
	kind        entryKind
}

// entryKind describes the code that follows an instruction.
type entryKind uint8

const (
	entryPlain    entryKind = iota
	entryUnknown            // transfers control to unknown code
	entryAssembly           // inline assembly
	entryLeaves             // returns to unknown code
)

// blockSeq is the range of a block's entries in seq.
type blockSeq struct{ first, last uint32 }

// resolveHazards resolves the hazards of a function whose waits have been
// inserted.
func (p *hazardInsertion) resolveHazards(f *mir.Func, kernel bool) error {
	p.f, p.kernel = f, kernel
	p.entries, p.uses, p.seq = p.entries[:0], p.uses[:0], p.seq[:0]
	if cap(p.blocks) < f.NumBlocks() {
		p.blocks = make([]blockSeq, f.NumBlocks())
	}
	p.blocks = p.blocks[:f.NumBlocks()]
	p.onPath = zeroed(p.onPath, f.NumBlocks())
	var classes hazard.Classes
	unknown := !kernel
	for _, b := range f.Layout {
		first := uint32(len(p.seq))
		for i := f.First(b); i != 0; i = nextWhole(f, i) {
			n, err := p.entry(i)
			if err != nil {
				return err
			}
			p.seq = append(p.seq, n)
			classes.Add(&p.entries[n].facts)
			unknown = unknown || p.entries[n].isUnknown()
		}
		p.blocks[b] = blockSeq{first, uint32(len(p.seq))}
	}
	p.reach = hazard.ReachOf(f.M.Set, f.M.Wave, classes, unknown)
	if !p.reach.Any() {
		return nil
	}
	if p.report == nil {
		p.report = p.found
	}
	if p.reach.State {
		p.flow()
	}
	for _, b := range f.Layout {
		if err := p.block(b); err != nil {
			return err
		}
	}
	return nil
}

// branchOps maps pseudo operations to branch instructions.
var branchOps = [...]struct{ pseudo, op mir.Op }{{mir.Br, mir.SBranch}, {mir.BrSCC, mir.SCbranchScc1}, {mir.BrExecZ, mir.SCbranchExecz},
	{mir.BrExecNZ, mir.SCbranchExecnz}, {mir.BrVCCZ, mir.SCbranchVccz}, {mir.End, mir.SEndpgm}, {mir.Unreachable, mir.SEndpgm}}

// entry creates the entry of an instruction and returns its number.
func (p *hazardInsertion) entry(i mir.Instr) (uint32, error) {
	f := p.f
	e := hazardEntry{first: uint32(len(p.uses))}
	in := &p.in
	op := f.Op(i)
	branch := mir.OpNone
	for _, x := range branchOps {
		if x.pseudo == op {
			branch = x.op
		}
	}
	switch {
	case branch != mir.OpNone:
		*in = isa.New(f.M.Info(branch).Encs[0], f.M.Set, f.M.Wave)
	case op == mir.Call || op == mir.Asm || op == mir.Return || op.IsPseudo():
		*in = isa.New(f.M.Info(mir.SNop).Encs[0], f.M.Set, f.M.Wave)
	default:
		var err error
		if *in, err = encodeAny(f, i); err != nil {
			return 0, err
		}
	}
	p.uses = p.collector.Append(p.uses, in)
	e.last = uint32(len(p.uses))
	e.facts = hazard.FactsOf(in, p.uses[e.first:e.last])
	switch {
	case branch != mir.OpNone:
		e.facts.MayVanish()
	case op == mir.Asm:
		e.kind = entryAssembly
	case op == mir.Call || op == mir.SSwappcB64:
		e.kind = entryUnknown
	case op == mir.Return || op == mir.Exit || op == mir.SSetpcB64:
		e.kind = entryLeaves
	}
	p.entries = append(p.entries, e)
	return uint32(len(p.entries) - 1), nil
}

func (p *hazardInsertion) usesOf(e *hazardEntry) []reguse.Use { return p.uses[e.first:e.last] }

// isUnknown reports whether an entry is code of which nothing is known.
func (e *hazardEntry) isUnknown() bool { return e.kind == entryUnknown || e.kind == entryAssembly }

// afterUnknown updates the state after unknown code, and reports whether an entry
// is such code.
func (p *hazardInsertion) afterUnknown(e *hazardEntry) bool {
	if e.isUnknown() {
		p.state.TrackAll()
	}
	if e.kind == entryAssembly {
		p.state.TrackWrites()
	}
	return e.isUnknown()
}

// flow computes the states at the ends of blocks.
func (p *hazardInsertion) flow() {
	f := p.f
	if n := f.NumBlocks() - len(p.states); n > 0 {
		p.states = append(p.states, make([]*hazard.State, n)...)
	}
	p.seen = zeroed(p.seen, f.NumBlocks())
	c := p.history(0)
	for changed := true; changed; {
		changed = false
		for _, b := range f.Layout {
			p.enterState(b)
			s := p.blocks[b]
			for _, n := range p.seq[s.first:s.last] {
				e := &p.entries[n]
				p.state.Step(c, uint64(n)+1, &e.facts, p.usesOf(e))
				p.afterUnknown(e)
			}
			if !p.seen[b] {
				p.leaveState(b)
				p.seen[b], changed = true, true
			} else if p.states[b].Merge(&p.state) {
				changed = true
			}
		}
	}
	p.clear()
}

// clear forgets the reported hazards.
func (p *hazardInsertion) clear() { p.missing, p.nops, p.vdst, p.cures = 0, 0, noVdst, 0 }

// enterState computes the state at the start of a block.
func (p *hazardInsertion) enterState(b mir.Block) {
	p.state.Reset(p.f.M.Set, p.f.M.Wave)
	for _, q := range p.f.LinearPreds(b) {
		if p.seen[q] {
			p.state.Merge(p.states[q])
		}
	}
	if b == p.f.Layout[0] && !p.kernel {
		p.state.TrackAll()
	}
}

// leaveState records the state at the end of a block.
func (p *hazardInsertion) leaveState(b mir.Block) {
	if p.states[b] == nil {
		p.states[b] = new(hazard.State)
	}
	*p.states[b] = p.state
}

// found records a hazard of the current instruction.
func (p *hazardInsertion) found(x *hazard.Found) {
	switch x.Cure {
	case hazard.CureNops:
		p.missing = max(p.missing, x.Missing)
	case hazard.CureNop:
		p.nops = max(p.nops, x.Missing)
	case hazard.CureWaitVdst:
		p.vdst = min(p.vdst, x.Missing)
	default:
		p.cures |= 1 << x.Cure
	}
}

// block resolves the hazards of a block.
func (p *hazardInsertion) block(b mir.Block) error {
	f := p.f
	p.enterPaths(b)
	if p.reach.State {
		p.enterState(b)
	}
	k, first := p.blocks[b].first, uint32(len(p.seq))
	left := p.reach
	for i := f.First(b); i != 0; i = nextWhole(f, i) {
		n := p.seq[k]
		if err := p.instr(i, n); err != nil {
			return err
		}
		if k++; p.n > 1 && left.Covers(&p.entries[n].facts) {
			p.n = 1 // all paths are equivalent from here on
		}
	}
	p.blocks[b] = blockSeq{first, uint32(len(p.seq))}
	if p.reach.State {
		p.leaveState(b)
	}
	return nil
}

// instr resolves the hazards of an instruction.
func (p *hazardInsertion) instr(i mir.Instr, n uint32) error {
	e := &p.entries[n]
	p.clear()
	if p.many {
		p.separate()
	}
	for k := range p.paths[:p.n] {
		c := &p.paths[k]
		c.Check(uint64(n)+1, &e.facts, p.usesOf(e))
		if e.kind != entryPlain {
			p.missing = max(p.missing, c.Drain())
			c.Leave()
		}
	}
	if p.reach.State {
		if e.kind != entryPlain {
			p.state.Leave(&p.paths[0])
		}
		p.state.Step(&p.paths[0], uint64(n)+1, &e.facts, p.usesOf(e))
	}
	if f := p.f; f.Info(i).Form == isa.LDSDIR {
		if err := p.direct(i, n); err != nil {
			return err
		}
	}
	if p.missing > 0 || p.nops > 0 || p.cures != 0 {
		if err := p.cure(i); err != nil {
			return err
		}
	}
	p.enter(n)
	if p.afterUnknown(&p.entries[n]) {
		p.n = 1
		p.history(0).ResetUnknown(p.f.M.Set, p.f.M.Wave, callStates)
	}
	return nil
}

// noVdst is a field of LDS-direct instructions that waits for no result of a
// VALU instruction.
const noVdst = 15

// direct resolves the hazards that fields of an LDS-direct instruction resolve.
func (p *hazardInsertion) direct(i mir.Instr, n uint32) error {
	f := p.f
	for k := range f.Uses(i) {
		o := f.Use(i, k)
		switch f.SlotOf(i, len(f.Defs(i))+k).Field {
		case isa.FieldWaitvdst:
			o.Imm = min(o.Imm, int64(p.vdst))
		case isa.FieldWaitvsrc:
			if p.cures>>hazard.CureVmVsrc&1 != 0 {
				o.Imm = 0
				p.cures &^= 1 << hazard.CureVmVsrc
			}
		}
	}
	x, err := p.entry(i)
	p.entries[n] = p.entries[x]
	return err
}

// enter adds an instruction to the histories.
func (p *hazardInsertion) enter(n uint32) {
	e := &p.entries[n]
	for k := range p.paths[:p.n] {
		p.paths[k].Enter(uint64(n)+1, &e.facts, p.usesOf(e))
	}
	p.seq = append(p.seq, n)
}

// separate resolves all potential hazards between the following code and
// anything before it.
func (p *hazardInsertion) separate() {
	p.many, p.n = false, 1
	p.history(0)
	p.missing = p.reach.States
	switch {
	case p.reach.Beside:
		p.nops = p.reach.VALU
	case p.reach.VALU > 0:
		p.cures |= 1 << hazard.CureVaVdst
	}
	if p.reach.WMMA {
		p.nops = max(p.nops, 1)
	}
}

// depctr lists the operands of s_waitcnt_depctr that resolve hazards.
var depctr = [...]struct {
	cure hazard.Cure
	mask int64
}{{hazard.CureVmVsrc, 0xffe3}, {hazard.CureSaSdst, 0xfffe}, {hazard.CureVaSdst, 0xf1fd}, {hazard.CureVaVcc, 0xfffd}, {hazard.CureVaVdst, 0x0fff},
	{hazard.CureIdle, 0}}

// cure inserts the missing instructions before an instruction.
func (p *hazardInsertion) cure(i mir.Instr) error {
	f := p.f
	missing, nops, cures := p.missing, p.nops, p.cures
	mask := int64(0xffff)
	for _, d := range depctr {
		if cures>>d.cure&1 != 0 {
			mask &= d.mask
		}
	}
	if mask != 0xffff {
		if err := p.insertBefore(i, mir.SWaitAlu, 0, mir.Imm(mask)); err != nil {
			return err
		}
	}
	for c := hazard.CureVscnt; c <= hazard.CureVALU; c++ {
		if cures>>c&1 == 0 {
			continue
		}
		if err := p.other(i, c); err != nil {
			return err
		}
	}
	for range nops {
		if err := p.insertBefore(i, mir.VNop, 0); err != nil {
			return err
		}
	}
	most := 16
	if !f.M.Set.Has(isa.PropNop16) {
		most = 8
	}
	for ; missing > 0; missing -= most {
		if err := p.insertBefore(i, mir.SNop, 0, mir.Imm(int64(min(missing, most)-1))); err != nil {
			return err
		}
	}
	return nil
}

// other inserts an instruction that resolves a hazard on its own before another
// one.
func (p *hazardInsertion) other(i mir.Instr, c hazard.Cure) error {
	switch null := mir.Phys(mir.Null, 1); c {
	case hazard.CureVscnt:
		return p.insertBefore(i, mir.SWaitcntVscnt, 0, null, mir.Imm(0))
	case hazard.CureSALU:
		return p.insertBefore(i, mir.SMovB32, 1, null, mir.Imm(0))
	case hazard.CureVALU:
		v := firstVGPR(p.f, i)
		return p.insertBefore(i, mir.VMovB32, 1, v, v)
	}
	return nil
}

// firstVGPR returns the first vector register that an instruction reads, or v0.
func firstVGPR(f *mir.Func, i mir.Instr) mir.Operand {
	for _, o := range f.Uses(i) {
		if r := o.Reg(); r.IsPhys() && f.File(r) == mir.FileV {
			return mir.Phys(r, 1)
		}
	}
	return mir.Phys(mir.VGPR(0), 1)
}

func (p *hazardInsertion) insertBefore(at mir.Instr, op mir.Op, defs int, operands ...mir.Operand) error {
	i := p.f.NewInstr(op, defs, operands...)
	p.f.SetLoc(i, p.f.Loc(at))
	p.f.InsertBefore(i, at)
	fartherFromPC(p.f, at)
	n, err := p.entry(i)
	if err == nil {
		p.enter(n)
	}
	return err
}

// pcAdders lists the instructions that compute an address from the result of
// s_getpc_b64, in order.
var pcAdders = [...]mir.Op{mir.SSextI32I16, mir.SAddCoU32, mir.SAddCoCiU32}

// fartherFromPC corrects symbol distances relative to s_getpc_b64 after the
// insertion of a 4-byte instruction. The instruction at that point may be one
// of those that add the distance.
func fartherFromPC(f *mir.Func, at mir.Instr) {
	if !slices.Contains(pcAdders[:], f.Op(at)) {
		return
	}
	pc := f.Prev(at)
	for pc != 0 && (f.Op(pc) == mir.SWaitAlu || slices.Contains(pcAdders[:], f.Op(pc))) {
		pc = f.Prev(pc)
	}
	if pc == 0 || f.Op(pc) != mir.SGetpcB64 {
		return
	}
	for i := at; i != 0 && slices.Contains(pcAdders[:], f.Op(i)); i = f.Next(i) {
		for n := range f.Uses(i) {
			if o := f.Use(i, n); o.Kind == mir.KindSymbol && o.Half() >= mir.SymbolRel32Lo {
				o.Imm += 4
			}
		}
		if f.Op(i) == mir.SAddCoCiU32 {
			return
		}
	}
}

// enterPaths builds the histories at the start of a block.
func (p *hazardInsertion) enterPaths(b mir.Block) {
	p.n, p.many, p.steps = 0, false, 0
	p.path = p.path[:0]
	left := p.reach
	left.States++
	p.back(b, left)
	if p.many {
		p.n = 0
	}
}

// maxRounds is the maximum number of times that a path visits the same block.
const maxRounds = 2

// maxPathSteps is the maximum number of blocks examined to find the histories
// of one block.
const maxPathSteps = 64

// back follows paths from the start of a block to its predecessors, until
// hazards reach no further.
func (p *hazardInsertion) back(b mir.Block, left hazard.Reach) {
	if p.steps++; p.steps > maxPathSteps {
		p.many = true
	}
	preds := p.f.LinearPreds(b)
	if b == p.f.Layout[0] || len(preds) == 0 {
		p.endPath(b == p.f.Layout[0] && !p.kernel)
	}
	for _, q := range preds {
		if p.many {
			return
		}
		if p.onPath[q] == maxRounds { // without this round, the same instructions are nearer
			continue
		}
		p.onPath[q]++
		p.backThrough(q, left)
		p.onPath[q]--
	}
}

// backThrough follows a path backwards through a block.
func (p *hazardInsertion) backThrough(q mir.Block, left hazard.Reach) {
	was := len(p.path)
	s := p.blocks[q]
	for k := s.last; k > s.first; k-- {
		n := p.seq[k-1]
		e := &p.entries[n]
		if e.isUnknown() {
			p.endPath(true)
			p.path = p.path[:was]
			return
		}
		p.path = append(p.path, n)
		if left.Covers(&e.facts) || len(p.path) >= hazard.Window {
			p.endPath(false)
			p.path = p.path[:was]
			return
		}
	}
	p.back(q, left)
	p.path = p.path[:was]
}

// history returns an emptied history.
func (p *hazardInsertion) history(k int) *hazard.Checker {
	c := &p.paths[k]
	c.Report, c.AsLLVM = p.report, true
	c.Reset(p.f.M.Set, p.f.M.Wave)
	return c
}

// endPath creates a history from the path.
func (p *hazardInsertion) endPath(unknown bool) {
	if p.n == maxPaths {
		p.many = true
		return
	}
	c := p.history(p.n)
	p.n++
	if unknown {
		c.ResetUnknown(p.f.M.Set, p.f.M.Wave, callStates)
	}
	for k := len(p.path) - 1; k >= 0; k-- {
		n := p.path[k]
		e := &p.entries[n]
		c.Enter(uint64(n)+1, &e.facts, p.usesOf(e))
	}
}
