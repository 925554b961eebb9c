package hsa

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// LDS is the size in bytes of the LDS allocation for a kernel argument of kind
// dynamic_shared_pointer (in OpenCL, a __local pointer).
type LDS uint32

// Kernarg is a complete kernarg segment, for kernels without argument metadata.
type Kernarg []byte

// defaultSharedAlign is the alignment in LDS of a dynamic_shared_pointer's
// target if the metadata does not specify one.
const defaultSharedAlign = 16

// maxKernarg is the maximum size in bytes of a kernarg segment.
const maxKernarg = 1 << 20

// Grid specifies the size of a dispatch and the values that the runtime passes
// to the kernel.
type Grid struct {
	Size   [3]uint32 // work-items of the grid; 0 for unused dimensions
	Group  [3]uint16 // work-items per work-group; 0 means 1
	Offset [3]uint64 // global offset, for OpenCL
	// Cluster is the number of work-groups per cluster in each dimension, which the
	// grid must be a multiple of. The zero value is the size that the kernel
	// requires, or else one. Clusters of more work-groups exist since gfx12.5.
	Cluster    [3]uint8
	DynamicLDS uint32 // bytes of LDS in addition to the kernel's and its arguments'
	Private    uint32 // bytes of scratch memory per work-item, if greater than the kernel's requirement
	// GDS is the contents of the global data share from its start on, up to 64
	// KiB; the dispatch updates it. Further bytes are 0.
	GDS []byte
	// ScratchResource is the address of 16 bytes that receive the buffer resource of
	// the scratch memory before the kernel starts, or 0. Kernels for runtimes other
	// than HSA read it from there.
	ScratchResource uint64
	// Hidden holds values of hidden arguments by kind, such as
	// "hidden_hostcall_buffer". Missing pointers are 0.
	Hidden map[string]uint64
}

// Dimensions returns the number of dimensions, up to the last with a nonzero
// size.
func (g *Grid) Dimensions() int {
	for i := 2; i > 0; i-- {
		if g.Size[i] != 0 || g.Group[i] > 1 {
			return i + 1
		}
	}
	return 1
}

// sizes returns the sizes of the grid and the work-group, with 1 for unused
// dimensions.
func (g *Grid) sizes() (size [3]uint32, group [3]uint16) {
	size, group = g.Size, g.Group
	for i := range 3 {
		group[i] = max(group[i], 1)
		if i > 0 {
			size[i] = max(size[i], 1)
		}
	}
	return size, group
}

// clusterOf returns the size of clusters of a kernel, with 1 for unused
// dimensions.
func (g *Grid) clusterOf(i *KernelInfo) (size [3]uint8) {
	size = g.Cluster
	for d := range size {
		if g.Cluster == [3]uint8{} {
			size[d] = uint8(min(i.ClusterDims[d], math.MaxUint8))
		}
		size[d] = max(size[d], 1)
	}
	return size
}

// KernelArgs holds the values of a kernel's explicit arguments, laid out
// according to its metadata.
type KernelArgs struct {
	kernel *Kernel
	args   []*KernelArg // explicit arguments
	bytes  []byte       // kernarg segment without hidden arguments
	set    []bool
	lds    []LDS // for each explicit argument
	raw    bool  // the segment was passed as a Kernarg
}

// NewArgs returns the arguments of a kernel. values contains one value per
// explicit argument, or a single Kernarg. A value is
//
//   - for a pointer: a *Buffer, an address as uint64, or nil;
//   - for a dynamic_shared_pointer: an LDS;
//   - for a by-value argument: a number, array or struct of encoding/binary's
//     fixed-size types with the argument's size; an int that fits the argument;
//     or a []byte of the argument's size;
//   - for a queue or a signal: the *Queue or *Signal.
//
// The error is StatusErrorInvalidArgument.
func (k *Kernel) NewArgs(values ...any) (*KernelArgs, error) {
	if k.info.KernargSegmentSize > maxKernarg {
		return nil, errorf(StatusErrorInvalidArgument, "kernel %s: kernarg segment of %d bytes", k.name, k.info.KernargSegmentSize)
	}
	a := &KernelArgs{kernel: k, bytes: make([]byte, k.info.KernargSegmentSize)}
	if len(values) == 1 {
		if raw, ok := values[0].(Kernarg); ok {
			return a, a.setAll(raw)
		}
	}
	for i := range k.info.Args {
		arg := &k.info.Args[i]
		if arg.Size > maxKernarg || arg.Offset > maxKernarg {
			return nil, errorf(StatusErrorInvalidArgument, "kernel %s: argument %d is of %d bytes at %d", k.name, i, arg.Size, arg.Offset)
		}
		if end := int(arg.Offset + arg.Size); end > len(a.bytes) {
			a.bytes = append(a.bytes, make([]byte, end-len(a.bytes))...)
		}
		if !arg.Hidden() {
			a.args = append(a.args, arg)
		}
	}
	a.set, a.lds = make([]bool, len(a.args)), make([]LDS, len(a.args))
	if len(values) != len(a.args) {
		hint := ""
		if !k.info.HasMetadata {
			hint = "; the code object has no metadata of them: pass the segment as hsa.Kernarg"
		}
		return nil, errorf(StatusErrorInvalidArgument, "kernel %s expects %d arguments, got %d%s", k.name, len(a.args), len(values), hint)
	}
	for i, v := range values {
		if err := a.Set(i, v); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *KernelArgs) setAll(raw Kernarg) error {
	a.raw = true
	if len(raw) > maxKernarg || len(raw) < len(a.bytes) && len(a.kernel.info.Args) == 0 {
		return errorf(StatusErrorInvalidArgument, "kernel %s: the kernarg segment has %d bytes, got %d", a.kernel.name, len(a.bytes), len(raw))
	}
	if len(raw) > len(a.bytes) {
		a.bytes = make([]byte, len(raw))
	}
	copy(a.bytes, raw)
	return nil
}

// Set sets explicit argument i, counted from 0. v is a value as for NewArgs.
func (a *KernelArgs) Set(i int, v any) error {
	if i < 0 || i >= len(a.args) {
		return errorf(StatusErrorInvalidIndex, "kernel %s has %d arguments, not %d", a.kernel.name, len(a.args), i+1)
	}
	arg := a.args[i]
	lds, isLDS := v.(LDS)
	if isLDS != (arg.Kind == "dynamic_shared_pointer") {
		return a.errorf(i, "cannot use %T for an argument of kind %s", v, arg.Kind)
	}
	if isLDS {
		a.lds[i], a.set[i] = lds, true
		return nil
	}
	b, err := argBytes(v, arg.Size)
	if err != nil {
		return a.errorf(i, "%v", err)
	}
	copy(a.bytes[arg.Offset:arg.Offset+arg.Size], b)
	a.set[i] = true
	return nil
}

func (a *KernelArgs) errorf(i int, format string, args ...any) error {
	name := a.args[i].Name
	if name != "" {
		name = " (" + name + ")"
	}
	return errorf(StatusErrorInvalidArgument, "kernel %s, argument %d%s: %s", a.kernel.name, i, name, fmt.Sprintf(format, args...))
}

// argBytes returns a value as the bytes of an argument.
func argBytes(v any, size uint64) ([]byte, error) {
	switch x := v.(type) {
	case nil:
		return make([]byte, size), nil
	case *Buffer:
		return argBytes(x.Addr(), size)
	case *Image:
		return argBytes(x.Addr(), size)
	case *Sampler:
		return argBytes(x.Addr(), size)
	case *Signal:
		return argBytes(x.Handle(), size)
	case *Queue:
		return argBytes(x.Addr(), size)
	case int:
		return intBytes(x, size)
	case []byte:
		if uint64(len(x)) != size {
			return nil, fmt.Errorf("%d bytes given, the argument has %d", len(x), size)
		}
		return x, nil
	}
	if k := reflect.ValueOf(v).Kind(); k == reflect.Slice || k == reflect.Pointer {
		return nil, fmt.Errorf("%T given; memory for kernels is allocated as a Buffer", v)
	}
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		return nil, fmt.Errorf("%T given: %v", v, err)
	}
	if uint64(len(b)) != size {
		return nil, fmt.Errorf("%T of %d bytes given, the argument has %d", v, len(b), size)
	}
	return b, nil
}

// intBytes returns an int as 1, 2, 4 or 8 bytes. Both signed and unsigned
// ranges are accepted.
func intBytes(v int, size uint64) ([]byte, error) {
	if size != 1 && size != 2 && size != 4 && size != 8 {
		return nil, fmt.Errorf("int given, the argument has %d bytes", size)
	}
	if width := 8 * size; width < 64 && (int64(v) < -1<<(width-1) || int64(v) >= 1<<width) {
		return nil, fmt.Errorf("%d does not fit %d bits", v, width)
	}
	return binary.LittleEndian.AppendUint64(nil, uint64(v))[:size], nil
}

// GroupSegmentSize returns the LDS size per work-group in bytes: the kernel's
// static LDS, followed by the allocations of dynamic_shared_pointer arguments
// in order.
func (a *KernelArgs) GroupSegmentSize() uint32 {
	size, _ := a.layoutLDS()
	return uint32(min(size, 1<<32-1))
}

// layoutLDS returns the LDS size and each argument's offset in LDS.
func (a *KernelArgs) layoutLDS() (size uint64, offsets []uint64) {
	size = uint64(a.kernel.info.GroupSegmentSize)
	offsets = make([]uint64, len(a.args))
	for i, arg := range a.args {
		if arg.Kind != "dynamic_shared_pointer" {
			continue
		}
		align := arg.PointeeAlign
		if align == 0 {
			align = defaultSharedAlign
		}
		size = (size + align - 1) &^ (align - 1)
		offsets[i] = size
		size += uint64(a.lds[i])
	}
	return size, offsets
}

// Encode returns the kernarg segment for a dispatch of grid g on queue q:
// explicit arguments followed by hidden arguments. Unset arguments are 0.
func (a *KernelArgs) Encode(q *Queue, g *Grid) []byte {
	b := append([]byte(nil), a.bytes...)
	if a.raw {
		return b
	}
	size, offsets := a.layoutLDS()
	for i, arg := range a.args {
		if arg.Kind == "dynamic_shared_pointer" {
			putArg(b, arg, offsets[i])
		}
	}
	l := launch{queue: q, grid: g, dynamicLDS: size - uint64(a.kernel.info.GroupSegmentSize) + uint64(g.DynamicLDS)}
	l.size, l.group = g.sizes()
	for i := range a.kernel.info.Args {
		if arg := &a.kernel.info.Args[i]; arg.Hidden() {
			putArg(b, arg, l.hidden(arg.Kind))
		}
	}
	return b
}

// putArg stores a value in an argument's bytes.
func putArg(b []byte, arg *KernelArg, v uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	copy(b[arg.Offset:arg.Offset+arg.Size], word[:])
}

// launch holds the values from which hidden arguments are computed.
type launch struct {
	queue      *Queue
	grid       *Grid
	size       [3]uint32
	group      [3]uint16
	dynamicLDS uint64
}

// hidden returns the value of a hidden argument.
func (l *launch) hidden(kind string) uint64 {
	if v, ok := l.grid.Hidden[kind]; ok {
		return v
	}
	if f := hiddenValues.Get()[kind]; f != nil {
		return f(l)
	}
	return 0
}

// absentArgs maps the hidden arguments that this runtime does not implement to
// the missing feature. They are 0 unless the caller sets them.
var absentArgs = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"hidden_printf_buffer":      "printf",
		"hidden_hostcall_buffer":    "hostcalls",
		"hidden_heap_v1":            "a heap for device code",
		"hidden_default_queue":      "a default queue",
		"hidden_completion_action":  "a completion action",
		"hidden_multigrid_sync_arg": "multigrid synchronisation",
	}
}}

// absent returns the names of the kernel's hidden arguments that this runtime
// does not implement.
func (i *KernelInfo) absent() string {
	var list []string
	for j := range i.Args {
		if what := absentArgs.Get()[i.Args[j].Kind]; what != "" {
			list = append(list, i.Args[j].Kind+" ("+what+")")
		}
	}
	return strings.Join(list, ", ")
}

// hiddenValues holds the functions that compute hidden arguments, except
// hidden_none. Source: User Guide for AMDGPU Backend, "Code Object V3 Metadata"
// and V5, kernel argument metadata.
var hiddenValues = lazy.Value[map[string]func(*launch) uint64]{Make: func() map[string]func(*launch) uint64 {
	return map[string]func(*launch) uint64{
		"hidden_global_offset_x":  func(l *launch) uint64 { return l.grid.Offset[0] },
		"hidden_global_offset_y":  func(l *launch) uint64 { return l.grid.Offset[1] },
		"hidden_global_offset_z":  func(l *launch) uint64 { return l.grid.Offset[2] },
		"hidden_block_count_x":    func(l *launch) uint64 { return l.blocks(0) },
		"hidden_block_count_y":    func(l *launch) uint64 { return l.blocks(1) },
		"hidden_block_count_z":    func(l *launch) uint64 { return l.blocks(2) },
		"hidden_group_size_x":     func(l *launch) uint64 { return uint64(l.group[0]) },
		"hidden_group_size_y":     func(l *launch) uint64 { return uint64(l.group[1]) },
		"hidden_group_size_z":     func(l *launch) uint64 { return uint64(l.group[2]) },
		"hidden_remainder_x":      func(l *launch) uint64 { return l.remainder(0) },
		"hidden_remainder_y":      func(l *launch) uint64 { return l.remainder(1) },
		"hidden_remainder_z":      func(l *launch) uint64 { return l.remainder(2) },
		"hidden_grid_dims":        func(l *launch) uint64 { return uint64(l.grid.Dimensions()) },
		"hidden_dynamic_lds_size": func(l *launch) uint64 { return l.dynamicLDS },
		"hidden_private_base":     func(*launch) uint64 { return device.PrivateAperture >> 32 },
		"hidden_shared_base":      func(*launch) uint64 { return device.GroupAperture >> 32 },
		"hidden_queue_ptr":        func(l *launch) uint64 { return l.queue.Addr() },
	}
}}

// blocks returns the number of complete work-groups in dimension i.
func (l *launch) blocks(i int) uint64 { return uint64(l.size[i]) / uint64(l.group[i]) }

// remainder returns the size of the partial work-group in dimension i, or 0.
func (l *launch) remainder(i int) uint64 { return uint64(l.size[i]) % uint64(l.group[i]) }
