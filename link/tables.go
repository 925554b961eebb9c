package link

import "unsafe"

// tableRoom is a single memory block for the tables that grow while inputs are
// read. The system provides one block faster than many.
type tableRoom struct{ free []byte }

// table allocates a table of n entries, which must contain no pointers.
// Appending more entries allocates elsewhere.
func table[T any](r *tableRoom, n int) []T {
	const align = 64
	var entry T
	size := (n*int(unsafe.Sizeof(entry)) + align - 1) &^ (align - 1)
	if size > len(r.free) {
		return make([]T, 0, n)
	}
	at := unsafe.Pointer(unsafe.SliceData(r.free))
	r.free = r.free[size:]
	return unsafe.Slice((*T)(at), n)[:0]
}
