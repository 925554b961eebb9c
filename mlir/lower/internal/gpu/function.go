package gpu

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
	"github.com/gfx-toolchain/gfx/mlir/rewrite"
)

// LLVM's numbers of the address spaces for attributions.
const (
	workgroupSpace = 3
	privateSpace   = 5
)

// The data layouts of AMD's processors in the editions.
const dataLayout19 = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
const dataLayout22 = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"

// SetDataLayout adds the data layout of AMD's processors to a gpu.module, unless it
// has one.
func SetDataLayout(c *mlir.Context, module *mlir.Op) {
	if module.Attr("llvm.data_layout") != nil {
		return
	}
	layout := dataLayout22
	if c.Edition == mlir.Edition19 {
		layout = dataLayout19
	}
	module.SetAttr("llvm.data_layout", c.String(layout))
}

// function converts gpu.func. Workgroup attributions become variables in LDS, private
// attributions stack memory.
func function(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Attr("function_type").Type
	border, ok := l.Border(t.Ins, t.Outs)
	if !ok {
		return rewrite.ErrNoMatch
	}
	entry := o.Regions[0].Entry()
	attributions := slices.Clone(entry.Args[len(t.Ins):])
	for _, a := range attributions {
		if a.Type.Kind != mlir.MemRefKind || l.Convert(a.Type) == nil {
			return rewrite.ErrNoMatch
		}
	}
	shared := 0
	if a := o.Attr("workgroup_attributions"); a != nil {
		shared = int(a.Int)
	}
	globals := sharedGlobals(l, o, attributions[:shared])
	body := o.Regions[0]
	l.Create(mlir.OpState{Name: "llvm.func", Attrs: functionAttrs(l, o, border), Regions: o.Regions})
	o.Regions = nil
	entry.Args = entry.Args[:len(t.Ins)]
	if !l.ConvertEntry(body, border) {
		return rewrite.ErrNoMatch
	}
	l.MoveToStart(entry)
	for i, a := range attributions {
		var ptr *mlir.Value
		if i < shared {
			ptr = sharedPointer(l, globals[i])
		} else {
			ptr = privatePointer(l, a.Type, attributionAlign(o, "private_attrib_attrs", i-shared))
		}
		if m := l.StaticMemRef(a.Type, ptr); m != nil {
			l.ReplaceValue(a, m.Value)
		}
	}
	o.Erase()
	return nil
}

// sharedGlobals creates a variable for each workgroup attribution.
func sharedGlobals(l *tollvm.Lowering, o *mlir.Op, attributions []*mlir.Value) (list []*mlir.Op) {
	for i, a := range attributions {
		attrs := []mlir.NamedAttr{
			tollvm.Named("sym_name", l.Context.String(fmt.Sprintf("__wg_%s_%d", o.Attr("sym_name").Text, i))),
			tollvm.Named("global_type", l.Context.TypeAttr(llvm.ArrayType(l.Context, a.Type.NumElements(), l.Convert(a.Type.Elem)))),
			tollvm.Named("linkage", linkage(l.Context, "internal")),
			tollvm.Named("addr_space", l.Context.I32Attr(workgroupSpace)),
		}
		if align := attributionAlign(o, "workgroup_attrib_attrs", i); align != nil {
			attrs = append(attrs, tollvm.Named("alignment", align))
		}
		list = append(list, l.Create(mlir.OpState{Name: "llvm.mlir.global", Attrs: attrs, Regions: []*mlir.Region{{}}}))
	}
	return list
}

func linkage(c *mlir.Context, word string) *mlir.Attr {
	e := c.Enum("llvm", "linkage")
	v, _ := e.Case(word)
	return c.EnumAttr(e, v)
}

// attributionAlign returns the alignment of an attribution in bytes, or nil.
func attributionAlign(o *mlir.Op, attrs string, i int) *mlir.Attr {
	list := o.Attr(attrs)
	if list == nil || i >= len(list.List) {
		return nil
	}
	for _, a := range list.List[i].Dict {
		if a.Name == "llvm.align" {
			return a.Attr
		}
	}
	return nil
}

func sharedPointer(l *tollvm.Lowering, global *mlir.Op) *mlir.Value {
	ptr := l.Emit("llvm.mlir.addressof", llvm.PointerType(l.Context, workgroupSpace), nil,
		tollvm.Named("global_name", l.Context.SymbolRef(global.Attr("sym_name").Text)))
	return l.GEP(ptr, global.Attr("global_type").Type, tollvm.MayWrap, []int64{0, 0})
}

func privatePointer(l *tollvm.Lowering, t *mlir.Type, align *mlir.Attr) *mlir.Value {
	n := l.Int(l.Context.Integer(64), t.NumElements())
	attrs := []mlir.NamedAttr{tollvm.Named("elem_type", l.Context.TypeAttr(l.Convert(t.Elem)))}
	if align != nil {
		attrs = append(attrs, tollvm.Named("alignment", align))
	}
	return l.Emit("llvm.alloca", llvm.PointerType(l.Context, privateSpace), tollvm.Values(n), attrs...)
}

// functionAttrs returns the attributes of the LLVM function.
func functionAttrs(l *tollvm.Lowering, o *mlir.Op, border tollvm.FunctionBorder) []mlir.NamedAttr {
	c := l.Context
	attrs := []mlir.NamedAttr{
		tollvm.Named("sym_name", o.Attr("sym_name")),
		tollvm.Named("function_type", c.TypeAttr(border.Type)),
	}
	if a := l.ArgAttrs(o.Attr("arg_attrs"), border); a != nil {
		attrs = append(attrs, tollvm.Named("arg_attrs", a))
	}
	for _, a := range o.Attrs {
		if o.Def.AttrDef(a.Name) == nil && a.Name != "sym_name" && a.Name != "workgroup_attributions" {
			attrs = append(attrs, a)
		}
	}
	isKernel := o.Attr("gpu.kernel") != nil
	if isKernel {
		attrs = append(attrs, tollvm.Named("rocdl.kernel", c.Unit()))
	}
	for _, name := range [...]string{"known_grid_size", "known_cluster_size"} {
		if a := o.Attr(name); a != nil {
			attrs = append(attrs, tollvm.Named("gpu."+name, a))
		}
	}
	if a := o.Attr("known_block_size"); a != nil {
		attrs = append(attrs, tollvm.Named("gpu.known_block_size", a))
		if isKernel {
			size := int64(1)
			for _, n := range a.Int64s() {
				size *= n
			}
			attrs = append(attrs, tollvm.Named("rocdl.reqd_work_group_size", a),
				tollvm.Named("rocdl.flat_work_group_size", c.String(fmt.Sprintf("%d,%d", size, size))))
		}
	}
	return attrs
}

// returns converts gpu.return.
func returns(l *tollvm.Lowering, o *mlir.Op, to string) error {
	return l.ReturnValues(o, to)
}

// dynamicMemory converts gpu.dynamic_shared_memory: the address of a variable without size
// in LDS, of which there is one in each module.
func dynamicMemory(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	t := o.Result(0).Type
	space, ok := l.Space(t)
	if !ok {
		return rewrite.ErrNoMatch
	}
	global := dynamicGlobal(l, o, space)
	ptr := l.Emit("llvm.mlir.addressof", llvm.PointerType(l.Context, space), nil,
		tollvm.Named("global_name", l.Context.SymbolRef(global.Attr("sym_name").Text)))
	base := l.GEP(ptr, global.Attr("global_type").Type, tollvm.MayWrap, []int64{0, 0})
	m := l.NewMemRef(t)
	m.SetPointers(base, base)
	m.SetOffset(l.IndexInt(0))
	m.SetSize(0, l.IndexInt(0))
	m.SetStride(0, l.IndexInt(1))
	l.Replace(o, m.Value)
	return nil
}

// dynamicName is what the names of the variables without size begin with.
const dynamicName = "__dynamic_shmem__"

// dynamicGlobal returns the variable without size of an address space, which it
// creates if there is none.
func dynamicGlobal(l *tollvm.Lowering, o *mlir.Op, space int64) *mlir.Op {
	elem := llvm.ArrayType(l.Context, 0, l.Context.Integer(8))
	table := tollvm.SymbolTable(o)
	for p := range table.Ops {
		if p.Name != "llvm.mlir.global" || p.Attr("global_type").Type != elem {
			continue
		}
		if a := p.Attr("addr_space"); a != nil && a.Int == space {
			return p
		}
	}
	name := freeName(table, dynamicName)
	b := l.Context.AtEnd(table)
	b.MoveToStart(table)
	return b.Create(mlir.OpState{Name: "llvm.mlir.global", Regions: []*mlir.Region{{}}, Attrs: []mlir.NamedAttr{
		tollvm.Named("sym_name", l.Context.String(name)),
		tollvm.Named("global_type", l.Context.TypeAttr(elem)),
		tollvm.Named("linkage", linkage(l.Context, "internal")),
		tollvm.Named("addr_space", l.Context.I32Attr(space)),
	}})
}
