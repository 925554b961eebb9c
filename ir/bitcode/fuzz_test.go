package bitcode

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRead reads damaged files: errors have a place, and what is read is linked well.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.bc")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read(data, Options{Name: "fuzz"})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error without a place: %v", err)
			}
			return
		}
		checkModule(t, m)
	})
}
