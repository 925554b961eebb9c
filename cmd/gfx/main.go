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

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

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
