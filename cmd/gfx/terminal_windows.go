package main

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

const endOfInputKey = "Ctrl-Z and Enter"

// enableColor enables escape sequences on a Windows console. It reports whether
// it succeeds.
func enableColor(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	console := windows.Handle(f.Fd())
	var mode uint32
	if err := windows.GetConsoleMode(console, &mode); err != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
