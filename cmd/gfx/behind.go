package main

import "io"

// behindPart is the size, in bytes, of the parts that a behindWriter writes.
const behindPart = 128 << 10

// behindWriter is a buffered writer that writes a part while its caller fills the
// next one. A text of less than a part is written by Flush alone.
type behindWriter struct {
	w       io.Writer
	part    []byte     // not yet written
	spare   []byte     // the buffer that is being written, or an empty one
	writing chan error // gets the error of the part that is being written
	busy    bool       // whether writing will get one
	err     error      // the first error
}

func newBehindWriter(w io.Writer) *behindWriter {
	return &behindWriter{w: w, part: make([]byte, 0, behindPart)}
}

// Write keeps or writes p. Its error can be an earlier part's.
func (b *behindWriter) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && b.err == nil; {
		n := min(len(rest), cap(b.part)-len(b.part))
		b.part = append(b.part, rest[:n]...)
		rest = rest[n:]
		if len(b.part) == cap(b.part) {
			b.start()
		}
	}
	if b.err != nil {
		return 0, b.err
	}
	return len(p), nil
}

// start begins to write the part, after the one before.
func (b *behindWriter) start() {
	if b.writing == nil {
		b.writing, b.spare = make(chan error, 1), make([]byte, 0, behindPart)
	}
	b.wait()
	if b.err != nil {
		return
	}
	b.part, b.spare, b.busy = b.spare[:0], b.part, true
	go func(part []byte) {
		_, err := b.w.Write(part)
		b.writing <- err
	}(b.spare)
}

// wait waits until nothing is being written.
func (b *behindWriter) wait() {
	if !b.busy {
		return
	}
	b.busy = false
	if err := <-b.writing; b.err == nil {
		b.err = err
	}
}

// Flush writes all that is kept.
func (b *behindWriter) Flush() error {
	b.wait()
	if b.err == nil && len(b.part) > 0 {
		_, b.err = b.w.Write(b.part)
		b.part = b.part[:0]
	}
	return b.err
}
