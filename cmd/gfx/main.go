// Command gfx is an AMD GPU toolchain: it compiles, assembles, disassembles,
// links, inspects and runs code for AMD GPUs, and lists the processors.
//
// Each subcommand is one short file that reads its flags, calls a package, and
// writes the result. input.go, output.go and report.go hold the shared parts.
package main

import (
	"io"
	"os"
)

func main() {
	reserveStack(false)
	os.Exit(runCommandLine(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// stackSize is the reserved stack, in bytes: twice the need of compiling a
// function.
const stackSize = 64 << 10

// reserveStack grows the stack to a size that suffices for nearly all commands.
// Otherwise the stack would grow step by step during deep calls. Each step
// copies the stack and reads the tables of all functions on it, which are not
// in memory yet. This function's frame only reserves the stack; its contents
// are not touched.
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

// runCommandLine runs the command line and returns its exit status.
func runCommandLine(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
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
