package compile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/compiler/addrspace"
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/ir"
)

// dataWriter builds the bytes and relocations of initializers.
type dataWriter struct {
	p      *program
	m      *ir.Module
	g      *ir.Global
	data   []byte
	relocs []dataReloc
	err    error

	between []betweenReloc
}

// dataReloc is the address of a global in an initializer, or its distance from
// another one.
type dataReloc struct {
	reloc
	of   *ir.Global
	from *ir.Global // nil for an address and for the distance from the initialized variable
}

// betweenReloc is a relocation for the distance between two globals. Its addend
// is relative to one of them until all variables have their places.
type betweenReloc struct {
	variable, of, from *ir.Global
	section, index     int // of the relocation
}

// globals lays out the variables and aliases of a module.
func (p *program) globals(m *ir.Module) error {
	w := dataWriter{p: p, m: m}
	for _, g := range m.Globals() {
		if g == nil || g.Kind != ir.GlobalVar || isIntrinsicVariable(g) {
			continue
		}
		if err := w.variable(g); err != nil {
			return Errors{{Function: g.Name(), Err: err, value: ir.None}}
		}
	}
	defer w.dropSettled()
	for _, b := range w.between {
		if err := w.settleDistance(b); err != nil {
			return Errors{{Function: b.variable.Name(), Err: err, value: ir.None}}
		}
	}
	for _, g := range m.Globals() {
		if g != nil && (g.Kind == ir.GlobalAlias || g.Kind == ir.GlobalIFunc) {
			if err := w.alias(g); err != nil {
				return Errors{{Function: g.Name(), Err: err, value: ir.None}}
			}
		}
	}
	return nil
}

// isIntrinsicVariable reports whether a variable is information for the
// compiler and not part of the program.
func isIntrinsicVariable(g *ir.Global) bool {
	switch g.Name() {
	case "llvm.used", "llvm.compiler.used", "llvm.global.annotations":
		return true
	}
	return g.Section == "llvm.metadata" || g.Linkage == ir.AvailableExternally
}

func (w *dataWriter) errorf(format string, args ...any) error {
	return fmt.Errorf("variable %s: %w", w.g.Name(), fmt.Errorf(format, args...))
}

func (w *dataWriter) variable(g *ir.Global) error {
	w.g, w.data, w.relocs, w.err = g, nil, nil, nil
	switch {
	case g.AddrSpace == addrspace.Local:
		return w.local(g)
	case g.IsDeclaration():
		return nil
	case structorSections.Get()[g.Name()].name != "":
		return w.structors(g)
	}
	size := w.m.AllocSize(g.Type)
	align := w.align(g)
	if g.Linkage == ir.Common {
		sym := w.p.global(g)
		w.p.symbols[sym].typ = codeobject.STT_OBJECT
		s := w.p.symbols[sym]
		s.special, s.value, s.size = codeobject.SHN_COMMON, align, size
		w.p.chunks = append(w.p.chunks, chunk{kind: chunkCommon, symbol: sym, align: align})
		return nil
	}
	if !w.onlyZeros(g) {
		if err := w.p.room(size); err != nil {
			return w.errorf("%w", err)
		}
		w.data = make([]byte, 0, size)
		w.constant(g.Init)
		if w.err != nil {
			return w.err
		}
		w.zeros(size - uint64(len(w.data)))
	}
	sec := w.section(g) // symbols have the order of the text: the section's, the variable's, symbols of addresses
	sym := w.p.global(g)
	w.p.symbols[sym].typ = codeobject.STT_OBJECT
	c := w.p.placeChunk(sec, chunk{kind: chunkVariable, symbol: sym, align: align}, w.data, size)
	w.relocate(sec, c)
	if c.to > maxAddress {
		return w.errorf("section %s is larger than %d bytes", w.p.sections[sec].name, maxAddress)
	}
	return nil
}

// onlyZeros reports whether a variable belongs into a section without contents,
// by a quick test of its initializer.
func (w *dataWriter) onlyZeros(g *ir.Global) bool {
	switch w.m.ConstKindOf(g.Init) {
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison:
		return w.p.sections[w.section(g)].typ == codeobject.SHT_NOBITS
	}
	return false
}

// structorSection is a section of functions that run before or after a program.
type structorSection struct {
	name string
	typ  codeobject.SectionType
}

// structorSections maps the variables that list such functions to their
// sections.
var structorSections = lazy.Value[map[string]structorSection]{Make: func() map[string]structorSection {
	return map[string]structorSection{
		"llvm.global_ctors": {".init_array", codeobject.SHT_INIT_ARRAY},
		"llvm.global_dtors": {".fini_array", codeobject.SHT_FINI_ARRAY},
	}
}}

// lastPriority is the priority of functions without a section of their own.
const lastPriority = 65535

// structors writes the addresses of functions that run before or after the
// program, by priority, into the sections that amdgcn.device.init and
// amdgcn.device.fini read.
func (w *dataWriter) structors(g *ir.Global) error {
	m := w.m
	if m.ConstKindOf(g.Init) != ir.ConstAggregate {
		return nil
	}
	list := slices.Clone(m.ConstOperands(g.Init))
	priority := func(v ir.Value) uint64 { n, _ := m.IntValue(m.Element(v, 0)); return n }
	slices.SortStableFunc(list, func(x, y ir.Value) int { return cmp.Compare(priority(x), priority(y)) })
	x := structorSections.Get()[g.Name()]
	for _, v := range list {
		f := m.Element(v, 1)
		if m.IsZero(f) {
			continue
		}
		w.data, w.relocs = nil, nil
		if w.constant(f); w.err != nil {
			return w.err
		}
		name := x.name
		if n := priority(v); n != lastPriority {
			name = fmt.Sprintf("%s.%d", name, n)
		}
		sec := w.p.section(name, x.typ, codeobject.SHF_ALLOC|codeobject.SHF_WRITE, 0)
		c := w.p.placeChunk(sec, chunk{kind: chunkData, align: 8}, w.data, 0)
		w.relocate(sec, c)
	}
	return nil
}

// relocate adds the relocations of a placed chunk.
func (w *dataWriter) relocate(sec int, c *chunk) {
	from := c.from
	for _, r := range w.relocs {
		r.offset += from
		r.symbol = w.p.global(r.of)
		if r.from != nil {
			w.between = append(w.between, betweenReloc{w.g, r.of, r.from, sec, len(w.p.sections[sec].relocs)})
		}
		w.p.sections[sec].relocs = append(w.p.sections[sec].relocs, r.reloc)
	}
}

// settleDistance writes the distance between two globals of the relocation's
// section. If only the second one is there, the relocation becomes one for the
// distance from its own place.
func (w *dataWriter) settleDistance(b betweenReloc) error {
	w.g = b.variable
	of, okOf := w.offsetIn(b.section, b.of)
	from, ok := w.offsetIn(b.section, b.from)
	if !ok {
		return w.errorf("the initializer has a distance from @%s, which is not at a known place in the variable's section", b.from.Name())
	}
	s := w.p.sections[b.section]
	r := &s.relocs[b.index]
	if !okOf {
		r.addend += int64(r.offset - from)
		return nil
	}
	binary.LittleEndian.PutUint32(s.data[r.offset:], uint32(int64(of-from)+r.addend))
	if r.typ == codeobject.R_AMDGPU_REL64 {
		binary.LittleEndian.PutUint64(s.data[r.offset:], uint64(int64(of-from)+r.addend))
	}
	r.typ = codeobject.R_AMDGPU_NONE
	return nil
}

// offsetIn returns the offset of a global in a section, if it is defined there
// and no other definition can replace it.
func (w *dataWriter) offsetIn(sec int, g *ir.Global) (uint64, bool) {
	s := w.p.symbols[w.p.symbolOf(symbolName(g))]
	return s.value, s.section == sec && !g.Linkage.IsInterposable()
}

// dropSettled removes the relocations whose values are written.
func (w *dataWriter) dropSettled() {
	dropped := map[int]bool{} // sections
	for _, b := range w.between {
		if dropped[b.section] {
			continue
		}
		dropped[b.section] = true
		s := w.p.sections[b.section]
		s.relocs = slices.DeleteFunc(s.relocs, func(r reloc) bool { return r.typ == codeobject.R_AMDGPU_NONE })
	}
}

// local records an LDS variable that the linker places.
func (w *dataWriter) local(g *ir.Global) error {
	if _, ok := w.p.byName[symbolName(g)]; !ok {
		return nil // placed by the passes
	}
	sym := w.p.global(g)
	s := w.p.symbols[sym]
	s.typ, s.special, s.value, s.size = codeobject.STT_OBJECT, codeobject.SHN_AMDGPU_LDS, w.align(g), w.m.AllocSize(g.Type)
	w.p.chunks = append(w.p.chunks, chunk{kind: chunkCommon, symbol: sym, align: s.value})
	return nil
}

func (w *dataWriter) align(g *ir.Global) uint64 {
	if g.Align != 0 {
		return uint64(g.Align)
	}
	return uint64(w.m.ABIAlign(g.Type))
}

// section returns the section of a variable.
func (w *dataWriter) section(g *ir.Global) int {
	const alloc, write = codeobject.SHF_ALLOC, codeobject.SHF_WRITE
	readOnly := g.Constant || g.AddrSpace == addrspace.Constant || g.AddrSpace == addrspace.Constant32
	flags := alloc
	if !readOnly || len(w.relocs) > 0 {
		flags |= write
	}
	switch {
	case g.Section != "":
		return w.p.section(g.Section, codeobject.SHT_PROGBITS, flags, 0)
	case readOnly && len(w.relocs) > 0:
		return w.p.section(".data.rel.ro", codeobject.SHT_PROGBITS, flags, 0)
	case readOnly:
		return w.p.section(".rodata", codeobject.SHT_PROGBITS, flags, 0)
	case len(w.relocs) == 0 && allZero(w.data):
		return w.p.section(".bss", codeobject.SHT_NOBITS, flags, 0)
	}
	return w.p.section(".data", codeobject.SHT_PROGBITS, flags, 0)
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

func (w *dataWriter) zeros(n uint64) { w.data = append(w.data, make([]byte, n)...) }

// fail records the first error.
func (w *dataWriter) fail(format string, args ...any) {
	if w.err == nil {
		w.err = w.errorf(format, args...)
	}
}

// constant appends the bytes of a constant in memory, without padding.
func (w *dataWriter) constant(v ir.Value) {
	m := w.m
	t := m.TypeOfConst(v)
	store := m.StoreSize(t)
	switch m.ConstKindOf(v) {
	case ir.ConstZero, ir.ConstUndef, ir.ConstPoison:
		w.zeros(m.AllocSize(t))
		return
	case ir.ConstInt, ir.ConstFloat:
		c := m.Const(v)
		w.data = append(w.data, binary.LittleEndian.AppendUint64(nil, c.Bits())[:store]...)
	case ir.ConstWide:
		var words []byte
		for _, x := range m.Words(v) {
			words = binary.LittleEndian.AppendUint64(words, x)
		}
		words = append(words, make([]byte, 8)...)
		w.data = append(w.data, words[:store]...)
	case ir.ConstData:
		w.data = append(w.data, m.ConstBytes(v)...)
		return
	case ir.ConstAggregate:
		w.aggregate(v, t)
		return
	default:
		w.address(v, store)
	}
}

// aggregate appends the elements of an array, vector or struct.
func (w *dataWriter) aggregate(v ir.Value, t ir.Type) {
	m := w.m
	base := uint64(len(w.data))
	elems := m.ConstOperands(v)
	if m.IsVector(t) && m.SizeInBits(m.ElementType(t, 0))%8 != 0 {
		w.packed(elems, t)
		return
	}
	for i, e := range elems {
		off := uint64(i) * m.AllocSize(m.TypeOfConst(e))
		switch {
		case m.Kind(t) == ir.KindStruct:
			off = m.FieldOffset(t, i)
		case m.IsVector(t):
			off = uint64(i) * m.StoreSize(m.TypeOfConst(e))
		}
		w.zeros(base + off - uint64(len(w.data)))
		w.constant(e)
	}
	if size := m.AllocSize(t); uint64(len(w.data))-base < size {
		w.zeros(base + size - uint64(len(w.data)))
	}
}

// packed appends a vector whose elements are not whole bytes, bit by bit.
func (w *dataWriter) packed(elems []ir.Value, t ir.Type) {
	m := w.m
	bits := uint64(m.SizeInBits(m.ElementType(t, 0)))
	out := make([]byte, m.AllocSize(t))
	for i, e := range elems {
		x, ok := m.IntValue(e)
		if !ok && m.ConstKindOf(e) != ir.ConstUndef && m.ConstKindOf(e) != ir.ConstPoison {
			w.fail("a vector of %d-bit integers with other elements than numbers is not supported", bits)
			return
		}
		for k := range bits {
			at := uint64(i)*bits + k
			out[at/8] |= byte(x>>k&1) << (at % 8)
		}
	}
	w.data = append(w.data, out...)
}

// address appends a constant expression: a number, or the address of a global
// plus a number.
func (w *dataWriter) address(v ir.Value, size uint64) {
	if w.distance(v, size) {
		return
	}
	a, ok := addressOf(w.m, v)
	if !ok {
		w.fail("the initializer has an expression that is not supported: %s", describeConst(w.m, v))
		return
	}
	if a.global == nil && size <= 8 {
		w.data = append(w.data, binary.LittleEndian.AppendUint64(nil, uint64(a.offset))[:size]...)
		return
	}
	types := map[uint64]codeobject.RelocType{8: codeobject.R_AMDGPU_ABS64, 4: codeobject.R_AMDGPU_ABS32}
	if types[size] == 0 {
		w.fail("an address in %d bytes is not supported", size)
		return
	}
	w.relocs = append(w.relocs, dataReloc{reloc: reloc{offset: uint64(len(w.data)), typ: types[size], addend: a.offset}, of: a.global})
	w.zeros(size)
}

// distance appends the distance of a global from the variable itself or from
// another one, if v is one.
func (w *dataWriter) distance(v ir.Value, size uint64) bool {
	types := map[uint64]codeobject.RelocType{8: codeobject.R_AMDGPU_REL64, 4: codeobject.R_AMDGPU_REL32}
	to, from, ok := differenceOf(w.m, v)
	if !ok || types[size] == 0 {
		return false
	}
	at := uint64(len(w.data))
	r := dataReloc{reloc: reloc{offset: at, typ: types[size], addend: to.offset - from.offset}, of: to.global, from: from.global}
	if from.global == w.g {
		r.addend, r.from = r.addend+int64(at), nil
	}
	w.relocs = append(w.relocs, r)
	w.zeros(size)
	return true
}
