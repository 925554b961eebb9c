//go:build !linux || !(amd64 || arm64)

package link

import "os"

// arena is a stub for systems without an optimized reader.
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
