//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

const exeSuffix = ""

// peakMemory gives the most memory that an ended process had resident, in
// bytes. The system counts what the parent had when it started the process as
// well, so this program keeps small itself.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // in bytes there, in kilobytes elsewhere
	}
	return int64(usage.Maxrss) * 1024
}
