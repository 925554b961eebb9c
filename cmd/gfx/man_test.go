package main

import "testing"

func TestTroff(t *testing.T) {
	for text, want := range map[string]string{
		"a plain line":   "a plain line",
		".bc is bitcode": `\&.bc is bitcode`,
		"'quoted'":       `\&'quoted'`,
		"--mcpu":         `\-\-mcpu`,
		`a\b`:            `a\eb`,
		"":               "",
	} {
		if got := troff(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
