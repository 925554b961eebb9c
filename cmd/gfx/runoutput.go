package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/kernelrun"
	"github.com/gfx-toolchain/gfx/internal/manifest"
)

// maxFindings is the maximum number of findings shown.
const maxFindings = 100

// runOutput is the output of gfx run.
type runOutput struct {
	cmd    *runCommand
	m      *manifest.Manifest
	code   *loadable
	prints []bufferPrint
	saves  []bufferSave

	mu       sync.Mutex
	findings []device.Finding
	unseen   int
	exports  exportList

	result *kernelrun.Result
	search *device.Search // nil without a search
	fault  *device.Fault  // reason for a premature end of the run, or nil
}

// found records a finding of a check.
func (o *runOutput) found(f *device.Finding) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.findings) == maxFindings {
		o.unseen++
		return
	}
	o.findings = append(o.findings, *f)
}

// name returns the name of the manifest or of its code.
func (o *runOutput) name() string {
	if o.m.Name != "" {
		return o.m.Name
	}
	return o.code.name
}

// weak reports whether memory is weak, so that the seed matters.
func (o *runOutput) weak() bool { return o.cmd.memory.name == device.MemoryWeak.String() }

func (o *runOutput) differing() (n int) {
	for i := range o.result.Compared {
		if o.result.Compared[i].Differ > 0 {
			n++
		}
	}
	return n
}

// whereText describes a place in code: address, symbol, instruction, source
// line.
func whereText(pc uint64, where, text, source string) string {
	s := fmt.Sprintf("at %#x", pc)
	if where != "" {
		s += " (" + where + ")"
	}
	if text != "" {
		s += ": " + text
	}
	if source != "" {
		s += ", " + source
	}
	return s
}

// waveText describes a wave, and a lane of it unless that is -1.
func waveText(group [3]uint32, wave, lane int) string {
	s := fmt.Sprintf("work-group %d,%d,%d wave %d", group[0], group[1], group[2], wave)
	if lane >= 0 {
		s += fmt.Sprintf(" lane %d", lane)
	}
	return s
}

func findingText(f *device.Finding) string {
	s := fmt.Sprintf("%s: %s\n  %s\n  %s", checkName(f.Check), f.Message, whereText(f.PC, f.Where, f.Text, f.Source), waveText(f.Group, f.Wave, f.Lane))
	if f.Addr != 0 {
		s += fmt.Sprintf(", address %#x", f.Addr)
	}
	if f.Other != "" {
		s += "\n  the other access: " + f.Other
	}
	return s
}

// faultText describes the fault of a kernel. If there are several dispatches,
// err names the dispatch before the fault's own message.
func faultText(err error, f *device.Fault) string {
	s := f.Kind.String()
	if f.Kernel != "" {
		s = f.Kernel + ": " + s
	}
	if before, ok := strings.CutSuffix(err.Error(), f.Error()); ok {
		s = before + s
	}
	if f.Message != "" {
		s += ": " + f.Message
	}
	if f.PC != 0 {
		s += "\n  " + whereText(f.PC, f.Where, f.Text, "") + "\n  " + waveText(f.Group, f.Wave, f.Lane)
	}
	return s
}

// writeText writes the dispatches, then the comparisons and the contents.
func (o *runOutput) writeText(w io.Writer) error {
	out := &printer{w: w}
	if len(o.result.Dispatches) > 0 {
		o.writeDispatches(out)
	}
	for i := range o.result.Dispatches {
		writePrintf(out, &o.result.Dispatches[i])
	}
	if o.cmd.stats && len(o.result.Dispatches) > 0 {
		o.writeClasses(out)
	}
	if len(o.result.Times) > 1 {
		fastest, median := slices.Min(o.result.Times), slices.Sorted(slices.Values(o.result.Times))[len(o.result.Times)/2]
		out.printf("%d repetitions: best %v, median %v\n", len(o.result.Times), short(fastest), short(median))
	}
	switch {
	case o.search != nil:
		out.printf("searched: %v\n", o.search.Progress())
	case o.weak():
		out.printf("last seed: %d\n", o.result.Seed)
	}
	for i := range o.result.Compared {
		if out.err == nil {
			out.err = o.result.Compared[i].WriteText(w)
		}
	}
	for _, e := range o.result.Skipped {
		out.printf("%s: not compared with %s, which is for wave size %d\n", o.m.Buffers[e.Buffer].Name, e.Golden, e.Wave)
	}
	if o.result.Contents != nil {
		for _, p := range o.prints {
			o.writeBuffer(out, p)
		}
	}
	return out.err
}

// printer writes until the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// table writes rows in columns.
func (p *printer) table(rows [][]string) {
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); p.err == nil {
		p.err = err
	}
}

// short rounds a time to about four digits.
func short(d time.Duration) time.Duration {
	for unit := time.Nanosecond; unit < time.Hour; unit *= 10 {
		if d < 10_000*unit {
			return d.Round(unit)
		}
	}
	return d
}

func (o *runOutput) writeDispatches(out *printer) {
	rows := [][]string{{"KERNEL", "GRID", "GROUP", "WAVE", "SGPR", "VGPR", "AGPR", "LDS", "SCRATCH", "WAVES", "INSTRUCTIONS", "TIME"}}
	for i := range o.result.Dispatches {
		d := &o.result.Dispatches[i]
		s := &d.Stats
		rows = append(rows, []string{d.Kernel, dims(d.Grid, d.Dims), dims(d.Group, d.Dims), fmt.Sprint(s.WaveSize), fmt.Sprint(s.SGPRs), fmt.Sprint(s.VGPRs),
			dash(number(s.AGPRs)), fmt.Sprint(s.LDS), fmt.Sprint(s.Scratch), fmt.Sprint(s.Waves), fmt.Sprint(s.Instructions), short(s.Duration).String()})
	}
	out.table(rows)
}

// writePrintf shows the data that a kernel of a Catalyst binary wrote for
// printf, in words of four bytes.
func writePrintf(out *printer, d *kernelrun.Dispatch) {
	if len(d.Printf) == 0 {
		return
	}
	out.printf("%s: data of printf\n", d.Kernel)
	data := append(d.Printf[:len(d.Printf):len(d.Printf)], 0, 0, 0) // a last word may be incomplete
	for i := 0; i+4 <= len(data); i += 4 * printWidth {
		line := fmt.Sprintf("  %#x:", i)
		for k := i; k+4 <= min(i+4*printWidth, len(data)); k += 4 {
			line += fmt.Sprintf(" %08x", binary.LittleEndian.Uint32(data[k:]))
		}
		out.printf("%s\n", line)
	}
}

// number formats a number, 0 as "".
func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// writeClasses writes the executed instructions by class, summed per kernel.
func (o *runOutput) writeClasses(out *printer) {
	sum := map[string]map[string]uint64{}
	classes := map[string]bool{}
	var kernels []string
	for i := range o.result.Dispatches {
		d := &o.result.Dispatches[i]
		if sum[d.Kernel] == nil {
			sum[d.Kernel] = map[string]uint64{}
			kernels = append(kernels, d.Kernel)
		}
		for class, n := range d.Stats.Classes {
			sum[d.Kernel][class] += n
			classes[class] = true
		}
	}
	names := slices.Sorted(maps.Keys(classes))
	head := []string{"KERNEL"}
	for _, class := range names {
		head = append(head, strings.ToUpper(class))
	}
	rows := [][]string{head}
	for _, kernel := range kernels {
		row := []string{kernel}
		for _, class := range names {
			row = append(row, fmt.Sprint(sum[kernel][class]))
		}
		rows = append(rows, row)
	}
	out.table(rows)
}

// printWidth is the number of elements per line.
const printWidth = 8

// writeBuffer shows the first elements of a buffer.
func (o *runOutput) writeBuffer(out *printer, p bufferPrint) {
	b, data := &o.m.Buffers[p.buffer], o.result.Contents[p.buffer]
	out.printf("%s: %s[%d]\n", b.Name, b.Type.Name, b.Count)
	for i := uint64(0); i < p.count; i += printWidth {
		words := make([]string, 0, printWidth)
		for k := i; k < min(i+printWidth, p.count); k++ {
			words = append(words, b.Type.Format(b.Type.At(data, k)))
		}
		out.printf("  %d: %s\n", i, strings.Join(words, " "))
	}
}

// runProgress is the progress of a run.
type runProgress struct {
	m      *manifest.Manifest
	repeat int
	search *device.Search // nil without a search

	mu            sync.Mutex
	run, dispatch int
	done, total   uint64
}

func (p *runProgress) starting(run, dispatch int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run, p.dispatch, p.done, p.total = run, dispatch, 0, 0
}

func (p *runProgress) groups(done, total uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
}

func (p *runProgress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := "running " + p.m.Dispatches[p.dispatch].Kernel
	switch {
	case p.search != nil:
		s += " (" + searchText(p.search) + ")"
	case p.repeat > 1:
		s += fmt.Sprintf(" (repetition %d of %d)", p.run+1, p.repeat)
	}
	if n := len(p.m.Dispatches); n > 1 {
		s += fmt.Sprintf(", dispatch %d of %d", p.dispatch+1, n)
	}
	if p.total > 0 {
		s += fmt.Sprintf(": %d of %d work-groups", p.done, p.total)
	}
	return s
}
