package bitcode

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/gfx-toolchain/gfx/ir"
)

// Write writes a module as bitcode of LLVM 22. All function bodies must have
// been read ([File.ReadAll]). Write may add constants and metadata to the
// module's tables, without changing the module's meaning or its textual form.
// An error names the entity that bitcode cannot represent; nothing is written
// then.
//
// Use-list orders and the symbol table for linkers are not written. LLVM's
// tools rebuild the latter from the module.
func Write(to io.Writer, m *ir.Module) error {
	data, err := Encode(m)
	if err != nil {
		return err
	}
	_, err = to.Write(data)
	return err
}

// Encode returns the output of [Write].
func Encode(m *ir.Module) (data []byte, err error) {
	defer catchWriter(&err)
	w := &moduleWriter{bitWriter: newBitWriter(), m: m}
	w.enumerate()
	w.identification()
	w.block(blockModule, w.module)
	w.strtab.write(w.bitWriter)
	return w.data, nil
}

// producer is the string in the identification block, where LLVM writes its
// version.
const producer = "gfx"

// currentVersion is the version of module blocks with a string table and relative operands.
const currentVersion = 2

// Widths of abbreviation IDs in blocks that do not use defaultWidth.
const (
	functionWidth = 5
	narrowWidth   = 3 // for blocks with at most three abbreviations
)

// writeError is the reason that a module cannot be written.
type writeError struct{ error }

// catchWriter converts a panic of fail or of package ir's limits into an error.
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

	f       *ir.Function // current function
	rec     []uint64     // operands of the current record
	strtab  strtab
	types   typeAbbrevs
	cst     constAbbrevs
	fun     funcAbbrevs
	vst     symtabAbbrevs
	vstAt   uint64   // offset of the operand that refers to the function table
	bodies  []uint64 // offsets of the bodies of w.defined, in 32-bit words
	body    bodyState
	atts    []ir.Attachment
	current string // current entity, for errors
}

// fail ends writing with an error about the current function or global.
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

// push adds operands to the current record.
func (w *moduleWriter) push(xs ...uint64) { w.rec = append(w.rec, xs...) }

func (w *moduleWriter) identification() {
	w.block(blockIdentification, func() {
		w.text(identString, producer)
		w.record(identEpoch, 0)
	})
}

// module writes the contents of the module block in LLVM's order.
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

// names writes a block of names unless names is empty.
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

// header writes the module properties other than globals.
func (w *moduleWriter) header() {
	for _, row := range [...]struct {
		code uint64
		text string
	}{{modTriple, w.m.Triple}, {modDataLayout, w.m.Layout().Text}, {modAsm, w.m.ModuleAsm}, {modSourceFilename, w.m.SourceFile}} {
		if row.text == "" {
			continue
		}
		text := []byte(row.text)
		id := w.define(newAbbrev(row.code).withArray(textKindOf(text).field()))
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

// addString adds a string and returns its range in the table.
func (t *strtab) addString(s string) (offset, size uint64) {
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
