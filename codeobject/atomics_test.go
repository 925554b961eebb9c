package codeobject_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// atomicFunctions are functions with all kinds of marks.
var atomicFunctions = []codeobject.AtomicFunction{
	{Address: 0x1000, Size: 1 << 20, Marks: []codeobject.AtomicMark{
		{Offset: 0, Kind: codeobject.AtomicFence, Ordering: codeobject.AtomicAcqRel, Scope: codeobject.AtomicAgent},
		{Offset: 0, Kind: codeobject.AtomicAccess, Ordering: codeobject.AtomicMonotonic, Scope: codeobject.AtomicWorkgroup},
		{Offset: 4000, Kind: codeobject.AtomicVolatile, Scope: codeobject.AtomicSystem},
		{Offset: 1 << 20, Kind: codeobject.AtomicFence, Ordering: codeobject.AtomicSeqCst, Scope: codeobject.AtomicCluster},
	}},
	{Address: 0x22000, Size: 8},
}

func appendAtomics(list []codeobject.AtomicFunction) (data []byte) {
	for i := range list {
		data = list[i].Append(data)
	}
	return data
}

func TestAtomics(t *testing.T) {
	data := appendAtomics(atomicFunctions)
	list, err := codeobject.ReadAtomics(data)
	if err != nil || !reflect.DeepEqual(list, atomicFunctions) {
		t.Errorf("%+v, %v, expected %+v", list, err, atomicFunctions)
	}
	o := &codeobject.Object{Sections: []*codeobject.Section{{}, {Name: codeobject.AtomicsSection, Data: data}}}
	if list, err := o.Atomics(); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := new(codeobject.Object).Atomics(); list != nil || err != nil {
		t.Errorf("an object without the section: %v, %v", list, err)
	}
	for n := 1; n < len(data); n++ {
		var at *codeobject.AtomicsError
		if _, err := codeobject.ReadAtomics(data[:n]); err != nil && (!errors.As(err, &at) || at.Offset > n || at.Error() == "") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	acquires, releases := 0, 0
	for o := codeobject.AtomicUnordered; o <= codeobject.AtomicSeqCst; o++ {
		if o.Acquires() {
			acquires++
		}
		if o.Releases() {
			releases++
		}
	}
	if acquires != 3 || releases != 3 {
		t.Errorf("%d orderings acquire, %d release", acquires, releases)
	}
}

func TestBrokenAtomics(t *testing.T) {
	address := make([]byte, 8)
	for name, x := range map[string]struct {
		rest []byte
		want string
	}{
		"no size":      {nil, ".gfx.atomics at offset 0x8: expected a number up to 536870912"},
		"a large size": {[]byte{0xff, 0xff, 0xff, 0xff, 0x7f}, ".gfx.atomics at offset 0x8: expected a number up to 536870912"},
		"many marks":   {[]byte{4, 3, 0, 0}, ".gfx.atomics at offset 0x9: expected a number up to 1"},
		"outside":      {[]byte{4, 1, 5, 0}, ".gfx.atomics at offset 0xa: expected a number up to 4"},
		"no mark":      {[]byte{4, 1, 0x80, 0}, ".gfx.atomics at offset 0xc: expected a mark"},
		"kind":         {[]byte{4, 1, 1, 3}, ".gfx.atomics at offset 0xb: 0x03 is not a mark"},
		"ordering":     {[]byte{4, 1, 1, 6 << 2}, ".gfx.atomics at offset 0xb: 0x18 is not a mark"},
		"scope":        {[]byte{4, 1, 1, 5 << 5}, ".gfx.atomics at offset 0xb: 0xa0 is not a mark"},
		"address":      {[]byte{4, 0, 1, 2, 3}, ".gfx.atomics at offset 0xa: expected 8 bytes of an address, 3 remain"},
	} {
		if _, err := codeobject.ReadAtomics(append(bytes.Clone(address), x.rest...)); err == nil || err.Error() != x.want {
			t.Errorf("%s: %v, expected %s", name, err, x.want)
		}
	}
}

// FuzzReadAtomics checks that a section that can be read is the same after writing.
func FuzzReadAtomics(f *testing.F) {
	f.Add(appendAtomics(atomicFunctions))
	f.Add([]byte("\x00\x10\x00\x00\x00\x00\x00\x00\x04\x01\x01\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := codeobject.ReadAtomics(data)
		if err != nil {
			return
		}
		again, err := codeobject.ReadAtomics(appendAtomics(list))
		if err != nil || !reflect.DeepEqual(again, list) {
			t.Errorf("%+v: %+v, %v", list, again, err)
		}
	})
}
