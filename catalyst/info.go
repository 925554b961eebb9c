package catalyst

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
)

// Info holds the facts about a kernel of a file that was read, as far as its
// metadata, header and notes have them.
type Info struct {
	// Config holds arguments, samplers, user data, registers, sizes and ids as
	// numbers of the file: all ids are Given, or None, and the float mode is Given.
	Config

	Offsets     []uint32 // of Args in constant buffer 1, in bytes
	ArgSize     uint32   // bytes of constant buffer 1
	PrivateSize uint32   // bytes of private memory
	RSrc2       uint32   // COMPUTE_PGM_RSRC2

	Inputs       []uint32    // ids of the readable images
	ConstBuffers [][2]uint32 // ids of constant buffers, and their sizes in 16 bytes
	UAVs         []UAVEntry  // writeable images, global pointers and printf
	UsedUAVs     []uint32    // ids

	Problems []error // parts that are missing or cannot be understood
}

// UAVEntry is a record of the note UAV.
type UAVEntry struct{ ID, Kind, Dimension, Type uint32 }

// KernelInfo returns the facts about the kernel with an index.
func (b *Binary) KernelInfo(index int) *Info {
	k := &b.Kernels[index]
	r, err := b.newRecovery(index)
	info := &Info{}
	problem := func(err error) {
		if err != nil {
			info.Problems = append(info.Problems, err)
		}
	}
	problem(err)
	info.Problems = append(info.Problems, r.readLines(string(k.Metadata))...)
	problem(r.recoverHeader(k.Header))
	if len(r.notes[ProgInfo]) == 0 {
		problem(errors.New("the note ProgInfo is missing"))
	}
	problem(r.recoverInfo())
	problem(r.recoverUses())
	r.c.FloatMode = Number(r.info[infoFloatMode])
	for i, o := range []*Option{&r.c.UAVID, &r.c.ConstBufferID, &r.c.PrintfID, &r.c.PrivateID} {
		if *o = r.given[i]; o.State == Default {
			o.State = None
		}
	}
	info.Config, info.Offsets, info.PrivateSize, info.RSrc2 = *r.c.Config, r.offsets, r.private, r.info[infoPgmRSrc2]
	info.Inputs = r.notes[Inputs]
	info.readLists(r)
	for i := range info.Args {
		end := uint64(info.Offsets[i]) + uint64(roundUp(min(info.Args[i].slotSize(), 1<<16), 16))
		if end > maxArgSize {
			problem(fmt.Errorf("argument %s at offset %d is beyond %d bytes of arguments", info.Args[i].Name, info.Offsets[i], maxArgSize))
			continue
		}
		info.ArgSize = max(info.ArgSize, uint32(end))
	}
	return info
}

// maxArgSize is the size in bytes of the largest constant buffer.
const maxArgSize = 1 << 16

// slotSize returns the size in bytes of an argument in constant buffer 1.
func (a *Arg) slotSize() uint32 {
	switch {
	case a.isImage():
		return 32
	case !a.Pointer && a.Type.Kind == Structure:
		return a.Size
	case !a.Pointer && a.Type.Kind.IsScalar():
		return a.Type.elementSize(4)
	}
	return 16
}

// readLists reads notes with lists.
func (info *Info) readLists(r *recovery) {
	for w := r.notes[ConstantBuffers]; len(w) >= 2; w = w[2:] {
		info.ConstBuffers = append(info.ConstBuffers, [2]uint32(w))
	}
	for w := r.notes[UAV]; len(w) >= 4; w = w[4:] {
		info.UAVs = append(info.UAVs, UAVEntry{w[0], w[1], w[2], w[3]})
	}
	used := map[uint32]bool{}
	for i, w := range r.notes[UAVOpMask] {
		for ; w != 0; w &= w - 1 {
			used[uint32(32*i+bits.TrailingZeros32(w))] = true
		}
	}
	info.UsedUAVs = slices.Sorted(maps.Keys(used))
}

// DataSize returns the size in bytes of .data.
func (k *Kernel) DataSize() int {
	if k.DataGiven {
		return len(k.Data)
	}
	return defaultDataSize
}

// DefaultTypeName returns the name of an argument's type in the program, unless
// it has another one.
func (a *Arg) DefaultTypeName() string { return a.typeName() }

// ArgSize returns the size in bytes of an argument's value in constant buffer 1.
// wide selects pointers of 64 bits.
func (a *Arg) ArgSize(wide bool) uint32 {
	switch {
	case a.Pointer && wide:
		return 8
	case a.Pointer, !a.Pointer && (a.Type.Kind == Sampler || a.Type.Kind == Counter32):
		return 4
	case a.Type.Kind.IsScalar():
		return a.Type.elementSize(1)
	}
	return a.slotSize()
}
