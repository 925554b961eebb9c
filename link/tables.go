package link

import "unsafe"

// tableRoom is memory for tables that grow while inputs are read: one piece,
// which takes the system less time to give than many.
type tableRoom struct{ free []byte }

// table takes room for n entries, which must have no pointers. When it is used up,
// append finds more elsewhere.
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
