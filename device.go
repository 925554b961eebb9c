package gfx

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/hsa"
)

// DeviceOptions are the settings of a Device. The zero value is a device without
// checks.
type DeviceOptions struct {
	// Checks are the checks that run beside each kernel.
	Checks Checks
	// Workers is how many work-groups run at the same time; 0 for one per processor
	// of the host.
	Workers int
	// Memory selects strong memory, the default, or weak memory: incoherent caches and
	// memory operations that complete late and out of order. Weak memory uses one
	// processor of the host.
	Memory device.MemoryMode
	// Seed determines the order of events with weak memory, together with the number
	// of the kernel's run on the device.
	Seed uint64
	// Search determines the order of events with weak memory in place of Seed, if it is not nil: it
	// enumerates all orders of a small program.
	Search *device.Search
	// Agents spreads the work-groups of a kernel over several agents with caches of their
	// own, to test synchronization between agents with weak memory: work-group number n runs on
	// the agent with the number in element n modulo the length, 0 to 15. An empty list is
	// one agent.
	Agents []int
	// MemoryLimit is the device's memory in bytes; 0 for 8 GiB. The host's memory is
	// used as buffers are allocated.
	MemoryLimit uint64
	// Trace receives one line per executed instruction, with the values that it changed, each by
	// one call of Write; nil for no trace.
	Trace io.Writer
	// Export is called for each export that a wave executes, in the order of
	// execution. Calls are serialized. The record is valid only during the call. If
	// Export is nil, exports have no effect.
	Export func(*device.Export)
}

// Device is a simulated GPU with memory of its own. The methods of a device and of
// its buffers, executables and kernels are safe for concurrent use; the device runs one
// kernel at a time, with work-groups in parallel.
type Device struct {
	system *hsa.System
	agent  *hsa.Agent
	closed atomic.Bool
	named  atomic.Int64 // buffers that have a name

	turn     chan struct{} // holds one element while a goroutine uses what follows
	queue    *hsa.Queue
	findings []*Finding // of the running kernel
}

// NewDevice returns a simulated GPU for a target. A setting that the target leaves open
// is on, except XNACK of discrete GPUs. The caller must Close the device. The error is
// a *TargetError, also for processors that are not simulated.
func NewDevice(name string, o DeviceOptions) (*Device, error) {
	t, err := parseTarget(name, "", 0)
	if err != nil {
		return nil, err
	}
	d := &Device{turn: make(chan struct{}, 1)}
	opt := device.Options{Workers: o.Workers, Checks: device.Checks(o.Checks & CheckAll), Trace: o.Trace, Export: o.Export,
		Memory: o.Memory, Seed: o.Seed, Search: o.Search, Agents: slices.Clone(o.Agents)}
	opt.Finding = func(f *device.Finding) { d.findings = append(d.findings, newFinding(f)) }
	d.system = hsa.NewSystem(hsa.Options{MemoryLimit: o.MemoryLimit, Simulator: opt})
	if d.agent, err = d.system.NewGPU(t); err == nil {
		d.queue, err = d.agent.NewQueue(hsa.QueueOptions{})
	}
	if err != nil {
		d.Close()
		if errors.Is(err, hsa.StatusErrorInvalidISA) {
			err = &TargetError{name, message(err), err}
		}
		return nil, err
	}
	return d, nil
}

// Target returns the device's target ID, with every setting on or off, such as
// "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-".
func (d *Device) Target() string { return d.agent.ISA() }

// Close ends running kernels, with ErrClosed, and frees the device's memory. Slices
// that Buffer.Data returned stay valid. A second call has no effect.
func (d *Device) Close() {
	if d.closed.CompareAndSwap(false, true) {
		d.system.Shutdown()
	}
}

// Load loads a code object of version 2 to 6 into the device's memory. The error is
// ErrFormat, a *TargetError for code that does not run on the device, ErrOutOfMemory,
// or ErrClosed.
func (d *Device) Load(code []byte) (*Executable, error) {
	e, err := d.agent.Load(slices.Clone(code), "code object")
	if err != nil {
		return nil, d.error(err)
	}
	return &Executable{device: d, exec: e}, nil
}

// error converts an error of the runtime.
func (d *Device) error(err error) error {
	var fault *device.Fault
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case d.closed.Load():
		return &taggedError{ErrClosed, errors.New("the device is closed")}
	case errors.As(err, &fault):
		return newFault(fault)
	case errors.Is(err, hsa.StatusErrorIncompatibleArguments):
		return &TargetError{d.Target(), message(err), err}
	case errors.Is(err, hsa.StatusErrorOutOfResources), errors.Is(err, device.ErrOutOfMemory):
		return &taggedError{ErrOutOfMemory, err}
	}
	return publicError(err, "")
}

// message returns the message of an error of the runtime without its status code.
func message(err error) string {
	var e *hsa.Error
	switch {
	case !errors.As(err, &e):
		return err.Error()
	case e.Err == nil:
		return e.Message
	case e.Message == "":
		return e.Err.Error()
	}
	return e.Message + ": " + e.Err.Error()
}

// acquire waits for the device's turn, as long as the context lasts.
func (d *Device) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case d.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *Device) release() { <-d.turn }

// renewQueue replaces a queue that an error has made inactive. The caller has the
// device's turn.
func (d *Device) renewQueue() error {
	if d.queue.Err() == nil {
		return nil
	}
	d.queue.Destroy()
	q, err := d.agent.NewQueue(hsa.QueueOptions{})
	if err == nil {
		d.queue = q
	}
	return err
}

// Buffer is device memory that holds elements of a type without pointers. As an
// argument of a kernel it is the address of the first element.
type Buffer[T any] struct {
	device *Device
	memory *hsa.Buffer
	data   []T
}

// NewBuffer allocates a buffer on a device and copies data, at least one element,
// into it. Findings call the buffers of a device "buffer 0", "buffer 1" and so on, in
// the order in which they were allocated. The error is ErrOutOfMemory or ErrClosed.
// NewBuffer panics if T has pointers.
func NewBuffer[T any](d *Device, data []T) (*Buffer[T], error) {
	return newBuffer(d, d.agent.Pools()[0], data)
}

// NewFineBuffer is NewBuffer with fine-grained memory, which is coherent with other agents while
// a kernel runs. Atomic operations of system scope between agents need it.
func NewFineBuffer[T any](d *Device, data []T) (*Buffer[T], error) {
	return newBuffer(d, d.agent.Pool(hsa.FineGrained), data)
}

// newBuffer allocates a buffer from a pool.
func newBuffer[T any](d *Device, pool *hsa.Pool, data []T) (*Buffer[T], error) {
	var element T
	size := uint64(len(data)) * uint64(unsafe.Sizeof(element))
	if size == 0 {
		return nil, errors.New("a buffer has at least one byte")
	}
	name := "buffer " + strconv.FormatInt(d.named.Add(1)-1, 10)
	m, err := pool.AllocateNamed(size, name)
	if err != nil {
		return nil, d.error(err)
	}
	b := &Buffer[T]{d, m, hsa.Slice[T](m)}
	copy(b.data, data)
	return b, nil
}

// Data returns the elements themselves, which kernels read and write. The program
// must not access them while a kernel does, except by package sync/atomic.
func (b *Buffer[T]) Data() []T { return b.data }

// Address returns the device address of the first element, for pointers within other
// buffers and arguments.
func (b *Buffer[T]) Address() uint64 { return b.memory.Addr() }

// Free frees the memory; a kernel that accesses it afterwards faults. The slice of
// Data stays valid. A second call has no effect.
func (b *Buffer[T]) Free() {
	// The only error is that the memory was freed before.
	_ = b.memory.Free()
}

// argument returns the runtime's buffer and the device, nil for no buffer.
func (b *Buffer[T]) argument() (*hsa.Buffer, *Device) {
	if b == nil {
		return nil, nil
	}
	return b.memory, b.device
}
