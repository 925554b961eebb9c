package asm

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// palMetadata are the metadata of a pipeline of amdpal: a document, of which the
// older form writes nothing but the registers, as pairs of numbers. They become
// a note when all has been read.
//
// Source: User Guide for AMDGPU Backend, Code Object Metadata for amdpal; LLVM
// 22's AMDGPUPALMetadata.cpp.
type palMetadata struct {
	doc    codeobject.Node
	given  bool
	legacy bool
}

const (
	endPALMetadata = ".end_amdgpu_pal_metadata"
	palPipelines   = "amdpal.pipelines"
	palRegisters   = ".registers"
)

// entry gives the value of a key, made when there is none; a node of another
// kind becomes a map.
func entry(n *codeobject.Node, key string) *codeobject.Node {
	if n.Kind != codeobject.NodeMap {
		*n = codeobject.MapNode()
	}
	if n.Get(key) == nil {
		n.Set(key, codeobject.MapNode())
	}
	return n.Get(key)
}

// registers gives the map of registers, made when there is none.
func (m *palMetadata) registers() *codeobject.Node {
	list := entry(&m.doc, palPipelines)
	if list.Kind != codeobject.NodeArray {
		*list = codeobject.ArrayNode()
	}
	if list.Len() == 0 {
		list.Items = append(list.Items, codeobject.MapNode())
	}
	regs := entry(&list.Items[0], palRegisters)
	if regs.Kind != codeobject.NodeMap {
		*regs = codeobject.MapNode()
	}
	return regs
}

// dirPALDocument is .amdgpu_pal_metadata … .end_amdgpu_pal_metadata. It takes
// the place of what came before.
func (d *dialect) dirPALDocument(start int) {
	n, at, ok := d.document(endPALMetadata)
	if !ok {
		return
	}
	m := &d.pal
	m.doc, m.given, m.legacy = n, true, false
	regs := m.registers()
	numbered := codeobject.MapNode()
	for i := range regs.Len() {
		key, value := regs.Pair(i)
		if key.Kind == codeobject.NodeString { // such as "0x2c0a (SPI_SHADER_PGM_RSRC1_PS)"
			number, _, _ := strings.Cut(key.Str, " ")
			v, err := strconv.ParseUint(number, 0, 64)
			if err != nil {
				d.p.Errorf(at+key.Off, at+key.Off+1, "unrecognized PAL metadata register key '%s', expected a number", printable([]byte(key.Str)))
				continue
			}
			*key = codeobject.UintNode(v)
		}
		numbered.Items = append(numbered.Items, *key, *value)
	}
	*regs = numbered
}

// dirPALRegisters is .amd_amdgpu_pal_metadata register, value, …: bits that are
// given more than once are united.
func (d *dialect) dirPALRegisters(start int) {
	p := d.p
	if d.target.Triple.OS != target.AMDPAL {
		p.Errorf(start, start+len(d.dirName), "%s directive is not available on non-amdpal OSes", d.dirName)
		return
	}
	m := &d.pal
	m.given, m.legacy = true, true
	regs := m.registers()
	for {
		var v [2]int64
		if !d.numbers(v[:]) {
			return
		}
		setRegister(regs, uint64(v[0]), uint64(v[1]))
		if !p.Accept(',') {
			return
		}
	}
}

// setRegister adds bits to a register.
func setRegister(regs *codeobject.Node, reg, value uint64) {
	for i := range regs.Len() {
		key, old := regs.Pair(i)
		if n, ok := key.Uint(); ok && n == reg {
			bits, _ := old.Uint()
			*old = codeobject.UintNode(bits | value)
			return
		}
	}
	regs.Items = append(regs.Items, codeobject.UintNode(reg), codeobject.UintNode(value))
}

// finishPAL writes the metadata.
func (d *dialect) finishPAL() {
	m := &d.pal
	if !m.given {
		return
	}
	m.doc.Sort()
	switch {
	case m.legacy && d.p.IsListing():
		text := "\t.amd_amdgpu_pal_metadata "
		for i, v := range m.pairs() {
			if i > 0 {
				text += ","
			}
			text += "0x" + strconv.FormatUint(uint64(v), 16)
		}
		d.p.ListLine(text)
	case m.legacy:
		var desc []byte
		for _, v := range m.pairs() {
			desc = append(desc, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
		}
		d.emitNote(codeobject.NoteOwnerV2, codeobject.NT_AMD_PAL_METADATA, desc)
	case d.p.IsListing():
		d.dirName = ".amdgpu_pal_metadata"
		d.listDocument(&m.doc, 0, codeobject.YAMLOptions{Hex: true}, "", endPALMetadata)
	default:
		d.emitNote(codeobject.NoteOwner, codeobject.NT_AMDGPU_METADATA, m.doc.AppendMsgpack(nil))
	}
}

// pairs gives the registers and their values, ascending.
func (m *palMetadata) pairs() []uint32 {
	regs := m.registers()
	var list [][2]uint32
	for i := range regs.Len() {
		key, value := regs.Pair(i)
		k, _ := key.Uint()
		v, _ := value.Uint()
		list = append(list, [2]uint32{uint32(k), uint32(v)})
	}
	slices.SortFunc(list, func(a, b [2]uint32) int { return int(int64(a[0]) - int64(b[0])) })
	var flat []uint32
	for _, p := range list {
		flat = append(flat, p[0], p[1])
	}
	return flat
}
