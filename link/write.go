package link

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/binary"
	"hash/fnv"
	"runtime"
	"sync"
	"sync/atomic"

	co "github.com/gfx-toolchain/gfx/codeobject"
)

// write produces the output. Its parts are independent of each other and are
// written in parallel.
func (l *linker) write() {
	if l.image = <-l.room; uint64(len(l.image)) < l.size {
		l.image = largeBuffer(int(l.size))
	}
	l.image = l.image[:l.size:l.size]
	l.writeHeaders()
	y := &l.synth
	var tasks []func(*errorList)
	for _, table := range []struct {
		id    secID
		write func([]byte)
	}{
		{y.symtab, l.writeSymTab}, {y.dynsym, l.writeDynSym}, {y.gnuHash, l.writeGNUHash}, {y.hash, l.writeHash},
		{y.dynstr, l.writeDynStr}, {y.dynamic, l.writeDynamic}, {y.got, l.writeGot}, {y.shstrtab, l.writeShStrTab},
	} {
		if table.id != 0 && l.secs[table.id].out >= 0 {
			tasks = append(tasks, func(*errorList) { table.write(l.contents(table.id)) })
		}
	}
	if l.secs[y.rela].out >= 0 {
		tasks = append(tasks, func(errs *errorList) { l.writeRelaDyn(l.contents(y.rela), errs) })
	}
	l.runTasks(append(tasks, l.sectionTasks()...))
	if y.buildID != 0 && len(l.errs.list) == 0 {
		l.writeBuildID(l.contents(y.buildID))
	}
}

// prepareImage allocates the output's memory in the background, before its size
// is known. It estimates the size from the sections. Allocating the memory
// takes the system as long as filling it.
func (l *linker) prepareImage() {
	const page = 4096
	size := 0
	for _, id := range l.order {
		size += int(l.secs[id].data.size)
	}
	l.room = make(chan []byte, 1)
	if size < smallImage {
		l.room <- nil
		return
	}
	go func() {
		b := largeBuffer(size + size/2 + 1<<16)
		for i := 0; i < size; i += page {
			b[i] = 0
		}
		l.room <- b
	}()
}

// smallImage is the size in bytes up to which writing the output takes less
// time than starting another goroutine.
const smallImage = 1 << 18

// runTasks runs tasks in parallel. It reports their errors in task order.
func (l *linker) runTasks(tasks []func(*errorList)) {
	if l.size < smallImage {
		for _, task := range tasks {
			task(&l.errs)
		}
		return
	}
	errs := make([]errorList, len(tasks))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 8, len(tasks)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(tasks); i = int(next.Add(1)) - 1 {
				if l.ctx.Err() != nil {
					return
				}
				tasks[i](&errs[i])
			}
		})
	}
	wait.Wait()
	for i := range errs {
		for _, err := range errs[i].list {
			l.errs.addError(err)
		}
		l.errs.more += errs[i].more
	}
}

// contents returns the bytes of a section in the output.
func (l *linker) contents(id secID) []byte {
	s := &l.secs[id]
	off := l.outs[s.out].off + s.outOff
	return l.image[off : off+s.size : off+s.size]
}

func (l *linker) writeHeaders() {
	b, first := l.image, l.objs[0]
	copy(b, elfMagic)
	b[4], b[5], b[6], b[7], b[8] = byte(co.ELFCLASS64), 1, 1, first.osABI, first.abiVersion
	typ := co.ET_DYN
	if l.opt.Relocatable {
		typ = co.ET_REL
	}
	binary.LittleEndian.PutUint16(b[16:], uint16(typ))
	binary.LittleEndian.PutUint16(b[18:], co.EM_AMDGPU)
	binary.LittleEndian.PutUint32(b[20:], 1)
	binary.LittleEndian.PutUint64(b[24:], l.entry())
	binary.LittleEndian.PutUint64(b[40:], l.shOff)
	binary.LittleEndian.PutUint32(b[48:], first.flags)
	binary.LittleEndian.PutUint16(b[52:], ehSize)
	if len(l.segs) > 0 {
		binary.LittleEndian.PutUint64(b[32:], ehSize)
		binary.LittleEndian.PutUint16(b[54:], phSize)
		binary.LittleEndian.PutUint16(b[56:], uint16(len(l.segs)))
	}
	binary.LittleEndian.PutUint16(b[58:], shSize)
	binary.LittleEndian.PutUint16(b[60:], uint16(len(l.outs)+1))
	binary.LittleEndian.PutUint16(b[62:], uint16(l.outs[l.secs[l.synth.shstrtab].out].index))
	for i := range l.segs {
		l.segs[i].encodeTo(b[ehSize+i*phSize:])
	}
	for i, out := range l.outs {
		out.encodeTo(b[l.shOff+uint64(i+1)*shSize:])
	}
}

// entry returns the address of the entry symbol.
func (l *linker) entry() uint64 {
	id := l.findSymbol(l.opt.Entry)
	if l.opt.Entry == "" || id == 0 {
		return 0
	}
	s := &l.syms[id]
	if s.kind != symDefined || l.deadSymbol(s) {
		return 0
	}
	raw := l.outSymbol(s)
	return raw.value
}

func (p *segment) encodeTo(b []byte) {
	binary.LittleEndian.PutUint32(b, p.typ)
	binary.LittleEndian.PutUint32(b[4:], p.flags)
	for i, v := range []uint64{p.off, p.addr, p.addr, p.fileSize, p.memSize, p.align} {
		binary.LittleEndian.PutUint64(b[8+8*i:], v)
	}
}

func (o *outSection) encodeTo(b []byte) {
	binary.LittleEndian.PutUint32(b, o.nameOff)
	binary.LittleEndian.PutUint32(b[4:], uint32(o.typ))
	for i, v := range []uint64{uint64(o.flags), o.addr, o.off, o.size} {
		binary.LittleEndian.PutUint64(b[8+8*i:], v)
	}
	binary.LittleEndian.PutUint32(b[40:], o.link)
	binary.LittleEndian.PutUint32(b[44:], o.info)
	binary.LittleEndian.PutUint64(b[48:], o.align)
	binary.LittleEndian.PutUint64(b[56:], uint64(o.entsize))
}

func (l *linker) writeShStrTab(buf []byte) {
	for _, out := range l.outs {
		copy(buf[out.nameOff:], out.name)
	}
}

// sectionsAtOnce is the number of input sections that one task writes.
const sectionsAtOnce = 256

// sectionTasks returns the tasks that copy the contents of input sections and
// relocate them.
func (l *linker) sectionTasks() (tasks []func(*errorList)) {
	var ids []secID
	for _, out := range l.outs {
		if out.typ != co.SHT_NOBITS {
			ids = append(ids, out.inputs...)
		}
	}
	for len(ids) > 0 {
		some := ids[:min(sectionsAtOnce, len(ids))]
		ids = ids[len(some):]
		tasks = append(tasks, func(errs *errorList) {
			for _, id := range some {
				l.writeSection(id, errs)
			}
		})
	}
	return tasks
}

func (l *linker) writeSection(id secID, errs *errorList) {
	s := &l.secs[id]
	switch s.kind {
	case secMerged:
		l.synth.merged[s.merge].write(l.contents(id))
	case secRegular:
		buf := l.contents(id)
		copy(buf, l.bytes(s.data))
		if s.rela.size != 0 {
			l.relocate(s, buf, errs)
		}
	}
}

// tombstone returns the value of a relocation in debug information whose target
// is not in the output.
func tombstone(section []byte) uint64 {
	switch string(section) {
	case ".debug_loc", ".debug_ranges":
		return 1 // 0 would terminate a list
	case ".debug_names":
		return ^uint64(0)
	}
	return 0
}

// relocate applies the relocations of a section to its contents in the output.
func (l *linker) relocate(s *section, buf []byte, errs *errorList) {
	f := l.files[s.file]
	base := l.outs[s.out].addr + s.outOff
	alloc := s.flags&shfAlloc != 0
	relas := l.bytes(s.rela)
	for at := 0; at < len(relas); at += relaSize {
		r := readRela(relas[at:])
		row := rowOf(r.typ)
		if row != nil && row.calc == calcNone {
			continue
		}
		if !alloc && !l.checkReloc(f, s, &r, row, errs) {
			continue
		}
		if alloc && row.calc == calcPC && int(r.sym) >= f.firstGlobal {
			// most relocations: checked when they were scanned
			value := l.syms[f.globals[int(r.sym)-f.firstGlobal]].addr + uint64(r.addend) - base - r.off
			if field, ok := row.storeValue(buf[r.off:], value); !ok {
				errs.addError(l.relocErrorf(f, s, &r, outOfRange, field, row.min, row.max))
			}
			continue
		}
		t, err := l.targetOf(f, r.sym)
		if err != nil {
			errs.addError(err)
			return
		}
		if !alloc && (l.dead(&t) || t.sec == 0) && row.calc == calcAbs {
			row.storeValue(buf[r.off:], tombstone(l.bytes(s.name)))
			continue
		}
		if alloc && row.calc == calcAbs && (t.sym != 0 && l.syms[t.sym].preemptible || !l.absolute(&t)) {
			continue // left to the loader
		}
		var value uint64
		ok := true
		if row.calc == calcGOT {
			got := &l.secs[l.synth.got]
			value = l.outs[got.out].addr + got.outOff + l.gotOffset(f, r.sym, &t) + uint64(r.addend)
		} else {
			value, ok = l.address(&t, r.addend)
		}
		if !ok && !l.dead(&t) {
			errs.addError(l.relocErrorf(f, s, &r, "the address with addend %#x lies outside its mergeable section", r.addend))
			continue
		}
		if row.calc != calcAbs {
			value -= base + r.off
		}
		if field, ok := row.storeValue(buf[r.off:], value); !ok {
			errs.addError(l.relocErrorf(f, s, &r, outOfRange, field, row.min, row.max))
		}
	}
}

const outOfRange = "%d is out of range, expected %d to %d"

// checkReloc checks a relocation of a section that is not loaded. Relocations
// of loaded sections were checked when they were scanned.
func (l *linker) checkReloc(f *file, s *section, r *rawRela, row *relocRow, errs *errorList) bool {
	switch {
	case row == nil || row.calc == calcBase || row.calc == calcGOT:
		errs.addError(l.relocErrorf(f, s, r, "the relocation type is invalid in a section that is not loaded"))
	case r.off > s.size || s.size-r.off < uint64(row.size):
		errs.addError(l.relocErrorf(f, s, r, "the offset is out of range: the section has %#x bytes", s.size))
	case s.rel && !row.implicit:
		errs.addError(l.relocErrorf(f, s, r, noImplicit))
	default:
		return true
	}
	return false
}

const noteHeader = 16 // size of the .note.gnu.build-id header, with the name "GNU"

func (o *Options) buildIDSize() int {
	switch o.BuildID {
	case BuildIDFast:
		return 8
	case BuildIDMD5:
		return md5.Size
	case BuildIDSHA1:
		return sha1.Size
	}
	return len(o.BuildIDBytes)
}

// writeBuildID writes the note that identifies the output, a hash of all other
// bytes.
func (l *linker) writeBuildID(buf []byte) {
	const typeBuildID = 3
	binary.LittleEndian.PutUint32(buf, 4)
	binary.LittleEndian.PutUint32(buf[4:], uint32(l.opt.buildIDSize()))
	binary.LittleEndian.PutUint32(buf[8:], typeBuildID)
	copy(buf[12:], "GNU\x00")
	id := buf[noteHeader:]
	switch l.opt.BuildID {
	case BuildIDFast:
		h := fnv.New64a()
		h.Write(l.image)
		h.Sum(id[:0])
	case BuildIDMD5:
		sum := md5.Sum(l.image)
		copy(id, sum[:])
	case BuildIDSHA1:
		sum := sha1.Sum(l.image)
		copy(id, sum[:])
	default:
		copy(id, l.opt.BuildIDBytes)
	}
}
