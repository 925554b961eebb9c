package mir

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/isa"
)

// Machine describes every operation on an instruction set with a wave size. It
// is immutable; the description of an operation is computed on first use.
type Machine struct {
	Set  isa.Set
	Wave int // 32 or 64
	info [NumOps]atomic.Pointer[OpInfo]
}

// Unit is the hardware unit that executes an operation.
type Unit uint8

const (
	UnitNone   Unit = iota // a pseudo operation
	UnitSALU               // scalar ALU, program flow and other scalar instructions without memory
	UnitVALU               // vector ALU
	UnitMatrix             // matrix operations
	UnitSMEM               // scalar memory
	UnitVMEM               // buffer, global and scratch memory, images
	UnitFlat               // flat addresses: vector memory or LDS
	UnitDS                 // LDS and GDS
	UnitOther              // exports
)

// OpFlags is a set of properties of an operation on a machine.
type OpFlags uint16

const (
	Terminator  OpFlags = 1 << iota // ends a block
	Effects                         // has side effects: never removed, even if its results are unused
	MayLoad                         // reads memory
	MayStore                        // writes memory
	WritesExec                      // writes EXEC
	DependsExec                     // behavior depends on EXEC
)

// SlotKind is the kind of operand that a slot accepts.
type SlotKind uint8

const (
	SlotReg    SlotKind = iota // a register of Files
	SlotSource                 // a register of Files or a constant
	SlotImm                    // a constant that does not replace a register
	SlotTarget                 // a block
	SlotFixed                  // the register Reg
)

// Slot describes one operand of an operation. In order:
//
//   - results: vdst or sdst, the mask of VOP3B, SCC or VCC;
//   - sources of ALU operations in assembly order, the source tied to the first result, masks, SCC or VCC, M0;
//   - DS: address, offset in bytes (offset0 | offset1<<8 for two offsets), data0, data1, M0;
//   - FLAT, GLOBAL, SCRATCH: vector address or None, scalar address or None, offset in bytes, data;
//   - MUBUF, MTBUF: vector address or None, resource, scalar offset, offset in bytes, data;
//   - images: the sources from ImageResource on, of which the last ones may be missing;
//   - SMEM: base, scalar offset or None, offset in bytes, data;
//   - interpolation: attribute, channel and half follow the first source; from gfx11 on, the wait for Export is the last source;
//   - LDS parameters: attribute, channel, the waits for results of VALU instructions and, on gfx12, for sources of memory instructions, M0;
//   - EXP: target, four sources or None, mask of components, flags such as ExportDone, M0 or None.
type Slot struct {
	Kind     SlotKind
	Field    isa.Field
	Files    isa.Files
	Dwords   uint8 // register size, 0 for any
	Type     isa.Type
	Tied     bool // must be in the register of the first result
	Optional bool // may be None
	Reg      Reg  // for SlotFixed
	Class    isa.ClassFlags
}

// maxSlots is the maximum number of slots of an operation.
const maxSlots = 20

// OpInfo describes an operation on a machine.
type OpInfo struct {
	Encs   []isa.Enc // one for each choice of register files; empty if the set lacks the operation
	Return isa.Enc   // encoding of an atomic operation that returns the old value (see Slots), NoEnc for others
	Short  isa.Enc   // VOP1, VOP2 or VOPC of an operation with a VOP3 encoding, or NoEnc
	SDWA   isa.Enc
	DPP    isa.Enc // Short followed by a DPP16 dword
	DPP8   isa.Enc
	DPP64  isa.Enc // VOP3 followed by a DPP16 dword
	Form   isa.Form
	Traits isa.Traits
	Unit   Unit
	Flags  OpFlags
	// Slots describes the operands, results first. An atomic operation with a
	// Return encoding but no result in Slots may have an additional first
	// result, the old value. In MUBUF, this result covers all data registers,
	// and the data is tied to it.
	Slots []Slot
	Defs  int // number of results

	data     int // slot of a buffer atomic's data, -1 for none
	tiedData Slot
}

// Has reports whether the machine has an operation.
func (m *Machine) Has(op Op) bool { return op.IsPseudo() || len(m.Info(op).Encs) > 0 }

// Info returns the description of an operation.
func (m *Machine) Info(op Op) *OpInfo {
	if x := m.info[op].Load(); x != nil {
		return x
	}
	return m.newInfo(op)
}

// MaskDwords returns the size of a lane mask in dwords.
func (m *Machine) MaskDwords() int { return m.Wave / 32 }

var machines [isa.NumSets][2]struct {
	once sync.Once
	m    *Machine
}

// MachineOf returns the machine of a set and a wave size, 32 or 64.
func MachineOf(s isa.Set, wave int) *Machine {
	x := &machines[s][wave/64]
	x.once.Do(func() { x.m = &Machine{Set: s, Wave: wave} })
	return x.m
}

// Slots of IndexRead and IndexWrite.
var (
	indexM0    = Slot{Kind: SlotFixed, Reg: M0, Dwords: 1}
	indexSlots = []Slot{{Files: isa.FileS, Dwords: 1}, {Kind: SlotImm}}
)

// newInfo computes the description of an operation.
func (m *Machine) newInfo(op Op) *OpInfo {
	x := new(OpInfo)
	if op.IsPseudo() {
		*x = OpInfo{Flags: pseudoFlags[op], Return: isa.NoEnc, Short: isa.NoEnc, SDWA: isa.NoEnc, DPP: isa.NoEnc, DPP8: isa.NoEnc, DPP64: isa.NoEnc}
	} else {
		*x = m.opInfo(op.encodings(m.Set))
	}
	switch op {
	case IndexRead:
		x.Defs, x.Slots = 2, append([]Slot{{Files: isa.FileV, Dwords: 1}, indexM0, {Files: isa.FileV}}, indexSlots...)
	case IndexWrite:
		x.Defs, x.Slots = 2, slices.Concat([]Slot{{Files: isa.FileV}, indexM0, {Files: isa.FileV, Tied: true}}, indexSlots, []Slot{{Files: isa.FileV, Dwords: 1}})
	case SSetpcB64:
		x.Flags |= Terminator
	case SSwappcB64:
		x.Flags |= Effects // the callee's effects
	}
	m.info[op].CompareAndSwap(nil, x)
	return m.info[op].Load()
}

var pseudoFlags = [firstMachineOp]OpFlags{
	Br: Terminator, BrSCC: Terminator, BrMask: Terminator, BrExecZ: Terminator, BrExecNZ: Terminator, BrVCCZ: Terminator,
	Return: Terminator, Exit: Terminator, End: Terminator, Unreachable: Terminator, LogicalEnd: Effects,
	Call: Effects | MayLoad | MayStore | DependsExec, Asm: Effects | DependsExec, Trap: Effects | DependsExec,
	Spill: Effects | MayStore, Reload: MayLoad, Fence: Effects | MayLoad | MayStore,
}

// opInfo selects the encodings on the machine from an operation's encodings on
// the set.
func (m *Machine) opInfo(encs []isa.Enc) OpInfo {
	x := OpInfo{Return: isa.NoEnc, Short: isa.NoEnc, SDWA: isa.NoEnc, DPP: isa.NoEnc, DPP8: isa.NoEnc, DPP64: isa.NoEnc}
	best := -1
	for _, e := range encs {
		if !m.usable(e) {
			continue
		}
		if p := variantPlace(&x, e); p != nil {
			*p = e
			continue
		}
		if e.Variant() != isa.Native {
			continue
		}
		switch rank := formRank[e.Form()]; {
		case e.Traits().Any(isa.TraitRet) && e.Form() != isa.DS && e.Form() != isa.SMEM:
			if x.Return = e; e.Traits().Any(isa.TraitNoret) {
				x.Encs = append(x.Encs, e)
			}
		case rank > best:
			if best == shortRank {
				x.Short = x.Encs[0]
			}
			best, x.Encs = rank, append(x.Encs[:0:0], e)
		case rank == best && e.Traits().Any(isa.TraitTensor) && len(e.Operands()) > len(x.Encs[0].Operands()):
			x.Encs = append([]isa.Enc{e}, x.Encs...) // its slots include the other's
		case rank == best:
			x.Encs = append(x.Encs, e)
		case rank == shortRank:
			x.Short = e
		}
	}
	if len(x.Encs) == 0 && x.Return != isa.NoEnc { // an atomic operation that always returns the old value
		x.Encs = append(x.Encs, x.Return)
	}
	if len(x.Encs) > 0 {
		m.describe(&x)
	}
	return x
}

// variantPlace returns the field of x for an encoding with an extra dword.
func variantPlace(x *OpInfo, e isa.Enc) *isa.Enc {
	switch e.Variant() {
	case isa.SDWA:
		return &x.SDWA
	case isa.DPP:
		return &x.DPP
	case isa.DPP8:
		return &x.DPP8
	case isa.DPP64:
		return &x.DPP64
	}
	return nil
}

// usable excludes encodings of the other wave size.
func (m *Machine) usable(e isa.Enc) bool {
	t := e.Traits()
	other := isa.TraitW64
	if m.Wave == 64 {
		other = isa.TraitW32
	}
	return !t.Any(other) && e.Assembled(m.Set)
}

// shortRank is the rank of the short forms of VOP3.
const shortRank = 1

// formRank orders the forms of an operation. The operands of the highest-ranked
// form are the operands of the machine instruction.
var formRank = [...]int{isa.SOPK: 0, isa.VOP1: shortRank, isa.VOP2: shortRank, isa.VOPC: shortRank,
	isa.SOP1: 2, isa.SOP2: 2, isa.SOPC: 2, isa.SOPP: 2, isa.SMEM: 2, isa.SMRD: 2, isa.VOP3: 2, isa.VOP3P: 2, isa.MAI: 2, isa.VOP3PX: 2,
	isa.DS: 2, isa.FLAT: 2, isa.MUBUF: 2, isa.MTBUF: 2, isa.MIMG: 2, isa.VIMAGE: 2, isa.VSAMPLE: 2, isa.VINTERP: 2, isa.LDSDIR: 2,
	isa.VOP3INTERP: 2, isa.VINTRP: 3, isa.EXP: 2}

var formUnits = [...]Unit{isa.SOPK: UnitSALU, isa.SOP1: UnitSALU, isa.SOP2: UnitSALU, isa.SOPC: UnitSALU, isa.SOPP: UnitSALU,
	isa.SMEM: UnitSMEM, isa.SMRD: UnitSMEM, isa.VOP1: UnitVALU, isa.VOP2: UnitVALU, isa.VOPC: UnitVALU, isa.VOP3: UnitVALU,
	isa.VOP3P: UnitVALU, isa.MAI: UnitMatrix, isa.VOP3PX: UnitMatrix, isa.DS: UnitDS, isa.FLAT: UnitFlat, isa.MUBUF: UnitVMEM,
	isa.MTBUF: UnitVMEM, isa.MIMG: UnitVMEM, isa.VIMAGE: UnitVMEM, isa.VSAMPLE: UnitVMEM, isa.VINTERP: UnitVALU,
	isa.LDSDIR: UnitDS, isa.VOP3INTERP: UnitVALU, isa.VINTRP: UnitVALU, isa.EXP: UnitOther}

// describe computes the properties that follow from an operation's encodings.
func (m *Machine) describe(x *OpInfo) {
	e := x.Encs[0]
	x.Form, x.Traits = e.Form(), e.Traits()
	x.Unit = formUnits[x.Form]
	switch {
	case x.Traits.Any(isa.TraitGlobal | isa.TraitScratch):
		x.Unit = UnitVMEM
	case x.Traits.Any(isa.TraitWmma | isa.TraitSwmmac | isa.TraitMai):
		x.Unit = UnitMatrix
	}
	for _, f := range [...]struct {
		trait isa.Traits
		flag  OpFlags
	}{
		{isa.TraitLoad, MayLoad}, {isa.TraitStore, MayStore | Effects}, {isa.TraitDefExec, WritesExec | Effects}, {isa.TraitUseExec, DependsExec},
		{isa.TraitDefM0 | isa.TraitDefMode | isa.TraitGws, Effects},
	} {
		if x.Traits.Any(f.trait) {
			x.Flags |= f.flag
		}
	}
	if x.Form == isa.SOPP || x.Unit >= UnitSMEM && x.Flags&MayLoad == 0 {
		x.Flags |= Effects // waits, barriers, cache operations
	}
	b := slotBuilder{m: m, x: x}
	b.buildSlots()
}
