package abi

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/codegen/mir"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Part is one dword of an argument or result of a call, and where it goes. An aggregate is its leaves in order,
// which are scalars and vectors.
type Part struct {
	Arg   int     // the argument's number
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
// functions: the first ones in v0 to v30 (v31 has the work-item IDs), results in v0 to v31, the rest on the stack. Arguments with inreg
// take SGPRs up to s29 that are not those of inputs, and VGPRs when there are no more.
type Signature struct {
	Args    []Part
	Copies  []StackArg
	Results []Part // passes have made memory of the caller of a result that does not fit
	Stack   uint32 // bytes of a lane that arguments take on the stack, a multiple of 4
}

const (
	argSGPRs    = 30
	argVGPRs    = 31
	resultVGPRs = 32
)

// Signature gives where the arguments and results of a function with a body are.
func (a *Module) Signature(f *ir.Function) (*Signature, error) {
	return signatureOf(a.m, a.Target, f.Type, f.Attributes, functionInputs&^a.excluded(f.Attributes), f.CC)
}

// CallSignature gives where the arguments and results of a call are.
func (a *Module) CallSignature(f *ir.Function, call ir.Value) (*Signature, error) {
	inputs := functionInputs &^ a.excluded(f.CallAttrs(call))
	if c := a.callee(f, call); c != nil {
		inputs = functionInputs &^ a.excluded(c.Attributes)
	}
	return signatureOf(a.m, a.Target, f.CallType(call), f.CallAttrs(call), inputs, f.CallConv(call))
}

// signatureOf gives the signature of a function type with attributes of the function or of the call, the inputs whose registers
// arguments leave alone, and a calling convention. It is an error when the convention is one that code generation does not have.
func signatureOf(m *ir.Module, t *target.Target, fn ir.Type, attrs ir.AttrList, inputs Inputs, cc ir.CallConv) (*Signature, error) {
	if err := checkConvention(cc); err != nil {
		return nil, err
	}
	info := m.TypeInfo(fn)
	if info.VarArg {
		return nil, fmt.Errorf("functions with a variable number of arguments are not supported")
	}
	b := signatureBuilder{m: m, t: t, s: new(Signature), taken: inputSGPRs(t, inputs)}
	if m.TypeInfo(info.Elem).Kind != ir.KindVoid {
		leaf := 0
		b.value(0, info.Elem, &leaf, &b.s.Results)
	}
	if n := len(b.s.Results); n > resultVGPRs {
		return nil, fmt.Errorf("a result of %d registers is more than %d", n, resultVGPRs)
	}
	for n := range b.s.Results {
		b.s.Results[n].Reg = mir.VGPR(n)
	}
	for n, p := range info.Elems {
		set := m.AttrsAt(attrs, ir.AttrParams+n)
		switch a, byVal := m.Attr(set, ir.AttrByVal); {
		case byVal:
			b.copy(n, a.Type, set)
		default:
			leaf := 0
			from := len(b.s.Args)
			b.value(n, p, &leaf, &b.s.Args)
			b.place(b.s.Args[from:], m.HasAttr(set, ir.AttrInReg))
		}
	}
	return b.s, nil
}

// conventions are those that functions may have. All of them are the same.
var conventions = lazy.Value[map[ir.CallConv]bool]{Make: func() map[ir.CallConv]bool {
	return map[ir.CallConv]bool{ir.CC: true, ir.CCFast: true, ir.CCCold: true, ir.CCSPIRFunc: true}
}}

func checkConvention(cc ir.CallConv) error {
	if !conventions.Get()[cc] {
		return fmt.Errorf("the calling convention %v is not supported", cc)
	}
	return nil
}

type signatureBuilder struct {
	m *ir.Module
	t *target.Target
	s *Signature

	taken uint64 // SGPRs, a bit for each
	vgprs int
}

// inputSGPRs gives the SGPRs of inputs of a function, a bit for each: those of work-group IDs as well where these are elsewhere.
func inputSGPRs(t *target.Target, inputs Inputs) (set uint64) {
	if ScratchAccessOf(t) == ScratchBuffer {
		set = (1<<sizes[PrivateSegmentBuffer] - 1) << ScratchResource.Index()
	}
	for _, x := range inFunctions {
		if inputs.Has(x.in) {
			set |= (1<<sizes[x.in] - 1) << x.reg
		}
	}
	return set
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
	width := b.m.SizeInBits(elem)
	step := 1
	if width == 16 && info.Kind == ir.KindVector && b.t.Processor.Is(target.GFX8) {
		step = 2
	}
	for e := 0; e < elems; e += step {
		for d := range max(int(width+31)/32, 1) {
			*to = append(*to, Part{Arg: n, Leaf: *leaf, Type: t, Elem: e, Elems: min(step, elems-e), Dword: d})
		}
	}
	*leaf++
}

// place gives the parts of an argument their registers, in order, and the rest places on the stack.
func (b *signatureBuilder) place(parts []Part, inReg bool) {
	for n := range parts {
		free := bits.TrailingZeros64(^b.taken)
		switch {
		case inReg && free < argSGPRs:
			parts[n].Reg = mir.SGPR(free)
			b.taken |= 1 << free
		case b.vgprs < argVGPRs:
			parts[n].Reg = mir.VGPR(b.vgprs)
			b.vgprs++
		default:
			parts[n].Stack = b.s.Stack
			b.s.Stack += 4
		}
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
