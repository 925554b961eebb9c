package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// memory is the access that the name of a load, store or atomic specifies, with
// the fields of isa.Memory.
type memory struct {
	space, access       string
	bytes, comps, count int
	flags               []string
}

// elements maps the names of element types, old and new, to their sizes in
// bytes; signed ones are in signedElements.
var elements = map[string]int{
	"byte": 1, "ubyte": 1, "sbyte": 1, "b8": 1, "u8": 1, "i8": 1,
	"short": 2, "ushort": 2, "sshort": 2, "b16": 2, "u16": 2, "i16": 2,
	"dword": 4, "b32": 4, "b64": 8, "b96": 12, "b128": 16, "b256": 32, "b512": 64,
}

var signedElements = []string{"sbyte", "i8", "sshort", "i16"}

// spaces lists the prefixes of names with package isa's constants. Longer
// prefixes precede their own prefixes.
var spaces = []struct{ prefix, name string }{
	{"s_buffer_", "ScalarBuffer"}, {"s_scratch_", "ScalarScratch"}, {"s_", "Scalar"}, {"flat_", "Flat"}, {"global_", "Global"},
	{"scratch_", "Scratch"}, {"buffer_", "Buffer"}, {"tbuffer_", "TBuffer"}, {"image_", "Image"}, {"ds_", "LDS"},
}

// ldsVerbs lists the starts of the names of LDS reads and writes, with the
// number of addresses. Longer ones precede their own prefixes.
var ldsVerbs = []struct {
	prefix, access string
	count          int
	flag           string
}{
	{"read2st64_", "Load", 2, "Stride64"}, {"read2_", "Load", 2, ""}, {"read_", "Load", 1, ""},
	{"load_2addr_stride64_", "Load", 2, "Stride64"}, {"load_2addr_", "Load", 2, ""}, {"load_", "Load", 1, ""},
	{"write2st64_", "Store", 2, "Stride64"}, {"write2_", "Store", 2, ""}, {"write_", "Store", 1, ""},
	{"store_2addr_stride64_", "Store", 2, "Stride64"}, {"store_2addr_", "Store", 2, ""}, {"store_", "Store", 1, ""},
}

// memoryOf parses a name such as global_load_d16_hi_u8, ds_read2_b32 or
// tbuffer_store_format_d16_xy. ok is false for an instruction that is not a
// load, store or atomic, or that transforms its data.
func memoryOf(name string) (m memory, ok bool) {
	i := slices.IndexFunc(spaces, func(s struct{ prefix, name string }) bool { return strings.HasPrefix(name, s.prefix) })
	if i < 0 {
		return m, false
	}
	m.space = spaces[i].name
	rest := strings.TrimPrefix(name, spaces[i].prefix)
	if m.space == "LDS" {
		return m, m.lds(rest)
	}
	verb, rest, _ := strings.Cut(rest, "_")
	switch {
	case verb == "atomic":
		m.access = "Atomic"
		if strings.HasPrefix(rest, "f") || strings.Contains(rest, "_f") {
			m.flag("Float")
		}
		return m, true
	case m.space == "Image", verb != "load" && verb != "store":
		return m, false
	}
	m.access = strings.ToUpper(verb[:1]) + verb[1:]
	return m, m.words(rest)
}

// lds parses the name of an LDS read or write without its prefix.
func (m *memory) lds(name string) bool {
	for _, v := range ldsVerbs {
		if rest, ok := strings.CutPrefix(name, v.prefix); ok {
			m.access, m.count = v.access, v.count
			if v.flag != "" {
				m.flag(v.flag)
			}
			return m.words(rest)
		}
	}
	return false
}

// words parses the words of a name after the verb. It reports whether it knows
// all of them and they specify a size or a number of components.
func (m *memory) words(text string) bool {
	for word := range strings.SplitSeq(text, "_") {
		if !m.word(word) {
			return false
		}
	}
	return m.bytes > 0 || m.comps > 0
}

// wordFlags maps words to fields of isa.Memory.
var wordFlags = map[string]string{"d16": "D16", "hi": "Hi", "addtid": "AddTID", "format": "Format"}

func (m *memory) word(word string) bool {
	count, isCount := strings.CutPrefix(word, "dwordx")
	switch {
	case elements[word] != 0:
		m.bytes = elements[word]
		if slices.Contains(signedElements, word) {
			m.flag("Signed")
		}
	case isCount:
		n, err := strconv.Atoi(count)
		m.bytes = n * 4
		return err == nil && n <= 16
	case wordFlags[word] != "":
		m.flag(wordFlags[word])
	case strings.HasPrefix("xyzw", word):
		m.comps = len(word)
	default:
		return word == "lds" || word == "monitor"
	}
	return true
}

func (m *memory) flag(name string) { m.flags = append(m.flags, name) }

// writeMemory writes the accesses of memory instructions, which their names
// specify.
func (t *table) writeMemory(b *bytes.Buffer) {
	b.WriteString("// opMemory holds the accesses of loads, stores and atomics.\nvar opMemory = [numOp]Memory{\n")
	last := ""
	for _, r := range t.rows {
		m, ok := memoryOf(r.name)
		if !ok || r.name == last {
			continue
		}
		last = r.name
		fmt.Fprintf(b, "%s: {Space: Space%s, Access: Access%s", goName("op", "_"+r.name), m.space, m.access)
		for _, f := range []struct {
			name string
			n    int
		}{{"Bytes", m.bytes}, {"Comps", m.comps}, {"Count", m.count}} {
			if f.n != 0 {
				fmt.Fprintf(b, ", %s: %d", f.name, f.n)
			}
		}
		for _, f := range m.flags {
			fmt.Fprintf(b, ", %s: true", f)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n\n")
}

// basePrefixes maps the starts of names to the start of the name of the
// instruction that it performs.
var basePrefixes = []struct{ of, base string }{{"v_dual_", "v_"}, {"v_cmpx_", "v_cmp_"}}

// writeBases writes the instructions that halves of pairs and comparisons that
// write EXEC perform.
func (t *table) writeBases(b *bytes.Buffer) {
	names := map[string]bool{}
	for _, r := range t.rows {
		names[r.name] = true
	}
	b.WriteString("// opBases holds, for an instruction that is a form of another one, that one.\nvar opBases = [numOp]Op{\n")
	last := ""
	for _, r := range t.rows {
		for _, p := range basePrefixes {
			rest, ok := strings.CutPrefix(r.name, p.of)
			if ok && r.name != last && names[p.base+rest] {
				fmt.Fprintf(b, "%s: %s,\n", goName("op", "_"+r.name), goName("op", "_"+p.base+rest))
				last = r.name
			}
		}
	}
	b.WriteString("}\n\n")
}
