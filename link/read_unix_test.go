//go:build linux || darwin

package link

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestReadPipe reads a named pipe that is written late and in pieces.
func TestReadPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	piece := bytes.Repeat([]byte("text"), 50_000)
	written := make(chan error, 1)
	go func() {
		time.Sleep(20 * time.Millisecond)
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		for range 3 {
			if err == nil {
				time.Sleep(5 * time.Millisecond)
				_, err = f.Write(piece)
			}
		}
		written <- err
		f.Close()
	}()
	r := fileReader{arena: new(arena)}
	got, err := r.read(name)
	if err != nil || !bytes.Equal(got, bytes.Repeat(piece, 3)) {
		t.Errorf("%d bytes, error %v; want %d", len(got), err, 3*len(piece))
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
