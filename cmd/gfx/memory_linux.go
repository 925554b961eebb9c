package main

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page on most processors. On others it is a
// multiple of a page, which is all that the advice below needs.
const hugePage = 2 << 20

// newBuffer returns an empty slice with a capacity of n bytes or more, whose
// memory is not touched. The kernel is asked for large pages: filling a file's
// 10 MB would otherwise cost thousands of page faults.
func newBuffer(n int64) []byte {
	if n < hugePage/2 {
		return make([]byte, 0, n)
	}
	b := make([]byte, (n+2*hugePage-1)/hugePage*hugePage)
	start := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (hugePage - 1)
	if int64(uintptr(len(b))-start) < n {
		start = 0
	}
	b = b[start:]
	unix.Madvise(b[:len(b)&^(hugePage-1)], unix.MADV_HUGEPAGE) // only an advice
	return b[:0]
}
