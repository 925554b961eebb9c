//go:build !unix

package main

import "os"

const exeSuffix = ".exe"

// peakMemory returns 0 because the system does not report it.
func peakMemory(*os.ProcessState) int64 { return 0 }
