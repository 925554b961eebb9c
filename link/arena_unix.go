//go:build unix

package link

import (
	"io"
	"io/fs"
	"sync"
	"syscall"
)

// arenaSize is the room that small files share, in bytes.
const arenaSize = 8 << 20

// arena reads many small files into few large pieces of memory, with few system
// calls: a link of thousands of objects spends most of its time there.
type arena struct {
	lock sync.Mutex
	free []byte
}

// read reads a regular file. It reports false for anything else, which is not
// read.
func (a *arena) read(name string) (data []byte, ok bool, err error) {
	fd, err := retry(func() (int, error) { return syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0) })
	if err != nil {
		return nil, true, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer syscall.Close(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil || info.Mode&syscall.S_IFMT != syscall.S_IFREG || info.Size == 0 {
		return nil, false, nil
	}
	if info.Size > maxFile {
		return nil, true, &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	data = a.room(int(info.Size))
	for n := 0; n < len(data); {
		k, err := retry(func() (int, error) { return syscall.Read(fd, data[n:]) })
		if err == nil && k == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, true, &fs.PathError{Op: "read", Path: name, Err: err}
		}
		n += k
	}
	return data, true, nil
}

// room gives memory for n bytes.
func (a *arena) room(n int) []byte {
	if n > arenaSize/4 {
		return largeBuffer(n)
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	if n > len(a.free) {
		a.free = largeBuffer(arenaSize)
	}
	b := a.free[:n:n]
	a.free = a.free[min((n+7)&^7, len(a.free)):]
	return b
}

// retry calls a system call until it is not interrupted.
func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != syscall.EINTR {
			return n, err
		}
	}
}
