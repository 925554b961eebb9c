package sim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Registers of the instructions under test.
const (
	dsDst   = 8
	dsAddr  = 4
	dsData0 = 12
	dsData1 = 16
)

// dsEncs lists the encodings of form DS that a processor has.
func dsEncs(t testing.TB, cpu string) (set isa.Set, encs []isa.Enc) {
	t.Helper()
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, "")
	if err != nil {
		t.Fatal(err)
	}
	set, _ = isa.SetOf(tgt.Processor)
	for e := range isa.Enc(isa.NumEncs()) {
		if f := e.Form(); (f == isa.DS || f == isa.LDSDIR) && e.Sets().Has(set) {
			encs = append(encs, e)
		}
	}
	return set, encs
}

// dsWords encodes an instruction with the test registers.
func dsWords(e isa.Enc, set isa.Set, wave int, offset uint32, gds bool) isa.Inst {
	in := isa.New(e, set, wave)
	ops := e.Operands()
	for i := range ops {
		p := &ops[i]
		switch p.Field {
		case isa.FieldVdst:
			in.SetField(p.Field, dsDst)
		case isa.FieldAddr:
			in.SetField(p.Field, dsAddr)
		case isa.FieldData0:
			in.SetField(p.Field, dsData0)
		case isa.FieldData1:
			in.SetField(p.Field, dsData1)
		case isa.FieldOffset:
			in.SetField(p.Field, offset)
		case isa.FieldOffset0:
			in.SetField(p.Field, offset&0xff)
		case isa.FieldOffset1:
			in.SetField(p.Field, offset>>8)
		}
		if p.Class.Info().Files == isa.FileA {
			in.SetField(isa.FieldAcc, 1)
		}
	}
	if gds {
		in.SetField(isa.FieldGds, 1)
	}
	return in
}

// dsText returns instructions as data directives.
func dsText(list ...isa.Inst) string {
	var b strings.Builder
	for i := range list {
		code := isa.Encode(nil, &list[i])
		for len(code) > 0 {
			fmt.Fprintf(&b, ".long %#x\n", binary.LittleEndian.Uint32(code))
			code = code[4:]
		}
	}
	return b.String()
}

// dsModel is a reference model of DS instructions for one wave.
type dsModel struct {
	set   isa.Set
	lanes int
	v     [512][64]uint32
	mem   []byte // LDS, or the part of GDS selected by M0
	exec  uint64
	m0    uint32
	acc   int // 256 if the data is in AGPRs
	gds   bool
}

// random fills registers and memory.
func (m *dsModel) random(r *rand.Rand, size int) {
	for i := range m.v[:32] {
		for l := range m.v[i] {
			m.v[i][l], m.v[256+i][l] = r.Uint32(), r.Uint32()
		}
	}
	m.mem = make([]byte, size)
	for i := range m.mem {
		m.mem[i] = byte(r.Uint32())
	}
	all := ^uint64(0) >> (64 - m.lanes)
	if m.exec = r.Uint64() & all; r.IntN(3) == 0 {
		m.exec = all
	}
	m.m0 = 0xffffffff
	if m.set.Gen() <= isa.Gen8 && r.IntN(3) == 0 {
		m.m0 = r.Uint32N(uint32(size) + 20)
	}
}

// load copies the model's state to a wave.
func (m *dsModel) load(w *wave) {
	for i := range m.v {
		copy(w.v[i*w.lanes:], m.v[i][:w.lanes])
	}
	w.setMask(sExec, m.exec)
	w.s[reguse.M0Code(m.set)] = m.m0
}

// compare reports differences between a wave's registers and the model's.
func (m *dsModel) compare(t *testing.T, what string, w *wave) {
	t.Helper()
	for i := range m.v {
		for l := range m.lanes {
			if got := w.v[i*w.lanes+l]; got != m.v[i][l] {
				t.Fatalf("%s: register %d, lane %d: %#x, want %#x (exec %#x, address %#x)", what, i, l, got, m.v[i][l], m.exec, m.v[dsAddr][l])
			}
		}
	}
}

// limit returns the number of accessible bytes.
func (m *dsModel) limit() uint64 {
	if m.set.Gen() <= isa.Gen8 && !m.gds {
		return min(uint64(len(m.mem)), uint64(m.m0))
	}
	return uint64(len(m.mem))
}

// get reads size bytes at an address. put writes them.
func (m *dsModel) get(addr uint32, size int) (b []byte) {
	b = make([]byte, size)
	if uint64(addr)+uint64(size) <= m.limit() {
		copy(b, m.mem[addr:])
	}
	return b
}

func (m *dsModel) put(addr uint32, b []byte) {
	if uint64(addr)+uint64(len(b)) <= m.limit() {
		copy(m.mem[addr:], b)
	}
}

var dsNameRE = regexp.MustCompile(`^ds_(read|load|write|store)(2st64|2|_2addr_stride64|_2addr|)(_addtid|)_([biu])(\d+)(_d16|)(_hi|)$`)

// access models a read or write.
func (m *dsModel) access(name string, offset uint32) bool {
	f := dsNameRE.FindStringSubmatch(name)
	if f == nil {
		return false
	}
	bits, _ := strconv.Atoi(f[5])
	size := bits / 8
	offsets := []uint32{offset}
	if f[2] != "" {
		offsets = []uint32{offset & 0xff * uint32(size), offset >> 8 * uint32(size)}
		if strings.HasSuffix(f[2], "64") {
			offsets[0] *= 64
			offsets[1] *= 64
		}
	}
	for l := range m.lanes {
		if m.exec>>l&1 == 0 {
			continue
		}
		base := m.v[dsAddr][l]
		for i, off := range offsets {
			addr := base + off
			if f[3] != "" {
				addr = uint32(l*4) + offset + m.m0&0xffff
			}
			if m.set.Gen() <= isa.Gen8 {
				switch size {
				case 12, 16:
					addr = addr / 16 * 16
				default:
					addr = addr / uint32(size) * uint32(size)
				}
			}
			if f[1] == "read" || f[1] == "load" {
				m.read(l, dsDst+m.acc+i*size/4, m.get(addr, size), f[4] == "i", f[6] != "", f[7] != "")
			} else {
				m.write(l, [2]int{dsData0, dsData1}[i]+m.acc, addr, size, f[7] != "")
			}
		}
	}
	return true
}

// read writes loaded data to registers.
func (m *dsModel) read(l, reg int, b []byte, signed, d16, hi bool) {
	if len(b) >= 4 {
		for i := 0; i < len(b); i += 4 {
			m.v[reg+i/4][l] = binary.LittleEndian.Uint32(b[i:])
		}
		return
	}
	v := uint32(b[0])
	if len(b) == 2 {
		v |= uint32(b[1]) << 8
	}
	if signed && v >= 1<<(8*len(b)-1) {
		v -= 1 << (8 * len(b))
	}
	d := &m.v[reg][l]
	switch {
	case hi:
		*d = v<<16 | *d%65536
	case d16:
		*d = *d/65536*65536 + v%65536
	default:
		*d = v
	}
}

func (m *dsModel) write(l, reg int, addr uint32, size int, hi bool) {
	var b []byte
	for i := range max(size/4, 1) {
		v := m.v[reg+i][l]
		if hi {
			v /= 65536
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	m.put(addr, b[:size])
}

var dsAtomicRE = regexp.MustCompile(`^ds_([a-z_]+?)(2|2st64|_2addr|_2addr_stride64|)(_src2|)(_rtn|)_([biuf])(32|64)$`)

// atomicOp returns an atomic's new value.
func atomicOp(name string, typ byte, bits int, old, a, b uint64) (uint64, bool) {
	mod := func(x uint64) uint64 { return x << (64 - bits) >> (64 - bits) }
	sign := func(x uint64) int64 { return int64(x<<(64-bits)) >> (64 - bits) }
	float := func(x uint64) float64 {
		if bits == 32 {
			return float64(math.Float32frombits(uint32(x)))
		}
		return math.Float64frombits(x)
	}
	less := func(x, y uint64) bool {
		switch typ {
		case 'i':
			return sign(x) < sign(y)
		case 'f':
			return float(x) < float(y)
		}
		return x < y
	}
	pick := func(c bool, x, y uint64) uint64 {
		if c {
			return x
		}
		return y
	}
	switch name {
	case "add":
		switch {
		case typ == 'f' && bits == 32:
			return uint64(math.Float32bits(float32(float(old)) + float32(float(a)))), true
		case typ == 'f':
			return math.Float64bits(float(old) + float(a)), true
		}
		return mod(old + a), true
	case "sub":
		return mod(old - a), true
	case "rsub":
		return mod(a - old), true
	case "inc":
		return pick(old >= a, 0, mod(old+1)), true
	case "dec":
		return pick(old == 0 || old > a, a, old-1), true
	case "min":
		return pick(less(a, old), a, old), true
	case "max":
		return pick(less(old, a), a, old), true
	case "and":
		return old & a, true
	case "or":
		return old | a, true
	case "xor":
		return old ^ a, true
	case "mskor":
		return old&^a | b, true
	case "wrxchg", "storexchg", "write":
		return a, true
	case "cmpst":
		return pick(old == a, b, old), true
	case "cmpstore":
		return pick(old == b, a, old), true
	case "wrap":
		return pick(old >= a, old-a, mod(old+b)), true
	case "condxchg":
		return 0, false
	}
	return 0, false
}

// words reads one or two registers of lane l.
func (m *dsModel) words(reg, l, bits int) uint64 {
	v := uint64(m.v[reg][l])
	if bits == 64 {
		v |= uint64(m.v[reg+1][l]) << 32
	}
	return v
}

func (m *dsModel) setWords(reg, l, bits int, v uint64) {
	m.v[reg][l] = uint32(v)
	if bits == 64 {
		m.v[reg+1][l] = uint32(v >> 32)
	}
}

func (m *dsModel) getN(addr uint32, bits int) uint64 {
	return binary.LittleEndian.Uint64(append(m.get(addr, bits/8), 0, 0, 0, 0))
}

func (m *dsModel) putN(addr uint32, bits int, v uint64) {
	m.put(addr, binary.LittleEndian.AppendUint64(nil, v)[:bits/8])
}

// atomic models an atomic.
func (m *dsModel) atomic(name string, offset uint32) bool {
	f := dsAtomicRE.FindStringSubmatch(name)
	if f == nil {
		return false
	}
	bits, _ := strconv.Atoi(f[6])
	if _, ok := atomicOp(f[1], f[5][0], bits, 0, 0, 0); !ok {
		return false
	}
	for l := range m.lanes {
		if m.exec>>l&1 == 0 {
			continue
		}
		base := m.v[dsAddr][l]
		a, b := m.words(dsData0+m.acc, l, bits), m.words(dsData1+m.acc, l, bits)
		switch {
		case f[2] != "":
			stride := uint32(bits / 8)
			if strings.HasSuffix(f[2], "64") {
				stride *= 64
			}
			at := [2]uint32{base + offset&0xff*stride, base + offset>>8*stride}
			old := [2]uint64{m.getN(at[0], bits), m.getN(at[1], bits)}
			m.putN(at[0], bits, a)
			m.putN(at[1], bits, b)
			m.setWords(dsDst+m.acc, l, bits, old[0])
			m.setWords(dsDst+m.acc+bits/32, l, bits, old[1])
			continue
		case f[3] != "":
			size := uint32(bits / 8)
			rel := int64(offset << 17 >> 17)
			if rel >= 1<<14 {
				rel -= 1 << 15
			}
			if offset>>15 != 0 {
				rel = int64(int32(base)) >> 17
				base %= 1 << 17
			}
			base = base / size * size
			a = m.getN(uint32(int64(base)+rel*4)/size*size, bits)
			v, _ := atomicOp(f[1], f[5][0], bits, m.getN(base, bits), a, 0)
			m.putN(base, bits, v)
			continue
		}
		old := m.getN(base+offset, bits)
		v, _ := atomicOp(f[1], f[5][0], bits, old, a, b)
		m.putN(base+offset, bits, v)
		if f[4] != "" {
			m.setWords(dsDst+m.acc, l, bits, old)
		}
	}
	return true
}

// addresses sets each lane's address; most are in range.
func (m *dsModel) addresses(r *rand.Rand, align uint32) {
	for l := range m.v[dsAddr] {
		a := r.Uint32N(uint32(len(m.mem))+40) - 20
		if r.IntN(20) == 0 {
			a = r.Uint32()
		}
		m.v[dsAddr][l] = a &^ (align - 1)
	}
}

// floats sets the data and memory of a floating-point atomic to numbers whose
// comparison in Go matches the hardware's.
func (m *dsModel) floats(r *rand.Rand, bits int) {
	for l := range m.lanes {
		for _, reg := range []int{dsData0, dsData1} {
			if bits == 32 {
				m.v[reg+m.acc][l] = math.Float32bits(float32(r.IntN(9) - 4))
			} else {
				m.setWords(reg+m.acc, l, 64, math.Float64bits(float64(r.IntN(9)-4)))
			}
		}
	}
	for i := 0; i+bits/8 <= len(m.mem); i += bits / 8 {
		v := uint64(math.Float32bits(float32(r.IntN(9) - 4)))
		if bits == 64 {
			v = math.Float64bits(float64(r.IntN(9) - 4))
		}
		copy(m.mem[i:], binary.LittleEndian.AppendUint64(nil, v)[:bits/8])
	}
}

// TestDSMemory compares reads, writes and atomics with the model.
func TestDSMemory(t *testing.T) {
	forWaves(t, testCPUs, func(t *testing.T, cpu string, lanes int) {
		r := rand.New(rand.NewPCG(1, uint64(lanes)))
		set, encs := dsEncs(t, cpu)
		n := 0
		for _, e := range encs {
			for range 3 {
				if runDSModel(t, cpu, set, e, lanes, false, r) {
					n++
				}
			}
			if runDSModel(t, cpu, set, e, lanes, true, r) {
				n++
			}
		}
		if n < 300 {
			t.Errorf("%d instructions compared", n)
		}
	})
}

// runDSModel runs an instruction on LDS or GDS with random state and compares
// the results with the model. It returns false if the model does not support
// the instruction.
func runDSModel(t *testing.T, cpu string, set isa.Set, e isa.Enc, lanes int, gds bool, r *rand.Rand) bool {
	t.Helper()
	name := e.Name()
	m := &dsModel{set: set, lanes: lanes}
	m.random(r, 250+r.IntN(60))
	offset := r.Uint32N(32)
	f := dsAtomicRE.FindStringSubmatch(name)
	access := dsNameRE.MatchString(name)
	align := uint32(1)
	if f != nil && !access {
		bits, _ := strconv.Atoi(f[6])
		align = uint32(bits / 8)
		offset &^= align - 1
		if strings.HasSuffix(f[2], "64") {
			offset = r.Uint32N(2)
		}
	}
	if strings.Contains(name, "2") && access {
		offset = r.Uint32N(4) | r.Uint32N(4)<<8
	}
	if strings.Contains(name, "_src2_") {
		offset = []uint32{r.Uint32N(32), 0x7fff - r.Uint32N(32), 0x8000 + r.Uint32N(32)}[r.IntN(3)]
	}
	in := dsWords(e, set, lanes, offset, gds)
	if gds && (!in.HasField(isa.FieldGds) || strings.Contains(name, "addtid")) {
		return false
	}
	if in.HasField(isa.FieldAcc) && in.Field(isa.FieldAcc) != 0 {
		m.acc = 256
	}
	if strings.Contains(name, "addtid") {
		m.m0 = r.Uint32N(300) &^ 3
	}
	m.addresses(r, align)
	if strings.Contains(name, "_src2_") && offset>>15 != 0 {
		for l := range m.v[dsAddr] {
			m.v[dsAddr][l] = m.v[dsAddr][l]&0x1ffff | uint32(r.IntN(64)-32)<<17
		}
	}
	if f != nil && f[5] == "f" {
		bits, _ := strconv.Atoi(f[6])
		m.floats(r, bits)
	}
	base := uint32(0)
	if gds {
		base = r.Uint32N(1<<14-80) * 4
		m.m0 = base<<16 | uint32(len(m.mem))
		m.gds = true
	}
	before := *m
	before.mem = bytes.Clone(m.mem)
	if gds && set.Gen() >= isa.Gen11 { // only one lane
		m.exec &= -m.exec
	}
	if !m.access(name, offset) && !m.atomic(name, offset) {
		return false
	}
	k := kernelTest{cpu: cpu, wave: lanes, lds: uint32(len(m.mem)), text: dsText(in), setup: func(w *wave) {
		before.load(w)
		if gds {
			copy(w.group.launch.gdsMemory()[base:], before.mem)
		} else {
			copy(w.group.lds, before.mem)
		}
	}}
	res := k.run(t)
	got := res.groups[0].lds
	if gds {
		got = res.groups[0].launch.gdsMemory()[base:][:len(m.mem)]
	}
	what := fmt.Sprintf("%s %s offset %#x, m0 %#x", cpu, name, offset, m.m0)
	m.compare(t, what, res.waves[0])
	for i, b := range got {
		if b != m.mem[i] {
			t.Fatalf("%s: byte %d: %#x, want %#x", what, i, b, m.mem[i])
		}
	}
	return true
}
