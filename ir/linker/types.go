package linker

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/ir"
)

// typeMap maps types of the source to the destination. LLVM keeps the types of
// all modules in one context, in which an identified struct whose name is in
// use is renamed as soon as its module is read. The names here follow the same
// rule.
type typeMap struct {
	l        *Linker
	src, dst *ir.Module
	to       []ir.Type // by source type
	names    []string  // names of the source's identified structs in the common context

	trial []ir.Type        // source types mapped tentatively during a comparison
	open  map[ir.Type]bool // structs under construction
	depth int              // nesting depth of types under construction or comparison
	deep  bool             // maxDepth was exceeded
}

// maxDepth limits the nesting of types and constants.
const maxDepth = 1 << 16

const firstOwnType = ir.Ptr + 10 // lower types are the same in all modules

func newTypeMap(l *Linker, src *ir.Module) *typeMap {
	n := src.NumTypes()
	t := &typeMap{l: l, src: src, dst: l.dst, to: make([]ir.Type, n), names: make([]string, n), open: map[ir.Type]bool{}}
	for i := range ir.Type(n) {
		if info := src.TypeInfo(i); info.Named && info.Name != "" {
			t.names[i] = l.claim(info.Name)
		}
	}
	return t
}

// claim reserves a struct name for a source. It appends a number if the name is
// in use.
func (l *Linker) claim(name string) string {
	unique := name
	for {
		if _, taken := l.structNames[unique]; !taken {
			l.structNames[unique] = ir.NoType
			return unique
		}
		unique = fmt.Sprintf("%s.%d", name, l.lastStruct)
		l.lastStruct++
	}
}

// release frees the name of a source struct that was mapped to another struct.
func (t *typeMap) release(s ir.Type) {
	if int(s) < len(t.names) && t.names[s] != "" {
		delete(t.l.structNames, t.names[s])
		t.names[s] = ""
	}
}

func (l *Linker) addStruct(d ir.Type) {
	info := l.dst.TypeInfo(d)
	if info.Opaque {
		l.opaque[d] = true
		return
	}
	key := structKey(info.Elems, info.Packed)
	if _, ok := l.structs[key]; !ok {
		l.structs[key] = d
	}
}

// has reports whether an identified struct is registered as the destination's.
func (l *Linker) has(d ir.Type) bool {
	info := l.dst.TypeInfo(d)
	if info.Opaque {
		return l.opaque[d]
	}
	return l.structs[structKey(info.Elems, info.Packed)] == d
}

func structKey(elems []ir.Type, packed bool) string {
	key := make([]byte, 0, 4*len(elems)+1)
	for _, e := range elems {
		key = binary.LittleEndian.AppendUint32(key, uint32(e))
	}
	if packed {
		key = append(key, 'p')
	}
	return string(key)
}

func grow[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

// grow extends the map for types that bodies have added.
func (t *typeMap) grow() {
	t.to, t.names = grow(t.to, t.src.NumTypes()), grow(t.names, t.src.NumTypes())
}

// mapType maps a type of the source to an isomorphic type of the destination.
func (t *typeMap) mapType(d, s ir.Type) {
	t.grow()
	if t.isomorphic(d, s) {
		for _, s := range t.trial {
			t.release(s)
		}
	} else {
		for _, s := range t.trial {
			t.to[s] = ir.NoType
		}
	}
	t.trial = t.trial[:0]
}

// isomorphic reports whether two types have the same structure, and maps the
// types it visits. An opaque struct is isomorphic only to itself.
func (t *typeMap) isomorphic(d, s ir.Type) bool {
	if s < firstOwnType || d < firstOwnType {
		return d == s
	}
	t.depth++
	defer func() { t.depth-- }()
	if t.depth > maxDepth {
		t.deep = true
		return false
	}
	di, si := t.dst.TypeInfo(d), t.src.TypeInfo(s)
	if di.Kind != si.Kind {
		return false
	}
	if t.to[s] != ir.NoType {
		return t.to[s] == d
	}
	if di.Opaque || si.Opaque || di.N != si.N || di.VarArg != si.VarArg || di.Packed != si.Packed || di.Named != si.Named || len(di.Elems) != len(si.Elems) {
		return false
	}
	if di.Kind == ir.KindTarget && (di.Name != si.Name || !slices.Equal(di.Ints, si.Ints)) {
		return false
	}
	t.to[s] = d
	t.trial = append(t.trial, s)
	if si.Elem != ir.NoType && !t.isomorphic(di.Elem, si.Elem) {
		return false
	}
	for i, e := range si.Elems {
		if !t.isomorphic(di.Elems[i], e) {
			return false
		}
	}
	return true
}

// byName maps structs of the source that were renamed on conflict to the
// destination's structs with the original names.
func (t *typeMap) byName() {
	for s := range ir.Type(len(t.names)) {
		prefix := namePrefix(t.names[s])
		if t.names[s] == "" || prefix == t.names[s] {
			continue
		}
		if d := t.l.structNames[prefix]; d != ir.NoType && t.l.has(d) {
			t.mapType(d, s)
		}
	}
}

// namePrefix returns a name without the number after its last dot.
func namePrefix(name string) string {
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '.' {
			if i+1 == len(name) || name[i+1] < '0' || name[i+1] > '9' {
				return name
			}
			return name[:i]
		}
	}
	return name
}

func (t *typeMap) list(types []ir.Type) []ir.Type {
	to := make([]ir.Type, len(types))
	for i, s := range types {
		to[i] = t.destType(s)
	}
	return to
}

// destType returns the destination's type for s.
func (t *typeMap) destType(s ir.Type) ir.Type {
	if s < firstOwnType {
		return s
	}
	if int(s) >= len(t.to) {
		t.grow()
	}
	if d := t.to[s]; d != ir.NoType {
		return d
	}
	t.depth++
	defer func() { t.depth-- }()
	if t.depth > maxDepth {
		t.deep = true
		return ir.I1 // an error was recorded
	}
	info := t.src.TypeInfo(s)
	var d ir.Type
	switch info.Kind {
	case ir.KindInt:
		d = t.dst.IntType(int(info.N))
	case ir.KindPtr:
		d = t.dst.PtrType(uint32(info.N))
	case ir.KindVector:
		d = t.dst.VectorType(t.destType(info.Elem), info.N)
	case ir.KindArray:
		d = t.dst.ArrayType(t.destType(info.Elem), info.N)
	case ir.KindFunc:
		d = t.dst.FuncType(t.destType(info.Elem), t.list(info.Elems), info.VarArg)
	case ir.KindTarget:
		d = t.dst.TargetType(info.Name, t.list(info.Elems), info.Ints)
	case ir.KindStruct:
		if info.Named {
			return t.identified(s, info)
		}
		d = t.dst.StructType(t.list(info.Elems), info.Packed)
	default:
		panic("BUG: type of an unknown kind")
	}
	t.to[s] = d
	return d
}

// identified returns the destination's struct for s: an isomorphic one, or a
// new one with its name.
func (t *typeMap) identified(s ir.Type, info *ir.TypeInfo) ir.Type {
	if t.open[s] { // contains itself through a function type
		t.to[s] = t.dst.NewStruct("")
		return t.to[s]
	}
	if info.Opaque {
		return t.placeStruct(s, t.dst.NewStruct(t.names[s]))
	}
	t.open[s] = true
	elems := t.list(info.Elems)
	delete(t.open, s)
	if d := t.to[s]; d != ir.NoType {
		if t.dst.TypeInfo(d).Opaque {
			t.dst.SetStructBody(d, elems, info.Packed)
			t.l.addStruct(d)
		}
		return d
	}
	if d, ok := t.l.structs[structKey(elems, info.Packed)]; ok {
		t.release(s)
		t.to[s] = d
		return d
	}
	d := t.dst.NewStruct(t.names[s])
	t.dst.SetStructBody(d, elems, info.Packed)
	return t.placeStruct(s, d)
}

// placeStruct records a new struct of the destination.
func (t *typeMap) placeStruct(s, d ir.Type) ir.Type {
	t.to[s] = d
	if t.names[s] != "" {
		t.l.structNames[t.names[s]] = d
	}
	t.l.addStruct(d)
	return d
}
