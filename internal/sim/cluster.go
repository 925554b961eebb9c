package sim

import (
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// Clusters of work-groups (gfx12.5). The work-groups of a cluster run
// concurrently and have a barrier in common. One worker runs all of them.
//
// A cluster load (cluster_load_*) and a tensor load for several work-groups
// need nothing else: each work-group executes its own load and receives the data
// itself. The mask specifies only which loads the hardware may combine. No
// instruction addresses the LDS of another work-group. Source: AMD's CDNA 5 ISA,
// "Work-group clusters" and "Cluster loads".

// maxCluster is the maximum number of work-groups of a cluster.
const maxCluster = 16

// Fields of ttmp6 and of the hardware register IB_STS2. Source: AMD's CDNA 5 ISA,
// "Work-group clusters"; LLVM, llvm.amdgcn.cluster.workgroup.flat.id.
const (
	placeBits     = 4  // of each field of ttmp6: the position in x, y and z
	placeLast     = 12 // the last position in x, y and z
	placeLastFlat = 24 // the last flat position

	stateClusterShift = 6  // number of the cluster on the processor, 0 outside of clusters
	stateFlatShift    = 21 // flat position of the work-group
	clusterNumbers    = 15 // numbers of clusters from 1 on
)

// cluster is a running cluster.
type cluster struct {
	launch  *launch
	id      [3]uint32
	index   uint64 // in dispatch order
	number  uint32 // from 1 to clusterNumbers
	groups  []*group
	barrier barrierState
	// arrived holds a bit for each work-group that has signaled since the barrier
	// completed, for checks.
	arrived uint32
}

// setCluster validates the cluster size of a dispatch.
func (l *launch) setCluster() error {
	size, items, grid := l.disp.ClusterSize, l.disp.GroupSize, l.disp.GridSize
	l.cluster = [3]uint64{1, 1, 1}
	for d := range size {
		l.cluster[d] = uint64(max(size[d], 1))
	}
	c := l.cluster
	switch n := c[0] * c[1] * c[2]; {
	case n == 1:
		return nil
	case !l.dev.set.Has(isa.PropClusters):
		return dispatchFault("cluster of %d×%d×%d work-groups: %s has no clusters", c[0], c[1], c[2], l.dev.Target.Processor.Name)
	case n > maxCluster:
		return dispatchFault("cluster of %d×%d×%d work-groups exceeds the limit of %d", c[0], c[1], c[2], maxCluster)
	}
	for d := range c {
		switch {
		case l.counts[d]%c[d] != 0:
			return dispatchFault("dimension %d: the grid has %d work-groups, which is no multiple of the cluster's %d", d, l.counts[d], c[d])
		case grid[d]%uint32(items[d]) != 0:
			return dispatchFault("dimension %d: %d work-items are no multiple of the work-group's %d: a cluster has no partial work-groups", d, grid[d], items[d])
		}
	}
	return nil
}

// clusterGroups returns the number of work-groups of a cluster.
func (l *launch) clusterGroups() int { return int(l.cluster[0] * l.cluster[1] * l.cluster[2]) }

// clusters returns the number of clusters of the dispatch.
func (l *launch) clusters() uint64 { return l.total / uint64(l.clusterGroups()) }

// beginCluster starts the groups of the next cluster, if any remain.
func (k *worker) beginCluster() {
	l := k.launch
	n := l.next.Add(1) - 1
	if n >= l.clusters() {
		return
	}
	size := l.cluster
	nx, ny := l.counts[0]/size[0], l.counts[1]/size[1]
	at := [3]uint64{n % nx, n / nx % ny, n / (nx * ny)}
	first := at[0]*size[0] + l.counts[0]*(at[1]*size[1]+l.counts[1]*at[2]*size[2])
	if first >= l.limit.Load() {
		return
	}
	var c *cluster
	if l.clusterGroups() > 1 {
		c = &cluster{launch: l, id: [3]uint32{uint32(at[0]), uint32(at[1]), uint32(at[2])}, index: n, number: uint32(n%clusterNumbers) + 1}
		c.barrier.members = uint32(l.clusterGroups())
	}
	k.cohort = k.cohort[:0]
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				id := [3]uint32{uint32(at[0]*size[0] + x), uint32(at[1]*size[1] + y), uint32(at[2]*size[2] + z)}
				g := k.beginGroup(id, c)
				k.cohort = append(k.cohort, g)
				if c != nil {
					c.groups = append(c.groups, g)
				}
			}
		}
	}
}

// sameCluster reports whether two groups, by number, are in one cluster.
func (l *launch) sameCluster(a, b uint32) bool {
	x, y, size := l.groupID(uint64(a)), l.groupID(uint64(b)), l.cluster
	return l.clusterGroups() > 1 && x[0]/size[0] == y[0]/size[0] && x[1]/size[1] == y[1]/size[1] && x[2]/size[2] == y[2]/size[2]
}

// groupID returns the ID of a group by its number in dispatch order.
func (l *launch) groupID(n uint64) [3]uint64 {
	return [3]uint64{n % l.counts[0], n / l.counts[0] % l.counts[1], n / (l.counts[0] * l.counts[1])}
}

// inCluster returns the position of a group in its cluster.
func (g *group) inCluster() (at [3]uint32) {
	for d, size := range g.launch.cluster {
		at[d] = g.id[d] % uint32(size)
	}
	return at
}

// flatPlace returns the position of a group in its cluster as one number.
func (g *group) flatPlace() uint32 {
	at, size := g.inCluster(), g.launch.cluster
	return at[0] + uint32(size[0])*(at[1]+uint32(size[1])*at[2])
}

// clusterPlace returns the value of ttmp6 in a cluster.
func (g *group) clusterPlace() (v uint32) {
	for d, at := range g.inCluster() {
		v |= at<<(d*placeBits) | uint32(g.launch.cluster[d]-1)<<(placeLast+d*placeBits)
	}
	return v | uint32(g.launch.clusterGroups()-1)<<placeLastFlat
}

// clusterState returns the fields of IB_STS2 that describe the cluster.
func (g *group) clusterState() uint32 {
	if g.cluster == nil {
		return 0
	}
	return g.cluster.number<<stateClusterShift | g.flatPlace()<<stateFlatShift
}

// signaled counts the signal of a wave at the barrier of the cluster, which the
// barrier's state already includes.
func (c *cluster) signaled(w *wave) {
	c.checkSignal(w)
	if g := w.group; g.race != nil && !g.race.listed {
		g.race.clusterSignal(c.launch.check.race)
	}
	c.complete()
}

// complete completes the barrier if all work-groups have signaled.
func (c *cluster) complete() {
	b := &c.barrier
	if b.signals == 0 || b.signals < b.members {
		return
	}
	b.signals, b.first, c.arrived = 0, 0, 0
	clock := c.joinClocks()
	for _, g := range c.groups {
		for _, w := range g.waves[:g.begun] {
			if w.stop != ended {
				w.passBarrier(bitCluster, clock)
			}
		}
	}
}

// leaveCluster removes a group that has ended from its cluster.
func (g *group) leaveCluster() {
	c := g.cluster
	if c == nil {
		return
	}
	g.cluster = nil
	c.checkEnded(g)
	for i, other := range c.groups {
		if other == g {
			c.groups = append(c.groups[:i], c.groups[i+1:]...)
			break
		}
	}
	c.barrier.members--
	c.complete()
}

// waitsForCluster reports whether all waves of a group wait at split barriers,
// at least one of them at the cluster's.
func (g *group) waitsForCluster() bool {
	if g.cluster == nil || g.allWaiting() == nil {
		return false
	}
	for _, w := range g.waves {
		if w.stop == atSplitBarrier && w.split.waits == bitCluster {
			return true
		}
	}
	return false
}

// stuckCluster reports a deadlock if all waves of all groups of a cluster wait
// at split barriers.
func (k *worker) stuckCluster(c *cluster) bool {
	if k.launch.limit.Load() < k.launch.total { // a group may have been stopped
		return false
	}
	var first *wave
	for _, g := range c.groups {
		w := g.allWaiting()
		if w == nil {
			return false
		}
		if first == nil {
			first = w
		}
	}
	first.failAt(device.FaultTimeout, "deadlock: all waves of the cluster wait at barriers that no wave is left to signal", -1, 0)
	k.launch.report(first.fault, first.group.number())
	return true
}
