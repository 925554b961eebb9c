package isel

import (
	"slices"

	"github.com/gfx-toolchain/gfx/internal/compiler/abi"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/compiler/analysis"
	"github.com/gfx-toolchain/gfx/internal/compiler/mir"
	"github.com/gfx-toolchain/gfx/ir"
	"github.com/gfx-toolchain/gfx/isa"
)

// path is the kind of instructions that access memory.
type path uint8

const (
	pathGlobal path = iota
	pathFlat
	pathScratch
	pathBuffer // scratch before gfx9, global memory on gfx6
	pathLDS
	numPaths
)

// accessOps holds the instructions for a size, by path.
type accessOps [numPaths]mir.Op

// loadTable holds the loads by size: zero-extended bytes and i16, the same
// sign-extended, and 1 to 4 dwords.
var loadTable = [...]accessOps{
	{mir.GlobalLoadU8, mir.FlatLoadU8, mir.ScratchLoadU8, mir.BufferLoadU8, mir.DsLoadU8},
	{mir.GlobalLoadU16, mir.FlatLoadU16, mir.ScratchLoadU16, mir.BufferLoadU16, mir.DsLoadU16},
	{mir.GlobalLoadI8, mir.FlatLoadI8, mir.ScratchLoadI8, mir.BufferLoadI8, mir.DsLoadI8},
	{mir.GlobalLoadI16, mir.FlatLoadI16, mir.ScratchLoadI16, mir.BufferLoadI16, mir.DsLoadI16},
	{mir.GlobalLoadB32, mir.FlatLoadB32, mir.ScratchLoadB32, mir.BufferLoadB32, mir.DsLoadB32},
	{mir.GlobalLoadB64, mir.FlatLoadB64, mir.ScratchLoadB64, mir.BufferLoadB64, mir.DsLoadB64},
	{mir.GlobalLoadB96, mir.FlatLoadB96, mir.ScratchLoadB96, mir.BufferLoadB96, mir.DsLoadB96},
	{mir.GlobalLoadB128, mir.FlatLoadB128, mir.ScratchLoadB128, mir.BufferLoadB128, mir.DsLoadB128},
}

var storeTable = [...]accessOps{
	{mir.GlobalStoreB8, mir.FlatStoreB8, mir.ScratchStoreB8, mir.BufferStoreB8, mir.DsStoreB8},
	{mir.GlobalStoreB16, mir.FlatStoreB16, mir.ScratchStoreB16, mir.BufferStoreB16, mir.DsStoreB16},
	{},
	{},
	{mir.GlobalStoreB32, mir.FlatStoreB32, mir.ScratchStoreB32, mir.BufferStoreB32, mir.DsStoreB32},
	{mir.GlobalStoreB64, mir.FlatStoreB64, mir.ScratchStoreB64, mir.BufferStoreB64, mir.DsStoreB64},
	{mir.GlobalStoreB96, mir.FlatStoreB96, mir.ScratchStoreB96, mir.BufferStoreB96, mir.DsStoreB96},
	{mir.GlobalStoreB128, mir.FlatStoreB128, mir.ScratchStoreB128, mir.BufferStoreB128, mir.DsStoreB128},
}

// accessRows maps sizes in bytes to rows of loadTable, counted from 1; 0 means
// none.
var accessRows = [...]uint8{1: 1, 2: 2, 4: 5, 8: 6, 12: 7, 16: 8}

// accessRow returns the row of loadTable and storeTable for a size in bytes, or
// -1.
func accessRow(bytes uint64, signed bool) int {
	n := -1
	if bytes < uint64(len(accessRows)) {
		n = int(accessRows[bytes]) - 1
	}
	if n >= 0 && signed {
		n += 2
	}
	return n
}

// path returns the access path of an address space.
func (s *Selector) path(space uint32) path {
	switch space {
	case addrspace.Local, addrspace.Region:
		return pathLDS
	case addrspace.Private:
		if !s.set.Has(isa.PropFlatOffset) {
			return pathBuffer
		}
		return pathScratch
	case addrspace.Flat:
		return pathFlat
	}
	switch {
	case s.set.Has(isa.PropFlatOffset):
		return pathGlobal
	case !s.set.Has(isa.PropFlat):
		return pathBuffer
	}
	return pathFlat
}

// memAddress holds the address operands of a memory instruction, which precede
// the data.
type memAddress struct {
	path     path
	operands []mir.Operand
	last     mir.Operand // follows the data: M0 for LDS before gfx9, otherwise None
	mods     mir.Mods
}

// memAddress selects the address of an access.
func (s *Selector) memAddress(v, p ir.Value) memAddress {
	a := s.address(p)
	space := s.m.AddrSpace(s.typeOf(p))
	m := memAddress{path: s.path(space)}
	switch m.path {
	case pathLDS:
		s.ldsAddress(&m, &a)
		if space == addrspace.Region {
			m.last, m.mods = s.gdsPart(), mir.GDS
		} else if s.set.Has(isa.PropLdsM0) {
			m.last = s.ldsLimit()
		}
	case pathScratch, pathBuffer:
		if space == addrspace.Private {
			s.privateAddress(&m, &a)
		} else {
			s.bufferAddress(&m, &a)
		}
	case pathGlobal:
		s.globalAccess(&m, &a, splitOffset(&a, s.mem.globalMin, s.mem.globalMax), s.accessSize(v))
	default:
		off := int64(0)
		if a.offset > 0 && a.offset <= s.mem.flatMax && space == addrspace.Flat {
			off, a.offset = a.offset, 0
		}
		if s.set.Has(isa.PropOffsetSigned) {
			s.globalAccess(&m, &a, off, s.accessSize(v))
			break
		}
		m.operands = []mir.Operand{s.asReg(s.wholeAddress(&a), mir.FileV, 2), mir.None, mir.Imm(off)}
	}
	return m
}

// splitOffset removes the part of an address's offset that an instruction can
// encode, from lo to hi, and returns it.
func splitOffset(a *address, lo, hi int64) int64 {
	if a.offset >= lo && a.offset <= hi {
		off := a.offset
		a.offset = 0
		return off
	}
	if hi == 0 {
		return 0
	}
	off := a.offset & hi // the rest is a multiple of a power of two, which neighboring accesses share
	a.offset -= off
	return off
}

// accessSize returns the size in bytes of a load or store, and 0 for other
// instructions.
func (s *Selector) accessSize(v ir.Value) uint64 {
	switch s.f.Op(v) {
	case ir.OpLoad:
		return s.m.StoreSize(s.f.TypeOf(v))
	case ir.OpStore:
		return s.m.StoreSize(s.typeOf(s.f.Operand(v, 0)))
	}
	return 0
}

// scaledOffset returns the only divergent term of an address if its index can
// be the signed offset of an access of size bytes, in bytes or in units of the
// access's size. It returns nil otherwise.
func (s *Selector) scaledOffset(terms []term, size uint64) *term {
	var only *term
	for n := range terms {
		if t := &terms[n]; !s.uniformTerm(t) {
			if only != nil {
				return nil
			}
			only = t
		}
	}
	if only == nil || !s.set.Has(isa.PropOffsetSigned) || only.ext == extNone {
		return nil
	}
	if only.scale != 1 && (uint64(only.scale) != size || size&(size-1) != 0) {
		return nil
	}
	if _, hi := analysis.UnsignedRange(s.f, only.v); only.ext == extUnsigned && (hi > 1<<31-1 || s.dwords(s.typeOf(only.v)) != 1) {
		return nil
	}
	return only
}

// globalAccess selects an address in global or flat memory with a constant
// offset: a scalar base with a 32-bit offset in a vector register if possible.
func (s *Selector) globalAccess(m *memAddress, a *address, off int64, size uint64) {
	scalar := a.base != ir.None && s.bank(a.base) != bankV
	if t := s.scaledOffset(a.terms, size); scalar && t != nil {
		saddr := s.asReg(s.sumUniform(s.use(a.base), a.terms, a.offset), mir.FileS, 2)
		m.operands = []mir.Operand{s.asReg(s.index32(t), mir.FileV, 1), saddr, mir.Imm(off)}
		if t.scale != 1 {
			m.mods = mir.Mods(isa.CPolScale)
		}
		return
	}
	if scalar && s.offset32(a.terms) {
		saddr := s.asReg(s.sumUniform(s.use(a.base), a.terms, a.offset), mir.FileS, 2)
		voffset := mir.None
		for n := range a.terms {
			if t := &a.terms[n]; !s.uniformTerm(t) {
				voffset = s.addTerm32(voffset, t)
			}
		}
		if voffset == mir.None {
			voffset = mir.Imm(0)
		}
		m.operands = []mir.Operand{s.asReg(voffset, mir.FileV, 1), saddr, mir.Imm(off)}
		return
	}
	m.operands = []mir.Operand{s.asReg(s.wholeAddress(a), mir.FileV, 2), mir.None, mir.Imm(off)}
}

// bufferAddress selects a global memory address on gfx6: an unbounded resource,
// and a 64-bit address in vector registers.
func (s *Selector) bufferAddress(m *memAddress, a *address) {
	off := splitOffset(a, 0, s.mem.bufferMax)
	addr := s.asReg(s.wholeAddress(a), mir.FileV, 2)
	words := [...]int64{0, 0, -1, 0xf000} // base 0, all records, format of raw data
	parts := []mir.Operand{mir.R(s.newS(4))}
	for _, w := range words {
		d := s.newS(1)
		s.putInstr(mir.SMovB32, 1, mir.R(d), mir.Imm(w))
		parts = append(parts, mir.R(d))
	}
	s.putInstr(mir.Vector, 1, parts...)
	m.operands = []mir.Operand{addr, parts[0], mir.Imm(0), mir.Imm(off)}
	m.mods = mir.Addr64
}

// ldsAddress selects an LDS address. On gfx6 an offset is valid only if the
// address is not negative.
func (s *Selector) ldsAddress(m *memAddress, a *address) {
	off := int64(0)
	if len(a.terms) == 0 && a.base == ir.None || s.set.Has(isa.PropLdsOffset) {
		off = splitOffset(a, 0, 65535)
	}
	addr := s.asReg(s.sum32(s.base32(a), a.terms, a.offset), mir.FileV, 1)
	m.operands = []mir.Operand{addr, mir.Imm(off)}
}

// ldsLimit initializes M0, which before gfx9 must hold the LDS limit, to no
// limit.
func (s *Selector) ldsLimit() mir.Operand {
	s.putInstr(mir.SMovB32, 1, mir.Phys(mir.M0, 1), mir.Imm(-1))
	return mir.Phys(mir.M0, 1)
}

// gdsPart initializes M0 to the part of GDS that the function accesses: its size
// is in the low half, its start in the high half. A function states the size in
// an attribute; without one it is 0, as in LLVM.
func (s *Selector) gdsPart() mir.Operand {
	text, _ := s.m.StringAttr(s.m.AttrsAt(s.f.Attributes, ir.AttrFunction), "amdgpu-gds-size")
	n, ok := abi.Number(text)
	if text != "" && (!ok || n>>16 != 0) {
		s.unsupported(s.current, "the size %q of the part of GDS", text)
	}
	return s.inM0(mir.Imm(int64(n)))
}

// frameObject returns the frame object of a static alloca as an operand.
func (s *Selector) frameObject(v ir.Value) (mir.Operand, bool) {
	if v.IsLocal() && s.f.Op(v) == ir.OpAlloca && s.staticAlloca(v) {
		return mir.FrameAddr(s.frame(v), 0), true
	}
	return mir.None, false
}

// privateAddress selects an address of scratch memory.
func (s *Selector) privateAddress(m *memAddress, a *address) {
	limit := s.mem.scratchMax
	if m.path == pathBuffer {
		limit = s.mem.bufferMax
	}
	base := s.base32(a)
	if base.Kind == mir.KindFrame && len(a.terms) == 0 {
		base.Imm = a.offset
		s.scratchOperands(m, mir.None, base)
		return
	}
	off := splitOffset(a, 0, limit)
	s.scratchOperands(m, s.asReg(s.sum32(base, a.terms, a.offset), mir.FileV, 1), mir.Imm(off))
}

// scratchOperands sets the operands for an address in a vector register, or
// None, and an offset.
func (s *Selector) scratchOperands(m *memAddress, addr, off mir.Operand) {
	if m.path == pathScratch {
		saddr := mir.None
		m.operands = []mir.Operand{addr, saddr, off}
		return
	}
	if addr != mir.None {
		m.mods = mir.Offen
	}
	m.operands = []mir.Operand{addr, mir.Phys(abi.ScratchResource, 4), mir.Imm(0), off}
}

// memOf returns the description of a memory access.
func (s *Selector) memOf(v, p ir.Value, size uint64, flags mir.MemFlags) mir.Mem {
	f := s.f
	info := f.MemInfo(v)
	base, off := s.baseOf(p)
	m := mir.Mem{Size: size, Align: info.Align, AddrSpace: uint8(s.m.AddrSpace(s.typeOf(p))), Flags: flags, Ordering: analysis.Ordering(info), Scope: info.Scope,
		Value: base, Offset: off, Instr: v}
	if info.Volatile {
		m.Flags |= mir.MemVolatile
	}
	if m.Ordering == ir.NotAtomic && f.Op(v) == ir.OpLoad && s.precedesSwap(p) {
		m.Ordering = ir.Unordered
	}
	if f.Attachment(v, ir.MDNonTemporal) != 0 {
		m.Flags |= mir.MemNonTemporal
	}
	if f.Op(v) == ir.OpLoad && s.alias.IsInvariantLoad(v) {
		m.Flags |= mir.MemInvariant
	}
	if s.set.Has(isa.PropCpolTh) && f.Op(v) == ir.OpLoad && f.Attachment(v, s.m.MDKind("amdgpu.last.use")) != 0 {
		m.Flags |= mir.MemLastUse
	}
	return m
}

// baseOf splits the constant offset off a pointer computed by instructions.
func (s *Selector) baseOf(p ir.Value) (ir.Value, int64) {
	a := s.address(p)
	if len(a.terms) > 0 || a.base == ir.None {
		return p, 0
	}
	return a.base, a.offset
}

// foreignSpaces holds the address spaces that loads, stores and atomic
// operations cannot access, as bits.
const foreignSpaces = 1<<addrspace.Buffer | 1<<addrspace.Resource | 1<<addrspace.Strided

// memory selects a load, a store or an atomic operation.
func (s *Selector) memory(v ir.Value) {
	op, at := s.f.Op(v), 0
	if op == ir.OpStore {
		at = 1
	}
	switch space := s.m.AddrSpace(s.typeOf(s.f.Operand(v, at))); {
	case foreignSpaces>>min(space, 63)&1 != 0:
		s.unsupported(v, "%v in address space %d", op, space)
		return
	case space == addrspace.Region && (op == ir.OpLoad || op == ir.OpStore || !s.set.Has(isa.PropGds) || s.set.Has(isa.PropGdsSingle)):
		s.unsupported(v, "%v in address space %d", op, space)
		return
	case space == addrspace.Flat && !s.set.Has(isa.PropFlat):
		s.impossible(v, "%v through a generic pointer of unknown address space: %s has no FLAT instructions", op, s.env.Target.Processor.Name)
		return
	}
	switch op {
	case ir.OpLoad:
		s.load(v)
	case ir.OpStore:
		s.store(v)
	default:
		s.atomic(v)
	}
}

// load selects a load.
func (s *Selector) load(v ir.Value) {
	f := s.f
	p := f.Operand(v, 0)
	t := f.TypeOf(v)
	size := s.m.StoreSize(t)
	if s.vals[v].bank == bankS {
		switch {
		case s.preloaded(v, p, size):
		case size < 4:
			s.loadNarrow(v, p, size)
		default:
			s.loadScalar(v, p, size)
		}
		return
	}
	row := accessRow(size, size <= 2 && s.m.IntBits(t) != 0 && s.extendsSign(v))
	if row < 0 {
		s.unsupported(v, "load of %d bytes", size)
		return
	}
	m := s.memAddress(v, p)
	if pieces := s.ldsPieces(size, f.MemInfo(v).Align); m.path == pathLDS && pieces != nil {
		s.loadPieces(v, p, &m, pieces)
		return
	}
	dst := mir.R(s.regOf(v))
	i := s.access(loadTable[row][m.path], &m, 1, dst)
	s.setMem(i, s.memOf(v, p, size, mir.MemLoad))
}

func (s *Selector) setMem(i mir.Instr, m mir.Mem) {
	if i != 0 {
		s.out.SetMem(i, m)
	}
}

// access emits a memory instruction; operands are its results and data.
func (s *Selector) access(op mir.Op, m *memAddress, defs int, operands ...mir.Operand) mir.Instr {
	if !s.out.M.Has(op) {
		s.unsupported(s.current, "%v on %v", op, s.out.M.Set)
		return 0
	}
	all := append(append([]mir.Operand{}, operands[:defs]...), m.operands...)
	all = append(all, operands[defs:]...)
	if m.last != mir.None {
		all = append(all, m.last)
	}
	i := s.putInstr(op, defs, all...)
	s.out.SetMods(i, m.mods)
	return i
}

// store selects a store.
func (s *Selector) store(v ir.Value) {
	f := s.f
	x, p := f.Operand(v, 0), f.Operand(v, 1)
	size := s.m.StoreSize(s.typeOf(x))
	row := accessRow(size, false)
	if row < 0 {
		s.unsupported(v, "store of %d bytes", size)
		return
	}
	data := s.vgpr(x)
	m := s.memAddress(v, p)
	if pieces := s.ldsPieces(size, f.MemInfo(v).Align); m.path == pathLDS && pieces != nil {
		s.storePieces(v, p, &m, data, pieces)
		return
	}
	i := s.access(storeTable[row][m.path], &m, 0, data)
	s.setMem(i, s.memOf(v, p, size, mir.MemStore))
}

// maxVectorAccess is the maximum size in bytes of a vector memory access.
const maxVectorAccess = 16

// scalarLoad reports whether a uniform load can use scalar memory. The memory
// must be constant, or not written before the load.
func (s *Selector) scalarLoad(v ir.Value) bool {
	f := s.f
	p := f.Operand(v, 0)
	size := s.m.StoreSize(f.TypeOf(v))
	if !f.IsSimple(v) || size > 64 || s.isBool(f.TypeOf(v)) {
		return false
	}
	if s.bank(p) == bankV && size <= maxVectorAccess { // a uniform address in vector registers
		return false
	}
	if size < 4 && !s.loadsNarrow(size, f.MemInfo(v).Align) && !s.inOneDword(p, size) || size >= 4 && (size%4 != 0 || f.MemInfo(v).Align < 4) {
		return false
	}
	switch s.m.AddrSpace(s.typeOf(p)) {
	case addrspace.Constant:
		return true
	case addrspace.Global:
		return s.alias.IsInvariantLoad(v) || f.Attachment(v, s.m.MDKind("amdgpu.noclobber")) != 0
	}
	return false
}

// narrowLoads holds the scalar memory loads of 1 and 2 bytes, zero-extended and
// sign-extended.
var narrowLoads = [3][2]mir.Op{1: {mir.SLoadU8, mir.SLoadI8}, 2: {mir.SLoadU16, mir.SLoadI16}}

// loadsNarrow reports whether scalar memory has a load of a few bytes at an
// alignment.
func (s *Selector) loadsNarrow(size uint64, align uint32) bool {
	return size <= 2 && s.out.M.Has(narrowLoads[size][0]) && uint64(align) >= size
}

// inOneDword reports whether an access of a few bytes at a known alignment
// stays within a dword.
func (s *Selector) inOneDword(p ir.Value, size uint64) bool {
	a := s.address(p)
	return len(a.terms) == 0 && a.base.IsLocal() && uint64(a.offset&3)+size <= 4 && analysis.PointerAlign(s.f, a.base)%4 == 0
}

// loadNarrow selects a load of 1 to 3 bytes from scalar memory. Before gfx12, it
// loads the dword that contains them.
func (s *Selector) loadNarrow(v, p ir.Value, size uint64) {
	if s.loadsNarrow(size, s.f.MemInfo(v).Align) {
		op := narrowLoads[size][0]
		if s.m.IntBits(s.f.TypeOf(v)) != 0 && s.extendsSign(v) {
			op = narrowLoads[size][1]
		}
		addr, offset := s.scalarAddress(p, size)
		s.setMem(s.putInstr(op, 1, mir.R(s.regOf(v)), addr, mir.None, mir.Imm(offset)), s.memOf(v, p, size, mir.MemLoad))
		return
	}
	a := s.address(p)
	shift := a.offset & 3 * 8
	a.offset &^= 3
	high, low := int64(0), a.offset
	if low < 0 || low+4 > s.mem.scalarMax {
		high, low = low, 0
	}
	addr := s.asReg(s.sumUniform(s.scalar(a.base), nil, high), mir.FileS, 2)
	dst := mir.R(s.regOf(v))
	d := dst
	if shift != 0 {
		d = mir.R(s.newS(1))
	}
	m := s.memOf(v, p, 4, mir.MemLoad)
	m.Offset, m.Align = m.Offset&^3, 4
	s.setMem(s.putInstr(mir.SLoadB32, 1, d, addr, mir.None, mir.Imm(low)), m)
	if shift != 0 {
		s.salu(mir.SLshrB32, dst.Reg(), d, mir.Imm(shift))
	}
}

// scalarLoads holds the scalar memory loads by number of dwords, largest first.
var scalarLoads = [...]struct {
	dwords int
	op     mir.Op
}{{16, mir.SLoadB512}, {8, mir.SLoadB256}, {4, mir.SLoadB128}, {2, mir.SLoadB64}, {1, mir.SLoadB32}}

// loadScalar selects a scalar memory load. It emits several instructions if the
// size is not a power of two.
func (s *Selector) loadScalar(v, p ir.Value, size uint64) {
	dst := s.regOf(v)
	n := int(size / 4)
	addr, whole := s.scalarAddress(p, size)
	mem := s.memOf(v, p, size, mir.MemLoad)
	parts := []mir.Operand{mir.R(dst)}
	for at := 0; at < n; {
		for _, l := range scalarLoads {
			if at+l.dwords > n {
				continue
			}
			d := mir.R(dst)
			if l.dwords < n {
				d = mir.R(s.newS(l.dwords))
			}
			part := mem
			part.Size, part.Offset = uint64(l.dwords)*4, mem.Offset+int64(at)*4
			into := d
			if s.set.Has(isa.PropAsync) && uint64(mem.Align) < part.Size { // it may execute again after one part has arrived
				into.Flags |= mir.Early
			}
			s.setMem(s.putInstr(l.op, 1, into, addr, mir.None, mir.Imm(whole+int64(at)*4)), part)
			parts = append(parts, d)
			at += l.dwords
			break
		}
	}
	if len(parts) > 2 {
		s.putInstr(mir.Vector, 1, parts...)
	}
}

// scalarAddress returns the address of a scalar memory access, and the constant
// offset for the instructions.
func (s *Selector) scalarAddress(p ir.Value, size uint64) (addr mir.Operand, offset int64) {
	if s.bank(p) == bankV {
		return s.sgpr(p), 0
	}
	a := s.address(p)
	offset = a.offset
	high := int64(0)
	if offset < 0 || offset+int64(size) > s.mem.scalarMax || offset%4 != 0 && size >= 4 {
		high, offset = offset, 0
	}
	base := mir.Imm(0)
	if a.base != ir.None {
		base = s.scalar(a.base)
	}
	return s.asReg(s.sumUniform(base, a.terms, high), mir.FileS, 2), offset
}

// staticAlloca reports whether an alloca is a frame object.
func (s *Selector) staticAlloca(v ir.Value) bool {
	_, ok := s.intValue(s.f.Operand(v, 0))
	return ok && s.f.Parent(v) == s.f.Entry()
}

// frame returns the frame object of a static alloca.
func (s *Selector) frame(v ir.Value) mir.Frame {
	if n, ok := s.frames[v]; ok {
		return n
	}
	count, _ := s.intValue(s.f.Operand(v, 0))
	n := s.out.NewObject(mir.FrameObject{Size: s.m.AllocSize(s.f.AllocatedType(v)) * count, Align: max(s.f.Align(v), 4)})
	s.frames[v] = n
	return n
}

// alloca selects an alloca whose address is needed in a register.
func (s *Selector) alloca(v ir.Value) {
	mov := mir.SMovB32
	if s.vals[v].bank == bankV {
		mov = mir.VMovB32
	}
	s.putInstr(mov, 1, mir.R(s.regOf(v)), mir.FrameAddr(s.frame(v), 0))
}

// fence selects a fence.
func (s *Selector) fence(v ir.Value) {
	info := s.f.MemInfo(v)
	s.setMem(s.putInstr(mir.Fence, 0), mir.Mem{Size: s.fencedSpaces(v), Ordering: info.Ordering, Scope: info.Scope, Instr: v})
}

// flatToSegment selects the conversion of a flat address to its low half; null
// becomes -1.
func (s *Selector) flatToSegment(v, x ir.Value) {
	dst := mir.R(s.regOf(v))
	o := s.use(x)
	if o.Kind == mir.KindImm {
		s.putInstr(mir.Copy, 1, dst, mir.Imm(-1))
		return
	}
	if s.vals[v].bank == bankS && s.out.M.Has(mir.SCmpLgU64) {
		c := mir.R(s.newSCC())
		s.putInstr(mir.SCmpLgU64, 1, c, s.asReg(o, mir.FileS, 2), mir.Imm(0))
		s.putInstr(mir.SCselectB32, 1, dst, s.half(s.asReg(o, mir.FileS, 2), 0), mir.Imm(-1), c)
		return
	}
	m := mir.R(s.out.NewMask())
	s.valu(mir.VCmpNeU64, m, mir.Imm(0), o)
	if s.vals[v].bank == bankS {
		d := mir.R(s.newV(1))
		s.valu(mir.VCndmaskB32, d, mir.Imm(-1), s.half(o, 0), m)
		s.putInstr(mir.VReadfirstlaneB32, 1, dst, d)
		return
	}
	s.valu(mir.VCndmaskB32, dst, mir.Imm(-1), s.half(o, 0), m)
}

// segmentToFlat selects the conversion of an LDS or scratch address to a flat
// one by adding the aperture; -1 becomes 0.
func (s *Selector) segmentToFlat(v, x ir.Value, space uint32) {
	dst := mir.R(s.regOf(v))
	o := s.use(x)
	hi := s.aperture(v, space)
	if o.Kind == mir.KindImm {
		if o.Imm == -1 {
			s.putInstr(mir.Copy, 1, dst, s.inBank(v, s.asReg(mir.Imm(0), s.vals[v].bank.file(), 2), 2))
			return
		}
		s.putInstr(mir.Vector, 1, dst, o, s.inBank(v, hi, 1))
		return
	}
	if s.neverNull(x) {
		s.putInstr(mir.Vector, 1, dst, s.inBank(v, o, 1), s.inBank(v, hi, 1))
		return
	}
	if s.vals[v].bank == bankS {
		c := mir.R(s.newSCC())
		s.putInstr(mir.SCmpLgU32, 1, c, s.asReg(o, mir.FileS, 1), mir.Imm(-1))
		lo2, hi2 := mir.R(s.newS(1)), mir.R(s.newS(1))
		s.putInstr(mir.SCselectB32, 1, lo2, s.asReg(o, mir.FileS, 1), mir.Imm(0), c)
		s.putInstr(mir.SCselectB32, 1, hi2, s.asReg(hi, mir.FileS, 1), mir.Imm(0), c)
		s.putInstr(mir.Vector, 1, dst, lo2, hi2)
		return
	}
	m := mir.R(s.out.NewMask())
	s.valu(mir.VCmpNeU32, m, mir.Imm(-1), o)
	lo2, hi2 := mir.R(s.newV(1)), mir.R(s.newV(1))
	s.valu(mir.VCndmaskB32, lo2, mir.Imm(0), o, m)
	s.valu(mir.VCndmaskB32, hi2, mir.Imm(0), hi, m)
	s.putInstr(mir.Vector, 1, dst, lo2, hi2)
}

// neverNull reports whether an address in LDS or private memory is in a
// variable, and so is not the null pointer -1. Variables of LDS are constants
// here.
func (s *Selector) neverNull(x ir.Value) bool {
	f := s.f
	of := analysis.UnderlyingObject(f, x)
	if of.IsLocal() {
		return f.Op(of) == ir.OpAlloca
	}
	if !of.IsConst() || !x.IsLocal() || f.Op(x) != ir.OpGetElementPtr || f.TypeOf(of) != f.TypeOf(x) {
		return false
	}
	base, ok := s.m.SignedValue(of)
	return (ok && base >= 0 || s.m.IsZero(of)) && f.Instr(x).Flags&ir.InBounds != 0
}

// aperture returns the high half of the flat addresses of LDS or scratch
// memory. From gfx9 on it is a special register. Before, it is in the queue or,
// from code object V5 on, in the implicit arguments (user guide, "Flat Address
// Space" and "Code Object V5 Metadata"; AMD HSA ABI, amd_queue_t).
func (s *Selector) aperture(v ir.Value, space uint32) mir.Operand {
	if s.set.Has(isa.PropApertureReg) {
		r := mir.SGPR0 + 235 // src_shared_base
		if space == addrspace.Private {
			r = mir.SGPR0 + 237
		}
		d := mir.R(s.newS(2))
		s.putInstr(mir.SMovB64, 1, d, mir.Phys(r, 2))
		return s.half(d, 1)
	}
	off := int64(0x40) // group_segment_aperture_base_hi
	if space == addrspace.Private {
		off = 0x44
	}
	var base mir.Operand
	if s.env.Entry.Convention != abi.Compute {
		s.unsupported(v, "the address of private memory or LDS in the flat address space, which %v functions would have to read from the queue before gfx9", s.f.CC)
		return mir.R(s.newS(1))
	}
	if s.env.Target.COV >= 5 { // hidden_private_base and hidden_shared_base
		base = s.asReg(s.passed(abi.ImplicitArgPtr), mir.FileS, 2)
		if off = 196; space == addrspace.Private {
			off = 192
		}
	} else {
		base = mir.R(s.input(abi.QueuePtr))
	}
	d := mir.R(s.newS(1))
	i := s.putInstr(mir.SLoadB32, 1, d, base, mir.None, mir.Imm(off))
	s.setMem(i, mir.Mem{Size: 4, Align: 4, AddrSpace: addrspace.Constant, Flags: mir.MemLoad | mir.MemInvariant, Instr: v})
	return d
}

// fencedSpaces returns the address spaces that a fence orders, one bit each, or 0
// for all. Memory model relaxation annotations name them ("local", "global");
// other annotations have no meaning. Source: AMDGPU user guide, "Memory Model
// Relaxation Annotations"; LLVM, SIMemoryLegalizer.cpp.
func (s *Selector) fencedSpaces(v ir.Value) (spaces uint64) {
	node := s.f.Attachment(v, ir.MDMMRA)
	if node == 0 {
		return 0
	}
	list := s.m.MDOperands(node)
	if len(list) > 0 {
		if _, tag := s.m.MDString(list[0]); tag {
			list = []ir.Metadata{node}
		}
	}
	for _, tag := range list {
		pair := s.m.MDOperands(tag)
		if len(pair) != 2 {
			continue
		}
		prefix, _ := s.m.MDString(pair[0])
		name, _ := s.m.MDString(pair[1])
		switch {
		case prefix != "amdgpu-synchronize-as":
		case name == "local":
			spaces |= 1 << addrspace.Local
		case name == "global":
			spaces |= 1 << addrspace.Global
		}
	}
	return spaces
}

// findSwaps finds the addresses that compare-and-swap instructions access.
func (s *Selector) findSwaps() {
	s.swapped = s.swapped[:0]
	for _, b := range s.graph.RPO() {
		for v := s.f.First(ir.Block(b)); v != ir.None; v = s.f.Next(v) {
			if s.f.Op(v) == ir.OpCmpXchg {
				s.swapped = append(s.swapped, s.f.Operand(v, 0))
			}
		}
	}
	slices.Sort(s.swapped)
}

// precedesSwap reports whether a load from an address may be the first value that
// a compare-and-swap expects. Other atomic operations are expanded to a plain load
// and a loop with one. Its value does not matter, so that the load does not race.
func (s *Selector) precedesSwap(p ir.Value) bool {
	_, found := slices.BinarySearch(s.swapped, p)
	return found
}
