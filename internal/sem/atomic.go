package sem

import (
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/isa"
)

// AtomicKind is the memory operation of an atomic.
type AtomicKind uint8

const (
	AtomicSwap    AtomicKind = iota
	AtomicCmpSwap            // store the new value if memory equals the comparand
	AtomicAdd
	AtomicSub
	AtomicRSub    // data - memory
	AtomicCSub    // subtract, but not below 0
	AtomicCondSub // subtract unless memory is below data
	AtomicInc     // 0 if memory has reached data
	AtomicDec     // data if memory is 0 or above data
	AtomicSMin    // signed
	AtomicSMax
	AtomicUMin // unsigned
	AtomicUMax
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicMskOr    // clear the bits of data, set the bits of data2
	AtomicWrap     // subtract data, or add data2 if memory is below data
	AtomicCondXchg // per dword: store the low 31 bits of data if its bit 31 is set
	AtomicFAdd
	AtomicFMin
	AtomicFMax
	AtomicFMinNum // a NaN in memory or data loses to any number
	AtomicFMaxNum
	AtomicFCmpSwap
	AtomicPkAddF16
	AtomicPkAddBF16
	AtomicOrderedAdd // if the low dwords are equal: increment memory's, add the high ones
	numAtomicKinds
)

// AtomicRow describes a memory instruction that replaces a value by a function
// of it. The instruction may return the old value: see Rtn for DS instructions,
// isa.TraitRet and glc for all others.
//
// The function's data is the instruction's first data operand, data2 the
// second. FLAT, GLOBAL, buffer and scalar atomics have both in one register
// tuple, data in the low half; DS instructions have data0 and data1.
//
// ds_append, ds_consume, ordered operations and GWS are not included because
// they depend on the whole wave.
type AtomicRow struct {
	Kind AtomicKind
	Bits uint8 // 32 or 64: width of memory and of each data operand
	Data uint8 // number of data operands
	Rtn  bool  // a DS instruction that returns the old value
	// Src2 marks ds_*_src2: it has no data operand, and data is the value at a
	// second LDS address from the offset fields.
	Src2 bool
	// Pair marks ds_wrxchg2 and similar instructions: each of the two data
	// operands has its own address and its own call of Fn, and both old values
	// are returned. Stride64 multiplies their offsets by 64.
	Pair, Stride64 bool
	Fn             func(c *Ctx, old, data, data2 uint64) uint64 // the new value of memory
}

// CompareSwap reports whether the instruction stores its data only if memory has
// the expected value.
func (r *AtomicRow) CompareSwap() bool { return r.Kind == AtomicCmpSwap || r.Kind == AtomicFCmpSwap }

// AtomicOf returns the row of an instruction, or nil if it is not an atomic.
func AtomicOf(op isa.Op) *AtomicRow { return atomicIndex.Get()[op] }

var atomicIndex = lazy.Value[map[isa.Op]*AtomicRow]{Make: func() map[isa.Op]*AtomicRow {
	ops := map[isa.Op]*AtomicRow{}
	for e := range isa.Enc(isa.NumEncs()) {
		if ops[e.Op()] == nil {
			if r := atomicRow(e.Name()); r != nil {
				ops[e.Op()] = r
			}
		}
	}
	return ops
}}

// atomicPrefixes lists the prefixes of the names of non-DS atomics.
var atomicPrefixes = [...]string{"flat_atomic_", "global_atomic_", "buffer_atomic_", "s_atomic_", "s_buffer_atomic_"}

// atomicRow returns the row of an instruction's name.
func atomicRow(name string) *AtomicRow {
	if rest, ok := strings.CutPrefix(name, "ds_"); ok {
		return dsRow(rest)
	}
	for _, p := range atomicPrefixes {
		if rest, ok := strings.CutPrefix(name, p); ok {
			op, suffix := rest, "32"
			if i := strings.LastIndexByte(rest, '_'); i >= 0 && atomicBits.Get()[rest[i+1:]] != 0 {
				op, suffix = rest[:i], rest[i+1:]
			}
			return newAtomic(op, suffix)
		}
	}
	return nil
}

// ImageAtomic returns the row of an image atomic on elements of 32 or 64 bits,
// or nil if the operation has none of this size.
func ImageAtomic(op isa.Op, bits uint8) *AtomicRow {
	name, ok := strings.CutPrefix(op.Name(), "image_atomic_")
	if !ok {
		return nil
	}
	suffix := "32"
	if i := strings.LastIndexByte(name, '_'); i >= 0 && imageTypes.Get()[name[i+1:]] != "" {
		name, suffix = name[:i], imageTypes.Get()[name[i+1:]]
	}
	if bits == 64 {
		if suffix = strings.TrimRight(suffix, "0123456789") + "64"; suffix == "64" {
			suffix = "x2"
		}
	}
	return newAtomic(name, suffix)
}

// imageTypes maps the types in the names of image atomics to those in other
// names.
var imageTypes = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{"uint": "u32", "int": "i32", "flt": "f32", "f16": "f16", "bf16": "bf16"}
}}

// dsRow parses the name of a DS instruction after ds_: operation, marks, type.
func dsRow(name string) *AtomicRow {
	i := strings.LastIndexByte(name, '_')
	if i < 0 {
		return nil
	}
	op, rtn := strings.CutSuffix(name[:i], "_rtn")
	op, src2 := strings.CutSuffix(op, "_src2")
	pair, isPair := dsPairs.Get()[op]
	if isPair {
		op = pair.op
	}
	r := newAtomic(op, name[i+1:])
	if r == nil {
		return nil
	}
	r.Rtn, r.Src2, r.Pair, r.Stride64 = rtn, src2, isPair, pair.stride64
	switch {
	case src2:
		r.Data = 0
	case isPair:
		r.Data = 2
	}
	return r
}

// dsPairs lists the exchanges at two addresses.
var dsPairs = lazy.Value[map[string]dsPair]{Make: func() map[string]dsPair {
	return map[string]dsPair{
		"wrxchg2":                  {"wrxchg", false},
		"wrxchg2st64":              {"wrxchg", true},
		"storexchg_2addr":          {"storexchg", false},
		"storexchg_2addr_stride64": {"storexchg", true},
	}
}}

type dsPair struct {
	op       string
	stride64 bool
}

// atomicBits maps the suffix of a name to the width; no suffix is "32".
var atomicBits = lazy.Value[map[string]uint8]{Make: func() map[string]uint8 {
	return map[string]uint8{
		"32": 32, "b32": 32, "u32": 32, "i32": 32, "f32": 32, "f16": 32, "bf16": 32,
		"x2": 64, "b64": 64, "u64": 64, "i64": 64, "f64": 64,
	}
}}

// newAtomic returns the row of an operation on a type.
func newAtomic(op, suffix string) *AtomicRow {
	class := strings.TrimRight(suffix, "0123456789")
	name, ok := atomicNames.Get()[op+" "+class]
	if !ok && class != "f" && class != "bf" {
		name, ok = atomicNames.Get()[op]
	}
	of := &atomicFns.Get()[name.kind]
	r := &AtomicRow{Kind: name.kind, Bits: atomicBits.Get()[suffix], Data: max(of.data, 1), Fn: of.fn32}
	if r.Bits == 64 {
		r.Fn = of.fn64
	}
	if !ok || r.Bits == 0 || r.Fn == nil {
		return nil
	}
	if name.swapped {
		fn := r.Fn
		r.Fn = func(c *Ctx, old, data, data2 uint64) uint64 { return fn(c, old, data2, data) }
	}
	return r
}
