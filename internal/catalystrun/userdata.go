package catalystrun

import (
	"encoding/binary"
	"fmt"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/hsa"
	"github.com/gfx-toolchain/gfx/internal/catalystabi"
)

// userClass is how a class of user data gets its registers.
type userClass struct {
	class catalyst.DataClass
	// value returns the registers.
	value func(c *call, u catalyst.UserData) ([]uint32, error)
}

// Dwords of the entries of tables.
const (
	constEntry    = 4
	imageEntry    = 8 // of resources and UAVs
	samplerEntry  = 4
	bufferDwords  = 4
	pointerDwords = 2
)

// classOf returns how a class of user data gets its registers. The error names
// the reason if that is not known.
func classOf(class catalyst.DataClass) (*userClass, error) {
	for i := range userClasses {
		if userClasses[i].class == class {
			return &userClasses[i], nil
		}
	}
	for _, r := range refusedClasses {
		for _, c := range r.classes {
			if c == class {
				return nil, fmt.Errorf("user data %s are not supported: %s", class, r.reason)
			}
		}
	}
	return nil, fmt.Errorf("user data %s are not supported: the class has no name", class)
}

// userClasses lists the supported classes.
var userClasses = [...]userClass{
	{catalyst.ImmResource, func(c *call, u catalyst.UserData) ([]uint32, error) { return c.resources.entry(u, "readable image") }},
	{catalyst.ImmSampler, (*call).samplerOf},
	{catalyst.ImmConstBuffer, func(c *call, u catalyst.UserData) ([]uint32, error) { return c.consts.entry(u, "constant buffer") }},
	{catalyst.ImmUAV, func(c *call, u catalyst.UserData) ([]uint32, error) { return c.uavs.entry(u, "UAV") }},
	{catalyst.ImmGDSCounterRange, func(c *call, u catalyst.UserData) ([]uint32, error) {
		return gdsRange(u, 0, counterSize(c.k.info))
	}},
	{catalyst.ImmGDSMemoryRange, func(c *call, u catalyst.UserData) ([]uint32, error) {
		return gdsRange(u, counterSize(c.k.info), uint64(c.k.info.Region))
	}},
	{catalyst.ImmGWSBase, func(*call, catalyst.UserData) ([]uint32, error) { return []uint32{0}, nil }},
	// The kernel's first instructions load the descriptor, which the device writes
	// when it has the memory.
	{catalyst.ImmScratchBuffer, func(*call, catalyst.UserData) ([]uint32, error) { return make([]uint32, bufferDwords), nil }},
	{catalyst.PtrResourceTable, func(c *call, _ catalyst.UserData) ([]uint32, error) { return c.address(c.resources, imageEntry) }},
	{catalyst.PtrSamplerTable, func(c *call, _ catalyst.UserData) ([]uint32, error) {
		t := table{}
		for i, s := range c.samplers {
			t[uint32(i)] = s
		}
		return c.address(t, samplerEntry)
	}},
	{catalyst.PtrConstBufferTable, func(c *call, _ catalyst.UserData) ([]uint32, error) { return c.address(c.consts, constEntry) }},
	{catalyst.PtrUAVTable, func(c *call, _ catalyst.UserData) ([]uint32, error) { return c.address(c.uavs, imageEntry) }},
	{catalyst.PtrInternalGlobalTable, func(c *call, _ catalyst.UserData) ([]uint32, error) { return pointer(c.internal.Addr()), nil }},
}

// refusedClasses lists the classes of CLRX's table that are not supported, with
// the reason.
var refusedClasses = [...]struct {
	classes []catalyst.DataClass
	reason  string
}{
	{[]catalyst.DataClass{3, 16, 21, 22, 30}, "they belong to graphics shaders"},
	{[]catalyst.DataClass{5, 6}, "no document defines which constants of .data their slots are"},
	{[]catalyst.DataClass{10, 11, 12, 14, 15, 29}, "no document defines these data of HSAIL"},
	{[]catalyst.DataClass{18, 26, 27, 28}, "no document defines the entries of the table"},
	{[]catalyst.DataClass{25, 31, 32}, "no document defines the data"},
}

// table holds descriptors by id.
type table map[uint32][]uint32

// entry returns the descriptor that user data hold themselves.
func (t table) entry(u catalyst.UserData, what string) ([]uint32, error) {
	d, ok := t[u.Slot]
	if !ok {
		return nil, fmt.Errorf("user data %s: there is no %s %d", u.Class, what, u.Slot)
	}
	return d, nil
}

// samplerOf returns the sampler that user data hold themselves.
func (c *call) samplerOf(u catalyst.UserData) ([]uint32, error) {
	if u.Slot >= uint32(len(c.samplers)) {
		return nil, fmt.Errorf("user data %s: there is no sampler %d", u.Class, u.Slot)
	}
	return c.samplers[u.Slot], nil
}

// gdsRange returns a range of GDS as M0 has it: the first byte in the high half,
// the size in the low half.
func gdsRange(u catalyst.UserData, first, size uint64) ([]uint32, error) {
	switch {
	case u.Slot != 0:
		return nil, fmt.Errorf("user data %s: no document defines slot %d", u.Class, u.Slot)
	case size > maxGDSRange:
		return nil, fmt.Errorf("user data %s: a range of %d bytes, the maximum is %d", u.Class, size, maxGDSRange)
	}
	return []uint32{uint32(first<<16 | size)}, nil
}

// maxGDSRange is the largest size in bytes that M0 represents.
const maxGDSRange = 1<<16 - 1

// address writes a table to memory, each entry with a number of dwords, and
// returns its address.
func (c *call) address(t table, dwords int) ([]uint32, error) {
	last := uint32(0)
	for id := range t {
		last = max(last, id)
	}
	words := make([]uint32, dwords*int(last+1))
	for id, d := range t {
		copy(words[dwords*int(id):][:dwords], d)
	}
	b, err := c.newBuffer(appendWords(nil, words))
	if err != nil {
		return nil, err
	}
	return pointer(b.Addr()), nil
}

// pointer returns the registers with an address.
func pointer(addr uint64) []uint32 { return []uint32{uint32(addr), uint32(addr >> 32)} }

// descriptor returns the descriptor of a buffer.
func descriptor(b *hsa.Buffer) []uint32 {
	return []uint32{uint32(b.Addr()), uint32(b.Addr()>>32) & 0xffff, uint32(min(b.Size(), 1<<32-1)), catalystabi.BufferFormat}
}

func appendWords(b []byte, words []uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// userData returns the user data of the kernel as a kernarg segment.
func (c *call) userData() ([]byte, error) {
	words := make([]uint32, kernargSize/4)
	for _, u := range c.k.info.UserData {
		class, _ := classOf(u.Class) // checkSupport has found it
		value, err := class.value(c, u)
		if err != nil {
			return nil, err
		}
		if int(u.Count) != len(value) {
			return nil, fmt.Errorf("user data %s has %d registers instead of %d", u.Class, u.Count, len(value))
		}
		copy(words[u.First:], value)
	}
	copy(words[scratchPointer:], pointer(c.scratchResource()))
	return appendWords(nil, words), nil
}
