//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
	"time"
)

const exeSuffix = ""

// peakMemory returns the peak resident memory of an ended process in bytes. The
// system includes the parent's memory at the start of the process, so this
// program keeps itself small.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // in bytes on this system, in kilobytes elsewhere
	}
	return int64(usage.Maxrss) * 1024
}

// processorTime returns the processor time of this process, of user and system.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
