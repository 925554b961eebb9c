package hsa

import (
	"encoding/binary"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// relocate applies the relocations of loaded sections that the linker left to
// the loader. Source: User Guide for AMDGPU Backend, table "AMDGPU ELF
// Relocation Records".
func (l *loader) relocate() error {
	for _, sec := range l.o.Sections {
		if sec.Flags&codeobject.SHF_ALLOC == 0 || sec.Type != codeobject.SHT_RELA && sec.Type != codeobject.SHT_REL {
			continue
		}
		for i := range sec.Relocs {
			if err := l.applyReloc(sec, &sec.Relocs[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// applyReloc applies one relocation.
func (l *loader) applyReloc(sec *codeobject.Section, r *codeobject.Reloc) error {
	if r.Type == codeobject.R_AMDGPU_NONE {
		return nil
	}
	kind, ok := relocKinds.Get()[r.Type]
	if !ok {
		return l.errorf(StatusErrorInvalidCodeObject, "relocation %s at %#x is not supported by the loader", r.Type, r.Offset)
	}
	mem := l.region.Bytes()
	off := r.Offset - l.first
	if size := uint64(len(mem)); off > size || size-off < uint64(r.Type.Size()) {
		return l.errorf(StatusErrorInvalidCodeObject, "relocation %s at %#x is not in a segment", r.Type, r.Offset)
	}
	v := relocValue{b: l.delta, p: r.Offset + l.delta, a: uint64(r.Addend)}
	if sec.Type == codeobject.SHT_REL {
		addend, _ := r.Type.ImplicitAddend(mem, off)
		v.a = uint64(addend)
	}
	if kind.symbol {
		s, err := l.resolve(sec, r)
		if err != nil {
			return err
		}
		v.s = s
	}
	x := kind.value(&v)
	if r.Type.Size() == 8 {
		binary.LittleEndian.PutUint64(mem[off:], x)
		return nil
	}
	if kind.check && x != uint64(uint32(x)) && x != uint64(int64(int32(x))) {
		return l.errorf(StatusErrorInvalidCodeObject, "relocation %s at %#x: %#x does not fit 32 bits", r.Type, r.Offset, x)
	}
	binary.LittleEndian.PutUint32(mem[off:], uint32(x))
	return nil
}

// relocValue holds the operands of a relocation, named as in the guide.
type relocValue struct{ s, a, p, b uint64 }

type relocKind struct {
	symbol bool // uses S
	check  bool // the value must fit the field
	value  func(v *relocValue) uint64
}

// relocKinds lists the relocations that a loader supports.
var relocKinds = lazy.Value[map[codeobject.RelocType]relocKind]{Make: func() map[codeobject.RelocType]relocKind {
	return map[codeobject.RelocType]relocKind{
		codeobject.R_AMDGPU_ABS32_LO:   {true, false, func(v *relocValue) uint64 { return v.s + v.a }},
		codeobject.R_AMDGPU_ABS32_HI:   {true, false, func(v *relocValue) uint64 { return (v.s + v.a) >> 32 }},
		codeobject.R_AMDGPU_ABS64:      {true, false, func(v *relocValue) uint64 { return v.s + v.a }},
		codeobject.R_AMDGPU_ABS32:      {true, true, func(v *relocValue) uint64 { return v.s + v.a }},
		codeobject.R_AMDGPU_REL32:      {true, true, func(v *relocValue) uint64 { return v.s + v.a - v.p }},
		codeobject.R_AMDGPU_REL64:      {true, false, func(v *relocValue) uint64 { return v.s + v.a - v.p }},
		codeobject.R_AMDGPU_REL32_LO:   {true, false, func(v *relocValue) uint64 { return v.s + v.a - v.p }},
		codeobject.R_AMDGPU_REL32_HI:   {true, false, func(v *relocValue) uint64 { return (v.s + v.a - v.p) >> 32 }},
		codeobject.R_AMDGPU_RELATIVE64: {false, false, func(v *relocValue) uint64 { return v.b + v.a }},
	}
}}

// resolve returns the address of a relocation's symbol: the definition in the
// object, an external definition, or the definition in a previously loaded code
// object, in this order. A weak symbol may be undefined.
func (l *loader) resolve(sec *codeobject.Section, r *codeobject.Reloc) (uint64, error) {
	table := l.o.DynSymbols
	if n := uint64(sec.Link); n < uint64(len(l.o.Sections)) && l.o.Sections[n].Type == codeobject.SHT_SYMTAB {
		table = l.o.Symbols
	}
	if r.Symbol == 0 {
		return 0, nil
	}
	if uint64(r.Symbol) > uint64(len(table)) {
		return 0, l.errorf(StatusErrorInvalidCodeObject, "relocation %s at %#x: invalid symbol index %d", r.Type, r.Offset, r.Symbol)
	}
	s := &table[r.Symbol-1]
	if s.Section != codeobject.SHN_UNDEF {
		return l.address(s), nil
	}
	for _, a := range []*Agent{l.agent, nil} {
		if addr, ok := l.exec.external[externalKey{a, s.Name}]; ok {
			return addr, nil
		}
	}
	if d := l.exec.findSymbol(s.Name, l.agent); d != nil {
		return d.Address, nil
	}
	if s.Bind == codeobject.STB_WEAK {
		return 0, nil
	}
	return 0, l.errorf(StatusErrorVariableUndefined, "undefined symbol: %s", s.Name)
}
