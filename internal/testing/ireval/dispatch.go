package ireval

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/ir"
)

// KernelArg is an argument of a kernel.
type KernelArg struct {
	Data  []byte // little-endian number or address, or the bytes of a struct
	Local uint64 // for a pointer to LDS: number of bytes to allocate
}

// Dispatch describes the execution of a kernel.
type Dispatch struct {
	Kernel string
	Dims   int // 1 to 3
	Grid   [3]uint32
	Group  [3]uint16
	Offset [3]uint64
	Args   []KernelArg
}

// dispatched is the state of a dispatch in progress.
type dispatched struct {
	fn       *cfunc
	args     []Value
	dynamic  uint64 // size of dynamic LDS in bytes
	kernarg  uint64 // address of the explicit arguments
	implicit uint64 // address of the implicit arguments, which follow
	packet   uint64
}

func (g *group) disp() *dispatched {
	if g.dispatched == nil {
		panic(&Error{Kind: Unsupported, Message: "implicit arguments are available only in a dispatch"})
	}
	return g.dispatched
}

// Dispatch runs a kernel.
func (mc *Machine) Dispatch(d *Dispatch) (err error) {
	mc.cur = nil
	defer mc.recover(&err)
	f := mc.m.Function(d.Kernel)
	if f == nil {
		return mc.unsupported("module has no kernel @%s", d.Kernel)
	}
	run := &dispatched{fn: mc.compiled(f)}
	implicit := offsetBytes(d)
	if mc.codeObjectVersion() >= 500 {
		implicit = implicitBytes(d)
	}
	mc.kernelArgs(run, f, d.Args, implicit)
	run.packet = mc.object(packetBytes(d))
	g := &group{dispatched: run}
	var counts [3]uint32
	for i := range counts {
		counts[i] = (d.Grid[i] + uint32(d.Group[i]) - 1) / uint32(d.Group[i])
	}
	for z := range counts[2] {
		for y := range counts[1] {
			for x := range counts[0] {
				g.id = [3]uint32{x, y, z}
				g.runKernel(mc, d)
			}
		}
	}
	return nil
}

// object creates a constant object with the given bytes.
func (mc *Machine) object(b []byte) uint64 {
	at := mc.global.alloc(uint64(len(b)), 16, shClean)
	copy(mc.global.data[at:], b)
	return mc.global.base + at
}

// kernelArgs creates the kernarg segment and the values of a kernel's
// parameters. Each parameter is at the next offset with the alignment of its
// type, or for byref with its own alignment. The implicit arguments follow,
// aligned to 8 bytes.
func (mc *Machine) kernelArgs(run *dispatched, f *ir.Function, args []KernelArg, implicit []byte) {
	m := mc.m
	if len(args) != f.NumArgs() {
		panic(mc.unsupported("kernel has %d parameters, but got %d arguments", f.NumArgs(), len(args)))
	}
	var segment []byte
	offsets := make([]int, len(args))
	for i := range args {
		data := args[i].Data
		if args[i].Local > 0 {
			run.dynamic = (run.dynamic + 15) &^ 15
			data = binary.LittleEndian.AppendUint32(nil, uint32(mc.dynamicLDS(f)+run.dynamic))
			run.dynamic += args[i].Local
		}
		t, align := f.TypeOf(f.Arg(i)), 0
		attrs := m.AttrsAt(f.Attributes, ir.AttrParams+i)
		if a, byRef := m.Attr(attrs, ir.AttrByRef); byRef {
			t = a.Type
			if a, ok := m.Attr(attrs, ir.AttrAlign); ok {
				align = int(a.Int)
			}
		}
		if align == 0 {
			align = int(m.ABIAlign(t))
		}
		segment = pad(segment, align)
		offsets[i] = len(segment)
		segment = append(segment, data...)
		for len(segment) < offsets[i]+int(m.AllocSize(t)) {
			segment = append(segment, 0)
		}
	}
	segment = pad(segment, 8)
	at := len(segment)
	run.kernarg = mc.object(append(segment, implicit...))
	run.implicit = run.kernarg + uint64(at)
	for i := range args {
		run.args = append(run.args, mc.kernelArg(f, i, run.kernarg+uint64(offsets[i]), args[i].Data))
	}
}

func pad(b []byte, align int) []byte {
	for len(b)%align != 0 {
		b = append(b, 0)
	}
	return b
}

// kernelArg returns the value of parameter i, whose bytes are at an address.
func (mc *Machine) kernelArg(f *ir.Function, i int, at uint64, data []byte) Value {
	lay := mc.layout(f.TypeOf(f.Arg(i)))
	v := Value{make([]uint64, lay.words), make([]uint8, lay.words)}
	attrs := mc.m.AttrsAt(f.Attributes, ir.AttrParams+i)
	_, byRef := mc.m.Attr(attrs, ir.AttrByRef)
	_, byVal := mc.m.Attr(attrs, ir.AttrByVal)
	switch {
	case byRef:
		v.Words[0] = at
	case byVal:
		v.Words[0] = mc.object(data)
	default:
		mc.global.loadLeaves(at-mc.global.base, lay, v.Words, v.Taint)
	}
	return v
}

// codeObjectVersion returns the module's code object version times 100, or 400
// if the module does not specify it.
func (mc *Machine) codeObjectVersion() uint64 {
	m := mc.m
	flags := m.NamedMetadata("llvm.module.flags")
	if flags == nil {
		return 400
	}
	for _, md := range flags.Ops {
		ops := m.MDOperands(md)
		name, _ := m.MDString(ops[1])
		if name == "amdhsa_code_object_version" || name == "amdgpu_code_object_version" {
			n, _ := m.MDInt(ops[2])
			return n
		}
	}
	return 400
}

// packetBytes returns the dispatch packet (HSA, hsa_kernel_dispatch_packet_t).
func packetBytes(d *Dispatch) []byte {
	b := make([]byte, 64)
	le := binary.LittleEndian
	le.PutUint16(b[2:], uint16(d.Dims))
	for i := range 3 {
		le.PutUint16(b[4+2*i:], d.Group[i])
		le.PutUint32(b[12+4*i:], d.Grid[i])
	}
	return b
}

// implicitBytes returns the implicit arguments of code object version 5 (AMDGPU
// user guide, "Code Object V5 Metadata").
func implicitBytes(d *Dispatch) []byte {
	b := make([]byte, 256)
	le := binary.LittleEndian
	for i := range 3 {
		group := uint32(d.Group[i])
		le.PutUint32(b[4*i:], d.Grid[i]/group)
		le.PutUint16(b[12+2*i:], d.Group[i])
		le.PutUint16(b[18+2*i:], uint16(d.Grid[i]%group))
		le.PutUint64(b[40+8*i:], d.Offset[i])
	}
	le.PutUint16(b[64:], uint16(d.Dims))
	private, shared := uint64(stackAperture), uint64(ldsAperture)
	le.PutUint32(b[192:], uint32(private>>32))
	le.PutUint32(b[196:], uint32(shared>>32))
	return b
}

// offsetBytes returns the implicit arguments of earlier versions.
func offsetBytes(d *Dispatch) []byte {
	b := make([]byte, 64)
	for i := range 3 {
		binary.LittleEndian.PutUint64(b[8*i:], d.Offset[i])
	}
	return b
}

// runKernel runs one work-group and reuses its lanes.
func (g *group) runKernel(mc *Machine, d *Dispatch) {
	var size [3]uint32
	for i := range size {
		size[i] = min(uint32(d.Group[i]), d.Grid[i]-g.id[i]*uint32(d.Group[i]))
	}
	g.prepare(mc, g.dispatched)
	n := 0
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				l := g.lane(mc, n)
				l.ids = [3]uint32{x, y, z}
				l.begin(g.dispatched)
				n++
			}
		}
	}
	g.cut(mc, n)
	g.run()
}

// lane returns lane i of the group, and creates it if necessary.
func (g *group) lane(mc *Machine, i int) *lane {
	size := mc.opts.Wave
	for i/size >= len(g.all) {
		g.all = append(g.all, &wave{mc: mc, size: size, group: g})
	}
	w := g.all[i/size]
	if i%size >= len(w.made) {
		l := mc.newLane(g)
		l.wave, l.index = w, i%size
		w.made = append(w.made, l)
	}
	return w.made[i%size]
}

// cut reduces the group to its first n lanes.
func (g *group) cut(mc *Machine, n int) {
	size := mc.opts.Wave
	g.waves = g.waves[:0]
	for i := 0; i*size < n; i++ {
		w := g.all[i]
		w.lanes = w.made[:min(size, n-i*size)]
		g.waves = append(g.waves, w)
	}
}

// begin starts the kernel on a lane.
func (l *lane) begin(d *dispatched) {
	l.stack.release(arenaBase)
	l.start(d.fn)
	for i := range d.args {
		p := &d.fn.params[i]
		copy(l.v[p.slot:], d.args[i].Words)
		copy(l.t[p.slot:], d.args[i].Taint)
	}
}
