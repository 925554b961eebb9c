package sim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
)

// accessType is the test's model of a load or store without format conversion.
type accessType struct {
	old, new string // names before and since gfx11
	bytes    int
	signed   bool
	half     int // half of the register: 1 low, 2 high, 0 the whole
}

var loadTypes = []accessType{
	{"ubyte", "u8", 1, false, 0}, {"sbyte", "i8", 1, true, 0}, {"ushort", "u16", 2, false, 0}, {"sshort", "i16", 2, true, 0},
	{"dword", "b32", 4, false, 0}, {"dwordx2", "b64", 8, false, 0}, {"dwordx3", "b96", 12, false, 0}, {"dwordx4", "b128", 16, false, 0},
	{"ubyte_d16", "d16_u8", 1, false, 1}, {"ubyte_d16_hi", "d16_hi_u8", 1, false, 2}, {"sbyte_d16", "d16_i8", 1, true, 1},
	{"sbyte_d16_hi", "d16_hi_i8", 1, true, 2}, {"short_d16", "d16_b16", 2, false, 1}, {"short_d16_hi", "d16_hi_b16", 2, false, 2},
}

var storeTypes = []accessType{
	{"byte", "b8", 1, false, 0}, {"short", "b16", 2, false, 0}, {"dword", "b32", 4, false, 0}, {"dwordx2", "b64", 8, false, 0},
	{"dwordx3", "b96", 12, false, 0}, {"dwordx4", "b128", 16, false, 0}, {"byte_d16_hi", "d16_hi_b8", 1, false, 2}, {"short_d16_hi", "d16_hi_b16", 2, false, 2},
}

func (a *accessType) name(cpu string) string {
	if strings.HasPrefix(cpu, "gfx11") {
		return a.new
	}
	return a.old
}

// has reports whether a processor has the type.
func (a *accessType) has(cpu string) bool {
	return (a.half == 0 || genOf(cpu) > 8) && (a.bytes != 12 || cpu != "gfx600")
}

// vregs returns the text of a tuple of n registers.
func vregs(first, n int) string {
	if n == 1 {
		return fmt.Sprintf("v%d", first)
	}
	return fmt.Sprintf("v[%d:%d]", first, first+n-1)
}

func (a *accessType) regs(first int) string { return vregs(first, max(a.bytes/4, 1)) }

// loaded returns register i after a load of b; old is its previous value.
func (a *accessType) loaded(b []byte, i int, old uint32) uint32 {
	if a.bytes >= 4 {
		return binary.LittleEndian.Uint32(b[i*4:])
	}
	v := uint32(b[0])
	if a.bytes == 2 {
		v = uint32(binary.LittleEndian.Uint16(b))
	}
	if sign := uint32(1) << (a.bytes*8 - 1); a.signed && v&sign != 0 {
		v |= ^(sign<<1 - 1)
	}
	switch a.half {
	case 1:
		return old>>16<<16 | v&0xffff
	case 2:
		return v<<16 | old&0xffff
	}
	return v
}

// stored returns the bytes that a store writes.
func (a *accessType) stored(reg func(i int) uint32) []byte {
	var b []byte
	for i := range max(a.bytes/4, 1) {
		v := reg(i)
		if a.half == 2 {
			v >>= 16
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b[:a.bytes]
}

// noise returns n pseudo-random bytes, determined by seed.
func noise(n int, seed uint64) []byte {
	key := [2]uint64{uint64(n), seed}
	b, ok := noises.Load(key)
	if !ok {
		made := make([]byte, n)
		rand.NewChaCha8([32]byte{byte(seed)}).Read(made)
		b, _ = noises.LoadOrStore(key, made)
	}
	return slices.Clone(b.([]byte))
}

var noises sync.Map

// pattern returns the initial value of a register's lane in tests.
func pattern(reg, lane int) uint32 { return uint32(reg)*0x01000193 ^ uint32(lane)*0x9e3779b1 ^ 0x5a5a }

func fillPattern(w *wave, first, n int) {
	for r := first; r < first+n; r++ {
		for l := range w.lanes {
			w.v[r*w.lanes+l] = pattern(r, l)
		}
	}
}

// argument reads pointer i from the kernarg segment.
func argument(w *wave, i int) uint64 {
	b, _ := w.dev.Memory.Bytes(w.pair(0)+uint64(i)*8, 8)
	return binary.LittleEndian.Uint64(b)
}

func setV64(w *wave, reg, lane int, v uint64) {
	w.v[reg*w.lanes+lane], w.v[(reg+1)*w.lanes+lane] = uint32(v), uint32(v>>32)
}

// eccOff disables SRAM ECC on processors that have it, so that 16-bit loads
// preserve the other half.
func eccOff(cpu string) string {
	if cpu == "gfx90a" || cpu == "gfx942" || cpu == "gfx950" {
		return "-sramecc"
	}
	return ""
}

// execs lists the EXEC masks that tests use.
var execs = []uint64{^uint64(0), 0x8000000180000001, 0x5a5a5a5aa5a5a5a5}

func TestGlobalAndFlat(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		for i, exec := range execs {
			for _, line := range []bool{true, false} {
				for _, form := range []string{"global s", "global v", "flat"} {
					if cpu == "gfx803" && form != "flat" {
						continue
					}
					c := &globalCase{cpu: cpu, lanes: lanes, exec: exec, form: form, line: line, seed: uint64(i)}
					for k := range loadTypes {
						c.load(t, &loadTypes[k])
					}
					for k := range storeTypes {
						c.store(t, &storeTypes[k])
					}
				}
			}
		}
	})
}

// globalCase is a kind of memory access to test.
type globalCase struct {
	cpu   string
	lanes int
	exec  uint64
	form  string
	line  bool // lanes access consecutive elements; otherwise arbitrary, possibly misaligned ones
	seed  uint64
}

const globalBytes = 4096

// offsets returns the buffer offset of each lane's element.
func (c *globalCase) offsets(a *accessType) []int {
	r := rand.New(rand.NewPCG(c.seed, uint64(a.bytes)))
	out := make([]int, c.lanes)
	for l := range out {
		out[l] = 512 + l*a.bytes
		if !c.line {
			out[l] = l*56 + r.IntN(40) // without overlap
		}
	}
	return out
}

func (c *globalCase) kernel(verb string, a *accessType, offsets []int) kernelTest {
	k := kernelTest{cpu: c.cpu, wave: c.lanes, features: eccOff(c.cpu), buffers: [][]byte{noise(globalBytes, c.seed)}}
	op := strings.Fields(c.form)[0] + "_" + verb + "_" + a.name(c.cpu)
	addr, imm := "v[2:3], off", "offset:-8"
	switch {
	case c.form == "flat" && c.cpu == "gfx803":
		addr, imm = "v[2:3]", ""
	case c.form == "flat":
		addr, imm = "v[2:3]", "offset:16"
		if c.cpu == "gfx1010" || c.cpu == "gfx1030" {
			imm = "offset:24"
		}
	case c.form == "global s":
		addr = "v2, s[4:5]"
	}
	if verb == "load" {
		k.text = op + " " + a.regs(8) + ", " + addr + " " + imm
	} else {
		k.text = op + " " + strings.Replace(addr, ",", ", "+a.regs(8)+",", 1) + " " + imm
		if !strings.Contains(addr, ",") {
			k.text = op + " " + addr + ", " + a.regs(8) + " " + imm
		}
	}
	by := 0
	fmt.Sscanf(imm, "offset:%d", &by)
	k.setup = func(w *wave) {
		base := argument(w, 0)
		fillPattern(w, 0, 16)
		for l, off := range offsets {
			if c.form == "global s" {
				w.v[2*w.lanes+l] = uint32(off - by + 64)
			} else {
				setV64(w, 2, l, base+uint64(off-by))
			}
		}
		w.setPair(4, base-64)
		w.setMask(sExec, c.exec&w.all)
	}
	return k
}

func (c *globalCase) load(t *testing.T, a *accessType) {
	t.Helper()
	if !a.has(c.cpu) {
		return
	}
	offsets := c.offsets(a)
	k := c.kernel("load", a, offsets)
	r := k.run(t)
	b := noise(globalBytes, c.seed)
	for l, off := range offsets {
		for i := range max(a.bytes/4, 1) {
			want := pattern(8+i, l)
			if c.exec>>l&1 != 0 {
				want = a.loaded(b[off:], i, want)
			}
			if got := r.v(8+i, l); got != want {
				t.Fatalf("%s, exec %#x: lane %d register %d is %#x, want %#x", k.text, c.exec, l, i, got, want)
			}
		}
	}
}

func (c *globalCase) store(t *testing.T, a *accessType) {
	t.Helper()
	if !a.has(c.cpu) {
		return
	}
	offsets := c.offsets(a)
	k := c.kernel("store", a, offsets)
	r := k.run(t)
	want := noise(globalBytes, c.seed)
	for l, off := range offsets {
		if c.exec>>l&1 != 0 {
			copy(want[off:], a.stored(func(i int) uint32 { return pattern(8+i, l) }))
		}
	}
	for i := range want {
		if r.buffers[0][i] != want[i] {
			t.Fatalf("%s, exec %#x: byte %d is %#x, want %#x", k.text, c.exec, i, r.buffers[0][i], want[i])
		}
	}
}

func TestUnmapped(t *testing.T) {
	for _, text := range []string{"global_load_dword v8, v[2:3], off", "global_store_dwordx2 v[2:3], v[8:9], off", "global_atomic_add v[2:3], v8, off", "flat_load_ubyte v8, v[2:3]"} {
		for _, addr := range []uint64{0, 1<<32 - 4, 1 << 40, ^uint64(0) - 2, device.GroupAperture - 1} {
			k := kernelTest{text: text, setup: func(w *wave) {
				for l := range w.lanes {
					setV64(w, 2, l, w.pair(0))
				}
				setV64(w, 2, 37, addr)
			}}
			f := k.try(t).fault()
			if f == nil || f.Kind != device.FaultMemory || f.Lane != 37 || f.Addr != addr {
				t.Errorf("%s at %#x: %+v", text, addr, f)
			}
		}
	}
}

func TestAGPRData(t *testing.T) {
	k := kernelTest{cpu: "gfx90a", text: "global_load_dwordx2 a[2:3], v2, s[4:5]\nglobal_store_dword v2, a3, s[4:5] offset:2048", buffers: [][]byte{noise(4096, 3)},
		setup: func(w *wave) {
			w.setPair(4, argument(w, 0))
			for l := range w.lanes {
				w.v[2*w.lanes+l] = uint32(l) * 8
			}
		}}
	r := k.run(t)
	for l := range 64 {
		if got, want := r.v(256+3, l), r.words(0)[l*2+1]; got != want {
			t.Fatalf("a3 of lane %d is %#x, want %#x", l, got, want)
		}
		if got, want := r.words(0)[512+l*2], r.words(0)[l*2+1]; got != want {
			t.Fatalf("lane %d stored %#x, want %#x", l, got, want)
		}
	}
}
