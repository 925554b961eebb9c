//go:build !linux || !(amd64 || arm64)

package link

import "os"

// arena is for systems on which reading many small files can be made faster.
type arena struct{}

// fileReader reads files.
type fileReader struct{ arena *arena }

func (*fileReader) read(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}
