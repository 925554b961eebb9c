package link

import (
	"context"
	"hash/maphash"
	"runtime"
	"sync/atomic"

	"github.com/gfx-toolchain/gfx/internal/ar"
)

// inputResult is the result of reading an input.
type inputResult struct {
	files []file // one object, or the members of an archive
	bytes int
	err   error
}

// readAtOnce is the number of inputs that are read before they are linked.
const readAtOnce = 64

// readInputs reads the inputs and resolves symbols. It reads files and checks
// their headers in parallel, and links them in input order at the same time.
func (l *linker) readInputs(inputs []Input) {
	l.reserve(inputs)
	for _, name := range l.opt.Undefined {
		l.reference(name)
	}
	results, done := startReading(l.ctx, inputs, l.table.seed)
	for i := range results {
		if i%readAtOnce == 0 {
			<-done[i/readAtOnce]
		}
		r := &results[i]
		l.total += uint64(r.bytes)
		if r.err != nil {
			l.errs.addError(r.err)
		}
		for k := range r.files {
			if len(l.errs.list) == 0 && l.ctx.Err() == nil {
				l.addObject(&r.files[k])
			}
		}
	}
	if l.opt.Entry != "" && len(l.errs.list) == 0 {
		l.reference(l.opt.Entry)
	}
	if len(l.objs) == 0 && len(l.errs.list) == 0 {
		l.errs.errorf("no object to link")
	}
}

// startReading reads inputs in the background. It closes a channel for each
// batch of readAtOnce inputs that has been read. Once ctx has ended, it skips the
// remaining inputs.
func startReading(ctx context.Context, inputs []Input, seed maphash.Seed) (results []inputResult, done []chan struct{}) {
	results = make([]inputResult, len(inputs))
	done = make([]chan struct{}, (len(inputs)+readAtOnce-1)/readAtOnce)
	for i := range done {
		done[i] = make(chan struct{})
	}
	var next atomic.Int64
	var a arena
	read := func() {
		r := inputReader{fileReader: fileReader{arena: &a}, seed: seed}
		for k := int(next.Add(1)) - 1; k < len(done); k = int(next.Add(1)) - 1 {
			for i := k * readAtOnce; i < min((k+1)*readAtOnce, len(inputs)) && ctx.Err() == nil; i++ {
				results[i] = r.readInput(&inputs[i])
			}
			close(done[k])
			runtime.Gosched() // let the linker process the inputs that have been read
		}
	}
	if len(inputs) == 1 {
		read()
		return results, done
	}
	for range min(runtime.GOMAXPROCS(0), 4, len(done)) {
		go read()
	}
	return results, done
}

// inputReader is a goroutine's state for reading inputs.
type inputReader struct {
	fileReader
	seed  maphash.Seed
	files slab[file]
	infos slab[nameInfo]
}

// readInput reads an input, and checks the headers of the object or of the
// archive's members.
func (r *inputReader) readInput(in *Input) (got inputResult) {
	data := in.Data
	if data == nil {
		if data, got.err = r.read(in.Name); got.err != nil {
			return got
		}
	}
	got.bytes = len(data)
	if !ar.Is(data) {
		got.files = r.files.takeEntries(1)
		got.files[0].name, got.files[0].data = in.Name, data
	} else if got.files, got.err = r.members(in, data); got.err != nil {
		return got
	}
	for i := range got.files {
		if err := got.files[i].open(r.seed, &r.infos); err != nil && got.err == nil {
			got.err = err
		}
	}
	return got
}

// Initial capacity for each input; tables grow beyond it when necessary.
const (
	entriesOfInput = 16 // symbols, sections, dynamic relocations
	bytesOfInput   = 5 << 10
	maxReserve     = 1 << 17 // in entries
)

// reserve allocates the symbol and section tables.
func (l *linker) reserve(inputs []Input) {
	n := min(entriesOfInput*(len(inputs)+1), maxReserve)
	room := &tableRoom{largeBuffer(n / entriesOfInput * bytesOfInput)}
	l.syms = append(table[symbol](room, n), l.syms...)
	l.secs = append(table[section](room, n), l.secs...)
	l.index = table[secID](room, n)
	l.order = table[secID](room, n)
	l.dyns = table[dynReloc](room, n/2)
	l.synth.pieces = table[piece](room, n)
	l.secs[noContents].file, l.secs[noContents].out = -1, -1
	l.table.reserve(n, room)
	l.synth.inputs = make([]mergeInput, 0, n/4)
}

// addObject links an object. For an archive member that is not yet referenced,
// it only enters the symbols that the member defines.
func (l *linker) addObject(f *file) {
	f.index, f.blob = int32(len(l.files)), uint32(len(l.blobs))
	l.files = append(l.files, f)
	l.blobs = append(l.blobs, f.data)
	if f.lazy {
		l.addLazy(f)
	} else {
		l.load(f)
	}
}
