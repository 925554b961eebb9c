package inspect

import (
	"bytes"
	"io"
)

// view is a part of a file. It reads on demand, so that a large file need not
// be in memory.
type view struct {
	mem  []byte      // the part, if it is in memory
	r    io.ReaderAt // else the file that contains the part
	off  int64       // of the part in r
	size uint64
	fail *error // receives the first error of r; all views of a file share it
}

func memoryView(data []byte) view { return view{mem: data, size: uint64(len(data))} }

// sub returns a part of the view, which must be inside it.
func (v view) sub(off, size uint64) view {
	if v.r == nil {
		v.mem = v.mem[off:][:size:size]
	}
	v.off += int64(off)
	v.size = size
	return v
}

// bytes returns n bytes at an offset, fewer at the end of the view. After an error
// of the file they are 0; Open reports it.
func (v view) bytes(off, n uint64) []byte {
	off = min(off, v.size)
	data, err := v.sub(off, min(n, v.size-off)).load()
	if err != nil && *v.fail == nil {
		*v.fail = err
	}
	return data
}

// load reads the whole view. It may be called from several goroutines.
func (v view) load() ([]byte, error) {
	if v.r == nil {
		return v.mem, nil
	}
	return v.loadInto(nil)
}

// loadInto is load into a buffer, which is replaced if it is too small. It
// returns data in memory without copying it.
func (v view) loadInto(buf []byte) ([]byte, error) {
	if v.r == nil {
		return v.mem, nil
	}
	if uint64(cap(buf)) < v.size {
		buf = make([]byte, v.size)
	}
	buf = buf[:v.size]
	n, err := v.r.ReadAt(buf, v.off)
	switch {
	case n == len(buf):
		return buf, nil
	case err == io.EOF:
		err = io.ErrUnexpectedEOF
	}
	clear(buf[n:])
	return buf, err
}

// headSize is the number of bytes that identify a file's format.
const headSize = 32

func (v view) format() Format { return formatOf(v.bytes(0, headSize)) }

// ReadAt implements io.ReaderAt.
func (v view) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 || uint64(off) > v.size {
		return 0, io.EOF
	}
	n := copy(b, v.bytes(uint64(off), uint64(len(b))))
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// blockSize is the size of a read in a sequential search.
const blockSize = 64 << 10

// skipZeros returns the offset of the first byte from at on that is not 0, or the
// view's size.
func (v view) skipZeros(at uint64) uint64 {
	for at < v.size {
		// Usually there are few zeros or none.
		block := v.bytes(at, headSize)
		if len(block) > 0 && block[len(block)-1] == 0 {
			block = v.bytes(at, blockSize)
		}
		left := len(bytes.TrimLeft(block, "\x00"))
		at += uint64(len(block) - left)
		if left > 0 {
			break
		}
	}
	return at
}

// rows calls f with each of the n rows of a table at an offset. Each row has
// size bytes, and the table must be inside the view.
func (v view) rows(off, n, size uint64, f func(i uint64, row []byte)) {
	const perBlock = blockSize / 64
	for i := uint64(0); i < n; i += perBlock {
		count := min(perBlock, n-i)
		block := v.bytes(off+i*size, count*size)
		for k := range count {
			f(i+k, block[k*size:][:size])
		}
	}
}
