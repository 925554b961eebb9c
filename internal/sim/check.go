package sim

import (
	"sync"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/hazard"
	"github.com/gfx-toolchain/gfx/internal/reguse"
)

// waveChecker is a check that observes one wave. Its methods run on the wave's
// goroutine.
type waveChecker interface {
	start(w *wave)                            // the wave begins; its initial registers are set
	before(w *wave, o *op, uses []reguse.Use) // the instruction at w.at is about to execute
	after(w *wave, o *op, uses []reguse.Use)  // the instruction has executed or faulted
	end(w *wave)                              // the wave has ended
}

// waveCheckers lists the constructors of the checks that observe waves.
var waveCheckers = [...]struct {
	check device.Checks
	make  func(w *wave) waveChecker
}{
	{device.CheckWait, newWaitCheck}, {device.CheckWait, newTransferCheck}, {device.CheckWait, newTranslationCheck}, {device.CheckHazard, newHazardCheck}, {device.CheckRace, newRaceCheck}, {device.CheckMemory, newMemoryCheck}, {device.CheckMemory, newRegisterCheck},
	{device.CheckInit, newInitCheck}, {device.CheckBarrier, newBarrierCheck},
}

// waveCheck holds the checks' state for a wave.
type waveCheck struct {
	list []waveChecker
	accessState
}

// launchCheck holds the checks' state for a dispatch.
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
			if x == nil { // nothing to check on this processor
				continue
			}
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

// endChecks delivers the findings.
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

// checkBarrier runs the checks when the waves of a group leave a barrier.
func (g *group) checkBarrier() {
	if g.launch.dev.opts.Checks&device.CheckBarrier != 0 {
		g.compareBarriers()
	}
	if g.race != nil {
		g.leaveBarrier()
	}
}

// opFacts holds the properties of an instruction that checks use.
type opFacts struct {
	uses   []reguse.Use
	wait   waitFacts
	hazard hazard.Facts
	sync   syncKind
	local  bool // lanes are independent of each other
	// repeats caches whether a load waits in a loop: 0 unknown, 1 no, 2 yes.
	repeats uint32
	atomic  device.Atomic // what the compiler has recorded
}

func factsOf(o *op) *opFacts {
	f := &opFacts{uses: reguse.Of(&o.in), wait: waitFactsOf(&o.in), local: laneLocal(o)}
	f.sync, f.hazard = syncOf(o, &f.wait), hazard.FactsOf(&o.in, f.uses)
	return f
}

// runChecked is run with checks.
func (w *wave) runChecked(n int) {
	w.stop = running
	for ; n > 0; n-- {
		p := w.prog
		if uint32(w.pc) >= uint32(len(p.ops)) {
			w.at = w.pc
			w.fail(device.FaultMemory, "instruction fetch outside "+p.region.Name)
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

// afterChecked notifies the checks that an instruction has executed. p is the
// program that contains o: a jump to another region may have replaced the
// wave's program.
func (w *wave) afterChecked(p *program, o *op, uses []reguse.Use) {
	now := w.prog
	w.prog = p
	for _, c := range w.chk.list {
		c.after(w, o, uses)
	}
	w.prog = now
}

// skips reports whether VSKIP causes the wave to skip an instruction.
func (w *wave) skips(o *op) bool { return w.odd && w.mode&vskip != 0 && o.vector() }

// movedOperands describes which operands M0 indexes. Its functions return the
// register offset of a destination or source for a value of M0.
type movedOperands struct{ dst, src func(m0 uint32) uint32 }

func wholeM0(m0 uint32) uint32 { return m0 }
func lowM0(m0 uint32) uint32   { return m0 & 0x3ff }
func highM0(m0 uint32) uint32  { return m0 >> 16 & 0x3ff }

var (
	moveResult = movedOperands{dst: wholeM0}
	moveSource = movedOperands{src: wholeM0}
	moveBoth   = movedOperands{dst: wholeM0, src: wholeM0}
	moveHalves = movedOperands{dst: highM0, src: lowM0}
)

// usesOf returns the registers of an instruction. M0-indexed registers are
// resolved to their current numbers.
func (w *wave) usesOf(o *op) []reguse.Use {
	f := o.facts
	indexed := w.odd && o.class == classVALU && w.mode&gprIdxEnable != 0
	if o.moved == nil && !indexed {
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
		case o.moved == nil:
		case u.Role == reguse.RoleDst && o.moved.dst != nil:
			by = o.moved.dst(m0)
		case u.Role == reguse.RoleSrc0 && o.moved.src != nil:
			by = o.moved.src(m0)
		}
		moveUse(u, by)
	}
	return uses
}

// gprIdxBit maps an operand's role to the bit of M0[15:12] that enables
// indexing.
var gprIdxBit = [...]uint8{reguse.RoleDst: 3, reguse.RoleDst2: 3, reguse.RoleSrc0: 0, reguse.RoleSrc1: 1, reguse.RoleSrc2: 2}

// moveUse moves a range of registers. A range that would leave its register
// file is not moved.
func moveUse(u *reguse.Use, by uint32) {
	to := int64(u.First) + int64(int32(by))
	lo, hi := int64(0), int64(numVGPRs)
	if u.First >= reguse.Scalar {
		lo, hi = int64(reguse.Scalar), int64(reguse.Exec)
	}
	if to >= lo && to+int64(u.N) <= hi {
		u.First = reguse.Reg(to)
	}
}
