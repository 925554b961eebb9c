package memref

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// Heap names the functions that allocate and free memory.
type Heap struct {
	Alloc   string // takes a size in bytes
	Aligned string // takes an alignment and a size, a multiple of it; "" to align by hand
	Free    string
}

// NewHeap returns the functions of the C library, or with generic the functions that
// every runtime may define. With aligned, the function that allocates also aligns.
func NewHeap(aligned, generic bool) Heap {
	h := Heap{Alloc: "malloc", Free: "free"}
	if generic {
		h = Heap{Alloc: "_mlir_memref_to_llvm_alloc", Free: "_mlir_memref_to_llvm_free"}
	}
	switch {
	case aligned && generic:
		h.Aligned = "_mlir_memref_to_llvm_aligned_alloc"
	case aligned:
		h.Aligned = "aligned_alloc"
	}
	return h
}

// ToLLVM converts the operations that use the heap.
func (h Heap) ToLLVM() []tollvm.Row {
	return []tollvm.Row{
		{Op: "memref.alloc", Run: ifConvertible(h.alloc)},
		{Op: "memref.dealloc", Run: ifConvertible(h.dealloc)},
	}
}

// bytesOf returns the size of a number of elements in bytes.
func bytesOf(l *tollvm.Lowering, elem *mlir.Type, elements *mlir.Value) *mlir.Value {
	end := l.GEPBy(llvm.NewMlirZero(l.Builder, l.PlainPointer()), elem, tollvm.MayWrap, elements)
	return l.Emit("llvm.ptrtoint", l.Index(), tollvm.Values(end))
}

// elementBytes returns the size of one element.
func elementBytes(l *tollvm.Lowering, elem *mlir.Type) *mlir.Value {
	end := l.GEP(llvm.NewMlirZero(l.Builder, l.PlainPointer()), elem, tollvm.MayWrap, []int64{1})
	return l.Emit("llvm.ptrtoint", l.Index(), tollvm.Values(end))
}

func (h Heap) alloc(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	y, ptr, err := newMemory(l, o)
	if err != nil {
		return err
	}
	t := o.Result(0).Type
	elem := l.Convert(t.Elem)
	size := bytesOf(l, elem, y.elements)
	var allocated, aligned *mlir.Value
	if h.Aligned != "" {
		allocated = h.alignedAlloc(l, o, size)
		allocated = spacePointer(l, allocated, ptr)
		aligned = allocated
	} else {
		allocated, aligned = h.plainAlloc(l, o, size, ptr)
	}
	l.Replace(o, y.descriptor(l, t, allocated, aligned))
	return nil
}

// alignment returns the alignment of memory: the attribute, or the size of
// elements that are no numbers, or nil for what the function guarantees.
func alignment(l *tollvm.Lowering, o *mlir.Op) *mlir.Value {
	if a := o.Attr("alignment"); a != nil {
		return l.IndexInt(a.Int)
	}
	switch elem := o.Result(0).Type.Elem; elem.Kind {
	case mlir.IntegerKind, mlir.IndexKind, mlir.FloatKind:
		return nil
	default:
		return elementBytes(l, l.Convert(elem))
	}
}

// plainAlloc allocates memory and aligns the address if it has to.
func (h Heap) plainAlloc(l *tollvm.Lowering, o *mlir.Op, size *mlir.Value, ptr *mlir.Type) (allocated, aligned *mlir.Value) {
	n := alignment(l, o)
	if n != nil {
		size = l.Binary("llvm.add", size, n)
	}
	allocated = spacePointer(l, l.Call(o, h.Alloc, l.PlainPointer(), tollvm.Values(size)), ptr)
	if n == nil {
		return allocated, allocated
	}
	at := l.Emit("llvm.ptrtoint", l.Index(), tollvm.Values(allocated))
	return allocated, l.Emit("llvm.inttoptr", ptr, tollvm.Values(roundUp(l, at, n)))
}

// roundUp returns the next multiple of n.
func roundUp(l *tollvm.Lowering, v, n *mlir.Value) *mlir.Value {
	v = l.Binary("llvm.add", v, l.Binary("llvm.sub", n, l.IndexInt(1)))
	return l.Binary("llvm.sub", v, l.Binary("llvm.urem", v, n))
}

// alignedAlloc calls the function that aligns memory. Without an attribute the
// alignment is 16 bytes.
func (h Heap) alignedAlloc(l *tollvm.Lowering, o *mlir.Op, size *mlir.Value) *mlir.Value {
	n := alignment(l, o)
	if n == nil {
		n = l.IndexInt(16)
	}
	return l.Call(o, h.Aligned, l.PlainPointer(), tollvm.Values(n, roundUp(l, size, n)))
}

func (h Heap) dealloc(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	var p *mlir.Value
	if t := o.Operand(0).Type; isUnranked(t) {
		u := newUnranked(l, t, l.Operand(o, 0))
		p = l.Emit("llvm.load", u.pointerType(), tollvm.Values(u.descriptor()))
	} else {
		p = l.MemRefOperand(o, 0).Allocated()
	}
	l.Call(o, h.Free, nil, tollvm.Values(spacePointer(l, p, l.PlainPointer())))
	o.Erase()
	return nil
}

// copyMemory converts memref.copy: between memrefs without gaps to llvm.intr.memcpy.
func copyMemory(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	from, to := o.Operand(0).Type, o.Operand(1).Type
	if !isContiguous(from) || !isContiguous(to) {
		copyByRuntime(l, o)
		return nil
	}
	source, target := l.MemRefOperand(o, 0), l.MemRefOperand(o, 1)
	n := l.IndexInt(1)
	for i := range from.Shape {
		n = l.Binary("llvm.mul", n, source.Size(i))
	}
	n = l.Binary("llvm.mul", n, elementBytes(l, source.ElemType()))
	p := source.Buffer()
	llvm.NewIntrMemcpy(l.Builder, target.Buffer(), p, n, false)
	o.Erase()
	return nil
}

// isContiguous reports whether the elements of a memref are known to follow each other, but
// for the offset.
func isContiguous(t *mlir.Type) bool {
	if t.Kind != mlir.MemRefKind || t.Layout == nil {
		return t.Kind == mlir.MemRefKind
	}
	strides, _, _ := mlir.StridesAndOffset(t)
	n := int64(1)
	for i := len(t.Shape) - 1; i >= 0; i-- {
		if strides[i] != n || t.Shape[i] == mlir.Dynamic && i > 0 {
			return false
		}
		n *= t.Shape[i]
	}
	return true
}

// copyByRuntime calls MLIR's function that copies memrefs of any layout and rank.
func copyByRuntime(l *tollvm.Lowering, o *mlir.Op) {
	stack := llvm.NewIntrStacksave(l.Builder, l.PlainPointer())
	source, target := unrankedOnStack(l, o, 0), unrankedOnStack(l, o, 1)
	size := elementBytes(l, l.Convert(o.Operand(0).Type.Elem))
	l.Call(o, "memrefCopy", nil, tollvm.Values(size, source, target))
	llvm.NewIntrStackrestore(l.Builder, stack)
	o.Erase()
}

// unrankedOnStack returns a pointer to an operand as a memref of any rank.
func unrankedOnStack(l *tollvm.Lowering, o *mlir.Op, i int) *mlir.Value {
	t, v := o.Operand(i).Type, l.Operand(o, i)
	if !isUnranked(t) {
		v = rankedToUnranked(l, v, t, l.Context.UnrankedMemRefType(t.Elem, t.Space))
	}
	p := llvm.NewAlloca(l.Builder, l.PlainPointer(), l.IndexInt(1), v.Type)
	l.EmitVoid("llvm.store", tollvm.Values(v, p))
	return p
}
