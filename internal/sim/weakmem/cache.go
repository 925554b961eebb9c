package weakmem

import (
	"sync/atomic"
	"unsafe"
)

// LineSize is the size of a cache line in bytes.
const LineSize = 64

const allBytes = ^uint64(0)

// Line is the contents of a cache line.
type Line [LineSize]byte

// entry is a line in a cache. It is valid if its epoch is the cache's and it has
// valid bytes.
type entry struct {
	line         uint64 // address
	memory       *Line
	epoch        uint32
	listed       bool // in cache.dirty
	born         uint64
	valid, dirty uint64 // one bit per byte; dirty bytes are valid
	data         Line
}

const ways = 4

// cache is a set-associative cache with random replacement.
type cache struct {
	sets    int // a power of two
	epoch   uint32
	entries []entry
	dirty   []int32 // entries that may have dirty bytes
}

// reset empties the cache without writing back.
func (c *cache) reset(sets int) {
	if c.sets != sets {
		*c = cache{sets: sets}
	}
	for _, i := range c.dirty {
		c.entries[i].dirty, c.entries[i].listed = 0, false
	}
	c.dirty = c.dirty[:0]
	c.nextEpoch()
}

// nextEpoch invalidates all lines.
func (c *cache) nextEpoch() {
	if c.epoch++; c.epoch == 0 {
		clear(c.entries)
		c.epoch = 1
	}
}

// setOf returns the index of the first entry of a line's set.
func (c *cache) setOf(line uint64) int {
	n := line / LineSize
	return int(n^n>>7^n>>16) & (c.sets - 1) * ways
}

// lookup returns the entry of a line, or nil.
func (c *cache) lookup(line uint64) *entry {
	if c.entries == nil {
		return nil
	}
	at := c.setOf(line)
	for i := range ways {
		if e := &c.entries[at+i]; e.line == line && e.epoch == c.epoch && e.valid != 0 {
			return e
		}
	}
	return nil
}

// obtain returns the entry of a line. A new one has no valid bytes and replaces
// another line of its set.
func (c *cache) obtain(line uint64, memory *Line, now uint64, r *Random) *entry {
	if e := c.lookup(line); e != nil {
		return e
	}
	if c.entries == nil {
		c.entries = make([]entry, c.sets*ways)
	}
	at := c.setOf(line)
	var e *entry
	for i := range ways {
		if x := &c.entries[at+i]; x.epoch != c.epoch || x.valid == 0 {
			e = x
			break
		}
	}
	if e == nil {
		e = &c.entries[at+r.Below(ways)]
		e.clean()
	}
	e.line, e.memory, e.epoch, e.born, e.valid, e.dirty = line, memory, c.epoch, now, 0, 0
	return e
}

// clean writes the dirty bytes of a line to memory.
func (e *entry) clean() {
	if e.dirty != 0 {
		storeLine(e.memory, &e.data, e.dirty)
		e.dirty = 0
	}
}

// drop removes a line after writing back its dirty bytes.
func (c *cache) drop(line uint64) {
	if e := c.lookup(line); e != nil {
		e.clean()
		e.valid = 0
	}
}

// write stores bytes in a line of the cache.
func (e *entry) write(data *Line, mask uint64) {
	mergeLine(&e.data, data, mask)
	e.valid |= mask
}

// soil marks bytes of a line as dirty.
func (c *cache) soil(e *entry, mask uint64) {
	e.dirty |= mask
	if !e.listed {
		e.listed = true
		c.dirty = append(c.dirty, int32((uintptr(unsafe.Pointer(e))-uintptr(unsafe.Pointer(&c.entries[0])))/unsafe.Sizeof(entry{})))
	}
}

// writeBack writes all dirty bytes to memory.
func (c *cache) writeBack() {
	for _, i := range c.dirty {
		e := &c.entries[i]
		e.clean()
		e.listed = false
	}
	c.dirty = c.dirty[:0]
}

// invalidate removes all bytes but the dirty ones.
func (c *cache) invalidate() {
	c.nextEpoch()
	kept := c.dirty[:0]
	for _, i := range c.dirty {
		e := &c.entries[i]
		if e.valid = e.dirty; e.dirty == 0 {
			e.listed = false
			continue
		}
		e.epoch = c.epoch
		kept = append(kept, i)
	}
	c.dirty = kept
}

// evictRandom removes a random line. It uses one random number whether the cache
// was used before or not, so that dispatches do not depend on earlier ones.
func (c *cache) evictRandom(r *Random) {
	at := r.Below(c.sets * ways)
	if c.entries == nil {
		return
	}
	if e := &c.entries[at]; e.epoch == c.epoch && e.valid != 0 {
		e.clean()
		e.valid = 0
	}
}

// spread has one bit per byte set to 0xff for each bit of a byte-wise mask.
func spread(m uint64) uint64 {
	m &= 0xff
	m = (m | m<<28) & 0x0000000f0000000f
	m = (m | m<<14) & 0x0003000300030003
	m = (m | m<<7) & 0x0101010101010101
	return m * 0xff
}

func word(l *Line, i int) *uint64 { return (*uint64)(unsafe.Pointer(&l[i*8])) }

// mergeLine copies the bytes of a mask.
func mergeLine(to, from *Line, mask uint64) {
	if mask == allBytes {
		*to = *from
		return
	}
	for i := 0; mask != 0; i, mask = i+1, mask>>8 {
		switch mask & 0xff {
		case 0:
		case 0xff:
			*word(to, i) = *word(from, i)
		default:
			s, p := spread(mask), word(to, i)
			*p = *p&^s | *word(from, i)&s
		}
	}
}

// loadLine reads a line of memory that other threads may write.
func loadLine(to, memory *Line) {
	for i := range LineSize / 8 {
		*word(to, i) = atomic.LoadUint64(word(memory, i))
	}
}

// storeLine writes bytes of a line of memory that other threads may read. The
// bytes of an aligned dword or qword are written together.
func storeLine(memory, from *Line, mask uint64) {
	for i := 0; mask != 0; i, mask = i+1, mask>>8 {
		if m := mask & 0xff; m == 0xff {
			atomic.StoreUint64(word(memory, i), *word(from, i))
		} else if m != 0 {
			storeParts(memory, from, i*8, m)
		}
	}
}

// storeParts writes the bytes of a quadword that the mask selects.
func storeParts(memory, from *Line, at int, mask uint64) {
	for ; mask != 0; at, mask = at+4, mask>>4 {
		if mask&15 == 15 {
			atomic.StoreUint32((*uint32)(unsafe.Pointer(&memory[at])), *(*uint32)(unsafe.Pointer(&from[at])))
			continue
		}
		for i := range 4 {
			if mask>>i&1 != 0 {
				memory[at+i] = from[at+i]
			}
		}
	}
}
