package codegen

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/isa"
)

// spillReader maps the registers of a function with spills to the registers of the
// original function.
type spillReader struct {
	f       *mir.Func
	old     int                   // number of original virtual registers
	objects int                   // and of original objects
	name    []mir.Reg             // by register: the original one
	of      map[mir.Frame]mir.Reg // contents of an object
}

// checkSpills compares a function with the result of spilling. Without stores,
// reloads and phis of names, and with original names, both must be equal. A phi
// must merge names of one value.
func checkSpills(before, after *mir.Func) error {
	r := &spillReader{f: after, old: before.NumVirtual(), objects: len(before.Objects), name: make([]mir.Reg, after.NumVirtual()), of: map[mir.Frame]mir.Reg{}}
	for n := range r.old {
		r.name[n] = mir.Virtual(n)
	}
	for changed := true; changed; {
		changed = false
		for _, b := range after.Layout {
			for i := after.First(b); i != 0; i = after.Next(i) {
				changed = r.learn(before, i) || changed
			}
		}
	}
	for _, b := range before.Layout {
		i, j := before.First(b), after.First(b)
		for i != 0 || j != 0 {
			for j != 0 && r.isNew(j) {
				if err := r.check(before, j); err != nil {
					return err
				}
				j = after.Next(j)
			}
			if i != 0 && isCheap(before, i) && (j == 0 || len(after.Defs(j)) == 0 || after.Def(j, 0) != before.Def(i, 0)) {
				i = before.Next(i) // rematerialized only at its uses
				continue
			}
			if i == 0 || j == 0 || before.Op(i) != after.Op(j) {
				return fmt.Errorf("bb%d: %q became %q", b, before.AppendInstr(nil, i), after.AppendInstr(nil, j))
			}
			x, y := before.Operands(i), after.Operands(j)
			for n := range x {
				o := y[n]
				if o.IsVirtual() {
					o = rename(o, r.name[o.Reg().Index()])
				}
				if o != x[n] {
					return fmt.Errorf("bb%d: %q became %q", b, before.AppendInstr(nil, i), after.AppendInstr(nil, j))
				}
			}
			i, j = before.Next(i), after.Next(j)
		}
	}
	return nil
}

// isNew reports whether spilling created an instruction.
func (r *spillReader) isNew(i mir.Instr) bool {
	f := r.f
	return f.Op(i) == mir.Spill && int(f.Use(i, 0).Frame()) >= r.objects || len(f.Defs(i)) == 1 && f.Def(i, 0).IsVirtual() && f.Def(i, 0).Index() >= r.old
}

// learn records the name of an instruction's result, and reports whether it was
// unknown.
func (r *spillReader) learn(before *mir.Func, i mir.Instr) bool {
	f := r.f
	if !r.isNew(i) {
		return false
	}
	if f.Op(i) == mir.Spill {
		o := f.Use(i, 0).Frame()
		known := r.of[o]
		r.of[o] = f.Use(i, 1).Reg()
		return known != r.of[o]
	}
	d := &r.name[f.Def(i, 0).Index()]
	if *d != mir.NoReg {
		return false
	}
	switch {
	case f.Op(i) == mir.Reload:
		*d = r.of[f.Use(i, 0).Frame()]
	case f.Op(i).IsPhi():
		for n := 0; n < len(f.Uses(i)); n += 2 {
			if x := r.name[f.Use(i, n).Reg().Index()]; x != mir.NoReg {
				*d = x
			}
		}
	default:
		*d = r.sameConstant(before, i)
	}
	return *d != mir.NoReg
}

// sameConstant returns the value that an instruction rematerializes.
func (r *spillReader) sameConstant(before *mir.Func, i mir.Instr) mir.Reg {
	f := r.f
	for _, l := range spillTestReloads {
		if l.i == i {
			d := before.DefOf(mir.Virtual(int(l.v)))
			if before.Op(d) == f.Op(i) && (f.Op(i) == mir.Undefined || *before.Use(d, 0) == *f.Use(i, 0)) {
				return mir.Virtual(int(l.v))
			}
		}
	}
	return mir.NoReg
}

var spillTestReloads []reload

// check checks an instruction that spilling created.
func (r *spillReader) check(before *mir.Func, i mir.Instr) error {
	f := r.f
	switch {
	case f.Op(i) == mir.Spill:
		d := before.DefOf(f.Use(i, 1).Reg())
		if f.Use(i, 1).Reg().Index() >= r.old || before.Parent(d) != f.Parent(i) {
			return fmt.Errorf("%q is not at its value's definition", f.AppendInstr(nil, i))
		}
	case f.Op(i).IsPhi():
		for n := 0; n < len(f.Uses(i)); n += 2 {
			if r.name[f.Use(i, n).Reg().Index()] != r.name[f.Def(i, 0).Index()] {
				return fmt.Errorf("%q: different values merge", f.AppendInstr(nil, i))
			}
		}
	case r.name[f.Def(i, 0).Index()] == mir.NoReg:
		return fmt.Errorf("%q: unexpected instruction", f.AppendInstr(nil, i))
	}
	return nil
}

// TestSpillRandom spills registers of random functions to low limits. The
// functions must remain equivalent, and register allocation must succeed.
func TestSpillRandom(t *testing.T) {
	machines := []*mir.Machine{mir.MachineOf(isa.GFX1030, 32), mir.MachineOf(isa.GFX90A, 64)}
	var s spiller
	a := new(allocator)
	reloads, over, wide := 0, 0, 0
	for seed := range uint64(tries(300)) {
		m := machines[seed%2]
		before := newMIRGen(seed, m).generate()
		f := newMIRGen(seed, m).generate()
		limits := regLimits{mir.FileS: 13 + int(seed%5), mir.FileV: 13 + int(seed%7)} // phis remain phis
		for _, file := range [...]mir.File{mir.FileS, mir.FileV} {
			last := mir.NewFunc("", m)
			last.CopyFrom(f)
			if err := s.spillFile(f, file, limits[file], 0); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, before.AppendText(nil))
			}
			spillTestReloads = s.reloads
			reloads += len(s.reloads)
			if errs := f.Verify(mir.StageLinearized); len(errs) > 0 {
				t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, errs[0], before.AppendText(nil), f.AppendText(nil))
			}
			if err := checkSpills(last, f); err != nil {
				t.Fatalf("seed %d: %v\n%s\nafter:\n%s", seed, err, last.AppendText(nil), f.AppendText(nil))
			}
			if n := pressure(f, file); n > limits[file] {
				over++
				if testing.Verbose() {
					t.Logf("seed %d: %d registers of file %v, limit %d", seed, n, file, limits[file])
				}
			}
		}
		for {
			text := f.AppendText(nil)
			x := mir.NewFunc("", m)
			x.CopyFrom(f)
			err := a.allocateRegisters(x, limits)
			var full *errNoRegisters
			if errors.As(err, &full) && limits[full.file] < 100 {
				limits[full.file]++
				wide++
				continue
			}
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			if errs := checkRegs(a); len(errs) > 0 {
				t.Fatalf("seed %d: %v\n%s", seed, errs[0], text)
			}
			break
		}
	}
	t.Logf("%d reloads; %d times more registers than wanted, %d more for register allocation", reloads, over, wide)
	if reloads == 0 || over*10 > tries(300) {
		t.Errorf("%d reloads, %d times more registers than wanted", reloads, over)
	}
}

// TestSpillAll spills all registers of random functions. They must need no more
// registers than single instructions do.
func TestSpillAll(t *testing.T) {
	machines := []*mir.Machine{mir.MachineOf(isa.GFX1030, 32), mir.MachineOf(isa.GFX90A, 64)}
	s, a := spiller{all: true}, new(allocator)
	for seed := range uint64(tries(300)) {
		f := newMIRGen(seed, machines[seed%2]).generate()
		limits := regLimits{mir.FileS: 8, mir.FileV: 8}
		for _, file := range [...]mir.File{mir.FileS, mir.FileV} {
			if err := s.spillFile(f, file, limits[file], 0); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if errs := f.Verify(mir.StageLinearized); len(errs) > 0 {
				t.Fatalf("seed %d: %v\n%s", seed, errs[0], f.AppendText(nil))
			}
		}
		text := f.AppendText(nil)
		if err := a.allocateRegisters(f, limits); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if errs := checkRegs(a); len(errs) > 0 {
			t.Fatalf("seed %d: %v\n%s", seed, errs[0], text)
		}
	}
}

// TestSpillRun runs kernels and functions on the simulator that exceed their
// register limits: many values before, in and after a loop, and across calls.
// It repeats them with everything spilled.
func TestSpillRun(t *testing.T) {
	for k, x := range slices.Concat(simTargets, simTargets) {
		for _, calls := range []bool{false, true} {
			p := newMIRProgram(t, x.cpu, x.wave)
			if k >= len(simTargets) {
				p.spills = spillAll
			}
			p.limits.VGPRs, p.limits.SGPRs, p.limits.AGPRs = 24, 40, 0
			name := "plain"
			if calls {
				name = "calls"
				p.limits.VGPRs, p.limits.SGPRs = 64, 64
			}
			p.begin(name)
			out, id := p.kernelStart(p.entry(name))
			const n = 60
			var vs, ss []mir.Operand
			for k := range n {
				vs = append(vs, p.v(mir.VMulU32U24, p.v(mir.VMovB32, mir.Imm(int64(1000+k))), id))
				ss = append(ss, p.scalarAdd(p.scalarConst(int64(k)), p.scalarConst(100)))
			}
			sum := p.loop(5, p.v(mir.VMovB32, mir.Imm(0)), func(sum mir.Operand) mir.Operand {
				for k := 0; k < n; k += 3 {
					sum = p.add(sum, vs[k])
					sum = p.add(ss[k], sum)
				}
				if calls {
					sum = p.call("middle", sum)
				}
				return sum
			})
			for k := range n {
				sum = p.add(p.v(mir.VMulLoU32, vs[k], p.v(mir.VMovB32, ss[n-1-k])), sum)
			}
			p.kernelEnd(out, id, sum)
			if calls {
				p.middle(16)
				p.leaf(16)
			}
			for lane, got := range p.run(70, 0) {
				id, want := uint32(lane), uint32(0)
				for range 5 {
					for k := uint32(0); k < n; k += 3 {
						want += (1000+k)*id + k + 100
					}
					if calls {
						want = 3*(want+1) + 10 + 2*want + 5 + want
					}
				}
				for k := range uint32(n) {
					want += (1000 + k) * id * (n - 1 - k + 100)
				}
				if p.kernel.SpilledSGPRs == 0 || p.kernel.SpilledVGPRs == 0 {
					t.Fatalf("%s, calls %v: no spills: %+v", x.cpu, calls, p.kernel)
				}
				if got != want {
					t.Fatalf("%s, calls %v: lane %d: got %d, want %d", x.cpu, calls, lane, got, want)
				}
			}
		}
	}
}

func (p *mirProgram) scalarConst(n int64) mir.Operand {
	d := p.reg(mir.FileS, 1)
	p.emit(mir.SMovB32, 1, d, mir.Imm(n))
	return d
}

func (p *mirProgram) scalarAdd(a, b mir.Operand) mir.Operand {
	d := p.reg(mir.FileS, 1)
	p.emit(mir.SAddCoU32, 2, d, p.reg(mir.FileSCC, 1), a, b)
	return d
}

// loop applies body to a value n times.
func (p *mirProgram) loop(n int64, start mir.Operand, body func(mir.Operand) mir.Operand) mir.Operand {
	f := p.f
	before, head, after := p.b, f.NewBlock(), f.NewBlock()
	p.emit(mir.Br, 0, mir.Target(head))
	f.AddEdge(before, head)
	f.AddEdge(head, head)
	f.AddEdge(head, after)
	f.SetKind(head, mir.LoopHeader)
	f.SetLoopDepth(head, 1)
	p.b = head
	value, count := p.reg(mir.FileV, 1), p.reg(mir.FileS, 1)
	phi := p.emit(mir.Phi, 1, value, start, mir.Target(before), start, mir.Target(head))
	counter := p.emit(mir.Phi, 1, count, mir.Imm(n), mir.Target(before), mir.Imm(n), mir.Target(head))
	next := body(value)
	less := p.scalarAdd(count, p.scalarConst(-1))
	c := p.reg(mir.FileSCC, 1)
	p.emit(mir.SCmpLgU32, 1, c, less, mir.Imm(0))
	p.emit(mir.BrSCC, 0, c, mir.Target(head), mir.Target(after))
	f.SetOperands(phi, 1, value, start, mir.Target(before), next, mir.Target(head))
	f.SetOperands(counter, 1, count, mir.Imm(n), mir.Target(before), less, mir.Target(head))
	p.b = after
	return next
}
