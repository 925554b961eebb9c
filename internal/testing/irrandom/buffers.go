package irrandom

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/ir"
)

// Lanes is the number of work-items in the single work-group that runs a
// kernel.
const Lanes = lanes

// Buffer is memory for the arguments of kernels.
type Buffer struct {
	Name     string
	Size     int // in bytes
	ReadOnly bool
	PerItem  bool // each work-item has its own InSize bytes
	fill     func(data []byte)
}

// Buffers lists the memory of a kernel run. Kernel parameters refer to it by
// name, see Arguments.
var Buffers = [...]Buffer{
	{Name: "in", Size: lanes * InSize, ReadOnly: true, PerItem: true, fill: input},
	{Name: "out", Size: lanes * OutSize, PerItem: true, fill: func(data []byte) { clear(data) }},
	{Name: "mix", Size: lanes * InSize, PerItem: true, fill: func(data []byte) { fillBytes(data, 0x7f4a7c15) }},
	{Name: "table", Size: tableSize, ReadOnly: true, fill: func(data []byte) { fillBytes(data, 0x85ebca6b) }},
	{Name: "sum", Size: len(counters) * counterSize, fill: fillCounters},
}

// tableSize is the size in bytes of the buffer that all work-items read.
const tableSize = 128

// Fill writes the initial contents of the buffer.
func (b *Buffer) Fill(data []byte) { b.fill(data) }

// OutputHash returns the hash of the final contents of Buffers.
func OutputHash(data [][]byte) uint64 {
	h := uint64(0)
	for i := range Buffers {
		if !Buffers[i].ReadOnly {
			h = hash(h, data[i])
		}
	}
	return h
}

// input fills the memory that test functions read.
func input(in []byte) { fillBytes(in, 0x9e3779b9) }

func fillBytes(data []byte, x uint32) {
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
}

// Argument is an argument of a kernel: a pointer to a buffer, LDS, or a value.
type Argument struct {
	Buffer int    // index in Buffers, or -1
	Offset uint64 // offset of the pointer in the buffer, in bytes
	Local  uint64 // size of the LDS for a pointer, in bytes
	Data   []byte // value, or contents of the object for a byref pointer
}

// Arguments returns the arguments for a kernel. They depend only on the names
// and types of the parameters, so that a kernel with removed parameters gets
// the same values for the others. The parameter "mix.8" is a pointer to offset
// 8 of buffer mix, "local.64" is a pointer to 64 bytes of LDS, and other names
// denote random numbers. A suffix after a second dot makes names unique.
func Arguments(f *ir.Function) []Argument {
	list := make([]Argument, f.NumArgs())
	for i := range list {
		list[i] = argument(f, i)
	}
	return list
}

func argument(f *ir.Function, i int) Argument {
	m := f.Global.Module()
	name := string(f.NameOf(f.Arg(i)))
	t := f.TypeOf(f.Arg(i))
	parts := append(strings.Split(name, "."), "")
	n, _ := strconv.ParseUint(parts[1], 10, 32)
	if parts[0] == "local" {
		return Argument{Buffer: -1, Local: n}
	}
	for j := range Buffers {
		if Buffers[j].Name == parts[0] {
			return Argument{Buffer: j, Offset: n}
		}
	}
	if a, ok := m.Attr(m.AttrsAt(f.Attributes, ir.AttrParams+i), ir.AttrByRef); ok {
		t = a.Type
	}
	return Argument{Buffer: -1, Data: argumentBytes(m, t, name)}
}

// argumentBytes returns the in-memory value of a parameter.
func argumentBytes(m *ir.Module, t ir.Type, name string) []byte {
	h := fnv.New64a()
	h.Write([]byte(name))
	data := make([]byte, m.AllocSize(t))
	r := rand.New(rand.NewPCG(h.Sum64(), 3))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	fillValue(m, t, r, data)
	return data
}

// fillValue writes a value of type t. Padding bits of integers are zero.
func fillValue(m *ir.Module, t ir.Type, r *rand.Rand, data []byte) {
	info := m.TypeInfo(t)
	switch {
	case info.Kind == ir.KindStruct:
		for i, e := range info.Elems {
			fillValue(m, e, r, data[m.FieldOffset(t, i):])
		}
	case info.Kind == ir.KindArray:
		for i := range int(info.N) {
			fillValue(m, info.Elem, r, data[i*int(m.AllocSize(info.Elem)):])
		}
	case info.Kind == ir.KindVector && m.ScalarBits(t)%8 == 0:
		for i := range int(info.N) {
			fillValue(m, info.Elem, r, data[i*m.ScalarBits(t)/8:])
		}
	case m.IsFloat(t):
		putBits(data, specialFloat(t, r), m.ScalarBits(t))
	default:
		fillBits(data[:m.StoreSize(t)], r, int(m.SizeInBits(t)))
	}
}

// fillBits writes an n-bit integer, often a small one.
func fillBits(data []byte, r *rand.Rand, n int) {
	small := r.IntN(3) == 0
	for i := range data {
		data[i] = byte(r.Uint32())
		if small && i > 0 {
			data[i] = 0
		}
	}
	if n%8 != 0 {
		data[len(data)-1] &= 1<<(n%8) - 1
	}
}

func putBits(data []byte, x uint64, n int) {
	for i := range n / 8 {
		data[i] = byte(x >> (8 * i))
	}
}
