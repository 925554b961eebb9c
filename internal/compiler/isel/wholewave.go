package isel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
)

// Whole wave mode. The instructions that compute the operand of strict.wwm
// directly precede it (amdgpu-whole-wave of package prepare moves them there). They
// become a region, which activates all lanes at its start and restores EXEC at
// its end.
//
// Registers that are free in active lanes may hold values of inactive lanes.
// The vector registers of a region therefore belong to a pool that is used for
// nothing else. They are assigned here, and numbered from mir.WholeWavePool on
// until frame layout. Instructions in a region access no other vector
// registers: the operands of set.inactive are copied to the pool before the
// region, and the result is copied out of it after the region. So no
// instruction that spilling or register allocation inserts is ever inside a
// region. In machine code, all instructions of a region have the flag
// WholeWave.

// wholeWave is the state of whole wave mode in a function.
type wholeWave struct {
	first     ir.Value // first instruction of the current region, or None
	region    wholeRegion
	regions   []wholeRegion
	quads     []quadLoad
	input     ir.Value             // the call of init.exec.from.input, or None
	entry     mir.Reg              // lanes that were active when the function started, or NoReg
	kept      int                  // registers of whole-wave variables
	variables map[mir.Reg]mir.Reg  // registers of reads of variables, and the variables
	used      map[mir.Reg]ir.Value // registers defined in regions, and the calls that they belong to
}

// wholeRegion is a part of a block that runs with all lanes active.
type wholeRegion struct {
	v          ir.Value    // the call of strict.wwm
	saved      mir.Reg     // the previously active lanes
	inputs     []mir.Instr // copies to the pool before the region
	begin, end mir.Instr   // the instructions that change EXEC
	out        mir.Instr   // the copy of the result after the region, or 0

	pending []pendingInput
}

// pendingInput is a value to be copied to a register before the region.
type pendingInput struct {
	to   mir.Reg
	from ir.Value
}

// wholeWave selects strict.wwm and strict.wqm: the end of a region, and a copy
// of its result. Accesses to a whole-wave variable use its registers, the first
// ones of the pool.
func (s *Selector) wholeWave(v ir.Value, _ *intrinsicRow) {
	switch a := prepare.AccessOf(s.f, v); a.Kind {
	case prepare.WholeRead:
		s.readWhole(v, s.wholeVariable(v, a))
		return
	case prepare.ActiveWrite:
		s.moveWhole(s.wholeVariable(v, a), s.use(s.arg(v, 0)))
		if s.vals[v].wanted {
			s.readWhole(v, s.wholeVariable(v, a))
		}
		return
	case prepare.WholeWrite:
		s.writeWhole(v, s.wholeVariable(v, a))
		return
	}
	var end mir.Instr
	if s.whole.first == ir.None && analysis.CrossesLanes(s.f, s.arg(v, 0)) {
		if first := s.wholeFirst(v); first != ir.None {
			end = s.endWhole(v, first)
		}
	}
	x, dst := s.arg(v, 0), s.regOf(v)
	var from mir.Operand
	if s.out.File(dst) == mir.FileS {
		from = s.sgpr(x)
	} else {
		from = s.vgpr(x)
	}
	out := s.putInstr(mir.Copy, 1, mir.R(dst), from)
	if end != 0 {
		s.whole.region.end, s.whole.region.out = end, out
	}
}

// endWhole begins the selection of a region that ends at a call, and emits the
// region's end.
func (s *Selector) endWhole(v, first ir.Value) mir.Instr {
	s.whole.first, s.whole.region = first, wholeRegion{v: v, saved: s.newS(s.out.M.MaskDwords())}
	return s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, s.exec(), mir.R(s.whole.region.saved))
}

// wholeVariable returns the registers of a whole-wave variable.
func (s *Selector) wholeVariable(v ir.Value, a prepare.WholeAccess) mir.Operand {
	o := mir.Phys(mir.WholeWavePool+mir.Reg(a.At), s.dwords(s.f.TypeOf(v)))
	s.whole.kept = max(s.whole.kept, a.At+int(o.N))
	if s.whole.kept > mir.WholeWaveSize {
		s.unsupported(v, "%v with more registers than available", s.f.CalledIntrinsic(v))
		o = mir.Phys(mir.WholeWavePool, int(o.N))
	}
	return o
}

// readWhole copies the active lanes of a whole-wave variable to the register of
// a call. Regions use the variable itself.
func (s *Selector) readWhole(v ir.Value, from mir.Operand) mir.Instr {
	i := s.putInstr(mir.Copy, 1, mir.R(s.regOf(v)), from)
	s.out.SetFlags(i, s.out.Flags(i)|mir.WholeWave|mir.NoReorder)
	if s.whole.variables == nil {
		s.whole.variables = map[mir.Reg]mir.Reg{}
	}
	s.whole.variables[s.regOf(v)] = from.Reg()
	return i
}

// moveWhole moves a value to a whole-wave variable.
func (s *Selector) moveWhole(to, from mir.Operand) {
	for k := range int(to.N) {
		i := s.putInstr(mir.VMovB32, 1, mir.Phys(to.Reg()+mir.Reg(k), 1), s.half(from, k))
		s.out.SetFlags(i, s.out.Flags(i)|mir.WholeWave|mir.NoReorder)
	}
}

// writeWhole selects a region that ends by writing a whole-wave variable.
func (s *Selector) writeWhole(v ir.Value, to mir.Operand) {
	if s.whole.first != ir.None {
		s.unsupported(v, "nested writes of whole-wave variables")
		return
	}
	first := s.wholeFirst(v)
	if first == ir.None {
		first = v
	}
	s.moveWhole(to, s.use(s.arg(v, 0)))
	s.whole.region.end = s.endWhole(v, first)
	if s.vals[v].wanted {
		s.readWhole(v, to)
	}
}

// entryLanes returns the lanes that the function activates at its start (package
// prepare, EntryLanes), or an empty string.
func (s *Selector) entryLanes() string {
	lanes, _ := s.m.StringAttr(s.m.AttrsAt(s.f.Attributes, ir.AttrFunction), prepare.EntryLanes)
	return lanes
}

// entryMask returns the register with the lanes that were active when the
// function started.
func (s *Selector) entryMask() mir.Reg {
	if s.whole.entry == mir.NoReg {
		s.whole.entry = s.out.NewMask()
	}
	return s.whole.entry
}

// activateEntry activates lanes at the start of the function.
func (s *Selector) activateEntry() {
	lanes := s.entryLanes()
	if lanes == "" {
		return
	}
	s.anchor = s.out.First(s.block)
	mask := mir.R(s.entryMask())
	if lanes == prepare.EntryAll {
		s.markEntry(s.putInstr(s.byWave(mir.SOrSaveexecB32, mir.SOrSaveexecB64), 2, mask, mir.R(s.newSCC()), mir.Imm(-1)))
		return
	}
	s.markEntry(s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, mask, s.exec()))
	if text, ok := strings.CutPrefix(lanes, prepare.EntryMask); ok {
		bits, _ := strconv.ParseUint(text, 10, 64)
		for k := range s.out.M.MaskDwords() {
			s.markEntry(s.putInstr(mir.SMovB32, 1, mir.Phys(mir.Exec+mir.Reg(k), 1), mir.Imm(int64(int32(bits>>(32*k))))))
		}
		return
	}
	if lanes == prepare.EntryInput {
		s.activateInput()
		return
	}
	s.markEntry(s.putInstr(s.byWave(mir.SWqmB32, mir.SWqmB64), 2, s.exec(), mir.R(s.newSCC()), s.exec()))
}

// initExecFromInput notes the call at the start of the function.
func (s *Selector) initExecFromInput(v ir.Value, _ *intrinsicRow) { s.whole.input = v }

// activateInput activates the first lanes at the start of the function. Their
// number is in 7 bits of an argument in a scalar register.
func (s *Selector) activateInput() {
	v := s.whole.input
	if v == ir.None {
		return
	}
	from := mir.NoReg
	for _, p := range s.argParts() {
		if s.f.Arg(p.Arg) == s.arg(v, 0) {
			from = p.Reg
		}
	}
	if from == mir.NoReg || s.out.File(from) != mir.FileS {
		s.unsupported(v, "%v of an argument that is not in a scalar register", s.f.CalledIntrinsic(v))
		return
	}
	at, _ := s.m.IntValue(s.arg(v, 1))
	count, scc := mir.R(s.newS(1)), mir.R(s.newSCC())
	s.markEntry(s.putInstr(mir.SBfeU32, 2, count, mir.R(s.newSCC()), mir.Phys(from, 1), mir.Imm(int64(at)|7<<16)))
	s.markEntry(s.putInstr(s.byWave(mir.SBfmB32, mir.SBfmB64), 1, s.exec(), count, mir.Imm(0)))
	s.markEntry(s.putInstr(mir.SCmpEqU32, 1, scc, count, mir.Imm(int64(s.out.M.Wave))))
	s.markEntry(s.putInstr(s.byWave(mir.SCselectB32, mir.SCselectB64), 1, s.exec(), mir.Imm(-1), s.exec(), scc))
}

// argParts returns the locations of the function's arguments.
func (s *Selector) argParts() []abi.Part {
	if s.sig == nil {
		return nil
	}
	return s.sig.Args
}

// deactivateEntry restores the lanes of the caller before a return.
func (s *Selector) deactivateEntry() {
	if s.entryLanes() != "" {
		s.markEntry(s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, s.exec(), mir.R(s.entryMask())))
	}
}

// markEntry marks an instruction that changes the lanes of the whole function.
// The frame recognizes it by its flags, and saves
// registers for such a function.
func (s *Selector) markEntry(i mir.Instr) {
	s.out.SetFlags(i, s.out.Flags(i)|mir.FrameSetup|mir.WholeWave|mir.NoReorder)
}

// wholeFirst returns the first of the instructions before a call that only the
// call uses, directly or indirectly, or None.
func (s *Selector) wholeFirst(v ir.Value) ir.Value {
	f := s.f
	members := map[ir.Value]bool{v: true}
	first := ir.None
	for u := f.Prev(v); u != ir.None && s.onlyWhole(u, members); u = f.Prev(u) {
		members[u], first = true, u
	}
	return first
}

const outsideValue = "a value computed outside whole wave mode or in another block"

// onlyWhole reports whether an instruction has no side effects, and only
// members of a region use its value. The active lanes' operand of set.inactive
// is computed outside.
func (s *Selector) onlyWhole(u ir.Value, members map[ir.Value]bool) bool {
	f := s.f
	if f.Op(u) == ir.OpPhi || f.Op(u) == ir.OpAlloca || f.TypeOf(u) == ir.Void || s.hasEffects(u) || !f.HasUses(u) {
		return false
	}
	for use := f.FirstUse(u); use != 0; use = f.NextUse(use) {
		user := f.User(use)
		if !members[user] || f.CalledIntrinsic(user) == ir.IntrAMDGCNSetInactive && use == f.UseOf(user, 0) {
			return false
		}
	}
	return true
}

// setInactive selects set.inactive. Outside whole wave mode, only the active
// lanes matter.
func (s *Selector) setInactive(v ir.Value, r *intrinsicRow) {
	dst := s.regOf(v)
	switch {
	case s.isBool(s.f.TypeOf(v)):
		s.unsupported(v, "%v of i1", r.id)
		return
	case s.whole.first == ir.None:
		s.putInstr(mir.Copy, 1, mir.R(dst), s.vgpr(s.arg(v, 0)))
		return
	}
	n := s.out.Dwords(dst)
	on := s.newV(n)
	s.whole.region.pending = append(s.whole.region.pending, pendingInput{on, s.arg(v, 0)})
	off := s.use(s.arg(v, 1))
	saved := mir.R(s.whole.region.saved)
	if n == 1 {
		s.valu(mir.VCndmaskB32, mir.R(dst), low(off), mir.R(on), saved)
		return
	}
	parts := []mir.Operand{mir.R(dst)}
	if off.Kind != mir.KindReg && n > 2 {
		off = s.vgpr(s.arg(v, 1))
	}
	for k := range n {
		d := mir.R(s.newV(1))
		s.valu(mir.VCndmaskB32, d, s.half(off, k), mir.Part(on, k, 1), saved)
		parts = append(parts, d)
	}
	s.putInstr(mir.Vector, 1, parts...)
}

// beginWhole emits the start of the current region.
func (s *Selector) beginWhole() {
	r := s.whole.region
	for _, in := range r.pending {
		r.inputs = append(r.inputs, s.putInstr(mir.Copy, 1, mir.R(in.to), s.vgpr(in.from)))
	}
	r.begin = s.activate(r.v, r.saved)
	s.whole.regions = append(s.whole.regions, r)
	s.whole.first = ir.None
}

// activate emits the instructions that save EXEC and activate all lanes (for
// strict.wqm the lanes of active quads), and returns the last one.
func (s *Selector) activate(v ir.Value, saved mir.Reg) mir.Instr {
	if s.f.CalledIntrinsic(v) != ir.IntrAMDGCNStrictWqm {
		return s.putInstr(s.byWave(mir.SOrSaveexecB32, mir.SOrSaveexecB64), 2, mir.R(saved), mir.R(s.newSCC()), mir.Imm(-1))
	}
	i := s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, mir.R(saved), s.exec())
	s.out.SetFlags(i, s.out.Flags(i)|mir.WholeWave|mir.NoReorder)
	return s.putInstr(s.byWave(mir.SWqmB32, mir.SWqmB64), 2, s.exec(), mir.R(s.newSCC()), s.exec())
}

// placeWhole assigns pool registers to the vector registers of all regions.
func (s *Selector) placeWhole() {
	if len(s.whole.regions) == 0 || s.err != nil {
		return
	}
	s.whole.used = map[mir.Reg]ir.Value{}
	f := s.out
	for k := range s.whole.regions {
		p := newPoolPlaces(s, &s.whole.regions[k])
		p.placePools()
	}
	for b := mir.Block(1); int(b) < f.NumBlocks(); b++ {
		for i := f.First(b); i != 0 && s.err == nil; i = f.Next(i) {
			for _, o := range f.Uses(i) {
				if v, ok := s.whole.used[o.Reg()]; ok && o.IsVirtual() {
					s.unsupported(v, "a value of whole wave mode used outside its region")
				}
			}
		}
	}
}

// poolPlaces assigns pool registers to the vector registers of one region, in
// one pass that releases a place after its last use.
type poolPlaces struct {
	s      *Selector
	f      *mir.Func
	r      *wholeRegion
	last   map[mir.Reg]mir.Instr // last use of each register
	places map[mir.Reg]mir.Reg
	masks  map[mir.Reg]bool // masks defined in the region
	busy   [mir.WholeWaveSize]bool
}

func newPoolPlaces(s *Selector, r *wholeRegion) *poolPlaces {
	p := &poolPlaces{s: s, f: s.out, r: r, last: map[mir.Reg]mir.Instr{}, places: map[mir.Reg]mir.Reg{},
		masks: map[mir.Reg]bool{}}
	for _, i := range r.list(p.f) {
		for _, o := range p.f.Uses(i) {
			p.last[o.Reg()] = i
		}
	}
	if r.out != 0 {
		for _, o := range p.f.Uses(r.out) {
			p.last[o.Reg()] = r.out
		}
	}
	for k := range min(s.whole.kept, len(p.busy)) {
		p.busy[k] = true
	}
	return p
}

// list returns the instructions between those that change EXEC.
func (r *wholeRegion) list(f *mir.Func) (list []mir.Instr) {
	for i := f.Next(r.begin); i != r.end; i = f.Next(i) {
		list = append(list, i)
	}
	return list
}

func (p *poolPlaces) isVector(o *mir.Operand) bool {
	return o.Kind == mir.KindReg && o.IsVirtual() && p.f.File(o.Reg()) == mir.FileV
}

func (p *poolPlaces) unsupported(what string) {
	p.s.unsupported(p.r.v, "%v with %s", p.s.f.CalledIntrinsic(p.r.v), what)
}

func (p *poolPlaces) placePools() {
	f := p.f
	for _, i := range p.r.inputs {
		p.define(&f.Defs(i)[0])
		p.mark(i)
	}
	p.mark(p.r.begin)
	for _, i := range p.r.list(f) {
		if p.s.err != nil {
			return
		}
		p.instr(i)
	}
	p.mark(p.r.end)
	if p.r.out == 0 {
		return
	}
	if o := f.Use(p.r.out, 0); p.isVector(o) && p.places[o.Reg()] != mir.NoReg {
		*o = p.physical(o)
	}
	p.mark(p.r.out)
}

func (p *poolPlaces) mark(i mir.Instr) {
	p.f.SetFlags(i, p.f.Flags(i)|mir.WholeWave|mir.NoReorder)
}

// instr assigns places to the operands of an instruction.
func (p *poolPlaces) instr(i mir.Instr) {
	f := p.f
	for _, o := range f.Operands(i) {
		if o.Kind == mir.KindReg && f.File(o.Reg()) == mir.FileA {
			p.unsupported("accumulation registers")
			return
		}
	}
	for _, o := range f.Defs(i) {
		p.masks[o.Reg()] = true
	}
	var died []mir.Operand
	for n := range f.Uses(i) {
		o := f.Use(i, n)
		if o.Kind == mir.KindReg && f.IsMask(o.Reg()) && !p.masks[o.Reg()] {
			p.unsupported(outsideValue)
			return
		}
		if !p.isVector(o) {
			continue
		}
		if at, ok := p.s.whole.variables[o.Reg()]; ok {
			p.places[o.Reg()] = at
			continue
		}
		if p.places[o.Reg()] == mir.NoReg {
			p.unsupported(outsideValue)
			return
		}
		if p.last[o.Reg()] == i && !slices.ContainsFunc(died, func(x mir.Operand) bool { return x.Reg() == o.Reg() }) {
			died = append(died, *o)
		}
	}
	shared := p.defs(i, died)
	for n := range f.Uses(i) {
		if o := f.Use(i, n); p.isVector(o) {
			*o = p.physical(o)
		}
	}
	for _, o := range died {
		if o.Reg() != shared {
			p.free(o.Reg())
		}
	}
	p.mark(i)
	p.expand(i)
}

// defs assigns places to the results of an instruction. A result that is tied
// to a source shares the source's place if this is the source's last use. In
// this case, defs returns the source's register.
func (p *poolPlaces) defs(i mir.Instr, died []mir.Operand) (shared mir.Reg) {
	f := p.f
	tied := -1
	for n := range f.Uses(i) {
		if x := f.SlotOf(i, len(f.Defs(i))+n); !f.Op(i).IsPseudo() && x != nil && x.Tied && p.isVector(f.Use(i, n)) {
			tied = n
		}
	}
	for n := range f.Defs(i) {
		o := &f.Defs(i)[n]
		if !p.isVector(o) {
			continue
		}
		unused := p.last[o.Reg()] == 0
		r := o.Reg()
		if n == 0 && tied >= 0 {
			src := f.Use(i, tied)
			dies := slices.ContainsFunc(died, func(x mir.Operand) bool { return x.Reg() == src.Reg() })
			if dies && src.Sub == 0 && f.OperandDwords(src) == f.Dwords(src.Reg()) && f.Dwords(src.Reg()) == f.Dwords(r) && !p.readsElsewhere(i, tied) {
				shared = src.Reg()
				p.assign(o, p.places[shared])
				if unused {
					p.free(r)
				}
				continue
			}
		}
		p.define(o)
		if n == 0 && tied >= 0 { // the result has its own place, to which the source is moved
			src := p.physical(f.Use(i, tied))
			if src.Flags&mir.Undef == 0 {
				p.moves(i, o.Reg(), &src)
			}
			to := mir.Phys(o.Reg(), f.OperandDwords(&src))
			to.Flags = src.Flags
			*f.Use(i, tied) = to
		}
		if unused {
			p.free(r)
		}
	}
	return shared
}

// readsElsewhere reports whether the register of a source is also another
// source.
func (p *poolPlaces) readsElsewhere(i mir.Instr, tied int) bool {
	uses := p.f.Uses(i)
	for n := range uses {
		if n != tied && uses[n].Reg() == uses[tied].Reg() {
			return true
		}
	}
	return false
}

// define assigns a place to a result, and updates the operand.
func (p *poolPlaces) define(o *mir.Operand) {
	r := o.Reg()
	n := p.f.Dwords(r)
	step := min(n, 2) // some processors require even tuple numbers
	for at := 0; at+n <= len(p.busy); at += step {
		if !slices.Contains(p.busy[at:at+n], true) {
			for k := range n {
				p.busy[at+k] = true
			}
			p.assign(o, mir.WholeWavePool+mir.Reg(at))
			return
		}
	}
	p.unsupported("more registers than available")
}

// assign sets the place of a result to at, and updates the operand.
func (p *poolPlaces) assign(o *mir.Operand, at mir.Reg) {
	r := o.Reg()
	p.places[r] = at
	p.s.whole.used[r] = p.r.v
	x := mir.Phys(at, p.f.Dwords(r))
	x.Flags = o.Flags
	*o = x
}

func (p *poolPlaces) free(r mir.Reg) {
	for k := range p.f.Dwords(r) {
		p.busy[int(p.places[r]-mir.WholeWavePool)+k] = false
	}
}

// physical returns the place of a source.
func (p *poolPlaces) physical(o *mir.Operand) mir.Operand {
	n := p.f.OperandDwords(o)
	x := mir.Phys(p.places[o.Reg()]+mir.Reg(o.Sub), n)
	x.Flags = o.Flags
	return x
}

// expand lowers copies and tuples of parts to moves.
func (p *poolPlaces) expand(i mir.Instr) {
	f := p.f
	if !f.Op(i).IsPseudo() {
		return
	}
	isPool := func(o mir.Operand) bool {
		return o.Kind == mir.KindReg && !o.IsVirtual() && f.File(o.Reg()) == mir.FileV
	}
	if !slices.ContainsFunc(f.Operands(i), isPool) {
		return
	}
	defs, uses := f.Defs(i), f.Uses(i)
	switch op := f.Op(i); {
	case op == mir.Undefined:
	case op == mir.Copy && len(defs) == 1 && isPool(defs[0]):
		p.moves(i, defs[0].Reg(), &uses[0])
	case op == mir.Vector && isPool(defs[0]):
		at := defs[0].Reg()
		for n := range uses {
			u := uses[n]
			p.moves(i, at, &u)
			k := 1
			if u.Kind == mir.KindReg {
				k = f.OperandDwords(&u)
			}
			at += mir.Reg(k)
		}
	default:
		p.unsupported("an operation that is not a single instruction: " + op.String())
		return
	}
	f.Erase(i)
}

// moves inserts moves of a source's dwords before an instruction.
func (p *poolPlaces) moves(i mir.Instr, to mir.Reg, from *mir.Operand) {
	f := p.f
	if from.Flags&mir.Undef != 0 {
		return
	}
	n := 1
	if from.Kind == mir.KindReg {
		n = f.OperandDwords(from)
	}
	for k := range n {
		m := f.NewInstr(mir.VMovB32, 1, mir.Phys(to+mir.Reg(k), 1), p.s.half(*from, k))
		f.SetLoc(m, f.Loc(i))
		f.InsertBefore(m, i)
		p.mark(m)
	}
}
