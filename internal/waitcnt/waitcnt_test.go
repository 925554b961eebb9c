package waitcnt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestCounters compares the counters of each set with the instructions that wait
// for them.
func TestCounters(t *testing.T) {
	for s := range isa.Set(isa.NumSets) {
		waits := [NumCounters]bool{}
		for e := range isa.Enc(isa.NumEncs()) {
			if !e.Sets().Has(s) || e.Kinds().Any(isa.KindWaitIdle) {
				continue
			}
			for c, k := range waitKinds {
				waits[c] = waits[c] || e.Kinds().Any(k)
			}
		}
		for c := range NumCounters {
			if has := Max(s, c) != 0; has != (Name(s, c) != "") || has && !waits[c] {
				t.Errorf("%s: counter %d has the maximum %d and the name %q; an instruction waits for it: %v", s, c, Max(s, c), Name(s, c), waits[c])
			}
		}
	}
}

// eventsOf returns the events of the first encoding of an instruction on a set.
func eventsOf(t *testing.T, s isa.Set, name string, change func(in *isa.Inst)) string {
	t.Helper()
	wave := s.WaveSizes()[0]
	for e, end := isa.EncsNamed(name); e < end; e++ {
		in, ok := isa.Sample(e, s, wave)
		if !ok {
			continue
		}
		if change != nil {
			change(&in)
		}
		o := OpOf(&in)
		list, n := o.Events(s)
		var text []string
		for _, e := range list[:n] {
			text = append(text, fmt.Sprintf("%s/%d", Name(s, e.Counter), e.Stream))
		}
		if o.Flat() {
			text = append(text, "flat")
		}
		return strings.Join(text, " ")
	}
	t.Fatalf("%s has no %s", s, name)
	return ""
}

func TestEvents(t *testing.T) {
	field := func(f isa.Field, v uint32) func(in *isa.Inst) {
		return func(in *isa.Inst) { in.SetField(f, v) }
	}
	for _, x := range []struct {
		set    isa.Set
		name   string
		change func(in *isa.Inst)
		want   string
	}{
		{isa.GFX600, "buffer_store_dword", nil, fmt.Sprintf("vmcnt/%d expcnt/%d", Vector, Vector)},
		{isa.GFX700, "buffer_store_dword", nil, fmt.Sprintf("vmcnt/%d", Vector)},
		{isa.GFX900, "flat_load_dword", nil, fmt.Sprintf("vmcnt/%d lgkmcnt/%d flat", Vector, Local)},
		{isa.GFX900, "global_store_dword", nil, fmt.Sprintf("vmcnt/%d", Vector)},
		{isa.GFX900, "s_load_dword", nil, fmt.Sprintf("lgkmcnt/%d", ScalarMemory)},
		{isa.GFX900, "s_sendmsg", nil, fmt.Sprintf("lgkmcnt/%d", Message)},
		{isa.GFX900, "ds_read_b32", nil, fmt.Sprintf("lgkmcnt/%d", Local)},
		{isa.GFX900, "ds_read_b32", field(isa.FieldGds, 1), fmt.Sprintf("lgkmcnt/%d expcnt/%d", GlobalShare, GlobalShare)},
		{isa.GFX900, "ds_gws_init", nil, fmt.Sprintf("lgkmcnt/%d expcnt/%d", GlobalShare, GlobalShare)},
		{isa.GFX900, "ds_permute_b32", nil, fmt.Sprintf("lgkmcnt/%d", Local)},
		{isa.GFX900, "image_load", nil, fmt.Sprintf("vmcnt/%d", Vector)},
		{isa.GFX900, "image_sample", nil, fmt.Sprintf("vmcnt/%d", Sampler)},
		{isa.GFX900, "exp", field(isa.FieldTgt, 0), fmt.Sprintf("expcnt/%d", Color)},
		{isa.GFX900, "exp", field(isa.FieldTgt, 12), fmt.Sprintf("expcnt/%d", Position)},
		{isa.GFX900, "exp", field(isa.FieldTgt, 32), fmt.Sprintf("expcnt/%d", Parameter)},
		{isa.GFX900, "v_mov_b32", nil, ""},
		{isa.GFX1030, "global_store_dword", nil, fmt.Sprintf("vscnt/%d", Vector)},
		{isa.GFX1030, "global_load_dword", nil, fmt.Sprintf("vmcnt/%d", Vector)},
		{isa.GFX1030, "global_atomic_add", field(isa.FieldGlc, 1), fmt.Sprintf("vmcnt/%d", Vector)},
		{isa.GFX1030, "global_atomic_add", field(isa.FieldGlc, 0), fmt.Sprintf("vscnt/%d", Vector)},
		{isa.GFX1030, "buffer_gl0_inv", nil, fmt.Sprintf("vmcnt/%d", Vector)},
		{isa.GFX1100, "lds_direct_load", nil, fmt.Sprintf("expcnt/%d", Direct)},
		{isa.GFX1200, "s_load_b32", nil, fmt.Sprintf("kmcnt/%d", ScalarMemory)},
		{isa.GFX1200, "s_barrier_leave", nil, fmt.Sprintf("kmcnt/%d", Message)},
		{isa.GFX1200, "ds_load_b32", nil, fmt.Sprintf("dscnt/%d", Local)},
		{isa.GFX1200, "flat_load_b32", nil, fmt.Sprintf("loadcnt/%d dscnt/%d flat", Vector, Local)},
		{isa.GFX1200, "global_store_b32", nil, fmt.Sprintf("storecnt/%d", Vector)},
		{isa.GFX1200, "global_wb", nil, fmt.Sprintf("storecnt/%d", Vector)},
		{isa.GFX1200, "global_wbinv", nil, fmt.Sprintf("storecnt/%d", Vector)},
		{isa.GFX1200, "global_inv", nil, fmt.Sprintf("loadcnt/%d", Vector)},
		{isa.GFX1200, "image_load", nil, fmt.Sprintf("loadcnt/%d", Vector)},
		{isa.GFX1200, "image_sample", nil, fmt.Sprintf("samplecnt/%d", Sampler)},
		{isa.GFX1200, "image_msaa_load", nil, fmt.Sprintf("samplecnt/%d", Sampler)},
		{isa.GFX1200, "image_bvh_intersect_ray", nil, fmt.Sprintf("bvhcnt/%d", RayTracing)},
		{isa.GFX1200, "s_prefetch_data", nil, ""},
		{isa.GFX1250, "s_load_b32", nil, fmt.Sprintf("kmcnt/%d xcnt/%d", ScalarMemory, ScalarMemory)},
		{isa.GFX1250, "global_load_b32", nil, fmt.Sprintf("loadcnt/%d xcnt/%d", Vector, Vector)},
		{isa.GFX1250, "global_inv", nil, fmt.Sprintf("loadcnt/%d", Vector)},
		{isa.GFX1250, "global_load_async_to_lds_b32", nil, fmt.Sprintf("asynccnt/%d xcnt/%d", AsyncCopy, Vector)},
		{isa.GFX1250, "ds_atomic_async_barrier_arrive_b64", nil, fmt.Sprintf("asynccnt/%d", AsyncCopy)},
		{isa.GFX1250, "tensor_load_to_lds", nil, fmt.Sprintf("tensorcnt/%d", TensorCopy)},
	} {
		if got := eventsOf(t, x.set, x.name, x.change); got != x.want {
			t.Errorf("%s: %s: %s, want %s", x.set, x.name, got, x.want)
		}
	}
}

// waitOf returns the wait of an instruction with operand v and no register.
func waitOf(t *testing.T, s isa.Set, name string, v uint32) Wait {
	t.Helper()
	for e, end := isa.EncsNamed(name); e < end; e++ {
		if in, ok := isa.Sample(e, s, s.WaveSizes()[0]); ok {
			in.SetField(isa.FieldSimm16, v)
			if e.Form() == isa.SOPK {
				in.SetField(isa.FieldSdst, uint32(reguse.NullCode(s)))
			}
			w, waits := Of(&in)
			if !waits {
				t.Fatalf("%s does not wait", name)
			}
			return w
		}
	}
	t.Fatalf("%s has no %s", s, name)
	return Wait{}
}

func TestWaits(t *testing.T) {
	limits := func(set func(l *Limits)) Limits {
		l := NoLimits()
		set(&l)
		return l
	}
	for _, x := range []struct {
		set  isa.Set
		name string
		v    uint32
		want Limits
	}{
		{isa.GFX900, "s_waitcnt", 0x0f70, limits(func(l *Limits) { l[Load] = 0 })},
		{isa.GFX900, "s_waitcnt", 0xc17f, limits(func(l *Limits) { l[LDS] = 1 })},
		{isa.GFX900, "s_waitcnt", isa.WaitcntDefault(isa.GFX900), NoLimits()},
		{isa.GFX1030, "s_waitcnt_vscnt", 3, limits(func(l *Limits) { l[Store] = 3 })},
		{isa.GFX1030, "s_waitcnt_vscnt", 255, NoLimits()},
		{isa.GFX1030, "s_wait_idle", 0, limits(func(l *Limits) { l[Load], l[Store], l[LDS], l[Export] = 0, 0, 0, 0 })},
		{isa.GFX1200, "s_wait_kmcnt", 0, limits(func(l *Limits) { l[Scalar] = 0 })},
		{isa.GFX1200, "s_wait_bvhcnt", 2, limits(func(l *Limits) { l[BVH] = 2 })},
		{isa.GFX1200, "s_wait_loadcnt_dscnt", uint32(Pair(5, 7)), limits(func(l *Limits) { l[Load], l[LDS] = 5, 7 })},
		{isa.GFX1200, "s_wait_storecnt_dscnt", uint32(Pair(5, 7)), limits(func(l *Limits) { l[Store], l[LDS] = 5, 7 })},
		{isa.GFX1250, "s_wait_tensorcnt", 1, limits(func(l *Limits) { l[Tensor] = 1 })},
	} {
		if w := waitOf(t, x.set, x.name, x.v); w.Limits != x.want || w.SGPR != -1 {
			t.Errorf("%s: %s %#x waits for %v and register %d, want %v", x.set, x.name, x.v, w.Limits, w.SGPR, x.want)
		}
	}
}

func TestWaitForRegister(t *testing.T) {
	e, _ := isa.EncsNamed("s_waitcnt_vmcnt")
	in := isa.New(e, isa.GFX1030, 64)
	in.SetField(isa.FieldSdst, 5)
	if w, ok := Of(&in); !ok || w.SGPR != 5 || w.Limits[Load] != 0 {
		t.Errorf("waits for %v and register %d", w.Limits, w.SGPR)
	}
}

// TestPacked encodes and decodes all limits of a counter in s_waitcnt.
func TestPacked(t *testing.T) {
	for _, s := range []isa.Set{isa.GFX600, isa.GFX900, isa.GFX1030, isa.GFX1100} {
		for _, p := range packed {
			for n := range int16(Max(s, p.counter)) {
				l := NoLimits()
				l[p.counter] = n
				v, waits := Packed(s, &l)
				if got, _ := Decode(s, isa.KindWait|isa.KindWaitPacked, v); got != l || !waits {
					t.Errorf("%s: %v is encoded as %#x, which is %v", s, l, v, got)
				}
			}
		}
		if l := NoLimits(); l.Any() {
			t.Error("no limits are limits")
		} else if _, waits := Packed(s, &l); waits {
			t.Errorf("%s: no limits wait", s)
		}
	}
}

func TestAdd(t *testing.T) {
	a, b := NoLimits(), NoLimits()
	a[Load], a[LDS], b[Load], b[Store] = 3, 1, 2, 4
	a.Add(&b)
	want := NoLimits()
	want[Load], want[LDS], want[Store] = 2, 1, 4
	if a != want {
		t.Errorf("%v, want %v", a, want)
	}
}
