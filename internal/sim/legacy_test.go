package sim

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// Behaviour that only gfx6 and gfx7 have.

// TestAddr64 checks buffer instructions with 64-bit addresses: the base, the
// scalar offset, the VGPRs and the constant are added, without a range check,
// and a carry out of bit 47 is lost.
func TestAddr64(t *testing.T) {
	for _, cpu := range []string{"gfx600", "gfx700"} {
		for _, x := range []struct {
			text        string
			base, added uint64 // base of the resource, less the buffer's address; in VGPRs
		}{
			{"buffer_load_dword v8, v[2:3], s[12:15], s6 addr64 offset:8", 0, 0},
			{"buffer_load_dword v8, v[2:3], s[12:15], 16 addr64 offset:8", 0x100, ^uint64(0xff)},
			{"buffer_load_dwordx4 v[8:11], v[2:3], s[12:15], s6 addr64", 1 << 40, ^uint64(1<<40 - 1)},
			{"buffer_load_ubyte v8, v[2:3], s[12:15], s6 addr64 offset:9", 0, 0},
			{"buffer_load_sshort v8, v[2:3], s[12:15], s6 addr64 offset:10", 0, 0},
			{"buffer_load_format_x v8, v[2:3], s[12:15], s6 addr64 offset:8", 0, 0},
			{"tbuffer_load_format_x v8, v[2:3], s[12:15], s6 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT] addr64 offset:8", 0, 0},
			{"buffer_atomic_add v8, v[2:3], s[12:15], s6 addr64 offset:8 glc", 0, 0},
		} {
			k := kernelTest{cpu: cpu, text: x.text, buffers: [][]byte{noise(4096, 2)}}
			k.setup = func(w *wave) {
				fillPattern(w, 8, 4)
				base := argument(w, 0) + x.base
				copy(w.s[12:], []uint32{uint32(base), uint32(base >> 32 & 0xffff), 0, 4<<15 | 4<<12 | 4})
				w.s[6] = 16
				for l := range w.lanes {
					setV64(w, 2, l, x.added+uint64(l)*32)
				}
			}
			r := k.run(t)
			memory := noise(4096, 2)
			for l := range 64 {
				at := l*32 + 16
				if _, imm, ok := strings.Cut(x.text, "offset:"); ok {
					var n int
					fmt.Sscan(strings.TrimSuffix(imm, " glc"), &n)
					at += n
				}
				want := binary.LittleEndian.Uint32(memory[at:])
				switch {
				case strings.Contains(x.text, "ubyte"):
					want = uint32(memory[at])
				case strings.Contains(x.text, "sshort"):
					want = uint32(int32(int16(want)))
				}
				if got := r.v(8, l); got != want {
					t.Fatalf("%s %s: lane %d is %#x, want %#x", cpu, x.text, l, got, want)
				}
				if strings.Contains(x.text, "add") && strings.Contains(x.text, "atomic") {
					if got, want := binary.LittleEndian.Uint32(r.buffers[0][at:]), want+pattern(8, l); got != want {
						t.Fatalf("%s %s: lane %d leaves %#x, want %#x", cpu, x.text, l, got, want)
					}
				}
			}
		}
	}
}

// TestAlignedBuffers checks that gfx6 ignores the low bits of addresses, which
// check memory reports, and that gfx7 does not.
func TestAlignedBuffers(t *testing.T) {
	for _, mode := range []string{"offen", "addr64"} {
		for _, cpu := range []string{"gfx600", "gfx700"} {
			addr := "v2"
			if mode == "addr64" {
				addr = "v[2:3]"
			}
			var list []string
			k := kernelTest{cpu: cpu, text: "buffer_load_dwordx2 v[8:9], " + addr + ", s[12:15], 0 " + mode + "\nbuffer_load_ushort v10, " + addr + ", s[12:15], 0 " + mode,
				buffers: [][]byte{noise(1024, 2)}, options: device.Options{Checks: device.CheckMemory, Finding: func(f *device.Finding) { list = append(list, f.Message) }}}
			k.setup = func(w *wave) {
				base := argument(w, 0)
				copy(w.s[12:], []uint32{uint32(base), uint32(base >> 32 & 0xffff), 1024, 0})
				for l := range w.lanes {
					setV64(w, 2, l, uint64(l)*8+3)
				}
			}
			r := k.run(t)
			memory := noise(1024, 2)
			for l := range 64 {
				dword, half := l*8+3, l*8+3
				if cpu == "gfx600" {
					dword, half = dword&^3, half&^1
				}
				want := []uint32{binary.LittleEndian.Uint32(memory[dword:]), binary.LittleEndian.Uint32(memory[dword+4:]), uint32(binary.LittleEndian.Uint16(memory[half:]))}
				for i, want := range want {
					if got := r.v(8+i, l); got != want {
						t.Fatalf("%s %s: v%d of lane %d is %#x, want %#x", cpu, mode, 8+i, l, got, want)
					}
				}
			}
			if want := map[string]int{"gfx600": 2}[cpu]; len(list) != want {
				t.Errorf("%s %s: findings %q, want %d", cpu, mode, list, want)
			}
		}
	}
}

// TestCarryRegisters checks that every pair of SGPRs is the carry of an
// addition: VOP3 has no clamp beside a scalar result.
func TestCarryRegisters(t *testing.T) {
	for _, cpu := range []string{"gfx600", "gfx700"} {
		for _, pair := range []string{"s[8:9]", "s[10:11]", "vcc", "s[98:99]", "s[46:47]"} {
			k := kernelTest{cpu: cpu, text: "v_mov_b32 v3, -1\nv_add_i32_e64 v4, " + pair + ", v0, v3\nv_addc_u32_e64 v5, " + pair + ", 0, 0, " + pair +
				"\nv_sub_i32_e64 v6, " + pair + ", v0, 8\ns_mov_b64 s[20:21], " + pair}
			r := k.run(t)
			for l := range uint32(64) {
				carry := min(l, 1)
				if a, b, c := r.v(4, int(l)), r.v(5, int(l)), r.v(6, int(l)); a != l-1 || b != carry || c != l-8 {
					t.Fatalf("%s %s: lane %d: %#x, carry %d, %#x", cpu, pair, l, a, b, c)
				}
			}
			if lo, hi := r.s(20), r.s(21); lo != 0xff || hi != 0 {
				t.Errorf("%s %s: borrow %#x %#x, want 0xff 0x0", cpu, pair, lo, hi)
			}
		}
	}
}

// TestFlatScratchRegisters checks that gfx7's FLAT_SCRATCH is s[104:105]: flat
// instructions with private addresses use it.
func TestFlatScratchRegisters(t *testing.T) {
	k := kernelTest{cpu: "gfx700", private: 64, directives: []string{".amdhsa_user_sgpr_flat_scratch_init 1", ".amdhsa_system_sgpr_private_segment_wavefront_offset 1",
		".amdhsa_user_sgpr_private_segment_buffer 1"}, text: `
s_mov_b32 s102, 0x7000000
s_mov_b32 s103, 0x7000000
s_mov_b32 flat_scratch_lo, 64
s_lshr_b32 flat_scratch_hi, s11, 8
v_mov_b32 v4, 8
v_add_i32 v6, vcc, 5, v0
flat_store_dword v[4:5], v6
s_waitcnt vmcnt(0) lgkmcnt(0)
flat_load_dword v7, v[4:5]
s_waitcnt vmcnt(0) lgkmcnt(0)
buffer_load_dword v8, off, s[0:3], s11 offset:8`}
	k.setup = func(w *wave) {
		for l := range w.lanes {
			setV64(w, 4, l, device.PrivateAperture)
		}
	}
	r := k.run(t)
	for l := range 64 {
		if a, b := r.v(7, l), r.v(8, l); a != uint32(l)+5 || b != a {
			t.Fatalf("lane %d: %d through FLAT, %d through the buffer", l, a, b)
		}
	}
}

// TestLegacyMissing checks operands that only later sets have.
func TestLegacyMissing(t *testing.T) {
	for _, x := range []struct {
		cpu, want string
		word      uint32
	}{
		{"gfx600", "scalar registers at encoding 104 do not exist", 0xbe880368},
		{"gfx600", "1/(2*pi) does not exist", 0x7e0402f8},
		{"gfx700", "1/(2*pi) does not exist", 0x7e0402f8},
		{"gfx600", "scalar offset 198 is not a register", 0xc00400c6},
		{"gfx600", "scalar offset 255 is not a register", 0xc00400ff},
	} {
		f := kernelTest{cpu: x.cpu, text: fmt.Sprintf(".long %#x", x.word)}.try(t).fault()
		if f == nil || f.Kind != device.FaultIllegal || !strings.Contains(f.Message, x.want) {
			t.Errorf("%s %#x: %v, want %q", x.cpu, x.word, f, x.want)
		}
	}
}

// TestNegativeLDS checks an address register that is negative beside an offset:
// on gfx6 the access is out of range.
func TestNegativeLDS(t *testing.T) {
	for _, cpu := range []string{"gfx600", "gfx700"} {
		var list []string
		k := kernelTest{cpu: cpu, lds: 1024, text: `
s_mov_b32 m0, -1
v_lshlrev_b32 v3, 2, v0
v_add_i32 v3, vcc, -16, v3
v_add_i32 v4, vcc, 7, v0
ds_write_b32 v3, v4 offset:32
ds_read_b32 v5, v3 offset:32
v_add_i32 v6, vcc, 32, v3
ds_read_b32 v7, v6
ds_add_rtn_u32 v8, v3, v4 offset:32
ds_read2_b32 v[9:10], v3 offset0:8 offset1:9
s_waitcnt lgkmcnt(0)`, options: device.Options{Checks: device.CheckMemory, Finding: func(f *device.Finding) { list = append(list, f.Message) }}}
		r := k.run(t)
		for l := range 64 {
			want := uint32(l) + 7
			if cpu == "gfx600" && l < 4 {
				want = 0
			}
			for _, reg := range []int{5, 7, 8} {
				if got := r.v(reg, l); got != want {
					t.Errorf("%s: v%d of lane %d is %d, want %d", cpu, reg, l, got, want)
				}
			}
			if got := r.v(9, l); got != 2*want {
				t.Errorf("%s: v9 of lane %d is %d, want %d", cpu, l, got, 2*want)
			}
		}
		if want := map[string]int{"gfx600": 4}[cpu]; len(list) != want {
			t.Errorf("%s: findings %q, want %d", cpu, list, want)
		}
	}
}
