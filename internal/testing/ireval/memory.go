package ireval

import (
	"encoding/binary"
	"fmt"
)

// Shadow bits of a byte of memory.
const (
	shValid  = 1
	shWrite  = 2
	shUndef  = 4
	shPoison = 8

	shClean = shValid | shWrite
	all8    = 0x0101010101010101
)

// Apertures of generic addresses.
const (
	ldsAperture   = 0x0001_0000_0000_0000
	stackAperture = 0x0002_0000_0000_0000
	codeBase      = 0x0004_0000_0000_0000
	lowHalf       = 1<<32 - 1

	globalBase = 0x10000
	arenaBase  = 64 // first offset of LDS and stacks
	redZone    = 32 // minimum distance between objects in bytes
)

// arena is one memory.
type arena struct {
	base   uint64
	data   []byte
	shadow []byte
	top    uint64 // offset of the next object
	budget *uint64
	fill   byte // byte value of undef
}

// alloc allocates an object and returns its offset.
func (a *arena) alloc(size uint64, align uint64, state byte) uint64 {
	align = max(align, 1)
	at := a.top + redZone
	// The address has exactly the requested alignment, to detect accesses that
	// assume more.
	at = (at+a.base+2*align-1)&^(2*align-1) + align - a.base
	if align >= 4096 {
		at = (a.top+redZone+a.base+align-1)&^(align-1) - a.base
	}
	end := at + size
	if size > *a.budget || end < at {
		panic(&Error{Kind: Budget, Message: fmt.Sprintf("object of %d bytes", size)})
	}
	if end+redZone > uint64(len(a.data)) {
		grow := max(end+redZone-uint64(len(a.data)), uint64(len(a.data))/2, 1024)
		if grow > *a.budget {
			panic(&Error{Kind: Budget, Message: "memory"})
		}
		*a.budget -= grow
		a.data = append(a.data, make([]byte, grow)...)
		a.shadow = append(a.shadow, make([]byte, grow)...)
	}
	a.mark(at, size, state)
	a.top = end
	return at
}

// mark changes the state of bytes. Newly accessible bytes hold the undef
// pattern.
func (a *arena) mark(at, size uint64, state byte) {
	s := a.shadow[at : at+size]
	for i := range s {
		s[i] = state
	}
	if state&shUndef != 0 {
		d := a.data[at : at+size]
		for i := range d {
			d[i] = a.fill
		}
	}
}

// release frees all objects from an offset on.
func (a *arena) release(top uint64) {
	if top < a.top {
		clear(a.shadow[top:a.top])
		a.top = top
	}
}

// resolve returns the memory and the offset of an address.
func (l *lane) resolve(space uint32, addr uint64) (*arena, uint64) {
	switch {
	case l.host || space == spaceGlobal:
	case space == spaceLDS:
		return l.lds(), addr & lowHalf
	case space == spaceStack:
		return &l.stack, addr & lowHalf
	case space == spaceFlat:
		switch addr &^ lowHalf {
		case ldsAperture:
			return l.lds(), addr & lowHalf
		case stackAperture:
			return &l.stack, addr & lowHalf
		}
	}
	if addr&^lowHalf == stackAperture {
		return &l.stack, addr & lowHalf // stack of a host
	}
	g := &l.mc.global
	return g, addr - g.base
}

func (l *lane) lds() *arena { return &l.group.lds }

// check fails unless n bytes may be accessed. It returns the memory and the
// offset.
func (l *lane) check(space uint32, addr, n uint64, align uint32, want byte) (*arena, uint64) {
	a, at := l.resolve(space, addr)
	if align > 1 && addr&uint64(align-1) != 0 {
		panic(ub("address 0x%x is not aligned to %d", addr, align))
	}
	if at >= uint64(len(a.shadow)) || n > uint64(len(a.shadow))-at {
		panic(ub("%d-byte access at 0x%x, which is outside the memory", n, addr))
	}
	for _, s := range a.shadow[at : at+n] {
		if s&want != want {
			panic(badAccess(addr, n, s, want))
		}
	}
	return a, at
}

func badAccess(addr, n uint64, s, want byte) *Error {
	switch {
	case s&shValid == 0:
		return ub("%d-byte access at 0x%x, which is not in an object", n, addr)
	case want&shWrite != 0:
		return ub("%d-byte store at 0x%x, which is constant or dead", n, addr)
	}
	return ub("access at 0x%x", addr)
}

// get reads n ≤ 8 checked bytes.
func (a *arena) get(at uint64, n int32) (x uint64, taint uint8) {
	for i := n - 1; i >= 0; i-- {
		x = x<<8 | uint64(a.data[at+uint64(i)])
		taint |= a.shadow[at+uint64(i)]
	}
	return x, taintOf(taint)
}

// put writes n ≤ 8 checked bytes.
func (a *arena) put(at uint64, n int32, x uint64, taint uint8) {
	s := shadowOf(taint)
	for i := range uint64(n) {
		a.data[at+i] = byte(x)
		a.shadow[at+i] = s
		x >>= 8
	}
}

// taintOf returns the mark of a value from the shadow of its bytes.
func taintOf(s byte) uint8 {
	if s&shPoison != 0 {
		return poison
	}
	return s >> 2 & undef
}

func shadowOf(taint uint8) byte {
	switch {
	case taint&2 != 0:
		return shClean | shPoison
	case taint&1 != 0:
		return shClean | shUndef
	}
	return shClean
}

// loadFast reads 1, 2, 4 or 8 bytes that are accessible and unmarked.
func (a *arena) loadFast(at uint64, n int32) (uint64, bool) {
	if at+8 > uint64(len(a.data)) || at+8 < at {
		return 0, false
	}
	mask := uint64(1)<<(8*n&63) - 1
	if n == 8 {
		mask = ^uint64(0)
	}
	s := binary.LittleEndian.Uint64(a.shadow[at:])
	if (s&^(shWrite*all8))&mask != all8&mask {
		return 0, false
	}
	return binary.LittleEndian.Uint64(a.data[at:]) & mask, true
}

// storeFast writes 1, 2, 4 or 8 bytes that are writable and unmarked.
func (a *arena) storeFast(at uint64, n int32, x uint64) bool {
	if at+8 > uint64(len(a.data)) || at+8 < at {
		return false
	}
	mask := uint64(1)<<(8*n&63) - 1
	if n == 8 {
		mask = ^uint64(0)
	}
	if binary.LittleEndian.Uint64(a.shadow[at:])&mask != shClean*all8&mask {
		return false
	}
	d := a.data[at:]
	binary.LittleEndian.PutUint64(d, binary.LittleEndian.Uint64(d)&^mask|x&mask)
	return true
}

// loadLeaves reads the scalars of a type into frame words.
func (a *arena) loadLeaves(at uint64, lay *layout, v []uint64, t []uint8) {
	if lay.packed {
		a.loadPacked(at, lay, v, t)
		return
	}
	for i := range lay.leaves {
		f := &lay.leaves[i]
		left, taint := f.bytes, uint8(0)
		for w := range f.words {
			n := min(left, 8)
			x, tw := a.get(at+f.offset+uint64(8*w), n)
			if b := f.bits - 64*w; b < 64 {
				x &= 1<<b - 1
			}
			v[f.word+w] = x
			taint |= tw
			left -= n
		}
		for w := range f.words {
			t[f.word+w] = taint
		}
	}
}

// storeLeaves writes the scalars of a type.
func (a *arena) storeLeaves(at uint64, lay *layout, v []uint64, t []uint8) {
	if lay.packed {
		a.storePacked(at, lay, v, t)
		return
	}
	for i := range lay.leaves {
		f := &lay.leaves[i]
		left := f.bytes
		for w := range f.words {
			n := min(left, 8)
			a.put(at+f.offset+uint64(8*w), n, v[f.word+w], t[f.word+w])
			left -= n
		}
	}
}

// loadPacked reads a vector with elements of any width.
func (a *arena) loadPacked(at uint64, lay *layout, v []uint64, t []uint8) {
	e := lay.elem
	for i := range lay.n {
		word := i * e.words
		clear(v[word : word+e.words])
		taint := uint8(0)
		for b := range e.bits {
			pos := uint64(i)*uint64(e.bits) + uint64(b)
			x, tb := a.get(at+pos/8, 1)
			v[word+b/64] |= (x >> (pos % 8) & 1) << (b % 64)
			taint |= tb
		}
		for w := range e.words {
			t[word+w] = taint
		}
	}
}

func (a *arena) storePacked(at uint64, lay *layout, v []uint64, t []uint8) {
	e := lay.elem
	for i := range lay.size {
		a.put(at+i, 1, 0, 0)
	}
	for i := range lay.n {
		word := i * e.words
		for b := range e.bits {
			pos := uint64(i)*uint64(e.bits) + uint64(b)
			x, tb := a.get(at+pos/8, 1)
			x |= (v[word+b/64] >> (b % 64) & 1) << (pos % 8)
			a.put(at+pos/8, 1, x, tb|t[word+b/64])
		}
	}
}
