package bitcode

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/gfx-toolchain/gfx/ir"
)

// Write writes a module as bitcode of LLVM 22. All bodies of functions must have been read ([File.ReadAll]). It adds constants and
// metadata that only the file needs to the module's tables, which changes neither what the module means nor how it is printed.
// An error names what bitcode cannot represent; nothing is written then.
//
// Orders of use lists are not written, nor is a symbol table for linkers: LLVM's tools build it from the module.
func Write(to io.Writer, m *ir.Module) error {
	data, err := Encode(m)
	if err != nil {
		return err
	}
	_, err = to.Write(data)
	return err
}

// Encode returns what [Write] writes.
func Encode(m *ir.Module) (data []byte, err error) {
	defer catchWriter(&err)
	w := &moduleWriter{bitWriter: newBitWriter(), m: m}
	w.enumerate()
	w.identification()
	w.block(blockModule, w.module)
	w.strtab.write(w.bitWriter)
	return w.data, nil
}

// producer is the name in the identification block, in place of LLVM's version.
const producer = "gfx"

// currentVersion is the version of module blocks with a string table and relative operands.
const currentVersion = 2

// Widths of abbreviation IDs of blocks that differ from defaultWidth.
const (
	functionWidth = 5
	narrowWidth   = 3 // blocks with at most three abbreviations
)

// writeError is why a module cannot be written.
type writeError struct{ error }

// catchWriter returns what fail and the limits of package ir throw as an error.
func catchWriter(err *error) {
	switch e := recover().(type) {
	case nil:
	case writeError:
		*err = e.error
	case runtime.Error:
		panic(e)
	case error:
		*err = e
	default:
		panic(e)
	}
}

// moduleWriter writes one module.
type moduleWriter struct {
	*bitWriter
	m *ir.Module
	enumeration

	f       *ir.Function // whose body is written
	rec     []uint64     // operands of the record at hand
	strtab  strtab
	types   typeAbbrevs
	cst     constAbbrevs
	fun     funcAbbrevs
	vst     symtabAbbrevs
	vstAt   uint64   // offset of the operand that points to the table of functions
	bodies  []uint64 // offsets of the bodies of w.defined, in words
	body    bodyState
	atts    []ir.Attachment
	current string // what is written, for errors
}

// fail ends writing with an error about the function or global at hand.
func (w *moduleWriter) fail(format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	switch {
	case w.f != nil:
		msg = "@" + w.f.Name() + ": " + msg
	case w.current != "":
		msg = w.current + ": " + msg
	}
	panic(writeError{errors.New("cannot write bitcode: " + msg)})
}

// push adds operands to the record at hand.
func (w *moduleWriter) push(xs ...uint64) { w.rec = append(w.rec, xs...) }

func (w *moduleWriter) identification() {
	w.block(blockIdentification, func() {
		w.text(identString, producer)
		w.record(identEpoch, 0)
	})
}

// module writes the content of the module's block, in LLVM's order.
func (w *moduleWriter) module() {
	w.record(modVersion, currentVersion)
	w.blockInfo()
	w.typeTable()
	w.attributes()
	w.comdats()
	w.header()
	w.globals()
	w.vstOffset()
	w.moduleConstants()
	w.metadataKinds()
	w.moduleMetadata()
	w.names(blockBundleTags, bundleTag, w.bundleNames())
	if len(w.scopes.list) > fixedScopes {
		w.names(blockSyncScopes, syncScopeName, w.scopeNames())
	}
	for _, f := range w.defined {
		w.function(f)
	}
	w.functionOffsets()
}

// blockInfo writes the abbreviations of blocks that occur more than once.
func (w *moduleWriter) blockInfo() {
	w.block(blockInfo, func() {
		w.record(blockInfoSetBID, blockValueSymtab)
		w.defineSymtab()
		w.record(blockInfoSetBID, blockConstants)
		w.defineConstants()
		w.record(blockInfoSetBID, blockFunction)
		w.defineFunctions()
	})
}

// names writes a block of names, if there are any.
func (w *moduleWriter) names(block uint32, code uint64, names []string) {
	if len(names) == 0 {
		return
	}
	w.wideBlock(block, narrowWidth, func() {
		for _, name := range names {
			w.text(code, name)
		}
	})
}

// header writes what the module has besides globals.
func (w *moduleWriter) header() {
	for _, row := range [...]struct {
		code uint64
		text string
	}{{modTriple, w.m.Triple}, {modDataLayout, w.m.Layout().Text}, {modAsm, w.m.ModuleAsm}, {modSourceFilename, w.m.SourceFile}} {
		if row.text == "" {
			continue
		}
		text := []byte(row.text)
		id := w.define(newAbbrev(row.code).withArray(kindOfText(text).field()))
		w.emitText(id, row.code, text)
	}
	for _, s := range w.sections.list {
		w.text(modSectionName, s)
	}
	for _, s := range w.gcNames.list {
		w.text(modGCName, s)
	}
}

// strtab is the string table.
type strtab struct {
	data []byte
	at   map[string]uint64
}

// add returns where a text is in the table.
func (t *strtab) add(s string) (offset, size uint64) {
	if s == "" {
		return uint64(len(t.data)), 0
	}
	offset, ok := t.at[s]
	if !ok {
		offset = uint64(len(t.data))
		if t.at == nil {
			t.at = map[string]uint64{}
		}
		t.at[s] = offset
		t.data = append(t.data, s...)
	}
	return offset, uint64(len(s))
}

func (t *strtab) write(w *bitWriter) {
	w.wideBlock(blockStrtab, narrowWidth, func() {
		w.emitBlob(w.define(newAbbrev(strtabBlob).withBlob()), strtabBlob, t.data)
	})
}
