package sim

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/image/bvh"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
)

// Ray tracing instructions. Sources: AMD's ISA documents, "Ray tracing"; LLVM,
// legalizeBVHIntersectRayIntrinsic, for the order of 16-bit directions.

// rayWay is the kind of test that an instruction performs.
type rayWay uint8

const (
	rayFour  rayWay = iota // four boxes or a triangle
	rayDual                // two nodes of four boxes
	rayEight               // eight boxes or a pair of triangles
)

// rayInfo holds the operands of a ray tracing instruction.
type rayInfo struct {
	way      rayWay
	wide     bool // the pointer has 64 bits
	half     bool // the directions have 16 bits
	features bvh.Features
	rsrc     int32     // index of the resource in wave.s
	regs     [12]int32 // indices of the dwords of the address in wave.v
	at       int       // position of the ray's extent in regs
	data     int32     // index of the result in wave.v
}

// prepareRay prepares a ray tracing instruction.
func prepareRay(_ *Device, o *op) bool {
	in := &o.in
	parts := in.Enc.RayParts(in.Field(isa.FieldA16) != 0)
	if parts == nil {
		return false
	}
	s := in.Set
	x := &rayInfo{half: in.Field(isa.FieldA16) != 0, wide: parts[0] == 2, at: int(parts[0]),
		features: bvh.Features{PointerFlags: s.Has(isa.PropRayFlags), Wide: s.Has(isa.PropRayWide)}}
	switch {
	case !in.Enc.MovesRay():
	case parts[4] == 2:
		x.way = rayDual
	default:
		x.way = rayEight
	}
	a := in.ImageAddress()
	n := 0
	for i := range a.N {
		for k := range int(a.Dwords[i]) {
			x.regs[n] = int32(int(a.Regs[i])+k) * int32(in.Wave)
			n++
		}
	}
	ops := in.Enc.Operands()
	for i := range ops {
		switch ops[i].Field {
		case isa.FieldVdata:
			x.data = int32(in.Field(isa.FieldVdata)) * int32(in.Wave)
		case isa.FieldSrsrc, isa.FieldRsrc:
			r, ok := o.read(&ops[i], sem.B32)
			if !ok || r.kind != inScalar {
				return false
			}
			x.rsrc = r.off &^ 3
		}
	}
	o.class = classVMEM
	o.run = func(w *wave, o *op) { w.traceRays(x) }
	return true
}

// rayLane is the input of one lane.
type rayLane struct {
	query bvh.Query
	nodes [2]bvh.Node
}

// address returns a dword of a lane's address.
func (x *rayInfo) address(w *wave, l, i int) uint32 { return w.v[int(x.regs[i])+l] }

func (x *rayInfo) vec(w *wave, l, i int) (v bvh.Vec) {
	for k := range v {
		v[k] = math.Float32frombits(x.address(w, l, i+k))
	}
	return v
}

// read reads the address of a lane.
func (x *rayInfo) read(w *wave, l int, r *bvh.Resource, in *rayLane) {
	y := &in.query.Ray
	y.Extent = math.Float32frombits(x.address(w, l, x.at))
	low := x.address(w, l, 0)
	pointer := uint64(low)
	if x.wide {
		pointer |= uint64(x.address(w, l, 1)) << 32
	}
	if x.way == rayFour {
		y.Origin = x.vec(w, l, x.at+1)
		x.directions(w, l, y)
		in.nodes[0] = r.Node4(pointer)
		return
	}
	in.query.Base, in.query.Mask = pointer, uint8(x.address(w, l, 3))
	y.Origin, y.Direction = x.vec(w, l, 4), x.vec(w, l, 7)
	y.Invert()
	if x.way == rayEight {
		in.nodes[0] = r.Node8(pointer, x.address(w, l, 10))
		return
	}
	for i := range in.nodes {
		in.nodes[i] = r.DualNode(pointer, x.address(w, l, 10+i))
	}
}

// directions reads a direction and its reciprocals. Directions of 16 bits are
// in the low halves of three dwords with the reciprocals in the high halves, or
// before gfx11 all six are in order.
func (x *rayInfo) directions(w *wave, l int, y *bvh.Ray) {
	at := x.at + 4
	if !x.half {
		y.Direction, y.Inverse = x.vec(w, l, at), x.vec(w, l, at+3)
		return
	}
	for k := range 3 {
		d, i := 2*k, 2*k+1
		if !x.features.PointerFlags {
			d, i = k, k+3
		}
		y.Direction[k] = bvh.HalfValue(uint16(x.address(w, l, at+d/2) >> (d % 2 * 16)))
		y.Inverse[k] = bvh.HalfValue(uint16(x.address(w, l, at+i/2) >> (i % 2 * 16)))
	}
}

// resourceProblem returns why a resource cannot be used by the instruction, or
// "".
func (x *rayInfo) resourceProblem(r *bvh.Resource) (device.FaultKind, string) {
	switch {
	case !r.Valid:
		return device.FaultIllegal, "the resource is not a BVH: its type is not 8"
	case r.Compressed && x.way != rayEight:
		return device.FaultUnsupported, "compressed nodes, which only the instruction for eight boxes tests in a documented way"
	}
	return 0, ""
}

// traceRays executes a ray tracing instruction.
func (w *wave) traceRays(x *rayInfo) {
	exec := w.exec()
	if exec == 0 {
		return
	}
	r := bvh.DecodeResource((*[4]uint32)(w.s[x.rsrc:]), x.features)
	if kind, why := x.resourceProblem(&r); why != "" {
		w.fail(kind, why)
		return
	}
	if w.chk != nil {
		w.checkNodes(x, &r, exec)
	}
	var in rayLane
	var data [2]bvh.Data
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		x.read(w, l, &r, &in)
		for i := range in.nodes {
			if n := &in.nodes[i]; n.Kind != bvh.User && !w.loadNode(&r, n, l, &data[i]) {
				return
			}
		}
		if !in.nodes[0].Known(&data[0]) {
			w.failAt(device.FaultUnsupported, "a compressed node whose vertices are no 32-bit floats", l, r.Address(&in.nodes[0]))
			return
		}
		x.store(w, l, &r, &in, &data)
	}
}

// store tests a lane's ray and writes the result.
func (x *rayInfo) store(w *wave, l int, r *bvh.Resource, in *rayLane, data *[2]bvh.Data) {
	var out bvh.Result
	switch x.way {
	case rayFour:
		four := r.Four(&in.nodes[0], &in.query.Ray, &data[0])
		for i, v := range four {
			w.v[int(x.data)+i*w.lanes+l] = v
		}
		return
	case rayDual:
		out = r.Dual(&in.query, &in.nodes, data)
	default:
		out = r.Eight(&in.query, &in.nodes[0], &data[0])
	}
	for k := range 3 {
		w.v[int(x.regs[4+k])+l] = math.Float32bits(out.Origin[k])
		w.v[int(x.regs[7+k])+l] = math.Float32bits(out.Direction[k])
	}
	for i, v := range out.Data {
		w.v[int(x.data)+i*w.lanes+l] = v
	}
}

// loadNode reads a node. Parts outside of the hierarchy are 0. It returns false
// after a fault.
func (w *wave) loadNode(r *bvh.Resource, n *bvh.Node, l int, d *bvh.Data) bool {
	size := r.Available(n)
	clear(d[size:])
	if size == 0 {
		return true
	}
	addr := r.Address(n)
	reg := w.region(addr, uint64(size))
	if reg == nil {
		w.badAccess("load", l, addr, uint64(size))
		return false
	}
	p := hostAt(reg, addr)
	for i := 0; i < size; i += 8 {
		binary.LittleEndian.PutUint64(d[i:], load64(unsafe.Add(p, i)))
	}
	return true
}

// checkNodes reports the loads of nodes to the checks, all loads of one size
// together.
func (w *wave) checkNodes(x *rayInfo, r *bvh.Resource, exec uint64) {
	var in rayLane
	var sizes [64]uint16
	for i := range in.nodes {
		left := uint64(0)
		for m := exec; m != 0; m &= m - 1 {
			l := bits.TrailingZeros64(m) & 63
			x.read(w, l, r, &in)
			n := &in.nodes[i]
			if sizes[l] = uint16(r.Available(n)); sizes[l] != 0 {
				left |= 1 << l
				w.mem.addr[l] = r.Address(n)
			}
		}
		for left != 0 {
			size, same := sizes[bits.TrailingZeros64(left)&63], uint64(0)
			for m := left; m != 0; m &= m - 1 {
				if l := bits.TrailingZeros64(m) & 63; sizes[l] == size {
					same |= 1 << l
				}
			}
			left &^= same
			w.chk.notify(w, &memAccess{space: spaceGlobal, bytes: uint32(size), lanes: same, addr: &w.mem.addr, data: -1, result: -1})
		}
	}
}

// stackInfo describes an instruction with a traversal stack in LDS.
type stackInfo struct {
	children, nodes int
	size            uint32 // entries of the simple stack of gfx11; 0 for a ring
	rules           bvh.StackRules
}

// prepareStack returns a function that prepares an instruction that pushes up to
// children nodes and pops others.
func prepareStack(children, nodes int) func(o *op, x *dsInfo) bool {
	return func(o *op, x *dsInfo) bool {
		in := &o.in
		first, second := in.Field(isa.FieldOffset)&255, in.Field(isa.FieldOffset)>>8
		s := &stackInfo{children: children, nodes: nodes}
		if in.Set.Has(isa.PropRayWide) {
			s.rules = bvh.StackRules{Size: first & 31, Pairs: second&1 != 0, Ranges: second&2 != 0}
		} else {
			s.size = 8 << (second >> 4 & 3)
		}
		x.stack, x.kind, x.gds = s, dsStack, false
		x.run = runStack
		return true
	}
}

// stackLane is the LDS as a lane's instruction sees it. It implements
// bvh.Memory.
type stackLane struct {
	w    *wave
	lane int
	mem  unsafe.Pointer
	top  uint32 // number of addresses of dwords
}

// LoadDword implements bvh.Memory.
func (s *stackLane) LoadDword(a uint32) uint32 {
	s.report(a, accessLoad)
	if a >= s.top {
		return 0
	}
	return *dword(s.mem, a)
}

// StoreDword implements bvh.Memory.
func (s *stackLane) StoreDword(a, v uint32) {
	s.report(a, accessStore)
	if a < s.top {
		*dword(s.mem, a) = v
	}
}

// report reports an access to the checks.
func (s *stackLane) report(a uint32, kind accessKind) {
	if s.w.chk == nil {
		return
	}
	c := s.w.chk
	c.addr[s.lane&63] = uint64(a)
	c.notify(s.w, &memAccess{space: spaceLDS, kind: kind, bytes: 4, lanes: 1 << s.lane, addr: &c.addr, data: -1, result: -1})
}

// runStack executes an instruction with a stack.
func runStack(w *wave, o *op) {
	s := o.ds.stack
	if s.size == 0 && s.rules.Size == 0 {
		w.fail(device.FaultIllegal, "a traversal stack without entries: the low five bits of the offset are 0")
		return
	}
	p, size := w.share(o.ds)
	mem := stackLane{w: w, mem: p, top: room(size, 4)}
	addr, last := w.register(o.src[0].off, 0), w.register(o.src[1].off, 0)
	var children [8]uint32
	for _, l := range w.active() {
		l &= 63
		mem.lane = int(l)
		for i := range s.children {
			children[i] = w.register(o.src[2].off, i)[l]
		}
		var out [2]uint32
		list := children[:s.children]
		switch {
		case s.size != 0:
			out[0], addr[l] = bvh.SimpleStack(&mem, addr[l], last[l], list, s.size)
		case s.nodes == 1:
			out[0], addr[l] = bvh.RingStack(&mem, addr[l], last[l], list, &s.rules)
		default:
			out, addr[l] = bvh.RingStack2(&mem, addr[l], last[l], list, &s.rules)
		}
		for i := range s.nodes {
			w.register(o.dst.off, i)[l] = out[i]
		}
	}
}
