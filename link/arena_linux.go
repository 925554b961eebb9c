//go:build linux && (amd64 || arm64)

package link

import (
	"encoding/binary"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// arenaSize is the size in bytes of a memory block shared by small files.
	arenaSize = 8 << 20
	// arenaPart is the size in bytes of the part that a reader takes from the
	// block at once.
	arenaPart = 512 << 10
	// arenaLeast is the minimum space in bytes for reading a file.
	arenaLeast = 64 << 10
)

// arena allocates memory for files, shared by several readers.
type arena struct {
	lock sync.Mutex
	free []byte
}

// part returns memory for a reader's files.
func (a *arena) part() []byte {
	a.lock.Lock()
	defer a.lock.Unlock()
	if len(a.free) < arenaPart {
		a.free = largeBuffer(arenaSize)
	}
	b := a.free[:arenaPart:arenaPart]
	a.free = a.free[arenaPart:]
	return b
}

// fileReader reads many small files into few large memory blocks, with few
// system calls. Reading dominates the time of linking thousands of objects. A
// fileReader is for one goroutine.
//
// It makes system calls without notifying Go's scheduler, which would otherwise
// start threads for calls that it considers blocking. So the calls must not
// block: files are opened with O_NONBLOCK, and only files that support reads at
// an offset are read here, which excludes pipes and terminals.
type fileReader struct {
	arena *arena
	free  []byte
	name  []byte // zero-terminated
}

// read reads a file.
func (r *fileReader) read(name string) ([]byte, error) {
	fd, err := r.open(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	if len(r.free) < arenaLeast {
		r.free = r.arena.part()
	}
	n, err := pread(fd, r.free, 0)
	for end := n; err == nil && n < len(r.free) && !isWhole(r.free[:n]); n += end {
		if end, err = pread(fd, r.free[n:], n); end == 0 {
			break
		}
	}
	if err != nil || n == 0 || n == len(r.free) {
		return readOther(fd, name, err)
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_CLOSE, uintptr(fd), 0, 0)
	data := r.free[:n:n]
	r.free = r.free[min((n+7)&^7, len(r.free)):]
	return data, nil
}

// isWhole reports whether an object ends with its section header table, as most
// objects do. In this case, no further read is needed.
func isWhole(data []byte) bool {
	const shOff, shNum = 40, 60
	return len(data) > ehSize && string(data[:len(elfMagic)]) == elfMagic &&
		binary.LittleEndian.Uint64(data[shOff:])+shSize*uint64(binary.LittleEndian.Uint16(data[shNum:])) == uint64(len(data))
}

// readOther reads a file that read cannot handle: a large or empty one, a pipe
// or a terminal. err is the error of the first attempt.
func readOther(fd int, name string, err error) ([]byte, error) {
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	if err == syscall.ESPIPE {
		// A named pipe returns no data until its other end is opened.
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
	} else if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return readAll(f)
}

func (r *fileReader) open(name string) (int, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return 0, syscall.EINVAL
	}
	r.name = append(append(r.name[:0], name...), 0)
	const flags = syscall.O_RDONLY | syscall.O_CLOEXEC | syscall.O_NONBLOCK
	cwd := unix.AT_FDCWD
	return retry(func() (uintptr, syscall.Errno) {
		fd, _, err := syscall.RawSyscall6(syscall.SYS_OPENAT, uintptr(cwd), uintptr(unsafe.Pointer(&r.name[0])), flags, 0, 0, 0)
		return fd, err
	})
}

// pread reads from a file at an offset.
func pread(fd int, b []byte, off int) (int, error) {
	return retry(func() (uintptr, syscall.Errno) {
		n, _, err := syscall.RawSyscall6(syscall.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(off), 0, 0)
		return n, err
	})
}

// retry repeats a system call that was interrupted.
func retry(call func() (uintptr, syscall.Errno)) (int, error) {
	for {
		n, err := call()
		switch err {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, err
		}
	}
}
