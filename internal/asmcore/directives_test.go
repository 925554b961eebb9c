package asmcore

import (
	"strings"
	"testing"
)

// TestDirectiveTable checks the preconditions of the table search.
func TestDirectiveTable(t *testing.T) {
	for i, d := range directiveTable {
		if i > 0 && directiveTable[i-1].name >= d.name {
			t.Errorf("%s is out of order", d.name)
		}
		if len(d.name) > longestDirective || strings.ToLower(d.name) != d.name {
			t.Errorf("%s is too long or not in lower case", d.name)
		}
	}
}
