package gpu

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/mlir"
	gpus "github.com/gfx-toolchain/gfx/mlir/gpu"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// HasLaunch reports whether a module contains a gpu.launch.
func HasLaunch(module *mlir.Op) bool {
	return !module.Walk(func(o *mlir.Op) bool { return o.Name != "gpu.launch" })
}

// launches lists the launches within an operation; inner ones precede the one around them.
func launches(o *mlir.Op) (list []*mlir.Op) {
	for _, r := range o.Regions {
		for _, b := range r.Blocks {
			for p := range b.Ops {
				list = append(list, launches(p)...)
			}
		}
	}
	if o.Name == "gpu.launch" {
		list = append(list, o)
	}
	return list
}

// isWithin reports whether an operation is in a region, or in one within it.
func isWithin(o *mlir.Op, r *mlir.Region) bool {
	for ; o != nil && o.Block != nil; o = o.Parent() {
		if o.Block.Region == r {
			return true
		}
	}
	return false
}

// captured lists the values from outside of a region that its operations use, in the order of
// their first uses.
func captured(r *mlir.Region) (list []*mlir.Value) {
	seen := map[*mlir.Value]bool{}
	for _, b := range r.Blocks {
		for o := range b.Ops {
			o.Walk(func(p *mlir.Op) bool {
				for _, u := range p.Operands {
					if v := u.Value; !seen[v] && !isDefinedIn(v, r) {
						seen[v] = true
						list = append(list, v)
					}
				}
				return true
			})
		}
	}
	return list
}

func isDefinedIn(v *mlir.Value, r *mlir.Region) bool {
	b := v.ParentBlock()
	return b.Region == r || isWithin(b.Region.Parent, r)
}

// SinkConstants copies the constants and sizes that launches use into their bodies, so that
// they do not become arguments of kernels.
func SinkConstants(c *mlir.Context, module *mlir.Op) {
	for _, launch := range launches(module) {
		s := &sinker{c: c, body: launch.Regions[0], captured: map[*mlir.Value]bool{}}
		if s.body.Entry() == nil {
			continue
		}
		uses := captured(s.body)
		for _, v := range uses {
			s.captured[v] = true
		}
		for _, v := range uses {
			s.want(v)
		}
		s.copyAll()
	}
}

// A sinker copies operations to the start of a launch's body.
type sinker struct {
	c    *mlir.Context
	body *mlir.Region
	list []*mlir.Op // in order: operands first

	captured map[*mlir.Value]bool // the values that the body uses
}

// isCheap reports whether an operation costs no more than passing its result to a kernel.
func isCheap(o *mlir.Op) bool {
	switch o.Name {
	case "memref.dim", "arith.select", "arith.cmpi":
		return true
	}
	return o.Name == "arith.constant" || o.Name == "index.constant" || o.Name == "llvm.mlir.constant"
}

// want adds the operation of a value to the list if it is cheap and its operands are used in the
// body, or are cheap as well. It reports whether the operation is in the list.
func (s *sinker) want(v *mlir.Value) bool {
	switch {
	case v.Op == nil || !isCheap(v.Op):
		return false
	case slices.Contains(s.list, v.Op):
		return true
	}
	for _, u := range v.Op.Operands {
		if !s.want(u.Value) && !s.captured[u.Value] {
			return false
		}
	}
	s.list = append(s.list, v.Op)
	return true
}

func (s *sinker) copyAll() {
	b := s.c.AtEnd(s.body.Entry())
	b.MoveToStart(s.body.Entry())
	next := s.body.Entry().First()
	values := map[*mlir.Value]*mlir.Value{}
	for _, o := range s.list {
		n := s.c.Clone(o, values, map[*mlir.Block]*mlir.Block{})
		if next != nil {
			n.InsertBefore(next)
		} else {
			s.body.Entry().Append(n)
		}
	}
	for old, v := range values {
		for u := range old.Uses {
			if u.Owner != v.Op && isWithin(u.Owner, s.body) {
				u.Set(v)
			}
		}
	}
}

// Outline moves the body of each gpu.launch to a kernel in a gpu.module of its own after the
// function, and launches that. Functions and variables to which the kernel refers are copied. With
// distinct, kernels have different names, and the copies of functions are internal, so that the
// gpu.modules can be linked.
func Outline(c *mlir.Context, module *mlir.Op, distinct bool) error {
	table := module.Body(0)
	if table == nil {
		return nil
	}
	changed := false
	var functions []*mlir.Op
	for o := range table.Ops {
		functions = append(functions, o)
	}
	for _, f := range functions {
		if f.Attr("sym_name") == nil {
			continue
		}
		after := f
		for _, launch := range launches(f) {
			x := &outliner{Builder: c.Before(launch).From(launch), launch: launch, table: table, distinct: distinct}
			if launch.Regions[0].Entry() == nil || len(launch.Named("asyncDependencies"))+len(launch.Results) > 0 {
				return c.OpDiagnostics(launch, mlir.OpErrorf("is asynchronous or has no body"))
			}
			m := x.outline(f)
			if next := after.Next(); next != nil {
				m.InsertBefore(next)
			} else {
				table.Append(m)
			}
			after = m
			changed = true
		}
	}
	if changed {
		module.SetAttr("gpu.container_module", c.Unit())
	}
	return nil
}

// An outliner builds the kernel of one launch.
type outliner struct {
	*mlir.Builder
	launch *mlir.Op
	table  *mlir.Block // of the module

	distinct bool // kernels of several gpu.modules have different names
}

// grid are the operations for the first arguments of a launch's body, for three dimensions each.
var grid = [...]string{"gpu.block_id", "gpu.thread_id", "gpu.grid_dim", "gpu.block_dim", "gpu.cluster_id", "gpu.cluster_dim"}

// sizes returns the operands for the sizes of a launch.
func (x *outliner) sizes(name string) (list []*mlir.Value) {
	for _, dim := range [...]string{"X", "Y", "Z"} {
		list = append(list, x.launch.Named(name+dim)...)
	}
	return list
}

// names returns the names of the gpu.module and the kernel.
func (x *outliner) names(f *mlir.Op) (module, kernel string) {
	kernel = f.Attr("sym_name").Text + "_kernel"
	if a := x.launch.Attr("function"); a != nil {
		kernel = a.Text
	}
	module = kernel
	if a := x.launch.Attr("module"); a != nil {
		module = a.Text
	}
	module = x.freeName(module)
	if x.distinct && x.launch.Attr("function") == nil {
		kernel = module
	}
	return module, kernel
}

// freeName returns a name that no symbol of the module has: with "_0" and so on after it, if needed.
func (x *outliner) freeName(name string) string {
	taken := map[string]bool{}
	for o := range x.table.Ops {
		if a := o.Attr("sym_name"); a != nil {
			taken[a.Text] = true
		}
	}
	for i := 0; taken[name]; i++ {
		if next := fmt.Sprintf("%s_%d", name, i); !taken[next] {
			return next
		}
	}
	return name
}

// outline returns the gpu.module; the launch is replaced by gpu.launch_func.
func (x *outliner) outline(f *mlir.Op) *mlir.Op {
	c := x.Context
	args := captured(x.launch.Regions[0])
	moduleName, kernelName := x.names(f)
	region := &mlir.Region{}
	body := region.AddBlock()
	m := c.NewOp(mlir.OpState{Name: "gpu.module", Attrs: []mlir.NamedAttr{tollvm.Named("sym_name", c.String(moduleName))}, Regions: []*mlir.Region{region}})
	body.Append(x.kernel(kernelName, args))
	x.copySymbols(body)
	if c.Edition == mlir.Edition19 {
		c.AtEnd(body).Create(mlir.OpState{Name: "gpu.module_end"})
	}
	x.replaceLaunch(moduleName, kernelName, args)
	return m
}

// kernel returns the gpu.func of the launch's body.
func (x *outliner) kernel(name string, args []*mlir.Value) *mlir.Op {
	c := x.Context
	region := &mlir.Region{}
	entry := region.AddBlock()
	values := map[*mlir.Value]*mlir.Value{}
	var types []*mlir.Type
	for _, v := range args {
		types = append(types, v.Type)
		values[v] = entry.AddArg(v.Type)
	}
	from := x.launch.Regions[0]
	b := c.AtEnd(entry).From(x.launch)
	n := x.addIndices(b, from.Entry().Args, values)
	for _, a := range from.Entry().Args[n:] {
		values[a] = entry.AddArg(a.Type)
	}
	x.copyBody(from, region, values)
	attrs := []mlir.NamedAttr{
		tollvm.Named("sym_name", c.String(name)), tollvm.Named("gpu.kernel", c.Unit()),
		tollvm.Named("function_type", c.TypeAttr(c.FunctionType(types, nil))),
	}
	count := c.I64Attr(0)
	if a := x.launch.Attr("workgroup_attributions"); a != nil {
		count = a
	}
	attrs = append(attrs, tollvm.Named("workgroup_attributions", count))
	for known, operands := range map[string]string{"known_block_size": "blockSize", "known_grid_size": "gridSize"} {
		if a := constants(c, x.sizes(operands)); a != nil {
			attrs = append(attrs, tollvm.Named(known, a))
		}
	}
	return c.NewOp(mlir.OpState{Name: "gpu.func", Attrs: attrs, Regions: []*mlir.Region{region}})
}

// addIndices creates the operations for ids and sizes, and returns how many arguments they replace.
func (x *outliner) addIndices(b *mlir.Builder, args []*mlir.Value, values map[*mlir.Value]*mlir.Value) int {
	e := x.Context.Enum("gpu", "dim")
	n := 0
	for i, name := range grid {
		if i >= 4 && len(x.sizes("clusterSize")) == 0 {
			break
		}
		for dim := range 3 {
			o := b.Create(mlir.OpState{Name: name, Types: []*mlir.Type{x.Context.Index()}, Attrs: []mlir.NamedAttr{
				tollvm.Named("dimension", x.Context.EnumAttr(e, int64(dim))),
			}})
			values[args[n]] = o.Result(0)
			n++
		}
	}
	return n
}

// copyBody copies the blocks of the launch after the operations in the kernel's entry.
func (x *outliner) copyBody(from, to *mlir.Region, values map[*mlir.Value]*mlir.Value) {
	blocks := map[*mlir.Block]*mlir.Block{from.Entry(): to.Entry()}
	for _, b := range from.Blocks[1:] {
		blocks[b] = to.AddBlock()
		for _, a := range b.Args {
			values[a] = blocks[b].AddArg(a.Type)
		}
	}
	for _, b := range from.Blocks {
		for o := range b.Ops {
			if o.Name == "gpu.terminator" {
				gpus.NewReturn(x.Context.AtEnd(blocks[b]).From(o), nil)
				continue
			}
			blocks[b].Append(x.Context.Clone(o, values, blocks))
		}
	}
	// Uses that precede the copies of their values, in other orders of blocks.
	for _, b := range to.Blocks {
		for o := range b.Ops {
			o.Walk(func(p *mlir.Op) bool {
				for _, u := range p.Operands {
					if v := values[u.Value]; v != nil {
						u.Set(v)
					}
				}
				return true
			})
		}
	}
}

// constants returns the values of three constants, or nil.
func constants(c *mlir.Context, list []*mlir.Value) *mlir.Attr {
	var sizes []int64
	for _, v := range list {
		if v.Op == nil || v.Op.Name != "arith.constant" {
			return nil
		}
		sizes = append(sizes, v.Op.Attr("value").Int)
	}
	if len(sizes) != 3 || slices.ContainsFunc(sizes, func(n int64) bool { return n < 0 || n > 1<<31-1 }) {
		return nil
	}
	return c.DenseI32Array(sizes...)
}

// copySymbols copies the functions and variables to which operations in a block refer, and the ones to
// which those refer.
func (x *outliner) copySymbols(body *mlir.Block) {
	have := map[string]bool{}
	for o := range body.Ops {
		have[o.Attr("sym_name").Text] = true
	}
	for o := body.First(); o != nil; o = o.Next() {
		for _, name := range symbolsOf(o) {
			if have[name] {
				continue
			}
			if def := x.Context.LookupSymbol(x.launch, x.Context.SymbolRef(name)); def != nil {
				have[name] = true
				def = x.Context.Clone(def, map[*mlir.Value]*mlir.Value{}, map[*mlir.Block]*mlir.Block{})
				if x.distinct && def.Name == "func.func" && len(def.Regions[0].Blocks) > 0 {
					def.SetAttr("llvm.linkage", linkage(x.Context, "internal"))
				}
				body.Append(def)
			}
		}
	}
}

// symbolsOf returns the names to which an operation, and those within it, refer.
func symbolsOf(o *mlir.Op) (names []string) {
	var visit func(a *mlir.Attr)
	visit = func(a *mlir.Attr) {
		if a.Kind == mlir.SymbolRefAttr {
			names = append(names, a.Text)
			return
		}
		for _, e := range a.List {
			visit(e)
		}
		for _, e := range a.Dict {
			visit(e.Attr)
		}
	}
	o.Walk(func(p *mlir.Op) bool {
		for _, a := range p.Attrs {
			visit(a.Attr)
		}
		return true
	})
	return names
}

// replaceLaunch creates the gpu.launch_func.
func (x *outliner) replaceLaunch(module, kernel string, args []*mlir.Value) {
	c := x.Context
	gridSize, blockSize, cluster := x.sizes("gridSize"), x.sizes("blockSize"), x.sizes("clusterSize")
	shared := x.launch.Named("dynamicSharedMemorySize")
	operands := slices.Concat(gridSize, blockSize, cluster, shared, args)
	one := int64(0)
	if len(cluster) > 0 {
		one = 1
	}
	x.Create(mlir.OpState{Name: "gpu.launch_func", Operands: operands, Attrs: []mlir.NamedAttr{
		tollvm.Named("kernel", c.SymbolRef(module, kernel)),
		tollvm.Named("operandSegmentSizes", c.DenseI32Array(0, 1, 1, 1, 1, 1, 1, one, one, one, int64(len(shared)), int64(len(args)), 0)),
	}})
	x.launch.Erase()
}
