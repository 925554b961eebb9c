package amdgpu

import (
	"github.com/gfx-toolchain/gfx/mlir"
	"github.com/gfx-toolchain/gfx/mlir/llvm"
	"github.com/gfx-toolchain/gfx/mlir/lower/internal/tollvm"
)

// maxBufferBits is the largest width of a value in a buffer, in bits.
const maxBufferBits = 128

// buffer converts the operations on raw buffers: data (none for a load, two for
// a compare-and-swap), resource, offset in bytes, scalar offset in bytes, flags.
func buffer(l *tollvm.Lowering, o *mlir.Op, to string) error {
	if l.Chipset.Major < 9 {
		return mlir.OpErrorf("raw buffer ops require GCN or higher")
	}
	memref, indices, sgpr := one(o, "memref"), o.Named("indices"), o.Named("sgprOffset")
	data := o.Operands[:len(o.Operands)-1-len(indices)-len(sgpr)]
	var t *mlir.Type
	if len(data) > 0 {
		t = data[0].Value.Type
	} else {
		t = o.Result(0).Type
	}
	value, err := bufferType(l, o, t, len(data) == 2)
	if err != nil {
		return err
	}
	args := make([]*mlir.Value, 0, 6)
	for _, u := range data {
		args = append(args, bitcast(l, l.Value(u.Value), value))
	}
	m := l.MemRef(memref.Type, l.Value(memref))
	bytes := int64(sizeInBits(m.Type.Elem) / 8)
	check := o.Attr("boundsCheck").Int != 0
	args = append(args,
		resource(l, m.Buffer(), bufferSize(l, m, check), check, nil, 8),
		l.Binary("llvm.mul", bufferIndex(l, o, m, values(l, indices)), l.I32(bytes)),
		scaled(l, values(l, sgpr), bytes), l.I32(0))
	if len(o.Results) == 0 {
		l.EmitVoid(to, args)
		o.Erase()
		return nil
	}
	result := l.Emit(to, value, args)
	l.Replace(o, bitcast(l, result, l.Convert(t)))
	return nil
}

// scaled returns the scalar offset in bytes, 0 if there is none.
func scaled(l *tollvm.Lowering, sgpr []*mlir.Value, bytes int64) *mlir.Value {
	if len(sgpr) == 0 {
		return l.I32(0)
	}
	return l.Binary("llvm.mul", sgpr[0], l.I32(bytes))
}

// bufferType returns the type of the data of a buffer operation: words where
// elements are smaller, and an integer to compare and swap.
func bufferType(l *tollvm.Lowering, o *mlir.Op, t *mlir.Type, swap bool) (*mlir.Type, error) {
	c := l.Context
	to := l.Convert(t)
	if swap && t.Kind == mlir.FloatKind {
		to = c.Integer(t.Float.Bits)
	}
	if t.Kind == mlir.VectorKind {
		elem := sizeInBits(t.Elem)
		n := t.NumElements()
		bits := n * int64(elem)
		packed := o.Name == "amdgpu.raw_buffer_atomic_fadd" && n == 2
		switch {
		case bits > maxBufferBits:
			return nil, mlir.OpErrorf("Total width of loads or stores must be no more than %d bits, but we call for %d bits. This should've been caught in validation", maxBufferBits, bits)
		case packed || elem >= 32:
		case bits <= 32:
			to = c.Integer(int(bits))
		case bits%32 != 0:
			return nil, mlir.OpErrorf("Load or store of more than 32-bits that doesn't fit into words. Can't happen\n")
		default:
			to = c.Vector(c.Integer(32), bits/32)
		}
	}
	if to.Kind == mlir.VectorKind && to.NumElements() == 1 {
		to = to.Elem
	}
	return to, nil
}

// sizeInBits returns the size of a memref's element.
func sizeInBits(t *mlir.Type) int {
	switch t.Kind {
	case mlir.IndexKind:
		return 64
	case mlir.VectorKind:
		return sizeInBits(t.Elem) * int(t.NumElements())
	case mlir.ComplexKind:
		return 2 * sizeInBits(t.Elem)
	}
	return t.BitWidth()
}

// bufferIndex returns the number of elements that the indices and the constant
// offset are away from the first one, as an i32.
func bufferIndex(l *tollvm.Lowering, o *mlir.Op, m *tollvm.MemRef, indices []*mlir.Value) *mlir.Value {
	strides, _, _ := mlir.StridesAndOffset(m.Type)
	var sum *mlir.Value
	add := func(v *mlir.Value) {
		if sum != nil {
			v = l.Binary("llvm.add", sum, v)
		}
		sum = v
	}
	for i, x := range indices {
		switch strides[i] {
		case 1:
		case mlir.Dynamic:
			x = l.Binary("llvm.mul", x, resized(l, m.Stride(i), 32))
		default:
			x = l.Binary("llvm.mul", x, l.I32(strides[i]))
		}
		add(x)
	}
	if extra := intAttr(o, "indexOffset"); extra != 0 {
		add(l.I32(extra))
	}
	if sum == nil {
		sum = l.I32(0)
	}
	return sum
}

// resized returns an unsigned integer in another width.
func resized(l *tollvm.Lowering, v *mlir.Value, bits int) *mlir.Value {
	switch to := l.Context.Integer(bits); {
	case v.Type.Width > bits:
		return l.Emit("llvm.trunc", to, tollvm.Values(v))
	case v.Type.Width < bits:
		return l.Emit("llvm.zext", to, tollvm.Values(v))
	}
	return v
}

// recordBits is the width of the number of records of a resource.
func recordBits(l *tollvm.Lowering) int {
	if edition19(l) {
		return 32
	}
	return 64
}

// wideBuffers reports whether resources have 45 bits for the number of records, and no
// flag that selects how it is checked.
func wideBuffers(l *tollvm.Lowering) bool { return l.Chipset.AtLeast(gfx1250) && !edition19(l) }

// bufferSize returns the number of records of a memref's resource: the number of
// bytes up to the end of the largest dimension.
func bufferSize(l *tollvm.Lowering, m *tollvm.MemRef, check bool) *mlir.Value {
	t := l.Context.Integer(recordBits(l))
	bytes := int64(sizeInBits(m.Type.Elem) / 8)
	if !check && wideBuffers(l) {
		return l.Int(t, 1<<45-1)
	}
	if n, ok := staticSize(m.Type, edition19(l)); ok {
		return l.Int(t, n*bytes)
	}
	var largest *mlir.Value
	for i := range m.Type.Shape {
		n := l.Binary("llvm.mul", m.StoredSize(i), m.StoredStride(i))
		if largest != nil {
			n = l.Binary("llvm.intr.umax", largest, n)
		}
		largest = n
	}
	return l.Binary("llvm.mul", resized(l, largest, recordBits(l)), l.Int(t, bytes))
}

// staticSize returns the largest product of a size and its stride. In edition 19, a
// memref without elements has the size 0.
func staticSize(t *mlir.Type, e19 bool) (largest int64, ok bool) {
	strides, _, _ := mlir.StridesAndOffset(t)
	if len(strides) == 0 {
		return 1, true
	}
	if e19 && t.HasStaticShape() && t.NumElements() == 0 {
		return 0, true
	}
	for i, n := range t.Shape {
		if n == mlir.Dynamic || strides[i] == mlir.Dynamic {
			return 0, false
		}
		largest = max(largest, n*strides[i])
	}
	return largest, true
}

// The flags of a resource, its last word.
const (
	bufferFormat   = 7<<12 | 4<<15 // float, 32 bits
	bufferRDNA     = 1 << 24       // reserved, 1 from gfx10 on
	checkRaw       = 3 << 28       // the offset is checked against the number of records
	checkNothing   = 2 << 28
	swizzleEnabled = 1 << 14 // in the stride
	wideFlags      = 28      // the first bit that flags of gfx12.5's resources have
)

func bufferFlags(l *tollvm.Lowering, check bool) int64 {
	switch {
	case wideBuffers(l) && l.CheckWide && check:
		return checkRaw >> wideFlags
	case wideBuffers(l) && l.CheckWide:
		return checkNothing >> wideFlags
	case wideBuffers(l):
		return 0
	case l.Chipset.Major < 10:
		return bufferFormat
	case check:
		return bufferFormat | bufferRDNA | checkRaw
	}
	return bufferFormat | bufferRDNA | checkNothing
}

// resource creates a buffer resource as a pointer in an address space. swizzle is
// the stride of cache swizzling, or nil.
func resource(l *tollvm.Lowering, ptr, size *mlir.Value, check bool, swizzle *mlir.Value, space int64) *mlir.Value {
	i16 := l.Context.Integer(16)
	stride := (*mlir.Value)(nil)
	if swizzle != nil && swizzles(l.Chipset) {
		stride = l.Binary("llvm.or", l.Emit("llvm.zext", i16, tollvm.Values(swizzle)), l.Int(i16, swizzleEnabled),
			tollvm.Named("isDisjoint", l.Context.Unit()))
	} else {
		stride = l.Int(i16, 0)
	}
	return l.Emit("rocdl.make.buffer.rsrc", llvm.PointerType(l.Context, space),
		tollvm.Values(ptr, stride, size, l.I32(bufferFlags(l, check))))
}

// swizzles reports whether buffers have cache swizzling.
func swizzles(c tollvm.Chipset) bool { return c.Major == 9 && c.AtLeast(gfx942) }

// fatBuffer converts a cast to a fat raw buffer: a descriptor whose pointers hold
// the resource.
func fatBuffer(l *tollvm.Lowering, o *mlir.Op, _ string) error {
	m := l.MemRefOperand(o, 0)
	check := o.Attr("boundsCheck").Int != 0
	var size, swizzle *mlir.Value
	if v := one(o, "validBytes"); v != nil {
		size = l.Value(v)
	} else {
		size = bufferSize(l, m, check)
	}
	if v := one(o, "cacheSwizzleStride"); v != nil {
		swizzle = l.Value(v)
	}
	var ptr, offset *mlir.Value
	if o.Attr("resetOffset") != nil {
		ptr, offset = m.Buffer(), l.IndexInt(0)
	} else {
		ptr, offset = m.Aligned(), m.StoredOffset()
	}
	fat := resource(l, ptr, size, check, swizzle, 7)
	to := l.NewMemRef(o.Result(0).Type)
	to.SetPointers(fat, fat)
	to.SetOffset(offset)
	if len(m.Type.Shape) > 0 {
		to.CopyDims(m)
	}
	l.Replace(o, to.Value)
	return nil
}

// element returns the pointer to an element of a memref that is an operand.
func element(l *tollvm.Lowering, memref *mlir.Value, indices []*mlir.Value) *mlir.Value {
	m := l.MemRef(memref.Type, l.Value(memref))
	converted := make([]*mlir.Value, len(indices))
	for i, v := range indices {
		converted[i] = l.Value(v)
	}
	return m.WrappingElement(converted)
}
