package hsa

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// TestExtKernelDispatch submits extended kernel dispatch packets: geometry,
// the signal that they wait for, and invalid ones.
func TestExtKernelDispatch(t *testing.T) {
	var got []device.Dispatch
	s, a := testSystem(t, "gfx1250", func(_ context.Context, d *device.Dispatch) (*device.Stats, error) {
		got = append(got, *d)
		return &device.Stats{}, nil
	})
	k := testKernel(t, a)
	packet := func(done *Signal) *ExtKernelDispatchPacket {
		return &ExtKernelDispatchPacket{
			Header: Header(PacketVendorSpecific, true, FenceSystem, FenceSystem), AMDFormat: packetFormatExt, Setup: 3,
			WorkgroupSizeX: 64, WorkgroupSizeY: 2, WorkgroupSizeZ: 1, ClusterCountX: 5, ClusterCountY: 3, ClusterCountZ: 2,
			ClusterSize: [3]uint8{2, 4, 1}, PrivateSegmentSize: 8, GroupSegmentSize: 64, KernelObject: k.object, CompletionSignal: done.Handle(),
		}
	}
	q := newQueue(t, a, QueueOptions{})
	done, dep := newSignal(t, s, 1), newSignal(t, s, 1)
	p := packet(done)
	p.DepSignal = dep.Handle()
	if _, err := q.Submit(ctxOf(t), p); err != nil {
		t.Fatal(err)
	}
	if done.Load(Scacquire) != 1 {
		t.Error("the packet did not wait for its signal")
	}
	dep.Store(0, Screlease)
	if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || got[0].ClusterSize != [3]uint8{2, 4, 1} || got[0].GridSize != [3]uint32{5 * 2 * 64, 3 * 4 * 2, 2} || got[0].GroupSize != [3]uint16{64, 2, 1} {
		t.Errorf("dispatches %+v", got)
	}
	for i, c := range []struct {
		change func(*ExtKernelDispatchPacket)
		status Status
	}{
		{func(p *ExtKernelDispatchPacket) { p.AMDFormat = 4 }, StatusErrorInvalidPacketFormat},
		{func(p *ExtKernelDispatchPacket) { p.Setup |= 4 }, StatusErrorInvalidPacketFormat},
		{func(p *ExtKernelDispatchPacket) { p.Reserved0 = 1 }, StatusErrorInvalidPacketFormat},
		{func(p *ExtKernelDispatchPacket) { p.DepSignal = 8 }, StatusErrorInvalidPacketFormat},
		{func(p *ExtKernelDispatchPacket) { p.ClusterCountX = 1 << 31 }, StatusErrorInvalidArgument},
		{func(p *ExtKernelDispatchPacket) { p.ClusterSize[1] = 0 }, StatusErrorIncompatibleArguments},
		{func(p *ExtKernelDispatchPacket) { p.ClusterCountZ = 0 }, StatusErrorIncompatibleArguments},
		{func(p *ExtKernelDispatchPacket) { p.Setup = 2 }, StatusErrorIncompatibleArguments},
		{func(p *ExtKernelDispatchPacket) { p.KernelObject++ }, StatusErrorInvalidCodeObject},
	} {
		q := newQueue(t, a, QueueOptions{})
		p := packet(newSignal(t, s, 1))
		c.change(p)
		if _, err := q.Submit(ctxOf(t), p); err != nil {
			t.Fatal(err)
		}
		<-q.Inactive()
		if StatusOf(q.Err()) != c.status {
			t.Errorf("%d: %v, want %v", i, q.Err(), c.status)
		}
	}
}

// TestClusterDims runs kernels with and without .cluster_dims by Dispatch, which
// chooses the packet.
func TestClusterDims(t *testing.T) {
	var got [3]uint8
	_, a := testSystem(t, "gfx1250", func(_ context.Context, d *device.Dispatch) (*device.Stats, error) {
		got = d.ClusterSize
		return &device.Stats{}, nil
	})
	fixed := clusterKernel(t, a, "    .cluster_dims: [4, 1, 1]\n")
	free := clusterKernel(t, a, "")
	for _, x := range []struct {
		k       *Kernel
		cluster [3]uint8
		groups  uint32
		want    any
	}{
		{fixed, [3]uint8{}, 8, [3]uint8{4, 1, 1}},
		{fixed, [3]uint8{4}, 8, [3]uint8{4, 1, 1}},
		{fixed, [3]uint8{2, 2, 1}, 8, "are no multiple of the cluster of 2 work-groups"},
		{fixed, [3]uint8{2, 1, 1}, 8, "requires clusters of [4 1 1] work-groups (.cluster_dims), not [2 1 1]"},
		{fixed, [3]uint8{1, 1, 1}, 8, "requires clusters of [4 1 1] work-groups (.cluster_dims), not [1 1 1]"},
		{fixed, [3]uint8{}, 6, "384 work-items are no multiple of the cluster of 4 work-groups of 64 work-items"},
		{free, [3]uint8{}, 6, [3]uint8{1, 1, 1}},
		{free, [3]uint8{2}, 6, [3]uint8{2, 1, 1}},
	} {
		q := newQueue(t, a, QueueOptions{})
		got = [3]uint8{}
		_, err := q.Dispatch(ctxOf(t), x.k, Grid{Size: [3]uint32{64 * x.groups}, Group: [3]uint16{64}, Cluster: x.cluster})
		if text, ok := x.want.(string); ok {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%v: %v, want %q", x.cluster, err, text)
			}
		} else if err != nil || got != x.want {
			t.Errorf("%v: %v %v, want %v", x.cluster, got, err, x.want)
		}
		q.Destroy()
	}
	q := newQueue(t, a, QueueOptions{})
	defer q.Destroy()
	if _, err := q.Dispatch(ctxOf(t), free, Grid{Size: [3]uint32{2, 1 << 17}, Group: [3]uint16{1, 1}, Cluster: [3]uint8{2, 1, 1}}); err == nil || !strings.Contains(err.Error(), "131072 clusters exceed the limit of 65535") {
		t.Errorf("many clusters: %v", err)
	}
}

// clusterKernel loads a kernel with additional metadata.
func clusterKernel(t *testing.T, a *Agent, metadata string) *Kernel {
	k := simKernel{text: "s_nop 0"}
	src := k.source(a)
	src = strings.Replace(src, "    .symbol: k.kd\n", fmt.Sprintf("    .symbol: k.kd\n%s", metadata), 1)
	kernel, err := load(t, a, build(t, a.Name(), src, 6)).Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	return kernel
}

// TestClusterMulticast runs LLVM's sequence for the barrier of a cluster, with
// loads into the LDS of all work-groups and of one, on the simulator.
func TestClusterMulticast(t *testing.T) {
	s, a := simSystem(t, "gfx1250", device.Options{Checks: device.CheckAll})
	k := simKernel{lds: 256, args: "pointer pointer", text: `
	s_load_b128 s[8:11], s[4:5], 0x0
	s_mov_b32 m0, 3
	v_lshlrev_b32_e32 v0, 2, v0
	v_add_nc_u32_e32 v1, 0x80, v0
	s_wait_kmcnt 0
	cluster_load_b32 v2, v0, s[8:9]
	cluster_load_async_to_lds_b32 v0, v0, s[8:9]
	s_getreg_b32 s12, hwreg(HW_REG_IB_STS2, 21, 4)
	v_mov_b32_e32 v3, -1
	ds_store_b32 v1, v3
	s_wait_dscnt 0
	s_cmp_eq_u32 s12, 1
	s_cbranch_scc1 rest
	s_mov_b32 m0, 1
	cluster_load_async_to_lds_b32 v0, v0, s[8:9] offset:128
rest:
	s_wait_asynccnt 0
	s_barrier_signal -3
	s_barrier_wait -3
	ds_load_b32 v3, v0
	v_sub_nc_u32_e32 v1, v1, v0
	s_wait_loadcnt 0
	v_mul_u32_u24_e32 v4, 1, v0
	s_mul_i32 s13, ttmp9, 0x300
	s_mul_i32 s14, s12, 0x180
	s_add_co_u32 s13, s13, s14
	v_add_nc_u32_e32 v4, s13, v4
	s_wait_dscnt 0
	global_store_b32 v4, v2, s[10:11]
	global_store_b32 v4, v3, s[10:11] offset:128`}
	k.text = strings.Replace(k.text, "ds_load_b32 v3, v0\n", "ds_load_b32 v3, v0\n\tds_load_b32 v5, v0 offset:128\n", 1) + "\n\tglobal_store_b32 v4, v5, s[10:11] offset:256"
	in, out := fineBuffer(t, s, 512), fineBuffer(t, s, 4*0x180)
	for i := range 64 {
		Slice[uint32](in)[i] = uint32(1000 + i)
	}
	k.text = strings.ReplaceAll(k.text, "v_sub_nc_u32_e32 v1, v1, v0\n", "s_nop 0\n")
	stats := k.must(t, a, Grid{Size: [3]uint32{4 * 32}, Group: [3]uint16{32}, Cluster: [3]uint8{2}}, in, out)
	if stats.Groups != 4 {
		t.Errorf("%d work-groups", stats.Groups)
	}
	words := Slice[uint32](out)
	for g := range 4 {
		part := words[g*0x60:][:0x60]
		var want []uint32
		for i := range 0x60 {
			v := uint32(1000 + i%32)
			if i >= 64 {
				v = uint32(1032 + i%32)
				if g%2 == 1 {
					v = ^uint32(0)
				}
			}
			want = append(want, v)
		}
		if !slices.Equal(part, want) {
			t.Errorf("work-group %d: %v", g, part)
		}
	}
}
