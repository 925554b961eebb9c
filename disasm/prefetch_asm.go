//go:build amd64 || arm64

package disasm

// prefetch loads a shape into the processor's cache without waiting for it.
//
//go:noescape
func prefetch(s *shape)
