package hsa

import (
	"testing"
)

func TestMemory(t *testing.T) {
	s, a := testSystem(t, "gfx900", nil)
	b, err := a.Allocate(40)
	if err != nil {
		t.Fatal(err)
	}
	c, err := s.Host().Pool(KernargInit).Allocate(40)
	if err != nil {
		t.Fatal(err)
	}
	if b.Size() != 40 || b.Addr()%PoolGranule != 0 || b.Addr() == c.Addr() {
		t.Errorf("%v, %v", b, c)
	}
	if err := s.Fill(b.Addr()+4, 0x01020304, 3); err != nil {
		t.Error(err)
	}
	if v := Slice[uint32](b); len(v) != 10 || v[0] != 0 || v[1] != 0x01020304 || v[3] != 0x01020304 || v[4] != 0 {
		t.Errorf("%x", v)
	}
	if err := s.Copy(c.Addr(), b.Addr()+4, 8); err != nil {
		t.Error(err)
	}
	if v := Slice[uint64](c); v[0] != 0x0102030401020304 || v[1] != 0 {
		t.Errorf("%x", v)
	}
	type pair struct{ A, B int16 }
	if v := Slice[pair](c); v[0] != (pair{0x0304, 0x0102}) {
		t.Errorf("%x", v)
	}
	wantStatus(t, s.Fill(b.Addr()+2, 0, 1), StatusErrorInvalidArgument)
	wantStatus(t, s.Fill(b.Addr(), 0, 1<<40), StatusErrorInvalidAllocation)
	wantStatus(t, s.Copy(b.Addr(), 0, 8), StatusErrorInvalidAllocation)
	_, err = SliceAt[uint64](s, b.Addr()+1, 1)
	wantStatus(t, err, StatusErrorInvalidArgument)
	_, err = SliceAt[*int](s, b.Addr(), 1)
	wantStatus(t, err, StatusErrorInvalidArgument)
	_, err = SliceAt[uint64](s, b.Addr(), 1<<61)
	wantStatus(t, err, StatusErrorInvalidArgument)
	if err := b.Free(); err != nil {
		t.Error(err)
	}
	wantStatus(t, b.Free(), StatusErrorInvalidAllocation)
	_, err = s.View(b.Addr(), 1)
	wantStatus(t, err, StatusErrorInvalidAllocation)
	_, err = a.Allocate(1 << 40)
	wantStatus(t, err, StatusErrorOutOfResources)
	_, err = a.Allocate(0)
	wantStatus(t, err, StatusErrorInvalidArgument)
	for _, p := range a.Pools() {
		if p.Segment == SegmentGroup {
			_, err = p.Allocate(4)
			wantStatus(t, err, StatusErrorInvalidAllocation)
		}
	}
}

func TestAgentInfo(t *testing.T) {
	for id, want := range map[string]AgentInfo{
		"gfx90a":        {ISA: "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", WavefrontSize: 64, GroupSegmentMaxSize: 64 << 10, WorkgroupMaxSize: 1024},
		"gfx902":        {ISA: "amdgcn-amd-amdhsa--gfx902:xnack+", WavefrontSize: 64, GroupSegmentMaxSize: 64 << 10, WorkgroupMaxSize: 1024},
		"gfx906:xnack+": {ISA: "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack+", WavefrontSize: 64, GroupSegmentMaxSize: 64 << 10, WorkgroupMaxSize: 1024},
		"gfx1030":       {ISA: "amdgcn-amd-amdhsa--gfx1030", WavefrontSize: 32, GroupSegmentMaxSize: 64 << 10, WorkgroupMaxSize: 1024},
	} {
		_, a := testSystem(t, id, nil)
		got := a.Info()
		if got.ISA != want.ISA || got.WavefrontSize != want.WavefrontSize || got.GroupSegmentMaxSize != want.GroupSegmentMaxSize || got.WorkgroupMaxSize != want.WorkgroupMaxSize || got.Device != DeviceGPU {
			t.Errorf("%s: %+v", id, got)
		}
	}
	_, a := testSystem(t, "gfx90a", nil)
	if err := a.Compatible("amdgcn-amd-amdhsa--gfx90a:xnack-"); err != nil {
		t.Error(err)
	}
	wantStatus(t, a.Compatible("amdgcn-amd-amdhsa--gfx90a:xnack+"), StatusErrorIncompatibleArguments)
	wantStatus(t, a.Compatible("gfx90"), StatusErrorInvalidISAName)
	if i := a.System().Host().Info(); i.Device != DeviceCPU || i.ISA != "" {
		t.Errorf("host: %+v", i)
	}
}
