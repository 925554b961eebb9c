package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder returns a function that opens the files of a manifest in a directory.
// A name is relative to the directory or to its parent, in this order. Only
// regular files are opened.
func Folder(dir string) Open {
	return func(name string) (io.ReadCloser, error) {
		if filepath.IsAbs(name) {
			return openRegular(name, name)
		}
		local := filepath.FromSlash(name)
		f, err := openRegular(name, filepath.Join(dir, local))
		if !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		f, err = openRegular(name, filepath.Join(dir, "..", local))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: no such file in the folder %s or above it", name, dir)
		}
		return f, err
	}
}

func openRegular(name, path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, shortError(name, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, shortError(name, err)
	}
	return f, nil
}

// shortError returns the error with the file name as in the manifest.
func shortError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
