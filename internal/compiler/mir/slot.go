package mir

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// slotBuilder computes the slots of an operation from its first encoding.
type slotBuilder struct {
	m    *Machine
	x    *OpInfo
	defs []Slot
	uses []Slot
	data []Slot // sources that follow an address
}

// oldSlot is the optional last source of matrix instructions, instructions with
// DPP and buffer loads with TFE. It supplies the result in lanes to which nothing
// is moved, result halves that are not written, and the status of loads without
// faults.
var oldSlot = Slot{Kind: SlotReg, Files: isa.FileV, Tied: true}

// gdsSlot is the last source of an access to GDS where the same instruction needs
// no M0 for LDS: M0 selects a part of GDS.
var gdsSlot = Slot{Kind: SlotFixed, Reg: M0, Dwords: 1}

// extraSlot returns the slot of an instruction's last source if it depends on
// modifiers, oldSlot or gdsSlot, otherwise nil.
func (f *Func) extraSlot(i Instr) *Slot {
	in := &f.instrs[i]
	x := f.M.Info(in.op)
	k := in.ext.Kind()
	switch {
	case int(in.num) != len(x.Slots)+1:
		return nil
	case k == ExtDPP || k == ExtDPP8 || x.Traits.Any(isa.TraitWmma) || x.hasStatus(in.mods):
		return &oldSlot
	case x.Form == isa.DS && in.mods&GDS != 0:
		return &gdsSlot
	}
	return nil
}

// hasStatus reports whether a dword with the status follows the result of a
// buffer load with modifiers.
func (x *OpInfo) hasStatus(m Mods) bool {
	return m&TFE != 0 && (x.Form == isa.MUBUF || x.Form == isa.MTBUF)
}

// takesM0 reports whether an operand is a barrier number: an inline constant,
// or M0 that holds the number.
func (s *Slot) takesM0() bool { return s.Kind == SlotImm && s.Type == isa.SplitBarrier }

// SlotOf returns the slot of operand n of a processor instruction, counted from
// the first result, or nil if it has none.
func (f *Func) SlotOf(i Instr, n int) *Slot {
	x := f.Info(i)
	if last := f.extraSlot(i); last != nil {
		if n == len(x.Slots) {
			return last
		}
	} else if extra := int(f.instrs[i].defs) - x.Defs; extra > 0 && x.Return != isa.NoEnc { // the result of an atomic operation
		if n -= extra; n == x.data {
			return &x.tiedData
		}
	} else if n == x.data && x.Defs > 0 && x.tiedData.Optional && f.Operands(i)[n].Kind != KindNone { // the old value of an image load
		return &x.tiedData
	}
	if n < 0 || n >= len(x.Slots) {
		return nil
	}
	return &x.Slots[n]
}

func (b *slotBuilder) buildSlots() {
	e := b.x.Encs[0]
	if b.x.Form == isa.EXP {
		b.x.Slots, b.x.data = exportSlots.Get(), -1
		return
	}
	if k := b.x.imageKind(); k != isa.NotImage {
		b.imageSlots(k)
		return
	}
	for _, o := range e.Operands() {
		b.operand(&o)
	}
	b.uses = append(b.uses, b.data...)
	b.swap()
	b.ray()
	b.tied()
	b.fixed()
	b.x.Defs = len(b.defs)
	b.x.Slots = append(b.defs, b.uses...)
	b.x.data = -1
	for n, s := range b.x.Slots {
		if s.Field == isa.FieldVdata && b.x.Form == isa.MUBUF && b.x.Return != isa.NoEnc && n >= b.x.Defs && b.x.Defs == 0 {
			b.x.data, b.x.tiedData = n, s
			b.x.tiedData.Tied = true
		}
	}
}

// Flags of an export.
const (
	ExportDone       = 1 << iota // the last export of its kind
	ExportValidMask              // EXEC is the mask of valid pixels
	ExportCompressed             // two components of 16 bits in each of two sources
	ExportRow                    // M0 is the row of a mesh shader's export
)

// exportSlots holds the slots of an export.
var exportSlots = lazy.Value[[]Slot]{Make: func() []Slot {
	list := []Slot{{Kind: SlotImm, Field: isa.FieldTgt}}
	for _, f := range [...]isa.Field{isa.FieldSrc0, isa.FieldSrc1, isa.FieldSrc2, isa.FieldSrc3} {
		list = append(list, Slot{Kind: SlotReg, Field: f, Files: isa.FileV, Dwords: 1, Optional: true})
	}
	return append(list, Slot{Kind: SlotImm, Field: isa.FieldEn}, Slot{Kind: SlotImm, Field: isa.FieldDone},
		Slot{Kind: SlotFixed, Reg: M0, Dwords: 1, Optional: true})
}}

// operand adds the slots of one encoding operand.
func (b *slotBuilder) operand(o *isa.OperandInfo) {
	class := o.Class.Info()
	switch {
	case o.Field == isa.FieldAddr && class.Files == 0:
		b.address()
	case o.Field == isa.FieldOff:
		b.uses = append(b.uses, Slot{Kind: SlotSource, Field: isa.FieldSoffset, Files: isa.FileS, Dwords: 1, Optional: true},
			Slot{Kind: SlotImm, Field: isa.FieldOffset})
	case class.Files != 0:
		b.value(o, class)
	case o.Class == isa.ClassBr:
		b.uses = append(b.uses, Slot{Kind: SlotTarget, Field: o.Field})
	case immFields.Get()[o.Field]:
		b.uses = append(b.uses, Slot{Kind: SlotImm, Field: o.Field, Type: o.Type})
	}
}

// immFields holds the fields of constants that are not sources. src0 is the
// message of s_sendmsg_rtn, src1 the mode of s_set_gpr_idx_on, sdata the number
// of a scalar prefetch.
var immFields = lazy.Value[map[isa.Field]bool]{Make: func() map[isa.Field]bool {
	return map[isa.Field]bool{isa.FieldSimm16: true, isa.FieldImm: true, isa.FieldOffset: true, isa.FieldOffset0: true, isa.FieldSrc0: true, isa.FieldSrc1: true,
		isa.FieldSdata: true, isa.FieldAttr: true, isa.FieldAttrchan: true, isa.FieldHigh: true,
		isa.FieldWaitexp: true, isa.FieldWaitvdst: true, isa.FieldWaitvsrc: true}
}}

// address adds the parts of a FLAT or buffer address.
func (b *slotBuilder) address() {
	if b.x.Form == isa.FLAT {
		b.uses = append(b.uses, Slot{Kind: SlotReg, Field: isa.FieldVaddr, Files: isa.FileV, Optional: true},
			Slot{Kind: SlotReg, Field: isa.FieldSaddr, Files: isa.FileS, Optional: true},
			Slot{Kind: SlotImm, Field: isa.FieldOffset})
		return
	}
	b.uses = append(b.uses, Slot{Kind: SlotReg, Field: isa.FieldVaddr, Files: isa.FileV, Optional: true},
		Slot{Kind: SlotReg, Field: isa.FieldSrsrc, Files: isa.FileS, Dwords: 4},
		Slot{Kind: SlotSource, Field: isa.FieldSoffset, Files: isa.FileS | isa.FileC, Dwords: 1, Type: isa.CI32},
		Slot{Kind: SlotImm, Field: isa.FieldOffset})
}

// value adds a register or constant operand.
func (b *slotBuilder) value(o *isa.OperandInfo, class isa.ClassInfo) {
	s := Slot{Kind: SlotReg, Field: o.Field, Files: class.Files, Dwords: class.Dwords, Type: o.Type, Class: class.Flags}
	if class.Flags&isa.Mask != 0 {
		s.Dwords = uint8(b.m.MaskDwords())
	}
	if class.Files&isa.FileC != 0 || o.Type != isa.NoType {
		s.Kind = SlotSource
		s.Files |= isa.FileC
	}
	for _, e := range b.x.Encs[1:] {
		for _, p := range e.Operands() {
			if p.Field == o.Field {
				s.Files |= p.Class.Info().Files
				if p.Class.Info().Dwords != class.Dwords { // the format of a matrix decides
					s.Dwords = 0
				}
			}
		}
	}
	s.Optional = s.Optional || b.x.Traits.Any(isa.TraitTensor) && (o.Field == isa.FieldVaddr2 || o.Field == isa.FieldVaddr3)
	if b.isDef(o) {
		s.Kind = SlotReg
		b.defs = append(b.defs, s)
		return
	}
	if o.Field == isa.FieldVdata || o.Field == isa.FieldData0 || o.Field == isa.FieldData1 || o.Field == isa.FieldSdata {
		b.data = append(b.data, s)
		return
	}
	b.uses = append(b.uses, s)
}

// isDef reports whether an operand is a result.
func (b *slotBuilder) isDef(o *isa.OperandInfo) bool {
	t := b.x.Traits
	switch o.Field {
	case isa.FieldVdst: // of asynchronous loads: the LDS address
		return !t.Any(isa.TraitAsync)
	case isa.FieldSdst:
		return !b.x.Encs[0].ReadsSdst()
	case isa.FieldVdata:
		return t.Any(isa.TraitLoad) && !t.Any(isa.TraitStore) || t.Any(isa.TraitRet) && !t.Any(isa.TraitNoret) && b.x.Form != isa.FLAT
	}
	return false
}

// swap turns the source of a swap into its second result.
func (b *slotBuilder) swap() {
	if b.x.Encs[0].Swaps() {
		b.defs = append(b.defs, b.uses[0])
		b.uses[0].Kind = SlotReg
	}
}

// ray completes the slots of ray tracing. A traversal stack's address is the
// first result, because it is tied. So is a ray that instances move: its origin
// and direction are one tuple.
func (b *slotBuilder) ray() {
	e := b.x.Encs[0]
	tie := func(s Slot) Slot {
		s.Tied = true
		return s
	}
	switch {
	case !e.Kinds().Any(isa.KindBvh):
	case b.x.Form == isa.DS:
		b.defs = []Slot{b.uses[0], b.defs[0]}
		b.uses[0] = tie(b.uses[0])
	default:
		b.defs[0].Dwords = rayResult
		rsrc := b.uses[0]
		at := func(f isa.Field, dwords uint8) Slot {
			return Slot{Kind: SlotReg, Field: f, Files: isa.FileV, Dwords: dwords}
		}
		parts := e.RayParts(false)
		switch {
		case e.MovesRay():
			b.defs[0].Dwords = wideRayResult
			moved := at(isa.FieldVaddr2, 2*parts[2])
			b.defs = []Slot{moved, b.defs[0]}
			b.uses = []Slot{at(isa.FieldVaddr0, parts[0]), at(isa.FieldVaddr1, parts[1]), tie(moved), at(isa.FieldVaddr4, parts[4]), rsrc}
		case b.x.Form == isa.MIMG:
			b.uses = []Slot{at(isa.FieldVaddr, 0), rsrc}
		default:
			last := at(isa.FieldVaddr4, parts[4])
			last.Optional = true
			b.uses = []Slot{at(isa.FieldVaddr0, parts[0]), at(isa.FieldVaddr1, parts[1]), at(isa.FieldVaddr2, parts[2]), at(isa.FieldVaddr3, parts[3]), last, rsrc}
		}
	}
}

// Sizes of the results of ray tracing in dwords.
const (
	rayResult     = 4
	wideRayResult = 10
)

// tied adds the source for the old value of the result. It is used by
// operations that read the result or keep part of it, such as 16-bit d16 loads,
// and for the data of atomic operations whose result replaces the data.
func (b *slotBuilder) tied() {
	t := b.x.Traits
	atomicData := len(b.defs) > 0 && b.defs[0].Field == isa.FieldVdata && t.Any(isa.TraitStore)
	halfLoad := t.Any(isa.TraitLoad) && !t.Any(isa.TraitStore) && b.x.Encs[0].Op().Memory().D16
	if len(b.defs) > 0 && (t.Any(isa.TraitTied) || atomicData || halfLoad || b.x.Encs[0].KeepsSdst()) {
		s := b.defs[0]
		s.Tied = true
		b.uses = append(b.uses, s)
	}
}

// fixed adds the registers without a field in the encoding.
func (b *slotBuilder) fixed() {
	t := b.x.Traits
	mask := uint8(b.m.MaskDwords())
	add := func(list *[]Slot, trait isa.Traits, r Reg, dwords uint8) {
		if t.Any(trait) {
			*list = append(*list, Slot{Kind: SlotFixed, Reg: r, Dwords: dwords})
		}
	}
	add(&b.defs, isa.TraitDefScc, SCC, 1)
	add(&b.defs, isa.TraitDefVcc, VCC, mask)
	add(&b.uses, isa.TraitUseScc, SCC, 1)
	add(&b.uses, isa.TraitUseVcc, VCC, mask)
	if b.x.Form == isa.VINTERP { // LLVM's M0, which AMD's documents do not mention
		return
	}
	if b.x.Unit != UnitDS || b.m.Set.Has(isa.PropLdsM0) || t.Any(isa.TraitGws|isa.TraitGdsonly) || b.addressInM0() {
		add(&b.uses, isa.TraitUseM0, M0, 1)
	}
}

// addressInM0 reports whether M0 is the address of an LDS operation, not only
// its limit.
func (b *slotBuilder) addressInM0() bool {
	for _, o := range b.x.Encs[0].Operands() {
		if o.Field == isa.FieldAddr {
			return false
		}
	}
	return true
}

// Takes reports whether the slot accepts registers of a file.
func (s *Slot) Takes(file File) bool { return file.files()&s.Files != 0 }
