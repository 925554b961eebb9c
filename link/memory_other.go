//go:build !linux

package link

// largeBuffer gives zeroed memory that is used once from its begin to its end.
func largeBuffer(n int) []byte { return make([]byte, n) }
