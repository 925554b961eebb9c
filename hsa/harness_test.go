package hsa

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/target"
)

// processors lists the processors on which kernels are tested: one for each
// variant of the initial kernel state.
var processors = []string{"gfx803", "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100"}

// simKernel is a test kernel for the simulator. text holds its instructions, to
// which s_endpgm is appended. Initially s[0:1] hold the packet address, s[2:3]
// the queue, s[4:5] the arguments, s[6:7] the dispatch ID, s8 the work-group ID
// and v0 the work-item ID.
type simKernel struct {
	text       string
	args       string // argument metadata, one word each: pointer, int, lds, or a hidden argument kind with its size
	directives string // additional .amdhsa_kernel directives
	data       string // additional sections
	version    int    // code object version; 0 means the default
	lds        int    // bytes
	private    int
	kernarg    int // bytes; 0 means the size of args
	raw        bool
}

// macros returns assembler macros that hide differences between processors:
// vaddr copies an address from SGPRs to VGPRs, laneaddr adds a VGPR offset to
// it, and put stores an SGPR there and advances the address by 4.
func macros(a *Agent) string {
	carry := "vcc"
	if a.t.WaveSize() == 32 {
		carry = "vcc_lo"
	}
	add := "v_add_co_u32"
	if a.t.Processor.Version.Major == 8 {
		add = "v_add_u32"
	}
	addc := "v_addc_co_u32"
	switch major := a.t.Processor.Version.Major; {
	case major == 8:
		addc = "v_addc_u32"
	case major >= 10:
		addc = "v_add_co_ci_u32"
	}
	return strings.NewReplacer("ADDC", addc, "ADD", add, "CARRY", carry).Replace(`
	.macro vaddr lo, hi, slo, shi
		v_mov_b32_e32 v\lo, s\slo
		v_mov_b32_e32 v\hi, s\shi
	.endm
	.macro laneaddr lo, hi, slo, shi, voff
		v_mov_b32_e32 v\hi, s\shi
		ADD v\lo, CARRY, s\slo, v\voff
		ADDC v\hi, CARRY, 0, v\hi, CARRY
	.endm
	.macro put lo, hi, sgpr
		vaddr 60, 61, \lo, \hi
		v_mov_b32_e32 v62, s\sgpr
		flat_store_dword v[60:61], v62
		s_add_u32 s\lo, s\lo, 4
		s_addc_u32 s\hi, s\hi, 0
	.endm
	.macro wait
		s_waitcnt vmcnt(0) & lgkmcnt(0)
	.endm
`)
}

// argMetadata returns the metadata of arguments and the size of their segment.
func argMetadata(args string) (text string, size int) {
	for i, word := range strings.Fields(args) {
		kind, bytes, _ := strings.Cut(word, ":")
		n, more := 4, ""
		switch kind {
		case "pointer":
			n, kind, more = 8, "global_buffer", ", .address_space: global"
		case "int":
			kind = "by_value"
		case "long":
			n, kind = 8, "by_value"
		case "lds":
			kind, more = "dynamic_shared_pointer", ", .address_space: local, .pointee_align: 4"
		default:
			fmt.Sscan(bytes, &n)
			kind = "hidden_" + kind
		}
		size = (size + n - 1) / n * n
		text += fmt.Sprintf("      - {.name: a%d, .offset: %d, .size: %d, .value_kind: %s%s}\n", i, size, n, kind, more)
		size += n
	}
	return text, size
}

// source returns the kernel's assembler source for a processor.
func (k *simKernel) source(a *Agent) string {
	args, size := argMetadata(k.args)
	if k.kernarg > 0 {
		size = k.kernarg
	}
	directives := k.directives
	if a.t.Processor.Is(target.GFX90A) {
		directives += "\n.amdhsa_accum_offset 64"
	}
	end := "\ts_endpgm\n"
	if k.raw {
		end = ""
	}
	if args != "" {
		args = "    .args:\n" + args
	}
	wave, rtn := a.t.WaveSize(), "glc"
	if a.t.Processor.Is(target.GFX940) {
		rtn = "sc0"
	}
	return fmt.Sprintf(`%s
	.text
	.globl	k
	.p2align 8
	.type	k,@function
k:
%s
%s
.Lend:
	.size	k, .Lend-k
	.section	.rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_group_segment_fixed_size %d
		.amdhsa_private_segment_fixed_size %d
		.amdhsa_kernarg_size %d
		.amdhsa_next_free_vgpr 64
		.amdhsa_next_free_sgpr 64
		%s
	.end_amdhsa_kernel
%s
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: %d
    .kernarg_segment_align: 8
    .group_segment_fixed_size: %d
    .private_segment_fixed_size: %d
    .wavefront_size: %d
    .sgpr_count: 64
    .vgpr_count: 64
    .max_flat_workgroup_size: 1024
%s...
	.end_amdgpu_metadata
`, macros(a), strings.ReplaceAll(k.text, "RETURN", rtn), end, k.lds, k.private, size, directives, k.data, size, k.lds, k.private, wave, args)
}

// load loads the kernel.
func (k simKernel) load(t testing.TB, a *Agent) *Kernel {
	t.Helper()
	e := load(t, a, build(t, a.Name(), k.source(a), k.version))
	kernel, err := e.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	return kernel
}

// run loads the kernel and runs it on a new queue.
func (k simKernel) run(t testing.TB, a *Agent, g Grid, values ...any) (*device.Stats, error) {
	t.Helper()
	q := newQueue(t, a, QueueOptions{})
	defer q.Destroy()
	return q.Dispatch(ctxOf(t), k.load(t, a), g, values...)
}

// must runs the kernel and fails the test on an error.
func (k simKernel) must(t testing.TB, a *Agent, g Grid, values ...any) *device.Stats {
	t.Helper()
	s, err := k.run(t, a, g, values...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// simSystem returns a system with one simulated GPU. A cleanup checks for
// leaked goroutines.
func simSystem(t testing.TB, id string, o device.Options) (*System, *Agent) {
	t.Helper()
	before := runtime.NumGoroutine()
	s := NewSystem(Options{MemoryLimit: 256 << 20, Simulator: o})
	t.Cleanup(func() {
		s.Shutdown()
		noGoroutines(t, before)
	})
	tg, err := target.New("", id, "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.NewGPU(tg)
	if err != nil {
		t.Fatal(err)
	}
	return s, a
}

// noGoroutines checks that the number of goroutines does not exceed before.
func noGoroutines(t testing.TB, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<16)
	t.Errorf("leaked goroutines: %d, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

// onAll runs a test on all processors.
func onAll(t *testing.T, f func(t *testing.T, s *System, a *Agent)) {
	for _, id := range processors {
		t.Run(id, func(t *testing.T) {
			s, a := simSystem(t, id, device.Options{})
			f(t, s, a)
		})
	}
}

// fineBuffer allocates fine-grained host memory.
func fineBuffer(t testing.TB, s *System, size uint64) *Buffer {
	t.Helper()
	b, err := s.Host().Pool(FineGrained).Allocate(size)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// oneGroup returns a grid of one work-group.
func oneGroup(n uint16) Grid { return Grid{Size: [3]uint32{uint32(n)}, Group: [3]uint16{n}} }
