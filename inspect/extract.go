package inspect

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// extensions are those of the files that entries are unpacked to.
var extensions = lazy.Value[map[Format]string]{Make: func() map[Format]string {
	return map[Format]string{FormatObject: ".hsaco", FormatHost: ".o", FormatBitcode: ".bc", FormatArchive: ".a"}
}}

// maxNameLen bounds the names made from IDs, in bytes.
const maxNameLen = 120

// FileNames gives a name for a file of each of the entries, made from their IDs:
// letters, digits and -_+. only, no folder, no name twice, none that a system
// keeps for itself. Entries of several bundles have the bundle's number in front.
func FileNames(entries []Entry) []string {
	several := false
	for i := range entries {
		several = several || entries[i].Bundle != entries[0].Bundle
	}
	names := make([]string, len(entries))
	used := make(map[string]bool, len(entries))
	for i := range entries {
		e := &entries[i]
		base := e.ID
		if e.Bundle == 0 || base == "" {
			base = strings.TrimSuffix(e.Member, ".o")
		}
		if several && e.Bundle > 0 {
			base = fmt.Sprintf("%d-%s", e.Bundle, base)
		}
		base, ext := safeName(base), extensions.Get()[e.Format]
		if ext == "" {
			ext = ".bin"
		}
		name := base + ext
		for n := 2; used[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s-%d-%d%s", base, i+1, n, ext)
		}
		used[strings.ToLower(name)] = true // some systems take upper and lower case for the same
		names[i] = name
	}
	return names
}

// safeName gives a name that is one on every system.
func safeName(id string) string {
	b := []byte(id)
	if len(b) > maxNameLen {
		b = b[:maxNameLen]
	}
	for i, c := range b {
		ok := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.' || c == '_'
		if !ok {
			b[i] = '_'
		}
	}
	name := string(b)
	switch stem, _, _ := strings.Cut(strings.ToUpper(name), "."); {
	case name == "" || name[0] == '.' || name[0] == '-':
		return "entry" + name
	case reservedNames.Get()[strings.TrimRight(stem, "0123456789")]:
		return "entry-" + name
	}
	return name
}

// reservedNames are devices on Windows, without their numbers.
var reservedNames = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "COM": true, "LPT": true}
}}
