package compile

import (
	"fmt"
	"slices"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// atomics writes the list of atomic accesses for the simulator's race check. A
// program without atomic and volatile accesses has none.
func (p *program) atomics(c *compiled) {
	if c.t.Triple.OS != target.AMDHSA || !slices.ContainsFunc(c.fns, (*function).hasAtomics) {
		return
	}
	sec := p.section(codeobject.AtomicsSection, codeobject.SHT_PROGBITS, 0, 0)
	n := 0
	for _, x := range p.chunks {
		if x.kind != chunkFunction {
			continue
		}
		f := codeobject.AtomicFunction{Size: uint32(len(x.fn.code)), Marks: x.fn.marks}
		at := p.placeChunk(sec, chunk{kind: chunkData, align: 1}, f.Append(nil), 0).from
		p.sections[sec].relocs = append(p.sections[sec].relocs, reloc{offset: at, typ: codeobject.R_AMDGPU_ABS64, symbol: p.begin(&x, n)})
		n++
	}
}

// hasAtomics reports whether a function has atomic accesses. Fences alone order
// nothing.
func (fn *function) hasAtomics() bool {
	return slices.ContainsFunc(fn.marks, func(m codeobject.AtomicMark) bool { return m.Kind != codeobject.AtomicFence })
}

// begin returns the label of a function's code, which the linker does not replace
// by another definition as it may replace the function's symbol.
func (p *program) begin(c *chunk, number int) int {
	s := p.symbols[c.symbol]
	n := len(p.symbols)
	c.fn.begin = fmt.Sprintf("%sfunc_begin%d", privatePrefix, number)
	p.symbols = append(p.symbols, &symbol{name: c.fn.begin, bind: codeobject.STB_LOCAL, section: c.section, value: s.value + s.size - uint64(len(c.fn.code)), private: true})
	return n
}
