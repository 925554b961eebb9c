package asm

import "github.com/gfx-toolchain/gfx/codeobject"

// emitNote appends a note record to the section .note.
func (d *dialect) emitNote(owner string, typ codeobject.NoteType, desc []byte) {
	p := d.p
	flags := codeobject.SectionFlags(0)
	if d.isHSA() {
		flags = codeobject.SHF_ALLOC
	}
	p.PushSection(p.SectionNamed(".note", codeobject.SHT_NOTE, flags))
	p.EmitAlign(noteAlign)
	p.Emit(codeobject.AppendNotes(nil, []codeobject.Note{{Owner: owner, Type: typ, Desc: desc}}))
	p.PopSection()
}

// noteAlign is the alignment of note records, in bytes.
const noteAlign = 4
