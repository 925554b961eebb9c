package ireval

import (
	"fmt"

	"github.com/gfx-toolchain/gfx/ir"
)

// layout describes how values of a type are stored in frames and in memory.
type layout struct {
	t      ir.Type
	kind   ir.TypeKind
	bits   int32 // width of a scalar: integer, floating-point number or pointer
	words  int32 // size in a frame
	size   uint64
	elem   *layout // vector, array
	n      int32   // number of elements or fields
	fields []*layout
	at     []int32 // first word of each field
	leaves []leaf
	packed bool // vector whose elements are not whole bytes
	mixed  bool // aggregate that contains such a vector; never in memory
}

// leaf is a scalar part of a type.
type leaf struct {
	word   int32
	words  int32
	offset uint64 // offset in memory
	bytes  int32
	bits   int32
}

// maxWords limits the values of a function, in words.
const maxWords = 1 << 20

func (mc *Machine) layout(t ir.Type) *layout {
	if l := mc.layouts[t]; l != nil {
		return l
	}
	l := mc.newLayout(t)
	if l.words > maxWords {
		panic(mc.unsupported("type of %d words", l.words))
	}
	mc.layouts[t] = l
	return l
}

func (mc *Machine) newLayout(t ir.Type) *layout {
	m := mc.m
	info := m.TypeInfo(t)
	l := &layout{t: t, kind: info.Kind}
	switch info.Kind {
	case ir.KindVoid, ir.KindLabel, ir.KindMetadata, ir.KindToken:
		return l
	case ir.KindInt:
		l.scalar(int32(info.N), m.StoreSize(t))
	case ir.KindPtr:
		l.scalar(int32(m.SizeInBits(t)), m.StoreSize(t))
	case ir.KindHalf, ir.KindBFloat, ir.KindFloat, ir.KindDouble:
		l.scalar(int32(m.ScalarBits(t)), m.StoreSize(t))
	case ir.KindVector, ir.KindArray:
		mc.listLayout(l, info)
	case ir.KindStruct:
		l.size = m.StoreSize(t)
		l.n = int32(len(info.Elems))
		for i, e := range info.Elems {
			f := mc.layout(e)
			l.add(f, m.FieldOffset(t, i))
		}
	default:
		panic(mc.unsupported("type of kind %d", info.Kind))
	}
	return l
}

func (l *layout) scalar(bits int32, size uint64) {
	l.bits, l.words, l.size = bits, (bits+63)/64, size
	l.leaves = []leaf{{0, l.words, 0, int32(size), bits}}
}

// listLayout lays out a vector or an array.
func (mc *Machine) listLayout(l *layout, info *ir.TypeInfo) {
	m := mc.m
	l.elem = mc.layout(info.Elem)
	l.size = m.StoreSize(l.t)
	if info.N > maxWords || uint64(l.elem.words)*info.N > maxWords {
		panic(mc.unsupported("value of %d elements", info.N))
	}
	step := m.AllocSize(info.Elem)
	l.n = int32(info.N)
	if l.kind == ir.KindVector {
		l.packed = l.elem.bits%8 != 0
		step = uint64(l.elem.bits / 8)
	}
	if l.packed {
		l.words = l.n * l.elem.words
		return
	}
	for i := range info.N {
		l.addAt(l.elem, i*step)
	}
}

func (l *layout) add(f *layout, offset uint64) {
	l.fields, l.at = append(l.fields, f), append(l.at, l.words)
	l.addAt(f, offset)
}

func (l *layout) addAt(f *layout, offset uint64) {
	l.mixed = l.mixed || f.packed || f.mixed
	for _, x := range f.leaves {
		x.word += l.words
		x.offset += offset
		l.leaves = append(l.leaves, x)
	}
	l.words += f.words
}

// part returns the layout and the first word of the element at the given
// indices.
func (l *layout) part(indices []uint32) (*layout, int32) {
	at := int32(0)
	for _, i := range indices {
		if l.kind == ir.KindStruct {
			at += l.at[i]
			l = l.fields[i]
		} else {
			at += int32(i) * l.elem.words
			l = l.elem
		}
	}
	return l, at
}

// stored returns the layout of a type that is loaded or stored.
func (mc *Machine) stored(t ir.Type) *layout {
	l := mc.layout(t)
	if l.mixed {
		panic(mc.unsupported("memory access to an aggregate that contains a vector with elements that are not whole bytes"))
	}
	return l
}

// scalarOf returns the layout of the elements and their number. A scalar is one
// element.
func (l *layout) scalarOf() (*layout, int32) {
	if l.kind == ir.KindVector {
		return l.elem, l.n
	}
	return l, 1
}

func (mc *Machine) unsupported(format string, args ...any) *Error {
	return &Error{Kind: Unsupported, Message: fmt.Sprintf(format, args...)}
}

// widths returns the width of each word of a value.
func (l *layout) widths() []int32 {
	list := make([]int32, 0, l.words)
	switch {
	case l.elem != nil:
		e := l.elem.widths()
		for range l.n {
			list = append(list, e...)
		}
	case l.kind == ir.KindStruct:
		for _, f := range l.fields {
			list = append(list, f.widths()...)
		}
	default:
		for w := range l.words {
			list = append(list, min(64, l.bits-64*w))
		}
	}
	return list
}
