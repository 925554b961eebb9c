//go:build !linux

package main

import (
	"errors"
	"os"
)

// hugeHeap does nothing on this system.
func hugeHeap(int) {}

// adviseHuge has no effect on this system.
func adviseHuge([]byte) {}

// mapFile is an error on this system.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
