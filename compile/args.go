package compile

import (
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// kernelArgs holds the arguments of a kernel for the metadata, and the size and
// alignment of the kernarg segment.
type kernelArgs struct {
	list  []argument
	size  uint64
	align uint64
}

// argument is one argument. The metadata of V2 need its alignment, later ones
// its offset.
type argument struct {
	codeobject.KernelArg
	align     uint64
	typ       ir.Type // of an explicit argument
	base      string  // name of the base type
	qualifier string
	access    string // in the form of the metadata
}

// argWriter builds the list of arguments.
type argWriter struct {
	m      *ir.Module
	f      *ir.Function
	t      *target.Target
	attrs  attributes
	out    kernelArgs
	offset uint64
}

func kernelArgsOf(m *ir.Module, f *ir.Function, t *target.Target, implicit bool) kernelArgs {
	w := argWriter{m: m, f: f, t: t, attrs: attributes{m, m.AttrsAt(f.Attributes, ir.AttrFunction)}}
	w.out.align = 4
	for i := range f.NumArgs() {
		w.argument(i)
	}
	w.out.size = w.offset
	if n := w.implicitBytes(); implicit && n > 0 {
		w.out.size = alignUp(w.offset, implicitAlign) + n
		w.out.align = max(w.out.align, implicitAlign)
		w.hidden(n)
	}
	w.out.size = alignUp(w.out.size, 4)
	return w.out
}

const implicitAlign = 8

// implicitBytes returns the size, in bytes, of the implicit arguments after the
// explicit ones.
func (w *argWriter) implicitBytes() uint64 {
	if w.attrs.has("amdgpu-no-implicitarg-ptr") {
		return 0
	}
	n := uint64(56)
	switch {
	case w.t.Triple.OS == target.Mesa3D:
		return 16
	case w.t.COV >= 5:
		n = 256
	}
	return w.attrs.number("amdgpu-implicitarg-num-bytes", n)
}

// qualifier returns a string of the kernel's per-argument metadata.
func (w *argWriter) qualifier(kind string, i int) string {
	ops := w.m.MDOperands(functionMD(w.m, w.f, kind))
	if i >= len(ops) {
		return ""
	}
	s, _ := w.m.MDString(ops[i])
	return s
}

// functionMD returns a function's metadata of a kind.
func functionMD(m *ir.Module, f *ir.Function, kind string) ir.Metadata {
	for _, a := range f.MD {
		if m.MDKindName(a.Kind) == kind {
			return a.Node
		}
	}
	return 0
}

// argument adds an explicit argument.
func (w *argWriter) argument(i int) {
	m, f := w.m, w.f
	set := m.AttrsAt(f.Attributes, ir.AttrParams+i)
	t := f.TypeOf(f.Arg(i))
	align := uint64(m.ABIAlign(t))
	if a, ok := m.Attr(set, ir.AttrByRef); ok {
		t = a.Type
		align = uint64(m.ABIAlign(t))
		if x, ok := m.Attr(set, ir.AttrAlign); ok {
			align = x.Int
		}
	}
	size := m.AllocSize(t)
	w.offset = alignUp(w.offset, align)
	if _, hidden := m.StringAttr(set, "amdgpu-hidden-argument"); !hidden {
		w.explicit(i, t, set, size, align)
	}
	w.offset += size
	w.out.align = max(w.out.align, align)
}

func (w *argWriter) explicit(i int, t ir.Type, set ir.AttrSet, size, align uint64) {
	m := w.m
	a := argument{align: align, typ: t, base: w.qualifier("kernel_arg_base_type", i), qualifier: w.qualifier("kernel_arg_type_qual", i)}
	a.Name = w.qualifier("kernel_arg_name", i)
	if a.Name == "" {
		a.Name = string(w.f.NameOf(w.f.Arg(i)))
	}
	a.TypeName = w.qualifier("kernel_arg_type", i)
	a.Size, a.Offset = size, w.offset
	a.ValueKind = valueKind(m, t, a.base, a.qualifier)
	if a.access = w.qualifier("kernel_arg_access_qual", i); accessNames.Get()[a.access] {
		a.Access = a.access
	}
	w.pointer(&a, t, set, i)
	for _, q := range strings.Fields(a.qualifier) {
		yes := true
		switch q {
		case "const":
			a.IsConst = &yes
		case "restrict":
			a.IsRestrict = &yes
		case "volatile":
			a.IsVolatile = &yes
		case "pipe":
			a.IsPipe = &yes
		}
	}
	w.out.list = append(w.out.list, a)
}

var accessNames = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"read_only": true, "write_only": true, "read_write": true}
}}

var spaceNames = lazy.Value[map[uint32]string]{Make: func() map[uint32]string {
	return map[uint32]string{addrspace.Private: "private", addrspace.Global: "global", addrspace.Constant: "constant", addrspace.Local: "local", addrspace.Flat: "generic", addrspace.Region: "region"}
}}

// pointer adds the metadata of a pointer.
func (w *argWriter) pointer(a *argument, t ir.Type, set ir.AttrSet, i int) {
	m := w.m
	if !m.IsPtr(w.f.TypeOf(w.f.Arg(i))) {
		return
	}
	if m.HasAttr(set, ir.AttrNoAlias) {
		reads := m.HasAttr(set, ir.AttrReadOnly) || m.HasAttr(set, ir.AttrReadNone)
		switch {
		case reads && w.t.COV < 4: // LLVM of that time took it for the declared access
			a.access, a.Access = "read_only", "read_only"
		case w.t.COV < 4:
		case reads:
			a.ActualAccess = "read_only"
		case m.HasAttr(set, ir.AttrWriteOnly):
			a.ActualAccess = "write_only"
		}
	}
	if !m.IsPtr(t) {
		return
	}
	if a.ValueKind == "global_buffer" || a.ValueKind == "dynamic_shared_pointer" {
		a.AddressSpace = spaceNames.Get()[m.AddrSpace(t)]
	}
	if m.AddrSpace(t) == addrspace.Local {
		align := uint64(1)
		if x, ok := m.Attr(set, ir.AttrAlign); ok {
			align = x.Int
		}
		a.PointeeAlign = &align
	}
}

// valueKind returns the kind of an argument by its OpenCL type.
func valueKind(m *ir.Module, t ir.Type, base, qualifier string) string {
	switch {
	case strings.Contains(qualifier, "pipe"):
		return "pipe"
	case isImage(base):
		return "image"
	case base == "sampler_t":
		return "sampler"
	case base == "queue_t":
		return "queue"
	case !m.IsPtr(t):
		return "by_value"
	case m.AddrSpace(t) == addrspace.Local:
		return "dynamic_shared_pointer"
	}
	return "global_buffer"
}

// isImage reports whether an OpenCL type is an image: image1d_t, image2d_array_depth_t and so on.
func isImage(base string) bool {
	for _, dim := range [...]string{"image1d", "image2d", "image3d"} {
		if rest, ok := strings.CutPrefix(base, dim); ok {
			switch rest {
			case "_t", "_array_t", "_buffer_t", "_array_depth_t", "_array_msaa_t", "_array_msaa_depth_t", "_depth_t", "_msaa_t", "_msaa_depth_t":
				return true
			}
		}
	}
	return false
}

// mdNumbers returns a function's metadata that is a list of numbers.
func mdNumbers(m *ir.Module, f *ir.Function, kind string) (list []uint64) {
	for _, op := range m.MDOperands(functionMD(m, f, kind)) {
		n, _ := m.MDInt(op)
		list = append(list, n)
	}
	return list
}

// languageOf returns the language of a module and its version.
func languageOf(m *ir.Module) (string, []uint64) {
	n := m.NamedMetadata("opencl.ocl.version")
	if n == nil || len(n.Ops) == 0 {
		return "", nil
	}
	ops := m.MDOperands(n.Ops[0])
	if len(ops) < 2 {
		return "", nil
	}
	major, _ := m.MDInt(ops[0])
	minor, _ := m.MDInt(ops[1])
	return "OpenCL C", []uint64{major, minor}
}

// vecTypeHint returns the OpenCL name of the type in vec_type_hint.
func vecTypeHint(m *ir.Module, f *ir.Function) string {
	ops := m.MDOperands(functionMD(m, f, "vec_type_hint"))
	if len(ops) < 2 {
		return ""
	}
	signed, _ := m.MDInt(ops[1])
	return openclType(m, m.TypeOfConst(m.MDValue(ops[0])), signed != 0)
}

// openclType returns the name of a type in OpenCL C.
func openclType(m *ir.Module, t ir.Type, signed bool) string {
	switch m.Kind(t) {
	case ir.KindHalf:
		return "half"
	case ir.KindFloat:
		return "float"
	case ir.KindDouble:
		return "double"
	case ir.KindVector:
		return openclType(m, m.ElementType(t, 0), signed) + uitoa(m.TypeInfo(t).N)
	case ir.KindInt:
		names := map[int]string{8: "char", 16: "short", 32: "int", 64: "long"}
		name := names[m.IntBits(t)]
		if name == "" {
			name = "i" + uitoa(uint64(m.IntBits(t)))
		}
		if !signed {
			name = "u" + name
		}
		return name
	}
	return "unknown"
}
