package hsa

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/device"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/target"
)

// maxImage is the maximum size in bytes of a code object in memory, regardless
// of its headers.
const maxImage = 1 << 30

// LoadAgentCodeObject loads a code object V2 to V6 for an agent,
// hsa_executable_load_agent_code_object. It copies the segments to memory and
// applies relocations. The name is used in reports. Errors:
// StatusErrorInvalidCodeObject if data is not a linked HSA code object,
// StatusErrorIncompatibleArguments if the agent cannot run it,
// StatusErrorVariableUndefined for an undefined symbol,
// StatusErrorFrozenExecutable, StatusErrorOutOfResources.
func (e *Executable) LoadAgentCodeObject(a *Agent, data []byte, name string) (*LoadedCodeObject, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.changeable(); err != nil {
		return nil, err
	}
	if a == nil || a.sys != e.sys || a.t == nil {
		return nil, errorf(StatusErrorInvalidAgent, "%s: code objects are for GPU agents of the executable's system", name)
	}
	l := &loader{exec: e, agent: a, data: data, name: name}
	if err := l.load(); err != nil {
		if l.region != nil {
			e.sys.mem.Free(l.region.Addr)
		}
		return nil, err
	}
	lco := &LoadedCodeObject{Name: name, Agent: a, Base: l.region.Addr, Size: l.region.Size, Delta: int64(l.delta), Object: l.o, region: l.region}
	e.objects = append(e.objects, lco)
	e.symbols = append(e.symbols, l.symbols...)
	return lco, nil
}

// loader loads one code object.
type loader struct {
	exec  *Executable
	agent *Agent
	data  []byte
	name  string

	o       *codeobject.Object
	t       *target.Target // target of the code
	region  *device.Region
	first   uint64 // address in the object that corresponds to the start of the region
	delta   uint64 // difference between addresses in memory and in the object
	symbols []*Symbol
}

func (l *loader) errorf(s Status, format string, args ...any) error {
	return errorf(s, "%s: %s", l.name, fmt.Sprintf(format, args...))
}

func (l *loader) load() error {
	for _, step := range []func() error{l.read, l.compatible, l.mapSegments, l.relocate, l.define} {
		if err := step(); err != nil {
			return err
		}
	}
	l.region.Symbol, l.region.Line, l.region.Atomics = l.symbolizer(), l.liner(), l.atomics()
	return nil
}

// read parses the object and checks that it is a linked HSA code object.
func (l *loader) read() error {
	o, err := codeobject.Read(l.data)
	if err != nil {
		return causedBy(StatusErrorInvalidCodeObject, err, "%s", l.name)
	}
	l.o = o
	switch {
	case o.Machine != codeobject.EM_AMDGPU || o.Class != codeobject.ELFCLASS64:
		return l.errorf(StatusErrorInvalidCodeObject, "the ELF file is not for 64-bit AMD GPUs (machine %d)", o.Machine)
	case o.Type == codeobject.ET_REL:
		return l.errorf(StatusErrorInvalidCodeObject, "this is a relocatable object; link it first (gfx link)")
	case o.Type != codeobject.ET_DYN && o.Type != codeobject.ET_EXEC:
		return l.errorf(StatusErrorInvalidCodeObject, "ELF type %d is not a code object", o.Type)
	case o.OSABI != codeobject.ELFOSABI_AMDGPU_HSA:
		return l.errorf(StatusErrorInvalidCodeObject, "the object is not for amdhsa (EI_OSABI %d)", o.OSABI)
	}
	return nil
}

// compatible checks that the agent can run code for the object's target.
func (l *loader) compatible() error {
	h, err := l.o.Target()
	if err != nil {
		return causedBy(StatusErrorInvalidCodeObject, err, "%s", l.name)
	}
	if h.Processor == nil {
		return l.errorf(StatusErrorInvalidCodeObject, "neither the header nor a note names the processor")
	}
	if err := h.ID.Runs(l.agent.t.ID); err != nil {
		return causedBy(StatusErrorIncompatibleArguments, err, "%s: agent %s", l.name, l.agent.ISA())
	}
	if l.t, err = h.ID.Target(""); err != nil {
		return causedBy(StatusErrorInvalidCodeObject, err, "%s", l.name)
	}
	l.t.COV = h.COV
	return nil
}

// mapSegments copies the PT_LOAD segments to one region of memory.
func (l *loader) mapSegments() error {
	end, align, code := uint64(0), uint64(device.PageSize), false
	var loads []*codeobject.Segment
	for i := range l.o.Segments {
		s := &l.o.Segments[i]
		if s.Type != codeobject.PT_LOAD || s.MemSize == 0 {
			continue
		}
		switch {
		case s.FileSize > s.MemSize || s.Offset > uint64(len(l.data)) || s.FileSize > uint64(len(l.data))-s.Offset:
			return l.errorf(StatusErrorInvalidCodeObject, "segment %d extends past the end of the file or is larger than its memory", i)
		case s.VAddr+s.MemSize < s.VAddr || s.VAddr < end:
			return l.errorf(StatusErrorInvalidCodeObject, "segment %d at %#x overlaps the previous segment or is out of order", i, s.VAddr)
		case s.Align > 1 && (s.Align&(s.Align-1) != 0 || s.Align > maxImage):
			return l.errorf(StatusErrorInvalidCodeObject, "segment %d: alignment %#x is not a power of 2 up to %#x", i, s.Align, maxImage)
		}
		end, align, code = s.VAddr+s.MemSize, max(align, s.Align), code || s.Flags&codeobject.PF_X != 0
		loads = append(loads, s)
	}
	if loads == nil {
		return l.errorf(StatusErrorInvalidCodeObject, "no loadable segments")
	}
	l.first = loads[0].VAddr &^ (align - 1)
	if end-l.first > maxImage {
		return l.errorf(StatusErrorOutOfResources, "the segments need %#x bytes, the limit is %#x", end-l.first, maxImage)
	}
	r, err := l.exec.sys.alloc(end-l.first, align, "code "+l.name)
	if err != nil {
		return err
	}
	r.Code = code
	l.region, l.delta = r, r.Addr-l.first
	for _, s := range loads {
		copy(r.Bytes()[s.VAddr-l.first:], l.data[s.Offset:][:s.FileSize])
		place := [2]uint64{s.VAddr + l.delta, s.VAddr + s.MemSize + l.delta}
		if s.Flags&codeobject.PF_W != 0 {
			r.Writable = append(r.Writable, place)
		}
		if s.Flags&codeobject.PF_X != 0 {
			r.Executable = append(r.Executable, place)
		}
	}
	return nil
}

// define creates the symbols: kernels, and the variables and functions of the
// dynamic symbol table.
func (l *loader) define() error {
	if err := l.defineKernels(); err != nil {
		return err
	}
	kernels := make(map[string]bool, len(l.symbols))
	for _, s := range l.symbols {
		kernels[s.Name], kernels[s.Kernel.name] = true, true
	}
	list := l.o.DynSymbols
	if len(list) == 0 {
		list = l.o.Symbols
	}
	for i := range list {
		s := &list[i]
		kind, ok := symbolKinds.Get()[s.Type]
		if !ok || s.Name == "" || s.Section == codeobject.SHN_UNDEF || s.Bind == codeobject.STB_LOCAL || kernels[s.Name] {
			continue
		}
		sym := &Symbol{Kind: kind, Name: s.Name, Agent: l.agent, Address: l.address(s), Size: s.Size, Program: true}
		if n := uint64(s.Section); !s.Section.Reserved() && n < uint64(len(l.o.Sections)) {
			sym.Const = l.o.Sections[n].Flags&codeobject.SHF_WRITE == 0
		}
		l.symbols = append(l.symbols, sym)
	}
	return nil
}

var symbolKinds = lazy.Value[map[codeobject.SymType]SymbolKind]{Make: func() map[codeobject.SymType]SymbolKind {
	return map[codeobject.SymType]SymbolKind{
		codeobject.STT_OBJECT: SymbolVariable,
		codeobject.STT_COMMON: SymbolVariable,
		codeobject.STT_FUNC:   SymbolIndirectFunction,
	}
}}

// address returns the address in memory of a defined symbol.
func (l *loader) address(s *codeobject.Symbol) uint64 {
	if s.Section == codeobject.SHN_ABS {
		return s.Value
	}
	return s.Value + l.delta
}

// defineKernels creates the kernels' symbols.
func (l *loader) defineKernels() error {
	kernels, err := l.o.Kernels()
	if err != nil {
		return causedBy(StatusErrorInvalidCodeObject, err, "%s", l.name)
	}
	describe, err := l.metadata()
	if err != nil {
		return err
	}
	for i := range kernels {
		ks := &kernels[i]
		object := ks.Address + l.delta
		if object-l.region.Addr >= l.region.Size {
			return l.errorf(StatusErrorInvalidCodeObject, "kernel %s at %#x is not in a segment", ks.Name, ks.Address)
		}
		k := &Kernel{name: ks.Name, exec: l.exec, agent: l.agent, object: object, info: describeKernel(l.t, ks)}
		k.limits = k.info.registers(l.agent.t, ks)
		describe(ks.Symbol.Name, &k.info)
		k.info.KernelObject = object
		l.symbols = append(l.symbols, &Symbol{
			Kind: SymbolKernel, Name: ks.Symbol.Name, Agent: l.agent, Address: object, Size: ks.Symbol.Size,
			Const: true, Program: ks.Symbol.Bind != codeobject.STB_LOCAL, Kernel: k,
		})
	}
	return nil
}

// metadata returns a function that adds the metadata of a kernel symbol to its
// description.
func (l *loader) metadata() (func(symbol string, i *KernelInfo), error) {
	if m, err := l.o.Metadata(); err != nil {
		return nil, causedBy(StatusErrorInvalidCodeObject, err, "%s: metadata", l.name)
	} else if m != nil {
		by := map[string]*codeobject.Kernel{}
		for i := range m.Kernels {
			by[m.Kernels[i].Symbol] = &m.Kernels[i]
		}
		return func(symbol string, i *KernelInfo) {
			if k := by[symbol]; k != nil {
				i.addMetadata(k)
			}
		}, nil
	}
	m, err := l.o.MetadataV2()
	if err != nil {
		return nil, causedBy(StatusErrorInvalidCodeObject, err, "%s: metadata", l.name)
	}
	by := map[string]*codeobject.KernelV2{}
	for i := 0; m != nil && i < len(m.Kernels); i++ {
		by[strings.TrimSuffix(m.Kernels[i].SymbolName, "@kd")] = &m.Kernels[i]
	}
	return func(symbol string, i *KernelInfo) {
		if k := by[symbol]; k != nil {
			i.addMetadataV2(k)
		}
	}, nil
}

// symbolizer returns the function that names addresses in the region by the
// preceding symbol and the distance from it. Labels inside functions are
// ignored.
func (l *loader) symbolizer() func(uint64) string {
	type entry struct {
		addr, end uint64
		rank      int
		name      string
	}
	list := l.o.Symbols
	if len(list) == 0 {
		list = l.o.DynSymbols
	}
	rank := map[codeobject.SymType]int{codeobject.STT_FUNC: 3, codeobject.STT_AMDGPU_HSA_KERNEL: 3, codeobject.STT_OBJECT: 2, codeobject.STT_NOTYPE: 1}
	var entries []entry
	for i := range list {
		s := &list[i]
		if r := rank[s.Type]; r > 0 && s.Name != "" && s.Section != codeobject.SHN_UNDEF && !s.Section.Reserved() {
			entries = append(entries, entry{s.Value + l.delta, s.Value + l.delta + s.Size, r, s.Name})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(a.rank, b.rank)) })
	end := uint64(0) // end of the last function
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		if e.rank == 3 {
			end = e.end
		}
		return e.rank == 1 && e.addr < end
	})
	name := l.name
	base := l.region.Addr
	return func(addr uint64) string {
		i, _ := slices.BinarySearchFunc(entries, addr, func(e entry, a uint64) int {
			if e.addr <= a {
				return -1
			}
			return 1
		})
		if i == 0 {
			return fmt.Sprintf("%s+%#x", name, addr-base)
		}
		if e := entries[i-1]; e.addr != addr {
			return fmt.Sprintf("%s+%#x", e.name, addr-e.addr)
		}
		return entries[i-1].name
	}
}
