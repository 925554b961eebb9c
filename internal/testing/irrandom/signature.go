package irrandom

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
)

// parameter is a parameter of a kernel.
type parameter struct {
	name  string // determines the argument, see Arguments
	t     ir.Type
	attrs []ir.Attr
	bind  func(b *body, arg ir.Value) // makes the argument available in the body
}

// parameterTable lists the kinds of parameters with their weights.
var parameterTable = []struct {
	weight int
	make   func(g *gen, s *signature) parameter
}{
	{4, (*gen).inParameter},
	{3, (*gen).outParameter},
	{4, (*gen).mixParameter},
	{4, (*gen).tableParameter},
	{2, (*gen).sumParameter},
	{2, (*gen).localParameter},
	{6, (*gen).scalarParameter},
	{3, (*gen).vectorParameter},
	{2, (*gen).structParameter},
	{2, (*gen).byRefParameter},
}

// signature is the parameter list of a kernel under construction.
type signature struct {
	params []parameter
	of     map[string]int // number of parameters by buffer
}

// kernelParameters returns the parameters of a kernel: a pointer to in and one
// to out. With the feature Args, other parameters precede, separate and follow
// them.
func (g *gen) kernelParameters() []parameter {
	s := &signature{of: map[string]int{}}
	if !g.has(Args) {
		return []parameter{g.pointer("in", 1, 0), g.pointer("out", 1, 0)}
	}
	total := 0
	for _, p := range parameterTable {
		total += p.weight
	}
	out := g.IntN(4)
	for i := range max(out+1, 1+g.IntN(9)) {
		if i == out {
			s.params = append(s.params, g.pointer("out", 1, 0))
			s.of["out"]++
			continue
		}
		k := g.IntN(total)
		for _, p := range parameterTable {
			if k -= p.weight; k < 0 {
				s.params = append(s.params, p.make(g, s))
				break
			}
		}
	}
	g.addNoAlias(s)
	g.uniqueNames(s.params)
	return s.params
}

// uniqueNames appends numbers to duplicate names.
func (g *gen) uniqueNames(params []parameter) {
	seen := map[string]int{}
	for i := range params {
		name := params[i].name
		if n := seen[name]; n > 0 {
			params[i].name = fmt.Sprintf("%s.%d", name, n)
		}
		seen[name]++
	}
}

// addNoAlias adds noalias to pointers to buffers that only one parameter refers
// to, or that are never written.
func (g *gen) addNoAlias(s *signature) {
	for i := range s.params {
		p := &s.params[i]
		for j := range Buffers {
			x := &Buffers[j]
			if len(p.name) >= len(x.Name) && p.name[:len(x.Name)] == x.Name && (x.ReadOnly || s.of[x.Name] == 1) && g.chance(2) {
				p.attrs = append(p.attrs, ir.Attr{Kind: ir.AttrNoAlias})
			}
		}
	}
}

// pointer returns a parameter that points to a given offset in a buffer.
func (g *gen) pointer(buffer string, space uint32, offset int) parameter {
	name := buffer
	if g.has(Args) {
		name = fmt.Sprintf("%s.%d", buffer, offset)
	}
	return parameter{name: name, t: g.m.PtrType(space), bind: func(b *body, arg ir.Value) { b.bindBuffer(arg, buffer, offset) }}
}

// bindBuffer adds the work-item's part of a buffer to the accessible memory.
func (b *body) bindBuffer(arg ir.Value, buffer string, offset int) {
	for i := range Buffers {
		x := &Buffers[i]
		if x.Name != buffer {
			continue
		}
		add := func(p ir.Value, size int) {
			b.mems = append(b.mems, memory{ptr: p, size: size - offset, align: min(lowBit(offset), 16), readOnly: x.ReadOnly, shared: b.has(Args)})
		}
		if x.PerItem {
			add(b.offset(arg, b.itemOffset), InSize)
		}
		if !x.PerItem || x.ReadOnly && b.has(Args) {
			add(arg, x.Size)
		}
	}
}

// pointerOffsets lists offsets of pointers in their buffers. Most pairs of
// pointers to the same buffer overlap.
var pointerOffsets = [...]int{0, 0, 0, 4, 8, 8, 16, 32, 2, 1}

// somewhere returns a pointer to a random offset in a buffer, in one of the
// address spaces.
func (g *gen) somewhere(s *signature, buffer string, spaces ...uint32) parameter {
	s.of[buffer]++
	offset := pointerOffsets[g.IntN(len(pointerOffsets))]
	p := g.pointer(buffer, spaces[g.IntN(len(spaces))], offset)
	if g.chance(3) && lowBit(offset) > 1 {
		p.attrs = append(p.attrs, ir.Attr{Kind: ir.AttrAlign, Int: uint64(min(lowBit(offset), 16))})
	}
	if g.chance(4) {
		p.attrs = append(p.attrs, ir.Attr{Kind: ir.AttrNonNull})
	}
	return p
}

func (g *gen) inParameter(s *signature) parameter {
	p := g.somewhere(s, "in", 1, 1, 1, 0)
	if g.chance(2) {
		p.attrs = append(p.attrs, ir.Attr{Kind: ir.AttrReadOnly})
	}
	return p
}

func (g *gen) outParameter(s *signature) parameter { return g.somewhere(s, "out", 1, 1, 0) }
func (g *gen) mixParameter(s *signature) parameter { return g.somewhere(s, "mix", 1, 1, 1, 0) }

func (g *gen) tableParameter(s *signature) parameter {
	p := g.somewhere(s, "table", 1, 4, 4, 0)
	if g.chance(2) {
		p.attrs = append(p.attrs, ir.Attr{Kind: ir.AttrReadOnly})
	}
	return p
}

// sumParameter returns a pointer to the counters.
func (g *gen) sumParameter(s *signature) parameter {
	s.of["sum"]++
	p := g.pointer("sum", [...]uint32{1, 1, 0}[g.IntN(3)], 8*g.IntN(2))
	offset := 0
	fmt.Sscanf(p.name, "sum.%d", &offset)
	p.bind = func(b *body, arg ir.Value) { b.sum, b.sumOffset = arg, offset }
	return p
}

// localParameter returns a pointer to dynamic LDS, of which each work-item has
// a part.
func (g *gen) localParameter(s *signature) parameter {
	size := 8 << g.IntN(3)
	return parameter{name: fmt.Sprintf("local.%d", size*lanes), t: g.m.PtrType(3), bind: func(b *body, arg ir.Value) {
		m := b.m
		p := b.b.PtrAdd(arg, b.b.Mul(b.item, m.NewInt(ir.I32, uint64(size))), 0)
		for at := 0; at < size; at += 8 {
			b.b.Store(m.NewInt(ir.I64, b.Uint64()), b.b.PtrAdd(p, m.NewInt(ir.I32, uint64(at)), 0), 8)
		}
		b.mems = append(b.mems, memory{ptr: p, size: size, align: 8})
	}}
}

// value returns a parameter that is passed by value.
func (g *gen) value(t ir.Type) parameter {
	return parameter{name: fmt.Sprintf("x%d", g.IntN(1000)), t: t, bind: func(b *body, arg ir.Value) { b.addAll(arg) }}
}

func (g *gen) scalarParameter(*signature) parameter { return g.value(g.scalarType()) }

func (g *gen) vectorParameter(*signature) parameter {
	if t := g.vectorType(); g.m.ScalarBits(t)%8 == 0 {
		return g.value(t)
	}
	return g.value(g.m.VectorType(ir.Float, 3))
}

func (g *gen) structParameter(*signature) parameter { return g.value(g.structType()) }

// structType returns a struct type with C layout, or packed.
func (g *gen) structType() ir.Type {
	elems := make([]ir.Type, 1+g.IntN(5))
	for i := range elems {
		t := g.scalarType()
		for g.m.ScalarBits(t)%8 != 0 || g.m.ScalarBits(t) > 64 {
			t = g.scalarType()
		}
		switch g.IntN(6) {
		case 0:
			t = g.m.ArrayType(t, uint64(1+g.IntN(3)))
		case 1:
			t = g.m.VectorType(t, uint64(2+g.IntN(3)))
		case 2:
			t = g.m.StructType([]ir.Type{t, ir.I8}, false)
		}
		elems[i] = t
	}
	return g.m.StructType(elems, g.chance(4))
}

// byRefParameter returns a pointer to a struct in the kernarg segment.
func (g *gen) byRefParameter(*signature) parameter {
	t := g.structType()
	align := int(g.m.ABIAlign(t))
	attrs := []ir.Attr{{Kind: ir.AttrByRef, Type: t}}
	if g.chance(2) {
		align = max(align, 1<<g.IntN(5))
		attrs = append(attrs, ir.Attr{Kind: ir.AttrAlign, Int: uint64(align)})
	}
	size := int(g.m.AllocSize(t))
	return parameter{name: fmt.Sprintf("s%d", g.IntN(1000)), t: g.m.PtrType(4), attrs: attrs, bind: func(b *body, arg ir.Value) {
		if size < minObject { // too small for other statements: loaded as a whole
			b.addAll(b.b.Load(t, arg, uint32(align)))
			return
		}
		b.mems = append(b.mems, memory{ptr: arg, size: size, align: min(align, 16), readOnly: true})
	}}
}

// addAll adds a value to the pool, for an aggregate its elements.
func (b *body) addAll(v ir.Value) {
	t := b.typeOf(v)
	if !b.m.IsAggregate(t) {
		b.add(b.canonical(v))
		return
	}
	for i := range b.m.NumElements(t) {
		b.addAll(b.b.ExtractValue(v, uint32(i)))
	}
}

// makeKernel creates a kernel whose work-items have parts of the buffers.
func (g *gen) makeKernel(i int) {
	params := g.kernelParameters()
	types := make([]ir.Type, len(params))
	for j := range params {
		types[j] = params[j].t
	}
	f := g.m.AddFunction(fmt.Sprintf("test%d", i), g.m.FuncType(ir.Void, types, false), 0, ir.None)
	f.CC = ir.CCAMDGPUKernel
	for j, p := range params {
		f.SetName(f.Arg(j), []byte(p.name))
		f.Attributes = g.m.WithAttrsAt(f.Attributes, ir.AttrParams+j, g.m.AttrSet(p.attrs))
	}
	b := newBody(g, f)
	b.item = b.call(ir.IntrAMDGCNWorkitemIdX, nil)
	b.pool = append(b.pool, b.item)
	b.itemOffset = b.b.Mul(b.b.Cast(ir.OpZExt, b.item, ir.I64, 0), g.m.NewInt(ir.I64, InSize))
	for j, p := range params {
		p.bind(b, f.Arg(j))
	}
	b.inputs()
	if g.has(Memory) && g.chance(2) {
		b.sharedMemory(i)
	}
	b.statements(g.o.Size, 0)
	b.b.Store(b.checksum(), b.outputOf(params), 8)
	b.b.Ret(ir.None)
}

// outputOf returns the address of a work-item's result.
func (b *body) outputOf(params []parameter) ir.Value {
	for j, p := range params {
		if p.name == "out" || p.name == "out.0" {
			return b.b.PtrAdd(b.f.Arg(j), b.itemOffset, 0)
		}
	}
	panic("BUG: kernel has no output")
}
