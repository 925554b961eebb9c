package link

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// ErrTooLarge is given for a file of 4 GiB or more.
var ErrTooLarge = errors.New("the file is too large to link: 4 GiB or more")

const maxFile = math.MaxUint32

// ReadFiles reads the files that the inputs name, several at a time. Inputs that
// have Data already stay as they are. An error is an Errors, with one
// *fs.PathError for each file that cannot be read.
func ReadFiles(inputs []Input) error {
	errs := make([]error, len(inputs))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4, len(inputs)) {
		wait.Go(func() {
			var a arena
			for i := int(next.Add(1)) - 1; i < len(inputs); i = int(next.Add(1)) - 1 {
				if in := &inputs[i]; in.Data == nil {
					in.Data, errs[i] = readFile(&a, in.Name)
				}
			}
		})
	}
	wait.Wait()
	var found errorList
	for _, err := range errs {
		if err != nil {
			found.add(err)
		}
	}
	return found.err()
}

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
