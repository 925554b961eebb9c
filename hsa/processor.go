package hsa

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// processPackets runs the packet processor. It processes packets one at a time
// in order, which is stricter than the barrier bit requires. Source: HSA
// Platform System Architecture Specification, "Packet processing" and "AQL
// packet types".
func (q *Queue) processPackets() {
	defer close(q.done)
	defer q.end()
	for {
		index := atomic.LoadUint64(q.read)
		head := uint32(PacketInvalid)
		if index < q.limit.Load() { // otherwise the packet may be incomplete
			head = atomic.LoadUint32(q.header(index))
		}
		if PacketType(head) == PacketInvalid {
			select {
			case <-q.wake:
				continue
			case <-q.ctx.Done():
				return
			}
		}
		if q.ctx.Err() != nil {
			return
		}
		if err := q.packet(index, head); err != nil {
			if q.ctx.Err() == nil {
				q.fail(err)
			}
			return
		}
	}
}

// packet processes one packet. An error makes the queue inactive.
func (q *Queue) packet(index uint64, head uint32) *Error {
	p := &job{Queue: q, index: index}
	at := q.slot(index)
	copy(p.bytes[4:], q.ringBuf[at+4:at+packetSize])
	binary.LittleEndian.PutUint32(p.bytes[:], head)
	if err := p.processPacket(uint16(head)); err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = causedBy(StatusError, err, "packet %d", index)
		}
		return e
	}
	atomic.StoreUint32(q.header(index), uint32(PacketInvalid))
	atomic.AddUint64(q.read, 1)
	p.complete()
	q.sys.signals.recheck()
	return nil
}

// end reports to all waiters that the queue is inactive.
func (q *Queue) end() {
	q.err.CompareAndSwap(nil, errorf(StatusErrorInvalidQueue, "queue %d was ended", q.id))
	close(q.failed)
	q.sys.signals.fail(q.Err(), q.completions()...)
	q.pending.Range(func(k, v any) bool {
		q.pending.Delete(k)
		v.(*Dispatch).finish(nil, q.Err())
		return true
	})
}

// completions returns the completion signals of the unprocessed packets.
func (q *Queue) completions() (list []uint64) {
	first, last := atomic.LoadUint64(q.read), atomic.LoadUint64(q.write)
	for i := first; i != last && i-first < uint64(q.opts.Size); i++ {
		if PacketType(atomic.LoadUint32(q.header(i))) == PacketInvalid {
			continue
		}
		var b [packetSize]byte
		copy(b[:], q.ringBuf[q.slot(i):])
		if sig := completionOf(&b); sig != 0 {
			list = append(list, sig)
		}
	}
	return list
}

// fail records an error and calls the callback.
func (q *Queue) fail(err *Error) {
	q.err.Store(err)
	q.inactive.Store(inactiveValue(err.Status), Screlease)
	if q.opts.Callback != nil {
		q.opts.Callback(q, err)
	}
}

// inactiveValues holds the values of the queue's inactive signal, from which
// the runtime derives the status of an error. Source: the packet processor's
// error codes as interpreted by the ROCm runtime.
var inactiveValues = lazy.Value[map[Status]int64]{Make: func() map[Status]int64 {
	return map[Status]int64{
		StatusErrorOutOfResources:          1,
		StatusErrorIncompatibleArguments:   2,
		StatusErrorInvalidAllocation:       4,
		StatusErrorInvalidCodeObject:       8,
		StatusErrorInvalidPacketFormat:     32,
		StatusErrorInvalidArgument:         64,
		StatusErrorInvalidISA:              128,
		StatusErrorMemoryApertureViolation: 0x20000000,
		StatusErrorIllegalInstruction:      0x40000000,
		StatusErrorException:               0x80000000,
	}
}}

func inactiveValue(s Status) int64 {
	if v, ok := inactiveValues.Get()[s]; ok {
		return v
	}
	return -1
}

// job is a packet being processed.
type job struct {
	*Queue
	index      uint64
	bytes      [packetSize]byte
	start, end uint64
	stats      *device.Stats
	err        error // context.Canceled for a cancelled dispatch
}

// processPacket processes the packet.
func (p *job) processPacket(header uint16) error {
	t := PacketType(header >> headerType)
	acquire, release := header>>headerAcquire&3, header>>headerRelease&3
	if header>>headerReserved != 0 || acquire > uint16(FenceSystem) || release > uint16(FenceSystem) {
		return p.errorf(StatusErrorInvalidPacketFormat, "header %#x has reserved bits or an unknown fence scope", header)
	}
	if sig := completionOf(&p.bytes); sig != 0 {
		if err := p.checkSignal("completion", sig); err != nil {
			return err
		}
	}
	p.start = p.sys.Timestamp()
	defer func() { p.end = p.sys.Timestamp() }()
	switch t {
	case PacketKernelDispatch:
		var d KernelDispatchPacket
		decode(&p.bytes, &d)
		return p.kernelDispatch(&d, [3]uint8{1, 1, 1})
	case PacketBarrierAnd, PacketBarrierOr:
		return p.barrier(t == PacketBarrierAnd)
	case PacketAgentDispatch:
		return p.agentDispatch()
	case PacketVendorSpecific:
		return p.vendorSpecific()
	}
	return p.errorf(StatusErrorInvalidPacketFormat, "unknown packet type %d", t)
}

func (p *job) errorf(s Status, format string, args ...any) *Error {
	return errorf(s, "queue %d, packet %d: %s", p.id, p.index, fmt.Sprintf(format, args...))
}

// checkSignal returns an error unless the handle refers to a signal: an
// amd_signal_t, which may have been created by a kernel or the host.
func (p *job) checkSignal(what string, handle uint64) error {
	if handle%SignalSize == 0 {
		if w := p.sys.word(handle + signalKind); w != nil && atomic.LoadInt64(w) == kindUser {
			return nil
		}
	}
	return p.errorf(StatusErrorInvalidPacketFormat, "%s signal %#x is invalid", what, handle)
}

// complete decrements the packet's completion signal.
func (p *job) complete() {
	p.sys.complete(completionOf(&p.bytes), p.start, p.end, atomic.LoadUint32(p.properties())&propertyProfiling != 0)
	if v, ok := p.pending.LoadAndDelete(p.index); ok {
		v.(*Dispatch).finish(p.stats, p.err)
	}
}

// barrier waits until all or any of the signals are 0. A barrier-or packet
// without signals does not wait.
func (p *job) barrier(all bool) error {
	var b BarrierPacket
	decode(&p.bytes, &b)
	if b.Reserved0 != 0 || b.Reserved1 != 0 || b.Reserved2 != 0 {
		return p.errorf(StatusErrorInvalidPacketFormat, "reserved fields are not 0")
	}
	w := &waiter{all: all, wake: make(chan struct{}, 1)}
	for _, sig := range b.DepSignal {
		if sig == 0 {
			continue
		}
		if err := p.checkSignal("dependent", sig); err != nil {
			return err
		}
		w.terms = append(w.terms, term{sig, p.sys.word(sig + signalValue), -1, ConditionEQ, 0})
	}
	if len(w.terms) == 0 {
		return nil
	}
	return p.await(w)
}

// await waits for signals. The failure of the queue that would complete them is
// an error, because this packet would never complete.
func (p *job) await(w *waiter) error {
	_, _, err := p.sys.signals.wait(p.ctx, w)
	var e *Error
	if errors.As(err, &e) {
		return causedBy(e.Status, e, "queue %d, packet %d: waits for a signal", p.id, p.index)
	}
	return err
}

// agentDispatch calls the queue's agent dispatch function.
func (p *job) agentDispatch() error {
	var a AgentDispatchPacket
	decode(&p.bytes, &a)
	if p.opts.AgentDispatch == nil {
		return p.errorf(StatusErrorInvalidPacketFormat, "the queue does not accept agent dispatches")
	}
	if a.Reserved0 != 0 || a.Reserved2 != 0 {
		return p.errorf(StatusErrorInvalidPacketFormat, "reserved fields are not 0")
	}
	v, err := p.opts.AgentDispatch(p.ctx, &a)
	if err != nil {
		return causedBy(StatusErrorException, err, "queue %d, packet %d: agent dispatch %#x", p.id, p.index, a.Type)
	}
	if a.ReturnAddress != 0 {
		w := p.sys.word(a.ReturnAddress)
		if w == nil {
			return p.errorf(StatusErrorMemoryFault, "return address %#x is not mapped or not aligned", a.ReturnAddress)
		}
		atomic.StoreInt64(w, int64(v))
	}
	return nil
}

// vendorSpecific processes AMD's barrier value packets and extended kernel
// dispatch packets. All other vendor-specific packets depend on hardware.
func (p *job) vendorSpecific() error {
	var b BarrierValuePacket
	if p.bytes[packetFormat] == packetFormatExt {
		return p.extKernelDispatch()
	}
	decode(&p.bytes, &b)
	switch {
	case b.AMDFormat != packetFormatValue:
		return p.errorf(StatusErrorInvalidPacketFormat, "vendor-specific packet of format %d", b.AMDFormat)
	case b.Reserved != 0 || b.Reserved0 != 0 || b.Reserved1 != 0 || b.Reserved2 != 0 || b.Reserved3 != 0 || b.Cond > uint32(ConditionGTE):
		return p.errorf(StatusErrorInvalidPacketFormat, "barrier value packet: reserved fields or condition %d", b.Cond)
	case b.Signal == 0:
		return nil
	}
	if err := p.checkSignal("dependent", b.Signal); err != nil {
		return err
	}
	w := &waiter{wake: make(chan struct{}, 1)}
	w.terms = []term{{b.Signal, p.sys.word(b.Signal + signalValue), b.Mask, Condition(b.Cond), b.Value}}
	return p.await(w)
}

// packetFormat is the offset of the format in a vendor-specific packet.
const packetFormat = 2

// extKernelDispatch waits for the packet's signal and runs a kernel in clusters.
func (p *job) extKernelDispatch() error {
	var e ExtKernelDispatchPacket
	decode(&p.bytes, &e)
	counts := [3]uint32{e.ClusterCountX, uint32(e.ClusterCountY), uint32(e.ClusterCountZ)}
	group := [3]uint16{e.WorkgroupSizeX, e.WorkgroupSizeY, e.WorkgroupSizeZ}
	var grid [3]uint32
	for i, n := range counts {
		high, size := bits.Mul64(uint64(n), uint64(e.ClusterSize[i])*uint64(group[i]))
		if high != 0 || size > math.MaxUint32 {
			return p.errorf(StatusErrorInvalidArgument, "dimension %d: %d clusters of %d work-groups of %d work-items exceed the limit of 2^32-1 work-items", i, n, e.ClusterSize[i], group[i])
		}
		grid[i] = uint32(size)
	}
	if e.DepSignal != 0 {
		if err := p.checkSignal("dependent", e.DepSignal); err != nil {
			return err
		}
		w := &waiter{wake: make(chan struct{}, 1)}
		w.terms = []term{{e.DepSignal, p.sys.word(e.DepSignal + signalValue), -1, ConditionEQ, 0}}
		if err := p.await(w); err != nil {
			return err
		}
	}
	return p.kernelDispatch(&KernelDispatchPacket{
		Setup: uint16(e.Setup), WorkgroupSizeX: group[0], WorkgroupSizeY: group[1], WorkgroupSizeZ: group[2], Reserved0: e.Reserved0,
		GridSizeX: grid[0], GridSizeY: grid[1], GridSizeZ: grid[2], PrivateSegmentSize: e.PrivateSegmentSize, GroupSegmentSize: e.GroupSegmentSize,
		KernelObject: e.KernelObject, KernargAddress: e.KernargAddress,
	}, e.ClusterSize)
}

// kernelDispatch runs a kernel in clusters of the given number of work-groups in
// each dimension.
func (p *job) kernelDispatch(d *KernelDispatchPacket, cluster [3]uint8) error {
	ctx, grid := p.ctx, &Grid{}
	if v, ok := p.pending.Load(p.index); ok {
		d := v.(*Dispatch)
		if !d.begun.CompareAndSwap(false, true) { // cancelled, and its arguments are freed
			p.err = context.Canceled
			return nil
		}
		ctx, grid = d.ctx, &d.grid
	}
	k, err := p.validate(d, cluster)
	if err != nil {
		return err
	}
	sd := &device.Dispatch{
		GroupSize: [3]uint16{d.WorkgroupSizeX, d.WorkgroupSizeY, d.WorkgroupSizeZ}, GridSize: [3]uint32{d.GridSizeX, d.GridSizeY, d.GridSizeZ},
		ClusterSize: cluster, KernelObject: d.KernelObject, Kernarg: d.KernargAddress, PrivateSize: d.PrivateSegmentSize, LDSSize: d.GroupSegmentSize,
		Packet: p.ringMem.Addr + p.slot(p.index), Queue: p.object.Addr, ID: p.index, Name: k.name,
		GDS: grid.GDS, ScratchResource: grid.ScratchResource,
	}
	p.sys.dispatchBegins()
	stats, err := runDevice(ctx, p.agent.dev, sd)
	p.sys.dispatchEnds()
	if p.opts.Dispatched != nil {
		p.opts.Dispatched(sd, stats, err)
	}
	p.stats = stats
	if err != nil && errors.Is(err, ctx.Err()) && p.ctx.Err() == nil {
		p.err = context.Canceled
		return nil
	}
	if err != nil {
		return p.faultError(k, err)
	}
	return nil
}

// faultError returns an error with the status for a kernel's failure.
func (p *job) faultError(k *Kernel, err error) error {
	if p.ctx.Err() != nil {
		return errorf(StatusErrorInvalidQueue, "queue %d was ended while kernel %s ran", p.id, k.name)
	}
	status := StatusError
	var f *device.Fault
	var e *Error
	switch {
	case errors.As(err, &f) && int(f.Kind) < len(faultStatus):
		status = faultStatus[f.Kind]
	case errors.Is(err, device.ErrOutOfMemory):
		status = StatusErrorOutOfResources
	case errors.As(err, &e):
		status = e.Status
	}
	what := fmt.Sprintf("queue %d, packet %d, kernel %s", p.id, p.index, k.name)
	if list := k.info.absent(); list != "" && f != nil && f.Kind == device.FaultMemory && f.Addr < nullPages {
		what += ", which has unsupported hidden arguments: " + list
	}
	return causedBy(status, err, "%s", what)
}

// nullPages is the size in bytes of the address range in which an access is
// attributed to a null pointer.
const nullPages = 1 << 16

// faultStatus maps fault kinds to status codes.
var faultStatus = [...]Status{
	device.FaultMemory:      StatusErrorMemoryFault,
	device.FaultAlignment:   StatusErrorMemoryApertureViolation,
	device.FaultIllegal:     StatusErrorIllegalInstruction,
	device.FaultUnsupported: StatusErrorNotSupported,
	device.FaultTrap:        StatusErrorException,
	device.FaultException:   StatusErrorException,
	device.FaultTimeout:     StatusError,
	device.FaultDispatch:    StatusErrorInvalidCodeObject,
	device.FaultCheck:       StatusErrorException,
	device.FaultStack:       StatusErrorMemoryFault,
	device.FaultBug:         StatusErrorFatal,
}

// runDevice runs a dispatch. A panic of the device is an error of the queue and
// does not end the process.
func runDevice(ctx context.Context, dev device.Device, d *device.Dispatch) (s *device.Stats, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errorf(StatusErrorFatal, "device: %v\n%s", r, debug.Stack())
		}
	}()
	return dev.Run(ctx, d)
}
