package hsa

import (
	"context"
	"encoding/binary"
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/target"
)

// QueueType specifies the producers of a queue's packets, hsa_queue_type_t.
type QueueType uint32

const (
	QueueMulti  QueueType = 0 // several producers
	QueueSingle QueueType = 1 // one producer
)

// QueueFeature is a set of packet types that a queue accepts in addition to
// barriers, hsa_queue_feature_t.
type QueueFeature uint32

// Packets that a queue accepts. Values: hsa.h, hsa_queue_feature_t.
const (
	FeatureKernelDispatch QueueFeature = 1
	FeatureAgentDispatch  QueueFeature = 2
)

// Layout of amd_queue_t, which begins with the hsa_queue_t. Source: AMDGPU HSA
// ABI 0.40, "HSA Queue Object"; amd_hsa_queue.h.
const (
	QueueObjectSize = 256 // bytes

	queueType             = 0
	queueFeatures         = 4
	queueBaseAddress      = 8
	queueDoorbellSignal   = 16
	queueSize             = 24
	queueID               = 32
	queueWriteIndex       = 56
	queueGroupAperture    = 64
	queuePrivateAperture  = 68
	queueMaxCU            = 72
	queueMaxWave          = 76
	queueLegacyDispatchID = 80
	queueReadIndex        = 128
	queueReadIndexOffset  = 136
	queueScratchSRD       = 144
	queueProperties       = 180
	queueInactiveSignal   = 192

	// Doorbell values, after the amd_queue_t in the same page.
	queueDoorbell       = 256
	queueHostDoorbell   = 264
	queueLegacyDoorbell = 272
)

// doorbells lists the doorbells that kernels can ring, with initial values that
// no packet has. Kernels store a packet's index, or the index plus 1 at
// queueLegacyDispatchID.
var doorbells = [...]struct {
	off   uint64
	first int64
}{{queueDoorbell, -1}, {queueLegacyDoorbell, -1}, {queueLegacyDispatchID, 0}}

// Bits of queue_properties in amd_queue_t.
const (
	propertyPtr64     = 1 << 1
	propertyProfiling = 1 << 3
)

// QueueOptions configures a queue.
type QueueOptions struct {
	// Size is the capacity in packets, a power of 2 up to MaxQueueSize. 0 means
	// 256.
	Size uint32
	Type QueueType // number of producers; the zero value is QueueMulti
	// Callback is called once if the queue becomes inactive because of an
	// error. err is an *Error with the status defined by HSA. The packet
	// processor calls it, so it must not destroy the queue.
	Callback func(q *Queue, err error)
	// AgentDispatch executes agent dispatch packets. Its result is stored at
	// the packet's return address. If it is nil, the queue rejects such
	// packets.
	AgentDispatch func(ctx context.Context, p *AgentDispatchPacket) (uint64, error)
	// Dispatched is called after each kernel dispatch, before its completion
	// signal is decremented, with the device's results.
	Dispatched func(d *device.Dispatch, stats *device.Stats, err error)
}

// Queue is a user mode queue, hsa_queue_t: an amd_queue_t in memory and a
// packet processor.
type Queue struct {
	sys   *System
	agent *Agent
	opts  QueueOptions
	id    uint64

	object   *device.Region // amd_queue_t
	ringMem  *device.Region
	ringBuf  []byte
	write    *uint64
	read     *uint64
	doorbell *Signal
	inactive *Signal
	rung     [3]int64      // last observed values of the kernels' doorbells; guarded by System.mu
	limit    atomic.Uint64 // packets below this index are ready, according to the doorbell

	wake   chan struct{}
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{} // closed when the packet processor has ended
	failed chan struct{} // closed when the queue becomes inactive
	err    atomic.Pointer[Error]

	pending sync.Map // dispatches of Enqueue by packet index
}

// NewQueue creates a queue, hsa_queue_create. Queues of the host accept
// barriers and agent dispatches. Queues of GPUs also accept kernel dispatches.
// Errors: StatusErrorInvalidArgument if the size is not a power of 2,
// StatusErrorInvalidQueueCreation for a host queue without an AgentDispatch
// function, StatusErrorOutOfResources.
func (a *Agent) NewQueue(o QueueOptions) (*Queue, error) {
	if o.Size == 0 {
		o.Size = defaultQueueSize
	}
	switch {
	case bits.OnesCount32(o.Size) != 1 || o.Size > MaxQueueSize:
		return nil, errorf(StatusErrorInvalidArgument, "queue size %d is not a power of 2 from %d to %d", o.Size, MinQueueSize, MaxQueueSize)
	case o.Type > QueueSingle:
		return nil, errorf(StatusErrorInvalidArgument, "queue type %d", o.Type)
	case a.t == nil && o.AgentDispatch == nil:
		return nil, errorf(StatusErrorInvalidQueueCreation, "a queue of the host needs a function for agent dispatches")
	}
	q := &Queue{sys: a.sys, agent: a, opts: o, wake: make(chan struct{}, 1), done: make(chan struct{}), failed: make(chan struct{})}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	if err := q.allocate(); err != nil {
		q.release()
		return nil, err
	}
	if err := a.sys.addQueue(q); err != nil {
		q.release()
		return nil, err
	}
	go q.processPackets()
	return q, nil
}

func (s *System) addQueue(q *Queue) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errShutDown()
	}
	n := 0
	for other := range s.queues {
		if other.agent == q.agent {
			n++
		}
	}
	if n >= MaxQueues {
		return errorf(StatusErrorOutOfResources, "agent %s already has the maximum of %d queues", q.agent.Name(), n)
	}
	q.id = s.nextID
	s.nextID++
	binary.LittleEndian.PutUint64(q.object.Bytes()[queueID:], q.id)
	s.queues[q] = struct{}{}
	return nil
}

// allocate allocates the queue's memory.
func (q *Queue) allocate() (err error) {
	s := q.sys
	if q.object, err = s.alloc(device.PageSize, queueAlignment, "queue"); err != nil {
		return err
	}
	if q.ringMem, err = s.alloc(uint64(q.opts.Size)*packetSize, queueAlignment, "queue ring"); err != nil {
		return err
	}
	q.ringBuf = q.ringMem.Bytes()
	for i := uint64(0); i < uint64(q.opts.Size); i++ {
		atomic.StoreUint32(q.header(i), uint32(PacketInvalid))
	}
	if q.inactive, err = s.NewSignal(0); err != nil {
		return err
	}
	kind, word := kindDoorbell, q.object.Addr+queueDoorbell
	if q.legacy() {
		kind, word = kindLegacyDoorbell, q.object.Addr+queueLegacyDoorbell
	}
	if q.doorbell, err = s.signals.create(kind, int64(word)); err != nil {
		return err
	}
	q.doorbell.queue, q.doorbell.value = q, q.field(queueHostDoorbell)
	for i, d := range doorbells {
		q.rung[i] = d.first
		atomic.StoreInt64(q.field(d.off), d.first)
	}
	atomic.StoreInt64(s.word(q.doorbell.addr+signalQueuePtr), int64(q.object.Addr))
	q.write = (*uint64)(unsafe.Pointer(q.field(queueWriteIndex)))
	q.read = (*uint64)(unsafe.Pointer(q.field(queueReadIndex)))
	q.describe()
	return nil
}

// legacy reports whether kernels ring the doorbell as on gfx8.
func (q *Queue) legacy() bool {
	return q.agent.t != nil && !q.agent.t.Processor.Is(target.GFX9) && q.agent.t.Processor.Version.Major < 9
}

// describe sets the constant fields.
func (q *Queue) describe() {
	b := q.object.Bytes()
	le := binary.LittleEndian
	le.PutUint32(b[queueType:], uint32(q.opts.Type))
	le.PutUint32(b[queueFeatures:], uint32(q.Features()))
	le.PutUint64(b[queueBaseAddress:], q.ringMem.Addr)
	le.PutUint64(b[queueDoorbellSignal:], q.doorbell.addr)
	le.PutUint32(b[queueSize:], q.opts.Size)
	le.PutUint32(b[queueReadIndexOffset:], queueReadIndex)
	le.PutUint32(b[queueProperties:], propertyPtr64)
	le.PutUint64(b[queueInactiveSignal:], q.inactive.addr)
	if q.agent.t == nil {
		return
	}
	info := q.agent.Info()
	le.PutUint32(b[queueGroupAperture:], uint32(device.GroupAperture>>32))
	le.PutUint32(b[queuePrivateAperture:], uint32(device.PrivateAperture>>32))
	le.PutUint32(b[queueMaxCU:], info.ComputeUnitCount)
	le.PutUint32(b[queueMaxWave:], info.MaxWavesPerCU)
	for i, w := range scratchDescriptor(q.agent.t) {
		le.PutUint32(b[queueScratchSRD+4*i:], w)
	}
}

// Fields of the scratch buffer descriptor: swizzled, addressed by lane, dword
// elements. Base and size are 0, because the device allocates scratch memory
// for each dispatch. Source: AMDGPU HSA ABI 0.40, "Scratch Segment Buffer"; the
// ISA documents, "Buffer resource descriptor".
const (
	srdSwizzle = 1 << 31 // word 1

	// Word 3 up to gfx9: selects X, Y, Z, W; NUM_FORMAT uint, DATA_FORMAT 32, ELEMENT_SIZE 4,
	// INDEX_STRIDE 64, ADD_TID_ENABLE.
	srdWord3 = 4 | 5<<3 | 6<<6 | 7<<9 | 4<<12 | 4<<15 | 1<<19 | 3<<21 | 1<<23
	// Word 3 from gfx10: selects, FORMAT 32_UINT, ADD_TID_ENABLE,
	// RESOURCE_LEVEL, OOB_SELECT 2. The index stride is the wave size.
	srdWord3GFX10 = 4 | 5<<3 | 6<<6 | 7<<9 | 0x14<<12 | 1<<23 | 1<<24 | 2<<28
)

func scratchDescriptor(t *target.Target) [4]uint32 {
	if t.Processor.Is(target.GFX10_1) {
		return [4]uint32{0, srdSwizzle, 0, srdWord3GFX10}
	}
	return [4]uint32{0, srdSwizzle, 0, srdWord3}
}

// release frees the queue's memory.
func (q *Queue) release() {
	for _, r := range []*device.Region{q.object, q.ringMem} {
		if r != nil {
			q.sys.mem.Free(r.Addr)
		}
	}
	for _, sig := range []*Signal{q.inactive, q.doorbell} {
		if sig != nil {
			sig.Destroy()
		}
	}
	q.cancel()
}

// Addr returns the address of the amd_queue_t, which is also the address of the
// hsa_queue_t.
func (q *Queue) Addr() uint64 { return q.object.Addr }

// Agent returns the queue's agent.
func (q *Queue) Agent() *Agent { return q.agent }

// ID returns the number of the queue, which is unique in its system.
func (q *Queue) ID() uint64 { return q.id }

// Size returns the capacity in packets.
func (q *Queue) Size() uint32 { return q.opts.Size }

// Features returns the packet types that the queue accepts.
func (q *Queue) Features() (f QueueFeature) {
	if q.agent.t != nil {
		f |= FeatureKernelDispatch
	}
	if q.opts.AgentDispatch != nil {
		f |= FeatureAgentDispatch
	}
	return f
}

// Doorbell returns the doorbell signal. Storing a packet's index in it notifies
// the packet processor.
func (q *Queue) Doorbell() *Signal { return q.doorbell }

// LoadWriteIndex returns the index of the next packet to write.
func (q *Queue) LoadWriteIndex(MemoryOrder) uint64 { return atomic.LoadUint64(q.write) }

// StoreWriteIndex sets the write index. Only the producer of a QueueSingle may
// call it.
func (q *Queue) StoreWriteIndex(v uint64, _ MemoryOrder) { atomic.StoreUint64(q.write, v) }

// AddWriteIndex adds to the write index and returns its previous value.
func (q *Queue) AddWriteIndex(v uint64, _ MemoryOrder) uint64 {
	return atomic.AddUint64(q.write, v) - v
}

// CompareAndSwapWriteIndex sets the write index if it equals expected,
// hsa_queue_cas_write_index. It returns the previous value.
func (q *Queue) CompareAndSwapWriteIndex(expected, v uint64, _ MemoryOrder) uint64 {
	for {
		old := atomic.LoadUint64(q.write)
		if old != expected || atomic.CompareAndSwapUint64(q.write, old, v) {
			return old
		}
	}
}

// LoadReadIndex returns the index of the oldest unprocessed packet.
func (q *Queue) LoadReadIndex(MemoryOrder) uint64 { return atomic.LoadUint64(q.read) }

// slot returns the byte offset of a packet in the ring.
func (q *Queue) slot(index uint64) uint64 { return index % uint64(q.opts.Size) * packetSize }

// header returns the first dword of a packet.
func (q *Queue) header(index uint64) *uint32 {
	return (*uint32)(unsafe.Pointer(&q.ringBuf[q.slot(index)]))
}

// field returns an 8-byte field of the amd_queue_t. It remains valid after the
// queue is destroyed.
func (q *Queue) field(off uint64) *int64 {
	return (*int64)(unsafe.Pointer(&q.object.Bytes()[off]))
}

// properties returns the queue_properties field.
func (q *Queue) properties() *uint32 {
	return (*uint32)(unsafe.Pointer(&q.object.Bytes()[queueProperties]))
}

// WritePacket writes a packet at an index obtained from AddWriteIndex. It
// writes the header last, with release order. It does not ring the doorbell.
func (q *Queue) WritePacket(index uint64, p Packet) {
	b := encode(p)
	at := q.slot(index)
	copy(q.ringBuf[at+4:at+packetSize], b[4:])
	atomic.StoreUint32(q.header(index), binary.LittleEndian.Uint32(b[:]))
}

// Submit writes a packet to the queue, waiting for free space if necessary, and
// rings the doorbell. It returns the packet's index. The error is the
// context's, or the queue's if it is inactive.
func (q *Queue) Submit(ctx context.Context, p Packet) (uint64, error) {
	return q.submit(ctx, p, nil)
}

func (q *Queue) submit(ctx context.Context, p Packet, reserved func(index uint64)) (uint64, error) {
	index, err := q.reserve(ctx)
	if err != nil {
		return 0, err
	}
	if reserved != nil {
		reserved(index)
	}
	q.WritePacket(index, p)
	q.doorbell.Store(int64(index), Screlease)
	return index, nil
}

// reserve waits for free space and returns a reserved index.
func (q *Queue) reserve(ctx context.Context) (uint64, error) {
	for {
		if err := q.Err(); err != nil {
			return 0, err
		}
		index := atomic.LoadUint64(q.write)
		if index-atomic.LoadUint64(q.read) < uint64(q.opts.Size) {
			if atomic.CompareAndSwapUint64(q.write, index, index+1) {
				return index, nil
			}
			continue
		}
		room := term{0, q.field(queueReadIndex), -1, ConditionGTE, int64(index - uint64(q.opts.Size) + 1)}
		w := &waiter{terms: []term{room}, queue: q, wake: make(chan struct{}, 1)}
		if _, _, err := q.sys.signals.wait(ctx, w); err != nil {
			return 0, err
		}
	}
}

// SetProfiling enables or disables timestamps in completion signals,
// hsa_amd_profiling_set_profiler_enabled. It applies to packets that start
// later.
func (q *Queue) SetProfiling(on bool) {
	p := q.properties()
	if on {
		atomic.OrUint32(p, propertyProfiling)
	} else {
		atomic.AndUint32(p, ^uint32(propertyProfiling))
	}
}

// Err returns the *Error that made the queue inactive, or nil if it is active.
func (q *Queue) Err() error {
	if err := q.err.Load(); err != nil {
		return err
	}
	return nil
}

// Inactive returns a channel that is closed when the queue becomes inactive, by
// an error, Inactivate or Destroy.
func (q *Queue) Inactive() <-chan struct{} { return q.failed }

// Inactivate makes the queue inactive, hsa_queue_inactivate. It ends the
// running packet, and no further packets are processed.
func (q *Queue) Inactivate() {
	q.cancel()
	<-q.done
}

// Destroy makes the queue inactive and frees its memory, hsa_queue_destroy.
// Further calls have no effect.
func (q *Queue) Destroy() {
	q.Inactivate()
	q.sys.mu.Lock()
	_, there := q.sys.queues[q]
	delete(q.sys.queues, q)
	q.sys.mu.Unlock()
	if there {
		q.release()
	}
}

// ring notifies the packet processor that packets up to an index are ready.
func (q *Queue) ring(index uint64) {
	if err := q.Err(); err != nil {
		q.sys.signals.fail(err, q.completions()...)
		return
	}
	for old := q.limit.Load(); old <= index && index != 1<<64-1; old = q.limit.Load() {
		if q.limit.CompareAndSwap(old, index+1) {
			break
		}
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// checkDoorbell notifies the packet processor if a kernel has written to a
// doorbell. Only the last of several values is visible, so all packets up to
// the write index count as ready. System.mu must be held.
func (q *Queue) checkDoorbell() {
	for i, d := range doorbells {
		if v := atomic.LoadInt64(q.field(d.off)); v != q.rung[i] {
			q.rung[i] = v
			q.ring(atomic.LoadUint64(q.write) - 1)
		}
	}
}
