package abi

import (
	"strconv"
	"strings"
)

// Number returns a number of an attribute of AMDGPU, as LLVM reads them: from 0 to 2^32-1, decimal or with a prefix such as 0x, with blanks around it.
// It is false for other texts.
func Number(text string) (uint32, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 0, 32)
	return uint32(n), err == nil && !strings.Contains(text, "_")
}
