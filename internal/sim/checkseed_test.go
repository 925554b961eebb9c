package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// seed is a kernel with a bug that a check must find. Lines that begin with "-
// " contain the bug, lines that begin with "+ " the fix.
type seed struct {
	name    string
	check   device.Checks
	text    string
	at      string // instruction of the finding
	message string // substring of the finding's message
	other   string // substring of the description of the other access
	cpu     string
	wave    int
	group   int // work-items per work-group
	groups  int
	lds     uint32
	private uint32
	buffers []int // sizes in bytes
	more    bool  // further findings are allowed
	setup   func(k *kernelTest)
}

// variant returns the text with or without the bug.
func (s *seed) variant(bug bool) string {
	var out []string
	for _, line := range strings.Split(s.text, "\n") {
		rest, minus := strings.CutPrefix(line, "- ")
		rest, plus := strings.CutPrefix(rest, "+ ")
		if minus && !bug || plus && bug {
			continue
		}
		out = append(out, rest)
	}
	return strings.Join(out, "\n")
}

func (s *seed) kernel(bug bool) kernelTest {
	wave := s.wave
	if wave == 0 {
		wave = 64
	}
	group := max(s.group, wave)
	k := kernelTest{cpu: s.cpu, wave: wave, text: s.variant(bug), group: [3]int{group, 1, 1}, grid: [3]int{group * max(s.groups, 1), 1, 1}, lds: s.lds, private: s.private}
	sizes := s.buffers
	if sizes == nil {
		sizes = []int{4096}
	}
	for _, n := range sizes {
		k.buffers = append(k.buffers, make([]byte, n))
	}
	if s.setup != nil {
		s.setup(&k)
	}
	return k
}

// findings runs a kernel with checks and returns the findings. The kernel may
// also fault.
func (k kernelTest) findings(t *testing.T, c device.Checks) []*device.Finding {
	t.Helper()
	var list []*device.Finding
	k.options.Checks = c
	k.options.Finding = func(f *device.Finding) { list = append(list, f) }
	r := k.try(t)
	if len(list) == 0 && r.err != nil {
		t.Fatalf("no finding, but %v", r.err)
	}
	return list
}

func (s *seed) run(t *testing.T) {
	list := s.kernel(true).findings(t, s.check)
	i := slices.IndexFunc(list, func(f *device.Finding) bool { return strings.HasPrefix(f.Text, s.at) })
	switch {
	case i < 0:
		t.Errorf("not found at %s: %s", s.at, describeFindings(list))
		return
	case len(list) > 1 && !s.more:
		t.Errorf("more is found: %s", describeFindings(list))
	}
	if f := list[i]; f.Check != s.check || !strings.Contains(f.Message, s.message) || !strings.Contains(f.Other, s.other) {
		t.Errorf("want %v with %q and %q: %s", s.check, s.message, s.other, describeFindings(list[i:i+1]))
	}
	if list := s.kernel(false).findings(t, device.CheckAll); len(list) > 0 {
		t.Errorf("without the bug: %s", describeFindings(list))
	}
}

func describeFindings(list []*device.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "\n\t%v: %s: %s; group %v wave %d lane %d address %#x other %q", f.Check, f.Text, f.Message, f.Group, f.Wave, f.Lane, f.Addr, f.Other)
	}
	return b.String()
}

func runSeeds(t *testing.T, seeds []seed) {
	for i := range seeds {
		t.Run(seeds[i].name, seeds[i].run)
	}
}

// pointer loads the address of the first buffer into s[4:5].
const pointer = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"

func TestCheckMemory(t *testing.T) {
	runSeeds(t, []seed{
		{name: "past the end", check: device.CheckMemory, buffers: []int{256}, at: "global_store_dword v1, v0, s[4:5]", message: "4-byte store past the end of buffer 0 (256 bytes)", text: pointer + `
- v_add_u32_e32 v1, 1, v0
+ v_mov_b32_e32 v1, v0
v_lshlrev_b32_e32 v1, 2, v1
global_store_dword v1, v0, s[4:5]`},
		{name: "across the end", check: device.CheckMemory, buffers: []int{258}, at: "global_load_dword v1, v1, s[4:5]", message: "4-byte load extends 2 bytes past the end of buffer 0 (258 bytes)", text: pointer + `
- v_mov_b32_e32 v1, 0x100
+ v_mov_b32_e32 v1, 0xfc
global_load_dword v1, v1, s[4:5]`},
		{name: "not mapped", check: device.CheckMemory, buffers: []int{4096}, at: "global_load_dword v1, v1, s[4:5]", message: "4096 bytes past the end of buffer 0 (4096 bytes)", text: pointer + `
- v_mov_b32_e32 v1, 0x2000
+ v_mov_b32_e32 v1, 0xffc
global_load_dword v1, v1, s[4:5]`},
		{name: "before", check: device.CheckMemory, at: "global_load_dword v1, v1, s[4:5] offset:-8", message: "8 bytes before buffer 0 (4096 bytes)", text: pointer + `
v_mov_b32_e32 v1, 0
- global_load_dword v1, v1, s[4:5] offset:-8
+ global_load_dword v1, v1, s[4:5] offset:8`},
		{name: "freed", check: device.CheckMemory, at: "global_load_dword v1, v1, s[4:5]", message: "use after free: 4-byte load at offset 0 of lost (100 bytes)", text: pointer + `
v_mov_b32_e32 v1, 0
- s_mov_b64 s[4:5], s[20:21]
global_load_dword v1, v1, s[4:5]`,
			setup: func(k *kernelTest) {
				k.memory = device.NewMemory(0)
				r, _ := k.memory.Alloc(100, 0, "lost")
				k.memory.Free(r.Addr)
				k.setup = func(w *wave) { w.setPair(20, r.Addr) }
			}},
		{name: "wild", check: device.CheckMemory, at: "global_load_dword v1, v1, s[4:5]", message: "outside all allocations", text: pointer + `
v_mov_b32_e32 v1, 16
- s_mov_b64 s[4:5], 0
global_load_dword v1, v1, s[4:5]`},
		{name: "code", check: device.CheckMemory, at: "global_store_dword v1, v0, s[4:5]", message: "store to code", text: pointer + `
v_mov_b32_e32 v1, 0
- s_getpc_b64 s[4:5]
global_store_dword v1, v1, s[4:5] offset:2048
global_store_dword v1, v0, s[4:5]`, more: true, setup: func(k *kernelTest) {
			k.text += strings.Repeat("\ns_nop 0", 1024)
			k.grid = [3]int{1, 1, 1}
			k.group = k.grid
		}},
		{name: "kernarg", check: device.CheckMemory, at: "global_store_dword v1, v0, s[4:5]", message: "store to the kernarg segment", text: pointer + `
v_mov_b32_e32 v1, 0
- s_mov_b64 s[4:5], s[0:1]
v_lshlrev_b32_e32 v0, 2, v0
v_mov_b32_e32 v0, 7
global_store_dword v1, v0, s[4:5]`, setup: func(k *kernelTest) { k.directives = []string{".amdhsa_kernarg_size 8"} }},
		{name: "past the kernarg segment", check: device.CheckMemory, at: "s_load_dword s6, s[0:1], 0x40", message: "56 bytes past the end of kernarg (8 bytes)", text: `
- s_load_dword s6, s[0:1], 0x40
s_load_dwordx4 s[8:11], s[0:1], 0x0`},
		{name: "misaligned scalar", check: device.CheckMemory, at: "s_load_dword s6, s[4:5], 0x0", message: "not aligned", text: pointer + `
- s_add_u32 s4, s4, 2
s_load_dword s6, s[4:5], 0x0`},
		{name: "LDS", check: device.CheckMemory, lds: 256, at: "ds_write_b32 v1, v0 offset:4", message: "4-byte store at LDS address 0x100 is outside the work-group's LDS (256 bytes)", text: `
v_lshlrev_b32_e32 v1, 2, v0
- ds_write_b32 v1, v0 offset:4
+ ds_write_b32 v1, v0`},
		{name: "LDS of two", check: device.CheckMemory, lds: 512, at: "ds_write2_b32 v1, v0, v0 offset1:128", message: "outside the work-group's LDS (512 bytes)", text: `
v_lshlrev_b32_e32 v1, 2, v0
- ds_write2_b32 v1, v0, v0 offset1:128
+ ds_write2_b32 v1, v0, v0 offset1:64`},
		{name: "LDS through flat", check: device.CheckMemory, lds: 256, at: "flat_store_dword v[2:3], v0", message: "LDS address 0x104", text: `
s_mov_b64 s[6:7], src_shared_base
v_mov_b32_e32 v3, s7
- v_mov_b32_e32 v2, 0x104
+ v_mov_b32_e32 v2, 0xfc
v_mov_b32_e32 v0, 0
flat_store_dword v[2:3], v0`},
		{name: "LDS of gfx8", check: device.CheckMemory, cpu: "gfx803", lds: 256, at: "ds_read_b64 v[4:5], v1", message: "not aligned", text: `
s_mov_b32 m0, -1
- v_mov_b32_e32 v1, 4
+ v_mov_b32_e32 v1, 8
ds_read_b64 v[4:5], v1`},
		{name: "scratch", check: device.CheckMemory, private: 12, at: "buffer_store_dword v0, v1, s[0:3], 0 offen", message: "offset 0xc is outside the work-item's scratch memory (12 bytes)", text: `
s_mov_b32 s2, -1
- v_mov_b32_e32 v1, 12
+ v_mov_b32_e32 v1, 8
buffer_store_dword v0, v1, s[0:3], 0 offen`, setup: scratchSetup},
		{name: "scratch of another wave", check: device.CheckMemory, private: 12, at: "buffer_store_dword v0, v1, s[0:3], 0 offen", message: "another work-item", text: `
s_mov_b32 s2, -1
- v_mov_b32_e32 v1, 16
+ v_mov_b32_e32 v1, 8
buffer_store_dword v0, v1, s[0:3], 0 offen`, setup: scratchSetup},
	})
}

func scratchSetup(k *kernelTest) {
	k.directives = []string{".amdhsa_user_sgpr_private_segment_buffer 1"}
}

func TestCheckRace(t *testing.T) {
	const lanes = "v_lshlrev_b32_e32 v1, 2, v0\n"
	runSeeds(t, []seed{
		{name: "no barrier between write and read", check: device.CheckRace, group: 128, lds: 512, at: "ds_read_b32 v3, v2", message: "LDS races with an earlier store", other: "wave 0", text: lanes + `
v_xor_b32_e32 v2, 0x100, v1
ds_write_b32 v1, v0
s_waitcnt lgkmcnt(0)
+ s_barrier
ds_read_b32 v3, v2`, more: true},
		{name: "no barrier between read and write", check: device.CheckRace, group: 128, lds: 512, at: "ds_write_b32 v1, v0", message: "4-byte store at 0x100 in LDS races with an earlier load", other: "wave 0 lane 0", text: lanes + `
v_xor_b32_e32 v2, 0x100, v1
ds_read_b32 v3, v2
s_waitcnt lgkmcnt(0)
+ s_barrier
ds_write_b32 v1, v0`, more: true},
		{name: "histogram without atomic", check: device.CheckRace, group: 128, lds: 64, at: "ds_write_b32 v2, v3", message: "store", text: `
v_and_b32_e32 v2, 15, v0
v_lshlrev_b32_e32 v2, 2, v2
v_mov_b32_e32 v4, 1
- ds_read_b32 v3, v2
- s_waitcnt lgkmcnt(0)
- v_add_u32_e32 v3, 1, v3
- ds_write_b32 v2, v3
+ ds_add_u32 v2, v4
`, more: true},
		{name: "histogram not cleared in time", check: device.CheckRace, group: 128, lds: 512, at: "ds_add_u32 v2, v4", message: "4-byte atomic operation at 0x0 in LDS races with an earlier store", text: lanes + `
v_mov_b32_e32 v3, 0
ds_write_b32 v1, v3
s_waitcnt lgkmcnt(0)
+ s_barrier
v_mov_b32_e32 v4, 1
v_mov_b32_e32 v2, 0
ds_add_u32 v2, v4`, more: true},
		{name: "bytes of a dword", check: device.CheckRace, group: 128, lds: 256, at: "ds_write_b8 v2, v3", message: "1-byte", text: `
v_and_b32_e32 v2, 63, v0
v_lshlrev_b32_e32 v2, 1, v2
v_lshrrev_b32_e32 v4, 6, v0
+ v_add_u32_e32 v2, v2, v4
v_mov_b32_e32 v3, v0
ds_write_b8 v2, v3`},
		{name: "lanes of one instruction", check: device.CheckRace, lds: 256, at: "ds_write_b32 v2, v0", message: "lanes 0 and 1 store different values to 0x10", text: `
v_mov_b32_e32 v2, 16
+ v_mov_b32_e32 v0, 5
ds_write_b32 v2, v0`},
		{name: "groups store", check: device.CheckRace, groups: 2, at: "global_store_dword v1, v2, s[4:5]", message: "global memory races with an earlier store", other: "store by group 0,0,0 wave 0 lane 0", text: pointer + lanes + `
v_mov_b32_e32 v2, s2
s_lshl_b32 s6, s2, 8
+ v_add_u32_e32 v1, s6, v1
global_store_dword v1, v2, s[4:5]`},
		{name: "in place", check: device.CheckRace, groups: 4, at: "global_store_dword v1, v2, s[4:5]", message: "races with an earlier load", more: true, text: pointer + lanes + `
s_lshl_b32 s6, s2, 8
v_add_u32_e32 v1, s6, v1
- global_load_dword v2, v1, s[4:5] offset:256
+ global_load_dword v2, v1, s[4:5]
s_waitcnt vmcnt(0)
v_add_u32_e32 v2, 1, v2
global_store_dword v1, v2, s[4:5]`, setup: func(k *kernelTest) { k.options.Workers = 1 }},
		{name: "scalar load", check: device.CheckRace, groups: 2, at: "s_load_dword s7, s[4:5], 0x0", message: "4-byte load", more: true, text: pointer + lanes + `
s_lshl_b32 s6, s2, 8
v_add_u32_e32 v1, s6, v1
- s_load_dword s7, s[4:5], 0x0
global_store_dword v1, v0, s[4:5]`},
		{name: "flag without release", check: device.CheckRace, groups: 2, at: "global_load_dword v4, v1, s[4:5] offset:64", message: "load", other: "store", text: message("+ s_waitcnt vmcnt(0)", "buffer_wbinvl1_vol", ""), setup: messageSetup},
		{name: "flag without acquire", check: device.CheckRace, groups: 2, at: "global_load_dword v4, v1, s[4:5] offset:64", message: "load", other: "store", text: message("s_waitcnt vmcnt(0)", "+ buffer_wbinvl1_vol", ""), setup: messageSetup},
		{name: "release of gfx10", check: device.CheckRace, cpu: "gfx1030", wave: 32, groups: 2, at: "global_load_dword v4, v1, s[4:5] offset:64", message: "load", other: "store", text: message("+ s_waitcnt_vscnt null, 0x0", "buffer_gl1_inv", "buffer_gl0_inv"), setup: messageSetup},
		{name: "acquire of gfx10", check: device.CheckRace, cpu: "gfx1030", wave: 32, groups: 2, at: "global_load_dword v4, v1, s[4:5] offset:64", message: "load", other: "store", text: message("s_waitcnt_vscnt null, 0x0", "+ buffer_gl1_inv", "buffer_gl0_inv"), setup: messageSetup},
	})
}

// message returns a kernel in which group 0 passes a value to group 1 through a
// flag.
func message(release, acquire, acquire2 string) string {
	return pointer + `
v_mov_b32_e32 v1, 0
v_mov_b32_e32 v2, 1
s_mov_b64 exec, 1
s_cmp_lg_u32 s2, 0
s_cbranch_scc1 wait
global_store_dword v1, v2, s[4:5] offset:64
` + release + `
global_store_dword v1, v2, s[4:5]
s_endpgm
wait:
global_load_dword v3, v1, s[4:5] glc
s_waitcnt vmcnt(0)
v_readfirstlane_b32 s8, v3
s_cmp_eq_u32 s8, 0
s_cbranch_scc1 wait
` + acquire + "\n" + acquire2 + `
global_load_dword v4, v1, s[4:5] offset:64
s_waitcnt vmcnt(0)`
}

func messageSetup(k *kernelTest) { k.options.Workers = 1 }

func TestCheckBarrier(t *testing.T) {
	runSeeds(t, []seed{
		{name: "different barriers", check: device.CheckBarrier, group: 128, at: "s_barrier", message: "different barriers", other: "wave 0 waits", text: `
v_readfirstlane_b32 s6, v0
s_cmp_lg_u32 s6, 0
- s_cbranch_scc1 second
s_barrier
s_endpgm
second:
s_barrier`},
		{name: "early end", check: device.CheckBarrier, group: 128, at: "s_barrier", message: "wave 0 waits at a barrier that wave 1 never reaches", other: "wave 1 ended", text: `
v_readfirstlane_b32 s6, v0
s_cmp_lg_u32 s6, 0
- s_cbranch_scc1 out
s_barrier
out:`},
		{name: "one wave leaves a loop", check: device.CheckBarrier, cpu: "gfx1100", wave: 32, group: 96, at: "s_barrier", message: "has ended", text: `
v_readfirstlane_b32 s6, v0
s_lshr_b32 s6, s6, 5
+ s_mov_b32 s6, 2
s_mov_b32 s7, 0
loop:
s_barrier
s_add_u32 s7, s7, 1
s_cmp_le_u32 s7, s6
s_cbranch_scc1 loop`},
		{name: "different split barriers", check: device.CheckBarrier, cpu: "gfx1200", wave: 32, group: 64, at: "s_barrier_signal -1", message: "different barriers", other: "wave 0 signals", text: `
v_readfirstlane_b32 s6, v0
s_cmp_lg_u32 s6, 0
- s_cbranch_scc1 second
s_barrier_signal -1
s_barrier_wait -1
s_endpgm
second:
s_barrier_signal -1
s_barrier_wait -1`},
		{name: "early end before a split barrier", check: device.CheckBarrier, cpu: "gfx1200", wave: 32, group: 64, at: "s_barrier_wait 0xffff", message: "wave 1 never reaches", other: "wave 1 ended", text: `
v_readfirstlane_b32 s6, v0
s_cmp_lg_u32 s6, 0
- s_cbranch_scc1 out
s_barrier_signal -1
s_barrier_wait -1
out:`},
	})
}
