package abi

import (
	"fmt"
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Part is one dword of an argument or result, and its location. An aggregate is
// passed as its scalar and vector leaves, in order.
type Part struct {
	Arg   int     // argument number
	Leaf  int     // leaf number within the argument
	Type  ir.Type // of the leaf
	Elem  int     // first vector element in the dword
	Elems int     // number of elements in the dword: 1, or 2 of 16 bits, low half first
	Dword int     // dword within an element wider than 32 bits

	Reg   mir.Reg // NoReg if the part is on the stack
	Stack uint32  // offset from the stack pointer at the call, in bytes per lane
}

// StackArg is an argument passed as a copy on the stack (byval).
type StackArg struct {
	Arg    int
	Type   ir.Type
	Offset uint32 // from the stack pointer at the call, in bytes per lane
	Size   uint64
	Align  uint32
}

// Signature holds the locations of a function's arguments and results,
// following LLVM's convention. Each scalar takes a VGPR: arguments v0 to v30
// (v31 holds the work-item IDs), results v0 to v31. Further arguments are on
// the stack. Arguments with inreg take SGPRs up to s29 that hold no inputs,
// then VGPRs. Graphics functions have other limits, take no VGPRs for arguments
// with inreg, and pass i1 on the stack.
type Signature struct {
	Args    []Part
	Copies  []StackArg
	Results []Part // earlier passes return larger results through the caller's memory

	Convention Convention
	Stack      uint32 // stack size of the arguments in bytes per lane, a multiple of 4
}

// Signature returns the signature of a function with a body.
func (a *Module) Signature(f *ir.Function) (*Signature, error) {
	skip := allArgs
	first := 0
	if f.CC == ir.CCAMDGPUPS {
		in := a.PixelInputs(f)
		first, skip = in.unused(), in.skips
	}
	return signatureOf(a.m, a.Target, f.Type, f.Attributes, functionInputs&^a.excluded(f.Attributes), f.CC, first, skip)
}

// ChainParts returns the locations of a chain call's arguments of a type, in
// scalar or in vector registers.
func (a *Module) ChainParts(t ir.Type, scalar bool) ([]Part, error) {
	b := signatureBuilder{m: a.m, t: a.Target, s: &Signature{Convention: Chain}, rules: &conventionTable[Chain], vgprs: conventionTable[Chain].vgprs.at}
	leaf := 0
	b.value(0, t, &leaf, &b.s.Args)
	b.placeParts(b.s.Args, scalar)
	if b.s.Stack > 0 {
		return nil, fmt.Errorf("arguments of %d registers", len(b.s.Args))
	}
	return b.s.Args, nil
}

// allArgs skips no argument.
func allArgs(int) bool { return false }

// CallSignature returns the signature of a call.
func (a *Module) CallSignature(f *ir.Function, call ir.Value) (*Signature, error) {
	inputs := functionInputs &^ a.excluded(f.CallAttrs(call))
	if c := a.callee(f, call); c != nil {
		inputs = functionInputs &^ a.excluded(c.Attributes)
	}
	return signatureOf(a.m, a.Target, f.CallType(call), f.CallAttrs(call), inputs, f.CallConv(call), 0, allArgs)
}

// signatureOf returns the signature for a function type, the attributes of the
// function or call, and a calling convention. Arguments avoid the registers of
// inputs and the first unused VGPRs; those that skip reports have no registers.
// It returns an error for unsupported calling conventions.
func signatureOf(m *ir.Module, t *target.Target, fn ir.Type, attrs ir.AttrList, inputs Inputs, cc ir.CallConv, unused int, skip func(arg int) bool) (*Signature, error) {
	convention, err := conventionOf(cc)
	if err != nil {
		return nil, err
	}
	info := m.TypeInfo(fn)
	if info.VarArg {
		return nil, fmt.Errorf("functions with a variable number of arguments are not supported")
	}
	b := signatureBuilder{m: m, t: t, s: &Signature{Convention: convention}, rules: &conventionTable[convention]}
	b.taken[0] = 1<<b.rules.sgprs.at - 1
	if convention == Compute {
		b.taken[0] = inputSGPRs(t, inputs)
	}
	b.vgprs = b.rules.vgprs.at + unused
	if m.TypeInfo(info.Elem).Kind != ir.KindVoid {
		leaf := 0
		b.value(0, info.Elem, &leaf, &b.s.Results)
	}
	if err := b.placeResults(); err != nil {
		return nil, err
	}
	for n, p := range info.Elems {
		set := m.AttrsAt(attrs, ir.AttrParams+n)
		switch a, byVal := m.Attr(set, ir.AttrByVal); {
		case byVal && convention != Compute:
			return nil, fmt.Errorf("byval arguments of the calling convention %v are not supported", cc)
		case byVal:
			b.copy(n, a.Type, set)
		default:
			leaf := 0
			from := len(b.s.Args)
			b.value(n, p, &leaf, &b.s.Args)
			if skip(n) {
				b.s.Args = b.s.Args[:from]
				continue
			}
			b.placeParts(b.s.Args[from:], m.HasAttr(set, ir.AttrInReg))
		}
	}
	if b.rules.noStack && b.s.Stack > 0 {
		return nil, fmt.Errorf("arguments that need more than %d SGPRs or %d VGPRs", b.rules.sgprs.end, b.rules.vgprs.end)
	}
	return b.s, nil
}

// placeResults assigns registers to the parts of the result.
func (b *signatureBuilder) placeResults() error {
	scalars, vectors := 0, 0
	for n := range b.s.Results {
		p := &b.s.Results[n]
		if b.rules.scalars > 0 && !b.isFloat(p.Type) {
			p.Reg = mir.SGPR(scalars)
			scalars++
			continue
		}
		p.Reg = mir.VGPR(vectors)
		vectors++
	}
	switch {
	case vectors > b.rules.results:
		return fmt.Errorf("a result of %d registers is more than %d", vectors, b.rules.results)
	case scalars > b.rules.scalars:
		return fmt.Errorf("a result of %d scalar registers is more than %d", scalars, b.rules.scalars)
	}
	return nil
}

// isFloat reports whether a shader returns values of a type in VGPRs: numbers
// of up to 32 bits. Wider ones are returned like integers.
func (b *signatureBuilder) isFloat(t ir.Type) bool {
	scalar := b.m.Scalar(t)
	return b.m.IsFloat(scalar) && b.m.SizeInBits(scalar) <= 32
}

type signatureBuilder struct {
	m *ir.Module
	t *target.Target
	s *Signature

	rules *conventionRules
	taken [2]uint64 // SGPRs in use, one bit for each
	vgprs int
}

// freeSGPR returns the number of the first unused SGPR.
func (b *signatureBuilder) freeSGPR() int {
	if n := bits.TrailingZeros64(^b.taken[0]); n < 64 {
		return n
	}
	return 64 + bits.TrailingZeros64(^b.taken[1])
}

// inputSGPRs returns the SGPRs of a function's inputs, one bit for each. It
// includes the SGPRs of work-group IDs even on processors that keep the IDs
// elsewhere.
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

// copy assigns a stack location to a byval argument.
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

// value appends the parts of a value of type t.
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

// placeParts assigns registers to the parts of an argument, in order, and stack
// locations to the rest.
func (b *signatureBuilder) placeParts(parts []Part, inReg bool) {
	for n := range parts {
		free := b.freeSGPR()
		inSGPR, inVGPR := inReg, !inReg || b.rules.vgprsToo
		if b.s.Convention == Graphics && parts[n].Type == ir.I1 {
			inSGPR, inVGPR = false, false
		}
		switch {
		case inSGPR && free < b.rules.sgprs.end:
			parts[n].Reg = mir.SGPR(free)
			b.taken[free/64] |= 1 << (free % 64)
		case inVGPR && b.vgprs < b.rules.vgprs.end:
			parts[n].Reg = mir.VGPR(b.vgprs)
			b.vgprs++
		default:
			parts[n].Stack = b.s.Stack
			b.s.Stack += 4
		}
	}
}

// StackAlign is the alignment of the stack pointer in bytes per lane.
const StackAlign = 16

// StackScale returns the factor from bytes per lane to the units of the stack
// and frame pointers.
func StackScale(t *target.Target) int {
	if ScratchAccessOf(t) == ScratchBuffer {
		return t.WaveSize()
	}
	return 1
}
