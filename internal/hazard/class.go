// Package hazard detects hardware hazards: instructions that must not follow
// others too closely because the hardware does not interlock them. The
// simulator's check detects them at run time; the compiler uses the same facts
// to avoid them.
//
// An instruction takes one wait state, s_nop N takes N+1. A matrix instruction
// waits until the previous one has completed its passes. Some hazards of gfx10
// and later are resolved by other instructions.
//
// Sources: AMD's ISA documents, "Manually inserted wait states"; LLVM's
// GCNHazardRecognizer and Mesa's aco_insert_NOPs.
package hazard

import (
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/waitcnt"
	"github.com/gfx-toolchain/gfx/isa"
)

// class is a set of instruction properties relevant to hazards, one bit each.
type class uint64

const (
	hzSALU class = 1 << iota
	hzVALU
	hzSMEM
	hzVMEM // buffer and image
	hzFlat
	hzSegment // global and scratch
	hzDS
	hzExport
	hzLDSDir
	hzBranch
	hzTrans
	hzMFMA // v_mfma and v_smfmac
	hzDGEMM
	hzXDL
	hzDot
	hzWMMA
	hzDPP
	hzAccRead
	hzAccWrite
	hzCmpx
	hzPermlane
	hzReadLane // v_readlane and v_readfirstlane
	hzWriteLane
	hzLaneSelect // v_readlane and v_writelane
	hzDivFmas
	hzFMA64
	hzNop      // v_nop
	hzBigStore // stores more than 64 bits per lane
	hzPartial  // writes part of a register and preserves the rest
	hzSetreg
	hzGetreg
	hzSetVSkip
	hzReadsZ // reads VCCZ or EXECZ as data
	hzM0     // GDS, messages, s_ttracedata
	hzM0GFX9 // add-TID instructions, LDS DMA, interpolation, s_movrel
	hzFPAtomic
	hzDenorm
	hzWait
	hzVector         // vector instruction
	hzStates         // s_nop
	hzDepctr         // waits for parts of the pipeline
	hzSwap           // v_permlane16_swap and v_permlane32_swap
	hzBufferLoad     // s_buffer_load
	hzJump           // s_setpc and s_swappc
	hzReadsBase      // reads src_flat_scratch_base
	hzAsyncArrive    // ds_atomic_async_barrier_arrive_b64
	hzNSA            // image instruction with two or more dwords of addresses
	hzNSAOffset      // buffer instruction whose offset has bit 1 or 2
	numHazardClasses = iota
)

const (
	hzMemory  = hzVMEM | hzFlat | hzDS
	hzVMEMAll = hzVMEM | hzFlat
)

// waited is a set of wait counters, one bit each.
type waited uint16

// Facts holds the properties of an instruction that determine hazards.
type Facts struct {
	class    class
	set      isa.Set
	op       isa.Op
	rows     []*row     // hazards for which it can be the second instruction
	laneMask reguse.Use // lane mask operand; N is 0 for none
	depctr   uint16
	states   uint8  // wait states that it takes
	passes   uint8  // passes of four cycles, for a matrix instruction
	hwreg    uint8  // register of s_setreg and s_getreg
	waitVdst uint8  // VALU instructions that lds_direct_load need not wait for
	waitVsrc bool   // ds_direct_load waits until memory instructions have read their sources
	waits    bool   // waits for something
	waited   waited // counters that it waits for to reach 0
	literal  bool
	negC     bool // v_wmma negates C
	sparse   bool // v_swmmac
	matrix   coexecution
	sopp     bool
	load     bool
}

// FactsOf returns the facts of an instruction. uses are its registers.
func FactsOf(in *isa.Inst, uses []reguse.Use) (f Facts) {
	e := in.Enc
	f.class = staticClass(in.Set, e) | fieldClass(in, staticClass(in.Set, e))
	f.set, f.op = in.Set, e.Op()
	f.bindWait(in)
	f.states, f.depctr = 1, 0xffff
	f.sopp = e.Form() == isa.SOPP
	f.load = e.Traits().Any(isa.TraitLoad)
	f.literal = in.LiteralSize() > 0
	switch {
	case f.class&hzDepctr != 0:
		f.depctr = uint16(in.Field(isa.FieldSimm16))
	case f.class&hzStates != 0:
		f.states = uint8(in.Field(isa.FieldSimm16)&15) + 1
	case f.class&(hzSetreg|hzGetreg) != 0:
		f.hwreg = uint8(in.Field(isa.FieldSimm16) & 63)
		if f.class&hzSetreg != 0 && f.hwreg == hwMode {
			if _, off, size := isa.DecodeHwreg(in.Field(isa.FieldSimm16)); off <= 28 && off+size > 28 {
				f.class |= hzSetVSkip
			}
		}
	case f.class&hzMFMA != 0:
		f.passes = matrixPasses(in)
	case f.class&hzWMMA != 0:
		f.sparse = e.Traits().Any(isa.TraitSwmmac)
		f.negC = in.Field(isa.FieldNeg)&4 != 0 || in.Field(isa.FieldNegHi)&4 != 0
		f.matrix = coexecutionOf(in)
	case f.class&hzLDSDir != 0:
		f.waitVdst = uint8(in.Field(isa.FieldWaitvdst))
		f.waitVsrc = in.HasField(isa.FieldWaitvsrc) && in.Field(isa.FieldWaitvsrc) == 0
	}
	f.bindStore(in, uses)
	f.bindLaneMask(in, uses)
	f.rows = rowsOf(in.Set, f.class)
	return f
}

// bindWait notes the counters that an instruction waits for to reach 0.
func (f *Facts) bindWait(in *isa.Inst) {
	w, ok := waitcnt.Of(in)
	if f.waits = ok; !ok || w.SGPR >= 0 {
		return
	}
	for c, n := range w.Limits {
		if n == 0 {
			f.waited |= 1 << c
		}
	}
}

// hwMode is the number of the MODE hardware register.
const hwMode = 1

// classRows caches the hazards of classes by instruction set.
var classRows [isa.NumSets]struct {
	sync.RWMutex
	rows map[class][]*row
}

// rowsOf returns the hazards for which an instruction of class c can be the
// second one.
func rowsOf(s isa.Set, c class) []*row {
	t := &classRows[s]
	c &= consumers.Get()
	t.RLock()
	list, ok := t.rows[c]
	t.RUnlock()
	if ok {
		return list
	}
	for i := range rows.Get() {
		if r := &rows.Get()[i]; s.Has(r.sets) && c&r.cons != 0 {
			list = append(list, r)
		}
	}
	t.Lock()
	defer t.Unlock()
	if t.rows == nil {
		t.rows = map[class][]*row{}
	}
	t.rows[c] = list
	return list
}

// consumers is the set of classes that second instructions of hazards can have.
var consumers = lazy.Value[class]{Make: func() (c class) {
	for _, r := range rows.Get() {
		c |= r.cons
	}
	return c
}}

// staticClasses caches the classes determined by the encoding, by instruction
// set, in pages of encodings: a program uses few pages.
var staticClasses [isa.NumSets]struct {
	once  sync.Once
	pages []atomic.Pointer[classPage]
}

// classPage holds the classes of adjacent encodings. 0 means unknown.
type classPage [64]atomic.Uint64

const classKnown = 1 << 63

func staticClass(s isa.Set, e isa.Enc) class {
	t := &staticClasses[s]
	t.once.Do(func() { t.pages = make([]atomic.Pointer[classPage], isa.NumEncs()/len(classPage{})+1) })
	at := &t.pages[int(e)/len(classPage{})]
	page := at.Load()
	if page == nil {
		at.CompareAndSwap(nil, new(classPage))
		page = at.Load()
	}
	of := &page[int(e)%len(classPage{})]
	c := of.Load()
	if c == 0 {
		c = uint64(encClass(s, e)) | classKnown
		of.Store(c)
	}
	return class(c &^ classKnown)
}

// hazardForms maps formats to classes.
var hazardForms = [...]class{
	isa.SOP1: hzSALU, isa.SOP2: hzSALU, isa.SOPC: hzSALU, isa.SOPK: hzSALU, isa.SOPP: hzSALU, isa.SMEM: hzSMEM, isa.SMRD: hzSMEM,
	isa.VOP1: hzVALU | hzVector, isa.VOP2: hzVALU | hzVector, isa.VOPC: hzVALU | hzVector, isa.VOP3: hzVALU | hzVector,
	isa.VOP3P: hzVALU | hzVector, isa.VOPD: hzVALU | hzVector, isa.MAI: hzVALU | hzVector, isa.VOP3PX: hzVALU | hzVector, isa.VINTRP: hzVALU | hzVector | hzM0GFX9,
	isa.VINTERP: hzVALU | hzVector, isa.VOP3INTERP: hzVALU | hzVector | hzM0GFX9,
	isa.MUBUF: hzVMEM | hzVector, isa.MTBUF: hzVMEM | hzVector, isa.MIMG: hzVMEM | hzVector, isa.VIMAGE: hzVMEM | hzVector, isa.VSAMPLE: hzVMEM | hzVector, isa.FLAT: hzFlat | hzVector,
	isa.DS: hzDS | hzVector, isa.EXP: hzExport | hzVector, isa.LDSDIR: hzLDSDir,
}

// hazardKinds maps properties of instructions to further classes.
var hazardKinds = [...]struct {
	kind  isa.Kinds
	class class
}{
	{isa.KindSetreg, hzSetreg}, {isa.KindGetreg, hzGetreg}, {isa.KindSetvskip, hzSetVSkip}, {isa.KindDenorm, hzDenorm},
	{isa.KindM0Msg, hzM0}, {isa.KindM0Gfx9, hzM0GFX9}, {isa.KindBranch, hzBranch}, {isa.KindJump, hzJump}, {isa.KindWait, hzWait}, {isa.KindWaitPipeline, hzDepctr},
	{isa.KindReadlane, hzReadLane | hzLaneSelect}, {isa.KindReadfirstlane, hzReadLane}, {isa.KindWritelane, hzWriteLane | hzLaneSelect},
	{isa.KindDivfmas, hzDivFmas}, {isa.KindFma64, hzFMA64}, {isa.KindPermlane, hzPermlane}, {isa.KindPermlaneSwap, hzSwap},
	{isa.KindAccRead, hzAccRead}, {isa.KindAccWrite, hzAccWrite},
}

// encClass returns the classes determined by the encoding.
func encClass(s isa.Set, e isa.Enc) class {
	t, k, m := e.Traits(), e.Kinds(), e.Op().Memory()
	c := hazardForms[e.Form()]
	for _, x := range hazardKinds {
		if k.Any(x.kind) {
			c |= x.class
		}
	}
	for _, x := range [...]struct {
		on    bool
		class class
	}{
		{t.Any(isa.TraitTrans), hzTrans},
		{t.Any(isa.TraitDot), hzDot},
		{t.Any(isa.TraitWmma | isa.TraitSwmmac), hzWMMA},
		{e.Variant().IsDPP(), hzDPP},
		{c&hzVALU != 0 && t.Any(isa.TraitDefExec), hzCmpx},
		{c&hzSALU != 0 && k.Any(isa.KindNop), hzStates},
		{c&hzVALU != 0 && k.Any(isa.KindNop), hzNop},
		{m.Space == isa.SpaceScalarBuffer && m.Access == isa.AccessLoad, hzBufferLoad},
		{c&hzFlat != 0 && t.Any(isa.TraitGlobal|isa.TraitScratch), hzSegment},
		{c&hzDS != 0 && t.Any(isa.TraitGdsonly), hzM0},
		{c&hzDS != 0 && t.Any(isa.TraitAsync), hzAsyncArrive},
		{c&hzVMEMAll != 0 && t.Any(isa.TraitLds), hzM0GFX9},
		{c&hzVMEMAll != 0 && m.Float && t.Has(isa.TraitLoad|isa.TraitStore), hzFPAtomic},
	} {
		if x.on {
			c |= x.class
		}
	}
	switch m := sem.MatrixOf(e.Op()); {
	case m != nil && m.Wave:
	case m != nil:
		c |= hzMFMA
		switch {
		case m.D == sem.MatrixF64:
			c |= hzDGEMM
		case s.Gen() != isa.Gen940 || m.A != sem.MatrixF32:
			c |= hzXDL
		}
	}
	return c
}

// fieldClass returns the classes determined by field values.
func fieldClass(in *isa.Inst, c class) (more class) {
	if c&hzDS != 0 && in.HasField(isa.FieldGds) && in.Field(isa.FieldGds) != 0 {
		more |= hzM0
	}
	if writesPart(in, c) {
		more |= hzPartial
	}
	if c&hzVALU != 0 && in.Set.Has(beforeGFX10) && readsScalar(in, srcVCCZ, srcEXECZ) {
		more |= hzReadsZ
	}
	if in.Set.Has(fromGFX125) && readsScalar(in, srcScratchBase, srcScratchBase+1) {
		more |= hzReadsBase
	}
	if in.Set.Has(onGFX101) && c&hzVMEM != 0 {
		more |= nsaClass(in)
	}
	return more
}

// nsaClass returns the classes of NSAtoVMEMBug.
func nsaClass(in *isa.Inst) class {
	switch f := in.Enc.Form(); {
	case f == isa.MIMG && in.Field(isa.FieldNsa) >= 2:
		return hzNSA
	case f != isa.MIMG && in.Field(isa.FieldOffset)&6 != 0:
		return hzNSAOffset
	}
	return 0
}

// writesPart reports whether a vector instruction writes a part of its
// destination other than the low part.
func writesPart(in *isa.Inst, c class) bool {
	switch {
	case c&hzVALU == 0:
		return false
	case in.Enc.Variant() == isa.SDWA:
		return in.HasField(isa.FieldDstSel) && in.Field(isa.FieldDstSel) != 6
	}
	return in.Enc.Traits().Any(isa.TraitOpsel) && in.HasField(isa.FieldOpSel) && in.NativeField(isa.FieldOpSel)&8 != 0
}

// Encodings of scalar sources.
const (
	srcScratchBase = 230 // the low half
	srcVCCZ        = 251
	srcEXECZ       = 252
)

// readsScalar reports whether an operand is one of two scalar sources.
func readsScalar(in *isa.Inst, a, b uint16) bool {
	if in.Enc.Form() == isa.VOPD {
		return false
	}
	ops := in.Enc.Operands()
	for i := range ops {
		if ops[i].Class.Info().Files&isa.FileS == 0 {
			continue
		}
		if v := in.Operand(&ops[i]); v.Kind == isa.ScalarReg && (v.Num == a || v.Num == b) {
			return true
		}
	}
	return false
}

// mixedPasses returns the passes of a matrix instruction that selects the types
// of A and B: 4, or 8 for a result of 32 rows, doubled if a matrix has 8-bit
// floats. Source: LLVM, as observed.
func mixedPasses(in *isa.Inst, rows int) uint8 {
	n := uint8(rows / 4)
	if in.Field(isa.FieldCbsz) < 2 || in.Field(isa.FieldBlgp) < 2 {
		n *= 2
	}
	return n
}

// matrixPasses returns the number of passes of four cycles that a matrix
// instruction takes. Source: LLVM, SISchedule.td; CDNA 3 ISA, "Dependency
// resolution".
func matrixPasses(in *isa.Inst) uint8 {
	m := sem.MatrixOf(in.Enc.Op())
	new := in.Set.Gen() == isa.Gen940
	switch {
	case m.A == sem.MatrixF8F6F4:
		return mixedPasses(in, m.M)
	case m.D == sem.MatrixF64 && m.M == 4:
		return 4
	case m.D == sem.MatrixF64:
		return 16
	case m.M == 4:
		return 2
	case m.M == 16 && (m.Sparse || new && m.K >= 8):
		return 4
	case m.M == 16:
		return 8
	case m.Sparse || new && (m.K >= 8 || m.A == sem.MatrixXF32):
		return 8
	}
	return 16
}

// bindStore detects stores whose data is read so late that the next instruction
// could overwrite it: stores of more than 64 bits, but buffer stores only
// without an SGPR offset.
func (f *Facts) bindStore(in *isa.Inst, uses []reguse.Use) {
	if f.class&hzVMEMAll == 0 || !in.Enc.Traits().Any(isa.TraitStore) {
		return
	}
	for i := range uses {
		if u := &uses[i]; u.Role == reguse.RoleSOffset {
			return
		}
	}
	for i := range uses {
		u := &uses[i]
		if u.First < reguse.Scalar && u.How&reguse.Read != 0 && (u.Role == reguse.RoleData || u.Role == reguse.RoleResult) && u.N > 2 && in.Enc.Form() != isa.MIMG {
			f.class |= hzBigStore
		}
	}
}

// bindLaneMask finds the lane mask operand of a vector selection or addition.
func (f *Facts) bindLaneMask(in *isa.Inst, uses []reguse.Use) {
	if f.class&hzVALU == 0 {
		return
	}
	mask := uint8(in.Wave / 32)
	vcc := in.Enc.Traits().Any(isa.TraitUseVcc)
	for i := range uses {
		u := &uses[i]
		if u.How&reguse.Read == 0 {
			continue
		}
		if vcc && u.Role == reguse.RoleImplicit && u.First == reguse.VCC || u.Role == reguse.RoleSrc2 && u.N == mask && u.First >= reguse.Scalar && takesMask(in) {
			f.laneMask = *u
		}
	}
}

// takesMask reports whether source 2 is a lane mask.
func takesMask(in *isa.Inst) bool {
	o := reguse.FindOperand(in, isa.FieldSrc2)
	return o != nil && o.Class.Info().Flags&isa.Mask != 0
}
