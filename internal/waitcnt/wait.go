package waitcnt

import (
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Limits holds, for each counter, the number of operations that may be
// outstanding after a wait, or None.
type Limits [NumCounters]int16

// None means that an instruction does not wait for a counter.
const None = -1

// NoLimits returns the limits of an instruction that does not wait.
func NoLimits() (l Limits) {
	for c := range l {
		l[c] = None
	}
	return l
}

// Any reports whether there is a wait for any counter.
func (l *Limits) Any() bool { return *l != NoLimits() }

// Add strengthens the limits to include o.
func (l *Limits) Add(o *Limits) {
	for c, n := range o {
		if n != None && (l[c] == None || n < l[c]) {
			l[c] = n
		}
	}
}

// waitKinds maps the properties of wait instructions to the counters that they
// wait for.
var waitKinds = [NumCounters]isa.Kinds{
	Load: isa.KindWaitLoad, Store: isa.KindWaitStore, LDS: isa.KindWaitLds, Scalar: isa.KindWaitScalar, Export: isa.KindWaitExport,
	Sample: isa.KindWaitSample, BVH: isa.KindWaitBvh, Async: isa.KindWaitAsync, Tensor: isa.KindWaitTensor, Translation: isa.KindWaitXlate,
}

// Limits of instructions that wait for LDS and another counter: LDS's is in the
// low bits.
const (
	pairShift = 8
	pairMask  = 63
)

// Pair returns the operand of an instruction that waits for LDS and another
// counter.
func Pair(other, lds int16) int64 { return int64(other)<<pairShift | int64(lds) }

// noWait is the first count in the operand of an instruction that is greater
// than any counter's value.
const noWait = 255

// Decode returns the limits of a wait instruction with the properties k and the
// constant operand v. ok is false for other instructions.
func Decode(s isa.Set, k isa.Kinds, v uint32) (l Limits, ok bool) {
	if !k.Any(isa.KindWait) {
		return l, false
	}
	l = NoLimits()
	switch {
	case k.Any(isa.KindWaitIdle):
		for c := range l {
			if Max(s, Counter(c)) != 0 {
				l[c] = 0
			}
		}
	case k.Any(isa.KindWaitPacked):
		for _, p := range packed {
			if n := isa.DecodeWaitcnt(s, v, p.field); n != isa.WaitcntMax(s, p.field) {
				l[p.counter] = int16(n)
			}
		}
	case k.Any(isa.KindWaitPair):
		for c, kind := range waitKinds {
			if k.Any(kind) && Counter(c) != LDS {
				l[c], l[LDS] = int16(v>>pairShift&pairMask), int16(v&pairMask)
			}
		}
	case v < noWait:
		for c, kind := range waitKinds {
			if k.Any(kind) {
				l[c] = int16(v)
			}
		}
	}
	return l, true
}

// Packed returns the operand of s_waitcnt for limits. waits is false if it waits
// for nothing.
func Packed(s isa.Set, l *Limits) (v uint32, waits bool) {
	v = isa.WaitcntDefault(s)
	for _, p := range packed {
		if l[p.counter] != None {
			v, _ = isa.EncodeWaitcnt(s, v, p.field, int64(l[p.counter]), false)
		}
	}
	return v, v != isa.WaitcntDefault(s)
}

// Wait is the effect of a wait instruction.
type Wait struct {
	Limits
	SGPR int16 // scalar register that is added to the limits, or -1
}

// Of returns the wait of an instruction. ok is false for an instruction that
// does not wait.
func Of(in *isa.Inst) (w Wait, ok bool) {
	w.SGPR = -1
	if in.Enc.Form() == isa.VINTERP {
		w.Limits = NoLimits()
		w.Limits[Export] = int16(in.Field(isa.FieldWaitexp))
		return w, true
	}
	if w.Limits, ok = Decode(in.Set, in.Enc.Kinds(), in.Field(isa.FieldSimm16)); !ok {
		return w, false
	}
	if in.Enc.Form() == isa.SOPK {
		if r := int(in.Field(isa.FieldSdst)); r != reguse.NullCode(in.Set) {
			w.SGPR = int16(r)
		}
	}
	return w, true
}
