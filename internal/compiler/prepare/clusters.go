package prepare

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/compiler/opt"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/target"
)

// Clusters of work-groups (gfx12.5). The hardware provides the position of the
// cluster in the grid, the position of the work-group in its cluster, and the
// size of the cluster. Source: LLVM's AMDGPULegalizerInfo and SIISelLowering.

// ClusterDims is the value of the attribute amdgpu-cluster-dims of a kernel: the
// number of work-groups in a cluster for each dimension.
type ClusterDims struct {
	Known bool // the kernel has the attribute
	Dims  [3]uint32
}

// variableCluster as a dimension means that the launch determines the size.
const variableCluster = 1024

// ClusterDimsOf returns the attribute of a function.
func ClusterDimsOf(f *ir.Function) (c ClusterDims) {
	m := f.Module()
	text, ok := m.StringAttr(m.AttrsAt(f.Attributes, ir.AttrFunction), "amdgpu-cluster-dims")
	list := strings.Split(text, ",")
	if !ok || len(list) != len(c.Dims) {
		return c
	}
	for i, x := range list {
		n, err := strconv.ParseUint(strings.TrimSpace(x), 10, 32)
		if err != nil {
			return ClusterDims{}
		}
		c.Dims[i] = uint32(n)
	}
	c.Known = true
	return c
}

// None reports whether the kernel is never part of a cluster.
func (c ClusterDims) None() bool { return c.Known && c.Dims == [3]uint32{} }

// Fixed reports whether all clusters have the size of the attribute.
func (c ClusterDims) Fixed() bool {
	return c.Known && c.Dims[0] > 0 && c.Dims != [3]uint32{variableCluster, variableCluster, variableCluster}
}

// clusterAxis holds the intrinsics of a dimension.
type clusterAxis struct {
	dim           int
	id, own, last ir.Intrinsic // of the cluster, of the work-group in it, and the largest of the latter
}

// clusterAxes maps the work-group IDs to their parts.
var clusterAxes = lazy.Value[map[ir.Intrinsic]clusterAxis]{Make: func() map[ir.Intrinsic]clusterAxis {
	return map[ir.Intrinsic]clusterAxis{
		ir.IntrAMDGCNWorkgroupIdX: {0, ir.IntrAMDGCNClusterIdX, ir.IntrAMDGCNClusterWorkgroupIdX, ir.IntrAMDGCNClusterWorkgroupMaxIdX},
		ir.IntrAMDGCNWorkgroupIdY: {1, ir.IntrAMDGCNClusterIdY, ir.IntrAMDGCNClusterWorkgroupIdY, ir.IntrAMDGCNClusterWorkgroupMaxIdY},
		ir.IntrAMDGCNWorkgroupIdZ: {2, ir.IntrAMDGCNClusterIdZ, ir.IntrAMDGCNClusterWorkgroupIdZ, ir.IntrAMDGCNClusterWorkgroupMaxIdZ},
	}
}}

// clusterExpander expands operations that depend on clusters.
type clusterExpander struct {
	ir.Builder
	f    *ir.Function
	m    *ir.Module
	dims ClusterDims
	wave uint32
}

// expandClusters expands work-group IDs of kernels that may run in clusters, and
// barriers of clusters.
func expandClusters(ctx *opt.Context, f *ir.Function) bool {
	if !isGPU(ctx, target.GFX12_5) {
		return false
	}
	x := clusterExpander{f: f, m: f.Module(), dims: ClusterDimsOf(f), wave: uint32(ctx.Target.WaveSize())}
	x.F = f
	var barriers, ids []ir.Value
	for b := f.Entry(); b != 0; b = f.NextBlock(b) {
		for v := f.First(b); v != ir.None; v = f.Next(v) {
			id := f.CalledIntrinsic(v)
			if _, ok := clusterAxes.Get()[id]; ok {
				ids = append(ids, v)
			} else if id == ir.IntrAMDGCNSClusterBarrier {
				barriers = append(barriers, v)
			}
		}
	}
	changed := len(barriers) > 0
	if len(ids) > 0 {
		changed = x.groupIDs(ids) || changed
	}
	for _, v := range barriers {
		x.barrier(v)
	}
	return changed
}

func (x *clusterExpander) call(id ir.Intrinsic, args ...ir.Value) ir.Value {
	return x.Call(x.m.DeclareIntrinsic(id), args...)
}

// Field of the hardware register IB_STS2 that is 0 outside of clusters, as an
// operand of s_getreg: 4 bits from bit 6 on.
const clusterSizeField = 28 | 6<<6 | (4-1)<<11

// groupIDs expands work-group IDs at the start of the function, and reports
// whether it expanded any. An ID is the cluster's ID times the size of the
// cluster, plus the ID in the cluster. If the kernel may also run without
// clusters, the selections between the two follow each other, so that one
// comparison serves all of them.
func (x *clusterExpander) groupIDs(calls []ir.Value) bool {
	axes := clusterAxes.Get()
	calls = slices.DeleteFunc(calls, func(v ir.Value) bool {
		return x.dims.None() || x.dims.Fixed() && x.dims.Dims[axes[x.f.CalledIntrinsic(v)].dim] == 1
	})
	if len(calls) == 0 {
		return false
	}
	x.Before(x.start())
	x.Loc = 0
	var size ir.Value // 0 outside of clusters
	if !x.dims.Known {
		size = x.call(ir.IntrAMDGCNSGetreg, x.m.NewInt(ir.I32, clusterSizeField))
	}
	var found [3]bool
	var cluster, id [3]ir.Value
	for _, v := range calls {
		axis := axes[x.f.CalledIntrinsic(v)]
		if k := axis.dim; !found[k] {
			found[k], cluster[k] = true, x.call(axis.id)
			id[k] = x.inCluster(axis, cluster[k])
		}
	}
	if !x.dims.Known {
		alone := x.Compare(ir.ICmpEQ, size, x.m.Zero(ir.I32))
		for k := range id {
			if found[k] {
				id[k] = x.Select(alone, cluster[k], id[k])
			}
		}
	}
	for _, v := range calls {
		x.f.ReplaceUses(v, id[axes[x.f.CalledIntrinsic(v)].dim])
		x.f.Erase(v)
	}
	return true
}

// inCluster returns the work-group ID in a cluster with an ID.
func (x *clusterExpander) inCluster(axis clusterAxis, cluster ir.Value) ir.Value {
	size := x.m.NewInt(ir.I32, uint64(x.dims.Dims[axis.dim]))
	if !x.dims.Fixed() {
		size = x.Make(ir.OpAdd, ir.I32, x.call(axis.last), x.m.NewInt(ir.I32, 1))
	}
	return x.Make(ir.OpAdd, ir.I32, x.Make(ir.OpMul, ir.I32, cluster, size), x.call(axis.own))
}

// start returns the first instruction of the function after its stack objects.
func (x *clusterExpander) start() ir.Value {
	v := x.f.First(x.f.Entry())
	for x.f.Op(v) == ir.OpAlloca {
		v = x.f.Next(v)
	}
	return v
}

// Numbers of barriers that are the same for all work-groups.
const (
	groupBarrier   = -1
	clusterBarrier = -3
)

// barrier expands a barrier of a cluster. After a barrier of the work-group, one
// of its waves signals; all wait. A wave that is a work-group signals alone.
//
//	before: first = signal.isfirst(-1); wait(-1); br first, signal, after
//	signal: signal(-3); br after
//	after:  wait(-3)
func (x *clusterExpander) barrier(v ir.Value) {
	f, m := x.f, x.m
	signal := func() {
		x.call(ir.IntrAMDGCNSBarrierSignal, m.NewSigned(ir.I32, clusterBarrier))
	}
	wait := func(n int64) { x.call(ir.IntrAMDGCNSBarrierWait, m.NewSigned(ir.I16, n)) }
	x.Before(v)
	x.Loc = f.Instr(v).Loc
	if x.groupIsWave() {
		signal()
	} else {
		first := x.call(ir.IntrAMDGCNSBarrierSignalIsfirst, m.NewSigned(ir.I32, groupBarrier))
		wait(groupBarrier)
		before := f.Parent(v)
		after := f.SplitBlock(v)
		one := f.NewBlockAfter(before)
		f.Erase(f.Terminator(before))
		x.AtEnd(before)
		x.CondBr(first, one, after)
		x.AtEnd(one)
		signal()
		x.Br(after)
		x.Before(v)
	}
	wait(clusterBarrier)
	f.Erase(v)
}

// groupIsWave reports whether work-groups have at most one wave.
func (x *clusterExpander) groupIsWave() bool {
	text, _ := x.m.StringAttr(x.m.AttrsAt(x.f.Attributes, ir.AttrFunction), "amdgpu-flat-work-group-size")
	_, most, _ := strings.Cut(text, ",")
	n, err := strconv.ParseUint(strings.TrimSpace(most), 10, 32)
	return err == nil && uint32(n) <= x.wave
}
