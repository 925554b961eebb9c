package bitcode

import (
	"math/bits"

	"github.com/gfx-toolchain/gfx/ir"
)

// linkageCodes maps linkages to their numbers in records.
var linkageCodes = [...]uint64{ir.External: 0, ir.AvailableExternally: 12, ir.LinkOnceAny: 18, ir.LinkOnceODR: 19, ir.WeakAny: 16,
	ir.WeakODR: 17, ir.Appending: 2, ir.Internal: 3, ir.Private: 9, ir.ExternWeak: 7, ir.Common: 8}

// unnamedCodes maps unnamed_addr and local_unnamed_addr to their numbers in
// records.
var unnamedCodes = [...]uint64{ir.NamedAddr: 0, ir.GlobalUnnamedAddr: 1, ir.LocalUnnamedAddr: 2}

// alignCode encodes an alignment as log2 plus one.
func alignCode(align uint32) uint64 { return uint64(bits.Len32(align)) }

func (w *moduleWriter) comdats() {
	for _, c := range w.comdatOf {
		offset, size := w.strtab.addString(c.Name)
		w.record(modComdat, offset, size, uint64(c.Selection)+1)
	}
}

// globals writes the records of globals, variables first.
func (w *moduleWriter) globals() {
	short := w.variableAbbrev()
	for kind, list := range w.byKind {
		for _, g := range list {
			w.current = "@" + g.Name()
			w.rec = w.rec[:0]
			w.push(w.strtab.addString(g.Name()))
			switch ir.GlobalKind(kind) {
			case ir.GlobalVar:
				w.variable(g, short)
			case ir.GlobalFunc:
				w.functionRecord(g)
			default:
				w.indirect(g)
			}
		}
	}
	w.current = ""
}

// variableAbbrev defines the abbreviation of variables without special properties.
func (w *moduleWriter) variableAbbrev() abbrevID {
	if len(w.byKind[ir.GlobalVar]) == 0 {
		return 0
	}
	return w.define(newAbbrev(modGlobalVar, vbrField(8), vbrField(8), w.typeField(), vbrField(6), vbrField(6), fixedField(5),
		vbrField(4), vbrField(4)))
}

// variable writes the record that readGlobalVar reads.
func (w *moduleWriter) variable(g *ir.Global, short abbrevID) {
	const explicit = 2
	w.push(w.typeID(g.Type), bit(g.Constant)|explicit|uint64(g.AddrSpace)<<2, w.optionalConst(g.Init), linkageCodes[g.Linkage],
		alignCode(g.Align), w.sections.addText(g.Section))
	attrs := uint64(0)
	if g.Attrs != 0 {
		attrs = w.attrsID(w.m.AttrList([]ir.AttrSet{ir.AttrFunction: g.Attrs}))
	}
	n := len(w.rec)
	w.push(uint64(g.Vis), uint64(g.TLS), unnamedCodes[g.Unnamed], bit(g.ExtInit), uint64(g.DLL), w.comdatID[g.Comdat], attrs,
		bit(g.DSOLocal))
	size := w.pushPartition(g)
	w.push(uint64(g.Sanitizer), uint64(g.CodeModel))
	plain := size == 0
	for i, x := range w.rec[n:] {
		const partition = 8
		plain = plain && (x == 0 || i == partition)
	}
	if plain {
		w.writeRecord(short, modGlobalVar, w.rec[:n]...)
		return
	}
	w.record(modGlobalVar, w.rec...)
}

// pushPartition adds the string table range of a partition's name.
func (w *moduleWriter) pushPartition(g *ir.Global) (size uint64) {
	offset, size := w.strtab.addString(g.Partition)
	w.push(offset, size)
	return size
}

// functionRecord writes the record that readFunction reads.
func (w *moduleWriter) functionRecord(g *ir.Global) {
	f := g.Func
	w.push(w.typeID(g.Type), uint64(f.CC), bit(f.Entry() == 0), linkageCodes[g.Linkage], w.attrsID(f.Attributes), alignCode(g.Align),
		w.sections.addText(g.Section), uint64(g.Vis), w.gcNames.addText(f.GC), unnamedCodes[g.Unnamed], w.optionalConst(f.Prologue),
		uint64(g.DLL), w.comdatID[g.Comdat], w.optionalConst(f.Prefix), w.optionalConst(f.Personality), bit(g.DSOLocal),
		uint64(g.AddrSpace))
	w.pushPartition(g)
	w.record(modFunction, w.rec...)
}

// indirect writes the record that readIndirect reads.
func (w *moduleWriter) indirect(g *ir.Global) {
	if g.Init == ir.None {
		w.fail("alias or ifunc has no target")
	}
	w.push(w.typeID(g.Type), uint64(g.AddrSpace), w.constID(g.Init), linkageCodes[g.Linkage], uint64(g.Vis))
	code := uint64(modIFunc)
	if g.Kind == ir.GlobalAlias {
		code = modAlias
		w.push(uint64(g.DLL), uint64(g.TLS), unnamedCodes[g.Unnamed])
	}
	w.push(bit(g.DSOLocal))
	w.pushPartition(g)
	w.record(code, w.rec...)
}

// Record codes for the locations of function bodies, for lazy readers.
const modVSTOffset = 13

// vstOffset writes the record with the location of the table of body offsets.
func (w *moduleWriter) vstOffset() {
	if len(w.defined) == 0 {
		return
	}
	w.writeRecord(w.define(newAbbrev(modVSTOffset, fixedField(32))), modVSTOffset, 0)
	w.vstAt = w.pos() - 32
}

// functionOffsets writes the offsets of function bodies, in 32-bit words from
// the start of the file.
func (w *moduleWriter) functionOffsets() {
	if len(w.defined) == 0 {
		return
	}
	w.patch(w.vstAt, uint32(w.pos()/32))
	w.block(blockValueSymtab, func() {
		id := w.define(newAbbrev(vstFnEntry, vbrField(8), vbrField(8)))
		for i, f := range w.defined {
			w.writeRecord(id, vstFnEntry, w.constID(f.Value()), w.bodies[i])
		}
	})
}
