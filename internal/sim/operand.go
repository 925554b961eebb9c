package sim

import (
	"unsafe"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/internal/sem"
	"github.com/gfx-toolchain/gfx/internal/sim/lanes"
	"github.com/gfx-toolchain/gfx/isa"
)

// operandKind is the location of an operand.
type operandKind uint8

const (
	noOperand operandKind = iota
	inVGPR                // off is the index in wave.v
	inScalar              // off is the index in wave.s
	inConst               // val; for vector operations also k
	inSpecial             // off is the scalar encoding: SCC, VCCZ, EXECZ, apertures
)

// operand is a source or destination of an op.
type operand struct {
	kind   operandKind
	dwords uint8
	typ    sem.Type
	mods   srcMods
	packed bool  // pair of 16-bit elements
	mix    bool  // 16-bit operand that is widened
	bf16   bool  // the operand that is widened is bf16
	shift  uint8 // 16 if the operand is the high half of a register
	off    int32
	val    uint64
	k      *[2 * 64]uint32 // the constant in every lane, followed by the upper dwords
}

// srcMods is a set of source modifiers.
type srcMods uint8

const (
	modAbs srcMods = 1 << iota
	modNeg
	modSext
	modHalf // the operand is one half of a register
)

// Indices into wave.s. Scalar encodings 0 to 127 index it directly; writes to
// null go to an index past them.
const (
	sVCC      = 106
	sExec     = 126
	sTrash    = 128
	numScalar = 128 + 32
)

// Scalar encodings of operands that are not registers, and limits.
const (
	encSharedBase  = 235
	encInv2pi      = 248
	encVCCZ        = 251
	encExecZ       = 252
	encSCC         = 253
	encLDSDirect   = 254
	encFlatBaseLo  = 230
	numVGPRs       = 256
	wideVGPRs      = 1024 // of waves with 32 lanes and s_set_vgpr_msb, which have no AGPRs
	maxTupleDwords = 32
)

// vectorRegs returns the number of VGPRs and AGPRs of a wave.
func (w *wave) vectorRegs() int {
	if w.dev.set.Has(isa.PropVgprs1024) {
		return wideVGPRs
	}
	return 2 * numVGPRs
}

// vectorIndex returns the number of a VGPR or AGPR in wave.v.
func vectorIndex(r reguse.Reg) int {
	if r >= reguse.AGPR {
		return int(r-reguse.AGPR) + numVGPRs
	}
	return int(r)
}

// vectorReg returns the register with number i in wave.v. wide is true if the
// wave has 1,024 VGPRs and no AGPRs.
func vectorReg(i int, wide bool) reguse.Reg {
	if i >= numVGPRs && !wide {
		return reguse.AGPR + reguse.Reg(i-numVGPRs)
	}
	return reguse.Reg(i)
}

// broadcast returns v in each of lanes lanes, followed by the upper dwords.
func broadcast(v uint64, lanes int) *[128]uint32 {
	k := new([128]uint32)
	for i := range lanes {
		k[i], k[lanes+i] = uint32(v), uint32(v>>32)
	}
	return k
}

// read returns the operand for an operand field. t is the operand's type in the
// operation.
func (o *op) read(i *isa.OperandInfo, t sem.Type) (r operand, ok bool) {
	in := &o.in
	v := in.Operand(i)
	if f := in.Enc.Form(); f == isa.VOPD || f == isa.VOPD3 {
		panic("BUG: VOPD operand")
	}
	return o.operandOf(in, i, v, t)
}

func (o *op) operandOf(in *isa.Inst, i *isa.OperandInfo, v isa.Value, t sem.Type) (r operand, ok bool) {
	r = operand{dwords: max(v.Dwords, 1), typ: t}
	lanes := int32(in.Wave)
	switch v.Kind {
	case isa.VGPRValue:
		r.kind, r.off = inVGPR, int32(v.Num)*lanes
	case isa.AGPRValue:
		r.kind, r.off = inVGPR, (int32(v.Num)+numVGPRs)*lanes
	case isa.ScalarReg:
		r.kind, r.off = inScalar, int32(v.Num)
		if int(v.Num) == reguse.NullCode(in.Set) {
			r.kind, r.k = inConst, broadcast(0, int(lanes))
		} else if v.Num >= 128 {
			r.kind = inSpecial
		}
	case isa.LDSDirect:
		r.kind, r.off = inSpecial, encLDSDirect
	case isa.InlineInt, isa.InlineFP, isa.Literal32, isa.Literal64:
		r.kind = inConst
		r.val = constant(in, i, v, t)
		r.k = broadcast(r.val, int(lanes))
		r.dwords = uint8(max(1, t.Bits()/32))
	default:
		return r, false
	}
	if v.Half == 2 {
		r.shift = 16
	}
	return r, true
}

// constant returns the bits of a constant operand. Source: AMD's ISA documents,
// "Inline constants" and "Literal constants".
func constant(in *isa.Inst, i *isa.OperandInfo, v isa.Value, t sem.Type) uint64 {
	base := i.Type.Base()
	wide := t.Bits() == 64 || t == sem.None && (base == isa.I64 || base == isa.F64)
	switch v.Kind {
	case isa.InlineInt:
		n := int64(isa.InlineIntValue(v.Num))
		if wide {
			return uint64(n)
		}
		return uint64(uint32(n))
	case isa.InlineFP:
		f := isa.InlineFloat(int(v.Num), inlineType(base, t, wide))
		if base == isa.V2F16Splat && in.Set.Has(isa.PropSplatBoth) {
			f |= f << 16
		}
		return f
	case isa.Literal64:
		return in.Literal()
	}
	lit := in.Literal()
	switch {
	case wide && (t == sem.F64 || base == isa.F64):
		return lit << 32
	case wide && t == sem.I64:
		return uint64(int64(int32(lit)))
	}
	return lit
}

// inlineType returns the type that determines the bits of an inline float.
func inlineType(base isa.Type, t sem.Type, wide bool) isa.Type {
	switch {
	case wide:
		return isa.F64
	case base == isa.F16, base == isa.V2F16, base == isa.V2F16Splat, t == sem.F16 && base != isa.V2I16:
		return isa.F16
	case base == isa.BF16, base == isa.V2BF16:
		return isa.BF16
	case base == isa.I16 || base == isa.V2I16:
		return isa.I16
	}
	return isa.F32
}

// scalar reads a scalar operand of one or two dwords.
func (w *wave) scalar(o *operand) uint64 {
	switch o.kind {
	case inScalar:
		if o.dwords >= 2 {
			return uint64(w.s[o.off]) | uint64(w.s[o.off+1])<<32
		}
		return uint64(w.s[o.off])
	case inConst:
		return o.val
	case inVGPR:
		return uint64(w.v[o.off])
	}
	if o.dwords < 2 {
		return w.special(o) & 0xffffffff
	}
	return w.special(o)
}

// special reads a source operand that is not a register.
func (w *wave) special(o *operand) uint64 {
	bit := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	switch o.off {
	case encSCC:
		return bit(w.scc)
	case encVCCZ:
		return bit(w.mask(sVCC) == 0)
	case encLDSDirect:
		return uint64(w.directValue())
	case encExecZ:
		return bit(w.exec() == 0)
	case encFlatBaseLo:
		return w.flatScratchSource()
	case encFlatBaseLo + 1:
		return w.flatScratchSource() >> 32
	}
	if a := o.off - encSharedBase; a >= 0 && a < 4 {
		return apertures[a]
	}
	return 0
}

// apertures holds the 64-bit values of src_shared_base, src_shared_limit,
// src_private_base and src_private_limit. A 32-bit operand reads the low dword,
// which does not contain the base. Source: LLVM, getSegmentAperture.
var apertures = [4]uint64{device.GroupAperture, device.GroupAperture | 0xffffffff, device.PrivateAperture, device.PrivateAperture | 0xffffffff}

// setScalar writes a scalar result of one or two dwords.
func (w *wave) setScalar(o *operand, v uint64) {
	w.s[o.off] = uint32(v)
	if o.dwords >= 2 {
		w.s[o.off+1] = uint32(v >> 32)
	}
}

// mask reads a lane mask from index at of wave.s.
func (w *wave) mask(at int32) uint64 {
	if w.lanes == 32 {
		return uint64(w.s[at])
	}
	return uint64(w.s[at]) | uint64(w.s[at+1])<<32
}

// setMask writes a lane mask to index at of wave.s.
func (w *wave) setMask(at int32, v uint64) {
	w.s[at] = uint32(v)
	if w.lanes == 64 {
		w.s[at+1] = uint32(v >> 32)
	}
}

// exec returns the active lanes.
func (w *wave) exec() uint64 { return w.mask(sExec) }

// lanesOf returns a pointer to a vector source's lane 0. It is followed by the
// other lanes and the upper dwords of a 64-bit value. Scalars are broadcast to
// buf.
func (w *wave) lanesOf(o *operand, buf *[128]uint32) *uint32 {
	if o.kind == inVGPR {
		return &w.v[o.off]
	}
	return w.spread(o, buf)
}

// spread is lanesOf for operands that are not in VGPRs.
func (w *wave) spread(o *operand, buf *[128]uint32) *uint32 {
	switch o.kind {
	case inConst:
		return &o.k[0]
	case inScalar:
		lanes.Spread(&buf[0], w.s[o.off], w.lanes)
		if o.dwords >= 2 {
			lanes.Spread(&buf[w.lanes], w.s[o.off+1], w.lanes)
		}
		return &buf[0]
	}
	v := w.special(o)
	lanes.Spread(&buf[0], uint32(v), w.lanes)
	lanes.Spread(&buf[w.lanes], uint32(v>>32), w.lanes)
	return &buf[0]
}

// lane returns a pointer to the dword at index i from p.
func lane(p *uint32, i int) *uint32 {
	return (*uint32)(unsafe.Add(unsafe.Pointer(p), i*4))
}

// array returns the dwords at p as an array.
func array(p *uint32) *[128]uint32 { return (*[128]uint32)(unsafe.Pointer(p)) }
