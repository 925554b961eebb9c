package codegen

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gfx-toolchain/gfx/asm"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/diag"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// prologue sets up the addresses of random programs: s[4:5] and v[2:3] hold a
// buffer, v0 an offset in it, v1 an LDS offset, s[8:11] the buffer's resource.
// Data is in v4 to v19, a0 to a15, s12 to s27 and VCC; s28 counts loop
// iterations.
const prologue = `func @f %v wave%d
bb1:
  s[4:5] = s_load_b64 s[0:1], none, 0
  v0 = v_lshlrev_b32 4, v0
  v1 = v_mov_b32 v0
  v2 = v_mov_b32 s4
  v3 = v_mov_b32 s5
  s[8:9] = s_mov_b64 s[4:5]
  s10 = s_mov_b32 8192
  s11 = s_mov_b32 %d
  s28 = s_mov_b32 20
`

// simCode generates random programs that the simulator can run.
type simCode struct {
	rng *rand.Rand
	m   *mir.Machine
	ops map[mir.Unit][]mir.Op
}

func newSimCode(seed uint64, m *mir.Machine) *simCode {
	g := &simCode{rng: rand.New(rand.NewPCG(seed, 9)), m: m, ops: map[mir.Unit][]mir.Op{}}
	for op := range mir.Op(mir.NumOps) {
		if op.IsPseudo() || !m.Has(op) {
			continue
		}
		x, name := m.Info(op), op.String()
		skip := x.Flags&(mir.Terminator|mir.WritesExec) != 0 || x.Traits.Any(isa.TraitLds|isa.TraitGdsonly|isa.TraitGws|isa.TraitScratch|isa.TraitDefM0|isa.TraitDefMode) ||
			x.Unit == mir.UnitSALU && x.Flags&mir.Effects != 0 || x.Form == isa.LDSDIR || x.IsImage() || x.Encs[0].Kinds().Any(isa.KindBvh) || x.Unit == mir.UnitSMEM && x.Flags&mir.MayLoad == 0
		for _, part := range []string{"movrel", "swaprel", "addtid", "append", "consume", "ordered", "gs_reg", "s_getpc", "s_setpc", "s_swappc", "format", "s_scratch", "s_atomic",
			"v_interp", "s_getreg", "cond_sub", "sub_clamp", "csub", "s_store", "s_buffer_store", "s_buffer_atomic", "s_sendmsg", "v_pipeflush", "_block"} {
			skip = skip || strings.Contains(name, part)
		}
		if !skip {
			g.ops[x.Unit] = append(g.ops[x.Unit], op)
		}
	}
	return g
}

// operand generates an operand for a slot.
func (g *simCode) operand(s *mir.Slot, unit mir.Unit) mir.Operand {
	n := max(int(s.Dwords), 1)
	memory := unit >= mir.UnitSMEM
	switch {
	case s.Kind == mir.SlotFixed:
		return mir.Phys(s.Reg, n)
	case memory && s.Field == isa.FieldSrsrc:
		return mir.Phys(mir.SGPR(8), 4)
	case memory && s.Field == isa.FieldSbase:
		return mir.Phys(mir.SGPR(4+4*btoi(n == 4)), n)
	case memory && s.Field == isa.FieldAddr:
		return mir.Phys(mir.VGPR(1), 1)
	case memory && s.Field == isa.FieldSoffset:
		if s.Optional {
			return mir.None
		}
		return mir.Imm(0)
	case s.Kind == mir.SlotImm:
		return mir.Imm(0)
	case s.Files == 0 || s.Files&isa.FileC != 0 && g.rng.IntN(6) == 0:
		return mir.Imm(int64(g.rng.IntN(4)))
	case s.Files&isa.FileV != 0 && (s.Files&isa.FileS == 0 || g.rng.IntN(2) == 0):
		align := min(n, 2)
		return mir.Phys(mir.VGPR(4+g.rng.IntN(16)/align*align), n)
	case s.Files&isa.FileA != 0 && s.Files&isa.FileS == 0:
		return mir.Phys(mir.AGPR(g.rng.IntN(16)&^1), n)
	case s.Files&isa.FileS == 0:
		return mir.Imm(0)
	}
	if g.rng.IntN(6) == 0 && n <= 2 {
		return mir.Phys(mir.VCC, n)
	}
	align := 1
	if n > 1 {
		align = min(n, 4)
	}
	return mir.Phys(mir.SGPR(12+g.rng.IntN(max(16-n, 1))/align*align), n)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// instr appends a random instruction to a block.
func (g *simCode) instr(f *mir.Func, b mir.Block) {
	units := []mir.Unit{mir.UnitSALU, mir.UnitSALU, mir.UnitVALU, mir.UnitVALU, mir.UnitVALU, mir.UnitMatrix, mir.UnitSMEM, mir.UnitVMEM, mir.UnitVMEM, mir.UnitDS, mir.UnitFlat}
	for {
		ops := g.ops[units[g.rng.IntN(len(units))]]
		if len(ops) == 0 {
			continue
		}
		op := ops[g.rng.IntN(len(ops))]
		x := g.m.Info(op)
		operands := make([]mir.Operand, 0, 12)
		defs := x.Defs
		for k := range x.Slots {
			if s := &x.Slots[k]; s.Tied {
				operands = append(operands, operands[0])
			} else {
				operands = append(operands, g.operand(s, x.Unit))
			}
		}
		g.address(x, operands)
		if x.Return != isa.NoEnc && x.Defs == 0 && g.rng.IntN(2) == 0 && x.Form == isa.FLAT {
			data := operands[len(operands)-1]
			n := int(data.N)
			if strings.Contains(op.String(), "cmpswap") {
				n /= 2
			}
			operands = append([]mir.Operand{mir.Phys(mir.VGPR(4+g.rng.IntN(16)&^1), n)}, operands...)
			defs = 1
		}
		i := f.NewInstr(op, defs, operands...)
		if defs > x.Defs {
			f.SetMods(i, mir.Mods(isa.CPolGLC))
		}
		if _, err := f.Encode(i); err == nil {
			f.Append(b, i)
			return
		}
		f.Erase(i)
	}
}

// address generates the vector address of a flat or global instruction.
func (g *simCode) address(x *mir.OpInfo, operands []mir.Operand) {
	for k := range x.Slots {
		if x.Slots[k].Field != isa.FieldVaddr || k+1 >= len(x.Slots) {
			continue
		}
		switch {
		case x.Slots[k+1].Field == isa.FieldSrsrc:
			operands[k] = mir.None
		case x.Traits.Any(isa.TraitGlobal) && g.rng.IntN(2) == 0:
			operands[k], operands[k+1] = mir.Phys(mir.VGPR(0), 1), mir.Phys(mir.SGPR(4), 2)
		default:
			operands[k], operands[k+1] = mir.Phys(mir.VGPR(2), 2), mir.None
		}
	}
}

// program generates a program with branches and loops.
func (g *simCode) program(t *testing.T) *mir.Func {
	word3 := 0x27000
	if g.m.Set.Gen() >= isa.Gen10 {
		word3 = 0x31016000
	}
	f, err := mir.Parse("prologue", fmt.Appendf(nil, prologue, g.m.Set, g.m.Wave, word3))
	if err != nil {
		t.Fatal(err)
	}
	blocks := []mir.Block{f.Layout[0]}
	for range g.rng.IntN(6) {
		blocks = append(blocks, f.NewBlock())
	}
	for k, b := range blocks {
		for range 1 + g.rng.IntN(12) {
			g.instr(f, b)
		}
		if k == len(blocks)-1 {
			f.Append(b, f.NewInstr(mir.End, 0))
			break
		}
		next, other := blocks[k+1], blocks[k+1+g.rng.IntN(len(blocks)-k-1)]
		scc := mir.Phys(mir.SCC, 1)
		switch g.rng.IntN(3) {
		case 0: // a loop
			if k == 0 {
				other = next
				f.Append(b, f.NewInstr(mir.Br, 0, mir.Target(next)))
				break
			}
			other = blocks[1+g.rng.IntN(k)]
			count := mir.Phys(mir.SGPR(28), 1)
			f.Append(b, f.NewInstr(mir.SSubCoI32, 2, count, scc, count, mir.Imm(1)))
			f.Append(b, f.NewInstr(mir.SCmpGtI32, 1, scc, count, mir.Imm(0)))
			f.Append(b, f.NewInstr(mir.BrSCC, 0, scc, mir.Target(other), mir.Target(next)))
		case 1:
			f.Append(b, f.NewInstr(mir.BrSCC, 0, scc, mir.Target(other), mir.Target(next)))
		default:
			f.Append(b, f.NewInstr(mir.BrVCCZ, 0, mir.Phys(mir.VCC, g.m.MaskDwords()), mir.Target(other), mir.Target(next)))
		}
		f.AddLinearEdge(b, next)
		if other != next {
			f.AddLinearEdge(b, other)
		}
	}
	return f
}

// simDevice runs code on the simulator.
type simDevice struct {
	mem      *device.Memory
	dev      *sim.Device
	desc     []byte
	kernarg  uint64
	buffer   *device.Region
	lanes    int
	findings []*device.Finding
}

const codeOffset = 256

func newSimDevice(t *testing.T, cpu string, lanes int) *simDevice {
	features := ""
	if strings.HasPrefix(cpu, "gfx1") {
		features = fmt.Sprintf("+wavefrontsize%d", lanes)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, features)
	if err != nil {
		t.Fatal(err)
	}
	d := &simDevice{mem: device.NewMemory(0), lanes: lanes}
	d.dev, err = sim.New(tgt, d.mem, device.Options{Workers: 1, Timeout: time.Minute, Checks: device.CheckWait | device.CheckHazard, Finding: func(f *device.Finding) { d.findings = append(d.findings, f) }})
	if err != nil {
		t.Fatal(err)
	}
	text := ".rodata\n.p2align 6\n.amdhsa_kernel test\n.amdhsa_next_free_vgpr 256\n.amdhsa_next_free_sgpr 100\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
	switch set, _ := isa.SetOf(tgt.Processor); {
	case set.Gen() == isa.Gen90A || set.Gen() == isa.Gen940:
		text += ".amdhsa_accum_offset 128\n"
	case set.Gen() >= isa.Gen10:
		text += fmt.Sprintf(".amdhsa_wavefront_size32 %d\n", 64/lanes-1)
	}
	res, list := asm.Assemble(&diag.Source{Name: "test.s", Text: []byte(".text\n.p2align 8\ntest:\ns_endpgm\n" + text + ".end_amdhsa_kernel\n")}, asm.Options{Target: tgt})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	o, err := codeobject.Read(res.Object)
	if err != nil {
		t.Fatal(err)
	}
	desc, err := codeobject.DecodeKernelDescriptor(o.Section(".rodata").Data)
	if err != nil {
		t.Fatal(err)
	}
	desc.KernelCodeEntryByteOffset = codeOffset
	d.desc = desc.Append(nil)
	alloc := func(n uint64, name string) *device.Region {
		r, err := d.mem.Alloc(n, 4096, name)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	args := alloc(64, "kernarg")
	d.buffer = alloc(8192, "buffer")
	binary.LittleEndian.PutUint64(args.Bytes(), d.buffer.Addr)
	d.kernarg = args.Addr
	return d
}

// run executes code and returns the simulator's findings.
func (d *simDevice) run(t *testing.T, code []byte) []*device.Finding {
	r, err := d.mem.Alloc(uint64(codeOffset+len(code)+256), 4096, "code")
	if err != nil {
		t.Fatal(err)
	}
	defer d.mem.Free(r.Addr)
	r.Code = true
	copy(r.Bytes(), d.desc)
	copy(r.Bytes()[codeOffset:], code)
	d.findings = nil
	p := &device.Dispatch{Name: "test", KernelObject: r.Addr, Kernarg: d.kernarg, LDSSize: 4096, GroupSize: [3]uint16{uint16(d.lanes), 1, 1}, GridSize: [3]uint32{uint32(d.lanes), 1, 1}}
	if _, err := d.dev.Run(context.Background(), p); err != nil && len(d.findings) == 0 {
		t.Fatal(err)
	}
	return d.findings
}

// TestPassesOnSimulator runs random programs after all passes. The simulator's
// checks must not report findings.
func TestPassesOnSimulator(t *testing.T) {
	for _, x := range []struct {
		cpu   string
		set   isa.Set
		lanes int
	}{{"gfx803", isa.GFX803, 64}, {"gfx900", isa.GFX900, 64}, {"gfx908", isa.GFX908, 64}, {"gfx90a", isa.GFX90A, 64}, {"gfx942", isa.GFX942, 64},
		{"gfx1010", isa.GFX1010, 32}, {"gfx1010", isa.GFX1010, 64}, {"gfx1030", isa.GFX1030, 32}, {"gfx1100", isa.GFX1100, 32}, {"gfx1100", isa.GFX1100, 64}} {
		t.Run(fmt.Sprintf("%s_w%d", x.cpu, x.lanes), func(t *testing.T) {
			d := newSimDevice(t, x.cpu, x.lanes)
			m := mir.MachineOf(x.set, x.lanes)
			var w waitInsertion
			var h hazardInsertion
			var duals dualPairing
			pairs := 0
			var delays delayInsertion
			var l layout
			for seed := range uint64(tries(10)) {
				g := newSimCode(seed, m)
				f := g.program(t)
				w.insertWaits(f, true)
				duals.pairInstructions(f)
				for _, b := range f.Layout {
					for i := f.First(b); i != 0; i = f.Next(i) {
						if isDual(f, i) {
							pairs++
						}
					}
				}
				if err := h.resolveHazards(f, true); err != nil {
					t.Fatal(err)
				}
				insertClauses(f)
				delays.insertDelays(f)
				code, err := l.layOut(f)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range d.run(t, code.Bytes) {
					t.Errorf("seed %d: %v: %s: %s (%s)", seed, x.Check, x.Text, x.Message, x.Other)
				}
				if t.Failed() {
					t.Fatalf("%s", f.AppendText(nil))
				}
			}
			if pairs == 0 && x.set == isa.GFX1100 && x.lanes == 32 {
				t.Error("no pair at all")
			}
		})
	}
}

// TestDual checks that programs with pairs leave the same register contents as
// without.
func TestDual(t *testing.T) {
	m := mir.MachineOf(isa.GFX1100, 32)
	d := newSimDevice(t, "gfx1100", 32)
	ops := []mir.Op{mir.VMovB32, mir.VAddF32, mir.VSubF32, mir.VMulF32, mir.VFmacF32, mir.VMaxNumF32, mir.VCndmaskB32, mir.VAddNcU32, mir.VLshlrevB32, mir.VAndB32, mir.VXorB32}
	pairs := 0
	for seed := range uint64(tries(40)) {
		var left [2][]byte
		for k := range left {
			g := newSimCode(seed, m)
			f, err := mir.Parse("prologue", fmt.Appendf(nil, prologue, m.Set, m.Wave, 0x31016000))
			if err != nil {
				t.Fatal(err)
			}
			b := f.Layout[0]
			for r := range 16 {
				f.Append(b, f.NewInstr(mir.VMovB32, 1, mir.Phys(mir.VGPR(4+r), 1), mir.Imm(int64(g.rng.Uint32()))))
				f.Append(b, f.NewInstr(mir.SMovB32, 1, mir.Phys(mir.SGPR(12+r), 1), mir.Imm(int64(g.rng.Uint32()))))
			}
			f.Append(b, f.NewInstr(mir.VCmpGtU32, 1, mir.Phys(mir.VCC, 1), mir.Phys(mir.VGPR(4), 1), mir.Phys(mir.VGPR(0), 1)))
			for range 40 {
				op := ops[g.rng.IntN(len(ops))]
				x := m.Info(op)
				var operands []mir.Operand
				for n := range x.Slots {
					if sl := &x.Slots[n]; sl.Tied {
						operands = append(operands, operands[0])
					} else if sl.Class&isa.Mask != 0 {
						operands = append(operands, mir.Phys(mir.VCC, 1))
					} else {
						operands = append(operands, g.operand(sl, x.Unit))
					}
				}
				if i := f.NewInstr(op, x.Defs, operands...); true {
					if _, err := f.Encode(i); err == nil {
						f.Append(b, i)
					}
				}
			}
			for r := range 4 {
				f.Append(b, f.NewInstr(mir.GlobalStoreB128, 0, mir.Phys(mir.VGPR(0), 1), mir.Phys(mir.SGPR(4), 2), mir.Imm(int64(r*512)), mir.Phys(mir.VGPR(4+4*r), 4)))
			}
			f.Append(b, f.NewInstr(mir.End, 0))
			var w waitInsertion
			var duals dualPairing
			var h hazardInsertion
			var l layout
			if w.insertWaits(f, true); k == 1 {
				duals.pairInstructions(f)
			}
			for i := f.First(b); i != 0; i = f.Next(i) {
				pairs += btoi(isDual(f, i))
			}
			if err := h.resolveHazards(f, true); err != nil {
				t.Fatal(err)
			}
			code, err := l.layOut(f)
			if err != nil {
				t.Fatal(err)
			}
			clear(d.buffer.Bytes())
			if found := d.run(t, code.Bytes); len(found) > 0 {
				t.Fatalf("seed %d: %s: %s", seed, found[0].Text, found[0].Message)
			}
			left[k] = bytes.Clone(d.buffer.Bytes())
		}
		if !bytes.Equal(left[0], left[1]) {
			t.Fatalf("seed %d: the values with pairs differ", seed)
		}
	}
	if pairs == 0 {
		t.Error("no pair at all")
	}
	t.Logf("%d pairs", pairs)
}
