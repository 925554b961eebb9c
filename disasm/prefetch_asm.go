//go:build amd64 || arm64

package disasm

// prefetch tells the processor to load a shape into the cache, and does not wait
// for it.
//
//go:noescape
func prefetch(s *shape)
