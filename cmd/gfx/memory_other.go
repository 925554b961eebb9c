//go:build !linux

package main

import (
	"errors"
	"os"
)

// hugeHeap does nothing on this system.
func hugeHeap(int) {}

// mapFile is an error on this system.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }
