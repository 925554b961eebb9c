package link

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page in bytes.
const hugePage = 2 << 20

// largeBuffer returns zeroed memory and asks the system to back it with huge
// pages, which is several times as fast for memory that is written once.
func largeBuffer(n int) []byte {
	pages := (n + hugePage/2) / hugePage // includes a last page that is mostly used
	if pages == 0 {
		return make([]byte, n)
	}
	b := make([]byte, max(n, pages*hugePage)+hugePage)
	skip := (hugePage - int(uintptr(unsafe.Pointer(&b[0]))%hugePage)) % hugePage
	b = b[skip:]
	// The call is only an optimization: ignore errors.
	_ = unix.Madvise(b[:pages*hugePage], unix.MADV_HUGEPAGE)
	return b[:n:n]
}
