package hsa

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
)

// faultCase is a faulting kernel. Its argument is a buffer of one page.
type faultCase struct {
	name       string
	text       string
	directives string
	private    int
	raw        bool
	group      uint16 // 0 means 64
	skip       string // processors without the feature
	options    device.Options
	status     Status
	kind       device.FaultKind
	words      []string // expected words in the report
}

// loadArg puts the address of the buffer into s[10:11] and v[2:3].
const loadArg = `
	s_load_dwordx2 s[10:11], s[4:5], 0x0
	wait
	vaddr 2, 3, 10, 11
`

var faultCases = []faultCase{
	{name: "unmapped load", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"4-byte load at unmapped address 0x12345678", "k+0x", "flat_load", "lane 0"},
		text: "v_mov_b32_e32 v2, 0x12345678\nv_mov_b32_e32 v3, 0\nflat_load_dword v4, v[2:3]"},
	{name: "unmapped store", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"8-byte store at unmapped address 0x10"},
		text: "v_mov_b32_e32 v2, 16\nv_mov_b32_e32 v3, 0\nflat_store_dwordx2 v[2:3], v[4:5]"},
	{name: "unmapped scalar load", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"0x40", "s_load"},
		text: "s_mov_b64 s[10:11], 0\ns_load_dwordx4 s[12:15], s[10:11], 0x40"},
	{name: "past a buffer", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"4-byte store", "lane 16"},
		text: loadArg + "v_lshlrev_b32_e32 v1, 8, v0\nlaneaddr 4, 5, 10, 11, 1\nflat_store_dword v[4:5], v0"},
	{name: "misaligned atomic", status: StatusErrorMemoryApertureViolation, kind: device.FaultAlignment, words: []string{"4-byte atomic"},
		text: loadArg + "v_or_b32_e32 v2, 2, v2\nflat_atomic_add v[2:3], v0"},
	{name: "scratch overrun", private: 64, status: StatusErrorMemoryFault, kind: device.FaultStack, words: []string{"offset 0x40", "64 bytes"},
		text: "SCRATCH\ns_load_dword s14, s[2:3], 0x44\nwait\nv_mov_b32_e32 v3, s14\nv_mov_b32_e32 v2, 0x40\nflat_store_dword v[2:3], v0"},
	{name: "illegal instruction", status: StatusErrorIllegalInstruction, kind: device.FaultIllegal, words: []string{"invalid encoding for", "k+0x4"},
		text: "s_nop 0\n.long 0xbfffffff"},
	{name: "compressed image", skip: "gfx90a gfx942", status: StatusErrorNotSupported, kind: device.FaultUnsupported, words: []string{"images with compression metadata (DCC) are not simulated"},
		text: "s_mov_b32 s17, 0x100000\ns_mov_b32 s19, 0x80000000\ns_mov_b32 s22, 0x200000\n.if ARCH >= 10\nimage_load v4, v0, s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_1D\n.else\nimage_load v4, v0, s[16:23] dmask:0x1\n.endif"},
	{name: "llvm.trap", status: StatusErrorException, kind: device.FaultTrap, words: []string{"s_trap 2", "llvm.trap"}, text: "s_trap 2"},
	{name: "breakpoint", status: StatusErrorException, kind: device.FaultTrap, words: []string{"s_trap 1", "breakpoint"}, text: "s_trap 1"},
	{name: "other trap", status: StatusErrorException, kind: device.FaultTrap, words: []string{"s_trap 85"}, text: "s_trap 0x55"},
	{name: "halt", status: StatusErrorException, kind: device.FaultTrap, words: []string{"s_sethalt"}, text: "s_sethalt 1"},
	{name: "no end", raw: true, status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"instruction fetch", "no code"}, text: "v_mov_b32_e32 v1, v0"},
	{name: "jump to nowhere", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"jump to unmapped address 0x1000", "s_setpc_b64"},
		text: "s_mov_b64 s[10:11], 0x1000\ns_setpc_b64 s[10:11]"},
	{name: "jump to data", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"instruction fetch", "in page", "no code"},
		text: loadArg + "s_setpc_b64 s[10:11]"},
	{name: "jump to a descriptor", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"instruction fetch", "in code test", "no code"},
		text: "s_load_dwordx2 s[10:11], s[0:1], 0x20\nwait\ns_setpc_b64 s[10:11]"},
	{name: "jump between instructions", status: StatusErrorMemoryApertureViolation, kind: device.FaultAlignment, words: []string{"jump to"},
		text: "s_getpc_b64 s[10:11]\ns_add_u32 s10, s10, 2\ns_setpc_b64 s[10:11]"},
	{name: "branch out of the code", status: StatusErrorMemoryFault, kind: device.FaultMemory, words: []string{"instruction fetch outside"}, text: "s_branch -30000"},
	{name: "endless loop", options: device.Options{Timeout: 30 * time.Millisecond}, status: StatusError, kind: device.FaultTimeout, words: []string{"30ms", "k+0x", "s_branch", "wave 0"},
		text: "s_nop 0\nagain: s_branch again"},
	{name: "waves that wait for each other", options: device.Options{Timeout: 30 * time.Millisecond}, group: 128, status: StatusError, kind: device.FaultTimeout, words: []string{"30ms"},
		text: "v_readfirstlane_b32 s10, v0\ns_cmp_eq_u32 s10, 0\ns_cbranch_scc1 again\ns_barrier\ns_endpgm\nagain: s_sleep 1\ns_branch again"},
	{name: "division by zero", directives: ".amdhsa_exception_fp_ieee_div_zero 1", status: StatusErrorException, kind: device.FaultException, words: []string{"division by zero", "v_rcp_f32"},
		text: "v_mov_b32_e32 v1, 0\nv_rcp_f32_e32 v2, v1"},
	{name: "invalid operation", directives: ".amdhsa_exception_fp_ieee_invalid_op 1", status: StatusErrorException, kind: device.FaultException, words: []string{"invalid operation", "v_sqrt_f32"},
		text: "v_mov_b32_e32 v1, -1.0\nv_sqrt_f32_e32 v2, v1"},
	{name: "overflow", directives: ".amdhsa_exception_fp_ieee_overflow 1", status: StatusErrorException, kind: device.FaultException, words: []string{"overflow", "v_mul_f32"},
		text: "v_mov_b32_e32 v1, 0x7f000000\nv_mul_f32_e32 v2, v1, v1"},
	{name: "inexact", directives: ".amdhsa_exception_fp_ieee_inexact 1", status: StatusErrorException, kind: device.FaultException, words: []string{"inexact", "v_add_f32"},
		text: "v_mov_b32_e32 v1, 0x33000001\nv_add_f32_e32 v2, 1.0, v1"},
	{name: "integer division by zero", directives: ".amdhsa_exception_int_div_zero 1", status: StatusErrorException, kind: device.FaultException, words: []string{"integer division by zero", "v_rcp_iflag_f32"},
		text: "v_mov_b32_e32 v1, 0\nv_rcp_iflag_f32_e32 v2, v1"},
	{name: "panic", options: device.Options{Progress: func(uint64, uint64) { panic("the writer is gone") }}, status: StatusErrorFatal, kind: device.FaultBug,
		words: []string{"BUG: the writer is gone at hsa.init", "faults_test.go"}, text: "s_nop 0"},
}

// source returns the kernel of a case for a processor.
func (c *faultCase) source(a *Agent) simKernel {
	setup, directives := "", c.directives
	if strings.Contains(c.text, "SCRATCH") {
		setup, directives = scratchSetup(a)
	}
	text := fmt.Sprintf(".set ARCH, %d\n%s", a.t.Processor.Version.Major, strings.Replace(c.text, "SCRATCH", setup, 1))
	return simKernel{args: "pointer", text: text, directives: directives, private: c.private, raw: c.raw}
}

// TestKernelFaults checks that a faulting kernel makes its queue inactive with
// a report, that the callback and all waiters receive the error, and that other
// queues continue.
func TestKernelFaults(t *testing.T) {
	for _, id := range processors {
		for _, c := range faultCases {
			if strings.Contains(c.skip, id) {
				continue
			}
			t.Run(id+"/"+strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) { c.run(t, id) })
		}
	}
}

func (c *faultCase) run(t *testing.T, id string) {
	s, a := simSystem(t, id, c.options)
	kernel := c.source(a).load(t, a)
	page, err := a.pools[0].AllocateNamed(4096, "page")
	if err != nil {
		t.Fatal(err)
	}
	var told []error
	q := newQueue(t, a, QueueOptions{Callback: func(_ *Queue, err error) { told = append(told, err) }})
	done, group := newSignal(t, s, 1), max(c.group, 64)
	args, err := kernel.NewArgs(page)
	if err != nil {
		t.Fatal(err)
	}
	d, err := q.Enqueue(ctxOf(t), kernel, Grid{Size: [3]uint32{uint32(group)}, Group: [3]uint16{group}}, args)
	if err != nil {
		t.Fatal(err)
	}
	other := newQueue(t, a, QueueOptions{})
	barrier := &BarrierPacket{Header: Header(PacketBarrierAnd, true, 0, 0), CompletionSignal: done.Handle()}
	q.WritePacket(q.AddWriteIndex(1, Relaxed), barrier) // the queue may already be inactive
	q.Doorbell().Store(1, Screlease)
	_, err = d.Wait(ctxOf(t))
	wantStatus(t, err, c.status, append([]string{"kernel k", "queue 0, packet 0"}, c.words...)...)
	var f *device.Fault
	if !errors.As(err, &f) || f.Kind != c.kind {
		t.Errorf("fault %+v", f)
	}
	<-q.Inactive()
	if len(told) != 1 || told[0] != q.Err() || !errors.Is(err, q.Err()) {
		t.Errorf("callback %v, queue %v, dispatch %v", told, q.Err(), err)
	}
	if v := q.inactive.Load(Relaxed); v != inactiveValue(c.status) {
		t.Errorf("inactive signal %#x", v)
	}
	if _, err := q.Submit(ctxOf(t), barrier); err == nil {
		t.Error("the queue takes packets")
	}
	_, err = done.Wait(ctxOf(t), ConditionEQ, 0)
	wantStatus(t, err, c.status)
	done = newSignal(t, s, 1)
	barrier.CompletionSignal = done.Handle()
	if _, err := other.Submit(ctxOf(t), barrier); err != nil {
		t.Error(err)
	}
	if _, err := done.Wait(ctxOf(t), ConditionEQ, 0); err != nil {
		t.Errorf("other queue: %v", err)
	}
}

// TestNoFaults checks correct kernels that resemble faulty ones.
func TestNoFaults(t *testing.T) {
	for name, k := range map[string]simKernel{
		"debugtrap":                {text: "s_trap 3"},
		"division by zero":         {text: "v_mov_b32_e32 v1, 0\nv_rcp_f32_e32 v2, v1"},
		"integer division by zero": {text: "v_mov_b32_e32 v1, 0\nv_rcp_iflag_f32_e32 v2, v1"},
		"another exception":        {text: "v_mov_b32_e32 v1, 0\nv_rcp_f32_e32 v2, v1", directives: ".amdhsa_exception_fp_ieee_overflow 1"},
		"inactive lanes":           {text: "s_mov_b64 exec, 0\nv_mov_b32_e32 v2, 16\nflat_load_dword v4, v[2:3]"},
		"unaligned load":           {args: "pointer", text: loadArg + "v_or_b32_e32 v2, 1, v2\nflat_load_dword v4, v[2:3]"},
		"no metadata":              {text: "s_nop 0"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			onAll(t, func(t *testing.T, s *System, a *Agent) {
				var values []any
				if k.args != "" {
					values = append(values, fineBuffer(t, s, 64))
				}
				k.must(t, a, oneGroup(100), values...)
			})
		})
	}
}

// TestRegistersFit checks that a work-group is rejected if a compute unit has
// too few registers for it, and runs otherwise.
func TestRegistersFit(t *testing.T) {
	for _, c := range []struct {
		id, text string
		most     uint16 // maximum number of work-items per work-group
	}{
		{"gfx803", ".amdhsa_next_free_vgpr 256", 256},
		{"gfx900", ".amdhsa_next_free_vgpr 85", 512}, // 88 are allocated
		{"gfx900", ".amdhsa_next_free_vgpr 84", 768},
		{"gfx900", ".amdhsa_next_free_vgpr 32", 1024},
		{"gfx90a", ".amdhsa_next_free_vgpr 512\n.amdhsa_accum_offset 256", 256},
		{"gfx90a", ".amdhsa_next_free_vgpr 256\n.amdhsa_accum_offset 128", 512},
		{"gfx1030", ".amdhsa_next_free_vgpr 256", 512}, // wave32, on both CUs of a WGP
		{"gfx1030", ".amdhsa_next_free_vgpr 256\n.amdhsa_workgroup_processor_mode 0", 256},
	} {
		_, a := simSystem(t, c.id, device.Options{})
		text := (&simKernel{}).source(a)
		text = strings.Replace(text, ".amdhsa_next_free_vgpr 64\n", c.text+"\n", 1)
		if strings.Contains(c.text, "accum_offset") {
			text = strings.Replace(text, "\n.amdhsa_accum_offset 64", "", 1)
		}
		k, err := load(t, a, build(t, c.id, text, 0)).Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		q := newQueue(t, a, QueueOptions{})
		if _, err := q.Dispatch(ctxOf(t), k, oneGroup(c.most)); err != nil {
			t.Errorf("%s, %s: %v", c.id, c.text, err)
		}
		if c.most == 1024 {
			continue
		}
		_, err = q.Dispatch(ctxOf(t), k, oneGroup(c.most+1))
		wantStatus(t, err, StatusErrorInvalidISA, "does not fit a compute unit", "VGPRs")
		if v := q.inactive.Load(Relaxed); v != 128 {
			t.Errorf("inactive signal %d", v)
		}
	}
}

// TestKernargAddress checks that an invalid kernarg address is reported when
// the kernel reads it.
func TestKernargAddress(t *testing.T) {
	k := simKernel{args: "pointer", text: loadArg}
	onAll(t, func(t *testing.T, s *System, a *Agent) {
		kernel := k.load(t, a)
		for _, addr := range []uint64{0, 0xdead0000, 1<<64 - 16} {
			q, done := newQueue(t, a, QueueOptions{}), newSignal(t, s, 1)
			p := dispatchPacket(kernel, done)
			p.KernargAddress = addr
			if _, err := q.Submit(ctxOf(t), p); err != nil {
				t.Fatal(err)
			}
			_, err := done.Wait(ctxOf(t), ConditionEQ, 0)
			wantStatus(t, err, StatusErrorMemoryFault, "8-byte scalar load", "unmapped")
		}
	})
}

// TestNoRoom checks that a failed allocation of scratch memory is reported as
// such, and that dispatches with smaller requirements run.
func TestNoRoom(t *testing.T) {
	_, a := simSystem(t, "gfx900", device.Options{Workers: 4})
	k := simKernel{text: "s_nop 0"}
	q := newQueue(t, a, QueueOptions{})
	g := Grid{Size: [3]uint32{1 << 16}, Group: [3]uint16{1024}, Private: 8 << 10} // 8 MiB per work-group
	if _, err := q.Dispatch(ctxOf(t), k.load(t, a), g); err != nil {
		t.Error(err)
	}
	if _, err := a.Allocate(128 << 20); err != nil {
		t.Fatal(err)
	}
	g.Private = 120 << 10
	_, err := q.Dispatch(ctxOf(t), k.load(t, a), g)
	wantStatus(t, err, StatusErrorOutOfResources, "scratch memory", "out of memory")
}

// TestAbsentArgument checks that the report for a kernel that uses an
// unsupported hidden buffer names the buffer.
func TestAbsentArgument(t *testing.T) {
	s, a := simSystem(t, "gfx900", device.Options{})
	k := simKernel{version: 5, args: "pointer hostcall_buffer:8 heap_v1:8", text: `
		s_load_dwordx2 s[10:11], s[4:5], 0x8
		wait
		s_load_dwordx2 s[12:13], s[10:11], 0x18`}
	b := fineBuffer(t, s, 64)
	_, err := k.run(t, a, oneGroup(1), b)
	wantStatus(t, err, StatusErrorMemoryFault, "0x18", "hidden_hostcall_buffer (hostcalls)", "hidden_heap_v1")
	k.must(t, a, Grid{Size: [3]uint32{1}, Hidden: map[string]uint64{"hidden_hostcall_buffer": b.Addr()}}, b)
}
