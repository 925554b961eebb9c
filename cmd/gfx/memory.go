package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/gfx-toolchain/gfx/diag"
)

// mapFrom is the size of a file from which mapping it pays, in bytes.
const mapFrom = 256 << 10

// withInput calls body with an input, a large file as mapped memory. If another
// program shortens such a file during the call, the next use of the missing part
// is a fault, which becomes an error. body must use the input in this goroutine
// only.
func withInput(cmd *cobra.Command, name string, body func(src *diag.Source) error) (err error) {
	src := mapInput(name)
	if src == nil {
		if src, err = readInput(cmd, name); err != nil {
			return err
		}
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { err = faultError(src.Name, recover(), err) }()
	if err = body(src); err != nil {
		src.Text = bytes.Clone(src.Text) // messages quote it later
	}
	return err
}

// mapInput returns a large regular file as mapped memory, and nil for other
// files, and those that cannot be mapped.
func mapInput(name string) (src *diag.Source) {
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.Mode().IsRegular() || info.Size() < mapFrom || info.Size() > maxInput {
		return nil
	}
	f, _ := os.Open(name) // the methods of a nil file fail
	defer f.Close()
	if text, err := mapFile(f, info.Size()); err == nil {
		src = &diag.Source{Name: name, Text: text}
	}
	return src
}

// faultError returns the error for what a body panicked with: a use of mapped
// memory that its file has no more. Other panics continue. Without a panic it
// returns err.
func faultError(name string, reason any, err error) error {
	if reason == nil {
		return err
	}
	if _, isFault := reason.(interface {
		runtime.Error
		Addr() uintptr
	}); !isFault {
		panic(reason)
	}
	return fmt.Errorf("%s: the file was shortened while it was read", name)
}
