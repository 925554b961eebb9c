package codeobject

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// PALRegister is a pair of PAL's first metadata format: a register's number, or
// from 0x10000000 another key, and its value.
type PALRegister struct {
	Register, Value uint32 // number and contents
}

// ReadPALRegisters reads the description of a note NT_AMD_PAL_METADATA.
func ReadPALRegisters(desc []byte) ([]PALRegister, error) {
	if len(desc)%8 != 0 {
		return nil, formatErrorf(uint64(len(desc)&^7), "PAL metadata of %d bytes, expected pairs of 8", len(desc))
	}
	list := make([]PALRegister, len(desc)/8)
	for i := range list {
		list[i] = PALRegister{binary.LittleEndian.Uint32(desc[8*i:]), binary.LittleEndian.Uint32(desc[8*i+4:])}
	}
	return list, nil
}

// AppendPALRegisters appends the description of a note NT_AMD_PAL_METADATA.
func AppendPALRegisters(b []byte, list []PALRegister) []byte {
	for _, r := range list {
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, r.Register), r.Value)
	}
	return b
}

// MergePALRegisters returns the pairs in LLVM's form: sorted, with the values
// of repeated registers ORed.
func MergePALRegisters(list []PALRegister) []PALRegister {
	sorted := slices.Clone(list)
	slices.SortFunc(sorted, func(a, b PALRegister) int { return cmp.Compare(a.Register, b.Register) })
	out := sorted[:0]
	for _, r := range sorted {
		if n := len(out); n > 0 && out[n-1].Register == r.Register {
			out[n-1].Value |= r.Value
			continue
		}
		out = append(out, r)
	}
	return out
}

// PALRegistersText returns the operands of .amd_amdgpu_pal_metadata:
// "0x2c0a,0x10,0x2c0b,0x0".
func PALRegistersText(list []PALRegister) string {
	var b strings.Builder
	for i, r := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "0x%x,0x%x", r.Register, r.Value)
	}
	return b.String()
}

// palRegisters returns the register map of PAL metadata,
// amdpal.pipelines[0].registers, or nil.
func palRegisters(n *Node) *Node {
	pipelines := n.Get("amdpal.pipelines")
	if pipelines == nil || pipelines.Kind != NodeArray || pipelines.Len() == 0 {
		return nil
	}
	if r := pipelines.Items[0].Get(".registers"); r != nil && r.Kind == NodeMap {
		return r
	}
	return nil
}

// AppendPALYAML appends PAL metadata (the document of a note
// NT_AMDGPU_METADATA) in the form used in assembly: sorted, in hexadecimal,
// with the names of known registers.
func AppendPALYAML(b []byte, n *Node) ([]byte, error) {
	named := n.clone()
	if regs := palRegisters(&named); regs != nil {
		for i := range regs.Len() {
			key, _ := regs.Pair(i)
			if v, ok := key.Uint(); ok && key.Scalar() && PALRegisterName(v) != "" {
				*key = StringNode(key.text(true) + " (" + PALRegisterName(v) + ")")
			}
		}
	}
	named.Sort()
	return named.AppendYAML(b, YAMLOptions{Hex: true})
}

func (n *Node) clone() Node {
	c := *n
	c.Items = slices.Clone(n.Items)
	for i := range c.Items {
		c.Items[i] = c.Items[i].clone()
	}
	return c
}

// ReadPALYAML reads PAL metadata from the form used in assembly. As in LLVM, a
// register's key can have its name after the number, missing parts of the path
// to the register map are added, and all maps are sorted. Errors are of type
// *TextError.
func ReadPALYAML(text string) (Node, error) {
	n, err := ReadYAML(text)
	if err != nil {
		return n, err
	}
	regs, off, problem := addPALRegisters(&n)
	if problem != "" {
		return Node{}, textErrorf(text, off, "%s", problem)
	}
	for i := range regs.Len() {
		key, _ := regs.Pair(i)
		if key.Kind != NodeString {
			continue
		}
		number, ok := leadingNumber(key.Str)
		if !ok {
			return Node{}, textErrorf(text, key.Off, "the key of a register is %q, expected a number", key.Str)
		}
		number.Off = key.Off
		*key = number
	}
	if off := regs.duplicateKey(); off >= 0 {
		return Node{}, textErrorf(text, off, "duplicate register")
	}
	n.Sort()
	return n, nil
}

// addPALRegisters returns the register map, which it adds if it is missing. If
// something else is in its place, problem describes it and off is its offset.
func addPALRegisters(n *Node) (regs *Node, off int, problem string) {
	if n.Kind != NodeMap {
		return nil, n.Off, "PAL metadata are " + n.Kind.String() + ", expected a map"
	}
	if n.Get("amdpal.pipelines") == nil {
		n.Set("amdpal.pipelines", ArrayNode())
	}
	pipelines := n.Get("amdpal.pipelines")
	if pipelines.Kind != NodeArray {
		return nil, pipelines.Off, "amdpal.pipelines is " + pipelines.Kind.String() + ", expected an array"
	}
	if pipelines.Len() == 0 {
		pipelines.Items = append(pipelines.Items, MapNode())
	}
	first := &pipelines.Items[0]
	if first.Kind != NodeMap {
		return nil, first.Off, "amdpal.pipelines[0] is " + first.Kind.String() + ", expected a map"
	}
	if r := first.Get(".registers"); r == nil || r.Kind == NodeArray && r.Len() == 0 {
		first.Set(".registers", MapNode())
	}
	regs = first.Get(".registers")
	if regs.Kind != NodeMap {
		return nil, regs.Off, "amdpal.pipelines[0].registers is " + regs.Kind.String() + ", expected a map"
	}
	return regs, 0, ""
}

// leadingNumber reads the number at the beginning of a text, up to the first
// character that is not one of its digits.
func leadingNumber(s string) (Node, bool) {
	end := len(s)
	for i := range len(s) {
		if c := s[i] | 0x20; (c < '0' || c > '9') && (c < 'a' || c > 'f') && !(i == 1 && (c == 'x' || c == 'o')) {
			end = i
			break
		}
	}
	return intFromText(s[:end])
}
