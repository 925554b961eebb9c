package clrx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/catalyst"
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/diag"
)

// Options configures an assembly.
type Options struct {
	// Device is the GPU until the source selects another one. nil means
	// CapeVerde.
	Device *catalyst.Device

	// Wide selects 64-bit binaries until the source chooses.
	Wide bool

	// DriverVersion is the version of the driver, major * 100 + minor, if the
	// source names none.
	DriverVersion uint32

	// Open reads a file for .include and .incbin. If it is nil, these operations
	// are errors.
	Open func(name string) ([]byte, error)

	// IncludePaths lists folders in which files are looked for that Open does
	// not find by their name alone.
	IncludePaths []string

	// Defines lists symbols that are defined before the first line.
	Defines []Define

	// ForceSymbols adds the global and weak symbols of the source to the binary.
	ForceSymbols bool

	// Print receives the texts of .print, without a line end. A nil Print drops
	// them.
	Print func(text string)

	// Stop is polled from time to time. If it returns true, the assembly ends
	// with the error "interrupted". A nil Stop never does.
	Stop func() bool

	// MaxOutput limits the bytes of all sections together. The statement that
	// exceeds the limit is reported as an error. 0 means the default, 1 GiB; the
	// maximum is 4 GiB − 1.
	MaxOutput int64

	// MaxExpansion limits the bytes of text that macros, repetitions and
	// included files produce. Each statement counts as 64 additional bytes. 0
	// means the default, 64 MiB.
	MaxExpansion int64
}

// Define is a symbol and its value.
type Define struct {
	Name  string // symbol name
	Value int64  // absolute value
}

// AssembleBinary assembles a source to the model of a binary, which Bytes writes.
// The list holds all errors and warnings in the order of their detection. The
// result is nil if the list contains an error.
//
// The source's text must not change until AssembleBinary returns.
func AssembleBinary(src *diag.Source, opt Options) (*catalyst.Binary, diag.List) {
	p := newParser(src, opt)
	p.runSource()
	if p.format != formatAMD && !p.formatReported {
		p.diagnose(diag.Error, place{}, 0, "binary format '%s' is not supported: only amd is", p.format)
	}
	if p.errs == 0 && !p.ready {
		p.diagnose(diag.Error, place{}, 0, "nothing to write: the source has no data and no kernel")
	}
	if p.errs > 0 {
		return nil, p.list
	}
	return p.binary(), p.list
}

// newParser returns a parser at the start of a source.
func newParser(src *diag.Source, opt Options) *parser {
	if opt.Device == nil {
		opt.Device = catalyst.GCN10.Lowest()
	}
	if opt.MaxOutput <= 0 {
		opt.MaxOutput = defOutput
	}
	if opt.MaxExpansion <= 0 {
		opt.MaxExpansion = defExpansion
	}
	opt.MaxOutput = min(opt.MaxOutput, maxOutputSize)
	p := &parser{opt: opt, device: opt.Device, bits64: opt.Wide, policy: clrxVersion, kernel: noKernel}
	p.regs = &p.unused
	p.global = newScope(nil)
	p.scope = p.global
	p.dot = p.global.addSymbol(".")
	p.dot.flags = hasValue
	for _, d := range opt.Defines {
		if d.Name != "." {
			p.setSymbol(p.global.ownSymbol([]byte(d.Name)), uint64(d.Value), absolute)
		}
	}
	p.push(&feed{kind: feedFile, source: src}, 0)
	return p
}

// setDevice selects the GPU.
func (p *parser) setDevice(d *catalyst.Device) { p.device = d }

// binary returns the binary of a source without errors.
func (p *parser) binary() *catalyst.Binary {
	b := &catalyst.Binary{
		Device: p.device, Wide: p.bits64, CompileOptions: p.options, Driver: p.driverInfo(),
		GlobalData: p.sections[0].data, Kernels: make([]catalyst.Kernel, len(p.kernels)),
	}
	index := make([]catalyst.SectionIndex, len(p.sections))
	for i := range p.sections {
		s := &p.sections[i]
		index[i] = unnamedSection
		switch s.kind {
		case codeSection:
			index[i] = catalyst.CodeSection
			b.Kernels[s.kernel] = p.kernelOf(s.kernel)
		case dataSection:
			index[i] = catalyst.DataSection
		}
	}
	for i := range p.sections {
		s := &p.sections[i]
		if s.kind != extraSection {
			continue
		}
		list := &b.Sections
		if s.kernel != noKernel {
			list = &b.Kernels[s.kernel].Sections
		}
		index[i] = catalyst.SectionIndex(len(*list))
		*list = append(*list, otherSection(s))
	}
	if p.opt.ForceSymbols {
		p.addSymbols(b, index)
	}
	return b
}

// unnamedSection marks sections whose symbols are not written.
const unnamedSection catalyst.SectionIndex = -4

// driverInfo returns the driver of the binary.
func (p *parser) driverInfo() catalyst.Driver {
	switch d := &p.driver; {
	case d.info != "" && d.version != 0:
		return catalyst.Driver{Version: catalyst.NewestVersion}
	case d.info != "":
		return catalyst.ParseDriver(d.info)
	case d.version != 0:
		return catalyst.DriverOf(d.version)
	}
	return catalyst.DriverOf(p.opt.DriverVersion)
}

// otherSection returns a section of the source's own.
func otherSection(s *section) catalyst.Section {
	out := catalyst.Section{Name: s.name, Type: s.typ, Flags: s.flags, Align: max(s.align, 1), Data: s.data}
	if s.typ == codeobject.SHT_NOBITS {
		out.Data, out.Size = nil, uint64(len(s.data))
	}
	return out
}

// kernelOf returns a kernel of the binary, without sections of the source's own.
func (p *parser) kernelOf(i int) catalyst.Kernel {
	k := p.kernels[i]
	out := catalyst.Kernel{Name: k.name, Code: p.sections[k.code].data}
	if k.data != noSection {
		out.Data, out.DataGiven = p.sections[k.data].data, true
	}
	if k.config != noSection {
		c := k.settings
		c.UsedSGPRs, c.UsedVGPRs = min(k.regs.sgprs, uint32(p.scalarRegisters())), k.regs.vgprs
		out.Config = &c
	}
	if k.metadata != noSection {
		out.Metadata = p.sections[k.metadata].data
	}
	if k.header != noSection {
		out.Header = p.sections[k.header].data
	}
	for _, n := range k.notes {
		out.Notes = append(out.Notes, catalyst.Note{Type: p.sections[n].note, Desc: p.sections[n].data})
	}
	return out
}

// addSymbols adds the global and weak symbols of the source that have a value
// to the binary and its kernels, by name.
func (p *parser) addSymbols(b *catalyst.Binary, index []catalyst.SectionIndex) {
	for _, name := range slices.Sorted(maps.Keys(p.global.symbols)) {
		s := p.global.symbols[name]
		if !s.has(hasValue) || s.bind == codeobject.STB_LOCAL || s == p.dot || s.has(isRegister) {
			continue
		}
		out := catalyst.Symbol{Name: name, Section: catalyst.AbsoluteSymbol, Bind: s.bind, Value: s.num, Size: s.size}
		list := &b.Symbols
		if s.sect != absolute {
			out.Section = index[s.sect]
			if k := p.sections[s.sect].kernel; k != noKernel {
				list = &b.Kernels[k].Symbols
			}
		}
		if out.Section != unnamedSection {
			*list = append(*list, out)
		}
	}
}

// ParseDefine parses the definition of a symbol on a command line: "name" or
// "name=value". The value is an integer in the language's syntax, 0 if it is
// left out.
func ParseDefine(text string) (Define, error) {
	name, number, given := strings.Cut(text, "=")
	if n := nameLen([]byte(name)); n == 0 || n != len(name) {
		return Define{}, fmt.Errorf("expected the name of a symbol, found %q", name)
	}
	d := Define{Name: name}
	if !given {
		return d, nil
	}
	digits, negative := strings.CutPrefix(number, "-")
	p := parser{src: []byte(digits), end: len(digits)}
	n, problem := p.integer()
	if problem != "" || p.pos != p.end {
		return Define{}, fmt.Errorf("expected a 64-bit integer, found %q", number)
	}
	if d.Value = int64(n.lo); negative {
		d.Value = -d.Value
	}
	return d, nil
}
