package waitcnt

import (
	"github.com/gfx-toolchain/gfx/internal/reguse"
	"github.com/gfx-toolchain/gfx/isa"
)

// Stream is a kind of operation. The operations of a stream complete in issue
// order, except for the streams of Unordered.
type Stream uint8

const (
	AnyOrder     Stream = iota // a FLAT instruction that accesses LDS and other memory (see FlatOrdered)
	Vector                     // vector memory
	Sampler                    // images with a sampler; in order with Vector, except for register writes
	RayTracing                 //
	Local                      // LDS
	GlobalShare                // GDS
	ScalarMemory               //
	Message                    //
	Color                      // exports to render targets and depth
	Parameter                  // exports of parameters
	Position                   // exports of positions and primitives
	Direct                     // direct loads from LDS
	AsyncCopy                  //
	TensorCopy                 //
	NumStreams
)

// Unordered is the set of the streams whose operations complete in any order, one
// bit each.
const Unordered = 1<<AnyOrder | 1<<ScalarMemory

// Ordered reports whether AMD's documents guarantee that the operations of a
// stream complete in issue order. LLVM assumes it for messages, too.
func (s Stream) Ordered() bool { return Unordered>>s&1 == 0 && s != Message }

// Queue returns the stream with which s shares the order of completion. Image
// instructions and other vector memory instructions decrement their counter in
// issue order, although they may write a register in another order.
func (s Stream) Queue() Stream {
	if s == Sampler || s == RayTracing {
		return Vector
	}
	return s
}

// FlatOrdered reports whether FLAT instructions that access LDS and other memory
// complete in order with other instructions of their counters.
func FlatOrdered(s isa.Set) bool { return s.Has(isa.PropFlatInorder) }

// Event is an increment of a counter by an instruction.
type Event struct {
	Counter Counter
	Stream  Stream
}

// MaxEvents is the maximum number of events of an instruction.
const MaxEvents = 4

// Op describes an instruction as far as it determines events.
type Op struct {
	Form    isa.Form
	Traits  isa.Traits
	Kinds   isa.Kinds
	Result  bool   // an atomic returns the old value
	GDS     bool   // a DS instruction accesses GDS
	Sampler bool   // an image instruction has a sampler
	Target  uint32 // of an export
}

// OpOf returns the description of an instruction.
func OpOf(in *isa.Inst) Op {
	o := Op{Form: in.Enc.Form(), Traits: in.Enc.Traits(), Kinds: in.Enc.Kinds()}
	o.Result = o.Traits.Any(isa.TraitLoad) && reguse.GivesOld(in)
	switch o.Form {
	case isa.DS:
		o.GDS = in.HasField(isa.FieldGds) && in.Field(isa.FieldGds) != 0
	case isa.MIMG, isa.VSAMPLE:
		o.Sampler = reguse.FindOperand(in, isa.FieldSsamp) != nil
	case isa.EXP:
		o.Target = in.Field(isa.FieldTgt)
	}
	return o
}

// Flat reports whether the addresses of the instruction select LDS or other
// memory, and so one of its events on Load or Store and on LDS, or both.
func (o *Op) Flat() bool {
	return o.Form == isa.FLAT && o.Traits.Any(isa.TraitVm) && o.Traits.Any(isa.TraitLgkm) && !o.Traits.Any(isa.TraitGlobal|isa.TraitScratch)
}

// events collects the events of an instruction.
type events struct {
	list [MaxEvents]Event
	n    int
}

func (e *events) addEvent(c Counter, s Stream) {
	e.list[e.n] = Event{c, s}
	e.n++
}

// Events returns the events of an instruction in list[:n].
func (o *Op) Events(s isa.Set) (list [MaxEvents]Event, n int) {
	var e events
	switch o.Form {
	case isa.SOP1, isa.SOPK, isa.SOPP:
		if o.Kinds.Any(isa.KindMessage) {
			e.addEvent(forScalars(s), Message)
		}
	case isa.SMEM, isa.SMRD:
		if o.Traits.Any(isa.TraitLgkm) {
			e.addEvent(forScalars(s), ScalarMemory)
			o.translation(&e, s)
		}
	case isa.DS:
		o.share(&e)
	case isa.FLAT, isa.MUBUF, isa.MTBUF, isa.MIMG, isa.VIMAGE, isa.VSAMPLE:
		o.vector(&e, s)
	case isa.EXP:
		e.addEvent(Export, exportStream(o.Target))
	case isa.LDSDIR:
		e.addEvent(Export, Direct)
	}
	return e.list, e.n
}

// share adds the events of an LDS or GDS instruction. A GDS instruction is
// counted twice: until it has read its sources, and until it completes.
func (o *Op) share(e *events) {
	switch {
	case o.Traits.Any(isa.TraitAsync):
		e.addEvent(Async, AsyncCopy)
	case !o.Traits.Any(isa.TraitLgkm):
	case o.GDS || o.Traits.Any(isa.TraitGdsonly):
		e.addEvent(LDS, GlobalShare)
		e.addEvent(Export, GlobalShare)
	default:
		e.addEvent(LDS, Local)
	}
}

// vector adds the events of a vector memory instruction.
func (o *Op) vector(e *events, s isa.Set) {
	t := o.Traits
	switch {
	case t.Any(isa.TraitAsync):
		e.addEvent(Async, AsyncCopy)
		o.translation(e, s)
		return
	case !t.Any(isa.TraitVm):
		if t.Any(isa.TraitTensor) {
			e.addEvent(Tensor, TensorCopy)
		}
		return
	}
	e.addEvent(o.vectorEvent(s))
	if o.Flat() {
		e.addEvent(LDS, Local)
	}
	if !o.Kinds.Any(isa.KindCache) {
		o.translation(e, s)
	}
	if s.Has(isa.PropStoreExp) && t.Has(isa.TraitExp|isa.TraitStore) {
		e.addEvent(Export, Vector)
	}
}

// vectorEvent returns the event of a vector memory instruction for its
// completion.
func (o *Op) vectorEvent(s isa.Set) (Counter, Stream) {
	stores := o.Traits.Any(isa.TraitStore) && !o.Traits.Any(isa.TraitLds) && !o.Result
	image := o.Form == isa.MIMG || o.Form == isa.VIMAGE || o.Form == isa.VSAMPLE
	split := s.Has(isa.PropSplitWaits)
	switch {
	case stores || o.Kinds.Any(isa.KindCacheWb):
		return ForStores(s), Vector
	case image && o.Kinds.Any(isa.KindBvh) && split:
		return BVH, RayTracing
	case (o.Sampler || o.Form == isa.VSAMPLE) && split:
		return Sample, Sampler
	case o.Sampler:
		return Load, Sampler
	}
	return Load, Vector
}

// translation adds the event of an address translation, which VMEM and SMEM
// instructions perform in different orders.
func (o *Op) translation(e *events, s isa.Set) {
	switch {
	case !s.Has(isa.PropAsync):
	case o.Form == isa.SMEM:
		e.addEvent(Translation, ScalarMemory)
	default:
		e.addEvent(Translation, Vector)
	}
}

// exportStream returns the stream of an export by target. Source: AMD's ISA
// documents, "EXP".
func exportStream(target uint32) Stream {
	switch {
	case target >= 32:
		return Parameter
	case target >= 12 && target < 20:
		return Position
	}
	return Color
}
