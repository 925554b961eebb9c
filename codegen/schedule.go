package codegen

import (
	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// scheduler orders the instructions of a function in SSA form: loads go up, together with what their addresses need, so that
// they are under way while other things are done, and what waits for them stays behind. All else keeps its order as long as
// nothing is gained by another one. It may use as many registers as leave the number of waves what it was with the order
// that there was; a region for which it needs more stays as it is.
//
// A region is a part of a block that has nothing that all others keep to: writes of EXEC, calls, barriers, physical
// registers that are arguments or results. Lists of instructions whose predecessors are issued are walked from its start.
type scheduler struct {
	schedGraph
	live  liveness
	goal  regLimits // live registers, in dwords
	need  regLimits // how many are live at most in the order that there was
	now   regLimits // live at the place at hand
	top   regLimits // most of them in the region at hand
	set   []uint64  // what is live at the place at hand
	list  []int32   // the nodes that can be issued, in order
	order []int32   // that are issued
	cycle int32
	smem  int32    // when all scalar loads so far are there: they come in any order, so that what waits for one waits for all
	unit  mir.Unit // of the last load
	masks int      // lane masks that are made in the region and alive
	hoist regLimits
}

// maxRegion is the most instructions of a region.
const maxRegion = 400

// maxChoices is how many instructions are compared to choose the next one.
const maxChoices = 24

// run schedules a function. waves is the most waves that an execution unit can have for other reasons than registers.
func (s *scheduler) run(f *mir.Func, limits *target.Limits, waves int) {
	s.f = f
	row := 0
	if f.M.Set.Gen() >= isa.Gen10 {
		row = 1
	}
	s.latency = &unitLatencies[row]
	s.live.run(f)
	s.vals = zeroed(s.vals, f.NumVirtual())
	s.read = zeroed(s.read, f.NumVirtual())
	s.stamp = 0
	s.set = zeroed(s.set, s.live.words)
	s.findGoal(limits, waves)
	for _, b := range f.Layout {
		s.block(b)
	}
}

// findGoal finds how many registers may be live: as many as leave the number of waves what it is.
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

// No more registers than these are filled with what loads give when a function could do with fewer.
const goalVGPRs, goalSGPRs = 24, 64

// vectorGoal gives the most vector registers with which there are as many waves as with a number of them.
func vectorGoal(l *target.Limits, waves, have int) int {
	up := func(n int) int { return (n + l.VGPRGranule - 1) / l.VGPRGranule * l.VGPRGranule }
	waves = min(waves, l.WavesPerEU, l.VGPRs/max(up(have), l.VGPRGranule))
	if waves == 0 {
		return have
	}
	return min(l.VGPRs/waves/l.VGPRGranule*l.VGPRGranule, l.ArchVGPRs)
}

// scalarGoal gives the most scalar registers for a number of waves.
func scalarGoal(l *target.Limits, waves int) int {
	most := l.AddressableSGPRs
	if l.SGPRs != 0 {
		most = min(most, l.SGPRs/max(min(waves, l.WavesPerEU), 1)/l.SGPRGranule*l.SGPRGranule)
	}
	return most - 8 // VCC, and what tuples leave free
}

// begin goes to the end of a block.
func (s *scheduler) begin(b mir.Block) {
	copy(s.set, s.live.set(s.live.out, b))
	s.now = regLimits{}
	each(s.set, func(n int) {
		r := mir.Virtual(n)
		s.now[s.f.File(r)] += s.f.Dwords(r)
	})
}

// back goes from behind an instruction to before it. In a region it notes what registers it uses last.
func (s *scheduler) back(i mir.Instr, region bool) {
	f := s.f
	f.Guard.Check()
	behind := s.now
	for _, o := range f.Defs(i) {
		if !o.IsVirtual() {
			continue
		}
		r := o.Reg()
		if region {
			v := s.val(r)
			v.dies = v.dies || !has(s.set, r.Index()) && !v.used
		}
		n := f.Dwords(r)
		if has(s.set, r.Index()) {
			drop(s.set, r.Index())
			s.now[f.File(r)] -= n
		} else {
			behind[f.File(r)] += n
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
		s.top[file] = max(s.top[file], behind[file], s.now[file])
	}
}

func (s *scheduler) backUse(r mir.Reg, region bool) {
	live := has(s.set, r.Index())
	if region {
		v := s.val(r)
		v.dies = v.dies || !live
		v.used = true
	}
	if !live {
		add(s.set, r.Index())
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
		behind := f.Next(i)
		s.startRegion()
		for i != 0 && len(s.nodes) < maxRegion && !f.Op(i).IsPhi() && !s.isBoundary(i) {
			s.back(i, true)
			s.nodes = append(s.nodes, schedNode{i: i, unit: f.Info(i).Unit})
			i = f.Prev(i)
		}
		if len(s.nodes) > 2 {
			s.region(behind)
		}
	}
}

func (s *scheduler) startRegion() {
	s.stamp++
	s.nodes = s.nodes[:0]
	s.top = s.now
}

// isBoundary reports whether all other instructions stay on their sides of an instruction.
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

// isSpecial reports whether a physical register is no argument: VCC, M0, EXEC and constants.
func isSpecial(r mir.Reg) bool {
	return r == mir.VCC || r == mir.VCC+1 || r >= mir.M0 && r < mir.VGPR0 && r != mir.SCC
}

// region orders the nodes, which are there in reverse order, before an instruction.
func (s *scheduler) region(behind mir.Instr) {
	for x, y := 0, len(s.nodes)-1; x < y; x, y = x+1, y-1 {
		s.nodes[x], s.nodes[y] = s.nodes[y], s.nodes[x]
	}
	start, was := s.now, s.top
	s.build()
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
			s.f.InsertBefore(i, behind)
		}
	}
	s.now = start
}

// issueAll orders the nodes, and reports whether that changes anything.
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
		panic("BUG: schedule: instructions wait for each other")
	}
	return changed
}

// choose gives the place in the list of the node to issue next.
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

// What speaks against a node that could be issued next, the worst first. Of nodes that are equal the first one is taken in the order that there was.
const (
	againstExcess   = 48 // how many registers are above the goal then
	againstEndsMask = 47 // it frees no lane mask: while one is alive another one cannot be in VCC
	againstAddsMask = 46 // it makes a lane mask while one of the region is alive
	againstFull     = 45 // it is no load, and more vector registers are live behind it than there were
	againstStall    = 8  // cycles for which it waits
	againstClass    = 6  // 0 for a load, 1 for what a load needs, 2 for others
	againstFar      = 5  // it is a load by another unit than the last one
	againstGrows    = 4  // it is neither, and more registers are live behind it
)

// shortStall is what an instruction may wait for when it frees a lane mask.
const shortStall = 8

// judge gives what speaks against a node.
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
	if node.flags&schedEndsMask == 0 || stall > shortStall {
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

// ready gives when the sources of a node are there. What has to wait for a scalar load waits for all that are under way.
func (s *scheduler) ready(node *schedNode) int32 {
	if node.flags&schedAfterSMEM != 0 && node.ready > s.cycle {
		return max(node.ready, s.smem)
	}
	return node.ready
}

// issue takes a node as the next one.
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

// release notes that a node, which is issued, does not need a register any more.
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

// define counts the results of a node.
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

// enlist puts a node into the list, which is in the order that there was.
func (s *scheduler) enlist(n int32) {
	s.list = append(s.list, n)
	for k := len(s.list) - 1; k > 0 && s.list[k-1] > n; k-- {
		s.list[k], s.list[k-1] = s.list[k-1], n
	}
}
