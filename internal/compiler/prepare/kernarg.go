package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/emit"
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// KernelArg is the location of a kernel argument in the kernarg segment.
type KernelArg struct {
	Offset uint64 // bytes from the start of the segment
	Size   uint64 // in bytes
	Align  uint64 // in bytes
	Type   ir.Type
	ByRef  bool // the argument is a pointer to a value of that type in the segment
}

// KernelArgs is the kernarg segment of a kernel.
type KernelArgs struct {
	Args     []KernelArg
	Explicit uint64 // bytes of the declared arguments, starting at the first one
	Base     uint64 // offset of the first argument
	Implicit uint64 // offset of the implicit arguments (llvm.amdgcn.implicitarg.ptr)
	Align    uint64 // required alignment of the segment
}

// legacyArgBase is the number of bytes before the arguments if no runtime's ABI
// applies: the grid sizes that old drivers pass.
const legacyArgBase = 36

// KernelArgsOf returns the layout of a kernel's kernarg segment for an
// operating system: values in order, each at the next offset with the data
// layout's alignment (for a byref argument, its own alignment).
func KernelArgsOf(f *ir.Function, os target.OS) KernelArgs {
	m := f.Module()
	k := KernelArgs{Args: make([]KernelArg, f.NumArgs()), Align: 1}
	if os == target.UnknownOS {
		k.Base = legacyArgBase
	}
	for i := range k.Args {
		a := KernelArg{Type: f.TypeOf(f.Arg(i))}
		set := m.AttrsAt(f.Attributes, ir.AttrParams+i)
		if ref, ok := m.Attr(set, ir.AttrByRef); ok {
			a.ByRef, a.Type = true, ref.Type
			if align, ok := m.Attr(set, ir.AttrAlign); ok {
				a.Align = align.Int
			}
		}
		if a.Align == 0 {
			a.Align = uint64(m.ABIAlign(a.Type))
		}
		a.Size = m.AllocSize(a.Type)
		k.Explicit = alignUp(k.Explicit, a.Align)
		a.Offset = k.Base + k.Explicit
		k.Explicit += a.Size
		k.Align = max(k.Align, a.Align)
		k.Args[i] = a
	}
	implicitAlign := uint64(4)
	if os == target.AMDHSA {
		implicitAlign = 8
	}
	k.Implicit = k.Base + alignUp(k.Explicit, implicitAlign)
	return k
}

func alignUp(x, align uint64) uint64 { return (x + align - 1) / align * align }

// osOf returns the operating system of a module.
func osOf(ctx *opt.Context, m *ir.Module) target.OS {
	if ctx.Target != nil {
		return ctx.Target.Triple.OS
	}
	t, err := target.ParseTriple(m.Triple)
	if err != nil {
		return target.UnknownOS
	}
	return t.OS
}

// kernargAlign is the alignment of the kernarg segment that every runtime
// guarantees.
const kernargAlign = 16

// kernargLowering lowers the arguments of a kernel to loads.
type kernargLowering struct {
	ir.Builder
	ctx     *opt.Context
	f       *ir.Function
	m       *ir.Module
	args    KernelArgs
	segment ir.Value
	scopes  emit.AliasScopes
	alias   *analysis.Alias
	calls   []ir.Value
}

// lowerKernelArguments lowers the arguments of a kernel to loads from the
// kernarg segment (LLVM's amdgpu-lower-kernel-arguments), and the pointers to
// implicit arguments to offsets into it. Unlike LLVM, it also lowers noalias
// arguments: the guarantee becomes alias scopes, and loads of memory that is
// never written become invariant.
func lowerKernelArguments(ctx *opt.Context, f *ir.Function) bool {
	if !f.CC.IsKernel() || f.Entry() == 0 {
		return false
	}
	l := opt.Scratch[kernargLowering](ctx)
	l.ctx, l.f, l.m, l.F, l.segment = ctx, f, f.Module(), f, ir.None
	l.calls = l.calls[:0]
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.CalledIntrinsic(v) == ir.IntrAMDGCNImplicitargPtr {
				l.calls = append(l.calls, v)
			}
		}
	}
	if len(l.calls) == 0 && !l.usesArgs() {
		return false
	}
	l.args = KernelArgsOf(f, osOf(ctx, l.m))
	l.keepNoAlias()
	l.begin()
	for i := range l.args.Args {
		if arg := f.Arg(i); f.HasUses(arg) || f.FirstRecordUse(arg) != 0 {
			f.ReplaceUses(arg, l.argument(i))
		}
	}
	for _, v := range l.calls {
		p := l.at(l.args.Implicit)
		f.ReplaceUses(v, p)
		f.Erase(v)
	}
	return true
}

func (l *kernargLowering) usesArgs() bool {
	for i := range l.f.NumArgs() {
		if l.f.HasUses(l.f.Arg(i)) {
			return true
		}
	}
	return false
}

// begin computes the pointer to the segment after the allocas at the start of
// the function.
func (l *kernargLowering) begin() {
	f, m := l.f, l.m
	v := f.First(f.Entry())
	for f.Op(v) == ir.OpAlloca && f.Operand(v, 0).IsConst() { // the size of other allocas may be an argument
		v = f.Next(v)
	}
	l.Before(v)
	l.Loc = 0
	l.segment = l.Call(m.DeclareIntrinsic(ir.IntrAMDGCNKernargSegmentPtr))
	sets := make([]ir.AttrSet, ir.AttrResult+1)
	attrs := []ir.Attr{{Kind: ir.AttrNonNull}, {Kind: ir.AttrAlign, Int: kernargAlign}}
	if l.args.Explicit > 0 {
		attrs = append(attrs, ir.Attr{Kind: ir.AttrDereferenceable, Int: alignUp(l.args.Base+l.args.Explicit, 4)})
	}
	sets[ir.AttrResult] = m.AttrSet(attrs)
	f.SetCallAttrs(l.segment, m.AttrList(sets))
	f.SetName(l.segment, []byte(f.Name()+".kernarg.segment"))
}

// at returns a pointer into the segment.
func (l *kernargLowering) at(offset uint64) ir.Value {
	if offset == 0 {
		return l.segment
	}
	return l.PtrAdd(l.segment, l.m.NewInt(ir.I64, offset), ir.InBounds|ir.NUW)
}

// load loads a value of type t at an offset of the segment.
func (l *kernargLowering) load(t ir.Type, offset uint64) ir.Value {
	v := l.Load(t, l.at(offset), analysis.AlignAt(kernargAlign, offset))
	l.f.SetAttachment(v, ir.MDInvariantLoad, l.m.NewTuple())
	return v
}

// argument returns the value of an argument.
func (l *kernargLowering) argument(i int) ir.Value {
	f, m, a := l.f, l.m, &l.args.Args[i]
	t := f.TypeOf(f.Arg(i))
	v := ir.None
	bits := m.SizeInBits(t)
	shift := 8 * (a.Offset & 3)
	switch {
	case a.ByRef:
		return l.Cast(ir.OpAddrSpaceCast, l.at(a.Offset), t, 0)
	case bits < 32 && shift+bits <= 32 && !m.IsAggregate(t) && bits > 0:
		return l.small(t, a.Offset&^3, shift)
	case m.IsVector(t) && m.NumElements(t) == 3 && 4*m.SizeInBits(m.Scalar(t)) <= 8*a.Size && m.SizeInBits(m.Scalar(t))%8 == 0:
		v = l.load(m.VectorType(m.Scalar(t), 4), a.Offset)
		v = l.Shuffle(v, m.Poison(f.TypeOf(v)), []uint32{0, 1, 2})
	default:
		v = l.load(t, a.Offset)
		l.describe(v, i)
	}
	l.name(v, i)
	return v
}

// small loads a type of less than a dword as part of its dword, which permits a
// scalar load.
func (l *kernargLowering) small(t ir.Type, offset, shift uint64) ir.Value {
	m := l.m
	v := l.load(ir.I32, offset)
	if shift != 0 {
		v = l.LShr(v, m.NewInt(ir.I32, shift))
	}
	v = l.Cast(ir.OpTrunc, v, m.IntType(int(m.SizeInBits(t))), 0)
	return l.Cast(ir.OpBitCast, v, t, 0)
}

func (l *kernargLowering) name(v ir.Value, i int) {
	if n := l.f.NameOf(l.f.Arg(i)); n != nil {
		l.f.SetName(v, append(append([]byte(nil), n...), ".load"...))
	}
}

// describe converts the attributes of an argument to metadata of its load.
func (l *kernargLowering) describe(v ir.Value, i int) {
	f, m := l.f, l.m
	set := m.AttrsAt(f.Attributes, ir.AttrParams+i)
	if m.HasAttr(set, ir.AttrNoUndef) {
		f.SetAttachment(v, ir.MDNoUndef, m.NewTuple())
	}
	if !m.IsPtr(f.TypeOf(v)) {
		return
	}
	if m.HasAttr(set, ir.AttrNonNull) {
		f.SetAttachment(v, ir.MDNonNull, m.NewTuple())
	}
	for _, k := range [...]struct {
		attr ir.AttrKind
		md   ir.MDKind
	}{{ir.AttrAlign, ir.MDAlign}, {ir.AttrDereferenceable, ir.MDDereferenceable}, {ir.AttrDereferenceableOrNull, ir.MDDereferenceableOrNull}} {
		if a, ok := m.Attr(set, k.attr); ok && a.Int > 1 {
			f.SetAttachment(v, k.md, m.NewTuple(m.NewMDValue(m.NewInt(ir.I64, a.Int))))
		}
	}
}

// keepNoAlias records in alias scopes which accesses are to noalias arguments,
// and marks loads of memory that is not written while the kernel runs.
func (l *kernargLowering) keepNoAlias() {
	f, m := l.f, l.m
	s := &l.scopes
	s.Reset()
	for i := range f.NumArgs() {
		arg := f.Arg(i)
		if !f.HasUses(arg) || !m.IsPtr(f.TypeOf(arg)) || !m.HasAttr(m.AttrsAt(f.Attributes, ir.AttrParams+i), ir.AttrNoAlias) {
			continue
		}
		s.Add(f, arg, i)
	}
	if s.Empty() {
		return
	}
	l.markConstant()
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if op := f.Op(v); analysis.AccessesMemory(f, v) && op != ir.OpFence {
				s.Describe(f, v, f, v)
			}
		}
	}
}

// markConstant marks plain loads through noalias arguments that are only read.
func (l *kernargLowering) markConstant() {
	f := l.f
	if l.alias == nil {
		l.alias = analysis.NewAlias(f)
	} else {
		l.alias.Reset(f)
	}
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			if f.Op(v) != ir.OpLoad || !f.IsSimple(v) {
				continue
			}
			if at, ok := l.alias.LocationOf(v); ok && l.alias.PointsToConstant(at) {
				f.SetAttachment(v, ir.MDInvariantLoad, l.m.NewTuple())
			}
		}
	}
}
