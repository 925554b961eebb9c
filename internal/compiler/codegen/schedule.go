package codegen

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// scheduler orders the instructions of a function in SSA form. It moves loads
// up, together with the computation of their addresses, so that they are in
// flight while other instructions execute. The users of loaded values keep their
// places. Other instructions are reordered only if that helps. The schedule may
// use as many registers as preserve the occupancy of the original order; a region
// that would need more remains unchanged.
//
// A region is a part of a block without instructions that no other may cross:
// writes of EXEC, calls, barriers, and physical registers for arguments or
// results. List scheduling walks it from its start.
type scheduler struct {
	schedGraph
	live  liveness
	goal  regLimits // limit of live registers, in dwords
	need  regLimits // maximum number of live registers in the original order
	now   regLimits // live at the current position
	top   regLimits // their maximum in the current region
	set   []uint64  // live registers at the current position
	list  []int32   // nodes ready to issue, in original order
	order []int32   // issued nodes
	cycle int32
	smem  int32    // cycle in which all scalar loads so far are complete, since they return out of order
	unit  mir.Unit // of the last load
	masks int      // live lane masks defined in the region
	hoist regLimits

	shortStall int32 // cycles that an instruction which ends a lane mask may wait
}

// maxRegion is the maximum number of instructions in a region.
const maxRegion = 400

// maxChoices is the maximum number of candidates for the next instruction.
const maxChoices = 24

// scheduleFunction schedules a function. waves is the maximum number of waves
// on an execution unit, as limited by factors other than registers.
func (s *scheduler) scheduleFunction(f *mir.Func, limits *target.Limits, waves int) {
	s.f = f
	row := 0
	if f.M.Set.Has(isa.PropRdnaTiming) {
		row = 1
	}
	s.latency = &unitLatencies[row]
	s.waits = f.M.Set.Has(isa.PropSgprWait)
	s.shortStall = shortStall
	if s.waits {
		s.shortStall = 0
	}
	s.live.computeLiveness(f)
	s.vals = zeroed(s.vals, f.NumVirtual())
	s.read = zeroed(s.read, f.NumVirtual())
	s.stamp = 0
	s.set = zeroed(s.set, s.live.words)
	s.findGoal(limits, waves)
	for _, b := range f.Layout {
		s.block(b)
	}
}

// findGoal computes the number of registers that may be live without reducing
// the occupancy.
func (s *scheduler) findGoal(limits *target.Limits, waves int) {
	f := s.f
	var most regLimits
	for _, b := range f.Layout {
		s.begin(b)
		s.top = s.now
		for i := f.Last(b); i != 0; i = f.Prev(i) {
			s.back(i, false)
			for _, o := range f.Uses(i) {
				if o.IsVirtual() && f.File(o.Reg()) == mir.FileSCC {
					s.read[o.Reg().Index()] = true
				}
			}
		}
		for file := range most {
			most[file] = max(most[file], s.top[file])
		}
	}
	s.goal, s.need = most, most
	s.goal[mir.FileV] = max(most[mir.FileV], min(most[mir.FileV]*5/4, goalVGPRs, vectorGoal(limits, waves, most[mir.FileV])))
	s.goal[mir.FileS] = max(most[mir.FileS], min(goalSGPRs, scalarGoal(limits, waves)))
}

// goalVGPRs and goalSGPRs limit the registers that loaded values may fill in a
// function that needs fewer registers.
const goalVGPRs, goalSGPRs = 24, 64

// vectorGoal returns the maximum number of VGPRs with the same occupancy as
// have.
func vectorGoal(l *target.Limits, waves, have int) int {
	up := func(n int) int { return (n + l.VGPRGranule - 1) / l.VGPRGranule * l.VGPRGranule }
	waves = min(waves, l.WavesPerEU, l.VGPRs/max(up(have), l.VGPRGranule))
	if waves == 0 {
		return have
	}
	return min(l.VGPRs/waves/l.VGPRGranule*l.VGPRGranule, l.ArchVGPRs)
}

// scalarGoal returns the maximum number of SGPRs for a number of waves.
func scalarGoal(l *target.Limits, waves int) int {
	most := l.AddressableSGPRs
	if l.SGPRs != 0 {
		most = min(most, l.SGPRs/max(min(waves, l.WavesPerEU), 1)/l.SGPRGranule*l.SGPRGranule)
	}
	return most - 8 // VCC, and registers wasted by tuple alignment
}

// begin moves to the end of a block.
func (s *scheduler) begin(b mir.Block) {
	copy(s.set, s.live.blockSet(s.live.out, b))
	s.now = regLimits{}
	each(s.set, func(n int) {
		r := mir.Virtual(n)
		s.now[s.f.File(r)] += s.f.Dwords(r)
	})
}

// back moves from after an instruction to before it. In a region, it records
// the last uses of registers.
func (s *scheduler) back(i mir.Instr, region bool) {
	f := s.f
	f.Guard.Check()
	after := s.now
	for _, o := range f.Defs(i) {
		if !o.IsVirtual() {
			continue
		}
		r := o.Reg()
		if region {
			v := s.val(r)
			v.dies = v.dies || !hasBit(s.set, r.Index()) && !v.used
		}
		n := f.Dwords(r)
		if hasBit(s.set, r.Index()) {
			dropBit(s.set, r.Index())
			s.now[f.File(r)] -= n
		} else {
			after[f.File(r)] += n
		}
	}
	if !f.Op(i).IsPhi() {
		for _, o := range f.Uses(i) {
			if o.IsVirtual() && o.Flags&mir.Undef == 0 {
				s.backUse(o.Reg(), region)
			}
		}
	}
	for file := range s.top {
		s.top[file] = max(s.top[file], after[file], s.now[file])
	}
}

func (s *scheduler) backUse(r mir.Reg, region bool) {
	live := hasBit(s.set, r.Index())
	if region {
		v := s.val(r)
		v.dies = v.dies || !live
		v.used = true
	}
	if !live {
		addBit(s.set, r.Index())
		s.now[s.f.File(r)] += s.f.Dwords(r)
	}
}

// block schedules the regions of a block, from its end on.
func (s *scheduler) block(b mir.Block) {
	f := s.f
	s.begin(b)
	i := f.Last(b)
	for i != 0 && !f.Op(i).IsPhi() {
		if s.isBoundary(i) {
			s.back(i, false)
			i = f.Prev(i)
			continue
		}
		after := f.Next(i)
		s.startRegion()
		for i != 0 && len(s.nodes) < maxRegion && !f.Op(i).IsPhi() && !s.isBoundary(i) {
			s.back(i, true)
			s.nodes = append(s.nodes, schedNode{i: i, unit: f.Info(i).Unit})
			i = f.Prev(i)
		}
		if len(s.nodes) > 2 {
			s.region(after)
		}
	}
}

func (s *scheduler) startRegion() {
	s.stamp++
	s.nodes = s.nodes[:0]
	s.top = s.now
}

// isBoundary reports whether no other instruction may move across an
// instruction.
func (s *scheduler) isBoundary(i mir.Instr) bool {
	f := s.f
	switch f.Op(i) {
	case mir.Call, mir.Asm, mir.Fence, mir.LogicalEnd:
		return true
	}
	x := f.Info(i)
	if x.Flags&(mir.WritesExec|mir.Terminator) != 0 || x.Flags&mir.Effects != 0 && x.Flags&(mir.MayLoad|mir.MayStore) == 0 || f.Flags(i)&mir.WholeWave != 0 {
		return true
	}
	for _, o := range f.Operands(i) {
		if r := o.Reg(); r.IsPhys() && !isSpecial(r) {
			return true
		}
	}
	for _, o := range f.Defs(i) {
		if r := o.Reg(); r == mir.SCC || r == mir.Exec || r == mir.Exec+1 {
			return true
		}
	}
	return false
}

// isSpecial reports whether a physical register is not used for arguments: VCC,
// trap temporary registers, M0, EXEC and constants.
func isSpecial(r mir.Reg) bool {
	return r == mir.VCC || r == mir.VCC+1 || r >= mir.TTMP0 && r < mir.VGPR0 && r != mir.SCC
}

// region orders the nodes, which are in reverse order, and inserts them before
// an instruction.
func (s *scheduler) region(after mir.Instr) {
	for x, y := 0, len(s.nodes)-1; x < y; x, y = x+1, y-1 {
		s.nodes[x], s.nodes[y] = s.nodes[y], s.nodes[x]
	}
	start, was := s.now, s.top
	s.buildEdges()
	for file := range was {
		s.hoist[file] = max(was[file], s.goal[file]*7/8)
	}
	if s.issueAll() {
		s.now = start
		for file := range was {
			if s.top[file] > max(was[file], s.goal[file]) {
				return
			}
		}
		for _, n := range s.order {
			i := s.nodes[n].i
			s.f.Unlink(i)
			s.f.InsertBefore(i, after)
		}
	}
	s.now = start
}

// issueAll orders the nodes, and reports whether the order changed.
func (s *scheduler) issueAll() (changed bool) {
	s.list, s.order = s.list[:0], s.order[:0]
	s.cycle, s.smem, s.unit, s.masks = 0, 0, mir.UnitNone, 0
	s.top = s.now
	for n := range s.nodes {
		if s.nodes[n].preds == 0 {
			s.list = append(s.list, int32(n))
		}
	}
	for len(s.list) > 0 {
		at := s.choose()
		n := s.list[at]
		s.list = append(s.list[:at], s.list[at+1:]...)
		changed = changed || int(n) != len(s.order)
		s.issue(n)
	}
	if len(s.order) != len(s.nodes) {
		panic("BUG: codegen: cyclic dependencies in a scheduling region")
	}
	return changed
}

// choose returns the list position of the node to issue next.
func (s *scheduler) choose() int {
	if len(s.list) == 1 {
		return 0
	}
	best, least := 0, ^uint64(0)
	for k, n := range s.list[:min(len(s.list), maxChoices)] {
		if against := s.judge(&s.nodes[n]); against < least {
			best, least = k, against
		}
	}
	return best
}

// Costs of issuing a node next, the worst first. Among equal nodes, the first
// one in the original order is issued.
const (
	againstExcess   = 48 // number of registers above the goal afterwards
	againstEndsMask = 47 // ends no lane mask: while one is live, no other can be in VCC
	againstAddsMask = 46 // defines a lane mask while another one of the region is live
	againstFull     = 45 // not a load, and raises the live VGPRs above the original order's maximum
	againstStall    = 8  // cycles to wait
	againstClass    = 6  // 0 for a load, 1 for an instruction that a load needs, 2 for others
	againstFar      = 5  // a load by a different unit than the last one
	againstGrows    = 4  // not a load, and increases the number of live registers
)

// shortStall is the number of cycles that an instruction which ends a lane mask
// may wait.
const shortStall int32 = 8

// judge returns the cost of issuing a node.
func (s *scheduler) judge(node *schedNode) (against uint64) {
	room, grows := true, uint64(0)
	for file := mir.FileS; file <= mir.FileA; file++ {
		delta := int(node.delta[file])
		then := s.now[file] + delta
		if delta > 0 {
			grows = 1
			room = room && then <= s.hoist[file]
		}
		against += uint64(max(then-s.goal[file], 0)) << againstExcess
	}
	stall := max(s.ready(node)-s.cycle, 0)
	if node.flags&schedEndsMask == 0 || stall > s.shortStall {
		against |= 1 << againstEndsMask
	}
	if node.flags&schedMask != 0 && s.masks > 0 {
		against |= 1 << againstAddsMask
	}
	against |= uint64(stall) << againstStall
	if node.flags&schedLoad == 0 && node.delta[mir.FileV] > 0 && s.now[mir.FileV]+int(node.delta[mir.FileV]) > s.need[mir.FileV] {
		against |= 1 << againstFull
	}
	switch {
	case room && node.flags&schedLoad != 0:
		if node.unit != s.unit {
			against |= 1 << againstFar
		}
	case room && node.flags&schedLeads != 0:
		against |= 1<<againstClass | grows<<againstGrows
	default:
		against |= 2<<againstClass | grows<<againstGrows
	}
	return against
}

// ready returns the cycle in which the sources of a node are available. A node
// that waits for a scalar load waits for all outstanding ones.
func (s *scheduler) ready(node *schedNode) int32 {
	if node.flags&schedAfterSMEM != 0 && node.ready > s.cycle {
		return max(node.ready, s.smem)
	}
	return node.ready
}

// issue appends a node to the schedule.
func (s *scheduler) issue(n int32) {
	f := s.f
	node := &s.nodes[n]
	s.order = append(s.order, n)
	for _, o := range f.Uses(node.i) {
		if !o.IsVirtual() || o.Flags&mir.Undef != 0 {
			continue
		}
		s.release(n, o.Reg())
	}
	s.define(node)
	s.cycle = max(s.cycle, s.ready(node)) + 1
	if node.unit == mir.UnitSMEM && node.flags&schedLoad != 0 {
		s.smem = s.cycle - 1 + s.latency[mir.UnitSMEM]
	}
	if node.flags&schedLoad != 0 {
		s.unit = node.unit
	}
	for e := node.succ; e != 0; e = s.edges[e-1].next {
		edge := &s.edges[e-1]
		to := &s.nodes[edge.to]
		to.ready = max(to.ready, s.cycle-1+edge.latency)
		if edge.data && node.unit == mir.UnitSMEM {
			to.flags |= schedAfterSMEM
		}
		if to.preds--; to.preds == 0 {
			s.enlist(edge.to)
		}
	}
}

// release records that an issued node no longer needs a register.
func (s *scheduler) release(n int32, r mir.Reg) {
	v := &s.vals[r.Index()]
	if v.last == n+1 {
		return
	}
	v.last = n + 1
	v.left--
	v.sum ^= n
	switch file := s.f.File(r); {
	case v.left == 1:
		s.lastUser(v.sum, r, v)
	case v.left == 0 && v.dies:
		s.now[file] -= s.f.Dwords(r)
		if s.isMask(v, file) {
			s.masks--
		}
	}
}

// define counts the results of a node as live.
func (s *scheduler) define(node *schedNode) {
	f := s.f
	dead := regLimits{}
	for _, o := range f.Defs(node.i) {
		if o.IsVirtual() {
			file, n := f.File(o.Reg()), f.Dwords(o.Reg())
			s.now[file] += n
			if s.isDead(o.Reg()) {
				dead[file] += n
			} else if node.flags&schedMask != 0 && file == mir.FileS {
				s.masks++
			}
		}
	}
	for file := range s.top {
		s.top[file] = max(s.top[file], s.now[file])
		s.now[file] -= dead[file]
	}
}

// enlist inserts a node in the list, which is in original order.
func (s *scheduler) enlist(n int32) {
	s.list = append(s.list, n)
	for k := len(s.list) - 1; k > 0 && s.list[k-1] > n; k-- {
		s.list[k], s.list[k-1] = s.list[k-1], n
	}
}
