package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// kernelTest is a test kernel. text holds its instructions, to which s_endpgm
// is appended. Initially s[0:1] hold the kernarg address, s2, s3 and s4 the
// work-group ID, and v0 to v2 the work-item IDs (v0 alone if packed). The
// kernel may use 100 SGPRs, and v0 to v255 (on gfx1250 v0 to v1023, with AGPRs v0
// to v127 and a0 to a127).
type kernelTest struct {
	cpu, features string // such as "gfx90a" and "+xnack"; cpu defaults to gfx900
	text          string
	wave          int            // lanes per wave; 0 means 64
	group, grid   [3]int         // in work-items; 0 means one wave in x, one work-item in y and z, and one group
	dynamicVGPRs  bool           // the descriptor enables dynamic allocation of VGPRs
	cluster       [3]uint8       // work-groups of a cluster
	lds, private  uint32         // bytes of LDS per work-group and of scratch memory per work-item
	buffers       [][]byte       // each has its own region; the kernarg segment begins with their addresses
	fine          bool           // the buffers after the first are fine-grained memory
	kernarg       []byte         // appended to the buffer addresses
	directives    []string       // additional .amdhsa directives of the kernel
	options       device.Options // options of the device
	memory        *device.Memory // nil for a new memory
	setup         func(w *wave)  // sets registers before a wave runs; may be nil
}

// kernelResult holds the results of a kernel.
type kernelResult struct {
	buffers [][]byte
	waves   []*wave // of all groups, in dispatch order
	groups  []*group
	err     error // the fault
}

// v returns a VGPR of one lane of the first wave.
func (r *kernelResult) v(reg, lane int) uint32 {
	w := r.waves[0]
	return w.v[reg*w.lanes+lane]
}

// s returns an SGPR of the first wave.
func (r *kernelResult) s(reg int) uint32 { return r.waves[0].s[reg] }

// words returns a buffer's dwords.
func (r *kernelResult) words(buffer int) []uint32 {
	out := make([]uint32, len(r.buffers[buffer])/4)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(r.buffers[buffer][i*4:])
	}
	return out
}

// fault returns the fault that ended the kernel, or nil.
func (r *kernelResult) fault() *device.Fault {
	var f *device.Fault
	errors.As(r.err, &f)
	return f
}

// run assembles the kernel and runs it on one goroutine. A fault fails the
// test.
func (k kernelTest) run(t testing.TB) *kernelResult {
	t.Helper()
	r := k.try(t)
	if r.err != nil {
		t.Fatalf("%s: %v", k.cpu, r.err)
	}
	return r
}

// try is like run but returns the fault with the results. All groups take
// turns.
func (k kernelTest) try(t testing.TB) *kernelResult {
	t.Helper()
	d, p, r := k.load(t)
	return k.runOn(t, d, p, r)
}

// runOn runs a dispatch of the kernel and adds its results to r.
func (k *kernelTest) runOn(t testing.TB, d *Device, p *device.Dispatch, r *kernelResult) *kernelResult {
	t.Helper()
	l, err := d.newLaunch(p)
	if err != nil {
		r.err = err
		return r
	}
	defer l.close()
	stop := l.watch(context.Background())
	w := &worker{launch: l}
	if l.weak != nil {
		k.stepWeak(w, r)
		stop()
		l.endChecks()
		if l.fault != nil {
			l.describe(l.fault)
			r.err = l.fault
		}
		return r
	}
	for g := w.begin(); g != nil; g = w.begin() {
		if len(r.groups) >= maxResident {
			t.Fatalf("more than %d groups", maxResident)
		}
		r.groups = append(r.groups, g)
		for _, wave := range g.waves {
			if k.setup != nil && wave.stop != ended {
				k.setup(wave)
			}
			r.waves = append(r.waves, wave)
		}
	}
	rest := slices.Clone(r.groups)
	for len(rest) > 0 && !l.stop.Load() {
		rest = slices.DeleteFunc(rest, func(g *group) bool { return w.runGroup(g) })
	}
	stop()
	l.endChecks()
	if l.fault != nil {
		l.describe(l.fault)
		r.err = l.fault
	}
	return r
}

// stepWeak runs the kernel with weak memory. All groups take turns.
func (k *kernelTest) stepWeak(w *worker, r *kernelResult) {
	s := w.launch.weak
	s.worker, s.limit = w, maxResident
	s.admit()
	r.groups = slices.Clone(s.groups)
	for _, g := range r.groups {
		for _, wave := range g.waves {
			if k.setup != nil && wave.stop != ended {
				k.setup(wave)
			}
			r.waves = append(r.waves, wave)
		}
	}
	s.runGroups(w)
}

// dispatch runs the kernel with Device.Run on several goroutines. The result
// has no waves.
func (k kernelTest) dispatch(t testing.TB) (*kernelResult, *device.Stats) {
	t.Helper()
	d, p, r := k.load(t)
	s, err := d.Run(context.Background(), p)
	r.err = err
	return r, s
}

// load returns a device, a dispatch and a result with its memory.
func (k *kernelTest) load(t testing.TB) (*Device, *device.Dispatch, *kernelResult) {
	t.Helper()
	k.defaults()
	if strings.HasPrefix(k.cpu, "gfx1") {
		k.features = strings.TrimPrefix(fmt.Sprintf("%s,+wavefrontsize%d", k.features, k.wave), ",")
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", k.cpu, k.features)
	if err != nil {
		t.Fatal(err)
	}
	m := k.memory
	d, err := New(tgt, m, k.options)
	if err != nil {
		t.Fatal(err)
	}
	code, desc := k.assemble(t, tgt)
	region := alloc(t, m, code, "code")
	region.Code = true
	desc.KernelCodeEntryByteOffset = 256
	if f, missing := codeobject.LookupDescriptorField(tgt, "ENABLE_DYNAMIC_VGPR"); k.dynamicVGPRs && missing == "" {
		f.SetBits(&desc, 1)
	}
	copy(region.Pages(), desc.Append(nil))
	args := []byte{}
	r := &kernelResult{}
	for i, b := range k.buffers {
		buf := alloc(t, m, b, fmt.Sprint("buffer ", i))
		buf.FineGrained = k.fine && i > 0
		args = binary.LittleEndian.AppendUint64(args, buf.Addr)
		r.buffers = append(r.buffers, buf.Bytes())
	}
	p := &device.Dispatch{Name: "test", KernelObject: region.Addr, Kernarg: alloc(t, m, append(args, k.kernarg...), "kernarg").Addr,
		LDSSize: k.lds, PrivateSize: k.private, ClusterSize: k.cluster}
	for i := range 3 {
		p.GroupSize[i], p.GridSize[i] = uint16(k.group[i]), uint32(k.grid[i])
	}
	return d, p, r
}

func alloc(t testing.TB, m *device.Memory, b []byte, name string) *device.Region {
	t.Helper()
	r, err := m.Alloc(uint64(len(b)), 0, name)
	if err != nil {
		t.Fatal(err)
	}
	copy(r.Pages(), b)
	return r
}

func (k *kernelTest) defaults() {
	if k.cpu == "" {
		k.cpu = "gfx900"
	}
	if k.wave == 0 {
		k.wave = 64
	}
	if k.memory == nil {
		k.memory = device.NewMemory(0)
	}
	for i, n := range [3]int{k.wave, 1, 1} {
		if k.group[i] == 0 {
			k.group[i] = n
		}
		if k.grid[i] == 0 {
			k.grid[i] = k.group[i]
		}
	}
}

// assemble returns the code at byte offset 256, preceded by space for the
// descriptor, and the descriptor.
func (k *kernelTest) assemble(t testing.TB, tgt *target.Target) ([]byte, codeobject.KernelDescriptor) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, ".text\n.p2align 8\ntest:\n%s\ns_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel test\n", k.text)
	directives := []string{".amdhsa_next_free_vgpr 256", ".amdhsa_next_free_sgpr 100", ".amdhsa_user_sgpr_kernarg_segment_ptr 1",
		".amdhsa_system_sgpr_workgroup_id_y 1", ".amdhsa_system_sgpr_workgroup_id_z 1", ".amdhsa_system_vgpr_workitem_id 2"}
	set, _ := isa.SetOf(tgt.Processor)
	switch g := set.Gen(); {
	case g == isa.Gen90A || g == isa.Gen940:
		directives = append(directives, ".amdhsa_accum_offset 128")
	case set.Has(isa.PropVgprs1024) && k.wave == 32:
		directives[0] = ".amdhsa_next_free_vgpr 1024"
		fallthrough
	case g >= isa.Gen10:
		directives = append(directives, fmt.Sprintf(".amdhsa_wavefront_size32 %d", 64/k.wave-1))
	}
	directives = slices.DeleteFunc(directives, func(d string) bool { // the kernel's own directives replace the usual ones
		name, _, _ := strings.Cut(d, " ")
		return slices.ContainsFunc(k.directives, func(own string) bool { return strings.HasPrefix(own, name+" ") })
	})
	b.WriteString(strings.Join(append(directives, k.directives...), "\n") + "\n.end_amdhsa_kernel\n")
	res, list := asm.Assemble(&diag.Source{Name: "test.s", Text: []byte(b.String())}, asm.Options{Target: tgt})
	if err := list.Err(); err != nil {
		t.Fatalf("%s: %v", k.cpu, err)
	}
	o, err := codeobject.Read(res.Object)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := codeobject.DecodeKernelDescriptor(o.Section(".rodata").Data)
	if err != nil {
		t.Fatal(err)
	}
	return append(make([]byte, 256), o.Section(".text").Data...), desc
}

// dwords returns v as little-endian bytes.
func dwords(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

// testCPUs lists one processor of each generation.
var testCPUs = []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100"}

// forWaves calls f for each processor and each of its wave sizes.
func forWaves(t *testing.T, cpus []string, f func(t *testing.T, cpu string, wave int)) {
	for _, cpu := range cpus {
		for _, wave := range []int{64, 32} {
			if wave == 64 || strings.HasPrefix(cpu, "gfx1") {
				t.Run(fmt.Sprintf("%s-w%d", cpu, wave), func(t *testing.T) { f(t, cpu, wave) })
			}
		}
	}
}

func TestHarness(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		k := kernelTest{cpu: cpu, wave: lanes, text: "s_getpc_b64 s[10:11]\ns_nop 0\n", grid: [3]int{2*lanes + 1, 1, 3},
			buffers: [][]byte{dwords(1, 2, 3)}, setup: func(w *wave) { w.s[20] = uint32(w.index) + 7 }}
		r := k.run(t)
		if len(r.waves) != 9 || r.s(20) != 7 || r.words(0)[2] != 3 {
			t.Errorf("%d waves, s20 = %d, buffer %v", len(r.waves), r.s(20), r.words(0))
		}
		if w := r.waves[2]; w.exec() != 1 || w.s[2] != 2 || w.v[0] != 0 {
			t.Errorf("wave 2: exec %#x, s2 = %d, v0 = %d", w.exec(), w.s[2], w.v[0])
		}
		k.text = "s_trap 2"
		if f := k.try(t).fault(); f == nil || f.Kind != device.FaultTrap {
			t.Errorf("fault %v", f)
		}
	})
}
