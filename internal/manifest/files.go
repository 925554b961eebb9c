package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder gives the function that opens the files of a manifest in a folder: a
// name is relative to it or to the folder above it, in this order. Only regular
// files are opened.
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
		return nil, fmt.Errorf("%s: is no regular file", name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, shortError(name, err)
	}
	return f, nil
}

// shortError names a file as the manifest does.
func shortError(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}
