package ir

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// DataLayout is a parsed data layout string (LangRef, "Data Layout").
// Alignments are in bytes, widths in bits.
type DataLayout struct {
	Text      string // original text
	BigEndian bool   // "E"
	Mangling  byte   // letter after "m:", or 0

	StackAlign       uint32   // natural stack alignment, 0 if unspecified
	AllocaAddrSpace  uint32   // address space of allocas: "A"
	ProgramAddrSpace uint32   // address space of functions: "P"
	GlobalAddrSpace  uint32   // default address space of variables: "G"
	LegalInts        []uint32 // native integer widths
	FuncPtrAlign     uint32   // "F", 0 if unspecified
	FuncPtrMultiple  bool     // "Fn": a multiple of the function's alignment

	ints, floats, vectors []alignSpec   // sorted by width
	ptrs                  []PointerSpec // sorted by address space; the first is for address space 0
	aggABI, aggPref       uint32
}

type alignSpec struct{ bits, abi, pref uint32 }

// PointerSpec describes how pointers of an address space are stored.
type PointerSpec struct {
	AddrSpace   uint32 // address space
	Bits        uint32 // width of the representation
	ABI, Pref   uint32 // alignments in bytes
	IndexBits   uint32 // width of getelementptr offsets
	NonIntegral bool   // the representation is not an integer address: "ni"
}

// defaultLayout returns the layout of an empty string.
func defaultLayout() DataLayout {
	return DataLayout{
		ints:    []alignSpec{{1, 1, 1}, {8, 1, 1}, {16, 2, 2}, {32, 4, 4}, {64, 4, 8}},
		floats:  []alignSpec{{16, 2, 2}, {32, 4, 4}, {64, 8, 8}, {128, 16, 16}},
		vectors: []alignSpec{{64, 8, 8}, {128, 16, 16}},
		ptrs:    []PointerSpec{{AddrSpace: 0, Bits: 64, ABI: 8, Pref: 8, IndexBits: 64}},
		aggABI:  1, aggPref: 8,
	}
}

// ParseDataLayout parses a data layout string.
func ParseDataLayout(text string) (*DataLayout, error) {
	dl := defaultLayout()
	dl.Text = text
	if text == "" {
		return &dl, nil
	}
	var nonIntegral []uint32
	for spec := range strings.SplitSeq(text, "-") {
		if rest, ok := strings.CutPrefix(spec, "ni"); ok {
			spaces, err := parseNonIntegral(rest)
			if err != nil {
				return nil, err
			}
			nonIntegral = append(nonIntegral, spaces...)
			continue
		}
		if err := dl.parseSpec(spec); err != nil {
			return nil, err
		}
	}
	for _, as := range nonIntegral {
		p := *dl.Pointer(as)
		p.AddrSpace, p.NonIntegral = as, true
		dl.setPointer(p)
	}
	return &dl, nil
}

// layoutSpecs lists the parsers of specifications by first letter, which is not
// part of their input.
var layoutSpecs = [...]struct {
	letter byte
	parse  func(dl *DataLayout, s string) error
}{
	{'e', func(dl *DataLayout, s string) error { return dl.setEndian(s, false) }},
	{'E', func(dl *DataLayout, s string) error { return dl.setEndian(s, true) }},
	{'m', (*DataLayout).parseMangling},
	{'p', (*DataLayout).parsePointer},
	{'i', (*DataLayout).parseInt},
	{'f', func(dl *DataLayout, s string) error { return parseAligned(&dl.floats, s) }},
	{'v', func(dl *DataLayout, s string) error { return parseAligned(&dl.vectors, s) }},
	{'a', (*DataLayout).parseAggregate},
	{'n', (*DataLayout).parseNative},
	{'S', (*DataLayout).parseStack},
	{'A', func(dl *DataLayout, s string) error { return parseAddrSpace(&dl.AllocaAddrSpace, s) }},
	{'P', func(dl *DataLayout, s string) error { return parseAddrSpace(&dl.ProgramAddrSpace, s) }},
	{'G', func(dl *DataLayout, s string) error { return parseAddrSpace(&dl.GlobalAddrSpace, s) }},
	{'F', (*DataLayout).parseFuncPtr},
	{'s', func(*DataLayout, string) error { return nil }}, // alignment of stack objects before LLVM 3.4, ignored
}

// parseSpec parses one specification.
func (dl *DataLayout) parseSpec(spec string) error {
	if spec == "" {
		return errors.New("empty specification is not allowed")
	}
	for i := range layoutSpecs {
		if layoutSpecs[i].letter == spec[0] {
			return layoutSpecs[i].parse(dl, spec[1:])
		}
	}
	return fmt.Errorf("unknown specifier '%c'", spec[0])
}

func (dl *DataLayout) setEndian(s string, big bool) error {
	if s != "" {
		return errors.New("malformed specification, must be just 'e' or 'E'")
	}
	dl.BigEndian = big
	return nil
}

func (dl *DataLayout) parseMangling(s string) error {
	if len(s) != 2 || s[0] != ':' || !strings.Contains("eloxmwa", s[1:]) {
		return errors.New("unknown mangling mode")
	}
	dl.Mangling = s[1]
	return nil
}

func parseNumber(s, what string, limit uint64) (uint32, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n > limit {
		return 0, fmt.Errorf("%s must be a number below %d", what, limit+1)
	}
	return uint32(n), nil
}

func parseAddrSpace(to *uint32, s string) (err error) {
	*to, err = parseNumber(s, "address space", 1<<24-1)
	return err
}

// parseWidth parses a nonzero size in bits.
func parseWidth(s, what string) (uint32, error) {
	n, err := parseNumber(s, what, 1<<24-1)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s must be a non-zero 24-bit integer", what)
	}
	return n, err
}

// parseAlign parses an alignment in bits and returns it in bytes.
func parseAlign(s, what string, zero bool) (uint32, error) {
	n, err := parseNumber(s, what, 1<<16-1)
	switch {
	case err != nil:
		return 0, err
	case n == 0 && zero:
		return 1, nil
	case n == 0 || n%8 != 0 || n&(n-1) != 0:
		return 0, fmt.Errorf("%s alignment must be a power of two times the byte width", what)
	}
	return n / 8, nil
}

// parseAligns parses the ABI and the preferred alignment.
func parseAligns(parts []string, zero bool) (abi, pref uint32, err error) {
	if abi, err = parseAlign(parts[0], "ABI", zero); err != nil {
		return
	}
	pref = abi
	if len(parts) > 1 {
		if pref, err = parseAlign(parts[1], "preferred", false); err == nil && pref < abi {
			err = errors.New("preferred alignment cannot be less than the ABI alignment")
		}
	}
	return
}

func parseAligned(list *[]alignSpec, s string) error {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return errors.New("malformed specification, must be of the form \"<letter><size>:<abi>[:<pref>]\"")
	}
	bits, err := parseWidth(parts[0], "size")
	if err != nil {
		return err
	}
	abi, pref, err := parseAligns(parts[1:], false)
	if err != nil {
		return err
	}
	i, found := slices.BinarySearchFunc(*list, bits, func(a alignSpec, bits uint32) int { return cmp.Compare(a.bits, bits) })
	if !found {
		*list = slices.Insert(*list, i, alignSpec{})
	}
	(*list)[i] = alignSpec{bits, abi, pref}
	return nil
}

func (dl *DataLayout) parseInt(s string) error {
	if err := parseAligned(&dl.ints, s); err != nil {
		return err
	}
	if i := slices.IndexFunc(dl.ints, func(a alignSpec) bool { return a.bits == 8 }); dl.ints[i].abi != 1 {
		return errors.New("i8 must be 8-bit aligned")
	}
	return nil
}

func (dl *DataLayout) parseAggregate(s string) error {
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 || parts[0] != "" && parts[0] != "0" {
		return errors.New("malformed specification, must be of the form \"a:<abi>[:<pref>]\"")
	}
	var err error
	dl.aggABI, dl.aggPref, err = parseAligns(parts[1:], true)
	return err
}

func (dl *DataLayout) parsePointer(s string) error {
	parts := strings.Split(s, ":")
	if len(parts) < 3 || len(parts) > 5 {
		return errors.New("malformed specification, must be of the form \"p[<n>]:<size>:<abi>[:<pref>[:<idx>]]\"")
	}
	var p PointerSpec
	var err error
	if parts[0] != "" {
		if err = parseAddrSpace(&p.AddrSpace, parts[0]); err != nil {
			return err
		}
	}
	if p.Bits, err = parseWidth(parts[1], "pointer size"); err != nil {
		return err
	}
	if p.ABI, p.Pref, err = parseAligns(parts[2:min(4, len(parts))], false); err != nil {
		return err
	}
	p.IndexBits = p.Bits
	if len(parts) == 5 {
		if p.IndexBits, err = parseWidth(parts[4], "index size"); err != nil {
			return err
		}
		if p.IndexBits > p.Bits {
			return errors.New("index size cannot be larger than the pointer size")
		}
	}
	dl.setPointer(p)
	return nil
}

func (dl *DataLayout) findPointer(as uint32) (int, bool) {
	return slices.BinarySearchFunc(dl.ptrs, as, func(p PointerSpec, as uint32) int { return cmp.Compare(p.AddrSpace, as) })
}

func (dl *DataLayout) setPointer(p PointerSpec) {
	i, found := dl.findPointer(p.AddrSpace)
	if !found {
		dl.ptrs = slices.Insert(dl.ptrs, i, p)
	}
	dl.ptrs[i] = p
}

func (dl *DataLayout) parseNative(s string) error {
	for part := range strings.SplitSeq(s, ":") {
		bits, err := parseWidth(part, "size")
		if err != nil {
			return err
		}
		dl.LegalInts = append(dl.LegalInts, bits)
	}
	return nil
}

func parseNonIntegral(s string) (spaces []uint32, err error) {
	parts := strings.Split(s, ":")
	if parts[0] != "" || len(parts) < 2 {
		return nil, errors.New("malformed specification, must be of the form \"ni:<address space>[:<address space>]...\"")
	}
	for _, part := range parts[1:] {
		var as uint32
		if err := parseAddrSpace(&as, part); err != nil {
			return nil, err
		}
		if as == 0 {
			return nil, errors.New("address space 0 cannot be non-integral")
		}
		spaces = append(spaces, as)
	}
	return spaces, nil
}

func (dl *DataLayout) parseStack(s string) error {
	n, err := parseAlign(s, "stack natural", s == "0")
	if err == nil && s != "0" {
		dl.StackAlign = n
	}
	return err
}

func (dl *DataLayout) parseFuncPtr(s string) error {
	if s == "" || s[0] != 'i' && s[0] != 'n' {
		return errors.New("unknown function pointer alignment type")
	}
	n, err := parseAlign(s[1:], "ABI", false)
	dl.FuncPtrAlign, dl.FuncPtrMultiple = n, s[0] == 'n'
	return err
}

// Pointer returns the pointer specification of an address space.
func (dl *DataLayout) Pointer(addrSpace uint32) *PointerSpec {
	if i, ok := dl.findPointer(addrSpace); ok {
		return &dl.ptrs[i]
	}
	return &dl.ptrs[0]
}

// IsLegalInt reports whether integers of the given width are native.
func (dl *DataLayout) IsLegalInt(bits int) bool { return slices.Contains(dl.LegalInts, uint32(bits)) }

// Same reports whether two layouts are equivalent, regardless of their text.
func (dl *DataLayout) Same(o *DataLayout) bool {
	return dl.BigEndian == o.BigEndian && dl.Mangling == o.Mangling && dl.StackAlign == o.StackAlign &&
		dl.AllocaAddrSpace == o.AllocaAddrSpace && dl.ProgramAddrSpace == o.ProgramAddrSpace && dl.GlobalAddrSpace == o.GlobalAddrSpace &&
		dl.FuncPtrAlign == o.FuncPtrAlign && dl.FuncPtrMultiple == o.FuncPtrMultiple && dl.aggABI == o.aggABI && dl.aggPref == o.aggPref &&
		slices.Equal(dl.LegalInts, o.LegalInts) && slices.Equal(dl.ints, o.ints) && slices.Equal(dl.floats, o.floats) &&
		slices.Equal(dl.vectors, o.vectors) && slices.Equal(dl.ptrs, o.ptrs)
}
