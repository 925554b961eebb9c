package link

import (
	"context"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// linker is one run. Sections, symbols and output sections are entries of
// slices and refer to each other by index, so that nothing is allocated one by
// one.
type linker struct {
	ctx  context.Context
	opt  Options
	errs errorList

	files []*file // all objects in the order of the inputs, lazy ones too
	objs  []*file // those that are linked, in the order in which they were taken
	total uint64  // bytes of all inputs

	blobs   [][]byte // what a view refers to: the files, and data of the linker's own
	syms    []symbol // global symbols by symID; syms[0] is unused
	table   nameTable
	ids     slab[symID]         // for file.globals
	asked   []int32             // symbols that loadSymbols has yet to ask for
	comdats map[string]struct{} // signatures of groups that are kept

	secs  []section // by secID; secs[0] is unused, secs[noContents] stands for those without
	index []secID   // secIDs by file and index in its section header table
	order []secID   // input sections in the order in which they are placed

	outs    []*outSection
	segs    []segment
	segRoom int // program headers that there is room for
	synth   synthetics

	locals []localGot // local symbols in .got
	dyns   []dynReloc

	shOff, size uint64 // offset of the section headers, size of the output
	image       []byte
	room        chan []byte // memory for the image, when it is prepared
}

type (
	symID uint32 // index in linker.syms, 0 for none
	secID uint32 // index in linker.secs, 0 for none
)

// noContents is the section that stands for symbol tables and the like.
const noContents secID = 1

// view is a part of one of linker.blobs. Unlike a slice it is small, and nothing
// that a garbage collector has to look at.
type view struct{ blob, off, size uint32 }

// bytes gives what a view shows.
func (l *linker) bytes(v view) []byte {
	return l.blobs[v.blob][v.off : v.off+v.size : v.off+v.size]
}

// ownBytes makes a view of bytes that are not in a file.
func (l *linker) ownBytes(b []byte) view {
	l.blobs = append(l.blobs, b)
	return view{uint32(len(l.blobs) - 1), 0, uint32(len(b))}
}

// secOf gives the section of an index in a file's section header table.
func (l *linker) secOf(f *file, i int) secID { return l.index[f.base+i] }

// secKind says what is done with a section.
type secKind uint8

const (
	secIgnored   secKind = iota // no contents of its own: symbol tables and the like
	secDiscarded                // of a group that another file has
	secRegular
	secMerge  // its pieces are merged with others'
	secSynth  // made by the linker
	secMerged // the synthetic section of merged pieces
)

// section is an input section, or one that the linker makes.
type section struct {
	size    uint64
	outOff  uint64 // offset in its output section
	data    view   // empty when SHT_NOBITS, and for most of secSynth
	rela    view   // relocations that apply to it
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
	next    secID // next in its group's ring, 0 for none
	kind    secKind
	live    bool
	rel     bool // its relocations have no addends in the file (SHT_REL)
}

func newLinker(ctx context.Context, opt Options) *linker {
	return &linker{ctx: ctx, opt: opt, blobs: make([][]byte, 1), syms: make([]symbol, 1), secs: make([]section, 2), comdats: map[string]struct{}{}}
}

// steps are the phases of a link; the next is run when there was no error.
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
