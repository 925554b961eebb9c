package sim

import (
	"sync"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa/hazard"
	"github.com/gfx-toolchain/gfx/isa/reguse"
)

// Checks is a set of checks that run beside a kernel.
type Checks uint8

const (
	CheckWait Checks = 1 << iota
	CheckHazard
	CheckRace
	CheckMemory
	CheckInit
	CheckBarrier
	CheckAll Checks = 1<<iota - 1
)

// Finding is what a check found. What happens again at the same place for the same reason is
// counted, and told once.
type Finding struct {
	Check   Checks // one bit
	Message string
	PC      uint64
	Where   string // symbol+offset
	Text    string // the instruction
	Source  string // file:line, if there is debug information
	Group   [3]uint32
	Wave    int
	Lane    int // -1: not of one lane
	Addr    uint64
	Other   string // the other access, if there is one
	Count   uint64 // how often
}

// waveChecker is a check that follows one wave. Its functions run on the wave's goroutine.
type waveChecker interface {
	start(w *wave)                            // a wave begins, its first registers are set
	before(w *wave, o *op, uses []reguse.Use) // an instruction is about to run, at w.at
	after(w *wave, o *op, uses []reguse.Use)  // it has run, or faulted
	end(w *wave)                              // the wave has ended
}

// waveCheckers makes the checks that follow waves, by their bit.
var waveCheckers = [...]struct {
	check Checks
	make  func(w *wave) waveChecker
}{
	{CheckWait, newWaitCheck}, {CheckHazard, newHazardCheck}, {CheckRace, newRaceCheck}, {CheckMemory, newMemoryCheck},
	{CheckInit, newInitCheck}, {CheckBarrier, newBarrierCheck},
}

// waveCheck is what checks keep of a wave.
type waveCheck struct {
	list []waveChecker
	accessState
}

// launchCheck is what checks keep of a dispatch.
type launchCheck struct {
	findings findings
	raceOnce sync.Once
	race     *raceLaunch
}

func newWaveCheck(w *wave) *waveCheck {
	on := w.dev.opts.Checks
	if on == 0 {
		return nil
	}
	c := &waveCheck{}
	for i := range waveCheckers {
		if on&waveCheckers[i].check != 0 {
			x := waveCheckers[i].make(w)
			c.list = append(c.list, x)
			if a, ok := x.(accessChecker); ok {
				c.checks = append(c.checks, a)
			}
		}
	}
	return c
}

func (l *launch) startChecks() {
	if l.dev.opts.Checks != 0 {
		l.check = &launchCheck{}
	}
}

// endChecks hands out what checks have found.
func (l *launch) endChecks() {
	if l.check != nil {
		l.deliver()
	}
}

func (w *wave) checkStart() {
	if w.chk != nil {
		for _, c := range w.chk.list {
			c.start(w)
		}
	}
}

func (w *wave) checkEnd() {
	if w.chk != nil {
		for _, c := range w.chk.list {
			c.end(w)
		}
	}
}

// checkBarrier is called when the waves of a group leave a barrier.
func (g *group) checkBarrier() {
	if g.launch.dev.opts.Checks&CheckBarrier != 0 {
		g.compareBarriers()
	}
	if g.race != nil {
		g.race.barrier(g.launch.check)
	}
}

// opFacts is what checks know of an instruction.
type opFacts struct {
	uses   []reguse.Use
	moved  *movedOperands // operands whose registers M0 moves, nil for none
	wait   waitFacts
	hazard hazard.Facts
	sync   syncKind
	local  bool // lanes have nothing to do with each other
	// repeats tells whether a load waits in a loop: 0 not known, 1 no, 2 yes.
	repeats uint32
}

func factsOf(o *op) *opFacts {
	f := &opFacts{uses: reguse.Of(&o.in), moved: movedNames.Get()[o.in.Enc.Name()], wait: waitFactsOf(&o.in), sync: syncOf(o), local: laneLocal(o)}
	f.hazard = hazardFactsOf(&o.in, f.uses, &f.wait)
	return f
}

// runChecked is run with checks beside the instructions.
func (w *wave) runChecked(n int) {
	w.stop = running
	for ; n > 0; n-- {
		p := w.prog
		if uint32(w.pc) >= uint32(len(p.ops)) {
			w.at = w.pc
			w.fail(FaultMemory, "instruction fetch outside of "+p.region.Name)
			return
		}
		o := p.ops[w.pc].Load()
		if o == nil {
			o = p.decode(int(w.pc))
		}
		w.at = w.pc
		w.pc = o.next
		w.counts.classes[o.class]++
		if w.skips(o) {
			continue
		}
		uses := w.usesOf(o)
		for _, c := range w.chk.list {
			c.before(w, o, uses)
		}
		if w.odd {
			w.runOther(o)
		} else {
			o.run(w, o)
		}
		w.afterChecked(p, o, uses)
		if w.stop != running {
			return
		}
	}
	w.stop = preempted
}

// afterChecked tells the checks that an instruction has run; a jump to another region may have
// changed the program that w.at counts in.
func (w *wave) afterChecked(p *program, o *op, uses []reguse.Use) {
	now := w.prog
	w.prog = p
	for _, c := range w.chk.list {
		c.after(w, o, uses)
	}
	w.prog = now
}

// skips reports whether VSKIP makes the wave leave an instruction out.
func (w *wave) skips(o *op) bool { return w.odd && w.mode&vskip != 0 && o.vector() }

// movedOperands says which of an instruction's operands M0 moves, by which of its bits.
type movedOperands struct{ dst, src func(m0 uint32) uint32 }

func wholeM0(m0 uint32) uint32 { return m0 }
func lowM0(m0 uint32) uint32   { return m0 & 0x3ff }
func highM0(m0 uint32) uint32  { return m0 >> 16 & 0x3ff }

var movedNames = lazy.Value[map[string]*movedOperands]{Make: func() map[string]*movedOperands {
	return map[string]*movedOperands{
		"v_movreld_b32": {dst: wholeM0}, "v_movrels_b32": {src: wholeM0}, "v_movrelsd_b32": {dst: wholeM0, src: wholeM0},
		"v_movrelsd_2_b32": {dst: highM0, src: lowM0}, "v_swaprel_b32": {dst: highM0, src: lowM0},
		"s_movreld_b32": {dst: wholeM0}, "s_movreld_b64": {dst: wholeM0}, "s_movrels_b32": {src: wholeM0}, "s_movrels_b64": {src: wholeM0},
		"s_movrelsd_2_b32": {dst: highM0, src: lowM0},
	}
}}

// usesOf gives the registers of an instruction, those that M0 moves where they are now.
func (w *wave) usesOf(o *op) []reguse.Use {
	f := o.facts
	indexed := w.odd && o.class == classVALU && w.mode&gprIdxEnable != 0
	if f.moved == nil && !indexed {
		return f.uses
	}
	uses := append([]reguse.Use(nil), f.uses...)
	m0 := w.m0()
	for i := range uses {
		u := &uses[i]
		by := uint32(0)
		switch {
		case indexed && u.First < reguse.AGPR && u.Role <= reguse.RoleSrc2 && m0>>12>>gprIdxBit[u.Role]&1 != 0:
			by = m0 & 0xff
		case f.moved == nil:
		case u.Role == reguse.RoleDst && f.moved.dst != nil:
			by = f.moved.dst(m0)
		case u.Role == reguse.RoleSrc0 && f.moved.src != nil:
			by = f.moved.src(m0)
		}
		moveUse(u, by)
	}
	return uses
}

// gprIdxBit gives the bit of M0[15:12] that moves an operand.
var gprIdxBit = [...]uint8{reguse.RoleDst: 3, reguse.RoleDst2: 3, reguse.RoleSrc0: 0, reguse.RoleSrc1: 1, reguse.RoleSrc2: 2}

// moveUse moves a range of registers; what leaves its file stays where it was.
func moveUse(u *reguse.Use, by uint32) {
	to := int64(u.First) + int64(int32(by))
	lo, hi := int64(0), int64(reguse.AGPR)
	if u.First >= reguse.Scalar {
		lo, hi = int64(reguse.Scalar), int64(reguse.Exec)
	}
	if to >= lo && to+int64(u.N) <= hi {
		u.First = reguse.Reg(to)
	}
}
