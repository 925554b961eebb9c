package bitcode

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// typeEntry is a type in the file's table.
type typeEntry struct {
	t     ir.Type
	sub   []uint32 // numbers of its parts: pointee, result and parameters, fields, element
	depth int      // nesting depth
}

// maxTypeDepth limits the nesting of types.
const maxTypeDepth = 1000

// virtualKey identifies a type without a number in the file, such as a pointer
// to another type.
type virtualKey struct {
	t   ir.Type
	sub uint32
}

// noTid is the number of an unknown type.
const noTid = 1<<32 - 1

// readTypes reads the type table. Identified structs are created first, since
// records may refer to them before their definition.
func (r *reader) readTypes() {
	if r.types != nil {
		r.fail("duplicate type table")
	}
	r.enter(blockType)
	ahead := *r.cursor
	ahead.rec = nil
	r.nameStructs(&ahead)
	n, name := 0, ""
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		switch code := r.record(id); code {
		case typeNumEntry:
		case typeStructName:
			name = r.text(0)
		default:
			if n >= len(r.types) {
				r.fail("type table defines more types than declared")
			}
			e := r.typeRecord(code, n, name)
			if e.t == ir.NoType {
				r.fail("unknown type record %d", code)
			}
			r.types[n] = e
			n++
		}
	}
	r.checkNesting()
}

// nameStructs creates the identified structs, without fields, and entries for
// the other types.
func (r *reader) nameStructs(c *cursor) {
	c.stack = append([]scope(nil), c.stack...)
	name := ""
	r.types = []typeEntry{}
	for id, ok := c.nextEntry(); ok; id, ok = c.nextEntry() {
		e := typeEntry{}
		switch c.record(id) {
		case typeNumEntry:
			continue
		case typeStructName:
			buf := make([]byte, len(c.rec))
			for i, x := range c.rec {
				buf[i] = byte(x)
			}
			name = string(buf)
			continue
		case typeStructNamed, typeOpaque:
			e.t = r.m.NewStruct(name)
			name = ""
		case typeTarget:
			name = ""
		}
		r.types = append(r.types, e)
	}
}

// simpleTypes maps record codes to types without operands.
var simpleTypes = lazy.Value[map[uint64]ir.Type]{Make: func() map[uint64]ir.Type {
	return map[uint64]ir.Type{typeVoid: ir.Void, typeFloat: ir.Float, typeDouble: ir.Double, typeLabel: ir.Label,
		typeHalf: ir.Half, typeX86FP80: ir.X86FP80, typeFP128: ir.FP128, typePPCFP128: ir.PPCFP128, typeMetadata: ir.MD,
		typeToken: ir.Token, typeBFloat: ir.BFloat}
}}

// typeRecord returns the type that a record defines.
func (r *reader) typeRecord(code uint64, n int, name string) typeEntry {
	if t, ok := simpleTypes.Get()[code]; ok {
		return typeEntry{t: t}
	}
	switch code {
	case typeInteger:
		r.need(1, "integer type")
		if r.rec[0] < 1 || r.rec[0] > ir.MaxIntBits {
			r.fail("invalid integer type of %d bits", r.rec[0])
		}
		return typeEntry{t: r.m.IntType(int(r.rec[0]))}
	case typeX86MMX:
		return typeEntry{t: r.m.VectorType(ir.I64, 1)}
	case typeX86AMX:
		r.fail("type x86_amx is not supported on AMD GPUs")
	case typePointer:
		return r.pointerType()
	case typeOpaquePointer:
		r.need(1, "pointer type")
		return typeEntry{t: r.m.PtrType(r.addrSpace(r.rec[0]))}
	case typeFunction:
		return r.functionType(1)
	case typeFunctionOld:
		return r.functionType(2)
	case typeArray, typeVector:
		return r.sequenceType(code == typeVector)
	case typeStructAnon:
		r.need(1, "struct type")
		sub, fields := r.typeList(1)
		return typeEntry{t: r.m.StructType(fields, r.rec[0] != 0), sub: sub}
	case typeStructNamed:
		r.need(1, "struct type")
		sub, fields := r.typeList(1)
		r.m.SetStructBody(r.types[n].t, fields, r.rec[0] != 0)
		return typeEntry{t: r.types[n].t, sub: sub}
	case typeOpaque:
		return r.types[n]
	case typeTarget:
		return r.targetType(name)
	}
	return typeEntry{}
}

func (r *reader) addrSpace(x uint64) uint32 {
	if x >= 1<<24 {
		r.fail("invalid address space %d", x)
	}
	return uint32(x)
}

func (r *reader) pointerType() typeEntry {
	r.need(1, "pointer type")
	as := uint32(0)
	if len(r.rec) > 1 {
		as = r.addrSpace(r.rec[1])
	}
	r.typ(r.rec[0])
	r.typed = true
	return typeEntry{t: r.m.PtrType(as), sub: []uint32{uint32(r.rec[0])}}
}

// functionType reads a function type whose result is operand number result.
func (r *reader) functionType(result int) typeEntry {
	r.need(result+1, "function type")
	sub, types := r.typeList(result)
	for _, t := range types[1:] {
		if k := r.m.Kind(t); k == ir.KindVoid || k == ir.KindFunc {
			r.fail("function type has an invalid parameter type")
		}
	}
	return typeEntry{t: r.m.FuncType(types[0], types[1:], r.rec[0] != 0), sub: sub}
}

func (r *reader) sequenceType(vector bool) typeEntry {
	r.need(2, "array or vector type")
	elem := r.typ(r.rec[1])
	e := typeEntry{sub: []uint32{uint32(r.rec[1])}}
	switch k := r.m.Kind(elem); {
	case k <= ir.KindToken || k == ir.KindFunc, vector && k != ir.KindInt && k != ir.KindPtr && !r.m.IsFloat(elem):
		r.fail("elements of an array or vector type cannot be stored")
	case !vector:
		e.t = r.m.ArrayType(elem, r.rec[0])
	case len(r.rec) > 2 && r.rec[2] != 0:
		r.fail("scalable vector types are not supported on AMD GPUs")
	case r.rec[0] == 0 || r.rec[0] >= 1<<32:
		r.fail("invalid vector type with %d elements", r.rec[0])
	default:
		e.t = r.m.VectorType(elem, r.rec[0])
	}
	return e
}

func (r *reader) targetType(name string) typeEntry {
	r.need(1, "target type")
	n := r.rec[0]
	if n >= uint64(len(r.rec)) {
		r.fail("target type has %d types, but the record has only %d operands", n, len(r.rec))
	}
	var types []ir.Type
	for _, x := range r.rec[1 : 1+n] {
		types = append(types, r.typ(x))
	}
	var ints []uint32
	for _, x := range r.rec[1+n:] {
		ints = append(ints, uint32(x))
	}
	return typeEntry{t: r.m.TargetType(name, types, ints)}
}

// typeList returns the types of the operands from index from on, and their
// numbers.
func (r *reader) typeList(from int) ([]uint32, []ir.Type) {
	sub, types := make([]uint32, len(r.rec)-from), make([]ir.Type, len(r.rec)-from)
	for i, x := range r.rec[from:] {
		types[i] = r.typ(x)
		sub[i] = uint32(x)
	}
	return sub, types
}

// typ returns the type with number n.
func (r *reader) typ(n uint64) ir.Type {
	if n >= uint64(len(r.types)) || r.types[n].t == ir.NoType {
		r.fail("type %d is not defined", n)
	}
	return r.types[n].t
}

// sub returns the number of part i of a type, or noTid if it is not known.
func (r *reader) sub(tid uint32, i int) uint32 {
	if tid < uint32(len(r.types)) && i < len(r.types[tid].sub) {
		return r.types[tid].sub[i]
	}
	return noTid
}

// pointee returns the pointee of a pointer type. It fails for opaque pointers.
func (r *reader) pointee(tid uint32, what string) (ir.Type, uint32) {
	to := uint32(noTid)
	if tid < uint32(len(r.types)) && r.m.IsPtr(r.types[tid].t) {
		to = r.sub(tid, 0)
	}
	if to == noTid {
		r.fail("%s: type is missing in the record, and the pointer is opaque", what)
	}
	return r.types[to].t, to
}

// virtualType returns a number for a type without one in the file. Only typed
// pointers need such numbers. sub is the number of its part, or noTid.
func (r *reader) virtualType(t ir.Type, sub uint32) uint32 {
	if !r.typed {
		return noTid
	}
	key := virtualKey{t, sub}
	if tid, ok := r.virtual[key]; ok {
		return tid
	}
	if r.virtual == nil {
		r.virtual = map[virtualKey]uint32{}
	}
	tid := uint32(len(r.types))
	e := typeEntry{t: t}
	if sub != noTid {
		e.sub = []uint32{sub}
	}
	r.types = append(r.types, e)
	r.virtual[key] = tid
	return tid
}

// checkNesting fails if a struct contains itself or types are nested too
// deeply.
func (r *reader) checkNesting() {
	const busy = -1
	type frame struct{ tid, next int }
	var stack []frame
	for i := range r.types {
		if r.types[i].depth == 0 {
			r.types[i].depth = busy
			stack = append(stack, frame{i, 0})
		}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			e := &r.types[top.tid]
			if r.m.IsPtr(e.t) || top.next == len(e.sub) {
				e.depth = 1
				if !r.m.IsPtr(e.t) {
					for _, s := range e.sub {
						e.depth = max(e.depth, r.types[s].depth+1)
					}
				}
				if e.depth > maxTypeDepth {
					r.fail("types are nested more than %d deep", maxTypeDepth)
				}
				stack = stack[:len(stack)-1]
				continue
			}
			s := int(e.sub[top.next])
			top.next++
			switch r.types[s].depth {
			case busy:
				r.fail("type %d contains itself", s)
			case 0:
				r.types[s].depth = busy
				stack = append(stack, frame{s, 0})
			}
		}
	}
}
