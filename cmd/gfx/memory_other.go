//go:build !linux

package main

// newBuffer returns an empty slice with a capacity of n bytes.
func newBuffer(n int64) []byte { return make([]byte, 0, n) }
