package link

import (
	"encoding/binary"
	"slices"
)

// makeDynamic selects the symbols of .dynsym and computes the sizes of the
// dynamic sections.
func (l *linker) makeDynamic() {
	y := &l.synth
	var undefined, defined []symID
	y.dynStrSize = 1
	off := make([]uint32, len(l.syms))
	for i := range l.syms {
		s := &l.syms[i]
		if !s.used || s.local() || s.kind == symDefined && l.deadSymbol(s) || s.kind != symDefined && !s.preemptible {
			continue
		}
		off[i] = uint32(y.dynStrSize)
		y.dynStrSize += uint64(s.name.size) + 1
		if s.kind == symDefined {
			defined = append(defined, symID(i))
		} else {
			undefined = append(undefined, symID(i))
		}
	}
	if y.gnuHash != 0 {
		l.sortHashed(defined)
		y.dynSyms = append(undefined, defined...)
		y.firstHashed = uint32(len(undefined) + 1)
		l.secs[y.gnuHash].size = 16 + 8*uint64(y.maskWords) + 4*uint64(y.buckets) + 4*uint64(len(defined))
	} else {
		y.dynSyms = append(undefined, defined...)
		slices.Sort(y.dynSyms)
	}
	y.dynNames = make([]uint32, len(y.dynSyms))
	for i, id := range y.dynSyms {
		l.syms[id].dyn = uint32(i + 1)
		y.dynNames[i] = off[id]
	}
	if l.opt.SOName != "" {
		y.soName = y.dynStrSize
		y.dynStrSize += uint64(len(l.opt.SOName)) + 1
	}
	n := uint64(len(y.dynSyms) + 1)
	l.secs[y.dynsym].size = n * symSize
	l.secs[y.dynstr].size = y.dynStrSize
	if y.hash != 0 {
		l.secs[y.hash].size = 4 * (2 + 2*n)
	}
	l.secs[y.rela].size = uint64(len(l.dyns)) * relaSize
	for i := range l.dyns {
		if l.dyns[i].sym == 0 {
			y.relatives++
		}
	}
	l.secs[y.dynamic].size = uint64(len(l.dynamicEntries())) * dynSize
}

// deadSymbol reports whether a defined symbol's section is not in the output.
func (l *linker) deadSymbol(s *symbol) bool {
	if s.sec <= 0 {
		return false
	}
	sec := &l.secs[s.sec]
	if sec.kind != secMerge {
		return sec.out < 0
	}
	if sec.out < 0 {
		return true
	}
	p := l.synth.inputs[sec.merge].at(s.value, sec.size)
	return p == nil || p.entry == 0
}

// The load factor of .gnu.hash, the number of Bloom filter bits per symbol, and
// the shift of the second bit. The values are ld.lld's.
const (
	gnuLoad   = 4
	gnuBits   = 12
	gnuShift2 = 26
)

// sortHashed sorts symbols by their bucket in .gnu.hash, then by name offset,
// which is their current order.
func (l *linker) sortHashed(ids []symID) {
	y := &l.synth
	y.buckets, y.maskWords = uint32(max(len(ids)/gnuLoad, 1)), 1
	if n := len(ids) * gnuBits / 64; len(ids) > 0 {
		for int(y.maskWords) <= n {
			y.maskWords *= 2
		}
	}
	keys := make([]uint64, len(ids))
	for i, id := range ids {
		keys[i] = uint64(gnuHash(l.symName(id))%y.buckets)<<32 | uint64(id)
	}
	slices.Sort(keys)
	for i, k := range keys {
		ids[i] = symID(k)
	}
}

// gnuHash returns the hash of a name for .gnu.hash.
func gnuHash(name []byte) uint32 {
	h := uint32(5381)
	for _, c := range name {
		h = h*33 + uint32(c)
	}
	return h
}

// sysvHash returns the hash of a name for .hash (ELF gABI, "Hash Table").
func sysvHash(name []byte) uint32 {
	h := uint32(0)
	for _, c := range name {
		h = h<<4 + uint32(c)
		h ^= h >> 24 & 0xf0
		h &= 0x0fffffff
	}
	return h
}

type dynEntry struct{ tag, value uint64 }

// dynamicEntries returns the entries of .dynamic. Their addresses are valid
// after layout.
func (l *linker) dynamicEntries() []dynEntry {
	y := &l.synth
	var out []dynEntry
	add := func(tag, value uint64) { out = append(out, dynEntry{tag, value}) }
	addr := func(id secID) uint64 {
		s := &l.secs[id]
		if s.out < 0 {
			return 0
		}
		return l.outs[s.out].addr + s.outOff
	}
	if l.opt.SOName != "" {
		add(dtSOName, y.soName)
	}
	if l.opt.Bsymbolic {
		add(dtFlags, dfSymbolic)
	}
	if len(l.dyns) > 0 {
		add(dtRela, addr(y.rela))
		add(dtRelaSz, l.secs[y.rela].size)
		add(dtRelaEnt, relaSize)
		if y.relatives > 0 {
			add(dtRelaCnt, uint64(y.relatives))
		}
	}
	add(dtSymTab, addr(y.dynsym))
	add(dtSymEnt, symSize)
	add(dtStrTab, addr(y.dynstr))
	add(dtStrSz, y.dynStrSize)
	if y.gnuHash != 0 {
		add(dtGNUHash, addr(y.gnuHash))
	}
	if y.hash != 0 {
		add(dtHash, addr(y.hash))
	}
	for _, a := range initArrays {
		for _, o := range l.outs {
			if o.name == a.name {
				add(a.tag, o.addr)
				add(a.size, o.size)
			}
		}
	}
	for _, f := range initFunctions {
		if id := l.findSymbol(f.name); id != 0 && l.syms[id].kind == symDefined {
			raw := l.outSymbol(&l.syms[id])
			add(f.tag, raw.value)
		}
	}
	add(dtNull, 0)
	return out
}

// initArrays and initFunctions are the initialization code that a loader may
// call.
var (
	initArrays = []struct {
		name      string
		tag, size uint64
	}{{".preinit_array", dtPreinit, dtPreSz}, {".init_array", dtInitArr, dtInitSz}, {".fini_array", dtFiniArr, dtFiniSz}}
	initFunctions = []struct {
		name string
		tag  uint64
	}{{"_init", dtInit}, {"_fini", dtFini}}
)

func (l *linker) writeDynamic(buf []byte) {
	for i, e := range l.dynamicEntries() {
		binary.LittleEndian.PutUint64(buf[i*dynSize:], e.tag)
		binary.LittleEndian.PutUint64(buf[i*dynSize+8:], e.value)
	}
}

func (l *linker) writeDynSym(buf []byte) {
	for i, id := range l.synth.dynSyms {
		raw := l.outSymbol(&l.syms[id])
		raw.name = l.synth.dynNames[i]
		raw.encodeTo(buf[(i+1)*symSize:])
	}
}

func (l *linker) writeDynStr(buf []byte) {
	for i, id := range l.synth.dynSyms {
		copy(buf[l.synth.dynNames[i]:], l.symName(id))
	}
	copy(buf[min(l.synth.soName, uint64(len(buf))):], l.opt.SOName)
}

func (l *linker) writeGNUHash(buf []byte) {
	y := &l.synth
	binary.LittleEndian.PutUint32(buf, y.buckets)
	binary.LittleEndian.PutUint32(buf[4:], y.firstHashed)
	binary.LittleEndian.PutUint32(buf[8:], y.maskWords)
	binary.LittleEndian.PutUint32(buf[12:], gnuShift2)
	bloom := buf[16:]
	buckets := bloom[8*y.maskWords:]
	values := buckets[4*y.buckets:]
	hashed := y.dynSyms[y.firstHashed-1:]
	previous := uint32(0)
	for i, id := range hashed {
		h := gnuHash(l.symName(id))
		word := bloom[8*(h/64&(y.maskWords-1)):]
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|1<<(h%64)|1<<(h>>gnuShift2%64))
		bucket := h % y.buckets
		binary.LittleEndian.PutUint32(values[4*i:], h&^1)
		if i == 0 || bucket != previous {
			binary.LittleEndian.PutUint32(buckets[4*bucket:], y.firstHashed+uint32(i))
			if i > 0 {
				values[4*(i-1)] |= 1
			}
		}
		previous = bucket
	}
	if n := len(hashed); n > 0 {
		values[4*(n-1)] |= 1
	}
}

func (l *linker) writeHash(buf []byte) {
	n := uint32(len(l.synth.dynSyms) + 1)
	binary.LittleEndian.PutUint32(buf, n)
	binary.LittleEndian.PutUint32(buf[4:], n)
	buckets := buf[8:]
	chains := buckets[4*n:]
	for i, id := range l.synth.dynSyms {
		bucket := buckets[4*(sysvHash(l.symName(id))%n):]
		copy(chains[4*(i+1):4*(i+2)], bucket)
		binary.LittleEndian.PutUint32(bucket, uint32(i+1))
	}
}

// writeRelaDyn writes the dynamic relocations: relative ones first, by address,
// then the others by symbol and address.
func (l *linker) writeRelaDyn(buf []byte, errs *errorList) {
	all := make([]rawRela, len(l.dyns))
	for i := range l.dyns {
		d := &l.dyns[i]
		s := &l.secs[d.sec]
		r := &all[i]
		r.off, r.typ, r.addend = l.outs[s.out].addr+s.outOff+d.off, d.typ, d.addend
		if d.sym != 0 {
			r.sym = l.syms[d.sym].dyn
			continue
		}
		addr, ok := l.address(&d.target, d.addend)
		if !ok {
			errs.errorf("%s: the address with addend %#x lies outside its mergeable section", l.placeIn(s, d.off), d.addend)
		}
		r.addend = int64(addr)
	}
	slices.SortFunc(all, func(a, b rawRela) int {
		switch {
		case a.sym != b.sym:
			return int(a.sym) - int(b.sym)
		case a.off < b.off:
			return -1
		case a.off > b.off:
			return 1
		}
		return 0
	})
	for i := range all {
		all[i].encodeTo(buf[i*relaSize:])
	}
}

func (l *linker) writeGot(buf []byte) {
	for _, v := range l.synth.gotValues {
		binary.LittleEndian.PutUint64(buf[v.off:], v.value)
	}
}
