package asm

import (
	"errors"

	"github.com/gfx-toolchain/gfx/codeobject"
)

// The directives that enclose YAML metadata.
//
// Sources: User Guide for AMDGPU Backend, .amdgpu_metadata; LLVM 14's
// AMDGPUAsmParser.cpp for .amd_amdgpu_hsa_metadata of V2.
const (
	endMetadata   = ".end_amdgpu_metadata"
	endMetadataV2 = ".end_amd_amdgpu_hsa_metadata"
)

// dirMetadata reads .amdgpu_metadata and emits a note with the document as
// MessagePack.
func (d *dialect) dirMetadata(start int) {
	n, at, ok := d.document(endMetadata, codeobject.ReadYAML)
	if !ok {
		return
	}
	m, err := codeobject.DecodeMetadata(&n)
	if err != nil {
		d.p.Errorf(at, at, "%v", err)
		return
	}
	if !d.reportMetadata(&n, at, m.Verify(d.target.COV)) {
		return
	}
	n.Sort()
	if d.p.IsListing() {
		text, err := n.AppendYAML([]byte("\t.amdgpu_metadata\n"), codeobject.YAMLOptions{})
		if err != nil {
			d.p.Errorf(at, at, "%v", err)
			return
		}
		d.p.ListLine(string(text) + "\n\t" + endMetadata)
		return
	}
	d.emitNote(codeobject.NoteOwner, codeobject.NT_AMDGPU_METADATA, n.AppendMsgpack(nil))
}

// dirMetadataV2 reads .amd_amdgpu_hsa_metadata and emits a note with the text
// in LLVM's form.
func (d *dialect) dirMetadataV2(start int) {
	n, at, ok := d.document(endMetadataV2, codeobject.ReadYAML)
	if !ok {
		return
	}
	m, err := codeobject.DecodeMetadataV2(&n)
	if err != nil {
		d.p.Errorf(at, at, "%v", err)
		return
	}
	if !d.reportMetadata(&n, at, m.Verify()) {
		return
	}
	text, err := m.AppendYAML(nil)
	switch {
	case err != nil:
		d.p.Errorf(at, at, "%v", err)
	case d.p.IsListing():
		d.p.ListLine("\t" + d.dirName + "\n" + string(text) + "\t" + endMetadataV2)
	default:
		d.emitNote(codeobject.NoteOwnerV2, codeobject.NT_AMD_HSA_METADATA, text)
	}
}

// reportMetadata reports the problems of metadata at their positions. It
// returns false if one is an error, that is, not accepted by LLVM's assembler.
func (d *dialect) reportMetadata(n *codeobject.Node, at int, problems []error) bool {
	good := true
	for _, err := range problems {
		off := at
		var wrong *codeobject.MetadataError
		if errors.As(err, &wrong) {
			off += n.At(wrong.Path).Off
		}
		if wrong != nil && wrong.Lax {
			d.p.Warnf(off, off+1, "metadata: %v", err)
			continue
		}
		d.p.Errorf(off, off+1, "metadata: %v", err)
		good = false
	}
	return good
}

// document reads the text up to the line with the directive end. at is the
// offset at which the text begins.
func (d *dialect) document(end string, read func(string) (codeobject.Node, error)) (n codeobject.Node, at int, ok bool) {
	p := d.p
	start, stop, ok := p.Block(end)
	if !ok {
		return n, 0, false
	}
	n, err := read(string(p.Src[start:stop]))
	var wrong *codeobject.TextError
	switch {
	case errors.As(err, &wrong):
		p.Errorf(start+wrong.Offset, start+wrong.Offset+1, "%s", wrong.Problem)
	case err != nil:
		p.Errorf(start, start, "%v", err)
	}
	return n, start, err == nil
}
