package sim

import "github.com/gfx-toolchain/gfx/isa"

// Stores reach other cores of the host late: they wait in the core's store buffer
// while its loads go ahead. The GPU has the same freedom until s_waitcnt. There the
// host's stores are finished, too, so that sequentially consistent atomics are what
// the memory model says. Waves without stores since the last fence need none.

// tally is what a worker counts.
type tally struct {
	classes [numClasses]uint64
	fenced  uint64 // classes[classOrdered] at the last fence
	word    uint32 // what fence may write to
}

// finishStores makes all stores of the worker visible to other cores before any load that
// follows.
func (t *tally) finishStores() {
	if n := t.classes[classOrdered]; n != t.fenced {
		t.fenced = n
		fence(&t.word)
	}
}

// class returns the class of an instruction of vector memory. Where the host orders
// loads as x86 does, only stores are classOrdered. Atomics order themselves.
func (m *memInfo) class() class {
	if m.store || !hostOrdersLoads {
		return classOrdered
	}
	return classVMEM
}

func (c class) isVMEM() bool { return c == classVMEM || c == classOrdered }

// prepareWait builds an instruction that waits for counters. It is a fence if it waits for
// one that counts stores.
func prepareWait(d *Device, o *op) bool {
	f := waitFactsOf(&o.in)
	waits := f.limits[cntVS] != noWait || f.limits[cntVM] != noWait && (d.set.Gen() < isa.Gen10 || !hostOrdersLoads)
	if waits {
		return runs(classOther, runFence)(d, o)
	}
	return runs(classOther, nothing)(d, o)
}

func runFence(w *wave, o *op) { w.counts.finishStores() }

// runCacheOp writes back or invalidates caches, of which there are none here.
func runCacheOp(w *wave, o *op) { w.counts.finishStores() }
