package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

//go:generate go run ../../cmd/intringen -table intrinsics.tsv -ir ../../../ir/table/intrinsics.tsv -out intrinsics_gen.go -images ../opt/images_gen.go -doc ../../../docs/intrinsics.md

// rowKind is the method of selecting calls of an intrinsic.
type rowKind uint8

const (
	kindNone         rowKind = iota // not supported
	kindOp                          // one operation
	kindLane                        // one operation for each dword
	kindBuffer                      // access through a buffer resource
	kindScalarBuffer                // the same by scalar memory if uniform
	kindGo                          // a Go function
	kindImage                       // an image instruction; the operand is the dimension
	kindSpecial                     // uses the function's inputs in registers
)

// intrinsicRow is a row of intrinsics.tsv for one intrinsic.
type intrinsicRow struct {
	id       ir.Intrinsic
	kind     rowKind
	uniform  bool // for calls with only scalar arguments
	handler  handlerID
	op       mir.Op
	types    []typeSel
	operands []rowOperand
	note     string // reason why it is not supported
}

// typeSel matches an overloaded type.
type typeSel struct {
	at   int8   // position: a parameter, -1 for the result, -2-n for field n of the result
	elem byte   // i, f or b (bfloat), 0 for any
	n    uint8  // number of elements; 0 for any type with this total number of bits, 0 for any
	bits uint16 // per element, or in total if n is 0
}

// rowOperand is a source or a modifier of a row.
type rowOperand struct {
	kind  operandKind
	isArg bool
	n     int16 // argument number, or a constant
}

// operandKind is the use of an argument or constant of a row.
type operandKind uint8

const (
	argValue        operandKind = iota // a source
	argImm                             // an immediate constant
	argM0                              // moved to M0
	argGlobal                          // a global memory address: three operands
	argAtomicGlobal                    // the same for an atomic operation that returns the old value
	argDS                              // an LDS address: two operands
	argOld                             // the value that DPP leaves in lanes without a source lane
	modNeg0
	modNeg1
	modNeg2
	modOpSel0
	modOpSel1
	modOpSel2
	modOpSel3
	modByteIn   // two bits in op_sel of sources 0 and 1
	modByteSel  // the same, the high bit first
	modByteOut  // two bits in op_sel of source 2 and of the result
	modScaleSel // four bits in op_sel
	modClamp
	modBitOp3
	modCBSZ
	modABID
	modBLGP
	modNegPk0 // negates both halves of source 0
	modNegPk1
	modC // 1: negates source 2; 2: takes its absolute value
	modAFmt
	modBFmt
	modAScale
	modBScale
	modAScaleFmt
	modBScaleFmt
	modAReuse
	modBReuse
	modCPol
	modDPP  // this argument and the next three
	modDPP8 // lanes
	modEarly
	modTied
	modRDNA     // only on processors with graphics
	modE5M3     // only on processors whose clamp selects the format E5M3
	modNoResult // a sample whose result nothing uses
	bufferLoad
	bufferStore
	bufferAtomic
	bufferFormat
)

// rowsOf returns the rows of an AMDGPU intrinsic.
func rowsOf(id ir.Intrinsic) []intrinsicRow {
	n := int(id) - int(firstAMDGCN)
	if n < 0 || n+1 >= len(intrinsicFirst) {
		return nil
	}
	return intrinsicRows[intrinsicFirst[n]:intrinsicFirst[n+1]]
}

// row returns the row that selects a call, or nil if this machine has none for
// the call's types.
func (s *Selector) row(v ir.Value) *intrinsicRow {
	rows := rowsOf(s.f.CalledIntrinsic(v))
	for i := range rows {
		r := &rows[i]
		switch {
		case !s.typesFit(v, r) || !s.machineHas(r):
		case r.uniform && (s.uniform.Divergent(v) || !s.argsScalar(v)):
		case r.handler != handlerNone && !s.handlerFits(v, r):
		default:
			return r
		}
	}
	return nil
}

// machineHas reports whether the machine has the operation of a row, with DPP
// and the other properties that the row needs.
func (s *Selector) machineHas(r *intrinsicRow) bool {
	if !s.out.M.Has(r.op) {
		return false
	}
	info := s.out.M.Info(r.op)
	if r.kind == kindImage && len(r.operands) > 1 && r.operands[1].kind == argImm && !imageForm(r.operands[1].n).fits(info) {
		return false
	}
	for _, o := range r.operands {
		if o.kind == modDPP && info.DPP == isa.NoEnc || o.kind == modDPP8 && info.DPP8 == isa.NoEnc {
			return false
		}
		if int(o.kind) < len(operandNeeds) && operandNeeds[o.kind] != 0 && !s.set.Has(operandNeeds[o.kind]) {
			return false
		}
	}
	return true
}

// typesFit reports whether a row matches the overloaded types of a call.
func (s *Selector) typesFit(v ir.Value, r *intrinsicRow) bool {
	for i := range r.types {
		x := &r.types[i]
		t := s.f.TypeOf(v)
		switch {
		case x.at >= 0:
			t = s.typeOf(s.arg(v, int(x.at)))
		case x.at < -1:
			t = s.m.TypeInfo(t).Elems[-2-x.at]
		case t != ir.Void && s.hasStatus(t, r):
			t = s.m.ElementType(t, 0)
		}
		if !s.typeFits(t, x) {
			return false
		}
	}
	return true
}

func (s *Selector) typeFits(t ir.Type, x *typeSel) bool {
	if x.n == 0 {
		return x.bits == 0 || s.m.Kind(t) != ir.KindStruct && s.m.SizeInBits(t) == uint64(x.bits)
	}
	elem, n := s.m.Scalar(t), uint64(1)
	if s.m.IsVector(t) {
		n = s.m.NumElements(t)
	}
	if n != uint64(x.n) || s.m.SizeInBits(elem) != uint64(x.bits) {
		return false
	}
	switch x.elem {
	case 'i':
		return s.m.IntBits(elem) != 0
	case 'f':
		return s.m.IntBits(elem) == 0 && s.m.Kind(elem) != ir.KindBFloat
	case 'b':
		return s.m.Kind(elem) == ir.KindBFloat
	}
	return true
}

// arg returns argument n of a call.
func (s *Selector) arg(v ir.Value, n int) ir.Value { return s.f.Args(v)[n].Value }

// constArg returns an argument that is a constant integer.
func (s *Selector) constArg(v ir.Value, n int) int64 {
	x := s.arg(v, n)
	bits, ok := s.intValue(x)
	if !ok {
		s.unsupported(v, "%v with an argument that is not a constant", s.f.CalledIntrinsic(v))
		return 0
	}
	return signExtend(bits, s.m.IntBits(s.typeOf(x)))
}

// flagArg returns a constant i1 argument as 0 or 1.
func (s *Selector) flagArg(v ir.Value, n int) mir.Mods { return mir.Mods(s.constArg(v, n) & 1) }

// targetBank chooses the bank of an AMDGPU intrinsic's value.
func (s *Selector) targetBank(v ir.Value) bank {
	r := s.row(v)
	if r == nil {
		return bankV
	}
	switch r.kind {
	case kindOp, kindLane:
		info := s.out.M.Info(r.op)
		if info.Defs > 0 && (isScalarSlot(&info.Slots[0]) && !s.isBool(s.f.TypeOf(v)) || isSCC(&info.Slots[0])) {
			return bankS
		}
	case kindScalarBuffer:
		if !s.uniform.Divergent(v) && s.argsScalar(v) {
			return bankS
		}
	case kindGo:
		return s.handlerBank(v, r)
	}
	return bankV
}

func isSCC(x *mir.Slot) bool { return x.Kind == mir.SlotFixed && x.Reg == mir.SCC }

// isScalarSlot reports whether an operand must be in scalar registers.
func isScalarSlot(x *mir.Slot) bool {
	return x.Kind != mir.SlotImm && x.Kind != mir.SlotFixed && !slotTakes(x, mir.FileV) && !slotTakes(x, mir.FileA)
}

// targetIntrinsic selects a call of an AMDGPU intrinsic.
func (s *Selector) targetIntrinsic(v ir.Value, id ir.Intrinsic) bool {
	if rowsOf(id) == nil {
		return false
	}
	s.amdgcn(v, id, s.row(v))
	return true
}

func (s *Selector) amdgcn(v ir.Value, id ir.Intrinsic, r *intrinsicRow) {
	if r == nil {
		s.unsupported(v, "%v on %v", id, s.out.M.Set)
		return
	}
	switch r.kind {
	case kindOp:
		s.rowOp(v, r)
	case kindLane:
		s.rowLanes(v, r)
	case kindBuffer:
		s.rowBuffer(v, r)
	case kindScalarBuffer:
		s.rowScalarBuffer(v, r)
	case kindImage:
		s.rowImage(v, r)
	case kindGo:
		s.runHandler(v, r)
	default:
		s.unsupported(v, "%v (%s)", id, r.note)
	}
}
