package sim

import "github.com/gfx-toolchain/gfx/internal/waitcnt"

// Stores become visible to other host cores late: they wait in the core's store
// buffer while later loads execute. The GPU has the same freedom until
// s_waitcnt. At an s_waitcnt the host's stores are therefore completed as well,
// so that sequentially consistent atomics follow the memory model. Waves
// without stores since the last fence do not need one.

// tally holds a worker's counters.
type tally struct {
	classes [numClasses]uint64
	fenced  uint64 // classes[classOrdered] at the last fence
	word    uint32 // scratch word that fence may write
}

// finishStores makes the worker's earlier stores visible to other cores before
// any later load.
func (t *tally) finishStores() {
	if n := t.classes[classOrdered]; n != t.fenced {
		t.fenced = n
		fence(&t.word)
	}
}

// class returns the class of a vector memory instruction. If the host orders
// loads as x86 does, only stores are classOrdered. Atomics are ordered by
// themselves.
func (m *memInfo) class() class {
	if m.store || !hostOrdersLoads {
		return classOrdered
	}
	return classVMEM
}

func (c class) isVMEM() bool { return c == classVMEM || c == classOrdered }

// prepareWait prepares an instruction that waits for counters. The instruction
// is a host fence if it waits for a counter that includes stores.
func prepareWait(d *Device, o *op) bool {
	w, _ := waitcnt.Of(&o.in)
	if w.Limits[waitcnt.ForStores(d.set)] != waitcnt.None || w.Limits[waitcnt.Load] != waitcnt.None && !hostOrdersLoads {
		return runs(classOther, runFence)(d, o)
	}
	return runs(classOther, nothing)(d, o)
}

func runFence(w *wave, o *op) { w.counts.finishStores() }

// runCacheOp executes a cache writeback or invalidation. Caches are not
// simulated, so it is only a fence.
func runCacheOp(w *wave, o *op) { w.counts.finishStores() }
