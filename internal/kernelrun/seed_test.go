package kernelrun

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/disasm"
	"github.com/gfx-toolchain/gfx/internal/testing/oracle"
	"github.com/gfx-toolchain/gfx/isa"
)

// seeded is a bug to introduce into a shared kernel: an instruction is replaced
// by another one of the same size or, without a replacement, swapped with the
// next instruction.
type seeded struct {
	code   string // target and kernel
	symbol string
	old    string // text of the instruction; the number selects one of several
	nth    int
	to     uint32 // replacement word; 0 to swap
	check  device.Checks
	at     string // text of the instruction of the finding
	want   string // substring of the message
	other  string // substring of the other instruction's text
}

// wordNop0 is s_nop 0.
const wordNop0 = 0xbf800000

var seededBugs = []seeded{
	{"gfx803/vecadd", "vecadd", "s_waitcnt", 0, wordNop0, device.CheckWait, "s_and_b32", "is read, but s_load_dword", "s_load_dword"},
	{"gfx900/blackscholes", "blackscholes", "s_waitcnt vmcnt(2)", 0, 0xbf8c0f73, device.CheckWait, "v_mul_f32_e64 v17, v6, -s16", "v6 is read, but global_load_dword may not have written it yet: needs vmcnt(2) or lower", "global_load_dword v6"},
	{"gfx900/bitonic_sort", "bitonic_local", "s_waitcnt lgkmcnt(0)", 2, wordNop0, device.CheckWait, "v_cmp_lt_u64", "ds_read_b64 may not have written it yet", "ds_read_b64"},
	{"gfx900/byte_search", "byte_search", "s_waitcnt vmcnt(0)", 2, wordNop0, device.CheckWait, "v_cmp_eq_u32_e32 vcc, v0, v1", "v0 is read, but global_atomic_cmpswap", "global_atomic_cmpswap v0"},
	{"gfx90a/sgemm_tiled", "sgemm_tiled", "s_waitcnt lgkmcnt(0)", 0, wordNop0, device.CheckWait, "s_", "may not have written it yet: needs lgkmcnt(0)", "s_load"},
	{"gfx942/mfma", "mfma", "s_waitcnt vmcnt(0)", 0, wordNop0, device.CheckWait, "v_mfma_f32_32x32x2_f32", "is read, but global_load_dword", "global_load_dword"},
	{"gfx1030/vecadd", "vecadd", "s_waitcnt vmcnt(0)", 0, wordNop0, device.CheckWait, "v_add_f32", "needs vmcnt(0)", "global_load_dword"},
	{"gfx1100/vecadd", "vecadd", "s_waitcnt vmcnt(0)", 0, wordNop0, device.CheckWait, "v_", "needs vmcnt(0)", "global_load_b32"},
	{"gfx1100/transpose", "transpose", "s_waitcnt lgkmcnt(0)", 0, wordNop0, device.CheckWait, "v_cmp_gt_i32_e32 vcc_lo, s2, v0", "needs lgkmcnt(0)", "s_load"},
	{"gfx900/dpp_ops", "dpp_ops", "s_nop 1", 0, 0, device.CheckHazard, "v_mov_b32_dpp", "VALU writes a VGPR, DPP reads it from other lanes", "v_"},
	{"gfx900/wave_ops", "wave_ops", "s_nop 0", 0, 0, device.CheckHazard, "v_add_u32_dpp", "needs 2 wait states", "v_"},
	{"gfx90a/mfma", "mfma", "s_nop 15", 0, wordNop0, device.CheckHazard, "v_mov_b32_e32 v19, v17", "needs 19 wait states", "v_mfma_f32_32x32x2f32"},
	{"gfx90a/dot4", "dot4", "s_nop 0", 0, 0, device.CheckHazard, "global_store_dword", "dot product, then another instruction reads it", "v_dot"},
	{"gfx942/mfma", "mfma", "s_nop 15", 0, wordNop0, device.CheckHazard, "v_mov_b32_e32 v19, v17", "needs 18 wait states", "v_mfma_f32_32x32x2_f32"},
	{"gfx942/bitonic_sort", "bitonic_local", "s_nop 1", 1, wordNop0, device.CheckHazard, "v_cndmask_b32", "VALU writes an SGPR, VALU reads it", "v_cmp"},
}

// TestSeededBugs introduces bugs into shared kernels and expects the checks to
// find them.
func TestSeededBugs(t *testing.T) {
	for _, m := range seededBugs {
		t.Run(fmt.Sprint(m.code, "/", m.old, "/", m.check), func(t *testing.T) {
			path := oracle.Shared(t, "kernels/hsaco/"+m.code+".hsaco")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m.apply(t, data)
			var list []device.Finding
			manifest := filepath.Join(filepath.Dir(path), "../../manifests", filepath.Base(m.code)+".json")
			err = runChecked(t, data, manifest, timingChecks, func(f *device.Finding) { list = append(list, *f) })
			if err != nil {
				t.Fatal(err)
			}
			for i := range list {
				f := &list[i]
				if f.Check == m.check && strings.HasPrefix(f.Text, m.at) && strings.Contains(f.Message, m.want) && strings.Contains(f.Other, m.other) && strings.HasPrefix(f.Where, m.symbol+"+") {
					return
				}
			}
			t.Error("not found")
			for i := range list {
				t.Log(findingText(&list[i]))
			}
		})
	}
}

// apply modifies the code.
func (m *seeded) apply(t *testing.T, data []byte) {
	t.Helper()
	o, err := codeobject.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	h, err := o.Target()
	if err != nil {
		t.Fatal(err)
	}
	set, _ := isa.SetOf(h.Processor)
	wave := 64
	if set.Gen() >= isa.Gen10 {
		wave = 32
	}
	i := 0
	for i < len(o.Symbols) && o.Symbols[i].Name != m.symbol {
		i++
	}
	if i == len(o.Symbols) {
		t.Fatalf("no symbol %s", m.symbol)
	}
	text := o.Section(".text")
	s := &o.Symbols[i]
	code := data[text.Offset+s.Value-text.Addr:][:s.Size]
	dec := isa.NewDecoder(set, wave)
	nth := m.nth
	for off := 0; off < len(code); {
		in, n, err := dec.Decode(code[off:])
		if err != nil {
			t.Fatal(err)
		}
		if bytes.HasPrefix(disasm.Inst(nil, &in), []byte(m.old)) {
			if nth--; nth < 0 {
				m.change(t, dec, code[off:], n)
				return
			}
		}
		off += n
	}
	t.Fatalf("%s: no %s", m.symbol, m.old)
}

func (m *seeded) change(t *testing.T, dec *isa.Decoder, code []byte, size int) {
	t.Helper()
	if m.to != 0 {
		copy(code, []byte{byte(m.to), byte(m.to >> 8), byte(m.to >> 16), byte(m.to >> 24)})
		return
	}
	_, next, err := dec.Decode(code[size:])
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.Clone(code[:size])
	copy(code, code[size:][:next])
	copy(code[next:], first)
}
