package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/compiler/prepare"
	"github.com/gfx-toolchain/gfx/ir"
)

// Functions other than kernels, and calls of them.

// signature returns the signature of a call or, without one, of the current
// function.
func (s *Selector) signature(call ir.Value) *abi.Signature {
	var sig *abi.Signature
	var err error
	if call != ir.None {
		sig, err = s.env.ABI.CallSignature(s.f, call)
	} else {
		sig, err = s.env.ABI.Signature(s.f)
	}
	if err != nil {
		s.unsupported(call, "%v", err)
		return nil
	}
	return sig
}

// argBanks chooses the banks of the current function's arguments: scalar for
// arguments passed entirely in scalar registers.
func (s *Selector) argBanks() {
	f := s.f
	for i := range f.NumArgs() {
		s.vals[f.Arg(i)].bank = bankV
	}
	if s.sig == nil {
		return
	}
	for n := 0; n < len(s.sig.Args); {
		p := &s.sig.Args[n]
		a := f.Arg(p.Arg)
		whole := s.m.IntBits(f.TypeOf(a)) != 1 && !s.m.IsAggregate(f.TypeOf(a)) && !s.isNarrow(p)
		for ; n < len(s.sig.Args) && s.sig.Args[n].Arg == p.Arg; n++ {
			r := s.sig.Args[n].Reg
			whole = whole && r != mir.NoReg && s.out.File(r) == mir.FileS
		}
		if whole {
			s.vals[a].bank = bankS
		}
	}
}

// ret selects the return from the function.
func (s *Selector) ret(t ir.Value) {
	if s.f.CC.IsKernel() {
		s.putInstr(mir.End, 0)
		return
	}
	sig := s.sig
	if sig == nil {
		return
	}
	if s.env.Entry.Kernel {
		s.exitShader(t, sig)
		return
	}
	ret := mir.R(s.input(returnAddress))
	if len(sig.Results) == 0 {
		s.deactivateEntry()
		s.putInstr(mir.Return, 0, ret)
		return
	}
	regs := s.placeParts(sig.Results, func(abi.Part) ir.Value { return s.f.Operand(t, 0) })
	s.deactivateEntry()
	s.putInstr(mir.Return, 0, append([]mir.Operand{ret}, regs...)...)
}

// exitShader selects the end of a shader or of a chain function. The results of a
// shader are the inputs of the code that follows.
func (s *Selector) exitShader(t ir.Value, sig *abi.Signature) {
	if len(sig.Results) == 0 {
		s.putInstr(mir.End, 0)
		return
	}
	alive := s.lastKill(t)
	var regs, from []mir.Operand
	for _, p := range sig.Results {
		o := s.partOperand(s.f.Operand(t, 0), &p)
		if o.Kind != mir.KindImm {
			o = s.asReg(o, s.out.File(p.Reg), 1)
		}
		regs, from = append(regs, mir.Phys(p.Reg, 1)), append(from, o)
	}
	s.putInstr(mir.Copy, len(regs), append(append([]mir.Operand{}, regs...), from...)...)
	s.deactivateEntry()
	if alive != mir.None {
		s.markEntry(s.putInstr(s.byWave(mir.SAndB32, mir.SAndB64), 2, s.exec(), mir.R(s.newSCC()), s.exec(), alive))
	}
	s.putInstr(mir.Exit, 0, regs...)
}

// killAll selects a kill of all lanes, before the last export of a pixel shader. A
// kill of some lanes belongs to the end of the shader.
func (s *Selector) killAll(v ir.Value) {
	if all, ok := s.m.IntValue(s.arg(v, 0)); ok && all == 0 {
		s.markEntry(s.putInstr(s.byWave(mir.SMovB32, mir.SMovB64), 1, s.exec(), mir.Imm(0)))
	}
}

// lastKill returns the mask of the lanes that continue after a shader (package
// prepare, endPixels), or None for all active lanes.
func (s *Selector) lastKill(t ir.Value) mir.Operand {
	v := s.f.Prev(t)
	if v == ir.None || s.f.CalledIntrinsic(v) != ir.IntrAMDGCNKill {
		return mir.None
	}
	return s.maskReg(s.arg(v, 0))
}

// placeParts copies parts of values to their registers, and returns the
// registers.
func (s *Selector) placeParts(parts []abi.Part, value func(abi.Part) ir.Value) (regs []mir.Operand) {
	var from []mir.Operand
	for _, p := range parts {
		if p.Reg == mir.NoReg {
			continue
		}
		regs = append(regs, mir.Phys(p.Reg, 1))
		from = append(from, s.asReg(s.partOperand(value(p), &p), s.out.File(p.Reg), 1))
	}
	if len(regs) > 0 {
		s.putInstr(mir.Copy, len(regs), append(append([]mir.Operand{}, regs...), from...)...)
	}
	return regs
}

// partOperand returns the dword of a value that is passed as a part.
func (s *Selector) partOperand(v ir.Value, p *abi.Part) mir.Operand {
	t := p.Type
	if !s.m.IsVector(t) {
		return s.leafOperand(v, p.Leaf, p.Dword, t)
	}
	bits := int(s.m.SizeInBits(s.m.Scalar(t)))
	at := p.Elem * bits
	o := s.leafOperand(v, p.Leaf, at/32+p.Dword, t)
	if at%32 == 0 {
		return o
	}
	d := mir.R(s.newV(1))
	s.valu(mir.VLshrrevB32, d, mir.Imm(int64(at%32)), o)
	return d
}

// returnAddress and packedIDs extend the inputs of package abi.
const (
	returnAddress = abi.NumInputs + iota
	packedIDs
)

// incoming defines the used arguments of the function, assembling parts copied
// from registers or loaded from the stack.
func (s *Selector) incoming(copyPart func(p *abi.Part) mir.Operand) {
	f := s.f
	if f.CC.IsKernel() {
		return
	}
	sig := s.sig
	if sig == nil {
		return
	}
	for n := 0; n < len(sig.Args); {
		end := n + 1
		for end < len(sig.Args) && sig.Args[end].Arg == sig.Args[n].Arg && sig.Args[end].Leaf == sig.Args[n].Leaf {
			end++
		}
		s.incomingLeaf(sig.Args[n:end], copyPart)
		n = end
	}
	for _, c := range sig.Copies {
		if a := f.Arg(c.Arg); s.vals[a].reg != mir.NoReg {
			s.putInstr(mir.VMovB32, 1, mir.R(s.vals[a].reg), mir.FrameAddr(s.out.NewObject(mir.FrameObject{Size: c.Size, Align: c.Align, Offset: int64(c.Offset), In: true}), 0))
		}
	}
}

// incomingLeaf assembles a leaf of an argument.
func (s *Selector) incomingLeaf(parts []abi.Part, copyPart func(p *abi.Part) mir.Operand) {
	a := s.f.Arg(parts[0].Arg)
	t := parts[0].Type
	dst := s.vals[a].reg
	if s.m.IsAggregate(s.f.TypeOf(a)) {
		dst = s.leaves[leafKey{a, parts[0].Leaf}]
	}
	if dst == mir.NoReg {
		return
	}
	s.gather(dst, t, parts, copyPart)
}

// gather assembles a value of a type from the parts of a signature.
func (s *Selector) gather(dst mir.Reg, t ir.Type, parts []abi.Part, part func(p *abi.Part) mir.Operand) {
	bits := int(s.m.SizeInBits(s.m.Scalar(t)))
	switch {
	case s.isBool(t):
		d := mir.R(s.newV(1))
		s.valu(mir.VAndB32, d, mir.Imm(1), part(&parts[0]))
		s.valu(mir.VCmpEqU32, mir.R(dst), mir.Imm(1), d)
		return
	case s.isNarrow(&parts[0]):
		s.gatherNarrow(dst, parts, bits, part)
		return
	}
	all := []mir.Operand{mir.R(dst)}
	for n := range parts {
		all = append(all, s.asReg(part(&parts[n]), s.out.File(dst), 1))
	}
	s.tuple(all)
}

// isNarrow reports whether a part belongs to a vector whose elements are passed
// one per register, although more would fit.
func (s *Selector) isNarrow(p *abi.Part) bool {
	bits := int(s.m.SizeInBits(s.m.Scalar(p.Type)))
	return s.m.IsVector(p.Type) && bits < 32 && p.Elems*bits < 32
}

// gatherNarrow packs elements that are passed one per register.
func (s *Selector) gatherNarrow(dst mir.Reg, parts []abi.Part, bits int, part func(p *abi.Part) mir.Operand) {
	dwords := make([]mir.Operand, s.out.Dwords(dst))
	for n := range parts {
		p := &parts[n]
		at := p.Elem * bits
		o := part(p)
		if p.Elems*bits < 32 {
			d := mir.R(s.newV(1))
			s.valu(mir.VAndB32, d, mir.Imm(1<<bits-1), o)
			o = d
		}
		d := mir.R(s.newV(1))
		switch {
		case at%32 == 0:
			dwords[at/32] = o
			continue
		case s.out.M.Has(mir.VLshlOrB32):
			s.valu(mir.VLshlOrB32, d, o, mir.Imm(int64(at%32)), dwords[at/32])
		default:
			e := mir.R(s.newV(1))
			s.valu(mir.VLshlrevB32, e, mir.Imm(int64(at%32)), o)
			s.valu(mir.VOrB32, d, e, dwords[at/32])
		}
		dwords[at/32] = d
	}
	s.tuple(append([]mir.Operand{mir.R(dst)}, dwords...))
}

// frameEnd returns the object that marks the end of the frame.
func (s *Selector) frameEnd() mir.Frame {
	for n := range s.out.Objects {
		if s.out.Objects[n].End {
			return mir.Frame(n)
		}
	}
	return s.out.NewObject(mir.FrameObject{Align: abi.StackAlign, End: true})
}

// stackPart loads or stores a dword of an argument on the stack, in a frame
// object or relative to an address.
func (s *Selector) stackPart(store bool, base mir.Operand, off int64, data mir.Operand) {
	m := memAddress{path: s.path(addrspace.Private)}
	if base.Kind == mir.KindFrame {
		base.Imm += off
		s.scratchOperands(&m, mir.None, base)
	} else {
		s.scratchOperands(&m, s.asReg(s.addScalar32(base, mir.Imm(off)), mir.FileV, 1), mir.Imm(0))
	}
	row := accessRow(4, false)
	if store {
		i := s.access(storeTable[row][m.path], &m, 0, s.asReg(data, mir.FileV, 1))
		s.setMem(i, mir.Mem{Size: 4, Align: 4, AddrSpace: addrspace.Private, Flags: mir.MemStore})
		return
	}
	i := s.access(loadTable[row][m.path], &m, 1, data)
	s.setMem(i, mir.Mem{Size: 4, Align: 4, AddrSpace: addrspace.Private, Flags: mir.MemLoad})
}

// callFunction selects a call of a function.
func (s *Selector) callFunction(v ir.Value) {
	f := s.f
	if s.m.ConstKindOf(f.Callee(v)) == ir.ConstAsm {
		s.inlineAsm(v)
		return
	}
	sig := s.signature(v)
	if sig == nil || s.m.TypeInfo(f.CallType(v)).VarArg {
		s.unsupported(v, "call of a function with variable arguments")
		return
	}
	callee, ok := s.callee(v)
	if !ok {
		return
	}
	stack := s.stackOf(v)
	at := stack
	if sig.Stack > 0 && at == mir.None {
		at = mir.FrameAddr(s.out.NewObject(mir.FrameObject{Size: uint64(sig.Stack), Align: abi.StackAlign, Out: true}), 0)
	}
	to, from := s.passArguments(v, sig, at)
	if stack != mir.None {
		to, from = append(to, mir.Phys(abi.StackPointer, 1)), append(from, s.scaledScalar32(stack, int64(abi.StackScale(s.env.Target))))
	}
	if len(to) > 0 {
		s.putInstr(mir.Copy, len(to), append(append([]mir.Operand{}, to...), from...)...)
	}
	s.finishCall(v, sig, callee, to)
}

// passArguments stores the stack arguments of a call, relative to an address.
// It returns the registers of the other arguments, and the operands to copy to
// them.
func (s *Selector) passArguments(v ir.Value, sig *abi.Signature, stack mir.Operand) (to, from []mir.Operand) {
	s.stackArguments(v, sig, stack)
	inputs := s.callInputs(v)
	args := s.args(v)
	for _, p := range sig.Args {
		if p.Reg != mir.NoReg {
			to, from = append(to, mir.Phys(p.Reg, 1)), append(from, s.asReg(s.partOperand(args[p.Arg], &p), s.out.File(p.Reg), 1))
		}
	}
	for _, in := range inputs {
		to, from = append(to, in.to), append(from, in.from)
	}
	return to, from
}

// finishCall emits the call and defines its results.
func (s *Selector) finishCall(v ir.Value, sig *abi.Signature, callee mir.Operand, uses []mir.Operand) {
	ret := mir.Phys(abi.ReturnAddress, 2)
	ret.Flags = mir.Dead
	var defs []mir.Operand
	for _, p := range sig.Results {
		defs = append(defs, mir.Phys(p.Reg, 1))
	}
	defs = append(defs, ret)
	n := len(defs)
	call := s.putInstr(mir.Call, n, append(append(defs, callee), uses...)...)
	if sig.Convention == abi.Graphics {
		s.out.SetFlags(call, s.out.Flags(call)|mir.Graphics)
	}
	if n == 1 {
		return
	}
	got := make([]mir.Operand, n-1)
	for k := range got {
		got[k] = mir.R(s.newV(1))
	}
	s.putInstr(mir.Copy, n-1, append(append([]mir.Operand{}, got...), defs[:n-1]...)...)
	t := s.f.TypeOf(v)
	for k := 0; k < len(sig.Results); {
		end := k + 1
		for end < len(sig.Results) && sig.Results[end].Leaf == sig.Results[k].Leaf {
			end++
		}
		dst := s.vals[v].reg
		if s.m.IsAggregate(t) {
			dst = s.leaves[leafKey{v, sig.Results[k].Leaf}]
		}
		if dst != mir.NoReg {
			first := k
			s.gather(dst, sig.Results[k].Type, sig.Results[k:end], func(p *abi.Part) mir.Operand {
				for x := first; x < end; x++ {
					if &sig.Results[x] == p {
						return got[x]
					}
				}
				panic("BUG: isel: parts from different results")
			})
		}
		k = end
	}
}

// callee returns the target of a call: a symbol, or an address in scalar
// registers.
func (s *Selector) callee(v ir.Value) (mir.Operand, bool) {
	f := s.f
	c := f.Callee(v)
	if c.IsConst() && s.m.ConstKindOf(c) == ir.ConstGlobal {
		if g := s.m.ConstGlobal(c); g.Func != nil && !g.IsDeclaration() {
			return mir.SymbolAddr(s.out.Symbol(g.Name()), s.symbolHalf(g), 0), true
		} else if g.Func != nil {
			if feature := opt.StringAttr(g.Func, prepare.MissingFeature); feature != "" {
				return s.missing(v, g.Name(), feature)
			}
		}
	}
	if c.IsLocal() && s.uniform.Divergent(c) {
		s.unsupported(v, "call of a divergent function pointer")
		return mir.None, false
	}
	return s.asReg(s.scalar(c), mir.FileS, 2), true
}

// missing selects a call of a function that was removed because the processor
// lacks a feature. Optimizations have removed the calls that only other
// processors make; without them, the callee is null.
func (s *Selector) missing(v ir.Value, name, feature string) (mir.Operand, bool) {
	if !s.env.Optimized {
		return s.asReg(s.scalar(s.m.Zero(s.typeOf(s.f.Callee(v)))), mir.FileS, 2), true
	}
	s.impossible(v, "call of @%s, which requires %s: %s lacks this feature", name, feature, s.env.Target.Processor.Name)
	return mir.None, false
}

// stackOf returns the address of a callee's stack, or None for the stack
// pointer common to all calls.
func (s *Selector) stackOf(v ir.Value) mir.Operand {
	end, _ := prepare.StackOf(s.f, v)
	if end == ir.None {
		return mir.None
	}
	return s.asReg(s.scalar(end), mir.FileS, 1)
}

// stackArguments stores the arguments that are not in registers, relative to an
// address.
func (s *Selector) stackArguments(v ir.Value, sig *abi.Signature, stack mir.Operand) {
	if sig.Stack == 0 {
		return
	}
	args := s.args(v)
	for _, p := range sig.Args {
		if p.Reg == mir.NoReg {
			s.stackPart(true, stack, int64(p.Stack), s.partOperand(args[p.Arg], &p))
		}
	}
	for _, c := range sig.Copies {
		a := s.address(args[c.Arg])
		for off := int64(0); off < int64(c.Size); off += 4 {
			from := a
			from.offset += off
			from.terms = append([]term{}, a.terms...)
			d := mir.R(s.newV(1))
			m := memAddress{path: s.path(addrspace.Private)}
			s.privateAddress(&m, &from)
			i := s.access(loadTable[accessRow(4, false)][m.path], &m, 1, d)
			s.setMem(i, mir.Mem{Size: 4, Align: 4, AddrSpace: addrspace.Private, Flags: mir.MemLoad})
			s.stackPart(true, stack, int64(c.Offset)+off, d)
		}
	}
}

// passedInput is an input that a call passes to its callee.
type passedInput struct{ to, from mir.Operand }

// callInputs returns the inputs that the callee expects.
func (s *Selector) callInputs(v ir.Value) (list []passedInput) {
	in := s.env.ABI.CallInputs(s.f, v)
	entry := abi.CalleePlaces(s.env.Target, in)
	ids := abi.Inputs(0)
	for k := range abi.NumInputs {
		if r := entry.At[k].Reg; !entry.Inputs.Has(k) || r >= mir.TTMP0 && r < mir.M0 { // the same registers in all functions
			continue
		}
		switch k {
		case abi.WorkItemIDX, abi.WorkItemIDY, abi.WorkItemIDZ:
			ids |= 1 << k
			continue
		case abi.PrivateSegmentBuffer:
			continue // the same in all functions
		}
		list = append(list, passedInput{mir.Phys(entry.At[k].Reg, int(entry.At[k].Dwords)), s.passed(k)})
	}
	if ids != 0 {
		list = append(list, passedInput{mir.Phys(abi.WorkItemIDs, 1), s.packIDs(ids)})
	}
	return list
}

// passed returns an input of the current function for a callee.
func (s *Selector) passed(k abi.Input) mir.Operand {
	if k != abi.ImplicitArgPtr || !s.f.CC.IsKernel() {
		if s.env.Entry.At[k].Reg == mir.NoReg {
			d := mir.R(s.newS(int(max(inputDwords(k), 1))))
			s.putInstr(mir.Undefined, 1, d)
			return d
		}
		return mir.R(s.input(k))
	}
	base := mir.R(s.input(abi.KernargSegmentPtr))
	return s.sumUniform(base, nil, s.env.ImplicitArgs)
}

// packIDs returns the work-item IDs in the format that functions expect, 10
// bits each.
func (s *Selector) packIDs(ids abi.Inputs) mir.Operand {
	at := &s.env.Entry.At
	for k := abi.WorkItemIDX; k <= abi.WorkItemIDZ; k++ {
		if ids.Has(k) && at[k].Bits != 0 {
			return mir.R(s.input(packedIDs))
		}
	}
	sum := mir.None
	for k := abi.WorkItemIDX; k <= abi.WorkItemIDZ; k++ {
		if !ids.Has(k) || at[k].Reg == mir.NoReg {
			continue
		}
		o := mir.R(s.input(k))
		if k == abi.WorkItemIDX {
			sum = o
			continue
		}
		d := mir.R(s.newV(1))
		s.valu(mir.VLshlrevB32, d, mir.Imm(int64(k-abi.WorkItemIDX)*10), o)
		if sum != mir.None {
			e := mir.R(s.newV(1))
			s.valu(mir.VOrB32, e, d, sum)
			d = e
		}
		sum = d
	}
	if sum == mir.None {
		return mir.Imm(0)
	}
	return sum
}
