package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile returns the contents of a regular file of a size as memory that reads
// the file when it is used, for as long as the command runs. Copying a large file
// would cost a page fault for every page, many times the time of reading. Writing
// to the memory leaves the file unchanged.
func mapFile(f *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
}
