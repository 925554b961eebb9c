package sim

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
)

// hostileWave returns a wave whose kernel has run, with LDS, scratch memory and
// a buffer.
func hostileWave(t testing.TB, cpu string, lanes int) *wave {
	k := kernelTest{cpu: cpu, wave: lanes, text: "s_nop 0", lds: 256, private: 64, buffers: [][]byte{noise(8192, 1)}}
	w := k.run(t).waves[0]
	renewScratch(t, w)
	return w
}

// renewScratch replaces the scratch memory of a wave, which its launch has
// freed.
func renewScratch(t testing.TB, w *wave) {
	l := w.group.launch
	if l.scratch == nil {
		return
	}
	l.scratch = alloc(t, l.dev.Memory, make([]byte, l.scratch.Size), l.scratch.Name)
	w.scratch.base = l.scratch.Addr + w.scratch.offset
	w.scratch.mem = l.scratch.Pages()[w.scratch.offset:][:len(w.scratch.mem)]
}

// hostile sets the wave's registers to values near its memory and to arbitrary
// values.
func hostile(w *wave, r *rand.Rand) {
	b, _ := w.dev.Memory.Bytes(w.group.launch.disp.Kernarg, 8)
	base := binary.LittleEndian.Uint64(b)
	values := []uint64{base, base + 8190, base + 64, device.GroupAperture, device.GroupAperture + 250, device.PrivateAperture + 60, w.scratch.base, 0, ^uint64(0), 1 << 47, r.Uint64()}
	for i := 0; i < len(w.s); i += 2 {
		w.setPair(int32(i), values[r.IntN(len(values))]+uint64(r.IntN(16)))
	}
	if r.IntN(2) == 0 {
		rsrc := w.group.launch.scratchResource()
		for i := 0; i < 96; i += 4 {
			copy(w.s[i:], rsrc[:])
		}
	}
	lanes := w.lanes
	var rows [16][2][64]uint32
	for i := range rows {
		v := values[i%len(values)]
		for l := range lanes {
			x := v + uint64(r.IntN(64))
			rows[i][0][l], rows[i][1][l] = uint32(x), uint32(x>>32)
		}
	}
	row := &rows[0]
	for reg := range 512 {
		if reg&1 == 0 {
			row = &rows[r.IntN(16)]
		}
		copy(w.v[reg*lanes:][:lanes], row[reg&1][:])
	}
	w.setMask(sExec, r.Uint64()|uint64(r.Uint32N(2))*^uint64(0))
	w.flatScratch = values[r.IntN(len(values))]
	w.stop, w.fault, w.at = running, nil, int32((w.group.launch.kernel.entry-w.prog.region.Addr)/4)
}

// memoryForm reports whether a format is a memory format.
func memoryForm(f isa.Form) bool {
	return f == isa.SMEM || f == isa.FLAT || f == isa.MUBUF || f == isa.MTBUF
}

// TestHostileMemory executes memory instructions with random bits and random
// register values. The only permitted outcome other than success is a fault.
// Instructions that name nonexistent registers are illegal.
func TestHostileMemory(t *testing.T) {
	forWaves(t, append(testCPUs, "gfx1200"), func(t *testing.T, cpu string, lanes int) {
		w := hostileWave(t, cpu, lanes)
		r := rand.New(rand.NewPCG(11, uint64(lanes)))
		faults, ran := map[device.FaultKind]int{}, 0
		for e := range isa.Enc(isa.NumEncs()) {
			if !memoryForm(e.Form()) || !e.Sets().Has(w.dev.set) {
				continue
			}
			for range 12 {
				in := isa.New(e, w.dev.set, lanes)
				for f := range isa.Field(64) {
					if p := in.Place(f); p.Width != 0 && f != isa.FieldOp && f != isa.FieldOpHi && f != isa.FieldSeg {
						in.SetField(f, r.Uint32())
					}
				}
				hostile(w, r)
				o := prepare(w.dev, &in)
				o.run(w, o)
				switch f := w.fault; {
				case f == nil:
					ran++
				case f.Kind == device.FaultIllegal && o.why == "":
					t.Errorf("%s: %v", in.Enc.Name(), f)
				default:
					faults[f.Kind]++
				}
			}
		}
		if ran == 0 || faults[device.FaultMemory] == 0 || faults[device.FaultIllegal] == 0 {
			t.Errorf("%d ran, faults by kind: %v", ran, faults)
		}
	})
}

func FuzzMemoryInstruction(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0x50, 0xdc, 0, 0, 4, 1}, uint64(1))
	var waves []*wave
	for _, cpu := range testCPUs {
		waves = append(waves, hostileWave(f, cpu, 64))
	}
	f.Fuzz(func(t *testing.T, code []byte, seed uint64) {
		if len(code) < 9 {
			return
		}
		w := waves[int(code[0])%len(waves)]
		in, _, err := isa.NewDecoder(w.dev.set, 64).Decode(code[1:])
		if err != nil || !memoryForm(in.Enc.Form()) {
			return
		}
		hostile(w, rand.New(rand.NewPCG(seed, 1)))
		o := prepare(w.dev, &in)
		o.run(w, o)
	})
}
