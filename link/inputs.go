package link

import (
	"bytes"
	"hash/maphash"
	"runtime"
	"sync/atomic"
)

// inputResult is what an input was read to.
type inputResult struct {
	files []*file // one, or the members of an archive
	bytes int
	err   error
}

// readAtOnce is the number of inputs that are read before they are linked.
const readAtOnce = 64

// readInputs reads the inputs and resolves symbols. Files are read and their
// headers checked in parallel; they are linked in their order meanwhile.
func (l *linker) readInputs(inputs []Input) {
	l.reserve(inputs)
	for _, name := range l.opt.Undefined {
		l.askFor(name)
	}
	results, done := startReading(inputs, l.table.seed)
	for i := range results {
		if i%readAtOnce == 0 {
			<-done[i/readAtOnce]
		}
		r := &results[i]
		l.total += uint64(r.bytes)
		if r.err != nil {
			l.errs.add(r.err)
		}
		for _, f := range r.files {
			if len(l.errs.list) == 0 {
				l.add(f)
			}
		}
	}
	if l.opt.Entry != "" && len(l.errs.list) == 0 {
		l.askFor(l.opt.Entry)
	}
	if len(l.objs) == 0 && len(l.errs.list) == 0 {
		l.errs.errorf("no object to link")
	}
}

// startReading reads inputs in the background. A channel is closed when a run of
// readAtOnce inputs is there.
func startReading(inputs []Input, seed maphash.Seed) (results []inputResult, done []chan struct{}) {
	results = make([]inputResult, len(inputs))
	done = make([]chan struct{}, (len(inputs)+readAtOnce-1)/readAtOnce)
	for i := range done {
		done[i] = make(chan struct{})
	}
	var next atomic.Int64
	var a arena
	for range min(runtime.GOMAXPROCS(0), 4, len(done)) {
		go func() {
			for k := int(next.Add(1)) - 1; k < len(done); k = int(next.Add(1)) - 1 {
				for i := k * readAtOnce; i < min((k+1)*readAtOnce, len(inputs)); i++ {
					results[i].read(&a, &inputs[i], seed)
				}
				close(done[k])
				runtime.Gosched() // to link what there is
			}
		}()
	}
	return results, done
}

// read reads an input, and checks the headers of an object or of an archive's
// members.
func (r *inputResult) read(a *arena, in *Input, seed maphash.Seed) {
	data := in.Data
	if data == nil {
		if data, r.err = readFile(a, in.Name); r.err != nil {
			return
		}
	}
	r.bytes = len(data)
	open := func(f *file) {
		r.files = append(r.files, f)
		if err := f.open(seed); err != nil && r.err == nil {
			r.err = err
		}
	}
	if !isArchive(data) {
		open(&file{name: in.Name, data: data})
		return
	}
	list, err := members(in.Name, data)
	if err != nil {
		r.err = err
		return
	}
	for _, m := range list {
		if bytes.HasPrefix(m.data, []byte(elfMagic)) || in.WholeArchive {
			open(&file{name: in.Name + "(" + m.name + ")", data: m.data, lazy: !in.WholeArchive})
		}
	}
}

// Room that is made for each input; more is made when it is needed. What is not
// used is never touched and so costs nothing, but for the hash table.
const (
	entriesOfInput = 64 // symbols, sections
	hashedOfInput  = 16
	maxReserve     = 1 << 17
)

// reserve makes room for symbols and sections.
func (l *linker) reserve(inputs []Input) {
	n := min(entriesOfInput*(len(inputs)+1), maxReserve)
	l.syms = append(make([]symbol, 0, n), l.syms...)
	l.secs = append(make([]section, 0, n), l.secs...)
	l.index = make([]secID, 0, n)
	l.order = make([]secID, 0, n)
	l.secs[noContents].file, l.secs[noContents].out = -1, -1
	l.table.reserve(min(hashedOfInput*(len(inputs)+1), maxReserve))
}

// add takes an object into the link, or enters what it defines when it is a
// member of an archive that has yet to be asked for.
func (l *linker) add(f *file) {
	f.index, f.blob = int32(len(l.files)), uint32(len(l.blobs))
	l.files = append(l.files, f)
	l.blobs = append(l.blobs, f.data)
	if f.lazy {
		l.addLazy(f)
	} else {
		l.load(f)
	}
}
