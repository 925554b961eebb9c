package abi

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Part is one dword of an argument or result of a call, and where it goes. An aggregate is its leaves in order,
// which are scalars and vectors.
type Part struct {
	Arg   int     // the argument's number, -1 for the address of a result in memory
	Leaf  int     // the number of the leaf in the argument
	Type  ir.Type // of the leaf
	Elem  int     // the first element of a vector that is in the dword
	Elems int     // the number of elements in it: 1, or 2 of 16 bits, low half first
	Dword int     // the dword of an element that is wider than 32 bits

	Reg   mir.Reg // NoReg when it is on the stack
	Stack uint32  // offset in bytes of a lane from the stack pointer at the call
}

// StackArg is an argument that is passed as a copy on the stack (byval).
type StackArg struct {
	Arg    int
	Type   ir.Type
	Offset uint32 // in bytes of a lane from the stack pointer at the call
	Size   uint64
	Align  uint32
}

// Signature says where the arguments and results of a function are. Every scalar takes a VGPR, as in LLVM's convention of
// functions: the first ones in v0 to v30 (v31 has the work-item IDs), results in v0 to v31, the rest on the stack.
type Signature struct {
	Args    []Part
	Copies  []StackArg
	Results []Part
	// InMemory is set when the result does not fit into registers. Then the caller gives the private address (32 bits) of memory for it as
	// an argument before all others (Args[0], with Arg -1), and Results is empty.
	InMemory bool
	Stack    uint32 // bytes of a lane that arguments take on the stack, a multiple of 4
}

const (
	argVGPRs    = 31
	resultVGPRs = 32
)

// SignatureOf gives the signature of a function type with attributes of the function or of the call, and a calling convention. It
// is an error when the convention is one that code generation does not have.
func SignatureOf(m *ir.Module, t *target.Target, fn ir.Type, attrs ir.AttrList, cc ir.CallConv) (*Signature, error) {
	if err := checkConvention(cc); err != nil {
		return nil, err
	}
	info := m.TypeInfo(fn)
	if info.VarArg {
		return nil, fmt.Errorf("functions with a variable number of arguments are not supported")
	}
	b := signatureBuilder{m: m, t: t, s: new(Signature)}
	if m.TypeInfo(info.Elem).Kind != ir.KindVoid {
		leaf := 0
		b.value(0, info.Elem, &leaf, &b.s.Results)
		b.s.InMemory = len(b.s.Results) > resultVGPRs
	}
	if b.s.InMemory {
		b.s.Results = nil
		b.s.Args = append(b.s.Args, Part{Arg: -1, Type: m.PtrType(spacePrivate), Elems: 1})
	}
	for n := range b.s.Results {
		b.s.Results[n].Reg = mir.VGPR(n)
	}
	for n, p := range info.Elems {
		set := m.AttrsAt(attrs, ir.AttrParams+n)
		switch a, byVal := m.Attr(set, ir.AttrByVal); {
		case m.HasAttr(set, ir.AttrInReg):
			return nil, fmt.Errorf("argument %d: arguments in scalar registers (inreg) are not supported", n)
		case byVal:
			b.copy(n, a.Type, set)
		default:
			leaf := 0
			b.value(n, p, &leaf, &b.s.Args)
		}
	}
	b.place()
	return b.s, nil
}

// conventions are those that functions may have. All of them are the same.
var conventions = map[ir.CallConv]bool{ir.CC: true, ir.CCFast: true, ir.CCCold: true, ir.CCSPIRFunc: true}

func checkConvention(cc ir.CallConv) error {
	if !conventions[cc] {
		return fmt.Errorf("the calling convention %v is not supported", cc)
	}
	return nil
}

type signatureBuilder struct {
	m *ir.Module
	t *target.Target
	s *Signature
}

// copy puts an argument on the stack.
func (b *signatureBuilder) copy(n int, t ir.Type, set ir.AttrSet) {
	align := b.m.ABIAlign(t)
	if a, ok := b.m.Attr(set, ir.AttrAlign); ok {
		align = uint32(a.Int)
	}
	align = max(align, 4)
	at := (b.s.Stack + align - 1) &^ (align - 1)
	size := b.m.AllocSize(t)
	b.s.Copies = append(b.s.Copies, StackArg{Arg: n, Type: t, Offset: at, Size: size, Align: align})
	b.s.Stack = at + uint32(size+3)&^3
}

// value appends the parts of a value.
func (b *signatureBuilder) value(n int, t ir.Type, leaf *int, to *[]Part) {
	info := b.m.TypeInfo(t)
	if info.Kind == ir.KindStruct || info.Kind == ir.KindArray {
		for k := range b.m.NumElements(t) {
			b.value(n, b.m.ElementType(t, k), leaf, to)
		}
		return
	}
	elem, elems := t, 1
	if info.Kind == ir.KindVector {
		elem, elems = info.Elem, int(info.N)
	}
	bits := b.m.SizeInBits(elem)
	step := 1
	if bits == 16 && info.Kind == ir.KindVector && b.t.Processor.Is(target.GFX8) {
		step = 2
	}
	for e := 0; e < elems; e += step {
		for d := range max(int(bits+31)/32, 1) {
			*to = append(*to, Part{Arg: n, Leaf: *leaf, Type: t, Elem: e, Elems: min(step, elems-e), Dword: d})
		}
	}
	*leaf++
}

// place gives the parts of arguments their registers, in order, and the rest places on the stack.
func (b *signatureBuilder) place() {
	for n := range b.s.Args {
		if n < argVGPRs {
			b.s.Args[n].Reg = mir.VGPR(n)
			continue
		}
		b.s.Args[n].Stack = b.s.Stack
		b.s.Stack += 4
	}
}

// Preserved reports whether a function leaves a register as its caller had it: of scalar registers from s30 to s39, then of every
// 16 the first eight, of VGPRs from v40 on of every 16 the last eight, AGPRs from a32 on. The lanes of a VGPR that are off are always left
// as they are.
func Preserved(r mir.Reg) bool {
	n := r.Index()
	switch {
	case r >= mir.AGPR0:
		return n >= 32
	case r >= mir.VGPR0:
		return n >= 40 && n&8 != 0
	}
	return n >= 30 && n < 40 || n >= 48 && n < 106 && (n&8 == 0 || n >= 104) || r == mir.Exec || r == mir.Exec+1 ||
		r >= mir.TTMP0 && r < mir.M0
}

// StackAlign is the alignment of the stack pointer in bytes of a lane.
const StackAlign = 16

// StackScale gives by what bytes of a lane are multiplied in the stack pointer and the frame pointer.
func StackScale(t *target.Target) int {
	if ScratchAccessOf(t) == ScratchBuffer {
		return t.WaveSize()
	}
	return 1
}
