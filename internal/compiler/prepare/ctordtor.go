package prepare

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/ir"
)

// structorKernel is a kernel that calls the functions of a table.
type structorKernel struct {
	list      string // global variable with the functions
	name      string
	table     string // prefix of the linker's symbols for the table
	attribute string
	backwards bool
}

// structorKernels lists the kernels of LLVM. The linker collects the tables
// from the sections .init_array and .fini_array.
var structorKernels = []structorKernel{
	{"llvm.global_ctors", "amdgcn.device.init", "__init_array", "device-init", false},
	{"llvm.global_dtors", "amdgcn.device.fini", "__fini_array", "device-fini", true},
}

// lowerStructors creates kernels for the program's loader that run the
// constructors in order and the destructors in reverse order (LLVM's
// amdgpu-lower-ctor-dtor).
func lowerStructors(ctx *opt.Context, m *ir.Module) (changed bool) {
	for i := range structorKernels {
		x := &structorKernels[i]
		g := m.Global(x.list)
		if g == nil || g.Init == ir.None || m.ConstKindOf(g.Init) != ir.ConstAggregate || m.Global(x.name) != nil {
			continue
		}
		x.make(m)
		changed = true
	}
	return changed
}

// make creates the kernel: a loop that calls the functions of the table.
func (x *structorKernel) make(m *ir.Module) {
	f := m.AddFunction(x.name, m.FuncType(ir.Void, nil, false), 0, ir.None)
	f.Global.Linkage, f.CC = ir.WeakODR, ir.CCAMDGPUKernel
	set := m.AddAttr(0, m.NewStringAttr("amdgpu-flat-work-group-size", "1,1"))
	f.Attributes = m.AttrList([]ir.AttrSet{m.AddAttr(set, m.NewStringAttr(x.attribute, ""))})
	ptr := m.PtrType(1)
	symbol := func(end string) ir.Value {
		name := x.table + end
		if g := m.Global(name); g != nil {
			return g.Value()
		}
		g := m.NewGlobal(ir.GlobalVar, name, m.ArrayType(ptr, 0), 1, ir.None)
		g.Constant = true
		return g.Value()
	}
	start, end := symbol("_start"), symbol("_end")
	entry, loop, done := f.NewBlock(), f.NewBlock(), f.NewBlock()
	b := ir.NewBuilder(f, entry)
	step, first, last, stop := uint64(8), start, end, ir.ICmpEQ
	if x.backwards {
		step = 1<<64 - 8
		first, last, stop = b.PtrAdd(end, m.NewInt(ir.I64, step), 0), start, ir.ICmpULT
	}
	b.CondBr(b.Compare(ir.ICmpEQ, start, end), done, loop)
	b.AtEnd(loop)
	at := b.Phi(ptr)
	b.CallValue(m.FuncType(ir.Void, nil, false), b.Load(m.PtrType(0), at, 8))
	next := b.PtrAdd(at, m.NewInt(ir.I64, step), 0)
	b.CondBr(b.Compare(stop, next, last), done, loop)
	f.AddIncoming(at, first, entry)
	f.AddIncoming(at, next, loop)
	b.AtEnd(done)
	b.Ret(ir.None)
}
