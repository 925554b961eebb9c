package irrandom

import (
	"github.com/gfx-toolchain/gfx/ir"
)

// pointer creates a statement with pointers.
func (b *body) pointer(depth int) {
	all := [...]func(b *body, depth int){
		(*body).choosePointer, (*body).spillPointer, (*body).walk, (*body).lifetime, (*body).copyObject, (*body).atomic,
		(*body).volatileAccess, (*body).wholeStruct, (*body).distance, (*body).castSpace, (*body).indirectCall,
	}
	all[b.IntN(len(all))](b, depth)
}

// plainMem returns a writable object without access restrictions.
func (b *body) plainMem() *memory {
	mem := b.mem(true, true)
	if mem == nil {
		return nil
	}
	c := *mem
	return &c
}

// choosePointer creates a pointer that selects one of two objects.
func (b *body) choosePointer(int) {
	x, y := b.plainMem(), b.plainMem()
	if x == nil || y == nil || b.typeOf(x.ptr) != b.typeOf(y.ptr) {
		return
	}
	p := b.b.Select(b.cond(), x.ptr, y.ptr)
	b.mems = append(b.mems, memory{ptr: p, size: min(x.size, y.size), align: min(x.align, y.align), shared: true})
}

// spillPointer stores a pointer and loads it again.
func (b *body) spillPointer(int) {
	x := b.plainMem()
	if x == nil {
		return
	}
	t := b.typeOf(x.ptr)
	slot := b.entryBuilder().Alloca(t, 0)
	b.b.Store(x.ptr, slot, 0)
	if b.chance(2) {
		b.access()
	}
	x.ptr, x.shared = b.b.Load(t, slot, 0), true
	b.mems = append(b.mems, *x)
}

// entryBuilder returns a builder that inserts at the beginning of the function.
func (b *body) entryBuilder() *ir.Builder {
	eb := ir.NewBuilder(b.f, b.f.Entry())
	if first := b.f.First(b.f.Entry()); first != ir.None {
		eb.Before(first)
	}
	return eb
}

// walk accesses an object through a pointer that moves.
func (b *body) walk(depth int) {
	x := b.plainMem()
	if x == nil || depth >= maxDepth || b.mult > 64 {
		return
	}
	m := b.m
	t := [...]ir.Type{ir.I8, ir.I16, ir.I32}[b.IntN(3)]
	size := int(m.StoreSize(t))
	n := min(x.size/size, 8)
	start, from := b.pick(t), b.b.Block()
	loop, exit := b.f.NewBlock(), b.f.NewBlock()
	end := b.b.PtrAdd(x.ptr, m.NewInt(ir.I64, uint64(n*size)), ir.InBounds|ir.NUSW)
	b.b.Br(loop)
	b.b.AtEnd(loop)
	p, sum := b.b.Phi(b.typeOf(x.ptr)), b.b.Phi(t)
	v := b.b.Load(t, p, 1)
	next := b.b.Binary(arithOps[b.IntN(len(arithOps))], sum, v, 0)
	if b.chance(2) {
		b.b.Store(next, p, 1)
	}
	q := b.b.GEP(t, ir.InBounds|ir.NUSW, p, m.NewInt(ir.I64, 1))
	b.b.CondBr(b.b.Compare(ir.ICmpNE, q, end), loop, exit)
	b.f.AddIncoming(p, x.ptr, from)
	b.f.AddIncoming(p, q, loop)
	b.f.AddIncoming(sum, start, from)
	b.f.AddIncoming(sum, next, loop)
	b.cost += b.mult * n * 4
	b.b.AtEnd(exit)
	b.add(b.b.Add(next, m.NewInt(t, 0)))
}

// lifetime creates an object that is alive for a few statements.
func (b *body) lifetime(depth int) {
	if depth >= maxDepth {
		return
	}
	p := b.entryBuilder().Alloca(b.objectType(16), 8)
	t := b.typeOf(p)
	mems := len(b.mems)
	b.call(ir.IntrLifetimeStart, []ir.Type{t}, p)
	b.b.Store(b.pick(ir.I64), p, 8)
	b.b.Store(b.pick(ir.I64), b.b.PtrAdd(p, b.m.NewInt(ir.I64, 8), 0), 8)
	b.mems = append(b.mems, memory{ptr: p, size: 16, align: 8})
	b.statements(1+b.IntN(4), depth+1)
	b.mems = b.mems[:mems]
	b.call(ir.IntrLifetimeEnd, []ir.Type{t}, p)
}

// copyObject copies an object to a new one.
func (b *body) copyObject(int) {
	x := b.plainMem()
	if x == nil {
		return
	}
	p := b.entryBuilder().Alloca(b.objectType((x.size+7)&^7), 16)
	b.call(ir.IntrMemcpy, []ir.Type{b.typeOf(p), b.typeOf(x.ptr), ir.I64}, p, x.ptr, b.m.NewInt(ir.I64, uint64(x.size)), b.m.NewBool(false))
	b.mems = append(b.mems, memory{ptr: p, size: x.size, align: 16})
}

// atomic creates an atomic operation.
func (b *body) atomic(int) {
	x := b.plainMem()
	if x == nil || x.align < 8 || x.size < 8 {
		return
	}
	t := [2]ir.Type{ir.I32, ir.I64}[b.IntN(2)]
	mem := ir.MemInfo{Align: uint32(b.m.StoreSize(t)), Ordering: ir.Monotonic, Scope: ir.System}
	if b.chance(2) {
		mem.Ordering = ir.SeqCst
	}
	b.cost += b.mult
	if b.chance(3) {
		mem.Failure = ir.Monotonic
		v := b.b.Make(ir.OpCmpXchg, b.m.StructType([]ir.Type{t, ir.I1}, false), x.ptr, b.pick(t), b.pick(t))
		b.f.SetMemInfo(v, mem)
		b.add(b.b.ExtractValue(v, 0))
		b.add(b.b.ExtractValue(v, 1))
		return
	}
	v := b.b.Make(ir.OpAtomicRMW, t, x.ptr, b.pick(t))
	b.f.Instr(v).Sub = uint8(b.IntN(int(ir.RMWUMin) + 1))
	b.f.SetMemInfo(v, mem)
	b.add(v)
}

// volatileAccess creates volatile stores and loads, which must be preserved.
func (b *body) volatileAccess(int) {
	x := b.plainMem()
	if x == nil {
		return
	}
	v := b.b.Store(b.pick(ir.I32), x.ptr, 1)
	b.f.SetMemInfo(v, ir.MemInfo{Align: 1, Volatile: true, Scope: ir.System})
	l := b.b.Load(ir.I16, x.ptr, 1)
	b.f.SetMemInfo(l, ir.MemInfo{Align: 1, Volatile: true, Scope: ir.System})
	b.add(l)
}

// wholeStruct loads and stores structs without padding.
func (b *body) wholeStruct(int) {
	x, y := b.plainMem(), b.plainMem()
	if x == nil || y == nil {
		return
	}
	m := b.m
	t := m.StructType([]ir.Type{ir.I32, ir.I16, ir.I8, ir.I8}, false)
	if b.chance(2) {
		t = m.ArrayType(m.StructType([]ir.Type{ir.I8, ir.I8}, false), 4)
	}
	v := b.b.Load(t, x.ptr, 1)
	if m.Kind(t) == ir.KindStruct {
		v = b.b.InsertValue(v, b.pick(ir.I16), 1)
		b.add(b.b.ExtractValue(v, 0))
	} else {
		v = b.b.InsertValue(v, b.pick(ir.I8), uint32(b.IntN(4)), 1)
		b.add(b.b.ExtractValue(v, uint32(b.IntN(4)), 0))
	}
	b.b.Store(v, y.ptr, 1)
	b.cost += 3 * b.mult
}

// distance subtracts or compares two addresses in an object.
func (b *body) distance(int) {
	x := b.mem(false, true)
	if x == nil {
		return
	}
	m := b.m
	p := x.ptr
	q := b.offset(p, m.NewInt(ir.I64, uint64(b.IntN(x.size+1))))
	t := m.IntType(int(m.Layout().Pointer(m.AddrSpace(b.typeOf(p))).Bits))
	switch b.IntN(3) {
	case 0:
		b.add(b.b.Sub(b.b.Cast(ir.OpPtrToInt, q, t, 0), b.b.Cast(ir.OpPtrToInt, p, t, 0)))
	case 1:
		b.add(b.b.Compare([2]ir.Pred{ir.ICmpEQ, ir.ICmpULT}[b.IntN(2)], p, q))
	case 2:
		back := b.b.Cast(ir.OpIntToPtr, b.b.Cast(ir.OpPtrToInt, q, t, 0), b.typeOf(p), 0)
		b.add(b.b.Compare(ir.ICmpEQ, back, q))
	}
}

// castSpace creates a generic pointer to an object on AMDGPU.
func (b *body) castSpace(int) {
	x := b.mem(false, true)
	if x == nil || b.o.Profile != AMDGPU {
		return
	}
	y := *x
	if b.typeOf(x.ptr) != ir.Ptr {
		y.ptr = b.b.Cast(ir.OpAddrSpaceCast, x.ptr, ir.Ptr, 0)
	}
	y.shared = true
	if g := b.m.ConstGlobal(x.ptr); g != nil && g.Constant {
		y.readOnly = true
	}
	b.mems = append(b.mems, y)
}

// indirectCall calls one of two helpers with the same type.
func (b *body) indirectCall(int) {
	if len(b.helpers) == 0 {
		return
	}
	h := b.helpers[b.IntN(len(b.helpers))]
	for _, o := range b.helpers {
		if o == h || o.f.Global.Type != h.f.Global.Type || !b.sameParams(o, h) || b.cost+b.mult*(o.cost+h.cost) > maxCost {
			continue
		}
		args, ok := b.argsFor(h)
		if !ok {
			return
		}
		callee := b.b.Select(b.cond(), h.f.Value(), o.f.Value())
		b.cost += b.mult * max(o.cost, h.cost)
		b.callFunction(h, callee, args)
		return
	}
}

// sameParams reports whether the last parameters of two helpers with the same
// type have the same attributes, and the helpers the same calling convention.
func (b *body) sameParams(x, y *helper) bool {
	if x.f.CC != y.f.CC {
		return false
	}
	at := ir.AttrParams + x.f.NumArgs() - 1
	return x.f.NumArgs() == 0 || b.m.AttrsAt(x.f.Attributes, at) == b.m.AttrsAt(y.f.Attributes, at)
}

// makeRecursive creates a helper that calls itself a few times.
func (g *gen) makeRecursive() {
	t := g.intType()
	f := g.m.AddFunction("recursive", g.m.FuncType(t, []ir.Type{ir.I32, t}, false), 0, ir.None)
	f.Linkage = ir.Internal
	b := newBody(g, f)
	b.pool = append(b.pool, f.Arg(1))
	b.statements(3, maxDepth)
	again, done := f.NewBlock(), f.NewBlock()
	x := b.pick(t)
	b.b.CondBr(b.b.Compare(ir.ICmpULT, b.b.Sub(f.Arg(0), g.m.NewInt(ir.I32, 1)), g.m.NewInt(ir.I32, 7)), again, done)
	b.b.AtEnd(done)
	b.b.Ret(x)
	b.b.AtEnd(again)
	r := b.b.Call(f, b.b.Sub(f.Arg(0), g.m.NewInt(ir.I32, 1)), x)
	if g.chance(2) {
		r = b.b.Binary(arithOps[g.IntN(len(arithOps))], r, b.pick(t), 0)
	}
	b.b.Ret(r)
	g.helpers = append(g.helpers, &helper{f, 8 * (b.cost + 6)})
}
