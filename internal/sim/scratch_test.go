package sim

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// scratchByte returns the position of a lane's byte in the wave's scratch
// memory.
func scratchByte(lanes, lane, off int) int { return off/4*4*lanes + lane*4 + off%4 }

// scratchBytes reads bytes of a lane's scratch memory.
func scratchBytes(w *wave, lane, off, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = w.scratch.mem[scratchByte(w.lanes, lane, off+i)]
	}
	return b
}

const privateBytes = 256

// fillScratch fills scratch memory with noise and points FLAT_SCRATCH at it.
func fillScratch(w *wave) {
	copy(w.scratch.mem, noise(len(w.scratch.mem), 9))
	w.setFlatScratch(w.scratch.base)
	if w.dev.set.String() == "gfx803" {
		w.s[103] = uint32(w.scratch.offset >> 8)
	}
}

// scratchModes lists the scratch addressing modes as operand text, with the
// resulting offset of each lane. s6 is 12, v2 depends on the lane.
var scratchModes = []struct {
	text string
	cpus string
	off  func(lane int) int
}{
	{"v2, off offset:8", "", func(l int) int { return lanesOffset(l) + 8 }},
	{"off, s6 offset:8", "", func(l int) int { return 20 }},
	{"off, s6 offset:9", "", func(l int) int { return 21 }},
	{"off, off offset:40", "gfx942 gfx1030 gfx1100", func(l int) int { return 40 }},
	{"v2, s6 offset:4", "gfx942 gfx1100", func(l int) int { return lanesOffset(l) + 16 }},
	{"v2, off offset:-16", "", func(l int) int { return lanesOffset(l) - 16 }},
}

func lanesOffset(l int) int { return 16 + l*3%61*3 }

func TestScratch(t *testing.T) {
	cpus := testCPUs[1:]
	forWaves(t, cpus, func(t *testing.T, cpu string, lanes int) {
		for _, exec := range execs {
			for _, mode := range scratchModes {
				if !strings.Contains(mode.cpus, cpu) && mode.cpus != "" {
					continue
				}
				for i := range loadTypes {
					scratchLoad(t, cpu, lanes, exec, mode.text, &loadTypes[i], mode.off)
				}
				for i := range storeTypes {
					scratchStore(t, cpu, lanes, exec, mode.text, &storeTypes[i], mode.off)
				}
			}
		}
	})
}

func scratchKernel(cpu string, lanes int, exec uint64, text string) kernelTest {
	return kernelTest{cpu: cpu, wave: lanes, features: eccOff(cpu), private: privateBytes, text: text, lds: 1024, setup: func(w *wave) {
		fillPattern(w, 0, 16)
		fillScratch(w)
		for l := range w.lanes {
			w.v[2*w.lanes+l] = uint32(lanesOffset(l))
		}
		w.s[6] = 12
		w.setMask(sExec, exec&w.all)
	}}
}

func scratchLoad(t *testing.T, cpu string, lanes int, exec uint64, addr string, a *accessType, off func(int) int) {
	t.Helper()
	k := scratchKernel(cpu, lanes, exec, fmt.Sprintf("scratch_load_%s %s, %s", a.name(cpu), a.regs(8), addr))
	r := k.run(t)
	for l := range lanes {
		for i := range max(a.bytes/4, 1) {
			want := pattern(8+i, l)
			if exec>>l&1 != 0 {
				want = a.loaded(scratchBytes(r.waves[0], l, off(l), a.bytes), i, want)
			}
			if got := r.v(8+i, l); got != want {
				t.Fatalf("%s %s: lane %d register %d is %#x, want %#x", cpu, k.text, l, i, got, want)
			}
		}
	}
}

func scratchStore(t *testing.T, cpu string, lanes int, exec uint64, addr string, a *accessType, off func(int) int) {
	t.Helper()
	v, rest, _ := strings.Cut(addr, ",")
	k := scratchKernel(cpu, lanes, exec, fmt.Sprintf("scratch_store_%s %s, %s, %s", a.name(cpu), v, a.regs(8), rest))
	w := k.run(t).waves[0]
	want := noise(len(w.scratch.mem), 9)
	for l := range lanes {
		if exec>>l&1 != 0 {
			for i, b := range a.stored(func(i int) uint32 { return pattern(8+i, l) }) {
				want[scratchByte(lanes, l, off(l)+i)] = b
			}
		}
	}
	for i, b := range want {
		if w.scratch.mem[i] != b {
			t.Fatalf("%s %s: byte %d is %#x, want %#x", cpu, k.text, i, w.scratch.mem[i], b)
		}
	}
}

func TestScratchOverrun(t *testing.T) {
	for _, text := range []string{"scratch_store_dword v2, v8, off", "scratch_load_dwordx4 v[8:11], v2, off", "scratch_load_ubyte v8, off, s6", "flat_load_dword v8, v[4:5]"} {
		for _, off := range []uint32{privateBytes, 0xfffffffe, 1 << 31} {
			k := scratchKernel("gfx900", 64, ^uint64(0), text)
			fill := k.setup
			k.setup = func(w *wave) {
				fill(w)
				w.v[2*64+5], w.s[6] = off, off
				for l := range w.lanes {
					setV64(w, 4, l, device.PrivateAperture+4)
				}
				setV64(w, 4, 5, device.PrivateAperture|uint64(off))
			}
			f := k.try(t).fault()
			if f == nil || f.Kind != device.FaultStack || f.Lane != 5 && f.Lane != 0 {
				t.Errorf("%s at %#x: %+v", text, off, f)
			}
		}
	}
	k := scratchKernel("gfx900", 64, ^uint64(0), "buffer_store_dwordx2 v[8:9], v2, s[12:15], s6 offen")
	fill := k.setup
	k.setup = func(w *wave) {
		fill(w)
		rsrc := w.group.launch.scratchResource()
		copy(w.s[12:], rsrc[:])
		w.s[6] = uint32(w.scratch.offset)
		w.v[2*64+5] = privateBytes - 4
	}
	if f := k.try(t).fault(); f == nil || f.Kind != device.FaultStack || f.Lane != 5 {
		t.Errorf("%s: %+v", k.text, f)
	}
	k = kernelTest{text: "scratch_load_dword v8, off, s6"}
	if f := k.try(t).fault(); f == nil || f.Kind != device.FaultStack {
		t.Errorf("without scratch memory: %+v", f)
	}
}

// TestFlatApertures accesses LDS, scratch memory and a buffer with different
// lanes of one instruction.
func TestFlatApertures(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		for i := range loadTypes {
			apertureLoad(t, cpu, lanes, &loadTypes[i])
		}
		for i := range storeTypes {
			apertureStore(t, cpu, lanes, &storeTypes[i])
		}
	})
}

// apertureKernel returns a kernel whose lanes alternate between a buffer, LDS
// and scratch memory.
func apertureKernel(cpu string, lanes int, text string) kernelTest {
	k := scratchKernel(cpu, lanes, ^uint64(0), text)
	k.buffers = [][]byte{noise(4096, 4)}
	fill := k.setup
	k.setup = func(w *wave) {
		fill(w)
		copy(w.group.lds, noise(1024, 5))
		for l := range w.lanes {
			bases := [3]uint64{argument(w, 0), device.GroupAperture, device.PrivateAperture}
			setV64(w, 4, l, bases[l%3]+uint64(apertureOffset(l)))
		}
	}
	return k
}

// apertureOffset returns a lane's offset, which is valid in scratch memory. One
// lane is outside LDS.
func apertureOffset(l int) int {
	if l == 4 {
		return 1020
	}
	return l%3/2*(l*2) + (1-l%3/2)*l*15
}

func apertureLoad(t *testing.T, cpu string, lanes int, a *accessType) {
	t.Helper()
	if !a.has(cpu) {
		return
	}
	r := apertureKernel(cpu, lanes, fmt.Sprintf("flat_load_%s %s, v[4:5]", a.name(cpu), a.regs(8))).run(t)
	lds := append(noise(1024, 5), make([]byte, 64)...)
	for l := range lanes {
		off := apertureOffset(l)
		var b []byte
		switch l % 3 {
		case 0:
			b = noise(4096, 4)[off:]
		case 1:
			b = lds[off:]
		case 2:
			b = scratchBytes(r.waves[0], l, off, 16)
		}
		for i := range max(a.bytes/4, 1) {
			if got, want := r.v(8+i, l), a.loaded(b, i, pattern(8+i, l)); got != want {
				t.Fatalf("%s flat_load_%s: lane %d register %d is %#x, want %#x", cpu, a.old, l, i, got, want)
			}
		}
	}
}

func apertureStore(t *testing.T, cpu string, lanes int, a *accessType) {
	t.Helper()
	if !a.has(cpu) {
		return
	}
	r := apertureKernel(cpu, lanes, fmt.Sprintf("flat_store_%s v[4:5], %s", a.name(cpu), a.regs(8))).run(t)
	w := r.waves[0]
	private := noise(len(w.scratch.mem), 9)
	lds, buf := append(noise(1024, 5), make([]byte, 64)...), noise(4096, 4)
	for l := range lanes {
		off := apertureOffset(l)
		for i, b := range a.stored(func(i int) uint32 { return pattern(8+i, l) }) {
			switch l % 3 {
			case 0:
				buf[off+i] = b
			case 1:
				lds[off+i] = b
			case 2:
				private[scratchByte(lanes, l, off+i)] = b
			}
		}
	}
	for _, x := range []struct {
		name      string
		got, want []byte
	}{{"buffer", r.buffers[0], buf}, {"LDS", w.group.lds, lds[:1024]}, {"scratch", w.scratch.mem, private}} {
		if string(x.got) != string(x.want) {
			t.Fatalf("%s flat_store_%s: %s differs", cpu, a.old, x.name)
		}
	}
}

// TestPrivateBuffer accesses scratch memory through the private segment buffer,
// with the wave's offset in the scalar offset or in the resource, and with a
// stack pointer.
func TestPrivateBuffer(t *testing.T) {
	cpus := []string{"gfx803", "gfx900", "gfx90a", "gfx1010", "gfx1030"}
	forWaves(t, cpus, func(t *testing.T, cpu string, lanes int) {
		for _, text := range []string{
			"buffer_store_dword v8, off, s[12:15], s6 offset:24\nbuffer_load_dword v9, off, s[12:15], s6 offset:24",
			"buffer_store_dwordx4 v[8:11], v2, s[12:15], s6 offen offset:8\nbuffer_load_ubyte v9, v2, s[12:15], s6 offen offset:9",
			"buffer_store_dwordx2 v[8:9], off, s[16:19], s7\nbuffer_load_sshort v9, off, s[16:19], s7 offset:6",
		} {
			for _, exec := range execs {
				privateBufferRun(t, cpu, lanes, exec, text)
			}
		}
	})
}

func privateBufferRun(t *testing.T, cpu string, lanes int, exec uint64, text string) {
	t.Helper()
	const stack = 16 // bytes per lane
	k := scratchKernel(cpu, lanes, exec, text)
	k.group = [3]int{lanes * 2}
	k.options.Checks = device.Checks(len(text)) & device.CheckMemory // with and without a check
	fill := k.setup
	k.setup = func(w *wave) {
		fill(w)
		rsrc := w.group.launch.scratchResource()
		copy(w.s[12:], rsrc[:])
		copy(w.s[16:], rsrc[:])
		w.setPair(16, w.pair(16)+w.scratch.offset)
		w.s[6] = uint32(w.scratch.offset) + stack*uint32(w.lanes)
		w.s[7] = stack * uint32(w.lanes)
	}
	for _, w := range k.run(t).waves {
		for l := range lanes {
			if exec>>l&1 == 0 {
				continue
			}
			at, load := stack+24, func() uint32 { return pattern(8, l) }
			switch {
			case strings.Contains(text, "offen"):
				at, load = stack+lanesOffset(l)+8, func() uint32 { return pattern(8, l) >> 8 & 0xff }
			case strings.Contains(text, "x2"):
				at, load = stack, func() uint32 { return uint32(int32(pattern(9, l)) >> 16) }
			}
			if got := binary.LittleEndian.Uint32(scratchBytes(w, l, at, 4)); got != pattern(8, l) {
				t.Fatalf("%s %s: lane %d of wave %d stored %#x, want %#x", cpu, text, l, w.index, got, pattern(8, l))
			}
			if got := w.v[9*lanes+l]; got != load() {
				t.Fatalf("%s %s: lane %d loaded %#x, want %#x", cpu, text, l, got, load())
			}
		}
	}
}
