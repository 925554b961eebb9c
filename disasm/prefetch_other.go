//go:build !amd64 && !arm64

package disasm

func prefetch(*shape) {}
