package link

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// outSection is a section of the output.
type outSection struct {
	name     string
	nameOff  uint32 // offset in .shstrtab
	typ      co.SectionType
	flags    uint32
	link     uint32
	info     uint32
	align    uint64
	entsize  uint32
	addr     uint64
	off      uint64
	size     uint64
	rank     uint32
	index    uint32 // index in the section header table
	inputs   []secID
	merged   []int32 // indices in synthetics.merged
	relro    bool
	first    bool // first section of its segment
	segment  int  // index in linker.segs of its PT_LOAD, -1 for none
	relocFor int  // -r: index in linker.outs of the section that it relocates, -1 for none
	data     []byte
}

// placeSections assigns the live sections to output sections by name, and
// merges mergeable sections.
func (l *linker) placeSections() {
	byName := map[string]int32{}
	place := func(name string) int32 {
		if i, ok := byName[name]; ok {
			return i
		}
		i := int32(len(l.outs))
		byName[name] = i
		l.outs = append(l.outs, &outSection{name: name, typ: co.SHT_PROGBITS, align: 1, segment: -1, relocFor: -1})
		return i
	}
	byInput := map[string]int32{} // output sections by input section name
	for _, id := range l.order {
		s := &l.secs[id]
		if !s.live {
			continue
		}
		name := l.bytes(s.name)
		at, ok := byInput[string(name)]
		if !ok {
			at = place(outputName(name))
			byInput[string(name)] = at
		}
		s.out = at
		if s.kind == secMerge {
			l.mergeInto(l.outs[at], id)
			continue
		}
		l.outs[at].inputs = append(l.outs[at].inputs, id)
	}
	for i := range l.synth.merged {
		l.merge(&l.synth.merged[i])
	}
	for i, out := range l.outs {
		for _, id := range out.inputs {
			l.secs[id].out = int32(i)
		}
		if out.name == ".init_array" || out.name == ".fini_array" {
			slices.SortStableFunc(out.inputs, func(a, b secID) int { return cmp.Compare(l.priority(a), l.priority(b)) })
		}
		l.commit(out)
	}
	l.defineSectionSymbols(byName)
}

// lastPriority is the priority of sections whose name does not end in a number.
const lastPriority = 65536

// priority returns the number at the end of a section's name, which orders the
// functions that run before or after the program.
func (l *linker) priority(id secID) int {
	name := string(l.bytes(l.secs[id].name))
	if n, err := strconv.Atoi(name[strings.LastIndexByte(name, '.')+1:]); err == nil && n >= 0 {
		return n
	}
	return lastPriority
}

// commit derives an output section's type, flags and alignment from its inputs.
func (l *linker) commit(out *outSection) {
	for k, id := range out.inputs {
		s := &l.secs[id]
		if k == 0 {
			out.typ, out.entsize, out.flags = s.typ, s.entsize, s.flags
		}
		if s.typ != out.typ {
			if !becomesProgbits(s.typ) || !becomesProgbits(out.typ) {
				l.errs.errorf("%s: section type %#x is incompatible with the type %#x of output section %s", l.placeIn(s, 0), s.typ, out.typ, out.name)
			}
			out.typ = co.SHT_PROGBITS
		}
		if (s.flags^out.flags)&shfTLS != 0 {
			l.errs.errorf("%s: section flags %#x are incompatible with the flags %#x of output section %s", l.placeIn(s, 0), s.flags, out.flags, out.name)
		}
		out.flags |= s.flags
		out.align = max(out.align, uint64(s.align))
		if s.entsize != out.entsize {
			out.entsize = 0
		}
	}
}

// becomesProgbits reports whether sections of a type may be part of an
// SHT_PROGBITS section.
func becomesProgbits(t co.SectionType) bool {
	switch t {
	case co.SHT_PROGBITS, co.SHT_NOBITS, co.SHT_NOTE, co.SHT_INIT_ARRAY, co.SHT_FINI_ARRAY, co.SHT_PREINIT_ARRAY:
		return true
	}
	return false
}

// Ranks order the output sections: read-only, executable, writable ones that a
// loader may protect, other writable ones, and sections that are not loaded.
// Within a rank, sections without contents are last.
const (
	rankNotAlloc  = 1 << 26
	rankWrite     = 1 << 14
	rankExecWrite = 1 << 13
	rankExec      = 1 << 12
	rankRodata    = 1 << 11
	rankLarge     = 1 << 9
	rankNotRelro  = 1 << 8
	rankNotTLS    = 1 << 7
	rankNobits    = 1 << 6
	rankNote      = 2
	rankTables    = 3 // read-only, neither notes nor SHT_PROGBITS
)

// rankOf returns a section's rank and whether a loader may protect it after
// relocation.
func rankOf(o *outSection) (rank uint32, relro bool) {
	write, exec := o.flags&shfWrite != 0, o.flags&shfExec != 0
	switch {
	case o.flags&shfAlloc == 0:
		return rankNotAlloc, false
	case !write && !exec:
		rank = rankLarge
		switch o.typ {
		case co.SHT_NOTE:
			rank |= rankNote
		case co.SHT_PROGBITS:
			rank |= rankRodata
		default:
			rank |= rankTables
		}
	case exec && write:
		rank = rankExecWrite
	case exec:
		rank = rankExec
	default:
		rank = rankWrite
		relro = isRelro(o)
		if o.flags&shfTLS == 0 {
			rank |= rankNotTLS
		}
		if !relro {
			rank |= rankNotRelro
		}
	}
	if o.typ == co.SHT_NOBITS {
		rank |= rankNobits
	}
	return rank, relro
}

// relroNames lists the writable sections that are only written during
// relocation.
var relroNames = []string{".got", ".relro_padding", ".dynamic", ".data.rel.ro", ".bss.rel.ro", ".toc", ".ctors", ".dtors", ".jcr",
	".eh_frame", ".init_array", ".fini_array", ".preinit_array"}

func isRelro(o *outSection) bool {
	switch o.typ {
	case co.SHT_INIT_ARRAY, co.SHT_FINI_ARRAY, co.SHT_PREINIT_ARRAY:
		return true
	}
	return o.flags&shfTLS != 0 || slices.Contains(relroNames, o.name)
}

// sortSections removes the linker's own unneeded sections and sorts the output
// sections.
func (l *linker) sortSections() {
	order := make([]int32, 0, len(l.outs))
	for i, out := range l.outs {
		out.inputs = slices.DeleteFunc(out.inputs, func(id secID) bool { return l.unneeded(id) })
		if len(out.inputs) > 0 {
			order = append(order, int32(i))
		}
		out.rank, out.relro = rankOf(out)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return int(l.outs[a].rank) - int(l.outs[b].rank) })
	to := make([]int32, len(l.outs))
	for i := range to {
		to[i] = -1
	}
	sorted := make([]*outSection, len(order))
	for i, old := range order {
		sorted[i] = l.outs[old]
		sorted[i].index = uint32(i + 1)
		to[old] = int32(i)
	}
	l.outs = sorted
	for i := range l.secs {
		if s := &l.secs[i]; s.out >= 0 {
			s.out = to[s.out]
		}
	}
	for i := range l.syms {
		if s := &l.syms[i]; s.kind == symDefined && s.sec == atOutput && s.out >= 0 {
			s.out = to[s.out]
		}
	}
	if len(l.outs) >= shnLoReserve-1 {
		l.errs.errorf("%d output sections, more than %d", len(l.outs), shnLoReserve-2)
	}
}
