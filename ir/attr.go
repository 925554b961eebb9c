package ir

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// AttrKind is the number of an attribute in LLVM 22.1. String attributes have
// the kind AttrString.
type AttrKind uint16

// Attr is one attribute. The form of its kind determines which fields are
// valid.
type Attr struct {
	Kind AttrKind // kind, which decides the form
	Type Type     // AttrFormType; for AttrFormRange the type of the bounds
	Int  uint64   // AttrFormInt: encoded as the Language Reference and the Attr… functions define
	Key  String   // AttrString
	Str  String   // AttrString: the value; AttrFormRange: the bounds as canonical signed decimal numbers, "-5, 10"; AttrUnknown: name or text
}

// AttrForm is the kind of payload that an attribute carries.
type AttrForm uint8

const (
	AttrFormEnum      AttrForm = iota // no payload
	AttrFormType                      // byval(i32)
	AttrFormInt                       // align 8
	AttrFormRange                     // range(i32 0, 10)
	AttrFormRangeList                 // initializes((0, 4), (8, 12))
	AttrFormString                    // "key"="value"
	AttrFormUnknown                   // kept as text
)

// Form returns the kind of payload that the attribute carries.
func (k AttrKind) Form() AttrForm {
	switch {
	case k == AttrString:
		return AttrFormString
	case k >= AttrUnknown:
		return AttrFormUnknown
	case k == AttrInitializes:
		return AttrFormRangeList
	case k == AttrRange:
		return AttrFormRange
	case k >= AttrAlign:
		return AttrFormInt
	case k >= AttrByRef:
		return AttrFormType
	}
	return AttrFormEnum
}

// String returns the attribute's keyword.
func (k AttrKind) String() string {
	if int(k) < len(attrNames) {
		return attrNames[k]
	}
	return "<attribute>"
}

// AttrKindByName returns the attribute with the given keyword, or 0 if no
// attribute has it.
func AttrKindByName(name string) AttrKind {
	for i, n := range attrNames {
		if n == name && i > 0 {
			return AttrKind(i)
		}
	}
	return 0
}

// AttrSet is the number of an attribute set of a module: the attributes of a
// function, result, parameter or global. 0 is the empty set. Equal sets have
// equal numbers.
type AttrSet uint32

// AttrList is the number of the attributes of a function or call: one set for
// the function, one for the result and one for each parameter. 0 is the empty
// list.
type AttrList uint32

type attrTable struct {
	sets     interner
	allSets  array[attrSetEntry]
	lists    interner
	allLists array[[]AttrSet]

	mu      sync.Mutex
	ofTable map[string]AttrSet // sets of the intrinsics' table by their text, guarded by mu
}

type attrSetEntry struct {
	attrs []Attr
	has   [(numAttrKinds + 63) / 64]uint64 // kinds in the set
}

func (a *Attr) hash(h uint64) uint64 {
	h = mix(h, uint64(a.Kind)|uint64(a.Type)<<32)
	return mix(mix(h, a.Int), uint64(a.Key)|uint64(a.Str)<<32)
}

// attrOrder compares two attributes of a set: by kind, then string attributes
// by key.
func (m *Module) attrOrder(a, b Attr) int {
	if c := cmp.Compare(a.Kind, b.Kind); c != 0 || a.Kind < AttrString {
		return c
	}
	return strings.Compare(m.Str(a.Key), m.Str(b.Key))
}

// AttrSet returns the set of the given attributes. A later attribute replaces
// an earlier one of the same kind or key. AttrSet sorts attrs in place.
func (m *Module) AttrSet(attrs []Attr) AttrSet {
	if len(attrs) == 0 {
		return 0
	}
	slices.SortStableFunc(attrs, m.attrOrder)
	n := 0
	for i := range attrs {
		if n > 0 && m.attrOrder(attrs[n-1], attrs[i]) == 0 {
			n--
		}
		attrs[n] = attrs[i]
		n++
	}
	attrs = attrs[:n]
	h := hashSeed
	for i := range attrs {
		h = attrs[i].hash(h)
	}
	t := &m.attrs
	return AttrSet(t.sets.intern(fold(h),
		func(id uint32) bool { return slices.Equal(t.allSets.at(id-1).attrs, attrs) },
		func() uint32 { return t.allSets.appendEntry(newAttrSet(attrs)) + 1 }))
}

func newAttrSet(attrs []Attr) attrSetEntry {
	e := attrSetEntry{attrs: slices.Clone(attrs)}
	for _, a := range attrs {
		if a.Kind < numAttrKinds {
			e.has[a.Kind/64] |= 1 << (a.Kind % 64)
		}
	}
	return e
}

// Attrs returns the attributes of s in LLVM's order. The caller must not modify
// the result.
func (m *Module) Attrs(s AttrSet) []Attr {
	if s == 0 {
		return nil
	}
	return m.attrs.allSets.at(uint32(s) - 1).attrs
}

// HasAttr reports whether s contains the attribute k, which must not be
// AttrString.
func (m *Module) HasAttr(s AttrSet, k AttrKind) bool {
	return s != 0 && m.attrs.allSets.at(uint32(s) - 1).has[k/64]>>(k%64)&1 != 0
}

// NumAttrSets returns an exclusive upper bound for the numbers of attribute
// sets.
func (m *Module) NumAttrSets() int { return int(m.attrs.allSets.n) + 1 }

// Attr returns the attribute of kind k in s.
func (m *Module) Attr(s AttrSet, k AttrKind) (Attr, bool) {
	if m.HasAttr(s, k) {
		for _, a := range m.Attrs(s) {
			if a.Kind == k {
				return a, true
			}
		}
	}
	return Attr{}, false
}

// StringAttr returns the value of the string attribute key in s.
func (m *Module) StringAttr(s AttrSet, key string) (string, bool) {
	for _, a := range m.Attrs(s) {
		if a.Kind == AttrString && m.Str(a.Key) == key {
			return m.Str(a.Str), true
		}
	}
	return "", false
}

// AddAttr returns s with the attribute a, which replaces an attribute of the
// same kind.
func (m *Module) AddAttr(s AttrSet, a Attr) AttrSet {
	return m.AttrSet(append(slices.Clone(m.Attrs(s)), a))
}

// RemoveAttr returns s without the attribute k.
func (m *Module) RemoveAttr(s AttrSet, k AttrKind) AttrSet {
	if !m.HasAttr(s, k) {
		return s
	}
	return m.AttrSet(slices.DeleteFunc(slices.Clone(m.Attrs(s)), func(a Attr) bool { return a.Kind == k }))
}

// NewStringAttr returns the string attribute with the given key and value.
func (m *Module) NewStringAttr(key, value string) Attr {
	return Attr{Kind: AttrString, Key: m.String(key), Str: m.String(value)}
}

// Indices of the attribute sets in a list; parameter i has the index
// AttrParams+i.
const (
	AttrFunction = iota
	AttrResult
	AttrParams
)

// AttrList returns the list of the given sets, which are in the order
// AttrFunction, AttrResult, AttrParams, AttrParams+1, …
func (m *Module) AttrList(sets []AttrSet) AttrList {
	for len(sets) > 0 && sets[len(sets)-1] == 0 {
		sets = sets[:len(sets)-1]
	}
	if len(sets) == 0 {
		return 0
	}
	t := &m.attrs
	return AttrList(t.lists.intern(fold(hashWords(hashSeed, sets)),
		func(id uint32) bool { return slices.Equal(*t.allLists.at(id - 1), sets) },
		func() uint32 { return t.allLists.appendEntry(slices.Clone(sets)) + 1 }))
}

// AttrSets returns the sets of a list. Missing sets at the end are empty. The
// caller must not modify the result.
func (m *Module) AttrSets(l AttrList) []AttrSet {
	if l == 0 {
		return nil
	}
	return *m.attrs.allLists.at(uint32(l) - 1)
}

// AttrsAt returns the set at an index of a list.
func (m *Module) AttrsAt(l AttrList, place int) AttrSet {
	if sets := m.AttrSets(l); place < len(sets) {
		return sets[place]
	}
	return 0
}

// WithAttrsAt returns l with the set at index place replaced by s.
func (m *Module) WithAttrsAt(l AttrList, place int, s AttrSet) AttrList {
	sets := slices.Clone(m.AttrSets(l))
	for len(sets) <= place {
		sets = append(sets, 0)
	}
	sets[place] = s
	return m.AttrList(sets)
}
