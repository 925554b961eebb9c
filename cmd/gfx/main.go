// Command gfx is an AMD GPU toolchain: an assembler and a disassembler for
// AMDGPU code objects, and what is known about the processors they are for.
//
// Each subcommand is one short file that reads its flags, calls a package, and
// writes what it gives. What they share is in input.go, output.go and
// report.go.
package main

import (
	"io"
	"os"
)

func main() {
	reserveStack(false)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// stackSize is how much stack is reserved, in bytes: twice what compiling a function takes.
const stackSize = 64 << 10

// reserveStack makes the stack large enough for nearly all that is done on it. It would
// grow otherwise step by step while calls are many deep, and each step moves all of it
// and looks at the tables of all functions that are on it, which are not in memory yet.
// The frame of this function needs the stack; what the frame holds is not touched.
//
//go:noinline
func reserveStack(touch bool) {
	if touch {
		var room [stackSize]byte
		fill(&room)
	}
}

//go:noinline
func fill(room *[stackSize]byte) {
	for i := range room {
		room[i] = byte(i)
	}
}

// run runs the command line and gives its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	first := ""
	if len(args) > 0 {
		first = args[0]
	}
	root := newRoot(first)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(normalizeArgs(root, args))
	cmd, err := root.ExecuteC()
	return report(cmd, err)
}
