package link

import (
	"context"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// linker is the state of one link. Sections, symbols and output sections are
// entries of slices and refer to each other by index, so that they are not
// allocated individually.
type linker struct {
	ctx  context.Context
	opt  Options
	errs errorList

	files []*file // all objects in input order, including lazy ones
	objs  []*file // linked objects, in link order
	total uint64  // total size of all inputs in bytes

	blobs   [][]byte // targets of views: the files, and the linker's own data
	syms    []symbol // global symbols by symID; syms[0] is unused
	table   nameTable
	ids     slab[symID]         // for file.globals
	pending []int32             // referenced symbols that loadSymbols has yet to resolve
	comdats map[string]struct{} // signatures of retained groups

	secs  []section // by secID; secs[0] is unused, secs[noContents] represents sections without contents
	index []secID   // secIDs by file and index in its section header table
	order []secID   // input sections in layout order

	outs    []*outSection
	segs    []segment
	segRoom int // number of program headers for which space is reserved
	synth   synthetics

	locals []localGot // local symbols in .got
	dyns   []dynReloc

	shOff, size uint64 // offset of the section headers, size of the output
	image       []byte
	room        chan []byte // receives the memory for the image once it is prepared
}

type (
	symID uint32 // index in linker.syms, 0 for none
	secID uint32 // index in linker.secs, 0 for none
)

// noContents represents symbol tables and other sections without contents of
// their own.
const noContents secID = 1

// view is a part of one of linker.blobs. Unlike a slice it is small and
// contains no pointers for the garbage collector to scan.
type view struct{ blob, off, size uint32 }

// bytes returns the contents of a view.
func (l *linker) bytes(v view) []byte {
	return l.blobs[v.blob][v.off : v.off+v.size : v.off+v.size]
}

// ownBytes returns a view of bytes that are not in a file.
func (l *linker) ownBytes(b []byte) view {
	l.blobs = append(l.blobs, b)
	return view{uint32(len(l.blobs) - 1), 0, uint32(len(b))}
}

// secOf returns the section with an index in a file's section header table.
func (l *linker) secOf(f *file, i int) secID { return l.index[f.base+i] }

// secKind is the treatment of a section.
type secKind uint8

const (
	secIgnored   secKind = iota // no contents of its own: symbol tables and the like
	secDiscarded                // in a group that another file also defines
	secRegular
	secMerge  // its pieces are merged with the pieces of other sections
	secSynth  // created by the linker
	secMerged // synthetic section of merged pieces
)

// section is an input section, or one that the linker creates.
type section struct {
	size    uint64
	outOff  uint64 // offset in its output section
	data    view   // empty for SHT_NOBITS and most secSynth sections
	rela    view   // its relocations
	name    view
	entsize uint32
	align   uint32
	flags   uint32
	typ     co.SectionType
	info    uint32
	link    uint32
	file    int32 // index in linker.files, -1 for the linker's own
	out     int32 // index in linker.outs, -1 for none
	merge   int32 // secMerge: index in linker.synth.inputs; secMerged: in .merged
	next    secID // next section in the group's ring, 0 for none
	kind    secKind
	live    bool
	rel     bool // its relocations have no addends in the file (SHT_REL)
}

func newLinker(ctx context.Context, opt Options) *linker {
	return &linker{ctx: ctx, opt: opt, blobs: make([][]byte, 1), syms: make([]symbol, 1), secs: make([]section, 2), comdats: map[string]struct{}{}}
}

// steps returns the phases of a link. A phase runs if all previous ones
// succeeded.
func (l *linker) steps() []func([]Input) {
	phase := func(f func()) func([]Input) { return func([]Input) { f() } }
	if l.opt.Relocatable {
		return []func([]Input){l.readInputs, phase(l.checkHeaders), phase(l.linkRelocatable)}
	}
	return []func([]Input){
		l.readInputs,
		phase(l.checkHeaders),
		phase(l.defineSymbols),
		phase(l.collectSections),
		phase(l.markLive),
		phase(l.placeSections),
		phase(l.scanRelocations),
		phase(l.layOut),
		phase(l.write),
	}
}
