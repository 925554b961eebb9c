package abi

import (
	"strconv"
	"strings"
)

// Number parses the number in an AMDGPU attribute as LLVM does: from 0 to
// 2^32-1, decimal or with a prefix such as 0x, optionally surrounded by blanks.
// It is false for any other text.
func Number(text string) (uint32, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 0, 32)
	return uint32(n), err == nil && !strings.Contains(text, "_")
}
