package link

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
)

// ErrTooLarge is the error for a file of 4 GiB or more.
var ErrTooLarge = errors.New("the file is too large to link: 4 GiB or more")

const maxFile = math.MaxUint32

// readAll reads an open file.
func readAll(f *os.File) (data []byte, err error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Size() > maxFile:
		err = ErrTooLarge
	case info.Mode().IsRegular() && info.Size() > 0:
		data = largeBuffer(int(info.Size()))
		_, err = io.ReadFull(f, data)
	default:
		data, err = io.ReadAll(io.LimitReader(f, maxFile+1))
		if err == nil && uint64(len(data)) > maxFile {
			err = ErrTooLarge
		}
	}
	if path := new(fs.PathError); err != nil && !errors.As(err, &path) {
		err = &fs.PathError{Op: "read", Path: f.Name(), Err: err}
	}
	return data, err
}
