package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/device"
)

// maxExports is the maximum number of exports in the JSON document of gfx run.
const maxExports = 1000

// exportList collects the first exports of a run in the order of dispatches,
// work-groups and waves, whatever the order of execution is. The zero value is
// an empty list.
type exportList struct {
	list  []device.Export
	count uint64
}

// record adds an export.
func (x *exportList) record(e *device.Export) {
	x.count++
	x.list = append(x.list, *e)
	if len(x.list) == 2*maxExports {
		x.shorten()
	}
}

// shorten sorts the list and removes the exports past the limit.
func (x *exportList) shorten() {
	slices.SortFunc(x.list, func(a, b device.Export) int {
		return cmp.Or(cmp.Compare(a.Dispatch, b.Dispatch), cmp.Compare(a.Group[2], b.Group[2]), cmp.Compare(a.Group[1], b.Group[1]),
			cmp.Compare(a.Group[0], b.Group[0]), cmp.Compare(a.Wave, b.Wave), cmp.Compare(a.Index, b.Index))
	})
	x.list = x.list[:min(len(x.list), maxExports)]
}

// exportJSON is an export in the JSON document.
type exportJSON struct {
	Dispatch   uint64              `json:"dispatch"` // index of the packet in the queue
	Group      [3]uint32           `json:"group"`
	Wave       int                 `json:"wave"`
	PC         uint64              `json:"pc"`
	Target     string              `json:"target"`
	Compressed bool                `json:"compressed,omitempty"` // components of 16 bits
	Done       bool                `json:"done,omitempty"`
	ValidMask  bool                `json:"validMask,omitempty"`
	Row        *uint32             `json:"row,omitempty"`
	Exec       string              `json:"exec"`       // hexadecimal
	Components map[string][]uint32 `json:"components"` // the bits of each lane, by x, y, z and w
}

// document returns the exports of the list and the number of further ones.
func (x *exportList) document() (list []exportJSON, more uint64) {
	x.shorten()
	for i := range x.list {
		e := &x.list[i]
		j := exportJSON{Dispatch: e.Dispatch, Group: e.Group, Wave: e.Wave, PC: e.PC, Target: e.Name, Compressed: e.Compressed, Done: e.Done,
			ValidMask: e.ValidMask, Exec: fmt.Sprintf("%#x", e.Exec), Components: map[string][]uint32{}}
		if e.HasRow {
			j.Row = &e.Row
		}
		for c, name := range [...]string{"x", "y", "z", "w"} {
			if e.Enabled>>c&1 != 0 {
				j.Components[name] = e.Data[c][:e.Lanes]
			}
		}
		list = append(list, j)
	}
	return list, x.count - uint64(len(list))
}
