package codeobject

import (
	"slices"
	"strings"
)

// stringTable builds a string table in which a string that is a suffix of
// another one shares its bytes, in the order of LLVM's StringTableBuilder:
// sorted from the last character on, descending, longer strings before their
// suffixes.
type stringTable struct {
	offsets map[string]uint32
	data    []byte
}

func (t *stringTable) addString(s string) {
	if t.offsets == nil {
		t.offsets = make(map[string]uint32)
	}
	t.offsets[s] = 0
}

// finalize lays out the strings; none may be added afterwards.
func (t *stringTable) finalize() {
	list := make([]string, 0, len(t.offsets))
	for s := range t.offsets {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b string) int { return -compareTails(a, b) })
	t.data = append(t.data, 0)
	last := ""
	for i, s := range list {
		if i > 0 && strings.HasSuffix(last, s) {
			t.offsets[s] = uint32(len(t.data) - len(s) - 1)
			continue
		}
		t.offsets[s] = uint32(len(t.data))
		t.data = append(append(t.data, s...), 0)
		last = s
	}
	t.offsets[""] = 0
}

// compareTails compares strings from the last character on.
func compareTails(a, b string) int {
	for i := 1; i <= len(a) && i <= len(b); i++ {
		if ca, cb := a[len(a)-i], b[len(b)-i]; ca != cb {
			return int(ca) - int(cb)
		}
	}
	return len(a) - len(b)
}

// offset returns the offset of a string; finalize must have been called.
func (t *stringTable) offset(s string) uint32 { return t.offsets[s] }

func (t *stringTable) bytes() []byte { return t.data }
