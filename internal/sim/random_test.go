package sim

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// randomCPUs lists processors that together cover every instruction set.
var randomCPUs = []string{"gfx600", "gfx700", "gfx801", "gfx803", "gfx810", "gfx900", "gfx904", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1011", "gfx1030", "gfx1100", "gfx1150", "gfx1200"}

// randomMachine runs random code.
type randomMachine struct {
	dev    *Device
	code   *device.Region
	buffer *device.Region
	desc   []byte
	disp   *device.Dispatch
	r      *rand.Rand
	places map[string]bool // locations of panics
}

const randomCodeSize = 2048 // in bytes

func newRandomMachine(t testing.TB, cpu string, lanes int, seed uint64, o device.Options) *randomMachine {
	t.Helper()
	tgt, err := target.New("", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	mem := device.NewMemory(64 << 20)
	d, err := New(tgt, mem, o)
	if err != nil {
		t.Fatal(err)
	}
	m := &randomMachine{dev: d, places: map[string]bool{}, r: rand.New(rand.NewPCG(seed, 1))}
	m.code, m.buffer = alloc(t, mem, make([]byte, 256+randomCodeSize), "code"), alloc(t, mem, make([]byte, 1<<16), "buffer")
	m.code.Code = true
	m.code.Pages()[len(m.code.Pages())-1] = 0xff // not an instruction
	desc := codeobject.KernelDescriptor{KernelCodeEntryByteOffset: 256, ComputePgmRsrc1: 63 | 15<<6, ComputePgmRsrc3: 31, KernelCodeProperties: 1 << 3}
	if lanes == 32 {
		desc.KernelCodeProperties |= 1 << 10
	}
	m.desc = desc.Append(nil)
	copy(m.code.Pages(), m.desc)
	size := uint32(2*lanes - 5)
	m.disp = &device.Dispatch{GroupSize: [3]uint16{uint16(size), 1, 1}, GridSize: [3]uint32{size, 1, 1}, KernelObject: m.code.Addr, Kernarg: m.buffer.Addr, LDSSize: 1000, PrivateSize: 64, Name: "random"}
	return m
}

// word returns a random register value: arbitrary, a small number, a lane mask,
// a float, or part of an address.
func (m *randomMachine) word() uint32 {
	r := m.r.Uint32()
	switch r >> 28 {
	case 0, 1:
		return r & 63
	case 2:
		return uint32(int32(r<<20) >> 20)
	case 3, 4:
		return uint32(m.buffer.Addr) + r&0xffff
	case 5, 6:
		return uint32(m.buffer.Addr >> 32)
	case 7:
		return uint32(device.GroupAperture >> 32)
	case 8:
		return uint32(device.PrivateAperture >> 32)
	case 9:
		return r & 0x80000000
	case 10:
		return 0x3f800000 + r&0xffffff
	case 11:
		return ^uint32(0)
	}
	return m.r.Uint32()
}

// registers sets a wave's registers to random values.
func (m *randomMachine) registers(w *wave, vgprs int) {
	for i := range w.s {
		w.s[i] = m.word()
	}
	w.s[sExec+1] &= uint32(w.all >> 32)
	for range vgprs {
		row := w.v[m.r.IntN(512)*w.lanes:]
		base, step := m.word(), m.r.Uint32()&15
		for l := range w.lanes {
			row[l] = base + uint32(l)*step
		}
		if m.r.IntN(4) == 0 {
			for l := range w.lanes {
				row[l] = m.word()
			}
		}
	}
}

// randomSample returns the instruction with random values in its fields.
func (m *randomMachine) randomSample(in isa.Inst) isa.Inst {
	for f := range isa.FieldIndexKey32bit + 1 {
		if !in.HasField(f) || f == isa.FieldOp {
			continue
		}
		switch m.r.IntN(4) {
		case 0:
			in.SetField(f, m.r.Uint32())
		case 1:
			in.SetField(f, in.Field(f)^1<<m.r.IntN(32))
		}
	}
	return in
}

// TestRandomInstructions checks that every instruction, with any field and
// register values, either executes or faults.
func TestRandomInstructions(t *testing.T) {
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	for _, cpu := range randomCPUs {
		for _, lanes := range []int{64, 32} {
			tgt, err := target.New("", cpu, "")
			if err != nil {
				t.Fatal(err)
			}
			set, _ := isa.SetOf(tgt.Processor)
			if lanes == 32 && set.Gen() < isa.Gen10 {
				continue
			}
			t.Run(fmt.Sprintf("%s-w%d", cpu, lanes), func(t *testing.T) {
				t.Parallel()
				m := newRandomMachine(t, cpu, lanes, uint64(set), device.Options{Workers: 1})
				ran := m.instructions(t, lanes, rounds)
				if few := map[bool]int{false: 750, true: 1000}[set.Has(isa.PropF16)]; ran < few {
					t.Errorf("only %d instructions ran", ran)
				}
				t.Logf("%d instructions ran without a fault", ran)
			})
		}
	}
}

// instructions runs single instructions and returns the number that did not
// fault.
func (m *randomMachine) instructions(t *testing.T, lanes, rounds int) (ran int) {
	l, err := m.dev.newLaunch(m.disp)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	g := (&worker{launch: l}).begin()
	dec := isa.NewDecoder(m.dev.set, lanes)
	for e := range isa.Enc(isa.NumEncs()) {
		in, ok := isa.Sample(e, m.dev.set, lanes)
		if !ok {
			continue
		}
		m.registers(g.waves[0], 64)
		for range rounds {
			random := m.randomSample(in)
			code := append(isa.Encode(nil, &random), make([]byte, 16)...)
			got, n, err := dec.DecodeAsHardware(code)
			if err == nil && m.one(t, g, &got, code[:n]) {
				ran++
			}
		}
	}
	return ran
}

// one runs one instruction on the group's first wave.
func (m *randomMachine) one(t *testing.T, g *group, in *isa.Inst, code []byte) bool {
	defer func() {
		if r := recover(); r != nil {
			if place := panicPlace(); !m.places[place] {
				t.Errorf("%v %s, bytes %x: %v at %s", in.Enc.Form(), in.Enc.Name(), code, r, place)
				m.places[place] = true
			}
		}
	}()
	w := g.waves[0]
	m.registers(w, 8)
	w.start(w.lanes)
	m.registers(w, 8)
	o := prepare(m.dev, in)
	o.next = 64 + int32(len(code)/4)
	w.at, w.pc = 64, o.next
	begin := time.Now()
	w.stop = running
	w.setMode(m.r.Uint32() & m.r.Uint32())
	if w.odd {
		w.runOther(o)
	} else {
		o.run(w, o)
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("%s, bytes %x: took %v", in.Enc.Name(), code, d)
	}
	return w.stop != faulted
}

// programs calls f with programs of a few dozen instructions with random
// fields.
func (m *randomMachine) programs(lanes, each int, f func(code []byte)) {
	var code []byte
	for e := range isa.Enc(isa.NumEncs()) {
		in, ok := isa.Sample(e, m.dev.set, lanes)
		if !ok || m.r.IntN(each) != 0 {
			continue
		}
		random := m.randomSample(in)
		if code = isa.Encode(code, &random); len(code) > 200 {
			f(code)
			code = nil
		}
	}
}

// randomOptions returns device options determined by seed.
func randomOptions(seed uint64) device.Options {
	o := device.Options{Workers: 1}
	if seed&1 != 0 {
		o.Checks, o.Finding = device.CheckAll, func(*device.Finding) {}
	}
	return o
}

// TestRandomPrograms runs random programs, with and without checks.
func TestRandomPrograms(t *testing.T) {
	for i, cpu := range randomCPUs {
		for seed := range uint64(4) {
			lanes := 64
			if seed&2 != 0 && len(cpu) == 7 {
				lanes = 32
			}
			m := newRandomMachine(t, cpu, lanes, uint64(i)*4+seed, randomOptions(seed))
			m.programs(lanes, 6, func(code []byte) { runRandom(t, m, code) })
		}
	}
}

// FuzzCode runs arbitrary bytes as a kernel, which must end, fault or be
// stopped.
func FuzzCode(f *testing.F) {
	for i, cpu := range randomCPUs {
		m := newRandomMachine(f, cpu, 64, uint64(i), device.Options{})
		m.programs(64, 10, func(code []byte) { f.Add(uint8(i), m.r.Uint64(), code) })
	}
	f.Fuzz(func(t *testing.T, cpu uint8, seed uint64, code []byte) {
		lanes := 64
		name := randomCPUs[int(cpu)%len(randomCPUs)]
		if cpu >= 128 && len(name) == 7 {
			lanes = 32
		}
		runRandom(t, newRandomMachine(t, name, lanes, seed, randomOptions(seed)), code)
	})
}

// runRandom runs code for at most 20,000 instructions per wave.
func runRandom(t *testing.T, m *randomMachine, code []byte) {
	copy(m.code.Pages(), m.desc) // the code may have overwritten the descriptor
	n := copy(m.code.Pages()[256:256+randomCodeSize], code)
	clear(m.code.Pages()[256+n : 256+randomCodeSize])
	m.code.Derived.Clear()
	l, err := m.dev.newLaunch(m.disp)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	k := &worker{launch: l}
	g := k.begin()
	for _, w := range g.waves {
		m.registers(w, 100)
	}
	begin := time.Now()
	for range 50 {
		for _, w := range g.waves {
			if w.stop == ended {
				continue
			}
			if w.stop == faulted {
				m.afterFault(t, l, w)
			}
			w.stop = yielded // barriers do not block the wave
			w.runInstructions(100)
		}
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
}

// afterFault checks a fault and lets the wave continue after the instruction.
func (m *randomMachine) afterFault(t *testing.T, l *launch, w *wave) {
	if w.fault == nil || w.fault.Error() == "" || w.fault.Kind == device.FaultBug {
		t.Errorf("uninformative fault: %+v", w.fault)
	}
	l.describe(w.fault)
	if w.fault.Error() == "" {
		t.Error("no text")
	}
	w.fault, w.stop = nil, yielded
	w.pc = w.at + 1
	m.registers(w, 2)
}

// FuzzDispatch runs an empty kernel with arbitrary descriptors and dispatch
// sizes.
func FuzzDispatch(f *testing.F) {
	m := newRandomMachine(f, "gfx900", 64, 1, device.Options{})
	f.Add(uint8(3), m.desc, uint16(64), uint16(1), uint16(1), uint32(100), uint32(1), uint32(1), uint32(0), uint32(0), uint64(0))
	f.Add(uint8(7), m.desc, uint16(1), uint16(1), uint16(1), ^uint32(0), ^uint32(0), ^uint32(0), uint32(64<<10), uint32(1<<20), uint64(256))
	f.Add(uint8(12), append(m.desc[:16:16], make([]byte, 48)...), uint16(1024), uint16(1), uint16(1), uint32(1), uint32(1), uint32(1), uint32(0), uint32(16<<20), uint64(64))
	all := make([]byte, codeobject.KernelDescriptorSize)
	for i := range all {
		all[i] = 0xff
	}
	f.Add(uint8(8), all, uint16(8), uint16(8), uint16(16), uint32(9), uint32(9), uint32(17), uint32(1), uint32(12), uint64(1))
	f.Fuzz(func(t *testing.T, cpu uint8, desc []byte, x, y, z uint16, gx, gy, gz, lds, private uint32, object uint64) {
		m := newRandomMachine(t, randomCPUs[int(cpu)%len(randomCPUs)], 64, 1, device.Options{Workers: 2, Timeout: 50 * time.Millisecond})
		copy(m.code.Pages(), desc[:min(len(desc), len(m.desc))])
		binary.LittleEndian.PutUint64(m.code.Pages()[16:], uint64(int64(256)))
		if object&1 != 0 && len(desc) >= len(m.desc) {
			copy(m.code.Pages()[16:24], desc[16:])
		}
		binary.LittleEndian.PutUint32(m.code.Pages()[256:], 0xbf810000)   // s_endpgm up to gfx10
		binary.LittleEndian.PutUint32(m.code.Pages()[256+4:], 0xbfb00000) // gfx11
		d := *m.disp
		d.GroupSize, d.GridSize = [3]uint16{x, y, z}, [3]uint32{gx, gy, gz}
		d.LDSSize, d.PrivateSize, d.KernelObject = lds, private, d.KernelObject+object&^1
		begin := time.Now()
		_, err := m.dev.Run(context.Background(), &d)
		var fault *device.Fault
		if errors.As(err, &fault) && fault.Kind == device.FaultBug || err != nil && err.Error() == "" {
			t.Errorf("%v", err)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
	})
}
