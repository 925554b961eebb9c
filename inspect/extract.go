package inspect

import (
	"fmt"
	"strings"

	"github.com/gfx-toolchain/gfx/internal/lazy"
)

// extensions holds the file extensions of unpacked entries.
var extensions = lazy.Value[map[Format]string]{Make: func() map[Format]string {
	return map[Format]string{FormatObject: ".hsaco", FormatHost: ".o", FormatBitcode: ".bc", FormatArchive: ".a"}
}}

// maxNameLen is the maximum length of a name derived from an ID, in bytes.
const maxNameLen = 120

// FileNames returns a file name for each of the entries, derived from their
// IDs. The names are unique, consist of letters, digits and -_+. only, have no
// folder, and are not reserved by any system. Entries of several bundles have
// the bundle's number as a prefix.
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
		used[strings.ToLower(name)] = true // some systems do not distinguish upper and lower case
		names[i] = name
	}
	return names
}

// safeName returns a name that is valid on every system.
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

// reservedNames holds the names of devices on Windows, without their numbers.
var reservedNames = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	return map[string]bool{"CON": true, "PRN": true, "AUX": true, "NUL": true, "COM": true, "LPT": true}
}}
