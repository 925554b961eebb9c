//go:build !unix

package main

import (
	"os"
	"time"
)

const exeSuffix = ".exe"

// peakMemory returns 0 because the system does not report it.
func peakMemory(*os.ProcessState) int64 { return 0 }

// processorTime returns the time since the program started, because the system does not report the
// processor time.
func processorTime() time.Duration { return time.Since(started) }

var started = time.Now()
