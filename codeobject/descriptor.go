package codeobject

import (
	"encoding/binary"
	"fmt"

	"github.com/gfx-toolchain/gfx/target"
)

// KernelDescriptor contains the information from which the command processor
// starts a kernel, from code object V3 on: 64 bytes at the symbol NAME.kd. The
// fields are the words of the file; DescriptorFields describes their bits.
//
// Source: User Guide for AMDGPU Backend, Kernel Descriptor; LLVM 22's
// AMDGPUUsage for gfx90a and gfx11 to gfx12.5.
type KernelDescriptor struct {
	GroupSegmentFixedSize     uint32   // bytes of LDS per work-group
	PrivateSegmentFixedSize   uint32   // bytes of scratch memory per work-item
	KernargSize               uint32   // bytes of kernel arguments; in V3, 0 does not mean none
	Reserved0                 [4]byte  // 0
	KernelCodeEntryByteOffset int64    // from the descriptor to the first instruction, which is 256-byte aligned
	Reserved1                 [20]byte // 0
	ComputePgmRsrc3           uint32   // gfx90a, and gfx10 on
	ComputePgmRsrc1           uint32   // fields of WordRsrc1
	ComputePgmRsrc2           uint32   // fields of WordRsrc2
	KernelCodeProperties      uint16   // fields of WordProperties
	KernargPreload            uint16   // gfx90a, gfx940, gfx12.5
	Reserved3                 [4]byte  // 0
}

// KernelDescriptorSize is the size of a kernel descriptor in bytes, and its
// alignment.
const KernelDescriptorSize = 64

// EntryOffset is the offset of KernelCodeEntryByteOffset in a kernel
// descriptor, in bytes.
const EntryOffset = 16

// Offsets of the parts of a kernel descriptor, in bytes.
const (
	kdGroupSegment = 0
	kdPrivate      = 4
	kdKernargSize  = 8
	kdReserved0    = 12
	kdEntry        = EntryOffset
	kdReserved1    = 24
	kdRsrc3        = 44
	kdRsrc1        = 48
	kdRsrc2        = 52
	kdProperties   = 56
	kdPreload      = 58
	kdReserved3    = 60
)

// DecodeKernelDescriptor reads a kernel descriptor from its 64 bytes. It
// accepts every bit pattern; Check reports whether it is valid.
func DecodeKernelDescriptor(b []byte) (KernelDescriptor, error) {
	if len(b) != KernelDescriptorSize {
		return KernelDescriptor{}, fmt.Errorf("kernel descriptor of %d bytes, expected %d", len(b), KernelDescriptorSize)
	}
	d := KernelDescriptor{
		GroupSegmentFixedSize:     binary.LittleEndian.Uint32(b[kdGroupSegment:]),
		PrivateSegmentFixedSize:   binary.LittleEndian.Uint32(b[kdPrivate:]),
		KernargSize:               binary.LittleEndian.Uint32(b[kdKernargSize:]),
		KernelCodeEntryByteOffset: int64(binary.LittleEndian.Uint64(b[kdEntry:])),
		ComputePgmRsrc3:           binary.LittleEndian.Uint32(b[kdRsrc3:]),
		ComputePgmRsrc1:           binary.LittleEndian.Uint32(b[kdRsrc1:]),
		ComputePgmRsrc2:           binary.LittleEndian.Uint32(b[kdRsrc2:]),
		KernelCodeProperties:      binary.LittleEndian.Uint16(b[kdProperties:]),
		KernargPreload:            binary.LittleEndian.Uint16(b[kdPreload:]),
	}
	copy(d.Reserved0[:], b[kdReserved0:])
	copy(d.Reserved1[:], b[kdReserved1:])
	copy(d.Reserved3[:], b[kdReserved3:])
	return d, nil
}

// Append appends the 64 bytes of the descriptor.
func (d *KernelDescriptor) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, d.GroupSegmentFixedSize)
	b = binary.LittleEndian.AppendUint32(b, d.PrivateSegmentFixedSize)
	b = binary.LittleEndian.AppendUint32(b, d.KernargSize)
	b = append(b, d.Reserved0[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(d.KernelCodeEntryByteOffset))
	b = append(b, d.Reserved1[:]...)
	b = binary.LittleEndian.AppendUint32(b, d.ComputePgmRsrc3)
	b = binary.LittleEndian.AppendUint32(b, d.ComputePgmRsrc1)
	b = binary.LittleEndian.AppendUint32(b, d.ComputePgmRsrc2)
	b = binary.LittleEndian.AppendUint16(b, d.KernelCodeProperties)
	b = binary.LittleEndian.AppendUint16(b, d.KernargPreload)
	return append(b, d.Reserved3[:]...)
}

// NewKernelDescriptor returns the descriptor that the assembler starts from:
// every field of the target has its default.
func NewKernelDescriptor(t *target.Target) KernelDescriptor {
	var d KernelDescriptor
	for f := range DescriptorFields(t) {
		if n := f.DefaultFor(t); n != 0 {
			f.SetBits(&d, n)
		}
	}
	return d
}

// Word names the part of a kernel descriptor that a field is in.
type Word uint8

const (
	NoWord             Word = iota // in no word: a directive that others depend on
	WordGroupSegment               // GroupSegmentFixedSize
	WordPrivateSegment             // PrivateSegmentFixedSize
	WordKernargSize                // KernargSize
	WordRsrc3                      // ComputePgmRsrc3
	WordRsrc1                      // ComputePgmRsrc1
	WordRsrc2                      // ComputePgmRsrc2
	WordProperties                 // KernelCodeProperties
	WordPreload                    // KernargPreload
)

// wordRow is the location of a word.
type wordRow struct {
	name   string
	offset int
	bits   uint8
}

var wordRows = [...]wordRow{
	NoWord:             {"", 0, 0},
	WordGroupSegment:   {"group_segment_fixed_size", kdGroupSegment, 32},
	WordPrivateSegment: {"private_segment_fixed_size", kdPrivate, 32},
	WordKernargSize:    {"kernarg_size", kdKernargSize, 32},
	WordRsrc3:          {"compute_pgm_rsrc3", kdRsrc3, 32},
	WordRsrc1:          {"compute_pgm_rsrc1", kdRsrc1, 32},
	WordRsrc2:          {"compute_pgm_rsrc2", kdRsrc2, 32},
	WordProperties:     {"kernel_code_properties", kdProperties, 16},
	WordPreload:        {"kernarg_preload", kdPreload, 16},
}

// String returns the name of the word, such as "compute_pgm_rsrc1".
func (w Word) String() string { return wordRows[w].name }

// Offset returns the offset of the word in the descriptor, in bytes.
func (w Word) Offset() int { return wordRows[w].offset }

// Word returns the bits of a word.
func (d *KernelDescriptor) Word(w Word) uint32 {
	switch w {
	case WordGroupSegment:
		return d.GroupSegmentFixedSize
	case WordPrivateSegment:
		return d.PrivateSegmentFixedSize
	case WordKernargSize:
		return d.KernargSize
	case WordRsrc3:
		return d.ComputePgmRsrc3
	case WordRsrc1:
		return d.ComputePgmRsrc1
	case WordRsrc2:
		return d.ComputePgmRsrc2
	case WordProperties:
		return uint32(d.KernelCodeProperties)
	case WordPreload:
		return uint32(d.KernargPreload)
	}
	return 0
}

// setWord sets the bits of a word.
func (d *KernelDescriptor) setWord(w Word, v uint32) {
	switch w {
	case WordGroupSegment:
		d.GroupSegmentFixedSize = v
	case WordPrivateSegment:
		d.PrivateSegmentFixedSize = v
	case WordKernargSize:
		d.KernargSize = v
	case WordRsrc3:
		d.ComputePgmRsrc3 = v
	case WordRsrc1:
		d.ComputePgmRsrc1 = v
	case WordRsrc2:
		d.ComputePgmRsrc2 = v
	case WordProperties:
		d.KernelCodeProperties = uint16(v)
	case WordPreload:
		d.KernargPreload = uint16(v)
	}
}
