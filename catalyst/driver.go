package catalyst

import (
	"fmt"
	"strings"
)

// Driver is the driver that writes a file.
type Driver struct {
	// Version is the version as major * 100 + minor: 170203 for 1702.3. The form
	// of the file depends on it.
	Version uint32
	// Info is the text in the file.
	Info string
}

// NewestVersion is the version of drivers whose text has no version: newer than
// all others.
const NewestVersion = 99999909

// infoPrefix precedes the version in a driver's text.
const infoPrefix = "AMD-APP ("

// DriverOf returns the driver with a version, as major * 100 + minor, and its
// usual text.
func DriverOf(version uint32) Driver {
	v := fmt.Sprintf("%d.%d", version/100, version%100)
	return Driver{version, fmt.Sprintf("@(#) OpenCL 1.2 AMD-APP (%s).  Driver version: %s (VM)", v, v)}
}

// ParseDriver returns the driver with a text. Its version is in the text, or
// NewestVersion if the text has none.
func ParseDriver(info string) Driver {
	d := Driver{NewestVersion, info}
	_, rest, ok := strings.Cut(info, infoPrefix)
	if !ok {
		return d
	}
	major, rest, ok := leadingDigits(rest)
	if !ok || rest == "" {
		return d
	}
	minor, _, ok := leadingDigits(rest[1:])
	if ok && major < NewestVersion/100 && minor < 1e6 {
		d.Version = uint32(major*100 + minor)
	}
	return d
}

// leadingDigits returns the decimal number at the start of s, limited to values
// beyond any version, and the text after it.
func leadingDigits(s string) (v uint64, rest string, ok bool) {
	i := 0
	for ; i < len(s) && '0' <= s[i] && s[i] <= '9'; i++ {
		v = min(v*10+uint64(s[i]-'0'), 1<<32)
	}
	return v, s[i:], i > 0
}
