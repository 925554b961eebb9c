package sim

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/image"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/isa"
	"github.com/gfx-toolchain/gfx/target"
)

// Image instructions: MIMG, and VIMAGE and VSAMPLE of gfx12. Sources: AMD's ISA
// documents, "Vector memory image instructions"; LLVM, MIMGInstructions.td, for
// the order of the address operands.

// imageOp holds the operands and modifiers of an image instruction.
type imageOp struct {
	shape     *isa.ImageShape
	rsrc      int32 // index of the resource in wave.s
	samp      int32 // index of the sampler; negative if absent
	short     bool  // the resource has 4 dwords
	addr      [16]int32
	dim       *isa.Dim // nil before gfx10
	array     bool     // before gfx10: the address has a layer
	unorm     bool     // coordinates are in texels
	a16, g16  bool
	d16       bool
	packed    bool // two 16-bit components per register
	tfe       bool // a status register follows the data
	broadcast bool // components that a store lacks are copies of the first one
	dmask     uint32
	data      int32       // position of the data in wave.v
	regs      int         // number of data registers without the status
	clear16   bool        // a 16-bit result clears the other half of its register
	atomic    [2]*memInfo // atomic operations on 32 and 64 bits; nil if absent
}

// prepareMIMG prepares an instruction on images, a ray tracing instruction or a
// tensor transfer, which share their forms.
func prepareMIMG(d *Device, o *op) bool {
	switch {
	case o.in.Enc.Traits().Any(isa.TraitTensor):
		return prepareTensor(d, o)
	case o.in.Enc.Image().Kind == isa.ImageRay:
		return prepareRay(d, o)
	}
	return prepareImage(d, o)
}

// prepareImage prepares an image instruction.
func prepareImage(d *Device, o *op) bool {
	in := &o.in
	x := &imageOp{shape: in.Enc.Image(), samp: -1}
	run := imageRunners[x.shape.Kind]
	if run == nil || !o.bindImage(x) {
		return false
	}
	x.clear16 = d.Target != nil && d.Target.Has(target.FeatureSRAMECC)
	if x.shape.Kind == isa.ImageAtomic {
		o.bindImageAtomic(d, x)
	}
	o.class = classVMEM
	if x.shape.Kind == isa.ImageStore || x.shape.Kind == isa.ImageAtomic {
		o.class = classOrdered
	}
	o.image, o.run = x, run
	return true
}

// bindImageAtomic prepares the operations on 32 and 64 bits.
func (o *op) bindImageAtomic(d *Device, x *imageOp) {
	in := &o.in
	n := in.Enc.Op().Memory()
	for i := range x.atomic {
		row := sem.ImageAtomic(in.Enc.Op(), uint8(32<<i))
		if row == nil {
			continue
		}
		m := d.newMemInfo(&n, in)
		m.data, m.dst, m.ret = x.data, x.data, reguse.GivesOld(in)
		m.atomic, m.rmw, m.bytes = row, row.Kind, row.Bits/8
		x.atomic[i] = m
	}
}

// imageRunners lists the functions that execute the kinds of instructions.
var imageRunners = [...]func(w *wave, o *op){
	isa.ImageLoad: runImageLoad, isa.ImageStore: runImageStore, isa.ImageAtomic: runImageAtomic, isa.ImageMSAA: runImageMSAA,
	isa.ImageSample: runImageSample, isa.ImageGather: runImageSample, isa.ImageLOD: runImageSample, isa.ImageResinfo: runImageSize,
}

// bindImage binds the registers and modifiers of an image instruction.
func (o *op) bindImage(x *imageOp) bool {
	in, lanes := &o.in, int32(o.in.Wave)
	scalar := func(fields ...isa.Field) int32 {
		for _, f := range fields {
			if p := reguse.FindOperand(in, f); p != nil {
				if v, ok := o.read(p, 0); ok && v.kind == inScalar {
					return v.off
				}
			}
		}
		return -1
	}
	x.rsrc, x.samp = scalar(isa.FieldSrsrc, isa.FieldRsrc), scalar(isa.FieldSsamp, isa.FieldSamp)
	p := reguse.FindOperand(in, isa.FieldVdata)
	if p == nil || x.rsrc < 0 {
		return false
	}
	data, ok := o.read(p, 0)
	if !ok || data.kind != inVGPR {
		return false
	}
	x.data = data.off
	a := in.ImageAddress()
	n := 0
	for i := range a.N {
		size := int(a.Dwords[i])
		if i == a.N-1 {
			size = len(x.addr) // before gfx10, the resource decides how many registers are read
		}
		for k := 0; k < size && n < len(x.addr); k++ {
			x.addr[n] = min(int32(a.Regs[i])+int32(k), int32(lastVGPR(in.Set))) * lanes
			n++
		}
	}
	flag := func(f isa.Field) bool { return in.Field(f) != 0 }
	x.short, x.array, x.unorm, x.tfe = flag(isa.FieldR128) && !flag(isa.FieldA16), flag(isa.FieldDa), flag(isa.FieldUnorm), flag(isa.FieldTfe)
	x.a16, x.d16, x.dmask = flag(isa.FieldA16), flag(isa.FieldD16), in.Field(isa.FieldDmask)&15
	x.g16 = x.shape.G16 || x.a16 && !in.Set.Has(isa.PropG16)
	x.packed = x.d16 && in.Set.Has(isa.PropPackedD16)
	x.broadcast = in.Set.Has(isa.PropImageBroadcast)
	if in.Set.Has(isa.PropImageDim) {
		x.dim = isa.DimOf(in.Field(isa.FieldDim))
	}
	if x.dmask == 0 {
		x.dmask = 1
	}
	x.regs = isa.ImageDataSize(in.Enc, x.dmask, x.d16, false, x.packed)
	return true
}

// imageState is a wave's working memory for image instructions.
type imageState struct {
	w     *wave
	lane  int
	tex   image.Texture
	plane *image.Plane // the one of planes that is bound

	planes [2]image.Plane // for integer coordinates and for samples
	views  [4]imageView
	next   int
	coord  [5][64]uint32 // integer coordinates: x, y, z or layer, sample, level
	point  [5][64]float32
	grad   [6][64]float32
	extra  [3][64]uint32 // offset, bias, comparison value
	pos    image.Position
	pt     image.Point
	texel  image.Texel
	slope  image.Gradients
	slot   [64]uint64 // addresses for the checks

	sampler      image.Sampler // decoded from samplerWords if sampled
	samplerWords [4]uint32
	sampled      bool

	at           [64]int32  // offsets in a plane
	memory, rows image.Rows // elements and components
}

// imageView is a prepared resource and the words it was prepared from.
type imageView struct {
	words [8]uint32
	view  *image.View
}

// images returns the wave's state for an instruction, with its resource bound,
// and the active lanes. The state is nil if there are none, and after a fault.
func (w *wave) images(o *op) (st *imageState, exec uint64) {
	if exec = w.exec(); exec == 0 {
		return nil, 0
	}
	st = w.image
	if st == nil {
		st = &imageState{w: w}
		st.tex.Mem = st
		w.image = st
	}
	var words [8]uint32
	x := o.image
	n := 8
	if x.short {
		n = 4
	}
	copy(words[:n], w.s[x.rsrc:])
	for i := range st.views {
		if v := &st.views[i]; v.view != nil && v.words == words {
			st.tex.View = v.view
			return st, exec
		}
	}
	v, err := w.dev.imageView(&words)
	if err != nil {
		w.pc = w.at
		w.fail(device.FaultUnsupported, err.Error())
		return nil, 0
	}
	st.views[st.next&3] = imageView{words, v}
	st.next++
	st.tex.View = v
	return st, exec
}

// ReadElement implements image.Memory.
func (st *imageState) ReadElement(addr uint64, bytes uint8, raw *image.Raw) bool {
	w := st.w
	if w.chk != nil {
		st.notify(addr, bytes, accessLoad)
	}
	r := w.region(addr, uint64(bytes))
	if r == nil {
		w.badAccess("image load", st.lane, addr, uint64(bytes))
		return false
	}
	p := hostAt(r, addr)
	*raw = image.Raw{}
	switch bytes {
	case 4:
		raw[0] = load32(p)
	case 1:
		raw[0] = load8(p)
	case 2:
		raw[0] = load16(p)
	case 8:
		v := load64(p)
		raw[0], raw[1] = uint32(v), uint32(v>>32)
	default:
		for i := range int(bytes) / 4 {
			raw[i] = load32(hostAt(r, addr+uint64(i)*4))
		}
	}
	return true
}

// WriteElement implements image.Memory.
func (st *imageState) WriteElement(addr uint64, bytes uint8, raw *image.Raw) bool {
	w := st.w
	if w.chk != nil {
		st.notify(addr, bytes, accessStore)
	}
	r := w.region(addr, uint64(bytes))
	if r == nil {
		w.badAccess("image store", st.lane, addr, uint64(bytes))
		return false
	}
	p := hostAt(r, addr)
	switch bytes {
	case 4:
		store32(p, raw[0])
	case 1:
		store8(p, raw[0])
	case 2:
		store16(p, raw[0])
	case 8:
		store64(p, uint64(raw[0])|uint64(raw[1])<<32)
	default:
		for i := range int(bytes) / 4 {
			store32(hostAt(r, addr+uint64(i)*4), raw[i])
		}
	}
	return true
}

// Words implements image.Memory.
func (st *imageState) Words(addr, bytes uint64) []uint32 {
	w := st.w
	if w.chk != nil {
		return nil
	}
	r := w.region(addr, 1)
	if r == nil || bytes > uint64(len(r.Pages()))-(addr-r.Addr) {
		return nil
	}
	p := hostAt(r, addr)
	if uintptr(p)&3 != 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(p), bytes/4)
}

// notify reports the access of a lane to an element.
func (st *imageState) notify(addr uint64, bytes uint8, kind accessKind) {
	st.slot[st.lane] = addr
	st.w.chk.notify(st.w, &memAccess{space: spaceGlobal, kind: kind, bytes: uint32(bytes), lanes: 1 << st.lane, addr: &st.slot, data: -1, result: -1})
}

// addressParts are the places of the parts of an address, as indices of its
// dwords.
type addressParts struct{ grads, coords int }

func (x *imageOp) parts(gradients int) (p addressParts) {
	for _, b := range [...]bool{x.shape.Offset, x.shape.Bias, x.shape.Compare} {
		if b {
			p.grads++
		}
	}
	p.coords = p.grads
	if x.shape.Gradients {
		if x.g16 {
			gradients = (gradients/2 + 1) &^ 1
		}
		p.coords += gradients
	}
	return p
}

// gradients returns the number of derivatives in the address.
func (x *imageOp) gradients(v *image.View) int {
	if x.dim != nil {
		return int(x.dim.Gradients)
	}
	return 2 * max(v.Kind.Dims(), 1)
}

// shapeOf returns the number of coordinates in texels of the address, and
// whether a layer and a sample follow.
func (x *imageOp) shapeOf(v *image.View) (dims int, layer, sample bool) {
	if d := x.dim; d != nil {
		dims = int(d.Coords) - bit(d.Array) - bit(d.MSAA)
		return dims, d.Array, d.MSAA
	}
	k := v.Kind
	if k.Dims() == 0 {
		return 1, false, false
	}
	return k.Dims(), k.Layered() && (x.array || k == image.KindCube), k.MSAA()
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// readHalf reads 16-bit value i of a tuple that begins at dword first.
func (x *imageOp) readHalf(w *wave, first, i, l int) uint32 {
	return w.v[x.addr[(first+i/2)&15]:][l] >> (i & 1 * 16) & 0xffff
}

// integerCoords reads the integer coordinates and the level.
func (st *imageState) integerCoords(x *imageOp, lanes uint64) {
	w := st.w
	var to [5]int
	n := 0
	if x.shape.Coords {
		dims, layer, sample := x.shapeOf(st.tex.View)
		for i := range dims {
			to[n] = i
			n++
		}
		if layer {
			to[n] = 2
			n++
		}
		if sample {
			to[n] = 3
			n++
		}
	}
	if x.shape.Mip {
		to[n] = 4
		n++
	}
	for k := range st.coord {
		if !slices.Contains(to[:n], k) {
			st.coord[k] = [64]uint32{}
		}
	}
	for i, k := range to[:n] {
		c := &st.coord[k]
		if !x.a16 {
			copy(c[:w.lanes], w.v[x.addr[i]:])
			continue
		}
		for rest := lanes; rest != 0; rest &= rest - 1 {
			l := bits.TrailingZeros64(rest) & 63
			c[l] = x.readHalf(w, 0, i, l)
		}
	}
}

// position sets st.pos to the integer coordinates of a lane.
func (st *imageState) position(l int) *image.Position {
	st.lane = l
	c := &st.coord
	st.pos = image.Position{X: c[0][l], Y: c[1][l], Z: c[2][l], Sample: c[3][l], Level: c[4][l]}
	return &st.pos
}

// putTexel writes the components that DMASK selects to a lane's registers.
func (st *imageState) putTexel(x *imageOp, l int, c *image.Texel) {
	w := st.w
	d := w.v[x.data:]
	if x.dmask == 15 && !x.d16 {
		for i, v := range c {
			d[i*w.lanes+l] = v
		}
		st.status(x, l)
		return
	}
	n := 0
	for i, v := range c {
		if x.dmask>>i&1 == 0 {
			continue
		}
		st.putOne(x, d, l, n, v)
		n++
	}
	st.status(x, l)
}

// putOne writes component n of the result to a register or to one half of it.
func (st *imageState) putOne(x *imageOp, d []uint32, l, n int, v uint32) {
	lanes := st.w.lanes
	if !x.d16 {
		d[n*lanes+l] = v
		return
	}
	v = half(st.tex.Texels, v)
	if !x.packed {
		d[n*lanes+l] = v
		return
	}
	r := &d[n/2*lanes+l]
	switch {
	case n&1 != 0:
		*r = *r&0xffff | v<<16
	case x.clear16:
		*r = v
	default:
		*r = *r&^0xffff | v
	}
}

// half converts a component to 16 bits.
func half(f *image.Format, v uint32) uint32 {
	if f != nil && f.Num.Integer() {
		return v & 0xffff
	}
	if f != nil && f.Num == image.Float && f.Widths[0] == 32 {
		return image.CutHalf(v)
	}
	return image.PackHalf(v)
}

// status clears the register with the status of TFE and LWE. An access of an
// unmapped page would have been a fault.
func (st *imageState) status(x *imageOp, l int) {
	if x.tfe {
		st.w.v[int(x.data)+x.regs*st.w.lanes+l] = 0
	}
}

// runImageLoad executes image_load in all forms.
func runImageLoad(w *wave, o *op) {
	st, exec := w.images(o)
	if st == nil {
		return
	}
	x := o.image
	st.integerCoords(x, exec)
	if st.bindPlane(x) {
		st.loadPlane(x, exec)
		st.unbindPlane()
		return
	}
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		p := st.position(l)
		if x.shape.Raw {
			st.texel = st.tex.LoadRaw(p, x.shape.Signed)
		} else {
			st.texel = st.tex.Load(p)
		}
		if w.fault != nil {
			return
		}
		st.putTexel(x, l, &st.texel)
	}
}

// runImageMSAA loads one component of four samples.
func runImageMSAA(w *wave, o *op) {
	st, exec := w.images(o)
	if st == nil {
		return
	}
	x := o.image
	st.integerCoords(x, exec)
	k := bits.TrailingZeros32(x.dmask)
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		p := st.position(l)
		first := p.Sample &^ 3
		for i := range 4 {
			p.Sample = first + uint32(i)
			c := st.tex.Load(p)
			if w.fault != nil {
				return
			}
			st.putOne(x, w.v[x.data:], l, i, c[k])
		}
		st.status(x, l)
	}
}

// runImageStore executes image_store in all forms.
func runImageStore(w *wave, o *op) {
	st, exec := w.images(o)
	if st == nil {
		return
	}
	x := o.image
	st.integerCoords(x, exec)
	if st.bindPlane(x) {
		st.storePlane(x, exec)
		st.unbindPlane()
		return
	}
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		p := st.position(l)
		st.takeTexel(x, l)
		if x.shape.Raw {
			st.tex.StoreRaw(p, &st.texel)
		} else {
			st.tex.Store(p, &st.texel)
		}
		if w.fault != nil {
			return
		}
	}
}

// takeTexel sets st.texel to the components of a lane's data.
func (st *imageState) takeTexel(x *imageOp, l int) {
	d, lanes, n := st.w.v[x.data:], st.w.lanes, 0
	c := &st.texel
	*c = image.Texel{}
	for i := range c {
		if x.dmask>>i&1 == 0 {
			continue
		}
		switch {
		case !x.d16:
			c[i] = d[n*lanes+l]
		case x.packed:
			c[i] = whole(st.tex.Texels, d[n/2*lanes+l]>>(n&1*16)&0xffff)
		default:
			c[i] = whole(st.tex.Texels, d[n*lanes+l]&0xffff)
		}
		n++
	}
	if !x.broadcast {
		return
	}
	for i := range c {
		if x.dmask>>i&1 == 0 {
			c[i] = c[bits.TrailingZeros32(x.dmask)]
		}
	}
}

// whole converts a 16-bit component to 32 bits.
func whole(f *image.Format, v uint32) uint32 {
	switch {
	case f == nil || f.Num == image.Uint:
		return v
	case f.Num == image.Sint:
		return uint32(int32(int16(v)))
	}
	return image.UnpackHalf(v)
}

// runImageAtomic executes an atomic operation on texels. DMASK selects the size.
func runImageAtomic(w *wave, o *op) {
	st, exec := w.images(o)
	if st == nil {
		return
	}
	x := o.image
	st.integerCoords(x, exec)
	wide := x.dmask == 15 || x.dmask == 3 && !x.shape.Wide
	m := x.atomic[bit(wide)]
	if m == nil {
		w.pc = w.at
		w.fail(device.FaultUnsupported, o.in.Enc.Name()+" has no operation on 64 bits")
		return
	}
	in := uint64(0)
	for rest := exec; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest) & 63
		addr, ok := st.tex.Address(st.position(l))
		switch {
		case ok:
			w.mem.addr[l] = addr
			in |= 1 << l
		default:
			w.setOld(m, l, 0)
		}
	}
	if in == 0 {
		return
	}
	if w.chk != nil {
		w.chk.lanes(w, m, in)
	}
	atomicLanes(w, m, in, w.lanesAt(m.data))
}

// runImageSize executes image_get_resinfo.
func runImageSize(w *wave, o *op) {
	st, exec := w.images(o)
	if st == nil {
		return
	}
	x := o.image
	st.integerCoords(x, exec)
	for ; exec != 0; exec &= exec - 1 {
		l := bits.TrailingZeros64(exec) & 63
		c := st.tex.Size(st.position(l).Level)
		st.putTexel(x, l, &c)
	}
}
