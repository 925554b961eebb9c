package tollvm

import (
	"strconv"
	"strings"

	"github.com/gfx-toolchain/gfx/mlir"
)

// A Chipset is a version of the instruction set in MLIR's notation: gfx90a is 9, 0, 10.
type Chipset struct {
	Major, Minor, Stepping int
}

// ParseChipset reads "gfx", the major version in decimal digits, and the minor
// version and the stepping, one hexadecimal digit each.
func ParseChipset(name string) (Chipset, error) {
	wrong := mlir.PlainErrorf("Invalid chipset name: %s", name)
	digits, ok := strings.CutPrefix(name, "gfx")
	if !ok || len(digits) < 3 || strings.ToLower(digits) != digits {
		return Chipset{}, wrong
	}
	n := len(digits)
	major, err1 := strconv.ParseUint(digits[:n-2], 10, 31)
	minor, err2 := strconv.ParseUint(digits[n-2:n-1], 16, 8)
	stepping, err3 := strconv.ParseUint(digits[n-1:], 16, 8)
	if err1 != nil || err2 != nil || err3 != nil {
		return Chipset{}, wrong
	}
	return Chipset{int(major), int(minor), int(stepping)}, nil
}

// AtLeast reports whether c is d or newer.
func (c Chipset) AtLeast(d Chipset) bool {
	if c.Major != d.Major {
		return c.Major > d.Major
	}
	if c.Minor != d.Minor {
		return c.Minor > d.Minor
	}
	return c.Stepping >= d.Stepping
}
