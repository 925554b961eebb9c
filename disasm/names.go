package disasm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/isa"
)

// label is a name at an address, as the assembler reads it.
type label struct {
	addr    uint64
	name    string
	symbol  bool // from the symbol table
	used    bool // a branch leads to it
	written bool
}

func sortLabels(list []label) {
	slices.SortStableFunc(list, func(a, b label) int { return compareAddr(a.addr, b.addr) })
}

func compareAddr(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// names assigns the symbols of an object names that an assembler can read, each
// of them once.
type names struct {
	set      isa.Set
	taken    map[string]int // how many symbols have the name
	sections map[codeobject.SectionIndex][]label
	targets  int // how many labels branchTarget has named
}

// newNames names the symbols of an object. A name that another symbol has
// already is followed by a number.
func newNames(o *codeobject.Object, set isa.Set) *names {
	n := &names{set: set, taken: map[string]int{}, sections: map[codeobject.SectionIndex][]label{}}
	symbols := symbolsOf(o)
	for i := range symbols {
		n.taken[symbols[i].Name] = 0
	}
	for i := range symbols {
		s := &symbols[i]
		if s.Section.Reserved() || int(s.Section) >= len(o.Sections) || s.Name == "" || s.Type == codeobject.STT_SECTION || s.Type == codeobject.STT_FILE {
			continue
		}
		l := label{addr: s.Value, name: n.quoted(n.unique(s.Name)), symbol: true}
		if o.Type == codeobject.ET_REL {
			l.addr += o.Sections[s.Section].Addr
		}
		n.sections[s.Section] = append(n.sections[s.Section], l)
	}
	for _, list := range n.sections {
		sortLabels(list)
	}
	return n
}

// unique returns a symbol's name, with a number if another symbol has it already.
func (n *names) unique(name string) string {
	n.taken[name]++
	if n.taken[name] == 1 {
		return name
	}
	for {
		numbered := name + "." + strconv.Itoa(n.taken[name])
		if _, taken := n.taken[numbered]; !taken {
			n.taken[numbered] = 1
			return numbered
		}
		n.taken[name]++
	}
}

// symbolsOf returns the symbol table, or the dynamic one of an object without.
func symbolsOf(o *codeobject.Object) []codeobject.Symbol {
	if len(o.Symbols) > 0 {
		return o.Symbols
	}
	return o.DynSymbols
}

// labels returns the labels of a section's symbols, by address.
func (n *names) labels(section int) []label { return n.sections[codeobject.SectionIndex(section)] }

// branchTarget returns a name for a label that no symbol has.
func (n *names) branchTarget() string {
	for {
		name := "L" + strconv.Itoa(n.targets)
		n.targets++
		if _, taken := n.taken[name]; !taken {
			return name
		}
	}
}

// quoted returns a symbol's name as the assembler reads it: in quotes unless it is
// an identifier and no register. Characters that no quoted name can have are
// written by their codes.
func (n *names) quoted(name string) string {
	if isIdentifier(name) {
		if _, st := isa.RegByName(n.set, []byte(name)); st != isa.Found && !isVector(name) {
			return name
		}
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		if c := name[i]; c == '"' || c == '\\' || c < ' ' {
			b.WriteString("$" + strconv.FormatUint(uint64(c), 16))
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isIdentifier reports whether a name is an identifier of LLVM's assembler.
func isIdentifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c == '_', c == '.', c == '$' && i > 0, c >= '0' && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != "" && name != "."
}

// isVector reports whether a name is that of a vector register, v0 or a0.
func isVector(name string) bool {
	digits := strings.TrimLeft(name[1:], "0123456789")
	return (name[0] == 'v' || name[0] == 'a') && len(name) > 1 && digits == ""
}
