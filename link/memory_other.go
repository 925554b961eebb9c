//go:build !linux

package link

// largeBuffer returns zeroed memory for one sequential use.
func largeBuffer(n int) []byte { return make([]byte, n) }
