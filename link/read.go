package link

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
)

// ErrTooLarge is given for a file of 4 GiB or more.
var ErrTooLarge = errors.New("the file is too large to link: 4 GiB or more")

const maxFile = math.MaxUint32

// readFile reads a file; most are small, and there may be many of them.
func readFile(a *arena, name string) ([]byte, error) {
	if data, ok, err := a.read(name); ok || err != nil {
		return data, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrTooLarge}
	}
	return data, err
}
