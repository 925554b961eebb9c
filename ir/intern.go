package ir

import (
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
)

// array is an append-only sequence whose entries never move. A goroutine that
// obtained i through synchronization may read entry i without a lock. Appending
// needs a lock.
type array[T any] struct {
	n       uint32
	buckets [32 - firstBucketLog][]T
}

// firstBucketLog is the base-2 logarithm of the first bucket's size. Each
// bucket is twice as large as its predecessor.
const firstBucketLog = 6

// at returns entry i.
func (a *array[T]) at(i uint32) *T {
	i += 1 << firstBucketLog
	b := bits.Len32(i) - 1
	return &a.buckets[b-firstBucketLog][i&^(1<<b)]
}

// appendEntry appends an entry and returns its number.
func (a *array[T]) appendEntry(x T) uint32 {
	i := a.n
	if i >= maxIndex {
		panic(limitError("too many entries in a table of the module"))
	}
	j := i + 1<<firstBucketLog
	b := bits.Len32(j) - 1
	if a.buckets[b-firstBucketLog] == nil {
		a.buckets[b-firstBucketLog] = make([]T, 1<<b)
	}
	a.buckets[b-firstBucketLog][j&^(1<<b)] = x
	a.n++
	return i
}

// addRange appends contiguous entries and returns the number of the first.
func (a *array[T]) addRange(xs []T) uint32 {
	if len(xs) == 0 {
		return 0
	}
	j := a.n + 1<<firstBucketLog
	b := bits.Len32(j) - 1
	for len(xs) > 1<<b-int(j&^(1<<b)) {
		b++
		if b > tagShift {
			panic(limitError("too many entries in a table of the module"))
		}
		j = 1 << b
	}
	if a.buckets[b-firstBucketLog] == nil {
		a.buckets[b-firstBucketLog] = make([]T, 1<<b)
	}
	copy(a.buckets[b-firstBucketLog][j&^(1<<b):], xs)
	i := j - 1<<firstBucketLog
	a.n = i + uint32(len(xs))
	return i
}

// slice returns n contiguous entries that addRange added at i.
func (a *array[T]) slice(i, n uint32) []T {
	if n == 0 {
		return nil
	}
	i += 1 << firstBucketLog
	b := bits.Len32(i) - 1
	i &^= 1 << b
	return a.buckets[b-firstBucketLog][i : i+n : i+n]
}

// limitError is the panic value for an input that exceeds a limit of the
// representation. Readers recover it and return it as an error.
type limitError string

func (e limitError) Error() string { return string(e) }

// LimitError returns the limit that was exceeded. It distinguishes limits from
// other errors.
func (e limitError) LimitError() string { return string(e) }

// interner finds entries by content. Lookup takes no lock.
type interner struct {
	mu  sync.Mutex
	tab atomic.Pointer[internTable]
	n   int // number of entries, guarded by mu
}

// internTable is a hash table with open addressing. A slot holds the hash in
// the upper half and the entry's number plus one in the lower half. A free slot
// is 0.
type internTable struct {
	slots []atomic.Uint64
	mask  uint32
}

const firstTableSize = 64

// findEntry looks up an entry. eq compares the requested content with entry id.
func (in *interner) findEntry(hash uint32, eq func(id uint32) bool) (uint32, bool) {
	t := in.tab.Load()
	if t == nil {
		return 0, false
	}
	for i := hash & t.mask; ; i = (i + 1) & t.mask {
		s := t.slots[i].Load()
		if s == 0 {
			return 0, false
		}
		if uint32(s>>32) == hash {
			if id := uint32(s) - 1; eq(id) {
				return id, true
			}
		}
	}
}

// intern returns the entry for which eq returns true. If none exists, it calls
// add to create one.
func (in *interner) intern(hash uint32, eq func(id uint32) bool, add func() uint32) uint32 {
	if id, ok := in.findEntry(hash, eq); ok {
		return id
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if id, ok := in.findEntry(hash, eq); ok {
		return id
	}
	id := add()
	in.insert(hash, id)
	return id
}

// insert adds a new entry to the table. The caller must hold mu.
func (in *interner) insert(hash, id uint32) {
	t := in.tab.Load()
	if t == nil || (in.n+1)*4 > len(t.slots)*3 {
		t = in.grow(t)
	}
	t.putEntry(uint64(hash)<<32 | uint64(id+1))
	in.n++
}

// putEntry adds an entry. It writes without reading first, so that the pages of
// a new table are mapped only once.
func (t *internTable) putEntry(s uint64) {
	i := uint32(s>>32) & t.mask
	for !t.slots[i].CompareAndSwap(0, s) {
		i = (i + 1) & t.mask
	}
}

// grow publishes a table of twice the size. A reader of the old table can miss
// only new entries, and repeats its lookup under the lock.
func (in *interner) grow(old *internTable) *internTable {
	size := firstTableSize
	if old != nil {
		size = 2 * len(old.slots)
	}
	t := &internTable{make([]atomic.Uint64, size), uint32(size - 1)}
	if old != nil {
		for i := range old.slots {
			if s := old.slots[i].Load(); s != 0 {
				t.putEntry(s)
			}
		}
	}
	in.tab.Store(t)
	return t
}

// hashSeed is the initial value of a hash.
const hashSeed uint64 = 0x9e3779b97f4a7c15

// mix adds a word to a hash.
func mix(h, x uint64) uint64 {
	hi, lo := bits.Mul64(h^x, 0xd6e8feb86659fd93)
	return hi ^ lo ^ x<<32
}

// fold returns the final 32-bit hash.
func fold(h uint64) uint32 { return uint32(h ^ h>>32) }

func hashString(h uint64, s string) uint64 {
	h = mix(h, uint64(len(s)))
	for len(s) >= 8 {
		h = mix(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
		s = s[8:]
	}
	var tail uint64
	for i := range len(s) {
		tail |= uint64(s[i]) << (8 * i)
	}
	return mix(h, tail)
}

func hashWords[T ~uint32](h uint64, words []T) uint64 {
	h = mix(h, uint64(len(words)))
	for _, w := range words {
		h = mix(h, uint64(w))
	}
	return h
}

// String is the number of a string of a module. 0 is the empty string.
type String uint32

type stringTable struct {
	interner
	all array[string]
}

// intern returns the number of s. The table may retain s.
func (t *stringTable) intern(s string) String {
	if s == "" {
		return 0
	}
	hash := fold(hashString(hashSeed, s))
	return String(t.interner.intern(hash,
		func(id uint32) bool { return *t.all.at(id - 1) == s },
		func() uint32 { return t.all.appendEntry(s) + 1 }))
}

// internBytes is like intern, but does not retain b.
func (t *stringTable) internBytes(b []byte) String {
	if len(b) == 0 {
		return 0
	}
	s := unsafe.String(&b[0], len(b))
	hash := fold(hashString(hashSeed, s))
	return String(t.interner.intern(hash,
		func(id uint32) bool { return *t.all.at(id - 1) == s },
		func() uint32 { return t.all.appendEntry(strings.Clone(s)) + 1 }))
}

func (t *stringTable) stringOf(s String) string {
	if s == 0 {
		return ""
	}
	return *t.all.at(uint32(s) - 1)
}
