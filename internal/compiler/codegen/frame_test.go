package codegen

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/internal/sim"
	"github.com/gfx-toolchain/gfx/ir/text"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// simTargets lists processors with all methods of accessing private memory and
// both wave sizes.
var simTargets = []struct {
	cpu  string
	wave int
}{{"gfx803", 64}, {"gfx900", 64}, {"gfx908", 64}, {"gfx90a", 64}, {"gfx942", 64}, {"gfx1010", 32}, {"gfx1030", 64}, {"gfx1100", 32}}

// mirProgram builds the machine IR of a kernel and functions for a target.
type mirProgram struct {
	t      *testing.T
	target *target.Target
	m      *mir.Machine
	module *abi.Module
	entry  func(name string) *abi.Entry
	funcs  []*mir.Func
	f      *mir.Func
	b      mir.Block
	limits Limits
	spills int       // initial attempt of spilling
	known  bool      // callers know the registers that functions clobber
	kernel Resources // set by run
}

const frameIR = `
target datalayout = "e-p:64:64-p3:32:32-p5:32:32-A5"
declare i32 @llvm.amdgcn.workitem.id.x()
define internal i32 @leaf(i32 %x) { 
  ret i32 %x
}
define internal i32 @middle(i32 %x) {
  %r = call i32 @leaf(i32 %x)
  ret i32 %r
}
define amdgpu_kernel void @calls(ptr %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  %r = call i32 @middle(i32 %x)
  store i32 %r, ptr %out
  ret void
}
define amdgpu_kernel void @plain(ptr %out) {
  %x = call i32 @llvm.amdgcn.workitem.id.x()
  store i32 %x, ptr %out
  ret void
}
`

func newMIRProgram(t *testing.T, cpu string, wave int) *mirProgram {
	t.Helper()
	attr := ""
	if cpu[3] == '1' {
		attr = fmt.Sprintf("+wavefrontsize%d", wave)
	}
	tgt, err := target.New("amdgcn-amd-amdhsa", cpu, attr)
	if err != nil {
		t.Fatal(err)
	}
	set, _ := isa.SetOf(tgt.Processor)
	m, errs := text.Parse("a.ll", []byte(frameIR))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p := &mirProgram{t: t, target: tgt, m: mir.MachineOf(set, wave), module: abi.Analyze(m, tgt),
		limits: Limits{SGPRs: tgt.Limits().AddressableSGPRs, VGPRs: 64, AGPRs: tgt.Limits().AGPRs}}
	p.entry = func(name string) *abi.Entry { return p.module.Entry(m.Function(name)) }
	return p
}

// begin starts a function.
func (p *mirProgram) begin(name string) {
	p.f = mir.NewFunc(name, p.m)
	p.b = p.f.NewBlock()
	p.funcs = append(p.funcs, p.f)
}

func (p *mirProgram) emit(op mir.Op, defs int, operands ...mir.Operand) mir.Instr {
	i := p.f.NewInstr(op, defs, operands...)
	p.f.Append(p.b, i)
	return i
}

func (p *mirProgram) reg(file mir.File, n int) mir.Operand { return mir.R(p.f.NewReg(file, n)) }

// v emits a vector ALU instruction with one result.
func (p *mirProgram) v(op mir.Op, uses ...mir.Operand) mir.Operand {
	d := p.reg(mir.FileV, 1)
	p.emit(op, 1, append([]mir.Operand{d}, uses...)...)
	return d
}

// add emits the sum of two vector values.
func (p *mirProgram) add(a, b mir.Operand) mir.Operand {
	if p.m.Has(mir.VAddNcU32) {
		return p.v(mir.VAddNcU32, a, b)
	}
	if a.Kind != mir.KindReg { // VOP3 does not support literals
		a = p.v(mir.VMovB32, a)
	}
	d := p.reg(mir.FileV, 1)
	p.emit(mir.VAddCoU32, 2, d, p.reg(mir.FileS, p.m.MaskDwords()), a, b)
	return d
}

// private accesses a dword of private memory at the sum of a vector address, or
// none, and an offset.
func (p *mirProgram) private(store bool, address, offset, data mir.Operand) {
	load, st := mir.ScratchLoadB32, mir.ScratchStoreB32
	at := []mir.Operand{address, mir.None, offset}
	if abi.ScratchAccessOf(p.target) == abi.ScratchBuffer {
		load, st = mir.BufferLoadB32, mir.BufferStoreB32
		at = []mir.Operand{address, mir.Phys(abi.ScratchResource, 4), mir.Imm(0), offset}
	}
	var i mir.Instr
	if store {
		i = p.emit(st, 0, append(at, data)...)
	} else {
		i = p.emit(load, 1, append([]mir.Operand{data}, at...)...)
	}
	if address.Kind == mir.KindReg && load == mir.BufferLoadB32 {
		p.f.SetMods(i, mir.Offen)
	}
}

func (p *mirProgram) load(address, offset mir.Operand) mir.Operand {
	d := p.reg(mir.FileV, 1)
	p.private(false, address, offset, d)
	return d
}

// kernelStart emits the entry of a kernel, and returns its output address (a
// scalar pair) and the work-item number.
func (p *mirProgram) kernelStart(e *abi.Entry) (out, id mir.Operand) {
	args, item := p.reg(mir.FileS, 2), p.reg(mir.FileV, 1)
	p.emit(mir.Copy, 2, args, item, mir.Phys(e.At[abi.KernargSegmentPtr].Reg, 2), mir.Phys(e.At[abi.WorkItemIDX].Reg, 1))
	out = p.reg(mir.FileS, 2)
	p.emit(mir.SLoadB64, 1, out, args, mir.None, mir.Imm(0))
	return out, p.v(mir.VAndB32, mir.Imm(0x3ff), item)
}

// kernelEnd stores a value in the output and ends the kernel.
func (p *mirProgram) kernelEnd(out, id, value mir.Operand) {
	offset := p.v(mir.VLshlrevB32, mir.Imm(2), id)
	carry := p.reg(mir.FileS, p.m.MaskDwords())
	lo, hi, base := p.reg(mir.FileV, 1), p.reg(mir.FileV, 1), p.reg(mir.FileV, 2)
	p.emit(mir.Copy, 1, base, out)
	p.emit(mir.VAddCoU32, 2, lo, carry, mir.Part(base.Reg(), 0, 1), offset)
	p.emit(mir.VAddCoCiU32, 2, hi, p.reg(mir.FileS, p.m.MaskDwords()), mir.Imm(0), mir.Part(base.Reg(), 1, 1), carry)
	address := p.reg(mir.FileV, 2)
	p.emit(mir.Vector, 1, address, lo, hi)
	p.emit(mir.FlatStoreB32, 0, address, mir.None, mir.Imm(0), value)
	p.emit(mir.End, 0)
}

// call emits a call of a program function with one argument, and returns its
// result.
func (p *mirProgram) call(name string, arg mir.Operand) mir.Operand {
	v0, ret := mir.Phys(mir.VGPR(0), 1), mir.Phys(abi.ReturnAddress, 2)
	p.emit(mir.Copy, 1, v0, arg)
	dead := ret
	dead.Flags = mir.Dead
	p.emit(mir.Call, 2, v0, dead, mir.SymbolAddr(p.f.Symbol(name), mir.SymbolRel32Lo, 0), v0)
	d := p.reg(mir.FileV, 1)
	p.emit(mir.Copy, 1, d, v0)
	return d
}

// functionStart emits the entry of a function, and returns its return address
// and argument.
func (p *mirProgram) functionStart() (ret, arg mir.Operand) {
	ret, arg = p.reg(mir.FileS, 2), p.reg(mir.FileV, 1)
	p.emit(mir.Copy, 2, ret, arg, mir.Phys(abi.ReturnAddress, 2), mir.Phys(mir.VGPR(0), 1))
	return ret, arg
}

func (p *mirProgram) functionEnd(ret, value mir.Operand) {
	v0 := mir.Phys(mir.VGPR(0), 1)
	p.emit(mir.Copy, 1, v0, value)
	p.emit(mir.Return, 0, ret, v0)
}

// run finishes the functions, the first of which is a kernel, runs one
// work-group on the simulator, and returns the values that the lanes stored.
func (p *mirProgram) run(lanes, private int) []uint32 {
	t := p.t
	t.Helper()
	code := make([]byte, 256)
	starts := map[string]int{}
	var fixups []Fixup
	var kernel *abi.Entry
	size := uint64(0)
	passes := &Passes{Verify: true, spillFrom: p.spills}
	changed := map[string]*RegSet{}
	for n, f := range slices.Backward(p.funcs) { // callees first
		before := f.AppendText(nil)
		r, err := RunAll(passes, &Job{F: f, Target: p.target, Kernel: n == 0, Entry: p.entry(f.Name), Limits: p.limits, Called: p.known,
			Clobbers: func(name string) *RegSet { return changed[name] }})
		if err != nil {
			t.Fatalf("%s: %v\n%s\nafter:\n%s", p.target.Processor, err, before, f.AppendText(nil))
		}
		if testing.Verbose() {
			t.Logf("%s\nafter:\n%s", before, f.AppendText(nil))
		}
		if n == 0 {
			kernel, p.kernel = r.Entry, r.Resources
		}
		changed[f.Name] = r.Clobbers
		size += r.Resources.ScratchBytes
		for len(code)%256 != 0 {
			code = append(code, 0)
		}
		starts[f.Name] = len(code)
		for _, x := range r.Code.Fixups {
			x.Offset += uint32(len(code))
			fixups = append(fixups, x)
		}
		code = append(code, r.Code.Bytes...)
	}
	for _, x := range fixups {
		distance := int64(starts[x.Symbol]) - int64(x.Offset) + x.Addend
		if x.Half == mir.SymbolRel32Hi {
			distance >>= 32
		}
		binary.LittleEndian.PutUint32(code[x.Offset:], uint32(distance))
	}
	return p.dispatch(code, starts[p.funcs[0].Name], kernel, max(int(size), private), lanes)
}

func (p *mirProgram) dispatch(code []byte, start int, entry *abi.Entry, private, lanes int) []uint32 {
	t := p.t
	mem := device.NewMemory(0)
	d, err := sim.New(p.target, mem, device.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	alloc := func(b []byte) *device.Region {
		r, err := mem.Alloc(uint64(len(b)), 0, "test")
		if err != nil {
			t.Fatal(err)
		}
		copy(r.Bytes(), b)
		return r
	}
	l := p.target.Limits()
	desc := codeobject.KernelDescriptor{PrivateSegmentFixedSize: uint32(private), KernelCodeEntryByteOffset: int64(start),
		ComputePgmRsrc1: uint32(256/l.VGPREncodingGranule-1) | 0xc0000 | 12<<6, ComputePgmRsrc2: entry.PgmRsrc2(),
		KernelCodeProperties: entry.CodeProperties(), ComputePgmRsrc3: 31}
	if p.m.Wave == 32 {
		desc.KernelCodeProperties |= 1 << 10
	}
	copy(code, desc.Append(nil))
	region := alloc(code)
	region.Code = true
	out := alloc(make([]byte, 4*lanes))
	args := alloc(binary.LittleEndian.AppendUint64(nil, out.Addr))
	_, err = d.Run(context.Background(), &device.Dispatch{KernelObject: region.Addr, Kernarg: args.Addr, PrivateSize: uint32(private),
		GroupSize: [3]uint16{uint16(lanes), 1, 1}, GridSize: [3]uint32{uint32(lanes), 1, 1}})
	if err != nil {
		t.Fatalf("%s: %v", p.target.Processor, err)
	}
	result := make([]uint32, lanes)
	for k := range result {
		result[k] = binary.LittleEndian.Uint32(out.Bytes()[4*k:])
	}
	return result
}

// fill creates a frame object and stores a value at its end, directly or
// through its address.
func (p *mirProgram) fill(size int, value mir.Operand, direct bool) (object mir.Frame) {
	object = p.f.NewObject(mir.FrameObject{Size: uint64(size), Align: 4})
	if direct {
		p.private(true, mir.None, mir.FrameAddr(object, int64(size)-4), value)
		return object
	}
	address := p.v(mir.VMovB32, mir.FrameAddr(object, 0))
	p.private(true, p.add(mir.Imm(int64(size)-12), address), mir.Imm(8), value)
	return object
}

// TestFrame runs a kernel with near and far objects, and functions with frames
// whose clobbered registers are known or unknown.
func TestFrame(t *testing.T) {
	for n, x := range simTargets {
		for _, size := range []int{16, 6000} {
			for _, calls := range []bool{false, true} {
				p := newMIRProgram(t, x.cpu, x.wave)
				p.known = n%2 == btoi(size == 16)
				name := "plain"
				if calls {
					name = "calls"
				}
				p.begin(name)
				out, id := p.kernelStart(p.entry(name))
				value := func(k int64) mir.Operand { return p.add(mir.Imm(k), id) }
				a, b := p.fill(16, value(100), true), p.fill(size, value(200), true)
				c := p.fill(size, value(300), false)
				sum := p.load(mir.None, mir.FrameAddr(a, 12))
				sum = p.add(sum, p.load(mir.None, mir.FrameAddr(c, int64(size)-4)))
				sum = p.add(sum, p.load(p.v(mir.VMovB32, mir.FrameAddr(b, int64(size)-20)), mir.Imm(16)))
				s := p.reg(mir.FileS, 1)
				p.emit(mir.SMovB32, 1, s, mir.FrameAddr(b, int64(size)-4))
				sum = p.add(sum, p.load(p.v(mir.VMovB32, s), mir.Imm(0)))
				if calls {
					sum = p.add(sum, p.call("middle", sum))
					sum = p.add(sum, p.load(mir.None, mir.FrameAddr(b, int64(size)-4)))
				}
				p.kernelEnd(out, id, sum)
				if calls {
					p.middle(size)
					p.leaf(size)
				}
				for k, got := range p.run(100, 0) {
					v := uint32(k)
					want := 100 + 300 + 200 + 200 + 4*v
					if calls {
						leaf := func(x uint32) uint32 { return 3*x + 10 }
						middle := func(x uint32) uint32 { return leaf(x+1) + 2*x + 5 + x }
						want += middle(want) + 200 + v
					}
					if got != want {
						t.Fatalf("%s, objects of %d bytes, calls %v: lane %d: got %d, want %d", x.cpu, size, calls, k, got, want)
					}
				}
			}
		}
	}
}

// middle emits a function that calls another one: middle(x) = leaf(x+1) + x +
// (x+5) + x, with one part in memory.
func (p *mirProgram) middle(size int) {
	p.begin("middle")
	ret, x := p.functionStart()
	a := p.fill(size, p.add(mir.Imm(5), x), true)
	b := p.fill(size, x, false)
	r := p.call("leaf", p.add(mir.Imm(1), x))
	r = p.add(r, x)
	r = p.add(r, p.load(mir.None, mir.FrameAddr(a, int64(size)-4)))
	r = p.add(r, p.load(p.v(mir.VMovB32, mir.FrameAddr(b, int64(size)-24)), mir.Imm(20)))
	p.functionEnd(ret, r)
}

// leaf emits leaf(x) = x + (x + 10) + x.
func (p *mirProgram) leaf(size int) {
	p.begin("leaf")
	ret, x := p.functionStart()
	a := p.fill(size, p.add(mir.Imm(10), x), true)
	b := p.fill(16, x, false)
	r := p.add(x, p.load(mir.None, mir.FrameAddr(a, int64(size)-4)))
	r = p.add(r, p.load(mir.None, mir.FrameAddr(b, 12)))
	p.functionEnd(ret, r)
}

// TestManySaves runs a function that saves more scalar registers than a VGPR
// has lanes.
func TestManySaves(t *testing.T) {
	const n = 36
	for _, x := range simTargets {
		p := newMIRProgram(t, x.cpu, x.wave)
		p.begin("calls")
		out, id := p.kernelStart(p.entry("calls"))
		p.kernelEnd(out, id, p.call("middle", id))
		p.begin("middle")
		ret, arg := p.functionStart()
		var list []mir.Operand
		for k := range int64(n) {
			list = append(list, p.scalarAdd(p.scalarConst(k), p.scalarConst(100)))
		}
		sum := p.call("leaf", arg)
		for _, s := range list {
			sum = p.add(s, sum)
		}
		p.functionEnd(ret, sum)
		p.leaf(16)
		for lane, got := range p.run(70, 0) {
			if want := uint32(3*lane + 10 + n*100 + n*(n-1)/2); got != want {
				t.Fatalf("%s: lane %d: got %d, want %d", x.cpu, lane, got, want)
			}
		}
	}
}
