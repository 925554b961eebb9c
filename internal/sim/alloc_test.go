package sim

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// loopText is a kernel that loads its iteration count from memory. Each
// iteration executes one instruction of each kind.
const loopText = `
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_load_dword s4, s[2:3], 0x0
	v_lshlrev_b32 v1, 2, v0
	v_mov_b32 v2, 1.0
	s_waitcnt lgkmcnt(0)
loop:
	v_fma_f32 v2, v2, v2, -v2
	v_add_f64 v[4:5], v[4:5], v[6:7]
	v_mad_u64_u32 v[4:5], s[6:7], v0, v1, v[4:5]
	v_pk_add_u16 v3, v3, v0
	v_mov_b32_dpp v3, v0 row_shr:1 row_mask:0xf bank_mask:0xf
	v_add_u32_sdwa v3, v3, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0 src1_sel:WORD_1
	v_exp_f32 v8, v2
	global_load_dword v9, v1, s[2:3] offset:64
	global_store_dword v1, v9, s[2:3] offset:64
	ds_write_b32 v1, v9
	ds_read_b32 v9, v1
	ds_add_u32 v1, v9
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_cmp_lt_f32 vcc, v2, v8
	v_cndmask_b32 v2, v2, v8, vcc
	s_barrier
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 loop
`

// loopTextGFX11 is a loop with the instructions that hazards of gfx11 are
// about.
const loopTextGFX11 = `
	s_load_b64 s[2:3], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_load_b32 s4, s[2:3], 0x0
	v_lshlrev_b32 v1, 2, v0
	v_mov_b32 v2, 1.0
	s_waitcnt lgkmcnt(0)
loop:
	v_exp_f32 v8, v2
	v_fma_f32 v2, v2, v2, -v2
	v_mov_b32 v10, v2
	global_load_b32 v9, v1, s[2:3] offset:64
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v9, s[2:3] offset:64
	v_cmp_lt_f32 vcc, v2, v8
	s_waitcnt_depctr 0xfffd ; va_vcc(0)
	v_cndmask_b32 v2, v2, v8, vcc
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 loop
	s_endpgm
`

// TestNoAllocation runs loops for few and for many iterations. The instructions
// in a loop must not allocate.
func TestNoAllocation(t *testing.T) {
	for _, c := range []struct {
		cpu, text string
		checks    device.Checks
		memory    device.MemoryMode
	}{
		{"gfx900", loopText, 0, device.MemoryStrong},
		{"gfx900", loopText, 0, device.MemoryWeak},
		{"gfx1100", loopTextGFX11, 0, device.MemoryStrong},
		{"gfx1100", loopTextGFX11, 0, device.MemoryWeak},
		{"gfx1100", loopTextGFX11, device.CheckWait | device.CheckHazard | device.CheckMemory, device.MemoryStrong},
	} {
		allocs := func(rounds uint32) float64 {
			buf := binary.LittleEndian.AppendUint32(nil, rounds)
			k := kernelTest{cpu: c.cpu, text: c.text, group: [3]int{128, 1, 1}, lds: 1024, buffers: [][]byte{append(buf, make([]byte, 1020)...)},
				options: device.Options{Workers: 1, Checks: c.checks, Memory: c.memory, Finding: func(f *device.Finding) { t.Errorf("%s: %s", c.cpu, f.Message) }}}
			d, p, _ := k.load(t)
			return testing.AllocsPerRun(5, func() {
				if _, err := d.Run(context.Background(), p); err != nil {
					t.Fatal(err)
				}
			})
		}
		few, many := allocs(10), allocs(2000)
		more := 5.0 // the scheduler may allocate occasionally
		if c.memory == device.MemoryWeak {
			more = 500 // more operations may be outstanding than ever before
		}
		if many > few+more {
			t.Errorf("%s, checks %v, %v memory: %.0f allocations with 10 rounds, %.0f with 2000", c.cpu, c.checks, c.memory, few, many)
		}
	}
}

// BenchmarkLoop measures the loop in 64-lane instructions per second.
func BenchmarkLoop(b *testing.B) { benchLoop(b, device.MemoryStrong) }

// BenchmarkWeakLoop is BenchmarkLoop with weak memory.
func BenchmarkWeakLoop(b *testing.B) { benchLoop(b, device.MemoryWeak) }

func benchLoop(b *testing.B, memory device.MemoryMode) {
	buf := binary.LittleEndian.AppendUint32(nil, 10000)
	k := kernelTest{cpu: "gfx900", text: loopText, group: [3]int{128, 1, 1}, lds: 1024, buffers: [][]byte{append(buf, make([]byte, 1020)...)}, options: device.Options{Workers: 1, Memory: memory}}
	d, p, _ := k.load(b)
	var n uint64
	b.ReportAllocs()
	for b.Loop() {
		s, err := d.Run(context.Background(), p)
		if err != nil {
			b.Fatal(err)
		}
		n += s.Instructions
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Minst/s")
}
