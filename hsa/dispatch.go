package hsa

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/device"
)

// Dispatch is a kernel dispatch submitted by Enqueue.
type Dispatch struct {
	once   sync.Once
	done   chan struct{}
	stats  *device.Stats
	err    error
	arg    *Buffer
	grid   Grid            // as submitted
	ctx    context.Context // derived from the queue's; ended by Cancel
	cancel context.CancelFunc
	begun  atomic.Bool // set when the packet processor starts it or Cancel prevents the start
}

// finish records the result.
func (d *Dispatch) finish(stats *device.Stats, err error) {
	d.once.Do(func() {
		d.stats, d.err = stats, err
		d.cancel()
		if d.arg != nil {
			d.arg.Free()
		}
		close(d.done)
	})
}

// Done returns a channel that is closed when the dispatch has ended.
func (d *Dispatch) Done() <-chan struct{} { return d.done }

// Wait waits for the end of the dispatch and returns its statistics. The error
// is the queue's if the kernel failed or the queue is inactive, or the
// context's.
func (d *Dispatch) Wait(ctx context.Context) (*device.Stats, error) {
	select {
	case <-d.done:
		return d.stats, d.err
	default:
	}
	select {
	case <-d.done:
		return d.stats, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Cancel ends the dispatch. A running kernel is stopped within 100 ms, and a
// kernel that has not started never runs. Wait then returns context.Canceled.
// The queue continues with the following packets. Cancel does not wait for the
// end of the kernel, which closes Done. It has no effect if the dispatch has
// ended.
func (d *Dispatch) Cancel() {
	d.cancel()
	if d.begun.CompareAndSwap(false, true) {
		d.finish(nil, context.Canceled)
	}
}

// Dispatch runs a kernel and waits for its end. It combines NewArgs, Enqueue
// and Wait. When the context ends, Dispatch stops the kernel as Cancel does and
// returns the context's error.
func (q *Queue) Dispatch(ctx context.Context, k *Kernel, g Grid, values ...any) (*device.Stats, error) {
	args, err := k.NewArgs(values...)
	if err != nil {
		return nil, err
	}
	d, err := q.Enqueue(ctx, k, g, args)
	if err != nil {
		return nil, err
	}
	select {
	case <-d.done:
	case <-ctx.Done():
		d.Cancel()
		<-d.done
		if errors.Is(d.err, context.Canceled) {
			return d.stats, ctx.Err()
		}
	}
	return d.stats, d.err
}

// Enqueue submits a kernel dispatch to the queue. It copies the arguments to
// new memory, which is freed when the dispatch ends. The context limits the
// wait for free space in the queue.
func (q *Queue) Enqueue(ctx context.Context, k *Kernel, g Grid, args *KernelArgs) (*Dispatch, error) {
	if args == nil || args.kernel != k {
		return nil, errorf(StatusErrorInvalidArgument, "arguments of another kernel")
	}
	d := &Dispatch{done: make(chan struct{}), grid: g}
	d.ctx, d.cancel = context.WithCancel(q.ctx)
	p, err := q.dispatchPacket(k, &g, args, d)
	if err != nil {
		d.cancel()
		return nil, err
	}
	index, err := q.submit(ctx, p, func(index uint64) { q.pending.Store(index, d) })
	if err != nil {
		d.finish(nil, err)
		return nil, err
	}
	if err := q.Err(); err != nil { // the queue may have failed before seeing this packet
		if _, ok := q.pending.LoadAndDelete(index); ok {
			d.finish(nil, err)
		}
	}
	return d, nil
}

// dispatchPacket allocates the kernarg segment and returns the packet.
func (q *Queue) dispatchPacket(k *Kernel, g *Grid, args *KernelArgs, d *Dispatch) (Packet, error) {
	size, group := g.sizes()
	lds := uint64(args.GroupSegmentSize()) + uint64(g.DynamicLDS)
	p := &KernelDispatchPacket{
		Header: Header(PacketKernelDispatch, true, FenceSystem, FenceSystem), Setup: uint16(g.Dimensions()) << setupDimensions,
		WorkgroupSizeX: group[0], WorkgroupSizeY: group[1], WorkgroupSizeZ: group[2],
		GridSizeX: size[0], GridSizeY: size[1], GridSizeZ: size[2],
		PrivateSegmentSize: max(k.info.PrivateSegmentSize, g.Private), GroupSegmentSize: uint32(min(lds, 1<<32-1)), KernelObject: k.object,
	}
	b := args.Encode(q, g)
	if len(b) == 0 {
		return clustered(p, g.clusterOf(&k.info))
	}
	r, err := q.sys.alloc(uint64(len(b)), uint64(k.info.KernargSegmentAlign), "kernarg "+k.name)
	if err != nil {
		return nil, err
	}
	copy(r.Bytes(), b)
	d.arg = &Buffer{q.sys, r}
	p.KernargAddress = r.Addr
	return clustered(p, g.clusterOf(&k.info))
}

// clustered returns a packet for a dispatch in clusters: the packet itself if
// clusters have one work-group.
func clustered(p *KernelDispatchPacket, size [3]uint8) (Packet, error) {
	if size == [3]uint8{1, 1, 1} {
		return p, nil
	}
	grid, group := [3]uint32{p.GridSizeX, p.GridSizeY, p.GridSizeZ}, [3]uint16{p.WorkgroupSizeX, p.WorkgroupSizeY, p.WorkgroupSizeZ}
	var counts [3]uint32
	for d, n := range grid {
		items := uint32(size[d]) * uint32(group[d])
		if counts[d] = n / items; n%items != 0 {
			return nil, errorf(StatusErrorInvalidArgument, "dimension %d: %d work-items are no multiple of the cluster of %d work-groups of %d work-items", d, n, size[d], group[d])
		}
	}
	if most := max(counts[1], counts[2]); most > math.MaxUint16 {
		return nil, errorf(StatusErrorInvalidArgument, "%d clusters exceed the limit of %d in the second and third dimension", most, math.MaxUint16)
	}
	return &ExtKernelDispatchPacket{
		Header: Header(PacketVendorSpecific, true, FenceSystem, FenceSystem), AMDFormat: packetFormatExt, Setup: uint8(p.Setup),
		WorkgroupSizeX: group[0], WorkgroupSizeY: group[1], WorkgroupSizeZ: group[2],
		ClusterCountX: counts[0], ClusterCountY: uint16(counts[1]), ClusterCountZ: uint16(counts[2]), ClusterSize: size,
		PrivateSegmentSize: p.PrivateSegmentSize, GroupSegmentSize: p.GroupSegmentSize, KernelObject: p.KernelObject, KernargAddress: p.KernargAddress,
	}, nil
}
