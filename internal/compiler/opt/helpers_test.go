package opt

import (
	"os"
	"testing"
)

// foldersOf returns the names of the folders in a folder.
func foldersOf(t testing.TB, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "fuzz" {
			names = append(names, e.Name())
		}
	}
	return names
}
