//go:build !windows

package main

import "io"

const endOfInputKey = "Ctrl-D"

// enableColor enables escape sequences on a terminal. All but Windows consoles
// interpret them by default.
func enableColor(io.Writer) bool { return true }
