package disasm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/isa"
)

// label is a name at an address, in the assembler's syntax.
type label struct {
	addr    uint64
	name    string
	symbol  bool // from the symbol table
	used    bool // target of a branch
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

// names assigns unique names to the symbols of an object that an assembler can
// read.
type names struct {
	set      isa.Set
	taken    map[string]int // number of symbols with the name
	sections map[codeobject.SectionIndex][]label
	targets  int // number of labels named by branchTarget
}

// newNames names the symbols of an object. It appends a number to a name that
// another symbol already has.
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

// unique returns a symbol's name, with a number if another symbol already has
// the name.
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

// symbolsOf returns the symbol table, or the dynamic one if it does not exist.
func symbolsOf(o *codeobject.Object) []codeobject.Symbol {
	if len(o.Symbols) > 0 {
		return o.Symbols
	}
	return o.DynSymbols
}

// labels returns the labels of a section's symbols, sorted by address.
func (n *names) labels(section int) []label { return n.sections[codeobject.SectionIndex(section)] }

// branchTarget returns a name for a label without a symbol.
func (n *names) branchTarget() string {
	for {
		name := "L" + strconv.Itoa(n.targets)
		n.targets++
		if _, taken := n.taken[name]; !taken {
			return name
		}
	}
}

// quoted returns a symbol's name in the assembler's syntax: in quotes unless it
// is an identifier and not a register. Characters that are not possible in a
// quoted name are replaced by their codes.
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

// isVector reports whether a name is a vector register's, v0 or a0.
func isVector(name string) bool {
	digits := strings.TrimLeft(name[1:], "0123456789")
	return (name[0] == 'v' || name[0] == 'a') && len(name) > 1 && digits == ""
}
