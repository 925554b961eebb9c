package hsa

import (
	"cmp"
	"debug/dwarf"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// sourceLine is the source location of the code starting at an address.
type sourceLine struct {
	addr uint64 // address in the object
	file string // "" past the end of a sequence
	line int
}

// liner returns the function that maps addresses in the region to source lines,
// or nil without debug information. The information is read on first use.
func (l *loader) liner() func(uint64) (string, int) {
	if s := l.o.Section(".debug_line"); s == nil || len(s.Data) == 0 {
		return nil
	}
	o, delta := l.o, l.delta
	lines := sync.OnceValue(func() []sourceLine { return sourceLines(o) })
	return func(addr uint64) (string, int) {
		list := lines()
		i, _ := slices.BinarySearchFunc(list, addr-delta, func(s sourceLine, a uint64) int {
			if s.addr <= a {
				return -1
			}
			return 1
		})
		if i == 0 {
			return "", 0
		}
		return list[i-1].file, list[i-1].line
	}
}

// sourceLines returns the line tables of an object, sorted by address.
// Unreadable parts are omitted.
func sourceLines(o *codeobject.Object) (list []sourceLine) {
	section := func(name string) []byte {
		s := o.Section(name)
		if s == nil || s.Flags&codeobject.SHF_COMPRESSED != 0 {
			return nil
		}
		return s.Data
	}
	if info := section(".debug_info"); len(info) < 6 || info[5] != 0 { // debug/dwarf would treat it as big-endian
		return nil
	}
	lines := section(".debug_line")
	d, err := dwarf.New(section(".debug_abbrev"), nil, nil, section(".debug_info"), lines, nil, section(".debug_ranges"), section(".debug_str"))
	if err != nil {
		return nil
	}
	for _, name := range []string{".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists"} {
		if b := section(name); b != nil && d.AddSection(name, b) != nil {
			return nil
		}
	}
	tables := map[int64]bool{}
	for r, last := d.Reader(), -1; ; r.SkipChildren() {
		e, err := r.Next()
		if e == nil || err != nil || int(e.Offset) <= last { // sibling references of malformed entries may point backwards
			break
		}
		last = int(e.Offset)
		if at, ok := e.Val(dwarf.AttrStmtList).(int64); ok && e.Tag == dwarf.TagCompileUnit && !tables[at] && plausible(lines, at) {
			tables[at] = true
			list = append(list, unitLines(d, e)...)
		}
	}
	slices.SortStableFunc(list, compareLines)
	return list
}

// compareLines compares by address. The end of a sequence precedes the start of
// another, so that the last entry for an address applies.
func compareLines(a, b sourceLine) int {
	if a.addr == b.addr && (a.file == "") != (b.file == "") {
		if a.file == "" {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.addr, b.addr)
}

// unitLines reads the line table of a compilation unit. Rows without a line
// (line 0) are merged into the previous row.
func unitLines(d *dwarf.Data, e *dwarf.Entry) (list []sourceLine) {
	defer func() {
		if recover() != nil { // debug/dwarf may index files with negative numbers
			list = nil
		}
	}()
	r, err := d.LineReader(e)
	if r == nil || err != nil {
		return nil
	}
	for {
		var row dwarf.LineEntry
		if err := r.Next(&row); err != nil {
			if err != io.EOF {
				return nil
			}
			return list
		}
		s := sourceLine{addr: row.Address, line: row.Line}
		switch {
		case row.EndSequence:
			s.line = 0
		case row.File == nil || row.Line == 0:
			continue
		default:
			s.file = fileName(e, row.File.Name)
		}
		if n := len(list); n > 0 && list[n-1].addr == s.addr {
			list = list[:n-1]
		}
		list = append(list, s)
	}
}

// fileName returns the path of a file in a unit's line table. For DWARF 5, Go's
// reader prepends the unit's directory even if the source name is absolute.
func fileName(e *dwarf.Entry, name string) string {
	source, _ := e.Val(dwarf.AttrName).(string)
	folder, _ := e.Val(dwarf.AttrCompDir).(string)
	if path.IsAbs(source) && name == path.Join(folder, source) {
		name = source
	}
	return path.Clean(strings.ReplaceAll(name, `\`, "/"))
}
