package isel

import (
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// Accesses through buffer resources. The arguments are, in this order: the data
// of stores and atomic operations, the resource, the index (struct only), the
// offset, the scalar offset, the format (tbuffer only), the cache policy.

// bufferArgs holds the positions of a buffer intrinsic's arguments, -1 for
// missing ones.
type bufferArgs struct {
	data, compare          int
	rsrc, lds, size        int
	index, offset, soffset int
	immOffset, format, aux int
}

// bufferArgsOf returns the argument positions for a kind of buffer intrinsic.
func bufferArgsOf(structured, format, data, compare bool) bufferArgs {
	a := bufferArgs{-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
	n := 0
	next := func(on bool) int {
		if !on {
			return -1
		}
		n++
		return n - 1
	}
	a.data = next(data)
	a.compare = next(compare)
	a.rsrc = next(true)
	a.index = next(structured)
	a.offset = next(true)
	a.soffset = next(true)
	a.format = next(format)
	a.aux = next(true)
	return a
}

// isStructured reports whether a buffer intrinsic has an index.
func isStructured(id ir.Intrinsic) bool {
	const at = len("llvm.amdgcn.")
	return id.String()[at] == 's'
}

// resourceAddress holds the address operands of a buffer instruction.
type resourceAddress struct {
	ops  [4]mir.Operand // vector address, resource, scalar offset, offset
	mods mir.Mods
}

// resourceAddress selects the address and cache policy of a buffer intrinsic.
func (s *Selector) resourceAddress(v ir.Value, a *bufferArgs) (x resourceAddress) {
	rsrc := s.arg(v, a.rsrc)
	if rsrc.IsLocal() && s.uniform.Divergent(rsrc) {
		s.unsupported(v, "%v with a divergent resource", s.f.CalledIntrinsic(v))
		return x
	}
	soffset := s.arg(v, a.soffset)
	if soffset.IsLocal() && s.uniform.Divergent(soffset) {
		s.unsupported(v, "%v with a divergent scalar offset", s.f.CalledIntrinsic(v))
		return x
	}
	extra := int64(0)
	if a.immOffset >= 0 {
		extra = s.constArg(v, a.immOffset)
	}
	var offset mir.Operand
	offset, x.ops[3] = s.bufferOffset(s.arg(v, a.offset), extra)
	x.ops[0] = offset
	if offset.Kind != mir.KindNone {
		x.mods |= mir.Offen
	}
	if a.index >= 0 {
		x.mods |= mir.Idxen
		x.ops[0] = s.vgpr(s.arg(v, a.index))
		if offset.Kind != mir.KindNone {
			both := mir.R(s.newV(2))
			s.putInstr(mir.Vector, 1, both, x.ops[0], offset)
			x.ops[0] = both
		}
	}
	x.ops[1] = s.sgpr(rsrc)
	x.ops[2] = s.scalarOffset(soffset)
	x.mods |= s.bufferPolicy(s.constArg(v, a.aux))
	if a.format >= 0 {
		x.mods |= mir.Mods(s.constArg(v, a.format)) << mir.FormatShift & mir.FormatBits
	}
	return x
}

// bufferPolicy returns the cache policy for an argument, which has LLVM's bits.
// It drops the bit for swizzled resources.
func (s *Selector) bufferPolicy(aux int64) mir.Mods {
	if s.set.Has(isa.PropCpolTh) {
		return mir.Mods(aux) & 0x1f
	}
	return mir.Mods(aux) & 0x17
}

// bufferOffset splits an offset into a vector register, None for a constant
// offset, and the instruction's constant offset.
func (s *Selector) bufferOffset(v ir.Value, extra int64) (offset, imm mir.Operand) {
	limit := int64(4095)
	if s.set.Has(isa.PropOffset24) {
		limit = 1<<23 - 1
	}
	if c, ok := s.intValue(v); ok {
		n := int64(uint32(c)) + extra
		if rest := n &^ limit; rest != 0 {
			if int32(n) < 0 {
				return s.asReg(mir.Imm(int64(int32(n))), mir.FileV, 1), mir.Imm(0)
			}
			return s.asReg(mir.Imm(int64(int32(rest))), mir.FileV, 1), mir.Imm(n & limit)
		}
		return mir.None, mir.Imm(n)
	}
	base, add := s.addedConstant(v)
	if n := add + extra; n >= 0 && n <= limit {
		return s.vgpr(base), mir.Imm(n)
	}
	o := s.vgpr(v)
	if extra < 0 || extra > limit {
		sum := mir.R(s.newV(1))
		s.valu(s.without(mir.VAddNcU32, mir.VAddCoU32), sum, mir.Imm(extra), o)
		return sum, mir.Imm(0)
	}
	return o, mir.Imm(extra)
}

// addedConstant decomposes a sum of a value and a constant.
func (s *Selector) addedConstant(v ir.Value) (base ir.Value, n int64) {
	f := s.f
	if v.IsLocal() && f.Op(v) == ir.OpAdd {
		if c, ok := s.intValue(f.Operand(v, 1)); ok && int32(c) > 0 {
			return f.Operand(v, 0), int64(int32(c))
		}
	}
	return v, 0
}

// scalarOffset returns the scalar offset of a buffer instruction.
func (s *Selector) scalarOffset(v ir.Value) mir.Operand {
	o := s.scalar(v)
	switch {
	case o.Kind == mir.KindReg:
		return s.asReg(o, mir.FileS, 1)
	case o.IsImm(0) && s.set.Has(isa.PropVbuffer):
		return mir.Phys(mir.Null, 1)
	case !s.set.Has(isa.PropVbuffer) && mir.IsInline(s.out.M.Set, isa.CI32, o.Imm):
		return o
	}
	return s.asReg(o, mir.FileS, 1)
}

// rowBuffer selects a buffer load, store or atomic operation.
func (s *Selector) rowBuffer(v ir.Value, r *intrinsicRow) {
	format := false
	for _, o := range r.operands {
		format = format || o.kind == bufferFormat
	}
	compare := r.op == mir.BufferAtomicCmpswapB32 || r.op == mir.BufferAtomicCmpswapB64
	what := r.operands[0].kind
	a := bufferArgsOf(isStructured(r.id), format, what != bufferLoad, compare)
	if what == bufferAtomic && !s.canReturn(v, r) {
		return
	}
	x := s.resourceAddress(v, &a)
	if s.err != nil {
		return
	}
	switch what {
	case bufferLoad:
		s.bufferLoad(v, r, &x)
	case bufferStore:
		s.bufferStore(v, r, s.arg(v, a.data), &x)
	case bufferAtomic:
		s.bufferAtomic(v, r, &a, &x)
	}
}

// canReturn reports whether the machine has the form of an atomic operation
// that a call needs. Some operations cannot return the old value.
func (s *Selector) canReturn(v ir.Value, r *intrinsicRow) bool {
	if s.vals[v].wanted && s.out.M.Info(r.op).Return == isa.NoEnc && s.out.M.Info(r.op).Defs == 0 {
		s.unsupported(v, "%v on %v with its result used", r.id, s.out.M.Set)
		return false
	}
	return true
}

// bufferMem records the memory access of a buffer instruction.
func (s *Selector) bufferMem(i mir.Instr, v ir.Value, flags mir.MemFlags) {
	args := s.f.Args(v)
	if n, ok := s.intValue(args[len(args)-1].Value); ok && n>>31&1 != 0 {
		flags |= mir.MemVolatile
	}
	s.out.SetMem(i, mir.Mem{Align: 1, AddrSpace: 8, Flags: flags, Instr: v})
}

// bufferLoad emits a buffer load. Loads of halves preserve the rest of the
// result's registers. The result of a load with TFE is a struct: the data, and
// a status that is not 0 if the page is missing.
func (s *Selector) bufferLoad(v ir.Value, r *intrinsicRow, x *resourceAddress) {
	op := r.op
	if op == mir.BufferLoadB96 && !s.set.Has(isa.PropBufferB96) {
		op = mir.BufferLoadB128
	}
	info := s.out.M.Info(op)
	t, status := s.loadedType(v)
	dst := mir.Reg(0)
	switch {
	case !status:
		dst = s.regOf(v)
	case s.partWanted(v, 0):
		dst = s.newV(s.dwords(t))
	}
	n := int(info.Slots[0].Dwords)
	d := dst
	if status {
		x.mods |= mir.TFE
		d = s.newV(n + 1)
	} else if n != s.out.Dwords(dst) {
		d = s.newV(n)
	}
	ops := append(make([]mir.Operand, 0, 8), mir.R(d), x.ops[0], x.ops[1], x.ops[2], x.ops[3])
	switch {
	case status:
		ops = append(ops, s.asReg(mir.Imm(0), mir.FileV, n+1))
	case len(info.Slots) > len(ops):
		old := mir.R(s.newV(n))
		s.putInstr(mir.Undefined, 1, old)
		old.Flags |= mir.Undef
		ops = append(ops, old)
	}
	i := s.putInstr(op, 1, ops...)
	s.out.SetMods(i, x.mods)
	s.bufferMem(i, v, mir.MemLoad)
	if status {
		s.definePart(v, 1, mir.Part(d, n, 1))
	}
	switch {
	case dst == 0 || d == dst:
		return
	case n > s.out.Dwords(dst) && op == r.op:
		s.packHalves(dst, d, n)
	default:
		s.putInstr(mir.Copy, 1, mir.R(dst), mir.Part(d, 0, s.out.Dwords(dst)))
	}
	if status {
		s.definePart(v, 0, mir.R(dst))
	}
}

// loadedType returns the type of the data of a buffer load, and whether its
// result has a status, too.
func (s *Selector) loadedType(v ir.Value) (t ir.Type, status bool) {
	t = s.f.TypeOf(v)
	if t == ir.Void || s.m.Kind(t) != ir.KindStruct {
		return t, false
	}
	return s.m.ElementType(t, 0), true
}

// hasStatus reports whether the result of a buffer load with a type is a struct
// of data and a status (TFE), and the machine has such loads.
func (s *Selector) hasStatus(t ir.Type, r *intrinsicRow) bool {
	return r.kind == kindBuffer && r.operands[0].kind == bufferLoad && s.m.Kind(t) == ir.KindStruct && len(s.m.TypeInfo(t).Elems) == 2 &&
		s.m.ElementType(t, 1) == ir.I32 && s.out.M.Info(r.op).Traits.Any(isa.TraitTfe)
}

// packHalves packs pairs of the first n dwords, which hold one half each, as
// gfx8.0 loads them, into one dword.
func (s *Selector) packHalves(dst, from mir.Reg, n int) {
	var parts []mir.Operand
	for k := range n {
		parts = append(parts, mir.Part(from, k, 1))
	}
	s.tuple(append([]mir.Operand{mir.R(dst)}, s.packedHalves(parts)...))
}

// packedHalves packs halves with a dword each into dwords.
func (s *Selector) packedHalves(from []mir.Operand) (parts []mir.Operand) {
	for k := 0; k < len(from); k += 2 {
		lo := from[k]
		if k+1 < len(from) {
			hi, low, both := mir.R(s.newV(1)), mir.R(s.newV(1)), mir.R(s.newV(1))
			s.valu(mir.VLshlrevB32, hi, mir.Imm(16), from[k+1])
			s.valu(mir.VAndB32, low, mir.Imm(0xffff), lo)
			s.valu(mir.VOrB32, both, low, hi)
			lo = both
		}
		parts = append(parts, lo)
	}
	return parts
}

// bufferStore emits a buffer store. gfx6 has no three-dword store.
func (s *Selector) bufferStore(v ir.Value, r *intrinsicRow, x ir.Value, a *resourceAddress) {
	data := s.vgpr(x)
	put := func(op mir.Op, add int64, data mir.Operand) {
		i := s.putInstr(op, 0, a.ops[0], a.ops[1], a.ops[2], mir.Imm(a.ops[3].Imm+add), data)
		s.out.SetMods(i, a.mods)
		s.bufferMem(i, v, mir.MemStore)
	}
	if r.op != mir.BufferStoreB96 || s.set.Has(isa.PropBufferB96) {
		put(r.op, 0, s.bufferData(r, data, s.dwords(s.typeOf(x))))
		return
	}
	if a.ops[3].Imm+8 > 4095 {
		s.unsupported(v, "%v of three dwords at an offset of %d bytes on %v", r.id, a.ops[3].Imm, s.out.M.Set)
		return
	}
	put(mir.BufferStoreB64, 0, s.part(data, 0, 2))
	put(mir.BufferStoreB32, 8, s.part(data, 2, 1))
}

// bufferData returns the data of a buffer store of n dwords in the machine's
// format: gfx8.0 takes one dword for each half.
func (s *Selector) bufferData(r *intrinsicRow, data mir.Operand, n int) mir.Operand {
	slots := s.out.M.Info(r.op).Slots
	want := int(slots[len(slots)-1].Dwords)
	if want == n || want == 0 {
		return data
	}
	return s.spreadHalves(data, want)
}

// spreadHalves returns packed halves with a dword for each.
func (s *Selector) spreadHalves(data mir.Operand, want int) mir.Operand {
	parts := []mir.Operand{mir.R(s.newV(want))}
	for k := range want {
		o := s.half(data, k/2)
		if k%2 != 0 {
			d := mir.R(s.newV(1))
			s.valu(mir.VLshrrevB32, d, mir.Imm(16), o)
			o = d
		}
		parts = append(parts, o)
	}
	s.tuple(parts)
	return parts[0]
}

// bufferAtomic emits a buffer atomic operation. A result replaces the data,
// which includes the compared value.
func (s *Selector) bufferAtomic(v ir.Value, r *intrinsicRow, a *bufferArgs, x *resourceAddress) {
	data := s.vgpr(s.arg(v, a.data))
	n := s.dwords(s.typeOf(s.arg(v, a.data)))
	if a.compare >= 0 {
		both := mir.R(s.newV(2 * n))
		s.putInstr(mir.Vector, 1, both, data, s.vgpr(s.arg(v, a.compare)))
		data = both
	}
	x.mods &^= s.returnBit()
	ops := append(make([]mir.Operand, 0, 8), x.ops[0], x.ops[1], x.ops[2], x.ops[3], data)
	if !s.vals[v].wanted {
		i := s.putInstr(r.op, 0, ops...)
		s.out.SetMods(i, x.mods)
		s.bufferMem(i, v, mir.MemLoad|mir.MemStore)
		return
	}
	dst := s.regOf(v)
	old := dst
	if a.compare >= 0 {
		old = s.newV(2 * n)
	}
	i := s.putInstr(r.op, 1, append([]mir.Operand{mir.R(old)}, ops...)...)
	s.out.SetMods(i, x.mods|s.returnBit())
	s.bufferMem(i, v, mir.MemLoad|mir.MemStore)
	if old != dst {
		s.putInstr(mir.Copy, 1, mir.R(dst), mir.Part(old, 0, n))
	}
}

// rowScalarBuffer selects s.buffer.load: a scalar memory load if all arguments
// are uniform, otherwise buffer loads.
func (s *Selector) rowScalarBuffer(v ir.Value, r *intrinsicRow) {
	if s.vals[v].bank == bankV {
		s.vectorBufferLoad(v, r)
		return
	}
	dst := s.regOf(v)
	d := dst
	if n := int(s.out.M.Info(r.op).Slots[0].Dwords); n != s.out.Dwords(dst) {
		d = s.newS(n)
	}
	soffset, imm := s.scalarBufferOffset(s.arg(v, 1))
	i := s.putInstr(r.op, 1, mir.R(d), s.sgpr(s.arg(v, 0)), soffset, mir.Imm(imm))
	s.out.SetMods(i, s.bufferPolicy(s.constArg(v, 2)))
	s.out.SetMem(i, mir.Mem{Align: 4, AddrSpace: 8, Flags: mir.MemLoad | mir.MemInvariant, Instr: v})
	if d != dst {
		s.putInstr(mir.Copy, 1, mir.R(dst), mir.Part(d, 0, s.out.Dwords(dst)))
	}
}

// scalarBufferOffset splits the offset of s.buffer.load into a scalar register,
// None for a constant offset, and a constant. Source of the limits: AMD's ISA
// documents, "Scalar Memory".
func (s *Selector) scalarBufferOffset(v ir.Value) (soffset mir.Operand, imm int64) {
	fits := func(n int64) bool {
		switch {
		case s.set.Has(isa.PropSmrdLiteral):
			return n >= 0 && n <= 0x7fffffff && n%4 == 0
		case !s.set.Has(isa.PropByteOffset):
			return n >= 0 && n < 1024 && n%4 == 0
		case s.set.Has(isa.PropSmemOffset24):
			return n >= 0 && n < 1<<23
		}
		return n >= 0 && n < 1<<20
	}
	if c, ok := s.intValue(v); ok {
		if n := int64(int32(c)); fits(n) {
			return mir.None, n
		}
		return s.asReg(s.constant(v), mir.FileS, 1), 0
	}
	if base, n := s.addedConstant(v); s.set.Has(isa.PropSmemBoth) && n != 0 && fits(n) {
		return s.sgpr(base), n
	}
	return s.sgpr(v), 0
}

// vectorBufferLoad selects s.buffer.load with a divergent offset as loads of up
// to 16 bytes.
func (s *Selector) vectorBufferLoad(v ir.Value, r *intrinsicRow) {
	rsrc := s.arg(v, 0)
	if rsrc.IsLocal() && s.uniform.Divergent(rsrc) {
		s.unsupported(v, "%v with a divergent resource", r.id)
		return
	}
	dst := s.regOf(v)
	n := s.out.Dwords(dst)
	desc := s.sgpr(rsrc)
	offset, imm := s.bufferOffset(s.arg(v, 1), int64(16*((n-1)/4)))
	imm.Imm -= int64(16 * ((n - 1) / 4))
	zero := mir.Imm(0)
	if s.set.Has(isa.PropVbuffer) {
		zero = mir.Phys(mir.Null, 1)
	}
	mods := s.bufferPolicy(s.constArg(v, 2))
	if offset.Kind != mir.KindNone {
		mods |= mir.Offen
	}
	parts := []mir.Operand{mir.R(dst)}
	for at := 0; at < n; at += 4 {
		size := min(n-at, 4)
		op := [...]mir.Op{1: mir.BufferLoadB32, 2: mir.BufferLoadB64, 3: mir.BufferLoadB96, 4: mir.BufferLoadB128}[size]
		switch bits := s.m.SizeInBits(s.f.TypeOf(v)); {
		case bits == 8:
			op = mir.BufferLoadU8
		case bits == 16:
			op = mir.BufferLoadU16
		case !s.out.M.Has(op): // three dwords on gfx6
			op = mir.BufferLoadB128
		}
		d := mir.R(s.newV(int(s.out.M.Info(op).Slots[0].Dwords)))
		i := s.putInstr(op, 1, d, offset, desc, zero, mir.Imm(imm.Imm+int64(4*at)))
		s.out.SetMods(i, mods)
		s.out.SetMem(i, mir.Mem{Align: 4, AddrSpace: 8, Flags: mir.MemLoad | mir.MemInvariant, Instr: v})
		parts = append(parts, s.part(d, 0, size))
	}
	s.tuple(parts)
}
