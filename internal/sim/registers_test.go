package sim

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// TestMissingRegisters checks that instructions with nonexistent registers are
// illegal.
func TestMissingRegisters(t *testing.T) {
	for _, c := range []struct {
		cpu     string
		code    []uint32
		message string // "" if the instruction is legal
	}{
		{"gfx900", []uint32{0x7ffc0500}, "the destination with encoding 254 is not a register"}, // v_readfirstlane_b32
		{"gfx900", []uint32{0x7f000500}, "the destination with encoding 128 is not a register"},
		{"gfx900", []uint32{0x7efa0500}, "1 scalar registers at encoding 125 do not exist on gfx900"},
		{"gfx900", []uint32{0x7ed00500}, ""}, // xnack_mask_lo
		{"gfx900", []uint32{0x7ee00500}, ""}, // ttmp4
		{"gfx1010", []uint32{0x7efa0500}, ""},
		{"gfx900", []uint32{0xd28900fe, 0x00010100}, "the destination with encoding 254 is not a register"}, // v_readlane_b32
		{"gfx900", []uint32{0xd0ca00ff, 0x00020300}, "the destination with encoding 255 is not a register"}, // v_cmp_eq_u32
		{"gfx900", []uint32{0xbe8000fe}, "lds_direct is not an operand of s_mov_b32"},
		{"gfx803", []uint32{0xbe8000eb}, "scalar source 235 does not exist on gfx803"}, // src_shared_base
		{"gfx900", []uint32{0xbe8000eb}, ""},
		{"gfx900", []uint32{0xdc548000, 0xff7f0002}, "v[255:256] extends past v255"}, // global_load_dwordx2
		{"gfx900", []uint32{0xdc508000, 0x007f00ff}, "v[255:256] extends past v255"}, // its address registers
		{"gfx900", []uint32{0xd1fe00ff, 0x02060502}, ""},                             // v_lshl_or_b32 v255
		{"gfx900", []uint32{0xe0500000, 0x801f0000}, "invalid encoding for gfx900"},  // buffer_load_dword with resource s[124:127]
	} {
		text := ""
		for _, w := range c.code {
			text += "\t.long 0x" + strconv.FormatUint(uint64(w), 16) + "\n"
		}
		r := kernelTest{cpu: c.cpu, text: text}.try(t)
		got := ""
		if f := r.fault(); f != nil {
			got = f.Message
			if f.Kind != device.FaultIllegal {
				got = f.Error()
			}
		}
		if got != c.message {
			t.Errorf("%s %08x: %q, want %q", c.cpu, c.code, got, c.message)
		}
	}
}

// operandValues returns the values to test in a field of the given width: all
// values if GFX_SUITE_TRIES is set, otherwise those at the boundaries of
// encoding ranges.
func operandValues(width uint8) (list []uint32) {
	all := os.Getenv("GFX_SUITE_TRIES") != ""
	for v := range uint32(1) << min(width, 9) {
		low := v & 255
		if all || low < 2 || low > 99 && low < 130 || low > 190 && low < 194 || low > 207 && low < 212 || low > 228 {
			list = append(list, v)
		}
	}
	return list
}

// TestOperandValues runs every instruction with every value in each of its
// fields. Each run must complete or fault, and must not write a nonexistent
// register.
func TestOperandValues(t *testing.T) {
	cpus := []string{"gfx600", "gfx700", "gfx803", "gfx900", "gfx90a", "gfx1010", "gfx1100"}
	if testing.Short() {
		cpus = []string{"gfx900", "gfx1100"}
	}
	for _, cpu := range cpus {
		t.Run(cpu, func(t *testing.T) {
			t.Parallel()
			lanes := 64
			if strings.HasPrefix(cpu, "gfx1") {
				lanes = 32
			}
			m := newRandomMachine(t, cpu, lanes, 7, device.Options{Workers: 1})
			m.operandValues(t, lanes)
		})
	}
}

// operandValues runs TestOperandValues for one processor.
func (m *randomMachine) operandValues(t *testing.T, lanes int) {
	l, err := m.dev.newLaunch(m.disp)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	w := (&worker{launch: l}).begin().waves[0]
	dec := isa.NewDecoder(m.dev.set, lanes)
	m.registers(w, 100)
	beyond := w.v[numVGPRs*lanes : 2*numVGPRs*lanes]
	if g := m.dev.set.Gen(); g == isa.Gen90A || g == isa.Gen940 {
		beyond = w.v[(2*numVGPRs+1)*lanes:]
	}
	before := slices.Clone(beyond)
	ran, illegal := 0, 0
	for e := range isa.Enc(isa.NumEncs()) {
		in, ok := isa.Sample(e, m.dev.set, lanes)
		if !ok {
			continue
		}
		in.EachField(func(f isa.Field, p isa.Place) {
			for _, v := range operandValues(p.Width) {
				try := in
				word := &try.Words[p.Shift>>5]
				*word = *word&^((1<<p.Width-1)<<(p.Shift&31)) | v<<(p.Shift&31)
				code := append(isa.Encode(nil, &try), make([]byte, 16)...)
				got, n, err := dec.DecodeAsHardware(code)
				if err != nil {
					continue
				}
				m.try(t, w, &got, code[:n])
				if w.fault != nil && w.fault.Kind == device.FaultIllegal {
					illegal++
				} else {
					ran++
				}
				if w.fault != nil && w.fault.Kind == device.FaultBug {
					t.Fatalf("%x: %v", code[:n], w.fault)
				}
			}
		})
		if !slices.Equal(beyond, before) {
			t.Fatalf("%s %s writes past the last register", e.Form(), e.Name())
		}
	}
	t.Logf("%d instructions ran, %d were illegal", ran, illegal)
	if ran < 10000 || illegal < 100 {
		t.Error("too few")
	}
}

// try runs an instruction on a wave.
func (m *randomMachine) try(t *testing.T, w *wave, in *isa.Inst, code []byte) {
	defer func() {
		if r := recover(); r != nil {
			if place := panicPlace(); !m.places[place] {
				t.Errorf("%v %s, bytes %x: %v at %s", in.Enc.Form(), in.Enc.Name(), code, r, place)
				m.places[place] = true
			}
		}
	}()
	o := prepare(m.dev, in)
	w.at, w.pc, w.stop, w.fault = 64, 66, running, nil
	w.prog = w.group.launch.kernel.prog
	w.setMode(0)
	w.setMask(sExec, 5)
	w.setPair(0, m.buffer.Addr)
	o.run(w, o)
}
