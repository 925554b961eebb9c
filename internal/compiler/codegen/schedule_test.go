package codegen

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// schedGen generates one block with everything that the scheduler must keep in
// order: conditions, masks, memory accesses of all kinds, special registers,
// EXEC.
type schedGen struct {
	mirGen
}

func (g *schedGen) block(n int) *mir.Func {
	f := g.f
	g.b = f.NewBlock()
	a, b, c := g.reg(mir.FileS, 2), g.reg(mir.FileV, 1), g.reg(mir.FileS, 1)
	g.emit(mir.Copy, 3, a, b, c, mir.Phys(mir.SGPR(4), 2), mir.Phys(mir.VGPR(0), 1), mir.Phys(mir.SGPR(8), 1))
	for range n {
		g.any()
	}
	g.emit(mir.LogicalEnd, 0)
	g.emit(mir.End, 0)
	return f
}

// local returns a value defined in the block.
func (g *schedGen) local(file mir.File, n int) mir.Operand {
	vals := g.vals[g.b]
	for range 30 {
		r := vals[max(0, len(vals)-1-g.rng.IntN(min(len(vals), 25)))]
		if g.f.File(r) == file && g.f.Dwords(r) >= n {
			if g.f.Dwords(r) > n {
				return mir.Part(r, g.rng.IntN(g.f.Dwords(r)-n+1), n)
			}
			return mir.R(r)
		}
	}
	d := g.reg(file, n)
	if n > 1 {
		parts := []mir.Operand{d}
		for range n {
			parts = append(parts, g.local(file, 1))
		}
		g.emit(mir.Vector, 1, parts...)
		return d
	}
	op := mir.VMovB32
	if file == mir.FileS {
		op = mir.SMovB32
	}
	g.emit(op, 1, d, mir.Imm(int64(g.rng.IntN(60))))
	return d
}

func (g *schedGen) any() {
	v, s, mask := mir.FileV, mir.FileS, g.f.M.MaskDwords()
	switch g.rng.IntN(24) {
	case 0, 1, 2:
		g.emit(mir.VAddF32, 1, g.reg(v, 1), g.local(v, 1), g.local(v, 1))
	case 3:
		x := g.local(v, 1)
		for x.N != 0 {
			x = g.local(v, 1)
		}
		g.emit(mir.VFmacF32, 1, g.reg(v, 1), g.local(v, 1), g.local(v, 1), x)
	case 4:
		g.emit(mir.VCmpLtF32, 1, mir.R(g.f.NewMask()), g.local(v, 1), g.local(v, 1))
	case 5:
		g.emit(mir.VCndmaskB32, 1, g.reg(v, 1), g.local(v, 1), g.local(v, 1), g.local(s, mask))
	case 6, 7:
		g.emit(mir.SAddCoU32, 2, g.reg(s, 1), g.reg(mir.FileSCC, 1), g.local(s, 1), g.local(s, 1))
	case 8, 9:
		g.condition()
	case 10, 11, 12, 13, 14:
		g.memory()
	case 15, 17:
		g.emit(mir.Vector, 1, g.reg(v, 3), g.local(v, 1), mir.Imm(5), g.local(v, 1))
	case 18:
		g.emit(mir.Copy, 2, g.reg(v, 1), g.reg(v, 2), g.local(v, 1), g.local(v, 2))
	case 19:
		x := mir.R(g.f.NewMask())
		g.emit(mir.VAddCoU32, 2, g.reg(v, 1), x, g.local(v, 1), g.local(v, 1))
		g.emit(mir.VAddCoCiU32, 2, g.reg(v, 1), mir.R(g.f.NewMask()), g.local(v, 1), g.local(v, 1), x)
	case 20:
		x := g.local(v, 1)
		x.Flags |= mir.Undef
		g.emit(mir.VFmaF32, 1, g.reg(v, 1), g.local(v, 1), g.local(v, 1), x)
	case 16:
		g.special()
	default:
		g.emit(mir.VFmaF32, 1, g.reg(v, 1), g.local(v, 1), g.local(v, 1), g.local(v, 1))
	}
}

// condition emits a condition and its use, with other conditions in between.
func (g *schedGen) condition() {
	s := mir.FileS
	x, y, z := g.local(s, 1), g.local(s, 1), g.local(s, 1)
	c := g.reg(mir.FileSCC, 1)
	g.emit(mir.SCmpLtU32, 1, c, x, y)
	for range 1 + g.rng.IntN(2) {
		g.emit(mir.VAddF32, 1, g.reg(mir.FileV, 1), g.local(mir.FileV, 1), mir.Imm(0))
		g.emit(mir.SCselectB32, 1, g.reg(s, 1), y, z, c)
	}
	if g.rng.IntN(2) == 0 {
		g.emit(mir.SAddCoCiU32, 2, g.reg(s, 1), g.reg(mir.FileSCC, 1), y, z, c)
	}
}

func (g *schedGen) memory() {
	v, s := mir.FileV, mir.FileS
	m := mir.Mem{Size: 4, Align: 4, Value: ir.Value(1 + g.rng.IntN(3)), Offset: int64(4 * g.rng.IntN(3))}
	if g.rng.IntN(8) == 0 {
		m.Value = ir.None
	}
	load := g.rng.IntN(3) > 0
	if m.Flags = mir.MemLoad; !load {
		m.Flags = mir.MemStore
	}
	if g.rng.IntN(10) == 0 {
		m.Flags |= mir.MemVolatile
	}
	var i mir.Instr
	switch space := []uint8{1, 1, 3, 5, 0, 4}[g.rng.IntN(6)]; {
	case space == 3:
		m.AddrSpace = space
		if load {
			i = g.emit(mir.DsLoadB32, 1, g.reg(v, 1), g.local(v, 1), mir.Imm(m.Offset))
		} else {
			i = g.emit(mir.DsStoreB32, 0, g.local(v, 1), mir.Imm(m.Offset), g.local(v, 1))
		}
	case space == 4:
		m.AddrSpace, m.Flags = space, mir.MemLoad|mir.MemInvariant
		i = g.emit(mir.SLoadB32, 1, g.reg(s, 1), g.local(s, 2), mir.None, mir.Imm(m.Offset))
	case load:
		m.AddrSpace = space
		i = g.emit(mir.GlobalLoadB32, 1, g.reg(v, 1), g.local(v, 2), mir.None, mir.Imm(m.Offset))
	default:
		m.AddrSpace = space
		if g.rng.IntN(4) == 0 {
			m.Ordering = []ir.Ordering{ir.Monotonic, ir.SeqCst}[g.rng.IntN(2)]
		}
		i = g.emit(mir.GlobalStoreB32, 0, g.local(v, 2), mir.None, mir.Imm(m.Offset), g.local(v, 1))
	}
	if g.rng.IntN(20) > 0 {
		g.f.SetMem(i, m)
	}
	if g.rng.IntN(30) == 0 {
		g.f.SetFlags(i, mir.NoReorder)
	}
}

func (g *schedGen) special() {
	m0 := mir.Phys(mir.M0, 1)
	exec := mir.Phys(mir.Exec, g.f.M.MaskDwords())
	switch g.rng.IntN(6) {
	case 0:
		g.emit(mir.Fence, 0)
	case 1:
		g.emit(mir.SAndB64, 2, exec, g.reg(mir.FileSCC, 1), exec, g.local(mir.FileS, 2))
	case 2:
		g.emit(mir.SNop, 0, mir.Imm(0))
	default:
		g.emit(mir.SMovB32, 1, m0, g.local(mir.FileS, 1))
		for range g.rng.IntN(3) {
			g.emit(mir.VAddF32, 1, g.reg(mir.FileV, 1), g.local(mir.FileV, 1), mir.Imm(0))
			g.emit(mir.SAddCoU32, 2, g.reg(mir.FileS, 1), g.reg(mir.FileSCC, 1), m0, g.local(mir.FileS, 1))
		}
	}
}

// blockRun executes a block on hashes as values. Memory is an array of bytes
// for each kind, in which addresses overlap by chance.
type blockRun struct {
	f     *mir.Func
	vals  map[mir.Reg][]uint64 // by dword
	phys  map[mir.Reg]uint64
	scc   mir.Reg
	mem   map[int64]uint64
	bases map[ir.Value]int64
	trace []uint64
	wrong bool
}

func hashOf(xs ...uint64) uint64 {
	h := fnv.New64a()
	for _, x := range xs {
		var b [8]byte
		for n := range b {
			b[n] = byte(x >> (8 * n))
		}
		h.Write(b[:])
	}
	return h.Sum64()
}

func (r *blockRun) value(o *mir.Operand) uint64 {
	switch {
	case o.Flags&mir.Undef != 0:
		return 0
	case o.Kind != mir.KindReg:
		return hashOf(uint64(o.Imm))
	case !o.IsVirtual():
		return r.phys[o.Reg()]
	case r.f.File(o.Reg()) == mir.FileSCC && r.scc != o.Reg():
		r.wrong = true
	}
	return hashOf(r.dwords(o)...)
}

// dwords returns the dwords of an operand.
func (r *blockRun) dwords(o *mir.Operand) []uint64 {
	switch {
	case o.Kind != mir.KindReg:
		return []uint64{uint64(o.Imm)}
	case !o.IsVirtual():
		list := []uint64{}
		for k := range max(int(o.N), 1) {
			list = append(list, r.phys[o.Reg()+mir.Reg(k)])
		}
		return list
	}
	x, ok := r.vals[o.Reg()]
	if r.wrong = r.wrong || !ok; !ok {
		return make([]uint64, r.f.OperandDwords(o))
	}
	return x[o.Sub:][:r.f.OperandDwords(o)]
}

// moves executes instructions that only move dwords.
func (r *blockRun) moves(i mir.Instr) bool {
	f := r.f
	var list []uint64
	switch f.Op(i) {
	case mir.Copy, mir.Vector, mir.VMovB32, mir.SMovB32:
		for n := range f.Uses(i) {
			list = append(list, r.dwords(f.Use(i, n))...)
		}
	default:
		return false
	}
	for _, o := range f.Defs(i) {
		n := f.OperandDwords(&o)
		if o.IsVirtual() {
			r.vals[o.Reg()] = list[:n]
		} else {
			r.phys[o.Reg()] = hashOf(list[:n]...)
		}
		list = list[n:]
	}
	return true
}

// event records an observable event, and lets the observers change memory.
func (r *blockRun) event(h uint64) {
	r.trace = append(r.trace, h)
	for a := range r.mem {
		r.mem[a] = hashOf(r.mem[a], uint64(len(r.trace)))
	}
}

// address returns the location of an access. All kinds of memory are far apart
// in one array; flat addresses are in one of them.
func (r *blockRun) address(m *mir.Mem, h uint64) int64 {
	if m == nil {
		return int64(h % 12)
	}
	space := map[uint8]int64{1: 0, 3: 1, 5: 2, 0: int64(m.Value) % 3}[m.AddrSpace]
	base := r.bases[m.Value]
	if m.Value == ir.None {
		base = int64(h % 12)
	}
	return space*1000 + base + m.Offset
}

func (r *blockRun) instr(i mir.Instr) {
	f := r.f
	if r.moves(i) {
		return
	}
	hs := []uint64{uint64(f.Op(i)), r.phys[mir.Exec]}
	for n := range f.Uses(i) {
		hs = append(hs, r.value(f.Use(i, n)))
	}
	if f.Op(i).Commutes() && hs[2] > hs[3] {
		hs[2], hs[3] = hs[3], hs[2]
	}
	x := f.Info(i)
	m := f.Mem(i)
	if m != nil && m.Flags&mir.MemInvariant == 0 || m == nil && x.Flags&(mir.MayLoad|mir.MayStore) != 0 {
		at := r.address(m, hashOf(hs...))
		for k := range int64(4) {
			if x.Flags&mir.MayStore != 0 {
				r.mem[at+k] = hashOf(append(hs, uint64(k))...)
			} else {
				hs = append(hs, r.mem[at+k])
			}
		}
	}
	if m == nil && x.Flags&mir.Effects != 0 || m != nil && (m.Flags&mir.MemVolatile != 0 || m.Ordering > ir.Monotonic) || f.Flags(i)&mir.NoReorder != 0 {
		r.event(hashOf(hs...))
	}
	for n, o := range f.Defs(i) {
		h := hashOf(append(hs, uint64(n))...)
		switch {
		case !o.IsVirtual():
			r.phys[o.Reg()] = h
			continue
		case f.File(o.Reg()) == mir.FileSCC:
			r.scc = o.Reg()
		}
		r.vals[o.Reg()] = nil
		for k := range f.Dwords(o.Reg()) {
			r.vals[o.Reg()] = append(r.vals[o.Reg()], hashOf(h, uint64(k)))
		}
	}
}

func runBlock(f *mir.Func, seed uint64) *blockRun {
	rng := rand.New(rand.NewPCG(seed, 9))
	r := &blockRun{f: f, vals: map[mir.Reg][]uint64{}, phys: map[mir.Reg]uint64{}, mem: map[int64]uint64{}, bases: map[ir.Value]int64{}}
	for v := range ir.Value(5) {
		r.bases[v] = int64(rng.IntN(12))
	}
	for a := range int64(3000) {
		if a%1000 < 40 {
			r.mem[a] = uint64(a)
		}
	}
	for i := f.First(f.Layout[0]); i != 0; i = f.Next(i) {
		r.instr(i)
	}
	return r
}

var schedTargets = []struct {
	cpu  string
	set  isa.Set
	wave int
}{{"gfx906", isa.GFX906, 64}, {"gfx1030", isa.GFX1030, 64}, {"gfx90a", isa.GFX90A, 64}}

// TestSchedule schedules random blocks. All instructions must read the same
// values from the same memory, and no more registers than the goal may be live.
func TestSchedule(t *testing.T) {
	s := new(scheduler)
	moved, blocks := 0, 0
	for seed := range uint64(tries(250)) {
		x := schedTargets[seed%uint64(len(schedTargets))]
		tgt, err := target.New("", x.cpu, "")
		if err != nil {
			t.Fatal(err)
		}
		limits := tgt.Limits()
		g := schedGen{mirGen: *newMIRGen(seed, mir.MachineOf(x.set, x.wave))}
		f := g.block(5 + g.rng.IntN(120))
		if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
			t.Fatalf("seed %d: the generator produced %v\n%s", seed, errs[0], f.AppendText(nil))
		}
		before := f.AppendText(nil)
		var want []*blockRun
		for k := range uint64(4) {
			want = append(want, runBlock(f, seed*4+k))
		}
		old := [2]int{pressure(f, mir.FileV), pressure(f, mir.FileS)}
		s.scheduleFunction(f, &limits, limits.WavesPerEU)
		if blocks++; string(before) != string(f.AppendText(nil)) {
			moved++
		}
		if errs := f.Verify(mir.StageSelected); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, f.AppendText(nil))
		}
		for k, w := range want {
			got := runBlock(f, seed*4+uint64(k))
			if got.wrong || !maps.EqualFunc(got.vals, w.vals, slices.Equal[[]uint64]) || !maps.Equal(got.mem, w.mem) || !slices.Equal(got.trace, w.trace) || !maps.Equal(got.phys, w.phys) {
				t.Fatalf("seed %d: the results differ\n%s\nafter:\n%s", seed, before, f.AppendText(nil))
			}
		}
		for n, file := range []mir.File{mir.FileV, mir.FileS} {
			if p := pressure(f, file); p > max(old[n], s.goal[file]) {
				t.Fatalf("seed %d: %d registers of file %v are live, previously %d, goal %d\n%s\nafter:\n%s", seed, p, file, old[n], s.goal[file], before, f.AppendText(nil))
			}
		}
	}
	if moved*2 < blocks {
		t.Errorf("only %d of %d blocks changed", moved, blocks)
	}
}

// TestScheduleAllocate allocates registers after scheduling.
func TestScheduleAllocate(t *testing.T) {
	s, a := new(scheduler), new(allocator)
	tgt, err := target.New("", "gfx90a", "")
	if err != nil {
		t.Fatal(err)
	}
	limits := tgt.Limits()
	for seed := range uint64(tries(100)) {
		f := newMIRGen(seed, mir.MachineOf(isa.GFX90A, 64)).generate()
		s.scheduleFunction(f, &limits, limits.WavesPerEU)
		before := f.AppendText(nil)
		if errs := f.Verify(mir.StageLinearized); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, errs[0], before)
		}
		err := a.allocateRegisters(f, regLimits{mir.FileS: 100, mir.FileV: 250, mir.FileSCC: 1})
		var full *errNoRegisters
		if errors.As(err, &full) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if errs := checkRegs(a); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before, f.AppendText(nil))
		}
	}
}

// TestScheduleRegisters checks the register limits: loads may use a quarter
// more registers than the original order, other instructions none.
func TestScheduleRegisters(t *testing.T) {
	tgt, err := target.New("", "gfx1030", "")
	if err != nil {
		t.Fatal(err)
	}
	limits := tgt.Limits()
	const kept, rounds = 15, 12
	for _, c := range []struct {
		name, make string
		want       int
	}{
		{"loads", "%%%d:v1 = global_load_b32 %%1, none, %d mem(4,4,1,load)", (kept + 1) * 5 / 4},
		{"others", "%%%d:v1 = v_mov_b32 %d", kept + 1},
	} {
		var text strings.Builder
		fmt.Fprintf(&text, "func @f gfx1030 wave32\nbb1:\n  %%1:v2, %%2:v%d = p_copy v[0:1], v[2:%d]\n", kept-2, kept-1)
		fmt.Fprintf(&text, "  %%3:v1 = global_load_b32 %%1, none, 0 mem(4,4,1,load)\n  global_store_b32 %%1, none, 2048, %%3 mem(4,4,3,store)\n")
		for k := range rounds {
			fmt.Fprintf(&text, "  "+c.make+"\n  ds_store_b32 %%2[0], %d, %%%d mem(4,4,3,store)\n", 4+k, 4*k+4, 4*k, 4+k)
		}
		fmt.Fprintf(&text, "  ds_store_b128 %%2[0], 0, %%2[0:3] mem(16,16,3,store)\n  p_end\n")
		f, err := mir.Parse("f", []byte(text.String()))
		if err != nil {
			t.Fatal(err)
		}
		was := pressure(f, mir.FileV)
		new(scheduler).scheduleFunction(f, &limits, limits.WavesPerEU)
		if got := pressure(f, mir.FileV); was != kept+1 || got != c.want {
			t.Errorf("%s: %d registers are live, previously %d, want %d\n%s", c.name, got, was, c.want, f.AppendText(nil))
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	tgt, err := target.New("", "gfx906", "")
	if err != nil {
		b.Fatal(err)
	}
	limits := tgt.Limits()
	s := new(scheduler)
	var funcs []*mir.Func
	for seed := range uint64(20) {
		g := schedGen{mirGen: *newMIRGen(seed, mir.MachineOf(isa.GFX906, 64))}
		funcs = append(funcs, g.block(200))
	}
	n := 0
	for k := 0; b.Loop(); k++ {
		f := funcs[k%len(funcs)]
		n += f.NumInstrs()
		s.scheduleFunction(f, &limits, limits.WavesPerEU)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/instr")
}
