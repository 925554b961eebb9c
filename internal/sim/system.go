package sim

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

func popcount(x uint64) int { return bits.OnesCount64(x) }

// Traps of the trap handler ABI. Source: AMDGPU user guide, "Trap Handler ABI".
const (
	trapBreakpoint = 1
	trapHSATrap    = 2
	trapHSADebug   = 3
)

// runTrap executes s_trap with the effect of the runtime's trap handler.
func runTrap(w *wave, o *op) {
	switch id := o.imm & 0xff; id {
	case trapHSATrap:
		w.fail(device.FaultTrap, "s_trap 2: the kernel aborted (llvm.trap)")
	case trapHSADebug: // for a debugger; ignored
	case trapBreakpoint: // halts the wave until a debugger resumes it
		w.fail(device.FaultTrap, "s_trap 1: breakpoint without a debugger")
	default:
		w.fail(device.FaultTrap, fmt.Sprintf("s_trap %d: unknown trap", id))
	}
}

func runReturnTrap(w *wave, o *op) {
	w.fail(device.FaultIllegal, "return from trap handler outside a trap handler")
}

// Trap temporary registers that the launch initializes (gfx12). Source: AMDGPU
// user guide, "Initial Kernel Execution State"; LLVM, llvm.amdgcn.wave.id.
const (
	ttmpCluster = 6 // the work-group in its cluster, and the size of the cluster
	ttmpGroupYZ = 7 // Y in the low half, Z in the high half
	ttmpWave    = 8 // the wave's number in its work-group in bits 29:25
	ttmpGroupX  = 9
	ttmpFirst   = 108 // scalar encoding of ttmp0

	ttmpWaveShift = 25
)

// initTraps sets the trap handler's registers that programs read: the IDs of
// the work-group that the descriptor enables, and the wave's number.
func (w *wave) initTraps() {
	k, t := w.group.launch.kernel, w.s[ttmpFirst:]
	if w.dev.set.Has(isa.PropArchitectedWave) {
		t[ttmpWave] = uint32(w.index) << ttmpWaveShift
	}
	if !k.idsInTTMP {
		return
	}
	id := w.group.id
	if c := w.group.cluster; c != nil {
		id, t[ttmpCluster] = c.id, w.group.clusterPlace()
	}
	for d, enabled := range [3]bool{k.ComputePgmRsrc2>>7&1 != 0, k.ComputePgmRsrc2>>8&1 != 0, k.ComputePgmRsrc2>>9&1 != 0} {
		if !enabled {
			id[d] = 0
		}
	}
	t[ttmpGroupX], t[ttmpGroupYZ] = id[0], id[1]|id[2]<<16
}

// gprIdxEnable is the MODE bit that enables relative VGPR indexing (gfx9).
const gprIdxEnable = 1 << 27

// fp16Overflow is FP16_OVFL in MODE.
const fp16Overflow = 1 << 23

// Hardware registers of s_getreg and s_setreg.
const (
	hwMode        = 1
	hwStatus      = 2
	hwTrapsts     = 3
	hwID          = 4
	hwGPRAlloc    = 5
	hwLDSAlloc    = 6
	hwIBSts       = 7
	hwSHMemBases  = 15
	hwTBALo       = 16
	hwFlatLo      = 20
	hwFlatHi      = 21
	hwXnackMask   = 22
	hwID1         = 23
	hwID2         = 24
	hwShaderClock = 29

	// Registers since gfx12.
	hwStatePriv     = 4
	hwFlags         = 18
	hwTrapCtrl      = 19
	hwIBSts2        = 28
	hwShaderClockHi = 30
)

// Exceptions: wave.mode and wave.trapsts have the bits that gfx11 has, which
// are in registers of their own since gfx12.
const (
	exceptionsOn      = 0x7f << exceptionsShift // EXCP_EN in MODE
	exceptionsShift   = 12
	exceptions        = 0x7f // of TRAPSTS
	statePrivSCCShift = 9
)

// otherMode is the bits of wave.mode that are not in MODE since gfx12.
const otherMode = exceptionsOn | uint32(sem.ModeDX10Clamp|sem.ModeIEEE)

// The field VGPR_MSB of MODE (gfx12.5), which the wave's program represents.
const (
	modeBanksShift = 12
	modeBanks      = 0xff << modeBanksShift
)

// setModeBanks selects the banks of VGPRs in a value of MODE.
func (w *wave) setModeBanks(mode uint32) {
	if w.dev.set.Has(isa.PropVgprs1024) {
		w.prog = w.prog.withBanks(isa.BanksOfMode(mode & modeBanks >> modeBanksShift))
	}
}

// runSetregImm executes s_setreg_imm32_b32. On gfx1250, a write of any part of
// MODE also writes its field VGPR_MSB. Source: LLVM, AMDGPULowerVGPREncoding.
func runSetregImm(w *wave, o *op) {
	v := uint32(o.in.Literal())
	w.setreg(o, v)
	if id, _, _ := isa.DecodeHwreg(uint32(uint16(o.imm))); id == hwMode && w.dev.Target.Has(target.FeatureSetregVGPRMSBFixup) {
		w.setModeBanks(v)
	}
}

// hwregGFX12 reads a hardware register that differs since gfx12.
func (w *wave) hwregGFX12(id uint32) (v uint32, ok bool) {
	switch id {
	case hwMode:
		return w.mode&^otherMode | w.prog.banks.ModeBits()<<modeBanksShift, true
	case hwStatus:
		return w.status() &^ 1, true
	case hwStatePriv:
		return w.status() & 1 << statePrivSCCShift, true
	case hwFlags:
		return w.trapsts & exceptions, true
	case hwTrapCtrl:
		return w.mode & exceptionsOn >> exceptionsShift, true
	case hwShaderClock:
		return uint32(now()), true
	case hwShaderClockHi:
		return uint32(now() >> 32), true
	case hwTrapsts, hwSHMemBases:
		return 0, true
	case hwIBSts2:
		return w.group.clusterState(), true
	}
	return 0, false
}

// setregGFX12 writes a hardware register that differs since gfx12.
func (w *wave) setregGFX12(id uint32, merge func(old uint32) uint32) (ok bool) {
	switch id {
	case hwMode:
		v := merge(w.mode&^otherMode | w.prog.banks.ModeBits()<<modeBanksShift)
		w.setMode(v&^(otherMode|modeBanks) | w.mode&exceptionsOn)
		w.setModeBanks(v)
	case hwFlags:
		w.trapsts = merge(w.trapsts) & exceptions
	case hwTrapCtrl:
		on := merge(w.mode & exceptionsOn >> exceptionsShift)
		w.setMode(w.mode&^exceptionsOn | on<<exceptionsShift&exceptionsOn)
	default:
		return id == hwTrapsts
	}
	return true
}

// hwreg reads a hardware register. Registers that are not simulated read as 0.
func (w *wave) hwreg(id uint32) uint32 {
	s := w.dev.set
	if s.Has(isa.PropStatePriv) {
		if v, ok := w.hwregGFX12(id); ok {
			return v
		}
	}
	switch id {
	case hwMode:
		return w.mode
	case hwStatus:
		return w.status()
	case hwTrapsts:
		return w.trapsts
	case hwGPRAlloc:
		k := w.group.launch.kernel
		return uint32(max(w.vgprs/4-1, 0))<<8 | uint32(max(k.sgprs/16-1, 0))<<24
	case hwLDSAlloc:
		granule := w.dev.Target.Limits().LDSGranule
		return uint32((len(w.group.lds)+granule-1)/granule) << 12
	case hwSHMemBases:
		return uint32(device.GroupAperture>>48<<16 | device.PrivateAperture>>48)
	case hwFlatLo, hwFlatHi:
		if s.Has(isa.PropFlatScratchReg) {
			return uint32(w.flatScratch >> ((id - hwFlatLo) * 32))
		}
	case hwID, hwID1:
		if (id == hwID1) == s.Has(isa.PropHwregId1) {
			return uint32(w.index) & 15
		}
	case hwShaderClock:
		return uint32(now()) & 0xfffff
	}
	return 0
}

// status returns the STATUS register: SCC, EXECZ, VCCZ, whether the wave is in
// a group, and the trap handler's bits.
func (w *wave) status() uint32 {
	v := uint32(1 << 16) // valid
	if w.scc {
		v |= 1
	}
	if w.exec() == 0 {
		v |= 1 << 9
	}
	if w.mask(sVCC) == 0 {
		v |= 1 << 10
	}
	if len(w.group.waves) > 1 {
		v |= 1 << 11
	}
	return v
}

func runGetreg(w *wave, o *op) {
	id, off, size := isa.DecodeHwreg(uint32(uint16(o.imm)))
	v := uint64(w.hwreg(id)) >> off & (1<<size - 1)
	w.setScalar(&o.dst, v)
}

// setreg writes bits of a hardware register. Writes to read-only registers are
// ignored.
func (w *wave) setreg(o *op, v uint32) {
	id, off, size := isa.DecodeHwreg(uint32(uint16(o.imm)))
	mask := uint32(uint64(1)<<size-1) << off
	merge := func(old uint32) uint32 { return old&^mask | v<<off&mask }
	if w.dev.set.Has(isa.PropStatePriv) && w.setregGFX12(id, merge) {
		return
	}
	switch id {
	case hwMode:
		w.setMode(merge(w.mode))
	case hwTrapsts:
		w.trapsts = merge(w.trapsts)
	case hwFlatLo:
		if w.dev.set.Has(isa.PropFlatScratchReg) {
			w.flatScratch = w.flatScratch&^0xffffffff | uint64(merge(uint32(w.flatScratch)))
		}
	case hwFlatHi:
		if w.dev.set.Has(isa.PropFlatScratchReg) {
			w.flatScratch = w.flatScratch&0xffffffff | uint64(merge(uint32(w.flatScratch>>32)))<<32
		}
	}
}

// runSendmsg ignores the message, such as MSG_INTERRUPT: the simulated host has
// no receiver for it.
func runSendmsg(w *wave, o *op) {}

func runSendmsgHalt(w *wave, o *op) { w.halt(o) }

// Messages that return a value (gfx11).
const (
	msgGetDoorbell = 128
	msgGetDDID     = 129
	msgGetTMA      = 130
	msgGetRealtime = 131
	msgSaveWave    = 132
	msgGetTBA      = 133
)

func runSendmsgReturn(w *wave, o *op) {
	v := uint64(0)
	if o.in.Field(isa.FieldSrc0) == msgGetRealtime {
		v = now()
	}
	w.setScalar(&o.dst, v)
}

var start = lazy.Value[time.Time]{Make: time.Now}

// now returns the time in ticks of 10 ns, the period of the GPU's constant
// clock.
func now() uint64 { return cycles() / 10 }

// cycles returns the time in ns, used as the cycles of the shader clock.
func cycles() uint64 { return uint64(time.Since(start.Get()).Nanoseconds()) }

// relative returns the location of n scalar dwords after adding by to their
// register number. If the result is out of range, ok is false: a read then uses
// SGPR 0 and a write is dropped. Source: GCN3 ISA, "Out-of-range behavior".
func (w *wave) relative(at int32, by uint32, n uint8) (to int32, ok bool) {
	moved := int64(at) + int64(int32(by))
	end := int64(w.dev.set.NumSGPRs())
	if at >= sVCC {
		end = int64(reguse.M0Code(w.dev.set)) &^ 1
	}
	if moved < 0 || moved+int64(n) > end {
		return 0, false
	}
	return int32(moved), true
}

func (w *wave) m0() uint32 { return w.s[reguse.M0Code(w.dev.set)] }

func runMovrels(w *wave, o *op) { w.moveScalar(o, 0, w.m0()) }

func runMovreld(w *wave, o *op) { w.moveScalar(o, w.m0(), 0) }

// runMovrelsd2 indexes the source by M0[9:0] and the destination by M0[25:16].
func runMovrelsd2(w *wave, o *op) { w.moveScalar(o, w.m0()>>16&0x3ff, w.m0()&0x3ff) }

// moveScalar copies a scalar, after adding dst and src to the register numbers.
func (w *wave) moveScalar(o *op, dst, src uint32) {
	s, d := o.src[0], o.dst
	if s.kind == inScalar && src != 0 {
		s.off, _ = w.relative(s.off, src, s.dwords)
	}
	if d.off != sTrash && dst != 0 {
		to, ok := w.relative(d.off, dst, d.dwords)
		if !ok {
			return
		}
		d.off = to
	}
	w.setScalar(&d, w.scalar(&s))
}

// runIdxOn enables relative VGPR indexing (gfx8 and gfx9). M0[7:0] is the index
// and M0[15:12] selects the operands that it applies to. Source: Vega ISA,
// "VGPR Indexing".
func runIdxOn(w *wave, o *op) {
	m0 := &w.s[reguse.M0Code(w.dev.set)]
	*m0 = *m0&^0xf0ff | uint32(w.scalar(&o.src[0]))&0xff | o.in.Field(isa.FieldSrc1)&15<<12
	w.setMode(w.mode | gprIdxEnable)
}

func runIdxIdx(w *wave, o *op) {
	m0 := &w.s[reguse.M0Code(w.dev.set)]
	*m0 = *m0&^0xff | uint32(w.scalar(&o.src[0]))&0xff
}

func runIdxMode(w *wave, o *op) {
	m0 := &w.s[reguse.M0Code(w.dev.set)]
	*m0 = *m0&^0xf000 | uint32(o.imm)&15<<12
}

// runVSkip sets or clears VSKIP.
func runVSkip(w *wave, o *op) {
	bit := uint32(w.scalar(&o.src[0])) >> (uint32(w.scalar(&o.src[1])) & 31) & 1
	w.setMode(w.mode&^vskip | bit<<28)
}

// vskip is the MODE bit that causes a wave to skip vector instructions (gfx6 to
// gfx9).
const vskip = 1 << 28

// vector reports whether VSKIP skips an instruction.
func (o *op) vector() bool {
	return o.class == classVALU || o.class.isVMEM() || o.class == classLDS || o.class == classMatrix
}

// runOdd executes an instruction while MODE enables VGPR indexing or VSKIP.
func (w *wave) runOdd(o *op) {
	switch {
	case !o.vector():
		o.run(w, o)
	case w.mode&vskip != 0:
	case o.class != classVALU:
		o.run(w, o)
	default:
		w.runIndexed(o)
	}
}

// runIndexed executes a vector operation with M0-indexed VGPRs. An out-of-range
// source reads v0. An out-of-range destination suppresses the instruction.
func (w *wave) runIndexed(o *op) {
	moved := *o
	by, m0 := w.m0()&0xff, w.m0()>>12
	for i := range moved.src {
		if s := &moved.src[i]; s.kind == inVGPR && m0>>i&1 != 0 && (o.flags&flagTied == 0 || i != int(o.nsrc)-1) {
			s.off, _ = w.vgprAt(s.off, by, s.dwords)
		}
	}
	if d := &moved.dst; m0>>3&1 != 0 && d.kind == inVGPR {
		to, ok := w.vgprAt(d.off, by, d.dwords)
		if !ok {
			return
		}
		d.off = to
		if o.flags&flagTied != 0 {
			moved.src[o.nsrc-1].off = to
		}
	}
	moved.run(w, &moved)
}
