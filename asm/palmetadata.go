package asm

import (
	"github.com/gfx-toolchain/gfx/codeobject"
	"github.com/gfx-toolchain/gfx/target"
)

// palMetadata is the metadata of an amdpal pipeline: a document or, in the
// older form, registers and their values. It becomes a note at the end of the
// source.
//
// Source: User Guide for AMDGPU Backend, Code Object Metadata for amdpal; LLVM
// 22's AMDGPUPALMetadata.cpp.
type palMetadata struct {
	doc       *codeobject.Node
	registers []codeobject.PALRegister
	legacy    bool
}

const endPALMetadata = ".end_amdgpu_pal_metadata"

// dirPALDocument reads .amdgpu_pal_metadata … .end_amdgpu_pal_metadata, which
// replaces all previous metadata.
func (d *dialect) dirPALDocument(start int) {
	if n, _, ok := d.document(endPALMetadata, codeobject.ReadPALYAML); ok {
		d.pal = palMetadata{doc: &n}
	}
}

// dirPALRegisters reads .amd_amdgpu_pal_metadata register, value, …. Repeated
// values of a register are ORed. Of a preceding document, the registers are
// kept.
func (d *dialect) dirPALRegisters(start int) {
	p := d.p
	if d.target.Triple.OS != target.AMDPAL {
		p.Errorf(start, start+len(d.dirName), "%s directive is not available on non-amdpal OSes", d.dirName)
		return
	}
	m := &d.pal
	if !m.legacy {
		m.legacy = true
		m.registers = documentRegisters(m.doc)
	}
	for {
		var v [2]int64
		if !d.numbers(v[:]) {
			return
		}
		m.registers = append(m.registers, codeobject.PALRegister{Register: uint32(v[0]), Value: uint32(v[1])})
		if !p.Accept(',') {
			return
		}
	}
}

// documentRegisters returns the registers that a document specifies.
func documentRegisters(doc *codeobject.Node) (list []codeobject.PALRegister) {
	if doc == nil {
		return nil
	}
	regs := doc.Get("amdpal.pipelines").Items[0].Get(".registers")
	for i := range regs.Len() {
		key, value := regs.Pair(i)
		k, _ := key.Uint()
		v, _ := value.Uint()
		list = append(list, codeobject.PALRegister{Register: uint32(k), Value: uint32(v)})
	}
	return list
}

// finishPAL writes the metadata.
func (d *dialect) finishPAL() {
	m, p := &d.pal, d.p
	switch {
	case m.legacy && p.IsListing():
		p.ListLine("\t.amd_amdgpu_pal_metadata " + codeobject.PALRegistersText(codeobject.MergePALRegisters(m.registers)))
	case m.legacy:
		desc := codeobject.AppendPALRegisters(nil, codeobject.MergePALRegisters(m.registers))
		d.emitNote(codeobject.NoteOwnerV2, codeobject.NT_AMD_PAL_METADATA, desc)
	case m.doc == nil:
	case p.IsListing():
		text, err := codeobject.AppendPALYAML([]byte("\t.amdgpu_pal_metadata\n"), m.doc)
		if err != nil {
			p.Errorf(p.Pos, p.Pos, "%v", err)
			return
		}
		p.ListLine(string(text) + "\t" + endPALMetadata)
	default:
		d.emitNote(codeobject.NoteOwner, codeobject.NT_AMDGPU_METADATA, m.doc.AppendMsgpack(nil))
	}
}
