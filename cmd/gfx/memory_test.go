package main

import "testing"

// TestNewBuffer checks the capacity of buffers of different sizes.
func TestNewBuffer(t *testing.T) {
	for _, n := range []int64{0, 1, 1 << 20, 2 << 20, 2<<20 + 1, 3<<20 - 1, 13<<20 + 512} {
		b := newBuffer(n)
		if len(b) != 0 || int64(cap(b)) < n {
			t.Errorf("%d bytes: length %d, capacity %d", n, len(b), cap(b))
		}
		clear(b[:n])
	}
}
