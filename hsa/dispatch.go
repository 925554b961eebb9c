package hsa

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/sim"
)

// Dispatch is a kernel dispatch that Enqueue put into a queue.
type Dispatch struct {
	once   sync.Once
	done   chan struct{}
	stats  *sim.Stats
	err    error
	arg    *Buffer
	ctx    context.Context // the queue's, until Cancel
	cancel context.CancelFunc
	begun  atomic.Bool // by the packet processor, or Cancel has kept it from that
}

// finish notes the end.
func (d *Dispatch) finish(stats *sim.Stats, err error) {
	d.once.Do(func() {
		d.stats, d.err = stats, err
		d.cancel()
		if d.arg != nil {
			d.arg.Free()
		}
		close(d.done)
	})
}

// Done is closed when the dispatch is over.
func (d *Dispatch) Done() <-chan struct{} { return d.done }

// Wait waits for the end and gives what the device tells about the dispatch. The error is
// the queue's when the kernel went wrong or the queue is inactive, or the context's.
func (d *Dispatch) Wait(ctx context.Context) (*sim.Stats, error) {
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

// Cancel ends the dispatch: a kernel that runs is stopped within 100 ms, one that has not begun
// never runs. Wait returns context.Canceled then. The queue goes on with the packets that follow. Cancel
// does not wait for the kernel's end, which closes Done, and does nothing when the
// dispatch is over.
func (d *Dispatch) Cancel() {
	d.cancel()
	if d.begun.CompareAndSwap(false, true) {
		d.finish(nil, context.Canceled)
	}
}

// Dispatch runs a kernel and waits for its end: it makes the arguments as NewArgs does
// from values, Enqueue and Wait. When the context ends, the kernel is stopped as by
// Cancel, and the error is the context's.
func (q *Queue) Dispatch(ctx context.Context, k *Kernel, g Grid, values ...any) (*sim.Stats, error) {
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

// Enqueue puts a kernel dispatch into the queue, in memory of its own for the arguments,
// which is freed at the end. The context is for waiting until the queue has room.
func (q *Queue) Enqueue(ctx context.Context, k *Kernel, g Grid, args *KernelArgs) (*Dispatch, error) {
	if args == nil || args.kernel != k {
		return nil, errorf(StatusErrorInvalidArgument, "arguments of another kernel")
	}
	d := &Dispatch{done: make(chan struct{})}
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
	if err := q.Err(); err != nil { // it may have ended before it could see this packet
		if _, ok := q.pending.LoadAndDelete(index); ok {
			d.finish(nil, err)
		}
	}
	return d, nil
}

// dispatchPacket makes the packet, and the kernarg segment in memory.
func (q *Queue) dispatchPacket(k *Kernel, g *Grid, args *KernelArgs, d *Dispatch) (*KernelDispatchPacket, error) {
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
		return p, nil
	}
	r, err := q.sys.alloc(uint64(len(b)), uint64(k.info.KernargSegmentAlign), "kernarg "+k.name)
	if err != nil {
		return nil, err
	}
	copy(r.Bytes(), b)
	d.arg = &Buffer{q.sys, r}
	p.KernargAddress = r.Addr
	return p, nil
}
