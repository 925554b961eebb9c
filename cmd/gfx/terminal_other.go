//go:build !windows

package main

import "io"

const endOfInputKey = "Ctrl-D"

// enableColor makes a terminal take escape sequences, which all but Windows
// consoles do anyway.
func enableColor(io.Writer) bool { return true }
