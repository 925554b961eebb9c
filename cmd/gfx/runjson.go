package main

import (
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// The types of gfx run's JSON document. Times are in nanoseconds, sizes in
// bytes; values of buffers are numbers, or the strings "nan", "inf" and "-inf".
type (
	runDocument struct {
		Name       string         `json:"name,omitempty"` // of the manifest
		Code       string         `json:"code"`           // its file
		Target     string         `json:"target"`         // the GPU's target ID
		Dispatches []dispatchJSON `json:"dispatches"`
		Times      []int64        `json:"times"`          // of each repetition, the sum of all dispatches
		Seed       *uint64        `json:"seed,omitempty"` // of the last repetition, with weak memory
		Search     *searchJSON    `json:"search,omitempty"`
		Expect     []expectJSON   `json:"expect"`
		Buffers    []bufferJSON   `json:"buffers,omitempty"` // the buffers of --print
		Findings   []findingJSON  `json:"findings"`
		MoreFound  int            `json:"moreFindings,omitempty"` // number of findings that are not listed
		Exports    []exportJSON   `json:"exports,omitempty"`      // the first ones in the order of dispatches, work-groups and waves
		MoreSent   uint64         `json:"moreExports,omitempty"`  // number of exports that are not listed
		Fault      *faultJSON     `json:"fault,omitempty"`
	}
	searchJSON struct {
		Schedules int    `json:"schedules"` // number of schedules that have been run
		Exhausted bool   `json:"exhausted"` // they are all with at most --search deviations
		Complete  bool   `json:"complete"`  // they are all that exist
		Schedule  string `json:"schedule"`  // the last one
	}
	dispatchJSON struct {
		Kernel       string            `json:"kernel"`
		Grid         []uint32          `json:"grid"`
		Group        []uint16          `json:"group"`
		Offset       []uint64          `json:"offset"`
		WaveSize     int               `json:"waveSize"`
		SGPRs        int               `json:"sgprs"`
		VGPRs        int               `json:"vgprs"`
		AGPRs        int               `json:"agprs"`
		LDS          uint32            `json:"lds"`     // per work-group
		Scratch      uint32            `json:"scratch"` // per work-item
		Groups       uint64            `json:"groups"`
		Waves        uint64            `json:"waves"`
		Instructions uint64            `json:"instructions"`
		Classes      map[string]uint64 `json:"classes"` // executed instructions by class
		Time         int64             `json:"time"`
		Printf       string            `json:"printf,omitempty"` // data of printf of a Catalyst binary, hexadecimal
	}
	expectJSON struct {
		Buffer  string           `json:"buffer"`
		Golden  string           `json:"golden"`
		Skipped bool             `json:"skipped,omitempty"` // the comparison is for another wave size
		Count   uint64           `json:"count"`             // in elements
		Differ  uint64           `json:"differ"`            // number of elements out of tolerance
		Exact   bool             `json:"exact"`
		Abs     float64          `json:"abs,omitempty"` // tolerance
		Rel     float64          `json:"rel,omitempty"`
		MaxOff  *float64         `json:"maxOff,omitempty"` // maximum difference, of floats
		First   []differenceJSON `json:"first,omitempty"`
	}
	differenceJSON struct {
		Index uint64 `json:"index"`
		Got   value  `json:"got"`
		Want  value  `json:"want"`
	}
	bufferJSON struct {
		Name   string  `json:"name"`
		Type   string  `json:"type"`
		Count  uint64  `json:"count"`  // number of elements of the buffer
		Values []value `json:"values"` // of the first elements
	}
	placeJSON struct {
		PC          uint64    `json:"pc,omitempty"`
		Where       string    `json:"where,omitempty"`
		Instruction string    `json:"instruction,omitempty"`
		Group       [3]uint32 `json:"group"`
		Wave        int       `json:"wave"`
		Lane        int       `json:"lane"` // -1 if no single lane is affected
		Address     uint64    `json:"address,omitempty"`
	}
	findingJSON struct {
		Check   string `json:"check"`
		Message string `json:"message"`
		placeJSON
		Source string `json:"source,omitempty"`
		Other  string `json:"other,omitempty"`
	}
	faultJSON struct {
		Kind    string `json:"kind"`
		Message string `json:"message,omitempty"`
		Kernel  string `json:"kernel,omitempty"`
		placeJSON
	}
)

// value is the value of an element of a buffer.
type value struct {
	t    *manifest.Type
	bits uint64
}

// MarshalJSON returns the number, or a string for values that are not JSON
// numbers.
func (v value) MarshalJSON() ([]byte, error) {
	text := v.t.Format(v.bits)
	switch text {
	case "NaN", "+Inf", "-Inf":
		return json.Marshal(strings.TrimPrefix(strings.ToLower(text), "+"))
	}
	return []byte(text), nil
}

// document returns the JSON document.
func (o *runOutput) document() *runDocument {
	d := &runDocument{
		Name: o.m.Name, Code: o.code.name, Target: o.result.Target.String(), MoreFound: o.unseen,
		Dispatches: []dispatchJSON{}, Times: []int64{}, Expect: []expectJSON{}, Findings: []findingJSON{},
	}
	for i := range o.result.Dispatches {
		r := &o.result.Dispatches[i]
		s := &r.Stats
		d.Dispatches = append(d.Dispatches, dispatchJSON{
			Kernel: r.Kernel, Grid: r.Grid[:], Group: r.Group[:], Offset: r.Offset[:], WaveSize: s.WaveSize,
			SGPRs: s.SGPRs, VGPRs: s.VGPRs, AGPRs: s.AGPRs, LDS: s.LDS, Scratch: s.Scratch,
			Groups: s.Groups, Waves: s.Waves, Instructions: s.Instructions, Classes: s.Classes, Time: int64(s.Duration),
			Printf: hex.EncodeToString(r.Printf),
		})
	}
	switch {
	case o.search != nil:
		p := o.search.Progress()
		d.Search = &searchJSON{p.Schedules, p.Exhausted, p.Complete, o.result.Schedule.String()}
	case o.weak():
		d.Seed = &o.result.Seed
	}
	for _, t := range o.result.Times {
		d.Times = append(d.Times, int64(t))
	}
	d.Expect = o.expectDocument()
	for _, p := range o.prints {
		if o.result.Contents != nil {
			d.Buffers = append(d.Buffers, o.bufferDocument(p))
		}
	}
	for i := range o.findings {
		f := &o.findings[i]
		d.Findings = append(d.Findings, findingJSON{checkName(f.Check), f.Message,
			placeJSON{f.PC, f.Where, f.Text, f.Group, f.Wave, f.Lane, f.Addr}, f.Source, f.Other})
	}
	d.Exports, d.MoreSent = o.exports.document()
	if f := o.fault; f != nil {
		d.Fault = &faultJSON{f.Kind.String(), f.Message, f.Kernel, placeJSON{f.PC, f.Where, f.Text, f.Group, f.Wave, f.Lane, f.Addr}}
	}
	return d
}

func (o *runOutput) expectDocument() []expectJSON {
	list := []expectJSON{}
	for i := range o.result.Compared {
		c := &o.result.Compared[i]
		e := expectJSON{
			Buffer: c.Buffer.Name, Golden: c.Golden, Count: c.Buffer.Count, Differ: c.Differ,
			Exact: !c.Compare.Float, Abs: finite(c.Compare.Abs), Rel: finite(c.Compare.Rel),
		}
		if c.Buffer.Type.Float {
			e.MaxOff = &c.MaxAbs
		}
		for _, d := range c.First {
			e.First = append(e.First, differenceJSON{d.Index, value{c.Buffer.Type, d.Got}, value{c.Buffer.Type, d.Want}})
		}
		list = append(list, e)
	}
	for _, s := range o.result.Skipped {
		b := &o.m.Buffers[s.Buffer]
		list = append(list, expectJSON{Buffer: b.Name, Golden: s.Golden, Skipped: true, Count: b.Count, Exact: !s.Compare.Float, Abs: finite(s.Compare.Abs), Rel: finite(s.Compare.Rel)})
	}
	return list
}

// finite limits a tolerance to the finite numbers of JSON.
func finite(f float64) float64 { return min(f, math.MaxFloat64) }

func (o *runOutput) bufferDocument(p bufferPrint) bufferJSON {
	b := &o.m.Buffers[p.buffer]
	j := bufferJSON{Name: b.Name, Type: b.Type.Name, Count: b.Count, Values: make([]value, p.count)}
	for i := range j.Values {
		j.Values[i] = value{b.Type, b.Type.At(o.result.Contents[p.buffer], uint64(i))}
	}
	return j
}

// writeJSON writes the document.
func (o *runOutput) writeJSON(w io.Writer) error { return printJSON(w, o.document()) }
