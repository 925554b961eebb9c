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
	pages := (n + hugePage/2) / hugePage // a last one that is mostly used counts
	if pages == 0 {
		return make([]byte, n)
	}
	b := make([]byte, max(n, pages*hugePage)+hugePage)
	skip := (hugePage - int(uintptr(unsafe.Pointer(&b[0]))%hugePage)) % hugePage
	b = b[skip:]
	// Without large pages it only takes longer: an error does not matter.
	_ = unix.Madvise(b[:pages*hugePage], unix.MADV_HUGEPAGE)
	return b[:n:n]
}
