package isel

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Image instructions. The arguments are, in this order: the data of stores and
// atomic operations, with the compared value of cmpswap; the mask of components
// except for atomic operations; the parts of the address (isa.ImageShape); the
// resource; the sampler and whether coordinates are in texels, for instructions
// with a sampler; a set of texFail bits; the cache policy.

// Bits of the argument that requests a dword after the result. It
// reports whether texels were missing.
const (
	texFailTFE = 1 << iota
	texFailLWE
)

// imageForm specifies the encodings of an instruction to which an intrinsic is
// limited.
type imageForm int16

const (
	formOneComponent imageForm = iota + 1 // msaa.load.x: the load of as many components as dmask has
	formFourSamples                       // msaa.load: the load of a component of four samples
	formBeforeVIMAGE                      // atomic.fmin: MIMG
	formVIMAGE                            // atomic.min.flt: VIMAGE
)

// fits reports whether an intrinsic is for an operation's encoding.
func (x imageForm) fits(info *mir.OpInfo) bool {
	switch x {
	case formOneComponent, formFourSamples:
		return info.Traits.Any(isa.TraitGather4) == (x == formFourSamples)
	}
	return info.Form == isa.VIMAGE == (x == formVIMAGE)
}

// imageCall is the call of an image intrinsic.
type imageCall struct {
	v         ir.Value
	r         *intrinsicRow
	op        mir.Op
	shape     *isa.ImageShape
	dim       *isa.Dim
	args      []ir.Operand
	data      int // number of data arguments, at the start
	address   int // first part of the address
	gradients int // first gradient
	coords    int // first coordinate, followed by the level
	resource  int
	mask      int64
	flags     int64
	lanes     int // number of components
	failed    bool
	noResult  bool
	parts     []mir.Operand // the address in dwords
	mods      mir.Mods
	sampler   bool
}

// rowImage selects an image intrinsic.
func (s *Selector) rowImage(v ir.Value, r *intrinsicRow) {
	x := imageCall{v: v, r: r, op: r.op}
	x.shape = s.out.M.Info(r.op).Encs[0].Image()
	x.dim = isa.DimOf(uint32(r.operands[0].n))
	x.noResult = len(r.operands) > 1 && r.operands[1].kind == modNoResult
	s.imageArguments(&x)
	s.imageMask(&x)
	s.imageFlags(&x)
	if s.err != nil {
		return
	}
	s.imageAddress(&x)
	if s.err != nil {
		return
	}
	switch {
	case x.noResult:
		s.imageDiscard(&x)
	case x.shape.Kind == isa.ImageStore:
		s.imageStore(&x)
	case x.shape.Kind == isa.ImageAtomic:
		s.imageAtomic(&x)
	default:
		s.imageLoad(&x)
	}
}

// imageArguments finds the arguments.
func (s *Selector) imageArguments(x *imageCall) {
	x.args = s.f.Args(x.v)
	n := 0
	switch {
	case x.shape.Kind == isa.ImageAtomic && x.shape.Wide:
		n = 2
	case x.shape.Kind == isa.ImageAtomic, x.shape.Kind == isa.ImageStore:
		n = 1
	}
	x.data = n
	if x.shape.Kind != isa.ImageAtomic {
		n++
	}
	x.address = n
	for _, extra := range [...]bool{x.shape.Offset, x.shape.Bias, x.shape.Compare} {
		if extra {
			n++
		}
	}
	x.gradients = n
	if x.shape.Gradients {
		n += int(x.dim.Gradients)
	}
	x.coords = n
	x.sampler = x.shape.Kind == isa.ImageSample || x.shape.Kind == isa.ImageGather || x.shape.Kind == isa.ImageLOD
	x.resource = len(x.args) - 3
	if x.sampler {
		x.resource -= 2
	}
}

// imageMask finds the mask and number of components.
func (s *Selector) imageMask(x *imageCall) {
	switch {
	case x.shape.Kind == isa.ImageAtomic:
		x.mask = 1<<(x.data*s.dwords(s.typeOf(x.args[0].Value))) - 1
	default:
		x.mask = s.constArg(x.v, x.data)
		x.lanes = bits.OnesCount64(uint64(x.mask))
		if s.out.M.Info(x.op).Traits.Any(isa.TraitGather4) {
			x.lanes = 4
		}
	}
}

// imageFlags finds the flags and the cache policy.
func (s *Selector) imageFlags(x *imageCall) {
	n := len(x.args)
	if !x.sampler || s.constArg(x.v, n-3) != 0 {
		x.flags |= mir.ImageUnorm
	}
	fail := s.constArg(x.v, n-2)
	x.failed = fail != 0
	switch {
	case fail&^(texFailTFE|texFailLWE) != 0, fail != 0 && (x.noResult || x.shape.Kind == isa.ImageStore || x.shape.Kind == isa.ImageAtomic):
		s.unsupported(x.v, "%v with a flag that it does not have", x.r.id)
	case fail&texFailTFE != 0 && s.set.Has(isa.PropAccData):
		s.unsupported(x.v, "%v with TFE on %v", x.r.id, s.out.M.Set)
	}
	if fail&texFailTFE != 0 {
		x.mods |= mir.TFE
	}
	if fail&texFailLWE != 0 {
		x.flags |= mir.ImageLWE
	}
	if x.failed && x.lanes == 0 {
		x.mask, x.lanes = 1, 1
	}
	aux := s.constArg(x.v, n-1)
	x.mods |= s.bufferPolicy(aux)
	if wrong := aux &^ (1<<31 | 0x1f); wrong != 0 {
		s.unsupported(x.v, "%v with the cache policy %d", x.r.id, aux)
	}
}

// is16 reports whether an argument has 16 bits.
func (s *Selector) is16(x *imageCall, n int) bool {
	return n < x.resource && s.m.SizeInBits(s.typeOf(x.args[n].Value)) == 16
}

// imageAddress selects the parts of the address.
func (s *Selector) imageAddress(x *imageCall) {
	a16 := s.is16(x, x.coords)
	g16 := x.shape.Gradients && s.is16(x, x.gradients)
	switch {
	case a16 && !s.set.Has(isa.PropA16):
		s.unsupported(x.v, "%v with 16-bit coordinates on %v", x.r.id, s.out.M.Set)
	case x.shape.Gradients && a16 != g16 && !s.set.Has(isa.PropG16):
		s.unsupported(x.v, "%v with 16-bit gradients or coordinates, but not both, on %v", x.r.id, s.out.M.Set)
	}
	if a16 {
		x.flags |= mir.ImageA16
		if !s.set.Has(isa.PropImageDim) {
			x.flags |= mir.ImageR128
		}
	}
	s.addWords(x, x.address, x.gradients) // a 16-bit bias has a dword of its own
	if half := (x.coords - x.gradients) / 2; g16 {
		s.addHalves(x, x.gradients, x.gradients+half)
		s.addHalves(x, x.gradients+half, x.coords)
	} else {
		s.addWords(x, x.gradients, x.coords)
	}
	if a16 {
		s.addHalves(x, x.coords, x.resource)
	} else {
		s.addWords(x, x.coords, x.resource)
	}
	s.groupAddress(x)
}

// addWords adds arguments from first to before end to the address.
func (s *Selector) addWords(x *imageCall, first, end int) {
	for n := first; n < end; n++ {
		x.parts = append(x.parts, s.use(x.args[n].Value))
	}
}

// addHalves adds 16-bit arguments to the address, two in each dword.
func (s *Selector) addHalves(x *imageCall, first, end int) {
	for n := first; n < end; n += 2 {
		if n+1 == end {
			x.parts = append(x.parts, s.vgpr(x.args[n].Value))
			return
		}
		pair := [...]element{s.elementOf(x.args[n].Value), s.elementOf(x.args[n+1].Value)}
		x.parts = append(x.parts, s.asReg(s.packDword(x.v, pair[:], 16), mir.FileV, 1))
	}
}

// elementOf returns a value as an element: of the vector that it is extracted
// from.
func (s *Selector) elementOf(v ir.Value) element {
	f := s.f
	switch {
	case !v.IsLocal():
		if s.isUndef(v) {
			return element{}
		}
	case f.Op(v) == ir.OpExtractElement:
		if n, ok := s.intValue(f.Operand(v, 1)); ok && n < s.m.NumElements(s.typeOf(f.Operand(v, 0))) {
			return element{from: f.Operand(v, 0), index: int(n)}
		}
	}
	return element{v: v}
}

// leastSeparate is the number of parts from which on an address has separate
// registers. Smaller ones are in consecutive registers, which needs no further
// dword. LLVM's default.
const leastSeparate = 3

// groupAddress combines parts of the address into tuples, as the instruction's
// form requires.
func (s *Selector) groupAddress(x *imageCall) {
	info := s.out.M.Info(x.op)
	most, n := s.separateRegisters(info), len(x.parts)
	fields := info.Form != isa.MIMG
	switch {
	case n == 1, n <= most && (fields || n >= leastSeparate):
		s.separateParts(x.parts)
	case n > most && s.set.Has(isa.PropImageTuple):
		last := s.addressTuple(x.parts[most-1:], n-most+1)
		s.separateParts(x.parts[:most-1])
		x.parts = append(x.parts[:most-1], last)
	default:
		size, ok := info.Encs[0].ImageAddressTuple(n)
		if !ok {
			s.unsupported(x.v, "%v with an address of %d dwords on %v", x.r.id, n, s.out.M.Set)
			return
		}
		x.parts = append(x.parts[:0], s.addressTuple(x.parts, size))
	}
}

// separateParts moves parts of an address to vector registers.
func (s *Selector) separateParts(parts []mir.Operand) {
	for n := range parts {
		parts[n] = s.asReg(parts[n], mir.FileV, 1)
	}
}

// separateRegisters returns the maximum number of separate registers of an
// image address, 1 without separate registers.
func (s *Selector) separateRegisters(info *mir.OpInfo) int {
	switch {
	case info.Form == isa.VSAMPLE:
		return 4
	case s.set.Has(isa.PropNsa13):
		return 13
	case s.set.Has(isa.PropImageDim):
		return 5
	}
	return 1
}

// addressTuple combines parts in a tuple of n dwords.
func (s *Selector) addressTuple(parts []mir.Operand, n int) mir.Operand {
	d := mir.R(s.newV(n))
	s.putInstr(mir.Vector, 1, append([]mir.Operand{d}, s.padded(parts, n)...)...)
	return d
}

// padded appends undefined dwords to parts of one dword each until there are n.
func (s *Selector) padded(parts []mir.Operand, n int) []mir.Operand {
	for len(parts) < n {
		d := mir.R(s.newV(1))
		s.putInstr(mir.Undefined, 1, d)
		parts = append(parts, d)
	}
	return parts
}

// putImage emits an image instruction with results and data, or None.
func (s *Selector) putImage(x *imageCall, data mir.Operand, results ...mir.Operand) mir.Instr {
	sampler := mir.None
	if x.sampler {
		sampler = s.imageScalar(x, x.resource+1)
	}
	ops := append(results, s.imageScalar(x, x.resource), sampler, mir.Imm(x.mask), mir.Imm(int64(x.r.operands[0].n)), mir.Imm(x.flags), data)
	i := s.putInstr(x.op, len(results), append(ops, x.parts...)...)
	s.out.SetMods(i, x.mods)
	flags := mir.MemFlags(0)
	traits := s.out.M.Info(x.op).Traits
	if traits.Any(isa.TraitLoad) {
		flags |= mir.MemLoad
	}
	if traits.Any(isa.TraitStore) {
		flags |= mir.MemStore
	}
	if flags != 0 {
		s.bufferMem(i, x.v, flags)
	}
	return i
}

// imageScalar returns the resource or the sampler in scalar registers.
func (s *Selector) imageScalar(x *imageCall, n int) mir.Operand {
	v := x.args[n].Value
	if v.IsLocal() && s.uniform.Divergent(v) {
		s.unsupported(x.v, "%v with a divergent resource or sampler", x.r.id)
	}
	o := s.sgpr(v)
	if want := 8 >> (n - x.resource); s.dwords(s.typeOf(v)) != want {
		s.unsupported(x.v, "%v with a resource or sampler of %d dwords", x.r.id, s.dwords(s.typeOf(v)))
	}
	return o
}

// hasField reports whether an instruction has a field.
func hasField(info *mir.OpInfo, field isa.Field) bool {
	for _, o := range info.Encs[0].Operands() {
		if o.Field == field {
			return true
		}
	}
	return false
}

// imageHalves reports whether the data are halves, and checks that the
// instruction has them.
func (s *Selector) imageHalves(x *imageCall, t ir.Type) bool {
	elem := s.m.Scalar(t)
	switch {
	case s.m.SizeInBits(elem) == 32:
		return false
	case s.m.Kind(elem) != ir.KindHalf:
		s.unsupported(x.v, "%v with elements of %d bits", x.r.id, s.m.SizeInBits(elem))
	case !hasField(s.out.M.Info(x.op), isa.FieldD16) || !s.set.Has(isa.PropD16):
		s.unsupported(x.v, "%v with 16-bit data on %v", x.r.id, s.out.M.Set)
	}
	x.flags |= mir.ImageD16
	return true
}

// elementCount returns the number of elements of a scalar or vector.
func (s *Selector) elementCount(t ir.Type) int {
	if s.m.IsVector(t) {
		return int(s.m.NumElements(t))
	}
	return 1
}

// imageStore selects a store.
func (s *Selector) imageStore(x *imageCall) {
	v := x.args[0].Value
	t := s.typeOf(v)
	data := s.vgpr(v)
	if s.imageHalves(x, t) && s.err == nil {
		n := s.elementCount(t)
		switch {
		case !s.set.Has(isa.PropPackedD16):
			data = s.spreadHalves(data, n)
		case s.set.Gen() == isa.Gen8 && n > 1: // the hardware expects as many registers as elements: LLVM, ImageStoreD16Bug
			parts := []mir.Operand{}
			for k := range (n + 1) / 2 {
				parts = append(parts, s.half(data, k))
			}
			data = s.addressTuple(parts, n)
		}
	}
	if s.err == nil {
		s.putImage(x, data)
	}
}

// imageAtomic selects an atomic operation. A result replaces the data, which
// includes the compared value.
func (s *Selector) imageAtomic(x *imageCall) {
	data := s.vgpr(x.args[0].Value)
	n := s.dwords(s.typeOf(x.args[0].Value))
	if x.shape.Wide {
		both := mir.R(s.newV(2 * n))
		s.putInstr(mir.Vector, 1, both, data, s.vgpr(x.args[1].Value))
		data = both
	}
	x.mods &^= s.returnBit()
	if !s.vals[x.v].wanted {
		s.putImage(x, data)
		return
	}
	x.mods |= s.returnBit()
	dst := s.regOf(x.v)
	if !x.shape.Wide {
		s.putImage(x, data, mir.R(dst))
		return
	}
	old := s.newV(2 * n)
	s.putImage(x, data, mir.R(old))
	s.putInstr(mir.Copy, 1, mir.R(dst), mir.Part(old, 0, n))
}

// imageDiscard selects a sample whose result nothing uses. The hardware writes
// it nevertheless, to registers that are free there. Without components in the
// mask, one register is reserved.
func (s *Selector) imageDiscard(x *imageCall) {
	s.out.SetFlags(s.putImage(x, mir.None, mir.R(s.newV(max(x.lanes, 1)))), mir.NoReorder)
}

// imageLoad selects an instruction with a result. The result of a call with a
// dword for missing texels is a struct.
func (s *Selector) imageLoad(x *imageCall) {
	t := s.f.TypeOf(x.v)
	if x.failed {
		if s.m.Kind(t) != ir.KindStruct {
			s.unsupported(x.v, "%v with a result that is not a struct", x.r.id)
			return
		}
		t = s.m.ElementType(t, 0)
	} else if s.m.Kind(t) == ir.KindStruct {
		s.unsupported(x.v, "%v with a struct as result", x.r.id)
		return
	}
	halves := s.imageHalves(x, t)
	switch {
	case s.err != nil:
		return
	case x.lanes > s.elementCount(t):
		s.unsupported(x.v, "%v of %d components with a result of %d", x.r.id, x.lanes, s.elementCount(t))
		return
	case x.lanes == 0:
		s.putInstr(mir.Undefined, 1, mir.R(s.regOf(x.v)))
		return
	}
	n, packed := x.lanes, halves && s.set.Has(isa.PropPackedD16)
	if packed && !(x.shape.Kind == isa.ImageGather && s.gatherTooWide()) {
		n = (n + 1) / 2
	}
	if x.failed {
		n++
	}
	want := s.dwords(t)
	if n == want && halves == packed && !x.failed {
		s.putImage(x, mir.None, mir.R(s.regOf(x.v)))
		return
	}
	d := s.newV(n)
	s.putImage(x, s.missingTexels(x, n), mir.R(d))
	s.imageResult(x, d, want, halves && !packed)
}

// gatherTooWide reports whether the hardware expects as many registers as
// elements for a gather of halves. Source: LLVM, ImageGather4D16Bug.
func (s *Selector) gatherTooWide() bool {
	return s.set.Gen() == isa.Gen8 || s.set == isa.GFX900
}

// missingTexels returns the value that the result has where texels are missing:
// zero, or None if nothing reports them.
func (s *Selector) missingTexels(x *imageCall, n int) mir.Operand {
	if !x.failed {
		return mir.None
	}
	return s.asReg(mir.Imm(0), mir.FileV, n)
}

// imageResult defines the result of want dwords from the registers d. Halves
// that are spread have one dword each.
func (s *Selector) imageResult(x *imageCall, d mir.Reg, want int, spread bool) {
	n := s.out.Dwords(d)
	if x.failed {
		n--
		s.definePart(x.v, 1, mir.Part(d, n, 1))
		if !s.partWanted(x.v, 0) {
			return
		}
	}
	var parts []mir.Operand
	for k := range n {
		parts = append(parts, mir.Part(d, k, 1))
	}
	if spread {
		parts = s.packedHalves(parts)
	}
	parts = s.padded(parts, want)[:want]
	dst := mir.R(s.newV(want))
	if !x.failed {
		dst = mir.R(s.regOf(x.v))
	}
	s.tuple(append([]mir.Operand{dst}, parts...))
	if x.failed {
		s.definePart(x.v, 0, dst)
	}
}
