package main

import (
	"bytes"
	"errors"
	"testing"
)

// failingWriter fails from the given byte on.
type failingWriter struct {
	bytes.Buffer
	room int
}

var errFull = errors.New("no space left")

func (f *failingWriter) Write(p []byte) (int, error) {
	if f.Len()+len(p) > f.room {
		return 0, errFull
	}
	return f.Buffer.Write(p)
}

// TestBehindWriter writes texts of many sizes in pieces of many sizes.
func TestBehindWriter(t *testing.T) {
	text := make([]byte, 5*behindPart+3)
	for i := range text {
		text[i] = byte(i * 7 >> 3)
	}
	for _, size := range []int{0, 1, behindPart - 1, behindPart, behindPart + 1, 2 * behindPart, len(text)} {
		for _, piece := range []int{999, behindPart, 3*behindPart + 1} {
			var out bytes.Buffer
			b := newBehindWriter(&out)
			for from := 0; from < size; from += piece {
				want := min(piece, size-from)
				if n, err := b.Write(text[from : from+want]); n != want || err != nil {
					t.Fatalf("Write returned %d, %v", n, err)
				}
			}
			if err := b.Flush(); err != nil {
				t.Error(err)
			}
			if !bytes.Equal(out.Bytes(), text[:size]) {
				t.Errorf("%d bytes in pieces of %d: another text is written", size, piece)
			}
		}
	}
}

// TestBehindWriterFails wants an error of any part, and nothing after it.
func TestBehindWriterFails(t *testing.T) {
	for parts := range 4 {
		w := &failingWriter{room: parts * behindPart}
		b := newBehindWriter(w)
		var err error
		for range 2 * parts * 1000 {
			if _, err = b.Write(make([]byte, behindPart/1000+1)); err != nil {
				break
			}
		}
		b.Write([]byte("more"))
		if flushed := b.Flush(); !errors.Is(flushed, errFull) {
			t.Errorf("room for %d parts: Flush returned %v, want %v (Write: %v)", parts, flushed, errFull, err)
		}
		if w.Len() != parts*behindPart {
			t.Errorf("room for %d parts: %d bytes are written", parts, w.Len())
		}
	}
}
