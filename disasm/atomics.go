package disasm

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// writeAtomics writes the list of atomic accesses with labels instead of addresses.
// It leaves out a list that it cannot read, and one of functions without symbols.
func writeAtomics(out *outBuffer, o *codeobject.Object, names *names) {
	list, err := o.Atomics()
	if err != nil || len(list) == 0 {
		return
	}
	text := fmt.Appendf(nil, "\t.section\t%q,\"\",@progbits\n", codeobject.AtomicsSection)
	relocs, at := atomicsRelocs(o), uint64(0)
	for i := range list {
		f := &list[i]
		data := f.Append(nil)
		section, addr := codeAt(o, f.Address)
		if o.Type == codeobject.ET_REL {
			section, addr = relocs[at].section, relocs[at].addr
		}
		name := names.functionAt(section, addr)
		if name == "" {
			return
		}
		text = fmt.Appendf(text, "\t.quad %s\n\t.byte", name)
		for k, b := range data[8:] {
			if k > 0 {
				text = append(text, ',')
			}
			text = fmt.Appendf(text, " %#x", b)
		}
		text = append(text, '\n')
		at += uint64(len(data))
	}
	out.buf = append(out.buf, text...)
}

// codePlace is a place in a section of code.
type codePlace struct {
	section int
	addr    uint64
}

// atomicsRelocs returns the places of functions in a relocatable object, by the
// offset of their records.
func atomicsRelocs(o *codeobject.Object) map[uint64]codePlace {
	list := map[uint64]codePlace{}
	for _, s := range o.Sections {
		if s.Type != codeobject.SHT_RELA || int(s.Info) >= len(o.Sections) || o.Sections[s.Info].Name != codeobject.AtomicsSection {
			continue
		}
		for _, r := range s.Relocs {
			if i := int(r.Symbol) - 1; i >= 0 && i < len(o.Symbols) && r.Type == codeobject.R_AMDGPU_ABS64 {
				list[r.Offset] = codePlace{int(o.Symbols[i].Section), o.Symbols[i].Value + uint64(r.Addend)}
			}
		}
	}
	return list
}

// codeAt returns the section of code that contains an address of a linked object.
func codeAt(o *codeobject.Object, addr uint64) (section int, at uint64) {
	i := slices.IndexFunc(o.Sections, func(s *codeobject.Section) bool {
		return s.Flags&codeobject.SHF_EXECINSTR != 0 && addr >= s.Addr && addr-s.Addr < s.Size
	})
	return i, addr
}

// functionAt returns the label of a symbol at an address, "" for none.
func (n *names) functionAt(section int, addr uint64) string {
	list := n.labels(section)
	i, found := slices.BinarySearchFunc(list, addr, func(l label, addr uint64) int { return cmp.Compare(l.addr, addr) })
	if !found || !list[i].symbol {
		return ""
	}
	return list[i].name
}
