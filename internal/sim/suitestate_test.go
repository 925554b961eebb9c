package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// machineState holds the registers of a wave as the model sees them.
type machineState struct {
	v    []uint32 // VGPRs, then AGPRs, each with one dword per lane
	s    [128]uint32
	scc  bool
	mode uint32
	pc   int32 // relative to the instruction, in dwords
}

// suiteWave is a wave for executing single instructions, with its registers
// before and after the instruction.
type suiteWave struct {
	set       isa.Set
	lanes     int
	w         *wave
	entry     int32
	pre, post machineState
	changed   []int // indices of the elements of post.v written by the model
}

// newSuiteWave returns a wave with space for an instruction.
func newSuiteWave(t *testing.T, set isa.Set, lanes int) *suiteWave {
	k := kernelTest{cpu: set.String(), wave: lanes, text: strings.Repeat("s_nop 0\n", 64)}
	d, p, _ := k.load(t)
	l, err := d.newLaunch(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	w := (&worker{launch: l}).begin().waves[0]
	x := &suiteWave{set: set, lanes: lanes, w: w, entry: w.pc + 8}
	x.pre.v, x.post.v = make([]uint32, 2*numVGPRs*lanes), make([]uint32, 2*numVGPRs*lanes)
	return x
}

// randomize sets all registers to random values.
func (x *suiteWave) randomize(r *rand.Rand) {
	for i := range x.pre.v {
		x.pre.v[i] = edge32(r)
	}
	x.scalars(r)
	copy(x.post.v, x.pre.v)
	copy(x.w.v[:], x.pre.v)
}

// scalars sets SGPRs, EXEC, SCC and MODE to random values.
func (x *suiteWave) scalars(r *rand.Rand) {
	p := &x.pre
	for i := range p.s {
		p.s[i] = edge32(r)
	}
	all := ^uint64(0)
	exec := []uint64{all, 0, r.Uint64(), r.Uint64() & r.Uint64(), r.Uint64() | r.Uint64(), 1 << r.IntN(x.lanes), 0xffffffff, all << 32}[r.IntN(8)]
	p.s[126], p.s[127] = uint32(exec), uint32(exec>>32)
	if x.lanes == 32 {
		p.s[127] = r.Uint32() * r.Uint32N(2)
	}
	if r.IntN(6) == 0 {
		p.s[106], p.s[107] = 0, 0
	}
	if n := reguse.NullCode(x.set); n >= 0 {
		p.s[n] = 0
	}
	p.scc = r.IntN(2) == 0
	p.mode = r.Uint32() & 0x3ff
	if r.IntN(3) == 0 {
		p.mode = []uint32{0x3c0, 0x3f0, 0xf0, 0xc0, 0x1f0, 0}[r.IntN(6)]
	}
}

// exec returns the lanes active before the instruction.
func (x *suiteWave) exec() uint64 { return x.pre.mask(126, x.lanes) }

func (m *machineState) mask(at, lanes int) uint64 {
	if lanes == 32 {
		return uint64(m.s[at])
	}
	return uint64(m.s[at]) | uint64(m.s[at+1])<<32
}

func (m *machineState) setMask(at, lanes int, v uint64) {
	m.s[at] = uint32(v)
	if lanes == 64 {
		m.s[at+1] = uint32(v >> 32)
	}
}

// read and write access the vector registers. AGPR numbers follow the VGPR
// numbers.
func (x *suiteWave) read(reg, lane int) uint32 { return x.pre.v[reg*x.lanes+lane] }

func (x *suiteWave) write(reg, lane int, v uint32) {
	i := reg*x.lanes + lane
	x.post.v[i] = v
	x.changed = append(x.changed, i)
}

// setup sets the value of a vector register before the instruction.
func (x *suiteWave) setup(reg, lane int, v uint32) {
	if i := reg*x.lanes + lane; i < len(x.pre.v) {
		x.pre.v[i], x.post.v[i], x.w.v[i] = v, v, v
	}
}

// begin initializes the state after the instruction with the state before.
func (x *suiteWave) begin() {
	v := x.post.v
	x.post = x.pre
	x.post.v = v
	x.changed = x.changed[:0]
}

// run executes the instruction on the wave, starting from the state before.
func (x *suiteWave) run(in *isa.Inst) *device.Fault {
	w := x.w
	for i := range int(in.Size) / 4 {
		at := x.entry + int32(i)
		w.prog.ops[at].Store(nil)
		for b := range 4 {
			w.prog.region.Pages()[int(at)*4+b] = byte(in.Words[i] >> (8 * b))
		}
	}
	copy(w.s[:128], x.pre.s[:])
	w.scc = x.pre.scc
	w.setMode(x.pre.mode)
	w.pc, w.fault = x.entry, nil
	w.runInstructions(1)
	return w.fault
}

// settle makes the model's writes part of the state before the next
// instruction.
func (x *suiteWave) settle() {
	for _, i := range x.changed {
		x.pre.v[i] = x.post.v[i]
	}
}

// differences compares the wave's registers with the model's and then makes
// them equal.
func (x *suiteWave) differences() (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	w := x.w
	for i, want := range x.post.v {
		if got := w.v[i]; got != want {
			r := i / x.lanes
			add("%s lane %d: %#x, want %#x (was %#x)", reguse.Reg(r), i%x.lanes, got, want, x.pre.v[i])
			w.v[i] = want
		}
	}
	for i, want := range x.post.s {
		if got := w.s[i]; got != want {
			add("scalar register %d: %#x, want %#x (was %#x)", i, got, want, x.pre.s[i])
		}
	}
	if w.scc != x.post.scc {
		add("scc: %v, want %v", w.scc, x.post.scc)
	}
	if w.mode != x.post.mode || w.ctx.Mode != x.semMode(w.mode) {
		add("mode: %#x, want %#x", w.mode, x.post.mode)
	}
	if w.pc-x.entry != x.post.pc {
		add("pc: +%d, want +%d", w.pc-x.entry, x.post.pc)
	}
	return list
}

// semMode returns the mode of operations for a value of MODE. gfx12 behaves as if
// DX10_CLAMP and IEEE were set.
func (x *suiteWave) semMode(mode uint32) sem.Mode {
	if x.set.Gen() >= isa.Gen12 {
		mode |= 0x300
	}
	return sem.Mode(mode)
}
