package linker

import "strings"

// normalTriple gives a target triple with its four parts, so that two ways to write the same one are equal.
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
