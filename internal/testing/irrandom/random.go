package irrandom

import (
	"fmt"
	"math/rand/v2"

	"github.com/gfx-toolchain/gfx/ir"
)

// Sizes of a test function's memory, in bytes.
const (
	InSize  = 64
	OutSize = 64
)

// Profile is the target of a module.
type Profile uint8

const (
	// Host modules run on x86-64, including LLVM's lli.
	Host Profile = iota
	// AMDGPU modules have kernels and address spaces.
	AMDGPU
)

// Feature is a set of constructs that functions may contain.
type Feature uint32

const (
	Floats Feature = 1 << iota
	Vectors
	Aggregates
	Memory
	Pointers // selected, stored, cast and compared pointers
	Control  // ifs, loops, switches
	Irreducible
	Calls
	Intrinsics
	Wide // integers of more than 64 bits
	Odd  // integers whose width is not a power of two
	Flags
	Freeze
	Args     // kernels with parameters of all kinds
	Adjacent // adjacent loads and stores
	Shared   // atomic operations of several work-items on the same word
	Structs  // functions with structs as parameters or results

	// All is the set of all features.
	All Feature = 1<<iota - 1

	// Graphics makes some functions amdgpu_gfx, which llc rejects for amdhsa. It
	// is not in All.
	Graphics Feature = 1 << iota
)

// Options specifies the module to generate.
type Options struct {
	Seed     uint64
	Profile  Profile
	Funcs    int // number of test functions, at least 1
	Size     int // approximate number of operations per function
	Features Feature
}

// global is a variable of the module.
type global struct {
	v    ir.Value
	size int
}

// gen generates a module.
type gen struct {
	*rand.Rand
	o       Options
	m       *ir.Module
	globals []global
	helpers []*helper
}

// helper is a function that other functions call.
type helper struct {
	f    *ir.Function
	cost int
}

// Module generates a module.
func Module(o Options) *ir.Module {
	o.Funcs = max(o.Funcs, 1)
	if o.Size == 0 {
		o.Size = 40
	}
	g := &gen{Rand: rand.New(rand.NewPCG(o.Seed, 1)), o: o, m: ir.NewModule(fmt.Sprintf("random.%d", o.Seed))}
	layout, triple := hostLayout, "x86_64-unknown-linux-gnu"
	if o.Profile == AMDGPU {
		layout, triple = gpuLayout, "amdgcn-amd-amdhsa"
	}
	dl, err := ir.ParseDataLayout(layout)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	g.m.Triple = triple
	g.m.SetLayout(dl)
	if g.has(Memory) {
		g.makeGlobals()
	}
	if g.has(Calls) {
		for range 2 + o.Funcs/8 {
			g.makeHelper()
		}
		if g.chance(3) {
			g.makeRecursive()
		}
	}
	for i := range o.Funcs {
		g.makeTest(i)
	}
	return g.m
}

const (
	hostLayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
	gpuLayout  = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48" +
		"-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048" +
		"-n32:64-S32-A5-G1-ni:7:8:9"
)

func (g *gen) has(f Feature) bool { return g.o.Features&f != 0 }

// chance returns true with probability 1/n.
func (g *gen) chance(n int) bool { return g.IntN(n) == 0 }

// makeGlobals creates byte array variables, some constant or internal.
func (g *gen) makeGlobals() {
	space := uint32(0)
	if g.o.Profile == AMDGPU {
		space = 1
	}
	for i := range 1 + g.IntN(3) {
		size := 8 << g.IntN(4)
		data := make([]byte, size)
		for j := range data {
			data[j] = byte(g.Uint32())
		}
		v := g.m.NewGlobal(ir.GlobalVar, fmt.Sprintf("var%d", i), g.m.ArrayType(ir.I8, uint64(size)), space, ir.None)
		v.Init, v.Align = g.m.NewString(data), uint32(1<<g.IntN(5))
		if g.chance(3) {
			v.Linkage = ir.Internal
		}
		v.Constant = g.chance(3) || space != 0 // not divided among work-items
		g.globals = append(g.globals, global{v.Value(), size})
	}
}

// makeTest creates one test function.
func (g *gen) makeTest(i int) {
	if g.o.Profile == AMDGPU {
		g.makeKernel(i)
		return
	}
	f := g.m.AddFunction(fmt.Sprintf("test%d", i), g.m.FuncType(ir.I64, []ir.Type{ir.Ptr, ir.Ptr}, false), 0, ir.None)
	f.SetName(f.Arg(0), []byte("in"))
	f.SetName(f.Arg(1), []byte("out"))
	b := newBody(g, f)
	b.mems = append(b.mems, memory{ptr: f.Arg(0), size: InSize, align: 16, readOnly: true}, memory{ptr: f.Arg(1), size: OutSize, align: 16})
	b.inputs()
	b.statements(g.o.Size, 0)
	b.b.Ret(b.checksum())
}

// sharedMemory creates an LDS variable with 16 bytes for each of 64 work-items.
func (b *body) sharedMemory(i int) {
	m := b.m
	v := m.NewGlobal(ir.GlobalVar, fmt.Sprintf("lds%d", i), m.ArrayType(ir.I8, 1024), 3, ir.None)
	v.Init, v.Align, v.Linkage = m.Undef(v.Type), 16, ir.Internal
	low := b.b.And(b.item, m.NewInt(ir.I32, 63))
	p := b.b.PtrAdd(v.Value(), b.b.Shl(low, m.NewInt(ir.I32, 4)), 0)
	b.b.Store(m.NewInt(ir.I64, b.Uint64()), p, 8)
	b.b.Store(m.NewInt(ir.I64, b.Uint64()), b.b.PtrAdd(p, m.NewInt(ir.I32, 8), 0), 8)
	b.mems = append(b.mems, memory{ptr: p, size: 16, align: 16})
}

// signature returns the types of a helper, often the same as another helper's.
func (g *gen) signature() (params []ir.Type, ret ir.Type) {
	if len(g.helpers) > 0 && g.chance(2) {
		info := g.m.TypeInfo(g.helpers[g.IntN(len(g.helpers))].f.Global.Type)
		return info.Elems, info.Elem
	}
	for range g.IntN(4) {
		params = append(params, g.valueType())
	}
	if g.has(Memory) && g.chance(2) {
		params = append(params, g.m.PtrType(g.m.Layout().AllocaAddrSpace))
	}
	return params, g.valueType()
}

// valueType returns the type of a parameter or result of a helper.
func (g *gen) valueType() ir.Type {
	if g.has(Structs) && g.chance(4) {
		return g.structType()
	}
	return g.randType()
}

// passedBy returns attributes for a helper's pointer to a 16-byte object: the
// helper gets a copy of the object, or exclusive access.
func (g *gen) passedBy() []ir.Attr {
	if !g.has(Structs) || g.o.Profile != AMDGPU {
		return nil
	}
	switch g.IntN(4) {
	case 0:
		return []ir.Attr{{Kind: ir.AttrByVal, Type: g.m.ArrayType(ir.I32, 4)}, {Kind: ir.AttrAlign, Int: 4}}
	case 1:
		return []ir.Attr{{Kind: ir.AttrNoAlias}}
	}
	return nil
}

// makeHelper creates a function that other functions call.
func (g *gen) makeHelper() {
	params, ret := g.signature()
	mem := len(params) > 0 && g.m.IsPtr(params[len(params)-1])
	f := g.m.AddFunction(fmt.Sprintf("helper%d", len(g.helpers)), g.m.FuncType(ret, params, false), 0, ir.None)
	if g.chance(2) {
		f.Linkage = ir.Internal
	}
	if kind := [4]ir.AttrKind{ir.AttrAlwaysInline, ir.AttrNoInline}[g.IntN(4)]; kind != 0 {
		f.Attributes = g.m.WithAttrsAt(0, ir.AttrFunction, g.m.AttrSet([]ir.Attr{{Kind: kind}}))
	}
	b := newBody(g, f)
	for i := range params {
		if mem && i == len(params)-1 {
			f.Attributes = g.m.WithAttrsAt(f.Attributes, ir.AttrParams+i, g.m.AttrSet(g.passedBy()))
			b.mems = append(b.mems, memory{ptr: f.Arg(i), size: 16, align: 1})
			continue
		}
		b.addAll(f.Arg(i))
	}
	if n := len(params); g.has(Graphics) && len(g.helpers)%2 == 0 && (n == 0 || !g.m.HasAttr(g.m.AttrsAt(f.Attributes, ir.AttrParams+n-1), ir.AttrByVal)) {
		f.CC = ir.CCAMDGPUGfx
	}
	b.statements(5+g.IntN(g.o.Size/2+1), 1)
	b.b.Ret(b.build(ret))
	g.helpers = append(g.helpers, &helper{f, b.cost})
}

// build creates a value of type t, for an aggregate from its elements.
func (b *body) build(t ir.Type) ir.Value {
	if !b.m.IsAggregate(t) {
		return b.pick(t)
	}
	v := b.m.Poison(t)
	for i := range b.m.NumElements(t) {
		v = b.b.InsertValue(v, b.build(b.m.ElementType(t, i)), uint32(i))
	}
	return v
}

// callFunction calls a helper, or another function with its type and
// attributes, and adds the result to the pool.
func (b *body) callFunction(h *helper, callee ir.Value, args []ir.Value) {
	v := b.b.CallValue(h.f.Global.Type, callee, args...)
	b.f.SetCallConv(v, h.f.CC)
	if n := h.f.NumArgs(); n > 0 {
		at := ir.AttrParams + n - 1
		b.f.SetCallAttrs(v, b.m.WithAttrsAt(0, at, b.m.AttrsAt(h.f.Attributes, at)))
	}
	b.addAll(v)
}
