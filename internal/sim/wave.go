package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// registerFile holds the vector registers of a wave: VGPR r at [r*lanes], AGPR r at
// [(256+r)*lanes]. 1024 VGPRs with 32 lanes fit, too.
type registerFile [(2*numVGPRs + maxTupleDwords) * 64]uint32

// wave is the state of a wavefront.
type wave struct {
	v     *registerFile
	s     [numScalar]uint32 // indexed by scalar encoding: SGPRs, VCC, TTMPs, M0, EXEC
	lanes int
	all   uint64 // mask of all lanes
	pc    int32  // index of the next instruction in prog.ops
	at    int32  // index of the current instruction
	prog  *program
	scc   bool
	stop  stopReason
	ctx   sem.Ctx // Mode holds the low bits of MODE

	simdCounts lanes.Counts // for SIMD floating-point operations in MODE

	mode        uint32 // the MODE register
	trapsts     uint32
	exports     uint64 // number of exports executed
	vgprs       int32  // allocated VGPRs
	growths     uint32 // successful and failed requests for more VGPRs
	flatScratch uint64 // since gfx10, which has no SGPRs for it
	scratch     scratchBase
	group       *group
	dev         *Device
	index       int // number within the group
	counts      *tally
	fault       *device.Fault
	mem         memCache
	ids         workItemIDs
	image       *imageState        // nil before the first image instruction
	odd         bool               // runOther executes the instructions
	matrix      *sem.MatrixScratch // allocated on first use
	scales      *loadedScales      // likewise
	sync        gwsWait
	split       waveBarrier
	listed      laneList       // active lanes as of the last DS instruction
	chk         *waveCheck     // nil without checks
	transfers   *transferCheck // part of chk; nil without check wait
	race        *raceCheck     // part of chk; nil without check race
	weak        *weakWave      // nil unless memory is weak

	tmp   [4][128]uint32
	neg   [3][64]uint32
	moved [128]uint32 // source 0 after DPP
	out   [2 * 128]uint32
}

// stopReason is the reason for which a wave is not running.
type stopReason uint8

const (
	running stopReason = iota
	atBarrier
	atSplitBarrier // waits until a barrier completes; see waveBarrier
	parked         // waits for waves of other groups; the instruction will be executed again
	yielded        // yielded: s_sleep or end of its time slice
	preempted      // executed the requested number of instructions
	waiting        // waits for its memory operations; see weakWave
	ended
	faulted
)

// setMode writes the MODE register.
func (w *wave) setMode(v uint32) {
	w.mode = v
	w.ctx.Mode = sem.Mode(v)
	if !w.dev.set.Has(isa.PropFpMode) {
		w.ctx.Mode |= sem.ModeDX10Clamp | sem.ModeIEEE // gfx12 has no bits for them
	}
	w.ctx.Ovfl = v&fp16Overflow != 0
	w.ctx.Track = v>>12&0x7f != 0 // EXCP_EN
	w.odd = w.modeOdd() || w.dev.opts.Trace != nil
	w.simdCounts = lanes.CountsOf(v, w.ctx.Ovfl, w.lanes)
}

// modeOdd reports whether MODE enables relative VGPR indexing or VSKIP.
func (w *wave) modeOdd() bool {
	return w.mode&vskip != 0 && w.dev.set.Has(isa.PropVskip) || w.mode&gprIdxEnable != 0 && w.dev.set.Has(isa.PropGprIdx)
}

// fail ends the wave with a fault at the current instruction.
func (w *wave) fail(k device.FaultKind, msg string) { w.failAt(k, msg, -1, 0) }

// failAt is like fail, for a lane's access to an address.
func (w *wave) failAt(k device.FaultKind, msg string, lane int, addr uint64) {
	if w.fault != nil {
		return
	}
	w.fault = &device.Fault{Kind: k, Message: msg, Lane: lane, Addr: addr, Group: w.group.id, Wave: w.index, PC: w.address(w.at)}
	w.stop = faulted
}

// address returns the address of the instruction at index at.
func (w *wave) address(at int32) uint64 { return w.prog.region.Addr + uint64(at)*4 }

// runInstructions executes instructions until the wave stops or n have been
// executed.
func (w *wave) runInstructions(n int) {
	if w.chk != nil {
		w.runChecked(n)
		return
	}
	w.stop = running
	p := w.prog
	for ; n > 0; n-- {
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
		if w.odd {
			w.runOther(o)
		} else {
			o.run(w, o)
		}
		if w.stop != running {
			return
		}
		p = w.prog
	}
	w.stop = preempted
}

// jump continues execution at an address, which may be in another region.
func (w *wave) jump(addr uint64) {
	if off := addr - w.prog.region.Addr; off < uint64(len(w.prog.ops))*4 && addr&3 == 0 {
		w.pc = int32(off / 4)
		return
	}
	r := w.dev.Memory.Find(addr)
	switch {
	case addr&3 != 0:
		w.failAt(device.FaultAlignment, withNumber("jump to", addr), -1, addr)
	case r == nil:
		w.failAt(device.FaultMemory, withNumber("jump to unmapped address", addr), -1, addr)
	default:
		w.prog = w.dev.programOf(r, w.lanes).withBanks(w.prog.banks)
		w.pc = int32((addr - r.Addr) / 4)
	}
}
