package linker

import "strings"

// normalTriple returns a target triple with all four components, so that
// equivalent spellings are equal.
func normalTriple(triple string) string {
	parts := strings.Split(triple, "-")
	for len(parts) < 4 {
		parts = append(parts, "unknown")
	}
	for i, p := range parts {
		if p == "" {
			parts[i] = "unknown"
		}
	}
	return strings.Join(parts, "-")
}
