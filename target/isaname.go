package target

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// ISAName is the instruction set name in code object V2: in the note record
// NT_AMD_HSA_ISA_VERSION and as a string, "AMD:AMDGPU:9:0:2" (AMDGPU HSA ABI
// 0.40, "AMDGPU ISA").
type ISAName struct {
	Vendor, Arch           string // "AMD", "AMDGPU"
	Major, Minor, Stepping uint32 // instruction set version, such as 9, 0, 2
}

// String returns the name in the form "AMD:AMDGPU:9:0:2".
func (n ISAName) String() string {
	return fmt.Sprintf("%s:%s:%d:%d:%d", n.Vendor, n.Arch, n.Major, n.Minor, n.Stepping)
}

// ParseISAName parses the form "AMD:AMDGPU:9:0:2".
func ParseISAName(text string) (ISAName, error) {
	r := reader{"ISA name", text}
	var parts [5]string
	var offs [5]int
	rest := text
	for i := range parts {
		offs[i] = len(text) - len(rest)
		part, after, ok := strings.Cut(rest, ":")
		if ok != (i < len(parts)-1) {
			return ISAName{}, r.errorf(0, len(text), "ISA name has %d parts: expected <vendor>:<architecture>:<major>:<minor>:<stepping>, such as \"AMD:AMDGPU:9:0:2\"", strings.Count(text, ":")+1)
		}
		parts[i], rest = part, after
	}
	n := ISAName{Vendor: parts[0], Arch: parts[1]}
	for i, field := range [...]*uint32{&n.Major, &n.Minor, &n.Stepping} {
		part, off := parts[i+2], offs[i+2]
		v, err := strconv.ParseUint(part, 10, 32)
		if err != nil || part != strconv.FormatUint(v, 10) {
			return ISAName{}, r.errorf(off, off+len(part), "expected a decimal number, not %q", part)
		}
		*field = uint32(v)
	}
	return n, nil
}

// v2Row describes an instruction set of code object V2. In V2, the stepping
// encodes the processor and the XNACK setting.
type v2Row struct {
	version   Version
	processor string
	xnack     Setting // Unsupported on processors without XNACK
	legacy    bool    // read, never written
}

// v2Rows lists the processors that V2 supports. Sources: AMDGPU HSA ABI 0.40,
// "AMDGPU ISA"; newest guide, "Code Object V2 Supported Processors and Fixed
// Target Feature Settings".
var v2Rows = [...]v2Row{
	{Version{6, 0, 0}, "gfx600", Unsupported, false},
	{Version{6, 0, 1}, "gfx601", Unsupported, false},
	{Version{6, 0, 2}, "gfx602", Unsupported, false},
	{Version{7, 0, 0}, "gfx700", Unsupported, false},
	{Version{7, 0, 1}, "gfx701", Unsupported, false},
	{Version{7, 0, 2}, "gfx702", Unsupported, false},
	{Version{7, 0, 3}, "gfx703", Unsupported, false},
	{Version{7, 0, 4}, "gfx704", Unsupported, false},
	{Version{7, 0, 5}, "gfx705", Unsupported, false},
	{Version{8, 0, 0}, "gfx802", Unsupported, true},
	{Version{8, 0, 1}, "gfx801", On, false},
	{Version{8, 0, 2}, "gfx802", Unsupported, false},
	{Version{8, 0, 3}, "gfx803", Unsupported, false},
	{Version{8, 0, 4}, "gfx803", Unsupported, true},
	{Version{8, 0, 5}, "gfx805", Unsupported, false},
	{Version{8, 1, 0}, "gfx810", On, false},
	{Version{9, 0, 0}, "gfx900", Off, false},
	{Version{9, 0, 1}, "gfx900", On, false},
	{Version{9, 0, 2}, "gfx902", Off, false},
	{Version{9, 0, 3}, "gfx902", On, false},
	{Version{9, 0, 4}, "gfx904", Off, false},
	{Version{9, 0, 5}, "gfx904", On, false},
	{Version{9, 0, 6}, "gfx906", Off, false},
	{Version{9, 0, 7}, "gfx906", On, false},
	{Version{9, 0, 12}, "gfx90c", Off, false},
}

// v2Row returns the row that represents id.
func (id ID) v2Row() (*v2Row, error) {
	if id.Processor == nil {
		return nil, fmt.Errorf("code object V2 requires a processor")
	}
	known := false
	for i := range v2Rows {
		row := &v2Rows[i]
		if row.processor != id.Processor.Name || row.legacy {
			continue
		}
		known = true
		if row.xnack == Unsupported || row.xnack.OnOrAny() == id.XNACK.OnOrAny() {
			return row, nil
		}
	}
	if !known {
		return nil, fmt.Errorf("code object V2 does not support processor %s", id.Processor.Name)
	}
	return nil, fmt.Errorf("code object V2 does not support processor %s with xnack %s", id.Processor.Name, id.XNACK)
}

// ISAName returns the instruction set name in code object V2, whose stepping
// encodes the XNACK setting; Any counts as On. It returns an error if V2 does
// not support the processor, or supports it only with a different setting.
func (id ID) ISAName() (ISAName, error) {
	row, err := id.v2Row()
	if err != nil {
		return ISAName{}, err
	}
	v := row.version
	return ISAName{"AMD", "AMDGPU", uint32(v.Major), uint32(v.Minor), uint32(v.Stepping)}, nil
}

// ID returns the target ID with that instruction set, for amdhsa. SRAM ECC is
// off on processors that have it.
func (n ISAName) ID() (ID, error) {
	if n.Vendor == "AMD" && n.Arch == "AMDGPU" && max(n.Major, n.Minor, n.Stepping) <= 255 {
		v := Version{uint8(n.Major), uint8(n.Minor), uint8(n.Stepping)}
		for i := range v2Rows {
			if v2Rows[i].version == v {
				return v2Rows[i].id(HSA), nil
			}
		}
	}
	return ID{}, fmt.Errorf("code object V2 does not support the instruction set %s", n)
}

func (row *v2Row) id(t Triple) ID {
	id := NewID(t, Lookup(row.processor))
	id.XNACK = row.xnack
	if id.SRAMECC == Any {
		id.SRAMECC = Off
	}
	return id
}

func (id ID) v2Name() (string, error) {
	row, err := id.v2Row()
	if err != nil {
		return "", err
	}
	return string(row.version.appendName(nil)), nil
}

// idV2 parses the processor of a V2 target ID.
func (r reader) idV2(t Triple, off, end int) (ID, error) {
	name := r.text[off:end]
	for i := range v2Rows {
		if row := &v2Rows[i]; string(row.version.appendName(nil)) == name {
			return row.id(t), nil
		}
	}
	hint := ""
	if Lookup(name) == nil {
		hint = suggest(name, processorNames(AMDGCN))
	}
	return ID{}, r.errorf(off, end, "code object V2 does not support processor %q%s", name, cmp.Or(hint, "; it supports gfx600 to gfx907 and gfx90c"))
}
