package link

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page, in bytes.
const hugePage = 2 << 20

// largeBuffer gives zeroed memory that the system is asked to back with large
// pages, which takes a fraction of the time when all of it is used once.
func largeBuffer(n int) []byte {
	b := make([]byte, n)
	if n < 2*hugePage {
		return b
	}
	// A wrong guess costs time, not correctness: errors do not matter.
	at := uintptr(unsafe.Pointer(&b[0])) % uintptr(hugePage)
	skip := (hugePage - int(at)) % hugePage
	size := (n - skip) &^ (hugePage - 1)
	if size > 0 {
		_ = unix.Madvise(b[skip:skip+size], unix.MADV_HUGEPAGE)
	}
	return b
}
