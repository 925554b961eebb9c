package bitcode

import (
	"github.com/gfx-toolchain/gfx/internal/lazy"
	"github.com/gfx-toolchain/gfx/internal/upgrade"
	"github.com/gfx-toolchain/gfx/ir"
)

// reader reads one module.
type reader struct {
	*cursor
	m        *ir.Module
	producer string
	strtab   []byte

	useStrtab bool   // names are in the string table (version 2)
	relative  bool   // operands are relative to the instruction (version 1)
	asm       []byte // module assembly
	layout    string // data layout in the file
	layoutSet bool
	buf       []byte // text buffer

	types    []typeEntry
	typed    bool // the file has typed pointers, so type numbers are tracked
	virtual  map[virtualKey]uint32
	groups   map[uint64]attrGroup
	attrs    []attrList
	attrRoom int // remaining capacity for attribute lists, in entries

	sections, gcNames []string
	comdats           []*ir.Comdat
	implicitComdat    map[*ir.Global]bool
	scopes            []ir.SyncScope
	tags              []uint32

	values   []value
	pending  map[uint32]*pendingConst
	depths   map[ir.Value]int // nesting depths of constants
	inits    []initRef
	md       mdState
	defined  []*ir.Function // functions with bodies, in order of the bodies
	nBodies  int
	bodies   map[*ir.Function]*cursor
	maxBlock map[*ir.Function]uint64 // largest number of a block whose address is taken
	rangeLen int                     // words of cases from switch ranges
	body     body
	scratch  ir.Scratch // memory for building bodies
}

// value is an entry of the value table: the module's values, followed by the
// current function's.
type value struct {
	v   ir.Value // None for a constant that is not resolved yet, see pending
	t   ir.Type
	tid uint32 // number of its type in the file, for typed pointers
}

// readModule reads the module block. Function bodies are only recorded.
func (r *reader) readModule() {
	r.attrRoom = 64*len(r.data) + 1<<16
	r.maxBlock = map[*ir.Function]uint64{}
	r.pending = map[uint32]*pendingConst{}
	for {
		switch e, id := r.advance(); e {
		case entryEnd:
			r.finishModule()
			return
		case entryBlock:
			r.moduleBlock(id)
		case entryRecord:
			r.moduleRecord(id)
		}
	}
}

// moduleBlocks maps block IDs to readers of blocks within a module. Other
// blocks are skipped: summaries, use lists, symbol tables for linkers.
var moduleBlocks = lazy.Value[map[uint32]func(*reader)]{Make: func() map[uint32]func(*reader) {
	return map[uint32]func(*reader){
		blockInfo:           func(r *reader) { r.readBlockInfo() },
		blockType:           (*reader).readTypes,
		blockParamAttrGroup: (*reader).readAttrGroups,
		blockParamAttr:      (*reader).readAttrLists,
		blockConstants:      func(r *reader) { r.enter(blockConstants); r.readConstants(); r.resolveConstants(0) },
		blockMetadata:       func(r *reader) { r.enter(blockMetadata); r.readMetadata() },
		blockMetadataKind:   (*reader).readMetadataKinds,
		blockValueSymtab:    (*reader).readModuleSymtab,
		blockBundleTags:     (*reader).readBundleTags,
		blockSyncScopes:     (*reader).readSyncScopes,
		blockFunction:       (*reader).noteBody,
	}
}}

func (r *reader) moduleBlock(id uint32) {
	if read := moduleBlocks.Get()[id]; read != nil {
		read(r)
		return
	}
	r.skip()
}

// noteBody records the location of the next function body. Bodies are in the
// order of the functions.
func (r *reader) noteBody() {
	if r.nBodies >= len(r.defined) {
		r.fail("more function bodies than the %d function definitions", len(r.defined))
	}
	r.bodies[r.defined[r.nBodies]] = r.fork(blockFunction)
	r.nBodies++
}

// moduleRecords maps record codes to readers of module records. Others are
// ignored.
var moduleRecords = lazy.Value[map[uint64]func(*reader)]{Make: func() map[uint64]func(*reader) {
	return map[uint64]func(*reader){
		modVersion:        (*reader).readVersion,
		modTriple:         func(r *reader) { r.m.Triple = r.text(0) },
		modDataLayout:     func(r *reader) { r.layout = r.text(0) },
		modAsm:            (*reader).readModuleAsm,
		modSourceFilename: func(r *reader) { r.m.SourceFile = r.text(0) },
		modSectionName:    func(r *reader) { r.sections = append(r.sections, r.text(0)) },
		modGCName:         func(r *reader) { r.gcNames = append(r.gcNames, r.text(0)) },
		modComdat:         (*reader).readComdat,
		modGlobalVar:      func(r *reader) { r.setLayout(); r.readGlobalVar() },
		modFunction:       func(r *reader) { r.setLayout(); r.readFunction() },
		modAlias:          func(r *reader) { r.setLayout(); r.readIndirect(ir.GlobalAlias, true) },
		modAliasOld:       func(r *reader) { r.setLayout(); r.readIndirect(ir.GlobalAlias, false) },
		modIFunc:          func(r *reader) { r.setLayout(); r.readIndirect(ir.GlobalIFunc, true) },
	}
}}

func (r *reader) moduleRecord(id uint32) {
	if read := moduleRecords.Get()[r.record(id)]; read != nil {
		read(r)
	}
}

// need fails if the record has fewer than n operands.
func (r *reader) need(n int, what string) {
	if len(r.rec) < n {
		r.fail("%s record has %d operands, want at least %d", what, len(r.rec), n)
	}
}

// bytes returns the operands from index i on as characters. The result is valid
// until the next call.
func (r *reader) bytes(i int) []byte {
	if i > len(r.rec) {
		r.fail("record has %d operands, want at least %d", len(r.rec), i)
	}
	r.buf = r.buf[:0]
	for _, x := range r.rec[i:] {
		r.buf = append(r.buf, byte(x))
	}
	return r.buf
}

func (r *reader) text(i int) string { return string(r.bytes(i)) }

func (r *reader) readVersion() {
	r.need(1, "version")
	if r.rec[0] > 2 {
		r.fail("unsupported module version %d, want 0 to 2", r.rec[0])
	}
	r.relative, r.useStrtab = r.rec[0] >= 1, r.rec[0] >= 2
}

// setLayout sets the data layout, upgraded for the target, before the first
// global or at the end.
func (r *reader) setLayout() {
	if r.layoutSet {
		return
	}
	r.layoutSet = true
	dl, err := ir.ParseDataLayout(upgrade.DataLayout(r.layout, r.m.Triple))
	if err != nil {
		r.fail("data layout: %v", err)
	}
	r.m.SetLayout(dl)
}

func (r *reader) readModuleAsm() {
	r.asm = append(r.asm, r.text(0)...)
	if len(r.asm) > 0 && r.asm[len(r.asm)-1] != '\n' {
		r.asm = append(r.asm, '\n')
	}
}

func (r *reader) readBundleTags() {
	r.enter(blockBundleTags)
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		if r.record(id) == bundleTag {
			r.tags = append(r.tags, r.m.BundleTag(r.text(0)))
		}
	}
}

func (r *reader) readSyncScopes() {
	r.enter(blockSyncScopes)
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		if r.record(id) == syncScopeName {
			r.scopes = append(r.scopes, r.m.SyncScope(r.text(0)))
		}
	}
}

// scope returns synchronization scope n. Files without a table of names have
// only the first two.
func (r *reader) scope(n uint64) ir.SyncScope {
	if n < uint64(len(r.scopes)) {
		return r.scopes[n]
	}
	if n == uint64(ir.SingleThread) {
		return ir.SingleThread
	}
	return ir.System
}

// finishModule completes the module after all its blocks.
func (r *reader) finishModule() {
	if r.nBodies < len(r.defined) {
		r.fail("%d functions are defined, but the file has %d bodies", len(r.defined), r.nBodies)
	}
	r.m.ModuleAsm = string(r.asm)
	r.setLayout()
	r.resolveConstants(0)
	r.resolveInits()
	for fn := range r.maxBlock {
		if r.bodies[fn] == nil {
			r.fail("block address refers to @%s, which has no body", fn.Name())
		}
	}
}

// readModuleSymtab reads the names of globals from the symbol table block of
// file versions 0 and 1.
func (r *reader) readModuleSymtab() {
	r.enter(blockValueSymtab)
	for id, ok := r.nextEntry(); ok; id, ok = r.nextEntry() {
		switch r.record(id) {
		case vstEntry:
			r.nameGlobal(1)
		case vstFnEntry:
			if !r.useStrtab {
				r.nameGlobal(2)
			}
		}
	}
}

func (r *reader) nameGlobal(from int) {
	r.need(from, "symbol")
	if r.rec[0] >= uint64(len(r.values)) {
		r.fail("symbol table names value %d, but only %d exist", r.rec[0], len(r.values))
	}
	g := r.m.ConstGlobal(r.values[r.rec[0]].v)
	if g == nil {
		r.fail("symbol table names value %d, which is not a global", r.rec[0])
	}
	r.m.Rename(g, r.text(from))
	if g.Func != nil {
		g.Func.Intrinsic = ir.LookupIntrinsic(g.Name())
	}
	if r.implicitComdat[g] {
		g.Comdat = r.comdatNamed(g.Name())
	}
}

// comdatNamed returns the COMDAT with the given name, and creates it if
// necessary.
func (r *reader) comdatNamed(name string) *ir.Comdat {
	c := r.m.Comdat(name)
	if c == nil {
		c = &ir.Comdat{Name: name}
		r.m.Comdats = append(r.m.Comdats, c)
	}
	return c
}
