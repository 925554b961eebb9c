package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gfx-toolchain/gfx/diag"
)

// TestWithInput checks the contents of inputs of different sizes, that writing
// to them leaves the file unchanged, and errors.
func TestWithInput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "in")
	for _, n := range []int{0, 1, mapFrom - 1, mapFrom, mapFrom + 1} {
		want := strings.Repeat("x", n)
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err := withInput(nil, name, func(src *diag.Source) error {
				if src.Name != name || string(src.Text) != want {
					t.Errorf("%d bytes: %s has %d bytes", n, src.Name, len(src.Text))
				}
				clear(src.Text)
				return os.ErrDeadlineExceeded
			})
			if err != os.ErrDeadlineExceeded {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
	if err := withInput(nil, filepath.Join(name, "none"), nil); err == nil {
		t.Error("no error for a missing file")
	}
}

// TestShortened checks the error for a file that is shortened while it is read.
func TestShortened(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no mapped files on", runtime.GOOS)
	}
	name := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(name, make([]byte, 2*mapFrom), 0o666); err != nil {
		t.Fatal(err)
	}
	sum := 0
	err := withInput(nil, name, func(src *diag.Source) error {
		if err := os.Truncate(name, 10); err != nil {
			return err
		}
		for _, c := range src.Text {
			sum += int(c)
		}
		return nil
	})
	if want := name + ": the file was shortened while it was read"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestOtherPanic checks that other panics are no errors of the input.
func TestOtherPanic(t *testing.T) {
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = withInput(nil, os.DevNull, func(*diag.Source) error { panic("other") })
}
